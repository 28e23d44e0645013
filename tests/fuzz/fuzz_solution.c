/*
 * Solution files: any bytes, with checksums that match, on the data and for the
 * models that the seeds are of.  What opens must be safe to ask.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "kith/kith.h"
#include "mutate.h"
#include "small_set.h"

static void ask(const kith_solution *s)
{
    float P[SMALL_NODES * 3];
    kith_suggestion next[2];
    kith_explanation *e = NULL;
    kith_error err;
    int32_t found;

    kith_solution_probabilities(s, P);
    (void)kith_suggest(s, NULL, 0, 2, next, &found, &err);
    (void)kith_explain(s, SMALL_NODES - 1, -1, 3, &e, &err);
    kith_explanation_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[1 << 17];
    static kith_dataset *set;
    static kith_model *models[SMALL_SOLUTIONS];
    const kith_job job = {.threads = 1};
    const char *path;
    kith_error err;

    if (size > sizeof(bytes))
        return 0;
    if (!set)
        set = small_set(0);
    memcpy(bytes, data, size);
    mend(bytes, size);
    path = kith_fuzz_file(bytes, size);
    for (int i = 0; set && i < SMALL_SOLUTIONS; i++) {
        kith_solution *s = NULL;

        if (!models[i] && small_model(set, i, &models[i], NULL) != KITH_OK)
            continue;
        if (kith_solution_open(path, models[i], set, &job, &s, &err) ==
            KITH_OK) {
            kith_fuzz_opened = true;
            ask(s);
        }
        kith_solution_free(s);
    }
    return 0;
}
