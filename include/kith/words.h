/*
 * kith/words.h: what came of a run, counted once and said in sentences.  The
 * terminal, the page, the model card and Python take their words from here.
 *
 *     kith_verdict *v;
 *     char line[KITH_SENTENCE];
 *
 *     kith_verdict_new(&in, &v, &err);
 *     puts(kith_verdict_say(v, KITH_SAY_HEADLINE, line));
 */
#ifndef KITH_WORDS_H
#define KITH_WORDS_H

#include "kith/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a verdict is made of; all of it must outlive the verdict. */
typedef struct kith_verdict_input {
    const kith_dataset *data; /* labels: those of the judged nodes at least */
    const kith_model *model;
    const kith_certificate *certificate; /* of this run; NULL = the model's */
    const float *probabilities;          /* n x classes */
    const uint8_t *evidence;             /* n: kith_evidence; NULL = not told */
    const int32_t *known; /* nodes whose label is known although they are not
                             learnt from; they are not counted as unknown */
    int32_t n_known;
    /* nodes to judge by, not learnt from; those without a label are left out;
     * NULL = all that have one and are neither learnt from nor known */
    const int32_t *judged;
    int32_t n_judged;
    const char *judged_what; /* "the test nodes of the split"; NULL */
    const float *judged_by;  /* n x classes; NULL = probabilities */
    bool chosen_by;          /* they also served to choose or to calibrate */
    const kith_job *job;     /* NULL is fine */
    const char *positive;    /* the class asked about; NULL = of two, that
                                with fewer known nodes */
} kith_verdict_input;

KITH_API void kith_verdict_input_init(kith_verdict_input *in);

/* What there is to say of a classification, judged by the split's test nodes
 * that have a label, or else those held out, by the model that has not learnt
 * from them (KITH_KEEP_UNSEEN), or those named for tuning. */
KITH_API void kith_verdict_input_of(kith_verdict_input *in,
                                    const kith_dataset *d,
                                    const kith_protocol *p,
                                    const kith_classification *c);

/* May its answers be acted on? */
typedef enum kith_trust {
    KITH_TRUST_UNKNOWN = 0, /* no node to judge by */
    KITH_TRUST_GUESS,       /* too few labels, or too few to judge by */
    KITH_TRUST_POOR,        /* little better than chance */
    KITH_TRUST_FAIR,
    KITH_TRUST_GOOD
} kith_trust;

typedef struct kith_verdict {
    kith_verdict_input in;
    int32_t nodes, classes;
    int32_t unknown;     /* nodes that are neither learnt from nor known */
    int32_t learnt;      /* nodes of the graph that were learnt from */
    int32_t positive;    /* the class asked about, -1 with more than two */
    int64_t *of;         /* classes: of the nodes learnt from */
    int64_t *said;       /* classes: of the unknown nodes, by their likeliest
                            class; those without evidence are in no class */
    int64_t evidence[4]; /* of the unknown nodes, by kith_evidence */
    bool *is_known;      /* n: learnt from, or known otherwise */
    int32_t *judged;     /* judged nodes that have a label */
    int32_t n_judged;
    kith_scores scores; /* of the judged nodes; nodes = 0 if there are none */
    kith_intervals intervals; /* of the scores, 95 % */
    int32_t listed, hits; /* judged nodes that are called positive (more than
                             two classes: called anything), and those that
                             are so */
    kith_interval right;  /* 95 %, of hits in listed */
    kith_trust trust;
} kith_verdict;

/*
 * Count.  Free with kith_verdict_free().
 *
 * Errors: KITH_ERR_ARGUMENT (a node out of range; a class that is none),
 * KITH_ERR_NOMEM.  Cost: O(n C), and resampling the judged nodes.
 */
KITH_API kith_status kith_verdict_new(const kith_verdict_input *in,
                                      kith_verdict **out, kith_error *err);
KITH_API void kith_verdict_free(kith_verdict *v); /* NULL is fine */

/* "unknown", "a guess", "poor", "fair", "good". */
KITH_API const char *kith_trust_name(kith_trust t);

typedef enum kith_sentence {
    KITH_SAY_HEADLINE = 0, /* 284 of 4,800 unknown nodes are likely fraud ... */
    KITH_SAY_LEARNT,       /* learnt from 63 fraud and 1,137 benign */
    KITH_SAY_METHOD,       /* method lcm-em, chosen: ... */
    KITH_SAY_TRUST,    /* good: AUC .997 (.995 to .999) on 4,800 nodes ... */
    KITH_SAY_MEANING,  /* the same without its terms, for a first reader */
    KITH_SAY_EVIDENCE, /* 41 without evidence, 312 with weak evidence */
    KITH_SENTENCES
} kith_sentence;

enum { KITH_SENTENCE = 512 }; /* bytes that hold any */

/* A sentence, without a full stop; empty where there is nothing to say.  Class
 * names in it come from the data.  Returns out. */
KITH_API const char *kith_verdict_say(const kith_verdict *v, kith_sentence s,
                                      char out[KITH_SENTENCE]);

/* A share or a score as people read it, with the digits that they act on:
 * "97 %", "99.7 %"; ".83", ".997".  Return out. */
enum { KITH_SHARE = 24 };
KITH_API const char *kith_say_share(double x, char out[KITH_SHARE]);
KITH_API const char *kith_say_score(double x, char out[KITH_SHARE]);

/* What was written: "table", "out.tsv". */
typedef struct kith_output_name {
    const char *what, *path;
} kith_output_name;

/*
 * All of it as one JSON object (kith/eval.h): data, method with its choices,
 * verdict, scores with intervals, evidence, sentences, outputs.
 *
 * path     of the data, to be told
 * outputs  what was written, n_outputs of them
 */
KITH_API kith_status kith_verdict_json(const kith_verdict *v, const char *path,
                                       const kith_output_name *outputs,
                                       int32_t n_outputs, char **json,
                                       size_t *length, kith_error *err);

#ifdef __cplusplus
}
#endif
#endif
