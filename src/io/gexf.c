/*
 * gexf.c: GEXF, as Gephi and NetworkX write it.
 *
 * <attribute> gives titles to the ids that <attvalue for="..."> names.  A
 * node's own `label` is what Gephi draws beside it, not its class.  An edge has
 * its weight as an attribute of its own.
 */
#include "core/alloc.h"
#include "io/xml.h"

enum { ATTRIBUTES_MOST = 10000 };

typedef struct node_attribute {
    char *id;
    char *title;
    char *preset;
} node_attribute;

typedef struct gexf {
    kith__walk *walk;
    kith__source *source;
    kith__xml *xml;
    node_attribute *attributes;
    int64_t n, capacity;
    bool of_nodes; /* within <attributes class="node"> */
    bool declares; /* within an <attribute> of those */
    char *id;      /* of the node that waits for its values */
    int64_t id_capacity;
    bool waits, in_node;
} gexf;

static kith_status finish_node(gexf *g, kith_error *err)
{
    kith__field id;

    if (!g->waits)
        return KITH_OK;
    g->waits = false;
    id = kith__xml_field(g->id);
    return kith__walk_node(g->walk, &id, err);
}

/* ---- elements that open -------------------------------------------------- */

static kith_status open_attribute(gexf *g, const char **attributes,
                                  kith_error *err)
{
    const char *id = kith__xml_attribute(attributes, "id");
    const char *title = kith__xml_attribute(attributes, "title");
    kith_status st = KITH_OK;
    node_attribute *a;

    if (!id)
        return kith__walk_fail(g->walk, err, "an <attribute> has no id");
    if (g->n == ATTRIBUTES_MOST)
        TRY(kith__walk_fail(g->walk, err, "has more than %d attributes",
                            ATTRIBUTES_MOST));
    if (!kith__grow((void **)&g->attributes, &g->capacity, g->n + 1,
                    sizeof(*g->attributes)))
        TRY(kith__no_memory(err));
    a = &g->attributes[g->n++];
    *a = (node_attribute){0};
    title = title ? title : id;
    TRY_NEW(a->id, kith__copy_string(id, strlen(id)));
    TRY_NEW(a->title, kith__copy_string(title, strlen(title)));
    g->declares = true;
out:
    return st;
}

/* A value of a node, if the walk wants it. */
static kith_status give(gexf *g, const node_attribute *a, const char *value,
                        kith_error *err)
{
    const kith__field name = kith__xml_field(a->title);
    const kith__field text = kith__xml_field(value);

    if (!kith__walk_wants(g->walk, &name))
        return KITH_OK;
    return kith__walk_attribute(g->walk, &name, &text, err);
}

static kith_status open_node(gexf *g, const char **attributes, kith_error *err)
{
    const char *id = kith__xml_attribute(attributes, "id");
    kith_status st = KITH_OK;
    int64_t bytes;

    TRY(finish_node(g, err)); /* which this one is in */
    if (!id)
        return kith__walk_fail(g->walk, err, "a <node> has no id");
    bytes = (int64_t)strlen(id) + 1;
    if (!kith__grow((void **)&g->id, &g->id_capacity, bytes, 1))
        TRY(kith__no_memory(err));
    memcpy(g->id, id, (size_t)bytes);
    g->waits = g->in_node = true;
    for (int64_t i = 0; i < g->n; i++)
        if (g->attributes[i].preset)
            TRY(give(g, &g->attributes[i], g->attributes[i].preset, err));
out:
    return st;
}

static kith_status open_value(gexf *g, const char **attributes, kith_error *err)
{
    const char *of = kith__xml_attribute(attributes, "for");
    const char *value = kith__xml_attribute(attributes, "value");

    of = of ? of : kith__xml_attribute(attributes, "id"); /* GEXF 1.0 */
    if (!of || !value)
        return kith__walk_fail(g->walk, err,
                               "an <attvalue> has no 'for' or no value");
    for (int64_t i = 0; i < g->n && g->in_node; i++)
        if (strcmp(g->attributes[i].id, of) == 0)
            return give(g, &g->attributes[i], value, err);
    return KITH_OK;
}

static kith_status open_edge(gexf *g, const char **attributes, kith_error *err)
{
    static const char *const names[] = {"source", "target"};
    const char *given = kith__xml_attribute(attributes, "weight");
    kith_status st = KITH_OK;
    kith__field ends[2], weight;

    for (int i = 0; i < 2; i++) {
        const char *end = kith__xml_attribute(attributes, names[i]);

        if (!end)
            TRY(kith__walk_fail(g->walk, err, "an <edge> has no %s", names[i]));
        ends[i] = kith__xml_field(end);
    }
    if (given)
        weight = kith__xml_field(given);
    TRY(kith__walk_edge(g->walk, ends, given ? &weight : NULL, err));
out:
    return st;
}

static kith_status opened(void *user, const char *name, const char **attributes,
                          kith_error *err)
{
    gexf *g = user;

    if (strcmp(name, "attvalue") == 0)
        return open_value(g, attributes, err);
    if (strcmp(name, "node") == 0)
        return open_node(g, attributes, err);
    if (strcmp(name, "edge") == 0)
        return open_edge(g, attributes, err);
    if (strcmp(name, "attributes") == 0) {
        const char *of = kith__xml_attribute(attributes, "class");

        g->of_nodes = of && strcmp(of, "node") == 0;
    } else if (strcmp(name, "attribute") == 0 && g->of_nodes) {
        return open_attribute(g, attributes, err);
    } else if (strcmp(name, "default") == 0 && g->declares) {
        kith__xml_wants_text(g->xml);
    }
    return KITH_OK;
}

/* ---- elements that close ------------------------------------------------- */

static kith_status closed(void *user, const char *name, const kith__field *text,
                          kith_error *err)
{
    gexf *g = user;

    if (strcmp(name, "node") == 0) {
        g->in_node = false;
        return finish_node(g, err);
    }
    if (strcmp(name, "default") == 0 && g->declares) {
        node_attribute *a = &g->attributes[g->n - 1];

        kith__free(a->preset);
        a->preset = kith__copy_string(text->text, text->length);
        return a->preset ? KITH_OK : kith__no_memory(err);
    }
    if (strcmp(name, "attribute") == 0)
        g->declares = false;
    if (strcmp(name, "attributes") == 0)
        g->of_nodes = false;
    return KITH_OK;
}

/* ---- all of it ----------------------------------------------------------- */

static void forget_attributes(gexf *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        kith__free(g->attributes[i].id);
        kith__free(g->attributes[i].title);
        kith__free(g->attributes[i].preset);
    }
    g->n = 0;
}

static kith_status walk_gexf(kith__walk *w, void *user, kith_error *err)
{
    gexf *g = user;
    const kith__xml_handler handler = {opened, closed, g};

    forget_attributes(g);
    g->walk = w;
    g->of_nodes = g->declares = g->waits = g->in_node = false;
    return kith__xml_read(w, g->source, &handler, &g->xml, err);
}

kith_status kith__gexf_read(kith__source *source, const kith__known *known,
                            const kith_build_options *options,
                            kith__gathered *out, kith_error *err)
{
    gexf g = {.source = source};
    const kith_status st = kith__walk_gather(walk_gexf, &g, source,
                                             kith__source_path(source), known,
                                             options, out, err);

    forget_attributes(&g);
    kith__free(g.attributes);
    kith__free(g.id);
    return st;
}
