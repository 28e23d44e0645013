/*
 * test_json_writer.c: JSON for programs, to the byte; test_report.c has the
 * form that stands inside a page.
 */
#include "check.h"
#include "io/json_writer.h"

static void check_taken(kith__json *j, const char *wanted)
{
    char *text = NULL;
    size_t length = 0;
    kith_error err;

    CHECK_OK(kith__json_take(j, &text, &length, &err));
    CHECK_TEXT(text, wanted);
    CHECK_INT(length, strlen(wanted));
    kith_array_free(text);
}

TEST(values_stand_on_lines_of_their_own)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_count(&j, "n", -3);
    kith__json_open(&j, "list", '[');
    kith__json_bool(&j, NULL, true);
    kith__json_null(&j, NULL);
    kith__json_close(&j, ']');
    kith__json_open(&j, "none", '[');
    kith__json_close(&j, ']');
    kith__json_hash(&j, "hash", 0xAB);
    kith__json_close(&j, '}');
    check_taken(&j,
                "{\n  \"n\": -3,\n  \"list\": [\n    true,\n    null\n  ],\n"
                "  \"none\": [],\n  \"hash\": \"00000000000000ab\"\n}\n");
}

/* A point or an exponent tells a real number from an integer. */
TEST(numbers_have_15_digits_and_show_that_they_are_real)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {1, "1.0\n"},
        {-0.0, "-0.0\n"},
        {.1, "0.1\n"},
        {1. / 3, "0.333333333333333\n"},
        {1e-5, "1e-5\n"},
        {-2.5e-10, "-2.5e-10\n"},
        {1e15, "1e15\n"},
        {1e200, "1e200\n"},
        {(double)INFINITY, "null\n"},
        {(double)NAN, "null\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kith__json j = {.indented = true};

        kith__json_number(&j, NULL, cases[i].x);
        check_taken(&j, cases[i].text);
    }
}

TEST(text_keeps_its_characters_and_escapes_what_json_must)
{
    kith__json j = {.indented = true};

    kith__json_string(&j, NULL, "\"\\/\b\f\n\r\t\x01\x1f<&\xc3\xa9\xff");
    check_taken(&j, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F<&\xc3\xa9"
                    "\xEF\xBF\xBD\"\n");
}

TEST(names_are_escaped_too)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_count(&j, "a\"b", 1);
    kith__json_close(&j, '}');
    check_taken(&j, "{\n  \"a\\\"b\": 1\n}\n");
}

TEST(a_value_written_before_is_indented_to_its_place)
{
    kith__json inner = {.indented = true}, j = {.indented = true};
    char *text = NULL;
    size_t length;
    kith_error err;

    kith__json_open(&inner, NULL, '{');
    kith__json_count(&inner, "x", 1);
    kith__json_close(&inner, '}');
    CHECK_OK(kith__json_take(&inner, &text, &length, &err));
    kith__json_open(&j, NULL, '[');
    kith__json_value(&j, NULL, text);
    kith__json_close(&j, ']');
    check_taken(&j, "[\n  {\n    \"x\": 1\n  }\n]\n");
    kith_array_free(text);
}

TEST(no_memory_is_told_at_the_end)
{
    char *text;
    size_t length;

    CHECK_OOM(
        kith__json j = {.indented = true}; kith__json_string(&j, NULL, "text");
        st = kith__json_take(&j, &text, &length, NULL), kith_array_free(text));
}
