/*
 * evaluation_json.h: what a model chose, as JSON.
 */
#ifndef KITH_EVAL_EVALUATION_JSON_H
#define KITH_EVAL_EVALUATION_JSON_H

#include "kith/eval.h"

/* The method and its parameters, or what it chose beyond them: a new text. */
kith_status kith__choices_json(const kith_model *m, char **out,
                               kith_error *err);

#endif
