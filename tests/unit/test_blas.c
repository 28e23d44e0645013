/*
 * test_blas.c: products by BLAS where it is there, against plain loops.
 */
#ifdef KITH_HAVE_BLAS
#include <dlfcn.h>
#endif
#include <math.h>

#include "check.h"
#include "kernels/gemm.h"

enum { M = 7, N = 5, K = 6 };

static float entry(int i)
{
    return (float)sin(i * i + 1);
}

/* Each way of turning A and B, with rows that are longer than needed. */
TEST(products_by_blas_equal_plain_loops)
{
    enum { WIDE = 9 };
    float A[WIDE * WIDE], B[WIDE * WIDE], C[M * WIDE], was[M * WIDE];
#ifdef KITH_HAVE_BLAS
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    const bool there = library && dlsym(library, "blas_memory_alloc");
#else
    const bool there = false;
#endif

    if (!there)
        check_skip("there is no OpenBLAS whose buffers can be taken");
    for (int i = 0; i < WIDE * WIDE; i++) {
        A[i] = entry(i);
        B[i] = entry(i + 1000);
    }
    for (int i = 0; i < M * WIDE; i++)
        was[i] = entry(i + 2000);
    for (int how = 0; how < 8; how++) {
        const bool turn_a = how & 1, turn_b = how & 2, add = how & 4;

        memcpy(C, was, sizeof(C));
        kith__gemm_block(turn_a, turn_b, M, N, K, A, WIDE, B, WIDE, add, C,
                         WIDE);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < WIDE; j++) {
                double sum = j >= N || add ? (double)was[i * WIDE + j] : 0;

                for (int k = 0; k < K && j < N; k++)
                    sum += (double)A[turn_a ? k * WIDE + i : i * WIDE + k] *
                           (double)B[turn_b ? j * WIDE + k : k * WIDE + j];
                CHECK_NEAR(C[i * WIDE + j], sum, 1e-5);
            }
    }
}
