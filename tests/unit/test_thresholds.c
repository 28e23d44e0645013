/*
 * test_thresholds.c: cuts of a list small enough to count by hand.
 */
#include "check.h"

static const double scores[] = {.9f, .8f, .7f, .6f, .5f, .4f, .3f, .2f};
static const bool positive[] = {true, true,  false, true,
                                true, false, false, false};

/* Cut after 5: 4 of 5 are positive; after 6: 4 of 6.  So .5 to .4 -> .45. */
TEST(the_longest_list_that_keeps_the_precision)
{
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(scores, positive, 8, (double)NAN,
                                   KITH_GOAL_PRECISION, .75, &t, &err));
    CHECK_NEAR(t.threshold, .45, 1e-6);
    CHECK_NEAR(t.precision, .8, 1e-12);
    CHECK_NEAR(t.recall, 1, 1e-12);
    /* Wilson of 4 in 5 by hand: (.8 + .3842 -+ .4939) / 1.7683 */
    CHECK_NEAR(t.precision_low, .3755, 1e-3);
    CHECK_NEAR(t.precision_high, .9638, 1e-3);
}

TEST(the_shortest_list_that_reaches_the_recall)
{
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(scores, positive, 8, (double)NAN,
                                   KITH_GOAL_RECALL, .6, &t, &err));
    CHECK_INT(t.hits, 3);
    CHECK_INT(t.misses, 1);
    CHECK_NEAR(t.threshold, .55, 1e-6);
}

/* Recall 1, fall-out 1/4; where one in ten is positive: .1 / (.1 + .9/4). */
TEST(precision_hangs_on_the_prevalence)
{
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(scores, positive, 8, .1, KITH_GOAL_AT, .45,
                                   &t, &err));
    CHECK_NEAR(t.precision, .1 / (.1 + .9 / 4), 1e-12);
    CHECK(t.precision_low < t.precision && t.precision < t.precision_high);
}

TEST(a_precision_out_of_reach_gives_the_nearest)
{
    const bool never_first[] = {false, true, true};
    const double s[] = {.9f, .8f, .7f};
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(s, never_first, 3, (double)NAN,
                                   KITH_GOAL_PRECISION, .99, &t, &err));
    CHECK_NEAR(t.precision, 2.0 / 3, 1e-12);
}

TEST(equal_scores_are_cut_together)
{
    const double s[] = {.5f, .5f, .5f, .1f};
    const bool p[] = {true, false, false, false};
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(s, p, 4, (double)NAN, KITH_GOAL_PRECISION,
                                   .9, &t, &err));
    CHECK_INT(t.hits + t.misses, 3);
}

/* Places in a list of 20 million: as floats the first two would be one. */
TEST(large_ranks_are_told_apart)
{
    const double ranks[] = {-16777216, -16777217, -20000000};
    const bool of[] = {true, false, false};
    kith_threshold t;
    kith_error err;

    CHECK_OK(kith_threshold_choose(ranks, of, 3, (double)NAN,
                                   KITH_GOAL_PRECISION, 1, &t, &err));
    CHECK_INT(t.hits, 1);
    CHECK_INT(t.misses, 0);
}

TEST(senseless_wishes_are_refused)
{
    kith_threshold t;
    kith_error err;

    CHECK_INT(kith_threshold_choose(scores, positive, 8, (double)NAN,
                                    KITH_GOAL_PRECISION, 1.5, &t, &err),
              KITH_ERR_ARGUMENT);
    CHECK_INT(kith_threshold_choose(scores, positive, 2, (double)NAN,
                                    KITH_GOAL_PRECISION, .5, &t, &err),
              KITH_ERR_ARGUMENT); /* no negatives */
    CHECK_OOM(st = kith_threshold_choose(scores, positive, 8, (double)NAN,
                                         KITH_GOAL_RECALL, .5, &t, NULL),
              (void)t);
}
