/* Any bytes as a table of nodes beside edges, as features, and as a table whose
 * rows are the nodes. */
#include "fuzz.h"
#include "kith/kith.h"

static void open_rows(const char *path)
{
    const kith_table_options t = {.rows = true,
                                  .link = "1,2",
                                  .order = "3",
                                  .label = "2",
                                  .features = "all",
                                  .history = true};
    const kith_build_options how = {.table = &t, .job.threads = 1};
    kith_dataset *d = NULL;
    kith_error err;

    kith_fuzz_opened |= kith_dataset_open(path, &how, &d, &err) == KITH_OK;
    kith_dataset_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kith_table_options t = {.features = "all"};
    kith_build_options how = {.table = &t, .job.threads = 1};
    const char *path = kith_fuzz_file(data, size);
    kith_features *f = NULL;
    kith_dataset *d = NULL;
    kith_error err;

    open_rows(path);
    how.nodes = path;
    if (kith_dataset_open(path, &how, &d, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        (void)kith_features_read_table(path, d->graph, &how, &f, &err);
    }
    kith_features_free(f);
    kith_dataset_free(d);
    return 0;
}
