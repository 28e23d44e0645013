/*
 * params.h: what the library does with the table of parameters in params.c.
 */
#ifndef KITH_MODELS_PARAMS_H
#define KITH_MODELS_PARAMS_H

#include "core/status.h"
#include "kith/model.h"

/* kith_options; what the rows of the table without a slot set. */
struct kith_options {
    kith_train_options train;
    char *checkpoint;
    double hold_out; /* share of each class, where no nodes to tune on are
                        named */
    int64_t seed;    /* of what is held out */
    bool no_tune;
};

/* No more rows than these have a slot. */
enum { KITH__PARAMS_MOST = 64 };

/* The row of a slot, NULL beyond the last one.  Slots, from 0, are the order of
 * model files and checkpoint keys. */
const kith_option_info *kith__param_at_slot(int slot);

bool kith__param_accepts(const kith_option_info *row, double value);

/* A number of an object that `row` describes. */
double kith__param_load(const void *object, const kith_option_info *row);
void kith__param_store(void *object, const kith_option_info *row, double value);

/* Every number in its range; NaN is in none. */
kith_status kith__params_check(const kith_params *p, kith_error *err);

/* The name of that preparation of features, and the one of that name: false,
 * and KITH_PREP_NONE, if there is none. */
const char *kith__prep_name(kith_prep prep, char out[KITH_OPTION_BUFFER]);
bool kith__prep_find(const char *name, kith_prep *out);

/* All that a result depends on, in the order of slots; how many numbers. */
int kith__params_key(const kith_params *p, double out[KITH__PARAMS_MOST]);

#endif
