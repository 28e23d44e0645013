#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "core/rng.h"
#include "graph/graph_object.h"
#include "kernels/operator.h"
#include "small_graphs.h"

/* A graph of some megabytes of neighbours, in a mapped file. */
static kith_graph *mapped_graph(void)
{
    kith__rng r = kith__rng_start(3, 1);
    FILE *f = fopen(check_path("g.tsv"), "w");
    kith_graph *g = NULL;
    kith_error err;

    for (int i = 0; i < 400000; i++)
        fprintf(f, "%d\t%d\n", (int)kith__rng_below(&r, 5000),
                (int)kith__rng_below(&r, 5000));
    fclose(f);
    CHECK_OK(kith_dataset_build(check_path("g.tsv"), check_path("g.kg"), NULL,
                                NULL, &err));
    CHECK_OK(kith_graph_open(check_path("g.kg"), &g, &err));
    return g;
}

/* Bytes of the neighbours that are in memory. */
static int64_t resident(const kith__operator *W)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)W->neighbours;
    const size_t bytes = (size_t)W->rows[W->n] * 4;
    unsigned char *in = malloc(bytes / page + 2);
    int64_t count = 0;

    CHECK(from % page == 0 && mincore((void *)from, bytes, in) == 0);
    for (size_t i = 0; i < (bytes + page - 1) / page; i++)
        count += in[i] & 1;
    free(in);
    return count * (int64_t)page;
}

static bool keeps_files_in_memory(const char *path)
{
    struct statfs at;

    return statfs(path, &at) != 0 || at.f_type == TMPFS_MAGIC;
}

TEST(what_is_given_back_leaves_memory)
{
    kith_graph *g = mapped_graph();
    float *scale, *weights;
    kith__operator W;

    if (keeps_files_in_memory(check_path("g.kg"))) {
        kith_graph_free(g);
        check_skip("files are in memory here");
        return;
    }
    CHECK(kith__operator_start(g, 1, &W, &scale, &weights));
    CHECK(kith_graph_verify(g, NULL, NULL) == KITH_OK); /* reads it all */
    CHECK(resident(&W) >= W.rows[W.n] * 4);
    kith__map_behind(g->map, W.neighbours, W.rows[W.n] * 4);
    CHECK(resident(&W) < W.rows[W.n] * 4 / 2);
    free(scale);
    free(weights);
    kith_graph_free(g);
}

TEST(a_graph_in_small_windows_gives_the_same_bytes)
{
    enum { N = 5000, K = 9, WINDOW = 1 << 18 };
    static float X[N * K], Q[N * K], want[N * K], Y[N * K], H[K * K];
    kith_graph *g = mapped_graph();
    kith__rng r = kith__rng_start(1, 1);
    float *scale, *weights;
    kith__operator W;

    for (int i = 0; i < N * K; i++)
        X[i] = Q[i] = (float)kith__rng_real(&r) - .5f;
    for (int i = 0; i < K * K; i++)
        H[i] = (float)kith__rng_real(&r) - .5f;
    CHECK(kith__operator_start(g, 2, &W, &scale, &weights));
    CHECK(!W.stream.map); /* it fits */
    for (int k = 2; k <= K; k += 7) {
        const int64_t bytes = W.rows[W.n] * 4;
        const size_t cells = (size_t)W.n * (size_t)k * sizeof(float);
        kith__operator streamed = W;

        apply_all(&W, X, k, H, Q, want);
        streamed.stream = (kith__file_stream){.map = g->map,
                                              .neighbours = W.neighbours,
                                              .window = WINDOW,
                                              .bytes = bytes};
        for (int pass = 0; pass < 3; pass++) {
            apply_all(&streamed, X, k, H, Q, Y);
            CHECK(memcmp(Y, want, cells) == 0);
        }
        CHECK(bytes > 10 * WINDOW);
    }
    free(scale);
    free(weights);
    kith_graph_free(g);
}
