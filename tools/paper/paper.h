/*
 * paper.h: the evaluation of the paper that LCM comes from (Wang, Jia,
 * Gong, AAAI 2021): its tables and figures, with its numbers beside ours.
 */
#ifndef KITH_PAPER_PAPER_H
#define KITH_PAPER_PAPER_H

#include "kith/eval.h"

enum {                          /* bits of kith_paper_options.parts */
       KITH_PAPER_TABLE1 = 1,   /* accuracy of the methods */
       KITH_PAPER_TABLE2 = 2,   /* weights of edges before and after learning */
       KITH_PAPER_TABLE3 = 4,   /* running time on NELL */
       KITH_PAPER_FIGURE1 = 8,  /* learnt coupling matrices */
       KITH_PAPER_FIGURE2 = 16, /* accuracy by training nodes per class */
       KITH_PAPER_ALL = 31
};

typedef struct kith_paper_options {
    kith_job job;   /* progress counts results */
    uint32_t parts; /* KITH_PAPER_... ; default all */
    /* Folder with the data sets cora, citeseer, pubmed and nell, each with
     * splits paper-0 to paper-4, and perhaps google-plus and twitter, which
     * are generated otherwise.  Those that are not there are left out. */
    const char *data;
    const char *out;            /* folder for the pages and the results */
    const char *const *methods; /* default NULL: all that have a row */
    int32_t n_methods;
    uint64_t seed; /* of what is generated and drawn; default 1 */
    /* A small run that shows the form and not the results: two splits, nothing
     * tuned, ten iterations, no graph of more than 30,000 nodes; default no. */
    bool quick;
    kith_fit fit; /* default KITH_FIT_TRAIN */
    /* What the user should know: a data set left out, a damaged result. */
    void (*note)(void *user, const char *text);
    void *note_user;
} kith_paper_options;

/* What was done. */
typedef struct kith_paper_summary {
    int64_t wanted; /* results that the parts consist of */
    int64_t done;   /* of them, there are now */
    int64_t kept;   /* of those, found in the folder */
} kith_paper_summary;

void kith_paper_options_init(kith_paper_options *o);

/*
 * Run what is missing, and write paper.md, paper.json, paper.tex and paper.html
 * into the folder `out`, which is made.  Each result is kept in out/results as
 * soon as it is there, under a name made of the data, the split, the method and
 * its parameters: the next call goes on from them.  A file that is damaged or
 * not ours is told and computed anew.  If the call is cancelled, the pages are
 * written with what there is.
 *
 * Errors: KITH_ERR_ARGUMENT (unknown method, no data set), KITH_ERR_IO,
 * KITH_ERR_NOMEM, KITH_ERR_CANCELLED, and those of reading the data.
 */
kith_status kith_paper(const kith_paper_options *options,
                       kith_paper_summary *summary, kith_error *err);

#endif
