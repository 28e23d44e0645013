/*
 * kith/data.h: what hangs on the nodes: labels, features, splits, and the
 * data set folder that holds them all.
 */
#ifndef KITH_DATA_H
#define KITH_DATA_H

#include "kith/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A class for some of the nodes.  Classes are numbered in numeric order if all
 * names are integers, else in byte order, so that no file order matters.  Where
 * a file knows one class NAME alone there is a second one that no node is known
 * to be of, "not NAME": probabilities of it are told too. */
typedef struct kith_labels {
    int32_t nodes;
    int32_t classes;
    int64_t labelled;
    int32_t *of;  /* class of each node, -1 = unknown */
    char **names; /* name of each class */
    void *owner;  /* mapped file that `of` lies in, NULL if on the heap */
    /* Where a node was given several classes (kith_table_options.several):
     * what was said, by node and then class; `of` has the rarest of a node's
     * classes, of equals the first.  Else 0 and NULL.  kith/tasks.h makes a
     * task of each class. */
    int64_t pairs;
    int32_t *pair_node, *pair_class;
} kith_labels;

/* A row of features for each node; rows without entries are allowed. */
typedef struct kith_features {
    int32_t nodes;
    int32_t columns;
    int64_t entries; /* stored: nonzeros, or nodes x columns if dense */
    int64_t *row;    /* sparse: nodes + 1 offsets, else NULL */
    int32_t *column; /* sparse: entries, ascending in each row */
    float *value;    /* entries; NULL in a sparse matrix that is all ones */
    void *owner;     /* mapped file the arrays lie in, NULL if on the heap */
    bool borrowed;   /* column and value are the caller's: kith/arrays.h */
    char **names;    /* name of each column, on the heap; NULL if none */
} kith_features;

/* Nodes to learn from, to tune on, to test on; ascending, no repeats. */
typedef struct kith_split {
    char *name;
    int32_t *train, *val, *test;
    int32_t n_train, n_val, n_test; /* n_val may be 0 */
    uint64_t hash;                  /* of the ids in the three lists */
} kith_split;

/* A graph and what is known of its nodes.  Free with kith_dataset_free(). */
typedef struct kith_dataset {
    kith_graph *graph;
    kith_labels *labels;     /* NULL if none */
    kith_features *features; /* NULL if none */
    kith_cleaning cleaning;
    char *splits_at; /* folder of named splits, NULL if none */
    char *label;     /* the attribute of its nodes, in the graph file, that the
                        labels come from; NULL if they do not */
} kith_dataset;

/*
 * Open a data set: a folder with edges.tsv (or .csv .txt .mtx .graph .npz, or
 * graph.kg), and if they are there nodes.txt, labels.tsv, features.mtx (or
 * .svm .npy .npz), splits/; or any graph file that kith_graph_read() takes.
 *
 * In a folder without nodes.txt the nodes are those that any of the files
 * names.  With it, nodes.txt lists every node and others are refused.
 */
KITH_API kith_status kith_dataset_open(const char *path,
                                       const kith_build_options *options,
                                       kith_dataset **out, kith_error *err);
KITH_API void kith_dataset_free(kith_dataset *d); /* NULL is fine */

/*
 * Build a data set or graph file into one binary file, whole or not at all,
 * within options->job.memory (then sorted runs go to disk).
 */
KITH_API kith_status kith_dataset_build(const char *path, const char *out_path,
                                        const kith_build_options *options,
                                        kith_cleaning *cleaning,
                                        kith_error *err);

/* Write a data set as one built file, labels and features included. */
KITH_API kith_status kith_dataset_save(const kith_dataset *d, const char *path,
                                       const kith_job *job, kith_error *err);

typedef enum kith_features_format {
    KITH_FEATURES_AUTO = 0, /* from the file's name */
    KITH_FEATURES_MTX,
    KITH_FEATURES_SVMLIGHT,
    KITH_FEATURES_NPY, /* dense */
    KITH_FEATURES_NPZ  /* SciPy CSR if sparse, else one array */
} kith_features_format;

/*
 * Write a data set as a folder, whole or not at all.  The folder must not
 * exist, or be empty, or with `replace` hold a data set.
 */
KITH_API kith_status kith_dataset_write(const kith_dataset *d,
                                        const char *folder,
                                        kith_graph_format edges,
                                        kith_features_format features,
                                        bool replace, const kith_job *job,
                                        kith_error *err);

/* Read `node<TAB>class` lines for the nodes of g; unknown nodes are refused. */
KITH_API kith_status kith_labels_read(const char *path, const kith_graph *g,
                                      kith_labels **out, kith_error *err);
/*
 * The same from any table of nodes and classes, by options->table: columns by
 * name, words that mean no label.  Labels of nodes that g does not have are
 * counted, told and left out, unless table->strict.
 */
KITH_API kith_status kith_labels_read_table(const char *path,
                                            const kith_graph *g,
                                            const kith_build_options *options,
                                            kith_labels **out, kith_error *err);
/* Write them as such lines, in the order in which the input lists the nodes. */
KITH_API kith_status kith_labels_write(const kith_labels *labels,
                                       const kith_graph *g, const char *path,
                                       kith_error *err);
KITH_API void kith_labels_free(kith_labels *labels);

/*
 * When the nodes of g came, from the table that it was read from: of a table of
 * rows (table->rows) by table->order or time, or for NULL as the table has
 * them; of a table of edges the time of a node's first.  *out is new, NaN where
 * no time is told, to be freed with kith_array_free().
 *
 * Errors: KITH_ERR_IO, KITH_ERR_PARSE (columns that are not there),
 * KITH_ERR_NOMEM.  Cost: a pass over the table.
 */
KITH_API kith_status kith_times_read(const char *path, const kith_graph *g,
                                     const kith_table_options *table,
                                     double **out, kith_error *err);

/* The class that the fewest nodes, but some, are known to be of: the one that
 * is looked for where nobody says which.  Of equals the last; -1 if nothing is
 * known.  Errors: KITH_ERR_NOMEM.  Cost: O(n + classes). */
KITH_API kith_status kith_labels_rarest(const kith_labels *labels, int32_t *out,
                                        kith_error *err);

/* Share of edges between nodes of one class among those with both ends
 * labelled (*counted of them); NaN if there are none.  Cost: O(n + m). */
KITH_API double kith_homophily(const kith_graph *g, const kith_labels *labels,
                               int64_t *counted);

/* Read features whose row r belongs to the node on line r of PATH.nodes.txt,
 * or, where there is no such list, to the node with id r. */
KITH_API kith_status kith_features_read(const char *path, const kith_graph *g,
                                        kith_features **out, kith_error *err);
/*
 * The same from any table of nodes, by options->table: the columns that
 * `features` names, or all but that of the ids (`node`) and the class
 * (`label`), as docs/formats/table.md says.  Rows of nodes that g does not have
 * are counted, told and left out, unless table->strict.  Matrices are read as
 * kith_features_read() does.
 */
KITH_API kith_status kith_features_read_table(const char *path,
                                              const kith_graph *g,
                                              const kith_build_options *options,
                                              kith_features **out,
                                              kith_error *err);
/* Read a feature matrix by itself, row r being node r. */
KITH_API kith_status kith_features_load(const char *path, kith_features **out,
                                        kith_error *err);
/* Write it by itself, row r being node r. */
KITH_API kith_status kith_features_write(const kith_features *f,
                                         const char *path,
                                         kith_features_format format,
                                         kith_error *err);
KITH_API void kith_features_free(kith_features *f);

/*
 * Write the features of a data set by themselves: rows in the order in which
 * the input lists the nodes, and where their ids are not 0, 1, 2, ... a list
 * of them in PATH.nodes.txt, where kith_features_read() finds it.
 */
KITH_API kith_status kith_dataset_write_features(const kith_dataset *d,
                                                 const char *path,
                                                 kith_features_format format,
                                                 kith_error *err);

/* Write a feature matrix file in another format, and the list of its rows'
 * nodes if there is one.  *out is the matrix, NULL on failure. */
KITH_API kith_status kith_features_convert(const char *path,
                                           const char *out_path,
                                           kith_features_format format,
                                           kith_features **out,
                                           kith_error *err);

/*
 * Read nodes by their ids, one a line; # and % begin comments.  *nodes is a new
 * array, ascending without repeats, to be freed with kith_array_free().
 *
 * labels  refuse nodes that have none; NULL = take all
 *
 * Errors: KITH_ERR_IO, KITH_ERR_PARSE (err->line set), KITH_ERR_NOMEM.
 */
KITH_API kith_status kith_nodes_read(const char *path, const kith_graph *g,
                                     const kith_labels *labels, int32_t **nodes,
                                     int32_t *n, kith_error *err);

/* Read a folder of train.txt, test.txt and perhaps val.txt (one id a line).
 * `name` is a name under d's splits/, or the path of such a folder. */
KITH_API kith_status kith_split_read(const kith_dataset *d, const char *name,
                                     kith_split *out, kith_error *err);
/* Write train.txt, val.txt and test.txt into a folder, which is made if it is
 * not there. */
KITH_API kith_status kith_split_write(const kith_split *s, const kith_graph *g,
                                      const char *folder, kith_error *err);
KITH_API void kith_split_release(kith_split *s);

/* Names of the splits of a data set, sorted; free with kith_names_free(). */
KITH_API kith_status kith_dataset_splits(const kith_dataset *d, char ***names,
                                         int *count, kith_error *err);
KITH_API void kith_names_free(char **names, int count);

#ifdef __cplusplus
}
#endif
#endif
