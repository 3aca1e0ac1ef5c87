/* test_write.c: the tool Write: what must have been read, what survives of the old file, what is shown, what is
 * refused. */
#include "harness.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_write;

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

static unsigned mode_of(struct session *session, const char *name)
{
    struct stat status;
    assert_int_equal(stat(file_path(session, name), &status), 0);
    return status.st_mode & 07777;
}

static void a_new_file_is_created_with_its_directories(void **state)
{
    struct session *session = *state;
    call(session, &tool_write, "{'file_path':'a/b/c.txt','content':'one\\ntwo\\n'}");
    expect_fine(session);
    expect_has(session, "Created a/b/c.txt (2 lines).");
    expect_has(session, "     1\tone\n     2\ttwo\n");
    expect_file(session, "a/b/c.txt", "one\ntwo\n");
    assert_true(hv_str_is(session->result.summary, "2 lines"));
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(mode_of(session, "a/b/c.txt"), 0666 & ~mask);
}

static void the_first_thirty_lines_of_a_new_file_are_shown(void **state)
{
    struct session *session = *state;
    struct hv_buf input;
    hv_buf_init(&input, 1 << 20);
    hv_buf_add_cstr(&input, "{'path':'long','text':'");
    for (int i = 1; i <= 100; i++)
        hv_buf_addf(&input, "line %d\\n", i);
    hv_buf_add_cstr(&input, "'}");
    call(session, &tool_write, input.data);
    hv_buf_release(&input);
    expect_has(session, "    30\tline 30\n");
    expect_lacks(session, "line 31");
    expect_has(session, "… 70 more lines");
}

static void an_unread_file_is_not_replaced(void **state)
{
    struct session *session = *state;
    file_put(session, "old", "old\n");
    call(session, &tool_write, "{'file_path':'old','content':'new\\n'}");
    expect_failure(session, "has not been read in this session");
    expect_has(session, "Read the file first");
    expect_file(session, "old", "old\n");
}

static void a_read_file_is_replaced_and_the_difference_shown(void **state)
{
    struct session *session = *state;
    file_put(session, "old", "one\ntwo\nthree\n");
    call(session, &tool_read, "{'file_path':'old'}");
    call(session, &tool_write, "{'file_path':'old','content':'one\\n2\\nthree\\n'}");
    expect_fine(session);
    expect_has(session, "Replaced old.");
    expect_has(session, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_true(session->result.diff.len > 0);
    assert_true(hv_str_is(session->result.summary, "+1 -1"));
    expect_file(session, "old", "one\n2\nthree\n");
    /* What the model wrote it knows. */
    call(session, &tool_write, "{'file_path':'old','content':'again\\n'}");
    expect_fine(session);
    call(session, &tool_write, "{'file_path':'old','content':'again\\n'}");
    expect_has(session, "already holds exactly this text");
}

static void a_file_changed_since_it_was_read_is_left_alone(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "one\n");
    call(session, &tool_read, "{'file_path':'f'}");
    file_put(session, "f", "two\n");
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_failure(session, "was changed since it was read");
    assert_int_equal(session->code, HV_ECONFLICT);
    expect_file(session, "f", "two\n");
    /* A newer time over the same bytes is no change. */
    call(session, &tool_read, "{'file_path':'f'}");
    file_set_time(session, "f", 1);
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_fine(session);
    expect_file(session, "f", "new\n");
}

static void a_file_removed_since_it_was_read_is_created_anew(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "one\n");
    call(session, &tool_read, "{'file_path':'f'}");
    assert_int_equal(unlink(file_path(session, "f")), 0);
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_fine(session);
    expect_has(session, "Created");
}

static void a_part_read_is_not_enough(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "1\n2\n3\n4\n");
    call(session, &tool_read, "{'file_path':'f','limit':2}");
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_failure(session, "Only a part of");
    call(session, &tool_read, "{'file_path':'f','offset':3}");
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_fine(session);
}

static void an_empty_file_need_not_be_read(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "");
    call(session, &tool_write, "{'file_path':'f','content':'new\\n'}");
    expect_fine(session);
    expect_file(session, "f", "new\n");
}

static void mode_attributes_and_links_survive(void **state)
{
    struct session *session = *state;
    file_put(session, "real/script", "#!/bin/sh\n");
    const char *path = file_path(session, "real/script");
    assert_int_equal(chmod(path, 0750), 0);
    bool has_attribute = setxattr(path, "user.note", "kept", 4, 0) == 0;
    assert_int_equal(symlink("real/script", file_path(session, "link")), 0);
    call(session, &tool_read, "{'file_path':'link'}");
    call(session, &tool_write, "{'file_path':'link','content':'#!/bin/bash\\n'}");
    expect_fine(session);
    expect_file(session, "real/script", "#!/bin/bash\n");
    assert_int_equal(mode_of(session, "real/script"), 0750);
    struct stat status;
    assert_int_equal(lstat(file_path(session, "link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    char value[8];
    if (has_attribute)
        assert_int_equal(getxattr(path, "user.note", value, sizeof value), 4);
}

static void a_hard_link_stays_one(void **state)
{
    struct session *session = *state;
    file_put(session, "one", "old\n");
    assert_int_equal(link(file_path(session, "one"), file_path(session, "two")), 0);
    call(session, &tool_read, "{'file_path':'one'}");
    call(session, &tool_write, "{'file_path':'one','content':'new, and longer\\n'}");
    expect_fine(session);
    expect_file(session, "two", "new, and longer\n");
}

static void the_encoding_of_the_file_is_kept(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "u16",
                   HV_STR("\xff\xfe"
                          "a\0\n\0"));
    call(session, &tool_read, "{'file_path':'u16'}");
    call(session, &tool_write, "{'file_path':'u16','content':'ü\\n'}");
    expect_fine(session);
    assert_true(hv_str_eq(file_get(session, "u16"), HV_STR("\xff\xfe\xfc\0\n\0")));
    file_put_bytes(session, "bom", HV_STR("\xef\xbb\xbfx\n"));
    call(session, &tool_read, "{'file_path':'bom'}");
    call(session, &tool_write, "{'file_path':'bom','content':'y\\n'}");
    expect_file(session, "bom", "\xef\xbb\xbfy\n");
    file_put_bytes(session, "latin1", HV_STR("gr\xfcn\n"));
    call(session, &tool_read, "{'file_path':'latin1'}");
    call(session, &tool_write, "{'file_path':'latin1','content':'日本\\n'}");
    expect_failure(session, "was left as it was");
    expect_file(session, "latin1", "gr\xfcn\n");
}

static void a_change_of_line_ends_is_told(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "a\r\nb\r\n");
    call(session, &tool_read, "{'file_path':'f'}");
    call(session, &tool_write, "{'file_path':'f','content':'a\\nb\\nc\\n'}");
    expect_has(session, "Note: its lines ended in CRLF, now they end in LF.");
    expect_file(session, "f", "a\nb\nc\n");
}

static void so_is_one_of_utf_16_and_of_old_macs(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "f",
                   HV_STR("\xff\xfe"
                          "a\0\r\0\n\0"
                          "b\0\r\0\n\0"));
    call(session, &tool_read, "{'file_path':'f'}");
    call(session, &tool_write, "{'file_path':'f','content':'a\\nc\\n'}");
    expect_has(session, "Note: its lines ended in CRLF, now they end in LF.");
    file_put(session, "g", "a\rb\r");
    call(session, &tool_read, "{'file_path':'g'}");
    call(session, &tool_write, "{'file_path':'g','content':'a\\nc\\n'}");
    expect_has(session, "Note: its lines ended in CR alone, now they end in LF.");
    expect_has(session, "\n a\n-b\n+c\n");
}

static void what_is_no_file_is_not_written(void **state)
{
    struct session *session = *state;
    directory_make(session, "dir");
    call(session, &tool_write, "{'file_path':'dir','content':'x'}");
    expect_failure(session, "is a directory");
    call(session, &tool_write, "{'file_path':'/dev/null','content':'x'}");
    expect_failure(session, "is a device");
    file_put(session, "file", "x");
    call(session, &tool_write, "{'file_path':'file/below','content':'x'}");
    expect_failure(session, "");
    file_put_bytes(session, "bin", HV_STR("a\0b"));
    call(session, &tool_write, "{'file_path':'bin','content':'x'}");
    expect_failure(session, "");
    assert_true(hv_str_eq(file_get(session, "bin"), HV_STR("a\0b")));
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    call(session, &tool_write, hv_arena_format(&session->own, "{'file_path':'%s','content':'x'}", name).ptr);
    expect_failure(session, "");
    call(session, &tool_write, hv_arena_format(&session->own, "{'file_path':'new/%s/x','content':'x'}", name).ptr);
    expect_failure(session, "");
    call(session, &tool_write, "{'content':'x'}");
    expect_failure(session, "file_path");
    call(session, &tool_write, "{'file_path':'x'}");
    expect_failure(session, "content");
}

static void nothing_is_left_behind(void **state)
{
    struct session *session = *state;
    call(session, &tool_write, "{'file_path':'d/f','content':'x'}");
    call(session, &tool_write, "{'file_path':'d/f','content':'y'}");
    expect_fine(session);
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    const struct hv_host *host = hv_host_local();
    assert_int_equal(
        host->list(host, &session->own, hv_str_from(file_path(session, "d")), 10, &entries, &count, &more, NULL),
        HV_OK);
    assert_int_equal(count, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_new_file_is_created_with_its_directories),
        CASE(the_first_thirty_lines_of_a_new_file_are_shown),
        CASE(an_unread_file_is_not_replaced),
        CASE(a_read_file_is_replaced_and_the_difference_shown),
        CASE(a_file_changed_since_it_was_read_is_left_alone),
        CASE(a_file_removed_since_it_was_read_is_created_anew),
        CASE(a_part_read_is_not_enough),
        CASE(an_empty_file_need_not_be_read),
        CASE(mode_attributes_and_links_survive),
        CASE(a_hard_link_stays_one),
        CASE(the_encoding_of_the_file_is_kept),
        CASE(a_change_of_line_ends_is_told),
        CASE(so_is_one_of_utf_16_and_of_old_macs),
        CASE(what_is_no_file_is_not_written),
        CASE(nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
