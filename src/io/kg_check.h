/*
 * kg_check.h: is what a built file holds what all later code relies on?
 *
 * A file is not trusted because it has checksums: whoever makes a file makes
 * those too.  So every opening checks the structure.  What passes can be
 * walked without looking: no index leads outside its array, no row runs
 * backward.  Each answer is one pass at the speed of memory, and NULL or what
 * is wrong.
 */
#ifndef KITH_IO_KG_CHECK_H
#define KITH_IO_KG_CHECK_H

#include "graph/graph_object.h"
#include "kith/data.h"

/*
 * Rows ascend from 0 to the number of entries; neighbours ascend in a row, lie
 * below n and are not the row itself; each edge stands in both rows with one
 * weight, finite and at least 0; ids have an order and bounds; places and
 * numbers undo each other.
 *
 * Both ways of an edge are compared by sums of hashes, equal for a symmetric
 * graph and else only by a chance of 2^-64 or by design: code that would leave
 * an array if an edge has no other half must look for itself.
 *
 * Progress of job may cancel.
 */
kith_status kith__kg_graph_fault(const kith_graph *g, const kith_job *job,
                                 const char **fault, kith_error *err);

const char *kith__kg_labels_fault(const kith_labels *labels);
const char *kith__kg_features_fault(const kith_features *f);

/*
 * More columns than the entries account for, whatever file they come from: what
 * learns has a weight or more for each, so that one number in a small file,
 * read or written wrong, would ask for gigabytes and minutes.
 */
bool kith__features_too_wide(const kith_features *f);

/* Fails for those, which are read from or written to a file. */
kith_status kith__features_check_width(const kith_features *f, const char *path,
                                       kith_error *err);

const char *kith__kg_cleaning_fault(const kith_cleaning *c);

#endif
