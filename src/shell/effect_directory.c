/*
 * effect_directory.c: where the shell is after cd, pushd and popd. A cd may fail, and then it goes on where it was;
 * only behind && it is certain that it did not.
 */
#include "base/path.h"
#include "shell/resolve.h"

static void lose_place(struct resolver *resolver)
{
    struct environment *now = &resolver->now;
    now->moved = true;
    now->moves++;
    now->directory = now->likely = now->repository = now->target = now->previous = (struct hv_str){0};
    now->places = now->likely_places = now->targets = 0;
    now->entered = now->entering = 0;
    now->just_moved = false;
}

static void lose_stack(struct resolver *resolver)
{
    resolver->now.stack = NULL;
    resolver->now.pushes++;
    resolver->now.stack_lost = true;
    resolver->now.stack_sure = false;
}

void directory_lose(struct resolver *resolver)
{
    lose_place(resolver);
    lose_stack(resolver);
}

/* "$(git rev-parse --show-toplevel)": a path that is absolute, or nothing, by which cd goes nowhere. */
static bool is_top_of_repository(const struct resolver *resolver, struct hv_str text)
{
    return (hv_str_is(text, "\"$(git rev-parse --show-toplevel)\"") ||
            hv_str_is(text, "\"$(git rev-parse --show-toplevel 2>/dev/null)\"") ||
            hv_str_is(text, "\"$(git rev-parse --show-toplevel 2> /dev/null)\"")) &&
           !functions_have(resolver, HV_STR("git"));
}

static bool is_relative_to_path(struct hv_str operand)
{
    return operand.ptr[0] != '/' && operand.ptr[0] != '.';
}

/* Where an operand of cd leads, or absent. */
static struct hv_str operand_target(struct resolver *resolver, struct hv_str operand)
{
    const struct shell_start *start = resolver->start;
    struct hv_str from = resolver->now.directory;
    if (!operand.len || operand.ptr[0] == '-' || operand.ptr[0] == '~')
        return (struct hv_str){0};
    if (operand.ptr[0] != '/' && !from.ptr)
        return (struct hv_str){0};
    if (is_relative_to_path(operand) && start->variable && start->variable(start->user, HV_STR("CDPATH")).len)
        return (struct hv_str){0};
    return path_expand(resolver->arena, operand, from.ptr ? from : HV_STR("/"), start->home);
}

/* Where cd leads, or absent. */
static struct hv_str cd_target(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    const struct shell_start *start = resolver->start;
    size_t first = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    if (resolver->now.off || count > first + 1)
        return (struct hv_str){0};
    if (count == first)
        return start->home.ptr && start->home.len ? path_expand(resolver->arena, start->home, HV_STR("/"), start->home)
                                                  : (struct hv_str){0};
    bool arrived = resolver->now.directory.ptr || resolver->now.places; /* else OLDPWD may not have been set */
    if (words[first].known && hv_str_is(words[first].value, "-"))
        return arrived ? resolver->now.previous : (struct hv_str){0};
    return words[first].known ? operand_target(resolver, words[first].value) : (struct hv_str){0};
}

/* The same for cd "$d", where that is one of some values: an index of choices, or 0. */
static uint32_t cd_targets(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    if (resolver->now.off || count != 2 || !words[1].choices)
        return 0;
    struct shell_choices choices = *choices_at(resolver, words[1].choices);
    struct hv_str *targets = hv_arena_array(resolver->arena, struct hv_str, choices.count);
    for (uint32_t i = 0; i < choices.count; i++) {
        targets[i] = operand_target(resolver, choices.values[i]);
        if (!targets[i].ptr)
            return 0;
    }
    return choices_add(resolver, targets, choices.count, choices.base);
}

static void move(struct resolver *resolver, struct hv_str target, uint32_t targets)
{
    struct hv_str from = resolver->now.directory;
    lose_place(resolver);
    resolver->now.likely = from.ptr ? target : (struct hv_str){0};
    resolver->now.likely_places = from.ptr ? targets : 0;
    resolver->now.target = target;
    resolver->now.targets = targets;
    resolver->now.just_moved = target.ptr || targets;
    resolver->now.previous = from; /* where it leads once the move is certain */
    if (hv_str_is(target, "/"))
        resolver->now.directory = target; /* cannot fail */
}

/* cd "$d": one word, whatever it is, from a directory that is known, and by its own name. */
static bool enters(const struct resolver *resolver, const struct shell_word *words, size_t count)
{
    const struct shell_start *start = resolver->start;
    return !resolver->now.off && resolver->now.directory.ptr && count == 2 && !words[1].known && !words[1].choices &&
           words[1].flags & SHELL_WORD_VARIABLE && !functions_have(resolver, HV_STR("cd")) &&
           !(start->variable && start->variable(start->user, HV_STR("CDPATH")).len);
}

void directory_change(struct resolver *resolver, size_t index, const struct shell_word *words, size_t count)
{
    struct hv_str target = cd_target(resolver, words, count), from = resolver->now.directory;
    if (resolver->now.stack && !resolver->now.stack_sure)
        lose_stack(resolver);
    if (target.ptr && from.ptr && hv_str_eq(target, from)) {
        resolver->now.previous = (struct hv_str){0};
        return;
    }
    bool enter = enters(resolver, words, count);
    bool top = !resolver->now.off && count == 2 && is_top_of_repository(resolver, words[1].text);
    move(resolver, target, cd_targets(resolver, words, count));
    if (top)
        resolver->now.repository = from;
    if (enter && !resolver->now.just_moved) {
        resolver->now.entering = (uint32_t)index + 1;
        resolver->now.just_moved = true;
    }
}

void directory_arrive(struct resolver *resolver)
{
    struct environment *now = &resolver->now;
    now->moves++; /* from being uncertain */
    now->directory = now->target;
    now->places = now->targets;
    now->entered = now->entering;
    now->stack_sure = now->stack != NULL;
}

/* ---- pushd, popd ------------------------------------------------------------------------------------------------- */

/* pushd DIRECTORY. Where it fails, nothing is pushed. */
static void push(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    struct environment *now = &resolver->now;
    struct hv_str from = now->directory;
    bool named = count == 2 &&
                 (words[1].choices || (words[1].known && words[1].value.len && !strchr("+-", *words[1].value.ptr)));
    struct hv_str target = named ? cd_target(resolver, words, count) : (struct hv_str){0};
    uint32_t targets = named ? cd_targets(resolver, words, count) : 0;
    bool certain = !now->stack_lost && from.ptr && (target.ptr || targets) && (!now->stack || now->stack_sure);
    if (!certain) {
        directory_lose(resolver);
        return;
    }
    struct pushed *pushed = hv_arena_new(resolver->arena, struct pushed);
    *pushed = (struct pushed){from, now->stack, now->stack_sure};
    move(resolver, target, targets);
    resolver->now.previous = (struct hv_str){0};
    resolver->now.pushes++;
    resolver->now.stack = pushed;
    resolver->now.stack_sure = false;
}

/* popd: back to where the last pushd was. Where that failed, and nothing else is there, it is there still. */
static void pop(struct resolver *resolver, size_t count)
{
    struct environment *now = &resolver->now;
    const struct pushed *top = now->stack;
    if (!now->stack_lost && !top && count == 1 && !now->off)
        return; /* there is none: it says so and does nothing */
    if (now->stack_lost || count != 1 || now->off || (!now->stack_sure && top->below)) {
        directory_lose(resolver);
        return;
    }
    lose_place(resolver);
    resolver->now.pushes++;
    resolver->now.directory = top->directory;
    resolver->now.stack = top->below;
    resolver->now.stack_sure = top->below_sure;
}

static bool clears(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!words[i].known ||
            (hv_str_starts(words[i].value, HV_STR("-")) && hv_str_find_byte(words[i].value, 'c', 0) != SIZE_MAX))
            return true;
    return false;
}

void directory_stack(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    if (hv_str_is(words[0].value, "pushd"))
        push(resolver, words, count);
    else if (hv_str_is(words[0].value, "popd"))
        pop(resolver, count);
    else if (clears(words, count)) /* dirs -c */
        lose_stack(resolver);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* One pushd more than before, from where the shell was then: what else ran did so before it, or behind its success. */
static bool pushed_once(const struct environment *now, const struct environment *before)
{
    return now->stack && now->pushes == before->pushes + 1 && now->stack->below == before->stack &&
           before->directory.ptr && hv_str_eq(now->stack->directory, before->directory);
}

void directory_doubt(struct resolver *resolver, const struct environment *before)
{
    struct environment *now = &resolver->now;
    if (now->moves == before->moves)
        return;
    now->likely = now->directory.ptr ? now->directory : now->likely;
    now->likely_places = now->places ? now->places : now->likely_places;
    now->directory = now->previous = (struct hv_str){0};
    now->places = 0;
    now->entered = 0;
    if (now->pushes == before->pushes)
        now->stack_sure &= before->stack_sure;
    else if (pushed_once(now, before))
        now->stack_sure = false;
    else
        lose_stack(resolver);
}
