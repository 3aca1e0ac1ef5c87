/*
 * line_scan.c: see line_scan.h. The buffer holds the lines before that context may need, then the piece to search. A
 * text that is known is searched where it lies, unless it has to be decoded.
 */
#include "tools/line_scan.h"

#include "base/calls.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/encoding.h"
#include "text/lines.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 256 * 1024,
    PAGE = 4096,
    ROOM_FIRST = 2 * PIECE, /* of the buffer, mostly for good */
    HEAD = 8192,
    LINE_ROOM = 4 << 20,
    WHOLE_MAX = 32 << 20, /* pieces of multiline mode, and of longer lines, */
    OVERLAP = 4 << 20,    /* of which each holds the end of the one before once more */
    LOOK_BACK = 4096,     /* and what look-behind may see before that */
    CONTEXT_KEPT = 1 << 20,
    BUFFER_MAX = WHOLE_MAX + LINE_ROOM + CONTEXT_KEPT + PIECE,
};

/* The way through one file. Offsets are in the buffer. */
struct pass {
    struct line_scan *scan;
    int fd;
    struct hv_str text;  /* what is in the file, when there is no fd */
    bool in_place;       /* `text` stands for the buffer */
    bool is_plain;       /* it is ASCII without NUL */
    uint64_t size, read; /* what the file should have, and what was read of it */
    bool ended, binary, mark;
    enum encoding_kind encoding; /* what has to be decoded; ENCODING_UTF8: nothing */
    struct hv_buf carried;       /* bytes that were read and can be decoded only with those that follow */
    uint64_t dropped;            /* bytes of the file that were thrown away before any line of it was numbered */
    size_t searched;             /* everything before has been searched: no match that is still to come begins there */
    size_t next;                 /* the same, when that is further on: the end of the last match, or of clear lines */
    size_t shown;                /* the end of the last line shown, or of what was thrown away */
    bool gap;                    /* lines between the last one shown and `shown` were thrown away */
    bool any;                    /* some line was shown */
    size_t after;                /* context lines still to be shown after `shown` */
    size_t counted, number;      /* number of the line that begins at counted */
    size_t matches;
    /* Of a line that is longer than a piece: the piece at hand ends, begins in it; it matched; some of it was shown. */
    bool ends_inside, begins_inside, line_matched, line_shown;
    bool match_shown; /* the last line shown is one of a match */
};

/* ---- the buffer ------------------------------------------------------------------------------------------ */

static struct hv_str held(const struct pass *pass)
{
    return pass->in_place ? pass->text : hv_buf_str(&pass->scan->buffer);
}

/* Keep only what lies from one offset to another. */
static void hold(struct pass *pass, size_t from, size_t to)
{
    struct hv_buf *buffer = &pass->scan->buffer;
    if (pass->in_place) {
        pass->text = hv_str_slice(pass->text, from, to);
        return;
    }
    buffer->len = to;
    if (from)
        hv_buf_consume(buffer, from);
}

/*
 * An empty buffer whose memory begins at a page: some processors copy half as fast to the address that malloc gives to
 * large blocks, 16 bytes after one. What a large file made of it is given back.
 */
static void clear_buffer(struct hv_buf *buffer)
{
    if (buffer->capacity != ROOM_FIRST) {
        hv_buf_release(buffer);
        hv_buf_init(buffer, BUFFER_MAX);
        buffer->data = aligned_alloc(PAGE, ROOM_FIRST);
        buffer->capacity = buffer->data ? ROOM_FIRST : 0;
    }
    hv_buf_clear(buffer);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/*
 * Read on from where the last read ended. Where the place is given, the kernel need not lock the one that the file
 * keeps; what it makes up itself, and some other systems, do not know places.
 */
static ssize_t read_on(const struct pass *pass, char *room, size_t want)
{
    if (pass->fd < 0) {
        struct hv_str rest = hv_str_slice(pass->text, pass->read, pass->text.len);
        size_t len = rest.len < want ? rest.len : want;
        memcpy(room, len ? rest.ptr : "", len);
        return (ssize_t)len;
    }
    for (bool placed = pass->scan->short_is_end;;) {
        ssize_t got = placed ? call_pread(pass->fd, room, want, (off_t)pass->read) : read(pass->fd, room, want);
        if (got >= 0 || (errno != EINTR && !(placed && errno == ESPIPE)))
            return got;
        placed = placed && errno == EINTR;
    }
}

/* Append the next bytes of the file; false on an error. */
static bool read_more(struct pass *pass, struct hv_buf *into, size_t want)
{
    char *room = hv_buf_reserve(into, want);
    ssize_t got = room ? read_on(pass, room, want) : 0;
    if (got < 0)
        return false;
    pass->read += (uint64_t)got;
    /* What saves asking for the end. */
    pass->ended = got == 0 || pass->read == pass->size || (pass->scan->short_is_end && (size_t)got < want);
    hv_buf_commit(into, (size_t)got);
    return true;
}

/* What is no text ends at the line before its first NUL. */
static void check_binary(struct pass *pass, size_t from)
{
    size_t nul = hv_str_find_byte(held(pass), '\0', from);
    if (nul == SIZE_MAX)
        return;
    size_t line = lines_begin(held(pass), nul);
    hold(pass, 0, line > pass->searched ? line : pass->searched);
    pass->binary = pass->ended = true;
}

/* How many of the bytes can be decoded without what follows. */
static size_t decodable(enum encoding_kind encoding, struct hv_str bytes)
{
    size_t unit = encoding == ENCODING_UTF32LE || encoding == ENCODING_UTF32BE ? 4 : 2;
    if (encoding == ENCODING_UTF16LE || encoding == ENCODING_UTF16BE || unit == 4) {
        size_t len = bytes.len / unit * unit;
        /* The first of a pair of surrogates waits for the second. */
        char high = len ? bytes.ptr[len - (encoding == ENCODING_UTF16LE ? 1 : 2)] : 0;
        return unit == 2 && ((unsigned char)high & 0xfc) == 0xd8 ? len - 2 : len;
    }
    size_t newline = hv_str_rfind_byte(bytes, '\n');
    return newline == SIZE_MAX ? bytes.len : newline + 1;
}

static bool fill_decoded(struct pass *pass)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, PIECE);
    hv_buf_add_str(&bytes, hv_buf_str(&pass->carried));
    if (!read_more(pass, &bytes, PIECE / 4))
        return false;
    struct hv_str all = hv_buf_str(&bytes);
    size_t len = pass->ended ? all.len : decodable(pass->encoding, all);
    hv_buf_clear(&pass->carried);
    hv_buf_add_str(&pass->carried, hv_str_slice(all, len, all.len));
    return encoding_to_utf8(hv_str_slice(all, 0, len), (struct encoding){.kind = pass->encoding}, &pass->scan->buffer,
                            NULL) == HV_OK;
}

static bool holds_newline(const struct hv_buf *buffer, size_t from)
{
    return hv_str_rfind_byte(hv_str_slice(hv_buf_str(buffer), from, buffer->len), '\n') != SIZE_MAX;
}

/* Read on until a piece with whole lines is there, or the end, or too much of one line. */
static bool fill(struct pass *pass)
{
    struct hv_buf *buffer = &pass->scan->buffer;
    for (bool has_line = !pass->ended && holds_newline(buffer, pass->searched); !pass->ended;) {
        size_t piece = has_line && !pass->scan->multiline ? PIECE : WHOLE_MAX, before = buffer->len;
        if (buffer->len - pass->searched >= piece)
            break;
        if (!(pass->encoding ? fill_decoded(pass) : read_more(pass, buffer, PIECE)))
            return false;
        check_binary(pass, before);
        has_line = has_line || holds_newline(buffer, before < buffer->len ? before : buffer->len);
    }
    return true;
}

/* Far more is wrong as UTF-8 than right, which may be by chance: an old encoding, and not a slip. */
static bool is_legacy(struct hv_str head)
{
    uint32_t code_point;
    size_t right = 0, wrong = 0;
    for (size_t at = 0, len; at < head.len; at += len) {
        len = utf8_decode(head, at, &code_point);
        wrong += code_point == UTF8_INVALID;
        right += len > 1 && code_point != UTF8_INVALID;
    }
    return wrong > 4 * right;
}

/*
 * Most files of most searches: short, and what the pattern needs is not in their bytes. Of these nothing else is asked
 * but that they begin as a text does, in some encoding that is not a wide one (these begin with a mark or hold NULs).
 * Of others, where to begin to search.
 */
static bool is_ruled_out(struct pass *pass)
{
    struct hv_str all = held(pass);
    return pass->ended && all.len && (unsigned char)all.ptr[0] < 0xfe &&
           find_rules_out(pass->scan->find, all, &pass->next);
}

/* From the beginning, but for the mark. */
static bool begin_decoding(struct pass *pass, struct encoding encoding)
{
    if (pass->in_place)
        clear_buffer(&pass->scan->buffer);
    hv_buf_clear(&pass->scan->buffer);
    pass->in_place = false;
    pass->encoding = encoding.kind;
    pass->read = encoding.mark;
    pass->next = 0;
    pass->ended = false;
    return pass->fd < 0 || lseek(pass->fd, (off_t)encoding.mark, SEEK_SET) >= 0;
}

/* Read the first bytes and find out how to read the rest. */
static bool begin(struct pass *pass)
{
    if (!pass->in_place && !read_more(pass, &pass->scan->buffer, PIECE))
        return false;
    if (pass->ended && pass->fd >= 0 && pass->scan->whole)
        pass->scan->whole(pass->scan->user, held(pass));
    struct hv_str head = hv_str_slice(held(pass), 0, HEAD);
    /* In this order: a look for one byte costs nothing where the other has brought the bytes near. */
    bool ruled_out = is_ruled_out(pass), has_nul = !pass->is_plain && hv_str_find_byte(head, '\0', 0) != SIZE_MAX;
    if (ruled_out && !has_nul) {
        pass->scan->ruled_out = true;
        hold(pass, 0, 0);
        return true;
    }
    if (pass->is_plain)
        return true;
    if (!has_nul && utf8_is_ascii(head)) { /* there is nothing to find out about the encoding */
        check_binary(pass, head.len);
        return true;
    }
    struct encoding encoding = encoding_detect_beginning(head);
    if (encoding.kind == ENCODING_8BIT && is_legacy(head))
        encoding = encoding_detect_head(head);
    else if (encoding.kind == ENCODING_8BIT)
        encoding.kind = ENCODING_UTF8; /* but for some bytes */
    if (encoding.kind == ENCODING_BINARY) {
        pass->binary = pass->ended = true;
        hold(pass, 0, 0);
        return true;
    }
    if (encoding.kind != ENCODING_UTF8)
        return begin_decoding(pass, encoding);
    hold(pass, encoding.mark, held(pass).len);
    pass->mark = encoding.mark;
    pass->next -= pass->next < encoding.mark ? pass->next : encoding.mark;
    check_binary(pass, 0);
    return true;
}

/* ---- showing --------------------------------------------------------------------------------------------- */

/* Count the lines of what was thrown away uncounted, as most files are: only now somebody wants to know. */
static void count_dropped(struct pass *pass)
{
    char bytes[16384];
    uint64_t at = 0;
    for (ssize_t got = 1; at < pass->dropped && got > 0; at += (uint64_t)got) {
        uint64_t left = pass->dropped - at;
        got = pread(pass->fd, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)at);
        pass->number += got > 0 ? lines_newlines(hv_str_of(bytes, (size_t)got)) : 0;
    }
    pass->dropped = 0;
}

static size_t number_at(struct pass *pass, struct hv_str text, size_t offset)
{
    if (pass->dropped)
        count_dropped(pass);
    pass->number += lines_newlines(hv_str_slice(text, pass->counted, offset));
    pass->counted = offset;
    return pass->number;
}

/* Show the line that begins at `at`; false: enough. match is NULL for context. */
static bool show(struct pass *pass, struct hv_str text, size_t at, const struct find_match *match)
{
    size_t newline = hv_str_find_byte(text, '\n', at), end = newline == SIZE_MAX ? text.len : newline + 1;
    struct scan_line line = {.number = number_at(pass, text, at),
                             .text = lines_chop(hv_str_slice(text, at, end)),
                             .is_match = match != NULL,
                             .matches = pass->matches,
                             .after_gap = pass->any && (pass->gap || at > pass->shown)};
    if (match) {
        line.from = match->from > at ? match->from - at : 0;
        line.until = match->until > at ? match->until - at : 0;
        line.from = line.from < line.text.len ? line.from : line.text.len;
        line.until = line.until < line.text.len ? line.until : line.text.len;
    }
    pass->shown = end;
    pass->match_shown = match != NULL;
    pass->any = true;
    pass->gap = false;
    return pass->scan->line(pass->scan->user, &line);
}

static bool show_after(struct pass *pass, struct hv_str text, size_t until)
{
    for (; pass->after && pass->shown < until; pass->after--)
        if (!show(pass, text, pass->shown, NULL))
            return false;
    return true;
}

static bool show_match(struct pass *pass, struct hv_str text, const struct find_match *match)
{
    if (!show_after(pass, text, match->line))
        return false;
    size_t at = match->line;
    bool is_part = pass->begins_inside && !memchr(text.ptr, '\n', at); /* what stands before it is the same line */
    for (size_t i = 0; i < pass->scan->before && at > pass->shown && !is_part; i++)
        at = lines_begin(text, at - 1);
    if (at < pass->shown)
        at = pass->shown;
    for (; at < match->line; at = pass->shown)
        if (!show(pass, text, at, NULL))
            return false;
    for (; at < match->end; at = pass->shown)
        if (!show(pass, text, at, match))
            return false;
    pass->after = pass->scan->after;
    return true;
}

/* ---- searching ------------------------------------------------------------------------------------------- */

/* The next match at or after *at, which is moved to where to look for the one after it. Offsets in text. */
static enum find_result next_match(struct pass *pass, struct hv_str text, size_t *at, struct find_match *match)
{
    size_t base = *at; /* lines stand alone: nobody looks back */
    if (pass->scan->multiline || pass->begins_inside)
        base = pass->searched > LOOK_BACK ? pass->searched - LOOK_BACK : 0;
    struct hv_str rest = hv_str_slice(text, base, text.len);
    enum find_result result = find_next(pass->scan->find, rest, *at - base, match);
    if (result != FIND_FOUND)
        return result;
    match->from += base;
    match->until += base;
    match->line += base;
    if (pass->scan->multiline && match->line == base) /* of a line of which all but its end was searched before */
        match->line = lines_begin(text, base);
    match->end += base;
    *at = pass->scan->multiline ? match->next + base : match->end;
    return result;
}

/* Nobody wants to see the lines. */
static enum scan_end count_piece(struct pass *pass, struct hv_str text, size_t from)
{
    struct line_scan *scan = pass->scan;
    size_t count;
    bool complete = find_count(scan->find, hv_str_slice(text, from, text.len),
                               scan->matches_max ? scan->matches_max - pass->matches : 0, &count);
    pass->matches += count;
    pass->searched = text.len;
    if (!complete)
        return SCAN_STOPPED;
    return scan->matches_max && pass->matches == scan->matches_max ? SCAN_ENOUGH : SCAN_END;
}

/* Up to where matches may begin: one that begins later may go on beyond the piece, and is for the next one. */
static size_t piece_end(const struct pass *pass, struct hv_str text)
{
    bool goes_on = pass->ends_inside || (pass->scan->multiline && !pass->ended);
    if (!goes_on || text.len - pass->searched <= 2 * OVERLAP)
        return text.len;
    size_t end = text.len - OVERLAP, line = lines_begin(text, end);
    return line > pass->searched ? line : end;
}

/* Search what is there up to limit, where a line ends. */
static enum scan_end search_piece(struct pass *pass, size_t limit)
{
    struct line_scan *scan = pass->scan;
    struct hv_str text = hv_str_slice(held(pass), 0, limit);
    struct find_match match;
    size_t end = piece_end(pass, text), at = pass->next > pass->searched ? pass->next : pass->searched;
    bool stands_alone = scan->multiline ? pass->ended && !scan->in_pieces : !pass->ends_inside && !pass->begins_inside;
    if (!scan->line && stands_alone)
        return count_piece(pass, text, at);
    while (at < end) {
        size_t before = at;
        enum find_result found = next_match(pass, text, &at, &match);
        if (found == FIND_STOPPED)
            return SCAN_STOPPED;
        if (found == FIND_NONE || (end < limit && match.from >= end)) {
            at = before;
            break;
        }
        pass->matches++;
        if (scan->line && !show_match(pass, text, &match))
            return SCAN_ENOUGH;
        if (pass->matches == scan->matches_max)
            return SCAN_ENOUGH;
    }
    pass->searched = end;
    pass->next = at;
    return !scan->line || show_after(pass, text, end) ? SCAN_END : SCAN_ENOUGH;
}

/* Nothing of the file was shown yet, and its bytes are those of the buffer: their lines can still be counted later. */
static bool drop_uncounted(struct pass *pass, size_t keep)
{
    if (pass->any || pass->encoding || pass->mark || !pass->scan->short_is_end)
        return false;
    pass->dropped += keep;
    return true;
}

/*
 * Keep so much that the next piece is not read to an address a few bytes after the beginning of a page: files lie in
 * the kernel's memory page by page, and some processors copy to such an address at a quarter of the speed.
 */
static size_t keep_for_copying(size_t len, size_t keep)
{
    enum { SLOW = 32 };
    size_t over = (len - keep) % PAGE;
    return over && over < SLOW && keep >= SLOW ? keep - SLOW : keep;
}

/* Throw away what was searched but for the lines that context may need. */
static void slide(struct pass *pass)
{
    struct hv_str text = held(pass);
    size_t keep = pass->searched;
    if (pass->scan->multiline || pass->ends_inside)
        keep -= keep < LOOK_BACK ? keep : LOOK_BACK;
    for (size_t i = 0; i < pass->scan->before && keep; i++) {
        size_t line = lines_begin(text, keep - 1);
        if (pass->searched - line > CONTEXT_KEPT)
            break;
        keep = line;
    }
    keep = keep_for_copying(text.len, keep);
    if (pass->scan->line && !drop_uncounted(pass, keep))
        (void)number_at(pass, text, keep > pass->counted ? keep : pass->counted);
    pass->gap |= pass->shown < keep;
    pass->shown = pass->shown < keep ? 0 : pass->shown - keep;
    pass->counted = pass->counted < keep ? 0 : pass->counted - keep;
    pass->searched -= keep;
    pass->next = pass->next < keep ? 0 : pass->next - keep;
    hold(pass, keep, text.len);
}

/* The rest of a line that goes on from the piece before is not shown or counted once more. */
static void skip_rest_of_line(struct pass *pass, struct hv_str text)
{
    if (!pass->begins_inside && !(pass->scan->multiline && pass->line_shown))
        return;
    size_t from = pass->scan->multiline ? pass->shown : pass->searched;
    size_t newline = hv_str_find_byte(text, '\n', from), end = newline == SIZE_MAX ? text.len : newline + 1;
    if (pass->line_matched && pass->next < end)
        pass->next = end;
    if (pass->line_shown && pass->shown < end)
        pass->shown = end;
}

/* Search what is there; it may begin and end within a line that is longer than a piece. */
static enum scan_end search_filled(struct pass *pass)
{
    struct hv_str text = held(pass);
    size_t limit = text.len, newline = hv_str_rfind_byte(text, '\n'), matches = pass->matches;
    bool has_line = newline != SIZE_MAX && newline >= pass->searched;
    /* In multiline mode not where no more would be left than is searched to its end: a match may go on behind it. */
    if (!pass->ended && has_line && !(pass->scan->multiline && newline - pass->searched < 2 * OVERLAP))
        limit = newline + 1;
    pass->ends_inside = !pass->ended && !has_line && !pass->scan->multiline;
    pass->scan->in_line_parts |= pass->ends_inside;
    skip_rest_of_line(pass, hv_str_slice(text, 0, limit));
    enum scan_end end = search_piece(pass, limit);
    pass->line_matched = pass->ends_inside && (pass->line_matched || pass->matches > matches);
    bool is_shown = pass->any && pass->shown >= limit;
    pass->line_shown = pass->ends_inside && (pass->line_shown || is_shown);
    if (pass->scan->multiline && !pass->ended && is_shown)
        pass->line_shown = pass->match_shown && text.ptr[pass->shown - 1] != '\n';
    return end;
}

static enum scan_end scan_all(struct pass *pass)
{
    struct line_scan *scan = pass->scan;
    if (!begin(pass))
        return SCAN_FAILED;
    if (pass->ended && !held(pass).len)
        return pass->binary ? SCAN_BINARY : SCAN_END;
    for (bool more = false;; more = true) {
        if (more && scan->stop && scan->stop(scan->user))
            return SCAN_STOPPED;
        if (!fill(pass))
            return SCAN_FAILED;
        enum scan_end end = search_filled(pass);
        if (end != SCAN_END)
            return end;
        if (pass->ended)
            return pass->binary ? SCAN_BINARY : SCAN_END;
        scan->in_pieces = true;
        slide(pass);
        pass->begins_inside = pass->ends_inside;
    }
}

static enum scan_end run(struct pass *pass, size_t *matches)
{
    struct line_scan *scan = pass->scan;
    if (!pass->in_place)
        clear_buffer(&scan->buffer);
    scan->in_pieces = scan->in_line_parts = scan->ruled_out = false;
    pass->number = 1;
    pass->carried.max = PIECE;
    enum scan_end end = scan_all(pass);
    hv_buf_release(&pass->carried);
    *matches = pass->matches;
    return end;
}

enum scan_end line_scan_file(struct line_scan *scan, int fd, uint64_t size, size_t *matches)
{
    return run(&(struct pass){.scan = scan, .fd = fd, .size = size}, matches);
}

enum scan_end line_scan_text(struct line_scan *scan, struct hv_str text, bool is_plain, size_t *matches)
{
    return run(&(struct pass){.scan = scan,
                              .fd = -1,
                              .text = text,
                              .size = text.len,
                              .in_place = true,
                              .is_plain = is_plain,
                              .ended = true},
               matches);
}

void line_scan_release(struct line_scan *scan)
{
    hv_buf_release(&scan->buffer);
}
