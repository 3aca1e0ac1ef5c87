/*
 * plan.h: from settings and workspace to what a confined command sees of the files: a pure list of mounts, found by
 * looking at files through a host; and the text that tells it to the helper (helper_protocol.h).
 *
 * The root is there, read-only. On top of it lie, deeper paths over higher ones: writable roots, the session's folder
 * for temporary files, what settings allow; in them, read-only again, what other programs run or obey (hooks, settings
 * of agents and editors, start-up files of shells); and secrets, hidden.
 */
#ifndef SANDBOX_PLAN_H
#define SANDBOX_PLAN_H

#include <helve/host.h>

#include "sandbox/git_folders.h"
#include "sandbox/home_links.h"
#include "sandbox/options.h"

enum sandbox_mount_kind {
    SANDBOX_READABLE = 1, /* as it is, read-only: shown again below something hidden */
    SANDBOX_WRITABLE,
    SANDBOX_PRIVATE,   /* the session's own folder in its place: /tmp */
    SANDBOX_PINNED,    /* writable; a mount of its own, so that nobody can move it away with what is protected in it */
    SANDBOX_PROTECTED, /* read-only */
    SANDBOX_HIDDEN,    /* a file without rights in its place */
    SANDBOX_HIDDEN_DIRECTORY,
};

struct sandbox_mount {
    enum sandbox_mount_kind kind;
    struct hv_str path;     /* resolved */
    struct hv_str by;       /* the rule that denies it; absent: none does */
    bool found;             /* by its name in a workspace, or by a rule */
    uint64_t device, inode; /* what is hidden: it alone may be there when it is mounted upon; 0: anything may */
    bool git_config;        /* of a repository: commands may change a copy (git_views.h) */
};

/* What is found to be hidden, or kept from being changed, besides what the settings of the sandbox name. */
struct sandbox_mask {
    struct hv_str path; /* a link is followed */
    bool hides;         /* else it can be read, and not written */
    bool pinned;        /* no folder above it may be moved, since it is meant for where it stands */
    struct hv_str by;   /* the rule that denies it; absent: it is a secret */
};

struct sandbox_masks {
    const struct sandbox_mask *items;
    size_t count;
    const struct hv_str *shown; /* in what they hide, read-only */
    size_t shown_count;
    struct hv_str weakness;       /* why they are not all, one sentence; absent: they are */
    struct home_links home_links; /* of the person's home, found on the way; zeroed: not looked for */
    uint64_t changes;             /* the same as before: nothing of them was moved since. 0: nobody can tell */
};

struct sandbox_place {
    const struct hv_host *host; /* stat and resolve are used */
    const struct sandbox_options *options;
    bool as_root; /* to whom the kernel lets its settings in /proc be changed, capabilities or not */
    struct hv_str home;
    const struct hv_str *roots; /* absolute */
    size_t root_count;
    const struct hv_str *own; /* helve's settings and state directories: protected */
    size_t own_count;
    const struct hv_str *repositories; /* folders of git below the roots (git_folders.h) */
    size_t repository_count;
    const struct hv_str *shared; /* folders of git outside, that a root is a worktree of: writable */
    size_t shared_count;
    const struct git_obeyed *obeyed; /* what their configurations name */
    size_t obeyed_count;
    struct sandbox_masks masks;
    struct hv_str helper;       /* helve-sandbox, which runs inside; absolute, or absent */
    const struct hv_str *shown; /* what of the host's /tmp is shown in the private one, read-only */
    size_t shown_count;
    struct hv_str temporary; /* of the session; writable as /tmp, and where it lies if that is elsewhere */
    struct hv_str locked;    /* a file without rights, for hidden files */
    bool own_sockets;        /* commands may make sockets: those of the machine are covered */
    bool only_reads;         /* where bubblewrap mounts by its words: nothing but the temporary folder is writable */
};

/* A link on the way to a folder of git, where commands may write. */
struct sandbox_link {
    struct hv_str path, text;
};

struct sandbox_plan {
    const struct sandbox_mount *mounts; /* in the order of mounting */
    size_t mount_count;
    const struct hv_str *views;         /* of each: a link that is seen in its place, or absent; NULL: none is */
    struct hv_str copies, copies_shown; /* the folder that those lead to, and where it is seen; absent: there is none */
    /* Protected paths that do not exist. Nothing keeps a command from making them: what is there after it is moved
     * aside (aside.c). */
    const struct hv_str *missing;
    size_t missing_count;
    /* Files that nobody may make: what is there afterwards is taken away. */
    const struct hv_str *forbidden;
    size_t forbidden_count;
    struct home_links home_links;     /* of the person's home */
    const struct sandbox_link *links; /* what is there instead afterwards is moved aside (git_links.c) */
    size_t link_count;
    /* Why the plan does not keep what it should, one sentence; absent: it does. */
    struct hv_str weakness;
};

/* The private folder in the place of /tmp, if the plan has it: what of the host's /tmp a command line names, as
 * absolute paths below /tmp of one step. At most `max`. Pure. */
size_t sandbox_named_in_tmp(struct hv_str command, struct hv_str *names, size_t max);

/* Whether a plan would have that folder. Blocks on looking at files. */
bool sandbox_plan_owns_tmp(const struct sandbox_place *place, struct hv_arena *arena);

/* Never fails. Lives in arena. Blocks on looking at files. */
void sandbox_plan_make(const struct sandbox_place *place, struct hv_arena *arena, struct sandbox_plan *out);

/* What the plan says of a path (absolute, tidy): the kind of the deepest mount that holds it, SANDBOX_READABLE when
 * none does. *mount (may be NULL) is that mount's path. Pure. */
enum sandbox_mount_kind sandbox_plan_look_up(const struct sandbox_plan *plan, struct hv_str path, struct hv_str *mount);

/* The same: that mount as it is; kind SANDBOX_READABLE and no path when none holds the path. Pure. */
struct sandbox_mount sandbox_plan_find(const struct sandbox_plan *plan, struct hv_str path);

/* ---- for the helper ------------------------------------------------------------------------------------------ */

/* Append an item of the helper's plan. */
void sandbox_put_item(struct hv_buf *out, char kind, struct hv_str text);
/* What every call of bubblewrap begins with: no namespace is shared but that of the network, for which whoever calls it
 * sees (helper_network.c), nothing is left of privilege. NULL ends. */
extern const char *const sandbox_unshared[];
/* Append the arguments of bubblewrap for these mounts, all namespaces included. user_namespace: as root, too. */
void sandbox_put_bubblewrap(const struct sandbox_plan *plan, const struct sandbox_place *place, bool user_namespace,
                            struct hv_buf *out);
/* The same with the mounts for the helper: bubblewrap makes the namespaces. That comes first, and is known before there
 * is a plan. */
void sandbox_put_namespaces(const struct sandbox_place *place, bool user_namespace, struct hv_buf *out);
void sandbox_put_own_mounts(const struct sandbox_plan *plan, const struct sandbox_place *place, bool user_namespace,
                            struct hv_arena *arena, struct hv_buf *out);
/* Append Landlock's rules for these mounts: what can be said of them. Blocks on listing folders. */
void sandbox_put_landlock(const struct sandbox_plan *plan, const struct sandbox_place *place, struct hv_arena *arena,
                          struct hv_buf *out);

#endif
