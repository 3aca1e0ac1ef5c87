/* test_kill.c: kill -9 at any moment while Write or Edit is at work: the file has its old bytes or its new ones. */
#include "harness.h"

#include "fs/write.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const struct hv_tool tool_read, tool_write, tool_edit, tool_multiedit;

enum { ROUNDS = 40, LINES = 3000 };

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

/* A text of LINES lines that all end in word. */
static struct hv_str text_of(struct session *session, const char *word, const char *line_end)
{
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (int i = 0; i < LINES; i++)
        hv_buf_addf(&text, "line %d is %s%s", i, word, line_end);
    struct hv_str kept = hv_arena_str(&session->own, hv_buf_str(&text));
    hv_buf_release(&text);
    return kept;
}

static void write_for_ever(struct session *session)
{
    struct hv_str inputs[2];
    static const char *const words[] = {"old", "quite new"};
    for (size_t i = 0; i < 2; i++)
        inputs[i] = hv_arena_format(&session->own, "{\"file_path\":\"file\",\"content\":\"%s\"}",
                                    text_of(session, words[i], "\\n").ptr);
    for (;;)
        for (size_t i = 2; i-- > 0;) {
            call_raw(session, &tool_write, inputs[i]);
            if (session->failed)
                _exit(1);
        }
}

static void edit_for_ever(struct session *session)
{
    static const char *const inputs[] = {
        "{'file_path':'file','old_string':'is old','new_string':'is quite new','replace_all':true}",
        "{'file_path':'file','old_string':'is quite new','new_string':'is old','replace_all':true}"};
    for (;;)
        for (size_t i = 0; i < 2; i++) {
            call(session, &tool_edit, inputs[i]);
            if (session->failed)
                _exit(1);
        }
}

static void edit_twice_for_ever(struct session *session)
{
    static const char *const inputs[] = {
        "{'file_path':'file','edits':[{'old_string':'is old','new_string':'is between','replace_all':true},"
        "{'old_string':'is between','new_string':'is quite new','replace_all':true}]}",
        "{'file_path':'file','edits':[{'old_string':'is quite new','new_string':'is between','replace_all':true},"
        "{'old_string':'is between','new_string':'is old','replace_all':true}]}"};
    for (;;)
        for (size_t i = 0; i < 2; i++) {
            call(session, &tool_multiedit, inputs[i]);
            if (session->failed)
                _exit(1);
        }
}

/* Nothing but the file and what is known as temporary may be there. */
static void check_folder(struct session *session)
{
    DIR *directory = opendir(session->root.ptr);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, "file") != 0)
            assert_true(fs_is_temporary(hv_str_from(entry->d_name)));
    closedir(directory);
}

static void kill_at_many_moments(struct session *session, void (*work)(struct session *session))
{
    struct hv_str old = text_of(session, "old", "\n"), new = text_of(session, "quite new", "\n");
    for (unsigned round = 0; round < ROUNDS; round++) {
        file_put_bytes(session, "file", old);
        call(session, &tool_read,
             hv_arena_format(&session->own, "{'file_path':'file','offset':1,'limit':%d}", LINES + (int)round).ptr);
        expect_fine(session);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            work(session);
        long pause = 2000000 + (long)(round * 7919u % 97u) * 200000;
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); /* it was still at work */
        struct hv_str bytes = file_get(session, "file");
        assert_true(hv_str_eq(bytes, old) || hv_str_eq(bytes, new));
        check_folder(session);
    }
}

static void killed_in_write(void **state)
{
    kill_at_many_moments(*state, write_for_ever);
}

static void killed_in_edit(void **state)
{
    kill_at_many_moments(*state, edit_for_ever);
}

static void killed_in_multiedit(void **state)
{
    kill_at_many_moments(*state, edit_twice_for_ever);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(killed_in_write), CASE(killed_in_edit), CASE(killed_in_multiedit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
