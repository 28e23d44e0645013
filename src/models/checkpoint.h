/*
 * checkpoint.h: training that goes on where it was when it was killed.
 *
 * The file, in the container of io/sections.h, holds a key of everything that
 * the result depends on, what all points tried so far were judged to be, in
 * order, and the state of the fit at hand after its last whole alternation.  It
 * is replaced whole after each of them, so what is killed at any time goes on
 * from the last one, to the same bytes.
 */
#ifndef KITH_MODELS_CHECKPOINT_H
#define KITH_MODELS_CHECKPOINT_H

#include "core/status.h"
#include "models/choice.h"

typedef struct kith__checkpoint kith__checkpoint;

/*
 * Begin, or go on from the file if there is one; a file with another key, or a
 * broken one, is refused.  Saving and reading below are nothing where the
 * checkpoint is NULL.
 */
kith_status kith__checkpoint_open(const char *path, uint64_t key,
                                  kith__checkpoint **out, kith_error *err);
void kith__checkpoint_free(kith__checkpoint *c); /* NULL is fine; no saving */

/* What the next n points were judged to be, of so many groups, if the file has
 * them all; else false. */
bool kith__checkpoint_scores(kith__checkpoint *c, int n, int32_t groups,
                             kith__valued *out);

/* Append points, and save; a fit's state is dropped. */
kith_status kith__checkpoint_add(kith__checkpoint *c, int n, int32_t groups,
                                 const kith__valued *points, kith_error *err);

/* An array of a fit's state. */
typedef struct kith__saved {
    const char *tag; /* at most 7 letters */
    void *bytes;
    int64_t size;
} kith__saved;

/* Save the state of a fit, of n arrays, beside the scores. */
kith_status kith__checkpoint_save(kith__checkpoint *c, const kith__saved *state,
                                  int n, kith_error *err);

/* Fill those arrays from the file, once; false if it has no state. */
kith_status kith__checkpoint_restore(kith__checkpoint *c,
                                     const kith__saved *state, int n,
                                     bool *found, kith_error *err);

/* Refuse the file for what those arrays hold. */
kith_status kith__checkpoint_refuse(const kith__checkpoint *c, kith_error *err);

#endif
