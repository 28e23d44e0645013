#include "node_ids.h"

#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "term.h"

const char *node_id(const kith_graph *g, int32_t node, char out[NODE_ID])
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, node, buffer, &length);

    if (length > NODE_ID - 1)
        length = NODE_ID - 1;
    memcpy(out, id, length);
    out[length] = '\0';
    return out;
}

void node_id_text(FILE *out, const kith_graph *g, int32_t node, int width,
                  bool pad)
{
    char id[NODE_ID];

    term_foreign(out, node_id(g, node, id), width, pad);
}

json_t *node_id_json(const kith_graph *g, int32_t node)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, node, buffer, &length);
    char *copy = strndup(id, length);
    json_t *out = copy ? json_text(copy) : NULL;

    free(copy);
    return out;
}

kith_status node_named(run *r, const kith_graph *g, const char *id,
                       int32_t *node)
{
    char shown[64];
    size_t n = 0;

    *node = kith_graph_find(g, id, strlen(id));
    if (*node >= 0)
        return KITH_OK;
    for (; n < 60 && id[n]; n++)
        shown[n] = (unsigned char)id[n] < 32 || id[n] == 127 ? '?' : id[n];
    shown[n] = '\0';
    return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                    "no node '%s' in the graph (%d nodes)", shown,
                    (int)kith_graph_nodes(g));
}

kith_status class_named(run *r, const kith_model *m, const char *name,
                        int32_t *found)
{
    char list[160] = "";

    for (*found = 0; *found < kith_model_classes(m); (*found)++)
        if (strcmp(kith_model_class_name(m, *found), name) == 0)
            return KITH_OK;
    for (int32_t c = 0; c < kith_model_classes(m) && c < 8; c++) {
        const size_t used = strlen(list);

        snprintf(list + used, sizeof(list) - used, "%s'%.16s'", c ? ", " : "",
                 kith_model_class_name(m, c));
    }
    return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                    "no class '%.40s', expected one of %s%s", name, list,
                    kith_model_classes(m) > 8 ? ", ..." : "");
}
