#include "check.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>

check_test *check_first;
int check_failures;

static check_test **last = &check_first;
static jmp_buf skip_to;
static const char *skip_why;

void check_register(check_test *test)
{
    *last = test;
    last = &test->next;
}

void check_failed(const char *file, int line, const char *format, ...)
{
    va_list args;

    check_failures++;
    printf("# %s:%d: ", file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void check_skip(const char *why)
{
    skip_why = why;
    longjmp(skip_to, 1);
}

void check_needs(const char *parts)
{
    static char why[64];
    char word[16];

    while (sscanf(parts, "%15s", word) == 1) {
        if (!strstr(kith_features_built(), word)) {
            snprintf(why, sizeof(why), "built without %s", word);
            check_skip(why);
        }
        parts = strstr(parts, word) + strlen(word);
    }
}

/* ---- allocation failures ------------------------------------------------- */

static atomic_long in_use, calls, fail_at;
static atomic_bool failed;

static bool fails_now(void)
{
    const bool now = atomic_fetch_add(&calls, 1) + 1 == fail_at;

    if (now)
        failed = true;
    return now;
}

static void *counting_alloc(size_t n)
{
    void *block = fails_now() ? NULL : malloc(n);

    in_use += block != NULL;
    return block;
}

static void *counting_resize(void *old, size_t n)
{
    void *block = fails_now() ? NULL : realloc(old, n);

    in_use += block && !old;
    return block;
}

static void counting_release(void *block)
{
    in_use--;
    free(block);
}

long check_oom_begin(long n)
{
    kith_set_allocator(counting_alloc, counting_resize, counting_release);
    calls = 0;
    failed = false;
    fail_at = n;
    return in_use;
}

bool check_oom_failed(void)
{
    fail_at = 0;
    return failed;
}

long check_oom_end(void)
{
    kith_set_allocator(NULL, NULL, NULL);
    return in_use;
}

/* ---- files --------------------------------------------------------------- */

static char folder[512];

static int remove_entry(const char *path, const struct stat *st, int type,
                        struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *check_folder(void)
{
    if (!folder[0]) {
        const char *tmp = getenv("TMPDIR");

        snprintf(folder, sizeof(folder), "%s/kith-test-XXXXXX",
                 tmp && *tmp ? tmp : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
    }
    return folder;
}

static char *kept[4096]; /* paths given out, freed at exit */
static int n_kept;

static void free_kept(void)
{
    while (n_kept > 0)
        free(kept[--n_kept]);
}

/* A path that lives as long as the program. */
static const char *keep(const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 2;
    char *path = malloc(size);

    if (!path || n_kept == 4096)
        abort();
    if (n_kept == 0)
        atexit(free_kept);
    snprintf(path, size, "%s/%s", a, b);
    kept[n_kept++] = path;
    return path;
}

const char *check_path(const char *name)
{
    return keep(check_folder(), name);
}

void check_file_bytes(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(check_path(name), "wb");

    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
}

const char *check_file(const char *name, const char *text)
{
    check_file_bytes(name, text, strlen(text));
    return check_path(name);
}

char *check_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    long size;

    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0) {
        rewind(f);
        bytes = malloc((size_t)size + 1);
        if (bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size) {
            bytes[size] = '\0';
            *n = (size_t)size;
        }
    }
    fclose(f);
    return bytes;
}

const char *check_data(const char *name)
{
    return keep(KITH_TESTS, name);
}

const char *check_shared(const char *name)
{
    static char why[512];
    const char *path = keep(KITH_SHARED, name);

    if (access(path, R_OK) != 0) {
        snprintf(why, sizeof(why), "no data set %s", name);
        check_skip(why);
    }
    return path;
}

/* ---- running ------------------------------------------------------------- */

/* Run one test and say how it went; true if it failed. */
static bool run_test(const check_test *t)
{
    check_failures = 0;
    skip_why = NULL;
    if (setjmp(skip_to) == 0)
        t->run();
    if (skip_why)
        printf("ok %s # SKIP %s\n", t->name, skip_why);
    else
        printf("%s %s\n", check_failures ? "not ok" : "ok", t->name);
    return check_failures > 0;
}

int main(int argc, char **argv)
{
    int bad = 0, n = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const check_test *t = check_first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]))
            continue;
        n++;
        bad += run_test(t);
    }
    printf("1..%d\n", n);
    return bad > 0;
}
