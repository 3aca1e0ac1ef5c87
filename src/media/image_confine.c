/* image_confine.c: how the helper for images locks itself in; see image_helper.h. A part of the helper, and of its
 * test. */
#include "media/image_helper.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static bool limit(int resource, rlim_t value)
{
    struct rlimit wanted = {value, value}, current;
    if (getrlimit((__rlimit_resource_t)resource, &current))
        return false;
    if (current.rlim_max != RLIM_INFINITY && current.rlim_max < value)
        wanted.rlim_cur = wanted.rlim_max = current.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &wanted) == 0;
}

/* Descriptors that are open stay; no new one can be made. */
static bool set_limits(void)
{
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 0) &&
           limit(RLIMIT_CPU, IMAGE_HELPER_CPU_SECONDS) && limit(RLIMIT_AS, IMAGE_HELPER_MEMORY_LIMIT);
}

/* An int argument is 32 bits to the kernel: the filter looks at no more. */
#define IS(argument, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, (value))
#define LACKS(argument, bits) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, (bits), 0)
#define HAS(argument, bits) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, (bits), (bits))

static int allow_memory(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise)};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof calls / sizeof *calls; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    failed = failed ? failed
                    : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, LACKS(2, PROT_EXEC),
                                       HAS(3, MAP_ANONYMOUS | MAP_PRIVATE));
    return failed ? failed : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, LACKS(2, PROT_EXEC));
}

static int allow_streams(scmp_filter_ctx filter)
{
    int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(read), 1, IS(0, 0));
    failed = failed ? failed : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, IS(0, 1));
    return failed ? failed : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, IS(0, 2));
}

static int allow_rest(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(exit),          SCMP_SYS(exit_group), SCMP_SYS(futex),
                                SCMP_SYS(clock_gettime), SCMP_SYS(getrandom),  SCMP_SYS(rt_sigreturn)};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof calls / sizeof *calls; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    return failed;
}

static bool set_filter(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return false;
    int failed = allow_memory(filter);
    failed = failed ? failed : allow_streams(filter);
    failed = failed ? failed : allow_rest(filter);
    failed = failed ? failed : seccomp_load(filter); /* sets no_new_privs, too */
    seccomp_release(filter);
    return !failed;
}

bool image_helper_confine(void)
{
    return prctl(PR_SET_DUMPABLE, 0) == 0 && set_limits() && set_filter();
}
