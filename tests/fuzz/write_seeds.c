/*
 * write_seeds FOLDER: the seeds of the binary formats, made by today's writer:
 * FOLDER/kg, model, commands and solution.  Old bytes in the repository would
 * stop at the version and test nothing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/built.h"
#include "fuzz.h"
#include "small_set.h"

static const char *folder;

static void must(kith_status st, const kith_error *err, const char *what)
{
    char why[2048];

    if (st == KITH_OK)
        return;
    fprintf(stderr, "write_seeds: %s: %s\n", what,
            kith_error_format(err, why, sizeof(why)));
    exit(1);
}

/* A path below the folder, whose own folder is made. */
static const char *path_of(const char *kind, const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/%s", folder, kind);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof(path), "%s/%s/%s", folder, kind, name);
    return path;
}

static void write_graphs(const kith_dataset *d, int which)
{
    kith_error err;

    for (int order = KITH_ORDER_INPUT; order <= KITH_ORDER_DEGREE; order++) {
        char name[64];

        snprintf(name, sizeof(name), "graph-%d-%d.kg", which, order);
        must(kith__built_write(d, false, (kith_order)order, path_of("kg", name),
                               NULL, &err),
             &err, name);
    }
}

/* A graph for a method, whose number is in a byte that means nothing else: see
 * fuzz_commands.c. */
static void write_task(const kith_dataset *d, int which, int method)
{
    const unsigned char number = (unsigned char)method;
    char name[64];
    kith_error err;
    const char *path;
    int fd;

    snprintf(name, sizeof(name), "%d-%d.kg", which, method);
    path = path_of("commands", name);
    must(kith__built_write(d, false,
                           method % 2 ? KITH_ORDER_INPUT : KITH_ORDER_DEGREE,
                           path, NULL, &err),
         &err, name);
    fd = open(path, O_WRONLY);
    if (fd < 0 || pwrite(fd, &number, 1, METHOD_AT) != 1 || close(fd) != 0)
        exit(1);
}

/* The name begins with the data set that the model belongs to. */
static void write_model(const kith_dataset *d, int which, const char *method,
                        const kith_split *split)
{
    kith_train_options o;
    kith_error err;
    kith_model *m;
    char name[64];

    kith_train_options_init(&o);
    o.job.threads = 1;
    must(kith_model_train(d, method, split, &o, &m, NULL, &err), &err, method);
    snprintf(name, sizeof(name), "%d-%s.km", which, method);
    must(kith_model_save(m, path_of("model", name), &err), &err, name);
    must(kith_model_save(m, path_of("commands", name), &err), &err, name);
    kith_model_free(m);
}

static void write_solution(const kith_dataset *d, int which)
{
    kith_solution *s = NULL;
    kith_model *m = NULL;
    char name[64];
    kith_error err = {.text = "cannot be made"};

    snprintf(name, sizeof(name), "%d.ks", which);
    must(small_model(d, which, &m, &s), &err, name);
    must(kith_solution_save(s, path_of("solution", name), NULL, &err), &err,
         name);
    kith_solution_free(s);
    kith_model_free(m);
}

/* Every method once, those that matter most on all sets. */
static bool is_wanted(const char *method, int which)
{
    static const char *const everywhere[] = {"lcm-em", "linbp", "lcm"};

    for (int i = 0; i < 3; i++)
        if (strcmp(method, everywhere[i]) == 0)
            return true;
    return which == 0 && strcmp(method, "auto") != 0 &&
           kith_method_is_available(method);
}

int main(int argc, char **argv)
{
    int methods;
    const kith_method_info *all = kith_methods(&methods);

    if (argc != 2)
        return 2;
    folder = argv[1];
    (void)mkdir(folder, 0777);
    for (int which = 0; which < SMALL_SETS; which++) {
        kith_dataset *d = small_set(which);
        kith_split split = {0};
        const kith_error none = {.text = "no small set"};

        must(d && d->labels ? small_split(d, &split) : KITH_ERR_NOMEM, &none,
             "split");
        write_graphs(d, which);
        for (int i = 0; i < methods; i++)
            if (is_wanted(all[i].name, which)) {
                write_model(d, which, all[i].name, &split);
                write_task(d, which, i);
            }
        for (int i = 0; which == 0 && i < SMALL_SOLUTIONS; i++)
            write_solution(d, i);
        kith_split_release(&split);
        kith_dataset_free(d);
    }
    return 0;
}
