/*
 * design.h: features as logistic regression sees them.
 *
 *     X~ = rows of X, of X times idf, or those of length 1      (prep)
 *     Y  = A^K X~,  A^ = D~^-1/2 (A + I) D~^-1/2                (smooth K)
 *     rows of Y scaled to length 1                              (if K > 0)
 *
 * Y is never formed for all rows: a linear function of it is smoothed instead,
 * Y B = A^K (X~ B).  Only the rows' lengths need Y, one row at a time.
 */
#ifndef KITH_MODELS_DESIGN_H
#define KITH_MODELS_DESIGN_H

#include "kith/model.h"

/* Rows of features, sparse or dense, in a form of our own: columns of a sparse
 * row in any order. */
typedef struct kith__matrix {
    int32_t n, columns;
    int64_t *row;    /* sparse: n + 1 offsets; NULL = dense */
    int32_t *column; /* sparse */
    float *value;    /* sparse: entries; dense: n x columns */
} kith__matrix;

void kith__matrix_release(kith__matrix *m);

/* The first entry of row u, and the column of entry p; either form. */
static inline int64_t kith__row_begin(const kith__matrix *m, int32_t u)
{
    return m->row ? m->row[u] : (int64_t)u * m->columns;
}

static inline int32_t kith__column_of(const kith__matrix *m, int64_t p)
{
    return m->row ? m->column[p] : (int32_t)(p % m->columns);
}

typedef struct kith__design {
    const kith_graph *graph;
    int threads;
    int32_t smooth;
    bool unit;           /* rows of Y are scaled to length 1 */
    float *idf;          /* tf-idf: a factor per column; else NULL */
    kith__matrix x;      /* X~ */
    kith__matrix before; /* A^(K-1) X~, K > 1; else empty */
    float *scale;        /* n: d~_u^-1/2; K > 0 */
    float *inverse;      /* n: 1 / length of row u of Y; K > 0 */
} kith__design;

/* Is every value 0 or 1? */
bool kith__features_binary(const kith_features *f);

/* X~ alone: a new matrix, and with tf-idf its factors in *used (NULL if not
 * tf-idf); idf as below. */
kith_status kith__prepare_features(const kith_features *f, kith_prep prep,
                                   const float *idf, kith__matrix *out,
                                   float **used, kith_error *err);

/* idf NULL: computed from the features if prep asks for it; else copied. */
kith_status kith__design_new(const kith_graph *g, const kith_features *f,
                             kith_prep prep, int32_t smooth, const float *idf,
                             const kith_job *job, kith__design *out,
                             kith_error *err);
void kith__design_release(kith__design *d); /* a zeroed one is fine */

/* Rows of Y for some nodes. */
kith_status kith__design_rows(const kith__design *d, const int32_t *nodes,
                              int32_t n, kith__matrix *out, kith_error *err);

/* Z = Y B + bias for all nodes: B columns x k, then one row of biases. */
kith_status kith__design_apply(const kith__design *d, const float *B, int k,
                               float *Z, kith_error *err);

#endif
