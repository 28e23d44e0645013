/*
 * trial.c: one method on one split, and what several splits say together.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/status.h"
#include "eval/protocol.h"

/* Of a split with nothing to tune on, what is held out for it. */
static const double HELD_SHARE = .2;

kith_status kith_trial_run(const kith_dataset *d, const char *method,
                           const kith_split *split,
                           const kith_train_options *options, int32_t positive,
                           float *probabilities, kith_trial *out,
                           kith_model **model, kith_error *err)
{
    const bool tunes = options->fixed != KITH_FIX_ALL && !options->like;
    const double begun = kith__now();
    kith_classification c = {.probabilities = probabilities};
    kith_protocol p = {0};
    kith_status st = KITH_OK;

    *out = (kith_trial){.validation = (double)NAN};
    *model = NULL;
    TRY(kith_protocol_make(d, split, tunes ? HELD_SHARE : 0, 1, &p, err));
    TRY(kith__fit_by(d, method, &p, options, 0, &c, err));
    out->seconds = kith__now() - begun;
    TRY(kith_score(probabilities, d->labels, split->test, split->n_test,
                   positive, &out->scores, err));
    if (c.sets)
        out->coverage = kith_coverage_of(c.sets, d->labels, split->test,
                                         split->n_test);
    kith_model_mask_scores(c.model, &out->scores, NULL);
    out->validation = kith_model_validation(c.model);
    out->temperature = kith_model_temperature(c.model);
    out->certificate = *kith_model_certificate(c.model);
    *model = c.model;
    c.model = NULL;
out:
    kith_protocol_release(&p);
    kith__free(c.sets);
    kith_model_free(c.tuned);
    kith_model_free(c.model);
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
