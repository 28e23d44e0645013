/*
 * formats.h: the readers and writers of the formats, one file each.
 *
 * A features reader takes a source at its start and returns a new matrix whose
 * row r is row r of the file.  It trusts no header: counts are checked against
 * what the file can hold before memory is taken for them.  A writer puts all
 * into a file that the caller opened, and commits or gives up.  The readers of
 * graphs are in gather.h.
 */
#ifndef KITH_IO_FORMATS_H
#define KITH_IO_FORMATS_H

#include "io/source.h"
#include "io/writer.h"
#include "kith/data.h"

/* matrix_market.c */
kith_status kith__mtx_features_read(kith__source *source, kith_features **out,
                                    kith_error *err);
void kith__mtx_features_write(const kith_features *f, kith__writer *w);
void kith__mtx_graph_write(const kith_graph *g, kith__writer *w);

/* metis.c */
kith_status kith__metis_write(const kith_graph *g, kith__writer *w,
                              kith_error *err);

/* svmlight.c */
kith_status kith__svmlight_read(kith__source *source, kith_features **out,
                                kith_error *err);
void kith__svmlight_write(const kith_features *f, kith__writer *w);

/* npy.c */
kith_status kith__npy_features_read(kith__source *s, kith_features **out,
                                    kith_error *err);
kith_status kith__npy_features_write(const kith_features *f, kith__writer *w,
                                     kith_error *err);

/* npz.c */
kith_status kith__npz_features_read(kith__source *source, kith_features **out,
                                    kith_error *err);
void kith__npz_features_write(const kith_features *f, kith__writer *w);
void kith__npz_graph_write(const kith_graph *g, kith__writer *w);

/* edgelist_writer.c; separator '\t' or ',' */
kith_status kith__edgelist_write(const kith_graph *g, kith__writer *w,
                                 char separator, kith_error *err);

/* ---- for the readers: features_build.c ----------------------------------- */

/* Entries of a sparse matrix in any order, gathered and then sorted. */
typedef struct kith__triples {
    int64_t n, capacity;
    struct kith__triple {
        int32_t row, column;
        float value;
    } * at;
} kith__triples;

kith_status kith__triples_add(kith__triples *t, int32_t row, int32_t column,
                              float value, kith_error *err);
void kith__triples_release(kith__triples *t);

/*
 * A sparse matrix of the triples, which are emptied: rows in order, columns
 * ascending, zeros dropped.  Two entries in one place are refused.  If all
 * values are 1 the value array is left out.  path is for messages.
 */
kith_status kith__features_from_triples(kith__triples *t, int64_t rows,
                                        int64_t columns, const char *path,
                                        kith_features **out, kith_error *err);

/* A dense matrix of rows x columns, zeroed. */
kith_status kith__features_dense(int64_t rows, int64_t columns,
                                 const char *path, kith_features **out,
                                 kith_error *err);

#endif
