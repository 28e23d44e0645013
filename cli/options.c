#include "options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "term.h"

int usage_error(const command *cmd, const char *format, ...)
{
    char text[4096];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    term_line(stderr, "kith: %s", text);
    term_line(stderr, "see 'kith %s%s--help'", cmd ? cmd->name : "",
              cmd ? " " : "");
    return EXIT_USAGE;
}

/* ---- the table ----------------------------------------------------------- */

const option help_rows[] = {
    {.name = "help",
     .letter = 'h',
     .group = "Running",
     .help = "Show this help and leave."},
    ROW_END,
};

const option running_rows[] = {
    {.name = "threads",
     .type = OPTION_INTEGER,
     .value = "N",
     .least = 1,
     .most = 1024,
     .group = "Running",
     .help = "Use N threads; all that the machine has, if not given. The "
             "result does not depend on it."},
    {.name = "quiet",
     .letter = 'q',
     .group = "Running",
     .help = "Print errors only: no summary, no progress."},
    ROWS(help_rows),
    ROW_END,
};

/* The row as the library's table has it, under the heading of `o`. */
static option of_table(const option *o, const kith_option_info *p)
{
    const bool number = p->type == KITH_OPTION_INTEGER ||
                        p->type == KITH_OPTION_REAL;
    option made = {.name = p->name,
                   .group = o->group,
                   .choices = p->choices,
                   .help = p->help,
                   .parameter = p};

    if (p->choices)
        made.type = OPTION_CHOICE;
    else if (number)
        made.type = p->type == KITH_OPTION_REAL ? OPTION_REAL : OPTION_INTEGER;
    if (p->choices)
        made.value = "WHICH";
    else if (number)
        made.value = p->type == KITH_OPTION_REAL ? "X" : "N";
    return made;
}

/* Add what stands for `o`; answers the rows there are then. */
static int fill_row(const option *o, option_table *t, int n)
{
    const bool all = strcmp(o->name, ALL_PARAMETERS) == 0;
    int parameters;
    const kith_option_info *p = kith_option_list(&parameters);

    assert(n < MAX_OPTIONS);
    if (o->rows)
        for (const option *each = o->rows; each->name; each++)
            n = fill_row(each, t, n);
    else if (o->type != OPTION_OF_TABLE)
        t->row[n++] = *o;
    else
        for (int i = 0; i < parameters; i++)
            if (all ? p[i].group <= KITH_GROUP_LEARNING
                    : strcmp(p[i].name, o->name) == 0)
                t->row[n++] = of_table(o, &p[i]);
    return n;
}

const option *option_table_fill(const command *cmd, option_table *t)
{
    int n = 0;

    *t = (option_table){0};
    for (const option *o = cmd ? cmd->options : NULL; o && o->name; o++)
        n = fill_row(o, t, n);
    assert(n <= MAX_OPTIONS);
    return t->row;
}

/* ---- near misses --------------------------------------------------------- */

static const option *nearest(const option *table, const char *typed)
{
    const option *best = NULL;
    int least = 0;

    for (const option *o = table; o && o->name; o++) {
        const int distance = kith_near_miss(typed, o->name);

        if (distance >= 0 && (!best || distance < least)) {
            best = o;
            least = distance;
        }
    }
    return best;
}

/* ---- values -------------------------------------------------------------- */

bool choice_next(const char **at, const char **word, size_t *length)
{
    if (!*at || !**at)
        return false;
    *word = *at;
    *length = strcspn(*at, "|");
    *at += *length;
    *at += **at == '|';
    return true;
}

int choice_find(const char *choices, const char *text)
{
    const char *word;
    size_t length;

    for (int i = 0; choice_next(&choices, &word, &length); i++)
        if (strlen(text) == length && memcmp(word, text, length) == 0)
            return i;
    return -1;
}

/* A number and nothing else. */
static bool parse_real(const char *text, double *out)
{
    char *end;

    if (!strchr("+-.0123456789", text[0]) || !text[0] || strpbrk(text, "xX"))
        return false;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

/* "12", "-3", or a whole number like "1e6". */
static bool parse_integer(const char *text, int64_t *out)
{
    char *end;
    double real;

    if (text[0] && strchr("+-0123456789", text[0])) {
        errno = 0;
        *out = strtoll(text, &end, 10);
        if (end != text && !*end)
            return errno == 0;
    }
    if (!parse_real(text, &real) || real != floor(real) || fabs(real) > 9e15)
        return false;
    *out = (int64_t)real;
    return true;
}

int64_t parse_size(const char *text)
{
    static const char units[] = "KMGT";
    char number[64];
    const size_t length = strcspn(text, "KMGTkmgtB");
    const char *unit = text + length;
    double bytes, scale = 1;

    if (length == 0 || length >= sizeof(number))
        return -1;
    memcpy(number, text, length);
    number[length] = '\0';
    if (*unit && *unit != 'B') {
        const char upper = (char)(*unit >= 'a' ? *unit - 'a' + 'A' : *unit);

        scale = ldexp(1, 10 * (int)(strchr(units, upper) - units + 1));
        unit += strncmp(unit + 1, "iB", 2) == 0 ? 3 : 1;
    } else if (*unit == 'B') {
        unit++;
    }
    if (*unit || !parse_real(number, &bytes) || bytes < 0 ||
        bytes * scale > 9e18)
        return -1;
    return (int64_t)(bytes * scale);
}

static bool in_range(const option *o, double x)
{
    return (o->least == 0 && o->most == 0) || (x >= o->least && x <= o->most);
}

/* "a number from 0 to 1", for messages. */
static const char *expected(const option *o, char *out, size_t size)
{
    const char *what = o->type == OPTION_REAL ? "a number" : "a whole number";

    if (o->parameter)
        kith_option_expects(o->parameter, out, size);
    else if (o->type == OPTION_SIZE)
        snprintf(out, size, "a size such as 512M, 4G or 1e9");
    else if (o->type == OPTION_CHOICE)
        snprintf(out, size, "one of %s", o->choices);
    else if (o->least == 0 && o->most == 0)
        snprintf(out, size, "%s", what);
    else if (o->most >= 9e15)
        snprintf(out, size, "%s, at least %.12g", what, o->least);
    else
        snprintf(out, size, "%s from %.12g to %.12g", what, o->least, o->most);
    return out;
}

/* Turn text into the value of o, but for `real` of what is whole; false if it
 * is not one. */
static bool read_value(const option *o, const char *text, option_value *v)
{
    v->text = text;
    v->set = true;
    if (o->parameter && o->type != OPTION_FLAG) {
        if (!kith_option_read(o->parameter, text, &v->real))
            return false;
        v->integer = (int64_t)v->real;
        return true;
    }
    switch (o->type) {
    case OPTION_FLAG:
        v->integer = 1;
        return true;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
        return text[0] != '\0';
    case OPTION_INTEGER:
        return parse_integer(text, &v->integer) &&
               in_range(o, (double)v->integer);
    case OPTION_REAL:
        return parse_real(text, &v->real) && in_range(o, v->real);
    case OPTION_SIZE:
        v->integer = parse_size(text);
        return v->integer > 0;
    case OPTION_CHOICE:
        v->integer = choice_find(o->choices, text);
        return v->integer >= 0;
    case OPTION_OF_TABLE: /* has been replaced */
        break;
    }
    return false;
}

static bool convert(const option *o, const char *text, option_value *v)
{
    const bool fits = read_value(o, text, v);

    if (fits && o->type != OPTION_REAL)
        v->real = (double)v->integer;
    return fits;
}

/* ---- the command line ---------------------------------------------------- */

/* The words not yet parsed. */
typedef struct words {
    const command *cmd;
    char **next;
    int left;
    args *out;
} words;

static const option *find_name(const option *table, const char *name,
                               size_t length)
{
    for (const option *o = table; o && o->name; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const option *find_letter(const option *table, char letter)
{
    for (const option *o = table; o && o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* Does this word start an option of the table, so that it is no value? */
static bool is_option(const option *table, const char *word)
{
    if (word[0] != '-' || !word[1])
        return false;
    if (word[1] == '-')
        return find_name(table, word + 2, strcspn(word + 2, "=")) != NULL;
    return !word[2] && find_letter(table, word[1]) != NULL;
}

/* Give option o, typed as `typed`, its value: `inline_value` or the next
 * word. */
static int take_value(words *w, const option *o, const char *typed,
                      const char *inline_value)
{
    option_value *v = &w->out->value[o - w->out->table.row];
    const char *text = inline_value;
    char wanted[160];

    if (o->type == OPTION_FLAG && inline_value)
        return usage_error(w->cmd, "option '%s' takes no value", typed);
    if (o->type != OPTION_FLAG && !text) {
        if (w->left == 0 || is_option(w->out->table.row, w->next[0]))
            return usage_error(w->cmd, "option '%s' needs a value: %s", typed,
                               o->value);
        text = *w->next++;
        w->left--;
    }
    if (!convert(o, text ? text : "", v)) {
        if (o->type == OPTION_TEXT || o->type == OPTION_FILE ||
            o->type == OPTION_FOLDER)
            return usage_error(w->cmd, "option '%s' has an empty value", typed);
        return usage_error(w->cmd, "option '%s': expected %s, not '%s'", typed,
                           expected(o, wanted, sizeof(wanted)), text);
    }
    v->given = true;
    w->out->help |= strcmp(o->name, "help") == 0;
    return EXIT_OK;
}

static int take_long(words *w, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    const option *o = find_name(w->out->table.row, word + 2, length);
    char typed[64];

    snprintf(typed, sizeof(typed), "%.*s", (int)(length + 2), word);
    if (!o) {
        o = nearest(w->out->table.row, typed + 2);
        if (o)
            return usage_error(w->cmd,
                               "unknown option '%s'; did you mean '--%s'?",
                               typed, o->name);
        return usage_error(w->cmd, "unknown option '%s'", typed);
    }
    return take_value(w, o, typed,
                      word[2 + length] ? word + 2 + length + 1 : NULL);
}

/* "-q", "-oFILE", "-qo FILE". */
static int take_letters(words *w, const char *word)
{
    for (const char *c = word + 1; *c; c++) {
        const option *o = find_letter(w->out->table.row, *c);
        const char typed[] = {'-', *c, '\0'};
        int code;

        if (!o)
            return usage_error(w->cmd, "unknown option '%s'",
                               c == word + 1 ? word : typed);
        if (o->type != OPTION_FLAG)
            return take_value(w, o, typed, c[1] ? c + 1 : NULL);
        code = take_value(w, o, typed, NULL);
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

static int take_plain(words *w, const char *word)
{
    const argument *a = w->cmd->arguments;
    int place = 0;

    while (a && a->name && place < w->out->plains) {
        a++;
        place++;
    }
    if (!a || !a->name || place >= MAX_ARGUMENTS)
        return usage_error(w->cmd, "one argument too many: '%s'", word);
    if (a->type == OPTION_CHOICE && choice_find(a->choices, word) < 0)
        return usage_error(w->cmd, "%s: expected one of %s, not '%s'", a->name,
                           a->choices, word);
    w->out->plain[w->out->plains++] = word;
    return EXIT_OK;
}

/* Defaults come from the table, by the same reading as the user's words. */
static void set_presets(const command *cmd, args *out)
{
    const option *o = option_table_fill(cmd, &out->table);

    for (int i = 0; o[i].name; i++) {
        if (o[i].parameter) {
            out->value[i].real = o[i].parameter->preset;
            out->value[i].integer = (int64_t)o[i].parameter->preset;
        }
        if (o[i].preset) {
            const bool fits = convert(&o[i], o[i].preset, &out->value[i]);

            assert(fits);
            (void)fits;
        }
    }
}

/* Without --table what says how to read one would be passed over in silence. */
static int check_rows(const args *a)
{
    const option *rows = a->table.row;

    for (int i = 0; rows[i].name; i++)
        if (rows[i].group && strcmp(rows[i].group, "Tables of rows") == 0 &&
            a->value[i].given)
            return usage_error(a->of, "--%s needs --table", rows[i].name);
    return EXIT_OK;
}

/* --table FILE is the graph, wherever that is told; of `kith graph convert` it
 * comes before where to write. */
static int take_table(args *a)
{
    const argument *wanted = a->of->arguments;
    const bool first = wanted && wanted[0].name &&
                       strcmp(wanted[0].name, "MODEL") != 0;
    const option *rows = a->table.row;

    if (!args_has(a, "table"))
        return EXIT_OK;
    if (!args_given(a, "table"))
        return check_rows(a);
    if (first && wanted[a->plains].name) {
        memmove(a->plain + 1, a->plain, (size_t)a->plains * sizeof(*a->plain));
        a->plain[0] = args_text(a, "table");
        a->plains++;
    } else if (first) {
        return usage_error(a->of, "--table takes the place of %s",
                           wanted[0].name);
    }
    for (int i = 0; !first && rows[i].name; i++)
        if (strcmp(rows[i].name, "graph") == 0)
            a->value[i] = (option_value){true, true, args_text(a, "table"), 0,
                                         0};
    return EXIT_OK;
}

static int check_arguments(const args *a)
{
    const argument *wanted = a->of->arguments;

    for (int i = 0; wanted && wanted[i].name; i++)
        if (!wanted[i].optional && i >= a->plains)
            return usage_error(a->of, "%s is missing", wanted[i].name);
    return EXIT_OK;
}

/* What the rows say of options together. */
static int check_options(const args *a)
{
    const option *o = a->table.row;
    const option_value *v = a->value;

    for (int i = 0; o[i].name; i++) {
        if (o[i].missing && !v[i].given)
            return usage_error(a->of, "%s", o[i].missing);
        for (int j = i + 1; v[i].given && o[j].name; j++)
            if (v[j].given && (choice_find(o[i].apart, o[j].name) >= 0 ||
                               choice_find(o[j].apart, o[i].name) >= 0))
                return usage_error(a->of,
                                   "--%s and --%s cannot be used together",
                                   o[i].name, o[j].name);
        if (o[i].only_file && v[i].given && strcmp(v[i].text, "-") == 0)
            return usage_error(a->of,
                               "%s cannot go to standard output: name a file",
                               o[i].only_file);
    }
    return EXIT_OK;
}

int options_parse(const command *cmd, int argc, char **argv, args *out)
{
    words w = {cmd, argv, argc, out};
    bool options_end = false;

    memset(out, 0, sizeof(*out));
    out->of = cmd;
    out->words = argc;
    out->word = argv;
    set_presets(cmd, out);
    while (w.left > 0) {
        const char *word = *w.next++;
        int code;

        w.left--;
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (options_end || word[0] != '-' || !word[1])
            code = take_plain(&w, word);
        else if (word[1] == '-')
            code = take_long(&w, word);
        else
            code = take_letters(&w, word);
        if (code != EXIT_OK)
            return code;
        if (out->help)
            return EXIT_OK;
    }
    if (take_table(out) != EXIT_OK || check_arguments(out) != EXIT_OK)
        return EXIT_USAGE;
    return check_options(out);
}

/* ---- reading the answers ------------------------------------------------- */

static const option_value *value_of(const args *a, const char *name)
{
    const option *o = find_name(a->table.row, name, strlen(name));

    assert(o);
    return &a->value[o - a->table.row];
}

bool args_has(const args *a, const char *name)
{
    return find_name(a->table.row, name, strlen(name)) != NULL;
}

bool args_given(const args *a, const char *name)
{
    return value_of(a, name)->given;
}

bool args_flag(const args *a, const char *name)
{
    return value_of(a, name)->set;
}

const char *args_text(const args *a, const char *name)
{
    return value_of(a, name)->text;
}

int64_t args_integer(const args *a, const char *name)
{
    return value_of(a, name)->integer;
}

double args_real(const args *a, const char *name)
{
    return value_of(a, name)->real;
}

int args_choice(const args *a, const char *name)
{
    return (int)value_of(a, name)->integer;
}

const char *args_plain(const args *a, int index)
{
    return index < a->plains ? a->plain[index] : NULL;
}
