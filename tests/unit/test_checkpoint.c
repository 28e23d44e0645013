/*
 * test_checkpoint.c: what is saved comes back, once, to the same run alone.
 */
#include "check.h"
#include "models/checkpoint.h"

enum { GROUPS = 2 };

static double worth[][GROUPS] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};

static const kith__valued some[] = {{{.5, 1.25}, worth[0]},
                                    {{.625, 1.125}, worth[1]},
                                    {{.75, .875}, worth[2]},
                                    {{.25, 2.5}, worth[3]}};

/* Room for what comes back. */
static double room[][GROUPS] = {{0}, {0}, {0}, {0}};
static kith__valued got[] = {{.worth = room[0]},
                             {.worth = room[1]},
                             {.worth = room[2]},
                             {.worth = room[3]}};

/* Numbers a to b - 1 of `some`, in the order of asking. */
static void check_scores(int a, int b)
{
    for (int i = a; i < b; i++) {
        CHECK_NEAR(got[i - a].score.accuracy, some[i].score.accuracy, 0);
        CHECK_NEAR(got[i - a].score.log_loss, some[i].score.log_loss, 0);
        for (int g = 0; g < GROUPS; g++)
            CHECK_NEAR(room[i - a][g], worth[i][g], 0);
    }
}

TEST(scores_come_back_in_order)
{
    const char *path = check_path("scores.kc");
    kith__checkpoint *c = NULL;
    kith_error err;

    CHECK_OK(kith__checkpoint_open(path, 7, &c, &err));
    CHECK(!kith__checkpoint_scores(c, 1, GROUPS, got));
    CHECK_OK(kith__checkpoint_add(c, 1, GROUPS, some, &err));
    CHECK_OK(kith__checkpoint_add(c, 3, GROUPS, some + 1, &err));
    CHECK(
        !kith__checkpoint_scores(c, 1, GROUPS, got)); /* it had none at first */
    kith__checkpoint_free(c);

    CHECK_OK(kith__checkpoint_open(path, 7, &c, &err));
    CHECK(!kith__checkpoint_scores(c, 5, GROUPS, got)); /* all or nothing */
    CHECK(kith__checkpoint_scores(c, 3, GROUPS, got));
    check_scores(0, 3);
    CHECK(!kith__checkpoint_scores(c, 2, GROUPS, got));
    CHECK(kith__checkpoint_scores(c, 1, GROUPS, got));
    check_scores(3, 4);
    CHECK(!kith__checkpoint_scores(c, 1, GROUPS, got));
    kith__checkpoint_free(c);
}

/* Scores that were read go into the file again with those that are new. */
TEST(scores_are_added_to_those_of_the_file)
{
    const char *path = check_path("more.kc");
    kith__checkpoint *c = NULL;
    kith_error err;

    CHECK_OK(kith__checkpoint_open(path, 1, &c, &err));
    CHECK_OK(kith__checkpoint_add(c, 2, GROUPS, some, &err));
    kith__checkpoint_free(c);
    CHECK_OK(kith__checkpoint_open(path, 1, &c, &err));
    CHECK(kith__checkpoint_scores(c, 2, GROUPS, got));
    CHECK_OK(kith__checkpoint_add(c, 2, GROUPS, some + 2, &err));
    kith__checkpoint_free(c);
    CHECK_OK(kith__checkpoint_open(path, 1, &c, &err));
    CHECK(kith__checkpoint_scores(c, 4, GROUPS, got));
    check_scores(0, 4);
    kith__checkpoint_free(c);
}

TEST(a_state_comes_back_once_with_the_scores_before_it)
{
    const char *path = check_path("state.kc");
    char a[5] = "abcd", b[3] = "xy";
    float zero[2] = {1, 2};
    const kith__saved state[] = {
        {"first", a, 5}, {"second", b, 3}, {"third", zero, sizeof(zero)}};
    kith__checkpoint *c = NULL;
    bool found = true;
    kith_error err;

    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK_OK(kith__checkpoint_restore(c, state, 3, &found, &err));
    CHECK(!found);
    CHECK_OK(kith__checkpoint_add(c, 2, GROUPS, some, &err));
    CHECK_OK(kith__checkpoint_save(c, state, 3, &err));
    kith__checkpoint_free(c);

    memset(a, 0, sizeof(a));
    memset(b, 0, sizeof(b));
    memset(zero, 0, sizeof(zero));
    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK(kith__checkpoint_scores(c, 2, GROUPS, got));
    check_scores(0, 2);
    CHECK_OK(kith__checkpoint_restore(c, state, 3, &found, &err));
    CHECK(found);
    CHECK_TEXT(a, "abcd");
    CHECK_TEXT(b, "xy");
    CHECK(zero[0] == 1 && zero[1] == 2);
    a[0] = 'z';
    CHECK_OK(kith__checkpoint_restore(c, state, 3, &found, &err));
    CHECK(!found && a[0] == 'z');
    kith__checkpoint_free(c);
}

/* Scores are final: the state before them is of no use. */
TEST(new_scores_drop_the_state)
{
    const char *path = check_path("dropped.kc");
    char a[5] = "abcd";
    const kith__saved state = {"first", a, 5};
    kith__checkpoint *c = NULL;
    bool found = true;
    kith_error err;

    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK_OK(kith__checkpoint_save(c, &state, 1, &err));
    CHECK_OK(kith__checkpoint_add(c, 1, GROUPS, some, &err));
    kith__checkpoint_free(c);
    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK_OK(kith__checkpoint_restore(c, &state, 1, &found, &err));
    CHECK(!found);
    kith__checkpoint_free(c);
}

TEST(another_run_and_another_state_are_refused)
{
    const char *path = check_path("refused.kc");
    char a[8] = "abcd";
    const kith__saved state = {"first", a, 5}, longer = {"first", a, 6};
    kith__checkpoint *c = NULL;
    bool found;
    kith_error err;

    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK_OK(kith__checkpoint_save(c, &state, 1, &err));
    kith__checkpoint_free(c);
    CHECK(kith__checkpoint_open(path, 8, &c, &err) == KITH_ERR_ARGUMENT);
    CHECK(!c && strstr(err.text, "another run"));
    CHECK_OK(kith__checkpoint_open(path, 9, &c, &err));
    CHECK(kith__checkpoint_restore(c, &longer, 1, &found, &err) != KITH_OK);
    kith__checkpoint_free(c);
}

TEST(no_checkpoint_is_fine)
{
    bool found = true;
    kith_error err;

    CHECK(!kith__checkpoint_scores(NULL, 0, GROUPS, got));
    CHECK_OK(kith__checkpoint_add(NULL, 1, GROUPS, some, &err));
    CHECK_OK(kith__checkpoint_save(NULL, NULL, 0, &err));
    CHECK_OK(kith__checkpoint_restore(NULL, NULL, 0, &found, &err));
    CHECK(!found);
    kith__checkpoint_free(NULL);
}

TEST(a_checkpoint_survives_every_failed_allocation)
{
    const char *path = check_path("oom.kc");
    kith__checkpoint *c = NULL;
    kith_error err;

    CHECK_OOM(
        {
            unlink(path);
            st = kith__checkpoint_open(path, 3, &c, &err);
            if (st == KITH_OK)
                st = kith__checkpoint_add(c, 4, GROUPS, some, &err);
            kith__checkpoint_free(c);
            c = NULL;
            if (st == KITH_OK)
                st = kith__checkpoint_open(path, 3, &c, &err);
        },
        kith__checkpoint_free(c));
}
