/*
 * test_feature_matrix.c: features as logistic regression sees them, against the
 * formulas of models/potentials/feature_matrix.h with dense matrices in double.
 */
#include <math.h>

#include "models/potentials/feature_matrix.h"
#include "small_graphs.h"

enum { N = 15, D = 6, K = D };

/* Features in the three forms that there are; nodes 4 and 9 have none. */
typedef struct forms {
    double X[N * D];
    float value[N * D], dense[N * D];
    int64_t row[N + 1];
    int32_t column[N * D];
    kith_features sparse, ones, full;
} forms;

static void forms_new(forms *f, bool ones)
{
    kith__rng r = kith__rng_start(12, 1);
    int64_t at = 0;

    for (int u = 0; u < N; u++) {
        f->row[u] = at;
        for (int j = 0; j < D; j++) {
            const bool none = u == 4 || u == 9 || kith__rng_real(&r) < .4;
            const double x = ones ? 1 : 2 * kith__rng_real(&r) - .7;

            f->dense[u * D + j] = none ? 0 : (float)x;
            f->X[u * D + j] = (double)f->dense[u * D + j];
            if (none)
                continue;
            f->column[at] = j;
            f->value[at++] = (float)x;
        }
    }
    f->row[N] = at;
    f->sparse = (kith_features){.nodes = N,
                                .columns = D,
                                .entries = at,
                                .row = f->row,
                                .column = f->column,
                                .value = f->value};
    f->ones = f->sparse;
    f->ones.value = NULL;
    f->full = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = f->dense};
}

static void unit_rows(double *Y)
{
    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int j = 0; j < D; j++)
            sum += Y[u * D + j] * Y[u * D + j];
        for (int j = 0; sum > 0 && j < D; j++)
            Y[u * D + j] /= sqrt(sum);
    }
}

static void literal_idf(const double *X, double *idf)
{
    int with = 0, df[D] = {0};

    for (int u = 0; u < N; u++) {
        bool any = false;

        for (int j = 0; j < D; j++) {
            df[j] += X[u * D + j] != 0;
            any = any || X[u * D + j] != 0;
        }
        with += any;
    }
    for (int j = 0; j < D; j++)
        idf[j] = log((1.0 + with) / (1.0 + df[j]));
}

static void literal_prepare(const double *X, kith_prep prep, const float *idf,
                            double *Y)
{
    double factor[D];

    literal_idf(X, factor);
    for (int i = 0; i < N * D; i++) {
        Y[i] = X[i];
        if (prep == KITH_PREP_TFIDF)
            Y[i] *= idf ? (double)idf[i % D] : factor[i % D];
        if (prep == KITH_PREP_ROOT)
            Y[i] = copysign(pow(fabs(X[i]), .25), X[i]);
    }
    if (prep != KITH_PREP_NONE)
        unit_rows(Y);
}

/* Y <- D~^-1/2 (A + I) D~^-1/2 Y */
static void literal_smooth(const kith_graph *g, double *Y)
{
    const int64_t *rows = kith_graph_rows(g);
    const float *w = kith_graph_weights(g);
    double A[N * N] = {0}, d[N], Z[N * D] = {0};

    for (int u = 0; u < N; u++) {
        d[u] = A[u * N + u] = 1;
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            A[u * N + kith_graph_neighbours(g)[p]] = w ? (double)w[p] : 1;
            d[u] += w ? (double)w[p] : 1;
        }
    }
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            for (int j = 0; j < D; j++)
                Z[u * D + j] += A[u * N + v] / sqrt(d[u] * d[v]) * Y[v * D + j];
    memcpy(Y, Z, sizeof(Z));
}

/* Rows asked for, and the product with the identity and biases. */
static void compare(const kith__feature_matrix *d, const double *Y)
{
    const int32_t asked[] = {11, 0, 4, 14};
    float B[(D + 1) * K] = {0}, Z[N * K];
    kith__csr_matrix some;
    kith_error err;

    for (int j = 0; j < D; j++) {
        B[j * K + j] = 1;
        B[D * K + j] = (float)j;
    }
    CHECK_OK(kith__feature_matrix_apply(d, B, K, Z, &err));
    for (int i = 0; i < N * D; i++)
        CHECK_NEAR(Z[i], Y[i] + i % D, 2e-6);
    CHECK_OK(kith__feature_matrix_rows(d, asked, 4, &some, &err));
    CHECK_INT(some.n, 4);
    CHECK_INT(some.columns, D);
    for (int r = 0; r < 4; r++) {
        double row[D] = {0};

        for (int64_t p = kith__row_begin(&some, r);
             p < kith__row_begin(&some, r + 1); p++)
            row[kith__column_of(&some, p)] += (double)some.value[p];
        for (int j = 0; j < D; j++)
            CHECK_NEAR(row[j], Y[asked[r] * D + j], 1e-6);
    }
    kith__csr_matrix_release(&some);
}

static void try_each(const kith_graph *g, const kith_features *f,
                     const double *X, const float *idf)
{
    const kith_job job = {.threads = 2};

    for (int prep = KITH_PREP_NONE; prep <= KITH_PREP_ROOT; prep++)
        for (int smooth = 0; smooth <= 3; smooth++) {
            double Y[N * D];
            kith__feature_matrix d;
            kith_error err;

            literal_prepare(X, (kith_prep)prep, idf, Y);
            for (int k = 0; k < smooth; k++)
                literal_smooth(g, Y);
            if (smooth > 0 && prep != KITH_PREP_NONE)
                unit_rows(Y);
            CHECK_OK(kith__feature_matrix_new(g, f, (kith_prep)prep, smooth,
                                              idf, &job, &d, &err));
            compare(&d, Y);
            kith__feature_matrix_release(&d);
        }
}

TEST(features_are_prepared_and_smoothed_as_the_formula_says)
{
    const float idf[D] = {1, 2, .5f, 3, 1.5f, .25f};
    static forms f, ones;

    forms_new(&f, false);
    forms_new(&ones, true);
    for (int weighted = 0; weighted < 2; weighted++) {
        kith_graph *g = small_graph(N, 14, weighted, 21);

        try_each(g, &f.sparse, f.X, NULL);
        try_each(g, &f.full, f.X, NULL);
        try_each(g, &ones.ones, ones.X, NULL);
        try_each(g, &f.sparse, f.X, idf);
        kith_graph_free(g);
    }
}

/* A column that all have says nothing; its factor is log(14 / 14) = 0.  One
 * that nobody has: log 14. */
TEST(tf_idf_of_the_commonest_and_of_no_word)
{
    static forms f;
    kith__csr_matrix x;
    float *idf = NULL;
    kith_error err;

    forms_new(&f, true);
    for (int u = 0; u < N; u++) {
        f.dense[u * D] = u != 4 && u != 9;
        f.dense[u * D + 1] = 0;
    }
    CHECK_OK(
        kith__prepare_features(&f.full, KITH_PREP_TFIDF, NULL, &x, &idf, &err));
    CHECK_NEAR(idf[0], 0, 0);
    CHECK_NEAR(idf[1], log(14), 1e-6);
    kith__csr_matrix_release(&x);
    free(idf);
}

TEST(only_zeros_and_ones_are_binary)
{
    static forms f;

    forms_new(&f, true);
    CHECK(kith__features_binary(&f.ones));
    CHECK(kith__features_binary(&f.full));
    f.dense[N * D - 1] = .5f;
    CHECK(!kith__features_binary(&f.full));
    f.dense[N * D - 1] = 1;
    f.dense[0] = 2;
    CHECK(!kith__features_binary(&f.full));
}

TEST(a_design_survives_every_failed_allocation)
{
    kith_graph *g = small_graph(N, 14, true, 21);
    static forms f;
    kith__feature_matrix d;
    kith_error err;

    forms_new(&f, false);
    CHECK_OOM(st = kith__feature_matrix_new(g, &f.sparse, KITH_PREP_TFIDF, 2,
                                            NULL, NULL, &d, &err),
              kith__feature_matrix_release(&d));
    kith_graph_free(g);
}
