#include "format_checks.h"

static kith_status read_text(const char *text, kith_features **f,
                             kith_error *err)
{
    return features_by(kith__svmlight_read, check_file("f.svm", text), f, err);
}

TEST(rows_are_read_in_order)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_text("# a comment\n"
                       "+1 qid:3 4:2 2:0.5 # unsorted is fine\n"
                       "\n"
                       "1,2 3:0\r\n"
                       "-1.5 1:-1.25",
                       &f, &err));
    check_scipy_matrix(f);
    kith_features_free(f);
}

TEST(an_index_of_0_means_that_indices_begin_there)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_text("1 1:1 3:1\n0 0:1\n", &f, &err));
    CHECK_INT(f->columns, 4);
    CHECK(f->column[0] == 1 && f->column[1] == 3 && f->column[2] == 0);
    CHECK(!f->value);
    kith_features_free(f);
    CHECK_OK(read_text("1 1:1 3:1\n0 2:1\n", &f, &err));
    CHECK_INT(f->columns, 3);
    CHECK(f->column[0] == 0 && f->column[1] == 2 && f->column[2] == 1);
    kith_features_free(f);
}

/* ONES_MATRIX ends with an empty row and an empty column. */
TEST(features_are_written_with_their_shape)
{
    const kith_features ones = ONES_MATRIX;
    const char *path = check_path("out.svm");
    kith_features *f;
    kith_error err;
    char *written;
    size_t n;

    CHECK_OK(kith_features_write(&ones, path, KITH_FEATURES_SVMLIGHT, &err));
    written = check_read(path, &n);
    CHECK_TEXT(written, "# kith features 3 5\n0 3:1\n0 1:1 4:1\n0\n");
    free(written);
    CHECK_OK(features_by(kith__svmlight_read, path, &f, &err));
    check_same(f, &ones);
    kith_features_free(f);
}

TEST(sparse_values_come_back_as_they_were)
{
    check_needs("gzip");
    const kith_features matrix = SCIPY_MATRIX;
    const char *path = check_path("out.svm.gz");
    kith_features *f;
    kith_error err;

    CHECK_OK(kith_features_write(&matrix, path, KITH_FEATURES_SVMLIGHT, &err));
    CHECK_OK(features_by(kith__svmlight_read, path, &f, &err));
    check_same(f, &matrix);
    kith_features_free(f);
}

/* Zeros are not written: 5 of the 6 numbers are left. */
TEST(dense_features_come_back_sparse)
{
    const kith_features dense = DENSE_MATRIX;
    const char *path = check_path("out.svm");
    kith_features *f;
    kith_error err;

    CHECK_OK(kith_features_write(&dense, path, KITH_FEATURES_SVMLIGHT, &err));
    CHECK_OK(features_by(kith__svmlight_read, path, &f, &err));
    CHECK_INT(f->nodes, 2);
    CHECK_INT(f->columns, 3);
    CHECK_INT(f->entries, 5);
    for (int64_t p = 0; p < f->entries; p++)
        CHECK(f->value[p] == dense.value[p]);
    kith_features_free(f);
}

TEST(rows_that_are_refused)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_text("# nothing\n", &f, &err), KITH_ERR_PARSE, 1,
                  "has no rows");
    CHECK_REFUSED(read_text("1\n1:2 2:3\n", &f, &err), KITH_ERR_PARSE, 2,
                  "expected a label (a number) first, found '1:2'");
    CHECK_REFUSED(read_text("1, 1:2\n", &f, &err), KITH_ERR_PARSE, 1,
                  "expected a label (a number) first, found '1,'");
    CHECK_REFUSED(read_text("1 2\n", &f, &err), KITH_ERR_PARSE, 1,
                  "expected index:value, found '2'");
    CHECK_REFUSED(read_text("1 x:2\n", &f, &err), KITH_ERR_PARSE, 1,
                  "expected index:value, found 'x:2'");
    CHECK_REFUSED(read_text("1 2:\n", &f, &err), KITH_ERR_PARSE, 1,
                  "expected index:value, found '2:'");
    CHECK_REFUSED(read_text("1 -2:1\n", &f, &err), KITH_ERR_PARSE, 1,
                  "index -2 is out of range");
    CHECK_REFUSED(read_text("1 2147483647:1\n", &f, &err), KITH_ERR_PARSE, 1,
                  "index 2147483647 is out of range");
    CHECK_REFUSED(read_text("1 1:1\n1 2:nan\n", &f, &err), KITH_ERR_PARSE, 2,
                  "'2:nan' is infinite or not a number");
    CHECK_REFUSED(read_text("1 2:1e39\n", &f, &err), KITH_ERR_PARSE, 1,
                  "'2:1e39' is infinite or not a number");
    CHECK_REFUSED(read_text("1 1:1 1:2\n", &f, &err), KITH_ERR_PARSE, 1,
                  "index 1 occurs twice");
    CHECK_REFUSED(read_text("1\n1 7:1 2:1 7:2\n", &f, &err), KITH_ERR_PARSE, 2,
                  "index 7 occurs twice");
}

TEST(our_first_line_is_held_to)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_text("# kith features 1\n0\n", &f, &err), KITH_ERR_PARSE,
                  1, "expected '# kith features ROWS COLUMNS'");
    CHECK_REFUSED(read_text("# kith features 1 2\n0 0:1\n", &f, &err),
                  KITH_ERR_PARSE, 2,
                  "index 0 is out of range, expected 1 to 2");
    CHECK_REFUSED(read_text("# kith features 1 2\n0 3:1\n", &f, &err),
                  KITH_ERR_PARSE, 2,
                  "index 3 is out of range, expected 1 to 2");
    CHECK_REFUSED(read_text("# kith features 1 2\n0 2:1\n0\n", &f, &err),
                  KITH_ERR_PARSE, 3, "expected 1 rows, found one more");
    CHECK_REFUSED(read_text("# kith features 2 2\n0 2:1\n", &f, &err),
                  KITH_ERR_PARSE, 2, "expected 2 rows, found 1");
    CHECK_REFUSED(read_text("# kith features 2000000000 2\n0 2:1\n", &f, &err),
                  KITH_ERR_RANGE, 1, "claims 2000000000 rows");
}

TEST(reading_survives_every_failed_allocation)
{
    const char *path = check_file("f.svm", "1 3:1 2:4\n1 1:5\n");
    kith_features *f;

    CHECK_OOM(st = features_by(kith__svmlight_read, path, &f, NULL),
              kith_features_free(f));
}
