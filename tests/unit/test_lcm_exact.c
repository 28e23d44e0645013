/*
 * test_lcm_exact.c: LCM's exact gradient against finite differences of a
 * literal objective, and what it learns.
 */
#include <math.h>

#include "generated.h"
#include "models/lcm/lcm_exact.h"
#include "small_graphs.h"

enum { N = 14, C = 3, L = 9 };

/* ---- a literal objective, in double -------------------------------------- */

typedef struct literal {
    const kith__exact *s;
    double W[N][N], H[C][C], alpha;
} literal;

static void literal_weights(literal *d, const double *x)
{
    const kith__operator *W = &d->s->W;
    double degree[N] = {0};

    memset(d->W, 0, sizeof(d->W));
    for (int u = 0; u < N; u++)
        for (int64_t i = W->rows[u]; i < W->rows[u + 1]; i++) {
            /* both directions count, as when one of them is moved alone */
            d->W[u][W->neighbours[i]] += exp(x[i]) / 2;
            d->W[W->neighbours[i]][u] += exp(x[i]) / 2;
        }
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            degree[u] += d->W[u][v];
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            if (d->W[u][v] > 0)
                d->W[u][v] /= sqrt(degree[u] * degree[v]);
    for (int i = 0; i < C * C; i++)
        d->H[i / C][i % C] = x[W->rows[N] + i];
    d->alpha = exp(x[W->rows[N] + C * C]);
}

/* P = Q + W P H, iterated until nothing can change. */
static void literal_beliefs(const literal *d, int f, double P[N][C])
{
    const kith__exact *s = d->s;
    double Q[N][C];

    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++)
            Q[u][c] = (double)s->out_of_fold->potentials[(f * N + u) * C + c] -
                      1.0 / C;
    for (int l = 0; s->p->clamp && l < L; l++)
        for (int c = 0; s->out_of_fold->fold[l] != f && c < C; c++)
            Q[s->task->train[l]][c] = (c == s->task->truth[l]) - 1.0 / C;
    memcpy(P, Q, sizeof(Q));
    for (int i = 0; i < 200; i++) {
        double next[N][C];

        memcpy(next, Q, sizeof(Q));
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                for (int a = 0; a < C; a++)
                    for (int b = 0; b < C; b++)
                        next[u][b] += d->W[u][v] * P[v][a] * d->H[a][b];
        memcpy(P, next, sizeof(next));
    }
}

static void literal_softmax(const literal *d, const double *p, double *s)
{
    double sum = 0;

    for (int c = 0; c < C; c++)
        sum += exp(d->alpha * p[c]);
    for (int c = 0; c < C; c++)
        s[c] = exp(d->alpha * p[c]) / sum;
}

/* - sum over edges of s_u W_uv (H + centre) s_v' */
static double literal_consistency(const literal *d, double P[N][C])
{
    const double centre = d->s->p->uncentred ? 1.0 / C : 0;
    double S[N][C], sum = 0;

    for (int u = 0; u < N; u++)
        literal_softmax(d, P[u], S[u]);
    for (int u = 0; u < N; u++)
        for (int v = 0; v < u; v++)
            for (int a = 0; a < C; a++)
                for (int b = 0; b < C; b++)
                    sum -= S[u][a] * d->W[u][v] * (d->H[a][b] + centre) *
                           S[v][b];
    return sum;
}

/* log det(bound + sign H), by the formula for three by three. */
static double literal_log_det(const literal *d, double sign)
{
    double M[C][C];

    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++)
            M[a][b] = (a == b ? d->s->p->bound : 0) + sign * d->H[a][b];
    return log(M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) -
               M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
               M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]));
}

static double literal_norms(const literal *d, double per_edge, double per_H)
{
    const bool l1 = d->s->kind == KITH__L1;
    double sum = 0;

    for (int u = 0; u < N; u++)
        for (int v = 0; v < u; v++)
            sum += per_edge * (l1 ? fabs(d->W[u][v]) : d->W[u][v] * d->W[u][v]);
    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++)
            sum += per_H * (l1 ? fabs(d->H[a][b]) : d->H[a][b] * d->H[a][b]);
    return sum;
}

static double literal_objective(const kith__exact *s, const double *x)
{
    const double edges = (double)s->W.rows[N] / 2;
    const double per_edge = s->p->lambda * 5278 / 140 / edges;
    const int folds = s->out_of_fold->folds;
    literal d = {.s = s};
    double J, P[N][C], sigma[C];

    literal_weights(&d, x);
    J = -1e-3 * (literal_log_det(&d, 1) + literal_log_det(&d, -1));
    for (int f = 0; f < folds; f++) {
        literal_beliefs(&d, f, P);
        for (int l = 0; l < L; l++) {
            if (s->out_of_fold->fold[l] != f)
                continue;
            literal_softmax(&d, P[s->task->train[l]], sigma);
            J -= log(sigma[s->task->truth[l]]) / s->out_of_fold->judged;
        }
        if (s->kind == KITH__CONSISTENCY)
            J += per_edge / folds * literal_consistency(&d, P);
    }
    if (s->kind == KITH__L1 || s->kind == KITH__L2)
        J += literal_norms(&d, per_edge, s->p->lambda / 140);
    return J;
}

/* ---- the gradient -------------------------------------------------------- */

/* Random theta, alike in both directions; H symmetric, its rows sum to 0. */
static void random_point(const kith__exact *s, double *x)
{
    const double h[C] = {.11, -.07, .19};
    kith__rng r = kith__rng_start(8, 8);
    double between[N][N];

    for (int u = 0; u < N; u++)
        for (int v = 0; v <= u; v++)
            between[u][v] = between[v][u] = kith__rng_real(&r) - .5;
    for (int u = 0; u < N; u++)
        for (int64_t i = s->W.rows[u]; i < s->W.rows[u + 1]; i++)
            x[i] = between[u][s->W.neighbours[i]];
    for (int a = 0; a < C; a++)
        for (int b = 0; b < C; b++)
            x[s->W.rows[N] + a * C + b] = a == b
                                              ? h[(a + 1) % C] + h[(a + 2) % C]
                                              : -h[C - a - b];
}

/* The derivative by one number alone; by an entry of H along with the others
 * that keep it symmetric and centred. */
static double difference(const kith__exact *s, double *x, int64_t size,
                         const double *way)
{
    const double h = 1e-5;
    double up, down;

    for (int64_t i = 0; i < size; i++)
        x[i] += h * way[i];
    up = literal_objective(s, x);
    for (int64_t i = 0; i < size; i++)
        x[i] -= 2 * h * way[i];
    down = literal_objective(s, x);
    for (int64_t i = 0; i < size; i++)
        x[i] += h * way[i];
    return (up - down) / (2 * h);
}

static void check_gradient(kith__regulariser kind, bool weighted, bool clamp,
                           bool uncentred)
{
    kith_graph *g = small_graph(N, 24, weighted, 5);
    static double x[400], gradient[400], way[400];
    kith__out_of_fold out_of_fold;
    kith_params p;
    kith__exact s;
    small_task t;
    kith_error err;
    int64_t size, at_H;

    kith_params_init(&p);
    p.clamp = clamp;
    p.uncentred = uncentred;
    small_task_new(&t, g, C, L, 2);
    CHECK_OK(kith__out_of_fold_new(&t.task, NULL, &p, &out_of_fold, &err));
    random_potentials(out_of_fold.potentials, out_of_fold.folds * N, C, 3);
    t.task.out_of_fold = &out_of_fold;
    CHECK_OK(kith__exact_new(&t.task, &p, kind, &s, &err));
    size = kith__exact_size(&s);
    at_H = size - C * C - 1;
    CHECK(size <= 400);
    random_point(&s, x);
    CHECK_NEAR(kith__exact_objective(&s, x, gradient), literal_objective(&s, x),
               2e-6);
    for (int64_t i = 0; i < size; i++) { /* theta and alpha */
        if (i == at_H)
            i = size - 1;
        memset(way, 0, sizeof(way));
        way[i] = 1;
        CHECK_NEAR(gradient[i], difference(&s, x, size, way), 2e-6);
    }
    for (int a = 0; a < C; a++) { /* v v' for v = e_a - e_b, rows sum to 0 */
        double *w = way + at_H, along = 0;
        const int b = (a + 1) % C;

        memset(way, 0, sizeof(way));
        w[a * C + a] = w[b * C + b] = 1;
        w[a * C + b] = w[b * C + a] = -1;
        for (int i = 0; i < C * C; i++)
            along += gradient[at_H + i] * w[i];
        CHECK_NEAR(along, difference(&s, x, size, way), 1e-5);
    }
    kith__exact_release(&s);
    kith__out_of_fold_release(&out_of_fold);
    small_task_release(&t);
    kith_graph_free(g);
}

TEST(exact_gradient_equals_finite_differences)
{
    check_gradient(KITH__CONSISTENCY, false, true, false);
    check_gradient(KITH__CONSISTENCY, true, false, true);
    check_gradient(KITH__NONE, false, false, false);
    check_gradient(KITH__L1, false, true, false);
    check_gradient(KITH__L2, true, true, false);
}

/* ---- the guard ----------------------------------------------------------- */

TEST(exact_objective_is_infinite_where_propagation_could_diverge)
{
    kith_graph *g = small_graph(N, 24, false, 5);
    static double x[400], gradient[400];
    kith__out_of_fold out_of_fold;
    kith_params p;
    kith__exact s;
    small_task t;
    kith_error err;
    double *H;

    kith_params_init(&p);
    small_task_new(&t, g, C, L, 2);
    CHECK_OK(kith__out_of_fold_new(&t.task, NULL, &p, &out_of_fold, &err));
    t.task.out_of_fold = &out_of_fold;
    CHECK_OK(kith__exact_new(&t.task, &p, KITH__NONE, &s, &err));
    kith__exact_start(&s, x);
    H = x + kith__exact_size(&s) - C * C - 1;
    for (int sign = -1; sign <= 1; sign += 2) { /* eigenvalues 0, 3/2 h, */
        for (int i = 0; i < C * C; i++)         /* 3/2 h */
            H[i] = sign * (i % (C + 1) == 0 ? 1 : -.5) * .949 / 1.5;
        CHECK(isfinite(kith__exact_objective(&s, x, gradient)));
        for (int i = 0; i < C * C; i++)
            H[i] *= .951 / .949;
        CHECK(isinf(kith__exact_objective(&s, x, gradient)));
    }
    kith__exact_release(&s);
    kith__out_of_fold_release(&out_of_fold);
    small_task_release(&t);
    kith_graph_free(g);
}

/* ---- leaving out --------------------------------------------------------- */

enum { LEARNT = 24 };

/* Do nodes a and b, with each other's class, stay in fold f, and all others
 * where they were? */
static bool dealt_alike(const kith__task *t, int32_t *truth, const int *fold,
                        int f, int a, int b)
{
    const kith__labelled_nodes train = {t->train, truth, t->n_train};
    const int32_t class_of_a = truth[a];
    int now[LEARNT];
    kith_error err;

    if (fold[a] != f || fold[b] != f || truth[a] == truth[b])
        return false;
    truth[a] = truth[b];
    truth[b] = class_of_a;
    CHECK_OK(kith__deal(t, &train, 5, now, &err));
    if (memcmp(now, fold, sizeof(now)) == 0)
        return true;
    truth[b] = truth[a];
    truth[a] = class_of_a;
    return false;
}

/* Potentials of a fold are the same whatever the labels of its nodes are. */
TEST(out_of_fold_labels_do_not_matter)
{
    kith_dataset *d = generated_with(200, 3, 30, .8, 5);
    const int64_t cells = (int64_t)kith_graph_nodes(d->graph) * 3;
    int32_t train[LEARNT], truth[LEARNT];
    kith_params p;
    kith_error err;
    int exchanged = 0;

    kith_params_init(&p);
    for (int f = 0; f < 5; f++) {
        kith__task t = {.graph = d->graph,
                        .n = kith_graph_nodes(d->graph),
                        .classes = 3,
                        .train = train,
                        .truth = truth,
                        .n_train = LEARNT,
                        .threads = 2};
        kith__out_of_fold before, after;
        bool found = false;

        for (int l = 0; l < LEARNT; l++) {
            train[l] = l * 8;
            truth[l] = l % 3;
        }
        CHECK_OK(kith__out_of_fold_new(&t, d->features, &p, &before, &err));
        CHECK_INT(before.folds, 5);
        CHECK_INT(before.judged, LEARNT);
        for (int i = 0; !found && i < LEARNT * LEARNT; i++)
            found = dealt_alike(&t, truth, before.fold, f, i / LEARNT,
                                i % LEARNT);
        CHECK_OK(kith__out_of_fold_new(&t, d->features, &p, &after, &err));
        CHECK(memcmp(before.potentials + f * cells,
                     after.potentials + f * cells,
                     (size_t)cells * sizeof(float)) == 0);
        CHECK(!found == (memcmp(before.potentials + (f + 1) % 5 * cells,
                                after.potentials + (f + 1) % 5 * cells,
                                (size_t)cells * sizeof(float)) == 0));
        exchanged += found;
        kith__out_of_fold_release(&before);
        kith__out_of_fold_release(&after);
    }
    CHECK(exchanged >= 2);
    kith_dataset_free(d);
}

TEST(the_only_node_of_a_class_is_never_out_of_fold)
{
    kith_graph *g = small_graph(N, 24, false, 5);
    kith__out_of_fold out_of_fold;
    kith_params p;
    small_task t;
    kith_error err;

    kith_params_init(&p);
    small_task_new(&t, g, 4, 5, 2); /* classes 0 1 2 3 0 */
    CHECK_OK(kith__out_of_fold_new(&t.task, NULL, &p, &out_of_fold, &err));
    CHECK_INT(out_of_fold.judged, 2);
    CHECK_INT(out_of_fold.folds, 2);
    CHECK_INT(out_of_fold.fold[1], -1);
    CHECK_INT(out_of_fold.fold[0] + out_of_fold.fold[4], 1); /* 0 and 1 */
    kith__out_of_fold_release(&out_of_fold);
    small_task_release(&t);
    kith_graph_free(g);
}

/* ---- the whole ----------------------------------------------------------- */

static double accuracy(const kith_dataset *d, const float *p,
                       const kith_split *split)
{
    const int k = d->labels->classes;
    int right = 0;

    for (int32_t i = 0; i < split->n_test; i++) {
        const float *row = p + (size_t)split->test[i] * (size_t)k;
        int best = 0;

        for (int c = 1; c < k; c++)
            best = row[c] > row[best] ? c : best;
        right += best == d->labels->of[split->test[i]];
    }
    return (double)right / split->n_test;
}

/* Where neighbours differ, LinBP believes the opposite of what is true, and the
 * exact gradient turns the coupling round. */
TEST(exact_learns_that_neighbours_differ)
{
    kith_dataset *d = generated_with(400, 2, 0, .05, 10);
    float *p = room(d), *again = room(d);
    kith_model *linbp = NULL, *exact = NULL, *other = NULL;
    kith_train_options o;
    kith_split split;
    kith_error err;
    double before;

    kith_train_options_init(&o);
    CHECK_OK(kith_split_read(d, "0", &split, &err));
    CHECK_OK(kith_model_train(d, "linbp", &split, &o, &linbp, p, &err));
    before = accuracy(d, p, &split);
    o.params.gradient = KITH_GRADIENT_EXACT;
    o.job.threads = 1;
    CHECK_OK(kith_model_train(d, "lcm", &split, &o, &exact, p, &err));
    CHECK(accuracy(d, p, &split) > fmax(.8, before));
    CHECK(kith_model_coupling(exact)[0] < 0);
    CHECK(kith_model_certificate(exact)->rho < .95);
    o.job.threads = 2;
    CHECK_OK(kith_model_train(d, "lcm", &split, &o, &other, again, &err));
    CHECK(memcmp(p, again, bytes_of(d)) == 0);
    CHECK_OK(kith_model_predict(exact, d, NULL, again, NULL, NULL, &err));
    CHECK(memcmp(p, again, bytes_of(d)) == 0);
    kith_split_release(&split);
    kith_model_free(linbp);
    kith_model_free(exact);
    kith_model_free(other);
    kith_dataset_free(d);
    free(p);
    free(again);
}

/* Beliefs are the sum of W^j Q H^j with the weights and the coupling that come
 * with them: what was learnt is told whole. */
TEST(exact_tells_what_it_learnt)
{
    enum { NODES = 20, K = 3, TRAIN = 12, CELLS = NODES * K };
    kith_graph *g = small_graph(NODES, 40, true, 12);
    static float Q[CELLS], P[CELLS], shown[CELLS], H[K * K], weights[4 * 40];
    static double W[NODES * NODES], now[CELLS], next[CELLS], sum[CELLS];
    kith__beliefs out = {.P = P, .coupling = H, .weights = weights, .Q = shown};
    kith__out_of_fold out_of_fold;
    bool learnt = false;
    kith_params p;
    small_task t;
    kith_error err;

    kith_params_init(&p);
    p.gradient = KITH_GRADIENT_EXACT;
    p.iterations = 9;
    p.tolerance = 0;
    small_task_new(&t, g, K, TRAIN, 2);
    random_potentials(Q, NODES, K, 4);
    CHECK_OK(kith__out_of_fold_new(&t.task, NULL, &p, &out_of_fold, &err));
    t.task.out_of_fold = &out_of_fold;
    CHECK_OK(kith__method_find("lcm")->run(&t.task, &p, Q, &out, &err));
    CHECK_INT(out.certificate.iterations, 9);
    CHECK(out.linear == KITH__SUM && out.has_coupling);
    for (int u = 0; u < NODES; u++)
        for (int64_t e = t.task.W.rows[u]; e < t.task.W.rows[u + 1]; e++) {
            const int v = t.task.W.neighbours[e];

            W[u * NODES + v] = (double)weights[e];
            learnt = learnt || fabsf(weights[e] - t.task.W.weights[e]) > 1e-4f;
        }
    CHECK(learnt);
    for (int i = 0; i < CELLS; i++)
        sum[i] = now[i] = (double)shown[i];
    for (int j = 0; j < 9; j++) {
        memset(next, 0, sizeof(next));
        for (int u = 0; u < NODES; u++)
            for (int v = 0; v < NODES; v++)
                for (int i = 0; i < K; i++)
                    for (int c = 0; c < K; c++)
                        next[u * K + c] += W[u * NODES + v] * now[v * K + i] *
                                           (double)H[i * K + c];
        memcpy(now, next, sizeof(now));
        for (int i = 0; i < CELLS; i++)
            sum[i] += now[i];
    }
    for (int i = 0; i < CELLS; i++) {
        const int u = i / K, c = i % K;

        CHECK_NEAR(P[i], sum[i], 1e-5);
        CHECK_NEAR(shown[i], (u < TRAIN ? c == u % K : (double)Q[i]) - 1.0 / K,
                   1e-6);
    }
    kith__out_of_fold_release(&out_of_fold);
    small_task_release(&t);
    kith_graph_free(g);
}

TEST(exact_survives_every_allocation_failure)
{
    kith_dataset *d = generated_with(60, 2, 10, .8, 4);
    kith_model *m = NULL;
    kith_train_options o;
    kith_split split;
    kith_error err;

    kith_train_options_init(&o);
    o.params.gradient = KITH_GRADIENT_EXACT;
    o.params.outer = 1;
    o.params.inner = 2;
    o.fixed = KITH_FIX_ALL;
    o.job.threads = 1;
    CHECK_OK(kith_split_read(d, "0", &split, &err));
    CHECK_OOM(st = kith_model_train(d, "lcm", &split, &o, &m, NULL, NULL),
              kith_model_free(m));
    kith_split_release(&split);
    kith_dataset_free(d);
}

/* Steps along the gradient keep H symmetric and its rows' sums 0: so must the
 * gradient be. */
TEST(the_gradient_of_the_coupling_is_a_coupling)
{
    for (int clamp = 0; clamp < 2; clamp++) {
        kith_graph *g = small_graph(N, 24, false, 5);
        static double x[400], gradient[400];
        kith__out_of_fold out_of_fold;
        const double *dH;
        kith_params p;
        kith__exact s;
        small_task t;
        kith_error err;
        double largest = 0;

        kith_params_init(&p);
        p.clamp = clamp;
        small_task_new(&t, g, C, L, 2);
        CHECK_OK(kith__out_of_fold_new(&t.task, NULL, &p, &out_of_fold, &err));
        random_potentials(out_of_fold.potentials, out_of_fold.folds * N, C, 3);
        t.task.out_of_fold = &out_of_fold;
        CHECK_OK(kith__exact_new(&t.task, &p, KITH__CONSISTENCY, &s, &err));
        random_point(&s, x);
        kith__exact_objective(&s, x, gradient);
        dH = gradient + kith__exact_size(&s) - C * C - 1;
        for (int i = 0; i < C; i++) {
            double sum = 0;

            for (int j = 0; j < C; j++) {
                sum += dH[i * C + j];
                largest = fmax(largest, fabs(dH[i * C + j]));
                CHECK_NEAR(dH[i * C + j], dH[j * C + i], 1e-12);
            }
            CHECK_NEAR(sum, 0, 1e-12);
        }
        CHECK(largest > 1e-4);
        kith__exact_release(&s);
        kith__out_of_fold_release(&out_of_fold);
        small_task_release(&t);
        kith_graph_free(g);
    }
}
