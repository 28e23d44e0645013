/* Text and bytes out: what arrives, by zlib and zstd themselves. */
#ifdef KITH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef KITH_HAVE_ZSTD
#include <zstd.h>
#endif

#include "check.h"
#include "core/rng.h"
#include "io/writer.h"

/* Bytes that do not pack, so that packed output fills buffers too. */
static char *noise(size_t n)
{
    char *bytes = malloc(n + 1);
    kith__rng r = kith__rng_start(n, 0);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)kith__rng_below(&r, 256);
    return bytes;
}

static void write_noise(const char *path, const char *bytes, size_t n,
                        size_t piece)
{
    kith__writer *w = NULL;
    kith_error err;

    CHECK_OK(kith__writer_open(path, &w, &err));
    for (size_t at = 0; at < n; at += piece)
        kith__writer_bytes(w, bytes + at, n - at < piece ? n - at : piece);
    CHECK_OK(kith__writer_commit(w, &err));
}

/* The writer's buffer holds 2^18 bytes. */
static const size_t sizes[] = {0, 1, 262143, 262144, 262145, 524288, 700001};
enum { SIZES = 7 };

TEST(plain_bytes_arrive_whatever_the_pieces)
{
    for (int i = 0; i < SIZES; i++) {
        char *bytes = noise(sizes[i]);

        for (size_t piece = 60000; piece < 800000; piece += 370000) {
            size_t n = 0;
            char *got;

            write_noise(check_path("plain"), bytes, sizes[i], piece);
            got = check_read(check_path("plain"), &n);
            CHECK(n == sizes[i] && memcmp(got, bytes, n) == 0);
            free(got);
        }
        free(bytes);
    }
}

TEST(zlib_unpacks_what_was_packed)
{
#ifdef KITH_HAVE_ZLIB
    for (int i = 0; i < SIZES; i++) {
        char *bytes = noise(sizes[i]), *got = malloc(sizes[i] + 10);
        gzFile in;

        write_noise(check_path("x.gz"), bytes, sizes[i], 100000);
        in = gzopen(check_path("x.gz"), "rb");
        CHECK_INT(gzread(in, got, (unsigned)sizes[i] + 10), sizes[i]);
        CHECK(memcmp(got, bytes, sizes[i]) == 0);
        CHECK_INT(gzclose(in), Z_OK);
        free(bytes);
        free(got);
    }
#else
    check_skip("built without zlib");
#endif
}

TEST(zstd_unpacks_what_was_packed)
{
#ifdef KITH_HAVE_ZSTD
    for (int i = 0; i < SIZES; i++) {
        char *bytes = noise(sizes[i]), *got = malloc(sizes[i] + 10), *packed;
        size_t n = 0;

        write_noise(check_path("x.zst"), bytes, sizes[i], 100000);
        packed = check_read(check_path("x.zst"), &n);
        CHECK_INT(ZSTD_decompress(got, sizes[i] + 10, packed, n), sizes[i]);
        CHECK(memcmp(got, bytes, sizes[i]) == 0);
        free(bytes);
        free(got);
        free(packed);
    }
#else
    check_skip("built without zstd");
#endif
}

TEST(text_numbers_and_long_lines)
{
    static const float floats[] = {0,        1,        -2.5f, .1f,
                                   1.0f / 3, 16777216, 1e-45f};
    char text[700], want[1300];
    kith__writer *w = NULL;
    kith_error err;
    size_t n = 0;
    char *got;

    memset(text, 'x', sizeof(text));
    text[600] = '\0';
    CHECK_OK(kith__writer_open(check_path("t"), &w, &err));
    kith__writer_text(w, "a\t");
    kith__writer_print(w, "%d %s\n", 7, "b");
    for (int i = 0; i < 7; i++) {
        kith__writer_float(w, floats[i]);
        kith__writer_text(w, " ");
    }
    kith__writer_print(w, "%s", text); /* cut at 511 */
    kith__writer_print(w, "%.511s", text);
    CHECK_TEXT(kith__writer_path(w), check_path("t"));
    CHECK_OK(kith__writer_finish(w, &err));
    CHECK_OK(kith__writer_commit(w, &err));
    snprintf(want, sizeof(want),
             "a\t7 b\n0 1 -2.5 0.1 0.33333334 16777216 1.4013e-45 %.511s%.511s",
             text, text);
    got = check_read(check_path("t"), &n);
    CHECK_TEXT(got, want);
    free(got);
}
