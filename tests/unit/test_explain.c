/*
 * test_explain.c: a belief's parts against a dense solve, their sum against
 * the belief, and what removing one really changes.
 */
#include "models/model_object.h"
#include "models/solution.h"
#include "small_graphs.h"

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[SMALL_MOST];
    kith_model *model;
    kith_solution *solution;
} fixture;

static char A[] = "a", B[] = "b", C[] = "c", *names[] = {A, B, C};

static void set_up(fixture *f, const char *method, int nodes,
                   const kith_params *p)
{
    int32_t train[] = {0, 1, 2, 3, 4, 5};
    kith_split split = {.train = train, .n_train = 6};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    o.params = *p;
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < nodes; i++)
        f->of[i] = i < 6 ? i % 3 : -1;
    f->labels = (kith_labels){.nodes = nodes,
                              .classes = 3,
                              .labelled = 6,
                              .of = f->of,
                              .names = names};
    f->data = (kith_dataset){.graph = small_graph(nodes, 90, true, 3),
                             .labels = &f->labels};
    CHECK_OK(
        kith_model_train(&f->data, method, &split, &o, &f->model, NULL, &err));
    CHECK_OK(kith_solution_new(f->model, &f->data, NULL, &f->solution, &err));
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith_graph_free(f->data.graph);
}

/* Dense P = sum_{j <= t} W^j Q H^j in doubles; without node `without`. */
static double dense_belief(const kith_solution *s, int t, int without, int u,
                           int c)
{
    static double W[SMALL_MOST * SMALL_MOST], P[SMALL_MOST * 3],
        next[SMALL_MOST * 3], Q[SMALL_MOST * 3];
    const int n = s->op.n;

    dense_weights(&s->op, W);
    for (int i = 0; i < 3 * n; i++)
        P[i] = Q[i] = i / 3 == without ? 0 : (double)s->b.Q[i];
    for (int j = 0; j < t; j++) {
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++) {
                double sum = Q[i * 3 + d];

                for (int v = 0; v < n; v++)
                    for (int k = 0; k < 3; k++)
                        sum += W[i * n + v] * P[v * 3 + k] *
                               (double)s->b.coupling[k * 3 + d];
                next[i * 3 + d] = sum;
            }
        memcpy(P, next, sizeof(P));
    }
    return P[u * 3 + c];
}

/* The probability without the node that speaks most: what the dense sum has
 * less of without that node's Q, taken off the run's beliefs. */
static void check_without(const kith_solution *s, const kith_explanation *e,
                          int t)
{
    const int32_t u = e->node, v = e->without;
    double sum = 0, p[3];

    CHECK(v >= 0 && (v == u) == e->clamped);
    CHECK(s->trained[v] >= 0 && e->contribution[v] > 0);
    for (int c = 0; c < 3; c++) {
        p[c] = exp(((double)s->b.P[u * 3 + c] - dense_belief(s, t, -1, u, c) +
                    dense_belief(s, t, v, u, c)) /
                   s->model->temperature);
        sum += p[c];
    }
    CHECK_NEAR(e->without_probability, p[e->of_class] / sum, 1e-5);
}

static void check_method(const char *method, int iterations, int t)
{
    kith_explanation *e = NULL;
    kith_params p;
    kith_error err;
    double whole;
    fixture f;

    kith_params_init(&p);
    p.iterations = iterations;
    p.tolerance = 0;
    set_up(&f, method, 40, &p);
    for (int node = 0; node < 40; node += 9) {
        CHECK_OK(kith_explain(f.solution, node, -1, 5, &e, &err));
        CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
        whole = dense_belief(f.solution, t, -1, node, e->of_class);
        CHECK_NEAR(e->sum - e->unconverged, whole, 1e-6);
        for (int v = 0; v < 40; v++)
            CHECK_NEAR(e->contribution[v],
                       whole -
                           dense_belief(f.solution, t, v, node, e->of_class),
                       1e-6);
        check_without(f.solution, e, t);
        kith_explanation_free(e);
    }
    tear_down(&f);
}

TEST(parts_of_linbp_are_those_of_a_dense_sum_of_as_many_steps)
{
    check_method("linbp", 3, 3);
}

TEST(parts_of_converged_linbp_are_those_of_a_dense_solve)
{
    check_method("linbp", 100, 400);
}

TEST(parts_of_lcm_are_those_of_a_dense_solve)
{
    check_method("lcm", 100, 800);
}

/* The run stopped after 5 iterations: what is missing is said, not hidden. */
TEST(what_stopping_early_left_is_a_part_of_its_own)
{
    kith_explanation *e = NULL;
    kith_params p;
    kith_error err;
    fixture f;

    kith_params_init(&p);
    p.iterations = 5;
    set_up(&f, "lcm", 40, &p);
    CHECK_OK(kith_explain(f.solution, 20, 1, 5, &e, &err));
    CHECK(fabs(e->unconverged) > 1e-4);
    CHECK(fabs(e->residual) <= 1e-5 * fabs(e->belief));
    kith_explanation_free(e);
    tear_down(&f);
}

/* Node 0 with its label unknown: the model trained on the others alone must
 * give what is left after taking node 0's part away. */
TEST(removing_a_label_changes_the_belief_by_its_part)
{
    int32_t train[] = {0, 1, 2, 3, 4, 5};
    kith_explanation *all = NULL, *less = NULL;
    kith_train_options o;
    kith_model *m = NULL;
    kith_solution *s = NULL;
    kith_error err;
    fixture f;

    kith_train_options_init(&o);
    o.params.tolerance = 1e-9;
    set_up(&f, "linbp", 40, &o.params);
    CHECK_OK(kith_explain(f.solution, 17, 0, 6, &all, &err));
    for (int i = all->top_labelled[0].node; i < 5; i++)
        train[i] = i + 1;
    CHECK_OK(kith_model_train(&f.data, "linbp",
                              &(kith_split){.train = train, .n_train = 5}, &o,
                              &m, NULL, &err));
    CHECK_OK(kith_solution_new(m, &f.data, NULL, &s, &err));
    CHECK_OK(kith_explain(s, 17, 0, 6, &less, &err));
    CHECK_NEAR(less->belief, all->belief - all->top_labelled[0].value, 1e-6);
    kith_explanation_free(all);
    kith_explanation_free(less);
    kith_solution_free(s);
    kith_model_free(m);
    tear_down(&f);
}

/* Path 0 - 1 - 2, node 0 labelled; apart from it 3 - 4, 3 of the other class,
 * since labels of one class are not propagated.  w_01 = w_12 = 1 / sqrt(2). The
 * strongest path to 2 is 0 - 1 - 2, worth w_01 w_12 (q_0 H H)_c. */
TEST(the_strongest_path_by_hand)
{
    int32_t train[] = {0, 3}, of[] = {0, -1, -1, 1, -1};
    kith_labels labels = {
        .nodes = 5, .classes = 2, .labelled = 2, .of = of, .names = names};
    kith_dataset d = {.labels = &labels};
    kith_train_options o;
    kith_explanation *e = NULL;
    kith_solution *s = NULL;
    kith_model *m = NULL;
    kith_error err;

    kith_train_options_init(&o);
    CHECK_OK(kith_graph_read(check_file("path.tsv", "0\t1\n1\t2\n3\t4\n"), NULL,
                             &d.graph, NULL, &err));
    CHECK_OK(kith_model_train(&d, "linbp",
                              &(kith_split){.train = train, .n_train = 2}, &o,
                              &m, NULL, &err));
    CHECK_OK(kith_solution_new(m, &d, NULL, &s, &err));
    CHECK_OK(kith_explain(s, 2, 0, 3, &e, &err));
    CHECK_INT(e->n_paths, 1);
    CHECK_INT(e->paths[0].length, 2);
    CHECK_INT(e->paths[0].node[0], 0);
    CHECK_INT(e->paths[0].node[1], 1);
    CHECK_INT(e->paths[0].node[2], 2);
    CHECK_NEAR(e->paths[0].weight[1], sqrt(.5), 1e-6);
    /* q_0 = (.5, -.5), H = .4 (1 -1; -1 1): q H H = .64 (.5, -.5) */
    CHECK_NEAR(e->paths[0].coupling, .32, 1e-6);
    CHECK_NEAR(e->paths[0].value, .16, 1e-6);
    CHECK(e->paths_complete);
    kith_explanation_free(e);
    kith_solution_free(s);
    kith_model_free(m);
    kith_graph_free(d.graph);
}

TEST(a_method_that_is_not_linear_is_refused_by_name)
{
    kith_explanation *e = NULL;
    kith_params p;
    kith_error err;
    fixture f;

    kith_params_init(&p);
    set_up(&f, "bp", 40, &p);
    CHECK_INT(kith_explain(f.solution, 3, 0, 5, &e, &err), KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "'bp'") != NULL);
    CHECK(e == NULL);
    CHECK_INT(kith_explain(f.solution, 40, 0, 5, &e, &err), KITH_ERR_ARGUMENT);
    tear_down(&f);
}

/* Training that keeps its run has the beliefs of one run again. */
TEST(a_run_kept_from_training_is_the_run_made_again)
{
    int32_t train[] = {0, 1, 2, 3, 4, 5};
    kith_split split = {.train = train, .n_train = 6};
    kith_train_options o;
    kith_solution *kept = NULL;
    kith_model *m = NULL;
    kith_error err;
    fixture f;

    kith_train_options_init(&o);
    set_up(&f, "lcm", 40, &o.params);
    CHECK_OK(kith_solution_train(&f.data, "lcm", &split, &o, &m, &kept, &err));
    CHECK(memcmp(kept->b.P, f.solution->b.P, 120 * sizeof(float)) == 0);
    CHECK(memcmp(kept->b.Q, f.solution->b.Q, 120 * sizeof(float)) == 0);
    CHECK(memcmp(kept->b.weights, f.solution->b.weights,
                 (size_t)kept->op.rows[40] * sizeof(float)) == 0);
    kith_solution_free(kept);
    kith_model_free(m);
    kept = NULL;
    CHECK_OOM(
        st = kith_solution_train(&f.data, "lcm", &split, &o, &m, &kept, NULL),
        (kith_solution_free(kept), kith_model_free(m)));
    tear_down(&f);
}

TEST(explaining_survives_every_failed_allocation)
{
    kith_explanation *e = NULL;
    kith_params p;
    fixture f;

    kith_params_init(&p);
    p.iterations = 8;
    set_up(&f, "lcm", 40, &p);
    CHECK_OOM(st = kith_explain(f.solution, 11, -1, 4, &e, NULL),
              kith_explanation_free(e));
    tear_down(&f);
}
