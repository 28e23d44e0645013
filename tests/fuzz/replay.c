/*
 * replay.c: main() of a fuzz target that is not linked with libFuzzer.  Feeds
 * the target every file of the folders (or files) given, in order of name:
 *
 *     build/tests/fuzz/fuzz_edgelist tests/fuzz/corpus/edgelist
 *
 * Half of them at least must open, and all that follow an argument "+": a
 * corpus that is refused at its first bytes tests nothing.
 *
 * Output is TAP: one line "ok corpus_edgelist" for all of them; a crash ends
 * the program after "# FILE", the input at fault.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int fed, unreadable, opened;
static bool must_open;

static void refuse(const char *path)
{
    printf("# cannot read '%s': %s\n", path, strerror(errno));
    unreadable++;
}

/* The input is copied to a block of its exact size, so that a sanitizer sees
 * a read beyond its end. */
static void feed_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1);

    if (!f || !bytes || fread(bytes, 1, size, f) != size) {
        refuse(path);
    } else {
        printf("# %s\n", path);
        kith_fuzz_opened = false;
        LLVMFuzzerTestOneInput(bytes, size);
        opened += kith_fuzz_opened;
        if (must_open && !kith_fuzz_opened) {
            printf("# does not open\n");
            unreadable++;
        }
        fed++;
    }
    free(bytes);
    if (f)
        fclose(f);
}

static void feed(const char *path);

static void feed_folder(const char *path)
{
    struct dirent **entries;
    const int n = scandir(path, &entries, NULL, alphasort);
    char inner[4096];

    if (n < 0) {
        refuse(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
            feed(inner);
        }
        free(entries[i]);
    }
    free(entries);
}

static void feed(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        refuse(path);
    else if (S_ISDIR(st.st_mode))
        feed_folder(path);
    else
        feed_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    bool good;

    name = name ? name + 1 : argv[0];
    if (strncmp(name, "fuzz_", 5) == 0)
        name += 5;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "+") == 0)
            must_open = true;
        else
            feed(argv[i]);
    printf("# %d of %d opened\n", opened, fed);
#ifdef KITH_HAVE_ZLIB
    good = fed > 0 && unreadable == 0 && 2 * opened >= fed;
#else /* what is compressed does not */
    good = fed > 0 && unreadable == 0 && opened > 0;
#endif
    printf("%s corpus_%s\n", good ? "ok" : "not ok", name);
    return !good;
}
