/*
 * reasons.c: what speaks for a class at a node, in a few short codes.
 *
 * A belief is a sum of parts (explain.c).  Parts of one kind are put together:
 * labelled nodes by how far they are, columns of features by their names, other
 * nodes.  What is above 0 speaks for the class, and shares are of the sum of
 * these.  Where potentials are probabilities of logistic regression, which are
 * no sum, the node's own part is told by the columns that speak for the class
 * in its logit, in proportion to these.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "models/explain/around.h"
#include "models/explain/contributions.h"
#include "models/explain/explain_lists.h"
#include "models/explain/logits.h"
#include "models/model_object.h"

/* What all nodes asked about share. */
typedef struct work {
    const kith_solution *s;
    kith_sum_kind kind;
    int32_t most;
    double *to; /* classes: 1 at the class asked about, or centred */
    kith__around around;
    kith__contributions parts;
    kith__feature_matrix design; /* of a model's own regression */
    kith__feature_workspace room;
    float *rows; /* (columns + 1) x KITH__TOGETHER, of s->b.logits */
    double *sum; /* the largest number of columns of a block */
} work;

/* The reasons of one node on their way. */
typedef struct reasons {
    kith_reason *list;
    int32_t n, most;
    double all; /* that speaks for the class */
} reasons;

/* ---- the list ------------------------------------------------------------ */

/* "FEATURE:amount", control characters as '?', cut between characters. */
static void write_code(char *out, const char *kind, const char *name)
{
    const size_t begins = strlen(kind) + (name ? 1 : 0);
    size_t length;

    kith__print(out, KITH_REASON_CODE, "%s%s%s", kind, name ? ":" : "",
                name ? name : "");
    length = strlen(out);
    if (name && length + 1 == KITH_REASON_CODE)
        while (length > begins &&
               ((unsigned char)(name[length - begins]) & 0xC0) == 0x80)
            length--;
    out[length] = '\0';
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F)
            *p = '?';
}

/* Keep a part if it is among the largest; of equals the first. */
static void add(reasons *r, const char *kind, const char *name, double value)
{
    int32_t i;

    if (!(value > 0))
        return;
    r->all += value;
    if (r->n == r->most && value <= r->list[r->n - 1].value)
        return;
    i = r->n < r->most ? r->n++ : r->n - 1;
    for (; i > 0 && r->list[i - 1].value < value; i--)
        r->list[i] = r->list[i - 1];
    r->list[i] = (kith_reason){.value = value};
    write_code(r->list[i].code, kind, name);
}

/* A column by its name, else by its number. */
static void add_column(reasons *r, const work *w, const char *kind, int32_t j,
                       double value)
{
    const char *name = kith__feature_name(w->s->data->features, j);
    char number[16];

    if (!(value > 0))
        return;
    kith__print(number, sizeof(number), "%d", (int)j);
    add(r, kind, name ? name : number, value);
}

/* ---- labelled nodes ------------------------------------------------------ */

static const char *const own_class[] = {[KITH__SELF] = "OWN_LABEL",
                                        [KITH__LINKED] = "KNOWN_NEIGHBOUR",
                                        [KITH__TWO_STEPS] = "TWO_STEPS",
                                        [KITH__FAR] = "FAR_LABELS"};
static const char *const other_class[] = {[KITH__SELF] = "OWN_LABEL",
                                          [KITH__LINKED] = "UNLIKE_NEIGHBOUR",
                                          [KITH__TWO_STEPS] = "UNLIKE_FAR",
                                          [KITH__FAR] = "UNLIKE_FAR"};

/* Column i of w->parts: by steps, of the class asked about and of others. */
static void add_labelled(work *w, int i, int32_t of_class, reasons *r)
{
    const kith__task *t = &w->s->storage.task;
    double own[KITH__FAR + 1] = {0}, other[KITH__FAR + 1] = {0};

    kith__look_around(w->s, w->parts.node[i], &w->around);
    for (int32_t l = 0; l < t->n_train; l++) {
        const double a = w->parts.labelled[(int64_t)l * KITH__TOGETHER + i];

        (t->truth[l] == of_class ? own : other)[w->around.steps[l]] += a;
    }
    other[KITH__FAR] += other[KITH__TWO_STEPS];
    for (int k = KITH__LINKED; k <= KITH__FAR; k++) {
        add(r, own_class[k], NULL, own[k]);
        if (k != KITH__TWO_STEPS)
            add(r, other_class[k], NULL, other[k]);
    }
}

/* ---- columns ------------------------------------------------------------- */

/* The columns of a model's own regression that are not 0 at the node. */
static kith_status add_design(work *w, int32_t node, int32_t of_class,
                              reasons *r, kith_error *err)
{
    const kith_model *m = w->s->model;
    const char *kind = m->params.smooth > 0 ? "AROUND" : "FEATURE";
    kith_status st = KITH_OK;
    kith__csr_matrix row = {0};

    TRY(kith__feature_matrix_rows(&w->design, &node, 1, &row, err));
    for (int64_t p = kith__row_begin(&row, 0); p < kith__row_begin(&row, 1);
         p++) {
        const int32_t j = kith__column_of(&row, p);

        add_column(r, w, kind, j,
                   (double)row.value[p] * kith__centred_weight(m->weights, j,
                                                               m->classes,
                                                               of_class));
    }
    add(r, "PRIOR", NULL,
        kith__centred_weight(m->weights, m->columns, m->classes, of_class));
out:
    kith__csr_matrix_release(&row);
    return st;
}

/* What a block's columns are called; *named: each by itself. */
static const char *kind_of_block(const kith__feature_block *b, bool *named)
{
    const bool count = b->what && strcmp(b->what, "how many it has") == 0;

    *named = !b->structural && !count;
    if (b->structural)
        return b->what && strcmp(b->what, "degree") == 0 ? "DEGREE" : "PLACE";
    return count ? "FEATURE_COUNT" : b->hops > 0 ? "AROUND" : "FEATURE";
}

/* Of one block of row i of w->rows, from column `at`; B is of the node. */
static void add_block(work *w, const kith__feature_block *b, int i, int64_t at,
                      const float *B, int32_t of_class, reasons *r)
{
    const int C = w->s->storage.task.classes, each = b->each > 0 ? b->each : 1;
    const int32_t columns = b->x->x.columns;
    bool named;
    const char *kind = kind_of_block(b, &named);
    double all = 0;

    memset(w->sum, 0, (size_t)(columns / each + 1) * sizeof(*w->sum));
    for (int32_t j = 0; j < columns; j++) {
        const double a = (double)w->rows[(at + j) * w->parts.count + i] *
                         kith__centred_weight(B, at + j, C, of_class);

        w->sum[j / each] += a;
        all += a;
    }
    for (int32_t j = 0; named && j < columns / each; j++)
        add_column(r, w, kind, j, w->sum[j]);
    if (!named)
        add(r, kind, NULL, all);
}

/* All columns of the node's logit, and its bias. */
static void add_logits(work *w, int i, int32_t of_class, reasons *r)
{
    const kith__logits *l = w->s->b.logits;
    const float *B = kith__logits_of(l, &w->s->storage.task, w->parts.node[i]);
    int64_t at = 0;

    for (int k = 0; k < l->map.blocks; k++) {
        add_block(w, &l->map.block[k], i, at, B, of_class, r);
        at += l->map.block[k].x->x.columns;
    }
    add(r, "PRIOR", NULL,
        kith__centred_weight(B, l->map.columns, w->s->storage.task.classes,
                             of_class));
}

/* What columns say, in *r whose list has room for as many. */
static kith_status add_columns(work *w, int i, int32_t of_class, reasons *r,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    if (w->s->model->weights)
        TRY(add_design(w, w->parts.node[i], of_class, r, err));
    else if (w->s->b.logits)
        add_logits(w, i, of_class, r);
out:
    return st;
}

/* The node's own part by the columns that speak for the class; they come to
 * `whole`, or are what they are if that is NaN. */
static kith_status add_own(work *w, int i, int32_t of_class, double whole,
                           reasons *r, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_reason list[KITH_REASONS_MOST];
    reasons own = {list, 0, w->most, 0};
    double factor = 1, rest;

    TRY(add_columns(w, i, of_class, &own, err));
    rest = own.all;
    if (!isnan(whole)) {
        if (own.all <= 0)
            add(r, "OWN_FEATURES", NULL, whole);
        factor = own.all > 0 ? fmax(0, whole) / own.all : 0;
    }
    for (int32_t k = 0; k < own.n; k++) {
        add(r, list[k].code, NULL, factor * list[k].value);
        rest -= list[k].value;
    }
    r->all += factor * fmax(0, rest); /* of those too small to be listed */
out:
    return st;
}

/* ---- one node ------------------------------------------------------------ */

/* Is its own potential its label? */
static bool clamped(const kith_solution *s, int32_t u)
{
    return s->trained[u] >= 0 && !s->b.self_term &&
           (s->model->params.clamp || !s->model->weights);
}

static kith_status explain_one(work *w, int i, int32_t of_class,
                               kith_reason *out, int32_t *found,
                               kith_error *err)
{
    const int32_t u = w->parts.node[i];
    const bool columns = w->kind == KITH_SUM_FEATURES ||
                         w->kind == KITH_SUM_LOGITS || w->s->b.self_term;
    kith_status st = KITH_OK;
    reasons r = {out, 0, w->most, 0};

    if (clamped(w->s, u) && !columns)
        add(&r, own_class[KITH__SELF], NULL, w->parts.itself[i]);
    else
        TRY(add_own(w, i, of_class, columns ? (double)NAN : w->parts.itself[i],
                    &r, err));
    if (w->kind != KITH_SUM_FEATURES && w->kind != KITH_SUM_LOGITS) {
        if (w->s->b.self_term)
            add(&r, "ECHO", NULL, w->parts.itself[i]);
        add_labelled(w, i, of_class, &r);
        add(&r, "OTHER_NODES", NULL, w->parts.others[i]);
    }
    for (int32_t k = 0; k < r.n; k++)
        out[k].share = out[k].value / r.all;
    *found = r.n;
out:
    return st;
}

/* ---- several ------------------------------------------------------------- */

/* The rows of F of the nodes side by side. */
static kith_status find_rows(work *w, kith_error *err)
{
    const kith__logits *l = w->s->b.logits;
    kith_status st = KITH_OK;
    float *E = NULL;

    TRY_NEW(E,
            kith__alloc_zeroed((int64_t)l->map.n * w->parts.count, sizeof(*E)));
    for (int i = 0; i < w->parts.count; i++)
        E[(int64_t)w->parts.node[i] * w->parts.count + i] = 1;
    kith__feature_transpose(&l->map, E, w->parts.count, &w->room, w->rows);
out:
    kith__free(E);
    return st;
}

static kith_status explain_together(work *w, int32_t of_class, kith_reason *out,
                                    int32_t *found, kith_error *err)
{
    const kith_solution *s = w->s;
    const int C = s->storage.task.classes;
    kith_status st = KITH_OK;

    for (int c = 0; c < C; c++)
        w->to[c] = (c == of_class) - (s->b.self_term ? 1.0 / C : 0);
    if (w->kind != KITH_SUM_FEATURES && w->kind != KITH_SUM_LOGITS)
        TRY(kith__contribute(s, w->to, &w->parts, err));
    if (s->b.logits)
        TRY(find_rows(w, err));
    for (int i = 0; i < w->parts.count; i++)
        TRY(explain_one(w, i, of_class, out + (int64_t)i * w->most, found + i,
                        err));
out:
    return st;
}

static kith_status work_new(work *w, kith_error *err)
{
    const kith_solution *s = w->s;
    const kith_model *m = s->model;
    kith_status st = KITH_OK;
    int32_t most = 0;

    TRY_NEW(w->to, kith__alloc(m->classes, sizeof(*w->to)));
    TRY(kith__around_new(s, &w->around, err));
    TRY(kith__contributions_new(s, &w->parts, err));
    if (m->weights)
        TRY(kith__feature_matrix_new(s->data->graph, s->data->features,
                                     m->params.prep, m->params.smooth, m->idf,
                                     &s->job, &w->design, err));
    if (!s->b.logits)
        goto out;
    TRY(kith__feature_workspace_new(&s->b.logits->map, KITH__TOGETHER, &w->room,
                                    err));
    TRY_NEW(w->rows,
            kith__alloc((s->b.logits->map.columns + 1) * KITH__TOGETHER,
                        sizeof(*w->rows)));
    for (int k = 0; k < s->b.logits->map.blocks; k++)
        if (s->b.logits->map.block[k].x->x.columns > most)
            most = s->b.logits->map.block[k].x->x.columns;
    TRY_NEW(w->sum, kith__alloc((int64_t)most + 1, sizeof(*w->sum)));
out:
    return st;
}

static void work_release(work *w)
{
    kith__free(w->to);
    kith__around_release(&w->around);
    kith__contributions_release(&w->parts);
    kith__feature_matrix_release(&w->design);
    kith__feature_workspace_release(&w->room);
    kith__free(w->rows);
    kith__free(w->sum);
}

/* The class asked about, or the likeliest of the node. */
static int32_t class_of(const kith_solution *s, int32_t node, int32_t of_class,
                        float *row)
{
    int32_t best = 0;

    if (of_class >= 0)
        return of_class;
    kith__probabilities(s->model, &s->storage.task, &s->b, node, 1, row);
    for (int32_t c = 1; c < s->storage.task.classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

static kith_status check(const kith_solution *s, const int32_t *nodes,
                         int32_t n, int32_t of_class, int32_t most,
                         kith_error *err)
{
    const kith__task *t = &s->storage.task;
    bool fine = n >= 0 && of_class >= -1 && of_class < t->classes &&
                most >= 1 && most <= KITH_REASONS_MOST;

    for (int32_t i = 0; fine && i < n; i++)
        fine = nodes[i] >= 0 && nodes[i] < t->n;
    if (!fine)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "reasons: no such node or class, or not 1 to %d of "
                          "them",
                          (int)KITH_REASONS_MOST);
    return kith__check_linear(s, err);
}

kith_status kith_reasons(const kith_solution *s, const int32_t *nodes,
                         int32_t n, int32_t of_class, int32_t most,
                         kith_reason *out, int32_t *found, kith_error *err)
{
    kith_status st = KITH_OK;
    work w = {.s = s, .most = most};
    float *row = NULL;

    TRY(check(s, nodes, n, of_class, most, err));
    w.kind = kith__sum_kind_of(s);
    TRY_NEW(row, kith__alloc(s->storage.task.classes, sizeof(*row)));
    TRY(work_new(&w, err));
    for (int32_t at = 0; at < n; at += w.parts.count) {
        const int32_t c = class_of(s, nodes[at], of_class, row);

        w.parts.node = nodes + at;
        for (w.parts.count = 1;
             w.parts.count < KITH__TOGETHER && at + w.parts.count < n &&
             class_of(s, nodes[at + w.parts.count], of_class, row) == c;)
            w.parts.count++;
        TRY(explain_together(&w, c, out + (int64_t)at * most, found + at, err));
    }
out:
    kith__free(row);
    work_release(&w);
    return st;
}
