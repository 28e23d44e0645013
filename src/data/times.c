/*
 * times.c: when nodes came, read from the table that the graph was read from,
 * in a pass of its own: graphs do not keep times.
 */
#include <math.h>

#include "core/alloc.h"
#include "graph/graph_object.h"
#include "io/columns.h"
#include "kith/data.h"

/* A table on its way: of rows that are nodes, or of edges. */
typedef struct times {
    kith__table t;
    const kith_table_options *o;
    const kith_graph *g;
    int id;             /* rows: their ids, -1 their numbers */
    int source, target; /* edges */
    int when;           /* -1: as the table has them */
    int64_t rows;
    double *out;
} times;

/* The column that is named, or the well-known one; -1 if neither. */
static kith_status find(const times *r, const char *option, const char *name,
                        int usual, int *column, kith_error *err)
{
    *column = usual;
    return name ? kith__head_column(&r->t.head, r->t.header, r->t.path, option,
                                    name, column, err)
                : KITH_OK;
}

static kith_status find_columns(times *r, kith_error *err)
{
    const kith__head *h = &r->t.head;
    const kith_table_options *o = r->o;
    const char *when = o->rows && o->order ? o->order : o->time;
    kith_status st = KITH_OK;

    TRY(kith__table_header(&r->t, true, err));
    TRY(find(r, o->rows ? "--order" : "--time", when, -1, &r->when, err));
    TRY(find(r, "--id", o->id, -1, &r->id, err));
    if (o->rows)
        goto out;
    TRY(find(r, "--source", o->source, kith__column_of(h, KITH__SOURCE),
             &r->source, err));
    TRY(find(r, "--target", o->target, kith__column_of(h, KITH__TARGET),
             &r->target, err));
    if (r->source < 0 || r->target < 0 || r->when < 0)
        TRY(kith__head_unsure(h, r->t.path,
                              "which columns hold the ends and times of edges",
                              "--source COL --target COL --time COL", err));
out:
    return st;
}

/* The first time of a node is its own. */
static void take(times *r, const kith__field *id, double when)
{
    const int32_t u = kith_graph_find(r->g, id->text, id->length);

    if (u >= 0 && !(r->out[u] <= when))
        r->out[u] = when;
}

static void take_row(times *r)
{
    const kith__field *f = r->t.field;
    char number[KITH_ID_BUFFER];
    double when = (double)r->rows;

    if (r->when >= r->t.fields || r->id >= r->t.fields)
        return;
    if (r->when >= 0 &&
        !kith__parse_time(f[r->when].text, f[r->when].length, &when))
        return;
    if (!r->o->rows) {
        if (r->source < r->t.fields && r->target < r->t.fields) {
            take(r, &f[r->source], when);
            take(r, &f[r->target], when);
        }
    } else if (r->id >= 0) {
        take(r, &f[r->id], when);
    } else {
        const int n = snprintf(number, sizeof(number), "%lld",
                               (long long)r->rows);

        take(r, &(kith__field){.text = number, .length = (size_t)n}, when);
    }
}

kith_status kith_times_read(const char *path, const kith_graph *g,
                            const kith_table_options *table, double **out,
                            kith_error *err)
{
    times r = {.o = table, .g = g};
    kith_status st = KITH_OK;
    bool more;

    *out = NULL;
    TRY_NEW(r.out, kith__alloc(g->n, sizeof(*r.out)));
    for (int32_t u = 0; u < g->n; u++)
        r.out[u] = (double)NAN;
    TRY(kith__table_open(path, &r.t, err));
    TRY(find_columns(&r, err));
    for (;; r.rows++) {
        TRY(kith__table_next(&r.t, &more, err));
        if (!more)
            break;
        take_row(&r);
    }
    *out = r.out;
    r.out = NULL;
out:
    kith__table_close(&r.t);
    kith__free(r.out);
    return st;
}
