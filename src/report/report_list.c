/*
 * report_list.c: the nodes to look at first, in words, and of the first of them
 * what their beliefs are made of.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "report/measures.h"
#include "report/report_parts.h"

enum {
    ROWS = 1000,     /* of the list to review */
    OTHERS = 100,    /* of those beside it; 500 where they are all there is */
    AROUND = 10,     /* neighbours in a picture */
    NAMED = 3,       /* known neighbours in a row's words */
    SCANNED = 50000, /* links of a node that are looked at for those */
    EXPLAINED = 40,  /* at most */
    REASONS = 4
};

/* An explanation is some passes over the beliefs of all nodes and edges: the
 * more of them, the fewer are explained. */
static const double EXPLAINED_CELLS = 4e8;

/* ---- choosing ------------------------------------------------------------ */

typedef struct listed {
    int32_t node;
    int32_t of_class;
    float by;
} listed;

/* The rows of largest `by`, the largest first, of equals the first node. */
typedef struct list {
    listed *rows;
    int n, most;
} list;

static void keep(list *l, int32_t node, int32_t of_class, float by)
{
    int low = 0, high = l->n;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (l->rows[middle].by >= by)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == l->most)
        return;
    l->n += l->n < l->most;
    memmove(l->rows + low + 1, l->rows + low,
            (size_t)(l->n - low - 1) * sizeof(*l->rows));
    l->rows[low] = (listed){node, of_class, by};
}

enum { LIKELY, UNCERTAIN, SURPRISING, LISTS };

static void fill(const kith__report *r, list l[LISTS])
{
    const uint8_t *evidence = r->v->in.evidence;

    for (int32_t u = 0; u < r->n; u++) {
        const float *p = kith__report_row(r, u);
        const int best = kith__likeliest(p, r->classes);
        const int32_t known = kith__report_label(r, u);
        const bool seen = !evidence || evidence[u] != KITH_EVIDENCE_NONE;

        if (!r->v->is_known[u] && seen) {
            if (r->v->positive >= 0)
                keep(&l[LIKELY], u, r->v->positive, p[r->v->positive]);
            keep(&l[UNCERTAIN], u, best, 1 - p[best]);
        }
        if (known >= 0 && known != best)
            keep(&l[SURPRISING], u, best, p[best] - p[known]);
    }
}

/* ---- a row's words ------------------------------------------------------- */

/* "linked to 3 known fraud (a, b, c), 2 known benign; 12 links" */
typedef struct words {
    char at[400];
    size_t used;
} words;

static void add(words *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(words *w, const char *format, ...)
{
    const size_t room = sizeof(w->at) - w->used;
    va_list values;
    int n;

    va_start(values, format);
    n = kith__print_list(w->at + w->used, room, format, values);
    va_end(values);
    w->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* An id, cut between characters where it is long. */
static void add_id(words *w, const kith__report *r, int32_t u)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(r->d->graph, u, buffer, &length);

    const bool cut = length > 24;

    if (cut)
        for (length = 21; length > 0 && (id[length] & 0xC0) == 0x80;)
            length--;
    add(w, "%.*s%s", (int)length, id, cut ? "..." : "");
}

/* The known neighbours of one class, the first few by name. */
static int32_t add_class(words *w, const kith__report *r, int32_t u, int c,
                         bool first)
{
    const int64_t from = r->s->op.rows[u], to = r->s->op.rows[u + 1];
    const int64_t end = to - from > SCANNED ? from + SCANNED : to;
    const char *name = kith_model_class_name(r->m, c);
    int32_t named[NAMED], n = 0;

    for (int64_t k = from; k < end; k++) {
        const int32_t v = r->s->op.neighbours[k];

        if (r->s->trained[v] != c || v == u)
            continue;
        if (n < NAMED)
            named[n] = v;
        n++;
    }
    if (n == 0)
        return 0;
    add(w, "%s%d known %s%.40s (", first ? "linked to " : " and ", (int)n,
        name[0] >= '0' && name[0] <= '9' ? "of class " : "", name);
    for (int32_t i = 0; i < n && i < NAMED; i++) {
        add(w, "%s", i ? ", " : "");
        add_id(w, r, named[i]);
    }
    add(w, "%s)", n > NAMED ? ", ..." : "");
    return n;
}

/* Whom it is linked to that is known: of its class first, then of the others,
 * two classes at most. */
static void put_words(const kith__report *r, const listed *row)
{
    words w = {"", 0};
    int said = 0;

    said += add_class(&w, r, row->node, row->of_class, true) > 0;
    for (int c = 0; c < r->classes && c < 50 && said < 2; c++)
        if (c != row->of_class)
            said += add_class(&w, r, row->node, c, said == 0) > 0;
    if (said == 0)
        add(&w, "no known node among its links");
    kith__json_string(r->j, NULL, w.at);
}

/* ---- explanations -------------------------------------------------------- */

/* The neighbours of largest weight, where no belief can be taken apart. */
static void put_around(const kith__report *r, int32_t u)
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
    kith__json_open(r->j, "neighbours", '[');
    for (int i = 0; i < n; i++) {
        const int32_t v = W->neighbours[best[i]], c = r->s->trained[v];

        kith__json_open(r->j, NULL, '[');
        kith__json_node(r->j, NULL, r->d->graph, v);
        kith__json_string(r->j, NULL,
                          c < 0 ? "" : kith_model_class_name(r->m, c));
        kith__json_number(r->j, NULL, kith__operator_weight(W, u, best[i]));
        kith__json_null(r->j, NULL);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
}

/* "reasons": [code, share] of each. */
static kith_status put_reasons(const kith__report *r, const listed *row,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith_reason top[REASONS];
    int32_t n = 0;

    TRY(kith_reasons(r->s, &row->node, 1, row->of_class, REASONS, top, &n,
                     err));
    kith__json_open(r->j, "reasons", '[');
    for (int32_t i = 0; i < n; i++) {
        kith__json_open(r->j, NULL, '[');
        kith__json_string(r->j, NULL, top[i].code);
        kith__json_number(r->j, NULL, top[i].share);
        kith__json_close(r->j, ']');
    }
    kith__json_close(r->j, ']');
out:
    return st;
}

/* What there is to say of a row when it is opened.  A method that is not
 * linear, or that diverges, has neighbours only; `linear` remembers. */
static kith_status put_detail(const kith__report *r, const listed *row,
                              bool *linear, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_explanation *e = NULL;

    if (*linear) {
        st = kith_explain(r->s, row->node, row->of_class, AROUND, &e, err);
        *linear = st == KITH_OK;
        if (st == KITH_ERR_ARGUMENT || st == KITH_ERR_RANGE)
            st = KITH_OK;
    }
    kith__json_open(r->j, NULL, '{');
    kith__json_node(r->j, "node", r->d->graph, row->node);
    kith__json_string(r->j, "class",
                      kith_model_class_name(r->m, row->of_class));
    if (e && st == KITH_OK) {
        st = kith__put_why(r->j, r->s, e, err);
        if (st == KITH_OK)
            st = put_reasons(r, row, err);
    } else {
        put_around(r, row->node);
    }
    kith__json_close(r->j, '}');
    kith_explanation_free(e);
    return st;
}

/* How many rows are explained. */
static int affordable(const kith__report *r)
{
    const double cells = ((double)r->s->op.rows[r->n] + r->n) * r->classes;

    return (int)fmin(EXPLAINED, EXPLAINED_CELLS / fmax(1, cells));
}

/* ---- all of it ----------------------------------------------------------- */

static const char *const names[LISTS] = {"likely", "uncertain", "surprising"};

static void put_row(const kith__report *r, const listed *row, int detail)
{
    const uint8_t *evidence = r->v->in.evidence;
    const int32_t u = row->node;
    const double p = (double)kith__report_row(r, u)[row->of_class];

    kith__json_open(r->j, NULL, '[');
    kith__json_node(r->j, NULL, r->d->graph, u);
    kith__json_number(r->j, NULL, row->of_class);
    kith__json_number(r->j, NULL, round(p * 1e5) / 1e5);
    kith__json_number(r->j, NULL, evidence ? evidence[u] : -1);
    kith__json_number(r->j, NULL, kith__report_label(r, u));
    kith__json_number(r->j, NULL,
                      (double)(r->s->op.rows[u + 1] - r->s->op.rows[u]));
    put_words(r, row);
    kith__json_number(r->j, NULL, detail);
    kith__json_close(r->j, ']');
}

/* Three quarters of the explanations go to the first list that there is. */
static void share_out(const list l[LISTS], int all, int explained[LISTS])
{
    int left = all;

    for (int k = 0; k < LISTS; k++) {
        const int share = k + 1 == LISTS ? left : (left * 3 + 3) / 4;

        explained[k] = share < l[k].n ? share : l[k].n;
        left -= explained[k];
    }
}

static kith_status put_details(const kith__report *r, const list l[LISTS],
                               const int explained[LISTS], kith_error *err)
{
    kith_status st = KITH_OK;
    bool linear = true;

    kith__json_open(r->j, "details", '[');
    for (int k = 0; k < LISTS; k++)
        for (int i = 0; i < explained[k]; i++)
            TRY(put_detail(r, &l[k].rows[i], &linear, err));
    kith__json_close(r->j, ']');
    kith__json_bool(r->j, "linear", linear);
out:
    return st;
}

kith_status kith__put_lists(const kith__report *r, kith_error *err)
{
    kith_status st = KITH_OK;
    list l[LISTS] = {{0}};
    int explained[LISTS], next = 0;

    for (int k = 0; k < LISTS; k++) {
        l[k].most = k == LIKELY           ? ROWS
                    : r->v->positive >= 0 ? OTHERS
                                          : ROWS / 2;
        TRY_NEW(l[k].rows, kith__alloc(l[k].most, sizeof(listed)));
    }
    fill(r, l);
    share_out(l, affordable(r), explained);
    for (int k = 0; k < LISTS; k++) {
        kith__json_open(r->j, names[k], '[');
        for (int i = 0; i < l[k].n; i++)
            put_row(r, &l[k].rows[i], i < explained[k] ? next++ : -1);
        kith__json_close(r->j, ']');
    }
    TRY(put_details(r, l, explained, err));
out:
    for (int k = 0; k < LISTS; k++)
        kith__free(l[k].rows);
    return st;
}
