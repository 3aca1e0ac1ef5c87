/*
 * bash.c: any bytes as a shell script. Not accepted has a reason and a place; views lie in the script or in the arena;
 * the same text gives the same result; what stands behind an accepted script does not change what was read before it.
 */
#include "base/cleanup.h"
#include "parts.h"
#include "shell/script.h"

static struct hv_str variable(void *user, struct hv_str name)
{
    (void)user;
    return hv_str_is(name, "USER") ? HV_STR("some body") : (struct hv_str){0};
}

static const struct shell_start start = {
    .directory = {"/work", 5}, .home = {"/home/u", 7}, .variable = variable, .user = NULL};

/* Touch every byte, so that a view of freed or foreign memory is found. */
static size_t touch(struct hv_str text)
{
    size_t sum = 0;
    for (size_t i = 0; i < text.len; i++)
        sum += (unsigned char)text.ptr[i];
    return sum;
}

static size_t check_word(const struct shell_word *word)
{
    FUZZ_CHECK(word->value.ptr);
    FUZZ_CHECK(!word->known || !word->tail.len);
    FUZZ_CHECK(!(word->flags & SHELL_WORD_NUMBER) || !word->known);
    FUZZ_CHECK(word->known || word->flags & ~(unsigned)SHELL_WORD_QUOTED);
    return touch(word->text) + touch(word->value) + touch(word->tail);
}

static size_t check_command(const struct shell_script *script, size_t index, size_t length)
{
    const struct shell_command *command = &script->commands[index];
    size_t sum = touch(command->text) + touch(command->variable) + touch(command->directory);
    FUZZ_CHECK(command->at <= length);
    FUZZ_CHECK(command->parent == SIZE_MAX || command->parent < index);
    FUZZ_CHECK(!command->pipeline == !(command->place & SHELL_IN_PIPELINE));
    FUZZ_CHECK(!command->directory.ptr || command->directory.ptr[0] == '/');
    for (size_t i = 0; i < command->word_count; i++)
        sum += check_word(&command->words[i]);
    for (size_t i = 0; i < command->assignment_count; i++)
        sum += check_word(&command->assignments[i].value) + touch(command->assignments[i].name);
    for (size_t i = 0; i < command->redirect_count; i++) {
        FUZZ_CHECK(command->redirects[i].kind >= SHELL_REDIRECT_READ);
        FUZZ_CHECK(command->redirects[i].kind <= SHELL_REDIRECT_HERE_STRING);
        sum += check_word(&command->redirects[i].target);
    }
    return sum;
}

static size_t check_script(struct hv_arena *arena, struct hv_str text, struct shell_script *script)
{
    size_t sum = 0;
    shell_read(arena, text, &start, script);
    FUZZ_CHECK(script->accepted == !script->reason);
    FUZZ_CHECK(script->place <= text.len);
    for (size_t i = 0; i < script->count; i++)
        sum += check_command(script, i, text.len) + script->commands[i].word_count;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct shell_script first, second;
    struct hv_str text = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    size_t sum = check_script(&arena, text, &first);
    FUZZ_CHECK(check_script(&arena, text, &second) == sum);
    FUZZ_CHECK(first.accepted == second.accepted && first.count == second.count && first.place == second.place);
    /* One more command is one more command, unless it would be part of a here-document. */
    if (first.accepted && !first.open_document && size + 6 < SHELL_SCRIPT_MAX) {
        struct hv_str longer = hv_arena_join(&arena, text, HV_STR("\nlast x"));
        shell_read(&arena, longer, &start, &second);
        FUZZ_CHECK(!second.accepted || second.count == first.count + 1);
    }
    return 0;
}
