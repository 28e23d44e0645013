#include "core/temp_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

enum { LONGEST = 200 /* bytes of NAME, so that the rest fits into a name */ };

/* Where NAME begins in FOLDER/NAME, and how much of it is used. */
static const char *name_of(const char *path, int *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t n = strlen(name);

    *length = (int)(n < LONGEST ? n : LONGEST);
    return name;
}

char *kith__temp_name(const char *path, const char *ending)
{
    const size_t room = strlen(path) + strlen(ending) + 2;
    char *out = kith__alloc((int64_t)room, 1);
    int length;
    const char *name = name_of(path, &length);

    if (out)
        snprintf(out, room, "%.*s.%.*s%s", (int)(name - path), path, length,
                 name, ending);
    return out;
}

/* The folder of path, without memory of ours: the calls that use it are done
 * as well as can be. */
static bool folder_into(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) : 1;

    if (n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(out, PATH_MAX, "%.*s", slash == path ? 1 : (int)n,
             slash ? path : ".");
    return true;
}

/* ---- making -------------------------------------------------------------- */

/* Lock what was just made.  False if a sweep was faster.  Where there are no
 * locks a sweep gets none either, and removes nothing. */
static bool lock_new(int fd)
{
    struct stat at;

    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &at) == 0 && at.st_nlink > 0;
}

int kith__temp_unnamed(const char *path)
{
    char folder[PATH_MAX];
    int fd = -1;

    if (folder_into(path, folder))
        fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

/* One way to take a name that may be taken (EEXIST). */
typedef bool take_fn(const char *name, const char *from, int *fd);

static bool take_file(const char *name, const char *from, int *fd)
{
    (void)from;
    *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*fd < 0)
        return false;
    if (lock_new(*fd))
        return true;
    close(*fd);
    *fd = -1;
    errno = EEXIST;
    return false;
}

static bool take_folder(const char *name, const char *from, int *fd)
{
    int why;

    (void)from;
    if (mkdir(name, 0777) != 0)
        return false;
    *fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd >= 0 && lock_new(*fd))
        return true;
    why = *fd >= 0 ? EEXIST : errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    (void)rmdir(name);
    errno = why;
    return false;
}

static bool take_link(const char *name, const char *from, int *fd)
{
    (void)fd;
    return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool take_rename(const char *name, const char *from, int *fd)
{
    (void)fd;
    return kith__rename_new(from, name);
}

/* Take the first name that is free; NULL with errno if none can be had. */
static char *take(const char *path, bool waits, take_fn *how, const char *from,
                  int *fd)
{
    char ending[64];

    for (int n = 0; n < 1000; n++) {
        char *name;

        snprintf(ending, sizeof(ending), ".kith-%s%ld-%d", waits ? "new-" : "",
                 (long)getpid(), n);
        name = kith__temp_name(path, ending);
        if (!name)
            errno = ENOMEM;
        if (!name || how(name, from, fd))
            return name;
        kith__free(name);
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

int kith__temp_file(const char *path, char **name)
{
    int fd = -1;

    *name = take(path, false, take_file, NULL, &fd);
    return fd;
}

int kith__temp_folder(const char *path, char **name)
{
    int fd = -1;

    *name = take(path, false, take_folder, NULL, &fd);
    return fd;
}

bool kith__temp_rename(const char *path, bool waits, int fd, char **name)
{
    char self[48], *made;

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    made = *name ? take(path, waits, take_rename, *name, NULL)
                 : take(path, waits, take_link, self, NULL);
    if (!made)
        return false;
    kith__free(*name);
    *name = made;
    return true;
}

bool kith__temp_like(int fd, const char *path, unsigned needed)
{
    struct stat old, own;
    mode_t mode;

    if (stat(path, &old) != 0)
        return true;
    if (fstat(fd, &own) != 0)
        return false;
    mode = (old.st_mode & 0777) | needed;
    if ((old.st_uid != own.st_uid || old.st_gid != own.st_gid) &&
        fchown(fd, old.st_uid, old.st_gid) != 0 &&
        fchown(fd, (uid_t)-1, old.st_gid) != 0)
        /* What its group might do, ours may only if all might. */
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    return mode == (own.st_mode & 0777) || fchmod(fd, mode) == 0;
}

/* ---- sweeping ------------------------------------------------------------ */

static int remove_entry(const char *path, const struct stat *at, int type,
                        struct FTW *place)
{
    (void)at, (void)type, (void)place;
    return remove(path);
}

void kith__remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Skip digits, at least one; NULL if there are none. */
static const char *digits(const char *at)
{
    const size_t n = at ? strspn(at, "0123456789") : 0;

    return n > 0 ? at + n : NULL;
}

/* Is what follows ".NAME" the ending of a temporary name? */
static bool is_ending(const char *at, bool waiting)
{
    if (strncmp(at, ".kith-", 6) != 0)
        return false;
    at += 6;
    if (waiting && strncmp(at, "new-", 4) == 0)
        at += 4;
    at = digits(at);
    at = digits(at && *at == '-' ? at + 1 : NULL);
    return at && (*at == '\0' || (waiting && strcmp(at, "-old") == 0));
}

/* Remove a file or folder that nobody has locked. */
static void remove_dead(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
                                  O_CLOEXEC);
    struct stat at;

    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &at) == 0 &&
        at.st_nlink > 0) {
        if (S_ISREG(at.st_mode))
            (void)unlink(path);
        else if (S_ISDIR(at.st_mode))
            kith__remove_tree(path);
    }
    close(fd);
}

void kith__temp_sweep(const char *path, bool waiting)
{
    char folder[PATH_MAX], at[PATH_MAX + NAME_MAX + 2];
    DIR *dir = folder_into(path, folder) ? opendir(folder) : NULL;
    const struct dirent *entry;
    int length;
    const char *name = name_of(path, &length);

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] == '.' &&
            strncmp(entry->d_name + 1, name, (size_t)length) == 0 &&
            is_ending(entry->d_name + 1 + length, waiting)) {
            snprintf(at, sizeof(at), "%s/%s", folder, entry->d_name);
            remove_dead(at);
        }
    if (dir)
        closedir(dir);
}

/* ---- names --------------------------------------------------------------- */

bool kith__exchange(const char *a, const char *b)
{
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
}

bool kith__rename_new(const char *from, const char *to)
{
    struct stat at;

    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (lstat(to, &at) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(from, to) == 0;
}

void kith__sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const int fd = folder_into(path, folder)
                       ? open(folder, O_RDONLY | O_CLOEXEC)
                       : -1;

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}
