/*
 * test_boosted_trees.c: trees grown by XGBoost, where what they must say is
 * known: a table that one split explains, one that needs two columns at once.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "models/potentials/boosted_trees.h"

enum { N = 400 };

typedef struct table {
    kith__csr_matrix x;
    int64_t row[N + 1];
    int32_t column[2 * N], truth[N];
    float value[2 * N];
} table;

/* Two columns of numbers; `classes` by the quadrant: 2: do their signs differ,
 * 4: which one. */
static void fill(table *t, int classes, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 1);

    for (int i = 0; i < N; i++) {
        bool up[2];

        for (int j = 0; j < 2; j++) {
            t->column[2 * i + j] = j;
            t->value[2 * i + j] = (float)(2 * kith__rng_real(&r) - 1);
            up[j] = t->value[2 * i + j] > 0;
        }
        t->row[i] = 2 * i;
        t->truth[i] = classes == 2 ? up[0] != up[1] : 2 * up[0] + up[1];
    }
    t->row[N] = 2 * N;
    t->x = (kith__csr_matrix){N, 2, t->row, t->column, t->value};
}

static double accuracy(const float *Z, const table *t, int C)
{
    int right = 0;

    for (int i = 0; i < N; i++) {
        int best = 0;
        double sum = 0;

        for (int c = 0; c < C; c++) {
            sum += (double)Z[i * C + c];
            if (Z[i * C + c] > Z[i * C + best])
                best = c;
        }
        CHECK_NEAR(sum, 0, 1e-4); /* rows are centred */
        right += best == t->truth[i];
    }
    return (double)right / N;
}

/* Skips the test where there is no XGBoost. */
static void needs_trees(void)
{
    if (!kith__trees_version())
        check_skip("no XGBoost");
}

static kith__trees *grow(const table *t, const table *watch, int classes,
                         int rounds, int *kept)
{
    const kith__tree_options o = {classes, rounds, 5, 1};
    const kith__tree_rows rows = {&t->x, t->truth, NULL};
    const kith__tree_rows other = {watch ? &watch->x : NULL,
                                   watch ? watch->truth : NULL, NULL};
    kith__trees *trees = NULL;
    kith_error err;

    CHECK_OK(kith__trees_fit(&o, &rows, watch ? &other : NULL, NULL, &trees,
                             kept, &err));
    return trees;
}

TEST(trees_see_what_takes_two_columns_at_once)
{
    for (int C = 2; C <= 4; C += 2) {
        static table seen, unseen;
        static float Z[N * 4];
        kith__trees *trees;
        kith_error err;
        int kept = 0;

        needs_trees();
        fill(&seen, C, 1);
        fill(&unseen, C, 2);
        trees = grow(&seen, NULL, C, 40, &kept);
        CHECK_INT(kept, 40);
        CHECK_OK(kith__trees_predict(trees, &unseen.x, 1, Z, &err));
        CHECK(accuracy(Z, &unseen, C) > .95); /* a line has at most .5, .75 */
        kith__trees_free(trees);
    }
}

TEST(trees_stop_where_other_rows_gain_no_more)
{
    static table seen, noise;
    static float Z[N * 2];
    kith__trees *trees;
    kith_error err;
    double loss = 0;
    int kept = 0;

    needs_trees();
    fill(&seen, 2, 1);
    fill(&noise, 2, 2);
    for (int i = 0; i < N; i++) /* nothing can be known of them */
        noise.truth[i] = i % 2;
    trees = grow(&seen, &noise, 2, 200, &kept);
    CHECK(kept >= 1 && kept < 20);
    CHECK_OK(kith__trees_predict(trees, &noise.x, 1, Z, &err));
    for (int i = 0; i < N; i++)
        loss += log(1 + exp(-2 * (double)Z[2 * i + noise.truth[i]])) / N;
    CHECK(loss < .75); /* log 2 = .693 is the least; trees to the end: over 2 */
    kith__trees_free(trees);
}

TEST(trees_are_the_same_for_any_number_of_threads_and_every_time)
{
    static table seen, unseen;
    static float Z[2][N * 4];
    kith_error err;
    int kept = 0;

    needs_trees();
    fill(&seen, 4, 1);
    fill(&unseen, 4, 2);
    for (int i = 0; i < 2; i++) {
        kith__trees *trees = grow(&seen, NULL, 4, 20, &kept);

        CHECK_OK(kith__trees_predict(trees, &unseen.x, i ? 4 : 1, Z[i], &err));
        kith__trees_free(trees);
    }
    CHECK(memcmp(Z[0], Z[1], sizeof(Z[0])) == 0);
}

/* A row that weighs nothing might as well not be there. */
TEST(rows_count_by_their_weight)
{
    static table seen;
    static float Z[N * 2], weight[N];
    const kith__tree_options o = {2, 60, 5, 1};
    const kith__tree_rows rows = {&seen.x, seen.truth, weight};
    kith__trees *trees = NULL;
    kith_error err;
    int kept, wrong = 0;

    needs_trees();
    fill(&seen, 2, 1);
    for (int i = 0; i < N; i++) {
        weight[i] = i % 4 != 0;
        if (i % 4 == 0)
            seen.truth[i] = !seen.truth[i];
    }
    CHECK_OK(kith__trees_fit(&o, &rows, NULL, NULL, &trees, &kept, &err));
    CHECK_OK(kith__trees_predict(trees, &seen.x, 1, Z, &err));
    for (int i = 0; i < N; i += 4) /* they say what the others do */
        wrong += Z[2 * i + seen.truth[i]] > 0;
    CHECK(wrong < N / 40);
    kith__trees_free(trees);
}

static int stop(void *user, const kith_progress *step)
{
    (void)user;
    (void)step;
    return 1;
}

TEST(growing_can_be_cancelled_and_is_refused_without_the_library)
{
    static table seen;
    const kith__tree_options o = {2, 10, 5, 1};
    const kith__tree_rows rows = {&seen.x, seen.truth, NULL};
    const kith_job job = {.progress = stop};
    kith__trees *trees = NULL;
    kith_error err;
    int kept;

    fill(&seen, 2, 1);
    CHECK_INT(kith__trees_fit(&o, &rows, NULL, &job, &trees, &kept, &err),
              kith__trees_version() ? KITH_ERR_CANCELLED : KITH_ERR_ARGUMENT);
    CHECK(trees == NULL);
}
