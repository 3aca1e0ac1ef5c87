/* pieces.c: see pieces.h. */
#include "html/pieces.h"

#include <string.h>

enum {
    PIECE = 4 << 10, /* the parser moves the rest of a piece again and again */
    TAG_MAX = 32 << 10,
    VALUE_MAX = 16 << 10, /* no address is longer; pictures inside of a page are */
    ATTRIBUTES_MAX = 300,
};

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* A tag begins at `at`, not only a sign. */
static bool begins_tag(struct hv_str html, size_t at)
{
    size_t name = at + 1 < html.len && html.ptr[at + 1] == '/' ? at + 2 : at + 1;
    return name < html.len && is_letter(html.ptr[name]);
}

/* A stretch of a tag from `at` on: a value with its '=' and quotes, or one byte. *value: the bytes between the quotes.
 */
static size_t stretch_end(struct hv_str html, size_t at, struct hv_str *value)
{
    *value = (struct hv_str){0};
    if (html.ptr[at] != '=')
        return at + 1;
    size_t quote = at + 1;
    while (quote < html.len && is_blank(html.ptr[quote]))
        quote++;
    if (quote == html.len || (html.ptr[quote] != '"' && html.ptr[quote] != '\''))
        return at + 1;
    size_t end = hv_str_find_byte(html, html.ptr[quote], quote + 1);
    if (end == SIZE_MAX) /* never closed */
        return at + 1;
    *value = hv_str_slice(html, quote + 1, end);
    return end + 1;
}

/* Behind the '>' of the tag that begins at `at`. *odd: no real tag has so much in it. */
static size_t tag_end(struct hv_str html, size_t at, bool *odd)
{
    size_t start = at, attributes = 0;
    struct hv_str value;
    while (at < html.len && html.ptr[at] != '>') {
        attributes += is_blank(html.ptr[at]) && !is_blank(html.ptr[at - 1]);
        at = stretch_end(html, at, &value);
        attributes += value.ptr != NULL;
    }
    at += at < html.len;
    *odd = at - start > TAG_MAX || attributes > 2 * ATTRIBUTES_MAX;
    return at;
}

/* The tag with no more than its first attributes, and without values that are too long. */
static struct hv_str shorten(struct hv_buf *cut, struct hv_str tag)
{
    size_t at = 0, attributes = 0;
    struct hv_str value;
    hv_buf_clear(cut);
    while (at < tag.len && tag.ptr[at] != '>' && cut->len < TAG_MAX && attributes < 2 * ATTRIBUTES_MAX) {
        size_t end = stretch_end(tag, at, &value);
        attributes += (at && is_blank(tag.ptr[at]) && !is_blank(tag.ptr[at - 1])) + (value.ptr != NULL);
        if (value.len > VALUE_MAX)
            hv_buf_add_cstr(cut, "=\"\"");
        else
            hv_buf_add_str(cut, hv_str_slice(tag, at, end));
        at = end;
    }
    while (cut->len && (unsigned char)cut->data[cut->len - 1] >= 0x80) /* perhaps a part of a character */
        cut->len--;
    hv_buf_add_byte(cut, '>');
    return hv_buf_str(cut);
}

/* The end tag that ends an element whose contents are no text; NULL: it is none of these. */
static const char *raw_of(struct hv_str tag)
{
    static const char *const ends[] = {"</script", "</style"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct hv_str name = hv_str_from(ends[i] + 2);
        bool same = hv_str_eq_nocase(hv_str_slice(tag, 1, 1 + name.len), name) && tag.len > name.len + 1;
        if (same && !is_letter(tag.ptr[1 + name.len]) && tag.ptr[1 + name.len] != '-' &&
            !hv_str_ends(tag, HV_STR("/>")))
            return ends[i];
    }
    return NULL;
}

static size_t find_nocase(struct hv_str html, struct hv_str word, size_t at)
{
    for (; (at = hv_str_find_byte(html, word.ptr[0], at)) != SIZE_MAX; at++)
        if (hv_str_eq_nocase(hv_str_slice(html, at, at + word.len), word))
            return at;
    return html.len;
}

static size_t comment_end(struct hv_str html, size_t at)
{
    size_t end = hv_str_find(html, HV_STR("-->"), at + 2);
    return end == SIZE_MAX ? html.len : end + 3;
}

bool pieces_next(struct pieces *pieces, struct hv_str *piece)
{
    struct hv_str html = pieces->html;
    if (pieces->raw)
        pieces->at = find_nocase(html, hv_str_from(pieces->raw), pieces->at);
    pieces->raw = NULL;
    size_t start = pieces->at, at = start;
    while (at < html.len && at - start < PIECE && !pieces->raw) {
        size_t tag = hv_str_find_byte(hv_str_slice(html, 0, start + PIECE), '<', at);
        bool odd = false;
        if (tag == SIZE_MAX) {
            at = start + PIECE < html.len ? start + PIECE : html.len;
            break;
        }
        if (hv_str_starts(hv_str_slice(html, tag, SIZE_MAX), HV_STR("<!--"))) {
            at = tag;
            if (tag > start)
                break;
            start = at = comment_end(html, tag);
            continue;
        }
        if (!begins_tag(html, tag)) {
            at = tag + 1;
            continue;
        }
        size_t end = tag_end(html, tag + 1, &odd);
        if (odd && tag > start) {
            at = tag;
            break;
        }
        at = end;
        pieces->raw = raw_of(hv_str_slice(html, tag, end));
        if (odd) {
            pieces->at = at;
            *piece = shorten(&pieces->cut, hv_str_slice(html, tag, end));
            return true;
        }
    }
    pieces->at = at;
    *piece = hv_str_slice(html, start, at);
    return at > start;
}
