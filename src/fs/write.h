/*
 * write.h: replacing a file so that readers, a crash and a full disk see the old bytes or the new, never a mixture.
 *
 * The new bytes go to a temporary file in the target's directory (unpredictable name, opened exclusively), are
 * synced, given the target's owner, extended attributes (ACLs are among them) and mode, and are renamed over the
 * target; then the directory is synced. The name itself is judged again right before the rename, under a lock on
 * the directory, so that two helve processes never lose each other's update.
 *
 * A target with several hard links, or whose owner or attributes we may not give to a new file, is written in place,
 * since a rename would cut the link or change the owner. Then its old bytes stand in a `.helve-backup-…` file beside
 * it until the new ones are synced; an error restores them, and only a kill in that window leaves the backup behind.
 */
#ifndef FS_WRITE_H
#define FS_WRITE_H

#include <helve/host.h>

/* The contract of hv_host.write. path is absolute; links are followed and survive. */
enum hv_code fs_write(struct hv_str path, struct hv_str bytes, const struct hv_write_options *options,
                      struct hv_file_stat *after, struct hv_error *err) HV_MUST_CHECK;

/*
 * Remove what killed writers left in a tree: names of our pattern that no living process holds locked and that are
 * older than a minute. Backups of in-place writes are never removed. Ends at deadline_ns (monotonic clock; 0: no
 * limit). Returns how many files were removed. For the start of a session, on a worker: it blocks.
 */
size_t fs_clean_temporaries(struct hv_str root, uint64_t deadline_ns);
/* name is that of a temporary or backup file of fs_write; walks do not show these. */
bool fs_is_temporary(struct hv_str name);
/* name is that of a backup: whole old bytes of a file that was being written in place. */
bool fs_is_backup(struct hv_str name);

#endif
