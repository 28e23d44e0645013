/*
 * help.h: what --help prints, laid out from the command tables.
 */
#ifndef KITH_CLI_HELP_H
#define KITH_CLI_HELP_H

#include <stdio.h>

#include "options.h"

/* The page of a command or a group; of all commands if cmd is NULL. */
void help_print(FILE *stream, const command *cmd);

/* What `kith` is, in paragraphs; NULL ends.  Shared with the man page. */
extern const char *const kith_about[];
extern const example kith_examples[];

/* The heading an option stands under. */
const char *option_group(const option *o);

/* Is this the first option of its table with its group? */
bool option_opens_group(const option *table, const option *o);

/* The help of an option with its default and choices, as one paragraph. */
const char *option_text(const option *o, char *out, size_t size);

#endif
