/*
 * cleaning_text.h: what reading an input met and mended, as a table.
 */
#ifndef KITH_CLI_CLEANING_TEXT_H
#define KITH_CLI_CLEANING_TEXT_H

#include <kith/kith.h>
#include <stdio.h>

/* Did anything get read at all?  A built file may carry no such counts. */
bool cleaning_known(const kith_cleaning *c);

void cleaning_print(FILE *stream, const kith_cleaning *c);

#endif
