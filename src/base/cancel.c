/* cancel.c: the cancellation flag. See helve/host.h. An eventfd that is written once and never read stays readable. */
#include <helve/host.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct hv_cancel {
    atomic_bool raised;
    int fd;
};

struct hv_cancel *hv_cancel_new(void)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return NULL;
    struct hv_cancel *cancel = hv_calloc(1, sizeof *cancel);
    cancel->fd = fd;
    return cancel;
}

void hv_cancel_free(struct hv_cancel *cancel)
{
    if (!cancel)
        return;
    close(cancel->fd);
    free(cancel);
}

void hv_cancel_raise(struct hv_cancel *cancel)
{
    if (!cancel)
        return;
    atomic_store(&cancel->raised, true);
    uint64_t one = 1;
    ssize_t written = write(cancel->fd, &one, sizeof one);
    (void)written; /* can only fail when the counter is full, and then the descriptor is readable already */
}

bool hv_cancelled(const struct hv_cancel *cancel)
{
    return cancel && atomic_load(&((struct hv_cancel *)cancel)->raised);
}
int hv_cancel_fd(const struct hv_cancel *cancel)
{
    return cancel ? cancel->fd : -1;
}
