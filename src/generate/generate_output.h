/*
 * generate_output.h: the files of a generated graph, which appear together.
 *
 * "FILE.kg": FILE.kg, FILE.labels.tsv, FILE.splits/0/.
 * "DIR": graph.kg, labels.tsv, splits/0/ in a temporary folder beside DIR,
 * which in the end becomes DIR.
 */
#ifndef KITH_GENERATE_GENERATE_OUTPUT_H
#define KITH_GENERATE_GENERATE_OUTPUT_H

#include "data/files.h"
#include "generate/splits_plan.h"
#include "io/kg.h"
#include "io/writer.h"

typedef struct kith__output {
    char *target;        /* what the user named */
    char *prefix;        /* of all names: "FILE." or "TEMP/" */
    kith__folder whole;  /* that becomes DIR */
    kith__folder splits; /* that becomes FILE.splits or FILE.splits/0, if it is
                            not there yet */
    kith_outputs *all;   /* of FILE.kg; what a folder gets needs no set */
    kith__writer *labels;
    kith__writer *part[KITH__SPLIT_PARTS];
    kith__kg_writer *graph;
} kith__output;

/* Check the target, name the files and open the graph.  The caller calls
 * kith__output_close() in any case. */
kith_status kith__output_open(kith__output *out, const char *path,
                              kith_error *err);

/* Write labels and split, still without their names. */
kith_status kith__output_side_files(kith__output *out,
                                    const kith__label_plan *plan,
                                    const kith_generate_options *o,
                                    kith_error *err);

/* Give everything its name. */
kith_status kith__output_commit(kith__output *out, kith_error *err);

/* Free; if not committed, nothing remains on disk. */
void kith__output_close(kith__output *out);

#endif
