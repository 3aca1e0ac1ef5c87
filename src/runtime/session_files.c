/*
 * session_files.c: the files of a session as its commands see them: where the sandbox puts a folder of its own in the
 * place of /tmp, a path below /tmp names the same file for a tool. Paths are resolved here, and nowhere else; what
 * holds them (fs/held.c) opens what they resolve to, without following anything.
 */
#include "runtime/call.h"
#include "sandbox/sandbox.h"

const struct hv_host *session_files_new(struct runtime *runtime)
{
    /* Where there is one call only, no command comes that could see its files, and the folder goes with it. */
    if (!runtime->sandbox || runtime->options.one_call.len)
        return runtime->host;
    struct sandbox_files *files = hv_arena_new(&runtime->arena, struct sandbox_files);
    sandbox_files_init(files, runtime->sandbox, runtime->host, &runtime->arena);
    return &files->host;
}

void session_files_show(struct runtime *runtime, struct hv_arena *arena, struct policy_path *path)
{
    if (runtime->files == runtime->host)
        return;
    struct hv_str shown = sandbox_files_shown((const struct sandbox_files *)runtime->files, arena, path->resolved);
    if (!shown.len)
        return;
    path->resolved = shown;
    path->of_session = true;
}
