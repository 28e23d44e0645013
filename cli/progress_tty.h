/*
 * progress_tty.h: progress of long work as one line on the terminal, and the
 * way out of it: Ctrl-C and SIGTERM.
 */
#ifndef KITH_CLI_PROGRESS_TTY_H
#define KITH_CLI_PROGRESS_TTY_H

#include <kith/kith.h>

typedef struct progress_tty {
    bool shown;   /* stderr is a terminal and the user wants to see */
    bool drawn;   /* something stands on the line */
    double begun; /* seconds on the monotonic clock */
    double last_draw;
    char stage[32];
    double stage_begun;
    int64_t stage_from; /* done when the stage was first seen */
} progress_tty;

void progress_begin(progress_tty *p, bool quiet);

/* A kith_progress_fn; user is a progress_tty.  Draws after one second, six
 * times a second at most; answers nonzero once the user asked to stop. */
int progress_step(void *user, const kith_progress *step);

/* Clear the line.  May be called more than once. */
void progress_end(progress_tty *p);

/* From now on the first SIGINT or SIGTERM asks the work to stop, the second
 * ends the process at once.  Signals that were ignored stay ignored. */
void interrupt_catch(void);
bool interrupt_asked(void);

double seconds_now(void); /* monotonic */

#endif
