/*
 * test_spectral_bound.c: each number on the way to a bound of rho, against
 * plain loops on a dense matrix.  That bounds are bounds, see
 * test_operator_csr.c.
 */
#include <math.h>

#include "kernels/spectral_bound.h"
#include "small_graphs.h"

enum { N = 200, EACH = 6, MOST = 12 };

/* A ring with chords; symmetric weights of any sign. */
typedef struct scene {
    int64_t rows[N + 1];
    int32_t ids[N * EACH];
    float w[N * EACH];
    double dense[N][N]; /* |W| */
    kith__operator W;
} scene;

static double usual_weight(int u, int v)
{
    return .3 * sin(u * v + u + v);
}

/* Two edges of a ring that outweigh the others. */
static double two_heavy(int u, int v)
{
    const int low = u < v ? u : v, high = u + v - low;

    return high - low != 1 && high - low != N - 1 ? 0
           : low == 17                            ? -.9
           : low == 90                            ? .8
                                                  : .5;
}

static void start(scene *s, double (*weight)(int, int))
{
    int64_t p = 0;

    memset(s, 0, sizeof(*s));
    for (int u = 0; u < N; u++)
        for (int i = 0; i < 3; i++) {
            const int v = (u + (i == 0 ? 1 : 5 * i)) % N;

            s->dense[u][v] = s->dense[v][u] = (double)(float)weight(u, v);
        }
    for (int u = 0; u < N; u++) {
        for (int v = 0; v < N; v++)
            if (s->dense[u][v] != 0) {
                s->ids[p] = v;
                s->w[p++] = (float)s->dense[u][v];
                s->dense[u][v] = fabs(s->dense[u][v]);
            }
        s->rows[u + 1] = p;
    }
    s->W = (kith__operator){.n = N,
                            .rows = s->rows,
                            .neighbours = s->ids,
                            .weights = s->w,
                            .threads = 2};
}

static void start_y(const scene *s, double *y)
{
    for (int u = 0; u < N; u++)
        y[u] = sqrt((double)(s->rows[u + 1] - s->rows[u]) + 1e-12);
}

/* |W| y, and the largest of (|W| y)_u / y_u that are at most `enough`. */
static double sums(const scene *s, const double *y, double enough, double *sum)
{
    double largest = 0;

    for (int u = 0; u < N; u++) {
        sum[u] = 0;
        for (int v = 0; v < N; v++)
            sum[u] += s->dense[u][v] * y[v];
        if (sum[u] / y[u] <= enough)
            largest = fmax(largest, sum[u] / y[u]);
    }
    return largest;
}

/* The least of what the passes see.  The first steps to 1/4 y + |W| y, as
 * nothing is known; then by a sixth of the bound, at first at most 1.  Two
 * passes that gain less than a fiftieth are the last. */
static double literal(const scene *s, int most)
{
    double y[N], sum[N], bound = HUGE_VAL, before = HUGE_VAL, last = HUGE_VAL;
    double shift = .25;

    start_y(s, y);
    for (int i = 0; i < most; i++) {
        const double scale = isinf(bound) ? 1 : 1 / (shift + bound);
        const double largest = sums(s, y, HUGE_VAL, sum);

        before = last;
        last = bound;
        bound = fmin(bound, largest);
        if (bound > .98 * before)
            break;
        for (int u = 0; u < N; u++)
            y[u] = (double)(float)(scale * (shift * y[u] + sum[u]));
        shift = i == 0 ? fmin(1, bound / 6) : bound / 6;
    }
    return bound;
}

TEST(each_pass_sees_what_plain_loops_see)
{
    static scene s;
    double last = HUGE_VAL;
    int better = 0;

    start(&s, usual_weight);
    for (int most = 1; most <= MOST; most++) {
        const double wanted = literal(&s, most);

        CHECK_NEAR(kith__rho_bound(&s.W, most, 0), wanted, 1e-5);
        better += wanted < last - 1e-4;
        last = wanted;
    }
    CHECK(better >= 4);
}

/* Rows above enough are raised until none is: then the bound is the largest
 * that any other row had. */
static double literal_raised(const scene *s, double enough)
{
    double y[N], sum[N], bound = 0;

    start_y(s, y);
    for (int round = 0; round < 20; round++) {
        int above = 0;

        bound = fmax(bound, sums(s, y, enough, sum));
        for (int u = 0; u < N; u++)
            if (sum[u] / y[u] > enough) {
                y[u] = sum[u] / (.25 + .75 * enough);
                above++;
            }
        if (above == 0)
            return bound;
    }
    return HUGE_VAL;
}

TEST(few_rows_are_raised_as_plain_loops_raise_them)
{
    static scene s;

    start(&s, two_heavy);
    for (double enough = 1.2; enough < 1.45; enough += .02) {
        const double bound = literal_raised(&s, enough);

        CHECK(bound <= enough);
        CHECK_NEAR(kith__rho_bound(&s.W, 1, enough), bound, 1e-5);
    }
}

/* Of several W side by side each has the bound it has alone. */
static void two_norms(const void *W, int32_t first, int32_t last,
                      const float *y, double *out)
{
    const scene *s = W;

    for (int32_t u = first; u < last; u++)
        for (int j = 0; j < 2; j++) {
            out[2 * (u - first) + j] = 0;
            for (int64_t p = s->rows[u]; p < s->rows[u + 1]; p++)
                out[2 * (u - first) + j] += fabs((double)s->w[p]) *
                                            (j ? 1 : .7) *
                                            (double)y[2 * s->ids[p] + j];
        }
}

TEST(bounds_side_by_side_are_those_alone)
{
    static scene s, other;
    const double none[2] = {0, 0};
    double both[2];

    start(&s, usual_weight);
    start(&other, usual_weight);
    for (int p = 0; p < s.rows[N]; p++)
        other.w[p] *= .7f;
    for (int most = 1; most <= MOST; most++) {
        const kith__rho_of of = {
            .shape = &s.W, .norm = two_norms, .W = &s, .count = 2};

        CHECK(kith__rho_bounds(&of, most, none, both));
        CHECK_NEAR(both[0], kith__rho_bound(&other.W, most, 0), 1e-5);
        CHECK_NEAR(both[1], kith__rho_bound(&s.W, most, 0), 1e-5);
    }
}
