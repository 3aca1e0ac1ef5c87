/*
 * helper.c: helve-sandbox, the program between helve's guard and a confined command (LIBDIR/helve/helve-sandbox).
 *
 *   helve-sandbox PLAN PROGRAM ARGUMENT…
 *   helve-sandbox PLAN                         started ahead: program and arguments come on a socket (helper_late.c),
 *                                              before them the rest of the plan, where it says so
 *
 * Where bubblewrap works, it has two halves. The outer one starts bubblewrap, waits, and ends exactly as the command
 * ended, by a signal too: to helve's guard it is the command. The inner one (helper_inner.c) is what bubblewrap starts;
 * it opens the way to the proxy, starts the command and reports how it ended. Bubblewrap is started as a child of the
 * guard, not of the outer half, so that what the command leaves behind gets from the guard the time that it gets
 * without a sandbox, and dies with the guard. All of them stay in the command's process group, with all signals
 * blocked: whoever signals the group reaches the command, and it alone acts on it.
 *
 * Where only Landlock is there, the helper confines itself and becomes the command (helper_landlock.c).
 *
 * It uses nothing but libc and is linked statically where possible, so that it starts in a quarter of a millisecond.
 */
#include "sandbox/helper.h"

#include "proc/guard_exec.h"
#include "proc/guard_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAST_WAIT_MS = 2000, CHILD_STACK = 256 * 1024 };

/* ---- plans --------------------------------------------------------------------------------------------- */

struct item item_next(const char *rest)
{
    struct item item = {0};
    char *end;
    if (!rest || !*rest)
        return item;
    unsigned long long len = strtoull(rest + 1, &end, 10);
    if (*end != ':' || strnlen(end + 1, len) < len)
        return item;
    item.kind = (unsigned char)*rest;
    item.text = end + 1;
    item.len = len;
    item.rest = item.text + len;
    return item;
}

struct item item_find(const char *plan, int kind)
{
    struct item item = item_next(plan);
    while (item.kind && item.kind != kind)
        item = item_next(item.rest);
    return item;
}

char *item_text(const struct item *item)
{
    char *text = strndup(item->text, item->len);
    if (!text)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    return text;
}

void fail(int code, const char *what, const char *name)
{
    fprintf(stderr, HELPER_NAME "%s%s%s%s%s\n", what, *name ? " " : "", name, errno ? ": " : "",
            errno ? strerror(errno) : "");
    _exit(code);
}

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

unsigned char *filter_bytes(const char *plan, size_t *size)
{
    struct item item = item_find(plan, HELPER_FILTER);
    *size = item.len / 2;
    if (!*size)
        return NULL;
    unsigned char *bytes = malloc(*size);
    if (!bytes)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (size_t i = 0; i < *size; i++)
        bytes[i] = (unsigned char)(digit_of(item.text[2 * i]) << 4 | digit_of(item.text[2 * i + 1]));
    return bytes;
}

bool apply_environment(const char *plan)
{
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        if ((item.kind == HELPER_SET && putenv(item_text(&item))) ||
            (item.kind == HELPER_UNSET && unsetenv(item_text(&item))))
            return false;
    return true;
}

bool apply_limits(const char *plan)
{
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        char *end;
        if (item.kind != HELPER_LIMIT)
            continue;
        long resource = strtol(item.text, &end, 10);
        if (*end != ':' || !guard_limit((int)resource, strtoull(end + 1, NULL, 10)))
            return false;
    }
    return true;
}

pid_t start_in_memory(int (*run)(void *data), void *data, int flags, int *handle)
{
    static char stack[CHILD_STACK] __attribute__((aligned(64)));
    return clone(run, stack + sizeof stack, flags | CLONE_VM | CLONE_VFORK | SIGCHLD, data, handle);
}

/* ---- the outer half ------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len)
        fail(HELPER_EXIT_SANDBOX, "cannot write", path);
    close(fd);
}

/* The limits that count the whole tree. helve has made the groups; joining them is the helper's, so that all that it
 * starts is in them. */
static void join_groups(const char *plan)
{
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        if (item.kind == HELPER_JOIN)
            write_file(item_text(&item), "0", 1);
        else if (item.kind == HELPER_OOM)
            write_file("/proc/self/oom_score_adj", item.text, item.len);
}

static int memory_file(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        fail(HELPER_EXIT_SANDBOX, "cannot make a file in memory", "");
    return fd;
}

static void append(int fd, const void *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t wrote = write(fd, (const char *)bytes + done, len - done);
        if (wrote < 0 && errno != EINTR)
            fail(HELPER_EXIT_SANDBOX, "cannot write to a file in memory", "");
        done += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* In a directory that has gone bubblewrap would go on in the home folder: with this it runs nothing. */
static void append_directory(int fd)
{
    char option[] = "--chdir", *directory = getcwd(NULL, 0);
    if (!directory)
        fail(HELPER_EXIT_SANDBOX, "cannot enter", "the working directory");
    append(fd, option, sizeof option);
    append(fd, directory, strlen(directory) + 1);
    free(directory);
}

static int words_file(const char *plan, bool has_filter, bool has_network, bool late)
{
    char network[] = "--unshare-net";
    char filter[] = "--seccomp\0"
                    "14";
    _Static_assert(HELPER_FD_FILTER == 14, "the number is part of a text");
    int fd = memory_file("words");
    char *words = calloc(strlen(plan) + 1, 1), *end = words; /* with its head, an item is longer than the word */
    if (!words)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    if (!late)
        append_directory(fd); /* first: the words may name another */
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        if (item.kind == HELPER_BWRAP_WORD) {
            memcpy(end, item.text, item.len);
            end += item.len + 1;
        }
    append(fd, words, (size_t)(end - words));
    free(words);
    if (has_filter)
        append(fd, filter, sizeof filter);
    if (!has_network)
        append(fd, network, sizeof network);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static int plan_file(const char *plan, char **argv)
{
    int fd = memory_file("plan");
    append(fd, plan, strlen(plan) + 1);
    for (; *argv; argv++)
        append(fd, *argv, strlen(*argv) + 1);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static int filter_file(const char *plan)
{
    size_t size;
    unsigned char *bytes = filter_bytes(plan, &size);
    if (!bytes)
        return -1;
    int fd = memory_file("filter");
    append(fd, bytes, size);
    lseek(fd, 0, SEEK_SET);
    free(bytes);
    return fd;
}

/* Without the proxy a command runs as well; it reaches nothing. */
static int connect_proxy(const char *plan)
{
    struct item item = item_find(plan, HELPER_PROXY);
    const char *name = item.kind ? memchr(item.text, ':', item.len) : NULL;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!name)
        return -1;
    size_t len = item.len - (size_t)(++name - item.text);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || len > sizeof address.sun_path - 1)
        return -1;
    memcpy(address.sun_path + 1, name, len);
    if (connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len))) {
        close(fd);
        return -1;
    }
    return fd;
}

static void place(int fd, int number)
{
    if (fd >= 0 && (fd == number ? fcntl(fd, F_SETFD, 0) : dup2(fd, number)) < 0)
        fail(HELPER_EXIT_SANDBOX, "cannot pass a descriptor on", "");
}

__attribute__((noreturn)) static void become_bubblewrap(const char *plan, char **argv, int status)
{
    struct item program = item_find(plan, HELPER_BWRAP);
    char *self = realpath("/proc/self/exe", NULL), number[] = "10";
    _Static_assert(HELPER_FD_WORDS == 10, "the number is part of a text");
    bool mounts = item_find(plan, HELPER_LATER).kind; /* then the inner half needs what the filter forbids */
    int filter = mounts ? -1 : filter_file(plan);
    char name[] = "bwrap", option[] = "--args", end[] = "--", half[] = "inner";
    char *words[] = {name, option, number, end, self, half, NULL};
    if (!self)
        fail(HELPER_EXIT_SANDBOX, "cannot find itself", "");
    place(filter, HELPER_FD_FILTER);
    int proxy = connect_proxy(plan);
    place(proxy, HELPER_FD_PROXY);
    place(plan_file(plan, argv), HELPER_FD_PLAN);
    place(status, HELPER_FD_STATUS);
    if (mounts) /* opened here: inside it would be that of another network */
        place(open("/proc/net/unix", O_RDONLY | O_CLOEXEC), HELPER_FD_SOCKETS);
    place(words_file(plan, filter >= 0, enter_network(proxy < 0 ? -1 : HELPER_FD_PROXY), !*argv), HELPER_FD_WORDS);
    if (!*argv) {
        place(GUARD_LATE_FD, HELPER_FD_LATE);
        close(GUARD_LATE_FD);
    }
    execv(item_text(&program), words);
    fail(HELPER_EXIT_SANDBOX, "cannot start", name);
}

/* End as the command did. */
__attribute__((noreturn)) static void end_as(int status)
{
    sigset_t none;
    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    prctl(PR_SET_DUMPABLE, 0); /* no core file of ours */
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&none);
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_SETMASK, &none, NULL);
    _exit(128 + WTERMSIG(status));
}

/* The guard takes for left behind what outlives the command by long enough. That bubblewrap is not, whose last process
 * has ended: on a busy machine it takes its time. */
static void wait_for_bubblewrap(int bubblewrap)
{
    struct pollfd watched = {bubblewrap, POLLIN, 0};
    while (bubblewrap >= 0 && poll(&watched, 1, LAST_WAIT_MS) < 0 && errno == EINTR)
        ;
}

__attribute__((noreturn)) static void wait_for_end(int status, int bubblewrap)
{
    struct helper_report report = {0};
    ssize_t got;
    do
        got = read(status, &report, sizeof report);
    while (got < 0 && errno == EINTR);
    if (got == sizeof report && report.kind == HELPER_EXITED && report.alone)
        wait_for_bubblewrap(bubblewrap);
    if (got == sizeof report && report.kind == HELPER_EXITED)
        end_as(report.value);
    errno = got == sizeof report ? report.value : 0;
    if (got == sizeof report)
        fail(HELPER_EXIT_PROGRAM, "cannot start the command", "");
    fail(HELPER_EXIT_SANDBOX, "the sandbox could not be set up, or was killed", "");
}

struct bubblewrap {
    const char *plan;
    char **argv;
    int status;
};

static int start_bubblewrap(void *data)
{
    const struct bubblewrap *what = data;
    become_bubblewrap(what->plan, what->argv, what->status);
}

__attribute__((noreturn)) static void run_in_bubblewrap(const char *plan, char **argv)
{
    int status[2];
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (pipe2(status, O_CLOEXEC))
        fail(HELPER_EXIT_SANDBOX, "cannot make a pipe", "");
    /* CLONE_PARENT: the guard's child, as the file's top says. */
    struct bubblewrap what = {plan, argv, status[1]};
    int handle = -1;
    if (start_in_memory(start_bubblewrap, &what, CLONE_PARENT | CLONE_PIDFD, &handle) < 0)
        fail(HELPER_EXIT_SANDBOX, "cannot start a process", "");
    close(status[1]);
    if (!*argv)
        close(GUARD_LATE_FD);
    close(0);
    close(1);
    wait_for_end(status[0], handle);
}

/* The plan is long, and the command is on it: neither is for `ps` and `pkill -f`. They lie in one piece. */
static void wipe_arguments(int argc, char **argv)
{
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    memset(argv[1], 0, (size_t)(end - argv[1]));
    prctl(PR_SET_NAME, "hv-sandbox");
}

static char **copy_words(char **words, int count)
{
    char **copy = calloc((size_t)count + 1, sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(words[i])))
            return NULL;
    return copy;
}

__attribute__((noreturn)) static void run_by_self(const char *plan, char **argv)
{
    if (!apply_environment(plan) || !apply_limits(plan))
        fail(HELPER_EXIT_SANDBOX, "cannot set limits", "");
    confine_self(plan);
    guard_exec(argv);
    fail(HELPER_EXIT_PROGRAM, "cannot start", argv[0]);
}

int main(int argc, char **argv)
{
    errno = 0;
    if (argc == 2 && strcmp(argv[1], "inner") == 0)
        inner_main();
    if (argc == 2 && strcmp(argv[1], "check") == 0) /* what a probe runs */
        return puts("confined") < 0;
    if (argc < 2)
        fail(2, "usage: helve-sandbox PLAN [PROGRAM ARGUMENT…]", "");
    char *plan = strdup(argv[1]), **command = copy_words(argv + 2, argc - 2);
    if (!plan || !command)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    wipe_arguments(argc, argv);
    join_groups(plan);
    if (item_find(plan, HELPER_BWRAP).kind)
        run_in_bubblewrap(plan, command);
    if (!*command)
        fail(2, "only with bubblewrap can it be started ahead", "");
    run_by_self(plan, command);
}
