/*
 * test_suggest.c: what a label would be worth, against a dense inverse.
 */
#include "kernels/spectral_bound.h"
#include "models/model_object.h"
#include "models/solution.h"
#include "small_graphs.h"

/* A star: hub 0 with leaves 1 .. 6.  Beside it two edges, 7 - 8 and 9 - 10, of
 * which 7 and 9 are labelled.  All else knows nothing: a = 1/2. */
static const char star[] = "0\t1\n0\t2\n0\t3\n0\t4\n0\t5\n0\t6\n"
                           "7\t8\n9\t10\n";

enum { HUB = 0, LEAVES = 6 };

static char A[] = "a", B[] = "b", *names[] = {A, B};

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[11];
    kith_model *model;
    kith_solution *solution;
} fixture;

static void set_up(fixture *f)
{
    int32_t train[] = {7, 9};
    kith_train_options o;
    kith_error err;

    memset(f, 0, sizeof(*f));
    for (int i = 0; i < 11; i++)
        f->of[i] = i == 7 ? 0 : i == 9 ? 1 : -1;
    f->labels = (kith_labels){
        .nodes = 11, .classes = 2, .labelled = 2, .of = f->of, .names = names};
    f->data.labels = &f->labels;
    kith_train_options_init(&o);
    CHECK_OK(kith_graph_read(check_file("star.tsv", star), NULL, &f->data.graph,
                             NULL, &err));
    CHECK_OK(kith_model_train(&f->data, "linbp",
                              &(kith_split){.train = train, .n_train = 2}, &o,
                              &f->model, NULL, &err));
    CHECK_OK(kith_solution_new(f->model, &f->data, NULL, &f->solution, &err));
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith_graph_free(f->data.graph);
}

/*
 * H = .4 (1 -1; -1 1), so h = .8, and w = 1 / sqrt(6) on the star.  By hand
 * G = (I - .8 W)^-1 has G_00 = 1 / (1 - .64) and G_0l = .8 w G_00, so the hub's
 * y = (1/2) (1 + 6 (.8 / sqrt(6))) / .36.  y is solved until it changes by less
 * than 1e-3 in a step.  A step shrinks max |y_u| / sqrt(d_u) by .8, so that at
 * most 1e-3 (.8 / .2) sqrt(6) of the hub's is left.
 */
TEST(the_hub_of_a_star_is_worth_what_a_dense_inverse_says)
{
    const double y = .5 * (1 + LEAVES * .8 / sqrt(6)) / .36;
    kith_suggestion s[11];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, NULL, 0, 11, s, &found, &err));
    CHECK_INT(found, 9);
    CHECK_INT(s[0].node, HUB);
    CHECK_NEAR(s[0].uncertainty, .5, 1e-6);
    CHECK_NEAR(s[0].influence, y * y * .36, 2 * y * .36 * 4e-3 * sqrt(6));
    CHECK_NEAR(s[0].score, s[0].uncertainty * s[0].influence, 1e-6);
    /* once it is known its leaves stand alone: G = 1, y = a */
    for (int i = 1; i < found; i++)
        if (s[i].node <= LEAVES)
            CHECK_NEAR(s[i].influence, .25, 1e-6);
    tear_down(&f);
}

/* 8 looks like class a, 10 like b and the star like neither, which counts as a:
 * half of the suggestions are for each class while there are any. */
TEST(each_class_gets_its_share)
{
    const int32_t among[] = {1, 2, 8, 10};
    kith_suggestion s[4];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, among, 4, 4, s, &found, &err));
    CHECK_INT(found, 4);
    CHECK_INT(s[0].node, 1);
    CHECK_INT(s[1].node, 10); /* though 2 scores more */
    CHECK_INT(s[2].node, 2);
    CHECK(s[2].score > s[1].score);
    CHECK_INT(s[3].node, 8);
    CHECK_INT(kith_suggest(f.solution, (int32_t[]){11}, 1, 1, s, &found, &err),
              KITH_ERR_ARGUMENT);
    tear_down(&f);
}

/* A leaf that is known leaves less to learn at the others. */
TEST(suggestions_count_as_known_for_the_next)
{
    const int32_t among[] = {1, 2};
    kith_suggestion s[2];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, among, 2, 2, s, &found, &err));
    CHECK(s[0].node == 1 && s[1].node == 2);
    CHECK(s[1].influence < s[0].influence);
    tear_down(&f);
}

TEST(suggesting_survives_every_failed_allocation)
{
    kith_suggestion s[3];
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OOM(st = kith_suggest(f.solution, NULL, 0, 3, s, &found, NULL),
              (void)0);
    tear_down(&f);
}

/* ---- whole lists, against a dense matrix --------------------------------- */

enum { DENSE = 36, CLASSES = 3 };

typedef struct dense_twin {
    double W[DENSE][DENSE], h, a[DENSE], y[DENSE], loop[DENSE];
    double share[CLASSES], given[CLASSES];
    int likely[DENSE];
    bool done[DENSE], open[DENSE];
    bool crowded[DENSE]; /* beside one that was taken since the last solve */
} dense_twin;

/* y = a + h |W| y from where it is, over those not done, until it moves by at
 * most 1e-3. */
static void dense_solve(dense_twin *t, int most)
{
    double change = 1;

    for (int i = 0; i < most && change > 1e-3; i++) {
        double next[DENSE] = {0};

        change = 0;
        for (int u = 0; u < DENSE; u++) {
            if (t->done[u])
                continue;
            next[u] = t->a[u];
            for (int v = 0; v < DENSE; v++)
                next[u] += t->h * fabs(t->W[u][v]) * t->y[v];
            change = fmax(change, fabs(next[u] - t->y[u]));
        }
        memcpy(t->y, next, sizeof(next));
    }
}

static double dense_influence(const dense_twin *t, int v)
{
    double loop = 0;

    for (int u = 0; u < DENSE; u++)
        loop += t->done[u] ? 0 : t->W[v][u] * t->W[v][u];
    return t->y[v] * t->y[v] * (1 - t->h * t->h * fmin(loop, 1));
}

/* Of the class that is most behind its share the one of the largest score. */
static int dense_best(const dense_twin *t, int found)
{
    int best[CLASSES] = {-1, -1, -1}, chosen = -1;
    double behind = -HUGE_VAL;

    for (int v = 0; v < DENSE; v++) {
        int *b = &best[t->likely[v]];
        const double score = t->a[v] * dense_influence(t, v);

        if (t->open[v] && !t->done[v] && !t->crowded[v] &&
            score > (*b < 0 ? 0 : t->a[*b] * dense_influence(t, *b)))
            *b = v;
    }
    for (int c = 0; c < CLASSES; c++)
        if (best[c] >= 0 && t->share[c] * (found + 1) - t->given[c] > behind) {
            behind = t->share[c] * (found + 1) - t->given[c];
            chosen = best[c];
        }
    return chosen;
}

static void dense_start(dense_twin *t, const kith_solution *s, int train)
{
    const kith__operator *W = &s->op;
    float all[DENSE * CLASSES];

    kith_solution_probabilities(s, all);
    memset(t, 0, sizeof(*t));
    t->h = fmin(.95, kith__rho_small(s->b.coupling, CLASSES));
    for (int u = 0; u < DENSE; u++) {
        const float *p = all + u * CLASSES;

        for (int64_t e = W->rows[u]; e < W->rows[u + 1]; e++)
            t->W[u][W->neighbours[e]] += kith__operator_weight(W, u, e);
        for (int c = 0; c < CLASSES; c++) {
            t->likely[u] = p[c] > p[t->likely[u]] ? c : t->likely[u];
            t->share[c] += u < train ? 0 : (double)p[c] / (DENSE - train);
        }
        t->done[u] = u < train;
        t->a[u] = t->done[u] ? 0 : 1 - (double)p[t->likely[u]];
        t->open[u] = u % 7 != 3;
    }
}

/* Nodes and scores of the whole list; a tie would be a failure of the data.
 * `together` are taken between two solves. */
static void check_list(const kith_solution *s, int train, int together)
{
    int32_t among[DENSE], n = 0, found, count = 0;
    kith_suggestion got[DENSE];
    static dense_twin t;
    kith_error err;

    dense_start(&t, s, train);
    for (int u = 0; u < DENSE; u++)
        if (t.open[u])
            among[n++] = u;
    CHECK_OK(kith_suggest(s, among, n, DENSE, got, &found, &err));
    dense_solve(&t, 60);
    for (;; count++) {
        const int v = dense_best(&t, count);

        if (v < 0)
            break;
        if (count >= found || got[count].node != v) {
            check_failed(__FILE__, __LINE__, "suggestion %d is not %d", count,
                         v);
            return;
        }
        CHECK_NEAR(got[count].uncertainty, t.a[v], 1e-5);
        CHECK_NEAR(got[count].influence, dense_influence(&t, v), 1e-4);
        CHECK_NEAR(got[count].score, t.a[v] * dense_influence(&t, v), 1e-4);
        t.given[t.likely[v]]++;
        t.done[v] = true;
        t.a[v] = t.y[v] = 0;
        for (int u = 0; together > 1 && u < DENSE; u++)
            t.crowded[u] = t.crowded[u] || t.W[v][u] != 0;
        if ((count + 1) % together == 0) {
            memset(t.crowded, 0, sizeof(t.crowded));
            dense_solve(&t, 12);
        }
    }
    CHECK_INT(found, count);
    CHECK(count > 20);
}

static char third[] = "c", *three[] = {A, B, third};

/* A solution on a small graph of which nodes 0 .. train - 1 are known. */
typedef struct small {
    int32_t train[DENSE], of[DENSE];
    kith_labels labels;
    kith_dataset d;
    kith_model *m;
    kith_solution *s;
} small;

static void small_new(small *x, const char *method, int train, bool weighted,
                      uint64_t seed)
{
    kith_train_options o;
    kith_error err;

    memset(x, 0, sizeof(*x));
    x->d = (kith_dataset){.graph = small_graph(DENSE, 70, weighted, seed),
                          .labels = &x->labels};
    x->labels = (kith_labels){.nodes = DENSE,
                              .classes = CLASSES,
                              .labelled = train,
                              .of = x->of,
                              .names = three};
    for (int u = 0; u < DENSE; u++) {
        x->train[u] = u;
        x->of[u] = u < train ? u % CLASSES : -1;
    }
    kith_train_options_init(&o);
    o.job.threads = 2;
    CHECK_OK(kith_model_train(
        &x->d, method, &(kith_split){.train = x->train, .n_train = train}, &o,
        &x->m, NULL, &err));
    CHECK_OK(kith_solution_new(x->m, &x->d, NULL, &x->s, &err));
}

static void small_release(small *x)
{
    kith_solution_free(x->s);
    kith_model_free(x->m);
    kith_graph_free(x->d.graph);
}

TEST(whole_lists_are_those_of_a_dense_matrix)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        small x;

        small_new(&x, seed % 3 ? "linbp" : "lcm", 5, seed % 2, seed);
        check_list(x.s, 5, 1);
        small_release(&x);
    }
}

/* Above 4 million stored neighbours as many are taken together that 11 solves
 * of 12 sweeps do.  Here a known node has them, all of weight 0: its row is not
 * walked. */
TEST(on_large_graphs_several_are_taken_together)
{
    enum { MORE = 4000000 };
    small x;
    kith__operator W;
    int64_t rows[DENSE + 1], last;
    int32_t *ids;
    float *w;

    small_new(&x, "linbp", 5, false, 3);
    W = x.s->op;
    last = W.rows[DENSE];
    ids = calloc((size_t)last + MORE, sizeof(*ids));
    w = calloc((size_t)last + MORE, sizeof(*w));
    for (int u = 0; u < DENSE; u++)
        for (int64_t p = W.rows[u]; p < W.rows[u + 1]; p++) {
            ids[p + MORE] = W.neighbours[p];
            w[p + MORE] = (float)kith__operator_weight(&W, u, p);
        }
    for (int u = 0; u <= DENSE; u++)
        rows[u] = W.rows[u] + (u > 0 ? MORE : 0);
    x.s->op.rows = rows;
    x.s->op.neighbours = ids;
    x.s->op.weights = w;
    check_list(x.s, 5, (DENSE + 10) / 11);
    x.s->op = W;
    small_release(&x);
    free(ids);
    free(w);
}
