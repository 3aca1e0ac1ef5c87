/* test_todowrite.c: the tool TodoWrite: the list, its marks, its faults. */
#include "harness.h"

extern const struct hv_tool tool_todowrite;

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

static void the_list_is_shown_with_its_marks(void **state)
{
    struct session *session = *state;
    call(session, &tool_todowrite,
         "{'todos':[{'content':'Read the code','status':'completed','activeForm':'Reading the code'},"
         "{'content':'Fix it','status':'in_progress','activeForm':'Fixing it'},{'content':'Test "
         "it','status':'pending'}]}");
    expect_fine(session);
    expect_text(session, "The list has 3 entries, 1 completed.\n[x] Read the code\n[>] Fixing it\n[ ] Test it");
    assert_true(hv_str_is(session->result.summary, "1/3 done"));
}

static void an_empty_list_is_fine(void **state)
{
    struct session *session = *state;
    call(session, &tool_todowrite, "{'todos':[]}");
    expect_fine(session);
    expect_text(session, "The list has 0 entries, 0 completed.");
}

static void more_than_one_in_progress_is_noted(void **state)
{
    struct session *session = *state;
    call(session, &tool_todowrite,
         "{'todos':[{'content':'a','status':'in_progress'},{'content':'b','status':'in_progress'}]}");
    expect_fine(session);
    expect_has(session, "Note: 2 entries are in progress");
}

static void faults_are_told_all_at_once(void **state)
{
    struct session *session = *state;
    call(session, &tool_todowrite,
         "{'todos':[{'content':'a','status':'done'},{'content':''},{'status':'pending','x':1}]}");
    expect_failure(session, "todos[0].status");
    expect_has(session, "todos[1].status");
    expect_has(session, "todos[2].content");
    expect_has(session, "todos[2].x");
}

static void peers_names_are_understood(void **state)
{
    struct session *session = *state;
    call(session, &tool_todowrite, "{'plan':[{'step':'a','status':'pending'}]}");
    expect_has(session, "[ ] a");
    assert_true(hv_tool_is_named(&tool_todowrite, HV_STR("update_plan")));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_list_is_shown_with_its_marks),   CASE(an_empty_list_is_fine),
        CASE(more_than_one_in_progress_is_noted), CASE(faults_are_told_all_at_once),
        CASE(peers_names_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
