/* Tables whose rows are the nodes, and columns as features. */
#include "check.h"

/* Card payments; the fourth row has no place, the last no label. */
static const char payments[] = "when,card,place,amount,state\n"
                               "3,c1,p1,4,good\n"
                               "1,c1,p2,2,bad\n"
                               "2,c2,p1,7,good\n"
                               "5,c1,,1,bad\n"
                               "4,c2,p2,5,?\n";

static kith_dataset *open_rows(const kith_table_options *t, const char *text)
{
    const kith_build_options how = {.table = t};
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_open(check_file("rows.csv", text), &how, &d, &err));
    return d;
}

static bool tied(const kith_dataset *d, const char *a, const char *b)
{
    const kith_graph *g = d->graph;
    const int32_t u = kith_graph_find(g, a, strlen(a));
    const int32_t v = kith_graph_find(g, b, strlen(b));

    for (int64_t p = kith_graph_rows(g)[u]; p < kith_graph_rows(g)[u + 1]; p++)
        if (kith_graph_neighbours(g)[p] == v)
            return true;
    return false;
}

/* By time card c1 has rows 1, 0, 3, card c2 2, 4; place p1 2, 0 and p2 1, 4. */
TEST(rows_are_tied_to_those_before_that_share_a_value)
{
    const kith_table_options t = {.rows = true,
                                  .link = "card,place",
                                  .order = "when",
                                  .window = 1,
                                  .label = "state"};
    kith_dataset *d = open_rows(&t, payments);

    CHECK_INT(kith_graph_nodes(d->graph), 5);
    CHECK_INT(kith_graph_edges(d->graph), 5);
    CHECK(tied(d, "1", "0") && tied(d, "0", "3") && tied(d, "2", "4"));
    CHECK(tied(d, "2", "0") && tied(d, "1", "4"));
    CHECK_INT(d->labels->labelled, 4);
    CHECK_TEXT(d->labels->names[0], "bad");
    CHECK(!d->features);
    kith_dataset_free(d);
}

TEST(a_window_of_two_reaches_two_rows_back)
{
    const kith_table_options t = {
        .rows = true, .link = "card", .order = "when"};
    kith_dataset *d = open_rows(&t, payments);

    CHECK_INT(kith_graph_edges(d->graph), 4);
    CHECK(tied(d, "1", "3"));
    kith_dataset_free(d);
}

TEST(hubs_stand_for_values_and_ids_come_from_a_column)
{
    const kith_table_options t = {
        .rows = true, .link = "card", .id = "when", .hub = true};
    kith_dataset *d = open_rows(&t, payments);

    CHECK_INT(kith_graph_nodes(d->graph), 7);
    CHECK_INT(kith_graph_edges(d->graph), 5);
    CHECK(tied(d, "3", "card=c1") && tied(d, "4", "card=c2"));
    kith_dataset_free(d);
}

/* The value of a feature of a row; NaN if no column has that name. */
static double feature(const kith_dataset *d, int32_t row, const char *name)
{
    const kith_features *f = d->features;

    for (int32_t c = 0; c < f->columns; c++) {
        if (strcmp(f->names[c], name) != 0)
            continue;
        for (int64_t p = f->row[row]; p < f->row[row + 1]; p++)
            if (f->column[p] == c)
                return f->value ? f->value[p] : 1;
        return 0;
    }
    return (double)NAN;
}

/* amount: mean 3.8, deviation sqrt(4.56); five values make five bins. */
TEST(numbers_are_standardised_and_binned_and_text_one_hot)
{
    const kith_table_options t = {.rows = true,
                                  .link = "card",
                                  .order = "when",
                                  .label = "state",
                                  .features = "amount,place,card"};
    kith_dataset *d = open_rows(&t, payments);

    CHECK_NEAR(feature(d, 2, "amount"), 3.2 / sqrt(4.56), 1e-6);
    CHECK_NEAR(feature(d, 3, "amount up to 1"), 1, 0);
    CHECK_NEAR(feature(d, 3, "amount up to 2"), 0, 0);
    CHECK_NEAR(feature(d, 2, "amount above 5"), 1, 0);
    CHECK_NEAR(feature(d, 0, "place=p1"), 1, 0);
    CHECK_NEAR(feature(d, 3, "place missing"), 1, 0);
    CHECK_NEAR(feature(d, 4, "card=c2"), 1, 0);
    CHECK(isnan(feature(d, 0, "state=good")));
    CHECK(isnan(feature(d, 0, "when")));
    kith_dataset_free(d);
}

/* Rows that come later change nothing of what a row's history says; a column
 * of the bins tells which value it was made from. */
TEST(history_knows_nothing_of_later_rows)
{
    const kith_table_options t = {
        .rows = true, .link = "card", .order = "when", .history = true};
    kith_dataset *d = open_rows(&t, payments);

    /* log2(1 + rows before): 1, 0, 0, 2, 1 */
    CHECK_NEAR(feature(d, 1, "rows before of the same card up to 0"), 1, 0);
    CHECK_NEAR(feature(d, 0, "rows before of the same card up to 1"), 1, 0);
    CHECK_NEAR(feature(d, 3, "rows before of the same card above 1"), 1, 0);
    /* gaps: 3 - 1, none, none, 5 - 3, 4 - 2: all two, so no column differs */
    CHECK_NEAR(feature(d, 1, "gap since the same card missing"), 1, 0);
    CHECK_NEAR(feature(d, 3, "gap since the same card missing"), 0, 0);
    /* row 0: log2(5 / 3), row 3: log2(2 / 4) = -1, row 4: log2(6 / 8) */
    CHECK_NEAR(
        feature(d, 3, "amount against its mean before, same card up to -1"), 1,
        0);
    CHECK_NEAR(
        feature(d, 1, "amount against its mean before, same card missing"), 1,
        0);
    kith_dataset_free(d);
}

TEST(what_ties_nothing_is_refused)
{
    static const struct {
        kith_table_options t;
        const char *text, *fragment;
    } cases[] = {
        {{.rows = true}, payments, "--table needs --link"},
        {{.rows = true, .link = "shop"}, payments, "no column 'shop'"},
        {{.rows = true, .link = "a"}, "a,b\n1,2\n1,3\n", "one value"},
        {{.rows = true, .link = "b"}, "a,b\n1,2\n1,3\n", "no two rows"},
        {{.rows = true, .link = "a"}, "a,b\n", "no rows"},
        {{.rows = true, .link = "a"}, "", "is empty"},
        {{.rows = true, .link = "a"}, "a,b\n1\n", "has 1 fields"},
        {{.rows = true, .link = "card", .order = "place"},
         payments,
         "has no number or date"},
        {{.rows = true, .link = "card", .id = "card"}, payments, "also id 0"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const kith_build_options how = {.table = &cases[i].t};
        kith_error err = {0};
        kith_dataset *d;

        CHECK(kith_dataset_open(check_file("bad.csv", cases[i].text), &how, &d,
                                &err) != KITH_OK);
        if (!strstr(err.text, cases[i].fragment))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i].fragment);
    }
}

TEST(the_order_of_lines_does_not_matter)
{
    static const char turned[] = "when,card,place,amount,state\n"
                                 "4,c2,p2,5,?\n"
                                 "5,c1,,1,bad\n"
                                 "1,c1,p2,2,bad\n"
                                 "2,c2,p1,7,good\n"
                                 "3,c1,p1,4,good\n";
    const kith_table_options t = {.rows = true,
                                  .link = "card,place",
                                  .order = "when",
                                  .id = "when",
                                  .label = "state",
                                  .features = "all",
                                  .history = true};
    kith_dataset *a = open_rows(&t, payments), *b = open_rows(&t, turned);

    for (int u = 1; u <= 5; u++)
        for (int v = 1; v < u; v++) {
            const char x[2] = {(char)('0' + u), 0}, y[2] = {(char)('0' + v), 0};

            CHECK(tied(a, x, y) == tied(b, x, y));
        }
    CHECK_INT(a->features->columns, b->features->columns);
    CHECK_NEAR(feature(a, 0, "amount"), feature(b, 4, "amount"), 1e-6);
    kith_dataset_free(a);
    kith_dataset_free(b);
}

TEST(row_tables_survive_every_failed_allocation)
{
    const kith_table_options t = {.rows = true,
                                  .link = "card,place",
                                  .order = "when",
                                  .hub = true,
                                  .label = "state",
                                  .features = "all",
                                  .history = true};
    const kith_build_options how = {.table = &t, .job.threads = 1};
    const char *path = check_file("rows.csv", payments);
    kith_dataset *d;

    CHECK_OOM(st = kith_dataset_open(path, &how, &d, NULL),
              kith_dataset_free(d));
}
