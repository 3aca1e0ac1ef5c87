/*
 * cancel.c: the cancellation flag. See helve/host.h. An eventfd that is written once and never read stays readable. It
 * is made when somebody first asks for it: most calls are over before anybody waits.
 */
#include <helve/host.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct hv_cancel {
    atomic_bool raised;
    atomic_int fd; /* -1: nobody asked for it yet */
};

struct hv_cancel *hv_cancel_new(void)
{
    struct hv_cancel *cancel = hv_calloc(1, sizeof *cancel);
    atomic_init(&cancel->fd, -1);
    return cancel;
}

void hv_cancel_free(struct hv_cancel *cancel)
{
    if (!cancel)
        return;
    int fd = atomic_load(&cancel->fd);
    if (fd >= 0)
        close(fd);
    free(cancel);
}

static void make_readable(int fd)
{
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written; /* can only fail when the counter is full, and then the descriptor is readable already */
}

void hv_cancel_raise(struct hv_cancel *cancel)
{
    if (!cancel)
        return;
    atomic_store(&cancel->raised, true);
    int fd = atomic_load(&cancel->fd);
    if (fd >= 0)
        make_readable(fd);
}

bool hv_cancelled(const struct hv_cancel *cancel)
{
    return cancel && atomic_load(&((struct hv_cancel *)cancel)->raised);
}

/* The flag is raised before the descriptor is looked for there, and looked at after it was set here: whoever is second
 * makes it readable. */
int hv_cancel_fd(const struct hv_cancel *cancel)
{
    if (!cancel)
        return -1;
    struct hv_cancel *writable = (struct hv_cancel *)cancel;
    int fd = atomic_load(&writable->fd);
    if (fd >= 0)
        return fd;
    int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made < 0)
        return -1;
    if (!atomic_compare_exchange_strong(&writable->fd, &fd, made)) {
        close(made); /* another thread was quicker */
        return fd;
    }
    if (atomic_load(&writable->raised))
        make_readable(made);
    return made;
}
