/*
 * effect_directory.c: where the shell is after cd, pushd and popd. A cd may fail, and then it goes on where it was;
 * only behind && it is certain that it did not.
 */
#include "base/path.h"
#include "shell/resolve.h"

static void lose_place(struct resolver *resolver)
{
    struct environment *now = &resolver->now;
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

/* Where an operand of cd leads, or absent. physical: as cd -P goes there. */
static struct hv_str operand_target(struct resolver *resolver, struct hv_str operand, bool physical)
{
    const struct shell_start *start = resolver->start;
    struct hv_str from = resolver->now.directory;
    if (!operand.len || operand.ptr[0] == '-' || operand.ptr[0] == '~')
        return (struct hv_str){0};
    if (operand.ptr[0] != '/' && !from.ptr)
        return (struct hv_str){0};
    if (is_relative_to_path(operand) && start->variable && start->variable(start->user, HV_STR("CDPATH")).len)
        return (struct hv_str){0};
    /* Behind a link ".." is another directory than the one that the text says. */
    bool links_count = physical || (resolver->now.physical && operand.ptr[0] != '/');
    if (links_count && hv_str_find(operand, HV_STR(".."), 0) != SIZE_MAX)
        return (struct hv_str){0};
    return path_expand(resolver->arena, operand, from.ptr ? from : HV_STR("/"), start->home);
}

/* The words of a cd, taken apart. */
struct cd_words {
    const struct shell_word *operand; /* NULL: there is none */
    bool certain;                     /* the options are known, and one operand follows at most */
    bool physical;                    /* -P: links are followed */
};

static bool is_cd_option(struct hv_str word)
{
    if (word.len < 2 || word.ptr[0] != '-')
        return false;
    for (size_t i = 1; i < word.len; i++)
        if (!strchr("LPe@", word.ptr[i]))
            return false;
    return true;
}

static struct cd_words read_cd(const struct shell_word *words, size_t count)
{
    struct cd_words cd = {0};
    size_t at = 1;
    for (; at < count && words[at].known && is_cd_option(words[at].value); at++)
        for (size_t i = 1; i < words[at].value.len; i++)
            if (strchr("LP", words[at].value.ptr[i]))
                cd.physical = words[at].value.ptr[i] == 'P';
    if (at < count && words[at].known && hv_str_is(words[at].value, "--"))
        at++;
    cd.certain = count <= at + 1;
    cd.operand = at < count ? &words[at] : NULL;
    return cd;
}

/* Where cd leads, or absent. */
static struct hv_str cd_target(struct resolver *resolver, const struct cd_words *cd)
{
    const struct shell_start *start = resolver->start;
    if (resolver->now.off || !cd->certain)
        return (struct hv_str){0};
    if (!cd->operand)
        return start->home.ptr && start->home.len ? path_expand(resolver->arena, start->home, HV_STR("/"), start->home)
                                                  : (struct hv_str){0};
    bool arrived = resolver->now.directory.ptr || resolver->now.places; /* else OLDPWD may not have been set */
    if (cd->operand->known && hv_str_is(cd->operand->value, "-"))
        return arrived ? resolver->now.previous : (struct hv_str){0};
    return cd->operand->known ? operand_target(resolver, cd->operand->value, cd->physical) : (struct hv_str){0};
}

/* The same for cd "$d", where that is one of some values: an index of choices, or 0. */
static uint32_t cd_targets(struct resolver *resolver, const struct cd_words *cd)
{
    if (resolver->now.off || !cd->certain || !cd->operand || !cd->operand->choices)
        return 0;
    struct shell_choices choices = *choices_at(resolver, cd->operand->choices);
    struct hv_str *targets = hv_arena_array(resolver->arena, struct hv_str, choices.count);
    for (uint32_t i = 0; i < choices.count; i++) {
        targets[i] = operand_target(resolver, choices.values[i], cd->physical);
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
static bool enters(const struct resolver *resolver, const struct cd_words *cd)
{
    const struct shell_start *start = resolver->start;
    const struct shell_word *operand = cd->operand;
    return !resolver->now.off && resolver->now.directory.ptr && cd->certain && !cd->physical && operand &&
           !operand->known && !operand->choices && operand->flags & SHELL_WORD_VARIABLE &&
           !functions_have(resolver, HV_STR("cd")) &&
           !(start->variable && start->variable(start->user, HV_STR("CDPATH")).len);
}

void directory_change(struct resolver *resolver, size_t index, const struct shell_word *words, size_t count)
{
    const struct cd_words cd = read_cd(words, count);
    struct hv_str target = cd_target(resolver, &cd), from = resolver->now.directory;
    uint32_t targets = cd_targets(resolver, &cd);
    resolver->now.physical |= cd.physical;
    if (resolver->now.stack && !resolver->now.stack_sure)
        lose_stack(resolver);
    if (target.ptr && from.ptr && hv_str_eq(target, from)) {
        resolver->now.previous = (struct hv_str){0};
        return;
    }
    bool enter = enters(resolver, &cd);
    bool top = !resolver->now.off && cd.certain && !cd.physical && cd.operand &&
               is_top_of_repository(resolver, cd.operand->text);
    move(resolver, target, targets);
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

/* pushd and popd with -n: they change what is pushed, and stay where they are. */
static bool stays(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!words[i].known || hv_str_is(words[i].value, "--"))
            return false;
        if (hv_str_is(words[i].value, "-n"))
            return true;
        if (!words[i].value.len || !strchr("+-", *words[i].value.ptr))
            return false;
    }
    return false;
}

/* pushd [--] DIRECTORY. Where it fails, nothing is pushed. */
static void push(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    struct environment *now = &resolver->now;
    struct hv_str from = now->directory;
    size_t at = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    const struct shell_word *operand = at + 1 == count ? &words[at] : NULL;
    bool named =
        operand && (operand->choices || (operand->known && operand->value.len && !strchr("+-", *operand->value.ptr)));
    const struct cd_words cd = {.operand = operand, .certain = named};
    struct hv_str target = cd_target(resolver, &cd);
    uint32_t targets = cd_targets(resolver, &cd);
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
    if (!hv_str_is(words[0].value, "dirs") && stays(words, count))
        lose_stack(resolver);
    else if (hv_str_is(words[0].value, "pushd"))
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
