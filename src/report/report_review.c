/*
 * report_review.c: what a list of the first k unknown nodes holds, for every k
 * worth asking about, measured on the judged nodes.
 *
 * Of two classes the list is by the probability of the class asked about, and
 * right is who is of it; of more it is by the probability of the likeliest
 * class, and right is who is of that.  A list of k ends at the k-th unknown
 * node's probability t; of the judged nodes with t or more, some are right.
 */
#include <stdlib.h>

#include "core/alloc.h"
#include "report/measures.h"
#include "report/report_parts.h"

typedef struct scored {
    float p;
    bool right;
} scored;

static int falling(const void *a, const void *b)
{
    const float x = ((const scored *)a)->p, y = ((const scored *)b)->p;

    return (x < y) - (x > y);
}

static scored score_of(const kith__report *r, const float *p, int32_t u)
{
    const float *row = p + (int64_t)u * r->classes;
    const int c = r->v->positive >= 0 ? r->v->positive
                                      : kith__likeliest(row, r->classes);

    return (scored){row[c], kith__report_label(r, u) == c};
}

/* The next length worth asking about: every one at first, then steps of 5 %;
 * and how many are called positive, and all. */
static int32_t next_length(const kith__report *r, int32_t k, int32_t n)
{
    const int32_t next = k + (k / 20 > 0 ? k / 20 : 1);
    const int64_t said = r->v->positive >= 0 ? r->v->said[r->v->positive] : 0;

    if (k < said && next > said)
        return (int32_t)said;
    return k < n && next > n ? n : next;
}

static void put_point(const kith__report *r, int32_t k, float threshold,
                      int32_t listed, int32_t hits, int32_t positives)
{
    const kith_interval precision = kith_share_interval(hits, listed),
                        recall = kith_share_interval(hits, positives);
    const double numbers[] = {k,          (double)threshold, listed,
                              hits,       precision.low,     precision.high,
                              recall.low, recall.high};

    kith__json_open(r->j, NULL, '[');
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        kith__json_number(r->j, NULL, numbers[i]);
    kith__json_close(r->j, ']');
}

static void put_points(const kith__report *r, const scored *unknown, int32_t n,
                       const scored *judged, int32_t positives)
{
    int32_t listed = 0, hits = 0;

    kith__json_open(r->j, "points", '[');
    for (int32_t k = 1; k <= n; k = next_length(r, k, n)) {
        const float t = unknown[k - 1].p;

        for (; listed < r->v->n_judged && judged[listed].p >= t; listed++)
            hits += judged[listed].right;
        put_point(r, k, t, listed, hits, positives);
    }
    kith__json_close(r->j, ']');
}

kith_status kith__put_review(const kith__report *r, kith_error *err)
{
    const kith_verdict_input *in = &r->v->in;
    const float *by = in->judged_by ? in->judged_by : r->p;
    kith_status st = KITH_OK;
    scored *unknown = NULL, *judged = NULL;
    int32_t n = 0, positives = 0;

    if (r->v->n_judged == 0 || r->v->unknown == 0)
        return KITH_OK;
    TRY_NEW(unknown, kith__alloc(r->v->unknown, sizeof(*unknown)));
    TRY_NEW(judged, kith__alloc(r->v->n_judged, sizeof(*judged)));
    for (int32_t u = 0; u < r->n; u++)
        if (!r->v->is_known[u] &&
            !(in->evidence && in->evidence[u] == KITH_EVIDENCE_NONE))
            unknown[n++] = score_of(r, r->p, u);
    for (int32_t i = 0; i < r->v->n_judged; i++) {
        judged[i] = score_of(r, by, r->v->judged[i]);
        positives += r->v->positive >= 0 &&
                     kith__report_label(r, r->v->judged[i]) == r->v->positive;
    }
    qsort(unknown, (size_t)n, sizeof(*unknown), falling);
    qsort(judged, (size_t)r->v->n_judged, sizeof(*judged), falling);
    kith__json_open(r->j, "review", '{');
    kith__json_number(r->j, "unknown", n);
    kith__json_number(r->j, "judged", r->v->n_judged);
    kith__json_number(r->j, "positives", positives);
    put_points(r, unknown, n, judged, positives);
    kith__json_close(r->j, '}');
out:
    kith__free(unknown);
    kith__free(judged);
    return st;
}
