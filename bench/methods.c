/*
 * methods.c: seconds of one fit of LCM, BP and LinBP and of LCM's whole grid,
 * potentials given.
 *
 *     bench_methods DATASET OUTDIR [THREADS]
 *     bench_methods --open FILE
 *
 * The first form prints one JSON line per measurement, the median of ROUNDS
 * runs after one that is not counted, and leaves in OUTDIR all that
 * methods_numpy.py needs to compute the same and to compare: the graph, the
 * training nodes, the potentials, our beliefs.  The second form prints the
 * milliseconds that kith_graph_open() takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "kith/kith.h"
#include "models/potentials/node_potentials.h"

enum { ROUNDS = 5, GRID = 64, PER_CLASS = 20 };

/* ---- time ---------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *seconds)
{
    qsort(seconds, ROUNDS, sizeof(*seconds), ascending);
    return seconds[ROUNDS / 2];
}

/* ---- files --------------------------------------------------------------- */

static kith_status put(const char *folder, const char *name, const void *data,
                       size_t size, int64_t count, kith_error *err)
{
    char *path = kith__join(folder, "/", name);
    FILE *f = path ? fopen(path, "wb") : NULL;
    kith_status st = KITH_OK;

    if (!f || fwrite(data, size, (size_t)count, f) != (size_t)count)
        st = kith__fail_errno(err, path, "write");
    if (f && fclose(f) != 0 && st == KITH_OK)
        st = kith__fail_errno(err, path, "write");
    kith__free(path);
    return st;
}

/* n x classes numbers, as float64. */
static kith_status put_table(const char *folder, const char *name,
                             const kith__task *t, const float *x,
                             kith_error *err)
{
    const int64_t cells = (int64_t)t->n * t->classes;
    double *wide = kith__alloc(cells, sizeof(*wide));
    kith_status st;

    if (!wide)
        return kith__no_memory(err);
    for (int64_t i = 0; i < cells; i++)
        wide[i] = (double)x[i];
    st = put(folder, name, wide, sizeof(*wide), cells, err);
    kith__free(wide);
    return st;
}

static kith_status put_task(const char *folder, const kith__task *t,
                            const float *potentials, kith_error *err)
{
    const float *a = kith_graph_weights(t->graph);
    const int64_t entries = t->W.rows[t->n];
    kith_status st = KITH_OK;
    char sizes[96];

    snprintf(sizes, sizeof(sizes), "{\"nodes\": %d, \"classes\": %d}\n",
             (int)t->n, t->classes);
    TRY(put(folder, "sizes.json", sizes, 1, (int64_t)strlen(sizes), err));
    TRY(put(folder, "rows.i64", t->W.rows, 8, (int64_t)t->n + 1, err));
    TRY(put(folder, "neighbours.i32", t->W.neighbours, 4, entries, err));
    if (a)
        TRY(put(folder, "weights.f32", a, 4, entries, err));
    TRY(put(folder, "train.i32", t->train, 4, t->n_train, err));
    TRY(put(folder, "truth.i32", t->truth, 4, t->n_train, err));
    TRY(put_table(folder, "potentials.f64", t, potentials, err));
out:
    return st;
}

/* ---- what is measured ---------------------------------------------------- */

/* No clamping, no early stop: the same work on both sides. */
static kith_params fixed_params(void)
{
    kith_params p;

    kith_params_init(&p);
    p.smooth = 0;
    p.clamp = false;
    p.iterations = 10;
    p.tolerance = 0;
    p.as_written = true;
    return p;
}

/* Point i of the paper's grid, as src/models/tune.c orders it. */
static kith_params grid_point(int i)
{
    static const double g1[] = {.02, .05, .1, .2};
    static const double g2[] = {.0002, .0005, .001, .002};
    static const double lambda[] = {.02, .05, .1, .2};
    kith_params p = fixed_params();

    p.g1 = g1[i / 16];
    p.g2 = g2[i / 4 % 4];
    p.lambda = lambda[i % 4];
    return p;
}

static kith_status run_grid(const kith__task *task, const float *potentials,
                            float *const *P, float *const *H, kith_error *err)
{
    kith_status st = KITH_OK;

#pragma omp parallel for num_threads(task->threads) schedule(dynamic, 1)
    for (int i = 0; i < GRID; i++) {
        const kith_params p = grid_point(i);
        kith__beliefs b = {.P = P[i], .coupling = H[i]};
        kith__task own = *task;
        kith_error why = {0};
        kith_status got;

        own.threads = own.W.threads = 1;
        got = kith__lcm_run(&own, &p, potentials, &b, &why);
#pragma omp critical(bench_grid)
        if (got != KITH_OK && st == KITH_OK) {
            st = got;
            *err = why;
        }
    }
    return st;
}

typedef struct bench {
    kith__task task;
    float *scale, *weights; /* of task.W */
    float *potentials;
    float *P[GRID], *H[GRID]; /* results of the grid; [0] of single fits */
} bench;

/* Seconds of a fit on `threads` threads: of one method, or of the grid. */
static kith_status measure(bench *b, const char *method, int threads,
                           double *out, kith_error *err)
{
    const kith__method *how = kith__method_find(method);
    const kith_params p = fixed_params();
    double seconds[ROUNDS];
    kith_status st = KITH_OK;
    kith__task t = b->task;

    t.threads = t.W.threads = threads;
    for (int i = -1; i < ROUNDS; i++) {
        kith__beliefs result = {.P = b->P[0], .coupling = b->H[0]};
        const double from = now();

        TRY(how ? how->run(&t, &p, b->potentials, &result, err)
                : run_grid(&t, b->potentials, b->P, b->H, err));
        if (i >= 0)
            seconds[i] = now() - from;
    }
    *out = median(seconds);
out:
    return st;
}

static kith_status measure_all(bench *b, const char *folder, kith_error *err)
{
    static const char *const what[] = {"lcm", "bp", "linbp", "grid"};
    const int threads = b->task.threads;
    kith_status st = KITH_OK;

    for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
        char name[16];
        double one, many;

        TRY(measure(b, what[i], 1, &one, err));
        TRY(measure(b, what[i], threads, &many, err));
        printf("{\"name\": \"%s\", \"threads\": %d, \"seconds\": %.6f, "
               "\"seconds_1\": %.6f}\n",
               what[i], threads, many, one);
        snprintf(name, sizeof(name), "%s.f64", what[i]);
        TRY(put_table(folder, name, &b->task, b->P[0], err));
    }
    TRY(put_table(folder, "grid1.f64", &b->task, b->P[1], err));
out:
    return st;
}

/* ---- data ---------------------------------------------------------------- */

/* Split paper-0 if there is one, else PER_CLASS nodes of each class. */
static kith_status take_split(const kith_dataset *d, kith_split *out,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    bool paper = false;
    char **names = NULL;
    int n = 0;

    if (d->splits_at)
        TRY(kith_dataset_splits(d, &names, &n, err));
    for (int i = 0; i < n; i++)
        paper |= strcmp(names[i], "paper-0") == 0;
    TRY(paper ? kith_split_read(d, "paper-0", out, err)
              : kith_split_random(d->graph, d->labels, PER_CLASS, 0, 1, 0, out,
                                  err));
out:
    kith_names_free(names, n);
    return st;
}

static kith_status fit_potentials(bench *b, const kith_features *features,
                                  kith_error *err)
{
    const kith_params p = fixed_params();
    const kith__task *t = &b->task;
    kith__feature_matrix design = {0};
    float *weights = NULL;
    kith_status st = KITH_OK;

    if (!features) {
        kith__potentials_of_labels(t, b->potentials);
        return KITH_OK;
    }
    TRY(kith__feature_matrix_new(t->graph, features, p.prep, p.smooth, NULL,
                                 NULL, &design, err));
    TRY(kith__potentials_fit(t, &design, &p, &weights, err));
    TRY(kith__potentials_of_features(t, &design, weights, b->potentials, err));
out:
    kith__feature_matrix_release(&design);
    kith__free(weights);
    return st;
}

/* Training nodes with a label come first in `split`; truth gets their class. */
static int32_t keep_labelled(const kith_labels *labels, kith_split *split,
                             int32_t *truth)
{
    int32_t n = 0;

    for (int32_t i = 0; i < split->n_train; i++)
        if (labels->of[split->train[i]] >= 0) {
            split->train[n] = split->train[i];
            truth[n++] = labels->of[split->train[i]];
        }
    return n;
}

static kith_status run(const char *path, const char *folder, int threads,
                       kith_error *err)
{
    const kith_job job = {.threads = threads};
    kith_dataset *d = NULL;
    kith_split split = {0};
    int32_t *truth = NULL;
    kith_status st = KITH_OK;
    kith__task *t;
    bench b = {0};
    int64_t cells;

    TRY(kith_dataset_open(path, NULL, &d, err));
    if (!d->labels)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0, "no labels"));
    TRY(take_split(d, &split, err));
    TRY_NEW(truth, kith__alloc(split.n_train, sizeof(*truth)));
    t = &b.task;
    *t = (kith__task){.graph = d->graph,
                      .n = kith_graph_nodes(d->graph),
                      .classes = d->labels->classes,
                      .train = split.train,
                      .truth = truth,
                      .n_train = keep_labelled(d->labels, &split, truth),
                      .threads = kith__threads(&job)};
    if (!kith__operator_start(d->graph, t->threads, &t->W, &b.scale,
                              &b.weights))
        TRY(kith__no_memory(err));
    cells = (int64_t)t->n * t->classes;
    TRY_NEW(b.potentials, kith__alloc(cells, sizeof(float)));
    for (int i = 0; i < GRID; i++) {
        TRY_NEW(b.P[i], kith__alloc(cells, sizeof(float)));
        TRY_NEW(b.H[i],
                kith__alloc((int64_t)t->classes * t->classes, sizeof(float)));
    }
    TRY(fit_potentials(&b, d->features, err));
    TRY(put_task(folder, t, b.potentials, err));
    printf("{\"name\": \"data\", \"nodes\": %d, \"edges\": %lld, "
           "\"classes\": %d, \"train\": %d}\n",
           (int)t->n, (long long)kith_graph_edges(d->graph), t->classes,
           (int)t->n_train);
    TRY(measure_all(&b, folder, err));
out:
    for (int i = 0; i < GRID; i++) {
        kith__free(b.P[i]);
        kith__free(b.H[i]);
    }
    kith__free(b.potentials);
    kith__free(b.scale);
    kith__free(b.weights);
    kith__free(truth);
    kith_split_release(&split);
    kith_dataset_free(d);
    return st;
}

static kith_status open_only(const char *path, kith_error *err)
{
    double seconds[ROUNDS];
    kith_status st = KITH_OK;

    for (int i = 0; i < ROUNDS; i++) {
        const double from = now();
        kith_graph *g;

        TRY(kith_graph_open(path, &g, err));
        seconds[i] = now() - from;
        kith_graph_free(g);
    }
    printf("%.3f\n", 1e3 * median(seconds));
out:
    return st;
}

int main(int argc, char **argv)
{
    kith_error err = {0};
    kith_status st;

    if (argc == 3 && strcmp(argv[1], "--open") == 0) {
        st = open_only(argv[2], &err);
    } else if (argc == 3 || argc == 4) {
        const long threads = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

        st = run(argv[1], argv[2],
                 threads > 0 && threads < 1024 ? (int)threads : 0, &err);
    } else {
        fputs("usage: bench_methods DATASET OUTDIR [THREADS]\n"
              "       bench_methods --open FILE\n",
              stderr);
        return 2;
    }
    if (st != KITH_OK) {
        char text[1600];

        fprintf(stderr, "bench_methods: %s\n",
                kith_error_format(&err, text, sizeof(text)));
    }
    return st == KITH_OK ? 0 : 1;
}
