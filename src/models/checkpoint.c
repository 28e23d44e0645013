#include "models/checkpoint.h"

#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_file.h"
#include "io/sections.h"

static const kith__sections_format format = {
    .magic = {0x89, 'K', 'I', 'T', 'H', 'P', 13, 10},
    .version = 2, /* 1: all points of the grid */
    .newest = 2,
    .noun = "checkpoint",
    .remedy = "remove it and start again"};

struct kith__checkpoint {
    char *path;
    uint64_t key;
    kith__score *scores; /* so far, in order */
    int64_t count, room;
    int64_t given;       /* of them, those asked for again */
    kith__sections file; /* what was there at first; no map = nothing */
};

/* Scores of the file, which was written with this key. */
static kith_status load(kith__checkpoint *c, kith_error *err)
{
    uint64_t key;
    kith_status st = KITH_OK;
    int64_t found = 0;
    const double *scores;

    TRY(kith__sections_open(&format, c->path, &c->file, err));
    memcpy(&key, c->file.own, sizeof(key));
    if (key != c->key)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, c->path, 0,
                       "is the checkpoint of another run: other data, other "
                       "labelled nodes or other options; remove it or name "
                       "another file"));
    TRY(kith__sections_verify(&c->file, NULL, err));
    scores = kith__sections_get(&c->file, "scores", 8, -1, &found);
    if (!scores || found % 2 != 0) {
        st = kith__sections_corrupt(&c->file, err, "its scores");
        goto out;
    }
    if (!kith__grow((void **)&c->scores, &c->room, found / 2 + 1,
                    sizeof(*c->scores)))
        TRY(kith__no_memory(err));
    for (c->count = 0; c->count < found / 2; c->count++)
        c->scores[c->count] = (kith__score){scores[2 * c->count],
                                            scores[2 * c->count + 1]};
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
    kith__free(c->scores);
    kith__free(c->path);
    kith__free(c);
}

bool kith__checkpoint_scores(kith__checkpoint *c, int n, kith__score *out)
{
    if (!c || c->given + n > c->count)
        return false;
    memcpy(out, c->scores + c->given, (size_t)n * sizeof(*out));
    c->given += n;
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
    for (int64_t i = 0; i < c->count; i++) {
        const double pair[2] = {c->scores[i].accuracy, c->scores[i].log_loss};

        TRY(kith__sections_append(w, pair, sizeof(pair), err));
    }
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

kith_status kith__checkpoint_add(kith__checkpoint *c, int n,
                                 const kith__score *scores, kith_error *err)
{
    if (!c)
        return KITH_OK;
    if (!kith__grow((void **)&c->scores, &c->room, c->count + n,
                    sizeof(*c->scores)))
        return kith__no_memory(err);
    for (int i = 0; i < n; i++)
        c->scores[c->count + i] = scores[i];
    c->count += n;
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
