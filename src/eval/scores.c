/*
 * scores.c: how good predicted probabilities are.  docs/scores.md has the
 * definitions with an example.
 *
 *   N  scored nodes, each with true class y and probabilities p_0 .. p_{C-1}
 *   t  the most probable class, the smallest such number
 *
 *     accuracy   share of t = y
 *     macro-F1   mean over classes c that some y or t is of
 *                    F_c = 2 |t = y = c| / (|y = c| + |t = c|)
 *     log-loss   mean of -log max(p_y, 1e-15)
 *     ECE        sum over bins b of |b|/N |accuracy in b - mean p_t in b|,
 *                b = floor(15 p_t), p_t = 1 in the last
 *     AUC_c      share of pairs (u of class c, v not) with p_c(u) > p_c(v),
 *                half a pair if they are equal
 *     AP_c       sum over thresholds s, the distinct p_c, of
 *                    |y = c, p_c = s| / |y = c|  x  precision of p_c >= s
 *     best F1_c  largest over s of  2 |y = c, p_c >= s| / (|y = c| + |p_c >=
 * s|)
 *
 * Choices: AUC and AP are made of integer counts over nodes sorted by p_c, so
 * that they are the same to the last bit in whatever order nodes come.  A
 * probability is not negative, so its bits sort as it does.
 */
#include "eval/scores.h"

#include <math.h>

#include "core/alloc.h"
#include "core/sort.h"

enum { BINS = 15 };

/* A centred belief or NaN would be scored without complaint, but mean
 * nothing; sums that were rounded up are let through. */
static kith_status check_row(const float *row, int32_t classes, int32_t node,
                             kith_error *err)
{
    for (int32_t c = 0; c < classes; c++)
        if (!(row[c] >= 0 && row[c] <= 1.0001f))
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "node %d has %g for class %d, expected a "
                              "probability from 0 to 1",
                              (int)node, (double)row[c], (int)c);
    return KITH_OK;
}

kith_status kith__sample_take(const float *probabilities,
                              const kith_labels *labels, const int32_t *nodes,
                              int32_t n_nodes, kith__sample *s, kith_error *err)
{
    kith_status st = KITH_OK;

    *s = (kith__sample){.probabilities = probabilities,
                        .of = labels->of,
                        .classes = labels->classes};
    TRY_NEW(s->node, kith__alloc(n_nodes, sizeof(*s->node)));
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t v = nodes[i];

        if (v < 0 || v >= labels->nodes)
            TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                           "node %d to score, expected one of %d nodes", (int)v,
                           (int)labels->nodes));
        if (labels->of[v] < 0)
            continue;
        s->node[s->n++] = v;
        TRY(check_row(kith__sample_row(s, s->n - 1), s->classes, v, err));
    }
out:
    return st; /* the caller releases what there is */
}

void kith__sample_release(kith__sample *s)
{
    kith__free(s->node);
    *s = (kith__sample){0};
}

/* ---- of the predicted class ---------------------------------------------- */

int32_t kith__top_class(const float *row, int32_t classes)
{
    int32_t top = 0;

    for (int32_t c = 1; c < classes; c++)
        if (row[c] > row[top])
            top = c;
    return top;
}

static void count_classes(const kith__sample *s, kith__tally *of_class)
{
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t y = s->of[s->node[i]];
        const int32_t top = kith__top_class(kith__sample_row(s, i), s->classes);

        of_class[y].is++;
        of_class[top].said++;
        of_class[y].hit += y == top;
    }
}

double kith__macro_f1(const kith__tally *of_class, int32_t classes)
{
    int32_t seen = 0;
    double f1 = 0;

    for (int32_t c = 0; c < classes; c++) {
        const kith__tally *t = &of_class[c];
        const double either = (double)t->is + t->said;

        if (either > 0) {
            f1 += 2 * t->hit / either;
            seen++;
        }
    }
    return f1 / seen;
}

static double accuracy(const kith__sample *s, const kith__tally *of_class)
{
    int32_t hits = 0;

    for (int32_t c = 0; c < s->classes; c++)
        hits += of_class[c].hit;
    return (double)hits / s->n;
}

/* ---- of the probabilities ------------------------------------------------ */

double kith__surprise(const kith__sample *s, int32_t i)
{
    const double p = kith__sample_row(s, i)[s->of[s->node[i]]];

    return -log(fmin(fmax(p, 1e-15), 1));
}

static double log_loss(const kith__sample *s)
{
    double sum = 0;

    for (int32_t i = 0; i < s->n; i++)
        sum += kith__surprise(s, i);
    return sum / s->n;
}

/* |b|/N |accuracy - confidence| is |hits - sum of p_t| / N.  No float but 0 and
 * 1 is a multiple of 1/15, so it does not matter whose an edge is. */
static double calibration_error(const kith__sample *s)
{
    double gap[BINS] = {0}, sum = 0;

    for (int32_t i = 0; i < s->n; i++) {
        const float *row = kith__sample_row(s, i);
        const int32_t top = kith__top_class(row, s->classes);
        const double p = fmin(row[top], 1);
        const int bin = p < 1 ? (int)(p * BINS) : BINS - 1;

        gap[bin] += (top == s->of[s->node[i]]) - p;
    }
    for (int b = 0; b < BINS; b++)
        sum += fabs(gap[b]);
    return sum / s->n;
}

/* ---- of the order -------------------------------------------------------- */

uint32_t kith__order_of(float p)
{
    uint32_t bits;

    memcpy(&bits, &p, sizeof(bits));
    return p > 0 ? bits : 0; /* -0 is 0 */
}

/* Sort the nodes by p_c, ascending, the low bit telling those of class c. */
static void sort_for_class(const kith__sample *s, int32_t c, uint64_t *key,
                           uint64_t *scratch)
{
    for (int32_t i = 0; i < s->n; i++)
        key[i] = (uint64_t)kith__order_of(kith__sample_row(s, i)[c]) << 1 |
                 (s->of[s->node[i]] == c);
    kith__radix_sort_u64(key, scratch, s->n, KITH__ORDER_BITS + 1);
}

/*
 * From the highest threshold down; `in` are nodes of the class and `off` the
 * others, at or above the threshold.  Twice the AUC's pairs are at most 2^61.
 */
kith__order kith__score_order(const uint64_t *key, int32_t n, const int32_t *at,
                              const int32_t *times, int64_t n_in, int64_t n_off)
{
    int64_t in = 0, off = 0, pairs = 0; /* pairs counted twice */
    kith__order o = {0};

    for (int32_t i = n - 1; i >= 0;) {
        const uint64_t threshold = key[i] >> 1;
        const int64_t in_above = in, off_above = off;

        for (; i >= 0 && key[i] >> 1 == threshold; i--) {
            const int64_t count = times ? times[at[i]] : 1;

            in += (key[i] & 1) ? count : 0;
            off += (key[i] & 1) ? 0 : count;
        }
        pairs += (in - in_above) * (2 * n_off - off - off_above);
        if (in > in_above)
            o.precision += (double)(in - in_above) * (double)in /
                           ((double)n_in * (double)(in + off));
        o.best_f1 = fmax(o.best_f1,
                         2.0 * (double)in / (double)(n_in + in + off));
    }
    o.auc = (double)pairs / (2.0 * (double)n_in * (double)n_off);
    return o;
}

kith_status kith__find_positive(const kith_labels *labels, int32_t *positive,
                                kith_error *err)
{
    if (*positive < KITH_POSITIVE_AUTO || *positive >= labels->classes)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "class %d to look for, expected one of %d classes",
                          (int)*positive, (int)labels->classes);
    if (*positive != KITH_POSITIVE_AUTO || labels->classes != 2)
        return KITH_OK;
    return kith_labels_rarest(labels, positive, err);
}

/* Of the class that is looked for, or with -1 the mean over all. */
static kith_status score_orders(const kith__sample *s, int32_t positive,
                                const kith__tally *of_class, kith_scores *out,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    uint64_t *key = NULL, *scratch = NULL;
    kith__order sum = {0};
    int32_t counted = 0;

    TRY_NEW(key, kith__alloc(s->n, sizeof(*key)));
    TRY_NEW(scratch, kith__alloc(s->n, sizeof(*scratch)));
    for (int32_t c = 0; c < s->classes; c++) {
        kith__order o;

        if (of_class[c].is == 0 || of_class[c].is == s->n ||
            (positive >= 0 && c != positive))
            continue;
        sort_for_class(s, c, key, scratch);
        o = kith__score_order(key, s->n, NULL, NULL, of_class[c].is,
                              s->n - of_class[c].is);
        sum.auc += o.auc;
        sum.precision += o.precision;
        sum.best_f1 += o.best_f1;
        counted++;
    }
    out->auc = counted ? sum.auc / counted : NAN;
    out->average_precision = counted ? sum.precision / counted : NAN;
    out->best_f1 = counted ? sum.best_f1 / counted : NAN;
out:
    kith__free(key);
    kith__free(scratch);
    return st;
}

/* ---- calls --------------------------------------------------------------- */

kith_status kith_score(const float *probabilities, const kith_labels *labels,
                       const int32_t *nodes, int32_t n_nodes, int32_t positive,
                       kith_scores *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__tally *of_class = NULL;
    kith__sample s = {0};

    *out = (kith_scores){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    TRY(kith__find_positive(labels, &positive, err));
    TRY(kith__sample_take(probabilities, labels, nodes, n_nodes, &s, err));
    if (s.n == 0)
        goto out;
    TRY_NEW(of_class, kith__alloc_zeroed(s.classes, sizeof(*of_class)));
    count_classes(&s, of_class);
    TRY(score_orders(&s, positive, of_class, out, err));
    out->accuracy = accuracy(&s, of_class);
    out->macro_f1 = kith__macro_f1(of_class, s.classes);
    out->log_loss = log_loss(&s);
    out->ece = calibration_error(&s);
    out->nodes = s.n;
out:
    kith__free(of_class);
    kith__sample_release(&s);
    return st;
}

/* The best come first if what is left to certainty is sorted, and of equals
 * the smaller node. */
kith_status kith_precision_at(const float *probabilities,
                              const kith_labels *labels, const int32_t *nodes,
                              int32_t n_nodes, int32_t c, int32_t k,
                              double *precision, double *recall,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    uint64_t *key = NULL;
    kith__sample s = {0};
    int32_t hits = 0, all = 0;

    *precision = NAN;
    if (recall)
        *recall = NAN;
    if (c < 0 || c >= labels->classes || k < 1)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "class %d and %d nodes, expected a class below %d and "
                       "1 node or more",
                       (int)c, (int)k, (int)labels->classes));
    TRY(kith__sample_take(probabilities, labels, nodes, n_nodes, &s, err));
    TRY_NEW(key, kith__alloc(s.n, sizeof(*key)));
    for (int32_t i = 0; i < s.n; i++) {
        key[i] = (uint64_t)~kith__order_of(kith__sample_row(&s, i)[c]) << 32 |
                 (uint32_t)s.node[i];
        all += labels->of[s.node[i]] == c;
    }
    kith__sort_u64(key, s.n);
    if (k > s.n)
        k = s.n;
    for (int32_t i = 0; i < k; i++)
        hits += labels->of[key[i] & UINT32_MAX] == c;
    if (k > 0)
        *precision = (double)hits / k;
    if (recall && all > 0)
        *recall = (double)hits / all;
out:
    kith__free(key);
    kith__sample_release(&s);
    return st;
}
