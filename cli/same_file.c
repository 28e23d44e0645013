#include "same_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that is there; pipes and devices keep what they have. */
static bool is_file(const char *path, struct stat *at)
{
    return stat(path, at) == 0 && S_ISREG(at->st_mode);
}

/* Is the file one that a data set folder is made of?  What else a user keeps
 * there, such as an earlier output, is not. */
static bool is_part(const char *path, const char *folder)
{
    static const char *const parts[] = {"graph",    "edges",  "labels",
                                        "features", "nodes.", "splits/"};
    char whole[PATH_MAX], base[PATH_MAX];
    size_t n;

    if (!realpath(path, whole) || !realpath(folder, base))
        return false;
    n = strlen(base);
    if (strncmp(whole, base, n) != 0 || whole[n] != '/')
        return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (strncmp(whole + n + 1, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

static bool is_same(const char *path, const char *other)
{
    struct stat a, b;

    if (!other || other == path || strcmp(other, "-") == 0)
        return false; /* not given, or the output itself */
    if (!is_file(path, &a))
        return strcmp(path, other) == 0 && stat(path, &a) != 0;
    if (is_folder(other))
        return is_part(path, other);
    return is_file(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static kith_status refuse(run *r, const char *path, const char *dashes,
                          const char *name)
{
    return run_fail(r, KITH_ERR_ARGUMENT, path,
                    "cannot write: it is also %s%s, expected another file",
                    dashes, name);
}

kith_status check_apart(run *r, const char *path)
{
    const command *of = r->a->of;
    const option *o = r->a->table.row;

    if (!path || strcmp(path, "-") == 0)
        return KITH_OK;
    for (int i = 0; i < r->a->plains; i++)
        if (of->arguments[i].type == OPTION_FILE &&
            is_same(path, r->a->plain[i]))
            return refuse(r, path, "", of->arguments[i].name);
    for (int i = 0; o[i].name; i++)
        if (o[i].type == OPTION_FILE && is_same(path, r->a->value[i].text))
            return refuse(r, path, "--", o[i].name);
    return KITH_OK;
}
