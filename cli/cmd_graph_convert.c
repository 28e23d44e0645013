#include <kith/kith.h>
#include <stdio.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "reading_options.h"
#include "term.h"

static const char *const usage[] = {"IN OUT [OPTIONS]", NULL};

static const char *const description[] = {
    "Reads a graph, a data set or a feature matrix and writes it in another "
    "format. The ending of OUT chooses: .kg (built file), .tsv, .csv, .txt "
    "(edge lists), .mtx (Matrix Market), .graph (METIS), .npz (SciPy), each "
    "text format also with .gz or .zst after it. A name without an ending, or "
    "one that ends in '/', becomes a data set folder.",
    "Built files and folders carry labels and features along, folders also "
    "splits; the other formats hold the graph alone. Where a format cannot "
    "carry the ids of the "
    "nodes, OUT.nodes.txt lists them, and reading finds it there.",
    "A feature matrix is converted by itself if IN ends in .svm, .svmlight or "
    ".npy, or with --what features; then OUT may end in .mtx, .svm, "
    ".svmlight, .npy or .npz. From a data set, its rows follow the order in "
    "which the input lists the nodes, and OUT.nodes.txt lists these where "
    "their ids are not 0, 1, 2 and so on.",
    NULL,
};

static const argument arguments[] = {
    {"IN", OPTION_FILE, NULL, false,
     "What to read, as for 'kith graph build'; - reads standard input."},
    {"OUT", OPTION_FILE, NULL, false,
     "What to write; - writes a text format, named by --to, to standard "
     "output."},
    {.name = NULL},
};

typedef enum subject {
    WHAT_AUTO,
    WHAT_GRAPH,
    WHAT_FEATURES,
    WHAT_DATASET
} subject;

#define WHAT_CHOICES "auto|graph|features|dataset"
#define TO_CHOICES \
    "auto|kg|tsv|csv|mtx|metis|npz|svmlight|npy|folder" /* in this order: */
enum { TO_NPZ = 6, TO_SVMLIGHT, TO_NPY, TO_FOLDER };

static const option options[] = {
    {.name = "what",
     .type = OPTION_CHOICE,
     .value = "WHAT",
     .preset = "auto",
     .choices = WHAT_CHOICES,
     .help = "What to write: the graph alone, the features alone, or all."},
    {.name = "to",
     .type = OPTION_CHOICE,
     .value = "FORMAT",
     .preset = "auto",
     .choices = TO_CHOICES,
     .help = "Write this format whatever OUT is called. For a folder, the "
             "format of its edges."},
    {.name = "features-format",
     .type = OPTION_CHOICE,
     .value = "FORMAT",
     .preset = "auto",
     .choices = "auto|mtx|svmlight|npy|npz",
     .help = "Format of a feature matrix, alone or in a folder."},
    {.name = "force",
     .letter = 'f',
     .help = "Replace a data set folder that exists. Files are always "
             "replaced."},
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith graph convert edges.csv graph.mtx.gz",
     "an edge list to Matrix Market, packed"},
    {"kith graph convert data/cora cora.kg", "a data set folder to one file"},
    {"kith graph convert cora.kg cora/ --features-format npz", "and back"},
    {"kith graph convert words.svm words.npz", "a feature matrix"},
    {"kith graph convert g.kg - --to tsv | head", "look at the first edges"},
    {NULL, NULL},
};

/* What is to be done, once names and options are read together. */
typedef struct plan {
    const char *in, *out;
    subject what;
    bool folder;
    kith_graph_format graph_format;
    kith_features_format features_format;
} plan;

static bool names_features(const char *name)
{
    return name_ends(name, ".svm") || name_ends(name, ".svmlight") ||
           name_ends(name, ".libsvm") || name_ends(name, ".npy");
}

static bool names_graph(const char *name)
{
    static const char *const files[] = {".kg",    ".tsv", ".csv",
                                        ".txt",   ".mtx", ".graph",
                                        ".metis", ".npz", ".edges"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (name_ends(name, files[i]))
            return true;
    return false;
}

static bool names_folder(const char *name)
{
    return ends_in_slash(name) ||
           (!names_graph(name) && !names_features(name) &&
            !kith_path_is_stream(name));
}

static kith_features_format features_format(const args *a)
{
    const int to = args_choice(a, "to");

    if (args_given(a, "features-format"))
        return (kith_features_format)args_choice(a, "features-format");
    return to == KITH_GRAPH_MTX ? KITH_FEATURES_MTX
           : to == TO_NPZ       ? KITH_FEATURES_NPZ
           : to == TO_SVMLIGHT  ? KITH_FEATURES_SVMLIGHT
           : to == TO_NPY       ? KITH_FEATURES_NPY
                                : KITH_FEATURES_AUTO;
}

static void make_plan(const args *a, plan *p)
{
    const int to = args_choice(a, "to");

    p->what = (subject)args_choice(a, "what");
    if (p->what == WHAT_AUTO &&
        (names_features(p->in) || to == TO_SVMLIGHT || to == TO_NPY))
        p->what = WHAT_FEATURES;
    p->folder = p->what != WHAT_FEATURES &&
                (to == TO_FOLDER || ends_in_slash(p->out) ||
                 (to == 0 && names_folder(p->out)));
    p->graph_format = to < TO_SVMLIGHT ? (kith_graph_format)to
                                       : KITH_GRAPH_AUTO;
    if (p->graph_format == KITH_GRAPH_AUTO && !p->folder &&
        name_ends(p->out, ".kg"))
        p->graph_format = KITH_GRAPH_KG;
    if (p->what == WHAT_AUTO)
        p->what = p->folder || p->graph_format == KITH_GRAPH_KG ? WHAT_DATASET
                                                                : WHAT_GRAPH;
    p->features_format = features_format(a);
}

/* Is OUT a format that is used where it lies, under a name for a packed one? */
static bool packs_in_vain(const plan *p)
{
    const char *dot = strrchr(p->out, '.');

    if (p->folder || !dot ||
        (strcmp(dot, ".gz") != 0 && strcmp(dot, ".zst") != 0))
        return false;
    if (p->what == WHAT_FEATURES)
        return p->features_format == KITH_FEATURES_NPZ ||
               (!p->features_format && name_ends(p->out, ".npz"));
    return p->graph_format == KITH_GRAPH_KG ||
           p->graph_format == KITH_GRAPH_NPZ ||
           (!p->graph_format && name_ends(p->out, ".npz"));
}

static int check_name(const args *a, const plan *p)
{
    if (packs_in_vain(p))
        return usage_error(a->of,
                           "'%s' cannot be compressed: .kg and .npz files are "
                           "used where they lie",
                           p->out);
    if (p->folder && args_choice(a, "to") != TO_FOLDER &&
        !may_be_folder(p->out))
        return usage_error(a->of,
                           "'%s' ends like no known format: give --to, or end "
                           "it in '/' if it is to be a folder",
                           p->out);
    if (p->what == WHAT_FEATURES && ends_in_slash(p->out))
        return usage_error(a->of,
                           "'%s' is a folder, features alone go to a file "
                           "(--features-format chooses their format in a "
                           "folder)",
                           p->out);
    return EXIT_OK;
}

static int check(const args *a, const plan *p)
{
    if (p->what == WHAT_FEATURES && p->features_format == 0 &&
        !names_features(p->out) && !name_ends(p->out, ".mtx") &&
        !name_ends(p->out, ".npz"))
        return usage_error(a->of,
                           "'%s' names no format of features: give "
                           "--features-format or end it in .mtx, .svm, .npy or "
                           ".npz",
                           p->out);
    if (p->what == WHAT_GRAPH && (p->folder || names_features(p->out)))
        return usage_error(a->of, "'%s' names no format of graphs: give --to",
                           p->out);
    if (p->what == WHAT_GRAPH && p->graph_format == 0 && !names_graph(p->out))
        return usage_error(a->of,
                           "writing to '%s' needs a format: --to tsv, "
                           "for one",
                           p->out);
    if (p->what == WHAT_DATASET && !p->folder &&
        p->graph_format != KITH_GRAPH_KG)
        return usage_error(a->of,
                           "'%s' cannot hold a whole data set: name a folder "
                           "or a .kg file",
                           p->out);
    return EXIT_OK;
}

static void tell_line(const run *r, const plan *p, const char *line)
{
    char time[TERM_NUMBER];

    term_line(stderr, "%s: %s in %s",
              strcmp(p->out, "-") == 0 ? "standard output" : p->out, line,
              term_seconds(seconds_now() - r->begun, time));
}

/* What was written of features. */
typedef struct written {
    int32_t rows, columns;
    bool lost; /* the ids of the rows are */
} written;

/* The features of a data set. */
static kith_status write_own_features(run *r, const plan *p, written *w)
{
    const kith_build_options how = reading_options(r);
    kith_dataset *d = NULL;
    kith_status st = kith_dataset_open(p->in, &how, &d, &r->err);
    const kith_features *f = st == KITH_OK ? d->features : NULL;

    if (f)
        *w = (written){f->nodes, f->columns,
                       kith_path_is_stream(p->out) &&
                           !kith_graph_fits(d->graph, KITH_GRAPH_MTX)};
    else if (st == KITH_OK)
        st = run_fail(r, KITH_ERR_ARGUMENT, p->in, "has no features");
    if (st == KITH_OK)
        st = kith_dataset_write_features(d, p->out, p->features_format,
                                         &r->err);
    kith_dataset_free(d);
    return st;
}

/* A feature matrix by itself. */
static kith_status write_matrix(run *r, const plan *p, written *w)
{
    kith_features *f = NULL;
    const kith_status st =
        kith_features_convert(p->in, p->out, p->features_format, &f, &r->err);

    if (f)
        *w = (written){.rows = f->nodes, .columns = f->columns};
    kith_features_free(f);
    return st;
}

static kith_status write_features(run *r, const plan *p)
{
    const bool own = is_folder(p->in) || name_ends(p->in, ".kg");
    char line[200] = "";
    written w = {0};
    const kith_status st = own ? write_own_features(r, p, &w)
                               : write_matrix(r, p, &w);

    progress_end(&r->tty);
    if (st != KITH_OK || r->quiet)
        return st;
    summary_add(line, sizeof(line), w.rows, "row", "rows");
    summary_add(line, sizeof(line), w.columns, "feature column",
                "feature columns");
    tell_line(r, p, line);
    if (w.lost)
        fputs("the ids of the rows stay behind: a stream has no list of nodes "
              "beside it\n",
              stderr);
    return st;
}

static kith_status write_opened(run *r, const plan *p, const kith_dataset *d)
{
    if (p->folder)
        return kith_dataset_write(
            d, p->out, p->graph_format ? p->graph_format : KITH_GRAPH_TSV,
            p->features_format ? p->features_format : KITH_FEATURES_MTX,
            args_flag(r->a, "force"), &r->job, &r->err);
    if (p->what == WHAT_DATASET)
        return kith_dataset_save(d, p->out, &r->job, &r->err);
    return kith_graph_write(d->graph, p->out, p->graph_format, &r->job,
                            &r->err);
}

/* A single file holds no splits. */
static void tell_splits(const plan *p, const kith_dataset *d)
{
    char **names = NULL;
    int n = 0;

    if (p->folder || kith_dataset_splits(d, &names, &n, NULL) != KITH_OK)
        return;
    if (n > 0)
        term_line(
            stderr, "%d %s behind: name one by its folder, as in --split %s/%s",
            n, n == 1 ? "split stays" : "splits stay", d->splits_at, names[0]);
    kith_names_free(names, n);
}

static void tell(const run *r, const plan *p, const kith_dataset *d)
{
    char line[200] = "";

    if (r->quiet)
        return;
    summary_add(line, sizeof(line), kith_graph_nodes(d->graph), "node",
                "nodes");
    summary_add(line, sizeof(line), kith_graph_edges(d->graph), "edge",
                "edges");
    if (p->what == WHAT_DATASET && d->labels)
        summary_add(line, sizeof(line), d->labels->labelled, "label", "labels");
    if (p->what == WHAT_DATASET && d->features)
        summary_add(line, sizeof(line), d->features->columns, "feature column",
                    "feature columns");
    tell_line(r, p, line);
    if (p->what == WHAT_GRAPH && (d->labels || d->features))
        term_line(stderr, "labels and features stay behind: this format holds "
                          "the graph alone");
    tell_splits(p, d);
    if (p->what == WHAT_GRAPH && kith_path_is_stream(p->out) &&
        p->graph_format && !kith_graph_fits(d->graph, p->graph_format))
        term_line(stderr,
                  "%s stay behind: a stream has no list of nodes beside "
                  "it",
                  p->graph_format == KITH_GRAPH_TSV ||
                          p->graph_format == KITH_GRAPH_CSV
                      ? "isolated nodes"
                      : "the ids of the nodes");
}

static kith_status write_graph(run *r, const plan *p)
{
    kith_build_options how = reading_options(r);
    kith_dataset *d = NULL;
    kith_status st = kith_dataset_open(p->in, &how, &d, &r->err);

    if (st == KITH_OK)
        st = write_opened(r, p, d);
    progress_end(&r->tty);
    if (st == KITH_OK)
        tell(r, p, d);
    kith_dataset_free(d);
    return st;
}

static int graph_convert(const args *a)
{
    plan p = {.in = args_plain(a, 0), .out = args_plain(a, 1)};
    int code;
    run r;

    if (!p.in[0] || !p.out[0])
        return usage_error(a->of, "a name is empty");
    make_plan(a, &p);
    code = check_name(a, &p);
    if (code == EXIT_OK)
        code = check(a, &p);
    if (code != EXIT_OK)
        return code;
    run_begin(&r, a);
    return run_end(&r, p.what == WHAT_FEATURES ? write_features(&r, &p)
                                               : write_graph(&r, &p));
}

const command cmd_graph_convert = {
    .name = "graph convert",
    .summary = "write a graph, data set or feature matrix in another format",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = graph_convert,
};
