/*
 * intervals.c: how far scores on some nodes can be off, at 95 %.
 *
 * A share, k of n (Wilson, 1927), with p = k/n and z = 1.96:
 *
 *     ( p + z^2/2n  -+  z sqrt( p (1 - p)/n + z^2/4n^2 ) ) / (1 + z^2/n)
 *
 * which 1 of 1 leaves at .21 to 1, where a bootstrap would say 1 to 1.
 *
 * AUC, average precision, macro-F1: a bootstrap within classes.  A replicate
 * draws of each class as many of its nodes as there are, with replacement;
 * the interval is from the 2.5th to the 97.5th of 100 of what the replicates
 * score.  Within classes, so that every replicate has all of them: a class of
 * three nodes would be missing in one of 20.  Log-loss: the same, but of all
 * nodes whatever their class, since it is a mean over nodes.
 *
 * What is drawn from a handful of nodes hardly varies, and from a class that
 * is ranked perfectly not at all.  The variance of an AUC a is at most
 * a (1 - a)/min(n_in, n_off) (Birnbaum and Klose, 1957), that of a share of
 * the rarer kind.  So the mean over K classes c, n_c = min(n_in, n_off), varies
 * as a share of
 *
 *     e = K^2 / sum_c 1/n_c
 *
 * nodes would, or less; and where some n_c < 10, or all replicates agree,
 * Wilson's interval of share a in e is joined to the bootstrap's.  For the
 * average precision and F1 (n_c nodes of class c) too, as a rule of thumb.
 *
 * Choices: nodes are put in an order of their ids' hashes before drawing, and a
 * replicate draws by its number, so that the answer hangs neither on the order
 * of lines, nor on how a graph numbers its nodes, nor on threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/rng.h"
#include "eval/scores.h"
#include "graph/draw.h"

enum { MANY = 999, SOME = 199, FEW = 10, STREAM = 23 };

/* Above so many nodes x classes, SOME replicates. */
static const double MUCH = 5e5;

kith_interval kith_share_interval(double hits, double of)
{
    const double z = 1.959963984540054, p = of > 0 ? hits / of : 0;
    const double middle = p + z * z / (2 * of);
    const double half = z * sqrt(p * (1 - p) / of + z * z / (4 * of * of));

    if (!(of > 0))
        return (kith_interval){0, 1};
    return (kith_interval){fmax(0, (middle - half) / (1 + z * z / of)),
                           fmin(1, (middle + half) / (1 + z * z / of))};
}

/* What is drawn from. */
typedef struct source {
    kith__sample s;  /* in the order of their hashes */
    int32_t *start;  /* classes + 1: where a class begins in member */
    int32_t *member; /* places in s.node, by class */
    int32_t *top;    /* the predicted class of each */
    double *loss;    /* of each */
    uint64_t *key;   /* of the class that is looked at, as
                        kith__score_order() wants it */
    int32_t *at;     /* whose key it is */
    int32_t *times;  /* threads x n */
    uint64_t seed;
    int threads, replicates;
} source;

/* What the replicates score. */
typedef struct drawn_scores {
    double *f1, *auc, *precision, *loss;
} drawn_scores;

static int32_t is_of(const source *b, int32_t c)
{
    return b->start[c + 1] - b->start[c];
}

static int32_t class_at(const source *b, int32_t i)
{
    return b->s.of[b->s.node[i]];
}

static kith_status source_fill(source *b, const kith_graph *graph,
                               kith_error *err)
{
    const int32_t n = b->s.n, classes = b->s.classes;
    kith_status st = KITH_OK;

    TRY(kith__draw_order(graph, b->seed, STREAM, b->s.node, n, err));
    TRY_NEW(b->start,
            kith__alloc_zeroed((int64_t)classes + 2, sizeof(*b->start)));
    TRY_NEW(b->member, kith__alloc(n, sizeof(*b->member)));
    TRY_NEW(b->top, kith__alloc(n, sizeof(*b->top)));
    TRY_NEW(b->loss, kith__alloc(n, sizeof(*b->loss)));
    TRY_NEW(b->key, kith__alloc(n, sizeof(*b->key)));
    TRY_NEW(b->at, kith__alloc(n, sizeof(*b->at)));
    TRY_NEW(b->times, kith__alloc((int64_t)b->threads * n, sizeof(*b->times)));
    for (int32_t i = 0; i < n; i++) {
        b->start[class_at(b, i) + 2]++;
        b->top[i] = kith__top_class(kith__sample_row(&b->s, i), classes);
        b->loss[i] = kith__surprise(&b->s, i);
    }
    for (int32_t c = 0; c < classes; c++)
        b->start[c + 2] += b->start[c + 1];
    for (int32_t i = 0; i < n; i++) /* start[c + 1] becomes where c ends */
        b->member[b->start[class_at(b, i) + 1]++] = i;
out:
    return st;
}

static void source_release(source *b)
{
    kith__sample_release(&b->s);
    kith__free(b->start);
    kith__free(b->member);
    kith__free(b->top);
    kith__free(b->loss);
    kith__free(b->key);
    kith__free(b->at);
    kith__free(b->times);
}

/* How often the r-th replicate has each node. */
static int32_t *draw(const source *b, int r)
{
    kith__rng rng = kith__rng_start(b->seed, STREAM + 1 + 2 * (uint64_t)r);
    int32_t *times = b->times + (int64_t)kith__thread_number() * b->s.n;

    memset(times, 0, (size_t)b->s.n * sizeof(*times));
    for (int32_t c = 0; c < b->s.classes; c++)
        for (int32_t i = 0; i < is_of(b, c); i++)
            times[b->member[b->start[c] + (int32_t)kith__rng_below(
                                              &rng, (uint64_t)is_of(b, c))]]++;
    return times;
}

static double drawn_loss(const source *b, int r)
{
    kith__rng rng = kith__rng_start(b->seed, STREAM + 2 + 2 * (uint64_t)r);
    double sum = 0;

    for (int32_t i = 0; i < b->s.n; i++)
        sum += b->loss[kith__rng_below(&rng, (uint64_t)b->s.n)];
    return sum / b->s.n;
}

/* Macro-F1 and log-loss of every replicate; a tally for each thread. */
static kith_status draw_all(const source *b, const drawn_scores *out,
                            kith_error *err)
{
    const int32_t classes = b->s.classes;
    kith__tally *tally = NULL;
    kith_status st = KITH_OK;

    TRY_NEW(tally, kith__alloc((int64_t)b->threads * classes, sizeof(*tally)));
#pragma omp parallel for num_threads(b->threads) schedule(static)
    for (int r = 0; r < b->replicates; r++) {
        kith__tally *t = tally + (int64_t)kith__thread_number() * classes;
        const int32_t *times = draw(b, r);

        memset(t, 0, (size_t)classes * sizeof(*t));
        for (int32_t i = 0; i < b->s.n; i++) {
            const int32_t y = class_at(b, i);

            t[y].is += times[i];
            t[b->top[i]].said += times[i];
            t[y].hit += b->top[i] == y ? times[i] : 0;
        }
        out->f1[r] = kith__macro_f1(t, classes);
        out->loss[r] = drawn_loss(b, r);
    }
out:
    kith__free(tally);
    return st;
}

/* The nodes by p_c, as kith__score_order() wants them. */
static void sort_for_class(const source *b, int32_t c)
{
    for (int32_t i = 0; i < b->s.n; i++)
        b->key[i] = (uint64_t)kith__order_of(kith__sample_row(&b->s, i)[c])
                        << 33 |
                    (uint64_t)(class_at(b, i) == c) << 32 | (uint32_t)i;
    kith__sort_u64(b->key, b->s.n);
    for (int32_t i = 0; i < b->s.n; i++) {
        b->at[i] = (int32_t)(uint32_t)b->key[i];
        b->key[i] >>= 32;
    }
}

/* Add class c's AUC and average precision to those of every replicate. */
static void draw_orders(const source *b, int32_t c, const drawn_scores *out)
{
    const int32_t in = is_of(b, c);

    sort_for_class(b, c);
#pragma omp parallel for num_threads(b->threads) schedule(static)
    for (int r = 0; r < b->replicates; r++) {
        const kith__order o = kith__score_order(b->key, b->s.n, b->at,
                                                draw(b, r), in, b->s.n - in);

        out->auc[r] += o.auc;
        out->precision[r] += o.precision;
    }
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* From the 2.5th to the 97.5th of 100, around x; `count` are 40 k - 1. */
static kith_interval percentiles(double *drawn, int count, double x)
{
    const int low = (count + 1) / 40 - 1;

    qsort(drawn, (size_t)count, sizeof(*drawn), rising);
    return (kith_interval){fmin(drawn[low], x),
                           fmax(drawn[count - 1 - low], x)};
}

/* Of the classes that a score is a mean over. */
typedef struct rarity {
    int classes;
    int32_t least;  /* smallest n_c */
    double inverse; /* sum of 1/n_c */
} rarity;

static void count_class(rarity *r, int32_t n_c)
{
    r->least = r->classes == 0 || n_c < r->least ? n_c : r->least;
    r->inverse += 1.0 / n_c;
    r->classes++;
}

/* The same, with a share's of as many nodes where these are too few to draw. */
static kith_interval of_share(double *drawn, int count, double x,
                              const rarity *r)
{
    kith_interval i = percentiles(drawn, count, x);

    if (r->least < FEW || i.high - i.low < 1e-9) {
        const double e = (double)r->classes * r->classes / r->inverse;
        const kith_interval wilson = kith_share_interval(x * e, e);

        i.low = fmin(i.low, wilson.low);
        i.high = fmax(i.high, wilson.high);
    }
    return i;
}

static kith_status intervals_of(const source *b, int32_t positive,
                                const kith_scores *s, const kith_job *job,
                                const drawn_scores *out, kith_intervals *to,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    const int32_t n = b->s.n, classes = b->s.classes;
    rarity all = {0}, ranked = {0};

    TRY(draw_all(b, out, err));
    for (int32_t c = 0; c < classes; c++) {
        const int32_t in = is_of(b, c);

        if (in > 0)
            count_class(&all, in);
        if (in == 0 || in == n || (positive >= 0 && c != positive))
            continue;
        count_class(&ranked, in < n - in ? in : n - in);
        draw_orders(b, c, out);
        TRY(kith__progress(job, "intervals", c + 1, classes, "classes", err));
    }
    to->accuracy = kith_share_interval(round(s->accuracy * n), n);
    to->macro_f1 = of_share(out->f1, b->replicates, s->macro_f1, &all);
    if (n > 1)
        to->log_loss = percentiles(out->loss, b->replicates, s->log_loss);
    if (ranked.classes == 0)
        goto out;
    for (int r = 0; r < b->replicates; r++) {
        out->auc[r] /= ranked.classes;
        out->precision[r] /= ranked.classes;
    }
    to->auc = of_share(out->auc, b->replicates, s->auc, &ranked);
    to->average_precision = of_share(out->precision, b->replicates,
                                     s->average_precision, &ranked);
out:
    return st;
}

kith_status
kith_score_intervals(const kith_graph *graph, const float *probabilities,
                     const kith_labels *labels, const int32_t *nodes,
                     int32_t n_nodes, int32_t positive, uint64_t seed,
                     const kith_job *job, kith_intervals *out, kith_error *err)
{
    const kith_interval unknown = {(double)NAN, (double)NAN};
    source b = {.seed = seed, .threads = kith__threads(job)};
    drawn_scores drawn = {0};
    kith_status st = KITH_OK;
    kith_scores s;

    *out = (kith_intervals){unknown, unknown, unknown, unknown, unknown};
    TRY(kith__find_positive(labels, &positive, err));
    TRY(kith__sample_take(probabilities, labels, nodes, n_nodes, &b.s, err));
    if (b.s.n == 0)
        goto out;
    b.replicates = (double)b.s.n * b.s.classes > MUCH ? SOME : MANY;
    TRY(kith_score(probabilities, labels, nodes, n_nodes, positive, &s, err));
    TRY(source_fill(&b, graph, err));
    TRY_NEW(drawn.f1, kith__alloc_zeroed(4 * MANY, sizeof(double)));
    drawn.loss = drawn.f1 + MANY;
    drawn.auc = drawn.loss + MANY;
    drawn.precision = drawn.auc + MANY;
    TRY(intervals_of(&b, positive, &s, job, &drawn, out, err));
out:
    kith__free(drawn.f1);
    source_release(&b);
    return st;
}
