/*
 * rank.c: who most probably follows the officer, and what such a list is worth.
 *
 *     cc rank.c $(pkg-config --cflags --libs kith) -o rank && ./rank
 */
#include "karate.h"

static void print(const kith_ranking *r)
{
    for (int i = 0; i < r->listed; i++)
        printf("%d. member %d, probability %.3f\n", i + 1, (int)r->node[i],
               (double)r->probability[i]);
    printf("judged by %d known members: precision %.2f, recall %.2f\n",
           (int)r->known, r->cut.precision, r->cut.recall);
}

int main(void)
{
    static const int32_t known[] = {0, 1, 2, 3, 4, 32, 33, 29, 23, 30};
    kith_dataset *d = NULL;
    kith_split split = {0};
    kith_protocol protocol = {0};
    kith_train_options o;
    kith_rank_options wanted;
    kith_ranking *r = NULL;
    kith_error err;

    kith_train_options_init(&o);
    kith_rank_options_init(&wanted);
    wanted.positive = 1; /* the officer */
    wanted.budget = 3;
    if (club(known, 10, &d, &split, &err) != KITH_OK ||
        kith_protocol_make(d, &split, 0, 1, &protocol, &err) != KITH_OK ||
        kith_rank(d, "linbp", &protocol, &o, &wanted, &r, &err) != KITH_OK)
        return failed(&err);
    print(r);
    kith_ranking_free(r);
    kith_protocol_release(&protocol);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
