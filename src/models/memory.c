/*
 * memory.c: arrays counted.
 *
 * n nodes, e stored neighbours, C classes, F feature columns, L training nodes
 * with b edges.  Floats take 4 bytes, a stored neighbour 4, the place of a row
 * 8.  Counted are the arrays of models/propagation, models/lcm and
 * models/potentials with those of the caller; lists that do not grow with n or
 * e are left out but for a few MiB of the program itself.
 *
 * A fit has two parts that do not last together: the logistic regression, which
 * ends with potentials, and the run of the method from there.
 */
#include "models/memory.h"

#include <math.h>

#include "core/alloc.h"
#include "kernels/operator_lowrank.h"
#include "models/lcm/lcm.h"

/* The program, its libraries and buffers. */
static const double PROGRAM = 4.5e6;

typedef struct counted {
    const kith__task *task;
    const kith_params *p;
    const kith_features *x; /* NULL = none */
    double n, e, C, L, b;
} counted;

kith__task kith__task_to_count(const kith_graph *g, int classes,
                               const int32_t *train, int32_t n_train,
                               const kith_job *job)
{
    return (kith__task){.graph = g,
                        .W = {.n = kith_graph_nodes(g),
                              .rows = kith_graph_rows(g),
                              .neighbours = kith_graph_neighbours(g),
                              .weights = kith_graph_weights(g)},
                        .n = kith_graph_nodes(g),
                        .classes = classes,
                        .train = train,
                        .n_train = n_train,
                        .job = job,
                        .threads = kith__threads(job)};
}

/* ---- the data ------------------------------------------------------------ */

double kith__feature_bytes(const kith_features *x)
{
    if (!x)
        return 0;
    return x->row ? 8 * ((double)x->nodes + 1) +
                        (x->value ? 8 : 4) * (double)x->entries
                  : 4 * (double)x->entries;
}

/* Rows, neighbours, their weights; labels, features; probabilities. */
static double data_bytes(const counted *k)
{
    return 8 * k->n + 4 * k->e + (k->task->W.weights ? 4 * k->e : 0) +
           4 * k->n + kith__feature_bytes(k->x) + 4 * k->n * k->C;
}

/* ---- the logistic regression --------------------------------------------- */

/* Columns in which u, or a node up to `hops` edges away, has an entry, of those
 * that are not stamped yet. */
static int64_t columns_around(const counted *k, int32_t u, int hops,
                              int32_t stamp, int32_t *seen)
{
    const kith_features *x = k->x;
    const int64_t *rows = k->task->W.rows;
    int64_t count = 0;

    for (int64_t i = x->row[u]; i < x->row[u + 1]; i++)
        if (seen[x->column[i]] != stamp) {
            seen[x->column[i]] = stamp;
            count++;
        }
    for (int64_t p = rows[u]; hops > 0 && p < rows[u + 1]; p++)
        count += columns_around(k, k->task->W.neighbours[p], hops - 1, stamp,
                                seen);
    return count;
}

/* Mean number of entries of a row that is summed over neighbours `hops` times,
 * told from some of the rows. */
static double entries_around(const counted *k, int hops, int32_t *seen)
{
    enum { SAMPLE = 500 };
    const int32_t n = k->task->n, step = n / SAMPLE + 1;
    int64_t entries = 0, rows = 0;

    for (int32_t i = 0; i < k->x->columns; i++)
        seen[i] = -1;
    for (int32_t u = 0; u < n; u += step, rows++)
        entries += columns_around(k, u, hops, u, seen);
    return (double)entries / (double)rows;
}

/* Numbers of an array that doubles until they fit: while it does for the last
 * time, the old half is there beside the new one. */
static double grown(double numbers)
{
    return exp2(ceil(log2(fmax(numbers, 16))));
}

/* The features smoothed: all rows once, and those to learn from twice. */
static kith_status smoothed_bytes(const counted *k, double *bytes,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *seen = NULL;
    double once = k->x->columns, twice = once;

    *bytes = 0;
    if (k->n == 0 || k->p->smooth == 0)
        return KITH_OK;
    if (k->x->row) {
        TRY_NEW(seen, kith__alloc(k->x->columns, sizeof(*seen)));
        once = entries_around(k, 1, seen);
        twice = entries_around(k, 2, seen);
    }
    *bytes = 8 * (k->n + grown(once * k->n) + grown(twice * k->L));
out:
    kith__free(seen);
    return st;
}

/* The features as prepared, and as smoothed; twelve double vectors of the
 * weights (L-BFGS keeps five pairs, the point and the gradient), which are
 * (F + 1) x C, or with few nodes (L + 1) x C beside some L x L; the
 * potentials. */
static kith_status fitting_bytes(const counted *k, double *bytes,
                                 kith_error *err)
{
    const double F = k->x ? k->x->columns : 0;
    const bool turned = k->L <= 2048 && k->L < F / 2;
    const double rows = (turned ? k->L : F) + 1;
    kith_status st = KITH_OK;
    double smoothed;

    *bytes = 0;
    if (!k->x)
        return KITH_OK;
    TRY(smoothed_bytes(k, &smoothed, err));
    *bytes = kith__feature_bytes(k->x) + smoothed + 8 * rows * k->C * 12 +
             (turned ? 12 * k->L * k->L : 0) + 4 * F * k->C + 4 * k->n * k->C;
out:
    return st;
}

/* ---- a run --------------------------------------------------------------- */

/* Of all methods: scale or weights, potentials, beliefs that come out; the
 * labels' mass, levels of evidence and the table's. */
static double shared_bytes(const counted *k)
{
    return (k->task->W.weights ? 4 * k->e : 4 * k->n) + 2 * 4 * k->n * k->C +
           6 * k->n;
}

/* What the model keeps: ids of the nodes that it learnt from, in a table that
 * is built from a larger one. */
static double model_bytes(const counted *k)
{
    return 90 * k->L;
}

/* Centred potentials and the next beliefs; few columns are scaled before a
 * pass, unless there is a weight for each edge. */
static double linbp_bytes(const counted *k)
{
    const bool scaled = !k->task->W.weights && k->C <= KITH__FEW;

    return (scaled ? 3 : 2) * 4 * k->n * k->C;
}

/* A message each way over every edge and the place of its reverse; potentials
 * and beliefs in rows padded to a multiple of 4 as messages are. */
static double bp_bytes(const counted *k)
{
    const double padded = 4 * ceil(k->C / 4);

    return (4 * padded + 8) * k->e + 2 * 4 * k->n * padded;
}

/* Room that conjugate gradients take. */
static double settling_bytes(const counted *k)
{
    return 3 * 4 * k->n * k->C;
}

/* A weight per stored neighbour; Q, P, S; which nodes train; L x C arrays;
 * places of reverse edges; what settling takes, or the next P and two vectors
 * for the bound. */
static double explicit_bytes(const counted *k)
{
    return 4 * k->e + 3 * 4 * k->n * k->C + 4 * k->n + 3 * 4 * k->L * k->C +
           8 * k->b + fmax((2 + k->C) * 4 * k->n, settling_bytes(k));
}

double kith__record_bytes(int classes, const kith_params *p)
{
    const int carried = p->as_written ? classes : classes - 1;

    return 16 * kith__lowrank_vectors(classes, carried, p->outer);
}

/* Records and sums, in whose place settling comes; Q; the edges of training
 * nodes; the weights where they are written out. */
static double implicit_bytes(const counted *k)
{
    const double carried = k->p->as_written ? k->C : k->C - 1;
    const double width = 4 * carried * (k->C + 1);
    const double record = kith__record_bytes(k->task->classes, k->p);
    const double one = fmax((record + width) * k->n, settling_bytes(k));

    return 4 * k->n * k->C + one + 16 * k->b + k->n / 8 +
           (kith__lcm_writes_out(k->task) ? 4 * k->e : 0);
}

static double run_bytes(const counted *k, const kith__method *method)
{
    if (!method->uses_graph)
        return 0;
    if (method->run == kith__bp_run)
        return bp_bytes(k);
    if (!method->learns)
        return linbp_bytes(k);
    return kith__lcm_choose_form(k->task, k->p, kith__lcm_kind(method)).implicit
               ? implicit_bytes(k)
               : explicit_bytes(k);
}

kith_status kith__memory_of(const kith__task *t, const kith__method *method,
                            const kith_dataset *d, const kith_params *p,
                            int runs, double *bytes, kith_error *err)
{
    const counted k = {
        .task = t,
        .p = p,
        .x = d->features,
        .n = t->n,
        .e = (double)t->W.rows[t->n],
        .C = t->classes,
        .L = t->n_train,
        .b = (double)kith__training_edges_count(&t->W, t->train, t->n_train)};
    kith_status st = KITH_OK;
    double fitting;

    TRY(fitting_bytes(&k, &fitting, err));
    *bytes = PROGRAM + data_bytes(&k) +
             fmax(fitting, shared_bytes(&k) + fmax(runs * run_bytes(&k, method),
                                                   model_bytes(&k)));
out:
    return st;
}
