/*
 * verdict_text.h: what classify and predict came to, in four lines.
 */
#ifndef KITH_CLI_VERDICT_TEXT_H
#define KITH_CLI_VERDICT_TEXT_H

#include <stdio.h>

#include "outcome_text.h"

/* What, of what, how far to trust it, and where it is. */
void verdict_text(FILE *out, const kith_verdict *v, const outcome *o);

/* All of it for programs, on standard output. */
kith_status verdict_json(run *r, const kith_verdict *v, const outcome *o);

#endif
