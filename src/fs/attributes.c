/* attributes.c: see attributes.h. */
#include "fs/attributes.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static bool is_of_contents(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

/* Labels of the system are given by the system where we may not; people's own attributes and ACLs must not be lost. */
static bool must_survive(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strncmp(name, "system.", 7) == 0;
}

static bool copy_attribute(int from, int to, const char *name, char *value)
{
    ssize_t len = fgetxattr(from, name, value, XATTR_SIZE_MAX);
    if (len < 0)
        return errno == ENODATA;
    return fsetxattr(to, name, value, (size_t)len, 0) == 0;
}

/* The names in a buffer of XATTR_LIST_MAX bytes; their length, 0 where the file system has none, -1 on failure. */
static ssize_t list_attributes(int fd, char *names)
{
    ssize_t len = flistxattr(fd, names, XATTR_LIST_MAX);
    return len < 0 && (errno == ENOTSUP || errno == ENOSYS) ? 0 : len;
}

static bool copy_attributes(int from, int to, char *names, char *value)
{
    ssize_t len = list_attributes(from, names);
    if (len < 0)
        return false;
    for (const char *name = names; name < names + len; name += strlen(name) + 1)
        if (!is_of_contents(name) && !copy_attribute(from, to, name, value) && must_survive(name))
            return false;
    return true;
}

/* An ACL that the directory's default gave the new file, and that the old file does not have, would widen access. */
static bool drop_inherited_acl(int from, int to)
{
    static const char acl[] = "system.posix_acl_access";
    if (fgetxattr(from, acl, NULL, 0) >= 0 || fgetxattr(to, acl, NULL, 0) < 0)
        return true;
    return fremovexattr(to, acl) == 0;
}

bool fs_copy_attributes(int from, int to)
{
    struct stat old, new;
    if (fstat(from, &old) || fstat(to, &new))
        return false;
    if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) && fchown(to, old.st_uid, old.st_gid))
        return false;
    CLEANUP_FREE char *names = hv_malloc(XATTR_LIST_MAX);
    CLEANUP_FREE char *value = hv_malloc(XATTR_SIZE_MAX);
    /* The mode comes last: chown clears set-id bits, and the file is closed to others until all else is right. */
    return drop_inherited_acl(from, to) && copy_attributes(from, to, names, value) &&
           fchmod(to, old.st_mode & 07777) == 0;
}
