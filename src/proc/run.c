/* run.c: see run.h. One call owns one struct run on its stack; nothing outlives it. */
#include "proc/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "module/module.h"
#include "proc/guard_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    READ_SIZE = 32 * 1024,
    LAST_READS = 64, /* after the end: two megabytes per pipe, more than a pipe can hold */
    DEFAULT_GRACE_S = 2,
    GIVE_UP_S = 3,        /* after KILL, for a guard that does not answer (stopped or stuck) */
    FIRST_PRIVATE_FD = 4, /* below are the numbers that the guard sees */
};

/* What epoll reports; also an index into run.fds. */
enum watched { WATCH_STDOUT, WATCH_STDERR, WATCH_CONTROL, WATCH_CANCEL, WATCH_COUNT };

enum phase { RUNNING, TERMINATING, KILLING, ENDED };

struct run {
    const struct hv_command *command;
    struct hv_exit *exit;
    enum phase phase;
    int fds[WATCH_CANCEL], epoll;                     /* our ends of the pipes and the socket */
    pid_t guard, group;                               /* group: 0 until known */
    uint64_t started, deadline, next_tick, phase_end; /* deadline 0: none */
    bool reported, tree_alive;
    struct guard_report failure; /* kind 0: the command could be started */
    int status;
};

/* The ends that the guard gets. */
struct child_ends {
    int input, output, error, control;
};

static void cleanup_run(struct run *run)
{
    for (size_t i = 0; i < WATCH_CANCEL; i++)
        cleanup_fd(&run->fds[i]);
    cleanup_fd(&run->epoll);
}

static void cleanup_child_ends(struct child_ends *ends)
{
    cleanup_fd(&ends->input);
    cleanup_fd(&ends->output);
    cleanup_fd(&ends->error);
    cleanup_fd(&ends->control);
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

/* Move a descriptor out of the range that the guard's file actions write to. -1 stays -1. */
static int lift(int fd)
{
    if (fd < 0 || fd >= FIRST_PRIVATE_FD)
        return fd;
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_PRIVATE_FD);
    cleanup_fd(&fd);
    return lifted;
}

static bool make_pipe(int *ours, int *theirs)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    *ours = lift(ends[0]);
    *theirs = lift(ends[1]);
    return *ours >= 0 && *theirs >= 0 && fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
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

static bool watch(struct run *run, int fd, enum watched what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};
    return fd < 0 || epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static enum hv_code set_up(struct run *run, struct child_ends *ends, struct hv_error *err)
{
    ends->input = open_input(run->command->input);
    if (ends->input >= 0 && make_pipe(&run->fds[WATCH_STDOUT], &ends->output) &&
        make_pipe(&run->fds[WATCH_STDERR], &ends->error) && make_socket(&run->fds[WATCH_CONTROL], &ends->control) &&
        (run->epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 && watch(run, run->fds[WATCH_STDOUT], WATCH_STDOUT) &&
        watch(run, run->fds[WATCH_STDERR], WATCH_STDERR) && watch(run, run->fds[WATCH_CONTROL], WATCH_CONTROL) &&
        watch(run, hv_cancel_fd(run->command->cancel), WATCH_CANCEL))
        return HV_OK;
    int reason = errno;
    hv_fail_errno(err, reason, "cannot set up pipes for the command");
    if (reason == EMFILE || reason == ENFILE)
        hv_error_hint(err, "Too many files are open. Wait for other commands to end, or raise the limit (ulimit -n).");
    return hv_code_from_errno(reason);
}

static int add_actions(posix_spawn_file_actions_t *actions, const struct child_ends *ends)
{
    int failed = posix_spawn_file_actions_adddup2(actions, ends->input, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, ends->output, 1);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, ends->error, 2);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, ends->control, GUARD_CONTROL_FD);
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
        failed = failed ? failed : posix_spawn(guard, path, &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* The guard's argv: its name, limits, directory, then the command's. */
static char **guard_arguments(struct hv_arena *arena, const struct hv_command *command)
{
    size_t count = 0;
    while (command->argv[count])
        count++;
    char **argv = hv_arena_array(arena, char *, GUARD_ARGUMENTS + count + 1);
    struct hv_str limits =
        hv_arena_format(arena, "%llu:%llu:%llu", (unsigned long long)command->memory_limit,
                        (unsigned long long)command->file_limit, (unsigned long long)command->process_limit);
    argv[0] = hv_arena_cstr(arena, HV_STR("hv-guard"));
    argv[1] = hv_arena_cstr(arena, limits);
    argv[2] = (char *)(command->directory ? command->directory : "");
    for (size_t i = 0; i < count; i++)
        argv[GUARD_ARGUMENTS + i] = (char *)command->argv[i];
    return argv;
}

static enum hv_code fail_start(int reason, const char *program, struct hv_error *err)
{
    hv_fail_errno(err, reason, "cannot start %s", program);
    if (reason == E2BIG)
        hv_error_hint(err, "The command or its environment is too long for the system. Write the text to a file and "
                           "run that.");
    if (reason == EAGAIN || reason == ENOMEM)
        hv_error_hint(err, "The system is out of processes or memory. Try again when other programs have ended.");
    return hv_code_from_errno(reason);
}

static enum hv_code start(struct run *run, struct child_ends *ends, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char *path;
    enum hv_code code = module_find(&arena, "helve-guard", "src/proc/helve-guard", &path, err);
    if (code)
        return code;
    code = set_up(run, ends, err);
    if (code)
        return code;
    char *const *environment = run->command->environment ? (char *const *)run->command->environment : environ;
    int failed = spawn_guard(&run->guard, path, guard_arguments(&arena, run->command), environment, ends);
    if (failed)
        return fail_start(failed, run->command->argv[0], err);
    run->started = clock_monotonic_ns();
    run->deadline = run->command->timeout_ns ? run->started + run->command->timeout_ns : 0;
    run->next_tick = run->started + CLOCK_SECOND;
    return HV_OK;
}

/* ---- while it runs ------------------------------------------------------------------------------------- */

static void give_order(struct run *run, enum guard_order order)
{
    char byte = (char)order;
    while (send(run->fds[WATCH_CONTROL], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
}

/* Begin to end the command; *why is the member of hv_exit that says so. Only the first reason counts. */
static void stop(struct run *run, bool *why)
{
    if (run->phase != RUNNING)
        return;
    *why = true;
    run->phase = TERMINATING;
    uint64_t grace = run->command->grace_ns ? run->command->grace_ns : DEFAULT_GRACE_S * CLOCK_SECOND;
    run->phase_end = clock_monotonic_ns() + grace;
    give_order(run, GUARD_TERM);
}

/* Read once from a pipe. False when it is empty for now, or ended (it is closed then). */
static bool read_output(struct run *run, enum watched what)
{
    char bytes[READ_SIZE];
    ssize_t got = read(run->fds[what], bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR;
    if (got == 0) {
        cleanup_fd(&run->fds[what]); /* closing takes it out of the epoll set */
        run->fds[what] = -1;
        return false;
    }
    const struct hv_command *command = run->command;
    enum hv_stream stream = what == WATCH_STDOUT ? HV_STDOUT : HV_STDERR;
    if (command->on_output && !run->exit->stopped &&
        !command->on_output(command->user, stream, hv_str_of(bytes, (size_t)got))) {
        stop(run, &run->exit->stopped);
        run->exit->stopped = true; /* also when it is being ended already: no more calls */
    }
    return true;
}

static void read_report(struct run *run)
{
    struct guard_report report;
    ssize_t got = recv(run->fds[WATCH_CONTROL], &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got != sizeof report) { /* the guard is gone without a word */
        run->phase = ENDED;
    } else if (report.kind == GUARD_STARTED) {
        run->group = report.value;
    } else if (report.kind == GUARD_FAILED) {
        run->failure = report;
    } else if (report.kind == GUARD_EXITED) {
        run->reported = true;
        run->status = report.value;
        run->exit->left_running = report.detail & GUARD_LEFT_RUNNING;
        run->tree_alive = report.detail & GUARD_TREE_ALIVE;
        run->phase = ENDED;
    }
}

static void handle(struct run *run, enum watched what)
{
    if (what == WATCH_CONTROL) {
        read_report(run);
    } else if (what == WATCH_CANCEL) {
        epoll_ctl(run->epoll, EPOLL_CTL_DEL, hv_cancel_fd(run->command->cancel), NULL);
        stop(run, &run->exit->cancelled);
    } else if (run->fds[what] >= 0) {
        (void)read_output(run, what);
    }
}

/* The next moment at which something is to be done without an event. */
static uint64_t next_moment(const struct run *run)
{
    uint64_t moment = run->command->on_tick ? run->next_tick : UINT64_MAX;
    if (run->phase == RUNNING && run->deadline && run->deadline < moment)
        moment = run->deadline;
    if (run->phase != RUNNING && run->phase_end < moment)
        moment = run->phase_end;
    return moment;
}

static int milliseconds_until(uint64_t moment)
{
    uint64_t now = clock_monotonic_ns();
    if (moment == UINT64_MAX)
        return -1;
    uint64_t wait = moment <= now ? 0 : (moment - now + CLOCK_MILLISECOND - 1) / CLOCK_MILLISECOND;
    return wait > 1000000 ? 1000000 : (int)wait;
}

static void look_at_clock(struct run *run)
{
    uint64_t now = clock_monotonic_ns();
    if (run->command->on_tick && now >= run->next_tick) {
        run->command->on_tick(run->command->user, now - run->started);
        run->next_tick = now + CLOCK_SECOND;
    }
    if (run->phase == RUNNING && run->deadline && now >= run->deadline) {
        stop(run, &run->exit->timed_out);
    } else if (run->phase == TERMINATING && now >= run->phase_end) {
        give_order(run, GUARD_KILL);
        run->phase = KILLING;
        run->phase_end = now + GIVE_UP_S * CLOCK_SECOND;
    } else if (run->phase == KILLING && now >= run->phase_end) {
        run->phase = ENDED;
    }
}

static void attend(struct run *run)
{
    while (run->phase != ENDED) {
        struct epoll_event events[WATCH_COUNT];
        int count = epoll_wait(run->epoll, events, WATCH_COUNT, milliseconds_until(next_moment(run)));
        for (int i = 0; i < count; i++)
            handle(run, (enum watched)events[i].data.u32);
        look_at_clock(run);
    }
}

/* ---- after the end ------------------------------------------------------------------------------------- */

static void drain(struct run *run, enum watched what)
{
    for (int i = 0; i < LAST_READS && run->fds[what] >= 0 && read_output(run, what); i++)
        ;
}

/* The guard did not report: something killed or stopped it. The kernel kills the command with it; its group is ours. */
static void end_without_guard(struct run *run)
{
    kill(run->guard, SIGKILL);
    if (run->group > 0)
        kill(-run->group, SIGKILL);
    run->status = SIGKILL;
}

/* A guard that stays with a process which cannot be killed is not waited for. An embedder that reaps all children
 * may have taken it from us, which is fine: all it had to say came over the socket. */
static void reap_guard(const struct run *run)
{
    while (!run->tree_alive && waitpid(run->guard, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void fill_exit(struct run *run)
{
    run->exit->duration_ns = clock_monotonic_ns() - run->started;
    run->exit->signal = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    run->exit->code = run->exit->signal ? -1 : WEXITSTATUS(run->status);
}

static enum hv_code explain_failure(const struct run *run, struct hv_error *err)
{
    int reason = run->failure.value;
    const char *program = run->command->argv[0];
    const char *directory = run->command->directory ? run->command->directory : ".";
    switch (run->failure.detail) {
    case GUARD_FAILED_DIRECTORY:
        hv_fail_errno(err, reason, "cannot enter the working directory %s", directory);
        hv_error_hint(err, "Use a directory that exists.");
        break;
    case GUARD_FAILED_PROGRAM:
        if (reason != ENOENT)
            return fail_start(reason, program, err);
        hv_fail(err, HV_ENOTFOUND, "there is no program \"%s\"%s", program, strchr(program, '/') ? "" : " on PATH");
        hv_error_hint(err, "Check the name, or install it.");
        break;
    case GUARD_FAILED_LIMITS: hv_fail_errno(err, reason, "cannot set the resource limits of %s", program); break;
    default: return fail_start(reason, program, err);
    }
    return hv_code_from_errno(reason);
}

enum hv_code proc_host_run(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                           struct hv_error *err)
{
    (void)host;
    if (!command->argv || !command->argv[0] || !command->argv[0][0])
        return hv_fail(err, HV_EINVAL, "there is no command to run");
    if (hv_cancelled(command->cancel))
        return hv_fail(err, HV_ECANCELLED, "cancelled before the command started");
    struct hv_exit ended = {0};
    __attribute__((cleanup(cleanup_run))) struct run run = {
        .command = command, .exit = &ended, .fds = {-1, -1, -1}, .epoll = -1};
    struct child_ends ends = {-1, -1, -1, -1};
    enum hv_code code = start(&run, &ends, err);
    cleanup_child_ends(&ends);
    if (code)
        return code;
    attend(&run);
    if (!run.reported && !run.failure.kind)
        end_without_guard(&run);
    reap_guard(&run);
    drain(&run, WATCH_STDOUT);
    drain(&run, WATCH_STDERR);
    if (run.failure.kind)
        return explain_failure(&run, err);
    fill_exit(&run);
    *out = ended;
    return HV_OK;
}

const char *proc_signal_name(int number, char *text, size_t size)
{
    const char *name = sigabbrev_np(number);
    if (name)
        snprintf(text, size, "SIG%s", name);
    else
        snprintf(text, size, "signal %d", number);
    return text;
}
