/*
 * status.h: how calls fail.
 *
 * Every call that can fail returns kith_status and takes a kith_error last.
 * A function has one exit label `out`, everything it owns is NULL at
 * declaration, and TRY is the only macro that jumps there.
 */
#ifndef KITH_CORE_STATUS_H
#define KITH_CORE_STATUS_H

#include "core/banned.h"
#include "kith/core.h"

#define TRY(call)          \
    do {                   \
        st = (call);       \
        if (st != KITH_OK) \
            goto out;      \
    } while (0)

/* As TRY, for an allocation: `TRY_NEW(p, kith__alloc(n, sizeof(*p)))`. */
#define TRY_NEW(pointer, call)         \
    do {                               \
        (pointer) = (call);            \
        if (!(pointer)) {              \
            st = kith__no_memory(err); \
            goto out;                  \
        }                              \
    } while (0)

/* Fill err (if not NULL) and return status, so that `return kith__fail(...)`
 * and `TRY(kith__fail(...))` both read well.  path may be NULL, line 0. */
kith_status kith__fail(kith_error *err, kith_status status, const char *path,
                       int64_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The system's reason (errno) behind "cannot VERB". */
kith_status kith__fail_errno(kith_error *err, const char *path,
                             const char *verb);

kith_status kith__no_memory(kith_error *err);

/*
 * Copy at most 60 bytes of hostile input into out, of KITH_QUOTE_BUFFER bytes,
 * for a message: control characters become '?', a cut is shown as "...".
 */
#define KITH_QUOTE_BUFFER 72
const char *kith__quote(char *out, const char *text, size_t length);

/*
 * In a loop that threads share: remember the first failure in *st and *err (may
 * be NULL); what succeeded changes nothing.
 */
void kith__note_failure(kith_status got, const kith_error *why, kith_status *st,
                        kith_error *err);

#endif
