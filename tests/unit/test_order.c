#include "core/rng.h"
#include "graph/order.h"
#include "kernels/operator.h"
#include "small_graphs.h"

/* A skewed graph with text ids: low numbers are hubs, names are shuffled. */
static const char *skewed(bool weighted)
{
    kith__rng r = kith__rng_start(5, 1);
    const char *path = check_path(weighted ? "skew.csv" : "skew.tsv");
    const char between = weighted ? ',' : '\t';
    FILE *f = fopen(path, "w");

    for (int i = 0; i < 4000; i++) {
        const double a = kith__rng_real(&r), b = kith__rng_real(&r);
        const int u = (int)(a * a * a * 300), v = (int)(b * b * 300);

        fprintf(f, "n%d%cn%d", u * 77 % 300, between, v * 77 % 300);
        if (weighted)
            fprintf(f, "%c%d", between, 1 + i % 7);
        fputc('\n', f);
    }
    fclose(f);
    return path;
}

static kith_graph *built(const char *in, kith_order order)
{
    kith_build_options o = {.order = order};
    const char *out = check_path(order == KITH_ORDER_DEGREE ? "d.kg" : "i.kg");
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_build(in, out, &o, NULL, &err));
    CHECK_OK(kith_graph_open(out, &g, &err));
    CHECK_OK(kith_graph_verify(g, NULL, &err));
    return g;
}

/* Edge by edge through the ids: the same graph, whatever the numbers. */
TEST(numbering_by_degree_keeps_ids_edges_weights_and_places)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        const char *in = skewed(weighted);
        kith_graph *a = built(in, KITH_ORDER_INPUT);
        kith_graph *b = built(in, KITH_ORDER_DEGREE);
        const int64_t *ra = kith_graph_rows(a), *rb = kith_graph_rows(b);
        const int32_t n = kith_graph_nodes(a);

        CHECK_INT(kith_graph_nodes(b), n);
        CHECK(kith_graph_hash(a) == kith_graph_hash(b));
        for (int32_t i = 0; i < n; i++) {
            const int32_t u = kith_graph_listed(b, i);
            char x[KITH_ID_BUFFER], y[KITH_ID_BUFFER];
            size_t nx, ny;
            const char *ix = kith_graph_id(a, i, x, &nx);
            const char *iy = kith_graph_id(b, u, y, &ny);

            CHECK_INT(kith_graph_place(b, u), i);
            CHECK(nx == ny && memcmp(ix, iy, nx) == 0);
            CHECK_INT(kith_graph_find(b, ix, nx), u);
            CHECK_INT(rb[u + 1] - rb[u], ra[i + 1] - ra[i]);
            for (int64_t p = ra[i]; p < ra[i + 1]; p++) {
                const int32_t want =
                    kith_graph_listed(b, kith_graph_neighbours(a)[p]);
                int64_t q = rb[u];

                while (q < rb[u + 1] && kith_graph_neighbours(b)[q] != want)
                    q++;
                CHECK(q < rb[u + 1]);
                CHECK(!weighted ||
                      kith_graph_weights(a)[p] == kith_graph_weights(b)[q]);
            }
        }
        for (int32_t u = 0; u + 1 < n; u++) {
            const int64_t d = rb[u + 1] - rb[u], e = rb[u + 2] - rb[u + 1];

            CHECK(d > e || (d == e && kith_graph_place(b, u) <
                                          kith_graph_place(b, u + 1)));
        }
        kith_graph_free(a);
        kith_graph_free(b);
    }
}

/* Ten steps of LinBP from the same potentials, compared place by place. */
TEST(beliefs_do_not_depend_on_the_numbers)
{
    enum { K = 3, MOST = 300 * K };
    const float H[K * K] = {.5f, -.2f, -.3f, -.2f, .4f, -.2f, -.3f, -.2f, .5f};
    float P[2][MOST] = {{0}}, Q[2][MOST] = {{0}}, next[MOST];
    kith_graph *g[2] = {built(skewed(false), KITH_ORDER_INPUT), NULL};

    g[1] = built(skewed(false), KITH_ORDER_DEGREE);
    for (int j = 0; j < 2; j++) {
        kith__rng r = kith__rng_start(8, 1);
        float *scale, *weights;
        kith__operator W;

        CHECK(kith__operator_start(g[j], 2, &W, &scale, &weights));
        for (int32_t i = 0; i < W.n; i++)
            for (int c = 0; c < K; c++)
                Q[j][kith_graph_listed(g[j], i) * K + c] =
                    (float)kith__rng_real(&r) - .5f;
        memcpy(P[j], Q[j], sizeof(P[j]));
        for (int t = 0; t < 10; t++) {
            apply_all(&W, P[j], K, H, Q[j], next);
            memcpy(P[j], next, (size_t)W.n * K * sizeof(float));
        }
        free(scale);
        free(weights);
    }
    for (int32_t i = 0; i < kith_graph_nodes(g[0]); i++)
        for (int c = 0; c < K; c++)
            CHECK_NEAR(P[1][kith_graph_listed(g[1], i) * K + c],
                       P[0][i * K + c], 2e-6);
    kith_graph_free(g[0]);
    kith_graph_free(g[1]);
}

/* Memory so short that edges go to disk, and any number of threads. */
TEST(a_numbered_file_has_the_same_bytes_for_any_threads_and_memory)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        char *first = NULL;
        size_t n_first = 0;

        for (int i = 0; i < 4; i++) {
            static const int threads[] = {1, 2, 8, 2};
            kith_build_options o = {
                .job = {.threads = threads[i], .memory = i == 3 ? 20000 : 0},
                .order = KITH_ORDER_DEGREE};
            kith_error err;
            char *bytes;
            size_t n;

            CHECK_OK(kith_dataset_build(skewed(weighted), check_path("t.kg"),
                                        &o, NULL, &err));
            bytes = check_read(check_path("t.kg"), &n);
            CHECK(!first || (n == n_first && memcmp(bytes, first, n) == 0));
            free(first);
            first = bytes;
            n_first = n;
        }
        free(first);
    }
}

/* There and back gives the file that was. */
TEST(back_to_the_input_order_is_byte_for_byte)
{
    kith_build_options o = {.order = KITH_ORDER_INPUT};
    size_t n, m;
    kith_error err;
    char *a, *b;

    kith_graph_free(built(skewed(true), KITH_ORDER_INPUT));
    kith_graph_free(built(skewed(true), KITH_ORDER_DEGREE));
    CHECK_OK(kith_dataset_build(check_path("d.kg"), check_path("back.kg"), &o,
                                NULL, &err));
    a = check_read(check_path("i.kg"), &n);
    b = check_read(check_path("back.kg"), &m);
    CHECK(n == m && memcmp(a, b, n) == 0);
    free(a);
    free(b);
}

/* A folder with labels, features of both kinds and a split, numbered by degree
 * and written out again: the files are those of the folder as listed. */
TEST(a_numbered_data_set_is_written_as_it_was_listed)
{
    static const char *const files[] = {"edges.tsv", "labels.tsv",
                                        "features.mtx", "splits/s/train.txt"};
    char command[4096];

    snprintf(command, sizeof(command),
             "rm -rf '%1$s' && mkdir -p '%1$s/splits/s' && cd '%1$s' && "
             "printf '0\\t1\\n1\\t2\\n3\\t2\\n2\\t4\\n5\\t4\\n' > edges.tsv && "
             "printf '0\\tx\\n2\\ty\\n4\\tx\\n' > labels.tsv && "
             "printf '0\\n2\\n' > splits/s/train.txt && "
             "printf '4\\n' > splits/s/test.txt && "
             "printf '%%%%%%%%MatrixMarket matrix coordinate real "
             "general\\n6 2 3\\n1 1 0.5\\n3 2 -1\\n6 1 2\\n' > features.mtx",
             check_path("set"));
    CHECK(system(command) == 0);
    for (int degree = 0; degree < 2; degree++) {
        kith_build_options o = {.order = degree ? KITH_ORDER_DEGREE
                                                : KITH_ORDER_INPUT};
        kith_dataset *d = NULL;
        kith_error err;

        CHECK_OK(kith_dataset_build(check_path("set"), check_path("set.kg"), &o,
                                    NULL, &err));
        CHECK_OK(kith_dataset_open(check_path("set.kg"), NULL, &d, &err));
        CHECK_OK(kith_graph_verify(d->graph, NULL, &err));

        d->splits_at = strdup(check_path("set/splits"));
        CHECK_OK(kith_dataset_write(d, check_path(degree ? "out1" : "out0"),
                                    KITH_GRAPH_TSV, KITH_FEATURES_MTX, true,
                                    NULL, &err));
        kith_dataset_free(d);
    }
    for (int i = 0; i < 4; i++) {
        char at[64];
        size_t n, m;
        char *a, *b;

        snprintf(at, sizeof(at), "out0/%s", files[i]);
        a = check_read(check_path(at), &n);
        snprintf(at, sizeof(at), "out1/%s", files[i]);
        b = check_read(check_path(at), &m);
        CHECK(n > 0 && n == m && memcmp(a, b, n) == 0);
        free(a);
        free(b);
    }
}

/* What is drawn at random depends on ids, not on numbers. */
TEST(random_splits_draw_the_same_nodes)
{
    kith_graph *g[2] = {built(skewed(false), KITH_ORDER_INPUT), NULL};
    kith_labels *l[2] = {NULL, NULL};
    kith_split s[2];
    kith_error err;
    FILE *f = fopen(check_path("l.tsv"), "w");

    g[1] = built(skewed(false), KITH_ORDER_DEGREE);
    for (int i = 0; i < 300; i += 2) {
        char id[16];

        snprintf(id, sizeof(id), "n%d", i);
        if (kith_graph_find(g[0], id, strlen(id)) >= 0)
            fprintf(f, "%s\t%d\n", id, i % 3);
    }
    fclose(f);
    for (int j = 0; j < 2; j++) {
        CHECK_OK(kith_labels_read(check_path("l.tsv"), g[j], &l[j], &err));
        CHECK_OK(kith_split_random(g[j], l[j], 5, 20, 7, 0, &s[j], &err));
    }
    CHECK(s[0].hash == s[1].hash);
    CHECK_INT(s[1].n_train, s[0].n_train);
    for (int32_t i = 0; i < s[1].n_train; i++) {
        const int32_t place = kith_graph_place(g[1], s[1].train[i]);
        bool among = false;

        CHECK(i == 0 || s[1].train[i - 1] < s[1].train[i]);
        for (int32_t k = 0; k < s[0].n_train; k++)
            among |= s[0].train[k] == place;
        CHECK(among);
    }
    for (int j = 0; j < 2; j++) {
        kith_split_release(&s[j]);
        kith_labels_free(l[j]);
        kith_graph_free(g[j]);
    }
}

TEST(small_graphs_are_not_numbered_by_degree_unless_asked)
{
    kith_graph *g = built(skewed(false), KITH_ORDER_AUTO);

    for (int32_t u = 0; u < kith_graph_nodes(g); u++)
        CHECK_INT(kith_graph_place(g, u), u);
    kith_graph_free(g);
}

TEST(numbering_survives_every_failed_allocation)
{
    kith_build_options o = {.job = {.threads = 1}, .order = KITH_ORDER_DEGREE};
    const char *in = skewed(true), *out = check_path("oom.kg");
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OOM(st = kith_dataset_build(in, out, &o, NULL, NULL), );
    CHECK_OK(kith_graph_open(out, &g, &err));
    CHECK_OOM(st = kith_graph_verify(g, &o.job, NULL), );
    CHECK_OOM(st = kith_graph_write(g, check_path("oom.tsv"), KITH_GRAPH_AUTO,
                                    &o.job, NULL), );
    kith_graph_free(g);
}
