/* Whether numbering by degree pays: the bounds that order.c states, at them. */
#include "check.h"
#include "graph/graph_object.h"
#include "graph/order.h"

enum {
    LEAST = 1 << 18,   /* nodes */
    REACH = LEAST / 64 /* numbers within which a neighbour stands near */
};

/*
 * n rows: every 16th, a hub, has `hub` entries and the others 4.  One entry in
 * four goes `near` numbers away, and one more in row 0 if asked; the others to
 * the other end of the numbers.  Only the sums matter, so it need not be
 * symmetric.
 */
typedef struct shape {
    int32_t n, hub, near;
    bool one_more;
} shape;

static bool pays(shape s)
{
    const int64_t room = (int64_t)s.n * (4 + s.hub);
    int64_t *rows = malloc(((size_t)s.n + 1) * sizeof(*rows));
    int32_t *neighbours = malloc((size_t)room * sizeof(*neighbours));
    kith_graph g = {.n = s.n, .rows = rows, .neighbours = neighbours};
    int64_t p = 0;
    bool answer;

    for (int32_t u = 0; u < s.n; u++) {
        const int32_t degree = u % 16 == 0 ? s.hub : 4;
        const int32_t close = u < s.n / 2 ? u + s.near : u - s.near;
        const int32_t far = u < s.n / 2 ? s.n - 1 : 0;

        const int32_t some = degree / 4 + (u == 0 && s.one_more);

        rows[u] = p;
        for (int32_t i = 0; i < degree; i++)
            neighbours[p++] = i < some ? close : far;
    }
    rows[s.n] = p;
    g.entries = p;
    answer = kith__order_pays(&g);
    free(rows);
    free(neighbours);
    return answer;
}

/* 20 n / 16 of (20 + 15 * 4) n / 16 entries are a quarter; 16 of 76 are not. */
TEST(hubs_must_have_a_quarter_of_the_neighbours)
{
    CHECK(pays((shape){LEAST, 20, REACH, false}));
    CHECK(!pays((shape){LEAST, 16, REACH, false}));
    CHECK(!pays((shape){LEAST, 4, REACH, false}));
}

TEST(in_small_graphs_no_order_pays)
{
    CHECK(pays((shape){LEAST + 16, 40, 1, false}));
    CHECK(!pays((shape){LEAST - 1, 40, 1, false}));
}

/* Near to a quarter exactly: one more is too many, unless it is far. */
TEST(at_most_a_quarter_of_the_neighbours_may_stand_near)
{
    CHECK(!pays((shape){LEAST, 20, REACH, true}));
    CHECK(pays((shape){LEAST, 20, REACH + 1, true}));
}
