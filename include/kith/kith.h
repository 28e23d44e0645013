/*
 * kith/kith.h: the one header to include.
 *
 * Names are kith_<noun>_<verb>.  Calls return kith_status and leave details in
 * their last argument.  `const` pointers are borrowed for the call, `T **out`
 * hands over a new object, inputs are unchanged on failure.  The library never
 * prints, exits or reads the environment.
 */
#ifndef KITH_KITH_H
#define KITH_KITH_H

#include "kith/arrays.h"
#include "kith/core.h"
#include "kith/data.h"
#include "kith/eval.h"
#include "kith/explain.h"
#include "kith/facts.h"
#include "kith/generate.h"
#include "kith/graph.h"
#include "kith/model.h"
#include "kith/options.h"
#include "kith/report.h"
#include "kith/table.h"
#include "kith/tasks.h"
#include "kith/words.h"

#endif
