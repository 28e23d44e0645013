#include "data/files.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

bool kith__is_folder(const char *path)
{
    struct stat at;

    return stat(path, &at) == 0 && S_ISDIR(at.st_mode);
}

kith_status kith__find_file(const char *folder, const char *name, char **out,
                            kith_error *err)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    kith_status st = KITH_OK;
    char *base = NULL;

    *out = NULL;
    TRY_NEW(base, kith__join(folder, "/", name));
    for (int i = 0; i < 3 && !*out; i++) {
        TRY_NEW(*out, kith__join(base, packed[i], ""));
        if (access(*out, F_OK) != 0) {
            kith__free(*out);
            *out = NULL;
        }
    }
out:
    kith__free(base);
    return st;
}

kith_status kith__find_one(const char *folder, const char *const *names,
                           char **out, kith_error *err)
{
    kith_status st = KITH_OK;
    const char *first = NULL;
    char *found = NULL;

    *out = NULL;
    for (; *names; names++) {
        TRY(kith__find_file(folder, *names, &found, err));
        if (found && *out)
            TRY(kith__fail(err, KITH_ERR_PARSE, folder, 0,
                           "has both %s and %s, expected one of them", first,
                           *names));
        if (found) {
            *out = found;
            first = *names;
            found = NULL;
        }
    }
out:
    kith__free(found);
    if (st != KITH_OK) {
        kith__free(*out);
        *out = NULL;
    }
    return st;
}

kith_status kith__make_folders(const char *path, kith_error *err)
{
    kith_status st = KITH_OK;
    char *part = NULL;

    TRY_NEW(part, kith__copy_string(path, strlen(path)));
    for (char *at = part + 1;; at++) {
        const char end = *at;

        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            TRY(kith__fail_errno(err, part, "create the folder"));
        *at = end;
        if (end == '\0')
            break;
    }
out:
    kith__free(part);
    return st;
}

static int remove_entry(const char *path, const struct stat *at, int type,
                        struct FTW *place)
{
    (void)at, (void)type, (void)place;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* "PATH" without slashes at its end, with `tail`. */
static char *beside(const char *path, const char *tail)
{
    size_t n = strlen(path);
    char *base, *joined;

    while (n > 1 && path[n - 1] == '/')
        n--;
    base = kith__copy_string(path, n);
    joined = base ? kith__join(base, tail, "") : NULL;
    kith__free(base);
    return joined;
}

kith_status kith__folder_begin(const char *path, bool replace, char **temp,
                               kith_error *err)
{
    kith_status st = KITH_OK;

    *temp = NULL;
    /* rmdir succeeds on an empty folder only: that one may be used. */
    if (!replace && rmdir(path) != 0 && errno != ENOENT)
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "exists already, expected a new folder (or --force)"));
    TRY_NEW(*temp, beside(path, ".kith-XXXXXX"));
    if (!mkdtemp(*temp) || chmod(*temp, 0777 & ~umask(umask(0))) != 0) {
        kith__fail_errno(err, path, "create the folder");
        kith__free(*temp);
        *temp = NULL;
        st = KITH_ERR_IO;
    }
out:
    return st;
}

kith_status kith__folder_commit(const char *path, char *temp, bool replace,
                                kith_error *err)
{
    kith_status st = KITH_OK;
    char *old = NULL;

    if (replace && access(path, F_OK) == 0) {
        TRY_NEW(old, beside(path, ".kith-old-XXXXXX"));
        if (!mkdtemp(old) || rename(path, old) != 0)
            TRY(kith__fail_errno(err, path, "replace"));
    }
    if (rename(temp, path) != 0)
        TRY(kith__fail_errno(err, path, "create the folder"));
    kith__free(temp);
    temp = NULL;
    if (old)
        remove_tree(old);
out:
    kith__folder_abort(temp);
    kith__free(old);
    return st;
}

void kith__folder_abort(char *temp)
{
    if (!temp)
        return;
    remove_tree(temp);
    kith__free(temp);
}
