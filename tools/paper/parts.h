/*
 * parts.h: what the tables and figures share.
 */
#ifndef KITH_PAPER_PARTS_H
#define KITH_PAPER_PARTS_H

#include "paper/run.h"

/* The sets that are there: numbers in r->set; how many. */
int kith__present(const kith__paper_run *r, int out[KITH__SETS]);

/* "Cora", "Twitter (generated)". */
const char *kith__set_title(const kith__paper_set *s, char out[KITH__LABEL]);

/* The row that a method has, NULL if it was not asked for. */
const kith__paper_row *kith__row_of(const kith__paper_run *r,
                                    const char *method);

/* Titles and groups of all methods asked for. */
void kith__name_rows(const kith__paper_run *r, kith__table *t);

/*
 * The accuracy of a method on n splits (at most KITH__SPLITS): the first as
 * asked, ask->split being the first of them, the others `rest`.
 */
kith_status kith__ask_accuracy(kith__paper_run *r, const kith__prefetch *ask,
                               int n, kith__how rest, kith__cell *cell,
                               kith_error *err);

/*
 * What lcm learns on a split of the set: weights and coupling.
 */
kith_status kith__ask_learning(kith__paper_run *r, const kith__paper_set *s,
                               int split, kith__how how, kith__result *out,
                               bool *found, kith_error *err);

#endif
