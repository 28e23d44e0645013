#include "kernels/file_stream.h"

#include <unistd.h>

#include "graph/graph_object.h"

enum { WINDOWS = 4, SHARE = 8, LEAST = 1 << 20 };

kith__file_stream kith__stream_of(const kith_graph *g)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const int64_t bytes = g->entries * (int64_t)sizeof(*g->neighbours);
    const int64_t memory = pages > 0 && page > 0 ? pages * page : INT64_MAX;
    const int64_t window = memory / SHARE / WINDOWS;

    if (!g->map || bytes <= memory / 2)
        return (kith__file_stream){0};
    return (kith__file_stream){.map = g->map,
                               .neighbours = g->neighbours,
                               .window = window > LEAST ? window : LEAST,
                               .bytes = bytes};
}

/* Bytes of window w, as far as there are any. */
static int64_t window_bytes(const kith__file_stream *s, int64_t w)
{
    const int64_t left = s->bytes - w * s->window;

    return w < 0 || left <= 0 ? 0 : left < s->window ? left : s->window;
}

void kith__file_stream_at(const kith__file_stream *s, int64_t first,
                          int64_t last)
{
    const int64_t size = (int64_t)sizeof(*s->neighbours);
    const char *base = (const char *)s->neighbours;
    int64_t w, windows;

    if (!s->map || last <= first)
        return;
    windows = (s->bytes + s->window - 1) / s->window;
    /* at each window that begins in here: the first two give back the last
     * two of the pass before */
    for (w = (first * size + s->window - 1) / s->window;
         w * s->window < last * size; w++) {
        const int64_t behind = w >= 2 ? w - 2 : windows - 2 + w;

        kith__map_ahead(base + (w + 1) * s->window, window_bytes(s, w + 1));
        if (behind > w + 1 || (behind >= 0 && behind < w))
            kith__map_behind(s->map, base + behind * s->window,
                             window_bytes(s, behind));
    }
}
