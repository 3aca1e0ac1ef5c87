/*
 * presence.h: the sessions of this user that are alive: one small file each in a folder of the user's own, which the
 * session keeps locked. A file that nobody has locked is what a killed session left; whoever lists removes it.
 */
#ifndef PROC_PRESENCE_H
#define PROC_PRESENCE_H

#include <helve/str.h>

struct presence;

struct presence_options {
    struct hv_str directory; /* made (mode 0700) when missing */
    struct hv_str session_id, working_directory;
    const char *door; /* how the session was begun: "-p", "exec" */
};

/* Something that runs in the background of a session. */
struct presence_task {
    struct hv_str id, type, title, output_file;
    int64_t process; /* its first process; 0: none, or not known yet */
    bool waits;      /* for input, when it was last looked at */
};

/* Say that this session lives. NULL when that is not possible. */
struct presence *presence_open(const struct presence_options *options);
/* … and what runs in it. Any thread. */
void presence_tell(struct presence *presence, const struct presence_task *tasks, size_t count);
/* The session is over. NULL is accepted. */
void presence_close(struct presence *presence);

/* A living session; texts in the arena given. */
struct presence_session {
    int64_t pid;
    int64_t started_ms; /* since 1970 */
    struct hv_str id, door, working_directory;
    const struct presence_task *tasks;
    size_t task_count;
};

/* The living sessions that a folder tells of, oldest first; *count of them, in arena. */
struct presence_session *presence_list(struct hv_arena *arena, struct hv_str directory, size_t *count);

#endif
