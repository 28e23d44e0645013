/*
 * built.h: a data set as one built file, its nodes numbered as wished.
 */
#ifndef KITH_DATA_BUILT_H
#define KITH_DATA_BUILT_H

#include "io/gather.h"
#include "kith/data.h"

/* Write d; with `keep` as it is numbered, else as `order` says. */
kith_status kith__built_write(const kith_dataset *d, bool keep,
                              kith_order order, const char *path,
                              const kith_job *job, kith_error *err);

/* A data set numbered as it is listed; for a d that is so already *out is
 * NULL.  Its splits stay with d. */
kith_status kith__dataset_as_listed(const kith_dataset *d, const kith_job *job,
                                    kith_dataset **out, kith_error *err);

/* Rows of a graph that wait to be numbered: in memory, or where edges were
 * spilled to disk in files without a name, mapped. */
typedef struct kith__held {
    kith__csr csr; /* neighbours and weights may lie in the maps */
    int fd[2];
    int64_t bytes[2];
    void *map[2];
    const char *folder;
} kith__held;

kith_status kith__held_finish(kith__held *h, kith__gathered *gathered,
                              const char *folder, kith_error *err);
void kith__held_release(kith__held *h);

#endif
