/*
 * plan.c: what training will cost: arrays counted, passes over the edges timed
 * on a sample.
 *
 * n nodes, e stored neighbours, C classes, L training nodes with b edges.  In
 * bytes, the arrays of models/propagation/linbp.c, lcm.c and lcm_lowrank.c with
 * those of the caller; lists that do not grow with n or e are left out but for
 * a few MiB of the program itself.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "kernels/operator_lowrank.h"
#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "models/lcm/training_edges.h"
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

/* Room that conjugate gradients take. */
static double settling_bytes(const job *j)
{
    return 3 * 4 * j->n * j->C;
}

/* A weight per stored neighbour; Q, P, S; which nodes train; L x C arrays;
 * places of reverse edges; what settling takes, or the next P and two vectors
 * for the bound. */
static double explicit_bytes(const job *j)
{
    return 4 * j->e + 3 * 4 * j->n * j->C + 4 * j->n + 3 * 4 * j->L * j->C +
           8 * j->b + fmax((2 + j->C) * 4 * j->n, settling_bytes(j));
}

/* Are the weights of one point or of four stored while they are learnt? */
static bool stored(const job *j, int points)
{
    return j->form.implicit &&
           kith__lcm_stores(j->task, &j->options->params, points);
}

/* Of a node, in all points. */
static double record_bytes(const job *j, int points)
{
    const kith_params *p = &j->options->params;
    const int C = (int)j->C, carried = p->as_written ? C : C - 1;

    if (stored(j, points))
        return points == 1 ? 16 : 4 * KITH__STORED_RECORD;
    return 16 * (1 + kith__lowrank_vectors(C, carried, p->outer) * points);
}

/* Records and sums of the first pass, in whose place settling comes; of several
 * points their sums; Q; the border; two vectors for the bound, unless
 * they lie in the place of the sums or the beliefs that come out. */
static double implicit_bytes(const job *j, int points)
{
    const kith_params *p = &j->options->params;
    const double carried = p->as_written ? j->C : j->C - 1;
    const double width = 4 * carried * (j->C + 1);
    const double one = fmax((record_bytes(j, points) + width) * j->n,
                            settling_bytes(j));
    const bool apart = points > 1 && !kith__lcm_writes_out(j->task, points);

    return 4 * j->n * j->C + one + (points > 1 ? points * width * j->n : 0) +
           (12.0 + 4 * points) * j->b + (apart ? 2 * 4 * points * j->n : 0) +
           j->n / 8;
}

/* Points that share a pass: none where each thread has its own. */
static int shared_points(const job *j)
{
    if (!j->form.implicit || kith__side_by_side(j->task))
        return 1;
    return kith__lcm_together(j->task, &j->options->params, j->points);
}

/* Are implicit weights of as many points written out once learnt? */
static bool written(const job *j, int points)
{
    return j->form.implicit && kith__lcm_writes_out(j->task, points);
}

/* Fits that share passes, with their weights where those are written out. */
static double together_bytes(const job *j, int points)
{
    return implicit_bytes(j, points) +
           (written(j, points) ? 4 * points * j->e : 0);
}

static double method_bytes(const job *j)
{
    const bool wide = kith__side_by_side(j->task) && j->points > 1;
    const double runs = wide ? j->task->threads : 1;

    if (!j->method->learns)
        return linbp_bytes(j);
    if (!j->form.implicit)
        return runs * explicit_bytes(j);
    return fmax(runs * together_bytes(j, shared_points(j)),
                together_bytes(j, 1)); /* the grid, the fit that comes out */
}

/* The checkpoint: records, weights that are stored and border, twice while one
 * replaces the other. */
static double checkpoint_bytes(const job *j)
{
    if (!j->options->checkpoint || !j->form.implicit)
        return 0;
    return 2 * (record_bytes(j, 1) * j->n + (stored(j, 1) ? 4 * j->e : 0) +
                4 * j->b);
}

/* ---- time ---------------------------------------------------------------- */

enum { ROWS = 128, SAMPLED = 1 << 22 };

/* Seconds of a step of LinBP: the better of two, of large graphs just one. */
static kith_status time_step(const job *j, double *seconds, kith_error *err)
{
    const kith__operator *W = &j->task->W;
    const int k = (int)j->C;
    const int64_t cells = (int64_t)W->n * k;
    kith_status st = KITH_OK;
    float *X = NULL, *Y = NULL, *H = NULL;
    kith__operator op;

    TRY_NEW(X, kith__alloc_big(cells, sizeof(*X)));
    TRY_NEW(Y, kith__alloc_big(cells, sizeof(*Y)));
    TRY_NEW(H, kith__alloc((int64_t)k * k, sizeof(*H)));
    memset(X, 0, (size_t)cells * sizeof(*X));
    memset(Y, 0, (size_t)cells * sizeof(*Y));
    kith__coupling_start(k, H);
    op = kith__coupled(W, k, H);
    *seconds = INFINITY;
    for (int round = 0; round < (j->e < 1e8 ? 2 : 1); round++) {
        const double begun = kith__now();

        kith__operator_apply(&op, 0, op.n, X, X, Y);
        *seconds = fmin(*seconds, kith__now() - begun);
    }
out:
    kith__free(X);
    kith__free(Y);
    kith__free(H);
    return st;
}

/* Seconds of a pass over records: some blocks of rows, timed. */
static double time_pass(const kith__lowrank *I)
{
    const kith__operator *W = &I->start;
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
            float out[ROWS * KITH__LOWRANK_SHARED * KITH__LOWRANK_CLASSES];

            kith__lowrank_pull(I, from, to, out);
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

/* Seconds of a pass over the records of as many points. */
static kith_status time_implicit(const job *j, int points, double *seconds,
                                 kith_error *err)
{
    const kith_params *p = &j->options->params;
    const int C = (int)j->C;
    kith__lowrank I;

    if (!kith__lowrank_new(&j->task->W, C, p->as_written ? C : C - 1, points,
                           p->outer, &I))
        return kith__no_memory(err);
    I.terms = p->outer;
    *seconds = time_pass(&I);
    kith__lowrank_release(&I);
    return KITH_OK;
}

/* Seconds of passes over the edges: plain, over the records of one point, and
 * over those of points that share them. */
typedef struct passes {
    double plain, alone, shared;
} passes;

/* A pass over the weights of as many points, stored or written out. */
static double over_weights(const passes *s, int points)
{
    return (0.6 + 0.4 * points) * s->plain;
}

/* The alternations of `points` fits that share passes: gathering sums takes
 * about 1.4 times as long as a pass over records or stored weights, and then a
 * node and point 40 ns of a core; a step that writes weights 1.3 times as long
 * as a plain one. */
static double learning(const job *j, const passes *s, double records,
                       int points)
{
    const kith_params *p = &j->options->params;
    const double advance = 4e-8 * j->n * points / j->task->threads;
    const double pass = points > 1 && stored(j, points)
                            ? over_weights(s, points)
                            : records;

    return j->form.implicit ? (pass * 1.4 + advance) * p->outer
                            : s->plain * p->outer * (1 + 1.3 * p->inner);
}

/* What `points` fits do after that: they bound rho(W), mostly in two passes, a
 * grid's larger steps in more, 1.3 times as long over records; and propagate.
 */
static double finishing(const job *j, const passes *s, double records,
                        int points)
{
    const kith_params *p = &j->options->params;
    const double most = j->tunes_iterations ? 15 : p->iterations;
    const double after = p->as_written
                             ? 0
                             : fmax(propagations(j, most) - p->outer - 1, 0);
    const double bounding = points > 1 ? 6 : 2;

    if (j->form.implicit && !written(j, points))
        return records * (1.3 * bounding + after);
    return over_weights(s, points) * (bounding + after) +
           (j->form.implicit ? records : s->plain);
}

/* All points of the grid, and the fit that comes out. */
static kith_status learning_seconds(const job *j, double plain, double *seconds,
                                    kith_error *err)
{
    const int together = shared_points(j);
    passes s = {.plain = plain};
    kith_status st = KITH_OK;

    if (j->form.implicit)
        TRY(time_implicit(j, 1, &s.alone, err));
    *seconds = plain + learning(j, &s, s.alone, 1) +
               finishing(j, &s, s.alone, 1);
    if (j->points == 1)
        goto out;
    s.shared = s.alone;
    if (together > 1 && !stored(j, together))
        TRY(time_implicit(j, together, &s.shared, err));
    *seconds += ceil((double)j->points / together) *
                (learning(j, &s, s.shared, together) +
                 finishing(j, &s, s.shared, together));
out:
    return st;
}

static kith_status estimate(const job *j, double *seconds, kith_error *err)
{
    double plain, learnt = 0;
    kith_status st = KITH_OK;

    TRY(time_step(j, &plain, err));
    *seconds = plain * (j->tunes_iterations ? propagations(j, 100) : 0);
    if (j->method->learns)
        TRY(learning_seconds(j, plain, &learnt, err));
    else
        *seconds += plain * propagations(j, j->options->params.iterations);
    *seconds += learnt;
out:
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
             .b = (double)kith__training_edges_count(task),
             .points = method->learns ? kith__step_points(fixed) : 1,
             .tunes_iterations = !(fixed & KITH_FIX_ITERATIONS)};
    kith_status st = KITH_OK;

    *out = (kith_plan){.tunes = j.points > 1 || j.tunes_iterations};
    if (method->learns) {
        j.form = kith__lcm_choose_form(task, &options->params,
                                       kith__lcm_kind(method));
        out->form = written(&j, 1)    ? "implicit, written out once learnt"
                    : j.form.implicit ? "implicit"
                                      : "stored";
        memcpy(out->why, j.form.why, sizeof(out->why));
    }
    out->memory = PROGRAM + data_bytes(&j, d) + shared_bytes(&j) +
                  method_bytes(&j);
    out->disk = checkpoint_bytes(&j);
    TRY(estimate(&j, &out->seconds, err));
out:
    return st;
}
