/*
 * method_options.h: which method, and the numbers it is given: rows for the
 * tables of classify and eval, and what they say.
 */
#ifndef KITH_CLI_METHOD_OPTIONS_H
#define KITH_CLI_METHOD_OPTIONS_H

#include "cmd_shared.h"

/* What classify uses unless told otherwise. */
#define DEFAULT_METHOD "auto"

extern const option method_rows[];

/* The options of training, as the command line says; they last as long as the
 * run. */
kith_status method_options(run *r, kith_train_options *out);

/* The method named; if none is, but a value that only lcm has, lcm; else the
 * default. */
const char *method_wanted(const args *a);

/* The method of that name, NULL if there is none. */
const kith_method_info *method_find(const char *name);

/* Tell that there is no such method, and which there are; EXIT_USAGE. */
int method_unknown(const command *cmd, const char *name);

#endif
