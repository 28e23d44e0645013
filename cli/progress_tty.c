#include "progress_tty.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "term.h"

static volatile sig_atomic_t asked;

static volatile sig_atomic_t asked_at; /* milliseconds, of a clock that wraps */

static int milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)((now.tv_sec * 1000 + now.tv_nsec / 1000000) & 0x3fffffff);
}

/* The first signal asks to stop; a later one ends at once.  One within half a
 * second is the same wish again: timeout(1), for one, sends every signal to the
 * program and then to its group. */
static void on_signal(int signal_number)
{
    const int now = milliseconds();

    if (!asked) {
        asked_at = now;
        asked = 1;
        return;
    }
    if (now - asked_at >= 0 && now - asked_at < 500)
        return;
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* takes effect when the handler returns */
}

static void catch_one(int signal_number)
{
    struct sigaction old, ours;

    if (sigaction(signal_number, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
        return;
    memset(&ours, 0, sizeof(ours));
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_RESTART;
    sigemptyset(&ours.sa_mask);
    sigaction(signal_number, &ours, NULL);
}

void interrupt_catch(void)
{
    catch_one(SIGINT);
    catch_one(SIGTERM);
}

bool interrupt_asked(void)
{
    return asked != 0;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(progress_tty *p, bool quiet)
{
    memset(p, 0, sizeof(*p));
    p->shown = !quiet && term_is_live(stderr);
    p->begun = seconds_now();
    p->stage_begun = p->begun;
}

static const char *rate_text(double rate, const char *unit,
                             char out[TERM_NUMBER])
{
    static const char *const scale[] = {"", " k", " M", " G"};
    int k = 0;

    if (strcmp(unit, "bytes") == 0) {
        char bytes[TERM_NUMBER];

        snprintf(out, TERM_NUMBER, "%.20s/s", term_bytes(rate, bytes));
        return out;
    }
    for (; rate >= 1000 && k < 3; k++)
        rate /= 1000;
    snprintf(out, TERM_NUMBER, "%.*f%s %.10s/s", k && rate < 100 ? 1 : 0, rate,
             scale[k], unit);
    return out;
}

/* "0:42", "1:02:03" */
static const char *clock_text(double seconds, char out[TERM_NUMBER])
{
    const int s = (int)fmin(ceil(seconds), 359999);

    if (s >= 3600)
        snprintf(out, TERM_NUMBER, "%d:%02d:%02d", s / 3600, s / 60 % 60,
                 s % 60);
    else
        snprintf(out, TERM_NUMBER, "%d:%02d", s / 60, s % 60);
    return out;
}

static void draw(progress_tty *p, const kith_progress *step, double now)
{
    const double passed = now - p->stage_begun;
    const double rate = passed > 0
                            ? (double)(step->done - p->stage_from) / passed
                            : 0;
    const char *unit = step->unit ? step->unit : "";
    char line[160], number[TERM_NUMBER];
    const size_t room = sizeof(line);
    size_t used = (size_t)snprintf(line, room, "%-12.31s", p->stage);

    if (step->total > 0)
        used += (size_t)snprintf(
            line + used, room - used, " %3.0f%%",
            floor(100.0 * (double)step->done / (double)step->total));
    if (rate > 0)
        used += (size_t)snprintf(line + used, room - used, "  %s",
                                 rate_text(rate, unit, number));
    if (rate > 0 && step->total > step->done)
        used += (size_t)snprintf(
            line + used, room - used, "  %s left",
            clock_text((double)(step->total - step->done) / rate, number));
    if ((int)used >= term_width(stderr)) /* never wrap: \r would not undo it */
        line[term_width(stderr) - 1] = '\0';
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    p->drawn = true;
    p->last_draw = now;
}

int progress_step(void *user, const kith_progress *step)
{
    progress_tty *p = user;
    const char *stage = step->stage ? step->stage : "";
    double now;

    if (p->shown) {
        now = seconds_now();
        if (strncmp(stage, p->stage, sizeof(p->stage) - 1) != 0) {
            snprintf(p->stage, sizeof(p->stage), "%s", stage);
            p->stage_begun = now;
            p->stage_from = step->done;
        }
        if (now - p->begun >= 1 && now - p->last_draw >= 1.0 / 6)
            draw(p, step, now);
    }
    return interrupt_asked();
}

void progress_end(progress_tty *p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->drawn = false;
}
