#include "docs.h"

#include <string.h>

#include "commands.h"
#include "help.h"

void docs_escaped(FILE *out, const char *text, const char *special,
                  const char *escape)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputs(escape, out);
        fputc(*text, out);
    }
}

/* ---- the reference page -------------------------------------------------- */

static void markdown_text(FILE *out, const char *text)
{
    docs_escaped(out, text, "|*_<>`[]\\", "\\");
}

static void markdown_options(FILE *out, const option *table)
{
    for (const option *o = table; o && o->name; o++) {
        if (!option_opens_group(table, o))
            continue;
        fprintf(out, "\n**%s**\n\n| option | meaning |\n|---|---|\n",
                option_group(o));
        for (const option *same = o; same->name; same++) {
            char text[1000];

            if (strcmp(option_group(same), option_group(o)) != 0)
                continue;
            fputs("| `", out);
            if (same->letter)
                fprintf(out, "-%c`, `", same->letter);
            fprintf(out, "--%s%s%s` | ", same->name, same->value ? " " : "",
                    same->value ? same->value : "");
            markdown_text(out, option_text(same, text, sizeof(text)));
            fputs(" |\n", out);
        }
    }
}

static void markdown_command(FILE *out, const command *cmd)
{
    option_table table;

    fprintf(out, "\n%s kith %s\n\n", command_words(cmd) > 1 ? "###" : "##",
            cmd->name);
    markdown_text(out, cmd->summary);
    fputs("\n\n```\n", out);
    for (const char *const *line = cmd->usage; line && *line; line++)
        fprintf(out, "kith %s %s\n", cmd->name, *line);
    fputs("```\n", out);
    for (const char *const *p = cmd->description; p && *p; p++) {
        fputc('\n', out);
        markdown_text(out, *p);
        fputc('\n', out);
    }
    if (cmd->arguments)
        fputc('\n', out);
    for (const argument *a = cmd->arguments; a && a->name; a++) {
        fprintf(out, "- `%s`: ", a->name);
        markdown_text(out, a->help);
        fputc('\n', out);
    }
    markdown_options(out, option_table_fill(cmd, &table));
    if (cmd->examples)
        fputs("\n**Examples**\n\n```sh\n", out);
    for (const example *e = cmd->examples; e && e->line; e++)
        fprintf(out, "# %s\n%s\n", e->shows, e->line);
    if (cmd->examples)
        fputs("```\n", out);
}

void docs_markdown(FILE *out)
{
    fputs("# Command reference\n\n"
          "Written by `kith docs markdown`; do not edit.\n",
          out);
    for (int i = 0; all_commands[i]; i++)
        if (!all_commands[i]->hidden)
            markdown_command(out, all_commands[i]);
    fputs("\n## Exit codes\n\n| code | meaning |\n|---|---|\n", out);
    for (const exit_code *e = command_exits(NULL); e->means; e++)
        fprintf(out, "| %d | %s |\n", e->code, e->means);
}

/* ---- the page of parameters ---------------------------------------------- */

static void parameter_row(FILE *out, const kith_option_info *p)
{
    char preset[KITH_OPTION_BUFFER], range[160];
    const bool number = p->type != KITH_OPTION_TEXT;

    fprintf(out, "| `%s` | ", p->name);
    markdown_text(out, kith_option_expects(p, range, sizeof(range)));
    fprintf(out, " | %s | ",
            number ? kith_option_text(p, p->preset, preset) : "none");
    markdown_text(out, p->help);
    fprintf(out, " | %s |%s\n", p->methods ? p->methods : "",
            p->fix ? " yes |" : "  |");
}

void docs_parameters(FILE *out)
{
    static const char *const groups[] = {
        [KITH_GROUP_POTENTIALS] = "Node potentials",
        [KITH_GROUP_PROPAGATION] = "Propagation",
        [KITH_GROUP_LEARNING] = "Learning W and H",
        [KITH_GROUP_TUNING] = "Tuning",
        [KITH_GROUP_RUNNING] = "Running: results do not depend on it"};
    int rows, group = -1;
    const kith_option_info *p = kith_option_list(&rows);

    fputs("# Parameters\n\nWritten by `kith docs parameters` from the table in "
          "`src/models/params.c`; do not edit.\n\nThe names are those of "
          "`kith_options_set()`, and with two dashes in front of `kith "
          "classify`, `eval` and `rank`, where a flag stands for yes, "
          "`--memory` also takes 4G, and `temperature` is not an option. "
          "What is tuned takes the default if it is told not to be, or there "
          "is nothing to tune on; a value given is not tuned.\n",
          out);
    for (int i = 0; i < rows; i++) {
        if ((int)p[i].group != group)
            fprintf(out,
                    "\n## %s\n\n| name | value | default | meaning | methods "
                    "| tuned |\n|---|---|---|---|---|---|\n",
                    groups[p[i].group]);
        group = (int)p[i].group;
        parameter_row(out, &p[i]);
    }
}

/* ---- the commands -------------------------------------------------------- */

static const option only_help[] = {ROWS(help_rows), ROW_END};

static const char *const docs_usage[] = {
    "man|completion|markdown|parameters ...", NULL};

const command cmd_docs = {
    .name = "docs",
    .summary = "write documents from the command tables",
    .usage = docs_usage,
    .hidden = true,
};

static int run_man(const args *a)
{
    return docs_write_man(args_plain(a, 0));
}

static const char *const man_usage[] = {"DIR", NULL};

static const argument man_arguments[] = {
    {"DIR", OPTION_FOLDER, NULL, false, "Folder to write into."},
    {.name = NULL},
};

const command cmd_docs_man = {
    .name = "docs man",
    .summary = "write the man pages into a folder",
    .usage = man_usage,
    .arguments = man_arguments,
    .options = only_help,
    .hidden = true,
    .run = run_man,
};

static int run_completion(const args *a)
{
    static void (*const write[])(FILE *) = {docs_bash, docs_zsh, docs_fish};

    write[choice_find("bash|zsh|fish", args_plain(a, 0))](stdout);
    return EXIT_OK;
}

static const char *const completion_usage[] = {"bash|zsh|fish", NULL};

static const argument completion_arguments[] = {
    {"SHELL", OPTION_CHOICE, "bash|zsh|fish", false, "The shell."},
    {.name = NULL},
};

const command cmd_docs_completion = {
    .name = "docs completion",
    .summary = "print the completion script of a shell",
    .usage = completion_usage,
    .arguments = completion_arguments,
    .options = only_help,
    .hidden = true,
    .run = run_completion,
};

static int run_markdown(const args *a)
{
    (void)a;
    docs_markdown(stdout);
    return EXIT_OK;
}

static const char *const markdown_usage[] = {"", NULL};

const command cmd_docs_markdown = {
    .name = "docs markdown",
    .summary = "print the reference page",
    .usage = markdown_usage,
    .options = only_help,
    .hidden = true,
    .run = run_markdown,
};

static int run_parameters(const args *a)
{
    (void)a;
    docs_parameters(stdout);
    return EXIT_OK;
}

const command cmd_docs_parameters = {
    .name = "docs parameters",
    .summary = "print the page of parameters, docs/parameters.md",
    .usage = markdown_usage,
    .options = only_help,
    .hidden = true,
    .run = run_parameters,
};
