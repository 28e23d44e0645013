/*
 * rank_report.h: a ranked list and what to expect of it, for people and for
 * programs.
 */
#ifndef KITH_CLI_RANK_REPORT_H
#define KITH_CLI_RANK_REPORT_H

#include <stdio.h>

#include "chosen_nodes.h"
#include "cmd_shared.h"

typedef struct ranking {
    run r;
    kith_dataset *data;
    chosen_nodes nodes;
    kith_model *tuned, *model;
    int32_t positive;
    float *p;      /* of the final model */
    float *work;   /* of a fold's model */
    double *score; /* of known nodes, honest */
    bool *is;      /* of the positive class */
    int32_t n_known;
    int32_t *order; /* unknown nodes, most probable first */
    int32_t n_order, n_listed;
    kith_threshold cut;
} ranking;

/* The probability of the node at a place of the list. */
double rank_score_at(const ranking *t, int32_t place);

/* The share of positives, as given or as among the labelled. */
double rank_prevalence(const ranking *t);

/* What the first n hold. */
kith_status rank_cut_after(ranking *t, int32_t n, kith_threshold *out);

/* What the test nodes of a split say. */
typedef struct test_counts {
    int64_t positives, hits, listed;
    double precision, recall;
} test_counts;

test_counts rank_count_test(const ranking *t);

/* Lengths of other lists to tell about; 0 ends. */
extern const int32_t rank_lengths[];

kith_status rank_text(FILE *out, ranking *t);
kith_status rank_json(FILE *out, ranking *t);

#endif
