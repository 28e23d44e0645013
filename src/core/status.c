#include "core/status.h"

#include <errno.h>
#include <stdarg.h>

#include "core/number.h"

kith_status kith__fail(kith_error *err, kith_status status, const char *path,
                       int64_t line, const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    err->status = status;
    err->line = line;
    snprintf(err->path, sizeof(err->path), "%s", path ? path : "");
    va_start(args, format);
    kith__print_list(err->text, sizeof(err->text), format, args);
    va_end(args);
    return status;
}

kith_status kith__fail_errno(kith_error *err, const char *path,
                             const char *verb)
{
    char reason[128] = "";
    const int code = errno;
    const kith_status status = code == ENOMEM ? KITH_ERR_NOMEM : KITH_ERR_IO;

    /* GNU's strerror_r answers the text, perhaps not in the buffer. */
    return kith__fail(err, status, path, 0, "cannot %s: %s", verb,
                      strerror_r(code, reason, sizeof(reason)));
}

kith_status kith__no_memory(kith_error *err)
{
    return kith__fail(err, KITH_ERR_NOMEM, NULL, 0, "out of memory");
}

const char *kith__quote(char *out, const char *text, size_t length)
{
    const size_t most = 60;
    const size_t shown = length < most ? length : most;

    for (size_t i = 0; i < shown; i++) {
        const unsigned char c = (unsigned char)text[i];

        out[i] = c < 32 || c == 127 ? '?' : text[i];
    }
    memcpy(out + shown, length > most ? "..." : "", length > most ? 4 : 1);
    return out;
}

char *kith_error_format(const kith_error *err, char *out, size_t size)
{
    if (err->path[0] && err->line > 0)
        snprintf(out, size, "%s:%lld: %s", err->path, (long long)err->line,
                 err->text);
    else if (err->path[0])
        snprintf(out, size, "%s: %s", err->path, err->text);
    else
        snprintf(out, size, "%s", err->text);
    return out;
}

const char *kith_version(void)
{
    return KITH_VERSION;
}

int kith_version_number(void)
{
    return KITH_VERSION_NUMBER;
}

const char *kith_features_built(void)
{
    return ""
#ifdef _OPENMP
           "openmp "
#endif
#ifdef KITH_HAVE_BLAS
           "blas "
#endif
#ifdef KITH_HAVE_XGBOOST
           "xgboost "
#endif
#ifdef KITH_HAVE_ZLIB
           "gzip "
#endif
#ifdef KITH_HAVE_ZSTD
           "zstd "
#endif
#ifdef KITH_HAVE_EXPAT
           "xml "
#endif
#ifdef KITH_HAVE_SQLITE
           "sqlite "
#endif
        ;
}

void kith__note_failure(kith_status got, const kith_error *why, kith_status *st,
                        kith_error *err)
{
    if (got == KITH_OK)
        return;
#pragma omp critical(kith_note_failure)
    if (*st == KITH_OK) {
        *st = got;
        if (err)
            *err = *why;
    }
}
