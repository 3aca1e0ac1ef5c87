/*
 * danger.h: what a script could destroy or give away, whatever the rules say: the tables of what is never run and of
 * what a person confirms each time.
 *
 * A trip-wire: it looks at the parsed words and resolved paths of everything that the script may start (runs.h), so
 * that quotes, wrappers, links and code in arguments hide nothing, but no list of this kind is complete. Safety comes
 * from asking and from the sandbox. Which files are credentials is not known here: see policy/path_class.h. Pure, but
 * for what resolve() does.
 */
#ifndef SHELL_DANGER_H
#define SHELL_DANGER_H

#include "shell/named_places.h"
#include "shell/runs.h"

enum shell_danger_level {
    SHELL_DANGER_NONE = 0,
    SHELL_DANGER_CONFIRM, /* asked each time */
    SHELL_DANGER_FORBID,  /* never run */
};

struct shell_danger {
    enum shell_danger_level level;
    const char *what;            /* a clause for people: "it acts as another user"; static text */
    const struct shell_run *run; /* that does it; NULL: the script as a whole */
};

struct shell_danger_world {
    struct hv_str home;         /* absolute and tidy; absent: not known */
    const struct hv_str *roots; /* of the workspace: absolute and tidy, links resolved */
    size_t root_count;
    const struct shell_named_places *places; /* where commands may run of which that is not known; NULL: nobody knows */
    /* Where an absolute path leads when links are followed; it may hold "." and "..". Absent: nobody knows. NULL: where
     * its text says. The result lives in arena. */
    struct hv_str (*resolve)(void *user, struct hv_arena *arena, struct hv_str path);
    void *user;
};

struct shell_dangers {
    const struct shell_danger *items;
    size_t count;
};

/* All dangers of the runs, one per run at most, the gravest, and those of the script as a whole. In arena. */
void shell_find_dangers(struct hv_arena *arena, const struct shell_script *script, const struct shell_runs *runs,
                        const struct shell_danger_world *world, struct shell_dangers *out);

/* path (absolute, tidy) is a block device, or the memory of the machine. */
bool shell_is_block_device(struct hv_str path);

#endif
