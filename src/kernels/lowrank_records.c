/*
 * lowrank_records.c: the records of kernels/operator_lowrank.h, and what goes
 * into them.
 */
#include <string.h>

#include "core/alloc.h"
#include "kernels/operator_lowrank.h"

enum { MOST_C = KITH__LOWRANK_CLASSES, LINE = 64 };

int kith__lowrank_vectors(int C, int carried, int terms)
{
    return kith__vectors(1 + carried + (C - 1) * terms);
}

/* Records within lines of the cache: d^-1/2 first, and 0. */
static bool new_records(kith__lowrank *I)
{
    const kith__operator *start = &I->start;
    const int stride = I->vectors * KITH__LANES;
    int64_t cells = 0;

    if (kith__multiply(start->n, stride, &cells) &&
        kith__add(cells, LINE / (int)sizeof(float), &cells))
        I->block = kith__alloc_big(cells, sizeof(float));
    if (!I->block)
        return false;
    I->records = (float *)(((uintptr_t)I->block + LINE - 1) / LINE * LINE);
#pragma omp parallel for num_threads(start->threads) schedule(static)
    for (int32_t u = 0; u < start->n; u++) {
        float *r = kith__lowrank_record(I, u);

        memset(r, 0, (size_t)stride * sizeof(*r));
        r[0] = start->scale[u];
    }
    return true;
}

kith_status kith__lowrank_new(const kith__operator *start, int C, int carried,
                              int terms, const int32_t *train, int32_t n_train,
                              kith__lowrank *out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__lowrank){.start = *start,
                           .C = C,
                           .carried = carried,
                           .vectors = kith__lowrank_vectors(C, carried, terms)};
    TRY(kith__training_edges_new(start, train, n_train, &out->D, err));
    if (!new_records(out))
        TRY(kith__no_memory(err));
out:
    return st;
}

void kith__lowrank_release(kith__lowrank *I)
{
    kith__training_edges_release(&I->D);
    kith__free(I->block);
    I->block = NULL;
}

void kith__lowrank_put(kith__lowrank *I, int32_t first, int32_t last,
                       const float *P)
{
    for (int32_t u = first; u < last; u++)
        for (int c = 0; c < I->carried; c++)
            kith__lowrank_p(I, u)[c] = P[(int64_t)u * I->C + c];
}

/* x of a row p of C, without its constant: softmax(p) - 1/C. */
static void x_of(int C, const float *p, float *x)
{
    float s[MOST_C] = {-100, -100, -100, -100}, top = p[0];
    kith__v4 e;

    for (int c = 1; c < C; c++)
        top = p[c] > top ? p[c] : top;
    for (int c = 0; c < C; c++)
        s[c] = p[c] - top;
    e = kith__v4_exp(kith__v4_load(s));
    e /= kith__v4_sum(e);
    for (int c = 0; c < C - 1; c++)
        x[c] = e[c] - 1 / (float)C;
}

/* The same of two classes, 1 / (1 + exp(p_1 - p_0)) - 1/2, for four nodes from
 * u on at once. */
static void put_pairs(const kith__lowrank *I, int32_t u, int t)
{
    kith__v4 apart = kith__v4_all(0), x;

    for (int i = 0; i < KITH__LANES; i++) {
        const float *p = kith__lowrank_p(I, u + i);

        apart[i] = I->carried == 1 ? -2 * p[0] : p[1] - p[0];
    }
    x = 1 / (1 + kith__v4_exp(kith__v4_min(apart, kith__v4_all(80)))) - 0.5f;
    for (int i = 0; i < KITH__LANES; i++)
        kith__lowrank_x(I, u + i, t)[0] = x[i];
}

void kith__lowrank_put_x(kith__lowrank *I, int32_t first, int32_t last, int t)
{
    int32_t u = first;

    for (; I->C == 2 && u + KITH__LANES <= last; u += KITH__LANES)
        put_pairs(I, u, t);
    for (; u < last; u++) {
        float p[MOST_C] = {0};

        kith__lowrank_widen(I->C, I->carried, kith__lowrank_p(I, u), p);
        x_of(I->C, p, kith__lowrank_x(I, u, t));
    }
}

/* Column j of B, entry i: s = B x. */
static double basis(int C, int i, int j)
{
    if (j == C - 1)
        return 1.0 / C;
    return i == j ? 1 : i == C - 1 ? -1 : 0;
}

void kith__lowrank_to_coordinates(int C, const double *M, double *out)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            double sum = 0;

            for (int k = 0; k < C; k++)
                for (int l = 0; l < C; l++)
                    sum += basis(C, k, i) * M[k * C + l] * basis(C, l, j);
            out[i * C + j] = sum;
        }
}

void kith__lowrank_from_coordinates(int C, const double *K, double *out)
{
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            double sum = 0;

            for (int k = 0; k < C; k++)
                for (int l = 0; l < C; l++)
                    sum += basis(C, i, k) * K[k * C + l] * basis(C, j, l);
            out[i * C + j] = sum;
        }
}
