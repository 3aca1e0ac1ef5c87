/*
 * read_range.c: see reading.h: a range of lines of a file that may be larger than memory. Lines are counted from the
 * nearest place that is known (line_index.h), in any encoding, without decoding; what is shown is collected as bytes,
 * of each line no more than can matter, and decoded at once. A file that is replaced meanwhile is begun again.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/line_units.h"
#include "tools/file_kind.h"
#include "tools/line_index.h"
#include "tools/reading.h"

#include <string.h>

enum {
    SCAN_PIECE = 1 << 20, /* at most; mostly there is a place nearby, so the first pieces are small */
    SHOW_PIECE = 64 << 10,
    BLOCK = 64 << 10, /* how far places are apart at best */
    CUTS_MAX = 64,    /* lines over READING_LINE_KEPT that the budget has room for, and more */
    TRIES = 3,
    COUNTED_MAX_SHIFT = 31, /* a file without a range is counted up to this power of two */
};

/* A line of which not all is kept. */
struct cut {
    size_t number;
    uint64_t dropped;
};

struct range_reader {
    struct reading *reading;
    struct line_unit unit;
    struct hv_buf piece;
    bool replaced, changed; /* another file is at the path now; it is the same, but was written to */
    bool ended;             /* the end of the file was seen */
    uint64_t size;          /* then: how large it is */
    struct hv_buf kept;     /* the lines to show */
    size_t lines, line_len; /* whole lines in kept; bytes of the one that is not */
    struct cut cuts[CUTS_MAX];
    size_t cut_count;
};

static enum hv_code fail_cancelled(struct hv_error *err)
{
    return hv_fail(err, HV_ECANCELLED, "Reading was cancelled");
}

/* The bytes at an offset, as a view of the reader's piece, whole units. */
static enum hv_code read_piece(struct range_reader *reader, uint64_t offset, size_t limit, struct hv_str *bytes,
                               struct hv_error *err)
{
    struct reading *reading = reader->reading;
    const struct hv_host *host = reading->context->host;
    const struct hv_file_stat *before = &reading->view.stat;
    struct hv_file_stat stat;
    if (hv_cancelled(reading->context->cancel))
        return fail_cancelled(err);
    hv_buf_clear(&reader->piece);
    enum hv_code code = host->read(host, reading->path, offset, limit, &reader->piece, &stat, err);
    if (code)
        return code;
    *bytes = hv_buf_str(&reader->piece);
    if (bytes->len < limit) {
        reader->ended = true;
        reader->size = offset + bytes->len;
        bytes->len -= bytes->len % reader->unit.size;
    }
    reader->replaced |= stat.inode != before->inode || stat.device != before->device;
    reader->changed |= stat.size != before->size || stat.mtime_ns != before->mtime_ns;
    return HV_OK;
}

static void note_place(struct range_reader *reader, struct line_place place, uint64_t total)
{
    struct reading *reading = reader->reading;
    if (reading->settled && !reader->changed && !reader->replaced)
        line_index_note(reading->context, reading->key, &reading->view.stat, place, total);
}

/* ---- the way to the first line -------------------------------------------------------------------------- */

/* Go through bytes, which begin at offset `at`, until the wanted line or their end: *place is the last line begun. */
static void count_piece(struct range_reader *reader, struct hv_str bytes, uint64_t at, uint64_t wanted,
                        struct line_place *place)
{
    for (size_t from = 0; from < bytes.len && place->line < wanted; from += BLOCK) {
        struct hv_str block = hv_str_slice(bytes, from, from + BLOCK);
        uint64_t newlines = line_units_count(block, reader->unit);
        if (!newlines)
            continue;
        bool is_there = place->line + newlines >= wanted;
        size_t after = is_there ? line_units_after(block, (size_t)(wanted - place->line), reader->unit)
                                : line_units_after_last(block, reader->unit);
        *place = (struct line_place){is_there ? wanted : place->line + newlines, at + from + after};
        note_place(reader, *place, 0);
    }
}

/*
 * Count lines from *place on until its line is `wanted`, or the file ends: then *total is the number of its lines.
 * place is where the counting stopped.
 */
static enum hv_code count_to(struct range_reader *reader, uint64_t wanted, struct line_place *place, uint64_t *total,
                             struct hv_error *err)
{
    uint64_t at = place->offset; /* in the line that place begins */
    size_t limit = BLOCK;
    *total = 0;
    while (place->line < wanted && !reader->replaced) {
        struct hv_str bytes;
        enum hv_code code = read_piece(reader, at, limit, &bytes, err);
        if (code)
            return code;
        count_piece(reader, bytes, at, wanted, place);
        at += bytes.len;
        if (reader->ended && place->line < wanted) {
            *total = place->line - (at > place->offset ? 0 : 1);
            note_place(reader, *place, *total);
            break;
        }
        limit = limit < SCAN_PIECE ? limit * 2 : SCAN_PIECE;
    }
    return HV_OK;
}

/* Where lines of a file are counted from, for this line. */
static struct line_place start_of(struct reading *reading, uint64_t line, uint64_t *total)
{
    struct line_place place = line_index_find(reading->context, reading->key, &reading->view.stat, line, total);
    if (place.line == 1)
        place.offset = reading->encoding.mark;
    return place;
}

/* ---- collecting ----------------------------------------------------------------------------------------- */

static void keep(struct range_reader *reader, struct hv_str bytes)
{
    size_t room = READING_LINE_KEPT - reader->line_len, take = bytes.len < room ? bytes.len : room;
    hv_buf_add(&reader->kept, bytes.ptr, take);
    reader->line_len += take;
    if (take == bytes.len || reader->cut_count == CUTS_MAX)
        return;
    size_t number = reader->reading->first + reader->lines;
    struct cut *last = reader->cut_count ? &reader->cuts[reader->cut_count - 1] : NULL;
    if (!last || last->number != number) {
        last = &reader->cuts[reader->cut_count++];
        *last = (struct cut){.number = number};
    }
    last->dropped += bytes.len - take;
}

static bool is_cut(const struct range_reader *reader)
{
    return reader->cut_count && reader->cuts[reader->cut_count - 1].number == reader->reading->first + reader->lines;
}

/* Take lines out of bytes until there are enough; returns how many bytes they were. */
static size_t take_lines(struct range_reader *reader, struct hv_str bytes, size_t enough)
{
    size_t at = 0;
    while (at < bytes.len && reader->lines < enough) {
        struct hv_str rest = hv_str_slice(bytes, at, bytes.len);
        size_t after = line_units_after(rest, 1, reader->unit);
        if (after == SIZE_MAX) {
            keep(reader, rest);
            return bytes.len;
        }
        keep(reader, hv_str_slice(rest, 0, after - reader->unit.size));
        if (is_cut(reader) && reader->reading->encoding.kind == ENCODING_ISO_2022_JP)
            hv_buf_add_cstr(&reader->kept, "\x1b(B"); /* what was cut off would have led back to ASCII */
        hv_buf_add(&reader->kept, rest.ptr + after - reader->unit.size, reader->unit.size);
        reader->line_len = 0;
        reader->lines++;
        at += after;
    }
    return at;
}

/* Collect the lines to show, and a little to see whether more follow; *at becomes where the next line begins. */
static enum hv_code collect(struct range_reader *reader, uint64_t *at, struct hv_error *err)
{
    struct reading *reading = reader->reading;
    size_t most = (size_t)READING_BUDGET * reader->unit.size;
    reader->ended = false;
    while (reader->lines < reading->count && reader->kept.len <= most && !reader->replaced && !reader->ended) {
        struct hv_str bytes;
        enum hv_code code = read_piece(reader, *at, SHOW_PIECE, &bytes, err);
        if (code)
            return code;
        size_t taken = take_lines(reader, bytes, reading->count);
        *at += taken;
        reading->more = taken < bytes.len || !reader->ended;
        if (reader->lines + 1 == reading->count &&
            is_cut(reader)) /* nothing needs the end of a last line that is cut */
            break;
    }
    if (reading->more && reader->lines == reading->count && !reader->replaced) {
        struct hv_str bytes;
        enum hv_code code = read_piece(reader, *at, reader->unit.size, &bytes, err);
        if (code)
            return code;
        reading->more = bytes.len > 0;
    }
    return HV_OK;
}

/* ---- showing -------------------------------------------------------------------------------------------- */

/* The collected bytes as UTF-8; in text where they have to be converted. What the head of the file did not tell (it was
 * all ASCII) may be seen here. */
static enum hv_code decode(struct range_reader *reader, struct hv_buf *text, struct hv_error *err)
{
    struct reading *reading = reader->reading;
    struct hv_str bytes = hv_buf_str(&reader->kept);
    if (reading->encoding.kind == ENCODING_UTF8 && utf8_valid(bytes)) {
        reading->damaged = false;
        return HV_OK;
    }
    if (reading->encoding.kind == ENCODING_UTF8 && !reading->encoding.mark) {
        struct encoding found = encoding_detect_head(bytes);
        if (encoding_has_plain_lines(found.kind) && !found.mark)
            reading->encoding = found;
    }
    reading->damaged = reading->encoding.kind == ENCODING_UTF8;
    struct encoding plain = {.kind = reading->encoding.kind};
    return encoding_to_utf8(bytes, plain, text, err);
}

static void show(struct range_reader *reader, struct hv_str text)
{
    struct reading *reading = reader->reading;
    struct hv_str line;
    size_t number = reading->first, cut = 0;
    reading->ends = lines_ends(text);
    for (size_t i = 0; i < reading->count && text.len; i++, number++) {
        (void)lines_next(&text, &line);
        if (!reading_show_line(reading, number, line)) {
            reading->more = true;
            return;
        }
        if (cut < reader->cut_count && reader->cuts[cut].number == number)
            hv_buf_addf(&reading->out, "[line %zu goes on for at least %llu bytes more]\n", number,
                        (unsigned long long)reader->cuts[cut++].dropped);
    }
}

static enum hv_code show_range(struct range_reader *reader, struct hv_error *err)
{
    struct reading *reading = reader->reading;
    uint64_t known, total = 0;
    struct line_place place = start_of(reading, reading->first, &known);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, (size_t)READING_BUDGET * 16 + READING_LINE_KEPT * 4);
    reading->view.total = known;
    if (known && reading->first > known)
        return HV_OK;
    enum hv_code code = count_to(reader, reading->first, &place, &total, err);
    if (code || reader->replaced)
        return code;
    if (place.line < reading->first || total) {
        reading->view.total = total;
        return HV_OK;
    }
    uint64_t at = place.offset;
    code = collect(reader, &at, err);
    if (!code && !reader->replaced)
        code = decode(reader, &text, err);
    if (code || reader->replaced)
        return code;
    show(reader, text.len ? hv_buf_str(&text) : hv_buf_str(&reader->kept));
    if (!reading->view.last) /* the line is there, and past its beginning nothing is */
        reading->view.total = reading->first - 1;
    if (!reading->more && reading->view.last)
        reading->view.total = reading->view.last;
    if (reader->lines)
        note_place(reader, (struct line_place){reading->first + reader->lines, at}, reading->view.total);
    return HV_OK;
}

static enum hv_code show_steady_range(struct reading *reading, struct hv_error *err)
{
    const struct hv_host *host = reading->context->host;
    enum hv_code code = HV_OK;
    for (int i = 0; i < TRIES && !code; i++) {
        struct range_reader *reader = hv_arena_zalloc(reading->context->arena, 1, sizeof *reader);
        reader->reading = reading;
        reader->unit = line_unit_of(reading->encoding.kind);
        hv_buf_init(&reader->piece, SCAN_PIECE);
        hv_buf_init(&reader->kept, (size_t)READING_BUDGET * 4 + SHOW_PIECE + READING_LINE_KEPT + 16);
        code = show_range(reader, err);
        hv_buf_release(&reader->piece);
        hv_buf_release(&reader->kept);
        if (code || !reader->replaced)
            return code;
        code = host->stat(host, reading->path, true, &reading->view.stat, err);
    }
    if (code)
        return code;
    hv_fail(err, HV_ECONFLICT, "%.*s is being replaced again and again while it is read", HV_STR_ARG(reading->path));
    hv_error_hint(err, "Try again later, or read it with a shell command");
    return HV_ECONFLICT;
}

/* ---- without a range ------------------------------------------------------------------------------------ */

/* How many lines a file has that is too large to be held; 0 when it is too large to be counted, too. */
static enum hv_code count_all(struct reading *reading, uint64_t *total, struct hv_error *err)
{
    *total = 0;
    if (reading->view.stat.size >> COUNTED_MAX_SHIFT)
        return HV_OK;
    struct line_place place = start_of(reading, UINT64_MAX, total);
    if (*total)
        return HV_OK;
    struct range_reader reader = {.reading = reading, .unit = line_unit_of(reading->encoding.kind)};
    hv_buf_init(&reader.piece, SCAN_PIECE);
    enum hv_code code = count_to(&reader, UINT64_MAX, &place, total, err);
    hv_buf_release(&reader.piece);
    return code;
}

static enum hv_code introduce(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    struct hv_arena *arena = reading->context->arena;
    uint64_t total;
    enum hv_code code = count_all(reading, &total, err);
    if (code)
        return code;
    struct hv_str size = file_size_text(arena, reading->view.stat.size);
    if (total)
        hv_result_addf(
            result, arena,
            "This file is very large: %.*s, %llu lines. Its beginning is shown; read other parts with offset "
            "and limit (its last 200 lines with offset %llu), or search it with Grep.\n",
            HV_STR_ARG(size), (unsigned long long)total, (unsigned long long)(total > 200 ? total - 199 : 1));
    else
        hv_result_addf(
            result, arena,
            "This file is very large: %.*s. Its beginning is shown; read other parts with offset and limit, or "
            "search it with Grep.\n",
            HV_STR_ARG(size));
    return HV_OK;
}

enum hv_code reading_show_range(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    enum hv_code code = reading->has_range ? HV_OK : introduce(reading, result, err);
    if (!code)
        code = show_steady_range(reading, err);
    if (!code)
        reading_answer(reading, result);
    return code;
}
