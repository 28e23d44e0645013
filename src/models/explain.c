/*
 * explain.c: a belief as a sum of what each node adds.
 *
 * P is linear in Q: P = sum_j W^j Q H^j.  With E = 1 at (node u, class c), else
 * 0, the adjoint Z = sum_j W^j E H'^j gives
 *
 *     p_uc = sum_v q_v . z_v
 *
 * so that one solve gives the contribution of every node.
 *
 * LinBP does t iterations from P = Q, and t iterations of the adjoint give the
 * very same sum.  LCM ends with iterations of its last W and H from beliefs of
 * earlier ones, so there Z is the fixed point, and with the remainder
 * R = Q + W P H - P of the run
 *
 *     p_uc = sum_v q_v . z_v  -  sum_v r_v . z_v
 *
 * the last sum being what stopping early left.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "kernels/spectral.h"
#include "models/model_object.h"
#include "models/paths.h"
#include "models/potentials.h"
#include "models/solution.h"
#include "models/solve.h"

static const double ADJOINT_TOLERANCE = 1e-9;

/* ---- the adjoint --------------------------------------------------------- */

/* The same sum of t terms as the run made. */
static kith_status same_steps(const kith_solution *s, const float *H,
                              const float *E, float *Z, kith_error *err)
{
    const kith__task *t = &s->setting.task;
    const int64_t cells = (int64_t)t->n * t->classes;
    kith_certificate unused;
    kith_status st = KITH_OK;
    float *other = NULL;

    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    memcpy(Z, E, (size_t)cells * sizeof(*Z));
    TRY(kith__propagate(t, &s->W, H, E, s->b.certificate.iterations, -1, Z,
                        other, &unused, err));
out:
    kith__free(other);
    return st;
}

static kith_status check_linear(const kith_solution *s, kith_error *err)
{
    if (s->b.linear == KITH__NOT_LINEAR)
        return kith__fail(
            err, KITH_ERR_ARGUMENT, NULL, 0,
            "method '%s' is not linear in the node potentials, so its beliefs "
            "are no sum of contributions; those of 'linbp', 'lcm', 'lcm-wo', "
            "'lcm-l1' and 'lcm-l2' are: train with --method",
            s->model->method);
    if (s->b.linear == KITH__FIXED_POINT && !(s->b.certificate.rho < 1))
        return kith__fail(
            err, KITH_ERR_RANGE, NULL, 0,
            "propagation of this '%s' model diverges (rho %.3f), so its "
            "beliefs are no sum of contributions",
            s->model->method, s->b.certificate.rho);
    return KITH_OK;
}

kith_status kith__adjoint(const kith_solution *s, const float *E, float **Z,
                          kith_error *err)
{
    const int C = s->setting.task.classes;
    const double rho = s->b.certificate.rho;
    kith_status st = KITH_OK;
    float *H = NULL, *room = NULL;

    *Z = NULL;
    TRY(check_linear(s, err));
    TRY_NEW(H, kith__alloc((int64_t)C * C, sizeof(*H)));
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++)
            H[i * C + j] = s->b.coupling[j * C + i];
    TRY_NEW(*Z, kith__alloc_big((int64_t)s->setting.task.n * C, sizeof(**Z)));
    if (s->b.linear == KITH__SUM) {
        TRY(same_steps(s, H, E, *Z, err));
    } else {
        TRY_NEW(room, kith__alloc_big(kith__fixed_point_room(&s->setting.task),
                                      sizeof(*room)));
        TRY(kith__fixed_point(&s->setting.task, &s->W, H, rho,
                              ADJOINT_TOLERANCE, "explaining", room, E, *Z,
                              err));
    }
out:
    kith__free(H);
    kith__free(room);
    if (st != KITH_OK) {
        kith__free(*Z);
        *Z = NULL;
    }
    return st;
}

/* ---- lists --------------------------------------------------------------- */

/* Put a part where it belongs among the `most` largest; ties stay in order. */
static void keep_part(kith_part *list, int32_t *n, int32_t most, kith_part p)
{
    int32_t i;

    if (p.value == 0 ||
        (*n == most && fabs(p.value) <= fabs(list[*n - 1].value)))
        return;
    i = *n < most ? (*n)++ : *n - 1;
    for (; i > 0 && fabs(list[i - 1].value) < fabs(p.value); i--)
        list[i] = list[i - 1];
    list[i] = p;
}

static void sum_parts(const kith_solution *s, kith_explanation *e, int32_t most)
{
    for (int32_t v = 0; v < e->nodes; v++) {
        const kith_part p = {v, s->trained[v], e->contribution[v]};

        if (p.label >= 0)
            e->by_class[p.label] += p.value;
        if (v == e->node) {
            e->echo = p.value - e->own;
        } else if (p.label >= 0) {
            e->labelled += p.value;
            keep_part(e->top_labelled, &e->n_labelled, most, p);
        } else {
            e->others += p.value;
            keep_part(e->top_others, &e->n_others, most, p);
        }
    }
}

static void find_contributions(const kith_solution *s, const float *Z,
                               kith_explanation *e)
{
    const int C = e->classes;

#pragma omp parallel for num_threads(s->setting.task.threads) schedule(static)
    for (int32_t v = 0; v < e->nodes; v++) {
        const int64_t at = (int64_t)v * C;
        double sum = 0;

        for (int c = 0; c < C; c++)
            sum += (double)s->b.Q[at + c] * (double)Z[at + c];
        e->contribution[v] = sum;
    }
}

/* - sum_v r_v . z_v, R = Q + W P H - P. */
static kith_status find_remainder(const kith_solution *s, const float *Z,
                                  kith_explanation *e, kith_error *err)
{
    const int64_t cells = (int64_t)e->nodes * e->classes;
    kith_status st = KITH_OK;
    float *next = NULL;

    TRY_NEW(next, kith__alloc_big(cells, sizeof(*next)));
    kith__coupled_step(&s->W, s->b.P, e->classes, s->b.coupling, s->b.Q, next);
    for (int64_t i = 0; i < cells; i++)
        e->unconverged -= ((double)next[i] - (double)s->b.P[i]) * (double)Z[i];
out:
    kith__free(next);
    return st;
}

/* Each neighbour's w_uv (p_v H)_c. */
static kith_status find_neighbours(const kith_solution *s, int32_t most,
                                   kith_explanation *e, kith_error *err)
{
    const int C = e->classes;
    const int64_t first = s->W.rows[e->node];
    kith_status st = KITH_OK;

    TRY_NEW(e->neighbours, kith__alloc(most, sizeof(*e->neighbours)));
    for (int64_t p = first; p < s->W.rows[e->node + 1]; p++) {
        kith_via via = {.node = s->W.neighbours[p],
                        .weight = kith__weight_at(&s->W, e->node, p)};
        const float *pv = s->b.P + (int64_t)via.node * C;
        int32_t i;

        for (int c = 0; c < C; c++)
            via.value += via.weight * (double)pv[c] *
                         (double)s->b.coupling[c * C + e->of_class];
        e->through_neighbours += via.value;
        if (e->n_neighbours == most &&
            fabs(via.value) <= fabs(e->neighbours[most - 1].value))
            continue;
        i = e->n_neighbours < most ? e->n_neighbours++ : most - 1;
        for (; i > 0 && fabs(e->neighbours[i - 1].value) < fabs(via.value); i--)
            e->neighbours[i] = e->neighbours[i - 1];
        e->neighbours[i] = via;
    }
out:
    return st;
}

/* ---- features ------------------------------------------------------------ */

/* B_jc less its mean over the classes. */
static double centred_weight(const float *B, int64_t j, int C, int c)
{
    double mean = 0;

    for (int k = 0; k < C; k++)
        mean += (double)B[j * C + k] / C;
    return (double)B[j * C + c] - mean;
}

static void keep_feature(kith_explanation *e, int32_t most, kith_feature_part p)
{
    int32_t i;

    e->feature_sum += p.value;
    if (p.value == 0 || (e->n_features == most &&
                         fabs(p.value) <= fabs(e->features[most - 1].value)))
        return;
    i = e->n_features < most ? e->n_features++ : most - 1;
    for (; i > 0 && fabs(e->features[i - 1].value) < fabs(p.value); i--)
        e->features[i] = e->features[i - 1];
    e->features[i] = p;
}

/* The columns that weigh most in the node's logit of the class. */
static kith_status find_features(const kith_solution *s, int32_t most,
                                 kith_explanation *e, kith_error *err)
{
    const kith_model *m = s->model;
    kith_status st = KITH_OK;
    kith__design design = {0};
    kith__matrix row = {0};

    TRY_NEW(e->features, kith__alloc(most, sizeof(*e->features)));
    TRY(kith__design_new(s->data->graph, s->data->features, m->params.prep,
                         m->params.smooth, m->idf, &s->job, &design, err));
    TRY(kith__design_rows(&design, &e->node, 1, &row, err));
    for (int64_t p = kith__row_begin(&row, 0); p < kith__row_begin(&row, 1);
         p++) {
        const int32_t j = kith__column_of(&row, p);
        const double w = centred_weight(m->weights, j, m->classes, e->of_class);
        const double y = (double)row.value[p];

        keep_feature(e, most, (kith_feature_part){j, y, w, y * w});
    }
    e->bias = centred_weight(m->weights, m->columns, m->classes, e->of_class);
    e->feature_sum += e->bias;
out:
    kith__matrix_release(&row);
    kith__design_release(&design);
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

static kith_status explain_propagation(const kith_solution *s, int32_t most,
                                       kith_explanation *e, kith_error *err)
{
    const int64_t cells = (int64_t)e->nodes * e->classes;
    const int64_t at = (int64_t)e->node * e->classes + e->of_class;
    kith_status st = KITH_OK;
    float *E = NULL, *Z = NULL;

    TRY_NEW(E, kith__alloc_zeroed(cells, sizeof(*E)));
    E[at] = 1;
    TRY(kith__adjoint(s, E, &Z, err));
    TRY_NEW(e->contribution, kith__alloc(e->nodes, sizeof(double)));
    TRY_NEW(e->by_class, kith__alloc_zeroed(e->classes, sizeof(double)));
    TRY_NEW(e->top_labelled, kith__alloc(most, sizeof(*e->top_labelled)));
    TRY_NEW(e->top_others, kith__alloc(most, sizeof(*e->top_others)));
    e->belief = (double)s->b.P[at];
    e->own = (double)s->b.Q[at];
    e->clamped = s->trained[e->node] >= 0 &&
                 (s->model->params.clamp || !s->model->weights);
    e->propagates = true;
    e->exact_steps = s->b.linear == KITH__SUM;
    find_contributions(s, Z, e);
    sum_parts(s, e, most);
    if (!e->exact_steps)
        TRY(find_remainder(s, Z, e, err));
    TRY(find_neighbours(s, most, e, err));
    TRY(kith__find_paths(s, most, e, err));
    e->sum = e->own + e->echo + e->labelled + e->others + e->unconverged;
out:
    kith__free(E);
    kith__free(Z);
    return st;
}

/* logreg: the belief is what the features say, less the mean over classes. */
static void explain_features_alone(const kith_solution *s, kith_explanation *e)
{
    const float *p = s->b.P + (int64_t)e->node * e->classes;
    double mean = 0;

    for (int c = 0; c < e->classes; c++)
        mean += (double)p[c] / e->classes;
    e->belief = (double)p[e->of_class] - mean;
    e->sum = e->own = e->feature_sum;
}

static kith_status explain_any(const kith_solution *s, int32_t most,
                               kith_explanation *e, kith_error *err)
{
    const bool alone = strcmp(s->model->method, "logreg") == 0;
    kith_status st = KITH_OK;

    if (!alone)
        TRY(explain_propagation(s, most, e, err));
    if (s->model->weights)
        TRY(find_features(s, most, e, err));
    if (alone)
        explain_features_alone(s, e);
    e->residual = e->belief - e->sum;
    e->iterations = s->b.certificate.iterations;
out:
    return st;
}

/* The class asked for or the most probable one, and its probability. */
static kith_status choose_class(const kith_solution *s, kith_explanation *e,
                                kith_error *err)
{
    const float *p = s->b.P + (int64_t)e->node * e->classes;
    kith_status st = KITH_OK;
    float *row = NULL;

    TRY_NEW(row, kith__alloc(e->classes, sizeof(*row)));
    kith__softmax_rows(p, 1, e->classes, s->model->temperature, row, 1);
    if (e->of_class < 0)
        for (int c = e->of_class = 0; c < e->classes; c++)
            if (p[c] > p[e->of_class])
                e->of_class = c;
    e->probability = (double)row[e->of_class];
out:
    kith__free(row);
    return st;
}

kith_status kith_explain(const kith_solution *s, int32_t node, int32_t of_class,
                         int32_t most, kith_explanation **out, kith_error *err)
{
    const kith__task *t = &s->setting.task;
    kith_status st = KITH_OK;
    kith_explanation *e = NULL;

    *out = NULL;
    if (node < 0 || node >= t->n || of_class < -1 || of_class >= t->classes ||
        most < 1)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "node %d, class %d, %d rows: no such node or class, or "
                       "too few rows",
                       (int)node, (int)of_class, (int)most));
    TRY_NEW(e, kith__alloc_zeroed(1, sizeof(*e)));
    *e = (kith_explanation){.node = node,
                            .of_class = of_class,
                            .nodes = t->n,
                            .classes = t->classes};
    TRY(choose_class(s, e, err));
    TRY(explain_any(s, most, e, err));
    *out = e;
    e = NULL;
out:
    kith_explanation_free(e);
    return st;
}

void kith_explanation_free(kith_explanation *e)
{
    if (!e)
        return;
    kith__free(e->contribution);
    kith__free(e->by_class);
    kith__free(e->top_labelled);
    kith__free(e->top_others);
    kith__free(e->neighbours);
    kith__free(e->paths);
    kith__free(e->features);
    kith__free(e);
}

/* ---- what a solution can be asked ---------------------------------------- */

void kith_solution_probabilities(const kith_solution *s, float *out)
{
    kith__softmax_rows(s->b.P, s->setting.task.n, s->setting.task.classes,
                       s->model->temperature, out, s->setting.task.threads);
}

const kith_certificate *kith_solution_certificate(const kith_solution *s)
{
    return &s->b.certificate;
}

int32_t kith_solution_trained(const kith_solution *s, int32_t node)
{
    return s->trained[node];
}

double kith_solution_weight_before(const kith_solution *s, int32_t u, int64_t p)
{
    return kith__weight_at(&s->setting.task.W, u, p);
}

double kith_solution_weight(const kith_solution *s, int32_t u, int64_t p)
{
    return kith__weight_at(&s->W, u, p);
}
