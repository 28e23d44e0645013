/* What everything stands on: sizes, threads, maps, paths, messages. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "check.h"
#include "core/alloc.h"
#include "core/job.h"
#include "core/map.h"
#include "core/out_file.h"
#include "core/rng.h"
#include "graph/graph_object.h"

/* ---- memory -------------------------------------------------------------- */

TEST(sizes_that_are_none_are_refused)
{
    void *none;

    CHECK(kith__alloc(-1, 1) == NULL);
    CHECK(kith__alloc_zeroed(-1, 8) == NULL);
    CHECK(kith__alloc_big(-1, 8) == NULL);
    CHECK(kith__alloc(INT64_MAX, 2) == NULL); /* over PTRDIFF_MAX */
    CHECK(kith__alloc(INT64_MAX, 8) == NULL); /* over 2^64 */
    CHECK(kith__resize(NULL, INT64_MAX, 16) == NULL);
    none = kith__alloc(0, 8);
    CHECK(none != NULL);
    kith__free(none);
}

static bool all_zero(const unsigned char *bytes, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

static void *dirty_alloc(size_t n)
{
    void *block = malloc(n);

    return block ? memset(block, 0xa5, n) : NULL;
}

TEST(zeroed_memory_is_zero_from_any_allocator)
{
    unsigned char *own, *given;

    own = kith__alloc_zeroed(1000, 3);
    kith_set_allocator(dirty_alloc, realloc, free);
    given = kith__alloc_zeroed(1000, 3);
    kith_set_allocator(NULL, NULL, NULL);
    CHECK(own && all_zero(own, 3000));
    CHECK(given && all_zero(given, 3000));
    kith__free(own);
    kith__free(given);
}

/* Huge pages begin at a multiple of 2 MiB; half of one is worth one. */
TEST(big_arrays_lie_on_huge_pages_and_small_ones_need_not)
{
    const int64_t huge = 2 << 20;
    char *big = kith__alloc_big(huge / 2, 1), *more = kith__alloc_big(huge, 3);
    char *given, *small = kith__alloc_big(100, 1);

    CHECK(big && (uintptr_t)big % (uintptr_t)huge == 0);
    CHECK(more && (uintptr_t)more % (uintptr_t)huge == 0);
    if (more)
        memset(more, 1, 3 * (size_t)huge);
    CHECK(small != NULL);
    kith_set_allocator(dirty_alloc, realloc, free);
    given = kith__alloc_big(huge, 1);
    kith_set_allocator(NULL, NULL, NULL);
    CHECK(given && given[huge - 1] == (char)0xa5);
    kith__free(big);
    kith__free(more);
    kith__free(small);
    kith__free(given);
}

TEST(a_growing_array_doubles_and_keeps_what_it_holds)
{
    int32_t *array = NULL;
    int64_t room = 0;

    CHECK(kith__grow((void **)&array, &room, 1, sizeof(*array)));
    CHECK_INT(room, 16);
    for (int i = 0; i < 16; i++)
        array[i] = i;
    CHECK(kith__grow((void **)&array, &room, 16, sizeof(*array)));
    CHECK_INT(room, 16);
    CHECK(kith__grow((void **)&array, &room, 17, sizeof(*array)));
    CHECK_INT(room, 32);
    CHECK(kith__grow((void **)&array, &room, 100, sizeof(*array)));
    CHECK_INT(room, 128);
    for (int i = 0; i < 16; i++)
        CHECK_INT(array[i], i);
    CHECK(!kith__grow((void **)&array, &room, INT64_MAX, sizeof(*array)));
    CHECK_INT(room, 128);
    CHECK_INT(array[15], 15);
    kith__free(array);
}

TEST(strings_are_joined_and_copied)
{
    char *joined = kith__join("ab", "", "cde"), *copy;

    copy = kith__copy_string("hello", 3);
    CHECK_TEXT(joined, "abcde");
    CHECK_TEXT(copy, "hel");
    kith__free(joined);
    kith__free(copy);
}

TEST(sums_and_products_that_do_not_fit_are_told)
{
    int64_t out = 0;

    CHECK(kith__add(INT64_MAX - 1, 1, &out) && out == INT64_MAX);
    CHECK(!kith__add(INT64_MAX, 1, &out));
    CHECK(kith__multiply((int64_t)1 << 31, (int64_t)1 << 31, &out));
    CHECK(out == (int64_t)1 << 62);
    CHECK(!kith__multiply((int64_t)1 << 32, (int64_t)1 << 31, &out));
}

/* ---- threads and progress ------------------------------------------------ */

TEST(threads_are_what_the_job_says_within_reason)
{
    kith_job job = {0};

    CHECK_INT(kith__thread_number(), 0);
    CHECK(kith__threads(NULL) >= 1);
    CHECK_INT(kith__threads(&job), kith__threads(NULL));
    job.threads = -3;
    CHECK_INT(kith__threads(&job), kith__threads(NULL));
    check_needs("openmp");
    job.threads = 1;
    CHECK_INT(kith__threads(&job), 1);
    job.threads = 3;
    CHECK_INT(kith__threads(&job), 3);
}

static int stop_at_seven(void *user, const kith_progress *step)
{
    kith_progress *seen = user;

    *seen = *step;
    return step->done == 7;
}

TEST(progress_is_told_and_can_cancel)
{
    kith_progress seen = {0};
    kith_job job = {.progress = stop_at_seven, .user = &seen};
    kith_error err = {0};

    CHECK_INT(kith__progress(NULL, "reading", 1, 2, "bytes", &err), KITH_OK);
    CHECK_INT(kith__progress(&job, "reading", 6, 10, "bytes", &err), KITH_OK);
    CHECK_TEXT(seen.stage, "reading");
    CHECK_TEXT(seen.unit, "bytes");
    CHECK_INT(seen.done, 6);
    CHECK_INT(seen.total, 10);
    CHECK_INT(kith__progress(&job, "reading", 7, 10, "bytes", &err),
              KITH_ERR_CANCELLED);
    CHECK_INT(err.status, KITH_ERR_CANCELLED);
    CHECK_TEXT(err.text, "interrupted");
    job.progress = NULL;
    CHECK_INT(kith__progress(&job, "reading", 7, 10, "bytes", &err), KITH_OK);
}

/* ---- mapped files -------------------------------------------------------- */

TEST(a_map_is_the_file_until_its_last_user_lets_go)
{
    char *text = malloc(50001);
    kith__map *map, *again;
    kith_error err;

    for (int i = 0; i < 50000; i++)
        text[i] = (char)('a' + i % 26);
    text[50000] = '\0';
    CHECK_OK(kith__map_open(check_file("mapped", text), &map, &err));
    CHECK_INT(map->size, 50000);
    CHECK_TEXT(map->path, check_path("mapped"));
    again = kith__map_share(map);
    CHECK(again == map);
    CHECK_INT(map->users, 2);
    kith__map_release(map);
    CHECK_INT(again->users, 1);
    /* hints: the bytes are there before and after */
    kith__map_ahead(again->bytes + 1, 40000);
    kith__map_ahead(again->bytes + 1, 10); /* no whole page */
    kith__map_behind(again, again->bytes + 4095, 40000);
    kith__map_behind(again, again->bytes, 0);
    CHECK(memcmp(again->bytes, text, 50000) == 0);
    kith__map_release(again);
    kith__map_release(NULL);
    CHECK(kith__map_share(NULL) == NULL);
    free(text);
}

TEST(what_cannot_be_mapped_is_refused_and_an_empty_file_is_empty)
{
    kith__map *map;
    kith_error err;

    CHECK_INT(kith__map_open(check_path("absent"), &map, &err), KITH_ERR_IO);
    CHECK(map == NULL);
    CHECK_TEXT(err.text, "cannot open: No such file or directory");
    CHECK_TEXT(err.path, check_path("absent"));
    CHECK_INT(kith__map_open(check_folder(), &map, &err), KITH_ERR_IO);
    CHECK(map == NULL);
    CHECK_INT(kith__map_fd(-1, "nothing", &map, &err), KITH_ERR_IO);
    CHECK_TEXT(err.path, "nothing");
    CHECK_OK(kith__map_open(check_file("empty", ""), &map, &err));
    CHECK_INT(map->size, 0);
    CHECK(map->bytes == NULL);
    kith__map_release(map);
    CHECK_OOM(st = kith__map_open(check_path("empty"), &map, &err),
              kith__map_release(map));
}

/* ---- paths --------------------------------------------------------------- */

TEST(descriptors_are_recognised_by_their_names)
{
    char own[64], other[64];

    snprintf(own, sizeof(own), "/proc/%ld/fd/5", (long)getpid());
    snprintf(other, sizeof(other), "/proc/%ld/fd/5", (long)getpid() + 1);
    CHECK_INT(kith_path_descriptor("/dev/stdin"), 0);
    CHECK_INT(kith_path_descriptor("/dev/stdout"), 1);
    CHECK_INT(kith_path_descriptor("/dev/stderr"), 2);
    CHECK_INT(kith_path_descriptor("/dev/fd/0"), 0);
    CHECK_INT(kith_path_descriptor("/dev/fd/63"), 63);
    CHECK_INT(kith_path_descriptor("/proc/self/fd/12"), 12);
    CHECK_INT(kith_path_descriptor("/proc/thread-self/fd/3"), 3);
    CHECK_INT(kith_path_descriptor("/dev/fd/123456789"), 123456789);
    CHECK_INT(kith_path_descriptor("/dev/fd/1234567890"), -1);
    CHECK_INT(kith_path_descriptor("/dev/fd/"), -1);
    CHECK_INT(kith_path_descriptor("/dev/fd/1x"), -1);
    CHECK_INT(kith_path_descriptor("/dev/fd"), -1);
    CHECK_INT(kith_path_descriptor("/dev/stdin2"), -1);
    CHECK_INT(kith_path_descriptor("1"), -1);
    CHECK_INT(kith_path_descriptor(own), 5);
    CHECK_INT(kith_path_descriptor(other), -1);
}

TEST(streams_are_what_has_no_place_for_files_beside_it)
{
    CHECK(kith_path_is_stream("-"));
    CHECK(kith_path_is_stream("/dev/fd/1"));
    CHECK(kith_path_is_stream("/dev/null"));
    CHECK(mkfifo(check_path("fifo"), 0600) == 0);
    CHECK(kith_path_is_stream(check_path("fifo")));
    CHECK(!kith_path_is_stream(check_file("regular", "x")));
    CHECK(!kith_path_is_stream(check_folder()));
    CHECK(!kith_path_is_stream(check_path("absent")));
}

TEST(the_folder_of_a_path)
{
    static const char *const paths[][2] = {
        {"name", "."},    {"/name", "/"}, {"a/b", "a"},
        {"a/b/c", "a/b"}, {"/a/b", "/a"},
    };

    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        char *folder = kith__folder_of(paths[i][0]);

        CHECK_TEXT(folder, paths[i][1]);
        kith__free(folder);
    }
}

/* ---- messages ------------------------------------------------------------ */

TEST(messages_name_the_place_as_far_as_it_is_known)
{
    kith_error err = {0};
    char out[64];

    CHECK_INT(kith__fail(NULL, KITH_ERR_RANGE, NULL, 0, "x"), KITH_ERR_RANGE);
    CHECK_INT(kith__fail(&err, KITH_ERR_PARSE, "f", 7, "found %d", 3),
              KITH_ERR_PARSE);
    CHECK_TEXT(kith_error_format(&err, out, sizeof(out)), "f:7: found 3");
    kith__fail(&err, KITH_ERR_PARSE, "f", 0, "found");
    CHECK_TEXT(kith_error_format(&err, out, sizeof(out)), "f: found");
    kith__fail(&err, KITH_ERR_PARSE, NULL, 9, "found");
    CHECK_TEXT(kith_error_format(&err, out, sizeof(out)), "found");
    CHECK_TEXT(kith_error_format(&err, out, 4), "fou");
    CHECK_INT(kith__no_memory(&err), KITH_ERR_NOMEM);
    CHECK_TEXT(err.text, "out of memory");
}

TEST(the_systems_reason_is_told_and_no_memory_is_no_memory)
{
    kith_error err = {0};

    errno = ENOSPC;
    CHECK_INT(kith__fail_errno(&err, "f", "write"), KITH_ERR_IO);
    CHECK_TEXT(err.text, "cannot write: No space left on device");
    errno = ENOMEM;
    CHECK_INT(kith__fail_errno(&err, "f", "map"), KITH_ERR_NOMEM);
}

TEST(quotes_are_short_and_without_control_characters)
{
    char out[KITH_QUOTE_BUFFER], sixty[62], want[80];

    memset(sixty, 'x', sizeof(sixty));
    sixty[61] = '\0';
    CHECK_TEXT(kith__quote(out, "a\tb\x1b[1m\x7f~ ", 10), "a?b?[1m?~ ");
    CHECK_TEXT(kith__quote(out, "abc", 2), "ab");
    CHECK_TEXT(kith__quote(out, "", 0), "");
    snprintf(want, sizeof(want), "%.60s", sixty);
    CHECK_TEXT(kith__quote(out, sixty, 60), want);
    snprintf(want, sizeof(want), "%.60s...", sixty);
    CHECK_TEXT(kith__quote(out, sixty, 61), want);
}

TEST(the_first_of_several_failures_is_kept)
{
    const kith_error first = {KITH_ERR_PARSE, 3, "", "first"};
    const kith_error second = {KITH_ERR_IO, 4, "", "second"};
    kith_status st = KITH_OK;
    kith_error err = {0};

    kith__note_failure(KITH_OK, &second, &st, &err);
    CHECK_INT(st, KITH_OK);
    CHECK_TEXT(err.text, "");
    kith__note_failure(KITH_ERR_PARSE, &first, &st, &err);
    kith__note_failure(KITH_ERR_IO, &second, &st, &err);
    CHECK_INT(st, KITH_ERR_PARSE);
    CHECK_TEXT(err.text, "first");
    st = KITH_OK;
    kith__note_failure(KITH_ERR_IO, &second, &st, NULL);
    CHECK_INT(st, KITH_ERR_IO);
}

/* ---- bytes of files ------------------------------------------------------ */

TEST(reading_past_the_end_fails_and_within_it_gives_the_bytes)
{
    int fd;
    char got[8] = "";
    kith_error err;

    CHECK_OK(kith__scratch_open(check_folder(), &fd, &err));
    CHECK(kith__write_at(fd, "abcdef", 6, 0));
    CHECK(kith__write_at(fd, "XY", 2, 2));
    CHECK(kith__read_at(fd, got, 5, 1));
    CHECK_TEXT(got, "bXYef");
    errno = 0;
    CHECK(!kith__read_at(fd, got, 6, 1));
    CHECK_INT(errno, EIO);
    close(fd);
    CHECK(!kith__write_at(fd, "z", 1, 0));
    CHECK(!kith__read_at(fd, got, 1, 0));
    CHECK_INT(kith__scratch_open(check_path("absent"), &fd, &err), KITH_ERR_IO);
}

/* Where the file system has unnamed files; a name would be seen in the link. */
TEST(a_scratch_file_never_had_a_name)
{
    char self[48], shown[256] = "";
    const int probe = open(check_folder(), O_RDWR | O_TMPFILE, 0600);
    kith_error err;
    int fd = -1;

    if (probe < 0)
        check_skip("no unnamed files here");
    close(probe);
    CHECK_OK(kith__scratch_open(check_folder(), &fd, &err));
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    CHECK(readlink(self, shown, sizeof(shown) - 1) > 0);
    CHECK(strstr(shown, "kith-spill") == NULL);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

/* ---- random numbers ------------------------------------------------------ */

/* The definition, with every step written out. */
static uint64_t literal_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x;
}

TEST(a_stream_starts_at_a_hash_of_seed_and_stream)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        for (uint64_t stream = 0; stream < 4; stream++) {
            const kith__rng r = kith__rng_start(seed, stream);
            const uint64_t a = literal_mix(seed + 0x9e3779b97f4a7c15u);
            const uint64_t b = literal_mix(stream * 0xd1342543de82ef95u + 1);

            CHECK(r.state == (a ^ b));
        }
    }
}

/* The top 53 bits of the word as a fraction; word times bound over 2^64. */
TEST(reals_and_bounded_numbers_are_scaled_words)
{
    kith__rng a = {0}, b = {0}, c = {0};

    for (int i = 0; i < 100; i++) {
        const uint64_t word = kith__rng_next(&a);

        CHECK(kith__rng_real(&b) == ldexp((double)(word >> 11), -53));
        CHECK_INT(kith__rng_below(&c, 256), word >> 56);
    }
}

/* ---- fingerprints -------------------------------------------------------- */

TEST(a_fingerprint_is_of_all_that_a_graph_is)
{
    const kith_graph g = {.n = 1, .entries = 2, .ids = {.kind = 1, .base = 4}};
    const uint64_t parts[] = {5, 6, 7, 8, 9, 10};
    const uint64_t all[] = {1, 2, 1, 4, 5, 6, 7, 8, 9, 10};

    CHECK(kith__graph_fingerprint(&g, parts) == XXH3_64bits(all, sizeof(all)));
}
