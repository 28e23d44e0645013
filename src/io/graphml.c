/*
 * graphml.c: GraphML, as NetworkX, igraph, Gephi and yEd write it.
 *
 * <key> says what a <data> is: `for` what, and its name.  The id of a node is
 * at hand when its element opens, its data before that closes, so it waits
 * until then; in graphs within nodes, until the inner graph opens.
 */
#include "core/alloc.h"
#include "io/xml.h"

enum { KEYS_MOST = 10000 };

typedef enum subject { OTHER, NODE, EDGE } subject;

/* What a <key> says. */
typedef struct data_key {
    char *id;
    char *name;
    bool node, edge; /* for what */
    char *preset;    /* the value of those that have no <data> */
} data_key;

typedef struct held_text {
    char *bytes;
    int64_t length, capacity;
    bool is_set;
} held_text;

typedef struct graphml {
    kith__walk *walk;
    kith__source *source;
    kith__xml *xml;
    data_key *keys;
    int64_t n_keys, keys_capacity;
    subject within; /* the element that <data> belongs to */
    int64_t key;    /* of the <data> or <key> that is open, or -1 */
    held_text id, ends[2], weight;
} graphml;

static kith_status set_text(held_text *t, const char *bytes, size_t length,
                            kith_error *err)
{
    if (!kith__grow((void **)&t->bytes, &t->capacity, (int64_t)length + 1, 1))
        return kith__no_memory(err);
    memcpy(t->bytes, bytes, length);
    t->length = (int64_t)length;
    t->is_set = true;
    return KITH_OK;
}

static kith__field field_of(const held_text *t)
{
    return (kith__field){t->bytes, (size_t)t->length};
}

static const data_key *key_of(const graphml *g, const char *id, int64_t *number)
{
    for (*number = 0; *number < g->n_keys; ++*number)
        if (strcmp(g->keys[*number].id, id) == 0)
            return &g->keys[*number];
    *number = -1;
    return NULL;
}

static bool is_weight(const data_key *k)
{
    return k->edge && strcasecmp(k->name, "weight") == 0;
}

static bool wanted_of_node(const graphml *g, const data_key *k)
{
    const kith__field name = kith__xml_field(k->name);

    return k->node && kith__walk_wants(g->walk, &name);
}

/* ---- elements that open -------------------------------------------------- */

static kith_status open_key(graphml *g, const char **attributes,
                            kith_error *err)
{
    const char *id = kith__xml_attribute(attributes, "id");
    const char *name = kith__xml_attribute(attributes, "attr.name");
    const char *of = kith__xml_attribute(attributes, "for");
    kith_status st = KITH_OK;
    data_key *k;

    if (!id)
        return kith__walk_fail(g->walk, err, "a <key> has no id");
    if (g->n_keys == KEYS_MOST)
        TRY(kith__walk_fail(g->walk, err, "has more than %d keys", KEYS_MOST));
    if (!kith__grow((void **)&g->keys, &g->keys_capacity, g->n_keys + 1,
                    sizeof(*g->keys)))
        TRY(kith__no_memory(err));
    k = &g->keys[g->n_keys];
    *k = (data_key){0};
    g->key = g->n_keys++; /* what it holds is freed from here on */
    name = name ? name : id;
    k->node = !of || strcmp(of, "node") == 0 || strcmp(of, "all") == 0;
    k->edge = !of || strcmp(of, "edge") == 0 || strcmp(of, "all") == 0;
    TRY_NEW(k->id, kith__copy_string(id, strlen(id)));
    TRY_NEW(k->name, kith__copy_string(name, strlen(name)));
out:
    return st;
}

/* A node waits for its data. */
static kith_status open_node(graphml *g, const char **attributes,
                             kith_error *err)
{
    const char *id = kith__xml_attribute(attributes, "id");

    if (!id)
        return kith__walk_fail(g->walk, err, "a <node> has no id");
    g->within = NODE;
    return set_text(&g->id, id, strlen(id), err);
}

static kith_status open_edge(graphml *g, const char **attributes,
                             kith_error *err)
{
    static const char *const names[] = {"source", "target"};
    kith_status st = KITH_OK;

    for (int i = 0; i < 2; i++) {
        const char *end = kith__xml_attribute(attributes, names[i]);

        if (!end)
            return kith__walk_fail(g->walk, err, "an <edge> has no %s",
                                   names[i]);
        TRY(set_text(&g->ends[i], end, strlen(end), err));
    }
    g->weight.is_set = false;
    g->within = EDGE;
out:
    return st;
}

static kith_status open_data(graphml *g, const char **attributes,
                             kith_error *err)
{
    const char *id = kith__xml_attribute(attributes, "key");
    const data_key *k;

    if (!id)
        return kith__walk_fail(g->walk, err, "a <data> has no key");
    k = key_of(g, id, &g->key);
    if (k && ((g->within == NODE && wanted_of_node(g, k)) ||
              (g->within == EDGE && is_weight(k))))
        kith__xml_wants_text(g->xml);
    else
        g->key = -1;
    return KITH_OK;
}

/* The node that waits has all its data: give it, those it lacks too. */
static kith_status finish_node(graphml *g, kith_error *err)
{
    const kith__field id = field_of(&g->id);

    if (!g->id.is_set)
        return KITH_OK;
    g->id.is_set = false;
    return kith__walk_node(g->walk, &id, err);
}

/* Data that a node has by default; its own replace them. */
static kith_status give_presets(graphml *g, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int64_t i = 0; i < g->n_keys; i++) {
        const data_key *k = &g->keys[i];

        if (k->preset && wanted_of_node(g, k)) {
            const kith__field name = kith__xml_field(k->name);
            const kith__field value = kith__xml_field(k->preset);

            TRY(kith__walk_attribute(g->walk, &name, &value, err));
        }
    }
out:
    return st;
}

static kith_status opened(void *user, const char *name, const char **attributes,
                          kith_error *err)
{
    graphml *g = user;
    kith_status st = KITH_OK;

    if (strcmp(name, "data") == 0) {
        TRY(open_data(g, attributes, err));
    } else if (strcmp(name, "node") == 0) {
        TRY(finish_node(g, err));
        TRY(open_node(g, attributes, err));
        TRY(give_presets(g, err));
    } else if (strcmp(name, "edge") == 0) {
        TRY(open_edge(g, attributes, err));
    } else if (strcmp(name, "key") == 0) {
        TRY(open_key(g, attributes, err));
    } else if (strcmp(name, "default") == 0 && g->key >= 0) {
        kith__xml_wants_text(g->xml);
    } else if (strcmp(name, "graph") == 0) {
        TRY(finish_node(g, err));
        g->within = OTHER;
    } else if (strcmp(name, "hyperedge") == 0) {
        TRY(kith__walk_fail(g->walk, err,
                            "has a <hyperedge>, expected edges "
                            "of two ends"));
    }
out:
    return st;
}

/* ---- elements that close ------------------------------------------------- */

static kith_status close_data(graphml *g, const kith__field *value,
                              kith_error *err)
{
    const int64_t number = g->key;
    kith__field name;

    g->key = -1;
    if (number < 0)
        return KITH_OK;
    if (g->within == EDGE)
        return set_text(&g->weight, value->text, value->length, err);
    name = kith__xml_field(g->keys[number].name);
    return kith__walk_attribute(g->walk, &name, value, err);
}

static kith_status close_default(graphml *g, const kith__field *value,
                                 kith_error *err)
{
    data_key *k;

    if (g->key < 0)
        return KITH_OK;
    k = &g->keys[g->key];
    kith__free(k->preset);
    k->preset = kith__copy_string(value->text, value->length);
    return k->preset ? KITH_OK : kith__no_memory(err);
}

/* The weight of an edge that names none; NULL if it has none by default. */
static const char *preset_weight(const graphml *g)
{
    for (int64_t i = 0; i < g->n_keys; i++)
        if (is_weight(&g->keys[i]))
            return g->keys[i].preset;
    return NULL;
}

static kith_status close_edge(graphml *g, kith_error *err)
{
    const kith__field ends[2] = {field_of(&g->ends[0]), field_of(&g->ends[1])};
    const char *preset = preset_weight(g);
    kith__field weight = {0};

    if (g->weight.is_set)
        weight = field_of(&g->weight);
    else if (preset)
        weight = kith__xml_field(preset);
    g->within = OTHER;
    return kith__walk_edge(g->walk, ends, weight.text ? &weight : NULL, err);
}

static kith_status closed(void *user, const char *name, const kith__field *text,
                          kith_error *err)
{
    graphml *g = user;

    if (strcmp(name, "data") == 0)
        return close_data(g, text, err);
    if (strcmp(name, "edge") == 0)
        return close_edge(g, err);
    if (strcmp(name, "node") == 0) {
        g->within = OTHER;
        return finish_node(g, err);
    }
    if (strcmp(name, "default") == 0)
        return close_default(g, text, err);
    if (strcmp(name, "key") == 0)
        g->key = -1;
    return KITH_OK;
}

/* ---- all of it ----------------------------------------------------------- */

static void forget_keys(graphml *g)
{
    for (int64_t i = 0; i < g->n_keys; i++) {
        kith__free(g->keys[i].id);
        kith__free(g->keys[i].name);
        kith__free(g->keys[i].preset);
    }
    g->n_keys = 0;
}

static kith_status walk_graphml(kith__walk *w, void *user, kith_error *err)
{
    graphml *g = user;
    const kith__xml_handler handler = {opened, closed, g};

    forget_keys(g);
    g->walk = w;
    g->key = -1;
    g->within = OTHER;
    g->id.is_set = false;
    return kith__xml_read(w, g->source, &handler, &g->xml, err);
}

kith_status kith__graphml_read(kith__source *source, const kith__known *known,
                               const kith_build_options *options,
                               kith__gathered *out, kith_error *err)
{
    graphml g = {.source = source};
    const kith_status st = kith__walk_gather(walk_graphml, &g, source,
                                             kith__source_path(source), known,
                                             options, out, err);

    forget_keys(&g);
    kith__free(g.keys);
    kith__free(g.id.bytes);
    kith__free(g.ends[0].bytes);
    kith__free(g.ends[1].bytes);
    kith__free(g.weight.bytes);
    return st;
}
