/*
 * options.h: commands described by tables.  One table per command drives
 * parsing, --help, the man page, the shell completion and the reference page.
 */
#ifndef KITH_CLI_OPTIONS_H
#define KITH_CLI_OPTIONS_H

#include <kith/kith.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

typedef enum option_type {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_FILE,   /* text; completion offers files */
    OPTION_FOLDER, /* text; completion offers folders */
    OPTION_INTEGER,
    OPTION_REAL,
    OPTION_SIZE, /* bytes: 4G, 512M, 1e9 */
    OPTION_CHOICE,
    OPTION_OF_TABLE /* as the library's table of parameters says */
} option_type;

typedef struct option {
    const char *name;    /* long name without the dashes; NULL ends a table */
    char letter;         /* short name, 0 = none */
    option_type type;    /* what the value is */
    const char *value;   /* name of the value in the help: "FILE" */
    const char *preset;  /* the default, as one would type it; NULL = none */
    const char *choices; /* OPTION_CHOICE: "auto|yes|no" */
    double least, most;  /* numbers: inclusive; both 0 = any */
    const char *group;   /* heading in the help; NULL = "Options" */
    const char *help;
    const char *missing;   /* said if it is not given; NULL = it need not be */
    const char *apart;     /* options that it cannot be used with: "a|b" */
    const char *only_file; /* "a model": what cannot go to standard output */
    const struct option *rows;         /* of ROWS(): what stands here */
    const kith_option_info *parameter; /* set by option_table_fill() */
} option;

/* The name of a row, OPTION_OF_TABLE, that stands for the parameters of all
 * methods. */
#define ALL_PARAMETERS "*"

/* An argument without a name, in its place. */
typedef struct argument {
    const char *name; /* "IN"; NULL ends a table */
    option_type type; /* OPTION_FILE, OPTION_TEXT or OPTION_CHOICE */
    const char *choices;
    bool optional;
    const char *help;
} argument;

typedef struct example {
    const char *line; /* what to type; NULL ends a table */
    const char *shows;
} example;

typedef struct exit_code {
    int code;
    const char *means; /* NULL ends a table */
} exit_code;

typedef struct args args;

typedef struct command {
    const char *name;               /* "graph build" */
    const char *summary;            /* one line, lower case, no full stop */
    const char *const *usage;       /* what follows "kith NAME"; NULL ends */
    const char *const *description; /* paragraphs; NULL ends */
    const argument *arguments;      /* NULL = none */
    const option *options;          /* NULL = none */
    const example *examples;        /* NULL = none */
    const exit_code *exits;         /* NULL = the standard ones */
    bool hidden;                    /* not listed */
    int (*run)(const args *a);      /* answers the exit status; NULL = a group
                                       of commands */
} command;

/* A list of rows, which end with ROW_END: an option that several commands have
 * is written once, in a list, beside what reads it. */
#define ROWS(LIST)                 \
    {                              \
        .name = "", .rows = (LIST) \
    }
#define ROW_END      \
    {                \
        .name = NULL \
    }

extern const option help_rows[];    /* --help */
extern const option running_rows[]; /* and --threads, --quiet */

enum { MAX_OPTIONS = 128, MAX_ARGUMENTS = 8 };

/* All options of a command, with those that the library's table has. */
typedef struct option_table {
    option row[MAX_OPTIONS + 1];
} option_table;

/* Fill *t; cmd may be NULL.  Answers its rows. */
const option *option_table_fill(const command *cmd, option_table *t);

/* What the parser made of a command line. */

typedef struct option_value {
    bool given; /* by the user, not by the table */
    bool set;   /* by the user or the table */
    const char *text;
    int64_t integer; /* also flags (1), sizes and the index of a choice */
    double real;     /* any number */
} option_value;

struct args {
    const command *of;
    option_table table;
    option_value value[MAX_OPTIONS]; /* beside the table */
    const char *plain[MAX_ARGUMENTS];
    int plains;
    bool help; /* --help was among them; the rest is unchecked */
    int words; /* as typed, after the command's name */
    char **word;
};

/*
 * Parse argv[0..argc), the words after the command's name.  Answers EXIT_OK,
 * or EXIT_USAGE after telling the user what is wrong.  Texts in *out point
 * into argv and the table.
 */
int options_parse(const command *cmd, int argc, char **argv, args *out);

/* Values by long name; asking for what the table does not have is a bug. */
bool args_has(const args *a, const char *name); /* in the table? */
bool args_given(const args *a, const char *name);
bool args_flag(const args *a, const char *name);
const char *args_text(const args *a, const char *name); /* NULL if not set */
int64_t args_integer(const args *a, const char *name);  /* 0 if not set */
double args_real(const args *a, const char *name); /* of any number; 0 if not
                                                      set */
int args_choice(const args *a, const char *name);  /* index, 0 = first */
const char *args_plain(const args *a, int index);  /* NULL if not given */

/* Print "kith: ..." and where to find help; answers EXIT_USAGE. */
int usage_error(const command *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Step through "a|b|c": the next word's start and length, false at the end.
 * Start with *at = choices. */
bool choice_next(const char **at, const char **word, size_t *length);
/* Index of text in "a|b|c", -1 if it is not there. */
int choice_find(const char *choices, const char *text);

/* Bytes in "4G", "512M", "1e9"; -1 if it is no size. */
int64_t parse_size(const char *text);

#endif
