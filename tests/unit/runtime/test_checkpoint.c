/*
 * test_checkpoint.c: what a file was is kept, and its event recorded, before the file changes: before the call begins,
 * or, for a tool that announces its changes, before its announcement is answered.
 */
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL = 10, LARGE = 3 << 20 };

static struct harness harness;

/* What the tools below found when they were free to change their file. */
static bool was_recorded;

struct input {
    struct hv_str path;
    bool fail;
};

static const struct hv_field fields[] = {{.name = "path",
                                          .type = HV_FIELD_STRING,
                                          .flags = HV_REQUIRED | HV_PATH,
                                          .offset = offsetof(struct input, path),
                                          .description = "what it writes"},
                                         {.name = "fail",
                                          .type = HV_FIELD_BOOLEAN,
                                          .offset = offsetof(struct input, fail),
                                          .description = "changes nothing"},
                                         {0}};

static void footprint(const void *data, const struct hv_context *context, struct hv_footprint *out)
{
    out->limited = true;
    hv_footprint_write(out, context->arena, ((const struct input *)data)->path);
}

static void look(const struct hv_context *context)
{
    char id[64];
    snprintf(id, sizeof id, "%.*s", HV_STR_ARG(context->call_id));
    const struct harness_event *event = harness_event(&harness, HV_EVENT_CHECKPOINT, id, "before");
    was_recorded = event && strstr(event->data, "\"hash\":\"");
}

static void change(struct hv_str path)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", HV_STR_ARG(path));
    int fd = open(name, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "changed", 7), 7);
    close(fd);
}

static enum hv_code plain_call(const void *data, struct hv_context *context, void **out, struct hv_result *result,
                               struct hv_error *err)
{
    (void)out, (void)result, (void)err;
    look(context);
    change(((const struct input *)data)->path);
    return HV_OK;
}

static enum hv_code announcing_call(const void *data, struct hv_context *context, void **out, struct hv_result *result,
                                    struct hv_error *err)
{
    const struct input *input = data;
    (void)out, (void)result;
    if (input->fail)
        return hv_fail(err, HV_ENOTFOUND, "nothing to change there");
    context->services->before_change(context);
    context->services->before_change(context); /* again: nothing */
    look(context);
    change(input->path);
    return HV_OK;
}

static const struct hv_tool plain = {.name = "Plain",
                                     .description = "changes its file",
                                     .fields = fields,
                                     .input_size = sizeof(struct input),
                                     .footprint = footprint,
                                     .call = plain_call};
static const struct hv_tool announcing = {.name = "Announcing",
                                          .description = "changes its file",
                                          .fields = fields,
                                          .input_size = sizeof(struct input),
                                          .announces_changes = true,
                                          .footprint = footprint,
                                          .call = announcing_call};

/* Called when the call was judged, right before its files are kept: their directory is exchanged. */
static const char *exchanged_for; /* a link to this comes in its place */

static uint64_t exchange(const void *input)
{
    char name[100], was[100];
    (void)input;
    snprintf(name, sizeof name, "%s/d", harness.work);
    snprintf(was, sizeof was, "%s/was", harness.work);
    assert_int_equal(rename(name, was), 0);
    assert_int_equal(symlink(exchanged_for, name), 0);
    return 1000;
}

static enum hv_code no_call(const void *data, struct hv_context *context, void **out, struct hv_result *result,
                            struct hv_error *err)
{
    (void)data, (void)context, (void)out, (void)result, (void)err;
    return HV_OK;
}

static const struct hv_tool exchanging = {.name = "Exchanging",
                                          .description = "changes nothing",
                                          .fields = fields,
                                          .input_size = sizeof(struct input),
                                          .time_limit = exchange,
                                          .footprint = footprint,
                                          .call = no_call};

static int set_up(void **state)
{
    static char checkpoints[100];
    static const struct hv_tool *const tools[] = {&plain, &announcing, &exchanging, NULL};
    (void)state;
    harness_open(&harness, NULL);
    snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", harness.directory);
    harness.options.checkpoints_directory = hv_str_from(checkpoints);
    harness.options.asker = (struct hv_asker){harness_ask, &harness};
    harness.answer.outcome = HV_ASK_ANSWERED;
    harness_start(&harness, tools);
    was_recorded = false;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    harness_close(&harness);
    return 0;
}

static const char *file_of(size_t size)
{
    char *text = hv_malloc(size + 1);
    memset(text, 'o', size);
    text[size] = '\0';
    const char *path = harness_write(&harness, "f", text);
    free(text);
    return path;
}

/* One copy, with all the old bytes. */
static void expect_copy(size_t size)
{
    const struct harness_event *event = harness_event(&harness, HV_EVENT_CHECKPOINT, "t1", "before");
    assert_non_null(event);
    const char *hash = strstr(event->data, "\"hash\":\"");
    assert_non_null(hash);
    char path[256];
    struct stat status;
    snprintf(path, sizeof path, "%s/checkpoints/%.64s", harness.directory, hash + strlen("\"hash\":\""));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, size);
}

static void run(const char *tool, size_t size, bool fail)
{
    char input[300];
    snprintf(input, sizeof input, "{\"path\":\"%s\",\"fail\":%s}", file_of(size), fail ? "true" : "false");
    harness_run(&harness, "t1", tool, input, NULL);
    assert_int_equal(harness_result(&harness, "t1")->is_error, fail);
    if (!fail)
        assert_true(was_recorded);
    expect_copy(size);
    char path[256];
    struct stat status;
    snprintf(path, sizeof path, "%s/f", harness.work);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, fail ? size : strlen("changed"));
}

static void a_small_file_is_kept_before_the_call(void **state)
{
    (void)state;
    run("Announcing", SMALL, false);
}

static void a_large_file_is_kept_before_a_call_that_announces_nothing(void **state)
{
    (void)state;
    run("Plain", LARGE, false);
}

static void a_large_file_is_kept_before_an_announced_change(void **state)
{
    (void)state;
    run("Announcing", LARGE, false);
}

static void a_call_that_fails_without_a_change_waits_for_what_was_begun(void **state)
{
    (void)state;
    run("Announcing", LARGE, true);
}

static void what_is_kept_is_what_was_judged(void **state)
{
    char outside[100], input[200], path[256];
    (void)state;
    snprintf(outside, sizeof outside, "%s/outside", harness.directory);
    assert_int_equal(mkdir(outside, 0700), 0);
    snprintf(path, sizeof path, "%s/f", outside);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("of somebody else", file) >= 0);
    assert_int_equal(fclose(file), 0);
    exchanged_for = outside;
    snprintf(path, sizeof path, "%s/d", harness.work);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)harness_write(&harness, "d/f", "mine");
    snprintf(input, sizeof input, "{\"path\":\"%s/d/f\"}", harness.work);
    harness_run(&harness, "t1", "Exchanging", input, NULL);
    const struct harness_event *event = harness_event(&harness, HV_EVENT_CHECKPOINT, "t1", "before");
    assert_non_null(event);
    assert_lacks(event->data, "outside");
    expect_copy(strlen("mine"));
    snprintf(path, sizeof path, "%s/checkpoints", harness.directory);
    size_t copies = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        copies += entry->d_name[0] != '.';
    closedir(folder);
    assert_int_equal(copies, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_small_file_is_kept_before_the_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_kept_is_what_was_judged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_large_file_is_kept_before_a_call_that_announces_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_large_file_is_kept_before_an_announced_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_that_fails_without_a_change_waits_for_what_was_begun, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
