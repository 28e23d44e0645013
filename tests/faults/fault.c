/*
 * fault.c: let one system call of a command fail, or kill it there.
 *
 *     fault KIND N COUNT COMMAND...
 *
 * runs COMMAND and counts the calls about files that it makes, of all its
 * threads and across exec, whoever makes them (the C library, too): seccomp
 * hands each to us before it happens.  At the Nth:
 *
 *     none     nothing (N is 0)
 *     kill     the process dies by SIGKILL, the call does not happen
 *     ENOSPC, EIO, EINTR   the call fails so; ENOSPC if it takes space
 *     short    a write takes half of the bytes only
 *     full     from now on, all that takes space fails with ENOSPC
 *     plain    all along: no unnamed files, no exchange of names, as on many
 *              file systems; combined with a kind after a comma: plain,kill
 *
 * COUNT is a file that gets a letter for every call: w a write, s another call
 * that takes space or syncs, r the others; and on a second line whether the
 * fault happened.  The exit status is that of COMMAND, 128 + N if it died of
 * signal N, 124 if it does not end: a minute of processor time, or five of the
 * clock, as others may use the machine, too; 77 if the system cannot do this.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { UNABLE = 77, TOO_LONG = 124, PROCESSOR = 60, SECONDS = 300 };

/* What a call does, which says how it can fail: read, or anything else that
 * takes no space; write bytes; take space otherwise, or sync. */
typedef enum deed { NONE = 0, READS = 'r', WRITES = 'w', TAKES = 's' } deed;

static const struct {
    long number;
    deed deed;
} calls[] = {
#ifdef SYS_open
    {SYS_open, READS},       {SYS_creat, TAKES},
    {SYS_rename, TAKES},     {SYS_link, TAKES},
    {SYS_symlink, TAKES},    {SYS_mkdir, TAKES},
    {SYS_unlink, READS},     {SYS_rmdir, READS},
    {SYS_chmod, READS},      {SYS_chown, READS},
    {SYS_readlink, READS},   {SYS_getdents, READS},
    {SYS_stat, READS},       {SYS_lstat, READS},
    {SYS_access, READS},
#endif
    {SYS_openat, READS}, /* or takes, see deed_of() */
    {SYS_renameat, TAKES},   {SYS_renameat2, TAKES},
    {SYS_linkat, TAKES},     {SYS_symlinkat, TAKES},
    {SYS_mkdirat, TAKES},    {SYS_unlinkat, READS},
    {SYS_fchmod, READS},     {SYS_fchmodat, READS},
    {SYS_fchown, READS},     {SYS_fchownat, READS},
    {SYS_readlinkat, READS}, {SYS_getdents64, READS},
    {SYS_flock, READS},      {SYS_newfstatat, READS},
    {SYS_fstat, READS},      {SYS_statx, READS},
    {SYS_faccessat, READS},  {SYS_faccessat2, READS},
    {SYS_read, READS},       {SYS_pread64, READS},
    {SYS_close, READS},      {SYS_write, WRITES},
    {SYS_pwrite64, WRITES},  {SYS_writev, TAKES},
    {SYS_pwritev, TAKES},    {SYS_pwritev2, TAKES},
    {SYS_ftruncate, TAKES},  {SYS_truncate, TAKES},
    {SYS_fallocate, TAKES},  {SYS_copy_file_range, TAKES},
    {SYS_sendfile, TAKES},   {SYS_fsync, TAKES},
    {SYS_fdatasync, TAKES},  {SYS_sync_file_range, TAKES},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

/* Flags of an open, 0 of other calls. */
static uint64_t open_flags(const struct seccomp_data *d)
{
#ifdef SYS_open
    if (d->nr == SYS_open)
        return d->args[1];
#endif
    return d->nr == SYS_openat ? d->args[2] : 0;
}

static deed deed_of(const struct seccomp_data *d)
{
    if (open_flags(d) & (O_CREAT | O_ACCMODE))
        return TAKES;
    for (int i = 0; i < CALLS; i++)
        if (calls[i].number == d->nr)
            return calls[i].deed;
    return NONE;
}

/* ---- the command's side -------------------------------------------------- */

static int install_filter(void)
{
    struct sock_filter code[2 * CALLS + 2];
    struct sock_fprog program = {.filter = code};
    unsigned short n = 0;

    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                                 SECCOMP_RET_USER_NOTIF);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                             SECCOMP_RET_ALLOW);
    program.len = n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void send_fd(int to, int fd)
{
    char byte = 0, room[CMSG_SPACE(sizeof(fd))] = {0};
    struct iovec one = {&byte, 1};
    struct msghdr m = {.msg_iov = &one,
                       .msg_iovlen = 1,
                       .msg_control = room,
                       .msg_controllen = sizeof(room)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(fd));
    memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    (void)!sendmsg(to, &m, 0);
}

static int receive_fd(int from)
{
    char byte, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec one = {&byte, 1};
    struct msghdr m = {.msg_iov = &one,
                       .msg_iovlen = 1,
                       .msg_control = room,
                       .msg_controllen = sizeof(room)};
    int fd = -1;

    if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
    return fd;
}

static void run_command(int to, char **command)
{
    const struct rlimit most = {PROCESSOR, PROCESSOR + 5};
    const int listener = install_filter(); /* sendmsg() is not listened to */

    if (listener < 0 || setrlimit(RLIMIT_CPU, &most) != 0)
        _exit(UNABLE);
    send_fd(to, listener);
    execvp(command[0], command);
    _exit(127);
}

/* ---- our side ------------------------------------------------------------ */

typedef struct fault {
    const char *kind;
    bool plain;
    long at, count;
    char deeds[100000]; /* a letter for each call */
    bool happened;
    pid_t child;
} fault;

static bool is(const fault *f, const char *kind)
{
    return strcmp(f->kind, kind) == 0;
}

/* Half a write, done here: 0 if it is none that can be halved. */
static int64_t write_half(const struct seccomp_notif *n)
{
    const struct seccomp_data *d = &n->data;
    const size_t half = (size_t)d->args[2] / 2;
    const int process = (int)syscall(SYS_pidfd_open, n->pid, 0);
    int fd = -1;
    char *bytes = malloc(half + 1);
    struct iovec to = {bytes, half};
    struct iovec from = {(void *)(uintptr_t)d->args[1], half};
    int64_t done = 0;

    if (process >= 0)
        fd = (int)syscall(SYS_pidfd_getfd, process, (int)d->args[0], 0);
    if (fd >= 0 && half > 0 && bytes &&
        process_vm_readv((pid_t)n->pid, &to, 1, &from, 1, 0) == (ssize_t)half)
        done = d->nr == SYS_write ? write(fd, bytes, half)
                                  : pwrite(fd, bytes, half, (off_t)d->args[3]);
    free(bytes);
    if (fd >= 0)
        close(fd);
    if (process >= 0)
        close(process);
    return done;
}

/* The call as on a plain file system; 0 if that makes no difference. */
static int plain_error(const struct seccomp_data *d)
{
    if ((open_flags(d) & O_TMPFILE) == O_TMPFILE)
        return -EOPNOTSUPP;
    if (d->nr == SYS_renameat2 && d->args[4] != 0)
        return -EINVAL;
    return 0;
}

static int error_of(const char *kind)
{
    return strcmp(kind, "ENOSPC") == 0 || strcmp(kind, "full") == 0 ? ENOSPC
           : strcmp(kind, "EIO") == 0                               ? EIO
           : strcmp(kind, "EINTR") == 0                             ? EINTR
                                                                    : 0;
}

/* Decide about a call: false if the command died of it. */
static bool decide(fault *f, const struct seccomp_notif *n,
                   struct seccomp_notif_resp *answer)
{
    const deed what = deed_of(&n->data);
    const int error = error_of(f->kind);
    const int plain = f->plain ? plain_error(&n->data) : 0;
    const bool now = f->count + 1 == f->at ||
                     (is(f, "full") && f->at > 0 && f->count >= f->at);

    if (f->count < (long)sizeof(f->deeds) - 1)
        f->deeds[f->count++] = (char)what;
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (now && is(f, "kill")) {
        f->happened = true;
        kill(f->child, SIGKILL);
        return false;
    }
    if (what == WRITES && n->data.args[0] == 2)
        return true; /* the message that is waited for */
    if (now && is(f, "short") && what == WRITES) {
        answer->val = write_half(n);
        f->happened = answer->val > 0;
        answer->flags = f->happened ? 0 : answer->flags;
    } else if (now && error && (error != ENOSPC || what != READS)) {
        f->happened = true;
        answer->flags = 0;
        answer->error = -error;
    } else if (plain) {
        answer->flags = 0;
        answer->error = plain;
    }
    return true;
}

static int now_in_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)t.tv_sec;
}

/* Answer until the command ends; its exit status. */
static int listen_to(fault *f, int listener)
{
    const int begun = now_in_seconds();
    int status = 0;

    while (waitpid(f->child, &status, WNOHANG) == 0) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        struct seccomp_notif n = {0};
        struct seccomp_notif_resp answer = {0};

        if (now_in_seconds() - begun > SECONDS) {
            kill(f->child, SIGKILL);
            waitpid(f->child, &status, 0);
            return TOO_LONG;
        }
        if (poll(&wait, 1, 5) <= 0 || !(wait.revents & POLLIN) ||
            ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0)
            continue;
        answer.id = n.id;
        if (decide(f, &n, &answer))
            (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return TOO_LONG;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell(const fault *f, const char *path)
{
    FILE *out = strcmp(path, "-") == 0 ? NULL : fopen(path, "we");

    if (!out)
        return;
    fprintf(out, "%s\n%s\n", f->deeds, f->happened ? "yes" : "no");
    fclose(out);
}

int main(int argc, char **argv)
{
    static fault f;
    int pair[2], status, listener;

    if (argc < 5) {
        fputs("usage: fault KIND N COUNT COMMAND...\n", stderr);
        return 2;
    }
    f.kind = argv[1];
    f.plain = strncmp(f.kind, "plain", 5) == 0;
    if (f.plain)
        f.kind += f.kind[5] == ',' ? 6 : 5;
    f.at = strtol(argv[2], NULL, 10);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return UNABLE;
    f.child = fork();
    if (f.child == 0)
        run_command(pair[1], argv + 4);
    close(pair[1]);
    listener = receive_fd(pair[0]);
    if (listener < 0) {
        waitpid(f.child, &status, 0);
        return UNABLE;
    }
    status = listen_to(&f, listener);
    tell(&f, argv[3]);
    return status;
}
