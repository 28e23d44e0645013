/*
 * test_guarded.c: passes over the edges stay within a graph's rows, neighbours
 * and weights, which here lie against pages that cannot be read: rows that are
 * asked for ahead of time are looked up there too.
 */
#include <sys/mman.h>

#include "kernels/spectral_bound.h"
#include "models/lcm/lcm.h"
#include "small_graphs.h"

enum { N = 48, EDGES = 150, MOST = 9, TRAIN = 9 };

/* An array with a page that cannot be read after its end, or before its
 * beginning. */
typedef struct guarded {
    char *map, *at;
    size_t bytes, size;
} guarded;

static const void *guard(guarded *a, const void *from, size_t bytes, bool end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (bytes + page - 1) / page * page;

    a->size = inner + 2 * page;
    a->bytes = bytes;
    a->map = mmap(NULL, a->size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(a->map != MAP_FAILED);
    a->at = a->map + page + (end ? inner - bytes : 0);
    memcpy(a->at, from, bytes);
    CHECK(mprotect(a->map, page, PROT_NONE) == 0);
    CHECK(mprotect(a->map + page + inner, page, PROT_NONE) == 0);
    return a->at;
}

typedef struct scene {
    kith_graph *g;
    small_task t;
    guarded rows, neighbours, weights;
} scene;

static void scene_new(scene *s, int C, bool weighted, int guards)
{
    kith__operator *W;

    s->g = small_graph(N, EDGES, weighted, 7);
    small_task_new(&s->t, s->g, C, TRAIN, 2);
    W = &s->t.task.W;
    s->weights.map = s->rows.map = NULL;
    if (guards == 0)
        return;
    if (weighted)
        W->weights = guard(&s->weights, W->weights,
                           (size_t)W->rows[N] * sizeof(float), guards == 1);
    W->neighbours = guard(&s->neighbours, W->neighbours,
                          (size_t)W->rows[N] * sizeof(int32_t), guards == 1);
    W->rows = guard(&s->rows, W->rows, (N + 1) * sizeof(int64_t), guards == 1);
}

static void scene_release(scene *s)
{
    if (s->weights.map)
        munmap(s->weights.map, s->weights.size);
    if (s->rows.map) {
        munmap(s->rows.map, s->rows.size);
        munmap(s->neighbours.map, s->neighbours.size);
    }
    small_task_release(&s->t);
    kith_graph_free(s->g);
}

/* What each pass comes to, in one row of floats. */
typedef struct result {
    float P[4][N * MOST], H[MOST * MOST];
    double bound;

} result;

static kith_params usual(void)
{
    kith_params p;

    kith_params_init(&p);
    p.iterations = 12;
    p.tolerance = 0;
    return p;
}

static void run(const char *method, const kith__task *t, const float *Q,
                float *P, float *H)
{
    const kith_params p = usual();
    kith__beliefs b = {.P = P, .coupling = H};
    kith_error err;

    CHECK_OK(kith__method_find(method)->run(t, &p, Q, &b, &err));
}

/* Implicit weights, written out where there is memory and never. */
static void run_implicit(const scene *s, const float *Q, result *r)
{
    const kith_params p = usual();
    kith_error err;

    for (int little = 0; little < 2; little++) {
        kith_job job = {.memory = little};
        kith__beliefs b = {.P = r->P[2 + little], .coupling = r->H};
        kith__task t = s->t.task;

        t.job = &job;
        CHECK_OK(kith__lcm_run_lowrank(&t, &p, KITH__CONSISTENCY, Q, &b, &err));
    }
}

static void run_all(int C, bool weighted, int guards, result *r)
{
    float Q[N * MOST];
    scene s;

    memset(r, 0, sizeof(*r));
    random_potentials(Q, N, C, 7);
    scene_new(&s, C, weighted, guards);
    run("linbp", &s.t.task, Q, r->P[0], r->H);
    run("lcm", &s.t.task, Q, r->P[1], r->H);
    r->bound = kith__rho_bound(&s.t.task.W, 5, 0);
    if (C <= 4 && !weighted)
        run_implicit(&s, Q, r);
    scene_release(&s);
}

TEST(passes_stay_within_a_graphs_arrays)
{
    static result plain, other;

    for (int C = 2; C <= MOST; C++)
        for (int weighted = 0; weighted < 2; weighted++) {
            run_all(C, weighted, 0, &plain);
            for (int guards = 1; guards <= 2; guards++) {
                run_all(C, weighted, guards, &other);
                CHECK(memcmp(&plain, &other, sizeof(plain)) == 0);
            }
        }
}
