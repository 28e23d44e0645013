#include <kith/kith.h>
#include <stdio.h>

#include "cleaning_text.h"
#include "cmd_shared.h"
#include "commands.h"
#include "reading_options.h"
#include "term.h"

static const char *const usage[] = {"IN -o FILE.kg [OPTIONS]", NULL};

static const char *const description[] = {
    "Reads a graph or a data set folder, cleans it and writes one binary file "
    "that opens at the speed of memory. Edges become undirected, repeats are "
    "merged and self-loops dropped; what was met is told afterwards. Labels, "
    "features and names of the nodes go into the file; splits stay where they "
    "are.",
    "Inputs larger than memory build too: what exceeds --memory is sorted in "
    "pieces on disk and merged. The file is the same, byte for byte, for any "
    "number of threads and any --memory.",
    "The output appears whole or not at all. A file that was there before "
    "stays until the new one is complete.",
    NULL,
};

static const argument arguments[] = {
    {"IN", OPTION_FILE, NULL, false,
     "Data set folder, edge list, Matrix Market, METIS .graph, SciPy .npz, "
     "GraphML, GEXF or JSON file, plain or packed with gzip or zstd; - reads "
     "standard input."},
    {.name = NULL},
};

static const option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "The file to write. Needed.",
     .missing = "where to write is missing: -o FILE"},
    {.name = "order",
     .type = OPTION_CHOICE,
     .value = "HOW",
     .preset = "auto",
     .choices = "auto|input|degree",
     .help = "How the file numbers the nodes: degree puts those with most "
             "neighbours first, which makes passes over a large skewed graph "
             "two to three times faster; input keeps the order of the input; "
             "auto chooses by what the graph looks like. Ids, and the order of "
             "everything that is written later, stay those of the input."},
    {.name = "memory",
     .type = OPTION_SIZE,
     .value = "SIZE",
     .help = "Memory to use before spilling to disk, such as 512M, 4G or 1e9 "
             "(K, M, G, T are powers of 1024). Three quarters of the "
             "machine's, if not given."},
    {.name = "spill-to",
     .type = OPTION_FOLDER,
     .value = "DIR",
     .help = "Folder for the temporary files, among them a copy of an input "
             "that is a pipe; the output's, if not given."},
    {.name = "features",
     .type = OPTION_TEXT,
     .value = "A,B",
     .help = "With --table, or --nodes of a table: the columns that make "
             "features, or all."},
    ROWS(reading_unordered_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith graph build edges.tsv.gz -o g.kg", "build an edge list"},
    {"kith graph build data/cora -o cora.kg",
     "build a data set folder, with its labels and features"},
    {"kith graph build g.kg -o h.kg --order degree",
     "number the nodes of a built graph by degree"},
    {"kith graph build huge.txt -o huge.kg --memory 4G --spill-to /scratch",
     "build a file larger than memory"},
    {"zcat *.gz | kith graph build - -o all.kg --header no",
     "build what another program writes"},
    {NULL, NULL},
};

/* A built file holds no splits. */
static void tell_splits(const char *in)
{
    char splits[4096];

    snprintf(splits, sizeof(splits), "%s/splits", in);
    if (is_folder(splits))
        term_row(stderr, "splits", "stay behind, in %s", splits);
}

/* What was built. */
static void tell(const run *r, const char *path, const kith_cleaning *cleaning)
{
    kith_graph_counts n;
    char nodes[TERM_NUMBER], edges[TERM_NUMBER], size[TERM_NUMBER],
        time[TERM_NUMBER];

    if (r->quiet)
        return;
    cleaning_print(stderr, cleaning);
    if (file_size(path) < 0 || kith_graph_peek(path, &n, NULL) != KITH_OK)
        return;
    term_row(stderr, "nodes", "%s", term_count(n.nodes, nodes));
    term_row(stderr, "edges", "%s%s", term_count(n.edges, edges),
             n.weighted ? ", weighted" : "");
    tell_splits(args_plain(r->a, 0));
    term_row(stderr, "wrote", "%s: %s in %s", path,
             term_bytes((double)file_size(path), size),
             term_seconds(seconds_now() - r->begun, time));
}

static int graph_build(const args *a)
{
    const char *out = args_text(a, "output");
    kith_cleaning cleaning = {0};
    kith_build_options how;
    kith_status st;
    run r;

    run_begin(&r, a);
    how = reading_options(&r);
    r.table.order = r.table.time; /* --order is how nodes are numbered */
    how.order = (kith_order)args_choice(a, "order");
    how.spill_to = args_text(a, "spill-to");
    if (how.job.memory == 0)
        how.job.memory = most_memory();
    st = kith_dataset_build(args_plain(a, 0), out, &how, &cleaning, &r.err);
    progress_end(&r.tty);
    if (st == KITH_OK)
        tell(&r, out, &cleaning);
    return run_end(&r, st);
}

const command cmd_graph_build = {
    .name = "graph build",
    .summary = "turn text into a binary graph that opens at once",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = graph_build,
};
