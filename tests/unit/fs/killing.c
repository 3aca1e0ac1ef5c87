/* killing.c: see killing.h. */
#include "killing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Calls after which everything stands as before them: a kill between two of these is one kill. */
static const long looking[] = {
    SYS_read,      SYS_pread64,    SYS_fstat,     SYS_newfstatat, SYS_statx,      SYS_close,
    SYS_mmap,      SYS_munmap,     SYS_mprotect,  SYS_madvise,    SYS_brk,        SYS_getrandom,
    SYS_lgetxattr, SYS_llistxattr, SYS_getxattr,  SYS_listxattr,  SYS_getdents64, SYS_readlinkat,
    SYS_faccessat, SYS_faccessat2, SYS_geteuid,   SYS_getpid,     SYS_lseek,      SYS_fcntl,
    SYS_fstatfs,   SYS_fsync,      SYS_fdatasync, SYS_gettid,     SYS_futex,      SYS_clock_gettime,
};

/* The child is about to make a call that may change something. */
static bool is_changing(pid_t child)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    if (info.entry.nr == SYS_openat)
        return (info.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    for (size_t i = 0; i < sizeof looking / sizeof *looking; i++)
        if ((long)info.entry.nr == looking[i])
            return false;
    return true;
}

bool kill_before_change(int (*function)(void *data), void *data, size_t number, int *status)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(KILLING_NOT_POSSIBLE);
        raise(SIGSTOP);
        _exit(function(data));
    }
    assert_int_equal(waitpid(child, status, 0), child);
    if (WIFSTOPPED(*status))
        assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    for (size_t i = 0; i < number && WIFSTOPPED(*status);) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, status, 0), child);
        i += WIFSTOPPED(*status) && is_changing(child);
    }
    if (!WIFSTOPPED(*status))
        return false;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return true;
}
