#include "cmd_shared.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "term.h"

void run_begin(run *r, const args *a)
{
    memset(r, 0, sizeof(*r));
    r->a = a;
    r->quiet = args_has(a, "quiet") && args_flag(a, "quiet");
    r->begun = seconds_now();
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
    fprintf(stderr, "kith: %s\n",
            kith_error_format(&r->err, text, sizeof(text)));
    return EXIT_FAILED;
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
    };

    return options;
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

void summary_add(char *line, size_t size, int64_t n, const char *one,
                 const char *many)
{
    char number[TERM_NUMBER];
    const size_t used = strlen(line);

    snprintf(line + used, size - used, "%s%s %s", used ? ", " : "",
             term_count(n, number), n == 1 ? one : many);
}
