/*
 * update.c: a label comes in: beliefs follow without training or another run.
 *
 *     cc update.c $(pkg-config --cflags --libs kith) -o update && ./update
 */
#include "karate.h"

static void print(const char *what, const kith_solution *s)
{
    float probability[MEMBERS][2];

    kith_solution_probabilities(s, probability[0]);
    printf("%s: member 2 follows Mr. Hi with probability %.3f, member 8 with "
           "%.3f\n",
           what, (double)probability[2][0], (double)probability[8][0]);
}

int main(void)
{
    static const int32_t known[] = {0, 33};
    static const int32_t member[] = {8}, follows[] = {0};
    kith_dataset *d = NULL;
    kith_model *m = NULL;
    kith_solution *s = NULL;
    kith_split split = {0};
    kith_train_options o;
    kith_update told;
    kith_error err;

    kith_train_options_init(&o);
    if (club(known, 2, &d, &split, &err) != KITH_OK ||
        kith_solution_train(d, "linbp", &split, &o, &m, &s, &err) != KITH_OK)
        return failed(&err);
    print("two labels", s);
    if (kith_solution_update(s, member, follows, 1, &told, &err) != KITH_OK)
        return failed(&err);
    print("three labels", s);
    kith_solution_free(s);
    kith_model_free(m);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
