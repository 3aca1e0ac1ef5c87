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
#include <sys/user.h>
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

/* A child that stops, then calls function, traced; *status is that of its first stop, or end. */
static pid_t start(int (*function)(void *data), void *data, int *status)
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
    return child;
}

/* Into the next stop at a system call, or to the end. */
static void step(pid_t child, int *status)
{
    assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
}

/* To right before its call number `number` that may change something. False: it has ended before. */
static bool run_to_change(pid_t child, size_t number, int *status)
{
    for (size_t i = 0; i < number && WIFSTOPPED(*status);) {
        step(child, status);
        i += WIFSTOPPED(*status) && is_changing(child);
    }
    return WIFSTOPPED(*status);
}

bool kill_before_change(int (*function)(void *data), void *data, size_t number, int *status)
{
    pid_t child = start(function, data, status);
    if (!run_to_change(child, number, status))
        return false;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return true;
}

bool meddle_before_change(int (*function)(void *data), void (*meddle)(void *data), void *data, size_t number,
                          int *status)
{
    pid_t child = start(function, data, status);
    if (!run_to_change(child, number, status))
        return false;
    meddle(data);
    assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, status, 0), child);
    return true;
}

/* ---- failing ----------------------------------------------------------------------------------------------------- */

#ifdef __x86_64__

/* Calls that cannot fail so, or that nobody could do without. */
static const long sure[] = {
    SYS_exit_group,  SYS_exit,    SYS_munmap, SYS_close,           SYS_mmap,
    SYS_mprotect,    SYS_madvise, SYS_brk,    SYS_rt_sigprocmask,  SYS_geteuid,
    SYS_getpid,      SYS_gettid,  SYS_futex,  SYS_clock_gettime,   SYS_write,
    SYS_sigaltstack, SYS_getpgrp, SYS_getuid, SYS_clock_nanosleep,
};

static bool may_fail(const struct user_regs_struct *registers)
{
    for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
        if ((long)registers->orig_rax == sure[i] && !(sure[i] == SYS_write && registers->rdi > 2))
            return false;
    return true;
}

/* The child is about to make a call that may fail. */
static bool is_entering(pid_t child, struct user_regs_struct *registers)
{
    struct __ptrace_syscall_info info;
    return ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0 &&
           info.op == PTRACE_SYSCALL_INFO_ENTRY && ptrace(PTRACE_GETREGS, child, NULL, registers) == 0 &&
           may_fail(registers);
}

static void fail_with(pid_t child, struct user_regs_struct *registers, int reason, int *status)
{
    registers->orig_rax = (unsigned long long)-1;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, registers), 0);
    step(child, status);
    assert_true(WIFSTOPPED(*status));
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, registers), 0);
    registers->rax = (unsigned long long)-(long long)reason;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, registers), 0);
}

bool fail_call(int (*function)(void *data), void *data, size_t number, int reason, bool is_for_good, int *status)
{
    struct user_regs_struct registers;
    pid_t child = start(function, data, status);
    size_t seen = 0;
    while (WIFSTOPPED(*status)) {
        step(child, status);
        if (!WIFSTOPPED(*status) || !is_entering(child, &registers))
            continue;
        seen++;
        if (seen == number || (seen > number && is_changing(child)))
            fail_with(child, &registers, reason, status);
        if (seen == number && !is_for_good) {
            assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
            assert_int_equal(waitpid(child, status, 0), child);
        }
    }
    return seen >= number;
}

#else

bool fail_call(int (*function)(void *data), void *data, size_t number, int reason, bool is_for_good, int *status)
{
    (void)function, (void)data, (void)number, (void)reason, (void)is_for_good;
    *status = KILLING_NOT_POSSIBLE << 8; /* making calls fail needs to know the machine's registers */
    return false;
}

#endif
