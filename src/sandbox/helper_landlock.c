/*
 * helper_landlock.c: how the helper confines itself where bubblewrap cannot run: Landlock for files and TCP, seccomp
 * for the rest. Rights that the kernel does not know yet are left out; what it knows is asked at run time.
 */
#include "sandbox/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's numbers of later versions than the headers of Debian 12 know. */
enum {
    RIGHT_EXECUTE = 1 << 0,
    RIGHT_WRITE = 1 << 1,
    RIGHT_READ = 1 << 2,
    RIGHT_LIST = 1 << 3,
    RIGHTS_OF_ABI_1 = (1 << 13) - 1,
    RIGHT_REFER = 1 << 13,
    RIGHT_TRUNCATE = 1 << 14,
    RIGHT_IOCTL = 1 << 15,
    NET_BIND = 1 << 0,
    NET_CONNECT = 1 << 1,
    SCOPE_ABSTRACT_SOCKETS = 1 << 0,
    SCOPE_SIGNALS = 1 << 1,
    RIGHTS_OF_FILES = RIGHT_EXECUTE | RIGHT_WRITE | RIGHT_READ | RIGHT_TRUNCATE | RIGHT_IOCTL,
};

struct ruleset_attributes {
    uint64_t files, net, scoped;
};

static uint64_t known_rights(long abi)
{
    uint64_t rights = RIGHTS_OF_ABI_1;
    if (abi >= 2)
        rights |= RIGHT_REFER;
    if (abi >= 3)
        rights |= RIGHT_TRUNCATE;
    if (abi >= 5)
        rights |= RIGHT_IOCTL;
    return rights;
}

static uint64_t rights_of(int kind)
{
    switch (kind) {
    case HELPER_READABLE: return RIGHT_EXECUTE | RIGHT_READ | RIGHT_LIST;
    case HELPER_LISTABLE: return RIGHT_LIST;
    case HELPER_DEVICE: return RIGHT_READ | RIGHT_WRITE | RIGHT_TRUNCATE | RIGHT_IOCTL;
    case HELPER_WRITABLE: return ~0ull;
    default: return 0;
    }
}

/* A path that is gone needs no right. */
static void add_rule(int ruleset, const struct item *item, uint64_t rights)
{
    struct stat status;
    int fd = open(item_text(item), O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rights &= RIGHTS_OF_FILES;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    if (rights && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
        fail(HELPER_EXIT_SANDBOX, "Landlock refused a rule for", item_text(item));
    close(fd);
}

static void confine_files(const char *plan)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct ruleset_attributes attributes = {
        .files = known_rights(abi),
        .net = NET_BIND | NET_CONNECT,
        .scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
    };
    size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int ruleset = abi < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (ruleset < 0)
        fail(HELPER_EXIT_SANDBOX, "Landlock is not there", "");
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest))
        if (rights_of(item.kind))
            add_rule(ruleset, &item, rights_of(item.kind) & attributes.files);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, ruleset, 0))
        fail(HELPER_EXIT_SANDBOX, "Landlock refused the rules", "");
    close(ruleset);
}

void apply_filter(const char *plan)
{
    size_t size;
    unsigned char *bytes = filter_bytes(plan, &size);
    struct sock_fprog program = {.len = (unsigned short)(size / sizeof(struct sock_filter)),
                                 .filter = (struct sock_filter *)(void *)bytes};
    if (bytes && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        fail(HELPER_EXIT_SANDBOX, "the system-call filter was refused", "");
}

void confine_self(const char *plan)
{
    confine_files(plan);
    apply_filter(plan);
}
