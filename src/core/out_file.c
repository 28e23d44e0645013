#include "core/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_set.h"
#include "core/temp_files.h"

enum { START_BYTES = 4 << 20 };

char *kith__folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return kith__copy_string(".", 1);
    return kith__copy_string(path, slash == path ? 1 : (size_t)(slash - path));
}

bool kith__write_at(int fd, const void *bytes, int64_t length, int64_t offset)
{
    const char *from = bytes;

    while (length > 0) {
        const ssize_t done = offset < 0 ? write(fd, from, (size_t)length)
                                        : pwrite(fd, from, (size_t)length,
                                                 (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        length -= done;
        offset += offset < 0 ? 0 : done;
    }
    return true;
}

bool kith__read_at(int fd, void *bytes, int64_t length, int64_t offset)
{
    char *to = bytes;

    while (length > 0) {
        const ssize_t done = pread(fd, to, (size_t)length, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return false;
        to += done;
        length -= done;
        offset += done;
    }
    return true;
}

/* ---- where it goes ------------------------------------------------------- */

/* Follow one link, if `at` is one; false with errno if it is not. */
static bool follow(char at[PATH_MAX])
{
    char to[PATH_MAX];
    const char *slash = strrchr(at, '/');
    const ssize_t n = readlink(at, to, sizeof(to) - 1);
    size_t folder;

    if (n < 0)
        return false;
    folder = to[0] != '/' && slash ? (size_t)(slash - at + 1) : 0;
    if (folder + (size_t)n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    to[n] = '\0';
    memcpy(at + folder, to, (size_t)n + 1);
    return true;
}

/* A name for a file that is not there: what links that lead nowhere lead to,
 * its folder as it really is, or as it is if it is not there either. */
static bool resolve_missing(const char *path, char out[PATH_MAX])
{
    enum { MOST_LINKS = 40 };
    char folder[PATH_MAX], at[PATH_MAX], *slash;
    int links = 0;

    if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at)) {
        errno = ENAMETOOLONG;
        return false;
    }
    while (links <= MOST_LINKS && follow(at))
        links++;
    if (links > MOST_LINKS)
        errno = ELOOP;
    if (errno != EINVAL && errno != ENOENT) /* no link, or nothing */
        return false;
    memcpy(out, at, sizeof(at));
    slash = strrchr(at, '/');
    if (slash)
        *slash = '\0';
    if (realpath(!slash        ? "."
                 : slash == at ? "/"
                               : at,
                 folder) &&
        snprintf(out, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                 slash ? slash + 1 : at) >= PATH_MAX)
        memcpy(out, path, strlen(path) + 1);
    return true;
}

kith_status kith__resolve(const char *path, char **out, kith_error *err)
{
    char real[PATH_MAX];

    *out = NULL;
    if (!realpath(path, real) &&
        (errno != ENOENT || !resolve_missing(path, real)))
        return kith__fail_errno(err, path, "write");
    *out = kith__copy_string(real, strlen(real));
    return *out ? KITH_OK : kith__no_memory(err);
}

/* ---- a file -------------------------------------------------------------- */

/* What is open already is not opened anew, which would write over what others
 * wrote there. */
static kith_status open_stream(kith__out *o, const char *path, kith_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    const int named = standard ? 1 : kith_path_descriptor(path);
    const char *shown = standard ? "standard output" : path;

    o->stream = true;
    o->path = kith__copy_string(shown, strlen(shown));
    o->shown = kith__copy_string(shown, strlen(shown));
    if (!o->path || !o->shown)
        return kith__no_memory(err);
    o->fd = named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 0)
                       : open(path, O_WRONLY | O_CLOEXEC);
    return o->fd >= 0 ? KITH_OK : kith__fail_errno(err, shown, "write");
}

static kith_status open_hidden(kith__out *o, kith_error *err)
{
    kith__temp_sweep(o->path, false);
    o->fd = kith__temp_unnamed(o->path);
    if (o->fd < 0)
        o->fd = kith__temp_file(o->path, &o->temp);
    if (o->fd < 0 || !kith__temp_like(o->fd, o->path, 0))
        return kith__fail_errno(err, o->shown, "create");
    return KITH_OK;
}

kith_status kith__out_open(const char *path, kith__out **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__out *o = NULL;
    struct stat at;

    *out = NULL;
    TRY_NEW(o, kith__alloc_zeroed(1, sizeof(*o)));
    o->fd = -1;
    if (kith_path_is_stream(path)) {
        TRY(open_stream(o, path, err));
    } else if (stat(path, &at) == 0 && S_ISDIR(at.st_mode)) {
        errno = EISDIR;
        TRY(kith__fail_errno(err, path, "write"));
    } else {
        TRY_NEW(o->shown, kith__copy_string(path, strlen(path)));
        TRY(kith__resolve(path, &o->path, err));
        TRY(kith__outputs_settle(o->path, err));
        TRY(open_hidden(o, err));
    }
    *out = o;
    o = NULL;
out:
    kith__out_abort(o);
    return st;
}

kith_status kith__out_write(kith__out *o, const void *bytes, int64_t length,
                            kith_error *err)
{
    if (!kith__write_at(o->fd, bytes, length, o->stream ? -1 : o->size))
        return kith__fail_errno(err, o->shown, "write");
    o->size += length;
    if (!o->stream && o->size - o->started >= START_BYTES) {
        /* Let the disk begin, so that the sync at the end finds little to do.
         * A failure would show there. */
        (void)sync_file_range(o->fd, o->started, o->size - o->started,
                              SYNC_FILE_RANGE_WRITE);
        o->started = o->size;
    }
    return KITH_OK;
}

kith_status kith__out_rewrite(kith__out *o, int64_t offset, const void *bytes,
                              int64_t length, kith_error *err)
{
    if (!kith__write_at(o->fd, bytes, length, offset))
        return kith__fail_errno(err, o->shown, "write");
    return KITH_OK;
}

kith_status kith__out_commit(kith__out *o, kith_error *err)
{
    kith_outputs *alone = NULL;
    kith_status st = KITH_OK;

    TRY(kith_outputs_new(&alone, err));
    st = kith__outputs_add(alone, o, err);
    o = NULL;
    TRY(st);
    TRY(kith_outputs_commit(alone, err));
out:
    kith__out_abort(o);
    kith_outputs_free(alone);
    return st;
}

void kith__out_abort(kith__out *o)
{
    if (!o)
        return;
    if (o->fd >= 0)
        close(o->fd);
    if (o->temp)
        unlink(o->temp);
    kith__free(o->temp);
    kith__free(o->path);
    kith__free(o->shown);
    kith__free(o);
}

kith_status kith__scratch_open(const char *folder, int *fd, kith_error *err)
{
    char *name = NULL, *path = kith__join(folder, "/spill", "");

    *fd = -1;
    if (!path)
        return kith__no_memory(err);
    *fd = kith__temp_unnamed(path);
    if (*fd < 0) {
        kith__temp_sweep(path, false);
        *fd = kith__temp_file(path, &name);
    }
    if (name)
        unlink(name);
    kith__free(name);
    kith__free(path);
    return *fd >= 0 ? KITH_OK
                    : kith__fail_errno(err, folder, "create a temporary file");
}
