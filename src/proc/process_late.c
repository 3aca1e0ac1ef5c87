/*
 * process_late.c: commands that are started ahead. Setting up a sandbox takes longer than most commands; what can be
 * done of it before the command is known is done then, and waits on a socket for the rest: directory, arguments,
 * environment (guard_protocol.h says how). Guard, pipes and ownership are those of every command, so a prepared one
 * that is never used dies like any other.
 */
#include "base/cleanup.h"
#include "proc/process.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

extern char **environ;

enum { READY_MS = 5000, REST_MAX = 64 << 20 };

enum hv_code process_prepare(struct hv_process *process, const struct hv_command *command, struct hv_error *err)
{
    size_t count = 0;
    process_init(process, &(struct hv_command){.environment = command->environment,
                                               .one_output = command->one_output,
                                               .lingers = command->lingers});
    while (command->argv[count])
        count++;
    process->late_words = hv_arena_array(&process->arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        process->late_words[i] = hv_arena_cstr(&process->arena, hv_str_from(command->argv[i]));
    process->command.argv = (const char *const *)process->late_words;
    process->program = process->late_words[0];
    process->directory = "/";
    return process_start_guard(process, err);
}

/* The arguments that are still to be told; NULL: it is not the command that was begun. */
static const char *const *rest_of(const struct hv_process *process, const struct hv_command *command)
{
    const char *const *rest = command->argv;
    bool plain = !command->tty && !command->keeps_input && !command->input.len && !command->memory_limit &&
                 !command->file_limit && !command->process_limit;
    if (!plain || !rest || !command->directory || command->lingers != process->command.lingers ||
        command->one_output != process->command.one_output)
        return NULL;
    for (size_t i = 0; process->late_words[i]; i++, rest++)
        if (!*rest || strcmp(*rest, process->late_words[i]) != 0)
            return NULL;
    return *rest ? rest : NULL;
}

static void put_words(struct hv_buf *out, const char *const *words)
{
    for (; *words; words++)
        hv_buf_add(out, *words, strlen(*words) + 1);
}

/* A file in memory that holds the text, or -1. */
static int text_file(const char *name, struct hv_str text)
{
    CLEANUP_FD int fd = memfd_create(name, MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < text.len;) {
        ssize_t wrote = write(fd, text.ptr + done, text.len - done);
        if (wrote < 0 && errno != EINTR)
            return -1;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return fd < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -1 : take_fd(&fd);
}

/* A file in memory that holds the rest, or -1. */
static int rest_file(const struct hv_command *command, const char *const *rest)
{
    CLEANUP_BUF struct hv_buf text = {0};
    size_t count = 0;
    while (rest[count])
        count++;
    hv_buf_init(&text, REST_MAX);
    hv_buf_add(&text, command->directory, strlen(command->directory) + 1);
    hv_buf_addf(&text, "%zu", count);
    hv_buf_add_byte(&text, '\0');
    put_words(&text, rest);
    put_words(&text, command->environment ? command->environment : (const char *const *)environ);
    return text.failed ? -1 : text_file("command", hv_buf_str(&text));
}

static bool send_file(int socket, int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte = GUARD_LATE_GO;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

static bool is_said(int socket, enum guard_late what)
{
    char said;
    return recv(socket, &said, 1, MSG_DONTWAIT) == 1 && said == (char)what;
}

bool process_complete(struct hv_process *process, struct hv_str rest)
{
    size_t last = 0;
    CLEANUP_FD int file = process->late < 0 ? -1 : text_file("rest", rest);
    if (file < 0 || !send_file(process->late, file))
        return false;
    while (process->late_words[last + 1])
        last++;
    struct hv_str whole = hv_arena_join(&process->arena, hv_str_from(process->late_words[last]), rest);
    process->late_words[last] = hv_arena_cstr(&process->arena, whole);
    return true;
}

bool process_ready(struct hv_process *process)
{
    struct pollfd watched = {process->late, POLLIN, 0};
    if (!process->late_ready && process->late >= 0)
        process->late_ready = poll(&watched, 1, READY_MS) > 0 && is_said(process->late, GUARD_LATE_READY);
    return process->late_ready;
}

/* Once it was told, only its word can say that it does not run: else it would run twice. Cancelled meanwhile, it counts
 * as running, and is ended as such. */
static bool is_taken(int socket, const struct hv_cancel *cancel)
{
    struct pollfd watched[] = {{socket, POLLIN, 0}, {hv_cancel_fd(cancel), POLLIN, 0}};
    while (poll(watched, 2, -1) < 0 && errno == EINTR)
        ;
    return !watched[0].revents || is_said(socket, GUARD_LATE_TAKEN);
}

bool process_claim(struct hv_process *process, const struct hv_command *command)
{
    const char *const *rest = rest_of(process, command);
    bool ready = rest && !hv_cancelled(command->cancel) && process_ready(process);
    CLEANUP_FD int late = take_fd(&process->late);
    if (!ready)
        return false;
    CLEANUP_FD int file = rest_file(command, rest);
    if (file < 0 || !process_watch_flags(process, command) || !send_file(late, file) ||
        !is_taken(late, command->cancel))
        return false;
    if (process_watch(process, late, WATCH_LATE)) /* else the guard's word is waited for */
        process->fds[WATCH_LATE] = take_fd(&late);
    process->command = *command;
    process->directory = hv_arena_cstr(&process->arena, hv_str_from(command->directory));
    process_begin_clock(process);
    return true;
}

void process_read_late_end(struct hv_process *process)
{
    struct guard_late_end end;
    ssize_t got = recv(process->fds[WATCH_LATE], &end, sizeof end, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    cleanup_fd(&process->fds[WATCH_LATE]); /* there is nothing more to come */
    process->fds[WATCH_LATE] = -1;
    if (got != sizeof end || end.said != GUARD_LATE_ENDED || process->phase == ENDED)
        return;
    process->late_ended = process->reported = process->settled = true;
    process->status = end.status;
    process->phase = ENDED;
}

void process_forget_late_end(struct hv_process *process)
{
    process->late_ended = process->settled = false;
    process->phase = RUNNING;
    process->command.on_output = NULL;
}
