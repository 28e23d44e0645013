/*
 * test_fit_state.c: what a method learnt, by name.
 */
#include "check.h"
#include "models/fit_state.h"

static void fill(kith__fit_state *s)
{
    float *a;

    CHECK(kith__fit_state_set(s, "h", .5));
    CHECK(kith__fit_state_choose(s, "transform", "tf-idf"));
    a = kith__fit_state_array(s, "weights", 2, 3);
    CHECK(a != NULL);
    for (int i = 0; i < 6; i++) {
        CHECK(a[i] == 0);
        a[i] = (float)i;
    }
}

TEST(what_was_put_is_found_by_name_and_kind)
{
    kith__fit_state s = {0};

    fill(&s);
    CHECK_INT(s.n, 3);
    CHECK_NEAR(kith__fit_state_number(&s, "h", 7), .5, 0);
    CHECK_TEXT(kith__fit_state_text(&s, "transform"), "tf-idf");
    CHECK_NEAR(kith__fit_state_values(&s, "weights", 2, 3)[5], 5, 0);
    /* not there, or of another kind or shape */
    CHECK_NEAR(kith__fit_state_number(&s, "beta", 7), 7, 0);
    CHECK_NEAR(kith__fit_state_number(&s, "transform", 7), 7, 0);
    CHECK_NEAR(kith__fit_state_number(&s, "weights", 7), 7, 0);
    CHECK_TEXT(kith__fit_state_text(&s, "h"), "");
    CHECK_TEXT(kith__fit_state_text(&s, "none"), "");
    CHECK(!kith__fit_state_values(&s, "weights", 3, 2));
    CHECK(!kith__fit_state_values(&s, "h", 0, 0));
    CHECK(!kith__fit_state_find(&s, "none"));
    kith__fit_state_release(&s);
    CHECK_INT(s.n, 0);
}

TEST(a_name_is_there_once)
{
    kith__fit_state s = {0};

    fill(&s);
    CHECK(kith__fit_state_set(&s, "transform", 3)); /* a text before */
    CHECK(kith__fit_state_set(&s, "weights", 4));   /* an array */
    CHECK_INT(s.n, 3);
    CHECK_NEAR(kith__fit_state_number(&s, "transform", 7), 3, 0);
    CHECK_NEAR(kith__fit_state_number(&s, "weights", 7), 4, 0);
    CHECK_TEXT(kith__fit_state_text(&s, "transform"), "");
    kith__fit_state_release(&s);
}

TEST(choices_are_copied_without_what_was_fitted)
{
    kith__fit_state s = {0}, to = {0};

    fill(&s);
    CHECK(kith__fit_state_copy_choices(&s, &to));
    CHECK_INT(to.n, 2);
    CHECK_NEAR(kith__fit_state_number(&to, "h", 7), .5, 0);
    CHECK_TEXT(kith__fit_state_text(&to, "transform"), "tf-idf");
    CHECK(!kith__fit_state_find(&to, "weights"));
    kith__fit_state_release(&to);
    kith__fit_state_release(&s);
}

TEST(arrays_that_no_memory_could_hold_are_refused)
{
    kith__fit_state s = {0};

    CHECK(!kith__fit_state_array(&s, "a", INT64_MAX, 2));
    CHECK(!kith__fit_state_array(&s, "a", -1, 2));
    CHECK_INT(s.n, 0);
    kith__fit_state_release(&s);
}

static kith_status fill_and_release(void)
{
    kith__fit_state s = {0};
    const bool done = kith__fit_state_set(&s, "h", .5) &&
                      kith__fit_state_choose(&s, "t", "x") &&
                      kith__fit_state_array(&s, "w", 2, 2) != NULL;

    kith__fit_state_release(&s);
    return done ? KITH_OK : KITH_ERR_NOMEM;
}

TEST(every_failed_allocation_leaves_what_can_be_released)
{
    CHECK_OOM(st = fill_and_release(), (void)0);
}
