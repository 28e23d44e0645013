#include "commands.h"

#include <stdio.h>
#include <string.h>

const command *const all_commands[] = {
    &cmd_classify,
    &cmd_predict,
    &cmd_explain,
    &cmd_rank,
    &cmd_suggest,
    &cmd_report,
    &cmd_card,
    &cmd_eval,
    &cmd_paper,
    &cmd_methods,
    &cmd_graph,
    &cmd_graph_build,
    &cmd_graph_info,
    &cmd_graph_convert,
    &cmd_graph_generate,
    &cmd_bench,
    &cmd_docs,
    &cmd_docs_man,
    &cmd_docs_completion,
    &cmd_docs_markdown,
    &cmd_docs_parameters,
    NULL,
};

static const char *const graph_usage[] = {"COMMAND [OPTIONS] ...", NULL};

static const char *const graph_text[] = {
    "Graphs come as plain text in several formats, or as one built file "
    "(.kg) that opens at once whatever its size. A data set folder holds "
    "edges.tsv, and if they are there nodes.txt, labels.tsv, features.mtx and "
    "splits/NAME/train.txt, val.txt, test.txt.",
    "Wherever a graph is read it may be a data set folder, an edge list (tab, "
    "comma or space between the fields), a Matrix Market file, a METIS "
    ".graph, a SciPy .npz, GraphML, GEXF, JSON or a built file; text may be "
    "packed "
    "with gzip or "
    "zstd. The format is recognised from the contents.",
    NULL,
};

static const example graph_examples[] = {
    {"kith graph build edges.tsv -o g.kg", "build a graph once"},
    {"kith graph info g.kg", "then look at it"},
    {NULL, NULL},
};

const command cmd_graph = {
    .name = "graph",
    .summary = "build, describe, convert and generate graphs",
    .usage = graph_usage,
    .description = graph_text,
    .examples = graph_examples,
};

static const exit_code standard_exits[] = {
    {EXIT_OK, "success"},
    {EXIT_FAILED, "failure: the input is wrong, or the system refused; nothing "
                  "half-written is left"},
    {EXIT_USAGE, "wrong usage"},
    {EXIT_INTERRUPTED, "interrupted (Ctrl-C or SIGTERM)"},
    {0, NULL},
};

const exit_code *command_exits(const command *cmd)
{
    return cmd && cmd->exits ? cmd->exits : standard_exits;
}

int command_words(const command *cmd)
{
    int words = 1;

    for (const char *c = cmd->name; *c; c++)
        words += *c == ' ';
    return words;
}

const char *command_last_word(const command *cmd)
{
    const char *space = strrchr(cmd->name, ' ');

    return space ? space + 1 : cmd->name;
}

bool command_under(const command *cmd, const command *group)
{
    const size_t length = group ? strlen(group->name) : 0;

    if (!group)
        return !strchr(cmd->name, ' ');
    return strncmp(cmd->name, group->name, length) == 0 &&
           cmd->name[length] == ' ' && !strchr(cmd->name + length + 1, ' ');
}

static const command *child_named(const command *group, const char *word)
{
    for (int i = 0; all_commands[i]; i++)
        if (command_under(all_commands[i], group) &&
            strcmp(command_last_word(all_commands[i]), word) == 0)
            return all_commands[i];
    return NULL;
}

const command *command_find(int argc, char **argv, int *used)
{
    const command *found = NULL;

    for (*used = 0; *used < argc; (*used)++) {
        const command *child = child_named(found, argv[*used]);

        if (!child)
            break;
        found = child;
    }
    return found;
}

const command *command_nearest(const command *group, const char *typed)
{
    const command *best = NULL;
    int least = 0;

    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];
        const int distance = command_under(c, group) && !c->hidden
                                 ? kith_near_miss(typed, command_last_word(c))
                                 : -1;

        if (distance >= 0 && (!best || distance < least)) {
            best = c;
            least = distance;
        }
    }
    return best;
}
