/* When nodes came, and splits by that. */
#include "check.h"

static const double NONE = (double)NAN;

static kith_graph *graph_of(const char *path, const kith_table_options *t)
{
    const kith_build_options how = {.table = t};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(path, &how, &g, NULL, &err));
    return g;
}

TEST(a_node_comes_with_its_first_edge)
{
    const char *path = check_file("e.csv", "from,to,day\n"
                                           "a,b,2024-01-02\n"
                                           "b,c,2024-01-01\n"
                                           "c,d,2024-01-03\n");
    const kith_table_options t = {.time = "day"};
    const char *const ids[] = {"a", "b", "c", "d"};
    const double expected[] = {1, 0, 0, 2}; /* days after the first */
    kith_graph *g = graph_of(path, &t);
    double *when = NULL;
    kith_error err;

    CHECK_OK(kith_times_read(path, g, &t, &when, &err));
    for (int i = 0; when && i < 4; i++)
        CHECK_NEAR(when[kith_graph_find(g, ids[i], 1)],
                   1704067200 + 86400 * expected[i], 0);
    kith_array_free(when);
    CHECK_OOM(st = kith_times_read(path, g, &t, &when, NULL),
              kith_array_free(when));
    kith_graph_free(g);
}

TEST(the_past_is_learnt_from_and_one_time_is_not_parted)
{
    /* ten nodes, of which 8 has no label and 9 no time; 2 and 3, 5 and 6 came
     * together */
    static int32_t of[] = {0, 1, 0, 1, 0, 1, 0, 1, -1, 0};
    const double when[] = {7, 1, 2, 2, 0, 5, 5, 9, 0, NONE};
    const kith_labels l = {.nodes = 10, .classes = 2, .labelled = 9, .of = of};
    const int32_t train[] = {1, 4}, val[] = {2, 3}, test[] = {0, 5, 6, 7};
    kith_split s;
    kith_error err;

    /* sorted: 0 1 2 2 5 5 7 9; 3 of 8 and then 4 of 8 before the next part */
    CHECK_OK(kith_split_by_time(NULL, &l, when, .375, .125, &s, &err));
    CHECK_INT(s.n_train, 2);
    CHECK_INT(s.n_val, 2);
    CHECK_INT(s.n_test, 4);
    CHECK(memcmp(s.train, train, sizeof(train)) == 0);
    CHECK(memcmp(s.val, val, sizeof(val)) == 0);
    CHECK(memcmp(s.test, test, sizeof(test)) == 0);
    kith_split_release(&s);
    CHECK_INT(kith_split_by_time(NULL, &l, when, .1, .1, &s, &err), KITH_OK);
    kith_split_release(&s);
    CHECK_INT(kith_split_by_time(NULL, &l, when, .6, .4, &s, &err),
              KITH_ERR_ARGUMENT);
    CHECK_OOM(st = kith_split_by_time(NULL, &l, when, .5, .2, &s, NULL),
              kith_split_release(&s));
}

TEST(all_at_one_time_cannot_be_split)
{
    static int32_t of[] = {0, 1, 0};
    const double when[] = {4, 4, 4};
    const kith_labels l = {.nodes = 3, .classes = 2, .labelled = 3, .of = of};
    kith_error err = {0};
    kith_split s;

    CHECK_INT(kith_split_by_time(NULL, &l, when, .6, .2, &s, &err),
              KITH_ERR_RANGE);
    CHECK(strstr(err.text, "none is left to learn from") != NULL);
}
