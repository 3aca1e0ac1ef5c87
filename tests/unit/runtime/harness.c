/* harness.c: see harness.h. */
#include "harness.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "loop/loop.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the probe ---------------------------------------------------------------------------------------------- */

struct probe_input {
    struct hv_str label, say, cd, message, activate;
    struct hv_array reads, writes;
    int64_t sleep_ms, repeat;
    bool fail, alone, wait_cancel;
};

#define AT(member) offsetof(struct probe_input, member)
static const struct hv_field probe_fields[] = {
    {.name = "label", .type = HV_FIELD_STRING, .offset = AT(label), .description = "name of the call"},
    {.name = "say", .type = HV_FIELD_STRING, .offset = AT(say), .description = "what it answers"},
    {.name = "cd", .type = HV_FIELD_STRING, .flags = HV_PATH, .offset = AT(cd), .description = "working directory"},
    {.name = "message", .type = HV_FIELD_STRING, .offset = AT(message), .description = "a message"},
    {.name = "activate", .type = HV_FIELD_STRING, .offset = AT(activate), .description = "a tool"},
    {.name = "reads",
     .type = HV_FIELD_ARRAY,
     .items = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = AT(reads),
     .description = "paths it reads"},
    {.name = "writes",
     .type = HV_FIELD_ARRAY,
     .items = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = AT(writes),
     .description = "paths it writes"},
    {.name = "sleep_ms",
     .type = HV_FIELD_INTEGER,
     .maximum = 60000,
     .offset = AT(sleep_ms),
     .description = "how long it takes"},
    {.name = "repeat",
     .type = HV_FIELD_INTEGER,
     .maximum = 10000000,
     .offset = AT(repeat),
     .description = "how often it says it"},
    {.name = "fail", .type = HV_FIELD_BOOLEAN, .offset = AT(fail), .description = "fail"},
    {.name = "alone", .type = HV_FIELD_BOOLEAN, .offset = AT(alone), .description = "run beside no other"},
    {.name = "wait_cancel", .type = HV_FIELD_BOOLEAN, .offset = AT(wait_cancel), .description = "wait to be cancelled"},
    {0},
};

static struct {
    pthread_mutex_t lock;
    char notes[NOTES_MAX][24];
    int count;
    unsigned at_work, peak;
} probes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note(char sign, struct hv_str label)
{
    pthread_mutex_lock(&probes.lock);
    if (probes.count < NOTES_MAX)
        snprintf(probes.notes[probes.count++], sizeof probes.notes[0], "%c%.*s", sign, HV_STR_ARG(label));
    if (sign == '+' && ++probes.at_work > probes.peak)
        probes.peak = probes.at_work;
    if (sign == '-')
        probes.at_work--;
    pthread_mutex_unlock(&probes.lock);
}

int probe_note_at(const char *wanted)
{
    int at = -1;
    pthread_mutex_lock(&probes.lock);
    for (int i = 0; i < probes.count && at < 0; i++)
        if (strcmp(probes.notes[i], wanted) == 0)
            at = i;
    pthread_mutex_unlock(&probes.lock);
    return at;
}

void probe_reset(void)
{
    pthread_mutex_lock(&probes.lock);
    probes.count = 0;
    probes.at_work = probes.peak = 0;
    pthread_mutex_unlock(&probes.lock);
}

unsigned probe_peak(void)
{
    pthread_mutex_lock(&probes.lock);
    unsigned peak = probes.peak;
    pthread_mutex_unlock(&probes.lock);
    return peak;
}

static void probe_footprint(const void *data, const struct hv_context *context, struct hv_footprint *out)
{
    const struct probe_input *input = data;
    const struct hv_str *reads = input->reads.items, *writes = input->writes.items;
    out->limited = true;
    for (size_t i = 0; i < input->reads.count; i++)
        hv_footprint_read(out, context->arena, reads[i]);
    for (size_t i = 0; i < input->writes.count; i++)
        hv_footprint_write(out, context->arena, writes[i]);
}

static bool probe_reads_only(const void *data, const struct hv_context *context)
{
    (void)context;
    return ((const struct probe_input *)data)->writes.count == 0;
}

static bool probe_beside(const void *data, const struct hv_context *context)
{
    (void)context;
    return !((const struct probe_input *)data)->alone;
}

static enum hv_code probe_call(const void *data, struct hv_context *context, void **out, struct hv_result *result,
                               struct hv_error *err)
{
    const struct probe_input *input = data;
    (void)out;
    note('+', input->label);
    uint64_t until = clock_monotonic_ns() + (uint64_t)input->sleep_ms * CLOCK_MILLISECOND;
    while ((input->wait_cancel || clock_monotonic_ns() < until) && !hv_cancelled(context->cancel))
        usleep(1000);
    if (input->cd.len)
        context->services->set_directory(context, input->cd);
    if (input->message.len)
        context->services->add_message(context, input->message);
    if (input->activate.len)
        context->services->activate_tool(context, input->activate);
    note('-', input->label);
    if (hv_cancelled(context->cancel))
        return hv_fail(err, HV_ECANCELLED, "stopped");
    if (input->fail)
        return hv_fail(err, HV_EIO, "the probe broke");
    struct hv_buf text = {.max = 1u << 30};
    for (int64_t i = 0; i < (input->repeat ? input->repeat : 1); i++)
        hv_buf_add_str(&text, input->say);
    hv_result_add_text(result, context->arena, hv_arena_str(context->arena, hv_buf_str(&text)));
    hv_buf_release(&text);
    hv_progress(context, "cwd %.*s", HV_STR_ARG(context->directory));
    return HV_OK;
}

const struct hv_tool probe_tool = {
    .name = "Probe",
    .aliases = (const char *const[]){"probe_it", NULL},
    .title = "Probe",
    .description = "Does what its input says.",
    .fields = probe_fields,
    .input_size = sizeof(struct probe_input),
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = probe_footprint,
    .read_only = probe_reads_only,
    .concurrency_safe = probe_beside,
    .call = probe_call,
};

/* ---- the runtime ----------------------------------------------------------------------------------------------- */

static char *copy(struct hv_str text)
{
    char *out = hv_calloc(text.len + 1, 1);
    if (text.len)
        memcpy(out, text.ptr, text.len);
    return out;
}

static void on_event(void *user, const struct hv_event *event)
{
    struct harness *harness = user;
    pthread_mutex_lock(&harness->event_lock);
    if (harness->event_count == harness->event_capacity) {
        harness->event_capacity = harness->event_capacity ? 2 * harness->event_capacity : 256;
        harness->events = hv_realloc(harness->events, harness->event_capacity * sizeof *harness->events);
    }
    harness->events[harness->event_count++] =
        (struct harness_event){event->type,       copy(event->call_id), copy(event->tool), copy(event->name),
                               copy(event->text), copy(event->json),    copy(event->data), event->ok};
    pthread_mutex_unlock(&harness->event_lock);
}

static void on_result(void *user, const struct batch_result *result)
{
    struct harness *harness = user;
    assert_int_equal(result->index, harness->result_count);
    assert_true(harness->result_count < RESULTS_MAX);
    harness->results[harness->result_count++] = (struct harness_result){
        copy(result->call_id), copy(result->tool),         copy(result->input), copy(result->block),
        copy(result->text),    copy(result->result->diff), result->is_error,    result->ends_turn};
}

static void on_done(void *user, struct hv_str messages, bool stop, struct hv_str stop_reason)
{
    struct harness *harness = user;
    free(harness->messages);
    free(harness->stop_reason);
    harness->messages = copy(messages);
    harness->stop_reason = copy(stop_reason);
    harness->stop = stop;
    harness->done = true;
    loop_stop(harness->loop);
}

void harness_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                 struct hv_answer *answer)
{
    struct harness *harness = user;
    (void)question, (void)cancel, (void)arena;
    harness->asked++;
    *answer = harness->answer;
}

char *harness_write(const struct harness *harness, const char *name, const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", harness->work, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

char *harness_read(const struct harness *harness, const char *name)
{
    char path[512], *text = hv_calloc(65536, 1);
    snprintf(path, sizeof path, "%s/%s", harness->work, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        free(text);
        return NULL;
    }
    size_t length = fread(text, 1, 65535, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

void harness_open(struct harness *harness, const char *settings)
{
    struct hv_error err;
    memset(harness, 0, sizeof *harness);
    pthread_mutex_init(&harness->event_lock, NULL);
    snprintf(harness->directory, sizeof harness->directory, "/tmp/helve-runtime-XXXXXX");
    assert_non_null(mkdtemp(harness->directory));
    snprintf(harness->work, sizeof harness->work, "%s/work", harness->directory);
    snprintf(harness->home, sizeof harness->home, "%s/home", harness->directory);
    assert_int_equal(mkdir(harness->work, 0755), 0);
    assert_int_equal(mkdir(harness->home, 0755), 0);
    char file[128];
    snprintf(file, sizeof file, "%s/settings.json", harness->home);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(settings ? settings : "{}", out);
    fclose(out);
    struct settings_options options = {
        .host = hv_host_local(),
        .directory = hv_str_from(harness->work),
        .home = hv_str_from(harness->home),
        .helve_home = hv_str_from(harness->home),
        .managed_file = HV_STR("/nonexistent/helve/settings.json"),
    };
    if (settings_load(&options, &harness->settings, &err) != HV_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < harness->settings->problem_count; i++)
        fail_msg("settings: %.*s", HV_STR_ARG(harness->settings->problems[i].message));
    if (loop_new(&harness->loop, &err) != HV_OK)
        fail_msg("%s", err.message);
    harness->root = hv_str_from(harness->work);
    harness->sink = (struct hv_sink){on_event, harness};
    static char session[128];
    snprintf(session, sizeof session, "%s/session", harness->directory);
    harness->options = (struct runtime_options){
        .loop = harness->loop,
        .host = hv_host_local(),
        .settings = harness->settings,
        .session_id = HV_STR("test"),
        .directory = harness->root,
        .home = hv_str_from(harness->home),
        .roots = &harness->root,
        .root_count = 1,
        .session_directory = hv_str_from(session),
        .transcript_path = HV_STR("/nowhere.jsonl"),
        .sinks = &harness->sink,
        .sink_count = 1,
        .asker.user = harness,
    };
    struct policy_options policy = {
        .host = hv_host_local(),
        .settings = harness->settings,
        .directory = harness->root,
        .home = hv_str_from(harness->home),
        .roots = &harness->root,
        .root_count = 1,
    };
    harness->policy = policy_new(&policy);
    harness->options.policy = harness->policy;
    probe_reset();
}

void harness_start(struct harness *harness, const struct hv_tool *const *tools)
{
    struct hv_error err;
    static const struct hv_tool *const probe_alone[] = {&probe_tool, NULL};
    tools = tools ? tools : probe_alone;
    harness->options.built_in_tools = tools;
    while (tools[harness->options.built_in_tool_count])
        harness->options.built_in_tool_count++;
    if (runtime_new(&harness->options, &harness->runtime, &err) != HV_OK)
        fail_msg("%s", err.message);
}

static void clear_results(struct harness *harness)
{
    for (size_t i = 0; i < harness->result_count; i++) {
        struct harness_result *result = &harness->results[i];
        free(result->id);
        free(result->tool);
        free(result->input);
        free(result->block);
        free(result->text);
        free(result->diff);
    }
    harness->result_count = 0;
}

/* A task may still tell of its end. */
static void clear_events(struct harness *harness)
{
    LOCK_SCOPE(&harness->event_lock);
    for (size_t i = 0; i < harness->event_count; i++) {
        struct harness_event *event = &harness->events[i];
        free(event->call_id);
        free(event->tool);
        free(event->name);
        free(event->text);
        free(event->json);
        free(event->data);
    }
    harness->event_count = 0;
}

struct batch *harness_begin(struct harness *harness)
{
    clear_results(harness);
    clear_events(harness);
    harness->done = false;
    struct batch_handlers handlers = {on_result, on_done, harness};
    return batch_new(harness->runtime, &handlers);
}

void harness_finish(struct harness *harness, struct batch *batch)
{
    batch_close(batch);
    while (!harness->done)
        loop_run(harness->loop);
}

void harness_run(struct harness *harness, ...)
{
    struct batch *batch = harness_begin(harness);
    va_list arguments;
    va_start(arguments, harness);
    for (const char *id; (id = va_arg(arguments, const char *));) {
        const char *name = va_arg(arguments, const char *), *input = va_arg(arguments, const char *);
        batch_add(batch, hv_str_from(id), hv_str_from(name), hv_str_from(input));
    }
    va_end(arguments);
    harness_finish(harness, batch);
}

const struct harness_result *harness_result(const struct harness *harness, const char *id)
{
    for (size_t i = 0; i < harness->result_count; i++)
        if (strcmp(harness->results[i].id, id) == 0)
            return &harness->results[i];
    fail_msg("no result for %s", id);
    return NULL;
}

const struct harness_event *harness_event(const struct harness *harness, enum hv_event_type type, const char *call_id,
                                          const char *name)
{
    const struct harness_event *found = NULL;
    LOCK_SCOPE((pthread_mutex_t *)&harness->event_lock);
    for (size_t i = 0; i < harness->event_count && !found; i++) {
        const struct harness_event *event = &harness->events[i];
        if (event->type == type && (!call_id || strcmp(event->call_id, call_id) == 0) &&
            (!name || strcmp(event->name, name) == 0))
            found = event;
    }
    return found;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

void harness_close(struct harness *harness)
{
    runtime_free(harness->runtime);
    policy_unref(harness->policy);
    settings_unref(harness->settings);
    loop_free(harness->loop);
    clear_results(harness);
    clear_events(harness);
    free(harness->events);
    free(harness->messages);
    free(harness->stop_reason);
    assert_int_equal(nftw(harness->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}
