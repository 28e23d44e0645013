/*
 * edgelist_writer.c: `u<TAB>v` or `u,v` lines, each edge once, with its weight
 * if the graph has any.
 */
#include "graph/graph_object.h"
#include "io/formats.h"
#include "io/ids_text.h"
#include "io/writer.h"

kith_status kith__edgelist_write(const kith_graph *g, kith__writer *w,
                                 char separator, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int32_t u = 0; u < g->n; u++) {
        for (int64_t p = g->rows[u]; p < g->rows[u + 1]; p++) {
            const int32_t v = g->neighbours[p];

            if (v < u)
                continue;
            TRY(kith__write_id(w, g, u, separator, err));
            kith__writer_bytes(w, &separator, 1);
            TRY(kith__write_id(w, g, v, separator, err));
            if (g->weights) {
                kith__writer_bytes(w, &separator, 1);
                kith__writer_float(w, g->weights[p]);
            }
            kith__writer_bytes(w, "\n", 1);
        }
    }
out:
    return st;
}
