/*
 * options.c: kith_options: the table's values, and what goes with a training.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "models/model_object.h"
#include "models/params.h"

void kith_train_options_init(kith_train_options *o)
{
    *o = (kith_train_options){0};
    kith_params_init(&o->params);
    o->params.iterations = 0;
    o->fit = KITH_FIT_TRAIN_VAL;
}

kith_train_options kith_options_like(const kith_train_options *o,
                                     const kith_model *chosen)
{
    kith_train_options next = *o;

    next.params = chosen->params;
    next.fixed = KITH_FIX_ALL;
    next.temperature = chosen->temperature;
    next.like = chosen;
    return next;
}

/* ---- the object ---------------------------------------------------------- */

/* Where the row's value is. */
static void *holder_of(kith_options *o, const kith_option_info *row)
{
    return row->slot >= 0 ? (void *)&o->train.params : o;
}

kith_status kith_options_new(kith_options **out, kith_error *err)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    kith_options *o = kith__alloc_zeroed(1, sizeof(*o));

    *out = o;
    if (!o)
        return kith__no_memory(err);
    for (int i = 0; i < rows; i++)
        if (row[i].type != KITH_OPTION_TEXT)
            kith__param_store(holder_of(o, &row[i]), &row[i], row[i].preset);
    o->train.params.iterations = 0; /* the method's own */
    return KITH_OK;
}

void kith_options_free(kith_options *o)
{
    if (!o)
        return;
    kith__free(o->checkpoint);
    kith__free(o);
}

void kith_options_set_job(kith_options *o, const kith_job *job)
{
    o->train.job = *job;
}

void kith_options_set_like(kith_options *o, const kith_model *like)
{
    o->train.like = like;
}

kith_train_options kith_options_train(const kith_options *o)
{
    kith_train_options t = o->train;

    t.checkpoint = o->checkpoint;
    if (o->no_tune)
        t.fixed = KITH_FIX_ALL;
    return t;
}

/* ---- by name ------------------------------------------------------------- */

/* The name that is nearest to what was typed, NULL if none is near. */
static const char *nearest(const char *typed)
{
    int rows, least = -1;
    const kith_option_info *row = kith_option_list(&rows);
    const char *best = NULL;

    for (int i = 0; i < rows; i++) {
        const int distance = kith_near_miss(typed, row[i].name);

        if (distance >= 0 && (least < 0 || distance < least)) {
            least = distance;
            best = row[i].name;
        }
    }
    return best;
}

static kith_status find(const char *name, const kith_option_info **row,
                        kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];
    const char *meant;

    *row = kith_option_find(name);
    if (*row)
        return KITH_OK;
    kith__quote(shown, name, strlen(name));
    meant = nearest(name);
    if (meant)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "unknown option '%s'; did you mean '%s'?", shown,
                          meant);
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "unknown option '%s', expected one that "
                      "kith_option_list() has",
                      shown);
}

static kith_status refuse(const kith_option_info *row, const char *value,
                          kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER], wanted[160];

    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "option '%s': expected %s, not '%s'", row->name,
                      kith_option_expects(row, wanted, sizeof(wanted)),
                      kith__quote(shown, value, strlen(value)));
}

static void take(kith_options *o, const kith_option_info *row, double value)
{
    kith__param_store(holder_of(o, row), row, value);
    o->train.fixed |= row->fix;
}

/* Text that is not empty; the empty one takes what is set away. */
static kith_status take_text(kith_options *o, const char *value,
                             kith_error *err)
{
    char *copy = *value ? kith__copy_string(value, strlen(value)) : NULL;

    if (*value && !copy)
        return kith__no_memory(err);
    kith__free(o->checkpoint);
    o->checkpoint = copy;
    return KITH_OK;
}

kith_status kith_options_set(kith_options *o, const char *name,
                             const char *value, kith_error *err)
{
    const kith_option_info *row;
    kith_status st = find(name, &row, err);
    double number;

    if (st != KITH_OK)
        return st;
    if (row->type == KITH_OPTION_TEXT)
        return take_text(o, value, err);
    if (!kith_option_read(row, value, &number))
        return refuse(row, value, err);
    take(o, row, number);
    return KITH_OK;
}

kith_status kith_options_set_number(kith_options *o, const char *name,
                                    double value, kith_error *err)
{
    const kith_option_info *row;
    kith_status st = find(name, &row, err);
    char text[KITH_OPTION_BUFFER];

    if (st != KITH_OK)
        return st;
    if (row->type == KITH_OPTION_TEXT || !kith__param_accepts(row, value)) {
        kith__print(text, sizeof(text), "%g", value);
        return refuse(row, text, err);
    }
    take(o, row, value);
    return KITH_OK;
}

double kith_options_get(const kith_options *o, const char *name)
{
    const kith_option_info *row = kith_option_find(name);

    return row && row->type != KITH_OPTION_TEXT
               ? kith__param_load(holder_of((kith_options *)o, row), row)
               : (double)NAN;
}

const char *kith_options_get_text(const kith_options *o, const char *name)
{
    const kith_option_info *row = kith_option_find(name);

    return row && row->type == KITH_OPTION_TEXT ? o->checkpoint : NULL;
}
