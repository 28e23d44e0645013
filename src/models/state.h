/*
 * state.h: what a method learnt, by name: arrays of numbers and short texts.
 * It is all that the model file keeps of a method with parameters of its own,
 * so what is in it must be enough to predict again and to train again with the
 * same choices.
 *
 *     float *B = kith__state_array(s, "weights", columns, classes);
 *     kith__state_set(s, "h", .5);
 *     kith__state_choose(s, "transform", "tf-idf");
 */
#ifndef KITH_MODELS_STATE_H
#define KITH_MODELS_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* One of three: a text, a number (rows and columns 0), an array. */
typedef struct kith__entry {
    char *name;
    char *text; /* NULL unless it is one */
    double number;
    int64_t rows, columns;
    float *values; /* rows x columns */
} kith__entry;

typedef struct kith__state {
    kith__entry *entries;
    int64_t n, capacity;
} kith__state;

void kith__state_release(kith__state *s); /* a zeroed one is fine */

/* The entry of that name, NULL if there is none. */
const kith__entry *kith__state_find(const kith__state *s, const char *name);

/* Add or replace.  False (NULL) if there is no memory. */
bool kith__state_set(kith__state *s, const char *name, double number);
bool kith__state_choose(kith__state *s, const char *name, const char *text);
float *kith__state_array(kith__state *s, const char *name, int64_t rows,
                         int64_t columns); /* zeroed */

/* What is there; else `otherwise`, "" or NULL.  A model file is not trusted:
 * an array comes back only if it is rows x columns. */
double kith__state_number(const kith__state *s, const char *name,
                          double otherwise);
const char *kith__state_text(const kith__state *s, const char *name);
const float *kith__state_values(const kith__state *s, const char *name,
                                int64_t rows, int64_t columns);

/* The numbers and texts of `from`, not its arrays. */
bool kith__state_copy_choices(const kith__state *from, kith__state *to);

#endif
