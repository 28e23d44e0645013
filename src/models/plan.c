/*
 * plan.c: what training will cost: arrays counted, passes over the edges timed
 * on a sample.
 *
 * n nodes, e stored neighbours, C classes, L training nodes with b edges.  In
 * bytes, the arrays of models/linbp.c, lcm.c and lcm_implicit.c with those of
 * the caller; lists that do not grow with n or e are left out but for a few MiB
 * of the program itself.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "kernels/implicit.h"
#include "kernels/spectral.h"
#include "models/border.h"
#include "models/lcm.h"
#include "models/tune.h"

/* The program, its libraries and buffers. */
static const double PROGRAM = 3e6;

typedef struct job {
    const kith__task *task;
    const kith__method *method;
    const kith_train_options *options;
    double n, e, C, L, b;
    int points; /* of the grid; 1 = no tuning of steps */
    bool tunes_iterations;
    kith__lcm_form form;
} job;

/* ---- memory -------------------------------------------------------------- */

/* Rows, neighbours, their weights; labels, features; probabilities. */
static double data_bytes(const job *j, const kith_dataset *d)
{
    const kith_features *x = d->features;
    double bytes = 8 * j->n + 4 * j->e + 4 * j->n + 4 * j->n * j->C;

    if (kith_graph_weights(d->graph))
        bytes += 4 * j->e;
    if (x) /* as read, and as prepared */
        bytes += 2 * (x->row ? 8 * j->n + 8 * (double)x->entries
                             : 4 * (double)x->entries);
    return bytes;
}

/* Of all methods: scale or weights, potentials, beliefs that come out. */
static double shared_bytes(const job *j)
{
    return (j->task->W.weights ? 4 * j->e : 4 * j->n) + 2 * 4 * j->n * j->C;
}

/* Centred potentials and the next beliefs. */
static double linbp_bytes(const job *j)
{
    return 2 * 4 * j->n * j->C;
}

/* A weight per stored neighbour; Q, P, S, next; which nodes train; L x C
 * arrays; places of reverse edges; two vectors for the bound. */
static double explicit_bytes(const job *j)
{
    return 4 * j->e + 4 * 4 * j->n * j->C + 4 * j->n + 3 * 4 * j->L * j->C +
           8 * j->b + 2 * 4 * j->n;
}

/* Records and sums of `points` points, first sums and, of several, first
 * beliefs and those to score; Q; the border; two vectors for the bound. */
static double implicit_bytes(const job *j, int points)
{
    const kith_params *p = &j->options->params;
    const double carried = p->as_written ? j->C : j->C - 1;
    const double width = 4 * carried * (j->C + 1);
    const double vectors = kith__implicit_vectors((int)j->C, (int)carried,
                                                  p->outer);
    const double records = 16 * (1 + vectors * points) * j->n;

    return 4 * j->n * j->C + records + width * j->n +
           (points > 1 ? points * width * j->n + 2 * 4 * j->n * j->C : 0) +
           (12.0 + 4 * points) * j->b + 2 * 4 * points * j->n + j->n / 8;
}

static double method_bytes(const job *j)
{
    const bool wide = kith__side_by_side(j->task) && j->points > 1;
    const double runs = wide ? j->task->threads : 1;

    if (!j->method->learns)
        return linbp_bytes(j);
    if (!j->form.implicit)
        return runs * explicit_bytes(j);
    if (wide)
        return runs * implicit_bytes(j, 1);
    return implicit_bytes(j, j->points < KITH__IMPLICIT_POINTS
                                 ? j->points
                                 : KITH__IMPLICIT_POINTS);
}

/* The checkpoint: records and border, twice while one replaces the other. */
static double checkpoint_bytes(const job *j)
{
    const kith_params *p = &j->options->params;
    const int C = (int)j->C, carried = p->as_written ? C : C - 1;
    const int vectors = kith__implicit_vectors(C, carried, p->outer);

    if (!j->options->checkpoint || !j->form.implicit)
        return 0;
    return 2 * (16.0 * (1 + vectors) * j->n + 4 * j->b);
}

/* ---- time ---------------------------------------------------------------- */

enum { ROWS = 128, SAMPLED = 1 << 22 };

/* Seconds of a pass over all edges: some blocks of rows, timed.  I is NULL for
 * LinBP's kernel on X. */
static double time_pass(const kith__coupled *W, const kith__implicit *I,
                        const float *X, int C)
{
    const int64_t blocks = ((int64_t)W->n + ROWS - 1) / ROWS;
    const int64_t step = W->rows[W->n] / SAMPLED + 1;
    int64_t seen = 0;
    double begun = 0;

    for (int round = 0; round < 2; round++) { /* the first warms up */
        seen = 0;
        begun = kith__now();
#pragma omp parallel for num_threads(W->threads) schedule(dynamic, 8) \
    reduction(+ : seen)
        for (int64_t i = round; i < blocks; i += step) {
            const int32_t from = (int32_t)(i * ROWS);
            const int32_t to = W->n - from < ROWS ? W->n : from + ROWS;
            float out[ROWS * KITH__IMPLICIT_POINTS * KITH__CLASSES_MOST / 64];

            if (I)
                kith__implicit_pull(I, from, to, out);
            for (int32_t u = from; !I && u < to; u++)
                kith__pull_row(W, X, C, u, out);
            seen += W->rows[to] - W->rows[from];
        }
    }
    return seen > 0
               ? (kith__now() - begun) * (double)W->rows[W->n] / (double)seen
               : 0;
}

/* Propagations until the tolerance at LinBP's rate, or the most there are. */
static double propagations(const job *j, double most)
{
    const double rho = (0.9 * j->C - 1) / (j->C - 1);
    const double tolerance = fmax(j->options->params.tolerance, 1e-8);

    return fmin(most, ceil(log(tolerance) / log(fmax(rho, 0.1))));
}

/* Passes of one fit after the first one: gathering sums takes about 1.4 times
 * as long as pulling, bounding rho(W) 1.3 times and usually six passes. */
static double fit_passes(const job *j)
{
    const kith_params *p = &j->options->params;
    const double most = j->tunes_iterations ? 15 : p->iterations;
    const double after = p->as_written
                             ? 0
                             : fmax(propagations(j, most) - p->outer - 1, 0);
    const double bounding = 6;

    if (j->form.implicit)
        return 1.4 * p->outer + 1.3 * bounding + after;
    return p->outer * (1 + 1.3 * p->inner) + bounding + after + 1;
}

static kith_status estimate(const job *j, double *seconds, kith_error *err)
{
    const kith__coupled *W = &j->task->W;
    const int C = (int)j->C;
    const bool shares = j->form.implicit && j->points > 1 &&
                        !kith__side_by_side(j->task);
    const int width = shares ? KITH__IMPLICIT_POINTS : 1;
    double plain, pass, groups;
    kith_status st = KITH_OK;
    kith__implicit I = {0};
    float *X = NULL;

    TRY_NEW(X, kith__alloc_big((int64_t)W->n * C, sizeof(*X)));
    memset(X, 0, (size_t)W->n * (size_t)C * sizeof(*X));
    plain = pass = time_pass(W, NULL, X, C);
    *seconds = plain * (j->tunes_iterations ? propagations(j, 100) : 0);
    if (!j->method->learns) {
        *seconds += plain * propagations(j, j->options->params.iterations);
        goto out;
    }
    if (j->form.implicit) {
        if (!kith__implicit_new(W, C, j->options->params.as_written ? C : C - 1,
                                width, j->options->params.outer, &I))
            TRY(kith__no_memory(err));
        I.terms = j->options->params.outer;
        pass = time_pass(W, &I, NULL, C);
    }
    groups = ceil((double)j->points / width);
    *seconds += plain + (j->points > 1 ? groups + 1 : 1) * pass * fit_passes(j);
out:
    kith__implicit_release(&I);
    kith__free(X);
    return st;
}

/* ---- both ---------------------------------------------------------------- */

kith_status kith__plan(const kith__task *task, const kith__method *method,
                       const kith_dataset *d, const kith_train_options *options,
                       bool validates, kith_plan *out, kith_error *err)
{
    const uint32_t fixed = validates ? options->fixed : KITH_FIX_ALL;
    job j = {.task = task,
             .method = method,
             .options = options,
             .n = task->n,
             .e = (double)task->W.rows[task->n],
             .C = task->classes,
             .L = task->n_train,
             .b = (double)kith__border_count(task),
             .points = method->learns ? kith__step_points(fixed) : 1,
             .tunes_iterations = !(fixed & KITH_FIX_ITERATIONS)};
    kith_status st = KITH_OK;

    *out = (kith_plan){.tunes = j.points > 1 || j.tunes_iterations};
    if (method->learns) {
        j.form = kith__lcm_choose_form(task, &options->params,
                                       kith__lcm_kind(method));
        out->form = j.form.implicit ? "implicit" : "stored";
        memcpy(out->why, j.form.why, sizeof(out->why));
    }
    out->memory = PROGRAM + data_bytes(&j, d) + shared_bytes(&j) +
                  method_bytes(&j);
    out->disk = checkpoint_bytes(&j);
    TRY(estimate(&j, &out->seconds, err));
out:
    return st;
}
