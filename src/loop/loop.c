/* loop.c: see loop.h. The mailbox is a locked queue and one uv_async_t that wakes the loop. */
#include "loop/loop.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>
#include <uv.h>

/* As many as the loop and its wakers take. */
enum { DESCRIPTORS = 6 };

struct letter {
    void (*function)(void *data);
    void *data;
    struct letter *next;
};

struct loop {
    uv_loop_t uv;
    uv_async_t wake;
    pthread_mutex_t mutex; /* guards the mailbox */
    struct letter *first, **last;
    atomic_bool stop_wanted;
    _Atomic(pthread_t) thread; /* the one that runs, or ran last */
    uv_timer_t limit;          /* of loop_run_once */
};

struct loop_timer {
    uv_timer_t uv;
    void (*function)(void *data);
    void *data;
};

struct loop_signal {
    uv_signal_t uv;
    void (*function)(void *data, int number);
    void *data;
};

/* ---- mailbox ------------------------------------------------------------------------------------------- */

static struct letter *take_letters(struct loop *loop)
{
    LOCK_SCOPE(&loop->mutex);
    struct letter *letters = loop->first;
    loop->first = NULL;
    loop->last = &loop->first;
    return letters;
}

/* Call what was posted so far; true when there was something. */
static bool empty_mailbox(struct loop *loop)
{
    struct letter *letter = take_letters(loop);
    bool any = letter != NULL;
    while (letter) {
        struct letter *next = letter->next;
        letter->function(letter->data);
        free(letter);
        letter = next;
    }
    return any;
}

static void on_wake(uv_async_t *wake)
{
    struct loop *loop = wake->data;
    empty_mailbox(loop);
    if (atomic_exchange(&loop->stop_wanted, false))
        uv_stop(&loop->uv);
}

void loop_post(struct loop *loop, void (*function)(void *data), void *data)
{
    struct letter *letter = hv_malloc(sizeof *letter);
    *letter = (struct letter){function, data, NULL};
    LOCK_SCOPE(&loop->mutex);
    *loop->last = letter;
    loop->last = &letter->next;
    uv_async_send(&loop->wake); /* under the lock, so that loop_free cannot close it in between */
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->stop_wanted, true);
    uv_async_send(&loop->wake);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* libuv ends the process where it finds no descriptors for what its signals go through: 0 when there are enough for it,
 * else why not. */
static int find_room(void)
{
    int found[DESCRIPTORS], count = 0, reason = 0;
    while (count < DESCRIPTORS && !reason) {
        found[count] = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (found[count] < 0)
            reason = errno;
        else
            count++;
    }
    while (count > 0)
        close(found[--count]);
    return reason;
}

enum hv_code loop_new(struct loop **out, struct hv_error *err)
{
    int reason = find_room();
    if (reason)
        return hv_fail_errno(err, reason, "cannot make an event loop");
    struct loop *loop = hv_calloc(1, sizeof *loop);
    int failed = uv_loop_init(&loop->uv);
    if (!failed) {
        failed = uv_async_init(&loop->uv, &loop->wake, on_wake);
        if (failed)
            (void)uv_loop_close(&loop->uv);
    }
    if (failed) {
        free(loop);
        return hv_fail_errno(err, -failed, "cannot make an event loop");
    }
    uv_timer_init(&loop->uv, &loop->limit);
    uv_unref((uv_handle_t *)&loop->limit);
    loop->wake.data = loop;
    loop->last = &loop->first;
    pthread_mutex_init(&loop->mutex, NULL);
    atomic_store(&loop->thread, pthread_self());
    *out = loop;
    return HV_OK;
}

uv_loop_t *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

bool loop_is_current(const struct loop *loop)
{
    return pthread_equal(atomic_load(&((struct loop *)loop)->thread), pthread_self());
}

void loop_run(struct loop *loop)
{
    atomic_store(&loop->thread, pthread_self());
    uv_run(&loop->uv, UV_RUN_DEFAULT); /* the wake-up handle keeps it alive until uv_stop */
}

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
}

static uint64_t to_milliseconds(uint64_t ns)
{
    return ns / CLOCK_MILLISECOND + (ns % CLOCK_MILLISECOND != 0);
}

void loop_run_once(struct loop *loop, uint64_t timeout_ns)
{
    atomic_store(&loop->thread, pthread_self());
    if (timeout_ns == 0) {
        uv_run(&loop->uv, UV_RUN_NOWAIT);
        return;
    }
    uv_update_time(&loop->uv);
    uv_timer_start(&loop->limit, on_limit, to_milliseconds(timeout_ns), 0);
    uv_run(&loop->uv, UV_RUN_ONCE);
    uv_timer_stop(&loop->limit);
}

static void free_handle_memory(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_timer(uv_timer_t *handle);
static void on_signal(uv_signal_t *handle, int number);

/* Close a handle that nobody closed. Ours own memory; those of others are closed without touching what they point to.
 */
static void close_left_handle(uv_handle_t *handle, void *data)
{
    (void)data;
    if (uv_is_closing(handle))
        return;
    bool own_timer = handle->type == UV_TIMER && ((uv_timer_t *)handle)->timer_cb == on_timer;
    bool own_signal = handle->type == UV_SIGNAL && ((uv_signal_t *)handle)->signal_cb == on_signal;
    uv_close(handle, own_timer || own_signal ? free_handle_memory : NULL);
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    atomic_store(&loop->thread, pthread_self());
    while (empty_mailbox(loop))
        ;
    for (bool busy = true; busy;) { /* a close callback may post again, or open another handle */
        uv_walk(&loop->uv, close_left_handle, NULL);
        int alive = uv_run(&loop->uv, UV_RUN_DEFAULT);
        busy = empty_mailbox(loop) || alive || uv_loop_close(&loop->uv) == UV_EBUSY;
    }
    pthread_mutex_destroy(&loop->mutex);
    free(loop);
}

/* ---- timers and signals -------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *handle)
{
    struct loop_timer *timer = handle->data;
    void (*function)(void *data) = timer->function;
    void *data = timer->data;
    uv_close((uv_handle_t *)handle, free_handle_memory);
    function(data);
}

struct loop_timer *loop_timer_start(struct loop *loop, uint64_t delay_ns, void (*function)(void *data), void *data)
{
    struct loop_timer *timer = hv_calloc(1, sizeof *timer);
    timer->function = function;
    timer->data = data;
    uv_timer_init(&loop->uv, &timer->uv);
    timer->uv.data = timer;
    uv_update_time(&loop->uv); /* the delay counts from now, not from the start of this turn */
    uv_timer_start(&timer->uv, on_timer, to_milliseconds(delay_ns), 0);
    return timer;
}

void loop_timer_stop(struct loop_timer *timer)
{
    if (timer)
        uv_close((uv_handle_t *)&timer->uv, free_handle_memory);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct loop_signal *watch = handle->data;
    watch->function(watch->data, number);
}

struct loop_signal *loop_signal_start(struct loop *loop, int number, void (*function)(void *data, int number),
                                      void *data)
{
    struct loop_signal *watch = hv_calloc(1, sizeof *watch);
    watch->function = function;
    watch->data = data;
    uv_signal_init(&loop->uv, &watch->uv);
    watch->uv.data = watch;
    if (uv_signal_start(&watch->uv, on_signal, number) == 0)
        return watch;
    uv_close((uv_handle_t *)&watch->uv, free_handle_memory);
    return NULL;
}

void loop_signal_stop(struct loop_signal *watch)
{
    if (watch)
        uv_close((uv_handle_t *)&watch->uv, free_handle_memory);
}
