/*
 * method_options.h: which method, and the numbers it is given: rows for the
 * tables of classify and eval, and what they say.
 */
#ifndef KITH_CLI_METHOD_OPTIONS_H
#define KITH_CLI_METHOD_OPTIONS_H

#include "cmd_shared.h"

/* What classify uses unless told otherwise. */
#define DEFAULT_METHOD "auto"

#define METHOD_GROUP "Parameters (a value given is not tuned)"
#define ROWS_METHOD                                                            \
    {.name = "no-tune",                                                        \
     .group = METHOD_GROUP,                                                    \
     .help = "Tune nothing: what no option names takes its default."},         \
        {.name = "prep",                                                       \
         .type = OPTION_CHOICE,                                                \
         .value = "HOW",                                                       \
         .choices = "none|l2|tfidf|root",                                      \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "Feature preparation: as they are; rows of length 1; columns "    \
             "weighted by rarity, then rows of length 1; fourth roots, then "  \
             "rows of length 1. Untuned: l2."},                                \
        {.name = "smooth",                                                     \
         .type = OPTION_INTEGER,                                               \
         .value = "K",                                                         \
         .least = 0,                                                           \
         .most = 8,                                                            \
         .group = METHOD_GROUP,                                                \
         .help = "Average the features over neighbours K times. Untuned: 2."}, \
        {.name = "penalty",                                                    \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 1e-12,                                                       \
         .most = 1e12,                                                         \
         .group = METHOD_GROUP,                                                \
         .help = "L2 penalty of the logistic regression. Untuned: 0.5."},      \
        {.name = "clamp",                                                      \
         .type = OPTION_CHOICE,                                                \
         .value = "WHETHER",                                                   \
         .choices = "yes|no",                                                  \
         .group = METHOD_GROUP,                                                \
         .help = "Do training nodes keep their label? Untuned: yes."},         \
        {.name = "balance",                                                    \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "Give rare classes more weight: all classes the same in the "     \
             "logistic regression; without features, labels by the square "    \
             "root of that. For logreg, linbp, the lcm methods but lcm-em, "   \
             "and bp with features."},                                         \
        {.name = "iterations",                                                 \
         .type = OPTION_INTEGER,                                               \
         .value = "N",                                                         \
         .least = 1,                                                           \
         .most = 1000,                                                         \
         .group = METHOD_GROUP,                                                \
         .help = "Propagate at most N times; networks: epochs, deepwalk: "     \
                 "walks. Untuned: 100, 200, 10."},                             \
        {.name = "tolerance",                                                  \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 0,                                                           \
         .most = 1,                                                            \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "Stop propagating once no belief changes by more; 0 never stops " \
             "early. Default: 1e-5."},                                         \
        {.name = "damping",                                                    \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 0,                                                           \
         .most = 0.999,                                                        \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "bp: the share that a message keeps of its last value. Default: " \
             "0."},                                                            \
        {.name = "g1",                                                         \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 0,                                                           \
         .most = 1e6,                                                          \
         .group = METHOD_GROUP,                                                \
         .help = "lcm: step size for the edge weights W. Untuned: 0.05."},     \
        {.name = "g2",                                                         \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 0,                                                           \
         .most = 1e6,                                                          \
         .group = METHOD_GROUP,                                                \
         .help = "lcm: step size for the coupling H. Untuned: 0.0005."},       \
        {.name = "lambda",                                                     \
         .type = OPTION_REAL,                                                  \
         .value = "X",                                                         \
         .least = 0,                                                           \
         .most = 1e6,                                                          \
         .group = METHOD_GROUP,                                                \
         .help = "lcm: weight of the consistency term. Untuned: 0.05."},       \
        {.name = "as-written",                                                 \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "lcm: the paper's formulas to the letter: sums in place of "      \
             "averages over training nodes and edges, so that step sizes "     \
             "mean "                                                           \
             "another thing on every graph, and no guard that keeps rho(W) "   \
             "rho(H) below 1."},                                               \
        {.name = "gradient",                                                   \
         .type = OPTION_CHOICE,                                                \
         .value = "WHICH",                                                     \
         .preset = "paper",                                                    \
         .choices = "paper|exact",                                             \
         .group = METHOD_GROUP,                                                \
         .help =                                                               \
             "lcm: the paper's steps, at fixed beliefs; or the gradient of "   \
             "the objective through the fixed point, by L-BFGS, judged on "    \
             "training nodes that potentials were fitted without. g1 and g2 "  \
             "then do not matter."},                                           \
    {                                                                          \
        .name = "coupling", .type = OPTION_CHOICE, .value = "WHICH",           \
        .preset = "centred", .choices = "centred|uncentred",                   \
        .group = METHOD_GROUP,                                                 \
        .help =                                                                \
            "lcm: consistency with H as it is (its rows sum to 0), or with H " \
            "+ 1/C, the paper's other reading."                                \
    }

/* The options of training, as the command line says. */
kith_train_options method_options(const run *r);

/* The method named; if none is, but a value that only lcm has, lcm; else the
 * default. */
const char *method_wanted(const args *a);

/* The method of that name, NULL if there is none. */
const kith_method_info *method_find(const char *name);

/* Tell that there is no such method, and which there are; EXIT_USAGE. */
int method_unknown(const command *cmd, const char *name);

#endif
