/*
 * repeats.c: a command that was judged before, with the same words in the same place, has the same acts: long scripts
 * say few things often. What a judgement can depend on is compared; commands whose judgement looks at others around
 * them (their pipe, their loop, their substitutions) are judged each for itself. See classify.h.
 */
#include "shell/classify.h"

#include <string.h>

enum { SLOTS_MIN = 32, SLOTS_MAX = 1024 };

void shell_repeats_begin(struct shell_repeats *repeats, struct hv_arena *arena, size_t commands)
{
    size_t count = SLOTS_MIN;
    while (count < commands && count < SLOTS_MAX)
        count *= 2;
    *repeats = (struct shell_repeats){hv_arena_zalloc(arena, count, sizeof *repeats->slots), count - 1};
}

/* Places end in different ways, most often. */
static uint64_t hash_of_place(struct hv_str directory)
{
    uint64_t last = 0;
    size_t count = directory.len < sizeof last ? directory.len : sizeof last;
    if (count)
        memcpy(&last, directory.ptr + directory.len - count, count);
    return (last + directory.len) * 0x9e3779b97f4a7c15u;
}

struct shell_repeat *shell_repeat_of(const struct shell_reading *reading, const struct shell_command *command)
{
    /* What may start processes without end shows in the loops and functions around it. */
    bool in_loop = command->place & SHELL_IN_SPAWNED ||
                   (command->calls_function && command->place & (SHELL_IN_LOOP | SHELL_IN_FUNCTION));
    if (!reading->repeats || command->kind != SHELL_COMMAND_SIMPLE || command->assignment_count || in_loop)
        return NULL;
    for (size_t i = 0; i < command->word_count; i++)
        if (command->words[i].flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND | SHELL_WORD_PROCESS))
            return NULL; /* what they may be is sought in the loops, functions and assignments around them */
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].variable.ptr || !command->redirects[i].target.known)
            return NULL;
    uint64_t hash = hv_str_hash(command->text) + hash_of_place(command->directory);
    return &reading->repeats->slots[(hash ^ hash >> 32) & reading->repeats->mask];
}

static bool is_same_text(struct hv_str a, struct hv_str b)
{
    return !a.ptr == !b.ptr && a.len == b.len && (a.ptr == b.ptr || hv_str_eq(a, b));
}

/* Its value is its text, as it is written. */
static bool is_as_written(const struct shell_word *word)
{
    return word->value.ptr == word->text.ptr && word->value.len == word->text.len;
}

static bool is_same_word(const struct shell_word *a, const struct shell_word *b)
{
    return a->known == b->known && a->flags == b->flags && is_same_text(a->text, b->text) &&
           is_same_text(a->tail, b->tail) &&
           ((is_as_written(a) && is_as_written(b)) || is_same_text(a->value, b->value));
}

static bool are_same_places(const struct shell_script *script, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b)
        return a == b;
    const struct shell_choices *first = &script->choices[a - 1], *second = &script->choices[b - 1];
    bool same = first->count == second->count;
    for (uint32_t i = 0; same && i < first->count; i++)
        same = hv_str_eq(first->values[i], second->values[i]);
    return same;
}

bool shell_is_repeat(const struct shell_reading *reading, const struct shell_repeat *of,
                     const struct shell_command *command)
{
    const struct shell_command *before = of->command;
    if (!before || before->place != command->place || before->calls_function != command->calls_function ||
        before->entered != command->entered || before->word_count != command->word_count ||
        before->redirect_count != command->redirect_count || !is_same_text(before->text, command->text) ||
        !is_same_text(before->directory, command->directory) ||
        !is_same_text(before->likely_directory, command->likely_directory) ||
        !is_same_text(before->repository, command->repository) ||
        !are_same_places(reading->script, before->places, command->places) ||
        !are_same_places(reading->script, before->likely_places, command->likely_places))
        return false;
    if (!command->directory.ptr && of->seen_count != reading->seen_count)
        return false; /* it may run in other places than the one before */
    for (size_t i = 0; i < command->word_count; i++)
        if (!is_same_word(&before->words[i], &command->words[i]))
            return false;
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *a = &before->redirects[i], *b = &command->redirects[i];
        if (a->kind != b->kind || a->descriptor != b->descriptor || !is_same_word(&a->target, &b->target))
            return false;
    }
    return true;
}
