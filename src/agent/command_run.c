/* command_run.c: see command_run.h. */
#include "agent/command_run.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/utf8.h"

enum { PROMPT_MAX = 16 << 20, FILE_MAX = 256 << 10, OUTPUT_MAX = 64 << 10 };

struct command_run {
    struct hv_arena arena;
    struct command_run_options options;
    struct command_part *parts;
    size_t count, next; /* next: the part whose call is the next to get a result */
    struct hv_str *said;
    struct batch *batch;
    struct hv_str *rules; /* its own, which the session had not */
    size_t rule_count;
};

const struct hv_tool *command_tool(struct runtime *runtime)
{
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *tools = runtime_tools(runtime, &count, &stable, &generation);
    for (size_t i = 0; i < count; i++)
        if (tools[i].tool->executes && tools[i].tool->subject_kind == HV_SUBJECT_COMMAND && !tools[i].deferred)
            return tools[i].tool;
    return NULL;
}

void command_add_call(struct batch *batch, const struct hv_tool *tool, struct hv_str command)
{
    CLEANUP_BUF struct hv_buf input = {.max = PROMPT_MAX};
    struct hv_json_writer writer;
    char id[SESSION_ID_SIZE];
    hv_json_writer_init(&writer, &input);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "command", command);
    hv_json_end_object(&writer);
    session_id_new(id);
    batch_add(batch, hv_str_from(id), hv_str_from(tool->name), hv_buf_str(&input));
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* What a file of the project says, when rules and path classes let it be read without a question; else the mark stays
 * as it is, and the model may ask for the file itself. */
static struct hv_str read_file(struct command_run *run, struct hv_str written)
{
    struct hv_arena *arena = &run->arena;
    struct runtime *runtime = session_runtime(run->options.session);
    const struct hv_host *host = run->options.host;
    CLEANUP_BUF struct hv_buf bytes = {.max = FILE_MAX + 1};
    struct hv_file_stat stat;
    struct policy_path place;
    struct hv_str inside, directory = runtime_directory(runtime);
    struct hv_str path = path_expand(arena, written, directory, run->options.home);
    if (host->resolve(host, arena, directory, &inside, NULL) != HV_OK)
        inside = directory;
    policy_path_resolve(host, arena, path, &place);
    struct policy *policy = runtime_policy(runtime);
    bool allowed = path_inside(place.resolved, inside) && !policy_keeps_back(policy, &place);
    policy_unref(policy);
    if (!allowed || host->read(host, place.resolved, 0, FILE_MAX, &bytes, &stat, NULL) != HV_OK ||
        stat.kind != HV_FILE_REGULAR || !utf8_valid(hv_buf_str(&bytes)))
        return hv_arena_format(arena, "@%.*s", HV_STR_ARG(written));
    return hv_arena_format(arena, "\n<file path=\"%.*s\">\n%.*s\n</file>%s\n", HV_STR_ARG(written),
                           HV_STR_ARG(hv_buf_str(&bytes)),
                           stat.size > FILE_MAX ? "\n[The rest of this file is left out.]" : "");
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Only those: what was answered, and the mode that was set meanwhile, stay. */
static void disallow(const struct command_run *run)
{
    struct runtime *runtime = session_runtime(run->options.session);
    for (size_t i = 0; i < run->rule_count; i++) {
        struct policy *policy = runtime_policy(runtime);
        struct policy *less = policy_without_rule(policy, HV_ALLOW, run->rules[i]);
        if (less)
            runtime_set_policy(runtime, less);
        policy_unref(less);
        policy_unref(policy);
    }
}

static void finish(void *data)
{
    struct command_run *run = data;
    CLEANUP_BUF struct hv_buf prompt = {.max = PROMPT_MAX};
    for (size_t i = 0; i < run->count; i++)
        hv_buf_add_str(&prompt, run->parts[i].type == COMMAND_TEXT ? run->parts[i].text : run->said[i]);
    disallow(run);
    struct command_run_options options = run->options;
    struct hv_arena arena = run->arena;
    free(run);
    options.on_done(options.user, hv_str_trim(hv_buf_str(&prompt)));
    hv_arena_release(&arena);
}

static size_t next_shell(const struct command_run *run, size_t from)
{
    while (from < run->count && run->parts[from].type != COMMAND_SHELL)
        from++;
    return from;
}

static void on_result(void *user, const struct batch_result *result)
{
    struct command_run *run = user;
    size_t at = next_shell(run, run->next);
    run->next = at + 1;
    if (at >= run->count)
        return;
    struct hv_str text = hv_str_trim(hv_str_slice(result->text, 0, OUTPUT_MAX));
    run->said[at] = hv_arena_format(&run->arena, "%s%.*s%s", result->is_error ? "[this command failed: " : "",
                                    HV_STR_ARG(text), result->is_error ? "]" : "");
}

static void on_done(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason)
{
    struct command_run *run = user;
    (void)messages, (void)stop, (void)stop_reason;
    run->batch = NULL;
    finish(run);
}

/* What its front matter allows holds while its own commands run. */
static void allow(struct command_run *run)
{
    struct runtime *runtime = session_runtime(run->options.session);
    size_t count;
    struct hv_str *rules = command_rules(&run->arena, run->options.file->allowed_tools, &count);
    if (!count || !run->options.is_trusted)
        return;
    struct policy *policy = runtime_policy(runtime);
    run->rules = rules;
    for (size_t i = 0; i < count; i++) {
        struct policy *without = policy_without_rule(policy, HV_ALLOW, rules[i]); /* NULL: it is new */
        struct policy *more = without ? NULL : policy_with_rule(policy, POLICY_SESSION, HV_ALLOW, rules[i], NULL);
        policy_unref(without);
        if (!more)
            continue;
        policy_unref(policy);
        policy = more;
        rules[run->rule_count++] = rules[i];
    }
    runtime_set_policy(runtime, policy);
    policy_unref(policy);
}

static void run_commands(struct command_run *run)
{
    struct runtime *runtime = session_runtime(run->options.session);
    const struct batch_handlers handlers = {.on_result = on_result, .on_done = on_done, .user = run};
    const struct hv_tool *tool = command_tool(runtime);
    if (next_shell(run, 0) == run->count || !tool) {
        loop_post(run->options.loop, finish, run);
        return;
    }
    allow(run);
    run->batch = batch_new(runtime, &handlers);
    for (size_t i = next_shell(run, 0); i < run->count; i = next_shell(run, i + 1))
        command_add_call(run->batch, tool, run->parts[i].text);
    batch_close(run->batch);
}

struct command_run *command_run_start(const struct command_run_options *options)
{
    struct command_run *run = hv_calloc(1, sizeof *run);
    run->options = *options;
    run->parts = command_split(&run->arena, hv_arena_str(&run->arena, options->file->body),
                               hv_arena_str(&run->arena, options->arguments), &run->count);
    run->said = hv_arena_array(&run->arena, struct hv_str, run->count + 1);
    for (size_t i = 0; i < run->count; i++) {
        struct command_part *part = &run->parts[i];
        run->said[i] = part->type == COMMAND_FILE ? read_file(run, part->text)
                                                  : hv_arena_format(&run->arena,
                                                                    "[`%.*s` did not run: this session "
                                                                    "has no tool that runs commands]",
                                                                    HV_STR_ARG(part->text));
    }
    run_commands(run);
    run->options.file = NULL;
    return run;
}

void command_run_cancel(struct command_run *run)
{
    if (run->batch)
        batch_cancel(run->batch, "the person stopped it");
}
