/* test_edit.c: the tool Edit: its checks in order, what it keeps of the file, what it says. The core has tests of its
 * own. */
#include "harness.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_edit, tool_write, tool_apply_patch;

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

/* Write a file and let the model read it. */
static void put_and_read(struct session *session, const char *name, const char *text)
{
    file_put(session, name, text);
    call(session, &tool_read, hv_arena_format(&session->own, "{'file_path':'%s'}", name).ptr);
    expect_fine(session);
}

static void an_edit_changes_and_shows_it(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "one\ntwo\nthree\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'two','new_string':'2'}");
    expect_fine(session);
    expect_has(session, "Changed f at 1 place.");
    expect_has(session, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_true(session->result.diff.len > 0);
    expect_file(session, "f", "one\n2\nthree\n");
    /* The next edit needs no Read in between. */
    call(session, &tool_edit, "{'file_path':'f','old_string':'three','new_string':'3'}");
    expect_fine(session);
    expect_file(session, "f", "one\n2\n3\n");
}

static void peers_field_names_are_understood(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "a a\n");
    call(session, &tool_edit, "{'filePath':'f','oldString':'a','newString':'b','replaceAll':'true'}");
    expect_fine(session);
    expect_file(session, "f", "b b\n");
    assert_true(hv_tool_is_named(&tool_edit, HV_STR("edit_file")));
}

static void replacement_is_literal(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "x.y\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'x.y','new_string':'$& \\\\1 $1'}");
    expect_file(session, "f", "$& \\1 $1\n");
}

static void an_unread_file_is_not_changed(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "one\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'one','new_string':'1'}");
    expect_failure(session, "has not been read in this session");
    expect_file(session, "f", "one\n");
}

static void a_file_changed_since_is_not_changed(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "one\n");
    file_put(session, "f", "one\ntwo\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'one','new_string':'1'}");
    expect_failure(session, "was changed since it was read");
    expect_file(session, "f", "one\ntwo\n");
    put_and_read(session, "g", "one\n");
    file_set_time(session, "g", 99);
    call(session, &tool_edit, "{'file_path':'g','old_string':'one','new_string':'1'}");
    expect_fine(session);
}

static void a_part_read_allows_edits_inside_it(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "1\n2\n3\n4\n5\n6\n");
    call(session, &tool_read, "{'file_path':'f','offset':2,'limit':2}");
    call(session, &tool_edit, "{'file_path':'f','old_string':'5','new_string':'five'}");
    expect_failure(session, "The change touches lines 5 to 5");
    expect_has(session, "(offset 5, limit 1)");
    call(session, &tool_edit, "{'file_path':'f','old_string':'3','new_string':'three\\nand a half'}");
    expect_fine(session);
    expect_file(session, "f", "1\n2\nthree\nand a half\n4\n5\n6\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'and a half','new_string':'x'}");
    expect_fine(session);
    call(session, &tool_edit, "{'file_path':'f','old_string':'4','new_string':'four'}");
    expect_failure(session, "have not been read");
}

static void line_ends_mark_and_final_newline_stay(void **state)
{
    struct session *session = *state;
    put_and_read(session, "crlf", "one\r\ntwo\r\nthree");
    call(session, &tool_edit, "{'file_path':'crlf','old_string':'one\\ntwo','new_string':'1\\n2\\n2b'}");
    expect_fine(session);
    expect_file(session, "crlf", "1\r\n2\r\n2b\r\nthree");
    put_and_read(session, "bom", "\xef\xbb\xbfone\n");
    call(session, &tool_edit, "{'file_path':'bom','old_string':'one','new_string':'1'}");
    expect_file(session, "bom",
                "\xef\xbb\xbf"
                "1\n");
    file_put_bytes(session, "u16",
                   HV_STR("\xff\xfe"
                          "a\0\r\0\n\0"));
    call(session, &tool_read, "{'file_path':'u16'}");
    call(session, &tool_edit, "{'file_path':'u16','old_string':'a','new_string':'ü\\nb'}");
    expect_fine(session);
    assert_true(hv_str_eq(file_get(session, "u16"), HV_STR("\xff\xfe\xfc\0\r\0\n\0b\0\r\0\n\0")));
}

static void the_place_of_what_it_cannot_hold_is_named(void **state)
{
    struct session *session = *state;
    /* "これは日本語の文章です。" in Shift_JIS, which is edited by its text */
    const char *const files[] = {"gr\xfcn\n", "\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f"
                                              "\xcd\x82\xc5\x82\xb7\x81\x42 gr\n"};
    for (size_t i = 0; i < 2; i++) {
        file_put(session, "f", files[i]);
        call(session, &tool_read, "{'file_path':'f'}");
        call(session, &tool_edit, "{'file_path':'f','old_string':'gr','new_string':'gr\\nx \xf0\x9f\x98\x80'}");
        expect_failure(session, "(U+1F600), line 2, column 3, does not exist in");
        expect_has(session, "convert the file to UTF-8 first");
        expect_file(session, "f", files[i]);
    }
}

static void lines_that_end_in_returns_alone_are_lines(void **state)
{
    struct session *session = *state;
    file_put(session, "f", "one\rtwo\rthree\r");
    call(session, &tool_read, "{'file_path':'f','offset':2,'limit':1}");
    call(session, &tool_edit, "{'file_path':'f','old_string':'three','new_string':'3'}");
    expect_failure(session, "touches lines 3 to 3");
    call(session, &tool_read, "{'file_path':'f'}");
    call(session, &tool_edit, "{'file_path':'f','old_string':'two\\nthree\\n','new_string':'2\\n3\\n4\\n'}");
    expect_has(session, "-two\n-three\n+2\n+3\n+4\n");
    expect_file(session, "f", "one\r2\r3\r4\r");
    call(session, &tool_edit, "{'file_path':'f','old_string':'2\\r3','new_string':'5'}");
    expect_file(session, "f", "one\r5\r4\r");
    call(session, &tool_edit, "{'file_path':'f','old_string':'5 ','new_string':'6'}");
    expect_failure(session, "line 2");
}

static void what_the_encoding_cannot_hold_is_refused(void **state)
{
    struct session *session = *state;
    put_and_read(session, "latin1", "gr\xfcn x\n");
    call(session, &tool_edit, "{'file_path':'latin1','old_string':'x','new_string':'日'}");
    expect_failure(session, "was not changed");
    expect_file(session, "latin1", "gr\xfcn x\n");
    call(session, &tool_edit, "{'file_path':'latin1','old_string':'grün','new_string':'blöd'}");
    expect_fine(session);
    expect_file(session, "latin1",
                "bl\xf6"
                "d x\n");
}

static void not_found_shows_the_nearest_place(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "void first(void);\n\tint value = compute(1);\nvoid last(void);\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'    int value = compute(1);','new_string':'x'}");
    expect_failure(session, "f was not changed.");
    expect_has(session, "2");
    expect_has(session, "tab");
    assert_int_equal(session->code, HV_OK);
    call(session, &tool_edit, "{'file_path':'f','old_string':'VOID FIRST(VOID);','new_string':'x'}");
    expect_failure(session, "case");
    expect_file(session, "f", "void first(void);\n\tint value = compute(1);\nvoid last(void);\n");
}

static void several_places_are_counted(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "a\nb\na\nc\na\n");
    call(session, &tool_edit, "{'file_path':'f','old_string':'a','new_string':'x'}");
    expect_failure(session, "3");
    expect_has(session, "1, 3");
    expect_has(session, "replace_all");
    call(session, &tool_edit, "{'file_path':'f','old_string':'a','new_string':'x','replace_all':true}");
    expect_has(session, "at 3 places");
    expect_file(session, "f", "x\nb\nx\nc\nx\n");
}

static void tolerance_is_told(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "say “hello” now\n");
    call_raw(session, &tool_edit,
             HV_STR("{\"file_path\":\"f\",\"old_string\":\"say \\\"hello\\\"\",\"new_string\":\"say \\\"bye\\\"\"}"));
    expect_fine(session);
    expect_has(session, "Note: old_string matched only with curly quotes");
    expect_file(session, "f", "say “bye” now\n");
    put_and_read(session, "g", "one\ntwo\n");
    call(session, &tool_edit,
         "{'file_path':'g','old_string':'     1\\tone\\n     2\\ttwo','new_string':'     1\\t1\\n     2\\t2'}");
    expect_fine(session);
    expect_has(session, "without the line numbers");
    expect_file(session, "g", "1\n2\n");
}

static void the_same_text_is_refused_first(void **state)
{
    struct session *session = *state;
    call(session, &tool_edit, "{'file_path':'none','old_string':'a','new_string':'a'}");
    expect_failure(session, "are the same");
    assert_int_equal(session->code, HV_EINVAL);
}

static void an_empty_old_string_creates_or_fills(void **state)
{
    struct session *session = *state;
    call(session, &tool_edit, "{'file_path':'new/f','old_string':'','new_string':'one\\n'}");
    expect_fine(session);
    expect_has(session, "Created new/f (1 line).");
    expect_file(session, "new/f", "one\n");
    file_put(session, "empty", "");
    call(session, &tool_edit, "{'file_path':'empty','old_string':'','new_string':'filled\\n'}");
    expect_fine(session);
    expect_file(session, "empty", "filled\n");
    call(session, &tool_edit, "{'file_path':'new/f','old_string':'','new_string':'two\\n'}");
    expect_failure(session, "");
    expect_file(session, "new/f", "one\n");
}

static void what_is_missing_or_no_file_is_told(void **state)
{
    struct session *session = *state;
    file_put(session, "parser.c", "x\n");
    call(session, &tool_edit, "{'file_path':'praser.c','old_string':'x','new_string':'y'}");
    expect_failure(session, "Did you mean");
    directory_make(session, "dir");
    call(session, &tool_edit, "{'file_path':'dir','old_string':'x','new_string':'y'}");
    expect_failure(session, "is a directory");
    assert_int_equal(mkfifo(file_path(session, "fifo"), 0600), 0);
    call(session, &tool_edit, "{'file_path':'fifo','old_string':'x','new_string':'y'}");
    expect_failure(session, "FIFO");
    file_put_bytes(session, "huge", HV_STR("x"));
    assert_int_equal(truncate(file_path(session, "huge"), ((off_t)1 << 30) + 1), 0);
    call(session, &tool_edit, "{'file_path':'huge','old_string':'x','new_string':'y'}");
    expect_failure(session, "too large");
}

static void mode_and_links_survive(void **state)
{
    struct session *session = *state;
    put_and_read(session, "real", "old\n");
    assert_int_equal(chmod(file_path(session, "real"), 0711), 0);
    assert_int_equal(symlink("real", file_path(session, "link")), 0);
    call(session, &tool_edit, "{'file_path':'link','old_string':'old','new_string':'new'}");
    expect_fine(session); /* the link is the file that was read */
    struct stat status;
    assert_int_equal(lstat(file_path(session, "link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(file_path(session, "real"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0711);
    expect_file(session, "real", "new\n");
}

static void settings_are_not_broken(void **state)
{
    struct session *session = *state;
    file_put(session, ".helve/settings.json", "{}\n");
    assert_int_equal(symlink(".helve/settings.json", file_path(session, "link")), 0);
    call(session, &tool_read, "{'file_path':'.helve/settings.json'}");
    static const char *const names[] = {".helve/settings.json", "link"};
    for (size_t i = 0; i < 2; i++) {
        call(session, &tool_edit,
             hv_arena_format(&session->own, "{'file_path':'%s','old_string':'{}','new_string':'{'}", names[i]).ptr);
        expect_failure(session, "was left as it was");
        expect_file(session, ".helve/settings.json", "{}\n");
    }
    call_raw(session, &tool_edit,
             HV_STR("{\"file_path\":\".helve/settings.json\",\"old_string\":\"{}\","
                    "\"new_string\":\"{\\\"maxTurns\\\":5}\"}"));
    expect_fine(session);
}

/* Nor is anybody sent to Read, which shows no text of them. */
static void pictures_and_documents_are_not_changed_as_text(void **state)
{
    struct session *session = *state;
    const char *document = "%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\n";
    file_put(session, "a.pdf", document);
    call(session, &tool_edit, "{'file_path':'a.pdf','old_string':'Catalog','new_string':'x'}");
    expect_failure(session, "is a PDF document, which is not changed as text");
    expect_lacks(session, "Read ");
    call(session, &tool_apply_patch,
         "{'patch':'*** Begin Patch\\n*** Update File: a.pdf\\n@@\\n-endobj\\n+x\\n*** End Patch'}");
    expect_failure(session, "is a PDF document");
    expect_file(session, "a.pdf", document);
    file_put(session, "b", "GIF89a\x01\x01\x01\x01\x01\x01\x01");
    call(session, &tool_edit, "{'file_path':'b','old_string':'GIF','new_string':'x'}");
    expect_failure(session, "is a picture");
}

/* A second name of the file itself, and the file that a link in the place of the settings leads to. */
static void nor_by_another_name(void **state)
{
    struct session *session = *state;
    file_put(session, ".helve/settings.json", "{}\n");
    assert_int_equal(link(file_path(session, ".helve/settings.json"), file_path(session, "name")), 0);
    file_put(session, "kept/servers", "{}\n");
    assert_int_equal(symlink("kept/servers", file_path(session, ".mcp.json")), 0);
    static const char *const names[] = {"name", "kept/servers"};
    for (size_t i = 0; i < 2; i++) {
        call(session, &tool_read, hv_arena_format(&session->own, "{'file_path':'%s'}", names[i]).ptr);
        call(session, &tool_edit,
             hv_arena_format(&session->own, "{'file_path':'%s','old_string':'{}','new_string':'{'}", names[i]).ptr);
        expect_failure(session, "the new text is no JSON");
        expect_file(session, names[i], "{}\n");
    }
}

static void notebooks_go_to_their_own_tool_where_there_is_one(void **state)
{
    struct session *session = *state;
    put_and_read(session, "n.ipynb", "{\"cells\": [], \"nbformat\": 4}\n");
    static const struct hv_tool notebook = {.name = "NotebookEdit"};
    const struct hv_tool *tools[] = {&tool_read, &tool_edit, &notebook};
    session->tools = (struct hv_tool_set){.tools = tools, .count = 3};
    call(session, &tool_edit, "{'file_path':'n.ipynb','old_string':'[]','new_string':'[1]'}");
    expect_failure(session, "Use NotebookEdit");
    put_and_read(session, "broken.ipynb", "<<<<<<<\n{\"cells\": [], \"nbformat\": 4}\n"); /* which that tool refuses */
    call(session, &tool_edit, "{'file_path':'broken.ipynb','old_string':'<<<<<<<\\n','new_string':''}");
    expect_fine(session);
    session->tools.count = 2;
    call(session, &tool_edit, "{'file_path':'n.ipynb','old_string':'[]','new_string':'[1]'}");
    expect_fine(session);
}

static void a_cancelled_edit_changes_nothing(void **state)
{
    struct session *session = *state;
    put_and_read(session, "f", "one\n");
    hv_cancel_raise(session->cancel);
    call(session, &tool_edit, "{'file_path':'f','old_string':'one','new_string':'1'}");
    assert_int_equal(session->code, HV_ECANCELLED);
    expect_file(session, "f", "one\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_edit_changes_and_shows_it),
        CASE(peers_field_names_are_understood),
        CASE(replacement_is_literal),
        CASE(an_unread_file_is_not_changed),
        CASE(a_file_changed_since_is_not_changed),
        CASE(a_part_read_allows_edits_inside_it),
        CASE(line_ends_mark_and_final_newline_stay),
        CASE(what_the_encoding_cannot_hold_is_refused),
        CASE(the_place_of_what_it_cannot_hold_is_named),
        CASE(lines_that_end_in_returns_alone_are_lines),
        CASE(not_found_shows_the_nearest_place),
        CASE(several_places_are_counted),
        CASE(tolerance_is_told),
        CASE(the_same_text_is_refused_first),
        CASE(an_empty_old_string_creates_or_fills),
        CASE(what_is_missing_or_no_file_is_told),
        CASE(mode_and_links_survive),
        CASE(settings_are_not_broken),
        CASE(pictures_and_documents_are_not_changed_as_text),
        CASE(nor_by_another_name),
        CASE(notebooks_go_to_their_own_tool_where_there_is_one),
        CASE(a_cancelled_edit_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
