/*
 * format_checks.h: what the tests of the formats share.
 */
#ifndef KITH_FORMAT_CHECKS_H
#define KITH_FORMAT_CHECKS_H

#include "check.h"
#include "io/formats.h"
#include "io/gather.h"

typedef kith_status (*graph_reader)(kith__source *, const kith__known *,
                                    const kith_build_options *,
                                    kith__gathered *, kith_error *);
typedef kith_status (*features_reader)(kith__source *, kith_features **,
                                       kith_error *);

/* Read and build a graph as kith_graph_read() does. */
static inline kith_status read_graph(graph_reader read, const char *path,
                                     kith_choice weights, kith_graph **out,
                                     kith_cleaning *cleaning, kith_error *err)
{
    const kith_build_options options = {.job.threads = 1, .weights = weights};
    const kith__known known = {0};
    kith__gathered all = {0};
    kith__csr csr = {0};
    kith__source *source = NULL;
    kith_status st = kith__source_open(path, NULL, NULL, &source, err);

    *out = NULL;
    if (st == KITH_OK)
        st = read(source, &known, &options, &all, err);
    if (st == KITH_OK)
        st = kith__builder_finish(all.builder, all.ids.n, NULL, NULL, &csr,
                                  &all.ids, &all.cleaning, err);
    if (cleaning)
        *cleaning = all.cleaning;
    if (st == KITH_OK)
        st = kith__graph_new(&csr, &all.ids, out, err);
    kith__gathered_release(&all);
    kith__source_close(source);
    return st;
}

/* Read features by one reader, whatever the file begins with. */
static inline kith_status features_by(features_reader read, const char *path,
                                      kith_features **out, kith_error *err)
{
    kith__source *source = NULL;
    kith_status st = kith__source_open(path, NULL, NULL, &source, err);

    *out = NULL;
    if (st == KITH_OK)
        st = read(source, out, err);
    kith__source_close(source);
    return st;
}

#define CHECK_REFUSED(call, expected, at_line, fragment)                    \
    do {                                                                    \
        err = (kith_error){0};                                              \
        CHECK_INT(call, expected);                                          \
        CHECK_INT(err.line, at_line);                                       \
        if (!strstr(err.text, fragment))                                    \
            check_failed(__FILE__, __LINE__, "text is '%s', expected '%s'", \
                         err.text, fragment);                               \
    } while (0)

/* Row u of a graph is these neighbours. */
#define CHECK_ROW(g, u, ...)                                          \
    do {                                                              \
        const int32_t row_[] = {__VA_ARGS__};                         \
        const int64_t at_ = kith_graph_rows(g)[u];                    \
        const int64_t n_ = (int64_t)(sizeof(row_) / sizeof(row_[0])); \
        CHECK_INT(kith_graph_rows(g)[(u) + 1] - at_, n_);             \
        for (int64_t i_ = 0;                                          \
             i_ < n_ && i_ < kith_graph_rows(g)[(u) + 1] - at_; i_++) \
            CHECK_INT(kith_graph_neighbours(g)[at_ + i_], row_[i_]);  \
    } while (0)

/* The same matrix, bit for bit. */
static inline void check_same(const kith_features *a, const kith_features *b)
{
    CHECK_INT(a->nodes, b->nodes);
    CHECK_INT(a->columns, b->columns);
    CHECK_INT(a->entries, b->entries);
    CHECK(!a->row == !b->row && !a->value == !b->value);
    if (check_failures)
        return;
    for (int32_t r = 0; a->row && r <= a->nodes; r++)
        CHECK_INT(a->row[r], b->row[r]);
    for (int64_t p = 0; p < a->entries; p++) {
        if (a->row)
            CHECK_INT(a->column[p], b->column[p]);
        if (a->value)
            CHECK(a->value[p] == b->value[p]);
    }
}

/* The matrix that the SciPy files of tests/golden hold, 3 x 4:
 *     0     0.5  0  2
 *     0     0    0  0
 *     -1.25 0    0  0
 */
static inline void check_scipy_matrix(const kith_features *f)
{
    CHECK_INT(f->nodes, 3);
    CHECK_INT(f->columns, 4);
    CHECK_INT(f->entries, 3);
    CHECK(f->row && f->value);
    CHECK(f->row[1] == 2 && f->row[2] == 2 && f->row[3] == 3);
    CHECK(f->column[0] == 1 && f->column[1] == 3 && f->column[2] == 0);
    CHECK(f->value[0] == 0.5f && f->value[1] == 2 && f->value[2] == -1.25f);
}

/* The matrix above, and one of ones, to be written. */
#define SCIPY_MATRIX                                                    \
    {                                                                   \
        .nodes = 3, .columns = 4, .entries = 3,                         \
        .row = (int64_t[]){0, 2, 2, 3}, .column = (int32_t[]){1, 3, 0}, \
        .value = (float[])                                              \
        {                                                               \
            0.5f, 2, -1.25f                                             \
        }                                                               \
    }
#define ONES_MATRIX                                           \
    {                                                         \
        .nodes = 3, .columns = 5, .entries = 3,               \
        .row = (int64_t[]){0, 1, 3, 3}, .column = (int32_t[]) \
        {                                                     \
            2, 0, 3                                           \
        }                                                     \
    }
/* 2 x 3 with numbers that need all their digits. */
#define DENSE_MATRIX                                               \
    {                                                              \
        .nodes = 2, .columns = 3, .entries = 6, .value = (float[]) \
        {                                                          \
            1, -2.5f, 0.1f, 3.4028235e38f, 1e-45f, 0               \
        }                                                          \
    }

#endif
