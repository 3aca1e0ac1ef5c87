/* read_condition.c: [[ … ]]: its operands and operators as words. bash(1), "CONDITIONAL EXPRESSIONS". */
#include "shell/read.h"

static bool read_either(struct reader *reader);

/* An operator that stands at the place, of `length` bytes, as a word. */
static void add_operator(struct reader *reader, size_t length)
{
    size_t base = reader->parts.count;
    struct raw_word word = {.text = read_slice(reader, reader->source.at, reader->source.at + length)};
    read_add_text(reader, word.text, true);
    word.parts = read_take_parts(reader, base, &word.count);
    *vec_push(&reader->words) = word;
    reader->source.at += length;
}

static bool is_close(const struct reader *reader)
{
    return read_peek(reader, 0) == ']' && read_peek(reader, 1) == ']' && read_ends_word(read_peek(reader, 2));
}

static bool read_operand(struct reader *reader, unsigned mode)
{
    struct raw_word word;
    if (!read_blanks(reader))
        return false;
    if (is_close(reader))
        return read_stop(reader, "an operand of [[ is missing");
    if (!read_word(reader, mode, &word))
        return false;
    if (word.joined)
        return read_stop(reader, "a continued line within a word of [[");
    *vec_push(&reader->words) = word;
    return true;
}

static bool is_unary(const struct raw_word *word)
{
    return !word->quoted && word->text.len == 2 && word->text.ptr[0] == '-' &&
           strchr("abcdefghknoprstuvwxzGLNORS", word->text.ptr[1]);
}

/* The binary operator at the place: its length, 0 if there is none. */
static size_t binary_operator(const struct reader *reader)
{
    static const char *const operators[] = {"==",  "=~",  "!=",  "=",   "-eq", "-ne", "-lt",
                                            "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    int byte = read_peek(reader, 0);
    if ((byte == '<' || byte == '>') && read_peek(reader, 1) != '(')
        return 1;
    struct hv_str rest = hv_str_slice(reader->source.text, reader->source.at, SIZE_MAX);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (hv_str_starts(rest, hv_str_from(operators[i])) && read_ends_word(read_peek(reader, length)))
            return length;
    }
    return 0;
}

/* Behind an operand: an operator and another operand, or the end of this test. */
static bool read_rest_of_test(struct reader *reader)
{
    if (!read_blanks(reader))
        return false;
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    if (is_close(reader) || byte == ')' || (byte == next && (byte == '&' || byte == '|')))
        return true;
    size_t length = binary_operator(reader);
    if (!length)
        return read_stop(reader, "an operator that [[ does not know");
    unsigned mode = byte == '=' && next == '~'                    ? WORD_REGEX
                    : byte == '=' || (byte == '!' && next == '=') ? WORD_PATTERN
                                                                  : WORD_PLAIN;
    add_operator(reader, length);
    return read_operand(reader, mode);
}

static bool read_test(struct reader *reader)
{
    if (!read_newlines(reader) || !read_enter(reader))
        return false;
    int byte = read_peek(reader, 0);
    if (byte == '(') {
        add_operator(reader, 1);
        if (!read_either(reader))
            return false;
        if (read_peek(reader, 0) != ')')
            return read_stop(reader, "a parenthesis in [[ is not closed");
        add_operator(reader, 1);
    } else if (byte == '!' && read_ends_word(read_peek(reader, 1))) {
        add_operator(reader, 1);
        if (read_peek(reader, 0) == '(')
            return read_stop(reader, "!( may be a pattern");
        if (!read_test(reader))
            return false;
    } else {
        if (!read_operand(reader, WORD_PLAIN))
            return false;
        bool unary = is_unary(&reader->words.items[reader->words.count - 1]);
        if (!(unary ? read_operand(reader, WORD_PLAIN) : read_rest_of_test(reader)))
            return false;
    }
    reader->depth--;
    return read_newlines(reader);
}

static bool read_joined(struct reader *reader, char operator, bool (*read)(struct reader *reader))
{
    if (!read(reader))
        return false;
    while (read_peek(reader, 0) == operator&& read_peek(reader, 1) == operator) {
        add_operator(reader, 2);
        if (!read(reader))
            return false;
    }
    return true;
}

static bool read_both(struct reader *reader)
{
    return read_joined(reader, '&', read_test);
}

static bool read_either(struct reader *reader)
{
    return read_joined(reader, '|', read_both);
}

bool read_condition(struct reader *reader)
{
    size_t index = read_begin(reader, SHELL_COMMAND_CONDITION), base = reader->words.count;
    uint32_t parent = reader->parent;
    reader->parent = (uint32_t)index;
    reader->source.at += 2;
    if (reader->documents.count)
        return read_stop(reader, "a here-document before [[");
    read_emit(reader, OP_COMMAND, index);
    if (!read_either(reader))
        return false;
    if (!is_close(reader))
        return read_stop(reader, "[[ is not closed");
    reader->source.at += 2;
    struct node *node = &reader->nodes.items[index];
    node->expand = WORDS_PATTERNS;
    node->word_count = (uint32_t)(reader->words.count - base);
    node->words = read_copy(reader, vec_from(&reader->words, base), node->word_count, sizeof *node->words);
    reader->words.count = base;
    if (!read_redirects_after(reader, index))
        return false;
    reader->parent = parent;
    return true;
}
