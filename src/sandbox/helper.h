/* helper.h: the parts of the program helve-sandbox; see helper.c. It uses nothing but libc and keeps no state. */
#ifndef SANDBOX_HELPER_H
#define SANDBOX_HELPER_H

#include "sandbox/helper_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One item of a plan. kind 0: there is none (any more), or the plan is broken. */
struct item {
    int kind;
    const char *text; /* len bytes, no NUL after them */
    size_t len;
    const char *rest; /* of the plan */
};

/* The item that rest begins with; the plan itself to begin with. */
struct item item_next(const char *rest);
/* The first item of a kind. */
struct item item_find(const char *plan, int kind);
/* A copy with a NUL; the helper lives too short to free it. Ends the program when there is no memory. */
char *item_text(const struct item *item);

/* The bytes of the plan's filter; NULL and *size 0 when it has none. */
unsigned char *filter_bytes(const char *plan, size_t *size);
/* Environment and limits of the plan, for this process; false: errno. */
bool apply_environment(const char *plan);
bool apply_limits(const char *plan);

/* Start a process that runs in our memory, while we stand still, until it becomes a program or ends: nothing is copied.
 * flags: of clone(2), SIGCHLD is added; with CLONE_PIDFD *handle gets its handle. Not more than one at a time. -1:
 * errno. */
pid_t start_in_memory(int (*run)(void *data), void *data, int flags, int *handle);

/* Say on stderr what failed and why (errno), and end. */
__attribute__((noreturn)) void fail(int code, const char *what, const char *name);

/* What the outer half left in the file of the plan, or what came late. */
struct inside {
    const char *plan;
    char **argv;
    bool only_reads; /* … said before argv */
};

/* All bytes of a file in memory, and a NUL; closes it. Ends the program when that cannot be. */
char *read_all(int fd, size_t *size);
/* Texts that lie one behind the other, each with its NUL: count of them, as a list that ends with NULL. */
char **split_words(char *at, size_t count);
/* Started ahead with the beginning of a plan: wait for the rest; the whole. Ends the program when none comes. */
const char *wait_for_plan(const char *beginning);
/* Started ahead: wait for the command; its arguments, environment and directory hold then. Ends the program when none
 * comes, or when the mounts are no longer what they were at first. */
char **wait_for_command(void);
/* … and tell helve that it has ended, with this wait status, and left nothing behind. */
void tell_end(int status);

/* Mount what the plan says, and enter the directory again; then nothing can be mounted any more, and the plan's filter
 * holds (helper_mount.c). Both end the program when that cannot be. */
void make_view(const char *plan, bool late);
void give_up_rights(const char *plan);
/* Have the plan's filter hold from now on; ends the program when it does not. Without one nothing happens. */
void apply_filter(const char *plan);

/* Between the two: start the process that keeps in place what was mounted; its number. Its end is seen by __WALL only.
 * Ends the program when it cannot be started (helper_keep.c). */
pid_t keep_view(const char *plan, int *socket);
/* Have that process, by the socket that keep_view gave, make read-only what is not temporary; ends the program when it
 * does not. */
void lock_view(int socket);
/* A filter for this process: no socket but a local one. False: errno. */
bool refuse_network(void);

/* The number of the mount that `path`, as it is named, leads to; 0: there is nothing, or nothing that we could get at
 * (helper_mount_id.c). */
uint64_t helper_mount_id(const char *path);

/* Trees of files that can be mounted, as descriptors (helper_mount.c). -1 and false: errno. */
/* What lies at path, on the way to which no link is followed. */
int tree_open(const char *path);
/* A copy of what lies at `at`, with all that is mounted below; closes it. */
int tree_copy(int at);
/* Give it MOUNT_ATTR_…, with all that is mounted below. */
bool tree_lock(int tree, uint64_t attributes);
/* Closes both; true when the tree lies over `over` now. */
bool tree_put(int tree, int over);
bool tree_is_folder(int tree);
/* An empty folder in memory, with the octal mode, lies over `over` now. */
bool tree_memory(int over, const char *mode);

/* Enter the network that the session's sandboxes share, by what helve says on this socket (helper_network.c). False:
 * there is none, and bubblewrap makes one for this sandbox alone. */
bool enter_network(int proxy);

/* The half that bubblewrap starts inside: never returns. */
__attribute__((noreturn)) void inner_main(void);
/* Confine this process by Landlock and seccomp, as the plan says; ends the program when that fails. */
void confine_self(const char *plan);

#endif
