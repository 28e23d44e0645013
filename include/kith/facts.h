/*
 * kith/facts.h: what there is to say about a data set before any method runs.
 */
#ifndef KITH_FACTS_H
#define KITH_FACTS_H

#include "kith/data.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KITH_FACTS_SPLITS = 3, KITH_FORECASTS = 4 };

/* The memory that a method will need, untuned. */
typedef struct kith_forecast {
    const char *method;
    double bytes; /* NaN: it needs features, and there are none */
} kith_forecast;

typedef struct kith_facts {
    const kith_dataset *data; /* must outlive it */
    kith_graph_stats stats;
    int64_t *class_count; /* beside data->labels->names; NULL without labels */
    double homophily;     /* NaN if undefined */
    int64_t counted;      /* edges with both ends labelled */
    char **splits;        /* names of all */
    int split_count;
    kith_split split[KITH_FACTS_SPLITS]; /* the first few, read */
    int splits_read;
    double feature_bytes; /* of the matrix in memory */
    double learnt;        /* nodes to learn from that the forecasts count */
    kith_forecast forecast[KITH_FORECASTS];
} kith_facts;

/*
 * split  count the training nodes of this split, as for kith_split_read(), in
 *        the forecasts; NULL = of the largest of the few that are read, or all
 *        labelled nodes
 *
 * Free with kith_facts_free().  Errors: those of kith_graph_stats_compute() and
 * kith_split_read(); KITH_ERR_NOMEM, KITH_ERR_CANCELLED.  Cost: O(n + m).
 */
KITH_API kith_status kith_facts_find(const kith_dataset *d, const char *split,
                                     const kith_job *job, kith_facts **out,
                                     kith_error *err);
KITH_API void kith_facts_free(kith_facts *f); /* NULL is fine */

/* All of it for programs: JSON as in kith/eval.h. */
KITH_API kith_status kith_facts_json(const kith_facts *f, char **json,
                                     size_t *length, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
