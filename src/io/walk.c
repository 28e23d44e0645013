#include "io/walk.h"

#include <math.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/number.h"

enum { CANDIDATES = 2 };

/* An attribute that may hold the classes, and what it holds. */
typedef struct candidate {
    const char *name;
    kith__node_classes classes;
    char *pending; /* of the node that comes next */
    int64_t length, capacity;
    bool has_pending;
} candidate;

struct kith__walk {
    kith__source *source;
    const char *path;
    int64_t line;
    const kith_build_options *options;
    bool collecting; /* the first walk */
    bool weighted;   /* some edge has a weight */
    kith__id_set all;
    const kith__ids *ids; /* in the second walk */
    kith__feed feed;
    candidate candidates[CANDIDATES];
    int n_candidates;
    int64_t entries;
};

kith_status kith__walk_fail(const kith__walk *w, kith_error *err,
                            const char *format, ...)
{
    char text[sizeof(((kith_error *)NULL)->text)];
    va_list list;

    va_start(list, format);
    kith__print_list(text, sizeof(text), format, list);
    va_end(list);
    return kith__fail(err, KITH_ERR_PARSE, w->path, w->line, "%s", text);
}

void kith__walk_at(kith__walk *w, int64_t line)
{
    w->line = line;
}

kith_status kith__walk_progress(const kith__walk *w, kith_error *err)
{
    const int64_t done = w->source ? kith__source_done(w->source) : w->entries;
    const int64_t size = w->source ? kith__source_size(w->source) : 0;

    return kith__progress(&w->options->job,
                          w->collecting ? "reading ids" : "reading edges", done,
                          size, w->source ? "bytes" : "rows", err);
}

/* ---- nodes --------------------------------------------------------------- */

/* The number of a node; while ids are collected, it becomes one. */
static kith_status take_id(kith__walk *w, const kith__field *id, int32_t *node,
                           kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    *node = -1;
    if (id->length == 0)
        return kith__walk_fail(w, err, "a node's id is empty");
    if (id->length > KITH__ID_LONGEST)
        return kith__walk_fail(w, err,
                               "node id has %zu bytes, expected at most %d",
                               id->length, KITH__ID_LONGEST);
    if (memchr(id->text, '\0', id->length))
        return kith__walk_fail(w, err,
                               "a node's id has a NUL byte, expected "
                               "text");
    if (!w->collecting) {
        *node = kith__ids_find(w->ids, id->text, id->length);
        if (*node < 0)
            return kith__walk_fail(
                w, err,
                "unknown node '%s', expected one of the %d in the "
                "list of nodes",
                kith__quote(shown, id->text, id->length), (int)w->ids->n);
        return KITH_OK;
    }
    *node = kith__id_set_add(&w->all, id->text, id->length, NULL);
    if (*node == -2)
        return kith__fail(err, KITH_ERR_RANGE, w->path, 0,
                          "has more than 2147483646 nodes");
    return *node < 0 ? kith__no_memory(err) : KITH_OK;
}

static bool is_named(const candidate *c, const kith__field *name)
{
    return strlen(c->name) == name->length &&
           strncasecmp(c->name, name->text, name->length) == 0;
}

static candidate *candidate_named(kith__walk *w, const kith__field *name)
{
    for (int i = 0; i < w->n_candidates; i++)
        if (is_named(&w->candidates[i], name))
            return &w->candidates[i];
    return NULL;
}

bool kith__walk_wants(const kith__walk *w, const kith__field *name)
{
    for (int i = 0; i < w->n_candidates && !w->collecting; i++)
        if (is_named(&w->candidates[i], name))
            return true;
    return false;
}

kith_status kith__walk_attribute(kith__walk *w, const kith__field *name,
                                 const kith__field *value, kith_error *err)
{
    candidate *c = w->collecting ? NULL : candidate_named(w, name);

    if (!c)
        return KITH_OK;
    if (!kith__grow((void **)&c->pending, &c->capacity, (int64_t)value->length,
                    1))
        return kith__no_memory(err);
    if (value->length > 0)
        memcpy(c->pending, value->text, value->length);
    c->length = (int64_t)value->length;
    c->has_pending = true;
    return KITH_OK;
}

/* What people write where they do not know. */
static bool is_unlabelled(const kith__field *f)
{
    static const char *const words[] = {"",    "unknown", "na",
                                        "nan", "null",    "?"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (f->length == strlen(words[i]) &&
            strncasecmp(f->text, words[i], f->length) == 0)
            return true;
    return false;
}

/* Give the node what was told of it. */
static kith_status take_class(kith__walk *w, candidate *c, int32_t node,
                              kith_error *err)
{
    kith__node_classes *to = &c->classes;
    const kith__field value = {c->pending, (size_t)c->length};
    int32_t class_of;

    c->has_pending = false;
    if (is_unlabelled(&value))
        return KITH_OK;
    if (value.length > KITH__ID_LONGEST)
        return kith__walk_fail(w, err,
                               "a node's %s has %zu bytes, expected "
                               "at most %d",
                               c->name, value.length, KITH__ID_LONGEST);
    class_of = kith__id_set_add(&to->names, value.text, value.length, NULL);
    if (class_of < 0)
        return kith__no_memory(err);
    if (to->of[node] >= 0 && to->of[node] != class_of)
        return kith__walk_fail(w, err, "the node has a second %s", c->name);
    to->labelled += to->of[node] < 0;
    to->of[node] = class_of;
    return KITH_OK;
}

kith_status kith__walk_node(kith__walk *w, const kith__field *id,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t node;

    TRY(take_id(w, id, &node, err));
    for (int i = 0; i < w->n_candidates && !w->collecting; i++)
        if (w->candidates[i].has_pending)
            TRY(take_class(w, &w->candidates[i], node, err));
out:
    return st;
}

/* ---- edges --------------------------------------------------------------- */

static kith_status read_weight(const kith__walk *w, const kith__field *text,
                               float *weight, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    double value = 1;

    if (text && !kith__parse_real(text->text, text->length, &value))
        return kith__walk_fail(
            w, err, "weight '%s' is not a number, expected one of 0 or more",
            kith__quote(shown, text->text, text->length));
    if (text && (!(value >= 0) || !isfinite((float)value)))
        return kith__walk_fail(w, err, "weight '%s' is %s, expected 0 or more",
                               kith__quote(shown, text->text, text->length),
                               value < 0 ? "negative"
                                         : "infinite or not a number");
    *weight = (float)value + 0.0f; /* no minus zero */
    return KITH_OK;
}

kith_status kith__walk_edge(kith__walk *w, const kith__field id[2],
                            const kith__field *weight, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t node[2];
    float value = 1;

    for (int i = 0; i < 2; i++)
        TRY(take_id(w, &id[i], &node[i], err));
    w->entries++;
    if (w->collecting) {
        w->weighted |= weight != NULL;
        goto out;
    }
    if (!weight && w->options->weights == KITH_YES)
        TRY(kith__walk_fail(w, err, "an edge has no weight, expected one"));
    if (w->feed.weighted)
        TRY(read_weight(w, weight, &value, err));
    TRY(kith__feed_edge(&w->feed, (uint32_t)node[0], (uint32_t)node[1], value,
                        err));
out:
    return st;
}

/* ---- both walks ---------------------------------------------------------- */

/* Attributes to look for: that asked for, else those that are often classes.
 */
static kith_status prepare_candidates(kith__walk *w, kith_error *err)
{
    static const char *const usual[CANDIDATES] = {"label", "class"};
    kith_status st = KITH_OK;

    w->n_candidates = w->options->label ? 1 : CANDIDATES;
    for (int i = 0; i < w->n_candidates; i++) {
        candidate *c = &w->candidates[i];

        c->name = w->options->label ? w->options->label : usual[i];
        TRY_NEW(c->classes.of, kith__alloc(w->ids->n, sizeof(*c->classes.of)));
        memset(c->classes.of, -1, (size_t)w->ids->n * sizeof(*c->classes.of));
    }
out:
    return st;
}

/* Different for most nodes: a name, not a class. */
static bool is_a_name(const kith__node_classes *c)
{
    return c->labelled > 8 && c->names.n > c->labelled / 2;
}

static kith_status choose_classes(kith__walk *w, kith__node_classes *out,
                                  kith_error *err)
{
    const char *label = w->options->label;

    for (int i = 0; i < w->n_candidates; i++) {
        kith__node_classes *c = &w->candidates[i].classes;

        if (c->labelled == 0 || (!label && is_a_name(c)))
            continue;
        *out = *c;
        *c = (kith__node_classes){0};
        out->attribute = kith__copy_string(w->candidates[i].name,
                                           strlen(w->candidates[i].name));
        return out->attribute ? KITH_OK : kith__no_memory(err);
    }
    if (label)
        return kith__fail(err, KITH_ERR_PARSE, w->path, 0,
                          "has no node with an attribute '%.60s', which was "
                          "to be the label",
                          label);
    return KITH_OK;
}

static void release(kith__walk *w)
{
    kith__id_set_release(&w->all);
    kith__feed_release(&w->feed);
    for (int i = 0; i < CANDIDATES; i++) {
        kith__node_classes_release(&w->candidates[i].classes);
        kith__free(w->candidates[i].pending);
    }
}

static kith_status walk_once(kith__walk *w, kith__walk_fn pass, void *user,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    w->entries = 0;
    w->line = 0;
    if (w->source)
        TRY(kith__source_rewind(w->source, err));
    TRY(kith__walk_progress(w, err));
    TRY(pass(w, user, err));
out:
    return st;
}

/* The ids: those listed, or those that the first walk and others name. */
static kith_status find_ids(kith__walk *w, kith__walk_fn pass, void *user,
                            const kith__known *known, kith__ids *out,
                            kith_error *err)
{
    kith_status st = KITH_OK;

    w->collecting = true;
    TRY(walk_once(w, pass, user, err));
    w->collecting = false;
    if (known->nodes) {
        TRY(kith__ids_copy(known->nodes, out, err));
    } else {
        TRY(kith__known_add(known, &w->all, err));
        TRY(kith__ids_from_set(&w->all, true, &w->options->job, out, err));
    }
    kith__id_set_release(&w->all);
out:
    return st;
}

kith_status kith__walk_gather(kith__walk_fn pass, void *user,
                              kith__source *source, const char *path,
                              const kith__known *known,
                              const kith_build_options *options,
                              kith__gathered *out, kith_error *err)
{
    kith__walk w = {.source = source, .path = path, .options = options};
    kith_status st = KITH_OK;

    TRY(find_ids(&w, pass, user, known, &out->ids, err));
    if (out->ids.n == 0)
        TRY(kith__fail(err, KITH_ERR_PARSE, path, 0,
                       "has no nodes, expected a graph"));
    w.ids = &out->ids;
    w.feed.weighted = options->weights != KITH_NO &&
                      (w.weighted || options->weights == KITH_YES);
    TRY(kith__builder_new(options, false, w.feed.weighted, &out->builder, err));
    w.feed.builder = out->builder;
    TRY(prepare_candidates(&w, err));
    TRY(walk_once(&w, pass, user, err));
    TRY(kith__feed_finish(&w.feed, err));
    TRY(choose_classes(&w, &out->classes, err));
    out->cleaning.lines = w.line;
    out->cleaning.entries = w.entries;
out:
    release(&w);
    return st;
}
