/* controls.c: see controls.h. */
#include "text/controls.h"

#include "base/utf8.h"

enum { ESC = 0x1b, DEL = 0x7f, PICTURES = 0x2400, PICTURE_OF_DEL = 0x2421, SEQUENCE_MAX = 64 };

/* The length of the control sequence (CSI) that begins at `at`, 0 when there is none that is whole and short. */
static size_t sequence_length(struct hv_str bytes, size_t at)
{
    size_t i = at + 2, end = bytes.len - at < SEQUENCE_MAX ? bytes.len : at + SEQUENCE_MAX;
    if (i >= end || bytes.ptr[at] != ESC || bytes.ptr[at + 1] != '[')
        return 0;
    while (i < end && bytes.ptr[i] >= ' ' && bytes.ptr[i] < '@')
        i++;
    return i < end && bytes.ptr[i] >= '@' && bytes.ptr[i] < DEL ? i + 1 - at : 0;
}

static void show_control(unsigned char byte, struct hv_buf *out)
{
    char picture[4];
    hv_buf_add(out, picture, utf8_encode(picture, byte == DEL ? PICTURE_OF_DEL : PICTURES + byte));
}

/* Add the character of several bytes, or the broken one, at `at`; its length. */
static size_t show_wide(struct hv_str bytes, size_t at, struct hv_buf *out)
{
    uint32_t character;
    size_t length = utf8_decode(bytes, at, &character);
    if (character == UTF8_INVALID)
        hv_buf_add_cstr(out, "\xef\xbf\xbd");
    else if (character < 0xa0)
        hv_buf_addf(out, "\\u{%x}", character);
    else
        hv_buf_add(out, bytes.ptr + at, length);
    return length;
}

static bool is_plain(unsigned char byte)
{
    return (byte >= ' ' && byte < DEL) || byte == '\t' || byte == '\n';
}

void controls_show(struct hv_str bytes, struct hv_buf *out)
{
    for (size_t at = 0, plain; at < bytes.len && !out->failed;) {
        for (plain = at; plain < bytes.len && is_plain((unsigned char)bytes.ptr[plain]); plain++)
            ;
        hv_buf_add_str(out, hv_str_slice(bytes, at, plain));
        if ((at = plain) == bytes.len)
            break;
        unsigned char byte = (unsigned char)bytes.ptr[at];
        size_t sequence = sequence_length(bytes, at);
        if (byte >= 0x80) {
            at += show_wide(bytes, at, out);
            continue;
        }
        bool ends_line = byte == '\r' && at + 1 < bytes.len && bytes.ptr[at + 1] == '\n';
        if (!ends_line && !sequence)
            show_control(byte, out);
        at += sequence ? sequence : 1;
    }
}
