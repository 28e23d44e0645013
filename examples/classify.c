/*
 * classify.c: a graph from arrays, two known labels, a label for every node.
 *
 *     cc classify.c $(pkg-config --cflags --libs kith) -o classify &&
 * ./classify
 */
#include "karate.h"

int main(void)
{
    static const int32_t both[] = {0, 33}; /* Mr. Hi and the officer */
    float probability[MEMBERS][2];
    kith_dataset *d = NULL;
    kith_model *m = NULL;
    kith_split split = {0};
    kith_train_options o;
    kith_error err;
    int right = 0;

    kith_train_options_init(&o);
    if (club(both, 2, &d, &split, &err) != KITH_OK ||
        kith_model_train(d, "linbp", &split, &o, &m, probability[0], &err) !=
            KITH_OK)
        return failed(&err);
    for (int u = 0; u < MEMBERS; u++) {
        const int c = probability[u][1] > probability[u][0];

        right += c == followed[u];
        if (u >= 7 && u < 10)
            printf("member %d: %s, probability %.3f\n", u, leaders[c],
                   (double)probability[u][c]);
    }
    printf("%d of %d right, two of them known\n", right, MEMBERS);
    kith_model_free(m);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
