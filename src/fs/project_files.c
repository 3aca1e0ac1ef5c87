/* project_files.c: see project_files.h. */
#include "fs/project_files.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <limits.h>
#include <sys/stat.h>

static bool is_there(struct hv_arena *arena, struct hv_str directory, struct hv_str name)
{
    struct stat status;
    struct hv_str path = hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(directory), HV_STR_ARG(name));
    return lstat(path.ptr, &status) == 0;
}

bool fs_holds_none(struct hv_str directory, struct hv_str home, const char *names)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    char resolved[PATH_MAX], resolved_home[PATH_MAX];
    if (!hv_str_starts(directory, HV_STR("/")) || hv_str_find_byte(directory, '\0', 0) != SIZE_MAX)
        return false;
    struct hv_str at = hv_arena_str(&scratch, directory);
    if (realpath(at.ptr, resolved))
        at = hv_str_from(resolved);
    if (home.len && realpath(hv_arena_cstr(&scratch, home), resolved_home))
        home = hv_str_from(resolved_home);
    for (; !hv_str_eq(at, home); at = path_parent(at)) {
        struct hv_str rest = hv_str_from(names), name;
        while (hv_str_split(&rest, ' ', &name))
            if (name.len && is_there(&scratch, at, name))
                return false;
        if (at.len <= 1)
            break;
    }
    return true;
}
