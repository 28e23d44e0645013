#include "check.h"

/* Classes of 60, 9, 2, 1 and no nodes, every seventh node without a label. */
enum { SIZES = 5, LABELLED = 72, NODES = 84 };
static const int32_t sizes[SIZES] = {60, 9, 2, 1, 0};

static kith_labels some_labels(int32_t *of)
{
    int32_t left[SIZES], c = 0;

    memcpy(left, sizes, sizeof(left));
    for (int32_t v = 0; v < NODES; v++) {
        of[v] = -1;
        if (v % 7 == 3)
            continue;
        do /* in turn, as long as a class has any */
            c = (c + 1) % SIZES;
        while (left[c] == 0);
        left[c]--;
        of[v] = c;
    }
    return (kith_labels){
        .nodes = NODES, .classes = SIZES, .labelled = LABELLED, .of = of};
}

/* Count how often each node is listed; lists ascend. */
static void count_list(const int32_t *list, int32_t n, int *seen)
{
    for (int32_t i = 0; i < n; i++) {
        CHECK(list[i] >= 0 && list[i] < NODES);
        CHECK(i == 0 || list[i - 1] < list[i]);
        seen[list[i]]++;
    }
}

static int32_t count_class(const kith_labels *l, const int32_t *list, int32_t n,
                           int32_t c)
{
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++)
        count += l->of[list[i]] == c;
    return count;
}

static bool same_list(const int32_t *a, int32_t n_a, const int32_t *b,
                      int32_t n_b)
{
    return n_a == n_b && memcmp(a, b, (size_t)n_a * sizeof(*a)) == 0;
}

static bool contains(const int32_t *list, int32_t n, int32_t node)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i] == node)
            return true;
    return false;
}

static kith_split split_of(const kith_labels *l, int32_t per_class, int32_t val,
                           uint64_t seed, int32_t trial)
{
    kith_split s = {0};
    kith_error err;

    CHECK_OK(kith_split_random(NULL, l, per_class, val, seed, trial, &s, &err));
    return s;
}

/* 1 of each class; 5 5 1 1; 20 8 1 1; all but one: 59 8 1 1. */
TEST(a_split_has_the_right_counts_and_every_labelled_node_once)
{
    static const struct {
        int32_t per_class, val, train[SIZES];
    } cases[] = {{1, 0, {1, 1, 1, 1, 0}},
                 {5, 20, {5, 5, 1, 1, 0}},
                 {20, 30, {20, 8, 1, 1, 0}},
                 {1000, 2, {59, 8, 1, 1, 0}},
                 {INT32_MAX, 0, {59, 8, 1, 1, 0}}};
    int32_t of[NODES];
    const kith_labels l = some_labels(of);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith_split s = split_of(&l, cases[i].per_class, cases[i].val, 1, 0);
        int seen[NODES] = {0};

        for (int32_t c = 0; c < SIZES; c++)
            CHECK_INT(count_class(&l, s.train, s.n_train, c),
                      cases[i].train[c]);
        CHECK_INT(s.n_val, cases[i].val);
        count_list(s.train, s.n_train, seen);
        count_list(s.val, s.n_val, seen);
        count_list(s.test, s.n_test, seen);
        for (int32_t v = 0; v < NODES; v++)
            CHECK_INT(seen[v], of[v] >= 0);
        kith_split_release(&s);
    }
}

TEST(a_seed_and_trial_name_one_split)
{
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_split a = split_of(&l, 5, 20, UINT64_MAX, 3);
    kith_split b = split_of(&l, 5, 20, UINT64_MAX, 3);

    CHECK_TEXT(a.name, "seed-18446744073709551615-3");
    CHECK(same_list(a.train, a.n_train, b.train, b.n_train));
    CHECK(same_list(a.val, a.n_val, b.val, b.n_val));
    CHECK(same_list(a.test, a.n_test, b.test, b.n_test));
    CHECK(a.hash == b.hash && a.hash != 0);
    kith_split_release(&a);
    kith_split_release(&b);
}

TEST(other_seeds_and_trials_give_other_splits)
{
    enum { SEEDS = 8, TRIALS = 8 };
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    uint64_t hash[SEEDS * TRIALS];

    for (int i = 0; i < SEEDS * TRIALS; i++) {
        kith_split s = split_of(&l, 5, 20, (uint64_t)(i / TRIALS), i % TRIALS);

        hash[i] = s.hash;
        for (int j = 0; j < i; j++)
            CHECK(hash[j] != hash[i]);
        kith_split_release(&s);
    }
}

/*
 * Results that name a seed must stay repeatable.  From Python:
 *
 *   def mix(x):
 *       x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64
 *       x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
 *       return x ^ x >> 31
 *
 *   def draw(nodes, take, stream):
 *       s = mix(1 + 0x9e3779b97f4a7c15) ^ mix(
 *           (stream * 0xd1342543de82ef95 + 1) % 2**64)
 *       key = lambda v: mix(xxhash.xxh3_64_intdigest(str(v)) ^ s)
 *       return sorted(nodes, key=key)[:take]
 *
 *   train = sum((draw([v for v in of if of[v] == c], take, c + 1)
 *                for c, take in enumerate([2, 2, 1, 1])), [])
 *   val = draw(set(of) - set(train), 5, 0)
 */
TEST(the_splits_of_a_seed_do_not_change)
{
    static const int32_t train[] = {2, 6, 11, 22, 35, 42};
    static const int32_t val[] = {4, 7, 37, 41, 58};
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_split s = split_of(&l, 2, 5, 1, 0);

    CHECK(same_list(s.train, s.n_train, train, sizeof(train) / 4));
    CHECK(same_list(s.val, s.n_val, val, sizeof(val) / 4));
    kith_split_release(&s);
}

/* The hash of a split that was drawn is that of the same one read. */
TEST(the_hash_is_that_of_the_split_written_and_read)
{
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_dataset d = {0};
    kith_split a = split_of(&l, 5, 20, 1, 0), b = {0};
    char edges[NODES * 16] = "";
    kith_error err;
    int at = 0;

    for (int v = 1; v < NODES; v++) {
        at += snprintf(edges + at, sizeof(edges) - (size_t)at, "%d\t%d\n",
                       v - 1, v);
    }
    CHECK_OK(kith_graph_read(check_file("path.tsv", edges), NULL, &d.graph,
                             NULL, &err));
    CHECK_OK(kith_split_write(&a, d.graph, check_path("written"), &err));
    CHECK_OK(kith_split_read(&d, check_path("written"), &b, &err));
    CHECK(a.hash == b.hash);
    kith_split_release(&a);
    kith_split_release(&b);
    kith_graph_free(d.graph);
}

TEST(fewer_training_nodes_are_among_more)
{
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_split few = split_of(&l, 3, 5, 9, 1), more = split_of(&l, 30, 0, 9, 1);

    for (int32_t i = 0; i < few.n_train; i++)
        CHECK(contains(more.train, more.n_train, few.train[i]));
    kith_split_release(&few);
    kith_split_release(&more);
}

/* Each of 60 nodes trains in 1 of 3 trials: 1000 of 3000, deviation 26. */
TEST(every_node_of_a_class_is_drawn_as_often)
{
    enum { TRIALS = 3000 };
    int32_t of[NODES], trained[NODES] = {0}, tuned[NODES] = {0};
    const kith_labels l = some_labels(of);

    for (int t = 0; t < TRIALS; t++) {
        kith_split s = split_of(&l, 20, 14, 5, t);

        for (int32_t i = 0; i < s.n_train; i++)
            trained[s.train[i]]++;
        for (int32_t i = 0; i < s.n_val; i++)
            tuned[s.val[i]]++;
        kith_split_release(&s);
    }
    for (int32_t v = 0; v < NODES; v++) {
        if (of[v] != 0)
            continue;
        CHECK_NEAR(trained[v], TRIALS / 3., 130); /* 5 deviations */
        /* 2/3 are not trained, and 14 of 42 such nodes tune */
        CHECK_NEAR(tuned[v], TRIALS * 2 / 9., 115);
    }
}

TEST(splits_that_leave_nothing_to_test_are_refused)
{
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_split s;
    kith_error err = {0};

    /* 60 + 9 + 2 + 1 - (5 + 5 + 1 + 1) = 60 are left */
    CHECK(kith_split_random(NULL, &l, 5, 60, 1, 0, &s, &err) == KITH_ERR_RANGE);
    CHECK(strstr(err.text, "60 labelled nodes beyond") != NULL);
    CHECK(s.train == NULL && s.name == NULL);
    CHECK_OK(kith_split_random(NULL, &l, 5, 59, 1, 0, &s, &err));
    CHECK_INT(s.n_test, 1);
    kith_split_release(&s);
    for (int32_t v = 0; v < NODES; v++)
        of[v] = -1;
    CHECK(kith_split_random(NULL, &l, 5, 0, 1, 0, &s, &err) == KITH_ERR_RANGE);
    CHECK(kith_split_random(NULL, &l, 0, 0, 1, 0, &s, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(kith_split_random(NULL, &l, 1, -1, 1, 0, &s, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(kith_split_random(NULL, &l, 1, 0, 1, -1, &s, &err) ==
          KITH_ERR_ARGUMENT);
}

/* ---- holding out --------------------------------------------------------- */

typedef struct parts {
    int32_t *kept, *held, n_kept, n_held;
} parts;

static parts hold_out(const kith_labels *l, const int32_t *nodes, int32_t n,
                      double share, uint64_t seed)
{
    parts p = {0};
    kith_error err;

    CHECK_OK(kith_hold_out(NULL, l, nodes, n, share, seed, &p.kept, &p.n_kept,
                           &p.held, &p.n_held, &err));
    return p;
}

static void release(parts *p)
{
    kith_array_free(p->kept);
    kith_array_free(p->held);
}

/* Of 60 9 2 1: a quarter is 15, 2.25, 0.5, none; 28 % is 16.8, 2.52, 0.56; a
 * 20th 3, 1, 1, none; of nearly all one of each class stays. */
TEST(a_share_of_each_class_is_held_out)
{
    static const struct {
        double share;
        int32_t held[SIZES];
    } cases[] = {{.25, {15, 2, 1, 0, 0}},
                 {.28, {17, 3, 1, 0, 0}},
                 {.05, {3, 1, 1, 0, 0}},
                 {1e-9, {1, 1, 1, 0, 0}},
                 {.999, {59, 8, 1, 0, 0}}};
    int32_t of[NODES], nodes[NODES];
    const kith_labels l = some_labels(of);

    for (int32_t v = 0; v < NODES; v++)
        nodes[v] = v;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        parts p = hold_out(&l, nodes, NODES, cases[i].share, 1);
        int seen[NODES] = {0};

        for (int32_t c = 0; c < SIZES; c++)
            CHECK_INT(count_class(&l, p.held, p.n_held, c), cases[i].held[c]);
        CHECK_INT(count_class(&l, p.held, p.n_held, -1), 0);
        count_list(p.kept, p.n_kept, seen);
        count_list(p.held, p.n_held, seen);
        for (int32_t v = 0; v < NODES; v++)
            CHECK_INT(seen[v], 1);
        release(&p);
    }
}

/* Of nodes given, only; backwards and twice is the same. */
TEST(holding_out_depends_on_the_set_of_nodes_and_the_seed)
{
    enum { GIVEN = 40 };
    int32_t of[NODES], up[GIVEN], down[2 * GIVEN];
    const kith_labels l = some_labels(of);
    parts a, b, c;

    for (int32_t i = 0; i < GIVEN; i++)
        up[i] = down[GIVEN - 1 - i] = down[2 * GIVEN - 1 - i] = 2 * i + 1;
    a = hold_out(&l, up, GIVEN, .3, 4);
    b = hold_out(&l, down, 2 * GIVEN, .3, 4);
    c = hold_out(&l, up, GIVEN, .3, 5);
    CHECK(same_list(a.held, a.n_held, b.held, b.n_held));
    CHECK(same_list(a.kept, a.n_kept, b.kept, b.n_kept));
    CHECK_INT(a.n_held + a.n_kept, GIVEN);
    for (int32_t i = 0; i < GIVEN; i++)
        CHECK(contains(a.held, a.n_held, up[i]) !=
              contains(a.kept, a.n_kept, up[i]));
    CHECK_INT(c.n_held, a.n_held);
    CHECK(!same_list(a.held, a.n_held, c.held, c.n_held));
    release(&a);
    release(&b);
    release(&c);
}

TEST(nothing_to_hold_out_gives_empty_lists)
{
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    parts p = hold_out(&l, NULL, 0, .5, 1);

    CHECK_INT(p.n_kept, 0);
    CHECK_INT(p.n_held, 0);
    release(&p);
    kith_array_free(NULL);
}

TEST(senseless_shares_and_nodes_are_refused)
{
    const double bad[] = {0, 1, -1, 2, NAN};
    const int32_t beyond[] = {NODES}, below[] = {-1};
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    parts p;

    for (int i = 0; i < 5; i++)
        CHECK(kith_hold_out(NULL, &l, NULL, 0, bad[i], 1, &p.kept, &p.n_kept,
                            &p.held, &p.n_held, NULL) == KITH_ERR_ARGUMENT);
    CHECK(kith_hold_out(NULL, &l, beyond, 1, .5, 1, &p.kept, &p.n_kept, &p.held,
                        &p.n_held, NULL) == KITH_ERR_ARGUMENT);
    CHECK(kith_hold_out(NULL, &l, below, 1, .5, 1, &p.kept, &p.n_kept, &p.held,
                        &p.n_held, NULL) == KITH_ERR_ARGUMENT);
    CHECK(p.kept == NULL && p.held == NULL);
}

TEST(splits_survive_every_failed_allocation)
{
    const int32_t nodes[] = {0, 1, 2, 4, 5, 6, 7, 8};
    int32_t of[NODES];
    const kith_labels l = some_labels(of);
    kith_split s;
    parts p;

    CHECK_OOM(st = kith_split_random(NULL, &l, 5, 20, 1, 0, &s, NULL),
              kith_split_release(&s));
    CHECK_OOM(st = kith_hold_out(NULL, &l, nodes, 8, .5, 1, &p.kept, &p.n_kept,
                                 &p.held, &p.n_held, NULL),
              release(&p));
}
