/*
 * table3.c: running time of the methods on NELL, one fit each, also as a ratio
 * to LinBP's.
 */
#include <math.h>

#include "paper/parts.h"

enum { NELL = 3, SECONDS = 0, RATIO = 1, ACCURACY = 2, COLUMNS = 3 };

/* The paper's LinBP, to which its own times are ratios. */
static double paper_linbp(void)
{
    for (int i = 0; i < kith__paper_row_count; i++)
        if (strcmp(kith__paper_rows[i].method, "linbp") == 0)
            return kith__paper_rows[i].seconds;
    return (double)NAN;
}

static void explain(kith__table *t)
{
    snprintf(t->column[SECONDS], KITH__LABEL, "seconds");
    snprintf(t->column[RATIO], KITH__LABEL, "ratio to LinBP");
    snprintf(t->column[ACCURACY], KITH__LABEL, "accuracy untuned");
    snprintf(t->title, sizeof(t->title), "Table 3: running time on NELL");
    snprintf(t->text, sizeof(t->text),
             "Seconds to train with default parameters on split paper-0 and to "
             "predict every node, nothing tuned, wall clock; lcm-em and auto "
             "search for parameters even then. The accuracy is what that run "
             "gives. The paper's times are of another machine: compare the "
             "ratios.");
}

static void fill(kith__table *t, int i, const kith__result *got,
                 const kith__paper_row *row)
{
    kith__cell *seconds = kith__cell_at(t, i, SECONDS);
    kith__cell *accuracy = kith__cell_at(t, i, ACCURACY);

    seconds->ours = kith_spread_of(&got->seconds, 1);
    seconds->paper = row->seconds;
    accuracy->ours = kith_spread_of(&got->accuracy, 1);
    accuracy->unit = KITH__SHARE;
}

static void ratios(const kith__paper_run *r, kith__table *t)
{
    double base = (double)NAN;

    for (int i = 0; i < r->rows; i++)
        if (strcmp(r->row[i]->method, "linbp") == 0)
            base = kith__cell_at(t, i, SECONDS)->ours.mean;
    for (int i = 0; i < r->rows; i++) {
        const double ratio = kith__cell_at(t, i, SECONDS)->ours.mean / base;
        kith__cell *cell = kith__cell_at(t, i, RATIO);

        cell->ours = kith_spread_of(&ratio, 1);
        cell->unit = KITH__RATIO;
        cell->paper = r->row[i]->seconds / paper_linbp();
    }
}

kith_status kith__paper_table3(kith__paper_run *r, kith_error *err)
{
    const kith__paper_set *s = &r->set[NELL];
    kith_status st = KITH_OK;
    kith__table *t;

    if (!s->data)
        return r->counting ? kith__paper_note(r, err,
                                              "table 3 is left out: it is "
                                              "about NELL")
                           : KITH_OK;
    TRY_NEW(t, kith__doc_table(r->doc, "table3", r->rows, COLUMNS,
                               KITH__SECONDS, 1));
    explain(t);
    kith__name_rows(r, t);
    for (int i = 0; i < r->rows; i++) {
        const kith__prefetch ask = {.set = s,
                                    .row = r->row[i],
                                    .split = &s->split[0],
                                    .how = KITH__TIMED};
        kith__result got;
        bool found;

        if (!kith__takes_part(s, r->row[i]))
            continue;
        TRY(kith__paper_ask(r, &ask, &got, &found, err));
        if (found)
            fill(t, i, &got, r->row[i]);
        kith__result_release(&got);
    }
    ratios(r, t);
out:
    return st;
}
