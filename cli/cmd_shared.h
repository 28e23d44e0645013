/*
 * cmd_shared.h: what the commands share: running a job under progress and
 * interrupts, names of files, reporting.
 */
#ifndef KITH_CLI_CMD_SHARED_H
#define KITH_CLI_CMD_SHARED_H

#include <kith/kith.h>

#include "name_list.h"
#include "options.h"
#include "progress_tty.h"

/* A command on its way. */
typedef struct run {
    const args *a;
    bool quiet;
    bool terminal; /* standard output is one */
    double begun;
    progress_tty tty;
    kith_job job;             /* threads, memory, progress; points at tty */
    kith_options *options;    /* of a training; NULL until they are asked for */
    kith_table_options table; /* of reading_options() */
    char *asked[2];           /* labels and features of a database */
    kith_error err;
} run;

/* Start from --threads, --memory and --quiet, as far as the table has them. */
void run_begin(run *r, const args *a);

/* End: clear the progress line, tell of a failure; answers the exit status. */
int run_end(run *r, kith_status st);

/* Fail: "path: text" (path may be NULL) is what run_end() tells.  Answers
 * st. */
kith_status run_fail(run *r, kith_status st, const char *path,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
kith_status run_no_memory(run *r);
/* KITH_ERR_CANCELLED once the user asked to stop. */
kith_status run_cancelled(void);

/* Three quarters of the machine's memory: the default of --memory; 0 if
 * unknown. */
int64_t most_memory(void);

/* Rows of what a command writes, of which the help differs. */
#define ROW_OUTPUT(HELP)                                                       \
    {                                                                          \
        .name = "output", .letter = 'o', .type = OPTION_FILE, .value = "FILE", \
        .help = HELP                                                           \
    }

extern const option json_rows[];    /* --json */
extern const option telling_rows[]; /* --verbose and --json */
extern const option table_rows[];   /* of tables of predictions */

/* The class that is looked for, and the number that it has among the labels;
 * KITH_POSITIVE_AUTO if it is not given. */
extern const option positive_rows[];
const char *positive_wanted(const args *a); /* its name; NULL if not given */
kith_status find_positive(run *r, const kith_labels *l, int32_t *out);

/* Refuse --json where the table, too, goes to standard output; an exit
 * status. */
int check_stdout(const args *a);

/* Does the name end in `ending`, before a .gz or .zst? */
bool name_ends(const char *name, const char *ending);

bool ends_in_slash(const char *name); /* which is not empty */
/* Folders are made only of names that cannot be a slip in a file's: without a
 * dot, with a slash at the end, or of a folder that is there. */
bool may_be_folder(const char *name);

/* The size of a regular file, -1 if it is none. */
int64_t file_size(const char *path);
bool is_folder(const char *path);

/* The last part of a path, without slashes at its end: its start, *length. */
const char *base_name(const char *path, size_t *length);

/* The name of an input in a report: its last part, or "standard input". */
const char *input_name(const char *path, char *out, size_t size);

/* Can a file be written there, as far as one can tell before the work? */
kith_status check_output(run *r, const char *path);

/* ", "-separated parts of a sentence: call with the text so far. */
void summary_add(char *line, size_t size, int64_t n, const char *one,
                 const char *many);

/* The command as it was typed, quoted for a shell, but for what its result does
 * not depend on: --threads, --quiet, --output.  Cut at size. */
void command_typed(const args *a, char *out, size_t size);

/* The list that an option gives; what is wrong with it is told, as is the exit
 * status. */
int args_names(const args *a, const char *name, bool ranges, name_list *out);

#endif
