#include "io/sections.h"

#include <assert.h>
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/out_set.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "these files are little-endian and mapped as they are"
#endif

enum { PAGE = KITH__SECTIONS_PAGE, HASHED = 56 /* bytes of the header */ };

typedef struct header {
    unsigned char magic[8];
    uint32_t version, sections;
    int64_t size;
    unsigned char own[KITH__SECTIONS_OWN];
    uint64_t checksum;
} header;

_Static_assert(sizeof(header) == 64, "as documented");
_Static_assert(sizeof(kith__section) == 40, "as documented");

static uint64_t header_checksum(const header *h, const kith__section *table)
{
    unsigned char bytes[HASHED + sizeof(*table) * KITH__SECTIONS];

    memcpy(bytes, h, HASHED);
    memcpy(bytes + HASHED, table, sizeof(*table) * h->sections);
    return XXH3_64bits(bytes, HASHED + sizeof(*table) * h->sections);
}

/* Bytes from `at` to the next page. */
static int64_t gap_after(int64_t at)
{
    return (PAGE - at % PAGE) % PAGE;
}

static const char zeros[PAGE];

/* ---- writing ------------------------------------------------------------- */

struct kith__sections_writer {
    const kith__sections_format *format;
    kith__out *out;
    uint32_t version, count; /* count: sections ended */
    kith__section table[KITH__SECTIONS];
    XXH3_state_t *sum; /* of the section being written */
};

kith_status kith__sections_create(const kith__sections_format *format,
                                  const char *path, kith__sections_writer **out,
                                  kith_error *err)
{
    kith_status st = KITH_OK;
    kith__sections_writer *w = NULL;

    *out = NULL;
    TRY_NEW(w, kith__alloc_zeroed(1, sizeof(*w)));
    w->format = format;
    w->version = format->version;
    w->sum = XXH3_createState();
    if (!w->sum)
        TRY(kith__no_memory(err));
    TRY(kith__out_open(path, &w->out, err));
    if (w->out->stream)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "is a pipe or device, expected a file for a %s",
                       format->noun));
    TRY(kith__out_write(w->out, zeros, PAGE, err));
    *out = w;
    w = NULL;
out:
    kith__sections_abort(w);
    return st;
}

void kith__sections_set_version(kith__sections_writer *w, uint32_t version)
{
    w->version = version;
}

void kith__sections_abort(kith__sections_writer *w)
{
    if (!w)
        return;
    XXH3_freeState(w->sum);
    kith__out_abort(w->out);
    kith__free(w);
}

const char *kith__sections_path(const kith__sections_writer *w)
{
    return w->out->shown;
}

kith_status kith__sections_begin(kith__sections_writer *w, const char *tag,
                                 uint32_t element, kith_error *err)
{
    const int64_t gap = gap_after(w->out->size);
    kith__section *s = &w->table[w->count];

    assert(w->count < KITH__SECTIONS && strlen(tag) <= sizeof(s->tag));
    memcpy(s->tag, tag, strlen(tag));
    s->element = element;
    s->offset = w->out->size + gap;
    XXH3_64bits_reset(w->sum);
    return kith__out_write(w->out, zeros, gap, err);
}

kith_status kith__sections_append(kith__sections_writer *w, const void *bytes,
                                  int64_t size, kith_error *err)
{
    /* So little that it is still in the cache, and ending where the system
     * likes to begin a large page of the file. */
    const int64_t most = 1 << 18;
    kith_status st = KITH_OK;

    for (int64_t at = 0, n; at < size; at += n) {
        const int64_t room = most - w->out->size % most;
        const char *from = (const char *)bytes + at;

        n = size - at < room ? size - at : room;
        XXH3_64bits_update(w->sum, from, (size_t)n);
        TRY(kith__out_write(w->out, from, n, err));
    }
    w->table[w->count].size += size;
out:
    return st;
}

void kith__sections_end(kith__sections_writer *w)
{
    w->table[w->count++].checksum = XXH3_64bits_digest(w->sum);
}

kith_status kith__sections_put(kith__sections_writer *w, const char *tag,
                               uint32_t element, const void *bytes,
                               int64_t count, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__sections_begin(w, tag, element, err));
    TRY(kith__sections_append(w, bytes, count * element, err));
    kith__sections_end(w);
out:
    return st;
}

static int64_t groups_of(int64_t n)
{
    return (n + KITH__ID_GROUP - 1) / KITH__ID_GROUP;
}

kith_status kith__sections_put_ids(kith__sections_writer *w,
                                   const kith__ids *ids, kith_error *err)
{
    kith_status st = KITH_OK;

    if (ids->kind == KITH__IDS_INTEGER)
        TRY(kith__sections_put(w, "idvals", 8, ids->values, ids->n, err));
    if (ids->kind == KITH__IDS_TEXT) {
        TRY(kith__sections_put(w, "idgroups", 8, ids->groups, groups_of(ids->n),
                               err));
        TRY(kith__sections_put(w, "idbytes", 1, ids->bytes, ids->n_bytes, err));
        TRY(kith__sections_put(w, "idslots", 4, ids->slots, ids->n_slots, err));
    }
out:
    return st;
}

kith_status kith__sections_add(kith__sections_writer *w, const void *own,
                               kith_outputs *with, kith_error *err)
{
    kith_status st = KITH_OK;
    header h = {
        .version = w->version, .sections = w->count, .size = w->out->size};

    memcpy(h.magic, w->format->magic, sizeof(h.magic));
    memcpy(h.own, own, sizeof(h.own));
    h.checksum = header_checksum(&h, w->table);
    TRY(kith__out_rewrite(w->out, 0, &h, sizeof(h), err));
    TRY(kith__out_rewrite(w->out, sizeof(h), w->table,
                          (int64_t)(sizeof(w->table[0]) * w->count), err));
    st = with ? kith__outputs_add(with, w->out, err)
              : kith__out_commit(w->out, err);
    w->out = NULL;
out:
    kith__sections_abort(w);
    return st;
}

kith_status kith__sections_commit(kith__sections_writer *w, const void *own,
                                  kith_error *err)
{
    return kith__sections_add(w, own, NULL, err);
}

/* ---- reading ------------------------------------------------------------- */

kith_status kith__sections_corrupt(const kith__sections *s, kith_error *err,
                                   const char *what)
{
    return kith__fail(err, KITH_ERR_CORRUPT, s->map->path, 0,
                      "is not a sound %s: %s", s->format->noun, what);
}

static bool section_in_file(const kith__map *map, const kith__section *s)
{
    return s->offset >= PAGE && s->offset % PAGE == 0 && s->size >= 0 &&
           s->offset <= map->size && s->size <= map->size - s->offset;
}

kith_status kith__sections_read(const kith__sections_format *format,
                                kith__map *map, kith__sections *s,
                                kith_error *err)
{
    header h;

    *s = (kith__sections){.format = format, .map = map};
    if (map->size < PAGE)
        return kith__sections_corrupt(s, err, "shorter than its header");
    memcpy(&h, map->bytes, sizeof(h));
    if (memcmp(h.magic, format->magic, sizeof(h.magic)) != 0)
        return kith__sections_corrupt(s, err, "it does not begin like one");
    if (h.version < format->version || h.version > format->newest)
        return kith__fail(err, KITH_ERR_PARSE, map->path, 0,
                          "has version %u, expected %s%u: %s", h.version,
                          format->newest > format->version ? "at most " : "",
                          format->newest, format->remedy);
    s->version = h.version;
    if (h.sections > KITH__SECTIONS)
        return kith__sections_corrupt(s, err, "too many sections");
    memcpy(s->table, map->bytes + sizeof(h), sizeof(s->table[0]) * h.sections);
    if (header_checksum(&h, s->table) != h.checksum)
        return kith__sections_corrupt(s, err,
                                      "the header's checksum does not match");
    if (h.size != map->size)
        return kith__sections_corrupt(s, err,
                                      "the file is cut off or has grown");
    for (uint32_t i = 0; i < h.sections; i++)
        if (!section_in_file(map, &s->table[i]))
            return kith__sections_corrupt(s, err,
                                          "a section lies outside the file");
    s->count = h.sections;
    memcpy(s->own, h.own, sizeof(s->own));
    return KITH_OK;
}

kith_status kith__sections_open(const kith__sections_format *format,
                                const char *path, kith__sections *s,
                                kith_error *err)
{
    kith__map *map;
    kith_status st = KITH_OK;

    *s = (kith__sections){.format = format};
    TRY(kith__map_open(path, &map, err));
    TRY(kith__sections_read(format, map, s, err));
out:
    return st;
}

const kith__section *kith__sections_find(const kith__sections *s,
                                         const char *tag)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (strncmp(s->table[i].tag, tag, sizeof(s->table[i].tag)) == 0)
            return &s->table[i];
    return NULL;
}

void *kith__sections_get(const kith__sections *s, const char *tag,
                         uint32_t element, int64_t count, int64_t *found)
{
    const kith__section *at = kith__sections_find(s, tag);

    if (!at || at->element != element || at->size % element != 0 ||
        (count >= 0 && at->size / element != count))
        return NULL;
    if (found)
        *found = at->size / element;
    return (void *)(s->map->bytes + at->offset);
}

bool kith__sections_get_ids(const kith__sections *s, kith__ids *ids)
{
    const int64_t n = ids->n;

    switch (ids->kind) {
    case KITH__IDS_RANGE:
        return ids->base >= 0 && ids->base <= INT64_MAX - n;
    case KITH__IDS_INTEGER:
        ids->values = kith__sections_get(s, "idvals", 8, n, NULL);
        return ids->values != NULL;
    case KITH__IDS_TEXT:
        ids->groups = kith__sections_get(s, "idgroups", 8, groups_of(n), NULL);
        ids->bytes = kith__sections_get(s, "idbytes", 1, -1, &ids->n_bytes);
        ids->slots = kith__sections_get(s, "idslots", 4, -1, &ids->n_slots);
        return ids->groups && ids->bytes && ids->slots && ids->n_slots > n &&
               (ids->n_slots & (ids->n_slots - 1)) == 0;
    default:
        return false;
    }
}

kith_status kith__sections_get_names(const kith__sections *s, const char *bytes,
                                     int64_t size, int64_t *at, int32_t count,
                                     char ***out, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*out, kith__alloc_zeroed(count, sizeof(**out)));
    for (int32_t i = 0; i < count; i++) {
        const char *name = bytes + *at;
        const char *end = *at < size ? memchr(name, '\0', (size_t)(size - *at))
                                     : NULL;

        if (!end)
            TRY(kith__sections_corrupt(s, err, "class names do not fit"));
        TRY_NEW((*out)[i], kith__copy_string(name, (size_t)(end - name)));
        *at = end - bytes + 1;
    }
out:
    return st;
}

/* ---- verifying ----------------------------------------------------------- */

kith_status kith__sections_verify(const kith__sections *s, const kith_job *job,
                                  kith_error *err)
{
    const int64_t most = (int64_t)1 << 26;
    XXH3_state_t *sum = XXH3_createState();
    kith_status st = KITH_OK;

    if (!sum)
        return kith__no_memory(err);
    for (uint32_t i = 0; i < s->count; i++) {
        const kith__section *part = &s->table[i];

        XXH3_64bits_reset(sum);
        for (int64_t at = 0; at < part->size; at += most) {
            const int64_t left = part->size - at;

            TRY(kith__progress(job, "verifying", part->offset + at,
                               s->map->size, "bytes", err));
            XXH3_64bits_update(sum, s->map->bytes + part->offset + at,
                               (size_t)(left < most ? left : most));
        }
        if (XXH3_64bits_digest(sum) != part->checksum)
            TRY(kith__fail(err, KITH_ERR_CORRUPT, s->map->path, 0,
                           "is damaged: the checksum of section '%.8s' does "
                           "not match",
                           part->tag));
    }
out:
    XXH3_freeState(sum);
    return st;
}

bool kith__sections_packed(const kith__sections *s)
{
    int64_t at = (int64_t)(sizeof(header) + sizeof(s->table[0]) * s->count);

    for (uint32_t i = 0; i < s->count; i++) {
        const int64_t gap = gap_after(at);

        if (s->table[i].offset != at + gap ||
            memcmp(s->map->bytes + at, zeros, (size_t)gap) != 0)
            return false;
        at = s->table[i].offset + s->table[i].size;
    }
    return at == s->map->size;
}
