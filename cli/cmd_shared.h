/*
 * cmd_shared.h: what the commands share: running a job under progress and
 * interrupts, the options of reading, names of files, reporting.
 */
#ifndef KITH_CLI_CMD_SHARED_H
#define KITH_CLI_CMD_SHARED_H

#include <kith/kith.h>

#include "name_list.h"
#include "options.h"
#include "progress_tty.h"

/* A command on its way. */
typedef struct run {
    const args *a;
    bool quiet;
    bool terminal; /* standard output is one */
    double begun;
    progress_tty tty;
    kith_job job;             /* threads, memory, progress; points at tty */
    kith_options *options;    /* of a training; NULL until they are asked for */
    kith_table_options table; /* of reading_options() */
    kith_error err;
} run;

/* Start from --threads, --memory and --quiet, as far as the table has them. */
void run_begin(run *r, const args *a);

/* End: clear the progress line, tell of a failure; answers the exit status. */
int run_end(run *r, kith_status st);

/* Fail: "path: text" (path may be NULL) is what run_end() tells.  Answers
 * st. */
kith_status run_fail(run *r, kith_status st, const char *path,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
kith_status run_no_memory(run *r);
/* KITH_ERR_CANCELLED once the user asked to stop. */
kith_status run_cancelled(void);

/* Three quarters of the machine's memory: the default of --memory; 0 if
 * unknown. */
int64_t most_memory(void);

/* The one argument of commands that take a graph, or a model. */
extern const argument graph_argument[], model_argument[];

/* The graph of a command that takes a model first. */
#define ROW_GRAPH                                                             \
    {                                                                         \
        .name = "graph", .letter = 'g', .type = OPTION_FILE, .value = "DATA", \
        .help = "The graph or data set, as for 'kith classify'. Needed."      \
    }

/* The class that is looked for, and the number that it has among the labels;
 * KITH_POSITIVE_AUTO if it is not given. */
#define ROW_POSITIVE                                                           \
    {                                                                          \
        .name = "positive", .letter = 'p', .type = OPTION_TEXT,                \
        .value = "CLASS",                                                      \
        .help = "The class that is looked for: average precision, best F1 "    \
                "and what is among the first k are of it. Of two classes the " \
                "rarer, if not given."                                         \
    }
kith_status find_positive(run *r, const kith_labels *l, int32_t *out);

/* How far a built file is checked; part of the next. */
#define ROW_VERIFY                                                            \
    {                                                                         \
        .name = "verify",                                                     \
        .help = "Compare the checksums of a built file also if it is larger " \
                "than 1 GiB."                                                 \
    }

/* Columns of tables by name; part of the next. */
#define ROW_COLUMN(NAME, HELP)                                                \
    {                                                                         \
        .name = NAME, .type = OPTION_TEXT, .value = "COL", .group = "Tables", \
        .help = HELP                                                          \
    }
#define ROWS_COLUMNS                                                          \
    ROW_COLUMN("source", "The column of an edge's one end, by its name in "   \
                         "the header or its number. Well-known names are "    \
                         "found by themselves."),                             \
        ROW_COLUMN("target", "The column of the other end."),                 \
        ROW_COLUMN("weight", "The column of an edge's weight."),              \
        ROW_COLUMN("time", "The column of an edge's time: numbers, or dates " \
                           "as 2024-05-31 12:00."),                           \
        {.name = "until",                                                     \
         .type = OPTION_TEXT,                                                 \
         .value = "TIME",                                                     \
         .group = "Tables",                                                   \
         .help = "With --time: use only the edges known by then."},           \
        ROW_COLUMN("node", "The column of the node's id in a table of "       \
                           "labels."),                                        \
        ROW_COLUMN("label", "The column of the class in a table of labels."), \
        {.name = "unlabelled",                                                \
         .type = OPTION_TEXT,                                                 \
         .value = "A,B",                                                      \
         .group = "Tables",                                                   \
         .help = "Words that mean no label, besides unknown, NA, NaN, null, " \
                 "? and nothing."},                                           \
    {                                                                         \
        .name = "strict", .group = "Tables",                                  \
        .help = "Refuse labels of nodes that the graph does not have; else "  \
                "they are counted and left out."                              \
    }

/* Tables whose rows are the nodes; part of the next. */
#define ROWS_ROWS                                                             \
    {.name = "table",                                                         \
     .type = OPTION_FILE,                                                     \
     .value = "FILE",                                                         \
     .group = "Tables of rows",                                               \
     .help = "In place of the graph: a table whose rows are the nodes, tied " \
             "where they share a value of --link. --label and --features "    \
             "(a,b or all) are columns of it."},                              \
        {.name = "link",                                                      \
         .type = OPTION_TEXT,                                                 \
         .value = "A,B",                                                      \
         .group = "Tables of rows",                                           \
         .help = "The columns whose values tie rows. Needed with --table."},  \
        {.name = "link-as",                                                   \
         .type = OPTION_CHOICE,                                               \
         .value = "HOW",                                                      \
         .preset = "window",                                                  \
         .choices = "window|hub",                                             \
         .group = "Tables of rows",                                           \
         .help = "window: a row is tied to the --window rows before it that " \
                 "share the value; hub: to a node that stands for it."},      \
        {.name = "window",                                                    \
         .type = OPTION_INTEGER,                                              \
         .value = "K",                                                        \
         .preset = "2",                                                       \
         .least = 1,                                                          \
         .most = 1000,                                                        \
         .group = "Tables of rows",                                           \
         .help = "How many rows before, of each column."},                    \
        {.name = "id",                                                        \
         .type = OPTION_TEXT,                                                 \
         .value = "COL",                                                      \
         .group = "Tables of rows",                                           \
         .help = "The column of the rows' ids; their numbers from 0, if not " \
                 "given."},                                                   \
    {                                                                         \
        .name = "history", .type = OPTION_CHOICE, .value = "WHEN",            \
        .preset = "no", .choices = "no|yes", .group = "Tables of rows",       \
        .help = "More features, from the rows before in the order: how many " \
                "share a value of --link, how long ago the last, and each "   \
                "number against its mean there."                              \
    }

/* `kith graph build` has another --order: there --time says it. */
#define ROW_ROW_ORDER                                                      \
    {                                                                      \
        .name = "order", .type = OPTION_TEXT, .value = "COL",              \
        .group = "Tables of rows",                                         \
        .help = "The column by which rows come before others, numbers or " \
                "dates; as the table has them, if not given."              \
    }

/* How to read a graph: rows for the tables, and what they say. */
#define ROWS_READING ROWS_READING_UNORDERED, ROW_ROW_ORDER
#define ROWS_READING_UNORDERED                                               \
    {.name = "header",                                                       \
     .type = OPTION_CHOICE,                                                  \
     .value = "WHEN",                                                        \
     .preset = "auto",                                                       \
     .choices = "auto|yes|no",                                               \
     .group = "Reading text",                                                \
     .help = "Does the first line name the columns? auto looks at it."},     \
        {.name = "weights",                                                  \
         .type = OPTION_CHOICE,                                              \
         .value = "WHEN",                                                    \
         .preset = "auto",                                                   \
         .choices = "auto|yes|no",                                           \
         .group = "Reading text",                                            \
         .help = "Is the third column a weight? auto: if there are three "   \
                 "columns and the third is a number."},                      \
        {.name = "merge",                                                    \
         .type = OPTION_CHOICE,                                              \
         .value = "HOW",                                                     \
         .preset = "auto",                                                   \
         .choices = "auto|max|sum|count|mean",                               \
         .group = "Reading text",                                            \
         .help = "The weight of an edge that is given several times. auto: " \
                 "the largest; of a table read by column name the sum, or "  \
                 "without --weight how often it is given."},                 \
        {.name = "nodes",                                                    \
         .type = OPTION_FILE,                                                \
         .value = "FILE",                                                    \
         .group = "Reading text",                                            \
         .help = "One id a line: every node, in this order, also those "     \
                 "without an edge. Edges to others are refused."},           \
        ROWS_COLUMNS, ROWS_ROWS, ROW_VERIFY

/* As the rows say.  What they say of columns is kept in *r. */
kith_build_options reading_options(run *r);

/* Labels and features in place of the data set's. */
#define ROW_FEATURES                                                        \
    {                                                                       \
        .name = "features", .type = OPTION_FILE, .value = "FILE",           \
        .help =                                                             \
            "Features to use: .mtx, .svm, .npy or .npz. Those of the data " \
            "set, if not given. With --table columns of it, a,b or all."    \
    }
#define ROWS_GIVEN                                                            \
    {.name = "labels",                                                        \
     .type = OPTION_FILE,                                                     \
     .value = "FILE",                                                         \
     .help = "Labels to use: 'node<TAB>class' lines. Those of the data set, " \
             "if not given."},                                                \
        ROW_FEATURES

/* Of tables of predictions. */
#define ROW_FORCE_LABELS                                                     \
    {                                                                        \
        .name = "force-labels",                                              \
        .help = "Name the likeliest class also where nothing that is known " \
                "reaches a node. Its label is '-' else."                     \
    }

/* Let what --labels and --features name (as far as the table has them) take
 * the place of the data set's. */
kith_status read_given(run *r, const kith_build_options *how, kith_dataset *d);

/* How the result is told. */
#define ROWS_TELLING                                                         \
    {.name = "verbose",                                                      \
     .letter = 'v',                                                          \
     .help = "Tell all: data, method and parameters, classes, scores. Four " \
             "lines else."},                                                 \
    {                                                                        \
        .name = "json",                                                      \
        .help = "Print the same as one JSON object, for programs."           \
    }

/* Open a graph or data set as the reading options say, then read_given(). */
kith_status open_given(run *r, const char *path, kith_dataset **out);

/* Does the name end in `ending`, before a .gz or .zst? */
bool name_ends(const char *name, const char *ending);

bool ends_in_slash(const char *name); /* which is not empty */
/* Folders are made only of names that cannot be a slip in a file's: without a
 * dot, with a slash at the end, or of a folder that is there. */
bool may_be_folder(const char *name);

/* The size of a regular file, -1 if it is none. */
int64_t file_size(const char *path);
bool is_folder(const char *path);

/* The last part of a path, without slashes at its end: its start, *length. */
const char *base_name(const char *path, size_t *length);

/* The name of an input in a report: its last part, or "standard input". */
const char *input_name(const char *path, char *out, size_t size);

/* Can a file be written there, as far as one can tell before the work? */
kith_status check_output(run *r, const char *path);

/* ", "-separated parts of a sentence: call with the text so far. */
void summary_add(char *line, size_t size, int64_t n, const char *one,
                 const char *many);

/* A solution that 'kith classify --save-solution' kept. */
#define ROW_SOLUTION                                                        \
    {                                                                       \
        .name = "solution", .type = OPTION_FILE, .value = "FILE",           \
        .help = "The model's beliefs on this graph, which 'kith classify "  \
                "--save-solution' kept. Without it the model is run again." \
    }

/* The command as it was typed, quoted for a shell, but for what its result does
 * not depend on: --threads, --quiet, --output.  Cut at size. */
void command_typed(const args *a, char *out, size_t size);

/* The model's run on the data: from --solution, else made again and said so. */
kith_status solution_of(run *r, const kith_model *m, const kith_dataset *d,
                        kith_solution **out);

/* The list that an option gives; what is wrong with it is told, as is the exit
 * status. */
int args_names(const args *a, const char *name, bool ranges, name_list *out);

/* Says that --graph was not given; exit status 2. */
int graph_missing(const args *a);

#endif
