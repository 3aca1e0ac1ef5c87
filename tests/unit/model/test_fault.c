/* What providers say when they refuse: the code, the wait, the words, the way out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/fault.h"

enum { NOW = 1795258347 }; /* Sat, 21 Nov 2026 10:52:27 GMT */

static void the_wait_is_read_in_each_form_that_servers_use(void **state)
{
    (void)state;
    static const struct {
        const char *milliseconds, *seconds;
        int64_t wait;
    } rows[] = {
        {NULL, NULL, -1},
        {NULL, "7", 7000},
        {NULL, " 0.5 ", 500},
        {NULL, "0", 0},
        {"1500", "7", 1500},
        {"soon", "7", 7000},
        {NULL, "-3", -1},
        {NULL, "nan", -1},
        {NULL, "1e30", 31622400000},
        {NULL, "86400", 86400000},
        {NULL, "7 seconds", -1},
        {NULL, "Sat, 21 Nov 2026 10:52:37 GMT", 10000},
        {NULL, "Sat, 21 Nov 2026 10:52:17 GMT", 0},
        {NULL, "Fri, 01 Jan 2027 00:00:00 GMT", 3503253000},
        {NULL, "Sat, 21 Foo 2026 10:52:37 GMT", -1},
        {NULL, "tomorrow", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t wait = fault_retry_after(hv_str_from(rows[i].milliseconds), hv_str_from(rows[i].seconds), NOW);
        if (wait != rows[i].wait)
            fail_msg("%s, %s: %lld", rows[i].milliseconds, rows[i].seconds, (long long)wait);
    }
}

static const struct answer_case {
    const char *title;
    int status;
    const char *provider, *body, *should_retry, *request_id;
    enum hv_code code;
    const char *message, *hint, *place;
} answers[] = {
    {"Anthropic's shape", 429, "anthropic",
     "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}}", NULL, "req_1",
     HV_EAGAIN, "HTTP 429: Slow down (rate_limit_error)", "later", "request req_1"},
    {"OpenAI's shape", 404, "openai-chat", "{\"error\":{\"message\":\"no model x\",\"code\":\"model_not_found\"}}",
     NULL, NULL, HV_ENOTFOUND, "no model x", "OPENAI_BASE_URL", ""},
    {"a spending limit is no matter of waiting", 429, "anthropic",
     "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"limit\",\"details\":{\"error_code\":"
     "\"enforced_spend_limit_reached\"}}}",
     NULL, NULL, HV_EACCES, "limit", "spending", ""},
    {"nor is a used-up quota", 429, "openai-chat",
     "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":\"insufficient_quota\"}}", NULL, NULL,
     HV_EACCES, "quota", "credit", ""},
    {"the server's own word: do not try again", 500, "anthropic", "{}", "false", NULL, HV_EUNSUPPORTED, "HTTP 500",
     NULL, ""},
    {"the server's own word: try again", 400, "anthropic", "{}", "true", NULL, HV_EAGAIN, "HTTP 400", "later", ""},
    {"a list around the error (Gemini)", 400, "openai-chat", "[{\"error\":{\"code\":400,\"message\":\"bad schema\"}}]",
     NULL, NULL, HV_EINVAL, "bad schema", NULL, ""},
    {"just a string", 400, "openai-chat", "{\"error\":\"model is loading\"}", NULL, NULL, HV_EINVAL, "model is loading",
     NULL, ""},
    {"a detail (FastAPI)", 422, "openai-chat", "{\"detail\":\"missing field\"}", NULL, NULL, HV_EINVAL, "missing field",
     NULL, ""},
    {"a conversation that is too long, in llama.cpp's words", 400, "openai-chat",
     "{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":"
     "\"exceed_context_size_error\"}}",
     NULL, NULL, HV_ETOOBIG, "context size", "new session", ""},
    {"a request that is too large", 413, "anthropic", "", NULL, NULL, HV_ETOOBIG, "HTTP 413", "new session", ""},
    {"a page", 503, "openai-responses", "<html>down</html>", NULL, NULL, HV_EAGAIN, "HTTP 503: down", "later", ""},
    {"nothing", 500, "openai-responses", "", NULL, NULL, HV_EAGAIN, "no reason", "later", ""},
};

static void an_answer_becomes_an_error_with_a_way_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct answer_case *item = &answers[i];
        struct fault_answer answer = {
            .status = item->status,
            .body = hv_str_from(item->body),
            .provider = hv_str_from(item->provider),
            .should_retry = hv_str_from(item->should_retry),
            .request_id = hv_str_from(item->request_id),
            .now = NOW,
        };
        bool anthropic = hv_str_is(answer.provider, "anthropic");
        answer.variables.key = anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
        answer.variables.url = anthropic ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL";
        struct hv_error err;
        int64_t wait;
        enum hv_code code = fault_from_answer(&answer, &wait, &err);
        if (code != item->code || err.code != code || wait != -1)
            fail_msg("%s: %s (%s)", item->title, hv_code_name(code), err.message);
        if (!strstr(err.message, item->message) || (item->hint && !strstr(err.hint, item->hint)) ||
            strcmp(err.place, item->place) != 0)
            fail_msg("%s: \"%s\", \"%s\", \"%s\"", item->title, err.message, err.hint, err.place);
    }
}

static void endless_messages_are_cut(void **state)
{
    (void)state;
    struct hv_buf body;
    hv_buf_init(&body, 1 << 20);
    hv_buf_add_cstr(&body, "{\"error\":{\"message\":\"");
    for (int i = 0; i < 100000; i++)
        hv_buf_add_byte(&body, 'a');
    hv_buf_add_cstr(&body, "\"}}");
    struct fault_answer answer = {.status = 400, .body = hv_buf_str(&body)};
    struct hv_error err;
    int64_t wait;
    assert_int_equal(fault_from_answer(&answer, &wait, &err), HV_EINVAL);
    assert_true(strlen(err.message) < 700);
    hv_buf_release(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wait_is_read_in_each_form_that_servers_use),
        cmocka_unit_test(an_answer_becomes_an_error_with_a_way_out),
        cmocka_unit_test(endless_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
