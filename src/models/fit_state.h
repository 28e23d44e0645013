/*
 * fit_state.h: what a method learnt, by name: arrays of numbers and short
 * texts. It is all that the model file keeps of a method with parameters of its
 * own, so what is in it must be enough to predict again and to train again with
 * the same choices.
 *
 *     float *B = kith__fit_state_array(s, "weights", columns, classes);
 *     kith__fit_state_set(s, "h", .5);
 *     kith__fit_state_choose(s, "transform", "tf-idf");
 */
#ifndef KITH_MODELS_FIT_STATE_H
#define KITH_MODELS_FIT_STATE_H

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

typedef struct kith__fit_state {
    kith__entry *entries;
    int64_t n, capacity;
} kith__fit_state;

void kith__fit_state_release(kith__fit_state *s); /* a zeroed one is fine */

/* The entry of that name, NULL if there is none. */
const kith__entry *kith__fit_state_find(const kith__fit_state *s,
                                        const char *name);

/* Add or replace.  False (NULL) if there is no memory. */
bool kith__fit_state_set(kith__fit_state *s, const char *name, double number);
bool kith__fit_state_choose(kith__fit_state *s, const char *name,
                            const char *text);
float *kith__fit_state_array(kith__fit_state *s, const char *name, int64_t rows,
                             int64_t columns); /* zeroed */

/* Take the arrays out. */
void kith__fit_state_drop_arrays(kith__fit_state *s);

/* What is there; else `otherwise`, "" or NULL.  A model file is not trusted:
 * an array comes back only if it is rows x columns. */
double kith__fit_state_number(const kith__fit_state *s, const char *name,
                              double otherwise);
const char *kith__fit_state_text(const kith__fit_state *s, const char *name);
const float *kith__fit_state_values(const kith__fit_state *s, const char *name,
                                    int64_t rows, int64_t columns);

/* The numbers and texts of `from`, not its arrays. */
bool kith__fit_state_copy_choices(const kith__fit_state *from,
                                  kith__fit_state *to);

#endif
