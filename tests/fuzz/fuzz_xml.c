#include "fuzz.h"
#include "readers.h"

/* Any XML as what it says it is, then as the other. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = kith_fuzz_file(data, size);

    fuzz_graph(kith__graphml_read, path);
    fuzz_graph(kith__gexf_read, path);
#ifndef KITH_HAVE_EXPAT
    kith_fuzz_opened = true; /* nothing here can */
#endif
    return 0;
}
