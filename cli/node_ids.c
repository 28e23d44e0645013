#include "node_ids.h"

#include <stdlib.h>
#include <string.h>

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

const char *shown_id(const char *id, size_t length, char out[SHOWN_ID])
{
    if (length > SHOWN_ID - 1)
        length = SHOWN_ID - 1;
    for (size_t i = 0; i < length; i++)
        out[i] = id[i] ? id[i] : '\1';
    out[length] = '\0';
    term_tame(out);
    return out;
}

kith_status node_named(run *r, const kith_graph *g, const char *id,
                       int32_t *node)
{
    char shown[SHOWN_ID];

    *node = kith_graph_find(g, id, strlen(id));
    if (*node >= 0)
        return KITH_OK;
    return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                    "no node '%s' in the graph (%d nodes)",
                    shown_id(id, strlen(id), shown), (int)kith_graph_nodes(g));
}

kith_status class_named(run *r, const kith_model *m, const char *name,
                        int32_t *found)
{
    char list[160] = "", shown[SHOWN_ID];

    for (*found = 0; *found < kith_model_classes(m); (*found)++)
        if (strcmp(kith_model_class_name(m, *found), name) == 0)
            return KITH_OK;
    for (int32_t c = 0; c < kith_model_classes(m) && c < 8; c++) {
        const size_t used = strlen(list);

        const char *known = kith_model_class_name(m, c);

        snprintf(list + used, sizeof(list) - used, "%s'%.16s'", c ? ", " : "",
                 shown_id(known, strlen(known), shown));
    }
    return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                    "no class '%.40s', expected one of %s%s",
                    shown_id(name, strlen(name), shown), list,
                    kith_model_classes(m) > 8 ? ", ..." : "");
}
