/*
 * figure1.c: the coupling matrices that LCM learns.
 */
#include <math.h>

#include "core/alloc.h"
#include "paper/parts.h"

enum { DIAGONAL, OFF, LEAST, COLUMNS };

static kith_status draw(kith__paper_run *r, const kith__paper_set *s,
                        const kith__result *got, kith_error *err)
{
    char id[KITH__LABEL], title[KITH__LABEL];
    kith__matrix *m;
    kith_status st = KITH_OK;

    snprintf(id, sizeof(id), "figure1-%s", s->of->name);
    TRY_NEW(m, kith__doc_matrix(r->doc, id, got->classes));
    snprintf(m->title, sizeof(m->title), "Figure 1: coupling learnt on %s",
             kith__set_title(s, title));
    memcpy(m->value, got->coupling,
           (size_t)got->classes * (size_t)got->classes * sizeof(float));
    for (int32_t c = 0; c < got->classes; c++)
        snprintf(m->name[c], KITH__LABEL, "%.60s", s->data->labels->names[c]);
out:
    return st;
}

/* Is H_ii the largest of its row, for every i?  How many are, as a share. */
static void summarise(const kith__result *got, kith__table *t, int row)
{
    const int C = got->classes;
    double diagonal = 0, off = 0, dominant = 0;

    for (int i = 0; i < C; i++) {
        const float *h = got->coupling + (int64_t)i * C;
        float most = -INFINITY;

        for (int j = 0; j < C; j++)
            if (j != i) {
                most = fmaxf(most, h[j]);
                off += (double)h[j];
            }
        diagonal += (double)h[i];
        dominant += h[i] > most;
    }
    diagonal /= C;
    off /= fmax(1, (double)C * (C - 1));
    dominant /= C;
    kith__cell_at(t, row, DIAGONAL)->ours = kith_spread_of(&diagonal, 1);
    kith__cell_at(t, row, OFF)->ours = kith_spread_of(&off, 1);
    kith__cell_at(t, row, LEAST)->ours = kith_spread_of(&dominant, 1);
    kith__cell_at(t, row, LEAST)->unit = KITH__SHARE;
}

static void explain(kith__table *t)
{
    static const char *const names[] = {"mean of the diagonal", "mean off it",
                                        "rows with their largest on it"};

    for (int c = 0; c < COLUMNS; c++)
        snprintf(t->column[c], KITH__LABEL, "%s", names[c]);
    snprintf(t->title, sizeof(t->title),
             "Figure 1: the learnt coupling matrices in numbers");
    snprintf(t->text, sizeof(t->text),
             "H, centred (its rows sum to 0), as LCM leaves it on the first "
             "split with default steps and nothing tuned. The paper shows "
             "pictures without a scale and says that all are diagonal "
             "dominant.");
}

kith_status kith__paper_figure1(kith__paper_run *r, kith_error *err)
{
    int set[KITH__SETS];
    const int sets = kith__present(r, set);
    kith_status st = KITH_OK;
    kith__table *t;

    if (!kith__row_of(r, "lcm"))
        return KITH_OK;
    TRY_NEW(t,
            kith__doc_table(r->doc, "figure1", sets, COLUMNS, KITH__VALUE, 1));
    explain(t);
    for (int i = 0; i < sets; i++) {
        const kith__paper_set *s = &r->set[set[i]];
        kith__result got;
        bool found;

        kith__set_title(s, t->row[i]);
        TRY(kith__ask_learning(r, s, 0, KITH__PLAIN, &got, &found, err));
        if (found && got.coupling) {
            summarise(&got, t, i);
            st = draw(r, s, &got, err);
        }
        kith__result_release(&got);
        TRY(st);
    }
out:
    return st;
}
