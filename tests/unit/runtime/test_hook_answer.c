/* What counts as the answer in what a hook printed. */
#include "runtime/hook_answer.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

#define DENY "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}"

static void answers_are_found_among_other_output(void **state)
{
    (void)state;
    static const struct {
        const char *output;
        size_t count;
        bool alone, unreadable;
    } rows[] = {
        {"", 0, false, false},
        {"all well", 0, false, false},
        {DENY, 1, true, false},
        {"\xef\xbb\xbf" DENY "\n", 1, true, false},
        {"  \n" DENY, 1, true, false},
        {"{}", 1, true, false},
        {"Welcome back!\n" DENY, 1, false, false},
        {"nvm: {not json}\n" DENY "\nbye", 1, false, false},
        {"log: " DENY, 1, false, false},
        {DENY "\n" DENY, 2, false, false},
        {"{\"level\":\"info\"}\n" DENY, 1, false, false},
        {"{\"text\":\"a } and { in quotes \\\" {\"}\n" DENY, 1, false, false},
        {"{\"level\":\"info\"}\n{\"level\":\"info\"}", 0, false, true},
        {"{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}", 1, false, false},
        {"{'hookSpecificOutput':{'permissionDecision':'deny'}}", 0, false, true},
        {DENY "\n{\"hookSpecificOutput\":", 1, false, true},
        {"the \"decision\" is no", 0, false, true},
        {"{broken", 0, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct hook_answers answers;
        hook_find_answers(&arena, hv_str_from(rows[i].output), &answers);
        if (answers.count != rows[i].count || answers.alone != rows[i].alone ||
            answers.unreadable != rows[i].unreadable)
            fail_msg("%s: %zu answers, alone %d, unreadable %d", rows[i].output, answers.count, answers.alone,
                     answers.unreadable);
        hv_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_found_among_other_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
