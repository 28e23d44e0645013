/*
 * graph_facts.h: what `graph info` found out, and its two ways to print it.
 */
#ifndef KITH_CLI_GRAPH_FACTS_H
#define KITH_CLI_GRAPH_FACTS_H

#include <kith/kith.h>
#include <stdio.h>

#include "forecast.h"

enum { SPLITS_SHOWN = 3 };

typedef struct graph_facts {
    const char *path;
    int64_t bytes; /* of the file, -1 if it is a folder or a stream */
    bool verified;
    kith_dataset *data;
    kith_graph_stats stats;
    int64_t *class_count; /* beside data->labels->names; NULL if none */
    double homophily;     /* NaN if undefined */
    int64_t counted;      /* edges with both ends labelled */
    char **splits;        /* names */
    int split_count;
    kith_split split[SPLITS_SHOWN]; /* the first few, read */
    int splits_read;
    forecast_sizes sizes;
} graph_facts;

/* Readable text, and one JSON object; info_json answers false if memory ran
 * out. */
void info_text(FILE *stream, const graph_facts *f);
bool info_json(FILE *stream, const graph_facts *f);

#endif
