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
 * the last sum being what stopping early left.  lcm-em is one of three: a sum
 * of steps as LinBP; own potentials beside what one step brings, p_u = o_u +
 * sum_v w_uv q_v H; or logits of features (explain_logits.c).
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "kernels/softmax.h"
#include "models/explain/explain_lists.h"
#include "models/explain/paths.h"
#include "models/explain/without.h"
#include "models/model_object.h"
#include "models/potentials/node_potentials.h"
#include "models/solution.h"

enum { SOLVE_MOST = 500 }; /* steps of a solve */

/* ---- the adjoint --------------------------------------------------------- */

kith_status kith__check_linear(const kith_solution *s, kith_error *err)
{
    const kith_sum_kind kind = kith__sum_kind_of(s);

    if (kind == KITH_SUM_FEATURES || kind == KITH_SUM_LOGITS)
        return KITH_OK;
    if (s->b.linear == KITH__NOT_LINEAR)
        return kith__fail(
            err, KITH_ERR_ARGUMENT, NULL, 0,
            "method '%s' is not linear in the node potentials, so its beliefs "
            "are no sum of contributions; those of 'linbp', 'lcm', 'lcm-wo', "
            "'lcm-l1', 'lcm-l2' and 'lcm-em' are: train with --method",
            s->model->method);
    if (s->b.linear == KITH__FIXED_POINT && !(s->b.certificate.rho < 1))
        return kith__fail(
            err, KITH_ERR_RANGE, NULL, 0,
            "propagation of this '%s' model diverges (rho %.3f), so its "
            "beliefs are no sum of contributions",
            s->model->method, s->b.certificate.rho);
    return KITH_OK;
}

/* The same sum of t terms as the run made, with H'. */
static kith_status same_steps(const kith_solution *s, const float *E, double *Z,
                              kith_error *err)
{
    const kith__task *t = &s->storage.task;
    const int64_t cells = (int64_t)t->n * t->classes;
    const kith__stopping stopping =
        kith__stopping_of(t, s->b.certificate.iterations, -1);
    kith__operator turned = s->op;
    kith_certificate unused;
    kith_status st = KITH_OK;
    float *sum = NULL, *other = NULL;

    turned.transposed = true;
    TRY_NEW(sum, kith__alloc_big(cells, sizeof(*sum)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    memcpy(sum, E, (size_t)cells * sizeof(*sum));
    TRY(kith__iterate(&turned, &stopping, E, sum, other, &unused, err));
#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        Z[i] = (double)sum[i];
out:
    kith__free(sum);
    kith__free(other);
    return st;
}

/*
 * The adjoint Z (new) such that any Q gives the belief
 *
 *     sum of E . P  =  sum over v of q_v . z_v ,        P from Q as the run did
 *
 * E is one row, `to`, at the node.
 */
static kith_status find_adjoint(const kith_solution *s,
                                const kith_explanation *e, const double *to,
                                double **Z, kith_error *err)
{
    const int64_t C = e->classes, cells = e->nodes * C;
    const kith__stopping stopping = {
        .job = s->storage.task.job, .stage = "explaining", .most = SOLVE_MOST};
    kith_status st = KITH_OK;
    float *E = NULL;

    TRY_NEW(E, kith__alloc_zeroed(cells, sizeof(*E)));
    TRY_NEW(*Z, kith__alloc_big(cells, sizeof(**Z)));
    for (int c = 0; c < C; c++)
        E[e->node * C + c] = (float)to[c];
    if (s->b.linear == KITH__SUM)
        TRY(same_steps(s, E, *Z, err));
    else
        TRY(kith__solve_adjoint(&s->op, &stopping, s->b.P, fabs(e->belief), E,
                                *Z, err));
out:
    kith__free(E);
    return st;
}

/* ---- the sum ------------------------------------------------------------- */

/* q_v . z_v; of the node itself with `own` in place of the term q_u . e_u. */
static void find_contributions(const kith_solution *s, const double *to,
                               const double *Z, kith_explanation *e)
{
    const int C = e->classes;
    const int64_t at = (int64_t)e->node * C;

#pragma omp parallel for num_threads(s->storage.task.threads) schedule(static)
    for (int32_t v = 0; v < e->nodes; v++) {
        double sum = 0;

        for (int64_t i = (int64_t)v * C; i < (int64_t)(v + 1) * C; i++)
            sum += (double)s->b.Q[i] * Z[i];
        e->contribution[v] = sum;
    }
    for (int c = 0; s->b.self_term && c < C; c++)
        e->contribution[e->node] +=
            ((double)s->b.self_term[at + c] - (double)s->b.Q[at + c]) * to[c];
    e->contribution[e->node] -= e->constant;
}

/*
 * What neighbours pass in the last step: after t steps of a sum that is P of
 * t - 1, made again in *made unless the last step changed next to nothing;
 * where own parts stand beside, Q.
 */
static kith_status passed_on(const kith_solution *s, const float **passed,
                             float **made, kith_error *err)
{
    static const double NOTHING = 1e-5;
    const kith__task *t = &s->storage.task;
    const kith_certificate *run = &s->b.certificate;
    const int64_t cells = (int64_t)t->n * t->classes;
    const kith__stopping stopping = kith__stopping_of(t, run->iterations - 1,
                                                      -1);
    kith_certificate unused;
    kith_status st = KITH_OK;
    float *other = NULL;

    *passed = s->b.self_term ? s->b.Q : s->b.P;
    if (s->b.linear == KITH__FIXED_POINT || s->b.self_term ||
        run->iterations == 0 || (run->residual <= NOTHING && !s->b.roots))
        return KITH_OK;
    TRY_NEW(*made, kith__alloc_big(cells, sizeof(**made)));
    TRY_NEW(other, kith__alloc_big(cells, sizeof(*other)));
    memcpy(*made, s->b.Q, (size_t)cells * sizeof(**made));
    TRY(kith__iterate(&s->op, &stopping, s->b.Q, *made, other, &unused, err));
    *passed = *made;
out:
    kith__free(other);
    return st;
}

static kith_status find_ways(const kith_solution *s, const double *to,
                             int32_t most, kith_explanation *e, kith_error *err)
{
    const int steps = s->b.certificate.iterations;
    const bool far = s->b.linear == KITH__FIXED_POINT || steps > KITH_PATH_MOST;
    const kith__walk walk = {.W = &s->op,
                             .classes = e->classes,
                             .Q = s->b.Q,
                             .H = s->b.coupling,
                             .to = to,
                             .longest = far ? KITH_PATH_MOST : steps,
                             .longer = far};
    const float *passed;
    float *made = NULL;
    kith_status st = KITH_OK;

    if (walk.longest == 0)
        return KITH_OK;
    TRY(passed_on(s, &passed, &made, err));
    TRY(kith__find_neighbours(&walk, passed, most, e, err));
    TRY(kith__find_paths(&walk, most, e, err));
out:
    kith__free(made);
    return st;
}

/* ---- features ------------------------------------------------------------ */

/* The columns that weigh most in the node's logit of the class. */
static kith_status find_features(const kith_solution *s, int32_t most,
                                 kith_explanation *e, kith_error *err)
{
    const kith_model *m = s->model;
    const char *of = m->params.smooth > 0 ? "averaged over the graph" : "own";
    kith_status st = KITH_OK;
    kith__feature_matrix design = {0};
    kith__csr_matrix row = {0};

    TRY_NEW(e->features, kith__alloc(most, sizeof(*e->features)));
    TRY(kith__feature_matrix_new(s->data->graph, s->data->features,
                                 m->params.prep, m->params.smooth, m->idf,
                                 &s->job, &design, err));
    TRY(kith__feature_matrix_rows(&design, &e->node, 1, &row, err));
    for (int64_t p = kith__row_begin(&row, 0); p < kith__row_begin(&row, 1);
         p++) {
        const int32_t j = kith__column_of(&row, p);
        const double w = kith__centred_weight(m->weights, j, m->classes,
                                              e->of_class);
        const double y = (double)row.value[p];

        kith__keep_feature(
            e, most,
            (kith_feature_part){j, y, w, y * w, of,
                                kith__feature_name(s->data->features, j),
                                false});
    }
    e->bias = kith__centred_weight(m->weights, m->columns, m->classes,
                                   e->of_class);
    e->feature_sum += e->bias;
out:
    kith__csr_matrix_release(&row);
    kith__feature_matrix_release(&design);
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

/* t: the class's belief; less the mean over the classes where terms of nodes
 * themselves stand beside, which are not centred. */
static void choose_target(const kith_solution *s, const kith_explanation *e,
                          double *to)
{
    for (int c = 0; c < e->classes; c++)
        to[c] = (c == e->of_class) - (s->b.self_term ? 1.0 / e->classes : 0);
}

/* The belief, and the node's own part of it. */
static void find_belief(const kith_solution *s, const double *to,
                        kith_explanation *e)
{
    const int64_t at = (int64_t)e->node * e->classes;
    const float *own = s->b.self_term ? s->b.self_term : s->b.Q;

    for (int c = 0; c < e->classes; c++) {
        e->belief += (double)s->b.P[at + c] * to[c];
        e->own += (double)own[at + c] * to[c];
    }
    if (s->b.self_term &&
        s->b.logits) { /* logits: their bias is no one's own */
        e->constant = kith__logit_bias(s, e);
        e->own -= e->constant;
    }
    if (s->b.roots)
        e->belief = copysign(pow(e->belief, 4), e->belief);
    e->clamped = s->trained[e->node] >= 0 && !s->b.self_term &&
                 (s->model->params.clamp || !s->model->weights);
}

static kith_status explain_propagation(const kith_solution *s, int32_t most,
                                       kith_explanation *e, kith_error *err)
{
    kith_status st = KITH_OK;
    double *to = NULL, *Z = NULL;

    TRY(kith__check_linear(s, err));
    TRY_NEW(to, kith__alloc(e->classes, sizeof(*to)));
    choose_target(s, e, to);
    find_belief(s, to, e);
    TRY(find_adjoint(s, e, to, &Z, err));
    TRY(kith__new_parts(e, most, err));
    find_contributions(s, to, Z, e);
    kith__sum_parts(s, most, e);
    if (e->kind == KITH_SUM_FIXED_POINT) /* R = Q + W P H - P */
        e->unconverged = -kith__residual_dot(&s->op, s->b.P, s->b.Q, Z);
    TRY(find_ways(s, to, most, e, err));
    e->iterations = s->b.certificate.iterations;
out:
    kith__free(to);
    kith__free(Z);
    return st;
}

/* logreg: the belief is what the features say, less the mean over classes. */
static void explain_features_alone(const kith_solution *s, kith_explanation *e)
{
    e->belief = kith__centred_weight(s->b.P, e->node, e->classes, e->of_class);
    e->constant = e->bias;
    e->own = e->feature_sum - e->bias;
}

kith_sum_kind kith__sum_kind_of(const kith_solution *s)
{
    if (strcmp(s->model->method, "logreg") == 0)
        return KITH_SUM_FEATURES;
    if (s->b.linear == KITH__LOGITS)
        return KITH_SUM_LOGITS;
    if (s->b.self_term)
        return s->b.certificate.iterations > 0 ? KITH_SUM_BESIDE : KITH_SUM_OWN;
    return s->b.linear == KITH__FIXED_POINT ? KITH_SUM_FIXED_POINT
                                            : KITH_SUM_STEPS;
}

static kith_status explain_any(const kith_solution *s, int32_t most,
                               kith_explanation *e, kith_error *err)
{
    kith_status st = KITH_OK;

    e->kind = kith__sum_kind_of(s);
    e->roots = s->b.roots;
    e->paths_complete = true;
    if (e->kind == KITH_SUM_LOGITS)
        TRY(kith__explain_logits(s, most, e, err));
    else if (e->kind != KITH_SUM_FEATURES)
        TRY(explain_propagation(s, most, e, err));
    if (s->model->weights)
        TRY(find_features(s, most, e, err));
    else if (s->b.logits)
        TRY(kith__find_columns(s, most, e, err));
    if (e->kind == KITH_SUM_FEATURES)
        explain_features_alone(s, e);
    e->sum = e->own + e->echo + e->labelled + e->others + e->constant +
             e->unconverged;
    e->residual = e->belief - e->sum;
    TRY(kith__find_without(s, e, err));
out:
    return st;
}

/* The class asked for or the most probable one, and its probability. */
static kith_status choose_class(const kith_solution *s, kith_explanation *e,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    float *row = NULL;

    TRY_NEW(row, kith__alloc(e->classes, sizeof(*row)));
    kith__probabilities(s->model, &s->storage.task, &s->b, e->node, 1, row);
    for (int c = 0; c < e->classes; c++)
        if (row[c] > row[e->likeliest])
            e->likeliest = c;
    if (e->of_class < 0)
        e->of_class = e->likeliest;
    e->probability = (double)row[e->of_class];
    e->likeliest_probability = (double)row[e->likeliest];
out:
    kith__free(row);
    return st;
}

kith_status kith_explain(const kith_solution *s, int32_t node, int32_t of_class,
                         int32_t most, kith_explanation **out, kith_error *err)
{
    const kith__task *t = &s->storage.task;
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
                            .classes = t->classes,
                            .graph_changed = kith_graph_hash(t->graph) !=
                                             s->model->graph_hash};
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

/* ---- in words ------------------------------------------------------------ */

const char *kith_sum_name(kith_sum_kind kind)
{
    static const char *const names[] = {
        [KITH_SUM_STEPS] = "steps",
        [KITH_SUM_FIXED_POINT] = "fixed-point",
        [KITH_SUM_FEATURES] = "features",
        [KITH_SUM_OWN] = "own",
        [KITH_SUM_BESIDE] = "beside",
        [KITH_SUM_LOGITS] = "logits",
    };

    return names[kind];
}

const char *kith_explanation_words(const kith_explanation *e)
{
    static const char *const words[] = {
        [KITH_SUM_STEPS] = "exact, of the iterations that were done",
        [KITH_SUM_FIXED_POINT] = "exact, of the fixed point",
        [KITH_SUM_FEATURES] = "exact, of the node's own features",
        [KITH_SUM_OWN] = "none from other nodes: the model ignores the graph",
        [KITH_SUM_BESIDE] = "exact, of one step over a fitted coupling; the "
                            "node's own potential stands beside it",
        [KITH_SUM_LOGITS] = "exact, of the features of all nodes as seen "
                            "through the graph",
    };

    return e->roots ? "exact, of the iterations that were done, before the "
                      "fourth root that the model takes of beliefs"
                    : words[e->kind];
}

static const char *own_words(const kith_explanation *e)
{
    if (e->kind == KITH_SUM_FEATURES)
        return "the node's features";
    if (e->clamped)
        return "the node's own label";
    if (e->own == 0)
        return "the node itself (nothing known)";
    if (e->kind == KITH_SUM_OWN || e->kind == KITH_SUM_BESIDE)
        return "what is known of the node itself";
    return e->n_features > 0 ? "the node's own features"
                             : "the bias, as of any node";
}

int32_t kith_explanation_summands(const kith_explanation *e,
                                  kith_summand out[KITH_SUMMANDS_MOST])
{
    const bool seen = e->kind == KITH_SUM_LOGITS;
    int32_t n = 0;

    out[n++] = (kith_summand){own_words(e), e->own};
    if (e->kind == KITH_SUM_FEATURES || e->kind == KITH_SUM_OWN ||
        e->kind == KITH_SUM_BESIDE)
        out[n++] = (kith_summand){"the class's bias, as of any node",
                                  e->constant};
    if (e->kind == KITH_SUM_FEATURES || e->kind == KITH_SUM_OWN)
        return n;
    if (e->kind != KITH_SUM_BESIDE)
        out[n++] = (kith_summand){"the same, returning over neighbours",
                                  e->echo};
    out[n++] = (kith_summand){seen ? "features of other labelled nodes"
                                   : "other labelled nodes",
                              e->labelled};
    out[n++] = (kith_summand){seen ? "features of nodes without a known label"
                                   : "nodes without a known label",
                              e->others};
    if (seen)
        out[n++] = (kith_summand){"the class's bias, less the mean of features",
                                  e->constant};
    if (e->kind == KITH_SUM_FIXED_POINT)
        out[n++] = (kith_summand){"left by stopping before convergence",
                                  e->unconverged};
    return n;
}
