/* test_pool.c: which tools the model is offered, in which order and form, and how that changes. */
#include "harness.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct harness h;

extern const struct hv_tool tool_toolsearch;

static enum hv_code say_hello(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)input, (void)data, (void)err;
    hv_result_add_text(result, context->arena, HV_STR("hello"));
    return HV_OK;
}

/* count tools as servers bring them: mcp__server__tool_000…, each with `filler` bytes of description. */
static struct hv_tool *make_tools(size_t count, size_t filler)
{
    struct hv_tool *tools = calloc(count, sizeof *tools);
    for (size_t i = 0; i < count; i++) {
        char *name = malloc(64), *description = malloc(filler + 64);
        snprintf(name, 64, "mcp__server__tool_%05zu", i);
        int length = snprintf(description, 64, "Does thing %zu. ", i);
        memset(description + length, 'x', filler);
        description[length + filler] = '\0';
        tools[i] = (struct hv_tool){.name = name, .description = description, .call = say_hello};
    }
    return tools;
}

static void free_tools(struct hv_tool *tools, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)tools[i].name);
        free((void *)(uintptr_t)tools[i].description);
    }
    free(tools);
}

static const struct hv_tool zebra = {.name = "Zebra", .description = "z", .call = say_hello};
static const struct hv_tool apple = {.name = "Apple", .description = "a", .call = say_hello};
static const struct hv_tool hidden = {.name = "Hidden",
                                      .description = "speaks to whales",
                                      .deferred = true,
                                      .search_hint = "whale song",
                                      .call = say_hello};
static const struct hv_tool false_probe = {.name = "Probe", .description = "not the real one", .call = say_hello};

static const struct runtime_tool *row(const char *name)
{
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *rows = runtime_tools(h.runtime, &count, &stable, &generation);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].tool->name, name) == 0)
            return &rows[i];
    return NULL;
}

static void built_in_tools_come_first_each_part_by_name(void **state)
{
    static const struct hv_tool *const tools[] = {&zebra, &probe_tool, NULL};
    const struct hv_tool *extra[] = {&apple};
    size_t count, stable;
    uint64_t generation;
    (void)state;
    harness_open(&h, NULL);
    h.options.extra_tools = extra;
    h.options.extra_tool_count = 1;
    harness_start(&h, tools);
    const struct runtime_tool *rows = runtime_tools(h.runtime, &count, &stable, &generation);
    assert_int_equal(count, 3);
    assert_int_equal(stable, 2);
    assert_string_equal(rows[0].tool->name, "Probe");
    assert_string_equal(rows[1].tool->name, "Zebra");
    assert_string_equal(rows[2].tool->name, "Apple");
    harness_close(&h);
}

static void a_built_in_tool_wins_a_clash_of_names(void **state)
{
    const struct hv_tool *extra[] = {&false_probe};
    size_t count, stable;
    uint64_t generation;
    (void)state;
    harness_open(&h, "{\"permissions\":{\"allow\":[\"Probe\"]}}");
    h.options.extra_tools = extra;
    h.options.extra_tool_count = 1;
    harness_start(&h, NULL);
    (void)runtime_tools(h.runtime, &count, &stable, &generation);
    assert_int_equal(count, 1);
    harness_run(&h, "t1", "Probe", "{\"say\":\"real\"}", (char *)NULL);
    assert_string_equal(h.results[0].text, "real");
    harness_close(&h);
}

static void lists_of_names_narrow_the_pool(void **state)
{
    static const struct hv_tool *const tools[] = {&zebra, &probe_tool, &apple, NULL};
    const struct hv_str only[] = {HV_STR("probe_it"), HV_STR("Zebra")}, without[] = {HV_STR("Zebra")};
    (void)state;
    harness_open(&h, NULL);
    h.options.only_tools = only;
    h.options.only_tool_count = 2;
    h.options.without_tools = without;
    h.options.without_tool_count = 1;
    harness_start(&h, tools);
    assert_non_null(row("Probe"));
    assert_null(row("Zebra"));
    assert_null(row("Apple"));
    harness_close(&h);
}

static void a_deferred_tool_is_found_and_offered_from_the_next_request_on(void **state)
{
    static const struct hv_tool *const tools[] = {&hidden, &probe_tool, &tool_toolsearch, NULL};
    size_t count, stable;
    uint64_t before, after;
    (void)state;
    harness_open(&h, "{\"permissions\":{\"allow\":[\"Probe\",\"Hidden\",\"ToolSearch\"]}}");
    harness_start(&h, tools);
    (void)runtime_tools(h.runtime, &count, &stable, &before);
    assert_true(row("Hidden")->deferred);
    harness_run(&h, "t1", "ToolSearch", "{\"query\":\"whale\"}", (char *)NULL);
    assert_false(h.results[0].is_error);
    assert_contains(h.results[0].block, "Hidden");
    (void)runtime_tools(h.runtime, &count, &stable, &after);
    assert_true(after != before);
    assert_false(row("Hidden")->deferred);
    harness_run(&h, "t1", "Hidden", "{}", (char *)NULL);
    assert_string_equal(h.results[0].text, "hello");
    harness_close(&h);
}

static void without_deferred_tools_there_is_no_search_for_them(void **state)
{
    static const struct hv_tool *const tools[] = {&probe_tool, &tool_toolsearch, NULL};
    (void)state;
    harness_open(&h, NULL);
    harness_start(&h, tools);
    assert_null(row("ToolSearch"));
    harness_close(&h);
}

static void tool_search_false_offers_everything_whole(void **state)
{
    static const struct hv_tool *const tools[] = {&hidden, &probe_tool, &tool_toolsearch, NULL};
    const struct hv_tool *extra[] = {&apple};
    (void)state;
    harness_open(&h, "{\"toolSearch\":false}");
    h.options.extra_tools = extra;
    h.options.extra_tool_count = 1;
    h.options.extra_tool_chars = 1;
    harness_start(&h, tools);
    assert_false(row("Hidden")->deferred);
    assert_false(row("Apple")->deferred);
    assert_null(row("ToolSearch"));
    harness_close(&h);
}

static void tool_search_true_defers_tools_from_outside_however_few(void **state)
{
    static const struct hv_tool *const tools[] = {&probe_tool, &tool_toolsearch, NULL};
    const struct hv_tool *extra[] = {&apple};
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness_open(&h, i ? "{\"toolSearch\":true}" : "{\"toolSearch\":\"auto\"}");
        h.options.extra_tools = extra;
        h.options.extra_tool_count = 1;
        harness_start(&h, tools);
        assert_int_equal(row("Apple")->deferred, i == 1);
        assert_false(row("Probe")->deferred);
        assert_non_null(row("ToolSearch"));
        harness_close(&h);
    }
}

static void ten_thousand_tools_are_deferred_and_the_used_ones_stay(void **state)
{
    static const struct hv_tool *const tools[] = {&probe_tool, &tool_toolsearch, NULL};
    enum { COUNT = 10000 };
    (void)state;
    struct hv_tool *many = make_tools(COUNT, 100);
    const struct hv_tool **extra = calloc(COUNT, sizeof *extra);
    for (size_t i = 0; i < COUNT; i++)
        extra[i] = &many[COUNT - 1 - i]; /* whatever the order they come in */
    harness_open(&h, "{\"permissions\":{\"allow\":[\"mcp__server\",\"ToolSearch\"]}}");
    h.options.extra_tools = extra;
    h.options.extra_tool_count = COUNT;
    harness_start(&h, tools);
    assert_true(row("mcp__server__tool_00042")->deferred);
    assert_true(row("mcp__server__tool_09999")->deferred);
    harness_run(&h, "t1", "ToolSearch", "{\"query\":\"select:mcp__server__tool_00042\"}", (char *)NULL);
    assert_false(h.results[0].is_error);
    assert_false(row("mcp__server__tool_00042")->deferred);
    assert_true(row("mcp__server__tool_00043")->deferred);
    /* One that was only named, never shown, can be called all the same. */
    harness_run(&h, "t1", "mcp__server__tool_00077", "{}", (char *)NULL);
    assert_string_equal(h.results[0].text, "hello");
    harness_close(&h);
    free(extra);
    free_tools(many, COUNT);
}

static atomic_uint prepared;

static void note_prepared(struct hv_context *context)
{
    static const struct hv_state_key key = {.name = "prepared", .size = sizeof(int)};
    assert_non_null(hv_state(context, &key));
    assert_int_equal(context->services->tool_set(context)->count, 1);
    prepared++;
}

static void a_tool_is_prepared_once_in_a_session_that_offers_it(void **state)
{
    static struct hv_tool ready;
    static const struct hv_tool *const tools[] = {&ready, NULL};
    (void)state;
    for (int offered = 0; offered < 2; offered++) {
        prepared = 0;
        ready = probe_tool;
        ready.prepare = note_prepared;
        harness_open(&h, offered ? NULL : "{\"permissions\":{\"deny\":[\"Probe\"]}}");
        harness_start(&h, tools);
        harness_close(&h); /* waits for it */
        assert_int_equal(prepared, offered);
    }
}

static void few_tools_of_servers_are_offered_with_their_schemas(void **state)
{
    static const struct hv_tool *const tools[] = {&probe_tool, &tool_toolsearch, NULL};
    (void)state;
    struct hv_tool *few = make_tools(5, 100);
    const struct hv_tool *extra[] = {&few[0], &few[1], &few[2], &few[3], &few[4]};
    harness_open(&h, NULL);
    h.options.extra_tools = extra;
    h.options.extra_tool_count = 5;
    harness_start(&h, tools);
    assert_false(row("mcp__server__tool_00003")->deferred);
    assert_string_equal(row("mcp__server__tool_00003")->input_schema.ptr, "{\"type\":\"object\"}");
    harness_close(&h);
    free_tools(few, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_tools_come_first_each_part_by_name),
        cmocka_unit_test(a_built_in_tool_wins_a_clash_of_names),
        cmocka_unit_test(lists_of_names_narrow_the_pool),
        cmocka_unit_test(a_deferred_tool_is_found_and_offered_from_the_next_request_on),
        cmocka_unit_test(without_deferred_tools_there_is_no_search_for_them),
        cmocka_unit_test(tool_search_false_offers_everything_whole),
        cmocka_unit_test(tool_search_true_defers_tools_from_outside_however_few),
        cmocka_unit_test(ten_thousand_tools_are_deferred_and_the_used_ones_stay),
        cmocka_unit_test(a_tool_is_prepared_once_in_a_session_that_offers_it),
        cmocka_unit_test(few_tools_of_servers_are_offered_with_their_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
