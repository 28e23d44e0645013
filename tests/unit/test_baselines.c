/*
 * test_baselines.c: the methods that fit on their own, as a user trains them.
 */
#include "generated.h"

#include "models/model_object.h"
#include "nn/alias.h"

static const char *const methods[] = {
    "gcn", "sgc",     "appnp",   "lp",       "cheb",      "sage",       "gat",
    "ica", "manireg", "semiemb", "deepwalk", "planetoid", "planetoid-i"};
enum { METHODS = sizeof(methods) / sizeof(*methods) };

static kith_dataset *generated(int nodes, int classes, int features)
{
    return generated_with(nodes, classes, features, .8, 20);
}

/* Few epochs, to be quick; `fixed` says whether settings are tried. */
static kith_model *train(const kith_dataset *d, const kith_split *s,
                         const char *method, int threads, int epochs,
                         uint32_t fixed, float *p)
{
    kith_train_options o;
    kith_model *m = NULL;
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = threads;
    o.fixed = fixed;
    o.params.iterations = epochs;
    CHECK_OK(kith_model_train(d, method, s, &o, &m, p, &err));
    return m;
}

TEST(threads_do_not_matter_and_a_saved_model_predicts_the_same_bytes)
{
    kith_split s;
    kith_error err;

    for (int features = 0; features <= 60; features += 60) {
        kith_dataset *d = generated(300, 3, features);
        float *one = room(d), *many = room(d);

        CHECK_OK(kith_split_read(d, "0", &s, &err));
        for (int i = 0; i < METHODS; i++) {
            kith_model *m = train(d, &s, methods[i], 1, 3, KITH_FIX_ITERATIONS,
                                  one),
                       *back = NULL;

            kith_model_free(
                train(d, &s, methods[i], 2, 3, KITH_FIX_ITERATIONS, many));
            if (memcmp(one, many, bytes_of(d)) != 0)
                check_failed(__FILE__, __LINE__, "%s: threads matter",
                             methods[i]);
            for (int u = 0; u < 300; u++)
                CHECK_NEAR(one[u * 3] + one[u * 3 + 1] + one[u * 3 + 2], 1,
                           1e-5);
            CHECK(isnan(kith_model_certificate(m)->rho));
            CHECK_OK(kith_model_save(m, check_path("m.km"), &err));
            CHECK_OK(kith_model_open(check_path("m.km"), &back, &err));
            memset(many, 0, bytes_of(d));
            CHECK_OK(kith_model_predict(back, d, NULL, many, NULL, NULL, &err));
            if (memcmp(one, many, bytes_of(d)) != 0)
                check_failed(__FILE__, __LINE__, "%s: predicts otherwise",
                             methods[i]);
            kith_model_free(m);
            kith_model_free(back);
        }
        kith_split_release(&s);
        kith_dataset_free(d);
        free(one);
        free(many);
    }
}

TEST(labels_of_other_nodes_are_never_looked_at)
{
    kith_dataset *d = generated(300, 3, 60);
    float *before = room(d), *after = room(d);
    int32_t *of = malloc(300 * sizeof(*of)), *real = d->labels->of;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    for (int i = 0; i < 300; i++) /* all wrong */
        of[i] = (real[i] + 1) % 3;
    for (int i = 0; i < s.n_train; i++)
        of[s.train[i]] = real[s.train[i]];
    for (int i = 0; i < s.n_val; i++)
        of[s.val[i]] = real[s.val[i]];
    for (int i = 0; i < METHODS; i++) {
        kith_model_free(
            train(d, &s, methods[i], 2, 3, KITH_FIX_ITERATIONS, before));
        d->labels->of = of;
        kith_model_free(
            train(d, &s, methods[i], 2, 3, KITH_FIX_ITERATIONS, after));
        d->labels->of = real;
        if (memcmp(before, after, bytes_of(d)) != 0)
            check_failed(__FILE__, __LINE__, "%s looks", methods[i]);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(before);
    free(after);
    free(of);
}

/* Guessing gives a third of 60; 36 or more by chance once in 48,000 times. */
TEST(each_method_learns)
{
    kith_dataset *d = generated(300, 3, 60);
    float *p = room(d);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    for (int i = 0; i < METHODS; i++) {
        int right = 0;

        kith_model_free(train(d, &s, methods[i], 2, 100, KITH_FIX_ALL, p));
        for (int j = 0; j < s.n_test; j++) {
            const float *row = p + s.test[j] * 3;
            const int best = row[1] > row[0] ? (row[2] > row[1] ? 2 : 1)
                                             : (row[2] > row[0] ? 2 : 0);

            right += best == d->labels->of[s.test[j]];
        }
        if (right * 10 < s.n_test * 6)
            check_failed(__FILE__, __LINE__, "%s: %d of %d", methods[i], right,
                         (int)s.n_test);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(p);
}

/* Walks and epochs are no propagations: a hundred is not their number. */
TEST(untuned_methods_have_iterations_of_their_own)
{
    const struct {
        const char *method;
        int iterations;
    } own[] = {{"gcn", 200}, {"planetoid", 200}, {"deepwalk", 10}};
    kith_dataset *d = generated(60, 3, 10);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    for (int i = 0; i < 3; i++) {
        kith_model *m = train(d, &s, own[i].method, 1, 0, KITH_FIX_ALL, NULL);

        CHECK_INT(kith_model_certificate(m)->iterations, own[i].iterations);
        CHECK_INT(kith_model_params(m)->iterations, own[i].iterations);
        kith_model_free(m);
        m = train(d, &s, own[i].method, 1, 3, KITH_FIX_ALL, NULL);
        CHECK_INT(kith_model_certificate(m)->iterations, 3);
        kith_model_free(m);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
}

/* What is drawn as each item, over all shares, is its part of the weight. */
TEST(shares_add_up_to_the_weights)
{
    enum { N = 50 };
    double w[N], spent[N], part[N] = {0}, sum = 0;
    kith__rng r = kith__rng_start(1, 2);
    int32_t queue[N];
    kith__alias a[N];

    for (int n = 1; n <= N; n += 7) {
        sum = 0;
        for (int i = 0; i < n; i++) {
            spent[i] = w[i] = pow(kith__rng_real(&r) + 1e-3, 4);
            sum += w[i];
            part[i] = 0;
        }
        kith__alias_fill(spent, n, queue, a);
        for (int i = 0; i < n; i++) {
            part[i] += (double)a[i].own / n;
            part[a[i].other] += (1 - (double)a[i].own) / n;
        }
        for (int i = 0; i < n; i++)
            CHECK_NEAR(part[i], w[i] / sum, 1e-6);
        for (int i = 0; i < 1000; i++) {
            const int32_t drawn = kith__alias_draw(a, n, &r);

            CHECK(drawn >= 0 && drawn < n);
        }
    }
}

/* The choices of one model train another, without validation nodes. */
TEST(choices_are_taken_from_another_model)
{
    kith_dataset *d = generated(300, 3, 60);
    float *p = room(d);
    kith_train_options o;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    kith_train_options_init(&o);
    o.job.threads = 1;
    for (int i = 0; i < METHODS; i++) {
        kith_model *first = train(d, &s, methods[i], 1, 4, KITH_FIX_ITERATIONS,
                                  p),
                   *second = NULL;
        const int count = kith_model_settings(first);
        kith_split all = s;

        all.n_val = 0;
        o.like = first;
        CHECK_OK(kith_model_train(d, methods[i], &all, &o, &second, p, &err));
        CHECK_INT(kith_model_settings(second), count);
        for (int j = 0; second && j < count; j++) {
            const kith_setting a = kith_model_setting(first, j),
                               b = kith_model_setting(second, j);

            CHECK_TEXT(a.name, b.name);
            CHECK(a.number == b.number || (isnan(a.number) && isnan(b.number)));
        }
        kith_model_free(first);
        kith_model_free(second);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(p);
}

static const float *vectors_of(const kith_model *m)
{
    return kith__fit_state_values(&m->state, "vectors", 300, 128);
}

/* On the same graph they are not learnt again; on another they are. */
TEST(vectors_are_taken_from_another_model_of_the_same_graph)
{
    kith_dataset *d[] = {generated(300, 3, 60),
                         generated_with(300, 3, 60, .6, 20)};
    const size_t bytes = 300 * 128 * sizeof(float);
    kith_train_options o;
    kith_split s[2];
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = 1;
    for (int i = 0; i < 2; i++)
        CHECK_OK(kith_split_read(d[i], "0", &s[i], &err));
    for (int i = 0; i < 2; i++) {
        const char *method = i ? "planetoid" : "deepwalk";
        kith_model *first = train(d[0], &s[0], method, 1, 2, KITH_FIX_ALL,
                                  NULL),
                   *fresh = train(d[1], &s[1], method, 1, 2, KITH_FIX_ALL,
                                  NULL),
                   *same = NULL, *other = NULL;
        float apart = 0;

        o.like = first;
        CHECK_OK(kith_model_train(d[0], method, &s[0], &o, &same, NULL, &err));
        CHECK_OK(kith_model_train(d[1], method, &s[1], &o, &other, NULL, &err));
        for (int j = 0; j < 300 * 128; j++)
            apart = fmaxf(apart,
                          fabsf(vectors_of(first)[j] - vectors_of(same)[j]));
        CHECK(apart < 1e-6f);
        CHECK(memcmp(vectors_of(fresh), vectors_of(other), bytes) == 0);
        CHECK(memcmp(vectors_of(fresh), vectors_of(first), bytes) != 0);
        kith_model_free(first);
        kith_model_free(fresh);
        kith_model_free(same);
        kith_model_free(other);
    }
    for (int i = 0; i < 2; i++) {
        kith_split_release(&s[i]);
        kith_dataset_free(d[i]);
    }
}

/* ---- odd data ------------------------------------------------------------ */

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
    kith_model_free(train(&d, &s, method, 1, 5, KITH_FIX_ITERATIONS, p));
    for (int i = 0; i < 5 * d.labels->classes; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            check_failed(__FILE__, __LINE__, "%s: p is %g", method,
                         (double)p[i]);
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

TEST(a_class_without_training_nodes_works)
{
    kith_dataset *d = generated(60, 20, 0);
    float *p = room(d);
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    s.n_train /= 4;
    for (int i = 0; i < METHODS; i++) {
        kith_model_free(train(d, &s, methods[i], 2, 3, KITH_FIX_ITERATIONS, p));
        for (int k = 0; k < 60 * 20; k++)
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

/* Without features there is a vector for each node of the graph trained on. */
TEST(a_grown_graph_needs_features)
{
    kith_dataset *d = generated(300, 3, 0), *other = generated(60, 20, 0);
    float *p = room(d);
    kith_error err = {0};
    kith_model *m;
    kith_split s;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    m = train(d, &s, "gcn", 1, 3, KITH_FIX_ITERATIONS, p);
    CHECK(kith_model_predict(m, other, NULL, p, NULL, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "this is another graph") != NULL);
    kith_model_free(m);
    kith_split_release(&s);
    kith_dataset_free(d);
    kith_dataset_free(other);
    free(p);
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
    o.fixed = KITH_FIX_ITERATIONS;
    o.params.iterations = 2;
    for (int i = 0; i < METHODS; i++)
        CHECK_OOM(st = kith_model_train(d, methods[i], &s, &o, &m, NULL, NULL),
                  kith_model_free(m));
    kith_split_release(&s);
    kith_dataset_free(d);
}
