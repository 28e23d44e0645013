/*
 * calibration.c: from beliefs to probabilities.
 *
 *     pi_c = (n_c + 1) / (n + C)          n calibration nodes, n_c of class c
 *     p_c  = (k_c + 4 pi_c) / (k + 4)     without evidence: k such calibration
 *                                         nodes, k_c of class c
 *
 * Where two classes of a row are equally likely, those that come later in the
 * order of evidence.h are made one unit in the last place less so: whoever
 * takes the largest takes the same, and names of classes have no say.
 */
#include "models/calibration.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/model_object.h"

void kith__calibration_release(kith__calibration *c)
{
    kith__free(c->prior);
    kith__free(c->unreached);
    *c = (kith__calibration){0};
}

static kith_status copy_doubles(const double *from, int n, double **to,
                                kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*to, kith__alloc(n, sizeof(**to)));
    memcpy(*to, from, (size_t)n * sizeof(**to));
out:
    return st;
}

kith_status kith__calibration_copy(const kith__calibration *from, int classes,
                                   kith__calibration *to, kith_error *err)
{
    kith_status st = KITH_OK;

    *to = *from;
    to->prior = to->unreached = NULL;
    TRY(copy_doubles(from->prior, classes, &to->prior, err));
    TRY(copy_doubles(from->unreached, classes, &to->unreached, err));
out:
    return st;
}

bool kith__is_calibrated(const kith_model *m)
{
    const kith__method *how = kith__method_find(m->method);

    return how && how->calibrated;
}

/* ---- fitted -------------------------------------------------------------- */

/* pi and the probabilities without evidence, by n nodes; level NULL: nothing is
 * known of those that no label reaches. */
static kith_status fit_prior(int C, const int32_t *truth, int32_t n,
                             const int32_t *node, const uint8_t *level,
                             kith__calibration *c, kith_error *err)
{
    kith_status st = KITH_OK;
    double unreached = 0;

    TRY_NEW(c->prior, kith__alloc_zeroed(C, sizeof(*c->prior)));
    TRY_NEW(c->unreached, kith__alloc_zeroed(C, sizeof(*c->unreached)));
    for (int32_t i = 0; i < n; i++) {
        c->prior[truth[i]]++;
        if (level && level[node[i]] == KITH_EVIDENCE_NONE) {
            c->unreached[truth[i]]++;
            unreached++;
        }
    }
    for (int k = 0; k < C; k++) {
        c->prior[k] = (c->prior[k] + 1) / (n + C);
        c->unreached[k] = (c->unreached[k] + 4 * c->prior[k]) / (unreached + 4);
    }
out:
    return st;
}

kith_status kith__calibrate_by_training(const int32_t *truth, int32_t n,
                                        int classes, kith__calibration *c,
                                        kith_error *err)
{
    return fit_prior(classes, truth, n, NULL, NULL, c, err);
}

kith_status kith__calibrate(const kith__task *t, const kith__beliefs *b,
                            const kith__labelled_nodes *val, kith_model *m,
                            kith_error *err)
{
    if (!(m->temperature > 0))
        m->temperature = kith__fit_temperature(b->P, t->classes, val);
    if (val->n > 0)
        return fit_prior(t->classes, val->truth, val->n, val->node,
                         b->evidence.level, &m->calibration, err);
    return kith__calibrate_by_training(t->truth, t->n_train, t->classes,
                                       &m->calibration, err);
}

/* ---- applied ------------------------------------------------------------- */

/* Of classes that share the largest probability only the first in `order`
 * keeps it. */
static void break_tie(float *row, int C, const int32_t *order)
{
    int best = 0;

    for (int c = 1; c < C; c++)
        if (row[c] > row[best] ||
            (row[c] == row[best] && order[c] < order[best]))
            best = c;
    for (int c = 0; c < C; c++)
        if (c != best && row[c] == row[best])
            row[c] = nextafterf(row[c], 0);
}

void kith__probabilities(const kith_model *m, const kith__task *t,
                         const kith__beliefs *b, int32_t first, int32_t n,
                         float *out)
{
    const int C = t->classes;
    const kith__evidence *e = &b->evidence;
    const bool own_prior = kith__is_calibrated(m);

    kith__softmax_rows(b->P + (int64_t)first * C, n, C, m->temperature, out,
                       t->threads);
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t i = 0; i < n; i++) {
        float *row = out + (int64_t)i * C;

        if (e->level[first + i] == KITH_EVIDENCE_NONE && !own_prior)
            for (int c = 0; c < C; c++)
                row[c] = (float)m->calibration.unreached[c];
        break_tie(row, C, e->order);
    }
}
