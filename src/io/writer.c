#include "io/writer.h"

#include <stdarg.h>
#include <unistd.h>
#ifdef KITH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef KITH_HAVE_ZSTD
#include <zstd.h>
#endif

#include "core/alloc.h"
#include "core/number.h"
#include "core/out_set.h"
#include "io/inflate.h"

enum { BUFFER_BYTES = 1 << 18 };

struct kith__writer {
    char *path; /* as the caller gave it */
    kith__out *out;
    kith__packing packing;
    kith_status st;
    kith_error error;
    bool finished;
    size_t used;
    unsigned char *packed; /* BUFFER_BYTES of packed output */
#ifdef KITH_HAVE_ZLIB
    z_stream gz;
    bool gz_ready;
#endif
#ifdef KITH_HAVE_ZSTD
    ZSTD_CStream *zstd;
#endif
    char buffer[BUFFER_BYTES];
};

static kith_status start(kith__writer *w, const char *path, kith_error *err)
{
    if (w->packing == KITH__PLAIN)
        return KITH_OK;
    w->packed = kith__alloc(BUFFER_BYTES, 1);
    if (!w->packed)
        return kith__no_memory(err);
#ifdef KITH_HAVE_ZLIB
    if (w->packing == KITH__GZIP) {
        w->gz_ready = deflateInit2(&w->gz, 6, Z_DEFLATED, 15 + 16, 8,
                                   Z_DEFAULT_STRATEGY) == Z_OK;
        return w->gz_ready ? KITH_OK : kith__no_memory(err);
    }
#endif
#ifdef KITH_HAVE_ZSTD
    if (w->packing == KITH__ZSTD) {
        w->zstd = ZSTD_createCStream();
        return w->zstd ? KITH_OK : kith__no_memory(err);
    }
#endif
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "asks for a compression that this build cannot write");
}

kith_status kith__writer_open(const char *path, kith__writer **out,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;

    *out = NULL;
    TRY_NEW(w, kith__alloc_zeroed(1, sizeof(*w)));
    TRY_NEW(w->path, kith__copy_string(path, strlen(path)));
    w->packing = kith__packing_named(path);
    TRY(start(w, path, err));
    TRY(kith__out_open(path, &w->out, err));
    *out = w;
    w = NULL;
out:
    kith__writer_abort(w);
    return st;
}

#ifdef KITH_HAVE_ZLIB
static void pack_gzip(kith__writer *w, bool last)
{
    int answer = Z_OK;

    w->gz.next_in = (unsigned char *)w->buffer;
    w->gz.avail_in = (unsigned)w->used;
    do {
        w->gz.next_out = w->packed;
        w->gz.avail_out = BUFFER_BYTES;
        answer = deflate(&w->gz, last ? Z_FINISH : Z_NO_FLUSH);
        if (w->st == KITH_OK)
            w->st = kith__out_write(w->out, w->packed,
                                    BUFFER_BYTES - w->gz.avail_out, &w->error);
    } while (w->st == KITH_OK &&
             (last ? answer != Z_STREAM_END : w->gz.avail_in > 0));
}
#endif

#ifdef KITH_HAVE_ZSTD
static void pack_zstd(kith__writer *w, bool last)
{
    ZSTD_inBuffer in = {w->buffer, w->used, 0};
    size_t left = 0;

    do {
        ZSTD_outBuffer out = {w->packed, BUFFER_BYTES, 0};

        left = ZSTD_compressStream2(w->zstd, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            w->st = kith__fail(&w->error, KITH_ERR_IO, w->out->path, 0,
                               "cannot compress: %s", ZSTD_getErrorName(left));
        if (w->st == KITH_OK)
            w->st = kith__out_write(w->out, w->packed, (int64_t)out.pos,
                                    &w->error);
    } while (w->st == KITH_OK && (last ? left > 0 : in.pos < in.size));
}
#endif

static void flush_buffer(kith__writer *w, bool last)
{
    if (w->st == KITH_OK) {
        if (w->packing == KITH__PLAIN)
            w->st = kith__out_write(w->out, w->buffer, (int64_t)w->used,
                                    &w->error);
#ifdef KITH_HAVE_ZLIB
        else if (w->packing == KITH__GZIP)
            pack_gzip(w, last);
#endif
#ifdef KITH_HAVE_ZSTD
        else if (w->packing == KITH__ZSTD)
            pack_zstd(w, last);
#endif
    }
    (void)last;
    w->used = 0;
}

const char *kith__writer_path(const kith__writer *w)
{
    return w->out->stream ? w->out->path : w->path;
}

void kith__writer_bytes(kith__writer *w, const void *bytes, size_t length)
{
    const char *from = bytes;

    while (length > 0) {
        const size_t room = BUFFER_BYTES - w->used;
        const size_t n = length < room ? length : room;

        memcpy(w->buffer + w->used, from, n);
        w->used += n;
        from += n;
        length -= n;
        if (w->used == BUFFER_BYTES)
            flush_buffer(w, false);
    }
}

void kith__writer_text(kith__writer *w, const char *text)
{
    kith__writer_bytes(w, text, strlen(text));
}

void kith__writer_print(kith__writer *w, const char *format, ...)
{
    char text[512];
    va_list args;
    int n;

    va_start(args, format);
    n = kith__print_list(text, sizeof(text), format, args);
    va_end(args);
    kith__writer_bytes(w, text,
                       (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void kith__writer_float(kith__writer *w, float x)
{
    char text[KITH_FLOAT_BUFFER];

    kith__writer_text(w, kith__print_float(text, x));
}

kith_status kith__writer_finish(kith__writer *w, kith_error *err)
{
    if (!w->finished) {
        w->finished = true;
        flush_buffer(w, true);
    }
    if (w->st != KITH_OK && err)
        *err = w->error;
    return w->st;
}

kith_status kith__writer_add(kith__writer *w, kith_outputs *with,
                             kith_error *err)
{
    kith_status st = kith__writer_finish(w, err);

    if (st == KITH_OK) {
        st = with ? kith__outputs_add(with, w->out, err)
                  : kith__out_commit(w->out, err);
        w->out = NULL;
    }
    kith__writer_abort(w);
    return st;
}

kith_status kith__writer_commit(kith__writer *w, kith_error *err)
{
    return kith__writer_add(w, NULL, err);
}

void kith__writer_abort(kith__writer *w)
{
    if (!w)
        return;
#ifdef KITH_HAVE_ZLIB
    if (w->gz_ready)
        deflateEnd(&w->gz);
#endif
#ifdef KITH_HAVE_ZSTD
    ZSTD_freeCStream(w->zstd);
#endif
    kith__out_abort(w->out);
    kith__free(w->packed);
    kith__free(w->path);
    kith__free(w);
}
