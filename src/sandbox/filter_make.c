/* filter_make.c: see filter_make.h. */
#include "sandbox/filter_make.h"

#include "base/cleanup.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { FILTER_BYTES_MAX = 32 * 1024, FAMILY_MAX = 64 };
enum { OPEN_TREE_ATTR = 467 }; /* of Linux 6.15, on each architecture; libseccomp 2.5 does not know it */

/* clang-format off */
static const char *const forbidden[] = {
    /* other processes */
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    /* file systems and namespaces */
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare", "setns", "quotactl", "quotactl_fd", "swapon",
    "swapoff", "name_to_handle_at", "open_by_handle_at",
    /* keys, and parts of the kernel that were broken out of */
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "lookup_dcookie", "vmsplice",
    /* the machine itself */
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "reboot", "acct",
    "syslog", "settimeofday", "clock_settime", "clock_settime64", "adjtimex", "clock_adjtime", "clock_adjtime64",
    "stime", "iopl", "ioperm", "uselib", "_sysctl", "sysfs", "nfsservctl", "vhangup",
    NULL,
};

static const unsigned namespace_flags[] = {
    CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET,
};
/* clang-format on */

/* What types into a terminal, or gives it another driver. */
static const unsigned long terminal_input[] = {TIOCSTI, TIOCLINUX, TIOCSETD};

/* The kernel looks at the lower half of an int argument only; so must the filter, or the upper half hides the value. */
#define IS(argument, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, (value))
#define REFUSE SCMP_ACT_ERRNO(EPERM)

static int refuse_calls(scmp_filter_ctx filter)
{
    for (size_t i = 0; forbidden[i]; i++) {
        int number = seccomp_syscall_resolve_name(forbidden[i]);
        if (number == __NR_SCMP_ERROR && strcmp(forbidden[i], "open_tree_attr") == 0)
            number = OPEN_TREE_ATTR;
        if (number == __NR_SCMP_ERROR || number < 0) /* not known, or not of this architecture */
            continue;
        int failed = seccomp_rule_add(filter, REFUSE, number, 0);
        if (failed)
            return failed;
    }
    return 0;
}

/* clone3 hides its flags in memory, where no filter sees them; ENOSYS makes libc use clone. */
static int refuse_namespaces(scmp_filter_ctx filter)
{
    int failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    for (size_t i = 0; !failed && i < sizeof namespace_flags / sizeof *namespace_flags; i++)
        failed = seccomp_rule_add(filter, REFUSE, SCMP_SYS(clone), 1,
                                  SCMP_CMP(0, SCMP_CMP_MASKED_EQ, namespace_flags[i], namespace_flags[i]));
    return failed;
}

static int refuse_terminal_input(scmp_filter_ctx filter)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof terminal_input / sizeof *terminal_input; i++)
        failed = seccomp_rule_add(filter, REFUSE, SCMP_SYS(ioctl), 1, IS(1, terminal_input[i]));
    return failed;
}

static bool family_is_free(unsigned family, const struct sandbox_filter_options *options)
{
    switch (family) {
    case AF_UNIX: return options->unix_sockets;
    case AF_INET:
    case AF_INET6: return !options->no_internet;
    case AF_NETLINK: return true; /* its protocols are looked at one by one */
    default: return false;
    }
}

static int refuse_sockets(scmp_filter_ctx filter, const struct sandbox_filter_options *options)
{
    int failed = 0;
    for (unsigned family = 0; !failed && family < FAMILY_MAX; family++)
        if (!family_is_free(family, options))
            failed = seccomp_rule_add(filter, REFUSE, SCMP_SYS(socket), 1, IS(0, family));
    failed =
        failed ? failed : seccomp_rule_add(filter, REFUSE, SCMP_SYS(socket), 1, SCMP_CMP(0, SCMP_CMP_GE, FAMILY_MAX));
    /* Of netlink only what lists the network's own addresses. */
    for (unsigned bit = 0; !failed && bit < 32; bit++)
        failed = seccomp_rule_add(filter, REFUSE, SCMP_SYS(socket), 2, IS(0, AF_NETLINK),
                                  SCMP_CMP(2, SCMP_CMP_MASKED_EQ, 1u << bit, 1u << bit));
    return failed;
}

static int make_rules(scmp_filter_ctx filter, const struct sandbox_filter_options *options)
{
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    failed = failed ? failed : seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    failed = failed ? failed : refuse_calls(filter);
    failed = failed ? failed : refuse_namespaces(filter);
    failed = failed ? failed : refuse_terminal_input(filter);
    return failed ? failed : refuse_sockets(filter, options);
}

/* libseccomp writes to descriptors only. */
static int export(scmp_filter_ctx filter, struct hv_buf *out)
{
    CLEANUP_FD int fd = memfd_create("filter", MFD_CLOEXEC);
    char bytes[4096];
    ssize_t got;
    int failed = fd < 0 ? -errno : seccomp_export_bpf(filter, fd);
    if (failed)
        return failed;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    while ((got = read(fd, bytes, sizeof bytes)) > 0)
        hv_buf_add(out, bytes, (size_t)got);
    return got < 0 || out->failed ? -EIO : 0;
}

static struct hv_str hexadecimal(struct hv_arena *arena, struct hv_str bytes)
{
    static const char digits[] = "0123456789abcdef";
    char *text = hv_arena_alloc(arena, 2 * bytes.len);
    for (size_t i = 0; i < bytes.len; i++) {
        text[2 * i] = digits[(unsigned char)bytes.ptr[i] >> 4];
        text[2 * i + 1] = digits[bytes.ptr[i] & 15];
    }
    return hv_str_of(text, 2 * bytes.len);
}

enum hv_code filter_make(struct hv_arena *arena, const struct sandbox_filter_options *options, struct hv_str *out,
                         struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, FILTER_BYTES_MAX);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return hv_fail(err, HV_EUNSUPPORTED, "no system-call filter can be made for this machine");
    int failed = make_rules(filter, options);
    failed = failed ? failed : export(filter, &bytes);
    seccomp_release(filter);
    if (failed)
        return hv_fail_errno(err, -failed, "the system-call filter cannot be made");
    *out = hexadecimal(arena, hv_buf_str(&bytes));
    return HV_OK;
}
