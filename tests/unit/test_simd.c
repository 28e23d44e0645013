/*
 * test_simd.c: the vector functions against the C library's, in double.
 */
#include <math.h>

#include "check.h"
#include "kernels/simd.h"

/* |got - want| in units of the last place of want. */
static double ulps(float got, double want)
{
    const float near = fabsf((float)want);

    return fabs((double)got - want) / (double)(nextafterf(near, 1e30f) - near);
}

TEST(exp_is_within_a_unit_in_the_last_place)
{
    for (double x = -86.9; x < 88; x += 3e-4) {
        const float f = (float)x;

        CHECK(ulps(kith__v4_exp(kith__v4_all(f))[1], exp((double)f)) < 1);
    }
}

TEST(exp_of_little_is_0_and_of_no_number_none)
{
    const kith__v4 x = {-88, -1e30f, -INFINITY, 0};
    const kith__v4 y = kith__v4_exp(x);

    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 1);
    CHECK(isnan(kith__v4_exp(kith__v4_all(NAN))[0]));
}

TEST(log_is_within_a_unit_in_the_last_place)
{
    for (double x = 1.2e-38; x < 3e38; x *= 1.0003) {
        const float f = (float)x;

        CHECK(ulps(kith__v4_log(kith__v4_all(f))[2], log((double)f)) < 1);
    }
    for (double x = .5; x < 2; x += 1e-5) {
        const float f = (float)x;

        CHECK(ulps(kith__v4_log(kith__v4_all(f))[2], log((double)f)) < 1);
    }
    CHECK(kith__v4_log(kith__v4_all(1))[0] == 0);
}

TEST(mantissa_and_exponent_make_the_number)
{
    const kith__v4 x = {1, .75f, 1e-30f, 3e20f};
    const kith__v4 m = kith__v4_mantissa(x);
    const kith__v4i e = kith__v4_exponent(x);

    for (int i = 0; i < 4; i++) {
        CHECK(m[i] >= 1 && m[i] < 2);
        CHECK(ldexpf(m[i], e[i]) == x[i]);
    }
}

TEST(lanes_are_added_compared_and_masked)
{
    const kith__v4 a = {1, -2, 3, -4}, b = {2, -3, 3, 0};
    const kith__v4 most = kith__v4_max(a, b), least = kith__v4_min(a, b);

    for (int i = 0; i < 4; i++) {
        CHECK(most[i] == fmaxf(a[i], b[i]));
        CHECK(least[i] == fminf(a[i], b[i]));
        CHECK(kith__v4_abs(a)[i] == fabsf(a[i]));
        for (int k = 0; k < 12; k++)
            CHECK(kith__v4_within(k, 1)[i] == (4 + i < k ? -1 : 0));
    }
    CHECK(kith__v4_sum(a) == -2);
    CHECK(kith__v4_top(a) == 3 && kith__v4_top(-a) == 4);
}

/* Rows of 1 .. 8 out of an array that ends with the last one, and back. */
TEST(rows_are_read_and_put_up_to_the_very_end)
{
    for (int k = 1; k <= 8; k++) {
        const int n = 5, cells = n * k;
        float *x = malloc(sizeof(float) * (size_t)cells);
        float *y = malloc(sizeof(float) * (size_t)cells), scratch[8];

        for (int i = 0; i < cells; i++)
            x[i] = (float)i;
        for (int u = 0; u < n; u++) {
            const float *row = kith__row_at(x, u * k, cells, k, scratch);
            kith__v4 v[2];

            for (int i = 0; i < kith__vectors(k); i++)
                v[i] = kith__v4_load(row + 4 * i);
            kith__row_put(y, u * k, cells, k, v);
        }
        CHECK(memcmp(x, y, sizeof(float) * (size_t)cells) == 0);
        free(x);
        free(y);
    }
}
