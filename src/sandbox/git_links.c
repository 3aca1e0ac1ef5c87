/*
 * git_links.c: a `.git` that is a link, as `repo` and vendored checkouts have it, and the links in the workspace over
 * which the home's start-up files are reached. No mount keeps a link where it is, so a command may exchange it for a
 * repository of its own, whose hooks git would run outside. So it is looked at when the command has ended: what is
 * there instead gets another name (aside.c), and the link comes back.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/open.h"
#include "sandbox/sandbox_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { STEPS_MAX = 40 }; /* as the kernel */

struct finding {
    const struct sandbox_place *place;
    struct sandbox_plan *plan;
    struct hv_arena *arena;
    VEC(struct sandbox_link) links;
};

static bool is_writable(const struct sandbox_plan *plan, struct hv_str path)
{
    enum sandbox_mount_kind kind = sandbox_plan_look_up(plan, path, NULL);
    return kind == SANDBOX_WRITABLE || kind == SANDBOX_PINNED || kind == SANDBOX_PRIVATE;
}

static struct hv_str read_link(struct hv_arena *arena, int folder, const char *name)
{
    char text[PATH_MAX];
    ssize_t len = readlinkat(folder, name, text, sizeof text);
    return len > 0 ? hv_arena_str(arena, hv_str_of(text, (size_t)len)) : (struct hv_str){0};
}

static void keep(struct finding *finding, struct hv_str path, struct hv_str text)
{
    for (size_t i = 0; i < finding->links.count; i++)
        if (hv_str_eq(finding->links.items[i].path, path))
            return;
    *vec_push(&finding->links) = (struct sandbox_link){path, text};
}

/* The first step of path that is a link, of those that end behind `at`: *next is the path with it followed. One that
 * commands could exchange is kept. */
static bool follow_first(struct finding *finding, struct hv_str path, size_t at, struct hv_str *next)
{
    while (at < path.len) {
        struct hv_str step = hv_str_slice(path, 0, hv_str_find_byte(path, '/', at)), parent = path_parent(step), text;
        at = step.len + 1;
        text = read_link(finding->arena, AT_FDCWD, hv_arena_cstr(finding->arena, step));
        if (!text.len)
            continue;
        if (is_writable(finding->plan, parent))
            keep(finding, step, text);
        struct hv_str target = path_expand(finding->arena, text, parent, (struct hv_str){0});
        *next = step.len == path.len ? target
                                     : path_join(finding->arena, target, hv_str_slice(path, step.len + 1, path.len));
        return true;
    }
    return false;
}

/* The first `known` bytes of path are no links. */
static void follow_all(struct finding *finding, struct hv_str path, size_t known)
{
    for (int steps = 0; steps < STEPS_MAX && follow_first(finding, path, known, &path); steps++)
        known = 1;
}

static void find_from(struct finding *finding, struct hv_str path)
{
    struct hv_str parent;
    if (finding->place->host->resolve(finding->place->host, finding->arena, path_parent(path), &parent, NULL) != HV_OK)
        return;
    path = path_join(finding->arena, hv_str_is(parent, "/") ? (struct hv_str){0} : parent, path_name(path));
    follow_all(finding, path, path_parent(path).len + 1);
}

void git_links_find(const struct sandbox_place *place, struct hv_arena *arena, struct sandbox_plan *plan)
{
    struct finding finding = {.place = place, .plan = plan, .arena = arena};
    for (size_t i = 0; i < place->root_count; i++)
        find_from(&finding, path_join(arena, place->roots[i], HV_STR(".git")));
    for (size_t i = 0; i < place->repository_count; i++)
        find_from(&finding, place->repositories[i]);
    for (size_t i = 0; i < plan->home_links.count; i++)
        follow_all(&finding, plan->home_links.items[i].path, 1);
    struct sandbox_link *links = hv_arena_array(arena, struct sandbox_link, finding.links.count);
    for (size_t i = 0; i < finding.links.count; i++)
        links[i] = finding.links.items[i];
    plan->links = links;
    plan->link_count = finding.links.count;
    vec_release(&finding.links);
}

/* A link is where a folder was on the way to this one, which is found elsewhere now; where nothing is, it went with its
 * folder. */
static struct hv_str take_way(const struct sandbox_plan *plan, const struct sandbox_link *link, struct hv_arena *arena)
{
    bool failed = false;
    struct hv_str way = path_parent(link->path);
    for (size_t at = 1; at < way.len;) {
        struct hv_str step = hv_str_slice(way, 0, hv_str_find_byte(way, '/', at));
        at = step.len + 1;
        if (!read_link(arena, AT_FDCWD, hv_arena_cstr(arena, step)).len)
            continue;
        struct hv_str to = is_writable(plan, path_parent(step)) ? aside_take(step, arena, &failed) : (struct hv_str){0};
        if (!to.len || failed)
            return hv_arena_format(arena,
                                   "%.*s is a link now, where a folder with %.*s was: other programs may run or obey "
                                   "what is there. Take it away.",
                                   HV_STR_ARG(step), HV_STR_ARG(link->path));
        return hv_arena_format(arena, "The sandbox moved %.*s, a link where a folder with %.*s was, to %.*s.",
                               HV_STR_ARG(step), HV_STR_ARG(link->path), HV_STR_ARG(to));
    }
    return (struct hv_str){0};
}

static struct hv_str put_back_one(const struct sandbox_plan *plan, const struct sandbox_link *link,
                                  struct hv_arena *arena)
{
    CLEANUP_FD int folder = fs_open_no_links(AT_FDCWD, path_parent(link->path), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *name = hv_arena_cstr(arena, path_name(link->path)), *text = hv_arena_cstr(arena, link->text);
    bool failed = false;
    if (folder < 0)
        return errno == ELOOP || errno == ENOTDIR ? take_way(plan, link, arena) : (struct hv_str){0};
    if (hv_str_eq(read_link(arena, folder, name), link->text))
        return (struct hv_str){0};
    struct hv_str to = aside_take(link->path, arena, &failed);
    if (failed || symlinkat(text, folder, name))
        return hv_arena_format(
            arena,
            "%.*s was a link to %s, and is not any more: other programs may run or obey what is there now. "
            "It could not be put back: do that.",
            HV_STR_ARG(link->path), text);
    return hv_arena_format(arena, "The sandbox put %.*s back, a link to %s%s%.*s.", HV_STR_ARG(link->path), text,
                           to.len ? ": what was there instead is " : ", which was gone", HV_STR_ARG(to));
}

struct hv_str git_links_put_back(const struct sandbox_plan *plan, struct hv_arena *arena)
{
    struct hv_str said = {0};
    for (size_t i = 0; i < plan->link_count; i++) {
        struct hv_str one = put_back_one(plan, &plan->links[i], arena);
        if (one.len)
            said = said.len ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(said), HV_STR_ARG(one)) : one;
    }
    return said;
}
