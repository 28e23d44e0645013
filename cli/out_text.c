#include "out_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static kith_status refused(run *r, const char *path)
{
    return run_fail(r, errno == ENOMEM ? KITH_ERR_NOMEM : KITH_ERR_IO, path,
                    "cannot write: %s", strerror(errno));
}

/* A stream of our own for the descriptor that the set keeps. */
static FILE *stream_of(int fd)
{
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *stream = own >= 0 ? fdopen(own, "w") : NULL;

    if (!stream && own >= 0)
        close(own);
    return stream;
}

kith_status out_text_open(run *r, const char *path, kith_outputs *with,
                          out_text *o)
{
    kith_status st = KITH_OK;
    int fd;

    memset(o, 0, sizeof(*o));
    if (!path || strcmp(path, "-") == 0) {
        o->stream = stdout;
        return KITH_OK;
    }
    if (!with)
        st = kith_outputs_new(&o->alone, &r->err);
    if (st == KITH_OK)
        st = kith_outputs_open(with ? with : o->alone, path, &fd, &r->err);
    if (st == KITH_OK) {
        o->path = strdup(path);
        o->stream = o->path ? stream_of(fd) : NULL;
        if (!o->stream)
            st = refused(r, path);
    }
    if (st != KITH_OK)
        out_text_abort(o);
    return st;
}

kith_status out_text_commit(run *r, out_text *o)
{
    kith_status st = KITH_OK;

    errno = 0;
    if (o->stream == stdout)
        return KITH_OK;
    if (fflush(o->stream) != 0 || ferror(o->stream))
        st = refused(r, o->path);
    else if (o->alone)
        st = kith_outputs_commit(o->alone, &r->err);
    out_text_abort(o);
    return st;
}

void out_text_abort(out_text *o)
{
    if (o->stream && o->stream != stdout)
        fclose(o->stream);
    kith_outputs_free(o->alone);
    free(o->path);
    memset(o, 0, sizeof(*o));
}
