/*
 * figure2.c: accuracy against the number of training nodes per class.
 */
#include "paper/parts.h"

enum { TRIALS = 3, FEW_TRIALS = 1, QUICK_SIZES = 3 };

/* The training sets of one data set. */
typedef struct draws {
    int sizes, trials;
    kith_split split[KITH__SIZES][TRIALS];
} draws;

static kith_status draw_all(const kith__paper_run *r, const kith__paper_set *s,
                            draws *d, kith_error *err)
{
    const bool few = s->large || s->middling || r->options->quick;
    kith_status st = KITH_OK;

    *d = (draws){.sizes = r->options->quick ? QUICK_SIZES : KITH__SIZES,
                 .trials = few ? FEW_TRIALS : TRIALS};
    for (int i = 0; !r->counting && i < d->sizes; i++)
        for (int t = 0; t < d->trials; t++)
            TRY(kith__draw_training(s, kith__paper_sizes[i], r->options->seed,
                                    t, &d->split[i][t], err));
out:
    return st;
}

static void draws_release(draws *d)
{
    for (int i = 0; i < KITH__SIZES; i++)
        for (int t = 0; t < TRIALS; t++)
            kith_split_release(&d->split[i][t]);
}

/* Does the method have a line?  Slow ones would take hours on large graphs. */
static bool drawn(const kith__paper_set *s, const kith__paper_row *row)
{
    return kith__takes_part(s, row) && !(s->large && row->budget == KITH__SLOW);
}

static void explain(const kith__paper_set *s, const draws *d, kith__table *t)
{
    char title[KITH__LABEL];

    t->chart = true;
    snprintf(t->title, sizeof(t->title),
             "Figure 2: accuracy by training nodes per class, %s",
             kith__set_title(s, title));
    snprintf(t->text, sizeof(t->text),
             "Training nodes are drawn among those that are neither validation "
             "nor test nodes of the first split (a class that has fewer gives "
             "all but one), %d time%s each; a smaller set lies in the larger. "
             "Every method uses the parameters, and networks the epochs, that "
             "it chose on the first split for table 1. The paper shows curves "
             "without numbers.%s",
             d->trials, d->trials == 1 ? "" : "s",
             s->large ? " The slower methods are left out." : "");
    for (int j = 0; j < d->sizes; j++)
        snprintf(t->column[j], KITH__LABEL, "%d", (int)kith__paper_sizes[j]);
}

static kith_status one_set(kith__paper_run *r, const kith__paper_set *s,
                           kith_error *err)
{
    const kith__how how = r->options->quick ? KITH__PLAIN : KITH__LIKE_FIRST;
    char id[KITH__LABEL];
    kith_status st = KITH_OK;
    kith__table *t;
    draws d;

    TRY(draw_all(r, s, &d, err));
    snprintf(id, sizeof(id), "figure2-%s", s->of->name);
    TRY_NEW(t, kith__doc_table(r->doc, id, r->rows, d.sizes, KITH__SHARE,
                               d.trials));
    explain(s, &d, t);
    kith__name_rows(r, t);
    for (int i = 0; i < r->rows; i++)
        for (int j = 0; drawn(s, r->row[i]) && j < d.sizes; j++) {
            const kith__prefetch ask = {
                .set = s, .row = r->row[i], .split = d.split[j], .how = how};

            TRY(kith__ask_accuracy(r, &ask, d.trials, how,
                                   kith__cell_at(t, i, j), err));
        }
out:
    draws_release(&d);
    return st;
}

kith_status kith__paper_figure2(kith__paper_run *r, kith_error *err)
{
    int set[KITH__SETS];
    const int sets = kith__present(r, set);
    kith_status st = KITH_OK;

    for (int i = 0; st == KITH_OK && i < sets; i++)
        st = one_set(r, &r->set[set[i]], err);
    return st;
}
