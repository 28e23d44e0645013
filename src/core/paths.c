/*
 * paths.c: which paths are no names of files.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/status.h"

/* The number that all of text is, -1 if it is none. */
static int small_number(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 9 || text[digits])
        return -1;
    return (int)strtol(text, NULL, 10);
}

int kith_path_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout",
                                        "/dev/stderr"};
    char own[48];
    const char *const folders[] = {"/dev/fd/", "/proc/self/fd/",
                                   "/proc/thread-self/fd/", own};

    snprintf(own, sizeof(own), "/proc/%ld/fd/", (long)getpid());
    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0)
            return i;
    for (int i = 0; i < 4; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return small_number(path + strlen(folders[i]));
    return -1;
}

bool kith_path_is_stream(const char *path)
{
    struct stat at;

    if (strcmp(path, "-") == 0 || kith_path_descriptor(path) >= 0)
        return true;
    return stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode);
}
