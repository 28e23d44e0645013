#include "check.h"
#include "graph/ids.h"

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
    CHECK_OK(kith__ids_from_set(&set, true, &ids, &err));
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
    CHECK_OK(kith__ids_from_set(&set, true, &ids, &err));
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
    CHECK_OK(kith__ids_from_set(&set, true, &ids, &err));
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
    CHECK_OK(kith__ids_from_set(&set, false, &ids, &err));
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
    CHECK_OK(kith__ids_from_set(&set, true, &ids, &err));
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
    CHECK_OK(kith__ids_from_set(&set, true, &ids, &err));
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
        st = kith__ids_from_set(&set, true, &ids, NULL);
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
