#include <sys/stat.h>

#include "check.h"

/* Write a file of a data set folder NAME in the test's folder. */
static const char *put(const char *folder, const char *name, const char *text)
{
    char path[300];

    mkdir(check_path(folder), 0777);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return check_file(path, text);
}

static kith_dataset *open_set(const char *folder)
{
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_open(check_path(folder), NULL, &d, &err));
    return d;
}

static void refuse_set(const char *folder, const char *file, int64_t line,
                       const char *fragment)
{
    kith_dataset *d = NULL;
    kith_error err = {0};

    CHECK(kith_dataset_open(check_path(folder), NULL, &d, &err) != KITH_OK);
    CHECK(d == NULL);
    CHECK_INT(err.line, line);
    if (!strstr(err.path, file) || !strstr(err.text, fragment))
        check_failed(__FILE__, __LINE__, "'%s: %s' lacks '%s' or '%s'",
                     err.path, err.text, file, fragment);
}

/* Without nodes.txt every file may name nodes: here 0-1 by the edge, 2 and 3
 * by the features' rows, 9 by a label. */
TEST(nodes_come_from_every_file_of_a_folder)
{
    kith_dataset *d;

    put("a", "edges.tsv", "0\t1\n");
    put("a", "labels.tsv", "1\tx\n9\ty\n");
    put("a", "features.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n4 3 2\n1 1\n4 3\n");
    d = open_set("a");
    CHECK_INT(kith_graph_nodes(d->graph), 5);
    CHECK_INT(kith_graph_find(d->graph, "9", 1), 4);
    CHECK_INT(d->labels->of[4], 1);
    CHECK_INT(d->features->nodes, 5);
    CHECK_INT(d->features->row[3], 1); /* rows 0 .. 2 hold one entry */
    CHECK_INT(d->features->row[4], 2);
    CHECK_INT(d->features->row[5], 2);
    CHECK_INT(d->cleaning.isolated, 3);
    kith_dataset_free(d);
}

TEST(nodes_txt_lists_every_node)
{
    kith_dataset *d;

    put("b", "nodes.txt", "x y\nz\nlone\n");
    put("b", "edges.csv", "z,x y\n");
    put("b", "labels.tsv", "z\tA\n");
    put("b", "features.mtx",
        "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
    d = open_set("b");
    CHECK_INT(kith_graph_nodes(d->graph), 3);
    CHECK_INT(kith_graph_find(d->graph, "x y", 3), 0);
    CHECK_NEAR(d->features->value[2], 3, 0);
    kith_dataset_free(d);
    put("b", "labels.tsv", "z\tA\nq\tB\n");
    refuse_set("b", "labels.tsv", 2, "unknown node 'q'");
    put("b", "labels.tsv", "z\tA\n");
    put("b", "edges.csv", "z,x y\nz,q\n");
    refuse_set("b", "edges.csv", 2, "unknown node 'q'");
    put("b", "edges.csv", "z,x y\n");
    put("b", "nodes.txt", "x y\nz\n");
    refuse_set("b", "features.mtx", 0, "has 3 rows, but");
    put("b", "nodes.txt", "x y\nz\nx y\n");
    refuse_set("b", "nodes.txt", 3, "node 'x y' is listed twice");
    put("b", "nodes.txt", "x y\n\nz\n");
    refuse_set("b", "nodes.txt", 2, "is blank");
}

TEST(folders_that_are_no_data_set_are_refused)
{
    put("c", "labels.tsv", "0\t1\n");
    refuse_set("c", "c", 0, "has no edges.tsv");
    put("c", "edges.tsv", "0\t1\n");
    put("c", "edges.csv", "0,1\n");
    refuse_set("c", "c", 0, "has both edges.tsv and edges.csv");
    put("e", "edges.tsv", "a\tb\n");
    put("e", "features.mtx",
        "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
    refuse_set("e", "features.mtx", 0, "expected a nodes.txt");
}

/* ---- splits -------------------------------------------------------------- */

static kith_dataset *split_set(void)
{
    put("s", "edges.tsv", "0\t1\n1\t2\n2\t3\n3\t4\n");
    mkdir(check_path("s/splits"), 0777);
    put("s/splits/one", "train.txt", "3\n0\n3\n");
    put("s/splits/one", "test.txt", "# tested\n1\r\n");
    put("s/splits/one", "val.txt", "4\n");
    return open_set("s");
}

TEST(a_split_that_lacks_a_file_is_named_and_refused)
{
    kith_dataset *d;
    kith_error err = {0};
    kith_split s;
    char **names;
    int n;

    put("h", "edges.tsv", "0\t1\n");
    mkdir(check_path("h/splits"), 0777);
    put("h/splits/half", "train.txt", "0\n");
    d = open_set("h");
    CHECK_OK(kith_dataset_splits(d, &names, &n, &err));
    CHECK_INT(n, 1);
    CHECK_TEXT(names[0], "half");
    kith_names_free(names, n);
    CHECK(kith_split_read(d, "half", &s, &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "is not a split: it has no test.txt") != NULL);
    kith_dataset_free(d);
}

TEST(splits_are_sorted_and_named)
{
    kith_dataset *d = split_set();
    kith_split s, t;
    kith_error err;
    char **names;
    int n;

    CHECK_OK(kith_dataset_splits(d, &names, &n, &err));
    CHECK_INT(n, 1);
    CHECK_TEXT(names[0], "one");
    kith_names_free(names, n);
    CHECK_OK(kith_split_read(d, "one", &s, &err));
    CHECK_INT(s.n_train, 2);
    CHECK_INT(s.train[0], 0);
    CHECK_INT(s.train[1], 3);
    CHECK_INT(s.n_val, 1);
    CHECK_INT(s.test[0], 1);
    CHECK_OK(kith_split_write(&s, d->graph, check_path("deep/er/w"), &err));
    CHECK_OK(kith_split_read(d, check_path("deep/er/w"), &t, &err));
    CHECK(s.hash == t.hash);
    kith_split_release(&t);
    s.test[0] = 2;
    kith_split_release(&s);
    kith_dataset_free(d);
}

TEST(bad_splits_are_refused)
{
    kith_dataset *d = split_set();
    kith_error err = {0};
    kith_split s = {0};

    CHECK(kith_split_read(d, "nope", &s, &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "no split 'nope'") != NULL);
    put("leak", "train.txt", "0\n1\n");
    put("leak", "test.txt", "1\n");
    CHECK(kith_split_read(d, check_path("leak"), &s, &err) == KITH_ERR_PARSE);
    CHECK(strstr(err.text, "node '1' in both train.txt and test.txt") != NULL);
    put("leak", "test.txt", "2\n77\n");
    CHECK(kith_split_read(d, check_path("leak"), &s, &err) == KITH_ERR_PARSE);
    CHECK_INT(err.line, 2);
    CHECK(strstr(err.text, "unknown node '77'") != NULL);
    kith_dataset_free(d);
}

/* ---- features beside a graph --------------------------------------------- */

TEST(feature_rows_find_their_nodes)
{
    kith_graph *g = NULL;
    kith_features *f = NULL;
    const char *path = check_file(
        "f.mtx",
        "%%MatrixMarket matrix coordinate real general\n8 2 2\n4 1 5\n8 2 7\n");
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("g.tsv", "3\t7\n"), NULL, &g, NULL, &err));
    CHECK_OK(kith_features_read(path, g, &f, &err)); /* rows 3 and 7 */
    CHECK_INT(f->nodes, 2);
    CHECK_NEAR(f->value[f->row[0]], 5, 0);
    CHECK_NEAR(f->value[f->row[1]], 7, 0);
    kith_features_free(f);
    kith_graph_free(g);
    CHECK_OK(
        kith_graph_read(check_file("g.tsv", "3\t6\n"), NULL, &g, NULL, &err));
    CHECK(kith_features_read(path, g, &f, &err) == KITH_ERR_PARSE);
    CHECK(strstr(err.text, "row 8 belongs to node '7'") != NULL);
    kith_graph_free(g);
}

TEST(feature_rows_of_text_ids_need_a_list)
{
    kith_graph *g = NULL;
    kith_features *f = NULL;
    const char *path = check_file(
        "t.mtx", "%%MatrixMarket matrix array real general\n2 1\n5\n7\n");
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("t.tsv", "a\tb\n"), NULL, &g, NULL, &err));
    CHECK(kith_features_read(path, g, &f, &err) == KITH_ERR_PARSE);
    CHECK(strstr(err.text, "t.mtx.nodes.txt") != NULL);
    check_file("t.mtx.nodes.txt", "b\na\n");
    CHECK_OK(kith_features_read(path, g, &f, &err));
    CHECK_NEAR(f->value[0], 7, 0); /* a is the second row */
    CHECK_NEAR(f->value[1], 5, 0);
    kith_features_free(f);
    kith_graph_free(g);
}

TEST(features_are_written_as_the_nodes_are_listed)
{
    const kith_build_options o = {.order = KITH_ORDER_DEGREE,
                                  .job = {.threads = 1}};
    kith_dataset *d = NULL;
    kith_features *f = NULL;
    kith_error err;

    put("w", "edges.tsv", "a\tb\nb\tc\n"); /* b has the largest degree */
    put("w", "nodes.txt", "c\na\nb\n");
    put("w", "features.mtx",
        "%%MatrixMarket matrix array real general\n3 1\n5\n7\n9\n");
    CHECK_OK(kith_dataset_build(check_path("w"), check_path("w.kg"), &o, NULL,
                                &err));
    CHECK_OK(kith_dataset_open(check_path("w.kg"), NULL, &d, &err));
    CHECK_NEAR(d->features->value[0], 9, 0);
    CHECK_OOM(st = kith_dataset_write_features(d, check_path("w.npz"),
                                               KITH_FEATURES_AUTO, NULL), );
    CHECK_OOM(st = kith_features_convert(check_path("w.npz"),
                                         check_path("w.svm"),
                                         KITH_FEATURES_AUTO, &f, NULL),
              kith_features_free(f));
    CHECK_OK(kith_features_load(check_path("w.svm"), &f, &err));
    CHECK_NEAR(f->value[0], 5, 0);
    CHECK_NEAR(f->value[2], 9, 0);
    kith_features_free(f);
    CHECK_OK(kith_features_read(check_path("w.svm"), d->graph, &f, &err));
    CHECK_NEAR(f->value[0], 9, 0); /* by its list, back onto the same nodes */
    kith_features_free(f);
    kith_dataset_free(d);
}

TEST(a_split_without_validation_replaces_one_with_it)
{
    kith_dataset *d = split_set();
    kith_error err = {0};
    kith_split s = {0};

    CHECK_OK(kith_split_read(d, "one", &s, &err));
    CHECK_OK(kith_split_write(&s, d->graph, check_path("s/splits/two"), &err));
    CHECK(access(check_path("s/splits/two/val.txt"), F_OK) == 0);
    s.n_val = 0;
    CHECK_OK(kith_split_write(&s, d->graph, check_path("s/splits/two"), &err));
    CHECK(access(check_path("s/splits/two/val.txt"), F_OK) != 0);
    kith_split_release(&s);
    CHECK_OK(kith_split_read(d, "two", &s, &err));
    CHECK_INT(s.n_val, 0);
    CHECK_INT(s.n_train, 2);
    kith_split_release(&s);
    kith_dataset_free(d);
}

TEST(splits_that_cannot_be_listed_do_not_pass_for_none)
{
    kith_dataset *d = split_set();
    char *at = d->splits_at, file[400];
    kith_error err = {0};
    char **names = NULL;
    int n = 0;

    snprintf(file, sizeof(file), "%s/one/train.txt", at);
    d->splits_at = file; /* no folder */
    CHECK(kith_dataset_splits(d, &names, &n, &err) == KITH_ERR_IO);
    CHECK(strstr(err.path, "train.txt") && strstr(err.text, "cannot open"));
    d->splits_at = at;
    CHECK_OK(kith_dataset_splits(d, &names, &n, &err));
    CHECK(n > 0);
    kith_names_free(names, n);
    kith_dataset_free(d);
}

TEST(a_data_set_survives_every_failed_allocation)
{
    kith_build_options o = {.job = {.threads = 1}};
    kith_dataset *d = NULL;
    kith_split s = {0};

    put("o", "edges.tsv", "0\t1\n");
    put("o", "labels.tsv", "1\tx\n9\ty\n");
    put("o", "features.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n4 3 2\n1 1\n4 3\n");
    CHECK_OOM(st = kith_dataset_open(check_path("o"), &o, &d, NULL),
              kith_dataset_free(d));
    d = split_set();
    CHECK_OOM(st = kith_split_read(d, "one", &s, NULL), kith_split_release(&s));
    CHECK_OOM(st = kith_dataset_write(d, check_path("ow"), KITH_GRAPH_AUTO,
                                      KITH_FEATURES_AUTO, true, NULL, NULL), );
    kith_dataset_free(d);
}

/* BASE.splits beside BASE.kg, and FILE.splits beside any other file. */
TEST(a_file_has_its_splits_beside_it)
{
    static const char *const file[] = {"beside.kg", "beside.tsv"};
    static const char *const splits[] = {"beside.splits", "beside.tsv.splits"};
    static const char *const name[] = {"first", "second"};
    kith_error err;

    CHECK_OK(kith_dataset_build(check_file("beside.tsv", "0\t1\n1\t2\n"),
                                check_path("beside.kg"), NULL, NULL, &err));
    for (int i = 0; i < 2; i++) {
        kith_dataset *d = NULL;
        kith_split split = {0};
        char folder[64], **names = NULL;
        int count = 0;

        CHECK(mkdir(check_path(splits[i]), 0777) == 0);
        snprintf(folder, sizeof(folder), "%s/%s", splits[i], name[i]);
        put(folder, "train.txt", "0\n");
        put(folder, "test.txt", "2\n1\n");
        CHECK_OK(kith_dataset_open(check_path(file[i]), NULL, &d, &err));
        CHECK_OK(kith_dataset_splits(d, &names, &count, &err));
        CHECK_INT(count, 1);
        CHECK(count == 1 && strcmp(names[0], name[i]) == 0);
        CHECK_OK(kith_split_read(d, name[i], &split, &err));
        CHECK_INT(split.n_train, 1);
        CHECK_INT(split.n_test, 2);
        kith_names_free(names, count);
        kith_split_release(&split);
        kith_dataset_free(d);
    }
}

/* An id of 65,535 bytes is the longest; nodes.txt takes it and no longer one.
 */
TEST(the_longest_id_is_an_id)
{
    enum { LONGEST = 65535 };
    char *list = malloc(LONGEST + 8);
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_error err;

    memset(list, 'x', LONGEST + 1);
    memcpy(list + LONGEST, "\na\nb\n", 6);
    o.nodes = check_file("longest.txt", list);
    CHECK_OK(
        kith_graph_read(check_file("ab.tsv", "a\tb\n"), &o, &g, NULL, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_INT(kith_graph_find(g, list, LONGEST), 0);
    kith_graph_free(g);
    memcpy(list + LONGEST, "x\na\nb\n", 7);
    o.nodes = check_file("longer.txt", list);
    CHECK_INT(kith_graph_read(check_path("ab.tsv"), &o, &g, NULL, &err),
              KITH_ERR_PARSE);
    CHECK_TEXT(err.text, "node id has 65536 bytes, expected at most 65535");
    CHECK_INT(err.line, 1);
    free(list);
}
