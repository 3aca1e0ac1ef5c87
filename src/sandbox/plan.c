/* plan.c: see plan.h. What is protected and what is hidden stands in the tables below. */
#include "sandbox/plan.h"

#include "base/path.h"
#include "sandbox/looks.h"

#include <stdlib.h>
#include <string.h>

enum { MOUNTS_MAX = 4096 };

enum secret_place { AT_ROOT = 0, AT_HOME, ANYWHERE };

static const struct secret {
    enum secret_place place;
    const char *pattern;
} secrets[] = {
#define SECRET(place, pattern, what) {place, pattern},
#include "sandbox/secret_rows.h"
};

#define GIT_CONFIG ".git/config"

/* What is protected in a writable root. */
static const struct protected_name {
    const char *name;
    bool even_missing; /* what a command makes there is moved aside at its end */
} protected_names[] = {
    {".helve", true},
    {".claude", true},
    {".mcp.json", true},
    {".git/hooks", true},
    {GIT_CONFIG, false},
    {".git/config.worktree", true},
    {".git/commondir"},
    {".vscode", true},
    {".idea", true},
    {".husky"},
    {".codex"},
    {".gemini"},
    {".gitmodules"},
    {".gitconfig"},
    {".ripgreprc"},
    {".envrc"},
    {".cargo/config"},
    {".cargo/config.toml"},
    {".bashrc"},
    {".bash_profile"},
    {".bash_login"},
    {".bash_logout"},
    {".bash_aliases"},
    {".profile"},
    {".zshrc"},
    {".zshenv"},
    {".zprofile"},
    {".zlogin"},
    {".zlogout"},
    {".kshrc"},
    {".cshrc"},
    {".tcshrc"},
    {".inputrc"},
    {".config/fish"},
    {".config/git"},
    {".config/systemd"},
    {".config/autostart"},
    {".config/environment.d"},
    {".config/helve"},
    {".claude.json"},
    {".vimrc"},
    {".config/nvim"},
};

struct planning {
    const struct sandbox_place *place;
    struct hv_arena *arena;
    struct sandbox_plan *plan;
    struct sandbox_mount *mounts;
    size_t count, capacity;
    struct hv_str *missing, *forbidden;
};

/* ---- collecting ---------------------------------------------------------------------------------------- */

static void add(struct planning *planning, enum sandbox_mount_kind kind, struct hv_str path)
{
    if (planning->count == MOUNTS_MAX) {
        planning->plan->weakness = HV_STR("there are more paths to protect than a sandbox can hold");
        return;
    }
    if (planning->count == planning->capacity) {
        size_t capacity = planning->capacity ? 2 * planning->capacity : 64;
        struct sandbox_mount *mounts = hv_arena_array(planning->arena, struct sandbox_mount, capacity);
        if (planning->count)
            memcpy(mounts, planning->mounts, planning->count * sizeof *mounts);
        planning->mounts = mounts;
        planning->capacity = capacity;
    }
    planning->mounts[planning->count++] = (struct sandbox_mount){.kind = kind, .path = path};
}

/* The kind of what is there, links not followed; false when nothing is. */
static bool look(const struct planning *planning, struct hv_str path, enum hv_file_kind *kind)
{
    struct hv_file_stat found;
    if (planning->place->host->stat(planning->place->host, path, false, &found, NULL) != HV_OK)
        return false;
    *kind = found.kind;
    return true;
}

static struct hv_str resolve(const struct planning *planning, struct hv_str path)
{
    struct hv_str real;
    return planning->place->host->resolve(planning->place->host, planning->arena, path, &real, NULL) == HV_OK ? real
                                                                                                              : path;
}

static struct hv_str join(const struct planning *planning, struct hv_str directory, const char *name)
{
    return path_expand(planning->arena, hv_str_from(name), directory, (struct hv_str){0});
}

static bool is_writable(const struct planning *planning, struct hv_str path)
{
    for (size_t i = 0; i < planning->count; i++)
        if (planning->mounts[i].kind == SANDBOX_WRITABLE && path_inside(path, planning->mounts[i].path))
            return true;
    return false;
}

static void add_writable(struct planning *planning, struct hv_str path)
{
    enum hv_file_kind kind;
    struct hv_str real = resolve(planning, path);
    if (look(planning, real, &kind))
        add(planning, SANDBOX_WRITABLE, real);
}

/* Every folder between a writable root and what is protected in it becomes a mount of its own. */
static void pin_parents(struct planning *planning, struct hv_str path)
{
    struct hv_str parent = path_parent(path);
    while (parent.len > 1 && is_writable(planning, path_parent(parent))) {
        add(planning, SANDBOX_PINNED, parent);
        parent = path_parent(parent);
    }
}

/* A link is protected where it leads; the link itself can be exchanged, which is said. */
static void protect(struct planning *planning, struct hv_str path, bool even_missing)
{
    enum hv_file_kind kind;
    bool there = look(planning, path, &kind);
    if (!there && !even_missing)
        return; /* then there is nothing where it would lead, either: that is most of the names, and costs one look */
    struct hv_str real = resolve(planning, path), parent = path_parent(real);
    if (there && kind == HV_FILE_SYMLINK && is_writable(planning, path_parent(path)))
        planning->plan->weakness =
            hv_arena_format(planning->arena, "%.*s is a link, which a command could exchange", HV_STR_ARG(path));
    if (!is_writable(planning, real))
        return;
    if (look(planning, real, &kind)) {
        add(planning, SANDBOX_PROTECTED, real);
        pin_parents(planning, real);
    } else if (even_missing && (look(planning, parent, &kind) || !hv_str_is(path_name(parent), ".git"))) {
        /* who makes a repository makes its hooks, too */
        planning->missing[planning->plan->missing_count++] = real;
    }
}

/* The configuration of a repository, not a link to one: commands may change a copy of it. */
static void protect_git_config(struct planning *planning, struct hv_str path)
{
    size_t before = planning->count;
    enum hv_file_kind kind;
    protect(planning, path, false);
    if (before < planning->count && hv_str_eq(planning->mounts[before].path, path) && look(planning, path, &kind))
        planning->mounts[before].git_config = kind == HV_FILE_REGULAR;
}

/* With a file `commondir` git takes hooks and config from elsewhere. Linked worktrees have one; nobody makes one in a
 * folder that has the objects itself, and nothing can be put there that git would not stumble over. */
static void forbid_redirection(struct planning *planning, struct hv_str folder)
{
    enum hv_file_kind kind;
    struct hv_str real = resolve(planning, folder), file = join(planning, real, "commondir");
    if (is_writable(planning, real) && look(planning, join(planning, real, "objects"), &kind) &&
        kind == HV_FILE_DIRECTORY && !look(planning, file, &kind))
        planning->forbidden[planning->plan->forbidden_count++] = file;
}

/* What git runs or obeys in a folder of its own; hooks and files are protected, the rest is the command's. */
static void protect_repository(struct planning *planning, struct hv_str folder)
{
    static const char *const names[] = {"commondir", "gitdir"};
    enum hv_file_kind kind;
    if (look(planning, folder, &kind) && kind == HV_FILE_REGULAR) { /* it says where the repository is */
        protect(planning, folder, false);
        return;
    }
    forbid_redirection(planning, folder);
    protect(planning, join(planning, folder, "hooks"), true);
    protect_git_config(planning, join(planning, folder, "config"));
    protect(planning, join(planning, folder, "config.worktree"), true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        protect(planning, join(planning, folder, names[i]), false);
}

static void protect_in_root(struct planning *planning, struct hv_str root)
{
    size_t count = sizeof protected_names / sizeof *protected_names;
    struct hv_str real = resolve(planning, root), home = resolve(planning, planning->place->home);
    struct hv_str git = join(planning, real, ".git");
    enum hv_file_kind kind;
    for (size_t i = 0; i < count; i++) {
        const struct protected_name *row = &protected_names[i];
        if (strcmp(row->name, GIT_CONFIG) == 0)
            protect_git_config(planning, join(planning, real, row->name));
        else
            protect(planning, join(planning, real, row->name), row->even_missing);
    }
    if (look(planning, git, &kind) && kind == HV_FILE_REGULAR) /* it says where the repository is */
        protect(planning, git, false);
    else
        forbid_redirection(planning, git);
    if (hv_str_eq(real, home) || path_inside(home, real))
        planning->plan->weakness =
            HV_STR("the home folder is writable, where start-up files of shells that do not exist yet could be made");
}

/* What the person's programs obey lies in the home, which a folder of the settings may be a part of (~/.config,
 * ~/.cargo), or hold. A folder that is named itself is meant. */
static void protect_home(struct planning *planning, struct hv_str root)
{
    struct hv_str real = resolve(planning, root), home = resolve(planning, planning->place->home);
    enum hv_file_kind kind;
    for (size_t i = 0; i < sizeof protected_names / sizeof *protected_names; i++) {
        struct hv_str path = join(planning, home, protected_names[i].name);
        if (!path_inside(path, real) || hv_str_eq(path, real))
            continue;
        if (look(planning, path, &kind))
            protect(planning, path, false);
        else
            planning->plan->weakness =
                hv_arena_format(planning->arena, "%.*s does not exist yet and could be made", HV_STR_ARG(path));
    }
}

static bool is_protected(const struct planning *planning, struct hv_str real)
{
    for (size_t i = 0; i < planning->count; i++)
        if (planning->mounts[i].kind == SANDBOX_PROTECTED && path_inside(real, planning->mounts[i].path))
            return true;
    return false;
}

/* A folder that holds a workspace cannot be protected as a whole: who keeps hooks among everything else, means it. */
static bool holds_writable(const struct planning *planning, struct hv_str real)
{
    for (size_t i = 0; i < planning->count; i++)
        if (planning->mounts[i].kind == SANDBOX_WRITABLE && path_inside(planning->mounts[i].path, real))
            return true;
    return false;
}

static void protect_obeyed(struct planning *planning, const struct git_obeyed *obeyed)
{
    if (!holds_writable(planning, resolve(planning, obeyed->path)))
        protect(planning, obeyed->path, obeyed->folder);
}

/* A start-up file of the home that lies in a workspace, as people keep them under version control. */
static void protect_home_links(struct planning *planning)
{
    struct home_links *links = &planning->plan->home_links;
    enum hv_file_kind kind;
    *links = planning->place->masks.home_links;
    if (!links->items)
        home_links_find(planning->place->host, planning->arena, planning->place->home, links);
    for (size_t i = 0; i < links->count; i++) {
        const struct home_link *link = &links->items[i];
        if (!is_writable(planning, link->target) || holds_writable(planning, link->target) ||
            is_protected(planning, link->target))
            continue;
        if (look(planning, link->target, &kind))
            protect(planning, link->target, false);
        else
            planning->plan->weakness =
                hv_arena_format(planning->arena, "%.*s leads to %.*s, which does not exist yet and could be made",
                                HV_STR_ARG(link->path), HV_STR_ARG(link->target));
    }
}

/* Known by what it is, too: whoever moves it before it is mounted upon takes it to where nothing hides it. What the
 * sandbox has a /proc of its own for is something else there. */
static void add_known(struct planning *planning, enum sandbox_mount_kind kind, struct hv_str path,
                      const struct hv_file_stat *found)
{
    size_t at = planning->count;
    add(planning, kind, path);
    if (planning->count == at || path_inside(path, HV_STR("/proc")))
        return;
    planning->mounts[at].device = found->device;
    planning->mounts[at].inode = found->inode;
}

static enum sandbox_mount_kind hidden_kind(const struct hv_file_stat *found)
{
    return found->kind == HV_FILE_DIRECTORY ? SANDBOX_HIDDEN_DIRECTORY : SANDBOX_HIDDEN;
}

static void hide(struct planning *planning, struct hv_str path)
{
    enum hv_file_kind kind;
    struct hv_file_stat found;
    if (!look(planning, path, &kind))
        return;
    struct hv_str real = resolve(planning, path);
    if (planning->place->host->stat(planning->place->host, real, false, &found, NULL) == HV_OK)
        add_known(planning, hidden_kind(&found), real, &found);
}

static void hide_secrets(struct planning *planning)
{
    const struct sandbox_options *options = planning->place->options;
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (!strchr(secrets[i].pattern, '*'))
            hide(planning,
                 join(planning, secrets[i].place == AT_ROOT ? HV_STR("/") : planning->place->home, secrets[i].pattern));
    for (size_t i = 0; i < options->deny_read.count; i++)
        hide(planning, options->deny_read.items[i]);
}

/* Where a link leads to a folder outside, hiding that would hide far more than is meant. */
static bool is_meant(const struct planning *planning, const struct sandbox_mask *mask, struct hv_str real,
                     enum hv_file_kind kind)
{
    return kind == HV_FILE_REGULAR || (kind == HV_FILE_DIRECTORY && hv_str_eq(real, mask->path)) ||
           (kind == HV_FILE_DIRECTORY && is_writable(planning, real));
}

static void add_mask(struct planning *planning, const struct sandbox_mask *mask)
{
    struct hv_file_stat found;
    size_t before = planning->count;
    struct hv_str real = resolve(planning, mask->path);
    if (planning->place->host->stat(planning->place->host, real, false, &found, NULL) != HV_OK ||
        !is_meant(planning, mask, real, found.kind))
        return;
    if (mask->hides)
        add_known(planning, hidden_kind(&found), real, &found);
    else if (is_writable(planning, real))
        add_known(planning, SANDBOX_PROTECTED, real, &found);
    if (planning->count == before)
        return;
    planning->mounts[before].by = mask->by;
    planning->mounts[before].found = true;
    if (mask->pinned || !mask->hides)
        pin_parents(planning, real);
}

static void add_masks(struct planning *planning)
{
    const struct sandbox_masks *masks = &planning->place->masks;
    for (size_t i = 0; i < masks->count; i++)
        add_mask(planning, &masks->items[i]);
    if (masks->weakness.len)
        planning->plan->weakness = masks->weakness;
}

/* A folder that holds a workspace is no word about what was found in it. */
static bool holds_root(const struct planning *planning, struct hv_str real)
{
    for (size_t i = 0; i < planning->place->root_count; i++)
        if (path_inside(resolve(planning, planning->place->roots[i]), real))
            return true;
    return false;
}

/* allowRead shows again what is hidden: the very path, or below it. */
static void show_again(struct planning *planning, struct hv_str path)
{
    enum hv_file_kind kind;
    struct hv_str real = resolve(planning, path);
    bool below_hidden = false, holds = holds_root(planning, real);
    for (size_t i = 0; i < planning->count; i++) {
        struct sandbox_mount *mount = &planning->mounts[i];
        if (mount->kind < SANDBOX_HIDDEN || (mount->found && holds))
            continue;
        if (path_inside(mount->path, real))
            mount->kind = 0;
        else
            below_hidden = below_hidden || path_inside(real, mount->path);
    }
    if (below_hidden && look(planning, real, &kind))
        add(planning, SANDBOX_READABLE, real);
}

/* A /tmp of its own, unless the host's is writable. Of the host's, that is seen which holds the home, a root or helve
 * itself, so that what lies beside them is there, and what the command names. */
static void add_private_tmp(struct planning *planning)
{
    const struct sandbox_place *place = planning->place;
    struct hv_str tmp = resolve(planning, HV_STR("/tmp")), first;
    enum hv_file_kind kind;
    if (!place->temporary.len || is_writable(planning, tmp) || !look(planning, tmp, &kind))
        return;
    /* It is seen there alone. */
    struct hv_str own = resolve(planning, place->temporary);
    for (size_t i = 0; i < planning->count; i++)
        if (path_inside(own, tmp) && hv_str_eq(planning->mounts[i].path, own))
            planning->mounts[i].kind = 0;
    add(planning, SANDBOX_PRIVATE, tmp);
    for (size_t i = 0; i < place->shown_count; i++)
        if (look(planning, place->shown[i], &kind) && (kind == HV_FILE_REGULAR || kind == HV_FILE_DIRECTORY))
            add(planning, SANDBOX_READABLE, place->shown[i]);
    const struct hv_str others[] = {place->home, place->helper};
    for (size_t i = 0; i < place->root_count + sizeof others / sizeof *others; i++) {
        struct hv_str path = i < place->root_count ? place->roots[i] : others[i - place->root_count];
        if (path.len && sandbox_named_in_tmp(resolve(planning, path), &first, 1) && look(planning, first, &kind) &&
            (kind == HV_FILE_REGULAR || kind == HV_FILE_DIRECTORY))
            add(planning, SANDBOX_READABLE, first);
    }
}

/* A name ends where one of a path in a script does, as far as that can be told without reading the script. */
static size_t name_length(struct hv_str rest)
{
    size_t len = 0;
    while (len < rest.len && (unsigned char)rest.ptr[len] > ' ' && !strchr("/\"'`;|&<>()$*?[]{}\\:,=#", rest.ptr[len]))
        len++;
    return len;
}

size_t sandbox_named_in_tmp(struct hv_str command, struct hv_str *names, size_t max)
{
    size_t count = 0, prefix = sizeof "/tmp/" - 1;
    for (size_t at = 0; count < max && (at = hv_str_find(command, HV_STR("/tmp/"), at)) != SIZE_MAX; at += prefix) {
        size_t len = name_length(hv_str_slice(command, at + prefix, command.len));
        struct hv_str name = hv_str_slice(command, at, at + prefix + len);
        bool known = !len || hv_str_is(name, "/tmp/.") || hv_str_is(name, "/tmp/..");
        for (size_t i = 0; i < count; i++)
            known = known || hv_str_eq(names[i], name);
        if (!known)
            names[count++] = name;
    }
    return count;
}

/* ---- ordering ------------------------------------------------------------------------------------------ */

static int compare_mounts(const void *a, const void *b)
{
    const struct sandbox_mount *left = a, *right = b;
    int order = hv_str_compare(left->path, right->path);
    return order ? order : (int)right->kind - (int)left->kind;
}

/* Parents come before what is in them, since their paths are beginnings; of several mounts of one path the strictest,
 * whose kind is the greatest, stays. */
static void order(struct planning *planning)
{
    size_t kept = 0;
    if (planning->count)
        qsort(planning->mounts, planning->count, sizeof *planning->mounts, compare_mounts);
    for (size_t i = 0; i < planning->count; i++) {
        struct sandbox_mount mount = planning->mounts[i];
        if (!mount.kind)
            continue;
        if (kept && hv_str_eq(planning->mounts[kept - 1].path, mount.path)) {
            struct sandbox_mount *stays = &planning->mounts[kept - 1];
            stays->git_config = stays->git_config && (mount.kind != SANDBOX_PROTECTED || mount.git_config);
            continue;
        }
        planning->mounts[kept++] = mount;
    }
    planning->plan->mounts = planning->mounts;
    planning->plan->mount_count = kept;
}

static void add_writable_places(struct planning *planning)
{
    const struct sandbox_place *place = planning->place;
    for (size_t i = 0; i < place->root_count; i++)
        add_writable(planning, place->roots[i]);
    for (size_t i = 0; i < place->options->write.count; i++)
        add_writable(planning, place->options->write.items[i]);
    for (size_t i = 0; i < place->shared_count; i++)
        add_writable(planning, place->shared[i]);
    if (place->temporary.len)
        add_writable(planning, place->temporary);
}

static void protect_all(struct planning *planning)
{
    const struct sandbox_place *place = planning->place;
    for (size_t i = 0; i < place->root_count; i++) {
        protect_in_root(planning, place->roots[i]);
        if (path_inside(resolve(planning, place->home), resolve(planning, place->roots[i])))
            protect_home(planning, place->roots[i]);
    }
    for (size_t i = 0; i < place->options->write.count; i++) {
        protect_in_root(planning, place->options->write.items[i]);
        protect_home(planning, place->options->write.items[i]);
    }
    for (size_t i = 0; i < place->repository_count; i++)
        protect_repository(planning, place->repositories[i]);
    for (size_t i = 0; i < place->obeyed_count; i++)
        protect_obeyed(planning, &place->obeyed[i]);
    protect_home_links(planning);
    for (size_t i = 0; i < place->own_count; i++)
        protect(planning, place->own[i], true);
    protect(planning, HV_STR("/sys"), false); /* where "/" is the workspace */
    protect(planning, HV_STR("/boot"), false);
    for (size_t i = 0; i < place->options->deny_write.count; i++)
        protect(planning, place->options->deny_write.items[i], true);
}

bool sandbox_plan_owns_tmp(const struct sandbox_place *place, struct hv_arena *arena)
{
    struct sandbox_plan plan = {0};
    struct planning planning = {.place = place, .arena = arena, .plan = &plan};
    bool owns = false;
    add_writable_places(&planning);
    add_private_tmp(&planning);
    for (size_t i = 0; i < planning.count; i++)
        owns |= planning.mounts[i].kind == SANDBOX_PRIVATE;
    return owns;
}

static void plan_with(const struct sandbox_place *place, struct hv_arena *arena, struct sandbox_plan *out)
{
    struct planning planning = {.place = place, .arena = arena, .plan = out};
    size_t names = sizeof protected_names / sizeof *protected_names;
    size_t most = 2 * names * (place->root_count + place->options->write.count) + 5 * place->repository_count +
                  place->obeyed_count + place->own_count + place->options->deny_write.count;
    *out = (struct sandbox_plan){0};
    out->missing = planning.missing = hv_arena_array(arena, struct hv_str, most);
    out->forbidden = planning.forbidden = hv_arena_array(
        arena, struct hv_str, place->root_count + place->options->write.count + place->repository_count + 1);
    add_writable_places(&planning);
    add_private_tmp(&planning);
    protect_all(&planning);
    hide_secrets(&planning);
    add_masks(&planning);
    for (size_t i = 0; i < place->masks.shown_count; i++)
        show_again(&planning, place->masks.shown[i]);
    for (size_t i = 0; i < place->options->read.count; i++)
        show_again(&planning, place->options->read.items[i]);
    order(&planning);
}

void sandbox_plan_make(const struct sandbox_place *place, struct hv_arena *arena, struct sandbox_plan *out)
{
    struct looks looks;
    struct sandbox_place seen = *place;
    looks_init(&looks, place->host);
    seen.host = &looks.host;
    plan_with(&seen, arena, out);
    looks_release(&looks);
}

struct sandbox_mount sandbox_plan_find(const struct sandbox_plan *plan, struct hv_str path)
{
    for (size_t i = plan->mount_count; i-- > 0;)
        if (path_inside(path, plan->mounts[i].path))
            return plan->mounts[i];
    return (struct sandbox_mount){.kind = SANDBOX_READABLE};
}

enum sandbox_mount_kind sandbox_plan_look_up(const struct sandbox_plan *plan, struct hv_str path, struct hv_str *mount)
{
    struct sandbox_mount found = sandbox_plan_find(plan, path);
    if (mount && found.path.len)
        *mount = found.path;
    return found.kind;
}
