/*
 * record.h: a verdict as numbers that are kept in a model's file, and back.
 */
#ifndef KITH_REPORT_RECORD_H
#define KITH_REPORT_RECORD_H

#include "kith/words.h"

/* What a verdict knows of the data beyond its own counts. */
typedef struct kith__record {
    kith_verdict v; /* in.data and arrays of nodes are NULL */
    int64_t edges, columns;
    uint64_t features;     /* their hash; 0 without */
    char version[64];      /* of the library that made it */
    const char *judged_on; /* "" if nothing was; lives as long as the model */
} kith__record;

/* *known is false if the model has none.  Release in any case. */
kith_status kith__record_of(const kith_model *m, kith__record *out, bool *known,
                            kith_error *err);
void kith__record_release(kith__record *r); /* a zeroed one is fine */

#endif
