#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_file.h"
#include "io/inflate.h"

enum { PADDING = 64 };

struct kith__source {
    char *path;
    int fd;
    int64_t size;
    int64_t at; /* next byte of a plain file */
    kith__packing packing;
    kith__inflate *unpack;
    char *carry; /* the begun line after the last block unpacked */
    int64_t carry_n, carry_cap;
    bool finished;
};

/* Copy a pipe into a scratch file; fd becomes that file. */
static kith_status spool(kith__source *s, kith_error *err)
{
    kith_status st = KITH_OK;
    int copy = -1;
    char *buffer = NULL;
    ssize_t n;

    TRY_NEW(buffer, kith__alloc(1 << 16, 1));
    TRY(kith__scratch_open("/tmp", &copy, err));
    for (;;) {
        n = read(s->fd, buffer, 1 << 16);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            TRY(kith__fail_errno(err, s->path, "read"));
        if (n == 0)
            break;
        if (!kith__write_at(copy, buffer, n, s->size))
            TRY(kith__fail_errno(err, "/tmp", "write a temporary file"));
        s->size += n;
    }
    close(s->fd);
    s->fd = copy;
    copy = -1;
out:
    if (copy >= 0)
        close(copy);
    kith__free(buffer);
    return st;
}

kith_status kith__source_open(const char *path, kith__source **out,
                              kith_error *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const char *shown = standard_input ? "(standard input)" : path;
    kith_status st = KITH_OK;
    kith__source *s = NULL;
    struct stat at;

    *out = NULL;
    TRY_NEW(s, kith__alloc_zeroed(1, sizeof(*s)));
    s->fd = -1;
    TRY_NEW(s->path, kith__copy_string(shown, strlen(shown)));
    s->fd = standard_input ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &at) != 0)
        TRY(kith__fail_errno(err, s->path, "open"));
    if (S_ISDIR(at.st_mode))
        TRY(kith__fail(err, KITH_ERR_IO, path, 0,
                       "is a folder, expected a file"));
    if (S_ISREG(at.st_mode))
        s->size = at.st_size;
    else
        TRY(spool(s, err));
    TRY(kith__source_rewind(s, err));
    *out = s;
    s = NULL;
out:
    kith__source_close(s);
    return st;
}

void kith__source_close(kith__source *s)
{
    if (!s)
        return;
    kith__inflate_free(s->unpack);
    if (s->fd >= 0)
        close(s->fd);
    kith__free(s->carry);
    kith__free(s->path);
    kith__free(s);
}

kith_status kith__source_rewind(kith__source *s, kith_error *err)
{
    const int64_t look = s->size < 4 ? s->size : 4;
    unsigned char first[4];

    s->at = 0;
    s->carry_n = 0;
    s->finished = false;
    kith__inflate_free(s->unpack);
    s->unpack = NULL;
    if (!kith__read_at(s->fd, first, look, 0))
        return kith__fail_errno(err, s->path, "read");
    s->packing = kith__packing_of(first, look);
    if (s->packing == KITH__PLAIN)
        return KITH_OK;
    return kith__inflate_new(s->packing, s->fd, s->path, &s->unpack, err);
}

const char *kith__source_path(const kith__source *s)
{
    return s->path;
}

bool kith__source_compressed(const kith__source *s)
{
    return s->packing != KITH__PLAIN;
}

int64_t kith__source_size(const kith__source *s)
{
    return s->size;
}

int64_t kith__source_done(const kith__source *s)
{
    return s->unpack ? kith__inflate_consumed(s->unpack) : s->at;
}

kith_status kith__source_read(kith__source *s, void *bytes, int64_t n,
                              int64_t *got, kith_error *err)
{
    if (s->unpack)
        return kith__inflate_read(s->unpack, bytes, n, got, err);
    *got = n < s->size - s->at ? n : s->size - s->at;
    if (!kith__read_at(s->fd, bytes, *got, s->at))
        return kith__fail_errno(err, s->path, "read");
    s->at += *got;
    return KITH_OK;
}

/* ---- blocks -------------------------------------------------------------- */

void kith__block_release(kith__block *b)
{
    kith__free(b->memory);
    *b = (kith__block){0};
}

static kith_status reserve(kith__block *b, int64_t length, const char *path,
                           kith_error *err)
{
    if (length > KITH__LINE_LONGEST + 2 * KITH__BLOCK_BYTES)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has a line longer than 64 MiB, expected text");
    if (!kith__grow((void **)&b->memory, &b->capacity, length + PADDING + 1, 1))
        return kith__no_memory(err);
    b->text = b->memory;
    return KITH_OK;
}

/* End the last line if the file did not, and pad. */
static void seal(kith__block *b)
{
    if (b->length > 0 && b->text[b->length - 1] != '\n')
        b->text[b->length++] = '\n';
    memset(b->text + b->length, 0, PADDING);
}

/* Fill a block from a compressed source, keeping the begun line for the next.
 */
static kith_status unpack_block(kith__source *s, kith__block *b,
                                kith_error *err)
{
    int64_t want = KITH__BLOCK_BYTES, got, end;
    kith_status st = KITH_OK;

    b->length = 0;
    TRY(reserve(b, s->carry_n + want, s->path, err));
    if (s->carry_n > 0)
        memcpy(b->text, s->carry, (size_t)s->carry_n);
    b->length = s->carry_n;
    s->carry_n = 0;
    for (;;) {
        TRY(reserve(b, b->length + want, s->path, err));
        TRY(kith__inflate_read(s->unpack, b->text + b->length, want, &got,
                               err));
        b->length += got;
        s->finished = got < want;
        end = b->length;
        while (end > 0 && b->text[end - 1] != '\n')
            end--;
        if (end > 0 || s->finished)
            break;
    }
    if (!s->finished) {
        s->carry_n = b->length - end;
        if (!kith__grow((void **)&s->carry, &s->carry_cap, s->carry_n, 1)) {
            s->carry_n = 0;
            TRY(kith__no_memory(err));
        }
        if (s->carry_n > 0)
            memcpy(s->carry, b->text + end, (size_t)s->carry_n);
        b->length = end;
    }
    seal(b);
out:
    return st;
}

kith_status kith__source_plan(kith__source *s, kith__block *b, bool *more,
                              kith_error *err)
{
    if (s->unpack) {
        *more = !s->finished;
        b->from = b->to = -1;
        return *more ? unpack_block(s, b, err) : KITH_OK;
    }
    *more = s->at < s->size;
    b->from = s->at;
    b->to = s->at + KITH__BLOCK_BYTES;
    b->to = b->to > s->size ? s->size : b->to;
    s->at = b->to;
    return KITH_OK;
}

/* A block owns the lines that begin in [from, to): look one byte back to see
 * whether one begins at `from`, and read on to the end of the last. */
kith_status kith__block_load(const kith__source *s, kith__block *b,
                             kith_error *err)
{
    const int64_t from = b->from > 0 ? b->from - 1 : 0;
    int64_t have = b->to - from, skip = 0;
    kith_status st = KITH_OK;
    char *newline;

    if (b->from < 0)
        return KITH_OK; /* unpacked already */
    b->length = 0;
    TRY(reserve(b, have, s->path, err));
    if (!kith__read_at(s->fd, b->text, have, from))
        TRY(kith__fail_errno(err, s->path, "read"));
    if (b->from > 0) {
        newline = memchr(b->text, '\n', (size_t)have);
        if (!newline || newline == b->text + have - 1) {
            seal(b); /* no line begins here */
            return KITH_OK;
        }
        skip = newline + 1 - b->text;
    }
    while (b->text[have - 1] != '\n' && from + have < s->size) {
        const int64_t left = s->size - from - have;
        const int64_t more = left < 1 << 12 ? left : 1 << 12;

        TRY(reserve(b, have + more, s->path, err));
        if (!kith__read_at(s->fd, b->text + have, more, from + have))
            TRY(kith__fail_errno(err, s->path, "read"));
        newline = memchr(b->text + have, '\n', (size_t)more);
        have = newline ? newline + 1 - b->text : have + more;
    }
    b->text += skip;
    b->length = have - skip;
    seal(b);
out:
    return st;
}
