/*
 * test_largest.c: files at the largest size that is changed. A file of 1 GiB is sparse here and said to be read: what a
 * host of our own says of it takes no memory.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct hv_tool tool_edit, tool_write, tool_multiedit, tool_apply_patch;

enum { LIMIT = 1 << 30 };

/* Beside the local host: how often it was asked for bytes, and of how many. */
static struct {
    size_t reads, limit;
} asked;

static const struct hv_host *local;

static enum hv_code read_little(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                struct hv_buf *buf, struct hv_file_stat *status, struct hv_error *err)
{
    (void)host;
    asked.reads++;
    asked.limit = limit;
    return local->read(local, path, offset, limit < 4096 ? limit : 4096, buf, status, err);
}

static const struct {
    const struct hv_tool *tool;
    const char *input;
} changes[] = {
    {&tool_edit, "{'file_path':'large','old_string':'old','new_string':'new'}"},
    {&tool_multiedit, "{'file_path':'large','edits':[{'old_string':'old','new_string':'new'}]}"},
    {&tool_write, "{'file_path':'large','content':'new'}"},
    {&tool_apply_patch, "{'patch':'*** Begin Patch\\n*** Update File: large\\n@@\\n-old\\n+new\\n*** End Patch'}"},
};

static void ask_all(struct session *session, uint64_t size, bool is_read)
{
    file_put(session, "large", "old\n");
    assert_int_equal(truncate(file_path(session, "large"), (off_t)size), 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        asked.reads = asked.limit = 0;
        call(session, changes[i].tool, changes[i].input);
        assert_true(session->failed); /* none of it was read before */
        assert_true((asked.reads > 0) == is_read);
        if (is_read)
            expect_lacks(session, "at most 1 GiB");
        else
            expect_has(session, "at most 1 GiB");
        assert_true(!is_read || asked.limit > size);
    }
}

static void a_file_of_a_gibibyte_is_read_and_one_of_a_byte_more_is_not(void **state)
{
    struct session session;
    struct hv_host counting;
    (void)state;
    session_open(&session);
    local = session.context.host;
    counting = *local;
    counting.read = read_little;
    session.context.host = &counting;
    ask_all(&session, LIMIT, true);
    ask_all(&session, (uint64_t)LIMIT + 1, false);
    session.context.host = local;
    session_close(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_a_gibibyte_is_read_and_one_of_a_byte_more_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
