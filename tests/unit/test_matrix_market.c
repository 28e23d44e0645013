#include "format_checks.h"

#define BANNER "%%MatrixMarket matrix "

static kith_status read_features(const char *text, kith_features **f,
                                 kith_error *err)
{
    return features_by(kith__mtx_features_read, check_file("f.mtx", text), f,
                       err);
}

static kith_status read_text(const char *text, kith_graph **g, kith_error *err)
{
    return read_graph(kith__mtx_graph_read, check_file("g.mtx", text),
                      KITH_AUTO, g, NULL, err);
}

/* ---- graphs -------------------------------------------------------------- */

/* Path 0-1-2 as its lower triangle; node 3 has no edge. */
TEST(a_symmetric_pattern_is_an_unweighted_graph)
{
    const char *path = check_file("g.mtx", "%%matrixmarket MATRIX Coordinate "
                                           "PATTERN Symmetric\n"
                                           "% a comment\n\n"
                                           "4 4 2\r\n"
                                           "2 1\n"
                                           "% between\n"
                                           " 3\t2 \n");
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    CHECK_OK(
        read_graph(kith__mtx_graph_read, path, KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(kith_graph_nodes(g), 4);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK(!kith_graph_weights(g));
    CHECK_ROW(g, 0, 1);
    CHECK_ROW(g, 1, 0, 2);
    CHECK_ROW(g, 2, 1);
    CHECK_INT(cleaning.entries, 2);
    CHECK_INT(cleaning.lines, 7);
    CHECK_INT(cleaning.comments, 3);
    CHECK_INT(cleaning.isolated, 1);
    kith_graph_free(g);
}

/* 1-2 in both directions, and a self loop. */
TEST(a_general_matrix_counts_each_edge_once)
{
    const char *path = check_file("g.mtx",
                                  BANNER "coordinate real general\n2 2 3\n"
                                         "1 2 0.5\n2 1 0.5\n2 2 9\n");
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    CHECK_OK(
        read_graph(kith__mtx_graph_read, path, KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(kith_graph_edges(g), 1);
    CHECK(kith_graph_weights(g)[0] == 0.5f && kith_graph_weights(g)[1] == 0.5f);
    CHECK_INT(cleaning.self_loops, 1);
    CHECK_INT(cleaning.both_ways, 1);
    kith_graph_free(g);
}

TEST(weights_can_be_left_out_but_not_made_up)
{
    const char *real = check_file("r.mtx",
                                  BANNER "coordinate integer symmetric\n2 2 1\n"
                                         "2 1 -3\n");
    const char *pattern = check_file("p.mtx",
                                     BANNER "coordinate pattern symmetric\n"
                                            "2 2 1\n2 1\n");
    kith_graph *g;
    kith_error err;

    CHECK_OK(read_graph(kith__mtx_graph_read, real, KITH_NO, &g, NULL, &err));
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
    CHECK_REFUSED(
        read_graph(kith__mtx_graph_read, pattern, KITH_YES, &g, NULL, &err),
        KITH_ERR_PARSE, 2, "pattern without values");
}

TEST(graphs_that_are_refused)
{
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(
        read_text(BANNER "array real general\n2 2\n0\n1\n1\n0\n", &g, &err),
        KITH_ERR_PARSE, 2, "dense array");
    CHECK_REFUSED(
        read_text(BANNER "coordinate real general\n2 3 0\n", &g, &err),
        KITH_ERR_PARSE, 2, "2 rows and 3 columns, expected a square");
    CHECK_REFUSED(
        read_text(BANNER "coordinate real general\n2 2 1\n1 2 -1\n", &g, &err),
        KITH_ERR_PARSE, 3, "weight -1 is negative");
    CHECK_REFUSED(
        read_text(BANNER "coordinate real general\n2 2 1\n1 2 nan\n", &g, &err),
        KITH_ERR_PARSE, 3, "'nan' is infinite or not a number");
    CHECK_REFUSED(read_text(BANNER "coordinate real general\n2 2 1\n1 2 1e39\n",
                            &g, &err),
                  KITH_ERR_PARSE, 3, "'1e39' is infinite or not a number");
    CHECK_REFUSED(
        read_text(BANNER "coordinate pattern general\n2000000000 2000000000 0"
                         "\n",
                  &g, &err),
        KITH_ERR_RANGE, 2, "claims 2000000000 rows");
}

/* By hand: triangle 0-1-2 with weights 0.1, 2, 3e10 and the lone node 3. */
TEST(a_graph_is_written_as_its_lower_triangle)
{
    const char *text = BANNER "coordinate real symmetric\n4 4 3\n"
                              "2 1 0.1\n3 1 2\n3 2 3e+10\n";
    const char *path = check_path("out.mtx");
    kith_graph *g, *again;
    kith_error err;
    char *written;
    size_t n;

    CHECK_OK(read_text(text, &g, &err));
    CHECK_OK(kith_graph_write(g, path, KITH_GRAPH_MTX, NULL, &err));
    written = check_read(path, &n);
    CHECK_TEXT(written, text);
    free(written);
    CHECK_OK(
        read_graph(kith__mtx_graph_read, path, KITH_AUTO, &again, NULL, &err));
    CHECK(kith_graph_hash(again) == kith_graph_hash(g));
    kith_graph_free(again);
    kith_graph_free(g);
}

TEST(an_unweighted_graph_is_written_as_a_pattern)
{
    const char *text = BANNER "coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
    kith_graph *g;
    kith_error err;
    char *written;
    size_t n;

    CHECK_OK(read_text(text, &g, &err));
    CHECK_OK(
        kith_graph_write(g, check_path("out.mtx"), KITH_GRAPH_MTX, NULL, &err));
    written = check_read(check_path("out.mtx"), &n);
    CHECK_TEXT(written, text);
    free(written);
    kith_graph_free(g);
}

/* ---- features ------------------------------------------------------------ */

/* Entries in any order; an explicit zero is dropped. */
TEST(coordinates_are_sorted_into_rows)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_features(BANNER "coordinate real general\n3 4 4\n"
                                  "3 1 -1.25\n1 4 2\n2 2 0\n1 2 5e-1\n",
                           &f, &err));
    check_scipy_matrix(f);
    kith_features_free(f);
}

TEST(all_ones_need_no_values)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_features(BANNER "coordinate integer general\n1 2 2\n"
                                  "1 2 1\n1 1 1\n",
                           &f, &err));
    CHECK_INT(f->entries, 2);
    CHECK(!f->value && f->column[0] == 0 && f->column[1] == 1);
    kith_features_free(f);
}

/* [1 5; 5 0] */
TEST(a_symmetric_matrix_is_expanded)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_features(BANNER "coordinate real symmetric\n2 2 2\n1 1 1\n"
                                  "2 1 5\n",
                           &f, &err));
    CHECK_INT(f->entries, 3);
    CHECK(f->column[0] == 0 && f->column[1] == 1 && f->column[2] == 0);
    CHECK(f->value[0] == 1 && f->value[1] == 5 && f->value[2] == 5);
    kith_features_free(f);
}

/* Columns (1, 4), (2, 5), (3, 6): rows 1 2 3 and 4 5 6. */
TEST(an_array_runs_down_the_columns)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_features(BANNER "array real general\n% c\n2 3\n1\n4\n2\n5\n"
                                  "3\n6\n",
                           &f, &err));
    CHECK(!f->row);
    CHECK_INT(f->entries, 6);
    for (int i = 0; i < 6; i++)
        CHECK(f->value[i] == (float)(i + 1));
    kith_features_free(f);
}

/* Lower triangle 1 2 3 | 4 5 | 6 of [1 2 3; 2 4 5; 3 5 6]. */
TEST(a_symmetric_array_is_its_lower_triangle)
{
    static const float expected[] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    kith_features *f;
    kith_error err;

    CHECK_OK(read_features(BANNER "array integer symmetric\n3 3\n1\n2\n3\n4\n5"
                                  "\n6\n",
                           &f, &err));
    for (int i = 0; i < 9; i++)
        CHECK(f->value[i] == expected[i]);
    kith_features_free(f);
}

TEST(features_come_back_as_they_were)
{
    check_needs("gzip zstd");
    const kith_features all[] = {SCIPY_MATRIX, ONES_MATRIX, DENSE_MATRIX};
    const char *const names[] = {"out.mtx", "out.mtx.gz", "out.mtx.zst"};

    for (int i = 0; i < 3; i++) {
        const char *path = check_path(names[i]);
        kith_features *f;
        kith_error err;

        CHECK_OK(kith_features_write(&all[i], path, KITH_FEATURES_MTX, &err));
        CHECK_OK(features_by(kith__mtx_features_read, path, &f, &err));
        check_same(f, &all[i]);
        kith_features_free(f);
    }
}

TEST(a_matrix_without_rows_is_a_matrix)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(
        read_features(BANNER "coordinate real general\n0 0 0\n", &f, &err));
    CHECK_INT(f->nodes, 0);
    kith_features_free(f);
    CHECK_OK(read_features(BANNER "array real symmetric\n0 0\n", &f, &err));
    CHECK_INT(f->entries, 0);
    kith_features_free(f);
}

/* ---- what is refused ----------------------------------------------------- */

TEST(banners_that_are_refused)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_features("", &f, &err), KITH_ERR_PARSE, 0,
                  "expected the line '%%MatrixMarket matrix ...' first");
    CHECK_REFUSED(read_features("1 2 3\n", &f, &err), KITH_ERR_PARSE, 1,
                  "found '1'");
    CHECK_REFUSED(read_features("%%MatrixMarket vector x\n", &f, &err),
                  KITH_ERR_PARSE, 1, "object 'vector'");
    CHECK_REFUSED(read_features(BANNER "sparse real general\n", &f, &err),
                  KITH_ERR_PARSE, 1, "format 'sparse'");
    CHECK_REFUSED(read_features(BANNER "array complex general\n", &f, &err),
                  KITH_ERR_PARSE, 1, "field 'complex'");
    CHECK_REFUSED(read_features(BANNER "array real hermitian\n", &f, &err),
                  KITH_ERR_PARSE, 1, "symmetry 'hermitian'");
    CHECK_REFUSED(read_features(BANNER "array real skew-symmetric\n", &f, &err),
                  KITH_ERR_PARSE, 1, "symmetry 'skew-symmetric'");
    CHECK_REFUSED(read_features(BANNER "array real\n", &f, &err),
                  KITH_ERR_PARSE, 1, "symmetry ''");
    CHECK_REFUSED(read_features(BANNER "array real general x\n", &f, &err),
                  KITH_ERR_PARSE, 1, "expected five words");
    CHECK_REFUSED(read_features(BANNER "array pattern general\n", &f, &err),
                  KITH_ERR_PARSE, 1, "array without values");
}

TEST(counts_that_are_refused)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(
        read_features(BANNER "coordinate real general\n%\n", &f, &err),
        KITH_ERR_PARSE, 2, "three counts");
    CHECK_REFUSED(
        read_features(BANNER "coordinate real general\n1 1\n", &f, &err),
        KITH_ERR_PARSE, 2, "three counts");
    CHECK_REFUSED(read_features(BANNER "array real general\n1 1 1\n", &f, &err),
                  KITH_ERR_PARSE, 2, "two counts");
    CHECK_REFUSED(read_features(BANNER "array real general\n-1 1\n", &f, &err),
                  KITH_ERR_PARSE, 2, "two counts");
    CHECK_REFUSED(read_features(BANNER "array real symmetric\n2 3\n", &f, &err),
                  KITH_ERR_PARSE, 2, "symmetric with 2 rows and 3 columns");
    CHECK_REFUSED(read_features(BANNER "coordinate real general\n2000000000 1 0"
                                       "\n",
                                &f, &err),
                  KITH_ERR_RANGE, 2, "claims 2000000000 rows");
    CHECK_REFUSED(
        read_features(BANNER "array real general\n99999 99999\n", &f, &err),
        KITH_ERR_RANGE, 2, "claims 99999 rows");
    CHECK_REFUSED(read_features(BANNER "coordinate real general\n1 3000000000 0"
                                       "\n",
                                &f, &err),
                  KITH_ERR_RANGE, 2, "at most 2147483646");
}

TEST(entries_that_are_refused)
{
#define ONE BANNER "coordinate real general\n2 3 1\n"
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_features(ONE, &f, &err), KITH_ERR_PARSE, 2,
                  "header promises 1 entries, found 0");
    CHECK_REFUSED(read_features(ONE "1 1 1\n\n1 2 1\n", &f, &err),
                  KITH_ERR_PARSE, 5, "header promises 1 entries, found one");
    CHECK_REFUSED(read_features(ONE "0 1 1\n", &f, &err), KITH_ERR_PARSE, 3,
                  "row 0 is out of range, expected 1 to 2");
    CHECK_REFUSED(read_features(ONE "1 4 1\n", &f, &err), KITH_ERR_PARSE, 3,
                  "column 4 is out of range, expected 1 to 3");
    CHECK_REFUSED(read_features(ONE "x 1 1\n", &f, &err), KITH_ERR_PARSE, 3,
                  "row 'x' is not an integer");
    CHECK_REFUSED(read_features(ONE "1 1\n", &f, &err), KITH_ERR_PARSE, 3,
                  "value '' is not a number");
    CHECK_REFUSED(read_features(ONE "1 1 1 1\n", &f, &err), KITH_ERR_PARSE, 3,
                  "expected 'row column value', found more");
    CHECK_REFUSED(read_features(ONE "1 1 -inf\n", &f, &err), KITH_ERR_PARSE, 3,
                  "'-inf' is infinite");
    CHECK_REFUSED(read_features(BANNER "coordinate integer general\n1 1 1\n"
                                       "1 1 1.5\n",
                                &f, &err),
                  KITH_ERR_PARSE, 3, "value '1.5' is not an integer");
    CHECK_REFUSED(read_features(BANNER "coordinate pattern general\n2 2 2\n"
                                       "2 1\n2 1\n",
                                &f, &err),
                  KITH_ERR_PARSE, 0, "two entries in row 2, column 1");
    CHECK_REFUSED(
        read_features(BANNER "array real general\n1 1\n1 1\n", &f, &err),
        KITH_ERR_PARSE, 3, "expected one value, found more");
    CHECK_REFUSED(
        read_features(BANNER "array real general\n1 2\n1\n", &f, &err),
        KITH_ERR_PARSE, 3, "header promises 2 entries, found 1");
}

/* ---- memory and size ----------------------------------------------------- */

TEST(reads_survive_every_failed_allocation)
{
    const char *graph = check_file("g.mtx",
                                   BANNER "coordinate real general\n2 2 1\n"
                                          "1 2 0.5\n");
    const char *sparse = check_file("s.mtx",
                                    BANNER "coordinate real general\n2 2 2\n"
                                           "1 2 3\n1 1 2\n");
    const char *dense = check_file("d.mtx",
                                   BANNER "array real general\n1 2\n1\n2\n");
    kith_features *f;
    kith_graph *g;

    CHECK_OOM(
        st = read_graph(kith__mtx_graph_read, graph, KITH_AUTO, &g, NULL, NULL),
        kith_graph_free(g));
    CHECK_OOM(st = features_by(kith__mtx_features_read, sparse, &f, NULL),
              kith_features_free(f));
    CHECK_OOM(st = features_by(kith__mtx_features_read, dense, &f, NULL),
              kith_features_free(f));
}

/* Row r has the columns c with (r + c) % 3 == 0: far more than one block. */
TEST(a_file_of_many_blocks_reads_whole)
{
    enum { ROWS = 3000, COLUMNS = 99 };
    const char *path = check_path("many.mtx");
    FILE *file = fopen(path, "w");
    kith_features *f;
    kith_error err;

    fputs(BANNER "coordinate real general\n", file);
    fprintf(file, "%d %d %d\n", ROWS, COLUMNS, ROWS * COLUMNS / 3);
    for (int r = ROWS - 1; r >= 0; r--)
        for (int c = COLUMNS - 1; c >= 0; c--)
            if ((r + c) % 3 == 0)
                fprintf(file, "%d %d %d.25\n", r + 1, c + 1, r);
    fclose(file);
    CHECK_OK(features_by(kith__mtx_features_read, path, &f, &err));
    CHECK_INT(f->entries, ROWS * COLUMNS / 3);
    for (int64_t p = 0; p < f->entries; p++) {
        const int32_t r = (int32_t)(p / (COLUMNS / 3));

        CHECK_INT(f->column[p], (3 - r % 3) % 3 + p % (COLUMNS / 3) * 3);
        CHECK(f->value[p] == (float)r + 0.25f);
    }
    kith_features_free(f);
}

static int count_calls(void *user, const kith_progress *step)
{
    *(int *)user += strcmp(step->stage, "reading edges") == 0;
    return 0;
}

/* Once before the first entry, and after every 65,536 of them. */
TEST(progress_is_told_while_entries_are_read)
{
    FILE *f = fopen(check_path("many.mtx"), "w");
    kith_build_options o = {0};
    kith_graph *g = NULL;
    kith_error err;
    int calls = 0;

    fprintf(f, "%%%%MatrixMarket matrix coordinate pattern general\n"
               "1000 1000 200000\n");
    for (int i = 0; i < 200000; i++)
        fprintf(f, "%d %d\n", i % 1000 + 1, i / 1000 + 1);
    fclose(f);
    o.job.progress = count_calls;
    o.job.user = &calls;
    CHECK_OK(kith_graph_read(check_path("many.mtx"), &o, &g, NULL, &err));
    CHECK_INT(calls, 4);
    kith_graph_free(g);
}
