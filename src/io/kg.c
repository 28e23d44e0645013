/*
 * kg.c: writing and mapping built graph files; docs/formats/kg.md has the
 * layout byte by byte.
 */
#include "io/kg.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "core/job.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "built graph files are little-endian and mapped as they are"
#endif

enum { PAGE = 4096, MOST_SECTIONS = 64 };
enum { SPARSE = 1 };

static const unsigned char magic[8] = {0x89, 'K', 'I', 'T', 'H', 'G', 13, 10};

typedef struct header {
    unsigned char magic[8];
    uint32_t version, sections;
    int64_t size, nodes, entries;
    uint32_t id_kind, zero;
    int64_t id_base;
    uint64_t checksum;
} header;

typedef struct section {
    char tag[8];
    int64_t offset, size;
    uint64_t checksum;
    uint32_t element, zero;
} section;

_Static_assert(sizeof(header) == 64, "as documented");
_Static_assert(sizeof(section) == 40, "as documented");
_Static_assert(sizeof(kith_cleaning) == 80, "as documented");

static uint64_t header_checksum(const header *h, const section *table)
{
    unsigned char bytes[56 + sizeof(section) * MOST_SECTIONS];

    memcpy(bytes, h, 56);
    memcpy(bytes + 56, table, sizeof(section) * h->sections);
    return XXH3_64bits(bytes, 56 + sizeof(section) * h->sections);
}

/* ---- writing ------------------------------------------------------------- */

struct kith__kg_writer {
    kith__out *out;
    header head;
    section table[MOST_SECTIONS];
    XXH3_state_t *sum;  /* of the section being written */
    int weights_fd;     /* weights wait here until the neighbours are done */
    int64_t weights_at; /* bytes in it */
};

kith_status kith__kg_create(const char *path, kith__kg_writer **out,
                            kith_error *err)
{
    static const char zeros[PAGE];
    kith_status st = KITH_OK;
    kith__kg_writer *w = NULL;

    *out = NULL;
    TRY_NEW(w, kith__alloc_zeroed(1, sizeof(*w)));
    w->weights_fd = -1;
    w->sum = XXH3_createState();
    if (!w->sum)
        TRY(kith__no_memory(err));
    TRY(kith__out_open(path, &w->out, err));
    if (w->out->stream)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "is a pipe or device, expected a file for a built "
                       "graph"));
    TRY(kith__out_write(w->out, zeros, PAGE, err));
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
    XXH3_freeState(w->sum);
    kith__out_abort(w->out);
    kith__free(w);
}

static kith_status begin_section(kith__kg_writer *w, const char *tag,
                                 uint32_t element, kith_error *err)
{
    static const char zeros[PAGE];
    const int64_t gap = (PAGE - w->out->size % PAGE) % PAGE;
    section *s = &w->table[w->head.sections];

    for (size_t i = 0; i < sizeof(s->tag) && tag[i]; i++)
        s->tag[i] = tag[i];
    s->element = element;
    s->offset = w->out->size + gap;
    s->size = 0;
    XXH3_64bits_reset(w->sum);
    return kith__out_write(w->out, zeros, gap, err);
}

static kith_status append(kith__kg_writer *w, const void *bytes, int64_t size,
                          kith_error *err)
{
    const int64_t most = 1 << 18; /* so that it is still in the cache */
    kith_status st = KITH_OK;

    for (int64_t at = 0; at < size; at += most) {
        const int64_t n = size - at < most ? size - at : most;
        const char *from = (const char *)bytes + at;

        XXH3_64bits_update(w->sum, from, (size_t)n);
        TRY(kith__out_write(w->out, from, n, err));
    }
    w->table[w->head.sections].size += size;
out:
    return st;
}

static void end_section(kith__kg_writer *w)
{
    w->table[w->head.sections++].checksum = XXH3_64bits_digest(w->sum);
}

static kith_status put(kith__kg_writer *w, const char *tag, uint32_t element,
                       const void *bytes, int64_t count, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(begin_section(w, tag, element, err));
    TRY(append(w, bytes, count * element, err));
    end_section(w);
out:
    return st;
}

/* The section of neighbours is open from the first call until the graph is
 * put; head.sections stays 0 meanwhile. */
static kith_status open_neighbours(kith__kg_writer *w, kith_error *err)
{
    return w->table[0].tag[0] ? KITH_OK : begin_section(w, "nbrs", 4, err);
}

static kith_status keep_weights(kith__kg_writer *w, const float *weights,
                                int64_t count, kith_error *err)
{
    kith_status st = KITH_OK;
    char *folder = NULL;

    if (w->weights_fd < 0) {
        TRY_NEW(folder, kith__folder_of(w->out->path));
        TRY(kith__scratch_open(folder, &w->weights_fd, err));
    }
    if (!kith__write_at(w->weights_fd, weights, count * 4, w->weights_at))
        TRY(kith__fail_errno(err, w->out->path, "write a temporary file"));
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
    TRY(append(w, neighbours, count * 4, err));
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
    TRY(begin_section(w, "weights", 4, err));
    for (int64_t at = 0; at < w->weights_at; at += most) {
        const int64_t left = w->weights_at - at;
        const int64_t n = left < most ? left : most;

        if (!kith__read_at(w->weights_fd, buffer, n, at))
            TRY(kith__fail_errno(err, w->out->path, "read a temporary file"));
        TRY(append(w, buffer, n, err));
    }
    end_section(w);
out:
    kith__free(buffer);
    return st;
}

static int64_t groups_of(int64_t n)
{
    return (n + KITH__ID_GROUP - 1) / KITH__ID_GROUP;
}

static kith_status put_ids(kith__kg_writer *w, const kith__ids *ids,
                           kith_error *err)
{
    kith_status st = KITH_OK;

    w->head.id_kind = (uint32_t)ids->kind;
    w->head.id_base = ids->base;
    if (ids->kind == KITH__IDS_INTEGER)
        TRY(put(w, "idvals", 8, ids->values, ids->n, err));
    if (ids->kind == KITH__IDS_TEXT) {
        TRY(put(w, "idgroups", 8, ids->groups, groups_of(ids->n), err));
        TRY(put(w, "idbytes", 1, ids->bytes, ids->n_bytes, err));
        TRY(put(w, "idslots", 4, ids->slots, ids->n_slots, err));
    }
out:
    return st;
}

kith_status kith__kg_put_graph(kith__kg_writer *w, int32_t n,
                               const int64_t *rows, const kith__ids *ids,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(open_neighbours(w, err));
    end_section(w);
    w->head.nodes = n;
    w->head.entries = rows[n];
    if (w->weights_fd >= 0)
        TRY(put_weights(w, err));
    TRY(put(w, "rows", 8, rows, (int64_t)n + 1, err));
    TRY(put_ids(w, ids, err));
out:
    return st;
}

kith_status kith__kg_put_labels(kith__kg_writer *w, const kith_labels *labels,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t counts[2];

    if (!labels)
        return KITH_OK;
    counts[0] = labels->labelled;
    counts[1] = labels->classes;
    TRY(put(w, "labels", 4, labels->of, labels->nodes, err));
    TRY(begin_section(w, "classes", 1, err));
    TRY(append(w, counts, sizeof(counts), err));
    for (int32_t c = 0; c < labels->classes; c++)
        TRY(append(w, labels->names[c], (int64_t)strlen(labels->names[c]) + 1,
                   err));
    end_section(w);
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
    head[0] = f->columns;
    head[1] = f->row ? SPARSE : 0;
    TRY(put(w, "fhead", 8, head, 2, err));
    if (f->row) {
        TRY(put(w, "frows", 8, f->row, (int64_t)f->nodes + 1, err));
        TRY(put(w, "fcols", 4, f->column, f->entries, err));
    }
    if (f->value)
        TRY(put(w, "fvals", 4, f->value, f->entries, err));
out:
    return st;
}

kith_status kith__kg_put_cleaning(kith__kg_writer *w, const kith_cleaning *c,
                                  kith_error *err)
{
    return put(w, "cleaning", 8, c, sizeof(*c) / 8, err);
}

kith_status kith__kg_commit(kith__kg_writer *w, kith_error *err)
{
    kith_status st = KITH_OK;
    header *h = &w->head;

    memcpy(h->magic, magic, sizeof(magic));
    h->version = 1;
    h->size = w->out->size;
    h->checksum = header_checksum(h, w->table);
    TRY(kith__out_rewrite(w->out, 0, h, sizeof(*h), err));
    TRY(kith__out_rewrite(w->out, sizeof(*h), w->table,
                          (int64_t)(sizeof(section) * h->sections), err));
    st = kith__out_commit(w->out, err);
    w->out = NULL;
out:
    kith__kg_abort(w);
    return st;
}

/* ---- mapping ------------------------------------------------------------- */

bool kith__kg_is(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char first[8] = {0};
    const bool is = fd >= 0 && pread(fd, first, 8, 0) == 8 &&
                    memcmp(first, magic, sizeof(magic)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

/* A mapped file whose header has been checked. */
typedef struct opened {
    kith__map *map;
    header head;
    section table[MOST_SECTIONS];
} opened;

static kith_status corrupt(const opened *o, kith_error *err, const char *what)
{
    return kith__fail(err, KITH_ERR_CORRUPT, o->map->path, 0,
                      "is not a sound built graph: %s", what);
}

static bool section_in_file(const opened *o, const section *s)
{
    return s->offset >= PAGE && s->offset % PAGE == 0 && s->size >= 0 &&
           s->offset <= o->map->size && s->size <= o->map->size - s->offset;
}

static kith_status read_header(opened *o, kith_error *err)
{
    const kith__map *map = o->map;
    header *h = &o->head;

    if (map->size < PAGE)
        return corrupt(o, err, "shorter than its header");
    memcpy(h, map->bytes, sizeof(*h));
    if (memcmp(h->magic, magic, sizeof(magic)) != 0)
        return corrupt(o, err, "it does not begin like one");
    if (h->version != 1)
        return kith__fail(err, KITH_ERR_PARSE, map->path, 0,
                          "has version %u, expected 1: build it again",
                          h->version);
    if (h->sections > MOST_SECTIONS)
        return corrupt(o, err, "too many sections");
    memcpy(o->table, map->bytes + sizeof(*h), sizeof(section) * h->sections);
    if (header_checksum(h, o->table) != h->checksum)
        return corrupt(o, err, "the header's checksum does not match");
    if (h->size != map->size)
        return corrupt(o, err, "the file is cut off or has grown");
    if (h->nodes < 0 || h->nodes > INT32_MAX - 1 || h->entries < 0 ||
        h->entries % 2 != 0 || h->entries > h->size)
        return corrupt(o, err, "impossible counts");
    for (uint32_t i = 0; i < h->sections; i++)
        if (!section_in_file(o, &o->table[i]))
            return corrupt(o, err, "a section lies outside the file");
    return KITH_OK;
}

static const section *find_section(const opened *o, const char *tag)
{
    for (uint32_t i = 0; i < o->head.sections; i++)
        if (strncmp(o->table[i].tag, tag, sizeof(o->table[i].tag)) == 0)
            return &o->table[i];
    return NULL;
}

/*
 * The bytes of a section of exactly `count` elements (-1: any number, given
 * back in *found); NULL if it is absent or has another size.
 */
static void *get(const opened *o, const char *tag, uint32_t element,
                 int64_t count, int64_t *found)
{
    const section *s = find_section(o, tag);

    if (!s || s->element != element || s->size % element != 0 ||
        (count >= 0 && s->size / element != count))
        return NULL;
    if (found)
        *found = s->size / element;
    return (void *)(o->map->bytes + s->offset);
}

static bool get_ids(const opened *o, kith__ids *ids)
{
    const int64_t n = o->head.nodes;

    *ids = (kith__ids){
        .kind = (int)o->head.id_kind, .n = (int32_t)n, .base = o->head.id_base};
    switch (o->head.id_kind) {
    case KITH__IDS_RANGE:
        return ids->base >= 0 && ids->base <= INT64_MAX - n;
    case KITH__IDS_INTEGER:
        ids->values = get(o, "idvals", 8, n, NULL);
        return ids->values != NULL;
    case KITH__IDS_TEXT:
        ids->groups = get(o, "idgroups", 8, groups_of(n), NULL);
        ids->bytes = get(o, "idbytes", 1, -1, &ids->n_bytes);
        ids->slots = get(o, "idslots", 4, -1, &ids->n_slots);
        return ids->groups && ids->bytes && ids->slots && ids->n_slots > n &&
               (ids->n_slots & (ids->n_slots - 1)) == 0;
    default:
        return false;
    }
}

static kith_status get_graph(const opened *o, kith_graph **out, kith_error *err)
{
    const header *h = &o->head;
    kith_status st = KITH_OK;
    kith_graph *g = NULL;

    TRY_NEW(g, kith__alloc_zeroed(1, sizeof(*g)));
    g->map = kith__map_share(o->map);
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
    *out = g;
    g = NULL;
out:
    kith_graph_free(g);
    return st;
}

/* The names in a `classes` section, copied. */
static kith_status get_class_names(const opened *o, kith_labels *labels,
                                   const char *bytes, int64_t size,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t at = 16;

    TRY_NEW(labels->names,
            kith__alloc_zeroed(labels->classes, sizeof(*labels->names)));
    for (int32_t c = 0; c < labels->classes; c++) {
        const char *end = at < size
                              ? memchr(bytes + at, '\0', (size_t)(size - at))
                              : NULL;

        if (!end)
            TRY(corrupt(o, err, "class names do not fit"));
        TRY_NEW(labels->names[c],
                kith__copy_string(bytes + at, (size_t)(end - bytes - at)));
        at = end - bytes + 1;
    }
out:
    return st;
}

static kith_status get_labels(const opened *o, kith_labels **out,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;
    int64_t counts[2], size = 0;
    const char *classes = get(o, "classes", 1, -1, &size);

    *out = NULL;
    if (!find_section(o, "labels"))
        return KITH_OK;
    if (!classes || size < 16)
        return corrupt(o, err, "class names do not fit");
    memcpy(counts, classes, sizeof(counts));
    if (counts[0] < 0 || counts[0] > o->head.nodes || counts[1] < 0 ||
        counts[1] > size)
        return corrupt(o, err, "impossible counts of classes");
    TRY_NEW(labels, kith__alloc_zeroed(1, sizeof(*labels)));
    labels->owner = kith__map_share(o->map);
    labels->nodes = (int32_t)o->head.nodes;
    labels->labelled = counts[0];
    labels->classes = (int32_t)counts[1];
    labels->of = get(o, "labels", 4, o->head.nodes, NULL);
    if (!labels->of)
        TRY(corrupt(o, err, "labels do not fit"));
    TRY(get_class_names(o, labels, classes, size, err));
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
    f->owner = kith__map_share(o->map);
    f->nodes = (int32_t)o->head.nodes;
    f->columns = (int32_t)head[0];
    if (!features_fit(o, f, head[1] == SPARSE))
        TRY(corrupt(o, err, "features do not fit"));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}

kith_status kith__kg_open(const char *path, kith_graph **graph,
                          kith_labels **labels, kith_features **features,
                          kith_cleaning *cleaning, kith_error *err)
{
    opened o = {0};
    kith_status st = KITH_OK;
    const kith_cleaning *c;

    *graph = NULL;
    if (labels)
        *labels = NULL;
    if (features)
        *features = NULL;
    TRY(kith__map_open(path, &o.map, err));
    TRY(read_header(&o, err));
    TRY(get_graph(&o, graph, err));
    if (labels)
        TRY(get_labels(&o, labels, err));
    if (features)
        TRY(get_features(&o, features, err));
    c = get(&o, "cleaning", 8, sizeof(*c) / 8, NULL);
    if (cleaning)
        *cleaning = c ? *c : (kith_cleaning){0};
out:
    if (st != KITH_OK) {
        kith_graph_free(*graph);
        *graph = NULL;
        if (labels) {
            kith_labels_free(*labels);
            *labels = NULL;
        }
    }
    kith__map_release(o.map);
    return st;
}

kith_status kith_graph_open(const char *path, kith_graph **out, kith_error *err)
{
    return kith__kg_open(path, out, NULL, NULL, NULL, err);
}

/* ---- verifying ----------------------------------------------------------- */

static kith_status check_sums(const opened *o, const kith_job *job,
                              kith_error *err)
{
    const int64_t most = (int64_t)1 << 26;
    XXH3_state_t *sum = XXH3_createState();
    kith_status st = KITH_OK;

    if (!sum)
        return kith__no_memory(err);
    for (uint32_t i = 0; i < o->head.sections; i++) {
        const section *s = &o->table[i];

        XXH3_64bits_reset(sum);
        for (int64_t at = 0; at < s->size; at += most) {
            const int64_t left = s->size - at;

            TRY(kith__progress(job, "verifying", s->offset + at, o->map->size,
                               "bytes", err));
            XXH3_64bits_update(sum, o->map->bytes + s->offset + at,
                               (size_t)(left < most ? left : most));
        }
        if (XXH3_64bits_digest(sum) != s->checksum)
            TRY(kith__fail(err, KITH_ERR_CORRUPT, o->map->path, 0,
                           "is damaged: the checksum of section '%.8s' does "
                           "not match",
                           s->tag));
    }
out:
    XXH3_freeState(sum);
    return st;
}

/* Offsets ascend from 0 to the end, as CSR needs. */
static bool offsets_valid(const int64_t *rows, int32_t n, int64_t entries)
{
    bool good = rows[0] == 0 && rows[n] == entries;

    for (int32_t u = 0; u < n && good; u++)
        good = rows[u] <= rows[u + 1] && rows[u + 1] <= entries;
    return good;
}

/* Entries of row u ascend, stay below `columns` and skip `without` (-1). */
static bool row_valid(const int32_t *column, int64_t from, int64_t to,
                      int32_t columns, int32_t without)
{
    for (int64_t p = from; p < to; p++)
        if (column[p] < 0 || column[p] >= columns || column[p] == without ||
            (p > from && column[p] <= column[p - 1]))
            return false;
    return true;
}

static bool weights_valid(const float *w, int64_t n, bool negative_too)
{
    for (int64_t p = 0; p < n; p++)
        if (!(w[p] >= (negative_too ? -3.4028235e38f : 0.0f) &&
              w[p] <= 3.4028235e38f))
            return false;
    return true;
}

static bool rows_valid(const kith_graph *g, const kith_job *job)
{
    int bad = 0;

#pragma omp parallel for num_threads(kith__threads(job)) \
    schedule(dynamic, 4096) reduction(|                  \
                                      : bad)
    for (int32_t u = 0; u < g->n; u++)
        bad |= !row_valid(g->neighbours, g->rows[u], g->rows[u + 1], g->n, u);
    return !bad &&
           (!g->weights || weights_valid(g->weights, g->entries, false));
}

static bool labels_valid(const kith_labels *labels)
{
    int64_t labelled = 0;

    for (int32_t u = 0; u < labels->nodes; u++) {
        if (labels->of[u] < -1 || labels->of[u] >= labels->classes)
            return false;
        labelled += labels->of[u] >= 0;
    }
    return labelled == labels->labelled;
}

static bool features_valid(const kith_features *f)
{
    if (f->row) {
        if (!offsets_valid(f->row, f->nodes, f->entries))
            return false;
        for (int32_t u = 0; u < f->nodes; u++)
            if (!row_valid(f->column, f->row[u], f->row[u + 1], f->columns, -1))
                return false;
    }
    return !f->value || weights_valid(f->value, f->entries, true);
}

/* What hangs on the nodes is in the file too: check it with the graph. */
static kith_status check_parts(const opened *o, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_labels *labels = NULL;
    kith_features *features = NULL;

    TRY(get_labels(o, &labels, err));
    TRY(get_features(o, &features, err));
    if (labels && !labels_valid(labels))
        TRY(corrupt(o, err, "a label is out of range"));
    if (features && !features_valid(features))
        TRY(corrupt(o, err, "a feature is out of range"));
out:
    kith_labels_free(labels);
    kith_features_free(features);
    return st;
}

kith_status kith_graph_verify(const kith_graph *g, const kith_job *job,
                              kith_error *err)
{
    opened o = {.map = g->map};
    kith_status st = KITH_OK;

    if (!g->map)
        return KITH_OK; /* built in this process */
    TRY(read_header(&o, err));
    TRY(check_sums(&o, job, err));
    if (!offsets_valid(g->rows, g->n, g->entries) || !rows_valid(g, job))
        TRY(corrupt(&o, err, "a row is out of order or out of range"));
    if (!kith__ids_valid(&g->ids))
        TRY(corrupt(&o, err, "node ids are out of order or repeated"));
    TRY(check_parts(&o, err));
out:
    return st;
}

/* ---- identity ------------------------------------------------------------ */

static uint64_t stored_sum(const opened *o, const char *tag)
{
    const section *s = find_section(o, tag);

    return s ? s->checksum : 0;
}

static uint64_t sum_of(const void *bytes, int64_t size)
{
    return bytes ? XXH3_64bits(bytes, (size_t)size) : 0;
}

uint64_t kith_graph_hash(const kith_graph *g)
{
    static const char *const tags[6] = {"rows",   "nbrs",     "weights",
                                        "idvals", "idgroups", "idbytes"};
    const kith__ids *ids = &g->ids;
    uint64_t parts[6];
    opened o = {.map = g->map};

    if (g->map && read_header(&o, NULL) == KITH_OK) {
        for (int i = 0; i < 6; i++)
            parts[i] = stored_sum(&o, tags[i]);
    } else {
        parts[0] = sum_of(g->rows, ((int64_t)g->n + 1) * 8);
        parts[1] = sum_of(g->neighbours, g->entries * 4);
        parts[2] = sum_of(g->weights, g->entries * 4);
        parts[3] = sum_of(ids->values, (int64_t)g->n * 8);
        parts[4] = sum_of(ids->groups, groups_of(g->n) * 8);
        parts[5] = sum_of(ids->bytes, ids->n_bytes);
    }
    return kith__graph_fingerprint(g, parts);
}
