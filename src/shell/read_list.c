/* read_list.c: lists, pipelines, and what begins a command. bash(1), "SHELL GRAMMAR". */
#include "shell/read.h"

size_t read_begin(struct reader *reader, enum shell_command_kind kind)
{
    *vec_push(&reader->nodes) = (struct node){
        .kind = kind,
        .parent = reader->parent,
        .place = reader->place_flags,
        .at = (uint32_t)(reader->source.offset + (reader->source.copied ? 0 : reader->source.at)),
        .text = read_slice(reader, reader->source.at, reader->source.at),
    };
    return reader->nodes.count - 1;
}

void read_finish(struct reader *reader, size_t index)
{
    struct node *node = &reader->nodes.items[index];
    const char *end = reader->source.text.ptr + reader->source.at;
    while (end > node->text.ptr && (end[-1] == ' ' || end[-1] == '\t') &&
           !(end - 1 > node->text.ptr && end[-2] == '\\'))
        end--;
    node->text.len = (size_t)(end - node->text.ptr);
}

/* The redirections above base become those of a node. */
static void take_redirects(struct reader *reader, size_t index, size_t base)
{
    struct node *node = &reader->nodes.items[index];
    node->redirect_count = (uint32_t)(reader->redirects.count - base);
    node->redirects =
        read_copy(reader, vec_from(&reader->redirects, base), node->redirect_count, sizeof *node->redirects);
    node->finished = true;
    reader->redirects.count = base;
}

bool read_redirects_after(struct reader *reader, size_t index)
{
    size_t base = reader->redirects.count;
    for (;;) {
        int descriptor;
        struct hv_str variable;
        read_finish(reader, index);
        if (!read_blanks(reader))
            return false;
        if (!read_descriptor(reader, &descriptor, &variable) && !read_at_redirect(reader))
            break;
        if (!read_redirect(reader, index, reader->redirects.count - base, descriptor, variable))
            return false;
    }
    /* Keywords may follow a compound command at once, but behind a redirection they are words. */
    int byte = read_peek(reader, 0);
    if (reader->redirects.count > base && byte >= 0 && !strchr(";&|)\n#", byte))
        return read_stop(reader, "a word behind the redirection of a compound command");
    take_redirects(reader, index, base);
    return true;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static bool read_subshell(struct reader *reader, size_t index)
{
    reader->nodes.items[index].kind = SHELL_COMMAND_GROUP;
    reader->source.at++;
    reader->place_flags |= SHELL_IN_SUBSHELL;
    read_emit(reader, OP_SCOPE, 0);
    if (!read_list(reader))
        return false;
    if (read_peek(reader, 0) != ')')
        return read_stop(reader, "a parenthesis is not closed");
    reader->source.at++;
    read_emit(reader, OP_END_SCOPE, 0);
    return true;
}

/* "((" at the place. */
static bool read_arithmetic_command(struct reader *reader, size_t index)
{
    struct raw_word word = {0};
    struct part part = {.kind = PART_ARITHMETIC, .quoted = true};
    size_t base = reader->parts.count;
    reader->nodes.items[index].kind = SHELL_COMMAND_ARITHMETIC;
    reader->source.at += 2;
    if (!read_arithmetic(reader, ')', &part.text, &part.inner, &part.inner_count))
        return false;
    if (read_peek(reader, 0) != ')')
        return read_stop(reader, "(( that does not end in ))");
    reader->source.at++;
    *vec_push(&reader->parts) = part;
    word.text = part.text;
    word.parts = read_take_parts(reader, base, &word.count);
    struct node *node = &reader->nodes.items[index];
    node->words = hv_arena_alloc(reader->arena, sizeof word);
    node->words[0] = word;
    node->word_count = 1;
    node->expand = WORDS_SINGLE;
    return true;
}

/* "((" at the place: bash looks for the ")" of the second one, and it is arithmetic when another follows at once. */
static bool is_arithmetic(const struct reader *reader)
{
    struct hv_str text = reader->source.text;
    size_t level = 0;
    for (size_t at = reader->source.at + 1; at < text.len; at++) {
        char byte = text.ptr[at];
        if (byte == '\\')
            at++;
        else if (byte == '\'' || byte == '"')
            while (++at < text.len && text.ptr[at] != byte)
                at += text.ptr[at] == '\\' && byte == '"';
        level += byte == '(';
        level -= byte == ')';
        if (!level)
            return at + 1 < text.len && (text.ptr[at + 1] == ')' || text.ptr[at + 1] == '\\');
    }
    return true; /* not closed: that is found out later */
}

static bool read_parenthesis(struct reader *reader)
{
    size_t index = read_begin(reader, SHELL_COMMAND_GROUP);
    uint32_t parent = reader->parent;
    unsigned flags = reader->place_flags;
    reader->parent = (uint32_t)index;
    read_emit(reader, OP_COMMAND, index);
    if (read_peek(reader, 1) == '\\' && read_peek(reader, 2) == '\n')
        return read_stop(reader, "a continued line behind a parenthesis");
    if (!(read_peek(reader, 1) == '(' && is_arithmetic(reader) ? read_arithmetic_command(reader, index)
                                                               : read_subshell(reader, index)))
        return false;
    reader->place_flags = flags;
    if (!read_redirects_after(reader, index))
        return false;
    reader->parent = parent;
    return true;
}

bool read_command(struct reader *reader)
{
    if (!read_blanks(reader) || !read_enter(reader))
        return false;
    struct hv_str keyword = read_keyword(reader);
    bool good;
    if (read_peek(reader, 0) == '(') {
        good = read_parenthesis(reader);
    } else if (keyword.ptr && !hv_str_is(keyword, "time")) {
        good = read_compound(reader, keyword);
    } else {
        size_t index = read_begin(reader, SHELL_COMMAND_SIMPLE);
        good = read_simple(reader, index);
    }
    reader->depth--;
    return good;
}

/* ---- pipelines --------------------------------------------------------------------------------------------------- */

struct pipeline {
    size_t first, scope; /* the first command's index, the operation before it */
    uint32_t number, position;
};

static void mark(struct reader *reader, size_t first, unsigned flags)
{
    for (size_t i = first; i < reader->nodes.count; i++)
        reader->nodes.items[i].place |= flags;
}

static void place_in_pipeline(struct reader *reader, size_t index, struct pipeline *pipeline)
{
    struct node *node = &reader->nodes.items[index];
    node->place |= SHELL_IN_PIPELINE;
    node->pipeline = pipeline->number;
    node->position = pipeline->position++;
}

/* A continued line behind an operator of one byte must not bring what would make it another one. */
static bool check_continued(struct reader *reader)
{
    size_t ahead = 0;
    while (read_peek(reader, ahead) == '\\' && read_peek(reader, ahead + 1) == '\n')
        ahead += 2;
    int byte = read_peek(reader, ahead);
    if (ahead && (byte == '|' || byte == '&' || byte == ';' || byte == '>'))
        return read_stop(reader, "a continued line within an operator");
    return true;
}

/* True when "|" or "|&" stands at the place: steps over it. */
static bool step_over_pipe(struct reader *reader)
{
    if (read_peek(reader, 0) != '|' || read_peek(reader, 1) == '|')
        return false;
    reader->source.at += read_peek(reader, 1) == '&' ? 2 : 1;
    return true;
}

static bool read_pipes(struct reader *reader, struct pipeline *pipeline)
{
    if (!read_blanks(reader))
        return false;
    unsigned flags = reader->place_flags;
    while (step_over_pipe(reader)) {
        if (!pipeline->number) {
            pipeline->number = ++reader->pipelines;
            mark(reader, pipeline->first, SHELL_IN_SUBSHELL);
            place_in_pipeline(reader, pipeline->first, pipeline);
            reader->tape.items[pipeline->scope].kind = OP_SCOPE;
            read_emit(reader, OP_END_SCOPE, 0);
            reader->place_flags |= SHELL_IN_SUBSHELL;
        }
        if (!check_continued(reader) || !read_newlines(reader))
            return false;
        size_t index = reader->nodes.count;
        read_emit(reader, OP_SCOPE, 0);
        if (!read_command(reader) || !read_blanks(reader))
            return false;
        place_in_pipeline(reader, index, pipeline);
        read_emit(reader, OP_END_SCOPE, 0);
    }
    reader->place_flags = flags;
    return true;
}

/* "!", "time", "time -p" before a pipeline. */
static bool read_prefixes(struct reader *reader, bool *negated, bool *timed)
{
    for (;;) {
        if (!read_blanks(reader))
            return false;
        struct hv_str keyword = read_keyword(reader);
        if (!keyword.ptr)
            return true;
        bool time = hv_str_is(keyword, "time");
        if (!time && !hv_str_is(keyword, "!"))
            return true;
        *negated ^= !time;
        *timed |= time;
        reader->source.at += keyword.len;
        if (!time && read_peek(reader, 0) == '(')
            return read_stop(reader, "!( may be a pattern");
        if (!read_blanks(reader))
            return false;
        if (time && read_peek(reader, 0) == '(' && reader->place_flags & SHELL_IN_SUBSTITUTION)
            return read_stop(reader, "time before a parenthesis in a substitution");
        if (time && read_peek(reader, 0) == '-' && read_peek(reader, 1) == 'p' && read_ends_word(read_peek(reader, 2)))
            reader->source.at += 2;
        if (!read_blanks(reader))
            return false;
        if (time && read_peek(reader, 0) == '-' && read_peek(reader, 1) == '-' && read_ends_word(read_peek(reader, 2)))
            reader->source.at += 2;
    }
}

/* "time;": the end of a list where a command might stand. */
static bool is_nothing(const struct reader *reader)
{
    int byte = read_peek(reader, 0);
    return byte < 0 || byte == '\n' || (byte == ';' && read_peek(reader, 1) != ';' && read_peek(reader, 1) != '&');
}

static void add_nothing(struct reader *reader)
{
    size_t index = read_begin(reader, SHELL_COMMAND_SIMPLE);
    reader->nodes.items[index].finished = true;
    read_emit(reader, OP_COMMAND, index);
}

static bool read_pipeline(struct reader *reader)
{
    bool negated = false, timed = false;
    if (!read_prefixes(reader, &negated, &timed))
        return false;
    struct pipeline pipeline = {.first = reader->nodes.count, .scope = read_emit(reader, OP_NONE, 0)};
    if ((negated || timed) && is_nothing(reader))
        add_nothing(reader);
    else if (!read_command(reader) || !read_pipes(reader, &pipeline))
        return false;
    struct node *node = &reader->nodes.items[pipeline.first];
    node->negated = negated;
    node->timed = timed;
    if (negated)
        read_emit(reader, OP_NOT, 0);
    return true;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/*
 * && or ||, and what follows it. After && comes what runs when the last one ran; but "a || b && c" runs c, too, when b
 * was passed over, so that after || nothing is taken as done.
 */
static bool read_connected(struct reader *reader, bool both, bool certain, size_t *maybe)
{
    reader->source.at += 2;
    if (!read_newlines(reader))
        return false;
    if (*maybe && !(both && certain)) {
        reader->tape.items[*maybe].to = (uint32_t)reader->tape.count;
        read_emit(reader, OP_END_MAYBE, *maybe);
        *maybe = 0;
    }
    if (!*maybe)
        *maybe = read_emit(reader, OP_MAYBE, 0);
    if (certain)
        read_emit(reader, OP_AND, 0);
    return read_pipeline(reader);
}

static bool read_and_or(struct reader *reader)
{
    size_t first = reader->nodes.count, scope = read_emit(reader, OP_NONE, 0), list = read_emit(reader, OP_NONE, 0);
    size_t maybe = 0;
    bool certain = true; /* only && so far */
    unsigned flags = reader->place_flags;
    if (!read_pipeline(reader))
        return false;
    for (;;) {
        if (!read_blanks(reader))
            return false;
        int byte = read_peek(reader, 0), next = read_peek(reader, 1);
        if (byte != next || (byte != '&' && byte != '|'))
            break;
        reader->tape.items[list].kind = OP_LIST;
        reader->place_flags |= SHELL_IN_BRANCH;
        certain &= byte == '&';
        if (!read_connected(reader, byte == '&', certain, &maybe))
            return false;
    }
    reader->place_flags = flags;
    if (maybe) {
        reader->tape.items[maybe].to = (uint32_t)reader->tape.count;
        read_emit(reader, OP_END_MAYBE, maybe);
        read_emit(reader, OP_END_LIST, list);
    }
    if (read_peek(reader, 0) == '&') {
        mark(reader, first, SHELL_IN_BACKGROUND | SHELL_IN_SUBSHELL | (flags & SHELL_IN_LOOP ? SHELL_IN_SPAWNED : 0));
        reader->tape.items[scope].kind = OP_SCOPE;
        read_emit(reader, OP_END_SCOPE, 0);
    }
    return true;
}

static bool at_list_end(const struct reader *reader)
{
    static const char *const ends[] = {"then", "do", "done", "fi", "elif", "else", "esac", "}"};
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    if (byte < 0 || byte == ')')
        return true;
    if (byte == ';')
        return next == ';' || next == '&';
    struct hv_str keyword = read_keyword(reader);
    return keyword.ptr && READ_ONE_OF(keyword, ends);
}

/* ";", "&" or a newline, and the newlines behind it: true in *more when a command follows. */
static bool read_separator(struct reader *reader, bool *more)
{
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    *more = false;
    if ((byte == ';' && next != ';' && next != '&') || byte == '&') {
        reader->source.at++;
        if (!check_continued(reader))
            return false;
    } else if (byte != '\n') {
        return true;
    }
    if (!read_newlines(reader))
        return false;
    *more = !at_list_end(reader);
    return true;
}

bool read_list(struct reader *reader)
{
    bool more = true;
    if (!read_newlines(reader))
        return false;
    if (at_list_end(reader))
        return read_stop(reader, "a command is missing");
    while (more)
        if (!read_and_or(reader) || !read_separator(reader, &more))
            return false;
    return true;
}
