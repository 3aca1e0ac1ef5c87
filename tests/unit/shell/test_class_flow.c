/* test_class_flow.c: what is known of words that come from elsewhere in a script, or that a program hands to another:
 * with what is harmless, its harmful neighbours. */
#include "class_table.h"

static void odd_forms_are_judged_by_what_they_run(void **state)
{
    static const char *const commands[] = {
        "echo $((ls) | wc -l)",
        "echo \"$((ls src; ls) | head -3)\"",
        "'f'() { ls; }; ls",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void odd_forms_hide_nothing(void **state)
{
    static const char *const commands[] = {
        "echo $((rm x) | cat)",   "echo \"$((ls; touch x) )\"",
        "echo $((ls) | tee x)",   "'f'() { rm x; }; ls",
        "f+() { ls; }; ls",                     /* a pattern, with extglob */
        "function @ { ls; }; ls", "cat <<E\nx", /* something is missing */
        "bash -c 'cat <<E\nx'",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_forms_are_judged_by_what_they_run),
        cmocka_unit_test(odd_forms_hide_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
