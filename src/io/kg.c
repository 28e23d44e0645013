/*
 * kg.c: writing and mapping built graph files; docs/formats/kg.md has the
 * layout byte by byte, sections.h the container.
 */
#include "io/kg.h"

#include <unistd.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "core/job.h"
#include "io/inflate.h"
#include "io/kg_check.h"
#include "io/sections.h"

enum { SPARSE = 1 };

/* Versions: a reader of the first alone would give nodes wrong ids. */
enum { AS_LISTED = 1, NUMBERED = 2 };

static const kith__sections_format format = {
    .magic = {0x89, 'K', 'I', 'T', 'H', 'G', 13, 10},
    .version = AS_LISTED,
    .newest = NUMBERED,
    .noun = "built graph",
    .remedy = "build it again"};

/* Bytes 24 to 55 of the header. */
typedef struct counts {
    int64_t nodes, entries;
    uint32_t id_kind, zero;
    int64_t id_base;
} counts;

_Static_assert(sizeof(counts) == KITH__SECTIONS_OWN, "as documented");
_Static_assert(sizeof(kith_cleaning) == 80, "as documented");

/* ---- writing ------------------------------------------------------------- */

struct kith__kg_writer {
    kith__sections_writer *file;
    counts head;
    bool neighbours;    /* their section has begun */
    int weights_fd;     /* weights wait here until the neighbours are done */
    int64_t weights_at; /* bytes in it */
};

kith_status kith__kg_create(const char *path, kith__kg_writer **out,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith__kg_writer *w = NULL;

    *out = NULL;
    TRY_NEW(w, kith__alloc_zeroed(1, sizeof(*w)));
    w->weights_fd = -1;
    TRY(kith__packing_none(path, err));
    TRY(kith__sections_create(&format, path, &w->file, err));
    *out = w;
    w = NULL;
out:
    kith__kg_abort(w);
    return st;
}

void kith__kg_abort(kith__kg_writer *w)
{
    if (!w)
        return;
    if (w->weights_fd >= 0)
        close(w->weights_fd);
    kith__sections_abort(w->file);
    kith__free(w);
}

/* The section of neighbours is open from the first call until the graph is
 * put. */
static kith_status open_neighbours(kith__kg_writer *w, kith_error *err)
{
    if (w->neighbours)
        return KITH_OK;
    w->neighbours = true;
    return kith__sections_begin(w->file, "nbrs", 4, err);
}

static kith_status keep_weights(kith__kg_writer *w, const float *weights,
                                int64_t count, kith_error *err)
{
    kith_status st = KITH_OK;
    char *folder = NULL;

    if (w->weights_fd < 0) {
        TRY_NEW(folder, kith__folder_of(kith__sections_path(w->file)));
        TRY(kith__scratch_open(folder, &w->weights_fd, err));
    }
    if (!kith__write_at(w->weights_fd, weights, count * 4, w->weights_at))
        TRY(kith__fail_errno(err, kith__sections_path(w->file),
                             "write a temporary file"));
    w->weights_at += count * 4;
out:
    kith__free(folder);
    return st;
}

kith_status kith__kg_put_neighbours(void *writer, const int32_t *neighbours,
                                    const float *weights, int64_t count,
                                    kith_error *err)
{
    kith__kg_writer *w = writer;
    kith_status st = KITH_OK;

    TRY(open_neighbours(w, err));
    TRY(kith__sections_append(w->file, neighbours, count * 4, err));
    if (weights)
        TRY(keep_weights(w, weights, count, err));
out:
    return st;
}

static kith_status put_weights(kith__kg_writer *w, kith_error *err)
{
    const int64_t most = 1 << 20;
    kith_status st = KITH_OK;
    char *buffer = NULL;

    TRY_NEW(buffer, kith__alloc(most, 1));
    TRY(kith__sections_begin(w->file, "weights", 4, err));
    for (int64_t at = 0; at < w->weights_at; at += most) {
        const int64_t left = w->weights_at - at;
        const int64_t n = left < most ? left : most;

        if (!kith__read_at(w->weights_fd, buffer, n, at))
            TRY(kith__fail_errno(err, kith__sections_path(w->file),
                                 "read a temporary file"));
        TRY(kith__sections_append(w->file, buffer, n, err));
    }
    kith__sections_end(w->file);
out:
    kith__free(buffer);
    return st;
}

kith_status kith__kg_put_graph(kith__kg_writer *w, int32_t n,
                               const int64_t *rows, const kith__ids *ids,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(open_neighbours(w, err));
    kith__sections_end(w->file);
    w->head = (counts){.nodes = n,
                       .entries = rows[n],
                       .id_kind = (uint32_t)ids->kind,
                       .id_base = ids->base};
    if (w->weights_fd >= 0)
        TRY(put_weights(w, err));
    TRY(kith__sections_put(w->file, "rows", 8, rows, (int64_t)n + 1, err));
    TRY(kith__sections_put_ids(w->file, ids, err));
out:
    return st;
}

kith_status kith__kg_put_order(kith__kg_writer *w, int32_t n,
                               const int32_t *place, const int32_t *listed,
                               const uint64_t sums[3], kith_error *err)
{
    kith_status st = KITH_OK;

    kith__sections_set_version(w->file, NUMBERED);
    TRY(kith__sections_put(w->file, "place", 4, place, n, err));
    TRY(kith__sections_put(w->file, "listed", 4, listed, n, err));
    TRY(kith__sections_put(w->file, "aslisted", 8, sums, 3, err));
out:
    return st;
}

kith_status kith__kg_put_labels(kith__kg_writer *w, const kith_labels *labels,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t head[2];

    if (!labels)
        return KITH_OK;
    head[0] = labels->labelled;
    head[1] = labels->classes;
    TRY(kith__sections_put(w->file, "labels", 4, labels->of, labels->nodes,
                           err));
    TRY(kith__sections_begin(w->file, "classes", 1, err));
    TRY(kith__sections_append(w->file, head, sizeof(head), err));
    for (int32_t c = 0; c < labels->classes; c++)
        TRY(kith__sections_append(w->file, labels->names[c],
                                  (int64_t)strlen(labels->names[c]) + 1, err));
    kith__sections_end(w->file);
out:
    return st;
}

kith_status kith__kg_put_features(kith__kg_writer *w, const kith_features *f,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t head[2];

    if (!f)
        return KITH_OK;
    TRY(kith__features_check_width(f, kith__sections_path(w->file), err));
    head[0] = f->columns;
    head[1] = f->row ? SPARSE : 0;
    TRY(kith__sections_put(w->file, "fhead", 8, head, 2, err));
    if (f->row) {
        TRY(kith__sections_put(w->file, "frows", 8, f->row,
                               (int64_t)f->nodes + 1, err));
        TRY(kith__sections_put(w->file, "fcols", 4, f->column, f->entries,
                               err));
    }
    if (f->value)
        TRY(kith__sections_put(w->file, "fvals", 4, f->value, f->entries, err));
    if (f->names) {
        TRY(kith__sections_begin(w->file, "fnames", 1, err));
        for (int32_t c = 0; c < f->columns; c++)
            TRY(kith__sections_append(w->file, f->names[c],
                                      (int64_t)strlen(f->names[c]) + 1, err));
        kith__sections_end(w->file);
    }
out:
    return st;
}

kith_status kith__kg_put_cleaning(kith__kg_writer *w, const kith_cleaning *c,
                                  kith_error *err)
{
    return kith__sections_put(w->file, "cleaning", 8, c, sizeof(*c) / 8, err);
}

kith_status kith__kg_add(kith__kg_writer *w, kith_outputs *with,
                         kith_error *err)
{
    const kith_status st = kith__sections_add(w->file, &w->head, with, err);

    w->file = NULL;
    kith__kg_abort(w);
    return st;
}

kith_status kith__kg_commit(kith__kg_writer *w, kith_error *err)
{
    return kith__kg_add(w, NULL, err);
}

/* ---- mapping ------------------------------------------------------------- */

bool kith__kg_is(const kith__source *source)
{
    return memcmp(kith__source_first(source), format.magic,
                  sizeof(format.magic)) == 0;
}

/* A mapped file whose header has been checked. */
typedef struct opened {
    kith__sections file;
    counts head;
} opened;

static kith_status corrupt(const opened *o, kith_error *err, const char *what)
{
    return kith__sections_corrupt(&o->file, err, what);
}

static const kith__section *find_section(const opened *o, const char *tag)
{
    return kith__sections_find(&o->file, tag);
}

static void *get(const opened *o, const char *tag, uint32_t element,
                 int64_t count, int64_t *found)
{
    return kith__sections_get(&o->file, tag, element, count, found);
}

/* Take the counts from a header that is sound as such. */
static kith_status read_counts(opened *o, kith_error *err)
{
    counts *h = &o->head;

    memcpy(h, o->file.own, sizeof(*h));
    if (h->nodes < 0 || h->nodes > INT32_MAX - 1 || h->entries < 0 ||
        h->entries % 2 != 0 || h->entries > o->file.map->size)
        return corrupt(o, err, "impossible counts");
    return KITH_OK;
}

static kith_status read_header(kith__map *map, opened *o, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__sections_read(&format, map, &o->file, err));
    TRY(read_counts(o, err));
out:
    return st;
}

static bool get_ids(const opened *o, kith__ids *ids)
{
    *ids = (kith__ids){.kind = (int)o->head.id_kind,
                       .n = (int32_t)o->head.nodes,
                       .base = o->head.id_base};
    return kith__sections_get_ids(&o->file, ids);
}

static bool get_order(const opened *o, kith_graph *g)
{
    if (o->file.version == AS_LISTED)
        return true;
    g->place = get(o, "place", 4, g->n, NULL);
    g->listed = get(o, "listed", 4, g->n, NULL);
    return g->place && g->listed && get(o, "aslisted", 8, 3, NULL);
}

static kith_status get_graph(const opened *o, kith_graph **out, kith_error *err)
{
    const counts *h = &o->head;
    kith_status st = KITH_OK;
    kith_graph *g = NULL;

    TRY_NEW(g, kith__alloc_zeroed(1, sizeof(*g)));
    g->map = kith__map_share(o->file.map);
    g->n = (int32_t)h->nodes;
    g->entries = h->entries;
    g->rows = get(o, "rows", 8, h->nodes + 1, NULL);
    g->neighbours = get(o, "nbrs", 4, h->entries, NULL);
    g->weights = get(o, "weights", 4, h->entries, NULL);
    if (!g->rows || !g->neighbours || g->rows[0] != 0 ||
        g->rows[g->n] != g->entries)
        TRY(corrupt(o, err, "rows or neighbours do not fit"));
    if (!g->weights && find_section(o, "weights"))
        TRY(corrupt(o, err, "weights do not fit"));
    if (!get_ids(o, &g->ids))
        TRY(corrupt(o, err, "node ids do not fit"));
    TRY(kith__ids_guard(&g->ids, err));
    if (!get_order(o, g))
        TRY(corrupt(o, err, "the order of the nodes does not fit"));
    *out = g;
    g = NULL;
out:
    kith_graph_free(g);
    return st;
}

static kith_status get_labels(const opened *o, kith_labels **out,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;
    int64_t found[2], size = 0, at = sizeof(found);
    const char *classes = get(o, "classes", 1, -1, &size);

    *out = NULL;
    if (!find_section(o, "labels"))
        return KITH_OK;
    if (!classes || size < at)
        return corrupt(o, err, "class names do not fit");
    memcpy(found, classes, sizeof(found));
    if (found[0] < 0 || found[0] > o->head.nodes || found[1] < 0 ||
        found[1] > size)
        return corrupt(o, err, "impossible counts of classes");
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->owner = kith__map_share(o->file.map);
    labels->nodes = (int32_t)o->head.nodes;
    labels->labelled = found[0];
    labels->classes = (int32_t)found[1];
    labels->of = get(o, "labels", 4, o->head.nodes, NULL);
    if (!labels->of)
        TRY(corrupt(o, err, "labels do not fit"));
    TRY(kith__sections_get_names(&o->file, classes, size, &at, labels->classes,
                                 &labels->names, err));
    *out = labels;
    labels = NULL;
out:
    kith_labels_free(labels);
    return st;
}

static bool features_fit(const opened *o, kith_features *f, bool sparse)
{
    int64_t dense;

    if (!sparse) {
        if (!kith__multiply(f->nodes, f->columns, &dense))
            return false;
        f->value = get(o, "fvals", 4, dense, &f->entries);
        return f->value != NULL;
    }
    f->row = get(o, "frows", 8, (int64_t)f->nodes + 1, NULL);
    f->column = get(o, "fcols", 4, -1, &f->entries);
    f->value = get(o, "fvals", 4, f->entries, NULL);
    return f->row && f->column && f->row[0] == 0 &&
           f->row[f->nodes] == f->entries &&
           (f->value || !find_section(o, "fvals"));
}

static kith_status get_column_names(const opened *o, kith_features *f,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t size = 0, at = 0;
    const char *bytes = get(o, "fnames", 1, -1, &size);

    if (!find_section(o, "fnames"))
        return KITH_OK;
    if (!bytes || f->columns > size)
        return corrupt(o, err, "names of columns do not fit");
    TRY(kith__sections_get_names(&o->file, bytes, size, &at, f->columns,
                                 &f->names, err));
    if (at != size)
        TRY(corrupt(o, err, "names of columns do not fit"));
out:
    return st;
}

static kith_status get_features(const opened *o, kith_features **out,
                                kith_error *err)
{
    const int64_t *head = get(o, "fhead", 8, 2, NULL);
    kith_status st = KITH_OK;
    kith_features *f = NULL;

    *out = NULL;
    if (!find_section(o, "fhead"))
        return KITH_OK;
    if (!head || head[0] < 0 || head[0] > INT32_MAX - 1)
        return corrupt(o, err, "features do not fit");
    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    f->owner = kith__map_share(o->file.map);
    f->nodes = (int32_t)o->head.nodes;
    f->columns = (int32_t)head[0];
    if (!features_fit(o, f, head[1] == SPARSE))
        TRY(corrupt(o, err, "features do not fit"));
    TRY(get_column_names(o, f, err));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}

/* Refuse the file for what was found wrong with a part of it, if anything. */
static kith_status refuse(const opened *o, const char *fault, kith_error *err)
{
    return fault ? corrupt(o, err, fault) : KITH_OK;
}

/* Take all parts of a file that are wanted. */
static kith_status get_parts(const opened *o, const kith__kg_how *how,
                             kith__kg_parts *p, kith_error *err)
{
    const kith_cleaning *c = get(o, "cleaning", 8, sizeof(*c) / 8, NULL);
    kith_status st = KITH_OK;

    TRY(get_graph(o, &p->graph, err));
    if (!how->graph_alone) {
        TRY(get_labels(o, &p->labels, err));
        TRY(get_features(o, &p->features, err));
    }
    if (c)
        p->cleaning = *c;
out:
    return st;
}

/* Look at all that later code relies on. */
static kith_status check_parts(const opened *o, const kith__kg_parts *p,
                               const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;
    const char *fault;

    TRY(kith__kg_graph_fault(p->graph, job, &fault, err));
    TRY(refuse(o, fault, err));
    if (p->labels)
        TRY(refuse(o, kith__kg_labels_fault(p->labels), err));
    if (p->features)
        TRY(refuse(o, kith__kg_features_fault(p->features), err));
    TRY(refuse(o, kith__kg_cleaning_fault(&p->cleaning), err));
out:
    return st;
}

void kith__kg_release(kith__kg_parts *p)
{
    kith_graph_free(p->graph);
    kith_labels_free(p->labels);
    kith_features_free(p->features);
    *p = (kith__kg_parts){0};
}

/* Up to this size a file's checksums are always compared. */
static const int64_t always = (int64_t)1 << 30;

kith_status kith__kg_open(const kith__source *source, const kith__kg_how *how,
                          kith__kg_parts *out, kith_error *err)
{
    opened o = {0};
    kith_status st = KITH_OK;
    kith__map *map = NULL;

    *out = (kith__kg_parts){0};
    TRY(kith__source_map(source, &map, err));
    TRY(read_header(map, &o, err));
    if (how->verify || map->size <= always)
        TRY(kith__sections_verify(&o.file, how->job, err));
    TRY(get_parts(&o, how, out, err));
    TRY(check_parts(&o, out, how->job, err));
out:
    if (st != KITH_OK)
        kith__kg_release(out);
    kith__map_release(map);
    return st;
}

kith_status kith_graph_open(const char *path, kith_graph **out, kith_error *err)
{
    const kith__kg_how how = {.graph_alone = true};
    kith_status st = KITH_OK;
    kith__source *source = NULL;
    kith__kg_parts parts;

    *out = NULL;
    TRY(kith__source_open(path, NULL, NULL, &source, err));
    TRY(kith__kg_open(source, &how, &parts, err));
    *out = parts.graph;
out:
    kith__source_close(source);
    return st;
}

kith_status kith_graph_peek(const char *path, kith_graph_counts *out,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    kith__map *map = NULL;
    opened o = {0};

    TRY(kith__map_open(path, &map, err));
    TRY(read_header(map, &o, err));
    *out = (kith_graph_counts){.nodes = (int32_t)o.head.nodes,
                               .edges = o.head.entries / 2,
                               .weighted = find_section(&o, "weights")};
out:
    kith__map_release(map);
    return st;
}

/* ---- verifying ----------------------------------------------------------- */

/* Put the rows back as they were listed: do they have the sums they had? */
static kith_status check_order(const opened *o, const kith_graph *g,
                               const kith_job *job, kith_error *err)
{
    const uint64_t *stored = get(o, "aslisted", 8, 3, NULL);
    kith_status st = KITH_OK;
    kith_graph *back = NULL;
    uint64_t sums[3];

    if (!g->listed)
        return KITH_OK;
    if (!stored)
        return corrupt(o, err, "the order of the nodes is not one");
    TRY(kith__graph_as_listed(g, job, &back, err));
    kith__kg_listed_sums(back, sums);
    if (memcmp(sums, stored, sizeof(sums)) != 0)
        TRY(corrupt(o, err, "the rows are not those that were listed"));
out:
    kith_graph_free(back);
    return st;
}

kith_status kith_graph_verify(const kith_graph *g, const kith_job *job,
                              kith_error *err)
{
    static const kith__kg_how all;
    kith__kg_parts parts = {0};
    opened o = {0};
    kith_status st = KITH_OK;

    if (!g->map)
        return KITH_OK; /* built in this process */
    TRY(read_header(g->map, &o, err));
    TRY(kith__sections_verify(&o.file, job, err));
    TRY(get_parts(&o, &all, &parts, err));
    TRY(check_parts(&o, &parts, job, err));
    if (!kith__ids_valid(&g->ids))
        TRY(corrupt(&o, err, "node ids are repeated or not found again"));
    TRY(check_order(&o, g, job, err));
out:
    kith__kg_release(&parts);
    return st;
}

/* ---- identity ------------------------------------------------------------ */

static uint64_t stored_sum(const opened *o, const char *tag)
{
    const kith__section *s = find_section(o, tag);

    return s ? s->checksum : 0;
}

static uint64_t sum_of(const void *bytes, int64_t size)
{
    return bytes ? XXH3_64bits(bytes, (size_t)size) : 0;
}

/* The same of an array of the graph's entries, whose pages are given back. */
static uint64_t sum_entries(const kith_graph *g, const void *array)
{
    const int64_t size = g->entries * 4, most = (int64_t)KITH__READ_AT_ONCE * 4;
    XXH3_state_t *sum = g->files && array ? XXH3_createState() : NULL;
    uint64_t digest;

    if (!sum)
        return sum_of(array, size);
    XXH3_64bits_reset(sum);
    for (int64_t at = 0; at < size; at += most) {
        XXH3_64bits_update(sum, (const char *)array + at,
                           (size_t)(size - at < most ? size - at : most));
        kith__graph_give_back(g);
    }
    digest = XXH3_64bits_digest(sum);
    XXH3_freeState(sum);
    return digest;
}

void kith__kg_listed_sums(const kith_graph *g, uint64_t sums[3])
{
    static const char *const tags[3] = {"rows", "nbrs", "weights"};
    const uint64_t *stored;
    opened o = {0};

    if (g->map && read_header(g->map, &o, NULL) == KITH_OK) {
        stored = g->listed ? get(&o, "aslisted", 8, 3, NULL) : NULL;
        for (int i = 0; i < 3; i++)
            sums[i] = stored ? stored[i] : stored_sum(&o, tags[i]);
        return;
    }
    sums[0] = sum_of(g->rows, ((int64_t)g->n + 1) * 8);
    sums[1] = sum_entries(g, g->neighbours);
    sums[2] = sum_entries(g, g->weights);
}

uint64_t kith_graph_hash(const kith_graph *g)
{
    const kith__ids *ids = &g->ids;
    const int64_t groups = ((int64_t)g->n + KITH__ID_GROUP - 1) /
                           KITH__ID_GROUP;
    uint64_t parts[6];
    opened o = {0};

    kith__kg_listed_sums(g, parts);
    if (g->map && read_header(g->map, &o, NULL) == KITH_OK) {
        parts[3] = stored_sum(&o, "idvals");
        parts[4] = stored_sum(&o, "idgroups");
        parts[5] = stored_sum(&o, "idbytes");
    } else {
        parts[3] = sum_of(ids->values, (int64_t)g->n * 8);
        parts[4] = sum_of(ids->groups, groups * 8);
        parts[5] = sum_of(ids->bytes, ids->n_bytes);
    }
    return kith__graph_fingerprint(g, parts);
}
