/* reader.c: splits a file into lines with one growing buffer, and lines into events. See reader.h. */
#include "journal/reader.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* A parsed value takes some hundred bytes, its text may take two: lines long enough for that to matter are looked at
 * first. */
enum { READ_BLOCK = 256 << 10, LONG_LINE = 1 << 20, VALUES_MAX = 1000000 };

struct journal_reader {
    int fd;               /* -1: from memory */
    struct hv_str memory; /* what is left of it */
    struct hv_buf buf;    /* bytes from the file that were not given out yet, from `at` on */
    size_t at;
    bool at_end, skipping; /* skipping: the rest of a line that was too long */
    struct hv_arena arena; /* of the last event */
    struct hv_str line;
    uint64_t number;
    struct journal_faults faults;
};

static struct journal_reader *reader_new(void)
{
    struct journal_reader *reader = hv_calloc(1, sizeof *reader);
    reader->fd = -1;
    hv_buf_init(&reader->buf, JOURNAL_LINE_MAX + READ_BLOCK);
    return reader;
}

enum hv_code journal_reader_open(struct hv_str path, struct journal_reader **out, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *name = hv_arena_cstr(&arena, path);
    CLEANUP_FD int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hv_fail_errno(err, errno, "cannot open %s", name);
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return hv_fail(err, HV_EINVAL, "%s is not a journal: not a regular file", name);
    struct journal_reader *reader = reader_new();
    reader->fd = take_fd(&fd);
    *out = reader;
    return HV_OK;
}

struct journal_reader *journal_reader_from_memory(struct hv_str bytes)
{
    struct journal_reader *reader = reader_new();
    reader->memory = bytes;
    return reader;
}

void journal_reader_close(struct journal_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    hv_buf_release(&reader->buf);
    hv_arena_release(&reader->arena);
    free(reader);
}

static void fill_from_memory(struct journal_reader *reader)
{
    size_t take = reader->memory.len < READ_BLOCK ? reader->memory.len : READ_BLOCK;
    hv_buf_add(&reader->buf, reader->memory.ptr, take);
    reader->memory = hv_str_slice(reader->memory, take, reader->memory.len);
    reader->at_end = take == 0;
}

static void fill(struct journal_reader *reader)
{
    if (reader->at > 0) {
        hv_buf_consume(&reader->buf, reader->at);
        reader->at = 0;
    }
    if (reader->fd < 0) {
        fill_from_memory(reader);
        return;
    }
    char *to = hv_buf_reserve(&reader->buf, READ_BLOCK);
    ssize_t got;
    do
        got = to ? read(reader->fd, to, READ_BLOCK) : 0;
    while (got < 0 && errno == EINTR);
    if (got > 0)
        hv_buf_commit(&reader->buf, (size_t)got);
    else
        reader->at_end = true;
    if (got < 0)
        reader->faults.read_errno = errno;
}

static void bad_line(struct journal_reader *reader, const struct hv_error *err)
{
    if (reader->faults.bad_lines++ == 0) {
        reader->faults.first_bad_line = reader->number;
        reader->faults.first = *err;
    }
}

/* A line over the limit is dropped piece by piece, so that memory stays bounded. */
static void drop_long_line(struct journal_reader *reader)
{
    if (!reader->skipping) {
        struct hv_error err;
        reader->number++;
        hv_fail(&err, HV_ETOOBIG, "a line over %d bytes", JOURNAL_LINE_MAX);
        bad_line(reader, &err);
        reader->number--;
    }
    reader->skipping = true;
    hv_buf_clear(&reader->buf);
    reader->at = 0;
}

/* Set reader->line to the next line. The last one may lack its newline: *whole tells. */
static bool next_line(struct journal_reader *reader, bool *whole)
{
    size_t searched = 0;
    for (;;) {
        struct hv_str rest = hv_str_slice(hv_buf_str(&reader->buf), reader->at, SIZE_MAX);
        size_t end = hv_str_find_byte(rest, '\n', searched);
        *whole = end != SIZE_MAX;
        if (*whole || (reader->at_end && rest.len > 0)) {
            size_t len = *whole ? end : rest.len;
            reader->line = hv_str_slice(rest, 0, len);
            reader->at += *whole ? len + 1 : len;
            reader->number++;
            bool skip = reader->skipping;
            reader->skipping = false;
            if (!skip)
                return true;
            searched = 0;
            continue;
        }
        if (reader->at_end)
            return false;
        searched = rest.len;
        if (rest.len >= JOURNAL_LINE_MAX) {
            drop_long_line(reader);
            searched = 0;
        }
        fill(reader);
    }
}

/* Where the string that begins after `at` ends: behind its closing quote, or at the end of the line. */
static size_t behind_string(struct hv_str line, size_t at)
{
    while (at < line.len && line.ptr[at] != '"')
        at += line.ptr[at] == '\\' ? 2 : 1;
    return at + 1;
}

/* True when the line holds more values than anything but an attack would: what separates or opens them is counted. */
static bool has_too_many_values(struct hv_str line)
{
    size_t values = 0;
    for (size_t at = 0; line.len >= LONG_LINE && at < line.len;) {
        char c = line.ptr[at++];
        if (c == '"')
            at = behind_string(line, at);
        else if ((c == ',' || c == '[' || c == '{') && ++values > VALUES_MAX)
            return true;
    }
    return false;
}

static enum hv_code read_line(struct journal_reader *reader, struct hv_event *event, struct hv_error *err)
{
    hv_arena_reset(&reader->arena);
    if (has_too_many_values(reader->line))
        return hv_fail(err, HV_ETOOBIG, "a line with more than %d values", VALUES_MAX);
    return hv_event_read(&reader->arena, reader->line, event, err);
}

bool journal_reader_next(struct journal_reader *reader, struct hv_event *event)
{
    bool whole;
    while (next_line(reader, &whole)) {
        if (hv_str_trim(reader->line).len == 0)
            continue;
        struct hv_error err;
        struct hv_event read = {0};
        if (read_line(reader, &read, &err) != HV_OK) {
            if (whole)
                bad_line(reader, &err);
            else
                reader->faults.torn = true;
            continue;
        }
        if (read.type == HV_EVENT_NONE)
            continue;
        *event = read;
        return true;
    }
    return false;
}

struct hv_str journal_reader_line(const struct journal_reader *reader, uint64_t *number)
{
    if (number)
        *number = reader->number;
    return reader->line;
}

const struct journal_faults *journal_reader_faults(const struct journal_reader *reader)
{
    return &reader->faults;
}

size_t journal_number(const struct hv_json *data, const char *name, size_t most)
{
    int64_t value;
    return hv_json_int64(hv_json_get(data, name), &value) && value > 0 && (uint64_t)value <= most ? (size_t)value : 0;
}
