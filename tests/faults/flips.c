/*
 * flips FILE OUT MEND HEADER SAMPLE SEED COMMAND...: run a command on copies of
 * a file of sections (a built graph, a model) with one bit flipped in each.
 *
 *   OUT      where a copy goes: the command names it
 *   MEND     1: make the checksums match again, 0: leave them; text: the file
 *            has none, nor sections, and HEADER means nothing
 *   HEADER   every HEADERth bit of header and table, from SEED % HEADER on
 *   SAMPLE   so many bits of the sections, and a few between them
 *
 * In a random order, until the second UNTIL (of date +%s) of the environment.
 *
 * Prints the columns of a row of `make faults`: tried, old (refused), new (went
 * well), mixed (went well where it must not, or failed in another way than by
 * refusing), half, litter, crash, hang.  What is not old or new is told on
 * standard error.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../fuzz/mend.h"

enum { REFUSED = 1, SANITIZER = 99 };

/* Seconds after which a command does not end: of the processor, and, as others
 * may use the machine, too, far more of the clock. */
enum { PROCESSOR = 30, PATIENCE = 300 };

typedef struct flips {
    const char *out;
    char **command;
    int mend, plain; /* plain: a file without sections */
    uint8_t *bytes, *copy;
    size_t size, head; /* head: bytes of header and table */
    long tried, old, new, mixed, crash, hang;
} flips;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void read_file(flips *f, const char *path)
{
    FILE *in = fopen(path, "rb");
    uint32_t sections;

    if (!in || fseek(in, 0, SEEK_END) != 0)
        die(path);
    f->size = (size_t)ftell(in);
    f->bytes = malloc(f->size);
    f->copy = malloc(f->size);
    rewind(in);
    if (!f->bytes || !f->copy || f->size < (f->plain ? 1 : MEND_PAGE) ||
        fread(f->bytes, 1, f->size, in) != f->size)
        die(path);
    fclose(in);
    if (f->plain)
        return;
    memcpy(&sections, f->bytes + MEND_COUNT_AT, 4);
    f->head = MEND_HEADER + MEND_SECTION * (size_t)sections;
}

/* Which section a byte is in; -1: header, -2: between sections. */
static int section_of(const flips *f, size_t at)
{
    uint64_t offset, length;

    if (f->plain)
        return 0;
    if (at < f->head)
        return -1;
    for (int i = 0; MEND_HEADER + MEND_SECTION * (size_t)i < f->head; i++)
        if (mend_range(f->bytes + MEND_HEADER + MEND_SECTION * i, f->size,
                       &offset, &length) &&
            at >= offset && at < offset + length)
            return i;
    return -2;
}

/* Exit status, or a signal as 1000 + it, or -1 if it takes too long. */
static int run(char **command)
{
    const pid_t child = fork();
    const time_t begun = time(NULL);
    int status;

    if (child < 0)
        die("fork");
    if (child == 0) {
        const struct rlimit most = {PROCESSOR, PROCESSOR + 5};
        const int null = open("/dev/null", O_RDWR);

        if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
            dup2(null, 2) < 0 || setrlimit(RLIMIT_CPU, &most) != 0)
            _exit(2);
        execvp(command[0], command);
        _exit(2);
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (time(NULL) - begun > PATIENCE) {
            kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return -1;
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell(const flips *f, size_t bit, const char *what, int code)
{
    fprintf(stderr, "%s: bit %zu, section %d%s:", what, bit,
            section_of(f, bit / 8), f->mend ? ", mended" : "");
    for (char **word = f->command; *word; word++)
        fprintf(stderr, " %s", *word);
    fprintf(stderr, ": %d\n", code);
}

static int run_on_copy(const flips *f)
{
    FILE *out = fopen(f->out, "wb");

    if (!out || fwrite(f->copy, 1, f->size, out) != f->size || fclose(out) != 0)
        die(f->out);
    return run(f->command);
}

/* As it is it must work, or the rest shows nothing. */
static void try_sound(const flips *f)
{
    int code;

    memcpy(f->copy, f->bytes, f->size);
    code = run_on_copy(f);
    if (code != 0) {
        tell(f, 0, "the sound file is refused", code);
        exit(2);
    }
}

static void try_bit(flips *f, size_t bit)
{
    int code;

    memcpy(f->copy, f->bytes, f->size);
    f->copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (f->mend)
        mend(f->copy, f->size);
    code = run_on_copy(f);
    f->tried++;
    if (code == REFUSED) {
        f->old++;
    } else if (code == 0 &&
               (f->mend || f->plain || section_of(f, bit / 8) == -2)) {
        f->new ++;
    } else if (code < 0) {
        f->hang++;
        tell(f, bit, "hang", code);
    } else if (code >= 1000 || code == SANITIZER) {
        f->crash++;
        tell(f, bit, "crash", code);
    } else {
        f->mixed++;
        tell(f, bit, code == 0 ? "not noticed" : "strange end", code);
    }
}

static size_t draw(uint64_t *state, size_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*state >> 33) % below);
}

/* As run.sh wants to know. */
static void tell_left_out(size_t bits)
{
    const char *path = getenv("LEFT_OUT");
    FILE *out = path ? fopen(path, "a") : NULL;

    if (out)
        fprintf(out, "%zu\n", bits);
    if (out)
        fclose(out);
}

/* Bits of the header and of sections, mixed. */
static size_t draw_bits(const flips *f, size_t every, size_t sample,
                        uint64_t state, size_t *bits)
{
    size_t n = 0, all, between = 0;

    for (size_t bit = state % every; bit < f->head * 8; bit += every)
        bits[n++] = bit;
    for (all = n + sample; n < all;) {
        const size_t bit = draw(&state, f->size * 8);

        if (section_of(f, bit / 8) == -2 && between++ >= sample / 20)
            continue;
        bits[n++] = bit;
    }
    for (size_t i = n; i > 1; i--) {
        const size_t j = draw(&state, i), bit = bits[j];

        bits[j] = bits[i - 1];
        bits[i - 1] = bit;
    }
    return n;
}

int main(int argc, char **argv)
{
    const char *until = getenv("UNTIL");
    const time_t end = until ? (time_t)strtol(until, NULL, 10) : 0;
    flips f = {0};
    size_t every, sample, n, *bits;

    if (argc < 8)
        return 2;
    f.out = argv[2];
    f.mend = argv[3][0] == '1';
    f.plain = argv[3][0] == 't';
    f.command = argv + 7;
    every = strtoul(argv[4], NULL, 10);
    sample = strtoul(argv[5], NULL, 10);
    read_file(&f, argv[1]);
    bits = malloc((f.head * 8 + sample) * sizeof(*bits));
    if (!bits || every == 0)
        die("flips");
    try_sound(&f);
    n = draw_bits(&f, every, sample, strtoul(argv[6], NULL, 10), bits);
    for (size_t i = 0; i < n && (i == 0 || end == 0 || time(NULL) < end); i++)
        try_bit(&f, bits[i]);
    tell_left_out(n - (size_t)f.tried);
    free(bits);
    free(f.bytes);
    free(f.copy);
    printf("%ld\t%ld\t%ld\t%ld\t0\t0\t%ld\t%ld\n", f.tried, f.old, f.new,
           f.mixed, f.crash, f.hang);
    return 0;
}
