#include <kith/kith.h>
#include <stdio.h>

#include "cmd_shared.h"
#include "commands.h"
#include "graph_facts.h"
#include "out_text.h"
#include "reading_options.h"

static const char *const usage[] = {"GRAPH [OPTIONS]", NULL};

static const char *const description[] = {
    "Describes a graph or data set: nodes and edges, degrees with a histogram "
    "in powers of two, components, class balance and edge homophily if there "
    "are labels, features, splits, what was cleaned while reading, and how "
    "much memory each method will need.",
    "Edge homophily is the share of edges between nodes of one class, among "
    "the edges with both ends labelled.",
    "A built file is verified whole if it has up to 1 GiB: checksums, and that "
    "all it holds is in order and in range. Of larger ones checksums are "
    "compared only with --verify.",
    NULL,
};

static const option options[] = {
    ROWS(given_rows),
    ROWS(json_rows),
    {.name = "split",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help =
         "Tell the memory for the training nodes of this split, of the data "
         "set or a folder. Default: the largest of those shown."},
    ROWS(reading_rows),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith graph info data/cora", "describe a data set folder"},
    {"kith graph info accounts.kg --labels known.tsv",
     "how a few known labels lie in a graph"},
    {"kith graph info g.kg --json | jq .components",
     "one number, for a script"},
    {"kith graph info huge.kg --verify > huge.txt",
     "check every byte of a large built file"},
    {NULL, NULL},
};

static kith_status verify(run *r, graph_facts *f)
{
    const int64_t always = (int64_t)1 << 30;
    const kith_graph *g = f->data->graph;
    const int64_t bytes = f->bytes >= 0 ? f->bytes
                                        : 8 * (int64_t)kith_graph_nodes(g) +
                                              8 * kith_graph_edges(g);

    if (bytes > always && !args_flag(r->a, "verify"))
        return KITH_OK;
    f->verified = true;
    return kith_graph_verify(g, &r->job, &r->err);
}

static kith_status gather(run *r, graph_facts *f)
{
    kith_build_options how = reading_options(r);
    kith_status st = kith_dataset_open(f->path, &how, &f->data, &r->err);

    if (st == KITH_OK)
        st = verify(r, f);
    if (st == KITH_OK)
        st = read_given(r, f->path, &how, f->data);
    if (st == KITH_OK)
        st = kith_facts_find(f->data, args_text(r->a, "split"), &r->job,
                             &f->facts, &r->err);
    return st == KITH_OK ? run_cancelled() : st;
}

static kith_status print_json(run *r, const graph_facts *f)
{
    char *json = NULL;
    size_t length;
    kith_status st = kith_facts_json(f->facts, &json, &length, &r->err);

    return st == KITH_OK ? out_json(r, NULL, json, length) : st;
}

static int graph_info(const args *a)
{
    graph_facts f = {.path = args_plain(a, 0)};
    kith_status st;
    run r;

    run_begin(&r, a);
    f.bytes = file_size(f.path);
    st = gather(&r, &f);
    progress_end(&r.tty);
    if (st == KITH_OK && args_flag(a, "json"))
        st = print_json(&r, &f);
    else if (st == KITH_OK)
        info_text(stdout, &f);
    kith_facts_free(f.facts);
    kith_dataset_free(f.data);
    return run_end(&r, st);
}

const command cmd_graph_info = {
    .name = "graph info",
    .summary = "describe and check a graph or data set",
    .usage = usage,
    .description = description,
    .arguments = graph_argument,
    .options = options,
    .examples = examples,
    .run = graph_info,
};
