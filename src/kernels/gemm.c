#include "kernels/gemm.h"

#include <string.h>
#ifdef KITH_HAVE_BLAS
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/job.h"

/* ---- OpenBLAS ------------------------------------------------------------ */

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

/*
 * C = factor A B, or C += factor A B: A is m x k (turned: k x m), B is k x n
 * (turned: n x k), rows lda, ldb and ldc floats apart.  Returns false, and does
 * nothing, if there is no BLAS.  Threads: safe.
 */
static bool blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                          float factor, const float *A, int lda, const float *B,
                          int ldb, bool add, float *C, int ldc)
{
    if (pthread_once(&once, load) != 0 || !sgemm)
        return false;
    while (sem_wait(&buffers) != 0)
        ; /* a signal came */
    sgemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans,
          turn_b ? CblasTrans : CblasNoTrans, m, n, k, factor, A, lda, B, ldb,
          add ? 1 : 0, C, ldc);
    (void)sem_post(&buffers);
    return true;
}
#else
static bool blas_multiply(bool turn_a, bool turn_b, int m, int n, int k,
                          float factor, const float *A, int lda, const float *B,
                          int ldb, bool add, float *C, int ldc)
{
    (void)turn_a, (void)turn_b, (void)m, (void)n, (void)k, (void)factor;
    (void)A, (void)lda;
    (void)B, (void)ldb, (void)add, (void)C, (void)ldc;
    return false;
}
#endif

/* ---- tiles --------------------------------------------------------------- */

/*
 * Tiles of at most 64 x 64 x 64: OpenBLAS computes those in the thread that
 * calls, however many it could use, so its own threads never change a sum.
 */
enum { TILE = 64, ROWS = 64 };

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

static void tile(bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
                 const float *A, int64_t lda, const float *B, int64_t ldb,
                 bool add, float *restrict C, int64_t ldc)
{
    if (blas_multiply(turn_a, turn_b, (int)m, (int)n, (int)k, 1, A, (int)lda, B,
                      (int)ldb, add, C, (int)ldc))
        return;
    for (int64_t i = 0; i < m; i++) {
        float *c = C + i * ldc;

        if (!add)
            memset(c, 0, (size_t)n * sizeof(*c));
        for (int64_t l = 0; l < k; l++) {
            const float a = turn_a ? A[l * lda + i] : A[i * lda + l];

            for (int64_t j = 0; j < n; j++)
                c[j] += a * (turn_b ? B[j * ldb + l] : B[l * ldb + j]);
        }
    }
}

void kith__gemm_block(bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
                      const float *A, int64_t lda, const float *B, int64_t ldb,
                      bool add, float *restrict C, int64_t ldc)
{
    for (int64_t l = 0; l < k; l += TILE)
        for (int64_t i = 0; i < m; i += TILE)
            for (int64_t j = 0; j < n; j += TILE)
                tile(turn_a, turn_b, at_most(m - i, TILE), at_most(n - j, TILE),
                     at_most(k - l, TILE),
                     turn_a ? A + l * lda + i : A + i * lda + l, lda,
                     turn_b ? B + j * ldb + l : B + l * ldb + j, ldb,
                     add || l > 0, C + i * ldc + j, ldc);
}

/* ---- rows that lie apart ------------------------------------------------- */

/* `columns` of m rows of X, side by side in rows of TILE; and back. */
static void collect(const float *X, int64_t width, const int32_t *row,
                    int64_t m, int64_t columns, float *restrict out)
{
    for (int64_t i = 0; i < m; i++)
        memcpy(out + i * TILE, X + row[i] * width,
               (size_t)columns * sizeof(*out));
}

static void spread(const float *from, int64_t width, const int32_t *row,
                   int64_t m, int64_t columns, float *restrict Y)
{
    for (int64_t i = 0; i < m; i++)
        memcpy(Y + row[i] * width, from + i * TILE,
               (size_t)columns * sizeof(*Y));
}

/* Rows of Y (width n) = rows of X (width k) op(W) (+ Y if add), m <= TILE. */
static void multiply_apart(const float *X, bool turn, const float *W,
                           int64_t ldw, const int32_t *row, int64_t m,
                           int64_t n, int64_t k, bool add, float *restrict Y)
{
    float x[TILE * TILE], y[TILE * TILE];

    for (int64_t j = 0; j < n; j += TILE) {
        const int64_t columns = at_most(n - j, TILE);

        if (add)
            collect(Y + j, n, row, m, columns, y);
        for (int64_t l = 0; l < k; l += TILE) {
            collect(X + l, k, row, m, at_most(k - l, TILE), x);
            tile(false, turn, m, columns, at_most(k - l, TILE), x, TILE,
                 turn ? W + j * ldw + l : W + l * ldw + j, ldw, add || l > 0, y,
                 TILE);
        }
        spread(y, n, row, m, columns, Y + j);
    }
}

/* G (j x k) += X'Y over m <= TILE rows. */
static void add_apart(const float *X, const float *Y, const int32_t *row,
                      int64_t m, int64_t j, int64_t k, float *restrict G)
{
    float x[TILE * TILE], y[TILE * TILE];

    for (int64_t a = 0; a < j; a += TILE) {
        collect(X + a, j, row, m, at_most(j - a, TILE), x);
        for (int64_t c = 0; c < k; c += TILE) {
            collect(Y + c, k, row, m, at_most(k - c, TILE), y);
            tile(true, false, at_most(j - a, TILE), at_most(k - c, TILE), m, x,
                 TILE, y, TILE, true, G + a * k + c, k);
        }
    }
}

/* ---- products ------------------------------------------------------------ */

/* Y (n x to) = X (n x from) times W, of which the rows are `from` or, turned,
 * `to`. */
static void multiply(const float *X, bool turn, const float *W, int64_t n,
                     const kith__row_set *rows, int from, int to, int width,
                     bool add, float *restrict Y, int threads)
{
    const int64_t count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t u = 0; u < count; u += ROWS)
        if (rows)
            multiply_apart(X, turn, W, width, rows->node + u,
                           at_most(count - u, ROWS), to, from, add, Y);
        else
            kith__gemm_block(false, turn, at_most(n - u, ROWS), to, from,
                             X + u * from, from, W, width, add, Y + u * to, to);
}

void kith__gemm(const float *X, const float *W, int64_t n,
                const kith__row_set *rows, int j, int k, bool add,
                float *restrict Y, int threads)
{
    multiply(X, false, W, n, rows, j, k, k, add, Y, threads);
}

void kith__gemm_turned(const float *X, const float *W, int64_t n,
                       const kith__row_set *rows, int j, int k, bool add,
                       float *restrict Y, int threads)
{
    multiply(X, true, W, n, rows, k, j, k, add, Y, threads);
}

void kith__add_parts(const float *partial, int64_t cells, float *restrict G,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < cells; i++) {
        double sum = 0;

        for (int p = 0; p < KITH__GEMM_PARTS; p++)
            sum += (double)partial[p * cells + i];
        G[i] = (float)sum;
    }
}

void kith__gemm_over_rows(const float *X, const float *Y, int64_t n,
                          const kith__row_set *rows, int j, int k,
                          float *restrict G, float *partial, int threads)
{
    const int64_t cells = (int64_t)j * k, count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        const int64_t from = kith__part_begin(count, p),
                      to = kith__part_begin(count, p + 1);
        float *sum = partial + p * cells;

        memset(sum, 0, (size_t)cells * sizeof(*sum));
        for (int64_t u = from; rows && u < to; u += ROWS)
            add_apart(X, Y, rows->node + u, at_most(to - u, ROWS), j, k, sum);
        if (!rows)
            kith__gemm_block(true, false, j, k, to - from, X + from * j, j,
                             Y + from * k, k, true, sum, k);
    }
    kith__add_parts(partial, cells, G, threads);
}

void kith__column_sums(const float *X, int64_t n, const kith__row_set *rows,
                       int k, float *restrict s, float *partial, int threads)
{
    const int64_t count = kith__row_count(rows, n);

#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int p = 0; p < KITH__GEMM_PARTS; p++) {
        float *sum = partial + (int64_t)p * k;

        memset(sum, 0, (size_t)k * sizeof(*sum));
        for (int64_t i = kith__part_begin(count, p);
             i < kith__part_begin(count, p + 1); i++) {
            const float *x = X + kith__nth_row(rows, i) * k;

            for (int c = 0; c < k; c++)
                sum[c] += x[c];
        }
    }
    kith__add_parts(partial, k, s, threads);
}

/* ---- blocks of rows with a square matrix --------------------------------- */

/* Above this many classes BLAS beats the loop. */
enum { SMALL = 16 };

/* Is H = a I + b 11'?  The coupling is, as it starts. */
static bool is_uniform(const float *H, int k, float *a, float *b)
{
    *b = k > 1 ? H[1] : 0;
    *a = H[0] - *b;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (H[(int64_t)i * k + j] != (i == j ? H[0] : *b))
                return 0;
    return 1;
}

/* Y += X (a I + b 11'), in O(n k) instead of O(n k^2). */
static void add_uniform(const float *X, int64_t n, int k, int64_t ld, float a,
                        float b, float *restrict Y)
{
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * ld;
        float *y = Y + u * ld, sum = 0;

        for (int c = 0; c < k; c++)
            sum += x[c];
#pragma omp simd
        for (int c = 0; c < k; c++)
            y[c] += a * x[c] + b * sum;
    }
}

void kith__add_product(const float *X, int64_t n, int k, int64_t ld, float h,
                       const float *H, bool turned, float *restrict Y)
{
    float a, b;

    if (k > SMALL && is_uniform(H, k, &a, &b)) {
        add_uniform(X, n, k, ld, h * a, h * b, Y);
        return;
    }
    if (k > SMALL && blas_multiply(false, turned, (int)n, k, k, h, X, (int)ld,
                                   H, k, true, Y, (int)ld))
        return;
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * ld;
        float *y = Y + u * ld;

        for (int j = 0; j < k; j++) {
            const float *row = H + (int64_t)j * k;
            const float hx = h * x[j];

            for (int c = 0; turned && c < k; c++)
                y[c] += hx * H[(int64_t)c * k + j];
#pragma omp simd
            for (int c = 0; c < (turned ? 0 : k); c++)
                y[c] += hx * row[c];
        }
    }
}

void kith__add_gram(const float *X, const float *Y, int64_t n, int k,
                    double *restrict G, float *scratch)
{
    if (k > SMALL) {
        if (blas_multiply(true, false, k, k, (int)n, 1, X, k, Y, k, false,
                          scratch, k)) {
            for (int64_t i = 0; i < (int64_t)k * k; i++)
                G[i] += (double)scratch[i];
            return;
        }
    }
    for (int64_t u = 0; u < n; u++) {
        const float *x = X + u * k, *y = Y + u * k;

        for (int i = 0; i < k; i++) {
            double *g = G + (int64_t)i * k;
            const double xi = (double)x[i];

#pragma omp simd
            for (int j = 0; j < k; j++)
                g[j] += xi * (double)y[j];
        }
    }
}
