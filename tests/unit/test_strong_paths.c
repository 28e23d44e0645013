/*
 * test_strong_paths.c: the paths by which most of a belief arrives, against all
 * paths there are.
 */
#include <math.h>

#include "core/alloc.h"
#include "kernels/spectral_bound.h"
#include "models/explain/paths.h"
#include "small_graphs.h"

enum { N = 14, C = 3, ALL = 40000 };

typedef struct scene {
    kith_graph *g;
    small_task task;
    float Q[N * C], H[C * C];
    double to[C], W[N][N];
    kith__walk walk;
    int n; /* all paths without a node twice */
    kith_path path[ALL];
    int back[N]; /* the path so far, from the explained node */
} scene;

static void scene_new(scene *s, uint64_t seed, bool weighted, int longest)
{
    kith__rng r = kith__rng_start(seed, 8);

    s->g = small_graph(N, 26, weighted, seed);
    small_task_new(&s->task, s->g, C, 0, 1);
    dense_weights(&s->task.task.W, &s->W[0][0]);
    for (int i = 0; i < N * C; i++)
        s->Q[i] = (float)kith__rng_real(&r) - .5f;
    for (int i = 0; i < C; i++) /* no row but differs from its column */
        for (int j = 0; j < C; j++)
            s->H[i * C + j] = (float)(kith__rng_real(&r) - .5);
    for (int i = 0; i < C; i++)
        for (int j = 0; j < i; j++)
            s->H[i * C + j] = s->H[j * C + i];
    for (int c = 0; c < C; c++)
        s->to[c] = kith__rng_real(&r) - .3;
    s->walk = (kith__walk){.W = &s->task.task.W,
                           .classes = C,
                           .Q = s->Q,
                           .H = s->H,
                           .to = s->to,
                           .longest = longest};
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* The path back[length] .. back[0], whose last node is explained. */
static void add_path(scene *s, int length)
{
    const int *back = s->back;
    kith_path p = {.length = length};
    double h[C], product = 1;

    memcpy(h, s->to, sizeof(h));
    for (int j = 0; j < length; j++) {
        double next[C] = {0};

        for (int a = 0; a < C; a++)
            for (int b = 0; b < C; b++)
                next[a] += (double)s->H[a * C + b] * h[b];
        memcpy(h, next, sizeof(h));
        product *= s->W[back[j]][back[j + 1]];
    }
    for (int j = 0; j <= length; j++) {
        p.node[j] = back[length - j];
        if (j < length)
            p.weight[j] = s->W[back[length - j - 1]][back[length - j]];
    }
    for (int c = 0; c < C; c++)
        p.coupling += (double)s->Q[p.node[0] * C + c] * h[c];
    p.value = product * p.coupling;
    s->path[s->n++] = p;
}

static void add_all(scene *s, int length)
{
    int *back = s->back;

    if (length > 0)
        add_path(s, length);
    for (int v = 0; length < s->walk.longest && length < N - 1 && v < N; v++) {
        bool twice = false;

        for (int j = 0; j <= length; j++)
            twice = twice || back[j] == v;
        if (twice || s->W[v][back[length]] == 0)
            continue;
        back[length + 1] = v;
        add_all(s, length + 1);
    }
}

static int falling(const void *a, const void *b)
{
    const double x = fabs(((const kith_path *)a)->value),
                 y = fabs(((const kith_path *)b)->value);

    return (x < y) - (x > y);
}

static void check_paths(scene *s, int most, int node)
{
    kith_explanation e = {.node = node};
    kith_error err;

    s->n = 0;
    s->back[0] = node;
    add_all(s, 0);
    CHECK(s->n < ALL);
    qsort(s->path, (size_t)s->n, sizeof(*s->path), falling);
    CHECK_OK(kith__find_paths(&s->walk, most, &e, &err));
    CHECK_INT(e.n_paths, most < s->n ? most : s->n);
    CHECK(e.paths_complete);
    for (int i = 0; i < e.n_paths; i++) {
        const kith_path *p = &e.paths[i], *q = &s->path[i];

        CHECK_INT(p->length, q->length);
        CHECK_NEAR(p->value, q->value, 1e-12);
        CHECK_NEAR(p->coupling, q->coupling, 1e-12);
        for (int j = 0; j <= q->length; j++)
            CHECK_INT(p->node[j], q->node[j]);
        for (int j = 0; j < q->length; j++)
            CHECK_NEAR(p->weight[j], q->weight[j], 1e-12);
    }
    kith__free(e.paths);
}

TEST(the_largest_of_all_paths_are_found)
{
    static const int mosts[] = {1, 3, 20, 500};
    static scene s;

    for (uint64_t seed = 0; seed < 12; seed++)
        for (int longest = 1; longest <= KITH_PATH_MOST; longest += 2) {
            scene_new(&s, seed, seed % 2, longest);
            check_paths(&s, mosts[seed % 4], (int)seed);
            scene_release(&s);
        }
}

/* All is said unless there are longer paths than those looked for, or a longer
 * path may be worth more than a shorter one. */
TEST(paths_are_complete_where_none_was_left_out)
{
    kith_explanation e = {.node = 3};
    static scene s;
    kith_error err;

    for (int longer = 0; longer < 2; longer++)
        for (int longest = 0; longest <= 2; longest++) {
            scene_new(&s, 5, false, longest);
            s.walk.longer = longer;
            e = (kith_explanation){.node = 3};
            CHECK_OK(kith__find_paths(&s.walk, 500, &e, &err));
            CHECK_INT(e.paths_complete, !longer || longest == 0);
            CHECK((e.n_paths > 0) == (longest > 0));
            kith__free(e.paths);
            scene_release(&s);
        }
    for (int longest = 1; longest <= 2; longest++) {
        scene_new(&s, 5, false, longest);
        for (int i = 0; i < C * C; i++)
            s.H[i] *= 100;
        e = (kith_explanation){.node = 3};
        CHECK_OK(kith__find_paths(&s.walk, 500, &e, &err));
        CHECK_INT(e.paths_complete, longest == 1);
        kith__free(e.paths);
        scene_release(&s);
    }
}

/* Node 0 of a complete graph has 39 paths of one edge, 39 x 38 of two, ..: with
 * three 54,871 are looked at, with four more than the 400,000 that are allowed.
 * Nothing is known of any node, so that none is worth leaving out. */
TEST(the_number_of_paths_that_are_looked_at_is_limited)
{
    enum { M = 40 };
    char *text = malloc(M * M * 8);
    size_t at = 0;
    kith_graph *g = NULL;
    float Q[M * C] = {0};
    small_task t;
    kith_error err;

    for (int u = 0; u < M; u++)
        for (int v = 0; v < u; v++)
            at += (size_t)snprintf(text + at, 8, "%d\t%d\n", u, v);
    CHECK_OK(
        kith_graph_read(check_file("whole.tsv", text), NULL, &g, NULL, &err));
    small_task_new(&t, g, C, 0, 1);
    Q[7] = 1e-30f; /* or no path would be above nothing */
    for (int longest = 3; longest <= 4; longest++) {
        const float H[C * C] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const double to[C] = {0, 0, 1};
        const kith__walk walk = {.W = &t.task.W,
                                 .classes = C,
                                 .Q = Q,
                                 .H = H,
                                 .to = to,
                                 .longest = longest};
        kith_explanation e = {0};

        CHECK_OK(kith__find_paths(&walk, 200000, &e, &err));
        CHECK_INT(e.paths_complete, longest == 3);
        kith__free(e.paths);
    }
    small_task_release(&t);
    kith_graph_free(g);
    free(text);
}

TEST(searching_survives_every_failed_allocation)
{
    static scene s;
    kith_explanation e;

    scene_new(&s, 1, true, 4);
    CHECK_OOM(e = (kith_explanation){.node = 2};
              st = kith__find_paths(&s.walk, 10, &e, NULL);
              kith__free(e.paths), (void)0);
    scene_release(&s);
}
