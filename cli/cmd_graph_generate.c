#include <kith/kith.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "term.h"

static const char *const usage[] = {
    "sbm|rmat [OPTIONS] -o OUT",
    "--like google-plus|twitter [--scale S] [OPTIONS] -o OUT",
    NULL,
};

static const char *const description[] = {
    "Writes a graph with planted labels: nodes get a class, and edges prefer "
    "nodes of their own class as far as --homophily says. The same seed gives "
    "the same file, byte for byte, for any number of threads. Memory grows "
    "with the nodes, not with the edges.",
    "sbm is a stochastic block model: a block per class, all nodes of about "
    "the same degree, features if asked for; 2000 nodes of mean degree 10 in 4 "
    "classes unless told otherwise. rmat is a recursive matrix, with degrees "
    "as skewed as in the Web; 65536 nodes and 16 edges per node. --like "
    "google-plus (5,735,175 nodes, "
    "30,644,909 edges) and --like twitter (41,652,230 nodes, 1,202,513,046 "
    "edges, 0.6 % of one class) draw power-law graphs of the size of the "
    "social networks that the literature uses.",
    "NAME.kg becomes one built file with the labels inside, with "
    "NAME.labels.tsv and NAME.splits/0/ beside it; any other name becomes a "
    "data set folder.",
    NULL,
};

static const argument arguments[] = {
    {"MODEL", OPTION_CHOICE, "sbm|rmat", true,
     "sbm or rmat; left out with --like."},
    {.name = NULL},
};

static const option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "OUT",
     .help = "The file (.kg) or folder to write. Needed.",
     .missing = "where to write is missing: -o OUT"},
    {.name = "like",
     .type = OPTION_CHOICE,
     .value = "NAME",
     .choices = "google-plus|twitter",
     .help = "Draw a power-law graph of the size and class balance of a known "
             "one."},
    {.name = "scale",
     .type = OPTION_REAL,
     .value = "S",
     .preset = "1",
     .least = 1e-9,
     .most = 1,
     .help = "Shrink nodes, edges and split by this factor."},
    {.name = "nodes",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 1,
     .most = INT32_MAX,
     .group = "Size",
     .help = "Number of nodes, such as 1000 or 1e6; for rmat a power of two. "
             "Unless told otherwise the edges grow with it."},
    {.name = "edges",
     .type = OPTION_INTEGER,
     .value = "M",
     .least = 1,
     .most = 1e15,
     .group = "Size",
     .help = "Number of edges to draw; sbm and rmat then lose the few that "
             "were drawn twice."},
    {.name = "degree",
     .type = OPTION_REAL,
     .value = "D",
     .least = 1e-9,
     .most = 1e9,
     .group = "Size",
     .help = "Mean degree, in place of --edges: M = N D / 2."},
    {.name = "classes",
     .type = OPTION_INTEGER,
     .value = "C",
     .least = 1,
     .most = 1000,
     .group = "Labels",
     .help = "Number of classes."},
    {.name = "homophily",
     .type = OPTION_REAL,
     .value = "H",
     .least = 0,
     .most = 1,
     .group = "Labels",
     .help = "Share of edges whose ends have the same class: 1 for all, 1/C "
             "for no preference, below that nodes link to unlike ones."},
    {.name = "rare",
     .type = OPTION_REAL,
     .value = "R",
     .least = 0,
     .most = 1,
     .group = "Labels",
     .help = "Share of nodes in the last class, for imbalance such as fraud; "
             "0 makes all classes alike."},
    {.name = "train",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 0,
     .most = INT32_MAX,
     .group = "Labels",
     .help = "Training nodes per class in the split. A class with too few "
             "nodes gives fewer to each part, in proportion."},
    {.name = "val",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 0,
     .most = INT32_MAX,
     .group = "Labels",
     .help = "Validation nodes per class."},
    {.name = "test",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 0,
     .most = INT32_MAX,
     .group = "Labels",
     .help = "Test nodes per class."},
    {.name = "features",
     .type = OPTION_INTEGER,
     .value = "F",
     .least = 0,
     .most = INT32_MAX,
     .group = "Features",
     .help = "Columns of sparse binary features, like words in documents; 0 "
             "for none."},
    {.name = "words",
     .type = OPTION_INTEGER,
     .value = "W",
     .least = 0,
     .most = INT32_MAX,
     .group = "Features",
     .help = "Entries in each row of features; 20 if not given."},
    {.name = "signal",
     .type = OPTION_REAL,
     .value = "S",
     .least = 0,
     .most = 1,
     .group = "Features",
     .help = "Share of a row's entries that come from the columns of its own "
             "class: 0 tells nothing, 1 tells all."},
    {.name = "exponent",
     .type = OPTION_REAL,
     .value = "E",
     .least = 2,
     .most = 100,
     .group = "Shape",
     .help = "With --like: exponent of the power law of the degrees, above 2; "
             "smaller means larger hubs."},
    {.name = "rmat-scale",
     .type = OPTION_INTEGER,
     .value = "K",
     .least = 1,
     .most = 30,
     .group = "Shape",
     .help = "With rmat: 2^K nodes, in place of --nodes."},
    {.name = "edge-factor",
     .type = OPTION_REAL,
     .value = "K",
     .least = 1e-9,
     .most = 1e6,
     .group = "Shape",
     .help = "With rmat: K edges per node, in place of --edges."},
    {.name = "abc",
     .type = OPTION_TEXT,
     .value = "A,B,C",
     .group = "Shape",
     .help = "With rmat: chances of three of the four quadrants of the "
             "matrix; the fourth gets the rest. 0.57,0.19,0.19 is the usual "
             "choice, 0.25,0.25,0.25 has no skew."},
    {.name = "seed",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "1",
     .least = 0,
     .most = 9.2e18,
     .group = "Running",
     .help = "Seed of the random numbers."},
    {.name = "memory",
     .type = OPTION_SIZE,
     .value = "SIZE",
     .group = "Running",
     .help = "Memory for the edges before they spill to disk, such as 512M or "
             "4G. Three quarters of the machine's, if not given."},
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith graph generate sbm --nodes 10000 --degree 10 --classes 4 -o "
     "blocks.kg",
     "four communities of 2500 nodes"},
    {"kith graph generate sbm --homophily 0.1 --features 500 -o hetero/",
     "a data set folder where linked nodes differ, with features"},
    {"kith graph generate rmat --rmat-scale 20 --edge-factor 16 -o rmat20.kg",
     "a million nodes with skewed degrees"},
    {"kith graph generate --like twitter --scale 0.01 --seed 7 -o t.kg",
     "a hundredth of Twitter, with its rare class"},
    {NULL, NULL},
};

/* Three numbers with commas between. */
static bool parse_abc(const char *text, double abc[3])
{
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        char *end;

        abc[i] = strtod(text, &end);
        if (end == text || !(abc[i] >= 0) || *end != (i < 2 ? ',' : '\0'))
            return false;
        sum += abc[i];
        text = end + 1;
    }
    return sum <= 1;
}

static bool names_output(const char *name)
{
    const size_t n = strlen(name);

    return n > 0 && !kith_path_is_stream(name) &&
           (may_be_folder(name) || (n > 3 && strcmp(name + n - 3, ".kg") == 0));
}

/* What was asked for that does not go together. */
static int check(const args *a, const char *model)
{
    const bool like = args_given(a, "like");
    const bool rmat = model && strcmp(model, "rmat") == 0;
    static const char *const of_rmat[] = {"rmat-scale", "edge-factor", "abc"};

    if (!names_output(args_text(a, "output")))
        return usage_error(a->of,
                           "'%s' is neither a .kg file nor a folder: end it in "
                           "'.kg' or '/'",
                           args_text(a, "output"));
    if (!model && !like)
        return usage_error(a->of, "what to generate is missing: sbm, rmat or "
                                  "--like NAME");
    if (model && like)
        return usage_error(a->of, "either '%s' or --like, not both", model);
    for (int i = 0; i < 3; i++)
        if (args_given(a, of_rmat[i]) && !rmat)
            return usage_error(a->of, "option '--%s' goes with rmat only",
                               of_rmat[i]);
    if (args_given(a, "exponent") && !like)
        return usage_error(a->of, "option '--exponent' goes with --like only");
    if (args_given(a, "edges") + args_given(a, "degree") +
            args_given(a, "edge-factor") >
        1)
        return usage_error(a->of, "give one of --edges, --degree and "
                                  "--edge-factor");
    if (args_given(a, "nodes") && args_given(a, "rmat-scale"))
        return usage_error(a->of, "give one of --nodes and --rmat-scale");
    return EXIT_OK;
}

static void set_int32(const args *a, const char *name, int32_t *to)
{
    if (args_given(a, name))
        *to = (int32_t)args_integer(a, name);
}

static void set_real(const args *a, const char *name, double *to)
{
    if (args_given(a, name))
        *to = args_real(a, name);
}

/* Edges for a mean degree: at least one, as 0 asks for the default. */
static int64_t edges_for(double nodes, double degree)
{
    const double edges = nodes * degree / 2;

    return edges < 1 ? 1 : llround(edges);
}

/* Nodes, then edges: as given, else at the preset's mean degree. */
static void set_size(const args *a, kith_generate_options *how)
{
    const double per_node = (double)how->edges / (double)how->nodes;
    const int32_t nodes = how->nodes;

    set_int32(a, "nodes", &how->nodes);
    if (args_given(a, "rmat-scale"))
        how->nodes = (int32_t)1 << args_integer(a, "rmat-scale");
    if (args_given(a, "edges"))
        how->edges = args_integer(a, "edges");
    else if (args_given(a, "degree"))
        how->edges = edges_for(how->nodes, args_real(a, "degree"));
    else if (args_given(a, "edge-factor"))
        how->edges = edges_for(how->nodes, 2 * args_real(a, "edge-factor"));
    else if (how->edges > 0 && how->nodes != nodes)
        how->edges = edges_for(how->nodes, 2 * per_node);
}

static void set_rest(const args *a, kith_generate_options *how)
{
    set_int32(a, "classes", &how->classes);
    set_real(a, "homophily", &how->homophily);
    set_real(a, "rare", &how->rare);
    set_real(a, "exponent", &how->exponent);
    set_int32(a, "features", &how->features);
    set_int32(a, "words", &how->words);
    set_real(a, "signal", &how->signal);
    set_int32(a, "train", &how->train);
    set_int32(a, "val", &how->val);
    set_int32(a, "test", &how->test);
    how->seed = (uint64_t)args_integer(a, "seed");
}

/* Look at the built graph, which in a folder is graph.kg. */
static bool peek(const char *path, kith_graph_counts *n)
{
    char inside[4200];

    snprintf(inside, sizeof(inside), "%.4096s%s", path,
             is_folder(path) ? "/graph.kg" : "");
    return kith_graph_peek(inside, n, NULL) == KITH_OK;
}

/* Is the smallest class too small for the parts that were asked for? */
static bool split_shrinks(const args *a, const kith_generate_options *how)
{
    const double per_class = how->rare > 0 ? how->rare * how->nodes
                                           : (double)how->nodes / how->classes;

    return (args_given(a, "train") || args_given(a, "val") ||
            args_given(a, "test")) &&
           (double)how->train + how->val + how->test > per_class;
}

static void tell(const run *r, const kith_generate_options *how,
                 const char *path)
{
    char line[200] = "", size[TERM_NUMBER], time[TERM_NUMBER];
    kith_graph_counts n;
    const int64_t bytes = file_size(path);

    summary_add(line, sizeof(line), how->nodes, "node", "nodes");
    if (peek(path, &n))
        summary_add(line, sizeof(line), n.edges, "edge", "edges");
    summary_add(line, sizeof(line), how->classes, "class", "classes");
    if (how->features > 0)
        summary_add(line, sizeof(line), how->features, "feature column",
                    "feature columns");
    term_line(stderr, "%s: %s%s%s in %s", path, line, bytes >= 0 ? ", " : "",
              bytes >= 0 ? term_bytes((double)bytes, size) : "",
              term_seconds(seconds_now() - r->begun, time));
    if (split_shrinks(r->a, how))
        fputs("the split has fewer nodes than asked for: a class has too few\n",
              stderr);
}

static int graph_generate(const args *a)
{
    const char *model = args_plain(a, 0);
    const char *out = args_text(a, "output");
    kith_generate_options how;
    kith_status st;
    run r;
    const int code = check(a, model);

    if (code != EXIT_OK)
        return code;
    run_begin(&r, a);
    st = kith_generate_preset(model ? model : args_text(a, "like"),
                              args_real(a, "scale"), &how, &r.err);
    if (st != KITH_OK)
        return run_end(&r, st);
    if (args_given(a, "abc") && !parse_abc(args_text(a, "abc"), how.rmat))
        return usage_error(a->of,
                           "option '--abc': expected three shares A,B,C that "
                           "sum to at most 1, not '%s'",
                           args_text(a, "abc"));
    how.job = r.job;
    if (how.job.memory == 0)
        how.job.memory = most_memory();
    set_size(a, &how);
    set_rest(a, &how);
    st = kith_generate(&how, out, &r.err);
    progress_end(&r.tty);
    /* What the library refuses by itself it calls by the option's name. */
    if (st == KITH_ERR_ARGUMENT && !r.err.path[0])
        return usage_error(a->of, "--%s", r.err.text);
    if (st == KITH_OK && !r.quiet)
        tell(&r, &how, out);
    return run_end(&r, st);
}

const command cmd_graph_generate = {
    .name = "graph generate",
    .summary = "draw a graph with planted labels",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = graph_generate,
};
