/*
 * guard.c: the guard, a program of its own (LIBDIR/helve/helve-guard) that starts one command for helve, stays beside
 * it, and sees to it that nothing of it survives. run.h says why; guard_protocol.h what is said to helve.
 *
 *   helve-guard MEMORY:FILE:PROCESSES:WAYS DIRECTORY PROGRAM ARGUMENT…      (0 and "" mean: leave as it is)
 *   helve-guard sweep                                                       (another trade: guard_sweep.c)
 *
 * It uses nothing but libc and is linked statically where possible, so that it starts in a quarter of a millisecond
 * and no LD_PRELOAD of the command's environment reaches it. It has all signals blocked from birth (helve starts it
 * so), keeps no copy of the command's pipes, and wipes its own arguments so that a `pkill -f` meant for others does not
 * find it. A command that stops it (SIGSTOP) gains nothing by it: the death of helve continues it.
 */
#include "proc/guard_exec.h"
#include "proc/guard_family.h"
#include "proc/guard_protocol.h"
#include "proc/guard_sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIST_SIZE = 4096 }; /* of numbers of processes, read at once */

struct guard {
    pid_t self, command;
    bool command_exited, command_reaped; /* between the two it is a zombie, which keeps its group's number from reuse */
    int status;                          /* of the command, once exited */
    unsigned ways;                       /* enum guard_way */
    int control, signals;
    bool ended;  /* helve has ordered the end, or is gone */
    bool killed; /* … by KILL */
};

static void report(int control, int kind, int value, int detail)
{
    struct guard_report message = {kind, value, detail};
    while (send(control, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the command's side of fork ------------------------------------------------------------------------ */

/* 0: none is wanted. */
static bool limit(int resource, unsigned long long wanted)
{
    return wanted == 0 || guard_limit(resource, wanted);
}

/* The numbers of "1:2:3:4". */
static void read_numbers(const char *text, unsigned long long values[4])
{
    for (int i = 0; i < 4; i++) {
        char *end;
        values[i] = strtoull(text, &end, 10);
        text = *end ? end + 1 : end;
    }
}

static bool set_limits(const char *text)
{
    unsigned long long values[4];
    read_numbers(text, values);
    return limit(RLIMIT_AS, values[0]) && limit(RLIMIT_FSIZE, values[1]) && limit(RLIMIT_NPROC, values[2]);
}

__attribute__((noreturn)) static void fail_start(int control, enum guard_failure what)
{
    report(control, GUARD_FAILED, errno, (int)what);
    _exit(127);
}

/* Become the command: own session and group, killed with the guard, limits, directory, clean signals. */
__attribute__((noreturn)) static void become_command(const struct guard *guard, char **argv)
{
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard->self)
        _exit(127);
    setsid();
    if (guard->ways & GUARD_TTY && ioctl(0, TIOCSCTTY, 0))
        fail_start(guard->control, GUARD_FAILED_TERMINAL);
    if (argv[2][0] && chdir(argv[2]))
        fail_start(guard->control, GUARD_FAILED_DIRECTORY);
    if (!set_limits(argv[1]))
        fail_start(guard->control, GUARD_FAILED_LIMITS);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    guard_exec(argv + GUARD_ARGUMENTS);
    fail_start(guard->control, GUARD_FAILED_PROGRAM);
}

/* A child that is born in the control group: it never is outside of it. */
static pid_t fork_into_cage(void)
{
    struct clone_args how = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = GUARD_CAGE_FD};
    return (pid_t)syscall(SYS_clone3, &how, sizeof how);
}

/* Where a child cannot be born there (before 5.7; some containers hide clone3): it goes there before it is anything. */
static void enter_cage(void)
{
    int fd = openat(GUARD_CAGE_FD, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "0", 1);
    close(fd);
}

/* The command borrows the guard's memory until it is a program of its own: nothing is copied, and what it does until
 * then changes nothing of it. */
__attribute__((noinline)) static pid_t start_command(const struct guard *guard, char **argv)
{
    pid_t child = guard->ways & GUARD_CAGE ? fork_into_cage() : -1;
    if (child == 0)
        become_command(guard, argv);
    if (child > 0)
        return child;
    child = vfork();
    if (child == 0) {
        if (guard->ways & GUARD_CAGE)
            enter_cage();
        become_command(guard, argv);
    }
    return child;
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

typedef void child_function(struct guard *guard, pid_t child, int argument);

/* As each_child, by looking at every process: for kernels without the children file. */
static int each_child_by_scan(struct guard *guard, child_function *function, int argument)
{
    int count = 0;
    DIR *directory = opendir("/proc");
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || family_parent(entry->d_name) != guard->self)
            continue;
        count++;
        function(guard, (pid_t)strtol(entry->d_name, NULL, 10), argument);
    }
    closedir(directory);
    return count;
}

/* Call function for each child of the guard, zombies included; returns how many there were. */
static int each_child(struct guard *guard, child_function *function, int argument)
{
    int count = 0, list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    pid_t child = 0;
    char text[LIST_SIZE];
    if (list < 0)
        return each_child_by_scan(guard, function, argument);
    for (ssize_t got; (got = read(list, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < got; i++) {
            if (isdigit((unsigned char)text[i])) {
                child = child * 10 + (text[i] - '0');
            } else if (child) { /* each number has a blank behind it */
                function(guard, child, argument);
                child = 0;
                count++;
            }
        }
    close(list);
    return count;
}

static void signal_stray(struct guard *guard, pid_t child, int number)
{
    if (guard->command_reaped || getpgid(child) != guard->command)
        kill(child, number);
}

/* All that was born in the command's control group, wherever it went. */
static void kill_cage(const struct guard *guard)
{
    int fd = guard->ways & GUARD_CAGE ? openat(GUARD_CAGE_FD, "cgroup.kill", O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    (void)!write(fd, "1", 1);
    close(fd);
}

/* helve, which made the folder, is gone. */
static void remove_cage(const struct guard *guard)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", GUARD_CAGE_FD);
    ssize_t len = guard->ways & GUARD_CAGE ? readlink(link, path, sizeof path - 1) : -1;
    if (len <= 0)
        return;
    path[len] = '\0';
    (void)!rmdir(path);
}

/* To the command's group, and to children of the guard outside of it. The rest of a killed child's family comes to
 * the guard as its own children, so repeating this reaches all. */
static void signal_tree(struct guard *guard, int number)
{
    if (!guard->command_reaped)
        kill(-guard->command, number);
    each_child(guard, signal_stray, number);
    if (number == SIGKILL)
        kill_cage(guard);
}

/* To end by itself, all of it: what left the group too, however deep it lies. A server that has made itself a daemon
 * shall close its files. Once only: many take a second TERM for impatience. */
static void ask_tree_to_end(struct guard *guard)
{
    if (family_ask_to_end(guard->command_reaped ? 0 : guard->command))
        return;
    signal_tree(guard, SIGTERM);
    signal_tree(guard, SIGCONT); /* a stopped process ends only when it goes on */
}

static void reap_stray(struct guard *guard, pid_t child, int argument)
{
    (void)argument;
    if (child != guard->command)
        waitpid(child, NULL, WNOHANG);
}

static void look_at_command(struct guard *guard)
{
    siginfo_t info = {0};
    if (guard->command_exited || waitid(P_PID, (id_t)guard->command, &info, WEXITED | WNOHANG | WNOWAIT) ||
        !info.si_pid)
        return;
    guard->command_exited = true;
    guard->status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
}

/* True when the command, which has exited, is the only child left: the usual case, found out with one look. */
static bool is_alone(const struct guard *guard)
{
    char list[32], own[32];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, list, sizeof list - 1);
    if (fd >= 0)
        close(fd);
    list[len > 0 ? len : 0] = '\0';
    snprintf(own, sizeof own, "%d ", guard->command);
    return strcmp(list, own) == 0;
}

/* True when the command and all its descendants are gone. */
static bool tree_is_empty(struct guard *guard)
{
    if (guard->command_exited && !guard->command_reaped && is_alone(guard)) {
        guard->command_reaped = waitpid(guard->command, NULL, WNOHANG) == guard->command;
        return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
    }
    each_child(guard, reap_stray, 0);
    if (each_child(guard, reap_stray, 0) > (guard->command_reaped ? 0 : 1))
        return false;
    if (!guard->command_reaped && waitpid(guard->command, NULL, WNOHANG) == guard->command)
        guard->command_reaped = true;
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* ---- the watch ----------------------------------------------------------------------------------------- */

static void obey(struct guard *guard)
{
    char order;
    ssize_t got = recv(guard->control, &order, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got == 1 && order == GUARD_INTERRUPT) {
        signal_tree(guard, SIGINT);
        return;
    }
    bool gently = got == 1 && order == GUARD_TERM;
    guard->ended = true;
    guard->killed = guard->killed || !gently;
    if (gently)
        ask_tree_to_end(guard);
    else
        signal_tree(guard, SIGKILL);
    if (got > 0)
        return;
    close(guard->control); /* helve is gone: nobody is left to report to */
    guard->control = -1;
    prctl(PR_SET_NAME, GUARD_NAME_ALONE); /* `helve ps` shows what it has to end */
}

/* Wait for an order or the end of a child, at most timeout_ms (-1: no limit). */
static void wait_for_event(struct guard *guard, int timeout_ms)
{
    struct pollfd watched[] = {{guard->signals, POLLIN, 0}, {guard->control, POLLIN, 0}};
    if (poll(watched, 2, timeout_ms) <= 0)
        return;
    struct signalfd_siginfo ignored;
    while (watched[0].revents && read(guard->signals, &ignored, sizeof ignored) > 0)
        ;
    if (watched[1].revents)
        obey(guard);
}

/* Give the tree until `for_ms` from now; true when it is gone. Where it is to be killed, it is every 5 ms. */
static bool tree_ends_within(struct guard *guard, int for_ms, bool kills)
{
    uint64_t end = now_ms() + (uint64_t)for_ms;
    if (kills)
        signal_tree(guard, SIGKILL);
    while (!tree_is_empty(guard)) {
        uint64_t now = now_ms();
        if (now >= end)
            return false;
        int rest = (int)(end - now);
        wait_for_event(guard, kills && rest > 5 ? 5 : rest);
        if (kills)
            signal_tree(guard, SIGKILL);
    }
    return true;
}

/* What the command left behind may live on: until it has ended by itself, or an order ends it. */
static void linger(struct guard *guard)
{
    report(guard->control, GUARD_EXITED, guard->status, GUARD_LEFT_RUNNING | GUARD_LINGERING);
    while (!tree_is_empty(guard) && !guard->killed)
        wait_for_event(guard, -1);
    while (!tree_is_empty(guard))
        (void)tree_ends_within(guard, GUARD_KILL_MS, true);
    if (guard->control >= 0)
        report(guard->control, GUARD_EMPTY, 0, 0);
}

/* The command has exited: end what it left behind, report, and stay until nothing is left. */
static void finish(struct guard *guard)
{
    bool gone = tree_ends_within(guard, GUARD_NATURAL_MS, false), left = !gone && !guard->ended;
    if (left && guard->ways & GUARD_LINGER) {
        linger(guard);
        return;
    }
    if (left)
        ask_tree_to_end(guard);
    gone = gone || tree_ends_within(guard, GUARD_TERM_MS, false) || tree_ends_within(guard, GUARD_KILL_MS, true);
    if (guard->control >= 0)
        report(guard->control, GUARD_EXITED, guard->status,
               (left ? GUARD_LEFT_RUNNING : 0) | (gone ? 0 : GUARD_TREE_ALIVE));
    while (!gone)
        gone = tree_ends_within(guard, GUARD_KILL_MS, true);
}

/* Arguments and name of the command would make the guard a target of `pkill -f`. They lie in one piece. */
static void wipe_arguments(int argc, char **argv)
{
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    memset(argv[0], 0, (size_t)(end - argv[0]));
    prctl(PR_SET_NAME, GUARD_NAME);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sweep") == 0)
        return sweep_main();
    struct guard guard = {.self = getpid(), .control = GUARD_CONTROL_FD};
    sigset_t all, child;
    if (argc <= GUARD_ARGUMENTS || fcntl(guard.control, F_SETFD, FD_CLOEXEC))
        return 2;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    unsigned long long numbers[4];
    read_numbers(argv[1], numbers);
    guard.ways = (unsigned)numbers[3];
    if (guard.ways & GUARD_CAGE && fcntl(GUARD_CAGE_FD, F_SETFD, FD_CLOEXEC))
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    guard.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (guard.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1))
        fail_start(guard.control, GUARD_FAILED_FORK);
    guard.command = start_command(&guard, argv);
    if (guard.command < 0)
        fail_start(guard.control, GUARD_FAILED_FORK);
    close(0);
    close(1);
    close(2);
    if (guard.ways & GUARD_LATE)
        close(GUARD_LATE_FD);
    report(guard.control, GUARD_STARTED, guard.command, 0);
    wipe_arguments(argc, argv);
    if (chdir("/"))
        return 2; /* cannot be; and the command dies with the guard */
    while (look_at_command(&guard), !guard.command_exited) {
        each_child(&guard, reap_stray, 0);
        wait_for_event(&guard, -1);
    }
    finish(&guard);
    if (guard.control < 0)
        remove_cage(&guard);
    return 0;
}
