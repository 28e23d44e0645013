/*
 * name_list.h: lists on the command line: "a,b,c", and "paper-0..4" for
 * paper-0, paper-1 and so on to paper-4.
 */
#ifndef KITH_CLI_NAME_LIST_H
#define KITH_CLI_NAME_LIST_H

#include <stdbool.h>

typedef struct name_list {
    char **name;
    int count;
} name_list;

typedef enum name_list_status {
    NAMES_OK,
    NAMES_EMPTY,    /* a name is empty: "a,,b" */
    NAMES_BACKWARD, /* "4..0", or more than 10,000 names */
    NAMES_NO_MEMORY
} name_list_status;

/* Parts between commas; with `ranges` a number, two dots and a number at the
 * end of one stand for all from the first to the second. */
name_list_status name_list_read(const char *text, bool ranges, name_list *out);
void name_list_release(name_list *l);

#endif
