#include "format_checks.h"
#include "io/npy.h"

/* ---- arrays that NumPy wrote --------------------------------------------- */

static void check_numbers(const char *name, int rows, int columns,
                          const float *expected)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(features_by(kith__npy_features_read, check_data(name), &f, &err));
    if (!f)
        return;
    CHECK_INT(f->nodes, rows);
    CHECK_INT(f->columns, columns);
    CHECK_INT(f->entries, rows * columns);
    CHECK(!f->row && !f->column);
    for (int i = 0; i < rows * columns; i++)
        CHECK(f->value[i] == expected[i]);
    kith_features_free(f);
}

TEST(doubles_become_floats)
{
    check_numbers("golden/dense_f8.npy", 3, 2,
                  (float[]){1.5f, -2, 3, 4, 0, 1e-3f});
}

TEST(fortran_order_is_turned)
{
    check_numbers("golden/fortran.npy", 2, 3, (float[]){1, 2, 3, 4, 5, 6});
}

TEST(truth_is_1)
{
    check_numbers("golden/bools.npy", 2, 2, (float[]){1, 0, 0, 1});
}

TEST(versions_2_and_3_are_read)
{
    check_numbers("golden/version2.npy", 1, 2, (float[]){7, 8});
    check_numbers("golden/version3.npy", 1, 2, (float[]){7, 8});
}

TEST(big_endian_is_refused_by_name)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(features_by(kith__npy_features_read,
                              check_data("golden/big_endian.npy"), &f, &err),
                  KITH_ERR_PARSE, 0, "big-endian");
    CHECK(strstr(err.text, ">f4"));
}

/* ---- arrays made here ---------------------------------------------------- */

/* A file of version 1.0 with this dictionary and these numbers. */
static kith_status read_made(const char *dictionary, const void *numbers,
                             size_t n, kith_features **f, kith_error *err)
{
    const size_t length = strlen(dictionary);
    char bytes[1024] = "\x93NUMPY\1";

    bytes[8] = (char)length;
    memcpy(bytes + 10, dictionary, length);
    memcpy(bytes + 10 + length, numbers, n);
    check_file_bytes("made.npy", bytes, 10 + length + n);
    return features_by(kith__npy_features_read, check_path("made.npy"), f, err);
}

#define SHAPE(descr, shape) \
    "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }\n"

static void check_type(const char *dictionary, const void *numbers, size_t n,
                       float first, float second)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(read_made(dictionary, numbers, n, &f, &err));
    if (!f)
        return;
    CHECK_INT(f->entries, 2);
    CHECK(f->value[0] == first && f->value[1] == second);
    kith_features_free(f);
}

TEST(integers_of_all_widths_are_read)
{
    check_type(SHAPE("|i1", "(1, 2)"), (int8_t[]){-3, 4}, 2, -3, 4);
    check_type(SHAPE("|u1", "(1, 2)"), (uint8_t[]){253, 4}, 2, 253, 4);
    check_type(SHAPE("<i2", "(1, 2)"), (int16_t[]){-300, 4}, 4, -300, 4);
    check_type(SHAPE("<u2", "(1, 2)"), (uint16_t[]){65535, 4}, 4, 65535, 4);
    check_type(SHAPE("<i4", "(1, 2)"), (int32_t[]){-70000, 4}, 8, -70000, 4);
    check_type(SHAPE("<u4", "(1, 2)"), (uint32_t[]){1u << 31, 4}, 8, 0x1p31f,
               4);
    check_type(SHAPE("<i8", "(2, 1)"), (int64_t[]){-5, 4}, 16, -5, 4);
    check_type(SHAPE("<u8", "(2, 1)"), (uint64_t[]){UINT64_C(1) << 63, 4}, 16,
               0x1p63f, 4);
}

TEST(a_dictionary_in_any_order_is_read)
{
    check_type("{\"shape\":(1,2L),\"fortran_order\":True,\"descr\":\"<f4\"}",
               (float[]){1, 2}, 8, 1, 2);
}

TEST(headers_that_are_refused)
{
    static const struct {
        const char *dictionary, *fragment;
    } bad[] = {
        {SHAPE("<f2", "(1, 2)"), "type that is not supported"},
        {SHAPE("<c8", "(1, 2)"), "descr <c8"},
        {SHAPE("f4", "(1, 2)"), "type that is not supported"},
        {SHAPE("|S4", "(1, 2)"), "text of type '|S4', expected numbers"},
        {SHAPE("<f4", "(2,)"), "has 1 dimensions, expected 2"},
        {SHAPE("<f4", "()"), "has 0 dimensions, expected 2"},
        {SHAPE("<f4", "(1, 2, 1)"), "has 3 dimensions, expected 2"},
        {SHAPE("<f4", "(1,1,1,1,1,1,1,1,1)"), "more than 8 dimensions"},
        {SHAPE("<f4", "(-1, 2)"), "no list of counts"},
        {SHAPE("<f4", "(9999999999, 9999999999)"), "no list of counts"},
        {SHAPE("<f4", "(4000000000, 2000000000)"), "beyond any file"},
        {SHAPE("<f4", "(1 2)"), "does not end, expected ')'"},
        {SHAPE("<f4", "2"), "expected '('"},
        {"{'descr': [('a', '<f4')], }", "array of structures"},
        {"{'descr': 4}", "expected a string as descr"},
        {"{'descr': '<f4', 'fortran_order': 0}", "expected True or False"},
        {"{'descr': '<f4', 'shape': (1, 2)}", "lacks a part"},
        {"{'descr': '<f4', 'descr': '<f4'}", "broken header"},
        {"{'other': 1}", "broken header"},
        {"[1, 2, 3]", "expected '{'"},
        {"{'descr': '<f4' 'shape': (1, 2)}", "does not end with '}'"},
        {SHAPE("<f4", "(1, 2)") "x", "does not end with '}'"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kith_features *f;
        kith_error err = {0};
        const kith_status st = read_made(bad[i].dictionary, (float[]){1, 2}, 8,
                                         &f, &err);

        CHECK(st == KITH_ERR_PARSE || st == KITH_ERR_RANGE);
        CHECK(!f);
        if (!strstr(err.text, bad[i].fragment))
            check_failed(__FILE__, __LINE__, "%s: '%s'", bad[i].dictionary,
                         err.text);
    }
}

static kith_status read_bytes(const void *bytes, size_t n, kith_features **f,
                              kith_error *err)
{
    check_file_bytes("raw.npy", bytes, n);
    return features_by(kith__npy_features_read, check_path("raw.npy"), f, err);
}

TEST(files_that_are_no_arrays_are_refused)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_bytes("", 0, &f, &err), KITH_ERR_PARSE, 0,
                  "too short for a NumPy array");
    CHECK_REFUSED(read_bytes("hello, world", 12, &f, &err), KITH_ERR_PARSE, 0,
                  "is no NumPy array");
    CHECK_REFUSED(read_bytes("\x93NUMPY\4\0\0\0\0\0", 12, &f, &err),
                  KITH_ERR_PARSE, 0, "unknown .npy version");
    CHECK_REFUSED(read_bytes("\x93NUMPY\1\0\x40\0{}", 12, &f, &err),
                  KITH_ERR_PARSE, 0, "truncated in its header");
    CHECK_REFUSED(read_bytes("\x93NUMPY\2\0\0\0\0\x40", 12, &f, &err),
                  KITH_ERR_PARSE, 0, "header longer than 64 KiB");
    CHECK_REFUSED(read_bytes("\x93NUMPY\1\0\0\0\0\0", 12, &f, &err),
                  KITH_ERR_PARSE, 0, "empty header");
}

TEST(numbers_must_fill_the_file)
{
    const float numbers[] = {1, 2, 3};
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_made(SHAPE("<f4", "(1, 3)"), numbers, 11, &f, &err),
                  KITH_ERR_PARSE, 0,
                  "is truncated: expected 12 bytes of numbers, found 11");
    CHECK_REFUSED(read_made(SHAPE("<f4", "(1, 2)"), numbers, 12, &f, &err),
                  KITH_ERR_PARSE, 0, "has 4 bytes after its numbers");
}

TEST(what_is_not_finite_is_refused_by_its_place)
{
    kith_features *f;
    kith_error err;

    CHECK_REFUSED(read_made(SHAPE("<f4", "(2, 2)"), (float[]){1, 2, NAN, 4}, 16,
                            &f, &err),
                  KITH_ERR_PARSE, 0, "row 2, column 1");
    CHECK_REFUSED(
        read_made(SHAPE("<f8", "(1, 2)"), (double[]){1, 1e39}, 16, &f, &err),
        KITH_ERR_PARSE, 0, "value 1e+39 in row 1, column 2");
    CHECK_REFUSED(read_made("{'descr': '<f4', 'fortran_order': True, 'shape': "
                            "(2, 2)}",
                            (float[]){1, 2, INFINITY, 4}, 16, &f, &err),
                  KITH_ERR_PARSE, 0, "row 1, column 2");
}

/* ---- writing ------------------------------------------------------------- */

TEST(dense_features_come_back_as_they_were)
{
    check_needs("gzip zstd");
    const char *const names[] = {"out.npy", "out.npy.gz", "out.npy.zst"};
    const kith_features dense = DENSE_MATRIX;

    for (int i = 0; i < 3; i++) {
        kith_features *f;
        kith_error err;

        CHECK_OK(kith_features_write(&dense, check_path(names[i]),
                                     KITH_FEATURES_NPY, &err));
        CHECK_OK(features_by(kith__npy_features_read, check_path(names[i]), &f,
                             &err));
        check_same(f, &dense);
        kith_features_free(f);
    }
}

/* The header is 128 bytes, so that the numbers are aligned. */
TEST(the_bytes_written_are_numpys)
{
    const kith_features dense = DENSE_MATRIX;
    kith_error err;
    size_t n = 0;
    char *bytes;

    CHECK_OK(kith_features_write(&dense, check_path("out.npy"),
                                 KITH_FEATURES_NPY, &err));
    bytes = check_read(check_path("out.npy"), &n);
    CHECK_INT(n, 128 + 24);
    CHECK(memcmp(bytes,
                 "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': "
                 "False, 'shape': (2, 3), } ",
                 70) == 0);
    CHECK_INT(bytes[127], '\n');
    free(bytes);
}

TEST(sparse_features_are_written_densely)
{
    const float expected[] = {0, .5f, 0, 2, 0, 0, 0, 0, -1.25f, 0, 0, 0};
    const kith_features sparse = SCIPY_MATRIX;
    kith_features *f;
    kith_error err;

    CHECK_OK(kith_features_write(&sparse, check_path("out.npy"),
                                 KITH_FEATURES_NPY, &err));
    CHECK_OK(
        features_by(kith__npy_features_read, check_path("out.npy"), &f, &err));
    CHECK_INT(f->entries, 12);
    for (int i = 0; i < 12; i++)
        CHECK(f->value[i] == expected[i]);
    kith_features_free(f);
}

TEST(sparse_features_that_would_be_huge_are_not_written)
{
    const kith_features wide = {
        .nodes = 1 << 20, .columns = 1 << 20, .row = (int64_t[]){0}};
    kith_error err;

    CHECK_REFUSED(kith_features_write(&wide, check_path("no.npy"),
                                      KITH_FEATURES_NPY, &err),
                  KITH_ERR_RANGE, 0, "more than 2 GiB");
    CHECK(access(check_path("no.npy"), F_OK) != 0);
}

/* 10^9 floats claimed in 100 bytes of gzip. */
TEST(a_packed_header_is_not_believed)
{
    check_needs("gzip zstd");
    const kith_features dense = DENSE_MATRIX;
    const char *dictionary = SHAPE("<f4", "(1000000, 1000)");
    const char *path = check_path("bomb.npy"), *packed;
    char *bytes, command[512];
    kith_features *f;
    kith_error err;
    size_t n = 0;

    CHECK_OK(kith_features_write(&dense, path, KITH_FEATURES_NPY, &err));
    bytes = check_read(path, &n);
    memset(bytes + 10, ' ', 117);
    memcpy(bytes + 10, dictionary, strlen(dictionary) - 1);
    check_file_bytes("bomb.npy", bytes, n);
    free(bytes);
    CHECK_REFUSED(features_by(kith__npy_features_read, path, &f, &err),
                  KITH_ERR_PARSE, 0,
                  "expected 4000000000 bytes of numbers, found 24");
    snprintf(command, sizeof(command), "gzip -f %s", path);
    packed = check_path("bomb.npy.gz");
    if (system(command) != 0)
        check_skip("no gzip here");
    CHECK_REFUSED(features_by(kith__npy_features_read, packed, &f, &err),
                  KITH_ERR_RANGE, 0, "claims 1000000000 numbers");
}

TEST(reading_survives_every_failed_allocation)
{
    kith_features *f;

    CHECK_OOM(st = features_by(kith__npy_features_read,
                               check_data("golden/dense_f8.npy"), &f, NULL),
              kith_features_free(f));
}

/* More than the 32,768 numbers that are read at a time, and not a multiple. */
TEST(many_numbers_come_back_as_they_were)
{
    enum { ROWS = 250, COLUMNS = 300 };
    float *value = malloc(ROWS * COLUMNS * sizeof(*value));
    const kith_features dense = {.nodes = ROWS,
                                 .columns = COLUMNS,
                                 .entries = ROWS * COLUMNS,
                                 .value = value};
    kith_features *f = NULL;
    kith_error err;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        value[i] = (float)i / 8;
    CHECK_OK(kith_features_write(&dense, check_path("many.npy"),
                                 KITH_FEATURES_NPY, &err));
    CHECK_OK(kith_features_load(check_path("many.npy"), &f, &err));
    CHECK(f && f->nodes == ROWS && f->columns == COLUMNS && !f->row);
    CHECK(f && memcmp(f->value, value, ROWS * COLUMNS * sizeof(*value)) == 0);
    kith_features_free(f);
    free(value);
}
