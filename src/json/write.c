/*
 * write.c: the JSON writer (helve/json.h). Text is escaped in blocks: room for the worst case of a block is reserved
 * once, then plain bytes are moved many at a time without further checks. Likewise for a short value with its name.
 */
#include "base/utf8.h"
#include "json/number.h"
#include "json/scan.h"

#include <assert.h>
#include <helve/json.h>
#include <math.h>

/* Source bytes per block; the longest escape has six bytes; a block may end within a character of four. */
enum { BLOCK = 512, ESCAPE_MAX = 6, BLOCK_ROOM = (BLOCK + 4) * ESCAPE_MAX + SCAN_STEP };

/* ---- room ---------------------------------------------------------------------------------------------- */

/* Where the next bytes go when size of them are sure to fit; else NULL, and nothing has happened. */
static inline char *sure_room(struct hv_buf *buf, size_t size)
{
    if (buf->failed || buf->max - buf->len < size)
        return NULL;
    return buf->capacity - buf->len > size ? buf->data + buf->len : hv_buf_reserve(buf, size);
}

/* The bytes up to end belong to the buffer now. */
static inline void commit(struct hv_buf *buf, char *end)
{
    buf->len = (size_t)(end - buf->data);
    *end = '\0';
}

static inline void add_byte(struct hv_buf *buf, char byte)
{
    char *out = sure_room(buf, 1);
    if (!out) {
        hv_buf_add_byte(buf, byte);
        return;
    }
    *out = byte;
    commit(buf, out + 1);
}

/* ---- escaping ------------------------------------------------------------------------------------------ */

static inline char *put_escape(char *out, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    char letter = byte < ' ' ? letters[byte] : (char)byte;
    *out++ = '\\';
    if (letter) {
        *out++ = letter;
        return out;
    }
    memcpy(out, "u00", 3);
    out[3] = hex[byte >> 4];
    out[4] = hex[byte & 15];
    return out + 5;
}

/* Write what stands at *at, which is not plain, and move *at behind it. */
static inline char *put_special(char *out, const char **at, const char *stop, const char *end)
{
    const char *start = *at;
    if ((unsigned char)*start < 0x80) {
        ++*at;
        return put_escape(out, (unsigned char)*start);
    }
    *at = scan_copy_wide_run(&out, start, stop, end);
    if (*at > start)
        return out;
    uint32_t code_point;
    *at += utf8_decode(hv_str_of(start, (size_t)(end - start)), 0, &code_point);
    return out + utf8_encode(out, 0xfffd);
}

/* Escape from at up to stop (a little beyond, to end a character) into out; returns where the source was left. */
static const char *escape_block(char **out, const char *at, const char *stop, const char *end)
{
    char *to = *out;
    while ((at = scan_copy_plain(&to, at, stop)) < stop)
        to = put_special(to, &at, stop, end);
    *out = to;
    return at;
}

void hv_json_escape(struct hv_buf *buf, struct hv_str text)
{
    const char *at = text.ptr, *end = text.len ? text.ptr + text.len : at;
    while (at < end && !buf->failed) {
        const char *stop = end - at > BLOCK ? at + BLOCK : end;
        size_t worst = (size_t)(stop - at + 4) * ESCAPE_MAX + SCAN_STEP;
        if (buf->max - buf->len < worst) { /* the worst case does not fit, the actual one may */
            char block[BLOCK_ROOM], *block_end = block;
            at = escape_block(&block_end, at, stop, end);
            hv_buf_add(buf, block, (size_t)(block_end - block));
            continue;
        }
        char *room = hv_buf_reserve(buf, worst), *room_end = room;
        if (!room)
            return;
        at = escape_block(&room_end, at, stop, end);
        hv_buf_commit(buf, (size_t)(room_end - room));
    }
}

/* The most that strings of so many bytes in all, at most two of them, can come to with quotes. */
static inline size_t quoted_worst(size_t bytes)
{
    return (bytes + 8) * ESCAPE_MAX + 2 * SCAN_STEP;
}

/* Write a string where there is room for the worst. */
static inline char *quote(char *out, struct hv_str text)
{
    *out++ = '"';
    if (text.len)
        (void)escape_block(&out, text.ptr, text.ptr + text.len, text.ptr + text.len);
    *out++ = '"';
    return out;
}

static void put_quoted(struct hv_buf *buf, struct hv_str text)
{
    char *out = text.len <= BLOCK ? sure_room(buf, quoted_worst(text.len)) : NULL;
    if (out) {
        commit(buf, quote(out, text));
        return;
    }
    add_byte(buf, '"');
    hv_json_escape(buf, text);
    add_byte(buf, '"');
}

/* ---- structure ----------------------------------------------------------------------------------------- */

void hv_json_writer_init(struct hv_json_writer *writer, struct hv_buf *buf)
{
    *writer = (struct hv_json_writer){.buf = buf};
}

/* Whether the innermost open level is an object; not known once it was nested deeper than 64. For asserts. */
__attribute__((unused)) static bool in_object(const struct hv_json_writer *writer)
{
    return writer->depth && writer->objects & 1;
}

/* What every value starts with: the comma after a sibling. */
static void start_value(struct hv_json_writer *writer)
{
    assert(writer->in_member || !in_object(writer)); /* a value in an object needs a name */
    if (writer->need_comma && !writer->in_member)
        add_byte(writer->buf, ',');
    writer->need_comma = true;
    writer->in_member = false;
}

static void begin(struct hv_json_writer *writer, char bracket, unsigned object)
{
    start_value(writer);
    add_byte(writer->buf, bracket);
    writer->objects = writer->objects << 1 | object;
    writer->deep |= ++writer->depth > 64;
    writer->need_comma = false;
}

static void end(struct hv_json_writer *writer, char bracket)
{
    assert(writer->depth > 0 && !writer->in_member); /* something is open, and no name waits for its value */
    add_byte(writer->buf, bracket);
    writer->objects >>= 1;
    writer->depth--;
    writer->need_comma = true;
}

void hv_json_begin_object(struct hv_json_writer *writer)
{
    begin(writer, '{', 1);
}
void hv_json_end_object(struct hv_json_writer *writer)
{
    end(writer, '}');
}
void hv_json_begin_array(struct hv_json_writer *writer)
{
    begin(writer, '[', 0);
}
void hv_json_end_array(struct hv_json_writer *writer)
{
    end(writer, ']');
}

void hv_json_name_str(struct hv_json_writer *writer, struct hv_str name)
{
    assert(!writer->in_member && (in_object(writer) || writer->deep));
    char *out = name.len <= BLOCK ? sure_room(writer->buf, quoted_worst(name.len)) : NULL;
    writer->in_member = true;
    if (out) { /* all of it at once */
        if (writer->need_comma)
            *out++ = ',';
        out = quote(out, name);
        *out++ = ':';
        commit(writer->buf, out);
        return;
    }
    if (writer->need_comma)
        add_byte(writer->buf, ',');
    put_quoted(writer->buf, name);
    add_byte(writer->buf, ':');
}

void hv_json_name(struct hv_json_writer *writer, const char *name)
{
    hv_json_name_str(writer, hv_str_from(name));
}

/* ---- values -------------------------------------------------------------------------------------------- */

void hv_json_put_raw(struct hv_json_writer *writer, struct hv_str json)
{
    start_value(writer);
    hv_buf_add_str(writer->buf, json);
}

void hv_json_put_null(struct hv_json_writer *writer)
{
    hv_json_put_raw(writer, HV_STR("null"));
}

void hv_json_put_bool(struct hv_json_writer *writer, bool value)
{
    hv_json_put_raw(writer, value ? HV_STR("true") : HV_STR("false"));
}

void hv_json_put_string(struct hv_json_writer *writer, struct hv_str text)
{
    if (!text.ptr) {
        hv_json_put_null(writer);
        return;
    }
    start_value(writer);
    put_quoted(writer->buf, text);
}

void hv_json_put_cstr(struct hv_json_writer *writer, const char *text)
{
    hv_json_put_string(writer, hv_str_from(text));
}

void hv_json_put_int(struct hv_json_writer *writer, int64_t value)
{
    char text[24], *at = text + sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    hv_json_put_raw(writer, hv_str_of(at, (size_t)(text + sizeof text - at)));
}

void hv_json_put_double(struct hv_json_writer *writer, double value)
{
    char text[NUMBER_TEXT_MAX];
    if (!isfinite(value)) {
        hv_json_put_null(writer);
        return;
    }
    size_t length = number_format(text, value);
    hv_json_put_raw(writer, hv_str_of(text, length));
}

/* ---- parsed values ------------------------------------------------------------------------------------- */

/* What stands for a value that is neither string nor number: all of it, or how it begins. */
static inline struct hv_str word_of(const struct hv_json *value)
{
    switch (value->type) {
    case HV_JSON_FALSE: return HV_STR("false");
    case HV_JSON_TRUE: return HV_STR("true");
    case HV_JSON_ARRAY: return HV_STR("[");
    case HV_JSON_OBJECT: return HV_STR("{");
    case HV_JSON_NUMBER: return value->text;
    default: return HV_STR("null");
    }
}

/* All of a value that stands before its first child, with its name, when it is short and sure to fit. */
static bool put_short(struct hv_buf *buf, const struct hv_json *value, struct hv_str key)
{
    size_t bytes = key.len + value->text.len;
    char *out = bytes <= BLOCK ? sure_room(buf, quoted_worst(bytes)) : NULL;
    if (!out)
        return false;
    if (key.ptr) {
        out = quote(out, key);
        *out++ = ':';
    }
    if (value->type == HV_JSON_STRING) {
        out = quote(out, value->text);
    } else {
        struct hv_str word = word_of(value);
        memcpy(out, word.ptr, word.len);
        out += word.len;
    }
    commit(buf, out);
    return true;
}

static void put_shallow(struct hv_buf *buf, const struct hv_json *value, struct hv_str key)
{
    if (put_short(buf, value, key))
        return;
    if (key.ptr) {
        put_quoted(buf, key);
        add_byte(buf, ':');
    }
    if (value->type == HV_JSON_STRING)
        put_quoted(buf, value->text);
    else
        hv_buf_add_str(buf, word_of(value));
}

void hv_json_put_value(struct hv_json_writer *writer, const struct hv_json *value)
{
    const struct hv_json *open[HV_JSON_DEPTH_MAX];
    size_t depth = 0;
    struct hv_buf *buf = writer->buf;
    if (!value) {
        hv_json_put_null(writer);
        return;
    }
    start_value(writer);
    for (const struct hv_json *at = value;;) {
        put_shallow(buf, at, depth ? at->key : (struct hv_str){0});
        if (at->type >= HV_JSON_ARRAY) {
            if (at->first) {
                assert(depth < HV_JSON_DEPTH_MAX); /* the reader makes no deeper trees */
                open[depth++] = at;
                at = at->first;
                continue;
            }
            add_byte(buf, at->type == HV_JSON_ARRAY ? ']' : '}');
        }
        while (depth && !at->next) {
            at = open[--depth];
            add_byte(buf, at->type == HV_JSON_ARRAY ? ']' : '}');
        }
        if (!depth)
            return;
        add_byte(buf, ',');
        at = at->next;
    }
}

/* ---- name and value ------------------------------------------------------------------------------------ */

void hv_json_member_string(struct hv_json_writer *writer, const char *name, struct hv_str text)
{
    hv_json_name(writer, name);
    hv_json_put_string(writer, text);
}

void hv_json_member_cstr(struct hv_json_writer *writer, const char *name, const char *text)
{
    hv_json_name(writer, name);
    hv_json_put_cstr(writer, text);
}

void hv_json_member_int(struct hv_json_writer *writer, const char *name, int64_t value)
{
    hv_json_name(writer, name);
    hv_json_put_int(writer, value);
}

void hv_json_member_double(struct hv_json_writer *writer, const char *name, double value)
{
    hv_json_name(writer, name);
    hv_json_put_double(writer, value);
}

void hv_json_member_bool(struct hv_json_writer *writer, const char *name, bool value)
{
    hv_json_name(writer, name);
    hv_json_put_bool(writer, value);
}

void hv_json_member_raw(struct hv_json_writer *writer, const char *name, struct hv_str json)
{
    hv_json_name(writer, name);
    hv_json_put_raw(writer, json);
}
