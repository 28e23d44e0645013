/* Any bytes as a table: edges by the first two columns, with a weight, and
 * records one by one. */
#include "io/columns.h"
#include "readers.h"

/* The records again, in any order of blocks that comes. */
static void walk(const char *path)
{
    kith_error err;
    kith__table t;
    bool more = true;

    if (kith__table_open(path, &t, &err) == KITH_OK &&
        kith__table_header(&t, t.head.rows > 1, &err) == KITH_OK)
        while (kith__table_next(&t, &more, &err) == KITH_OK && more)
            kith_fuzz_opened |= t.fields > 1;
    kith__table_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const kith_table_options columns = {
        .source = "1", .target = "2", .weight = "3", .time = "3", .until = "9"};
    const kith_build_options options = {.job.threads = 1, .table = &columns};
    const kith__known known = {0};
    const char *path = kith_fuzz_file(data, size);
    kith__source *source = NULL;
    kith__gathered all = {0};
    kith_error err;

    walk(path);
    fuzz_graph(kith__edgelist_read, path);
    if (kith__source_open(path, NULL, NULL, &source, &err) == KITH_OK)
        (void)kith__edgelist_read(source, &known, &options, &all, &err);
    kith__gathered_release(&all);
    kith__source_close(source);
    return 0;
}
