#include "fuzz.h"
#include "io/formats.h"
#include "io/gather.h"

/* Read as a graph and build it. */
static void fuzz_graph(const char *path)
{
    const kith_build_options options = {.job.threads = 1};
    const kith__known known = {0};
    kith__gathered all = {0};
    kith__csr csr = {0};
    kith_error err;

    if (kith__mtx_graph_read(path, &known, &options, &all, &err) == KITH_OK)
        (void)kith__builder_finish(all.builder, all.ids.n, NULL, NULL, &csr,
                                   &all.ids, &all.cleaning, &err);
    kith__csr_release(&csr);
    kith__gathered_release(&all);
}

/* Read as features. */
static void fuzz_features(const char *path)
{
    kith_features *f;
    kith_error err;

    (void)kith__mtx_features_read(path, &f, &err);
    kith_features_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = kith_fuzz_file(data, size);

    fuzz_graph(path);
    fuzz_features(path);
    return 0;
}
