/*
 * system_program.h: whether a name that bash looks up in PATH is a program of the machine, which does what its man page
 * says, or something that the workspace brought along.
 */
#ifndef PROC_SYSTEM_PROGRAM_H
#define PROC_SYSTEM_PROGRAM_H

#include "base/map.h"

#include <helve/host.h>

/*
 * What was found, for as long as nobody puts other programs into PATH: for one judgement, or for one run over many
 * commands; what is asked from another place is looked up anew. Zeroed: nothing is known yet. One thread at a time.
 */
struct system_answers {
    struct map found;                      /* by name */
    struct hv_str path, directory, *roots; /* the place that they were found from */
    size_t root_count;
    struct hv_arena arena;
};
void system_answers_release(struct system_answers *answers);

/* Where to look. One thread at a time. */
struct system_programs {
    const struct hv_host *host;
    const struct hv_str *roots; /* of the workspace: absolute and tidy, as written and with links resolved */
    size_t root_count;
    const char *const *environment; /* of the command: NULL-terminated "NAME=value"; its PATH counts. NULL: the usual */
    struct hv_str directory;        /* that relative entries of PATH start at; or absent */
    void *user;                     /* of whoever looks, for other questions with the same pointer */
    struct system_answers *answers; /* never NULL */
    bool is_placed;                 /* the answers are for this place */
};

/*
 * As shell_world.is_system_program, with a struct system_programs for user: true when the first program of that name in
 * PATH is the machine's own (its directory is absolute, no part of the workspace and not open to everybody, and no link
 * leads back into the workspace), or when there is none, so that nothing can run. Blocks.
 */
bool system_program_is(void *user, struct hv_str name);

/* As shell_world.program_path: where that program is, as PATH has it, when everybody may run it and its directory is
 * written absolute and tidy; else absent. In arena. Blocks. */
struct hv_str system_program_path(void *user, struct hv_arena *arena, struct hv_str name);

/* The path of the first program of that name which is the machine's own, where PATH leads or, behind that, in the usual
 * directories: what helve starts itself is never one of the workspace's. Absolute, in arena; absent: there is none.
 * Needs no answers. Blocks. */
struct hv_str system_program_first(const struct system_programs *programs, struct hv_arena *arena, struct hv_str name);

#endif
