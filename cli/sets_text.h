/*
 * sets_text.h: sets of classes in a sentence.
 */
#ifndef KITH_CLI_SETS_TEXT_H
#define KITH_CLI_SETS_TEXT_H

#include "outcome_text.h"

enum { SETS_TEXT = 400 };

/* What o->sets (not NULL) are to hold, by what, and how large they are. */
const char *sets_text(const outcome *o, char out[SETS_TEXT]);

#endif
