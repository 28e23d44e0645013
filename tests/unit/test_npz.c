#include "format_checks.h"

static const char *golden(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "golden/%s", name);
    return check_data(path);
}

/* Most of SciPy's files are deflated. */
static void need_zlib(void)
{
    if (!strstr(kith_features_built(), "gzip"))
        check_skip("built without zlib");
}

/* ---- archives that SciPy and NumPy wrote --------------------------------- */

TEST(scipys_matrices_are_read)
{
    static const char *const names[] = {"scipy_csr.npz",
                                        "scipy_csr_compressed.npz",
                                        "scipy_csc.npz", "scipy_coo.npz"};

    need_zlib();
    for (int i = 0; i < 4; i++) {
        kith_features *f;
        kith_error err;

        CHECK_OK(
            features_by(kith__npz_features_read, golden(names[i]), &f, &err));
        if (f)
            check_scipy_matrix(f);
        kith_features_free(f);
    }
}

/* As old files have it: 'csr' in four bytes a letter, stored. */
TEST(a_format_in_wide_letters_is_read)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(features_by(kith__npz_features_read, golden("unicode_format.npz"),
                         &f, &err));
    if (f)
        check_scipy_matrix(f);
    kith_features_free(f);
}

TEST(one_array_is_dense_features)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(features_by(kith__npz_features_read, golden("dense_savez.npz"), &f,
                         &err));
    CHECK_INT(f->nodes, 3);
    CHECK_INT(f->columns, 2);
    CHECK(!f->row);
    for (int i = 0; i < 6; i++)
        CHECK(f->value[i] == (float)(i + 1));
    kith_features_free(f);
}

TEST(other_archives_are_refused)
{
    kith_features *f;
    kith_graph *g;
    kith_error err;

    CHECK_REFUSED(
        features_by(kith__npz_features_read, golden("scipy_bsr.npz"), &f, &err),
        KITH_ERR_PARSE, 0, "in the format 'bsr', expected csr");
    CHECK_REFUSED(features_by(kith__npz_features_read,
                              golden("long_format.npz"), &f, &err),
                  KITH_ERR_PARSE, 0, "in the format 'csrabcd', expected csr");
    CHECK_REFUSED(features_by(kith__npz_features_read, golden("two_arrays.npz"),
                              &f, &err),
                  KITH_ERR_PARSE, 0, "has 2 arrays and no 'format.npy'");
    CHECK_REFUSED(read_graph(kith__npz_graph_read, golden("dense_savez.npz"),
                             KITH_AUTO, &g, NULL, &err),
                  KITH_ERR_PARSE, 0, "has no member 'format.npy'");
    CHECK_REFUSED(read_graph(kith__npz_graph_read, golden("scipy_csr.npz"),
                             KITH_AUTO, &g, NULL, &err),
                  KITH_ERR_PARSE, 0, "3 rows and 4 columns, expected a square");
}

/* Path 0-1-2, both directions given. */
TEST(values_of_one_are_no_weights)
{
    const char *path = golden("scipy_path.npz");
    kith_cleaning cleaning;
    kith_graph *g;
    kith_error err;

    need_zlib();
    CHECK_OK(
        read_graph(kith__npz_graph_read, path, KITH_AUTO, &g, &cleaning, &err));
    CHECK_INT(kith_graph_nodes(g), 3);
    CHECK_INT(kith_graph_edges(g), 2);
    CHECK(!kith_graph_weights(g));
    CHECK_ROW(g, 0, 1);
    CHECK_ROW(g, 1, 0, 2);
    CHECK_ROW(g, 2, 1);
    CHECK_INT(cleaning.entries, 4);
    CHECK_INT(cleaning.both_ways, 2);
    kith_graph_free(g);
    CHECK_OK(read_graph(kith__npz_graph_read, path, KITH_YES, &g, NULL, &err));
    CHECK(kith_graph_weights(g)[0] == 1);
    kith_graph_free(g);
}

TEST(other_values_are_weights)
{
    const char *path = golden("scipy_path_weighted.npz");
    kith_graph *g;
    kith_error err;

    need_zlib();
    CHECK_OK(read_graph(kith__npz_graph_read, path, KITH_AUTO, &g, NULL, &err));
    for (int p = 0; p < 4; p++)
        CHECK(kith_graph_weights(g)[p] == 2.5f);
    kith_graph_free(g);
    CHECK_OK(read_graph(kith__npz_graph_read, path, KITH_NO, &g, NULL, &err));
    CHECK(!kith_graph_weights(g));
    kith_graph_free(g);
}

/* ---- writing ------------------------------------------------------------- */

TEST(features_come_back_as_they_were)
{
    const kith_features all[] = {SCIPY_MATRIX, ONES_MATRIX, DENSE_MATRIX};

    for (int i = 0; i < 3; i++) {
        kith_features *f;
        kith_error err;

        CHECK_OK(kith_features_write(&all[i], check_path("o.npz"),
                                     KITH_FEATURES_NPZ, &err));
        CHECK_OK(features_by(kith__npz_features_read, check_path("o.npz"), &f,
                             &err));
        if (f)
            check_same(f, &all[i]);
        kith_features_free(f);
    }
}

TEST(graphs_come_back_as_they_were)
{
    static const char *const names[] = {"scipy_path.npz",
                                        "scipy_path_weighted.npz"};

    need_zlib();
    for (int i = 0; i < 2; i++) {
        const char *path = check_path("g.npz");
        kith_graph *g, *again;
        kith_error err;

        CHECK_OK(read_graph(kith__npz_graph_read, golden(names[i]), KITH_AUTO,
                            &g, NULL, &err));
        CHECK_OK(kith_graph_write(g, path, KITH_GRAPH_NPZ, NULL, &err));
        CHECK_OK(read_graph(kith__npz_graph_read, path, KITH_AUTO, &again, NULL,
                            &err));
        CHECK(kith_graph_hash(again) == kith_graph_hash(g));
        kith_graph_free(again);
        kith_graph_free(g);
    }
}

TEST(the_same_matrix_gives_the_same_bytes)
{
    const kith_features matrix = SCIPY_MATRIX;
    size_t n = 0, m = 0;
    char *a, *b;
    kith_error err;

    CHECK_OK(kith_features_write(&matrix, check_path("a.npz"),
                                 KITH_FEATURES_NPZ, &err));
    CHECK_OK(kith_features_write(&matrix, check_path("b.npz"),
                                 KITH_FEATURES_NPZ, &err));
    a = check_read(check_path("a.npz"), &n);
    b = check_read(check_path("b.npz"), &m);
    CHECK(n == m && memcmp(a, b, n) == 0);
    free(a);
    free(b);
}

/* zip64: written by a build whose border was 100 bytes. */
TEST(zip64_fields_are_read)
{
    kith_features *f;
    kith_error err;

    CHECK_OK(
        features_by(kith__npz_features_read, golden("zip64.npz"), &f, &err));
    if (f)
        check_scipy_matrix(f);
    kith_features_free(f);
}

/* ---- broken members ------------------------------------------------------ */

/* CRC-32, a bit at a time. */
static uint32_t crc_of(const unsigned char *bytes, size_t n)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

typedef struct made {
    unsigned char *bytes;
    size_t n;
} made;

/* SCIPY_MATRIX as we write it: five stored members. */
static made make(void)
{
    const kith_features matrix = SCIPY_MATRIX;
    made z = {0};
    kith_error err;

    CHECK_OK(kith_features_write(&matrix, check_path("make.npz"),
                                 KITH_FEATURES_NPZ, &err));
    z.bytes = (unsigned char *)check_read(check_path("make.npz"), &z.n);
    return z;
}

/* The local header of a member, or (from = that + 1) its directory entry's
 * name. */
static unsigned char *find(const made *z, const unsigned char *from,
                           const char *name)
{
    return memmem(from, (size_t)(z->bytes + z->n - from), name, strlen(name));
}

static unsigned char *local_of(const made *z, const char *name)
{
    return find(z, z->bytes, name) - 30;
}

static unsigned char *entry_of(const made *z, const char *name)
{
    return find(z, local_of(z, name) + 31, name) - 46;
}

/* Overwrite bytes of a member at an offset, its checksum made good. */
static void patch(made *z, const char *name, size_t offset, const void *with,
                  size_t n)
{
    unsigned char *const local = local_of(z, name);
    unsigned char *const data = local + 30 + strlen(name);
    uint32_t size, crc;

    memcpy(&size, local + 22, 4);
    memcpy(data + offset, with, n);
    crc = crc_of(data, size);
    memcpy(local + 14, &crc, 4);
    memcpy(entry_of(z, name) + 16, &crc, 4);
}

/* Read it, and free it. */
static kith_status read_made(made *z, kith_error *err)
{
    kith_features *f = NULL;
    kith_status st;

    check_file_bytes("made.npz", z->bytes, z->n);
    free(z->bytes);
    st = features_by(kith__npz_features_read, check_path("made.npz"), &f, err);
    kith_features_free(f);
    return st;
}

#define NUMBERS 128 /* where a member's numbers begin */

#define CHECK_PATCHED(name, offset, with, status, fragment)       \
    do {                                                          \
        made z_ = make();                                         \
        patch(&z_, name, offset, with, sizeof(with));             \
        CHECK_REFUSED(read_made(&z_, &err), status, 0, fragment); \
    } while (0)

TEST(arrays_that_do_not_fit_together_are_refused)
{
    const float nan[] = {NAN};
    kith_error err;

    CHECK_PATCHED("indices.npy", NUMBERS, ((int32_t[]){4}), KITH_ERR_PARSE,
                  "entry 0 is in row 0, column 4 (counted from 0), outside");
    CHECK_PATCHED("indices.npy", NUMBERS, ((int32_t[]){-1}), KITH_ERR_PARSE,
                  "column -1");
    CHECK_PATCHED("indices.npy", NUMBERS, ((int32_t[]){3}), KITH_ERR_PARSE,
                  "two entries in row 1, column 4");
    CHECK_PATCHED("indptr.npy", NUMBERS, ((int32_t[]){1}), KITH_ERR_PARSE,
                  "has the offset 1 at place 0, expected 0 to 0");
    CHECK_PATCHED("indptr.npy", NUMBERS + 8, ((int32_t[]){1}), KITH_ERR_PARSE,
                  "has the offset 1 at place 2, expected 2 to 3");
    CHECK_PATCHED("indptr.npy", NUMBERS + 12, ((int32_t[]){2}), KITH_ERR_PARSE,
                  "ends with 2, but there are 3 entries");
    CHECK_PATCHED("shape.npy", NUMBERS, ((int64_t[]){2}), KITH_ERR_PARSE,
                  "member 'indptr.npy' has 4 numbers, expected 3");
    CHECK_PATCHED("shape.npy", NUMBERS, ((int64_t[]){2000000000}),
                  KITH_ERR_RANGE, "claims 2000000000 rows");
    CHECK_PATCHED("shape.npy", NUMBERS, ((int64_t[]){-1}), KITH_ERR_RANGE,
                  "claims -1 rows");
    CHECK_PATCHED("format.npy", NUMBERS, ((char[]){'d', 'i', 'a'}),
                  KITH_ERR_PARSE, "in the format 'dia'");
    CHECK_PATCHED("data.npy", NUMBERS + 8, nan, KITH_ERR_PARSE,
                  "row 2, column 0 (counted from 0) is infinite or not");
}

TEST(members_that_are_no_arrays_are_refused)
{
    kith_error err;

    CHECK_PATCHED("data.npy", 0, ((char[]){'x'}), KITH_ERR_PARSE,
                  "member 'data.npy': is no NumPy array");
    CHECK_PATCHED("data.npy", 6, ((char[]){9}), KITH_ERR_PARSE,
                  "member 'data.npy': has an unknown .npy version");
    CHECK_PATCHED("data.npy", 8, ((char[]){0, 1}), KITH_ERR_PARSE,
                  "member 'data.npy' is truncated in its header");
    CHECK_PATCHED("data.npy", 21, ((char[]){'>'}), KITH_ERR_PARSE,
                  "big-endian");
    CHECK_PATCHED("data.npy", 21, ((char[]){'<', 'f', '8'}), KITH_ERR_PARSE,
                  "has 140 bytes, but its shape asks for 152");
    CHECK_PATCHED("data.npy", 22, ((char[]){'S'}), KITH_ERR_PARSE,
                  "is no list of numbers");
    CHECK_PATCHED("indices.npy", 22, ((char[]){'f'}), KITH_ERR_PARSE,
                  "is no list of integers");
    CHECK_PATCHED("format.npy", 22, ((char[]){'V'}), KITH_ERR_PARSE,
                  "type that is not supported");
}

/* ---- broken archives ----------------------------------------------------- */

TEST(checksums_are_verified)
{
    made z = make();
    kith_error err;

    local_of(&z, "data.npy")[30 + 8 + NUMBERS] ^= 1;
    CHECK_REFUSED(read_made(&z, &err), KITH_ERR_CORRUPT, 0,
                  "member 'data.npy' does not match its checksum");
}

/* Set n bytes of a member's directory entry. */
static kith_status with_entry(const char *name, size_t at, uint32_t value,
                              size_t n, kith_error *err)
{
    made z = make();

    memcpy(entry_of(&z, name) + at, &value, n);
    return read_made(&z, err);
}

TEST(directory_entries_are_checked)
{
    kith_error err;

    CHECK_REFUSED(with_entry("data.npy", 0, 0, 4, &err), KITH_ERR_CORRUPT, 0,
                  "broken entry in its directory");
    CHECK_REFUSED(with_entry("data.npy", 8, 1, 2, &err), KITH_ERR_PARSE, 0,
                  "member 'data.npy' is encrypted");
    CHECK_REFUSED(with_entry("data.npy", 10, 12, 2, &err), KITH_ERR_PARSE, 0,
                  "packed in an unknown way");
    CHECK_REFUSED(with_entry("data.npy", 20, 1, 4, &err), KITH_ERR_CORRUPT, 0,
                  "stored in two sizes");
    CHECK_REFUSED(with_entry("data.npy", 20, 100000, 4, &err), KITH_ERR_CORRUPT,
                  0, "reaches beyond the file's data");
    CHECK_REFUSED(with_entry("data.npy", 24, UINT32_MAX, 4, &err),
                  KITH_ERR_CORRUPT, 0, "broken entry in its directory");
    CHECK_REFUSED(with_entry("data.npy", 28, 60000, 2, &err), KITH_ERR_CORRUPT,
                  0, "broken entry in its directory");
    CHECK_REFUSED(with_entry("data.npy", 42, 1, 4, &err), KITH_ERR_CORRUPT, 0,
                  "member 'data.npy' is not where the directory says");
    CHECK_REFUSED(with_entry("data.npy", 42, 0x7fffffff, 4, &err),
                  KITH_ERR_CORRUPT, 0, "is not where the directory says");
    CHECK_REFUSED(with_entry("data.npy", 46, 'x', 1, &err), KITH_ERR_PARSE, 0,
                  "has no member 'data.npy'");
}

TEST(the_end_of_the_archive_is_checked)
{
    made z = make();
    kith_error err;

    z.n--;
    CHECK_REFUSED(read_made(&z, &err), KITH_ERR_CORRUPT, 0,
                  "is no whole zip archive");
    z = make();
    z.n = 0;
    CHECK_REFUSED(read_made(&z, &err), KITH_ERR_CORRUPT, 0,
                  "is no whole zip archive");
    z = make();
    memset(z.bytes + z.n - 6, 255, 4);
    CHECK_REFUSED(read_made(&z, &err), KITH_ERR_CORRUPT, 0,
                  "directory outside of the file");
}

/* The compressed archive with a size that deflate cannot reach, one that is
 * not true, and with a bit turned in its data. */
TEST(deflated_members_are_checked)
{
    static const uint32_t sizes[] = {0x70000000, 151};
    static const char *const texts[] = {"more than deflate can",
                                        "has 151 bytes, but its shape"};
    kith_error err;
    made z;

    need_zlib();
    for (int i = 0; i < 2; i++) {
        z.bytes = (unsigned char *)check_read(
            golden("scipy_csr_compressed.npz"), &z.n);
        memcpy(entry_of(&z, "data.npy") + 24, &sizes[i], 4);
        CHECK_REFUSED(read_made(&z, &err),
                      i == 0 ? KITH_ERR_CORRUPT : KITH_ERR_PARSE, 0, texts[i]);
    }
    z.bytes = (unsigned char *)check_read(golden("scipy_csr_compressed.npz"),
                                          &z.n);
    memset(entry_of(&z, "indices.npy") - 20, 255, 4);
    CHECK_INT(read_made(&z, &err), KITH_ERR_CORRUPT);
}

TEST(negative_weights_are_refused)
{
    made z = make();
    kith_graph *g;
    kith_error err;

    patch(&z, "shape.npy", NUMBERS, (int64_t[]){3, 3}, 16);
    patch(&z, "indices.npy", NUMBERS, (int32_t[]){1, 2, 0}, 12);
    check_file_bytes("made.npz", z.bytes, z.n);
    free(z.bytes);
    CHECK_REFUSED(read_graph(kith__npz_graph_read, check_path("made.npz"),
                             KITH_AUTO, &g, NULL, &err),
                  KITH_ERR_PARSE, 0, "weight -1.25 in row 2, column 0");
    CHECK_OK(read_graph(kith__npz_graph_read, check_path("made.npz"), KITH_NO,
                        &g, NULL, &err));
    CHECK_INT(kith_graph_edges(g), 2);
    kith_graph_free(g);
}

TEST(reads_survive_every_failed_allocation)
{
    const char *packed = golden("scipy_csr_compressed.npz");
    const char *dense = golden("dense_savez.npz");
    const char *graph = golden("scipy_path_weighted.npz");
    kith_features *f;
    kith_graph *g;

    need_zlib();
    CHECK_OOM(st = features_by(kith__npz_features_read, packed, &f, NULL),
              kith_features_free(f));
    CHECK_OOM(st = features_by(kith__npz_features_read, dense, &f, NULL),
              kith_features_free(f));
    CHECK_OOM(
        st = read_graph(kith__npz_graph_read, graph, KITH_AUTO, &g, NULL, NULL),
        kith_graph_free(g));
}

TEST(one_value_that_is_not_one_makes_weights)
{
    for (int which = -1; which < 3; which++) {
        made z = make();
        float values[] = {1, 1, 1};
        kith_graph *g = NULL;
        kith_error err;

        if (which >= 0)
            values[which] = 2;
        patch(&z, "shape.npy", NUMBERS, (int64_t[]){3, 3}, 16);
        patch(&z, "indices.npy", NUMBERS, (int32_t[]){1, 2, 0}, 12);
        patch(&z, "data.npy", NUMBERS, values, sizeof(values));
        check_file_bytes("made.npz", z.bytes, z.n);
        free(z.bytes);
        CHECK_OK(read_graph(kith__npz_graph_read, check_path("made.npz"),
                            KITH_AUTO, &g, NULL, &err));
        CHECK_INT(kith_graph_weights(g) != NULL, which >= 0);
        kith_graph_free(g);
    }
}
