#include "kernels/blas.h"

#ifdef KITH_HAVE_BLAS
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/job.h"

/*
 * OpenBLAS takes a buffer for every core as it is loaded, and one for every
 * product while that is computed; if it gets none it tries again for ever, and
 * if it cannot start its threads it ends the program.  So we load it only where
 * there is room for all that, make it take its buffers at once, which it keeps,
 * and let no more products run side by side than have one.
 */
#define BUFFER  ((size_t)128 << 20) /* addresses; it touches few of them */
#define LIBRARY ((size_t)64 << 20)
enum { MOST_PRODUCTS = 64 };

static __typeof__(cblas_sgemm) *sgemm; /* NULL: do without */
static sem_t buffers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool room_for(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED)
        return false;
    (void)munmap(block, bytes);
    return true;
}

static void *find(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

/* Have OpenBLAS take `n` buffers; returns how many there was room for. */
static unsigned take_buffers(void *library, unsigned n)
{
    void *take = find(library, "blas_memory_alloc");
    void *give_back = find(library, "blas_memory_free");
    void *(*alloc)(int);
    void (*release)(void *);
    void *taken[MOST_PRODUCTS];
    unsigned count = 0;

    if (!take || !give_back)
        return 0;
    memcpy(&alloc, &take, sizeof(alloc)); /* C has no cast for it */
    memcpy(&release, &give_back, sizeof(release));
    for (; count < n && room_for(BUFFER); count++)
        taken[count] = alloc(0);
    for (unsigned i = 0; i < count; i++)
        release(taken[i]);
    return count;
}

static void load(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long products = cores < 1               ? 1
                          : cores > MOST_PRODUCTS ? MOST_PRODUCTS
                                                  : cores;
    void *library, *found;
    unsigned taken;

    if (!room_for(LIBRARY + (size_t)(cores + products) * BUFFER) ||
        kith__threads_possible((int)cores) < cores)
        return;
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    found = find(library, "cblas_sgemm");
    taken = take_buffers(library, (unsigned)products);
    if (taken > 0 && sem_init(&buffers, 0, taken) == 0)
        memcpy(&sgemm, &found, sizeof(sgemm));
}

bool kith__blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                         const float *A, int lda, const float *B, int ldb,
                         bool add, float *C, int ldc)
{
    if (pthread_once(&once, load) != 0 || !sgemm)
        return false;
    while (sem_wait(&buffers) != 0)
        ; /* a signal came */
    sgemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans,
          turn_b ? CblasTrans : CblasNoTrans, m, n, k, 1, A, lda, B, ldb,
          add ? 1 : 0, C, ldc);
    (void)sem_post(&buffers);
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
