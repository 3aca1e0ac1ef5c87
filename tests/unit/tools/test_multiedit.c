/* test_multiedit.c: the tool MultiEdit: in sequence, all or nothing, one write, one difference. */
#include "harness.h"

extern const struct hv_tool tool_read, tool_multiedit;

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    file_put(&session, "f", "one\ntwo\nthree\n");
    call(&session, &tool_read, "{'file_path':'f'}");
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

static void edits_follow_one_another(void **state)
{
    struct session *session = *state;
    call(session, &tool_multiedit,
         "{'file_path':'f','edits':[{'old_string':'two','new_string':'zwei'},{'old_string':'zwei\\nthree','new_string':"
         "'2 "
         "and 3'},{'old_string':'n','new_string':'N','replace_all':true}]}");
    expect_fine(session);
    expect_file(session, "f", "oNe\n2 aNd 3\n");
    expect_has(session, "-one\n-two\n-three\n+oNe\n+2 aNd 3\n");
}

static void one_failure_undoes_all(void **state)
{
    struct session *session = *state;
    call(session, &tool_multiedit,
         "{'file_path':'f','edits':[{'old_string':'one','new_string':'1'},{'old_string':'four','new_string':'4'}]}");
    expect_failure(session, "f was not changed");
    expect_has(session, "2"); /* which of them failed */
    expect_file(session, "f", "one\ntwo\nthree\n");
}

static void edits_as_text_are_mended(void **state)
{
    struct session *session = *state;
    call_raw(
        session, &tool_multiedit,
        HV_STR("{\"file_path\":\"f\",\"edits\":\"[{\\\"old_string\\\":\\\"one\\\",\\\"new_string\\\":\\\"1\\\"}]\"}"));
    expect_fine(session);
    expect_file(session, "f", "1\ntwo\nthree\n");
}

static void faults_name_the_edit(void **state)
{
    struct session *session = *state;
    call(session, &tool_multiedit,
         "{'file_path':'f','edits':[{'old_string':'a','new_string':'b'},{'old_string':'x','new_string':'x'}]}");
    expect_failure(session, "are the same");
    assert_string_equal(session->err.place, "edits[1].new_string");
    call(session, &tool_multiedit, "{'file_path':'f','edits':[{'old_string':'a'}]}");
    expect_failure(session, "edits[0].new_string");
    call(session, &tool_multiedit, "{'file_path':'f','edits':[]}");
    expect_failure(session, "edits");
}

static void a_file_is_created_by_its_first_edit(void **state)
{
    struct session *session = *state;
    call(session, &tool_multiedit,
         "{'file_path':'new','edits':[{'old_string':'','new_string':'a\\nb\\n'},{'old_string':'b','new_string':'c'}]}");
    expect_fine(session);
    expect_file(session, "new", "a\nc\n");
}

static void an_unread_file_is_not_changed(void **state)
{
    struct session *session = *state;
    file_put(session, "g", "one\n");
    call(session, &tool_multiedit, "{'file_path':'g','edits':[{'old_string':'one','new_string':'1'}]}");
    expect_failure(session, "has not been read");
    expect_file(session, "g", "one\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(edits_follow_one_another),
        CASE(one_failure_undoes_all),
        CASE(edits_as_text_are_mended),
        CASE(faults_name_the_edit),
        CASE(a_file_is_created_by_its_first_edit),
        CASE(an_unread_file_is_not_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
