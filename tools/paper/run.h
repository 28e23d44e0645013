/*
 * run.h: the data sets, and one result after another.
 */
#ifndef KITH_PAPER_RUN_H
#define KITH_PAPER_RUN_H

#include "paper/doc.h"
#include "paper/paper.h"
#include "paper/result.h"

/* A data set that is open. */
typedef struct kith__paper_set {
    const kith__paper_data *of;
    kith_dataset *data; /* NULL: left out */
    uint64_t hash;      /* of graph, labels and features */
    bool stand_in;      /* generated */
    bool large;         /* over 100,000 edges */
    bool middling;      /* over 10,000 nodes */
    kith_split split[KITH__SPLITS];
    int splits;
} kith__paper_set;

typedef enum kith__how {
    KITH__TUNED,      /* on the validation nodes of the split */
    KITH__LIKE_FIRST, /* with what was chosen on the set's first split */
    KITH__PLAIN,      /* the defaults */
    KITH__AS_WRITTEN, /* the same by the paper's formulas, H + 1/C */
    KITH__TIMED       /* the defaults, and it is about time */
} kith__how;

typedef struct kith__paper_run {
    const kith_paper_options *options;
    kith_paper_summary *summary;
    char *results; /* folder */
    kith__paper_set set[KITH__SETS];
    const kith__paper_row *row[64]; /* the methods asked for */
    int rows;
    kith__doc *doc;
    bool counting;       /* only count what there is to do */
    kith_status stopped; /* not OK: look up results, compute none */
    kith_job job;        /* as for the methods */
    char stage[40];
    float *p; /* probabilities, of the largest set */
    /* the model of KITH__LIKE_FIRST */
    kith_model *first;
    const kith__paper_set *first_set;
    const kith__paper_row *first_row;
} kith__paper_run;

/* What is asked for.  split is not read while counting. */
typedef struct kith__prefetch {
    const kith__paper_set *set;
    const kith__paper_row *row;
    const kith_split *split;
    kith__how how;
    bool inside; /* weights and coupling are wanted */
} kith__prefetch;

/* Open what there is, generate the rest. */
kith_status kith__paper_open(kith__paper_run *r, kith_error *err);
void kith__paper_close(kith__paper_run *r);

/*
 * The result, from its file or by running the method: *found tells whether
 * there is one.  There is none while counting, after a stop, and where the
 * method cannot run on the data, which is noted.
 */
kith_status kith__paper_ask(kith__paper_run *r, const kith__prefetch *ask,
                            kith__result *out, bool *found, kith_error *err);

/* Does the method take part on the set?  Is it tuned on its first split only?
 */
bool kith__takes_part(const kith__paper_set *s, const kith__paper_row *row);
bool kith__tuned_once(const kith__paper_set *s, const kith__paper_row *row);

/*
 * Training nodes for figure 2: `size` of each class, none of them among the
 * validation and test nodes of the set's first split, which stay.
 */
kith_status kith__draw_training(const kith__paper_set *s, int32_t size,
                                uint64_t seed, int32_t trial, kith_split *out,
                                kith_error *err);

/* Tell the user, and remember for the pages. */
kith_status kith__paper_note(kith__paper_run *r, kith_error *err,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One file each: they ask for results and add to r->doc. */
typedef kith_status kith__part_fn(kith__paper_run *r, kith_error *err);
kith__part_fn kith__paper_table1, kith__paper_table2, kith__paper_table3,
    kith__paper_figure1, kith__paper_figure2;

#endif
