/* test_read_words.c: what words become: variables, splitting, braces, "~", and where nothing is known any more. */
#include "read_support.h"

static void variables_bound_to_literals_are_put_in(void **state)
{
    static const struct row rows[] = {
        {"x=foo; a \"$x\" $x ${x}y", "x=<foo> ; <a><foo><foo><fooy>"},
        {"x='a  b'; a $x \"$x\" c$x", "x=<a  b> ; <a><a><b><a  b><ca><b>"},
        {"x=; a $x \"$x\" b$x", "x=<> ; <a><><b>"},
        {"x=a; y=$x$x; x+=b; a $x $y", "x=<a> ; y=<aa> ; x+=<b> ; <a><ab><aa>"},
        {"x='*.c'; a $x \"$x\"", "x=<*.c> ; <a>?<|.c>gm<*.c>"},
        {"x='a\\b'; a $x", "x=<a\\b> ; <a>?<a|b>gm"},
        {"export x=a y='b c'; z \"$y\" $x", "<export><x=a><y=b c> ; <z><b c><a>"},
        {"x='1 2'; export y=$x; z \"$y\"", "x=<1 2> ; <export><y=1 2> ; <z><1 2>"},
        {"x=a b $x; c $x", "x=<a><b>?<|>mv ; <c>?<|>mv"},
        {"a $HOME ~ ~/b \"~\" $PWD $USER", "<a></h></h></h/b><~></w><me><too>"},
        {"x=~/a:~/b; c x=~/d --y=~/e", "x=</h/a:/h/b> ; <c><x=/h/d><--y=~/e>"},
        {"a ~u ~+ ~'x' ~$x", "<a>?<|>h?<|>h?<|>h?<|>mvh"},
        {"x='rm -rf'; $x /", "x=<rm -rf> ; <rm><-rf></>"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void what_is_not_certain_is_not_known(void **state)
{
    static const struct row rows[] = {
        {"a && x=1; b $x", "<a> ; x=<1> ; <b>?<|>mv"},
        {"a && x=1 && b $x", "<a> ; x=<1> ; <b><1>"},
        {"x=0; a && x=1 || b $x", "x=<0> ; <a> ; x=<1> ; <b>?<|>vn"},
        {"x=a; (x=b; c $x); d $x", "x=<a> ; group  ; x=<b> ; <c><b> ; <d><a>"},
        {"x=a; c | x=b; d $x", "x=<a> ; <c> ; x=<b> ; <d><a>"},
        {"x=a; x=b & d $x", "x=<a> ; x=<b> ; <d><a>"},
        {"x=a; if b; then x=c; fi; d $x", "x=<a> ; group  ; <b> ; x=<c> ; <d>?<|>v"},
        {"x=a; for i in 1 2; do b $x; x=c; done", "x=<a> ; for i <1><2> ; <b>?<|>mv ; x=<c>"},
        {"x=a; while b $x; do c; done; d $x", "x=<a> ; group  ; <b><a> ; <c> ; <d><a>"},
        {"i=a; for i in b; do c $i; done", "i=<a> ; for i <b> ; <c>?<|>v"},
        {"x=a; f() { b $x; }; f", "x=<a> ; function f  ; group  ; <b>?<|>mv ; <f>"},
        {"x=a; f() { x=b; }; f; c $x", "x=<a> ; function f  ; group  ; x=<b> ; <f> ; <c>?<|>mv"},
        {"x=a; $y; b $x", "x=<a> ; ?<|>mv ; <b>?<|>mv"},
        {"x=a; echo $(x=b; c $x) $x", "x=<a> ; <echo>?<|>mc<a> ; x=<b> ; <c><b>"},
        {"x=a; b ${x:-c} ${x%a}k ${#x}", "x=<a> ; <b><a><k><1>"},
        {"x=$1; b ${x:-c} ${x%a} ${#x}", "x=?<|>v ; <b>?<|>mv?<|>mv?<|>vn"},
        {"a=(1); b $a ${a[0]} \"${a[@]}\" ${#a[@]}", "a()=?<|>v ; <b>?<|>mv<1><1><1>"},
        {"a=($1); b $a ${a[0]} \"${a[@]}\" ${#a[@]}", "a()=?<|>v ; <b>?<|>mv?<|>mv?<|>mv?<|>vn"},
        {"declare -r x=b; c $x", "<declare><-r><x=b> ; <c><b>"},
        {"typeset x=b y; c $x", "<typeset><x=b><y> ; <c><b>"},
        {"for i in 1 2; do c $i; done", "for i <1><2> ; <c>?<|>vn"},
        {"a $1 \"$@\" $# $? $$", "<a>?<|>mv?<|>mv?<|>vn?<|>vn?<|>vn"},
        {"a x$y.c \"$y\"z", "<a>?<x|.c>mv?<|z>v"},
    };
    static const char *const changers[] = {
        "read x",         "eval 'x=b'",      ". f",
        "source f",       "printf -v x b",   "mapfile x",
        "unset x",        "declare x+=b",    "declare -i x",
        "local x",        "typeset -u x=b",  "readonly x=b; x=c",
        "export x=$y",    "export -n x",     "let x=1",
        "getopts ab x",   "trap 'x=b' USR1", "b \"${x:=c}\"",
        "((x=y))",        "builtin read x",  "b \"${!y}\"",
        "x[0]=b",         "x=(b)",           "b {x}>f",
        "b \"${y@P}\"",   "b \"${y[z]}\"",   "$(a)",
        "IFS=a",          "command read x",  "\"$y\" x",
        "set -k",         "b $((y))",        "printf \"$y\" z",
        "[[ $y -eq 1 ]]", "read -a x",       "wait -p x 1",
        "wait -n -p x",   "b ${y:z:1}",      "POSIXLY_CORRECT=1",
    };
    (void)state;
    CHECK_ROWS(rows);
    for (size_t i = 0; i < sizeof changers / sizeof *changers; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        char text[128];
        snprintf(text, sizeof text, "x=a; %s; last $x", changers[i]);
        shell_read(&arena, hv_str_from(text), &test_start, &script);
        const struct shell_command *last = &script.commands[script.count - 1];
        if (last->word_count == 2 && last->words[1].known)
            print_error("still known: %s\n", text);
        assert_false(last->word_count == 2 && last->words[1].known);
        hv_arena_release(&arena);
    }
}

static void harmless_commands_leave_variables_as_they_are(void **state)
{
    static const char *const commands[] = {
        "ls",         "cd /",          "echo $y",      "printf '%s' x",   "read y",
        "set -e",     "printf -v y b", "command -v z", "trap 'x=b' EXIT", "while read -r l; do z; done",
        "y=$((1+1))", "export y=b",    "[[ -n $y ]]",  "test $y",         "for i in 1; do z; done",
        "unset y",    "wait",          "! z"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        char text[128];
        snprintf(text, sizeof text, "x=a; %s; last $x", commands[i]);
        shell_read(&arena, hv_str_from(text), &test_start, &script);
        const struct shell_command *last = &script.commands[script.count - 1];
        if (!last->words[1].known)
            print_error("not known: %s\n", text);
        assert_true(script.accepted && last->words[1].known && hv_str_is(last->words[1].value, "a"));
        hv_arena_release(&arena);
    }
}

static void numbers_stay_numbers(void **state)
{
    static const struct row rows[] = {
        {"n=1; a $((n+1)) $n", "n=<1> ; <a><2><1>"},
        {"n=1; n=$((n+1)); a $n", "n=<1> ; n=<2> ; <a><2>"},
        {"n=7; a $(( (n - 2) * 3 / 2 % 4 )) \"$((-$n)),$((${n}+1))p\"", "n=<7> ; <a><3><-7,8p>"},
        {"n=-7; a $((1-n)) $((1-$n)) $((n/2))", "n=<-7> ; <a><8>?<|>an<-3>"},
        {"a $((1/0)) $((9223372036854775807+1)) $((2**3)) $((1--1))", "<a>?<|>an?<|>an?<|>an?<|>an"},
        {"a $((08)) $((0x10)) $((1<2)) $((n=1))", "<a>?<|>an?<|>an?<|>an?<|>an"},
        {"IFS=1; a $((1+1)) \"$((1+1))\"", "IFS=<1> ; <a>?<|>man<2>"},
        {"n=0; while b; do n=$((n+1)); done; a $n", "n=<0> ; group  ; <b> ; n=?<|>an ; <a>?<|>vn"},
        {"n=x; a $((n+1))", "n=<x> ; <a>?<|>mae"},
        {"a $((2*(3+4))) $[1] $((10#08))", "<a><14><1>?<|>an"},
        {"a $((x)) ", "<a>?<|>mae"},
        {"a $((a[0]))", "<a>?<|>mae"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void braces_expand_as_in_bash(void **state)
{
    static const struct row rows[] = {
        {"a {b,c}d{e,f}", "<a><bde><bdf><cde><cdf>"},
        {"a {1..3} {3..1} {01..10..4} {a..c} {-1..1} {1..5..2}",
         "<a><1><2><3><3><2><1><01><05><09><a><b><c><-1><0><1><1><3><5>"},
        {"a {b} {b,} {,} {} {b {b,c x}", "<a><{b}><b><{}><{b><{b,c><x}>"},
        {"a {b,{c,d}e} {{b,c},d}", "<a><b><ce><de><b><c><d>"},
        {"a '{b,c}' \"{b,c}\" \\{b,c} {b\\,c} {'b,c',d}", "<a><{b,c}><{b,c}><{b,c}><{b,c}><b,c><d>"},
        {"x={a,b} c", "x=<{a,b}><c>"},
        {"a {$x,b}c", "<a>?<|>mv"},
        {"a $x{b,c}", "<a>?<|>mv"},
        {"a ${x}{b,c}", "<a>?<|b>mv?<|c>mv"},
        {"a {1..1000000} b", "<a>?<|>mv<b>"},
        {"a {A..z}", "<a>?<|>mv"},
        {"{rm,-rf,/}", "<rm><-rf></>"},
        {"a ${x:-{b,c}}", "<a>?<|}>mv"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void growth_is_bounded(void **state)
{
    static const char *const scripts[] = {"x=aaaaaaaaaaaaaaaa;", "x=$x$x$x$x;", "b $x$x;", "b {1..1000}{1..1000};"};
    struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX};
    struct shell_script script;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int j = 0; j < 500; j++)
            hv_buf_add_cstr(&text, scripts[i]);
    hv_buf_add_cstr(&text, "last $x");
    shell_read(&arena, hv_buf_str(&text), NULL, &script);
    assert_true(script.accepted && arena.used < 64u << 20);
    hv_arena_release(&arena);
}

static void the_directory_is_followed(void **state)
{
    static const struct {
        const char *script, *directory, *likely; /* of the last command */
    } rows[] = {
        {"p", "/w", ""},
        {"cd a && p", "/w/a", ""},
        {"cd a; p", "", "/w/a"},
        {"cd a && cd ../b && p", "/w/b", ""},
        {"cd a && q; p", "", "/w/a"},
        {"cd a || p", "", "/w/a"},
        {"cd /; p", "/", ""},
        {"cd . && p", "/w", ""},
        {"cd && p", "/h", ""},
        {"cd -- a && p", "/w/a", ""},
        {"cd ~/x && p", "/h/x", ""},
        {"x=a; cd $x && p", "/w/a", ""},
        {"cd $x && p", "", ""},
        {"cd - && p", "", ""},
        {"cd -P a && p", "/w/a", ""},
        {"cd -P a; p", "", "/w/a"},
        {"cd -L a && p", "/w/a", ""},
        {"cd -e -P a && p", "/w/a", ""},
        {"cd -eP -- a && p", "/w/a", ""},
        {"cd -@ a && p", "/w/a", ""},
        {"cd -P /x; cd -; p", "", ""},
        {"cd -P a/.. && p", "", ""}, /* a may be a link */
        {"cd -P a && cd .. && p", "", ""},
        {"cd -P a && cd -L .. && p", "", ""},
        {"cd -P -L a/.. && p", "/w", ""},
        {"cd -P a && cd /b/.. && p", "/", ""},
        {"(cd -P a); cd b/.. && p", "/w", ""},
        {"for i in 1 2; do cd -P a; done; cd /x; cd ..; p", "", ""},
        {"cd -x a && p", "", ""},
        {"cd -P $x && p", "", ""},
        {"cd $x a && p", "", ""},
        {"command cd a && p", "/w/a", ""},
        {"builtin cd a && p", "/w/a", ""},
        {"command -p cd -- a && p", "/w/a", ""},
        {"command -- builtin cd -P a; p", "", "/w/a"},
        {"command -v cd a && p", "/w", ""},
        {"command $x a && p", "", ""},
        {"builtin pushd a; p; popd; q", "/w", ""},
        {"builtin echo a && p", "/w", ""},
        {"command eval cd a && p", "/w/a", ""},
        {"command . a && p", "", ""},
        {"cd() { builtin cd /x; }; cd a && p", "", ""},
        {"pushd() { builtin cd /x; }; pushd a && p", "", ""},
        {"command() { cd /x; }; command cd a && p", "", ""},
        {"eval() { cd /x; }; eval cd a && p", "", ""},
        {"cd() { builtin cd /x; }; command cd a && p", "/w/a", ""},
        {"eval cd a && p", "/w/a", ""},
        {"eval 'cd a'; p", "", "/w/a"},
        {"eval -- 'cd a' && p", "/w/a", ""},
        {"eval 'cd a && q' && p", "", "/w/a"},
        {"eval '! cd a' && p", "", "/w/a"},
        {"eval 'cd a || true' && p", "", "/w/a"},
        {"eval 'cd /a; cd b'; p", "", ""},
        {"eval '(cd a)'; p", "/w", ""},
        {"eval 'cd a | q'; p", "/w", ""},
        {"x=a; eval 'cd $x' && p", "/w/a", ""},
        {"eval 'cd $x' && p", "", ""},
        {"eval \"cd $x\" && p", "", ""},
        {"eval 'x=/etc; cd $x' && p", "", ""},
        {"eval 'eval cd a' && p", "", ""},
        {"eval 'f() { cd /x; }; f'; p", "", ""},
        {"f() { cd /x; }; eval f; p", "", ""},
        {"eval 'shift; cd a' && p", "", ""},
        {"eval 'cd a' 2>/dev/null && p", "/w/a", ""},
        {"cd a b && p", "", ""},
        {"pushd $x && p", "", ""},
        {"pushd +1 && p", "", ""},
        {"pushd -n a && p", "/w", ""},
        {"pushd -n a; popd; p", "", ""},
        {"pushd a; pushd -n /x; popd; p", "", ""},
        {"pushd +1 -n; p", "/w", ""},
        {"pushd a -n; p", "", ""},
        {"popd -n; p", "/w", ""},
        {"pushd -- a; p; popd; q", "/w", ""},
        {"pushd -- -P; p", "", ""},
        {"pushd -- -n; p", "", ""},
        {"pushd && p", "", ""},
        {"pushd a && p", "/w/a", ""},
        {"pushd a; p", "", "/w/a"},
        {"pushd a; p; popd; q", "/w", ""},
        {"pushd a && p && popd && q", "/w", ""},
        {"pushd a && p && popd; q", "", "/w"},
        {"pushd a && cd b && p; popd; q", "/w", ""},
        {"pushd a; cd b; popd; p", "", ""},
        {"pushd a; pushd b; popd; p", "", ""},
        {"pushd a && pushd /b && p; popd; q", "", ""},
        {"pushd a && pushd /b && popd && p", "/w/a", ""},
        {"pushd a && popd; popd; p", "", ""},
        {"cd /x && pushd a; popd; p", "", ""},
        {"popd; p", "/w", ""},
        {"popd +1; p", "", ""},
        {"dirs; p", "/w", ""},
        {"pushd a; dirs -c; popd; p", "", ""},
        {"pushd a; DIRSTACK=x; popd; p", "", ""},
        {"for d in a b; do pushd $d; p; popd; done; p", "", ""},
        {"f() { pushd /x; }; f; popd; p", "", ""},
        {"cd a && cd - && p", "/w", ""},
        {"cd a; cd - && p", "", ""},
        {"cd a && OLDPWD=/x && cd - && p", "", ""},
        {"cd a && read OLDPWD && cd - && p", "", ""},
        {"cd a && q; cd - && p", "", ""},
        {"cd a && cd b && cd - && p", "/w/a", ""},
        {"true && cd /x && false && cd /w && true; p", "", "/w"},
        {"true && cd /x; cd /y && true; p", "", "/y"},
        {"while q; do cd /; done; p", "", ""},
        {"cd nowhere && q || p", "", "/w/nowhere"},
        {"for d in a b; do (cd $d && q); done; p", "/w", ""},
        {"(cd a && q); p", "/w", ""},
        {"cd a | p; p", "/w", ""},
        {"! cd a && p", "", "/w/a"},
        {"cd a || cd b && p", "", ""},
        {"if cd a; then p; fi", "/w/a", ""},
        {"if cd a; then q; else p; fi", "", "/w/a"},
        {"while q; do p; cd a; done", "", ""},
        {"f() { cd a; }; f; p", "", ""},
        {"f() { p; }", "/w", ""}, /* nothing moves */
        {"f; cd x; f() { p; }", "", ""},
        {"g() { cd x; }; f() { p; }", "", ""},
        {"eval x; f() { p; }", "", ""},
        {"command -v x; f() { p; }", "/w", ""},
        {"command cd x; f() { p; }", "", ""},
        {"$x; f() { p; }", "", ""},
        {"{ cd a; } && p", "/w/a", ""},
        {"cd a && echo $(p)", "/w/a", ""},
        {"cd /x; cd y; p", "", ""},
        {"eval x; p", "/w", ""}, /* as x; p */
        {"eval \"$x\"; p", "", ""},
        {"a <<E; cd /x\n$(p)\nE", "/w", ""},
        {"case a in a) cd /x;; b) p;; esac", "", "/x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        shell_read(&arena, hv_str_from(rows[i].script), &test_start, &script);
        assert_true(script.accepted);
        const struct shell_command *last = &script.commands[script.count - 1];
        if (!hv_str_is(last->directory, rows[i].directory) || !hv_str_is(last->likely_directory, rows[i].likely))
            print_error("%s: %.*s, likely %.*s\n", rows[i].script, HV_STR_ARG(last->directory),
                        HV_STR_ARG(last->likely_directory));
        assert_true(hv_str_is(last->directory, rows[i].directory));
        assert_true(hv_str_is(last->likely_directory, rows[i].likely));
        hv_arena_release(&arena);
    }
}

static void calls_of_functions_are_seen(void **state)
{
    struct hv_arena arena = {0};
    struct shell_script script;
    (void)state;
    shell_read(&arena, HV_STR("ls; ls() { a; }; ls; 'ls'; b"), NULL, &script);
    static const bool calls[] = {true, false, false, false, true, true, false};
    assert_int_equal(script.count, 7);
    for (size_t i = 0; i < script.count; i++)
        assert_int_equal(script.commands[i].calls_function, calls[i]);
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_bound_to_literals_are_put_in),
        cmocka_unit_test(what_is_not_certain_is_not_known),
        cmocka_unit_test(harmless_commands_leave_variables_as_they_are),
        cmocka_unit_test(numbers_stay_numbers),
        cmocka_unit_test(braces_expand_as_in_bash),
        cmocka_unit_test(growth_is_bounded),
        cmocka_unit_test(the_directory_is_followed),
        cmocka_unit_test(calls_of_functions_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
