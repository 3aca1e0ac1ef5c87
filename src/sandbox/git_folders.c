/* git_folders.c: see git_folders.h. Breadth first, so that what is near is found whatever else there is. */
#include "sandbox/git_folders.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "fs/git_config.h"
#include "fs/git_settings.h"

#include <string.h>

enum { FOLDERS_MAX = 4000, ENTRIES_MAX = 20000, DEPTH_MAX = 6, FOUND_MAX = 128, TIME_MS = 1000 };
enum { OBEYED_MAX = 64, INCLUDED_DEEP = 4, CONFIG_MAX = 1 << 20 };

struct search {
    struct git_folders *found;
    const struct hv_host *host;
    struct hv_arena arena; /* of the search */
    struct folder {
        struct hv_str path;
        unsigned depth;
        bool of_git; /* below a folder of git: modules/ and worktrees/ are looked into */
    } * folders;
    size_t count;
    uint64_t until;
};

static void queue(struct search *search, struct hv_str path, unsigned depth, bool of_git)
{
    if (depth > DEPTH_MAX)
        return;
    if (search->count < FOLDERS_MAX)
        search->folders[search->count++] = (struct folder){path, depth, of_git};
    else
        search->found->cut = true;
}

static void keep(struct search *search, struct hv_str path)
{
    if (search->found->count < FOUND_MAX)
        search->found->paths[search->found->count++] = hv_arena_str(&search->found->arena, path);
    else
        search->found->cut = true;
}

static struct hv_str join(struct search *search, struct hv_str folder, struct hv_str name)
{
    return hv_arena_format(&search->arena, "%.*s%s%.*s", HV_STR_ARG(folder), hv_str_is(folder, "/") ? "" : "/",
                           HV_STR_ARG(name));
}

/* In a folder of git: where it keeps those of submodules and worktrees. */
static void queue_inner(struct search *search, struct hv_str folder, unsigned depth)
{
    queue(search, join(search, folder, HV_STR("modules")), depth, true);
    queue(search, join(search, folder, HV_STR("worktrees")), depth, true);
}

static bool has(const struct hv_directory_entry *entries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_is(entries[i].name, name))
            return true;
    return false;
}

static void look_at_entry(struct search *search, const struct folder *folder, const struct hv_directory_entry *entry)
{
    struct hv_str path = join(search, folder->path, entry->name);
    if (!folder->of_git && hv_str_is(entry->name, ".git")) {
        if (folder->depth)
            keep(search, path);
        if (entry->kind == HV_FILE_DIRECTORY)
            queue_inner(search, path, folder->depth + 1);
    } else if (entry->kind == HV_FILE_DIRECTORY && !hv_str_is(entry->name, "node_modules")) {
        queue(search, path, folder->depth + 1, folder->of_git);
    }
}

/* A folder with these in it acts as a repository, whatever it is called. */
static bool is_repository(const struct hv_directory_entry *entries, size_t count)
{
    return has(entries, count, "HEAD") &&
           ((has(entries, count, "objects") && has(entries, count, "refs")) || has(entries, count, "commondir"));
}

static void look_into(struct search *search, const struct folder *folder)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    if (search->host->list(search->host, &search->arena, folder->path, ENTRIES_MAX, &entries, &count, &more, NULL) !=
        HV_OK)
        return;
    search->found->cut |= more;
    if (is_repository(entries, count)) {
        keep(search, folder->path);
        queue_inner(search, folder->path, folder->depth + 1);
        if (folder->depth) /* in a root, work trees and others may lie beside what is git's */
            return;
    }
    for (size_t i = 0; i < count; i++)
        look_at_entry(search, folder, &entries[i]);
}

/* ---- what configurations name ---------------------------------------------------------------------------- */

static bool is_known(const struct git_folders *found, struct hv_str path)
{
    for (size_t i = 0; i < found->obeyed_count; i++)
        if (hv_str_eq(found->obeyed[i].path, path))
            return true;
    return found->obeyed_count == OBEYED_MAX;
}

/* top: the work tree, from which folders of hooks are named; files that are included are named from where that stands.
 */
static void read_config(struct search *search, struct hv_str file, struct hv_str top, unsigned depth)
{
    CLEANUP_BUF struct hv_buf text = {.max = CONFIG_MAX};
    struct git_folders *found = search->found;
    struct git_config_variable variable;
    if (search->host->read(search->host, file, 0, CONFIG_MAX, &text, NULL, NULL) != HV_OK)
        return;
    struct git_config_reader reader = {.text = hv_buf_str(&text)};
    while (git_config_next(&reader, &search->arena, &variable)) {
        bool hooks = hv_str_eq_nocase(variable.section, HV_STR("core")) && !variable.subsection &&
                     hv_str_eq_nocase(variable.name, HV_STR("hookspath"));
        bool included = (hv_str_eq_nocase(variable.section, HV_STR("include")) ||
                         hv_str_eq_nocase(variable.section, HV_STR("includeif"))) &&
                        hv_str_eq_nocase(variable.name, HV_STR("path"));
        if (!(hooks || included) || !variable.value.len || strchr("~%", variable.value.ptr[0]))
            continue;
        struct hv_str path =
            path_expand(&found->arena, variable.value, hooks ? top : path_parent(file), (struct hv_str){0});
        if (is_known(found, path))
            continue;
        found->obeyed[found->obeyed_count++] = (struct git_obeyed){path, hooks};
        if (included && depth < INCLUDED_DEEP)
            read_config(search, path, top, depth + 1);
    }
}

static void read_configs(struct search *search, struct hv_str folder, struct hv_str top)
{
    read_config(search, join(search, folder, HV_STR("config")), top, 0);
    read_config(search, join(search, folder, HV_STR("config.worktree")), top, 0);
}

static void find_obeyed(struct search *search, const struct hv_str *roots, size_t count)
{
    struct git_folders *found = search->found;
    found->obeyed = hv_arena_array(&found->arena, struct git_obeyed, OBEYED_MAX);
    for (size_t i = 0; i < count; i++) {
        struct hv_str shared = {0}, own = git_directory(&search->arena, roots[i], &shared);
        if (shared.len)
            read_configs(search, shared, roots[i]);
        if (own.len && !hv_str_eq(own, shared))
            read_configs(search, own, roots[i]);
    }
    for (size_t i = 0; i < found->count; i++)
        read_configs(search, found->paths[i], path_parent(found->paths[i]));
}

/* ---- what worktrees have in common ----------------------------------------------------------------------- */

static bool is_folder(const struct search *search, struct hv_str path)
{
    struct hv_file_stat found;
    return search->host->stat(search->host, path, false, &found, NULL) == HV_OK && found.kind == HV_FILE_DIRECTORY;
}

static struct hv_str real_path(struct search *search, struct hv_str path)
{
    struct hv_str real;
    return search->host->resolve(search->host, &search->arena, path, &real, NULL) == HV_OK ? real : (struct hv_str){0};
}

/* The folder of the worktree says back where that is. */
static bool names_back(struct search *search, struct hv_str own, struct hv_str root)
{
    CLEANUP_BUF struct hv_buf text = {.max = CONFIG_MAX};
    if (search->host->read(search->host, join(search, own, HV_STR("gitdir")), 0, CONFIG_MAX, &text, NULL, NULL) !=
        HV_OK)
        return false;
    struct hv_str file = path_expand(&search->arena, hv_str_trim(hv_buf_str(&text)), own, (struct hv_str){0});
    return hv_str_is(path_name(file), ".git") && hv_str_eq(real_path(search, path_parent(file)), root);
}

/* What a root says by its file `.git` is worth nothing, since commands may have written it: the repository must be
 * outside of all roots, and know of this worktree. */
static void find_shared(struct search *search, const struct hv_str *roots, size_t count, struct hv_str root)
{
    struct hv_str shared = {0}, own = git_directory(&search->arena, root, &shared);
    struct git_folders *found = search->found;
    if (!own.len || !shared.len || hv_str_eq(own, shared))
        return;
    own = real_path(search, own);
    shared = real_path(search, shared);
    if (!shared.len || !hv_str_eq(path_parent(own), join(search, shared, HV_STR("worktrees"))) ||
        !is_folder(search, join(search, shared, HV_STR("objects"))) ||
        !is_folder(search, join(search, shared, HV_STR("refs"))) || !names_back(search, own, real_path(search, root)))
        return;
    for (size_t i = 0; i < count; i++) {
        struct hv_str other = real_path(search, roots[i]);
        if (path_inside(own, other) || path_inside(shared, other) || path_inside(other, shared))
            return;
    }
    found->shared[found->shared_count++] = hv_arena_str(&found->arena, shared);
    queue(search, shared, 1, true);
}

void git_folders_find(struct git_folders *found, const struct hv_host *host, const struct hv_str *roots, size_t count)
{
    struct search search = {.found = found, .host = host};
    search.until = host->monotonic_ns(host) + TIME_MS * CLOCK_MILLISECOND;
    search.folders = hv_arena_array(&search.arena, struct folder, FOLDERS_MAX);
    found->paths = hv_arena_array(&found->arena, struct hv_str, FOUND_MAX);
    found->looked = true;
    for (size_t i = 0; i < count; i++)
        queue(&search, roots[i], 0, false);
    found->shared = hv_arena_array(&found->arena, struct hv_str, count);
    for (size_t i = 0; i < count; i++)
        find_shared(&search, roots, count, roots[i]);
    for (size_t i = 0; i < search.count; i++) {
        struct folder folder = search.folders[i];
        if (host->monotonic_ns(host) >= search.until) {
            found->cut = true;
            break;
        }
        look_into(&search, &folder);
    }
    find_obeyed(&search, roots, count);
    hv_arena_release(&search.arena);
}

void git_folders_release(struct git_folders *found)
{
    hv_arena_release(&found->arena);
    *found = (struct git_folders){0};
}
