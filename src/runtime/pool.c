/*
 * pool.c: the tools of a session, in three layers: all that are known; those this session may use; the order
 * and form in which the model gets them.
 *
 * The known tools are fixed at the session's start and live in a table by name. What the model is offered changes when
 * a deferred tool is activated: then a new snapshot is published, and calls under way keep theirs.
 */
#include "base/cleanup.h"
#include "base/nearest.h"
#include "runtime/call.h"
#include "sandbox/sandbox.h"
#include "schema/fields.h"
#include "schema/validator.h"
#include "text/tool_name.h"

#include <string.h>

/* Tools that come from outside are deferred when together they would take more than this of the model's context. */
enum { EXTRA_CHARS_DEFAULT = 80000, WORKING_SET = 64 };

/* Tools neither come nor go within a session yet; activating one does not change the list. */
enum { LIST_GENERATION = 1 };

/* One known tool of this session. */
struct known_tool {
    const struct hv_tool *tool;
    struct hv_str schema;     /* JSON text, made when first needed */
    struct schema *validator; /* of a schema that arrived at run time: compiled at the first call */
    bool validator_made;
    bool built_in, offered, activated;
    size_t last_use; /* 0: not used yet; else runtime->use_count at its last use */
};

struct registry {
    struct known_tool *tools; /* built-in by name, then the others by name */
    size_t count, stable;
    size_t extra_chars;
};

static int by_name(const void *a, const void *b)
{
    const struct known_tool *left = a, *right = b;
    if (left->built_in != right->built_in)
        return left->built_in ? -1 : 1;
    return strcmp(left->tool->name, right->tool->name);
}

static bool listed(const struct hv_tool *tool, const struct hv_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hv_tool_is_named(tool, names[i]))
            return true;
    return false;
}

/* The second layer: may this session use it? */
static bool passes(struct runtime *runtime, const struct hv_tool *tool, const struct hv_context *context)
{
    const struct runtime_options *options = &runtime->options;
    if (options->only_tools && !listed(tool, options->only_tools, options->only_tool_count))
        return false;
    if (listed(tool, options->without_tools, options->without_tool_count) || policy_denies_tool(runtime->policy, tool))
        return false;
    return !tool->is_enabled || tool->is_enabled(context);
}

static void add_names(struct runtime *runtime, struct known_tool *known)
{
    const struct hv_tool *tool = known->tool;
    map_set(&runtime->names, hv_str_from(tool->name), known);
    for (const char *const *alias = tool->aliases; alias && *alias; alias++)
        if (!map_get(&runtime->names, hv_str_from(*alias)))
            map_set(&runtime->names, hv_str_from(*alias), known);
}

static void add_known(struct runtime *runtime, const struct hv_tool *tool, bool built_in,
                      const struct hv_context *context)
{
    struct registry *registry = runtime->registry;
    bool offered = passes(runtime, tool, context);
    registry->tools[registry->count++] = (struct known_tool){.tool = tool, .built_in = built_in, .offered = offered};
    if (!built_in)
        registry->extra_chars += strlen(tool->name) + (tool->description ? strlen(tool->description) : 0) +
                                 (tool->input_schema ? strlen(tool->input_schema) : 0);
}

static struct hv_str schema_of(struct runtime *runtime, struct known_tool *known)
{
    if (known->schema.ptr)
        return known->schema;
    if (!known->tool->fields) {
        known->schema =
            known->tool->input_schema ? hv_str_from(known->tool->input_schema) : HV_STR("{\"type\":\"object\"}");
        return known->schema;
    }
    CLEANUP_BUF struct hv_buf buf = {.max = 1u << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &buf);
    fields_write_schema(known->tool->fields, &writer);
    known->schema = hv_arena_str(&runtime->pool_arena, hv_buf_str(&buf));
    return known->schema;
}

/* How much outside tools may take before they are deferred: as the setting toolSearch says. */
static size_t extra_budget(const struct runtime *runtime)
{
    if (runtime->settings->tool_search == SETTINGS_ON)
        return 0;
    return runtime->options.extra_tool_chars ? runtime->options.extra_tool_chars : EXTRA_CHARS_DEFAULT;
}

/* Outside tools over the budget: only those used lately stay loaded. */
static bool is_deferred(const struct runtime *runtime, const struct known_tool *known)
{
    if (known->activated || known->tool->always_load || runtime->settings->tool_search == SETTINGS_OFF)
        return false;
    if (known->tool->deferred)
        return true;
    if (known->built_in || runtime->registry->extra_chars <= extra_budget(runtime))
        return false;
    return !known->last_use || known->last_use + WORKING_SET <= runtime->use_count;
}

/* The third layer: a snapshot of what is offered now. Runtime lock held, or before the runtime is shared. */
static struct pool *pool_build(struct runtime *runtime, uint64_t generation)
{
    struct registry *registry = runtime->registry;
    struct pool *pool = hv_calloc(1, sizeof *pool);
    atomic_init(&pool->references, 1);
    pool->generation = generation;
    pool->rows = hv_arena_array(&pool->arena, struct runtime_tool, registry->count);
    const struct hv_tool **tools = hv_arena_array(&pool->arena, const struct hv_tool *, registry->count);
    bool *active = hv_arena_array(&pool->arena, bool, registry->count);
    for (size_t i = 0; i < registry->count; i++) {
        struct known_tool *known = &registry->tools[i];
        if (!known->offered)
            continue;
        bool deferred = is_deferred(runtime, known);
        size_t at = pool->count++;
        pool->rows[at] = (struct runtime_tool){known->tool, schema_of(runtime, known), deferred};
        pool->stable += known->built_in;
        tools[at] = known->tool;
        active[at] = !deferred;
    }
    pool->set = (struct hv_tool_set){tools, pool->count, LIST_GENERATION, active};
    return pool;
}

/* Decided once for the session: the built-in part of the list must not change when outside tools come or go. */
static void drop_useless(struct runtime *runtime)
{
    struct registry *registry = runtime->registry;
    bool any_deferred = runtime->options.extra_tool_count > 0;
    for (size_t i = 0; i < registry->count; i++)
        any_deferred = any_deferred || (registry->tools[i].offered && registry->tools[i].tool->deferred);
    any_deferred = any_deferred && runtime->settings->tool_search != SETTINGS_OFF;
    for (size_t i = 0; i < registry->count; i++)
        if (registry->tools[i].tool->needs_deferred && !any_deferred)
            registry->tools[i].offered = false;
}

enum hv_code pool_init(struct runtime *runtime, struct hv_error *err)
{
    size_t built_in, extra = runtime->options.extra_tool_count;
    const struct hv_tool *const *tools = runtime->options.built_in_tools;
    built_in = runtime->options.built_in_tool_count;
    struct hv_context context = {.arena = &runtime->arena,
                                 .host = runtime->host,
                                 .directory = runtime->directory,
                                 .home = runtime->options.home,
                                 .roots = runtime->options.roots,
                                 .root_count = runtime->options.root_count,
                                 .environment = runtime->environment,
                                 .search = &runtime->settings->search,
                                 .side_models = runtime->options.side_models};
    struct registry *registry = runtime->registry = hv_arena_new(&runtime->pool_arena, struct registry);
    registry->tools = hv_arena_array(&runtime->pool_arena, struct known_tool, built_in + extra);
    for (size_t i = 0; i < built_in; i++)
        add_known(runtime, tools[i], true, &context);
    for (size_t i = 0; i < extra; i++) {
        const struct hv_tool *tool = runtime->options.extra_tools[i];
        if (!tool->name || !tool->call)
            return hv_fail(err, HV_EINVAL, "a tool from outside has no name or no call function");
        add_known(runtime, tool, false, &context);
    }
    qsort(registry->tools, registry->count, sizeof *registry->tools, by_name);
    /* Built-in tools come first and win a clash of names: the later of two equal names is never offered. */
    for (size_t i = 0; i < registry->count; i++) {
        struct known_tool *known = &registry->tools[i];
        if (map_get(&runtime->names, hv_str_from(known->tool->name)))
            known->offered = false;
        else
            add_names(runtime, known);
    }
    drop_useless(runtime);
    runtime->pool = pool_build(runtime, 1);
    return HV_OK;
}

void pool_release(struct runtime *runtime)
{
    for (size_t i = 0; runtime->registry && i < runtime->registry->count; i++)
        schema_unref(runtime->registry->tools[i].validator);
    pool_unref(runtime->pool);
    map_release(&runtime->names);
    hv_arena_release(&runtime->pool_arena);
}

struct pool *pool_ref(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    atomic_fetch_add(&runtime->pool->references, 1);
    return runtime->pool;
}

void pool_unref(struct pool *pool)
{
    if (!pool || atomic_fetch_sub(&pool->references, 1) != 1)
        return;
    hv_arena_release(&pool->arena);
    free(pool);
}

void pool_activate(struct runtime *runtime, struct hv_str name)
{
    LOCK_SCOPE(&runtime->lock);
    struct known_tool *known = map_get(&runtime->names, name);
    if (!known || !known->offered || !is_deferred(runtime, known))
        return;
    /* A tool that is deferred for the budget only stays while it is in the working set. */
    known->activated = known->tool->deferred;
    known->last_use = ++runtime->use_count;
    runtime->pool_stale = true;
}

void pool_note_use(struct runtime *runtime, const struct hv_tool *tool)
{
    LOCK_SCOPE(&runtime->lock);
    struct known_tool *known = map_get(&runtime->names, hv_str_from(tool->name));
    if (known)
        known->last_use = ++runtime->use_count;
}

const struct schema *pool_validator(struct runtime *runtime, const struct hv_tool *tool)
{
    struct hv_error err = {0};
    bool failed = false;
    pthread_mutex_lock(&runtime->lock);
    struct known_tool *known = map_get(&runtime->names, hv_str_from(tool->name));
    if (!known->validator_made) {
        known->validator_made = true;
        failed = tool->input_schema &&
                 schema_compile(hv_str_from(tool->input_schema), NULL, &known->validator, &err) != HV_OK;
    }
    const struct schema *validator = known->validator;
    pthread_mutex_unlock(&runtime->lock);
    if (failed) {
        struct hv_arena arena = {0};
        runtime_emit(runtime, &(struct hv_event){
                                  .type = HV_EVENT_NOTICE,
                                  .name = HV_STR("warning"),
                                  .tool = hv_str_from(tool->name),
                                  .text = hv_arena_format(&arena,
                                                          "The input schema of %s cannot be used (%s): its inputs are "
                                                          "checked by its own server only",
                                                          tool->name, err.message)});
        hv_arena_release(&arena);
    }
    return validator;
}

/* Publish a new snapshot when tools were activated since the last. Runtime lock held. */
static void refresh(struct runtime *runtime)
{
    if (!runtime->pool_stale)
        return;
    struct pool *fresh = pool_build(runtime, runtime->pool->generation + 1);
    pool_unref(runtime->pool);
    runtime->pool = fresh;
    runtime->pool_stale = false;
}

const struct runtime_tool *runtime_tools(struct runtime *runtime, size_t *count, size_t *stable, uint64_t *generation)
{
    LOCK_SCOPE(&runtime->lock);
    refresh(runtime);
    *count = runtime->pool->count;
    *stable = runtime->pool->stable;
    *generation = runtime->pool->generation;
    return runtime->pool->rows;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

static void list_tools(const struct pool *pool, struct hv_buf *text)
{
    size_t shown = 0;
    for (size_t i = 0; i < pool->count && shown < 40; i++)
        if (!pool->rows[i].deferred)
            hv_buf_addf(text, "%s%s", shown++ ? ", " : " The tools here are: ", pool->rows[i].tool->name);
    hv_buf_add_cstr(text, shown ? "." : " There are no tools.");
}

static enum stage_outcome unknown_tool(struct call *call)
{
    const struct pool *pool = call->pool;
    struct hv_str *names = hv_arena_array(&call->arena, struct hv_str, pool->count);
    for (size_t i = 0; i < pool->count; i++)
        names[i] = hv_str_from(pool->rows[i].tool->name);
    struct hv_str near = nearest_name(call->name, names, pool->count);
    CLEANUP_BUF struct hv_buf text = {.max = 1u << 16};
    hv_buf_addf(&text, "There is no tool named \"%.*s\".", (int)(call->name.len < 100 ? call->name.len : 100),
                call->name.ptr ? call->name.ptr : "");
    if (near.ptr)
        hv_buf_addf(&text, " Did you mean %.*s?", HV_STR_ARG(near));
    list_tools(pool, &text);
    return call_settle_error(call, "%s", text.data);
}

/* It exists, but a rule, a flag or the mode took it away, or it cannot work here. */
static enum stage_outcome absent_tool(struct call *call, const struct hv_tool *tool)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 64 << 10);
    hv_buf_addf(&text, "The tool %s is not available in this session: its settings, flags or mode leave it out.",
                tool->name);
    list_tools(call->pool, &text);
    return call_settle_error(call, "%s", text.data);
}

enum stage_outcome stage_find(struct call *call)
{
    call->pool = pool_ref(call->runtime);
    if (call->duplicate)
        return call_settle_error(
            call,
            "Two calls of one message have the id \"%.*s\": only the first was run. Give each call an id of its own.",
            (int)(call->id.len < 100 ? call->id.len : 100), call->id.ptr);
    const struct known_tool *known = map_get(&call->runtime->names, call->name);
    if (!known)
        known = map_get(&call->runtime->names, tool_name_bare(call->name));
    if (!known)
        return unknown_tool(call);
    if (!known->offered)
        return absent_tool(call, known->tool);
    call->tool = call->context.tool = known->tool;
    call->context.called_as = tool_name_bare(call->name);
    call->context.results_directory = runtime_results_directory(call->runtime);
    call->context.changes_directory = call->runtime->changes_directory;
    call->context.environment = call->runtime->environment;
    call->context.search = &call->runtime->settings->search;
    call->context.side_models = call->runtime->options.side_models;
    return STAGE_NEXT;
}

void runtime_expect_no_more(struct runtime *runtime)
{
    sandbox_expect_no_more(runtime->sandbox);
}

void runtime_expect_call(struct runtime *runtime, struct hv_str name)
{
    const struct known_tool *known = map_get(&runtime->names, name);
    if (known && known->offered && known->tool->contained)
        sandbox_expect(runtime->sandbox);
}
