/*
 * kith/kith.h: the one header to include.
 *
 * Names are kith_<noun>_<verb>.  The library never prints, exits or reads the
 * environment, and has no state that changes (but kith_set_allocator()).  What
 * holds of every call, unless its own comment says otherwise:
 *
 * Owning   `const` pointers are borrowed for the call.  `T **out` hands over a
 *          new object, to be freed by the call of its noun that ends in _free;
 *          structs that the caller holds by _release, bare arrays and texts by
 *          kith_array_free(); all take NULL.  What a call returns by itself
 *          belongs to the object that was asked and lives as long.
 * Errors   Calls that can fail return kith_status and leave details in their
 *          last argument, which may be NULL.  *out is NULL then, inputs are
 *          unchanged, and no output stands half-written.  Reading a file:
 *          KITH_ERR_IO, KITH_ERR_PARSE (err->line set), KITH_ERR_RANGE, of our
 *          own formats KITH_ERR_CORRUPT.  Writing: KITH_ERR_IO.  What takes
 *          memory: KITH_ERR_NOMEM.  What takes a job, by its callback:
 *          KITH_ERR_CANCELLED.  A node, class or number out of range:
 *          KITH_ERR_ARGUMENT.  Calls that return no status cannot fail, and
 *          their arguments must be in range.
 * Threads  The host may make any calls at the same time, on the same objects
 *          too where these are `const`.  Inside, a call uses the threads of its
 *          job; results do not depend on how many.
 * Cost     O(1) of what returns no status; a pass over what is read, written or
 *          counted of what does.
 */
#ifndef KITH_KITH_H
#define KITH_KITH_H

#include "kith/arrays.h"
#include "kith/core.h"
#include "kith/data.h"
#include "kith/eval.h"
#include "kith/explain.h"
#include "kith/facts.h"
#include "kith/generate.h"
#include "kith/graph.h"
#include "kith/model.h"
#include "kith/options.h"
#include "kith/report.h"
#include "kith/table.h"
#include "kith/tasks.h"
#include "kith/words.h"

#endif
