/*
 * tools.c: what many registered tools cost: at the start of a session, in each turn, and in a search among them.
 * Ten thousand tools as an MCP server would bring them stand beside the built-in ones; the same is measured without
 * them. A turn here is what the runtime does in one: the list for the request, then a batch with one call.
 *   ninja -C build bench/bench_tools && build/bench/bench_tools
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "runtime/runtime.h"

#include <ftw.h>
#include <helve/json.h>
#include <sys/stat.h>

enum { TOOLS = 10000, TURNS = 301, SEARCHES = 101 };

static const char *const verbs[] = {"list", "get", "create", "update", "delete", "search", "export", "merge", "watch"};
static const char *const things[] = {"issue",     "pull request", "invoice",    "calendar event",
                                     "customer",  "deployment",   "table row",  "mailbox",
                                     "build job", "document",     "certificate"};

enum { VERBS = sizeof verbs / sizeof *verbs, THINGS = sizeof things / sizeof *things };

static enum hv_code call_nothing(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                 struct hv_error *err)
{
    (void)input, (void)data, (void)err;
    hv_result_addf(result, context->arena, "done");
    return HV_OK;
}

static bool yes(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void touch_nothing(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input, (void)context;
    out->limited = true;
}

/* Names, descriptions and schemas of the size that real servers have. */
static const struct hv_tool **make_tools(struct hv_arena *arena)
{
    const struct hv_tool **tools = hv_arena_array(arena, const struct hv_tool *, TOOLS);
    for (int i = 0; i < TOOLS; i++) {
        const char *verb = verbs[i % VERBS], *thing = things[i / VERBS % THINGS];
        struct hv_tool *tool = hv_arena_new(arena, struct hv_tool);
        tool->name = hv_arena_format(arena, "mcp__server%d__%s_%d", i / 100, verb, i).ptr;
        tool->description =
            hv_arena_format(arena,
                            "%s the %s with the given number in workspace %d. Returns its fields as JSON, with "
                            "links to whatever belongs to it; fails when there is none or access is missing.",
                            verb, thing, i)
                .ptr;
        tool->input_schema = "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"limit\":{\"type\":"
                             "\"integer\"}},\"required\":[\"id\"]}";
        tool->call = call_nothing;
        tool->read_only = tool->concurrency_safe = yes;
        tool->footprint = touch_nothing;
        tools[i] = tool;
    }
    return tools;
}

/* ---- a session ----------------------------------------------------------------------------------------------- */

struct bench {
    struct hv_arena arena;
    struct loop *loop;
    struct settings *settings;
    struct policy *policy;
    struct runtime *runtime;
    char directory[64];
    struct hv_str root;
    bool done, failed, found_nothing;
};

static void die(const char *what, const struct hv_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->message);
    exit(1);
}

static void on_result(void *user, const struct batch_result *result)
{
    struct bench *bench = user;
    bench->failed |= result->is_error;
    bench->found_nothing = hv_str_find(result->text, HV_STR("mcp__server"), 0) == SIZE_MAX;
}

static void on_done(void *user, struct hv_str messages, bool stop, struct hv_str reason)
{
    (void)messages, (void)stop, (void)reason;
    struct bench *bench = user;
    bench->done = true;
    loop_stop(bench->loop);
}

static void open_bench(struct bench *bench, const struct hv_tool **tools, size_t count)
{
    struct hv_error err;
    snprintf(bench->directory, sizeof bench->directory, "/tmp/helve-bench-XXXXXX");
    if (!mkdtemp(bench->directory) || loop_new(&bench->loop, &err) != HV_OK)
        exit(1);
    bench->root = hv_str_from(bench->directory);
    struct settings_options options = {
        .host = hv_host_local(), .directory = bench->root, .home = bench->root, .helve_home = bench->root};
    if (settings_load(&options, &bench->settings, &err) != HV_OK)
        die("settings", &err);
    bench->policy = policy_new(&(struct policy_options){
        .settings = bench->settings, .roots = &bench->root, .root_count = 1, .home = bench->root});
    size_t built_in;
    const struct hv_tool *const *list = hv_builtin_tools(&built_in);
    struct runtime_options runtime = {
        .loop = bench->loop,
        .host = hv_host_local(),
        .settings = bench->settings,
        .policy = bench->policy,
        .session_id = HV_STR("bench"),
        .directory = bench->root,
        .home = bench->root,
        .roots = &bench->root,
        .root_count = 1,
        .session_directory = bench->root,
        .built_in_tools = list,
        .built_in_tool_count = built_in,
        .extra_tools = tools,
        .extra_tool_count = count,
    };
    if (runtime_new(&runtime, &bench->runtime, &err) != HV_OK)
        die("runtime", &err);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void close_bench(struct bench *bench)
{
    runtime_free(bench->runtime);
    policy_unref(bench->policy);
    settings_unref(bench->settings);
    loop_free(bench->loop);
    nftw(bench->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    hv_arena_release(&bench->arena);
}

static void run_call(struct bench *bench, const char *name, struct hv_str input)
{
    struct batch_handlers handlers = {on_result, on_done, bench};
    bench->done = bench->failed = false;
    struct batch *batch = batch_new(bench->runtime, &handlers);
    batch_add(batch, HV_STR("1"), hv_str_from(name), input);
    batch_close(batch);
    while (!bench->done)
        loop_run(bench->loop);
    if (bench->failed)
        fprintf(stderr, "%s failed\n", name);
}

/* What the request's assembly looks at: the list, and what of it is offered. */
static size_t look_at_tools(struct bench *bench)
{
    size_t count, stable, offered = 0;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(bench->runtime, &count, &stable, &generation);
    for (size_t i = 0; i < count; i++)
        offered += !tools[i].deferred;
    return offered;
}

/* ---- measuring ----------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static double median_ms(uint64_t *times, size_t count)
{
    qsort(times, count, sizeof *times, by_size);
    return (double)times[count / 2] / (double)CLOCK_MILLISECOND;
}

static double measure_turns(struct bench *bench)
{
    uint64_t times[TURNS];
    for (int i = 0; i < TURNS; i++) {
        uint64_t started = clock_monotonic_ns();
        look_at_tools(bench);
        run_call(bench, "TodoWrite", HV_STR("{\"todos\":[]}"));
        times[i] = clock_monotonic_ns() - started;
    }
    return median_ms(times, TURNS);
}

/* Each search activates what it finds, so the next list is a new one: that is part of the price. */
static void measure_searches(struct bench *bench, double *first, double *median, double *after)
{
    uint64_t searches[SEARCHES], lists[SEARCHES];
    for (int i = 0; i < SEARCHES; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str input = hv_arena_format(&arena, "{\"query\":\"%s %s workspace %d\",\"max_results\":3}",
                                              verbs[i % VERBS], things[i % THINGS], i * 97);
        uint64_t started = clock_monotonic_ns();
        run_call(bench, "ToolSearch", input);
        searches[i] = clock_monotonic_ns() - started;
        if (bench->found_nothing)
            fprintf(stderr, "nothing found: %.*s\n", HV_STR_ARG(input));
        started = clock_monotonic_ns();
        look_at_tools(bench);
        lists[i] = clock_monotonic_ns() - started;
    }
    *first = (double)searches[0] / (double)CLOCK_MILLISECOND;
    *median = median_ms(searches, SEARCHES);
    *after = median_ms(lists, SEARCHES);
}

int main(void)
{
    struct hv_arena arena = {0};
    struct bench few = {0}, many = {0};
    const struct hv_tool **tools = make_tools(&arena);
    open_bench(&few, NULL, 0);
    uint64_t started = clock_monotonic_ns();
    open_bench(&many, tools, TOOLS);
    double opening = (double)(clock_monotonic_ns() - started) / (double)CLOCK_MILLISECOND, first, search, after;
    (void)measure_turns(&few); /* both warm */
    (void)measure_turns(&many);
    double turn_few = measure_turns(&few), turn_many = measure_turns(&many);
    measure_searches(&many, &first, &search, &after);
    printf("{\"tools\":%d,\"open_ms\":%.3f,\"turn_without_ms\":%.3f,\"turn_with_ms\":%.3f,\"added_ms\":%.3f,"
           "\"first_search_ms\":%.3f,\"search_ms\":%.3f,\"list_after_search_ms\":%.3f,\"turn_after_ms\":%.3f}\n",
           TOOLS, opening, turn_few, turn_many, turn_many - turn_few, first, search, after, measure_turns(&many));
    close_bench(&many);
    close_bench(&few);
    hv_arena_release(&arena);
    return 0;
}
