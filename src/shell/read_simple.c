/* read_simple.c: simple commands: assignments, words, redirections. bash(1), "Simple Commands". */
#include "shell/read.h"

/* Builtins whose arguments may be name=(…). */
static bool takes_assignments(const struct raw_word *word)
{
    static const char *const names[] = {"declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"};
    return !word->quoted && READ_ONE_OF(word->text, names);
}

/* ---- assignments ------------------------------------------------------------------------------------------------- */

/* One element, [subscript]=word or a word; its parts go on the stack. */
static bool read_one_element(struct reader *reader)
{
    bool indexed = false, escaped = false;
    if (read_peek(reader, 0) == '[') {
        struct part part = {.kind = PART_ARITHMETIC, .quoted = true};
        reader->source.at++;
        if (!read_arithmetic(reader, ']', &part.text, &part.inner, &part.inner_count))
            return false;
        *vec_push(&reader->parts) = part;
        indexed = true;
        escaped = hv_str_find_byte(part.text, '\\', 0) != SIZE_MAX;
    }
    struct raw_word word = {0};
    if (!(indexed && read_ends_word(read_peek(reader, 0))) && !read_word(reader, WORD_PLAIN, &word))
        return false;
    /* When bash reads $(…) for the first time, a backslash in an array within it quotes nothing; later it does. */
    if ((escaped || word.escaped) && reader->place_flags & SHELL_IN_SUBSTITUTION)
        return read_stop(reader, "an escape in an array within a substitution, which bash reads in two ways");
    for (size_t i = 0; i < word.count; i++)
        *vec_push(&reader->parts) = word.parts[i];
    return true;
}

/* The elements of name=(…), which become parts of one word. */
static bool read_elements(struct reader *reader, struct raw_word *value)
{
    size_t from = reader->source.at++, base = reader->parts.count;
    if (reader->documents.count)
        return read_stop(reader, "a here-document in the midst of a command");
    for (;;) {
        if (!read_newlines(reader))
            return false;
        int byte = read_peek(reader, 0);
        if (byte == ')')
            break;
        if (byte < 0)
            return read_stop(reader, "name=( is not closed");
        if (!read_one_element(reader))
            return false;
    }
    reader->source.at++;
    value->text = read_slice(reader, from, reader->source.at);
    value->parts = read_take_parts(reader, base, &value->count);
    value->array = true;
    return true;
}

/* Length of "name", "name[…]" with "=" or "+=" behind it at the place; 0: no assignment. */
static size_t assignment_name(const struct reader *reader, bool *element, bool *appends)
{
    size_t length = read_identifier(reader->source.text, reader->source.at);
    int byte = read_peek(reader, length);
    *element = length && byte == '[';
    *appends = false;
    if (!length || *element)
        return length;
    *appends = byte == '+' && read_peek(reader, length + 1) == '=';
    return byte == '=' || *appends ? length : 0;
}

/* name[…]: steps over it. *is_assignment is false when no "=" follows. */
static bool read_element(struct reader *reader, struct raw_assignment *assignment, bool *is_assignment)
{
    size_t from = reader->source.at;
    reader->source.at++;
    if (!read_arithmetic(reader, ']', &assignment->subscript, &assignment->subscript_parts,
                         &assignment->subscript_count))
        return false;
    assignment->appends = read_peek(reader, 0) == '+' && read_peek(reader, 1) == '=';
    *is_assignment = assignment->appends || read_peek(reader, 0) == '=';
    if (*is_assignment)
        return true;
    /* A word such as a[b]*: read once more; what it holds must be plain then. */
    if (assignment->subscript_count || hv_str_find_byte(assignment->subscript, ' ', 0) != SIZE_MAX)
        return read_stop(reader, "a subscript that is not assigned to");
    reader->source.at = from;
    return true;
}

static bool read_value(struct reader *reader, struct raw_assignment *assignment)
{
    reader->source.at += assignment->appends ? 2 : 1;
    if (read_peek(reader, 0) == '(') {
        assignment->array = true;
        return read_elements(reader, &assignment->value);
    }
    assignment->value.text = read_slice(reader, reader->source.at, reader->source.at);
    return read_ends_word(read_peek(reader, 0)) &&
                   !((read_peek(reader, 0) == '<' || read_peek(reader, 0) == '>') && read_peek(reader, 1) == '(')
               ? true
               : read_word(reader, WORD_PLAIN, &assignment->value);
}

/* An assignment at the place, if one stands there: *found. */
static bool read_assignment(struct reader *reader, bool *found)
{
    struct raw_assignment assignment = {0};
    size_t start = reader->source.at;
    size_t length = assignment_name(reader, &assignment.element, &assignment.appends);
    *found = false;
    if (!length)
        return true;
    assignment.name = read_slice(reader, start, start + length);
    reader->source.at += length;
    if (assignment.element) {
        bool assigns;
        if (!read_element(reader, &assignment, &assigns))
            return false;
        if (!assigns) {
            reader->source.at = start;
            return true;
        }
    }
    if (!read_value(reader, &assignment))
        return false;
    *found = true;
    *vec_push(&reader->assignments) = assignment;
    return true;
}

/* name=(…) as an argument of declare and its like: one word, not known. */
static bool read_argument_array(struct reader *reader, bool *found)
{
    bool element, appends;
    size_t start = reader->source.at, length = assignment_name(reader, &element, &appends);
    *found = false;
    if (!length || element || read_peek(reader, length + 1 + appends) != '(')
        return true;
    struct raw_word word = {0};
    reader->source.at += length + 1 + appends;
    if (!read_elements(reader, &word))
        return false;
    word.text = read_slice(reader, start, reader->source.at);
    *vec_push(&reader->words) = word;
    *found = true;
    return true;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

struct simple {
    size_t index;                         /* of the node */
    size_t words, assignments, redirects; /* where its own begin on the stacks */
};

static size_t word_count(const struct reader *reader, const struct simple *simple)
{
    return reader->words.count - simple->words;
}

/* A continued line within a word may make it what it did not look like: a reserved word, an assignment. */
static bool check_first(struct reader *reader, const struct raw_word *word)
{
    struct hv_str text = word->text;
    bool continued = hv_str_ends(text, HV_STR("\\\n"));
    while (hv_str_ends(text, HV_STR("\\\n")))
        text.len -= 2;
    if (word->joined || (continued && read_is_keyword(text)))
        return read_stop(reader, "a continued line within the first word of a command");
    return true;
}

static bool read_argument(struct reader *reader, struct simple *simple)
{
    struct raw_word word;
    bool found = false;
    bool first = !word_count(reader, simple);
    if (first && !read_assignment(reader, &found))
        return false;
    bool redirected = reader->redirects.count > simple->redirects;
    if (!found && !first && !redirected && takes_assignments(&reader->words.items[simple->words]) &&
        !read_argument_array(reader, &found))
        return false;
    if (found)
        return read_ends_word(read_peek(reader, 0)) || read_stop(reader, "something behind name=(…)");
    if (!read_word(reader, WORD_PLAIN, &word) || (first && !check_first(reader, &word)))
        return false;
    *vec_push(&reader->words) = word;
    return true;
}

/* What was gathered becomes the node's, also when reading stopped in the midst of it. */
static void finish_simple(struct reader *reader, const struct simple *simple)
{
    struct node *node = &reader->nodes.items[simple->index];
    node->word_count = (uint32_t)word_count(reader, simple);
    node->assignment_count = (uint32_t)(reader->assignments.count - simple->assignments);
    node->redirect_count = (uint32_t)(reader->redirects.count - simple->redirects);
    if (node->word_count)
        node->words = read_copy(reader, vec_from(&reader->words, simple->words), node->word_count, sizeof *node->words);
    if (node->assignment_count)
        node->assignments = read_copy(reader, vec_from(&reader->assignments, simple->assignments),
                                      node->assignment_count, sizeof *node->assignments);
    if (node->redirect_count)
        node->redirects = read_copy(reader, vec_from(&reader->redirects, simple->redirects), node->redirect_count,
                                    sizeof *node->redirects);
    node->finished = true;
    reader->words.count = simple->words;
    reader->assignments.count = simple->assignments;
    reader->redirects.count = simple->redirects;
}

/* "(" behind the only word: a function. */
static bool read_function(struct reader *reader, struct simple *simple)
{
    const struct raw_word *name = vec_from(&reader->words, simple->words);
    bool plain = word_count(reader, simple) == 1 && reader->assignments.count == simple->assignments &&
                 reader->redirects.count == simple->redirects && read_is_function_name(name);
    reader->source.at++;
    if (!read_blanks(reader))
        return false;
    if (!plain || read_peek(reader, 0) != ')')
        return read_stop(reader, "a parenthesis where none is allowed");
    reader->source.at++;
    struct node *node = &reader->nodes.items[simple->index];
    node->kind = SHELL_COMMAND_FUNCTION;
    node->variable = name->text;
    reader->words.count = simple->words;
    return read_function_body(reader, simple->index);
}

/* The next piece of the command at the place; *ended when there is none. */
static bool read_piece(struct reader *reader, struct simple *simple, bool *ended)
{
    int descriptor, byte = read_peek(reader, 0);
    struct hv_str variable;
    if (read_descriptor(reader, &descriptor, &variable) || read_at_redirect(reader))
        return read_redirect(reader, simple->index, reader->redirects.count - simple->redirects, descriptor, variable);
    *ended = read_ends_word(byte) && !((byte == '<' || byte == '>') && read_peek(reader, 1) == '(');
    return *ended || read_argument(reader, simple);
}

static bool read_pieces(struct reader *reader, struct simple *simple)
{
    bool ended = false;
    while (!ended) {
        if (!read_piece(reader, simple, &ended))
            return false;
        if (!ended) {
            read_finish(reader, simple->index);
            if (!read_blanks(reader))
                return false;
        }
    }
    if (!word_count(reader, simple) && reader->assignments.count == simple->assignments &&
        reader->redirects.count == simple->redirects)
        return read_stop(reader, "a command is missing");
    return true;
}

bool read_simple(struct reader *reader, size_t index)
{
    struct simple simple = {index, reader->words.count, reader->assignments.count, reader->redirects.count};
    uint32_t parent = reader->parent;
    reader->parent = (uint32_t)index;
    bool good = read_pieces(reader, &simple);
    if (good && read_peek(reader, 0) == '(') {
        good = read_function(reader, &simple);
        reader->parent = parent;
        return good;
    }
    finish_simple(reader, &simple);
    reader->parent = parent;
    if (good)
        read_emit(reader, OP_COMMAND, index);
    return good;
}
