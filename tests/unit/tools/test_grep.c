/* test_grep.c: the tool Grep over real trees: modes, context, patterns, encodings, caps, and hard patterns. */
#include "harness.h"

#include "base/cleanup.h"
#include "fs/directory.h"
#include "fs/scan_warm.h"
#include "tools/tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern const struct hv_tool tool_grep;

static int open_tree(void **state)
{
    static struct session session;
    session_open(&session);
    file_put(&session, "a.c", "int main(void)\n{\n    return foo(1);\n}\n");
    file_put(&session, "b.h", "int foo(int);\r\nint bar(int);\r\n");
    file_put(&session, "src/x.py", "def foo():\n    pass\n\ndef bar():\n    foo()\n");
    file_put(&session, "src/y.txt", "nothing here\nFOO\n");
    file_put(&session, ".hidden", "foo\n");
    file_set_time(&session, "a.c", 1);
    file_set_time(&session, "b.h", 3);
    file_set_time(&session, "src/x.py", 2);
    *state = &session;
    return 0;
}

static int close_tree(void **state)
{
    session_close(*state);
    return 0;
}

struct grep_case {
    const char *input, *expected;
};

static void run_cases(void **state, const struct grep_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        call(*state, &tool_grep, cases[i].input);
        expect_fine(*state);
        expect_text(*state, cases[i].expected);
    }
}
#define RUN_CASES(state, cases) run_cases(state, cases, sizeof(cases) / sizeof *(cases))

static void the_three_modes(void **state)
{
    static const struct grep_case cases[] = {
        {"{'pattern':'foo'}", "b.h\nsrc/x.py\na.c\n"}, /* newest first */
        {"{'pattern':'foo','output_mode':'files_with_matches'}", "b.h\nsrc/x.py\na.c\n"},
        {"{'pattern':'foo','output_mode':'content','-C':0}",
         "a.c:3:    return foo(1);\nb.h:1:int foo(int);\nsrc/x.py:1:def foo():\nsrc/x.py:5:    foo()\n"},
        {"{'pattern':'foo','output_mode':'content','-C':0,'-n':false,'path':'b.h'}", "b.h:int foo(int);\n"},
        {"{'pattern':'foo','output_mode':'count'}", "a.c:1\nb.h:1\nsrc/x.py:2\n[4 matches in 3 files]\n"},
        {"{'pattern':'foo','-i':true,'output_mode':'count','path':'src'}",
         "src/x.py:2\nsrc/y.txt:1\n[3 matches in 2 files]\n"},
    };
    RUN_CASES(state, cases);
    assert_true(hv_str_is(((struct session *)*state)->result.summary, "3 matches in 2 files"));
}

static void files_are_chosen_by_glob_and_type(void **state)
{
    static const struct grep_case cases[] = {
        {"{'pattern':'foo','glob':'*.py'}", "src/x.py\n"},
        {"{'pattern':'foo','include':'*.{c,h}'}", "b.h\na.c\n"},
        {"{'pattern':'foo','glob':'*.c,*.h'}", "b.h\na.c\n"},
        {"{'pattern':'foo','glob':'!*.h'}", "src/x.py\na.c\n"},
        {"{'pattern':'foo','glob':'!src/'}", "b.h\na.c\n"},
        {"{'pattern':'foo','glob':'src/**'}", "src/x.py\n"},
        {"{'pattern':'foo','glob':'src/*.py','path':'src'}", "src/x.py\n"},
        {"{'pattern':'foo','type':'py'}", "src/x.py\n"},
        {"{'pattern':'foo','type':'python'}", "src/x.py\n"},
        {"{'pattern':'foo','type':'c'}", "b.h\na.c\n"},
        {"{'pattern':'foo','type':'c','glob':'!*.h'}", "a.c\n"},
        {"{'pattern':'foo','hidden':true,'glob':'.hid*'}", ".hidden\n"},
    };
    RUN_CASES(state, cases);
    call(*state, &tool_grep, "{'pattern':'foo','type':'pyhton'}");
    expect_failure(*state, "Did you mean \"python\"?");
    call(*state, &tool_grep, "{'pattern':'foo','glob':'*.zig'}");
    expect_has(*state, "No matches for foo in . (0 files searched)");
    expect_has(*state, "[No file there fits glob]\n");
    call(*state, &tool_grep, "{'pattern':'foo','type':'zig'}");
    expect_has(*state, "[No file there fits type]\n");
    call(*state, &tool_grep, "{'pattern':'foo','type':'zig','glob':'*.c'}");
    expect_has(*state, "[No file there fits glob and type]\n");
}

static void context_lines_are_marked_and_groups_divided(void **state)
{
    struct session *session = *state;
    file_put(session, "ctx", "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n11\n12\n13\nhit");
    static const struct grep_case cases[] = {
        {"{'pattern':'hit','path':'ctx','output_mode':'content','-A':1}",
         "ctx:3:hit\nctx-4-4\n--\nctx:8:hit\nctx:9:hit\nctx-10-10\n--\nctx:14:hit\n"},
        {"{'pattern':'hit','path':'ctx','output_mode':'content','-B':2}",
         "ctx-1-1\nctx-2-2\nctx:3:hit\n--\nctx-6-6\nctx-7-7\nctx:8:hit\nctx:9:hit\n--\nctx-12-12\nctx-13-13\nctx:14:"
         "hit\n"},
        {"{'pattern':'hit','path':'ctx','output_mode':'content','context':2}",
         "ctx-1-1\nctx-2-2\nctx:3:hit\nctx-4-4\nctx-5-5\nctx-6-6\nctx-7-7\nctx:8:hit\nctx:9:hit\nctx-10-10\nctx-11-11\n"
         "ctx-12-12\nctx-13-13\nctx:14:hit\n"},
        {"{'pattern':'hit','path':'ctx','output_mode':'content','-C':1,'-B':0,'head_limit':3}",
         "ctx:3:hit\nctx-4-4\n--\nctx:8:hit\n[Lines 1 to 3 of the answer are shown; there are more. Continue with "
         "offset 3, or narrow the search.]\n"},
    };
    RUN_CASES(state, cases);
}

static void a_match_that_is_the_only_one_comes_with_its_surroundings(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (int i = 1; i <= 60; i++)
        hv_buf_addf(&text, i == 30 ? "here it is\n" : "line %d\n", i);
    file_put_bytes(session, "long", hv_buf_str(&text));
    file_put(session, "alone", "foo first\n");
    hv_buf_release(&text);
    call(session, &tool_grep, "{'pattern':'here it','output_mode':'content'}");
    expect_has(session, "long-15-line 15\n");
    expect_has(session, "long:30:here it is\n");
    expect_has(session, "long-45-line 45\n[The only match, with up to 15 lines before and after it]\n");
    expect_lacks(session, "line 14\n");
    expect_lacks(session, "line 46\n");
    assert_true(hv_str_is(session->result.summary, "1 match in 1 file"));
    static const struct grep_case cases[] = {
        {"{'pattern':'here it','output_mode':'content','-C':0}", "long:30:here it is\n"},
        {"{'pattern':'here it','output_mode':'content','-B':1}", "long-29-line 29\nlong:30:here it is\n"},
        {"{'pattern':'here it','output_mode':'content','head_limit':20}", "long:30:here it is\n"},
        {"{'pattern':'here it|def foo','output_mode':'content'}", "long:30:here it is\nsrc/x.py:1:def foo():\n"},
        {"{'pattern':'foo first','output_mode':'content'}", "alone:1:foo first\n"}, /* nothing is around it */
    };
    RUN_CASES(state, cases);
}

static void columns_are_shown_when_asked_for(void **state)
{
    struct session *session = *state;
    file_put(session, "col", "abc\n  \xc3\xa9 abc abc\nx\n");
    static const struct grep_case cases[] = {
        {"{'pattern':'abc','path':'col','output_mode':'content','column':true}",
         "col:1:1:abc\ncol:2:6:  \xc3\xa9 abc abc\n"},
        {"{'pattern':'x','path':'col','output_mode':'content','columns':true,'-n':false,'-B':1}",
         "col-  \xc3\xa9 abc abc\ncol:1:x\n"},
    };
    RUN_CASES(state, cases);
}

/* Reading the beginning of a process's memory fails for everybody. */
static void what_could_not_be_read_is_counted_and_named(void **state)
{
    struct session *session = *state;
    call(session, &tool_grep, "{'pattern':'x','path':'/proc/self','glob':'/proc/self/mem'}");
    expect_has(session, "[1 file could not be read: /proc/self/mem]\n");
}

static void a_line_matches_by_itself(void **state)
{
    struct session *session = *state;
    file_put(session, "crlf", "alpha\r\nbeta\r\n\r\nomega");
    file_put(session, "lines", "foo\nbar \n\nfoo x\nend");
    static const struct grep_case cases[] = {
        {"{'pattern':'a$','path':'crlf','output_mode':'content','-C':0}", "crlf:1:alpha\ncrlf:2:beta\ncrlf:4:omega\n"},
        {"{'pattern':'^$','path':'crlf','output_mode':'content','-C':0}", "crlf:3:\n"},
        {"{'pattern':'^\\\\s*$','path':'lines','output_mode':'content','-C':0}", "lines:3:\n"},
        {"{'pattern':'foo(?!\\\\s)','path':'lines','output_mode':'content','-C':0}", "lines:1:foo\n"},
        {"{'pattern':'foo\\\\z','path':'lines','output_mode':'content','-C':0}", "lines:1:foo\n"},
        {"{'pattern':'\\\\Afoo x','path':'lines','output_mode':'content','-C':0}", "lines:4:foo x\n"},
        {"{'pattern':'bar\\\\s++$','path':'lines','output_mode':'content','-C':0}", "lines:2:bar \n"},
        {"{'pattern':'foo[^z]','path':'lines','output_mode':'content','-C':0}", "lines:4:foo x\n"},
        {"{'pattern':'(?<=foo )x','path':'lines','output_mode':'content','-C':0}", "lines:4:foo x\n"},
        {"{'pattern':'(o)\\\\1','path':'lines','output_mode':'count'}", "lines:2\n[2 matches in 1 file]\n"},
        {"{'pattern':'x*','path':'lines','output_mode':'count'}", "lines:5\n[5 matches in 1 file]\n"},
        {"{'pattern':'end','path':'lines','output_mode':'content','-C':0}", "lines:5:end\n"},
        {"{'pattern':'(?-m)^f','path':'lines','output_mode':'count'}", "lines:2\n[2 matches in 1 file]\n"},
    };
    RUN_CASES(state, cases);
}

static void multiline_spans_lines(void **state)
{
    struct session *session = *state;
    file_put(session, "n", "a\nb");
    file_put(session, "m", "begin {\n  one\n  two\n}\nbegin { x }\nlast begin\n");
    static const struct grep_case cases[] = {
        {"{'pattern':'begin \\\\{.*?\\\\}','multiline':true,'path':'m','output_mode':'content','-C':0}",
         "m:1:begin {\nm:2:  one\nm:3:  two\nm:4:}\nm:5:begin { x }\n"},
        {"{'pattern':'begin \\\\{.*?\\\\}','multiline':true,'path':'m','output_mode':'count'}",
         "m:2\n[2 matches in 1 file]\n"},
        {"{'pattern':'one\\\\n  two','multiline':true,'path':'m','output_mode':'content','-C':0}",
         "m:2:  one\nm:3:  two\n"},
        {"{'pattern':'one\\n  "
         "two','multiline':true,'fixed_strings':true,'path':'m','output_mode':'content','-C':0,'-A':1}",
         "m:2:  one\nm:3:  two\nm-4-}\n"},
        {"{'pattern':'$','path':'n','output_mode':'content','-C':0}", "n:1:a\nn:2:b\n"},
        {"{'pattern':'$','path':'n','multiline':true,'output_mode':'content','-C':0}", "n:1:a\nn:2:b\n"},
        {"{'pattern':'in$','multiline':true,'path':'m','output_mode':'content','-C':0}", "m:6:last begin\n"},
    };
    RUN_CASES(state, cases);
    call(session, &tool_grep, "{'pattern':'one\\\\n  two','path':'m'}");
    expect_failure(session, "Set multiline");
}

static void fixed_strings_are_taken_as_they_are(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "a.b(c\nA.B(C\naxb(c\n");
    static const struct grep_case cases[] = {
        {"{'pattern':'a.b(c','fixed_strings':true,'path':'f','output_mode':'content','-C':0}", "f:1:a.b(c\n"},
        {"{'pattern':'a.b(c','literal_text':true,'-i':true,'path':'f','output_mode':'content','-C':0}",
         "f:1:a.b(c\nf:2:A.B(C\n"},
    };
    RUN_CASES(state, cases);
}

static void an_invalid_pattern_is_pointed_at(void **state)
{
    struct session *session = *state;
    call(session, &tool_grep, "{'pattern':'foo(bar'}");
    expect_failure(session, "at position 8");
    expect_has(session, "foo(bar ⟨here⟩");
    expect_has(session, "fixed_strings");
    assert_string_equal(session->err.place, "pattern");
    call(session, &tool_grep, "{'pattern':'a[b'}");
    expect_failure(session, "position");
    call(session, &tool_grep, "{'pattern':'*a'}");
    expect_failure(session, "position 1");
    call(session, &tool_grep, "{'pattern':''}");
    expect_failure(session, "pattern");
    call(session, &tool_grep, "{'pattern':'a','output_mode':'contents'}");
    expect_failure(session, "output_mode");
}

static void ignored_files_are_left_out_unless_asked_for(void **state)
{
    struct session *session = *state;
    directory_make(session, ".git");
    file_put(session, ".gitignore", "src/\n");
    call(session, &tool_grep, "{'pattern':'foo'}");
    expect_text(session, "b.h\na.c\n");
    call(session, &tool_grep, "{'pattern':'foo','no_ignore':true}");
    expect_text(session, "b.h\nsrc/x.py\na.c\n");
    call(session, &tool_grep, "{'pattern':'pass'}");
    expect_has(session, "No matches for pass in . (2 files searched).\n[1 entry was left out by ignore files");
    call(session, &tool_grep, "{'pattern':'foo','path':'src/x.py'}");
    expect_text(session, "src/x.py\n");
}

static void binary_files_are_skipped(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "bin", HV_STR("foo\0bar\nfoo\n"));
    call(session, &tool_grep, "{'pattern':'foo','path':'bin'}");
    expect_has(session, "No matches for foo in bin (1 file searched).\n[1 binary file was skipped]");
    /* A NUL that comes late ends the text there. */
    struct hv_buf late;
    hv_buf_init(&late, 1 << 20);
    hv_buf_add_cstr(&late, "foo first\n");
    while (late.len < 20000)
        hv_buf_add_cstr(&late, "filling the head of the file\n");
    hv_buf_add(&late, "foo\0foo\nfoo last\n", 17);
    file_put_bytes(session, "late", hv_buf_str(&late));
    hv_buf_release(&late);
    call(session, &tool_grep, "{'pattern':'foo','path':'late','output_mode':'content','-C':0}");
    expect_text(session, "late:1:foo first\n"
                         "[1 file was searched up to the first NUL byte: what follows is no text]\n");
}

static void encodings_are_read_as_text(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "u16le",
                   HV_STR("\xff\xfe"
                          "f\0\xfc\0\n\0x\0\n\0"));
    file_put_bytes(session, "latin1", HV_STR("f\xfc\nx\n"));
    file_put_bytes(session, "broken", HV_STR("\xfd\xfe\xff f\xc3\xbc \xce\xb1\n\x80x\n"));
    file_put_bytes(session, "bom",
                   HV_STR("\xef\xbb\xbf"
                          "f\xc3\xbc\n"));
    static const struct grep_case cases[] = {
        {"{'pattern':'^fü','path':'u16le','output_mode':'content','-C':0}", "u16le:1:fü\n"},
        {"{'pattern':'^fü$','path':'latin1','output_mode':'content','-C':0}", "latin1:1:fü\n"},
        {"{'pattern':'^fü$','path':'bom','output_mode':'content','-C':0}", "bom:1:fü\n"},
        {"{'pattern':'fü \\\\p{Greek}$','path':'broken','output_mode':'count'}", "broken:1\n[1 match in 1 file]\n"},
        {"{'pattern':'x$','path':'broken','output_mode':'count'}", "broken:1\n[1 match in 1 file]\n"},
        {"{'pattern':'FÜ','-i':true,'path':'bom','output_mode':'count'}", "bom:1\n[1 match in 1 file]\n"},
    };
    RUN_CASES(state, cases);
}

static void long_lines_are_cut_around_the_match(void **state)
{
    struct session *session = *state;
    struct hv_buf line;
    hv_buf_init(&line, 1 << 20);
    for (int i = 0; i < 3000; i++)
        hv_buf_add_cstr(&line, "ä");
    hv_buf_add_cstr(&line, "needle");
    for (int i = 0; i < 3000; i++)
        hv_buf_add_cstr(&line, "ö");
    file_put_bytes(session, "long", hv_buf_str(&line));
    hv_buf_release(&line);
    call(session, &tool_grep, "{'pattern':'needle','path':'long','output_mode':'content'}");
    expect_has(session, "long:1:[… 5880 bytes] ä");
    expect_has(session, "needleö");
    assert_true(hv_str_ends(session->text, HV_STR(" bytes]\n")));
    assert_true(session->text.len < 650);
}

static void head_limit_and_offset_page_through(void **state)
{
    struct session *session = *state;
    char name[64];
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "p/f%02d", i);
        file_put(session, name, "hit\nhit\n");
        file_set_time(session, name, i);
    }
    static const struct grep_case cases[] = {
        {"{'pattern':'hit','path':'p','head_limit':2}",
         "p/f29\np/f28\n[2 of 30 files are shown: 28 more. Continue with offset 2, or narrow the search.]\n"},
        {"{'pattern':'hit','path':'p','head_limit':2,'offset':28}", "p/f01\np/f00\n"},
        {"{'pattern':'hit','path':'p','head_limit':2,'offset':30}",
         "Nothing more: the answer ends before offset 30.\n"},
        {"{'pattern':'hit','path':'p','head_limit':3,'offset':1,'output_mode':'content'}",
         "p/f00:2:hit\np/f01:1:hit\np/f01:2:hit\n[Lines 2 to 4 of the answer are shown; there are more. Continue with "
         "offset 4, or narrow the search.]\n"},
        {"{'pattern':'hit','path':'p','head_limit':1,'output_mode':'count'}",
         "p/f00:2\n[60 matches in 30 files]\n[1 of 30 files are shown: 29 more. Continue with offset 1, or narrow the "
         "search.]\n"},
    };
    RUN_CASES(state, cases);
    call(session, &tool_grep, "{'pattern':'hit','path':'p','head_limit':0,'output_mode':'content'}");
    expect_has(session, "p/f29:2:hit\n");
    expect_lacks(session, "[");
}

static void content_is_capped_without_being_asked(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (int i = 0; i < 1000; i++)
        hv_buf_addf(&text, "hit %d\n", i);
    file_put_bytes(session, "many", hv_buf_str(&text));
    hv_buf_release(&text);
    call(session, &tool_grep, "{'pattern':'hit','path':'many','output_mode':'content'}");
    expect_has(session, "many:250:hit 249\n[Lines 1 to 250");
    expect_lacks(session, "hit 250");
    call(session, &tool_grep, "{'pattern':'hit','path':'many','output_mode':'count'}");
    expect_has(session, "many:1000\n");
}

/* Text far larger than the scanner's buffer, with numbers and context across the borders of its pieces. */
static void large_files_keep_their_line_numbers(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 64 << 20);
    for (int i = 1; i <= 300000; i++)
        hv_buf_addf(&text, i % 50000 == 0 ? "needle %d\n" : "straw %d\n", i);
    file_put_bytes(session, "large", hv_buf_str(&text));
    hv_buf_release(&text);
    call(session, &tool_grep, "{'pattern':'needle','path':'large','output_mode':'content','-C':1}");
    for (int i = 50000; i <= 250000; i += 50000)
        expect_has(session,
                   hv_arena_format(&session->call, "large-%d-straw %d\nlarge:%d:needle %d\nlarge-%d-straw %d\n--\n",
                                   i - 1, i - 1, i, i, i + 1, i + 1)
                       .ptr);
    expect_has(session, "large-299999-straw 299999\nlarge:300000:needle 300000\n");
    call(session, &tool_grep, "{'pattern':'[n]eedle \\\\d+$','path':'large','output_mode':'count'}");
    expect_has(session, "large:6\n");
    call(session, &tool_grep,
         "{'pattern':'straw 99999\\\\nneedle','multiline':true,'path':'large','output_mode':'count'}");
    expect_has(session, "large:1\n");
    call(session, &tool_grep, "{'pattern':'straw','path':'large','output_mode':'count'}");
    expect_has(session, "large:299994\n");
}

enum { CONTEXT_LINES = 30000 };

static void expect_count(struct session *session, const char *pattern, size_t lines)
{
    struct hv_arena *arena = &session->call;
    call(session, &tool_grep,
         hv_arena_format(arena, "{'pattern':'%s','path':'line','output_mode':'count'}", pattern).ptr);
    expect_has(session, lines ? hv_arena_format(arena, "line:%zu\n", lines).ptr : "No matches");
}

/* The same with matches that span lines: one goes into the line, and another one stands in what comes of it later. */
static void a_match_goes_on_into_the_longest_line(void **state)
{
    enum { LONG = 40 << 20 };
    struct session *session = *state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 64 << 20);
    hv_buf_add_cstr(&text, "first\nnee\n");
    memset(hv_buf_reserve(&text, LONG), 'x', LONG);
    memcpy(text.data + text.len, "dle", 3);
    hv_buf_commit(&text, LONG);
    memcpy(text.data + text.len - 10, "point", 5);
    hv_buf_add_cstr(&text, "\nlast\n");
    file_put_bytes(session, "line", hv_buf_str(&text));
    call(session, &tool_grep,
         "{'pattern':'nee\\ndle|point','multiline':true,'path':'line','output_mode':'content','-C':1}");
    expect_has(session, "line-1-first\nline:2:nee\nline:3:dlexxx");
    expect_has(session, " bytes]\nline-4-last\n");
    call(session, &tool_grep, "{'pattern':'nee\\ndle|point','multiline':true,'path':'line','output_mode':'count'}");
    expect_has(session, "line:2\n");

    /* One that begins at the end of such a line, and where the first part ends. */
    hv_buf_clear(&text);
    memset(hv_buf_reserve(&text, LONG), 'x', LONG);
    hv_buf_commit(&text, LONG);
    memcpy(text.data + (32 << 20) - 6, "nee\ndle\nlast\n", 13);
    file_put_bytes(session, "line", hv_buf_str(&text));
    call(session, &tool_grep, "{'pattern':'nee\\ndle','multiline':true,'path':'line','output_mode':'content','-C':1}");
    expect_has(session, "nee\nline:2:dle\nline-3-last\n");
    expect_has(session, "line:1:[");
    expect_lacks(session, "line-1-");
}

/* A line is one line, however long: one of 6 MB is searched whole, one of 40 MB in parts, which is said. */
static void the_longest_lines_are_one_line(void **state)
{
    enum { PART = 32 << 20, LONG = 40 << 20 };
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 64 << 20);
    hv_buf_add_cstr(&text, "first\n");
    memset(hv_buf_reserve(&text, 6 << 20), 'x', 6 << 20);
    hv_buf_commit(&text, 6 << 20);
    memcpy(text.data + (4 << 20) - 3, "needle", 6);
    memcpy(text.data + (4 << 20) + 256 * 1024 - 3, "needle", 6);
    hv_buf_add_cstr(&text, "y\nlast\n");
    file_put_bytes(session, "line", hv_buf_str(&text));
    expect_count(session, "x", 1);
    expect_count(session, "^[xn]", 1);
    expect_count(session, "x$", 0);
    expect_count(session, ".", 3);
    call(session, &tool_grep, "{'pattern':'needle','path':'line','output_mode':'content','-C':1,'column':true}");
    expect_has(session, "line-1-first\nline:2:4194296:[");
    expect_has(session, "line-3-last\n");
    expect_lacks(session, "parts");

    hv_buf_clear(&text);
    hv_buf_add_cstr(&text, "first\n");
    memset(hv_buf_reserve(&text, LONG), 'x', LONG);
    hv_buf_commit(&text, LONG);
    memcpy(text.data + PART - 3, "needle", 6);
    hv_buf_add_cstr(&text, "y\nlast\n");
    file_put_bytes(session, "line", hv_buf_str(&text));
    expect_count(session, "x", 1);
    expect_count(session, "needle", 1);
    expect_count(session, "^.", 3);
    expect_count(session, "x$", 0);
    expect_count(session, "y$", 1);
    expect_count(session, "last", 1);
    call(session, &tool_grep, "{'pattern':'[n]eedle','path':'line','output_mode':'content','-C':1}");
    expect_has(session, "line-3-last\n[1 file was searched in parts of 32 MB");
    call(session, &tool_grep, "{'pattern':'first|needle|last','path':'line','output_mode':'content','-C':1}");
    expect_has(session, "line:1:first\nline");
    expect_has(session, "line:3:last\n");
    call(session, &tool_grep, "{'pattern':'[xy]','path':'line','output_mode':'content','-C':0}");
    expect_has(session, "line:2:xxx");
    expect_lacks(session, "line:2:[");
    hv_buf_release(&text);
}

/* What the tool should print, by the plainest means: every line at most this far from a match. */
static void what_large_files_may_hide_is_told(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 64 << 20);
    for (size_t i = 0; i < (33 << 20) / 32; i++)
        hv_buf_add_cstr(&text, i % 1024 ? "a line of thirty-one characters\n" : " line to count the others with.\n");
    hv_buf_add_cstr(&text, "last\n");
    memcpy(text.data + (32 << 20) - 12, "[over\nthe]\n", 11);
    file_put_bytes(session, "large", hv_buf_str(&text));
    call(session, &tool_grep,
         "{'pattern':'\\\\[over\\nthe\\\\]','path':'large','multiline':true,'output_mode':'content','-C':0}");
    expect_has(session, "large:1048576:a line of thirty-one[over\nlarge:1048577:the]");
    call(session, &tool_grep, "{'pattern':'count','path':'large','multiline':true,'output_mode':'count'}");
    expect_has(session, "large:1056\n"); /* none of them twice where parts overlap */
    call(session, &tool_grep, "{'pattern':'never\\n','path':'large','multiline':true}");
    expect_has(session, "1 file was searched in parts of 32 MB");
    call(session, &tool_grep, "{'pattern':'never','path':'large'}"); /* line by line nothing is missed */
    expect_lacks(session, "parts");
    call(session, &tool_grep, "{'pattern':'thirty','path':'large','multiline':true}"); /* one match was enough */
    expect_lacks(session, "parts");

    hv_buf_clear(&text);
    hv_buf_add_cstr(&text, "\xff\xfe");
    for (size_t i = 0; i < 25 << 20; i += 4)
        hv_buf_add(&text, "x\0\n\0", 4);
    hv_buf_add(&text, "e\0n\0d\0\n", 8);
    file_put_bytes(session, "wide", hv_buf_str(&text));
    call(session, &tool_grep, "{'pattern':'end','path':'wide','output_mode':'content','-C':0}");
    expect_has(session, "wide:6553601:end");

    hv_buf_clear(&text);
    hv_buf_add_cstr(&text, "\xfe\xff");
    for (size_t i = 0; i < 60000; i++) /* pairs of surrogates, torn wherever a piece may end */
        hv_buf_add(&text, i % 100 ? "\xd8\x3d\xde\x00\0x" : "\xd8\x3d\xde\x00\0\n", 6);
    file_put_bytes(session, "wide", hv_buf_str(&text));
    call(session, &tool_grep, "{'pattern':'\\\\x{fffd}|[^x\\\\x{1f600}]','path':'wide'}");
    expect_has(session, "No matches");
    call(session, &tool_grep, "{'pattern':'\\\\x{1f600}x','path':'wide','output_mode':'count'}");
    expect_has(session, "wide:600\n");
    hv_buf_release(&text);
}

static void print_expected(const bool *hits, size_t before, size_t after, struct hv_buf *out)
{
    size_t last = 0; /* the last line printed */
    for (size_t i = 1; i <= CONTEXT_LINES; i++) {
        bool near = hits[i];
        for (size_t d = 1; d <= before && !near; d++)
            near = i + d <= CONTEXT_LINES && hits[i + d];
        for (size_t d = 1; d <= after && !near; d++)
            near = i > d && hits[i - d];
        if (!near)
            continue;
        if (last && last + 1 < i && before + after > 0)
            hv_buf_add_cstr(out, "--\n");
        hv_buf_addf(out, hits[i] ? "ctx:%zu:hit %zu\n" : "ctx-%zu-straw that fills the line %zu\n", i, i);
        last = i;
    }
}

/* The file is several pieces long, so that matches and their context fall on the borders of these. */
static void context_is_right_across_pieces(void **state)
{
    struct session *session = *state;
    bool *hits = hv_calloc(CONTEXT_LINES + 1, sizeof *hits);
    uint32_t random = 4711;
    struct hv_buf text, expected;
    hv_buf_init(&text, 8 << 20);
    hv_buf_init(&expected, 8 << 20);
    for (size_t i = 1; i <= CONTEXT_LINES; i++) {
        random = random * 1664525u + 1013904223u;
        hits[i] = (random >> 16) % (i / 5000 * 20 + 5) == 0; /* thick at first, then thinner */
        hv_buf_addf(&text, hits[i] ? "hit %zu\n" : "straw that fills the line %zu\n", i);
    }
    file_put_bytes(session, "ctx", hv_buf_str(&text));
    static const size_t around[][2] = {{0, 0}, {1, 0}, {0, 1}, {3, 2}, {40, 0}, {0, 40}, {1000, 7}};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        hv_buf_clear(&expected);
        print_expected(hits, around[i][0], around[i][1], &expected);
        call(session, &tool_grep,
             hv_arena_format(&session->own,
                             "{'pattern':'^hit','path':'ctx','output_mode':'content','head_limit':0,'-B':%zu,'-A':%zu}",
                             around[i][0], around[i][1])
                 .ptr);
        assert_true(hv_str_eq(session->text, hv_buf_str(&expected)));
    }
    hv_buf_release(&text);
    hv_buf_release(&expected);
    free(hits);
}

/* Every way to search gives what trying each line alone gives. */
static void windows_and_single_lines_agree(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 16 << 20);
    uint32_t random = 12345;
    for (int i = 0; i < 20000; i++) {
        size_t len = (random >> 8) % 12;
        for (size_t j = 0; j < len; j++) {
            random = random * 1664525u + 1013904223u;
            hv_buf_add_byte(&text, "ab \tc1x(\xff\r"[(random >> 16) % 10]);
        }
        hv_buf_add_byte(&text, '\n');
        random = random * 1664525u + 1013904223u;
    }
    file_put_bytes(session, "noise", hv_buf_str(&text));
    hv_buf_release(&text);
    static const char *const patterns[] = {"a+b",        "^a",       "b$",     "\\\\s+x", "[^a]b",       "a[^b]*c",
                                           "\\\\w\\\\W", "^\\\\s*$", "(a|b)c", "x{2,}",   "a.*b.*c",     "\\\\bx\\\\b",
                                           "1?x$",       "(a)\\\\1", "c|^$",   "\\\\S$",  "[[:digit:]]", "a\\\\s"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        call(session, &tool_grep,
             hv_arena_format(&session->own, "{'pattern':'%s','path':'noise','output_mode':'count'}", patterns[i]).ptr);
        expect_has(session, "noise:");
        struct hv_str usual = hv_arena_str(&session->own, session->text);
        /* A look-ahead that always holds has every line tried alone. */
        call(
            session, &tool_grep,
            hv_arena_format(&session->own, "{'pattern':'(?:%s)(?=)','path':'noise','output_mode':'count'}", patterns[i])
                .ptr);
        expect_text(session, usual.ptr);
    }
}

static void a_hard_pattern_ends_and_says_so(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (int i = 0; i < 20; i++)
        hv_buf_addf(&text, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%d\n", i);
    hv_buf_add_cstr(&text, "xxy\n");
    file_put_bytes(session, "hard", hv_buf_str(&text));
    hv_buf_release(&text);
    call(session, &tool_grep, "{'pattern':'(?=x)(x+x+)+[yz]','path':'hard','output_mode':'content','-C':0}");
    expect_fine(session);
    expect_has(session, "hard:21:xxy\n");
    expect_has(session, "[The pattern takes too long on 20 places");
}

static void what_may_not_be_read_is_not_shown_nor_counted(void **state)
{
    struct session *session = *state;
    session->hidden = "/a.c";
    call(session, &tool_grep, "{'pattern':'foo'}");
    expect_text(session, "b.h\nsrc/x.py\n");
    call(session, &tool_grep, "{'pattern':'foo','output_mode':'content'}");
    expect_text(session, "b.h:1:int foo(int);\nsrc/x.py:1:def foo():\nsrc/x.py:5:    foo()\n");
    call(session, &tool_grep, "{'pattern':'foo','output_mode':'count'}");
    expect_text(session, "b.h:1\nsrc/x.py:2\n[3 matches in 2 files]\n");
}

enum { BECOMING = 5 };

static struct session *becoming; /* for a service that is asked of the first match */

/* In place of all other files, which were in the list of names, there are other things when their turn comes. */
static bool replace_others(struct hv_context *context, struct hv_str path)
{
    static const mode_t kinds[BECOMING] = {S_IFLNK, S_IFSOCK, S_IFDIR, S_IFIFO, 0};
    (void)context;
    for (int i = 0, next = 0; i < BECOMING && becoming; i++) {
        const char *name = hv_arena_format(&becoming->own, "becoming/f%d", i).ptr, *place = file_path(becoming, name);
        if (hv_str_ends(path, hv_str_from(name)))
            continue;
        assert_int_equal(unlink(place), 0);
        if (kinds[next] == S_IFLNK)
            assert_int_equal(symlink("../a.c", place), 0);
        else if (kinds[next] == S_IFDIR)
            assert_int_equal(mkdir(place, 0700), 0);
        else if (kinds[next])
            assert_int_equal(mknod(place, kinds[next] | 0600, 0), 0);
        next++;
    }
    becoming = NULL;
    return false;
}

static void what_became_something_else_is_no_trouble(void **state)
{
    struct session *session = *state;
    struct hv_services services = *session->context.services;
    services.hides_path = replace_others;
    session->context.services = &services;
    for (int i = 0; i < BECOMING; i++)
        file_put(session, hv_arena_format(&session->own, "becoming/f%d", i).ptr, "foo\n");
    becoming = session;
    call(session, &tool_grep, "{'pattern':'foo','path':'becoming','output_mode':'count'}");
    assert_null(becoming);
    expect_has(session, ":1\n[1 match in 1 file]\n");
    expect_lacks(session, "could not be read");
}

static void links_and_other_kinds_are_not_followed_in_a_tree(void **state)
{
    struct session *session = *state;
    assert_int_equal(symlink("../a.c", file_path(session, "src/link.c")), 0);
    assert_int_equal(symlink("..", file_path(session, "src/up")), 0);
    assert_int_equal(mkfifo(file_path(session, "src/pipe"), 0600), 0);
    call(session, &tool_grep, "{'pattern':'foo','path':'src'}");
    expect_text(session, "src/x.py\n");
    call(session, &tool_grep, "{'pattern':'foo','path':'src/link.c'}");
    expect_text(session, "src/link.c\n");
    call(session, &tool_grep, "{'pattern':'foo','path':'src/pipe'}");
    expect_failure(session, "pipe");
    call(session, &tool_grep, "{'pattern':'foo','path':'scr'}");
    expect_failure(session, "Did you mean");
}

/* Of directories behind the end of the answer, another thread enters some while a long file before it is searched. */
static void ignore_files_are_told_of_up_to_the_end_of_the_answer(void **state)
{
    struct session *session = *state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 8 << 20);
    for (int i = 0; i < 400000; i++)
        hv_buf_add_cstr(&text, "no needle\n");
    hv_buf_add_cstr(&text, "needles\nneedles\n");
    file_put_bytes(session, "m/long", hv_buf_str(&text));
    file_put(session, ".ignore/none", "");
    file_put(session, "l/.ignore/none", "");
    file_put(session, "m/.ignore/none", "");
    file_put(session, "m/n/.ignore/none", "");
    file_put(session, "z/.ignore/none", "");
    for (int i = 0; i < 3; i++) {
        call(session, &tool_grep, "{'pattern':'(?=n)needles','output_mode':'content','head_limit':1}");
        expect_text(
            session,
            "m/long:400001:needles\n"
            "[Lines 1 to 1 of the answer are shown; there are more. Continue with offset 1, or narrow the search.]\n"
            "[3 ignore files were not honoured: they cannot be read, are links, or are over 1 MB]\n");
    }
    call(session, &tool_grep, "{'pattern':'(?=n)needles','output_mode':'content','-C':0}");
    expect_has(session, "[5 ignore files were not honoured");
}

static void a_cancelled_search_ends(void **state)
{
    struct session *session = *state;
    hv_cancel_raise(session->cancel);
    call(session, &tool_grep, "{'pattern':'foo'}");
    assert_int_equal(session->code, HV_ECANCELLED);
}

static void what_was_found_in_time_is_shown(void **state)
{
    struct session *session = *state;
    session->context.deadline_ns = 1;
    static const char *const inputs[] = {"{'pattern':'foo'}", "{'pattern':'foo','path':'a.c'}"};
    for (size_t i = 0; i < 2; i++) {
        call(session, &tool_grep, inputs[i]);
        expect_fine(session);
        expect_has(session, "searched so far");
        expect_has(session, "is over: this is not everything.");
    }
}

static void *cancel_soon(void *cancel)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hv_cancel_raise(cancel);
    return NULL;
}

/* One long line and a pattern that looks at all of it from each place: the search is inside PCRE2 nearly all the time.
 */
static void a_search_inside_a_long_line_can_be_cancelled(void **state)
{
    struct session *session = *state;
    char *line = hv_arena_alloc(&session->own, 3000000);
    memset(line, 'x', 3000000);
    file_put_bytes(session, "long", hv_str_of(line, 3000000));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, session->cancel), 0);
    call(session, &tool_grep, "{'pattern':'(?=x)x.*y','path':'long'}");
    pthread_join(thread, NULL);
    assert_int_equal(session->code, HV_ECANCELLED); /* and not the partial answer that comes when the time is over */
}

static void peers_names_are_understood(void **state)
{
    struct session *session = *state;
    assert_true(hv_tool_is_named(&tool_grep, HV_STR("grep_search")));
    assert_true(hv_tool_is_named(&tool_grep, HV_STR("search_file_content")));
    call(session, &tool_grep, "{'query':'foo','dir_path':'src','include_pattern':'*.py'}");
    expect_text(session, "src/x.py\n");
    call(session, &tool_grep, "{'pattern':'foo','path':'src','head_limit':'5','-n':'true','output_mode':'count'}");
    expect_fine(session);
}

/* How many files have a mark of some search. */
static size_t marked_files(const struct fs_warm *warm)
{
    size_t count = 0;
    for (size_t i = 0; i < FS_WARM_SHARDS; i++)
        for (size_t at = 0; at < warm->shards[i].records.capacity; at++) {
            const struct warm_record *record = warm->shards[i].records.slots[at].value;
            for (size_t file = 0; record && file < record->file_count; file++)
                count += record->memories[file].marks != 0;
        }
    return count;
}

static void what_files_lack_is_remembered(void **state)
{
    struct session *session = *state;
    struct fs_warm *warm = tree_memory(&session->context);
    struct timespec rest = {.tv_sec = 3, .tv_nsec = 100000000};
    CLEANUP_FD int fd = open(session->root.ptr, O_RDONLY | O_CLOEXEC);
    bool works = fs_tells_changes(fd);
    warm->marks.late_ns = 50 * 1000 * 1000;
    while (nanosleep(&rest, &rest))
        continue;
    call(session, &tool_grep, "{'pattern':'foo'}");
    expect_text(session, "b.h\nsrc/x.py\na.c\n");
    assert_int_equal(marked_files(warm), works); /* src/y.txt */
    call(session, &tool_grep, "{'pattern':'foo','output_mode':'count'}");
    expect_text(session, "a.c:1\nb.h:1\nsrc/x.py:2\n[4 matches in 3 files]\n");
    call(session, &tool_grep, "{'pattern':'nowhere'}");
    assert_int_equal(marked_files(warm), works ? 4 : 0);
    call(session, &tool_grep, "{'pattern':'nowhere'}");
    expect_has(session, "4 files"); /* those that were not opened were searched, too */
    /* Others have it now: one written over with its time set back, one longer, one new. */
    struct stat before;
    assert_int_equal(stat(file_path(session, "a.c"), &before), 0);
    CLEANUP_FD int file = open(file_path(session, "a.c"), O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(file, "nowhere", 7, 0), 7);
    assert_int_equal(futimens(file, (struct timespec[2]){before.st_atim, before.st_mtim}), 0);
    CLEANUP_FD int other = open(file_path(session, "src/y.txt"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(other, "nowhere foo\n", 12), 12);
    file_put(session, "c.c", "nowhere\n");
    call(session, &tool_grep, "{'pattern':'nowhere','output_mode':'count'}");
    expect_text(session, "a.c:1\nc.c:1\nsrc/y.txt:1\n[3 matches in 3 files]\n");
    call(session, &tool_grep, "{'pattern':'foo','output_mode':'count'}");
    expect_text(session, "a.c:1\nb.h:1\nsrc/x.py:2\nsrc/y.txt:1\n[5 matches in 4 files]\n");
}

/* Files of all kinds, read the first time and known the second. */
static void a_known_text_gives_the_same_answer(void **state)
{
    struct session *session = *state;
    struct fs_warm *warm = tree_memory(&session->context);
    static const char *const inputs[] = {
        "{'pattern':'foo','output_mode':'content','-C':1}",
        "{'pattern':'foo'}",
        "{'pattern':'foo|bar','output_mode':'count'}",
        "{'pattern':'^\\\\s*$','output_mode':'count'}",
        "{'pattern':'\\u00e9t\\u00e9','output_mode':'content'}",
        "{'pattern':'^foo','output_mode':'content','column':true}",
        "{'pattern':'foo.*bar','multiline':true,'output_mode':'content'}",
        "{'pattern':'nul'}",
        "{'pattern':'.','output_mode':'count'}",
    };
    struct timespec rest = {.tv_sec = 3, .tv_nsec = 100000000};
    file_put(session, "mark.txt",
             "\xef\xbb\xbf"
             "foo \xc3\xa9t\xc3\xa9\n\nbar\n");
    file_put(session, "old.txt", "foo \xe9t\xe9 o\xf9 d\xe9j\xe0 \xe9lev\xe9\n");
    file_put(session, "lines.txt", "foo\r\n\r\nbar");
    file_put(session, "empty.txt", "");
    file_put_bytes(session, "wide.txt",
                   HV_STR("\xff\xfe"
                          "f\0o\0o\0 \0\xe9\0t\0\xe9\0\n\0"));
    file_put_bytes(session, "nul.bin", HV_STR("foo\nnul \0 foo\n"));
    enum { INPUTS = sizeof inputs / sizeof *inputs };
    struct hv_arena arena = {0};
    struct hv_str before[INPUTS];
    warm->marks.late_ns = 50 * 1000 * 1000;
    for (size_t i = 0; i < INPUTS; i++) { /* nothing is remembered yet */
        call(session, &tool_grep, inputs[i]);
        expect_fine(session);
        before[i] = hv_arena_str(&arena, session->text);
    }
    while (nanosleep(&rest, &rest))
        continue;
    for (size_t i = 0; i < (size_t)2 * INPUTS; i++) {
        call(session, &tool_grep, inputs[i % INPUTS]);
        expect_text(session, before[i % INPUTS].ptr);
    }
    hv_arena_release(&arena);
    CLEANUP_FD int fd = open(session->root.ptr, O_RDONLY | O_CLOEXEC);
    assert_int_equal(warm->marks.texts > 0, fs_tells_changes(fd));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_tree, close_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_three_modes),
        CASE(files_are_chosen_by_glob_and_type),
        CASE(context_lines_are_marked_and_groups_divided),
        CASE(a_match_that_is_the_only_one_comes_with_its_surroundings),
        CASE(columns_are_shown_when_asked_for),
        CASE(what_could_not_be_read_is_counted_and_named),
        CASE(a_line_matches_by_itself),
        CASE(multiline_spans_lines),
        CASE(fixed_strings_are_taken_as_they_are),
        CASE(an_invalid_pattern_is_pointed_at),
        CASE(ignored_files_are_left_out_unless_asked_for),
        CASE(binary_files_are_skipped),
        CASE(encodings_are_read_as_text),
        CASE(long_lines_are_cut_around_the_match),
        CASE(head_limit_and_offset_page_through),
        CASE(content_is_capped_without_being_asked),
        CASE(large_files_keep_their_line_numbers),
        CASE(what_large_files_may_hide_is_told),
        CASE(the_longest_lines_are_one_line),
        CASE(a_match_goes_on_into_the_longest_line),
        CASE(context_is_right_across_pieces),
        CASE(windows_and_single_lines_agree),
        CASE(a_hard_pattern_ends_and_says_so),
        CASE(what_may_not_be_read_is_not_shown_nor_counted),
        CASE(what_became_something_else_is_no_trouble),
        CASE(links_and_other_kinds_are_not_followed_in_a_tree),
        CASE(ignore_files_are_told_of_up_to_the_end_of_the_answer),
        CASE(a_cancelled_search_ends),
        CASE(what_was_found_in_time_is_shown),
        CASE(a_search_inside_a_long_line_can_be_cancelled),
        CASE(peers_names_are_understood),
        CASE(what_files_lack_is_remembered),
        CASE(a_known_text_gives_the_same_answer),
    };
#ifdef __SANITIZE_THREAD__ /* one thread reads a line of 24 MB, which takes a minute there */
    cmocka_set_skip_filter("*longest_line*");
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
