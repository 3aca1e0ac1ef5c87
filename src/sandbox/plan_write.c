/* plan_write.c: a plan as the helper reads it; see plan.h and helper_protocol.h. */
#include "base/path.h"
#include "sandbox/helper_protocol.h"
#include "sandbox/plan.h"

#include <string.h>
#include <unistd.h>

/* Landlock knows what is allowed only: to hide a path, all beside it are named. */
enum { LISTED_MAX = 1000, RULES_MAX = 4000 };

void sandbox_put_item(struct hv_buf *out, char kind, struct hv_str text)
{
    hv_buf_addf(out, "%c%zu:", kind, text.len);
    hv_buf_add_str(out, text);
}

/* ---- bubblewrap ---------------------------------------------------------------------------------------- */

static void put_word(struct hv_buf *out, const char *word)
{
    sandbox_put_item(out, HELPER_BWRAP_WORD, hv_str_from(word));
}

static void put_words(struct hv_buf *out, const char *const *words)
{
    for (; *words; words++)
        put_word(out, *words);
}

static void put_bind(struct hv_buf *out, const char *how, struct hv_str from, struct hv_str to)
{
    put_word(out, how);
    sandbox_put_item(out, HELPER_BWRAP_WORD, from);
    sandbox_put_item(out, HELPER_BWRAP_WORD, to);
}

/* What is shown again in a hidden folder can be reached by name. */
static bool shows_something(const struct sandbox_plan *plan, struct hv_str hidden)
{
    for (size_t i = 0; i < plan->mount_count; i++)
        if (plan->mounts[i].kind < SANDBOX_HIDDEN && path_inside(plan->mounts[i].path, hidden))
            return true;
    return false;
}

/* A folder of its own in memory: whoever changes its mode and writes into it, writes to nowhere. A bind would cost
 * three times as much, since bubblewrap reads the list of all mounts for each. */
static void put_empty(struct hv_buf *out, const char *mode, struct hv_str path)
{
    put_words(out, (const char *const[]){"--perms", mode, "--tmpfs", NULL});
    sandbox_put_item(out, HELPER_BWRAP_WORD, path);
}

static void put_mount(struct hv_buf *out, const struct sandbox_plan *plan, const struct sandbox_mount *mount,
                      const struct sandbox_place *place)
{
    switch (mount->kind) {
    case SANDBOX_WRITABLE:
    case SANDBOX_PINNED: {
        bool locked = place->only_reads && !hv_str_eq(mount->path, place->temporary);
        put_bind(out, locked ? "--ro-bind" : "--bind", mount->path, mount->path);
        break;
    }
    case SANDBOX_PRIVATE: put_bind(out, "--bind", place->temporary, mount->path); break;
    case SANDBOX_READABLE:
    case SANDBOX_PROTECTED: put_bind(out, "--ro-bind", mount->path, mount->path); break;
    case SANDBOX_HIDDEN: put_bind(out, "--ro-bind", place->locked, mount->path); break;
    case SANDBOX_HIDDEN_DIRECTORY:
        put_empty(out, shows_something(plan, mount->path) ? "0111" : "0000", mount->path);
        break;
    }
}

/* Sockets of services that are allowed one by one: the others must not be seen. */
static void put_sockets(struct hv_buf *out, const struct sandbox_options *options)
{
    if (!options->unix_sockets.count || options->all_unix_sockets == SANDBOX_YES)
        return;
    put_words(out, (const char *const[]){"--tmpfs", "/run", NULL});
    for (size_t i = 0; i < options->unix_sockets.count; i++)
        put_bind(out, "--bind-try", options->unix_sockets.items[i], options->unix_sockets.items[i]);
}

const char *const sandbox_unshared[] = {"--unshare-pid",     "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
                                        "--die-with-parent", "--cap-drop",    "ALL",           NULL};

/* The helper is the first process there, and reaps: one process less, whose start and end would be waited for. */
static void put_unshared(struct hv_buf *out)
{
    put_words(out, sandbox_unshared);
    put_word(out, "--as-pid-1");
}

void sandbox_put_bubblewrap(const struct sandbox_plan *plan, const struct sandbox_place *place, bool user_namespace,
                            struct hv_buf *out)
{
    /* A writable root comes first of all: what is mounted for all commands lies over it. */
    size_t first = plan->mount_count && hv_str_is(plan->mounts[0].path, "/");
    if (user_namespace)
        put_word(out, "--unshare-user");
    put_unshared(out);
    put_bind(out, first && !place->only_reads ? "--bind" : "--ro-bind", HV_STR("/"), HV_STR("/"));
    put_words(out, (const char *const[]){"--dev", "/dev", "--proc", "/proc", NULL});
    if (place->as_root)
        put_words(out, (const char *const[]){"--remount-ro", "/proc", NULL});
    put_sockets(out, place->options);
    for (size_t i = first; i < plan->mount_count; i++)
        put_mount(out, plan, &plan->mounts[i], place);
}

/* ---- mounts of the helper ------------------------------------------------------------------------------ */

static void put_memory(struct hv_buf *out, struct hv_arena *arena, const char *mode, struct hv_str path)
{
    sandbox_put_item(out, HELPER_MEMORY, hv_arena_format(arena, "%s:%.*s", mode, HV_STR_ARG(path)));
}

static void put_own_mount(struct hv_buf *out, const struct sandbox_plan *plan, const struct sandbox_mount *mount,
                          const struct sandbox_place *place, struct hv_arena *arena)
{
    struct hv_str view = plan->views ? plan->views[mount - plan->mounts] : (struct hv_str){0};
    if (mount->inode)
        sandbox_put_item(
            out, HELPER_SAME,
            hv_arena_format(arena, "%llx:%llx", (unsigned long long)mount->device, (unsigned long long)mount->inode));
    switch (mount->kind) {
    case SANDBOX_PRIVATE:
        sandbox_put_item(out, HELPER_SOURCE, place->temporary);
        sandbox_put_item(out, HELPER_BIND, mount->path);
        break;
    case SANDBOX_WRITABLE:
    case SANDBOX_PINNED: sandbox_put_item(out, HELPER_BIND, mount->path); break;
    case SANDBOX_HIDDEN:
        sandbox_put_item(out, HELPER_SOURCE, place->locked);
        sandbox_put_item(out, HELPER_BIND_READ_ONLY, mount->path);
        break;
    case SANDBOX_READABLE:
    case SANDBOX_PROTECTED:
        if (view.len)
            sandbox_put_item(out, HELPER_SOURCE, view);
        sandbox_put_item(out, view.len ? HELPER_BIND_LINK : HELPER_BIND_READ_ONLY, mount->path);
        break;
    case SANDBOX_HIDDEN_DIRECTORY:
        put_memory(out, arena, shows_something(plan, mount->path) ? "0111" : "0000", mount->path);
        break;
    }
}

/* Most services have theirs in /run, also those that a container is lent; the helper covers what lies elsewhere. */
static void put_own_sockets(struct hv_buf *out, const struct sandbox_place *place, struct hv_arena *arena)
{
    const struct sandbox_options *options = place->options;
    struct hv_file_stat found;
    if ((!place->own_sockets && !options->unix_sockets.count) || options->all_unix_sockets == SANDBOX_YES)
        return;
    if (place->host->stat(place->host, HV_STR("/run"), false, &found, NULL) == HV_OK && found.kind == HV_FILE_DIRECTORY)
        put_memory(out, arena, "0755", HV_STR("/run"));
    if (place->own_sockets)
        sandbox_put_item(out, HELPER_SOCKETS, (struct hv_str){0});
    for (size_t i = 0; i < options->unix_sockets.count; i++)
        sandbox_put_item(out, HELPER_BIND_SOCKET, options->unix_sockets.items[i]);
}

/* Terminals can only be mounted by who is root in the namespace. The helper goes back to the ordinary identity, for
 * which the kernel wants one right more. */
void sandbox_put_namespaces(const struct sandbox_place *place, bool user_namespace, struct hv_buf *out)
{
    static const char *const rights[] = {
        "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP", "--dev-bind", "/", "/", NULL};
    static const char *const root[] = {"--uid", "0", "--gid", "0", "--cap-add", "CAP_SETFCAP", NULL};
    if (user_namespace)
        put_word(out, "--unshare-user");
    put_unshared(out);
    put_words(out, rights);
    if (user_namespace && !place->as_root)
        put_words(out, root);
    sandbox_put_item(out, HELPER_LATER, (struct hv_str){0});
}

void sandbox_put_own_mounts(const struct sandbox_plan *plan, const struct sandbox_place *place, bool user_namespace,
                            struct hv_arena *arena, struct hv_buf *out)
{
    size_t first = plan->mount_count && hv_str_is(plan->mounts[0].path, "/");
    sandbox_put_item(out, HELPER_ROOT, first ? HV_STR("w") : HV_STR("r"));
    sandbox_put_item(out, HELPER_PROC, place->as_root ? HV_STR("r") : HV_STR("w"));
    if (user_namespace && !place->as_root)
        sandbox_put_item(out, HELPER_IDENTITY,
                         hv_arena_format(arena, "%lu:%lu", (unsigned long)geteuid(), (unsigned long)getegid()));
    sandbox_put_item(out, HELPER_TEMPORARY, place->temporary);
    put_own_sockets(out, place, arena);
    for (size_t i = first; i < plan->mount_count; i++)
        put_own_mount(out, plan, &plan->mounts[i], place, arena);
    if (plan->copies.len) {
        sandbox_put_item(out, HELPER_SOURCE, plan->copies);
        sandbox_put_item(out, HELPER_BIND, plan->copies_shown);
    }
    for (size_t i = 0; i < plan->forbidden_count; i++)
        sandbox_put_item(out, HELPER_FORBIDDEN, plan->forbidden[i]);
}

/* ---- Landlock ------------------------------------------------------------------------------------------ */

struct landlock {
    const struct sandbox_plan *plan;
    const struct hv_host *host;
    struct hv_arena *arena;
    struct hv_buf *out;
    size_t rules;
};

static bool holds_hidden(const struct landlock *landlock, struct hv_str path)
{
    for (size_t i = 0; i < landlock->plan->mount_count; i++)
        if (landlock->plan->mounts[i].kind >= SANDBOX_HIDDEN && path_inside(landlock->plan->mounts[i].path, path))
            return true;
    return false;
}

static void put_rule(struct landlock *landlock, char kind, struct hv_str path)
{
    if (landlock->rules++ < RULES_MAX)
        sandbox_put_item(landlock->out, kind, path);
}

/* Depth is that of the hidden paths, which are ours or the settings'. A folder with too many entries stays unreadable
 * where it holds something hidden: that is the careful side. */
static void put_readable(struct landlock *landlock, struct hv_str path)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    if (!holds_hidden(landlock, path)) {
        put_rule(landlock, HELPER_READABLE, path);
        return;
    }
    enum sandbox_mount_kind kind = sandbox_plan_look_up(landlock->plan, path, NULL);
    if (kind >= SANDBOX_HIDDEN || kind == SANDBOX_WRITABLE || kind == SANDBOX_PINNED || /* which has its own rule */
        landlock->host->list(landlock->host, landlock->arena, path, LISTED_MAX, &entries, &count, &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        struct hv_str entry = path.len == 1 ? hv_arena_join(landlock->arena, path, entries[i].name)
                                            : hv_arena_format(landlock->arena, "%.*s/%.*s", HV_STR_ARG(path),
                                                              HV_STR_ARG(entries[i].name));
        if (entries[i].kind != HV_FILE_SYMLINK) /* what it leads to has its own rule */
            put_readable(landlock, entry);
    }
}

/* A hidden or protected path in a writable one cannot be expressed; permission is asked at this level in any case. */
void sandbox_put_landlock(const struct sandbox_plan *plan, const struct sandbox_place *place, struct hv_arena *arena,
                          struct hv_buf *out)
{
    static const char *const devices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random", "/dev/tty",
                                          "/dev/urandom", "/dev/ptmx", "/dev/pts",  "/dev/shm",    NULL};
    struct landlock landlock = {plan, place->host, arena, out, 0};
    put_rule(&landlock, HELPER_LISTABLE, HV_STR("/"));
    for (size_t i = 0; devices[i]; i++)
        put_rule(&landlock, HELPER_DEVICE, hv_str_from(devices[i]));
    for (size_t i = 0; i < plan->mount_count; i++) {
        if (plan->mounts[i].kind == SANDBOX_WRITABLE)
            put_rule(&landlock, HELPER_WRITABLE, plan->mounts[i].path);
        else if (plan->mounts[i].kind == SANDBOX_PRIVATE)
            put_rule(&landlock, HELPER_WRITABLE, place->temporary);
        else if (plan->mounts[i].kind == SANDBOX_READABLE)
            put_readable(&landlock, plan->mounts[i].path);
    }
    put_readable(&landlock, HV_STR("/"));
}
