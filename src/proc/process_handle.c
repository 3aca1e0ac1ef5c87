/*
 * process_handle.c: signals to processes that may have ended meanwhile, and whose number may be somebody else's by now.
 * A pidfd stays with its process; where the kernel has none, the number is used, after a look at who has it.
 */
#include "proc/process.h"

#include "base/cleanup.h"

#include <signal.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>

/* Of Linux 6.9: to the whole group of the process, also when its leader is gone. */
#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

void process_handle_open(struct process_handle *handle, pid_t pid, pid_t parent)
{
    int64_t found;
    unsigned long long ticks;
    CLEANUP_FD int fd = pidfd_open(pid, 0);
    *handle = (struct process_handle){.fd = -1};
    if (!parent) {
        *handle = (struct process_handle){.pid = pid, .fd = take_fd(&fd)};
        return;
    }
    /* Looked at after it was opened: if it still is that one's child now, the number was not given away before. */
    if (!process_look(pid, &found, &ticks) || found != parent)
        return;
    handle->pid = pid;
    handle->ticks = ticks;
    handle->fd = take_fd(&fd);
}

void process_handle_close(struct process_handle *handle)
{
    cleanup_fd(&handle->fd);
    *handle = (struct process_handle){.fd = -1};
}

/* The number is still its own, as far as one can see. */
static bool has_number(const struct process_handle *handle)
{
    unsigned long long ticks;
    if (!handle->ticks)
        return handle->pid > 0;
    return process_start_ticks(handle->pid, &ticks) && ticks == handle->ticks;
}

void process_handle_kill(const struct process_handle *handle)
{
    if (handle->fd >= 0 && (pidfd_send_signal(handle->fd, SIGKILL, NULL, 0) == 0 || errno == ESRCH))
        return;
    if (has_number(handle))
        kill(handle->pid, SIGKILL);
}

/* A group without its leader has a number that is not given away, but an empty one has not. */
void process_handle_kill_group(const struct process_handle *handle)
{
    if (handle->fd >= 0 &&
        (syscall(SYS_pidfd_send_signal, handle->fd, SIGKILL, NULL, PIDFD_SIGNAL_PROCESS_GROUP) == 0 || errno == ESRCH))
        return;
    if (has_number(handle))
        kill(-handle->pid, SIGKILL);
}
