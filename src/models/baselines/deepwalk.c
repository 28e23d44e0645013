/*
 * deepwalk.c: DeepWalk (Perozzi, Al-Rfou, Skiena, KDD 2014): vectors of the
 * nodes by skip-gram on random walks (nn/skipgram.h; negative sampling in place
 * of the authors' hierarchical softmax), then logistic regression on them.
 *
 * The vectors have 128 numbers, scaled to length 1 per node; labels and
 * features play no part in them.  Validation nodes choose the penalty of the
 * regression.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/baselines/net_method.h"
#include "models/potentials/logreg.h"
#include "nn/skipgram.h"

enum { SIZE = 128 };

static const double penalties[] = {.05, .5, .005, 5};

static void scale_rows(float *E, int32_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t u = 0; u < n; u++) {
        float *e = E + (int64_t)u * SIZE;
        double sum = 1e-30;

        for (int c = 0; c < SIZE; c++)
            sum += (double)e[c] * (double)e[c];
        for (int c = 0; c < SIZE; c++)
            e[c] = (float)((double)e[c] / sqrt(sum));
    }
}

/* P = E B + b */
static void classify(const kith__task *t, const float *E, const float *B,
                     float *P)
{
    const int C = t->classes;

#pragma omp parallel for num_threads(t->threads) schedule(static)
    for (int32_t u = 0; u < t->n; u++) {
        float *p = P + (int64_t)u * C;

        for (int c = 0; c < C; c++)
            p[c] = B[SIZE * C + c];
        for (int j = 0; j < SIZE; j++)
            for (int c = 0; c < C; c++)
                p[c] += E[(int64_t)u * SIZE + j] * B[j * C + c];
    }
}

static kith_status rows_of(const kith__task *t, const float *E,
                           kith__csr_matrix *out, kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__csr_matrix){.n = t->n_train, .columns = SIZE};
    TRY_NEW(out->value, kith__alloc((int64_t)t->n_train * SIZE, sizeof(float)));
    for (int32_t l = 0; l < t->n_train; l++)
        for (int c = 0; c < SIZE; c++)
            out->value[(int64_t)l * SIZE + c] =
                E[(int64_t)t->train[l] * SIZE + c];
out:
    return st;
}

/* The best penalty into the state, if there is a choice. */
static kith_status choose(const kith__task *t, const kith__csr_matrix *rows,
                          const float *E, const kith__labelled_nodes *val,
                          kith__fit_state *state, float *P, kith_error *err)
{
    double accuracy = -1, loss = HUGE_VAL;
    kith_status st = KITH_OK;
    float *B = NULL;

    for (size_t i = 0; i < sizeof(penalties) / sizeof(*penalties); i++) {
        double a, l;

        kith__free(B);
        TRY_NEW(B, kith__alloc_zeroed((SIZE + 1) * t->classes, sizeof(float)));
        TRY(kith__logreg_fit(rows, t->truth, t->classes, penalties[i], false, B,
                             err));
        classify(t, E, B, P);
        a = kith__accuracy(P, t->classes, val);
        l = kith__log_loss(P, t->classes, val,
                           kith__fit_temperature(P, t->classes, val));
        if (a < accuracy || (a == accuracy && !(l < loss)))
            continue;
        accuracy = a;
        loss = l;
        if (!kith__fit_state_set(state, "penalty", penalties[i]))
            TRY(kith__no_memory(err));
    }
out:
    kith__free(B);
    return st;
}

kith_status kith__deepwalk_fit(const kith__task *task,
                               const kith_features *features,
                               const kith_train_options *options,
                               const kith__labelled_nodes *val,
                               kith__fit_state *state, kith__beliefs *out,
                               kith_error *err)
{
    const bool choosing = kith__may_choose(options, val, state);
    const int asked = options->params.iterations;
    const double walks = kith__fit_state_number(state, "walks", asked);
    const kith__walks how = {.size = SIZE,
                             .walks = walks >= 1 && walks <= 1000 ? (int)walks
                                                                  : asked,
                             .length = 40,
                             .window = 5,
                             .rate = .05};
    const float *known = kith__known_vectors(options, task->graph, SIZE);
    kith__csr_matrix rows = {0};
    kith_status st = KITH_OK;
    float *E, *B;

    (void)features;
    TRY_NEW(E, kith__fit_state_array(state, "vectors", task->n, SIZE));
    if (known) {
        memcpy(E, known, (size_t)task->n * SIZE * sizeof(*E));
    } else {
        TRY(kith__skipgram(task->graph, &how, task->job, task->threads, E,
                           err));
        scale_rows(E, task->n, task->threads);
    }
    TRY(rows_of(task, E, &rows, err));
    if (!kith__fit_state_set(state, "walks", how.walks) ||
        !kith__fit_state_set(
            state, "penalty",
            kith__fit_state_number(state, "penalty", penalties[0])))
        TRY(kith__no_memory(err));
    if (choosing)
        TRY(choose(task, &rows, E, val, state, out->P, err));
    TRY_NEW(B,
            kith__fit_state_array(state, "weights", SIZE + 1, task->classes));
    TRY(kith__logreg_fit(&rows, task->truth, task->classes,
                         kith__fit_state_number(state, "penalty", penalties[0]),
                         false, B, err));
    TRY(kith__bind_graph(state, task->graph, err));
    classify(task, E, B, out->P);
    out->has_coupling = false;
    out->certificate = kith__plain_certificate(how.walks);
out:
    kith__csr_matrix_release(&rows);
    return st;
}

kith_status kith__deepwalk_apply(const kith__task *task,
                                 const kith_features *features,
                                 const kith__fit_state *state,
                                 kith__beliefs *out, kith_error *err)
{
    const float *E = kith__fit_state_values(state, "vectors", task->n, SIZE),
                *B = kith__fit_state_values(state, "weights", SIZE + 1,
                                            task->classes);
    kith_status st = KITH_OK;

    (void)features;
    TRY(kith__check_graph(state, task->graph, err));
    if (!E || !B)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "the model's vectors are not %d x %d", (int)task->n,
                       SIZE));
    classify(task, E, B, out->P);
    out->has_coupling = false;
    out->certificate = kith__plain_certificate((int32_t)fmin(
        fmax(kith__fit_state_number(state, "walks", 0), 0), 1000));
out:
    return st;
}
