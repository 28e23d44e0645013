/*
 * write_json.c: all there is, for programs.
 */
#include <inttypes.h>
#include <math.h>

#include "paper/doc.h"

/* The paper has no number that is 0: null. */
static void put_number(kith__json *to, const char *name, double x)
{
    kith__json_number(to, name, x == 0 ? (double)NAN : x);
}

static void put_cell(kith__json *to, const kith__table *t, int i, int j)
{
    const kith__cell *c = kith__cell_at(t, i, j);

    kith__json_open(to, NULL, '{');
    kith__json_string(to, "row", t->row[i]);
    kith__json_string(to, "column", t->column[j]);
    kith__json_number(to, "mean", c->ours.mean);
    kith__json_number(to, "std", c->ours.std);
    kith__json_number(to, "n", c->ours.n);
    put_number(to, "paper", c->paper);
    put_number(to, "paper_std", c->paper_std);
    kith__json_close(to, '}');
}

static void put_table(kith__json *to, const kith__table *t)
{
    kith__json_open(to, NULL, '{');
    kith__json_string(to, "id", t->id);
    kith__json_string(to, "title", t->title);
    kith__json_text(to, "text", t->text, strlen(t->text), sizeof(t->text));
    kith__json_open(to, "cells", '[');
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->columns; j++)
            put_cell(to, t, i, j);
    kith__json_close(to, ']');
    kith__json_close(to, '}');
}

static void put_matrix(kith__json *to, const kith__matrix *m)
{
    kith__json_open(to, NULL, '{');
    kith__json_string(to, "id", m->id);
    kith__json_string(to, "title", m->title);
    kith__json_open(to, "classes", '[');
    for (int i = 0; i < m->size; i++)
        kith__json_string(to, NULL, m->name[i]);
    kith__json_close(to, ']');
    kith__json_open(to, "values", '[');
    for (int64_t i = 0; i < (int64_t)m->size * m->size; i++)
        kith__json_number(to, NULL, (double)m->value[i]);
    kith__json_close(to, ']');
    kith__json_close(to, '}');
}

static void put_finding(kith__json *to, const kith__finding *f)
{
    char hash[20];

    snprintf(hash, sizeof(hash), "%016" PRIx64, f->split_hash);
    kith__json_open(to, NULL, '{');
    kith__json_string(to, "data", f->set);
    kith__json_string(to, "method", f->method);
    kith__json_string(to, "how", f->how);
    kith__json_string(to, "split", f->split);
    kith__json_string(to, "split_hash", hash);
    kith__json_number(to, "accuracy", f->accuracy);
    kith__json_number(to, "validation", f->validation);
    kith__json_number(to, "seconds", f->seconds);
    kith__json_text(to, "params", f->chosen, strlen(f->chosen), 4000);
    kith__json_close(to, '}');
}

void kith__write_json(kith__json *to, const kith__doc *d)
{
    char fit[KITH_OPTION_BUFFER];

    kith__json_open(to, NULL, '{');
    kith__json_string(to, "version", kith_version());
    kith__json_bool(to, "quick", d->quick);
    kith__json_string(to, "fit",
                      kith_option_text(kith_option_find("fit"), d->fit, fit));
    kith__json_bool(to, "finished", !d->unfinished);
    kith__json_open(to, "notes", '[');
    for (int64_t i = 0; i < d->notes; i++)
        kith__json_string(to, NULL, d->note[i]);
    kith__json_close(to, ']');
    kith__json_open(to, "tables", '[');
    for (int64_t i = 0; i < d->tables; i++)
        put_table(to, &d->table[i]);
    kith__json_close(to, ']');
    kith__json_open(to, "matrices", '[');
    for (int64_t i = 0; i < d->matrices; i++)
        put_matrix(to, &d->matrix[i]);
    kith__json_close(to, ']');
    kith__json_open(to, "results", '[');
    for (int64_t i = 0; i < d->findings; i++)
        put_finding(to, &d->finding[i]);
    kith__json_close(to, ']');
    kith__json_close(to, '}');
    kith__put(to, "\n");
}
