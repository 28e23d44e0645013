/*
 * kith/options.h: the table of parameters, and the options of a training.
 *
 *     kith_options *o;
 *
 *     kith_options_new(&o, &err);
 *     kith_options_set(o, "iterations", "20", &err);
 *     kith_options_set_number(o, "lambda", .1, &err);
 *     ...
 *     kith_options_free(o);
 *
 * kith_option_list() is the table of all that can be set.  The command's
 * options, docs/parameters.md, model files, checkpoints and reports are made
 * from it, and so can be the parameters of a program or of a binding.
 */
#ifndef KITH_OPTIONS_H
#define KITH_OPTIONS_H

#include "kith/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kith_model kith_model; /* kith/model.h */

/* ---- the table ----------------------------------------------------------- */

typedef enum kith_option_type {
    KITH_OPTION_INTEGER,
    KITH_OPTION_REAL,
    KITH_OPTION_FLAG,   /* 0 no, 1 yes */
    KITH_OPTION_CHOICE, /* the index of one of `choices` */
    KITH_OPTION_TEXT    /* no number: a file's name */
} kith_option_type;

typedef enum kith_option_group {
    KITH_GROUP_POTENTIALS,  /* node potentials */
    KITH_GROUP_PROPAGATION, /* how they spread */
    KITH_GROUP_LEARNING,    /* of the edges' weights W and the coupling H */
    KITH_GROUP_TUNING,      /* what is tuned, and on what */
    KITH_GROUP_RUNNING      /* what the result does not depend on */
} kith_option_group;

/* One row of the table. */
typedef struct kith_option_info {
    const char *name; /* as the user types it: "as-written" */
    const char *key;  /* in JSON and in documents: "as_written" */
    kith_option_type type;
    double least, most;  /* of a number; infinity: any finite one */
    bool above, below;   /* the ends themselves are out of range */
    const char *choices; /* "none|l2|tfidf|root"; of a flag, the words for no
                            and yes, or NULL: "no|yes" */
    double preset;       /* the default */
    kith_option_group group;
    const char *methods; /* whose it is, "lcm lcm-wo"; NULL = all */
    const char *title;   /* in reports; NULL = not said there by itself */
    const char *help;
    uint32_t fix;    /* KITH_FIX_...: set it, and it is not tuned; 0 = never
                        tuned */
    bool features;   /* matters only if there are node features */
    bool paper_only; /* matters only with the paper's gradient */
    bool neutral;    /* results do not depend on it */
    /* where the library keeps it */
    int slot; /* in kith_params, and which number of a model file; else -1 */
    size_t at, size;
} kith_option_info;

/* The table, *count rows.  It never changes.  Threads: any. */
KITH_API const kith_option_info *kith_option_list(int *count);

/* The row of that name, NULL if there is none. */
KITH_API const kith_option_info *kith_option_find(const char *name);

/* Is the row one of this method's? */
KITH_API bool kith_option_belongs(const kith_option_info *row,
                                  const char *method);

/* A value as the user would type it: "l2", "yes", "0.05".  Returns out. */
#define KITH_OPTION_BUFFER 32
KITH_API const char *kith_option_text(const kith_option_info *row, double value,
                                      char out[KITH_OPTION_BUFFER]);

/* Read a value as the user types it; false if the row does not take it. */
KITH_API bool kith_option_read(const kith_option_info *row, const char *text,
                               double *value);

/* What the row takes, for messages: "a whole number from 0 to 8".  Returns
 * out. */
KITH_API const char *kith_option_expects(const kith_option_info *row, char *out,
                                         size_t size);

/* ---- parameters of methods ----------------------------------------------- */

typedef enum kith_prep {
    KITH_PREP_NONE = 0,
    KITH_PREP_L2 = 1,    /* rows of length 1 */
    KITH_PREP_TFIDF = 2, /* columns times log((1 + N) / (1 + df)), then rows of
                            length 1 */
    KITH_PREP_ROOT = 3   /* fourth roots of all values, then rows of length 1 */
} kith_prep;

typedef enum kith_gradient {
    KITH_GRADIENT_PAPER = 0, /* steps at fixed beliefs */
    KITH_GRADIENT_EXACT = 1  /* through the fixed point, by an adjoint solve */
} kith_gradient;

/* How beliefs become probabilities: docs/calibration.md. */
typedef enum kith_calibrate {
    KITH_CALIBRATE_AUTO =
        0, /* whichever holds better where it was not fitted */
    KITH_CALIBRATE_TEMPERATURE = 1,
    KITH_CALIBRATE_SHARE = 2 /* where the method tells shares */
} kith_calibrate;

/* What is chosen by, on the validation nodes: docs/scores.md. */
typedef enum kith_optimise {
    KITH_OPTIMISE_LOG_LOSS = 0,
    KITH_OPTIMISE_ACCURACY = 1,
    KITH_OPTIMISE_AUC = 2,
    KITH_OPTIMISE_AP = 3, /* average precision */
    KITH_OPTIMISE_MACRO_F1 = 4
} kith_optimise;

/* What the labels of validation nodes may enter: docs/methods/README.md. */
typedef enum kith_fit {
    KITH_FIT_TRAIN = 0,    /* choices and calibration alone */
    KITH_FIT_TRAIN_VAL = 1 /* what is fitted too, where a method can: lcm-em's
                              coupling */
} kith_fit;

/* The rows of the table that methods get.  Ranges, defaults and meaning stand
 * in the table (src/models/params.c, docs/parameters.md); each field has a row
 * there.  What is not in `fixed` (kith_train_options) is tuned on the
 * validation nodes, or takes the default if there are none. */
typedef struct kith_params {
    /* node potentials */
    kith_prep prep;
    int32_t smooth;
    double penalty;
    bool clamp;
    bool balance;
    /* propagation */
    int32_t iterations; /* in training options 0, their default, stands for the
                           method's own */
    double tolerance;
    double damping;
    /* learning W and H */
    double g1, g2;
    double lambda;
    int32_t outer;
    int32_t inner;
    bool as_written;
    bool uncentred;
    double bound;
    kith_gradient gradient;
    /* probabilities */
    double prevalence; /* 0: not given */
    /* tuning */
    kith_optimise optimise;
    kith_calibrate calibrate;
} kith_params;

enum { /* bits of kith_train_options.fixed */
       KITH_FIX_PREP = 1,
       KITH_FIX_SMOOTH = 2,
       KITH_FIX_PENALTY = 4,
       KITH_FIX_CLAMP = 8,
       KITH_FIX_ITERATIONS = 16,
       KITH_FIX_G1 = 32,
       KITH_FIX_G2 = 64,
       KITH_FIX_LAMBDA = 128,
       KITH_FIX_ALL = 255
};

KITH_API void kith_params_init(kith_params *p); /* the defaults */

/* The value of a row with a slot; 0 of others. */
KITH_API double kith_params_get(const kith_params *p,
                                const kith_option_info *row);

/* ---- the options of a training ------------------------------------------- */

/* What kith_options stands for where a training gets it. */
typedef struct kith_train_options {
    kith_job job;
    kith_params params; /* values of what is fixed, defaults of the rest */
    uint32_t fixed;     /* KITH_FIX_... : not tuned */
    double temperature; /* of the probabilities; 0 = fitted on the validation
                           nodes, 1 if there are none */
    kith_fit fit;       /* default KITH_FIT_TRAIN_VAL; kith_evaluate() and
                           kith_paper() take KITH_FIT_TRAIN, so that what
                           is compared has learnt from the same nodes */
    double coverage;    /* also choose sets of classes that hold the truth for
                           this share of nodes (kith_classify(),
                           kith_evaluate()); then fit is KITH_FIT_TRAIN.  0,
                           the default: none */
    const char *checkpoint; /* a file: go on from it if it is there, and keep
                               it up to date; removed by the caller when the
                               result is safe.  NULL = none */
    const kith_model *like; /* take the choices of this one, of the same
                               method, for what kith_params does not hold;
                               NULL = choose */
} kith_train_options;

KITH_API void kith_train_options_init(kith_train_options *o);

typedef struct kith_options kith_options; /* opaque */

/* All defaults.  Errors: KITH_ERR_NOMEM. */
KITH_API kith_status kith_options_new(kith_options **out, kith_error *err);
KITH_API void kith_options_free(kith_options *o); /* NULL is fine */

/*
 * Set the row of that name, as the user would type it.  A parameter that is
 * set is not tuned.
 *
 * Errors: KITH_ERR_ARGUMENT for a name that is not in the table (the nearest
 * one is told) and for what the row does not take, with what it does;
 * KITH_ERR_NOMEM.  Nothing is changed then.
 */
KITH_API kith_status kith_options_set(kith_options *o, const char *name,
                                      const char *value, kith_error *err);

/* The same with a number: 0 or 1 of a flag, the index of a choice. */
KITH_API kith_status kith_options_set_number(kith_options *o, const char *name,
                                             double value, kith_error *err);

/* The value of that name; NaN if it is none of the table, or a text. */
KITH_API double kith_options_get(const kith_options *o, const char *name);
/* The text of that name; NULL if it is not set, or no text. */
KITH_API const char *kith_options_get_text(const kith_options *o,
                                           const char *name);

/* Threads, memory and progress at once.  What job->user points at must outlive
 * the options. */
KITH_API void kith_options_set_job(kith_options *o, const kith_job *job);

/* Take the choices of a model of the same method, for what the table does not
 * hold; NULL = choose.  It must outlive the options. */
KITH_API void kith_options_set_like(kith_options *o, const kith_model *like);

/* For calls that take a struct; its texts and objects are those of o. */
KITH_API kith_train_options kith_options_train(const kith_options *o);

/* The same options to fit again, on other nodes, what `chosen` has chosen: its
 * parameters, its temperature; nothing is tuned.  Train with the method that
 * kith_model_method(chosen) names; chosen must outlive that. */
KITH_API kith_train_options kith_options_like(const kith_train_options *o,
                                              const kith_model *chosen);

#ifdef __cplusplus
}
#endif
#endif
