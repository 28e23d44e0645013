/* Label files and lists of nodes: any bytes, over a small graph. */
#include "fuzz.h"
#include "io/ids_text.h"
#include "kith/kith.h"

static kith_graph *small_graph(void)
{
    static kith_graph *g;
    static const char text[] = "0\t1\n1\t2\nname with blanks\t2\n";

    if (!g)
        (void)kith_graph_read(
            kith_fuzz_file((const uint8_t *)text, sizeof(text) - 1), NULL, &g,
            NULL, NULL);
    return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const kith_table_options table = {.several = true};
    static const kith_build_options several = {.table = &table};
    const kith_graph *g = small_graph();
    const char *path = kith_fuzz_file(data, size);
    kith_error err;
    kith_labels *labels;
    kith__ids ids;

    if (kith_labels_read(path, g, &labels, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        kith_labels_free(labels);
    }
    if (kith_labels_read_table(path, g, &several, &labels, &err) == KITH_OK) {
        kith_tasks *tasks = NULL;

        kith_fuzz_opened = true;
        if (kith_tasks_from_labels(g, labels, 1, 1, &tasks, &err) != KITH_OK)
            __builtin_trap();
        kith_tasks_free(tasks);
        kith_labels_free(labels);
    }
    if (kith__id_list_read(path, &ids, &err) == KITH_OK) {
        if (!kith__ids_valid(&ids))
            __builtin_trap();
        kith_fuzz_opened = true;
        kith__ids_release(&ids);
    }
    return 0;
}
