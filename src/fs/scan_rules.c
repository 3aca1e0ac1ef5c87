/* scan_rules.c: see scan_rules.h. */
#include "fs/scan_rules.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/git_settings.h"
#include "fs/open.h"
#include "text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RULE_COST = 128 };

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, const char *name)
{
    return hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(directory), name);
}

/* Where files are put on chains: the directory at hand. */
struct entering {
    struct hv_arena *arena;
    struct scan_surroundings *around;
    struct hv_str base;
    struct scan_rules_entered counted; /* so far */
};

static void mix(uint64_t *id, struct hv_str text)
{
    *id = (*id ^ hv_str_hash(text)) * UINT64_C(0x9E3779B97F4A7C15);
    *id ^= *id >> 29;
}

/* Put the rules of one file in front of *chain, one of those of rules. */
static void add_file(struct entering *entering, int directory, const char *name, int no_follow,
                     struct scan_rules *rules, const struct ignore_chain **chain)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_str bytes = git_file_read(&scratch, directory, name, no_follow);
    if (!bytes.ptr && errno != ENOENT && errno != ENOTDIR)
        entering->counted.unreadable++;
    if (!bytes.len)
        return;
    size_t cost = bytes.len + lines_count(bytes) * RULE_COST;
    if (atomic_fetch_add(&entering->around->bytes, cost) + cost > SCAN_RULES_MAX) {
        atomic_fetch_sub(&entering->around->bytes, cost);
        atomic_fetch_add(&entering->around->skipped, 1);
        return;
    }
    entering->counted.bytes += cost;
    mix(&rules->id, hv_str_from(name));
    mix(&rules->id, entering->base);
    mix(&rules->id, bytes);
    const struct ignore_list *list = ignore_parse(entering->arena, bytes, rules->flags);
    if (!list)
        return;
    struct ignore_chain *link = hv_arena_new(entering->arena, struct ignore_chain);
    *link =
        (struct ignore_chain){.parent = *chain, .list = list, .base = hv_arena_str(entering->arena, entering->base)};
    *chain = link;
}

/* ---- repositories ---------------------------------------------------------------------------------------- */

/* The person's global excludes and, where there is a repository at top, its own: the bottom of the chain of git. */
static void start_git(struct entering *entering, bool repository, struct hv_str top, struct scan_rules *rules)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct scan_surroundings *around = entering->around;
    struct hv_str shared = {0}, worktree = repository ? git_directory(&scratch, top, &shared) : shared;
    const struct git_person person = {around->home, around->config_home};
    struct git_settings settings = git_settings_find(&scratch, &person, shared, worktree);
    struct hv_str file = {0};
    if (settings.excludes_file.len && !memchr(settings.excludes_file.ptr, '\0', settings.excludes_file.len))
        file = path_expand(&scratch, settings.excludes_file, top.len ? top : HV_STR("/"), around->home);
    else if (!settings.excludes_file.ptr && around->home.len)
        file = join(&scratch, git_config_home(&scratch, &person), "git/ignore");
    rules->git = NULL;
    rules->flags = settings.ignore_case ? IGNORE_ICASE : 0;
    mix(&rules->id, settings.ignore_case ? HV_STR("repository, any case") : HV_STR("repository"));
    if (file.len)
        add_file(entering, AT_FDCWD, file.ptr, 0, rules, &rules->git);
    if (repository)
        add_file(entering, AT_FDCWD, join(&scratch, shared, "info/exclude").ptr, 0, rules, &rules->git);
}

/* The nearest directory above root, or root itself, that holds a repository; root where there is none. */
static struct hv_str find_top(struct hv_str root, bool *found)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct stat status;
    for (struct hv_str at = root;; at.len = hv_str_rfind_byte(at, '/')) {
        *found = lstat(join(&scratch, at, ".git").ptr, &status) == 0;
        if (*found)
            return at;
        if (!at.len)
            return root;
    }
}

void scan_rules_start(struct hv_arena *arena, struct hv_str root, struct hv_str home, struct hv_str config_home_path,
                      struct scan_surroundings *around, struct scan_rules *rules)
{
    bool found;
    around->home = hv_arena_str(arena, home);
    around->config_home = hv_arena_str(arena, config_home_path);
    around->top = hv_arena_str(arena, find_top(root, &found));
    around->prefix = hv_arena_str(arena, hv_str_slice(root, around->top.len + 1, root.len));
    struct entering entering = {.arena = arena, .around = around, .base = HV_STR("")};
    *rules = (struct scan_rules){0};
    mix(&rules->id, around->top);
    start_git(&entering, found, around->top, rules);
    around->unreadable = entering.counted.unreadable;
    if (!found)
        return;
    /* The directories from the top to the one above the root; the scan itself reads the root's. */
    struct hv_str prefix = around->prefix;
    struct scan_rule_files all = {.helve = true, .general = true, .git = true};
    for (size_t end = 0; prefix.len && end != SIZE_MAX; end = hv_str_find_byte(prefix, '/', end ? end + 1 : 1)) {
        struct hv_str base = hv_str_slice(prefix, 0, end);
        struct hv_str path = join(arena, around->top, hv_arena_cstr(arena, base));
        CLEANUP_FD int fd = open(path.ptr, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            around->unreadable += scan_rules_enter(arena, around, fd, base, &all, rules).unreadable;
    }
}

/* ---- inside the scan ------------------------------------------------------------------------------------- */

void scan_rule_files_note(struct scan_rule_files *files, struct hv_str name)
{
    if (name.len < 4 || name.ptr[0] != '.')
        return;
    files->helve |= hv_str_is(name, ".helveignore");
    files->general |= hv_str_is(name, ".ignore");
    files->git |= hv_str_is(name, ".gitignore");
    files->repository |= hv_str_is(name, ".git");
}

void scan_rule_files_probe(struct scan_rule_files *files, int directory)
{
    struct stat status;
    *files = (struct scan_rule_files){.helve = true, .general = true, .git = true};
    files->repository = fstatat(directory, ".git", &status, AT_SYMLINK_NOFOLLOW) == 0;
}

struct scan_rules_entered scan_rules_enter(struct hv_arena *arena, struct scan_surroundings *around, int directory,
                                           struct hv_str base, const struct scan_rule_files *files,
                                           struct scan_rules *rules)
{
    struct entering entering = {.arena = arena, .around = around, .base = base};
    if (files->repository && base.len > around->prefix.len) {
        /* A repository of its own: git's rules of the outer one end here. */
        CLEANUP_ARENA struct hv_arena scratch = {0};
        start_git(&entering, true, join(&scratch, around->top, hv_arena_cstr(&scratch, base)), rules);
    }
    if (files->helve)
        add_file(&entering, directory, ".helveignore", O_NOFOLLOW, rules, &rules->helve);
    if (files->general)
        add_file(&entering, directory, ".ignore", O_NOFOLLOW, rules, &rules->general);
    if (files->git)
        add_file(&entering, directory, ".gitignore", O_NOFOLLOW, rules, &rules->git);
    return entering.counted;
}

void scan_rules_leave(struct scan_surroundings *around, size_t bytes)
{
    if (bytes)
        atomic_fetch_sub(&around->bytes, bytes);
}

bool scan_rules_ignored(const struct scan_rules *rules, struct hv_str path, bool is_directory)
{
    const struct ignore_chain *const chains[] = {rules->helve, rules->general, rules->git};
    for (size_t i = 0; i < 3; i++) {
        enum ignore_verdict verdict = chains[i] ? ignore_chain_match(chains[i], path, is_directory) : IGNORE_NONE;
        if (verdict != IGNORE_NONE)
            return verdict == IGNORE_IGNORED;
    }
    return false;
}
