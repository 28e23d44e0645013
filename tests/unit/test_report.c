/* What a report says: JSON byte by byte, and measures worked out by hand. */
#include "check.h"
#include "core/alloc.h"
#include "report/measures.h"

/* ---- JSON ---------------------------------------------------------------- */

TEST(commas_stand_between_values_only)
{
    kith__json j = {0};

    kith__json_open(&j, NULL, '{');
    kith__json_bool(&j, "yes", true);
    kith__json_bool(&j, "no", false);
    kith__json_open(&j, "empty", '[');
    kith__json_close(&j, ']');
    kith__json_open(&j, "two", '[');
    kith__json_number(&j, NULL, 1);
    kith__json_open(&j, NULL, '{');
    kith__json_close(&j, '}');
    kith__json_close(&j, ']');
    kith__json_string(&j, "last", "x");
    kith__json_close(&j, '}');
    CHECK_TEXT(j.at, "{\"yes\":true,\"no\":false,\"empty\":[],\"two\":[1,{}],"
                     "\"last\":\"x\"}");
    CHECK_INT(j.n, strlen(j.at));
    kith__free(j.at);
}

static void check_number(double x, const char *want)
{
    kith__json j = {0};

    kith__json_number(&j, NULL, x);
    CHECK_TEXT(j.at, want);
    kith__free(j.at);
}

TEST(numbers_are_whole_or_of_six_digits_or_null)
{
    check_number(0, "0");
    check_number(-3, "-3");
    check_number(1234567890, "1234567890");
    check_number(999999999999999, "999999999999999");
    check_number(1e15, "1e+15");
    check_number(-999999999999999, "-999999999999999");
    check_number(.5, "0.5");
    check_number(2.0 / 3, "0.666667");
    check_number(1234567.5, "1.23457e+06");
    check_number((double)NAN, "null");
    check_number((double)INFINITY, "null");
}

static void check_text(const char *text, size_t most, const char *want)
{
    kith__json j = {0};

    kith__json_text(&j, NULL, text, strlen(text), most);
    CHECK_TEXT(j.at, want);
    kith__free(j.at);
}

#define BAD "\\ufffd"

TEST(text_is_sound_json_that_no_page_takes_for_markup)
{
    check_text("a b~", 99, "\"a b~\"");
    check_text("\x1f \x7f\t\n", 99, "\"\\u001f \\u007f\\u0009\\u000a\"");
    check_text("\"\\<>&'", 99, "\"\\u0022\\u005c\\u003c\\u003e\\u0026'\"");
    check_text("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", 99,
               "\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"");
}

/* The first and the last code point of each length, and on both sides of the
 * surrogates; then what lies just outside. */
TEST(what_is_no_utf_8_is_replaced_byte_by_byte)
{
    static const char good[] = "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf"
                               "\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80"
                               "\xf4\x8f\xbf\xbf";
    char want[64];

    snprintf(want, sizeof(want), "\"%s\"", good);
    check_text(good, 99, want);
    check_text("\x80", 99, "\"" BAD "\"");
    check_text("\xbf", 99, "\"" BAD "\"");
    check_text("\xc1\xbf", 99, "\"" BAD BAD "\"");
    check_text("\xe0\x9f\xbf", 99, "\"" BAD BAD BAD "\"");
    check_text("\xed\xa0\x80", 99, "\"" BAD BAD BAD "\"");
    check_text("\xed\xbf\xbf", 99, "\"" BAD BAD BAD "\"");
    check_text("\xf0\x8f\xbf\xbf", 99, "\"" BAD BAD BAD BAD "\"");
    check_text("\xf4\x90\x80\x80", 99, "\"" BAD BAD BAD BAD "\"");
    check_text("\xf8\x80\x80\x80", 99, "\"" BAD BAD BAD BAD "\"");
    check_text("\xe2\x82", 99, "\"" BAD BAD "\"");   /* cut */
    check_text("\xc3(x", 99, "\"" BAD "(x\"");       /* not continued */
    check_text("\xe2\x82(", 99, "\"" BAD BAD "(\""); /* nor here */
}

TEST(long_text_is_cut_between_code_points_and_says_so)
{
    check_text("abcdef", 6, "\"abcdef\"");
    check_text("abcdef", 5, "\"abcde\\u2026\"");
    check_text("a\xc3\xa9z", 2, "\"a\xc3\xa9\\u2026\"");
    check_text("", 5, "\"\"");
}

TEST(once_memory_ran_out_nothing_is_added)
{
    kith__json j = {0};

    kith__json_raw(&j, "abc", 3);
    j.failed = true;
    kith__json_raw(&j, "def", 3);
    CHECK_TEXT(j.at, "abc");
    kith__free(j.at);
}

/* ---- measures ------------------------------------------------------------ */

static bool has(const kith__json *j, const char *text)
{
    const bool found = strstr(j->at, text) != NULL;

    if (!found)
        printf("# no %s in %s\n", text, j->at);
    return found;
}

static kith__json measured(int n, int classes, const float *p, int32_t *of,
                           const char *what)
{
    kith_labels labels = {
        .nodes = n, .classes = classes, .labelled = n, .of = of};
    int32_t *node = malloc((size_t)n * sizeof(*node));
    const kith__judged at = {
        .p = p, .labels = &labels, .node = node, .n = n, .classes = classes};
    kith_verdict v = {.in = {.judged_what = what}};
    kith__json j = {0};
    kith_error err;

    for (int i = 0; i < n; i++)
        node[i] = i;
    CHECK_OK(
        kith_score(p, &labels, node, n, KITH_POSITIVE_AUTO, &v.scores, &err));
    v.intervals.auc = (kith_interval){.5, .75};
    CHECK_OK(kith__put_measures(&j, &at, &v, &err));
    free(node);
    return j;
}

/*
 * Five nodes; .8 is given to one of each class.  AUC: of 6 pairs 5 are in order
 * and one is level.  Average precision: 1/2 at 1/1, 1/2 at 2/3.  F1 is 2 * 2 /
 * (2 * 2 + 1) for both classes.  ECE: (.25 + .6 + .2) / 5.
 */
TEST(measures_of_five_nodes_by_hand)
{
    const float p[] = {.1f, .9f, .2f, .8f, .2f, .8f, .75f, .25f, .9f, .1f};
    int32_t of[] = {1, 0, 1, 0, 0};
    kith__json j = measured(5, 2, p, of, "test nodes");

    CHECK(has(&j, "\"judged\":{\"what\":\"test nodes\",\"nodes\":5,"
                  "\"accuracy\":[0.8,0,0],\"macro_f1\":[0.8,0,0],"
                  "\"auc\":[0.916667,0.5,0.75],"
                  "\"average_precision\":[0.833333,0,0],"
                  "\"log_loss\":[0.466197,0,0],\"ece\":0.21,"));
    CHECK(has(&j, "\"confusion\":[2,1,0,2],\"confusion_of\":[0,1],"));
    CHECK(has(&j, "\"reliability\":[[0.75,1,1],[0.8,0.5,2],[0.9,1,2]]}"));
    kith__free(j.at);
    j = measured(5, 2, p, of, NULL);
    CHECK(has(&j, "\"what\":\"all others that have a label\""));
    kith__free(j.at);
}

/*
 * 30 classes, of which 6 .. 17 have two nodes: these have rows of their own,
 * the others one together.  One node of class 6 is taken for class 0.
 */
TEST(of_many_classes_the_largest_have_rows)
{
    enum { C = 30, N = 42 };
    float *p = calloc(N * C, sizeof(*p));
    int32_t of[N];
    kith__json j;
    char want[600] = "\"confusion\":[1,0,0,0,0,0,0,0,0,0,0,0,1,";
    size_t used = strlen(want);

    for (int i = 0; i < N; i++) {
        of[i] = i < C ? i : i - C + 6;
        p[i * C + (i == C ? 0 : of[i])] = 1;
    }
    j = measured(N, C, p, of, NULL);
    for (int row = 1; row < 13; row++)
        for (int column = 0; column < 13; column++)
            used += (size_t)snprintf(
                want + used, sizeof(want) - used, "%d%s",
                row != column ? 0
                : row < 12    ? 2
                              : 18,
                row == 12 && column == 12 ? "],\"confusion_of\":[" : ",");
    snprintf(want + used, sizeof(want) - used,
             "6,7,8,9,10,11,12,13,14,15,16,17,-1]");
    CHECK(has(&j, want));
    kith__free(j.at);
    free(p);
}

TEST(twenty_four_classes_have_a_row_each)
{
    enum { C = 24 };
    float *p = calloc(C * C, sizeof(*p));
    int32_t of[C];
    kith__json j;

    for (int i = 0; i < C; i++) {
        of[i] = i;
        p[i * C + i] = 1;
    }
    j = measured(C, C, p, of, NULL);
    CHECK(has(&j, ",22,23],\"reliability\""));
    CHECK(!strstr(j.at, "-1"));
    kith__free(j.at);
    free(p);
}

TEST(the_likeliest_is_the_first_of_equals)
{
    const float level[] = {.25f, .25f, .25f, .25f},
                third[] = {0, .2f, .5f, .3f};

    CHECK_INT(kith__likeliest(level, 4), 0);
    CHECK_INT(kith__likeliest(third, 4), 2);
    CHECK_INT(kith__likeliest(third, 1), 0);
}
