/*
 * table1.c: accuracy of the methods on the data sets, mean and deviation over
 * the splits.
 */
#include "paper/parts.h"

/* Tuned on every split, or once where that would take hours. */
static kith__how how_of(const kith__paper_run *r, const kith__paper_set *s,
                        const kith__paper_row *row, int split)
{
    if (r->options->quick)
        return KITH__PLAIN;
    if (s->large && row->budget == KITH__ONCE && split > 0)
        return KITH__LIKE_FIRST;
    return KITH__TUNED;
}

static kith_status fill(kith__paper_run *r, const kith__paper_set *s,
                        const kith__paper_row *row, kith__cell *cell,
                        kith_error *err)
{
    double x[KITH__SPLITS];
    int n = 0;
    kith_status st = KITH_OK;

    cell->wanted = s->splits;
    for (int i = 0; i < s->splits; i++) {
        const kith__ask ask = {.set = s,
                               .row = row,
                               .split = &s->split[i],
                               .how = how_of(r, s, row, i)};
        kith__result got;
        bool found;

        TRY(kith__paper_ask(r, &ask, &got, &found, err));
        if (found)
            x[n++] = got.accuracy;
        kith__result_release(&got);
    }
    cell->ours = kith_spread_of(x, n);
out:
    return st;
}

static void explain(const kith__paper_run *r, kith__table *t)
{
    snprintf(t->title, sizeof(t->title),
             "Table 1: test accuracy, mean and standard deviation");
    snprintf(
        t->text, sizeof(t->text),
        "Each method learns from the training nodes of a split, is tuned on "
        "its validation nodes and scored on its test nodes; %s. The paper's "
        "numbers stand beside ours; it drew splits of its own. Columns marked "
        "as generated are of small graphs drawn like the paper's in degrees, "
        "classes and homophily, so that numbers there compare our methods "
        "with each other, not with the paper's. On graphs of more than 100,000 "
        "edges (NELL, and that for Twitter) all but LinBP are tuned on the "
        "first split, and their choices are kept for the others. "
        "Empty cells: the method needs node features, would take too long, or "
        "the paper has no number.",
        r->options->quick ? "in this quick run two splits, nothing tuned and "
                            "ten iterations at most"
                          : "five splits");
}

kith_status kith__paper_table1(kith__paper_run *r, kith_error *err)
{
    int set[KITH__SETS];
    const int sets = kith__present(r, set);
    kith_status st = KITH_OK;
    kith__table *t;

    TRY_NEW(t, kith__doc_table(r->doc, "table1", r->rows, sets, KITH__SHARE,
                               KITH__SPLITS));
    explain(r, t);
    kith__name_rows(r, t);
    for (int j = 0; j < sets; j++) {
        const kith__paper_set *s = &r->set[set[j]];

        kith__set_title(s, t->column[j]);
        for (int i = 0; i < r->rows; i++) {
            kith__cell *cell = kith__cell_at(t, i, j);

            cell->paper = r->row[i]->table1[set[j]].mean;
            cell->paper_std = r->row[i]->table1[set[j]].std;
            if (kith__takes_part(s, r->row[i]))
                TRY(fill(r, s, r->row[i], cell, err));
        }
    }
out:
    return st;
}
