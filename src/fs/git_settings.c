/* git_settings.c: see git_settings.h. */
#include "fs/git_settings.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { INCLUDES_MAX = 20 };

struct hv_str git_file_read(struct hv_arena *arena, int directory, const char *name, int no_follow)
{
    CLEANUP_FD int fd = openat(directory, name, O_RDONLY | no_follow | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > GIT_FILE_MAX)
        return hv_str_of(NULL, 0);
    char *bytes = hv_arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = fs_read_at(fd, bytes, (size_t)status.st_size, 0);
    return got < 0 ? hv_str_of(NULL, 0) : hv_str_of(bytes, (size_t)got);
}

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, const char *name)
{
    return hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(directory), name);
}

/* Reading one file and those it includes. */
struct configuration {
    struct hv_arena *arena;
    struct hv_str home, directory; /* of the file at hand */
    unsigned included;
};

static void read_configuration(struct configuration *configuration, struct hv_str path, struct git_settings *settings);

static void include(void *user, struct hv_str path, struct git_settings *settings)
{
    struct configuration *outer = user;
    if (++outer->included > INCLUDES_MAX || memchr(path.ptr, '\0', path.len))
        return;
    read_configuration(outer, path_expand(outer->arena, path, outer->directory, outer->home), settings);
}

/* Files include each other at most INCLUDES_MAX times altogether, so that a circle ends. */
static void read_configuration(struct configuration *configuration, struct hv_str path, struct git_settings *settings)
{
    struct hv_str text = git_file_read(configuration->arena, AT_FDCWD, path.ptr, 0);
    struct hv_str outside = configuration->directory;
    configuration->directory = path_parent(path);
    git_settings_read(configuration->arena, text, &(struct git_config_includes){include, configuration}, settings);
    configuration->directory = outside;
}

struct hv_str git_config_home(struct hv_arena *arena, const struct git_person *person)
{
    return person->config_home.len ? person->config_home : join(arena, person->home, ".config");
}

struct git_settings git_settings_find(struct hv_arena *arena, const struct git_person *person, struct hv_str shared,
                                      struct hv_str worktree)
{
    struct configuration configuration = {.arena = arena, .home = person->home};
    struct git_settings settings = {0};
    if (person->home.len) {
        read_configuration(&configuration, HV_STR("/etc/gitconfig"), &settings);
        read_configuration(&configuration, join(arena, git_config_home(arena, person), "git/config"), &settings);
        read_configuration(&configuration, join(arena, person->home, ".gitconfig"), &settings);
    }
    if (shared.len)
        read_configuration(&configuration, join(arena, shared, "config"), &settings);
    if (shared.len && settings.worktree_config)
        read_configuration(&configuration, join(arena, worktree, "config.worktree"), &settings);
    return settings;
}

/* ---- repositories ---------------------------------------------------------------------------------------- */

struct hv_str git_directory(struct hv_arena *arena, struct hv_str top, struct hv_str *shared)
{
    struct hv_str git = join(arena, top, ".git");
    struct hv_str line = hv_str_trim(git_file_read(arena, AT_FDCWD, git.ptr, 0));
    if (hv_str_starts(line, HV_STR("gitdir:")) && !memchr(line.ptr, '\0', line.len))
        git = path_expand(arena, hv_str_trim(hv_str_slice(line, 7, line.len)), top, hv_str_of(NULL, 0));
    *shared = git;
    line = hv_str_trim(git_file_read(arena, AT_FDCWD, join(arena, git, "commondir").ptr, 0));
    if (line.len && !memchr(line.ptr, '\0', line.len))
        *shared = path_expand(arena, line, git, hv_str_of(NULL, 0));
    return git;
}
