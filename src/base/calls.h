/*
 * calls.h: system calls that are made so often that it counts how. The C library lets a thread be cancelled in each of
 * them, which it notes before and forgets after; nobody cancels threads of helve.
 */
#ifndef BASE_CALLS_H
#define BASE_CALLS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* openat() of what exists already. */
static inline int call_openat(int directory, const char *path, int flags)
{
    return (int)syscall(SYS_openat, directory, path, flags, 0);
}

/* pread(). */
static inline ssize_t call_pread(int fd, void *bytes, size_t count, off_t offset)
{
#if defined(__LP64__)
    return (ssize_t)syscall(SYS_pread64, fd, bytes, count, offset);
#else /* where the place takes two arguments, which depends on the machine */
    return pread(fd, bytes, count, offset);
#endif
}

#endif
