/*
 * ansi.c: see ansi.h. Bytes become characters, characters go through the state machine of a terminal's parser, and
 * what would be shown is written into the line in progress, at the cursor. Text without anything special goes past
 * all that in whole runs. The line in progress is bounded: a longer one is given out in pieces, and what was given
 * out can no longer be rewritten.
 */
#include "text/ansi.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/truncate.h"

#include <string.h>

enum {
    LINE_MAX_BYTES = 256 << 10,   /* of a line in progress */
    BACK_MAX_BYTES = 4096,        /* how far '\b' goes back: no terminal is wider */
    SEQUENCE_MAX_BYTES = 1 << 20, /* a sequence that is longer was none: what follows is shown */
    PARAMETER_MAX = 9999,
    NO_PARAMETER = 1 << 20, /* a private or odd sequence: it has no effect on the line */
};

enum state {
    GROUND = 0,
    ESCAPE,        /* after ESC */
    INTERMEDIATE,  /* after ESC and a byte of 0x20–0x2f: one final byte to come */
    CSI,           /* control sequence: parameters, then a final byte */
    STRING,        /* OSC, DCS, SOS, PM, APC: up to ST, or BEL in an OSC */
    STRING_ESCAPE, /* ESC inside a string: the beginning of ST, or of another sequence */
    SINGLE_SHIFT,  /* SS2 and SS3: one character to come */
};

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f };

/* ---- the line in progress ---- */

/* Append what fits, at a character boundary. */
static void append(struct hv_buf *out, struct hv_str text)
{
    if (!out->failed && text.len > out->max - out->len) {
        hv_buf_add_str(out, truncate_head(text, out->max - out->len));
        out->failed = true;
    }
    hv_buf_add_str(out, text);
}

static void clear_line(struct ansi_cleaner *cleaner)
{
    hv_buf_clear(&cleaner->line);
    cleaner->cursor = 0;
    cleaner->carriage_return = false;
}

static void give_line(struct ansi_cleaner *cleaner, struct hv_buf *out)
{
    append(out, hv_buf_str(&cleaner->line));
    clear_line(cleaner);
}

/* Replace the character at the cursor, which stands before the end. */
static void strike_over(struct ansi_cleaner *cleaner, struct hv_str character)
{
    struct hv_buf *line = &cleaner->line;
    uint32_t unused;
    size_t old_len = utf8_decode(hv_buf_str(line), cleaner->cursor, &unused);
    size_t rest = line->len - cleaner->cursor - old_len;
    if (!hv_buf_reserve(line, character.len))
        return;
    char *at = line->data + cleaner->cursor;
    memmove(at + character.len, at + old_len, rest);
    memcpy(at, character.ptr, character.len);
    line->len = cleaner->cursor + character.len + rest;
    line->data[line->len] = '\0';
    cleaner->cursor += character.len;
}

static void put(struct ansi_cleaner *cleaner, struct hv_str text, struct hv_buf *out)
{
    if (cleaner->carriage_return)
        clear_line(cleaner);
    if (cleaner->cursor < cleaner->line.len) {
        strike_over(cleaner, text);
        return;
    }
    hv_buf_add_str(&cleaner->line, text);
    cleaner->cursor = cleaner->line.len;
    if (cleaner->line.len >= LINE_MAX_BYTES)
        give_line(cleaner, out);
}

static void put_character(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    char bytes[4];
    /* UTF8_INVALID is over U+10FFFF and becomes U+FFFD. */
    put(cleaner, hv_str_of(bytes, utf8_encode(bytes, character)), out);
}

static void go_back(struct ansi_cleaner *cleaner)
{
    const struct hv_buf *line = &cleaner->line;
    if (cleaner->carriage_return || !cleaner->cursor || line->len - cleaner->cursor >= BACK_MAX_BYTES)
        return;
    do
        cleaner->cursor--;
    while (cleaner->cursor && (line->data[cleaner->cursor] & 0xc0) == 0x80);
}

/* CSI K: 0 erases from the cursor on, 1 up to the cursor, 2 all. */
static void erase(struct ansi_cleaner *cleaner)
{
    size_t at = cleaner->carriage_return ? 0 : cleaner->cursor;
    if (cleaner->parameter == 2 || (cleaner->parameter == 0 && at == 0)) {
        clear_line(cleaner);
    } else if (cleaner->parameter == 0) {
        cleaner->line.len = at;
        cleaner->line.data[at] = '\0';
    } else if (cleaner->parameter == 1 && at) {
        /* What stood there is blank now; blanks are as wide only for ASCII, which is good enough. */
        memset(cleaner->line.data, ' ', at);
    }
}

/* ---- the parser ---- */

static void begin(struct ansi_cleaner *cleaner, enum state state)
{
    cleaner->state = state;
    cleaner->sequence_length = 0;
    cleaner->string_is_dcs = false;
    cleaner->parameter = 0;
    cleaner->more_parameters = false;
}

static void begin_string(struct ansi_cleaner *cleaner, bool is_dcs)
{
    begin(cleaner, STRING);
    cleaner->string_is_dcs = is_dcs;
}

/* A control character below U+0020, in or outside of a sequence: terminals obey it in both. */
static void control(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    switch (character) {
    case '\n':
        cleaner->carriage_return = false;
        give_line(cleaner, out);
        append(out, HV_STR("\n"));
        break;
    case '\t': put(cleaner, HV_STR("\t"), out); break;
    case '\r': cleaner->carriage_return = true; break;
    case '\b': go_back(cleaner); break;
    case ESC: begin(cleaner, ESCAPE); break;
    case CAN:
    case SUB: cleaner->state = GROUND; break;
    default: break;
    }
}

/* What U+0040 + n after ESC begins, and U+0080 + n by itself. */
static void introduce(struct ansi_cleaner *cleaner, uint32_t second)
{
    switch (second) {
    case '[': begin(cleaner, CSI); break;
    case ']':
    case 'X':
    case '^':
    case '_': begin_string(cleaner, false); break;
    case 'P': begin_string(cleaner, true); break;
    case 'N':
    case 'O': begin(cleaner, SINGLE_SHIFT); break;
    default: cleaner->state = GROUND;
    }
}

static void in_ground(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    if (character < 0x20)
        control(cleaner, character, out);
    else if (character >= 0x80 && character < 0xa0)
        introduce(cleaner, character - 0x40);
    else if (character != DEL)
        put_character(cleaner, character, out);
}

static void in_escape(struct ansi_cleaner *cleaner, uint32_t character)
{
    if (character < 0x30)
        cleaner->state = INTERMEDIATE;
    else if (character == 'k') /* the title of a window of screen and tmux */
        begin_string(cleaner, false);
    else
        introduce(cleaner, character);
}

static void csi_final(struct ansi_cleaner *cleaner, uint32_t character)
{
    cleaner->state = GROUND;
    if (character == 'K')
        erase(cleaner);
    else if (character == 'G' && cleaner->parameter <= 1) /* to the first column */
        cleaner->carriage_return = true;
}

static void in_csi(struct ansi_cleaner *cleaner, uint32_t character)
{
    if (character >= 0x40) {
        csi_final(cleaner, character);
    } else if (character >= '0' && character <= '9') {
        if (!cleaner->more_parameters && cleaner->parameter <= PARAMETER_MAX)
            cleaner->parameter = cleaner->parameter * 10 + (character - '0');
    } else if (character == ';' || character == ':') {
        cleaner->more_parameters = true;
    } else {
        cleaner->parameter = NO_PARAMETER;
        cleaner->more_parameters = true;
    }
}

/* Only a DCS may go on over line ends: any other string that does was cut off by what wrote it. */
static void in_string(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    bool cut_off = character == '\n' && !cleaner->string_is_dcs;
    if (character == ESC)
        cleaner->state = STRING_ESCAPE;
    else if (character == BEL || character == CAN || character == SUB || character == 0x9c || cut_off)
        cleaner->state = GROUND;
    if (cut_off)
        control(cleaner, '\n', out);
}

/* One character in the midst of a sequence that is no string. False: it ends the sequence and is read anew. */
static bool in_sequence(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    if (character < 0x20) {
        control(cleaner, character, out);
        return true;
    }
    if (character >= DEL) {
        if (character != DEL)
            cleaner->state = GROUND;
        return character == DEL;
    }
    if (cleaner->state == ESCAPE)
        in_escape(cleaner, character);
    else if (cleaner->state == CSI)
        in_csi(cleaner, character);
    else if (cleaner->state == SINGLE_SHIFT || character >= 0x30)
        cleaner->state = GROUND;
    return true;
}

static void take(struct ansi_cleaner *cleaner, uint32_t character, struct hv_buf *out)
{
    if (cleaner->state != GROUND && ++cleaner->sequence_length > SEQUENCE_MAX_BYTES)
        cleaner->state = GROUND;
    if (cleaner->state == STRING_ESCAPE) {
        if (character == '\\') {
            cleaner->state = GROUND;
            return;
        }
        begin(cleaner, ESCAPE);
    }
    if (cleaner->state == STRING)
        in_string(cleaner, character, out);
    else if (cleaner->state == GROUND || !in_sequence(cleaner, character, out))
        in_ground(cleaner, character, out);
}

/* ---- bytes ---- */

/* Add a byte to the character in progress, and take what is complete, or can no longer be completed. */
static void take_byte(struct ansi_cleaner *cleaner, unsigned char byte, struct hv_buf *out)
{
    cleaner->pending[cleaner->pending_count++] = byte;
    while (cleaner->pending_count) {
        struct hv_str pending = {(const char *)cleaner->pending, cleaner->pending_count};
        if (utf8_incomplete_tail(pending) == pending.len)
            return;
        uint32_t character;
        size_t len = utf8_decode(pending, 0, &character);
        cleaner->pending_count -= (unsigned)len;
        memmove(cleaner->pending, cleaner->pending + len, cleaner->pending_count);
        take(cleaner, character, out);
    }
}

/* Length of the character of several bytes at offset i when it is whole, well-formed and no control; else 0. */
static size_t plain_wide(struct hv_str bytes, size_t i)
{
    uint32_t character;
    size_t len = utf8_decode(bytes, i, &character);
    return character == UTF8_INVALID || character < 0xa0 ? 0 : len;
}

/* Length of the printable text (with tabs) that bytes begin with; *lines: up to behind its last newline. */
static size_t plain_run(struct hv_str bytes, bool with_newlines, size_t *lines)
{
    size_t i = 0, len = 1;
    for (*lines = 0; i < bytes.len && len; i += len) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        len = 1;
        if (byte >= ' ' && byte < DEL)
            continue;
        if (byte == '\n' && with_newlines)
            *lines = i + 1;
        else if (byte != '\t')
            len = byte < 0x80 ? 0 : plain_wide(bytes, i);
    }
    return i;
}

/* Take plain text in one go, whole lines without a detour. Returns how many bytes. */
static size_t take_plain(struct ansi_cleaner *cleaner, struct hv_str bytes, struct hv_buf *out)
{
    size_t lines, room = LINE_MAX_BYTES - cleaner->line.len;
    bool busy = cleaner->state != GROUND || cleaner->pending_count || cleaner->carriage_return;
    if (busy || cleaner->cursor != cleaner->line.len)
        return 0;
    size_t length = plain_run(bytes, !cleaner->line.len, &lines);
    append(out, hv_str_slice(bytes, 0, lines));
    struct hv_str rest = truncate_head(hv_str_slice(bytes, lines, length), room);
    if (rest.len)
        put(cleaner, rest, out);
    return lines + rest.len;
}

void ansi_feed(struct ansi_cleaner *cleaner, struct hv_str bytes, struct hv_buf *out)
{
    cleaner->line.max = LINE_MAX_BYTES + 4 * BACK_MAX_BYTES;
    for (size_t i = 0; i < bytes.len && !out->failed;) {
        i += take_plain(cleaner, hv_str_slice(bytes, i, bytes.len), out);
        if (i < bytes.len)
            take_byte(cleaner, (unsigned char)bytes.ptr[i++], out);
    }
}

void ansi_finish(struct ansi_cleaner *cleaner, struct hv_buf *out)
{
    if (cleaner->pending_count)
        take(cleaner, UTF8_INVALID, out);
    cleaner->pending_count = 0;
    cleaner->state = GROUND;
    give_line(cleaner, out);
}

void ansi_release(struct ansi_cleaner *cleaner)
{
    hv_buf_release(&cleaner->line);
    *cleaner = (struct ansi_cleaner){0};
}

void ansi_clean(struct hv_str bytes, struct hv_buf *out)
{
    struct ansi_cleaner cleaner = {0};
    ansi_feed(&cleaner, bytes, out);
    ansi_finish(&cleaner, out);
    ansi_release(&cleaner);
}

/* Whether a block holds control characters, or what may be one above U+007F. Branch-free, for the vectoriser. */
static bool has_control(const unsigned char *bytes, size_t count, bool *above_ascii)
{
    unsigned char found = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = bytes[i];
        found |= (unsigned char)((byte < 0x20) & (byte != '\t') & (byte != '\n'));
        found |= byte == DEL;
        high |= byte;
    }
    *above_ascii |= high >= 0x80;
    return found;
}

/* Whether some character is one of U+0080–U+009F: written C2 80 to C2 9F. */
static bool has_c1(struct hv_str bytes)
{
    for (size_t i = 0; (i = hv_str_find_byte(bytes, '\xc2', i)) != SIZE_MAX; i++)
        if (i + 1 < bytes.len && (unsigned char)bytes.ptr[i + 1] < 0xa0)
            return true;
    return false;
}

bool ansi_is_clean(struct hv_str bytes)
{
    enum { BLOCK = 256 };
    bool above_ascii = false;
    for (size_t i = 0; i < bytes.len; i += BLOCK) {
        size_t count = bytes.len - i < BLOCK ? bytes.len - i : BLOCK;
        if (has_control((const unsigned char *)bytes.ptr + i, count, &above_ascii))
            return false;
    }
    return !above_ascii || (!has_c1(bytes) && utf8_valid(bytes));
}
