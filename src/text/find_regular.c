/* find_regular.c: see find_regular.h. A recursive reader; whatever it is not sure about ends it. */
#include "text/find_regular.h"

#include "base/utf8.h"

#include <string.h>

enum { DEPTH_MAX = 24, NUMBER_MAX = 100000 };

struct reader {
    struct hv_str pattern;
    size_t at;
    unsigned depth;
    bool ignore_case, failed;
    struct find_regular *out;
};

static unsigned read_choices(struct reader *reader);

static unsigned fail(struct reader *reader)
{
    reader->failed = true;
    return REGULAR_NO_NODE;
}

static bool at_end(const struct reader *reader)
{
    return reader->at >= reader->pattern.len;
}

static char peek(const struct reader *reader)
{
    return at_end(reader) ? 0 : reader->pattern.ptr[reader->at];
}

static bool take(struct reader *reader, char byte)
{
    if (at_end(reader) || reader->pattern.ptr[reader->at] != byte)
        return false;
    reader->at++;
    return true;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static unsigned add_node(struct reader *reader, enum regular_kind kind)
{
    struct find_regular *out = reader->out;
    if (out->count == REGULAR_NODES_MAX)
        return fail(reader);
    out->nodes[out->count] = (struct regular_node){.kind = kind};
    return out->count++;
}

static unsigned add_class(struct reader *reader, const struct find_class *class)
{
    struct find_regular *out = reader->out;
    unsigned number = 0;
    while (number < out->class_count && memcmp(&out->classes[number], class, sizeof *class) != 0)
        number++;
    if (number == REGULAR_CLASSES_MAX)
        return fail(reader);
    out->classes[number] = *class;
    if (number == out->class_count)
        out->class_count++;
    unsigned node = add_node(reader, REGULAR_CLASS);
    out->nodes[node].class = number;
    return node;
}

static unsigned add_character(struct reader *reader, unsigned char byte)
{
    struct find_class class = {0};
    unsigned char lower = byte | 0x20;
    class.bits[byte >> 6] |= UINT64_C(1) << (byte & 63);
    if (reader->ignore_case && lower >= 'a' && lower <= 'z')
        class.bits[1] |= UINT64_C(1) << (lower & 63) | UINT64_C(1) << ((lower ^ 0x20) & 63);
    return add_class(reader, &class);
}

/* The class whose text begins at `from` and ends where the reader is. */
static unsigned add_asked(struct reader *reader, size_t from)
{
    struct find_class class = {0};
    struct hv_str text = hv_str_slice(reader->pattern, from, reader->at);
    return find_pattern_ask_class(text, reader->ignore_case, &class) ? add_class(reader, &class) : fail(reader);
}

/* ---- atoms ----------------------------------------------------------------------------------------------- */

static unsigned read_bracket(struct reader *reader)
{
    size_t from = reader->at, end = find_pattern_bracket_end(reader->pattern, from);
    if (end == SIZE_MAX)
        return fail(reader);
    struct hv_str text = hv_str_slice(reader->pattern, from, end);
    reader->at = end;
    if (hv_str_is(text, "[[:<:]]") || hv_str_is(text, "[[:>:]]"))
        return fail(reader);
    return add_asked(reader, from);
}

static unsigned read_escape(struct reader *reader)
{
    size_t from = reader->at++;
    char byte = peek(reader);
    if (at_end(reader) || (byte & 0x80))
        return fail(reader);
    reader->at++;
    if (byte == 'b' || byte == 'B')
        return add_node(reader, byte == 'b' ? REGULAR_WORD_EDGE : REGULAR_NO_WORD_EDGE);
    if (strchr("dDwWsShHvVtrfea", byte))
        return add_asked(reader, from);
    if (byte == 'p' || byte == 'P') {
        size_t close = peek(reader) == '{' ? hv_str_find_byte(reader->pattern, '}', reader->at) : reader->at;
        if (close == SIZE_MAX || close >= reader->pattern.len)
            return fail(reader);
        reader->at = close + 1;
        return add_asked(reader, from);
    }
    bool alphanumeric = is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
    return alphanumeric ? fail(reader) : add_character(reader, (unsigned char)byte);
}

static bool skip_name(struct reader *reader)
{
    size_t close = hv_str_find_byte(reader->pattern, '>', reader->at);
    reader->at = close == SIZE_MAX ? reader->pattern.len : close + 1;
    return close != SIZE_MAX;
}

/* After "(": is it a group and nothing more? */
static bool begins_group(struct reader *reader)
{
    if (peek(reader) == '*')
        return false;
    if (!take(reader, '?') || take(reader, ':'))
        return true;
    (void)take(reader, 'P');
    return take(reader, '<') && !strchr("=!*", peek(reader)) && skip_name(reader);
}

static unsigned read_group(struct reader *reader)
{
    reader->at++;
    if (reader->depth == DEPTH_MAX || !begins_group(reader))
        return fail(reader);
    reader->depth++;
    unsigned node = read_choices(reader);
    reader->depth--;
    return take(reader, ')') ? node : fail(reader);
}

static unsigned read_atom(struct reader *reader)
{
    char byte = peek(reader);
    uint32_t ignored;
    switch (byte) {
    case '\\': return read_escape(reader);
    case '[': return read_bracket(reader);
    case '(': return read_group(reader);
    case '.': reader->at++; return add_asked(reader, reader->at - 1);
    case '^': reader->at++; return add_node(reader, REGULAR_LINE_BEGIN);
    case '$': reader->at++; return add_node(reader, REGULAR_LINE_END);
    case '*':
    case '+':
    case '?': return fail(reader);
    }
    size_t from = reader->at;
    reader->at += utf8_decode(reader->pattern, from, &ignored);
    if (byte & 0x80) /* ignoring case, it may take one of ASCII */
        return add_asked(reader, from);
    return add_character(reader, (unsigned char)byte);
}

/* ---- repetitions ----------------------------------------------------------------------------------------- */

static unsigned read_number(struct reader *reader)
{
    unsigned value = 0;
    while (is_digit(peek(reader)) && value < NUMBER_MAX)
        value = value * 10 + (unsigned)(reader->pattern.ptr[reader->at++] - '0');
    return value;
}

/* After "{": "n}", "n,}" or "n,m}"; anything else may mean one thing or another. */
static bool read_bounds(struct reader *reader, unsigned *min, unsigned *max)
{
    if (!is_digit(peek(reader)))
        return false;
    *max = *min = read_number(reader);
    bool open = take(reader, ',');
    if (open)
        *max = is_digit(peek(reader)) ? read_number(reader) : 0;
    /* Zero times at most would read as without end. */
    return take(reader, '}') && *min <= REGULAR_REPEAT_MAX && *max <= REGULAR_REPEAT_MAX &&
           (*max || (open && reader->pattern.ptr[reader->at - 2] == ','));
}

/* A quantifier, if one follows; false: none. */
static bool read_quantifier(struct reader *reader, unsigned *min, unsigned *max)
{
    char byte = peek(reader), after = reader->at + 1 < reader->pattern.len ? reader->pattern.ptr[reader->at + 1] : 0;
    *min = byte == '+';
    *max = byte == '?';
    if (!byte || !strchr("*+?{", byte))
        return false;
    if (byte == '{' && !is_digit(after) && after != ',' && after != ' ')
        return false; /* a character as others */
    reader->at++;
    if (byte == '{' && !read_bounds(reader, min, max))
        return fail(reader);
    if (!take(reader, '?') && peek(reader) == '+')
        return fail(reader);
    return true;
}

static unsigned read_repeated(struct reader *reader)
{
    unsigned node = read_atom(reader), min, max;
    while (!reader->failed && read_quantifier(reader, &min, &max)) {
        if (reader->out->nodes[node].kind >= REGULAR_LINE_BEGIN)
            return fail(reader);
        unsigned outer = add_node(reader, REGULAR_REPEAT);
        reader->out->nodes[outer].child = node;
        reader->out->nodes[outer].min = min;
        reader->out->nodes[outer].max = max;
        node = outer;
    }
    return node;
}

/* A node with one child more each time; a list of one is that one. */
static unsigned append(struct reader *reader, enum regular_kind kind, unsigned list, unsigned *last, unsigned node)
{
    struct regular_node *nodes = reader->out->nodes;
    if (!list) {
        *last = 0;
        return node;
    }
    if (!*last) {
        unsigned outer = add_node(reader, kind);
        nodes[outer].child = list;
        *last = list;
        list = outer;
    }
    nodes[*last].next = node;
    *last = node;
    return list;
}

static unsigned read_branch(struct reader *reader)
{
    unsigned list = 0, last = 0;
    while (!reader->failed && !at_end(reader) && peek(reader) != '|' && peek(reader) != ')')
        list = append(reader, REGULAR_JOIN, list, &last, read_repeated(reader));
    return list ? list : add_node(reader, REGULAR_EMPTY);
}

static unsigned read_choices(struct reader *reader)
{
    unsigned last = 0, list = append(reader, REGULAR_CHOICE, 0, &last, read_branch(reader));
    while (!reader->failed && take(reader, '|'))
        list = append(reader, REGULAR_CHOICE, list, &last, read_branch(reader));
    return list;
}

bool find_regular_read(struct hv_str pattern, bool ignore_case, struct find_regular *out)
{
    struct reader reader = {.pattern = pattern, .ignore_case = ignore_case, .out = out};
    *out = (struct find_regular){.count = 1};
    out->root = read_choices(&reader);
    return !reader.failed && at_end(&reader);
}
