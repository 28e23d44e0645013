/*
 * write_markdown.c: the tables, for a document.
 */
#include "paper/doc.h"

static void put_head(kith__json *to, const kith__table *t)
{
    kith__put(to, "| |");
    for (int j = 0; j < t->columns; j++)
        kith__put(to, " %s |%s", t->column[j],
                  kith__has_paper(t, j) ? " paper |" : "");
    kith__put(to, "\n|---|");
    for (int j = 0; j < t->columns; j++)
        kith__put(to, "---|%s", kith__has_paper(t, j) ? "---|" : "");
    kith__put(to, "\n");
}

static void put_table(kith__json *to, const kith__table *t)
{
    char text[KITH__CELL_TEXT];

    kith__put(to, "\n## %s\n\n", t->title);
    kith__put(to, "%s\n\n", t->text);
    put_head(to, t);
    for (int i = 0; i < t->rows; i++) {
        kith__put(to, "| %s |", t->row[i]);
        for (int j = 0; j < t->columns; j++) {
            const kith__cell *c = kith__cell_at(t, i, j);

            kith__put(to, " %s |", kith__cell_ours(c, "±", text));
            if (kith__has_paper(t, j))
                kith__put(to, " %s |", kith__cell_paper(c, "±", text));
        }
        kith__put(to, "\n");
    }
}

void kith__write_markdown(kith__json *to, const kith__doc *d)
{
    kith__put(to,
              "# The paper's evaluation%s\n\nMade by `kith paper`, Kith "
              "%s.%s\n",
              d->quick ? ", a quick run" : "", kith_version(),
              d->unfinished ? " Unfinished: some results are missing." : "");
    for (int64_t i = 0; i < d->notes; i++)
        kith__put(to, "%s- %s\n", i ? "" : "\n", d->note[i]);
    for (int64_t i = 0; i < d->tables; i++)
        put_table(to, &d->table[i]);
}
