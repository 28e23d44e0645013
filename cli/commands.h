/*
 * commands.h: every command there is, in the order the help lists them.  A
 * new command is a cmd_<name>.c with its table, and a line here and in
 * commands.c.
 */
#ifndef KITH_CLI_COMMANDS_H
#define KITH_CLI_COMMANDS_H

#include "options.h"

extern const command cmd_classify;
extern const command cmd_predict;
extern const command cmd_explain;
extern const command cmd_rank;
extern const command cmd_suggest;
extern const command cmd_report;
extern const command cmd_card;
extern const command cmd_eval;
extern const command cmd_paper;
extern const command cmd_methods;
extern const command cmd_graph;
extern const command cmd_graph_build;
extern const command cmd_graph_info;
extern const command cmd_graph_convert;
extern const command cmd_graph_generate;
extern const command cmd_bench;
extern const command cmd_docs;
extern const command cmd_docs_man;
extern const command cmd_docs_completion;
extern const command cmd_docs_markdown;
extern const command cmd_docs_parameters;

extern const command *const all_commands[]; /* NULL ends */

/*
 * The command named by the first words of argv; *used of them.  NULL if the
 * first word names none.
 */
const command *command_find(int argc, char **argv, int *used);

/* Words in a command's name. */
int command_words(const command *cmd);

/* Is cmd directly under group ("graph build" under "graph")?  Under NULL are
 * the names of one word. */
bool command_under(const command *cmd, const command *group);

/* The last word of its name. */
const char *command_last_word(const command *cmd);

/* The exit codes of a command, the standard ones if it names none. */
const exit_code *command_exits(const command *cmd);

/* The command, of those under group, most like the word typed; or NULL. */
const command *command_nearest(const command *group, const char *typed);

#endif
