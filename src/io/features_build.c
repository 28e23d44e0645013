#include "core/alloc.h"
#include "core/sort.h"
#include "core/status.h"
#include "io/formats.h"

enum { LIMIT = INT32_MAX - 1 };

kith_status kith__triples_add(kith__triples *t, int32_t row, int32_t column,
                              float value, kith_error *err)
{
    if (t->n == t->capacity &&
        !kith__grow((void **)&t->at, &t->capacity, t->n + 1, sizeof(*t->at)))
        return kith__no_memory(err);
    t->at[t->n++] = (struct kith__triple){row, column, value};
    return KITH_OK;
}

void kith__triples_release(kith__triples *t)
{
    kith__free(t->at);
    *t = (kith__triples){0};
}

static kith_status check_shape(int64_t rows, int64_t columns, const char *path,
                               kith_error *err)
{
    if (rows < 0 || columns < 0 || rows > LIMIT || columns > LIMIT)
        return kith__fail(err, KITH_ERR_RANGE, path, 0,
                          "has %lld rows and %lld columns, expected at most %d "
                          "of each",
                          (long long)rows, (long long)columns, (int)LIMIT);
    return KITH_OK;
}

/* Put the triples into their rows, in the order in which they came. */
static void scatter(const kith__triples *t, kith_features *f)
{
    int64_t *row = f->row;

    for (int64_t i = 0; i < t->n; i++)
        row[t->at[i].row + 1]++;
    for (int32_t r = 0; r < f->nodes; r++)
        row[r + 1] += row[r];
    /* row[r] moves from the start of row r to its end, which is the start of
     * row r + 1: shifted by one, the offsets are right again. */
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t p = row[t->at[i].row]++;

        f->column[p] = t->at[i].column;
        f->value[p] = t->at[i].value;
    }
    memmove(row + 1, row, (size_t)f->nodes * sizeof(*row));
    row[0] = 0;
}

static bool ascending(const int32_t *column, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (column[i] < column[i - 1])
            return false;
    return true;
}

/* Sort one row by column: each entry is a column above the bits of a value. */
static void sort_row(int32_t *column, float *value, int64_t n, uint64_t *keys)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &value[i], sizeof(bits));
        keys[i] = (uint64_t)column[i] << 32 | bits;
    }
    kith__sort_u64(keys, n);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)keys[i];

        column[i] = (int32_t)(keys[i] >> 32);
        memcpy(&value[i], &bits, sizeof(bits));
    }
}

static kith_status sort_rows(kith_features *f, kith_error *err)
{
    int64_t longest = 0;
    uint64_t *keys;

    for (int32_t r = 0; r < f->nodes; r++) {
        const int64_t n = f->row[r + 1] - f->row[r];

        if (n > longest && !ascending(f->column + f->row[r], n))
            longest = n;
    }
    if (longest == 0)
        return KITH_OK; /* as most files are */
    keys = kith__alloc(longest, sizeof(*keys));
    if (!keys)
        return kith__no_memory(err);
    for (int32_t r = 0; r < f->nodes; r++) {
        const int64_t at = f->row[r], n = f->row[r + 1] - at;

        if (!ascending(f->column + at, n))
            sort_row(f->column + at, f->value + at, n, keys);
    }
    kith__free(keys);
    return KITH_OK;
}

static kith_status refuse_repeats(const kith_features *f, const char *path,
                                  kith_error *err)
{
    for (int32_t r = 0; r < f->nodes; r++)
        for (int64_t p = f->row[r] + 1; p < f->row[r + 1]; p++)
            if (f->column[p] == f->column[p - 1])
                return kith__fail(err, KITH_ERR_PARSE, path, 0,
                                  "has two entries in row %lld, column %lld "
                                  "(counted from 1), expected one",
                                  (long long)r + 1,
                                  (long long)f->column[p] + 1);
    return KITH_OK;
}

static void drop_zeros(kith_features *f)
{
    int64_t kept = 0, from = 0;

    for (int32_t r = 0; r < f->nodes; r++) {
        for (; from < f->row[r + 1]; from++) {
            if (f->value[from] == 0)
                continue;
            f->column[kept] = f->column[from];
            f->value[kept++] = f->value[from];
        }
        f->row[r + 1] = kept;
    }
    f->entries = kept;
}

static void drop_ones(kith_features *f)
{
    for (int64_t p = 0; p < f->entries; p++)
        if (f->value[p] != 1)
            return;
    kith__free(f->value);
    f->value = NULL;
}

kith_status kith__features_from_triples(kith__triples *t, int64_t rows,
                                        int64_t columns, const char *path,
                                        kith_features **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;

    *out = NULL;
    TRY(check_shape(rows, columns, path, err));
    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    f->nodes = (int32_t)rows;
    f->columns = (int32_t)columns;
    TRY_NEW(f->row, kith__alloc_zeroed(rows + 1, sizeof(*f->row)));
    TRY_NEW(f->column, kith__alloc(t->n, sizeof(*f->column)));
    TRY_NEW(f->value, kith__alloc(t->n, sizeof(*f->value)));
    scatter(t, f);
    kith__triples_release(t);
    TRY(sort_rows(f, err));
    TRY(refuse_repeats(f, path, err));
    drop_zeros(f);
    drop_ones(f);
    *out = f;
    f = NULL;
out:
    kith__triples_release(t);
    kith_features_free(f);
    return st;
}

kith_status kith__features_dense(int64_t rows, int64_t columns,
                                 const char *path, kith_features **out,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features *f = NULL;

    *out = NULL;
    TRY(check_shape(rows, columns, path, err));
    TRY_NEW(f, kith__alloc_zeroed(1, sizeof(*f)));
    f->nodes = (int32_t)rows;
    f->columns = (int32_t)columns;
    f->entries = rows * columns; /* below 2^62 */
    TRY_NEW(f->value, kith__alloc_zeroed(f->entries, sizeof(*f->value)));
    *out = f;
    f = NULL;
out:
    kith_features_free(f);
    return st;
}
