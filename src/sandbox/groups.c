/* groups.c: see groups.h. Knows cgroup v1 (pids and memory) and v2 (one tree). */
#include "sandbox/groups.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#define PREFIX "helve-run-"
enum { LINE_SIZE = 4096, PATH_SIZE = 5000, REMOVE_TRIES = 20 };

static bool write_value(const char *directory, const char *file, const char *text)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool has_file(const char *directory, const char *file)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return access(path, W_OK) == 0;
}

/* ---- where --------------------------------------------------------------------------------------------- */

/* Groups of dead sessions; those in which something lives cannot be removed. */
static void remove_dead(const char *base)
{
    DIR *directory = opendir(base);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0) {
            long owner = strtol(entry->d_name + sizeof PREFIX - 1, NULL, 10);
            char path[64];
            snprintf(path, sizeof path, "/proc/%ld", owner);
            if (access(path, F_OK))
                (void)!unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
        }
    closedir(directory);
}

static char *usable(const char *path)
{
    if (access(path, W_OK) || !has_file(path, "cgroup.procs"))
        return NULL;
    remove_dead(path);
    return hv_strdup(path);
}

/* One line of /proc/self/cgroup: "NUMBER:CONTROLLERS:PATH". */
static void look_at_line(struct groups *groups, struct hv_str line)
{
    const char *root = groups->root ? groups->root : "/sys/fs/cgroup";
    struct hv_str number, controllers, path = line;
    char text[PATH_SIZE];
    if (!hv_str_split(&path, ':', &number) || !hv_str_split(&path, ':', &controllers) || path.len > LINE_SIZE)
        return;
    if (hv_str_is(controllers, "pids") || hv_str_is(controllers, "memory")) {
        bool memory = hv_str_is(controllers, "memory");
        snprintf(text, sizeof text, "%s/%.*s%.*s", root, HV_STR_ARG(controllers), HV_STR_ARG(path));
        if (!groups->bases[memory])
            groups->bases[memory] = usable(text);
    } else if (!controllers.len && hv_str_starts(path, HV_STR("/"))) {
        /* v2: beside our own group, since one that holds processes cannot have limited ones below it; but the root can.
         */
        size_t slash = hv_str_rfind_byte(path, '/');
        snprintf(text, sizeof text, "%s%.*s", root, HV_STR_ARG(hv_str_slice(path, 0, slash)));
        if (!groups->bases[0] && has_file(text, "cgroup.subtree_control"))
            groups->bases[0] = usable(text);
    }
}

static void look(struct groups *groups)
{
    char line[LINE_SIZE];
    groups->looked = true;
    FILE *file = fopen(groups->own ? groups->own : "/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file))
        look_at_line(groups, hv_str_trim(hv_str_from(line)));
    if (file)
        fclose(file);
}

bool groups_available(struct groups *groups)
{
    if (!groups->looked)
        look(groups);
    return groups->bases[0] || groups->bases[1];
}

/* The beginning of the paths of this process's groups. */
static void own_prefix(const struct groups *groups, size_t base, char path[PATH_SIZE + 64])
{
    snprintf(path, PATH_SIZE + 64, "%s/" PREFIX "%ld-", groups->bases[base], (long)getpid());
}

void groups_tell(const struct groups *groups, const struct sweeper *sweeper)
{
    for (size_t i = 0; i < GROUP_DIRECTORIES_MAX; i++) {
        char path[PATH_SIZE + 64];
        if (!groups->bases[i])
            continue;
        own_prefix(groups, i, path);
        sweeper_tell(sweeper, SWEEP_GROUPS, path);
    }
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* The files of the controllers that the group has; it is of use when one took its limit. */
static bool set_limits(const char *directory, const struct group_limits *limits)
{
    char memory[32], processes[32];
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)limits->memory);
    snprintf(processes, sizeof processes, "%llu", (unsigned long long)limits->processes);
    bool set = limits->processes && write_value(directory, "pids.max", processes);
    set = (limits->memory && write_value(directory, "memory.max", memory)) || set;
    return (limits->memory && write_value(directory, "memory.limit_in_bytes", memory)) || set;
}

/* Of version 2; what got in by HELPER_JOIN left the cage of its command (proc/cage.h), so nobody else ends it. */
static void end_all(const struct group *group)
{
    (void)write_value(group->directories[0], "cgroup.kill", "1");
}

static void remove_directories(struct group *group)
{
    end_all(group);
    for (size_t i = 0; i < GROUP_DIRECTORIES_MAX && group->directories[i]; i++) {
        for (int tries = 0; tries < REMOVE_TRIES && rmdir(group->directories[i]) && errno == EBUSY; tries++)
            usleep(1000); /* the kernel is still taking its last process away */
        free(group->directories[i]);
    }
    free(group);
}

static struct group *make(struct groups *groups, const struct group_limits *limits)
{
    struct group *group = hv_calloc(1, sizeof *group);
    size_t count = 0;
    unsigned number = groups->made++;
    for (size_t i = 0; i < GROUP_DIRECTORIES_MAX; i++) {
        char prefix[PATH_SIZE + 64], path[PATH_SIZE + 80];
        if (!groups->bases[i])
            continue;
        own_prefix(groups, i, prefix);
        snprintf(path, sizeof path, "%s%u", prefix, number);
        if (mkdir(path, 0755))
            continue;
        if (set_limits(path, limits))
            group->directories[count++] = hv_strdup(path);
        else
            (void)!rmdir(path);
    }
    if (count) {
        group->door = has_file(group->directories[0], "tasks") ? "tasks" : "cgroup.procs";
        return group;
    }
    free(group);
    return NULL;
}

/* What a command left behind may live on in its group. */
static bool is_empty(const struct group *group)
{
    char path[PATH_SIZE + 64], byte;
    snprintf(path, sizeof path, "%s/cgroup.procs", group->directories[0]);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &byte, 1) == 0;
}

struct group *groups_take(struct groups *groups, const struct group_limits *limits)
{
    if (!groups_available(groups))
        return NULL;
    for (size_t i = 0; i < groups->list.count; i++)
        if (!groups->list.items[i]->in_use && is_empty(groups->list.items[i])) {
            groups->list.items[i]->in_use = true;
            return groups->list.items[i];
        }
    struct group *group = make(groups, limits);
    if (!group)
        return NULL;
    group->in_use = true;
    *vec_push(&groups->list) = group;
    return group;
}

void groups_give_back(struct group *group)
{
    if (!group)
        return;
    end_all(group);
    group->in_use = false;
}

void groups_release(struct groups *groups)
{
    for (size_t i = 0; i < groups->list.count; i++)
        remove_directories(groups->list.items[i]);
    vec_release(&groups->list);
    for (size_t i = 0; i < GROUP_DIRECTORIES_MAX; i++)
        free(groups->bases[i]);
    *groups = (struct groups){0};
}
