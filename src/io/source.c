#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/job.h"
#include "core/out_set.h"
#include "io/foreign.h"
#include "io/inflate.h"
#include "io/sqlite.h"

enum { PADDING = 64, SPOOL_BYTES = 1 << 16, SPOOL_WAIT = 200 /* ms */ };

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
    char first[KITH__SOURCE_FIRST];
    bool empty;
    bool answer; /* of a database */
};

/* Read from a pipe that may stay silent for long: the job is asked all the
 * while whether to go on.  *got is 0 at the end only. */
static kith_status read_patiently(const kith__source *s, char *buffer,
                                  const kith_job *job, ssize_t *got,
                                  kith_error *err)
{
    struct pollfd wait = {.fd = s->fd, .events = POLLIN};
    kith_status st = KITH_OK;

    for (*got = -1; *got < 0;) {
        const int ready = poll(&wait, 1, SPOOL_WAIT);

        TRY(kith__progress(job, "reading", s->size, 0, "bytes", err));
        if (ready > 0)
            *got = read(s->fd, buffer, SPOOL_BYTES);
        if ((ready < 0 || (ready > 0 && *got < 0)) && errno != EINTR)
            TRY(kith__fail_errno(err, s->path, "read"));
    }
out:
    return st;
}

/* Copy a pipe into a scratch file; fd becomes that file. */
static kith_status spool(kith__source *s, const char *folder,
                         const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;
    int copy = -1;
    char *buffer = NULL;
    ssize_t n;

    TRY_NEW(buffer, kith__alloc(SPOOL_BYTES, 1));
    TRY(kith__scratch_open(folder, &copy, err));
    for (;;) {
        TRY(read_patiently(s, buffer, job, &n, err));
        if (n == 0)
            break;
        if (!kith__write_at(copy, buffer, n, s->size))
            TRY(kith__fail_errno(err, folder, "write a temporary file in"));
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

/* Ask a database; fd becomes a scratch file with what it answers. */
static kith_status ask(kith__source *s, const char *file, const char *query,
                       const char *folder, const kith_job *job, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__scratch_open(folder, &s->fd, err));
    TRY(kith__sqlite_read(s->path, file, query, job, s->fd, &s->size, err));
    s->answer = true;
out:
    return st;
}

/* How it is packed so that it cannot be read here; NULL if it can. */
static const char *foreign_packing(const kith__source *s)
{
    if (kith__source_compressed(s) &&
        kith__packing_of((const unsigned char *)s->first, KITH__SOURCE_FIRST) !=
            KITH__PLAIN)
        return "packed twice";
    if (memcmp(s->first, "BZh", 3) == 0 &&
        memcmp(s->first + 4, "1AY&SY", 6) == 0)
        return "packed with bzip2";
    if (memcmp(s->first,
               "\xfd"
               "7zXZ",
               6) == 0)
        return "packed with xz";
    return NULL;
}

/* Keep the first bytes. */
static kith_status look(kith__source *s, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t got;

    TRY(kith__source_rewind(s, err));
    TRY(kith__source_read(s, s->first, KITH__SOURCE_FIRST, &got, err));
    s->empty = got == 0;
    if (foreign_packing(s))
        TRY(kith__fail(err, KITH_ERR_PARSE, s->path, 0,
                       "is %s, expected it as it is or packed once with gzip "
                       "or zstd",
                       foreign_packing(s)));
    if (!s->answer)
        TRY(kith__foreign_check(s->path, s->first, err));
    if (kith__sqlite_begins(s->first))
        TRY(kith__sqlite_ask_for_query(s->path, err));
    TRY(kith__source_rewind(s, err));
out:
    return st;
}

kith_status kith__source_open(const char *path, const char *scratch,
                              const kith_job *job, kith__source **out,
                              kith_error *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const char *shown = standard_input ? "standard input" : path;
    kith_status st = KITH_OK;
    kith__source *s = NULL;
    const char *query;
    char *file = NULL;
    struct stat at;

    *out = NULL;
    scratch = scratch ? scratch : "/tmp";
    TRY_NEW(s, kith__alloc_zeroed(1, sizeof(*s)));
    s->fd = -1;
    TRY_NEW(s->path, kith__copy_string(shown, strlen(shown)));
    TRY(kith__sqlite_parts(path, &file, &query, err));
    if (file) {
        TRY(ask(s, file, query, scratch, job, err));
        goto ready;
    }
    TRY(kith__outputs_settle(path, err));
    s->fd = standard_input ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &at) != 0)
        TRY(kith__fail_errno(err, s->path, "open"));
    if (S_ISDIR(at.st_mode))
        TRY(kith__fail(err, KITH_ERR_IO, shown, 0,
                       "is a folder, expected a file"));
    if (S_ISREG(at.st_mode))
        s->size = at.st_size;
    else
        TRY(spool(s, scratch, job, err));
ready:
    TRY(look(s, err));
    *out = s;
    s = NULL;
out:
    kith__free(file);
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

bool kith__source_names_columns(const kith__source *s)
{
    return s->answer;
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

const char *kith__source_first(const kith__source *s)
{
    return s->first;
}

bool kith__source_empty(const kith__source *s)
{
    return s->empty;
}

kith_status kith__source_map(const kith__source *s, kith__map **out,
                             kith_error *err)
{
    *out = NULL;
    if (kith__source_compressed(s))
        return kith__fail(err, KITH_ERR_PARSE, s->path, 0,
                          "is compressed, expected this format as it is: "
                          "unpack it first");
    return kith__map_fd(s->fd, s->path, out, err);
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
