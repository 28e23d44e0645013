/*
 * json_graph.c: graphs in JSON: node-link objects, as NetworkX and D3 write
 * them, and edges one behind the other (JSON lines, or an array of them).
 *
 *     {"nodes": [{"id": "a", "class": "x"}], "links": [{"source": "a", ...}]}
 *     {"source": "a", "target": "b", "weight": 2}
 *     ["a", "b", 2]
 *
 * What an object is shows in its members, which come in any order: so an edge
 * is held until its object ends.
 */
#include "core/alloc.h"
#include "io/json_reader.h"
#include "io/walk.h"

/* Parts of an edge or a node that are held until it ends. */
enum { SOURCE, TARGET, WEIGHT, ID, PARTS };

typedef struct held_text {
    char *bytes;
    int64_t length, capacity;
    bool is_set;
} held_text;

typedef struct json_graph {
    kith__walk *walk;
    kith__source *source;
    kith__json_reader in;
    held_text part[PARTS];
    int64_t nodes; /* in the array so far: those without id are its numbers */
} json_graph;

static kith_status hold(json_graph *g, int part, kith_error *err)
{
    const kith__field *text = &g->in.text;
    held_text *to = &g->part[part];

    if (!kith__grow((void **)&to->bytes, &to->capacity,
                    (int64_t)text->length + 1, 1))
        return kith__no_memory(err);
    memcpy(to->bytes, text->text, text->length);
    to->length = (int64_t)text->length;
    to->is_set = true;
    return KITH_OK;
}

static kith__field held(const json_graph *g, int part)
{
    return (kith__field){g->part[part].bytes, (size_t)g->part[part].length};
}

static void forget(json_graph *g)
{
    for (int i = 0; i < PARTS; i++)
        g->part[i].is_set = false;
}

/* The names that programs give to the parts of an edge. */
static int part_named(const kith__field *name)
{
    static const struct {
        const char *name;
        int part;
    } names[] = {{"source", SOURCE}, {"target", TARGET}, {"from", SOURCE},
                 {"to", TARGET},     {"src", SOURCE},    {"dst", TARGET},
                 {"weight", WEIGHT}, {"value", WEIGHT}};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i].name) == name->length &&
            memcmp(names[i].name, name->text, name->length) == 0)
            return names[i].part;
    return -1;
}

static bool is(const kith__field *name, const char *text)
{
    return strlen(text) == name->length &&
           memcmp(text, name->text, name->length) == 0;
}

/* An id or weight is a string or a number; a weight may be null. */
static kith_status take_part(json_graph *g, int part, kith__json_token token,
                             kith_error *err)
{
    static const char *const what[PARTS] = {"a source", "a target", "a weight",
                                            "an id"};

    if (token == KITH__JSON_NUMBER || token == KITH__JSON_STRING)
        return hold(g, part, err);
    if (token == KITH__JSON_NULL && part == WEIGHT)
        return KITH_OK;
    return kith__json_fail(&g->in, err, "%s is neither a string nor a number",
                           what[part]);
}

/* ---- edges --------------------------------------------------------------- */

static kith_status give_edge(json_graph *g, kith_error *err)
{
    const kith__field ends[2] = {held(g, SOURCE), held(g, TARGET)};
    const kith__field weight = held(g, WEIGHT);

    kith__walk_at(g->walk, g->in.line);
    if (!g->part[SOURCE].is_set || !g->part[TARGET].is_set)
        return kith__json_fail(&g->in, err, "an edge has no %s",
                               g->part[SOURCE].is_set ? "target" : "source");
    return kith__walk_edge(g->walk, ends,
                           g->part[WEIGHT].is_set ? &weight : NULL, err);
}

/* A member of an edge, its name told. */
static kith_status take_edge_member(json_graph *g, kith_error *err)
{
    const int part = part_named(&g->in.text);
    kith_status st = KITH_OK;
    kith__json_token token;

    TRY(kith__json_next(&g->in, &token, err));
    TRY(part >= 0 ? take_part(g, part, token, err)
                  : kith__json_skip(&g->in, token, err));
out:
    return st;
}

/* Those that are left of an object. */
static kith_status take_edge_members(json_graph *g, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__json_token token;

    for (;;) {
        TRY(kith__json_next(&g->in, &token, err));
        if (token == KITH__JSON_OBJECT_END)
            break;
        TRY(take_edge_member(g, err));
    }
out:
    return st;
}

/* {"source": ..., "target": ...}, its brace read. */
static kith_status read_edge_object(json_graph *g, kith_error *err)
{
    kith_status st = KITH_OK;

    forget(g);
    TRY(take_edge_members(g, err));
    TRY(give_edge(g, err));
out:
    return st;
}

/* ["a", "b", 2] or, as NetworkX has it, ["a", "b", {"weight": 2}]; `token`
 * is the first behind its bracket. */
static kith_status read_edge_array(json_graph *g, kith__json_token token,
                                   kith_error *err)
{
    kith_status st = KITH_OK;

    forget(g);
    for (int n = 0; token != KITH__JSON_ARRAY_END; n++) {
        if (n > WEIGHT)
            TRY(kith__json_fail(&g->in, err,
                                "an edge has more than two ends and a weight"));
        TRY(n == WEIGHT && token == KITH__JSON_OBJECT
                ? take_edge_members(g, err)
                : take_part(g, n, token, err));
        TRY(kith__json_next(&g->in, &token, err));
    }
    TRY(give_edge(g, err));
out:
    return st;
}

static kith_status read_edge(json_graph *g, kith__json_token token,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    if (token == KITH__JSON_OBJECT)
        return read_edge_object(g, err);
    if (token == KITH__JSON_ARRAY) {
        TRY(kith__json_next(&g->in, &token, err));
        return read_edge_array(g, token, err);
    }
    TRY(kith__json_fail(&g->in, err,
                        "an edge is neither an object nor an array"));
out:
    return st;
}

/* ---- nodes --------------------------------------------------------------- */

static kith_status take_node_member(json_graph *g, kith_error *err)
{
    const bool is_id = is(&g->in.text, "id");
    const bool wanted = !is_id && kith__walk_wants(g->walk, &g->in.text);
    kith_status st = KITH_OK;
    kith__json_token token;
    char name[KITH_QUOTE_BUFFER];
    kith__field of = {name, g->in.text.length};

    if (wanted && of.length < sizeof(name))
        memcpy(name, g->in.text.text, of.length);
    TRY(kith__json_next(&g->in, &token, err));
    if (is_id)
        TRY(take_part(g, ID, token, err));
    else if (wanted && of.length < sizeof(name) && token != KITH__JSON_OBJECT &&
             token != KITH__JSON_ARRAY)
        TRY(kith__walk_attribute(g->walk, &of, &g->in.text, err));
    else
        TRY(kith__json_skip(&g->in, token, err));
out:
    return st;
}

/* D3 counts nodes that have no id. */
static kith_status give_node(json_graph *g, kith_error *err)
{
    char number[KITH_ID_BUFFER];
    kith__field id = held(g, ID);

    kith__walk_at(g->walk, g->in.line);
    if (!g->part[ID].is_set) {
        id.text = number;
        id.length = (size_t)snprintf(number, sizeof(number), "%lld",
                                     (long long)g->nodes);
    }
    g->nodes++;
    return kith__walk_node(g->walk, &id, err);
}

/* A node is an object, or its id alone. */
static kith_status read_node(json_graph *g, kith__json_token token,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    forget(g);
    if (token != KITH__JSON_OBJECT) {
        TRY(take_part(g, ID, token, err));
        TRY(give_node(g, err));
        goto out;
    }
    for (;;) {
        TRY(kith__json_next(&g->in, &token, err));
        if (token == KITH__JSON_OBJECT_END)
            break;
        TRY(take_node_member(g, err));
    }
    TRY(give_node(g, err));
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

enum { BETWEEN_LOOKS = 1 << 14 };

typedef kith_status (*item_fn)(json_graph *g, kith__json_token token,
                               kith_error *err);

/* The items of an array, its bracket read. */
static kith_status read_items(json_graph *g, item_fn read, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__json_token token;

    for (int64_t i = 0;; i++) {
        if (i % BETWEEN_LOOKS == 0)
            TRY(kith__walk_progress(g->walk, err));
        TRY(kith__json_next(&g->in, &token, err));
        if (token == KITH__JSON_ARRAY_END)
            break;
        TRY(read(g, token, err));
    }
out:
    return st;
}

/* An object at the top: a whole graph, or one edge. */
static kith_status read_object(json_graph *g, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__json_token token;
    bool whole = false;

    forget(g);
    for (;;) {
        item_fn read = NULL;

        TRY(kith__json_next(&g->in, &token, err));
        if (token == KITH__JSON_OBJECT_END)
            break;
        if (is(&g->in.text, "nodes"))
            read = read_node;
        else if (is(&g->in.text, "links") || is(&g->in.text, "edges"))
            read = read_edge;
        if (!read) {
            TRY(take_edge_member(g, err));
            continue;
        }
        TRY(kith__json_next(&g->in, &token, err));
        if (token != KITH__JSON_ARRAY)
            TRY(kith__json_fail(&g->in, err,
                                "'nodes', 'links' or 'edges' is no array"));
        TRY(read_items(g, read, err));
        whole = true;
    }
    if (whole)
        goto out;
    if (!g->part[SOURCE].is_set && !g->part[TARGET].is_set)
        TRY(kith__json_fail(&g->in, err,
                            "has an object without 'source' and 'target', or "
                            "'nodes' and 'links'"));
    TRY(give_edge(g, err));
out:
    return st;
}

/* A value at the top.  The first array of all may have all edges in it. */
static kith_status read_top(json_graph *g, kith__json_token token, int64_t i,
                            kith_error *err)
{
    kith_status st = KITH_OK;

    if (token == KITH__JSON_OBJECT)
        return read_object(g, err);
    if (token != KITH__JSON_ARRAY)
        return kith__json_fail(&g->in, err,
                               "expected an object or an array, found a value");
    TRY(kith__json_next(&g->in, &token, err));
    if (i > 0 || (token != KITH__JSON_OBJECT && token != KITH__JSON_ARRAY))
        return read_edge_array(g, token, err);
    TRY(read_edge(g, token, err));
    TRY(read_items(g, read_edge, err));
out:
    return st;
}

static kith_status walk_json(kith__walk *w, void *user, kith_error *err)
{
    json_graph *g = user;
    kith_status st = KITH_OK;
    kith__json_token token;

    g->walk = w;
    g->nodes = 0;
    TRY(kith__json_reader_open(g->source, &g->in, err));
    for (int64_t i = 0;; i++) {
        if (i % BETWEEN_LOOKS == 0)
            TRY(kith__walk_progress(w, err));
        TRY(kith__json_next(&g->in, &token, err));
        if (token == KITH__JSON_END)
            break;
        TRY(read_top(g, token, i, err));
    }
    kith__walk_at(w, g->in.line - 1);
out:
    kith__json_reader_close(&g->in);
    return st;
}

kith_status kith__json_graph_read(kith__source *source,
                                  const kith__known *known,
                                  const kith_build_options *options,
                                  kith__gathered *out, kith_error *err)
{
    json_graph g = {.source = source};
    const kith_status st = kith__walk_gather(walk_json, &g, source,
                                             kith__source_path(source), known,
                                             options, out, err);

    for (int i = 0; i < PARTS; i++)
        kith__free(g.part[i].bytes);
    return st;
}
