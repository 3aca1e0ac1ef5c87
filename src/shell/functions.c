/*
 * functions.c: the functions that a script defines, wherever it does: their names, and what their bodies are given by
 * their calls. A body may run at any time, so that of variables only what it sets itself is known in it.
 */
#include "shell/resolve.h"

/* Where name is in the table, or the free place for it. */
static size_t slot_of(const struct resolver *resolver, struct hv_str name)
{
    size_t mask = resolver->functions_capacity - 1, at = hv_str_hash(name) & mask;
    while (resolver->functions[at] && !hv_str_eq(resolver->reader->functions.items[resolver->functions[at] - 1], name))
        at = (at + 1) & mask;
    return at;
}

void functions_index(struct resolver *resolver)
{
    enum { FIRST = 8 };
    size_t count = resolver->reader->functions.count;
    if (!count)
        return;
    resolver->functions_capacity = FIRST;
    while (resolver->functions_capacity < 2 * count)
        resolver->functions_capacity *= 2;
    resolver->functions = hv_arena_array(resolver->arena, uint32_t, resolver->functions_capacity);
    for (size_t i = 0; i < count; i++)
        resolver->functions[slot_of(resolver, resolver->reader->functions.items[i])] = (uint32_t)i + 1;
}

bool functions_have(const struct resolver *resolver, struct hv_str name)
{
    return resolver->functions && resolver->functions[slot_of(resolver, name)];
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

enum { CALLS_MAX = 16, PARAMETERS_MAX = 9, HIDDEN_MAX = 4096 };

/* The words that all calls of a function give it, $1 first. */
struct calls {
    const struct shell_command *items[CALLS_MAX];
    size_t count;
};

/* Of each word one argument becomes, and it is known which, or one of which. */
static bool is_certain(const struct shell_command *call)
{
    for (uint32_t i = 1; i < call->word_count; i++)
        if (!call->words[i].known && call->words[i].flags & SHELL_WORD_MANY)
            return false;
    return true;
}

/* The word is written out, and is not name. */
static bool is_other(const struct raw_word *word, struct hv_str name)
{
    return word->count == 1 && word->parts[0].kind == PART_TEXT && hv_str_eq(word->text, word->parts[0].text) &&
           hv_str_find_byte(word->text, '{', 0) == SIZE_MAX && !hv_str_eq(word->text, name);
}

static bool find_calls(const struct resolver *resolver, struct hv_str name, struct calls *calls)
{
    calls->count = 0;
    for (size_t i = 0; i < resolver->reader->nodes.count; i++) {
        const struct node *node = &resolver->reader->nodes.items[i];
        const struct shell_command *call = &resolver->commands[i];
        if (node->kind != SHELL_COMMAND_SIMPLE || !node->word_count)
            continue;
        bool waits = !call->word_count || !call->words[0].known; /* for the body that it is in to be looked at */
        if (waits && is_other(&node->words[0], name))
            continue;
        if (waits)
            return false;
        if (!hv_str_eq(call->words[0].value, name))
            continue;
        if (calls->count == CALLS_MAX || !is_certain(call))
            return false;
        calls->items[calls->count++] = call;
    }
    return calls->count != 0;
}

/* The values of one word, behind the ones that are there. False: not known, or too many. */
static bool add_values(const struct resolver *resolver, const struct shell_word *word, struct hv_str *values,
                       size_t *count)
{
    const struct shell_choices *choices = !word->known && word->choices ? choices_at(resolver, word->choices) : NULL;
    uint32_t more = choices ? choices->count : 1;
    if ((!word->known && !choices) || *count + more > SHELL_CHOICES_MAX)
        return false;
    for (uint32_t i = 0; i < more; i++)
        values[(*count)++] = choices ? choices->values[i] : word->value;
    return true;
}

static void bind_parameter(struct resolver *resolver, const struct calls *calls, uint32_t number)
{
    static const char *const names[] = {"", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const struct shell_word nothing = {.value = {"", 0}, .known = true};
    struct hv_str values[SHELL_CHOICES_MAX], name = hv_str_from(names[number]);
    size_t count = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct shell_command *call = calls->items[i];
        bool given = number < call->word_count;
        if (!add_values(resolver, given ? &call->words[number] : &nothing, values, &count))
            return;
        resolver->now.missing |= given ? 0 : 1U << number;
    }
    if (count == 1 && !(resolver->now.missing & 1U << number)) {
        variable_set(resolver, name, VALUE_KNOWN, values[0]);
        return;
    }
    uint32_t choices = choices_add(resolver, read_copy(resolver->reader, values, count, sizeof *values), count, 0);
    bool numbers = choices && choices_are_numbers(resolver, choices);
    variable_set_choices(resolver, name, numbers ? VALUE_NUMBER : VALUE_UNKNOWN, choices);
}

/* What a loop over "$@" goes through, where every call gives something. */
static uint32_t gather_all(struct resolver *resolver, const struct calls *calls)
{
    struct hv_str values[SHELL_CHOICES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i]->word_count < 2)
            return 0;
        for (uint32_t at = 1; at < calls->items[i]->word_count; at++)
            if (!add_values(resolver, &calls->items[i]->words[at], values, &count))
                return 0;
    }
    return choices_add(resolver, read_copy(resolver->reader, values, count, sizeof *values), count, 0);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Attributes by which a local variable may not be what it is set to. */
static bool gives_attributes(const struct reader *reader)
{
    static const char *const names[] = {"declare", "typeset", "local", "readonly", "export"};
    for (size_t i = 0; i < reader->nodes.count; i++) {
        const struct node *node = &reader->nodes.items[i];
        if (!node->word_count || !READ_ONE_OF(node->words[0].text, names))
            continue;
        bool odd = hv_str_is(node->words[0].text, "readonly");
        for (uint32_t at = 1; at < node->word_count; at++)
            odd |= !node->words[at].text.len || !read_identifier(node->words[at].text, 0);
        if (odd)
            return true;
    }
    return false;
}

/* The function whose body begins at the operation: its own stands behind the body. */
static struct hv_str name_of(const struct resolver *resolver, size_t at)
{
    const struct reader *reader = resolver->reader;
    const struct op *own = &reader->tape.items[reader->tape.items[at].to + 1];
    return own->kind == OP_COMMAND ? reader->nodes.items[own->to].variable : (struct hv_str){0};
}

static void resolve_body(struct resolver *resolver, size_t at, bool orderly)
{
    struct calls calls;
    struct hv_str name = name_of(resolver, at);
    scope_open(resolver);
    directory_lose(resolver);
    if (!orderly)
        resolve_forget(resolver);
    else
        variables_hide(resolver);
    if (orderly && name.len && find_calls(resolver, name, &calls)) {
        resolver->now.parameters = true;
        for (uint32_t number = 1; number <= PARAMETERS_MAX; number++)
            bind_parameter(resolver, &calls, number);
        resolver->now.all_parameters = gather_all(resolver, &calls);
    }
    if (resolver->moves == MOVES_UNSEEN)
        resolver->moves = effect_moves_never(resolver) ? MOVES_NEVER : MOVES_PERHAPS;
    if (resolver->moves == MOVES_NEVER)
        resolver->now.directory = resolver->start->directory;
    resolve_range(resolver, at + 1, resolver->reader->tape.items[at].to);
    scope_close(resolver);
}

void functions_resolve(struct resolver *resolver)
{
    bool orderly = !resolver->disorder && resolver->bodies.count &&
                   resolver->bodies.count * (resolver->variables.count + resolver->reader->nodes.count) <= HIDDEN_MAX &&
                   !gives_attributes(resolver->reader);
    for (size_t i = 0; i < resolver->bodies.count; i++) /* bodies within bodies come behind them */
        resolve_body(resolver, resolver->bodies.items[i], orderly);
}
