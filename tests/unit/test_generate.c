#include <dirent.h>
#include <sys/stat.h>

#include "check.h"
#include "generate/labels_plan.h"
#include "generate/splits_plan.h"

/* ---- helpers ------------------------------------------------------------- */

static kith_generate_options preset(const char *name, double scale)
{
    kith_generate_options o;
    kith_error err;

    CHECK_OK(kith_generate_preset(name, scale, &o, &err));
    return o;
}

/* A power-law graph of two classes alike. */
static kith_generate_options powerlaw(int32_t nodes, int64_t edges)
{
    kith_generate_options o = preset("google-plus", .01);

    o.nodes = nodes;
    o.edges = edges;
    return o;
}

static kith_dataset *generated(const kith_generate_options *o, const char *name)
{
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_generate(o, check_path(name), &err));
    CHECK_OK(kith_dataset_open(check_path(name), NULL, &d, &err));
    CHECK_OK(kith_graph_verify(d->graph, NULL, &err));
    return d;
}

static int64_t degree(const kith_graph *g, int32_t u)
{
    return kith_graph_rows(g)[u + 1] - kith_graph_rows(g)[u];
}

static int entries_in(const char *path)
{
    DIR *folder = opendir(path);
    int n = -2; /* "." and ".." */

    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

static void check_same_bytes(const char *a, const char *b)
{
    size_t n = 0, m = 0;
    char *x = check_read(a, &n), *y = check_read(b, &m);

    CHECK(x && y && n == m && memcmp(x, y, n) == 0);
    free(x);
    free(y);
}

static void check_refused(kith_generate_options o, const char *expected)
{
    kith_error err = {0};

    CHECK_INT(kith_generate(&o, check_path("refused.kg"), &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, expected);
    CHECK(access(check_path("refused.kg"), F_OK) != 0);
}

/* ---- parts --------------------------------------------------------------- */

TEST(permutation_is_a_bijection_and_is_taken_back)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 64, 65, 1000, 4097};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const uint32_t n = sizes[i];
        char *seen = calloc(n, 1);
        kith__permutation p;
        uint32_t bad = 0, fixed = 0;

        kith__permutation_init(&p, n, 7, 1);
        for (uint32_t x = 0; x < n; x++) {
            const uint32_t y = kith__permute(&p, x);

            bad += y >= n || seen[y] || kith__permute_back(&p, y) != x;
            fixed += x == y;
            if (y < n)
                seen[y] = 1;
        }
        CHECK_INT(bad, 0);
        CHECK(n < 64 || fixed < 10); /* one on average */
        free(seen);
    }
}

TEST(permutations_of_other_seeds_and_streams_differ)
{
    kith__permutation a, b, c;
    int same = 0;

    kith__permutation_init(&a, 1000, 1, 1);
    kith__permutation_init(&b, 1000, 2, 1);
    kith__permutation_init(&c, 1000, 1, 2);
    for (uint32_t x = 0; x < 1000; x++)
        same += kith__permute(&a, x) == kith__permute(&b, x) ||
                kith__permute(&a, x) == kith__permute(&c, x);
    CHECK(same < 15); /* two on average */
}

/* Shares .9 and .1, h = .9: 1 - sum p^2 = .18, g = .1 / .18 = 5 / 9, so
 * own = 1 - 5/9 .1 = 17/18 and 1 - 5/9 .9 = 1/2. */
TEST(mixing_keeps_degrees_alike)
{
    const double share[] = {.9, .1}, equal[] = {.25, .25, .25, .25};
    double own[4];

    kith__mixing(share, 2, .9, own);
    CHECK_NEAR(own[0], 17. / 18, 1e-12);
    CHECK_NEAR(own[1], .5, 1e-12);
    kith__mixing(equal, 4, .8, own);
    for (int c = 0; c < 4; c++)
        CHECK_NEAR(own[c], .8, 1e-12);
}

/* Below h = .8 the small class cannot leave more often than always: its .1
 * and .9 (1 - own) make up 1 - h = .5, so own = 1 - .4 / .9 = 5/9. */
TEST(mixing_below_what_is_possible_takes_the_rest_from_large_classes)
{
    const double share[] = {.9, .1}, one[] = {1};
    double own[2];

    kith__mixing(share, 2, .5, own);
    CHECK_NEAR(own[0], 5. / 9, 1e-12);
    CHECK_NEAR(own[1], 0, 1e-12);
    kith__mixing(share, 2, 0, own);
    CHECK_NEAR(own[0], 0, 1e-12);
    kith__mixing(share, 2, 1, own);
    CHECK_NEAR(own[0], 1, 1e-12);
    CHECK_NEAR(own[1], 1, 1e-12);
    kith__mixing(one, 1, .3, own); /* one class has no other */
    CHECK_NEAR(own[0], 1, 0);
}

static void check_sizes(int32_t size, int32_t train, int32_t val, int32_t test)
{
    const int32_t wish[] = {10, 10, 50};
    int32_t got[3];

    kith__split_sizes(size, wish, got);
    CHECK_INT(got[KITH__TRAIN], train);
    CHECK_INT(got[KITH__VAL], val);
    CHECK_INT(got[KITH__TEST], test);
}

TEST(split_sizes_shrink_in_proportion)
{
    check_sizes(1000, 10, 10, 50);
    check_sizes(70, 10, 10, 50);
    check_sizes(35, 5, 5, 25);
    check_sizes(7, 1, 1, 5);
    check_sizes(4, 1, 1, 2); /* 0 0 2, then at least one each */
    check_sizes(3, 1, 1, 1);
    check_sizes(2, 1, 0, 1);
    check_sizes(1, 1, 0, 0);
}

/* ---- presets ------------------------------------------------------------- */

/* 41652230 .0005 = 20826.1, 1202513046 .0005 = 601256.5, 20826 .006 = 125 */
TEST(twitter_shrinks_by_the_scale)
{
    kith_generate_options o = preset("twitter", .0005);
    kith_dataset *d;
    int64_t rare = 0;

    CHECK_INT(o.nodes, 20826);
    CHECK_INT(o.edges, 601257);
    CHECK_INT(o.train, 1); /* .5 rounded */
    CHECK_INT(o.test, 3);  /* 2.5 rounded */
    d = generated(&o, "twitter.kg");
    CHECK_INT(kith_graph_nodes(d->graph), 20826);
    CHECK_INT(kith_graph_edges(d->graph), 601257);
    CHECK_INT(d->labels->classes, 2);
    CHECK_TEXT(d->labels->names[1], "1");
    CHECK_INT(d->labels->labelled, 20826);
    for (int32_t u = 0; u < o.nodes; u++)
        rare += d->labels->of[u] == 1;
    CHECK_INT(rare, 125);
    kith_dataset_free(d);
}

TEST(presets_at_full_scale_are_as_published)
{
    const kith_generate_options t = preset("twitter", 1);
    const kith_generate_options g = preset("google-plus", 1);

    CHECK_INT(t.nodes, 41652230);
    CHECK_INT(t.edges, 1202513046);
    CHECK_INT(t.train, 1000);
    CHECK_INT(t.val, 1000);
    CHECK_INT(t.test, 5000);
    CHECK_NEAR(t.rare, .006, 0);
    CHECK_INT(g.nodes, 5735175);
    CHECK_INT(g.edges, 30644909);
    CHECK_INT(g.classes, 2);
    CHECK_NEAR(g.rare, 0, 0);
}

TEST(the_smallest_scale_still_makes_a_graph)
{
    static const char *const names[] = {"sbm", "rmat", "google-plus",
                                        "twitter"};

    for (int i = 0; i < 4; i++) {
        kith_generate_options o = preset(names[i], 1e-9);
        kith_dataset *d = generated(&o, "smallest.kg");

        CHECK_INT(kith_graph_nodes(d->graph), o.classes);
        kith_dataset_free(d);
    }
}

TEST(unknown_presets_and_scales_are_refused)
{
    kith_generate_options o;
    kith_error err;

    CHECK_INT(kith_generate_preset("orkut", 1, &o, &err), KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "unknown model 'orkut', expected sbm, rmat, "
                         "google-plus or twitter");
    CHECK_INT(kith_generate_preset("sbm", 0, &o, &err), KITH_ERR_ARGUMENT);
    CHECK_INT(kith_generate_preset("sbm", 1.5, &o, &err), KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "scale is 1.5, expected above 0 and at most 1");
    CHECK_INT(kith_generate_preset("sbm", NAN, &o, NULL), KITH_ERR_ARGUMENT);
}

TEST(senseless_options_are_refused)
{
    const kith_generate_options good = powerlaw(100, 300);
    kith_generate_options o;

#define REFUSED(FIELD, VALUE, TEXT) \
    o = good;                       \
    o.FIELD = (VALUE);              \
    check_refused(o, TEXT)

    REFUSED(nodes, 0, "nodes is 0, expected at least 1");
    REFUSED(nodes, INT32_MIN, "nodes is -2147483648, expected at least 1");
    REFUSED(edges, 98, "edges is 98, expected 99 to 4950 for 100 nodes");
    REFUSED(edges, 4951, "edges is 4951, expected 99 to 4950 for 100 nodes");
    REFUSED(classes, 0, "classes is 0, expected 1 to 100");
    REFUSED(classes, 101, "classes is 101, expected 1 to 100");
    REFUSED(homophily, -.1, "homophily is -0.1, expected 0 to 1");
    REFUSED(homophily, NAN, "homophily is nan, expected 0 to 1");
    REFUSED(rare, 1,
            "rare is 1, expected 0 (classes alike) or the share of the last "
            "class, below 1");
    REFUSED(exponent, 2, "exponent is 2, expected above 2 and at most 100");
    REFUSED(features, -1, "features is -1, expected 0 (none) or more");
    REFUSED(test, -1, "train, val, test are 10, 10, -1, expected 0 or more");
    REFUSED(job.memory, -1, "memory is -1, expected 0 (no limit) or more");
    REFUSED(model, (kith_generator)9,
            "model is 9, expected sbm, rmat or powerlaw");
#undef REFUSED
}

TEST(senseless_options_of_some_models_are_refused)
{
    kith_generate_options o = preset("rmat", 1);

    o.nodes = 1000;
    check_refused(o, "nodes is 1000, expected a power of two for rmat");
    o = preset("rmat", 1);
    o.rmat[0] = .7;
    check_refused(o, "rmat's a, b, c are 0.7, 0.19, 0.19, expected "
                     "probabilities that sum to at most 1");
    o = preset("sbm", 1);
    o.features = 10;
    o.words = 11;
    check_refused(o, "words is 11, expected 1 to 10, the number of features");
    o.words = 5;
    o.signal = 2;
    check_refused(o, "signal is 2, expected 0 to 1");
    o.features = o.words = 1;
    check_refused(o, "signal is 2, expected 0 to 1");
    o = preset("sbm", 1);
    o.edges = -1;
    check_refused(o, "edges is -1, expected 0 to 1099511627776 for 2000 nodes");
    o = preset("sbm", 1);
    o.classes = 1;
    o.rare = .1;
    check_refused(o, "rare is 0.1, expected 0 for one class");
}

/* ---- models -------------------------------------------------------------- */

TEST(powerlaw_has_exactly_the_edges_wished)
{
    kith_generate_options o = powerlaw(20000, 106789);
    kith_dataset *d = generated(&o, "exact.kg");
    kith_graph_stats stats;
    kith_error err;

    CHECK_INT(kith_graph_nodes(d->graph), 20000);
    CHECK_INT(kith_graph_edges(d->graph), 106789);
    CHECK_INT(d->cleaning.entries, 106789);
    CHECK_INT(d->cleaning.duplicates, 0);
    CHECK_INT(d->cleaning.both_ways, 0);
    CHECK_INT(d->cleaning.self_loops, 0);
    CHECK_INT(d->cleaning.isolated, 0);
    CHECK_OK(kith_graph_stats_compute(d->graph, NULL, &stats, &err));
    CHECK_INT(stats.components, 1);
    kith_dataset_free(d);
}

TEST(powerlaw_takes_every_number_of_edges)
{
    for (int32_t n = 2; n <= 9; n++) {
        for (int64_t m = n - 1; m <= n * (n - 1) / 2; m++) {
            kith_generate_options o = powerlaw(n, m);
            kith_dataset *d;

            o.job.threads = 1;
            d = generated(&o, "every.kg");
            CHECK_INT(kith_graph_edges(d->graph), m);
            CHECK_INT(d->cleaning.isolated, 0);
            kith_dataset_free(d);
        }
    }
}

TEST(powerlaw_dense_graph_is_exact)
{
    kith_generate_options o = powerlaw(300, 300 * 299 / 2 - 7);
    kith_dataset *d = generated(&o, "dense.kg");

    CHECK_INT(kith_graph_edges(d->graph), 300 * 299 / 2 - 7);
    kith_dataset_free(d);
}

TEST(powerlaw_has_the_homophily_wished)
{
    static const double wish[] = {.2, .5, .65, .9};

    for (int i = 0; i < 4; i++) {
        kith_generate_options o = powerlaw(20000, 100000);
        kith_dataset *d;

        o.homophily = wish[i];
        o.classes = 2 + 2 * (i % 2);
        d = generated(&o, "homophily.kg");
        CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL), wish[i], .01);
        kith_dataset_free(d);
    }
}

/* With shares .95 and .05 and h = .92: g = .08 / .095, so of a rare node's
 * edges 1 - .95 g = .2 are within its class, and mean degrees are alike. */
TEST(powerlaw_rare_class_keeps_its_degree)
{
    kith_generate_options o = powerlaw(20000, 200000);
    int64_t ends = 0, within = 0, rare = 0;
    kith_dataset *d;

    o.rare = .05;
    o.homophily = .92;
    d = generated(&o, "rare.kg");
    for (int32_t u = 0; u < o.nodes; u++) {
        if (d->labels->of[u] != 1)
            continue;
        rare++;
        ends += degree(d->graph, u);
        for (int64_t p = kith_graph_rows(d->graph)[u];
             p < kith_graph_rows(d->graph)[u + 1]; p++)
            within += d->labels->of[kith_graph_neighbours(d->graph)[p]] == 1;
    }
    CHECK_INT(rare, 1000);
    CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL), .92, .005);
    CHECK_NEAR((double)within / (double)ends, .2, .02);
    CHECK_NEAR((double)ends / (double)rare, 20, 1.5);
    kith_dataset_free(d);
}

static int larger_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

static int64_t *sorted_degrees(const kith_graph *g)
{
    const int32_t n = kith_graph_nodes(g);
    int64_t *d = malloc((size_t)n * sizeof(*d));

    for (int32_t u = 0; u < n; u++)
        d[u] = degree(g, u);
    qsort(d, (size_t)n, sizeof(*d), larger_first);
    return d;
}

/* Node of rank x has about k + k (1-s)/s ((N/x)^s - 1) edges; with exponent 3
 * and k = 5, s = 1/2 and that is 5 sqrt(N/x).  The smallest degree is 5. */
TEST(powerlaw_degrees_follow_the_exponent)
{
    kith_generate_options o = powerlaw(40000, 200000 - 15);
    kith_dataset *d;
    int64_t *sorted;

    o.classes = 1;
    o.exponent = 3;
    d = generated(&o, "exponent.kg");
    sorted = sorted_degrees(d->graph);
    for (int32_t x = 50; x <= 5000; x *= 10)
        CHECK_NEAR((double)sorted[x] / (5 * sqrt(40000. / x)), 1, .15);
    CHECK_INT(sorted[39999], 5);
    free(sorted);
    kith_dataset_free(d);
}

TEST(powerlaw_tail_is_heavier_than_of_blocks)
{
    kith_generate_options p = powerlaw(20000, 100000), b = preset("sbm", 1);
    kith_dataset *heavy, *light;
    int64_t *x, *y;

    b.nodes = 20000;
    b.edges = 100000;
    heavy = generated(&p, "heavy.kg");
    light = generated(&b, "light.kg");
    x = sorted_degrees(heavy->graph);
    y = sorted_degrees(light->graph);
    CHECK(x[0] > 20 * y[0]);
    CHECK(x[200] > 2 * y[200]); /* top percent */
    CHECK(x[10000] < y[10000]); /* for the same mean */
    free(x);
    free(y);
    kith_dataset_free(heavy);
    kith_dataset_free(light);
}

TEST(sbm_has_blocks_of_equal_size_and_the_homophily_wished)
{
    kith_generate_options o = preset("sbm", 1);
    int64_t size[3] = {0}, ends[3] = {0};
    kith_dataset *d;

    o.nodes = 20000;
    o.edges = 100000;
    o.classes = 3;
    o.homophily = .7;
    d = generated(&o, "sbm.kg");
    for (int32_t u = 0; u < o.nodes; u++) {
        size[d->labels->of[u]]++;
        ends[d->labels->of[u]] += degree(d->graph, u);
    }
    for (int c = 0; c < 3; c++) {
        CHECK(size[c] == 6666 || size[c] == 6667);
        CHECK_NEAR((double)ends[c] / (double)size[c], 10, .1);
    }
    CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL), .7, .005);
    /* 70000 draws of 3 x 6667^2 / 2 = 6.67e7 pairs: about 70000^2 / (2 x
     * 6.67e7) = 37 repeats and 70000 / 6667 = 10 self-loops; few between. */
    CHECK_NEAR((double)kith_graph_edges(d->graph), 100000 - 50, 35);
    CHECK_INT(d->cleaning.entries, 100000);
    kith_dataset_free(d);
}

/* Of 8 words, half are drawn from the class's own quarter of the columns and
 * the rest from all: .5 + .5 / 4 = .625 of the entries are its own. */
TEST(sbm_features_tell_of_the_class)
{
    kith_generate_options o = preset("sbm", 1);
    int64_t own = 0;
    kith_dataset *d;

    o.features = 400;
    o.words = 8;
    o.signal = .5;
    d = generated(&o, "features.kg");
    CHECK(d->features && d->features->row && !d->features->value);
    CHECK_INT(d->features->columns, 400);
    CHECK_INT(d->features->entries, 16000);
    for (int32_t u = 0; u < o.nodes; u++) {
        const int64_t from = d->features->row[u];

        CHECK_INT(d->features->row[u + 1] - from, 8);
        for (int64_t p = from; p < from + 8; p++) {
            CHECK(p == from ||
                  d->features->column[p - 1] < d->features->column[p]);
            own += d->features->column[p] / 100 == d->labels->of[u];
        }
    }
    CHECK_NEAR((double)own / 16000, .625, .015);
    kith_dataset_free(d);
}

TEST(features_may_fill_all_columns)
{
    kith_generate_options o = preset("sbm", .05);
    kith_dataset *d;

    o.features = o.words = 7;
    o.signal = 1;
    d = generated(&o, "full.kg");
    CHECK_INT(d->features->entries, 700);
    for (int64_t p = 0; p < 700; p++)
        CHECK_INT(d->features->column[p], p % 7);
    kith_dataset_free(d);
    o.features = 2; /* fewer than classes */
    o.words = 1;
    d = generated(&o, "full.kg");
    CHECK_INT(d->features->entries, 100);
    kith_dataset_free(d);
    o.words = 0; /* all, up to 20 */
    d = generated(&o, "full.kg");
    CHECK_INT(d->features->entries, 200);
    kith_dataset_free(d);
}

/* Repeats, which the builder drops, are more often within a class: of .8 of
 * the edges drawn, about .75 are left at this size. */
TEST(rmat_has_skewed_degrees_and_nearly_the_homophily_wished)
{
    kith_generate_options o = preset("rmat", .25);
    kith_dataset *d;
    int64_t *sorted;

    CHECK_INT(o.nodes, 1 << 14);
    CHECK_INT(o.edges, 1 << 18);
    d = generated(&o, "rmat.kg");
    CHECK_INT(kith_graph_nodes(d->graph), 1 << 14);
    CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL), .775, .03);
    sorted = sorted_degrees(d->graph);
    CHECK(sorted[0] > 500); /* the mean is below 32 */
    CHECK(kith_graph_edges(d->graph) > (1 << 18) * 7 / 10);
    free(sorted);
    kith_dataset_free(d);
}

/* a = b = c = d has no skew: degrees as in a random graph, mean 32. */
TEST(rmat_without_skew_is_a_random_graph)
{
    kith_generate_options o = preset("rmat", .25);
    kith_dataset *d;
    int64_t *sorted;

    o.rmat[0] = o.rmat[1] = o.rmat[2] = .25;
    o.classes = 1;
    d = generated(&o, "plain.kg");
    sorted = sorted_degrees(d->graph);
    CHECK(sorted[0] < 150);
    CHECK(kith_graph_edges(d->graph) > (1 << 18) * 98 / 100);
    free(sorted);
    kith_dataset_free(d);
}

TEST(rmat_keeps_the_homophily_with_many_classes)
{
    kith_generate_options o = preset("rmat", .25);
    kith_dataset *d;

    o.classes = 100; /* 16 draws rarely meet the class */
    o.homophily = .5;
    d = generated(&o, "many.kg");
    CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL), .47, .04);
    kith_dataset_free(d);
}

TEST(one_node_and_no_edge_are_a_graph)
{
    kith_generate_options o = preset("sbm", 1);
    kith_dataset *d;

    o.nodes = o.classes = 1;
    o.edges = 0;
    d = generated(&o, "one.kg");
    CHECK_INT(kith_graph_nodes(d->graph), 1);
    CHECK_INT(kith_graph_edges(d->graph), 0);
    kith_dataset_free(d);
    o.edges = 5; /* self-loops all */
    d = generated(&o, "one.kg");
    CHECK_INT(kith_graph_edges(d->graph), 0);
    CHECK_INT(d->cleaning.self_loops, 5);
    kith_dataset_free(d);
    o = powerlaw(1, 0);
    o.classes = 1;
    d = generated(&o, "one.kg");
    CHECK_INT(kith_graph_nodes(d->graph), 1);
    kith_dataset_free(d);
}

/* ---- threads, memory, files ---------------------------------------------- */

static void check_same_for(kith_generate_options o, int threads, int64_t memory)
{
    kith_error err;

    o.job.threads = threads;
    o.job.memory = memory;
    CHECK_OK(kith_generate(&o, check_path("other.kg"), &err));
    check_same_bytes(check_path("base.kg"), check_path("other.kg"));
    check_same_bytes(check_path("base.labels.tsv"),
                     check_path("other.labels.tsv"));
    check_same_bytes(check_path("base.splits/0/test.txt"),
                     check_path("other.splits/0/test.txt"));
}

static void check_all_the_same(kith_generate_options o)
{
    kith_error err;

    o.job.threads = 1;
    CHECK_OK(kith_generate(&o, check_path("base.kg"), &err));
    check_same_for(o, 2, 0);
    check_same_for(o, 8, 0);
    check_same_for(o, 1, 1 << 20); /* spills */
    check_same_for(o, 3, 1 << 18);
}

TEST(sbm_is_the_same_for_any_threads_and_memory)
{
    kith_generate_options o = preset("sbm", 1);

    o.nodes = 30000;
    o.edges = 150000;
    o.features = 50;
    o.words = 3;
    check_all_the_same(o);
}

TEST(rmat_is_the_same_for_any_threads_and_memory)
{
    check_all_the_same(preset("rmat", .125));
}

TEST(powerlaw_is_the_same_for_any_threads_and_memory)
{
    check_all_the_same(preset("google-plus", .005));
    check_all_the_same(preset("twitter", .0002));
}

TEST(another_seed_is_another_graph)
{
    kith_generate_options o = preset("sbm", 1);
    kith_dataset *a = generated(&o, "seed1.kg"), *b;

    o.seed = 2;
    b = generated(&o, "seed2.kg");
    CHECK(kith_graph_hash(a->graph) != kith_graph_hash(b->graph));
    CHECK(memcmp(a->labels->of, b->labels->of, 2000 * sizeof(int32_t)) != 0);
    kith_dataset_free(a);
    kith_dataset_free(b);
}

static void check_part(const kith_dataset *d, const int32_t *nodes, int32_t n,
                       int32_t per_class, int *seen)
{
    int32_t count[4] = {0};

    CHECK_INT(n, 4 * per_class);
    for (int32_t i = 0; i < n; i++) {
        count[d->labels->of[nodes[i]]]++;
        CHECK_INT(seen[nodes[i]]++, 0);
    }
    for (int c = 0; c < 4; c++)
        CHECK_INT(count[c], per_class);
}

static void check_split(const kith_dataset *d, const char *path)
{
    int *seen = calloc(2000, sizeof(*seen));
    kith_split s = {0};
    kith_error err;

    CHECK_OK(kith_split_read(d, path, &s, &err));
    check_part(d, s.train, s.n_train, 20, seen);
    check_part(d, s.val, s.n_val, 30, seen);
    check_part(d, s.test, s.n_test, 200, seen);
    kith_split_release(&s);
    free(seen);
}

static void check_labels(const kith_dataset *d, const char *path)
{
    kith_labels *labels = NULL;
    kith_error err;

    CHECK_OK(kith_labels_read(path, d->graph, &labels, &err));
    CHECK(labels && labels->labelled == 2000 &&
          memcmp(labels->of, d->labels->of, 2000 * sizeof(int32_t)) == 0);
    kith_labels_free(labels);
}

TEST(a_file_has_labels_and_split_beside_it)
{
    kith_generate_options o = preset("sbm", 1);
    kith_dataset *d = generated(&o, "beside.kg");

    check_split(d, check_path("beside.splits/0"));
    check_labels(d, check_path("beside.labels.tsv"));
    kith_dataset_free(d);
}

TEST(a_folder_is_a_data_set)
{
    kith_generate_options o = preset("sbm", 1);
    kith_dataset *d;

    o.features = 30;
    d = generated(&o, "folder/");
    CHECK(d->features && d->features->columns == 30);
    CHECK_INT(entries_in(check_path("folder")), 3);
    check_split(d, "0");
    check_labels(d, check_path("folder/labels.tsv"));
    kith_dataset_free(d);
}

TEST(a_folder_with_something_in_it_is_refused)
{
    kith_generate_options o = preset("sbm", 1);
    kith_error err;

    CHECK_INT(mkdir(check_path("taken"), 0777), 0);
    CHECK_OK(kith_generate(&o, check_path("taken"), &err)); /* empty: fine */
    CHECK_INT(kith_generate(&o, check_path("taken"), &err), KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "exists; expected the name of a new folder, or of a "
                         "file that ends in .kg");
    CHECK_INT(kith_generate(&o, check_file("plain", "x"), &err),
              KITH_ERR_ARGUMENT);
    CHECK_INT(kith_generate(&o, "", &err), KITH_ERR_ARGUMENT);
    CHECK_INT(kith_generate(&o, check_path("no/such/place.kg"), &err),
              KITH_ERR_IO);
    CHECK_INT(kith_generate(&o, check_path("no/such/folder"), &err),
              KITH_ERR_IO);
}

TEST(a_part_that_is_not_wished_is_not_left_from_before)
{
    kith_generate_options o = preset("sbm", 1);
    kith_error err;

    CHECK_OK(kith_generate(&o, check_path("again.kg"), &err));
    CHECK(access(check_path("again.splits/0/val.txt"), F_OK) == 0);
    o.val = 0;
    CHECK_OK(kith_generate(&o, check_path("again.kg"), &err));
    CHECK(access(check_path("again.splits/0/val.txt"), F_OK) != 0);
    CHECK(access(check_path("again.splits/0/test.txt"), F_OK) == 0);
    o.train = o.val = o.test = 0;
    CHECK_OK(kith_generate(&o, check_path("none.kg"), &err));
    CHECK(access(check_path("none.splits"), F_OK) != 0);
}

static int stop_after(void *user, const kith_progress *step)
{
    CHECK(step->done >= 0 && step->done <= step->total);
    return --*(int *)user < 0;
}

/* Cancel at every call of progress, one after the other, until there is none
 * left: each time the folder is as empty as before. */
static void check_cancelling(kith_generate_options o, const char *name)
{
    char path[256], folder[200];
    int calls = 0;

    snprintf(folder, sizeof(folder), "%s", check_path("cancel"));
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    CHECK_INT(mkdir(folder, 0777), 0);
    for (;; calls++) {
        int left = calls;
        kith_error err = {0};

        o.job.progress = stop_after;
        o.job.user = &left;
        if (kith_generate(&o, path, &err) == KITH_OK)
            break;
        CHECK_INT(err.status, KITH_ERR_CANCELLED);
        CHECK_INT(entries_in(folder), 0);
        if (calls > 1000)
            break;
    }
    CHECK(calls > 2);
    CHECK(entries_in(folder) > 0);
    CHECK_INT(rename(folder, check_path(name[0] == 'f' ? "done1" : "done2")),
              0);
}

TEST(cancelling_leaves_nothing)
{
    kith_generate_options o = preset("google-plus", .01);

    o.job.memory = 1 << 20; /* with runs on disk */
    o.job.threads = 1;
    check_cancelling(o, "file.kg");
    check_cancelling(o, "a-folder");
}

TEST(generating_survives_every_failed_allocation)
{
    static const char *const names[] = {"sbm", "rmat", "twitter"};

    for (int i = 0; i < 3; i++) {
        kith_generate_options o = preset(names[i], 1e-6);
        kith_error err;

        o.job.threads = 1;
        o.features = 4;
        CHECK_OOM(st = kith_generate(&o, check_path("oom.kg"), &err), );
        CHECK_OOM(
            st = kith_generate(&o, check_path("oom"), &err),
            CHECK_INT(rename(check_path("oom"), check_path(names[i])), 0));
    }
}
