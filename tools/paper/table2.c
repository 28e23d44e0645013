/*
 * table2.c: the average weight of edges between nodes of one class and of
 * others, before and after learning.
 */
#include "paper/parts.h"

enum { START, LEARNT, WRITTEN, COLUMNS };

typedef struct weights {
    double x[COLUMNS][2][KITH__SPLITS]; /* same class, other */
    int n[COLUMNS];
} weights;

static void add(weights *w, int column, const double pair[2])
{
    for (int k = 0; k < 2; k++)
        w->x[column][k][w->n[column]] = pair[k];
    w->n[column]++;
}

static kith_status gather(kith__paper_run *r, const kith__paper_set *s,
                          weights *w, kith_error *err)
{
    static const kith__how hows[] = {KITH__PLAIN, KITH__AS_WRITTEN};
    kith_status st = KITH_OK;
    int64_t edges;

    kith_homophily(s->data->graph, s->data->labels, &edges);
    if (edges == 0) /* none joins two labelled nodes: nothing to average */
        return KITH_OK;
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < s->splits; i++) {
            kith__result got;
            bool found;

            TRY(kith__ask_learning(r, s, i, hows[h], &got, &found, err));
            if (found && h == 0)
                add(w, START, got.weights);
            if (found)
                add(w, h == 0 ? LEARNT : WRITTEN, got.weights + 2);
            kith__result_release(&got);
        }
out:
    return st;
}

static void fill(const kith__paper_set *s, const weights *w, kith__table *t,
                 int row)
{
    char title[KITH__LABEL];

    for (int k = 0; k < 2; k++) {
        snprintf(t->row[row + k], KITH__LABEL, "%.48s, %s",
                 kith__set_title(s, title), k ? "other" : "same class");
        t->group[row + k] = s->of->title;
        for (int c = 0; c < COLUMNS; c++) {
            kith__cell *cell = kith__cell_at(t, row + k, c);

            cell->ours = kith_spread_of(w->x[c][k], w->n[c]);
            cell->wanted = cell->ours.n; /* what is NaN is so for good */
            cell->paper = c == START ? s->of->start[k] : s->of->learnt[k];
        }
    }
}

static void explain(kith__table *t)
{
    static const char *const names[] = {"at the start", "after learning",
                                        "after learning, as written"};

    for (int c = 0; c < COLUMNS; c++)
        snprintf(t->column[c], KITH__LABEL, "%s", names[c]);
    snprintf(t->title, sizeof(t->title),
             "Table 2: average weight of edges within a class and of others");
    snprintf(
        t->text, sizeof(t->text),
        "Weights at the start are 1 / sqrt(d_u d_v). Learnt ones are those of "
        "LCM with its default steps g1 = .05, g2 = .0005, lambda = .05 and "
        "nothing tuned, since tuning may choose not to learn; 'as written' "
        "follows the paper's formulas to the letter, with the consistency "
        "term of H + 1/C, the reading under which weights grow as the paper "
        "says. By the labels of all nodes; mean over the splits. On NELL no "
        "edge joins two labelled nodes, so there is nothing to average.");
}

kith_status kith__paper_table2(kith__paper_run *r, kith_error *err)
{
    int set[KITH__SETS];
    const int sets = kith__present(r, set);
    kith_status st = KITH_OK;
    kith__table *t;

    if (!kith__row_of(r, "lcm"))
        return KITH_OK;
    TRY_NEW(t, kith__doc_table(r->doc, "table2", 2 * sets, COLUMNS, KITH__SHARE,
                               KITH__SPLITS));
    explain(t);
    for (int i = 0; i < sets; i++) {
        const kith__paper_set *s = &r->set[set[i]];
        weights w = {0};

        TRY(gather(r, s, &w, err));
        fill(s, &w, t, 2 * i);
    }
out:
    return st;
}
