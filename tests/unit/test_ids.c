#include "check.h"
#include "colliding_ids.h"
#include "graph/graph_object.h"

static void add(kith__id_set *set, const char *id, int32_t expected)
{
    CHECK_INT(kith__id_set_add(set, id, strlen(id), NULL), expected);
}

static void check_id(const kith__ids *ids, int32_t node, const char *expected)
{
    char buffer[KITH_ID_BUFFER], text[100];
    size_t length;
    const char *id = kith__ids_get(ids, node, buffer, &length);

    snprintf(text, sizeof(text), "%.*s", (int)length, id);
    CHECK_TEXT(text, expected);
    CHECK_INT(kith__ids_find(ids, expected, strlen(expected)), node);
}

TEST(integers_are_canonical_or_text)
{
    int64_t v = -1;

    CHECK(kith__id_integer("0", 1, &v) && v == 0);
    CHECK(kith__id_integer("9223372036854775807", 19, &v) && v == INT64_MAX);
    CHECK(!kith__id_integer("9223372036854775808", 19, &v));
    CHECK(!kith__id_integer("99999999999999999999", 20, &v));
    CHECK(!kith__id_integer("07", 2, &v));
    CHECK(!kith__id_integer("-1", 2, &v));
    CHECK(!kith__id_integer("+1", 2, &v));
    CHECK(!kith__id_integer("1 ", 2, &v));
    CHECK(!kith__id_integer("", 0, &v));
}

TEST(text_ids_keep_their_order_and_bytes)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    add(&set, "bob", 0);
    add(&set, "alice smith", 1);
    add(&set, "bob", 0);
    add(&set, "007", 2);
    add(&set, "\xe2\x98\x83", 3);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK_INT(ids.kind, KITH__IDS_TEXT);
    check_id(&ids, 0, "bob");
    check_id(&ids, 1, "alice smith");
    check_id(&ids, 2, "007");
    check_id(&ids, 3, "\xe2\x98\x83");
    CHECK_INT(kith__ids_find(&ids, "7", 1), -1);
    CHECK_INT(kith__ids_find(&ids, "", 0), -1);
    CHECK(kith__ids_valid(&ids));
    kith__ids_release(&ids);
}

TEST(integer_ids_are_put_in_numeric_order)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    add(&set, "100", 0);
    add(&set, "9", 1);
    add(&set, "99999999999", 2);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK_INT(ids.kind, KITH__IDS_INTEGER);
    check_id(&ids, 0, "9");
    check_id(&ids, 1, "100");
    check_id(&ids, 2, "99999999999");
    CHECK_INT(kith__ids_find(&ids, "10", 2), -1);
    CHECK_INT(kith__ids_find(&ids, "099", 3), -1);
    CHECK(kith__ids_valid(&ids));
    kith__ids_release(&ids);
}

TEST(consecutive_integers_store_nothing)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    add(&set, "8", 0);
    add(&set, "7", 1);
    add(&set, "9", 2);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK_INT(ids.kind, KITH__IDS_RANGE);
    CHECK_INT(ids.base, 7);
    CHECK(ids.values == NULL);
    check_id(&ids, 2, "9");
    CHECK_INT(kith__ids_find(&ids, "10", 2), -1);
    CHECK_INT(kith__ids_find(&ids, "6", 1), -1);
    kith__ids_release(&ids);
}

/* A list of nodes says the order: 2, 1 stays 2, 1 and so is text. */
TEST(a_given_order_of_integers_is_kept)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    add(&set, "2", 0);
    add(&set, "1", 1);
    CHECK_OK(kith__ids_from_set(&set, false, NULL, &ids, &err));
    CHECK_INT(ids.kind, KITH__IDS_TEXT);
    check_id(&ids, 0, "2");
    kith__ids_release(&ids);
}

/* Enough ids for several rehashes and for long varints. */
static void fill_many(kith__id_set *set)
{
    char id[400];

    memset(id, 'x', sizeof(id));
    for (int i = 0; i < 5000; i++) {
        const int n = snprintf(id, sizeof(id), "node-%d", i);

        id[n] = 'x';
        add(set, "", i == 0 ? 0 : 0); /* the empty id is an id too */
        CHECK_INT(
            kith__id_set_add(set, id, (size_t)n + (size_t)(i % 300), NULL),
            i + 1);
    }
}

TEST(thousands_of_ids_are_found_again)
{
    kith__id_set set = {0};
    kith__ids ids, copy;
    kith_error err;

    fill_many(&set);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK_INT(ids.n, 5001);
    CHECK(kith__ids_valid(&ids));
    CHECK_OK(kith__ids_copy(&ids, &copy, &err));
    kith__ids_release(&ids);
    CHECK(kith__ids_valid(&copy));
    check_id(&copy, 1, "node-0");
    kith__ids_release(&copy);
}

/* What a damaged file could hold must be noticed, and read safely. */
TEST(broken_text_tables_are_noticed)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;
    char buffer[KITH_ID_BUFFER];
    size_t length;

    add(&set, "a", 0);
    add(&set, "b", 1);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    ((uint8_t *)ids.bytes)[0] = 0xff; /* a length beyond the end */
    CHECK(!kith__ids_valid(&ids));
    (void)kith__ids_get(&ids, 1, buffer, &length);
    CHECK(length <= (size_t)ids.n_bytes);
    ((uint8_t *)ids.bytes)[0] = 1;
    CHECK(kith__ids_valid(&ids));
    ((uint32_t *)ids.slots)[0] = 99; /* a node that does not exist */
    ((uint64_t *)ids.groups)[0] = UINT64_MAX;
    CHECK(!kith__ids_valid(&ids));
    (void)kith__ids_get(&ids, 0, buffer, &length);
    CHECK_INT(length, 0);
    kith__ids_release(&ids);
}

static kith_status build_set(void)
{
    kith__id_set set = {0};
    kith__ids ids;
    char id[32];
    kith_status st = KITH_OK;

    for (int i = 0; i < 100 && st == KITH_OK; i++) {
        const int n = snprintf(id, sizeof(id), "n%d", i);

        if (kith__id_set_add(&set, id, (size_t)n, NULL) < 0)
            st = KITH_ERR_NOMEM;
    }
    if (st == KITH_OK) {
        st = kith__ids_from_set(&set, true, NULL, &ids, NULL);
        if (st == KITH_OK)
            kith__ids_release(&ids);
    }
    kith__id_set_release(&set);
    return st;
}

TEST(ids_survive_every_failed_allocation)
{
    CHECK_OOM(st = build_set(), );
}

/* ---- ids that were made to collide --------------------------------------- */

enum { FLOOD = 100000 };

/* The vectors of the paper that SipHash comes from: key 00 01 ... 0f, message
 * 00 01 ... 0e; and of its authors' program for the empty message. */
TEST(the_secret_hash_is_siphash)
{
    const kith__secret key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    char message[15];

    for (int i = 0; i < 15; i++)
        message[i] = (char)i;
    CHECK(kith__secret_hash(key, message, 15) == 0xa129ca6149be45e5);
    CHECK(kith__secret_hash(key, message, 0) == 0x726fdb47dd0e0e31);
}

TEST(every_secret_is_another)
{
    const kith__secret a = kith__secret_new(), b = kith__secret_new();

    CHECK(a.high != 0 && b.high != 0);
    CHECK(a.low != b.low || a.high != b.high);
}

static void fill_colliding(kith__id_set *set, int32_t n)
{
    uint64_t count = 0;
    char id[8];

    for (int32_t i = 0; i < n; i++) {
        bool added;

        colliding_next(&count, id);
        CHECK(XXH3_64bits(id, 8) % (1 << 18) == 0);
        CHECK((XXH3_64bits(id, 8) >> 32) % (1 << 18) == 0);
        CHECK_INT(kith__id_set_add(set, id, 8, &added), i);
        CHECK(added);
    }
}

/* The most full slots that any search passes. */
static int64_t most_full(const uint32_t *slots, int64_t n_slots)
{
    int64_t run = 0, most = 0;

    for (int64_t i = 0; i < 2 * n_slots; i++) {
        run = slots[i % n_slots] ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

/* Without a secret each would pass all before it: 5,000,000,000. */
TEST(colliding_ids_pass_few_others)
{
    kith__id_set set = {0};
    kith__ids ids, copy;
    kith_error err;
    uint64_t count = 0;
    char id[8];

    fill_colliding(&set, FLOOD);
    CHECK(set.probes < 10 * FLOOD);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK(ids.hidden && most_full(ids.hidden, ids.n_slots) < 500);
    CHECK_INT(most_full(ids.slots, ids.n_slots), FLOOD);
    CHECK_OK(kith__ids_copy(&ids, &copy, &err));
    CHECK(copy.hidden && most_full(copy.hidden, copy.n_slots) < 500);
    for (int32_t i = 0; i < FLOOD; i++) {
        colliding_next(&count, id);
        CHECK_INT(kith__ids_find(&ids, id, 8), i);
        CHECK_INT(kith__ids_find(&copy, id, 8), i);
    }
    colliding_next(&count, id);
    CHECK_INT(kith__ids_find(&ids, id, 8), -1);
    CHECK(kith__ids_valid(&ids) && kith__ids_valid(&copy));
    kith__ids_release(&ids);
    kith__ids_release(&copy);
}

/* All 32 bits that the set keeps are the same: passing is dear then. */
TEST(ids_of_one_hash_pass_few_others)
{
    kith__id_set set = {0};
    char id[8];

    for (int32_t i = 0; i < 10000; i++) {
        colliding_bytes((uint64_t)77 << 32 | (uint32_t)i, id);
        CHECK_INT(kith__id_set_add(&set, id, 8, NULL), i);
    }
    CHECK(set.key.high != 0 && set.probes < 100000);
    kith__id_set_release(&set);
}

/* What files hold is the same as by the plain way, which is written out here:
 * some ids that collide, some that do not, in runs that go over the end. */
TEST(slots_are_the_same_bytes_as_by_plain_probing)
{
    enum { N = 3000 };
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;
    uint32_t *twin;
    char id[8], buffer[KITH_ID_BUFFER];

    for (int32_t i = 0; i < N; i++) {
        colliding_bytes((uint64_t)i << 32 | (uint64_t)(i % 3 ? 4000 : i), id);
        CHECK_INT(kith__id_set_add(&set, id, 8, NULL), i);
    }
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK_INT(ids.n_slots, 4096);
    twin = calloc(4096, sizeof(*twin));
    for (int32_t i = 0; i < N; i++) {
        size_t length, slot;
        const char *text = kith__ids_get(&ids, i, buffer, &length);

        slot = XXH3_64bits(text, length) % 4096;
        while (twin[slot])
            slot = (slot + 1) % 4096;
        twin[slot] = (uint32_t)i + 1;
    }
    CHECK(memcmp(twin, ids.slots, 4096 * sizeof(*twin)) == 0);
    CHECK(ids.hidden != NULL);
    free(twin);
    kith__ids_release(&ids);
}

/* A file may hold slots that are all full: the search for what is not there
 * would go through all of them. */
TEST(full_slots_of_a_file_are_not_searched)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    fill_many(&set);
    CHECK_OK(kith__ids_from_set(&set, true, NULL, &ids, &err));
    CHECK(ids.hidden == NULL);
    for (int64_t i = 0; i < ids.n_slots; i++)
        ((uint32_t *)ids.slots)[i] = 1;
    CHECK_OK(kith__ids_guard(&ids, &err));
    CHECK(ids.hidden && most_full(ids.hidden, ids.n_slots) < 500);
    check_id(&ids, 1, "node-0");
    CHECK_INT(kith__ids_find(&ids, "absent", 6), -1);
    kith__ids_release(&ids);
}

/* From a text file to a built one and back: whoever opens it is safe, too. */
TEST(a_built_file_of_colliding_ids_is_searched_quickly)
{
    kith_graph *g = NULL, *opened = NULL;
    kith_error err;
    uint64_t count = 0;
    char id[8];
    FILE *f = fopen(check_path("flood.tsv"), "w");

    for (int i = 0; i < FLOOD; i++) {
        colliding_next(&count, id);
        fprintf(f, "%.8s%c", id, i % 2 ? '\n' : '\t');
    }
    fclose(f);
    CHECK_OK(kith_graph_read(check_path("flood.tsv"), NULL, &g, NULL, &err));
    CHECK_OK(kith_graph_write(g, check_path("flood.kg"), KITH_GRAPH_AUTO, NULL,
                              &err));
    CHECK_OK(kith_graph_open(check_path("flood.kg"), &opened, &err));
    CHECK(opened && opened->ids.hidden &&
          most_full(opened->ids.hidden, opened->ids.n_slots) < 500);
    CHECK_INT(kith_graph_find(opened, id, 8), FLOOD - 1);
    CHECK_OK(kith_graph_verify(opened, NULL, &err));
    kith_graph_free(g);
    kith_graph_free(opened);
}

static int stop(void *user, const kith_progress *p)
{
    (void)user, (void)p;
    return 1;
}

TEST(indexing_ids_hears_a_wish_to_stop)
{
    const kith_job job = {.progress = stop};
    kith__id_set set = {0};
    kith__ids ids;
    kith_error err;

    add(&set, "b", 0);
    add(&set, "a", 1);
    CHECK_INT(kith__ids_from_set(&set, true, &job, &ids, &err),
              KITH_ERR_CANCELLED);
}

static kith_status build_colliding(void)
{
    kith__id_set set = {0};
    kith__ids ids;
    kith_status st = KITH_OK;
    char id[8];

    for (int i = 0; i < 1500 && st == KITH_OK; i++) {
        colliding_bytes((uint64_t)i << 50, id);
        if (kith__id_set_add(&set, id, 8, NULL) < 0)
            st = KITH_ERR_NOMEM;
    }
    if (st == KITH_OK) {
        st = kith__ids_from_set(&set, true, NULL, &ids, NULL);
        if (st == KITH_OK)
            kith__ids_release(&ids);
    }
    kith__id_set_release(&set);
    return st;
}

TEST(colliding_ids_survive_every_failed_allocation)
{
    CHECK_OOM(st = build_colliding(), );
}
