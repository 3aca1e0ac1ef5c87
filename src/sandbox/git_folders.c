/* git_folders.c: see git_folders.h. Breadth first, so that what is near is found whatever else there is. */
#include "sandbox/git_folders.h"

#include "base/clock.h"

#include <string.h>

enum { FOLDERS_MAX = 4000, ENTRIES_MAX = 2000, DEPTH_MAX = 6, FOUND_MAX = 128, TIME_MS = 30 };

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
    if (search->count < FOLDERS_MAX && depth <= DEPTH_MAX)
        search->folders[search->count++] = (struct folder){path, depth, of_git};
}

static void keep(struct search *search, struct hv_str path)
{
    if (search->found->count < FOUND_MAX)
        search->found->paths[search->found->count++] = hv_arena_str(&search->found->arena, path);
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
    if (folder->depth && is_repository(entries, count)) {
        keep(search, folder->path);
        queue_inner(search, folder->path, folder->depth + 1);
        return;
    }
    for (size_t i = 0; i < count; i++)
        look_at_entry(search, folder, &entries[i]);
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
    for (size_t i = 0; i < search.count && host->monotonic_ns(host) < search.until; i++) {
        struct folder folder = search.folders[i];
        look_into(&search, &folder);
    }
    hv_arena_release(&search.arena);
}

void git_folders_release(struct git_folders *found)
{
    hv_arena_release(&found->arena);
    *found = (struct git_folders){0};
}
