/* inspect.c: see inspect.h. */
#include "proc/inspect.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "proc/process.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { STAT_MAX = 1024, COMMAND_MAX = 4096 };

/* A file of /proc/PID, whole or its beginning, with a NUL behind it. Its length, or -1. */
static ssize_t read_small(int64_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, file);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
    text[len > 0 ? len : 0] = '\0';
    return len;
}

/* The numbers of /proc/PID/stat. "pid (name) state parent group …", and the name may hold anything. */
static bool read_stat(int64_t pid, char text[STAT_MAX], struct process_info *out)
{
    if (read_small(pid, "stat", text, STAT_MAX) <= 0)
        return false;
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    long parent, group;
    if (!name || !end || sscanf(end + 1, " %c %ld %ld", &out->state, &parent, &group) != 3)
        return false;
    out->pid = pid;
    out->parent = parent;
    out->group = group;
    out->name = hv_str_of(name + 1, (size_t)(end - name - 1));
    const char *field = end + 1; /* the blank before the third; the start is the 22nd */
    for (int at = 3; field && at < 22; at++)
        field = strchr(field + 1, ' ');
    out->ticks = field ? strtoull(field, NULL, 10) : 0;
    return field != NULL;
}

bool process_look(int64_t pid, int64_t *parent, unsigned long long *ticks)
{
    char text[STAT_MAX];
    struct process_info info;
    if (!read_stat(pid, text, &info))
        return false;
    *parent = info.parent;
    *ticks = info.ticks;
    return true;
}

bool process_start_ticks(int64_t pid, unsigned long long *ticks)
{
    int64_t parent;
    return process_look(pid, &parent, ticks);
}

static struct hv_str command_of(struct hv_arena *arena, const struct process_info *info)
{
    char text[COMMAND_MAX];
    ssize_t len = read_small(info->pid, "cmdline", text, sizeof text);
    while (len > 0 && !text[len - 1])
        len--;
    for (ssize_t i = 0; i < len; i++)
        if (!text[i] || iscntrl((unsigned char)text[i]))
            text[i] = ' ';
    if (len > 0)
        return hv_arena_str(arena, hv_str_of(text, (size_t)len));
    return hv_arena_format(arena, "[%.*s]", HV_STR_ARG(info->name));
}

bool inspect_process(struct hv_arena *arena, int64_t pid, struct process_info *out)
{
    char text[STAT_MAX];
    struct timespec now;
    if (pid <= 0 || !read_stat(pid, text, out))
        return false;
    char path[64];
    struct stat owner;
    snprintf(path, sizeof path, "/proc/%lld", (long long)pid);
    out->user = stat(path, &owner) == 0 ? owner.st_uid : 0;
    out->name = hv_arena_str(arena, out->name);
    out->command = command_of(arena, out);
    out->age_ms = 0;
    if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
        uint64_t started = out->ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
        out->age_ms = now_ms > started ? now_ms - started : 0;
    }
    return true;
}

struct process_info *inspect_all(struct hv_arena *arena, size_t most, size_t *count)
{
    VEC(struct process_info) found = {0};
    DIR *directory = opendir("/proc");
    *count = 0;
    if (!directory)
        return NULL;
    for (struct dirent *entry; found.count < most && (entry = readdir(directory));) {
        struct process_info info;
        if (isdigit((unsigned char)entry->d_name[0]) && inspect_process(arena, strtoll(entry->d_name, NULL, 10), &info))
            *vec_push(&found) = info;
    }
    closedir(directory);
    struct process_info *list = hv_arena_array(arena, struct process_info, found.count + 1);
    if (found.count)
        memcpy(list, found.items, found.count * sizeof *list);
    *count = found.count;
    vec_release(&found);
    return list;
}
