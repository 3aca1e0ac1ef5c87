/* effect_eval.c: what eval with known words changes: read as a script of its own, it may go elsewhere and no more. All
 * else makes everything unknown. See resolve.h. */
#include "shell/resolve.h"

#include <string.h>

static struct hv_str known_variable(void *user, struct hv_str name)
{
    struct hv_str value;
    return variable_get(user, name, &value) == VALUE_KNOWN ? value : (struct hv_str){0};
}

/* The words of eval, joined as it does; absent: not known. */
static struct hv_str evaluated_text(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    size_t at = count > 1 && words[1].known && hv_str_is(words[1].value, "--") ? 2 : 1;
    size_t length = 0, from = at;
    if (at < count && hv_str_starts(words[at].value, HV_STR("-")))
        return (struct hv_str){0};
    for (; at < count; at++) { /* what it would be up to each word counts, so that long texts are not read again */
        if (!words[at].known || resolver->bytes_made + length + words[at].value.len > RESOLVE_BYTES_MAX)
            return (struct hv_str){0};
        length += (at > from) + words[at].value.len;
        resolver->bytes_made += length;
    }
    if (count - from == 1)
        return words[from].value;
    char *text = hv_arena_alloc(resolver->arena, length + 1);
    for (size_t i = from, end = 0; i < count; i++) {
        if (i > from)
            text[end++] = ' ';
        if (words[i].value.len)
            memcpy(text + end, words[i].value.ptr, words[i].value.len);
        end += words[i].value.len;
    }
    text[length] = '\0';
    return hv_str_of(text, length);
}

/* A command in the text of eval that changes nothing but the directory, if that. */
static bool is_tame_within(const struct resolver *resolver, const struct shell_command *command)
{
    enum { CHANGES = SHELL_WORD_EVALUATES | SHELL_WORD_ARITHMETIC };
    unsigned flags = 0;
    if (command->kind == SHELL_COMMAND_GROUP)
        return !command->assignment_count && !command->redirect_count;
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count || !command->words[0].known ||
        command->assignment_count || command->calls_function || functions_have(resolver, command->words[0].value) ||
        !(effect_is_none(command->words[0].value) || effect_is_cd(command->words[0].value)))
        return false;
    for (size_t i = 0; i < command->word_count; i++)
        flags |= command->words[i].flags;
    for (size_t i = 0; i < command->redirect_count; i++)
        flags |= command->redirects[i].variable.ptr ? SHELL_WORD_EVALUATES : command->redirects[i].target.flags;
    return !(flags & CHANGES);
}

/* eval 'cd x && make': nothing but the directory changes. All else makes everything unknown. */
void effect_of_eval(struct resolver *resolver, size_t index, const struct shell_word *words, size_t count)
{
    enum { ELSEWHERE = SHELL_IN_SUBSHELL | SHELL_IN_PIPELINE | SHELL_IN_SUBSTITUTION | SHELL_IN_BACKGROUND };
    bool within = resolver->start->variable == known_variable; /* an eval in the text of another: not followed */
    struct hv_str text = resolver->now.off || within ? (struct hv_str){0} : evaluated_text(resolver, words, count);
    const struct shell_start start = {.directory = resolver->now.directory,
                                      .home = resolver->start->home,
                                      .variable = known_variable,
                                      .user = resolver};
    struct shell_script script = {0};
    const struct shell_command *move = NULL;
    size_t moves = 0;
    if (text.ptr)
        shell_read(resolver->arena, text, &start, &script);
    bool tame = script.accepted && !script.open_document && !resolver->now.splitting;
    for (size_t i = 0; tame && i < script.count; i++) {
        const struct shell_command *command = &script.commands[i];
        tame = is_tame_within(resolver, command);
        if (!tame || command->kind != SHELL_COMMAND_SIMPLE || command->place & ELSEWHERE ||
            !effect_is_cd(command->words[0].value))
            continue;
        move = command;
        moves++;
    }
    if (!tame || moves > 1) {
        resolve_forget(resolver);
        return;
    }
    if (!move)
        return;
    directory_change(resolver, index, move->words, move->word_count);
    /* That all of it succeeded says that cd did only where it is all of it. */
    resolver->now.just_moved &= script.count == 1 && !resolver->now.entering && !move->negated;
    resolver->now.entering = 0;
}
