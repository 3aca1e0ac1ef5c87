/* git_settings.c: see git_settings.h. */
#include "fs/git_settings.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/git_condition.h"
#include "fs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INCLUDES_MAX = 20, URLS_MAX = 256, PERSON_FILES = 3 };

struct hv_str git_file_read(struct hv_arena *arena, int directory, const char *name, int no_follow)
{
    CLEANUP_FD int fd = openat(directory, name, O_RDONLY | no_follow | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status))
        return hv_str_of(NULL, 0);
    if (!S_ISREG(status.st_mode) || status.st_size > GIT_FILE_MAX) {
        errno = S_ISREG(status.st_mode) ? EFBIG : EINVAL;
        return hv_str_of(NULL, 0);
    }
    char *bytes = hv_arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = fs_read_at(fd, bytes, (size_t)status.st_size, 0);
    return got < 0 ? hv_str_of(NULL, 0) : hv_str_of(bytes, (size_t)got);
}

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, const char *name)
{
    return hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(directory), name);
}

struct hv_str git_config_home(struct hv_arena *arena, const struct git_person *person)
{
    return person->config_home.len ? person->config_home : join(arena, person->home, ".config");
}

/* The machine's settings and the person's, in the order in which they hold; none without a person. Returns how many. */
static size_t person_files(struct hv_arena *arena, const struct git_person *person, struct hv_str *paths)
{
    if (!person->home.len)
        return 0;
    paths[0] = HV_STR("/etc/gitconfig");
    paths[1] = join(arena, git_config_home(arena, person), "git/config");
    paths[2] = join(arena, person->home, ".gitconfig");
    return PERSON_FILES;
}

/* Reading one file and those it includes. */
struct configuration {
    struct hv_arena *arena;
    const struct git_person *person;
    struct hv_str shared, worktree;  /* of the repository, or absent */
    struct hv_str directory;         /* of the file at hand */
    struct git_situation *situation; /* found when the first condition asks */
    unsigned included;
};

static void read_configuration(struct configuration *configuration, struct hv_str path, struct git_settings *settings);

/* ---- conditions ------------------------------------------------------------------------------------------ */

/* path with its links resolved; absent when it leads nowhere. */
static struct hv_str resolved(struct hv_arena *arena, struct hv_str path)
{
    char real[PATH_MAX];
    if (!path.len || !realpath(hv_arena_cstr(arena, path), real))
        return hv_str_of(NULL, 0);
    return hv_arena_str(arena, hv_str_from(real));
}

static struct hv_str current_branch(struct hv_arena *arena, struct hv_str worktree)
{
    struct hv_str head = hv_str_trim(git_file_read(arena, AT_FDCWD, join(arena, worktree, "HEAD").ptr, 0));
    struct hv_str before = HV_STR("ref: refs/heads/");
    return hv_str_starts(head, before) ? hv_str_slice(head, before.len, head.len) : hv_str_of(NULL, 0);
}

/* The remotes' addresses in one file, behind those that are in urls. */
static void find_urls(struct hv_arena *arena, struct hv_str path, struct hv_str *urls, size_t *count)
{
    struct git_config_reader reader = {.text = git_file_read(arena, AT_FDCWD, path.ptr, 0)};
    struct git_config_variable variable;
    while (*count < URLS_MAX && git_config_next(&reader, arena, &variable))
        if (variable.subsection && variable.value.len && hv_str_eq_nocase(variable.section, HV_STR("remote")) &&
            hv_str_eq_nocase(variable.name, HV_STR("url")))
            urls[(*count)++] = variable.value;
}

static struct git_situation *find_situation(const struct configuration *configuration)
{
    struct hv_arena *arena = configuration->arena;
    struct git_situation *situation = hv_arena_new(arena, struct git_situation);
    struct hv_str worktree = configuration->worktree;
    struct hv_str *urls = hv_arena_alloc(arena, URLS_MAX * sizeof *urls);
    *situation = (struct git_situation){.home = resolved(arena, configuration->person->home), .urls = urls};
    if (worktree.len) {
        situation->directories[0] = resolved(arena, worktree);
        situation->directories[1] = worktree;
        situation->branch = current_branch(arena, worktree);
    }
    struct hv_str paths[PERSON_FILES];
    size_t count = person_files(arena, configuration->person, paths);
    for (size_t i = 0; i < count; i++)
        find_urls(arena, paths[i], urls, &situation->url_count);
    if (configuration->shared.len)
        find_urls(arena, join(arena, configuration->shared, "config"), urls, &situation->url_count);
    return situation;
}

static bool holds(struct configuration *configuration, struct hv_str condition)
{
    if (!configuration->situation)
        configuration->situation = find_situation(configuration);
    configuration->situation->configuration = resolved(configuration->arena, configuration->directory);
    return git_condition_holds(configuration->arena, condition, configuration->situation);
}

static void include(void *user, struct hv_str condition, struct hv_str path, struct git_settings *settings)
{
    struct configuration *outer = user;
    if (outer->included >= INCLUDES_MAX || memchr(path.ptr, '\0', path.len) ||
        (condition.ptr && !holds(outer, condition)))
        return;
    outer->included++;
    read_configuration(outer, path_expand(outer->arena, path, outer->directory, outer->person->home), settings);
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

struct git_settings git_settings_find(struct hv_arena *arena, const struct git_person *person, struct hv_str shared,
                                      struct hv_str worktree)
{
    struct configuration configuration = {.arena = arena, .person = person, .shared = shared, .worktree = worktree};
    struct git_settings settings = {0};
    struct hv_str paths[PERSON_FILES];
    size_t count = person_files(arena, person, paths);
    for (size_t i = 0; i < count; i++)
        read_configuration(&configuration, paths[i], &settings);
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
