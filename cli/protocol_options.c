#include "protocol_options.h"

#include <stdio.h>

#include "reading_options.h"

const option tuning_rows[] = {
    {.name = "split",
     .type = OPTION_TEXT,
     .value = "NAME",
     .group = "Tuning",
     .help = "Learn from, tune on and test on the nodes of a split: a name "
             "under the data set's splits/, or a folder with train.txt, "
             "test.txt and perhaps val.txt."},
    {.name = "hold-out", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "prevalence", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "optimise", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "calibrate", .type = OPTION_OF_TABLE, .group = "Tuning"},
    {.name = "seed", .type = OPTION_OF_TABLE, .group = "Tuning"},
    ROW_END,
};

/* The split that is named, or the nodes to tune on that a file lists. */
static kith_status read_split(run *r, const kith_dataset *d, kith_split *out)
{
    const char *split = args_text(r->a, "split");
    const char *val = args_text(r->a, "val");
    kith_status st = KITH_OK;

    if (split)
        return kith_split_read(d, split, out, &r->err);
    if (val)
        st = kith_nodes_read(val, d->graph, d->labels, &out->val, &out->n_val,
                             &r->err);
    if (st == KITH_OK && val && out->n_val == 0)
        return run_fail(r, KITH_ERR_ARGUMENT, val, "lists no node to tune on");
    return st;
}

kith_status open_for_learning(run *r, const char *path, kith_dataset **d,
                              kith_protocol *out)
{
    const char *labels = args_text(r->a, "labels");
    const char *val = args_text(r->a, "val");
    kith_split split = {0};
    kith_status st = open_given(r, path, d);

    if (st != KITH_OK)
        return st;
    if (!(*d)->labels || (*d)->labels->labelled == 0)
        return run_fail(r, KITH_ERR_ARGUMENT, labels ? labels : path,
                        "has no labels to learn from%s",
                        labels ? "" : ": give --labels FILE");
    st = read_split(r, *d, &split);
    if (st == KITH_OK)
        st = kith_protocol_make(*d, &split, args_real(r->a, "hold-out"),
                                (uint64_t)args_integer(r->a, "seed"), out,
                                &r->err);
    if (st == KITH_ERR_ARGUMENT && val && !r->err.path[0])
        snprintf(r->err.path, sizeof(r->err.path), "%s", val);
    kith_split_release(&split);
    return st;
}
