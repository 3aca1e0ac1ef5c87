/* open_place.c: the places outside the workspace that a command may look at unasked, where no secret is kept; see
 * parts.h. Credentials among them are found by path_class.c before this is asked. */
#include "policy/parts.h"

#include "base/path.h"

#include <string.h>

/* With all that is below. */
/* clang-format off */
static const char *const trees[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/snap",
    "/etc/apt/sources.list.d", "/etc/alternatives", "/etc/ld.so.conf.d", "/etc/ca-certificates",
    "/etc/fonts", "/etc/skel", "/etc/bash_completion.d", "/sys/class", "/sys/devices/system", "/sys/devices/virtual", "/sys/fs/cgroup",
    "/Library/Developer", "/var/lib/dpkg", "/proc/sys", NULL};
/* clang-format on */

/* These alone. Directories: their lists of names. */
/* clang-format off */
static const char *const files[] = {
    "/", "/etc", "/home", "/var", "/dev", "/proc", "/sys", "/mnt", "/media", "/srv", "/run", "/var/log", "/var/lib",
    "/etc/os-release", "/etc/lsb-release", "/etc/debian_version", "/etc/redhat-release", "/etc/alpine-release",
    "/etc/arch-release", "/etc/fedora-release", "/etc/system-release", "/etc/issue", "/etc/issue.net", "/etc/hosts",
    "/etc/hostname", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/services",
    "/etc/protocols", "/etc/shells", "/etc/timezone", "/etc/localtime", "/etc/fstab", "/etc/mtab", "/etc/profile",
    "/etc/bash.bashrc", "/etc/ld.so.conf", "/etc/ld.so.cache", "/etc/apt/sources.list", "/etc/locale.gen",
    "/etc/locale.conf", "/etc/default/locale", "/etc/machine-id", "/etc/gitconfig", "/etc/inputrc", "/etc/login.defs",
    "/etc/crontab", "/etc/sysctl.conf", "/etc/lsb-base-logging.sh", "/etc/magic", "/etc/mime.types", "/etc/motd",
    "/etc/manpath.config", "/etc/adduser.conf", "/etc/apt", "/proc/cpuinfo", "/proc/meminfo", "/proc/version",
    "/proc/uptime", "/proc/loadavg", "/proc/mounts", "/proc/filesystems", "/proc/stat", "/proc/vmstat",
    "/proc/partitions", "/proc/swaps", "/proc/devices", "/proc/modules", "/proc/interrupts", "/proc/diskstats",
    "/proc/self/status", "/proc/self/mounts", "/proc/self/mountinfo", "/proc/self/cgroup", "/proc/self/limits",
    "/proc/self/maps", "/proc/self/comm", "/proc/1/cgroup", "/proc/1/comm", "/proc/1/sched", "/proc/net/dev",
    "/proc/cmdline", "/proc/config.gz", "/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io",
    "/proc/self/net/dev", "/proc/self/net/tcp", "/proc/self/net/route", "/proc/net/tcp", "/proc/net/route",
    "/proc/mdstat", "/proc/buddyinfo", "/proc/driver/nvidia/version", "/dev/disk", "/dev/disk/by-id", "/dev/disk/by-uuid", "/dev/disk/by-label", "/dev/disk/by-path", "/dev/serial", "/dev/serial/by-id", "/dev/serial/by-path", "/dev/dri", "/dev/input", "/dev/snd",
    "/dev/mapper", "/dev/bus/usb", "/.dockerenv", "/run/.containerenv", NULL};
/* clang-format on */

/* All streams and free devices stand there. */
static bool may_be_device(struct hv_str path)
{
    return hv_str_starts(path, HV_STR("/dev/")) || hv_str_starts(path, HV_STR("/proc/self/fd"));
}

bool mention_is_own_stream(struct hv_str path)
{
    if (!may_be_device(path))
        return false;
    static const struct hv_str streams[] = {HV_STR("/dev/stdin"), HV_STR("/dev/stdout"), HV_STR("/dev/stderr")};
    static const struct hv_str folders[] = {HV_STR("/dev/fd"), HV_STR("/proc/self/fd")};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (hv_str_eq(path, streams[i]))
            return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int64_t number;
        if (hv_str_eq(path, folders[i]) ||
            (hv_str_eq(path_parent(path), folders[i]) && hv_str_to_int64(path_name(path), &number)))
            return true;
    }
    return false;
}

bool path_is_free_device(struct hv_str path)
{
    if (!may_be_device(path))
        return false;
    return shell_is_one_of(path, "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/stdin "
                                 "/dev/stdout /dev/stderr /dev/ptmx") ||
           mention_is_own_stream(path);
}

static bool is_open(struct hv_str path, bool tree)
{
    for (size_t i = 0; trees[i]; i++)
        if (path_inside(path, hv_str_from(trees[i])))
            return true;
    for (size_t i = 0; !tree && files[i]; i++)
        if (hv_str_is(path, files[i]))
            return true;
    return false;
}

/* /proc/self/x, /proc/net/x and /proc/mounts, links followed, as /proc/self/x: the number is of whoever follows them.
 */
static bool is_own_process_open(const struct policy_path *path)
{
    struct hv_str own = HV_STR("/proc/self/"), rest = hv_str_slice(path->resolved, 6, path->resolved.len);
    size_t slash = hv_str_find_byte(rest, '/', 0);
    int64_t number;
    bool named = hv_str_starts(path->written, own) || hv_str_is(path->written, "/proc/mounts") ||
                 hv_str_starts(path->written, HV_STR("/proc/net/"));
    if (!named || !hv_str_starts(path->resolved, HV_STR("/proc/")) || slash == SIZE_MAX ||
        !hv_str_to_int64(hv_str_slice(rest, 0, slash), &number))
        return false;
    rest = hv_str_slice(rest, slash + 1, rest.len);
    for (size_t i = 0; files[i]; i++) {
        struct hv_str file = hv_str_from(files[i]);
        if (hv_str_starts(file, own) && hv_str_eq(hv_str_slice(file, own.len, file.len), rest))
            return true;
    }
    return false;
}

/* /sys/class/net/eth0/mtu leads to what a device says of itself, deep below /sys/devices; not to the device itself,
 * whose files stand beside that directory. */
static bool is_kind_of_device(const struct policy_path *path)
{
    static const struct {
        const char *from, *kind;
    } kinds[] = {{"/sys/class/net", "/net/"},
                 {"/sys/block", "/block/"},
                 {"/sys/class/block", "/block/"},
                 {"/sys/class/power_supply", "/power_supply/"},
                 {"/sys/class/hwmon", "/hwmon/"}};
    if (!path_inside(path->resolved, HV_STR("/sys/devices")))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (path_inside(path->written, hv_str_from(kinds[i].from)) &&
            hv_str_find(path->resolved, hv_str_from(kinds[i].kind), 0) != SIZE_MAX)
            return true;
    return false;
}

bool path_is_open_place(const struct policy_path *path, bool tree)
{
    if (path_is_free_device(path->written) || (!tree && is_kind_of_device(path)))
        return true;
    return path->resolved.len && is_open(path->written, tree) &&
           (is_open(path->resolved, tree) || (!tree && is_own_process_open(path)) ||
            path_is_free_device(path->resolved) || hv_str_starts(path->resolved, HV_STR("/run/systemd/resolve/")));
}

static bool is_temporary(struct hv_str path)
{
    static const char *const names[] = {"/tmp", "/var/tmp", "/private/tmp", "/dev/shm", NULL};
    for (size_t i = 0; names[i]; i++)
        if (path_inside(path, hv_str_from(names[i])) && !hv_str_is(path, names[i]))
            return true;
    return false;
}

bool path_is_temporary(const struct policy *policy, const struct policy_path *path)
{
    /* Where the workspace or the home stands in such a place, the rest of it is no common ground. */
    for (size_t i = 0; i < policy->root_count; i++)
        if (is_temporary(policy->roots[i].written) || is_temporary(policy->roots[i].resolved))
            return false;
    return !is_temporary(policy->home.written) && is_temporary(path->written) && is_temporary(path->resolved);
}
