/*
 * paths.h: the paths along which most of a belief arrives.
 */
#ifndef KITH_MODELS_PATHS_H
#define KITH_MODELS_PATHS_H

#include "models/solution.h"

/*
 * The `most` paths (no node twice, at most KITH_PATH_MOST edges) that add most
 * to the belief of e->node in e->of_class, into e->paths.
 */
kith_status kith__find_paths(const kith_solution *s, int32_t most,
                             kith_explanation *e, kith_error *err);

#endif
