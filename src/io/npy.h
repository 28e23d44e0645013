/*
 * npy.h: the header of NumPy's .npy files and of the members of .npz, and the
 * numbers behind it.
 *
 * A file is "\x93NUMPY", a version, the header's length, and a Python
 * dictionary of descr, fortran_order and shape, then the numbers.
 */
#ifndef KITH_IO_NPY_H
#define KITH_IO_NPY_H

#include <stdbool.h>

#include "core/status.h"

enum {
    KITH__NPY_PREFIX = 12,      /* bytes that tell how long the header is */
    KITH__NPY_HEADER = 1 << 16, /* longest header we take */
    KITH__NPY_DIMENSIONS = 8,   /* most we take */
    KITH__NPY_PRINTED = 128     /* the length of those that we write */
};

typedef struct kith__npy {
    char kind;      /* f real, i integer, u unsigned, b bool, S U text */
    int64_t width;  /* bytes of an element */
    char descr[16]; /* as the file says, for messages */
    bool fortran;   /* first index fastest, else the last */
    int dimensions;
    int64_t shape[KITH__NPY_DIMENSIONS];
    int64_t count; /* elements: the shape's product */
    int64_t bytes; /* count x width */
    int64_t start; /* where the numbers begin */
} kith__npy;

/*
 * How long a header is, all in, from its first KITH__NPY_PREFIX bytes.  `name`
 * is the member's in an .npz, or NULL; path is for messages.
 */
kith_status kith__npy_length(const unsigned char *prefix, const char *path,
                             const char *name, int64_t *length,
                             kith_error *err);

/* Parse a whole header of that length. */
kith_status kith__npy_parse(const unsigned char *header, int64_t length,
                            const char *path, const char *name, kith__npy *out,
                            kith_error *err);

bool kith__npy_numeric(const kith__npy *a);

/* Element i of the numbers that begin at `at`.  An integer beyond int64 comes
 * out negative; a real one is not asked for as an integer. */
int64_t kith__npy_integer(const kith__npy *a, const unsigned char *at,
                          int64_t i);
double kith__npy_real(const kith__npy *a, const unsigned char *at, int64_t i);

/* Print the header of a C-order array into KITH__NPY_PRINTED bytes. */
void kith__npy_print(char *out, const char *descr, int dimensions,
                     const int64_t *shape);

#endif
