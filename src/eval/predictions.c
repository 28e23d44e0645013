/*
 * predictions.c: tables of nodes, written and read: predictions, ranked lists,
 * suggestions.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/number.h"
#include "io/fields.h"
#include "io/reader.h"
#include "io/table_writer.h"
#include "kith/tasks.h"

enum { DIGITS = 7 }; /* of a probability */

/* ---- writing ------------------------------------------------------------- */

static kith_status put_node(kith__table_writer *t, const kith_graph *g,
                            int32_t u, kith_error *err)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, u, buffer, &length);

    return kith__table_writer_text(t, id, length, "node", err);
}

static kith_status put_class(kith__table_writer *t, const kith_model *m,
                             int32_t c, kith_error *err)
{
    const char *name = kith_model_class_name(m, c);

    return kith__table_writer_text(t, name, strlen(name), "class", err);
}

static kith_status put_evidence(kith__table_writer *t,
                                const kith_predictions *what, int32_t u,
                                kith_error *err)
{
    const char *name;

    if (!what->evidence)
        return KITH_OK;
    name = kith_evidence_name(what->evidence[u]);
    return kith__table_writer_text(t, name, strlen(name), "evidence", err);
}

/* The likeliest class, or that there is no verdict, and how likely it is. */
static kith_status put_verdict(kith__table_writer *t, const kith_model *m,
                               const kith_predictions *what, int32_t u,
                               int32_t best, double confidence, kith_error *err)
{
    const uint8_t evidence = what->evidence ? what->evidence[u]
                                            : (uint8_t)KITH_EVIDENCE_STRONG;
    kith_status st = KITH_OK;

    TRY(evidence == KITH_EVIDENCE_NONE && !what->force_labels
            ? kith__table_writer_nothing(t, err)
            : put_class(t, m, best, err));
    TRY(kith__table_writer_number(t, confidence, DIGITS, err));
    TRY(put_evidence(t, what, u, err));
out:
    return st;
}

/* Names of classes on their way into one cell: "a|b". */
typedef struct cell {
    char *text;
    int64_t n, room;
} cell;

static kith_status cell_add(cell *all, const char *name, kith_error *err)
{
    const size_t length = strlen(name);

    if (!kith__grow((void **)&all->text, &all->room,
                    all->n + (int64_t)length + 1, 1))
        return kith__no_memory(err);
    if (all->n > 0)
        all->text[all->n++] = '|';
    memcpy(all->text + all->n, name, length);
    all->n += (int64_t)length;
    return KITH_OK;
}

/* Nothing for none. */
static kith_status cell_put(const cell *all, kith__table_writer *t,
                            kith_error *err)
{
    return all->n > 0 ? kith__table_writer_text(t, all->text, (size_t)all->n,
                                                "class", err)
                      : kith__table_writer_nothing(t, err);
}

/* The names of a set's classes. */
static kith_status put_set(kith__table_writer *t, const kith_model *m,
                           const uint8_t *set, kith_error *err)
{
    kith_status st = KITH_OK;
    cell in = {0};

    for (int32_t c = 0; c < kith_model_classes(m); c++)
        if (set[c])
            TRY(cell_add(&in, kith_model_class_name(m, c), err));
    TRY(cell_put(&in, t, err));
out:
    kith__free(in.text);
    return st;
}

/* Does it tell ranks alone, of which class?  -1 if it tells probabilities. */
static int32_t ranked_class(const kith_model *m)
{
    kith_one_class c;

    return m && kith_model_one_class(m, &c) && !c.probabilities ? c.known : -1;
}

/* A node of a table without probabilities. */
static kith_status put_rank(kith__table_writer *t, const kith_graph *g,
                            int32_t u, const kith_predictions *what,
                            double score, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(put_node(t, g, u, err));
    TRY(kith__table_writer_nothing(t, err));
    TRY(kith__table_writer_number(t, score, DIGITS, err));
    TRY(put_evidence(t, what, u, err));
out:
    return st;
}

/* Columns that are there for every model. */
static kith_status put_columns(kith__table_writer *t, const char *const *names,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    for (; *names; names++)
        TRY(kith__table_writer_column(t, *names, NULL, "column", err));
out:
    return st;
}

static kith_status put_header(kith__table_writer *t, const kith_model *m,
                              const kith_predictions *what, bool ranks,
                              kith_error *err)
{
    const char *const first[] = {"node", "label",
                                 ranks ? "score" : "confidence",
                                 what->evidence ? "evidence" : NULL, NULL};
    const char *const set[] = {"set", NULL};
    kith_status st = KITH_OK;

    TRY(put_columns(t, first, err));
    if (what->sets && !ranks)
        TRY(put_columns(t, set, err));
    for (int32_t c = 0; c < kith_model_classes(m) && !ranks; c++)
        TRY(kith__table_writer_column(t, kith_model_class_name(m, c),
                                      "probabilities", "class", err));
out:
    return st;
}

static kith_status put_prediction(kith__table_writer *t, const kith_graph *g,
                                  int32_t u, const kith_model *m,
                                  const kith_predictions *what, kith_error *err)
{
    const int32_t classes = kith_model_classes(m);
    const float *row = what->probabilities + (int64_t)u * classes;
    char buffer[KITH_ID_BUFFER], shown[KITH_QUOTE_BUFFER];
    kith_status st = KITH_OK;
    int32_t best = 0;
    double sum = 0;
    size_t length;
    const char *id = kith_graph_id(g, u, buffer, &length);

    for (int32_t c = 0; c < classes; c++) {
        sum += (double)row[c];
        if (row[c] > row[best])
            best = c;
    }
    if (!isfinite(sum) || sum <= 0)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "node '%s' has no probabilities that can be written",
                       kith__quote(shown, id, length)));
    TRY(put_node(t, g, u, err));
    TRY(put_verdict(t, m, what, u, best, (double)row[best] / sum, err));
    if (what->sets)
        TRY(put_set(t, m, what->sets + (int64_t)u * classes, err));
    for (int32_t c = 0; c < classes; c++)
        TRY(kith__table_writer_number(t, (double)row[c] / sum, DIGITS, err));
out:
    return st;
}

kith_status kith_predictions_write(const kith_graph *g, const kith_model *m,
                                   const kith_predictions *what,
                                   const char *path, const kith_job *job,
                                   kith_outputs *with, kith_error *err)
{
    enum { ROWS_BETWEEN_LOOKS = 1 << 14 };
    const int64_t classes = kith_model_classes(m);
    const int32_t n = kith_graph_nodes(g), ranked = ranked_class(m);
    kith_status st = KITH_OK;
    kith__table_writer *t = NULL;

    TRY(kith__table_writer_open(path, &t, err));
    TRY(put_header(t, m, what, ranked >= 0, err));
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = kith_graph_listed(g, i);

        if (i % ROWS_BETWEEN_LOOKS == 0)
            TRY(kith__progress(job, "writing", i, n, "nodes", err));
        TRY(ranked < 0
                ? put_prediction(t, g, u, m, what, err)
                : put_rank(t, g, u, what,
                           (double)what->probabilities[u * classes + ranked],
                           err));
    }
    st = kith__table_writer_add(t, with, err);
    t = NULL;
out:
    kith__table_writer_abort(t);
    return st;
}

/* reason_1, share_1, ... */
static kith_status put_reason_columns(kith__table_writer *t, int32_t n,
                                      kith_error *err)
{
    kith_status st = KITH_OK;
    char code[24], share[24];

    for (int32_t k = 1; k <= n; k++) {
        const char *const names[] = {code, share, NULL};

        kith__print(code, sizeof(code), "reason_%d", (int)k);
        kith__print(share, sizeof(share), "share_%d", (int)k);
        TRY(put_columns(t, names, err));
    }
out:
    return st;
}

/* Those of the list's node i. */
static kith_status put_reasons(kith__table_writer *t, const kith_ranking *r,
                               int32_t i, kith_error *err)
{
    enum { SHARE_DIGITS = 3 };
    const int32_t most = r->options.reasons;
    kith_status st = KITH_OK;

    for (int32_t k = 0; k < most; k++) {
        const kith_reason *of = &r->reason[(int64_t)i * most + k];
        const bool any = k < r->reasons[i];

        TRY(any ? kith__table_writer_text(t, of->code, strlen(of->code),
                                          "reason", err)
                : kith__table_writer_nothing(t, err));
        TRY(any ? kith__table_writer_number(t, of->share, SHARE_DIGITS, err)
                : kith__table_writer_nothing(t, err));
    }
out:
    return st;
}

/* The classes that a node is likelier of than not, or nothing. */
static kith_status put_likely(kith__table_writer *w, const kith_tasks *t,
                              const float *row, kith_error *err)
{
    kith_status st = KITH_OK;
    cell likely = {0};

    for (int32_t c = 0; c < kith_tasks_count(t); c++)
        if (row[c] >= .5f)
            TRY(cell_add(&likely, kith_tasks_name(t, c), err));
    TRY(cell_put(&likely, w, err));
out:
    kith__free(likely.text);
    return st;
}

static kith_status put_task_row(kith__table_writer *w, const kith_graph *g,
                                const kith_tasks *t, const kith_tasks_run *r,
                                int32_t u, kith_error *err)
{
    const char *evidence = kith_evidence_name((kith_evidence)r->evidence[u]);
    const float *row = r->probabilities + (int64_t)u * r->tasks;
    kith_status st = KITH_OK;

    TRY(put_node(w, g, u, err));
    TRY(put_likely(w, t, row, err));
    TRY(kith__table_writer_text(w, evidence, strlen(evidence), "evidence",
                                err));
    for (int32_t c = 0; c < r->tasks; c++)
        TRY(kith__table_writer_number(w, (double)row[c], DIGITS, err));
out:
    return st;
}

kith_status kith_tasks_write(const kith_graph *g, const kith_tasks *t,
                             const kith_tasks_run *r, const char *path,
                             kith_outputs *with, kith_error *err)
{
    static const char *const columns[] = {"node", "labels", "evidence", NULL};
    kith_status st = KITH_OK;
    kith__table_writer *w = NULL;

    TRY(kith__table_writer_open(path, &w, err));
    TRY(put_columns(w, columns, err));
    for (int32_t c = 0; c < r->tasks; c++)
        TRY(kith__table_writer_column(w, kith_tasks_name(t, c), "probabilities",
                                      "class", err));
    for (int32_t i = 0; i < r->nodes; i++)
        TRY(put_task_row(w, g, t, r, kith_graph_listed(g, i), err));
    st = kith__table_writer_add(w, with, err);
    w = NULL;
out:
    kith__table_writer_abort(w);
    return st;
}

kith_status kith_ranking_write(const kith_ranking *r, const kith_graph *g,
                               const char *path, kith_outputs *with,
                               kith_error *err)
{
    const char *const columns[] = {
        "rank", "node", ranked_class(r->model) < 0 ? "probability" : "score",
        NULL};
    kith_status st = KITH_OK;
    kith__table_writer *t = NULL;

    TRY(kith__table_writer_open(path, &t, err));
    TRY(put_columns(t, columns, err));
    TRY(put_reason_columns(t, r->options.reasons, err));
    for (int32_t i = 0; i < r->listed; i++) {
        TRY(kith__table_writer_count(t, i + 1, err));
        TRY(put_node(t, g, r->node[i], err));
        TRY(kith__table_writer_number(t, (double)r->probability[i], DIGITS,
                                      err));
        TRY(put_reasons(t, r, i, err));
    }
    st = kith__table_writer_add(t, with, err);
    t = NULL;
out:
    kith__table_writer_abort(t);
    return st;
}

kith_status kith_suggestions_write(const kith_suggestion *list, int32_t n,
                                   const kith_graph *g, const char *path,
                                   kith_outputs *with, kith_error *err)
{
    static const char *const columns[] = {"node", "score", "uncertainty",
                                          "influence", NULL};
    kith_status st = KITH_OK;
    kith__table_writer *t = NULL;

    TRY(kith__table_writer_open(path, &t, err));
    TRY(put_columns(t, columns, err));
    for (int32_t i = 0; i < n; i++) {
        TRY(put_node(t, g, list[i].node, err));
        TRY(kith__table_writer_number(t, list[i].score, 6, err));
        TRY(kith__table_writer_number(t, list[i].uncertainty, 6, err));
        TRY(kith__table_writer_number(t, list[i].influence, 6, err));
    }
    st = kith__table_writer_add(t, with, err);
    t = NULL;
out:
    kith__table_writer_abort(t);
    return st;
}

/* ---- reading ------------------------------------------------------------- */

/* A table of predictions on its way. */
typedef struct table {
    kith__reader r;
    const kith_graph *g;
    const char *const *names;
    int32_t classes;
    int32_t *class_of; /* of each column, -1 = none */
    int32_t columns, node;
    bool *seen; /* nodes */
} table;

static bool is_named(const kith__field *f, const char *name)
{
    return f->length == strlen(name) && memcmp(f->text, name, f->length) == 0;
}

/* Which class a column is named for, -1 if none. */
static int32_t class_named(const table *t, const kith__field *f)
{
    for (int32_t c = 0; c < t->classes; c++)
        if (is_named(f, t->names[c]))
            return c;
    return -1;
}

/* Of columns of one name the last is the class, and the first "node" the node:
 * a class may have the name of a column before the classes. */
static kith_status read_header(table *t, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *last = NULL;
    int64_t room = 0;
    kith__field f;
    bool more;
    char *at;

    TRY_NEW(last, kith__alloc(t->classes, sizeof(*last)));
    memset(last, -1, (size_t)t->classes * sizeof(*last));
    TRY(kith__reader_next(&t->r, &more, err));
    if (!more)
        TRY(kith__fail(err, KITH_ERR_PARSE, t->r.path, 0,
                       "is empty, expected a table of predictions"));
    at = t->r.text;
    for (; kith__field_next(&at, t->r.text + t->r.length, '\t', &f);
         t->columns++) {
        const int32_t c = class_named(t, &f);

        if (!kith__grow((void **)&t->class_of, &room, t->columns + 1,
                        sizeof(*t->class_of)))
            TRY(kith__no_memory(err));
        if (t->node < 0 && is_named(&f, "node"))
            t->node = t->columns;
        t->class_of[t->columns] = -1;
        if (c < 0 || t->node == t->columns)
            continue;
        if (last[c] >= 0)
            t->class_of[last[c]] = -1;
        t->class_of[t->columns] = c;
        last[c] = t->columns;
    }
    if (t->node < 0)
        TRY(kith__reader_fail(&t->r, err, "no column is named 'node'"));
    for (int32_t c = 0; c < t->classes; c++)
        if (last[c] < 0)
            TRY(kith__reader_fail(&t->r, err,
                                  "no column is named '%.60s', expected one "
                                  "for each class",
                                  t->names[c]));
out:
    kith__free(last);
    return st;
}

static kith_status find_node(table *t, const kith__field *f, int32_t *node,
                             kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    *node = kith_graph_find(t->g, f->text, f->length);
    kith__quote(shown, f->text, f->length);
    if (*node < 0)
        return kith__reader_fail(&t->r, err,
                                 "unknown node '%s', expected a node of the "
                                 "graph (%d nodes)",
                                 shown, (int)kith_graph_nodes(t->g));
    if (t->seen[*node])
        return kith__reader_fail(&t->r, err, "node '%s' has a second row",
                                 shown);
    t->seen[*node] = true;
    return KITH_OK;
}

static kith_status wrong_length(const table *t, kith_error *err)
{
    return kith__reader_fail(&t->r, err, "expected %d fields as in line 1",
                             (int)t->columns);
}

/* One row; the node may stand behind the probabilities, so they go into `row`
 * first. */
static kith_status read_row(table *t, float *row, float *out, kith_error *err)
{
    char *at = t->r.text;
    kith_status st = KITH_OK;
    int32_t column = 0, node = -1;
    kith__field f;

    for (; kith__field_next(&at, t->r.text + t->r.length, '\t', &f); column++) {
        double p = 0;

        if (column == t->columns)
            TRY(wrong_length(t, err));
        if (column == t->node)
            TRY(find_node(t, &f, &node, err));
        if (t->class_of[column] < 0)
            continue;
        if (!kith__parse_real(f.text, f.length, &p) || !(p >= 0 && p <= 1))
            TRY(kith__reader_fail(&t->r, err,
                                  "field %d is no probability, expected a "
                                  "number from 0 to 1",
                                  (int)column + 1));
        row[t->class_of[column]] = (float)p;
    }
    if (column < t->columns)
        TRY(wrong_length(t, err));
    memcpy(out + (int64_t)node * t->classes, row,
           (size_t)t->classes * sizeof(*row));
out:
    return st;
}

kith_status kith_predictions_read(const char *path, const kith_graph *g,
                                  const char *const *classes, int32_t n_classes,
                                  float *out, int32_t *found, kith_error *err)
{
    const int32_t n = kith_graph_nodes(g);
    table t = {.g = g, .names = classes, .classes = n_classes, .node = -1};
    kith_status st = KITH_OK;
    float *row = NULL;
    int32_t rows = 0;
    bool more;

    for (int64_t i = 0; i < (int64_t)n * n_classes; i++)
        out[i] = NAN;
    TRY_NEW(t.seen, kith__alloc_zeroed(n, sizeof(*t.seen)));
    TRY_NEW(row, kith__alloc(n_classes, sizeof(*row)));
    TRY(kith__reader_open(path, &t.r, err));
    TRY(read_header(&t, err));
    for (;; rows++) {
        TRY(kith__reader_next(&t.r, &more, err));
        if (!more)
            break;
        TRY(read_row(&t, row, out, err));
    }
    if (found)
        *found = rows;
out:
    kith__reader_close(&t.r);
    kith__free(t.class_of);
    kith__free(t.seen);
    kith__free(row);
    return st;
}
