/*
 * test_feature_blocks.c: what is known of a node, against the words of
 * models/potentials/feature_blocks.h.
 */
#include <math.h>

#include "models/potentials/feature_blocks.h"
#include "models/potentials/spectral_embedding.h"
#include "small_graphs.h"

enum { N = 21, D = 3, BINS = 16 };

/* D columns of numbers, dense and sparse; the last column is constant. */
typedef struct numbers {
    float dense[N * D], value[N * D];
    int64_t row[N + 1];
    int32_t column[N * D];
    kith_features full, sparse;
} numbers;

static void numbers_new(numbers *x)
{
    kith__rng r = kith__rng_start(3, 7);
    int64_t at = 0;

    for (int u = 0; u < N; u++) {
        x->row[u] = at;
        for (int j = 0; j < D; j++) {
            const double v = 5 * kith__rng_real(&r) - 1;
            const float cell = j == D - 1             ? 2.5f
                               : j == 1 && u % 3 == 0 ? 0
                                                      : (float)v;

            x->dense[u * D + j] = cell;
            if (cell != 0) {
                x->column[at] = j;
                x->value[at++] = cell;
            }
        }
    }
    x->row[N] = at;
    x->full = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = x->dense};
    x->sparse = (kith_features){.nodes = N,
                                .columns = D,
                                .entries = at,
                                .row = x->row,
                                .column = x->column,
                                .value = x->value};
}

static int upwards(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* A dense row of `wide` numbers from x: in bins, then standardised if asked. */
static void literal_number(const float *x, int bins, bool plain, int wide,
                           double *out)
{
    float sorted[N];
    double mean = 0, square = 0;

    memcpy(sorted, x, sizeof(sorted));
    qsort(sorted, N, sizeof(*sorted), upwards);
    for (int u = 0; u < N; u++)
        mean += (double)x[u] / N;
    for (int u = 0; u < N; u++)
        square += ((double)x[u] - mean) * ((double)x[u] - mean) / N;
    for (int u = 0; u < N; u++) {
        int bin = 0;

        for (int b = 1; b < bins; b++)
            bin += sorted[N * b / bins] < x[u];
        out[u * wide + bin] = 1;
        if (plain)
            out[u * wide + bins] = square > 0
                                       ? ((double)x[u] - mean) / sqrt(square)
                                       : 0;
    }
}

static void check_table(const kith__csc_matrix *t, int columns,
                        const double *wanted)
{
    CHECK_INT(t->x.n, N);
    CHECK_INT(t->x.columns, columns);
    for (int u = 0; u < N; u++) {
        double row[64] = {0};

        for (int64_t p = kith__row_begin(&t->x, u);
             p < kith__row_begin(&t->x, u + 1); p++)
            row[kith__column_of(&t->x, p)] += (double)t->x.value[p];
        for (int j = 0; j < columns; j++)
            CHECK_NEAR(row[j], wanted[u * columns + j], 1e-5);
    }
}

typedef struct scene {
    kith_graph *g;
    small_task task;
    kith__feature_blocks b;
    kith__feature_operator map;
} scene;

static void scene_new(scene *s, const kith_features *f, bool weighted,
                      unsigned which)
{
    kith_error err;

    s->g = small_graph(N, 30, weighted, 17);
    small_task_new(&s->task, s->g, 3, 6, 2);
    CHECK_OK(kith__feature_blocks_new(&s->task.task, f, &s->b, &err));
    CHECK_OK(kith__feature_blocks_operator(&s->b, which, &s->map, &err));
}

static void scene_release(scene *s)
{
    kith__feature_operator_release(&s->map);
    kith__feature_blocks_release(&s->b);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

TEST(numbers_are_in_bins_and_standardised)
{
    static numbers x;
    static double wanted[N * D * (BINS + 1)];

    numbers_new(&x);
    for (int j = 0; j < D; j++) {
        double one[N * (BINS + 1)] = {0};
        float column[N];

        for (int u = 0; u < N; u++)
            column[u] = x.dense[u * D + j];
        literal_number(column, BINS, true, BINS + 1, one);
        for (int u = 0; u < N; u++)
            memcpy(wanted + (u * D + j) * (BINS + 1), one + u * (BINS + 1),
                   (BINS + 1) * sizeof(*one));
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        scene s;

        scene_new(&s, sparse ? &x.sparse : &x.full, false, KITH__X);
        check_table(&s.b.x, D * (BINS + 1), wanted);
        CHECK_INT(s.map.block[0].each, BINS + 1);
        scene_release(&s);
    }
}

/* Of zeros and ones rows of length 1 are made. */
TEST(binary_features_have_rows_of_length_1)
{
    static numbers x;
    double wanted[N * D];
    scene s;

    numbers_new(&x);
    x.sparse.value = NULL;
    for (int u = 0; u < N; u++)
        for (int j = 0; j < D; j++)
            wanted[u * D + j] =
                x.dense[u * D + j] != 0
                    ? 1 / sqrt((double)(x.row[u + 1] - x.row[u]))
                    : 0;
    scene_new(&s, &x.sparse, false, KITH__X | KITH__AX);
    check_table(&s.b.x, D, wanted);
    CHECK_INT(s.map.blocks, 2);
    CHECK_INT(s.map.block[0].hops, 0);
    CHECK_INT(s.map.block[1].hops, 1);
    CHECK_INT(s.map.block[1].each, 1);
    CHECK(s.map.block[1].x == s.map.block[0].x);
    scene_release(&s);
}

/* More than 64 columns of numbers are as they are, but for their length. */
TEST(many_numbers_are_not_in_bins)
{
    enum { WIDE = 65 };
    static float value[N * WIDE];
    kith_features f = {
        .nodes = N, .columns = WIDE, .entries = N * WIDE, .value = value};
    scene s;

    for (int i = 0; i < N * WIDE; i++)
        value[i] = (float)(i % 7) - 2;
    scene_new(&s, &f, false, KITH__X);
    CHECK_INT(s.b.x.x.columns, WIDE);
    CHECK_INT(s.map.block[0].each, 1);
    scene_release(&s);
    f.columns = WIDE - 1;
    f.entries = N * (WIDE - 1);
    scene_new(&s, &f, false, KITH__X);
    CHECK_INT(s.b.x.x.columns, (WIDE - 1) * (BINS + 1));
    scene_release(&s);
}

TEST(lengths_and_degrees_are_in_bins)
{
    static numbers x;

    numbers_new(&x);
    for (int sparse = 0; sparse < 2; sparse++) {
        double len[N * 8] = {0}, deg[N * 9] = {0};
        float count[N], d[N];
        scene s;

        scene_new(&s, sparse ? &x.sparse : &x.full, true,
                  KITH__LEN | KITH__DEG);
        for (int u = 0; u < N; u++) {
            count[u] = (float)(x.row[u + 1] - x.row[u]);
            d[u] = (float)log(1 + (double)(kith_graph_rows(s.g)[u + 1] -
                                           kith_graph_rows(s.g)[u]));
        }
        literal_number(count, 8, false, 8, len);
        literal_number(d, 8, true, 9, deg);
        check_table(&s.b.len, 8, len);
        check_table(&s.b.deg, 9, deg);
        CHECK_INT(s.map.blocks, 2);
        scene_release(&s);
    }
}

/* G = X X' of a dense table. */
static void gram(const kith__csc_matrix *t, double *G)
{
    const int k = t->x.columns;

    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            G[u * N + v] = 0;
            for (int r = 0; r < k; r++)
                G[u * N + v] += (double)t->x.value[u * k + r] *
                                (double)t->x.value[v * k + r];
        }
}

static void square(const double *M, double *out)
{
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            out[u * N + v] = 0;
            for (int w = 0; w < N; w++)
                out[u * N + v] += M[u * N + w] * M[w * N + v];
        }
}

/*
 * All eigenvectors V of A = V diag(a) V' are there, so that no eigenvalue need
 * be known: of X = V |a|^1/2 it is X X' = |A|, whose square is A A; of
 * X = V |s| for S it is X X' = S S, then scaled to 1 on the diagonal.
 */
TEST(places_in_the_graph_have_the_products_of_its_matrices)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        static double A[N * N], S[N * N], G[N * N], GG[N * N], M[N * N];
        static numbers x;
        scene s;

        numbers_new(&x);
        scene_new(&s, &x.full, weighted, KITH__SPECA | KITH__SPECS);
        CHECK_INT(s.b.speca.x.columns, N);
        dense_weights(&s.task.task.W, S);
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                A[u * N + v] = S[u * N + v] * (double)s.b.root[u] *
                               (double)s.b.root[v];
        gram(&s.b.speca, G);
        square(G, GG);
        square(A, M);
        for (int i = 0; i < N * N; i++)
            CHECK_NEAR(GG[i], M[i], 2e-3);
        gram(&s.b.specs, G);
        square(S, M);
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++) {
                const double scale = sqrt(M[u * N + u] * M[v * N + v]);

                CHECK_NEAR(G[u * N + v], scale > 0 ? M[u * N + v] / scale : 0,
                           2e-3);
            }
        scene_release(&s);
    }
}

/* root is the square root of the weighted degree. */
TEST(roots_are_those_of_degrees)
{
    static numbers x;
    scene s;

    numbers_new(&x);
    scene_new(&s, &x.full, true, KITH__DEG);
    for (int u = 0; u < N; u++) {
        double d = 0;

        for (int64_t p = kith_graph_rows(s.g)[u];
             p < kith_graph_rows(s.g)[u + 1]; p++)
            d += (double)kith_graph_weights(s.g)[p];
        CHECK_NEAR(s.b.root[u] * s.b.root[u], d, 1e-5);
    }
    scene_release(&s);
}
