/* test_read.c: scripts and the commands in them: the grammar. */
#include "read_support.h"

static void words_lose_their_quotes(void **state)
{
    static const struct row rows[] = {
        {"ls -la /tmp", "<ls><-la></tmp>"},
        {"echo 'a b' \"c d\" e\\ f", "<echo><a b><c d><e f>"},
        {"a''b\"\"c \"\" ''", "<abc><><>"},
        {"\"a\\\"\\\\\\$\\`\\n\"", "<a\"\\$`\\n>"},
        {"echo $'a\\tb\\x41\\101\\'\\e' $\"x\"", "<echo><a\tbAA'\033><x>"},
        {"echo $'\\u41' $'\\cb' $'\\q'", "<echo><A><\002><\\q>"},
        {"echo $'\\u00e9'x", "<echo>?<|x>v"},
        {"echo \\$x '$x' \"\\$x\"", "<echo><$x><$x><$x>"},
        {"a\\\n b c\\\nd", "<a><b><cd>"},
        {"echo a#b #c", "<echo><a#b>"},
        {"l\vs a\rb\xc2\xa0z", "<l\vs><a\rb\xc2\xa0z>"},
        {"\xff\xfe x", "<\xff\xfe><x>"},
        {"'if' x; \\[ a ]", "<if><x> ; <[><a><]>"},
        {"echo $ \"$\" a$", "<echo><$><$><a$>"},
        {"echo !x {} { } ^", "<echo><!x><{}><{><}><^>"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void lists_and_pipelines_give_their_commands(void **state)
{
    static const struct row rows[] = {
        {"", ""},
        {" # only a comment", ""},
        {"a;b&c&&d||e\nf", "<a> ; <b> ; <c> ; <d> ; <e> ; <f>"},
        {"a | b |& c |\n d", "<a> ; <b> ; <c> ; <d>"},
        {"! a; time b; time -p ! c", "<a> ; <b> ; <c>"},
        {"a | time b", "<a> ; <time><b>"},
        {"(a; b) && { c; }", "group  ; <a> ; <b> ; group  ; <c>"},
        {"{ (a) }", "group  ; group  ; <a>"},
        {"((a); b)", "group  ; group  ; <a> ; <b>"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void redirections_are_told_apart(void **state)
{
    static const struct row rows[] = {
        {"a <b >c >>d 2>e &>f &>>g <>h >|i", "<a> r0<b> w1<c> a1<d> w2<e> b1<f> B1<g> rw0<h> w1<i>"},
        {"a 2>&1 >&2 <&3 2>&- 4<&5-", "<a> dup2<1> dup1<2> dup0<3> dup2<-> dup4<5->"},
        {"a >&b 2>&$x", "<a> b1<b> dup2?<|>mv"},
        {"a >&\"b\" >&''b >&b\"c\" >&b- 1>&$'b'", "<a> b1<b> b1<b> b1<bc> b1<b-> b1<b>"},
        {"a >&\"2\" >&'2-' >&\"2\"- 2>&\"-\" >&2x <&''b", "<a> dup1<2> b1<2-> dup1<2-> dup2<-> b1<2x> r0<b>"},
        {"x=b y=2 z=2-; a >&$x >&\"$y\" >&$y- >&$z >&${x}2",
         "x=<b>y=<2>z=<2-> ; <a> b1<b> dup1<2> dup1<2-> b1<2-> b1<b2>"},
        {"a {fd}>b 12<c a3>d", "<a><a3> w-1fd<b> r12<c> w1<d>"},
        {"a <<<b<<<\"$x\"", "<a> string0<b> string0?<|>v"},
        {"> x", " w1<x>"},
        {"-r2>e", "<-r2> w1<e>"},
        {"\\ >}", "< > w1<}>"},
        {"a 2 >b", "<a><2> w1<b>"},
        {"a >$x >\"a b\" >*", "<a> w1?<|>mv w1<a b> w1?<|>gm"},
        {"x=; a >$x", "x=<> ; <a> w1?<|>m"},
        {"(a) >b 2>&1", "group  w1<b> dup2<1> ; <a>"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void here_documents_have_bodies(void **state)
{
    static const struct row rows[] = {
        {"a <<E\nx $y\nE\nb", "<a> here0?<x |\n>v ; <b>"},
        {"a <<'E'\nx $y `z`\nE", "<a> here0<x $y `z`\n>"},
        {"a <<\\E; b\n$(c)\nE", "<a> here0<$(c)\n> ; <b>"},
        {"a <<-E\n\t\tx\n\tE\nb", "<a> here0<x\n> ; <b>"},
        {"a <<E\n$(b 'c d')`e`\\$(f) \"'\nE", "<a> here0?<|$(f) \"'\n>c ; <b><c d> ; <e>"},
        {"a <<E <<F\n1\nE\n2\nF\nb", "<a> here0<1\n> here0<2\n> ; <b>"},
        {"a <<E | b\nx\\\ny\nE\nc", "<a> here0<xy\n> ; <b> ; <c>"},
        {"a <<E\nx\\\nE\nE\n", "<a> here0<xE\n>"},
        {"a $(b <<E\nx\nE\n)", "<a>?<|>mc ; <b> here0<x\n>"},
        {"a <<E\nE", "<a> here0<>"},
        {"a <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1 <<1",
         "<a>"
         " here0<1> here0<1> here0<1> here0<1> here0<1> here0<1> here0<1> here0<1>"
         " here0<1> here0<1> here0<1> here0<1> here0<1> here0<1> here0<1> here0<1>"
         " !more here-documents than bash takes at once"},
        {"a <<E\nx", "<a> here0<x\n>"}, /* closed by the end: bash warns, and adds the newline */
        {"a <<E\nx\n", "<a> here0<x\n>"},
        {"a <<E", "<a> here0<>"},
        {"a <<E\nx\\", "<a> here0<E> !a here-document is not closed"},
        {"a $(b <<E\nx)", "<a> ; <b> here0<E> !a here-document is not closed"},
        {"a <<E\n${x:-\"b c\"} ${x:-'d'} ${x#\"$y\"}\nE", "<a> here0?<|\n>v"},
        {"a <<E\n${x:-it's}\nE", "<a> here0<E> !a single quote in a ${…} that is quoted"},
        {"a <<E\n${x:-\"$(b)\"}\nE", "<a> here0<E> !quotes in a ${…} of a here-document"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void substitutions_are_commands_too(void **state)
{
    static const struct row rows[] = {
        {"a $(b; c) \"$(d)\"", "<a>?<|>mc?<|>c ; <b> ; <c> ; <d>"},
        {"a `b` \"x`c`y\"", "<a>?<|>mc?<x|y>c ; <b> ; <c>"},
        {"a `b \\`c d\\``", "<a>?<|>mc ; <b>?<|>mc ; <c><d>"},
        {"a <(b) >(c)", "<a>?<|>p?<|>p ; <b> ; <c>"},
        {"x=$(a) b", "x=?<|>c<b> ; <a>"},
        {"a ${x:-$(b)}", "<a>?<|>mvc ; <b>"},
        {"a $((1+$(b)))", "<a>?<|>mcae ; <b>"},
        {"a $() $(# c\n)", "<a>?<|>mc?<|>mc"},
        {"a \"`b \\\"c  d\\\" \\$x`\"", "<a>?<|>c ; <b><c  d>?<|>mv"},
        {"a `b \\\"c\\\"`", "<a>?<|>mc ; <b><\"c\">"},
        {"a $(case x in x) b;; esac)", "<a>?<|>mc ; case <x><x> ; <b>"},
        {"a > $(b)", "<a> w1?<|>mc ; <b>"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* "$((" is arithmetic only when "))" ends it; where quotes or comments could be counted in two ways, it is not read. */
static void a_substitution_may_begin_with_a_subshell(void **state)
{
    static const struct row rows[] = {
        {"a $((b) | c)", "<a>?<|>mc ; group  ; <b> ; <c>"},
        {"a \"$((b; c $x) )\"", "<a>?<|>c ; group  ; <b> ; <c>?<|>mv"},
        {"a $((b 'c d'; e \"f\") | g) h", "<a>?<|>mc<h> ; group  ; <b><c d> ; <e><f> ; <g>"},
        {"a $((b); (c))", "<a>?<|>mc ; group  ; <b> ; group  ; <c>"},
        {"a $(( 1 + 2 ) )", "<a>?<|>mc ; group  ; <1><+><2>"},
        {"a $(((1+2)*3)) $(((1)|(2)))", "<a><9>?<|>an"},
        {"a <<E\n$((b) | c)\nE", "<a> here0?<|\n>c ; group  ; <b> ; <c>"},
        {"a $((b '(') | c)", "<a> !quotes within arithmetic"},
        {"a $((b # x\n) | c)", "<a> !$(( that does not end in ))"},
        {"a \"$(( b $(case x in x) c;; esac) ))\"", "<a> ; case <x><x> ; <c> !$(( that bash reads in two ways"},
        {"a $((case x in x) b;; esac) | c)", "<a> ; group  ; case <x><x> ; <b> ; <c> !$(( that bash reads in two ways"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void compound_commands_are_opened(void **state)
{
    static const struct row rows[] = {
        {"if a; then b; elif c; then d; else e; fi >f", "group  w1<f> ; <a> ; <b> ; <c> ; <d> ; <e>"},
        {"while a; do b; done; until c; do d; done", "group  ; <a> ; <b> ; group  ; <c> ; <d>"},
        {"for i in a 'b c'; do d; done", "for i <a><b c> ; <d>"},
        {"for i\ndo a; done; for i; { b; }", "for i  ; <a> ; for i  ; <b>"},
        {"select i in a; do b; done", "for i <a> ; <b>"},
        {"for ((i=0; i<2; i++)); do a; done", "group  ; (( ?<|>an ; (( ?<|>an ; (( ?<|>an ; <a>"},
        {"case $x in (a|'b c') d;; *) e;& [x]y) esac", "case ?<|>v<a><b c>?<|>gm?<|y>gm ; <d> ; <e>"},
        {"f() { a; }; function g { b; }; function h() ( c )",
         "function f  ; group  ; <a> ; function g  ; group  ; <b> ; function h  ; group  ; <c>"},
        {"[[ -f a && ( $x == b* || ! c < d ) ]]", "[[ <-f><a><&&><(>?<|>v<==>?<b|>gm<||><!><c><<><d><)>"},
        {"[[ $x =~ ^(a|b c)$ ]] && d", "[[ ?<|>v<=~>?<|a|b c)$>gm ; <d>"},
        {"((1+2)); ((x))", "(( <3> ; (( ?<|>ae"},
        {"coproc a b; coproc { c; }", "<a><b> ; group  ; <c>"},
        {"coproc A { b; } >f", "group A()=?<|>vA_PID=?<|>v ; group  w1<f> ; <b>"},
        {"coproc A\tfor i in x; do b; done", "group A()=?<|>vA_PID=?<|>v ; for i <x> ; <b>"},
        {"coproc A (b); coproc A [[ c ]]; coproc A ((1))",
         "group A()=?<|>vA_PID=?<|>v ; group  ; <b> ; group A()=?<|>vA_PID=?<|>v ; [[ <c> ; "
         "group A()=?<|>vA_PID=?<|>v ; (( <1>"},
        {"coproc A\n{ b; }", "<A> ; group  ; <b>"},
        {"coproc time a", "<time><a>"},
        {"A=x; coproc A { a $A; }; b $A $A_PID",
         "A=<x> ; group A()=?<|>vA_PID=?<|>v ; group  ; <a>?<|>mv ; <b>?<|>mv?<|>mv"},
        {"time; ! ; time -p\ntime -- a; time -p -- ! b", " ;  ;  ; <a> ; <b>"},
        {"function f ( a )", "function f  ; group  ; <a>"},
        /* what bash refuses when the definition runs */
        {"\"f\"() { a; }; f", "function \"f\"  ; group  ; <a> ; <f>"},
        {"$x() { a; }; function 'b c' ( d )", "function $x  ; group  ; <a> ; function 'b c'  ; group  ; <d>"},
        {"f+() { a; }; function @ () ( b )", "function f+  ; group  ; <a> ; function @  ; group  ; <b>"},
        {"a=(1 '2 3' $(b)); a+=(c); a[1]=d; declare -A m=([k]=v)",
         "a()=?<|>vc ; <b> ; a()+=?<|>v ; a[]=<d> ; <declare><-A>?<|>mve"},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void what_bash_refuses_is_not_accepted(void **state)
{
    static const char *const scripts[] = {
        "for j in a; do { b; } >f done",
        "coproc fi ((n+1))",
        "coproc do (a)",
        "a \"$(if (b) <f then c; fi)\"",
        "a |",
        "| a",
        "a;;",
        "; a",
        "a && ",
        "(a",
        "a)",
        "{ a; ",
        "}",
        "if a; then",
        "if; then b; fi",
        "fi",
        "done",
        "for in a",
        "while a; b; done",
        "case x",
        "case x in a b) esac",
        "'a",
        "\"a",
        "`a",
        "$(a",
        "${a",
        "a >",
        "a > >b",
        "a <",
        "a <<",
        "f() a",
        "f+() [[ a ]]",
        "$(a)() { b; }",
        "f( x",
        "echo (a)",
        "a=(b",
        "a=(;)",
        "echo a=(b)",
        "[[ a",
        "[[ ]]",
        "[[ a b ]]",
        "((1",
        "$((1",
        "function",
        "! | a",
        "a & && b",
        "a | ! b",
        "()",
        "{}; }",
        "a\\",
        "x() { }",
        "case x in esac x",
        "for ((a;b)); do c; done",
        "coproc",
        "select x in",
        "a <<<",
        "a <1>b",
        "coproc f() { a; }",
        "a=([b c",
        "[[ 1>2 ]]",
        "$(a;;)",
        "in",
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        shell_read(&arena, hv_str_from(scripts[i]), NULL, &script);
        if (script.accepted)
            print_error("accepted: %s\n", scripts[i]);
        assert_false(script.accepted);
        assert_non_null(script.reason);
        assert_true(script.place <= strlen(scripts[i]));
        hv_arena_release(&arena);
    }
}

/* bash takes these, but its lexer and its expansion do not agree on what they are. */
static void what_bash_reads_in_two_ways_is_not_accepted(void **state)
{
    static const char *const scripts[] = {
        "a \"${x:1{}\" | b \"}\"",
        "a \"$(x=${z:<(2}; : )}; b )\"",
        "a \"$(b ${z:1>(2} )}; c )\"",
        "declare -A a; b \"$(a[1<(2]=1; : )]=5; c )\"",
        "declare -A a; b \"$(a[1<\\\n(2]=1; : )]=5; c )\"",
        "a=([1<(2]=1)",
        "a ${b[1<(2]}",
        "a $(b=(\\;))",
        "a <(b=([\\`]=c))",
        "a \"$(declare b=(c [1]=\\'))\"",
        "a \"$$(b \"c\")\"",
        "a \"`b \"{c,d}\"`\"",
        "a \"${x:-\"{b,c}\"}\"",
        "a \"${x:-'}'}\"",
        "a <<$x\n$x",
        "!(a)",
        "a(b)",
        "a @(b|c)",
        "coproc $x { b; }",
        "a $(coproc b)",
        "coproc a-b [[ c ]]",
        "coproc A { b; }; coproc A if",
        "a\\\nb=1",
        "i\\\nf x",
        "a &\\\n& b",
        "a $\\\n(b)",
        "a \"${x:-`b \\\"c\\\"`}\"",
        "a $(( 'x$(b)' ))",
        "a[\\$(b)]=c",
        "cat <<E $(a\nb)\nE",
        "a ${x:-<(b)}",
        "set -H",
        "set -o history",
        "set -k",
        "set -o posix",
        "shopt -s expand_aliases",
        "set $x",
        "shopt $x",
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        shell_read(&arena, hv_str_from(scripts[i]), NULL, &script);
        if (script.accepted)
            print_error("accepted: %s\n", scripts[i]);
        assert_false(script.accepted);
        hv_arena_release(&arena);
    }
}

static void what_stands_before_the_fault_is_still_there(void **state)
{
    static const struct row rows[] = {
        {"rm -rf /; ls 'x", "<rm><-rf></> ; <ls> !a single quote is not closed"},
        {"rm a \"$(b", "<rm><a> ; <b> !a substitution is not closed"},
        {"a; b )", "<a> ; <b> !something that cannot stand where it stands"},
    };
    struct hv_arena arena = {0};
    struct shell_script script;
    (void)state;
    CHECK_ROWS(rows);
    shell_read(&arena, HV_STR("rm a\nb\0c"), NULL, &script);
    assert_false(script.accepted);
    assert_int_equal(script.count, 2);
    assert_int_equal(script.place, 6);
    hv_arena_release(&arena);
}

static void depth_and_length_are_bounded(void **state)
{
    static const char *const pieces[] = {"$(", "(",   "${x:-", "a=(",  "[[ (", "if ",
                                         "{ ", "{a,", "$((",   "<<E ", "\"$(", "while a; do "};
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
        struct shell_script script;
        while (text.len + strlen(pieces[i]) <= SHELL_SCRIPT_MAX)
            hv_buf_add_cstr(&text, pieces[i]);
        shell_read(&arena, hv_buf_str(&text), NULL, &script);
        assert_false(script.accepted && i != 7);
        shell_read(&arena, hv_str_of(text.data, SHELL_SCRIPT_MAX), NULL, &script);
        hv_arena_release(&arena);
    }
    struct hv_arena arena = {0};
    struct shell_script script;
    char *blank = hv_arena_alloc(&arena, SHELL_SCRIPT_MAX + 1);
    memset(blank, ' ', SHELL_SCRIPT_MAX + 1);
    shell_read(&arena, hv_str_of(blank, SHELL_SCRIPT_MAX), NULL, &script);
    assert_true(script.accepted);
    shell_read(&arena, hv_str_of(blank, SHELL_SCRIPT_MAX + 1), NULL, &script);
    assert_false(script.accepted);
    hv_arena_release(&arena);
}

/* Many times open, once inner, as many times close. */
static bool is_accepted_nested(const char *open, const char *inner, const char *close, size_t times)
{
    struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
    struct shell_script script;
    for (size_t i = 0; i < times; i++)
        hv_buf_add_cstr(&text, open);
    hv_buf_add_cstr(&text, inner);
    for (size_t i = 0; i < times; i++)
        hv_buf_add_cstr(&text, close);
    shell_read(&arena, hv_buf_str(&text), NULL, &script);
    bool accepted = script.accepted;
    hv_arena_release(&arena);
    return accepted;
}

static void nesting_is_followed_far(void **state)
{
    static const char *const rows[][3] = {{"{ ", "a", "; }"},
                                          {"( ", "a", ")"},
                                          {"a $(", "b", ")"},
                                          {"a \"$(", "b", ")\""},
                                          {"if ", "a", "; then b; fi"},
                                          {"if a; then ", "b", "; fi"},
                                          {"while a; do ", "b", "; done"},
                                          {"for i in a; do ", "b", "; done"},
                                          {"case a in a) ", "b", ";; esac"},
                                          {"f() { ", "a", "; }"},
                                          {"a <(", "b", ")"},
                                          {"coproc A { ", "a", "; }"},
                                          {"a ${x:-", "b", "}"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(is_accepted_nested(rows[i][0], rows[i][1], rows[i][2], 120));
        if (is_accepted_nested(rows[i][0], rows[i][1], rows[i][2], 300))
            print_error("accepted: %s 300 times\n", rows[i][0]);
        assert_false(is_accepted_nested(rows[i][0], rows[i][1], rows[i][2], 300));
    }
    assert_true(is_accepted_nested("if a; then b; elif a; then b; else ", "c", "; fi", 120));
}

static void elif_is_no_nesting(void **state)
{
    struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
    struct shell_script script;
    (void)state;
    hv_buf_add_cstr(&text, "x=1; if a; then b; ");
    for (int i = 0; i < 1000; i++)
        hv_buf_addf(&text, "elif c; then x=%d; ", i);
    hv_buf_add_cstr(&text, "fi; d $x");
    shell_read(&arena, hv_buf_str(&text), NULL, &script);
    assert_true(script.accepted);
    assert_false(script.commands[script.count - 1].words[1].known);
    hv_arena_release(&arena);
}

static void many_functions_are_found(void **state)
{
    struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
    struct shell_script script;
    (void)state;
    for (int i = 0; i < 1000; i++)
        hv_buf_addf(&text, "f%d() { a; }\n", i);
    hv_buf_add_cstr(&text, "f7; f999; f1000");
    shell_read(&arena, hv_buf_str(&text), NULL, &script);
    assert_true(script.accepted);
    assert_true(script.commands[script.count - 3].calls_function && script.commands[script.count - 2].calls_function);
    assert_false(script.commands[script.count - 1].calls_function);
    hv_arena_release(&arena);
}

static void commands_know_where_they_stand(void **state)
{
    static const struct {
        const char *script;
        unsigned places[6];
        size_t parents[6];
    } rows[] = {
        {"a && b || c", {0, SHELL_IN_BRANCH, SHELL_IN_BRANCH}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}},
        {"(a) & b",
         {SHELL_IN_SUBSHELL | SHELL_IN_BACKGROUND, SHELL_IN_SUBSHELL | SHELL_IN_BACKGROUND, 0},
         {SIZE_MAX, 0, SIZE_MAX}},
        {"a $(b)", {0, SHELL_IN_SUBSHELL | SHELL_IN_SUBSTITUTION}, {SIZE_MAX, 0}},
        {"a | { b; }",
         {SHELL_IN_PIPELINE | SHELL_IN_SUBSHELL, SHELL_IN_PIPELINE | SHELL_IN_SUBSHELL, SHELL_IN_SUBSHELL},
         {SIZE_MAX, SIZE_MAX, 1}},
        {"for i in x; do a; done", {0, SHELL_IN_LOOP | SHELL_IN_BRANCH}, {SIZE_MAX, 0}},
        {"if a; then b; fi", {0, 0, SHELL_IN_BRANCH}, {SIZE_MAX, 0, 0}},
        {"f() { a; }", {0, SHELL_IN_FUNCTION, SHELL_IN_FUNCTION}, {SIZE_MAX, 0, 1}},
        {"coproc a", {SHELL_IN_COPROCESS | SHELL_IN_SUBSHELL}, {SIZE_MAX}},
        {"coproc A { a; }; b",
         {0, SHELL_IN_COPROCESS | SHELL_IN_SUBSHELL, SHELL_IN_COPROCESS | SHELL_IN_SUBSHELL, 0},
         {SIZE_MAX, 0, 1, SIZE_MAX}},
        {"a <<E; b\n$(c)\nE", {0, 0, SHELL_IN_SUBSHELL | SHELL_IN_SUBSTITUTION}, {SIZE_MAX, SIZE_MAX, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        shell_read(&arena, hv_str_from(rows[i].script), NULL, &script);
        assert_true(script.accepted);
        for (size_t j = 0; j < script.count; j++) {
            if (script.commands[j].place != rows[i].places[j])
                print_error("%s: command %zu has place %x\n", rows[i].script, j, script.commands[j].place);
            assert_int_equal(script.commands[j].place, rows[i].places[j]);
            assert_int_equal(script.commands[j].parent, rows[i].parents[j]);
        }
        hv_arena_release(&arena);
    }
}

static void pipelines_are_numbered(void **state)
{
    struct hv_arena arena = {0};
    struct shell_script script;
    (void)state;
    shell_read(&arena, HV_STR("a | ! b"), NULL, &script);
    assert_false(script.accepted);
    shell_read(&arena, HV_STR("a; ! b | (c | d) | e"), NULL, &script);
    static const size_t pipelines[] = {0, 1, 1, 2, 2, 1}, positions[] = {0, 0, 1, 0, 1, 2};
    assert_int_equal(script.count, 6);
    for (size_t i = 0; i < script.count; i++) {
        assert_int_equal(script.commands[i].pipeline, pipelines[i]);
        assert_int_equal(script.commands[i].position, positions[i]);
    }
    assert_true(script.commands[1].negated && !script.commands[0].negated);
    assert_true(hv_str_is(script.commands[2].text, "(c | d)"));
    assert_int_equal(script.commands[2].at, 9);
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lose_their_quotes),
        cmocka_unit_test(lists_and_pipelines_give_their_commands),
        cmocka_unit_test(redirections_are_told_apart),
        cmocka_unit_test(here_documents_have_bodies),
        cmocka_unit_test(substitutions_are_commands_too),
        cmocka_unit_test(a_substitution_may_begin_with_a_subshell),
        cmocka_unit_test(compound_commands_are_opened),
        cmocka_unit_test(what_bash_refuses_is_not_accepted),
        cmocka_unit_test(what_bash_reads_in_two_ways_is_not_accepted),
        cmocka_unit_test(what_stands_before_the_fault_is_still_there),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(nesting_is_followed_far),
        cmocka_unit_test(elif_is_no_nesting),
        cmocka_unit_test(many_functions_are_found),
        cmocka_unit_test(commands_know_where_they_stand),
        cmocka_unit_test(pipelines_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
