/* terminal.c: see terminal.h. The only file of ui that knows descriptors, signals and termios. */
#include "ui/shell/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "proc/children.h"

enum { READ_MAX = 64 << 10, READS_MAX = 16, WAIT_MAX = 64 << 20, SETTLE_MS = 30, ESCAPE_MS = 30, LAST_WORDS_MS = 500 };

#define MODES_ON "\033[?2004h\033[?1004h"
#define ASK_BACKGROUND "\033]11;?\033\\"
#define QUESTIONS "\033[c\033[?u\033[?2026$p\033[6n"
#define KITTY_ON "\033[>1u"
#define KITTY_OFF "\033[<u"
#define MODES_OFF "\033[?2026l\033[?1004l\033[?2004l\033[?25h\033[0m"

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { FATAL_COUNT = sizeof fatal_signals / sizeof *fatal_signals };

struct terminal {
    struct loop *loop;
    struct terminal_handlers handlers;
    int fd;
    int watcher; /* tells it what there is to restore; -1: there is none */
    struct termios before;
    struct keys keys;
    uv_poll_t *poll;
    int events; /* that poll waits for */
    struct loop_signal *resized, *stopped, *continued, *ends[3];
    struct loop_timer *escape_timer, *size_timer;
    struct hv_buf waiting;
    struct hv_buf early; /* what was typed before the program was ready, and is not handed on yet */
    size_t columns, rows;
    bool kitty, raw;
};

/* What the handler of a fatal signal needs; the one writable global of ui. */
static struct {
    volatile sig_atomic_t active;
    int fd, watcher;
    bool kitty;
    struct termios before;
} rescue;

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Async-signal-safe. */
static void put_back(int fd, const struct termios *before, bool kitty)
{
    if (kitty)
        (void)!write(fd, KITTY_OFF, sizeof KITTY_OFF - 1);
    (void)!write(fd, MODES_OFF, sizeof MODES_OFF - 1);
    tcsetattr(fd, TCSADRAIN, before);
}

/* ---- the watcher ------------------------------------------------------------------------------------------------- */

enum watcher_word { WATCHER_NOTHING = 'n', WATCHER_MODES = 'm', WATCHER_KITTY = 'k' };

/* A process that waits for the end of this one: nothing else could restore the terminal after SIGKILL. It holds the
 * terminal and the pipe alone, in a session of its own, where the terminal does not stop it. Only calls that are safe
 * after a fork of a process with threads. */
static _Noreturn void watch(int fd, int words, const struct termios *before)
{
    unsigned low = (unsigned)(fd < words ? fd : words), high = (unsigned)(fd < words ? words : fd);
    sigset_t all;
    char word, last = WATCHER_NOTHING;
    ssize_t got;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "helve-terminal");
    if (low)
        close_range(0, low - 1, 0);
    if (high > low + 1)
        close_range(low + 1, high - 1, 0);
    close_range(high + 1, ~0U, 0);
    while ((got = read(words, &word, 1)) == 1 || (got < 0 && errno == EINTR))
        last = got == 1 ? word : last;
    if (last != WATCHER_NOTHING)
        put_back(fd, before, last == WATCHER_KITTY);
    _exit(0);
}

/* It is nobody's child here: what this process gets to look after, it takes for what commands have left behind. */
static int fork_watcher(int fd, const struct termios *before)
{
    int ends[2], reaper = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    children_begin_start();
    pid_t between = fork();
    if (between == 0) {
        pid_t child = fork();
        if (child == 0)
            watch(fd, ends[0], before);
        _exit(child < 0);
    }
    children_end_start(between);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        ;
    children_forget(between);
    prctl(PR_SET_CHILD_SUBREAPER, reaper);
    close(ends[0]);
    if (between > 0)
        return ends[1];
    close(ends[1]);
    return -1;
}

static void tell_watcher(const struct terminal *terminal)
{
    char word = !terminal->raw ? WATCHER_NOTHING : terminal->kitty ? WATCHER_KITTY : WATCHER_MODES;
    if (terminal->watcher >= 0)
        (void)!write(terminal->watcher, &word, 1);
}

static void start_watcher(void *data)
{
    struct terminal *terminal = data;
    if (terminal->watcher >= 0)
        return;
    terminal->watcher = fork_watcher(terminal->fd, &terminal->before);
    rescue.watcher = terminal->watcher;
    tell_watcher(terminal);
}

void terminal_watch(struct terminal *terminal)
{
    start_watcher(terminal);
}

/* ---- entering, leaving ------------------------------------------------------------------------------------------- */

/* Async-signal-safe. */
static void put_back_once(void)
{
    char word = WATCHER_NOTHING;
    if (!rescue.active)
        return;
    rescue.active = 0;
    put_back(rescue.fd, &rescue.before, rescue.kitty);
    if (rescue.watcher >= 0)
        (void)!write(rescue.watcher, &word, 1);
}

static void on_fatal(int number)
{
    put_back_once();
    signal(number, SIG_DFL);
    raise(number);
}

static void at_exit(void)
{
    put_back_once();
}

static void watch_fatal(void)
{
    /* A sanitizer's own handlers tell more. */
    for (size_t i = 0; i < FATAL_COUNT; i++) {
        struct sigaction now;
        if (sigaction(fatal_signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(fatal_signals[i], on_fatal);
    }
}

static bool set_raw(struct terminal *terminal)
{
    struct termios raw = terminal->before;
    raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    raw.c_cflag = (raw.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    /* What was typed before it started is kept. */
    return tcsetattr(terminal->fd, TCSADRAIN, &raw) == 0;
}

static void enter_raw(struct terminal *terminal)
{
    set_raw(terminal);
    terminal->raw = true;
    rescue.fd = terminal->fd;
    rescue.watcher = terminal->watcher;
    rescue.before = terminal->before;
    rescue.kitty = terminal->kitty;
    rescue.active = 1;
    tell_watcher(terminal);
}

static void enter(struct terminal *terminal)
{
    enter_raw(terminal);
    terminal_write(terminal, HV_STR(MODES_ON));
    if (terminal->kitty)
        terminal_write(terminal, HV_STR(KITTY_ON));
}

static void write_last(struct terminal *terminal)
{
    uint64_t end = clock_monotonic_ns() + LAST_WORDS_MS * CLOCK_MILLISECOND;
    while (terminal->waiting.len && clock_monotonic_ns() < end) {
        struct pollfd poll_fd = {.fd = terminal->fd, .events = POLLOUT};
        if (poll(&poll_fd, 1, 50) < 0 && errno != EINTR)
            break;
        ssize_t written = write(terminal->fd, terminal->waiting.data, terminal->waiting.len);
        if (written > 0)
            hv_buf_consume(&terminal->waiting, (size_t)written);
        else if (errno != EAGAIN && errno != EINTR)
            break;
    }
    hv_buf_clear(&terminal->waiting);
}

static void leave(struct terminal *terminal)
{
    if (!terminal->raw)
        return;
    write_last(terminal);
    rescue.active = 0;
    put_back(terminal->fd, &terminal->before, terminal->kitty);
    terminal->raw = false;
    tell_watcher(terminal);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void wait_for(struct terminal *terminal, int events)
{
    if (!terminal->poll || terminal->events == events)
        return;
    uv_poll_start(terminal->poll, events, on_poll);
    terminal->events = events;
}

static void flush(struct terminal *terminal)
{
    while (terminal->waiting.len) {
        ssize_t written = write(terminal->fd, terminal->waiting.data, terminal->waiting.len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            break;
        hv_buf_consume(&terminal->waiting, (size_t)written);
    }
    wait_for(terminal, terminal->waiting.len ? UV_READABLE | UV_WRITABLE : UV_READABLE);
}

void terminal_write(struct terminal *terminal, struct hv_str bytes)
{
    hv_buf_add_str(&terminal->waiting, bytes);
    flush(terminal);
}

bool terminal_busy(const struct terminal *terminal)
{
    return terminal->waiting.len > 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void on_escape_timer(void *data)
{
    struct terminal *terminal = data;
    terminal->escape_timer = NULL;
    keys_flush(&terminal->keys, terminal->handlers.on_key, terminal->handlers.user);
}

static void gone(struct terminal *terminal)
{
    if (terminal->poll)
        uv_poll_stop(terminal->poll);
    terminal->events = 0;
    terminal->handlers.on_signal(terminal->handlers.user, SIGHUP);
}

static void read_keys(struct terminal *terminal)
{
    static const size_t size = READ_MAX;
    char *bytes = hv_malloc(size);
    loop_timer_stop(terminal->escape_timer);
    terminal->escape_timer = NULL;
    keys_feed(&terminal->keys, hv_buf_str(&terminal->early), terminal->handlers.on_key, terminal->handlers.user);
    hv_buf_clear(&terminal->early);
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t got = read(terminal->fd, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 || (got < 0 && errno != EAGAIN)) {
            free(bytes);
            gone(terminal);
            return;
        }
        if (got < 0)
            break;
        keys_feed(&terminal->keys, hv_str_of(bytes, (size_t)got), terminal->handlers.on_key, terminal->handlers.user);
    }
    free(bytes);
    if (keys_waiting(&terminal->keys))
        terminal->escape_timer =
            loop_timer_start(terminal->loop, ESCAPE_MS * CLOCK_MILLISECOND, on_escape_timer, terminal);
}

void terminal_read(struct terminal *terminal, unsigned milliseconds)
{
    struct pollfd poll_fd = {.fd = terminal->fd, .events = POLLIN};
    if (poll(&poll_fd, 1, (int)milliseconds) > 0 && (poll_fd.revents & POLLIN))
        read_keys(terminal);
}

static void read_early(void *data)
{
    struct terminal *terminal = data;
    if (terminal->early.len)
        read_keys(terminal);
}

static size_t count_plain_bytes(struct hv_str text)
{
    size_t count = 0;
    while (count < text.len && (unsigned char)text.ptr[count] >= ' ' && text.ptr[count] != '@' &&
           text.ptr[count] != 0x7f)
        count++;
    return count;
}

static void gather_typed(struct terminal *terminal)
{
    size_t size = READ_MAX - terminal->early.len;
    char *room = hv_buf_reserve(&terminal->early, size);
    ssize_t got = room ? read(terminal->fd, room, size) : -1;
    if (got > 0) /* else nothing, or the end, which the loop meets again */
        hv_buf_commit(&terminal->early, (size_t)got);
}

/* What came before the raw mode, where Enter is a newline. One line and Enter are a prompt that was sent; several lines
 * may have been pasted, and wait for the person. Enter alone chooses nothing that was not seen. */
static void take_typed_ahead(struct terminal *terminal)
{
    struct hv_buf *early = &terminal->early;
    gather_typed(terminal);
    if (early->len > 1 && terminal->before.c_iflag & ICRNL &&
        hv_str_find_byte(hv_buf_str(early), '\n', 0) == early->len - 1)
        early->data[early->len - 1] = '\r';
    loop_post(terminal->loop, read_early, terminal);
}

void terminal_read_typed(struct terminal *terminal)
{
    gather_typed(terminal);
    size_t plain = count_plain_bytes(hv_buf_str(&terminal->early));
    keys_feed(&terminal->keys, hv_str_slice(hv_buf_str(&terminal->early), 0, plain), terminal->handlers.on_key,
              terminal->handlers.user);
    hv_buf_consume(&terminal->early, plain);
    loop_post(terminal->loop, read_early, terminal);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct terminal *terminal = poll->data;
    if (status < 0) {
        gone(terminal);
        return;
    }
    if (events & UV_WRITABLE) {
        flush(terminal);
        if (!terminal->waiting.len)
            terminal->handlers.on_drained(terminal->handlers.user);
    }
    if (events & UV_READABLE)
        read_keys(terminal);
}

/* ---- size and signals -------------------------------------------------------------------------------------------- */

void terminal_cell_size(const struct terminal *terminal, unsigned *width, unsigned *height)
{
    struct winsize size = {0};
    *width = *height = 0;
    if (ioctl(terminal->fd, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row)
        return;
    *width = size.ws_xpixel / size.ws_col;
    *height = size.ws_ypixel / size.ws_row;
}

void terminal_size(const struct terminal *terminal, size_t *columns, size_t *rows)
{
    struct winsize size = {0};
    *columns = 80;
    *rows = 24;
    if (ioctl(terminal->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
        *columns = size.ws_col;
        *rows = size.ws_row;
    }
}

static void on_settled(void *data)
{
    struct terminal *terminal = data;
    size_t columns, rows;
    terminal->size_timer = NULL;
    terminal_size(terminal, &columns, &rows);
    if (columns != terminal->columns || rows != terminal->rows) {
        terminal->columns = columns;
        terminal->rows = rows;
        terminal->size_timer = loop_timer_start(terminal->loop, SETTLE_MS * CLOCK_MILLISECOND, on_settled, terminal);
        return;
    }
    terminal->handlers.on_size(terminal->handlers.user);
}

static void on_resized(void *data, int number)
{
    struct terminal *terminal = data;
    (void)number;
    loop_timer_stop(terminal->size_timer);
    terminal->size_timer = loop_timer_start(terminal->loop, SETTLE_MS * CLOCK_MILLISECOND, on_settled, terminal);
}

bool terminal_is_resizing(struct terminal *terminal)
{
    size_t columns, rows;
    terminal_size(terminal, &columns, &rows);
    /* The signal may come after the size. */
    if (!terminal->size_timer && (columns != terminal->columns || rows != terminal->rows))
        on_resized(terminal, SIGWINCH);
    return terminal->size_timer != NULL;
}

void terminal_suspend(struct terminal *terminal)
{
    terminal->handlers.before_stop(terminal->handlers.user);
    leave(terminal);
    kill(getpid(), SIGSTOP);
    enter(terminal);
    terminal_size(terminal, &terminal->columns, &terminal->rows);
    terminal->handlers.on_resume(terminal->handlers.user);
}

static void on_stopped(void *data, int number)
{
    (void)number;
    terminal_suspend(data);
}

static void on_end(void *data, int number)
{
    struct terminal *terminal = data;
    terminal->handlers.on_signal(terminal->handlers.user, number);
}

void terminal_use_kitty(struct terminal *terminal)
{
    if (terminal->kitty)
        return;
    terminal->kitty = rescue.kitty = true;
    tell_watcher(terminal);
    terminal_write(terminal, HV_STR(KITTY_ON));
}

void terminal_lend(struct terminal *terminal)
{
    if (terminal->poll)
        uv_poll_stop(terminal->poll);
    terminal->events = 0;
    leave(terminal);
}

void terminal_take_back(struct terminal *terminal)
{
    enter(terminal);
    wait_for(terminal, UV_READABLE);
    terminal_size(terminal, &terminal->columns, &terminal->rows);
    terminal->handlers.on_resume(terminal->handlers.user);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* A description of its own, so that not blocking concerns nobody else who has the terminal. */
static int open_terminal(void)
{
    char name[256];
    if (!isatty(STDIN_FILENO))
        return -1;
    int fd =
        ttyname_r(STDIN_FILENO, name, sizeof name) == 0 ? open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    return fd >= 0 ? fd : open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void start_watching(struct terminal *terminal)
{
    struct loop *loop = terminal->loop;
    terminal->resized = loop_signal_start(loop, SIGWINCH, on_resized, terminal);
    terminal->stopped = loop_signal_start(loop, SIGTSTP, on_stopped, terminal);
    terminal->ends[0] = loop_signal_start(loop, SIGTERM, on_end, terminal);
    terminal->ends[1] = loop_signal_start(loop, SIGHUP, on_end, terminal);
    terminal->ends[2] = loop_signal_start(loop, SIGINT, on_end, terminal);
    terminal->poll = hv_calloc(1, sizeof *terminal->poll);
    terminal->poll->data = terminal;
    if (uv_poll_init(loop_uv(loop), terminal->poll, terminal->fd) != 0) {
        free(terminal->poll);
        terminal->poll = NULL;
    }
    wait_for(terminal, UV_READABLE);
}

enum hv_code terminal_open(struct loop *loop, const struct terminal_handlers *handlers, struct terminal **out,
                           struct hv_error *err)
{
    static bool registered;
    int fd = open_terminal();
    struct termios before;
    if (fd < 0 || tcgetattr(fd, &before) != 0) {
        if (fd >= 0)
            close(fd);
        hv_fail(err, HV_EUNSUPPORTED, "stdin is no terminal that can be used");
        hv_error_hint(err, "without one use: helve -p \"TASK\"");
        return HV_EUNSUPPORTED;
    }
    struct terminal *terminal = hv_calloc(1, sizeof *terminal);
    *terminal = (struct terminal){.loop = loop, .handlers = *handlers, .fd = fd, .watcher = -1, .before = before};
    hv_buf_init(&terminal->waiting, WAIT_MAX);
    hv_buf_init(&terminal->early, READ_MAX);
    terminal_size(terminal, &terminal->columns, &terminal->rows);
    if (!registered)
        atexit(at_exit);
    registered = true;
    watch_fatal();
    enter_raw(terminal);
    take_typed_ahead(terminal);
    terminal_write(terminal, HV_STR(MODES_ON));
    start_watching(terminal);
    if (terminal->handlers.asks_background)
        terminal_write(terminal, HV_STR(ASK_BACKGROUND));
    terminal_write(terminal, HV_STR(QUESTIONS));
    loop_post(loop, start_watcher, terminal);
    *out = terminal;
    return HV_OK;
}

static void free_poll(uv_handle_t *handle)
{
    free(handle);
}

void terminal_close(struct terminal *terminal)
{
    if (!terminal)
        return;
    loop_timer_stop(terminal->escape_timer);
    loop_timer_stop(terminal->size_timer);
    loop_signal_stop(terminal->resized);
    loop_signal_stop(terminal->stopped);
    for (size_t i = 0; i < 3; i++)
        loop_signal_stop(terminal->ends[i]);
    if (terminal->poll)
        uv_close((uv_handle_t *)terminal->poll, free_poll);
    leave(terminal);
    keys_release(&terminal->keys);
    hv_buf_release(&terminal->waiting);
    hv_buf_release(&terminal->early);
    if (terminal->watcher >= 0)
        close(terminal->watcher);
    close(terminal->fd);
    free(terminal);
}
