/*
 * test_suggest_features.c: what a label is worth by features, beside the
 * formulas in dense matrices of doubles, solved anew for every label.
 */
#include "generated.h"

#include "kith/explain.h"

enum { N = 60, C = 3 };

typedef struct fixture {
    kith_dataset *d;
    kith_split split;
    kith_model *model;
    kith_solution *solution;
    float *p;  /* probabilities */
    double *Y; /* N x columns */
    int columns;
} fixture;

static int32_t degree(const kith_graph *g, int32_t u)
{
    return (int32_t)(kith_graph_rows(g)[u + 1] - kith_graph_rows(g)[u]);
}

/* Rows of length 1, four times Y = X + h W Y, length 1 again, less their mean.
 */
static void find_rows(fixture *f)
{
    const kith_graph *g = f->d->graph;
    const kith_features *x = f->d->features;
    const double h = (.9 * C - 1) / (C - 1);
    const int D = f->columns;
    double *X = calloc(N * (size_t)D, sizeof(*X)),
           *next = calloc(N * (size_t)D, sizeof(*X));

    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int64_t p = x->row[u]; p < x->row[u + 1]; p++) {
            X[u * D + x->column[p]] = x->value ? (double)x->value[p] : 1;
            sum += pow(X[u * D + x->column[p]], 2);
        }
        for (int c = 0; sum > 0 && c < D; c++)
            X[u * D + c] /= sqrt(sum);
    }
    memcpy(f->Y, X, N * (size_t)D * sizeof(*X));
    for (int i = 0; i < 4; i++) {
        memcpy(next, X, N * (size_t)D * sizeof(*X));
        for (int32_t u = 0; u < N; u++)
            for (int64_t p = kith_graph_rows(g)[u];
                 p < kith_graph_rows(g)[u + 1]; p++) {
                const int32_t v = kith_graph_neighbours(g)[p];
                const double w = 1 / sqrt((double)degree(g, u) * degree(g, v));

                for (int c = 0; c < D; c++)
                    next[u * D + c] += h * w * f->Y[v * D + c];
            }
        memcpy(f->Y, next, N * (size_t)D * sizeof(*X));
    }
    for (int u = 0; u < N; u++) {
        double sum = 0;

        for (int c = 0; c < D; c++)
            sum += pow(f->Y[u * D + c], 2);
        for (int c = 0; sum > 0 && c < D; c++)
            f->Y[u * D + c] /= sqrt(sum);
    }
    for (int c = 0; c < D; c++) {
        double mean = 0;

        for (int u = 0; u < N; u++)
            mean += f->Y[u * D + c] / N;
        for (int u = 0; u < N; u++)
            f->Y[u * D + c] -= mean;
    }
    free(X);
    free(next);
}

static void set_up(fixture *f, int features)
{
    kith_train_options o;
    kith_error err;

    *f = (fixture){.d = generated_with(N, C, features, .7, 5)};
    CHECK_OK(kith_split_read(f->d, "0", &f->split, &err));
    kith_train_options_init(&o);
    o.job.threads = 2;
    o.fixed = KITH_FIX_ALL;
    o.params.prep = KITH_PREP_NONE;
    o.params.smooth = 0;
    CHECK_OK(
        kith_model_train(f->d, "linbp", &f->split, &o, &f->model, NULL, &err));
    CHECK_OK(kith_solution_new(f->model, f->d, NULL, &f->solution, &err));
    f->columns = f->d->features->columns;
    f->p = malloc(N * C * sizeof(float));
    kith_solution_probabilities(f->solution, f->p);
    f->Y = calloc(N * (size_t)f->columns, sizeof(double));
    find_rows(f);
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith_split_release(&f->split);
    kith_dataset_free(f->d);
    free(f->p);
    free(f->Y);
}

static double product(const fixture *f, int u, int v)
{
    double sum = 0;

    for (int c = 0; c < f->columns; c++)
        sum += f->Y[u * f->columns + c] * f->Y[v * f->columns + c];
    return sum;
}

/* K_uv = y_u'S y_v with n labels at L: K - K_uL (K_LL + m I)^-1 K_Lv, the
 * system solved by elimination. */
static double covariance(const fixture *f, double m, const int32_t *L, int n,
                         int u, int v)
{
    double A[N * (N + 1)], sum = product(f, u, v);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i * (n + 1) + j] = product(f, L[i], L[j]) + (i == j ? m : 0);
        A[i * (n + 1) + n] = product(f, L[i], v);
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            const double ratio = A[i * (n + 1) + k] / A[k * (n + 1) + k];

            for (int j = k; i != k && j <= n; j++)
                A[i * (n + 1) + j] -= ratio * A[k * (n + 1) + j];
        }
    for (int i = 0; i < n; i++)
        sum -= product(f, u, L[i]) * A[i * (n + 1) + n] / A[i * (n + 1) + i];
    return sum;
}

static double worth(const fixture *f, const int32_t *L, int n, int v)
{
    double m = 0, sum = 0;

    for (int u = 0; u < N; u++)
        m += product(f, u, u) / N;
    for (int u = 0; u < N; u++)
        sum += pow(covariance(f, m, L, n, u, v), 2);
    return sum / (covariance(f, m, L, n, v, v) + m);
}

static double unsure(const fixture *f, int v)
{
    double most = 0;

    for (int c = 0; c < C; c++)
        most = fmax(most, (double)f->p[v * C + c]);
    return 1 - most;
}

TEST(influence_is_what_dense_matrices_say)
{
    const int32_t among[] = {1, 5, 17, 23, 40, 41, 59};
    int32_t L[N], known, found, candidates = 0, few[7];
    kith_suggestion s[7];
    kith_error err;
    fixture f;

    set_up(&f, 20);
    known = f.split.n_train;
    memcpy(L, f.split.train, (size_t)known * sizeof(*L));
    for (int i = 0; i < 7; i++)
        if (kith_solution_trained(f.solution, among[i]) < 0)
            few[candidates++] = among[i];
    CHECK(candidates >= 4);
    CHECK_OK(kith_suggest(f.solution, few, candidates, 3, s, &found, &err));
    CHECK_INT(found, 3);
    for (int i = 0; i < found; i++) {
        double best = 0;

        for (int j = 0; j < candidates; j++) {
            bool taken = false;

            for (int k = 0; k < i; k++)
                taken |= s[k].node == few[j];
            if (!taken)
                best = fmax(best,
                            unsure(&f, few[j]) * worth(&f, L, known, few[j]));
        }
        CHECK_NEAR(s[i].influence, worth(&f, L, known, s[i].node),
                   1e-4 * s[i].influence);
        CHECK_NEAR(s[i].uncertainty, unsure(&f, s[i].node), 1e-6);
        CHECK_NEAR(s[i].score, best, 1e-4 * best);
        L[known++] = s[i].node;
    }
    tear_down(&f);
}

/* 600 columns by 256 random signs: products are off by a few hundredths of the
 * lengths, so what the best is worth by a few tenths at most. */
TEST(many_columns_are_projected_and_worth_about_the_same)
{
    kith_suggestion s;
    int32_t found;
    kith_error err;
    fixture f;
    double real;

    set_up(&f, 600);
    CHECK_OK(kith_suggest(f.solution, NULL, 0, 1, &s, &found, &err));
    CHECK_INT(found, 1);
    real = worth(&f, f.split.train, f.split.n_train, s.node);
    CHECK(fabs(s.influence - real) < .3 * real);
    tear_down(&f);
}

TEST(suggesting_by_features_survives_every_failed_allocation)
{
    kith_suggestion s[2];
    int32_t found;
    fixture f;

    set_up(&f, 20);
    CHECK_OOM(st = kith_suggest(f.solution, NULL, 0, 2, s, &found, NULL),
              (void)0);
    tear_down(&f);
}
