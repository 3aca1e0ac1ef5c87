/* explain_sandbox.c: see explain.h: the sandbox in which a command would run that is only asked about. */
#include "cli/explain.h"

static void find_masks(void *user, struct hv_arena *arena, struct sandbox_masks *out)
{
    const struct explain_sandbox *sandbox = user;
    masks_find(sandbox->door.masks, sandbox->policy, arena, out);
}

void explain_sandbox_open(struct explain_sandbox *sandbox, const struct hv_host *host, struct hv_str home,
                          const struct hv_str *roots, size_t root_count, struct settings *settings,
                          const struct policy *policy, bool once)
{
    *sandbox =
        (struct explain_sandbox){.settings = settings_ref(settings), .policy = policy_ref((struct policy *)policy)};
    const struct masks_options masks = {
        .host = host, .settings = settings, .home = home, .roots = roots, .root_count = root_count, .once = once};
    const struct hv_str own[] = {settings->user_directory, settings->state_directory};
    sandbox->door.masks = masks_new(&masks);
    sandbox->door.options = &settings->sandbox;
    const struct sandbox_setup setup = {
        .host = host,
        .options = &settings->sandbox,
        .home = home,
        .roots = roots,
        .root_count = root_count,
        .own = own,
        .own_count = sizeof own / sizeof *own,
        .find_masks = find_masks,
        .user = sandbox,
    };
    sandbox->door.sandbox = sandbox_new(&setup);
}

void explain_sandbox_release(struct explain_sandbox *sandbox)
{
    sandbox_free(sandbox->door.sandbox);
    masks_free(sandbox->door.masks);
    policy_unref(sandbox->policy);
    settings_unref(sandbox->settings);
    *sandbox = (struct explain_sandbox){0};
}
