/*
 * report_model.c: the page about a model on a graph.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "kith/report.h"
#include "models/model_object.h"
#include "models/solution.h"
#include "report/measures.h"
#include "report/page.h"

enum {
    CLASSES_MOST = 400, /* named; the heat maps show fewer */
    HEAT_MOST = 24,
    HISTOGRAM = 32,
    TRACE_MOST = 40, /* of a large graph; else 400 */
    ROWS = 100,      /* of each table */
    AROUND = 10,     /* neighbours in a picture */
};

/* A float that was computed in another way may differ by so much. */
static const float ROUNDING = 1e-6f;

typedef struct report {
    const kith_report_input *in;
    const kith_solution *s;
    const kith_dataset *d;
    const kith_model *m;
    int32_t n;
    int classes;
    float *p; /* n x classes */
    kith__json *j;
} report;

static const float *row_of(const report *r, int32_t u)
{
    return r->p + (int64_t)u * r->classes;
}

static int32_t known_label(const report *r, int32_t u)
{
    return r->d->labels && r->d->labels->classes == r->classes
               ? r->d->labels->of[u]
               : r->s->trained[u];
}

/* ---- facts --------------------------------------------------------------- */

static void put_cleaning(const report *r)
{
    const kith_cleaning *c = &r->d->cleaning;
    const struct {
        const char *what;
        int64_t n;
    } counts[] = {
        {"lines read", c->lines},
        {"comments and blank lines skipped", c->comments},
        {"header lines recognised", c->headers},
        {"self-loops dropped", c->self_loops},
        {"repeats merged", c->duplicates},
        {"edges given one way", c->one_way},
        {"edges given both ways", c->both_ways},
        {"nodes without any edge", c->isolated},
        {"lines with further fields ignored", c->extra_fields},
    };

    kith__json_open(r->j, "cleaning", '[');
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        if (counts[i].n == 0)
            continue;
        kith__json_open(r->j, NULL, '[');
        kith__json_string(r->j, NULL, counts[i].what);
        kith__json_number(r->j, NULL, (double)counts[i].n);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
}

static void put_data(const report *r)
{
    const kith_labels *l = r->d->labels;
    int64_t counted = 0;

    kith__json_number(r->j, "nodes", r->n);
    kith__json_number(r->j, "edges", (double)kith_graph_edges(r->d->graph));
    kith__json_number(r->j, "columns",
                      r->d->features ? r->d->features->columns : 0);
    kith__json_number(r->j, "labelled", l ? (double)l->labelled : 0);
    kith__json_number(r->j, "trained", r->s->storage.task.n_train);
    kith__json_number(r->j, "homophily",
                      l ? kith_homophily(r->d->graph, l, &counted)
                        : (double)NAN);
    put_cleaning(r);
}

static void put_param(const report *r, const char *name, double x)
{
    kith__json_open(r->j, NULL, '[');
    kith__json_string(r->j, NULL, name);
    kith__json_number(r->j, NULL, x);
    kith__json_close(r->j, ']');
}

static void put_word(const report *r, const char *name, const char *word)
{
    kith__json_open(r->j, NULL, '[');
    kith__json_string(r->j, NULL, name);
    kith__json_string(r->j, NULL, word);
    kith__json_close(r->j, ']');
}

static void put_settings(const report *r)
{
    for (int32_t i = 0; i < kith_model_settings(r->m); i++) {
        const kith_setting c = kith_model_setting(r->m, i);

        if (c.text)
            put_word(r, c.name, c.text);
        else
            put_param(r, c.name, c.number);
    }
}

static void put_value(const report *r, const kith_option_info *row)
{
    const double value = kith_params_get(kith_model_params(r->m), row);
    char word[KITH_OPTION_BUFFER];

    if (row->type == KITH_OPTION_INTEGER || row->type == KITH_OPTION_REAL)
        put_param(r, row->title, value);
    else
        put_word(r, row->title, kith_option_text(row, value, word));
}

/* Rows of a group that the method used; how it learnt is said only where that
 * is not the usual way. */
static void put_group(const report *r, kith_option_group group, bool paper_only)
{
    const kith_params *p = kith_model_params(r->m);
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++, row++) {
        const bool usual = group == KITH_GROUP_LEARNING && row->choices &&
                           kith_params_get(p, row) == row->preset;

        if (row->group == group && row->title && !usual &&
            row->paper_only == paper_only &&
            (!row->features || r->d->features) &&
            kith_option_belongs(row, kith_model_method(r->m)))
            put_value(r, row);
    }
}

/* Those of the model that the method uses. */
static void put_numbers(const report *r)
{
    const kith_params *p = kith_model_params(r->m);

    put_group(r, KITH_GROUP_POTENTIALS, false);
    put_group(r, KITH_GROUP_PROPAGATION, false);
    if (!r->s->b.weights)
        return;
    if (p->gradient == KITH_GRADIENT_EXACT) {
        put_word(r, "gradient", "exact");
        put_param(r, "steps", p->outer * p->inner);
    } else {
        put_group(r, KITH_GROUP_LEARNING, true);
    }
    put_group(r, KITH_GROUP_LEARNING, false);
}

static void put_params(const report *r)
{
    const bool balance = kith_model_params(r->m)->balance;
    const bool own = kith_model_settings(r->m) > 0;

    kith__json_open(r->j, "params", '[');
    if (own)
        put_settings(r);
    else
        put_numbers(r);
    if (balance && !kith_model_balanced(r->m))
        put_word(r, "classes balanced", "no: the method cannot");
    else if (!own)
        put_word(r, "classes balanced", balance ? "yes" : "no");
    put_param(r, "temperature", kith_model_temperature(r->m));
    kith__json_close(r->j, ']');
}

static void put_method(const report *r)
{
    const kith_certificate *c = &r->s->b.certificate;

    kith__json_string(r->j, "method", kith_model_method(r->m));
    kith__json_bool(r->j, "has_coupling", r->s->b.has_coupling);
    kith__json_bool(r->j, "lcm", r->s->b.weights != NULL);
    kith__json_string(r->j, "why",
                      kith_model_why(r->m) ? kith_model_why(r->m) : "");
    kith__json_string(r->j, "how", r->in->how ? r->in->how : "");
    kith__json_number(r->j, "validation", r->in->validation);
    kith__json_number(r->j, "n_validation", r->in->n_validation);
    kith__json_number(r->j, "rho", c->rho);
    kith__json_number(r->j, "residual", c->residual);
    kith__json_number(r->j, "iterations", c->iterations);
    kith__json_bool(r->j, "converged", c->converged);
    kith__json_number(r->j, "tolerance", kith_model_params(r->m)->tolerance);
    put_params(r);
}

static kith_status put_classes(const report *r, kith_error *err)
{
    const int C = r->classes;
    kith_status st = KITH_OK;
    int64_t *known = NULL, *predicted = NULL;

    TRY_NEW(known, kith__alloc_zeroed(C, sizeof(*known)));
    TRY_NEW(predicted, kith__alloc_zeroed(C, sizeof(*predicted)));
    for (int32_t u = 0; u < r->n; u++) {
        predicted[kith__likeliest(row_of(r, u), C)]++;
        if (r->s->trained[u] >= 0)
            known[r->s->trained[u]]++;
    }
    kith__json_number(r->j, "class_count", C);
    kith__json_open(r->j, "classes", '[');
    for (int c = 0; c < C && c < CLASSES_MOST; c++) {
        kith__json_open(r->j, NULL, '[');
        kith__json_text(r->j, NULL, kith_model_class_name(r->m, c),
                        strlen(kith_model_class_name(r->m, c)), 80);
        kith__json_number(r->j, NULL, (double)known[c]);
        kith__json_number(r->j, NULL, (double)predicted[c]);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
out:
    kith__free(known);
    kith__free(predicted);
    return st;
}

/* ---- what was learnt ----------------------------------------------------- */

static void put_matrix(const report *r, const char *name, const float *H)
{
    kith__json_open(r->j, name, '[');
    for (int i = 0; i < r->classes * r->classes; i++)
        kith__json_number(r->j, NULL, (double)H[i]);
    kith__json_close(r->j, ']');
}

/* How H came about: "given", "learnt" from the start, or lcm-em's: "fitted" to
 * the labels, or homophily of a "chosen" strength; NULL if it couples
 * nothing. */
static const char *coupling_how(const report *r, const float *start)
{
    const int64_t cells = (int64_t)r->classes * r->classes;
    const float *H = r->s->b.coupling;

    if (kith_model_settings(r->m) == 0 || r->s->b.linear == KITH__FIXED_POINT) {
        for (int64_t i = 0; i < cells; i++)
            if (fabsf(H[i] - start[i]) > ROUNDING)
                return "learnt";
        return "given";
    }
    for (int64_t i = 0; i < cells; i++)
        if (H[i] != 0)
            return kith__fit_state_find(&r->m->state, "H") ? "fitted"
                                                           : "chosen";
    return NULL;
}

static kith_status put_coupling(const report *r, kith_error *err)
{
    const int C = r->classes;
    kith_status st = KITH_OK;
    float *start = NULL;
    const char *how;

    if (!r->s->b.has_coupling || C > HEAT_MOST)
        return KITH_OK;
    TRY_NEW(start, kith__alloc((int64_t)C * C, sizeof(*start)));
    kith__coupling_start(C, start);
    how = coupling_how(r, start);
    if (!how)
        goto out;
    kith__json_string(r->j, "coupling_how", how);
    if (strcmp(how, "learnt") == 0)
        put_matrix(r, "coupling_start", start);
    put_matrix(r, "coupling", r->s->b.coupling);
out:
    kith__free(start);
    return st;
}

/* Counts of same-class and other edges by weight, before and after. */
typedef struct histograms {
    bool moved; /* some weight is not as it was */
    double low, high;
    double count[4][HISTOGRAM]; /* same, other before; same, other after */
    double sum[4], n[4];
} histograms;

static void add_weight(histograms *h, int which, double w)
{
    int bin = (int)((w - h->low) / (h->high - h->low) * HISTOGRAM);

    bin = bin < 0 ? 0 : bin >= HISTOGRAM ? HISTOGRAM - 1 : bin;
    h->count[which][bin]++;
    h->sum[which] += w;
    h->n[which]++;
}

/* The class of every node: known, or else predicted; new. */
static int32_t *classes_of_all(const report *r, bool *guessed)
{
    int32_t *of = kith__alloc(r->n, sizeof(*of));

    for (int32_t u = 0; of && u < r->n; u++) {
        of[u] = known_label(r, u);
        if (of[u] < 0) {
            of[u] = kith__likeliest(row_of(r, u), r->classes);
            *guessed = true;
        }
    }
    return of;
}

static void find_range(const report *r, histograms *h)
{
    const kith__operator *start = &r->s->storage.task.W, *end = &r->s->op;
    double low = 0, high = 1e-9;

#pragma omp parallel for num_threads(end->threads) schedule(dynamic, 1024) \
    reduction(min                                                          \
              : low) reduction(max                                         \
                               : high)
    for (int32_t u = 0; u < r->n; u++)
        for (int64_t p = end->rows[u]; p < end->rows[u + 1]; p++) {
            const double w = kith__operator_weight(end, u, p);

            low = fmin(low, w);
            high = fmax(high, w);
            if (r->s->b.weights)
                high = fmax(high, kith__operator_weight(start, u, p));
        }
    h->low = low;
    h->high = high;
}

static void fill_part(const report *r, const int32_t *of, int32_t from,
                      int32_t to, histograms *h)
{
    const kith__operator *start = &r->s->storage.task.W, *end = &r->s->op;

    for (int32_t u = from; u < to; u++)
        for (int64_t p = end->rows[u]; p < end->rows[u + 1]; p++) {
            const int32_t v = end->neighbours[p];
            const bool other = of[u] != of[v];
            double before, after;

            if (v >= u)
                break; /* rows ascend: the rest is in the other rows */
            before = kith__operator_weight(start, u, p);
            after = r->s->b.weights ? kith__operator_weight(end, u, p) : before;
            h->moved |= fabs(after - before) > (double)ROUNDING * before;
            add_weight(h, other, before);
            add_weight(h, 2 + other, after);
        }
}

/* In parts that do not depend on the threads, added up in order. */
static kith_status fill_histograms(const report *r, histograms *h,
                                   bool *guessed, kith_error *err)
{
    enum { PARTS = 64 };
    kith_status st = KITH_OK;
    histograms *part = NULL;
    int32_t *of = NULL;

    TRY_NEW(part, kith__alloc_zeroed(PARTS, sizeof(*part)));
    TRY_NEW(of, classes_of_all(r, guessed));
    find_range(r, h);
#pragma omp parallel for num_threads(r->s->op.threads) schedule(dynamic, 1)
    for (int i = 0; i < PARTS; i++) {
        part[i].low = h->low;
        part[i].high = h->high;
        fill_part(r, of, (int32_t)((int64_t)r->n * i / PARTS),
                  (int32_t)((int64_t)r->n * (i + 1) / PARTS), &part[i]);
    }
    for (int i = 0; i < PARTS; i++) {
        h->moved |= part[i].moved;
        for (int k = 0; k < 4; k++) {
            h->sum[k] += part[i].sum[k];
            h->n[k] += part[i].n[k];
            for (int b = 0; b < HISTOGRAM; b++)
                h->count[k][b] += part[i].count[k][b];
        }
    }
out:
    kith__free(part);
    kith__free(of);
    return st;
}

static kith_status put_weights(const report *r, kith_error *err)
{
    static const char *const names[] = {"same_before", "other_before",
                                        "same_after", "other_after"};
    histograms h = {0};
    bool guessed = false;
    kith_status st = KITH_OK;

    TRY(fill_histograms(r, &h, &guessed, err));
    kith__json_open(r->j, "weights", '{');
    kith__json_number(r->j, "low", h.low);
    kith__json_number(r->j, "high", h.high);
    kith__json_bool(r->j, "guessed", guessed);
    kith__json_bool(r->j, "learnt", h.moved);
    for (int i = 0; i < 4; i++) {
        kith__json_open(r->j, names[i], '[');
        for (int b = 0; b < HISTOGRAM; b++)
            kith__json_number(r->j, NULL, h.count[i][b]);
        kith__json_close(r->j, ']');
    }
    kith__json_open(r->j, "means", '[');
    for (int i = 0; i < 4; i++)
        kith__json_number(r->j, NULL,
                          h.n[i] > 0 ? h.sum[i] / h.n[i] : (double)NAN);
    kith__json_close(r->j, ']');
    kith__json_close(r->j, '}');
out:
    return st;
}

/* The largest change in each iteration of P = Q + W P H from P = Q, W and H as
 * they are in the end; for a method that learns them, "trace_after" the run. */
static kith_status put_trace(const report *r, kith_error *err)
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

/* ---- tables -------------------------------------------------------------- */

typedef struct row {
    int32_t node;
    float by;
} row;

typedef struct table {
    row rows[ROWS];
    int n;
} table;

static void keep(table *t, int32_t node, float by)
{
    int i;

    if (t->n == ROWS && by <= t->rows[ROWS - 1].by)
        return;
    i = t->n < ROWS ? t->n++ : ROWS - 1;
    for (; i > 0 && t->rows[i - 1].by < by; i--)
        t->rows[i] = t->rows[i - 1];
    t->rows[i] = (row){node, by};
}

/* Most confident, most uncertain, most surprising. */
static void fill_tables(const report *r, table t[3])
{
    for (int32_t u = 0; u < r->n; u++) {
        const float *p = row_of(r, u);
        const int best = kith__likeliest(p, r->classes);
        const int32_t known = known_label(r, u);

        if (r->s->trained[u] < 0) {
            keep(&t[0], u, p[best]);
            keep(&t[1], u, 1 - p[best]);
        }
        if (known >= 0 && known != best)
            keep(&t[2], u, p[best] - p[known]);
    }
}

/* [id, predicted, confidence, known or -1, degree, trained] */
static void put_node(const report *r, int32_t u)
{
    const float *p = row_of(r, u);
    const int best = kith__likeliest(p, r->classes);

    kith__json_open(r->j, NULL, '[');
    kith__json_node(r->j, NULL, r->d->graph, u);
    kith__json_number(r->j, NULL, best);
    kith__json_number(r->j, NULL, round((double)p[best] * 1e5) / 1e5);
    kith__json_number(r->j, NULL, known_label(r, u));
    kith__json_number(r->j, NULL,
                      (double)(r->s->op.rows[u + 1] - r->s->op.rows[u]));
    kith__json_number(r->j, NULL, r->s->trained[u] >= 0);
}

/* The neighbours of largest weight, as [weight, node...] after the node. */
static void put_around(const report *r, int32_t u)
{
    const kith__operator *W = &r->s->op;
    int64_t best[AROUND];
    int n = 0;

    for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
        const double w = kith__operator_weight(W, u, p);
        int i;

        if (n == AROUND && w <= kith__operator_weight(W, u, best[AROUND - 1]))
            continue;
        i = n < AROUND ? n++ : AROUND - 1;
        for (; i > 0 && kith__operator_weight(W, u, best[i - 1]) < w; i--)
            best[i] = best[i - 1];
        best[i] = p;
    }
    kith__json_open(r->j, NULL, '[');
    for (int i = 0; i < n; i++) {
        put_node(r, W->neighbours[best[i]]);
        kith__json_number(r->j, NULL,
                          round(kith__operator_weight(W, u, best[i]) * 1e5) /
                              1e5);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
}

static kith_status put_tables(const report *r, kith_error *err)
{
    static const char *const names[] = {"confident", "uncertain", "surprising"};
    kith_status st = KITH_OK;
    table *t = NULL;

    TRY_NEW(t, kith__alloc_zeroed(3, sizeof(*t)));
    fill_tables(r, t);
    for (int k = 0; k < 3; k++) {
        kith__json_open(r->j, names[k], '[');
        for (int i = 0; i < t[k].n; i++) {
            put_node(r, t[k].rows[i].node);
            put_around(r, t[k].rows[i].node);
            kith__json_close(r->j, ']');
        }
        kith__json_close(r->j, ']');
    }
out:
    kith__free(t);
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

/* The nodes to judge: those named, or all with a label that were not learnt
 * from. */
static kith_status put_judged(const report *r, kith_error *err)
{
    const kith_labels *l = r->d->labels;
    kith__judged at = {.p = r->in->probabilities ? r->in->probabilities : r->p,
                       .labels = l,
                       .classes = r->classes};
    kith_status st = KITH_OK;

    if (!l || l->classes != r->classes)
        return KITH_OK;
    TRY_NEW(at.node, kith__alloc(r->in->judged ? r->in->n_judged : r->n,
                                 sizeof(*at.node)));
    for (int32_t i = 0; i < (r->in->judged ? r->in->n_judged : r->n); i++) {
        const int32_t u = r->in->judged ? r->in->judged[i] : i;

        if (l->of[u] >= 0 && (r->in->judged || r->s->trained[u] < 0))
            at.node[at.n++] = u;
    }
    if (at.n > 0)
        TRY(kith__put_measures(r->j, &at, r->in->judged_what, err));
out:
    kith__free(at.node);
    return st;
}

static kith_status put_all(const report *r, kith_error *err)
{
    kith_status st = KITH_OK;

    kith__json_open(r->j, NULL, '{');
    kith__json_string(r->j, "kind", "report");
    kith__json_string(r->j, "title", r->in->title);
    kith__json_string(r->j, "version", kith_version());
    put_data(r);
    put_method(r);
    TRY(put_classes(r, err));
    TRY(put_judged(r, err));
    TRY(put_coupling(r, err));
    TRY(put_weights(r, err));
    TRY(put_trace(r, err));
    TRY(put_tables(r, err));
    kith__json_close(r->j, '}');
out:
    return st;
}

kith_status kith_report(const kith_report_input *in, char **html,
                        size_t *length, kith_error *err)
{
    const kith_solution *s = in->solution;
    const kith__task *t = &s->storage.task;
    kith__json j = {0};
    report r = {.in = in,
                .s = s,
                .d = s->data,
                .m = s->model,
                .n = t->n,
                .classes = t->classes,
                .j = &j};
    kith_status st = KITH_OK;

    *html = NULL;
    *length = 0;
    TRY_NEW(r.p, kith__alloc_big((int64_t)r.n * r.classes, sizeof(float)));
    kith_solution_probabilities(s, r.p);
    kith__page_begin(&j);
    TRY(put_all(&r, err));
    TRY(kith__page_end(&j, html, length, err));
out:
    kith__free(r.p);
    kith__free(j.at);
    return st;
}
