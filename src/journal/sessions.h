/*
 * sessions.h: where journals live, and finding one again.
 *
 *   <state>/sessions/<project>/<session id>.jsonl     the journal
 *   <state>/sessions/<project>/<session id>/          what belongs to it (stored results, copies of files)
 *
 * <state> is $HELVE_HOME, else $XDG_STATE_HOME/helve, else ~/.local/state/helve. <project> is made from the working
 * directory: readable, with a checksum so that no two directories share one.
 */
#ifndef JOURNAL_SESSIONS_H
#define JOURNAL_SESSIONS_H

#include <helve/event.h>

#define CHANGES_FOLDER "changes"         /* changes of files that are not over, beside the journals of a project */
#define CHECKPOINTS_FOLDER "checkpoints" /* copies of files, in the session's own folder */

enum { SESSION_ID_SIZE = 37 }; /* a UUID with its NUL */

/* A new random id (UUID version 4). */
void session_id_new(char out[SESSION_ID_SIZE]);
/* True for what may name a session file: 1 to 64 letters, digits, '-' and '_', not CHANGES_FOLDER. */
bool session_id_is_valid(struct hv_str id);

/* The directory of all sessions, from the environment. In arena. */
struct hv_str sessions_directory(struct hv_arena *arena);
/* The directory of one project's sessions. In arena. */
struct hv_str sessions_project_directory(struct hv_arena *arena, struct hv_str directory);

struct session_entry {
    struct hv_str id, path;
    int64_t modified_ns;
    uint64_t size;
    size_t passed_over; /* sessions_find, of the latest: newer journals that hold nothing to go on from */
    /* Filled in by sessions_describe. */
    struct hv_str directory, model, title; /* title: the person's, else the first prompt, one line, cut */
    uint64_t turns;
};

/* All sessions of one project (an absolute working directory), or of all when absent; newest first. In arena. */
enum hv_code sessions_list(struct hv_arena *arena, struct hv_str directory, struct session_entry **entries,
                           size_t *count, struct hv_error *err) HV_MUST_CHECK;
/* The first text of a message's content (a JSON array of blocks), its first line, cut; absent: there is none. */
struct hv_str sessions_title(struct hv_arena *arena, struct hv_str content);
/* Give a session a title of the person's, of one line, in place of its first prompt. Errors: those of writing. */
enum hv_code sessions_set_title(struct hv_str journal, struct hv_str title, struct hv_error *err) HV_MUST_CHECK;
/* Read what a list for people shows from the journal itself. Blocks on the file. */
void sessions_describe(struct hv_arena *arena, struct session_entry *entry);

/*
 * Find one session: a path of a journal, an id, or the beginning of an id (at least 4 characters) that fits only one.
 * An absent name means the latest of this working directory. HV_ENOTFOUND and HV_ECONFLICT (more than one) say what
 * there is.
 */
enum hv_code sessions_find(struct hv_arena *arena, struct hv_str name, struct hv_str directory,
                           struct session_entry *out, struct hv_error *err) HV_MUST_CHECK;

/* Remove sessions that were not written for `days` days (and what belongs to them), and stored results of runs without
 * a journal that are as old. At most once a day it looks at the disk at all; removes at most 1,000 of each at a time.
 * Returns how many it removed. */
size_t sessions_clean(int64_t days, struct hv_str except_id);
/*
 * Room for the copies of files that a session keeps (folder CHECKPOINTS_FOLDER): how many bytes they may take when
 * those of the project together may take `limit`. What other sessions keep goes, oldest first and all of one session at
 * once, until it takes half of that; sessions that are being written, or whose rewind was cut off, keep theirs.
 * directory: of the project's sessions. Blocks.
 */
uint64_t sessions_make_room(struct hv_str directory, struct hv_str except_id, uint64_t limit);
/* True for a journal in the directory of sessions: helve wrote it here. Others may come from anybody. */
bool sessions_is_kept(const struct session_entry *entry);
/* Remove one session and what belongs to it. HV_ECONFLICT while a helve is writing it, or while a rewind that was cut
 * off needs its copies of files; HV_EINVAL when it does not lie
 * in the directory of sessions (one can be named by any path). */
enum hv_code sessions_remove(const struct session_entry *entry, struct hv_error *err) HV_MUST_CHECK;

#endif
