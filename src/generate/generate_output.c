#include "generate/generate_output.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/job.h"

/* ---- names --------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Nothing there, or an empty folder. */
static kith_status check_free(const char *path, kith_error *err)
{
    DIR *folder = opendir(path);
    int entries = 0;

    if (!folder && errno == ENOENT)
        return KITH_OK;
    while (folder && entries <= 2 && readdir(folder))
        entries++; /* "." and ".." are in every folder */
    if (folder)
        closedir(folder);
    if (folder && entries <= 2)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "exists; expected the name of a new folder, or of a file "
                      "that ends in .kg");
}

/* "FILE." for "FILE.kg", "TEMP/" for a folder, made here. */
static kith_status make_prefix(kith__output *out, kith_error *err)
{
    kith_status st = KITH_OK;

    if (ends_with(out->target, ".kg")) {
        TRY(kith_outputs_new(&out->all, err));
        TRY_NEW(out->prefix,
                kith__copy_string(out->target, strlen(out->target) - 2));
    } else {
        TRY(check_free(out->target, err));
        TRY(kith__folder_begin(out->target, false, &out->whole, err));
        TRY_NEW(out->prefix, kith__join(out->whole.temp, "/", ""));
    }
out:
    return st;
}

kith_status kith__output_open(kith__output *out, const char *path,
                              kith_error *err)
{
    size_t length = strlen(path);
    kith_status st = KITH_OK;
    char *graph = NULL;

    *out = (kith__output){.whole.fd = -1, .splits.fd = -1};
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(path, "-") == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "expected the name of a file or folder to generate"));
    TRY_NEW(out->target, kith__copy_string(path, length));
    TRY(make_prefix(out, err));
    if (out->whole.temp)
        TRY_NEW(graph, kith__join(out->prefix, "graph.kg", ""));
    TRY(kith__kg_create(graph ? graph : out->target, &out->graph, err));
out:
    kith__free(graph);
    return st;
}

/* ---- text ---------------------------------------------------------------- */

/* Decimal digits of x at `to`; returns how many. */
static size_t put_number(char *to, uint32_t x)
{
    char digits[10];
    size_t n = 0;

    do
        digits[n++] = (char)('0' + x % 10);
    while (x /= 10);
    for (size_t i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

static kith_status write_labels(kith__writer *w, const kith_labels *labels,
                                const kith_job *job, kith_error *err)
{
    const int32_t step = 1 << 20;
    kith_status st = KITH_OK;
    char line[32];

    for (int32_t u = 0; u < labels->nodes; u++) {
        size_t n = put_number(line, (uint32_t)u);

        if (u % step == 0)
            TRY(kith__progress(job, "writing labels", u, labels->nodes, "nodes",
                               err));
        line[n++] = '\t';
        n += put_number(line + n, (uint32_t)labels->of[u]);
        line[n++] = '\n';
        kith__writer_bytes(w, line, n);
    }
out:
    return st;
}

static void write_nodes(kith__writer *w, const uint32_t *nodes, int64_t n)
{
    char line[16];

    for (int64_t i = 0; i < n; i++) {
        size_t length = put_number(line, nodes[i]);

        line[length++] = '\n';
        kith__writer_bytes(w, line, length);
    }
}

static kith_status make_folder(const char *path, kith_error *err)
{
    return mkdir(path, 0777) == 0 ? KITH_OK
                                  : kith__fail_errno(err, path, "create");
}

/* The folder that the split is written into, made if it is not there: with
 * FILE.kg those that are not yet there become one temporary folder. */
static kith_status make_split_folder(kith__output *out, char **split,
                                     kith_error *err)
{
    kith_status st = KITH_OK;
    char *splits = NULL, *first = NULL;
    bool both;

    TRY_NEW(splits, kith__join(out->prefix, "splits", ""));
    TRY_NEW(first, kith__join(splits, "/0", ""));
    both = access(splits, F_OK) != 0;
    if (out->whole.temp) {
        TRY(make_folder(splits, err));
        TRY(make_folder(first, err));
    } else if (access(first, F_OK) != 0) {
        TRY(kith__folder_begin(both ? splits : first, false, &out->splits,
                               err));
        kith__free(first);
        TRY_NEW(first, kith__join(out->splits.temp, both ? "/0" : "", ""));
        if (both)
            TRY(make_folder(first, err));
    }
    *split = first;
    first = NULL;
out:
    kith__free(splits);
    kith__free(first);
    return st;
}

static const char *const part_names[KITH__SPLIT_PARTS] = {
    "/train.txt", "/val.txt", "/test.txt"};

static kith_status write_part(kith__output *out, const char *folder, int part,
                              const uint32_t *nodes, int64_t n, kith_error *err)
{
    kith_status st = KITH_OK;
    char *path = NULL;

    TRY_NEW(path, kith__join(folder, part_names[part], ""));
    TRY(kith__writer_open(path, &out->part[part], err));
    write_nodes(out->part[part], nodes, n);
out:
    kith__free(path);
    return st;
}

static kith_status write_split(kith__output *out, const kith__label_plan *plan,
                               const kith_generate_options *o, kith_error *err)
{
    kith_status st = KITH_OK;
    uint32_t *nodes = NULL;
    char *folder = NULL;

    TRY(make_split_folder(out, &folder, err));
    for (int part = 0; part < KITH__SPLIT_PARTS; part++) {
        int64_t n;

        TRY(kith__split_nodes(plan, o, part, &nodes, &n, err));
        if (n > 0 || part != KITH__VAL)
            TRY(write_part(out, folder, part, nodes, n, err));
        kith__free(nodes);
        nodes = NULL;
    }
out:
    kith__free(nodes);
    kith__free(folder);
    return st;
}

kith_status kith__output_side_files(kith__output *out,
                                    const kith__label_plan *plan,
                                    const kith_generate_options *o,
                                    kith_error *err)
{
    kith_status st = KITH_OK;
    char *labels = NULL;

    TRY_NEW(labels, kith__join(out->prefix, "labels.tsv", ""));
    TRY(kith__writer_open(labels, &out->labels, err));
    TRY(write_labels(out->labels, &plan->labels, &o->job, err));
    if ((int64_t)o->train + o->val + o->test > 0)
        TRY(write_split(out, plan, o, err));
out:
    kith__free(labels);
    return st;
}

/* ---- the end ------------------------------------------------------------- */

/* A part that this split does not have must not be an older split's. */
static kith_status remove_part(kith__output *out, int part, kith_error *err)
{
    kith_status st = KITH_OK;
    char *path = NULL;

    TRY_NEW(path, kith__join(out->prefix, "splits/0", part_names[part]));
    TRY(kith__outputs_add_removal(out->all, path, err));
out:
    kith__free(path);
    return st;
}

static kith_status add_split(kith__output *out, kith_error *err)
{
    kith_outputs *with = out->splits.temp ? NULL : out->all;
    kith_status st = KITH_OK;

    for (int i = 0; i < KITH__SPLIT_PARTS; i++) {
        kith__writer *w = out->part[i];

        out->part[i] = NULL;
        if (w)
            TRY(kith__writer_add(w, with, err));
        else if (with)
            TRY(remove_part(out, i, err));
    }
    if (out->splits.temp)
        TRY(kith__folder_add(&out->splits, out->all, err));
out:
    return st;
}

kith_status kith__output_commit(kith__output *out, kith_error *err)
{
    kith__kg_writer *graph = out->graph;
    kith__writer *labels = out->labels;
    kith_status st = KITH_OK;

    out->graph = NULL;
    TRY(kith__kg_add(graph, out->all, err));
    out->labels = NULL;
    TRY(kith__writer_add(labels, out->all, err));
    TRY(add_split(out, err));
    TRY(out->all ? kith_outputs_commit(out->all, err)
                 : kith__folder_commit(&out->whole, err));
out:
    return st;
}

void kith__output_close(kith__output *out)
{
    kith__kg_abort(out->graph);
    kith__writer_abort(out->labels);
    for (int i = 0; i < KITH__SPLIT_PARTS; i++)
        kith__writer_abort(out->part[i]);
    kith_outputs_free(out->all);
    kith__folder_release(&out->splits);
    kith__folder_release(&out->whole);
    kith__free(out->prefix);
    kith__free(out->target);
    *out = (kith__output){0};
}
