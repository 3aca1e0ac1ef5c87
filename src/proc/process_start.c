/*
 * process_start.c: what a command needs before it can run: pipes or a terminal, a socket to its guard, the guard. All
 * is made before the spawn, which is a vfork and so costs the same whatever the size of this process.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "module/module.h"
#include "proc/children.h"
#include "proc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum {
    FIRST_PRIVATE_FD = GUARD_CAGE_FD + 1, /* below are the numbers that the guard sees */
    ROWS_DEFAULT = 40,
    COLUMNS_DEFAULT = 120,
    TERMINAL_NAME_MAX = 64,
};

/* The ends that the guard gets. With a terminal it is all three of input, output and error; without an end of its own,
 * error goes where output does. */
struct child_ends {
    int input, output, error, control, late;
    int cage; /* not its own */
};

static void cleanup_child_ends(const struct child_ends *ends)
{
    cleanup_fd(&ends->input);
    cleanup_fd(&ends->output);
    cleanup_fd(&ends->error);
    cleanup_fd(&ends->control);
    cleanup_fd(&ends->late);
}

/* Out of the range that the guard's file actions write to. -1 with errno: where the limit lies in that range, too,
 * which the kernel calls an invalid argument, descriptors have run out. */
static int duplicate(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_PRIVATE_FD);
    if (copy < 0 && errno == EINVAL)
        errno = EMFILE;
    return copy;
}

/* Move a descriptor out of the range that the guard's file actions write to. -1 stays -1. */
static int lift(int fd)
{
    if (fd < 0 || fd >= FIRST_PRIVATE_FD)
        return fd;
    int lifted = duplicate(fd);
    cleanup_fd(&fd);
    return lifted;
}

/* A pipe whose end `ours` does not block. */
static bool make_pipe(int *reading, int *writing, const int *ours)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    *reading = lift(ends[0]);
    *writing = lift(ends[1]);
    return *reading >= 0 && *writing >= 0 && fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

static bool make_socket(int *ours, int *theirs)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return false;
    *ours = lift(ends[0]);
    *theirs = lift(ends[1]);
    return *ours >= 0 && *theirs >= 0;
}

/* Stdin: a file in memory that holds the input, or nothing. */
static int open_input(struct hv_str input)
{
    if (!input.len)
        return lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
    CLEANUP_FD int fd = lift(memfd_create("stdin", MFD_CLOEXEC));
    for (size_t done = 0; fd >= 0 && done < input.len;) {
        ssize_t wrote = write(fd, input.ptr + done, input.len - done);
        if (wrote < 0 && errno != EINTR)
            return -1;
        if (wrote > 0)
            done += (size_t)wrote;
    }
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) < 0)
        return -1;
    return take_fd(&fd);
}

/* A terminal: ours is its master (twice: to read and to write), theirs the other side. */
static bool make_terminal(struct hv_process *process, struct child_ends *ends)
{
    const struct hv_command *command = &process->command;
    struct winsize size = {
        .ws_row = (unsigned short)(command->rows ? command->rows : ROWS_DEFAULT),
        .ws_col = (unsigned short)(command->columns ? command->columns : COLUMNS_DEFAULT),
    };
    char name[TERMINAL_NAME_MAX];
    struct stat info;
    int master = lift(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    process->fds[WATCH_STDOUT] = master;
    if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof name) ||
        ioctl(master, TIOCSWINSZ, &size) || fcntl(master, F_SETFL, O_NONBLOCK))
        return false;
    ends->input = lift(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    process->input_fd = duplicate(master);
    if (ends->input < 0 || process->input_fd < 0 || fstat(ends->input, &info))
        return false;
    process->takes_input = true;
    process->input_device = info.st_rdev;
    return true;
}

static bool make_input_pipe(struct hv_process *process, struct child_ends *ends)
{
    struct stat info;
    if (!make_pipe(&ends->input, &process->input_fd, &process->input_fd) || fstat(ends->input, &info))
        return false;
    process->takes_input = true;
    process->input_inode = info.st_ino;
    return true;
}

static bool make_streams(struct hv_process *process, struct child_ends *ends)
{
    if (process->command.tty)
        return make_terminal(process, ends);
    if (process->command.keeps_input ? !make_input_pipe(process, ends)
                                     : (ends->input = open_input(process->command.input)) < 0)
        return false;
    int *fds = process->fds;
    return make_pipe(&fds[WATCH_STDOUT], &ends->output, &fds[WATCH_STDOUT]) &&
           (process->command.one_output || make_pipe(&fds[WATCH_STDERR], &ends->error, &fds[WATCH_STDERR]));
}

bool process_watch(struct hv_process *process, int fd, enum process_watched what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};
    return fd < 0 || epoll_ctl(process->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool watch_flag(struct hv_process *process, const struct hv_cancel *flag, enum process_watched what)
{
    int fd = hv_cancel_fd(flag);
    return !flag || (fd >= 0 && process_watch(process, fd, what));
}

bool process_watch_flags(struct hv_process *process, const struct hv_command *command)
{
    return watch_flag(process, command->cancel, WATCH_CANCEL) && watch_flag(process, command->wake, WATCH_WAKE);
}

static enum hv_code set_up(struct hv_process *process, struct child_ends *ends, struct hv_error *err)
{
    int *fds = process->fds;
    if (make_streams(process, ends) && make_socket(&fds[WATCH_CONTROL], &ends->control) &&
        (!process->late_words || make_socket(&process->late, &ends->late)) &&
        (process->epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
        process_watch(process, fds[WATCH_STDOUT], WATCH_STDOUT) &&
        process_watch(process, fds[WATCH_STDERR], WATCH_STDERR) &&
        process_watch(process, fds[WATCH_CONTROL], WATCH_CONTROL) && process_watch_flags(process, &process->command))
        return HV_OK;
    int reason = errno;
    hv_fail_errno(err, reason, "cannot set up %s for the command", process->command.tty ? "a terminal" : "pipes");
    if (reason == EMFILE || reason == ENFILE)
        hv_error_hint(err, "Too many files are open. Wait for other commands to end, or raise the limit (ulimit -n).");
    return hv_code_from_errno(reason);
}

static int add_or_close(posix_spawn_file_actions_t *actions, int fd, int number)
{
    return fd >= 0 ? posix_spawn_file_actions_adddup2(actions, fd, number)
                   : posix_spawn_file_actions_addclose(actions, number);
}

static int add_actions(posix_spawn_file_actions_t *actions, const struct child_ends *ends)
{
    int output = ends->output >= 0 ? ends->output : ends->input, error = ends->error >= 0 ? ends->error : output;
    int failed = posix_spawn_file_actions_adddup2(actions, ends->input, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, output, 1);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, error, 2);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, ends->control, GUARD_CONTROL_FD);
    failed = failed ? failed : add_or_close(actions, ends->late, GUARD_LATE_FD);
    failed = failed ? failed : add_or_close(actions, ends->cage, GUARD_CAGE_FD);
    return failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, FIRST_PRIVATE_FD);
}

/* Own session, so that no terminal signal comes; default handlers; everything blocked until the command starts. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigfillset(&all);
    int failed = posix_spawnattr_setsigmask(attributes, &all);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &all);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return failed ? failed : posix_spawnattr_setflags(attributes, flags);
}

static int spawn_guard(pid_t *guard, const char *path, char **argv, char *const *environment,
                       const struct child_ends *ends)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = add_actions(&actions, ends);
        failed = failed ? failed : set_attributes(&attributes);
        children_begin_start();
        failed = failed ? failed : posix_spawn(guard, path, &actions, &attributes, argv, environment);
        children_end_start(failed ? 0 : *guard);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* The guard's argv: its name, limits and ways, directory, then the command's. */
static char **guard_arguments(struct hv_arena *arena, const struct hv_process *process)
{
    const struct hv_command *command = &process->command;
    size_t count = 0;
    while (command->argv[count])
        count++;
    char **argv = hv_arena_array(arena, char *, GUARD_ARGUMENTS + count + 1);
    unsigned ways = (command->tty ? GUARD_TTY : 0u) | (command->lingers ? GUARD_LINGER : 0u) |
                    (process->late_words ? GUARD_LATE : 0u) | (process->cage.path ? GUARD_CAGE : 0u);
    struct hv_str numbers =
        hv_arena_format(arena, "%llu:%llu:%llu:%u", (unsigned long long)command->memory_limit,
                        (unsigned long long)command->file_limit, (unsigned long long)command->process_limit, ways);
    argv[0] = hv_arena_cstr(arena, HV_STR(GUARD_NAME));
    argv[1] = hv_arena_cstr(arena, numbers);
    argv[2] = (char *)(command->directory ? command->directory : "");
    for (size_t i = 0; i < count; i++)
        argv[GUARD_ARGUMENTS + i] = (char *)command->argv[i];
    return argv;
}

enum hv_code process_fail_start(int reason, const char *program, struct hv_error *err)
{
    hv_fail_errno(err, reason, "cannot start %s", program);
    if (reason == E2BIG)
        hv_error_hint(err, "The command or its environment is too long for the system. Write the text to a file and "
                           "run that.");
    if (reason == EAGAIN || reason == ENOMEM)
        hv_error_hint(err, "The system is out of processes or memory. Try again when other programs have ended.");
    return hv_code_from_errno(reason);
}

static enum hv_code start(struct hv_process *process, struct child_ends *ends, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_command *command = &process->command;
    char *path;
    enum hv_code code = module_find(&arena, "helve-guard", "src/proc/helve-guard", &path, err);
    if (code)
        return code;
    code = set_up(process, ends, err);
    if (code)
        return code;
    cage_make(&process->cage, &process->arena);
    ends->cage = process->cage.fd = lift(process->cage.fd);
    char *const *environment = command->environment ? (char *const *)command->environment : environ;
    int failed = spawn_guard(&process->guard, path, guard_arguments(&arena, process), environment, ends);
    if (failed)
        return process_fail_start(failed, command->argv[0], err);
    process_handle_open(&process->guard_handle, process->guard, 0);
    return HV_OK;
}

void process_begin_clock(struct hv_process *process)
{
    process->started = clock_monotonic_ns();
    process->deadline = process->command.timeout_ns ? process->started + process->command.timeout_ns : 0;
    process->next_tick = process->started + CLOCK_SECOND;
}

void process_init(struct hv_process *process, const struct hv_command *command)
{
    process->command = *command;
    for (size_t i = 0; i < WATCH_CANCEL; i++)
        process->fds[i] = -1;
    process->epoll = process->input_fd = process->late = -1;
    process->cage.fd = process->guard_handle.fd = process->command_handle.fd = -1;
    pthread_mutex_init(&process->input_lock, NULL);
}

enum hv_code process_start_guard(struct hv_process *process, struct hv_error *err)
{
    struct child_ends ends = {-1, -1, -1, -1, -1, -1};
    enum hv_code code = start(process, &ends, err);
    cleanup_child_ends(&ends);
    if (code == HV_OK)
        process_begin_clock(process);
    return code;
}

enum hv_code process_start(struct hv_process *process, const struct hv_command *command, struct hv_error *err)
{
    process_init(process, command);
    if (!command->argv || !command->argv[0] || !command->argv[0][0])
        return hv_fail(err, HV_EINVAL, "there is no command to run");
    if (hv_cancelled(command->cancel))
        return hv_fail(err, HV_ECANCELLED, "cancelled before the command started");
    process->program = hv_arena_cstr(&process->arena, hv_str_from(command->argv[0]));
    process->directory = hv_arena_cstr(&process->arena, hv_str_from(command->directory ? command->directory : "."));
    return process_start_guard(process, err);
}
