/* session_tmp.c: the folder of the session that its commands see as /tmp, and what of the host's they see there. */
#include "base/cleanup.h"
#include "base/path.h"
#include "sandbox/sandbox_inner.h"

/* name is below /tmp, of one step. */
static struct hv_str inside(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str name)
{
    struct hv_str rest = hv_str_slice(name, strlen("/tmp"), name.len);
    return hv_arena_format(arena, "%s%.*s", sandbox->temporary.files, HV_STR_ARG(rest));
}

/* An entry of the private /tmp that has something in it; what is mounted upon there leaves an empty one. */
static bool has(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str name)
{
    const struct hv_host *host = sandbox->setup.host;
    struct hv_directory_entry *entries;
    struct hv_file_stat found;
    size_t count;
    bool more;
    struct hv_str path = inside(sandbox, arena, name);
    if (host->stat(host, path, false, &found, NULL) != HV_OK)
        return false;
    if (found.kind == HV_FILE_REGULAR)
        return found.size > 0;
    return found.kind != HV_FILE_DIRECTORY ||
           (host->list(host, arena, path, 1, &entries, &count, &more, NULL) == HV_OK && count > 0);
}

void session_tmp_note_names(const struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                            struct sandbox_run *run)
{
    run->named_count = sandbox_named_in_tmp(command, run->named, SANDBOX_NAMED_MAX);
    for (size_t i = 0; i < run->named_count; i++)
        if (!has(sandbox, arena, run->named[i]))
            run->shown[run->shown_count++] = run->named[i];
}

struct hv_str sandbox_tmp_missed(struct hv_sandbox *sandbox, struct hv_str command, struct hv_arena *arena)
{
    struct hv_str named[SANDBOX_NAMED_MAX];
    if (!sandbox)
        return (struct hv_str){0};
    LOCK_SCOPE(&sandbox->lock);
    size_t count = sandbox->temporary.files ? sandbox_named_in_tmp(command, named, SANDBOX_NAMED_MAX) : 0;
    for (size_t i = 0; i < count; i++)
        if (has(sandbox, arena, named[i]))
            return hv_arena_format(arena,
                                   "This command runs outside the sandbox, where /tmp is that of the machine. What the "
                                   "session has as %.*s is %.*s there.",
                                   HV_STR_ARG(named[i]), HV_STR_ARG(inside(sandbox, arena, named[i])));
    return (struct hv_str){0};
}

static bool is_on_host(const struct hv_sandbox *sandbox, struct hv_str path)
{
    struct hv_file_stat found;
    return sandbox->setup.host->stat(sandbox->setup.host, path, false, &found, NULL) == HV_OK;
}

struct hv_str sandbox_tmp_of(struct hv_sandbox *sandbox, struct hv_str name)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct sandbox_state state;
    if (!sandbox || sandbox->setup.options->enabled == SANDBOX_NO)
        return (struct hv_str){0};
    struct hv_str path = hv_arena_format(&arena, "/tmp/%.*s", HV_STR_ARG(name));
    bool of_host = name.len && is_on_host(sandbox, path);
    if (of_host) {
        LOCK_SCOPE(&sandbox->lock);
        if (!sandbox->looked)
            return (struct hv_str){0}; /* nothing can be in the private one yet */
    }
    sandbox_look(sandbox, &state);
    LOCK_SCOPE(&sandbox->lock);
    if (state.level != SANDBOX_LEVEL_FULL || !sandbox->temporary.files || (of_host && !has(sandbox, &arena, path)))
        return (struct hv_str){0};
    struct sandbox_place place = sandbox_place_of(sandbox);
    return sandbox_plan_owns_tmp(&place, &arena) ? hv_str_from(sandbox->temporary.files) : (struct hv_str){0};
}

/* ---- the files as commands see them ------------------------------------------------------------------------------ */

static bool takes(void *user, struct hv_str name, struct hv_str *folder)
{
    *folder = sandbox_tmp_of(user, name);
    return folder->len;
}

static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    const struct sandbox_files *files = (const struct sandbox_files *)host;
    return fs_resolve(&files->stand_in, arena, path, false, out, err);
}

static enum hv_code look(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err)
{
    const struct sandbox_files *files = (const struct sandbox_files *)host;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str real = path;
    enum hv_code code = HV_OK;
    if (path_inside(path, files->stand_in.path))
        code = fs_resolve(&files->stand_in, &arena, path, !follow, &real, err);
    return code ? code : files->machine->stat(files->machine, real, follow, out, err);
}

void sandbox_files_init(struct sandbox_files *files, struct hv_sandbox *sandbox, const struct hv_host *machine,
                        struct hv_arena *arena)
{
    *files = (struct sandbox_files){.host = *machine, .sandbox = sandbox, .machine = machine};
    files->stand_in = (struct fs_stand_in){.path = HV_STR("/tmp"), .takes = takes, .user = sandbox};
    (void)!machine->resolve(machine, arena, HV_STR("/tmp"), &files->stand_in.path, NULL);
    files->host.resolve = resolve;
    files->host.stat = look;
}

struct hv_str sandbox_files_shown(const struct sandbox_files *files, struct hv_arena *arena, struct hv_str path)
{
    struct hv_sandbox *sandbox = files->sandbox;
    LOCK_SCOPE(&sandbox->lock);
    struct hv_str folder = hv_str_from(sandbox->temporary.files ? sandbox->temporary.files : "");
    if (!path.len || !folder.len || !path_inside(path, folder))
        return (struct hv_str){0};
    struct hv_str rest = hv_str_slice(path, folder.len, path.len);
    return hv_arena_format(arena, "%.*s%.*s", HV_STR_ARG(files->stand_in.path), HV_STR_ARG(rest));
}
