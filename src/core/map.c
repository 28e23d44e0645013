#include "core/map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/out_set.h"

kith_status kith__map_open(const char *path, kith__map **out, kith_error *err)
{
    kith_status st = kith__outputs_settle(path, err);
    int fd;

    *out = NULL;
    if (st != KITH_OK)
        return st;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kith__fail_errno(err, path, "open");
    st = kith__map_fd(fd, path, out, err);
    close(fd);
    return st;
}

kith_status kith__map_fd(int fd, const char *path, kith__map **out,
                         kith_error *err)
{
    kith_status st = KITH_OK;
    kith__map *map = NULL;
    struct stat at;
    void *bytes;

    *out = NULL;
    TRY_NEW(map, kith__alloc_zeroed(1, sizeof(*map)));
    map->users = 1;
    map->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (map->fd < 0 || fstat(fd, &at) != 0)
        TRY(kith__fail_errno(err, path, "open"));
    TRY_NEW(map->path, kith__copy_string(path, strlen(path)));
    if (at.st_size > 0) {
        bytes = mmap(NULL, (size_t)at.st_size, PROT_READ, MAP_SHARED, fd, 0);
        if (bytes == MAP_FAILED)
            TRY(kith__fail_errno(err, path, "map"));
        map->bytes = bytes;
    }
    map->size = at.st_size;
    *out = map;
    map = NULL;
out:
    kith__map_release(map);
    return st;
}

kith__map *kith__map_share(kith__map *map)
{
    if (map)
        map->users++;
    return map;
}

void kith__map_release(kith__map *map)
{
    if (!map || --map->users > 0)
        return;
    if (map->bytes)
        munmap((void *)map->bytes, (size_t)map->size);
    if (map->fd >= 0)
        close(map->fd);
    kith__free(map->path);
    kith__free(map);
}

/* The whole pages in bytes from `at` on: where they begin, and how many bytes.
 */
static uintptr_t whole_pages(const void *at, int64_t bytes, size_t *length)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)at + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)at + (uintptr_t)bytes) / page * page;

    *length = bytes > 0 && to > from ? to - from : 0;
    return from;
}

void kith__map_ahead(const void *at, int64_t bytes)
{
    size_t length;
    const uintptr_t from = whole_pages(at, bytes, &length);

    if (length > 0)
        (void)madvise((void *)from, length, MADV_WILLNEED);
}

void kith__map_behind(const kith__map *map, const void *at, int64_t bytes)
{
    size_t length;
    const uintptr_t from = whole_pages(at, bytes, &length);

    if (length == 0)
        return;
    (void)madvise((void *)from, length, MADV_DONTNEED);
    (void)posix_fadvise(map->fd, (off_t)(from - (uintptr_t)map->bytes),
                        (off_t)length, POSIX_FADV_DONTNEED);
}
