/*
 * test_manual.c: the worked examples of docs/methods, as worked there by hand.
 */
#include <math.h>
#include <sys/stat.h>

#include "models/potentials/logreg.h"
#include "small_graphs.h"

/* A graph from a text, two classes, node 0 of class A; then the method. */
static void believe(const char *edges, const char *method, kith_params p,
                    float *P)
{
    const int32_t train[] = {0}, truth[] = {0};
    float *scale, *weights, H[4], Q[8];
    kith__beliefs b = {.P = P, .coupling = H};
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_error err;
    kith__task t;

    CHECK_OK(
        kith_graph_read(check_file("manual.tsv", edges), &o, &g, NULL, &err));
    t = (kith__task){.graph = g,
                     .n = kith_graph_nodes(g),
                     .classes = 2,
                     .train = train,
                     .truth = truth,
                     .n_train = 1,
                     .threads = 1};
    CHECK(kith__operator_start(g, 1, &t.W, &scale, &weights));
    for (int i = 0; i < 2 * t.n; i++)
        Q[i] = .5f;
    CHECK_OK(kith__method_find(method)->run(&t, &p, Q, &b, &err));
    free(scale);
    free(weights);
    kith_graph_free(g);
}

static kith_params usual(void)
{
    kith_params p;

    kith_params_init(&p);
    p.tolerance = 1e-7;
    return p;
}

/* b (1 + exp(2b)) = 2 / penalty */
TEST(logreg_of_the_manual)
{
    float value[] = {1, -1}, B[4] = {0};
    int32_t truth[] = {0, 1};
    kith__csr_matrix rows = {2, 1, NULL, NULL, value};
    kith_error err;

    CHECK_OK(kith__logreg_fit(&rows, truth, 2, .5, false, B, &err));
    CHECK_NEAR((double)B[0], .7408, 1e-4);
    CHECK_NEAR((double)B[1], -.7408, 1e-4);
    CHECK_NEAR((double)B[2], 0, 1e-4);
}

/* p_0 = .9444, p_1 = .7857, p_2 = .4444; softmax of
 * (p, -p) at temperature 1 is 1 / (1 + exp(-2 p)).  Labels of one class would
 * be another method's, so a node without edges is of class B. */
TEST(linbp_of_the_manual)
{
    kith_train_options o;
    kith_dataset d = {0};
    int32_t known[2] = {0, 3};
    kith_split s = {.train = known, .n_train = 2};
    kith_labels labels = {.nodes = 4, .classes = 2, .labelled = 2};
    kith_build_options build = {
        .nodes = check_file("path.nodes", "0\n1\n2\n3\n")};
    char *names[2] = {(char[]){"A"}, (char[]){"B"}};
    int32_t of[4] = {0, -1, -1, 1};
    kith_model *m = NULL;
    kith_error err;
    float p[8];

    labels.of = of;
    labels.names = names;
    CHECK_OK(kith_graph_read(check_file("path.tsv", "0\t1\n1\t2\n"), &build,
                             &d.graph, NULL, &err));
    d.labels = &labels;
    kith_train_options_init(&o);
    CHECK_OK(kith_model_train(&d, "linbp", &s, &o, &m, p, &err));
    CHECK_NEAR(p[0], 1 / (1 + exp(-2 * .94444)), 1e-4);
    CHECK_NEAR(p[2], 1 / (1 + exp(-2 * .78567)), 1e-4);
    CHECK_NEAR(p[4], 1 / (1 + exp(-2 * .44444)), 1e-4);
    CHECK(kith_model_certificate(m)->converged);
    CHECK_NEAR(kith_model_certificate(m)->rho, .8, 1e-5);
    kith_model_free(m);
    kith_graph_free(d.graph);
}

TEST(bp_of_the_manual)
{
    float P[6];

    believe("0\t1\n1\t2\n", "bp", usual(), P);
    CHECK_NEAR(1 / (1 + exp((double)(P[3] - P[2]))), .7828, 5e-5);
    CHECK_NEAR(1 / (1 + exp((double)(P[5] - P[4]))), .66, 5e-5);
}

TEST(lcm_of_the_manual)
{
    kith_params p = usual();
    float P[4];

    p.as_written = true;
    p.outer = p.inner = 1;
    believe("0\t1\n", "lcm-wo", p, P);
    CHECK_NEAR((double)P[0], .8217, 5e-5);
    CHECK_NEAR((double)P[2], .4021, 5e-5);
}

TEST(lcm_em_of_the_manual)
{
    kith_train_options o;
    kith_dataset *d = NULL;
    kith_model *m = NULL;
    kith_error err;
    int32_t train[] = {0, 2};
    kith_split split = {.train = train, .n_train = 2};
    float p[6];

    CHECK_INT(mkdir(check_path("m"), 0777), 0);
    check_file("m/edges.tsv", "0\t1\n");
    check_file("m/labels.tsv", "0\tA\n1\tB\n2\tB\n");
    CHECK_OK(kith_dataset_open(check_path("m"), NULL, &d, &err));
    kith_train_options_init(&o);
    CHECK_OK(kith_model_train(d, "lcm-em", &split, &o, &m, p, &err));
    CHECK_NEAR((double)p[0], .8954, 5e-5);
    CHECK_NEAR((double)p[2], .8826, 5e-5);
    kith_model_free(m);
    kith_dataset_free(d);
}
