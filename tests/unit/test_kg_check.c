/* Files that checksums do not protect from: made by someone, not by a writer.
 */
#include <fcntl.h>
#include <math.h>

#include "../fuzz/mend.h"
#include "generated.h"
#include "graph/graph_object.h"
#include "io/kg_check.h"
#include "kernels/operator.h"
#include "models/model_object.h"

/* A file with all there is: text ids, weights, labels, features, an order. */
static const char *full_file(void)
{
    kith_build_options o = {.order = KITH_ORDER_DEGREE, .weights = KITH_YES};
    char command[4096];
    kith_error err;

    if (access(check_path("d"), F_OK) != 0) {
        snprintf(command, sizeof(command),
                 "mkdir '%s' && cd '%s' && printf 'ann\\tbob\\t1\\n"
                 "bob\\tcarl\\t2\\nbob\\tdora\\t3\\n' > edges.tsv && "
                 "printf 'ann\\nbob\\ncarl\\ndora\\n' > nodes.txt && "
                 "printf 'ann\\tx\\nbob\\ty\\n' > labels.tsv && "
                 "printf '%%%%%%%%MatrixMarket matrix coordinate real "
                 "general\\n4 2 4\\n1 1 0.5\\n1 2 2\\n3 2 -1\\n4 1 1\\n' > "
                 "features.mtx",
                 check_path("d"), check_path("d"));
        CHECK(system(command) == 0);
    }
    CHECK_OK(kith_dataset_build(check_path("d"), check_path("full.kg"), &o,
                                NULL, &err));
    return check_path("full.kg");
}

/* Where the entry of a tag stands in the table, 0 if there is none. */
static size_t entry_of(const char *bytes, const char *tag)
{
    for (size_t at = 64; at < 4096; at += 40)
        if (strncmp(bytes + at, tag, 8) == 0)
            return at;
    return 0;
}

static size_t section_at(const char *bytes, const char *tag)
{
    const size_t entry = entry_of(bytes, tag);
    int64_t at = 0;

    CHECK(entry > 0);
    memcpy(&at, bytes + entry + 8, 8);
    return (size_t)at;
}

/* Open as all commands do. */
static kith_status open_status(const char *path, bool verify, kith_error *err)
{
    const kith_build_options o = {.verify = verify};
    kith_dataset *d = NULL;
    const kith_status st = kith_dataset_open(path, &o, &d, err);

    kith_dataset_free(d);
    return st;
}

/* Bob has three neighbours and is node 0, ann, carl and dora are 1 to 3. */
static const struct {
    const char *tag;
    int at; /* element */
    int64_t value;
    const char *why;
} promises[] = {
    {"rows", 0, 1, "rows or neighbours do not fit"},
    {"rows", 1, -1, "a row"},
    {"rows", 1, 7, "a row"},
    {"rows", 2, INT64_MAX, "a row"},
    {"rows", 2, 0x40000000, "a row"},
    {"rows", 4, 4, "rows or neighbours do not fit"},
    {"nbrs", 0, 4, "a row"},  /* no such node: convert wrote it */
    {"nbrs", 0, -1, "a row"}, /* feature_matrix.c wrote there */
    {"nbrs", 0, 0, "a row"},  /* itself */
    {"nbrs", 1, 1, "a row"},  /* twice */
    {"nbrs", 3, 2, "both rows"},
    {"weights", 0, 0x7fc00000, "a weight"},  /* NaN */
    {"weights", 0, 0x7f800000, "a weight"},  /* infinite */
    {"weights", 0, -1082130432, "a weight"}, /* -1 */
    {"weights", 0, 0x3f800001, "both rows"}, /* not as the other way */
    {"labels", 0, 2, "a label"},             /* random_splits.c wrote there */
    {"labels", 0, -2, "a label"},
    {"labels", 0, -1, "as many labels"},
    {"fcols", 0, 2, "features"}, /* feature_matrix.c wrote there */
    {"fcols", 0, -1, "features"},
    {"fcols", 0, 0x7fffffff, "features"},
    {"frows", 1, -1, "features"},
    {"frows", 1, 99, "features"},
    {"fvals", 0, 0x7f800000, "a feature"},
    {"fhead", 0, 1, "features"},
    {"fhead", 0, -1, "features"},
    {"fhead", 0, (1 << 20) + 1, "account for"}, /* minutes, gigabytes */
    {"fhead", 0, 1 << 29, "account for"},
    {"place", 0, 4, "order"}, /* order.c wrote there */
    {"place", 0, -1, "order"},
    {"listed", 0, 0, "order"},
    {"idgroups", 0, 1, "ids"},
    {"idslots", 0, 9, "ids"},
    {"idslots", 0, -1, "ids"},
    {"cleaning", 4, -1, "cleaned"},
};

TEST(a_file_that_breaks_a_promise_is_refused_by_opening)
{
    size_t n;
    char *good = check_read(full_file(), &n);
    char *bytes = malloc(n);
    kith_error err;

    CHECK_OK(open_status(full_file(), false, &err));
    for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++) {
        uint32_t size;

        memcpy(bytes, good, n);
        memcpy(&size, bytes + entry_of(bytes, promises[i].tag) + 32, 4);
        memcpy(bytes + section_at(bytes, promises[i].tag) +
                   (size_t)promises[i].at * size,
               &promises[i].value, size);
        mend((uint8_t *)bytes, n);
        check_file_bytes("bad.kg", bytes, n);
        err = (kith_error){0};
        if (open_status(check_path("bad.kg"), false, &err) !=
                KITH_ERR_CORRUPT ||
            !strstr(err.text, promises[i].why))
            check_failed(__FILE__, __LINE__, "%s[%d] = %lld: '%s'",
                         promises[i].tag, promises[i].at,
                         (long long)promises[i].value, err.text);
    }
    free(bytes);
    free(good);
}

/* As wide as allowed opens: few columns, or 16 for each of the five entries. */
TEST(features_may_have_room_for_hashed_words)
{
    int64_t row[] = {0, 5}, many[] = {0, (1 << 16) + 1};
    kith_features f = {
        .nodes = 1, .columns = 1 << 20, .entries = 5, .row = row};

    CHECK(!kith__features_too_wide(&f));
    f.columns++;
    CHECK(kith__features_too_wide(&f));
    f.row = many;
    f.entries = many[1];
    f.columns = 16 * ((1 << 16) + 1);
    CHECK(!kith__features_too_wide(&f));
    f.columns += 16;
    CHECK(kith__features_too_wide(&f));
    f.row = NULL; /* dense: its values are all there */
    CHECK(!kith__features_too_wide(&f));
}

/* Every function that opens, not one command or another. */
TEST(a_flipped_bit_is_refused_by_every_opening)
{
    static const char *const tags[] = {
        "nbrs",  "weights",  "rows",   "idgroups", "idbytes", "idslots",
        "place", "aslisted", "labels", "classes",  "fvals",   "cleaning"};
    size_t n;
    char *bytes = check_read(full_file(), &n);

    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
        char *at = bytes + section_at(bytes, tags[i]);
        kith_graph *g = NULL;
        kith_error err;

        *at ^= 1;
        check_file_bytes("flip.kg", bytes, n);
        *at ^= 1;
        CHECK(open_status(check_path("flip.kg"), false, &err) ==
              KITH_ERR_CORRUPT);
        CHECK(strstr(err.text, "checksum") != NULL);
        CHECK(kith_graph_open(check_path("flip.kg"), &g, &err) ==
              KITH_ERR_CORRUPT);
        CHECK(kith_graph_read(check_path("flip.kg"), NULL, &g, NULL, &err) ==
              KITH_ERR_CORRUPT);
    }
    free(bytes);
}

/* A section that no reader knows makes the file larger than 1 GiB, with a hole:
 * then checksums are compared only if asked for, structure still is. */
TEST(checksums_of_a_large_file_are_compared_when_asked)
{
    const int64_t offset = (int64_t)1 << 20, hole = (int64_t)1 << 30;
    const int64_t size = offset + hole;
    const uint32_t element = 1;
    size_t n;
    uint32_t sections;
    uint64_t sum;
    char *bytes = check_read(full_file(), &n), *entry;
    uint8_t hashed[56 + 40 * 64];
    kith_error err;

    memcpy(&sections, bytes + 12, 4);
    entry = bytes + 64 + 40 * sections++;
    memcpy(entry, "extra", 5);
    memcpy(entry + 8, &offset, 8);
    memcpy(entry + 16, &hole, 8);
    memcpy(entry + 32, &element, 4);
    memcpy(bytes + 12, &sections, 4);
    memcpy(bytes + 16, &size, 8);
    memcpy(hashed, bytes, 56);
    memcpy(hashed + 56, bytes + 64, 40 * sections);
    sum = XXH3_64bits(hashed, 56 + 40 * sections);
    memcpy(bytes + 56, &sum, 8);
    bytes[section_at(bytes, "cleaning")] ^= 1;
    check_file_bytes("large.kg", bytes, n);
    CHECK(truncate(check_path("large.kg"), size) == 0);
    CHECK_OK(open_status(check_path("large.kg"), false, &err));
    CHECK(open_status(check_path("large.kg"), true, &err) == KITH_ERR_CORRUPT);
    CHECK(strstr(err.text, "'cleaning'") != NULL);

    bytes[section_at(bytes, "nbrs")] = 77;
    check_file_bytes("large.kg", bytes, n);
    CHECK(truncate(check_path("large.kg"), size) == 0);
    CHECK(open_status(check_path("large.kg"), false, &err) == KITH_ERR_CORRUPT);
    CHECK(strstr(err.text, "a row") != NULL);
    unlink(check_path("large.kg"));
    free(bytes);
}

/* What the builder writes keeps every promise: weights that are summed, in
 * memory and spilled, are the same both ways to the last bit. */
TEST(what_is_built_keeps_the_promises)
{
    FILE *f = fopen(check_path("sums.tsv"), "w");
    kith_error err;

    for (int i = 0; i < 20000; i++)
        fprintf(f, "%d\t%d\t%.9g\n", i * 7919 % 293, i * 31 % 307 % 290,
                sqrt(i * 7.0));
    fclose(f);
    for (int i = 0; i < 4; i++) {
        const kith_build_options o = {.job = {.memory = i % 2 ? 100000 : 0},
                                      .merge = KITH_MERGE_SUM,
                                      .order = i < 2 ? KITH_ORDER_INPUT
                                                     : KITH_ORDER_DEGREE};

        CHECK_OK(kith_dataset_build(check_path("sums.tsv"),
                                    check_path("sums.kg"), &o, NULL, &err));
        CHECK_OK(open_status(check_path("sums.kg"), false, &err));
    }
}

TEST(peeking_tells_the_counts_of_a_header)
{
    kith_graph_counts c;
    kith_error err;

    CHECK_OK(kith_graph_peek(full_file(), &c, &err));
    CHECK_INT(c.nodes, 4);
    CHECK_INT(c.edges, 3);
    CHECK(c.weighted);
    CHECK(kith_graph_peek(check_file("no.kg", "no"), &c, &err) ==
          KITH_ERR_CORRUPT);
}

/* ---- kernels ------------------------------------------------------------- */

/* A graph that is given one way: what a file could hold that was made to pass
 * the sum of hashes. */
static const int64_t one_way_rows[] = {0, 3, 4, 4, 5, 5, 6};
static const int32_t one_way_neighbours[] = {1, 2, 5, 5, 5, 2};
static kith_graph one_way = {.n = 6,
                             .entries = 6,
                             .rows = one_way_rows,
                             .neighbours = one_way_neighbours,
                             .ids = {.kind = KITH__IDS_RANGE, .n = 6}};

TEST(an_edge_without_its_other_half_is_noticed)
{
    const char *fault = NULL;
    kith_error err;

    CHECK_OK(kith__kg_graph_fault(&one_way, NULL, &fault, &err));
    CHECK(fault && strstr(fault, "both rows"));
}

TEST(the_other_half_of_an_edge_that_has_none_is_inside)
{
    const kith__operator W = {
        .n = 6, .rows = one_way_rows, .neighbours = one_way_neighbours};

    CHECK_INT(kith__reverse_of(&W, 3, 5), 5);
    for (int32_t u = 0; u < 6; u++)
        for (int64_t p = one_way_rows[u]; p < one_way_rows[u + 1]; p++) {
            const int64_t at = kith__reverse_of(&W, u, one_way_neighbours[p]);

            CHECK(at >= 0 && at < 6);
        }
}

/* The sanitizers see what is written beside an array. */
TEST(every_method_stays_inside_on_edges_without_their_other_half)
{
    int32_t of[6] = {0, 1, 0, 1, 0, 1}, train[] = {0, 1, 2, 3}, val[] = {4, 5};
    char a[] = "a", b[] = "b", *names[] = {a, b};
    int64_t rows[] = {0, 1, 2, 3, 4, 5, 6};
    int32_t columns[] = {0, 1, 0, 1, 0, 1};
    kith_labels labels = {
        .nodes = 6, .classes = 2, .labelled = 6, .of = of, .names = names};
    kith_features features = {
        .nodes = 6, .columns = 2, .entries = 6, .row = rows, .column = columns};
    const kith_dataset d = {
        .graph = &one_way, .labels = &labels, .features = &features};
    const kith_split split = {
        .train = train, .n_train = 4, .val = val, .n_val = 2};
    int methods;
    const kith_method_info *all = kith_methods(&methods);

    for (int i = 0; i < methods; i++) {
        kith_train_options o;
        kith_model *m = NULL;
        float P[12];
        kith_error err;

        kith_train_options_init(&o);
        o.params.iterations = 3;
        o.fixed = KITH_FIX_ITERATIONS;
        if (kith_model_train(&d, all[i].name, &split, &o, &m, P, &err) ==
            KITH_OK)
            (void)kith_model_predict(m, &d, NULL, P, NULL, NULL, &err);
        kith_model_free(m);
    }
}

/* ---- models and checkpoints ---------------------------------------------- */

/* A number of lcm-em far outside: it has no float, and no int (UBSan). */
TEST(numbers_of_an_lcm_em_model_are_bounded_before_they_are_used)
{
    static const char *const names[] = {"hops", "rounds", "blocks", "h"};
    kith_dataset *d = generated_with(60, 2, 0, .9, 5);
    kith_train_options o;
    kith_split split = {0};
    kith_model *m = NULL;
    float *P = room(d);
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    CHECK_OK(kith_split_random(d->graph, d->labels, 5, 0, 1, 0, &split, &err));
    CHECK_OK(kith_model_train(d, "lcm-em", &split, &o, &m, NULL, &err));
    for (int i = 0; i < 4; i++) {
        if (!kith__fit_state_find(&m->state, names[i]))
            continue;
        const double was = kith__fit_state_number(&m->state, names[i], 0);

        CHECK(kith__fit_state_set(&m->state, names[i], 1e300));
        CHECK(kith_model_predict(m, d, NULL, P, NULL, NULL, &err) ==
              KITH_ERR_CORRUPT);
        CHECK(kith__fit_state_set(&m->state, names[i], was));
    }
    CHECK_OK(kith_model_predict(m, d, NULL, P, NULL, NULL, &err));
    kith_model_free(m);
    kith_split_release(&split);
    kith_dataset_free(d);
    free(P);
}

/* So many edges that lcm keeps no weight for each, and can be saved. */
static kith_dataset *many_edges(void)
{
    kith_generate_options o;
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_generate_preset("sbm", 1, &o, &err));
    o.nodes = 4000;
    o.edges = 80000;
    o.classes = 2;
    o.features = 0;
    CHECK_OK(kith_generate(&o, check_path("many"), &err));
    CHECK_OK(kith_dataset_open(check_path("many"), NULL, &d, &err));
    return d;
}

/* Stops a training when its first alternation has been saved. */
static int stop_learning(void *user, const kith_progress *step)
{
    (void)user;
    return strcmp(step->stage, "learning") == 0;
}

TEST(the_state_of_a_checkpoint_is_bounded_before_it_is_used)
{
    static const int32_t terms[] = {0, -1, 5, 1 << 30};
    const char *path = check_path("c");
    kith_dataset *d = many_edges();
    kith_train_options o;
    kith_split split = {0};
    kith_model *m = NULL;
    kith_error err;
    char *bytes;
    size_t n;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.checkpoint = path;
    o.job = (kith_job){.threads = 1, .progress = stop_learning};
    CHECK_OK(kith_split_random(d->graph, d->labels, 5, 0, 1, 0, &split, &err));
    CHECK(kith_model_train(d, "lcm", &split, &o, &m, NULL, &err) ==
          KITH_ERR_CANCELLED);
    o.job.progress = NULL;
    bytes = check_read(path, &n);
    for (int i = 0; i < 4; i++) {
        memcpy(bytes + section_at(bytes, "terms"), &terms[i], 4);
        mend((uint8_t *)bytes, n);
        check_file_bytes("c", bytes, n);
        CHECK(kith_model_train(d, "lcm", &split, &o, &m, NULL, &err) ==
              KITH_ERR_CORRUPT);
    }
    free(bytes);
    kith_split_release(&split);
    kith_dataset_free(d);
}
