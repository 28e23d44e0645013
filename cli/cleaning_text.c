#include "cleaning_text.h"

#include "term.h"

bool cleaning_known(const kith_cleaning *c)
{
    return c->lines > 0 || c->entries > 0;
}

/* Rows of zeros are left out, unless they tell something. */
static void count_row(FILE *stream, const char *key, int64_t n,
                      const char *note, bool always)
{
    char number[TERM_NUMBER];

    if (n > 0 || always)
        term_row(stream, key, "%s%s", term_count(n, number), n ? note : "");
}

void cleaning_print(FILE *stream, const kith_cleaning *c)
{
    count_row(stream, "lines", c->lines, "", false);
    count_row(stream, "comments", c->comments, " comment and blank lines",
              false);
    if (c->headers > 0)
        term_row(stream, "header", "first line names the columns");
    count_row(stream, "edges listed", c->entries, "", true);
    count_row(stream, "duplicates", c->duplicates,
              " repeats in the same direction, merged", true);
    count_row(stream, "self-loops", c->self_loops, " dropped", true);
    count_row(stream, "given one way", c->one_way, "", true);
    count_row(stream, "given both ways", c->both_ways, "", true);
    count_row(stream, "isolated nodes", c->isolated, "", true);
    count_row(stream, "extra fields", c->extra_fields,
              " lines, their further fields ignored", false);
}
