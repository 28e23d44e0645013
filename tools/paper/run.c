/*
 * run.c: one result: found in its file, or made and put there.
 */
#include "paper/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/number.h"

enum { QUICK_ITERATIONS = 10 };

static const char *const how_names[] = {
    [KITH__TUNED] = "tuned",
    [KITH__LIKE_FIRST] = "like-first",
    [KITH__PLAIN] = "defaults",
    [KITH__AS_WRITTEN] = "defaults, as written, uncentred",
    [KITH__TIMED] = "defaults, timed",
};

kith_status kith__paper_note(kith__paper_run *r, kith_error *err,
                             const char *format, ...)
{
    char text[KITH__NOTE];
    va_list list;

    va_start(list, format);
    kith__print_list(text, sizeof(text), format, list);
    va_end(list);
    if (r->options->note)
        r->options->note(r->options->note_user, text);
    return kith__doc_note(r->doc, text) ? KITH_OK : kith__no_memory(err);
}

/* All that a result hangs on. */
static void key_of(const kith__paper_run *r, const kith__prefetch *ask,
                   char out[KITH__KEY])
{
    char more[120] = "";

    if (ask->how == KITH__LIKE_FIRST)
        snprintf(more, sizeof(more), " first %016" PRIx64,
                 ask->set->split[0].hash);
    else if (ask->how == KITH__TIMED)
        snprintf(more, sizeof(more), " threads %d", kith__threads(&r->job));
    snprintf(
        out, KITH__KEY,
        "data %016" PRIx64 " split %016" PRIx64
        " method %s how %s%s%s%s fit %d kith %s",
        ask->set->hash, ask->split->hash, ask->row->method, how_names[ask->how],
        more, r->options->quick ? " iterations 10" : "",
        ask->inside ? " inside" : "", (int)r->options->fit, kith_version());
}

/* ---- the model whose choices are taken ----------------------------------- */

static bool is_first(const kith__prefetch *ask)
{
    return ask->how == KITH__TUNED && ask->split == &ask->set->split[0];
}

static void keep_first(kith__paper_run *r, const kith__prefetch *ask,
                       kith_model *m)
{
    kith_model_free(r->first);
    r->first = m;
    r->first_set = ask->set;
    r->first_row = ask->row;
}

static kith_status make(kith__paper_run *r, const kith__prefetch *ask,
                        const char *key, kith__result *out, kith_error *err);

/* From memory, from its file, or by tuning again. */
static kith_status find_first(kith__paper_run *r, const kith__prefetch *like,
                              kith_error *err)
{
    const kith__prefetch ask = {.set = like->set,
                                .row = like->row,
                                .split = &like->set->split[0],
                                .how = KITH__TUNED};
    char key[KITH__KEY];
    kith_status st = KITH_OK;
    kith_model *m = NULL;
    kith__result again = {0};
    char *path = NULL;

    if (r->first && r->first_set == ask.set && r->first_row == ask.row)
        return KITH_OK;
    key_of(r, &ask, key);
    TRY_NEW(path, kith__result_path(r->results, key, ".km"));
    if (kith_model_open(path, &m, err) == KITH_OK)
        keep_first(r, &ask, m);
    else
        TRY(make(r, &ask, key, &again, err));
out:
    kith__result_release(&again);
    kith__free(path);
    return st;
}

/* ---- running ------------------------------------------------------------- */

static kith_train_options options_of(const kith__paper_run *r,
                                     const kith__prefetch *ask)
{
    kith_train_options o;

    kith_train_options_init(&o);
    o.job = r->job;
    o.fit = r->options->fit;
    if (ask->how != KITH__TUNED)
        o.fixed = KITH_FIX_ALL;
    if (r->options->quick)
        o.params.iterations = QUICK_ITERATIONS;
    if (ask->how == KITH__LIKE_FIRST) {
        o.params = *kith_model_params(r->first);
        o.like = r->first;
    }
    o.params.as_written = o.params.uncentred = ask->how == KITH__AS_WRITTEN;
    return o;
}

static kith_status look_inside(const kith__paper_run *r,
                               const kith__prefetch *ask, const kith_model *m,
                               kith__result *out, kith_error *err)
{
    const float *H = kith_model_coupling(m);
    const int64_t C = kith_model_classes(m);
    kith_status st = KITH_OK;

    TRY(kith_model_average_weights(m, ask->set->data, &r->job, out->weights,
                                   err));
    if (H) {
        TRY_NEW(out->coupling, kith__alloc(C * C, sizeof(float)));
        memcpy(out->coupling, H, (size_t)(C * C) * sizeof(float));
        out->classes = (int32_t)C;
    }
out:
    return st;
}

/* Run the method and keep what came out, the model too if others follow it. */
static kith_status make(kith__paper_run *r, const kith__prefetch *ask,
                        const char *key, kith__result *out, kith_error *err)
{
    const kith_train_options o = options_of(r, ask);
    char *path = NULL, *model_path = NULL;
    kith_status st = KITH_OK;
    kith_model *m = NULL;
    kith_trial trial;

    *out = (kith__result){
        .weights = {(double)NAN, (double)NAN, (double)NAN, (double)NAN}};
    TRY_NEW(path, kith__result_path(r->results, key, ".txt"));
    TRY_NEW(model_path, kith__result_path(r->results, key, ".km"));
    TRY(kith_trial_run(ask->set->data, ask->row->method, ask->split, &o,
                       KITH_POSITIVE_AUTO, r->p, &trial, &m, err));
    out->accuracy = trial.scores.accuracy;
    out->validation = trial.validation;
    out->seconds = trial.seconds;
    TRY_NEW(out->chosen, kith__result_chosen(m));
    if (ask->inside)
        TRY(look_inside(r, ask, m, out, err));
    if (is_first(ask))
        TRY(kith_model_save(m, model_path, err));
    TRY(kith__result_write(path, key, out, err));
    if (is_first(ask)) {
        keep_first(r, ask, m);
        m = NULL;
    }
out:
    if (st != KITH_OK)
        kith__result_release(out);
    kith_model_free(m);
    kith__free(path);
    kith__free(model_path);
    return st;
}

/* A result that stands in its file; a file that cannot be used is told. */
static kith_status look_up(kith__paper_run *r, const char *key,
                           kith__result *out, bool *found, kith_error *err)
{
    char *path = kith__result_path(r->results, key, ".txt");
    kith_error why = {0};
    struct stat at;
    kith_status st = KITH_OK;

    *found = false;
    if (!path)
        return kith__no_memory(err);
    if (stat(path, &at) != 0)
        goto out;
    if (kith__result_read(path, key, out, &why) == KITH_OK)
        *found = true;
    else if (why.status == KITH_ERR_NOMEM)
        TRY(kith__no_memory(err));
    else if (r->options->note) {
        char text[sizeof(why.path) + sizeof(why.text) + 64];

        kith_error_format(&why, text, sizeof(text) - 40);
        snprintf(text + strlen(text), 40, "; it is computed anew");
        r->options->note(r->options->note_user, text);
    }
out:
    kith__free(path);
    return st;
}

/* Failures that are about this method on this data do not end the rest. */
static kith_status get(kith__paper_run *r, const kith__prefetch *ask,
                       const char *key, kith__result *out, bool *found,
                       kith_error *err)
{
    kith_error why = {0};
    kith_status st = KITH_OK;

    snprintf(r->stage, sizeof(r->stage), "%.12s %.12s", ask->set->of->name,
             ask->row->method);
    if (ask->how == KITH__LIKE_FIRST)
        st = find_first(r, ask, &why);
    if (st == KITH_OK)
        st = make(r, ask, key, out, &why);
    *found = st == KITH_OK;
    if (st == KITH_ERR_CANCELLED) {
        r->stopped = st;
        return KITH_OK;
    }
    if (st == KITH_ERR_ARGUMENT || st == KITH_ERR_RANGE)
        return kith__paper_note(r, err, "%s cannot run on %s: %.200s",
                                ask->row->title, ask->set->of->title, why.text);
    if (st != KITH_OK && err)
        *err = why;
    return st;
}

static kith_status remember(kith__paper_run *r, const kith__prefetch *ask,
                            const kith__result *out, kith_error *err)
{
    kith__doc *d = r->doc;
    kith__finding *f;
    kith_status st = KITH_OK;

    if (!kith__grow((void **)&d->finding, &d->finding_room, d->findings + 1,
                    sizeof(*d->finding)))
        TRY(kith__no_memory(err));
    f = &d->finding[d->findings++];
    *f = (kith__finding){.set = ask->set->of->name,
                         .method = ask->row->method,
                         .how = how_names[ask->how],
                         .split_hash = ask->split->hash,
                         .accuracy = out->accuracy,
                         .validation = out->validation,
                         .seconds = out->seconds};
    snprintf(f->split, sizeof(f->split), "%.60s", ask->split->name);
    TRY_NEW(f->chosen, kith__copy_string(out->chosen, strlen(out->chosen)));
out:
    return st;
}

kith_status kith__paper_ask(kith__paper_run *r, const kith__prefetch *ask,
                            kith__result *out, bool *found, kith_error *err)
{
    char key[KITH__KEY];
    kith_status st = KITH_OK;

    *found = false;
    *out = (kith__result){0};
    if (r->counting) {
        r->summary->wanted++;
        return KITH_OK;
    }
    key_of(r, ask, key);
    TRY(look_up(r, key, out, found, err));
    r->summary->kept += *found;
    if (!*found && r->stopped == KITH_OK)
        TRY(get(r, ask, key, out, found, err));
    r->summary->done += *found;
    if (*found)
        TRY(remember(r, ask, out, err));
    else if (r->stopped != KITH_OK)
        r->doc->unfinished = true;
    if (r->stopped == KITH_OK)
        r->stopped = kith__progress(&r->job, r->stage, 0, 0, "", NULL);
out:
    if (st != KITH_OK)
        kith__result_release(out);
    return st;
}
