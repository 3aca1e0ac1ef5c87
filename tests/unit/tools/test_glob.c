/* test_glob.c: the tool Glob over real trees: what matches, what is left out, in which order, how much of it. */
#include "harness.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct hv_tool tool_glob;

static int open_tree(void **state)
{
    static struct session session;
    session_open(&session);
    static const char *const names[] = {"a.c",           "b.h",      "src/main.c", "src/lib/x.c",
                                        "src/lib/y.cpp", "doc/a.md", ".hidden.c",  ".github/work/ci.yml",
                                        "with blank.c",  "[odd].c",  "build/o.c",  "sub/build/p.c"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        file_put(&session, names[i], "x\n");
        file_set_time(&session, names[i], (int)(100 - i));
    }
    *state = &session;
    return 0;
}

static int close_tree(void **state)
{
    session_close(*state);
    return 0;
}

struct match_case {
    const char *input, *expected;
};

static void patterns_match_as_git_and_bash_have_it(void **state)
{
    static const struct match_case cases[] = {
        {"{'pattern':'src/*.c'}", "src/main.c\n"},
        {"{'pattern':'src/**/*.c'}", "src/main.c\nsrc/lib/x.c\n"},
        {"{'pattern':'**/*.cpp'}", "src/lib/y.cpp\n"},
        {"{'pattern':'*.md'}", "doc/a.md\n"}, /* no slash: at any depth */
        {"{'pattern':'./*.h'}", "b.h\n"},
        {"{'pattern':'src/lib/?.{c,cpp}'}", "src/lib/x.c\nsrc/lib/y.cpp\n"},
        {"{'pattern':'src/lib/[!x].*'}", "src/lib/y.cpp\n"},
        {"{'pattern':'{a,b}.[ch]'}", "a.c\nb.h\n"},
        {"{'pattern':'\\\\[odd].c'}", "[odd].c\n"},
        {"{'pattern':'with blank.c'}", "with blank.c\n"},
        {"{'pattern':'src/main.c'}", "src/main.c\n"},
        {"{'pattern':'*.c','path':'src/lib'}", "src/lib/x.c\n"},
        {"{'pattern':'src/lib/'}", "src/lib/x.c\nsrc/lib/y.cpp\n"},
        {"{'pattern':'.github/**'}", ".github/work/ci.yml\n"},
        {"{'pattern':'**/.*.c'}", ".hidden.c\n"},
        {"{'pattern':'!**/*.{c,h,md,yml}'}", "src/lib/y.cpp\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call(*state, &tool_glob, cases[i].input);
        expect_fine(*state);
        expect_text(*state, cases[i].expected);
    }
}

static void absolute_and_home_patterns_are_taken(void **state)
{
    struct session *session = *state;
    call_raw(session, &tool_glob, hv_arena_format(&session->own, "{\"pattern\":\"%s/src/*.c\"}", session->root.ptr));
    expect_text(session, "src/main.c\n");
    file_put(session, "home/in_home.txt", "x");
    call(session, &tool_glob, "{'pattern':'~/*.txt'}");
    expect_text(session, "home/in_home.txt\n");
    session->context.directory = hv_str_from(file_path(session, "src"));
    call(session, &tool_glob, "{'pattern':'../doc/*.md'}");
    expect_text(session, hv_arena_format(&session->own, "%s/doc/a.md\n", session->root.ptr).ptr);
}

static void ignored_and_hidden_files_are_left_out(void **state)
{
    struct session *session = *state;
    directory_make(session, ".git");
    file_put(session, ".gitignore", "build/\n*.h\n!keep.h\n");
    file_put(session, "keep.h", "x");
    file_put(session, ".helveignore", "doc\n");
    call(session, &tool_glob, "{'pattern':'**/*.{c,h,md}'}");
    expect_lacks(session, "build");
    expect_lacks(session, "b.h");
    expect_lacks(session, "a.md");
    expect_lacks(session, ".hidden.c");
    expect_has(session, "keep.h");
    expect_has(session, "src/lib/x.c");
    call(session, &tool_glob, "{'pattern':'*.md'}");
    expect_has(session, "No files match *.md");
    expect_has(session, "left out by ignore files");
    /* What is named outright is shown. */
    call(session, &tool_glob, "{'pattern':'build/*.c'}");
    expect_text(session, "build/o.c\n");
}

static void the_newest_hundred_are_shown_and_the_rest_counted(void **state)
{
    struct session *session = *state;
    char name[64];
    for (int i = 0; i < 250; i++) {
        snprintf(name, sizeof name, "many/f%03d.txt", i);
        file_put(session, name, "x");
        file_set_time(session, name, 1000 + (i * 7) % 250);
    }
    call(session, &tool_glob, "{'pattern':'many/*.txt'}");
    expect_has(session, "[The 100 newest of 250 matching files are shown: 150 more.");
    assert_true(hv_str_starts(session->text, HV_STR("many/f107.txt\nmany/f214.txt\n"))); /* 107·7 ≡ 249, 214·7 ≡ 248 */
    size_t lines = 0;
    struct hv_str rest = session->text, line;
    while (hv_str_split(&rest, '\n', &line))
        lines += hv_str_starts(line, HV_STR("many/"));
    assert_int_equal(lines, 100);
    assert_true(hv_str_is(session->result.summary, "250 files"));
}

static void files_of_the_same_time_come_by_name(void **state)
{
    struct session *session = *state;
    const char *const names[] = {"same/c.txt", "same/a.txt", "same/b.txt"};
    for (size_t i = 0; i < 3; i++) {
        file_put(session, names[i], "x");
        file_set_time(session, names[i], 5);
    }
    call(session, &tool_glob, "{'pattern':'same/*'}");
    expect_text(session, "same/a.txt\nsame/b.txt\nsame/c.txt\n");
}

static void links_to_files_count_and_links_to_directories_are_not_followed(void **state)
{
    struct session *session = *state;
    assert_int_equal(symlink("main.c", file_path(session, "src/link.c")), 0);
    assert_int_equal(symlink(".", file_path(session, "src/loop")), 0);
    assert_int_equal(symlink("nowhere.c", file_path(session, "src/dangling.c")), 0);
    call(session, &tool_glob, "{'pattern':'src/**/{main,link,dangling}.c'}");
    expect_has(session, "src/main.c\n");
    expect_has(session, "src/link.c\n");
    expect_lacks(session, "loop");
    expect_lacks(session, "dangling");
}

static void other_kinds_of_files_are_not_listed(void **state)
{
    struct session *session = *state;
    assert_int_equal(mkfifo(file_path(session, "src/pipe.c"), 0600), 0);
    call(session, &tool_glob, "{'pattern':'src/*.c'}");
    expect_text(session, "src/main.c\n");
}

static void nothing_found_says_so_and_helps(void **state)
{
    struct session *session = *state;
    call(session, &tool_glob, "{'pattern':'*.zig'}");
    expect_fine(session);
    expect_has(session, "No files match *.zig");
    call(session, &tool_glob, "{'pattern':'src'}");
    expect_has(session, "src is a directory: use src/**");
    call(session, &tool_glob, "{'pattern':'scr/*.c'}");
    expect_fine(session);
    expect_has(session, "does not exist");
    expect_has(session, "Did you mean");
    expect_has(session, "/src");
}

static void bad_input_is_refused_with_advice(void **state)
{
    struct session *session = *state;
    call(session, &tool_glob, "{'pattern':'*.c','path':'scr'}");
    expect_failure(session, "Did you mean");
    assert_int_equal(session->code, HV_ENOTFOUND);
    call(session, &tool_glob, "{'pattern':'*.c','path':'a.c'}");
    expect_failure(session, "is a file, not a directory");
    call(session, &tool_glob, "{'pattern':''}");
    expect_failure(session, "pattern");
    call(session, &tool_glob, "{}");
    expect_failure(session, "pattern");
    call(session, &tool_glob, "{'pattern':'[a'}");
    expect_failure(session, "");
    call(session, &tool_glob, "{'pattern':'{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'}");
    assert_int_equal(session->code, HV_ETOOBIG);
}

static void what_may_not_be_read_is_not_shown_nor_counted(void **state)
{
    struct session *session = *state;
    session->hidden = "/src/lib/";
    call(session, &tool_glob, "{'pattern':'src/**/*.c'}");
    expect_text(session, "src/main.c\n");
    assert_true(hv_str_is(session->result.summary, "1 file"));
}

static void make_many(struct session *session)
{
    char name[64];
    for (int i = 0; i < 1600; i++) {
        bool hidden = i % 2;
        snprintf(name, sizeof name, "wide/%s%02d/f%04d.txt", hidden ? "shut" : "open", i % 40, i);
        file_put(session, name, "");
        file_set_time(session, name, i * 7 % 1600);
    }
}

/* Half of the files, and half of the newest, may not be read: their places go to older ones. */
static void files_that_may_not_be_read_take_no_place_among_the_newest(void **state)
{
    struct session *session = *state;
    char line[64];
    struct hv_str rest, shown;
    make_many(session);
    session->hidden = "/shut";
    for (int round = 0; round < 10; round++) {
        call(session, &tool_glob, "{'pattern':'wide/**/*.txt'}");
        rest = session->text;
        for (int i = 0, rank = 1599; i < 100; rank--) {
            int number = rank * 1143 % 1600; /* 7 · 1143 ≡ 1 */
            if (number % 2)
                continue;
            snprintf(line, sizeof line, "wide/open%02d/f%04d.txt", number % 40, number);
            assert_true(hv_str_split(&rest, '\n', &shown));
            assert_true(hv_str_is(shown, line));
            i++;
        }
        expect_lacks(session, "shut");
    }
    call(session, &tool_glob, "{'pattern':'wide/*[02468]/*.txt'}");
    expect_has(session, "[The 100 newest of 800 matching files are shown: 700 more.");
}

static void directories_that_cannot_be_read_are_named(void **state)
{
    struct session *session = *state;
    bool is_root = geteuid() == 0; /* who could read it all the same */
    assert_int_equal(chmod(file_path(session, ""), 0755), 0);
    assert_int_equal(chmod(file_path(session, "src/lib"), 0), 0);
    assert_true(!is_root || seteuid(65534) == 0);
    call(session, &tool_glob, "{'pattern':'src/**/*.c'}");
    assert_true(!is_root || seteuid(0) == 0);
    expect_text(session, "src/main.c\n[1 directory could not be read: src/lib]\n");
    /* One that may be listed but not entered does not tell how old its files are. */
    assert_int_equal(chmod(file_path(session, "src/lib"), 0444), 0);
    assert_true(!is_root || seteuid(65534) == 0);
    call(session, &tool_glob, "{'pattern':'src/lib/*.c'}");
    assert_true(!is_root || seteuid(0) == 0);
    expect_has(session, "src/lib/");
}

static void excludes_of_the_person_are_honoured(void **state)
{
    struct session *session = *state;
    directory_make(session, ".git");
    file_put(session, "settings/git/ignore", "*.cpp\n");
    file_put(session, "home/.config/git/ignore", "main.c\n");
    const char *const moved[] = {hv_arena_format(&session->own, "XDG_CONFIG_HOME=%s/settings", session->root.ptr).ptr,
                                 NULL};
    session->context.environment = moved;
    call(session, &tool_glob, "{'pattern':'src/**'}");
    expect_text(session, "src/main.c\nsrc/lib/x.c\n");
    session->context.environment = (const char *const[]){NULL};
    call(session, &tool_glob, "{'pattern':'src/**'}");
    expect_text(session, "src/lib/x.c\nsrc/lib/y.cpp\n");
}

static void a_search_out_of_time_says_so(void **state)
{
    struct session *session = *state;
    session->context.deadline_ns = 1;
    call(session, &tool_glob, "{'pattern':'*.c'}");
    expect_fine(session);
    expect_has(session, " so far.\n");
    expect_has(session, "The time for a search (20 s) is over");
    expect_has(session, "stricter pattern.]\n[Not, or not wholly, searched: .]\n");
}

static void a_cancelled_search_ends(void **state)
{
    struct session *session = *state;
    hv_cancel_raise(session->cancel);
    call(session, &tool_glob, "{'pattern':'**'}");
    assert_int_equal(session->code, HV_ECANCELLED);
}

static void peers_names_are_understood(void **state)
{
    struct session *session = *state;
    assert_true(hv_tool_is_named(&tool_glob, HV_STR("list_files")));
    assert_true(hv_tool_is_named(&tool_glob, HV_STR("glob")));
    call(session, &tool_glob, "{'pattern':'*.c','dir_path':'src/lib'}");
    expect_text(session, "src/lib/x.c\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_tree, close_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(patterns_match_as_git_and_bash_have_it),
        CASE(absolute_and_home_patterns_are_taken),
        CASE(ignored_and_hidden_files_are_left_out),
        CASE(the_newest_hundred_are_shown_and_the_rest_counted),
        CASE(files_of_the_same_time_come_by_name),
        CASE(links_to_files_count_and_links_to_directories_are_not_followed),
        CASE(other_kinds_of_files_are_not_listed),
        CASE(nothing_found_says_so_and_helps),
        CASE(bad_input_is_refused_with_advice),
        CASE(what_may_not_be_read_is_not_shown_nor_counted),
        CASE(files_that_may_not_be_read_take_no_place_among_the_newest),
        CASE(directories_that_cannot_be_read_are_named),
        CASE(excludes_of_the_person_are_honoured),
        CASE(a_search_out_of_time_says_so),
        CASE(a_cancelled_search_ends),
        CASE(peers_names_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
