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

bool kith__blas_add(bool transposed, int m, int n, int k, const float *A,
                    const float *B, float *C)
{
    if (pthread_once(&once, load) != 0 || !sgemm)
        return false;
    sgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans,
          m, n, k, 1, A, transposed ? m : k, B, n, 1, C, n);
    return true;
}
#else
bool kith__blas_add(bool transposed, int m, int n, int k, const float *A,
                    const float *B, float *C)
{
    (void)transposed, (void)m, (void)n, (void)k, (void)A, (void)B, (void)C;
    return false;
}
#endif
