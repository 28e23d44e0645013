#include "out_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static kith_status refused(run *r, const char *path, const char *what)
{
    return run_fail(r, errno == ENOMEM ? KITH_ERR_NOMEM : KITH_ERR_IO, path,
                    "cannot %s: %s", what, strerror(errno));
}

/*
 * A temporary name beside path, ".NAME.PID.N" with the first N that is free:
 * for a new file, or for the unnamed file *fd.
 */
static bool make_temp(const char *path, char *temp, size_t room, int *fd)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path + 1) : 0;
    const int unnamed = *fd;
    bool made = false;
    char self[48];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", unnamed);
    for (int n = 0; n < 1000 && !made; n++) {
        snprintf(temp, room, "%.*s.%s.%ld.%d", folder, path, path + folder,
                 (long)getpid(), n);
        if (unnamed < 0)
            *fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        made = unnamed < 0 ? *fd >= 0
                           : linkat(AT_FDCWD, self, AT_FDCWD, temp,
                                    AT_SYMLINK_FOLLOW) == 0;
        if (!made && errno != EEXIST)
            break;
    }
    if (!made)
        temp[0] = '\0';
    return made;
}

/* An unnamed file in path's folder, so that nothing stays if we are killed; -1
 * where the file system has no such thing. */
static int open_unnamed(const char *path)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');

    if (slash)
        snprintf(folder, sizeof(folder), "%.*s",
                 (int)(slash == path ? 1 : slash - path), path);
    return open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

static kith_status open_beside(run *r, const char *path, out_text *o)
{
    char *real = realpath(path, NULL); /* a link's target, not the link */
    int fd = -1;

    o->path = real ? real : strdup(path);
    o->room = o->path ? strlen(o->path) + 48 : 0;
    o->temp = calloc(o->room + 1, 1);
    if (o->path && o->temp) {
        fd = open_unnamed(o->path);
        if (fd >= 0 || make_temp(o->path, o->temp, o->room, &fd))
            o->stream = fdopen(fd, "w");
    }
    if (o->stream)
        return KITH_OK;
    refused(r, path, "create");
    if (fd >= 0)
        close(fd);
    out_text_abort(o);
    return r->err.status;
}

/* What is open already is not opened anew, which would write over what others
 * wrote there. */
static FILE *open_in_place(const char *path)
{
    const int named = kith_path_descriptor(path);
    const int fd = named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 0) : -1;

    if (named < 0)
        return fopen(path, "we");
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

kith_status out_text_open(run *r, const char *path, out_text *o)
{
    memset(o, 0, sizeof(*o));
    if (!path || strcmp(path, "-") == 0) {
        o->stream = stdout;
        return KITH_OK;
    }
    if (!is_folder(path) && !kith_path_is_stream(path))
        return open_beside(r, path, o);
    o->path = strdup(path);
    o->stream = o->path ? open_in_place(path) : NULL;
    if (o->stream)
        return KITH_OK;
    free(o->path);
    o->path = NULL;
    return refused(r, path, "write");
}

/* Sync the file and let it take the target's place. */
static kith_status put_in_place(run *r, out_text *o)
{
    int fd = fileno(o->stream);

    if (fsync(fd) != 0)
        return refused(r, o->path, "write");
    if (!o->temp[0] && !make_temp(o->path, o->temp, o->room, &fd))
        return refused(r, o->path, "create");
    if (rename(o->temp, o->path) != 0)
        return refused(r, o->path, "replace");
    o->temp[0] = '\0';
    return KITH_OK;
}

kith_status out_text_commit(run *r, out_text *o)
{
    kith_status st = KITH_OK;

    errno = 0;
    if (o->stream == stdout)
        return KITH_OK;
    if (fflush(o->stream) != 0 || ferror(o->stream))
        st = refused(r, o->path, "write");
    else if (o->temp)
        st = put_in_place(r, o);
    out_text_abort(o);
    return st;
}

void out_text_abort(out_text *o)
{
    if (o->stream && o->stream != stdout)
        fclose(o->stream);
    if (o->temp && o->temp[0])
        unlink(o->temp);
    free(o->temp);
    free(o->path);
    memset(o, 0, sizeof(*o));
}
