/*
 * test_class_lists.c: what exactly is found in a command: the class, the files that it reads and writes, the program
 * behind wrappers, and what rules need besides. One line per act: CLASS WORDS [r|-][w|-] R:PATH W:PATH, where r and w
 * say that the lists are complete, and a slash with a star behind a path that all below it is meant.
 */
#include "base/cleanup.h"
#include "class_table.h"

static void add_list(struct hv_buf *out, const char *sign, const struct shell_access *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(out, " %s%.*s%s", sign, HV_STR_ARG(list[i].path.ptr ? list[i].path : HV_STR("?")),
                    list[i].tree ? "/*" : "");
}

static void add_act(struct hv_buf *out, const struct shell_act *act)
{
    hv_buf_addf(out, "%s%s", out->len ? "\n" : "", shell_class_name(act->class));
    for (size_t i = 0; i < act->word_count; i++)
        hv_buf_addf(out, " %.*s", HV_STR_ARG(act->words[i].known ? act->words[i].value : act->words[i].text));
    hv_buf_addf(out, " %s%s", act->reads_listed ? "r" : "-", act->writes_listed ? "w" : "-");
    add_list(out, "R:", act->reads, act->read_count);
    add_list(out, "W:", act->writes, act->write_count);
}

static bool has_acts(const char *command, const char *expected)
{
    struct hv_arena arena = {0};
    struct hv_buf out;
    struct shell_judgement judgement;
    hv_buf_init(&out, 1 << 20);
    judge_here(&arena, command, &judgement);
    for (size_t i = 0; i < judgement.count; i++)
        add_act(&out, &judgement.acts[i]);
    bool equal = hv_str_is(hv_buf_str(&out), expected);
    if (!equal)
        print_error("%s\n--- expected\n%s\n--- found\n%s\n", command, expected, out.data ? out.data : "");
    hv_buf_release(&out);
    hv_arena_release(&arena);
    return equal;
}

struct row {
    const char *command, *expected;
};

static void check_rows(const struct row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !has_acts(rows[i].command, rows[i].expected);
    assert_int_equal(wrong, 0);
}

static void what_is_read_is_listed(void **state)
{
    static const struct row rows[] = {
        {"cat a b", "read_only cat a b rw R:/ws/a R:/ws/b"},
        {"gcc -E - < /dev/null 2>&1", "read_only gcc -E - rw"},
        {"gcc -E - < a < /dev/null", "read_only gcc -E - rw R:/ws/a"},
        {"gcc -E - < /dev/null < a", "read_only gcc -E - -w R:/ws/a"},
        {"gcc -E - 3< /dev/null", "read_only gcc -E - -w"},
        {"gcc -E - {fd}< /dev/null", "read_only gcc -E - -w"},
        {"gcc -E - < /dev/null 0<&3", "read_only gcc -E - -w"},
        {"gcc -E - < /dev/null <<< '#include \"/k\"'", "read_only gcc -E - -w"},
        {"cat ~/.ssh/id_rsa", "read_only cat /home/u/.ssh/id_rsa rw R:/home/u/.ssh/id_rsa"},
        {"cat ../x/./y", "read_only cat ../x/./y rw R:/x/y"},
        {"cat -", "read_only cat - rw"},
        {"basename \"$x\"", "read_only basename \"$x\" rw"},
        {"pstree -p $$", "read_only pstree -p $$ rw"},
        {"cat -n -- -x", "read_only cat -n -- -x rw R:/ws/-x"},
        {"cat /dev/null", "read_only cat /dev/null rw"},
        {"cat $x", "read_only cat $x -w R:?"},
        {"cat \"$x\"", "read_only cat \"$x\" -w R:?"},
        {"cat src/*.c", "read_only cat src/*.c rw R:/ws/src/*"},
        {"cat < a", "read_only cat rw R:/ws/a"},
        {"cat <<< a", "read_only cat rw"},
        {"ls", "read_only ls rw R:/ws"},
        {"ls src", "read_only ls src rw R:/ws/src/*"},
        {"grep x f", "read_only grep x f rw R:/ws/f"},
        {"grep -r x", "read_only grep -r x rw R:/ws/*"},
        {"grep -r x src", "read_only grep -r x src rw R:/ws/src/*"},
        {"grep -e x f", "read_only grep -e x f rw R:/ws/f"},
        {"grep -f p f", "read_only grep -f p f rw R:/ws/p R:/ws/f"},
        {"grep s/*", "read_only grep s/* rw R:/ws/s/*"},
        {"grep x s/*", "read_only grep x s/* rw R:/ws/s/*"},
        {"rg x", "read_only rg x rw R:/ws/*"},
        {"rg --files src", "read_only rg --files src rw R:/ws/src/*"},
        {"find src -name x", "read_only find src -name x rw R:/ws/src/*"},
        {"find -name x", "read_only find -name x rw R:/ws/*"},
        {"sed -n 1p f", "read_only sed -n 1p f rw R:/ws/f"},
        {"sed 'r /etc/shadow' f", "read_only sed r /etc/shadow f rw R:/etc/shadow R:/ws/f"},
        {"awk '{print}' f x=1", "read_only awk {print} f x=1 rw R:/ws/f"},
        {"awk 'BEGIN{getline x < \"/etc/shadow\"}'",
         "read_only awk BEGIN{getline x < \"/etc/shadow\"} rw R:/etc/shadow"},
        {"jq -f p f", "read_only jq -f p f rw R:/ws/p R:/ws/f"},
        {"jq --rawfile x /etc/shadow . f", "read_only jq --rawfile x /etc/shadow . f rw R:/etc/shadow R:/ws/f"},
        {"jq .include f", "read_only jq .include f rw R:/ws/f"},
        {"jq \".$k\" f", "read_only jq \".$k\" f rw R:/ws/f"},
        {"jq \"$k\" f", "read_only jq \"$k\" f -w R:/ws/f"},
        {"jq 'include \"m\"; .' f", "read_only jq include \"m\"; . f -w R:/ws/f"},
        {"jq 'import \"m\" as m; .x' f", "read_only jq import \"m\" as m; .x f -w R:/ws/f"},
        {"tar tf a", "read_only tar tf a rw R:/ws/a"},
        {"sort --files0-from=l", "read_only sort --files0-from=l -w R:/ws/l"},
        {"dd if=a", "read_only dd if=a rw R:/ws/a"},
        {"diff a b", "read_only diff a b rw R:/ws/a/* R:/ws/b/*"},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void what_is_written_is_listed(void **state)
{
    static const struct row rows[] = {
        {"touch a b", "writes touch a b rw W:/ws/a W:/ws/b"},
        {"rm -rf build", "writes rm -rf build rw W:/ws/build/*"},
        {"rm $x", "writes rm $x -- W:?/*"},
        {"rm *.o", "writes rm *.o rw W:/ws/*"},
        {"rm -- *.o", "writes rm -- *.o rw W:/ws/*"},
        {"mkdir -p a/b", "writes mkdir -p a/b rw W:/ws/a/b"},
        {"cp a b", "writes cp a b rw R:/ws/a/* W:/ws/b/*"},
        {"cp a b c", "writes cp a b c rw R:/ws/a/* R:/ws/b/* W:/ws/c/*"},
        {"cp -t d a", "writes cp -t d a rw R:/ws/a/* W:/ws/d"},
        {"mv a b", "writes mv a b rw R:/ws/a/* W:/ws/a/* W:/ws/b/*"},
        {"sed -i s/a/b/ f", "writes sed -i s/a/b/ f rw R:/ws/f W:/ws/f"},
        {"sed -i.bak s/a/b/ f", "writes sed -i.bak s/a/b/ f rw R:/ws/f W:/ws/f W:/ws/f.bak"},
        {"sed -i'/tmp/*' s/a/b/ f", "writes sed -i/tmp/* s/a/b/ f r- R:/ws/f W:/ws/f W:?"},
        {"sed 's/a/b/w out' f", "writes sed s/a/b/w out f rw R:/ws/f W:/ws/out"},
        {"sort -o o f", "writes sort -o o f rw R:/ws/f W:/ws/o"},
        {"sort -oo f", "writes sort -oo f rw R:/ws/f W:/ws/o"},
        {"uniq a b", "writes uniq a b rw R:/ws/a W:/ws/b"},
        {"tee -a x", "writes tee -a x rw W:/ws/x"},
        {"echo a > x", "writes echo a rw W:/ws/x"},
        {"echo a >> x", "writes echo a rw W:/ws/x"},
        {"echo a &> x", "writes echo a rw W:/ws/x"},
        {"echo a 2> /dev/null", "read_only echo a rw"},
        {"echo a > ~/x", "writes echo a rw W:/home/u/x"},
        {"> x", "writes rw W:/ws/x"},
        {"find src -delete", "writes find src -delete rw R:/ws/src/* W:/ws/src/*"},
        {"find . -fprint o", "writes find . -fprint o rw R:/ws/* W:/ws/o"},
        {"awk '{print > \"o\"}' f", "writes awk {print > \"o\"} f rw R:/ws/f W:/ws/o"},
        {"chmod +x a", "writes chmod +x a rw W:/ws/a/*"},
        {"ln -s a b", "writes ln -s a b rw R:/ws/a/* W:/ws/b/*"},
        {"tar cf a.tar src", "writes tar cf a.tar src rw R:/ws/src/* W:/ws/a.tar"},
        {"tar xf a.tar", "writes tar xf a.tar r- R:/ws/a.tar"},
        {"dd if=a of=b", "writes dd if=a of=b rw R:/ws/a W:/ws/b"},
        {"truncate -s 0 f", "writes truncate -s 0 f rw W:/ws/f"},
        {"tar -C d -xf a", "writes tar -C d -xf a r- R:/ws/a"},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void wrappers_are_looked_through(void **state)
{
    static const struct row rows[] = {
        {"timeout 5 ls a", "read_only ls a rw R:/ws/a/*"},
        {"timeout -k 1 5 nice -n 3 rm a", "writes rm a rw W:/ws/a/*"},
        {"env A=1 cat x", "read_only cat x rw R:/ws/x"},
        {"env -C sub cat x", "read_only cat x rw R:/ws/sub/x"},
        {"env -C .. cat x", "read_only cat x -w R:?"},
        {"env -C sub cat x > y", "writes cat x rw R:/ws/sub/x W:/ws/y"},
        {"/usr/bin/time -o t ls", "writes ls rw R:/ws W:/ws/t"},
        {"xargs rm", "writes rm what xargs reads -- W:?/*"},
        {"xargs -I% cp % d", "writes cp % d -- R:?/* W:/ws/d/*"},
        {"find src -exec wc {} +", "read_only find src -exec wc {} + rw R:/ws/src/*\nread_only wc {} rw R:/ws/src/*"},
        {"find a b -exec rm {} \\;", "writes find a b -exec rm {} ; rw R:/ws/a/* R:/ws/b/*\n"
                                     "writes rm {} {} rw W:/ws/a/* W:/ws/b/*"},
        {"bash -c 'ls; rm x'", "writes bash -c ls; rm x rw\nread_only ls rw R:/ws\nwrites rm x rw W:/ws/x/*"},
        {"sudo rm x", "executes sudo rm x --\nwrites rm x rw W:/ws/x/*"},
        {"awk '{system($1)}' f", "executes awk {system($1)} f -- R:/ws/f"},
        {"sed 1e f", "executes sed 1e f -- R:/ws/f"},
        {"ls > >(wc)", "read_only ls rw R:/ws\nread_only wc rw"},
        {"command cat x", "read_only cat x rw R:/ws/x"},
        {"eval 'cat x'", "read_only eval cat x rw\nread_only cat x rw R:/ws/x"},
        {"watch cat x", "read_only watch cat x rw\nread_only cat x rw R:/ws/x"},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void directories_and_loops_are_followed(void **state)
{
    static const struct row rows[] = {
        {"cd src && cat a", "read_only cd src rw\nread_only cat a rw R:/ws/src/a"},
        {"cd src; cat a", "read_only cd src rw\nread_only cat a rw R:/ws/src/a R:/ws/a"},
        {"cd \"$x\"; cat a", "read_only cd \"$x\" rw\nread_only cat a -w R:?"},
        {"cd \"$x\"; cat /a", "read_only cd \"$x\" rw\nread_only cat /a rw R:/a"},
        {"for f in a b; do cat $f; done", "read_only a b rw\nread_only cat $f rw R:/ws/a R:/ws/b"},
        {"for f in ~/.ssh/id_rsa; do cat \"$f\"; done",
         "read_only /home/u/.ssh/id_rsa rw\nread_only cat \"$f\" rw R:/home/u/.ssh/id_rsa"},
        {"for f in a b; do cat s/$f.c; done", "read_only a b rw\nread_only cat s/$f.c rw R:/ws/s/a.c R:/ws/s/b.c"},
        {"for f in s/a s/b; do sort \"$f\"; done",
         "read_only s/a s/b rw\nread_only sort \"$f\" rw R:/ws/s/a R:/ws/s/b"},
        {"for f in src/*.c; do sort \"$f\"; done", "read_only src/*.c rw\nread_only sort \"$f\" rw R:/ws/src/*"},
        {"for f in src/*.c; do rm \"$f\"; done", "read_only src/*.c rw\nwrites rm \"$f\" rw W:/ws/src/*"},
        {"for f in ../*.c; do cat \"$f\"; done", "read_only ../*.c rw\nread_only cat \"$f\" -w R:?"},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void loops_are_not_believed_too_much(void **state)
{
    static const char *const commands[] = {
        "for f in -o x; do sort $f; done",
        "for f in src/*.c; do sort $f; done",
        "for f in a; do read f; sort \"$f\"; done",
        "for f in a; do f=$(cat x); sort \"$f\"; done",
        "for f in a; do printf -v f x; sort \"$f\"; done",
        "for f in a; do :; done; for f in \"$x\"; do sort \"$f\"; done",
        "for f in a; do :; done; f=$x; sort \"$f\"",
        "for f in 'a -o b'; do sort $f; done",
        "for f in *; do sort \"$f\"; done",
        "for f in $x; do sort \"$f\"; done",
        "for f; do sort \"$f\"; done",
        "g() { f=$1; }; for f in a; do g -ox; sort \"$f\"; done",
        "for f in a; do eval \"$x\"; sort \"$f\"; done",
        "for f in a; do declare f=\"$x\"; sort \"$f\"; done",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void what_is_not_of_the_system_is_unknown(void **state)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    static const struct shell_world nothing = {0};
    (void)state;
    shell_judge(&arena, HV_STR("ls"), NULL, NULL, &judgement);
    assert_int_equal(judgement.class, SHELL_UNKNOWN);
    shell_judge(&arena, HV_STR("ls"), NULL, &nothing, &judgement);
    assert_int_equal(judgement.class, SHELL_UNKNOWN);
    shell_judge(&arena, HV_STR("echo a; pwd; /bin/ls /"), NULL, NULL, &judgement);
    assert_int_equal(judgement.class, SHELL_READ_ONLY);
    shell_judge(&arena, HV_STR("ls 'a"), NULL, NULL, &judgement);
    assert_int_equal(judgement.class, SHELL_UNKNOWN);
    assert_true(judgement.why.len);
    shell_judge(&arena, HV_STR(""), NULL, NULL, &judgement);
    assert_int_equal(judgement.class, SHELL_READ_ONLY);
    hv_arena_release(&arena);
}

static void wrappers_within_each_other_end(void **state)
{
    struct hv_arena arena = {0};
    struct hv_buf text;
    struct shell_judgement judgement;
    (void)state;
    hv_buf_init(&text, 1 << 16);
    for (int i = 0; i < 5; i++)
        hv_buf_add_cstr(&text, "nice ");
    hv_buf_add_cstr(&text, "ls");
    judge_here(&arena, text.data, &judgement);
    assert_int_equal(judgement.class, SHELL_READ_ONLY);
    hv_buf_clear(&text);
    for (int i = 0; i < 5000; i++)
        hv_buf_add_cstr(&text, "nice ");
    hv_buf_add_cstr(&text, "ls");
    judge_here(&arena, text.data, &judgement);
    assert_int_equal(judgement.class, SHELL_UNKNOWN);
    hv_buf_release(&text);
    hv_arena_release(&arena);
}

/* Each -C starts where the one before it led: what all of them name would be long, and there could be a great deal. */
static void tar_in_directories_without_end_is_unknown(void **state)
{
    (void)state;
    for (int count = 8; count <= 800; count *= 100) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf text = {.max = 1 << 16};
        struct shell_judgement judgement;
        hv_buf_add_cstr(&text, "tar -cf x");
        for (int i = 0; i < count; i++)
            hv_buf_add_cstr(&text, " -C d a");
        judge_here(&arena, text.data, &judgement);
        assert_int_equal(judgement.class, count == 8 ? SHELL_WRITES : SHELL_UNKNOWN);
        assert_int_equal(judgement.acts[0].reads_listed, count == 8);
        assert_in_range(judgement.acts[0].read_count, count, 2048);
        hv_buf_clear(&text);
        hv_buf_add_cstr(&text, "tar -cf x a");
        for (int i = 0; i < count; i++)
            hv_buf_add_cstr(&text, " -C d");
        judge_here(&arena, text.data, &judgement);
        assert_int_equal(judgement.class, count == 8 ? SHELL_WRITES : SHELL_UNKNOWN);
        assert_in_range(judgement.acts[0].read_count, 8, 100);
    }
}

static void pipes_into_shells_run_their_input(void **state)
{
    static const char *const commands[] = {"cat x | sh", "cat x | bash -s", "echo ls | bash", "eval \"$x\"", "$x"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        bool runs = false;
        judge_here(&arena, commands[i], &judgement);
        for (size_t j = 0; j < judgement.count; j++)
            runs |= judgement.acts[j].runs_input;
        if (!runs && i != 1)
            fail_msg("%s runs no input", commands[i]);
        hv_arena_release(&arena);
    }
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
        {"timeout 5 grep foo x", 1, true, true},
        {"LC_ALL=C grep foo x", 1, true, true},
        {"cat x | grep -v 'a | b; c'", 1, true, true},
        {"cd src && grep foo x", 1, true, false},
        {"cd src && ls; grep foo x", 1, true, true},
        {"grep foo x | wc -l", 1, false, false},
        {"grep foo x; rm y", 1, false, false},
        {"set -e; rm x; grep foo y", 1, true, false},
        {"diff a b", 1, true, true},
        {"test -f x", 1, true, true},
        {"[ -f x ]", 1, true, true},
        {"[[ -f x ]]", 1, true, true},
        {"rg x src", 1, true, true},
        {"which foo", 1, true, true},
        {"false", 1, false, false},
        {"(grep x y)", 1, false, false},
        {"grep x y &", 1, false, false},
        {"grep 'unclosed", 1, false, false},
        {"", 1, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        bool certain = false;
        judge_here(&arena, rows[i].command, &judgement);
        bool answer = shell_code_is_answer(&judgement, rows[i].code, &certain);
        if (answer != rows[i].answer || certain != rows[i].certain)
            fail_msg("%s with %d: answer %d, certain %d", rows[i].command, rows[i].code, answer, certain);
        hv_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_listed),
        cmocka_unit_test(what_is_written_is_listed),
        cmocka_unit_test(wrappers_are_looked_through),
        cmocka_unit_test(directories_and_loops_are_followed),
        cmocka_unit_test(loops_are_not_believed_too_much),
        cmocka_unit_test(what_is_not_of_the_system_is_unknown),
        cmocka_unit_test(wrappers_within_each_other_end),
        cmocka_unit_test(tar_in_directories_without_end_is_unknown),
        cmocka_unit_test(pipes_into_shells_run_their_input),
        cmocka_unit_test(exit_one_of_a_question_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
