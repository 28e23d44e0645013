/*
 * test_train.c: training and predicting as a user does.
 */
#include "check.h"
#include "core/rng.h"
#include "generated.h"

static const char *const methods[] = {"linbp",  "bp",     "lcm",   "lcm-wo",
                                      "lcm-l1", "lcm-l2", "lcm-em"};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

static kith_dataset *generated(int nodes, int classes, int features)
{
    return generated_with(nodes, classes, features, .7, 10);
}

/* Train with a few tuned parameters only, to be quick. */
static kith_model *train(const kith_dataset *d, const kith_split *s,
                         const char *method, int threads, float *p)
{
    kith_train_options o;
    kith_model *m = NULL;
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = threads;
    o.fixed = KITH_FIX_ALL & ~(uint32_t)(KITH_FIX_CLAMP | KITH_FIX_G1);
    o.params.iterations = 10;
    CHECK_OK(kith_model_train(d, method, s, &o, &m, p, &err));
    return m;
}

TEST(rows_are_distributions_and_threads_do_not_matter)
{
    kith_dataset *d = generated(300, 3, 60);
    float *one = room(d), *many = room(d);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    for (int i = 0; i < METHODS; i++) {
        kith_model_free(train(d, &s, methods[i], 1, one));
        for (int threads = 2; threads <= 8; threads += 3) {
            kith_model_free(train(d, &s, methods[i], threads, many));
            CHECK(memcmp(one, many, bytes_of(d)) == 0);
        }
        for (int u = 0; u < 300; u++)
            CHECK_NEAR(one[u * 3] + one[u * 3 + 1] + one[u * 3 + 2], 1, 1e-5);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(one);
    free(many);
}

TEST(labels_of_other_nodes_are_never_looked_at)
{
    kith_dataset *d = generated(300, 3, 60);
    float *before = room(d), *after = room(d);
    int32_t *of = malloc(300 * sizeof(*of)), *real = d->labels->of;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    memcpy(of, real, 300 * sizeof(*of));
    for (int i = 0; i < 300; i++) /* all wrong */
        of[i] = (of[i] + 1) % 3;
    for (int i = 0; i < s.n_train; i++)
        of[s.train[i]] = real[s.train[i]];
    for (int i = 0; i < s.n_val; i++)
        of[s.val[i]] = real[s.val[i]];
    for (int i = 0; i < METHODS; i++) {
        kith_model_free(train(d, &s, methods[i], 2, before));
        d->labels->of = of;
        kith_model_free(train(d, &s, methods[i], 2, after));
        d->labels->of = real;
        CHECK(memcmp(before, after, bytes_of(d)) == 0);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(before);
    free(after);
    free(of);
}

/* ---- the same graph under other names ------------------------------------ */

enum { N = 60 };

/* A data set of a ring with chords, node i called names[i]. */
static kith_dataset *named_graph(const char *folder, const int *names)
{
    char path[100], *text = malloc(20000);
    kith_dataset *d = NULL;
    kith_error err;
    size_t at = 0;

    snprintf(path, sizeof(path), "mkdir -p '%s'", check_path(folder));
    CHECK(system(path) == 0);
    for (int i = 0; i < N; i++)
        at += (size_t)snprintf(text + at, 60, "%d\t%d\n%d\t%d\n", names[i],
                               names[(i + 1) % N], names[i],
                               names[(i * i + 7) % N]);
    snprintf(path, sizeof(path), "%s/edges.tsv", folder);
    check_file(path, text);
    at = 0;
    for (int i = 0; i < N; i++)
        at += (size_t)snprintf(text + at, 60, "%d\t%d\n", names[i], i % 3);
    snprintf(path, sizeof(path), "%s/labels.tsv", folder);
    check_file(path, text);
    CHECK_OK(kith_dataset_open(check_path(folder), NULL, &d, &err));
    free(text);
    return d;
}

static int32_t node_named(const kith_dataset *d, int name)
{
    char id[16];
    const int n = snprintf(id, sizeof(id), "%d", name);

    return kith_graph_find(d->graph, id, (size_t)n);
}

static int ascending(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

TEST(other_names_give_the_same_beliefs)
{
    int plain[N], shuffled[N];
    kith_dataset *a, *b;
    float *p, *q;

    for (int i = 0; i < N; i++) {
        plain[i] = i;
        shuffled[i] = 1000 + i * 17 % 61; /* 17 is prime to 61 */
    }
    a = named_graph("plain", plain);
    b = named_graph("shuffled", shuffled);
    p = room(a);
    q = room(b);
    for (int i = 0; i < METHODS - 1; i++) { /* lcm-em has folds, by number */
        int32_t ta[9], tb[9], va[9], vb[9];
        kith_split sa = {.train = ta, .val = va, .n_train = 9, .n_val = 9};
        kith_split sb = {.train = tb, .val = vb, .n_train = 9, .n_val = 9};

        for (int k = 0; k < 9; k++) {
            ta[k] = node_named(a, plain[k]);
            tb[k] = node_named(b, shuffled[k]);
            va[k] = node_named(a, plain[k + 20]);
            vb[k] = node_named(b, shuffled[k + 20]);
        }
        qsort(tb, 9, sizeof(*tb), ascending);
        qsort(vb, 9, sizeof(*vb), ascending);
        kith_model_free(train(a, &sa, methods[i], 2, p));
        kith_model_free(train(b, &sb, methods[i], 2, q));
        for (int k = 0; k < N; k++)
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(p[node_named(a, plain[k]) * 3 + c],
                           q[node_named(b, shuffled[k]) * 3 + c], 2e-4);
    }
    kith_dataset_free(a);
    kith_dataset_free(b);
    free(p);
    free(q);
}

/* ---- odd data ------------------------------------------------------------ */

/* Edges and labels as text; trained on every labelled node. */
static void train_on(const char *edges, const char *labels, const char *method)
{
    kith_build_options o = {
        .nodes = check_file("odd.nodes", "0\n1\n2\n3\n4\n")};
    kith_dataset d = {0};
    kith_split s = {0};
    kith_error err;
    int32_t known[5];
    float p[5 * 4];

    CHECK_OK(kith_graph_read(check_file("odd.tsv", edges), &o, &d.graph, NULL,
                             &err));
    CHECK_OK(kith_labels_read(check_file("odd.labels", labels), d.graph,
                              &d.labels, &err));
    for (int32_t u = 0; u < 5; u++)
        if (d.labels->of[u] >= 0)
            known[s.n_train++] = u;
    s.train = known;
    kith_model_free(train(&d, &s, method, 1, p));
    for (int i = 0; i < 5 * d.labels->classes; i++)
        CHECK(p[i] >= 0 && p[i] <= 1);
    kith_labels_free(d.labels);
    kith_graph_free(d.graph);
}

TEST(odd_graphs_and_labels_work)
{
    for (int i = 0; i < METHODS; i++) {
        train_on("0\t1\n1\t2\n", "0\ta\n2\tb\n", methods[i]); /* isolated */
        train_on("0\t1\n2\t3\n", "0\ta\n", methods[i]);       /* one class */
        train_on("0\t0\n", "0\ta\n1\tb\n", methods[i]); /* no edge at all */
        train_on("0\t1\t0\n1\t2\t0\n", "0\ta\n2\tb\n", methods[i]); /* 0s */
        train_on("0\t1\n0\t2\n0\t3\n0\t4\n", "0\ta\n1\tb\n2\tc\n3\td\n",
                 methods[i]); /* a star */
    }
}

TEST(a_class_without_training_nodes_and_many_classes_work)
{
    kith_dataset *d = generated(420, 210, 0);
    float *p = room(d);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    s.n_train /= 2; /* some classes have none left */
    for (int i = 0; i < METHODS; i++) {
        kith_model_free(train(d, &s, methods[i], 2, p));
        for (int64_t k = 0; k < 420 * 210; k++)
            if (!(p[k] >= 0 && p[k] <= 1)) {
                check_failed(__FILE__, __LINE__, "%s: p is %g", methods[i],
                             (double)p[k]);
                break;
            }
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(p);
}

/* ---- models -------------------------------------------------------------- */

TEST(a_saved_model_predicts_the_same_bytes)
{
    kith_dataset *d = generated(300, 3, 60);
    float *trained = room(d), *predicted = room(d);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    for (int i = 0; i < METHODS; i++) {
        kith_model *m = train(d, &s, methods[i], 2, trained), *back = NULL;

        CHECK_OK(kith_model_save(m, check_path("m.km"), &err));
        CHECK_OK(kith_model_open(check_path("m.km"), &back, &err));
        CHECK_OK(
            kith_model_predict(back, d, NULL, predicted, NULL, NULL, &err));
        CHECK(memcmp(trained, predicted, bytes_of(d)) == 0);
        CHECK(kith_model_graph_hash(back) == kith_graph_hash(d->graph));
        kith_model_free(m);
        kith_model_free(back);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(trained);
    free(predicted);
}

TEST(bad_requests_are_refused)
{
    kith_dataset *d = generated(300, 3, 0);
    kith_train_options o;
    kith_model *m = NULL;
    kith_split s, none = {0};
    kith_error err = {0};

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    kith_train_options_init(&o);
    CHECK(kith_model_train(d, "magic", &s, &o, &m, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "no method 'magic'") != NULL);
    CHECK(kith_model_train(d, "logreg", &s, &o, &m, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "needs node features") != NULL);
    CHECK(kith_model_train(d, "linbp", &none, &o, &m, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "none of the training nodes has a label") != NULL);
    o.params.bound = NAN;
    CHECK(kith_model_train(d, "linbp", &s, &o, &m, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "bound is nan") != NULL);
    CHECK(m == NULL);
    kith_split_release(&s);
    kith_dataset_free(d);
}

TEST(training_survives_every_failed_allocation)
{
    kith_dataset *d = generated(30, 2, 8);
    kith_train_options o;
    kith_model *m = NULL;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    kith_train_options_init(&o);
    o.job.threads = 1;
    o.fixed = KITH_FIX_ALL;
    for (int i = 0; i < METHODS - 1; i++)
        CHECK_OOM(st = kith_model_train(d, methods[i], &s, &o, &m, NULL, NULL),
                  kith_model_free(m));
    kith_split_release(&s);
    kith_dataset_free(d);
}
