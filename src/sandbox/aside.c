/*
 * aside.c: what a command made where something protected did not exist: settings of agents and editors, hooks. Nothing
 * can be mounted where nothing is, and a stand-in would be seen by every program that lists the folder. So it may be
 * made, and gets another name when the command has ended: no program obeys it, and nothing is lost.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"
#include "sandbox/sandbox_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 100 };

struct hv_str aside_take(struct hv_str path, struct hv_arena *arena, bool *failed)
{
    struct stat status;
    /* What still runs may have put a link in the way: none is followed. */
    CLEANUP_FD int folder = fs_open_no_links(AT_FDCWD, path_parent(path), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *name = hv_arena_cstr(arena, path_name(path));
    if (folder < 0 || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return (struct hv_str){0};
    for (int number = 1; number < NAMES_MAX; number++) {
        struct hv_str to = number == 1 ? hv_arena_format(arena, "%s.moved-aside", name)
                                       : hv_arena_format(arena, "%s.moved-aside-%d", name, number);
        if (renameat2(folder, name, folder, to.ptr, RENAME_NOREPLACE) == 0)
            return hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(path_parent(path)), HV_STR_ARG(to));
        if (errno != EEXIST)
            break;
    }
    *failed = true;
    return path;
}

/* One step of a path is a name of this kind: others are not kept in mind. */
static bool may_be_protected(struct hv_str path)
{
    static const char *const names[] = {"/.helve/", "/.claude/", "/.vscode/", "/.idea/", "/hooks/", "/.mcp.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_find(path, hv_str_from(names[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

void sandbox_note_written(struct hv_sandbox *sandbox, struct hv_str path)
{
    if (!sandbox || !may_be_protected(path))
        return;
    LOCK_SCOPE(&sandbox->own_lock);
    for (size_t i = 0; i < sandbox->own_files.count; i++)
        if (hv_str_eq(sandbox->own_files.items[i], path))
            return;
    *vec_push(&sandbox->own_files) = hv_arena_str(&sandbox->own_arena, path);
}

static bool is_own(struct hv_sandbox *sandbox, struct hv_str path)
{
    LOCK_SCOPE(&sandbox->own_lock);
    for (size_t i = 0; i < sandbox->own_files.count; i++)
        if (path_inside(sandbox->own_files.items[i], path))
            return true;
    return false;
}

struct hv_str aside_move(struct hv_sandbox *sandbox, const struct sandbox_plan *plan, struct hv_arena *arena)
{
    struct hv_str said = {0};
    for (size_t i = 0; i < plan->missing_count; i++) {
        struct hv_str path = plan->missing[i];
        bool failed = false;
        struct hv_str to = is_own(sandbox, path) ? (struct hv_str){0} : aside_take(path, arena, &failed);
        if (!to.len)
            continue;
        struct hv_str one =
            failed
                ? hv_arena_format(arena, "%.*s was made, and could not be moved aside: take it away.", HV_STR_ARG(path))
                : hv_arena_format(arena, "The sandbox moved %.*s, which did not exist before, to %.*s.",
                                  HV_STR_ARG(path), HV_STR_ARG(to));
        said = said.len ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(said), HV_STR_ARG(one)) : one;
    }
    if (said.len)
        said =
            hv_arena_format(arena,
                            "%.*s\nOther programs run or obey what has that name: no sandboxed command makes it. Use "
                            "Write or Edit for it, or ask to leave the sandbox (sandbox: false).",
                            HV_STR_ARG(said));
    return said;
}
