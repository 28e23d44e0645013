#include "paper/parts.h"

int kith__present(const kith__paper_run *r, int out[KITH__SETS])
{
    int n = 0;

    for (int i = 0; i < KITH__SETS; i++)
        if (r->set[i].data)
            out[n++] = i;
    return n;
}

const char *kith__set_title(const kith__paper_set *s, char out[KITH__LABEL])
{
    snprintf(out, KITH__LABEL, "%s%s", s->of->title,
             s->stand_in ? " (generated)" : "");
    return out;
}

const kith__paper_row *kith__row_of(const kith__paper_run *r,
                                    const char *method)
{
    for (int i = 0; i < r->rows; i++)
        if (strcmp(r->row[i]->method, method) == 0)
            return r->row[i];
    return NULL;
}

void kith__name_rows(const kith__paper_run *r, kith__table *t)
{
    for (int i = 0; i < r->rows; i++) {
        snprintf(t->row[i], KITH__LABEL, "%s", r->row[i]->title);
        t->group[i] = r->row[i]->group;
    }
}

kith_status kith__ask_accuracy(kith__paper_run *r, const kith__prefetch *ask,
                               int n, kith__how rest, kith__cell *cell,
                               kith_error *err)
{
    double x[KITH__SPLITS];
    int count = 0;
    kith_status st = KITH_OK;

    cell->wanted = n;
    for (int i = 0; i < n; i++) {
        kith__prefetch one = *ask;
        kith__result got;
        bool found;

        one.split = &ask->split[i];
        one.how = i == 0 ? ask->how : rest;
        TRY(kith__paper_ask(r, &one, &got, &found, err));
        if (found)
            x[count++] = got.accuracy;
        kith__result_release(&got);
    }
    cell->ours = kith_spread_of(x, count);
out:
    return st;
}

kith_status kith__ask_learning(kith__paper_run *r, const kith__paper_set *s,
                               int split, kith__how how, kith__result *out,
                               bool *found, kith_error *err)
{
    const kith__prefetch ask = {.set = s,
                                .row = kith__row_of(r, "lcm"),
                                .split = &s->split[split],
                                .how = how,
                                .inside = true};

    return kith__paper_ask(r, &ask, out, found, err);
}
