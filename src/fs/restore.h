/*
 * restore.h: bringing files, links and directories back to what images say (image.h), all or none, at any fault and any
 * kill.
 *
 * The bytes stand in a store (image_store.h), those that are to come and those that stand there now; they are copied
 * file by file, so that memory does not grow with them. A list of all steps is kept in a folder of its own below
 * `journal` and synced; from then on a kill is undone by fs_recover_changes (transaction.h) at the next start. When all
 * steps are done the list is marked as committed, and from then on they stay.
 *
 * In this order: what has to make room goes, the deepest first; directories, files and links come, outermost first;
 * second names of files follow; at last directories get their modes and times, the deepest first.
 *
 * What somebody else changes meanwhile is left as it is: then everything else is undone, and what cannot be is kept for
 * a person (the list is then named "conflict"). What a fault keeps from being undone is tried again at the next start.
 */
#ifndef FS_RESTORE_H
#define FS_RESTORE_H

#include "fs/image.h"
#include "fs/transaction.h"

struct fs_restore_step {
    const struct fs_image *wanted, *present; /* of one path; neither is FS_IMAGE_OTHER */
    struct hv_str twin;                      /* the file that wanted was another name of, when done; or absent */
};

/*
 * Do the steps. store: the folder with the bytes of wanted and of present, where they are files that differ in these.
 * HV_ECONFLICT: something is no longer as present says. What an error leaves is in its message, which begins so:
 * "nothing was changed", or, where going back failed too, "some files were changed"; then the hint says what will
 * become of them. *incomplete: how many owners or attributes may not be given, and directories that stay as somebody
 * else has something in them. Blocks.
 */
enum hv_code fs_restore(const struct fs_restore_step *steps, size_t count, struct hv_str store, struct hv_str journal,
                        size_t *incomplete, struct hv_error *err) HV_MUST_CHECK;

/* Whether a restoration that is not over needs the copies of `store`: one below `journal` whose list is to be undone by
 * the next start, or is kept for a person. Such a store must stay. Blocks. */
bool fs_restore_needs(struct hv_str journal, struct hv_str store);

/* ---- inner to transaction.c ---- */

#define RESTORE_PREFIX "restore-"
struct transaction;
/* A transaction_recover: undo what a killed restoration has begun; *committed: it had done all. */
enum transaction_outcome restore_recover(struct transaction *transaction, bool *committed);

#endif
