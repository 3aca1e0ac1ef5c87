/* Golden requests: what options, tools, a system text and messages are on each wire. Each row: what goes in, the bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/encode.h"
#include "model/model.h"

#define ANTHROPIC "anthropic"
#define CHAT "openai-chat"
#define RESPONSES "openai-responses"
#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"
#define LOCAL "http://localhost:11434/v1"
#define PNG "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBO\"}"
#define PDF "\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\",\"data\":\"JVBE\"}"

static struct model *new_model(const char *provider, const char *name, const char *base_url,
                               const struct model_options *more)
{
    struct model_options options = more ? *more : (struct model_options){0};
    struct model *model = NULL;
    struct hv_error err;
    options.provider = hv_str_from(provider);
    options.name = hv_str_from(name);
    options.base_url = hv_str_from(base_url);
    if (model_new(&options, NULL, &model, &err) != HV_OK)
        fail_msg("%s", err.message);
    return model;
}

static struct hv_str body_of(struct model_conversation *conversation, struct hv_buf *buf)
{
    hv_buf_init(buf, 1 << 24);
    model_conversation_body(conversation, buf);
    assert_int_equal(buf->len, model_conversation_bytes(conversation));
    struct hv_arena arena = {0};
    const struct hv_json *root;
    struct hv_error err;
    if (hv_json_parse(&arena, hv_buf_str(buf), HV_JSON_UNIQUE_KEYS, &root, &err) != HV_OK)
        fail_msg("%s in %s", err.message, buf->data);
    hv_arena_release(&arena);
    return hv_buf_str(buf);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static const struct message_case {
    const char *title, *provider, *model, *base_url;
    enum model_role role;
    const char *content, *wire;
} messages[] = {
    {"text", ANTHROPIC, "claude-x", NULL, MODEL_USER, "[{\"type\":\"text\",\"text\":\"a\\u00e9\\ud83d\\ude00\"}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\xc3\xa9\xf0\x9f\x98\x80\"" MARK "}]}"},
    {"half a character becomes a whole one that says so", ANTHROPIC, "claude-x", NULL, MODEL_USER,
     "[{\"type\":\"text\",\"text\":\"\\ud83d\"}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\xef\xbf\xbd\"" MARK "}]}"},
    {"results come first, breakpoints that came along go, the last block is marked", ANTHROPIC, "claude-x", NULL,
     MODEL_USER,
     "[{\"type\":\"text\",\"text\":\"note\"},{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"ok\","
     "\"cache_control\":{\"type\":\"ephemeral\"},\"extra\":1},{\"type\":\"tool_result\",\"tool_use_id\":\"t2\","
     "\"content\":[{\"type\":\"text\",\"text\":\"bad\"},{\"type\":\"text\",\"text\":\"\"}],\"is_error\":true}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"ok\"},"
     "{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":[{\"type\":\"text\",\"text\":\"bad\"}],"
     "\"is_error\":true},{\"type\":\"text\",\"text\":\"note\"" MARK "}]}"},
    {"an error must have a content, a success need not", ANTHROPIC, "claude-x", NULL, MODEL_USER,
     "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[],\"is_error\":true},{\"type\":\"tool_result\","
     "\"tool_use_id\":\"t2\"},{\"type\":\"tool_result\",\"tool_use_id\":\"t3\",\"content\":\"\",\"is_error\":true}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\","
     "\"text\":\"Error\"}],\"is_error\":true},{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"\"},"
     "{\"type\":\"tool_result\",\"tool_use_id\":\"t3\",\"content\":\"Error\",\"is_error\":true" MARK "}]}"},
    {"pictures, documents and references in a result", ANTHROPIC, "claude-x", NULL, MODEL_USER,
     "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"image\"," PNG
     "},{\"type\":\"document\"," PDF ",\"title\":\"d\"},{\"type\":\"tool_reference\",\"tool_name\":\"Grep\"}]}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":"
     "\"image\"," PNG "},{\"type\":\"document\"," PDF
     ",\"title\":\"d\"},{\"type\":\"text\",\"text\":\"The tool Grep can be called now.\"}]" MARK "}]}"},
    {"empty texts are left out, and so is a message without anything", ANTHROPIC, "claude-x", NULL, MODEL_USER,
     "[{\"type\":\"text\",\"text\":\" \\n\"}]", ""},
    {"signed thinking goes back unchanged, calls keep unknown members, nothing is marked", ANTHROPIC, "claude-x", NULL,
     MODEL_ASSISTANT,
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"Si+g/"
     "=\"},{\"type\":\"redacted_thinking\",\"data\":\"x=\"}"
     ",{\"type\":\"text\",\"text\":\"\"},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"Read\",\"input\":{\"n\":"
     "1.50}"
     ",\"caller\":{\"type\":\"direct\"}}]",
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"Si+g/=\"},"
     "{\"type\":\"redacted_thinking\",\"data\":\"x=\"},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"Read\","
     "\"input\":{\"n\":1.50},\"caller\":{\"type\":\"direct\"}}]}"},
    {"what another provider thought is left out, its ids are made fit", ANTHROPIC, "claude-x", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"provider_item\",\"provider\":\"openai-responses\","
     "\"item\":"
     "{\"type\":\"reasoning\"}},{\"type\":\"tool_use\",\"id\":\"functions.Read:0\",\"name\":\"mcp.x/"
     "y\",\"input\":\"no\"}]",
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"functions_Read_0_12018a4e\",\"name\":"
     "\"mcp_x_y_4f7a0f9d\",\"input\":{}}]}"},
    {"server tools' blocks go back as they are", ANTHROPIC, "claude-x", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"q\":\"a\"}},"
     "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[]}]",
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\","
     "\"input\":{\"q\":\"a\"}},{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[]}]}"},

    {"text alone is one string", CHAT, "m", LOCAL, MODEL_USER,
     "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"b\"}]",
     "{\"role\":\"user\",\"content\":\"a\\n\\nb\"}"},
    {"pictures make it a list", CHAT, "m", LOCAL, MODEL_USER,
     "[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\"," PNG
     "},{\"type\":\"image\",\"source\":{\"type\":\"url\","
     "\"url\":\"https://h/p\"}}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image_url\",\"image_url\":{"
     "\"url\":"
     "\"data:image/png;base64,iVBO\"}},{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://h/p\"}}]}"},
    {"each result is a message; a failure is said in its text", CHAT, "m", LOCAL, MODEL_USER,
     "[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"ok\"},{\"type\":\"tool_result\",\"tool_use_id\":"
     "\"c2\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],\"is_error\":true},"
     "{\"type\":\"tool_result\",\"tool_use_id\":\"c3\",\"content\":\"Error: no\",\"is_error\":true},"
     "{\"type\":\"tool_result\",\"tool_use_id\":\"c4\",\"is_error\":true},{\"type\":\"text\",\"text\":\"next\"}]",
     "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"ok\"},{\"role\":\"tool\",\"tool_call_id\":\"c2\","
     "\"content\":\"Error: a\\nb\"},{\"role\":\"tool\",\"tool_call_id\":\"c3\",\"content\":\"Error: no\"},"
     "{\"role\":\"tool\",\"tool_call_id\":\"c4\",\"content\":\"Error\"},{\"role\":\"user\",\"content\":\"next\"}"},
    {"pictures in results follow in a message of the user", CHAT, "m", LOCAL, MODEL_USER,
     "[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":[{\"type\":\"image\"," PNG
     "}]},{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"x\"},{\"type\":\"text\",\"text\":\"so?\"}]",
     "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"(what the tool returned is in the next message)\"},"
     "{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"x\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\","
     "\"text\":\"[returned by the tool call c1]\"},{\"type\":\"image_url\",\"image_url\":{\"url\":"
     "\"data:image/png;base64,iVBO\"}},{\"type\":\"text\",\"text\":\"so?\"}]}"},
    {"a document for OpenAI itself", CHAT, "gpt-4o", NULL, MODEL_USER,
     "[{\"type\":\"document\"," PDF ",\"title\":\"d.pdf\"}]",
     "{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"filename\":\"d.pdf\",\"file_data\":"
     "\"data:application/pdf;base64,JVBE\"}}]}"},
    {"a document elsewhere is told of; one of text is text", CHAT, "m", LOCAL, MODEL_USER,
     "[{\"type\":\"document\"," PDF ",\"title\":\"d.pdf\"},{\"type\":\"document\",\"source\":{\"type\":\"text\","
     "\"media_type\":\"text/plain\",\"data\":\"body\"}}]",
     "{\"role\":\"user\",\"content\":\"[document: d.pdf; this model cannot be sent documents]\\n\\n[document: without "
     "a "
     "title]\\nbody\"}"},
    {"calls with their reasoning", CHAT, "m", LOCAL, MODEL_ASSISTANT,
     "[{\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{\"reasoning_content\":\"hm\"}},{\"type\":"
     "\"text\",\"text\":\"look\"},{\"type\":\"tool_use\",\"id\":\"functions.Read:0\",\"name\":\"Read\",\"input\":"
     "{\"a\":\"\\\"\"},\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}},{\"type\":\"tool_use\",\"id\":"
     "\"c2\","
     "\"name\":\"LS\",\"input\":{}}]",
     "{\"role\":\"assistant\",\"content\":\"look\",\"reasoning_content\":\"hm\",\"tool_calls\":[{\"id\":"
     "\"functions.Read:0\",\"type\":\"function\",\"function\":{\"name\":\"Read\",\"arguments\":\"{\\\"a\\\":"
     "\\\"\\\\\\\"\\\"}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}},{\"id\":\"c2\",\"type\":"
     "\"function\",\"function\":{\"name\":\"LS\",\"arguments\":\"{}\"}}]}"},
    {"reasoning without calls does not go back, nor does what others thought", CHAT, "m", LOCAL, MODEL_ASSISTANT,
     "[{\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{\"reasoning_content\":\"hm\"}},{\"type\":"
     "\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"done\"}]",
     "{\"role\":\"assistant\",\"content\":\"done\"}"},
    {"a call without text has no content; OpenAI's own limits an id's length", CHAT, "gpt-4o", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"tool_use\",\"id\":\"toolu_0123456789012345678901234567890123456789\",\"name\":\"LS\",\"input\":{}}]",
     "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"toolu_0123456789012345678901234_597744bb\","
     "\"type\":\"function\",\"function\":{\"name\":\"LS\",\"arguments\":\"{}\"}}]}"},
    {"an answer of thoughts alone is no message", CHAT, "m", LOCAL, MODEL_ASSISTANT,
     "[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"}]", ""},

    {"outputs by call_id, then what else is said", RESPONSES, "gpt-5", NULL, MODEL_USER,
     "[{\"type\":\"text\",\"text\":\"so?\"},{\"type\":\"tool_result\",\"tool_use_id\":\"call_1\",\"content\":\"ok\"},"
     "{\"type\":\"tool_result\",\"tool_use_id\":\"call_2\",\"content\":[{\"type\":\"text\",\"text\":\"p\"},"
     "{\"type\":\"image\"," PNG "}]}]",
     "{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"ok\"},{\"type\":\"function_call_output\","
     "\"call_id\":\"call_2\",\"output\":[{\"type\":\"input_text\",\"text\":\"p\"},{\"type\":\"input_image\",\"image_"
     "url\":"
     "\"data:image/png;base64,iVBO\",\"detail\":\"auto\"}]},{\"type\":\"message\",\"role\":\"user\",\"content\":"
     "[{\"type\":\"input_text\",\"text\":\"so?\"}]}"},
    {"documents inside and by their address", RESPONSES, "gpt-5", NULL, MODEL_USER,
     "[{\"type\":\"document\"," PDF "},{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://h/d\"}}]",
     "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"filename\":\"document.pdf\","
     "\"file_data\":\"data:application/pdf;base64,JVBE\"},{\"type\":\"input_file\",\"file_url\":\"https://h/d\"}]}"},
    {"reasoning before its call, without the status that the API refuses", RESPONSES, "gpt-5", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\","
     "\"summary\":[],\"encrypted_content\":\"gA==\",\"status\":null}},{\"type\":\"text\",\"text\":\"look\"},"
     "{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"LS\",\"input\":{\"a\":1}}]",
     "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"gA==\"},{\"type\":\"message\","
     "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"look\"}]},{\"type\":\"function_call\","
     "\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"{\\\"a\\\":1}\"}"},
    {"reasoning that leads to nothing, or is not whole, would be refused", RESPONSES, "gpt-5", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\","
     "\"summary\":[]}},{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"provider_item\",\"provider\":"
     "\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":\"rs_2\",\"encrypted_content\":\"gA==\"}}]",
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"look\"}]}"},
    {"a text says again whether it was commentary or the answer", RESPONSES, "gpt-5.5", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"text\",\"text\":\"look\",\"phase\":\"commentary\"}]",
     "{\"type\":\"message\",\"role\":\"assistant\",\"phase\":\"commentary\",\"content\":[{\"type\":\"output_text\","
     "\"text\":\"look\"}]}"},
    {"and not to others", ANTHROPIC, "claude-x", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"text\",\"text\":\"look\",\"phase\":\"commentary\"},{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":"
     "\"A\",\"input\":{},\"extra_content\":{}}]",
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"tool_use\",\"id\":\"c1\","
     "\"name\":\"A\",\"input\":{}}]}"},
    {"the API's other items go back as they came", RESPONSES, "gpt-5", NULL, MODEL_ASSISTANT,
     "[{\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"web_search_call\",\"id\":"
     "\"ws_1\",\"status\":\"completed\"}},{\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{}}]",
     "{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\"}"},
};

static void check_message(const struct message_case *item)
{
    struct hv_error err;
    struct hv_buf empty, full;
    struct model *model = new_model(item->provider, item->model, item->base_url, NULL);
    struct model_conversation *conversation = model_conversation_new(model);
    struct hv_str head = body_of(conversation, &empty);
    if (model_conversation_append(conversation, item->role, hv_str_from(item->content), &err) != HV_OK)
        fail_msg("%s: %s", item->title, err.message);
    struct hv_str body = body_of(conversation, &full);
    struct hv_str wire = hv_str_slice(body, head.len - 2, body.len - 2);
    if (!hv_str_is(wire, item->wire))
        fail_msg("%s (%s)\nexpected:\n%s\ngot:\n%.*s", item->title, item->provider, item->wire, HV_STR_ARG(wire));
    assert_int_equal(model_conversation_count(conversation), 1);
    hv_buf_release(&empty);
    hv_buf_release(&full);
    model_conversation_free(conversation);
    model_free(model);
}

static void each_message_has_its_bytes_on_each_wire(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        check_message(&messages[i]);
}

/* ---- options, tools, system ------------------------------------------------------------------------------------- */

#define SCHEMA "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}"

static const struct head_case {
    const char *title, *provider, *model, *base_url;
    struct model_options options;
    const char *system, *body;
    size_t tool_count;
} heads[] = {
    {"the least",
     ANTHROPIC,
     "claude-sonnet-4-5",
     NULL,
     {.max_tokens = 0},
     "",
     "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":32000,\"stream\":true,\"messages\":[]}"},
    {"tools and system with breakpoints, thinking by budget, effort, eager input",
     ANTHROPIC,
     "claude-opus-4-5",
     NULL,
     {.max_tokens = 9000, .thinking_budget = 500, .effort = {"high", 4}, .eager_input = true},
     "be \"good\"",
     "{\"model\":\"claude-opus-4-5\",\"max_tokens\":9000,\"stream\":true,\"thinking\":{\"type\":\"enabled\","
     "\"budget_tokens\":1024},\"output_config\":{\"effort\":\"high\"},\"tools\":[{\"name\":\"A\",\"description\":"
     "\"does a\","
     "\"input_schema\":" SCHEMA ",\"eager_input_streaming\":true" MARK "},{\"name\":\"B\",\"input_schema\":{\"type\":"
     "\"object\",\"properties\":{\"ok\":{}},\"required\":[],\"$defs\":{}},\"eager_input_streaming\":true}],"
     "\"system\":[{\"type\":\"text\",\"text\":\"be \\\"good\\\"\"" MARK "}],\"messages\":[]}",
     2},
    {"a budget leaves something for the answer",
     ANTHROPIC,
     "claude-opus-4-5",
     NULL,
     {.max_tokens = 2000, .thinking_budget = 64000},
     "",
     "{\"model\":\"claude-opus-4-5\",\"max_tokens\":2000,\"stream\":true,\"thinking\":{\"type\":\"enabled\","
     "\"budget_tokens\":1999},\"messages\":[]}"},
    {"newer models decide by themselves how long to think",
     ANTHROPIC,
     "claude-opus-4-6",
     NULL,
     {.thinking_budget = 5000},
     "",
     "{\"model\":\"claude-opus-4-6\",\"max_tokens\":32000,\"stream\":true,\"thinking\":{\"type\":\"adaptive\","
     "\"display\":\"summarized\"},"
     "\"messages\":[]}"},
    {"an old model's longest answer is short",
     ANTHROPIC,
     "claude-3-haiku-20240307",
     NULL,
     {.max_tokens = 0},
     "",
     "{\"model\":\"claude-3-haiku-20240307\",\"max_tokens\":4096,\"stream\":true,\"messages\":[]}"},
    {"OpenAI's own: developer, its name for the limit, effort from the budget",
     CHAT,
     "gpt-5-mini",
     NULL,
     {.max_tokens = 100, .thinking_budget = 5000},
     "be good",
     "{\"model\":\"gpt-5-mini\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
     "\"max_completion_tokens\":100,\"reasoning_effort\":\"medium\",\"tools\":[{\"type\":\"function\",\"function\":"
     "{\"name\":\"A\",\"description\":\"does a\",\"parameters\":" SCHEMA "}}],\"messages\":[{\"role\":\"developer\","
     "\"content\":\"be good\"}]}",
     1},
    {"others: system, max_tokens, no effort that was not asked for",
     CHAT,
     "qwen3",
     LOCAL,
     {.max_tokens = 100, .thinking_budget = 5000},
     "be good",
     "{\"model\":\"qwen3\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_tokens\":100,"
     "\"messages\":[{\"role\":\"system\",\"content\":\"be good\"}]}"},
    {"no system text, no message for it",
     CHAT,
     "gpt-4o",
     NULL,
     {.max_tokens = 0},
     "",
     "{\"model\":\"gpt-4o\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"messages\":[]}"},
    {"nothing is stored, so reasoning comes along; strict must be said to be off",
     RESPONSES,
     "gpt-5",
     NULL,
     {.max_tokens = 100, .thinking_budget = 20000},
     "be good",
     "{\"model\":\"gpt-5\",\"stream\":true,\"store\":false,\"max_output_tokens\":100,\"include\":"
     "[\"reasoning.encrypted_content\"],\"reasoning\":{\"effort\":\"high\",\"summary\":\"auto\"},\"tools\":[{\"type\":"
     "\"function\",\"name\":\"A\",\"description\":\"does a\",\"parameters\":" SCHEMA ",\"strict\":false}],"
     "\"instructions\":\"be good\",\"input\":[]}",
     1},
    {"a model that does not reason is not asked for it",
     RESPONSES,
     "gpt-4o",
     NULL,
     {.thinking_budget = 20000},
     "",
     "{\"model\":\"gpt-4o\",\"stream\":true,\"store\":false,\"input\":[]}"},
};

static const struct model_tool tools[] = {
    {{"A", 1}, {"does a", 6}, {SCHEMA, sizeof SCHEMA - 1}},
    {{"B", 1},
     {NULL, 0},
     {"{\"anyOf\":[{\"type\":\"object\"}],\"properties\":{\"no good\":{},\"ok\":{}},\"required\":[\"no "
      "good\"],\"$defs\":{}}",
      99}},
};

static void each_head_has_its_bytes_on_each_wire(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct hv_buf buf;
        struct model *model = new_model(heads[i].provider, heads[i].model, heads[i].base_url, &heads[i].options);
        struct model_conversation *conversation = model_conversation_new(model);
        model_conversation_set_tools(conversation, tools, heads[i].tool_count, 1);
        model_conversation_set_system(conversation, hv_str_from(heads[i].system));
        struct hv_str body = body_of(conversation, &buf);
        if (!hv_str_is(body, heads[i].body))
            fail_msg("%s\nexpected:\n%s\ngot:\n%.*s", heads[i].title, heads[i].body, HV_STR_ARG(body));
        hv_buf_release(&buf);
        model_conversation_free(conversation);
        model_free(model);
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void names_are_changed_only_where_a_wire_asks_for_it_and_stay_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t max;
        const char *wire;
    } rows[] = {
        {"Read", 64, "Read"},        {"mcp__server__do-it", 64, "mcp__server__do-it"},
        {"a.b", 64, "a_b_108bf50c"}, {"a/b", 64, "a_b_3a8e75c1"},
        {"a_b", 64, "a_b"},          {"0123456789abcdefg", 16, "0123456_0744d6ae"},
        {"", 64, "_811c9dc5"},       {"\xc3\xa9", 64, "___1e9de8c1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buffer[WIRE_NAME_MAX];
        struct hv_str wire = wire_name(hv_str_from(rows[i].name), rows[i].max, buffer);
        if (!hv_str_is(wire, rows[i].wire))
            fail_msg("%s: expected %s, got %.*s", rows[i].name, rows[i].wire, HV_STR_ARG(wire));
        assert_true(wire.len <= rows[i].max);
    }
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

static void no_event(void *user, const struct model_event *event)
{
    (void)user, (void)event;
    fail();
}

static void no_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    (void)user, (void)code, (void)err, (void)status, (void)retry_after_ms;
    fail();
}

static void more_tools_than_a_service_takes_are_told_before_anything_is_sent(void **state)
{
    (void)state;
    enum { COUNT = 129 };
    struct model_tool many[COUNT];
    char names[COUNT][8];
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(names[i], sizeof names[i], "T%zu", i);
        many[i] = (struct model_tool){.name = hv_str_from(names[i]), .input_schema = HV_STR("{}")};
    }
    const struct model_stream_handlers handlers = {.on_event = no_event, .on_end = no_end};
    struct model_stream *stream = NULL;
    struct hv_error err;
    struct model *model = new_model(CHAT, "gpt-4o", NULL, NULL);
    struct model_conversation *conversation = model_conversation_new(model);
    model_conversation_set_tools(conversation, many, COUNT, COUNT);
    assert_int_equal(model_send(conversation, &handlers, &stream, &err), HV_ETOOBIG);
    assert_non_null(strstr(err.message, "129 tools"));
    assert_non_null(strstr(err.hint, "--tools"));
    assert_null(stream);
    model_conversation_free(conversation);
    model_free(model);
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

static void options_that_cannot_work_are_refused_with_a_way_out(void **state)
{
    (void)state;
    static const struct hv_str bad_header[] = {{"no colon", 8}};
    static const struct {
        struct model_options options;
        enum hv_code code;
        const char *message;
    } rows[] = {
        {{.provider = {"nobody", 6}, .name = {"m", 1}}, HV_ENOTFOUND, "no provider named \"nobody\""},
        {{.provider = {"anthropic", 9}}, HV_EINVAL, "no name"},
        {{.provider = {"anthropic", 9}, .name = {"m", 1}, .base_url = {"localhost:80", 12}}, HV_EINVAL, "base URL"},
        {{.provider = {"anthropic", 9}, .name = {"m", 1}, .base_url = {"http://a b", 10}}, HV_EINVAL, "base URL"},
        {{.provider = {"anthropic", 9}, .name = {"m", 1}, .api_key = {"a\nb", 3}}, HV_EINVAL, "API key"},
        {{.provider = {"anthropic", 9}, .name = {"m", 1}, .headers = bad_header, .header_count = 1},
         HV_EINVAL,
         "header number 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model *model = NULL;
        struct hv_error err;
        assert_int_equal(model_new(&rows[i].options, NULL, &model, &err), rows[i].code);
        assert_null(model);
        assert_non_null(strstr(err.message, rows[i].message));
    }
}

static void costs_and_windows_are_known_by_family(void **state)
{
    (void)state;
    static const struct {
        const char *provider, *name;
        double cost; /* of a million tokens of each kind */
        int64_t window;
    } rows[] = {
        {ANTHROPIC, "claude-sonnet-4-5", 3 + 15 + 0.3 + 3.75, 200000},
        {ANTHROPIC, "claude-sonnet-4-5-20250929", 3 + 15 + 0.3 + 3.75, 200000},
        {ANTHROPIC, "claude-3-5-haiku-latest", 0.8 + 4 + 0.08 + 1, 200000},
        {ANTHROPIC, "claude-haiku-5-5", 5 * (0.1 + 0.5 + 0.01 + 0.125), 1000000},
        {ANTHROPIC, "claude-from-the-future", -1, 200000},
        {CHAT, "gpt-5-mini-2025-08-07", 0.25 + 2 + 0.025 + 0.25, 400000},
        {CHAT, "gpt-5-something", -1, 128000},
        {CHAT, "openai/gpt-5", -1, 400000},
        {CHAT, "qwen3:8b", -1, 128000},
    };
    const struct model_usage usage = {1000000, 1000000, 1000000, 1000000, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model *model = new_model(rows[i].provider, rows[i].name, NULL, NULL);
        double cost = model_cost(model, &usage);
        if (cost - rows[i].cost > 1e-9 || rows[i].cost - cost > 1e-9)
            fail_msg("%s: %f", rows[i].name, cost);
        double fee = model_cost(model, &(struct model_usage){.searches = 3});
        double wanted = rows[i].cost < 0 ? -1 : strcmp(rows[i].provider, CHAT) == 0 ? 0 : 0.03;
        if (fee - wanted > 1e-9 || wanted - fee > 1e-9)
            fail_msg("%s: searches cost %f", rows[i].name, fee);
        assert_int_equal(model_context_window(model), rows[i].window);
        assert_true(hv_str_is(model_name(model), rows[i].name));
        assert_true(hv_str_is(model_provider_name(model), rows[i].provider));
        model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_message_has_its_bytes_on_each_wire),
        cmocka_unit_test(each_head_has_its_bytes_on_each_wire),
        cmocka_unit_test(names_are_changed_only_where_a_wire_asks_for_it_and_stay_apart),
        cmocka_unit_test(more_tools_than_a_service_takes_are_told_before_anything_is_sent),
        cmocka_unit_test(options_that_cannot_work_are_refused_with_a_way_out),
        cmocka_unit_test(costs_and_windows_are_known_by_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
