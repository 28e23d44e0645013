/*
 * measures.h: the parts of a report that judge predictions.
 */
#ifndef KITH_REPORT_MEASURES_H
#define KITH_REPORT_MEASURES_H

#include "core/status.h"
#include "io/json_writer.h"
#include "kith/report.h"

/* What is judged: nodes with a label, and the probabilities they were given. */
typedef struct kith__judged {
    const float *p; /* n x classes */
    const kith_labels *labels;
    const int32_t *node;
    int32_t n;
    int classes;
} kith__judged;

/* Scores with their intervals, confusion and reliability, as "judged". */
kith_status kith__put_measures(kith__json *j, const kith__judged *at,
                               const kith_verdict *v, kith_error *err);

/* The most probable class of a row, the first of equals. */
int kith__likeliest(const float *row, int classes);

#endif
