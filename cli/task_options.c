#include "task_options.h"

#include <stdio.h>
#include <string.h>

const option task_rows[] = {
    {.name = "task",
     .type = OPTION_TEXT,
     .value = "CLASS",
     .group = "Several classes a node",
     .help = "Of labels that give a node several classes, this one: is a node "
             "of it or not."},
    {.name = "negatives",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "0",
     .least = 0,
     .most = 2147483646,
     .group = "Several classes a node",
     .help = "Nodes that are not of a class: so many that are not given it, "
             "drawn from all. 0: those that are given another class, and no "
             "others."},
    ROW_END,
};

const option all_tasks_rows[] = {
    {.name = "multi",
     .group = "Several classes a node",
     .help = "Each class is a task of its own, and probabilities need not sum "
             "to 1. So it is anyway where a node is given several classes."},
    ROWS(task_rows),
    ROW_END,
};

bool wants_tasks(const args *a, const kith_dataset *d)
{
    return args_has(a, "multi") && !args_given(a, "task") && d->labels &&
           (args_flag(a, "multi") || d->labels->pairs > 0);
}

kith_status make_tasks(run *r, const kith_dataset *d, kith_tasks **out)
{
    const args *a = r->a;
    const uint64_t seed = args_has(a, "seed")
                              ? (uint64_t)args_integer(a, "seed")
                              : 1;

    return kith_tasks_from_labels(d->graph, d->labels,
                                  (int32_t)args_integer(a, "negatives"), seed,
                                  out, &r->err);
}

/* "a, b, c, ..." */
static void list_classes(const kith_labels *l, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (int32_t c = 0; c < l->classes && used + 60 < size; c++)
        used += (size_t)snprintf(out + used, size - used, "%s%.40s",
                                 c ? ", " : "", l->names[c]);
    if (used + 60 >= size)
        snprintf(out + used, size - used, ", ...");
}

/* The task of that name takes the place of the labels. */
static kith_status reduce(run *r, const char *name, kith_dataset *d)
{
    kith_labels *one = NULL;
    kith_tasks *t = NULL;
    char list[300];
    kith_status st = make_tasks(r, d, &t);

    if (st == KITH_OK && kith_tasks_find(t, name) < 0) {
        list_classes(d->labels, list, sizeof(list));
        st = run_fail(r, KITH_ERR_ARGUMENT, NULL,
                      "no labelled node is of class '%.60s', which --task "
                      "names; the classes are %s",
                      name, list);
    }
    if (st == KITH_OK)
        st = kith_tasks_labels(t, kith_tasks_find(t, name), &one, &r->err);
    kith_tasks_free(t);
    if (st != KITH_OK)
        return st;
    kith_labels_free(d->labels);
    d->labels = one;
    return KITH_OK;
}

kith_status take_task(run *r, const char *path, kith_dataset *d)
{
    const args *a = r->a;
    char list[300];

    if (!args_has(a, "task") || !d->labels)
        return KITH_OK;
    if (args_given(a, "task"))
        return reduce(r, args_text(a, "task"), d);
    if (d->labels->pairs == 0 || args_has(a, "multi"))
        return KITH_OK;
    list_classes(d->labels, list, sizeof(list));
    return run_fail(r, KITH_ERR_ARGUMENT, path,
                    "gives nodes several classes: name one with --task; the "
                    "classes are %s",
                    list);
}
