/*
 * read_expansion.c: what begins with $ or `: substitutions, parameters, arithmetic. bash(1), "EXPANSION". What is valid
 * only by chance of the moment, or read differently by bash's own lexer and its expansion, is not accepted.
 */
#include "shell/read.h"

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* The list of a substitution, which may be empty, as operations of its own. */
static bool read_commands(struct reader *reader, size_t *tape)
{
    unsigned flags = reader->place_flags;
    bool outer = reader->outer_documents;
    size_t documents = reader->documents.count, op = read_emit(reader, OP_SUBSTITUTION, 0);
    if (!read_enter(reader))
        return false;
    *tape = op + 1;
    reader->place_flags |= SHELL_IN_SUBSHELL | SHELL_IN_SUBSTITUTION;
    reader->outer_documents |= documents > 0;
    if (!read_newlines(reader))
        return false;
    int byte = read_peek(reader, 0);
    if (byte >= 0 && byte != ')' && !read_list(reader))
        return false;
    if (reader->documents.count != documents)
        return read_stop(reader, "a here-document that its substitution does not hold");
    reader->depth--;
    reader->place_flags = flags;
    reader->outer_documents = outer;
    read_emit(reader, OP_END, 0);
    reader->tape.items[op].to = (uint32_t)reader->tape.count;
    return true;
}

bool read_substitution(struct reader *reader, enum part_kind kind, bool quoted)
{
    size_t from = reader->source.at, tape;
    if (!read_commands(reader, &tape))
        return false;
    if (read_peek(reader, 0) != ')')
        return read_stop(reader, "a substitution is not closed");
    struct hv_str text = read_slice(reader, from, reader->source.at++);
    *vec_push(&reader->parts) = (struct part){.kind = kind, .quoted = quoted, .text = text, .tape = tape};
    return true;
}

/* Without the backslashes that the backquotes needed; absent when its meaning is not certain. */
static struct hv_str unescape(struct reader *reader, struct hv_str text, bool quoted, bool strips)
{
    if (hv_str_find_byte(text, '\\', 0) == SIZE_MAX)
        return text;
    char *copy = hv_arena_alloc(reader->arena, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        char next = i + 1 < text.len ? text.ptr[i + 1] : 0;
        bool quote = text.ptr[i] == '\\' && next == '"' && quoted;
        if (quote && !strips)
            return (struct hv_str){0};
        if (quote || (text.ptr[i] == '\\' && (next == '$' || next == '`' || next == '\\')))
            copy[length++] = text.ptr[++i];
        else
            copy[length++] = text.ptr[i];
    }
    return hv_str_of(copy, length);
}

/* Where the backquote behind the place is closed, or SIZE_MAX. */
static size_t find_backquote(const struct reader *reader)
{
    struct hv_str text = reader->source.text;
    for (size_t at = reader->source.at + 1; at < text.len; at++) {
        if (text.ptr[at] == '\\')
            at++;
        else if (text.ptr[at] == '`')
            return at;
    }
    return SIZE_MAX;
}

bool read_backquoted(struct reader *reader, bool quoted, bool strips)
{
    struct source outer = reader->source;
    size_t end = find_backquote(reader), tape;
    if (end == SIZE_MAX)
        return read_stop(reader, "a backquote is not closed");
    struct hv_str written = read_slice(reader, outer.at + 1, end), text = unescape(reader, written, quoted, strips);
    if (!text.ptr)
        return read_stop(reader, "escaped double quotes in backquotes that are quoted");
    reader->requoted += quoted && hv_str_find_byte(written, '"', 0) != SIZE_MAX;
    bool copied = outer.copied || text.ptr != written.ptr;
    reader->source = (struct source){.text = text, .copied = copied};
    reader->source.offset = outer.offset + (outer.copied ? 0 : outer.at + 1);
    if (!read_commands(reader, &tape))
        return false;
    if (reader->source.at < text.len)
        return read_stop(reader, "what stands in backquotes is not a list of commands");
    outer.at = end + 1;
    reader->source = outer;
    *vec_push(&reader->parts) = (struct part){.kind = PART_COMMAND, .quoted = quoted, .text = written, .tape = tape};
    return true;
}

/* ---- ${…} -------------------------------------------------------------------------------------------------------- */

static bool skip_single_quoted(struct reader *reader)
{
    size_t end = hv_str_find_byte(reader->source.text, '\'', reader->source.at + 1);
    if (end == SIZE_MAX)
        return read_stop(reader, "a single quote is not closed");
    reader->source.at = end + 1;
    return true;
}

/*
 * Within double quotes bash looks for the end of ${x-…} as if single quotes there quoted, and then expands what is
 * between them as if they did not; in a here-document it is the same. Only where that makes no difference it is clear
 * what runs.
 */
static bool is_plain_between_quotes(const struct reader *reader)
{
    return read_is_plain_quoted(reader, "$\"");
}

struct context {
    bool quoted, document;
};

/* The byte at the place, in the operand of ${x-…}: pattern when quotes in it quote even within double quotes. */
static bool read_in_operand(struct reader *reader, struct context context, bool pattern, int byte)
{
    int next = read_peek(reader, 1);
    switch (byte) {
    case -1: return read_stop(reader, "${ is not closed");
    case '\\':
        if (next < 0)
            return read_stop(reader, "${ is not closed");
        reader->source.at += 2;
        return true;
    case '\'':
        if ((context.document || (context.quoted && !pattern)) && !is_plain_between_quotes(reader))
            return read_stop(reader, "a single quote in a ${…} that is quoted");
        return skip_single_quoted(reader);
    case '"':
        if (context.document && !read_is_plain_quoted(reader, "'("))
            return read_stop(reader, "quotes in a ${…} of a here-document");
        reader->requoted += context.quoted;
        return read_double_quoted(reader);
    case '$':
        if (next == '\'' && context.quoted && !pattern)
            return read_stop(reader, "a single quote in a ${…} that is quoted");
        if (next == '\'' && context.quoted) {
            reader->source.at++;
            return read_ansi_quoted(reader);
        }
        return read_dollar(reader, context.quoted, context.document);
    case '`': return read_backquoted(reader, context.quoted, false);
    case '<':
    case '>':
        if (next == '(')
            return read_stop(reader, "a process substitution within ${…}");
        break;
    default: break;
    }
    reader->source.at++;
    return true;
}

static bool read_operand(struct reader *reader, struct context context, bool pattern)
{
    if (!read_enter(reader))
        return false;
    reader->operands++;
    for (int byte; (byte = read_peek(reader, 0)) != '}';)
        if (!read_in_operand(reader, context, pattern, byte))
            return false;
    reader->source.at++;
    reader->operands--;
    reader->depth--;
    return true;
}

/* The name of a parameter at the place: stepped over; absent when none stands there. */
static struct hv_str read_parameter(struct reader *reader)
{
    struct source *source = &reader->source;
    size_t from = source->at, length = read_identifier(source->text, from);
    int byte = read_peek(reader, 0);
    if (!length && byte >= '0' && byte <= '9')
        while (read_peek(reader, length) >= '0' && read_peek(reader, length) <= '9')
            length++;
    else if (!length && byte > 0 && strchr("@*#?$!-", byte))
        length = 1;
    source->at += length;
    return length ? read_slice(reader, from, from + length) : (struct hv_str){0};
}

static bool read_subscript(struct reader *reader, struct part *part)
{
    int byte = read_peek(reader, 1);
    if ((byte == '@' || byte == '*') && read_peek(reader, 2) == ']') {
        part->list = true;
        part->subscript = byte == '@' ? HV_STR("@") : HV_STR("*");
        reader->source.at += 3;
        return true;
    }
    part->element = true;
    reader->source.at++;
    struct part *inner; /* they count through the subscript's text: an expansion in it is never a number */
    uint32_t count;
    if (!read_arithmetic(reader, ']', &part->subscript, &inner, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        *vec_push(&reader->parts) = inner[i];
    return true;
}

static bool read_transform(struct reader *reader, struct part *part)
{
    int letter = read_peek(reader, 1);
    if (letter <= 0 || !strchr("UuLQEPAKak", letter) || read_peek(reader, 2) != '}')
        return read_stop(reader, "${…} that bash does not know");
    part->form = letter == 'P' ? FORM_EVALUATE : FORM_TRANSFORM;
    reader->source.at += 3;
    return true;
}

static bool read_slice_of(struct reader *reader, struct part *part)
{
    struct part *inner;
    uint32_t count;
    struct hv_str expression;
    part->form = FORM_SLICE;
    if (!read_arithmetic(reader, '}', &expression, &inner, &count))
        return false;
    part->subscript = part->element ? HV_STR("$") : expression;
    for (size_t i = 0; i < count; i++)
        *vec_push(&reader->parts) = inner[i];
    return true;
}

/* What follows the name, up to and with the "}". */
static bool read_operation(struct reader *reader, struct context context, struct part *part)
{
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    bool colon = byte == ':' && next > 0 && strchr("-+=?", next);
    switch (colon ? next : byte) {
    case '}': reader->source.at++; return true;
    case '-':
    case '+':
    case '?': part->form = FORM_DEFAULT; break;
    case '=': part->form = FORM_ASSIGN; break;
    case '#':
    case '%':
    case '/':
    case '^':
    case '~':
    case ',': part->form = FORM_PATTERN; break;
    case ':': reader->source.at++; return read_slice_of(reader, part);
    case '@': return read_transform(reader, part);
    default: return read_stop(reader, "${…} that bash does not know");
    }
    size_t from = reader->source.at;
    reader->source.at += colon ? 2 : 1;
    if (!read_operand(reader, context, part->form == FORM_PATTERN))
        return false;
    if (!part->element)
        part->subscript = read_slice(reader, from, reader->source.at - 1);
    return true;
}

/* Behind "${!" or "${#", when these are not names themselves. */
static bool read_prefixed(struct reader *reader, struct context context, struct part *part, int prefix)
{
    part->text = read_parameter(reader);
    if (!part->text.ptr)
        return read_stop(reader, "${…} that bash does not know");
    if (read_peek(reader, 0) == '[' && !read_subscript(reader, part))
        return false;
    int byte = read_peek(reader, 0);
    if (prefix == '#' || (part->list && byte == '}')) {
        part->form = prefix == '#' ? FORM_LENGTH : FORM_NAMES;
        reader->source.at++;
        return byte == '}' ? true : read_stop(reader, "${…} that bash does not know");
    }
    if ((byte == '*' || byte == '@') && read_peek(reader, 1) == '}') {
        part->form = FORM_NAMES;
        part->list = true;
        reader->source.at += 2;
        return true;
    }
    if (!read_operation(reader, context, part))
        return false;
    part->form = FORM_EVALUATE;
    return true;
}

static bool read_braced(struct reader *reader, struct context context)
{
    struct part part = {.kind = PART_VARIABLE, .quoted = context.quoted};
    size_t base = reader->parts.count;
    reader->source.at += 2;
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    bool good;
    if ((byte == '#' || byte == '!') && next >= 0 && next != '}' && !strchr(":-+=?%/^,", next)) {
        reader->source.at++;
        good = read_prefixed(reader, context, &part, byte);
    } else {
        part.text = read_parameter(reader);
        good = part.text.ptr || read_stop(reader, "${…} that bash does not know");
        good = good && (read_peek(reader, 0) != '[' || read_subscript(reader, &part));
        good = good && read_operation(reader, context, &part);
    }
    if (!good)
        return false;
    part.list |= hv_str_is(part.text, "@") && part.form != FORM_LENGTH;
    part.inner = read_take_parts(reader, base, &part.inner_count);
    *vec_push(&reader->parts) = part;
    return true;
}

/* ---- $ ----------------------------------------------------------------------------------------------------------- */

/* The place behind what quotes at `at`, or 0 when parentheses, quotes or expansions between could count. */
static size_t behind_plain_quotes(struct hv_str text, size_t at)
{
    for (size_t end = at + 1; end < text.len && !strchr("$`\\()\n", text.ptr[end]); end++)
        if (text.ptr[end] == text.ptr[at])
            return end + 1;
        else if (text.ptr[end] == '"' || text.ptr[end] == '\'')
            return 0;
    return 0;
}

/*
 * "$((" at the place: it is arithmetic when the second parenthesis is closed right before the first one. Otherwise bash
 * first takes it for that, counting parentheses, and reads it as commands when it is expanded. Where nothing stands in
 * it that one way of reading could count and the other not, these commands end where the count does. SIZE_MAX: it is
 * arithmetic, or not that plain. Else the place of the ")".
 */
static size_t find_end_of_commands(const struct reader *reader, bool quoted)
{
    struct hv_str text = reader->source.text;
    size_t level = 1, at = reader->source.at + 2, inner = 0;
    while (at < text.len && !reader->operands) {
        char byte = text.ptr[at], next = at + 1 < text.len ? text.ptr[at + 1] : 0;
        if (strchr("\\`#\n", byte) || (byte == '<' && next == '<') || (byte == '$' && next && strchr("({['\"", next)))
            break;
        if (byte == '"' || byte == '\'') {
            at = quoted ? 0 : behind_plain_quotes(text, at);
            if (!at)
                break;
            continue;
        }
        level += byte == '(';
        level -= byte == ')';
        if (!level)
            return inner + 1 == at ? SIZE_MAX : at;
        if (level == 1 && !inner)
            inner = at;
        at++;
    }
    return SIZE_MAX;
}

/* $((a) | b). */
static bool read_subshell_first(struct reader *reader, bool quoted, size_t end)
{
    reader->source.at += 2;
    if (!read_substitution(reader, PART_COMMAND, quoted))
        return false;
    return reader->source.at == end + 1 || read_stop(reader, "$(( that bash reads in two ways");
}

/*
 * When it expands $((…)), bash counts the parentheses once more, those of substitutions too, outside of quotes; where
 * they are not pairs (a "case" in a substitution) it takes what it has read as arithmetic for commands.
 */
static bool is_paired(struct hv_str text)
{
    size_t level = 0;
    for (size_t at = 0; at < text.len; at++) {
        char byte = text.ptr[at];
        if (byte == '\\')
            at++;
        else if (byte == '\'' || byte == '"')
            while (++at < text.len && text.ptr[at] != byte)
                at += text.ptr[at] == '\\' && byte == '"';
        else if (byte == '(')
            level++;
        else if (byte == ')' && !level--)
            return false;
    }
    return !level;
}

/* "$((" or "$[" at the place. */
static bool read_arithmetic_expansion(struct reader *reader, bool quoted, char close)
{
    size_t end = close == ')' ? find_end_of_commands(reader, quoted) : SIZE_MAX;
    if (end != SIZE_MAX)
        return read_subshell_first(reader, quoted, end);
    struct part part = {.kind = PART_ARITHMETIC, .quoted = quoted};
    reader->source.at += close == ')' ? 3 : 2;
    if (!read_arithmetic(reader, close, &part.text, &part.inner, &part.inner_count))
        return false;
    if (close == ')' && read_peek(reader, 0) != ')')
        return read_stop(reader, "$(( that does not end in ))");
    if (close == ')' && part.inner_count && !is_paired(part.text))
        return read_stop(reader, "$(( that bash reads in two ways");
    reader->source.at += close == ')';
    *vec_push(&reader->parts) = part;
    return true;
}

/* $name, $1, $? …; a lone $ is text. */
static bool read_unbraced(struct reader *reader, bool quoted)
{
    size_t from = reader->source.at++;
    int byte = read_peek(reader, 0);
    bool digit = byte >= '0' && byte <= '9';
    struct part part = {.kind = PART_VARIABLE, .quoted = quoted, .text = read_parameter(reader)};
    if (!part.text.ptr) {
        read_add_text(reader, read_slice(reader, from, from + 1), quoted);
        return read_peek(reader, 0) != '\\' || read_peek(reader, 1) != '\n' ||
               read_stop(reader, "a continued line behind a $");
    }
    if (digit) {
        reader->source.at -= part.text.len - 1;
        part.text.len = 1;
    }
    part.list = hv_str_is(part.text, "@");
    part.open = read_identifier(part.text, 0) > 0;
    int byte_behind = read_peek(reader, 0);
    if (hv_str_is(part.text, "$") && (byte_behind == '(' || byte_behind == '{' || byte_behind == '['))
        return read_stop(reader, "$$ before a parenthesis, which bash reads in two ways");
    if (read_peek(reader, 0) == '\\' && read_peek(reader, 1) == '\n' && !read_ends_word(read_peek(reader, 2)))
        return read_stop(reader, "a continued line within the name of a variable");
    *vec_push(&reader->parts) = part;
    return true;
}

bool read_dollar(struct reader *reader, bool quoted, bool document)
{
    struct context context = {quoted, document};
    switch (read_peek(reader, 1)) {
    case '(':
        if (read_peek(reader, 2) == '(')
            return read_arithmetic_expansion(reader, quoted, ')');
        reader->source.at += 2;
        return read_substitution(reader, PART_COMMAND, quoted);
    case '[': return read_arithmetic_expansion(reader, quoted, ']');
    case '{': return read_braced(reader, context);
    case '\'':
        if (quoted)
            break;
        reader->source.at++;
        return read_ansi_quoted(reader);
    case '"':
        if (quoted)
            break;
        reader->source.at++;
        return read_double_quoted(reader);
    default: break;
    }
    return read_unbraced(reader, quoted);
}
