#include "core/alloc.h"

#include <sys/mman.h>

#include "core/status.h"

static void *(*hook_alloc)(size_t) = malloc;
static void *(*hook_resize)(void *, size_t) = realloc;
static void (*hook_release)(void *) = free;

void kith_set_allocator(void *(*alloc)(size_t), void *(*resize)(void *, size_t),
                        void (*release)(void *))
{
    hook_alloc = alloc ? alloc : malloc;
    hook_resize = resize ? resize : realloc;
    hook_release = release ? release : free;
}

/* Bytes to ask for, at least 1; 0 if count * size is not a size. */
static size_t checked_bytes(int64_t count, size_t size)
{
    size_t bytes;

    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > PTRDIFF_MAX)
        return 0;
    return bytes ? bytes : 1;
}

void *kith__alloc(int64_t count, size_t size)
{
    const size_t bytes = checked_bytes(count, size);

    return bytes ? hook_alloc(bytes) : NULL;
}

void *kith__alloc_zeroed(int64_t count, size_t size)
{
    const size_t bytes = checked_bytes(count, size);
    void *block;

    /* calloc's fresh pages need no clearing: it matters for big arrays. */
    if (hook_alloc == malloc)
        return bytes ? calloc(1, bytes) : NULL;
    block = bytes ? hook_alloc(bytes) : NULL;
    if (block)
        memset(block, 0, bytes);
    return block;
}

/*
 * A fault for each small page costs more than most of what is done with it, so
 * big arrays get whole huge pages, where the allocator is ours to choose.
 */
void *kith__alloc_big(int64_t count, size_t size)
{
    const size_t huge = (size_t)1 << 21, bytes = checked_bytes(count, size);
    const size_t whole = (bytes + huge - 1) & ~(huge - 1);
    void *block;

    if (hook_alloc != malloc || bytes < huge / 2)
        return kith__alloc(count, size);
    block = aligned_alloc(huge, whole);
    if (block)
        (void)madvise(block, whole, MADV_HUGEPAGE);
    return block;
}

void *kith__resize(void *block, int64_t count, size_t size)
{
    const size_t bytes = checked_bytes(count, size);

    return bytes ? hook_resize(block, bytes) : NULL;
}

void kith__free(void *block)
{
    if (block)
        hook_release(block);
}

void kith_array_free(void *array)
{
    kith__free(array);
}

char *kith__copy_string(const char *text, size_t length)
{
    char *copy = kith__alloc((int64_t)length + 1, 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *kith__join(const char *a, const char *b, const char *c)
{
    const size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
    char *joined = kith__alloc((int64_t)(la + lb + lc + 1), 1);

    if (joined) {
        memcpy(joined, a, la);
        memcpy(joined + la, b, lb);
        memcpy(joined + la + lb, c, lc + 1);
    }
    return joined;
}

bool kith__grow(void **array, int64_t *capacity, int64_t need, size_t size)
{
    int64_t bigger = *capacity < 16 ? 16 : *capacity;
    void *moved;

    if (need <= *capacity)
        return true;
    while (bigger < need)
        if (!kith__multiply(bigger, 2, &bigger))
            return false;
    moved = *array ? kith__resize(*array, bigger, size)
                   : kith__alloc_big(bigger, size);
    if (!moved)
        return false;
    *array = moved;
    *capacity = bigger;
    return true;
}
