/* attributes.h: giving a new file the owner, mode and extended attributes of the one it will replace. */
#ifndef FS_ATTRIBUTES_H
#define FS_ATTRIBUTES_H

#include <stdbool.h>

/*
 * Copy owner, group, extended attributes (POSIX ACLs among them) and mode from one open file to another. False when
 * something that must survive could not be copied; then the new file must not take the old one's place. What the
 * kernel derives from contents (security.ima, security.evm) is not copied.
 */
bool fs_copy_attributes(int from, int to);

#endif
