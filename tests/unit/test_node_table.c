/* Tables of nodes: classes and features by columns, on the nodes of a graph. */
#include "check.h"

static const char edges[] = "a\tb\nb\tc\n";
static const char accounts[] = "acct,age,land,status\n"
                               "b,20,DE,bad\n"
                               "a,40,FR,good\n"
                               "d,,DE,unknown\n";

static char told[2000];

static void note(void *user, const char *key, const char *text)
{
    const size_t n = strlen(told);

    (void)user;
    snprintf(told + n, sizeof(told) - n, "%s: %s\n", key, text);
}

static kith_dataset *open_with(const kith_table_options *t, const char *table)
{
    const kith_build_options how = {
        .table = t, .nodes = check_file("n.csv", table), .tell = note};
    kith_dataset *d = NULL;
    kith_error err;

    told[0] = '\0';
    CHECK_OK(kith_dataset_open(check_file("e.tsv", edges), &how, &d, &err));
    return d;
}

static int32_t node(const kith_dataset *d, const char *id)
{
    return kith_graph_find(d->graph, id, strlen(id));
}

/* The value of a feature of a node; NaN if no column has that name. */
static double feature(const kith_features *f, int32_t u, const char *name)
{
    for (int32_t c = 0; c < f->columns; c++) {
        if (strcmp(f->names[c], name) != 0)
            continue;
        for (int64_t p = f->row[u]; p < f->row[u + 1]; p++)
            if (f->column[p] == c)
                return f->value ? f->value[p] : 1;
        return 0;
    }
    return (double)NAN;
}

TEST(a_node_table_brings_classes_features_and_nodes_without_edges)
{
    const kith_table_options t = {.features = "all"};
    kith_dataset *d = open_with(&t, accounts);
    const int32_t u = node(d, "d");

    CHECK_INT(kith_graph_nodes(d->graph), 4);
    CHECK_INT(kith_graph_edges(d->graph), 2);
    CHECK_INT(kith_graph_rows(d->graph)[u], kith_graph_rows(d->graph)[u + 1]);
    CHECK_INT(d->labels->labelled, 2);
    CHECK_TEXT(d->labels->names[d->labels->of[node(d, "b")]], "bad");
    /* ages 20 and 40: one deviation from their mean; DE twice, FR once */
    CHECK_NEAR(feature(d->features, node(d, "b"), "age"), -1, 1e-6);
    CHECK_NEAR(feature(d->features, u, "age missing"), 1, 0);
    CHECK_NEAR(feature(d->features, u, "land=DE"), 1, 0);
    CHECK_NEAR(feature(d->features, node(d, "a"), "land is rare"), 1, 0);
    CHECK(isnan(feature(d->features, u, "status=bad")));
    CHECK_TEXT(told, "nodes from: node 'acct', class 'status'\n"
                     "unlabelled: 1 row without a label\n"
                     "features: 6 columns made\n"
                     "no edge: 1 of the table's 3 nodes\n");
    kith_dataset_free(d);
}

TEST(a_plain_list_of_nodes_stays_one)
{
    const kith_build_options how = {.nodes = check_file("l.txt", "c\nb\na\n")};
    kith_dataset *d;
    kith_error err;

    CHECK_OK(kith_dataset_open(check_file("e.tsv", edges), &how, &d, &err));
    CHECK_INT(node(d, "c"), 0);
    CHECK(!d->labels && !d->features);
    kith_dataset_free(d);
}

TEST(an_id_may_be_a_word_that_means_nothing_elsewhere)
{
    const kith_table_options t = {.node = "acct", .label = "state"};
    kith_dataset *d = open_with(&t, "acct,state\nNA,x\nnull,y\n");

    CHECK(node(d, "NA") >= 0 && node(d, "null") >= 0);
    CHECK_INT(d->labels->labelled, 2);
    kith_dataset_free(d);
}

TEST(built_graphs_hold_what_a_node_table_says)
{
    const kith_table_options t = {.features = "all"};
    const kith_build_options how = {.table = &t,
                                    .nodes = check_file("n.csv", accounts)};
    kith_dataset *d;
    kith_error err;

    for (int order = KITH_ORDER_INPUT; order <= KITH_ORDER_DEGREE; order++) {
        kith_build_options one = how;

        one.order = (kith_order)order;
        CHECK_OK(kith_dataset_build(check_file("e.tsv", edges),
                                    check_path("b.kg"), &one, NULL, &err));
        CHECK_OK(kith_dataset_open(check_path("b.kg"), NULL, &d, &err));
        CHECK_INT(kith_graph_nodes(d->graph), 4);
        CHECK_INT(d->labels->labelled, 2);
        CHECK_INT(d->features->columns, 6);
        CHECK_NEAR(feature(d->features, node(d, "d"), "land=DE"), 1, 0);
        kith_dataset_free(d);
    }
    /* to a graph that is built already it brings no nodes */
    CHECK_OK(kith_dataset_build(check_file("e.tsv", edges), check_path("b.kg"),
                                NULL, NULL, &err));
    CHECK_OK(kith_dataset_open(check_path("b.kg"), &how, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), 3);
    CHECK_INT(d->labels->labelled, 2);
    CHECK_INT(d->features->columns, 6);
    kith_dataset_free(d);
}

static kith_graph *read_graph(void)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("e.tsv", edges), NULL, &g, NULL, &err));
    return g;
}

TEST(features_come_from_tables_with_and_without_a_header)
{
    const kith_build_options how = {.tell = note};
    kith_graph *g = read_graph();
    kith_features *f = NULL;
    kith_error err;

    told[0] = '\0';
    CHECK_OK(kith_features_read_table(
        check_file("f.csv", "a,1,2.5\nb,1,.5\nzoe,1,3\nc,2,1\n"), g, &how, &f,
        &err));
    CHECK_INT(f->nodes, 3);
    CHECK_NEAR(feature(f, 2, "column 2 above 1"), 1, 0);
    CHECK_TEXT(told, "features from: node 'column 1', 2 columns\n"
                     "features: 8 columns made\n"
                     "not in graph: 1 rows of nodes left out: 'zoe'\n");
    kith_features_free(f);
    told[0] = '\0';
    CHECK_OK(kith_features_read_table(
        check_file("f.tsv", "x\tnode\tclass\n1\ta\tgood\n2\tb\tbad\n"), g, &how,
        &f, &err));
    CHECK_INT(f->columns, 3);
    CHECK_NEAR(feature(f, 1, "x"), 1, 1e-6);
    CHECK(strstr(told, "'class', which looks like the class"));
    kith_features_free(f);
    kith_graph_free(g);
}

TEST(tables_of_nodes_that_say_nothing_clear_are_refused)
{
    static const struct {
        kith_table_options t;
        const char *text, *fragment;
    } cases[] = {
        {{.node = "q"}, "id,x\na,1\n", "no column 'q' (--node)"},
        {{.features = "z"}, "id,x\na,1\n", "no column 'z' (--features)"},
        {{.strict = true}, "id,x\na,1\nzoe,2\n", "unknown node 'zoe'"},
        {{.node = NULL}, "id,x\nzoe,1\nmax,2\n", "names no node"},
        {{.node = NULL}, "id,x\na,1\na,2\n", "a second one of node 'a'"},
        {{.node = NULL}, "p,q,r\na,b,c\n", "cannot tell which column"},
        {{.node = NULL}, "id,x\nb,2\na,1,3\n", "has 3 fields"},
        {{.node = NULL}, "id,x\nb,2\na,\"1\n", "quoted field"},
        {{.node = NULL}, "id,x\n", "cannot tell which column"},
    };
    kith_graph *g = read_graph();

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const kith_build_options how = {.table = &cases[i].t};
        kith_error err = {0};
        kith_features *f;

        CHECK(kith_features_read_table(check_file("bad.csv", cases[i].text), g,
                                       &how, &f, &err) != KITH_OK);
        if (!strstr(err.text, cases[i].fragment))
            check_failed(__FILE__, __LINE__, "'%s' lacks '%s'", err.text,
                         cases[i].fragment);
    }
    kith_graph_free(g);
}

TEST(matrices_are_read_as_before)
{
    kith_graph *g = NULL;
    kith_features *f = NULL;
    kith_error err;

    CHECK_OK(kith_graph_read(check_file("i.tsv", "0\t1\n1\t2\n"), NULL, &g,
                             NULL, &err));
    CHECK_OK(kith_features_read_table(
        check_file("m.svm", "0 1:2\n0 2:1\n0 1:1\n"), g, NULL, &f, &err));
    CHECK_INT(f->columns, 2);
    kith_features_free(f);
    kith_graph_free(g);
}

/* As many columns, but one of them means something else. */
TEST(a_model_refuses_columns_of_another_meaning)
{
    const char *const text[] = {
        "id,c,y\na,p,x\nb,q,z\nc,p,x\nd,q,z\n",
        "id,c,y\na,p,x\nb,r,z\nc,p,x\nd,r,z\n",
    };
    const kith_table_options t = {.features = "c", .label = "y"};
    float p[8];
    int32_t train[] = {0, 1, 2, 3};
    kith_split split = {.train = train, .n_train = 4};
    kith_model *m = NULL, *again = NULL;
    kith_train_options o;
    kith_dataset *d;
    kith_error err;

    kith_train_options_init(&o);

    d = open_with(&t, text[0]);
    CHECK_OK(kith_model_train(d, "logreg", &split, &o, &m, NULL, &err));
    CHECK_OK(kith_model_save(m, check_path("m.km"), &err));
    CHECK_OK(kith_model_open(check_path("m.km"), &again, &err));
    CHECK_OK(kith_model_predict(again, d, NULL, p, NULL, NULL, &err));
    kith_dataset_free(d);
    d = open_with(&t, text[1]);
    CHECK(kith_model_predict(again, d, NULL, p, NULL, NULL, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "learnt from other columns"));
    kith_dataset_free(d);
    kith_model_free(m);
    kith_model_free(again);
}

TEST(node_tables_survive_every_failed_allocation)
{
    const kith_table_options t = {.features = "all"};
    const kith_build_options how = {
        .table = &t, .job.threads = 1, .nodes = check_file("n.csv", accounts)};
    const char *path = check_file("e.tsv", edges);
    kith_dataset *d;

    CHECK_OOM(st = kith_dataset_open(path, &how, &d, NULL),
              kith_dataset_free(d));
}
