/*
 * trial.c: one method on one split, and what several splits say together.
 */
#include <math.h>

#include "core/clock.h"
#include "core/status.h"
#include "kith/eval.h"

/* Of a split with nothing to tune on, what is held out for it. */
static const double HELD_SHARE = .2;

/* Tune on a part of the training nodes, then fit all with what was chosen. */
static kith_status train_held_out(const kith_dataset *d, const char *method,
                                  const kith_split *split,
                                  const kith_train_options *options,
                                  float *probabilities, kith_model **model,
                                  kith_error *err)
{
    kith_train_options again;
    kith_split part = {0};
    kith_model *tuned = NULL;
    kith_status st = KITH_OK;

    TRY(kith_hold_out(d->graph, d->labels, split->train, split->n_train,
                      HELD_SHARE, 1, &part.train, &part.n_train, &part.val,
                      &part.n_val, err));
    if (part.n_val == 0) { /* one node a class */
        TRY(kith_model_train(d, method, split, options, model, probabilities,
                             err));
        goto out;
    }
    TRY(kith_model_train(d, method, &part, options, &tuned, NULL, err));
    again = kith_options_like(options, tuned);
    TRY(kith_model_train(d, kith_model_method(tuned), split, &again, model,
                         probabilities, err));
out:
    kith_model_free(tuned);
    kith_array_free(part.train);
    kith_array_free(part.val);
    return st;
}

kith_status kith_trial_run(const kith_dataset *d, const char *method,
                           const kith_split *split,
                           const kith_train_options *options,
                           float *probabilities, kith_trial *out,
                           kith_model **model, kith_error *err)
{
    const double begun = kith__now();
    kith_status st = KITH_OK;
    kith_model *m = NULL;

    *out = (kith_trial){.validation = (double)NAN};
    *model = NULL;
    if (split->n_val == 0 && options->fixed != KITH_FIX_ALL && !options->like)
        TRY(train_held_out(d, method, split, options, probabilities, &m, err));
    else
        TRY(kith_model_train(d, method, split, options, &m, probabilities,
                             err));
    out->seconds = kith__now() - begun;
    TRY(kith_score(probabilities, d->labels, split->test, split->n_test,
                   &out->scores, err));
    out->validation = kith_model_validation(m);
    out->temperature = kith_model_temperature(m);
    out->certificate = *kith_model_certificate(m);
    *model = m;
    m = NULL;
out:
    kith_model_free(m);
    return st;
}

/*
 * mean = sum x / n,  std = sqrt( sum (x - mean)^2 / (n - 1) ), over the x that
 * are numbers.
 */
kith_spread kith_spread_of(const double *x, int count)
{
    kith_spread s = {(double)NAN, (double)NAN, 0};
    double sum = 0, squares = 0;

    for (int i = 0; i < count; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            s.n++;
        }
    if (s.n == 0)
        return s;
    s.mean = sum / s.n;
    for (int i = 0; i < count; i++)
        if (!isnan(x[i]))
            squares += (x[i] - s.mean) * (x[i] - s.mean);
    s.std = s.n > 1 ? sqrt(squares / (s.n - 1)) : 0;
    return s;
}
