/* confine.c: see confine.h. */
#include "runtime/confine.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "masks/masks.h"
#include "runtime/call.h"

/* The first command finds out that the sandbox is not what it should be: the person is told, once. */
static void tell(void *user, struct hv_str sentence)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    runtime_emit(user, &(struct hv_event){.type = HV_EVENT_NOTICE,
                                          .name = HV_STR("warning"),
                                          .text = hv_arena_format(&arena, "sandbox: %.*s", HV_STR_ARG(sentence))});
}

/* Under the rules that hold now. */
static void find_masks(void *user, struct hv_arena *arena, struct sandbox_masks *out)
{
    struct runtime *runtime = user;
    struct policy *policy = runtime_policy(runtime);
    masks_find(runtime->masks, policy, arena, out);
    policy_unref(policy);
}

struct hv_sandbox *confine_new(struct runtime *runtime)
{
    const struct settings *settings = runtime->settings;
    const struct runtime_options *options = &runtime->options;
    if (runtime->host != hv_host_local() || !settings)
        return NULL;
    struct masks_options masks = {
        .host = runtime->host,
        .settings = settings,
        .home = options->home,
        .results = path_expand(&runtime->arena, HV_STR("tool-results"), options->session_directory, (struct hv_str){0}),
        .roots = options->root_count ? options->roots : &options->directory,
        .root_count = options->root_count ? options->root_count : 1,
        .once = options->one_call.len > 0,
    };
    runtime->masks = masks_new(&masks);
    struct hv_str own[] = {settings->user_directory, settings->state_directory};
    struct sandbox_setup setup = {
        .host = runtime->host,
        .options = &settings->sandbox,
        .home = options->home,
        .roots = options->root_count ? options->roots : &options->directory,
        .root_count = options->root_count ? options->root_count : 1,
        .own = own,
        .own_count = sizeof own / sizeof *own,
        .find_masks = find_masks,
        .tell = tell,
        .ask = options->asker.ask || hook_configured(runtime, "PermissionRequest") ? ask_network : NULL,
        .user = runtime,
    };
    struct hv_sandbox *sandbox = sandbox_new(&setup);
    sandbox_keep_ready(sandbox, options->one_call.len > 0);
    return sandbox;
}
