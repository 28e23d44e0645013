#include "report/measures.h"

#include "core/alloc.h"

enum {
    CONFUSION_MOST = 24, /* classes; of more, the largest and the others */
    CONFUSION_SHOWN = 12,
    BINS = 15
};

int kith__likeliest(const float *row, int classes)
{
    int best = 0;

    for (int c = 1; c < classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

static const float *row_of(const kith__judged *at, int32_t i)
{
    return at->p + (int64_t)at->node[i] * at->classes;
}

/* Mark the `most` classes with the largest counts, the first of equals. */
static void mark_largest(const int64_t *count, int classes, int most,
                         bool *chosen)
{
    for (int k = 0; k < most; k++) {
        int best = -1;

        for (int c = 0; c < classes; c++)
            if (!chosen[c] && count[c] > 0 &&
                (best < 0 || count[c] > count[best]))
                best = c;
        if (best < 0)
            return;
        chosen[best] = true;
    }
}

/* ---- counts -------------------------------------------------------------- */

/* The row of each class in the matrix; how many rows there are.  Of many
 * classes the largest have one each, and the others one together. */
static int choose_rows(const kith__judged *at, const int64_t *count,
                       bool *chosen, int *row)
{
    const int C = at->classes;
    int rows = 0;

    mark_largest(count, C, C <= CONFUSION_MOST ? 0 : CONFUSION_SHOWN, chosen);
    for (int c = 0; c < C; c++)
        if (C <= CONFUSION_MOST || chosen[c])
            row[c] = rows++;
    if (rows == C)
        return rows;
    for (int c = 0; c < C; c++)
        if (!chosen[c])
            row[c] = rows;
    return rows + 1;
}

/* "confusion", rows x rows, and "confusion_of", the class of each row: -1 for
 * the others. */
static kith_status put_confusion(kith__json *j, const kith__judged *at,
                                 const int64_t *count, kith_error *err)
{
    const int C = at->classes;
    kith_status st = KITH_OK;
    int64_t cell[(CONFUSION_MOST + 1) * (CONFUSION_MOST + 1)] = {0};
    bool *chosen = NULL;
    int *row = NULL, rows, told = 0;

    TRY_NEW(chosen, kith__alloc_zeroed(C, sizeof(*chosen)));
    TRY_NEW(row, kith__alloc(C, sizeof(*row)));
    rows = choose_rows(at, count, chosen, row);
    for (int32_t i = 0; i < at->n; i++)
        cell[row[at->labels->of[at->node[i]]] * rows +
             row[kith__likeliest(row_of(at, i), C)]]++;
    kith__json_open(j, "confusion", '[');
    for (int i = 0; i < rows * rows; i++)
        kith__json_number(j, NULL, (double)cell[i]);
    kith__json_close(j, ']');
    kith__json_open(j, "confusion_of", '[');
    for (int c = 0; c < C; c++)
        if (row[c] == told && (rows == C || chosen[c])) {
            kith__json_number(j, NULL, c);
            told++;
        }
    if (told < rows)
        kith__json_number(j, NULL, -1);
    kith__json_close(j, ']');
out:
    kith__free(chosen);
    kith__free(row);
    return st;
}

static void put_reliability(kith__json *j, const kith__judged *at)
{
    double n[BINS] = {0}, sum[BINS] = {0}, right[BINS] = {0};

    for (int32_t i = 0; i < at->n; i++) {
        const float *row = row_of(at, i);
        const int best = kith__likeliest(row, at->classes);
        int bin = (int)(row[best] * BINS);

        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        n[bin]++;
        sum[bin] += (double)row[best];
        right[bin] += at->labels->of[at->node[i]] == best;
    }
    kith__json_open(j, "reliability", '[');
    for (int b = 0; b < BINS; b++) {
        if (n[b] == 0)
            continue;
        kith__json_open(j, NULL, '[');
        kith__json_number(j, NULL, sum[b] / n[b]);
        kith__json_number(j, NULL, right[b] / n[b]);
        kith__json_number(j, NULL, n[b]);
        kith__json_close(j, ']');
    }
    kith__json_close(j, ']');
}

/* [value, low, high] */
static void put_score(kith__json *j, const char *name, double x,
                      kith_interval i)
{
    kith__json_open(j, name, '[');
    kith__json_number(j, NULL, x);
    kith__json_number(j, NULL, i.low);
    kith__json_number(j, NULL, i.high);
    kith__json_close(j, ']');
}

static void put_scores(kith__json *j, const kith_scores *s,
                       const kith_intervals *i)
{
    kith__json_number(j, "nodes", s->nodes);
    put_score(j, "accuracy", s->accuracy, i->accuracy);
    put_score(j, "macro_f1", s->macro_f1, i->macro_f1);
    put_score(j, "auc", s->auc, i->auc);
    put_score(j, "average_precision", s->average_precision,
              i->average_precision);
    put_score(j, "log_loss", s->log_loss, i->log_loss);
    kith__json_number(j, "ece", s->ece);
}

kith_status kith__put_measures(kith__json *j, const kith__judged *at,
                               const kith_verdict *v, kith_error *err)
{
    const char *what = v->in.judged_what;
    kith_status st = KITH_OK;
    int64_t *count = NULL;

    TRY_NEW(count, kith__alloc_zeroed(at->classes, sizeof(*count)));
    for (int32_t i = 0; i < at->n; i++)
        count[at->labels->of[at->node[i]]]++;
    kith__json_open(j, "judged", '{');
    kith__json_string(j, "what", what ? what : "all others that have a label");
    put_scores(j, &v->scores, &v->intervals);
    TRY(put_confusion(j, at, count, err));
    put_reliability(j, at);
    kith__json_close(j, '}');
out:
    kith__free(count);
    return st;
}
