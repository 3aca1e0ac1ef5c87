/*
 * sandbox.h: confining the commands of one session. A sandbox is made with the session and costs nothing until its
 * first command: then what holds on this machine is found out, once, by running it:
 *
 *   full      bubblewrap with namespaces, a system-call filter, and a network that ends at a proxy of ours
 *   landlock  where bubblewrap cannot run: Landlock for files, the filter for the rest, no network. What lies protected
 *             inside a writable folder cannot be told to it, so nothing is allowed unasked on its account
 *   none      nothing of the two works: commands run as without a sandbox, and the ordinary decision stands
 *
 * Threads: all functions may be called from any thread; they block where they say so.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <helve/host.h>

#include "fs/resolve.h"
#include "sandbox/options.h"
#include "sandbox/plan.h"

enum sandbox_level { SANDBOX_LEVEL_NONE = 0, SANDBOX_LEVEL_LANDLOCK, SANDBOX_LEVEL_FULL };

/* What holds on this machine. */
struct sandbox_state {
    bool enabled; /* by the settings */
    enum sandbox_level level;
    bool user_namespace; /* level full: bubblewrap makes one */
    bool own_mounts;     /* level full: the helper mounts, bubblewrap makes the namespaces (helper_mount.c) */
    bool groups;         /* control groups bound processes and memory */
    bool passes;      /* why not is a fault that may be gone at the next command: nothing runs, and it is tried again */
    char reason[512]; /* why not the full level; "" at it */
};

/* A connection of a command that no rule of the settings speaks of. Visible ASCII but for the command. */
struct sandbox_connection {
    struct hv_str host; /* as the program named it */
    unsigned port;
    struct hv_str address; /* to which the host leads, of this machine or its network, where that is asked; or absent */
    struct hv_str rule;    /* of sandbox.network.allowedDomains, that would let it through */
    struct hv_str command; /* the beginning of what makes it, as the model wrote it; or absent */
};

enum sandbox_leave_kind {
    SANDBOX_LEAVE_NOBODY = 0, /* nobody can be asked, or the question was cancelled */
    SANDBOX_LEAVE_REFUSED,
    SANDBOX_LEAVE_ONCE, /* for the commands that wait, else the next that connects */
    SANDBOX_LEAVE_SESSION,
};

struct sandbox_leave {
    enum sandbox_leave_kind kind;
    struct hv_str words;        /* refused: by whom and why, for the model */
    const struct hv_str *rules; /* session: these in place of the one proposed; none: that */
    size_t rule_count;
};

struct sandbox_setup {
    const struct hv_host *host;            /* runs commands; looks at files */
    const struct sandbox_options *options; /* outlives the sandbox, with its texts */
    struct hv_str home;
    const struct hv_str *roots; /* absolute; writable */
    size_t root_count;
    const struct hv_str *own; /* helve's settings and state directories */
    size_t own_count;
    /* What is hidden and kept besides, asked for each plan, in arena. May block and is called under the sandbox's lock.
     * May be NULL: only what the settings of the sandbox name. */
    void (*find_masks)(void *user, struct hv_arena *arena, struct sandbox_masks *out);
    /* Called once, by the thread that finds out, when commands will not run in a full sandbox though the settings want
     * one: a sentence for the person. May be NULL. */
    void (*tell)(void *user, struct hv_str sentence);
    /* Ask whoever can be asked whether a command may connect; the connection waits. Called on a thread of its own;
     * blocks until it is answered or cancelled. *out comes zeroed; its texts are in arena. NULL: nobody can be asked.
     */
    void (*ask)(void *user, const struct sandbox_connection *connection, const struct hv_cancel *cancel,
                struct hv_arena *arena, struct sandbox_leave *out);
    void *user;
};

struct hv_sandbox;

/* Copies setup but for options. Does no I/O. */
struct hv_sandbox *sandbox_new(const struct sandbox_setup *setup);
/* From the first command on a sandbox for the next one is kept ready (warm.c); without this call none is. for_one:
 * there will be one command only, which takes the one by which is found out what holds. */
void sandbox_keep_ready(struct hv_sandbox *sandbox, bool for_one);
/* A command will most likely come soon: what can be done for it is begun, on another thread. Does not block. NULL is
 * fine. */
void sandbox_expect(struct hv_sandbox *sandbox);
/* The last command has come: none is kept ready for another. Does not block. NULL is fine. */
void sandbox_expect_no_more(struct hv_sandbox *sandbox);
/* No command may run any more. Removes what it put on the disk. NULL is fine. */
void sandbox_free(struct hv_sandbox *sandbox);

/* Find out what holds, when that has not been done, or could not be for a fault that may have passed. Blocks for some
 * 10 ms the first time. *out is copied. */
void sandbox_look(struct hv_sandbox *sandbox, struct sandbox_state *out);
/* One sentence for people: which level holds, and why not a better one. In arena. */
struct hv_str sandbox_describe(const struct sandbox_state *state, struct hv_arena *arena);

/* ---- the /tmp of the session ---------------------------------------------------------------------------------- */

/*
 * Where commands find what has this name directly in /tmp (absent: /tmp itself), when that is not the host's: the
 * folder in the place of /tmp, which lives as long as the sandbox. What that folder does not have and the host's /tmp
 * has is the host's, as for a command that names it. Finds out what holds when it must, which blocks for some 10 ms the
 * first time. Absent: the host's.
 */
struct hv_str sandbox_tmp_of(struct hv_sandbox *sandbox, struct hv_str name);
/* The machine's files as the session's commands see them, with that folder in the place of /tmp. */
struct sandbox_files {
    struct hv_host host; /* first; what resolves paths and looks at them so, and is the machine's else */
    struct fs_stand_in stand_in;
    struct hv_sandbox *sandbox;
    const struct hv_host *machine;
};
/* Texts in arena, which with sandbox and machine outlives files. Looks at /tmp. */
void sandbox_files_init(struct sandbox_files *files, struct hv_sandbox *sandbox, const struct hv_host *machine,
                        struct hv_arena *arena);
/* path, as files resolve it, lies in that folder: the same path below /tmp, as commands see it, in arena; else absent.
 */
struct hv_str sandbox_files_shown(const struct sandbox_files *files, struct hv_arena *arena, struct hv_str path);

/* Of a command that runs outside the sandbox: what it names in /tmp and is in that folder, which it does not see. One
 * sentence for the model, or absent. sandbox may be NULL. In arena. */
struct hv_str sandbox_tmp_missed(struct hv_sandbox *sandbox, struct hv_str command, struct hv_arena *arena);

/* ---- one command --------------------------------------------------------------------------------------------- */

/* Pure: would this command run in a full sandbox? asks_to_leave: the call says `sandbox: false`. */
bool sandbox_would_confine(const struct sandbox_options *options, const struct sandbox_state *state,
                           struct hv_str command, bool asks_to_leave);
/* … and do the settings say that such calls need no question (autoAllowBashIfSandboxed)? Finds out what holds only when
 * they do; false for NULL. */
bool sandbox_allows_unasked(struct hv_sandbox *sandbox, struct hv_str command, bool asks_to_leave);
/* May a command leave by asking for it? True for NULL. */
bool sandbox_may_be_left(const struct hv_sandbox *sandbox);
/* excludedCommands name this command, one plain command alone. */
bool sandbox_excludes(const struct hv_sandbox *sandbox, struct hv_str command);

enum { SANDBOX_NAMED_MAX = 16 };

/* A command on its way. Lives in the arena given to sandbox_begin. */
struct sandbox_run {
    enum sandbox_level level; /* NONE: run the command as it is */
    struct hv_str command;    /* as it was given to sandbox_begin */
    struct hv_str temporary;  /* a folder that commands may write to, … */
    struct hv_str seen_as;    /* … and where they see it: their TMPDIR; both absent at NONE */
    struct hv_str plan_text;  /* for the helper; … */
    struct hv_str beginning;  /* … what of it is known before there is a plan; absent: nothing */
    struct sandbox_plan plan;
    uint64_t masks_changes;                 /* of sandbox_masks, when it was made */
    struct hv_str named[SANDBOX_NAMED_MAX]; /* what of /tmp the command names; … */
    size_t named_count;
    struct hv_str shown[SANDBOX_NAMED_MAX]; /* … what of that is there on the host, and not in the private one */
    size_t shown_count;
    unsigned ports[SANDBOX_NAMED_MAX]; /* of the machine's loopback, which the command names */
    size_t port_count;
    bool only_reads;        /* nothing but temporary files is written, and no network reached */
    struct hv_str ended_in; /* the command's last directory; the tool may say it before sandbox_end */
    bool cancelled;         /* … and that it was cancelled: then nobody is asked any more what it waited for */
    char *helper;
    uint64_t number;
    struct group *group;
    /* For hv_command.prepared: a sandbox with this very plan that waits; or NULL. Or what conclude has left of it. */
    struct hv_process *prepared;
};

/*
 * Before a command: decide whether it is confined, and prepare that. Errors (the command must not run then):
 * HV_EAGAIN: the sandbox cannot be set up now, for want of descriptors, memory, space; HV_EUNSUPPORTED: the settings
 * demand a sandbox (failIfUnavailable) and there is none; HV_EDENIED: it asks to leave and the settings do not let it;
 * others: the sandbox cannot be prepared. Every success is followed by sandbox_end. only_reads: nothing but what is
 * known of its programs let it run, which is that they only read: at the full level it cannot do more. Blocks on files.
 */
enum hv_code sandbox_begin(struct hv_sandbox *sandbox, struct hv_arena *arena, struct hv_str command,
                           bool asks_to_leave, bool only_reads, struct sandbox_run *run,
                           struct hv_error *err) HV_MUST_CHECK;
/* After sandbox_begin: who let the command go has seen this address in it ("https://example.org/x"), and is not asked
 * about its host once more. sandbox may be NULL. */
void sandbox_let_reach(struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_str address);
/* Something other than a command writes to path (absolute, resolved): what is there when a command ends that began
 * before is none of its own. Does not block. NULL is fine. */
void sandbox_note_written(struct hv_sandbox *sandbox, struct hv_str path);
/* The argument vector that runs argv confined; argv itself at level NONE. In arena. */
const char *const *sandbox_argv(const struct sandbox_run *run, struct hv_arena *arena, const char *const *argv);
/* After it: what the sandbox refused, as sentences for the model; absent when nothing is known of. output: what the
 * command wrote; failed: it did not end well; directory: where it ran. In arena. */
struct hv_str sandbox_end(struct hv_sandbox *sandbox, struct sandbox_run *run, struct hv_arena *arena,
                          struct hv_str output, struct hv_str directory, bool failed);

#endif
