/*
 * Man pages in roff: kith.1, kith-graph.1, kith-graph-build.1 ...
 */
#include <errno.h>
#include <kith/kith.h>
#include <string.h>

#include "commands.h"
#include "docs.h"
#include "help.h"
#include "term.h"

/* Text that roff must not take for escapes. */
static void text(FILE *out, const char *words)
{
    for (; *words; words++)
        if (*words == '\\')
            fputs("\\e", out);
        else if (*words == '-')
            fputs("\\-", out);
        else
            fputc(*words, out);
}

/* Text of its own, in lines of less than 80 bytes, none of which roff may take
 * for a request. */
static void line(FILE *out, const char *words)
{
    int column = 0;

    while (*words) {
        char word[80];
        const int length = (int)strcspn(words, " ");

        snprintf(word, sizeof(word), "%.*s", length, words);
        if (column > 0 && column + length > 60) {
            fputc('\n', out);
            column = 0;
        } else if (column > 0) {
            fputc(' ', out);
        }
        if (column == 0 && (*word == '.' || *word == '\''))
            fputs("\\&", out);
        text(out, word);
        column += length + 1;
        words += length;
        words += strspn(words, " ");
    }
    fputc('\n', out);
}

/* kith-graph-build, or KITH-GRAPH-BUILD */
static void page_name(char *out, size_t size, const command *cmd, bool upper)
{
    snprintf(out, size, "kith%s%s", cmd ? "-" : "", cmd ? cmd->name : "");
    for (char *c = out; *c; c++)
        if (*c == ' ')
            *c = '-';
        else if (upper && *c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
}

static void head(FILE *out, const command *cmd)
{
    char name[64];

    page_name(name, sizeof(name), cmd, true);
    fprintf(out, ".TH %s 1 \"\" \"kith %s\" \"Kith manual\"\n", name,
            kith_version());
    page_name(name, sizeof(name), cmd, false);
    fputs(".SH NAME\n", out);
    text(out, name);
    fputs(" \\- ", out);
    line(out, cmd ? cmd->summary : "label the nodes of a graph");
}

static void synopsis(FILE *out, const command *cmd)
{
    static const char *const plain[] = {"COMMAND [OPTIONS] ...", NULL};
    const char *const *usage = cmd ? cmd->usage : plain;

    fputs(".SH SYNOPSIS\n", out);
    for (int i = 0; usage && usage[i]; i++) {
        if (i > 0)
            fputs(".br\n", out);
        fprintf(out, "\\fBkith%s%s\\fR ", cmd ? " " : "", cmd ? cmd->name : "");
        line(out, usage[i]);
    }
}

static void description(FILE *out, const char *const *paragraphs)
{
    if (!paragraphs)
        return;
    fputs(".SH DESCRIPTION\n", out);
    for (int i = 0; paragraphs[i]; i++) {
        if (i > 0)
            fputs(".PP\n", out);
        line(out, paragraphs[i]);
    }
}

static void arguments(FILE *out, const argument *a)
{
    if (!a)
        return;
    fputs(".SH ARGUMENTS\n", out);
    for (; a->name; a++) {
        fprintf(out, ".TP\n\\fI%s\\fR\n", a->name);
        line(out, a->help);
    }
}

static void one_option(FILE *out, const option *o)
{
    char words[1000];

    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    text(out, o->name);
    fputs("\\fR", out);
    if (o->value)
        fprintf(out, " \\fI%s\\fR", o->value);
    fputc('\n', out);
    line(out, option_text(o, words, sizeof(words)));
}

static void options(FILE *out, const option *table)
{
    fputs(".SH OPTIONS\n", out);
    for (const option *o = table; o->name; o++) {
        if (!option_opens_group(table, o))
            continue;
        if (o->group)
            fprintf(out, ".SS %s\n", o->group);
        for (const option *same = o; same->name; same++)
            if (strcmp(option_group(same), option_group(o)) == 0)
                one_option(out, same);
    }
}

static void commands_under(FILE *out, const command *group)
{
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];
        char name[64];

        if (c->hidden || !command_under(c, group))
            continue;
        page_name(name, sizeof(name), c, false);
        fputs(".TP\n\\fB", out);
        text(out, name);
        fputs("\\fR(1)\n", out);
        line(out, c->summary);
    }
}

static void examples(FILE *out, const example *e)
{
    if (!e)
        return;
    fputs(".SH EXAMPLES\n", out);
    for (; e->line; e++) {
        fputs(".TP\n\\fB", out);
        text(out, e->line);
        fputs("\\fR\n", out);
        line(out, e->shows);
    }
}

static void exits(FILE *out, const command *cmd)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const exit_code *e = command_exits(cmd); e->means; e++) {
        fprintf(out, ".TP\n%d\n", e->code);
        line(out, e->means);
    }
}

/* The group a command is in, or the program. */
static void see_also(FILE *out, const command *cmd)
{
    fputs(".SH SEE ALSO\n\\fBkith\\fR(1)", out);
    for (int i = 0; all_commands[i]; i++) {
        char name[64];

        if (!command_under(cmd, all_commands[i]))
            continue;
        page_name(name, sizeof(name), all_commands[i], false);
        fputs(", \\fB", out);
        text(out, name);
        fputs("\\fR(1)", out);
    }
    fputc('\n', out);
}

static void page(FILE *out, const command *cmd)
{
    option_table table;

    head(out, cmd);
    synopsis(out, cmd);
    description(out, cmd ? cmd->description : kith_about);
    if (!cmd || !cmd->run)
        commands_under(out, cmd);
    arguments(out, cmd ? cmd->arguments : NULL);
    if (cmd && cmd->options)
        options(out, option_table_fill(cmd, &table));
    exits(out, cmd);
    examples(out, cmd ? cmd->examples : kith_examples);
    if (cmd)
        see_also(out, cmd);
}

static int write_page(const char *folder, const command *cmd)
{
    char name[64], path[4200];
    FILE *out;
    bool failed;

    page_name(name, sizeof(name), cmd, false);
    snprintf(path, sizeof(path), "%.4096s/%s.1", folder, name);
    out = fopen(path, "w");
    if (!out) {
        term_line(stderr, "kith: %s: cannot create: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    page(out, cmd);
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        term_line(stderr, "kith: %s: cannot write: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

int docs_write_man(const char *folder)
{
    int code = write_page(folder, NULL);

    for (int i = 0; all_commands[i] && code == EXIT_OK; i++)
        if (!all_commands[i]->hidden)
            code = write_page(folder, all_commands[i]);
    return code;
}
