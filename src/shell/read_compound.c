/* read_compound.c: if, while, until, for, select, case, groups, functions, coproc. bash(1), "Compound Commands". */
#include "shell/read.h"

/* One node for the command as a whole; what it holds has it as parent. */
struct compound {
    size_t index;
    uint32_t parent;
    unsigned flags;
};

static struct compound open_compound(struct reader *reader, enum shell_command_kind kind, size_t keyword_length)
{
    struct compound compound = {read_begin(reader, kind), reader->parent, reader->place_flags};
    reader->parent = (uint32_t)compound.index;
    reader->source.at += keyword_length;
    return compound;
}

static bool close_compound(struct reader *reader, const struct compound *compound)
{
    reader->place_flags = compound->flags;
    bool good = read_redirects_after(reader, compound->index);
    reader->parent = compound->parent;
    return good;
}

/* An operation that reaches to what is emitted next. */
static void close_op(struct reader *reader, size_t op, enum op_kind end)
{
    reader->tape.items[op].to = (uint32_t)reader->tape.count;
    read_emit(reader, end, op);
}

/* certain: only if the command before it succeeded. */
static bool read_maybe_list(struct reader *reader, bool certain)
{
    unsigned outer = reader->place_flags;
    size_t op = read_emit(reader, OP_MAYBE, 0);
    read_emit(reader, certain ? OP_AND : OP_NOT, 0);
    reader->place_flags |= SHELL_IN_BRANCH;
    if (!read_list(reader))
        return false;
    close_op(reader, op, OP_END_MAYBE);
    reader->place_flags = outer;
    return true;
}

/* ---- groups, if -------------------------------------------------------------------------------------------------- */

static bool read_group(struct reader *reader)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_GROUP, 1);
    read_emit(reader, OP_COMMAND, compound.index);
    return read_list(reader) && read_expect(reader, "}", "{ is not closed") && close_compound(reader, &compound);
}

/* Close the operations of all elif, the last first: until then each leads to the one before it. */
static void close_branches(struct reader *reader, size_t open)
{
    while (open) {
        size_t before = reader->tape.items[open].to;
        close_op(reader, open, OP_END_MAYBE);
        open = before;
    }
}

/* Behind "if": condition, then, the branches, up to and with fi. */
static bool read_branches(struct reader *reader)
{
    size_t open = 0;
    struct hv_str keyword;
    for (;;) {
        if (!read_list(reader) || !read_expect(reader, "then", "an if without then") ||
            !read_maybe_list(reader, true) || !read_blanks(reader))
            return false;
        keyword = read_keyword(reader);
        reader->place_flags |= SHELL_IN_BRANCH;
        if (!hv_str_is(keyword, "elif"))
            break;
        reader->source.at += keyword.len;
        open = read_emit(reader, OP_MAYBE, open);
    }
    if (hv_str_is(keyword, "else")) {
        reader->source.at += keyword.len;
        size_t op = read_emit(reader, OP_MAYBE, 0);
        if (!read_list(reader))
            return false;
        close_op(reader, op, OP_END_MAYBE);
    }
    close_branches(reader, open);
    return read_expect(reader, "fi", "an if without fi");
}

static bool read_if(struct reader *reader)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_GROUP, 2);
    read_emit(reader, OP_COMMAND, compound.index);
    size_t op = read_emit(reader, OP_LIST, 0);
    if (!read_branches(reader))
        return false;
    close_op(reader, op, OP_END_LIST);
    return close_compound(reader, &compound);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static bool read_while(struct reader *reader)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_GROUP, 5);
    read_emit(reader, OP_COMMAND, compound.index);
    size_t op = read_emit(reader, OP_LOOP, 0);
    reader->place_flags |= SHELL_IN_LOOP;
    if (!read_list(reader) || !read_expect(reader, "do", "a loop without do") || !read_maybe_list(reader, false) ||
        !read_expect(reader, "done", "a loop without done"))
        return false;
    close_op(reader, op, OP_END_LOOP);
    return close_compound(reader, &compound);
}

/* "do … done" or "{ … }", after newlines. */
static bool read_for_body(struct reader *reader)
{
    if (!read_newlines(reader))
        return false;
    size_t op = read_emit(reader, OP_LOOP, 0);
    reader->place_flags |= SHELL_IN_LOOP;
    bool braces = hv_str_is(read_keyword(reader), "{");
    if (!read_expect(reader, braces ? "{" : "do", "a loop without do") || !read_maybe_list(reader, false) ||
        !read_expect(reader, braces ? "}" : "done", "a loop without done"))
        return false;
    close_op(reader, op, OP_END_LOOP);
    return true;
}

static void take_words(struct reader *reader, size_t index, size_t base)
{
    struct node *node = &reader->nodes.items[index];
    node->word_count = (uint32_t)(reader->words.count - base);
    node->words = read_copy(reader, vec_from(&reader->words, base), node->word_count, sizeof *node->words);
    reader->words.count = base;
}

/* The words behind "in", and what ends them. */
static bool read_for_words(struct reader *reader, size_t index)
{
    size_t base = reader->words.count;
    for (;;) {
        struct raw_word word;
        if (!read_blanks(reader))
            return false;
        int byte = read_peek(reader, 0);
        bool process = (byte == '<' || byte == '>') && read_peek(reader, 1) == '(';
        if (read_ends_word(byte) && !process)
            break;
        if (!read_word(reader, WORD_PLAIN, &word))
            return false;
        *vec_push(&reader->words) = word;
    }
    take_words(reader, index, base);
    if (read_peek(reader, 0) == ';') {
        reader->source.at++;
        return true;
    }
    return read_peek(reader, 0) == '\n' || read_stop(reader, "a for without do");
}

/* The variable, its words, the separator; before the body. */
static bool read_for_head(struct reader *reader, size_t index)
{
    size_t length = read_identifier(reader->source.text, reader->source.at);
    if (!length || !read_ends_word(read_peek(reader, length)))
        return read_stop(reader, "for without a name");
    reader->nodes.items[index].variable = read_slice(reader, reader->source.at, reader->source.at + length);
    reader->source.at += length;
    if (!read_blanks(reader))
        return false;
    if (read_peek(reader, 0) == ';') {
        reader->source.at++;
        return true;
    }
    if (!read_newlines(reader))
        return false;
    if (!hv_str_is(read_keyword(reader), "in"))
        return true;
    reader->source.at += 2;
    return read_for_words(reader, index);
}

/* The parts of ((a; b; c)) become commands of their own. */
static bool add_arithmetic(struct reader *reader, struct hv_str text, struct part *inner, uint32_t count)
{
    for (int i = 0; i < 3; i++) {
        size_t end = hv_str_find_byte(text, ';', 0);
        if ((end == SIZE_MAX) != (i == 2))
            return read_stop(reader, "for (( without three parts");
        struct hv_str piece = hv_str_slice(text, 0, end);
        text = hv_str_slice(text, i == 2 ? text.len : end + 1, SIZE_MAX);
        size_t index = read_begin(reader, SHELL_COMMAND_ARITHMETIC);
        struct node *node = &reader->nodes.items[index];
        struct part *part = hv_arena_new(reader->arena, struct part);
        *part = (struct part){.kind = PART_ARITHMETIC, .quoted = true, .text = piece};
        part->inner = i ? NULL : inner;
        part->inner_count = i ? 0 : count;
        node->text = part->text;
        node->words = hv_arena_new(reader->arena, struct raw_word);
        node->words[0] = (struct raw_word){.text = part->text, .parts = part, .count = 1};
        node->word_count = 1;
        node->expand = WORDS_SINGLE;
        read_emit(reader, OP_COMMAND, index);
    }
    return true;
}

static bool read_arithmetic_for(struct reader *reader)
{
    struct hv_str text;
    struct part *inner;
    uint32_t count;
    reader->source.at += 2;
    if (!read_arithmetic(reader, ')', &text, &inner, &count))
        return false;
    if (read_peek(reader, 0) != ')')
        return read_stop(reader, "for (( that does not end in ))");
    reader->source.at++;
    unsigned flags = reader->place_flags;
    reader->place_flags |= SHELL_IN_LOOP;
    if (!add_arithmetic(reader, text, inner, count) || !read_blanks(reader))
        return false;
    reader->place_flags = flags;
    reader->source.at += read_peek(reader, 0) == ';';
    return true;
}

static bool read_for(struct reader *reader, size_t keyword_length)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_FOR, keyword_length);
    if (!read_blanks(reader))
        return false;
    bool arithmetic = keyword_length == 3 && read_peek(reader, 0) == '(' && read_peek(reader, 1) == '(';
    if (arithmetic)
        reader->nodes.items[compound.index].kind = SHELL_COMMAND_GROUP;
    read_emit(reader, OP_COMMAND, compound.index);
    size_t op = read_emit(reader, OP_LOOP, 0);
    if (!(arithmetic ? read_arithmetic_for(reader) : read_for_head(reader, compound.index)) || !read_for_body(reader))
        return false;
    close_op(reader, op, OP_END_LOOP);
    return close_compound(reader, &compound);
}

/* ---- case -------------------------------------------------------------------------------------------------------- */

/* The patterns of a clause, up to and with the ")". */
static bool read_patterns(struct reader *reader)
{
    if (read_peek(reader, 0) == '(')
        reader->source.at++;
    for (;;) {
        struct raw_word word;
        if (!read_blanks(reader) || !read_word(reader, WORD_PLAIN, &word) || !read_blanks(reader))
            return false;
        *vec_push(&reader->words) = word;
        int byte = read_peek(reader, 0);
        if (byte != '|' && byte != ')')
            return read_stop(reader, "a pattern without )");
        reader->source.at++;
        if (byte == ')')
            return true;
    }
}

/* The commands of a clause and the ";;" behind them; *last when esac must follow. */
static bool read_clause(struct reader *reader, bool *last)
{
    if (!read_newlines(reader))
        return false;
    bool empty = (read_peek(reader, 0) == ';' && (read_peek(reader, 1) == ';' || read_peek(reader, 1) == '&')) ||
                 hv_str_is(read_keyword(reader), "esac");
    if (!empty && !read_maybe_list(reader, false))
        return false;
    if (!read_blanks(reader))
        return false;
    *last = read_peek(reader, 0) != ';';
    if (*last)
        return true;
    bool resume = read_peek(reader, 1) == ';' && read_peek(reader, 2) == '&';
    reader->source.at += resume ? 3 : 2;
    return true;
}

static bool read_case(struct reader *reader)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_CASE, 4);
    struct raw_word subject;
    size_t base = reader->words.count;
    bool last = false;
    read_emit(reader, OP_COMMAND, compound.index);
    size_t op = read_emit(reader, OP_LIST, 0);
    if (!read_blanks(reader) || !read_word(reader, WORD_PLAIN, &subject) || !read_newlines(reader) ||
        !read_expect(reader, "in", "a case without in"))
        return false;
    *vec_push(&reader->words) = subject;
    for (;;) {
        if (!read_newlines(reader))
            return false;
        if (last || hv_str_is(read_keyword(reader), "esac"))
            break;
        if (!read_patterns(reader) || !read_clause(reader, &last))
            return false;
    }
    take_words(reader, compound.index, base);
    reader->nodes.items[compound.index].expand = WORDS_PATTERNS;
    close_op(reader, op, OP_END_LIST);
    return read_expect(reader, "esac", "a case without esac") && close_compound(reader, &compound);
}

/* ---- functions, coproc ------------------------------------------------------------------------------------------- */

static bool begins_compound(const struct reader *reader)
{
    static const char *const names[] = {"{", "if", "while", "until", "for", "select", "case", "[["};
    struct hv_str keyword = read_keyword(reader);
    if (read_peek(reader, 0) == '(')
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(keyword, names[i]))
            return true;
    return false;
}

/* bash takes any word for the name. Where something is quoted or would be expanded it complains when the definition
 * runs, and defines nothing: the name is kept as it is written, which no call has. */
bool read_is_function_name(const struct raw_word *name)
{
    for (size_t i = 0; i < name->count; i++)
        if (name->parts[i].kind != PART_TEXT &&
            (name->parts[i].kind != PART_VARIABLE || name->parts[i].form != FORM_PLAIN || name->parts[i].inner_count))
            return false;
    return name->count && !name->joined;
}

static bool ends_like_pattern(struct hv_str name)
{
    return name.len && strchr("?*+@!", name.ptr[name.len - 1]);
}

bool read_function_body(struct reader *reader, size_t index)
{
    uint32_t parent = reader->parent;
    size_t op = read_emit(reader, OP_FUNCTION, 0);
    unsigned flags = reader->place_flags;
    *vec_push(&reader->functions) = reader->nodes.items[index].variable;
    if (!read_newlines(reader))
        return false;
    if (!begins_compound(reader))
        return read_stop(reader, "a function without a body");
    /* f+() with extglob is a pattern: then it is no command that begins with a parenthesis or a brace. */
    if (ends_like_pattern(reader->nodes.items[index].variable) && read_peek(reader, 0) != '{' &&
        read_peek(reader, 0) != '(')
        return read_stop(reader, "a name of a function that may be a pattern");
    reader->parent = (uint32_t)index;
    reader->place_flags |= SHELL_IN_FUNCTION;
    if (!read_command(reader))
        return false;
    reader->parent = parent;
    reader->place_flags = flags;
    close_op(reader, op, OP_END_FUNCTION);
    read_finish(reader, index);
    read_emit(reader, OP_COMMAND, index);
    return true;
}

/* function name [()] body */
static bool read_function_keyword(struct reader *reader)
{
    struct compound compound = open_compound(reader, SHELL_COMMAND_FUNCTION, strlen("function"));
    struct raw_word name;
    if (!read_blanks(reader) || !read_word(reader, WORD_PLAIN, &name) || !read_blanks(reader))
        return false;
    if (!read_is_function_name(&name))
        return read_stop(reader, "a name of a function that is not plain");
    reader->nodes.items[compound.index].variable = name.text;
    size_t open = reader->source.at;
    if (read_peek(reader, 0) == '(') {
        reader->source.at++;
        if (!read_blanks(reader))
            return false;
        if (read_peek(reader, 0) == ')')
            reader->source.at++;
        else
            reader->source.at = open; /* the body is a subshell */
    }
    if (!read_function_body(reader, compound.index))
        return false;
    reader->parent = compound.parent;
    return true;
}

/* The name at the place, when a compound command stands behind it: then it is the coprocess's, and stepped over. */
static struct hv_str read_coprocess_name(struct reader *reader)
{
    size_t from = reader->source.at, length = read_identifier(reader->source.text, from);
    struct hv_str reserved = read_keyword(reader);
    if (begins_compound(reader) || !length || !read_ends_word(read_peek(reader, length)) ||
        (reserved.ptr && !hv_str_is(reserved, "time")))
        return (struct hv_str){0};
    reader->source.at += length;
    if (read_blanks(reader) && begins_compound(reader))
        return read_slice(reader, from, from + length);
    reader->source.at = from;
    return (struct hv_str){0};
}

/* name=(descriptors) and name_PID=number, which bash sets when it starts a coprocess: as assignments of a group around
 * it. */
static size_t add_coprocess(struct reader *reader, struct hv_str name, size_t keyword)
{
    size_t index = read_begin(reader, SHELL_COMMAND_GROUP);
    struct node *node = &reader->nodes.items[index];
    struct part *unknown = hv_arena_new(reader->arena, struct part);
    struct hv_str text = hv_str_of(name.ptr + name.len, 0);
    unknown->kind = PART_UNKNOWN;
    node->at = (uint32_t)(reader->source.offset + (reader->source.copied ? 0 : keyword));
    node->text = read_slice(reader, keyword, (size_t)(name.ptr + name.len - reader->source.text.ptr));
    node->assignment_count = 2;
    node->assignments = hv_arena_array(reader->arena, struct raw_assignment, 2);
    for (int i = 0; i < 2; i++) {
        node->assignments[i].name = i ? hv_arena_join(reader->arena, name, HV_STR("_PID")) : name;
        node->assignments[i].value = (struct raw_word){.text = text, .parts = unknown, .count = 1, .array = !i};
        node->assignments[i].array = !i;
    }
    node->finished = true;
    read_emit(reader, OP_COMMAND, index);
    return index;
}

/* In "coproc WORD command" a reserved word counts behind any word: only names were looked at. */
static bool is_odd_name(const struct node *node)
{
    return node->kind == SHELL_COMMAND_SIMPLE && node->word_count > 1 && !node->words[1].quoted &&
           read_is_keyword(node->words[1].text);
}

static bool read_coprocess(struct reader *reader)
{
    unsigned flags = reader->place_flags;
    uint32_t parent = reader->parent;
    size_t keyword = reader->source.at;
    reader->source.at += strlen("coproc");
    if (!read_blanks(reader))
        return false;
    struct hv_str name = read_coprocess_name(reader), reserved = read_keyword(reader);
    if (name.ptr)
        reader->parent = (uint32_t)add_coprocess(reader, name, keyword);
    else if (!begins_compound(reader) && reserved.ptr && !hv_str_is(reserved, "time"))
        return read_stop(reader, "a reserved word where none is allowed");
    else if (!begins_compound(reader) && reader->place_flags & SHELL_IN_SUBSTITUTION)
        /* bash writes it anew as "coproc COPROC command", and runs COPROC */
        return read_stop(reader, "a coprocess without a name in a substitution");
    reader->place_flags |= SHELL_IN_COPROCESS | SHELL_IN_SUBSHELL;
    read_emit(reader, OP_SCOPE, 0);
    size_t index = reader->nodes.count;
    if (!read_command(reader))
        return false;
    if (reader->nodes.items[index].kind == SHELL_COMMAND_FUNCTION)
        return read_stop(reader, "a function as coprocess");
    if (is_odd_name(&reader->nodes.items[index]))
        return read_stop(reader, "a coprocess whose name is not plain");
    read_emit(reader, OP_END_SCOPE, 0);
    reader->place_flags = flags;
    reader->parent = parent;
    return true;
}

bool read_compound(struct reader *reader, struct hv_str keyword)
{
    static const struct {
        const char *keyword;
        bool (*read)(struct reader *reader);
    } readers[] = {{"{", read_group},          {"if", read_if},       {"while", read_while},
                   {"until", read_while},      {"case", read_case},   {"function", read_function_keyword},
                   {"coproc", read_coprocess}, {"[[", read_condition}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (hv_str_is(keyword, readers[i].keyword))
            return readers[i].read(reader);
    if (hv_str_is(keyword, "for") || hv_str_is(keyword, "select"))
        return read_for(reader, keyword.len);
    return read_stop(reader, "a reserved word where none is allowed");
}
