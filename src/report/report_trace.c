/*
 * report_trace.c: does propagation come to an end, iteration by iteration?
 */
#include <string.h>

#include "core/alloc.h"
#include "models/model_object.h"
#include "report/report_parts.h"

enum { TRACE_MOST = 40 }; /* of a large graph; else 400 */

/* The largest change in each iteration of P = Q + W P H from P = Q, W and H as
 * they are in the end; for a method that learns them, "trace_after" the run. */
kith_status kith__put_trace(const kith__report *r, kith_error *err)
{
    const kith__task *t = &r->s->storage.task;
    const kith__beliefs *b = &r->s->b;
    const int64_t cells = (int64_t)r->n * r->classes;
    const int longest = cells < 1000000 ? 10 * TRACE_MOST : TRACE_MOST;
    const int done = b->certificate.iterations;
    kith__stopping stopping = {
        .job = t->job,
        .stage = "tracing",
        .most = b->linear == KITH__SUM && done < longest ? done : longest,
        .tolerance = kith_model_params(r->m)->tolerance};
    kith_status st = KITH_OK;
    float *P = NULL, *other = NULL;
    kith_certificate end;

    if ((b->linear != KITH__SUM && b->linear != KITH__FIXED_POINT) ||
        b->self_term || done == 0)
        return KITH_OK; /* nothing was iterated */
    TRY_NEW(P, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(float)));
    TRY_NEW(stopping.trace, kith__alloc(stopping.most, sizeof(double)));
    memcpy(P, b->Q, (size_t)cells * sizeof(float));
    TRY(kith__iterate(&r->s->op, &stopping, b->Q, P, other, &end, err));
    kith__json_bool(r->j, "trace_after", b->linear == KITH__FIXED_POINT);
    kith__json_open(r->j, "trace", '[');
    for (int i = 0; i < end.iterations; i++)
        kith__json_number(r->j, NULL, stopping.trace[i]);
    kith__json_close(r->j, ']');
out:
    kith__free(P);
    kith__free(other);
    kith__free(stopping.trace);
    return st;
}
