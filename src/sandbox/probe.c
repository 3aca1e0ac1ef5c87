/*
 * probe.c: what holds on this machine? Found out by doing it: the helper runs its own check under the very plan that
 * the session's commands will have, with bubblewrap (as root with and without a user namespace), then by Landlock
 * alone.
 */
#include "base/path.h"
#include "module/module.h"
#include "sandbox/sandbox_inner.h"

#include "base/cleanup.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OUTPUT_MAX = 2048 };
#define TIME_LIMIT_NS 10000000000ull

static bool keep(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hv_buf *out = user;
    (void)stream;
    if (out->len + bytes.len <= out->max)
        hv_buf_add_str(out, bytes);
    return true;
}

/* ---- bubblewrap ---------------------------------------------------------------------------------------- */

/* A program that commands could have put there is not taken. */
static bool is_trustworthy(struct hv_str path, const struct hv_str *roots, size_t root_count)
{
    struct stat status;
    for (size_t i = 0; i < root_count; i++)
        if (path_inside(path, roots[i]))
            return false;
    return stat(path.ptr, &status) == 0 && S_ISREG(status.st_mode) && !(status.st_mode & S_IWOTH) &&
           (status.st_uid == 0 || status.st_uid == geteuid()) && access(path.ptr, X_OK) == 0;
}

struct hv_str probe_find_bubblewrap(struct hv_arena *arena, const struct hv_str *roots, size_t root_count)
{
    const char *path_list = getenv("PATH");
    struct hv_str rest = hv_str_from(path_list ? path_list : "/usr/local/bin:/usr/bin:/bin"), directory;
    while (rest.len && hv_str_split(&rest, ':', &directory)) {
        struct hv_str path = hv_arena_format(arena, "%.*s/bwrap", HV_STR_ARG(directory));
        if (path.ptr[0] == '/' && is_trustworthy(path, roots, root_count))
            return path;
    }
    return (struct hv_str){0};
}

/* ---- trying -------------------------------------------------------------------------------------------- */

/* The first line of what was written; the helper's own comes last and says less. */
static void keep_reason(struct sandbox_state *state, struct hv_str output, const char *fallback)
{
    struct hv_str line = hv_str_trim(hv_str_slice(output, 0, hv_str_find_byte(output, '\n', 0)));
    if (line.len)
        snprintf(state->reason, sizeof state->reason, "%.*s", HV_STR_ARG(line));
    else
        snprintf(state->reason, sizeof state->reason, "%s", fallback);
}

/* Something ran short, here or in the helper, whose C library may be another one. */
static bool may_pass(const char *reason)
{
    static const char *const faults[] = {
        "Too many open files",     "No file descriptors available",
        "Cannot allocate memory",  "Out of memory",
        "No space left on",        "Resource temporarily",
        "uota exceeded",           "File too large",
        "Input/output error",      "I/O error",
        "Interrupted system call",
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strstr(reason, faults[i]))
            return true;
    return false;
}

static bool try_level(struct hv_sandbox *sandbox, const struct sandbox_plan *plan, enum sandbox_level level,
                      bool user_namespace)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf output = {0};
    struct hv_error err;
    struct hv_exit end;
    struct sandbox_run run = {.level = level, .plan = *plan, .helper = sandbox->helper};
    const char *check[] = {sandbox->helper, "check", NULL};
    hv_buf_init(&output, OUTPUT_MAX);
    sandbox->state.level = level;
    sandbox->state.user_namespace = user_namespace;
    sandbox_prepare_beginning(sandbox, &arena, &run);
    enum hv_code code = sandbox_plan_write(sandbox, &arena, &run, &err);
    struct hv_command command = {
        .argv = code ? NULL : sandbox_argv(&run, &arena, check),
        .directory = "/",
        .timeout_ns = TIME_LIMIT_NS,
        .on_output = keep,
        .user = &output,
    };
    if (!code)
        code = sandbox->setup.host->run(sandbox->setup.host, &command, &end, &err);
    groups_give_back(run.group);
    if (!code && end.code == 0 && hv_str_is(hv_str_trim(hv_buf_str(&output)), "confined"))
        return true;
    sandbox->state.level = SANDBOX_LEVEL_NONE;
    if (!sandbox->state.reason[0])
        keep_reason(&sandbox->state, hv_buf_str(&output), code ? err.message : "it did not do what it should");
    return false;
}

/* The session's first sandbox is set up as for a command, with the filter over what waits in it: that shows as much as
 * a check does, and the first command need not wait for a second one. */
static bool try_ahead(struct hv_sandbox *sandbox)
{
    sandbox->state.level = SANDBOX_LEVEL_FULL;
    sandbox->state.user_namespace = geteuid() != 0;
    if (sandbox->warm && warm_try(sandbox->warm))
        return true;
    sandbox->state.level = SANDBOX_LEVEL_NONE;
    return false;
}

/* Does the kernel have the calls by which the helper mounts? */
static bool can_own_mounts(void)
{
    return syscall(SYS_mount_setattr, -1, NULL, 0, NULL, 0) < 0 && errno != ENOSYS;
}

/* As at /, where all programs of the system are part of the workspace. */
static bool found_inside(struct hv_sandbox *sandbox)
{
    return probe_find_bubblewrap(&sandbox->arena, NULL, 0).len > 0;
}

static bool try_bubblewrap(struct hv_sandbox *sandbox)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct sandbox_run run = {.level = SANDBOX_LEVEL_FULL};
    sandbox->bubblewrap = probe_find_bubblewrap(&sandbox->arena, sandbox->setup.roots, sandbox->setup.root_count);
    if (!sandbox->bubblewrap.len) {
        keep_reason(&sandbox->state, (struct hv_str){0},
                    found_inside(sandbox) ? "bubblewrap (bwrap) lies inside the workspace, whose programs confine "
                                            "nothing: start helve in a folder below"
                                          : "bubblewrap (bwrap) is not on PATH");
        return false;
    }
    sandbox->state.own_mounts = can_own_mounts();
    sandbox->own_sockets = access("/proc/net/unix", R_OK) == 0;
    if (try_ahead(sandbox))
        return true;
    if (!probe_settle(sandbox))
        return false;
    sandbox_plan_files(sandbox, &arena, &run);
    if (sandbox->state.own_mounts && !sandbox->warm &&
        try_level(sandbox, &run.plan, SANDBOX_LEVEL_FULL, geteuid() != 0))
        return true;
    sandbox->state.own_mounts = false;
    if (geteuid() == 0 && try_level(sandbox, &run.plan, SANDBOX_LEVEL_FULL, false))
        return true;
    return try_level(sandbox, &run.plan, SANDBOX_LEVEL_FULL, true);
}

bool probe_settle(struct hv_sandbox *sandbox)
{
    struct hv_error err;
    if (sandbox->temporary.folder)
        return true;
    if (!sandbox->sweeper.process) {
        sweeper_start(&sandbox->sweeper);
        groups_tell(&sandbox->groups, &sandbox->sweeper);
    }
    if (temporary_make(&sandbox->temporary, &sandbox->sweeper, &err)) {
        keep_reason(&sandbox->state, (struct hv_str){0}, err.message);
        return false;
    }
    return true;
}

static void find_level(struct hv_sandbox *sandbox)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct sandbox_state *state = &sandbox->state;
    struct sandbox_run run = {.level = SANDBOX_LEVEL_LANDLOCK};
    struct hv_error err;
    if (module_find(&sandbox->arena, "helve-sandbox", "src/sandbox/helve-sandbox", &sandbox->helper, &err)) {
        keep_reason(state, (struct hv_str){0}, err.message);
        return;
    }
    state->groups = groups_available(&sandbox->groups);
    if (try_bubblewrap(sandbox)) {
        state->reason[0] = '\0';
        return;
    }
    if (!probe_settle(sandbox))
        return;
    sandbox_plan_files(sandbox, &arena, &run);
    (void)try_level(sandbox, &run.plan, SANDBOX_LEVEL_LANDLOCK, false);
}

void probe_run(struct hv_sandbox *sandbox)
{
    struct sandbox_state *state = &sandbox->state;
    if (!state->enabled)
        return;
    *state = (struct sandbox_state){.enabled = true};
    find_level(sandbox);
    state->passes = state->level != SANDBOX_LEVEL_FULL && may_pass(state->reason);
}
