/* read_word.c: words: from the first byte to the metacharacter that ends them, as parts. */
#include "shell/read.h"

struct part *read_take_parts(struct reader *reader, size_t base, uint32_t *count)
{
    *count = (uint32_t)(reader->parts.count - base);
    struct part *parts = read_copy(reader, vec_from(&reader->parts, base), *count, sizeof *parts);
    reader->parts.count = base;
    return parts;
}

/* Bytes that end a run of plain ones: metacharacters, quotes, what begins an expansion. */
static bool is_special(unsigned char byte)
{
    static const bool special[256] = {[' '] = true,  ['\t'] = true, ['\n'] = true, [';'] = true, ['&'] = true,
                                      ['|'] = true,  ['('] = true,  [')'] = true,  ['<'] = true, ['>'] = true,
                                      ['\\'] = true, ['\''] = true, ['"'] = true,  ['`'] = true, ['$'] = true};
    return special[byte];
}

/* Parentheses that belong to the word: patterns as @(…), groups of a regular expression, what stands in an […]. They
 * hold parts like the word itself, and blanks. */
static bool read_nested(struct reader *reader, unsigned mode, char open, char close);

static bool read_escaped(struct reader *reader, struct raw_word *word)
{
    int next = read_peek(reader, 1);
    if (next < 0)
        return read_stop(reader, "a backslash at the end");
    if (next == '\n') {
        reader->source.at += 2;
        word->joined |= !read_ends_word(read_peek(reader, 0));
        return true;
    }
    word->quoted = word->escaped = true;
    read_add_text(reader, read_slice(reader, reader->source.at + 1, reader->source.at + 2), true);
    reader->source.at += 2;
    return true;
}

/* A special byte at the place, within a word. *ended is set when it does not belong to the word. */
static bool read_special(struct reader *reader, unsigned mode, struct raw_word *word, bool *ended)
{
    int byte = read_peek(reader, 0);
    switch (byte) {
    case '\\': return read_escaped(reader, word);
    case '\'': word->quoted = true; return read_single_quoted(reader);
    case '"': word->quoted = true; return read_double_quoted(reader);
    case '`': return read_backquoted(reader, false, false);
    case '$':
        word->quoted |= read_peek(reader, 1) == '\'' || read_peek(reader, 1) == '"';
        return read_dollar(reader, false, false);
    case '<':
    case '>':
        if (read_peek(reader, 1) != '(')
            break;
        reader->source.at += 2;
        return read_substitution(reader, PART_PROCESS, false);
    case '(':
        if (mode & WORD_REGEX)
            return read_nested(reader, mode, '(', ')');
        break;
    case '|':
        if (!(mode & WORD_REGEX))
            break;
        read_add_text(reader, read_slice(reader, reader->source.at, reader->source.at + 1), false);
        reader->source.at++;
        return true;
    default: break;
    }
    *ended = true;
    return true;
}

static void read_run(struct reader *reader)
{
    struct source *source = &reader->source;
    size_t from = source->at;
    while (source->at < source->text.len && !is_special((unsigned char)source->text.ptr[source->at]))
        source->at++;
    if (source->at > from)
        read_add_text(reader, read_slice(reader, from, source->at), false);
}

/* True when the run that ends at the place ends in a byte that begins a pattern with "(". */
static bool begins_pattern(const struct reader *reader, size_t from)
{
    size_t at = reader->source.at;
    return at > from && read_peek(reader, 0) == '(' && strchr("?*+@!", reader->source.text.ptr[at - 1]);
}

static bool read_pieces(struct reader *reader, unsigned mode, struct raw_word *word)
{
    bool ended = false;
    while (!ended) {
        size_t from = reader->source.at;
        read_run(reader);
        if (mode & WORD_PATTERN && begins_pattern(reader, from)) {
            if (!read_nested(reader, mode, '(', ')'))
                return false;
            continue;
        }
        if (!read_special(reader, mode, word, &ended))
            return false;
    }
    return true;
}

static bool read_nested(struct reader *reader, unsigned mode, char open, char close)
{
    struct raw_word inner = {0};
    if (!read_enter(reader))
        return false;
    read_add_text(reader, read_slice(reader, reader->source.at, reader->source.at + 1), false);
    reader->source.at++;
    for (;;) {
        if (!read_pieces(reader, mode, &inner))
            return false;
        int byte = read_peek(reader, 0);
        if (byte < 0)
            return read_stop(reader, "a parenthesis is not closed");
        if (byte == '\n' && (mode & WORD_REGEX || reader->documents.count || reader->outer_documents))
            return read_stop(reader, "a pattern of several lines");
        if (byte == open && !(mode & WORD_REGEX)) {
            if (!read_nested(reader, mode, open, close))
                return false;
            continue;
        }
        read_add_text(reader, read_slice(reader, reader->source.at, reader->source.at + 1), false);
        reader->source.at++;
        if (byte == close)
            break;
    }
    reader->depth--;
    return true;
}

/* Something that might be a brace expansion, were it not quoted. */
static bool has_braces(struct hv_str text)
{
    bool opened = false;
    for (size_t i = 0; i < text.len; i++) {
        opened |= text.ptr[i] == '{' && !(i && text.ptr[i - 1] == '$');
        if (opened && (text.ptr[i] == ',' || text.ptr[i] == '.'))
            return true;
    }
    return false;
}

/* Digits or {name} right before < or > belong to that operator, and are no word. */
static bool is_descriptor(const struct reader *reader, struct hv_str text)
{
    int byte = read_peek(reader, 0);
    size_t digits = 0;
    if (byte != '<' && byte != '>')
        return false;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    return digits == text.len || (text.ptr[0] == '{' && text.ptr[text.len - 1] == '}');
}

bool read_word(struct reader *reader, unsigned mode, struct raw_word *word)
{
    size_t from = reader->source.at, base = reader->parts.count, requoted = reader->requoted;
    *word = (struct raw_word){0};
    if (!read_pieces(reader, mode, word))
        return false;
    word->text = read_slice(reader, from, reader->source.at);
    word->parts = read_take_parts(reader, base, &word->count);
    if (reader->requoted != requoted && has_braces(word->text))
        return read_stop(reader, "braces beside quotes within quotes, which bash expands nevertheless");
    if (!word->text.len)
        return read_stop(reader, "a word is missing");
    if (is_descriptor(reader, word->text))
        return read_stop(reader, "a redirection where none is allowed");
    return true;
}

bool read_here_body(struct reader *reader, struct source body, struct raw_word *word)
{
    struct source outer = reader->source;
    size_t base = reader->parts.count, run = 0;
    reader->source = body;
    read_add_text(reader, HV_STR(""), true);
    for (size_t *at = &reader->source.at; *at < body.text.len;) {
        char byte = body.text.ptr[*at];
        char next = *at + 1 < body.text.len ? body.text.ptr[*at + 1] : 0;
        bool escape = byte == '\\' && (next == '$' || next == '`' || next == '\\');
        if (!escape && byte != '$' && byte != '`') {
            ++*at;
            continue;
        }
        if (*at > run)
            read_add_text(reader, read_slice(reader, run, *at), true);
        if (escape)
            run = (*at += 2) - 1;
        else if (!(byte == '$' ? read_dollar(reader, true, true) : read_backquoted(reader, true, false)))
            return false;
        else
            run = *at;
    }
    if (body.text.len > run)
        read_add_text(reader, read_slice(reader, run, body.text.len), true);
    reader->source = outer;
    word->text = body.text;
    word->quoted = true;
    word->parts = read_take_parts(reader, base, &word->count);
    return true;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

/* Quotes are for the keys of associative arrays. Elsewhere single ones quote nothing, but hide where it ends. */
static bool read_quoted_key(struct reader *reader, bool subscript, int byte)
{
    if (byte == '"')
        return read_double_quoted(reader);
    if (!subscript && !read_is_plain_quoted(reader, "$\"()[]"))
        return read_stop(reader, "quotes within arithmetic");
    return read_single_quoted(reader);
}

static bool read_escaped_key(struct reader *reader, bool subscript)
{
    int next = read_peek(reader, 1);
    if (next < 0 || next == '$' || next == '`' || !(subscript || next == '\n'))
        return read_stop(reader, "an escape within arithmetic");
    reader->source.at += 2;
    return true;
}

static bool read_in_arithmetic(struct reader *reader, bool subscript, int byte)
{
    switch (byte) {
    case '$':
        if (read_peek(reader, 1) == '\'' || read_peek(reader, 1) == '"')
            return read_stop(reader, "quotes within arithmetic");
        return read_dollar(reader, true, false);
    case '`': return read_backquoted(reader, true, false);
    case '"':
    case '\'': return read_quoted_key(reader, subscript, byte);
    case -1: return read_stop(reader, "arithmetic is not closed");
    case '\\': return read_escaped_key(reader, subscript);
    default: reader->source.at++; return true;
    }
}

/* <( and >( at the place, however they are continued: in subscripts and slices bash reads the commands of them. */
static bool is_process_substitution(const struct reader *reader, int byte)
{
    size_t next = 1;
    if (byte != '<' && byte != '>')
        return false;
    while (read_peek(reader, next) == '\\' && read_peek(reader, next + 1) == '\n')
        next += 2;
    return read_peek(reader, next) == '(';
}

bool read_arithmetic(struct reader *reader, char close, struct hv_str *text, struct part **inner, uint32_t *inner_count)
{
    size_t from = reader->source.at, base = reader->parts.count, level = 0;
    char open = close == ')' ? '(' : '[';
    if (!read_enter(reader))
        return false;
    for (;;) {
        int byte = read_peek(reader, 0);
        if (byte == close && !level)
            break;
        if (close == '}' && byte == '{')
            return read_stop(reader, "a brace within ${…:…}, which bash does not count");
        if (close != ')' && is_process_substitution(reader, byte))
            return read_stop(reader, "<( within a subscript or ${…:…}, which bash reads in two ways");
        level += byte == open && close != '}';
        level -= byte == close;
        if (!read_in_arithmetic(reader, close == ']', byte))
            return false;
    }
    reader->depth--;
    *text = read_slice(reader, from, reader->source.at++);
    *inner = read_take_parts(reader, base, inner_count);
    return true;
}
