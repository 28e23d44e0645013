#include "chosen_nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_ids.h"

/* What a node is for. */
typedef enum use { USE_NONE, USE_TO_LEARN, USE_TO_TUNE } use;

static kith_status mark_line(run *r, const kith_dataset *d, const char *path,
                             const char *id, size_t length, use *uses)
{
    const int32_t u = kith_graph_find(d->graph, id, length);
    char shown[SHOWN_ID];

    if (u < 0)
        return run_fail(r, KITH_ERR_PARSE, path,
                        "unknown node '%s', expected a node of the graph (%d "
                        "nodes)",
                        shown_id(id, length, shown),
                        (int)kith_graph_nodes(d->graph));
    if (d->labels->of[u] < 0)
        return run_fail(r, KITH_ERR_PARSE, path,
                        "node '%s' has no label, expected a labelled node",
                        shown_id(id, length, shown));
    uses[u] = USE_TO_TUNE;
    return KITH_OK;
}

/* Tune on the nodes that a file lists, one id a line. */
static kith_status mark_listed(run *r, const kith_dataset *d, const char *path,
                               use *uses)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    int64_t line = 0;
    kith_status st = KITH_OK;

    if (!in)
        return run_fail(r, KITH_ERR_IO, path, "cannot open: %s",
                        strerror(errno));
    errno = 0;
    while (st == KITH_OK && (length = getline(&text, &room, in)) >= 0) {
        line++;
        while (length > 0 && strchr("\r\n", text[length - 1]))
            length--;
        if (length > 0 && text[0] != '#' && text[0] != '%')
            st = mark_line(r, d, path, text, (size_t)length, uses);
    }
    if (st != KITH_OK)
        r->err.line = line;
    else if (!feof(in))
        st = run_fail(r, KITH_ERR_IO, path, "cannot read: %s", strerror(errno));
    free(text);
    fclose(in);
    return st;
}

static kith_status mark_split(run *r, const kith_dataset *d, const char *name,
                              kith_split *s, use *uses)
{
    kith_status st = kith_split_read(d, name, s, &r->err);

    for (int32_t i = 0; st == KITH_OK && i < s->n_train; i++)
        uses[s->train[i]] = USE_TO_LEARN;
    for (int32_t i = 0; st == KITH_OK && i < s->n_val; i++)
        uses[s->val[i]] = USE_TO_TUNE;
    return st;
}

/* What each node is for: by --split, or all that have a label to learn from
 * but for those of --val. */
static kith_status mark(run *r, const kith_dataset *d, kith_split *named,
                        use *uses)
{
    const char *split = args_text(r->a, "split");
    const char *val = args_text(r->a, "val");

    if (split)
        return mark_split(r, d, split, named, uses);
    for (int32_t u = 0; u < d->labels->nodes; u++)
        uses[u] = USE_TO_LEARN;
    return val ? mark_listed(r, d, val, uses) : KITH_OK;
}

static kith_status list_by_use(run *r, const kith_labels *l, const use *uses,
                               chosen_nodes *c)
{
    c->pool = calloc((size_t)l->labelled + 1, sizeof(*c->pool));
    c->val = calloc((size_t)l->labelled + 1, sizeof(*c->val));
    if (!c->pool || !c->val)
        return run_no_memory(r);
    for (int32_t u = 0; u < l->nodes; u++)
        if (l->of[u] >= 0 && uses[u] == USE_TO_LEARN)
            c->pool[c->n_pool++] = u;
        else if (l->of[u] >= 0 && uses[u] == USE_TO_TUNE)
            c->val[c->n_val++] = u;
    return KITH_OK;
}

/* There must be nodes to learn from; without any to tune on, hold some out. */
static kith_status hold_out(run *r, const kith_dataset *d, chosen_nodes *c)
{
    const char *val = args_text(r->a, "val");
    const double share = args_real(r->a, "hold-out");

    if (c->n_pool == 0)
        return run_fail(r, KITH_ERR_ARGUMENT, val,
                        "no labelled node is left to learn from");
    if (val && c->n_val == 0)
        return run_fail(r, KITH_ERR_ARGUMENT, val, "lists no node to tune on");
    if (c->n_val > 0 || share <= 0)
        return KITH_OK;
    return kith_hold_out(d->graph, d->labels, c->pool, c->n_pool, share,
                         (uint64_t)args_integer(r->a, "seed"), &c->kept,
                         &c->n_kept, &c->held, &c->n_held, &r->err);
}

kith_status chosen_nodes_find(run *r, const kith_dataset *d, chosen_nodes *out)
{
    use *uses = calloc((size_t)d->labels->nodes + 1, sizeof(*uses));
    kith_status st;

    if (!uses)
        return run_no_memory(r);
    st = mark(r, d, &out->named, uses);
    if (st == KITH_OK)
        st = list_by_use(r, d->labels, uses, out);
    if (st == KITH_OK)
        st = hold_out(r, d, out);
    free(uses);
    return st;
}

void chosen_nodes_release(chosen_nodes *c)
{
    kith_split_release(&c->named);
    kith_array_free(c->kept);
    kith_array_free(c->held);
    free(c->pool);
    free(c->val);
}
