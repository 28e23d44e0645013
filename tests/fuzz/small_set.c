#include "small_set.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "fuzz.h"

static kith_graph *make_graph(int which)
{
    char text[1 << 13];
    int at = 0;
    kith_graph *g;

    for (int i = 0; i < SMALL_NODES; i++)
        for (int k = 0; k < 3; k++) {
            const int j = k == 0   ? (i + 1) % SMALL_NODES
                          : k == 1 ? (i + 2) % SMALL_NODES
                                   : (i * 7 + 3) % SMALL_NODES;

            at += snprintf(text + at, sizeof(text) - (size_t)at,
                           which == 0   ? "%d\t%d\n"
                           : which == 1 ? "node %d\tnode %d\t%d.5\n"
                                        : "%d0\t%d0\n",
                           i, j, i % 4);
        }
    return kith_graph_read(kith_fuzz_file((uint8_t *)text, (size_t)at), NULL,
                           &g, NULL, NULL) == KITH_OK
               ? g
               : NULL;
}

/* Blocks of neighbours in the ring are one class. */
static kith_labels *make_labels(int32_t n, int classes)
{
    kith_labels *l = kith__alloc_zeroed(1, sizeof(*l));

    if (!l)
        return NULL;
    l->of = kith__alloc(n, sizeof(*l->of));
    l->names = kith__alloc_zeroed(classes, sizeof(*l->names));
    l->nodes = n;
    l->labelled = n;
    for (int c = 0; l->names && c < classes; c++, l->classes++)
        l->names[c] = kith__copy_string(&"abc"[c], 1);
    for (int32_t u = 0; l->of && u < n; u++)
        l->of[u] = u * classes / n;
    return l;
}

static kith_features *make_features(const kith_labels *l, bool sparse)
{
    enum { COLUMNS = 6, ENTRIES = 2 };
    kith_features *f = kith__alloc_zeroed(1, sizeof(*f));

    if (!f)
        return NULL;
    f->nodes = l->nodes;
    f->columns = COLUMNS;
    f->entries = l->nodes * (sparse ? ENTRIES : COLUMNS);
    if (sparse) {
        f->row = kith__alloc(l->nodes + 1, sizeof(*f->row));
        f->column = kith__alloc(f->entries, sizeof(*f->column));
        for (int32_t u = 0; f->row && u <= l->nodes; u++)
            f->row[u] = u * ENTRIES;
        for (int32_t u = 0; f->column && u < l->nodes; u++) {
            f->column[u * ENTRIES] = l->of[u];
            f->column[u * ENTRIES + 1] = 3 + u % 3;
        }
    } else {
        f->value = kith__alloc(f->entries, sizeof(*f->value));
        for (int64_t i = 0; f->value && i < f->entries; i++) {
            const int64_t u = i / COLUMNS;

            f->value[i] = (float)(i * 5 % 7) / 4 - (float)l->of[u];
        }
    }
    return f;
}

kith_dataset *small_set(int which)
{
    kith_dataset *d = kith__alloc_zeroed(1, sizeof(*d));

    if (!d)
        return NULL;
    d->graph = make_graph(which);
    if (d->graph)
        d->labels = make_labels(kith_graph_nodes(d->graph), which ? 2 : 3);
    if (d->labels && which < 2)
        d->features = make_features(d->labels, which == 0);
    return d;
}

kith_status small_split(const kith_dataset *d, kith_split *out)
{
    kith_error err;

    return kith_split_random(d->graph, d->labels, 4, 6, 1, 0, out, &err);
}

kith_status small_model(const kith_dataset *d, int i, kith_model **out,
                        kith_solution **solution)
{
    static const char *const methods[SMALL_SOLUTIONS] = {"linbp", "lcm",
                                                         "lcm-em", "bp"};
    kith_train_options o;
    kith_split split = {0};
    kith_error err;
    kith_status st = small_split(d, &split);

    kith_train_options_init(&o);
    o.job.threads = 1;
    o.fixed = KITH_FIX_ALL;
    if (st == KITH_OK)
        st = solution
                 ? kith_solution_train(d, methods[i], &split, &o, out, solution,
                                       &err)
                 : kith_model_train(d, methods[i], &split, &o, out, NULL, &err);
    kith_split_release(&split);
    return st;
}
