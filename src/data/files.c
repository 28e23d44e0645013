#include "data/files.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/temp_files.h"

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

kith_status kith__folder_begin(const char *path, bool replace,
                               kith__folder *out, kith_error *err)
{
    kith_status st = KITH_OK;
    size_t n = strlen(path);
    struct stat at;

    *out = (kith__folder){.replace = replace, .fd = -1};
    while (n > 1 && path[n - 1] == '/')
        n--;
    TRY_NEW(out->shown, kith__copy_string(path, n));
    TRY(kith__resolve(out->shown, &out->path, err));
    TRY(kith__outputs_settle(out->path, err));
    if (stat(out->path, &at) == 0 && !S_ISDIR(at.st_mode))
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "is a file, expected a folder or a new name"));
    if (!replace && access(out->path, F_OK) == 0 &&
        !kith__folder_empty(out->path))
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "exists already, expected a new folder (or --force)"));
    kith__temp_sweep(out->path, false);
    out->fd = kith__temp_folder(out->path, &out->temp);
    if (out->fd < 0 || !kith__temp_like(out->fd, out->path, 0700))
        TRY(kith__fail_errno(err, path, "create the folder"));
out:
    if (st != KITH_OK)
        kith__folder_release(out);
    return st;
}

kith_status kith__folder_add(kith__folder *f, kith_outputs *with,
                             kith_error *err)
{
    const kith_status st = kith__outputs_add_folder(with, f->path, f->temp,
                                                    f->fd, f->replace, err);

    kith__free(f->temp);
    f->temp = NULL;
    f->fd = -1;
    return st;
}

kith_status kith__folder_commit(kith__folder *f, kith_error *err)
{
    kith_outputs *alone = NULL;
    kith_status st = KITH_OK;

    TRY(kith_outputs_new(&alone, err));
    TRY(kith__folder_add(f, alone, err));
    TRY(kith_outputs_commit(alone, err));
out:
    kith_outputs_free(alone);
    return st;
}

void kith__folder_release(kith__folder *f)
{
    if (f->temp)
        kith__remove_tree(f->temp);
    if (f->temp && f->fd >= 0)
        close(f->fd);
    kith__free(f->temp);
    kith__free(f->path);
    kith__free(f->shown);
    *f = (kith__folder){.fd = -1};
}

void kith__folder_blame(const kith__folder *f, kith_error *err)
{
    const size_t n = f->temp ? strlen(f->temp) : 0;
    char named[sizeof(err->path)];

    if (!err || n == 0 || strncmp(err->path, f->temp, n) != 0)
        return;
    snprintf(named, sizeof(named), "%s", err->path + n);
    snprintf(err->path, sizeof(err->path), "%.500s%.500s", f->shown, named);
}
