/*
 * plan.c: what training will cost: arrays counted (memory.c), passes over the
 * edges timed on a sample.  n nodes, e stored neighbours, C classes, b edges of
 * training nodes.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "kernels/operator_lowrank.h"
#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "models/memory.h"
#include "models/tune.h"

typedef struct job {
    const kith__task *task;
    const kith__method *method;
    const kith_train_options *options;
    double n, e, C, b;
    int points; /* of the grid; 1 = no tuning of steps */
    bool tunes_iterations;
    kith__lcm_form form;
} job;

/* ---- disk ---------------------------------------------------------------- */

/* The checkpoint: records and the edges of training nodes, twice while one
 * replaces the other. */
static double checkpoint_bytes(const job *j)
{
    if (!j->options->checkpoint || !j->form.implicit)
        return 0;
    return 2 *
           (kith__record_bytes(j->task->classes, &j->options->params) * j->n +
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
            float out[ROWS * KITH__LOWRANK_CLASSES];

            kith__lowrank_apply(I, from, to, out);
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

/* Seconds of a pass over records. */
static kith_status time_implicit(const job *j, double *seconds, kith_error *err)
{
    const kith_params *p = &j->options->params;
    const int C = (int)j->C;
    kith_status st = KITH_OK;
    kith__lowrank I = {0};

    TRY(kith__lowrank_new(&j->task->W, C, p->as_written ? C : C - 1, p->outer,
                          j->task->train, j->task->n_train, &I, err));
    I.terms = p->outer;
    *seconds = time_pass(&I);
out:
    kith__lowrank_release(&I);
    return st;
}

/* The alternations of a fit: gathering sums takes about 1.4 times as long as a
 * pass over records, and then a node 40 ns of a core; a step that writes
 * weights 1.3 times as long as a plain one. */
static double learning(const job *j, double plain, double records)
{
    const kith_params *p = &j->options->params;
    const double advance = 4e-8 * j->n / j->task->threads;

    return j->form.implicit ? (records * 1.4 + advance) * p->outer
                            : plain * p->outer * (1 + 1.3 * p->inner);
}

/* What a fit does after that: it bounds rho(W), mostly in two passes, 1.3 times
 * as long over records, of which the first writes W out; and propagates. */
static double finishing(const job *j, double plain, double records)
{
    const kith_params *p = &j->options->params;
    const double most = j->tunes_iterations ? 15 : p->iterations;
    const double after = p->as_written
                             ? 0
                             : fmax(propagations(j, most) - p->outer - 1, 0);

    if (!j->form.implicit)
        return plain * (3 + after);
    if (kith__lcm_writes_out(j->task))
        return 1.3 * records + plain * (1 + after);
    return records * (2.6 + after);
}

/* All points of the grid, and the fit that comes out. */
static kith_status learning_seconds(const job *j, double plain, double *seconds,
                                    kith_error *err)
{
    const double fits = j->points > 1 ? j->points + 1 : 1;
    kith_status st = KITH_OK;
    double records = 0;

    if (j->form.implicit)
        TRY(time_implicit(j, &records, err));
    *seconds = plain + fits * (learning(j, plain, records) +
                               finishing(j, plain, records));
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
             .b = (double)kith__training_edges_count(&task->W, task->train,
                                                     task->n_train),
             .points = method->learns ? kith__step_points(fixed) : 1,
             .tunes_iterations = !(fixed & KITH_FIX_ITERATIONS)};
    kith_status st = KITH_OK;

    *out = (kith_plan){.tunes = j.points > 1 || j.tunes_iterations};
    if (method->learns) {
        j.form = kith__lcm_choose_form(task, &options->params,
                                       kith__lcm_kind(method));
        out->form = !j.form.implicit             ? "stored"
                    : kith__lcm_writes_out(task) ? "implicit, written out once "
                                                   "learnt"
                                                 : "implicit";
        memcpy(out->why, j.form.why, sizeof(out->why));
    }
    TRY(kith__memory_of(task, method, d, &options->params,
                        kith__side_by_side(task) && j.points > 1 ? task->threads
                                                                 : 1,
                        &out->memory, err));
    out->disk = checkpoint_bytes(&j);
    TRY(estimate(&j, &out->seconds, err));
out:
    return st;
}
