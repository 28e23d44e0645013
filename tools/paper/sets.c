/*
 * sets.c: the data sets: opened where they are, generated where the paper's
 * own cannot be had; and their splits.
 */
#include <inttypes.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "data/files.h"
#include "data/split_hash.h"
#include "kith/generate.h"
#include "paper/run.h"

enum { QUICK_SPLITS = 2, QUICK_NODES = 30000 };
enum { LARGE_EDGES = 100000, MIDDLING_NODES = 10000, QUICK_PART = 4 };

/* ---- what a result hangs on ---------------------------------------------- */

static void hash_bytes(uint64_t *hash, const void *bytes, int64_t length)
{
    *hash = XXH3_64bits_withSeed(bytes, bytes ? (size_t)length : 0, *hash);
}

static uint64_t hash_of(const kith_dataset *d)
{
    const kith_features *f = d->features;
    uint64_t hash = kith_graph_hash(d->graph);

    hash_bytes(&hash, d->labels->of,
               (int64_t)d->labels->nodes * (int64_t)sizeof(int32_t));
    for (int32_t c = 0; c < d->labels->classes; c++)
        hash_bytes(&hash, d->labels->names[c],
                   (int64_t)strlen(d->labels->names[c]) + 1);
    if (!f)
        return hash;
    hash_bytes(&hash, &f->columns, (int64_t)sizeof(f->columns));
    hash_bytes(&hash, f->row,
               ((int64_t)f->nodes + 1) * (int64_t)sizeof(*f->row));
    hash_bytes(&hash, f->column, f->entries * (int64_t)sizeof(*f->column));
    hash_bytes(&hash, f->value, f->entries * (int64_t)sizeof(*f->value));
    return hash;
}

/* ---- splits -------------------------------------------------------------- */

static int most_splits(const kith__paper_run *r)
{
    return r->options->quick ? QUICK_SPLITS : KITH__SPLITS;
}

static kith_status read_splits(kith__paper_run *r, kith__paper_set *s,
                               kith_error *err)
{
    char **names = NULL;
    kith_status st = KITH_OK;
    int count = 0;

    TRY(kith_dataset_splits(s->data, &names, &count, err));
    for (int i = 0; i < most_splits(r); i++) {
        char wanted[16];

        snprintf(wanted, sizeof(wanted), "paper-%d", i);
        for (int j = 0; j < count; j++)
            if (strcmp(names[j], wanted) == 0)
                TRY(kith_split_read(s->data, wanted, &s->split[s->splits++],
                                    err));
    }
out:
    kith_names_free(names, count);
    return st;
}

/* The nodes of `all` that are not in `but`; both ascend. */
static kith_status without(const int32_t *all, int32_t n, const int32_t *but,
                           int32_t n_but, int32_t **out, int32_t *n_out,
                           kith_error *err)
{
    kith_status st = KITH_OK;
    int32_t j = 0;

    *n_out = 0;
    TRY_NEW(*out, kith__alloc(n, sizeof(**out)));
    for (int32_t i = 0; i < n; i++) {
        while (j < n_but && but[j] < all[i])
            j++;
        if (j == n_but || but[j] != all[i])
            (*out)[(*n_out)++] = all[i];
    }
out:
    return st;
}

/*
 * As many nodes of each class for training, validation and testing, as the
 * paper has it for the social graphs.  A smaller draw of a seed and trial lies
 * in a larger one, so the three are differences of three draws.
 */
static kith_status draw_balanced(const kith__paper_run *r,
                                 const kith__paper_set *s, int32_t trial,
                                 kith_split *out, kith_error *err)
{
    const int32_t part = r->options->quick ? QUICK_PART : 1;
    const int32_t train = s->of->train / part, val = s->of->val / part;
    const int32_t test = s->of->test / part;
    const uint64_t seed = r->options->seed;
    const kith_dataset *d = s->data;
    kith_split more = {0}, most = {0};
    kith_status st = KITH_OK;

    TRY(kith_split_random(d->graph, d->labels, train, 0, seed, trial, out,
                          err));
    TRY(kith_split_random(d->graph, d->labels, train + val, 0, seed, trial,
                          &more, err));
    TRY(kith_split_random(d->graph, d->labels, train + val + test, 0, seed,
                          trial, &most, err));
    kith__free(out->val);
    kith__free(out->test);
    out->val = out->test = NULL;
    TRY(without(more.train, more.n_train, out->train, out->n_train, &out->val,
                &out->n_val, err));
    TRY(without(most.train, most.n_train, more.train, more.n_train, &out->test,
                &out->n_test, err));
    kith__split_hash(out, s->data->graph);
out:
    kith_split_release(&more);
    kith_split_release(&most);
    return st;
}

static kith_status copy_list(const int32_t *from, int32_t n, int32_t **to,
                             int32_t *n_to, kith_error *err)
{
    kith__free(*to);
    *to = kith__alloc(n, sizeof(**to));
    *n_to = *to ? n : 0;
    if (!*to)
        return kith__no_memory(err);
    memcpy(*to, from, (size_t)n * sizeof(**to));
    return KITH_OK;
}

kith_status kith__draw_training(const kith__paper_set *s, int32_t size,
                                uint64_t seed, int32_t trial, kith_split *out,
                                kith_error *err)
{
    const kith_split *first = &s->split[0];
    kith_labels left = *s->data->labels;
    kith_status st = KITH_OK;
    int32_t *of = NULL;

    TRY_NEW(of, kith__alloc(left.nodes, sizeof(*of)));
    memcpy(of, left.of, (size_t)left.nodes * sizeof(*of));
    for (int32_t i = 0; i < first->n_val; i++)
        of[first->val[i]] = -1;
    for (int32_t i = 0; i < first->n_test; i++)
        of[first->test[i]] = -1;
    left.of = of;
    TRY(kith_split_random(s->data->graph, &left, size, 0, seed, trial, out,
                          err));
    TRY(copy_list(first->val, first->n_val, &out->val, &out->n_val, err));
    TRY(copy_list(first->test, first->n_test, &out->test, &out->n_test, err));
    kith__split_hash(out, s->data->graph);
out:
    kith__free(of);
    return st;
}

/* ---- opening ------------------------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat at;

    return stat(path, &at) == 0;
}

/* Generate into OUT/stand-ins, once for a seed and size. */
static kith_status generate(const kith__paper_run *r, kith__paper_set *s,
                            const char *path, kith_error *err)
{
    const bool quick = r->options->quick;
    kith_generate_options o;
    kith_status st = KITH_OK;

    TRY(kith_generate_preset(
        s->of->preset, quick ? s->of->quick_scale : s->of->scale, &o, err));
    o.job = r->options->job;
    o.seed = r->options->seed;
    o.train = o.val = o.test = 0;
    if (!is_there(path))
        TRY(kith_generate(&o, path, err));
out:
    return st;
}

static kith_status open_stand_in(kith__paper_run *r, kith__paper_set *s,
                                 kith_error *err)
{
    kith_build_options how = {.job = r->options->job};
    kith_status st = KITH_OK;
    char *folder = NULL, *path = NULL;
    char name[80];

    snprintf(name, sizeof(name), "/%s-%" PRIu64 "%s.kg", s->of->name,
             r->options->seed, r->options->quick ? "-quick" : "");
    TRY_NEW(folder, kith__join(r->options->out, "/stand-ins", ""));
    TRY(kith__make_folders(folder, err));
    TRY_NEW(path, kith__join(folder, name, ""));
    TRY(generate(r, s, path, err));
    TRY(kith_dataset_open(path, &how, &s->data, err));
    TRY(kith_graph_verify(s->data->graph, &how.job, err));
    s->stand_in = true;
    while (s->splits < most_splits(r)) {
        const int i = s->splits++; /* so that it is released whatever comes */

        TRY(draw_balanced(r, s, i, &s->split[i], err));
    }
out:
    kith__free(folder);
    kith__free(path);
    return st;
}

static void leave(kith__paper_set *s)
{
    for (int i = 0; i < s->splits; i++)
        kith_split_release(&s->split[i]);
    s->splits = 0;
    kith_dataset_free(s->data);
    s->data = NULL;
}

/* Can it be used?  If not, say why and leave it out. */
static kith_status judge(kith__paper_run *r, kith__paper_set *s,
                         kith_error *err)
{
    const char *why = NULL;

    if (!s->data->labels || s->data->labels->labelled == 0)
        why = "it has no labels";
    else if (s->splits == 0)
        why = "it has none of the splits paper-0 to paper-4";
    else if (r->options->quick &&
             kith_graph_nodes(s->data->graph) > QUICK_NODES)
        why = "it is too large for a quick run";
    if (!why) {
        s->hash = hash_of(s->data);
        s->large = kith_graph_edges(s->data->graph) > LARGE_EDGES;
        s->middling = kith_graph_nodes(s->data->graph) > MIDDLING_NODES;
        return KITH_OK;
    }
    leave(s);
    return kith__paper_note(r, err, "%s is left out: %s", s->of->title, why);
}

static kith_status open_set(kith__paper_run *r, kith__paper_set *s,
                            kith_error *err)
{
    kith_build_options how = {.job = r->options->job};
    kith_status st = KITH_OK;
    char *path = NULL;

    TRY_NEW(path, kith__join(r->options->data, "/", s->of->name));
    if (is_there(path)) {
        TRY(kith_dataset_open(path, &how, &s->data, err));
        if (s->data->labels)
            TRY(read_splits(r, s, err));
    } else if (s->of->preset) {
        TRY(open_stand_in(r, s, err));
    } else {
        TRY(kith__paper_note(r, err,
                             "%s is left out: there is no '%s' in the "
                             "data folder",
                             s->of->title, s->of->name));
        goto out;
    }
    TRY(judge(r, s, err));
out:
    kith__free(path);
    return st;
}

kith_status kith__paper_open(kith__paper_run *r, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t cells = 0;

    if (!kith__is_folder(r->options->data))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, r->options->data, 0,
                       "is no folder of data sets"));
    for (int i = 0; i < KITH__SETS; i++) {
        kith__paper_set *s = &r->set[i];
        int64_t c;

        s->of = &kith__paper_sets[i];
        TRY(open_set(r, s, err));
        if (!s->data)
            continue;
        c = (int64_t)kith_graph_nodes(s->data->graph) *
            s->data->labels->classes;
        cells = c > cells ? c : cells;
    }
    TRY_NEW(r->p, kith__alloc_big(cells, sizeof(*r->p)));
out:
    return st;
}

void kith__paper_close(kith__paper_run *r)
{
    for (int i = 0; i < KITH__SETS; i++)
        leave(&r->set[i]);
    kith__free(r->p);
    kith_model_free(r->first);
    kith__free(r->results);
}

bool kith__takes_part(const kith__paper_set *s, const kith__paper_row *row)
{
    return s->data && (s->data->features || row->social);
}

bool kith__tuned_once(const kith__paper_set *s, const kith__paper_row *row)
{
    return row->budget == KITH__SLOW   ? s->large || s->middling
           : row->budget == KITH__ONCE ? s->large
                                       : false;
}
