/*
 * walk.h: gathering a graph from a format that names its nodes and holds no
 * counts: XML, JSON, databases.
 *
 * The file is walked twice: first to collect the ids, then to look them up, so
 * that edges go to the builder as they are met and nothing else is kept.  The
 * reader of a format is one function that walks all of it and tells of every
 * node and edge; which of the two walks it is concerns this file alone.
 *
 * Attributes that nodes carry may be their classes: that which options->label
 * names, else `label` or `class`.  One that is different for most nodes (as
 * Gephi's `label` is) names them and is not taken.
 */
#ifndef KITH_IO_WALK_H
#define KITH_IO_WALK_H

#include "io/fields.h"
#include "io/gather.h"

typedef struct kith__walk kith__walk;

/* Walk the file once, from its start; `user` is the reader's own. */
typedef kith_status (*kith__walk_fn)(kith__walk *w, void *user,
                                     kith_error *err);

/* Both walks, and what came of them.  source is what kith__walk_rewind() needs,
 * NULL if the reader begins again by itself; path is for messages. */
kith_status kith__walk_gather(kith__walk_fn pass, void *user,
                              kith__source *source, const char *path,
                              const kith__known *known,
                              const kith_build_options *options,
                              kith__gathered *out, kith_error *err);

/* Would this attribute of a node be looked at, in this walk? */
bool kith__walk_wants(const kith__walk *w, const kith__field *name);

/* An attribute of the node that kith__walk_node() names next. */
kith_status kith__walk_attribute(kith__walk *w, const kith__field *name,
                                 const kith__field *value, kith_error *err);
kith_status kith__walk_node(kith__walk *w, const kith__field *id,
                            kith_error *err);

/* weight NULL: the edge has none, which counts as 1 beside others that have. */
kith_status kith__walk_edge(kith__walk *w, const kith__field id[2],
                            const kith__field *weight, kith_error *err);

/* The line at hand, for messages and the summary; 0 if there are none. */
void kith__walk_at(kith__walk *w, int64_t line);

/* Tell the caller how far the source was read, and whether to go on. */
kith_status kith__walk_progress(const kith__walk *w, kith_error *err);

kith_status kith__walk_fail(const kith__walk *w, kith_error *err,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
