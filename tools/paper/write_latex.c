/*
 * write_latex.c: the tables as tabulars to be \input; no package is needed.
 */
#include "paper/doc.h"

/* What LaTeX takes for a command goes in as text. */
static void put_text(kith__json *to, const char *text)
{
    for (; *text; text++)
        if (strchr("%&#_${}", *text))
            kith__put(to, "\\%c", *text);
        else if (*text == '\\')
            kith__put(to, "\\textbackslash{}");
        else if (*text == '~' || *text == '^')
            kith__put(to, "\\%c{}", *text);
        else
            kith__json_raw(to, text, 1);
}

static void put_cell(kith__json *to, const char *text)
{
    kith__put(to, " & %s%s%s", *text ? "$" : "", text, *text ? "$" : "");
}

static void put_head(kith__json *to, const kith__table *t)
{
    kith__put(to, "\\begin{tabular}{l");
    for (int j = 0; j < t->columns; j++)
        kith__put(to, "%s", kith__has_paper(t, j) ? "rr" : "r");
    kith__put(to, "}\n\\hline\n");
    for (int j = 0; j < t->columns; j++) {
        kith__put(to, " & ");
        put_text(to, t->column[j]);
        if (kith__has_paper(t, j))
            kith__put(to, " & paper");
    }
    kith__put(to, " \\\\\n\\hline\n");
}

static void put_table(kith__json *to, const kith__table *t)
{
    char text[KITH__CELL_TEXT];

    kith__put(to, "\n\\begin{table*}\n\\centering\n\\small\n");
    put_head(to, t);
    for (int i = 0; i < t->rows; i++) {
        if (i > 0 && t->group[i] != t->group[i - 1])
            kith__put(to, "\\hline\n");
        put_text(to, t->row[i]);
        for (int j = 0; j < t->columns; j++) {
            const kith__cell *c = kith__cell_at(t, i, j);

            put_cell(to, kith__cell_ours(c, "\\pm", text));
            if (kith__has_paper(t, j))
                put_cell(to, kith__cell_paper(c, "\\pm", text));
        }
        kith__put(to, " \\\\\n");
    }
    kith__put(to, "\\hline\n\\end{tabular}\n\\caption{");
    put_text(to, t->title);
    kith__put(to, ". ");
    put_text(to, t->text);
    kith__put(to, "}\n\\label{%s}\n\\end{table*}\n", t->id);
}

void kith__write_latex(kith__json *to, const kith__doc *d)
{
    kith__put(to, "%% Made by kith paper, Kith %s%s; \\input it.\n",
              kith_version(), d->quick ? ", a quick run" : "");
    if (d->unfinished)
        kith__put(to, "%% Unfinished: some results are missing.\n");
    for (int64_t i = 0; i < d->notes; i++)
        kith__put(to, "%% %s\n", d->note[i]);
    for (int64_t i = 0; i < d->tables; i++)
        put_table(to, &d->table[i]);
}
