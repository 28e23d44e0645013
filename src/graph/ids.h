/*
 * ids.h: the names of the nodes, both ways.
 *
 * Three kinds, chosen by what the names are:
 *   RANGE    integers base, base + 1, ..., base + n - 1: nothing is stored
 *   INTEGER  other integers >= 0, ascending: 8 bytes each, binary search
 *   TEXT     anything else, in order of first appearance: the bytes, a length
 *            byte or more, and a hash table of 4-byte slots
 *
 * Slots are found by XXH3, as files have them.  Someone who prepares ids that
 * fall into the same slots would make every search long; so whatever table has
 * a run of full slots that chance cannot explain is replaced by one with a
 * secret hash.  The order of the nodes, and what is written, stay the same.
 *
 * An integer is canonical decimal: "7" but not "07" or "+7", which are text, so
 * that every id is given back byte for byte.
 */
#ifndef KITH_GRAPH_IDS_H
#define KITH_GRAPH_IDS_H

#include <stdbool.h>

#include "core/job.h"
#include "core/secret_hash.h"
#include "core/status.h"
#include "kith/graph.h"

enum { KITH__IDS_RANGE = 0, KITH__IDS_INTEGER = 1, KITH__IDS_TEXT = 2 };

/* Ids in a group share one offset; a group is walked by its lengths. */
enum { KITH__ID_GROUP = 16 };

/* Longer ids are refused by the readers. */
enum { KITH__ID_LONGEST = 65535 };

/* Immutable; the arrays are on the heap or lie in a mapped file. */
typedef struct kith__ids {
    int kind;
    int32_t n;
    int64_t base;           /* RANGE */
    const int64_t *values;  /* INTEGER: n, ascending */
    const uint64_t *groups; /* TEXT: offset in bytes of each 16th id */
    const uint8_t *bytes;   /* TEXT: length (varint), then the id's bytes */
    int64_t n_bytes;
    const uint32_t *slots; /* TEXT: node + 1 by hash, 0 = empty */
    int64_t n_slots;       /* a power of two, at least 4/3 n */
    uint32_t *hidden; /* TEXT: the same by a secret hash, owned, if slots are
                       * too full to search; else NULL */
    kith__secret key; /* of hidden */
} kith__ids;

/* The id of a node: see kith_graph_id(). */
const char *kith__ids_get(const kith__ids *ids, int32_t node, char *buffer,
                          size_t *length);

/* The node of an id, or -1. */
int32_t kith__ids_find(const kith__ids *ids, const char *id, size_t length);

/* Free the arrays (of ids that own them). */
void kith__ids_release(kith__ids *ids);

/* Free what ids whose arrays lie in a mapped file own besides. */
void kith__ids_unmap(kith__ids *ids);

/*
 * Make slots that came from a file safe to search, whatever is in them.  Cost:
 * a pass over the slots.
 */
kith_status kith__ids_guard(kith__ids *ids, kith_error *err);

kith_status kith__ids_copy(const kith__ids *from, kith__ids *out,
                           kith_error *err);

/* Check arrays that came from a file: order, bounds, every id found again. */
bool kith__ids_valid(const kith__ids *ids);

/* The same in one pass at the speed of memory: all but that a text is found
 * again, which takes a look at the table for each. */
bool kith__ids_sound(const kith__ids *ids);

/* True, and the value, if text is a canonical integer in [0, 2^63). */
bool kith__id_integer(const char *text, size_t length, int64_t *value);

/* A growing set of ids, numbered in order of first appearance. */
typedef struct kith__id_set {
    int32_t n;
    bool integers; /* all of them so far */
    uint64_t *groups;
    int64_t cap_groups;
    uint8_t *bytes;
    int64_t n_bytes, cap_bytes;
    uint64_t *slots; /* high half: hash, low half: node + 1 */
    int64_t n_slots;
    kith__secret key; /* of the hash; 0: XXH3 */
    int64_t probes;   /* full slots passed so far */
} kith__id_set;

/* The number of an id, added if new (*added says so, may be NULL); -1 if there
 * is no memory, -2 if there are 2^31 - 1 ids already. */
int32_t kith__id_set_add(kith__id_set *set, const char *id, size_t length,
                         bool *added);
void kith__id_set_clear(kith__id_set *set); /* empty, memory kept */
void kith__id_set_release(kith__id_set *set);

/* The id with a number. */
const char *kith__id_set_get(const kith__id_set *set, int32_t number,
                             size_t *length);

/*
 * Turn a set into ids and empty it.  A set of integers only becomes RANGE or
 * INTEGER if it is in numeric order, or is put so with `sorted`; else the order
 * is kept.  job may be NULL.
 */
kith_status kith__ids_from_set(kith__id_set *set, bool sorted,
                               const kith_job *job, kith__ids *out,
                               kith_error *err);

/* RANGE or INTEGER ids from ascending values, which are handed over. */
void kith__ids_from_values(int64_t *values, int32_t n, kith__ids *out);

#endif
