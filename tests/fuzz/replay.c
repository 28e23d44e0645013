/*
 * replay.c: main() of a fuzz target that is not linked with libFuzzer.  Feeds
 * the target every file of the folders (or files) given, in order of name:
 *
 *     build/tests/fuzz/fuzz_edgelist tests/fuzz/corpus/edgelist
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int fed, unreadable;

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
        LLVMFuzzerTestOneInput(bytes, size);
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

    name = name ? name + 1 : argv[0];
    if (strncmp(name, "fuzz_", 5) == 0)
        name += 5;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        feed(argv[i]);
    if (fed == 0)
        printf("# no input was found\n");
    printf("%s corpus_%s\n", fed > 0 && unreadable == 0 ? "ok" : "not ok",
           name);
    return fed == 0 || unreadable > 0;
}
