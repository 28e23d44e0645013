#include <kith/kith.h>

#include "commands.h"
#include "model_options.h"
#include "out_text.h"

static const char *const usage[] = {"MODEL [OPTIONS] [-o card.md]", NULL};

static const char *const description[] = {
    "Writes a model card, which says what a review of a model asks for: what "
    "it is for, the data it was made of with their hashes, the method and its "
    "choices and why they were made, scores with intervals, calibration, how "
    "many nodes have evidence, its limits, and versions. Markdown, or JSON "
    "with --json.",
    "Only the model's file is read. 'kith classify --save' and 'kith rank "
    "--save' keep in it what came of the run; what a model does not know is "
    "said to be unknown.",
    NULL,
};

static const option options[] = {
    {.name = "purpose",
     .type = OPTION_TEXT,
     .value = "TEXT",
     .help = "What the model is for, a sentence without its full stop; what it "
             "does, if not given."},
    {.name = "json", .help = "Write one JSON object, for programs."},
    ROW_OUTPUT("Write to a file in place of standard output."),
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith card fraud.km -o card.md", "for the review"},
    {"kith card fraud.km --json", "for a register of models"},
    {NULL, NULL},
};

static kith_status work(run *r)
{
    const args *a = r->a;
    const char *path = args_text(a, "output");
    const bool json = args_flag(a, "json");
    kith_model *m = NULL;
    char *text = NULL;
    size_t length;
    kith_status st = check_output(r, path);

    if (st == KITH_OK)
        st = kith_model_open(args_plain(a, 0), &m, &r->err);
    if (st == KITH_OK)
        st = kith_card(m, args_text(a, "purpose"), json, &text, &length,
                       &r->err);
    if (st == KITH_OK)
        st = json ? out_json(r, path, text, length)
                  : out_write(r, path, NULL, text, length);
    kith_model_free(m);
    return st;
}

static int card(const args *a)
{
    run r;

    run_begin(&r, a);
    return run_end(&r, work(&r));
}

const command cmd_card = {
    .name = "card",
    .summary = "write a model card: what a review of a model asks for",
    .usage = usage,
    .description = description,
    .arguments = model_argument,
    .options = options,
    .examples = examples,
    .run = card,
};
