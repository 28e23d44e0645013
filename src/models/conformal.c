/*
 * conformal.c: sets of classes that hold the truth for a share of nodes: split
 * conformal prediction (Vovk, Gammerman, Shafer, 2005) with adaptive scores
 * (Romano, Sesia, Candes, 2020), their tail held down (Angelopoulos et al.,
 * 2021).
 *
 * A class y of a node has the score
 *
 *     s(y) = 1 - p_y                                if it is the likeliest
 *          = 1 + above + .02 (before - 1)           else,
 *
 * above and before being the mass and the number of classes that are more
 * probable than y.  A set is all classes with s <= t: as t grows from 0 to 1
 * the likeliest class comes in where it is likely enough, and from 1 on
 * all of them have it, and more where the mass before is small: two classes
 * where it is nearly even, one where it is not.
 *
 *     t = the k-th smallest score of the truth of n calibration nodes,
 *     k = ceil((n + 1) coverage),   infinite if k > n.
 *
 * If these nodes and the one asked about are exchangeable, its truth scores at
 * most t with probability k/(n + 1) >= coverage, and below coverage + 1/(n + 1)
 * where no scores are equal, whatever the probabilities are worth.
 *
 * Choices: nothing is drawn.  Randomised scores would make the share exact also
 * where many scores are equal, and give two equal nodes different sets.  A set
 * may be empty, where the likeliest class alone is right more often than asked:
 * the least certain nodes go without, so that the share is what was asked for.
 * Equal probabilities get equal scores, so that names of classes do not matter.
 * .02 a class keeps sets short where a hundred classes share a thin tail; it
 * was chosen beforehand, and does not bear on the share that is held.
 */
#include "models/conformal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "models/model_object.h"

static const double PER_CLASS = .02;

typedef struct ranked {
    float p;
    int32_t c;
} ranked;

static int falling(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return (x->c > y->c) - (x->c < y->c);
}

/* s(y) of every class of a row; by has room for them. */
static void score_row(const float *row, int32_t classes, ranked *by,
                      double *score)
{
    double above = 0, equals = 0; /* mass before a group of equals, and in it */
    int32_t before = 0;

    for (int32_t c = 0; c < classes; c++)
        by[c] = (ranked){row[c], c};
    qsort(by, (size_t)classes, sizeof(*by), falling);
    for (int32_t i = 0; i < classes; i++) {
        if (i > 0 && by[i].p != by[i - 1].p) {
            above += equals;
            equals = 0;
            before = i;
        }
        score[by[i].c] = before == 0 ? 1 - (double)by[i].p
                                     : 1 + above + PER_CLASS * (before - 1);
        equals += (double)by[i].p;
    }
}

/* ---- calibration --------------------------------------------------------- */

void kith__conformal_release(kith__conformal *c)
{
    kith__free(c->score);
    *c = (kith__conformal){0};
}

static bool is_unreached(const uint8_t *evidence, int32_t u)
{
    return evidence && evidence[u] == KITH_EVIDENCE_NONE;
}

kith_status kith__conformal_add(kith__conformal *c, const float *p,
                                const uint8_t *evidence, int32_t classes,
                                const int32_t *nodes, const int32_t *truth,
                                int32_t n, kith_error *err)
{
    kith_status st = KITH_OK;
    double *all = NULL, *row = NULL;
    ranked *by = NULL;

    TRY_NEW(by, kith__alloc(classes, sizeof(*by)));
    TRY_NEW(row, kith__alloc(classes, sizeof(*row)));
    TRY_NEW(all, kith__resize(c->score, (int64_t)c->n + n, sizeof(*all)));
    c->score = all;
    for (int32_t i = 0; i < n; i++) {
        if (is_unreached(evidence, nodes[i]))
            continue;
        score_row(p + (int64_t)nodes[i] * classes, classes, by, row);
        c->score[c->n++] = row[truth[i]];
    }
out:
    kith__free(row);
    kith__free(by);
    return st;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void kith__conformal_sort(kith__conformal *c)
{
    if (c->n > 0)
        qsort(c->score, (size_t)c->n, sizeof(*c->score), rising);
}

void kith__conformal_keep(kith_model *m, kith__conformal *c)
{
    kith__conformal_release(&m->conformal);
    m->conformal = *c;
    *c = (kith__conformal){0};
}

/* ---- sets ---------------------------------------------------------------- */

/* t; the k of coverage .9 and 9 nodes is 9, whatever .9 is as a double. */
static double threshold(const kith__conformal *c, double coverage)
{
    const double k = ceil((c->n + 1.0) * coverage - 1e-9);

    return k > c->n ? (double)INFINITY : c->score[(int32_t)fmax(k, 1) - 1];
}

kith_status kith_sets(const kith_model *m, const float *probabilities,
                      const uint8_t *evidence, int32_t n, double coverage,
                      uint8_t *sets, kith_error *err)
{
    const int32_t classes = m->classes;
    kith_status st = KITH_OK;
    double *score = NULL, t;
    ranked *by = NULL;

    if (m->conformal.coverage == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model keeps nothing to choose sets by: train it "
                       "with --coverage"));
    if (!(coverage > 0 && coverage < 1))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "coverage %g, expected a share above 0 and below 1",
                       coverage));
    TRY_NEW(by, kith__alloc(classes, sizeof(*by)));
    TRY_NEW(score, kith__alloc(classes, sizeof(*score)));
    t = threshold(&m->conformal, coverage);
    for (int32_t u = 0; u < n; u++) {
        uint8_t *set = sets + (int64_t)u * classes;
        const bool all = is_unreached(evidence, u);

        score_row(probabilities + (int64_t)u * classes, classes, by, score);
        for (int32_t c = 0; c < classes; c++)
            set[c] = all || score[c] <= t;
    }
out:
    kith__free(score);
    kith__free(by);
    return st;
}

double kith_model_coverage(const kith_model *m)
{
    return m->conformal.coverage;
}

int32_t kith_model_coverage_nodes(const kith_model *m, bool *folds)
{
    if (folds)
        *folds = m->conformal.folds;
    return m->conformal.n;
}

int32_t kith_coverage_least(double coverage)
{
    return (int32_t)fmin(INT32_MAX, ceil(coverage / (1 - coverage) - 1e-9));
}
