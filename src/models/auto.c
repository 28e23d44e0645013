/*
 * auto.c: train several methods, keep the one that validates best.
 *
 * What is compared is the log-loss of calibrated probabilities, each validation
 * node by what was not fitted to it (cross_losses.h).  A method beats the best
 * so far if it loses less by more than the standard error of the difference,
 * node by node; within that, if it is more accurate by more than its standard
 * error.  lcm-em comes first and must be beaten; one whose beliefs cannot be
 * explained must lose less by two standard errors.  Where lcm's 65 fits would
 * take long it tries its usual g2 and lambda alone.
 */
#include "models/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/number.h"
#include "models/model_object.h"
#include "models/potentials/boosted_trees.h"
#include "models/potentials/paired.h"

/* Explained ones before those that must be better than all of them. */
static const char *const candidates[] = {"lcm-em", "linbp", "lcm", "logreg",
                                         "lcm-trees"};

enum { CANDIDATES = 5 };

/* Stored neighbours times classes above which lcm tries fewer steps. */
static const double LCM_MOST = 1e7;

/* Standard errors by which a method must be better. */
static const double CLEAR = 1, UNEXPLAINED = 2;

typedef struct contest {
    kith_model *best;
    float *p, *best_p;
    uint8_t *evidence, *best_evidence;
    float *losses, *best_losses;
    double most_accurate;
    int32_t n_val;
    char scores[200]; /* "lcm-em 0.8360, linbp 0.8120" */
} contest;

/* Trees take part where they are strong and quick: on features of not so many
 * columns, or of no more than training nodes, of which some must be there. */
enum { TREES_LEAST = 10, TREES_COLUMNS = 512 };

static bool suits_trees(const kith_dataset *d, const kith_split *split)
{
    return d->features && kith__trees_version() &&
           split->n_train >= TREES_LEAST &&
           (d->features->columns <= TREES_COLUMNS ||
            d->features->columns <= split->n_train);
}

static bool takes_part(const char *method, const kith_dataset *d,
                       const kith_split *split)
{
    if (strcmp(method, "logreg") == 0)
        return d->features != NULL;
    if (strcmp(method, "lcm-trees") == 0)
        return suits_trees(d, split);
    return true;
}

/* What is tuned of a method. */
static uint32_t fixed_of(const char *method, const kith_dataset *d,
                         const kith_train_options *options)
{
    const double work = 2.0 * (double)kith_graph_edges(d->graph) *
                        (d->labels ? d->labels->classes : 0);

    return strcmp(method, "lcm") == 0 && work > LCM_MOST
               ? options->fixed | KITH_FIX_G2 | KITH_FIX_LAMBDA
               : options->fixed;
}

/* Is m better than the best so far? */
static bool wins(const contest *c, const char *method, const kith_model *m)
{
    const bool explained = strcmp(method, "lcm-trees") != 0;
    double gain, share;

    if (!c->best)
        return true;
    if (c->n_val == 0)
        return false;
    gain = kith__paired_gain(c->best_losses, c->losses, c->n_val);
    share = c->best->validation;
    if (!explained || fabs(gain) > CLEAR)
        return gain > (explained ? CLEAR : UNEXPLAINED);
    return m->validation - share > sqrt(share * (1 - share) / c->n_val);
}

static void note(contest *c, const char *method, double validation)
{
    const size_t used = strlen(c->scores);

    kith__print(c->scores + used, sizeof(c->scores) - used, "%s%s %.4f",
                used ? ", " : "", method, validation);
    c->most_accurate = fmax(c->most_accurate, validation);
}

/* What was tried last is the best. */
static void crown(contest *c, kith_model **m)
{
    float *const p = c->best_p, *const losses = c->best_losses;
    uint8_t *const evidence = c->best_evidence;

    kith_model_free(c->best);
    c->best = *m;
    *m = NULL;
    c->best_p = c->p;
    c->p = p;
    c->best_losses = c->losses;
    c->losses = losses;
    c->best_evidence = c->evidence;
    c->evidence = evidence;
}

static kith_status try_method(const kith_dataset *d, const char *method,
                              const kith_split *split,
                              const kith_train_options *options, contest *c,
                              kith_error *err)
{
    kith_train_options own = *options;
    kith_model *m = NULL;
    kith_status st = KITH_OK;

    own.fixed = fixed_of(method, d, options);
    TRY(kith__train(d, method, split, &own, &m,
                    (kith__outcome){.probabilities = c->p,
                                    .evidence = c->evidence,
                                    .losses = c->losses,
                                    .n_losses = &c->n_val},
                    err));
    note(c, method, m->validation);
    if (wins(c, method, m))
        crown(c, &m);
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
                 : "least log-loss in validation",
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
    TRY_NEW(c.losses, kith__alloc(split->n_val, sizeof(float)));
    TRY_NEW(c.best_losses, kith__alloc(split->n_val, sizeof(float)));
    TRY_NEW(c.evidence, kith__alloc(kith_graph_nodes(d->graph), 1));
    TRY_NEW(c.best_evidence, kith__alloc(kith_graph_nodes(d->graph), 1));
    for (int i = 0; i < CANDIDATES; i++)
        if (takes_part(candidates[i], d, split))
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
    kith__free(c.losses);
    kith__free(c.best_losses);
    kith__free(c.evidence);
    kith__free(c.best_evidence);
    return st;
}
