/*
 * test_plan.c: the memory and disk that a training is said to take: each array
 * that it holds at its peak, counted here by name.  That this is what runs use,
 * see tests/cli/checkpoint.test.
 */
#include "models/lcm/lcm.h"
#include "models/tune.h"
#include "small_graphs.h"

enum { PROGRAM = 4500000 };

typedef struct scene {
    kith_graph *g;
    small_task t;
    kith_dataset d;
    kith_train_options o;
    double n, e, b; /* nodes, stored neighbours, those of training nodes */
} scene;

static void scene_new(scene *s, kith_graph *g, int classes, int train,
                      int threads)
{
    const int64_t *rows = kith_graph_rows(g);

    *s = (scene){.g = g, .d = {.graph = g}};
    small_task_new(&s->t, g, classes, train, threads);
    kith_train_options_init(&s->o);
    s->o.params.iterations = 20;
    s->n = kith_graph_nodes(g);
    s->e = (double)rows[kith_graph_nodes(g)];
    s->b = (double)rows[train];
}

static void scene_release(scene *s)
{
    small_task_release(&s->t);
    kith_graph_free(s->g);
}

static kith_plan plan(const scene *s, const char *method, bool validates)
{
    kith_plan p;
    kith_error err;

    CHECK_OK(kith__plan(&s->t.task, kith__method_find(method), &s->d, &s->o,
                        validates, &p, &err));
    CHECK(p.seconds > 0);
    return p;
}

/* The graph's rows and neighbours, labels, probabilities; a scale or weights of
 * W, potentials, beliefs; the labels' mass, its levels, those of the table. */
static double common(const scene *s, int C)
{
    const bool weighted = kith_graph_weights(s->g) != NULL;
    const double rows = 8 * s->n, neighbours = 4 * s->e, labels = 4 * s->n;
    const double matrix = 4 * s->n * C;

    return PROGRAM + rows + neighbours + labels + 3 * matrix +
           (4 + 1 + 1) * s->n + (weighted ? 4 * s->e + 4 * s->e : 4 * s->n);
}

/* Q, the next P; without weights P scaled before a pass. */
TEST(linbp_holds_two_or_three_more_matrices)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        double wanted;
        scene s;

        scene_new(&s, small_graph(60, 100, weighted, 3), 3, 6, 2);
        wanted = common(&s, 3) + (weighted ? 2 : 3) * 4 * s.n * 3;
        CHECK_NEAR(plan(&s, "linbp", false).memory, wanted, 0);
        CHECK(!plan(&s, "linbp", false).tunes);
        CHECK(plan(&s, "linbp", true).tunes);
        CHECK(plan(&s, "linbp", true).form == NULL);
        s.o.checkpoint = "c";
        CHECK_NEAR(plan(&s, "linbp", false).disk, 0, 0);
        s.o.fixed = KITH_FIX_ITERATIONS;
        CHECK(!plan(&s, "linbp", true).tunes);
        scene_release(&s);
    }
}

/* Features as read; on top of that the larger of two: what the run holds, or
 * the logistic regression, with features as prepared and as smoothed in arrays
 * that double, twelve vectors of its weights, the weights, potentials. */
TEST(features_are_counted_as_read_prepared_and_smoothed)
{
    kith_features f = {.nodes = 60, .columns = 10, .entries = 600};
    scene s;
    double own, run, fit;

    scene_new(&s, small_graph(60, 100, false, 3), 3, 6, 2);
    run = 4 * s.n + 6 * s.n + 5 * 4 * s.n * 3; /* two of them shared */
    own = common(&s, 3) + 3 * 4 * s.n * 3 - run + 4 * 600;
    fit = 4 * 600 + 8 * (60 + 1024 + 64) + 12 * 8 * (10 + 1) * 3 + 4 * 10 * 3 +
          4 * 60 * 3;
    s.d.features = &f;
    CHECK(fit > run);
    CHECK_NEAR(plan(&s, "linbp", false).memory, own + fit, 0);
    s.o.params.smooth = 0;
    CHECK_NEAR(plan(&s, "linbp", false).memory,
               own + fit - 8 * (60 + 1024 + 64), 0);
    f.entries = 0; /* as if nothing were in them */
    f.columns = 1;
    CHECK_NEAR(plan(&s, "linbp", false).memory, own - 4 * 600 + run, 0);
    scene_release(&s);
}

/* Weights; Q, P, S; marks; three numbers of a training node and class; places
 * of reverse edges; three matrices that conjugate gradients take. */
TEST(lcm_of_stored_weights_holds_them)
{
    for (int C = 2; C <= 3; C++)
        for (int threads = 1; threads <= 2; threads++) {
            double own;
            scene s;

            scene_new(&s, small_graph(60, 100, false, 4), C, 6, threads);
            own = 4 * s.e + 3 * 4 * s.n * C + 4 * s.n + 3 * 4 * 6 * C +
                  8 * s.b + 3 * 4 * s.n * C;
            CHECK_NEAR(plan(&s, "lcm", false).memory, common(&s, C) + own, 0);
            CHECK_TEXT(plan(&s, "lcm", false).form, "stored");
            CHECK_TEXT(plan(&s, "lcm", false).why, "they stay in the cache");
            CHECK(!plan(&s, "lcm", false).tunes);
            /* each thread tries a point of the grid of its own */
            CHECK_NEAR(plan(&s, "lcm", true).memory,
                       common(&s, C) + threads * own, 0);
            CHECK(plan(&s, "lcm", true).tunes);
            s.o.checkpoint = "c";
            CHECK_NEAR(plan(&s, "lcm", false).disk, 0, 0);
            scene_release(&s);
        }
}

/* A ring of 70,000 nodes with chords: too much for a cache. */
static kith_graph *large_graph(void)
{
    enum { MANY = 70000 };
    char *text = malloc(MANY * 32);
    kith_graph *g = NULL;
    size_t at = 0;
    kith_error err;

    for (int u = 0; u < MANY; u++)
        at += (size_t)snprintf(text + at, 32, "%d\t%d\n%d\t%d\n", u,
                               (u + 1) % MANY, u, (u + 300) % MANY);
    CHECK_OK(
        kith_graph_read(check_file("large.tsv", text), NULL, &g, NULL, &err));
    free(text);
    return g;
}

/* Two classes and four alternations: a record of 32 bytes a node; what a pass
 * leaves, 12 bytes a node; Q; of an edge of a training node 16 bytes; a bit a
 * node; and the weights that are written out.  Points of a grid come one after
 * the other. */
TEST(lcm_of_implicit_weights_holds_records)
{
    scene s;
    double one;

    scene_new(&s, large_graph(), 2, 6, 1);
    CHECK_NEAR(s.e, 4 * s.n, 0);
    one = 4 * s.n * 2 + (32 + 12) * s.n + (12 + 4) * s.b + s.n / 8 + 4 * s.e;
    CHECK_NEAR(plan(&s, "lcm", false).memory, common(&s, 2) + one, 1e-3);
    CHECK_TEXT(plan(&s, "lcm", false).form,
               "implicit, written out once learnt");
    CHECK_NEAR(plan(&s, "lcm", true).memory, common(&s, 2) + one, 1e-3);
    s.o.checkpoint = "c"; /* twice while one replaces the other */
    CHECK_NEAR(plan(&s, "lcm", false).disk, 2 * (32 * s.n + 4 * s.b), 1e-3);
    s.t.task.threads = 2; /* each tries its own */
    CHECK_NEAR(plan(&s, "lcm", true).memory, common(&s, 2) + 2 * one, 1e-3);
    scene_release(&s);
}

/* Weights are written out unless they take 2 GiB, or more than a quarter of the
 * memory that is allowed. */
TEST(weights_are_written_out_where_they_take_little)
{
    int64_t rows[] = {0, 0, 0, 1 << 20};
    kith_job job = {.memory = 4 << 22};
    kith__task t = {.n = 3, .classes = 2, .W = {.n = 3, .rows = rows}};

    CHECK(kith__lcm_writes_out(&t));
    t.job = &job;
    CHECK(kith__lcm_writes_out(&t));
    job.memory--;
    CHECK(!kith__lcm_writes_out(&t));
    job.memory = 0;
    CHECK(kith__lcm_writes_out(&t));
    rows[3] = 1 << 29; /* 2 GiB */
    CHECK(!kith__lcm_writes_out(&t));
}
