#include "report/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

enum {
    CURVE_POINTS = 160,
    CURVES_MOST = 8,
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

/* ---- curves -------------------------------------------------------------- */

typedef struct scored {
    float p;
    bool positive;
} scored;

static int falling(const void *a, const void *b)
{
    const float x = ((const scored *)a)->p, y = ((const scored *)b)->p;

    return (x < y) - (x > y);
}

static void put_point(kith__json *j, double positives, double negatives,
                      double hits, double misses)
{
    kith__json_open(j, NULL, '[');
    kith__json_number(j, NULL, misses / negatives);
    kith__json_number(j, NULL, hits / positives);
    kith__json_number(j, NULL, hits + misses > 0 ? hits / (hits + misses) : 1);
    kith__json_close(j, ']');
}

/* [false positive rate, recall, precision] along the list, thinned. */
static void put_curve(kith__json *j, const scored *s, int32_t n,
                      int32_t positives)
{
    const double P = positives, N = n - positives;
    const double gap = 1.0 / CURVE_POINTS;
    double hits = 0, misses = 0, area = 0, seen_x = 0, seen_y = 0, last = -1;
    double old_hits = 0, old_misses = 0, precision = 0;

    kith__json_open(j, "points", '[');
    for (int32_t i = 0; i < n; i++) {
        hits += s[i].positive;
        misses += !s[i].positive;
        if (i + 1 < n && s[i + 1].p == s[i].p)
            continue;
        area += (misses - old_misses) * (hits + old_hits) / (2 * P * N);
        precision += (hits - old_hits) / P * hits / (hits + misses);
        old_hits = hits;
        old_misses = misses;
        if (last < 0 || i + 1 == n || misses / N - seen_x > gap ||
            hits / P - seen_y > gap) {
            put_point(j, P, N, hits, misses);
            seen_x = misses / N;
            seen_y = hits / P;
            last = i;
        }
    }
    kith__json_close(j, ']');
    kith__json_number(j, "auc", area);
    kith__json_number(j, "average_precision", precision);
}

/* One curve for each class that has some but not all of the nodes; of many the
 * largest, and how many there would be. */
static kith_status put_curves(kith__json *j, const kith__judged *at,
                              const int64_t *count, kith_error *err)
{
    kith_status st = KITH_OK;
    bool *chosen = NULL;
    scored *s = NULL;
    int possible = 0;

    TRY_NEW(s, kith__alloc(at->n, sizeof(*s)));
    TRY_NEW(chosen, kith__alloc_zeroed(at->classes, sizeof(*chosen)));
    mark_largest(count, at->classes, CURVES_MOST, chosen);
    kith__json_open(j, "curves", '[');
    /* of two classes the second says it all */
    for (int c = at->classes == 2; c < at->classes; c++) {
        if (count[c] == 0 || count[c] == at->n)
            continue;
        possible++;
        if (!chosen[c])
            continue;
        for (int32_t i = 0; i < at->n; i++)
            s[i] = (scored){row_of(at, i)[c], at->labels->of[at->node[i]] == c};
        qsort(s, (size_t)at->n, sizeof(*s), falling);
        kith__json_open(j, NULL, '{');
        kith__json_number(j, "class", c);
        put_curve(j, s, at->n, (int32_t)count[c]);
        kith__json_close(j, '}');
    }
    kith__json_close(j, ']');
    kith__json_number(j, "curves_possible", possible);
out:
    kith__free(chosen);
    kith__free(s);
    return st;
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

static void put_scores(kith__json *j, const kith_scores *s)
{
    kith__json_number(j, "nodes", s->nodes);
    kith__json_number(j, "accuracy", s->accuracy);
    kith__json_number(j, "macro_f1", s->macro_f1);
    kith__json_number(j, "auc", s->auc);
    kith__json_number(j, "average_precision", s->average_precision);
    kith__json_number(j, "log_loss", s->log_loss);
    kith__json_number(j, "ece", s->ece);
}

kith_status kith__put_measures(kith__json *j, const kith__judged *at,
                               const char *what, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t *count = NULL;
    kith_scores scores;

    TRY(kith_score(at->p, at->labels, at->node, at->n, &scores, err));
    TRY_NEW(count, kith__alloc_zeroed(at->classes, sizeof(*count)));
    for (int32_t i = 0; i < at->n; i++)
        count[at->labels->of[at->node[i]]]++;
    kith__json_open(j, "judged", '{');
    kith__json_string(j, "what", what ? what : "all others that have a label");
    put_scores(j, &scores);
    TRY(put_confusion(j, at, count, err));
    TRY(put_curves(j, at, count, err));
    put_reliability(j, at);
    kith__json_close(j, '}');
out:
    kith__free(count);
    return st;
}
