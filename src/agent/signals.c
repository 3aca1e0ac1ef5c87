/* signals.c: see signals.h. A handler of our own stands before libuv's and calls it. */
#include "agent/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000, PIECE_WHEN_ENDING = 4096 };

static const int numbers[SIGNALS_COUNT] = {SIGINT, SIGTERM, SIGHUP};

/* A signal handler has nothing but globals to look at. Written by the handler and, while none can run, by start. */
static atomic_bool arrived;
static struct sigaction before[SIGNALS_COUNT];

static void handle(int number)
{
    int saved = errno;
    if (atomic_exchange(&arrived, true))
        _exit(128 + number);
    for (int i = 0; i < SIGNALS_COUNT; i++)
        if (numbers[i] == number && before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN)
            before[i].sa_handler(number);
    errno = saved;
}

void signals_start(struct signals *signals, struct loop *loop, void (*function)(void *data, int number), void *data)
{
    atomic_store(&arrived, false);
    for (int i = 0; i < SIGNALS_COUNT; i++) {
        /* Without SA_RESTART: a write that is stuck shall come back. */
        struct sigaction action = {.sa_handler = handle};
        sigfillset(&action.sa_mask);
        signals->watches[i] = loop_signal_start(loop, numbers[i], function, data);
        if (signals->watches[i] && sigaction(numbers[i], NULL, &before[i]) == 0)
            sigaction(numbers[i], &action, NULL);
    }
}

void signals_stop(struct signals *signals)
{
    for (int i = 0; i < SIGNALS_COUNT; i++)
        loop_signal_stop(signals->watches[i]);
}

/* False when a signal has arrived and nobody makes room. */
static bool wait_writable(int fd)
{
    for (;;) {
        bool ending = atomic_load(&arrived);
        int ready = poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, PATIENCE_MS);
        if (ready > 0)
            return true;
        if (ready == 0 && ending)
            return false;
    }
}

int signals_write(int fd, struct hv_str bytes)
{
    for (size_t done = 0; done < bytes.len;) {
        size_t piece = bytes.len - done;
        if (atomic_load(&arrived)) {
            if (!wait_writable(fd))
                return EINTR;
            piece = piece < PIECE_WHEN_ENDING ? piece : PIECE_WHEN_ENDING;
        }
        ssize_t got = write(fd, bytes.ptr + done, piece);
        if (got > 0)
            done += (size_t)got;
        else if (got < 0 && errno == EAGAIN && !wait_writable(fd))
            return EINTR;
        else if (got < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
    }
    return 0;
}
