/*
 * input.c: the stage that turns the model's bytes into a typed, validated input with its footprint: first the
 * shape, with all faults at once, then the meaning.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/held.h"
#include "runtime/call.h"
#include "schema/fields.h"
#include "schema/validator.h"

#include <string.h>

static enum stage_outcome faults_error(struct call *call, const struct fields_faults *faults)
{
    if (call->cut)
        return call_settle_error(
            call,
            "The call was cut by the limit of output tokens, and was not run. Do not send it again "
            "as it was, it would be cut again: do the work in several smaller calls of %s (large "
            "files in parts).",
            call->tool->name);
    struct hv_str text = fields_faults_text(faults, call->tool->name, &call->arena);
    return call_settle_error(call, "%.*s", HV_STR_ARG(text));
}

/* Mending one fault may show another inside it: a list that was given as text, with numbers given as text. */
enum { REPAIR_ROUNDS = 3 };

static enum stage_outcome undecided(struct call *call, const struct hv_error *err)
{
    return call_settle_error(call, "The input of %s could not be checked: %s. Make it smaller or simpler.",
                             call->tool->name, err->message);
}

/* Inputs with a run-time schema (MCP, plugins): parsed, then checked against that schema, mended where that is certain.
 */
static enum stage_outcome validate_plain(struct call *call, const struct hv_json **value, struct hv_str source)
{
    const struct schema *schema = pool_validator(call->runtime, call->tool);
    for (int round = 0; schema; round++) {
        struct schema_errors errors = {0};
        struct hv_error err = {0};
        enum hv_code code = schema_validate(schema, *value, &call->arena, &errors, &err);
        if (code == HV_OK)
            break;
        if (code != HV_EINVAL)
            return undecided(call, &err);
        struct hv_str mended = {0};
        if (round < REPAIR_ROUNDS)
            mended = schema_repair(*value, source, &errors, &call->arena);
        if (!mended.ptr || hv_json_parse(&call->arena, mended, HV_JSON_STRICT, value, &err) != HV_OK) {
            struct hv_str text = schema_errors_text(&errors, call->tool->name, &call->arena);
            return call_settle_error(call, "%.*s", HV_STR_ARG(text));
        }
        source = mended;
    }
    return STAGE_NEXT;
}

static enum stage_outcome decode_plain(struct call *call, struct fields_faults *faults)
{
    const struct hv_json *value;
    if (fields_parse_object(call->raw, &call->arena, &value, faults) != HV_OK)
        return faults_error(call, faults);
    CLEANUP_BUF struct hv_buf json = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &json);
    hv_json_put_value(&writer, value);
    /* From here on the text and the tree belong together, whatever wrapping the model had put around it. */
    struct hv_str source = hv_arena_str(&call->arena, hv_buf_str(&json));
    struct hv_error err;
    if (hv_json_parse(&call->arena, source, HV_JSON_STRICT, &value, &err) != HV_OK)
        return undecided(call, &err);
    enum stage_outcome outcome = validate_plain(call, &value, source);
    if (outcome != STAGE_NEXT)
        return outcome;
    call->input = (void *)value;
    CLEANUP_BUF struct hv_buf mended = {.max = SIZE_MAX / 4};
    hv_json_writer_init(&writer, &mended);
    hv_json_put_value(&writer, value);
    call->input_json = hv_arena_str(&call->arena, hv_buf_str(&mended));
    return STAGE_NEXT;
}

/* Looked at as the model wrote it: making it tidy would hide what must be refused ("//host/share"). */
static const char *refused_path(struct call *call, const struct hv_field *fields, const void *input)
{
    for (const struct hv_field *field = fields; field->type != HV_FIELD_END; field++) {
        if (field->type != HV_FIELD_STRING || !(field->flags & HV_PATH))
            continue;
        struct hv_str path = *(const struct hv_str *)((const char *)input + field->offset);
        const char *why = policy_path_refused(path);
        if (!why && field->flags & HV_FILE && path_names_directory(path))
            return hv_arena_format(
                       &call->arena,
                       "%s is \"%.*s\": what ends so names a directory, and this takes a file. Give the path "
                       "of a file, without a slash behind it; what a directory holds is listed by other tools.",
                       field->name, HV_STR_ARG(hv_str_slice(path, 0, 200)))
                .ptr;
        if (why)
            return hv_arena_format(&call->arena,
                                   "%s is \"%.*s\": %s, and such are never opened. Give a path of this machine.",
                                   field->name, HV_STR_ARG(hv_str_slice(path, 0, 200)), why)
                .ptr;
    }
    return NULL;
}

static enum stage_outcome decode_typed(struct call *call, struct fields_faults *faults)
{
    const struct hv_tool *tool = call->tool;
    const struct hv_json *value = NULL;
    void *input = hv_arena_zalloc(&call->arena, 1, tool->input_size ? tool->input_size : 1);
    if (fields_decode_text(tool->fields, call->raw, &call->arena, input, &value, faults) != HV_OK)
        return faults_error(call, faults);
    call->refused = refused_path(call, tool->fields, input);
    fields_expand_paths(tool->fields, input, &call->arena, call->context.directory, call->context.home);
    if (tool->backfill)
        tool->backfill(input, &call->context);
    call->input = input;
    CLEANUP_BUF struct hv_buf json = {.max = SIZE_MAX / 4};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &json);
    fields_encode_given(tool->fields, input, value, &writer);
    call->input_json = hv_arena_str(&call->arena, hv_buf_str(&json));
    return STAGE_NEXT;
}

static void take_directory(struct call *call)
{
    struct runtime *runtime = call->runtime;
    LOCK_SCOPE(&runtime->lock);
    call->context.directory = hv_arena_str(&call->arena, runtime->directory);
    call->directory_epoch = runtime->directory_epoch;
}

static struct policy_path *resolve_all(struct call *call, const struct hv_path_list *list)
{
    struct policy_path *paths = hv_arena_array(&call->arena, struct policy_path, list->count);
    for (size_t i = 0; i < list->count; i++) {
        struct hv_str path = path_expand(&call->arena, list->paths[i], call->context.directory, call->context.home);
        policy_path_resolve(call->runtime->host, &call->arena, path, &paths[i]);
    }
    return paths;
}

void call_drop_held(struct call *call)
{
    if (call->held)
        call->held->release(call->held);
    call->held = NULL;
    call->context.host = call->runtime->host;
}

/* A command goes where it likes, by names of its own; what it may reach is the sandbox's business. */
static bool runs_command(struct call *call)
{
    const struct hv_tool *tool = call->tool;
    return tool->subject_kind == HV_SUBJECT_COMMAND && tool->subject &&
           tool->subject(call->input, &call->context).len &&
           !(tool->starts_nothing && tool->starts_nothing(call->input, &call->context));
}

/* The paths of the footprint are held from here on: what is judged is what is used. */
static bool hold_all(struct call *call)
{
    const struct hv_host *host = call->runtime->files;
    const struct hv_path_list *lists[] = {&call->footprint.reads, &call->footprint.writes};
    size_t count = lists[0]->count + lists[1]->count, at = 0;
    if (!host->hold || !count || !call->footprint.limited || runs_command(call))
        return false;
    struct hv_place *places = hv_arena_array(&call->arena, struct hv_place, count);
    struct policy_path *paths = hv_arena_zalloc(&call->arena, count, sizeof *paths);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            places[at++].written =
                path_expand(&call->arena, lists[k]->paths[i], call->context.directory, call->context.home);
    if (host->hold(host, places, count, &call->held, NULL) != HV_OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        paths[i] = (struct policy_path){.written = places[i].written, .kind = places[i].kind};
        if (places[i].resolved.ptr)
            paths[i].resolved = hv_arena_str(&call->arena, places[i].resolved);
        session_files_show(call->runtime, &call->arena, &paths[i]);
    }
    call->context.host = call->held;
    call->reads = paths;
    call->writes = paths + lists[0]->count;
    return true;
}

/* What is written by a name that is a link may be the link: where that is, is found out together with what it leads to.
 */
static void find_links(struct call *call)
{
    size_t count = call->footprint.writes.count;
    call->links = hv_arena_zalloc(&call->arena, count + 1, sizeof *call->links);
    for (size_t i = 0; i < count; i++)
        if (!hv_str_eq(call->writes[i].written, call->writes[i].resolved))
            call->links[i] = fs_link_itself(call->runtime->host, &call->arena, call->writes[i].written);
}

static void take_footprint(struct call *call)
{
    const struct hv_tool *tool = call->tool;
    call->footprint = (struct hv_footprint){0};
    if (tool->footprint)
        tool->footprint(call->input, &call->context, &call->footprint);
    if (!hold_all(call)) {
        call->reads = resolve_all(call, &call->footprint.reads);
        call->writes = resolve_all(call, &call->footprint.writes);
    }
    find_links(call);
    call->read_only = tool->read_only && tool->read_only(call->input, &call->context);
    call->destructive = tool->destructive && tool->destructive(call->input, &call->context);
    bool beside =
        call->footprint.limited && tool->concurrency_safe && tool->concurrency_safe(call->input, &call->context);
    LOCK_SCOPE(&call->batch->lock);
    call->exclusive = !beside;
}

enum stage_outcome stage_input(struct call *call)
{
    const struct hv_tool *tool = call->tool;
    struct fields_faults *faults = hv_arena_new(&call->arena, struct fields_faults);
    struct hv_error err = {0};
    call_drop_held(call);
    take_directory(call);
    enum stage_outcome outcome = tool->fields ? decode_typed(call, faults) : decode_plain(call, faults);
    if (outcome != STAGE_NEXT)
        return outcome;
    if (call->refused)
        return call_settle_error(call, "%s: %s", tool->name, call->refused);
    if (tool->validate && tool->validate(call->input, &call->context, &err) != HV_OK) {
        call->result = (struct hv_result){0};
        hv_result_error(&call->result, &call->arena, &err);
        return STAGE_SETTLED;
    }
    take_footprint(call);
    return STAGE_NEXT;
}
