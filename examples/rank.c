/*
 * rank.c: the members most likely of one class, and what the list is worth.
 *
 *     cc rank.c $(pkg-config --cflags --libs kith) -o rank && ./rank
 */
#include "karate.h"

int main(void)
{
    static const int32_t known[] = {0, 1, 2, 3, 4, 5, 8, 23, 26, 29, 32, 33};
    kith_dataset *d = NULL;
    kith_split split = {0};
    kith_protocol p = {0};
    kith_train_options train;
    kith_rank_options o;
    kith_ranking *r = NULL;
    kith_error err;

    kith_train_options_init(&train);
    kith_rank_options_init(&o);
    o.positive = 1; /* the officer's */
    o.budget = 5;
    if (club(known, 12, &d, &split, &err) != KITH_OK ||
        kith_protocol_make(d, &split, 0, 1, &p, &err) != KITH_OK ||
        kith_rank(d, "linbp", &p, &train, &o, &r, &err) != KITH_OK)
        return failed(&err);
    for (int i = 0; i < r->listed; i++)
        printf("%d. member %d, probability %.3f\n", i + 1, (int)r->node[i],
               (double)r->probability[i]);
    printf("expected share %.2f (%.2f to %.2f)\n", r->cut.precision,
           r->cut.precision_low, r->cut.precision_high);
    kith_ranking_free(r);
    kith_protocol_release(&p);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
