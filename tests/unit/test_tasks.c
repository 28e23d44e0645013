/* Many tasks on one graph: what is known of each, all of them beside each by
 * itself, and their scores. */
#include "generated.h"
#include "models/propagation/linbp_together.h"

enum { T = 19, KNOWN = 150 };

/* Is node u of class t?  Communities of very different sizes that overlap. */
static int member(int32_t u, int t)
{
    return (u + 3 * t) % (3 + 2 * t) == 0;
}

/* 1, 0, -1 for the first KNOWN nodes and the others, n x T. */
static int32_t *matrix(int32_t n)
{
    int32_t *known = malloc((size_t)n * T * sizeof(*known));

    for (int32_t u = 0; u < n; u++)
        for (int t = 0; t < T; t++)
            known[u * T + t] = u < KNOWN ? member(u, t) : -1;
    return known;
}

static kith_tasks *make_tasks(int32_t n)
{
    int32_t *known = matrix(n);
    const kith_array a = {known, KITH_I32, (int64_t)n * T};
    kith_tasks *t = NULL;
    kith_error err;

    CHECK_OK(kith_tasks_from_array(&a, T, NULL, &t, &err));
    free(known);
    return t;
}

/* ---- what is known ------------------------------------------------------- */

/* Node 0 is a and b, node 1 is a, node 2 is b, node 3 is c, 4 is unknown. */
static int32_t pair_node[] = {0, 0, 1, 2, 3}, pair_class[] = {0, 1, 0, 1, 2};
static int32_t rarest_of[] = {0, 0, 1, 2, -1};
static char a_name[] = "a", b_name[] = "b", c_name[] = "c";
static char *abc[] = {a_name, b_name, c_name};
static const kith_labels several = {.nodes = 5,
                                    .classes = 3,
                                    .labelled = 4,
                                    .of = rarest_of,
                                    .names = abc,
                                    .pairs = 5,
                                    .pair_node = pair_node,
                                    .pair_class = pair_class};

TEST(another_label_makes_a_node_negative)
{
    const int32_t expected[3][5] = {
        {1, 1, 0, 0, -1}, {1, 0, 1, 0, -1}, {0, 0, 0, 1, -1}};
    kith_labels *l;
    kith_tasks *t;
    kith_error err;

    CHECK_OK(kith_tasks_from_labels(NULL, &several, 0, 1, &t, &err));
    CHECK_INT(kith_tasks_count(t), 3);
    CHECK_INT(kith_tasks_find(t, "c"), 2);
    CHECK_INT(kith_tasks_find(t, "d"), -1);
    CHECK_INT(kith_tasks_positives(t, 0), 2);
    CHECK_INT(kith_tasks_negatives(t, 2), 3);
    for (int c = 0; c < 3; c++) {
        CHECK_OK(kith_tasks_labels(t, c, &l, &err));
        CHECK_INT(l->labelled, 4);
        for (int u = 0; u < 5; u++)
            CHECK_INT(l->of[u], expected[c][u]);
        kith_labels_free(l);
    }
    CHECK_OK(kith_tasks_labels(t, 1, &l, &err));
    CHECK_TEXT(l->names[0], "not b");
    CHECK_TEXT(l->names[1], "b");
    kith_labels_free(l);
    kith_tasks_free(t);
}

TEST(negatives_are_drawn_from_all_that_are_not_of_the_class)
{
    kith_tasks *t;
    kith_error err;

    for (int wish = 1; wish < 6; wish++) {
        CHECK_OK(kith_tasks_from_labels(NULL, &several, wish, 1, &t, &err));
        CHECK_INT(kith_tasks_negatives(t, 0), wish < 3 ? wish : 3);
        CHECK_INT(kith_tasks_negatives(t, 2), wish < 4 ? wish : 4);
        CHECK_INT(kith_tasks_positives(t, 1), 2);
        kith_tasks_free(t);
    }
    CHECK_INT(kith_tasks_from_labels(NULL, &several, -1, 1, &t, &err),
              KITH_ERR_ARGUMENT);
}

TEST(a_matrix_says_the_same_as_labels)
{
    const double d[] = {1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, NAN, -1};
    const kith_array a = {d, KITH_F64, 15};
    kith_tasks *t, *u;
    kith_error err;

    CHECK_OK(kith_tasks_from_array(&a, 3, (const char *const *)abc, &t, &err));
    CHECK_OK(kith_tasks_from_labels(NULL, &several, 0, 1, &u, &err));
    for (int c = 0; c < 3; c++) {
        kith_labels *x, *y;

        CHECK_OK(kith_tasks_labels(t, c, &x, &err));
        CHECK_OK(kith_tasks_labels(u, c, &y, &err));
        CHECK(memcmp(x->of, y->of, 5 * sizeof(*x->of)) == 0);
        CHECK_TEXT(x->names[1], y->names[1]);
        kith_labels_free(x);
        kith_labels_free(y);
    }
    /* c is rarer than a and b, of which a comes first; node 3 is c alone */
    for (int i = 0; i < 5; i++)
        CHECK_INT(kith_tasks_strata(t)->of[i], rarest_of[i]);
    kith_tasks_free(t);
    kith_tasks_free(u);
}

TEST(numbers_that_say_nothing_are_refused)
{
    const float bad[] = {1, 0, .5f, -1}, nothing[] = {-1, -1, NAN, NAN};
    const char *const twice[] = {"a", "a"};
    const kith_array a = {bad, KITH_F32, 4}, b = {nothing, KITH_F32, 4},
                     odd = {bad, KITH_F32, 3};
    kith_error err = {0};
    kith_tasks *t;

    CHECK_INT(kith_tasks_from_array(&a, 2, NULL, &t, &err), KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "known[2]") != NULL);
    CHECK_INT(kith_tasks_from_array(&b, 2, NULL, &t, &err), KITH_ERR_ARGUMENT);
    CHECK_INT(kith_tasks_from_array(&odd, 2, NULL, &t, &err),
              KITH_ERR_ARGUMENT);
    CHECK_INT(kith_tasks_from_array(&b, 2, twice, &t, &err), KITH_ERR_ARGUMENT);
    CHECK(t == NULL);
}

/* ---- together and by themselves ------------------------------------------ */

/* Y = Q + rho W X, dense, until it stands. */
static void dense(const double *W, int n, const double *q, double *x)
{
    double y[64];

    for (int i = 0; i < 400; i++) {
        for (int u = 0; u < n; u++) {
            y[u] = q[u];
            for (int v = 0; v < n; v++)
                y[u] += .8 * W[u * n + v] * x[v];
        }
        memcpy(x, y, (size_t)n * sizeof(*x));
    }
}

/* Eight columns of a path of 12 beside a dense matrix. */
TEST(columns_together_are_each_what_a_dense_matrix_says)
{
    enum { N = 12, K = KITH__TOGETHER_MOST };
    int32_t u[N - 1], v[N - 1], node[K][3];
    uint8_t is[K][3];
    double W[N * N] = {0};
    float scale[N], P[N * K];
    const kith_coo edges = {.u = {u, KITH_I32, N - 1},
                            .v = {v, KITH_I32, N - 1}};
    kith__column_labels labels[K];
    const kith__stopping stopping = {.most = 400, .tolerance = 1e-7};
    kith_certificate c = {0};
    kith__operator op;
    kith_graph *g;
    kith_error err;

    for (int i = 0; i < N - 1; i++) {
        u[i] = i;
        v[i] = i + 1;
    }
    CHECK_OK(kith_graph_from_coo(&edges, NULL, NULL, &g, NULL, &err));
    for (int i = 0; i < N; i++)
        scale[i] = 1 / sqrtf(i == 0 || i == N - 1 ? 1 : 2);
    for (int i = 0; i + 1 < N; i++)
        W[i * N + i + 1] = W[(i + 1) * N + i] = (double)scale[i] *
                                                (double)scale[i + 1];
    for (int t = 0; t < K; t++) {
        for (int i = 0; i < 3; i++) {
            node[t][i] = i * 4 + t % 4;
            is[t][i] = (uint8_t)((i + t) % 2);
        }
        labels[t] = (kith__column_labels){node[t], is[t], 3, {1, 2}};
    }
    op = (kith__operator){.n = N,
                          .rows = kith_graph_rows(g),
                          .neighbours = kith_graph_neighbours(g),
                          .scale = scale,
                          .rho = 1,
                          .threads = 1};
    CHECK_OK(kith__linbp_together(&op, labels, K, &stopping, P, &c, &err));
    CHECK(c.converged);
    CHECK_NEAR(c.rho, .8, 1e-6);
    for (int t = 0; t < K; t++) {
        double q[N] = {0}, x[N] = {0};

        for (int i = 0; i < 3; i++)
            q[node[t][i]] = is[t][i] ? 1 : -.5;
        dense(W, N, q, x);
        for (int i = 0; i < N; i++)
            CHECK_NEAR((double)P[i * K + t], x[i], 1e-5);
    }
    kith_graph_free(g);
}

/* The run of all tasks, and every task by kith_classify() on the same nodes. */
static void check_each(const char *method, const kith_train_options *o,
                       double hold_out, int together)
{
    kith_dataset *d = generated_with(400, 3, 0, .8, 5);
    kith_labels *of_file = d->labels;
    kith_tasks *t = make_tasks(kith_graph_nodes(d->graph));
    kith_tasks_run *r = NULL;
    kith_protocol p;
    kith_error err;

    CHECK_OK(kith_tasks_classify(d, t, method, NULL, hold_out, 1, o, &r, &err));
    CHECK_INT(r->together, together);
    d->labels = (kith_labels *)kith_tasks_strata(t);
    CHECK_OK(kith_protocol_make(d, NULL, hold_out, 1, &p, &err));
    for (int c = 0; c < T; c++) {
        kith_classification *one = NULL;
        double off = 0;

        CHECK_OK(kith_tasks_labels(t, c, &d->labels, &err));
        CHECK_OK(kith_classify(d, method, &p, o, 0, &one, &err));
        for (int32_t u = 0; one && u < r->nodes; u++) {
            off = fmax(off, fabs((double)one->probabilities[2 * u + 1] -
                                 (double)r->probabilities[u * T + c]));
            CHECK(r->evidence[u] >= one->evidence[u]);
        }
        /* shares go by a mass that is propagated to a tolerance of its own */
        CHECK_NEAR(off, 0, 1e-3);
        kith_classification_free(one);
        kith_labels_free(d->labels);
    }
    d->labels = of_file;
    kith_protocol_release(&p);
    kith_tasks_run_free(r);
    kith_tasks_free(t);
    kith_dataset_free(d);
}

TEST(all_tasks_at_once_are_each_what_it_is_by_itself)
{
    kith_train_options o;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.params.iterations = 200; /* to where stopping leaves nothing */
    o.params.tolerance = 1e-7;
    check_each("linbp", &o, 0, KITH__TOGETHER_MOST);
    check_each("linbp", &o, .3, KITH__TOGETHER_MOST);
    o.params.balance = true;
    check_each("linbp", &o, .3, KITH__TOGETHER_MOST);
    o.params.balance = false;
    check_each("lcm", &o, .3, 1);
    o.fixed = 0;
    check_each("linbp", &o, .3, 1);
}

TEST(a_class_that_no_training_node_has_gets_no_probability)
{
    kith_dataset *d = generated_with(400, 3, 0, .8, 5);
    kith_tasks *t = make_tasks(kith_graph_nodes(d->graph));
    int32_t train[] = {1, 2, 3, 4, 5, 6};
    const kith_split s = {.train = train, .n_train = 6};
    kith_train_options o;
    kith_tasks_run *r;
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    CHECK_OK(kith_tasks_classify(d, t, "linbp", &s, 0, 1, &o, &r, &err));
    for (int c = 0; c < T; c++) {
        int positives = 0;

        for (int i = 0; i < 6; i++)
            positives += member(train[i], c);
        CHECK_INT(r->fit[c].positives, positives);
        CHECK_INT(r->fit[c].negatives, 6 - positives);
        for (int32_t u = 0; positives == 0 && u < r->nodes; u++)
            CHECK(r->probabilities[u * T + c] <= 0);
    }
    kith_tasks_run_free(r);
    kith_tasks_free(t);
    kith_dataset_free(d);
}

/* ---- scores -------------------------------------------------------------- */

/*
 * By hand, nodes 0 to 3 scored:
 *   a: known 1 1 0 0, p .9 .4 .6 .1: accuracy 2/4, AUC 3/4, AP (1 + 2/3)/2,
 *      F1 2*1/(2+2)
 *   b: known 1 0 1 0, p .8 .2 .7 .3: all 1
 *   c: known 0 0 0 1, p 0 0 0 0: accuracy 3/4, AUC 1/2, AP 1/4, F1 0
 *   micro F1: hits 3, said 4, true 5
 */
TEST(scores_of_tasks_by_hand)
{
    const float p[] = {.9f, .8f, 0,   .4f, .2f, 0, .6f, .7f,
                       0,   .1f, .3f, 0,   1,   1, 1};
    const int32_t nodes[] = {3, 2, 1, 0, 4};
    kith_tasks_scores s;
    kith_tasks *t;
    kith_error err;

    CHECK_OK(kith_tasks_from_labels(NULL, &several, 0, 1, &t, &err));
    CHECK_OK(kith_tasks_score(t, p, nodes, 5, &s, &err));
    CHECK_INT(s.of[0].nodes, 4);
    CHECK_NEAR(s.of[0].accuracy, .5, 0);
    CHECK_NEAR(s.of[0].auc, .75, 1e-15);
    CHECK_NEAR(s.of[0].average_precision, 5 / 6., 1e-15);
    CHECK_NEAR(s.of[0].f1, .5, 1e-15);
    CHECK_NEAR(s.of[1].f1, 1, 0);
    CHECK_NEAR(s.of[2].average_precision, .25, 1e-15);
    CHECK_NEAR(s.mean.accuracy, 2.25 / 3, 1e-15);
    CHECK_NEAR(s.mean.auc, 2.25 / 3, 1e-15);
    CHECK_NEAR(s.mean.f1, .5, 1e-15);
    CHECK_NEAR(s.micro_f1, 6 / 9., 1e-15);
    kith_array_free(s.of);
    kith_tasks_free(t);
}

TEST(tasks_survive_failed_allocations)
{
    kith_dataset *d = generated_with(60, 3, 0, .8, 5);
    const int32_t nodes[] = {0, 1, 2};
    const float p[15] = {0};
    int32_t *known = matrix(60);
    const kith_array a = {known, KITH_I32, 60 * T};
    kith_train_options o;
    kith_tasks_scores s;
    kith_tasks *t = NULL;
    kith_tasks_run *r;
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.job.threads = 1;
    CHECK_OOM(st = kith_tasks_from_labels(NULL, &several, 2, 1, &t, NULL),
              kith_tasks_free(t));
    CHECK_OK(kith_tasks_from_labels(NULL, &several, 0, 1, &t, &err));
    CHECK_OOM(st = kith_tasks_score(t, p, nodes, 3, &s, NULL),
              kith_array_free(s.of));
    kith_tasks_free(t);
    CHECK_OOM(st = kith_tasks_from_array(&a, T, NULL, &t, NULL),
              kith_tasks_free(t));
    free(known);
    {
        /* two tasks of sixty nodes, tuned on some of them */
        int32_t few[120];
        const kith_array b = {few, KITH_I32, 120};

        for (int i = 0; i < 120; i++)
            few[i] = i < 40 ? i / 2 % (2 + i % 2) == 0 : -1;
        CHECK_OK(kith_tasks_from_array(&b, 2, NULL, &t, &err));
        CHECK_OOM(
            st = kith_tasks_classify(d, t, "linbp", NULL, .3, 1, &o, &r, NULL),
            kith_tasks_run_free(r));
        kith_tasks_free(t);
    }
    kith_dataset_free(d);
}
