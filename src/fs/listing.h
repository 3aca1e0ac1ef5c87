/*
 * listing.h: what stands in one directory, read at once, for who would look at many names in it one by one. As old as
 * its reading: what changes afterwards is not seen. Immutable.
 */
#ifndef FS_LISTING_H
#define FS_LISTING_H

#include <helve/host.h>

struct fs_listing;

/*
 * The names in directory (absolute, without links), in arena. NULL: it cannot be read, has more than limit names, or
 * lies where names may be there that no listing shows: only file systems of this machine that keep files are taken, and
 * nothing below /dev, where files are mounted over others. Blocks. From any thread.
 */
const struct fs_listing *fs_listing_read(struct hv_arena *arena, struct hv_str directory, size_t limit);

/*
 * What lstat would say of name (one component) in the directory, which may be searched: true with its kind,
 * HV_FILE_UNKNOWN when nothing is there. False: ask the file system. So it is for links, for what lstat alone knows,
 * and for names that a file system that takes no notice of case might find under another spelling.
 */
bool fs_listing_tells(const struct fs_listing *listing, struct hv_str name, enum hv_file_kind *kind);

/* No name in the directory begins and ends so, whatever the case of its letters; the two do not overlap in a name. */
bool fs_listing_has_none(const struct fs_listing *listing, struct hv_str beginning, struct hv_str ending);

#endif
