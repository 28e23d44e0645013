/* What comes out of arrays is what files of the same content give. */
#include "check.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(*(array))))
#define ARRAY(type, from)                \
    {                                    \
        (from), KITH_##type, COUNT(from) \
    }

/* Seven nodes, 6 on its own; a self-loop, an edge three times, one both ways.
 */
static const int32_t u32[] = {0, 1, 1, 4, 2, 1, 3, 3, 5, 0};
static const int32_t v32[] = {1, 0, 2, 4, 1, 2, 2, 5, 4, 1};
static const float w32[] = {.5f, .25f, 1, 2, 3, .125f, 0, 1e-3f, .1f, .75f};
enum { EDGES = 10, NODES = 7 };

static const kith_coo edges = {
    .u = ARRAY(I32, u32), .v = ARRAY(I32, v32), .nodes = NODES};
static const kith_coo weighted = {.u = ARRAY(I32, u32),
                                  .v = ARRAY(I32, v32),
                                  .weights = ARRAY(F32, w32),
                                  .nodes = NODES};

/* The same as a file: ids[u], or u itself. */
static const char *edge_file(const char *name, const char *const *ids,
                             bool weights)
{
    char text[800] = "", number[2][8];

    for (int i = 0; i < EDGES; i++) {
        snprintf(number[0], 8, "%d", (int)u32[i]);
        snprintf(number[1], 8, "%d", (int)v32[i]);
        snprintf(text + strlen(text), 80, "%s\t%s",
                 ids ? ids[u32[i]] : number[0], ids ? ids[v32[i]] : number[1]);
        snprintf(text + strlen(text), 40, weights ? "\t%.9g\n" : "\n",
                 (double)w32[i]);
    }
    return check_file(name, text);
}

static kith_graph *graph_of_file(const char *const *ids, bool weights,
                                 kith_merge merge, kith_cleaning *cleaning)
{
    kith_build_options o = {.merge = merge};
    kith_graph *g = NULL;
    kith_error err;
    char nodes[200] = "";

    for (int i = 0; i < NODES; i++)
        snprintf(nodes + strlen(nodes), 30, ids ? "%s\n" : "%s%d\n",
                 ids ? ids[i] : "", i);
    o.nodes = check_file("nodes.list", nodes);
    CHECK_OK(kith_graph_read(edge_file("e.tsv", ids, weights), &o, &g, cleaning,
                             &err));
    return g;
}

static bool same_files(const char *a, const char *b)
{
    size_t n = 0, m = 0;
    char *x = check_read(a, &n), *y = check_read(b, &m);
    const bool same = x && y && n == m && memcmp(x, y, n) == 0;

    free(x);
    free(y);
    return same;
}

/* One hash, one built file. */
static void check_same_graph(const kith_graph *got, const kith_graph *want)
{
    kith_error err;

    CHECK(kith_graph_hash(got) == kith_graph_hash(want));
    CHECK_OK(
        kith_graph_write(got, check_path("got.kg"), KITH_GRAPH_KG, NULL, &err));
    CHECK_OK(kith_graph_write(want, check_path("want.kg"), KITH_GRAPH_KG, NULL,
                              &err));
    CHECK(same_files(check_path("got.kg"), check_path("want.kg")));
}

static void check_same_cleaning(kith_cleaning got, kith_cleaning want)
{
    want.lines = 0; /* of text: arrays have none */
    CHECK(memcmp(&got, &want, sizeof(got)) == 0);
}

/* ---- graphs -------------------------------------------------------------- */

static void check_against_file(const kith_coo *coo, kith_merge merge)
{
    const kith_build_options o = {.merge = merge};
    kith_graph *got = NULL, *want;
    kith_cleaning counted, told;
    kith_error err;

    want = graph_of_file(NULL, coo->weights.data != NULL, merge, &told);
    CHECK_OK(kith_graph_from_coo(coo, NULL, &o, &got, &counted, &err));
    check_same_graph(got, want);
    check_same_cleaning(counted, told);
    CHECK(!kith_graph_borrows(got));
    kith_graph_free(got);
    kith_graph_free(want);
}

TEST(edges_in_arrays_are_cleaned_and_counted_as_in_files)
{
    check_against_file(&edges, KITH_MERGE_MAX);
    check_against_file(&weighted, KITH_MERGE_MAX);
    check_against_file(&weighted, KITH_MERGE_SUM);
}

/* By hand: 0-1 thrice and back, 1-2 twice and back. */
TEST(what_is_counted_can_be_counted_by_hand)
{
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    CHECK_OK(kith_graph_from_coo(&edges, NULL, NULL, &g, &c, &err));
    CHECK_INT(c.entries, 10);
    CHECK_INT(c.self_loops, 1);
    CHECK_INT(c.duplicates, 2);
    CHECK_INT(c.both_ways, 2);
    CHECK_INT(c.one_way, 3);
    CHECK_INT(c.isolated, 1);
    CHECK_INT(kith_graph_nodes(g), 7);
    CHECK_INT(kith_graph_edges(g), 5);
    kith_graph_free(g);
}

TEST(every_type_of_number_gives_the_same_graph)
{
    int64_t u64[EDGES], v64[EDGES];
    double w64[EDGES];
    char odd[EDGES * 4 + 1];
    kith_coo wide = {{u64, KITH_I64, EDGES},
                     {v64, KITH_I64, EDGES},
                     {w64, KITH_F64, EDGES},
                     NODES};
    kith_graph *a = NULL, *b = NULL;
    kith_error err;

    for (int i = 0; i < EDGES; i++) {
        u64[i] = u32[i];
        v64[i] = v32[i];
        w64[i] = (double)w32[i];
    }
    memcpy(odd + 1, v32, sizeof(v32));
    CHECK_OK(kith_graph_from_coo(&weighted, NULL, NULL, &a, NULL, &err));
    CHECK_OK(kith_graph_from_coo(&wide, NULL, NULL, &b, NULL, &err));
    check_same_graph(b, a);
    kith_graph_free(b);
    wide.v = (kith_array){odd + 1, KITH_I32, EDGES}; /* at an odd address */
    CHECK_OK(kith_graph_from_coo(&wide, NULL, NULL, &b, NULL, &err));
    check_same_graph(b, a);
    kith_graph_free(b);
    kith_graph_free(a);
}

TEST(nodes_are_as_many_as_the_largest_number_asks_for)
{
    kith_coo coo = edges;
    const kith_build_options without = {.weights = KITH_NO};
    kith_graph *g = NULL;
    kith_error err;

    coo.nodes = 0;
    coo.weights = weighted.weights;
    CHECK_OK(kith_graph_from_coo(&coo, NULL, &without, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 6);
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

static const char *const names[NODES] = {"ann",      "bob", "7", "c d",
                                         "\xc3\xa9", "x",   "y"};
static const char names_bytes[] = "..annbob7c d\xc3\xa9xy";
static const int64_t names_at[] = {2, 5, 8, 9, 12, 14, 15, 16};

TEST(ids_from_strings_are_those_of_a_list_of_nodes)
{
    const kith_array at = ARRAY(I64, names_at);
    kith_coo coo = weighted;
    kith_graph *got = NULL, *want;
    kith_ids *ids = NULL;
    kith_error err;

    coo.nodes = 0; /* as many as ids */
    CHECK_OK(kith_ids_from_strings(&at, names_bytes, &ids, &err));
    CHECK_OK(kith_graph_from_coo(&coo, ids, NULL, &got, NULL, &err));
    kith_ids_free(ids);
    want = graph_of_file(names, true, KITH_MERGE_MAX, NULL);
    check_same_graph(got, want);
    CHECK_INT(kith_graph_find(got, "c d", 3), 3);
    kith_graph_free(want);
    kith_graph_free(got);
}

/* ---- matrices ------------------------------------------------------------ */

/* The rows of a graph as SciPy would hold them. */
typedef struct matrix {
    int32_t rows[NODES + 1];
    int64_t columns[2 * EDGES];
    kith_csr narrow, wide;
} matrix;

static void matrix_of(const kith_graph *g, matrix *m)
{
    const int64_t n = kith_graph_nodes(g), entries = kith_graph_edges(g) * 2;

    for (int64_t i = 0; i <= n; i++)
        m->rows[i] = (int32_t)kith_graph_rows(g)[i];
    for (int64_t p = 0; p < entries; p++)
        m->columns[p] = kith_graph_neighbours(g)[p];
    m->narrow = (kith_csr){
        .rows = {m->rows, KITH_I32, n + 1},
        .columns = {kith_graph_neighbours(g), KITH_I32, entries},
        .values = {kith_graph_weights(g), KITH_F32, entries},
    };
    m->wide = m->narrow;
    m->wide.columns = (kith_array){m->columns, KITH_I64, entries};
    m->wide.width = n;
}

TEST(a_matrix_in_order_is_borrowed_and_gives_the_same_graph)
{
    kith_graph *g = NULL, *b = NULL;
    kith_cleaning c, want;
    kith_error err;
    matrix m;

    CHECK_OK(kith_graph_from_coo(&weighted, NULL, NULL, &g, NULL, &err));
    matrix_of(g, &m);
    CHECK_OK(
        kith_graph_from_csr(&m.narrow, NULL, KITH_BORROW, NULL, &b, &c, &err));
    CHECK(kith_graph_borrows(b));
    CHECK(kith_graph_neighbours(b) == m.narrow.columns.data);
    CHECK(kith_graph_weights(b) == m.narrow.values.data);
    check_same_graph(b, g);
    kith_graph_free(b);
    CHECK_OK(
        kith_graph_from_csr(&m.wide, NULL, KITH_BORROW, NULL, &b, &want, &err));
    CHECK(!kith_graph_borrows(b));
    check_same_graph(b, g);
    CHECK(memcmp(&c, &want, sizeof(c)) == 0);
    CHECK_INT(c.both_ways, 5);
    CHECK_INT(c.isolated, 1);
    kith_graph_free(b);
    CHECK_OK(
        kith_graph_from_csr(&m.narrow, NULL, KITH_COPY, NULL, &b, NULL, &err));
    CHECK(!kith_graph_borrows(b));
    CHECK(kith_graph_neighbours(b) != m.narrow.columns.data);
    kith_graph_free(g);
    CHECK_INT(kith_graph_edges(b), 5);
    kith_graph_free(b);
}

/* Row by row: 0: 2 1 1; 1: 0; 2: 2.  So 0-2 one way, 0-1 both ways and twice.
 */
TEST(a_matrix_out_of_order_is_cleaned_and_not_borrowed)
{
    static const int64_t rows[] = {0, 3, 4, 5};
    static const int32_t columns[] = {2, 1, 1, 0, 2};
    static const float minus_zero[] = {-0.0f, 1, 1, 1, 1};
    kith_csr m = {.rows = ARRAY(I64, rows), .columns = ARRAY(I32, columns)};
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    CHECK_OK(kith_graph_from_csr(&m, NULL, KITH_BORROW, NULL, &g, &c, &err));
    CHECK(!kith_graph_borrows(g));
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK_INT(c.one_way, 1);
    CHECK_INT(c.both_ways, 1);
    CHECK_INT(c.duplicates, 1);
    CHECK_INT(c.self_loops, 1);
    kith_graph_free(g);
    m.values = (kith_array)ARRAY(F32, minus_zero);
    CHECK_OK(kith_graph_from_csr(&m, NULL, KITH_BORROW, NULL, &g, &c, &err));
    CHECK(!signbit(kith_graph_weights(g)[1]));
    kith_graph_free(g);
}

TEST(weights_below_zero_written_with_a_sign_are_not_borrowed)
{
    static const int32_t rows[] = {0, 1, 2}, columns[] = {1, 0};
    static const float values[] = {-0.0f, -0.0f};
    const kith_csr m = {.rows = ARRAY(I32, rows),
                        .columns = ARRAY(I32, columns),
                        .values = ARRAY(F32, values)};
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_from_csr(&m, NULL, KITH_BORROW, NULL, &g, NULL, &err));
    CHECK(!kith_graph_borrows(g) && !signbit(kith_graph_weights(g)[0]));
    kith_graph_free(g);
}

/* ---- labels, features, splits -------------------------------------------- */

static const int32_t classes[NODES] = {0, 1, -1, 1, 0, 0, 1};
static const char *const class_names[] = {"blue", "red"};
static const float dense[NODES * 2] = {1, 0, 0,   2, 0, 0, 1,
                                       1, 0, .5f, 3, 0, 0, 1};
static const int32_t rows[] = {0, 1, 2, 2, 4, 5, 6, 7};
static const int32_t columns[] = {0, 1, 0, 1, 1, 0, 1};
static const float values[] = {1, 2, 1, 1, .5f, 3, 1};
static const kith_csr sparse = {.rows = ARRAY(I32, rows),
                                .columns = ARRAY(I32, columns),
                                .values = ARRAY(F32, values),
                                .width = 2};

static kith_dataset *set_of_arrays(kith_keep keep, kith_split *split)
{
    static const int64_t train[] = {3, 0, 3, 1}, val[] = {4}, test[] = {6, 5};
    const kith_array of = ARRAY(I32, classes),
                     parts[] = {ARRAY(I64, train), ARRAY(I64, val),
                                ARRAY(I64, test)};
    kith_features *f = NULL;
    kith_labels *l = NULL;
    kith_dataset *d = NULL;
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    CHECK_OK(kith_graph_from_coo(&weighted, NULL, NULL, &g, &c, &err));
    CHECK_OK(kith_labels_from_array(&of, 2, class_names, &l, &err));
    CHECK_OK(kith_features_from_csr(&sparse, keep, &f, &err));
    CHECK_OK(kith_split_from_arrays(g, &parts[0], &parts[1], &parts[2], "s",
                                    split, &err));
    CHECK_OK(kith_dataset_new(g, l, f, &c, &d, &err));
    return d;
}

static kith_dataset *set_of_files(kith_split *split)
{
    kith_dataset *d = NULL;
    kith_error err;

    check_file("set.nodes.txt", "0\n1\n2\n3\n4\n5\n6\n");
    CHECK_OK(kith_dataset_open(edge_file("set", NULL, true), NULL, &d, &err));
    CHECK_OK(kith_labels_read(
        check_file("l.tsv", "0\tblue\n1\tred\n3\tred\n4\tblue\n5\tblue\n"
                            "6\tred\n"),
        d->graph, &d->labels, &err));
    CHECK_OK(kith_features_read(
        check_file("f.mtx", "%%MatrixMarket matrix coordinate real general\n"
                            "7 2 7\n1 1 1\n2 2 2\n4 1 1\n4 2 1\n5 2 .5\n"
                            "6 1 3\n7 2 1\n"),
        d->graph, &d->features, &err));
    d->cleaning.lines = 0;
    *split = (kith_split){0};
    return d;
}

TEST(a_data_set_of_arrays_builds_to_the_bytes_of_its_files)
{
    kith_split split, none;
    kith_dataset *a = set_of_arrays(KITH_COPY, &split),
                 *b = set_of_files(&none);
    kith_error err;

    CHECK_OK(kith_dataset_save(a, check_path("a.kg"), NULL, &err));
    CHECK_OK(kith_dataset_save(b, check_path("b.kg"), NULL, &err));
    CHECK(same_files(check_path("a.kg"), check_path("b.kg")));
    CHECK_INT(split.n_train, 3);
    CHECK(split.train[0] == 0 && split.train[1] == 1 && split.train[2] == 3);
    CHECK(split.n_val == 1 && split.val[0] == 4);
    CHECK(split.n_test == 2 && split.test[0] == 5 && split.test[1] == 6);
    CHECK_TEXT(split.name, "s");
    kith_split_release(&split);
    kith_dataset_free(a);
    kith_dataset_free(b);
}

/* The same split from its files has the same hash. */
TEST(a_split_of_arrays_has_the_hash_of_its_files)
{
    kith_split split, read;
    kith_dataset *d = set_of_arrays(KITH_COPY, &split);
    kith_error err;

    CHECK_OK(kith_split_write(&split, d->graph, check_path("split"), &err));
    CHECK_OK(kith_split_read(d, check_path("split"), &read, &err));
    CHECK(read.hash == split.hash);
    kith_split_release(&split);
    kith_split_release(&read);
    kith_dataset_free(d);
}

TEST(a_model_of_borrowed_arrays_is_that_of_copies)
{
    static const char *const methods[] = {"linbp", "lcm", "logreg"};
    kith_split split, again;
    kith_dataset *copied = set_of_arrays(KITH_COPY, &split);
    kith_dataset *borrowed = set_of_arrays(KITH_BORROW, &again);
    kith_train_options o;
    kith_error err;

    CHECK(borrowed->features->borrowed && !copied->features->borrowed);
    CHECK(borrowed->features->column == columns);
    kith_train_options_init(&o);
    for (int i = 0; i < 3; i++) {
        kith_model *a = NULL, *b = NULL;
        float p[NODES * 2], q[NODES * 2];

        CHECK_OK(kith_model_train(copied, methods[i], &split, &o, &a, p, &err));
        CHECK_OK(
            kith_model_train(borrowed, methods[i], &again, &o, &b, q, &err));
        CHECK(memcmp(p, q, sizeof(p)) == 0);
        kith_model_free(a);
        kith_model_free(b);
    }
    kith_split_release(&split);
    kith_split_release(&again);
    kith_dataset_free(copied);
    kith_dataset_free(borrowed);
}

TEST(dense_features_are_copied_or_borrowed)
{
    static const double wide[] = {1, 0, .5, 2};
    const kith_array a = ARRAY(F32, dense), b = ARRAY(F64, wide);
    kith_features *f = NULL;
    kith_error err;

    CHECK_OK(kith_features_from_dense(&a, NODES, 2, KITH_BORROW, &f, &err));
    CHECK(f->borrowed && f->value == dense && !f->row);
    kith_features_free(f);
    CHECK_OK(kith_features_from_dense(&a, NODES, 2, KITH_COPY, &f, &err));
    CHECK(!f->borrowed && f->value != dense);
    CHECK(memcmp(f->value, dense, sizeof(dense)) == 0);
    kith_features_free(f);
    CHECK_OK(kith_features_from_dense(&b, 2, 2, KITH_BORROW, &f, &err));
    CHECK(!f->borrowed && f->value[2] == .5f && f->nodes == 2);
    kith_features_free(f);
}

/* Unsorted, with a zero that is dropped, all others 1: no values are kept. */
TEST(sparse_features_out_of_order_are_sorted_and_copied)
{
    static const int32_t at[] = {0, 3, 3}, of[] = {4, 0, 2};
    static const int32_t ones[] = {1, 0, 1};
    kith_csr m = {ARRAY(I32, at), ARRAY(I32, of), ARRAY(I32, ones), 5};
    kith_features *f = NULL;
    kith_error err;

    CHECK_OK(kith_features_from_csr(&m, KITH_BORROW, &f, &err));
    CHECK(!f->borrowed && !f->value);
    CHECK_INT(f->entries, 2);
    CHECK(f->column[0] == 2 && f->column[1] == 4);
    CHECK(f->row[1] == 2 && f->row[2] == 2);
    kith_features_free(f);
}

TEST(classes_without_names_are_called_by_their_numbers)
{
    const kith_array of = ARRAY(I32, classes);
    kith_labels *l = NULL;
    kith_error err;

    CHECK_OK(kith_labels_from_array(&of, 3, NULL, &l, &err));
    CHECK_INT(l->labelled, 6);
    CHECK_TEXT(l->names[2], "2");
    kith_labels_free(l);
}

/* ---- refusals ------------------------------------------------------------ */

static void check_refused(kith_status got, kith_status want, const char *text,
                          const kith_error *err)
{
    CHECK_INT(got, want);
    CHECK_TEXT(err->text, text);
}

/* Uses the variable `err`. */
#define REFUSED(call, status, text)                             \
    do {                                                        \
        err = (kith_error){0};                                  \
        check_refused((call), KITH_ERR_##status, (text), &err); \
    } while (0)

static const int32_t minus[] = {0, -1}, large[] = {0, 7}, two[] = {0, 1};
static const int64_t vast[] = {0, 2147483647};
static const float real[] = {0, 1}, nan_[] = {1, (float)NAN}, neg[] = {1, -1};
static const double huge[] = {1, 1e300};
static const kith_array a_two = ARRAY(I32, two);

TEST(edges_that_make_no_graph_are_refused)
{
    kith_coo c = {.u = a_two, .v = ARRAY(I32, minus)};
    kith_graph *g = NULL;
    kith_error err;

    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v[1] is -1, expected 0 to 1");
    c.v = (kith_array)ARRAY(I32, large);
    c.nodes = 7;
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v[1] is 7, expected 0 to 6");
    c.nodes = 0;
    c.v = (kith_array)ARRAY(I64, vast);
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), RANGE,
            "the graph has 2147483648 nodes, expected 1 to 2147483646");
    c.v = (kith_array)ARRAY(F32, real);
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v holds real numbers, expected KITH_I32 or KITH_I64");
    c.v = (kith_array){two, KITH_I32, 1};
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v has 1 numbers, expected as many as u, 2");
    c.v = (kith_array){two, (kith_number)9, 2};
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v has the type 9, expected one of kith_number");
    c.v = (kith_array){NULL, KITH_I32, 2};
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v has 2 numbers at NULL, expected an array");
    c.v = (kith_array){two, KITH_I32, -1};
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "v has -1 numbers, expected an array");
    c.u.count = c.v.count = 0;
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), RANGE,
            "the graph has 0 nodes, expected 1 to 2147483646");
    CHECK(!g);
}

TEST(weights_that_are_none_are_refused)
{
    kith_coo c = {.u = a_two, .v = a_two};
    kith_graph *g = NULL;
    kith_error err;

    c.weights = (kith_array)ARRAY(F32, nan_);
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "weights[1] is nan, expected a finite number of 0 or more");
    c.weights = (kith_array)ARRAY(F32, neg);
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "weights[1] is -1, expected a finite number of 0 or more");
    c.weights = (kith_array)ARRAY(F64, huge);
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "weights[1] is inf, expected a finite number of 0 or more");
    c.weights = (kith_array){real, KITH_F32, 1};
    REFUSED(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err), ARGUMENT,
            "weights has 1 numbers, expected as many as there are edges, 2");
}

TEST(matrices_that_are_none_are_refused)
{
    static const int32_t ends[] = {0, 1, 2}, falls[] = {0, 2, 1, 2},
                         starts[] = {1, 1, 2}, few[] = {0, 1, 1};
    kith_csr m = {.rows = ARRAY(I32, ends), .columns = a_two, .width = 3};
    kith_graph *g = NULL;
    kith_error err;

    REFUSED(kith_graph_from_csr(&m, NULL, KITH_COPY, NULL, &g, NULL, &err),
            ARGUMENT,
            "the matrix has 2 rows and 3 columns, expected a square one for a "
            "graph");
    m.width = 0;
    m.rows = (kith_array)ARRAY(I32, falls);
    REFUSED(kith_graph_from_csr(&m, NULL, KITH_COPY, NULL, &g, NULL, &err),
            ARGUMENT, "rows[2] is 1, expected 2 to 2");
    m.rows = (kith_array)ARRAY(I32, starts);
    REFUSED(kith_graph_from_csr(&m, NULL, KITH_COPY, NULL, &g, NULL, &err),
            ARGUMENT, "rows[0] is 1, expected 0 to 0");
    m.rows = (kith_array)ARRAY(I32, few);
    REFUSED(kith_graph_from_csr(&m, NULL, KITH_COPY, NULL, &g, NULL, &err),
            ARGUMENT, "rows ends at 1, expected the number of entries, 2");
    m.rows = (kith_array)ARRAY(I32, ends);
    m.columns = (kith_array)ARRAY(I32, large);
    REFUSED(kith_graph_from_csr(&m, NULL, KITH_BORROW, NULL, &g, NULL, &err),
            ARGUMENT, "columns[1] is 7, expected 0 to 1");
    m.rows.count = 0;
    REFUSED(kith_graph_from_csr(&m, NULL, KITH_COPY, NULL, &g, NULL, &err),
            RANGE, "the graph has -1 nodes, expected 1 to 2147483646");
}

TEST(ids_that_are_none_are_refused)
{
    static const int32_t twice[] = {0, 1, 2}, empty[] = {0, 1, 1},
                         falls[] = {0, 3, 1}, below[] = {-1, 0};
    kith_array at = ARRAY(I32, twice);
    kith_coo c = {.u = a_two, .v = a_two, .nodes = 3};
    kith_graph *g = NULL;
    kith_ids *ids = NULL;
    kith_error err;

    REFUSED(kith_ids_from_strings(&at, "aa", &ids, &err), ARGUMENT,
            "id 1 is 'a', which is also id 0, expected each once");
    CHECK_OK(kith_ids_from_strings(&at, "ab", &ids, &err));
    REFUSED(kith_graph_from_coo(&c, ids, NULL, &g, NULL, &err), ARGUMENT,
            "there are 2 ids for 3 nodes, expected as many");
    kith_ids_free(ids);
    at = (kith_array)ARRAY(I32, empty);
    REFUSED(kith_ids_from_strings(&at, "ab", &ids, &err), ARGUMENT,
            "id 1 has 0 bytes, expected 1 to 65535");
    at = (kith_array)ARRAY(I32, falls);
    REFUSED(kith_ids_from_strings(&at, "abc", &ids, &err), ARGUMENT,
            "id 1 has -2 bytes, expected 1 to 65535");
    at = (kith_array)ARRAY(I32, below);
    REFUSED(kith_ids_from_strings(&at, "abc", &ids, &err), ARGUMENT,
            "offsets[0] is -1, expected 0 to 9223372036854775806");
    at.count = 0;
    REFUSED(kith_ids_from_strings(&at, "abc", &ids, &err), RANGE,
            "offsets has 0 numbers, expected 1 to 2147483647, and bytes");
    CHECK(!ids);
}

TEST(labels_that_are_none_are_refused)
{
    static const char *const same[] = {"a", "a"}, *const blank[] = {"a", ""};
    static const int32_t unknown[] = {-1, -1}, below[] = {0, -2};
    kith_array of = a_two;
    kith_labels *l = NULL;
    kith_error err;

    REFUSED(kith_labels_from_array(&of, 1, NULL, &l, &err), ARGUMENT,
            "classes[1] is 1, expected -1 to 0");
    REFUSED(kith_labels_from_array(&of, 0, NULL, &l, &err), RANGE,
            "there are 0 classes and 2 nodes, expected 1 or more and at most "
            "2147483646");
    REFUSED(kith_labels_from_array(&of, 2, same, &l, &err), ARGUMENT,
            "class 1 is called 'a' like another, expected each name once");
    REFUSED(kith_labels_from_array(&of, 2, blank, &l, &err), ARGUMENT,
            "class 1 has no name, expected one");
    of = (kith_array)ARRAY(I32, below);
    REFUSED(kith_labels_from_array(&of, 2, NULL, &l, &err), ARGUMENT,
            "classes[1] is -2, expected -1 to 1");
    of = (kith_array)ARRAY(I32, unknown);
    REFUSED(kith_labels_from_array(&of, 2, NULL, &l, &err), ARGUMENT,
            "classes holds no label, expected one or more");
    of = (kith_array)ARRAY(F32, real);
    REFUSED(kith_labels_from_array(&of, 2, NULL, &l, &err), ARGUMENT,
            "classes holds real numbers; shares of several classes are not "
            "supported, expected one class a node, KITH_I32 or KITH_I64");
    CHECK(!l);
}

TEST(features_that_are_none_are_refused)
{
    static const int32_t one[] = {0, 2}, again[] = {1, 1};
    kith_csr m = {ARRAY(I32, one), ARRAY(I32, again), ARRAY(F32, real), 2};
    kith_array a = ARRAY(F32, nan_);
    kith_features *f = NULL;
    kith_error err;

    REFUSED(kith_features_from_dense(&a, 1, 2, KITH_BORROW, &f, &err), ARGUMENT,
            "values[1] is nan, expected a finite number");
    REFUSED(kith_features_from_dense(&a, 2, 2, KITH_COPY, &f, &err), ARGUMENT,
            "values has 2 numbers, expected 2 rows x 2 columns");
    REFUSED(kith_features_from_dense(&a, INT64_MAX, 4, KITH_COPY, &f, &err),
            RANGE,
            "the features have 9223372036854775807 rows and 4 columns, "
            "expected at most 2147483646 of each");
    REFUSED(kith_features_from_csr(&m, KITH_BORROW, &f, &err), PARSE,
            "has two entries in row 1, column 2 (counted from 1), expected "
            "one");
    m.values.count = 1;
    REFUSED(kith_features_from_csr(&m, KITH_BORROW, &f, &err), ARGUMENT,
            "values has 1 numbers, expected as many as columns, 2");
    m.width = 1;
    REFUSED(kith_features_from_csr(&m, KITH_BORROW, &f, &err), ARGUMENT,
            "columns[0] is 1, expected 0 to 0");
    CHECK(!f);
}

TEST(splits_that_overlap_and_parts_that_do_not_fit_are_refused)
{
    static const int32_t first[] = {0}, off[] = {2};
    const kith_array zero = ARRAY(I32, first), outside = ARRAY(I32, off);
    kith_coo c = {.u = a_two, .v = a_two};
    kith_labels *l = NULL;
    kith_dataset *d = NULL;
    kith_graph *g = NULL;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_graph_from_coo(&c, NULL, NULL, &g, NULL, &err));
    REFUSED(kith_split_from_arrays(g, &a_two, &zero, NULL, "s", &s, &err),
            ARGUMENT,
            "the split has node '0' in both train and val, expected parts "
            "without common nodes");
    REFUSED(kith_split_from_arrays(g, &a_two, NULL, &outside, "s", &s, &err),
            ARGUMENT, "test[0] is 2, expected 0 to 1");
    CHECK_OK(kith_labels_from_array(&zero, 1, NULL, &l, &err));
    REFUSED(kith_dataset_new(g, l, NULL, NULL, &d, &err), ARGUMENT,
            "there are 1 labels for a graph of 2 nodes, expected one for "
            "each, or -1");
    kith_labels_free(l);
    kith_graph_free(g);
}

/* ---- memory -------------------------------------------------------------- */

TEST(graphs_of_arrays_survive_every_failed_allocation)
{
    const kith_array at = ARRAY(I64, names_at);
    kith_graph *g = NULL, *b = NULL;
    kith_ids *ids = NULL;
    kith_error err;
    matrix m;

    CHECK_OOM(st = kith_ids_from_strings(&at, names_bytes, &ids, NULL),
              kith_ids_free(ids));
    CHECK_OK(kith_ids_from_strings(&at, names_bytes, &ids, &err));
    CHECK_OOM(st = kith_graph_from_coo(&weighted, ids, NULL, &g, NULL, NULL),
              kith_graph_free(g));
    CHECK_OK(kith_graph_from_coo(&weighted, ids, NULL, &g, NULL, &err));
    matrix_of(g, &m);
    for (int keep = KITH_COPY; keep <= KITH_BORROW; keep++)
        CHECK_OOM(st = kith_graph_from_csr(&m.narrow, ids, (kith_keep)keep,
                                           NULL, &b, NULL, NULL),
                  kith_graph_free(b));
    CHECK_OOM(st = kith_graph_from_csr(&m.wide, NULL, KITH_COPY, NULL, &b, NULL,
                                       NULL),
              kith_graph_free(b));
    kith_graph_free(g);
    kith_ids_free(ids);
}

TEST(what_hangs_on_the_nodes_survives_every_failed_allocation)
{
    const kith_array of = ARRAY(I32, classes), cells = ARRAY(F32, dense);
    kith_features *f = NULL;
    kith_labels *l = NULL;
    kith_graph *g = NULL;
    kith_dataset *d = NULL;
    kith_split s;
    kith_error err;

    CHECK_OOM(st = kith_labels_from_array(&of, 2, class_names, &l, NULL),
              kith_labels_free(l));
    for (int keep = KITH_COPY; keep <= KITH_BORROW; keep++) {
        CHECK_OOM(
            st = kith_features_from_csr(&sparse, (kith_keep)keep, &f, NULL),
            kith_features_free(f));
    }
    CHECK_OOM(
        st = kith_features_from_dense(&cells, NODES, 2, KITH_COPY, &f, NULL),
        kith_features_free(f));
    CHECK_OK(kith_graph_from_coo(&weighted, NULL, NULL, &g, NULL, &err));
    CHECK_OOM(st = kith_split_from_arrays(g, &a_two, NULL, NULL, "s", &s, NULL),
              kith_split_release(&s));
    CHECK_OK(kith_dataset_new(g, NULL, NULL, NULL, &d, &err));
    kith_dataset_free(d);
}
