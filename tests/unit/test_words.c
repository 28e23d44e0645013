/*
 * test_words.c: verdicts on probabilities made up here, counted by hand, and
 * the sentences made of them.
 */
#include "small_graphs.h"

/* 40 nodes: 0 to 11 are learnt from, of which 0 to 2 are fraud; 12 to 31 are
 * judged, of which 12 to 21 are fraud; nothing is known of the rest. */
enum { N = 40, LEARNT = 12, JUDGED = 20, FRAUDS = 10 };

static char BENIGN[] = "benign", FRAUD[] = "fraud";
static char *names[] = {BENIGN, FRAUD};

typedef struct fixture {
    kith_dataset data;
    kith_labels labels;
    int32_t of[N], train[LEARNT], judged[JUDGED];
    float p[2 * N];
    uint8_t evidence[N];
    kith_model *m;
    kith_verdict_input in;
    kith_verdict *v;
} fixture;

static bool is_fraud(int u)
{
    return u < 3 || (u >= LEARNT && u < LEARNT + FRAUDS);
}

static void set_up(fixture *f, int learnt)
{
    kith_split split = {.train = f->train, .n_train = learnt};
    kith_train_options o;
    kith_error err;

    memset(f, 0, sizeof(*f));
    for (int u = 0; u < N; u++) {
        f->of[u] = u < LEARNT + JUDGED ? is_fraud(u) : -1;
        f->p[2 * u + 1] = is_fraud(u) ? .9f : .2f;
        f->p[2 * u] = 1 - f->p[2 * u + 1];
        f->evidence[u] = KITH_EVIDENCE_STRONG;
    }
    for (int i = 0; i < learnt; i++) /* of two labels one of each class */
        f->train[i] = learnt == LEARNT ? i : i + 2;
    for (int i = 0; i < JUDGED; i++)
        f->judged[i] = LEARNT + i;
    f->labels = (kith_labels){.nodes = N,
                              .classes = 2,
                              .labelled = LEARNT + JUDGED,
                              .of = f->of,
                              .names = names};
    f->data.labels = &f->labels;
    f->data.graph = small_graph(N, 100, false, 3);
    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.job.threads = 1;
    CHECK_OK(kith_model_train(&f->data, "lp", &split, &o, &f->m, NULL, &err));
    kith_verdict_input_init(&f->in);
    f->in.data = &f->data;
    f->in.model = f->m;
    f->in.probabilities = f->p;
    f->in.judged = f->judged;
    f->in.n_judged = JUDGED;
}

static void tear_down(fixture *f)
{
    kith_verdict_free(f->v);
    kith_model_free(f->m);
    kith_graph_free(f->data.graph);
}

static void check_says(const fixture *f, kith_sentence s, const char *want)
{
    char text[KITH_SENTENCE];

    CHECK_TEXT(kith_verdict_say(f->v, s, text), want);
}

/* Of the judged, one fraud is missed and two of the others are called fraud:
 * 9 of 11 calls are right, Wilson's interval of that is .523 to .949. */
TEST(calls_are_counted_of_the_unknown_and_checked_on_the_judged)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    f.p[2 * 12 + 1] = .3f;
    f.p[2 * 12] = .7f;
    for (int u = 30; u < 36; u++) { /* two judged and four unknown */
        f.p[2 * u + 1] = .8f;
        f.p[2 * u] = .2f;
    }
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->unknown, N - LEARNT);
    CHECK_INT(f.v->learnt, LEARNT);
    CHECK_INT(f.v->positive, 1);
    CHECK_INT(f.v->of[1], 3);
    CHECK_INT(f.v->said[1], 9 + 6);
    CHECK_INT(f.v->said[0], N - LEARNT - 15);
    CHECK_INT(f.v->listed, 11);
    CHECK_INT(f.v->hits, 9);
    CHECK_NEAR(f.v->right.low, .5230, 1e-3);
    CHECK_NEAR(f.v->right.high, .9486, 1e-3);
    check_says(&f, KITH_SAY_HEADLINE,
               "15 of 28 unknown nodes likely fraud; expect 82 % right (52 to "
               "95)");
    check_says(&f, KITH_SAY_LEARNT, "learnt from 3 fraud and 9 benign");
    check_says(&f, KITH_SAY_METHOD, "method lp");
    check_says(&f, KITH_SAY_EVIDENCE, "");
    tear_down(&f);
}

TEST(nodes_without_evidence_are_in_no_class_and_are_told)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    f.in.evidence = f.evidence;
    f.evidence[12] = f.evidence[39] = KITH_EVIDENCE_NONE;
    f.evidence[13] = KITH_EVIDENCE_WEAK;
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->said[1], 9);
    CHECK_INT(f.v->said[0], 17);
    CHECK_INT(f.v->listed, 9); /* and checked on none such */
    check_says(&f, KITH_SAY_EVIDENCE,
               "2 without evidence, 1 with weak evidence");
    check_says(&f, KITH_SAY_HEADLINE,
               "9 of 28 unknown nodes likely fraud (all nine that were checked "
               "are right)");
    tear_down(&f);
}

TEST(two_labels_are_a_guess_and_it_is_said_first)
{
    kith_error err;
    fixture f;

    set_up(&f, 2);
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->trust, KITH_TRUST_GUESS);
    CHECK_INT(f.v->learnt, 2);
    check_says(&f, KITH_SAY_HEADLINE,
               "Two labels: this is a guess. 12 of 38 unknown nodes likely "
               "fraud; expect 100 % right (72 to 100)");
    tear_down(&f);
}

TEST(without_nodes_to_judge_by_nothing_is_claimed)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    f.in.known = f.judged; /* none is left */
    f.in.n_known = JUDGED;
    f.in.judged = NULL;
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->trust, KITH_TRUST_UNKNOWN);
    CHECK_INT(f.v->n_judged, 0);
    CHECK_INT(f.v->unknown, N - LEARNT - JUDGED);
    check_says(&f, KITH_SAY_HEADLINE,
               "0 of 8 unknown nodes likely fraud; how many of these are right "
               "cannot be told");
    check_says(&f, KITH_SAY_TRUST,
               "unknown: no labelled node is left to judge by");
    tear_down(&f);
}

/* Without a list all that have a label and are not learnt from. */
TEST(all_other_labelled_nodes_judge_where_none_are_named)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    f.in.judged = NULL;
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->n_judged, JUDGED);
    CHECK_NEAR(f.v->scores.auc, 1, 0);
    tear_down(&f);
}

/* Probabilities the wrong way round rank every fraud last. */
TEST(what_is_worse_than_chance_is_poor)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    for (int u = 0; u < N; u++) {
        const float p = f.p[2 * u];

        f.p[2 * u] = f.p[2 * u + 1];
        f.p[2 * u + 1] = p;
    }
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->trust, KITH_TRUST_POOR);
    CHECK_NEAR(f.v->scores.auc, 0, 0);
    tear_down(&f);
}

TEST(a_class_can_be_asked_about_and_must_be_one)
{
    kith_error err;
    fixture f;

    set_up(&f, LEARNT);
    f.in.positive = "benign";
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_INT(f.v->positive, 0);
    kith_verdict_free(f.v);
    f.in.positive = "none such";
    CHECK_INT(kith_verdict_new(&f.in, &f.v, &err), KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "the model has no class 'none such'");
    f.in.positive = NULL;
    f.judged[3] = N;
    CHECK_INT(kith_verdict_new(&f.in, &f.v, &err), KITH_ERR_ARGUMENT);
    tear_down(&f);
}

static void check_share(double x, const char *want)
{
    char text[KITH_SHARE];

    CHECK_TEXT(kith_say_share(x, text), want);
}

static void check_score(double x, const char *want)
{
    char text[KITH_SHARE];

    CHECK_TEXT(kith_say_score(x, text), want);
}

TEST(numbers_have_the_digits_that_decide)
{
    check_share(.974, "97 %");
    check_share(.9951, "99.5 %");
    check_share(.9999, "over 99.9 %");
    check_share(1, "100 %");
    check_share(.004, "0.4 %");
    check_share(0, "0 %");
    check_score(.834, ".83");
    check_score(.9971, ".997");
    check_score(.99991, ".9999");
    check_score(1, "1");
    check_score(.003, ".003");
    check_score((double)NAN, "unknown");
}

TEST(a_verdict_survives_every_failed_allocation)
{
    kith_error err;
    fixture f;
    char *json = NULL;
    size_t length;

    set_up(&f, LEARNT);
    CHECK_OOM(st = kith_verdict_new(&f.in, &f.v, &err), kith_verdict_free(f.v));
    CHECK_OK(kith_verdict_new(&f.in, &f.v, &err));
    CHECK_OOM(st = kith_verdict_json(f.v, "g", NULL, 0, &json, &length, &err),
              kith_array_free(json));
    tear_down(&f);
}
