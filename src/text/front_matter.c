/* front_matter.c: see front_matter.h. */
#include "text/front_matter.h"

#include "base/cleanup.h"
#include "base/utf8.h"

/* One walk over the lines between the fences. */
struct reader {
    struct hv_arena *arena;
    struct front_matter *out;
    struct hv_str rest; /* lines that were not taken yet */
    unsigned line;      /* number of the last one that was */
};

static void fail(struct reader *reader, const char *what)
{
    if (reader->out->fault)
        return;
    reader->out->fault = what;
    reader->out->fault_line = reader->line;
}

static struct hv_str without_return(struct hv_str line)
{
    return hv_str_ends(line, HV_STR("\r")) ? hv_str_slice(line, 0, line.len - 1) : line;
}

/* The end of a line: of its newline, or of the text. */
static size_t line_end(struct hv_str text, size_t at)
{
    size_t newline = hv_str_find_byte(text, '\n', at);
    return newline == SIZE_MAX ? text.len : newline + 1;
}

static struct hv_str line_at(struct hv_str text, size_t at, size_t end)
{
    bool newline = end > at && text.ptr[end - 1] == '\n';
    return without_return(hv_str_slice(text, at, end - newline));
}

static bool is_fence(struct hv_str line)
{
    return hv_str_starts(line, HV_STR("---")) && hv_str_trim(line).len == 3;
}

static bool take_line(struct reader *reader, struct hv_str *line)
{
    if (!reader->rest.len)
        return false;
    size_t end = line_end(reader->rest, 0);
    *line = line_at(reader->rest, 0, end);
    reader->rest = hv_str_slice(reader->rest, end, reader->rest.len);
    reader->line++;
    return true;
}

static bool peek_line(const struct reader *reader, struct hv_str *line)
{
    if (!reader->rest.len)
        return false;
    *line = line_at(reader->rest, 0, line_end(reader->rest, 0));
    return true;
}

static size_t indent_of(struct hv_str line)
{
    size_t count = 0;
    while (count < line.len && line.ptr[count] == ' ')
        count++;
    return count;
}

static bool is_blank(struct hv_str line)
{
    return hv_str_trim(line).len == 0;
}

/* "…" with its escapes, '…' with its doubled quotes; anything else as it is, without a comment behind it. */
static struct hv_str unquote(struct reader *reader, struct hv_str value)
{
    char quote = value.len ? value.ptr[0] : 0;
    if (quote != '"' && quote != '\'') {
        size_t comment = hv_str_find(value, HV_STR(" #"), 0);
        return hv_str_trim(hv_str_slice(value, 0, comment));
    }
    CLEANUP_BUF struct hv_buf out = {.max = FRONT_MATTER_MAX};
    for (size_t at = 1; at < value.len; at++) {
        char byte = value.ptr[at];
        bool again = at + 1 < value.len;
        if (byte == quote && quote == '\'' && again && value.ptr[at + 1] == quote) {
            at++;
        } else if (byte == quote) {
            struct hv_str behind = hv_str_trim(hv_str_slice(value, at + 1, value.len));
            if (behind.len && behind.ptr[0] != '#')
                return value; /* "a" and "b": no quoted value at all */
            return hv_arena_str(reader->arena, hv_buf_str(&out));
        } else if (byte == '\\' && quote == '"' && again) {
            byte = value.ptr[++at];
            byte = byte == 'n' ? '\n' : byte == 't' ? '\t' : byte;
        }
        hv_buf_add_byte(&out, byte);
    }
    fail(reader, "a quote is not closed");
    return value;
}

static void add_item(struct hv_buf *list, struct hv_str item)
{
    if (!item.len)
        return;
    hv_buf_add_cstr(list, list->len ? ", " : "");
    hv_buf_add_str(list, item);
}

/* "[a, 'b', c]": brackets and quotes inside an item keep its commas. */
static struct hv_str read_flow(struct reader *reader, struct hv_str value)
{
    CLEANUP_BUF struct hv_buf list = {.max = FRONT_MATTER_MAX};
    size_t start = 1, depth = 0;
    char quote = 0;
    for (size_t at = 1; at < value.len; at++) {
        char byte = value.ptr[at];
        if (quote) {
            quote = byte == quote ? 0 : quote;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (byte == '(' || byte == '[' || byte == '{') {
            depth++;
        } else if (depth && (byte == ')' || byte == ']' || byte == '}')) {
            depth--;
        } else if (!depth && (byte == ',' || byte == ']')) {
            add_item(&list, unquote(reader, hv_str_trim(hv_str_slice(value, start, at))));
            start = at + 1;
            if (byte == ']')
                return hv_arena_str(reader->arena, hv_buf_str(&list));
        }
    }
    fail(reader, "a list is not closed");
    return value;
}

/* Lines that stand deeper than the name: "|" keeps their ends, ">" folds them. */
static struct hv_str read_block(struct reader *reader, bool folds)
{
    CLEANUP_BUF struct hv_buf text = {.max = FRONT_MATTER_MAX};
    size_t indent = 0;
    struct hv_str line;
    while (peek_line(reader, &line) && (is_blank(line) || indent_of(line) > 0)) {
        take_line(reader, &line);
        if (!indent && !is_blank(line))
            indent = indent_of(line);
        size_t own = indent_of(line) < indent ? indent_of(line) : indent;
        if (text.len)
            hv_buf_add_byte(&text, folds && !is_blank(line) ? ' ' : '\n');
        hv_buf_add_str(&text, hv_str_slice(line, own, line.len));
    }
    return hv_arena_str(reader->arena, hv_str_trim(hv_buf_str(&text)));
}

/* Nothing behind the colon: items, the rest of a plain value, or deeper structure, which is passed over. */
static struct hv_str read_below(struct reader *reader)
{
    CLEANUP_BUF struct hv_buf list = {.max = FRONT_MATTER_MAX};
    struct hv_str line;
    while (peek_line(reader, &line)) {
        struct hv_str trimmed = hv_str_trim(line);
        bool item = hv_str_starts(trimmed, HV_STR("- ")) || hv_str_is(trimmed, "-");
        if (trimmed.len && !item && !indent_of(line))
            break;
        take_line(reader, &line);
        if (item)
            add_item(&list, unquote(reader, hv_str_trim(hv_str_slice(trimmed, 1, trimmed.len))));
    }
    return hv_arena_str(reader->arena, hv_buf_str(&list));
}

static bool is_name(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char byte = (unsigned char)name.ptr[i];
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (!letter && !(byte >= '0' && byte <= '9') && byte != '-' && byte != '_' && byte != '.')
            return false;
    }
    return name.len > 0;
}

/* A plain value goes on in lines that stand deeper. */
static struct hv_str read_plain(struct reader *reader, struct hv_str value)
{
    struct hv_str line;
    if (!peek_line(reader, &line) || is_blank(line) || !indent_of(line))
        return unquote(reader, value);
    CLEANUP_BUF struct hv_buf text = {.max = FRONT_MATTER_MAX};
    hv_buf_add_str(&text, value);
    while (peek_line(reader, &line) && !is_blank(line) && indent_of(line)) {
        take_line(reader, &line);
        hv_buf_add_byte(&text, ' ');
        hv_buf_add_str(&text, hv_str_trim(line));
    }
    return unquote(reader, hv_arena_str(reader->arena, hv_buf_str(&text)));
}

static struct hv_str read_value(struct reader *reader, struct hv_str value)
{
    if (!value.len || value.ptr[0] == '#')
        return read_below(reader);
    if (value.ptr[0] == '[')
        return read_flow(reader, value);
    if ((value.ptr[0] == '|' || value.ptr[0] == '>') && value.len <= 3)
        return read_block(reader, value.ptr[0] == '>');
    return read_plain(reader, value);
}

static void read_field(struct reader *reader, struct hv_str line)
{
    struct front_matter *out = reader->out;
    size_t colon = hv_str_find_byte(line, ':', 0);
    struct hv_str name = hv_str_trim(hv_str_slice(line, 0, colon));
    if (colon == SIZE_MAX || !is_name(name)) {
        fail(reader, "the line is no \"name: value\"");
        return;
    }
    struct hv_str value = read_value(reader, hv_str_trim(hv_str_slice(line, colon + 1, line.len)));
    if (out->count == FRONT_MATTER_FIELDS_MAX)
        fail(reader, "there are too many fields");
    else
        out->fields[out->count++] = (struct front_matter_field){.name = name, .value = value};
}

void front_matter_read(struct hv_arena *arena, struct hv_str text, struct front_matter *out)
{
    *out = (struct front_matter){.body = text};
    if (hv_str_starts(text, HV_STR("\xef\xbb\xbf")))
        text = hv_str_slice(text, 3, text.len);
    size_t first = line_end(text, 0), end = first;
    if (!is_fence(line_at(text, 0, first)))
        return;
    struct reader reader = {.arena = arena, .out = out, .line = 1};
    out->body = HV_STR("");
    while (end < text.len && end - first <= FRONT_MATTER_MAX) {
        size_t next = line_end(text, end);
        if (is_fence(line_at(text, end, next))) {
            reader.rest = hv_str_slice(text, first, end);
            out->body = hv_str_slice(text, next, text.len);
            break;
        }
        end = next;
    }
    struct hv_str line;
    if (!reader.rest.ptr)
        fail(&reader, "the second line \"---\" is missing");
    else if (!utf8_valid(reader.rest))
        fail(&reader, "it is no UTF-8");
    while (!out->fault && take_line(&reader, &line)) {
        struct hv_str trimmed = hv_str_trim(line);
        if (trimmed.len && trimmed.ptr[0] != '#')
            read_field(&reader, line);
    }
}

struct hv_str front_matter_get(const struct front_matter *matter, const char *name)
{
    for (size_t i = 0; i < matter->count; i++)
        if (hv_str_is(matter->fields[i].name, name))
            return matter->fields[i].value;
    return (struct hv_str){0};
}
