/*
 * What a seed draws stays what it is: the numbers below were printed by version
 * 0.1.0.  One that changes is a graph that somebody cannot have again.
 */
#include <inttypes.h>

#include "check.h"

/* FNV-1a, the published 64-bit constants. */
static uint64_t add(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t of_file(uint64_t hash, const char *path)
{
    size_t n = 0;
    char *bytes = check_read(path, &n);

    CHECK(bytes != NULL);
    hash = add(hash, bytes ? bytes : "", n);
    free(bytes);
    return hash;
}

static uint64_t of_features(uint64_t hash, const kith_features *f)
{
    const size_t entries = (size_t)f->entries;

    hash = add(hash, f->row, ((size_t)f->nodes + 1) * sizeof(*f->row));
    CHECK(f->value == NULL); /* all are 1 */
    return add(hash, f->column, entries * sizeof(*f->column));
}

typedef struct draw {
    const char *preset;
    double scale;
    int32_t classes, features;
    double rare;
    uint64_t seed, edges, all;
} draw;

static void check_draw(const draw *d)
{
    uint64_t hash = 0xcbf29ce484222325u, edges;
    kith_generate_options o;
    kith_dataset *got = NULL;
    kith_error err;

    CHECK_OK(kith_generate_preset(d->preset, d->scale, &o, &err));
    o.seed = d->seed;
    o.features = d->features;
    o.words = d->features ? 6 : 0;
    if (d->classes)
        o.classes = d->classes;
    if (d->rare > 0)
        o.rare = d->rare;
    CHECK_OK(kith_generate(&o, check_path("g.kg"), &err));
    CHECK_OK(kith_dataset_open(check_path("g.kg"), NULL, &got, &err));
    edges = kith_graph_hash(got->graph);
    hash = add(hash, got->labels->of,
               (size_t)got->labels->nodes * sizeof(*got->labels->of));
    hash = of_file(hash, check_path("g.splits/0/train.txt"));
    hash = of_file(hash, check_path("g.splits/0/val.txt"));
    hash = of_file(hash, check_path("g.splits/0/test.txt"));
    if (got->features)
        hash = of_features(hash, got->features);
    if (edges != d->edges || hash != d->all)
        check_failed(__FILE__, __LINE__,
                     "%s, seed %" PRIu64 ": 0x%016" PRIx64 "u, 0x%016" PRIx64
                     "u",
                     d->preset, d->seed, edges, hash);
    kith_dataset_free(got);
}

TEST(a_seed_draws_the_graph_it_always_drew)
{
    static const draw draws[] = {
        {"sbm", 1, 4, 40, 0, 1, 0xf75d2ca5760d3938u, 0x7b24ed2d18d23798u},
        {"sbm", .1, 3, 0, .05, 7, 0x0a6f216b38725661u, 0xd97ef48ec79b70d5u},
        {"rmat", .0625, 0, 0, 0, 1, 0x424e2d8fd37278c5u, 0x17cb5f1769081d9bu},
        {"rmat", .03125, 9, 0, .2, 3, 0xcde4753d80fe9cd2u, 0x7898b6d3c8f7fd11u},
        {"google-plus", .001, 0, 0, 0, 1, 0xdaf9c4ea1d9c7510u,
         0xbb2970dc97fe0a5eu},
        {"twitter", .00005, 0, 0, 0, 2, 0x62774bcba4d1b3b1u,
         0xd32b565ca510a926u},
    };

    for (size_t i = 0; i < sizeof(draws) / sizeof(*draws); i++)
        check_draw(&draws[i]);
}
