/*
 * labels.h: label files, `node<TAB>class` lines.
 */
#ifndef KITH_DATA_LABELS_H
#define KITH_DATA_LABELS_H

#include "graph/ids.h"
#include "io/fields.h"
#include "io/gather.h"
#include "kith/data.h"

/* Does a cell say that there is no label?  The words that always do, and those
 * of options. */
bool kith__says_nothing(const kith_build_options *o, const kith__field *f);

/* Number the classes by their names instead of by appearance. */
kith_status kith__labels_order(kith_labels *labels, kith__id_set *classes,
                               kith_error *err);

/* The node ids that a data set's label file names, before there is a graph. */
kith_status kith__labels_collect(const char *path,
                                 const kith_build_options *options,
                                 kith__id_set *out, kith_error *err);

/* kith_labels_read_table(); `own` is the file of a data set, which need not
 * have the columns that options name. */
kith_status kith__labels_load(const char *path, const kith_graph *g,
                              const kith_build_options *options, bool own,
                              kith_labels **out, kith_error *err);

/*
 * Where all labels are of one class NAME, a second one without nodes, called
 * "not NAME": what is not of the class needs a name too, and a column of
 * probabilities.  Other labels stay as they are.
 */
kith_status kith__labels_name_others(kith_labels *labels, kith_error *err);

/* The labels of n nodes that a graph file itself gave them; *out NULL if there
 * are none. */
kith_status kith__labels_from_classes(kith__node_classes *c, int32_t n,
                                      kith_labels **out, kith_error *err);

/* The same labels where node u is node to[u], numbered as listed or not as
 * `to` makes it; they carry no places. */
kith_status kith__labels_place(const kith_labels *labels, const int32_t *to,
                               kith_labels **out, kith_error *err);

#endif
