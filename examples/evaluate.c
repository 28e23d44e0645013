/*
 * evaluate.c: methods on random splits, and what their probabilities are worth.
 *
 *     cc evaluate.c $(pkg-config --cflags --libs kith) -o evaluate &&
 * ./evaluate
 */
#include "karate.h"

enum { SPLITS = 5 };

/* Accuracy and log-loss of a method, means over the splits. */
static kith_status evaluate(const kith_dataset *d, const char *method,
                            kith_error *err)
{
    double accuracy[SPLITS], loss[SPLITS];
    float probability[MEMBERS][2];
    kith_train_options o;

    kith_train_options_init(&o);
    for (int i = 0; i < SPLITS; i++) {
        kith_split split;
        kith_trial trial = {0};
        kith_model *m = NULL;
        kith_status st;

        st = kith_split_random(d->graph, d->labels, 4, 0, 1, i, &split, err);
        if (st == KITH_OK)
            st = kith_trial_run(d, method, &split, &o, probability[0], &trial,
                                &m, err);
        kith_model_free(m);
        kith_split_release(&split);
        if (st != KITH_OK)
            return st;
        accuracy[i] = trial.scores.accuracy;
        loss[i] = trial.scores.log_loss;
    }
    printf("%s: accuracy %.3f +- %.3f, log-loss %.3f\n", method,
           kith_spread_of(accuracy, SPLITS).mean,
           kith_spread_of(accuracy, SPLITS).std,
           kith_spread_of(loss, SPLITS).mean);
    return KITH_OK;
}

int main(void)
{
    static const int32_t none[] = {0};
    kith_dataset *d = NULL;
    kith_split split = {0};
    kith_error err;

    if (club(none, 0, &d, &split, &err) != KITH_OK ||
        evaluate(d, "linbp", &err) != KITH_OK ||
        evaluate(d, "lp", &err) != KITH_OK)
        return failed(&err);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}
