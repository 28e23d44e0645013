/*
 * table1.c: accuracy of the methods on the data sets, mean and deviation over
 * the splits.
 */
#include "paper/parts.h"

/* Tuned on every split, or once where that would take hours. */
static kith_status fill(kith__paper_run *r, const kith__paper_set *s,
                        const kith__paper_row *row, kith__cell *cell,
                        kith_error *err)
{
    const bool once = kith__tuned_once(s, row);
    const kith__how first = r->options->quick ? KITH__PLAIN : KITH__TUNED;
    const kith__prefetch ask = {
        .set = s, .row = row, .split = s->split, .how = first};

    return kith__ask_accuracy(
        r, &ask, s->splits,
        once && first == KITH__TUNED ? KITH__LIKE_FIRST : first, cell, err);
}

static void explain(const kith__paper_run *r, kith__table *t)
{
    snprintf(t->title, sizeof(t->title),
             "Table 1: test accuracy, mean and standard deviation");
    snprintf(
        t->text, sizeof(t->text),
        "Each method learns from the training nodes of a split, is tuned on "
        "its validation nodes%s and scored on its test nodes; %s. The paper's "
        "numbers stand beside ours; it drew splits of its own. Columns marked "
        "as generated are of small graphs drawn like the paper's in degrees, "
        "classes and homophily, so that numbers there compare our methods "
        "with each other, not with the paper's. On graphs of more than 100,000 "
        "edges (NELL, and that for Twitter) all but LinBP, and on graphs of "
        "more than 10,000 nodes the slower methods, are tuned on the first "
        "split, and their choices are kept for the others. Empty cells: the "
        "method needs node features or was not run on generated graphs, or the "
        "paper has no number.",
        r->options->fit == KITH_FIT_TRAIN
            ? " (from which it does not learn)"
            : " (from which lcm-em's coupling learns too)",
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
