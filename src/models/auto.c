/*
 * auto.c: train several methods, keep the one that validates best.
 *
 * Accuracy on the validation nodes decides if it differs by more than its
 * standard error on so many nodes; else the log-loss of the calibrated
 * probabilities, which sees more than right and wrong.  lcm-em comes first and
 * must be beaten, so that the winner need not be the most accurate: say_why()
 * tells which it was; lcm, whose 64 fits cost most and which with their best is
 * seldom far from linbp, is left out on large graphs.
 */
#include "models/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/number.h"
#include "models/model_object.h"
#include "models/potentials/calibrate.h"

static const char *const candidates[] = {"lcm-em", "linbp", "lcm", "logreg"};

enum { CANDIDATES = 4 };

/* Stored neighbours times classes above which lcm is not tried. */
static const double LCM_MOST = 1e7;

typedef struct contest {
    kith_model *best;
    float *p, *best_p;
    uint8_t *evidence, *best_evidence;
    double loss, most_accurate;
    int32_t n_val;
    char scores[200]; /* "lcm-em 0.8360, linbp 0.8120" */
} contest;

static bool takes_part(const char *method, const kith_dataset *d)
{
    const double work = 2.0 * (double)kith_graph_edges(d->graph) *
                        (d->labels ? d->labels->classes : 0);

    if (strcmp(method, "logreg") == 0)
        return d->features != NULL;
    return strcmp(method, "lcm") != 0 || work <= LCM_MOST;
}

/* Mean of - log p(truth) over validation nodes with a label. */
static double log_loss(const kith_dataset *d, const kith_split *split,
                       const float *p, int32_t *n)
{
    double sum = 0;

    *n = 0;
    for (int32_t i = 0; i < split->n_val; i++) {
        const int32_t c = d->labels->of[split->val[i]];

        if (c < 0)
            continue;
        sum -= log(fmax(
            (double)p[(int64_t)split->val[i] * d->labels->classes + c], 1e-12));
        (*n)++;
    }
    return *n ? sum / *n : 0;
}

/* Is m better than the best so far? */
static bool wins(const contest *c, const kith_model *m, double loss)
{
    const kith__score challenger = {m->validation, loss};
    const kith__score best = {c->best ? c->best->validation : 0, c->loss};

    return !c->best ||
           (c->n_val > 0 && kith__clearly_better(&challenger, &best, c->n_val));
}

static void note(contest *c, const char *method, double validation)
{
    const size_t used = strlen(c->scores);

    kith__print(c->scores + used, sizeof(c->scores) - used, "%s%s %.4f",
                used ? ", " : "", method, validation);
    c->most_accurate = fmax(c->most_accurate, validation);
}

static kith_status try_method(const kith_dataset *d, const char *method,
                              const kith_split *split,
                              const kith_train_options *options, contest *c,
                              kith_error *err)
{
    kith_model *m = NULL;
    kith_status st = KITH_OK;
    float *swap = c->best_p;
    uint8_t *swap_evidence = c->best_evidence;
    double loss;

    TRY(kith__train(
        d, method, split, options, &m,
        (kith__outcome){.probabilities = c->p, .evidence = c->evidence}, err));
    loss = log_loss(d, split, c->p, &c->n_val);
    note(c, method, m->validation);
    if (wins(c, m, loss)) {
        kith_model_free(c->best);
        c->best = m;
        m = NULL;
        c->loss = loss;
        c->best_p = c->p;
        c->p = swap;
        c->best_evidence = c->evidence;
        c->evidence = swap_evidence;
    }
out:
    kith_model_free(m);
    return st;
}

static kith_status say_why(contest *c, kith_error *err)
{
    char line[280];
    kith_status st = KITH_OK;

    snprintf(line, sizeof(line), "%s: %s",
             c->best->validation >= c->most_accurate ? "best of validation"
             : strcmp(c->best->method, candidates[0]) == 0
                 ? "none is clearly better in validation"
                 : "best log-loss of those as accurate in validation",
             c->scores);
    TRY_NEW(c->best->why, kith__copy_string(line, strlen(line)));
out:
    return st;
}

/* Why no method was compared with others, or what `like` says. */
static const char *why_one(const kith_split *split,
                           const kith_train_options *options)
{
    if (options->like)
        return options->like->why;
    return split->n_val == 0
               ? "auto's usual one: there are no nodes to compare methods on"
               : "auto's usual one: nothing is compared if nothing is tuned";
}

/* Nothing to choose by: the method of `like`, or the first. */
static kith_status train_one(const kith_dataset *d, const kith_split *split,
                             const kith_train_options *options,
                             kith_model **out, kith__outcome want,
                             kith_error *err)
{
    const kith_model *like = options->like;
    const char *why = why_one(split, options);
    kith_status st = KITH_OK;

    want.solution = NULL;
    TRY(kith__train(d, like ? like->method : candidates[0], split, options, out,
                    want, err));
    if (why) {
        (*out)->why = kith__copy_string(why, strlen(why));
        if (!(*out)->why) {
            kith_model_free(*out);
            *out = NULL;
            TRY(kith__no_memory(err));
        }
    }
out:
    return st;
}

kith_status kith__train_auto(const kith_dataset *d, const kith_split *split,
                             const kith_train_options *options,
                             kith_model **out, kith__outcome want,
                             kith_error *err)
{
    const int classes = d->labels ? d->labels->classes : 0;
    const int64_t cells = (int64_t)kith_graph_nodes(d->graph) * classes;
    kith_status st = KITH_OK;
    contest c = {0};

    *out = NULL;
    if (!d->labels || options->like || split->n_val == 0 ||
        options->fixed == KITH_FIX_ALL)
        return train_one(d, split, options, out, want, err);
    TRY_NEW(c.p, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(c.best_p, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(c.evidence, kith__alloc(kith_graph_nodes(d->graph), 1));
    TRY_NEW(c.best_evidence, kith__alloc(kith_graph_nodes(d->graph), 1));
    for (int i = 0; i < CANDIDATES; i++)
        if (takes_part(candidates[i], d))
            TRY(try_method(d, candidates[i], split, options, &c, err));
    TRY(say_why(&c, err));
    if (want.probabilities)
        memcpy(want.probabilities, c.best_p, (size_t)cells * sizeof(float));
    if (want.evidence)
        memcpy(want.evidence, c.best_evidence,
               (size_t)kith_graph_nodes(d->graph));
    *out = c.best;
    c.best = NULL;
out:
    kith_model_free(c.best);
    kith__free(c.p);
    kith__free(c.best_p);
    kith__free(c.evidence);
    kith__free(c.best_evidence);
    return st;
}
