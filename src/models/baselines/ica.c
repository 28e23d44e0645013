/*
 * ica.c: iterative classification (Neville, Jensen, AAAI workshop on learning
 * statistical models from relational data, 2000; Sen, Namata, Bilgic, Getoor,
 * Gallagher, Eliassi-Rad, AI Magazine 2008).
 *
 *     local classifier:  z_u = [ x_u, s_u ] B + b
 *     s_u = weighted shares of the classes among the neighbours of u, by their
 *           current labels; known labels for training nodes
 *
 * The first labels are from logistic regression on x alone.  B is fitted on the
 * training nodes ROUNDS times, each time to the shares that the last B led to,
 * as few neighbours of training nodes are training nodes.  Prediction starts
 * again from the first labels and repeats the final B ROUNDS times.  x has rows
 * of length 1; without features there is s alone.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/baselines/net_method.h"
#include "models/potentials/logreg.h"

enum { ROUNDS = 10 };

static const double penalties[] = {.5, .05, 5, 50, 500};

typedef struct ica {
    const kith__task *task;
    kith__feature_matrix x; /* its n is 0 without features */
    int32_t columns;
    int32_t *label; /* n: the current ones, -1 = none */
    float *shares;  /* n x classes */
    float *turned;  /* (columns + 1) x classes: B as the design takes it */
    float *P;       /* n x classes */
} ica;

static void release(ica *s)
{
    kith__feature_matrix_release(&s->x);
    kith__free(s->label);
    kith__free(s->shares);
    kith__free(s->turned);
}

static kith_status start(const kith__task *task, const kith_features *features,
                         float *P, ica *s, kith_error *err)
{
    const int C = task->classes;
    kith_status st = KITH_OK;

    s->task = task;
    s->P = P;
    s->columns = features ? features->columns : 0;
    if (features)
        TRY(kith__feature_matrix_new(task->graph, features, KITH_PREP_L2, 0,
                                     NULL, task->job, &s->x, err));
    TRY_NEW(s->label, kith__alloc(task->n, sizeof(int32_t)));
    TRY_NEW(s->shares, kith__alloc((int64_t)task->n * C, sizeof(float)));
    TRY_NEW(s->turned,
            kith__alloc(((int64_t)s->columns + 1) * C, sizeof(float)));
out:
    return st;
}

/* The label of every node from P; training nodes keep theirs. */
static void take_labels(ica *s)
{
    const int C = s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++) {
        const float *p = s->P + (int64_t)u * C;
        int best = 0;

        for (int c = 1; c < C; c++)
            best = p[c] > p[best] ? c : best;
        s->label[u] = best;
    }
    for (int32_t l = 0; l < s->task->n_train; l++)
        s->label[s->task->train[l]] = s->task->truth[l];
}

static void find_shares(ica *s)
{
    const kith_graph *g = s->task->graph;
    const int64_t *rows = kith_graph_rows(g);
    const int32_t *neighbours = kith_graph_neighbours(g);
    const float *weights = kith_graph_weights(g);
    const int C = s->task->classes;

#pragma omp parallel for num_threads(s->task->threads) schedule(dynamic, 256)
    for (int32_t u = 0; u < s->task->n; u++) {
        float *share = s->shares + (int64_t)u * C, sum = 0;

        memset(share, 0, (size_t)C * sizeof(*share));
        for (int64_t p = rows[u]; p < rows[u + 1]; p++) {
            const float w = weights ? weights[p] : 1;

            if (s->label[neighbours[p]] < 0)
                continue;
            share[s->label[neighbours[p]]] += w;
            sum += w;
        }
        for (int c = 0; c < C && sum > 0; c++)
            share[c] /= sum;
    }
}

/* The first labels: of features by B, else of training nodes alone. */
static kith_status first_labels(ica *s, const float *B, kith_error *err)
{
    kith_status st = KITH_OK;

    if (s->columns > 0) {
        TRY(kith__feature_matrix_apply(&s->x, B, s->task->classes, s->P, err));
        take_labels(s);
        return st;
    }
    memset(s->label, -1, (size_t)s->task->n * sizeof(*s->label));
    for (int32_t l = 0; l < s->task->n_train; l++)
        s->label[s->task->train[l]] = s->task->truth[l];
out:
    return st;
}

/* P and labels by the local classifier B, (columns + classes + 1) x classes. */
static kith_status classify(ica *s, const float *B, kith_error *err)
{
    const int C = s->task->classes;
    const float *of_shares = B + (int64_t)s->columns * C,
                *bias = of_shares + (int64_t)C * C;
    kith_status st = KITH_OK;

    memcpy(s->turned, B, (size_t)s->columns * (size_t)C * sizeof(*B));
    memcpy(s->turned + (int64_t)s->columns * C, bias, (size_t)C * sizeof(*B));
    if (s->columns > 0)
        TRY(kith__feature_matrix_apply(&s->x, s->turned, C, s->P, err));
#pragma omp parallel for num_threads(s->task->threads) schedule(static)
    for (int32_t u = 0; u < s->task->n; u++) {
        const float *share = s->shares + (int64_t)u * C;
        float *p = s->P + (int64_t)u * C;

        if (s->columns == 0)
            memcpy(p, bias, (size_t)C * sizeof(*p));
        for (int j = 0; j < C; j++)
            for (int c = 0; c < C; c++)
                p[c] += share[j] * of_shares[j * C + c];
    }
    take_labels(s);
out:
    return st;
}

/* Rows [x_u, s_u] of the training nodes, sparse. */
static kith_status local_rows(const ica *s, kith__csr_matrix *out,
                              kith_error *err)
{
    const kith__csr_matrix *x = &s->x.x;
    const kith__task *t = s->task;
    const int C = t->classes;
    kith_status st = KITH_OK;
    int64_t entries = (int64_t)t->n_train * C, to = 0;

    for (int32_t l = 0; l < t->n_train && s->columns > 0; l++)
        entries += kith__row_begin(x, t->train[l] + 1) -
                   kith__row_begin(x, t->train[l]);
    *out = (kith__csr_matrix){.n = t->n_train, .columns = s->columns + C};
    TRY_NEW(out->row,
            kith__alloc_zeroed((int64_t)t->n_train + 1, sizeof(*out->row)));
    TRY_NEW(out->column, kith__alloc(entries, sizeof(*out->column)));
    TRY_NEW(out->value, kith__alloc(entries, sizeof(*out->value)));
    for (int32_t l = 0; l < t->n_train; l++) {
        const int32_t u = t->train[l];
        const int64_t from = s->columns > 0 ? kith__row_begin(x, u) : 0,
                      end = s->columns > 0 ? kith__row_begin(x, u + 1) : 0;

        for (int64_t p = from; p < end; p++, to++) {
            out->column[to] = kith__column_of(x, p);
            out->value[to] = x->value[p];
        }
        for (int c = 0; c < C; c++, to++) {
            out->column[to] = s->columns + c;
            out->value[to] = s->shares[(int64_t)u * C + c];
        }
        out->row[l + 1] = to;
    }
out:
    return st;
}

static kith_status fit_local(ica *s, double penalty, float *B, kith_error *err)
{
    kith__csr_matrix rows = {0};
    kith_status st = KITH_OK;

    TRY(local_rows(s, &rows, err));
    TRY(kith__logreg_fit(&rows, s->task->truth, s->task->classes, penalty,
                         false, B, err));
out:
    kith__csr_matrix_release(&rows);
    return st;
}

/* P from the two classifiers. */
static kith_status predict(ica *s, const float *first, const float *B,
                           kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(first_labels(s, first, err));
    for (int i = 0; i < ROUNDS; i++) {
        find_shares(s);
        TRY(classify(s, B, err));
    }
out:
    return st;
}

/* Both classifiers for one penalty, into zeroed arrays; P is what they say. */
static kith_status learn(ica *s, double penalty, float *first, float *B,
                         kith_error *err)
{
    const kith__task *t = s->task;
    kith__csr_matrix rows = {0};
    kith_status st = KITH_OK;

    if (s->columns > 0) {
        TRY(kith__feature_matrix_rows(&s->x, t->train, t->n_train, &rows, err));
        TRY(kith__logreg_fit(&rows, t->truth, t->classes, penalty, false, first,
                             err));
    }
    TRY(first_labels(s, first, err));
    for (int i = 0; i < ROUNDS; i++) {
        TRY(kith__progress(t->job, "training", i, ROUNDS, "rounds", err));
        find_shares(s);
        TRY(fit_local(s, penalty, B, err));
        TRY(classify(s, B, err));
    }
    TRY(predict(s, first, B, err));
out:
    kith__csr_matrix_release(&rows);
    return st;
}

kith_status kith__ica_fit(const kith__task *task, const kith_features *features,
                          const kith_train_options *options,
                          const kith__labelled_nodes *val,
                          kith__fit_state *state, kith__beliefs *out,
                          kith_error *err)
{
    const int points = kith__may_choose(options, val, state)
                           ? (int)(sizeof(penalties) / sizeof(*penalties))
                           : 1;
    const double given = kith__fit_state_number(state, "penalty", penalties[0]);
    const int C = task->classes;
    double accuracy = -1, loss = HUGE_VAL;
    kith_status st = KITH_OK;
    ica s = {0};

    TRY(start(task, features, out->P, &s, err));
    for (int i = 0; i <= points; i++) { /* the best one again in the end */
        const double penalty = points == 1 || i == points
                                   ? kith__fit_state_number(state, "penalty",
                                                            given)
                                   : penalties[i];
        float *first, *B;
        double a, l;

        TRY_NEW(first, kith__fit_state_array(state, "first",
                                             (int64_t)s.columns + 1, C));
        TRY_NEW(B, kith__fit_state_array(state, "weights",
                                         (int64_t)s.columns + C + 1, C));
        TRY(learn(&s, penalty, first, B, err));
        if (points == 1 || i == points)
            break;
        a = kith__accuracy(out->P, C, val);
        l = kith__log_loss(out->P, C, val,
                           kith__fit_temperature(out->P, C, val));
        if (a < accuracy || (a == accuracy && !(l < loss)))
            continue;
        accuracy = a;
        loss = l;
        if (!kith__fit_state_set(state, "penalty", penalty))
            TRY(kith__no_memory(err));
    }
    if (!kith__fit_state_set(state, "penalty",
                             kith__fit_state_number(state, "penalty", given)))
        TRY(kith__no_memory(err));
    out->has_coupling = false;
    out->certificate = kith__plain_certificate(ROUNDS);
out:
    release(&s);
    return st;
}

kith_status kith__ica_apply(const kith__task *task,
                            const kith_features *features,
                            const kith__fit_state *state, kith__beliefs *out,
                            kith_error *err)
{
    const int C = task->classes;
    const float *first, *B;
    kith_status st = KITH_OK;
    ica s = {0};

    TRY(start(task, features, out->P, &s, err));
    first = kith__fit_state_values(state, "first", (int64_t)s.columns + 1, C);
    B = kith__fit_state_values(state, "weights", (int64_t)s.columns + C + 1, C);
    if (!first || !B)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model was not trained with %d features",
                       (int)s.columns));
    TRY(predict(&s, first, B, err));
    out->has_coupling = false;
    out->certificate = kith__plain_certificate(ROUNDS);
out:
    release(&s);
    return st;
}
