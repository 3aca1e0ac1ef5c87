/*
 * transaction.h: changing several files, all or none, at any fault and at any kill.
 *
 * The bytes before and after each change are put into a folder of their own below `journal` and synced; then its list
 * of changes gets its final name, and from there on a kill is undone. The writes follow, each atomic by itself
 * (write.h); then the list is marked as committed, and from there on a kill is completed: what is to be removed, goes.
 * At last the folder goes. A fault takes back what was done. Files that somebody else changed in between are left as
 * they are, and the folder with their bytes then stays (its list named "conflict"). Directories that were made for a
 * change that is undone go again, when they are empty.
 */
#ifndef FS_TRANSACTION_H
#define FS_TRANSACTION_H

#include <helve/host.h>

/* The contract of hv_host.change_files. */
enum hv_code fs_change_files(struct hv_file_change *changes, size_t count, struct hv_str journal,
                             struct hv_error *err) HV_MUST_CHECK;

/*
 * Writing over a file in place (write.h) keeps what it was in the same way, as a change of one file; a kill in the
 * middle leaves a mixture of old and new bytes, which the next start knows as such and takes back.
 */
struct fs_kept;
struct pending;
/* Keep the present bytes of path (at: see hv_write_options), and what they become, in journal, where pending has its
 * note. *out is ended by fs_kept_drop or fs_kept_leave. */
enum hv_code fs_keep(struct hv_str path, const struct hv_handle *at, struct hv_str after, struct hv_str journal,
                     struct pending *pending, struct fs_kept **out, struct hv_error *err) HV_MUST_CHECK;
int fs_kept_bytes(struct fs_kept *kept);                  /* what it was, open for reading; -1 when that fails */
struct hv_str fs_kept_folder(const struct fs_kept *kept); /* the folder that it is in */
void fs_kept_drop(struct fs_kept *kept);                  /* the write is done, or taken back; NULL is fine */
void fs_kept_leave(struct fs_kept *kept); /* it is neither: what was kept stays for a person. NULL is fine */

/* What undoing or completing one came to. */
enum transaction_outcome {
    TRANSACTION_WHOLE,
    TRANSACTION_FOREIGN, /* somebody else changed some of its files, which stay as they are */
    TRANSACTION_LATER,   /* a fault kept some of it from being done: to be tried again */
};

/* What a recovery came to. */
struct fs_recovery {
    size_t undone, completed; /* transactions */
    size_t waiting;           /* that a fault keeps from being undone or completed: the next start tries again */
    size_t conflicts;         /* with files that somebody changed meanwhile; their folders stay */
};

/* Undo or complete what killed processes left in the folder `journal` (absent or missing: nothing). What a living
 * process has under way is left alone. Blocks; any thread. */
void fs_recover_changes(struct hv_str journal, struct fs_recovery *out);

#endif
