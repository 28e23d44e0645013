/*
 * plan.h: what the paper's evaluation consists of, and the numbers it gives.
 */
#ifndef KITH_PAPER_PLAN_H
#define KITH_PAPER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { KITH__SETS = 6, KITH__SIZES = 5, KITH__SPLITS = 5 };

/* A number of the paper; a mean of 0 stands for none. */
typedef struct kith__published {
    double mean, std;
} kith__published;

/* A data set, and what is drawn if it must be generated. */
typedef struct kith__paper_data {
    const char *name;   /* of its folder */
    const char *title;  /* as the paper writes it */
    const char *preset; /* of the generator; NULL: it cannot be generated */
    double scale, quick_scale;
    int32_t train, val,
        test; /* nodes per class in a split of a generated one */
    /* table 2: weights of edges within a class and of others */
    double start[2], learnt[2];
} kith__paper_data;

/* How much tuning a method gets where it costs most. */
typedef enum kith__budget {
    KITH__ONCE, /* on a large graph tuned on the first split, and its choices
                   kept for the others */
    KITH__EACH, /* tuned on each split of any graph */
    KITH__SLOW  /* as ONCE, on a middling graph too, and not in figure 2 of a
                   large one */
} kith__budget;

/* A method and its row in the tables. */
typedef struct kith__paper_row {
    const char *method;
    const char *title;
    const char *group;
    kith__budget budget;
    bool social; /* runs on the graphs without features */
    kith__published table1[KITH__SETS];
    double seconds; /* table 3, 0 = none */
} kith__paper_row;

extern const kith__paper_data kith__paper_sets[KITH__SETS];
extern const kith__paper_row kith__paper_rows[];
extern const int kith__paper_row_count;
extern const int32_t kith__paper_sizes[KITH__SIZES]; /* figure 2 */

#endif
