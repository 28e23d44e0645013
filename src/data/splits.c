/*
 * splits.c: named splits: folders of train.txt, val.txt, test.txt.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "data/arrays.h"
#include "data/files.h"
#include "data/split_hash.h"
#include "graph/graph_object.h"
#include "io/ids_text.h"
#include "io/reader.h"
#include "kith/data.h"

/* Read ids, one a line, as nodes: ascending, repeats merged. */
static kith_status read_nodes(const char *path, const kith_graph *g,
                              int32_t **out, int32_t *n_out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__reader r = {0};
    int32_t *nodes = NULL;
    int64_t n = 0, capacity = 0;
    bool more;

    TRY(kith__reader_open(path, &r, err));
    for (;;) {
        char shown[KITH_QUOTE_BUFFER];
        int32_t node;

        TRY(kith__reader_next_data(&r, "#%", &more, err));
        if (!more)
            break;
        node = kith_graph_find(g, r.text, (size_t)r.length);
        if (node < 0)
            TRY(kith__reader_fail(
                &r, err,
                "unknown node '%s', expected a node of the graph (%d nodes)",
                kith__quote(shown, r.text, (size_t)r.length), (int)g->n));
        if (!kith__grow((void **)&nodes, &capacity, n + 1, sizeof(*nodes)))
            TRY(kith__no_memory(err));
        nodes[n++] = node;
    }
    *n_out = kith__sort_once(nodes, n);
    *out = nodes;
    nodes = NULL;
out:
    kith__free(nodes);
    kith__reader_close(&r);
    return st;
}

/* A node in two parts would be tested on what it was taught.  folder NULL: the
 * parts are arrays. */
static kith_status check_apart(const int32_t *a, int32_t n_a, const int32_t *b,
                               int32_t n_b, const char *which,
                               const kith_graph *g, const char *folder,
                               kith_error *err)
{
    for (int32_t i = 0, j = 0; i < n_a && j < n_b;) {
        char buffer[KITH_ID_BUFFER], shown[KITH_QUOTE_BUFFER];
        size_t length;
        const char *id;

        if (a[i] != b[j]) {
            if (a[i] < b[j])
                i++;
            else
                j++;
            continue;
        }
        id = kith_graph_id(g, a[i], buffer, &length);
        return kith__fail(err, folder ? KITH_ERR_PARSE : KITH_ERR_ARGUMENT,
                          folder, 0,
                          "%s node '%s' in both %s, expected parts without "
                          "common nodes",
                          folder ? "has" : "the split has",
                          kith__quote(shown, id, length), which);
    }
    return KITH_OK;
}

static kith_status read_part(const char *folder, const char *name,
                             bool required, const kith_graph *g,
                             int32_t **nodes, int32_t *n, kith_error *err)
{
    kith_status st = KITH_OK;
    char *path = NULL;

    TRY(kith__find_file(folder, name, &path, err));
    if (path)
        TRY(read_nodes(path, g, nodes, n, err));
    else if (required)
        TRY(kith__fail(err, KITH_ERR_IO, folder, 0,
                       "is not a split: it has no %s", name));
out:
    kith__free(path);
    return st;
}

/* The folder of a split: a name under the data set's, or a path. */
static kith_status find_split(const kith_dataset *d, const char *name,
                              char **folder, kith_error *err)
{
    kith_status st = KITH_OK;
    mode_t mode = 0;

    TRY_NEW(*folder, d->splits_at ? kith__join(d->splits_at, "/", name)
                                  : kith__copy_string(name, strlen(name)));
    TRY(kith__look(*folder, &mode, err));
    if (S_ISDIR(mode))
        goto out;
    kith__free(*folder);
    TRY_NEW(*folder, kith__copy_string(name, strlen(name)));
    TRY(kith__look(*folder, &mode, err));
    if (!S_ISDIR(mode))
        TRY(kith__fail(err, KITH_ERR_IO, NULL, 0,
                       "no split '%s'%s%s, and no such folder", name,
                       d->splits_at ? " in " : "",
                       d->splits_at ? d->splits_at : ""));
out:
    return st;
}

kith_status kith_split_read(const kith_dataset *d, const char *name,
                            kith_split *out, kith_error *err)
{
    kith_status st = KITH_OK;
    const kith_graph *g = d->graph;
    kith_split s = {0};
    char *folder = NULL;

    TRY(find_split(d, name, &folder, err));
    TRY_NEW(s.name, kith__copy_string(name, strlen(name)));
    TRY(read_part(folder, "train.txt", true, g, &s.train, &s.n_train, err));
    TRY(read_part(folder, "val.txt", false, g, &s.val, &s.n_val, err));
    TRY(read_part(folder, "test.txt", true, g, &s.test, &s.n_test, err));
    TRY(check_apart(s.train, s.n_train, s.test, s.n_test,
                    "train.txt and test.txt", g, folder, err));
    TRY(check_apart(s.train, s.n_train, s.val, s.n_val, "train.txt and val.txt",
                    g, folder, err));
    TRY(check_apart(s.val, s.n_val, s.test, s.n_test, "val.txt and test.txt", g,
                    folder, err));
    kith__split_hash(&s, g);
    *out = s;
    s = (kith_split){0};
out:
    kith_split_release(&s);
    kith__free(folder);
    return st;
}

static kith_status take_nodes(const kith_array *a, const char *name, int32_t n,
                              int32_t **out, int32_t *n_out, kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t *nodes = NULL;

    if (!a)
        return KITH_OK;
    TRY(kith__indices_check(a, name, 0, n, err));
    TRY_NEW(nodes, kith__alloc(a->count, sizeof(*nodes)));
    for (int64_t i = 0; i < a->count; i++)
        nodes[i] = (int32_t)kith__array_integer(a, i);
    *n_out = kith__sort_once(nodes, a->count);
    *out = nodes;
out:
    return st;
}

kith_status kith_split_from_arrays(const kith_graph *g, const kith_array *train,
                                   const kith_array *val,
                                   const kith_array *test, const char *name,
                                   kith_split *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_split s = {0};

    TRY_NEW(s.name, kith__copy_string(name, strlen(name)));
    TRY(take_nodes(train, "train", g->n, &s.train, &s.n_train, err));
    TRY(take_nodes(val, "val", g->n, &s.val, &s.n_val, err));
    TRY(take_nodes(test, "test", g->n, &s.test, &s.n_test, err));
    TRY(check_apart(s.train, s.n_train, s.test, s.n_test, "train and test", g,
                    NULL, err));
    TRY(check_apart(s.train, s.n_train, s.val, s.n_val, "train and val", g,
                    NULL, err));
    TRY(check_apart(s.val, s.n_val, s.test, s.n_test, "val and test", g, NULL,
                    err));
    kith__split_hash(&s, g);
    *out = s;
    s = (kith_split){0};
out:
    kith_split_release(&s);
    return st;
}

void kith_split_release(kith_split *s)
{
    kith__free(s->name);
    kith__free(s->train);
    kith__free(s->val);
    kith__free(s->test);
    *s = (kith_split){0};
}

static kith_status write_part(const kith_graph *g, const int32_t *nodes,
                              int32_t n, const char *folder, const char *name,
                              kith_outputs *with, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;
    int32_t *listed = NULL;
    char *path = NULL;

    TRY_NEW(listed, kith__alloc(n, sizeof(*listed)));
    for (int32_t i = 0; i < n; i++)
        listed[i] = nodes[i];
    if (!kith__sort_as_listed(listed, n, g->place))
        TRY(kith__no_memory(err));
    TRY_NEW(path, kith__join(folder, "/", name));
    TRY(kith__writer_open(path, &w, err));
    for (int32_t i = 0; i < n; i++) {
        TRY(kith__write_id(w, g, listed[i], '\t', err));
        kith__writer_bytes(w, "\n", 1);
    }
    st = kith__writer_add(w, with, err);
    w = NULL;
out:
    kith__writer_abort(w);
    kith__free(listed);
    kith__free(path);
    return st;
}

kith_status kith_split_write(const kith_split *s, const kith_graph *g,
                             const char *folder, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_outputs *all = NULL;
    char *val = NULL;

    TRY(kith_outputs_new(&all, err));
    TRY(kith__make_folders(folder, err));
    TRY(write_part(g, s->train, s->n_train, folder, "train.txt", all, err));
    TRY_NEW(val, kith__join(folder, "/", "val.txt"));
    if (s->n_val > 0)
        TRY(write_part(g, s->val, s->n_val, folder, "val.txt", all, err));
    else /* an older split's */
        TRY(kith__outputs_add_removal(all, val, err));
    TRY(write_part(g, s->test, s->n_test, folder, "test.txt", all, err));
    TRY(kith_outputs_commit(all, err));
out:
    kith_outputs_free(all);
    kith__free(val);
    return st;
}

/* ---- names --------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is there a split in splits_at/name?  One that lacks a file is one too, to be
 * refused by whoever reads it. */
static kith_status is_split(const kith_dataset *d, const char *name, bool *is,
                            kith_error *err)
{
    static const char *const parts[] = {"train.txt", "val.txt", "test.txt"};
    kith_status st = KITH_OK;
    char *folder = NULL, *part = NULL;

    *is = false;
    if (name[0] == '.')
        return KITH_OK;
    TRY_NEW(folder, kith__join(d->splits_at, "/", name));
    for (int i = 0; i < 3 && !*is; i++) {
        TRY(kith__find_file(folder, parts[i], &part, err));
        *is = part != NULL;
        kith__free(part);
    }
out:
    kith__free(folder);
    return st;
}

/* An error is told from the end by errno alone. */
static struct dirent *next_entry(DIR *dir)
{
    errno = 0;
    return readdir(dir);
}

kith_status kith_dataset_splits(const kith_dataset *d, char ***names,
                                int *count, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t n = 0, capacity = 0;
    char **list = NULL;
    struct dirent *entry;
    DIR *dir = NULL;

    *names = NULL;
    *count = 0;
    dir = d->splits_at ? opendir(d->splits_at) : NULL;
    if (d->splits_at && !dir)
        TRY(kith__fail_errno(err, d->splits_at, "open"));
    while (dir && (entry = next_entry(dir))) {
        bool is;

        TRY(is_split(d, entry->d_name, &is, err));
        if (!is)
            continue;
        if (!kith__grow((void **)&list, &capacity, n + 1, sizeof(*list)))
            TRY(kith__no_memory(err));
        TRY_NEW(list[n],
                kith__copy_string(entry->d_name, strlen(entry->d_name)));
        n++;
    }
    if (dir && errno != 0)
        TRY(kith__fail_errno(err, d->splits_at, "read"));
    if (n > 0)
        qsort(list, (size_t)n, sizeof(*list), by_text);
    *names = list;
    *count = (int)n;
    list = NULL;
    n = 0;
out:
    if (dir)
        closedir(dir);
    kith_names_free(list, (int)n);
    return st;
}

void kith_names_free(char **names, int count)
{
    for (int i = 0; i < count; i++)
        kith__free(names[i]);
    kith__free(names);
}
