/*
 * test_methods.c: each method against something that is not itself: a dense
 * solve, enumeration, finite differences, a slow literal twin.
 */
#ifdef KITH_HAVE_LAPACKE
#include <lapacke.h>
#endif

#include "models/lcm/lcm.h"
#include "models/potentials/logreg.h"
#include "small_graphs.h"

static kith_params usual(void)
{
    kith_params p;

    kith_params_init(&p);
    p.clamp = false;
    return p;
}

/* Run a method; P and H in arrays of the caller. */
static void run(const char *method, const kith__task *task,
                const kith_params *p, const float *Q, float *P, float *H,
                kith_certificate *c)
{
    kith__beliefs b = {.P = P, .coupling = H};
    kith_error err;

    CHECK_OK(kith__method_find(method)->run(task, p, Q, &b, &err));
    if (c)
        *c = b.certificate;
}

/* ---- logistic regression ------------------------------------------------- */

TEST(logreg_gradient_equals_finite_differences)
{
    int64_t row[] = {0, 2, 3, 3, 5};
    int32_t column[] = {0, 2, 1, 0, 3}, truth[] = {0, 2, 1, 1};
    float value[] = {.5f, -1, 2, 1, .25f};
    double weight[] = {1, .5, 2, 1}, B[15], g[15], ignored[15];
    kith__csr_matrix m = {4, 4, row, column, value};
    kith__rng r = kith__rng_start(1, 1);

    for (int i = 0; i < 15; i++)
        B[i] = kith__rng_real(&r) - .5;
    kith__logreg_objective(&m, truth, weight, 3, .7, B, g);
    for (int i = 0; i < 15; i++) {
        const double h = 1e-5, at = B[i];
        double up, down;

        B[i] = at + h;
        up = kith__logreg_objective(&m, truth, weight, 3, .7, B, ignored);
        B[i] = at - h;
        down = kith__logreg_objective(&m, truth, weight, 3, .7, B, ignored);
        B[i] = at;
        CHECK_NEAR(g[i], (up - down) / (2 * h), 1e-8);
    }
}

TEST(logreg_fit_is_where_the_gradient_is_zero)
{
    float value[] = {1, 0, 0, 1, 1, 1, .5f, 0}, B[9] = {0};
    int32_t truth[] = {0, 1, 2, 0};
    double at[9], g[9];
    kith__csr_matrix dense = {4, 2, NULL, NULL, value};
    kith_error err;

    CHECK_OK(kith__logreg_fit(&dense, truth, 3, .5, false, B, &err));
    for (int i = 0; i < 9; i++)
        at[i] = (double)B[i];
    kith__logreg_objective(&dense, truth, NULL, 3, .5, at, g);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(g[i], 0, 1e-4);
}

/* Six rows of forty columns are turned into six columns; the gradient of the
 * problem as given must be 0 there too.  Two rows are equal. */
TEST(logreg_of_few_rows_is_the_same_optimum)
{
    enum { L = 6, F = 40, K = 3 };
    float value[L * F], B[(F + 1) * K] = {0};
    int32_t truth[L] = {0, 1, 2, 0, 1, 1};
    double at[(F + 1) * K], g[(F + 1) * K];
    kith__csr_matrix dense = {L, F, NULL, NULL, value};
    kith__rng r = kith__rng_start(3, 3);
    kith_error err;

    for (int i = 0; i < L * F; i++)
        value[i] = (float)(kith__rng_real(&r) - .3);
    memcpy(value + F, value, F * sizeof(*value));
    CHECK_OK(kith__logreg_fit(&dense, truth, K, .5, false, B, &err));
    for (int i = 0; i < (F + 1) * K; i++)
        at[i] = (double)B[i];
    kith__logreg_objective(&dense, truth, NULL, K, .5, at, g);
    for (int i = 0; i < (F + 1) * K; i++)
        CHECK_NEAR(g[i], 0, 2e-4);
}

/* The way to the optimum is another one from the last row to the first; where
 * it ends is the same, for which the sums of methods are sensitive. */
TEST(logreg_of_few_rows_does_not_hang_on_their_order)
{
    enum { L = 100, F = 400, K = 4 };
    static float there[L * F], back[L * F];
    float A[(F + 1) * K] = {0}, B[(F + 1) * K] = {0};
    int32_t truth[L], turned[L];
    const kith__csr_matrix first = {L, F, NULL, NULL, there};
    const kith__csr_matrix last = {L, F, NULL, NULL, back};
    kith__rng r = kith__rng_start(3, 4);
    kith_error err;

    for (int i = 0; i < L * F; i++) {
        there[i] = kith__rng_real(&r) < .1 ? 1 : 0;
        back[(L - 1 - i / F) * F + i % F] = there[i];
    }
    for (int l = 0; l < L; l++)
        turned[L - 1 - l] = truth[l] = (int32_t)(kith__rng_real(&r) * K);
    CHECK_OK(kith__logreg_fit(&first, truth, K, .005, false, A, &err));
    CHECK_OK(kith__logreg_fit(&last, turned, K, .005, false, B, &err));
    for (int i = 0; i < (F + 1) * K; i++)
        CHECK_NEAR(A[i], B[i], 1e-6);
}

/* Balanced, a row counts n / (classes x rows of its class): here 2/3 of three
 * rows, 2 of one each.  Sparse rows, as they are and turned into columns. */
TEST(logreg_balances_classes)
{
    enum { L = 6, K = 3 };
    const int32_t truth[L] = {0, 0, 0, 1, 2, 2};
    const double weight[L] = {2. / 3, 2. / 3, 2. / 3, 2, 1, 1};

    for (int columns = 5; columns <= 40; columns += 35) {
        float value[2 * L], B[41 * K] = {0};
        int64_t row[L + 1];
        int32_t column[2 * L];
        double at[41 * K], g[41 * K];
        const kith__csr_matrix x = {L, columns, row, column, value};
        kith_error err;

        for (int i = 0; i < 2 * L; i++) {
            column[i] = (i * 7 + 3) % columns;
            value[i] = (float)(i % 5) - 1.5f;
            row[i / 2] = i / 2 * 2;
        }
        row[L] = 2 * L;
        CHECK_OK(kith__logreg_fit(&x, truth, K, .5, true, B, &err));
        for (int i = 0; i < (columns + 1) * K; i++)
            at[i] = (double)B[i];
        kith__logreg_objective(&x, truth, weight, K, .5, at, g);
        for (int i = 0; i < (columns + 1) * K; i++)
            CHECK_NEAR(g[i], 0, 2e-4);
    }
}

/* Beliefs of logreg are logarithms of its potentials. */
TEST(logreg_beliefs_are_logarithms)
{
    kith_graph *g = small_graph(5, 4, false, 3);
    const float Q[] = {.25f, .75f, 1, 0, .5f, .5f, .1f, .9f, 0, 1};
    kith_params p = usual();
    kith_certificate cert;
    float P[10], H[4];
    small_task s;

    small_task_new(&s, g, 2, 0, 2);
    run("logreg", &s.task, &p, Q, P, H, &cert);
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(P[i], log(fmax((double)Q[i], 1e-12)), 1e-5);
    CHECK(cert.converged && isnan(cert.rho) && isnan(cert.residual));
    small_task_release(&s);
    kith_graph_free(g);
}

/* ---- LinBP --------------------------------------------------------------- */

/* vec(P) = (I - H (x) W)^-1 vec(Q), solved by LAPACK. */
TEST(linbp_equals_a_dense_solve)
{
#ifdef KITH_HAVE_LAPACKE
    enum { N = 30, C = 3, NC = N * C };
    static double A[NC * NC], b[NC], W[N * N];
    static float Q[NC], P[NC], H[C * C];
    static lapack_int pivot[NC];

    for (int weighted = 0; weighted < 2; weighted++) {
        kith_graph *g = small_graph(N, 50, weighted, 3);
        kith_params p = usual();
        kith_certificate cert;
        small_task s;

        p.iterations = 1000;
        p.tolerance = 1e-7;
        small_task_new(&s, g, C, 0, 2);
        random_potentials(Q, N, C, 1);
        run("linbp", &s.task, &p, Q, P, H, &cert);
        CHECK(cert.converged);
        CHECK_NEAR(cert.rho, (0.9 * C - 1) / (C - 1), 1e-5);
        dense_weights(&s.task.W, W);
        for (int u = 0; u < N; u++)
            for (int c = 0; c < C; c++) {
                b[u * C + c] = (double)Q[u * C + c] - 1.0 / C;
                for (int v = 0; v < N; v++)
                    for (int j = 0; j < C; j++)
                        A[(u * C + c) * NC + v * C + j] =
                            (u == v && c == j) -
                            W[u * N + v] * (double)H[j * C + c];
            }
        CHECK_INT(LAPACKE_dgesv(LAPACK_ROW_MAJOR, NC, 1, A, NC, pivot, b, 1),
                  0);
        for (int i = 0; i < NC; i++)
            CHECK_NEAR(P[i], b[i], 2e-6);
        small_task_release(&s);
        kith_graph_free(g);
    }
#else
    check_skip("built without LAPACKE");
#endif
}

/* ---- BP ------------------------------------------------------------------ */

/* Marginals by summing over all C^n states: psi_uv = 1/C + w_uv H. */
static void enumerate(const kith__task *t, const float *Q, const float *H,
                      double *marginal)
{
    const int n = t->n, C = t->classes;
    double W[SMALL_MOST * SMALL_MOST], total = 0;
    int state[SMALL_MOST] = {0};

    dense_weights(&t->W, W);
    memset(marginal, 0, sizeof(*marginal) * (size_t)(n * C));
    for (;;) {
        double p = 1;
        int u = 0;

        for (int i = 0; i < n; i++) {
            p *= (double)Q[i * C + state[i]];
            for (int j = 0; j < i; j++)
                if (W[i * n + j] != 0)
                    p *= 1.0 / C +
                         W[i * n + j] * (double)H[state[i] * C + state[j]];
        }
        total += p;
        for (int i = 0; i < n; i++)
            marginal[i * C + state[i]] += p;
        while (u < n && ++state[u] == C)
            state[u++] = 0;
        if (u == n)
            break;
    }
    for (int i = 0; i < n * C; i++)
        marginal[i] /= total;
}

static void check_bp(const char *edges, int n, int C, double damping,
                     double tolerance)
{
    float Q[SMALL_MOST], P[SMALL_MOST], H[16];
    double exact[SMALL_MOST];
    kith_graph *g = NULL;
    kith_params p = usual();
    kith_certificate cert;
    small_task s;
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("bp.tsv", edges), NULL, &g, NULL, &err));
    small_task_new(&s, g, C, 0, 1);
    random_potentials(Q, n, C, 4);
    p.iterations = 500;
    p.tolerance = 1e-6; /* of a logarithm, in float */
    p.damping = damping;
    run("bp", &s.task, &p, Q, P, H, &cert);
    CHECK(cert.converged);
    enumerate(&s.task, Q, H, exact);
    for (int u = 0; u < n; u++) {
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += exp((double)P[u * C + c]);
        for (int c = 0; c < C; c++)
            CHECK_NEAR(exp((double)P[u * C + c]) / sum, exact[u * C + c],
                       tolerance);
    }
    small_task_release(&s);
    kith_graph_free(g);
}

TEST(bp_is_exact_on_trees)
{
    check_bp("0\t1\n", 2, 2, 0, 1e-6);
    check_bp("0\t1\n1\t2\n2\t3\n", 4, 3, 0, 1e-6);
    check_bp("0\t1\n0\t2\n0\t3\n3\t4\n3\t5\n", 6, 3, 0, 1e-6);
    check_bp("0\t1\n0\t2\n0\t3\n3\t4\n3\t5\n", 6, 3, .5, 1e-5);
    check_bp("0\t1\n2\t3\n", 4, 4, 0, 1e-6); /* two components */
}

/* With loops it is an approximation; weak couplings make it a good one. */
TEST(bp_is_near_on_tiny_loopy_graphs)
{
    check_bp("0\t1\n1\t2\n2\t0\n", 3, 2, 0, .02);
    check_bp("0\t1\n1\t2\n2\t3\n3\t0\n", 4, 3, .2, .02);
}

/*
 * The literal twin: messages as logarithms in double, all renewed from the old.
 * m[u][v] is what u sends to v.  Returns the largest change of the last round.
 */
static double literal_bp(const kith__task *t, const float *Q, const float *H,
                         double damping, int rounds, double *P)
{
    static double m[SMALL_MOST][SMALL_MOST][SMALL_MOST];
    static double next[SMALL_MOST][SMALL_MOST][SMALL_MOST];
    const int n = t->n, C = t->classes;
    double W[SMALL_MOST * SMALL_MOST], change = 0;

    dense_weights(&t->W, W);
    for (int i = 0; i < n * n * C; i++)
        m[i / C / n][i / C % n][i % C] = -log(C);
    for (int round = 0; round <= rounds; round++) {
        for (int u = 0; u < n; u++)
            for (int c = 0; c < C; c++) {
                P[u * C + c] = log((double)Q[u * C + c]);
                for (int w = 0; w < n; w++)
                    P[u * C + c] += W[w * n + u] != 0 ? m[w][u][c] : 0;
            }
        change = round < rounds ? 0 : change;
        for (int e = 0; e < n * n && round < rounds; e++) {
            const int u = e / n, v = e % n;
            double to[SMALL_MOST] = {0}, all = 0, sum = 0;

            for (int i = 0; W[e] != 0 && i < C; i++) {
                const double x = exp(P[u * C + i] - m[v][u][i] - P[u * C]);

                sum += x;
                for (int j = 0; j < C; j++)
                    to[j] += x * (1.0 / C + W[e] * (double)H[i * C + j]);
            }
            for (int j = 0; j < C; j++)
                all += to[j];
            for (int j = 0; W[e] != 0 && sum > 0 && j < C; j++) {
                next[u][v][j] = damping * m[u][v][j] +
                                (1 - damping) * log(to[j] / all);
                change = fmax(change, fabs(next[u][v][j] - m[u][v][j]));
            }
        }
        memcpy(m, next, sizeof(m));
    }
    return change;
}

static void check_literal_bp(int C, double damping, bool weighted)
{
    enum { N = 40, ROUNDS = 6 };
    kith_graph *g = small_graph(N, 90, weighted, 3);
    kith_params p = usual();
    static float Q[N * SMALL_MOST], P[N * SMALL_MOST];
    static float H[SMALL_MOST * SMALL_MOST];
    static double want[N * SMALL_MOST];
    kith_certificate cert;
    double change;
    small_task s;

    small_task_new(&s, g, C, 0, 2);
    random_potentials(Q, N, C, 4);
    p.iterations = ROUNDS;
    p.tolerance = 0;
    p.damping = damping;
    run("bp", &s.task, &p, Q, P, H, &cert);
    change = literal_bp(&s.task, Q, H, damping, ROUNDS, want);
    CHECK_NEAR(cert.residual, change, 2e-6);
    for (int i = 0; i < N * C; i++)
        CHECK_NEAR(P[i], want[i], 1e-5);
    small_task_release(&s);
    kith_graph_free(g);
}

TEST(bp_equals_its_literal_twin)
{
    for (int C = 2; C <= 9; C++) {
        check_literal_bp(C, 0, false);
        check_literal_bp(C, .3, true);
    }
    check_literal_bp(13, .5, false);
}

/* A star: one half of the leaves is sure of class 0, the other of class 1, so
 * that partial products leave any float's range both ways.  By hand: each leaf
 * sends (1 - a w) / 2 + a w phi, w = d^-1/2, a = .8. */
TEST(bp_survives_a_star_of_many_leaves)
{
    enum { LEAVES = 100000 };
    float *Q = malloc(sizeof(float) * 2 * (LEAVES + 1)), H[4];
    float *P = malloc(sizeof(float) * 2 * (LEAVES + 1)), *first = NULL;
    char *text = malloc(LEAVES * 16), *at = text;
    const double aw = .8 / sqrt(LEAVES), sure = (double)(1 - 1e-6f);
    const double to_0 = log((1 - aw) / 2 + aw * sure);
    const double to_1 = log((1 - aw) / 2 + aw * (double)1e-6f);
    kith_params p = usual();
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 1; i <= LEAVES; i++)
        at += snprintf(at, 16, "0\t%d\n", i);
    CHECK_OK(
        kith_graph_read(check_file("star.tsv", text), NULL, &g, NULL, &err));
    for (int i = 0; i <= LEAVES; i++) {
        Q[2 * i] = i == 0 ? .5f : i <= LEAVES / 2 ? 1 - 1e-6f : 1e-6f;
        Q[2 * i + 1] = 1 - Q[2 * i];
    }
    p.iterations = 3;
    for (int threads = 1; threads <= 4; threads++) {
        const size_t bytes = sizeof(float) * 2 * (LEAVES + 1);
        small_task s;

        small_task_new(&s, g, 2, 0, threads);
        run("bp", &s.task, &p, Q, P, H, NULL);
        for (int i = 0; i < 2 * (LEAVES + 1); i++)
            CHECK(isfinite(P[i]));
        for (int c = 0; c < 2; c++)
            CHECK_NEAR(P[c], log(.5) + LEAVES / 2 * (to_0 + to_1), .05);
        if (!first)
            first = memcpy(malloc(bytes), P, bytes);
        CHECK(memcmp(first, P, bytes) == 0);
        small_task_release(&s);
    }
    kith_graph_free(g);
    free(first);
    free(text);
    free(Q);
    free(P);
}

/* ---- LCM ----------------------------------------------------------------- */

/* The literal twin: the paper's formulas on dense matrices in double. */
enum { LN = 20, LC = 3 };

typedef struct literal {
    int n, C, L;
    const int32_t *train, *truth;
    bool A[LN][LN]; /* is there an edge? */
    double W[LN][LN], H[LC][LC], Q[LN][LC], P[LN][LC], S[LN][LC];
} literal;

static void literal_softmax(const double *x, int C, double *out)
{
    double sum = 0;

    for (int c = 0; c < C; c++)
        sum += out[c] = exp(x[c]);
    for (int c = 0; c < C; c++)
        out[c] /= sum;
}

static void literal_next(const literal *s, double P[LN][LC])
{
    for (int u = 0; u < s->n; u++)
        for (int c = 0; c < s->C; c++) {
            P[u][c] = s->Q[u][c];
            for (int v = 0; v < s->n; v++)
                for (int j = 0; j < s->C; j++)
                    P[u][c] += s->W[u][v] * s->P[v][j] * s->H[j][c];
        }
}

/* The loss at fixed P: errors of the next P and the regulariser. */
static double literal_loss(const literal *s, kith__regulariser kind,
                           double lambda)
{
    double next[LN][LC], loss = 0, reg = 0, sigma[LC];

    literal_next(s, next);
    for (int l = 0; l < s->L; l++) {
        literal_softmax(next[s->train[l]], s->C, sigma);
        loss -= log(sigma[s->truth[l]]);
    }
    for (int u = 0; u < s->n; u++)
        for (int v = 0; v < u; v++) {
            if (!s->A[u][v])
                continue;
            if (kind == KITH__L1)
                reg += fabs(s->W[u][v]);
            if (kind == KITH__L2)
                reg += s->W[u][v] * s->W[u][v];
            for (int i = 0; kind == KITH__CONSISTENCY && i < s->C; i++)
                for (int j = 0; j < s->C; j++)
                    reg -= s->S[u][i] * s->W[u][v] * s->H[i][j] * s->S[v][j];
        }
    for (int i = 0; i < s->C; i++)
        for (int j = 0; j < s->C; j++) {
            if (kind == KITH__L1)
                reg += fabs(s->H[i][j]);
            if (kind == KITH__L2)
                reg += s->H[i][j] * s->H[i][j];
        }
    return loss + lambda * reg;
}

/* Both from the same start: random potentials, the usual W and H. */
static void start_both(literal *d, kith__lcm *s, const small_task *t,
                       const kith_params *p, kith__regulariser kind,
                       const float *Q)
{
    double W[LN * LN];
    kith_error err;

    CHECK_OK(kith__lcm_new(&t->task, p, kind, s, &err));
    kith__centre_potentials(&t->task, Q, p->clamp, s->Q);
    memcpy(s->P, s->Q, sizeof(float) * LN * LC);
    dense_weights(&t->task.W, W);
    *d = (literal){.n = LN,
                   .C = LC,
                   .L = t->task.n_train,
                   .train = t->task.train,
                   .truth = t->task.truth};
    for (int u = 0; u < LN; u++) {
        for (int v = 0; v < LN; v++) {
            d->W[u][v] = W[u * LN + v];
            d->A[u][v] = W[u * LN + v] != 0;
        }
        for (int c = 0; c < LC; c++)
            d->P[u][c] = d->Q[u][c] = (double)s->Q[u * LC + c];
    }
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            d->H[i][j] = (double)s->H[i * LC + j];
}

/* P <- next P and S in both. */
static void advance_both(literal *d, kith__lcm *s)
{
    double next[LN][LC];

    literal_next(d, next);
    memcpy(d->P, next, sizeof(next));
    for (int u = 0; u < LN; u++) {
        literal_softmax(d->P[u], LC, d->S[u]);
        for (int c = 0; c < LC; c++) {
            s->P[u * LC + c] = (float)d->P[u][c];
            s->S[u * LC + c] = (float)d->S[u][c];
        }
    }
}

static double weight_at(const kith__lcm *s, int u, int v)
{
    for (int64_t p = s->W.rows[u]; p < s->W.rows[u + 1]; p++)
        if (s->W.neighbours[p] == v)
            return (double)s->w[p];
    return 0;
}

/* The gradient by central differences of the literal loss.  W is symmetric, so
 * both entries move; the paper's dH takes each entry's own share of H_ij and
 * H_ji, twice the plain one for the errors, once for the regulariser. */
static double slope_W(literal *d, int u, int v, kith__regulariser kind,
                      double lambda)
{
    const double h = 1e-6, at = d->W[u][v];
    double up, down;

    d->W[u][v] = d->W[v][u] = at + h;
    up = literal_loss(d, kind, lambda);
    d->W[u][v] = d->W[v][u] = at - h;
    down = literal_loss(d, kind, lambda);
    d->W[u][v] = d->W[v][u] = at;
    return (up - down) / (2 * h);
}

static double slope_H(literal *d, int i, int j, kith__regulariser kind,
                      double lambda)
{
    const double h = 1e-6, at = d->H[i][j];
    double up, down;

    d->H[i][j] = at + h;
    up = literal_loss(d, kind, lambda);
    d->H[i][j] = at - h;
    down = literal_loss(d, kind, lambda);
    d->H[i][j] = at;
    return (up - down) / (2 * h);
}

static double paper_dH(literal *d, int i, int j, kith__regulariser kind,
                       double lambda)
{
    const double errors = slope_H(d, i, j, KITH__NONE, 0) +
                          slope_H(d, j, i, KITH__NONE, 0);
    const double reg_ij = slope_H(d, i, j, kind, lambda) -
                          slope_H(d, i, j, KITH__NONE, 0);
    const double reg_ji = slope_H(d, j, i, kind, lambda) -
                          slope_H(d, j, i, KITH__NONE, 0);

    return errors + (reg_ij + reg_ji) / 2;
}

static void check_gradients(kith__regulariser kind, bool clamp)
{
    kith_graph *g = small_graph(LN, 40, false, 11);
    kith_params p = usual();
    float Q[LN * LC];
    double dW[LN][LN], dH[LC][LC];
    kith_error err;
    small_task t;
    kith__lcm s;
    literal d;

    p.as_written = true;
    p.clamp = clamp;
    p.g1 = p.g2 = .01;
    p.lambda = .3;
    small_task_new(&t, g, LC, 7, 2);
    random_potentials(Q, LN, LC, 2);
    start_both(&d, &s, &t, &p, kind, Q);
    advance_both(&d, &s);
    for (int u = 0; u < LN; u++)
        for (int v = 0; v < LN; v++)
            dW[u][v] = d.A[u][v] ? slope_W(&d, u, v, kind, p.lambda) : 0;
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            dH[i][j] = paper_dH(&d, i, j, kind, p.lambda);
    CHECK_OK(kith__lcm_inner_step(&s, &err));
    for (int u = 0; u < LN; u++)
        for (int v = 0; v < LN; v++)
            if (d.A[u][v])
                CHECK_NEAR((d.W[u][v] - weight_at(&s, u, v)) / p.g1, dW[u][v],
                           2e-4);
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            CHECK_NEAR((d.H[i][j] - (double)s.H[i * LC + j]) / p.g2, dH[i][j],
                       2e-3);
    kith__lcm_release(&s);
    small_task_release(&t);
    kith_graph_free(g);
}

TEST(lcm_gradients_equal_finite_differences)
{
    check_gradients(KITH__NONE, false);
    check_gradients(KITH__CONSISTENCY, false);
    check_gradients(KITH__CONSISTENCY, true);
    check_gradients(KITH__L1, false);
    check_gradients(KITH__L2, false);
}

/* One literal step: W -= g1 dW, H -= g2 dH with the slopes above. */
static void literal_step(literal *d, kith__regulariser kind,
                         const kith_params *p)
{
    double dW[LN][LN] = {{0}}, dH[LC][LC];

    for (int u = 0; u < LN; u++)
        for (int v = 0; v < LN; v++)
            if (d->A[u][v])
                dW[u][v] = slope_W(d, u, v, kind, p->lambda);
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            dH[i][j] = paper_dH(d, i, j, kind, p->lambda);
    for (int u = 0; u < LN; u++)
        for (int v = 0; v < LN; v++)
            d->W[u][v] -= p->g1 * dW[u][v];
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            d->H[i][j] -= p->g2 * dH[i][j];
}

static void check_whole(const char *method, kith__regulariser kind)
{
    kith_graph *g = small_graph(LN, 40, false, 13);
    kith_params p = usual();
    float Q[LN * LC], P[LN * LC], H[LC * LC];
    double next[LN][LC];
    small_task t;
    kith__lcm s;
    literal d;

    p.as_written = true;
    small_task_new(&t, g, LC, 7, 2);
    random_potentials(Q, LN, LC, 5);
    start_both(&d, &s, &t, &p, kind, Q);
    for (int o = 0; o < p.outer; o++) {
        advance_both(&d, &s);
        for (int i = 0; i < p.inner; i++)
            literal_step(&d, kind, &p);
    }
    literal_next(&d, next);
    run(method, &t.task, &p, Q, P, H, NULL);
    for (int i = 0; i < LC; i++)
        for (int j = 0; j < LC; j++)
            CHECK_NEAR(H[i * LC + j], d.H[i][j], 1e-5);
    for (int u = 0; u < LN; u++)
        for (int c = 0; c < LC; c++)
            CHECK_NEAR(P[u * LC + c], next[u][c], 1e-5);
    kith__lcm_release(&s);
    small_task_release(&t);
    kith_graph_free(g);
}

TEST(lcm_equals_its_literal_twin)
{
    check_whole("lcm", KITH__CONSISTENCY);
    check_whole("lcm-wo", KITH__NONE);
    check_whole("lcm-l1", KITH__L1);
    check_whole("lcm-l2", KITH__L2);
}

/* Steps of 0 leave LinBP: after few iterations, and where many are left to the
 * fixed point, which LCM finds by other means. */
TEST(lcm_without_steps_is_linbp)
{
    kith_graph *g = small_graph(LN, 40, true, 17);
    kith_params p = usual();
    float Q[LN * LC], P[LN * LC], R[LN * LC], H[LC * LC];
    small_task t;

    p.g1 = p.g2 = 0;
    small_task_new(&t, g, LC, 7, 1);
    random_potentials(Q, LN, LC, 5);
    for (int many = 0; many < 2; many++) {
        p.iterations = many ? 1000 : 12;
        p.tolerance = many ? 1e-7 : 0;
        run("linbp", &t.task, &p, Q, P, H, NULL);
        run("lcm", &t.task, &p, Q, R, H, NULL);
        for (int i = 0; i < LN * LC; i++)
            CHECK_NEAR(P[i], R[i], 1e-6);
    }
    small_task_release(&t);
    kith_graph_free(g);
}

/* Absurd steps on random graphs: the guard keeps the product below its bound
 * and the beliefs finite. */
TEST(the_guard_holds)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        kith_graph *g = small_graph(40, 100, seed % 2, seed);
        const int C = 2 + (int)(seed % 9);
        kith_params p = usual();
        float Q[40 * 10], P[40 * 10], H[100];
        kith_certificate cert;
        small_task t;

        p.g1 = 5;
        p.g2 = .1;
        p.lambda = 3;
        small_task_new(&t, g, C, 12, 2);
        random_potentials(Q, 40, C, seed);
        run("lcm", &t.task, &p, Q, P, H, &cert);
        CHECK(cert.rho <= p.bound * (1 + 1e-6));
        for (int i = 0; i < 40 * C; i++)
            CHECK(isfinite(P[i]));
        for (int i = 0; i < C; i++) {
            double sum = 0;

            for (int j = 0; j < C; j++) {
                sum += (double)H[i * C + j];
                CHECK_NEAR(H[i * C + j], H[j * C + i], 1e-5);
            }
            CHECK_NEAR(sum, 0, 1e-4);
        }
        small_task_release(&t);
        kith_graph_free(g);
    }
}
