#include "../fuzz/mend.h"
#include "check.h"

static const char *const samples[] = {
    "0\t1\n1\t2\n5\t1\n",              /* integers with gaps */
    "0\t1\n1\t2\n",                    /* a range */
    "ann\tbob\nbob\tcarl the third\n", /* text */
    "7,8,0.25\n8,9,1.5\n",             /* weights */
};

static kith_graph *read_sample(int i)
{
    kith_graph *g = NULL;
    kith_error err;

    CHECK_OK(
        kith_graph_read(check_file("s.tsv", samples[i]), NULL, &g, NULL, &err));
    return g;
}

static void check_same(const kith_graph *a, const kith_graph *b)
{
    const int32_t n = kith_graph_nodes(a);
    const size_t entries = (size_t)kith_graph_edges(a) * 2;

    CHECK_INT(kith_graph_nodes(b), n);
    CHECK_INT(kith_graph_edges(b), kith_graph_edges(a));
    CHECK(memcmp(kith_graph_rows(a), kith_graph_rows(b), ((size_t)n + 1) * 8) ==
          0);
    CHECK(memcmp(kith_graph_neighbours(a), kith_graph_neighbours(b),
                 entries * 4) == 0);
    CHECK(!kith_graph_weights(a) == !kith_graph_weights(b));
    CHECK(kith_graph_hash(a) == kith_graph_hash(b));
    for (int32_t u = 0; u < n; u++) {
        char x[KITH_ID_BUFFER], y[KITH_ID_BUFFER];
        size_t nx, ny;
        const char *ix = kith_graph_id(a, u, x, &nx);
        const char *iy = kith_graph_id(b, u, y, &ny);

        CHECK(nx == ny && memcmp(ix, iy, nx) == 0);
        CHECK_INT(kith_graph_find(b, ix, nx), u);
    }
}

TEST(a_built_file_holds_the_same_graph)
{
    for (int i = 0; i < 4; i++) {
        kith_graph *g = read_sample(i), *back = NULL;
        kith_error err;

        CHECK_OK(kith_graph_write(g, check_path("s.kg"), KITH_GRAPH_AUTO, NULL,
                                  &err));
        CHECK_OK(kith_graph_open(check_path("s.kg"), &back, &err));
        CHECK_OK(kith_graph_verify(back, NULL, &err));
        check_same(g, back);
        kith_graph_free(g);
        kith_graph_free(back);
    }
}

/* A data set with everything in it, as one file. */
static const char *whole_file(void)
{
    kith_error err;

    if (access(check_path("d"), F_OK) != 0) {
        char command[4096];

        snprintf(command, sizeof(command),
                 "mkdir '%s' && cd '%s' && printf '0\\t1\\n1\\t2\\n' > "
                 "edges.tsv && printf '0\\tx\\n2\\ty\\n' > labels.tsv && "
                 "printf '%%%%%%%%MatrixMarket matrix coordinate real "
                 "general\\n3 2 2\\n1 1 0.5\\n3 2 -1\\n' > features.mtx",
                 check_path("d"), check_path("d"));
        CHECK(system(command) == 0);
    }
    CHECK_OK(kith_dataset_build(check_path("d"), check_path("d.kg"), NULL, NULL,
                                &err));
    return check_path("d.kg");
}

TEST(a_built_data_set_holds_labels_and_features)
{
    kith_dataset *d = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_open(whole_file(), NULL, &d, &err));
    CHECK_OK(kith_graph_verify(d->graph, NULL, &err));
    CHECK_INT(d->labels->classes, 2);
    CHECK_INT(d->labels->labelled, 2);
    CHECK_TEXT(d->labels->names[1], "y");
    CHECK_INT(d->labels->of[0], 0);
    CHECK_INT(d->labels->of[1], -1);
    CHECK_INT(d->features->columns, 2);
    CHECK_INT(d->features->row[1], 1);
    CHECK_INT(d->features->row[2], 1);
    CHECK_NEAR(d->features->value[1], -1, 0);
    CHECK_INT(d->cleaning.lines, 2);
    kith_dataset_free(d);
}

/* Open and check a file all the way; KITH_OK only if nothing is wrong. */
static kith_status check_file_whole(const char *path, kith_error *err)
{
    kith_dataset *d = NULL;
    kith_status st = kith_dataset_open(path, NULL, &d, err);

    if (st == KITH_OK)
        st = kith_graph_verify(d->graph, NULL, err);
    kith_dataset_free(d);
    return st;
}

/* The same, its nodes numbered by degree. */
static const char *numbered_file(void)
{
    kith_build_options o = {.order = KITH_ORDER_DEGREE};
    kith_error err;

    CHECK_OK(
        kith_dataset_build(whole_file(), check_path("n.kg"), &o, NULL, &err));
    return check_path("n.kg");
}

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static void check_changed_bytes(const char *path)
{
    const char *changed = check_path("flip.kg");
    size_t n;
    char *bytes = check_read(path, &n);
    int unnoticed = 0;

    for (size_t i = 0; i < n; i++) {
        kith_error err = {0};
        char *copy;

        if (bytes[i] == 0 && i > 700 && i % 61 != 0)
            continue; /* most of the filling: a sample of it will do */
        copy = malloc(n);
        memcpy(copy, bytes, n);
        copy[i] ^= 0x20;
        write_bytes(changed, copy, n);
        if (check_file_whole(changed, &err) == KITH_OK) {
            unnoticed++;
            CHECK_INT(bytes[i], 0);
        }
        free(copy);
    }
    CHECK(unnoticed > 0); /* filling is not covered: the test can tell */
    free(bytes);
}

/* Every byte matters: the first page is covered by the header's checksum, the
 * sections by theirs; only the zero bytes between sections are not. */
TEST(a_changed_byte_is_noticed)
{
    check_changed_bytes(whole_file());
    check_changed_bytes(numbered_file());
}

/* Offset of the first section with that tag. */
static size_t section_at(const char *bytes, const char *tag)
{
    int64_t at = 0;

    for (int i = 0; i < 64 && at == 0; i++)
        if (strncmp(bytes + 64 + 40 * i, tag, 8) == 0)
            memcpy(&at, bytes + 64 + 40 * i + 8, 8);
    return (size_t)at;
}

/* Checksums that match do not make an order: both maps must undo each other,
 * and give back the rows that were listed. */
TEST(an_order_that_is_none_is_refused)
{
    static const struct {
        const char *tag;
        int32_t value;
    } changes[] = {{"place", -1}, {"place", 3}, {"listed", 0}, {"aslisted", 1}};

    for (int i = 0; i < 4; i++) {
        size_t n;
        char *bytes = check_read(numbered_file(), &n);
        kith_error err = {0};

        memcpy(bytes + section_at(bytes, changes[i].tag), &changes[i].value, 4);
        mend((uint8_t *)bytes, n);
        check_file_bytes("bad.kg", bytes, n);
        CHECK(check_file_whole(check_path("bad.kg"), &err) == KITH_ERR_CORRUPT);
        free(bytes);
    }
}

TEST(a_cut_file_is_refused)
{
    size_t n;
    char *bytes = check_read(whole_file(), &n);

    for (size_t keep = 0; keep < n; keep += 509) {
        kith_error err = {0};

        check_file_bytes("cut.kg", bytes, keep);
        CHECK(check_file_whole(check_path("cut.kg"), &err) != KITH_OK);
    }
    free(bytes);
}

TEST(another_version_is_refused_by_name)
{
    size_t n;
    char *bytes = check_read(whole_file(), &n);
    kith_error err = {0};
    kith_graph *g = NULL;

    bytes[8] = 9;
    check_file_bytes("v9.kg", bytes, n);
    CHECK(kith_graph_open(check_path("v9.kg"), &g, &err) == KITH_ERR_PARSE);
    CHECK(strstr(err.text, "version 9, expected at most 2") != NULL);
    free(bytes);
}

TEST(building_gives_the_same_bytes_for_any_threads_and_memory)
{
    char *first = NULL;
    size_t n_first = 0;
    FILE *f = fopen(check_path("many.csv"), "w");

    for (int i = 0; i < 40000; i++)
        fprintf(f, "user %d,user %d,%d\n", i * 7919 % 3001, i * 31 % 2999,
                i % 5);
    fclose(f);
    for (int i = 0; i < 4; i++) {
        static const int threads[] = {1, 2, 8, 2};
        kith_build_options o = {
            .job = {.threads = threads[i], .memory = i == 3 ? 200000 : 0},
            .merge = KITH_MERGE_SUM};
        kith_error err;
        char *bytes;
        size_t n;

        CHECK_OK(kith_dataset_build(check_path("many.csv"),
                                    check_path("many.kg"), &o, NULL, &err));
        bytes = check_read(check_path("many.kg"), &n);
        CHECK(!first || (n == n_first && memcmp(bytes, first, n) == 0));
        free(first);
        first = bytes;
        n_first = n;
    }
    free(first);
}

TEST(building_survives_every_failed_allocation)
{
    kith_build_options o = {.job = {.threads = 1}};
    const char *in = check_path("d"), *out = check_path("oom.kg");
    kith_graph *g = NULL;
    kith_dataset *d = NULL;

    (void)whole_file();
    CHECK_OOM(st = kith_dataset_build(in, out, &o, NULL, NULL), );
    CHECK_OOM(st = kith_graph_open(out, &g, NULL), kith_graph_free(g));
    CHECK_OOM(st = kith_dataset_open(out, &o, &d, NULL), kith_dataset_free(d));
    o.job.memory = 1;
    CHECK_OOM(st = kith_dataset_build(in, out, &o, NULL, NULL), );
}
