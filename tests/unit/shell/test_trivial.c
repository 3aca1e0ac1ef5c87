/* test_trivial.c: which commands are known to be harmless, and which exit codes are answers. */
#include "shell/trivial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void plain_harmless_commands_are_trivial(void **state)
{
    static const char *const yes[] = {
        "sleep 1",   "  sleep\t0.5  ", "true",   "false",    "echo hello world", "pwd", "date",
        "uname -a",  "id root",        "whoami", "hostname", "nproc --all",      "ls",  "ls -la src /usr/include",
        "sleep 1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        struct hv_arena arena = {0};
        if (!shell_trivial(&arena, hv_str_from(yes[i]), NULL))
            fail_msg("not trivial: %s", yes[i]);
        hv_arena_release(&arena);
    }
}

static void everything_else_is_not(void **state)
{
    static const char *const no[] = {
        "",
        " ",
        "rm x",
        "cat /etc/shadow",
        "./sleep 1",
        "/bin/sleep 1",
        "sleep 1 &",
        "sleep 1; rm x",
        "sleep 1\nrm x",
        "echo $(id)",
        "echo `id`",
        "echo $HOME",
        "echo a > b",
        "echo *",
        "echo ~",
        "echo {a,b}",
        "echo 'a'",
        "echo \"a\"",
        "echo a\\ b",
        "A=b echo",
        "date -s 12",
        "hostname evil",
        "pwd -P",
        "true | rm",
        "true && rm x",
        "echo #x",
        "ls ~",
        "ls -R",
        "ls -laR src",
        "ls -L link",
        "ls -H link",
        "ls --recursive",
        "ls --rec src",
        "ls --dereference",
        "ls --dereference-command-line",
        "ls link/..",
        "ls ./a/../../b",
        "sleep 1\r",
        "echo caf\xc3\xa9",
        "sleep\v1",
        "command ls",
        "env ls",
        "LS",
        "sleeps 1",
        "!true",
        "echo a<b",
    };
    (void)state;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        struct hv_arena arena = {0};
        struct shell_trivial trivial = {.path_count = 77};
        if (shell_trivial(&arena, hv_str_from(no[i]), &trivial))
            fail_msg("trivial: %s", no[i]);
        assert_int_equal(trivial.path_count, 77);
        hv_arena_release(&arena);
    }
    struct hv_arena arena = {0};
    assert_false(shell_trivial(&arena, hv_str_of("true\0;rm x", 10), NULL));
    assert_false(shell_trivial(&arena, (struct hv_str){0}, NULL));
    hv_arena_release(&arena);
}

static void what_a_listing_reads_is_known(void **state)
{
    struct hv_arena arena = {0};
    struct shell_trivial trivial;
    (void)state;
    assert_true(shell_trivial(&arena, HV_STR("ls -l src ../docs"), &trivial));
    assert_int_equal(trivial.path_count, 2);
    assert_true(hv_str_is(trivial.paths[0], "src") && hv_str_is(trivial.paths[1], "../docs"));
    assert_true(shell_trivial(&arena, HV_STR("ls -l"), &trivial));
    assert_int_equal(trivial.path_count, 1);
    assert_true(hv_str_is(trivial.paths[0], "."));
    assert_true(shell_trivial(&arena, HV_STR("echo src"), &trivial));
    assert_int_equal(trivial.path_count, 0);
    hv_arena_release(&arena);
}

static void exit_one_of_a_question_is_an_answer(void **state)
{
    static const struct {
        const char *command;
        int code;
        bool answer, certain;
    } rows[] = {
        {"grep foo x", 1, true, true},
        {"grep foo x", 2, false, false},
        {"grep foo x", 0, false, false},
        {"/usr/bin/grep foo x", 1, true, true},
        {"LC_ALL=C grep foo x", 1, true, true},
        {"cat x | grep -v 'a | b; c'", 1, true, true},
        {"make 2>&1 | grep error", 1, true, true},
        {"cd src && grep foo x", 1, true, false},
        {"cd src && cat x | grep foo", 1, true, false},
        {"cd src && ls; grep foo x", 1, true, true},
        {"cd src\ngrep foo x", 1, true, true},
        {"grep foo x | wc -l", 1, false, false},
        {"grep foo x; rm y", 1, false, false},
        {"diff a b", 1, true, true},
        {"test -f x", 1, true, true},
        {"[ -f x ]", 1, true, true},
        {"[[ -f x ]]", 1, true, true},
        {"rg \"a \\\" b\" src", 1, true, true},
        {"git diff --exit-code", 1, true, true},
        {"git grep x", 1, true, true},
        {"git commit", 1, false, false},
        {"git", 1, false, false},
        {"false", 1, false, false},
        {"greppy", 1, false, false},
        {"(grep x y)", 1, false, false},
        {"grep x <<EOF", 1, false, false},
        {"grep 'unclosed", 1, false, false},
        {"grep x\\", 1, true, true},
        {"", 1, false, false},
        {"=a grep", 1, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool certain = false;
        bool answer = shell_exit_is_answer(hv_str_from(rows[i].command), rows[i].code, &certain);
        if (answer != rows[i].answer || certain != rows[i].certain)
            fail_msg("%s with %d: answer %d, certain %d", rows[i].command, rows[i].code, answer, certain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_harmless_commands_are_trivial),
        cmocka_unit_test(everything_else_is_not),
        cmocka_unit_test(what_a_listing_reads_is_known),
        cmocka_unit_test(exit_one_of_a_question_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
