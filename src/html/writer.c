/* writer.c: see writer.h. */
#include "html/writer.h"

#include <string.h>

void writer_init(struct writer *writer, struct hv_buf *out)
{
    *writer = (struct writer){.to = {.out = out, .fresh = true}};
}

void writer_redirect(struct writer *writer, struct hv_buf *out, struct writer_target *saved)
{
    *saved = writer->to;
    writer->to = (struct writer_target){
        .out = out, .fresh = true, .first_prefix = writer->prefix_count, .first_mark = writer->mark_count};
}

void writer_restore(struct writer *writer, const struct writer_target *saved)
{
    writer->to = *saved;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void put_prefixes(struct writer *writer)
{
    for (size_t i = writer->to.first_prefix; i < writer->prefix_count; i++) {
        struct writer_prefix *prefix = &writer->prefixes[i];
        hv_buf_add_cstr(writer->to.out, prefix->used ? prefix->next : prefix->first);
        prefix->used = true;
    }
}

/* A line without text: only what quotations need. */
static void put_blank_line(struct writer *writer)
{
    struct hv_buf *out = writer->to.out;
    size_t start = out->len;
    for (size_t i = writer->to.first_prefix; i < writer->prefix_count; i++)
        if (writer->prefixes[i].used)
            hv_buf_add_cstr(out, writer->prefixes[i].next);
    while (out->len > start && out->data[out->len - 1] == ' ')
        out->len--;
    hv_buf_add_byte(out, '\n');
}

/* Text follows: end the line before it, or put the blank that is due. */
static void begin_text(struct writer *writer)
{
    struct writer_target *to = &writer->to;
    if (!to->fresh) {
        if (to->space)
            hv_buf_add_byte(to->out, ' ');
        to->space = false;
        return;
    }
    if (to->started) {
        if (to->hard && to->pending == 1)
            hv_buf_add_cstr(to->out, "  ");
        hv_buf_add_byte(to->out, '\n');
        if (to->pending > 1)
            put_blank_line(writer);
    }
    put_prefixes(writer);
    to->fresh = to->space = to->hard = false;
    to->started = true;
    to->pending = 0;
}

static void close_marks(struct writer *writer)
{
    for (size_t i = writer->mark_count; i-- > writer->to.first_mark;) {
        if (writer->marks[i].written)
            hv_buf_add_str(writer->to.out, writer->marks[i].close);
        writer->marks[i].written = false;
    }
}

static void open_marks(struct writer *writer)
{
    for (size_t i = writer->to.first_mark; i < writer->mark_count; i++) {
        struct writer_mark *mark = &writer->marks[i];
        if (mark->written)
            continue;
        hv_buf_add_cstr(writer->to.out, mark->open);
        mark->written = true;
        mark->at = writer->to.out->len;
    }
}

void writer_block(struct writer *writer, unsigned lines)
{
    struct writer_target *to = &writer->to;
    if (writer->one_line) {
        to->space = !to->fresh;
        return;
    }
    close_marks(writer);
    to->fresh = true;
    to->hard = false;
    to->pending = lines > to->pending ? lines : to->pending;
}

void writer_break(struct writer *writer)
{
    if (writer->to.fresh || writer->one_line) {
        writer_block(writer, 2);
        return;
    }
    writer->to.fresh = writer->to.hard = true;
    writer->to.pending = 1;
}

void writer_push_prefix(struct writer *writer, const char *first, const char *next)
{
    if (writer->prefix_depth++ != writer->prefix_count || writer->prefix_count == WRITER_PREFIXES_MAX)
        return;
    struct writer_prefix *prefix = &writer->prefixes[writer->prefix_count++];
    snprintf(prefix->first, sizeof prefix->first, "%s", first);
    snprintf(prefix->next, sizeof prefix->next, "%s", next);
    prefix->used = false;
}

bool writer_pop_prefix(struct writer *writer)
{
    if (--writer->prefix_depth >= writer->prefix_count)
        return false;
    return !writer->prefixes[--writer->prefix_count].used;
}

void writer_push_mark(struct writer *writer, const char *open, struct hv_str close)
{
    if (writer->mark_depth++ != writer->mark_count || writer->mark_count == WRITER_MARKS_MAX)
        return;
    struct writer_mark *mark = &writer->marks[writer->mark_count++];
    *mark = (struct writer_mark){.close = close};
    snprintf(mark->open, sizeof mark->open, "%s", open);
}

size_t writer_pop_mark(struct writer *writer)
{
    if (--writer->mark_depth >= writer->mark_count)
        return SIZE_MAX;
    const struct writer_mark *mark = &writer->marks[--writer->mark_count];
    if (!mark->written)
        return SIZE_MAX;
    hv_buf_add_str(writer->to.out, mark->close);
    return mark->at;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { PLAIN = 0, BLANK, SPECIAL };

static const unsigned char classes[256] = {
    ['\t'] = BLANK,  ['\n'] = BLANK,  ['\f'] = BLANK,   ['\r'] = BLANK,   [' '] = BLANK,
    ['*'] = SPECIAL, ['_'] = SPECIAL, ['`'] = SPECIAL,  ['\\'] = SPECIAL, ['['] = SPECIAL,
    [']'] = SPECIAL, ['<'] = SPECIAL, [0xc2] = SPECIAL, /* perhaps a no-break space */
};

static bool is_word_byte(unsigned char c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A special byte that would mean something to Markdown where it stands. */
static bool needs_escape(const struct writer *writer, struct hv_str text, size_t at)
{
    const struct hv_buf *out = writer->to.out;
    unsigned char c = (unsigned char)text.ptr[at];
    unsigned char before = out->len ? (unsigned char)out->data[out->len - 1] : ' ';
    unsigned char after = at + 1 < text.len ? (unsigned char)text.ptr[at + 1] : ' ';
    switch (c) {
    case '*': return before > ' ' || after > ' ';
    case '_': return is_word_byte(before) != is_word_byte(after);
    case '\\': return strchr("*_`[]<>#\\", after) != NULL;
    case '<': return (after | 0x20) >= 'a' ? (after | 0x20) <= 'z' : strchr("/!?", after) != NULL;
    case '[':
    case ']': return writer->mark_count > writer->to.first_mark; /* only where links are open does it matter */
    default: return true;
    }
}

/* What would begin a heading, a quotation or a list at the beginning of a line. Returns how many bytes stand before the
 * one that is to be escaped, SIZE_MAX: none is. */
static size_t line_escape(struct hv_str text)
{
    size_t digits = 0;
    char c = text.len ? text.ptr[0] : ' ', next = text.len > 1 ? text.ptr[1] : ' ';
    if ((c == '#' && (next == '#' || next == ' ')) || c == '>')
        return 0;
    if ((c == '-' || c == '+' || c == '=') && (next == ' ' || next == c))
        return 0;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    bool numbered = digits && digits < 10 && digits < text.len &&
                    (text.ptr[digits] == '.' || text.ptr[digits] == ')') &&
                    (digits + 1 == text.len || classes[(unsigned char)text.ptr[digits + 1]] == BLANK);
    return numbered ? digits : SIZE_MAX;
}

static void add_power(struct writer *writer, char first)
{
    const struct hv_buf *out = writer->to.out;
    bool number = (first >= '0' && first <= '9') || first == '-' || first == '+';
    if (number && !writer->to.fresh && !writer->to.space && out->len &&
        is_word_byte((unsigned char)out->data[out->len - 1]))
        hv_buf_add_byte(writer->to.out, '^');
    writer->power = false;
}

/* One stretch without blanks, from `at` on; returns its end. */
static size_t add_word(struct writer *writer, struct hv_str text, size_t at)
{
    struct hv_buf *out = writer->to.out;
    bool fresh = writer->to.fresh;
    if (writer->power)
        add_power(writer, text.ptr[at]);
    begin_text(writer);
    size_t marks = out->len;
    open_marks(writer);
    if (fresh && !writer->one_line && out->len == marks) {
        size_t before = line_escape(hv_str_slice(text, at, SIZE_MAX));
        if (before != SIZE_MAX) {
            hv_buf_add(out, text.ptr + at, before);
            hv_buf_add_byte(out, '\\');
            hv_buf_add_byte(out, text.ptr[at + before]);
            at += before + 1;
        }
    }
    while (at < text.len && classes[(unsigned char)text.ptr[at]] != BLANK) {
        size_t end = at;
        while (end < text.len && classes[(unsigned char)text.ptr[end]] == PLAIN)
            end++;
        hv_buf_add(out, text.ptr + at, end - at);
        at = end;
        if (at == text.len || classes[(unsigned char)text.ptr[at]] != SPECIAL)
            break;
        if (text.ptr[at] == (char)0xc2) {
            if (at + 1 < text.len && text.ptr[at + 1] == (char)0xa0)
                break;
        } else if (needs_escape(writer, text, at)) {
            hv_buf_add_byte(out, '\\');
        }
        hv_buf_add_byte(out, text.ptr[at++]);
    }
    return at;
}

void writer_text(struct writer *writer, struct hv_str text)
{
    for (size_t at = 0; at < text.len;) {
        unsigned char c = (unsigned char)text.ptr[at];
        bool wide = c == 0xc2 && at + 1 < text.len && text.ptr[at + 1] == (char)0xa0;
        if (classes[c] == BLANK || wide) {
            writer->to.space = !writer->to.fresh;
            at += wide ? 2 : 1;
            continue;
        }
        at = add_word(writer, text, at);
    }
}

void writer_raw(struct writer *writer, struct hv_str text)
{
    if (!text.len)
        return;
    begin_text(writer);
    open_marks(writer);
    hv_buf_add_str(writer->to.out, text);
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static size_t longest_run(struct hv_str text, char byte)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == byte ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_fence(struct hv_buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hv_buf_add_byte(out, '`');
}

void writer_code(struct writer *writer, struct hv_str text)
{
    struct hv_buf *out = writer->to.out;
    bool leading = text.len && classes[(unsigned char)text.ptr[0]] == BLANK;
    bool trailing = text.len && classes[(unsigned char)text.ptr[text.len - 1]] == BLANK, blank = false;
    text = hv_str_trim(text);
    if (leading)
        writer->to.space = !writer->to.fresh;
    if (!text.len)
        return;
    begin_text(writer);
    open_marks(writer);
    size_t fence = longest_run(text, '`') + 1;
    bool padded = text.ptr[0] == '`' || text.ptr[text.len - 1] == '`';
    put_fence(out, fence);
    hv_buf_add_cstr(out, padded ? " " : "");
    for (size_t i = 0; i < text.len; i++) {
        bool now = classes[(unsigned char)text.ptr[i]] == BLANK;
        if (!now)
            hv_buf_add_byte(out, text.ptr[i]);
        else if (!blank)
            hv_buf_add_byte(out, ' ');
        blank = now;
    }
    hv_buf_add_cstr(out, padded ? " " : "");
    put_fence(out, fence);
    writer->to.space = trailing;
}

static void put_line(struct writer *writer, struct hv_str line)
{
    struct writer_target *to = &writer->to;
    if (to->fresh) {
        begin_text(writer);
    } else if (line.len) {
        hv_buf_add_byte(to->out, '\n');
        put_prefixes(writer);
    } else {
        hv_buf_add_byte(to->out, '\n');
        put_blank_line(writer);
        to->out->len--; /* its end: the next line brings one */
    }
    hv_buf_add_str(to->out, line);
}

void writer_lines(struct writer *writer, struct hv_str text)
{
    struct hv_str line;
    writer_block(writer, 2);
    while (hv_str_split(&text, '\n', &line))
        put_line(writer, line);
    writer_block(writer, 2);
}

void writer_fence(struct writer *writer, struct hv_str language, struct hv_str text)
{
    struct hv_buf *out = writer->to.out;
    struct hv_str line;
    if (text.len && text.ptr[0] == '\n')
        text = hv_str_slice(text, 1, SIZE_MAX);
    while (text.len && classes[(unsigned char)text.ptr[text.len - 1]] == BLANK)
        text.len--;
    if (!text.len)
        return;
    size_t fence = longest_run(text, '`') + 1;
    fence = fence < 3 ? 3 : fence;
    writer_block(writer, 2);
    begin_text(writer);
    put_fence(out, fence);
    hv_buf_add_str(out, language);
    while (hv_str_split(&text, '\n', &line)) {
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        put_line(writer, line);
    }
    hv_buf_add_byte(out, '\n');
    put_prefixes(writer);
    put_fence(out, fence);
    writer_block(writer, 2);
}
