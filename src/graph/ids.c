#include "graph/ids.h"

#include <xxhash.h>

#include "core/alloc.h"
#include "core/sort.h"

/*
 * As many full slots in a row as chance can explain: in a table that is three
 * quarters full, runs of L slots are rarer by exp(-0.037 L), which at this
 * length is one table in hundreds, whatever its size.
 */
static int64_t longest_run(int64_t n_slots)
{
    return 64 + 24 * (63 - __builtin_clzll((uint64_t)n_slots));
}

static uint64_t hash_of(kith__secret key, const char *id, size_t length)
{
    return key.high ? kith__secret_hash(key, id, length)
                    : XXH3_64bits(id, length);
}

bool kith__id_integer(const char *text, size_t length, int64_t *value)
{
    uint64_t v = 0;

    if (length == 0 || length > 19 || (text[0] == '0' && length > 1))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    *value = (int64_t)v;
    return v <= INT64_MAX;
}

/* Read a varint at *at; false if it runs over the end or is absurd. */
static bool read_length(const uint8_t *bytes, int64_t n_bytes, int64_t *at,
                        int64_t *length)
{
    int64_t value = 0;

    for (int shift = 0; shift < 28; shift += 7) {
        if (*at >= n_bytes)
            return false;
        value |= (int64_t)(bytes[*at] & 127) << shift;
        if (bytes[(*at)++] < 128) {
            *length = value;
            return value <= n_bytes - *at;
        }
    }
    return false;
}

/* Where id `node` begins, walking its group; NULL if the bytes are broken. */
static const char *find_text(const uint64_t *groups, const uint8_t *bytes,
                             int64_t n_bytes, int32_t node, size_t *length)
{
    const uint64_t start = groups[node / KITH__ID_GROUP];
    int64_t at = (int64_t)start, size = 0;

    *length = 0;
    if (start > (uint64_t)n_bytes)
        return NULL;
    for (int32_t i = node % KITH__ID_GROUP; i >= 0; i--) {
        if (!read_length(bytes, n_bytes, &at, &size))
            return NULL;
        at += i > 0 ? size : 0;
    }
    *length = (size_t)size;
    return (const char *)bytes + at;
}

static const char *print_integer(int64_t value, char *buffer, size_t *length)
{
    *length = (size_t)snprintf(buffer, KITH_ID_BUFFER, "%lld",
                               (long long)value);
    return buffer;
}

const char *kith__ids_get(const kith__ids *ids, int32_t node, char *buffer,
                          size_t *length)
{
    const char *text;

    if (ids->kind == KITH__IDS_RANGE)
        return print_integer(ids->base + node, buffer, length);
    if (ids->kind == KITH__IDS_INTEGER)
        return print_integer(ids->values[node], buffer, length);
    text = find_text(ids->groups, ids->bytes, ids->n_bytes, node, length);
    return text ? text : "";
}

static int32_t find_integer(const kith__ids *ids, int64_t value)
{
    int64_t low = 0, high = ids->n;

    if (ids->kind == KITH__IDS_RANGE)
        return value >= ids->base && value - ids->base < ids->n
                   ? (int32_t)(value - ids->base)
                   : -1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (ids->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ids->n && ids->values[low] == value ? (int32_t)low : -1;
}

int32_t kith__ids_find(const kith__ids *ids, const char *id, size_t length)
{
    const uint32_t *slots = ids->hidden ? ids->hidden : ids->slots;
    int64_t value;
    uint64_t slot;

    if (ids->kind != KITH__IDS_TEXT)
        return kith__id_integer(id, length, &value) ? find_integer(ids, value)
                                                    : -1;
    if (ids->n_slots == 0)
        return -1;
    slot = hash_of(ids->key, id, length) & (uint64_t)(ids->n_slots - 1);
    for (int64_t probes = 0; probes < ids->n_slots; probes++) {
        const uint32_t entry = slots[slot];
        const char *text;
        size_t size;

        if (entry == 0 || entry > (uint32_t)ids->n)
            return -1;
        text = find_text(ids->groups, ids->bytes, ids->n_bytes,
                         (int32_t)(entry - 1), &size);
        if (text && size == length && memcmp(text, id, length) == 0)
            return (int32_t)(entry - 1);
        slot = (slot + 1) & (uint64_t)(ids->n_slots - 1);
    }
    return -1;
}

void kith__ids_unmap(kith__ids *ids)
{
    kith__free(ids->hidden);
    *ids = (kith__ids){0};
}

void kith__ids_release(kith__ids *ids)
{
    kith__free((void *)ids->values);
    kith__free((void *)ids->groups);
    kith__free((void *)ids->bytes);
    kith__free((void *)ids->slots);
    kith__ids_unmap(ids);
}

/* Ids one after the other to the end of the bytes, groups where they begin;
 * `again`: and each is found. */
static bool text_valid(const kith__ids *ids, bool again)
{
    int64_t at = 0, size;

    for (int32_t i = 0; i < ids->n; i++) {
        if (i % KITH__ID_GROUP == 0 &&
            ids->groups[i / KITH__ID_GROUP] != (uint64_t)at)
            return false;
        if (!read_length(ids->bytes, ids->n_bytes, &at, &size))
            return false;
        if (again && kith__ids_find(ids, (const char *)ids->bytes + at,
                                    (size_t)size) != i)
            return false;
        at += size;
    }
    return at == ids->n_bytes;
}

/* As many slots are taken as there are ids, by numbers that sum up. */
static bool slots_sound(const kith__ids *ids)
{
    int64_t taken = 0, sum = 0;
    uint32_t largest = 0;

    for (int64_t i = 0; i < ids->n_slots; i++) {
        taken += ids->slots[i] != 0;
        sum += ids->slots[i];
        largest = ids->slots[i] > largest ? ids->slots[i] : largest;
    }
    return taken == ids->n && largest == (uint32_t)ids->n &&
           sum == ((int64_t)ids->n + 1) * ids->n / 2;
}

static bool numbers_valid(const kith__ids *ids)
{
    if (ids->kind == KITH__IDS_RANGE)
        return ids->base >= 0 && ids->base <= INT64_MAX - ids->n;
    for (int32_t i = 0; i < ids->n; i++)
        if (ids->values[i] < 0 ||
            (i > 0 && ids->values[i] <= ids->values[i - 1]))
            return false;
    return true;
}

bool kith__ids_valid(const kith__ids *ids)
{
    return ids->kind == KITH__IDS_TEXT ? text_valid(ids, true)
                                       : numbers_valid(ids);
}

bool kith__ids_sound(const kith__ids *ids)
{
    return ids->kind == KITH__IDS_TEXT
               ? text_valid(ids, false) && slots_sound(ids)
               : numbers_valid(ids);
}

/* ---- slots --------------------------------------------------------------- */

/* Is there a longer run of full slots than chance explains? */
static bool crowded(const uint32_t *slots, int64_t n_slots)
{
    const int64_t most = longest_run(n_slots);
    int64_t run = 0;

    /* A run may go over the end. */
    for (int64_t i = 0; i < n_slots + most && run <= most; i++)
        run = slots[i & (n_slots - 1)] ? run + 1 : 0;
    return run > most;
}

/*
 * Fill empty slots in the order of the nodes, so that the same ids always give
 * the same bytes: each takes the first slot from its hash on that is free.
 *
 * Where runs get long, `ahead` (n_slots, made when first needed) lets searches
 * leap over them: from a full slot it leads to one further on, with nothing but
 * full slots between them.  Every search halves the way that it took.
 */
typedef struct filling {
    uint32_t *slots, *ahead;
    uint64_t mask;
} filling;

static bool look_ahead(filling *f)
{
    f->ahead = kith__alloc((int64_t)f->mask + 1, sizeof(*f->ahead));
    for (uint64_t i = 0; f->ahead && i <= f->mask; i++)
        f->ahead[i] = (uint32_t)((i + 1) & f->mask);
    return f->ahead != NULL;
}

/* The first free slot from `slot` on; false if there is no memory. */
static bool free_slot(filling *f, uint64_t slot, uint64_t *found)
{
    int64_t walk = longest_run((int64_t)f->mask + 1);

    for (; f->slots[slot] && walk > 0; walk--)
        slot = (slot + 1) & f->mask;
    if (f->slots[slot] && !f->ahead && !look_ahead(f))
        return false;
    while (f->slots[slot]) {
        const uint32_t next = f->ahead[slot];

        if (f->slots[next])
            f->ahead[slot] = f->ahead[next];
        slot = next;
    }
    *found = slot;
    return true;
}

static kith_status fill_slots(const kith__ids *ids, kith__secret key,
                              const kith_job *job, uint32_t *slots,
                              int64_t n_slots, kith_error *err)
{
    filling f = {.slots = slots, .mask = (uint64_t)n_slots - 1};
    kith_status st = KITH_OK;

    for (int32_t i = 0; i < ids->n; i++) {
        size_t length;
        const char *text = find_text(ids->groups, ids->bytes, ids->n_bytes, i,
                                     &length);
        uint64_t slot;

        if (i % (1 << 20) == 0)
            TRY(kith__progress(job, "indexing ids", i, ids->n, "ids", err));
        if (!text)
            continue; /* of a broken file: it cannot be found */
        if (!free_slot(&f, hash_of(key, text, length) & f.mask, &slot))
            TRY(kith__no_memory(err));
        slots[slot] = (uint32_t)i + 1;
    }
out:
    kith__free(f.ahead);
    return st;
}

kith_status kith__ids_guard(kith__ids *ids, kith_error *err)
{
    kith_status st = KITH_OK;

    if (ids->kind != KITH__IDS_TEXT || !crowded(ids->slots, ids->n_slots))
        return KITH_OK;
    ids->key = kith__secret_new();
    TRY_NEW(ids->hidden,
            kith__alloc_zeroed(ids->n_slots, sizeof(*ids->hidden)));
    TRY(fill_slots(ids, ids->key, NULL, ids->hidden, ids->n_slots, err));
out:
    return st;
}

/* The table that lookups use: 4-byte slots. */
static kith_status build_slots(kith__ids *ids, const kith_job *job,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    uint32_t *slots = NULL;
    int64_t n_slots = 16;

    while (n_slots * 3 < (int64_t)ids->n * 4)
        n_slots *= 2;
    TRY_NEW(slots, kith__alloc_zeroed(n_slots, sizeof(*slots)));
    ids->slots = slots;
    ids->n_slots = n_slots;
    TRY(fill_slots(ids, (kith__secret){0}, job, slots, n_slots, err));
    TRY(kith__ids_guard(ids, err));
out:
    return st;
}

/* ---- copying ------------------------------------------------------------- */

static void *copy_array(const void *from, int64_t count, size_t size)
{
    void *copy = kith__alloc(count, size);

    if (copy)
        memcpy(copy, from, (size_t)count * size);
    return copy;
}

kith_status kith__ids_copy(const kith__ids *from, kith__ids *out,
                           kith_error *err)
{
    const int64_t groups = (from->n + (int64_t)KITH__ID_GROUP - 1) /
                           KITH__ID_GROUP;
    kith_status st = KITH_OK;
    kith__ids ids = *from;

    ids.values = NULL;
    ids.groups = NULL;
    ids.bytes = NULL;
    ids.slots = NULL;
    ids.hidden = NULL;
    if (from->values)
        TRY_NEW(ids.values, copy_array(from->values, from->n, 8));
    if (from->kind == KITH__IDS_TEXT) {
        TRY_NEW(ids.groups, copy_array(from->groups, groups, 8));
        TRY_NEW(ids.bytes, copy_array(from->bytes, from->n_bytes, 1));
        TRY_NEW(ids.slots, copy_array(from->slots, from->n_slots, 4));
        ids.key = (kith__secret){0};
        TRY(kith__ids_guard(&ids, err));
    }
    *out = ids;
    ids = (kith__ids){0};
out:
    kith__ids_release(&ids);
    return st;
}

/* ---- the growing set ----------------------------------------------------- */

static void set_place(uint64_t *slots, int64_t n_slots, uint64_t entry)
{
    /* The hash's high half chooses the slot, so it can be moved. */
    uint64_t slot = (entry >> 32) & (uint64_t)(n_slots - 1);

    while (slots[slot])
        slot = (slot + 1) & (uint64_t)(n_slots - 1);
    slots[slot] = entry;
}

static bool set_rehash(kith__id_set *set, int64_t n_slots)
{
    uint64_t *slots = kith__alloc_zeroed(n_slots, sizeof(*slots));

    if (!slots)
        return false;
    for (int64_t i = 0; i < set->n_slots; i++)
        if (set->slots[i])
            set_place(slots, n_slots, set->slots[i]);
    kith__free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    return true;
}

static uint32_t set_hash(const kith__id_set *set, const char *id, size_t length)
{
    return (uint32_t)(hash_of(set->key, id, length) >> 32);
}

/* From now on by a secret hash: someone knew the other. */
static void set_hide(kith__id_set *set)
{
    set->key = kith__secret_new();
    memset(set->slots, 0, (size_t)set->n_slots * sizeof(*set->slots));
    for (int32_t i = 0; i < set->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(set, i, &length);
        const uint64_t hash = set_hash(set, text, length);

        set_place(set->slots, set->n_slots, hash << 32 | ((uint32_t)i + 1));
    }
}

/* Append an id; false if there is no memory. */
static bool set_append(kith__id_set *set, const char *id, size_t length)
{
    const int64_t need = set->n_bytes + (int64_t)length + 5;
    int64_t value;
    size_t rest = length;

    if (!kith__grow((void **)&set->bytes, &set->cap_bytes, need, 1) ||
        !kith__grow((void **)&set->groups, &set->cap_groups,
                    set->n / KITH__ID_GROUP + 1, sizeof(*set->groups)))
        return false;
    if (set->n % KITH__ID_GROUP == 0)
        set->groups[set->n / KITH__ID_GROUP] = (uint64_t)set->n_bytes;
    for (; rest >= 128; rest >>= 7)
        set->bytes[set->n_bytes++] = (uint8_t)(rest | 128);
    set->bytes[set->n_bytes++] = (uint8_t)rest;
    memcpy(set->bytes + set->n_bytes, id, length);
    set->n_bytes += (int64_t)length;
    set->integers = (set->n == 0 || set->integers) &&
                    kith__id_integer(id, length, &value);
    set->n++;
    return true;
}

enum { SAME_HASH = 16 }; /* other ids with it: chance makes one or two */

/*
 * Find an id, or the free slot where it belongs; its node, or -1.  False if the
 * search took longer than chance explains and was given up.
 */
static bool set_search(kith__id_set *set, const char *id, size_t length,
                       uint32_t hash, uint64_t *slot, int32_t *node)
{
    int64_t left = longest_run(set->n_slots);
    int others = 0;

    *slot = hash & (uint64_t)(set->n_slots - 1);
    for (; set->slots[*slot];
         *slot = (*slot + 1) & (uint64_t)(set->n_slots - 1)) {
        const char *text;
        size_t size;

        set->probes++;
        if ((left-- == 0 || others == SAME_HASH) && !set->key.high)
            return false;
        if ((uint32_t)(set->slots[*slot] >> 32) != hash)
            continue;
        *node = (int32_t)((uint32_t)set->slots[*slot] - 1);
        text = kith__id_set_get(set, *node, &size);
        if (size == length && memcmp(text, id, length) == 0)
            return true;
        others++;
    }
    *node = -1;
    return true;
}

int32_t kith__id_set_add(kith__id_set *set, const char *id, size_t length,
                         bool *added)
{
    uint32_t hash = set_hash(set, id, length);
    uint64_t slot = 0;
    int32_t node = -1;

    if (added)
        *added = false;
    if ((int64_t)set->n * 4 >= set->n_slots * 3 &&
        !set_rehash(set, set->n_slots ? set->n_slots * 2 : 64))
        return -1;
    if (!set_search(set, id, length, hash, &slot, &node)) {
        set_hide(set);
        hash = set_hash(set, id, length);
        (void)set_search(set, id, length, hash, &slot, &node);
    }
    if (node >= 0)
        return node;
    if (set->n == INT32_MAX)
        return -2;
    if (!set_append(set, id, length))
        return -1;
    set->slots[slot] = (uint64_t)hash << 32 | (uint32_t)set->n;
    if (added)
        *added = true;
    return set->n - 1;
}

const char *kith__id_set_get(const kith__id_set *set, int32_t number,
                             size_t *length)
{
    return find_text(set->groups, set->bytes, set->n_bytes, number, length);
}

void kith__id_set_clear(kith__id_set *set)
{
    set->n = 0;
    set->n_bytes = 0;
    if (set->slots)
        memset(set->slots, 0, (size_t)set->n_slots * sizeof(*set->slots));
}

void kith__id_set_release(kith__id_set *set)
{
    kith__free(set->groups);
    kith__free(set->bytes);
    kith__free(set->slots);
    *set = (kith__id_set){0};
}

/* ---- from set to ids ----------------------------------------------------- */

void kith__ids_from_values(int64_t *values, int32_t n, kith__ids *out)
{
    *out = (kith__ids){.kind = KITH__IDS_INTEGER, .n = n, .values = values};
    if (n > 0 && values[n - 1] - values[0] != n - 1)
        return;
    out->kind = KITH__IDS_RANGE;
    out->base = n > 0 ? values[0] : 0;
    out->values = NULL;
    kith__free(values);
}

static int64_t set_value(const kith__id_set *set, int32_t number)
{
    size_t length;
    const char *text = kith__id_set_get(set, number, &length);
    int64_t value = 0;

    (void)kith__id_integer(text, length, &value);
    return value;
}

/* Integers only, in ascending order already? */
static bool set_ascending(const kith__id_set *set)
{
    if (!set->integers)
        return false;
    for (int32_t i = 1; i < set->n; i++)
        if (set_value(set, i) < set_value(set, i - 1))
            return false;
    return true;
}

static kith_status sorted_integers(kith__id_set *set, kith__ids *out,
                                   kith_error *err)
{
    int64_t *values = kith__alloc(set->n, sizeof(*values));

    if (!values)
        return kith__no_memory(err);
    for (int32_t i = 0; i < set->n; i++)
        values[i] = set_value(set, i);
    kith__sort_u64((uint64_t *)values, set->n);
    kith__ids_from_values(values, set->n, out);
    return KITH_OK;
}

kith_status kith__ids_from_set(kith__id_set *set, bool sorted,
                               const kith_job *job, kith__ids *out,
                               kith_error *err)
{
    kith_status st;

    if (set->n == 0 || (sorted && set->integers) || set_ascending(set)) {
        st = sorted_integers(set, out, err);
        kith__id_set_release(set);
        return st;
    }
    *out = (kith__ids){.kind = KITH__IDS_TEXT,
                       .n = set->n,
                       .groups = set->groups,
                       .bytes = set->bytes,
                       .n_bytes = set->n_bytes};
    set->groups = NULL;
    set->bytes = NULL;
    kith__id_set_release(set);
    st = build_slots(out, job, err);
    if (st != KITH_OK)
        kith__ids_release(out);
    return st;
}
