/*
 * map.h: a file mapped into memory, shared by the objects that lie in it.
 */
#ifndef KITH_CORE_MAP_H
#define KITH_CORE_MAP_H

#include "core/status.h"

typedef struct kith__map {
    char *path;
    const unsigned char *bytes;
    int64_t size;
    int users;
    int fd;
} kith__map;

/* Map a regular file, read only, with one user. */
kith_status kith__map_open(const char *path, kith__map **out, kith_error *err);
/* The same for a file that is open; path is for messages.  fd stays the
 * caller's. */
kith_status kith__map_fd(int fd, const char *path, kith__map **out,
                         kith_error *err);
kith__map *kith__map_share(kith__map *map); /* one more user */
void kith__map_release(kith__map *map);     /* one fewer; NULL is fine */

/* Bytes that are needed soon, and (of this map) not for long: whole pages of
 * them are read ahead, or given back to the system.  Hints only. */
void kith__map_ahead(const void *at, int64_t bytes);
void kith__map_behind(const kith__map *map, const void *at, int64_t bytes);

#endif
