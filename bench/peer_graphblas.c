/*
 * peer_graphblas.c: W X in SuiteSparse:GraphBLAS, for bench/peers.sh; never
 * part of Kith.
 *
 *     peer_graphblas GRAPH.kg NAME CLASSES REPEATS THREADS
 *
 * Reads a version 1 file (docs/formats/kg.md) and prints a JSON line each for
 * plus_times, with a weight stored per edge, and plus_second, which reads no
 * weights: the least of REPEATS times.  W by rows, X and Y full and by rows,
 * which was the fastest layout.
 */
#include <GraphBLAS.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void ok(GrB_Info info)
{
    if (info != GrB_SUCCESS) {
        fprintf(stderr, "GraphBLAS: error %d\n", (int)info);
        exit(1);
    }
}

/* The bytes of a section of a built file, which is in memory. */
static const void *section(const char *file, const char *tag)
{
    uint32_t count;

    memcpy(&count, file + 12, 4);
    for (uint32_t i = 0; i < count; i++) {
        const char *s = file + 64 + 40 * i;
        uint64_t at;

        memcpy(&at, s + 8, 8);
        if (strncmp(s, tag, 8) == 0)
            return file + at;
    }
    fprintf(stderr, "no section %s\n", tag);
    exit(1);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;

    if (f && fseek(f, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(f);
        rewind(f);
        bytes = malloc(*size);
        if (bytes && fread(bytes, 1, *size, f) != *size)
            bytes = NULL;
    }
    if (!bytes || bytes[8] != 1) {
        fprintf(stderr, "%s: expected a version 1 file\n", path);
        exit(1);
    }
    (void)fclose(f);
    return bytes;
}

static int threads;

/* As `kith bench`: of one thread the processor's time. */
static double now(void)
{
    struct timespec t;

    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC,
                  &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least_of(int repeats, GrB_Semiring ring, GrB_Matrix W,
                       GrB_Matrix X, GrB_Matrix Y)
{
    double least = 1e300;

    for (int i = 0; i <= repeats; i++) {
        const double begun = now();

        ok(GrB_mxm(Y, NULL, NULL, ring, W, X, NULL));
        ok(GrB_Matrix_wait(Y, GrB_MATERIALIZE));
        if (i > 0 && now() - begun < least)
            least = now() - begun;
    }
    return least;
}

static GrB_Matrix full(GrB_Index n, GrB_Index k)
{
    GrB_Matrix X;
    float *x = malloc(n * k * sizeof(*x));
    void *values = x;

    for (GrB_Index i = 0; i < n * k; i++)
        x[i] = (float)sin((double)i) / 10;
    ok(GrB_Matrix_new(&X, GrB_FP32, n, k));
    ok(GxB_Matrix_pack_FullR(X, &values, n * k * sizeof(*x), false, NULL));
    return X;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    const char *file = argc == 6 ? read_all(argv[1], &size) : NULL;
    const int64_t *rows = file ? section(file, "rows") : NULL;
    const int32_t *nbrs = file ? section(file, "nbrs") : NULL;
    const GrB_Index k = argc == 6 ? (GrB_Index)atoi(argv[3]) : 0;
    GrB_Index n, m, *Wp, *Wj;
    GrB_Matrix W, X, Y;
    void *values;
    float *w;

    if (!file)
        return 2;
    threads = atoi(argv[5]);
    memcpy(&n, file + 24, 8);
    memcpy(&m, file + 32, 8);
    ok(GrB_init(GrB_NONBLOCKING));
    ok(GxB_Global_Option_set(GxB_NTHREADS, threads));
    ok(GxB_Global_Option_set(GxB_FORMAT, GxB_BY_ROW));
    Wp = malloc((n + 1) * sizeof(*Wp));
    Wj = malloc((m + 1) * sizeof(*Wj));
    w = malloc((m + 1) * sizeof(*w));
    for (GrB_Index u = 0; u <= n; u++)
        Wp[u] = (GrB_Index)rows[u];
    for (GrB_Index u = 0; u < n; u++)
        for (GrB_Index p = Wp[u]; p < Wp[u + 1]; p++) {
            const GrB_Index v = (GrB_Index)nbrs[p];
            const double d = (double)(rows[v + 1] - rows[v]);

            Wj[p] = v;
            w[p] = (float)(1 / sqrt((double)(Wp[u + 1] - Wp[u]) * d));
        }
    values = w;
    ok(GrB_Matrix_new(&W, GrB_FP32, n, n));
    ok(GxB_Matrix_pack_CSR(W, &Wp, &Wj, &values, (n + 1) * 8, (m + 1) * 8,
                           (m + 1) * 4, false, false, NULL));
    X = full(n, k);
    Y = full(n, k);
    printf("{\"graph\": \"%s\", \"peer\": \"GraphBLAS plus_times\", "
           "\"seconds\": %.6f}\n",
           argv[2],
           least_of(atoi(argv[4]), GrB_PLUS_TIMES_SEMIRING_FP32, W, X, Y));
    printf("{\"graph\": \"%s\", \"peer\": \"GraphBLAS plus_second\", "
           "\"seconds\": %.6f}\n",
           argv[2], least_of(atoi(argv[4]), GxB_PLUS_SECOND_FP32, W, X, Y));
    return 0;
}
