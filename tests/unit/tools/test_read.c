/* test_read.c: the tool Read: ranges, numbers, long lines, encodings, what is refused and how, and when not to show
 * again. */
#include "harness.h"

#include "base/cleanup.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

extern const struct hv_tool tool_read;

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

/* "line 1\n" … "line COUNT\n". */
static void put_lines(struct session *session, const char *name, int count)
{
    struct hv_buf text;
    hv_buf_init(&text, 256 << 20);
    for (int i = 1; i <= count; i++)
        hv_buf_addf(&text, "line %d\n", i);
    file_put_bytes(session, name, hv_buf_str(&text));
    hv_buf_release(&text);
}

/* What was written just now is not taken for unchanged by its times alone. */
static void let_it_settle(void)
{
    usleep(50000);
}

static void lines_are_numbered(void **state)
{
    struct session *session = *state;
    file_put(session, "a.txt", "one\n\ttwo\r\n\nfour");
    call(session, &tool_read, "{'file_path':'a.txt'}");
    expect_text(session, "     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour\n"
                         "[Its line ends are mixed: 1 CRLF, 2 LF; edits keep each.]\n");
    assert_true(hv_str_is(session->result.summary, "4 lines"));
}

static void absolute_relative_and_home_paths_are_taken(void **state)
{
    struct session *session = *state;
    file_put(session, "sub/a.txt", "x\n");
    file_put(session, "home/h.txt", "h\n");
    const char *absolute = file_path(session, "sub/../sub//a.txt");
    call(session, &tool_read, hv_arena_format(&session->own, "{'path':'%s'}", absolute).ptr);
    expect_text(session, "     1\tx\n");
    call(session, &tool_read, "{'filePath':'~/h.txt'}");
    expect_text(session, "     1\th\n");
    session->context.directory = hv_str_from(file_path(session, "sub"));
    call(session, &tool_read, "{'file_path':'../home/h.txt','limit':1}");
    expect_text(session, "     1\th\n");
}

static void a_range_shows_just_that(void **state)
{
    struct session *session = *state;
    put_lines(session, "ten", 10);
    call(session, &tool_read, "{'file_path':'ten','offset':3,'limit':2}");
    expect_text(session, "     3\tline 3\n     4\tline 4\n[Lines 3 to 4 of 10 are shown. Continue with offset 5.]\n");
    call(session, &tool_read, "{'file_path':'ten','offset':9,'limit':100}");
    expect_text(session, "     9\tline 9\n    10\tline 10\n");
    call(session, &tool_read, "{'file_path':'ten','offset':0,'limit':1}");
    expect_has(session, "     1\tline 1\n");
    call(session, &tool_read, "{'file_path':'ten','offset':11}");
    expect_fine(session);
    expect_text(session, "The file has 10 lines; offset 11 lies past its end.");
    call(session, &tool_read, "{'file_path':'ten','offset':9223372036854775807,'limit':9223372036854775807}");
    expect_has(session, "lies past its end");
    call(session, &tool_read, "{'file_path':'ten','limit':0}");
    expect_failure(session, "limit");
    call(session, &tool_read, "{'file_path':'ten','offset':-1}");
    expect_failure(session, "offset");
}

static void two_thousand_lines_are_shown_without_a_limit(void **state)
{
    struct session *session = *state;
    put_lines(session, "many", 2500);
    call(session, &tool_read, "{'file_path':'many'}");
    expect_has(session, "  2000\tline 2000\n[Lines 1 to 2000 of 2500 are shown. Continue with offset 2001.]\n");
    expect_lacks(session, "line 2001");
    call(session, &tool_read, "{'file_path':'many','offset':2001}");
    expect_has(session, "  2500\tline 2500\n");
}

static void a_long_line_is_cut_with_a_mark(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (int i = 0; i < 2000; i++)
        hv_buf_add_cstr(&text, "ä");
    hv_buf_add_cstr(&text, "ZZZ\nshort\n");
    file_put_bytes(session, "long", hv_buf_str(&text));
    hv_buf_release(&text);
    call(session, &tool_read, "{'file_path':'long'}");
    expect_lacks(session, "Z");
    expect_has(session, "3 more");
    expect_has(session, "     2\tshort\n");
}

static void a_large_file_is_answered_by_its_parts(void **state)
{
    struct session *session = *state;
    struct hv_buf text;
    hv_buf_init(&text, 4 << 20);
    for (int i = 0; i < 300; i++) {
        hv_buf_addf(&text, "int function_%d(void)\n{\n", i);
        for (int j = 0; j < 20; j++)
            hv_buf_addf(&text, "    statement_number(%d, \"some longer text in it\");\n", j);
        hv_buf_add_cstr(&text, "}\n");
    }
    file_put_bytes(session, "large.c", hv_buf_str(&text));
    hv_buf_release(&text);
    call(session, &tool_read, "{'file_path':'large.c'}");
    expect_has(session, "too large to show at once");
    expect_has(session, "6900 lines");
    expect_has(session, "  offset 1, limit ");
    expect_has(session, "function_0, function_1");
    expect_has(session, "     1\tint function_0(void)\n");
    expect_lacks(session, "\tint function_299(void)");
    assert_true(session->text.len < 150000);
    call(session, &tool_read, "{'file_path':'large.c','offset':6878,'limit':1}");
    expect_has(session, "  6878\tint function_299(void)\n");
}

static void parts_begin_where_something_is_defined(void **state)
{
    struct session *session = *state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 4 << 20);
    for (int i = 0; i < 100; i++) {
        hv_buf_addf(&text, "class Name%d:\n", i);
        for (int j = 0; j < 100; j++)
            hv_buf_addf(&text, "    value_%d = \"some words\"\n", j);
    }
    file_put_bytes(session, "classes.py", hv_buf_str(&text));
    call(session, &tool_read, "{'file_path':'classes.py'}");
    expect_has(session, "10100 lines");
    expect_has(session, "  offset 1, limit 1313: Name0, ");
    expect_has(session, "  offset 1314, limit 1313: Name13, ");
}

static void a_file_of_one_long_line_has_no_parts(void **state)
{
    struct session *session = *state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 4 << 20);
    while (text.len < 300000)
        hv_buf_add_cstr(&text, "var a = 1;");
    file_put_bytes(session, "min.js", hv_buf_str(&text));
    call(session, &tool_read, "{'file_path':'min.js'}");
    expect_has(session, "300 kB in 1 line, too long");
    expect_has(session, "     1\tvar a = 1;");
    expect_lacks(session, "limit 1");
}

/* The rest of the file is a hole of terabytes: whoever read it would not come back. */
static void a_range_of_a_huge_file_costs_what_the_range_costs(void **state)
{
    struct session *session = *state;
    put_lines(session, "huge", 200000);
    assert_int_equal(truncate(file_path(session, "huge"), (off_t)1 << 40), 0);
    call(session, &tool_read, "{'file_path':'huge','offset':150000,'limit':2}");
    expect_has(session, "150000\tline 150000\n150001\tline 150001\n");
    call(session, &tool_read, "{'file_path':'huge'}");
    expect_fine(session);
    expect_has(session, "very large");
    expect_has(session, "     1\tline 1\n");
}

/* A host that counts the bytes it reads. */
static uint64_t bytes_read;

static enum hv_code counting_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                  struct hv_buf *out, struct hv_file_stat *stat, struct hv_error *err)
{
    size_t before = out->len;
    enum hv_code code = hv_host_local()->read(host, path, offset, limit, out, stat, err);
    bytes_read += out->len - before;
    return code;
}

static void put_numbers(struct session *session, int first, int count)
{
    struct hv_buf text;
    hv_buf_init(&text, 64 << 20);
    for (int i = 0; i < count; i++)
        hv_buf_addf(&text, "%08d\n", first + i);
    file_put_bytes(session, "numbers", hv_buf_str(&text));
    hv_buf_release(&text);
}

static void expect_number(struct session *session, int offset, int number)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 200);
    hv_buf_addf(&text, "{'file_path':'numbers','offset':%d,'limit':2}", offset);
    bytes_read = 0;
    call(session, &tool_read, text.data);
    expect_fine(session);
    hv_buf_clear(&text);
    hv_buf_addf(&text, "%6d\t%08d\n%6d\t%08d\n", offset, number, offset + 1, number + 1);
    expect_has(session, text.data);
}

/* Lines are counted from the last known place, not from the top; what changed is counted anew. */
static void a_page_of_a_large_file_goes_on_where_the_last_one_ended(void **state)
{
    struct session *session = *state;
    static struct hv_host host;
    host = *hv_host_local();
    host.read = counting_read;
    session->context.host = &host;
    put_numbers(session, 1, 500000);
    let_it_settle();
    expect_number(session, 400000, 400000);
    assert_true(bytes_read > 3000000);
    static const int near[] = {400002, 399999, 400100, 5, 123456, 200000, 300001, 390000};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        expect_number(session, near[i], near[i]);
        assert_true(bytes_read < 500000);
    }
    put_numbers(session, 1000, 500000);
    file_set_time(session, "numbers", 7);
    expect_number(session, 400002, 401001);
    call(session, &tool_read, "{'file_path':'numbers','offset':500001}");
    expect_has(session, "The file has 500000 lines");
}

/* A host whose clock for files does not move. */
static enum hv_code frozen_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                                struct hv_error *err)
{
    enum hv_code code = hv_host_local()->stat(host, path, follow, out, err);
    out->mtime_ns = out->ctime_ns = INT64_MAX / 2;
    return code;
}

static enum hv_code frozen_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                struct hv_buf *out, struct hv_file_stat *stat, struct hv_error *err)
{
    enum hv_code code = hv_host_local()->read(host, path, offset, limit, out, stat, err);
    if (stat)
        stat->mtime_ns = stat->ctime_ns = INT64_MAX / 2;
    return code;
}

/* The same size and time, other bytes: who looks at them alone would show what is no longer there. */
static void a_change_within_one_tick_of_the_clock_is_seen(void **state)
{
    struct session *session = *state;
    static struct hv_host host;
    host = *hv_host_local();
    host.stat = frozen_stat;
    host.read = frozen_read;
    session->context.host = &host;
    for (int i = 0; i < 6; i++) {
        FILE *file = fopen(file_path(session, "quick"), i ? "r+e" : "we"); /* the same inode */
        assert_non_null(file);
        assert_true(fputs(i % 2 ? "odd!\n" : "even\n", file) >= 0);
        fclose(file);
        call(session, &tool_read, "{'file_path':'quick'}");
        expect_has(session, i % 2 ? "     1\todd!\n" : "     1\teven\n");
        call(session, &tool_read, "{'file_path':'quick'}");
        expect_has(session, "unchanged");
    }
}

/* A text in which every line tells its number, in `unit` bytes a character. */
static void put_wide(struct session *session, const char *name, const char *mark, int unit, bool big, int count)
{
    CLEANUP_BUF struct hv_buf text = {0}, line = {0};
    hv_buf_init(&text, 256 << 20);
    hv_buf_init(&line, 100);
    hv_buf_add(&text, mark, (size_t)unit);
    for (int i = 1; i <= count; i++) {
        hv_buf_clear(&line);
        hv_buf_addf(&line, "line %d\n", i);
        for (size_t at = 0; at < line.len; at++)
            for (int byte = 0; byte < unit; byte++)
                hv_buf_add_byte(&text, byte == (big ? unit - 1 : 0) ? line.data[at] : '\0');
    }
    hv_buf_add(&text, big ? &"\0\0\1\x0a"[4 - unit] : "\x0a\1\0\0", (size_t)unit); /* U+010A is no newline */
    file_put_bytes(session, name, hv_buf_str(&text));
}

static void ranges_of_wide_encodings_are_found_without_decoding_all(void **state)
{
    struct session *session = *state;
    put_wide(session, "u16le", "\xff\xfe", 2, false, 200000);
    put_wide(session, "u16be", "\xfe\xff", 2, true, 200000);
    put_wide(session, "u32le", "\xff\xfe\0\0", 4, false, 200000);
    put_wide(session, "u32be", "\0\0\xfe\xff", 4, true, 200000);
    static const char *const names[] = {"u16le", "u16be", "u32le", "u32be"};
    for (size_t i = 0; i < 4; i++)
        for (int again = 0; again < 2; again++) {
            let_it_settle();
            call(session, &tool_read,
                 hv_arena_format(&session->own, "{'file_path':'%s','offset':%d,'limit':2}", names[i], 150000 + again)
                     .ptr);
            expect_has(session, again ? "150001\tline 150001\n150002\tline 150002\n" : "150000\tline 150000\n");
            expect_has(session, "it is shown as UTF-8");
            call(session, &tool_read,
                 hv_arena_format(&session->own, "{'file_path':'%s','offset':%d,'limit':5}", names[i], 200000 + again)
                     .ptr);
            expect_has(session, "200001\tĊ\n");
            expect_lacks(session, "more");
        }
}

static void legacy_bytes_far_from_the_beginning_are_decoded(void **state)
{
    struct session *session = *state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 8 << 20);
    for (int i = 1; i <= 200000; i++)
        hv_buf_addf(&text, i < 100000 ? "line %d\n" : "Zeile %d: gr\xfc\xdf dich, sch\xf6ne M\xfcllerin\n", i);
    file_put_bytes(session, "legacy", hv_buf_str(&text));
    call(session, &tool_read, "{'file_path':'legacy','offset':150000,'limit':3}");
    expect_has(session, "150001\tZeile 150001: grüß dich, schöne Müllerin\n");
    expect_has(session, "is shown as UTF-8");
    hv_buf_clear(&text);
    for (int i = 1; i <= 60000; i++)
        hv_buf_addf(&text, "%d \x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\n",
                    i);
    file_put_bytes(session, "sjis", hv_buf_str(&text));
    call(session, &tool_read, "{'file_path':'sjis','offset':50000,'limit':3}");
    expect_has(session, " 50001\t50001 これは日本語の文章です\n");
    expect_has(session, "Shift_JIS");
}

static void a_few_bytes_that_are_no_utf8_do_not_make_the_rest_something_else(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "damaged", HV_STR("größer, schöner, älter, weiß, früh\nhier\xffund da\n"));
    call(session, &tool_read, "{'file_path':'damaged'}");
    expect_text(session, "     1\tgrößer, schöner, älter, weiß, früh\n     2\thier\xef\xbf\xbdund da\n"
                         "[Some bytes of the file are not valid UTF-8; each is shown as U+FFFD.]\n");
}

static void line_ends_are_told(void **state)
{
    struct session *session = *state;
    file_put(session, "dos", "one\r\ntwo\r\n");
    call(session, &tool_read, "{'file_path':'dos'}");
    expect_text(session, "     1\tone\n     2\ttwo\n[Its lines end in CRLF, which edits keep.]\n");
    file_put(session, "mac", "one\rtwo\rthree");
    call(session, &tool_read, "{'file_path':'mac'}");
    expect_text(session, "     1\tone\n     2\ttwo\n     3\tthree\n[Its lines end in CR alone, as on old Macs.]\n");
}

/* A host under which the file grows, shrinks, or is another one at each look. */
static struct session *meddled;
static enum { GROWS, SHRINKS, IS_REPLACED, IS_REPLACED_ONCE } meddling;
static int meddled_reads;

static enum hv_code meddling_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                  struct hv_buf *out, struct hv_file_stat *stat, struct hv_error *err)
{
    const char *name = file_path(meddled, "moving");
    if (meddled_reads++ == 2 || meddling == IS_REPLACED) {
        if (meddling == SHRINKS)
            assert_int_equal(truncate(name, 700000), 0);
        if (meddling == GROWS)
            assert_int_equal(truncate(name, (off_t)1 << 30), 0);
        if (meddling >= IS_REPLACED) {
            struct hv_str text;
            char other[4200];
            snprintf(other, sizeof other, "%s.%d", name, meddled_reads);
            CLEANUP_BUF struct hv_buf bytes = {0};
            hv_buf_init(&bytes, 8 << 20);
            for (int i = 1; i <= 300000; i++)
                hv_buf_addf(&bytes, "other %d\n", i);
            text = hv_buf_str(&bytes);
            FILE *file = fopen(other, "we");
            assert_non_null(file);
            assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
            fclose(file);
            assert_int_equal(rename(other, name), 0);
        }
    }
    return hv_host_local()->read(host, path, offset, limit, out, stat, err);
}

static void read_while(struct session *session, int how, const char *input)
{
    static struct hv_host host;
    host = *hv_host_local();
    host.read = meddling_read;
    put_lines(session, "moving", 300000);
    meddled = session;
    meddling = how;
    meddled_reads = 0;
    session->context.host = &host;
    call(session, &tool_read, input);
}

static void files_that_move_while_they_are_read_give_an_honest_answer(void **state)
{
    struct session *session = *state;
    read_while(session, GROWS, "{'file_path':'moving','offset':250000,'limit':1}");
    expect_has(session, "250000\tline 250000\n");
    read_while(session, SHRINKS, "{'file_path':'moving','offset':250000,'limit':1}");
    expect_fine(session);
    expect_has(session, "lies past its end");
    read_while(session, IS_REPLACED_ONCE, "{'file_path':'moving','offset':250000,'limit':1}");
    expect_has(session, "250000\tother 250000\n");
    read_while(session, IS_REPLACED, "{'file_path':'moving','offset':250000,'limit':1}");
    expect_failure(session, "replaced again and again");
}

static void one_line_without_end_costs_no_more_than_its_beginning(void **state)
{
    struct session *session = *state;
    static struct hv_host host;
    host = *hv_host_local();
    host.read = counting_read;
    session->context.host = &host;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 8 << 20);
    while (text.len < (5 << 20))
        hv_buf_add_cstr(&text, "0123456789abcdef");
    file_put_bytes(session, "line", hv_buf_str(&text));
    bytes_read = 0;
    call(session, &tool_read, "{'file_path':'line','limit':1}");
    expect_has(session, "[line cut: ");
    expect_has(session, "goes on for at least");
    assert_true(bytes_read < 200000 && session->text.len < 5000);
    call(session, &tool_read, "{'file_path':'line','offset':2}");
    expect_text(session, "The file has 1 line; offset 2 lies past its end.");
}

static void a_range_that_ends_with_the_file_says_nothing_of_more(void **state)
{
    struct session *session = *state;
    put_lines(session, "large", 300000);
    call(session, &tool_read, "{'file_path':'large','offset':299999,'limit':2}");
    expect_text(session, "299999\tline 299999\n300000\tline 300000\n");
    call(session, &tool_read, "{'file_path':'large','offset':299999,'limit':1}");
    expect_has(session, "Continue with offset 300000.");
    call(session, &tool_read, "{'file_path':'large','offset':300001,'limit':1}");
    expect_text(session, "The file has 300000 lines; offset 300001 lies past its end.");
}

static void other_encodings_are_shown_as_utf8(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "le", HV_STR("\xff\xfeg\0r\0\xfc\0n\0\r\0\n\0x\0"));
    call(session, &tool_read, "{'file_path':'le'}");
    expect_text(session, "     1\tgrün\n     2\tx\n[The file is in UTF-16 LE; it is shown as UTF-8.]\n"
                         "[Its lines end in CRLF, which edits keep.]\n");
    file_put_bytes(session, "be", HV_STR("\xfe\xff\0g\0r\0\xfc\0n\0\n"));
    call(session, &tool_read, "{'file_path':'be'}");
    expect_has(session, "     1\tgrün\n");
    expect_has(session, "UTF-16 BE");
    file_put_bytes(session, "u32", HV_STR("\xff\xfe\0\0g\0\0\0\xfc\0\0\0\n\0\0\0"));
    call(session, &tool_read, "{'file_path':'u32'}");
    expect_has(session, "     1\tgü\n");
    expect_has(session, "UTF-32 LE");
    file_put_bytes(session, "latin1", HV_STR("gr\xfcn\n"));
    call(session, &tool_read, "{'file_path':'latin1'}");
    expect_has(session, "     1\tgrün\n");
    expect_has(session, "it is shown as UTF-8");
    file_put_bytes(session, "bom", HV_STR("\xef\xbb\xbfgr\xc3\xbcn\n"));
    call(session, &tool_read, "{'file_path':'bom'}");
    expect_text(session, "     1\tgrün\n");
}

static void the_same_again_is_not_shown_again(void **state)
{
    struct session *session = *state;
    put_lines(session, "same", 5);
    call(session, &tool_read, "{'file_path':'same'}");
    expect_has(session, "line 5");
    call(session, &tool_read, "{'file_path':'same'}");
    expect_has(session, "unchanged since it was last read");
    call(session, &tool_read, "{'file_path':'same','offset':2,'limit':1}");
    expect_has(session, "     2\tline 2\n");
    call(session, &tool_read, "{'file_path':'same'}");
    expect_has(session, "unchanged since it was last read");
    let_it_settle();
    call(session, &tool_read, "{'file_path':'same'}");
    expect_has(session, "unchanged since it was last read");
    file_set_time(session, "same", 5);
    call(session, &tool_read, "{'file_path':'same'}");
    expect_has(session, "unchanged since it was last read");
    file_put(session, "same", "line 1\nline 2\nline 3\nline 4\nLINE 5\n");
    file_set_time(session, "same", 5);
    call(session, &tool_read, "{'file_path':'same','limit':9}");
    expect_has(session, "LINE 5");
    file_put(session, "same", "other\n");
    call(session, &tool_read, "{'file_path':'same'}");
    expect_text(session, "     1\tother\n");
}

static void an_empty_file_says_so(void **state)
{
    struct session *session = *state;
    file_put(session, "empty", "");
    call(session, &tool_read, "{'file_path':'empty'}");
    expect_fine(session);
    expect_text(session, "The file exists and is empty.");
}

static void a_missing_file_gets_the_nearest_names(void **state)
{
    struct session *session = *state;
    file_put(session, "source/parser.c", "x");
    file_put(session, "source/lexer.c", "x");
    call(session, &tool_read, "{'file_path':'source/praser.c'}");
    expect_failure(session, "does not exist");
    expect_has(session, "Did you mean");
    expect_has(session, "/source/parser.c?");
    assert_int_equal(session->code, HV_ENOTFOUND);
    call(session, &tool_read, "{'file_path':'sorce/parser.c'}");
    expect_failure(session, "/source?");
    call(session, &tool_read, "{'file_path':'source/zzzzzzzz'}");
    expect_failure(session, "holds: ");
    directory_make(session, "void");
    call(session, &tool_read, "{'file_path':'void/x'}");
    expect_failure(session, "is empty");
    call(session, &tool_read, "{'file_path':'source/lexer.c/x'}");
    expect_failure(session, "");
    call(session, &tool_read, "{'file_path':''}");
    expect_failure(session, "file_path");
}

static void what_is_no_text_is_refused_with_advice(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "p.png", HV_STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    call(session, &tool_read, "{'file_path':'p.png'}");
    expect_failure(session, "the PNG image is cut off");
    file_put_bytes(session, "z.zip", HV_STR("PK\3\4xxxx"));
    call(session, &tool_read, "{'file_path':'z.zip'}");
    expect_failure(session, "unzip -l");
    file_put_bytes(session, "b", HV_STR("abc\0\1\2def"));
    call(session, &tool_read, "{'file_path':'b'}");
    expect_failure(session, "a binary file");
    file_put_bytes(session, "d.pdf", HV_STR("%PDF-1.7\n"));
    call(session, &tool_read, "{'file_path':'d.pdf'}");
    expect_failure(session, "the PDF document is damaged or cut off");
    file_put(session, "s.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    call(session, &tool_read, "{'file_path':'s.svg'}");
    expect_has(session, "     1\t<svg");
}

static void a_directory_points_to_other_tools(void **state)
{
    struct session *session = *state;
    directory_make(session, "dir");
    call(session, &tool_read, "{'file_path':'dir'}");
    expect_failure(session, "is a directory");
    expect_has(session, "Glob");
}

static void nothing_that_blocks_is_opened(void **state)
{
    struct session *session = *state;
    assert_int_equal(mkfifo(file_path(session, "fifo"), 0600), 0);
    assert_int_equal(symlink("/dev/zero", file_path(session, "zero")), 0);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", file_path(session, "socket"));
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    static const char *const inputs[] = {
        "{'file_path':'fifo'}",           "{'file_path':'zero'}",        "{'file_path':'socket'}",
        "{'file_path':'/dev/tty'}",       "{'file_path':'/dev/null'}",   "{'file_path':'/proc/kmsg'}",
        "{'file_path':'/proc/self/mem'}", "{'file_path':'/proc/kcore'}",
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        call(session, &tool_read, inputs[i]);
        expect_failure(session, "");
        assert_true(session->code == HV_EUNSUPPORTED || session->code == HV_ENOTFOUND);
    }
    close(listener);
}

static void files_of_the_kernel_that_end_are_shown(void **state)
{
    struct session *session = *state;
    call(session, &tool_read, "{'file_path':'/proc/self/status'}");
    expect_fine(session);
    expect_has(session, "     1\tName:");
    call(session, &tool_read, "{'file_path':'/proc/self/status','offset':2,'limit':1}");
    expect_has(session, "     2\t");
}

static void a_link_is_read_through(void **state)
{
    struct session *session = *state;
    file_put(session, "target", "x\n");
    assert_int_equal(symlink("target", file_path(session, "link")), 0);
    assert_int_equal(symlink("loop", file_path(session, "loop")), 0);
    call(session, &tool_read, "{'file_path':'link'}");
    expect_text(session, "     1\tx\n");
    call(session, &tool_read, "{'file_path':'loop'}");
    expect_failure(session, "");
}

static void a_cancelled_read_of_a_huge_range_ends(void **state)
{
    struct session *session = *state;
    put_lines(session, "huge", 400000);
    hv_cancel_raise(session->cancel);
    call(session, &tool_read, "{'file_path':'huge','offset':399999,'limit':1}");
    assert_int_equal(session->code, HV_ECANCELLED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(lines_are_numbered),
        CASE(absolute_relative_and_home_paths_are_taken),
        CASE(a_range_shows_just_that),
        CASE(two_thousand_lines_are_shown_without_a_limit),
        CASE(a_long_line_is_cut_with_a_mark),
        CASE(a_large_file_is_answered_by_its_parts),
        CASE(parts_begin_where_something_is_defined),
        CASE(a_file_of_one_long_line_has_no_parts),
        CASE(a_range_of_a_huge_file_costs_what_the_range_costs),
        CASE(a_page_of_a_large_file_goes_on_where_the_last_one_ended),
        CASE(a_change_within_one_tick_of_the_clock_is_seen),
        CASE(ranges_of_wide_encodings_are_found_without_decoding_all),
        CASE(legacy_bytes_far_from_the_beginning_are_decoded),
        CASE(a_few_bytes_that_are_no_utf8_do_not_make_the_rest_something_else),
        CASE(line_ends_are_told),
        CASE(files_that_move_while_they_are_read_give_an_honest_answer),
        CASE(one_line_without_end_costs_no_more_than_its_beginning),
        CASE(a_range_that_ends_with_the_file_says_nothing_of_more),
        CASE(other_encodings_are_shown_as_utf8),
        CASE(the_same_again_is_not_shown_again),
        CASE(an_empty_file_says_so),
        CASE(a_missing_file_gets_the_nearest_names),
        CASE(what_is_no_text_is_refused_with_advice),
        CASE(a_directory_points_to_other_tools),
        CASE(nothing_that_blocks_is_opened),
        CASE(files_of_the_kernel_that_end_are_shown),
        CASE(a_link_is_read_through),
        CASE(a_cancelled_read_of_a_huge_range_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
