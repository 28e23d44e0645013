/*
 * params.c: the table of parameters.  All that lists parameters reads it: the
 * command's options, --json, model files, the keys of checkpoints, reports,
 * docs/parameters.md.  A new parameter is a field of kith_params, a row here
 * with the next slot, and its use in the method.  Its default must be what
 * models did before: files that lack it stand for that.
 */
#include "models/params.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

#define IN_PARAMS(FIELD, SLOT)                                         \
    .key = #FIELD, .slot = (SLOT), .at = offsetof(kith_params, FIELD), \
    .size = sizeof(((kith_params *)0)->FIELD)
#define IN_OPTIONS(FIELD, KEY)                                     \
    .key = (KEY), .slot = -1, .at = offsetof(kith_options, FIELD), \
    .size = sizeof(((kith_options *)0)->FIELD)

#define INTEGER(LEAST, MOST) \
    .type = KITH_OPTION_INTEGER, .least = (LEAST), .most = (MOST)
#define REAL(LEAST, MOST) \
    .type = KITH_OPTION_REAL, .least = (LEAST), .most = (MOST)
#define ANY    REAL(0, HUGE_VAL), .below = true /* from 0 */
#define SHARE  REAL(0, 1), .below = true        /* from 0 to below 1 */
#define FLAG   .type = KITH_OPTION_FLAG, .most = 1
#define CHOICE .type = KITH_OPTION_CHOICE
#define PREPS  "none|l2|tfidf|root"

#define LCM     "lcm lcm-wo lcm-l1 lcm-l2"
#define SPREADS "linbp bp " LCM
#define EPOCHS  "gcn appnp cheb sage gat semiemb planetoid planetoid-i"

static const kith_option_info table[] = {
    {.name = "prep",
     IN_PARAMS(prep, 0),
     CHOICE,
     .most = KITH_PREP_ROOT,
     .choices = PREPS,
     .preset = KITH_PREP_L2,
     .group = KITH_GROUP_POTENTIALS,
     .fix = KITH_FIX_PREP,
     .features = true,
     .methods = "logreg " SPREADS,
     .title = "prep",
     .help = "Feature preparation: as they are; rows of length 1; columns "
             "weighted by rarity, then rows of length 1; fourth roots, then "
             "rows of length 1."},
    {.name = "smooth",
     IN_PARAMS(smooth, 1),
     INTEGER(0, 8),
     .preset = 2,
     .group = KITH_GROUP_POTENTIALS,
     .fix = KITH_FIX_SMOOTH,
     .features = true,
     .methods = "logreg " SPREADS,
     .title = "smooth",
     .help = "Average the features over neighbours so many times."},
    {.name = "penalty",
     IN_PARAMS(penalty, 2),
     ANY,
     .above = true,
     .preset = .5,
     .group = KITH_GROUP_POTENTIALS,
     .fix = KITH_FIX_PENALTY,
     .features = true,
     .methods = "logreg " SPREADS,
     .title = "penalty",
     .help = "L2 penalty of the logistic regression."},
    {.name = "clamp",
     IN_PARAMS(clamp, 3),
     FLAG,
     .choices = "no|yes",
     .preset = true,
     .group = KITH_GROUP_POTENTIALS,
     .fix = KITH_FIX_CLAMP,
     .methods = SPREADS,
     .title = "clamp (training nodes keep their label)",
     .help = "Do training nodes keep their label?"},
    {.name = "balance",
     IN_PARAMS(balance, 4),
     FLAG,
     .group = KITH_GROUP_POTENTIALS,
     .methods = "logreg trees lcm-trees " SPREADS,
     .help = "Give rare classes more weight: all classes the same in the "
             "logistic regression; without features, labels by the square "
             "root of that. For logreg, trees, lcm-trees, linbp, the lcm "
             "methods but lcm-em, "
             "and bp with features."},
    {.name = "iterations",
     IN_PARAMS(iterations, 5),
     INTEGER(1, 1000),
     .preset = 100,
     .group = KITH_GROUP_PROPAGATION,
     .fix = KITH_FIX_ITERATIONS,
     .methods = SPREADS " lp " EPOCHS " deepwalk trees lcm-trees",
     .title = "iterations at most",
     .help = "Propagate at most so many times. Of networks: epochs, untuned "
             "200; of deepwalk: walks, 10; of lp: at most, 1000; of trees: "
             "rounds, 100."},
    {.name = "tolerance",
     IN_PARAMS(tolerance, 6),
     ANY,
     .preset = 1e-5,
     .group = KITH_GROUP_PROPAGATION,
     .methods = SPREADS " lp",
     .title = "tolerance",
     .help = "Stop propagating once no belief changes by more; 0 never stops "
             "early."},
    {.name = "damping",
     IN_PARAMS(damping, 7),
     SHARE,
     .group = KITH_GROUP_PROPAGATION,
     .methods = "bp",
     .title = "damping",
     .help = "bp: the share that a message keeps of its last value."},
    {.name = "g1",
     IN_PARAMS(g1, 8),
     ANY,
     .preset = .05,
     .group = KITH_GROUP_LEARNING,
     .fix = KITH_FIX_G1,
     .paper_only = true,
     .methods = LCM,
     .title = "g1 (step for the weights)",
     .help = "lcm: step size for the edge weights W."},
    {.name = "g2",
     IN_PARAMS(g2, 9),
     ANY,
     .preset = .0005,
     .group = KITH_GROUP_LEARNING,
     .fix = KITH_FIX_G2,
     .paper_only = true,
     .methods = LCM,
     .title = "g2 (step for the coupling)",
     .help = "lcm: step size for the coupling H."},
    {.name = "lambda",
     IN_PARAMS(lambda, 10),
     ANY,
     .preset = .05,
     .group = KITH_GROUP_LEARNING,
     .fix = KITH_FIX_LAMBDA,
     .methods = LCM,
     .title = "lambda (consistency)",
     .help = "lcm: weight of the consistency term."},
    {.name = "outer",
     IN_PARAMS(outer, 11),
     INTEGER(0, 1000),
     .preset = 4,
     .group = KITH_GROUP_LEARNING,
     .methods = LCM,
     .help = "lcm: how often beliefs and steps alternate."},
    {.name = "inner",
     IN_PARAMS(inner, 12),
     INTEGER(0, 1000),
     .preset = 4,
     .group = KITH_GROUP_LEARNING,
     .methods = LCM,
     .help = "lcm: gradient steps in each alternation."},
    {.name = "as-written",
     IN_PARAMS(as_written, 13),
     FLAG,
     .group = KITH_GROUP_LEARNING,
     .paper_only = true,
     .methods = LCM,
     .title = "as written in the paper",
     .help = "lcm: the paper's formulas to the letter: sums in place of "
             "averages over training nodes and edges, so that step sizes "
             "mean another thing on every graph, and no guard that keeps "
             "rho(W) rho(H) below 1."},
    {.name = "coupling",
     IN_PARAMS(uncentred, 14),
     FLAG,
     .choices = "centred|uncentred",
     .group = KITH_GROUP_LEARNING,
     .methods = LCM,
     .title = "coupling in the consistency",
     .help = "lcm: consistency with H as it is (its rows sum to 0), or with H "
             "+ 1/C, the paper's other reading."},
    {.name = "gradient",
     IN_PARAMS(gradient, 16),
     CHOICE,
     .most = KITH_GRADIENT_EXACT,
     .choices = "paper|exact",
     .group = KITH_GROUP_LEARNING,
     .methods = LCM,
     .help = "lcm: the paper's steps, at fixed beliefs; or the gradient of "
             "the objective through the fixed point, by L-BFGS, judged on "
             "training nodes that potentials were fitted without. g1 and g2 "
             "then do not matter."},
    {.name = "bound",
     IN_PARAMS(bound, 15),
     SHARE,
     .above = true,
     .preset = .95,
     .group = KITH_GROUP_LEARNING,
     .methods = LCM,
     .help = "lcm: rho(W) rho(H) is kept below it, so that propagation "
             "converges."},
    {.name = "prevalence",
     IN_PARAMS(prevalence, 17),
     SHARE,
     .group = KITH_GROUP_TUNING,
     .help = "Share of positives among nodes whose label is unknown; 0: not "
             "known. Positive is the class that rank looks for, where labels "
             "are of one class that class, else the last. Of two classes it "
             "shifts the probabilities, the rarer one counting as positive."},

    {.name = "optimise",
     IN_PARAMS(optimise, 18),
     CHOICE,
     .most = KITH_OPTIMISE_MACRO_F1,
     .choices = "log-loss|accuracy|auc|ap|macro-f1",
     .group = KITH_GROUP_TUNING,
     .help = "What choices are made by on the validation nodes (ap: average "
             "precision; auc and ap of two classes: of the rarer). The default "
             "of a parameter is left only for what is better by more than its "
             "standard error, node by node."},
    {.name = "calibrate",
     IN_PARAMS(calibrate, 19),
     CHOICE,
     .most = KITH_CALIBRATE_SHARE,
     .choices = "auto|temperature|share",
     .group = KITH_GROUP_TUNING,
     .methods = SPREADS " lp auto",
     .help = "Where labels are all that is known, probabilities by one "
             "temperature of the beliefs, by the share of each class in the "
             "mass that reaches a node, or by whichever has the less log-loss "
             "on nodes that it was not fitted to. Other methods have a "
             "temperature."},
    {.name = "no-tune",
     IN_OPTIONS(no_tune, "no_tune"),
     FLAG,
     .group = KITH_GROUP_TUNING,
     .help = "Tune nothing: what no option names takes its default."},
    {.name = "fit",
     IN_OPTIONS(train.fit, "fit"),
     CHOICE,
     .most = KITH_FIT_TRAIN_VAL,
     .choices = "train|train+val",
     .preset = KITH_FIT_TRAIN_VAL,
     .group = KITH_GROUP_TUNING,
     .methods = "auto lcm-em",
     .help = "Whose labels what is fitted may see: with train, those of "
             "validation nodes choose and calibrate alone; with train+val "
             "they also enter the coupling that lcm-em fits. kith eval and "
             "kith paper take train unless it is given."},
    {.name = "coverage",
     IN_OPTIONS(train.coverage, "coverage"),
     SHARE,
     .group = KITH_GROUP_TUNING,
     .help = "Also give each node the smallest set of classes, such that sets "
             "hold the truth for this share of nodes; 0: no sets. This holds "
             "as far as the nodes calibrated on are like those asked about "
             "(exchangeable): the validation nodes, whose labels then enter "
             "no fit, or else the training nodes, each by a model of the "
             "other four fifths."},
    {.name = "temperature",
     IN_OPTIONS(train.temperature, "temperature"),
     ANY,
     .group = KITH_GROUP_TUNING,
     .help = "Of the probabilities; 0: fitted on the validation nodes, 1 if "
             "there are none."},
    {.name = "hold-out",
     IN_OPTIONS(hold_out, "hold_out"),
     REAL(0, .9),
     .preset = .2,
     .group = KITH_GROUP_TUNING,
     .help = "Share of each class to hold out for tuning where nothing else "
             "names such nodes; 0 for no tuning."},
    {.name = "seed",
     IN_OPTIONS(seed, "seed"),
     INTEGER(0, 9e15),
     .preset = 1,
     .group = KITH_GROUP_TUNING,
     .help = "Chooses the nodes that are held out."},
    {.name = "threads",
     IN_OPTIONS(train.job.threads, "threads"),
     INTEGER(0, 1024),
     .group = KITH_GROUP_RUNNING,
     .neutral = true,
     .help = "How many; 0: all that the machine has."},
    {.name = "memory",
     IN_OPTIONS(train.job.memory, "memory"),
     INTEGER(0, 9e15),
     .group = KITH_GROUP_RUNNING,
     .neutral = true,
     .help = "Bytes that may be used; 0: no limit. Last digits may depend on "
             "it: learnt weights are written out where there is room."},
    {.name = "checkpoint",
     IN_OPTIONS(checkpoint, "checkpoint"),
     .type = KITH_OPTION_TEXT,
     .group = KITH_GROUP_RUNNING,
     .neutral = true,
     .help = "A file: go on from it if it is there, and keep it up to date."},
};

enum { ROWS = sizeof(table) / sizeof(*table) };

_Static_assert((int)ROWS <= (int)KITH__PARAMS_MOST, "arrays are of that size");
_Static_assert(sizeof(kith_prep) == sizeof(int32_t) &&
                   sizeof(kith_gradient) == sizeof(int32_t) &&
                   sizeof(kith_fit) == sizeof(int32_t) &&
                   sizeof(kith_optimise) == sizeof(int32_t) &&
                   sizeof(kith_calibrate) == sizeof(int32_t),
               "read as numbers");

const kith_option_info *kith_option_list(int *count)
{
    *count = ROWS;
    return table;
}

const kith_option_info *kith_option_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const kith_option_info *kith__param_at_slot(int slot)
{
    for (int i = 0; i < ROWS; i++)
        if (table[i].slot == slot)
            return &table[i];
    return NULL;
}

bool kith_option_belongs(const kith_option_info *row, const char *method)
{
    const size_t length = strlen(method);
    const char *at = row->methods;

    while (at && *at) {
        const size_t word = strcspn(at, " ");

        if (word == length && memcmp(at, method, length) == 0)
            return true;
        at += word + (at[word] != '\0');
    }
    return !row->methods;
}

/* ---- values as text ------------------------------------------------------ */

/* The words of a choice or flag; NULL if it is neither. */
static const char *words_of(const kith_option_info *row)
{
    return row->choices                    ? row->choices
           : row->type == KITH_OPTION_FLAG ? "no|yes"
                                           : NULL;
}

const char *kith_option_text(const kith_option_info *row, double value,
                             char out[KITH_OPTION_BUFFER])
{
    const char *word = words_of(row);

    if (!word) {
        kith__print(out, KITH_OPTION_BUFFER, "%g", value);
        return out;
    }
    for (int i = 0; i < (int)value; i++)
        word += strcspn(word, "|") + 1;
    kith__print(out, KITH_OPTION_BUFFER, "%.*s", (int)strcspn(word, "|"), word);
    return out;
}

/* The index of a word, or -1. */
static int word_index(const char *words, const char *text)
{
    const size_t length = strlen(text);

    for (int i = 0;; i++) {
        const size_t word = strcspn(words, "|");

        if (word == length && memcmp(words, text, length) == 0)
            return i;
        if (!words[word])
            return -1;
        words += word + 1;
    }
}

/* All of the text as a decimal number. */
static bool read_number(const char *text, double *value)
{
    const size_t length = strlen(text);

    return strspn(text, "+-.0123456789eE") == length &&
           kith__parse_real(text, length, value);
}

bool kith_option_read(const kith_option_info *row, const char *text,
                      double *value)
{
    const char *words = words_of(row);

    if (row->type == KITH_OPTION_TEXT)
        return false;
    if (!words)
        return read_number(text, value) && kith__param_accepts(row, *value);
    *value = word_index(words, text);
    return *value >= 0;
}

const char *kith_option_expects(const kith_option_info *row, char *out,
                                size_t size)
{
    const char *what = row->type == KITH_OPTION_REAL ? "a number"
                                                     : "a whole number";

    if (row->type == KITH_OPTION_TEXT)
        kith__print(out, size, "a text");
    else if (words_of(row))
        kith__print(out, size, "one of %s", words_of(row));
    else if (!row->above && !row->below)
        kith__print(out, size, "%s from %.12g to %.12g", what, row->least,
                    row->most);
    else if (isinf(row->most))
        kith__print(out, size, "%s, %s %g", what,
                    row->above ? "above" : "at least", row->least);
    else
        kith__print(out, size, "%s, %s %g and below %g", what,
                    row->above ? "above" : "at least", row->least, row->most);
    return out;
}

/* ---- values where they are kept ------------------------------------------ */

bool kith__param_accepts(const kith_option_info *row, double value)
{
    return (row->above ? value > row->least : value >= row->least) &&
           (row->below ? value < row->most : value <= row->most) &&
           (row->type == KITH_OPTION_REAL || value == floor(value));
}

double kith__param_load(const void *object, const kith_option_info *row)
{
    const char *from = (const char *)object + row->at;
    double real;
    int64_t wide;
    int32_t whole;
    bool flag;

    if (row->type == KITH_OPTION_REAL) {
        memcpy(&real, from, sizeof(real));
        return real;
    }
    if (row->type == KITH_OPTION_FLAG) {
        memcpy(&flag, from, sizeof(flag));
        return flag;
    }
    if (row->size == sizeof(wide)) {
        memcpy(&wide, from, sizeof(wide));
        return (double)wide;
    }
    memcpy(&whole, from, sizeof(whole));
    return whole;
}

void kith__param_store(void *object, const kith_option_info *row, double value)
{
    char *to = (char *)object + row->at;

    if (row->type == KITH_OPTION_REAL)
        memcpy(to, &value, sizeof(value));
    else if (row->type == KITH_OPTION_FLAG)
        memcpy(to, &(bool){value != 0}, sizeof(bool));
    else if (row->size == sizeof(int64_t))
        memcpy(to, &(int64_t){(int64_t)value}, sizeof(int64_t));
    else
        memcpy(to, &(int32_t){(int32_t)value}, sizeof(int32_t));
}

double kith_params_get(const kith_params *p, const kith_option_info *row)
{
    return row->slot < 0 ? 0 : kith__param_load(p, row);
}

/* ---- all of them --------------------------------------------------------- */

void kith_params_init(kith_params *p)
{
    *p = (kith_params){0};
    for (int i = 0; i < ROWS; i++)
        if (table[i].slot >= 0)
            kith__param_store(p, &table[i], table[i].preset);
}

kith_status kith__params_check(const kith_params *p, kith_error *err)
{
    for (int i = 0; i < ROWS; i++)
        if (table[i].slot >= 0 &&
            !kith__param_accepts(&table[i], kith_params_get(p, &table[i])))
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "%s is %g, which is out of range", table[i].name,
                              kith_params_get(p, &table[i]));
    return KITH_OK;
}

int kith__params_key(const kith_params *p, double out[KITH__PARAMS_MOST])
{
    const kith_option_info *row;
    int n = 0;

    for (int slot = 0; (row = kith__param_at_slot(slot)); slot++)
        if (!row->neutral)
            out[n++] = kith_params_get(p, row);
    return n;
}

const char *kith__prep_name(kith_prep prep, char out[KITH_OPTION_BUFFER])
{
    return kith_option_text(kith__param_at_slot(0), prep, out);
}

bool kith__prep_find(const char *name, kith_prep *out)
{
    double value;
    const bool found = kith_option_read(kith__param_at_slot(0), name, &value);

    *out = found ? (kith_prep)value : KITH_PREP_NONE;
    return found;
}
