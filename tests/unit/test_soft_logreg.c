/*
 * test_soft_logreg.c: the objective and its gradient against plain loops in
 * double, for more rows than are summed together, and each number of classes.
 */
#include <math.h>

#include "core/alloc.h"
#include "models/potentials/soft_logreg.h"
#include "small_graphs.h"

enum { N = 1300, D = 5, MOST = 9, ROWS = 2 * D + 1 };

/* Two blocks of the same features, one of which is scaled and centred. */
typedef struct scene {
    kith__csc_matrix table;
    float r[N], c[N], q[N], mu[D];
    kith__feature_operator map;
    double F[N][2 * D];
    float target[N * MOST], weight[N];
    double B[ROWS * MOST];
} scene;

static float some(kith__rng *r)
{
    return (float)(2 * kith__rng_real(r) - 1);
}

static void scene_new(scene *s, int k, bool sparse)
{
    kith__rng r = kith__rng_start(4, (uint64_t)k);
    kith__csr_matrix m = {.n = N, .columns = D};
    int64_t at = 0;
    kith_error err;

    memset(s, 0, sizeof(*s));
    m.value = kith__alloc(N * D, sizeof(*m.value));
    if (sparse) {
        m.row = kith__alloc_zeroed(N + 1, sizeof(*m.row));
        m.column = kith__alloc(N * D, sizeof(*m.column));
    }
    for (int j = 0; j < D; j++)
        s->mu[j] = some(&r);
    for (int u = 0; u < N; u++) {
        double sum = 0;

        s->r[u] = some(&r);
        s->c[u] = some(&r);
        s->q[u] = some(&r);
        s->weight[u] = u % 7 == 3 ? 0 : (float)kith__rng_real(&r);
        for (int j = 0; j < D; j++) {
            const float x = some(&r);

            if (sparse && x < -.2f)
                continue;
            if (sparse)
                m.column[at] = j;
            m.value[at++] = x;
            s->F[u][j] = (double)x;
        }
        if (sparse)
            m.row[u + 1] = at;
        for (int j = 0; j < D; j++)
            s->F[u][D + j] = (double)s->r[u] * (double)s->c[u] * s->F[u][j] -
                             (double)s->q[u] * (double)s->mu[j];
        for (int c = 0; c < k; c++)
            sum += s->target[u * k + c] = (float)kith__rng_real(&r) + .01f;
        for (int c = 0; c < k; c++)
            s->target[u * k + c] /= (float)sum;
    }
    for (int i = 0; i < ROWS * k; i++)
        s->B[i] = (double)some(&r);
    CHECK_OK(kith__csc_matrix_new(&m, &s->table, &err));
    s->map = (kith__feature_operator){
        .n = N, .columns = 2 * D, .blocks = 2, .threads = 2};
    s->map.block[0] = (kith__feature_block){.x = &s->table, .a = 1};
    s->map.block[1] = (kith__feature_block){
        .x = &s->table, .a = 1, .r = s->r, .c = s->c, .q = s->q, .mu = s->mu};
}

static double literal(const scene *s, int k, double penalty, double *gradient)
{
    double loss = 0;

    memset(gradient, 0, ROWS * (size_t)k * sizeof(*gradient));
    for (int u = 0; u < N; u++) {
        double z[MOST], sum = 0;

        for (int c = 0; c < k; c++) {
            z[c] = s->B[2 * D * k + c];
            for (int j = 0; j < 2 * D; j++)
                z[c] += s->F[u][j] * s->B[j * k + c];
            sum += exp(z[c]);
        }
        for (int c = 0; c < k; c++) {
            const double t = (double)s->target[u * k + c];
            const double e = (double)s->weight[u] * (exp(z[c]) / sum - t);

            loss += (double)s->weight[u] * t * (log(sum) - z[c]);
            for (int j = 0; j < 2 * D; j++)
                gradient[j * k + c] += e * s->F[u][j];
            gradient[2 * D * k + c] += e;
        }
    }
    for (int i = 0; i < 2 * D * k; i++) {
        loss += penalty / 2 * s->B[i] * s->B[i];
        gradient[i] += penalty * s->B[i];
    }
    return loss;
}

TEST(the_objective_and_its_gradient_equal_plain_loops)
{
    static float Z[N * MOST], G[ROWS * MOST];
    static scene s;

    for (int k = 1; k <= MOST; k++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double got[ROWS * MOST], wanted[ROWS * MOST], loss;
            kith__soft_rows rows;
            kith__feature_workspace room;
            kith_error err;

            scene_new(&s, k, sparse);
            rows = (kith__soft_rows){s.target, s.weight};
            CHECK_OK(kith__feature_workspace_new(&s.map, kith__soft_width(k),
                                                 &room, &err));
            loss = literal(&s, k, .3, wanted);
            CHECK_NEAR(kith__soft_objective(&s.map, &rows, k, .3, s.B, got,
                                            &room, Z, G),
                       loss, 1e-5 * loss);
            for (int i = 0; i < ROWS * k; i++)
                CHECK_NEAR(got[i], wanted[i], 2e-3);
            kith__feature_workspace_release(&room);
            kith__csc_matrix_release(&s.table);
        }
}

/* At the optimum nothing is left of the gradient. */
TEST(the_fit_is_where_the_gradient_is_zero)
{
    enum { K = 3 };
    float B[ROWS * K] = {0};
    double left[ROWS * K], at = 0, before;
    kith__soft_rows rows;
    static scene s;
    kith_error err;

    scene_new(&s, K, true);
    rows = (kith__soft_rows){s.target, s.weight};
    memset(s.B, 0, sizeof(s.B));
    before = literal(&s, K, 2, left);
    CHECK_OK(kith__soft_fit(&s.map, &rows, K, 2, 200, 1e-5, B, &err));
    for (int i = 0; i < ROWS * K; i++)
        s.B[i] = (double)B[i];
    at = literal(&s, K, 2, left);
    CHECK(at < before);
    for (int i = 0; i < ROWS * K; i++)
        CHECK_NEAR(left[i], 0, 5e-3);
    kith__csc_matrix_release(&s.table);
}
