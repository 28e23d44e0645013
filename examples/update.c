/*
 * update.c: new labels come in: what was chosen is fitted again, nothing is
 * tuned anew.
 *
 *     cc update.c $(pkg-config --cflags --libs kith) -o update && ./update
 */
#include "karate.h"

static void print(const char *what, float probability[MEMBERS][2])
{
    printf("%s: member 2 follows Mr. Hi with probability %.3f, member 8 with "
           "%.3f\n",
           what, (double)probability[2][0], (double)probability[8][0]);
}

int main(void)
{
    static const int32_t known[] = {0, 33, 8}; /* 8 is learnt of later */
    const kith_array more = {known, KITH_I32, 3};
    float probability[MEMBERS][2];
    kith_dataset *d = NULL;
    kith_model *m = NULL, *again = NULL;
    kith_split split = {0}, grown = {0};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    if (club(known, 2, &d, &split, &err) != KITH_OK ||
        kith_model_train(d, "linbp", &split, &o, &m, probability[0], &err) !=
            KITH_OK)
        return failed(&err);
    print("two labels", probability);
    o = kith_options_like(&o, m);
    if (kith_split_from_arrays(d->graph, &more, NULL, NULL, "grown", &grown,
                               &err) != KITH_OK ||
        kith_model_train(d, kith_model_method(m), &grown, &o, &again,
                         probability[0], &err) != KITH_OK)
        return failed(&err);
    print("three labels", probability);
    kith_model_free(again);
    kith_model_free(m);
    kith_split_release(&grown);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
