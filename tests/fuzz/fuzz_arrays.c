/*
 * Arrays of any type and length into graphs, labels, features and splits; what
 * is taken must be safe to hash and to classify on.
 *
 * The input is flags, nodes and classes, a byte each, then arrays: what they
 * are (the bits below), how many numbers, and a byte for each, or as many bytes
 * as the type has.  Every array is a block of its own size, so that a sanitizer
 * sees a read beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kith/kith.h"

enum {
    CSR = 1,
    IDS = 2,
    WEIGHTS = 4,
    BORROW = 8,
    SPARSE = 16,
    DENSE = 32,
    SUM = 64,
    NO_WEIGHTS = 128
}; /* flags */
enum { TYPE = 7, RAW = 8, MOST_ARRAYS = 16 };

typedef struct input {
    const uint8_t *at, *end;
    void *block[MOST_ARRAYS];
    int blocks;
} input;

static int take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void put_number(kith_number type, void *data, int64_t i, int8_t x)
{
    switch (type) {
    case KITH_I32:
        ((int32_t *)data)[i] = x;
        break;
    case KITH_I64:
        ((int64_t *)data)[i] = x;
        break;
    case KITH_F32:
        ((float *)data)[i] = (float)x / 4;
        break;
    case KITH_F64:
        ((double *)data)[i] = x / 4.0;
        break;
    }
}

static kith_array take_array(input *in)
{
    const int head = take(in);
    kith_array a = {NULL, (kith_number)(head & TYPE), take(in)};
    const size_t width = a.type == KITH_I64 || a.type == KITH_F64 ? 8 : 4;
    const size_t each = head & RAW ? width : 1;
    const int64_t left = (in->end - in->at) / (int64_t)each;
    char *data;

    a.count = a.count < left ? a.count : left;
    if (a.count == 0 || in->blocks == MOST_ARRAYS)
        return (kith_array){NULL, a.type, 0};
    data = malloc((size_t)a.count * width);
    if (!data)
        abort();
    if (head & RAW)
        memcpy(data, in->at, (size_t)a.count * width);
    for (int64_t i = 0; i < a.count && !(head & RAW); i++)
        put_number(a.type, data, i, (int8_t)in->at[i]);
    in->at += (size_t)a.count * each;
    in->block[in->blocks++] = data;
    a.data = data;
    return a;
}

/* Are all numbers small enough for what an array of the caller's must hold, or
 * for the memory of a test? */
static bool all_below(const kith_array *a, int64_t most)
{
    for (int64_t i = 0; i < a->count; i++)
        if (a->type == KITH_I32   ? ((const int32_t *)a->data)[i] > most
            : a->type == KITH_I64 ? ((const int64_t *)a->data)[i] > most
                                  : false)
            return false;
    return true;
}

static kith_ids *take_ids(input *in)
{
    static const char bytes[] =
        "abcdefghijklmnopqrstuvwxyz1234567890abcdefghijklmnopqrstuvwxyz"
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.:;,!?+*#";
    const kith_array at = take_array(in);
    kith_ids *ids = NULL;

    if (all_below(&at, (int64_t)sizeof(bytes) - 1))
        (void)kith_ids_from_strings(&at, bytes, &ids, NULL);
    return ids;
}

static kith_graph *take_graph(input *in, int flags, int nodes)
{
    const kith_build_options o = {
        .job.threads = 1,
        .merge = flags & SUM ? KITH_MERGE_SUM : KITH_MERGE_MAX,
        .weights = flags & NO_WEIGHTS ? KITH_NO : KITH_AUTO};
    kith_ids *ids = flags & IDS ? take_ids(in) : NULL;
    const kith_array a = take_array(in), b = take_array(in);
    const kith_array w = flags & WEIGHTS ? take_array(in) : (kith_array){0};
    kith_graph *g = NULL;
    kith_cleaning c;
    kith_error err;

    if (flags & CSR) {
        const kith_csr m = {a, b, w, nodes};

        (void)kith_graph_from_csr(&m, ids,
                                  flags & BORROW ? KITH_BORROW : KITH_COPY, &o,
                                  &g, &c, &err);
    } else if (nodes > 0 || (all_below(&a, 1000) && all_below(&b, 1000))) {
        const kith_coo m = {a, b, w, nodes};

        (void)kith_graph_from_coo(&m, ids, &o, &g, &c, &err);
    }
    kith_ids_free(ids);
    return g;
}

static kith_features *take_features(input *in, int flags)
{
    const kith_keep keep = flags & BORROW ? KITH_BORROW : KITH_COPY;
    const int width = take(in), rows = take(in);
    const kith_array a = take_array(in);
    kith_features *f = NULL;
    kith_error err;

    if (flags & DENSE) {
        (void)kith_features_from_dense(&a, rows, width, keep, &f, &err);
    } else if (flags & SPARSE) {
        const kith_array b = take_array(in), c = take_array(in);
        const kith_csr m = {a, b, c, width};

        (void)kith_features_from_csr(&m, keep, &f, &err);
    }
    return f;
}

/* Two iterations on what was taken. */
static void classify(const kith_dataset *d, const kith_split *split)
{
    const size_t cells = (size_t)kith_graph_nodes(d->graph) *
                         (size_t)d->labels->classes;
    float *p = calloc(cells, sizeof(*p));
    kith_train_options o;
    kith_model *m = NULL;

    if (!p)
        abort();
    kith_train_options_init(&o);
    o.job.threads = 1;
    o.params.iterations = 2;
    o.fixed = KITH_FIX_ALL;
    if (kith_model_train(d, "linbp", split, &o, &m, p, NULL) == KITH_OK)
        for (size_t i = 0; i < cells; i++)
            if (!(p[i] >= 0 && p[i] <= 1.0001f))
                abort();
    kith_model_free(m);
    free(p);
}

/* What hangs on the nodes of g, which is freed. */
static void use(input *in, kith_graph *g, int flags, int classes)
{
    const kith_array of = take_array(in), train = take_array(in),
                     test = take_array(in);
    kith_features *f = take_features(in, flags);
    kith_labels *l = NULL;
    kith_dataset *d = NULL;
    kith_split s = {0};
    kith_error err;

    if (kith_labels_from_array(&of, classes, NULL, &l, &err) == KITH_OK &&
        kith_dataset_new(g, l, f, NULL, &d, &err) == KITH_OK) {
        if (kith_split_from_arrays(g, &train, NULL, &test, "s", &s, &err) ==
            KITH_OK)
            classify(d, &s);
        kith_split_release(&s);
        kith_dataset_free(d);
        return;
    }
    kith_labels_free(l);
    kith_features_free(f);
    kith_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {.at = data, .end = data + size};
    const int flags = take(&in), nodes = take(&in), classes = take(&in);
    kith_graph *g = take_graph(&in, flags, nodes);

    if (g) {
        kith_fuzz_opened = true;
        (void)kith_graph_hash(g);
        use(&in, g, flags, classes);
    }
    for (int i = 0; i < in.blocks; i++)
        free(in.block[i]);
    return 0;
}
