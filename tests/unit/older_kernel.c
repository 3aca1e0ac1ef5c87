/*
 * older_kernel.c: runs a test as on a kernel that has none of the calls that came since 5.3, which are answered as
 * unknown: helve has another way for each of them, and no machine of ours would take it.
 *
 *   older_kernel PROGRAM [ARGUMENT…]
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* clang-format off */
static const unsigned calls[] = {
    SYS_pidfd_send_signal, SYS_open_tree, SYS_move_mount, SYS_pidfd_open, SYS_clone3, SYS_close_range, SYS_openat2,
    SYS_faccessat2, SYS_mount_setattr, SYS_landlock_create_ruleset,
};
/* clang-format on */
enum { CALL_COUNT = sizeof calls / sizeof *calls };

int main(int argc, char **argv)
{
    struct sock_filter filter[2 * CALL_COUNT + 2];
    unsigned short at = 0;
    if (argc < 2)
        return 2;
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {at, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        printf("1..0 # SKIP no filter of system calls can be had here\n");
        return 0;
    }
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 1;
}
