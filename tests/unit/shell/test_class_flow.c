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

static void where_the_shell_stands_is_known(void **state)
{
    static const char *const harmless[] = {
        "find \"$PWD\" -name x",     "find \"$(pwd)\" -name x",        "sort `pwd`/a",
        "git -C \"$PWD/a\" status",  "cd a && git -C $(pwd) status",   "cd a && sort \"$PWD/b\"",
        "bash -c 'sort \"$PWD/a\"'", "(cd a); git -C \"$PWD\" status",
    };
    static const char *const harmful[] = {
        "PWD=-o; sort $PWD",
        "cd a; find \"$PWD\"",
        "pwd() { echo -delete; }; find $(pwd)",
        "read PWD; sort $PWD",
        "cd \"$x\"; find $(pwd)",
        "IFS=/; sort $(pwd)",
        "f() { find \"$PWD\"; }; f",
        "find $(pwd; echo -delete)",
        "find $(pwd -P)x",
        "env -u PWD bash -c 'cd .. && cat a'",
        "cd a && env --unset=PWD sh -c 'cd .. && cat a'",
        "env -C a bash -c 'cd .. && cat b'",
        "unset PWD; sort $PWD",
        "find \"$OLDPWD\"",
    };
    (void)state;
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
}

static void what_a_script_is_given_is_known(void **state)
{
    static const char *const commands[] = {
        "find . -name '*.py' -exec sh -c 'echo \"$1: $(wc -l < \"$1\")\"' _ {} \\;",
        "find . -exec bash -c 'n=$(wc -l < \"$0\"); [ \"$n\" -gt 9 ] && echo \"$0 $n\"' {} \\;",
        "find . -exec sh -c 'sort \"$1\"' _ {} \\;",
        "find . -exec sh -c 'for f; do sort \"$f\"; done' _ {} +",
        "find a b -exec sh -c 'for f in \"$@\"; do sort \"$f\"; head -3 \"$f\"; done' _ {} +",
        "bash -c 'sort \"$1\" \"${2}\"' _ a.txt b.txt",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void what_a_script_is_given_may_be_anything_else(void **state)
{
    static const char *const commands[] = {
        "find . -exec sh -c 'sort $1' _ {} \\;", /* cut */
        "find . -exec sh -c 'for f in \"$@\"; do sort $f; done' _ {} +",
        "find . -exec sh -c 'sort \"$1\"' {} \\;", /* it is $0 */
        "find . -exec sh -c 'sort \"$2\"' _ {} -ox \\;",
        "find . -exec sh -c 'shift; sort \"$1\"' _ {} -ox \\;",
        "find . -exec sh -c 'command shift; sort \"$1\"' _ {} -ox \\;",
        "find . -exec sh -c 'set -- -ox; sort \"$1\"' _ {} \\;",
        "find . -exec sh -c 'sort \"$1\" > \"$1.x\"' _ {} \\;",
        "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
        "find . -exec sh -c '\"$1\"' _ {} \\;",
        "find . -exec sh -c 'eval \"$1\"' _ {} \\;",
        "find . -exec sh -c '. \"$1\"' _ {} \\;",
        "find . -exec bash -c '[[ \"$1\" -gt 3 ]]' _ {} \\;",
        "find . -exec bash -c 'echo $(( $1 ))' _ {} \\;",
        "find . -exec bash -c 'f() { sort \"$1\"; }; f -ox' _ {} \\;",
        "find . -exec bash -c 'read \"$1\"; sort \"$1\"' _ {} \\;",
        "bash -c 'sort \"$1\"' _ -ox",
        "bash -c 'sort \"$1\"' _ \"$x\"",
        "bash -c 'sort \"$1\"' $x a.txt",
        "bash -c 'for f; do sort \"$f\"; done' _ a -ox",
        "bash -c 'for f; do sort \"$f\"; done' $x a",
        "bash -c 'printf -v \"$1\" x' _ PATH",
        "bash -c 'cat < \"$1\"' _ /dev/tcp/h/80",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void what_all_calls_give_is_known(void **state)
{
    static const char *const commands[] = {
        "count() { wc -l < \"$1\"; }; count a.txt",
        "show() { head -n \"$2\" \"$1\"; }; show a.txt 5",
        "s() { sort \"$1\"; }; s a.txt; s src/b.txt; s src/*.c",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void calls_may_give_anything_else(void **state)
{
    static const char *const commands[] = {
        "s() { sort \"$1\"; }; s a.txt; s -ox",
        "s() { sort \"$1\"; }; s *.c",
        "s() { sort \"$1\"; }; s \"$x\"",
        "s() { sort \"$1\"; }; s $x a.txt",
        "s() { sort \"$1\"; }; s; s a.txt",
        "s() { shift; sort \"$1\"; }; s a.txt -ox",
        "s() { sort \"$1\"; s -ox; }; s a.txt",
        "s() { s() { sort \"$1\"; }; }; s a; s -ox",
        "s() { sort \"$1\"; }; t() { sort \"$1\"; }; s a; t -ox",
        "s() { sort \"$1\"; }; set -- -ox; sort \"$1\"; s a",
        "s() { sort \"$1\"; }; trap 's -ox' EXIT; s a",
        "s() { wc -l < \"$1\"; }; s /dev/tcp/h/80",
        "s() { sort \"$1\"; }; \"$y\" -ox; s a",
        "s() { sort \"$1\"; }; mapfile -C s -c 1 x < f; s a",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void the_top_of_a_repository_is_known(void **state)
{
    static const char *const commands[] = {
        "cd \"$(git rev-parse --show-toplevel)\" && git status --short",
        "cd \"$(git rev-parse --show-toplevel 2>/dev/null)\"; git log -3; cat a",
        "cd src && cd \"$(git rev-parse --show-toplevel)\" && git -C src log",
    };
    static const char *const others[] = {
        "cd \"$(git rev-parse --show-toplevel)\" && cd src && git status",
        "cd src; cd \"$(git rev-parse --show-toplevel)\" && git status",
        "cd \"$(git rev-parse --show-toplevel)/src\" && git status",
        "cd $(git rev-parse --show-toplevel) && git status",
        "cd \"$(git -C x rev-parse --show-toplevel)\" && git status",
        "cd -P \"$(git rev-parse --show-toplevel)\" && git status",
        "for i in 1 2; do git status; cd \"$(git rev-parse --show-toplevel)\"; cd sub; done",
        "cd \"$(git rev-parse --show-toplevel)\" && git commit -am x",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
    check_harmful(others, sizeof others / sizeof *others);
}

/* Where the words of a loop are cut at something else than blanks, pieces of names may be options. */
static void words_that_are_cut_elsewhere_are_not_known(void **state)
{
    static const char *const commands[] = {
        "IFS=_; for f in x_-oout; do sort $f; done",
        "for f in x_-oout; do IFS=_; sort $f; done",
        "IFS=_; s() { sort $1; }; s x_-oout",
    };
    static const char *const others[] = {
        "IFS=_; for f in x_-oout; do sort \"$f\"; done",
        "for f in x_y; do sort $f; done",
        "while IFS=: read -r a b; do echo \"$a $b\"; done < f",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
    check_harmless(others, sizeof others / sizeof *others);
}

static void sums_of_known_numbers_are_known(void **state)
{
    static const char *const commands[] = {
        "sed -n \"$((5+1)),$((10*2))p\" f",
        "start=10; sed -n \"${start},$((start+5))p\" f",
        "n=3; head -n $((n*2)) f",
    };
    static const char *const others[] = {
        "x=$((1+1)); sed \"$x w out\" f",
        "n=$((2+3)); sort -o$n f",
        "sed -n \"$((n+1)),$((m))p\" f",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
    check_harmful(others, sizeof others / sizeof *others);
}

/* Options by which a program only tells what it would do, or what it did. */
static void trials_only_read(void **state)
{
    static const char *const commands[] = {
        "rsync -avn src/ dst/",
        "rsync --dry-run -a --delete --exclude=.git a b",
        "rsync -ani a/ b",
        "rsync -r --list-only src",
        "cmake -N -LAH build",
        "cmake -LA -N",
        "ccache -s",
        "ccache --get-config max_size",
        "kustomize version",
        "patch --dry-run -p1 < x.patch",
        "patch -p1 --dry-run -i x.patch",
        "ssh -Q cipher",
        "at -l",
        "ldd /bin/ls",
        "ldd -v /usr/lib/x.so",
        "git ls-remote --get-url origin",
        "git ls-remote --get-url",
    };
    static const char *const others[] = {
        "rsync -av src/ dst/",
        "rsync -avn src host:dst",
        "rsync -avn src rsync://h/x",
        "rsync -avn -e ssh a b",
        "rsync -avn --rsh=x a b",
        "rsync -avn --log-file=x a b",
        "rsync -avn --write-batch=x a b",
        "rsync -avnb a b",
        "rsync -avn \"$x\" b",
        "rsync -avn $x b",
        "rsync -a --exclude=-n a b",
        "rsync -a -- -n b",
        "ninja -C build",
        "ninja -n -t clean",
        "ninja -n all -tclean",
        "ninja -n \"$x\"",
        "ninja -t clean -n",
        "cmake -LA build",
        "cmake -N build",
        "cmake -N -LA -P x.cmake",
        "cmake -N -LA -C x.cmake",
        "cmake -N -LA a b",
        "cmake -N -LA \"$x\"",
        "cmake -N -LA -DX=1 b",
        "ccache gcc -s x.c",
        "ccache -C",
        "ccache -M 5G",
        "ccache -o a=b",
        "kustomize build x",
        "patch -p1 < x.patch",
        "patch --dry-run -o out -p1 < x",
        "patch --dry-run -r rej -p1 < x",
        "patch --dry-run -g1 -p1 < x",
        "patch --dry-run -d sub < x",
        "patch -i --dry-run -p1",
        "patch --dry-run \"$x\"",
        "ssh -Q cipher host",
        "ssh -Q \"$x\"",
        "ssh -Q -oProxyCommand=x",
        "at now",
        "at -l -f x now",
        "ldd a.out",
        "ldd ./a.out",
        "ldd /bin/../tmp/x",
        "ldd /bin/ls a.out",
        "ldd \"$x\"",
        "ldd /usr/local/bin/x",
        "getent hosts example.com",
        "getent ahosts example.com",
        "getent networks x",
        "getent shadow",
        "getent -s dns passwd x",
        "getent passwd -s dns",
        "getent passwd \"$x\"",
        "getent \"$x\"",
        "getent aliases x",
        "getent netgroup x",
        "git ls-remote --get-url --upload-pack=x o",
        "git ls-remote --get-url \"$x\"",
        "git ls-remote origin",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
    check_harmful(others, sizeof others / sizeof *others);
}

static void what_every_shell_reads_alike_is_judged(void **state)
{
    static const char *const commands[] = {
        "find . -type f -exec sh -c 'head -c2 \"$1\" | grep -q \"^#!\" && echo \"$1\"' _ {} \\;",
        "sh -c 'for f in *.c; do echo \"${f%.c}\"; done'",
        "sh -c 'if ! [ -f x ]; then echo no; fi; echo $((1+2)) \"${x:-a}\" ${#x} {}'",
        "sh -c '{ ls; }; echo ${1-x} ${#} ${x##*/}'",
    };
    static const char *const others[] = {
        "sh -c 'echo {a,b}'",           "sh -c '((rm x))'",           "sh -c '((ls))'",       "sh -c 'echo $((x++))'",
        "sh -c 'echo ${x/a/b}'",        "sh -c 'echo ${x:1}'",        "sh -c 'echo ${!x}'",   "sh -c 'echo ${x^^}'",
        "sh -c 'echo ${x:-{a,b}}'",     "sh -c 'echo {1..3}'",        "sh -c 'echo ${x[0]}'", "sh -c 'echo ${#x:-a}'",
        "sh -c 'echo \"${x:-'\\''}\"'", "sh -c 'echo ${x:-\"a\"}'",   "sh -c '{ rm y; }'",    "sh -c '!(ls)'",
        "sh -c 'echo $((a[$(rm x)]))'", "sh -c 'echo $((ls) | cat)'",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
    check_harmful(others, sizeof others / sizeof *others);
}

static void names_of_commits_are_known_to_be_such(void **state)
{
    static const char *const commands[] = {
        "base=$(git merge-base HEAD main); git diff --stat \"$base\"",
        "base=\"$(git merge-base HEAD main)\"; git diff $base",
        "base=$(git merge-base HEAD main) && git log \"$base\"..HEAD --oneline",
        "base=$(git merge-base HEAD main); git diff \"${base}..HEAD\" -- src",
        "sha=$(git rev-parse HEAD); git show --stat \"$sha\"",
        "sha=$(git rev-parse HEAD); git show \"$sha:README.md\"",
        "sha=$(git rev-parse HEAD); git show \"$sha:.env\"",
        "git show HEAD:.env",
        "git show $(git rev-list -1 --before='2024-01-01' main):README.md",
        "git show $(git rev-parse HEAD):.env",
        "echo $(( $(git rev-list --count HEAD) - 1 ))",
    };
    static const char *const others[] = {
        "sha=$(git rev-parse --abbrev-ref HEAD); git show \"$sha\"",
        "sha=$(git rev-parse HEAD); sha=--output=x; git show \"$sha\"",
        "sha=$(git rev-parse HEAD); read sha; git show \"$sha\"",
        "[ x ] && sha=$(git rev-parse HEAD); git show \"$sha\"",
        "(sha=$(git rev-parse HEAD)); git show \"$sha\"",
        "git show \"$sha\"; sha=$(git rev-parse HEAD)",
        "sha=$(git rev-parse HEAD)x; git show \"$sha\"",
        "sha=x$(git rev-parse HEAD); git show \"$sha\"",
        "sha=$(git rev-parse '--output=x'); git show \"$sha\"",
        "sha=$(git rev-list --format=%s HEAD); git show $sha",
        "sha=$(git rev-list '--format=x' HEAD); git show $sha",
        "IFS=a; sha=$(git rev-parse HEAD); git show $sha",
        "sha=$(git rev-parse HEAD); for sha in --output=x; do git show \"$sha\"; done",
        "sha=$(git rev-parse HEAD); eval \"$x\"; git show \"$sha\"",
        "sha=$(git rev-parse HEAD); git show \"$sha\" \"$y\"",
        "sha=$(git rev-parse HEAD); git show --output=\"$sha\"",
        "sha=$(git rev-parse HEAD); f() { sha=--output=x; }; f; git show \"$sha\"",
        "git() { echo --output=x; }; sha=$(git rev-parse HEAD); git show \"$sha\"",
        "sha=$(git rev-parse HEAD); git reset --hard \"$sha\"",
        "echo $(( PATH=1 + $(git rev-list --count HEAD) ))",
        "echo $(( $(echo 1) + PATH-- ))",
        "echo $(( $((PATH=1)) ))",
        "echo $((PATH=1))",
        "echo $(( x++ ))",
        "base=$(git describe --tags); git log \"$base\"",
        "base=$(git rev-parse HEAD); git log \"$base$x\"",
        "base=$(git rev-parse HEAD); git log $base*",
        "base=$(git rev-parse HEAD) git log \"$base\"",
        "base=$(git rev-parse HEAD | cat); git log \"$base\"",
        "while base=$(git rev-parse HEAD); do git log \"$base\"; done",
        "base=$(git rev-parse HEAD); sort \"$base\"",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
    check_harmful(others, sizeof others / sizeof *others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_forms_are_judged_by_what_they_run),
        cmocka_unit_test(odd_forms_hide_nothing),
        cmocka_unit_test(where_the_shell_stands_is_known),
        cmocka_unit_test(what_a_script_is_given_is_known),
        cmocka_unit_test(what_a_script_is_given_may_be_anything_else),
        cmocka_unit_test(what_all_calls_give_is_known),
        cmocka_unit_test(calls_may_give_anything_else),
        cmocka_unit_test(the_top_of_a_repository_is_known),
        cmocka_unit_test(words_that_are_cut_elsewhere_are_not_known),
        cmocka_unit_test(sums_of_known_numbers_are_known),
        cmocka_unit_test(trials_only_read),
        cmocka_unit_test(what_every_shell_reads_alike_is_judged),
        cmocka_unit_test(names_of_commits_are_known_to_be_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
