/* rules.c: see rules.h. */
#include "fs/rules.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RULES_FILE_MAX = 1 << 20 };

/* The beginning of a small file. False when there is none that can be read; links are not followed, as in git. */
static bool read_small(int directory, const char *name, struct hv_buf *out)
{
    CLEANUP_FD int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode))
        return false;
    size_t size = status.st_size < RULES_FILE_MAX ? (size_t)status.st_size : RULES_FILE_MAX;
    hv_buf_clear(out);
    char *room = hv_buf_reserve(out, size + 1);
    ssize_t got = room ? fs_read_at(fd, room, size, 0) : -1;
    if (got < 0)
        return false;
    hv_buf_commit(out, (size_t)got);
    return true;
}

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, const char *name)
{
    return hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(directory), name);
}

/* The chain with the rules of one file in front; the chain itself when the file has none. */
static const struct ignore_chain *with_file(struct hv_arena *arena, const struct ignore_chain *chain, int directory,
                                            const char *name, struct hv_str base, unsigned flags)
{
    CLEANUP_BUF struct hv_buf bytes;
    hv_buf_init(&bytes, RULES_FILE_MAX + 1);
    if (!read_small(directory, name, &bytes))
        return chain;
    const struct ignore_list *list = ignore_parse(arena, hv_buf_str(&bytes), flags);
    if (!list)
        return chain;
    struct ignore_chain *link = hv_arena_new(arena, struct ignore_chain);
    *link = (struct ignore_chain){.parent = chain, .list = list, .base = hv_arena_str(arena, base)};
    return link;
}

/* ---- git's configuration, as far as it concerns ignoring ------------------------------------------------- */

static struct hv_str unquote(struct hv_str value)
{
    value = hv_str_trim(value);
    if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"')
        return hv_str_slice(value, 1, value.len - 1);
    return value;
}

/* The last value of core.<key> in the text of a git configuration; absent when there is none. */
static struct hv_str core_value(struct hv_str text, const char *key)
{
    struct hv_str line, value = {0};
    bool in_core = false;
    while (hv_str_split(&text, '\n', &line)) {
        line = hv_str_trim(line);
        if (line.len && line.ptr[0] == '[') {
            in_core = hv_str_eq_nocase(line, HV_STR("[core]"));
            continue;
        }
        size_t equals = hv_str_find_byte(line, '=', 0);
        struct hv_str name = hv_str_trim(hv_str_slice(line, 0, equals));
        if (in_core && equals != SIZE_MAX && hv_str_eq_nocase(name, hv_str_from(key)))
            value = unquote(hv_str_slice(line, equals + 1, line.len));
    }
    return value;
}

static const struct ignore_chain *global_excludes(struct hv_arena *arena, struct hv_str home)
{
    if (!home.len)
        return NULL;
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, RULES_FILE_MAX + 1);
    struct hv_str file = join(arena, home, ".config/git/ignore");
    const char *const configurations[] = {".config/git/config", ".gitconfig"};
    for (size_t i = 0; i < 2; i++) {
        if (!read_small(AT_FDCWD, join(arena, home, configurations[i]).ptr, &text))
            continue;
        struct hv_str value = core_value(hv_buf_str(&text), "excludesfile");
        if (value.len)
            file = path_expand(arena, value, home, home);
    }
    return with_file(arena, NULL, AT_FDCWD, file.ptr, HV_STR(""), 0);
}

/* ---- the repository ------------------------------------------------------------------------------------- */

/* Where the repository's shared files are: .git itself, or what the file .git of a worktree or submodule names. */
static struct hv_str git_directory(struct hv_arena *arena, struct hv_str top)
{
    struct hv_str git = join(arena, top, ".git");
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, RULES_FILE_MAX + 1);
    if (!read_small(AT_FDCWD, git.ptr, &text))
        return git;
    struct hv_str line = hv_str_trim(hv_buf_str(&text));
    if (!hv_str_starts(line, HV_STR("gitdir:")) || memchr(line.ptr, '\0', line.len))
        return git;
    git = path_expand(arena, hv_str_trim(hv_str_slice(line, 7, line.len)), top, (struct hv_str){0});
    if (read_small(AT_FDCWD, join(arena, git, "commondir").ptr, &text))
        git = path_expand(arena, hv_str_trim(hv_buf_str(&text)), git, (struct hv_str){0});
    return git;
}

static const struct ignore_chain *repository_excludes(struct hv_arena *arena, const struct ignore_chain *global,
                                                      struct hv_str top, struct hv_str base, unsigned flags)
{
    struct hv_str file = join(arena, git_directory(arena, top), "info/exclude");
    return with_file(arena, global, AT_FDCWD, file.ptr, base, flags);
}

static bool has_repository(struct hv_arena *arena, struct hv_str directory)
{
    struct stat status;
    return lstat(join(arena, directory, ".git").ptr, &status) == 0;
}

/* The nearest directory above root, or root itself, that holds a repository; root where there is none. */
static struct hv_str find_top(struct hv_arena *arena, struct hv_str root, bool *found)
{
    for (struct hv_str at = root;; at = path_parent(at)) {
        *found = has_repository(arena, hv_str_is(at, "/") ? HV_STR("") : at);
        if (*found)
            return at;
        if (hv_str_is(at, "/"))
            return root;
    }
}

void fs_rules_start(struct hv_arena *arena, struct hv_str root, struct hv_str home, struct fs_repository *repository,
                    struct fs_rules *rules)
{
    bool found;
    struct hv_str top = find_top(arena, root, &found);
    struct hv_str prefix = hv_str_eq(top, root) ? HV_STR("") : path_relative(root, top);
    *repository = (struct fs_repository){.top = top, .prefix = prefix, .global = global_excludes(arena, home)};
    *rules = (struct fs_rules){.git = repository->global};
    if (!found)
        return;
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, RULES_FILE_MAX + 1);
    if (read_small(AT_FDCWD, join(arena, git_directory(arena, top), "config").ptr, &text) &&
        hv_str_eq_nocase(core_value(hv_buf_str(&text), "ignorecase"), HV_STR("true")))
        repository->flags = IGNORE_ICASE;
    rules->git = repository_excludes(arena, repository->global, top, HV_STR(""), repository->flags);
    /* The directories from the top to the one above the root; the walk itself reads the root's. */
    for (size_t end = 0; prefix.len && end != SIZE_MAX; end = hv_str_find_byte(prefix, '/', end ? end + 1 : 1)) {
        struct hv_str base = hv_str_slice(prefix, 0, end);
        struct hv_str path = base.len ? join(arena, top, hv_arena_cstr(arena, base)) : top;
        CLEANUP_FD int fd = open(hv_arena_cstr(arena, path), O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct fs_rule_files all = {.helve = true, .general = true, .git = true};
        if (fd >= 0)
            *rules = *fs_rules_enter(arena, repository, rules, fd, base, &all);
    }
}

/* ---- inside the walk ------------------------------------------------------------------------------------ */

void fs_rule_files_note(struct fs_rule_files *files, struct hv_str name)
{
    if (name.len < 4 || name.ptr[0] != '.')
        return;
    files->helve |= hv_str_is(name, ".helveignore");
    files->general |= hv_str_is(name, ".ignore");
    files->git |= hv_str_is(name, ".gitignore");
    files->repository |= hv_str_is(name, ".git");
}

const struct fs_rules *fs_rules_enter(struct hv_arena *arena, const struct fs_repository *repository,
                                      const struct fs_rules *parent, int directory, struct hv_str base,
                                      const struct fs_rule_files *files)
{
    bool nested = files->repository && base.len > repository->prefix.len;
    if (!files->helve && !files->general && !files->git && !nested)
        return parent;
    struct fs_rules *rules = hv_arena_new(arena, struct fs_rules);
    *rules = *parent;
    if (nested) { /* a repository of its own: git's rules of the outer one end here */
        struct hv_str top = join(arena, repository->top, hv_arena_cstr(arena, base));
        rules->git = repository_excludes(arena, repository->global, top, base, repository->flags);
    }
    if (files->helve)
        rules->helve = with_file(arena, rules->helve, directory, ".helveignore", base, repository->flags);
    if (files->general)
        rules->general = with_file(arena, rules->general, directory, ".ignore", base, repository->flags);
    if (files->git)
        rules->git = with_file(arena, rules->git, directory, ".gitignore", base, repository->flags);
    return rules;
}

bool fs_rules_ignored(const struct fs_rules *rules, struct hv_str path, bool is_directory)
{
    const struct ignore_chain *const chains[] = {rules->helve, rules->general, rules->git};
    for (size_t i = 0; i < 3; i++) {
        enum ignore_verdict verdict = chains[i] ? ignore_chain_match(chains[i], path, is_directory) : IGNORE_NONE;
        if (verdict != IGNORE_NONE)
            return verdict == IGNORE_IGNORED;
    }
    return false;
}
