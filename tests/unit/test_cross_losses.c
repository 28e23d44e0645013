/*
 * test_cross_losses.c: no validation node is judged by what was fitted to it.
 */
#include <math.h>

#include "models/cross_losses.h"
#include "models/potentials/out_of_fold.h"
#include "models/solution.h"
#include "models/task_storage.h"
#include "small_graphs.h"

enum { N = 40, C = 2, VAL = 24 };

/* Beliefs that know a node's class with a noise, on a small graph. */
typedef struct scene {
    kith_graph *g;
    small_task task;
    char method[8];
    kith_model m;
    int32_t node[VAL], truth[VAL];
    kith__labelled_nodes val;
    kith__beliefs b;
} scene;

static void scene_new(scene *s)
{
    kith__rng r = kith__rng_start(5, 1);
    kith_error err;

    *s = (scene){.g = small_graph(N, 80, false, 3), .method = "linbp"};
    s->m = (kith_model){.method = s->method, .classes = C};
    small_task_new(&s->task, s->g, C, 10, 1);
    CHECK_OK(kith__beliefs_new(&s->task.task, (kith__wanted){0}, &s->b, &err));
    for (int u = 0; u < N; u++)
        for (int c = 0; c < C; c++)
            s->b.P[u * C + c] = (float)((c == u % C) + kith__rng_real(&r) * 2);
    for (int i = 0; i < VAL; i++) {
        s->node[i] = 12 + i;
        s->truth[i] = s->node[i] % C;
    }
    s->val = (kith__labelled_nodes){s->node, s->truth, VAL};
    CHECK_OK(kith__evidence_of(&s->m, &s->task.task, NULL, &s->b, &err));
}

static void scene_release(scene *s)
{
    kith__beliefs_release(&s->b);
    small_task_release(&s->task);
    kith_graph_free(s->g);
}

/* Literally: a calibration of the others' half, and what it says. */
TEST(each_half_is_judged_by_the_other)
{
    int32_t node[VAL], truth[VAL], n;
    float out[VAL], P[N * C];
    int part[VAL];
    kith_error err;
    scene s;

    scene_new(&s);
    CHECK_OK(kith__deal(&s.task.task, &s.val, 2, part, &err));
    CHECK_OK(kith__cross_losses(&s.task.task, &s.b, &s.val, &s.m, out, &err));
    CHECK(s.m.calibration.prior == NULL); /* the model is as it was */
    for (int half = 0; half < 2; half++) {
        kith_model m = s.m;

        n = 0;
        for (int i = 0; i < VAL; i++)
            if (part[i] != half) {
                node[n] = s.node[i];
                truth[n++] = s.truth[i];
            }
        CHECK(n > 0 && n < VAL);
        CHECK_OK(kith__calibrate(&s.task.task, &s.b,
                                 &(kith__labelled_nodes){node, truth, n}, &m,
                                 &err));
        kith__probabilities(&m, &s.task.task, &s.b, 0, N, P);
        for (int i = 0; i < VAL; i++)
            if (part[i] == half)
                CHECK_NEAR(out[i], -log((double)P[s.node[i] * C + s.truth[i]]),
                           1e-5);
        kith__calibration_release(&m.calibration);
    }
    scene_release(&s);
}

TEST(what_a_method_says_itself_is_taken)
{
    float own[VAL], out[VAL];
    kith_error err;
    scene s;

    scene_new(&s);
    for (int i = 0; i < VAL; i++)
        own[i] = (float)i;
    s.b.val_loss = own;
    CHECK_OK(kith__cross_losses(&s.task.task, &s.b, &s.val, &s.m, out, &err));
    for (int i = 0; i < VAL; i++)
        CHECK_NEAR(out[i], i, 0);
    s.b.val_loss = NULL;
    scene_release(&s);
}
