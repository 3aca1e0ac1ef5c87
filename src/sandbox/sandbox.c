/* sandbox.c: see sandbox.h: the life of a sandbox, and one command's way through it. */
#include "sandbox/sandbox.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"
#include "sandbox/filter.h"
#include "sandbox/helper_protocol.h"
#include "sandbox/sandbox_inner.h"
#include "sandbox/violation.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAN_TEXT_MAX = 120 * 1024, FIRST_PORT = 61080, PORT_PAIRS = 2000, OOM_SCORE = 500 };
/* When the next sandbox is made. Beside a command that costs the command several times what the sandbox itself adds:
 * both wait for processors and for the kernel's locks. Most commands end before BESIDE_MS; then their result goes out
 * first, and the model takes its time. */
enum { BESIDE_MS = 50, AFTER_MS = 2 };
#define GIB (1024ull * 1024 * 1024)
#define DEFAULT_FILE_LIMIT (16 * GIB)
#define DEFAULT_PROCESS_LIMIT 4096

/* ---- life ---------------------------------------------------------------------------------------------- */

static struct hv_str *copy_paths(struct hv_arena *arena, const struct hv_str *paths, size_t count)
{
    struct hv_str *copy = hv_arena_array(arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = hv_arena_str(arena, paths[i]);
    return copy;
}

struct hv_sandbox *sandbox_new(const struct sandbox_setup *setup)
{
    struct hv_sandbox *sandbox = hv_calloc(1, sizeof *sandbox);
    sandbox->setup = *setup;
    sandbox->setup.home = hv_arena_str(&sandbox->arena, setup->home);
    sandbox->setup.roots = copy_paths(&sandbox->arena, setup->roots, setup->root_count);
    sandbox->setup.own = copy_paths(&sandbox->arena, setup->own, setup->own_count);
    sandbox->state.enabled = setup->options->enabled != SANDBOX_NO;
    pthread_mutex_init(&sandbox->lock, NULL);
    pthread_mutex_init(&sandbox->own_lock, NULL);
    pthread_cond_init(&sandbox->look_ended, NULL);
    return sandbox;
}

void sandbox_free(struct hv_sandbox *sandbox)
{
    if (!sandbox)
        return;
    warm_free(sandbox->warm);
    leave_await(sandbox);
    leave_now(sandbox);
    git_folders_release(&sandbox->repositories);
    pthread_cond_destroy(&sandbox->look_ended);
    pthread_mutex_destroy(&sandbox->lock);
    pthread_mutex_destroy(&sandbox->own_lock);
    vec_release(&sandbox->own_files);
    hv_arena_release(&sandbox->own_arena);
    hv_arena_release(&sandbox->arena);
    free(sandbox);
}

void sandbox_keep_ready(struct hv_sandbox *sandbox, bool for_one)
{
    LOCK_SCOPE(&sandbox->lock);
    sandbox->for_one = for_one;
    if (!sandbox->warm && sandbox->setup.host->processes && sandbox->setup.host->processes->prepare)
        sandbox->warm = warm_new(sandbox, for_one);
}

void sandbox_expect(struct hv_sandbox *sandbox)
{
    if (!sandbox || sandbox->setup.options->enabled == SANDBOX_NO || pthread_mutex_trylock(&sandbox->lock))
        return; /* who holds the lock is preparing a command already */
    if (sandbox->warm)
        warm_want(sandbox->warm, 0);
    pthread_mutex_unlock(&sandbox->lock);
}

void sandbox_expect_no_more(struct hv_sandbox *sandbox)
{
    if (sandbox)
        atomic_store(&sandbox->no_more, true);
}

static void find_out(struct hv_sandbox *sandbox)
{
    sandbox->looking = true;
    probe_run(sandbox);
    sandbox->looking = sandbox->settled = false;
    sandbox->looked = !sandbox->state.passes;
    pthread_cond_broadcast(&sandbox->look_ended);
}

void sandbox_look(struct hv_sandbox *sandbox, struct sandbox_state *out)
{
    bool first;
    {
        LOCK_SCOPE(&sandbox->lock);
        while (sandbox->looking)
            pthread_cond_wait(&sandbox->look_ended, &sandbox->lock);
        first = !sandbox->looked;
        if (first)
            find_out(sandbox);
        *out = sandbox->state;
    }
    if (!first || !sandbox->setup.tell || !out->enabled || out->level == SANDBOX_LEVEL_FULL || out->passes)
        return;
    CLEANUP_ARENA struct hv_arena arena = {0};
    sandbox->setup.tell(sandbox->setup.user, sandbox_describe(out, &arena));
}

struct hv_str sandbox_describe(const struct sandbox_state *state, struct hv_arena *arena)
{
    if (!state->enabled)
        return HV_STR("switched off by the settings (sandbox.enabled): commands run as you would run them");
    switch (state->level) {
    case SANDBOX_LEVEL_FULL:
        return hv_arena_format(arena, "full: bubblewrap%s, system-call filter, network through a proxy; limits by %s",
                               state->user_namespace ? " with a user namespace" : "",
                               state->groups ? "control groups" : "resource limits");
    case SANDBOX_LEVEL_LANDLOCK:
        return hv_arena_format(arena,
                               "Landlock only, without network: bubblewrap cannot run here (%s). Commands are asked "
                               "about as without a sandbox",
                               state->reason);
    case SANDBOX_LEVEL_NONE: break;
    }
    return hv_arena_format(arena,
                           "none: commands run unconfined, and are asked about as the rules say (%s). Install "
                           "bubblewrap, or allow user namespaces, to have one",
                           state->reason);
}

/* ---- decisions ----------------------------------------------------------------------------------------- */

bool sandbox_would_confine(const struct sandbox_options *options, const struct sandbox_state *state,
                           struct hv_str command, bool asks_to_leave)
{
    return options->enabled != SANDBOX_NO && state->level == SANDBOX_LEVEL_FULL && !asks_to_leave &&
           !sandbox_is_excluded(options, command);
}

/* The plan of a command would be made with it. */
static struct sandbox_place place_with_masks(const struct hv_sandbox *sandbox, struct hv_arena *arena)
{
    struct sandbox_place place = sandbox_place_of(sandbox);
    if (sandbox->setup.find_masks)
        sandbox->setup.find_masks(sandbox->setup.user, arena, &place.masks);
    return place;
}

/* Once, before the first command: what commands clone is theirs. Under the lock. */
static void find_repositories(struct hv_sandbox *sandbox)
{
    if (!sandbox->repositories.looked)
        git_folders_find(&sandbox->repositories, sandbox->setup.host, sandbox->setup.roots, sandbox->setup.root_count);
}

/* A protected path that the plan cannot keep takes the trust away for the whole session, as does a repository that may
 * be anywhere. Under the lock. */
static bool is_weak(struct hv_sandbox *sandbox)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct sandbox_plan plan;
    find_repositories(sandbox);
    if (sandbox->repositories.cut)
        return true;
    struct sandbox_place place = place_with_masks(sandbox, &arena);
    sandbox_plan_make(&place, &arena, &plan);
    return plan.weakness.len != 0;
}

/* Commands do not run unasked where hooks and configuration of git may not be kept from them: who set that is told why,
 * once. */
static void tell_cut(struct hv_sandbox *sandbox)
{
    bool tells;
    {
        LOCK_SCOPE(&sandbox->lock);
        tells = sandbox->repositories.cut && !sandbox->told_cut && sandbox->setup.tell;
        sandbox->told_cut |= tells;
    }
    if (tells)
        sandbox->setup.tell(sandbox->setup.user,
                            HV_STR("the workspace has more folders than are searched for repositories of git (4,000): "
                                   "hooks and configuration of one that lies behind them are not kept from commands, "
                                   "so they are asked about as without a sandbox (despite autoAllowBashIfSandboxed)"));
}

/* Weakness is looked for while another thread waits for the sandbox that shows what holds. */
bool sandbox_allows_unasked(struct hv_sandbox *sandbox, struct hv_str command, bool asks_to_leave)
{
    struct sandbox_state state;
    bool known = false, weak = false;
    if (!sandbox || sandbox->setup.options->auto_allow != SANDBOX_YES)
        return false;
    {
        LOCK_SCOPE(&sandbox->lock);
        leave_await(sandbox);
        known = sandbox->looking && sandbox->settled;
        weak = known && is_weak(sandbox);
    }
    sandbox_look(sandbox, &state);
    if (!sandbox_would_confine(sandbox->setup.options, &state, command, asks_to_leave))
        return false;
    if (!known) {
        LOCK_SCOPE(&sandbox->lock);
        weak = is_weak(sandbox);
    }
    tell_cut(sandbox);
    return !weak;
}

bool sandbox_may_be_left(const struct hv_sandbox *sandbox)
{
    return !sandbox || sandbox->setup.options->allow_unsandboxed != SANDBOX_NO;
}

bool sandbox_excludes(const struct hv_sandbox *sandbox, struct hv_str command)
{
    return sandbox && sandbox_is_excluded(sandbox->setup.options, command);
}

/* ---- the plan of a command ----------------------------------------------------------------------------- */

/* What keeps mounts in place covers sockets, too; it needs the list of them. */
static bool covers_sockets(const struct hv_sandbox *sandbox)
{
    return sandbox->state.level == SANDBOX_LEVEL_FULL && sandbox->state.own_mounts && sandbox->own_sockets;
}

struct sandbox_place sandbox_place_of(const struct hv_sandbox *sandbox)
{
    const struct sandbox_setup *setup = &sandbox->setup;
    return (struct sandbox_place){
        .host = setup->host,
        .options = setup->options,
        .as_root = geteuid() == 0,
        .home = setup->home,
        .roots = setup->roots,
        .root_count = setup->root_count,
        .own = setup->own,
        .own_count = setup->own_count,
        .repositories = sandbox->repositories.paths,
        .repository_count = sandbox->repositories.count,
        .shared = sandbox->repositories.shared,
        .shared_count = sandbox->repositories.shared_count,
        .obeyed = sandbox->repositories.obeyed,
        .obeyed_count = sandbox->repositories.obeyed_count,
        .helper = sandbox->helper ? hv_str_from(sandbox->helper) : (struct hv_str){0},
        .temporary = hv_str_from(sandbox->temporary.files),
        .locked = hv_str_from(sandbox->temporary.locked),
        .own_sockets = covers_sockets(sandbox),
    };
}

void sandbox_plan_files(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run)
{
    struct sandbox_place place = place_with_masks(sandbox, arena);
    place.shown = run->shown;
    place.shown_count = run->shown_count;
    sandbox_plan_make(&place, arena, &run->plan);
    git_links_find(&place, arena, &run->plan);
    run->masks_changes = place.masks.changes;
}

/* What is moved between the look at it and the plan of the mount upon it would be hidden nowhere: it is looked again
 * when the sandbox is ready, or its plan made. After that a mount that misses what it hides runs nothing (HELPER_SAME).
 */
static bool masks_hold(const struct hv_sandbox *sandbox, struct hv_arena *arena, const struct sandbox_run *run)
{
    return !run->masks_changes || place_with_masks(sandbox, arena).masks.changes == run->masks_changes;
}

static void put_format(struct hv_buf *out, char kind, struct hv_arena *arena, const char *format, ...) HV_PRINTF(4, 5);

static void put_format(struct hv_buf *out, char kind, struct hv_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sandbox_put_item(out, kind, hv_arena_vformat(arena, format, arguments));
    va_end(arguments);
}

static uint64_t or_default(int64_t set, uint64_t fallback)
{
    return set > 0 ? (uint64_t)set : fallback;
}

static uint64_t default_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)size : 0;
}

/* Limits of one process; those of the whole tree where control groups can be made. The number of processes is counted
 * for each user: only in a user namespace of its own is that the sandbox alone. */
static void put_limits(struct hv_sandbox *sandbox, struct sandbox_run *run, struct hv_arena *arena, struct hv_buf *out)
{
    const struct sandbox_options *options = sandbox->setup.options;
    struct group_limits limits = {or_default(options->memory_limit, default_memory_limit()),
                                  or_default(options->process_limit, DEFAULT_PROCESS_LIMIT)};
    put_format(out, HELPER_LIMIT, arena, "%d:0", (int)RLIMIT_CORE);
    put_format(out, HELPER_LIMIT, arena, "%d:%llu", (int)RLIMIT_FSIZE,
               (unsigned long long)or_default(options->file_limit, DEFAULT_FILE_LIMIT));
    if (run->level == SANDBOX_LEVEL_FULL && sandbox->state.user_namespace)
        put_format(out, HELPER_LIMIT, arena, "%d:%llu", (int)RLIMIT_NPROC, (unsigned long long)limits.processes);
    if (!run->group)
        run->group = groups_take(&sandbox->groups, &limits);
    for (size_t i = 0; run->group && i < GROUP_DIRECTORIES_MAX && run->group->directories[i]; i++)
        put_format(out, HELPER_JOIN, arena, "%s/%s", run->group->directories[i], run->group->door);
    /* Chosen by the person, a limit holds for each process at least. */
    if (!run->group && options->memory_limit > 0)
        put_format(out, HELPER_LIMIT, arena, "%d:%llu", (int)RLIMIT_AS, (unsigned long long)options->memory_limit);
    put_format(out, HELPER_OOM, arena, "%d", OOM_SCORE);
}

/* Loopback names that no rule speaks of are the sandbox's own: a server that a test starts. */
static struct hv_str no_proxy(const struct sandbox_options *options, struct hv_arena *arena)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    struct hv_str list = {0};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        bool meant = false;
        for (size_t j = 0; j < options->domains.count; j++)
            meant = meant || hv_str_starts(options->domains.items[j], hv_str_from(own[i]));
        if (!meant)
            list = hv_arena_format(arena, "%.*s%s%s", HV_STR_ARG(list), list.len ? "," : "", own[i]);
    }
    return list;
}

/* The session's commands share one network, and each has ports of its own there: what was refused is told of the one
 * that asked for it. */
static void put_proxy(const struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_arena *arena,
                      struct hv_buf *out)
{
    int http = FIRST_PORT + 2 * (int)((run->number - 1) % PORT_PAIRS), socks = http + 1;
    static const char *const names[] = {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", NULL};
    static const char *const all[] = {"ALL_PROXY", "all_proxy", NULL};
    const struct sandbox_options *options = sandbox->setup.options;
    if (!sandbox->proxy)
        return;
    put_format(out, HELPER_LISTEN, arena, "%d:%d", options->http_port ? HELPER_LISTEN_RELAY_HTTP : HELPER_LISTEN_HTTP,
               http);
    if (options->socks_port)
        put_format(out, HELPER_LISTEN, arena, "%d:%d", HELPER_LISTEN_RELAY_SOCKS, socks);
    machine_ports_put(sandbox, run, arena, out);
    for (size_t i = 0; names[i]; i++)
        put_format(out, HELPER_SET, arena, "%s=http://127.0.0.1:%d", names[i], http);
    for (size_t i = 0; all[i]; i++)
        put_format(out, HELPER_SET, arena, "%s=%s://127.0.0.1:%d", all[i], options->socks_port ? "socks5h" : "http",
                   options->socks_port ? socks : http);
    struct hv_str direct = no_proxy(options, arena);
    put_format(out, HELPER_SET, arena, "NO_PROXY=%.*s", HV_STR_ARG(direct));
    put_format(out, HELPER_SET, arena, "no_proxy=%.*s", HV_STR_ARG(direct));
    put_format(out, HELPER_SET, arena, "NODE_USE_ENV_PROXY=1");
}

/* Ways to services outside that could not be gone, and would only make programs wait. */
static void put_environment(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_buf *out)
{
    static const char *const services[] = {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS",
                                           "GPG_AGENT_INFO", NULL};
    const struct sandbox_options *options = sandbox->setup.options;
    put_format(out, HELPER_SET, arena, "HELVE_SANDBOX=%s",
               sandbox->state.level == SANDBOX_LEVEL_FULL ? "full" : "landlock");
    for (size_t i = 0; services[i] && !options->unix_sockets.count && options->all_unix_sockets != SANDBOX_YES; i++)
        sandbox_put_item(out, HELPER_UNSET, hv_str_from(services[i]));
}

static enum hv_code put_filter(struct hv_sandbox *sandbox, struct hv_buf *out, struct hv_error *err)
{
    const struct sandbox_options *options = sandbox->setup.options;
    struct sandbox_filter_options filter = {
        .unix_sockets =
            covers_sockets(sandbox) || options->unix_sockets.count || options->all_unix_sockets == SANDBOX_YES,
        .no_internet = sandbox->state.level == SANDBOX_LEVEL_LANDLOCK,
    };
    struct hv_str *kept = &sandbox->filters[filter.unix_sockets][filter.no_internet];
    enum hv_code code = kept->len ? HV_OK : sandbox_filter_build(&sandbox->arena, &filter, kept, err);
    if (!code)
        sandbox_put_item(out, HELPER_FILTER, *kept);
    return code;
}

/* What the helper needs to start: bubblewrap, groups, limits, where the proxy is. */
static void put_beginning(struct hv_sandbox *sandbox, struct sandbox_run *run, struct hv_arena *arena,
                          struct hv_buf *out)
{
    struct sandbox_place place = sandbox_place_of(sandbox);
    if (run->level == SANDBOX_LEVEL_FULL) {
        sandbox_put_item(out, HELPER_BWRAP, sandbox->bubblewrap);
        if (sandbox->state.own_mounts)
            sandbox_put_namespaces(&place, sandbox->state.user_namespace, out);
        if (sandbox->proxy)
            put_format(out, HELPER_PROXY, arena, "%llu:%s", (unsigned long long)run->number,
                       proxy_name(sandbox->proxy));
    }
    put_limits(sandbox, run, arena, out);
}

enum hv_code sandbox_plan_write(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run,
                                struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    struct sandbox_place place = sandbox_place_of(sandbox);
    place.only_reads = run->only_reads;
    hv_buf_init(&text, PLAN_TEXT_MAX);
    hv_buf_add_str(&text, run->beginning);
    if (run->level != SANDBOX_LEVEL_FULL) {
        sandbox_put_landlock(&run->plan, &place, arena, &text);
    } else {
        if (sandbox->state.own_mounts)
            sandbox_put_own_mounts(&run->plan, &place, sandbox->state.user_namespace, arena, &text);
        else
            sandbox_put_bubblewrap(&run->plan, &place, sandbox->state.user_namespace, &text);
        put_proxy(sandbox, run, arena, &text);
    }
    put_format(&text, HELPER_SET, arena, "TMPDIR=%.*s", HV_STR_ARG(run->seen_as));
    put_environment(sandbox, arena, &text);
    enum hv_code code = put_filter(sandbox, &text, err);
    if (code)
        return code;
    if (text.failed)
        return hv_fail(err, HV_ETOOBIG, "the sandbox has more paths to mind than can be told to its helper");
    run->plan_text = hv_arena_str(arena, hv_buf_str(&text));
    return HV_OK;
}

/* ---- one command --------------------------------------------------------------------------------------- */

static enum hv_code refuse_unconfined(const struct hv_sandbox *sandbox, const struct sandbox_state *state,
                                      struct hv_error *err)
{
    if (!state->enabled || sandbox->setup.options->fail_if_unavailable != SANDBOX_YES)
        return HV_OK;
    hv_fail(err, HV_EUNSUPPORTED, "the settings demand a sandbox (sandbox.failIfUnavailable), and it cannot be had: %s",
            state->reason);
    hv_error_hint(err, "Install bubblewrap, or change the setting; `helve doctor` says what is missing.");
    return HV_EUNSUPPORTED;
}

/* Running it with less would be a way round the sandbox for whoever can bring such a fault about. */
static enum hv_code refuse_for_now(const struct sandbox_state *state, struct hv_error *err)
{
    hv_fail(err, HV_EAGAIN, "the sandbox could not be set up, and the command was not run: %s", state->reason);
    hv_error_hint(err, "Try it again: the next command does. If that stays, look at `ulimit -a`, free memory and free "
                       "space in $TMPDIR; `helve doctor` says what holds.");
    return HV_EAGAIN;
}

static enum hv_code refuse_leaving(struct hv_error *err)
{
    hv_fail(err, HV_EDENIED, "the settings let no command leave the sandbox (sandbox.allowUnsandboxedCommands)");
    hv_error_hint(err, "Call it again without `sandbox: false`.");
    return HV_EDENIED;
}

void sandbox_prepare_beginning(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, PLAN_TEXT_MAX);
    if (!run->number)
        run->number = ++sandbox->runs;
    run->helper = sandbox->helper;
    if (run->level == SANDBOX_LEVEL_FULL && !sandbox->proxy)
        (void)!proxy_new(&sandbox->setup, &sandbox->proxy, NULL); /* without it nothing is reached */
    if (sandbox->proxy && !proxy_serve(sandbox->proxy))           /* which tells the helper what network it enters */
        proxy_free(take_ptr(sandbox->proxy));
    put_beginning(sandbox, run, arena, &text);
    run->beginning = hv_arena_str(arena, hv_buf_str(&text));
}

/* Where the private /tmp is seen; in it there must be folders for what is mounted there. Made while bubblewrap starts
 * they are not waited for; the helper makes what is missing. One step below our folder no link of a command's leads on.
 */
static void make_places(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run)
{
    const struct sandbox_plan *plan = &run->plan;
    struct hv_str tmp = {0};
    for (size_t i = 0; i < plan->mount_count; i++) {
        struct hv_str path = plan->mounts[i].path;
        struct hv_file_stat found;
        if (plan->mounts[i].kind == SANDBOX_PRIVATE)
            run->seen_as = tmp = path;
        if (!tmp.len || !path_inside(path, tmp) || hv_str_rfind_byte(path, '/') != tmp.len ||
            sandbox->setup.host->stat(sandbox->setup.host, path, true, &found, NULL) != HV_OK ||
            found.kind != HV_FILE_DIRECTORY)
            continue;
        struct hv_str place =
            hv_arena_format(arena, "%s%.*s", sandbox->temporary.files, (int)(path.len - tmp.len), path.ptr + tmp.len);
        (void)!mkdir(place.ptr, 0755); /* it may be there */
    }
}

enum hv_code sandbox_prepare(struct hv_sandbox *sandbox, struct hv_arena *arena, struct sandbox_run *run,
                             struct hv_error *err)
{
    find_repositories(sandbox);
    run->temporary = run->seen_as = hv_str_from(sandbox->temporary.files);
    sandbox_plan_files(sandbox, arena, run);
    if (run->level == SANDBOX_LEVEL_FULL && sandbox->state.own_mounts)
        git_views_show(&sandbox->git_views, sandbox->setup.host, &sandbox->temporary, &run->plan, arena);
    if (run->level == SANDBOX_LEVEL_FULL)
        make_places(sandbox, arena, run);
    enum hv_code code = sandbox_plan_write(sandbox, arena, run, err);
    if (code) {
        groups_give_back(run->group);
        *run = (struct sandbox_run){0};
    }
    return code;
}

/* As if there were no other, but with the number and group of the one that waits; *offered: there is one. */
static enum hv_code prepare_alike(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                                  struct sandbox_run *run, bool *offered, struct hv_error *err)
{
    *offered = false;
    leave_await(sandbox);
    if (!probe_settle(sandbox))
        return hv_fail(err, HV_EIO, "%s", sandbox->state.reason);
    session_tmp_note_names(sandbox, arena, command, run);
    machine_ports_note(command, run);
    *offered = sandbox->warm && run->level == SANDBOX_LEVEL_FULL && warm_offer(sandbox->warm, run);
    sandbox_prepare_beginning(sandbox, arena, run);
    return sandbox_prepare(sandbox, arena, run, err);
}

/* Another thread waits for the first sandbox, which is to show what holds: plan meanwhile as if it did. False: there is
 * none to wait for. */
static bool foresee(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command, struct sandbox_run *run)
{
    LOCK_SCOPE(&sandbox->lock);
    bool offered;
    run->level = SANDBOX_LEVEL_FULL;
    return sandbox->looking && sandbox->settled &&
           prepare_alike(sandbox, arena, command, run, &offered, NULL) == HV_OK && offered;
}

/* Who is asked about its connections is shown the command. */
static void note_begun(struct hv_sandbox *sandbox, struct hv_str command, struct sandbox_run *run)
{
    run->command = command;
    if (sandbox->proxy && run->level == SANDBOX_LEVEL_FULL)
        proxy_begin_run(sandbox->proxy, run->number, command);
}

/* It holds, and is the one that was planned with. */
static bool take_foreseen(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                          struct sandbox_run *run)
{
    LOCK_SCOPE(&sandbox->lock);
    if (!masks_hold(sandbox, arena, run) || !warm_take(sandbox->warm, run))
        return false;
    note_begun(sandbox, command, run);
    sandbox->at_work++;
    warm_want(sandbox->warm, BESIDE_MS);
    return true;
}

/* With the sandbox that waits, if it still is the right one. */
static enum hv_code prepare_once(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                                 struct sandbox_run *run, struct hv_error *err)
{
    struct sandbox_run fresh = *run;
    bool offered;
    enum hv_code code = prepare_alike(sandbox, arena, command, run, &offered, err);
    if (!sandbox->warm || fresh.level != SANDBOX_LEVEL_FULL)
        return code;
    if (!code && !warm_take(sandbox->warm, run) && offered) {
        *run = fresh;
        code = prepare_alike(sandbox, arena, command, run, &offered, err);
    }
    warm_want(sandbox->warm, BESIDE_MS);
    return code;
}

/* Whoever takes all away waits for the last one. Under the lock. */
static void give_up_prepared(struct hv_sandbox *sandbox, struct sandbox_run *run)
{
    if (run->prepared && sandbox->for_one && !sandbox->last)
        sandbox->last = take_ptr(run->prepared);
    else if (run->prepared)
        warm_give_up(sandbox->warm, take_ptr(run->prepared));
}

static enum hv_code prepare(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                            struct sandbox_run *run, struct hv_error *err)
{
    const struct sandbox_run fresh = *run;
    for (int tries = 0; tries < 2; tries++) {
        *run = fresh;
        enum hv_code code = prepare_once(sandbox, arena, command, run, err);
        if (code || masks_hold(sandbox, arena, run))
            return code;
        give_up_prepared(sandbox, run);
        groups_give_back(run->group);
    }
    hv_fail(err, HV_EAGAIN, "files that are hidden from commands were moved while the sandbox was made, twice");
    hv_error_hint(err,
                  "The command was not run. Try it again when nothing moves them; see what runs in the background.");
    return HV_EAGAIN;
}

static enum hv_code prepare_counted(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                                    struct sandbox_run *run, struct hv_error *err)
{
    LOCK_SCOPE(&sandbox->lock);
    enum hv_code code = prepare(sandbox, arena, command, run, err);
    sandbox->at_work += code == HV_OK;
    if (code == HV_OK)
        note_begun(sandbox, command, run);
    return code;
}

static enum hv_code begin_confined(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                                   struct sandbox_run *run, struct hv_error *err)
{
    struct sandbox_state state;
    bool foreseen = foresee(sandbox, arena, command, run);
    sandbox_look(sandbox, &state);
    if (foreseen && state.level == SANDBOX_LEVEL_FULL && take_foreseen(sandbox, arena, command, run))
        return HV_OK;
    *run = (struct sandbox_run){.only_reads = run->only_reads};
    if (state.passes)
        return refuse_for_now(&state, err);
    if (state.level != SANDBOX_LEVEL_FULL) {
        enum hv_code code = refuse_unconfined(sandbox, &state, err);
        if (code || state.level == SANDBOX_LEVEL_NONE)
            return code;
    }
    run->level = state.level;
    return prepare_counted(sandbox, arena, command, run, err);
}

enum hv_code sandbox_begin(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                           bool asks_to_leave, bool only_reads, struct sandbox_run *run, struct hv_error *err)
{
    *run = (struct sandbox_run){.only_reads = only_reads};
    if (!sandbox || sandbox->setup.options->enabled == SANDBOX_NO)
        return HV_OK;
    if (asks_to_leave && !sandbox_may_be_left(sandbox))
        return refuse_leaving(err);
    if (asks_to_leave || sandbox_is_excluded(sandbox->setup.options, command))
        return HV_OK;
    return begin_confined(sandbox, arena, command, run, err);
}

void sandbox_let_reach(struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_str address)
{
    if (run->level != SANDBOX_LEVEL_FULL)
        return;
    LOCK_SCOPE(&sandbox->lock);
    if (sandbox->proxy)
        proxy_let_reach(sandbox->proxy, run->number, address);
}

const char *const *sandbox_argv(const struct sandbox_run *run, struct hv_arena *arena, const char *const *argv)
{
    size_t count = 0;
    if (run->level == SANDBOX_LEVEL_NONE)
        return argv;
    while (argv[count])
        count++;
    const char **words = hv_arena_array(arena, const char *, count + 4);
    size_t at = 0;
    words[at++] = run->helper;
    words[at++] = run->plan_text.ptr;
    if (run->only_reads && run->level == SANDBOX_LEVEL_FULL)
        words[at++] = HELPER_ONLY_READS;
    for (size_t i = 0; i < count; i++)
        words[at++] = argv[i];
    return words;
}

/* What a command made that would have programs outside obey it. What still runs may have put a link in the way, and may
 * do so at any moment: none is followed, and what goes is in the very folder that was opened. */
static struct hv_str remove_forbidden(const struct sandbox_plan *plan, struct hv_arena *arena)
{
    struct hv_str said = {0};
    for (size_t i = 0; i < plan->forbidden_count; i++) {
        struct hv_str path = plan->forbidden[i];
        CLEANUP_FD int folder = fs_open_no_links(AT_FDCWD, path_parent(path), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0 && unlinkat(folder, hv_arena_cstr(arena, path_name(path)), 0) == 0)
            said = hv_arena_format(arena, "The sandbox removed %.*s: git would have run and obeyed what it leads to.",
                                   HV_STR_ARG(path));
    }
    return said;
}

static struct hv_str take_git_views(struct hv_sandbox *sandbox, struct hv_arena *arena)
{
    LOCK_SCOPE(&sandbox->lock);
    return git_views_take(&sandbox->git_views, sandbox->setup.host, arena);
}

struct hv_str sandbox_end(struct hv_sandbox *sandbox, struct sandbox_run *run, struct hv_arena *arena,
                          struct hv_str output, struct hv_str directory, bool failed)
{
    if (run->level == SANDBOX_LEVEL_NONE)
        return (struct hv_str){0};
    struct violation_facts facts = {
        .host = sandbox->setup.host,
        .plan = &run->plan,
        .command = run->command,
        .output = output,
        .directory = directory,
        .ended_in = run->ended_in,
        .home = sandbox->setup.home,
        .temporary = run->seen_as,
        .failed = failed,
        .only_reads = run->only_reads && run->level == SANDBOX_LEVEL_FULL,
        .asks = sandbox->setup.ask != NULL,
    };
    {
        LOCK_SCOPE(&sandbox->lock);
        give_up_prepared(sandbox, run);
        if (sandbox->warm)
            warm_want(sandbox->warm, AFTER_MS);
        groups_give_back(run->group);
        if (sandbox->proxy && run->level == SANDBOX_LEVEL_FULL) {
            facts.refusals = proxy_take_refusals(sandbox->proxy, run->number, arena);
            facts.machine_port =
                facts.only_reads || facts.refusals.len ? 0 : machine_ports_missed(sandbox, run, output, failed);
            proxy_end_run(sandbox->proxy, run->number, run->cancelled);
        }
    }
    run->group = NULL;
    struct hv_str put_back = take_git_views(sandbox, arena);
    bool full = run->level == SANDBOX_LEVEL_FULL;
    const struct hv_str said[] = {git_links_put_back(&run->plan, arena), remove_forbidden(&run->plan, arena), put_back,
                                  full ? aside_move(sandbox, &run->plan, arena) : (struct hv_str){0},
                                  violation_describe(&facts, arena)};
    {
        LOCK_SCOPE(&sandbox->lock);
        if (--sandbox->at_work == 0 && sandbox->for_one)
            leave_begin(sandbox);
    }
    struct hv_str all = {0};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].len)
            all = all.len ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(all), HV_STR_ARG(said[i])) : said[i];
    return all;
}
