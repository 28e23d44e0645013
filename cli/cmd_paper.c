#include <kith/kith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_shared.h"
#include "commands.h"
#include "method_options.h"
#include "paper/paper.h"
#include "term.h"

static const char *const usage[] = {
    "PART --data DIR -o OUT [OPTIONS]",
    NULL,
};

static const char *const description[] = {
    "Repeats the evaluation of the paper that LCM comes from (Wang, Jia, Gong, "
    "AAAI 2021) with the methods of Kith, and writes its tables and figures "
    "with the paper's numbers beside ours: OUT/paper.md, paper.json, paper.tex "
    "and paper.html, one page without other files.",
    "table1: accuracy of all methods on the data sets. table2: average weights "
    "of edges within a class and of others, before and after learning. table3: "
    "running time on NELL. figure1: the learnt coupling matrices. figure2: "
    "accuracy by the number of training nodes per class. all: all of them.",
    "DIR holds the data sets in folders cora, citeseer, pubmed and nell, each "
    "with the splits paper-0 to paper-4; those that are missing are left out. "
    "For google-plus and twitter, which cannot be had, small graphs like them "
    "are generated, unless DIR has such folders.",
    "Every result is kept in OUT/results as soon as it is there, by data, "
    "split, method and parameters. Run the command again to go on after it was "
    "interrupted, or with another part, which takes the results that it shares "
    "with the first. After Ctrl-C the pages show what there is. Remove "
    "OUT/results to start over.",
    NULL,
};

#define PARTS "table1|table2|table3|figure1|figure2|all"

#define FITS "train|train+val"

static const argument arguments[] = {
    {"PART", OPTION_CHOICE, PARTS, false, "What to make."},
    {.name = NULL},
};

static const option options[] = {
    {.name = "data",
     .letter = 'd',
     .type = OPTION_FOLDER,
     .value = "DIR",
     .help = "The folder of the data sets. Needed.",
     .missing = "the data is missing: --data DIR"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FOLDER,
     .value = "OUT",
     .help = "The folder for pages and results; it is made. Needed.",
     .missing = "the output is missing: -o OUT"},
    {.name = "methods",
     .letter = 'm',
     .type = OPTION_TEXT,
     .value = "A,B",
     .preset = "all",
     .help = "Only these methods, with commas between them."},
    {.name = "quick",
     .help = "A run of a minute or so that shows the form and not the results: "
             "two splits, nothing tuned, ten iterations, no graph of more than "
             "30,000 nodes."},
    {.name = "fit",
     .type = OPTION_CHOICE,
     .value = "NODES",
     .choices = FITS,
     .preset = "train",
     .help = "What the labels of validation nodes may enter: choices and "
             "calibration alone, so that all methods learn from the same "
             "nodes, or also the coupling that lcm-em fits."},
    {.name = "seed",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "1",
     .least = 0,
     .most = 9e15,
     .help = "Chooses the graphs that are generated and the training nodes of "
             "figure2."},
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith paper all --data data -o paper",
     "everything; it can be interrupted and goes on"},
    {"kith paper table1 --data data -o paper --methods linbp,lcm,gcn",
     "three rows of one table"},
    {"kith paper all --data data -o try --quick", "see what it looks like"},
    {NULL, NULL},
};

static void tell(void *user, const char *text)
{
    run *r = user;

    if (r->quiet)
        return;
    progress_end(&r->tty);
    term_line(stderr, "kith: %s", text);
}

static int find_methods(const args *a, name_list *list)
{
    int code;

    if (strcmp(args_text(a, "methods"), "all") == 0)
        return EXIT_OK;
    code = args_names(a, "methods", false, list);
    for (int i = 0; code == EXIT_OK && i < list->count; i++)
        if (!method_find(list->name[i]))
            code = method_unknown(a->of, list->name[i]);
    return code;
}

static kith_status make(run *r, const name_list *methods)
{
    const args *a = r->a;
    const char *out = args_text(a, "output");
    const int part = choice_find(PARTS, args_plain(a, 0));
    char kept[TERM_NUMBER], done[TERM_NUMBER], wanted[TERM_NUMBER];
    kith_paper_summary s;
    kith_paper_options o;
    kith_status st;

    kith_paper_options_init(&o);
    o.job = r->job;
    o.parts = part == 5 ? KITH_PAPER_ALL : 1u << part;
    o.data = args_text(a, "data");
    o.out = out;
    o.methods = (const char *const *)methods->name;
    o.n_methods = methods->count;
    o.seed = (uint64_t)args_integer(a, "seed");
    o.quick = args_flag(a, "quick");
    o.fit = (kith_fit)choice_find(FITS, args_text(a, "fit"));
    o.note = tell;
    o.note_user = r;
    st = kith_paper(&o, &s, &r->err);
    progress_end(&r->tty);
    if (!r->quiet && (st == KITH_OK || st == KITH_ERR_CANCELLED))
        term_line(stderr,
                  "%s of %s results, %s of them read from %s/results; see "
                  "%s/paper.html",
                  term_count(s.done, done), term_count(s.wanted, wanted),
                  term_count(s.kept, kept), out, out);
    return st;
}

static int paper(const args *a)
{
    name_list methods = {0};
    run r;
    int code;

    code = find_methods(a, &methods);
    if (code == EXIT_OK) {
        run_begin(&r, a);
        code = run_end(&r, make(&r, &methods));
    }
    name_list_release(&methods);
    return code;
}

const command cmd_paper = {
    .name = "paper",
    .summary = "the paper's tables and figures, its numbers beside ours",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = paper,
};
