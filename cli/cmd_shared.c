#include "cmd_shared.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "same_file.h"
#include "term.h"

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
    r->job.progress = progress_step;
    r->job.user = &r->tty;
}

int run_end(run *r, kith_status st)
{
    char text[sizeof(r->err.path) + sizeof(r->err.text) + 32];

    progress_end(&r->tty);
    if (st == KITH_OK)
        return EXIT_OK;
    if (st == KITH_ERR_CANCELLED) {
        fputs("kith: interrupted\n", stderr);
        return EXIT_INTERRUPTED;
    }
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

kith_build_options reading_options(const run *r)
{
    kith_build_options options = {
        .job = r->job,
        .header = (kith_choice)args_choice(r->a, "header"),
        .weights = (kith_choice)args_choice(r->a, "weights"),
        .merge = (kith_merge)args_choice(r->a, "merge"),
        .nodes = args_text(r->a, "nodes"),
        .verify = args_flag(r->a, "verify"),
    };

    return options;
}

static const char *text_if_any(const args *a, const char *name)
{
    return args_has(a, name) ? args_text(a, name) : NULL;
}

kith_status read_given(run *r, kith_dataset *d)
{
    const char *labels = text_if_any(r->a, "labels");
    const char *features = text_if_any(r->a, "features");
    kith_labels *l = NULL;
    kith_features *x = NULL;
    kith_status st = KITH_OK;

    if (labels)
        st = kith_labels_read(labels, d->graph, &l, &r->err);
    if (st == KITH_OK && features)
        st = kith_features_read(features, d->graph, &x, &r->err);
    if (l) {
        kith_labels_free(d->labels);
        d->labels = l;
    }
    if (x) {
        kith_features_free(d->features);
        d->features = x;
    }
    return st;
}

kith_status open_given(run *r, const char *path, kith_dataset **out)
{
    const kith_build_options how = reading_options(r);
    kith_status st = kith_dataset_open(path, &how, out, &r->err);

    return st == KITH_OK ? read_given(r, *out) : st;
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

int graph_missing(const args *a)
{
    return usage_error(a->of, "the graph is missing: --graph DATA (a model "
                              "file does not hold it)");
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
