/*
 * evaluate.c: methods on random splits, and what their probabilities are worth.
 *
 *     cc evaluate.c $(pkg-config --cflags --libs kith) -o evaluate &&
 * ./evaluate
 */
#include "karate.h"

enum { SPLITS = 5 };

int main(void)
{
    static const int32_t none[] = {0};
    static const char *const methods[] = {"linbp", "lp"};
    kith_dataset *d = NULL;
    kith_split split = {0}, splits[SPLITS] = {0};
    kith_evaluation_options o;
    kith_evaluation *e = NULL;
    kith_error err;

    kith_evaluation_options_init(&o);
    if (club(none, 0, &d, &split, &err) != KITH_OK)
        return failed(&err);
    for (int i = 0; i < SPLITS; i++)
        if (kith_split_random(d->graph, d->labels, 4, 0, 1, i, &splits[i],
                              &err) != KITH_OK)
            return failed(&err);
    if (kith_evaluate(d, methods, 2, splits, SPLITS, &o, &e, &err) != KITH_OK)
        return failed(&err);
    for (int m = 0; m < 2; m++) {
        const kith_spread a = kith_evaluation_spread(e, m, KITH_ACCURACY);

        printf("%s: accuracy %.3f +- %.3f, log-loss %.3f\n", methods[m], a.mean,
               a.std, kith_evaluation_spread(e, m, KITH_LOG_LOSS).mean);
    }
    kith_evaluation_free(e);
    for (int i = 0; i < SPLITS; i++)
        kith_split_release(&splits[i]);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
