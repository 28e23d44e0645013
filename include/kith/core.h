/*
 * kith/core.h: what every call shares: status and error, threads, memory,
 * progress, version.
 */
#ifndef KITH_CORE_H
#define KITH_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(KITH_BUILDING)
#define KITH_API __attribute__((visibility("default")))
#else
#define KITH_API
#endif

/* 0 is success; failures are negative. */
typedef enum kith_status {
    KITH_OK = 0,
    KITH_ERR_IO = -1,        /* the system refused to read or write */
    KITH_ERR_PARSE = -2,     /* the input is not what its format asks for */
    KITH_ERR_RANGE = -3,     /* a number or size is outside what is possible */
    KITH_ERR_NOMEM = -4,     /* out of memory, or over the limit given */
    KITH_ERR_ARGUMENT = -5,  /* the caller passed something senseless */
    KITH_ERR_CANCELLED = -6, /* the progress callback asked to stop */
    KITH_ERR_CORRUPT = -7    /* a checksum or a structure does not hold */
} kith_status;

/* What went wrong and where.  The caller owns it; pass NULL to ignore it. */
typedef struct kith_error {
    kith_status status;
    int64_t line;    /* line of the input file, 0 if none */
    char path[1024]; /* the input or output at fault, "" if none */
    char text[512];  /* lower case, no full stop, names the culprit */
} kith_error;

/*
 * Write "PATH:LINE: text" (or the parts there are) into out, always ending it
 * with NUL, the path cut if it must be.  Returns out.
 */
KITH_API char *kith_error_format(const kith_error *err, char *out, size_t size);

/* One step of long work, as told to the caller. */
typedef struct kith_progress {
    const char *stage; /* "reading", "merging", ... */
    int64_t done;
    int64_t total;    /* 0 if unknown */
    const char *unit; /* "bytes", "edges", ... */
} kith_progress;

/* Called from the calling thread only; a nonzero answer cancels the work. */
typedef int (*kith_progress_fn)(void *user, const kith_progress *step);

/* How to run: shared by all long calls.  A zeroed struct is the default. */
typedef struct kith_job {
    int threads;               /* 0 = as many as the machine has */
    int64_t memory;            /* bytes this call may use, 0 = no limit */
    kith_progress_fn progress; /* NULL = silent */
    void *user;                /* handed to progress */
} kith_job;

/*
 * Replace the allocator, for tests and embedders; NULLs bring back the C
 * library's.  Call it before anything else, while no other call runs.
 */
KITH_API void kith_set_allocator(void *(*alloc)(size_t),
                                 void *(*resize)(void *, size_t),
                                 void (*release)(void *));

/* Free an array or text that a call handed over.  NULL is fine. */
KITH_API void kith_array_free(void *array);

/*
 * The open descriptor that a path stands for: N of /dev/fd/N or
 * /proc/self/fd/N, 0 to 2 of /dev/stdin, /dev/stdout and /dev/stderr; -1 of
 * every other path.  Output there is written through the descriptor: behind
 * what it holds already, and never in the place of the file.
 */
KITH_API int kith_path_descriptor(const char *path);

/* Is that no file of its own, but "-", a descriptor, a pipe or a device?  Then
 * nothing lies beside it, such as PATH.nodes.txt. */
KITH_API bool kith_path_is_stream(const char *path);

/*
 * Files that appear together, whole or not at all.  A process that is killed at
 * any moment leaves all the old ones or all the new ones.  (Killed while they
 * change places, it leaves a list beside the first, by which the next call of
 * this library that opens the first finishes that.)
 */
typedef struct kith_outputs kith_outputs;

KITH_API kith_status kith_outputs_new(kith_outputs **out, kith_error *err);

/* Begin a file: *fd, which stays the set's, is to be written to.  What is no
 * file, such as a pipe or "-", is written in place. */
KITH_API kith_status kith_outputs_open(kith_outputs *s, const char *path,
                                       int *fd, kith_error *err);

/* Sync all and give them their names.  The set is empty then, also on failure,
 * which leaves what was there before. */
KITH_API kith_status kith_outputs_commit(kith_outputs *s, kith_error *err);

/* What was not committed is gone.  NULL is fine. */
KITH_API void kith_outputs_free(kith_outputs *s);

/* Write bytes to a file that appears whole or not at all, with the others of a
 * set if `with` is not NULL; "-" is standard output. */
KITH_API kith_status kith_file_write(const char *path, const void *bytes,
                                     size_t length, kith_outputs *with,
                                     kith_error *err);

/* The version of this header: "MAJOR.MINOR.PATCH", and the same as a number
 * that grows, 10000 MAJOR + 100 MINOR + PATCH. */
#define KITH_VERSION        "0.1.0"
#define KITH_VERSION_NUMBER 100

/* The same of the library that is linked. */
KITH_API const char *kith_version(void);
KITH_API int kith_version_number(void);

/* What was compiled in: "openmp gzip zstd", for bug reports. */
KITH_API const char *kith_features_built(void);

/* Is `candidate` near enough to `typed` to be what was meant?  Answers how many
 * edits apart they are, 0 for an abbreviation, -1 if it is not. */
KITH_API int kith_near_miss(const char *typed, const char *candidate);

#ifdef __cplusplus
}
#endif
#endif
