#include "kernels/blas.h"

#ifdef KITH_HAVE_BLAS
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static __typeof__(cblas_sgemm) *sgemm;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "cblas_sgemm") : NULL;

    memcpy(&sgemm, &found, sizeof(sgemm)); /* C has no cast for it */
}

bool kith__blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                         const float *A, int lda, const float *B, int ldb,
                         bool add, float *C, int ldc)
{
    if (pthread_once(&once, load) != 0 || !sgemm)
        return false;
    sgemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans,
          turn_b ? CblasTrans : CblasNoTrans, m, n, k, 1, A, lda, B, ldb,
          add ? 1 : 0, C, ldc);
    return true;
}
#else
bool kith__blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                         const float *A, int lda, const float *B, int ldb,
                         bool add, float *C, int ldc)
{
    (void)turn_a, (void)turn_b, (void)m, (void)n, (void)k, (void)A, (void)lda;
    (void)B, (void)ldb, (void)add, (void)C, (void)ldc;
    return false;
}
#endif
