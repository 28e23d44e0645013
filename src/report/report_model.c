/*
 * report_model.c: the page about a model on a graph.
 */
#include <string.h>

#include "core/alloc.h"
#include "report/measures.h"
#include "report/page.h"
#include "report/report_parts.h"

static kith_status put_judged(const kith__report *r, kith_error *err)
{
    const kith_verdict *v = r->v;
    const kith__judged at = {.p = v->in.judged_by ? v->in.judged_by : r->p,
                             .labels = r->d->labels,
                             .node = v->judged,
                             .n = v->n_judged,
                             .classes = r->classes};

    return v->n_judged > 0 ? kith__put_measures(r->j, &at, v, err) : KITH_OK;
}

static kith_status put_all(const kith__report *r, kith_error *err)
{
    kith_status st = KITH_OK;

    kith__json_open(r->j, NULL, '{');
    kith__json_string(r->j, "kind", "report");
    kith__json_string(r->j, "title", r->in->title);
    kith__json_string(r->j, "version", kith_version());
    kith__put_verdict(r);
    kith__put_data(r);
    kith__put_method(r);
    TRY(kith__put_classes(r, err));
    TRY(put_judged(r, err));
    TRY(kith__put_review(r, err));
    TRY(kith__put_learnt(r, err));
    TRY(kith__put_trace(r, err));
    TRY(kith__put_lists(r, err));
    kith__json_close(r->j, '}');
out:
    return st;
}

/* A page about one model has the verdict on it. */
static kith_status check_input(const kith_report_input *in, kith_error *err)
{
    if (!in->verdict)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "a report needs a verdict, as kith_verdict_new() "
                          "makes it");
    if (in->verdict->in.model != in->solution->model ||
        in->verdict->in.data->graph != in->solution->data->graph)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "the report's verdict is on another model or other "
                          "data than its solution");
    return KITH_OK;
}

static kith_status put_page(const kith_report_input *in, char **html,
                            size_t *length, kith_error *err)
{
    const kith_solution *s = in->solution;
    kith__json j = {0};
    const kith__report r = {.in = in,
                            .v = in->verdict,
                            .s = s,
                            .d = s->data,
                            .m = s->model,
                            .n = s->storage.task.n,
                            .classes = s->storage.task.classes,
                            .p = in->verdict->in.probabilities,
                            .j = &j};
    kith_status st = KITH_OK;

    kith__page_begin(&j);
    TRY(put_all(&r, err));
    TRY(kith__page_end(&j, html, length, err));
out:
    kith__free(j.at);
    return st;
}

kith_status kith_report(const kith_report_input *in, char **html,
                        size_t *length, kith_error *err)
{
    kith_status st = KITH_OK;

    *html = NULL;
    *length = 0;
    TRY(check_input(in, err));
    TRY(put_page(in, html, length, err));
out:
    return st;
}
