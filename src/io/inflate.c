#include "io/inflate.h"

#include <errno.h>
#include <unistd.h>
#ifdef KITH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef KITH_HAVE_ZSTD
#include <zstd.h>
#endif

#include "core/alloc.h"

enum { PACKED_BYTES = 1 << 17 };

struct kith__inflate {
    kith__packing packing;
    int fd;
    const char *path;
    int64_t consumed; /* bytes read from fd */
    int64_t have, at; /* packed bytes in the buffer, and used of them */
    bool ended;       /* no more bytes in the file */
    bool between;     /* at the end of a gzip member or zstd frame */
#ifdef KITH_HAVE_ZLIB
    z_stream gz;
    bool gz_ready;
#endif
#ifdef KITH_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    unsigned char packed[PACKED_BYTES];
};

kith__packing kith__packing_of(const unsigned char *bytes, int64_t n)
{
    if (n >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return KITH__GZIP;
    if (n >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0)
        return KITH__ZSTD;
    return KITH__PLAIN;
}

kith__packing kith__packing_named(const char *path)
{
    const size_t n = strlen(path);

    if (n >= 3 && strcmp(path + n - 3, ".gz") == 0)
        return KITH__GZIP;
    if (n >= 4 && strcmp(path + n - 4, ".zst") == 0)
        return KITH__ZSTD;
    return KITH__PLAIN;
}

kith_status kith__packing_none(const char *path, kith_error *err)
{
    if (kith__packing_named(path) == KITH__PLAIN)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "asks for compression, expected a name without .gz or "
                      ".zst: this format is used where it lies");
}

#ifdef KITH_HAVE_ZLIB
static void *gz_alloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return kith__alloc(count, size);
}

static void gz_free(void *opaque, void *block)
{
    (void)opaque;
    kith__free(block);
}
#endif

static kith_status start(kith__inflate *z, kith_error *err)
{
    (void)z;
#ifdef KITH_HAVE_ZLIB
    if (z->packing == KITH__GZIP) {
        z->gz.zalloc = gz_alloc;
        z->gz.zfree = gz_free;
        z->gz_ready = inflateInit2(&z->gz, 15 + 16) == Z_OK;
        return z->gz_ready ? KITH_OK : kith__no_memory(err);
    }
#endif
#ifdef KITH_HAVE_ZSTD
    if (z->packing == KITH__ZSTD) {
        z->zstd = ZSTD_createDStream();
        return z->zstd ? KITH_OK : kith__no_memory(err);
    }
#endif
    return kith__fail(err, KITH_ERR_ARGUMENT, z->path, 0,
                      "is compressed with %s, which this build cannot read",
                      z->packing == KITH__GZIP ? "gzip" : "zstd");
}

kith_status kith__inflate_new(kith__packing packing, int fd, const char *path,
                              kith__inflate **out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__inflate *z = NULL;

    *out = NULL;
    TRY_NEW(z, kith__alloc_zeroed(1, sizeof(*z)));
    z->packing = packing;
    z->fd = fd;
    z->path = path;
    z->between = true;
    TRY(start(z, err));
    *out = z;
    z = NULL;
out:
    kith__inflate_free(z);
    return st;
}

void kith__inflate_free(kith__inflate *z)
{
    if (!z)
        return;
#ifdef KITH_HAVE_ZLIB
    if (z->gz_ready)
        inflateEnd(&z->gz);
#endif
#ifdef KITH_HAVE_ZSTD
    ZSTD_freeDStream(z->zstd);
#endif
    kith__free(z);
}

int64_t kith__inflate_consumed(const kith__inflate *z)
{
    return z->consumed;
}

static kith_status refill(kith__inflate *z, kith_error *err)
{
    ssize_t n;

    do
        n = pread(z->fd, z->packed, PACKED_BYTES, (off_t)z->consumed);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return kith__fail_errno(err, z->path, "read");
    z->have = n;
    z->at = 0;
    z->consumed += n;
    z->ended = n == 0;
    return KITH_OK;
}

static kith_status broken(const kith__inflate *z, const char *what,
                          kith_error *err)
{
    return kith__fail(err, KITH_ERR_PARSE, z->path, 0,
                      "broken %s data: %s, expected a whole file",
                      z->packing == KITH__GZIP ? "gzip" : "zstd", what);
}

#ifdef KITH_HAVE_ZLIB
static kith_status step_gzip(kith__inflate *z, char *to, int64_t room,
                             int64_t *made, kith_error *err)
{
    int answer;

    if (z->between && inflateReset(&z->gz) != Z_OK)
        return broken(z, "cannot start", err);
    z->between = false;
    z->gz.next_in = z->packed + z->at;
    z->gz.avail_in = (unsigned)(z->have - z->at);
    z->gz.next_out = (unsigned char *)to;
    z->gz.avail_out = room > 1 << 30 ? 1u << 30 : (unsigned)room;
    *made = z->gz.avail_out;
    answer = inflate(&z->gz, Z_NO_FLUSH);
    *made -= z->gz.avail_out;
    z->at = z->have - z->gz.avail_in;
    if (answer == Z_STREAM_END)
        z->between = true;
    else if (answer == Z_MEM_ERROR)
        return kith__no_memory(err);
    else if (answer != Z_OK && answer != Z_BUF_ERROR)
        return broken(z, z->gz.msg ? z->gz.msg : "unreadable", err);
    return KITH_OK;
}
#endif

#ifdef KITH_HAVE_ZSTD
static kith_status step_zstd(kith__inflate *z, char *to, int64_t room,
                             int64_t *made, kith_error *err)
{
    ZSTD_inBuffer in = {z->packed, (size_t)z->have, (size_t)z->at};
    ZSTD_outBuffer out = {to, (size_t)room, 0};
    const size_t answer = ZSTD_decompressStream(z->zstd, &out, &in);

    if (ZSTD_isError(answer))
        return broken(z, ZSTD_getErrorName(answer), err);
    z->at = (int64_t)in.pos;
    z->between = answer == 0;
    *made = (int64_t)out.pos;
    return KITH_OK;
}
#endif

static kith_status step(kith__inflate *z, char *to, int64_t room, int64_t *made,
                        kith_error *err)
{
#ifdef KITH_HAVE_ZLIB
    if (z->packing == KITH__GZIP)
        return step_gzip(z, to, room, made, err);
#endif
#ifdef KITH_HAVE_ZSTD
    if (z->packing == KITH__ZSTD)
        return step_zstd(z, to, room, made, err);
#endif
    (void)to, (void)room, (void)made;
    return broken(z, "not built in", err);
}

kith_status kith__inflate_read(kith__inflate *z, void *bytes, int64_t n,
                               int64_t *got, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t made;

    *got = 0;
    while (*got < n) {
        if (z->at == z->have && !z->ended)
            TRY(refill(z, err));
        if (z->ended && z->between)
            break;
        made = 0;
        TRY(step(z, (char *)bytes + *got, n - *got, &made, err));
        *got += made;
        if (made == 0 && z->ended && !z->between)
            TRY(broken(z, "the file is cut off", err));
    }
out:
    return st;
}
