/*
 * process.c: looking after one command: its output, its clock, what its guard reports, its end. See process.h. Also
 * the handles of hv_processes.
 */
#include "proc/process.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/children.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    READ_SIZE = 32 * 1024,
    LAST_READS = 64, /* after the end: two megabytes per pipe, more than a pipe can hold */
    DEFAULT_GRACE_S = 2,
    GIVE_UP_S = 3, /* after KILL, for a guard that does not answer (stopped or stuck) */
};

void process_release(struct hv_process *process)
{
    for (size_t i = 0; i < WATCH_CANCEL; i++)
        cleanup_fd(&process->fds[i]);
    cleanup_fd(&process->epoll);
    cleanup_fd(&process->input_fd);
    cleanup_fd(&process->late);
    cage_remove(&process->cage);
    process_handle_close(&process->guard_handle);
    process_handle_close(&process->command_handle);
    pthread_mutex_destroy(&process->input_lock);
    hv_arena_release(&process->arena);
}

/* ---- while it runs ------------------------------------------------------------------------------------- */

static void process_give_order(const struct hv_process *process, enum guard_order order)
{
    char byte = (char)order;
    while (send(process->fds[WATCH_CONTROL], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
}

/* *why is the member of hv_exit that says so. Only the first reason counts. */
static void process_stop(struct hv_process *process, bool *why, uint64_t grace_ns)
{
    if (process->phase != RUNNING && process->phase != LINGERING)
        return;
    if (why)
        *why = true;
    process->phase = TERMINATING;
    process->phase_end = clock_monotonic_ns() + grace_ns;
    process_give_order(process, GUARD_TERM);
}

static void stop(struct hv_process *process, bool *why)
{
    uint64_t grace = process->command.grace_ns;
    process_stop(process, why, grace ? grace : DEFAULT_GRACE_S * CLOCK_SECOND);
}

/* Read once from a pipe or the terminal. False when it is empty for now, or ended (it is closed then). */
static bool read_output(struct hv_process *process, enum process_watched what)
{
    char bytes[READ_SIZE];
    ssize_t got = read(process->fds[what], bytes, sizeof bytes);
    if (got < 0 && errno != EIO) /* a terminal says EIO when its other side is closed */
        return errno == EINTR;
    if (got <= 0) {
        cleanup_fd(&process->fds[what]); /* closing takes it out of the epoll set */
        process->fds[what] = -1;
        return false;
    }
    atomic_store(&process->last_byte, bytes[got - 1]);
    const struct hv_command *command = &process->command;
    enum hv_stream stream = what == WATCH_STDOUT ? HV_STDOUT : HV_STDERR;
    if (command->on_output && !process->exit.stopped &&
        !command->on_output(command->user, stream, hv_str_of(bytes, (size_t)got))) {
        stop(process, &process->exit.stopped);
        process->exit.stopped = true; /* also when it is being ended already: no more calls */
    }
    return true;
}

static void take_exit(struct hv_process *process, const struct guard_report *report)
{
    process->reported = true;
    process->status = report->value;
    process->exit.left_running = report->detail & GUARD_LEFT_RUNNING;
    process->tree_alive = report->detail & GUARD_TREE_ALIVE;
    process->settled = !(report->detail & GUARD_LINGERING);
    if (process->settled)
        process->phase = ENDED;
    else if (process->phase == RUNNING)
        process->phase = LINGERING;
}

static void read_report(struct hv_process *process)
{
    struct guard_report report;
    ssize_t got = recv(process->fds[WATCH_CONTROL], &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got != sizeof report) { /* the guard is gone without a word */
        process->phase = ENDED;
    } else if (report.kind == GUARD_STARTED) {
        atomic_store(&process->group, report.value);
        if (!process->cage.path) /* which has it all */
            process_handle_open(&process->command_handle, report.value, process->guard);
    } else if (report.kind == GUARD_FAILED) {
        process->failure = report;
        process->settled = true;
    } else if (report.kind == GUARD_EXITED) {
        take_exit(process, &report);
    } else if (report.kind == GUARD_EMPTY) {
        process->settled = true;
        process->phase = ENDED;
    }
}

static void handle(struct hv_process *process, enum process_watched what)
{
    if (what == WATCH_CONTROL) {
        read_report(process);
    } else if (what == WATCH_LATE && process->fds[what] >= 0) {
        process_read_late_end(process);
    } else if (what == WATCH_CANCEL) {
        epoll_ctl(process->epoll, EPOLL_CTL_DEL, hv_cancel_fd(process->command.cancel), NULL);
        stop(process, &process->exit.cancelled);
    } else if (what == WATCH_WAKE) {
        epoll_ctl(process->epoll, EPOLL_CTL_DEL, hv_cancel_fd(process->command.wake), NULL);
        process->woken = true;
    } else if (what < WATCH_CONTROL && process->fds[what] >= 0) {
        (void)read_output(process, what);
    }
}

/* The next moment at which something is to be done without an event. */
static uint64_t next_moment(const struct hv_process *process, uint64_t until_ns)
{
    uint64_t moment = until_ns ? until_ns : UINT64_MAX;
    if (process->command.on_tick && process->next_tick < moment)
        moment = process->next_tick;
    if (process->phase == RUNNING && process->deadline && process->deadline < moment)
        moment = process->deadline;
    if ((process->phase == TERMINATING || process->phase == KILLING) && process->phase_end < moment)
        moment = process->phase_end;
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

static void look_at_clock(struct hv_process *process)
{
    uint64_t now = clock_monotonic_ns();
    if (process->command.on_tick && now >= process->next_tick) {
        process->command.on_tick(process->command.user, now - process->started);
        process->next_tick = now + CLOCK_SECOND;
    }
    if (process->phase == RUNNING && process->deadline && now >= process->deadline) {
        stop(process, &process->exit.timed_out);
    } else if (process->phase == TERMINATING && now >= process->phase_end) {
        process_give_order(process, GUARD_KILL);
        process->phase = KILLING;
        process->phase_end = now + GIVE_UP_S * CLOCK_SECOND;
    } else if (process->phase == KILLING && now >= process->phase_end) {
        process->phase = ENDED;
    }
}

static enum hv_process_state state_of(const struct hv_process *process)
{
    if (process->phase == ENDED)
        return HV_PROCESS_ENDED;
    return process->phase == LINGERING ? HV_PROCESS_LINGERING : HV_PROCESS_RUNNING;
}

enum hv_process_state process_attend(struct hv_process *process, uint64_t until_ns)
{
    enum hv_process_state before = state_of(process);
    process->woken = false;
    while (process->phase != ENDED && state_of(process) == before && !process->woken &&
           (!until_ns || clock_monotonic_ns() < until_ns)) {
        struct epoll_event events[WATCH_COUNT];
        int timeout = milliseconds_until(next_moment(process, until_ns));
        int count = epoll_wait(process->epoll, events, WATCH_COUNT, timeout);
        for (int i = 0; i < count; i++)
            handle(process, (enum process_watched)events[i].data.u32);
        look_at_clock(process);
    }
    return state_of(process);
}

/* ---- after the end ------------------------------------------------------------------------------------- */

static void drain(struct hv_process *process, enum process_watched what)
{
    for (int i = 0; i < LAST_READS && process->fds[what] >= 0 && read_output(process, what); i++)
        ;
}

/* The guard did not report: something killed or stopped it. The kernel kills the command with it; its group is ours. */
static void end_without_guard(struct hv_process *process)
{
    process_handle_kill(&process->guard_handle);
    cage_kill(&process->cage);
    process_handle_kill_group(&process->command_handle);
    if (!process->reported)
        process->status = SIGKILL;
}

/* A guard that stays with a process which cannot be killed is not waited for. An embedder that reaps all children
 * may have taken it from us, which is fine: all it had to say came over the socket. */
static void reap_guard(const struct hv_process *process)
{
    if (process->tree_alive)
        return;
    while (waitpid(process->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    children_forget(process->guard);
}

static enum hv_code explain_failure(const struct hv_process *process, struct hv_error *err)
{
    int reason = process->failure.value;
    const char *program = process->program;
    switch (process->failure.detail) {
    case GUARD_FAILED_DIRECTORY:
        hv_fail_errno(err, reason, "cannot enter the working directory %s", process->directory);
        hv_error_hint(err, "Use a directory that exists.");
        break;
    case GUARD_FAILED_PROGRAM:
        if (reason != ENOENT)
            return process_fail_start(reason, program, err);
        hv_fail(err, HV_ENOTFOUND, "there is no program \"%s\"%s", program, strchr(program, '/') ? "" : " on PATH");
        hv_error_hint(err, "Check the name, or install it.");
        break;
    case GUARD_FAILED_LIMITS: hv_fail_errno(err, reason, "cannot set the resource limits of %s", program); break;
    case GUARD_FAILED_TERMINAL: hv_fail_errno(err, reason, "cannot give %s a terminal of its own", program); break;
    default: return process_fail_start(reason, program, err);
    }
    return hv_code_from_errno(reason);
}

static void fill_exit(const struct hv_process *process, struct hv_exit *out)
{
    *out = process->exit;
    out->duration_ns = clock_monotonic_ns() - process->started;
    out->signal = WIFSIGNALED(process->status) ? WTERMSIG(process->status) : 0;
    out->code = out->signal ? -1 : WEXITSTATUS(process->status);
}

enum hv_code process_conclude(struct hv_process *process, struct hv_exit *out, struct hv_error *err)
{
    bool lost = !process->settled;
    if (lost)
        end_without_guard(process);
    reap_guard(process);
    if (lost)
        orphans_end();
    drain(process, WATCH_STDOUT);
    drain(process, WATCH_STDERR);
    if (process->failure.kind)
        return explain_failure(process, err);
    fill_exit(process, out);
    return HV_OK;
}

/* ---- handles ------------------------------------------------------------------------------------------- */

/* The function fills a fresh process; what it leaves behind on a fault is released. */
static enum hv_code make(enum hv_code (*begin)(struct hv_process *, const struct hv_command *, struct hv_error *),
                         const struct hv_command *command, struct hv_process **out, struct hv_error *err)
{
    struct hv_process *process = hv_calloc(1, sizeof *process);
    enum hv_code code = begin(process, command, err);
    if (code) {
        process_release(process);
        free(process);
        return code;
    }
    *out = process;
    return HV_OK;
}

static enum hv_code handle_finish(struct hv_process *process, struct hv_exit *out, struct hv_error *err);

static enum hv_code handle_start(const struct hv_host *host, const struct hv_command *command, struct hv_process **out,
                                 struct hv_error *err)
{
    (void)host;
    struct hv_process *prepared = command->prepared ? take_ptr(*command->prepared) : NULL;
    struct hv_exit ignored;
    if (prepared && process_claim(prepared, command)) {
        *out = prepared;
        return HV_OK;
    }
    if (prepared)
        (void)!handle_finish(prepared, &ignored, NULL); /* it did not run anything */
    return make(process_start, command, out, err);
}

static enum hv_code handle_prepare(const struct hv_host *host, const struct hv_command *command,
                                   struct hv_process **out, struct hv_error *err)
{
    (void)host;
    return make(process_prepare, command, out, err);
}

static void handle_adopt(struct hv_process *process, const struct hv_cancel *cancel, bool ticks)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = WATCH_CANCEL};
    if (process->command.cancel)
        epoll_ctl(process->epoll, EPOLL_CTL_DEL, hv_cancel_fd(process->command.cancel), NULL);
    if (process->command.wake)
        epoll_ctl(process->epoll, EPOLL_CTL_DEL, hv_cancel_fd(process->command.wake), NULL);
    process->command.cancel = cancel;
    process->command.wake = NULL;
    process->deadline = 0;
    if (!ticks)
        process->command.on_tick = NULL;
    /* Without a watch on it, it could never be stopped: then it ends now. */
    if (cancel && epoll_ctl(process->epoll, EPOLL_CTL_ADD, hv_cancel_fd(cancel), &event))
        stop(process, &process->exit.cancelled);
}

static void handle_stop(struct hv_process *process, uint64_t grace_ns)
{
    process_stop(process, NULL, grace_ns);
}

static void handle_interrupt(struct hv_process *process)
{
    process_give_order(process, GUARD_INTERRUPT);
}

/* Whoever only polls the input may be a server that listens to keys, too: it waits when it has left a prompt. */
static bool handle_waits(struct hv_process *process)
{
    pid_t group = atomic_load(&process->group);
    if (!process->takes_input || group <= 0)
        return false;
    /* From the guard down: in a sandbox the command's own process is not the parent of what runs inside. */
    enum input_wait found = input_wait_of(process->guard, process->input_device, process->input_inode);
    char last = atomic_load(&process->last_byte);
    return found == INPUT_READ || (found == INPUT_POLLED && last && last != '\n');
}

static int64_t handle_id(const struct hv_process *process)
{
    return atomic_load(&((struct hv_process *)process)->group);
}

/* Kill what still lives. */
static enum hv_code end(struct hv_process *process, struct hv_exit *out, struct hv_error *err)
{
    process_stop(process, NULL, 0);
    while (process_attend(process, 0) != HV_PROCESS_ENDED)
        ;
    enum hv_code code = process_conclude(process, out, err);
    process_release(process);
    free(process);
    return code;
}

static enum hv_code handle_conclude(struct hv_process *process, struct hv_exit *out, struct hv_process **rest,
                                    struct hv_error *err)
{
    *rest = NULL;
    if (!process->late_ended)
        return end(process, out, err);
    drain(process, WATCH_STDOUT);
    drain(process, WATCH_STDERR);
    fill_exit(process, out);
    handle_adopt(process, NULL, false);
    process_forget_late_end(process);
    *rest = process;
    return HV_OK;
}

static enum hv_code handle_finish(struct hv_process *process, struct hv_exit *out, struct hv_error *err)
{
    struct hv_process *rest;
    struct hv_exit ignored;
    enum hv_code code = handle_conclude(process, out, &rest, err);
    if (rest)
        (void)!end(rest, &ignored, NULL);
    return code;
}

const struct hv_processes proc_processes = {
    .start = handle_start,
    .prepare = handle_prepare,
    .complete = process_complete,
    .ready = process_ready,
    .attend = process_attend,
    .adopt = handle_adopt,
    .stop = handle_stop,
    .interrupt = handle_interrupt,
    .write = process_write,
    .close_input = process_close_input,
    .waits = handle_waits,
    .id = handle_id,
    .exit_of = fill_exit,
    .finish = handle_finish,
    .conclude = handle_conclude,
};
