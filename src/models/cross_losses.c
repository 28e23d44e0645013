#include "models/cross_losses.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/potentials/out_of_fold.h"

/* Validation nodes of one half, in arrays of its own. */
typedef struct half {
    int32_t *node, *truth, *place; /* place: in val */
    int32_t n;
} half;

static void release(half *h)
{
    kith__free(h->node);
    kith__free(h->truth);
    kith__free(h->place);
}

static kith_status half_new(const kith__labelled_nodes *val, const int *part,
                            int which, half *h, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(h->node, kith__alloc(val->n, sizeof(*h->node)));
    TRY_NEW(h->truth, kith__alloc(val->n, sizeof(*h->truth)));
    TRY_NEW(h->place, kith__alloc(val->n, sizeof(*h->place)));
    for (int32_t i = 0; i < val->n; i++) {
        if (part[i] != which)
            continue;
        h->node[h->n] = val->node[i];
        h->truth[h->n] = val->truth[i];
        h->place[h->n++] = i;
    }
out:
    return st;
}

/* Losses of one half by a calibration fitted to the other. */
static kith_status judge(const kith__task *t, const kith__beliefs *b,
                         const half *by, const half *of, const kith_model *m,
                         float *out, kith_error *err)
{
    const kith__labelled_nodes fitted = {by->node, by->truth, by->n};
    kith_model probe = *m;
    kith_status st = KITH_OK;
    float *row = NULL;

    probe.temperature = kith__is_calibrated(m) ? 1 : 0;
    probe.calibration = (kith__calibration){0};
    TRY_NEW(row, kith__alloc(t->classes, sizeof(*row)));
    TRY(kith__calibrate(t, b, &fitted, &probe, err));
    for (int32_t i = 0; i < of->n; i++) {
        kith__probabilities(&probe, t, b, of->node[i], 1, row);
        out[of->place[i]] = -logf(fmaxf(row[of->truth[i]], 1e-12f));
    }
out:
    kith__free(row);
    kith__calibration_release(&probe.calibration);
    return st;
}

kith_status kith__cross_losses(const kith__task *t, const kith__beliefs *b,
                               const kith__labelled_nodes *val,
                               const kith_model *m, float *out, kith_error *err)
{
    half h[2] = {{0}};
    kith_status st = KITH_OK;
    int *part = NULL;

    if (b->val_loss) {
        memcpy(out, b->val_loss, (size_t)val->n * sizeof(*out));
        return KITH_OK;
    }
    TRY_NEW(part, kith__alloc(val->n, sizeof(*part)));
    TRY(kith__deal(t, val, 2, part, err));
    for (int i = 0; i < 2; i++)
        TRY(half_new(val, part, i, &h[i], err));
    for (int i = 0; i < 2; i++)
        TRY(judge(t, b, &h[1 - i], &h[i], m, out, err));
out:
    release(&h[0]);
    release(&h[1]);
    kith__free(part);
    return st;
}
