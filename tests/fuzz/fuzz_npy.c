#include "fuzz.h"
#include "io/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kith_features *f;
    kith_error err;

    (void)kith__npy_features_read(kith_fuzz_file(data, size), &f, &err);
    kith_features_free(f);
    return 0;
}
