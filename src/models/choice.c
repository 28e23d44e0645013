#include "models/choice.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "graph/draw.h"
#include "kernels/softmax.h"

enum { GROUPS_MOST = 1024 };

static const double LEAST_P = 1e-15; /* as kith_score() has it */

kith_status kith__judge_new(const kith_graph *g, kith_optimise measure,
                            int classes, const kith__labelled_nodes *at,
                            kith__judge *out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__judge){measure, classes, at, NULL, at->n};
    if (at->n <= GROUPS_MOST)
        return KITH_OK;
    out->groups = GROUPS_MOST;
    TRY_NEW(out->group, kith__alloc(at->n, sizeof(*out->group)));
    for (int32_t i = 0; i < at->n; i++)
        out->group[i] = (int32_t)(kith__node_key(g, at->node[i]) % GROUPS_MOST);
out:
    return st;
}

void kith__judge_release(kith__judge *j)
{
    kith__free(j->group);
    *j = (kith__judge){0};
}

/* ---- what a node is worth ------------------------------------------------ */

/* Of the judge's nodes. */
typedef struct keyed {
    double key;
    int32_t at;
} keyed;

typedef struct rows {
    double *log_p; /* n x classes */
    double *worth; /* n */
    int32_t *top;  /* n: the likeliest class */
    keyed *order;  /* n: room for sorting */
} rows;

static int32_t top_of(const double *row, int classes)
{
    int32_t top = 0;

    for (int c = 1; c < classes; c++)
        if (row[c] > row[top])
            top = c;
    return top;
}

static void by_macro_f1(const kith__judge *j, const rows *r)
{
    const kith__labelled_nodes *at = j->at;
    int32_t seen = 0;

    for (int c = 0; c < j->classes; c++) {
        double is = 0, said = 0, hit = 0, f1;

        for (int32_t i = 0; i < at->n; i++) {
            is += at->truth[i] == c;
            said += r->top[i] == c;
            hit += at->truth[i] == c && r->top[i] == c;
        }
        if (is + said == 0)
            continue;
        f1 = 2 * hit / (is + said);
        seen++;
        for (int32_t i = 0; i < at->n; i++) {
            const int own = at->truth[i] == c, says = r->top[i] == c;

            r->worth[i] += f1 + at->n *
                                    (2 * (own && says) - f1 * (own + says)) /
                                    (is + said);
        }
    }
    for (int32_t i = 0; i < at->n; i++)
        r->worth[i] /= seen;
}

static int falling(const void *a, const void *b)
{
    const keyed *x = a, *y = b;

    return (x->key < y->key) - (x->key > y->key);
}

/* The end of the group of equals that begins at i. */
static int32_t end_of(const keyed *order, int32_t n, int32_t i)
{
    int32_t end = i;

    while (end < n && order[end].key == order[i].key)
        end++;
    return end;
}

/* AUC of class c, of which there are `in` nodes and `off` others: each one's
 * share of pairs that are in order, V, and influence n/in (V - AUC). */
static void add_auc(const kith__judge *j, const rows *r, int c, double in,
                    double off)
{
    const kith__labelled_nodes *at = j->at;
    const int32_t n = at->n;
    double in_above = 0, pairs = 0, auc;

    for (int pass = 0; pass < 2; pass++) {
        auc = pairs / (in * off);
        in_above = 0;
        for (int32_t i = 0, end; i < n; i = end) {
            double equal_in = 0, in_order[2];

            end = end_of(r->order, n, i);
            for (int32_t k = i; k < end; k++)
                equal_in += at->truth[r->order[k].at] == c;
            in_order[0] = in_above + equal_in / 2; /* of one that is not */
            in_order[1] = off - (i - in_above) - (end - i - equal_in) / 2;
            for (int32_t k = i; k < end; k++) {
                const int own = at->truth[r->order[k].at] == c;

                if (pass == 0)
                    pairs += own ? in_order[1] : 0;
                else
                    r->worth[r->order[k].at] +=
                        auc + n / (own ? in : off) *
                                  (in_order[own] / (own ? off : in) - auc);
            }
            in_above += equal_in;
        }
    }
}

/*
 * Average precision of class c.  With N_i nodes no less likely than i and
 * prec_i the share of the class in them, AP = mean of prec_i over the class;
 * node k, y_k = 1 if it is of the class, has the influence
 *
 *     n/in ( y_k (prec_k - AP) + sum_{i of c, p_i <= p_k} (y_k - prec_i) / N_i
 * )
 */
static void add_precision(const kith__judge *j, const rows *r, int c, double in)
{
    const kith__labelled_nodes *at = j->at;
    const int32_t n = at->n;
    double ap = 0, above = 0, once = 0, with = 0;

    for (int32_t i = 0, end; i < n; i = end) {
        double equal = 0;

        end = end_of(r->order, n, i);
        for (int32_t k = i; k < end; k++)
            equal += at->truth[r->order[k].at] == c;
        above += equal;
        ap += equal * above / end / in;
    }
    for (int32_t end = n, i; end > 0; end = i) { /* from the least likely */
        double equal = 0;

        for (i = end - 1; i > 0 && r->order[i - 1].key == r->order[i].key; i--)
            ;
        for (int32_t k = i; k < end; k++)
            equal += at->truth[r->order[k].at] == c;
        once += equal / end;
        with += equal * above / end / end;
        for (int32_t k = i; k < end; k++) {
            const int own = at->truth[r->order[k].at] == c;

            r->worth[r->order[k].at] +=
                ap + n / in * (own * (above / end - ap + once) - with);
        }
        above -= equal;
    }
}

/* AUC or average precision, as kith_score() has them: mean over the classes
 * that some and not all nodes are of, of two classes the rarer. */
static void by_order(const kith__judge *j, const rows *r)
{
    const kith__labelled_nodes *at = j->at;
    int32_t counted = 0, second = 0;

    for (int32_t i = 0; i < at->n; i++)
        second += at->truth[i] == 1;
    for (int c = 0; c < j->classes; c++) {
        int32_t in = 0;

        if (j->classes == 2 && c != (second <= at->n - second))
            continue;
        for (int32_t i = 0; i < at->n; i++) {
            in += at->truth[i] == c;
            r->order[i] = (keyed){r->log_p[(int64_t)i * j->classes + c], i};
        }
        if (in == 0 || in == at->n)
            continue;
        counted++;
        qsort(r->order, (size_t)at->n, sizeof(*r->order), falling);
        if (j->measure == KITH_OPTIMISE_AUC)
            add_auc(j, r, c, in, at->n - in);
        else
            add_precision(j, r, c, in);
    }
    for (int32_t i = 0; i < at->n && counted > 1; i++)
        r->worth[i] /= counted;
}

static kith_status rows_new(const kith__judge *j, rows *r, kith_error *err)
{
    const int32_t n = j->at->n;
    kith_status st = KITH_OK;

    TRY_NEW(r->log_p, kith__alloc((int64_t)n * j->classes, sizeof(double)));
    TRY_NEW(r->worth, kith__alloc_zeroed(n, sizeof(*r->worth)));
    TRY_NEW(r->top, kith__alloc(n, sizeof(*r->top)));
    TRY_NEW(r->order, kith__alloc(n, sizeof(*r->order)));
out:
    return st;
}

static void rows_release(rows *r)
{
    kith__free(r->log_p);
    kith__free(r->worth);
    kith__free(r->top);
    kith__free(r->order);
}

/* From log_p to worth, by groups. */
static void judge_rows(const kith__judge *j, const rows *r, double *worth)
{
    const kith__labelled_nodes *at = j->at;

    for (int32_t i = 0; i < at->n; i++) {
        const double *row = r->log_p + (int64_t)i * j->classes;

        r->top[i] = top_of(row, j->classes);
        if (j->measure == KITH_OPTIMISE_LOG_LOSS)
            r->worth[i] = fmax(row[at->truth[i]], log(LEAST_P));
        else if (j->measure == KITH_OPTIMISE_ACCURACY)
            r->worth[i] = r->top[i] == at->truth[i];
    }
    if (j->measure == KITH_OPTIMISE_MACRO_F1)
        by_macro_f1(j, r);
    else if (j->measure == KITH_OPTIMISE_AUC || j->measure == KITH_OPTIMISE_AP)
        by_order(j, r);
    for (int32_t g = 0; g < j->groups; g++)
        worth[g] = 0;
    for (int32_t i = 0; i < at->n; i++)
        worth[j->group ? j->group[i] : i] += r->worth[i];
}

kith_status kith__judge_beliefs(const kith__judge *j, const float *P,
                                kith__valued *out, kith_error *err)
{
    const kith__labelled_nodes *at = j->at;
    const double T = kith__fit_temperature(P, j->classes, at);
    kith_status st = KITH_OK;
    rows r = {0};

    out->score = (kith__score){kith__accuracy(P, j->classes, at),
                               kith__log_loss(P, j->classes, at, T)};
    if (!out->worth)
        return KITH_OK;
    TRY(rows_new(j, &r, err));
    for (int32_t i = 0; i < at->n; i++) {
        const float *p = P + (int64_t)at->node[i] * j->classes;
        const double sum = kith__log_sum_exp(p, j->classes, T);

        for (int c = 0; c < j->classes; c++)
            r.log_p[(int64_t)i * j->classes + c] = (double)p[c] / T - sum;
    }
    judge_rows(j, &r, out->worth);
out:
    rows_release(&r);
    return st;
}

kith_status kith__judge_probabilities(const kith__judge *j, const float *p,
                                      double *worth, kith_error *err)
{
    const kith__labelled_nodes *at = j->at;
    kith_status st = KITH_OK;
    rows r = {0};

    TRY(rows_new(j, &r, err));
    for (int32_t i = 0; i < at->n; i++)
        for (int c = 0; c < j->classes; c++)
            r.log_p[(int64_t)i * j->classes + c] =
                log((double)p[(int64_t)at->node[i] * j->classes + c]);
    judge_rows(j, &r, worth);
out:
    rows_release(&r);
    return st;
}

/* ---- which is better ----------------------------------------------------- */

double kith__worth_mean(const kith__judge *j, const double *worth)
{
    double sum = 0;

    for (int32_t g = 0; g < j->groups; g++)
        sum += worth[g];
    return j->at->n ? sum / j->at->n : 0;
}

/* Sums over groups vary as those of their nodes do. */
bool kith__beats(const kith__judge *j, const double *b, const double *a)
{
    const int32_t n = j->groups;
    double sum = 0, squares = 0;

    for (int32_t g = 0; g < n; g++)
        sum += b[g] - a[g];
    for (int32_t g = 0; g < n; g++) {
        const double off = b[g] - a[g] - sum / n;

        squares += off * off;
    }
    return n > 1 && sum > 0 && sum * sum > squares * n / (n - 1);
}

int kith__choose(const kith__judge *j, const kith__valued *of, int n, int usual)
{
    int best = usual;

    for (int i = 0; i < n; i++) {
        const double more = kith__worth_mean(j, of[i].worth) -
                            kith__worth_mean(j, of[best].worth);

        if (i != usual && kith__beats(j, of[i].worth, of[usual].worth) &&
            (more > 0 ||
             (more == 0 && of[i].score.log_loss < of[best].score.log_loss)))
            best = i;
    }
    return best;
}
