#include "core/out_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/temp_files.h"

enum { ID = 96, MOST_LIST = 1 << 20 };
static const char first_line[] = "kith set 1", last_line[] = "end";

typedef enum kind {
    A_FILE = 'f',
    A_FOLDER = 'd',
    A_NEW_FOLDER = 'n', /* replaces none, or an empty one */
    A_REMOVAL = 'r',
    A_STREAM = 's' /* written in place */
} kind;

typedef struct item {
    kind kind;
    int fd;      /* of temp, which it keeps locked; -1 if none */
    char *path;  /* where it is to be */
    char *shown; /* that in messages */
    char *temp;  /* where it is, then where what it replaced is; NULL while it
                    has no name */
    char fresh[ID], old[ID]; /* which is which, see identify() */
} item;

struct kith_outputs {
    item *items;
    int64_t n, room;
};

/* ---- items --------------------------------------------------------------- */

kith_status kith_outputs_new(kith_outputs **out, kith_error *err)
{
    *out = kith__alloc_zeroed(1, sizeof(**out));
    return *out ? KITH_OK : kith__no_memory(err);
}

static void release_item(item *it)
{
    if (it->fd >= 0)
        close(it->fd);
    kith__free(it->path);
    kith__free(it->shown);
    kith__free(it->temp);
}

static bool is_folder(const item *it)
{
    return it->kind == A_FOLDER || it->kind == A_NEW_FOLDER;
}

static void remove_temp(const item *it)
{
    if (it->temp && is_folder(it))
        kith__remove_tree(it->temp);
    else if (it->temp)
        (void)unlink(it->temp);
}

/* Forget the items; with `remove` the temporary names go, too. */
static void clear(kith_outputs *s, bool remove)
{
    for (int64_t i = 0; i < s->n; i++) {
        if (remove)
            remove_temp(&s->items[i]);
        release_item(&s->items[i]);
    }
    kith__free(s->items);
    *s = (kith_outputs){0};
}

void kith_outputs_free(kith_outputs *s)
{
    if (!s)
        return;
    clear(s, true);
    kith__free(s);
}

/* Append an item, which is the set's from now on, whole or not. */
static kith_status add(kith_outputs *s, item it, kith_error *err)
{
    if (it.path && it.shown &&
        kith__grow((void **)&s->items, &s->room, s->n + 1, sizeof(it))) {
        s->items[s->n++] = it;
        return KITH_OK;
    }
    remove_temp(&it);
    release_item(&it);
    return kith__no_memory(err);
}

static char *copy(const char *text)
{
    return kith__copy_string(text, strlen(text));
}

kith_status kith__outputs_add(kith_outputs *s, kith__out *o, kith_error *err)
{
    const item it = {.kind = o->stream ? A_STREAM : A_FILE,
                     .fd = o->fd,
                     .path = o->path,
                     .shown = o->shown,
                     .temp = o->temp};

    kith__free(o);
    return add(s, it, err);
}

kith_status kith__outputs_add_folder(kith_outputs *s, const char *path,
                                     const char *temp, int fd, bool replace,
                                     kith_error *err)
{
    const item it = {.kind = replace ? A_FOLDER : A_NEW_FOLDER,
                     .fd = fd,
                     .path = copy(path),
                     .shown = copy(path),
                     .temp = copy(temp)};
    const bool copied = it.temp != NULL;
    const kith_status st = add(s, it, err);

    if (copied)
        return st;
    kith__remove_tree(temp);
    return kith__no_memory(err);
}

kith_status kith__outputs_add_removal(kith_outputs *s, const char *path,
                                      kith_error *err)
{
    struct stat at;

    if (lstat(path, &at) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? KITH_OK
                   : kith__fail_errno(err, path, "remove");
    if (S_ISDIR(at.st_mode)) {
        errno = EISDIR;
        return kith__fail_errno(err, path, "remove");
    }
    return add(s,
               (item){.kind = A_REMOVAL,
                      .fd = -1,
                      .path = copy(path),
                      .shown = copy(path)},
               err);
}

kith_status kith_outputs_open(kith_outputs *s, const char *path, int *fd,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    kith__out *o = NULL;

    *fd = -1;
    TRY(kith__out_open(path, &o, err));
    TRY(kith__outputs_add(s, o, err));
    *fd = s->items[s->n - 1].fd;
out:
    return st;
}

kith_status kith_file_write(const char *path, const void *bytes, size_t length,
                            kith_outputs *with, kith_error *err)
{
    kith__out *o = NULL;
    kith_status st = KITH_OK;

    TRY(kith__out_open(path, &o, err));
    TRY(kith__out_write(o, bytes, (int64_t)length, err));
    st = with ? kith__outputs_add(with, o, err) : kith__out_commit(o, err);
    o = NULL;
out:
    kith__out_abort(o);
    return st;
}

static kith_status fail_item(const item *it, kith_error *err)
{
    return kith__fail_errno(err, it->shown,
                            it->kind == A_FILE      ? "replace"
                            : it->kind == A_REMOVAL ? "remove"
                                                    : "create the folder");
}

/* ---- changing places ----------------------------------------------------- */

/* What tells a file from its successor: unchanged by a rename. */
static bool identify(const char *path, char out[ID])
{
    struct stat at;

    if (lstat(path, &at) != 0) {
        snprintf(out, ID, "-");
        return errno == ENOENT || errno == ENOTDIR;
    }

    snprintf(out, ID, "%" PRIuMAX ".%" PRIdMAX ".%" PRIdMAX ".%ld",
             (uintmax_t)at.st_ino, (intmax_t)at.st_size,
             (intmax_t)at.st_mtim.tv_sec, at.st_mtim.tv_nsec);
    return true;
}

/* Exchange two folders in three steps, where it cannot be done in one. */
static bool exchange_folders(const char *temp, const char *path)
{
    char old[PATH_MAX];
    bool done;

    snprintf(old, sizeof(old), "%s-old", temp);
    if (rename(path, old) != 0)
        return false;
    done = rename(temp, path) == 0;
    (void)rename(old, done ? temp : path);
    return done;
}

/* Let an item take its name.  What it replaces is at its temporary name then,
 * if the file system can do that at once. */
static bool put(const item *it)
{
    struct stat at;

    if (it->kind == A_REMOVAL)
        return rename(it->path, it->temp) == 0;
    if (it->kind == A_NEW_FOLDER || lstat(it->path, &at) != 0)
        return rename(it->temp, it->path) == 0;
    if (is_folder(it) != S_ISDIR(at.st_mode)) {
        errno = is_folder(it) ? ENOTDIR : EISDIR;
        return false;
    }
    if (kith__exchange(it->temp, it->path))
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    return it->kind == A_FOLDER ? exchange_folders(it->temp, it->path)
                                : rename(it->temp, it->path) == 0;
}

/* Take back what put() did; false if all is not as it was. */
static bool take_back(const item *it)
{
    char now[ID];

    if (!identify(it->path, now))
        return false;
    if (strcmp(now, it->old) == 0)
        return true;
    if (strcmp(now, it->fresh) != 0)
        return false;
    if (it->kind == A_NEW_FOLDER || strcmp(it->old, "-") == 0)
        return rename(it->path, it->temp) == 0;
    if (!identify(it->temp, now) || strcmp(now, it->old) != 0)
        return false;
    return it->kind == A_REMOVAL ? rename(it->temp, it->path) == 0 : put(it);
}

/* ---- the list ------------------------------------------------------------ */

/* The bytes of the folder that path lies in, the last slash too. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path + 1) : 0;
}

static kith_status list_item(const item *it, const char *first, kith__out *o,
                             kith_error *err)
{
    const size_t folder = folder_length(first);
    const char *path = it->path;
    kith_status st = KITH_OK;
    char *plain = NULL, line[3 * ID];
    int n;

    TRY_NEW(plain, kith__temp_name(path, ""));
    if (strncmp(path, first, folder) == 0)
        path += folder; /* so that the folder may be moved */
    n = snprintf(line, sizeof(line), "%c %s %s %s ", (char)it->kind,
                 it->temp + strlen(plain), it->fresh, it->old);
    TRY(kith__out_write(o, line, n, err));
    TRY(kith__out_write(o, path, (int64_t)strlen(path) + 1, err));
out:
    kith__free(plain);
    return st;
}

/* Write the list and put it in place: this is the moment.  *out keeps it
 * locked. */
static kith_status place_list(const kith_outputs *s, const char *list,
                              kith__out **out, kith_error *err)
{
    const char *first = s->items[0].path;
    kith_status st = KITH_OK;
    kith__out *o = NULL;

    *out = NULL;
    TRY(kith__out_open(list, &o, err));
    TRY(kith__out_write(o, first_line, sizeof(first_line), err));
    for (int64_t i = 0; i < s->n; i++)
        TRY(list_item(&s->items[i], first, o, err));
    TRY(kith__out_write(o, last_line, sizeof(last_line), err));
    if (fsync(o->fd) != 0 ||
        (!o->temp && !kith__temp_rename(list, false, o->fd, &o->temp)))
        TRY(kith__fail_errno(err, list, "write"));
    for (int tries = 10; !kith__rename_new(o->temp, list); tries--) {
        if (errno != EEXIST || tries == 0)
            TRY(kith__fail_errno(err, list, "create"));
        TRY(kith__outputs_settle(first, err)); /* another run's */
    }
    kith__free(o->temp);
    o->temp = NULL;
    kith__sync_folder_of(list);
    *out = o;
    o = NULL;
out:
    kith__out_abort(o);
    return st;
}

/* One line: kind, ending of the temporary name, new, old, path. */
static kith_status read_item(const char *line, const char *list,
                             kith_outputs *s, kith_error *err)
{
    item it = {.fd = -1};
    char ending[ID], mark;
    int at = 0;

    if (sscanf(line, "%c %95s %95s %95s %n", &mark, ending, it.fresh, it.old,
               &at) != 4 ||
        !line[at] || !strchr("fdnr", mark) || strchr(ending, '/') ||
        strncmp(ending, ".kith-new-", 10) != 0)
        return kith__fail(err, KITH_ERR_CORRUPT, list, 0,
                          "is no list of outputs, expected what Kith wrote");
    it.kind = (kind)mark;
    if (line[at] == '/') {
        it.path = copy(line + at);
    } else {
        char *folder = kith__copy_string(list, folder_length(list));

        it.path = folder ? kith__join(folder, line + at, "") : NULL;
        kith__free(folder);
    }
    it.temp = it.path ? kith__temp_name(it.path, ending) : NULL;
    it.shown = it.temp ? copy(it.path) : NULL;
    return add(s, it, err);
}

static kith_status read_list(const char *list, int fd, kith_outputs *s,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    struct stat at;
    char *text = NULL;
    bool ended = false;

    if (fstat(fd, &at) != 0)
        TRY(kith__fail_errno(err, list, "read"));
    /* Names from others are not to be trusted with our rights. */
    if (!S_ISREG(at.st_mode) || at.st_uid != geteuid() ||
        at.st_size > MOST_LIST || at.st_size < (off_t)sizeof(first_line))
        TRY(kith__fail(err, KITH_ERR_IO, list, 0,
                       "is of a run of another user that was killed, who has "
                       "to run a command on these files again"));
    TRY_NEW(text, kith__alloc_zeroed(at.st_size + 1, 1));
    if (!kith__read_at(fd, text, at.st_size, 0))
        TRY(kith__fail_errno(err, list, "read"));
    if (strcmp(text, first_line) == 0)
        for (const char *line = text + sizeof(first_line);
             line < text + at.st_size && !ended; line += strlen(line) + 1) {
            ended = strcmp(line, last_line) == 0;
            if (!ended)
                TRY(read_item(line, list, s, err));
        }
    if (!ended)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, list, 0,
                       "is no list of outputs, expected what Kith wrote"));
out:
    kith__free(text);
    return st;
}

/* ---- finishing ----------------------------------------------------------- */

/* Put what is not yet, unless somebody else has changed what was there. */
static kith_status forward(const item *it, kith_error *err)
{
    char now[ID], temp[ID];
    const bool known = identify(it->path, now) && identify(it->temp, temp);
    bool due = known && strcmp(now, it->old) == 0;

    if (known && it->kind != A_REMOVAL)
        due = strcmp(temp, it->fresh) == 0 && (due || strcmp(now, "-") == 0);
    if (known && (!due || put(it)))
        return KITH_OK;
    return kith__fail_errno(err, it->shown, "finish what a killed run began");
}

/* Remove the list and what has a temporary name: first what goes for sure, the
 * old ones if all is `done`, or else the list, by which they would be put. */
static void clean(const kith_outputs *s, const char *list, bool done)
{
    if (!done)
        (void)unlink(list);
    for (int64_t i = 0; i < s->n; i++) {
        char old[PATH_MAX]; /* see exchange_folders() */

        remove_temp(&s->items[i]);
        snprintf(old, sizeof(old), "%s-old", s->items[i].temp);
        if (s->items[i].kind == A_FOLDER)
            kith__remove_tree(old);
    }
    if (done)
        (void)unlink(list);
}

static void sync_folders(const kith_outputs *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const char *path = s->items[i].path;
        const size_t folder = folder_length(path);

        if (i == 0 || folder != folder_length(s->items[i - 1].path) ||
            strncmp(path, s->items[i - 1].path, folder) != 0)
            kith__sync_folder_of(path);
    }
}

/* Wait until no living run has the list; *gone if there is none any more. */
static kith_status lock_list(int fd, const char *path, bool *gone,
                             kith_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct stat at;
    int tries = 1000;

    while (flock(fd, LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && --tries > 0)
        (void)nanosleep(&pause, NULL);
    if (tries == 0)
        return kith__fail(err, KITH_ERR_IO, path, 0,
                          "is being replaced by another run");
    *gone = fstat(fd, &at) == 0 && at.st_nlink == 0;
    return KITH_OK;
}

/* No list can be there, or none that we may see. */
static bool means_none(int why)
{
    return why == ENOENT || why == ENOTDIR || why == EACCES ||
           why == ENAMETOOLONG || why == ELOOP;
}

kith_status kith__outputs_settle(const char *path, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_outputs s = {0};
    char real[PATH_MAX], *list = NULL;
    bool gone = false;
    int fd = -1;

    TRY_NEW(list,
            kith__temp_name(realpath(path, real) ? real : path, ".kith-set"));
    fd = open(list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && !means_none(errno))
        TRY(kith__fail_errno(err, list, "open"));
    if (fd < 0)
        goto out;
    TRY(lock_list(fd, path, &gone, err));
    if (gone)
        goto out;
    TRY(read_list(list, fd, &s, err));
    for (int64_t i = 0; i < s.n; i++)
        TRY(forward(&s.items[i], err));
    sync_folders(&s);
    clean(&s, list, true);
out:
    clear(&s, false);
    if (fd >= 0)
        close(fd);
    kith__free(list);
    return st;
}

/* ---- the end ------------------------------------------------------------- */

/* Sync all; streams are done with. */
static kith_status sync_all(kith_outputs *s, kith_error *err)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < s->n; i++) {
        item *it = &s->items[i];

        if (it->kind == A_STREAM) {
            release_item(it);
            continue;
        }
        s->items[kept] = *it;
        kept++;
    }
    s->n = kept;
    for (int64_t i = 0; i < s->n; i++)
        if (s->items[i].fd >= 0 && fsync(s->items[i].fd) != 0)
            return kith__fail_errno(err, s->items[i].shown, "write");
    return KITH_OK;
}

/* One needs no list, but for a folder that replaces a full one: not *done. */
static kith_status commit_one(item *it, bool *done, kith_error *err)
{
    if (it->kind == A_FILE && !it->temp &&
        !kith__temp_rename(it->path, false, it->fd, &it->temp))
        return kith__fail_errno(err, it->shown, "create");
    if (it->kind == A_REMOVAL) {
        *done = unlink(it->path) == 0;
    } else {
        *done = rename(it->temp, it->path) == 0;
        if (!*done && (errno == ENOTEMPTY || errno == EEXIST) &&
            it->kind == A_FOLDER)
            return KITH_OK;
    }
    return *done ? KITH_OK : fail_item(it, err);
}

/* Give an item the name that it waits under. */
static kith_status let_wait(item *it, kith_error *err)
{
    if (it->kind == A_REMOVAL) /* a name to move it to */
        it->fd = kith__temp_file(it->path, &it->temp);
    if ((it->kind == A_REMOVAL && it->fd < 0) ||
        !kith__temp_rename(it->path, true, it->fd, &it->temp))
        return kith__fail_errno(err, it->shown, "create");
    if (!identify(it->temp, it->fresh) || !identify(it->path, it->old))
        return kith__fail_errno(err, it->shown, "create");
    if (it->kind == A_REMOVAL)
        snprintf(it->fresh, ID, "-");
    return KITH_OK;
}

/* Put all, or none. */
static kith_status put_all(const kith_outputs *s, bool *stuck, kith_error *err)
{
    int64_t i = 0;
    kith_status st;

    while (i < s->n && put(&s->items[i]))
        i++;
    if (i == s->n)
        return KITH_OK;
    st = fail_item(&s->items[i], err);
    for (; i >= 0; i--)
        *stuck |= !take_back(&s->items[i]);
    return st;
}

static kith_status commit_several(kith_outputs *s, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__out *held = NULL;
    char *list = NULL;
    bool stuck = false;

    TRY_NEW(list, kith__temp_name(s->items[0].path, ".kith-set"));
    for (int64_t i = 0; i < s->n; i++)
        TRY(let_wait(&s->items[i], err));
    sync_folders(s);
    TRY(place_list(s, list, &held, err));
    TRY(put_all(s, &stuck, err));
    sync_folders(s);
out:
    if (stuck) /* some are in place: the next run finishes */
        clear(s, false);
    else if (held)
        clean(s, list, st == KITH_OK);
    kith__out_abort(held);
    kith__free(list);
    return st;
}

kith_status kith_outputs_commit(kith_outputs *s, kith_error *err)
{
    kith_status st = KITH_OK;
    bool done = false;

    TRY(sync_all(s, err));
    if (s->n == 1) {
        TRY(commit_one(&s->items[0], &done, err));
        if (done)
            kith__sync_folder_of(s->items[0].path);
    }
    if (!done && s->n > 0)
        TRY(commit_several(s, err));
    for (int64_t i = 0; i < s->n; i++)
        kith__temp_sweep(s->items[i].path, true);
out:
    clear(s, st != KITH_OK);
    return st;
}
