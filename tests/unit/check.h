/*
 * check.h: the tests' own harness.
 *
 *     TEST(a_fact_in_words)
 *     {
 *         CHECK(1 + 1 == 2);
 *         CHECK_NEAR(0.1 + 0.2, 0.3, 1e-12);
 *     }
 *
 * Tests register themselves; one executable per file runs all of its own, or
 * those whose names contain the word given.  Output is TAP: "ok NAME",
 * "not ok NAME", "ok NAME # SKIP why"; exit 1 if one failed.
 */
#ifndef KITH_CHECK_H
#define KITH_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kith/kith.h"

typedef struct check_test {
    const char *name;
    void (*run)(void);
    struct check_test *next;
} check_test;

extern check_test *check_first;
extern int check_failures; /* of the test that runs */

void check_register(check_test *test);
void check_failed(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* End the test that runs, counted as skipped. */
void check_skip(const char *why);
/* The same, unless the library was built with these parts ("gzip zstd"). */
void check_needs(const char *parts);

#define TEST(NAME)                                                 \
    static void test_##NAME(void);                                 \
    static check_test entry_##NAME = {#NAME, test_##NAME, NULL};   \
    __attribute__((constructor)) static void register_##NAME(void) \
    {                                                              \
        check_register(&entry_##NAME);                             \
    }                                                              \
    static void test_##NAME(void)

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition))                                       \
            check_failed(__FILE__, __LINE__, "%s", #condition); \
    } while (0)

#define CHECK_INT(actual, expected)                                           \
    do {                                                                      \
        const long long a_ = (long long)(actual), e_ = (long long)(expected); \
        if (a_ != e_)                                                         \
            check_failed(__FILE__, __LINE__, "%s is %lld, expected %lld",     \
                         #actual, a_, e_);                                    \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                           \
    do {                                                                  \
        const double a_ = (actual), e_ = (expected);                      \
        if (!(fabs(a_ - e_) <= (tolerance)))                              \
            check_failed(__FILE__, __LINE__, "%s is %.9g, expected %.9g", \
                         #actual, a_, e_);                                \
    } while (0)

#define CHECK_TEXT(actual, expected)                                      \
    do {                                                                  \
        const char *a_ = (actual), *e_ = (expected);                      \
        if (strcmp(a_, e_) != 0)                                          \
            check_failed(__FILE__, __LINE__, "%s is '%s', expected '%s'", \
                         #actual, a_, e_);                                \
    } while (0)

/* The call succeeds; if not, say why.  Uses the variable `err`. */
#define CHECK_OK(call)                                                   \
    do {                                                                 \
        err = (kith_error){0};                                           \
        if ((call) != KITH_OK) {                                         \
            char text_[2048];                                            \
            check_failed(__FILE__, __LINE__, "%s: %s", #call,            \
                         kith_error_format(&err, text_, sizeof(text_))); \
        }                                                                \
    } while (0)

/*
 * Run a statement with the 1st, then the 2nd, ... allocation failing, until it
 * is through without a failure.  The statement must assign a kith_status to
 * `st` and leave nothing allocated when that is not KITH_OK; when it is,
 * `cleanup` runs.  Checks that failures are reported as KITH_ERR_NOMEM and that
 * no block is leaked.
 */
#define CHECK_OOM(statement, cleanup)                                          \
    do {                                                                       \
        for (long n_ = 1; n_ < 100000; n_++) {                                 \
            kith_status st = KITH_OK;                                          \
            const long before_ = check_oom_begin(n_);                          \
            bool failed_;                                                      \
            statement;                                                         \
            failed_ = check_oom_failed();                                      \
            if (st == KITH_OK) {                                               \
                cleanup;                                                       \
            }                                                                  \
            if (check_oom_end() != before_)                                    \
                check_failed(__FILE__, __LINE__,                               \
                             "a block leaked when allocation %ld failed", n_); \
            if (failed_ && st != KITH_ERR_NOMEM)                               \
                check_failed(__FILE__, __LINE__,                               \
                             "allocation %ld failed, status is %d", n_,        \
                             (int)st);                                         \
            if (!failed_) {                                                    \
                CHECK(st == KITH_OK);                                          \
                CHECK(n_ > 1);                                                 \
                break;                                                         \
            }                                                                  \
        }                                                                      \
    } while (0)

long check_oom_begin(long fail_at); /* returns the blocks in use */
bool check_oom_failed(void);
long check_oom_end(void); /* returns the blocks in use */

/* A fresh folder for this test program, removed at exit; and NAME in it. */
const char *check_folder(void);
const char *check_path(const char *name); /* kept until exit */
const char *check_file(const char *name, const char *text); /* written */
void check_file_bytes(const char *name, const void *bytes, size_t n);
/* The bytes of a file, NUL added, to be freed; NULL if it cannot be read. */
char *check_read(const char *path, size_t *n);

/* A folder of the repository's tests/, e.g. check_data("golden/x.tsv"). */
const char *check_data(const char *name);
/* ../shared/data/NAME beside the project; skips the test if it is absent. */
const char *check_shared(const char *name);

#endif
