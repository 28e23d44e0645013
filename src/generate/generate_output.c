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

/* A folder "PARENT/.NAME.PID.N"; N counts up until the name is free. */
static kith_status make_temp(kith__output *out, kith_error *err)
{
    const char *slash = strrchr(out->target, '/');
    const int parent = slash ? (int)(slash - out->target + 1) : 0;
    const size_t room = strlen(out->target) + 48;

    out->temp = kith__alloc((int64_t)room, 1);
    if (!out->temp)
        return kith__no_memory(err);
    for (int n = 0; n < 1000; n++) {
        snprintf(out->temp, room, "%.*s.%s.%ld.%d", parent, out->target,
                 out->target + parent, (long)getpid(), n);
        if (mkdir(out->temp, 0777) == 0) {
            out->made_temp = true;
            return KITH_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return kith__fail_errno(err, out->target, "create");
}

/* All names, from "FILE." or "TEMP/". */
static kith_status name_files(kith__output *out, const char *prefix,
                              kith_error *err)
{
    static const char *const name[KITH__SIDE_FILES] = {
        "splits/0/train.txt", "splits/0/val.txt", "splits/0/test.txt",
        "labels.tsv"};
    kith_status st = KITH_OK;

    for (int i = 0; i < KITH__SIDE_FILES; i++)
        TRY_NEW(out->side_path[i], kith__join(prefix, name[i], ""));
    TRY_NEW(out->splits, kith__join(prefix, "splits", ""));
    TRY_NEW(out->split, kith__join(prefix, "splits/0", ""));
    if (out->temp)
        TRY_NEW(out->graph_path, kith__join(prefix, "graph.kg", ""));
    else
        TRY_NEW(out->graph_path, kith__join(out->target, "", ""));
out:
    return st;
}

/* "FILE." for "FILE.kg", "TEMP/" for a folder, made here. */
static kith_status make_prefix(kith__output *out, char **prefix,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    if (ends_with(out->target, ".kg")) {
        TRY_NEW(*prefix,
                kith__copy_string(out->target, strlen(out->target) - 2));
    } else {
        TRY(check_free(out->target, err));
        TRY(make_temp(out, err));
        TRY_NEW(*prefix, kith__join(out->temp, "/", ""));
    }
out:
    return st;
}

kith_status kith__output_open(kith__output *out, const char *path,
                              kith_error *err)
{
    size_t length = strlen(path);
    kith_status st = KITH_OK;
    char *prefix = NULL;

    *out = (kith__output){0};
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(path, "-") == 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "expected the name of a file or folder to generate"));
    TRY_NEW(out->target, kith__copy_string(path, length));
    TRY(make_prefix(out, &prefix, err));
    TRY(name_files(out, prefix, err));
    TRY(kith__kg_create(out->graph_path, &out->graph, err));
out:
    kith__free(prefix);
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

static kith_status make_folder(const char *path, bool *made, kith_error *err)
{
    *made = mkdir(path, 0777) == 0;
    return *made || errno == EEXIST ? KITH_OK
                                    : kith__fail_errno(err, path, "create");
}

static kith_status write_split(kith__output *out, const kith__label_plan *plan,
                               const kith_generate_options *o, kith_error *err)
{
    kith_status st = KITH_OK;
    uint32_t *nodes = NULL;

    TRY(make_folder(out->splits, &out->made_splits, err));
    TRY(make_folder(out->split, &out->made_split, err));
    for (int part = 0; part < KITH__SPLIT_PARTS; part++) {
        int64_t n;

        TRY(kith__split_nodes(plan, o, part, &nodes, &n, err));
        if (n > 0 || part != KITH__VAL) {
            TRY(kith__writer_open(out->side_path[part], &out->side[part], err));
            write_nodes(out->side[part], nodes, n);
        }
        kith__free(nodes);
        nodes = NULL;
    }
out:
    kith__free(nodes);
    return st;
}

kith_status kith__output_side_files(kith__output *out,
                                    const kith__label_plan *plan,
                                    const kith_generate_options *o,
                                    kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__writer_open(out->side_path[KITH__LABELS],
                          &out->side[KITH__LABELS], err));
    TRY(write_labels(out->side[KITH__LABELS], &plan->labels, &o->job, err));
    if ((int64_t)o->train + o->val + o->test > 0)
        TRY(write_split(out, plan, o, err));
out:
    return st;
}

/* ---- the end ------------------------------------------------------------- */

/* A part that this split does not have must not be an older split's. */
static kith_status name_side_files(kith__output *out, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int i = 0; i < KITH__SIDE_FILES; i++) {
        kith__writer *w = out->side[i];

        out->side[i] = NULL;
        if (!w) {
            (void)unlink(out->side_path[i]);
            continue;
        }
        TRY(kith__writer_commit(w, err));
        out->named[i] = true;
    }
out:
    return st;
}

kith_status kith__output_commit(kith__output *out, kith_error *err)
{
    kith__kg_writer *graph = out->graph;
    kith_status st = KITH_OK;

    TRY(name_side_files(out, err));
    out->graph = NULL;
    TRY(kith__kg_commit(graph, err));
    if (out->temp && rename(out->temp, out->target) != 0)
        TRY(kith__fail_errno(err, out->target, "create"));
    out->made_temp = out->made_splits = out->made_split = false;
    for (int i = 0; i < KITH__SIDE_FILES; i++)
        out->named[i] = false; /* they stay */
out:
    return st;
}

static void remove_made(kith__output *out)
{
    for (int i = 0; i < KITH__SIDE_FILES; i++)
        if (out->named[i])
            unlink(out->side_path[i]);
    if (out->made_split)
        rmdir(out->split);
    if (out->made_splits)
        rmdir(out->splits);
    if (out->made_temp) {
        if (out->graph_path)
            unlink(out->graph_path);
        rmdir(out->temp);
    }
}

void kith__output_close(kith__output *out)
{
    kith__kg_abort(out->graph);
    for (int i = 0; i < KITH__SIDE_FILES; i++)
        kith__writer_abort(out->side[i]);
    remove_made(out);
    for (int i = 0; i < KITH__SIDE_FILES; i++)
        kith__free(out->side_path[i]);
    kith__free(out->graph_path);
    kith__free(out->split);
    kith__free(out->splits);
    kith__free(out->temp);
    kith__free(out->target);
    *out = (kith__output){0};
}
