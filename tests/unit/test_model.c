/*
 * test_model.c: what a model is asked, on one that is put together by hand.
 */
#include "check.h"
#include "models/model_object.h"

static char red[] = "red", green[] = "green", blue[] = "blue", grey[] = "grey";

/* Labels of four nodes in the order of their own classes. */
typedef struct given {
    int32_t of[4];
    char *names[3];
    kith_labels labels;
} given;

static void given_new(given *g)
{
    *g = (given){.of = {2, -1, 0, 1}, .names = {red, green, blue}};
    g->labels = (kith_labels){.nodes = 4,
                              .classes = 3,
                              .labelled = 3,
                              .of = g->of,
                              .names = g->names};
}

static char *classes[] = {blue, grey, green, red};

TEST(labels_get_the_numbers_of_the_models_classes)
{
    const kith_model m = {.classes = 4, .names = classes};
    const int32_t wanted[] = {0, -1, 3, 2};
    kith_labels *got = NULL;
    kith_error err;
    given g;

    given_new(&g);
    CHECK_OK(kith_model_labels(&m, &g.labels, &got, &err));
    CHECK_INT(got->nodes, 4);
    CHECK_INT(got->classes, 4);
    CHECK_INT(got->labelled, 3);
    for (int u = 0; u < 4; u++) {
        CHECK_INT(got->of[u], wanted[u]);
        CHECK_TEXT(got->names[u], classes[u]);
    }
    kith_labels_free(got);
}

TEST(a_class_that_the_model_does_not_know_is_refused)
{
    const kith_model m = {.classes = 3, .names = classes}; /* no red */
    kith_labels *got = NULL;
    kith_error err;
    given g;

    given_new(&g);
    CHECK(kith_model_labels(&m, &g.labels, &got, &err) == KITH_ERR_ARGUMENT);
    CHECK(!got && strstr(err.text, "'red'") && strstr(err.text, "3"));
}

TEST(labels_of_a_model_survive_every_failed_allocation)
{
    const kith_model m = {.classes = 4, .names = classes};
    kith_labels *got = NULL;
    kith_error err;
    given g;

    given_new(&g);
    CHECK_OOM(st = kith_model_labels(&m, &g.labels, &got, &err),
              kith_labels_free(got));
}

/* Numbers and texts are settings, arrays are not; they keep their order. */
TEST(settings_are_numbers_and_texts)
{
    char rate[] = "rate", W[] = "W", kind[] = "kind", mean[] = "mean";
    char V[] = "V", depth[] = "depth";
    float array[2] = {1, 2};
    kith__entry entries[] = {{.name = rate, .number = .5},
                             {.name = W, .values = array},
                             {.name = kind, .text = mean},
                             {.name = V, .values = array},
                             {.name = depth, .number = 3}};
    kith_model m = {.state = {.entries = entries, .n = 5}};

    CHECK_INT(kith_model_settings(&m), 3);
    CHECK_TEXT(kith_model_setting(&m, 0).name, "rate");
    CHECK_NEAR(kith_model_setting(&m, 0).number, .5, 0);
    CHECK_TEXT(kith_model_setting(&m, 1).text, "mean");
    CHECK_TEXT(kith_model_setting(&m, 2).name, "depth");
    m.state.n = 2;
    CHECK_INT(kith_model_settings(&m), 1);
}

/* Labels that bp keeps are certain whatever their weight; networks have no
 * weights of classes. */
TEST(only_what_weighs_classes_is_balanced)
{
    char linbp[] = "linbp", bp[] = "bp", gcn[] = "gcn";
    float weights[1] = {0};
    kith_model m = {.method = linbp, .params = {.balance = true}};

    CHECK(kith_model_balanced(&m));
    m.params.balance = false;
    CHECK(!kith_model_balanced(&m));
    m.params.balance = true;
    m.method = bp;
    CHECK(!kith_model_balanced(&m));
    m.weights = weights;
    CHECK(kith_model_balanced(&m));
    m.method = gcn;
    CHECK(!kith_model_balanced(&m));
}

/* A square 0 - 1 - 2 - 3 with the chord 0 - 2: degrees 3, 2, 3, 2.  Node 3 has
 * no label; 0 and 1 are of the first class.  Weights 1 / sqrt(d d'): of 0 - 1
 * 1 / sqrt(6), of 1 - 2 the same, of 0 - 2 1/3. */
TEST(weights_are_averaged_within_and_between_classes)
{
    int32_t of[] = {0, 0, 1, -1}, train[] = {0, 2};
    kith_labels labels = {
        .nodes = 4, .classes = 2, .labelled = 3, .of = of, .names = classes};
    kith_dataset d = {.labels = &labels};
    kith_train_options o;
    kith_model *m = NULL;
    double w[4];
    kith_error err;

    kith_train_options_init(&o);
    CHECK_OK(kith_graph_read(
        check_file("square.tsv", "0\t1\n1\t2\n2\t3\n3\t0\n0\t2\n"), NULL,
        &d.graph, NULL, &err));
    CHECK_OK(kith_model_train(&d, "linbp",
                              &(kith_split){.train = train, .n_train = 2}, &o,
                              &m, NULL, &err));
    CHECK_OK(kith_model_average_weights(m, &d, NULL, w, &err));
    CHECK_NEAR(w[0], 1 / sqrt(6), 1e-6);
    CHECK_NEAR(w[1], (1 / sqrt(6) + 1. / 3) / 2, 1e-6);
    CHECK_NEAR(w[2], w[0], 0); /* LinBP learns none */
    CHECK_NEAR(w[3], w[1], 0);
    of[1] = -1;
    CHECK_OK(kith_model_average_weights(m, &d, NULL, w, &err));
    CHECK(isnan(w[0]));
    CHECK_NEAR(w[1], 1. / 3, 1e-6);
    kith_model_free(m);
    kith_graph_free(d.graph);
}
