/* resolve.c: along the tape: scopes, what may not run, the words of each command. */
#include "shell/resolve.h"

static void *copy_words(struct resolver *resolver, size_t base, uint32_t *count)
{
    *count = (uint32_t)(resolver->words.count - base);
    void *words = read_copy(resolver->reader, vec_from(&resolver->words, base), *count, sizeof(struct shell_word));
    resolver->words.count = base;
    return words;
}

/* ---- [[ … ]] ----------------------------------------------------------------------------------------------------- */

static bool is_arithmetic_operator(struct hv_str word)
{
    static const char *const names[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(word, names[i]))
            return true;
    return false;
}

static void check_operand(struct resolver *resolver, struct shell_word *word)
{
    struct hv_str value = word->value;
    if (word->known ? variable_is_number(value) : word->flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT))
        return;
    if (word->known && !shell_arithmetic_assigns(value) && arithmetic_is_plain(resolver, value, NULL, 0, false))
        return;
    word->flags |= SHELL_WORD_EVALUATES;
    resolve_forget(resolver);
}

/* Operands of -eq and the like are arithmetic, that of -v and -R may have a subscript. */
static void check_condition(struct resolver *resolver, struct shell_command *command)
{
    for (size_t i = 0; i < command->word_count; i++) {
        struct shell_word *word = &command->words[i];
        if (i && i + 1 < command->word_count && word->known && is_arithmetic_operator(word->text)) {
            check_operand(resolver, word - 1);
            check_operand(resolver, word + 1);
        }
        bool names = hv_str_is(word->text, "-v") || hv_str_is(word->text, "-R");
        if (!names || i + 1 >= command->word_count)
            continue;
        bool plain = word[1].known && read_identifier(word[1].value, 0) == word[1].value.len;
        if (!plain)
            word[1].flags |= SHELL_WORD_EVALUATES;
    }
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static unsigned how_to_expand(const struct node *node, size_t i)
{
    enum { ARGUMENT = EXPAND_SPLIT | EXPAND_GLOB | EXPAND_BRACES };
    switch (node->expand) {
    case WORDS_SINGLE: return EXPAND_NO_TILDE;
    case WORDS_PATTERNS: return node->kind == SHELL_COMMAND_CASE && i == 0 ? 0 : EXPAND_GLOB;
    case WORDS_ARGUMENTS:
    default: return ARGUMENT;
    }
}

static void resolve_words(struct resolver *resolver, const struct node *node, struct shell_command *command)
{
    size_t base = resolver->words.count;
    bool declares = node->word_count && effect_is_declaration(&node->words[0]);
    for (size_t i = 0; i < node->word_count; i++) {
        const struct raw_word *word = &node->words[i];
        unsigned how = how_to_expand(node, i);
        size_t name = read_identifier(word->text, 0);
        if (declares && name && name < word->text.len && strchr("=+[", word->text.ptr[name]))
            how = EXPAND_ASSIGNMENT;
        if (node->expand == WORDS_ARGUMENTS && how != EXPAND_ASSIGNMENT) {
            resolve_word(resolver, word, how);
        } else {
            struct shell_word one = resolve_single(resolver, word, how);
            *vec_push(&resolver->words) = one;
        }
    }
    command->words = copy_words(resolver, base, &command->word_count);
    if (node->kind == SHELL_COMMAND_CONDITION)
        check_condition(resolver, command);
}

static void resolve_assignment(struct resolver *resolver, const struct raw_assignment *raw,
                               struct shell_assignment *assignment)
{
    *assignment = (struct shell_assignment){
        .name = raw->name, .appends = raw->appends, .element = raw->element, .array = raw->array};
    if (raw->value.text.ptr && !raw->value.count)
        assignment->value = (struct shell_word){.text = raw->value.text, .value = HV_STR(""), .known = true};
    else
        assignment->value = resolve_single(resolver, &raw->value, EXPAND_ASSIGNMENT);
    if (raw->array)
        assignment->value.flags &= ~(unsigned)SHELL_WORD_MANY;
    if (raw->element) {
        struct part subscript = {.kind = PART_ARITHMETIC, .text = raw->subscript, .inner = raw->subscript_parts};
        subscript.inner_count = raw->subscript_count;
        struct raw_word word = {.text = raw->subscript, .parts = &subscript, .count = 1};
        assignment->value.flags |= resolve_single(resolver, &word, 0).flags & SHELL_WORD_EVALUATES;
    }
}

static void bind_list(struct resolver *resolver, const struct shell_assignment *assignment)
{
    uint32_t list = list_read(resolver, assignment->value.text);
    if (assignment->appends)
        list = list_append(resolver, variable_list(resolver, assignment->name), list);
    variable_set_list(resolver, assignment->name, list);
}

/* The variable's new value. */
static void bind(struct resolver *resolver, const struct raw_assignment *raw, const struct shell_assignment *assignment,
                 size_t index)
{
    const struct shell_word *word = &assignment->value;
    struct hv_str value = word->value, old;
    enum value_state state = word->known ? VALUE_KNOWN : word->flags & SHELL_WORD_NUMBER ? VALUE_NUMBER : VALUE_UNKNOWN;
    if (state == VALUE_UNKNOWN && raw->value.count == 1)
        state = substitution_counts(resolver, &raw->value.parts[0]);
    if (assignment->array || assignment->element)
        state = VALUE_UNKNOWN;
    if (assignment->appends && state != VALUE_UNKNOWN) {
        bool joins = state == VALUE_KNOWN && variable_get(resolver, assignment->name, &old) == VALUE_KNOWN &&
                     resolver->bytes_made + old.len + value.len < RESOLVE_BYTES_MAX;
        state = joins ? VALUE_KNOWN : VALUE_UNKNOWN;
        if (joins) {
            value = hv_arena_join(resolver->arena, old, value);
            resolver->bytes_made += value.len;
        }
    }
    bool open = state == VALUE_UNKNOWN && !assignment->element && !assignment->appends &&
                variable_is_free(resolver, assignment->name);
    if (assignment->array)
        bind_list(resolver, assignment);
    else if (assignment->element)
        variable_taint(resolver, assignment->name);
    else if (state != VALUE_KNOWN && word->choices && !assignment->appends)
        variable_set_choices(resolver, assignment->name, state, word->choices);
    else
        variable_set(resolver, assignment->name, state, state == VALUE_KNOWN ? value : (struct hv_str){0});
    if (open)
        variable_note_source(resolver, assignment->name, index);
}

static void resolve_assignments(struct resolver *resolver, const struct node *node, struct shell_command *command)
{
    command->assignment_count = node->assignment_count;
    if (!node->assignment_count)
        return;
    command->assignments = hv_arena_array(resolver->arena, struct shell_assignment, node->assignment_count);
    if (node->word_count)
        scope_open(resolver); /* they are those of the command's environment */
    bool evaluates = false;
    for (size_t i = 0; i < node->assignment_count; i++) {
        resolve_assignment(resolver, &node->assignments[i], &command->assignments[i]);
        evaluates |= command->assignments[i].value.flags & SHELL_WORD_EVALUATES;
        if (node->word_count)
            variable_set(resolver, command->assignments[i].name, VALUE_UNKNOWN, (struct hv_str){0});
        else
            bind(resolver, &node->assignments[i], &command->assignments[i], (size_t)(command - resolver->commands));
    }
    if (node->word_count)
        scope_close(resolver);
    if (evaluates)
        resolve_forget(resolver);
}

/*
 * What stands behind >& is known only when its quotes are gone and its variables have their values: digits are a
 * descriptor, and so are digits before a "-" that ends the word as it is written; all else is the name of a file.
 */
static void settle_duplicate(struct shell_redirect *redirect)
{
    struct hv_str value = redirect->target.value, text = redirect->target.text;
    if (redirect->kind != SHELL_REDIRECT_DUPLICATE || !redirect->target.known || hv_str_is(value, "-"))
        return;
    if (hv_str_ends(value, HV_STR("-")) && hv_str_ends(text, HV_STR("-")))
        value.len--;
    size_t digits = 0;
    while (digits < value.len && value.ptr[digits] >= '0' && value.ptr[digits] <= '9')
        digits++;
    if (digits < value.len)
        redirect->kind = redirect->descriptor == 0 ? SHELL_REDIRECT_READ : SHELL_REDIRECT_BOTH;
}

static void resolve_redirects(struct resolver *resolver, const struct node *node, struct shell_command *command)
{
    command->redirect_count = node->redirect_count;
    if (!node->redirect_count)
        return;
    command->redirects = hv_arena_array(resolver->arena, struct shell_redirect, node->redirect_count);
    for (size_t i = 0; i < node->redirect_count; i++) {
        const struct raw_redirect *raw = &node->redirects[i];
        bool text = raw->kind == SHELL_REDIRECT_HERE || raw->kind == SHELL_REDIRECT_HERE_STRING;
        unsigned how = text ? 0 : EXPAND_SPLIT | EXPAND_GLOB | EXPAND_BRACES;
        struct shell_redirect *redirect = &command->redirects[i];
        *redirect = (struct shell_redirect){
            .kind = raw->kind, .descriptor = raw->variable.ptr ? -1 : raw->descriptor, .variable = raw->variable};
        if (raw->target.text.ptr && !raw->target.count)
            redirect->target = (struct shell_word){.text = raw->target.text, .value = HV_STR(""), .known = true};
        else
            redirect->target = resolve_single(resolver, &raw->target, how);
        settle_duplicate(redirect);
    }
}

static bool names_function(const struct resolver *resolver, const struct shell_command *command)
{
    return command->word_count && command->kind == SHELL_COMMAND_SIMPLE &&
           functions_have(resolver, command->words[0].value);
}

static void resolve_command(struct resolver *resolver, size_t index)
{
    const struct node *node = &resolver->reader->nodes.items[index];
    struct shell_command *command = &resolver->commands[index];
    command->directory = resolver->now.directory;
    command->places = resolver->now.places;
    if (!command->directory.ptr && !command->places) {
        command->likely_directory = resolver->now.likely;
        command->likely_places = resolver->now.likely_places;
    }
    command->repository = resolver->now.repository;
    command->entered = resolver->now.entered;
    resolver->now.just_moved = false;
    resolve_words(resolver, node, command);
    resolve_assignments(resolver, node, command);
    resolve_redirects(resolver, node, command);
    command->calls_function = names_function(resolver, command);
    if (!resolver->bare)
        effect_of_command(resolver, index);
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */

/* At the end of a list a directory that was changed in it is not certain. */
static void open_list(struct resolver *resolver)
{
    *vec_push(&resolver->lists) = resolver->now;
}

static void close_list(struct resolver *resolver)
{
    struct environment before = resolver->lists.items[--resolver->lists.count];
    directory_doubt(resolver, &before);
}

static void open_loop(struct resolver *resolver, size_t from, size_t to)
{
    *vec_push(&resolver->lists) = resolver->now;
    maybe_open(resolver);
    effect_of_range(resolver, from, to);
}

/* It may not have run at all. */
static void close_loop(struct resolver *resolver)
{
    struct environment before = resolver->lists.items[--resolver->lists.count];
    maybe_close(resolver);
    if (resolver->now.moves != before.moves)
        directory_lose(resolver);
}

static void step(struct resolver *resolver, size_t at, const struct op *op)
{
    struct environment *now = &resolver->now;
    switch (op->kind) {
    case OP_COMMAND: resolve_command(resolver, op->to); break;
    case OP_SCOPE: scope_open(resolver); break;
    case OP_END_SCOPE: scope_close(resolver); break;
    case OP_LIST: open_list(resolver); break;
    case OP_END_LIST: close_list(resolver); break;
    case OP_AND:
        if (now->just_moved)
            directory_arrive(resolver);
        break;
    case OP_NOT: now->just_moved = false; break;
    case OP_MAYBE:
        open_list(resolver);
        maybe_open(resolver);
        break;
    case OP_END_MAYBE:
        maybe_close(resolver);
        close_list(resolver);
        now->just_moved = false;
        break;
    case OP_LOOP: open_loop(resolver, at + 1, op->to); break;
    case OP_END_LOOP: close_loop(resolver); break;
    case OP_NONE:
    case OP_FUNCTION:
    case OP_END_FUNCTION:
    case OP_SUBSTITUTION:
    case OP_END:
    default: break;
    }
}

void resolve_range(struct resolver *resolver, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        struct op op = resolver->reader->tape.items[at];
        if (op.kind == OP_END && from > 0)
            break;
        if (op.kind == OP_FUNCTION) {
            *vec_push(&resolver->bodies) = (uint32_t)at;
            at = op.to;
        } else if (op.kind == OP_SUBSTITUTION) {
            at = op.to - 1;
        } else {
            step(resolver, at, &op);
        }
    }
}

void resolve_run(struct resolver *resolver, size_t from)
{
    if (resolver->bare)
        return;
    bool inner = from > 0;
    if (inner)
        scope_open(resolver);
    resolve_range(resolver, from, resolver->reader->tape.count);
    if (inner)
        scope_close(resolver);
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

static void copy_nodes(struct resolver *resolver)
{
    const struct reader *reader = resolver->reader;
    for (size_t i = 0; i < reader->nodes.count; i++) {
        const struct node *node = &reader->nodes.items[i];
        resolver->commands[i] =
            (struct shell_command){.kind = node->kind,
                                   .text = node->text,
                                   .at = node->at,
                                   .parent = node->parent == READ_NO_PARENT ? SIZE_MAX : node->parent,
                                   .pipeline = node->pipeline,
                                   .position = node->position,
                                   .place = node->place,
                                   .negated = node->negated,
                                   .timed = node->timed,
                                   .variable = node->variable};
    }
}

static void release(struct resolver *resolver)
{
    vec_release(&resolver->variables);
    vec_release(&resolver->trail);
    vec_release(&resolver->scopes);
    vec_release(&resolver->checkpoints);
    vec_release(&resolver->lists);
    vec_release(&resolver->words);
    vec_release(&resolver->choices);
    vec_release(&resolver->bodies);
    hv_buf_release(&resolver->bytes);
}

void resolve_script(struct reader *reader, const struct shell_start *start, struct shell_script *out)
{
    static const struct shell_start nothing = {0};
    struct resolver resolver = {.reader = reader, .arena = reader->arena, .start = start ? start : &nothing};
    size_t count = reader->nodes.count;
    resolver.commands =
        hv_arena_alloc(reader->arena, (count + 1) * sizeof *resolver.commands); /* copy_nodes fills it */
    resolver.now.directory = resolver.start->directory;
    resolver.brace_budget = RESOLVE_PIECES_MAX;
    hv_buf_init(&resolver.bytes, RESOLVE_BYTES_MAX);
    copy_nodes(&resolver);
    functions_index(&resolver);
    if (reader->reason) {
        resolver.bare = true;
        resolve_forget(&resolver);
        for (size_t i = 0; i < count; i++)
            resolve_command(&resolver, i);
    } else {
        resolve_run(&resolver, 0);
        functions_resolve(&resolver);
    }
    out->choices = read_copy(reader, resolver.choices.items, resolver.choices.count, sizeof *out->choices);
    release(&resolver);
    out->commands = resolver.commands;
    out->count = count;
}
