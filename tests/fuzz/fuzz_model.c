/*
 * Model files: any bytes, with checksums that match.  What opens must be safe
 * to use all over.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "models/model_object.h"
#include "mutate.h"

static void require(int fact)
{
    if (!fact)
        abort();
}

static void sum_up(const float *x, int64_t n)
{
    volatile float sum = 0;

    for (int64_t i = 0; x && i < n; i++) {
        require(x[i] - x[i] == 0); /* finite */
        sum = sum + x[i];
    }
}

static void use(const kith_model *m)
{
    const int64_t classes = kith_model_classes(m);

    require(strlen(kith_model_method(m)) > 0);
    require(kith_model_params(m)->iterations > 0);
    require(kith_model_temperature(m) > 0);
    require(!m->weights == (m->columns == 0));
    for (int32_t c = 0; c < classes; c++)
        require(strlen(kith_model_class_name(m, c)) < SIZE_MAX);
    sum_up(kith_model_coupling(m), classes * classes);
    sum_up(m->weights, ((int64_t)m->columns + 1) * classes);
    sum_up(m->idf, m->columns);
    for (int32_t i = 0; i < m->train.n; i++) {
        char buffer[KITH_ID_BUFFER];
        size_t length;
        const char *id = kith__ids_get(&m->train, i, buffer, &length);

        require(kith__ids_find(&m->train, id, length) == i);
        require(m->train_class[i] >= 0 && m->train_class[i] < classes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[1 << 18];
    kith_error err;
    kith_model *m;

    if (size > sizeof(bytes))
        return 0;
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (kith_model_open(kith_fuzz_file(bytes, size), &m, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        use(m);
    }
    kith_model_free(m);
    return 0;
}
