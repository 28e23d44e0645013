#include "core/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

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

/*
 * Make a file under a temporary name beside the target, ".NAME.PID.N" with the
 * first N that is free: opened anew, or linked to the unnamed file `self`.
 */
static bool make_temp(kith__out *o, const char *self)
{
    const char *slash = strrchr(o->path, '/');
    const int folder = slash ? (int)(slash - o->path + 1) : 0;
    const size_t room = strlen(o->path) + 48;
    bool made = false;

    o->temp = kith__alloc((int64_t)room, 1);
    if (!o->temp)
        errno = ENOMEM;
    for (int n = 0; o->temp && n < 1000 && !made; n++) {
        snprintf(o->temp, room, "%.*s.%s.%ld.%d", folder, o->path,
                 o->path + folder, (long)getpid(), n);
        if (self)
            made = linkat(AT_FDCWD, self, AT_FDCWD, o->temp,
                          AT_SYMLINK_FOLLOW) == 0;
        else
            made = (o->fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                 0666)) >= 0;
        if (!made && errno != EEXIST)
            break;
    }
    if (!made) {
        kith__free(o->temp);
        o->temp = NULL;
    }
    return made;
}

static kith_status open_hidden(kith__out *o, kith_error *err)
{
    o->fd = open(o->folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    if (o->fd >= 0 || make_temp(o, NULL))
        return KITH_OK;
    return kith__fail_errno(err, o->path, "create");
}

/* The path to replace: a symbolic link's target, not the link. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = real ? kith__copy_string(real, strlen(real))
                      : kith__copy_string(path, strlen(path));

    free(real);
    return copy;
}

/* What is open already is not opened anew, which would write over what others
 * wrote there. */
static kith_status open_stream(kith__out *o, const char *path, kith_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    const int named = standard ? 1 : kith_path_descriptor(path);
    const char *shown = standard ? "standard output" : path;

    o->stream = true;
    o->path = kith__copy_string(shown, strlen(shown));
    if (!o->path)
        return kith__no_memory(err);
    o->fd = named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 0)
                       : open(path, O_WRONLY | O_CLOEXEC);
    return o->fd >= 0 ? KITH_OK : kith__fail_errno(err, shown, "write");
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
        TRY_NEW(o->path, resolve(path));
        TRY_NEW(o->folder, kith__folder_of(o->path));
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
        return kith__fail_errno(err, o->path, "write");
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
        return kith__fail_errno(err, o->path, "write");
    return KITH_OK;
}

/* Turn an unnamed file into a temporary name that rename() can use. */
static bool give_name(kith__out *o)
{
    char self[48];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", o->fd);
    return make_temp(o, self);
}

/* So that the new name survives a power cut.  Some file systems cannot; the
 * data is safe in any case. */
static void sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

kith_status kith__out_commit(kith__out *o, kith_error *err)
{
    kith_status st = KITH_OK;

    if (!o->stream) {
        if (fsync(o->fd) != 0)
            TRY(kith__fail_errno(err, o->path, "write"));
        if (!o->temp && !give_name(o))
            TRY(kith__fail_errno(err, o->path, "create"));
        if (rename(o->temp, o->path) != 0)
            TRY(kith__fail_errno(err, o->path, "replace"));
        kith__free(o->temp);
        o->temp = NULL;
        sync_folder(o->folder);
    }
out:
    kith__out_abort(o);
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
    kith__free(o->folder);
    kith__free(o->path);
    kith__free(o);
}

kith_status kith__scratch_open(const char *folder, int *fd, kith_error *err)
{
    char *name;

    *fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (*fd >= 0)
        return KITH_OK;
    name = kith__join(folder, "/.kith-spill-XXXXXX", "");
    if (!name)
        return kith__no_memory(err);
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd >= 0)
        unlink(name);
    kith__free(name);
    return *fd >= 0 ? KITH_OK
                    : kith__fail_errno(err, folder, "create a temporary file");
}
