/*
 * session_files.c: the files of a session as its commands see them: where the sandbox puts a folder of its own in the
 * place of /tmp, a path below /tmp names the same file for a tool. Paths are resolved here, and nowhere else; what
 * holds them (fs/held.c) opens what they resolve to, without following anything.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/resolve.h"
#include "runtime/call.h"
#include "sandbox/sandbox.h"

struct session_files {
    struct hv_host host; /* first */
    struct fs_stand_in stand_in;
    struct runtime *runtime;
};

static const struct session_files *files_of(const struct hv_host *host)
{
    return (const struct session_files *)host;
}

static bool takes(void *user, struct hv_str name, struct hv_str *folder)
{
    const struct session_files *files = user;
    *folder = sandbox_tmp_of(files->runtime->sandbox, name);
    return folder->len;
}

static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    return fs_resolve(&files_of(host)->stand_in, arena, path, false, out, err);
}

static enum hv_code look(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err)
{
    const struct session_files *files = files_of(host);
    const struct hv_host *machine = files->runtime->host;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str real = path;
    enum hv_code code = HV_OK;
    if (path_inside(path, files->stand_in.path))
        code = fs_resolve(&files->stand_in, &arena, path, !follow, &real, err);
    return code ? code : machine->stat(machine, real, follow, out, err);
}

const struct hv_host *session_files_new(struct runtime *runtime)
{
    /* Where there is one call only, no command comes that could see its files, and the folder goes with it. */
    if (!runtime->sandbox || runtime->options.one_call.len)
        return runtime->host;
    struct session_files *files = hv_arena_new(&runtime->arena, struct session_files);
    *files = (struct session_files){.host = *runtime->host, .runtime = runtime};
    files->stand_in = (struct fs_stand_in){.path = HV_STR("/tmp"), .takes = takes, .user = files};
    (void)!runtime->host->resolve(runtime->host, &runtime->arena, HV_STR("/tmp"), &files->stand_in.path, NULL);
    files->host.resolve = resolve;
    files->host.stat = look;
    return &files->host;
}

void session_files_show(struct runtime *runtime, struct hv_arena *arena, struct policy_path *path)
{
    if (runtime->files == runtime->host)
        return;
    struct hv_str shown =
        sandbox_tmp_shown(runtime->sandbox, arena, files_of(runtime->files)->stand_in.path, path->resolved);
    if (!shown.len)
        return;
    path->resolved = shown;
    path->of_session = true;
}
