/*
 * test_class_choices.c: words that are one of several known values, expansions that are computed, arrays that are
 * written out, and pushd: what is exact only reads, and whatever might make it something else is asked.
 */
#include "shell/class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static bool git_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    (void)user, (void)arena, (void)subcommand;
    *why = HV_STR("the repository names a program");
    return !hv_str_starts(directory, HV_STR("/ws/bad"));
}

static bool is_system(void *user, struct hv_str name)
{
    (void)user;
    return hv_str_find_byte(name, '/', 0) == SIZE_MAX;
}

/* It only reads, and all that it reads is known and lies in /ws. */
static bool reads_here_only(const char *command)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    const struct shell_start start = {.directory = HV_STR("/ws"), .home = HV_STR("/home/u")};
    const struct shell_world world = {.git_is_quiet = git_is_quiet, .is_system_program = is_system};
    shell_judge(&arena, hv_str_from(command), &start, &world, &judgement);
    bool here = judgement.class == SHELL_READ_ONLY;
    for (size_t i = 0; i < judgement.count; i++) {
        const struct shell_act *act = &judgement.acts[i];
        here = here && act->reads_listed;
        for (size_t j = 0; here && j < act->read_count; j++)
            here = hv_str_is(act->reads[j].path, "/ws") || hv_str_starts(act->reads[j].path, HV_STR("/ws/"));
    }
    hv_arena_release(&arena);
    return here;
}

static void check(const char *const *commands, size_t count, bool expected)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        if (reads_here_only(commands[i]) != expected) {
            print_error("%s: %s\n", commands[i], expected ? "not certain" : "certain");
            wrong++;
        }
    assert_int_equal(wrong, 0);
}
#define CHECK(commands, expected) check(commands, sizeof commands / sizeof *commands, expected)

static void loops_over_known_words_are_gone_through(void **state)
{
    static const char *const certain[] = {
        "for d in a b; do (cd \"$d\" && git status -s); done",
        "for d in a b; do git -C \"$d\" log -1; cat \"$d/x\"; done",
        "for p in a b; do cat \"packages/$p/package.json\"; sort \"packages/$p/x\"; done",
        "for f in src/a.c src/b.c; do sort \"${f%.c}.h\"; done",
        "for f in src/a.c src/b.c; do t=\"tests/${f##*/}\"; sort \"$t\" < \"${t%.c}.in\"; done",
        "for f in src/a.c -x; do sort \"./$f\"; done",
        "f=a; if test -e b; then f=b; fi; sort \"$f\"",
        "for i in 1 2; do git show HEAD:sub/secret$i; done",
        "for d in src -x; do git -C \"$d\" log; done",
        "for f in a b; do timeout 5 sort \"$f\"; done",
        "for f in a b; do bash -c 'sort \"$1\"' x \"$f\"; done",
    };
    static const char *const asked[] = {
        "for d in a bad; do (cd \"$d\" && git status -s); done",
        "for d in a bad; do git -C \"$d\" status -s; done",
        "for d in a /etc; do (cd \"$d\" && cat shadow); done",
        "for d in a /etc; do cd \"$d\" && cat x; done; cat shadow",
        "for d in /etc /ws; do cd \"$d\" && cd /ws && true; cat shadow; done",
        "for d in a /etc; do (cd \"$d\" && bash -c 'cat shadow'); done",
        "for d in a /etc; do (cd \"$d\" && eval 'cat shadow'); done",
        "for f in a -ox; do sort \"$f\"; done",
        "for f in a '-o x'; do sort $f; done",
        "for f in a '*'; do sort $f; done",
        "for f in a b; do f=-ox; sort \"$f\"; done",
        "for f in a b; do sort \"$f\"; f=-ox; sort \"$f\"; done",
        "for f in a b; do read f; sort \"$f\"; done",
        "for f in a b; do printf -v f x; sort \"$f\"; done",
        "for f in a b; do eval f=-ox; sort \"$f\"; done",
        "for f in a b; do g() { f=-ox; }; g; sort \"$f\"; done",
        "IFS=/; for f in a/-ox b; do sort $f; done",
        "for f in a b; do IFS=$x; sort $f; done",
        "declare -i f; for f in a b; do sort \"$f\"; done",
        "declare -n f=g; for f in a b; do sort \"$g\"; done",
        "readonly f; for f in a b; do sort \"$f\"; done",
        "select f in a b; do sort \"${f%b}-ox\"; done",
        "select f in a b; do sort \"${f:--ox}\"; done",
        "for f in a $x; do sort \"$f\"; done",
        "for f in a b; do sort \"$f\"; done; sort \"$f$x\"",
        "for f in a b; do git $f log; done",
        "for f in rm ls; do $f x; done",
        "f=a; if x; then f=-ox; fi; sort \"$f\"",
        "f=a; while x; do sort \"$f\"; f=-ox; done",
        "f=a; x && f=-ox; sort \"$f\"",
        "for o in -n -i; do sed $o 1p x; done",
        "for f in a /etc/shadow; do cat \"$f\"; done",
        "for f in a /etc/shadow; do cat < \"$f\"; done",
        "for f in a b; do echo x > \"$f\"; done",
        "for f in a 'b[$(id)]'; do [[ $f -eq 1 ]]; done",
    };
    (void)state;
    CHECK(certain, true);
    CHECK(asked, false);
}

static void expansions_of_known_values_are_computed(void **state)
{
    static const char *const certain[] = {
        "f=src/x.ts; sort \"${f%.ts}.test.ts\"",
        "f=src/x.ts; sort \"tests/${f##*/}\" ${f#src/}",
        "f=src/x.ts; sort ${f/src/tests} \"${f//\\//_}\" \"${f/%ts/js}\"",
        "x=; sort \"${x:-README.md}\" ${x:+-o}a",
        "x=readme; sort \"${x^^}.md\" \"${x^}\" \"${x:0:4}\" \"${x: -2}\"",
        "x=abc; head -n ${#x} a; sort k${#x}",
        "x=a/b.c; d=${x%/*}; sort \"$d/${x##*.}\"",
    };
    static const char *const asked[] = {
        "sort \"${x:-README.md}\"",
        "x=a; sort \"${x:--ox}\"; sort \"${x/a/-ox}\"",
        "x=a; sort \"${x/a/$y}\"",
        "x=b-ox; sort \"${x#b}\"",
        "x=a; sort \"${x%[a-z]}-ox\"",
        "x=aox; sort \"${x/a/-}\"",
        "x=a; sort \"${x+-ox}\"",
        "x=Aox; shopt -s nocasematch; sort \"${x/a/-}\"",
        "x=aox; sort \"${x/?/-}\"",
        "x=aox; sort ${x/a/k -}",
        "x=a; y=-ox; sort \"${x/a/$y}\"",
        "x=a; sort \"${x@P}\"",
        "x=y; y=-ox; sort \"${!x}\"",
        "x=a; sort \"${x:$(id)}\"",
        "x=a; sort \"${x:a[$(id)]}\"",
        "x=/etc/shadow.x; cat \"${x%.x}\"",
        "x=a; local x=b; x=${x/b/-ox}; sort \"$x\" \"${x/a/-ox}\"",
        "f=-ox; local f=README.md; sort \"$f\"",
        "f=/etc/shadow; local f=README.md; cat \"$f\"",
    };
    (void)state;
    CHECK(certain, true);
    CHECK(asked, false);
}

static void arrays_that_are_written_out_are_known(void **state)
{
    static const char *const certain[] = {
        "pkgs=(a b c); for p in \"${pkgs[@]}\"; do sort \"packages/$p/package.json\"; done",
        "f=(src/a.c 'b c'); sort \"${f[@]}\"; sort \"${f[0]}\"; echo ${#f[@]}",
        "f=(a b); sort ${f[@]}; f+=(c); sort \"${f[@]}\" \"x${f[2]}\"",
        "f=(a b); for i in \"${!f[@]}\"; do sort \"${f[$i]}\" \"${f[i]}\"; done",
        "f=(a b); for i in 0 1; do sort \"${f[$i]}\"; done",
        "files=(a b); cat \"${files[@]}/x\"",
        "files=(a b); cat \"${!files[@]}\"",
    };
    static const char *const asked[] = {
        "f=(a -ox); sort \"${f[@]}\"",
        "f=(a '-o x'); sort ${f[@]}",
        "f=(a b); f+=(-ox); sort \"${f[@]}\"",
        "f=(a b); f[0]=-ox; sort \"${f[@]}\"",
        "f=(a b); f[5]=-ox; for i in 5; do sort \"${f[$i]}\"; done",
        "f=([1]=a [0]=-ox); sort \"${f[0]}\"",
        "f=(a b); unset 'f[0]'; f=(-ox); sort \"${f[0]}\"",
        "f=(a b); read -a f; sort \"${f[@]}\"",
        "f=(a b); mapfile -t f < list; sort \"${f[@]}\"",
        "f=(a b); x && f=(-ox); sort \"${f[@]}\"",
        "f=(a b); while x; do sort \"${f[@]}\"; f=(-ox); done",
        "f=(a b); g() { f=(-ox); }; g; sort \"${f[@]}\"",
        "f=(a b); eval 'f=(-ox)'; sort \"${f[@]}\"",
        "readonly f=(-ox); f=(a); sort \"${f[@]}\"",
        "declare -A f; f=(a b); sort \"${f[a]}\"",
        "declare -n f=g; f=(a b); sort \"${f[@]}\"",
        "f=(a $x); sort \"${f[@]}\"",
        "f=(a *); sort \"${f[@]}\"",
        "f=(a {b,-ox}); sort \"${f[@]}\"",
        "IFS=-; f=(a k-ox); sort ${f[@]}",
        "f=(a b); sort \"${f[@]/a/-ox}\"",
        "f=(a b); sort \"${f[$(id)]}\"",
        "f=(a b); sort \"${f[x]}\"",
        "f=(a b); i='x[$(id)]'; sort \"${f[$i]}\"",
        "f=(a b); i='x[$(id)]'; sort \"${f[i]}\"",
        "f=(a /etc/shadow); cat \"${f[@]}\"",
    };
    (void)state;
    CHECK(certain, true);
    CHECK(asked, false);
}

static void what_pushd_left_is_found_again(void **state)
{
    static const char *const certain[] = {
        "pushd src >/dev/null && git status; popd >/dev/null; cat x",
        "pushd src; cat a; popd; git status",
        "cd src && cat a && cd - && git status && cat b",
    };
    static const char *const asked[] = {
        "pushd bad && git status; popd",
        "pushd /etc; popd; pushd /etc; cat shadow",
        "pushd /etc && false && popd; cat shadow",
        "pushd a; cd /etc; popd; cat shadow",
        "cd /etc && pushd a; popd; cat shadow",
        "pushd /etc && pushd /ws; popd; cat shadow",
        "f() { cd /etc; }; pushd a; f; cat shadow",
        "popd() { cd /etc; }; pushd a; popd; cat shadow",
        "cd() { :; }; cd /ws && cat shadow",
        "OLDPWD=/etc; cd - && cat shadow",
        "cd a && cd b; cd -; cat x",
        "CDPATH=/etc; pushd a && cat shadow",
        "true && cd /etc && false && cd /ws && true; cat shadow",
        "true && cd /etc; cd /ws/nowhere && true; cat shadow",
        "cd \"$x\"; cd /ws/nowhere && true; cat shadow",
        "cd /etc && while false; do cd /; done && cat shadow",
        "true && cd /etc; bash -c 'cat shadow'",
    };
    (void)state;
    CHECK(certain, true);
    CHECK(asked, false);
}

static void what_calls_give_a_function_is_known_in_it(void **state)
{
    static const char *const certain[] = {
        "peek() { head -20 \"src/$1\"; }; peek a.c; peek b.c",
        "show() { local f=\"$1\"; echo \"== $f\"; sort \"$f\"; }; show src/a.c; show src/b.c",
        "show() { local f=$1 n=${2:-5}; sed -n \"1,${n}p\" \"$f\"; }; show src/a.c; show src/b.c 10",
        "function each { for f in \"$@\"; do sort \"$f\" \"${f%.c}.h\"; done; }; each a.c b.c; each c.c",
        "sect() { sed -n \"$1,$2p\" \"$3\"; }; sect 1 5 a",
    };
    static const char *const asked[] = {
        "peek() { sort \"$1\"; }; peek a.c; peek -ox",
        "peek() { cat \"$1\"; }; peek a.c; peek /etc/shadow",
        "peek() { cat \"src/$1\"; }; peek ../../etc/shadow",
        "peek() { sort \"$1\"; }; peek $x",
        "peek() { sort \"$2\"; }; peek $x a; peek b a",
        "peek() { sort $1; }; peek 'a -ox'",
        "peek() { sort \"$1\"; }; peek *.c",
        "peek() { sort \"${2--ox}\"; }; peek a",
        "peek() { sort \"$2\"; }; peek a",
        "peek() { sort \"${2#a}\"; }; peek a; peek a b",
        "peek() { sort \"${2:--ox}\"; }; peek a",
        "peek() { shift; sort \"$1\"; }; peek a -ox",
        "peek() { set -- -ox; sort \"$1\"; }; peek a",
        "peek() { while x; do sort \"$1\"; shift; done; }; peek a -ox",
        "peek() { if x; then shift; fi; sort \"$1\"; }; peek a -ox",
        "peek() { local f=$1; sort \"$f\"; }; readonly f=-ox; peek a",
        "declare -i f; peek() { local f=$1; sort \"$f\"; }; peek a",
        "declare -n f=g; peek() { local f=$1; sort \"$g\"; }; peek a",
        "peek() { local -n f=g; f=$1; sort \"$g\"; }; peek a",
        "IFS=-; peek() { sort $1; }; peek a-ox",
        "peek() { local IFS=-; sort $1; }; peek a-ox",
        "peek() { sort \"$f\"; }; f=a; peek x; f=-ox; peek x",
        "f=a; peek() { sort \"$f\"; }; f=-ox; peek x",
        "peek() { local f=a; other; sort \"$f\"; }; other() { f=-ox; }; peek",
        "peek() { sort \"$1\"; }; other() { peek \"$1\"; }; other -ox; peek a",
        "peek() { sort \"$1\"; }; eval peek -ox; peek a",
        "peek() { sort \"$1\"; }; trap 'peek -ox' EXIT; peek a",
        "peek() { sort \"$1\"; }; x=peek; $x -ox; peek a",
        "peek() { sort \"$1\"; }; pee\\k -ox; peek a",
        "peek() { sort \"$1\"; }; {peek,-ox}; peek a",
        "peek() { sort \"$1\"; }; export -f peek; xargs -n1 bash -c 'peek \"$0\"'; peek a",
        "peek() { for f in \"$@\"; do :; done; sort \"$f\"; }; f=-ox; peek; peek a",
        "peek() { for f; do sort \"$f\"; done; }; peek a -ox",
        "peek() { cd /etc; cat \"$1\"; }; peek shadow",
        "peek() { cat \"$1\"; }; cd /etc; peek shadow",
        "sort() { id; }; peek() { sort \"$1\"; }; peek a",
    };
    (void)state;
    CHECK(certain, true);
    CHECK(asked, false);
}

/* Between the capitals and the small letters stands a backquote, which bash then finds in the word. */
static void braces_across_the_cases_may_run_commands(void **state)
{
    static const char *const asked[] = {
        "echo {Z..a}reboot`true`",
        "echo {a..Z}reboot`true`",
        "echo x > /dev/null {_,{A..z}}id`true`",
        "for i in {Z..a}id`true`; do :; done",
        "echo {Z..a}'$(reboot)'",
        "echo {Z..a}\\$x",
    };
    static const char *const certain[] = {"echo {a..z} {A..Z}", "echo x{1..3}`date`", "echo {A..z}"};
    (void)state;
    CHECK(asked, false);
    CHECK(certain, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_over_known_words_are_gone_through),
        cmocka_unit_test(expansions_of_known_values_are_computed),
        cmocka_unit_test(arrays_that_are_written_out_are_known),
        cmocka_unit_test(what_pushd_left_is_found_again),
        cmocka_unit_test(what_calls_give_a_function_is_known_in_it),
        cmocka_unit_test(braces_across_the_cases_may_run_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
