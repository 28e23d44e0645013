#include "check.h"
#include "io/reader.h"
#include "io/writer.h"

/* Write text through a writer (packed by the name) and return its path. */
static const char *packed(const char *name, const char *text, size_t n)
{
    kith__writer *w = NULL;
    kith_error err;

    CHECK_OK(kith__writer_open(check_path(name), &w, &err));
    kith__writer_bytes(w, text, n);
    CHECK_OK(kith__writer_commit(w, &err));
    return check_path(name);
}

/* About 3 MB of lines "line I of many": several blocks. */
static char *many_lines(size_t *n)
{
    char *text = malloc(4 << 20);
    size_t at = 0;

    for (int i = 0; i < 200000; i++)
        at += (size_t)snprintf(text + at, 64, "line %d of many\n", i);
    *n = at;
    return text;
}

static void check_lines(const char *path)
{
    kith__reader r;
    kith_error err;
    char want[64];
    bool more;
    int i = 0;

    CHECK_OK(kith__reader_open(path, &r, &err));
    for (;; i++) {
        CHECK_OK(kith__reader_next(&r, &more, &err));
        if (!more)
            break;
        snprintf(want, sizeof(want), "line %d of many", i);
        if (strcmp(r.text, want) != 0)
            break;
        CHECK_INT(r.line, i + 1);
    }
    CHECK_INT(i, 200000);
    kith__reader_close(&r);
}

TEST(lines_come_out_the_same_plain_gzip_and_zstd)
{
    check_needs("gzip zstd");
    size_t n;
    char *text = many_lines(&n);

    check_lines(packed("l.txt", text, n));
    check_lines(packed("l.txt.gz", text, n));
    check_lines(packed("l.txt.zst", text, n));
    check_lines(packed("l2.txt", text, n - 1)); /* no newline at the end */
    check_lines(packed("l2.txt.gz", text, n - 1));
    free(text);
}

TEST(gzip_members_and_zstd_frames_may_follow_each_other)
{
    check_needs("gzip zstd");
    static const char *const names[] = {"m.gz", "m.zst"};

    for (int i = 0; i < 2; i++) {
        size_t n;
        char *one = check_read(packed(names[i], "a\n", 2), &n), two[200];
        kith__reader r;
        kith_error err;
        bool more;

        memcpy(two, one, n);
        memcpy(two + n, one, n);
        check_file_bytes(names[i], two, 2 * n);
        CHECK_OK(kith__reader_open(check_path(names[i]), &r, &err));
        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK(more);
        CHECK_INT(r.line, 2);
        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK(!more);
        kith__reader_close(&r);
        free(one);
    }
}

static kith_status read_all(const char *path, kith_error *err)
{
    kith__reader r;
    bool more = true;
    kith_status st = kith__reader_open(path, &r, err);

    while (st == KITH_OK && more)
        st = kith__reader_next(&r, &more, err);
    kith__reader_close(&r);
    return st;
}

TEST(files_cut_off_anywhere_are_refused)
{
    check_needs("gzip zstd");
    static const char *const names[] = {"cut.gz", "cut.zst"};

    for (int i = 0; i < 2; i++) {
        size_t n;
        const char *path = packed(names[i], "hello\nworld\n", 12);
        char *bytes = check_read(path, &n);

        for (size_t keep = 4; keep < n; keep++) {
            kith_error err = {0};

            check_file_bytes(names[i], bytes, keep);
            CHECK(read_all(path, &err) == KITH_ERR_PARSE);
            CHECK(strstr(err.text, "broken") != NULL);
        }
        free(bytes);
    }
}

TEST(broken_gzip_is_refused)
{
    check_needs("gzip zstd");
    size_t n;
    char *bytes = check_read(packed("b.gz", "hello\nworld\n", 12), &n);
    kith_error err = {0};

    bytes[n - 6] ^= 1; /* its CRC */
    check_file_bytes("b.gz", bytes, n);
    CHECK(read_all(check_path("b.gz"), &err) == KITH_ERR_PARSE);
    free(bytes);
}

TEST(a_line_may_span_blocks)
{
    check_needs("gzip zstd");
    const size_t n = 3 << 20;
    char *text = malloc(n + 20);
    kith__reader r;
    kith_error err;
    bool more;

    memset(text, 'x', n);
    memcpy(text + n, "\nlast\n", 7);
    for (int i = 0; i < 2; i++) {
        const char *path = packed(i ? "w.gz" : "w.txt", text, n + 6);

        CHECK_OK(kith__reader_open(path, &r, &err));
        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK_INT(r.length, n);
        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK_TEXT(r.text, "last");
        CHECK_INT(r.line, 2);
        kith__reader_close(&r);
    }
    free(text);
}

TEST(floats_are_written_so_that_they_read_back)
{
    static const float values[] = {0.1f,          1,           1e-30f,
                                   3.4028235e38f, 0.33333334f, 123456.79f};
    kith__writer *w = NULL;
    kith__reader r;
    kith_error err;
    bool more;

    CHECK_OK(kith__writer_open(check_path("f.txt"), &w, &err));
    for (int i = 0; i < 6; i++) {
        kith__writer_float(w, values[i]);
        kith__writer_text(w, "\n");
    }
    CHECK_OK(kith__writer_commit(w, &err));
    CHECK_OK(kith__reader_open(check_path("f.txt"), &r, &err));
    for (int i = 0; i < 6; i++) {
        double x;

        CHECK_OK(kith__reader_next(&r, &more, &err));
        CHECK(kith__parse_real(r.text, (size_t)r.length, &x));
        CHECK((float)x == values[i]);
    }
    kith__reader_close(&r);
}

TEST(an_aborted_file_does_not_appear_and_keeps_the_old_one)
{
    const char *path = check_file("old.txt", "old");
    kith__writer *w = NULL;
    kith_error err;
    char *now;
    size_t n;

    CHECK_OK(kith__writer_open(path, &w, &err));
    kith__writer_text(w, "new");
    kith__writer_abort(w);
    now = check_read(path, &n);
    CHECK_TEXT(now, "old");
    free(now);
    CHECK_OK(kith__writer_open(path, &w, &err));
    kith__writer_text(w, "new");
    CHECK_OK(kith__writer_commit(w, &err));
    now = check_read(path, &n);
    CHECK_TEXT(now, "new");
    free(now);
}

TEST(a_full_disk_is_reported)
{
    kith__writer *w = NULL;
    kith_error err = {0};

    if (access("/dev/full", W_OK) != 0)
        check_skip("no /dev/full");
    CHECK_OK(kith__writer_open("/dev/full", &w, &err));
    kith__writer_text(w, "x");
    CHECK(kith__writer_commit(w, &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "cannot write") != NULL);
}

TEST(missing_files_and_folders_are_named)
{
    kith_error err = {0};

    CHECK(read_all(check_path("nowhere"), &err) == KITH_ERR_IO);
    CHECK(strstr(err.path, "nowhere") != NULL);
    CHECK(read_all(check_folder(), &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "is a folder") != NULL);
}
