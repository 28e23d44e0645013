/*
 * calibration.c: from beliefs to probabilities.
 *
 * With F the mass of each class that reaches a node (kith__share_kind), K
 * (share_calibrator.h) goes by g_c = F_c / mean F_c; other methods, and where
 * that is no better, have softmax(P / T).
 *
 *     pi_c = (n_c + 1) / (n + C)          n calibration nodes, n_c of class c
 *     p_c  = (k_c + 4 pi_c) / (k + 4)     without evidence: k such calibration
 *                                         nodes, k_c of class c
 *
 * A prevalence pi' that is known multiplies what is so found by pi' / pi.
 *
 * Where two classes of a row are equally likely, those that come later in the
 * order of evidence.h are made one unit in the last place less so: whoever
 * takes the largest takes the same, and names of classes have no say.
 */
#include "models/calibration.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "graph/draw.h"
#include "kernels/softmax.h"
#include "models/model_object.h"

void kith__calibration_release(kith__calibration *c)
{
    kith__free(c->prior);
    kith__free(c->unreached);
    *c = (kith__calibration){0};
}

static kith_status copy_doubles(const double *from, int n, double **to,
                                kith_error *err)
{
    kith_status st = KITH_OK;

    TRY_NEW(*to, kith__alloc(n, sizeof(**to)));
    memcpy(*to, from, (size_t)n * sizeof(**to));
out:
    return st;
}

kith_status kith__calibration_copy(const kith__calibration *from, int classes,
                                   kith__calibration *to, kith_error *err)
{
    kith_status st = KITH_OK;

    *to = *from;
    to->prior = to->unreached = NULL;
    TRY(copy_doubles(from->prior, classes, &to->prior, err));
    TRY(copy_doubles(from->unreached, classes, &to->unreached, err));
out:
    return st;
}

bool kith__is_calibrated(const kith_model *m)
{
    const kith__method *how = kith__method_find(m->method);

    return how && how->calibrated;
}

/* ---- fitted -------------------------------------------------------------- */

/* pi and the probabilities without evidence, by n nodes; level NULL: nothing is
 * known of those that no label reaches. */
static kith_status fit_prior(int C, const int32_t *truth, int32_t n,
                             const uint8_t *level, kith__calibration *c,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    double unreached = 0;

    TRY_NEW(c->prior, kith__alloc_zeroed(C, sizeof(*c->prior)));
    TRY_NEW(c->unreached, kith__alloc_zeroed(C, sizeof(*c->unreached)));
    for (int32_t i = 0; i < n; i++) {
        c->prior[truth[i]]++;
        if (level && level[i] == KITH_EVIDENCE_NONE) {
            c->unreached[truth[i]]++;
            unreached++;
        }
    }
    for (int k = 0; k < C; k++) {
        c->prior[k] = (c->prior[k] + 1) / (n + C);
        c->unreached[k] = (c->unreached[k] + 4 * c->prior[k]) / (unreached + 4);
    }
out:
    return st;
}

kith_status kith__calibrate_by_training(const int32_t *truth, int32_t n,
                                        int classes, kith__calibration *c,
                                        kith_error *err)
{
    return fit_prior(classes, truth, n, NULL, c, err);
}

/* ---- shares -------------------------------------------------------------- */

bool kith__has_shares(const kith_model *m)
{
    const kith__method *how = kith__method_find(m->method);

    return how && how->shares != KITH__NO_SHARES && !m->weights;
}

/* F of one node: below 0 only by rounding, or where a learnt coupling speaks
 * against a class more than all mass for it. */
static void masses(kith__share_kind kind, int C, const float *P, float S,
                   float *F)
{
    if (kind == KITH__SHARES_OF_LOGITS)
        kith__softmax(P, C, F);
    for (int c = 0; c < C; c++)
        F[c] = kind == KITH__SHARES_OF_LOGITS ? S * F[c]
                                              : fmaxf(P[c] + S / (float)C, 0);
}

/* Nodes are summed up in blocks that depend on n alone. */
enum { BLOCK = 4096 };

kith_status kith__find_shares(const kith_model *m, const kith__task *t,
                              kith__beliefs *b, kith_error *err)
{
    const int C = t->classes;
    const int64_t blocks = ((int64_t)t->n + BLOCK - 1) / BLOCK;
    kith_status st = KITH_OK;
    kith__share_kind kind;
    double *sums = NULL, *shares = NULL;
    float *room = NULL;

    if (!kith__has_shares(m))
        return KITH_OK;
    kind = kith__method_find(m->method)->shares;
    TRY_NEW(shares, kith__alloc_zeroed(C, sizeof(*shares)));
    TRY_NEW(sums, kith__alloc_zeroed(blocks * C, sizeof(*sums)));
    TRY_NEW(room, kith__alloc(blocks * C, sizeof(*room)));
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t k = 0; k < blocks; k++)
        for (int64_t u = k * BLOCK; u < t->n && u < (k + 1) * BLOCK; u++) {
            float *F = room + k * C;

            masses(kind, C, b->P + u * C, b->evidence.mass[u], F);
            for (int c = 0; c < C; c++)
                sums[k * C + c] += (double)F[c];
        }
    for (int64_t k = 0; k < blocks; k++)
        for (int c = 0; c < C; c++)
            shares[c] += sums[k * C + c] / t->n;
    kith__free(b->shares); /* of an update: those before stay if it fails */
    b->shares = shares;
    shares = NULL;
out:
    kith__free(shares);
    kith__free(sums);
    kith__free(room);
    return st;
}

/* g of one node, and what its degree is to the mean one. */
static float share_row(const kith_model *m, const kith__task *t,
                       const kith__beliefs *b, int32_t u, const float *P,
                       float S, float *g)
{
    const int64_t *rows = t->W.rows;
    const double mean = (double)rows[t->n] / t->n;

    masses(kith__method_find(m->method)->shares, t->classes, P, S, g);
    for (int c = 0; c < t->classes; c++)
        g[c] = b->shares[c] > 0 ? (float)((double)g[c] / b->shares[c]) : -1;
    return (float)((1 + (double)(rows[u + 1] - rows[u])) / (1 + mean));
}

/* ---- nodes to calibrate on ----------------------------------------------- */

void kith__calibration_nodes_release(kith__calibration_nodes *c)
{
    kith__free(c->node);
    kith__free(c->truth);
    kith__free(c->level);
    kith__free(c->P);
    kith__free(c->g);
    kith__free(c->degree);
    *c = (kith__calibration_nodes){0};
}

static kith_status make_room(kith__calibration_nodes *c, int64_t n, int C,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    void *more;

    TRY_NEW(more, kith__resize(c->node, n, sizeof(*c->node)));
    c->node = more;
    TRY_NEW(more, kith__resize(c->truth, n, sizeof(*c->truth)));
    c->truth = more;
    TRY_NEW(more, kith__resize(c->level, n, sizeof(*c->level)));
    c->level = more;
    TRY_NEW(more, kith__resize(c->P, n * C, sizeof(*c->P)));
    c->P = more;
    TRY_NEW(more, kith__resize(c->g, n * C, sizeof(*c->g)));
    c->g = more;
    TRY_NEW(more, kith__resize(c->degree, n, sizeof(*c->degree)));
    c->degree = more;
out:
    return st;
}

kith_status kith__calibration_add(const kith_model *m, const kith__task *t,
                                  const kith__beliefs *b,
                                  const kith__labelled_nodes *at,
                                  kith__calibration_nodes *to, kith_error *err)
{
    const int C = t->classes;
    kith_status st = KITH_OK;

    TRY(make_room(to, (int64_t)to->n + at->n, C, err));
    for (int32_t i = 0; i < at->n; i++) {
        const int32_t u = at->node[i], k = to->n++;
        const float *P = b->P + (int64_t)u * C;
        float *g = to->g + (int64_t)k * C;

        to->node[k] = u;
        to->truth[k] = at->truth[i];
        to->level[k] = b->evidence.level[u];
        memcpy(to->P + (int64_t)k * C, P, (size_t)C * sizeof(*P));
        memset(g, 0, (size_t)C * sizeof(*g));
        to->degree[k] = 1;
        if (b->shares)
            to->degree[k] = share_row(m, t, b, u, P, b->evidence.mass[u], g);
    }
out:
    return st;
}

/* ---- the fit ------------------------------------------------------------- */

/* Of fewer nodes than the least K would be what its penalty says, and sure. */
enum { FOLDS = 5, STREAM = 91, ROWS_LEAST = 10, ROWS_MOST = 4096 };

/* A calibration on its way: rows of the nodes that are reached. */
typedef struct fit {
    const kith_graph *graph;
    int C;
    int32_t n, rows; /* nodes; those of the part at hand */
    const kith__calibration_nodes *at;
    int32_t *pick; /* n: reached nodes, of more than ROWS_MOST a sample */
    int *part;
    /* those fitted to */
    float *P, *g, *degree;
    int32_t *truth, *place;
    double *prior, *room, *p;
    float *q;
} fit;

static void fit_release(fit *f)
{
    kith__free(f->pick);
    kith__free(f->part);
    kith__free(f->P);
    kith__free(f->g);
    kith__free(f->degree);
    kith__free(f->truth);
    kith__free(f->place);
    kith__free(f->prior);
    kith__free(f->room);
    kith__free(f->p);
    kith__free(f->q);
}

static kith_status pick_nodes(fit *f, const int32_t *class_order,
                              kith_error *err)
{
    const kith__calibration_nodes *at = f->at;
    kith_status st = KITH_OK;
    int32_t *node = NULL, *truth = NULL;
    kith__u128 *order = NULL;

    TRY_NEW(f->pick, kith__alloc(at->n, sizeof(*f->pick)));
    TRY_NEW(order, kith__alloc(at->n, sizeof(*order)));
    for (int32_t i = 0; i < at->n; i++)
        if (at->level[i] != KITH_EVIDENCE_NONE)
            order[f->n++] = (kith__u128)kith__node_key(f->graph, at->node[i])
                                << 64 |
                            (uint32_t)i;
    kith__sort_u128(order, f->n);
    for (int32_t i = 0; i < f->n; i++)
        f->pick[i] = (int32_t)(uint32_t)order[i];
    f->n = f->n < ROWS_MOST ? f->n : ROWS_MOST;
    TRY_NEW(f->part, kith__alloc(f->n, sizeof(*f->part)));
    TRY_NEW(node, kith__alloc(f->n, sizeof(*node)));
    TRY_NEW(truth, kith__alloc(f->n, sizeof(*truth)));
    for (int32_t i = 0; i < f->n; i++) {
        node[i] = at->node[f->pick[i]];
        truth[i] = class_order[at->truth[f->pick[i]]];
    }
    TRY(kith__draw_parts(f->graph, node, truth, f->n, FOLDS, STREAM, f->part,
                         err));
out:
    kith__free(order);
    kith__free(node);
    kith__free(truth);
    return st;
}

static kith_status fit_new(const kith_graph *g, const int32_t *order, int C,
                           const kith__calibration_nodes *at, fit *f,
                           kith_error *err)
{
    kith_status st = KITH_OK;

    *f = (fit){.graph = g, .C = C, .at = at};
    TRY(pick_nodes(f, order, err));
    TRY_NEW(f->P, kith__alloc((int64_t)f->n * C, sizeof(*f->P)));
    TRY_NEW(f->g, kith__alloc((int64_t)f->n * C, sizeof(*f->g)));
    TRY_NEW(f->degree, kith__alloc(f->n, sizeof(*f->degree)));
    TRY_NEW(f->truth, kith__alloc(f->n, sizeof(*f->truth)));
    TRY_NEW(f->place, kith__alloc(f->n, sizeof(*f->place)));
    TRY_NEW(f->prior, kith__alloc(C, sizeof(*f->prior)));
    TRY_NEW(f->room, kith__alloc(((int64_t)f->n + 1) * C, sizeof(*f->room)));
    TRY_NEW(f->p, kith__alloc(C, sizeof(*f->p)));
    TRY_NEW(f->q, kith__alloc(C, sizeof(*f->q)));
out:
    return st;
}

/* Take the rows of all parts but one (-1: all); their prior, where K's is not
 * that of all nodes. */
static void take_rows(fit *f, int but)
{
    const size_t row = (size_t)f->C * sizeof(float);

    f->rows = 0;
    for (int c = 0; c < f->C; c++)
        f->prior[c] = 1;
    for (int32_t i = 0; i < f->n; i++) {
        const int64_t from = f->pick[i];

        if (f->part[i] == but)
            continue;
        memcpy(f->P + (int64_t)f->rows * f->C, f->at->P + from * f->C, row);
        memcpy(f->g + (int64_t)f->rows * f->C, f->at->g + from * f->C, row);
        f->degree[f->rows] = f->at->degree[from];
        f->place[f->rows] = f->rows;
        f->truth[f->rows] = f->at->truth[from];
        f->prior[f->truth[f->rows++]]++;
    }
    for (int c = 0; c < f->C; c++)
        f->prior[c] /= f->rows + f->C;
}

static kith__share_fit fit_share(fit *f, const double *prior)
{
    const kith__share_rows rows = {f->C, f->rows, f->g, f->degree, f->truth};

    return kith__share_fit_to(&rows, prior, f->room);
}

static double fit_temperature(const fit *f)
{
    const kith__labelled_nodes rows = {f->place, f->truth, f->rows};

    return kith__fit_temperature(f->P, f->C, &rows);
}

/* log of what K, and a temperature, say of the truth at a node. */
static double gain_at(fit *f, const kith__share_fit *share, double T, int32_t i,
                      int32_t *right)
{
    const int64_t at = f->pick[i];
    const int32_t truth = f->at->truth[at];
    int best = 0;

    kith__softmax_rows(f->at->P + at * f->C, 1, f->C, T, f->q, 1);
    kith__share_probabilities(share, f->C, f->prior, f->at->g + at * f->C,
                              f->at->degree[at], f->p);
    for (int c = 1; c < f->C; c++)
        if (f->p[c] > f->p[best])
            best = c;
    *right += best == truth;
    return log(fmax(f->p[truth], 1e-15)) -
           log(fmax((double)f->q[truth], 1e-15));
}

/* Is the log-loss of a temperature less than that of K by more than its
 * standard error, each on fifths that it was not fitted to?  And how often K
 * is right there. */
static bool temperature_wins(fit *f, int32_t *right)
{
    double sum = 0, squares = 0;

    *right = 0;
    for (int k = 0; k < FOLDS; k++) {
        kith__share_fit share;
        double T;

        take_rows(f, k);
        if (f->rows == 0 || f->rows == f->n)
            continue;
        share = fit_share(f, f->prior);
        T = fit_temperature(f);
        for (int32_t i = 0; i < f->n; i++)
            if (f->part[i] == k) {
                const double gain = gain_at(f, &share, T, i, right);

                sum += gain;
                squares += gain * gain;
            }
    }
    return f->n > 1 && sum < 0 &&
           sum * sum > (squares - sum * sum / f->n) * f->n / (f->n - 1);
}

/* What K is right about: fifths of those that are reached; of the others those
 * of the likeliest class. */
static double validation_of(const fit *f, const kith__calibration *c,
                            int32_t right)
{
    int32_t unreached = 0, of_best = 0;
    int best = 0;

    for (int k = 1; k < f->C; k++)
        if (c->unreached[k] > c->unreached[best])
            best = k;
    for (int32_t i = 0; i < f->at->n; i++)
        if (f->at->level[i] == KITH_EVIDENCE_NONE) {
            unreached++;
            of_best += f->at->truth[i] == best;
        }
    return f->n == 0
               ? (double)of_best / unreached
               : ((double)right / f->n * (f->at->n - unreached) + of_best) /
                     f->at->n;
}

static kith_status choose(const kith_graph *g, const int32_t *order,
                          const kith__calibration_nodes *at, kith_model *m,
                          kith_error *err)
{
    const bool must = m->params.calibrate == KITH_CALIBRATE_SHARE;
    kith__calibration *c = &m->calibration;
    kith_status st = KITH_OK;
    bool beaten;
    int32_t right;
    fit f = {0};

    TRY(fit_new(g, order, m->classes, at, &f, err));
    beaten = temperature_wins(&f, &right);
    c->by_share = must || (f.n >= ROWS_LEAST && !beaten);
    if (c->by_share) {
        take_rows(&f, -1);
        c->share = fit_share(&f, c->prior);
        m->validation = validation_of(&f, c, right);
    }
out:
    fit_release(&f);
    return st;
}

kith_status kith__calibrate_on(const kith_graph *g, const int32_t *order,
                               const kith__calibration_nodes *at, kith_model *m,
                               kith_error *err)
{
    const bool given = m->temperature > 0;
    kith_status st = KITH_OK;
    int32_t *place = NULL;

    TRY(fit_prior(m->classes, at->truth, at->n, at->level, &m->calibration,
                  err));
    if (given)
        goto out;
    TRY_NEW(place, kith__alloc(at->n, sizeof(*place)));
    for (int32_t i = 0; i < at->n; i++)
        place[i] = i;
    m->temperature = kith__fit_temperature(
        at->P, m->classes, &(kith__labelled_nodes){place, at->truth, at->n});
    if (kith__has_shares(m) &&
        m->params.calibrate != KITH_CALIBRATE_TEMPERATURE)
        TRY(choose(g, order, at, m, err));
out:
    kith__free(place);
    return st;
}

kith_status kith__calibrate(const kith__task *t, const kith__beliefs *b,
                            const kith__labelled_nodes *val, kith_model *m,
                            kith_error *err)
{
    kith__calibration_nodes nodes = {0};
    kith_status st = KITH_OK;

    if (val->n == 0) {
        m->temperature = m->temperature > 0 ? m->temperature : 1;
        return kith__calibrate_by_training(t->truth, t->n_train, t->classes,
                                           &m->calibration, err);
    }
    TRY(kith__calibration_add(m, t, b, val, &nodes, err));
    TRY(kith__calibrate_on(t->graph, b->evidence.order, &nodes, m, err));
out:
    kith__calibration_nodes_release(&nodes);
    return st;
}

/* ---- applied ------------------------------------------------------------- */

/* Of classes that share the largest probability only the first in `order`
 * keeps it. */
static void break_tie(float *row, int C, const int32_t *order)
{
    int best = 0;

    for (int c = 1; c < C; c++)
        if (row[c] > row[best] ||
            (row[c] == row[best] && order[c] < order[best]))
            best = c;
    for (int c = 0; c < C; c++)
        if (c != best && row[c] == row[best])
            row[c] = nextafterf(row[c], 0);
}

/* Of two classes the rarer among the training nodes, the last of equals. */
static int rarer(const kith_model *m)
{
    int64_t second = 0;

    for (int32_t l = 0; l < m->train.n; l++)
        second += m->train_class[l] == 1;
    return second <= m->train.n - second;
}

static void shift(const kith_model *m, int positive, float *row)
{
    const double share = m->params.prevalence;
    double sum = 0;

    for (int c = 0; c < 2; c++) {
        row[c] *= (float)((c == positive ? share : 1 - share) /
                          m->calibration.prior[c]);
        sum += (double)row[c];
    }
    for (int c = 0; c < 2; c++)
        row[c] = (float)((double)row[c] / sum);
}

/* What all rows need. */
typedef struct rule {
    bool own_prior, by_share, shifts;
    int positive;
} rule;

static rule rule_of(const kith_model *m, const kith__beliefs *b)
{
    rule r = {.own_prior = kith__is_calibrated(m),
              .by_share = m->calibration.by_share && b->shares};

    r.shifts = m->classes == 2 && m->params.prevalence > 0 && !r.own_prior;
    r.positive = r.shifts ? rarer(m) : 0;
    return r;
}

static void probability_row(const rule *r, const kith_model *m,
                            const kith__task *t, const kith__beliefs *b,
                            int32_t u, const float *P, float S, bool reached,
                            float *row)
{
    const kith__calibration *c = &m->calibration;
    const int C = t->classes;
    double p[KITH__CLASSES_MOST];

    if (!reached && !r->own_prior) {
        for (int k = 0; k < C; k++)
            row[k] = (float)c->unreached[k];
    } else if (r->by_share) {
        const float degree = share_row(m, t, b, u, P, S, row);

        kith__share_probabilities(&c->share, C, c->prior, row, degree, p);
        for (int k = 0; k < C; k++)
            row[k] = (float)p[k];
    } else {
        kith__softmax_rows(P, 1, C, m->temperature, row, 1);
    }
    if (r->shifts)
        shift(m, r->positive, row);
    break_tie(row, C, b->evidence.order);
}

void kith__probabilities_if(const kith_model *m, const kith__task *t,
                            const kith__beliefs *b, int32_t u, const float *P,
                            float S, float *out)
{
    const rule r = rule_of(m, b);

    probability_row(&r, m, t, b, u, P, S, S > 0 || !r.by_share, out);
}

void kith__probabilities(const kith_model *m, const kith__task *t,
                         const kith__beliefs *b, int32_t first, int32_t n,
                         float *out)
{
    const kith__evidence *e = &b->evidence;
    const rule r = rule_of(m, b);

#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = first + i;

        probability_row(&r, m, t, b, u, b->P + (int64_t)u * t->classes,
                        e->mass[u], e->level[u] != KITH_EVIDENCE_NONE,
                        out + (int64_t)i * t->classes);
    }
}
