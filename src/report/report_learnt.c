/*
 * report_learnt.c: what the model learnt: the coupling, the edges' weights, and
 * in words how its classes are linked.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "kernels/softmax.h"
#include "models/model_object.h"
#include "report/measures.h"
#include "report/report_parts.h"

enum { HEAT_MOST = 24, HISTOGRAM = 32, FEATURES_SAID = 5 };

/* ---- what was learnt ----------------------------------------------------- */

static void put_matrix(const kith__report *r, const char *name, const float *H)
{
    kith__json_open(r->j, name, '[');
    for (int i = 0; i < r->classes * r->classes; i++)
        kith__json_number(r->j, NULL, (double)H[i]);
    kith__json_close(r->j, ']');
}

/* How H came about: "given", "learnt" from the start, or lcm-em's: "fitted" to
 * the labels, or homophily of a "chosen" strength; NULL if it couples
 * nothing. */
static const char *coupling_how(const kith__report *r, const float *start)
{
    const int64_t cells = (int64_t)r->classes * r->classes;
    const float *H = r->s->b.coupling;

    if (kith_model_settings(r->m) == 0 || r->s->b.linear == KITH__FIXED_POINT) {
        for (int64_t i = 0; i < cells; i++)
            if (fabsf(H[i] - start[i]) > KITH__ROUNDING)
                return "learnt";
        return "given";
    }
    for (int64_t i = 0; i < cells; i++)
        if (H[i] != 0)
            return kith__fit_state_find(&r->m->state, "H") ? "fitted"
                                                           : "chosen";
    return NULL;
}

static kith_status put_coupling(const kith__report *r, kith_error *err)
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
static int32_t *classes_of_all(const kith__report *r, bool *guessed)
{
    int32_t *of = kith__alloc(r->n, sizeof(*of));

    for (int32_t u = 0; of && u < r->n; u++) {
        of[u] = kith__report_label(r, u);
        if (of[u] < 0) {
            of[u] = kith__likeliest(kith__report_row(r, u), r->classes);
            *guessed = true;
        }
    }
    return of;
}

static void find_range(const kith__report *r, histograms *h)
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

static void fill_part(const kith__report *r, const int32_t *of, int32_t from,
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
            h->moved |= fabs(after - before) > (double)KITH__ROUNDING * before;
            add_weight(h, other, before);
            add_weight(h, 2 + other, after);
        }
}

/* In parts that do not depend on the threads, added up in order. */
static kith_status fill_histograms(const kith__report *r, histograms *h,
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

static kith_status put_weights(const kith__report *r, kith_error *err)
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

/* ---- in words ------------------------------------------------------------ */

/* Ends of edges by the class of the node they are at, and those whose other
 * end is of the same class. */
typedef struct ends {
    int64_t all[HEAT_MOST], same[HEAT_MOST];
} ends;

static void count_ends(const kith__report *r, const int32_t *of, ends *e)
{
    const kith__operator *W = &r->s->op;

    for (int32_t u = 0; u < r->n; u++)
        for (int64_t p = W->rows[u]; p < W->rows[u + 1]; p++) {
            e->all[of[u]]++;
            e->same[of[u]] += of[W->neighbours[p]] == of[u];
        }
}

/* How often nodes of a class are linked to one another, against chance: its
 * share among its neighbours, by its share of all ends. */
static void put_lift(const kith__report *r, const ends *e, int c, int64_t all)
{
    const double chance = (double)e->all[c] / (double)all;
    const double lift = (double)e->same[c] / (double)e->all[c] / chance;
    const char *name = kith_model_class_name(r->m, c);
    char text[300];

    kith__print(text, sizeof(text),
                lift >= 1.15 ? "Nodes %s%.60s are linked to one another "
                               "%.1f times as often as chance."
                : lift <= .85
                    ? "Nodes %s%.60s avoid one another: linked %.2f "
                      "times as often as chance."
                    : "Nodes %s%.60s are linked to one another about as "
                      "often as chance (%.1f times).",
                name[0] >= '0' && name[0] <= '9' ? "of class " : "that are ",
                name, lift);
    kith__json_string(r->j, NULL, text);
}

typedef struct column_weight {
    int32_t column;
    double weight;
} column_weight;

/* The columns that speak most for or against the class asked about, by the
 * weights of its logistic regression; nothing where there is none. */
static void put_columns(const kith__report *r)
{
    const kith_features *f = r->d->features;
    const int32_t D = r->m->columns, c = r->v->positive;
    column_weight best[FEATURES_SAID];
    char text[600] = "Of the features these speak most: ";
    int n = 0;

    if (!r->m->weights || !f || f->columns != D || c < 0 || r->classes != 2)
        return;
    for (int32_t k = 0; k < D; k++) {
        const float *row = r->m->weights + (int64_t)k * r->classes;
        const double w = ((double)row[c] - (double)row[!c]) / 2;
        int i;

        if (n == FEATURES_SAID && fabs(w) <= fabs(best[n - 1].weight))
            continue;
        i = n < FEATURES_SAID ? n++ : n - 1;
        for (; i > 0 && fabs(best[i - 1].weight) < fabs(w); i--)
            best[i] = best[i - 1];
        best[i] = (column_weight){k, w};
    }
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(text);
        char number[24];

        kith__print(number, sizeof(number), "column %d", best[i].column + 1);
        kith__print(text + used, sizeof(text) - used, "%s%.60s (%s)",
                    i ? ", " : "", f->names ? f->names[best[i].column] : number,
                    best[i].weight > 0 ? "for" : "against");
    }
    if (n > 0)
        kith__json_string(r->j, NULL, text);
}

static kith_status put_words(const kith__report *r, kith_error *err)
{
    kith_status st = KITH_OK;
    ends e = {{0}, {0}};
    bool guessed = false;
    int32_t *of = NULL;
    int64_t all = 0;

    kith__json_open(r->j, "learnt_words", '[');
    if (r->classes <= HEAT_MOST) {
        TRY_NEW(of, classes_of_all(r, &guessed));
        count_ends(r, of, &e);
        for (int c = 0; c < r->classes; c++)
            all += e.all[c];
        for (int c = 0; c < r->classes; c++)
            if (e.all[c] > 0)
                put_lift(r, &e, c, all);
    }
    put_columns(r);
    kith__json_close(r->j, ']');
out:
    kith__free(of);
    return st;
}

kith_status kith__put_learnt(const kith__report *r, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(put_words(r, err));
    TRY(put_coupling(r, err));
    TRY(put_weights(r, err));
out:
    return st;
}
