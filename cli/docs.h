/*
 * docs.h: documents written from the command tables, for packagers: man
 * pages, shell completion, a reference page.
 */
#ifndef KITH_CLI_DOCS_H
#define KITH_CLI_DOCS_H

#include <stdio.h>

#include "options.h"

/* Write every man page into a folder; answers the exit status. */
int docs_write_man(const char *folder);

void docs_bash(FILE *out);
void docs_zsh(FILE *out);
void docs_fish(FILE *out);

void docs_markdown(FILE *out);
void docs_parameters(FILE *out);

/* Print text, with `escape` before each character of `special`. */
void docs_escaped(FILE *out, const char *text, const char *special,
                  const char *escape);

#endif
