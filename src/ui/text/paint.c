/* paint.c: see paint.h. */
#include "ui/text/paint.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "policy/visible.h"
#include "ui/text/cluster.h"
#include "ui/text/theme.h"

#define RESET "\033[0m"

static const char *codes_of(const struct paint_theme *theme, enum paint_style style)
{
    const struct paint_palette *palette = theme->palette ? theme->palette : theme_built_in(HV_STR("dark"));
    return theme->colour ? palette->codes[style] : "";
}

void paint_begin(const struct paint_theme *theme, enum paint_style style, struct hv_buf *out)
{
    const char *codes = codes_of(theme, style);
    if (*codes)
        hv_buf_addf(out, "\033[%sm", codes);
}

/* What ends an attribute, so that an outer style goes on. */
static unsigned end_of(unsigned code)
{
    if (code >= 30)
        return (code >= 40 && code <= 49) || code >= 100 ? 49 : 39;
    return code <= 2 ? 22 : 20 + code;
}

void paint_end(const struct paint_theme *theme, enum paint_style style, struct hv_buf *out)
{
    const char *codes = codes_of(theme, style);
    struct hv_str rest = hv_str_from(codes), word;
    const char *mark = "\033[";
    int64_t code;
    while (*codes && hv_str_split(&rest, ';', &word) && hv_str_to_int64(word, &code)) {
        hv_buf_addf(out, "%s%u", mark, end_of((unsigned)code));
        mark = ";";
        /* "38;5;N" and "38;2;R;G;B": the colour's own numbers are no attributes. */
        unsigned more = code == 38 ? (hv_str_starts(rest, HV_STR("2;")) ? 4 : 2) : 0;
        while (more-- && hv_str_split(&rest, ';', &word))
            ;
    }
    if (*codes)
        hv_buf_add_byte(out, 'm');
}

/* Blanks and joiners that scripts and emoji are written with: they show nothing, but belong to what does. */
static bool belongs_to_text(uint32_t rune)
{
    return rune == 0xa0 || (rune >= 0x2000 && rune <= 0x200a) || rune == 0x200c || rune == 0x200d || rune == 0x202f ||
           rune == 0x3000 || (rune >= 0xfe00 && rune <= 0xfe0f);
}

static void add_visible(struct hv_buf *out, struct hv_str text)
{
    size_t start = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t rune;
        size_t len = utf8_decode(text, at, &rune);
        if (rune >= 0x80 && belongs_to_text(rune)) {
            visible_add(out, hv_str_slice(text, start, at));
            hv_buf_add(out, text.ptr + at, len);
            start = at + len;
        }
        at += len;
    }
    visible_add(out, hv_str_slice(text, start, text.len));
}

bool paint_next_line(struct hv_str *rest, struct hv_str *line)
{
    return rest->len > 0 && hv_str_split(rest, '\n', line);
}

void paint_add(struct hv_buf *out, struct hv_str text)
{
    struct hv_str line;
    bool first = true;
    bool ends_open = text.len && text.ptr[text.len - 1] == '\n';
    while (paint_next_line(&text, &line)) {
        if (!first)
            hv_buf_add_byte(out, '\n');
        first = false;
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        for (size_t at = 0; at < line.len;) {
            size_t tab = hv_str_find_byte(line, '\t', at);
            add_visible(out, hv_str_slice(line, at, tab));
            if (tab == SIZE_MAX)
                break;
            hv_buf_add_cstr(out, "    ");
            at = tab + 1;
        }
    }
    if (ends_open)
        hv_buf_add_byte(out, '\n');
}

void paint_put(const struct paint_theme *theme, enum paint_style style, struct hv_str text, struct hv_buf *out)
{
    paint_begin(theme, style, out);
    paint_add(out, text);
    paint_end(theme, style, out);
}

/* An address that a terminal may be told: short, printable ASCII, of a kind that opens no program. */
static bool is_linkable(struct hv_str url)
{
    if (url.len > 2000 || !(hv_str_starts(url, HV_STR("https://")) || hv_str_starts(url, HV_STR("http://")) ||
                            hv_str_starts(url, HV_STR("mailto:"))))
        return false;
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] <= ' ' || url.ptr[i] >= 0x7f)
            return false;
    return true;
}

void paint_link_begin(const struct paint_theme *theme, struct hv_str url, struct hv_buf *out)
{
    if (theme->links && is_linkable(url))
        hv_buf_addf(out, "\033]8;;%.*s\033\\", HV_STR_ARG(url));
}

void paint_link_end(const struct paint_theme *theme, struct hv_str url, struct hv_buf *out)
{
    if (theme->links && is_linkable(url))
        hv_buf_add_cstr(out, "\033]8;;\033\\");
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

size_t paint_sequence(struct hv_str painted, size_t at)
{
    if (painted.ptr[at] != '\033' || at + 1 >= painted.len)
        return painted.ptr[at] == '\033';
    bool link = painted.ptr[at + 1] == ']';
    for (size_t i = at + 2; i < painted.len; i++)
        if (link ? painted.ptr[i] == '\\' && painted.ptr[i - 1] == '\033' : painted.ptr[i] == 'm')
            return i + 1 - at;
    return painted.len - at;
}

size_t paint_width(struct hv_str line)
{
    size_t cells = 0;
    unsigned width;
    for (size_t at = 0; at < line.len;) {
        size_t sequence = paint_sequence(line, at);
        if (sequence) {
            at += sequence;
            continue;
        }
        at += cluster_next(line, at, &width);
        cells += width;
    }
    return cells;
}

/* Where the first columns cells of the line from `from` on end. */
static size_t fit(struct hv_str line, size_t from, size_t columns, size_t *blank)
{
    size_t cells = 0, at = from;
    unsigned width;
    *blank = SIZE_MAX;
    while (at < line.len) {
        size_t sequence = paint_sequence(line, at);
        if (sequence) {
            at += sequence;
            continue;
        }
        size_t len = cluster_next(line, at, &width);
        if (cells + width > columns && cells > 0)
            break;
        if (line.ptr[at] == ' ')
            *blank = at;
        cells += width;
        at += len;
    }
    return at;
}

void paint_cut(struct hv_str line, size_t columns, struct hv_buf *out)
{
    size_t blank;
    if (paint_width(line) <= columns) {
        hv_buf_add_str(out, line);
        return;
    }
    size_t end = fit(line, 0, columns > 1 ? columns - 1 : 1, &blank);
    hv_buf_add_str(out, hv_str_slice(line, 0, end));
    if (memchr(line.ptr, '\033', end)) {
        /* Both are harmless where they were not open. */
        if (hv_str_find(hv_str_slice(line, 0, end), HV_STR("\033]8;"), 0) != SIZE_MAX)
            hv_buf_add_cstr(out, "\033]8;;\033\\");
        hv_buf_add_cstr(out, RESET);
    }
    if (columns > 1)
        hv_buf_add_cstr(out, "…");
}

size_t paint_wrap(struct hv_str line, size_t from, size_t columns, size_t *next)
{
    size_t blank, end = fit(line, from, columns ? columns : 1, &blank);
    *next = end;
    if (end >= line.len)
        return end;
    if (line.ptr[end] == ' ') {
        *next = end + 1;
        return end;
    }
    if (blank != SIZE_MAX && blank > from) {
        *next = blank + 1;
        return blank;
    }
    return end;
}
