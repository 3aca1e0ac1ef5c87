/* process_input.c: typing to a command: bytes for the pipe or the terminal that is its stdin. See helve/host.h. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/process.h"

#include <errno.h>
#include <poll.h>

enum { PATIENCE_MS = 1000, TERMINAL_LINE = 1024 };

static enum hv_code no_input(const struct hv_process *process, struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, process->takes_input ? "its stdin was closed" : "its stdin is empty");
    hv_error_hint(err, "Start the command anew with `tty: true`, or with `stdin: \"open\"`, to type to it.");
    return HV_EUNSUPPORTED;
}

static enum hv_code not_taken(size_t done, struct hv_error *err)
{
    hv_fail(err, HV_EAGAIN, "the process does not read its input: it took %zu bytes of it", done);
    hv_error_hint(err, "Look at its output; type the rest when it waits for input.");
    return HV_EAGAIN;
}

/* A terminal drops what exceeds its line buffer, so long texts go in pieces that wait for room. */
static ssize_t write_piece(const struct hv_process *process, struct hv_str bytes)
{
    size_t most = process->input_device ? TERMINAL_LINE : bytes.len;
    return write(process->input_fd, bytes.ptr, bytes.len < most ? bytes.len : most);
}

enum hv_code process_write(struct hv_process *process, struct hv_str bytes, struct hv_error *err)
{
    LOCK_SCOPE(&process->input_lock);
    if (process->input_fd < 0)
        return no_input(process, err);
    uint64_t end = clock_monotonic_ns() + PATIENCE_MS * CLOCK_MILLISECOND;
    for (size_t done = 0; done < bytes.len;) {
        ssize_t wrote = write_piece(process, hv_str_slice(bytes, done, bytes.len));
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = process->input_fd, .events = POLLOUT};
            if (clock_monotonic_ns() >= end || (poll(&ready, 1, PATIENCE_MS) <= 0 && errno != EINTR))
                return not_taken(done, err);
        } else if (errno != EINTR) {
            hv_fail(err, HV_EUNSUPPORTED, "nobody reads its stdin any more");
            hv_error_hint(err, "Its output tells whether it has ended.");
            return HV_EUNSUPPORTED;
        }
    }
    return HV_OK;
}

void process_close_input(struct hv_process *process)
{
    LOCK_SCOPE(&process->input_lock);
    if (process->input_fd < 0)
        return;
    if (process->input_device) {
        if (write(process->input_fd, "\x04", 1) < 0)
            return; /* it is gone, or takes nothing: then it does not wait for an end either */
        return;
    }
    cleanup_fd(&process->input_fd);
    process->input_fd = -1;
}
