/* lexer.c: what stands between the words of a script: blanks, newlines, comments, reserved words. */
#include "shell/read.h"

bool read_stop(struct reader *reader, const char *reason)
{
    if (!reader->reason) {
        reader->reason = reason;
        size_t at = reader->source.at < reader->source.text.len ? reader->source.at : reader->source.text.len;
        reader->place = reader->source.offset + (reader->source.copied ? 0 : at);
    }
    return false;
}

bool read_enter(struct reader *reader)
{
    if (reader->depth >= READ_DEPTH_MAX)
        return read_stop(reader, "too deeply nested");
    reader->depth++;
    return true;
}

bool read_ends_word(int byte)
{
    switch (byte) {
    case -1:
    case ' ':
    case '\t':
    case '\n':
    case ';':
    case '&':
    case '|':
    case '(':
    case ')':
    case '<':
    case '>': return true;
    default: return false;
    }
}

static void skip_comment(struct reader *reader)
{
    struct source *source = &reader->source;
    const char *end = memchr(source->text.ptr + source->at, '\n', source->text.len - source->at);
    source->at = end ? (size_t)(end - source->text.ptr) : source->text.len;
}

bool read_some_blanks(struct reader *reader)
{
    for (;;) {
        int byte = read_peek(reader, 0);
        if (byte == ' ' || byte == '\t')
            reader->source.at++;
        else if (byte == '\\' && read_peek(reader, 1) == '\n')
            reader->source.at += 2;
        else if (byte == '#')
            skip_comment(reader);
        else
            return !reader->reason;
    }
}

/* One newline, at the place. */
static bool read_newline(struct reader *reader)
{
    if (reader->outer_documents)
        return read_stop(reader, "a here-document that begins outside of a substitution which has several lines");
    reader->source.at++;
    return !reader->documents.count || read_documents(reader);
}

bool read_newlines(struct reader *reader)
{
    for (;;) {
        if (!read_blanks(reader))
            return false;
        if (read_peek(reader, 0) != '\n')
            return true;
        if (!read_newline(reader))
            return false;
    }
}

#define IS(word, literal) ((word).len == sizeof(literal) - 1 && !memcmp((word).ptr, literal, sizeof(literal) - 1))

/* By the first letter: most words are none. */
bool read_is_keyword(struct hv_str word)
{
    switch (word.len ? *word.ptr : 0) {
    case 'i': return IS(word, "if") || IS(word, "in");
    case 't': return IS(word, "then") || IS(word, "time");
    case 'e': return IS(word, "else") || IS(word, "elif") || IS(word, "esac");
    case 'f': return IS(word, "fi") || IS(word, "for") || IS(word, "function");
    case 'c': return IS(word, "case") || IS(word, "coproc");
    case 's': return IS(word, "select");
    case 'w': return IS(word, "while");
    case 'u': return IS(word, "until");
    case 'd': return IS(word, "do") || IS(word, "done");
    case '[': return IS(word, "[[");
    case ']': return IS(word, "]]");
    case '{':
    case '}':
    case '!': return word.len == 1;
    default: return false;
    }
}

static bool may_begin_keyword(int byte)
{
    static const bool begins[256] = {
        ['i'] = true, ['t'] = true, ['e'] = true, ['f'] = true, ['c'] = true, ['s'] = true, ['w'] = true,
        ['u'] = true, ['d'] = true, ['{'] = true, ['}'] = true, ['!'] = true, ['['] = true, [']'] = true};
    return byte >= 0 && begins[byte];
}

static bool is_keyword_byte(int byte)
{
    return (byte >= 'a' && byte <= 'z') || byte == '{' || byte == '}' || byte == '!' || byte == '[' || byte == ']';
}

struct hv_str read_keyword(const struct reader *reader)
{
    enum { LONGEST = 8 };
    size_t length = 0;
    if (!may_begin_keyword(read_peek(reader, 0)))
        return (struct hv_str){0};
    while (length <= LONGEST && is_keyword_byte(read_peek(reader, length)))
        length++;
    if (length > LONGEST || !read_ends_word(read_peek(reader, length)))
        return (struct hv_str){0};
    struct hv_str word = read_slice(reader, reader->source.at, reader->source.at + length);
    return read_is_keyword(word) ? word : (struct hv_str){0};
}

bool read_expect(struct reader *reader, const char *keyword, const char *reason)
{
    if (!read_blanks(reader))
        return false;
    if (!hv_str_is(read_keyword(reader), keyword))
        return read_stop(reader, reason);
    reader->source.at += strlen(keyword);
    return true;
}

size_t read_identifier(struct hv_str text, size_t from)
{
    size_t at = from;
    for (; at < text.len; at++) {
        char byte = text.ptr[at];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (!letter && !(at > from && byte >= '0' && byte <= '9'))
            break;
    }
    return at - from;
}
