#include "reading_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "task_options.h"
#include "term.h"

/* ---- rows ---------------------------------------------------------------- */

const argument graph_argument[] = {
    {"GRAPH", OPTION_FILE, NULL, false,
     "Data set folder, built file (.kg), edge list, Matrix Market, METIS "
     ".graph, SciPy .npz, GraphML, GEXF or JSON file; - reads standard input."},
    {.name = NULL},
};

#define COLUMN(NAME, HELP)                                                    \
    {                                                                         \
        .name = NAME, .type = OPTION_TEXT, .value = "COL", .group = "Tables", \
        .help = HELP                                                          \
    }

/* Columns of tables by name. */
static const option column_rows[] = {
    COLUMN("source", "The column of an edge's one end, by its name in "
                     "the header or its number. Well-known names are "
                     "found by themselves."),
    COLUMN("target", "The column of the other end."),
    COLUMN("weight", "The column of an edge's weight."),
    COLUMN("time", "The column of an edge's time: numbers, or dates "
                   "as 2024-05-31 12:00."),
    {.name = "until",
     .type = OPTION_TEXT,
     .value = "TIME",
     .group = "Tables",
     .help = "With --time: use only the edges known by then."},
    COLUMN("node", "The column of the node's id in a table of "
                   "labels, features or nodes."),
    COLUMN("label", "The column of the class in a table of labels or nodes."),
    {.name = "unlabelled",
     .type = OPTION_TEXT,
     .value = "A,B",
     .group = "Tables",
     .help = "Words that mean no label, besides unknown, NA, NaN, null, "
             "? and nothing."},
    {.name = "strict",
     .group = "Tables",
     .help = "Refuse labels and features of nodes that the graph does not "
             "have; else they are counted and left out."},
    ROW_END,
};

/* Tables whose rows are the nodes. */
static const option row_table_rows[] = {
    {.name = "table",
     .type = OPTION_FILE,
     .value = "FILE",
     .group = "Tables of rows",
     .help = "In place of the graph: a table whose rows are the nodes, tied "
             "where they share a value of --link. --label and --features "
             "(a,b or all) are columns of it."},
    {.name = "link",
     .type = OPTION_TEXT,
     .value = "A,B",
     .group = "Tables of rows",
     .help = "The columns whose values tie rows. Needed with --table."},
    {.name = "link-as",
     .type = OPTION_CHOICE,
     .value = "HOW",
     .preset = "window",
     .choices = "window|hub",
     .group = "Tables of rows",
     .help = "window: a row is tied to the --window rows before it that "
             "share the value; hub: to a node that stands for it."},
    {.name = "window",
     .type = OPTION_INTEGER,
     .value = "K",
     .preset = "2",
     .least = 1,
     .most = 1000,
     .group = "Tables of rows",
     .help = "How many rows before, of each column."},
    {.name = "id",
     .type = OPTION_TEXT,
     .value = "COL",
     .group = "Tables of rows",
     .help = "The column of the rows' ids; their numbers from 0, if not "
             "given."},
    {.name = "history",
     .type = OPTION_CHOICE,
     .value = "WHEN",
     .preset = "no",
     .choices = "no|yes",
     .group = "Tables of rows",
     .help = "More features, from the rows before in the order: how many "
             "share a value of --link, how long ago the last, and each "
             "number against its mean there."},
    ROW_END,
};

const option reading_unordered_rows[] = {
    {.name = "edges",
     .type = OPTION_TEXT,
     .value = "SQL",
     .group = "Databases",
     .help = "Of an SQLite database in place of the graph: the table of edges, "
             "or a SELECT. --labels and --features (and --nodes) name tables "
             "of it or SELECTs then, too."},
    {.name = "header",
     .type = OPTION_CHOICE,
     .value = "WHEN",
     .preset = "auto",
     .choices = "auto|yes|no",
     .group = "Reading text",
     .help = "Does the first line name the columns? auto looks at it."},
    {.name = "weights",
     .type = OPTION_CHOICE,
     .value = "WHEN",
     .preset = "auto",
     .choices = "auto|yes|no",
     .group = "Reading text",
     .help = "Is the third column a weight? auto: if there are three "
             "columns and the third is a number."},
    {.name = "merge",
     .type = OPTION_CHOICE,
     .value = "HOW",
     .preset = "auto",
     .choices = "auto|max|sum|count|mean",
     .group = "Reading text",
     .help = "The weight of an edge that is given several times. auto: "
             "the largest; of a table read by column name the sum, or "
             "without --weight how often it is given."},
    {.name = "nodes",
     .type = OPTION_FILE,
     .value = "FILE",
     .group = "Reading text",
     .help = "One id a line: every node, in this order, also those "
             "without an edge; edges to others are refused. Or a table of "
             "nodes, with --node, --label and --features a,b or all: its "
             "nodes are there, too."},
    ROWS(column_rows),
    ROWS(row_table_rows),
    {.name = "verify",
     .help = "Compare the checksums of a built file also if it is larger "
             "than 1 GiB."},
    ROW_END,
};

const option reading_rows[] = {
    ROWS(reading_unordered_rows),
    {.name = "order",
     .type = OPTION_TEXT,
     .value = "COL",
     .group = "Tables of rows",
     .help = "The column by which rows come before others, numbers or "
             "dates; as the table has them, if not given."},
    ROW_END,
};

const option features_rows[] = {
    {.name = "features",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Features to use: .mtx, .svm, .npy or .npz, or a table with a "
             "row for each node. Those of the data set, if not given. With "
             "--table, --nodes or --labels columns of that table, a,b or "
             "all."},
    ROW_END,
};

const option given_rows[] = {
    {.name = "labels",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Labels to use: 'node<TAB>class' lines. Those of the data set, "
             "if not given."},
    ROWS(features_rows),
    ROW_END,
};

/* ---- what they say ------------------------------------------------------- */

static const char *text_if_any(const args *a, const char *name)
{
    return args_has(a, name) ? args_text(a, name) : NULL;
}

/* What reading took for what, on standard error, since the table may go to
 * standard output. */
static void tell_reading(void *user, const char *key, const char *text)
{
    run *r = user;

    if (r->quiet)
        return;
    progress_end(&r->tty);
    term_row(stderr, key, "%s", text);
}

/* --features names columns, not a file, with a table of rows, of nodes or of
 * labels: unless there is a file of that name. */
static const char *feature_columns(const args *a)
{
    const char *features = text_if_any(a, "features");
    const bool table = args_given(a, "table") || text_if_any(a, "nodes") ||
                       (text_if_any(a, "labels") && !args_given(a, "edges"));

    return table && features && access(features, F_OK) != 0 ? features : NULL;
}

/* The file that --features names, or the table of labels whose columns it does;
 * NULL if d was opened with a table that has them. */
static const char *features_file(const args *a, const kith_dataset *d)
{
    const bool taken = args_given(a, "table") ||
                       (text_if_any(a, "nodes") && d->features &&
                        d->features->names);

    if (!feature_columns(a))
        return text_if_any(a, "features");
    if (taken)
        return NULL;
    return text_if_any(a, text_if_any(a, "labels") ? "labels" : "features");
}

kith_build_options reading_options(run *r)
{
    const args *a = r->a;
    kith_build_options options = {
        .job = r->job,
        .header = (kith_choice)args_choice(a, "header"),
        .weights = (kith_choice)args_choice(a, "weights"),
        .merge = (kith_merge)args_choice(a, "merge"),
        .nodes = args_text(a, "nodes"),
        .label = args_text(a, "label"),
        .verify = args_flag(a, "verify"),
        .table = &r->table,
        .tell = tell_reading,
        .tell_user = r,
    };

    r->table = (kith_table_options){
        .edges = args_text(a, "edges"),
        .source = args_text(a, "source"),
        .target = args_text(a, "target"),
        .weight = args_text(a, "weight"),
        .time = args_text(a, "time"),
        .until = args_text(a, "until"),
        .node = args_text(a, "node"),
        .label = args_text(a, "label"),
        .unlabelled = args_text(a, "unlabelled"),
        .strict = args_flag(a, "strict"),
        .several = args_has(a, "task"),
        .rows = args_given(a, "table"),
        .id = args_text(a, "id"),
        .link = args_text(a, "link"),
        .order = args_text(a, "order"),
        .window = (int)args_integer(a, "window"),
        .hub = args_choice(a, "link-as") == 1,
        .history = args_choice(a, "history") == 1,
        .features = feature_columns(a),
    };
    return options;
}

/* What is no file is a table of the database, or a SELECT, with --edges. */
static const char *of_database(run *r, const char *path, const char *given,
                               char **asked)
{
    const size_t room = given ? strlen(path) + strlen(given) + 2 : 0;

    if (!given || !args_given(r->a, "edges") || access(given, F_OK) == 0)
        return given;
    free(*asked);
    *asked = malloc(room);
    if (*asked)
        snprintf(*asked, room, "%s:%s", path, given);
    return *asked ? *asked : given;
}

kith_status read_given(run *r, const char *path, const kith_build_options *how,
                       kith_dataset *d)
{
    const char *labels = of_database(r, path, text_if_any(r->a, "labels"),
                                     &r->asked[0]);
    const char *features = of_database(r, path, features_file(r->a, d),
                                       &r->asked[1]);
    kith_labels *l = NULL;
    kith_features *x = NULL;
    kith_status st = KITH_OK;

    if (labels)
        st = kith_labels_read_table(labels, d->graph, how, &l, &r->err);
    if (st == KITH_OK && features)
        st = kith_features_read_table(features, d->graph, how, &x, &r->err);
    if (l) {
        kith_labels_free(d->labels);
        d->labels = l;
    }
    if (x) {
        kith_features_free(d->features);
        d->features = x;
    }
    return st;
}

/* A weight for each column and class must be possible; the library says so,
 * too, but it does not know which file is to blame. */
static kith_status check_columns(run *r, const char *path,
                                 const kith_dataset *d)
{
    const char *given = text_if_any(r->a, "features");
    const int64_t columns = d->features ? d->features->columns : 0;
    const int64_t classes = d->labels ? d->labels->classes : 0;

    if ((columns + 1) * classes <= INT32_MAX)
        return KITH_OK;
    return run_fail(r, KITH_ERR_RANGE, given ? given : path,
                    "has %lld feature columns, times %lld classes more weights "
                    "than %d",
                    (long long)columns, (long long)classes, INT32_MAX);
}

kith_status open_given(run *r, const char *path, kith_dataset **out)
{
    const kith_build_options how = reading_options(r);
    kith_status st = kith_dataset_open(path, &how, out, &r->err);

    if (st == KITH_OK)
        st = read_given(r, path, &how, *out);
    if (st == KITH_OK)
        st = take_task(r, path, *out);
    return st == KITH_OK ? check_columns(r, path, *out) : st;
}
