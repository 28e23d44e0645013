#include "data/files.h"

#include <dirent.h>
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
    char *base = NULL, *found = NULL;
    const char *first = "";

    *out = NULL;
    TRY_NEW(base, kith__join(folder, "/", name));
    for (int i = 0; i < 3; i++) {
        TRY_NEW(found, kith__join(base, packed[i], ""));
        if (access(found, F_OK) == 0) {
            if (*out)
                TRY(kith__fail(err, KITH_ERR_PARSE, folder, 0,
                               "has both %s%s and %s%s, expected one of them",
                               name, first, name, packed[i]));
            *out = found;
            found = NULL;
            first = packed[i];
        }
        kith__free(found);
        found = NULL;
    }
out:
    kith__free(base);
    kith__free(found);
    if (st != KITH_OK) {
        kith__free(*out);
        *out = NULL;
    }
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

bool kith__folder_empty(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry = NULL;

    if (!dir)
        return false;
    do
        entry = readdir(dir);
    while (entry && (strcmp(entry->d_name, ".") == 0 ||
                     strcmp(entry->d_name, "..") == 0));
    closedir(dir);
    return !entry;
}

/* What a path leads to, or without slashes at its end if that is nothing. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL), *copy;
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    copy = real ? kith__copy_string(real, strlen(real))
                : kith__copy_string(path, n);
    free(real);
    return copy;
}

kith_status kith__folder_begin(const char *path, bool replace,
                               kith__folder *out, kith_error *err)
{
    kith_status st = KITH_OK;
    struct stat at;

    *out = (kith__folder){.replace = replace};
    TRY_NEW(out->path, resolve(path));
    if (stat(out->path, &at) == 0 && !S_ISDIR(at.st_mode))
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "is a file, expected a folder or a new name"));
    /* rmdir succeeds on an empty folder only: that one may be used. */
    if (!replace && rmdir(out->path) != 0 && errno != ENOENT)
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "exists already, expected a new folder (or --force)"));
    TRY_NEW(out->temp, kith__join(out->path, ".kith-XXXXXX", ""));
    if (!mkdtemp(out->temp) || chmod(out->temp, 0777 & ~umask(umask(0))) != 0)
        TRY(kith__fail_errno(err, path, "create the folder"));
out:
    if (st != KITH_OK)
        kith__folder_release(out);
    return st;
}

/* Move the old folder, if there is one, to a new name, *aside. */
static kith_status put_aside(const kith__folder *f, char **aside,
                             kith_error *err)
{
    char *to = NULL;

    *aside = NULL;
    if (!f->replace || access(f->path, F_OK) != 0)
        return KITH_OK;
    to = kith__join(f->path, ".kith-old-XXXXXX", "");
    if (!to)
        return kith__no_memory(err);
    if (mkdtemp(to) && rename(f->path, to) == 0) {
        *aside = to;
        return KITH_OK;
    }
    kith__fail_errno(err, f->path, "replace");
    (void)rmdir(to);
    kith__free(to);
    return KITH_ERR_IO;
}

kith_status kith__folder_commit(kith__folder *f, kith_error *err)
{
    kith_status st = KITH_OK;
    char *aside = NULL;

    TRY(put_aside(f, &aside, err));
    if (rename(f->temp, f->path) != 0) {
        kith__fail_errno(err, f->path, "create the folder");
        if (aside)
            (void)rename(aside, f->path);
        st = KITH_ERR_IO;
        goto out;
    }
    kith__free(f->temp);
    f->temp = NULL;
    if (aside)
        remove_tree(aside);
out:
    kith__free(aside);
    return st;
}

void kith__folder_release(kith__folder *f)
{
    if (f->temp)
        remove_tree(f->temp);
    kith__free(f->temp);
    kith__free(f->path);
    *f = (kith__folder){0};
}

void kith__folder_blame(const kith__folder *f, kith_error *err)
{
    const size_t n = f->temp ? strlen(f->temp) : 0;
    char named[sizeof(err->path)];

    if (!err || n == 0 || strncmp(err->path, f->temp, n) != 0)
        return;
    snprintf(named, sizeof(named), "%s", err->path + n);
    snprintf(err->path, sizeof(err->path), "%.500s%.500s", f->path, named);
}
