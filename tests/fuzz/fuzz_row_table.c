/* Any bytes as a table whose rows are the nodes, tied by its second column both
 * ways, with features, history and classes from its columns. */
#include "fuzz.h"
#include "kith/kith.h"

static void read_as(const char *path, const kith_table_options *t)
{
    const kith_build_options o = {.job.threads = 1, .table = t};
    kith_dataset *d = NULL;
    kith_error err;

    if (kith_dataset_open(path, &o, &d, &err) == KITH_OK)
        kith_fuzz_opened = true;
    kith_dataset_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kith_table_options before = {.rows = true,
                                       .link = "2",
                                       .order = "3",
                                       .label = "4",
                                       .features = "all",
                                       .history = true};
    const kith_table_options hubs = {
        .rows = true, .id = "1", .link = "2,4", .features = "3", .hub = true};
    const char *path = kith_fuzz_file(data, size);

    read_as(path, &before);
    read_as(path, &hubs);
    return 0;
}
