/*
 * test_solution_update.c: beliefs with labels that came later, against a run
 * with all of them.
 */
#include <math.h>
#include <unistd.h>

#include "generated.h"
#include "models/model_object.h"
#include "models/solution.h"

enum { N = 300, CLASSES = 3, OLD = 40, NEW = 6 };

typedef struct scene {
    kith_dataset *d;
    kith_split old, grown;
    kith_train_options o;
    kith_model *m;
    kith_solution *s;
    int32_t nodes[NEW], classes[NEW];
} scene;

static kith_split split_of(const kith_dataset *d, int32_t n)
{
    int32_t train[OLD + NEW];
    const kith_array known = {train, KITH_I32, n};
    kith_split s = {0};
    kith_error err;

    for (int32_t i = 0; i < n; i++)
        train[i] = i * 6;
    CHECK_OK(
        kith_split_from_arrays(d->graph, &known, NULL, NULL, "s", &s, &err));
    return s;
}

static void scene_new(scene *x, const char *method, int32_t features)
{
    kith_error err;

    memset(x, 0, sizeof(*x));
    x->d = generated_with(N, CLASSES, features, .7, 8);
    x->old = split_of(x->d, OLD);
    x->grown = split_of(x->d, OLD + NEW);
    for (int i = 0; i < NEW; i++) {
        x->nodes[i] = (OLD + i) * 6;
        x->classes[i] = x->d->labels->of[x->nodes[i]];
    }
    kith_train_options_init(&x->o);
    x->o.fixed = KITH_FIX_ALL;
    x->o.temperature = .3;
    x->o.params.tolerance = 0;
    x->o.params.iterations = 12;
    x->o.params.clamp = true;
    CHECK_OK(
        kith_solution_train(x->d, method, &x->old, &x->o, &x->m, &x->s, &err));
}

static void scene_release(scene *x)
{
    kith_solution_free(x->s);
    kith_model_free(x->m);
    kith_split_release(&x->old);
    kith_split_release(&x->grown);
    kith_dataset_free(x->d);
}

/* Probabilities and evidence of another solution. */
static void check_same(const kith_solution *a, const kith_solution *b,
                       double near)
{
    static float p[N * CLASSES], q[N * CLASSES];

    kith_solution_probabilities(a, p);
    kith_solution_probabilities(b, q);
    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(p[i], q[i], near);
    for (int u = 0; u < N; u++) {
        CHECK_INT(kith_solution_trained(a, u), kith_solution_trained(b, u));
        CHECK_INT(kith_solution_evidence(a)[u], kith_solution_evidence(b)[u]);
    }
}

TEST(linbp_with_new_labels_is_linbp_trained_with_them)
{
    kith_solution *expected = NULL;
    kith_model *m = NULL;
    kith_update told;
    kith_error err;
    scene x;

    scene_new(&x, "linbp", 0);
    CHECK_OK(
        kith_solution_train(x.d, "linbp", &x.grown, &x.o, &m, &expected, &err));
    CHECK_OK(kith_solution_update(x.s, x.nodes, x.classes, NEW, &told, &err));
    CHECK_INT(told.added, NEW);
    CHECK_INT(told.changed + told.removed, 0);
    CHECK_INT(told.steps, 12);
    check_same(x.s, expected, 2e-6);
    kith_solution_free(expected);
    kith_model_free(m);
    scene_release(&x);
}

/* Its beliefs are shown as fourth roots. */
TEST(lcm_em_of_labels_alone_too)
{
    kith_solution *expected = NULL;
    kith_model *m = NULL;
    kith_error err;
    scene x;

    scene_new(&x, "lcm-em", 0);
    CHECK(x.s->b.roots);
    x.o.like = x.m;
    CHECK_OK(kith_solution_train(x.d, "lcm-em", &x.grown, &x.o, &m, &expected,
                                 &err));
    CHECK_OK(kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err));
    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(x.s->b.P[i], expected->b.P[i], 2e-5);
    kith_solution_free(expected);
    kith_model_free(m);
    scene_release(&x);
}

/* A label given, changed and taken back leaves what was there. */
TEST(labels_change_and_go)
{
    static float before[N * CLASSES], after[N * CLASSES];
    int32_t twice[] = {5, 5}, classes[] = {1, 2}, none[] = {-1};
    kith_update told;
    kith_error err;
    scene x;

    scene_new(&x, "linbp", 0);
    kith_solution_probabilities(x.s, before);
    CHECK_OK(kith_solution_update(x.s, twice, classes, 2, &told, &err));
    CHECK_INT(told.added, 1);
    CHECK_INT(told.changed, 1);
    CHECK_INT(kith_solution_trained(x.s, 5), 2);
    CHECK_INT(kith_solution_evidence(x.s)[5], KITH_EVIDENCE_STRONG);
    CHECK_OK(kith_solution_update(x.s, twice, none, 1, &told, &err));
    CHECK_INT(told.removed, 1);
    kith_solution_probabilities(x.s, after);
    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(after[i], before[i], 2e-6);
    CHECK_OK(kith_solution_update(x.s, NULL, NULL, 0, &told, &err));
    CHECK_INT(told.edges, 0);
    scene_release(&x);
}

/* Belief = sum of parts, of the new labels too; W and H are what was learnt. */
static void check_explained(const char *method, int32_t features)
{
    kith_explanation *e = NULL;
    kith_error err;
    double belief;
    scene x;

    scene_new(&x, method, features);
    CHECK_OK(kith_explain(x.s, 3, 0, 5, &e, &err));
    belief = e->belief;
    kith_explanation_free(e);
    CHECK_OK(kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err));
    CHECK_OK(kith_explain(x.s, 3, 0, 5, &e, &err));
    CHECK(fabs(e->belief - belief) > 1e-7);
    CHECK_NEAR(e->sum, e->belief, 2e-5);
    kith_explanation_free(e);
    scene_release(&x);
}

TEST(explanations_are_of_the_new_labels)
{
    check_explained("linbp", 0);
    check_explained("lcm", 0);
    check_explained("linbp", 20);
}

/* Q + W P H - P */
static void remainder_of(const kith_solution *s, double *out)
{
    for (int i = 0; i < N * CLASSES; i++) {
        const int u = i / CLASSES, c = i % CLASSES;
        const kith__operator *op = &s->op;

        out[i] = (double)s->b.Q[i] - (double)s->b.P[i];
        for (int64_t p = op->rows[u]; p < op->rows[u + 1]; p++)
            for (int a = 0; a < CLASSES; a++)
                out[i] += kith__operator_weight(op, u, p) *
                          (double)s->b.P[op->neighbours[p] * CLASSES + a] *
                          (double)s->b.coupling[a * CLASSES + c];
    }
}

/* lcm stops before its fixed point; an update leaves it as far from there. */
TEST(lcm_is_as_near_its_fixed_point_as_it_was)
{
    static double before[N * CLASSES], after[N * CLASSES];
    kith_error err;
    scene x;

    scene_new(&x, "lcm", 0);
    remainder_of(x.s, before);
    CHECK_OK(kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err));
    remainder_of(x.s, after);
    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(after[i], before[i], 2e-6);
    scene_release(&x);
}

TEST(an_updated_solution_is_kept_with_its_labels)
{
    const char *path = check_path("updated.ks");
    kith_solution *again = NULL;
    kith_error err;
    scene x;

    scene_new(&x, "linbp", 0);
    CHECK_OK(kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err));
    CHECK_OK(kith_solution_save(x.s, path, NULL, &err));
    CHECK_OK(kith_solution_open(path, x.m, x.d, NULL, &again, &err));
    check_same(x.s, again, 0);
    CHECK_OK(kith_solution_update(again, x.nodes, x.classes, NEW, NULL, &err));
    check_same(x.s, again, 1e-7);
    kith_solution_free(again);
    unlink(path);
    scene_release(&x);
}

TEST(what_cannot_be_updated_is_refused)
{
    const int32_t bad[] = {N}, none[] = {-1}, many[] = {CLASSES};
    kith_error err;
    scene x;

    scene_new(&x, "linbp", 0);
    CHECK_INT(kith_solution_update(x.s, bad, x.classes, 1, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK_INT(kith_solution_update(x.s, none, x.classes, 1, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK_INT(kith_solution_update(x.s, x.nodes, many, 1, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK_OOM(
        st = kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err),
        (void)0);
    scene_release(&x);
    scene_new(&x, "linbp", 20);
    CHECK_INT(kith_solution_update(x.s, x.nodes, none, 1, NULL, &err),
              KITH_ERR_ARGUMENT);
    scene_release(&x);
    scene_new(&x, "bp", 0);
    CHECK_INT(kith_solution_update(x.s, x.nodes, x.classes, NEW, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "bp") != NULL);
    scene_release(&x);
}
