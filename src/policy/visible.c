/* visible.c: see visible.h. */
#include "policy/visible.h"

#include "base/utf8.h"

/* Ranges of characters that show nothing or change how their neighbours show, in order. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},        {0x61c, 0x61c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f},      {0x2028, 0x202f},
    {0x205f, 0x206f}, {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},      {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, UINT32_MAX},
};

static bool is_hidden(uint32_t character)
{
    size_t i = 0;
    while (character > hidden[i].last) /* ill-formed text is UTF8_INVALID, the end of the last range */
        i++;
    return character >= hidden[i].first;
}

bool visible_as_is(struct hv_str text)
{
    uint32_t character;
    for (size_t at = 0; at < text.len;) {
        at += utf8_decode(text, at, &character);
        if (is_hidden(character))
            return false;
    }
    return true;
}

/* Characters that turn the direction in which their neighbours are shown. */
static bool turns(uint32_t character)
{
    return (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069) ||
           character == 0x200e || character == 0x200f || character == 0x61c;
}

/* Append text, and what is not to be shown as it is by its number. */
static inline void add_shown(struct hv_buf *out, struct hv_str text, bool (*is_odd)(uint32_t character))
{
    uint32_t character;
    size_t shown = 0; /* up to where text was added */
    for (size_t at = 0, length; at < text.len; at += length) {
        length = utf8_decode(text, at, &character);
        if (!is_odd(character))
            continue;
        hv_buf_add_str(out, hv_str_slice(text, shown, at));
        shown = at + length;
        if (character != UTF8_INVALID)
            hv_buf_addf(out, "\\u{%x}", character);
        for (size_t i = at; i < shown && character == UTF8_INVALID; i++)
            hv_buf_addf(out, "\\x%02x", (unsigned char)text.ptr[i]);
    }
    hv_buf_add_str(out, hv_str_slice(text, shown, text.len));
}

void visible_add(struct hv_buf *out, struct hv_str text)
{
    add_shown(out, text, is_hidden);
}

void visible_add_straight(struct hv_buf *out, struct hv_str text)
{
    add_shown(out, text, turns);
}

/* Blanks in the middle of a line that push what follows out of sight. */
enum { BLANKS_MAX = 16 };

void visible_add_lines(struct hv_buf *out, struct hv_str text)
{
    struct hv_str line;
    for (bool first = true; hv_str_split(&text, '\n', &line); first = false) {
        if (!first)
            hv_buf_add_byte(out, '\n');
        for (size_t at = 0; at < line.len;) {
            size_t blanks = at, end;
            while (blanks < line.len && line.ptr[blanks] == ' ')
                blanks++;
            if (at && blanks - at > BLANKS_MAX)
                hv_buf_addf(out, " [%zu blanks] ", blanks - at);
            else
                hv_buf_add_str(out, hv_str_slice(line, at, blanks));
            end = hv_str_find_byte(line, ' ', blanks);
            visible_add(out, hv_str_slice(line, blanks, end));
            at = end == SIZE_MAX ? line.len : end;
        }
    }
}
