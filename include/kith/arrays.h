/*
 * kith/arrays.h: graphs, labels, features and splits from arrays in memory,
 * such as those of NumPy, SciPy, Arrow or of the host program itself.
 *
 *     kith_coo edges = {.u = {u, KITH_I32, m}, .v = {v, KITH_I32, m}};
 *     kith_array classes = {of, KITH_I32, n};
 *
 *     kith_graph_from_coo(&edges, NULL, NULL, &g, NULL, &err);
 *     kith_labels_from_array(&classes, 2, NULL, &labels, &err);
 *     kith_split_from_arrays(g, &train, NULL, &test, "mine", &split, &err);
 *     kith_dataset_new(g, labels, NULL, NULL, &d, &err);
 *
 * What comes out is what the files of the same content give: the same graph
 * with the same hash, the same built file, the same model.
 *
 * Errors of all: KITH_ERR_ARGUMENT for an array of a wrong type or length, with
 * a number out of range, infinite or not a number; the text names the array and
 * the place, counted from 0.  KITH_ERR_RANGE for what is too large,
 * KITH_ERR_NOMEM.  Arrays are read during the call only, unless borrowed, and
 * never written.  Threads: safe on distinct outputs.  Cost: a pass or a few
 * over the arrays.
 */
#ifndef KITH_ARRAYS_H
#define KITH_ARRAYS_H

#include "kith/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_number {
    KITH_I32 = 1,
    KITH_I64 = 2,
    KITH_F32 = 3,
    KITH_F64 = 4
} kith_number;

/* `count` numbers one after the other.  A zeroed one is no array. */
typedef struct kith_array {
    const void *data;
    kith_number type;
    int64_t count;
} kith_array;

/* What to do with the arrays of a matrix.  A borrowed array is read in its
 * place as long as the object lives: the caller keeps it there, unchanged. */
typedef enum kith_keep {
    KITH_COPY = 0,
    KITH_BORROW = 1 /* if the layout allows it, else copy */
} kith_keep;

/* ---- graphs -------------------------------------------------------------- */

/* Ids for the nodes of a graph, in the order of the nodes; opaque. */
typedef struct kith_ids kith_ids;

/*
 * Id i is the bytes offsets[i] .. offsets[i + 1] - 1 (offsets: I32 or I64, one
 * more than there are ids; as in an Arrow array of strings).  An id that is
 * empty, longer than 65535 bytes or there twice is refused.  *out is to be
 * freed with kith_ids_free(); graphs copy it.
 */
KITH_API kith_status kith_ids_from_strings(const kith_array *offsets,
                                           const char *bytes, kith_ids **out,
                                           kith_error *err);
KITH_API void kith_ids_free(kith_ids *ids); /* NULL is fine */

/* Edges u[i] - v[i] of a graph, in any order and direction. */
typedef struct kith_coo {
    kith_array u, v;    /* I32 or I64: node numbers */
    kith_array weights; /* any type, finite, 0 or more; none: unweighted */
    int64_t nodes;      /* 0: as many as there are ids, or else one more than
                           the largest number in u and v */
} kith_coo;

/*
 * A graph of edges.  Nodes are numbered as in the arrays; their ids are `ids`,
 * or for NULL the numbers.  Self-loops, repeats and edges given one way or both
 * are cleaned as in files, and counted in *cleaning (may be NULL).
 *
 * options (NULL = the defaults): job, merge, spill_to, and of weights KITH_NO,
 * which leaves them out.  Besides the errors above KITH_ERR_CANCELLED.
 * Cost: O(n + m), memory as kith_graph_read().
 */
KITH_API kith_status kith_graph_from_coo(const kith_coo *edges,
                                         const kith_ids *ids,
                                         const kith_build_options *options,
                                         kith_graph **out,
                                         kith_cleaning *cleaning,
                                         kith_error *err);

/* Ids, one for each place: texts as for kith_ids_from_strings(), which may be
 * repeated; or integers, I32 or I64, from 0 up, that stand for themselves. */
typedef struct kith_id_array {
    kith_array offsets; /* of texts; a zeroed one: integers */
    const char *bytes;
    kith_array integers;
} kith_id_array;

/* Edges between ids, as a table has them: u[i] - v[i]. */
typedef struct kith_id_edges {
    kith_id_array u, v; /* both of texts or both of integers */
    kith_array weights; /* as in kith_coo */
} kith_id_edges;

/*
 * A graph of edges between ids.  Nodes are numbered as in a file of the same
 * lines: by their value if all ids are integers, else in the order in which
 * they first appear.  With `ids` (may be NULL) those are all the nodes there
 * are, in that order, and an edge to another is refused.
 *
 * An edge that is given several times weighs, unless options->merge says
 * otherwise, as one of a table whose columns are named: the sum of its weights,
 * or without weights how often it is given.  Otherwise as
 * kith_graph_from_coo().
 */
KITH_API kith_status kith_graph_from_id_edges(const kith_id_edges *edges,
                                              const kith_ids *ids,
                                              const kith_build_options *options,
                                              kith_graph **out,
                                              kith_cleaning *cleaning,
                                              kith_error *err);

/* A sparse matrix by rows, as SciPy's csr_matrix has it. */
typedef struct kith_csr {
    kith_array rows; /* I32 or I64: one more than there are rows, from 0 up */
    kith_array columns; /* I32 or I64: of each entry */
    kith_array values;  /* any type, finite; none: all entries are 1 */
    int64_t width;      /* columns there are; of a graph: 0 or the rows */
} kith_csr;

/*
 * The same from an adjacency matrix, whose entry u, v is an edge from u to v,
 * values (0 or more) being weights.  It need be neither symmetric nor sorted.
 * If it is both, free of repeats and of a diagonal, its columns are I32 and its
 * values, if any, F32, it is taken as it is, without sorting; with KITH_BORROW
 * the graph then uses columns and values where they are:
 * kith_graph_borrows() says so.
 */
KITH_API kith_status kith_graph_from_csr(const kith_csr *matrix,
                                         const kith_ids *ids, kith_keep keep,
                                         const kith_build_options *options,
                                         kith_graph **out,
                                         kith_cleaning *cleaning,
                                         kith_error *err);
KITH_API bool kith_graph_borrows(const kith_graph *g);

/* ---- what hangs on the nodes: entry or row u belongs to node u ----------- */

/*
 * classes  I32 or I64: the class of each node, 0 .. n_classes - 1, -1 = unknown
 * names    n_classes names, none twice or empty; NULL: the numbers
 *
 * Shares of several classes for one node are not supported: KITH_F32 and
 * KITH_F64 are refused.
 */
KITH_API kith_status kith_labels_from_array(const kith_array *classes,
                                            int32_t n_classes,
                                            const char *const *names,
                                            kith_labels **out, kith_error *err);

/*
 * A dense matrix of rows x columns values, one row after the other; F32 is
 * borrowed if asked for: (*out)->borrowed says so.
 */
KITH_API kith_status kith_features_from_dense(const kith_array *values,
                                              int64_t rows, int64_t columns,
                                              kith_keep keep,
                                              kith_features **out,
                                              kith_error *err);

/*
 * A sparse one.  Two entries in one place are refused, zeros are dropped.  If
 * rows are sorted, no value is 0, columns are I32 and values F32 or none, they
 * are borrowed if asked for.
 */
KITH_API kith_status kith_features_from_csr(const kith_csr *matrix,
                                            kith_keep keep, kith_features **out,
                                            kith_error *err);

/*
 * Nodes to learn from, to tune on, to test on, each I32 or I64 in any order,
 * repeats merged; val and test may be NULL.  A node in two of them is refused.
 * out is to be released with kith_split_release().
 */
KITH_API kith_status kith_split_from_arrays(
    const kith_graph *g, const kith_array *train, const kith_array *val,
    const kith_array *test, const char *name, kith_split *out, kith_error *err);

/*
 * A data set of parts, which it owns from then on: kith_dataset_free() frees
 * them.  On failure they stay the caller's.  labels, features and cleaning may
 * be NULL; those that are there must have as many nodes as the graph.
 */
KITH_API kith_status kith_dataset_new(kith_graph *graph, kith_labels *labels,
                                      kith_features *features,
                                      const kith_cleaning *cleaning,
                                      kith_dataset **out, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
