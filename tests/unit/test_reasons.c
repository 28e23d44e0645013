/*
 * test_reasons.c: reasons against the exact sums that kith_explain() gives.
 */
#include "generated.h"
#include "models/explain/around.h"
#include "models/model_object.h"
#include "models/solution.h"

enum { N = 120, CLASSES = 3, MOST = KITH_REASONS_MOST };

typedef struct fixture {
    kith_dataset *data;
    kith_split split;
    kith_model like, *model;
    kith_solution *solution;
} fixture;

static void open_data(fixture *f, bool features)
{
    kith_error err;

    memset(f, 0, sizeof(*f));
    f->data = generated_with(N, CLASSES, features ? 30 : 0, .7, 10);
    CHECK_OK(kith_split_read(f->data, "0", &f->split, &err));
}

static void train(fixture *f, const char *method, const kith_train_options *o)
{
    kith_error err;

    CHECK_OK(
        kith_model_train(f->data, method, &f->split, o, &f->model, NULL, &err));
    CHECK_OK(kith_solution_new(f->model, f->data, NULL, &f->solution, &err));
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith__fit_state_release(&f->like.state);
    kith_split_release(&f->split);
    kith_dataset_free(f->data);
}

/* The value of a code, 0 if it is not among the reasons. */
static double value_of(const kith_reason *r, int32_t n, const char *code)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(r[i].code, code) == 0)
            return r[i].value;
    return 0;
}

static void check_value(const kith_reason *r, int32_t n, const char *code,
                        double expected, double scale)
{
    CHECK_NEAR(value_of(r, n, code), fmax(0, expected), 2e-5 * scale + 1e-7);
}

/* Labelled nodes one and two steps away and the rest, and other nodes. */
static void check_nodes(const fixture *f, const kith_explanation *e,
                        const kith_reason *r, int32_t n)
{
    const kith__task *t = &f->solution->storage.task;
    double own[4] = {0}, other[4] = {0}, size = fabs(e->belief);
    kith__around around = {0};
    kith_error err;

    CHECK_OK(kith__around_new(f->solution, &around, &err));
    kith__look_around(f->solution, e->node, &around);
    for (int32_t l = 0; l < t->n_train; l++)
        (t->truth[l] == e->of_class ? own : other)[around.steps[l]] +=
            e->contribution[t->train[l]];
    kith__around_release(&around);
    check_value(r, n, "KNOWN_NEIGHBOUR", own[1], size);
    check_value(r, n, "TWO_STEPS", own[2], size);
    check_value(r, n, "FAR_LABELS", own[3], size);
    check_value(r, n, "UNLIKE_NEIGHBOUR", other[1], size);
    check_value(r, n, "UNLIKE_FAR", other[2] + other[3], size);
    check_value(r, n, "OTHER_NODES", e->others, size);
    if (e->clamped)
        check_value(r, n, "OWN_LABEL", e->own + e->echo, size);
}

static void check_shares(const kith_reason *r, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) {
        CHECK(r[i].value > 0 && r[i].share > 0 && r[i].share <= 1 + 1e-9);
        CHECK(i == 0 || r[i].value <= r[i - 1].value);
        sum += r[i].share;
    }
    CHECK(sum <= 1 + 1e-9);
}

/* Every eleventh node together, in both ways to ask. */
static void check_all(const fixture *f, bool by_nodes)
{
    int32_t nodes[N / 11 + 1], found[N / 11 + 1], n = 0;
    static kith_reason r[N / 11 + 1][MOST], one[MOST];
    kith_explanation *e = NULL;
    kith_error err;
    int32_t alone;

    for (int32_t u = 0; u < N; u += 11)
        nodes[n++] = u;
    for (int32_t c = -1; c < CLASSES; c += 2) {
        CHECK_OK(kith_reasons(f->solution, nodes, n, c, MOST, &r[0][0], found,
                              &err));
        for (int32_t i = 0; i < n; i++) {
            CHECK_OK(kith_explain(f->solution, nodes[i], c, 5, &e, &err));
            check_shares(r[i], found[i]);
            if (by_nodes)
                check_nodes(f, e, r[i], found[i]);
            CHECK_OK(kith_reasons(f->solution, &nodes[i], 1, c, MOST, one,
                                  &alone, &err));
            CHECK_INT(alone, found[i]);
            for (int32_t k = 0; k < alone; k++)
                CHECK_NEAR(one[k].value, r[i][k].value,
                           1e-5 * r[i][k].value + 1e-7);
            kith_explanation_free(e);
        }
    }
}

TEST(reasons_of_linbp_are_the_sums_of_its_contributions)
{
    kith_train_options o;
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.params.iterations = 7;
    open_data(&f, false);
    train(&f, "linbp", &o);
    check_all(&f, true);
    tear_down(&f);
}

TEST(reasons_of_linbp_with_features_are_too)
{
    kith_train_options o;
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    open_data(&f, true);
    train(&f, "linbp", &o);
    check_all(&f, true);
    tear_down(&f);
}

TEST(reasons_of_a_fixed_point_are_too)
{
    kith_train_options o;
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    open_data(&f, false);
    train(&f, "lcm", &o);
    check_all(&f, true);
    tear_down(&f);
}

/* What is not a label comes from columns: all that is above 0 in the logit. */
static void check_columns(const fixture *f)
{
    static kith_reason r[MOST];
    kith_explanation *e = NULL;
    kith_error err;
    int32_t found;

    for (int32_t u = 0; u < N; u += 17) {
        double all = 0;

        CHECK_OK(kith_explain(f->solution, u, 1, 200, &e, &err));
        CHECK_OK(kith_reasons(f->solution, &u, 1, 1, MOST, r, &found, &err));
        for (int32_t i = 0; i < e->n_features; i++)
            all += fmax(0, e->features[i].value);
        all += fmax(0, e->bias);
        CHECK(found > 0);
        for (int32_t k = 0; k < found; k++) {
            const double v = r[k].value;
            bool listed = strcmp(r[k].code, "PRIOR") == 0;

            CHECK_NEAR(r[k].share, v / all, 1e-4);
            for (int32_t i = 0; i < e->n_features; i++) {
                char number[16];

                snprintf(number, sizeof(number), ":%d",
                         (int)e->features[i].column);
                listed |= strchr(r[k].code, ':') &&
                          strcmp(strchr(r[k].code, ':'), number) == 0 &&
                          fabs(e->features[i].value - v) <= 1e-4 * v;
            }
            CHECK(listed);
        }
        kith_explanation_free(e);
    }
}

TEST(reasons_of_logreg_are_columns)
{
    kith_train_options o;
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    open_data(&f, true);
    train(&f, "logreg", &o);
    check_all(&f, false);
    check_columns(&f);
    tear_down(&f);
}

static void put(fixture *f, const char *name, double number)
{
    CHECK(kith__fit_state_set(&f->like.state, name, number));
}

static void say(fixture *f, const char *name, const char *text)
{
    CHECK(kith__fit_state_choose(&f->like.state, name, text));
}

/* Own features and neighbours', which stand beside a fitted coupling. */
TEST(reasons_of_lcm_em_beside_a_coupling_are_too)
{
    kith_train_options o;
    fixture f;

    open_data(&f, true);
    say(&f, "potentials", "beside");
    say(&f, "graph", "fitted");
    put(&f, "blocks", 5);
    put(&f, "penalty", .1);
    put(&f, "strength", .5);
    put(&f, "lambda", 1);
    kith_train_options_init(&o);
    o.like = &f.like;
    train(&f, "lcm-em", &o);
    check_all(&f, true);
    tear_down(&f);
}

TEST(methods_that_are_no_sum_are_refused_by_name)
{
    kith_train_options o;
    kith_reason r[1];
    kith_error err;
    int32_t node = 0, found;
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    open_data(&f, false);
    train(&f, "bp", &o);
    CHECK_INT(kith_reasons(f.solution, &node, 1, 0, 1, r, &found, &err),
              KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "'bp'") != NULL);
    node = N;
    CHECK_INT(kith_reasons(f.solution, &node, 1, 0, 1, r, &found, NULL),
              KITH_ERR_ARGUMENT);
    tear_down(&f);
}

TEST(reasons_survive_every_failed_allocation)
{
    kith_train_options o;
    kith_reason r[2 * MOST];
    int32_t nodes[] = {3, 50}, found[2];
    fixture f;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    open_data(&f, true);
    train(&f, "linbp", &o);
    CHECK_OOM(st = kith_reasons(f.solution, nodes, 2, -1, MOST, r, found, NULL),
              (void)0);
    tear_down(&f);
}
