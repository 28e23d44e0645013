#include <kith/kith.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const char *const usage[] = {"[OPTIONS]", NULL};

static const char *const description[] = {
    "Lists the methods that 'kith classify --method' and 'kith eval --methods' "
    "take: a name and what it does, with a tab between them.",
    NULL,
};

static const option options[] = {ROWS(help_rows), ROW_END};

static const example examples[] = {
    {"kith methods", "all of them"},
    {"kith methods | cut -f 1", "their names alone"},
    {NULL, NULL},
};

static int methods(const args *a)
{
    int count;
    const kith_method_info *all = kith_methods(&count);

    (void)a;
    for (int i = 0; i < count; i++)
        printf("%s\t%s\n", all[i].name, all[i].summary);
    return EXIT_OK;
}

const command cmd_methods = {
    .name = "methods",
    .summary = "list the methods there are",
    .usage = usage,
    .description = description,
    .options = options,
    .examples = examples,
    .run = methods,
};
