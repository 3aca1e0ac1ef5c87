/*
 * spool.c: see spool.h. What came lies in `memory` until it passes inline_max; from then on the first head_max bytes of
 * `memory` are the head, the last tail_max bytes that came are in the ring behind them, and the file has all.
 */
#include "proc/spool.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"
#include "text/lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>

enum {
    INLINE_DEFAULT = 128 * 1024,
    PREVIEW_DEFAULT = 64 * 1024,
    LAST_LINE_MAX = 200,
    STREAM_PART = 8 * 1024, /* kept of each stream's head, and of its tail */
    NAME_ATTEMPTS = 100,
};
#define FILE_DEFAULT (1ull << 30)

/* The last bytes of a stream: a ring. */
struct ring {
    char *bytes;
    size_t capacity, used, next; /* next: where the next byte goes */
};

/* The bounded copy of one stream. */
struct part {
    struct hv_buf head;
    struct ring tail;
    uint64_t size;
};

struct spool {
    struct spool_options options; /* with the defaults filled in; strings point to `strings` */
    struct hv_arena strings;
    struct hv_buf memory; /* all, or the head once spilled */
    struct ring tail;     /* once spilled */
    bool spilled, full;
    uint64_t size, lines;
    int fd, file_error; /* file_error: errno of what lost the file, or 0 */
    struct hv_str path; /* absent: no file */
    char line[LAST_LINE_MAX], last_line[LAST_LINE_MAX];
    size_t line_len, last_line_len;
    struct part parts[2]; /* stdout, stderr */
};

/* ---- rings --------------------------------------------------------------------------------------------- */

static void ring_init(struct ring *ring, size_t capacity)
{
    *ring = (struct ring){.bytes = hv_malloc(capacity), .capacity = capacity};
}

static void ring_add(struct ring *ring, struct hv_str bytes)
{
    if (bytes.len > ring->capacity)
        bytes = hv_str_slice(bytes, bytes.len - ring->capacity, bytes.len);
    size_t first = ring->capacity - ring->next;
    if (first > bytes.len)
        first = bytes.len;
    memcpy(ring->bytes + ring->next, bytes.ptr, first);
    memcpy(ring->bytes, bytes.ptr + first, bytes.len - first);
    ring->next = (ring->next + bytes.len) % ring->capacity;
    ring->used = ring->used + bytes.len > ring->capacity ? ring->capacity : ring->used + bytes.len;
}

/* The ring's bytes in order, in arena. */
static struct hv_str ring_copy(const struct ring *ring, struct hv_arena *arena)
{
    char *copy = hv_arena_alloc(arena, ring->used + 1);
    size_t start = ring->used < ring->capacity ? 0 : ring->next;
    size_t first = ring->used - start;
    if (ring->used) {
        memcpy(copy, ring->bytes + start, first);
        memcpy(copy + first, ring->bytes, start);
    }
    copy[ring->used] = '\0';
    return hv_str_of(copy, ring->used);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static void fill_defaults(struct spool_options *options)
{
    options->inline_max = options->inline_max ? options->inline_max : INLINE_DEFAULT;
    options->file_max = options->file_max ? options->file_max : FILE_DEFAULT;
    options->head_max = options->head_max ? options->head_max : PREVIEW_DEFAULT;
    options->tail_max = options->tail_max ? options->tail_max : PREVIEW_DEFAULT;
    if (options->head_max > options->inline_max / 2)
        options->head_max = options->inline_max / 2;
    if (options->tail_max > options->inline_max - options->head_max)
        options->tail_max = options->inline_max - options->head_max;
}

struct spool *spool_new(const struct spool_options *options)
{
    struct spool *spool = hv_calloc(1, sizeof *spool);
    spool->fd = -1;
    spool->options = *options;
    fill_defaults(&spool->options);
    spool->options.directory = hv_arena_str(&spool->strings, options->directory);
    char *name = hv_arena_cstr(&spool->strings, options->name.len ? options->name : HV_STR("output"));
    for (char *byte = name; *byte; byte++)
        if (!isalnum((unsigned char)*byte) && *byte != '-' && *byte != '_')
            *byte = '_';
    spool->options.name = hv_str_from(name);
    hv_buf_init(&spool->memory, spool->options.inline_max);
    for (size_t i = 0; i < 2; i++)
        hv_buf_init(&spool->parts[i].head, STREAM_PART);
    return spool;
}

static void close_file(struct spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    close_file(spool);
    hv_buf_release(&spool->memory);
    for (size_t i = 0; i < 2; i++) {
        hv_buf_release(&spool->parts[i].head);
        free(spool->parts[i].tail.bytes);
    }
    free(spool->tail.bytes);
    hv_arena_release(&spool->strings);
    free(spool);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* The file is of no use any more: a part of the output is missing in it. */
static void lose_file(struct spool *spool, int reason)
{
    close_file(spool);
    if (spool->path.len)
        unlink(spool->path.ptr);
    spool->path = (struct hv_str){0};
    spool->file_error = reason;
}

/* A new file under a name that nobody else has. */
static void open_file(struct spool *spool)
{
    const struct spool_options *options = &spool->options;
    CLEANUP_FD int folder = fs_open_no_links(AT_FDCWD, options->directory, O_PATH | O_DIRECTORY);
    for (int attempt = 0; attempt < NAME_ATTEMPTS && spool->fd < 0; attempt++) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random = hv_str_hash(options->name) + (uint64_t)attempt;
        bool plain = options->plain_name && attempt == 0;
        spool->path = plain ? hv_arena_format(&spool->strings, "%.*s/%.*s.txt", HV_STR_ARG(options->directory),
                                              HV_STR_ARG(options->name))
                            : hv_arena_format(&spool->strings, "%.*s/%.*s-%016llx.txt", HV_STR_ARG(options->directory),
                                              HV_STR_ARG(options->name), (unsigned long long)random);
        spool->fd = folder < 0 ? -1
                               : openat(folder, path_name(spool->path).ptr,
                                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (spool->fd < 0 && errno != EEXIST)
            break;
    }
    if (spool->fd < 0) {
        spool->path = (struct hv_str){0};
        spool->file_error = errno;
    }
}

static void write_file(struct spool *spool, struct hv_str bytes)
{
    for (size_t done = 0; spool->fd >= 0 && done < bytes.len;) {
        ssize_t wrote = write(spool->fd, bytes.ptr + done, bytes.len - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            lose_file(spool, wrote == 0 ? EIO : errno);
    }
}

/* ---- adding -------------------------------------------------------------------------------------------- */

/* Memory is too small: all that came goes to the file, and memory shrinks to the head. */
static void spill(struct spool *spool)
{
    struct hv_str all = hv_buf_str(&spool->memory);
    size_t head = spool->options.head_max < all.len ? spool->options.head_max : all.len;
    spool->spilled = true;
    ring_init(&spool->tail, spool->options.tail_max ? spool->options.tail_max : 1);
    ring_add(&spool->tail, hv_str_slice(all, head, all.len));
    if (spool->options.directory.len)
        open_file(spool);
    write_file(spool, all);
    spool->memory.len = head;
}

/* More of the line that has not ended yet. */
static void add_to_line(struct spool *spool, struct hv_str part)
{
    size_t room = LAST_LINE_MAX - spool->line_len;
    size_t take = part.len < room ? part.len : room;
    memcpy(spool->line + spool->line_len, part.ptr, take);
    spool->line_len += take;
    if (hv_str_trim(hv_str_of(spool->line, spool->line_len)).len) {
        memcpy(spool->last_line, spool->line, spool->line_len);
        spool->last_line_len = spool->line_len;
    }
}

/* Of whole lines, each with its end, the last one counts that is not blank: they are looked at from behind. */
static void note_whole_lines(struct spool *spool, struct hv_str lines)
{
    while (lines.len) {
        size_t before = hv_str_rfind_byte(hv_str_slice(lines, 0, lines.len - 1), '\n');
        size_t begin = before == SIZE_MAX ? 0 : before + 1;
        struct hv_str line = hv_str_slice(lines, begin, lines.len - 1);
        spool->line_len = 0;
        add_to_line(spool, line);
        if (hv_str_trim(hv_str_slice(line, 0, LAST_LINE_MAX)).len)
            break;
        lines = hv_str_slice(lines, 0, begin);
    }
}

static void note_lines(struct spool *spool, struct hv_str bytes)
{
    size_t first = hv_str_find_byte(bytes, '\n', 0), last = hv_str_rfind_byte(bytes, '\n');
    add_to_line(spool, hv_str_slice(bytes, 0, first));
    if (first == SIZE_MAX)
        return;
    spool->lines += lines_newlines(bytes);
    note_whole_lines(spool, hv_str_slice(bytes, first + 1, last + 1));
    spool->line_len = 0;
    add_to_line(spool, hv_str_slice(bytes, last + 1, bytes.len));
}

static void keep_part(struct part *part, struct hv_str bytes)
{
    part->size += bytes.len;
    size_t room = STREAM_PART - part->head.len;
    hv_buf_add_str(&part->head, hv_str_slice(bytes, 0, room));
    if (bytes.len <= room)
        return;
    if (!part->tail.bytes)
        ring_init(&part->tail, STREAM_PART);
    ring_add(&part->tail, hv_str_slice(bytes, room, bytes.len));
}

/* The part of bytes that still is below the cap. */
static struct hv_str below_cap(struct spool *spool, struct hv_str bytes)
{
    uint64_t room = spool->size < spool->options.file_max ? spool->options.file_max - spool->size : 0;
    spool->size += bytes.len;
    if (bytes.len <= room)
        return bytes;
    spool->full = true;
    return hv_str_slice(bytes, 0, (size_t)room);
}

bool spool_add(struct spool *spool, enum hv_stream stream, struct hv_str bytes)
{
    if (!bytes.len)
        return !spool->full;
    bytes = below_cap(spool, bytes);
    note_lines(spool, bytes);
    if (!spool->options.merged)
        keep_part(&spool->parts[stream == HV_STDERR], bytes);
    if (!spool->spilled && bytes.len > spool->options.inline_max - spool->memory.len)
        spill(spool);
    if (!spool->spilled) {
        hv_buf_add_str(&spool->memory, bytes);
        return !spool->full;
    }
    write_file(spool, bytes);
    size_t room = spool->options.head_max - spool->memory.len;
    hv_buf_add_str(&spool->memory, hv_str_slice(bytes, 0, room));
    ring_add(&spool->tail, hv_str_slice(bytes, room, bytes.len));
    return !spool->full;
}

struct hv_str spool_to_file(struct spool *spool)
{
    if (!spool->spilled)
        spill(spool);
    return spool->path;
}

/* As large as what is in it. */
static void ring_settle(struct ring *ring)
{
    size_t size = ring->used ? ring->used : 1;
    if (ring->bytes && size < ring->capacity)
        *ring = (struct ring){hv_realloc(ring->bytes, size), size, ring->used, 0};
}

void spool_settle(struct spool *spool)
{
    close_file(spool);
    ring_settle(&spool->tail);
    for (size_t i = 0; i < 2; i++)
        hv_buf_release(&spool->parts[i].head);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

uint64_t spool_kept(const struct spool *spool)
{
    return spool->full ? spool->options.file_max : spool->size;
}

static uint64_t read_memory(const struct spool *spool, uint64_t from, size_t limit, struct hv_buf *out)
{
    struct hv_str head = hv_buf_str(&spool->memory);
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (from < head.len) {
        hv_buf_add_str(out, hv_str_slice(head, (size_t)from, (size_t)from + limit));
        return from;
    }
    if (!spool->spilled)
        return spool_kept(spool);
    struct hv_str tail = ring_copy(&spool->tail, &arena);
    uint64_t tail_start = spool_kept(spool) - tail.len;
    if (from < tail_start)
        from = tail_start;
    hv_buf_add_str(out, hv_str_slice(tail, (size_t)(from - tail_start), (size_t)(from - tail_start) + limit));
    return from;
}

static bool read_file(const struct spool *spool, uint64_t from, size_t limit, struct hv_buf *out)
{
    CLEANUP_FD int fd = spool->path.len ? fs_open_no_links(AT_FDCWD, spool->path, O_RDONLY) : -1;
    char *room = fd < 0 ? NULL : hv_buf_reserve(out, limit);
    if (!room)
        return false;
    size_t done = 0;
    for (ssize_t got = 1; done < limit && got != 0;) {
        got = pread(fd, room + done, limit - done, (off_t)(from + done));
        if (got < 0 && errno != EINTR)
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    hv_buf_commit(out, done);
    return done == limit;
}

uint64_t spool_read(const struct spool *spool, uint64_t from, size_t limit, struct hv_buf *out)
{
    uint64_t size = spool_kept(spool);
    if (from >= size)
        return from;
    if (limit > size - from)
        limit = (size_t)(size - from);
    size_t before = out->len;
    if (spool->spilled && read_file(spool, from, limit, out))
        return from;
    out->len = before;
    return read_memory(spool, from, limit, out);
}

/* ---- what came ----------------------------------------------------------------------------------------- */

uint64_t spool_size(const struct spool *spool)
{
    return spool->size;
}
uint64_t spool_lines(const struct spool *spool)
{
    return spool->lines;
}

struct hv_str spool_last_line(const struct spool *spool)
{
    return hv_str_of(spool->last_line, spool->last_line_len);
}

struct hv_str spool_stream(const struct spool *spool, enum hv_stream stream, struct hv_arena *arena)
{
    const struct part *part = &spool->parts[stream == HV_STDERR];
    struct hv_str head = hv_arena_str(arena, hv_buf_str(&part->head));
    if (!part->tail.bytes)
        return head;
    struct hv_str tail = ring_copy(&part->tail, arena);
    bool gap = part->size > head.len + tail.len;
    return hv_arena_join(arena, gap ? hv_arena_join(arena, head, HV_STR("\n…\n")) : head, tail);
}

void spool_finish(struct spool *spool, struct hv_arena *arena, struct hv_result *result)
{
    close_file(spool);
    if (!spool->size)
        return;
    struct hv_str head = hv_arena_str(arena, hv_buf_str(&spool->memory));
    if (!spool->spilled) {
        hv_result_add_text(result, arena, head);
        return;
    }
    struct hv_content *content = hv_result_add(result, arena, HV_CONTENT_SPOOL);
    content->head = head;
    content->tail = ring_copy(&spool->tail, arena);
    content->file = hv_arena_str(arena, spool->path);
    content->size = spool->full ? spool->options.file_max : spool->size;
    content->lines = spool->lines;
}

struct hv_str spool_lost(const struct spool *spool, struct hv_arena *arena)
{
    char text[128];
    if (!spool->file_error)
        return (struct hv_str){0};
    bool gap = spool->size > spool->memory.len + spool->tail.used;
    return hv_arena_format(arena, "The output could not be stored (%s): %s.",
                           strerror_r(spool->file_error, text, sizeof text),
                           gap ? "only its beginning and end were kept" : "there is no file of it");
}

struct hv_str spool_note(const struct spool *spool, struct hv_arena *arena)
{
    if (spool->file_error)
        return spool_lost(spool, arena);
    if (spool->full)
        return hv_arena_format(arena,
                               "The output passed %llu MiB, the most that is stored; what came after was dropped.",
                               (unsigned long long)(spool->options.file_max >> 20));
    return (struct hv_str){0};
}
