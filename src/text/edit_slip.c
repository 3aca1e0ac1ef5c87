/* edit_slip.c: see edit_slip.h. Each slip is a function that writes a text without it; some must be undone in the file
 * as well, and these keep every line where it is. */
#include "text/edit_slip.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/edit_fold.h"
#include "text/lines.h"

#include <string.h>

enum { FILE_BYTES_MAX = 4 << 20, OLD_BYTES_MAX = 64 << 10, NEW_BYTES_MIN = 8 };

/* ---- escapes ----------------------------------------------------------------------------------------------------- */

static int hex_value(struct hv_str text)
{
    int value = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *at = memchr(digits, text.ptr[i], 32);
        if (!at)
            return -1;
        value = value * 16 + (int)((at - digits) % 16);
    }
    return text.len ? value : -1;
}

static void put_character(uint32_t character, struct hv_buf *out)
{
    char bytes[4];
    hv_buf_add(out, bytes, utf8_encode(bytes, character));
}

/* The escape at text[at] == '\\': its length, 0 when it is none. */
static size_t put_escape(struct hv_str text, size_t at, struct hv_buf *out)
{
    static const char from[] = "ntr\"'\\/`", to[] = "\n\t\r\"'\\/`";
    const char *known = at + 1 < text.len ? memchr(from, text.ptr[at + 1], sizeof from - 1) : NULL;
    if (known) {
        hv_buf_add_byte(out, to[known - from]);
        return 2;
    }
    bool four = at + 5 < text.len && text.ptr[at + 1] == 'u';
    int value = four ? hex_value(hv_str_slice(text, at + 2, at + 6)) : -1;
    if (value <= 0 || (value >= 0xd800 && value < 0xe000))
        return 0;
    put_character((uint32_t)value, out);
    return 6;
}

static void undo_escapes(struct hv_str text, struct hv_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t len = text.ptr[at] == '\\' ? put_escape(text, at, out) : 0;
        if (!len)
            hv_buf_add_byte(out, text.ptr[at]);
        at += len ? len : 1;
    }
}

/* Inside the lines: the file says \n where the text has a line break. */
static void do_escapes(struct hv_str text, struct hv_buf *out)
{
    for (size_t at = 0; at < text.len; at++) {
        char byte = text.ptr[at];
        if (byte == '\n')
            hv_buf_add_cstr(out, "\\n");
        else if (byte == '\t')
            hv_buf_add_cstr(out, "\\t");
        else
            hv_buf_add_byte(out, byte);
    }
}

static void undo_entities(struct hv_str text, struct hv_buf *out)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"&lt;", "<"},   {"&gt;", ">"},   {"&amp;", "&"},  {"&quot;", "\""}, {"&#39;", "'"}, {"&apos;", "'"},
                 {"&nbsp;", " "}, {"&#34;", "\""}, {"&#x27;", "'"}, {"%22", "\""},    {"%20", " "},   {"%27", "'"}};
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known && !len; i++)
            if (hv_str_starts(hv_str_slice(text, at, text.len), hv_str_from(known[i].name))) {
                hv_buf_add_cstr(out, known[i].text);
                len = strlen(known[i].name);
            }
        if (!len)
            hv_buf_add_byte(out, text.ptr[at]);
        at += len ? len : 1;
    }
}

/* ---- what was put in front of lines, or around them -------------------------------------------------------------- */

/* "12→", "12| ", " 12: ", "12\t": the length of a number that was put in front. */
static size_t number_in_front(struct hv_str line)
{
    static const char *const marks[] = {"\u2192", "| ", "|", ": ", ":", "\t", ". "};
    size_t at = 0, digits;
    while (at < line.len && line.ptr[at] == ' ')
        at++;
    for (digits = at; at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '9'; at++)
        ;
    if (at == digits)
        return 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (hv_str_starts(hv_str_slice(line, at, line.len), hv_str_from(marks[i])))
            return at + strlen(marks[i]);
    return 0;
}

static size_t sign_in_front(struct hv_str line)
{
    return line.len && strchr("-+ ", line.ptr[0]) ? 1 : 0;
}

static void undo_fronts(struct hv_str text, size_t (*front)(struct hv_str line), struct hv_buf *out)
{
    struct hv_str line;
    while (lines_next(&text, &line))
        hv_buf_add_str(out, hv_str_slice(line, front(line), line.len));
}

static void undo_numbers(struct hv_str text, struct hv_buf *out)
{
    undo_fronts(text, number_in_front, out);
}

static void undo_signs(struct hv_str text, struct hv_buf *out)
{
    undo_fronts(text, sign_in_front, out);
}

static void undo_fence(struct hv_str text, struct hv_buf *out)
{
    struct hv_str line, kept = HV_STR("");
    while (lines_next(&text, &line)) {
        struct hv_str bare = hv_str_trim(line);
        if (hv_str_starts(bare, HV_STR("```")) || hv_str_starts(bare, HV_STR("<![CDATA[")))
            continue;
        hv_buf_add_str(out, kept);
        kept = line;
    }
    hv_buf_add_str(out, lines_chop(kept)); /* the line end before the fence belongs to it */
}

static void undo_blanks_around(struct hv_str text, struct hv_buf *out)
{
    while (text.len && (text.ptr[0] == '\n' || text.ptr[0] == '\r'))
        text = hv_str_slice(text, 1, text.len);
    hv_buf_add_str(out, text);
    while (out->len && strchr("\n\r \t", out->data[out->len - 1]))
        out->len--;
}

/* ---- characters that look alike ---------------------------------------------------------------------------------- */

static void fold_lookalikes(struct hv_str text, struct hv_buf *out)
{
    uint32_t character;
    for (size_t at = 0; at < text.len;) {
        size_t len = utf8_decode(text, at, &character);
        if (character == 0xa0 || character == 0x202f || (character >= 0x2000 && character <= 0x200a))
            hv_buf_add_byte(out, ' ');
        else if (character >= 0x2010 && character <= 0x2015)
            hv_buf_add_byte(out, '-');
        else if (character == 0x2212)
            hv_buf_add_byte(out, '-');
        else if (character == 0x2026)
            hv_buf_add_cstr(out, "...");
        else if (character >= 0xff01 && character <= 0xff5e)
            hv_buf_add_byte(out, (char)(character - 0xff01 + '!'));
        else if (character != 0x200b && character != 0x200c && character != 0x200d && character != 0xfeff)
            hv_buf_add(out, text.ptr + at, len);
        at += len;
    }
}

static void fold_quote_kinds(struct hv_str text, struct hv_buf *out)
{
    CLEANUP_FREE char *owned = NULL;
    struct hv_str straight = fold_text(text, FOLD_QUOTES, &owned);
    for (size_t i = 0; i < straight.len; i++)
        hv_buf_add_byte(out, straight.ptr[i] == '\'' || straight.ptr[i] == '`' ? '"' : straight.ptr[i]);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct {
    void (*undo)(struct hv_str text, struct hv_buf *out);
    bool in_both; /* the file is written so as well */
    const char *words;
} slips[] = {
    {undo_blanks_around, false, "without the blank lines and blanks around it"},
    {undo_escapes, false, "with its escapes (\\n, \\t, \\\") written as the characters that they stand for"},
    {do_escapes, false, "with \\n and \\t in place of its line breaks and tabs, as two characters each"},
    {undo_entities, false, "with its entities (&lt;, &amp;, %20 ...) written as the characters that they stand for"},
    {undo_numbers, false, "without the numbers in front of its lines"},
    {undo_signs, false, "without the signs of a diff in front of its lines"},
    {undo_fence, false, "without the code fence around it"},
    {fold_quote_kinds, true, "with other quotes (\", ' or `)"},
    {fold_lookalikes, true,
     "with other characters that look alike (dashes, no-break blanks, dots, full-width or invisible ones)"},
};

static size_t count_places(struct hv_str file, struct hv_str wanted, size_t *line)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find(file, wanted, at)) != SIZE_MAX; at += wanted.len)
        if (!count++)
            *line = lines_number_at(file, at);
    return count;
}

static bool undo_finds(struct hv_str file, struct hv_str old_text, size_t index, struct edit_failure *failure)
{
    CLEANUP_BUF struct hv_buf old = {0}, folded = {0};
    hv_buf_init(&old, (size_t)OLD_BYTES_MAX * 4);
    hv_buf_init(&folded, (size_t)FILE_BYTES_MAX * 4);
    slips[index].undo(old_text, &old);
    if (old.failed || !old.len || (!slips[index].in_both && hv_str_eq(hv_buf_str(&old), old_text)))
        return false;
    if (slips[index].in_both)
        slips[index].undo(file, &folded);
    size_t places =
        count_places(slips[index].in_both ? hv_buf_str(&folded) : file, hv_buf_str(&old), &failure->slip_line);
    if (!places)
        return false;
    failure->slip = slips[index].words;
    failure->slip_places = places;
    return true;
}

void edit_find_slip(struct hv_str file, struct hv_str old_text, struct hv_str new_text, struct edit_failure *failure)
{
    CLEANUP_FREE char *file_owned = NULL;
    CLEANUP_FREE char *old_owned = NULL;
    CLEANUP_FREE char *new_owned = NULL;
    if (file.len > FILE_BYTES_MAX || old_text.len > OLD_BYTES_MAX)
        return;
    file = fold_text(file, FOLD_LINE_ENDS, &file_owned);
    old_text = fold_text(old_text, FOLD_LINE_ENDS, &old_owned);
    new_text = fold_text(new_text, FOLD_LINE_ENDS, &new_owned);
    if (new_text.len >= NEW_BYTES_MIN)
        (void)count_places(file, new_text, &failure->new_line);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        if (undo_finds(file, old_text, i, failure))
            return;
}
