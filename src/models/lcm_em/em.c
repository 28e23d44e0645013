/*
 * em.c: potentials from beliefs.
 *
 *     p = softmax(F B + b)                             potentials
 *     P = sum_{k <= hops} h^k S^k Q                    beliefs: LinBP, H = h I
 *         Q = beta (p - 1/C), training rows one-hot
 *     T ~ max(P + 1/C, 1e-4)^g, classes balanced       targets (E-step)
 *     B <- logistic regression on T, unlabelled rows   (M-step)
 *          weighing `unknown` max_c T
 *
 * The start is a B fitted to the training nodes or, where they are few and
 * features rare, the labels alone: Q = 0 but for training nodes.  Beliefs are
 * then tiny far from labels: for targets rows are scaled to sum |P_uc| = 1, and
 * what is shown are fourth roots.
 *
 * A fixed exponent g would suit one graph alone, since beliefs spread
 * differently on each; what is fixed is how confident the targets are on
 * average.  Every M-step starts from the last B and takes STEPS steps: it need
 * not converge, since the targets move.
 *
 * Cost of a round: STEPS products with F and F', `hops` passes over the edges.
 */
#include "models/lcm_em/em.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "graph/draw.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"

enum { STEPS = 10, ENOUGH = 20000 };

static const float FLOOR = 1e-4f;

typedef struct room {
    kith__feature_workspace map;
    float *Z, *Q, *P, *other, *weight;
    int32_t *sample; /* nodes that stand for all in a mean */
    int32_t n_sample;
} room;

static void release(room *r)
{
    kith__feature_workspace_release(&r->map);
    kith__free(r->Z);
    kith__free(r->Q);
    kith__free(r->P);
    kith__free(r->other);
    kith__free(r->weight);
    kith__free(r->sample);
}

/* All nodes, or of many about ENOUGH, by their ids. */
static bool draw_sample(const kith__task *t, room *r)
{
    const uint64_t one_in = 1 + (uint64_t)t->n / ENOUGH;

    r->sample = kith__alloc(t->n, sizeof(*r->sample));
    for (int32_t u = 0; r->sample && u < t->n; u++)
        if (one_in == 1 || kith__node_key(t->graph, u) % one_in == 0)
            r->sample[r->n_sample++] = u;
    return r->sample;
}

static bool make_room(const kith__task *t, const kith__feature_operator *map,
                      room *r)
{
    const int64_t cells = (int64_t)t->n * t->classes;

    if (map &&
        kith__feature_workspace_new(map, t->classes, &r->map, NULL) != KITH_OK)
        return false;
    r->Z = kith__alloc_big(cells, sizeof(float));
    r->Q = kith__alloc_big(cells, sizeof(float));
    r->P = kith__alloc_big(cells, sizeof(float));
    r->other = kith__alloc_big(cells, sizeof(float));
    r->weight = kith__alloc(t->n, sizeof(float));
    return r->Z && r->Q && r->P && r->other && r->weight && draw_sample(t, r);
}

/* ---- E-step -------------------------------------------------------------- */

static void clamp_train(const kith__task *t, float low, float high, float *X)
{
    const int C = t->classes;

    for (int32_t l = 0; l < t->n_train; l++)
        for (int c = 0; c < C; c++)
            X[(int64_t)t->train[l] * C + c] = c == t->truth[l] ? high : low;
}

void kith__propagate_scalar(const kith__task *task, float h, int hops,
                            const float *Q, float *P, float *other)
{
    const kith__operator op = kith__scaled(&task->W, task->classes, h);
    const kith__stopping stopping = {.most = h > 0 ? hops : 0, .tolerance = -1};
    kith_certificate unused;

    memcpy(P, Q, (size_t)task->n * (size_t)task->classes * sizeof(*P));
    (void)kith__iterate(&op, &stopping, Q, P, other, &unused, NULL);
}

/* Q = beta (softmax(Z) - 1/C), training rows one-hot, all times `scale`. */
static void combine(const kith__em *em, float beta, float scale, room *r)
{
    const kith__task *t = em->task;
    const int C = t->classes;
    const float mean = 1 / (float)C;

    kith__softmax_rows(r->Z, t->n, C, 1, r->Q, t->threads);
    for (int32_t u = 0; u < t->n; u++) {
        const float w = !em->has || em->has[u] ? beta * scale : 0;
        float *q = r->Q + (int64_t)u * C;

        for (int c = 0; c < C; c++)
            q[c] = w * (q[c] - mean);
    }
    clamp_train(t, -mean * scale, (1 - mean) * scale, r->Q);
}

/* Mean over the sample of max_c softmax(g log x). */
static double mean_confidence(const room *r, const float *logs, int C, double g)
{
    double sum = 0;

    for (int32_t i = 0; i < r->n_sample; i++) {
        const float *x = logs + (int64_t)r->sample[i] * C;
        float top = x[0], all = 0;

        for (int c = 1; c < C; c++)
            top = x[c] > top ? x[c] : top;
        for (int c = 0; c < C; c++)
            all += expf((float)g * (x[c] - top));
        sum += 1 / (double)all;
    }
    return r->n_sample ? sum / r->n_sample : 1;
}

/* The exponent at which the mean confidence is kappa: it grows with g. */
static double find_exponent(const room *r, const float *logs, int C,
                            float kappa)
{
    double low = log(0.01), high = log(1000.0);

    for (int i = 0; i < 24; i++) {
        const double middle = (low + high) / 2;

        if (mean_confidence(r, logs, C, exp(middle)) < (double)kappa)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

/* T_c <- T_c / mean(T_c)^balance, rows to sum 1 again. */
static void balance_classes(int32_t n, int C, float balance, float *T)
{
    double mean[KITH__CLASSES_MOST];

    memset(mean, 0, (size_t)C * sizeof(*mean));
    for (int64_t i = 0; i < (int64_t)n * C; i++)
        mean[i % C] += (double)T[i] / n;
    for (int c = 0; c < C; c++)
        mean[c] = pow(fmax(mean[c], 1e-6), -(double)balance);
    for (int32_t u = 0; u < n; u++) {
        float *t = T + (int64_t)u * C;
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += (double)t[c] * mean[c];
        for (int c = 0; c < C; c++)
            t[c] = (float)((double)t[c] * mean[c] / sum);
    }
}

static void make_targets(const kith__task *task, const room *r, float kappa,
                         float balance, float *P)
{
    const int C = task->classes;
    const float mean = 1 / (float)C;
    double g;

    for (int64_t i = 0; i < (int64_t)task->n * C; i++)
        P[i] = logf(P[i] + mean > FLOOR ? P[i] + mean : FLOOR);
    g = find_exponent(r, P, C, kappa);
    kith__softmax_rows(P, task->n, C, 1 / g, P, task->threads);
    if (balance > 0)
        balance_classes(task->n, C, balance, P);
    clamp_train(task, 0, 1, P);
}

/* ---- rounds -------------------------------------------------------------- */

/* sum_c |P_uc| = 1 */
static void unit_rows(int32_t n, int C, float *P)
{
    for (int32_t u = 0; u < n; u++) {
        float *p = P + (int64_t)u * C, sum = 0;

        for (int c = 0; c < C; c++)
            sum += fabsf(p[c]);
        for (int c = 0; sum > 1e-30f && c < C; c++)
            p[c] /= sum;
    }
}

/* to = x^(1/4), with the sign of x: the order of all beliefs stays, and one
 * temperature can suit nodes near labels and far from them. */
static void take_roots(int64_t n, const float *P, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = copysignf(sqrtf(sqrtf(fabsf(P[i]))), P[i]);
}

static void weigh(const kith__em *em, float unknown, const float *T,
                  float *weight)
{
    const kith__task *t = em->task;
    const int C = t->classes;

    for (int32_t u = 0; u < t->n; u++) {
        float top = 0;

        for (int c = 0; c < C; c++)
            top = T[(int64_t)u * C + c] > top ? T[(int64_t)u * C + c] : top;
        weight[u] = unknown * top;
    }
    for (int32_t l = 0; l < t->n_train; l++)
        weight[t->train[l]] = 1;
    for (int32_t u = 0; em->has && u < t->n; u++)
        weight[u] = em->has[u] ? weight[u] : 0;
}

/* Beliefs of a round, left in r->P. */
static void believe(const kith__em *em, const kith__em_params *p, int round,
                    const float *B, bool tell, kith__em_visit_fn *visit,
                    void *user, room *r)
{
    const kith__task *t = em->task;
    const bool labels = em->labels && round == 0;
    const float mean = 1 / (float)t->classes;

    if (labels || !em->map) {
        memset(r->Q, 0, (size_t)t->n * (size_t)t->classes * sizeof(*r->Q));
        clamp_train(t, -mean, 1 - mean, r->Q);
    } else {
        kith__feature_apply(em->map, B, t->classes, &r->map, r->Z);
        if (tell)
            visit(user, round, NULL, r->Z);
        combine(em, p->beta, 1 - p->h, r);
    }
    kith__propagate_scalar(t, p->h, p->hops, r->Q, r->P, r->other);
    if (tell && p->h > 0 && em->labels) {
        take_roots((int64_t)t->n * t->classes, r->P, r->other);
        visit(user, round, r->Q, r->other);
    } else if (tell && p->h > 0) {
        visit(user, round, r->Q, r->P);
    }
}

kith_status kith__em_run(const kith__em *em, const kith__em_params *p, int from,
                         int to, float *B, kith__em_visit_fn *visit, void *user,
                         kith_error *err)
{
    const kith__task *t = em->task;
    kith_status st = KITH_OK;
    room r = {0};

    if (!make_room(t, em->map, &r)) {
        st = kith__no_memory(err);
        goto out;
    }
    for (int round = from; round <= to; round++) {
        believe(em, p, round, B, round > from || from == 0, visit, user, &r);
        if (round == to)
            break;
        if (em->labels)
            unit_rows(t->n, t->classes, r.P);
        make_targets(t, &r, p->kappa, p->balance, r.P);
        weigh(em, p->unknown, r.P, r.weight);
        TRY(kith__soft_fit(em->map, &(kith__soft_rows){r.P, r.weight},
                           t->classes, (double)p->penalty, STEPS, 1e-5, B,
                           err));
    }
out:
    release(&r);
    return st;
}
