/*
 * main.c: find the command, parse its words, run it.
 */
#include <errno.h>
#include <fcntl.h>
#include <kith/kith.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "progress_tty.h"
#include "term.h"

/* Data that did not arrive is no success; a reader that left early needs no
 * telling. */
static int finish_stdout(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno != EPIPE)
        term_line(stderr, "kith: standard output: cannot write%s%s",
                  errno ? ": " : "", errno ? strerror(errno) : "");
    return code == EXIT_OK ? EXIT_FAILED : code;
}

static int version(void)
{
    const char *built = kith_features_built();
    int length = (int)strlen(built);

    while (length > 0 && built[length - 1] == ' ')
        length--;
    printf("kith %s\nbuilt with: %.*s\n", kith_version(), length ? length : 4,
           length ? built : "none");
    return EXIT_OK;
}

static int unknown_command(const command *group, const char *word)
{
    const command *meant = command_nearest(group, word);
    const char *lead = group ? group->name : "";
    const char *gap = group ? " " : "";

    if (meant)
        return usage_error(group,
                           "unknown command '%s%s%s'; did you mean '%s'?", lead,
                           gap, word, meant->name);
    return usage_error(group, "unknown command '%s%s%s'", lead, gap, word);
}

/* kith help [COMMAND...] */
static int help_command(int argc, char **argv)
{
    int used;
    const command *cmd = command_find(argc, argv, &used);

    if (used < argc && argv[used][0] != '-')
        return unknown_command(cmd, argv[used]);
    help_print(stdout, cmd);
    return EXIT_OK;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Words that follow no command that can be run: `kith`, `kith graph`. */
static int without_command(const command *group, int argc, char **argv)
{
    if (argc == 0) {
        help_print(stderr, group);
        return EXIT_USAGE;
    }
    if (is_help(argv[0])) {
        help_print(stdout, group);
        return EXIT_OK;
    }
    if (argv[0][0] == '-')
        return usage_error(group, "unknown option '%s' before a command",
                           argv[0]);
    return unknown_command(group, argv[0]);
}

/* Cores that this program may run on. */
static int cores(void)
{
    cpu_set_t all;

    return sched_getaffinity(0, sizeof(all), &all) == 0 ? CPU_COUNT(&all) : 0;
}

/*
 * How threads wait and where they run is read from the environment as the
 * program is loaded (libgomp's way): so set it and start again, unless the user
 * has chosen.
 *
 * Waiting threads spin for milliseconds, which on a busy machine keeps those
 * that work from running: we saw a hundredfold.  And with a thread for every
 * core, each gets its own: we saw schedulers leave two on one core for tens of
 * milliseconds while another was idle.
 */
static void settle_threads(const args *a, char **argv)
{
    static const char *const chosen[] = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY",
                                         "OMP_PROC_BIND", "OMP_PLACES",
                                         "GOMP_CPU_AFFINITY"};
    int64_t threads;

    if (!args_has(a, "threads"))
        return;
    for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++)
        if (getenv(chosen[i]))
            return;
    threads = args_integer(a, "threads");
    if (setenv("GOMP_SPINCOUNT", "10000", 1) != 0)
        return;
    if (cores() > 1 && (threads == 0 || threads == cores()))
        (void)setenv("OMP_PROC_BIND", "true", 1);
    (void)execv("/proc/self/exe", argv); /* if that fails, go on as we are */
}

/* argv: the whole command line. */
static int dispatch(int argc, char **argv)
{
    char **const whole = argv;
    const command *cmd;
    int used, code;
    args a;

    argc--;
    argv++;
    cmd = command_find(argc, argv, &used);
    if (argc > 0 && strcmp(argv[0], "help") == 0)
        return help_command(argc - 1, argv + 1);
    if (argc > 0 &&
        (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0))
        return version();
    if (!cmd || !cmd->run)
        return without_command(cmd, argc - used, argv + used);
    code = options_parse(cmd, argc - used, argv + used, &a);
    if (code != EXIT_OK)
        return code;
    if (a.help) {
        help_print(stdout, cmd);
        return EXIT_OK;
    }
    settle_threads(&a, whole);
    return cmd->run(&a);
}

/* If the caller closed a standard stream, a file opened later must not take
 * its number.  Opened the wrong way round, so that its use fails. */
static void fill_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Threads get as much stack as the program, and one that is too small ends it
 * without a word. */
static bool stack_is_enough(void)
{
    const rlim_t least = (rlim_t)1 << 20;
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least)
        return true;
    term_line(stderr,
              "kith: the stack is limited to %llu KiB, expected at least %llu "
              "(ulimit -s)",
              (unsigned long long)stack.rlim_cur / 1024,
              (unsigned long long)least / 1024);
    return false;
}

int main(int argc, char **argv)
{
    fill_closed_streams();
    if (!stack_is_enough())
        return EXIT_FAILED;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, no crash */
    signal(SIGXFSZ, SIG_IGN); /* so is a file that grows too large */
    interrupt_catch();
    return finish_stdout(dispatch(argc, argv));
}
