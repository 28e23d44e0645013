/*
 * Expected numbers are from scikit-learn 1.2.1, but for those said to be by
 * hand.  Probabilities are whole 16ths or 64ths, exact as float, with many
 * ties.  This made the problems and the numbers:
 *
 *   import numpy as np
 *   from sklearn.metrics import *
 *
 *   def problem(seed, n, C, present):
 *       r = np.random.RandomState(seed)
 *       y = r.choice(present, n)
 *       k = np.array([r.multinomial(10, r.dirichlet(np.ones(C))) for _ in y])
 *       hot = np.where(r.rand(n) < .6, y, r.randint(C, size=n))
 *       k[np.arange(n), hot] += 6
 *       return y, k / 16
 *
 *   def scores(y, p):
 *       C = p.shape[1]
 *       t = p.argmax(1)
 *       occur = [c for c in range(C) if 0 < (y == c).sum() < len(y)]
 *       if C == 2:
 *           occur = occur[1:]
 *       one = lambda f: np.mean([f(y == c, p[:, c]) for c in occur])
 *       return (accuracy_score(y, t), f1_score(y, t, average="macro"),
 *               one(roc_auc_score), one(average_precision_score),
 *               log_loss(y, p, labels=range(C), eps=1e-15))
 *
 *   scores(*problem(1, 16, 2, [0, 1]))       # two
 *   scores(*problem(2, 18, 3, range(3)))     # three
 *   scores(*problem(3, 24, 7, range(7)))     # seven
 *   scores(*problem(6, 14, 4, [0, 1, 3]))    # absent
 *   scores(*problem(5, 8, 3, [1]))           # single
 *
 * With all classes present they equal roc_auc_score(y, p, multi_class="ovr").
 * The calibration error is NumPy's, of the formula in docs/scores.md:
 *
 *   h, b = p.max(1), np.minimum((p.max(1) * 15).astype(int), 14)
 *   sum((b == i).mean() * abs((t == y)[b == i].mean() - h[b == i].mean())
 *       for i in set(b))
 */
#include "check.h"

typedef struct problem {
    int32_t n, classes;
    const int32_t *y;
    const uint8_t *sixteenths; /* n x classes */
    kith_scores expected;
} problem;

static const int32_t two_y[] = {1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0};
static const uint8_t two_p[] = {4,  12, 7, 9,  6, 10, 15, 1,  2, 14, 6,
                                10, 8,  8, 10, 6, 8,  8,  10, 6, 7,  9,
                                7,  9,  9, 7,  7, 9,  0,  16, 7, 9};

static const int32_t three_y[] = {0, 1, 0, 2, 2, 0, 2, 1, 1,
                                  2, 0, 0, 0, 1, 2, 0, 2, 2};
static const uint8_t three_p[] = {
    8, 2, 6, 6, 8,  2,  10, 2, 4,  1, 6,  9, 5, 2, 9,  8,  7, 1,
    4, 4, 8, 0, 6,  10, 2,  6, 8,  3, 12, 1, 1, 0, 15, 11, 3, 2,
    7, 0, 9, 0, 13, 3,  0,  1, 15, 0, 12, 4, 6, 3, 7,  1,  5, 10};

static const int32_t seven_y[] = {2, 0, 1, 3, 0, 0, 0, 5, 5, 3, 2, 3,
                                  1, 1, 2, 5, 6, 0, 4, 4, 5, 6, 0, 2};
static const uint8_t seven_p[] = {
    0, 10, 2, 0, 2, 1, 1,  7, 0, 0,  3,  3, 1, 2, 1, 0, 1, 1, 0, 7,  6,
    2, 0,  1, 6, 2, 3, 2,  1, 0, 0,  13, 0, 2, 0, 0, 0, 6, 3, 1, 4,  2,
    7, 1,  1, 2, 2, 0, 3,  2, 0, 0,  0,  3, 9, 2, 0, 2, 1, 0, 1, 11, 1,
    1, 3,  0, 8, 0, 1, 3,  0, 2, 11, 0,  2, 1, 0, 9, 0, 1, 1, 0, 5,  0,
    4, 9,  1, 0, 2, 0, 0,  8, 0, 4,  1,  2, 0, 1, 1, 0, 6, 0, 7, 2,  0,
    0, 7,  0, 3, 0, 0, 6,  0, 0, 2,  3,  1, 4, 6, 3, 0, 6, 5, 0, 0,  2,
    1, 0,  1, 2, 9, 0, 3,  3, 3, 2,  0,  6, 1, 1, 1, 0, 4, 1, 3, 7,  0,
    0, 3,  1, 0, 2, 0, 10, 7, 2, 3,  0,  1, 2, 1, 7, 4, 1, 1, 0, 1,  2};

/* No node is of class 2, but two are said to be. */
static const int32_t absent_y[] = {3, 1, 0, 3, 1, 3, 0, 3, 1, 1, 1, 1, 3, 1};
static const uint8_t absent_p[] = {
    3, 2, 1, 10, 1, 2, 9, 4,  13, 2, 1, 0, 2, 6,  1, 7, 8, 1, 5,
    2, 2, 9, 4,  1, 3, 0, 11, 2,  3, 6, 3, 4, 2,  6, 4, 4, 0, 7,
    9, 0, 0, 7,  0, 9, 1, 10, 3,  2, 2, 0, 1, 13, 7, 7, 0, 2};

static const int32_t single_y[] = {1, 1, 1, 1, 1, 1, 1, 1};
static const uint8_t single_p[] = {2, 13, 1, 2, 7, 7, 0, 11, 5,  9, 4, 3,
                                   7, 7,  2, 2, 6, 8, 6, 0,  10, 5, 6, 5};

static const problem problems[] = {
    {16,
     2,
     two_y,
     two_p,
     {16, 0.625, 0.6, 0.716666666666667, 0.806666666666667, 0.545532864864492,
      0.16015625, 0}},
    {18,
     3,
     three_y,
     three_p,
     {18, 0.666666666666667, 0.644385026737968, 0.766774891774892,
      0.6609410430839, 2.73384250542657, 0.298611111111111, 0}},
    {24,
     7,
     seven_y,
     seven_p,
     {24, 0.583333333333333, 0.619387755102041, 0.782059970452828,
      0.562206783298114, 6.7122896320749, 0.169270833333333, 0}},
    {14,
     4,
     absent_y,
     absent_p,
     {14, 0.428571428571429, 0.357575757575758, 0.789021164021164,
      0.716847041847042, 1.16626566533204, 0.352678571428571, 0}},
    {8,
     3,
     single_y,
     single_p,
     {8, 0.5, 0.222222222222222, NAN, NAN, 5.01530240283033, 0.3671875, 0}},
};

/* Labels that borrow y. */
static kith_labels labels_of(const int32_t *y, int32_t n, int32_t classes)
{
    return (kith_labels){
        .nodes = n, .classes = classes, .of = (int32_t *)(uintptr_t)y};
}

static int32_t *all_nodes(int32_t n)
{
    int32_t *nodes = malloc((size_t)n * sizeof(*nodes) + 1);

    for (int32_t i = 0; i < n; i++)
        nodes[i] = i;
    return nodes;
}

static void check_score(double actual, double expected, double tolerance,
                        const char *what, int32_t classes)
{
    const bool same = isnan(expected) ? isnan(actual)
                                      : fabs(actual - expected) <= tolerance;

    if (!same)
        check_failed(__FILE__, __LINE__, "%s of %d classes is %.15g, not %.15g",
                     what, (int)classes, actual, expected);
}

static void check_scores(const kith_scores *a, const kith_scores *e,
                         double tolerance, int32_t classes)
{
    CHECK_INT(a->nodes, e->nodes);
    check_score(a->accuracy, e->accuracy, tolerance, "accuracy", classes);
    check_score(a->macro_f1, e->macro_f1, tolerance, "macro-F1", classes);
    check_score(a->auc, e->auc, tolerance, "AUC", classes);
    check_score(a->average_precision, e->average_precision, tolerance,
                "average precision", classes);
    check_score(a->log_loss, e->log_loss, tolerance, "log-loss", classes);
    check_score(a->ece, e->ece, tolerance, "ECE", classes);
}

static kith_scores score_all(const float *p, const int32_t *y, int32_t n,
                             int32_t classes)
{
    const kith_labels labels = labels_of(y, n, classes);
    int32_t *nodes = all_nodes(n);
    kith_scores s = {0};
    kith_error err;

    CHECK_OK(kith_score(p, &labels, nodes, n,
                        classes == 2 ? 1 : KITH_POSITIVE_AUTO, &s, &err));
    free(nodes);
    return s;
}

TEST(scores_are_those_of_scikit_learn)
{
    for (size_t i = 0; i < sizeof(problems) / sizeof(*problems); i++) {
        const problem *q = &problems[i];
        float p[24 * 7];
        kith_scores s;

        for (int32_t j = 0; j < q->n * q->classes; j++)
            p[j] = (float)q->sixteenths[j] / 16;
        s = score_all(p, q->y, q->n, q->classes);
        check_scores(&s, &q->expected, 1e-13, q->classes);
    }
}

/* ---- a larger problem, by a formula -------------------------------------- */

enum { MANY = 2000, CLASSES = 5 };
static int32_t many_y[MANY];
static float many_p[MANY * CLASSES];

static int32_t draw(uint32_t *x, int32_t below)
{
    *x = (*x * 1103515245u + 12345u) & 0x7fffffff;
    return (int32_t)(*x >> 16) % below;
}

static void make_many(void)
{
    uint32_t x = 1;

    for (int i = 0; i < MANY; i++) {
        float *row = many_p + (ptrdiff_t)i * CLASSES;
        int balls;

        for (int c = 0; c < CLASSES; c++)
            row[c] = 0;
        many_y[i] = draw(&x, CLASSES);
        balls = draw(&x, 12);
        row[many_y[i]] = (float)balls / 64;
        for (; balls < 64; balls++)
            row[draw(&x, draw(&x, CLASSES) + 1)] += 1.0f / 64;
    }
}

/*
 *   x = 1
 *   def draw(below):
 *       global x
 *       x = (x * 1103515245 + 12345) % 2**31
 *       return (x >> 16) % below
 *   y, k = np.zeros(2000, int), np.zeros((2000, 5), int)
 *   for i in range(2000):
 *       y[i] = draw(5)
 *       k[i, y[i]] = draw(12)
 *       for _ in range(64 - k[i].sum()):
 *           k[i, draw(draw(5) + 1)] += 1
 *   scores(y, k / 64)
 */
TEST(scores_of_many_nodes_are_those_of_scikit_learn)
{
    const kith_scores expected = {MANY,
                                  0.2395,
                                  0.14744690187322,
                                  0.875818593061887,
                                  0.716057358139667,
                                  1.49558309251222,
                                  0.2221484375,
                                  0};
    kith_scores s;

    make_many();
    s = score_all(many_p, many_y, MANY, CLASSES);
    check_scores(&s, &expected, 1e-13, CLASSES);
}

/* All but the sum of logarithms are the same to the last bit. */
TEST(the_order_of_nodes_changes_nothing)
{
    kith_labels labels = labels_of(many_y, MANY, CLASSES);
    int32_t nodes[MANY];
    kith_scores a, b;
    kith_error err;

    make_many();
    a = score_all(many_p, many_y, MANY, CLASSES);
    for (int32_t i = 0; i < MANY; i++) /* 7 and 2000 have no common factor */
        nodes[i] = (int32_t)((7 * (int64_t)i + 3) % MANY);
    CHECK_OK(
        kith_score(many_p, &labels, nodes, MANY, KITH_POSITIVE_AUTO, &b, &err));
    CHECK_NEAR(b.log_loss, a.log_loss, 1e-13);
    b.log_loss = a.log_loss;
    check_scores(&b, &a, 0, CLASSES);
}

/* Class 0 of many_p against the rest, and its mirror image.  1 - p is exact. */
TEST(auc_of_reversed_scores_is_one_minus_auc)
{
    static int32_t y[MANY];
    static float p[2 * MANY], reversed[2 * MANY];
    kith_scores a, b;

    make_many();
    for (int i = 0; i < MANY; i++) {
        y[i] = many_y[i] == 0;
        p[2 * i + 1] = reversed[2 * i] = many_p[i * CLASSES];
        p[2 * i] = reversed[2 * i + 1] = 1 - many_p[i * CLASSES];
    }
    a = score_all(p, y, MANY, 2);
    b = score_all(reversed, y, MANY, 2);
    CHECK(a.auc > 0.6 && a.auc < 1);
    CHECK_NEAR(b.auc, 1 - a.auc, 1e-15);
}

/* ---- by hand ------------------------------------------------------------- */

/*
 * The example of docs/scores.md.  Class 1 has scores 1 .9 .45, class 0 .9 .35.
 *   F1: class 0 2*1/(2+2), class 1 2*2/(3+3)
 *   AUC: 4 pairs of 6 in order, one equal, one not
 *   AP: (1/1 + 2/3 + 3/4) / 3
 *   ECE: (|1 - 1| + |1 - 1.8| + |1 - .65| + |0 - .55|) / 5
 */
static const float five_p[] = {0,   1,    .1f,  .9f,  .1f,
                               .9f, .65f, .35f, .55f, .45f};
static const int32_t five_y[] = {1, 1, 0, 0, 1};

TEST(scores_of_five_nodes_by_hand)
{
    const kith_scores expected = {
        5,   3 / 5.,   (1 / 2. + 2 / 3.) / 2,
        .75, 29 / 36., -(log(.9) + log(.1) + log(.65) + log(.45)) / 5,
        .34, 0};
    const kith_scores s = score_all(five_p, five_y, 5, 2);

    check_scores(&s, &expected, 1e-7, 2);
    CHECK_NEAR(s.best_f1, 2 * 3 / (3 + 4.), 1e-15); /* cut at .45 */
}

/* Of class 0, two of the five nodes and so the rarer: scores .65 .1, of the
 * others .55 .1 0; the AUC is the same.
 *   AP: (1/1 + 2/4) / 2       best F1: cut at .65, 2*1/(2+1) */
TEST(the_rarer_of_two_classes_is_looked_for_unless_one_is_named)
{
    const kith_labels labels = labels_of(five_y, 5, 2);
    const int32_t nodes[] = {0, 1, 2, 3, 4}, first[] = {0, 1};
    int32_t rarest;
    kith_scores s[2];
    kith_error err;

    CHECK_OK(kith_labels_rarest(&labels, &rarest, &err));
    CHECK_INT(rarest, 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(kith_score(five_p, &labels, nodes, 5,
                            i ? 0 : KITH_POSITIVE_AUTO, &s[i], &err));
        CHECK_NEAR(s[i].auc, .75, 1e-15);
        CHECK_NEAR(s[i].average_precision, .75, 1e-15);
        CHECK_NEAR(s[i].best_f1, 2 / 3., 1e-15);
    }
    /* by all the labels, not by those that are scored */
    CHECK_OK(
        kith_score(five_p, &labels, first, 2, KITH_POSITIVE_AUTO, &s[0], &err));
    CHECK(isnan(s[0].average_precision));
    CHECK_INT(kith_score(five_p, &labels, nodes, 5, 2, &s[0], &err),
              KITH_ERR_ARGUMENT);
}

/* Three classes of which one is named: that one against the rest. */
TEST(with_more_classes_a_named_one_is_scored_alone)
{
    const int32_t y[] = {0, 1, 2, 2}, nodes[] = {0, 1, 2, 3};
    const float p[] = {.5f, .2f, .3f, .2f, .4f, .4f,
                       .1f, .1f, .8f, .6f, .2f, .2f};
    const kith_labels labels = labels_of(y, 4, 3);
    kith_error err;
    int32_t rarest;
    kith_scores s;

    CHECK_OK(kith_score(p, &labels, nodes, 4, 2, &s, &err));
    CHECK_NEAR(s.auc, 2 / 4., 1e-15); /* .8 over both, .2 over none */
    CHECK_NEAR(s.average_precision, (1 + 2 / 4.) / 2, 1e-15);
    CHECK_OK(kith_labels_rarest(&labels, &rarest, &err));
    CHECK_INT(rarest, 1); /* of equals the last */
}

/* Best first for class 1: nodes 0, then 1 and 2 equal, 4, 3. */
TEST(precision_at_k_takes_the_smaller_node_of_equals)
{
    const kith_labels labels = labels_of(five_y, 5, 2);
    const int32_t nodes[] = {4, 3, 2, 1, 0};
    const double expected[] = {1, 1, 2 / 3., 3 / 4., 3 / 5., 3 / 5.};
    kith_error err;
    double at, recall;

    for (int32_t k = 1; k <= 6; k++) {
        CHECK_OK(kith_precision_at(five_p, &labels, nodes, 5, 1, k, &at,
                                   &recall, &err));
        CHECK_NEAR(at, expected[k - 1], 1e-15);
        CHECK_NEAR(recall, expected[k - 1] * (k < 5 ? k : 5) / 3, 1e-15);
    }
    CHECK_OK(
        kith_precision_at(five_p, &labels, nodes, 5, 0, 1, &at, NULL, &err));
    CHECK_NEAR(at, 1, 0); /* node 3 */
}

/* Three nodes in one bin (.54 to .6): hits 1, confidence .55 + .56 + .57;
 * one at certainty, wrong, its class given nothing. */
TEST(calibration_and_log_loss_of_the_certain)
{
    const float p[] = {.55f, .45f, .44f, .56f, .57f, .43f, 1, 0};
    const int32_t y[] = {0, 0, 1, 1};
    const kith_scores s = score_all(p, y, 4, 2);

    CHECK_NEAR(s.ece, (.68 + 1) / 4, 1e-7);
    CHECK_NEAR(s.log_loss, -(log(.55) + log(.44) + log(.43) + log(1e-15)) / 4,
               1e-7);
}

TEST(equal_probabilities_give_the_first_class_and_an_auc_of_one_half)
{
    const float p[] = {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f};
    const int32_t y[] = {0, 1, 1, 1};
    const kith_scores s = score_all(p, y, 4, 2);

    CHECK_NEAR(s.accuracy, 1 / 4., 0);
    CHECK_NEAR(s.auc, 1 / 2., 0);
    CHECK_NEAR(s.average_precision, 3 / 4., 0);
    CHECK_NEAR(s.ece, 1 / 4., 0);
}

/* -0 is 0: were it sorted by its sign, the AUC would not be one half. */
TEST(minus_zero_is_zero)
{
    const float p[] = {1, -0.0f, 1, 0, 1, -0.0f, 1, 0};
    const int32_t y[] = {0, 1, 0, 1};

    CHECK_NEAR(score_all(p, y, 4, 2).auc, 1 / 2., 0);
}

TEST(nodes_without_a_label_are_left_out)
{
    const int32_t y[] = {1, -1, 0, 0, -1};
    const kith_labels labels = labels_of(y, 5, 2);
    const int32_t all[] = {0, 1, 2, 3, 4}, some[] = {3, 0, 2};
    kith_scores a, b;
    kith_error err;
    double at;

    CHECK_OK(kith_score(five_p, &labels, all, 5, 1, &a, &err));
    CHECK_OK(kith_score(five_p, &labels, some, 3, 1, &b, &err));
    CHECK_INT(a.nodes, 3);
    check_scores(&a, &b, 1e-15, 2);
    CHECK_OK(kith_precision_at(five_p, &labels, all, 5, 1, 2, &at, NULL, &err));
    CHECK_NEAR(at, 1 / 2., 0); /* of nodes 0 and 2 */
}

/* ---- nothing to score, nothing to allow ---------------------------------- */

TEST(no_nodes_give_no_scores)
{
    const int32_t y[] = {-1, -1}, nodes[] = {0, 1};
    const kith_labels labels = labels_of(y, 2, 2);
    const float p[] = {.5f, .5f, .5f, .5f};
    const kith_scores none = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    kith_error err;

    for (int32_t n = 0; n <= 2; n += 2) {
        kith_scores s = {0};
        double at = 0;

        CHECK_OK(kith_score(n ? p : NULL, &labels, n ? nodes : NULL, n, 1, &s,
                            &err));
        check_scores(&s, &none, 0, 2);
        CHECK_OK(kith_precision_at(n ? p : NULL, &labels, n ? nodes : NULL, n,
                                   1, 3, &at, NULL, &err));
        CHECK(isnan(at));
    }
}

TEST(what_is_no_probability_is_refused)
{
    const float bad[] = {NAN, INFINITY, -0.25f, 1.5f};
    const int32_t y[] = {0, 1}, nodes[] = {0, 1};
    const kith_labels labels = labels_of(y, 2, 2);

    for (int i = 0; i < 4; i++) {
        const float p[] = {.5f, .5f, .5f, bad[i]};
        kith_error err = {0};
        kith_scores s;
        double at;

        CHECK(kith_score(p, &labels, nodes, 2, 1, &s, &err) ==
              KITH_ERR_ARGUMENT);
        CHECK(strstr(err.text, "node 1 has") && strstr(err.text, "class 1"));
        CHECK(kith_precision_at(p, &labels, nodes, 2, 0, 1, &at, NULL, &err) ==
              KITH_ERR_ARGUMENT);
    }
}

TEST(senseless_nodes_classes_and_counts_are_refused)
{
    const kith_labels labels = labels_of(five_y, 5, 2);
    const int32_t beyond[] = {0, 5}, below[] = {-1}, good[] = {0};
    kith_error err = {0};
    kith_scores s;
    double at;

    CHECK(kith_score(five_p, &labels, beyond, 2, 1, &s, &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "node 5") != NULL);
    CHECK(kith_score(five_p, &labels, below, 1, 1, &s, NULL) ==
          KITH_ERR_ARGUMENT);
    CHECK(kith_precision_at(five_p, &labels, good, 1, 2, 1, &at, NULL, NULL) ==
          KITH_ERR_ARGUMENT);
    CHECK(kith_precision_at(five_p, &labels, good, 1, -1, 1, &at, NULL, NULL) ==
          KITH_ERR_ARGUMENT);
    CHECK(kith_precision_at(five_p, &labels, good, 1, 0, 0, &at, NULL, NULL) ==
          KITH_ERR_ARGUMENT);
}

TEST(scores_survive_every_failed_allocation)
{
    const kith_labels labels = labels_of(five_y, 5, 2);
    const int32_t nodes[] = {0, 1, 2, 3, 4};
    kith_scores s;
    double at;

    CHECK_OOM(st = kith_score(five_p, &labels, nodes, 5, 1, &s, NULL), (void)s);
    CHECK_OOM(st = kith_precision_at(five_p, &labels, nodes, 5, 1, 2, &at, NULL,
                                     NULL),
              (void)at);
}
