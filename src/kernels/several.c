#include "kernels/several.h"

#include "kernels/neighbour_sum.h"

enum { CHUNK = 1024 }; /* neighbours summed together: hubs lose no digits */

/* One column of each: all of a neighbour's are the lanes of a vector. */
KITH__ALWAYS_INLINE void pull_one(const kith__operator *shape, int64_t count,
                                  const float *w, const float *x, int32_t u,
                                  float *out)
{
    const int32_t *at = shape->neighbours;
    const int64_t end = shape->rows[u + 1];
    const int64_t last = shape->rows[shape->n] - 1;
    kith__v4 all = kith__v4_all(0);

    for (int64_t p = shape->rows[u]; p < end;) {
        const int64_t to = end - p < CHUNK ? end : p + CHUNK;
        kith__v4 sum = kith__v4_all(0);

        for (; p < to; p++) {
            const int64_t soon = p + KITH__AHEAD < last ? p + KITH__AHEAD
                                                        : last;

            __builtin_prefetch(x + count * at[soon]);
            sum += kith__v4_load(w + count * p) *
                   kith__v4_load(x + count * at[p]);
        }
        all += sum;
    }
    for (int j = 0; j < count; j++)
        out[j] = all[j];
}

static void pull_columns(const kith__operator *shape, int count, const float *w,
                         const float *x, int k, int32_t u, float *out)
{
    const int32_t *at = shape->neighbours;
    const int64_t end = shape->rows[u + 1];
    const int64_t last = shape->rows[shape->n] - 1;
    const int64_t row = (int64_t)count * k;

    for (int c = 0; c < row; c++)
        out[c] = 0;
    for (int64_t p = shape->rows[u]; p < end;) {
        const int64_t to = end - p < CHUNK ? end : p + CHUNK;
        float sum[KITH__SEVERAL * KITH__SEVERAL_COLUMNS] = {0};

        for (; p < to; p++) {
            const int64_t soon = p + KITH__AHEAD < last ? p + KITH__AHEAD
                                                        : last;
            const float *xv = x + row * at[p];

            __builtin_prefetch(x + row * at[soon]);
            for (int j = 0; j < count; j++)
                for (int c = 0; c < k; c++)
                    sum[j * k + c] += w[count * p + j] * xv[j * k + c];
        }
        for (int c = 0; c < row; c++)
            out[c] += sum[c];
    }
}

void kith__several_pull(const kith__operator *shape, int count, const float *w,
                        const float *x, int k, int32_t u, float *out)
{
    if (k > 1)
        pull_columns(shape, count, w, x, k, u, out);
    else if (count == KITH__SEVERAL)
        pull_one(shape, KITH__SEVERAL, w, x, u, out);
    else
        pull_one(shape, count, w, x, u, out);
}

/* y > 0; sums in double, since they are to bound something. */
KITH__ALWAYS_INLINE void norm(const kith__operator *shape, int64_t count,
                              const float *w, const float *y, int32_t u,
                              double *out)
{
    typedef double v2d __attribute__((vector_size(16)));
    const int32_t *at = shape->neighbours;
    const int64_t last = shape->rows[shape->n] - 1;
    v2d low = {0, 0}, high = {0, 0};

    for (int64_t p = shape->rows[u]; p < shape->rows[u + 1]; p++) {
        const int64_t soon = p + KITH__AHEAD < last ? p + KITH__AHEAD : last;
        const kith__v4 wy = kith__v4_load(w + count * p) *
                            kith__v4_load(y + count * at[p]);
        const kith__v4 size = kith__v4_max(wy, -wy);

        __builtin_prefetch(y + count * at[soon]);
        low += (v2d){(double)size[0], (double)size[1]};
        high += (v2d){(double)size[2], (double)size[3]};
    }
    for (int j = 0; j < count; j++)
        out[j] = j < 2 ? low[j] : high[j - 2];
}

void kith__several_norm(const kith__operator *shape, int count, const float *w,
                        const float *y, int32_t u, double *out)
{
    if (count == KITH__SEVERAL)
        norm(shape, KITH__SEVERAL, w, y, u, out);
    else
        norm(shape, count, w, y, u, out);
}
