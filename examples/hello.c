/*
 * hello.c: open a graph, of any format that Kith reads, and count.
 *
 *     cc hello.c $(pkg-config --cflags --libs kith) -o hello
 *     ./hello edges.tsv
 */
#include <inttypes.h>
#include <stdio.h>

#include <kith/kith.h>

int main(int argc, char **argv)
{
    kith_graph *g = NULL;
    kith_error err = {0};
    char text[2048];

    if (argc != 2) {
        fprintf(stderr, "usage: hello GRAPH\n");
        return 2;
    }
    if (kith_graph_read(argv[1], NULL, &g, NULL, &err) != KITH_OK) {
        fprintf(stderr, "hello: %s\n",
                kith_error_format(&err, text, sizeof(text)));
        return 1;
    }
    printf("%" PRId32 " nodes, %" PRId64 " edges\n", kith_graph_nodes(g),
           kith_graph_edges(g));
    kith_graph_free(g);
    return 0;
}
