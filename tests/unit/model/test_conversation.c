/* Conversations: what was serialised once is what serialising everything anew would give, whatever happened before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "model/model.h"

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

enum { TURNS = 2000, BODY_MAX = 64 << 20 };

static const char *const providers[] = {"anthropic", "openai-chat", "openai-responses", "replay"};

static struct model *new_model(const char *provider)
{
    struct model_options options = {.provider = hv_str_from(provider),
                                    .name = hv_str_from(strcmp(provider, "replay") ? "m" : "demo")};
    struct model *model = NULL;
    struct hv_error err;
    assert_int_equal(model_new(&options, NULL, &model, &err), HV_OK);
    return model;
}

static void add(struct model_conversation *conversation, enum model_role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct model_conversation *conversation, enum model_role role, const char *format, ...)
{
    struct hv_error err;
    CLEANUP_BUF struct hv_buf content = {0};
    hv_buf_init(&content, BODY_MAX);
    va_list arguments;
    va_start(arguments, format);
    hv_buf_addv(&content, format, arguments);
    va_end(arguments);
    assert_int_equal(model_conversation_append(conversation, role, hv_buf_str(&content), &err), HV_OK);
}

/* Message number i of a made-up session: prompts, calls in changing numbers, their results. */
static void add_message(struct model_conversation *conversation, size_t i)
{
    if (i % 2 == 0 && i % 10 == 0)
        add(conversation, MODEL_USER, "[{\"type\":\"text\",\"text\":\"prompt %zu\"}]", i);
    else if (i % 2 == 0)
        add(conversation, MODEL_USER,
            "[{\"type\":\"tool_result\",\"tool_use_id\":\"c%zu\",\"content\":\"result %zu\"},{\"type\":\"tool_result\","
            "\"tool_use_id\":\"d%zu\",\"content\":[{\"type\":\"text\",\"text\":\"more\"}]}]",
            i - 1, i, i - 1);
    else
        add(conversation, MODEL_ASSISTANT,
            "[{\"type\":\"text\",\"text\":\"step "
            "%zu\"},{\"type\":\"tool_use\",\"id\":\"c%zu\",\"name\":\"A\",\"input\":"
            "{\"i\":%zu}},{\"type\":\"tool_use\",\"id\":\"d%zu\",\"name\":\"B\",\"input\":{}}]",
            i, i, i, i);
}

static void get_body(const struct model_conversation *conversation, struct hv_buf *buf)
{
    hv_buf_init(buf, BODY_MAX);
    model_conversation_body(conversation, buf);
    assert_false(buf->failed);
    assert_int_equal(buf->len, model_conversation_bytes(conversation));
}

static void assert_same_body(const struct model_conversation *a, const struct model_conversation *b)
{
    CLEANUP_BUF struct hv_buf one = {0}, other = {0};
    get_body(a, &one);
    get_body(b, &other);
    assert_int_equal(one.len, other.len);
    assert_memory_equal(one.data, other.data, one.len);
}

static size_t count_of(struct hv_str text, struct hv_str part)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find(text, part, at)) != SIZE_MAX; at += part.len)
        count++;
    return count;
}

static void after_two_thousand_turns_the_bytes_are_those_of_a_new_conversation(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++) {
        struct model *model = new_model(providers[p]);
        struct model_conversation *long_lived = model_conversation_new(model), *fresh = model_conversation_new(model);
        for (size_t i = 0; i < TURNS; i++) {
            add_message(long_lived, i);
            if (i % 97 == 0) { /* requests in between leave no trace */
                CLEANUP_BUF struct hv_buf body = {0};
                get_body(long_lived, &body);
            }
        }
        for (size_t i = 0; i < TURNS; i++)
            add_message(fresh, i);
        assert_int_equal(model_conversation_count(long_lived), TURNS);
        assert_same_body(long_lived, fresh);
        CLEANUP_BUF struct hv_buf body = {0};
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *root;
        struct hv_error err;
        get_body(long_lived, &body);
        assert_int_equal(hv_json_parse(&arena, hv_buf_str(&body), HV_JSON_UNIQUE_KEYS, &root, &err), HV_OK);
        model_conversation_free(long_lived);
        model_conversation_free(fresh);
        model_free(model);
    }
}

/* The providers' caches hold prefixes: what was sent before must come again byte for byte, but for the marks. */
static void a_request_begins_with_the_one_before_it(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++) {
        struct model *model = new_model(providers[p]);
        struct model_conversation *conversation = model_conversation_new(model);
        struct hv_buf before = {.max = BODY_MAX};
        for (size_t i = 0; i < 40; i++) {
            struct hv_buf now, plain;
            add_message(conversation, i);
            get_body(conversation, &now);
            hv_buf_init(&plain, BODY_MAX);
            struct hv_str rest = hv_buf_str(&now);
            for (size_t at; (at = hv_str_find(rest, HV_STR(MARK), 0)) != SIZE_MAX;) {
                hv_buf_add_str(&plain, hv_str_slice(rest, 0, at));
                rest = hv_str_slice(rest, at + sizeof MARK - 1, rest.len);
            }
            hv_buf_add_str(&plain, rest);
            if (before.len)
                assert_true(hv_str_starts(hv_buf_str(&plain), hv_str_slice(hv_buf_str(&before), 0, before.len - 2)));
            hv_buf_release(&before);
            hv_buf_release(&now);
            before = plain;
        }
        hv_buf_release(&before);
        model_conversation_free(conversation);
        model_free(model);
    }
}

/* The newer mark of one request is the older mark of the next: there the cached prefix is found again. */
static void breakpoints_stand_at_the_ends_of_the_last_two_user_messages(void **state)
{
    (void)state;
    struct model *model = new_model("anthropic");
    struct model_conversation *conversation = model_conversation_new(model);
    struct hv_buf body;
    model_conversation_set_system(conversation, HV_STR("s"));
    add(conversation, MODEL_USER, "[{\"type\":\"text\",\"text\":\"one\"}]");
    add(conversation, MODEL_ASSISTANT, "[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"A\",\"input\":{}}]");
    add(conversation, MODEL_USER, "[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"two\"}]");
    add(conversation, MODEL_ASSISTANT, "[{\"type\":\"text\",\"text\":\"three\"}]");
    add(conversation, MODEL_USER, "[{\"type\":\"text\",\"text\":\"four\"},{\"type\":\"text\",\"text\":\"five\"}]");
    get_body(conversation, &body);
    assert_int_equal(count_of(hv_buf_str(&body), HV_STR(MARK)), 3);
    assert_non_null(strstr(body.data, "\"s\"" MARK "}]"));
    assert_non_null(strstr(body.data, "\"two\"" MARK "}]"));
    assert_non_null(strstr(body.data, "{\"type\":\"text\",\"text\":\"five\"" MARK "}]}]}"));
    hv_buf_release(&body);
    model_conversation_free(conversation);
    model_free(model);
}

static void with_tools_there_are_never_more_than_four_breakpoints(void **state)
{
    (void)state;
    static const struct model_tool tools[] = {{{"A", 1}, {"a", 1}, {"{}", 2}}, {{"B", 1}, {"b", 1}, {"{}", 2}}};
    struct model *model = new_model("anthropic");
    struct model_conversation *conversation = model_conversation_new(model);
    struct hv_buf body;
    model_conversation_set_system(conversation, HV_STR("s"));
    model_conversation_set_tools(conversation, tools, 2, 1);
    for (size_t i = 0; i < 100; i++)
        add_message(conversation, i);
    get_body(conversation, &body);
    assert_int_equal(count_of(hv_buf_str(&body), HV_STR(MARK)), 4);
    hv_buf_release(&body);
    model_conversation_free(conversation);
    model_free(model);
}

static void truncating_gives_the_bytes_from_before(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++) {
        struct model *model = new_model(providers[p]);
        struct model_conversation *whole = model_conversation_new(model), *part = model_conversation_new(model);
        /* also behind a message that has no bytes at all */
        add(whole, MODEL_USER, "[]");
        add(part, MODEL_USER, "[]");
        for (size_t i = 0; i < 30; i++)
            add_message(whole, i);
        for (size_t i = 0; i < 11; i++)
            add_message(part, i);
        model_conversation_truncate(whole, 100);
        assert_int_equal(model_conversation_count(whole), 31);
        model_conversation_truncate(whole, 12);
        assert_int_equal(model_conversation_count(whole), 12);
        assert_same_body(whole, part);
        add_message(whole, 12);
        add_message(part, 12);
        assert_same_body(whole, part);
        model_conversation_truncate(whole, 0);
        model_conversation_truncate(part, 1);
        assert_same_body(whole, part);
        model_conversation_free(whole);
        model_conversation_free(part);
        model_free(model);
    }
}

static void tools_and_system_may_change_at_any_time(void **state)
{
    (void)state;
    static const struct model_tool one[] = {{{"A", 1}, {"a", 1}, {"{}", 2}}};
    static const struct model_tool two[] = {{{"A", 1}, {"a", 1}, {"{}", 2}}, {{"B", 1}, {"b", 1}, {"{}", 2}}};
    static const struct model_tool other[] = {{{"A", 1}, {"A", 1}, {"{}", 2}}};
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++) {
        struct model *model = new_model(providers[p]);
        struct model_conversation *changed = model_conversation_new(model), *fresh = model_conversation_new(model);
        model_conversation_set_tools(changed, two, 2, 2);
        model_conversation_set_system(changed, HV_STR("first"));
        add_message(changed, 0);
        model_conversation_set_tools(changed, one, 1, 1);
        model_conversation_set_tools(changed, one, 1, 0);
        model_conversation_set_tools(changed, other, 1, 0);
        model_conversation_set_tools(changed, other, 1, 0);
        model_conversation_set_system(changed, HV_STR("second"));
        model_conversation_set_tools(fresh, other, 1, 0);
        model_conversation_set_system(fresh, HV_STR("second"));
        add_message(fresh, 0);
        assert_same_body(changed, fresh);
        model_conversation_set_tools(changed, NULL, 0, 0);
        CLEANUP_BUF struct hv_buf body = {0};
        get_body(changed, &body);
        assert_null(strstr(body.data, "\"tools\""));
        model_conversation_free(changed);
        model_conversation_free(fresh);
        model_free(model);
    }
}

static void content_that_is_no_list_of_blocks_changes_nothing(void **state)
{
    (void)state;
    static const char *const rows[] = {"", "[", "{}", "\"text\"", "[{\"type\":\"text\"}", "[]x"};
    static const char *const odd[] = {"[1,null,[],\"x\"]",
                                      "[{}]",
                                      "[{\"type\":7}]",
                                      "[{\"type\":\"text\",\"text\":7}]",
                                      "[{\"type\":\"tool_result\"}]",
                                      "[{\"type\":\"tool_use\"}]",
                                      "[{\"type\":\"image\"},{\"type\":\"document\"},{\"type\":\"provider_item\"}]"};
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++) {
        struct model *model = new_model(providers[p]);
        struct model_conversation *conversation = model_conversation_new(model);
        struct hv_error err;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            assert_int_equal(model_conversation_append(conversation, MODEL_USER, hv_str_from(rows[i]), &err),
                             HV_EINVAL);
        assert_int_equal(model_conversation_count(conversation), 0);
        for (size_t i = 0; i < 2 * (sizeof odd / sizeof *odd); i++)
            add(conversation, i % 2 ? MODEL_ASSISTANT : MODEL_USER, "%s", odd[i / 2]);
        CLEANUP_BUF struct hv_buf body = {0};
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *root;
        get_body(conversation, &body);
        assert_int_equal(hv_json_parse(&arena, hv_buf_str(&body), HV_JSON_STRICT, &root, &err), HV_OK);
        model_conversation_free(conversation);
        model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_two_thousand_turns_the_bytes_are_those_of_a_new_conversation),
        cmocka_unit_test(a_request_begins_with_the_one_before_it),
        cmocka_unit_test(breakpoints_stand_at_the_ends_of_the_last_two_user_messages),
        cmocka_unit_test(with_tools_there_are_never_more_than_four_breakpoints),
        cmocka_unit_test(truncating_gives_the_bytes_from_before),
        cmocka_unit_test(tools_and_system_may_change_at_any_time),
        cmocka_unit_test(content_that_is_no_list_of_blocks_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
