/* Tables of predictions and lists of nodes: any bytes, over a small graph. */
#include "fuzz.h"
#include "kith/kith.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const classes[] = {"a", "node"};
    static const char text[] = "0\t1\n1\t2\nname with blanks\t2\n";
    static kith_graph *g;
    const char *path;
    kith_error err;
    float p[8];
    int32_t *nodes, n;

    if (!g)
        (void)kith_graph_read(
            kith_fuzz_file((const uint8_t *)text, sizeof(text) - 1), NULL, &g,
            NULL, NULL);
    path = kith_fuzz_file(data, size);
    if (kith_predictions_read(path, g, classes, 2, p, &n, &err) == KITH_OK)
        kith_fuzz_opened = true;
    if (kith_nodes_read(path, g, NULL, &nodes, &n, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        kith_array_free(nodes);
    }
    return 0;
}
