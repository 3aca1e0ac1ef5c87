/* runtime.c: making and ending what the calls of a session share. See runtime.h. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "fs/git_probe.h"
#include "fs/transaction.h"
#include "loop/workers.h"
#include "masks/masks.h"
#include "net/http.h"
#include "proc/presence.h"
#include "runtime/checkpoint.h"
#include "runtime/confine.h"
#include "runtime/tasks.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONCURRENCY_DEFAULT = 10, CONCURRENCY_MAX = 256 };

/* Threads beyond the concurrency limit hold calls that wait: for earlier calls, or for a person. */
enum { WAITING_THREADS = 54 };

static unsigned concurrency(const struct runtime_options *options)
{
    int64_t wanted = options->max_concurrency;
    if (!wanted)
        wanted = options->settings->max_tool_concurrency;
    const char *variable = getenv("HELVE_MAX_TOOL_CONCURRENCY");
    if (!wanted && variable && !hv_str_to_int64(hv_str_from(variable), &wanted))
        wanted = 0;
    if (wanted <= 0)
        return CONCURRENCY_DEFAULT;
    return wanted > CONCURRENCY_MAX ? CONCURRENCY_MAX : (unsigned)wanted;
}

/* ---- the environment of commands --------------------------------------------------------------------------------- */

static bool sets(const char *entry, struct hv_str name)
{
    return strncmp(entry, name.ptr, name.len) == 0 && entry[name.len] == '=';
}

/* base with the variables of added replaced or appended. */
static const char *const *extend(struct hv_arena *arena, const char *const *base, const struct settings_variable *added,
                                 size_t count)
{
    size_t base_count = 0, at = 0;
    while (base[base_count])
        base_count++;
    const char **list = hv_arena_array(arena, const char *, base_count + count + 1);
    for (size_t i = 0; i < base_count; i++) {
        bool replaced = false;
        for (size_t j = 0; j < count && !replaced; j++)
            replaced = sets(base[i], added[j].name);
        if (!replaced)
            list[at++] = base[i];
    }
    for (size_t i = 0; i < count; i++)
        list[at++] = hv_arena_format(arena, "%.*s=%.*s", HV_STR_ARG(added[i].name), HV_STR_ARG(added[i].value)).ptr;
    return list;
}

static bool holds_secret(const char *entry, const struct runtime_options *options)
{
    const char *equals = strchr(entry, '=');
    for (size_t i = 0; equals && i < options->secret_count; i++)
        if (hv_str_trim(options->secrets[i]).len &&
            hv_str_eq(hv_str_trim(hv_str_from(equals + 1)), hv_str_trim(options->secrets[i])))
            return true;
    return false;
}

static bool names_in(struct hv_str text, struct hv_str name)
{
    for (size_t at = 0; (at = hv_str_find(text, name, at)) != SIZE_MAX; at++) {
        unsigned char after = at + name.len < text.len ? (unsigned char)text.ptr[at + name.len] : ' ';
        unsigned char before = at ? (unsigned char)text.ptr[at - 1] : ' ';
        if (!isalnum(after) && after != '_' && !isalnum(before) && before != '_')
            return true;
    }
    return false;
}

/* A hook is given what its configuration names: $NAME in a command, an address or a header. */
static bool hooks_name(const struct settings *settings, const char *entry)
{
    struct hv_str name = hv_str_of(entry, strcspn(entry, "="));
    for (size_t i = 0; i < settings->hook_count; i++) {
        const struct settings_hook *hook = &settings->hooks[i];
        bool named = names_in(hook->command, name) || names_in(hook->url, name);
        for (size_t j = 0; j < hook->arg_count && !named; j++)
            named = names_in(hook->args[j], name);
        for (size_t j = 0; j < hook->header_count && !named; j++)
            named = names_in(hook->headers[j], name);
        if (named)
            return true;
    }
    return false;
}

static const char *const *without_secrets(struct hv_arena *arena, const char *const *base,
                                          const struct runtime_options *options, const struct settings *hooks)
{
    size_t count = 0, kept = 0;
    while (base[count])
        count++;
    const char **list = hv_arena_array(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!holds_secret(base[i], options) || (hooks && hooks_name(hooks, base[i])))
            list[kept++] = base[i];
    return list;
}

static void make_environments(struct runtime *runtime, const struct runtime_options *options)
{
    const struct settings *settings = runtime->settings;
    const char *const *whole = (const char *const *)environ;
    runtime->environment = extend(&runtime->arena, without_secrets(&runtime->arena, whole, options, NULL),
                                  settings->env, settings->env_count);
    whole = without_secrets(&runtime->arena, whole, options, settings);
    whole = extend(&runtime->arena, whole, settings->env, settings->env_count);
    struct hv_str project = runtime->options.root_count ? runtime->options.roots[0] : runtime->options.directory;
    const struct settings_variable own[] = {
        {.name = HV_STR("CLAUDE_PROJECT_DIR"), .value = project},
        {.name = HV_STR("HELVE_PROJECT_DIR"), .value = project},
    };
    runtime->hook_environment = extend(&runtime->arena, whole, own, sizeof own / sizeof *own);
}

/* ---- making and ending ------------------------------------------------------------------------------------------- */

static const struct hv_str *copy_strs(struct hv_arena *arena, const struct hv_str *items, size_t count)
{
    struct hv_str *copy = hv_arena_array(arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = hv_arena_str(arena, items[i]);
    return items ? copy : NULL;
}

static void copy_options(struct runtime *runtime, const struct runtime_options *options)
{
    struct hv_arena *arena = &runtime->arena;
    struct runtime_options *own = &runtime->options;
    *own = *options;
    own->session_id = hv_arena_str(arena, options->session_id);
    own->directory = hv_arena_str(arena, options->directory);
    own->home = hv_arena_str(arena, options->home);
    own->session_directory = hv_arena_str(arena, options->session_directory);
    own->transcript_path = hv_arena_str(arena, options->transcript_path);
    own->checkpoints_directory = hv_arena_str(arena, options->checkpoints_directory);
    own->run_directory = hv_arena_str(arena, options->run_directory);
    own->one_call = hv_arena_str(arena, options->one_call);
    own->secrets = copy_strs(arena, options->secrets, options->secret_count);
    own->roots = copy_strs(arena, options->roots, options->root_count);
    own->only_tools = copy_strs(arena, options->only_tools, options->only_tool_count);
    own->without_tools = copy_strs(arena, options->without_tools, options->without_tool_count);
    struct hv_sink *sinks = hv_arena_array(arena, struct hv_sink, options->sink_count);
    if (options->sink_count)
        memcpy(sinks, options->sinks, options->sink_count * sizeof *sinks);
    own->sinks = sinks;
}

/* A call that is none: what prepare() needs of one. */
static void prepare(void *data)
{
    struct call *call = data;
    call->tool->prepare(&call->context);
    pool_unref(call->pool);
    hv_arena_release(&call->arena);
    free(call);
}

static void prepare_tools(struct runtime *runtime)
{
    const struct pool *pool = runtime->pool;
    for (size_t i = 0; i < pool->stable; i++) {
        if (!pool->rows[i].tool->prepare)
            continue;
        struct call *call = hv_calloc(1, sizeof *call);
        call->runtime = runtime;
        call->tool = pool->rows[i].tool;
        call->pool = pool_ref(runtime);
        call->context = (struct hv_context){
            .arena = &call->arena,
            .host = runtime->host,
            .services = &runtime_services,
            .tool = call->tool,
            .cancel = runtime->ending,
            .directory = runtime->options.directory,
            .home = runtime->options.home,
            .roots = runtime->options.roots,
            .root_count = runtime->options.root_count,
            .environment = runtime->environment,
            .search = &runtime->settings->search,
        };
        if (workers_submit(runtime->workers, prepare, call, NULL) != HV_OK)
            prepare(call);
    }
}

/* A session that cannot be shown works all the same. */
static void show_presence(struct runtime *runtime)
{
    const struct runtime_options *options = &runtime->options;
    if (options->run_directory.len)
        runtime->presence = presence_open(&(struct presence_options){
            .directory = options->run_directory,
            .session_id = options->session_id,
            .door = options->door,
            .working_directory = options->directory,
        });
}

/* What a kill left of a change over several files is undone, or completed. */
static void recover_changes(struct runtime *runtime)
{
    struct fs_recovery recovery;
    runtime->changes_directory =
        path_expand(&runtime->arena, HV_STR("../changes"), runtime->options.session_directory, (struct hv_str){0});
    if (runtime->host != hv_host_local())
        return;
    fs_recover_changes(runtime->changes_directory, &recovery);
    if (!recovery.undone && !recovery.completed && !recovery.conflicts && !recovery.waiting)
        return;
    CLEANUP_BUF struct hv_buf text = {.max = 4096};
    hv_buf_addf(&text, "an earlier session ended in the middle of a change of files: %zu taken back, %zu completed",
                recovery.undone, recovery.completed);
    if (recovery.conflicts)
        hv_buf_addf(&text,
                    ", %zu left half-done because files or their folders were changed since; what they were is in %.*s",
                    recovery.conflicts, HV_STR_ARG(runtime->changes_directory));
    if (recovery.waiting)
        hv_buf_addf(&text, ", %zu that cannot be taken back or completed now, which the next start tries again (%.*s)",
                    recovery.waiting, HV_STR_ARG(runtime->changes_directory));
    runtime_emit(runtime,
                 &(struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("warning"), .text = hv_buf_str(&text)});
}

enum hv_code runtime_new(const struct runtime_options *options, struct runtime **out, struct hv_error *err)
{
    struct runtime *runtime = hv_calloc(1, sizeof *runtime);
    runtime->loop = options->loop;
    runtime->host = options->host;
    runtime->settings = settings_ref(options->settings);
    runtime->policy = policy_ref(options->policy);
    runtime->git = git_probe_new();
    runtime->max_concurrency = concurrency(options);
    runtime->started_ns = clock_monotonic_ns();
    copy_options(runtime, options);
    runtime->directory = runtime->options.directory;
    pthread_mutex_init(&runtime->lock, NULL);
    pthread_mutex_init(&runtime->emit_lock, NULL);
    pthread_mutex_init(&runtime->ask_lock, NULL);
    pthread_mutex_init(&runtime->grow_lock, NULL);
    runtime->workers = workers_new(runtime->max_concurrency + WAITING_THREADS);
    runtime->hooks_used = hv_arena_array(&runtime->arena, bool, runtime->settings->hook_count);
    runtime->ending = hv_cancel_new();
    runtime->tasks = tasks_new(runtime);
    runtime->checkpoints = checkpoints_new(runtime, runtime->options.checkpoints_directory);
    runtime->sandbox = confine_new(runtime);
    runtime->files = session_files_new(runtime);
    make_environments(runtime, options);
    enum hv_code code = pool_init(runtime, err);
    if (code != HV_OK) {
        runtime_free(runtime);
        return code;
    }
    if (options->one_call.len)
        runtime_expect_call(runtime, options->one_call);
    recover_changes(runtime);
    prepare_tools(runtime);
    show_presence(runtime);
    *out = runtime;
    return HV_OK;
}

void runtime_free(struct runtime *runtime)
{
    if (!runtime)
        return;
    hv_cancel_raise(runtime->ending);
    runtime_cancel_hooks(runtime);
    batches_cancel(runtime);
    workers_free(runtime->workers);
    tasks_free(runtime->tasks);
    presence_close(runtime->presence);
    batches_drop(runtime);
    if (runtime->session_hooks)
        runtime->session_hooks->runtime = NULL;
    hv_cancel_free(runtime->ending);
    for (size_t i = 0; i < sizeof runtime->http / sizeof *runtime->http; i++)
        http_client_free(runtime->http[i]);
    for (size_t i = runtime->states.count; i-- > 0;) {
        struct runtime_state *state = &runtime->states.items[i];
        if (state->key->release)
            state->key->release(state->value);
        free(state->value);
    }
    vec_release(&runtime->states);
    pool_release(runtime);
    sandbox_free(runtime->sandbox);
    masks_free(runtime->masks);
    policy_unref(runtime->policy);
    git_probe_free(runtime->git);
    checkpoints_free(runtime->checkpoints);
    settings_unref(runtime->settings);
    pthread_mutex_destroy(&runtime->lock);
    pthread_mutex_destroy(&runtime->emit_lock);
    pthread_mutex_destroy(&runtime->ask_lock);
    pthread_mutex_destroy(&runtime->grow_lock);
    hv_arena_release(&runtime->arena);
    free(runtime);
}

/* ---- state of the session ---------------------------------------------------------------------------------------- */

void runtime_emit(struct runtime *runtime, const struct hv_event *event)
{
    struct hv_event stamped = *event;
    LOCK_SCOPE(&runtime->emit_lock);
    if (!stamped.time_ns)
        stamped.time_ns = clock_monotonic_ns() - runtime->started_ns;
    if (!stamped.wall_ms)
        stamped.wall_ms = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND;
    for (size_t i = 0; i < runtime->options.sink_count; i++)
        runtime->options.sinks[i].event(runtime->options.sinks[i].user, &stamped);
}

struct hv_str runtime_directory(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    return runtime->directory;
}

void runtime_begin_turn(struct runtime *runtime)
{
    checkpoints_begin_turn(runtime->checkpoints);
}

void runtime_end_turn(struct runtime *runtime)
{
    checkpoints_end_turn(runtime->checkpoints);
}

struct policy *runtime_policy(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    return policy_ref(runtime->policy);
}

void runtime_set_policy(struct runtime *runtime, struct policy *policy)
{
    LOCK_SCOPE(&runtime->lock);
    policy_unref(runtime->policy);
    runtime->policy = policy_ref(policy);
}

/* Made when the first call needs it: most short sessions store nothing. */
struct hv_str runtime_results_directory(struct runtime *runtime)
{
    LOCK_SCOPE(&runtime->lock);
    if (runtime->results_directory.ptr)
        return runtime->results_directory;
    struct hv_str path =
        path_expand(&runtime->arena, HV_STR("tool-results"), runtime->options.session_directory, (struct hv_str){0});
    /* When it cannot be made, storing fails later, with a message in the result that wanted it. */
    bool is_made = runtime->host->make_directories(runtime->host, path, NULL) == HV_OK;
    /* As it is now: nothing is stored by a link that comes later. */
    if (is_made && runtime->host->resolve(runtime->host, &runtime->arena, path, &path, NULL) == HV_OK &&
        chmod(hv_arena_cstr(&runtime->arena, path), 0700) != 0)
        runtime_emit(runtime,
                     &(struct hv_event){.type = HV_EVENT_NOTICE,
                                        .name = HV_STR("warning"),
                                        .text = HV_STR("the folder for large results could not be made private")});
    return runtime->results_directory = path;
}
