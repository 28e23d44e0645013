/*
 * page.h: the HTML around the data.
 */
#ifndef KITH_REPORT_PAGE_H
#define KITH_REPORT_PAGE_H

#include "core/status.h"
#include "io/json_writer.h"

/* All before the body's contents: policy, style and a title that holds no
 * markup. */
void kith__page_head(kith__json *j, const char *title);

/* The same, up to the data that the script draws. */
void kith__page_begin(kith__json *j);

/* Close the page and hand it over; j is released either way. */
kith_status kith__page_end(kith__json *j, char **html, size_t *length,
                           kith_error *err);

#endif
