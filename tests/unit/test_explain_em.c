/*
 * test_explain_em.c: what each way of lcm-em to beliefs says they are made of,
 * against dense sums in doubles with one node's part left out.
 */
#include "generated.h"
#include "models/explain/logits.h"
#include "models/model_object.h"
#include "models/solution.h"

enum { N = 120, CLASSES = 3, MOST_COLUMNS = 64 };

typedef struct fixture {
    kith_dataset *data;
    kith_split split;
    kith_model like, *model;
    kith_solution *solution;
} fixture;

static kith_train_options options_of(const fixture *f)
{
    kith_train_options o;

    kith_train_options_init(&o);
    o.job.threads = 2;
    o.like = &f->like;
    return o;
}

/* A model whose recipe is what was put into f->like.state. */
static void follow(fixture *f)
{
    const kith_train_options o = options_of(f);
    kith_error err;

    CHECK_OK(kith_model_train(f->data, "lcm-em", &f->split, &o, &f->model, NULL,
                              &err));
    CHECK_OK(kith_solution_new(f->model, f->data, NULL, &f->solution, &err));
}

static void open_data(fixture *f, bool features)
{
    kith_error err;

    memset(f, 0, sizeof(*f));
    f->data = generated_with(N, CLASSES, features ? 30 : 0, .7, 10);
    CHECK_OK(kith_split_read(f->data, "0", &f->split, &err));
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith__fit_state_release(&f->like.state);
    kith_split_release(&f->split);
    kith_dataset_free(f->data);
}

static void put(fixture *f, const char *name, double number)
{
    CHECK(kith__fit_state_set(&f->like.state, name, number));
}

static void say(fixture *f, const char *name, const char *text)
{
    CHECK(kith__fit_state_choose(&f->like.state, name, text));
}

/* EM on features; beliefs "P" or "p"; then steps of lcm of that size. */
static void set_up_learnt(fixture *f, const char *beliefs, double g1)
{
    open_data(f, true);
    say(f, "potentials", "em-features");
    say(f, "prep", "tfidf");
    say(f, "beliefs", beliefs);
    put(f, "a", .2);
    put(f, "start_penalty", .1);
    put(f, "h", .5);
    put(f, "hops", 12);
    put(f, "rounds", 2);
    put(f, "kappa", .85);
    put(f, "unknown", 1);
    put(f, "penalty", 1);
    put(f, "balance", .25);
    put(f, "beta", 1);
    if (g1 > 0) {
        put(f, "g1", g1);
        put(f, "g2", .002);
        put(f, "consistency", .2);
    }
    follow(f);
}

static void set_up_features(fixture *f, const char *beliefs)
{
    set_up_learnt(f, beliefs, 0);
}

static void set_up_labels(fixture *f, int rounds)
{
    open_data(f, rounds > 0);
    say(f, "potentials", "em-labels");
    say(f, "beliefs", "P");
    put(f, "h", .8);
    put(f, "hops", 4);
    put(f, "rounds", rounds);
    if (rounds > 0) {
        put(f, "kappa", .9);
        put(f, "unknown", .3);
        put(f, "penalty", .03);
        put(f, "balance", .5);
        put(f, "beta", .1);
    }
    follow(f);
}

static void set_up_beside(fixture *f, const char *graph)
{
    open_data(f, true);
    say(f, "potentials", "beside");
    say(f, "graph", graph);
    put(f, "blocks", 5); /* own features and neighbours' */
    put(f, "penalty", .1);
    put(f, "strength", .5);
    put(f, "lambda", 1);
    follow(f);
}

/* ---- dense twins --------------------------------------------------------- */

/* a_uv / sqrt(d_u d_v), with `loops` of (A + I), from the graph itself. */
static void dense_graph(const kith_graph *g, int loops, double *W)
{
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *to = kith_graph_neighbours(g);

    memset(W, 0, sizeof(double) * N * N);
    for (int u = 0; u < N; u++) {
        const double d = (double)(rows[u + 1] - rows[u]) + loops;

        if (loops)
            W[u * N + u] = 1 / d;
        for (int64_t p = rows[u]; p < rows[u + 1]; p++)
            W[u * N + to[p]] =
                1 / sqrt(d * ((double)(rows[to[p] + 1] - rows[to[p]]) + loops));
    }
}

/* p_uc of P = sum_{k <= hops} h^k W^k Q, without what node `without` knows. */
static double dense_sum(const kith_solution *s, double h, int hops, int without,
                        int u, int c)
{
    static double W[N * N], p[N], next[N], q[N];

    dense_graph(s->data->graph, 0, W);
    for (int v = 0; v < N; v++)
        p[v] = q[v] = v == without ? 0 : (double)s->b.Q[v * CLASSES + c];
    for (int k = 0; k < hops; k++) {
        for (int v = 0; v < N; v++) {
            next[v] = q[v];
            for (int x = 0; x < N; x++)
                next[v] += h * W[v * N + x] * p[x];
        }
        memcpy(p, next, sizeof(p));
    }
    return p[u];
}

/* The share of the explained class in exp(x / temperature). */
static double share_of(const kith_explanation *e, const double *x,
                       double temperature)
{
    double sum = 0;

    for (int c = 0; c < CLASSES; c++)
        sum += exp((x[c] - x[e->of_class]) / temperature);
    return 1 / sum;
}

/* Without the node that speaks most, before the root and after it. */
static void check_without(const kith_solution *s, const kith_explanation *e,
                          double h, int hops)
{
    double p[CLASSES];

    CHECK(e->without >= 0 && s->trained[e->without] >= 0);
    for (int c = 0; c < CLASSES; c++) {
        p[c] = dense_sum(s, h, hops, e->without, e->node, c);
        if (e->roots)
            p[c] = copysign(pow(fabs(p[c]), .25), p[c]);
    }
    CHECK_NEAR(e->without_probability, share_of(e, p, s->model->temperature),
               e->roots ? 1e-3 : 1e-5);
}

/* Each path is what its edges and its first node's Q say. */
static void check_paths(const kith_solution *s, const kith_explanation *e,
                        double h, int longest)
{
    static double W[N * N];

    dense_graph(s->data->graph, 0, W);
    CHECK(e->n_paths > 0);
    for (int i = 0; i < e->n_paths; i++) {
        const kith_path *p = &e->paths[i];
        double value = (double)s->b.Q[p->node[0] * CLASSES + e->of_class];

        CHECK(p->length <= longest);
        for (int j = 0; j < p->length; j++)
            value *= h * W[p->node[j] * N + p->node[j + 1]];
        CHECK_NEAR(p->value, value, 1e-6);
        CHECK_INT(p->node[p->length], e->node);
    }
}

static void check_spread(fixture *f, double h, int hops)
{
    kith_explanation *e = NULL;
    kith_error err;

    for (int node = 0; node < N; node += 17) {
        double whole;

        CHECK_OK(kith_explain(f->solution, node, -1, 5, &e, &err));
        CHECK_INT(e->kind, KITH_SUM_STEPS);
        CHECK_INT(e->iterations, hops);
        CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
        whole = dense_sum(f->solution, h, hops, -1, node, e->of_class);
        CHECK_NEAR(e->belief / whole, 1, 1e-5);
        for (int v = 0; v < N; v++)
            CHECK_NEAR(
                e->contribution[v],
                whole - dense_sum(f->solution, h, hops, v, node, e->of_class),
                1e-6);
        CHECK_NEAR(e->own + e->through_neighbours, e->belief,
                   1e-5 * fabs(e->belief));
        CHECK_INT(e->clamped, f->solution->trained[node] >= 0);
        check_without(f->solution, e, h, hops);
        check_paths(f->solution, e, h, hops < 6 ? hops : 6);
        kith_explanation_free(e);
    }
    tear_down(f);
}

TEST(propagated_em_is_a_sum_of_its_hops)
{
    fixture f;

    set_up_features(&f, "P");
    CHECK(!f.solution->b.roots);
    check_spread(&f, .5, 12);
}

/* Rounds on features leave other potentials than labels alone; of either kind
 * what is explained is the belief before the root. */
TEST(em_from_labels_is_explained_before_the_root)
{
    for (int rounds = 0; rounds < 2; rounds++) {
        kith_explanation *e = NULL;
        kith_error err;
        double shown;
        fixture f;

        set_up_labels(&f, rounds);
        CHECK_OK(kith_explain(f.solution, 50, -1, 5, &e, &err));
        CHECK(e->roots);
        CHECK(strstr(kith_explanation_words(e), "fourth root") != NULL);
        shown = (double)f.solution->b.P[50 * CLASSES + e->of_class];
        CHECK_NEAR(e->belief, copysign(pow(shown, 4), shown), 1e-9);
        kith_explanation_free(e);
        check_spread(&f, .8, 4);
    }
}

TEST(homophily_of_a_strength_is_a_sum_of_its_hops)
{
    fixture f;

    set_up_beside(&f, "homophily");
    check_spread(&f, .5, 12);
}

/* alpha l_u + b + sum_v w_uv s_v H, less the mean over the classes. */
static double dense_fitted(const kith_solution *s, int without, int u, int c)
{
    const float *H = kith_model_coupling(s->model);
    static double W[N * N];
    double p[CLASSES], mean = 0;

    dense_graph(s->data->graph, 0, W);
    for (int k = 0; k < CLASSES; k++) {
        p[k] = (double)s->b.self_term[u * CLASSES + k];
        for (int v = 0; v < N; v++)
            for (int i = 0; i < CLASSES && v != without; i++)
                p[k] += W[u * N + v] * (double)s->b.Q[v * CLASSES + i] *
                        (double)H[i * CLASSES + k];
        mean += p[k] / CLASSES;
    }
    return p[c] - mean;
}

TEST(a_fitted_coupling_is_one_step_beside_what_is_known_of_the_node)
{
    kith_explanation *e = NULL;
    kith_error err;
    int found = 0;
    fixture f;

    set_up_beside(&f, "fitted");
    for (int node = 0; node < N; node += 17) {
        const kith_solution *s = f.solution;
        double most = 0, without[CLASSES];

        CHECK_OK(kith_explain(s, node, -1, 5, &e, &err));
        CHECK_INT(e->kind, KITH_SUM_BESIDE);
        CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
        CHECK_NEAR(e->belief, dense_fitted(s, -1, node, e->of_class), 1e-5);
        for (int v = 0; v < N; v++) {
            const double part = e->belief -
                                dense_fitted(s, v, node, e->of_class);

            if (v == node)
                continue;
            CHECK_NEAR(e->contribution[v], part, 1e-5);
            most = fmax(most, fabs(part));
        }
        CHECK_NEAR(e->echo, 0, 1e-6);
        CHECK_NEAR(e->own + e->constant + e->through_neighbours, e->belief,
                   1e-5);
        CHECK(e->n_features >
              0); /* all columns: the node's part and the bias */
        CHECK_NEAR(e->feature_sum, e->own + e->constant, 1e-5);
        CHECK_NEAR(e->bias, e->constant, 1e-6); /* as floats */
        CHECK(!e->clamped);
        CHECK(e->n_paths > 0 && e->paths_complete);
        for (int c = 0; c < CLASSES; c++)
            without[c] = dense_fitted(s, e->without, node, c);
        CHECK((e->without < 0) == isnan(e->without_probability));
        found += e->without >= 0;
        if (e->without >= 0)
            CHECK_NEAR(e->without_probability,
                       share_of(e, without, s->model->temperature), 1e-5);
        CHECK_NEAR(fabs(e->paths[0].value), most, 1e-5);
        CHECK_NEAR(fabs(e->neighbours[0].value), most, 1e-5);
        for (int i = 0; i < e->n_paths; i++)
            CHECK_INT(e->paths[i].length, 1);
        kith_explanation_free(e);
    }
    CHECK(found > 0);
    for (int l = 0; l < f.split.n_train; l++) { /* neighbours pass labels on */
        const int u = f.split.train[l];

        CHECK_NEAR(f.solution->b.Q[u * CLASSES + f.data->labels->of[u]], 1,
                   1e-6);
    }
    tear_down(&f);
}

TEST(where_the_graph_is_ignored_a_node_stands_alone)
{
    kith_summand part[KITH_SUMMANDS_MOST];
    kith_explanation *e = NULL;
    kith_error err;
    fixture f;

    set_up_beside(&f, "ignored");
    CHECK_OK(kith_explain(f.solution, 40, -1, 5, &e, &err));
    CHECK_INT(e->kind, KITH_SUM_OWN);
    CHECK(fabs(e->belief) > 0);
    CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
    CHECK_NEAR(e->own + e->constant, e->belief, 1e-6);
    CHECK_NEAR(e->feature_sum, e->belief, 1e-5);
    CHECK_TEXT(e->features[0].of, "own");
    CHECK_INT(e->without, -1);
    CHECK_INT(e->n_labelled + e->n_others + e->n_neighbours + e->n_paths, 0);
    CHECK_INT(kith_explanation_summands(e, part), 2);
    kith_explanation_free(e);
    tear_down(&f);
}

/* B_c less the mean over the classes; the last row is the bias. */
static void dense_column(const kith__logits *l, int c, double *out)
{
    CHECK(l->map.columns < MOST_COLUMNS);
    for (int j = 0; j <= l->map.columns; j++) {
        out[j] = (double)l->B[j * CLASSES + c];
        for (int k = 0; k < CLASSES; k++)
            out[j] -= (double)l->B[j * CLASSES + k] / CLASSES;
    }
}

/* x = X~ B_c but for the features of node `without`, y = x; then so many times
 * y <- .8 O y + .2 x. */
static void dense_seen(const kith_solution *s, int without, int hops, int c,
                       double *y)
{
    const kith__csr_matrix *m = &s->b.logits->x.x;
    static double O[N * N], column[MOST_COLUMNS], next[N], x[N];

    dense_graph(s->data->graph, 1, O);
    dense_column(s->b.logits, c, column);
    for (int v = 0; v < N; v++) {
        x[v] = 0;
        for (int64_t p = kith__row_begin(m, v);
             v != without && p < kith__row_begin(m, v + 1); p++)
            x[v] += (double)m->value[p] * column[kith__column_of(m, p)];
        y[v] = x[v];
    }
    for (int k = 0; k < hops; k++) {
        for (int v = 0; v < N; v++) {
            next[v] = .2 * x[v];
            for (int w = 0; w < N; w++)
                next[v] += .8 * O[v * N + w] * y[w];
        }
        memcpy(y, next, sizeof(next));
    }
}

/* The centred logit, literally: r_u y_u - q_u mu.B_c + b_c. */
static double dense_logit(const kith_solution *s, int without, int u, int c)
{
    const kith__logits *l = s->b.logits;
    const kith__feature_block *b = &l->map.block[0];
    double column[MOST_COLUMNS], y[N], z;

    dense_column(l, c, column);
    dense_seen(s, without, 10, c, y);
    z = (double)b->r[u] * y[u] + column[l->map.columns];
    for (int j = 0; j < l->map.columns; j++)
        z -= (double)b->q[u] * (double)b->mu[j] * column[j];
    return z;
}

TEST(logits_are_a_sum_of_the_features_of_all_nodes)
{
    kith_explanation *e = NULL;
    kith_error err;
    fixture f;

    set_up_features(&f, "p");
    for (int node = 0; node < N; node += 17) {
        double whole;

        CHECK_OK(kith_explain(f.solution, node, -1, 5, &e, &err));
        CHECK_INT(e->kind, KITH_SUM_LOGITS);
        CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
        whole = dense_logit(f.solution, -1, node, e->of_class);
        CHECK_NEAR(e->belief, whole, 1e-5 * fabs(whole));
        for (int v = 0; v < N; v++)
            CHECK_NEAR(e->contribution[v],
                       whole - dense_logit(f.solution, v, node, e->of_class),
                       1e-5);
        CHECK_NEAR(e->feature_sum, e->belief, 1e-5 * fabs(whole));
        CHECK(!e->clamped && e->n_features == 5);
        kith_explanation_free(e);
    }
    tear_down(&f);
}

/* The last hop is y_u = .8 sum_v o_uv y_v + .2 x_u. */
TEST(logits_arrive_through_neighbours_and_along_paths)
{
    enum { U = 33, C = 1 };
    static double O[N * N], x[N], y[N];
    kith_explanation *e = NULL;
    kith_error err;
    fixture f;
    double r;

    set_up_features(&f, "p");
    dense_graph(f.data->graph, 1, O);
    dense_seen(f.solution, -1, 0, C, x);
    dense_seen(f.solution, -1, 9, C, y);
    CHECK_OK(kith_explain(f.solution, U, C, N, &e, &err));
    CHECK(e->n_neighbours > 0 && e->n_paths > 0);
    r = (double)f.solution->b.logits->map.block[0].r[U];
    for (int i = 0; i < e->n_neighbours; i++)
        CHECK_NEAR(e->neighbours[i].value,
                   r * .8 * O[U * N + e->neighbours[i].node] *
                       y[e->neighbours[i].node],
                   1e-6);
    CHECK_NEAR(e->own, r * .2 * x[U], 1e-6);
    CHECK_NEAR(e->own + e->through_neighbours + r * .8 * O[U * N + U] * y[U] +
                   e->constant,
               e->belief, 1e-5);
    for (int i = 0; i < e->n_paths; i++) {
        const kith_path *p = &e->paths[i];
        double value = r * .2 * x[p->node[0]];

        for (int j = 0; j < p->length; j++)
            value *= .8 * O[p->node[j] * N + p->node[j + 1]];
        CHECK_NEAR(p->value, value, 1e-6);
    }
    kith_explanation_free(e);
    tear_down(&f);
}

/* P = Q + W P H by many steps in doubles, without what a node knows. */
static void dense_fixed_point(const kith_solution *s, int without, double *P)
{
    static double next[N * CLASSES], sum[CLASSES];
    const kith__operator *W = &s->op;
    const float *H = s->b.coupling;

    memset(P, 0, sizeof(next));
    for (int step = 0; step < 400; step++) {
        for (int u = 0; u < N; u++) {
            memset(sum, 0, sizeof(sum));
            for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++)
                for (int k = 0; k < CLASSES; k++)
                    sum[k] += (double)W->weights[p] *
                              P[W->neighbours[p] * CLASSES + k];
            for (int c = 0; c < CLASSES; c++) {
                const int i = u * CLASSES + c;

                next[i] = u == without ? 0 : (double)s->b.Q[i];
                for (int k = 0; k < CLASSES; k++)
                    next[i] += sum[k] * (double)H[k * CLASSES + c];
            }
        }
        memcpy(P, next, sizeof(next));
    }
}

/* Potentials of EM, and W and H of lcm's steps on them: for beliefs p those
 * are softmax of the logits, for P what was propagated. */
TEST(weights_learnt_after_em_are_explained_at_the_fixed_point)
{
    static double P[N * CLASSES], less[N * CLASSES];

    for (int kind = 0; kind < 2; kind++) {
        fixture f, em;

        set_up_features(&em, "P");
        set_up_learnt(&f, kind ? "p" : "P", .2);
        CHECK_INT(f.solution->b.linear, KITH__FIXED_POINT);
        CHECK(f.solution->b.certificate.rho < 1);
        for (int i = 0; i < N * CLASSES; i++) /* EM's h is .5 */
            CHECK_NEAR(f.solution->b.Q[i], em.solution->b.Q[i] / .5f, 1e-5);
        dense_fixed_point(f.solution, -1, P);
        for (int i = 0; i < N * CLASSES; i++)
            CHECK_NEAR(f.solution->b.P[i], P[i], 1e-3);
        for (int node = 3; node < N; node += 29) {
            kith_explanation *e = NULL;
            kith_error err;

            CHECK_OK(kith_explain(f.solution, node, -1, 5, &e, &err));
            CHECK_INT(e->kind, KITH_SUM_FIXED_POINT);
            CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
            CHECK(e->n_features > 0);
            for (int v = 0; v < N; v += 7) {
                const int i = node * CLASSES + e->of_class;

                dense_fixed_point(f.solution, v, less);
                CHECK_NEAR(e->contribution[v], P[i] - less[i], 1e-5);
            }
            kith_explanation_free(e);
        }
        tear_down(&f);
        tear_down(&em);
    }
}

/* Steps of size 0 would leave W as it is; these do not. */
TEST(weights_learnt_after_em_differ_from_the_start)
{
    double most = 0;
    fixture f;

    set_up_learnt(&f, "P", .2);
    for (int u = 0; u < N; u++) {
        const kith__operator *start = &f.solution->storage.task.W;

        for (int64_t p = start->rows[u]; p < start->rows[u + 1]; p++)
            most = fmax(most, fabs((double)f.solution->op.weights[p] -
                                   kith__operator_weight(start, u, p)));
    }
    CHECK(most > .01);
    tear_down(&f);
}

TEST(explaining_each_kind_survives_every_failed_allocation)
{
    for (int i = 0; i < 5; i++) {
        kith_explanation *e = NULL;
        kith_solution *s = NULL;
        fixture f;

        if (i == 0)
            set_up_features(&f, "p");
        else if (i == 1)
            set_up_labels(&f, 0);
        else if (i == 2)
            set_up_learnt(&f, "P", .2);
        else
            set_up_beside(&f, i == 3 ? "fitted" : "ignored");
        CHECK_OOM(st = kith_explain(f.solution, 11, -1, 4, &e, NULL),
                  kith_explanation_free(e));
        CHECK_OOM(st = kith_solution_new(f.model, f.data, NULL, &s, NULL),
                  kith_solution_free(s));
        tear_down(&f);
    }
}
