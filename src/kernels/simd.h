/*
 * simd.h: four floats at a time, in the vectors that GCC and clang give to C.
 *
 * A row of k numbers is kith__vectors(k) of them; the lanes beyond k are
 * padding.  Four lanes are what every x86-64 and ARM has, so nothing is chosen
 * at run time and every machine of a kind computes the same bits.
 */
#ifndef KITH_KERNELS_SIMD_H
#define KITH_KERNELS_SIMD_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef float kith__v4 __attribute__((vector_size(16)));
typedef int32_t kith__v4i __attribute__((vector_size(16)));

enum { KITH__LANES = 4 };

/* Rows of up to this many numbers are handled in registers. */
enum { KITH__FEW = 8, KITH__FEW_VECTORS = KITH__FEW / KITH__LANES };

#define KITH__ALWAYS_INLINE static inline __attribute__((always_inline))

static inline int kith__vectors(int k)
{
    return (k + KITH__LANES - 1) / KITH__LANES;
}

/* Floats of a row of k with its padding. */
static inline int kith__padded(int k)
{
    return kith__vectors(k) * KITH__LANES;
}

static inline kith__v4 kith__v4_load(const float *x)
{
    kith__v4 v;

    memcpy(&v, x, sizeof(v)); /* x need not be aligned */
    return v;
}

static inline kith__v4i kith__v4i_load(const int32_t *x)
{
    kith__v4i v;

    memcpy(&v, x, sizeof(v));
    return v;
}

static inline void kith__v4_store(float *x, kith__v4 v)
{
    memcpy(x, &v, sizeof(v));
}

static inline kith__v4 kith__v4_all(float x)
{
    return (kith__v4){x, x, x, x};
}

/* All ones in the lanes of vector i that are among the k of a row. */
static inline kith__v4i kith__v4_within(int k, int i)
{
    const int left = k - i * KITH__LANES;

    return (kith__v4i){-(left > 0), -(left > 1), -(left > 2), -(left > 3)};
}

/* mask ? a : b, lane by lane */
static inline kith__v4 kith__v4_pick(kith__v4i mask, kith__v4 a, kith__v4 b)
{
    return (kith__v4)(((kith__v4i)a & mask) | ((kith__v4i)b & ~mask));
}

/* mask ? a : 0 */
static inline kith__v4 kith__v4_and(kith__v4 a, kith__v4i mask)
{
    return (kith__v4)((kith__v4i)a & mask);
}

static inline kith__v4 kith__v4_max(kith__v4 a, kith__v4 b)
{
#ifdef __SSE2__
    return (kith__v4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return kith__v4_pick(a > b, a, b);
#endif
}

static inline kith__v4 kith__v4_min(kith__v4 a, kith__v4 b)
{
#ifdef __SSE2__
    return (kith__v4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return kith__v4_pick(a < b, a, b);
#endif
}

static inline kith__v4 kith__v4_abs(kith__v4 a)
{
    return (kith__v4)((kith__v4i)a & INT32_MAX);
}

/* (a0 + a2) + (a1 + a3) */
static inline float kith__v4_sum(kith__v4 a)
{
#ifdef __SSE2__
    const __m128 x = (__m128)a, two = _mm_add_ps(x, _mm_movehl_ps(x, x));

    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
    return (a[0] + a[2]) + (a[1] + a[3]);
#endif
}

static inline float kith__v4_top(kith__v4 a)
{
    const float x = a[0] > a[1] ? a[0] : a[1];
    const float y = a[2] > a[3] ? a[2] : a[3];

    return x > y ? x : y;
}

/*
 * Row x of k floats at X + at, as an array that may be read in whole vectors:
 * X itself, whose next row is then the padding, or where X ends, `spare`.
 * X has `cells` floats in all.
 */
KITH__ALWAYS_INLINE const float *
kith__row_at(const float *X, int64_t at, int64_t cells, int k, float *scratch)
{
    const int K = kith__padded(k);

    if (at + K <= cells)
        return X + at;
    for (int c = 0; c < K; c++)
        scratch[c] = c < k ? X[at + c] : 0;
    return scratch;
}

/* Put row y at X + at; what comes after it, before X + end, may be overwritten
 * since it is put later. */
KITH__ALWAYS_INLINE void kith__row_put(float *X, int64_t at, int64_t end, int k,
                                       const kith__v4 *y)
{
    if (at + kith__padded(k) <= end)
        for (int i = 0; i < kith__vectors(k); i++)
            kith__v4_store(X + at + i * KITH__LANES, y[i]);
    else
        for (int c = 0; c < k; c++)
            X[at + c] = y[c / KITH__LANES][c % KITH__LANES];
}

/* A k x k matrix, its padding 0; k at most KITH__FEW. */
KITH__ALWAYS_INLINE void kith__load_small(const float *H, int k,
                                          kith__v4 h[][KITH__FEW_VECTORS])
{
    for (int j = 0; j < k; j++)
        for (int i = 0; i < kith__vectors(k); i++)
            for (int c = 0; c < KITH__LANES; c++)
                h[j][i][c] = i * KITH__LANES + c < k
                                 ? H[j * k + i * KITH__LANES + c]
                                 : 0;
}

/* y + x H, for a row x of k and the matrix as loaded above. */
KITH__ALWAYS_INLINE void kith__row_times(const kith__v4 *x, int k,
                                         kith__v4 h[][KITH__FEW_VECTORS],
                                         kith__v4 *y)
{
    for (int j = 0; j < k; j++)
        for (int i = 0; i < kith__vectors(k); i++)
            y[i] += x[j / KITH__LANES][j % KITH__LANES] * h[j][i];
}

/*
 * exp(x) to 1 unit in the last place, 0 below -87; x at most 88, or no number.
 *
 *     exp(x) = 2^n exp(r),   n = round(x / ln 2),  r = x - n ln 2
 *
 * Adding 1.5 x 2^23 rounds to an integer, which then is in the low bits.  The
 * polynomial and the two parts of ln 2 are those of Moshier's Cephes library.
 */
static inline kith__v4 kith__v4_exp(kith__v4 x)
{
    const kith__v4i seen = ~(x < -87.0f);
    const kith__v4 in = kith__v4_max(kith__v4_all(-87.0f), x);
    const kith__v4 shifted = in * 1.44269504f + 12582912.0f;
    const kith__v4 n = shifted - 12582912.0f;
    const kith__v4 r = in - n * 0.693359375f + n * 2.12194440e-4f;
    const kith__v4i up = ((kith__v4i)shifted - 0x4b400000) << 23;
    kith__v4 y = r * 1.9875691500e-4f + 1.3981999507e-3f;

    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * (r * r) + r + 1.0f;
    return (kith__v4)(((kith__v4i)y + up) & seen);
}

/* x = m 2^e with m in [1, 2), for positive, normal x. */
static inline kith__v4i kith__v4_exponent(kith__v4 x)
{
    return ((kith__v4i)x >> 23) - 127;
}

static inline kith__v4 kith__v4_mantissa(kith__v4 x)
{
    return (kith__v4)(((kith__v4i)x & 0x007fffff) | 0x3f800000);
}

/*
 * log(x) to 1 unit in the last place, for positive, normal x:
 *
 *     log(x) = e ln 2 + log(m),  m in [sqrt 1/2, sqrt 2)
 *
 * with the polynomial of Moshier's Cephes library.
 */
static inline kith__v4 kith__v4_log(kith__v4 x)
{
    const kith__v4i high = kith__v4_mantissa(x) > 1.41421356f; /* -1 or 0 */
    const kith__v4i e = kith__v4_exponent(x) - high;
    const kith__v4 n = __builtin_convertvector(e, kith__v4);
    const kith__v4 m =
        (kith__v4)((kith__v4i)kith__v4_mantissa(x) + (high << 23)) - 1.0f;
    const kith__v4 square = m * m;
    kith__v4 y = m * 7.0376836292e-2f - 1.1514610310e-1f;

    y = y * m + 1.1676998740e-1f;
    y = y * m - 1.2420140846e-1f;
    y = y * m + 1.4249322787e-1f;
    y = y * m - 1.6668057665e-1f;
    y = y * m + 2.0000714765e-1f;
    y = y * m - 2.4999993993e-1f;
    y = y * m + 3.3333331174e-1f;
    y = y * (m * square) - n * 2.12194440e-4f - 0.5f * square;
    return m + y + n * 0.693359375f;
}

/* y += a x, rows of k. */
KITH__ALWAYS_INLINE void kith__add_scaled(float *restrict y, float a,
                                          const float *x, int k)
{
#pragma omp simd
    for (int c = 0; c < k; c++)
        y[c] += a * x[c];
}

#endif
