/* writer.c: lines of JSON, each by one write, to a locked append-only file. See writer.h. */
#include "journal/writer.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { LINE_MAX_BYTES = 64 << 20, KEPT_BYTES = 1 << 20, SECRET_MIN = 8, FORMS = 4, TAIL_BLOCK = 64 << 10 };

struct journal_writer {
    int fd;
    pthread_mutex_t lock;
    struct hv_buf line;
    struct hv_arena arena; /* path and secrets */
    struct hv_str path;
    struct hv_str *needles; /* the secrets in every form a line can hold them, of each the longest first */
    size_t needle_count;
    void (*on_fault)(void *user, const struct hv_error *err);
    void *user;
    bool told; /* on_fault was called */
    struct hv_error fault;
    bool cut;        /* the file ended within a line when it was opened */
    bool unfinished; /* part of a line is in the file and could not be taken back */
};

enum hv_code journal_make_directories(struct hv_str directory, unsigned mode, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char *path = hv_arena_cstr(&arena, directory);
    for (char *slash = path + 1; *path; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        char saved = *slash;
        *slash = '\0';
        if (mkdir(path, mode) != 0 && errno != EEXIST && !(saved && (errno == EROFS || errno == EACCES))) {
            hv_fail_errno(err, errno, "cannot make the directory %s", path);
            hv_error_hint(err, "set HELVE_HOME or XDG_STATE_HOME to a place you may write to, or use "
                               "--no-session-persistence");
            return err ? err->code : hv_code_from_errno(errno);
        }
        *slash = saved;
        if (!saved)
            break;
    }
    return HV_OK;
}

/* Where the last whole line ends: searched backwards, so that a giant file costs no more than its tail. */
static off_t end_of_last_line(int fd, off_t size)
{
    char block[TAIL_BLOCK];
    while (size > 0) {
        off_t from = size > (off_t)sizeof block ? size - (off_t)sizeof block : 0;
        ssize_t got = pread(fd, block, (size_t)(size - from), from);
        if (got <= 0)
            return size;
        for (ssize_t i = got; i > 0; i--)
            if (block[i - 1] == '\n')
                return from + i;
        size = from;
    }
    return 0;
}

static enum hv_code lock_and_mend(struct journal_writer *writer, struct hv_error *err)
{
    if (flock(writer->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return HV_OK; /* a file system without locks: better unlocked than no journal */
        hv_fail(err, HV_ECONFLICT, "another helve is using the session %.*s", HV_STR_ARG(writer->path));
        hv_error_hint(err, "end it first, or add --fork-session to go on in a copy");
        return HV_ECONFLICT;
    }
    off_t size = lseek(writer->fd, 0, SEEK_END);
    off_t whole = end_of_last_line(writer->fd, size);
    writer->cut = whole < size;
    if (writer->cut && ftruncate(writer->fd, whole) != 0)
        writer->unfinished = true;
    return HV_OK;
}

static enum hv_code open_file(struct journal_writer *writer, struct hv_error *err)
{
    size_t slash = hv_str_rfind_byte(writer->path, '/');
    if (slash != SIZE_MAX && slash > 0) {
        enum hv_code code = journal_make_directories(hv_str_slice(writer->path, 0, slash), 0700, err);
        if (code != HV_OK)
            return code;
    }
    writer->fd = open(writer->path.ptr, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (writer->fd < 0)
        return hv_fail_errno(err, errno, "cannot open the journal %s", writer->path.ptr);
    return lock_and_mend(writer, err);
}

/* Text as the inside of a JSON string, optionally with the escaped slashes that some programs write. In arena. */
static struct hv_str escaped(struct journal_writer *writer, struct hv_str text, bool slashes)
{
    CLEANUP_BUF struct hv_buf plain = {0}, out = {0};
    hv_buf_init(&plain, LINE_MAX_BYTES);
    hv_buf_init(&out, LINE_MAX_BYTES);
    hv_json_escape(&plain, text);
    for (size_t i = 0; i < plain.len; i++) {
        if (slashes && plain.data[i] == '/')
            hv_buf_add_byte(&out, '\\');
        hv_buf_add_byte(&out, plain.data[i]);
    }
    return hv_arena_str(&writer->arena, hv_buf_str(&out));
}

static void add_needle(struct journal_writer *writer, struct hv_str needle)
{
    for (size_t i = 0; i < writer->needle_count; i++)
        if (hv_str_eq(writer->needles[i], needle))
            return;
    writer->needles[writer->needle_count++] = needle;
}

/* Every string of a line is escaped once; JSON inside such a string (a file that a tool read) is escaped twice. */
static void prepare_needles(struct journal_writer *writer, const struct journal_writer_options *options)
{
    writer->needles = hv_arena_array(&writer->arena, struct hv_str, options->secret_count * FORMS);
    for (size_t i = 0; i < options->secret_count; i++) {
        if (options->secrets[i].len < SECRET_MIN)
            continue;
        struct hv_str once = escaped(writer, options->secrets[i], false);
        struct hv_str slashed = escaped(writer, options->secrets[i], true);
        add_needle(writer, escaped(writer, slashed, false));
        add_needle(writer, escaped(writer, once, false));
        add_needle(writer, slashed);
        add_needle(writer, once);
    }
}

enum hv_code journal_writer_open(const struct journal_writer_options *options, struct journal_writer **out,
                                 struct hv_error *err)
{
    struct journal_writer *writer = hv_calloc(1, sizeof *writer);
    writer->fd = -1;
    pthread_mutex_init(&writer->lock, NULL);
    hv_buf_init(&writer->line, LINE_MAX_BYTES);
    writer->path = hv_arena_str(&writer->arena, options->path);
    prepare_needles(writer, options);
    writer->on_fault = options->on_fault;
    writer->user = options->user;
    enum hv_code code = open_file(writer, err);
    if (code != HV_OK) {
        journal_writer_close(writer);
        return code;
    }
    *out = writer;
    return HV_OK;
}

void journal_writer_close(struct journal_writer *writer)
{
    if (!writer)
        return;
    struct stat st;
    /* Nothing could be written (a full disk): an empty journal would be the latest session, and none. */
    if (writer->fd >= 0 && fstat(writer->fd, &st) == 0 && st.st_size == 0)
        (void)unlink(hv_arena_cstr(&writer->arena, writer->path));
    if (writer->fd >= 0)
        close(writer->fd);
    pthread_mutex_destroy(&writer->lock);
    hv_buf_release(&writer->line);
    hv_arena_release(&writer->arena);
    free(writer);
}

/* True when the byte at `at` belongs to an escape that a backslash before it began. */
static bool is_escaped(struct hv_str line, size_t at)
{
    size_t backslashes = 0;
    while (backslashes < at && line.ptr[at - 1 - backslashes] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

/* Overwrite every occurrence of a secret in place; the length stays, and only whole escapes go, so the line stays
 * valid JSON. */
static void hide_secrets(struct journal_writer *writer)
{
    struct hv_str line = hv_buf_str(&writer->line);
    for (size_t i = 0; i < writer->needle_count; i++) {
        struct hv_str needle = writer->needles[i];
        for (size_t at = hv_str_find(line, needle, 0); at != SIZE_MAX; at = hv_str_find(line, needle, at + 1))
            if (!is_escaped(line, at))
                memset(writer->line.data + at, '*', needle.len);
    }
}

static void fault(struct journal_writer *writer, int errno_value)
{
    if (writer->told)
        return;
    writer->told = true;
    struct hv_error *err = &writer->fault;
    hv_fail_errno(err, errno_value, "the journal cannot be written (%.*s)", HV_STR_ARG(writer->path));
    hv_error_hint(err, "the session goes on, but what happens now may be missing when it is resumed; free some space");
    if (writer->on_fault)
        writer->on_fault(writer->user, err);
}

/* A line that was written in part is taken back, so that the file always ends with a whole line. */
static void take_back(struct journal_writer *writer, size_t written)
{
    struct stat st;
    if (written > 0 && (fstat(writer->fd, &st) != 0 || ftruncate(writer->fd, st.st_size - (off_t)written) != 0))
        writer->unfinished = true;
}

static void put_line(struct journal_writer *writer)
{
    if (writer->unfinished) {
        if (write(writer->fd, "\n", 1) != 1)
            return fault(writer, errno);
        writer->unfinished = false;
    }
    const char *data = writer->line.data;
    size_t written = 0;
    while (written < writer->line.len) {
        ssize_t got = write(writer->fd, data + written, writer->line.len - written);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int saved = got < 0 ? errno : ENOSPC;
            take_back(writer, written);
            fault(writer, saved);
            return;
        }
        written += (size_t)got;
    }
}

void journal_write(struct journal_writer *writer, const struct hv_event *event)
{
    if (!hv_event_is_recorded(event->type))
        return;
    LOCK_SCOPE(&writer->lock);
    hv_buf_clear(&writer->line);
    hv_event_write(&writer->line, event);
    if (writer->line.failed) {
        fault(writer, EFBIG);
        return;
    }
    hide_secrets(writer);
    put_line(writer);
    /* What was kept of a file must be known before the file is changed, also after a power cut. */
    if (event->type == HV_EVENT_CHECKPOINT && hv_str_is(event->name, "before") && fdatasync(writer->fd) &&
        errno != EINVAL && errno != EROFS)
        fault(writer, errno);
    if (writer->line.capacity > KEPT_BYTES)
        hv_buf_release(&writer->line);
}

bool journal_writer_cut(const struct journal_writer *writer)
{
    return writer->cut;
}

enum hv_code journal_writer_check(struct journal_writer *writer, struct hv_error *err)
{
    LOCK_SCOPE(&writer->lock);
    if (!writer->told)
        return HV_OK;
    if (err)
        *err = writer->fault;
    return writer->fault.code;
}

static void on_event(void *user, const struct hv_event *event)
{
    journal_write(user, event);
}

struct hv_sink journal_writer_sink(struct journal_writer *writer)
{
    return (struct hv_sink){.event = on_event, .user = writer};
}
