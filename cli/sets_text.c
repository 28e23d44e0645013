#include "sets_text.h"

#include "term.h"

const char *sets_text(const outcome *o, char out[SETS_TEXT])
{
    const kith_model *m = o->model;
    const int32_t classes = kith_model_classes(m);
    const int32_t n = kith_graph_nodes(o->data->graph);
    const int32_t least = kith_coverage_least(o->coverage);
    int64_t size = 0, empty = 0, full = 0;
    char by_nodes[TERM_NUMBER], a[TERM_NUMBER], b[TERM_NUMBER];
    bool folds;
    const int32_t by = kith_model_coverage_nodes(m, &folds);

    term_count(by, by_nodes);
    if (by < least) {
        snprintf(out, SETS_TEXT,
                 "%s labelled nodes are too few to hold the truth for %g of "
                 "nodes: %d are needed, so every set has all classes",
                 by_nodes, o->coverage, (int)least);
        return out;
    }
    for (int32_t u = 0; u < n; u++) {
        int32_t own = 0;

        for (int32_t c = 0; c < classes; c++)
            own += o->sets[(int64_t)u * classes + c];
        size += own;
        empty += own == 0;
        full += own == classes;
    }
    snprintf(out, SETS_TEXT,
             "hold the truth for %g of nodes like the %s %s; %.2f classes on "
             "average, %s empty, %s with all",
             o->coverage, by_nodes,
             folds ? "labelled (each by a model that has not seen it)"
                   : "named to tune on",
             n > 0 ? (double)size / n : 0, term_count(empty, a),
             term_count(full, b));
    return out;
}
