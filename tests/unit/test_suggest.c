/*
 * test_suggest.c: what a label would be worth, against a dense inverse.
 */
#include "check.h"
#include "models/model_object.h"
#include "models/solution.h"

/* A star: hub 0 with leaves 1 .. 6.  Beside it two edges, 7 - 8 and 9 - 10, of
 * which 7 and 9 are labelled.  All else knows nothing: a = 1/2. */
static const char star[] = "0\t1\n0\t2\n0\t3\n0\t4\n0\t5\n0\t6\n"
                           "7\t8\n9\t10\n";

enum { HUB = 0, LEAVES = 6 };

static char A[] = "a", B[] = "b", *names[] = {A, B};

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[11];
    kith_model *model;
    kith_solution *solution;
} fixture;

static void set_up(fixture *f)
{
    int32_t train[] = {7, 9};
    kith_train_options o;
    kith_error err;

    memset(f, 0, sizeof(*f));
    for (int i = 0; i < 11; i++)
        f->of[i] = i == 7 ? 0 : i == 9 ? 1 : -1;
    f->labels = (kith_labels){
        .nodes = 11, .classes = 2, .labelled = 2, .of = f->of, .names = names};
    f->data.labels = &f->labels;
    kith_train_options_init(&o);
    CHECK_OK(kith_graph_read(check_file("star.tsv", star), NULL, &f->data.graph,
                             NULL, &err));
    CHECK_OK(kith_model_train(&f->data, "linbp",
                              &(kith_split){.train = train, .n_train = 2}, &o,
                              &f->model, NULL, &err));
    CHECK_OK(kith_solution_new(f->model, &f->data, NULL, &f->solution, &err));
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith_graph_free(f->data.graph);
}

/*
 * H = .4 (1 -1; -1 1), so h = .8, and w = 1 / sqrt(6) on the star.  By hand
 * G = (I - .8 W)^-1 has G_00 = 1 / (1 - .64) and G_0l = .8 w G_00, so the hub's
 * y = (1/2) (1 + 6 (.8 / sqrt(6))) / .36.  y is solved until it changes by less
 * than 1e-3 in a step.  A step shrinks max |y_u| / sqrt(d_u) by .8, so that at
 * most 1e-3 (.8 / .2) sqrt(6) of the hub's is left.
 */
TEST(the_hub_of_a_star_is_worth_what_a_dense_inverse_says)
{
    const double y = .5 * (1 + LEAVES * .8 / sqrt(6)) / .36;
    kith_suggestion s[11];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, NULL, 0, 11, s, &found, &err));
    CHECK_INT(found, 9);
    CHECK_INT(s[0].node, HUB);
    CHECK_NEAR(s[0].uncertainty, .5, 1e-6);
    CHECK_NEAR(s[0].influence, y * y * .36, 2 * y * .36 * 4e-3 * sqrt(6));
    CHECK_NEAR(s[0].score, s[0].uncertainty * s[0].influence, 1e-6);
    /* once it is known its leaves stand alone: G = 1, y = a */
    for (int i = 1; i < found; i++)
        if (s[i].node <= LEAVES)
            CHECK_NEAR(s[i].influence, .25, 1e-6);
    tear_down(&f);
}

/* 8 looks like class a, 10 like b and the star like neither, which counts as a:
 * half of the suggestions are for each class while there are any. */
TEST(each_class_gets_its_share)
{
    const int32_t among[] = {1, 2, 8, 10};
    kith_suggestion s[4];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, among, 4, 4, s, &found, &err));
    CHECK_INT(found, 4);
    CHECK_INT(s[0].node, 1);
    CHECK_INT(s[1].node, 10); /* though 2 scores more */
    CHECK_INT(s[2].node, 2);
    CHECK(s[2].score > s[1].score);
    CHECK_INT(s[3].node, 8);
    CHECK_INT(kith_suggest(f.solution, (int32_t[]){11}, 1, 1, s, &found, &err),
              KITH_ERR_ARGUMENT);
    tear_down(&f);
}

/* A leaf that is known leaves less to learn at the others. */
TEST(suggestions_count_as_known_for_the_next)
{
    const int32_t among[] = {1, 2};
    kith_suggestion s[2];
    kith_error err;
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_suggest(f.solution, among, 2, 2, s, &found, &err));
    CHECK(s[0].node == 1 && s[1].node == 2);
    CHECK(s[1].influence < s[0].influence);
    tear_down(&f);
}

TEST(suggesting_survives_every_failed_allocation)
{
    kith_suggestion s[3];
    int32_t found;
    fixture f;

    set_up(&f);
    CHECK_OOM(st = kith_suggest(f.solution, NULL, 0, 3, s, &found, NULL),
              (void)0);
    tear_down(&f);
}
