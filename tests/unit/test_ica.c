/*
 * test_ica.c: which penalty iterative classification takes, and that what is
 * taken is what is fitted and applied.
 */
#include "small_graphs.h"

enum { N = 40, D = 5, C = 3, TRAIN = 9, VAL = 15 };

typedef struct scene {
    kith_graph *g;
    small_task task;
    float x[N * D];
    kith_features f;
    int32_t node[VAL], truth[VAL];
    kith__labelled_nodes val;
} scene;

static void scene_new(scene *s, int how)
{
    kith__rng r = kith__rng_start(3, (uint64_t)how);

    s->g = small_graph(N, 80, false, 71);
    small_task_new(&s->task, s->g, C, TRAIN, 1);
    for (int i = 0; i < N * D; i++)
        s->x[i] = (float)(kith__rng_real(&r) + .4 * (i % D == i / D % C));
    s->f = (kith_features){
        .nodes = N, .columns = D, .entries = N * D, .value = s->x};
    for (int i = 0; i < VAL; i++) {
        s->node[i] = TRAIN + i;
        s->truth[i] = s->node[i] % C;
    }
    s->val = (kith__labelled_nodes){s->node, s->truth, VAL};
}

static void scene_release(scene *s)
{
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* With this penalty, or, if it is 0, with what validation takes. */
static double fit(const scene *s, const kith_features *f, double penalty,
                  kith__fit_state *state, float *P)
{
    kith__beliefs out = {.P = P};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    if (penalty > 0)
        CHECK(kith__fit_state_set(state, "penalty", penalty));
    CHECK_OK(kith__ica_fit(&s->task.task, f, &o, &s->val, state, &out, &err));
    return kith__fit_state_number(state, "penalty", -1);
}

TEST(validation_takes_the_best_penalty)
{
    const double penalties[] = {.5, .05, 5, 50, 500}; /* as documented */

    for (int how = 0; how < 8; how++) {
        float P[N * C], wanted[N * C], again[N * C];
        kith__fit_state state = {0}, applied = {0};
        kith__score best = {-1, 0};
        double chosen = 0;
        kith_error err;
        static scene s;
        const kith_features *f = how % 4 == 3 ? NULL : &s.f;

        scene_new(&s, how);
        for (int i = 0; i < 5; i++) {
            kith__fit_state one = {0};
            kith__score score;

            CHECK_NEAR(fit(&s, f, penalties[i], &one, P), penalties[i], 0);
            score = kith__score_of(P, C, &s.val);
            if (kith__better(&score, &best)) {
                best = score;
                chosen = penalties[i];
                memcpy(wanted, P, sizeof(P));
            }
            kith__fit_state_release(&one);
        }
        CHECK_NEAR(fit(&s, f, 0, &applied, P), chosen, 0);
        CHECK(memcmp(P, wanted, sizeof(P)) == 0);
        CHECK_OK(kith__ica_apply(&s.task.task, f, &applied,
                                 &(kith__beliefs){.P = again}, &err));
        CHECK(memcmp(again, wanted, sizeof(P)) == 0);
        kith__fit_state_release(&state);
        kith__fit_state_release(&applied);
        scene_release(&s);
    }
}
