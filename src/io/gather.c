#include "io/gather.h"

#include "core/alloc.h"
#include "io/xml.h"

void kith__node_classes_release(kith__node_classes *c)
{
    kith__free(c->attribute);
    kith__free(c->of);
    kith__id_set_release(&c->names);
    *c = (kith__node_classes){0};
}

void kith__gathered_release(kith__gathered *g)
{
    kith__builder_free(g->builder);
    kith__ids_release(&g->ids);
    kith__node_classes_release(&g->classes);
    *g = (kith__gathered){0};
}

bool kith__named(const char *path, const char *ending)
{
    static const char *const packed[] = {".gz", ".zst", ""};
    const size_t n = strlen(path), tail = strlen(ending);

    for (int i = 0; i < 3; i++) {
        const size_t more = strlen(packed[i]);

        if (n >= more + tail && strcmp(path + n - more, packed[i]) == 0)
            return strncmp(path + n - more - tail, ending, tail) == 0;
    }
    return false;
}

bool kith__known_any(const kith__known *known)
{
    return known->nodes || known->named || known->numbered > 0;
}

kith_status kith__known_add(const kith__known *known, kith__id_set *all,
                            kith_error *err)
{
    char number[KITH_ID_BUFFER];

    for (int32_t i = 0; i < known->numbered; i++) {
        const int n = snprintf(number, sizeof(number), "%d", (int)i);

        if (kith__id_set_add(all, number, (size_t)n, NULL) < 0)
            return kith__no_memory(err);
    }
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);

        if (kith__id_set_add(all, text, length, NULL) < 0)
            return kith__no_memory(err);
    }
    return KITH_OK;
}

/* By its first bytes, a byte order mark taken off, or by its name. */
static bool is_xml(const char *path, const char *first)
{
    static const char *const starts[] = {"<?xml", "<!", "<graphml", "<gexf"};

    if (memcmp(first, "\xef\xbb\xbf", 3) == 0)
        first += 3;
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
        if (strncmp(first, starts[i], strlen(starts[i])) == 0)
            return true;
    return kith__named(path, ".graphml") || kith__named(path, ".gexf");
}

/* By the first two bytes that are not blank, or by its name: ids may begin
 * with a brace. */
static bool is_json(const char *path, const char *begin)
{
    char text[KITH__SOURCE_FIRST + 1] = "", second;
    const char *first = text;

    memcpy(text, begin, KITH__SOURCE_FIRST);
    if (memcmp(first, "\xef\xbb\xbf", 3) == 0)
        first += 3;
    first += strspn(first, " \t\r\n");
    second = *first ? first[1 + strspn(first + 1, " \t\r\n")] : '\0';
    if (*first == '{' && (second == '"' || second == '\0'))
        return true;
    if (*first == '[' && (second == '{' || second == '[' || second == '"'))
        return true;
    return kith__named(path, ".json") || kith__named(path, ".jsonl") ||
           kith__named(path, ".ndjson");
}

static kith_status read_xml(kith__source *source, const kith__known *known,
                            const kith_build_options *options,
                            kith__gathered *out, kith_error *err)
{
    char root[64], shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;

    TRY(kith__xml_root(source, root, sizeof(root), err));
    if (strcmp(root, "graphml") == 0)
        return kith__graphml_read(source, known, options, out, err);
    if (strcmp(root, "gexf") == 0)
        return kith__gexf_read(source, known, options, out, err);
    if (!root[0])
        TRY(kith__fail(err, KITH_ERR_PARSE, kith__source_path(source), 0,
                       "is no XML with an element in its first 64 KiB"));
    TRY(kith__fail(err, KITH_ERR_PARSE, kith__source_path(source), 0,
                   "is XML of <%s>, expected <graphml> or <gexf>",
                   kith__quote(shown, root, strlen(root))));
out:
    return st;
}

kith_status kith__gather(kith__source *source, const kith__known *known,
                         const kith_build_options *options, kith__gathered *out,
                         kith_error *err)
{
    const char *path = kith__source_path(source);
    const char *first = kith__source_first(source);

    if (kith__source_empty(source) && !kith__known_any(known))
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is empty, expected a graph");
    if (strncasecmp(first, "%%MatrixMarket", 14) == 0)
        return kith__mtx_graph_read(source, known, options, out, err);
    if (memcmp(first, "PK\3\4", 4) == 0)
        return kith__npz_graph_read(source, known, options, out, err);
    if (memcmp(first, "\x93NUMPY", 6) == 0)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is a NumPy array, expected a graph (a SciPy sparse "
                          "matrix in .npz, or an edge list)");
    if (kith__named(path, ".mtx"))
        return kith__fail(err, KITH_ERR_PARSE, path, 1,
                          "expected a line that begins with %%%%MatrixMarket");
    if (kith__named(path, ".graph") || kith__named(path, ".metis"))
        return kith__metis_read(source, known, options, out, err);
    if (is_xml(path, first))
        return read_xml(source, known, options, out, err);
    if (is_json(path, first))
        return kith__json_graph_read(source, known, options, out, err);
    return kith__edgelist_read(source, known, options, out, err);
}

kith_status kith__gather_numbered(const char *path, const kith__known *known,
                                  const kith_build_options *options, int64_t n,
                                  bool weighted, kith__gathered *out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t nodes = n > known->numbered ? n : known->numbered;

    if (n > INT32_MAX - 1)
        TRY(kith__fail(err, KITH_ERR_RANGE, path, 0,
                       "has %lld nodes, expected at most 2147483646",
                       (long long)n));
    if (known->nodes && known->nodes->n != n)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has %lld nodes, but the list of nodes has %d",
                       (long long)n, (int)known->nodes->n));
    /* Ids that labels name and the matrix does not reach are further nodes. */
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);
        char quoted[KITH_QUOTE_BUFFER];
        int64_t id;

        if (!kith__id_integer(text, length, &id) || id >= INT32_MAX - 1)
            TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                           "numbers its nodes, but the labels name node '%s', "
                           "expected a number",
                           kith__quote(quoted, text, length)));
        nodes = id >= nodes ? id + 1 : nodes;
    }
    if (known->nodes)
        TRY(kith__ids_copy(known->nodes, &out->ids, err));
    else
        out->ids = (kith__ids){.kind = KITH__IDS_RANGE, .n = (int32_t)nodes};
    TRY(kith__builder_new(options, false, weighted, &out->builder, err));
out:
    return st;
}

enum { FEED_EDGES = 1 << 17 };

kith_status kith__feed_edge(kith__feed *f, uint32_t u, uint32_t v, float w,
                            kith_error *err)
{
    kith__edges *e = &f->edges;

    if (e->n == FEED_EDGES) {
        kith_status st = kith__builder_add(f->builder, e, err);

        if (st != KITH_OK)
            return st;
    }
    if (!kith__edges_reserve(e, 1, f->weighted))
        return kith__no_memory(err);
    e->ends[2 * e->n] = u;
    e->ends[2 * e->n + 1] = v;
    if (f->weighted)
        e->weights[e->n] = w;
    e->n++;
    return KITH_OK;
}

kith_status kith__feed_finish(kith__feed *f, kith_error *err)
{
    return kith__builder_add(f->builder, &f->edges, err);
}

void kith__feed_release(kith__feed *f)
{
    kith__edges_release(&f->edges);
}
