/*
 * report_file.h: the HTML report as a file.
 */
#ifndef KITH_CLI_REPORT_FILE_H
#define KITH_CLI_REPORT_FILE_H

#include "cmd_shared.h"

/* Write the page, whole or not at all and with the others of a set, if `with`
 * is not NULL; "-" and NULL are standard output. */
kith_status report_file_write(run *r, const kith_report_input *in,
                              const char *path, kith_outputs *with);

#endif
