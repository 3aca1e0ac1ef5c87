/*
 * rewind.h: going back to where a session's files stood before one of its messages.
 *
 * What is to be done follows from the timeline and from what stands there now (rewind_collect, rewind_judge: pure). A
 * file goes back only when it is what the session left, in every link of the chain: else somebody's work would be lost,
 * and the plan says whose word is needed. Doing it (rewind_apply) is one transaction over all files; it is recorded in
 * the journal as any other change is, so that it can be undone.
 */
#ifndef JOURNAL_REWIND_H
#define JOURNAL_REWIND_H

#include "journal/timeline.h"
#include "journal/writer.h"

enum rewind_act {
    REWIND_NOTHING = 0, /* it is already as it was */
    REWIND_RESTORE,     /* its former bytes, target or mode */
    REWIND_BRING_BACK,  /* it was deleted */
    REWIND_REMOVE,      /* it was created */
    REWIND_IMPOSSIBLE,  /* `why` says why; stays as it is whatever one says */
};

/* What makes one hesitate: done only when told to (--force). */
enum rewind_doubt {
    REWIND_CERTAIN = 0,
    REWIND_CHANGED_SINCE,   /* it is no longer what the session left */
    REWIND_CHANGED_BETWEEN, /* something else changed it between the session's changes */
    REWIND_UNSURE,          /* changed while a command ran in the background, and no turn: perhaps by somebody else */
    REWIND_CUT_OFF,         /* the session was cut off while it was changing it */
};

struct rewind_step {
    struct hv_str path;
    struct fs_image wanted, expected, present; /* present: filled by the caller between collecting and judging */
    bool was_cut_off, was_changed_between, is_unsure;
    struct hv_str
        barred; /* why it must not be touched: a rule (set by the caller), or that it cannot be looked at; or absent */
    struct hv_str lost; /* why the copy of wanted cannot be used, or absent; filled with present */
    bool is_occupied;   /* a directory stands there that holds what is none of the session's; filled with present */
    enum rewind_act act;
    enum rewind_doubt doubt;
    struct hv_str why; /* of IMPOSSIBLE */
};

/* A directory in which nobody but the session changed anything: when all of that goes back, so does its time. */
struct rewind_folder {
    struct hv_str path;
    int64_t wanted_ns, expected_ns; /* its mtime: before the first change, and after the last */
};

struct rewind_plan {
    struct rewind_step *steps; /* by path */
    size_t count;
    struct rewind_folder *folders;
    size_t folder_count;
    size_t changes, doubtful, impossible; /* after judging: how many are to be changed (the doubtful among them), … */
};

/* The files that were touched from `moment` on, with what they were by then. Pure; in arena. */
void rewind_collect(struct hv_arena *arena, const struct timeline *timeline, uint64_t moment, struct rewind_plan *out);
/* Part of it: plan->folders. */
void rewind_collect_folders(struct hv_arena *arena, const struct timeline *timeline, uint64_t moment,
                            struct rewind_plan *plan);
/* All steps are done; kept: the images of what stood there before, of each step that was, in their order. Those folders
 * get their times in which all went back, and nothing was done by others meanwhile. Blocks. */
void rewind_give_times(const struct rewind_plan *plan, const struct fs_image *kept);
/* Whether the step is one that is done. Pure. */
bool rewind_is_done(const struct rewind_step *step);
/* Decide each step from wanted, expected, present and barred. Pure; texts in arena. */
void rewind_judge(struct hv_arena *arena, struct rewind_plan *plan);

/* Fill what is known of all steps by looking: reads the files, and their copies in the store. Blocks. */
void rewind_look(struct hv_arena *arena, struct hv_str store, struct rewind_plan *plan);

struct rewind_places {
    struct hv_str store;   /* the session's copies (fs/image_store.h) */
    struct hv_str changes; /* for transactions (fs/transaction.h) */
    uint64_t file_max, size_max;
};

/*
 * Do what the plan says: all of it or, at any fault or kill, nothing (fs/restore.h); in constant memory, whatever the
 * files take. Before and after, the journal says so under call_id. Errors: HV_EINVAL or HV_ENOTFOUND when a copy is
 * damaged or gone, HV_ECONFLICT when a file changed meanwhile; then nothing was changed. *incomplete: how many owners
 * or attributes could not be set, and directories that stay as something else is in them.
 */
enum hv_code rewind_apply(const struct rewind_plan *plan, const struct rewind_places *places,
                          struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id,
                          size_t *incomplete, struct hv_error *err) HV_MUST_CHECK;

/* Say in the journal what became of an earlier rewind of that call_id which was killed, and so never said it. After its
 * recovery (fs/transaction.h). Blocks. */
void rewind_close_attempt(struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id);

#endif
