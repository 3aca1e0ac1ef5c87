/* test_toolsearch.c: the tool ToolSearch: by words, by name, what it activates, and many tools. */
#include "harness.h"

extern const struct hv_tool tool_toolsearch;

static const struct hv_tool weather = {.name = "GetWeather",
                                       .search_hint = "weather forecast temperature rain",
                                       .description = "Tells the weather of a place.",
                                       .input_schema = "{\"type\":\"object\",\"properties\":{\"place\":{}}}"};
static const struct hv_tool notebook = {.name = "NotebookEdit",
                                        .search_hint = "change cells of a jupyter notebook",
                                        .description = "Changes one cell of a notebook.",
                                        .input_schema = "{\"type\":\"object\"}"};
static const struct hv_tool mail = {.name = "mcp__mail__send",
                                    .description = "Sends a message; can say how the weather is.",
                                    .input_schema = "{\"type\":\"object\"}"};
static const struct hv_tool known = {.name = "Weathered", .search_hint = "weather", .description = "Known already."};

static const struct hv_tool *const tools[] = {&weather, &notebook, &mail, &known};
static const bool active[] = {false, false, false, true};

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    session.tools = (struct hv_tool_set){.tools = tools, .count = 4, .generation = 1, .active = active};
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

static void expect_activated(struct session *session, const char *names)
{
    assert_true(hv_str_is(hv_buf_str(&session->activated), names));
    hv_buf_clear(&session->activated);
}

static void words_find_the_best_first_and_activate_it(void **state)
{
    struct session *session = *state;
    call(session, &tool_toolsearch, "{'query':'weather forecast'}");
    expect_fine(session);
    expect_has(session, "2 tools found");
    expect_has(session, "\"input_schema\":{\"type\":\"object\",\"properties\":{\"place\":{}}}");
    expect_lacks(session, "Weathered"); /* the model has it already */
    expect_activated(session, "GetWeather mcp__mail__send ");
    call(session, &tool_toolsearch, "{'query':'weather','max_results':1}");
    expect_activated(session, "GetWeather ");
    call(session, &tool_toolsearch, "{'query':'weather +message'}");
    expect_activated(session, "mcp__mail__send ");
}

static void names_are_selected(void **state)
{
    struct session *session = *state;
    call(session, &tool_toolsearch, "{'query':'select:NotebookEdit, Weathered'}");
    expect_has(session, "2 tools found");
    expect_activated(session, "NotebookEdit ");
    call(session, &tool_toolsearch, "{'query':'select:NotebokEdit'}");
    expect_failure(session, "did you mean NotebookEdit?");
    expect_activated(session, "");
    call(session, &tool_toolsearch, "{'query':'select:NotebookEdit,Nothing'}");
    expect_fine(session);
    expect_has(session, "no tool is named \"Nothing\"");
}

static void nothing_found_is_no_failure(void **state)
{
    struct session *session = *state;
    call(session, &tool_toolsearch, "{'query':'zebra'}");
    expect_fine(session);
    expect_has(session, "No deferred tool matches");
    expect_activated(session, "");
    call(session, &tool_toolsearch, "{'query':''}");
    expect_failure(session, "query");
    call(session, &tool_toolsearch, "{'query':'x','max_results':0}");
    expect_failure(session, "max_results");
}

static void a_new_generation_is_indexed_anew(void **state)
{
    struct session *session = *state;
    call(session, &tool_toolsearch, "{'query':'weather'}");
    hv_buf_clear(&session->activated);
    static const struct hv_tool zebra = {.name = "Zebra", .description = "Counts stripes.", .input_schema = "{}"};
    static const struct hv_tool *const others[] = {&zebra};
    session->tools = (struct hv_tool_set){.tools = others, .count = 1, .generation = 2, .active = active};
    call(session, &tool_toolsearch, "{'query':'stripes'}");
    expect_activated(session, "Zebra ");
}

static void ten_thousand_tools_are_searched(void **state)
{
    struct session *session = *state;
    enum { COUNT = 10000 };
    struct hv_tool *many = hv_calloc(COUNT, sizeof *many);
    const struct hv_tool **list = hv_calloc(COUNT, sizeof *list);
    bool *flags = hv_calloc(COUNT, sizeof *flags);
    for (size_t i = 0; i < COUNT; i++) {
        many[i].name = hv_arena_format(&session->own, "mcp__server%zu__tool%zu", i % 100, i).ptr;
        many[i].description = i == 7777 ? "Paints a fence green." : "Does one of many things.";
        many[i].input_schema = "{\"type\":\"object\"}";
        list[i] = &many[i];
    }
    session->tools = (struct hv_tool_set){.tools = list, .count = COUNT, .generation = 9, .active = flags};
    call(session, &tool_toolsearch, "{'query':'paint fence'}");
    expect_activated(session, "mcp__server77__tool7777 ");
    free(many);
    free(list);
    free(flags);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(words_find_the_best_first_and_activate_it),
        CASE(names_are_selected),
        CASE(nothing_found_is_no_failure),
        CASE(a_new_generation_is_indexed_anew),
        CASE(ten_thousand_tools_are_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
