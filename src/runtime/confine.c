/* confine.c: see confine.h. */
#include "runtime/confine.h"

#include "base/cleanup.h"
#include "runtime/call.h"

/* The first command finds out that the sandbox is not what it should be: the person is told, once. */
static void tell(void *user, struct hv_str sentence)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    runtime_emit(user, &(struct hv_event){.type = HV_EVENT_NOTICE,
                                          .name = HV_STR("warning"),
                                          .text = hv_arena_format(&arena, "sandbox: %.*s", HV_STR_ARG(sentence))});
}

struct hv_sandbox *confine_new(struct runtime *runtime)
{
    const struct settings *settings = runtime->settings;
    const struct runtime_options *options = &runtime->options;
    if (runtime->host != hv_host_local() || !settings)
        return NULL;
    struct hv_str own[] = {settings->user_directory, settings->state_directory};
    struct sandbox_setup setup = {
        .host = runtime->host,
        .options = &settings->sandbox,
        .home = options->home,
        .roots = options->root_count ? options->roots : &options->directory,
        .root_count = options->root_count ? options->root_count : 1,
        .own = own,
        .own_count = sizeof own / sizeof *own,
        .tell = tell,
        .user = runtime,
    };
    struct hv_sandbox *sandbox = sandbox_new(&setup);
    sandbox_keep_ready(sandbox, options->one_call.len > 0);
    return sandbox;
}
