/*
 * transaction.h: changing several files, all or none, at any fault and at any kill.
 *
 * The bytes before and after each change are put into a folder of their own below `journal` and synced; then its list
 * of changes gets its final name, and from there on a kill is undone. The writes follow, each atomic by itself
 * (write.h); then the list is marked as committed, and from there on a kill is completed: what is to be removed, goes.
 * At last the folder goes. A fault takes back what was done. Files that somebody else changed in between are left as
 * they are, and the folder with their bytes then stays (its list named "conflict").
 */
#ifndef FS_TRANSACTION_H
#define FS_TRANSACTION_H

#include <helve/host.h>

/* The contract of hv_host.change_files. */
enum hv_code fs_change_files(struct hv_file_change *changes, size_t count, struct hv_str journal,
                             struct hv_error *err) HV_MUST_CHECK;

/* What a recovery came to. */
struct fs_recovery {
    size_t undone, completed; /* transactions */
    size_t conflicts;         /* with files that somebody changed meanwhile; their folders stay */
};

/* Undo or complete what killed processes left in the folder `journal` (absent or missing: nothing). What a living
 * process has under way is left alone. Blocks; any thread. */
void fs_recover_changes(struct hv_str journal, struct fs_recovery *out);

#endif
