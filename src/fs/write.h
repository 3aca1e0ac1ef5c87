/*
 * write.h: replacing a file so that readers, a crash and a full disk see the old bytes or the new, never a mixture.
 *
 * The new bytes go to a temporary file in the target's directory (unpredictable name, opened exclusively), are
 * synced, given the target's owner, extended attributes (ACLs are among them) and mode, and are renamed over the
 * target; then the directory is synced. The name itself is judged again right before the rename, under a lock on
 * the directory, so that two helve processes never lose each other's update.
 *
 * A target with several hard links, or whose owner or attributes we may not give to a new file, or in a directory that
 * takes no new file, is written in place, since a rename would cut the link or change the owner. Then its old bytes are
 * kept until the new ones are synced, in options->journal, or in a `.helve-backup-…` file beside it; an error restores
 * them. A kill in that window is undone by fs_recover_changes (transaction.h), or leaves the backup behind.
 *
 * Directories that were made for a write that failed are removed again.
 */
#ifndef FS_WRITE_H
#define FS_WRITE_H

#include "base/pieces.h"

#include <helve/host.h>

/* The contract of hv_host.write_pieces. path is absolute; links are followed and survive. */
enum hv_code fs_write_pieces(struct hv_str path, struct pieces content, const struct hv_write_options *options,
                             struct hv_file_stat *after, struct hv_error *err) HV_MUST_CHECK;
/* The same of one piece. */
enum hv_code fs_write(struct hv_str path, struct hv_str bytes, const struct hv_write_options *options,
                      struct hv_file_stat *after, struct hv_error *err) HV_MUST_CHECK;

struct fs_image;
/* The same, and the file gets owner, attributes, mode and time of the image, as far as they may be given: for putting
 * it back. NULL: it gets none. */
enum hv_code fs_write_as(struct hv_str path, struct hv_str bytes, const struct fs_image *image,
                         const struct hv_write_options *options, struct hv_error *err) HV_MUST_CHECK;

/* Write over the bytes of a regular file that stays the same inode, and sync it: 0, or -1 with errno. Nothing is kept:
 * for putting back what a journal has. */
int fs_overwrite(const struct hv_handle *at, struct hv_str path, struct hv_str bytes) HV_MUST_CHECK;
/* name is that of a temporary or backup file of fs_write; walks do not show these. */
bool fs_is_temporary(struct hv_str name);
/* name is that of a backup: whole old bytes of a file that was being written in place. */
bool fs_is_backup(struct hv_str name);

/* HV_EEXIST for a file that was to be new. */
enum hv_code fs_fail_exists(struct hv_str path, struct hv_error *err);

#endif
