/*
 * feature_matrix.h: features as logistic regression sees them.
 *
 *     X~ = rows of X, of X times idf, or those of length 1      (prep)
 *     Y  = A^K X~,  A^ = D~^-1/2 (A + I) D~^-1/2                (smooth K)
 *     rows of Y scaled to length 1                              (if K > 0)
 *
 * Y is never formed for all rows: a linear function of it is smoothed instead,
 * Y B = A^K (X~ B).  Only the rows' lengths need Y, one row at a time.
 */
#ifndef KITH_MODELS_FEATURE_MATRIX_H
#define KITH_MODELS_FEATURE_MATRIX_H

#include "kith/model.h"

/* Rows of features, sparse or dense, in a form of our own: columns of a sparse
 * row in any order. */
typedef struct kith__csr_matrix {
    int32_t n, columns;
    int64_t *row;    /* sparse: n + 1 offsets; NULL = dense */
    int32_t *column; /* sparse */
    float *value;    /* sparse: entries; dense: n x columns */
} kith__csr_matrix;

void kith__csr_matrix_release(kith__csr_matrix *m);

/* The first entry of row u, and the column of entry p; either form. */
static inline int64_t kith__row_begin(const kith__csr_matrix *m, int32_t u)
{
    return m->row ? m->row[u] : (int64_t)u * m->columns;
}

static inline int32_t kith__column_of(const kith__csr_matrix *m, int64_t p)
{
    return m->row ? m->column[p] : (int32_t)(p % m->columns);
}

typedef struct kith__feature_matrix {
    const kith_graph *graph;
    int threads;
    int32_t smooth;
    bool unit;               /* rows of Y are scaled to length 1 */
    float *idf;              /* tf-idf: a factor per column; else NULL */
    kith__csr_matrix x;      /* X~ */
    kith__csr_matrix before; /* A^(K-1) X~, K > 1; else empty */
    float *scale;            /* n: d~_u^-1/2; K > 0 */
    float *inverse;          /* n: 1 / length of row u of Y; K > 0 */
} kith__feature_matrix;

/* Is every value 0 or 1? */
bool kith__features_binary(const kith_features *f);

/* X~ alone: a new matrix, and with tf-idf its factors in *used (NULL if not
 * tf-idf); idf as below. */
kith_status kith__prepare_features(const kith_features *f, kith_prep prep,
                                   const float *idf, kith__csr_matrix *out,
                                   float **used, kith_error *err);

/* idf NULL: computed from the features if prep asks for it; else copied. */
kith_status kith__feature_matrix_new(const kith_graph *g,
                                     const kith_features *f, kith_prep prep,
                                     int32_t smooth, const float *idf,
                                     const kith_job *job,
                                     kith__feature_matrix *out,
                                     kith_error *err);
void kith__feature_matrix_release(
    kith__feature_matrix *d); /* a zeroed one is fine */

/* Rows of Y for some nodes. */
kith_status kith__feature_matrix_rows(const kith__feature_matrix *d,
                                      const int32_t *nodes, int32_t n,
                                      kith__csr_matrix *out, kith_error *err);

/* Z = Y B + bias for all nodes: B columns x k, then one row of biases. */
kith_status kith__feature_matrix_apply(const kith__feature_matrix *d,
                                       const float *B, int k, float *Z,
                                       kith_error *err);

#endif
