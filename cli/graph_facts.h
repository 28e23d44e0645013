/*
 * graph_facts.h: what `graph info` found out, for people.
 */
#ifndef KITH_CLI_GRAPH_FACTS_H
#define KITH_CLI_GRAPH_FACTS_H

#include <kith/kith.h>
#include <stdio.h>

typedef struct graph_facts {
    const char *path;
    int64_t bytes; /* of the file, -1 if it is a folder or a stream */
    bool verified;
    kith_dataset *data;
    kith_facts *facts;
} graph_facts;

void info_text(FILE *stream, const graph_facts *f);

#endif
