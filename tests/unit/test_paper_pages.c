/*
 * test_paper_pages.c: a whole document as Markdown, LaTeX and JSON, letter by
 * letter.
 */
#include "check.h"
#include "paper/doc.h"

/* Three rows in two groups, two columns of which the second has the paper's
 * numbers; some cells are empty or lack values. */
static kith__doc document(void)
{
    static const char *const rows[] = {"lcm", "lp", "gcn"};
    static const char one[] = "ours", two[] = "others";
    const double a[] = {.8, .9}, b[] = {.75, .75};
    kith__doc d = {.quick = true, .unfinished = true};
    kith__table *t = kith__doc_table(&d, "table9", 3, 2, KITH__SHARE, 2);
    kith__matrix *m = kith__doc_matrix(&d, "figure9", 2);

    snprintf(t->title, sizeof(t->title), "Table 9");
    snprintf(t->text, sizeof(t->text), "What it shows");
    snprintf(t->column[0], KITH__LABEL, "Cora");
    snprintf(t->column[1], KITH__LABEL, "NELL");
    for (int i = 0; i < 3; i++) {
        snprintf(t->row[i], KITH__LABEL, "%s", rows[i]);
        t->group[i] = i < 2 ? one : two;
    }
    kith__cell_at(t, 0, 0)->ours = kith_spread_of(a, 2);
    kith__cell_at(t, 0, 1)->ours = kith_spread_of(b, 2);
    kith__cell_at(t, 0, 1)->paper = .7;
    kith__cell_at(t, 0, 1)->paper_std = .01;
    kith__cell_at(t, 1, 1)->paper = .6;
    kith__cell_at(t, 2, 0)->ours = kith_spread_of(a, 1);
    snprintf(m->title, sizeof(m->title), "Coupling");
    snprintf(m->name[0], KITH__LABEL, "x");
    snprintf(m->name[1], KITH__LABEL, "y");
    for (int i = 0; i < 4; i++)
        m->value[i] = (float)i / 4;
    CHECK(kith__doc_note(&d, "first") && kith__doc_note(&d, "second") &&
          kith__doc_note(&d, "first"));
    return d;
}

static void check_text(kith__write_fn *write, const char *wanted)
{
    kith__doc d = document();
    kith__json text = {0};

    write(&text, &d);
    CHECK(!text.failed);
    CHECK_INT(text.n, strlen(wanted));
    CHECK_TEXT(text.at, wanted);
    kith_array_free(text.at);
    kith__doc_release(&d);
}

TEST(a_document_in_markdown)
{
    char wanted[2000];

    snprintf(wanted, sizeof(wanted),
             "# The paper's evaluation, a quick run\n\n"
             "Made by `kith paper`, Kith %s. Unfinished: some results are "
             "missing.\n\n"
             "- first\n- second\n\n"
             "## Table 9\n\nWhat it shows\n\n"
             "| | Cora | NELL | paper |\n|---|---|---|---|\n"
             "| lcm | .850 ±.071 | .750 ±.000 | .700 ±.010 |\n"
             "| lp |  |  | .600 |\n"
             "| gcn | .800 (1 of 2) |  |  |\n",
             kith_version());
    check_text(kith__write_markdown, wanted);
}

TEST(a_document_in_latex)
{
    char wanted[2000];

    snprintf(wanted, sizeof(wanted),
             "%% Made by kith paper, Kith %s, a quick run; \\input it.\n"
             "%% Unfinished: some results are missing.\n"
             "%% first\n%% second\n\n"
             "\\begin{table*}\n\\centering\n\\small\n"
             "\\begin{tabular}{lrrr}\n\\hline\n"
             " & Cora & NELL & paper \\\\\n\\hline\n"
             "lcm & $.850 \\pm.071$ & $.750 \\pm.000$ & $.700 \\pm.010$ \\\\\n"
             "lp &  &  & $.600$ \\\\\n\\hline\n"
             "gcn & $.800 (1 of 2)$ &  &  \\\\\n"
             "\\hline\n\\end{tabular}\n"
             "\\caption{Table 9. What it shows}\n"
             "\\label{table9}\n\\end{table*}\n",
             kith_version());
    check_text(kith__write_latex, wanted);
}

TEST(a_document_in_json)
{
    char wanted[2000];

    snprintf(wanted, sizeof(wanted),
             "{\"version\":\"%s\",\"quick\":true,\"fit\":\"train\","
             "\"finished\":false,"
             "\"notes\":[\"first\",\"second\"],\"tables\":[{\"id\":\"table9\","
             "\"title\":\"Table 9\",\"text\":\"What it shows\",\"cells\":["
             "{\"row\":\"lcm\",\"column\":\"Cora\",\"mean\":0.85,"
             "\"std\":0.0707107,\"n\":2,\"paper\":null,\"paper_std\":null},"
             "{\"row\":\"lcm\",\"column\":\"NELL\",\"mean\":0.75,"
             "\"std\":0,\"n\":2,\"paper\":0.7,\"paper_std\":0.01},"
             "{\"row\":\"lp\",\"column\":\"Cora\",\"mean\":null,"
             "\"std\":null,\"n\":0,\"paper\":null,\"paper_std\":null},"
             "{\"row\":\"lp\",\"column\":\"NELL\",\"mean\":null,"
             "\"std\":null,\"n\":0,\"paper\":0.6,\"paper_std\":null},"
             "{\"row\":\"gcn\",\"column\":\"Cora\",\"mean\":0.8,"
             "\"std\":0,\"n\":1,\"paper\":null,\"paper_std\":null},"
             "{\"row\":\"gcn\",\"column\":\"NELL\",\"mean\":null,"
             "\"std\":null,\"n\":0,\"paper\":null,\"paper_std\":null}]}],"
             "\"matrices\":[{\"id\":\"figure9\",\"title\":\"Coupling\","
             "\"classes\":[\"x\",\"y\"],\"values\":[0,0.25,0.5,0.75]}],"
             "\"results\":[]}\n",
             kith_version());
    check_text(kith__write_json, wanted);
}

/* What a page says above its tables: that it is unfinished, and each note. */
TEST(notes_are_on_the_page)
{
    kith__doc d = document();
    kith__json some = {0}, none = {0};

    kith__write_html(&some, &d);
    CHECK(strstr(some.at, "<li>first</li>") <
          strstr(some.at, "<li>second</li>"));
    CHECK(strstr(some.at, "<li>first</li>") != NULL);
    CHECK(strstr(some.at, "Unfinished: some results are missing.") != NULL);
    d.notes = 0;
    d.unfinished = false;
    kith__write_html(&none, &d);
    CHECK(strstr(none.at, "<ul>") == NULL);
    CHECK(strstr(none.at, "Unfinished") == NULL);
    kith_array_free(some.at);
    kith_array_free(none.at);
    kith__doc_release(&d);
}
