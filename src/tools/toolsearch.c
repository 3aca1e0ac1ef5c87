/*
 * toolsearch.c: finds deferred tools by words and makes them available. Ranking is BM25 over name, hint and
 * description; the index is built once per list of tools, beside the first request.
 */
#include "base/cleanup.h"
#include "base/nearest.h"
#include "schema/fields.h"
#include "text/bm25.h"

#include <helve/tool.h>
#include <string.h>

enum { RESULTS_MAX = 50 };

struct toolsearch_input {
    struct hv_str query;
    int64_t max_results;
};

static const struct hv_field toolsearch_fields[] = {
    {.name = "query",
     .description = "Words that say what the tool should do (\"+word\" must occur), or \"select:Name,Name\" for tools "
                    "known by name",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct toolsearch_input, query),
     .maximum = 1000},
    {.name = "max_results",
     .description = "How many tools to load at most",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct toolsearch_input, max_results),
     .minimum = 1,
     .maximum = RESULTS_MAX,
     .fallback = "5"},
    {0},
};

/* ---- the index, kept in the session ------------------------------------------------------------------------------ */

struct search_index {
    pthread_mutex_t lock;
    uint64_t generation;
    struct bm25 *index;
};

static void index_init(void *state)
{
    pthread_mutex_init(&((struct search_index *)state)->lock, NULL);
}

static void index_release(void *state)
{
    struct search_index *index = state;
    bm25_free(index->index);
    pthread_mutex_destroy(&index->lock);
}

static const struct hv_state_key index_key = {"toolsearch", sizeof(struct search_index), index_init, index_release};

/* Lock held. */
static const struct bm25 *index_of(struct search_index *index, const struct hv_tool_set *set)
{
    if (index->index && index->generation == set->generation)
        return index->index;
    bm25_free(index->index);
    struct bm25_document *documents = hv_calloc(set->count, sizeof *documents);
    for (size_t i = 0; i < set->count; i++)
        documents[i] = (struct bm25_document){hv_str_from(set->tools[i]->name), hv_str_from(set->tools[i]->search_hint),
                                              hv_str_from(set->tools[i]->description)};
    index->index = bm25_new(documents, set->count);
    index->generation = set->generation;
    free(documents);
    return index->index;
}

static void make_index(struct hv_context *context)
{
    struct search_index *index = hv_state(context, &index_key);
    LOCK_SCOPE(&index->lock);
    (void)index_of(index, context->services->tool_set(context));
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

static void put_tool(struct hv_json_writer *writer, const struct hv_tool *tool)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "name", tool->name);
    hv_json_member_cstr(writer, "description", tool->description);
    hv_json_name(writer, "input_schema");
    if (tool->fields)
        fields_write_schema(tool->fields, writer);
    else
        hv_json_put_raw(writer, hv_str_from(tool->input_schema ? tool->input_schema : "{\"type\":\"object\"}"));
    hv_json_end_object(writer);
}

struct answer {
    struct hv_context *context;
    struct hv_buf text;
    size_t count;
    struct hv_str missing; /* names that were asked for and are not there */
};

static void give(struct answer *answer, const struct hv_tool *tool, bool active)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &answer->text);
    put_tool(&writer, tool);
    hv_buf_add_cstr(&answer->text, "\n");
    answer->count++;
    if (!active)
        answer->context->services->activate_tool(answer->context, hv_str_from(tool->name));
}

static void note_missing(struct answer *answer, const struct hv_tool_set *set, struct hv_str name)
{
    struct hv_arena *arena = answer->context->arena;
    struct hv_str *names = hv_arena_array(arena, struct hv_str, set->count);
    for (size_t i = 0; i < set->count; i++)
        names[i] = hv_str_from(set->tools[i]->name);
    struct hv_str near = nearest_name(name, names, set->count);
    answer->missing = hv_arena_format(arena, "%.*s%sno tool is named \"%.*s\"%s%.*s%s", HV_STR_ARG(answer->missing),
                                      answer->missing.len ? "; " : "", HV_STR_ARG(name),
                                      near.ptr ? " (did you mean " : "", HV_STR_ARG(near), near.ptr ? "?)" : "");
}

static void select_names(struct answer *answer, const struct hv_tool_set *set, struct hv_str names)
{
    struct hv_str name;
    while (hv_str_split(&names, ',', &name)) {
        name = hv_str_trim(name);
        size_t i = 0;
        while (i < set->count && !hv_tool_is_named(set->tools[i], name))
            i++;
        if (i < set->count)
            give(answer, set->tools[i], set->active[i]);
        else if (name.len)
            note_missing(answer, set, name);
    }
}

static void search_words(struct answer *answer, const struct hv_tool_set *set, struct hv_str query, size_t max)
{
    struct search_index *index = hv_state(answer->context, &index_key);
    /* Tools that the model has already are of no use to it here, but may be among the best. */
    size_t most = max;
    for (size_t i = 0; i < set->count; i++)
        most += set->active[i];
    struct bm25_hit *hits = hv_arena_array(answer->context->arena, struct bm25_hit, most);
    pthread_mutex_lock(&index->lock);
    size_t found = bm25_query(index_of(index, set), query, hits, most);
    pthread_mutex_unlock(&index->lock);
    for (size_t i = 0; i < found && answer->count < max; i++)
        if (!set->active[hits[i].document])
            give(answer, set->tools[hits[i].document], false);
}

static enum hv_code toolsearch_call(const void *data, struct hv_context *context, void **unused,
                                    struct hv_result *result, struct hv_error *err)
{
    const struct toolsearch_input *input = data;
    const struct hv_tool_set *set = context->services->tool_set(context);
    struct answer answer = {.context = context};
    (void)unused;
    (void)err;
    hv_buf_init(&answer.text, 8u << 20);
    struct hv_str prefix = HV_STR("select:");
    if (hv_str_starts(input->query, prefix))
        select_names(&answer, set, hv_str_slice(input->query, prefix.len, input->query.len));
    else
        search_words(&answer, set, input->query, (size_t)input->max_results);
    if (answer.count)
        hv_result_addf(result, context->arena, "%zu tool%s found; from the next message on %s can be called:\n%.*s",
                       answer.count, answer.count == 1 ? "" : "s", answer.count == 1 ? "it" : "they",
                       (int)answer.text.len, answer.text.data);
    else if (!answer.missing.len)
        hv_result_addf(result, context->arena,
                       "No deferred tool matches \"%.*s\". Try other or fewer words, without \"+\".",
                       HV_STR_ARG(input->query));
    if (answer.missing.len)
        hv_result_addf(result, context->arena, "%.*s", HV_STR_ARG(answer.missing));
    result->is_error = !answer.count && answer.missing.len;
    result->summary = hv_arena_format(context->arena, "%zu found", answer.count);
    hv_buf_release(&answer.text);
    return HV_OK;
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input;
    (void)context;
    return true;
}

static void nothing_touched(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    (void)input;
    (void)context;
    out->limited = true;
}

static enum hv_verdict allow(const void *input, const struct hv_context *context, struct hv_str *reason)
{
    (void)input;
    (void)context;
    *reason = HV_STR("it only looks through the list of tools");
    return HV_ALLOW;
}

static void render_use(const void *data, const struct hv_context *context, struct hv_buf *out)
{
    const struct toolsearch_input *input = data;
    (void)context;
    hv_buf_addf(out, "ToolSearch %.*s", HV_STR_ARG(input->query));
}

const struct hv_tool tool_toolsearch = {
    .name = "ToolSearch",
    .aliases = (const char *const[]){"tool_search", "search_tools", NULL},
    .title = "Find tools",
    .search_hint = "find load deferred tools by words",
    .description = "Finds tools whose schemas are not loaded yet (their names are listed in the system prompt) and "
                   "loads them, so that they can be "
                   "called from the next message on. Give words that describe what is needed, \"+word\" for one that "
                   "must occur, or "
                   "\"select:NameA,NameB\" when the names are known. Returns the full schemas, best match first.",
    .always_load = true,
    .needs_deferred = true,
    .fields = toolsearch_fields,
    .input_size = sizeof(struct toolsearch_input),
    .max_result_chars = 200000,
    .time_limit_ms = 10000,
    .prepare = make_index,
    .footprint = nothing_touched,
    .read_only = always,
    .concurrency_safe = always,
    .check_permission = allow,
    .call = toolsearch_call,
    .render_use = render_use,
};
