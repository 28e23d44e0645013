#include "models/checkpoint.h"

#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_file.h"
#include "io/sections.h"

static const kith__sections_format format = {
    .magic = {0x89, 'K', 'I', 'T', 'H', 'P', 13, 10},
    .version = 3, /* 2: two scores a point */
    .newest = 3,
    .noun = "checkpoint",
    .remedy = "remove it and start again"};

struct kith__checkpoint {
    char *path;
    uint64_t key;
    double *numbers; /* so far, in order */
    int64_t count, room;
    int64_t given;       /* of them, those asked for again */
    kith__sections file; /* what was there at first; no map = nothing */
};

/* Scores of the file, which was written with this key. */
static kith_status load(kith__checkpoint *c, kith_error *err)
{
    uint64_t key;
    kith_status st = KITH_OK;
    const double *numbers;

    TRY(kith__sections_open(&format, c->path, &c->file, err));
    memcpy(&key, c->file.own, sizeof(key));
    if (key != c->key)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, c->path, 0,
                       "is the checkpoint of another run: other data, other "
                       "labelled nodes or other options; remove it or name "
                       "another file"));
    TRY(kith__sections_verify(&c->file, NULL, err));
    numbers = kith__sections_get(&c->file, "scores", 8, -1, &c->count);
    if (!numbers) {
        st = kith__sections_corrupt(&c->file, err, "its scores");
        goto out;
    }
    if (!kith__grow((void **)&c->numbers, &c->room, c->count + 1,
                    sizeof(*c->numbers)))
        TRY(kith__no_memory(err));
    memcpy(c->numbers, numbers, (size_t)c->count * sizeof(*numbers));
out:
    return st;
}

kith_status kith__checkpoint_open(const char *path, uint64_t key,
                                  kith__checkpoint **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__checkpoint *c = NULL;
    mode_t mode;

    *out = NULL;
    TRY_NEW(c, kith__alloc_zeroed(1, sizeof(*c)));
    c->key = key;
    TRY_NEW(c->path, kith__copy_string(path, strlen(path)));
    TRY(kith__look(path, &mode, err));
    if (mode)
        TRY(load(c, err));
    *out = c;
    c = NULL;
out:
    kith__checkpoint_free(c);
    return st;
}

void kith__checkpoint_free(kith__checkpoint *c)
{
    if (!c)
        return;
    kith__map_release(c->file.map);
    kith__free(c->numbers);
    kith__free(c->path);
    kith__free(c);
}

/* Its two scores, then the groups. */
enum { SCORES = 2 };

bool kith__checkpoint_scores(kith__checkpoint *c, int n, int32_t groups,
                             kith__valued *out)
{
    const int64_t width = SCORES + (int64_t)groups;

    if (!c || c->given + n * width > c->count)
        return false;
    for (int i = 0; i < n; i++, c->given += width) {
        const double *from = c->numbers + c->given;

        out[i].score = (kith__score){from[0], from[1]};
        if (groups > 0)
            memcpy(out[i].worth, from + SCORES, (size_t)groups * sizeof(*from));
    }
    return true;
}

static kith_status write_file(const kith__checkpoint *c,
                              const kith__saved *state, int n, kith_error *err)
{
    unsigned char own[KITH__SECTIONS_OWN] = {0};
    kith__sections_writer *w = NULL;
    kith_status st = KITH_OK;

    memcpy(own, &c->key, sizeof(c->key));
    TRY(kith__sections_create(&format, c->path, &w, err));
    TRY(kith__sections_begin(w, "scores", 8, err));
    TRY(kith__sections_append(w, c->numbers,
                              c->count * (int64_t)sizeof(*c->numbers), err));
    kith__sections_end(w);
    for (int i = 0; i < n; i++)
        TRY(kith__sections_put(w, state[i].tag, 1, state[i].bytes,
                               state[i].size, err));
    st = kith__sections_commit(w, own, err);
    w = NULL;
out:
    kith__sections_abort(w);
    return st;
}

kith_status kith__checkpoint_add(kith__checkpoint *c, int n, int32_t groups,
                                 const kith__valued *points, kith_error *err)
{
    const int64_t width = SCORES + (int64_t)groups;

    if (!c)
        return KITH_OK;
    if (!kith__grow((void **)&c->numbers, &c->room, c->count + n * width,
                    sizeof(*c->numbers)))
        return kith__no_memory(err);
    for (int i = 0; i < n; i++, c->count += width) {
        double *to = c->numbers + c->count;

        to[0] = points[i].score.accuracy;
        to[1] = points[i].score.log_loss;
        if (groups > 0)
            memcpy(to + SCORES, points[i].worth, (size_t)groups * sizeof(*to));
    }
    c->given = c->count;
    return write_file(c, NULL, 0, err);
}

kith_status kith__checkpoint_save(kith__checkpoint *c, const kith__saved *state,
                                  int n, kith_error *err)
{
    return c ? write_file(c, state, n, err) : KITH_OK;
}

kith_status kith__checkpoint_restore(kith__checkpoint *c,
                                     const kith__saved *state, int n,
                                     bool *found, kith_error *err)
{
    kith_status st = KITH_OK;

    *found = c && c->file.map && kith__sections_find(&c->file, state[0].tag);
    for (int i = 0; *found && i < n; i++) {
        const void *bytes = kith__sections_get(&c->file, state[i].tag, 1,
                                               state[i].size, NULL);

        if (!bytes)
            TRY(kith__checkpoint_refuse(c, err));
        memcpy(state[i].bytes, bytes, (size_t)state[i].size);
    }
out:
    if (c) { /* once: a later fit begins anew */
        kith__map_release(c->file.map);
        c->file.map = NULL;
    }
    return st;
}

kith_status kith__checkpoint_refuse(const kith__checkpoint *c, kith_error *err)
{
    return kith__fail(err, KITH_ERR_CORRUPT, c->path, 0,
                      "is not a sound checkpoint: the state of its fit");
}
