#include "help.h"

#include <string.h>

#include "commands.h"
#include "term.h"

const char *const kith_about[] = {
    "Kith labels the nodes of a graph from a few known labels, the edges, and "
    "node features if there are any. Know a node by its kith.",
    NULL,
};

const example kith_examples[] = {
    {"kith classify accounts.tsv --labels known.tsv -o out.tsv",
     "label every node from the few whose label is known"},
    {"kith eval data/cora --methods linbp,lcm --splits paper-0..4",
     "measure methods on the same splits"},
    {"kith graph build edges.tsv -o g.kg",
     "read an edge list once, into a file that opens at once"},
    {"kith graph info g.kg --labels labels.tsv",
     "nodes, edges, degrees, components, class balance, homophily"},
    {"kith graph generate --like twitter --scale 0.01 -o t.kg",
     "a graph of the shape of a large one, with planted labels"},
    {NULL, NULL},
};

const char *option_group(const option *o)
{
    return o->group ? o->group : "Options";
}

bool option_opens_group(const option *table, const option *o)
{
    for (const option *before = table; before < o; before++)
        if (strcmp(option_group(before), option_group(o)) == 0)
            return false;
    return true;
}

const char *option_text(const option *o, char *out, size_t size)
{
    char word[KITH_OPTION_BUFFER];
    int used = snprintf(out, size, "%s", o->help);

    if (o->type == OPTION_CHOICE && used >= 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, " One of %s.",
                         o->choices);
    if (o->preset && used >= 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " Default: %s.", o->preset);
    if (o->parameter && o->type != OPTION_FLAG && used >= 0 &&
        (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " %s: %s.",
                 o->parameter->fix ? "Untuned" : "Default",
                 kith_option_text(o->parameter, o->parameter->preset, word));
    return out;
}

/* ---- laying out text ----------------------------------------------------- */

typedef struct page {
    FILE *stream;
    int width;
    int column; /* where the next character goes */
    term_style style;
} page;

static void put(page *p, const char *text, size_t length)
{
    fwrite(text, 1, length, p->stream);
    for (size_t i = 0; i < length; i++)
        p->column += ((unsigned char)text[i] & 0xC0) != 0x80;
}

static void new_line(page *p)
{
    fputc('\n', p->stream);
    p->column = 0;
}

static void move_to(page *p, int column)
{
    if (p->column > column)
        new_line(p);
    for (; p->column < column; p->column++)
        fputc(' ', p->stream);
}

/* Fill lines with words between column `indent` and the page's width. */
static void fill(page *p, const char *text, int indent)
{
    bool first = true;

    move_to(p, indent);
    while (*text) {
        const size_t length = strcspn(text, " ");
        const bool fits = p->column + 1 + (int)length <= p->width - 1;

        if (!first && !fits) {
            new_line(p);
            move_to(p, indent);
        } else if (!first) {
            put(p, " ", 1);
        }
        put(p, text, length);
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    new_line(p);
}

static void heading(page *p, const char *text)
{
    fprintf(p->stream, "\n%s%s:%s\n", p->style.bold, text, p->style.reset);
    p->column = 0;
}

/* "  left         right, filled" */
static void row(page *p, const char *left, const char *right, int indent)
{
    move_to(p, 2);
    put(p, left, strlen(left));
    if (p->column > indent - 2)
        new_line(p);
    fill(p, right, indent);
}

/* ---- the parts of a page ------------------------------------------------- */

static void paragraphs(page *p, const char *const *text)
{
    for (; text && *text; text++) {
        new_line(p);
        fill(p, *text, 0);
    }
}

static void usage(page *p, const command *cmd)
{
    const char *lead = "Usage: ";

    for (const char *const *line = cmd->usage; line && *line; line++) {
        char text[400];

        put(p, lead, strlen(lead));
        snprintf(text, sizeof(text), "kith %s %s", cmd->name, *line);
        /* wrap under the command's first argument */
        put(p, text, strlen(cmd->name) + 6);
        fill(p, *line, p->column);
        lead = "       ";
    }
}

static int names_width(const command *group)
{
    int widest = 0;

    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];
        const int width = (int)strlen(command_last_word(c));

        if (!c->hidden && command_under(c, group) && width > widest)
            widest = width;
    }
    return widest;
}

static void commands_under(page *p, const command *group)
{
    const int indent = names_width(group) + 5;

    heading(p, "Commands");
    for (int i = 0; all_commands[i]; i++) {
        const command *c = all_commands[i];

        if (!c->hidden && command_under(c, group))
            row(p, command_last_word(c), c->summary, indent);
    }
}

static void arguments(page *p, const argument *a)
{
    if (!a || !a->name)
        return;
    heading(p, "Arguments");
    for (; a->name; a++)
        row(p, a->name, a->help, 14);
}

static void option_row(page *p, const option *o)
{
    const int indent = p->width < 60 ? 10 : 26;
    char left[80], text[1000];
    char letter[8] = "    ";

    if (o->letter)
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name,
             o->value ? " " : "", o->value ? o->value : "");
    row(p, left, option_text(o, text, sizeof(text)), indent);
}

static void options(page *p, const option *table)
{
    for (const option *o = table; o && o->name; o++) {
        if (!option_opens_group(table, o))
            continue;
        heading(p, option_group(o));
        for (const option *same = o; same->name; same++)
            if (strcmp(option_group(same), option_group(o)) == 0)
                option_row(p, same);
    }
}

static void examples(page *p, const example *e)
{
    if (!e || !e->line)
        return;
    heading(p, "Examples");
    for (; e->line; e++) {
        fill(p, e->line, 2);
        fill(p, e->shows, 6);
    }
}

static void exits(page *p, const exit_code *e)
{
    heading(p, "Exit codes");
    for (; e->means; e++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", e->code);
        row(p, code, e->means, 8);
    }
}

static void overview(page *p)
{
    fprintf(p->stream, "Usage: kith COMMAND [OPTIONS] ...\n");
    paragraphs(p, kith_about);
    commands_under(p, NULL);
    examples(p, kith_examples);
    heading(p, "More");
    row(p, "kith help COMMAND", "what a command does, with examples", 26);
    row(p, "kith --version", "version and what was built in", 26);
}

void help_print(FILE *stream, const command *cmd)
{
    option_table table;
    page p = {stream, term_width(stream), 0, term_style_of(stream)};

    if (!cmd) {
        overview(&p);
        return;
    }
    usage(&p, cmd);
    new_line(&p);
    fprintf(stream, "%skith %s%s: %s\n", p.style.bold, cmd->name, p.style.reset,
            cmd->summary);
    paragraphs(&p, cmd->description);
    if (!cmd->run)
        commands_under(&p, cmd);
    arguments(&p, cmd->arguments);
    options(&p, option_table_fill(cmd, &table));
    examples(&p, cmd->examples);
    if (cmd->run)
        exits(&p, command_exits(cmd));
    else
        fprintf(stream, "\nSee 'kith %s COMMAND --help'.\n", cmd->name);
}
