/*
 * other_value.h: another value of a row of the table of parameters.
 */
#ifndef KITH_OTHER_VALUE_H
#define KITH_OTHER_VALUE_H

#include "check.h"

/* In the row's range, and not `value`. */
static inline double other_value(const kith_option_info *row, double value)
{
    if (row->type == KITH_OPTION_REAL)
        return value > 0 ? value / 2 : .25;
    return value < row->most ? value + 1 : value - 1;
}

#endif
