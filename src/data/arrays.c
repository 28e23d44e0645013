#include "data/arrays.h"

#include <math.h>

kith_status kith__array_check(const kith_array *a, const char *name,
                              bool integers, kith_error *err)
{
    if (a->count < 0 || a->count > INT64_MAX / 16 || (a->count && !a->data))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%s has %lld numbers%s, expected an array", name,
                          (long long)a->count, a->data ? "" : " at NULL");
    if (a->type < KITH_I32 || a->type > KITH_F64)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%s has the type %d, expected one of kith_number",
                          name, (int)a->type);
    if (integers && a->type != KITH_I32 && a->type != KITH_I64)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%s holds real numbers, expected KITH_I32 or "
                          "KITH_I64",
                          name);
    return KITH_OK;
}

kith_status kith__indices_check(const kith_array *a, const char *name,
                                int64_t least, int64_t below, kith_error *err)
{
    const kith_status st = kith__array_check(a, name, true, err);

    if (st != KITH_OK)
        return st;
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t x = kith__array_integer(a, i);

        if (x < least || x >= below)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "%s[%lld] is %lld, expected %lld to %lld", name,
                              (long long)i, (long long)x, (long long)least,
                              (long long)below - 1);
    }
    return KITH_OK;
}

kith_status kith__offsets_check(const kith_array *a, const char *name,
                                int64_t entries, kith_error *err)
{
    const kith_status st = kith__array_check(a, name, true, err);
    int64_t last = 0;

    if (st != KITH_OK)
        return st;
    if (a->count < 1 || a->count > INT32_MAX)
        return kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                          "%s has %lld numbers, expected 1 to %d", name,
                          (long long)a->count, (int)INT32_MAX);
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t x = kith__array_integer(a, i);
        const int64_t most = i > 0 ? entries : 0;

        if (x < last || x > most)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "%s[%lld] is %lld, expected %lld to %lld", name,
                              (long long)i, (long long)x, (long long)last,
                              (long long)most);
        last = x;
    }
    if (last != entries)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "%s ends at %lld, expected the number of entries, "
                          "%lld",
                          name, (long long)last, (long long)entries);
    return KITH_OK;
}

kith_status kith__values_check(const kith_array *a, const char *name,
                               bool negative_too, kith_error *err)
{
    const kith_status st = kith__array_check(a, name, false, err);

    if (st != KITH_OK)
        return st;
    for (int64_t i = 0; i < a->count; i++) {
        const float x = kith__array_float(a, i);

        if (!isfinite(x) || (x < 0 && !negative_too))
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "%s[%lld] is %g, expected a finite number%s",
                              name, (long long)i, (double)x,
                              negative_too ? "" : " of 0 or more");
    }
    return KITH_OK;
}
