/*
 * report_parts.h: the parts of the page about a model, each written as the
 * JSON that the page's script draws.
 */
#ifndef KITH_REPORT_PARTS_H
#define KITH_REPORT_PARTS_H

#include "core/status.h"
#include "io/json_writer.h"
#include "kith/report.h"
#include "models/solution.h"

typedef struct kith__report {
    const kith_report_input *in;
    const kith_verdict *v;
    const kith_solution *s;
    const kith_dataset *d;
    const kith_model *m;
    int32_t n;
    int classes;
    const float *p; /* n x classes */
    kith__json *j;
} kith__report;

/* A float that was computed in another way may differ by so much. */
static const float KITH__ROUNDING = 1e-6f;

static inline const float *kith__report_row(const kith__report *r, int32_t u)
{
    return r->p + (int64_t)u * r->classes;
}

/* The class that a node is known to be of, -1 = none. */
static inline int32_t kith__report_label(const kith__report *r, int32_t u)
{
    return r->d->labels && r->d->labels->classes == r->classes
               ? r->d->labels->of[u]
               : r->s->trained[u];
}

/* The verdict in sentences and numbers. */
void kith__put_verdict(const kith__report *r);
/* Counts of the data, and what was cleaned. */
void kith__put_data(const kith__report *r);
/* The method, every parameter with its sentence, the certificate. */
void kith__put_method(const kith__report *r);
kith_status kith__put_classes(const kith__report *r, kith_error *err);
/* What a list of the first so many holds, by the judged nodes. */
kith_status kith__put_review(const kith__report *r, kith_error *err);
/* Coupling, weights, and in words what they come to. */
kith_status kith__put_learnt(const kith__report *r, kith_error *err);
/* The change in each iteration. */
kith_status kith__put_trace(const kith__report *r, kith_error *err);
/* Nodes to look at, some of them explained. */
kith_status kith__put_lists(const kith__report *r, kith_error *err);

/* An explanation: sentences, sum, parts, neighbours, paths, features. */
kith_status kith__put_why(kith__json *j, const kith_solution *s,
                          const kith_explanation *e, kith_error *err);

#endif
