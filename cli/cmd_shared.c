#include "cmd_shared.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "same_file.h"
#include "term.h"

/*
 * Keep to the memory that was allowed.  What is freed goes back to the system
 * at once: the allocator's own guess is to keep up to 32 MiB of each size for
 * each thread.  And a thread has buffers of its own, so there are no more than
 * have 32 MiB each; the result does not depend on it.
 */
static void keep_to_memory(kith_job *job)
{
    const int64_t each = (int64_t)1 << 25;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t most = job->memory / each > 1 ? job->memory / each : 1;

    if ((job->threads > 0 ? job->threads : cores) > most)
        job->threads = (int)most;
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 18);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
    (void)mallopt(M_ARENA_MAX, 2);
#endif
}

void run_begin(run *r, const args *a)
{
    memset(r, 0, sizeof(*r));
    r->a = a;
    r->quiet = args_has(a, "quiet") && args_flag(a, "quiet");
    r->begun = seconds_now();
    r->terminal = isatty(STDOUT_FILENO) == 1;
    progress_begin(&r->tty, r->quiet);
    if (args_has(a, "threads"))
        r->job.threads = (int)args_integer(a, "threads");
    if (args_has(a, "memory"))
        r->job.memory = args_integer(a, "memory");
    if (r->job.memory > 0)
        keep_to_memory(&r->job);
    r->job.progress = progress_step;
    r->job.user = &r->tty;
}

/* A reader of standard output that left early needs no telling. */
static bool is_early_leave(const kith_error *err)
{
    return strcmp(err->path, "standard output") == 0 &&
           strstr(err->text, strerror(EPIPE)) != NULL;
}

int run_end(run *r, kith_status st)
{
    char text[sizeof(r->err.path) + sizeof(r->err.text) + 32];

    progress_end(&r->tty);
    kith_options_free(r->options);
    r->options = NULL;
    free(r->asked[0]);
    free(r->asked[1]);
    if (st == KITH_OK)
        return EXIT_OK;
    if (st == KITH_ERR_CANCELLED) {
        fputs("kith: interrupted\n", stderr);
        return EXIT_INTERRUPTED;
    }
    if (!is_early_leave(&r->err))
        term_line(stderr, "kith: %s",
                  kith_error_format(&r->err, text, sizeof(text)));
    return EXIT_FAILED;
}

kith_status run_fail(run *r, kith_status st, const char *path,
                     const char *format, ...)
{
    va_list list;

    r->err = (kith_error){.status = st};
    if (path)
        snprintf(r->err.path, sizeof(r->err.path), "%s", path);
    va_start(list, format);
    vsnprintf(r->err.text, sizeof(r->err.text), format, list);
    va_end(list);
    return st;
}

kith_status run_no_memory(run *r)
{
    return run_fail(r, KITH_ERR_NOMEM, NULL, "out of memory");
}

kith_status run_cancelled(void)
{
    return interrupt_asked() ? KITH_ERR_CANCELLED : KITH_OK;
}

int64_t most_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);

    if (pages <= 0 || size <= 0)
        return 0;
    return (int64_t)pages / 4 * 3 * size;
}

const option json_rows[] = {
    {.name = "json", .help = "Print one JSON object, for programs."},
    ROW_END,
};

const option telling_rows[] = {
    {.name = "verbose",
     .letter = 'v',
     .help = "Tell all: data, method and parameters, classes, scores. Four "
             "lines else."},
    {.name = "json",
     .help = "Print the same as one JSON object, for programs."},
    ROW_END,
};

const option table_rows[] = {
    ROW_OUTPUT("Where the table goes; - is standard output."),
    {.name = "force-labels",
     .help = "Name the likeliest class also where nothing that is known "
             "reaches a node. Its label is '-' else."},
    ROW_END,
};

int check_stdout(const args *a)
{
    const char *table = args_text(a, "output");

    if (args_flag(a, "json") && table && strcmp(table, "-") == 0)
        return usage_error(a->of, "--json and '-o -' cannot both go to "
                                  "standard output");
    return EXIT_OK;
}

static bool ends(const char *name, size_t length, const char *ending)
{
    const size_t n = strlen(ending);

    return length > n && memcmp(name + length - n, ending, n) == 0;
}

bool name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name);

    if (ends(name, length, ".gz"))
        length -= 3;
    else if (ends(name, length, ".zst"))
        length -= 4;
    return ends(name, length, ending);
}

bool ends_in_slash(const char *name)
{
    return name[strlen(name) - 1] == '/';
}

bool may_be_folder(const char *name)
{
    size_t length;
    const char *base = base_name(name, &length);

    return ends_in_slash(name) || is_folder(name) ||
           !memchr(base + 1, '.', length - 1);
}

int64_t file_size(const char *path)
{
    struct stat at;

    return stat(path, &at) == 0 && S_ISREG(at.st_mode) ? (int64_t)at.st_size
                                                       : -1;
}

bool is_folder(const char *path)
{
    struct stat at;

    return stat(path, &at) == 0 && S_ISDIR(at.st_mode);
}

const char *base_name(const char *path, size_t *length)
{
    const char *start;
    size_t end = strlen(path);

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = path + end; start > path && start[-1] != '/'; start--)
        continue;
    *length = (size_t)(path + end - start);
    return start;
}

const char *input_name(const char *path, char *out, size_t size)
{
    size_t length;
    const char *base = base_name(path, &length);

    if (strcmp(path, "-") == 0)
        snprintf(out, size, "standard input");
    else
        snprintf(out, size, "%.*s", (int)(length < 250 ? length : 250), base);
    return out;
}

kith_status check_output(run *r, const char *path)
{
    char folder[4096] = ".";
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (!path || strcmp(path, "-") == 0)
        return KITH_OK;
    if (is_folder(path))
        return run_fail(r, KITH_ERR_IO, path, "cannot write: is a folder");
    if (check_apart(r, path) != KITH_OK)
        return r->err.status;
    if (access(path, F_OK) == 0)
        return KITH_OK; /* perhaps a pipe or device: writing will tell */
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s",
                 (int)(slash == path ? 1 : slash - path), path);
    if (access(folder, W_OK) != 0)
        return run_fail(r, KITH_ERR_IO, path, "cannot create: %s",
                        strerror(errno));
    return KITH_OK;
}

void summary_add(char *line, size_t size, int64_t n, const char *one,
                 const char *many)
{
    char number[TERM_NUMBER];
    const size_t used = strlen(line);

    snprintf(line + used, size - used, "%s%s %s", used ? ", " : "",
             term_count(n, number), n == 1 ? one : many);
}

int args_names(const args *a, const char *name, bool ranges, name_list *out)
{
    const char *text = args_text(a, name);

    switch (name_list_read(text, ranges, out)) {
    case NAMES_OK:
        return EXIT_OK;
    case NAMES_EMPTY:
        return usage_error(a->of, "option '--%s': a name is empty in '%s'",
                           name, text);
    case NAMES_BACKWARD:
        return usage_error(a->of,
                           "option '--%s': a range runs backward or is too "
                           "long in '%s'",
                           name, text);
    case NAMES_NO_MEMORY:
        break;
    }
    fputs("kith: out of memory\n", stderr);
    return EXIT_FAILED;
}

/* How many words an option takes that the result does not depend on: 0 if it is
 * none of them. */
static int words_aside(const char *word)
{
    static const char *const aside[] = {"--threads", "--output", "-o"};

    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)
        return 1;
    for (size_t i = 0; i < sizeof(aside) / sizeof(*aside); i++) {
        const size_t length = strlen(aside[i]);

        if (strcmp(word, aside[i]) == 0)
            return 2;
        if (strncmp(word, aside[i], length) == 0 &&
            (word[length] == '=' || aside[i][1] != '-'))
            return 1;
    }
    return 0;
}

void command_typed(const args *a, char *out, size_t size)
{
    FILE *f = fmemopen(out, size, "w");

    out[0] = '\0';
    if (!f)
        return;
    fprintf(f, "kith %s", a->of->name);
    for (int i = 0; i < a->words; i++) {
        const char *word = a->word[i];
        const int aside = words_aside(word);

        if (aside > 0) {
            i += aside - 1;
            continue;
        }
        if (word[strcspn(word, " \t\"'$`\\&|;<>()*?[]#~!")] == '\0' && *word) {
            fprintf(f, " %s", word);
            continue;
        }
        fputs(" '", f);
        for (; *word; word++)
            fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, f);
        fputc('\'', f);
    }
    (void)fclose(f);
    out[size - 1] = '\0';
}

const option positive_rows[] = {
    {.name = "positive",
     .letter = 'p',
     .type = OPTION_TEXT,
     .value = "CLASS",
     .help = "The class that is looked for: average precision, best F1 and "
             "what is among the first k are of it. Of two classes the rarer, "
             "if not given."},
    ROW_END,
};

const char *positive_wanted(const args *a)
{
    if (!args_given(a, "positive") && args_has(a, "task"))
        return args_text(a, "task");
    return args_text(a, "positive");
}

kith_status find_positive(run *r, const kith_labels *l, int32_t *out)
{
    const char *name = positive_wanted(r->a);
    char list[300] = "";
    size_t used = 0;

    *out = KITH_POSITIVE_AUTO;
    if (!name)
        return KITH_OK;
    for (int32_t c = 0; c < l->classes; c++) {
        if (strcmp(l->names[c], name) == 0) {
            *out = c;
            return KITH_OK;
        }
        if (used + 40 < sizeof(list))
            used += (size_t)snprintf(
                list + used, sizeof(list) - used, "%s%.30s%s", c ? ", " : "",
                l->names[c], used > 200 && c + 1 < l->classes ? ", ..." : "");
        if (used > 200)
            used = sizeof(list);
    }
    return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                    "no labelled node is of class '%.60s', which --positive "
                    "names; the classes are %s",
                    name, list);
}
