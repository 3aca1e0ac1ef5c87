/*
 * presence.c: see presence.h. Each change makes a new file, locks it and moves it over the old one, so that a reader
 * sees a whole text, and never an unlocked file of a session that lives.
 */
#include "proc/presence.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "fs/host_files.h"
#include "proc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <helve/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { FILE_SIZE_MAX = 1 << 20, SESSIONS_MAX = 1000, FORMAT = 1 };

struct presence {
    struct hv_arena arena;
    struct presence_options options;
    char *path, *fresh_path;
    int64_t started_ms;
    unsigned long long ticks; /* of this process */
    pthread_mutex_t lock;     /* guards fd and the files */
    int fd;                   /* of the file as it stands, locked */
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_task(struct hv_json_writer *writer, const struct presence_task *task)
{
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "id", task->id);
    hv_json_member_string(writer, "type", task->type);
    hv_json_member_string(writer, "title", task->title);
    if (task->output_file.len)
        hv_json_member_string(writer, "output_file", task->output_file);
    hv_json_member_int(writer, "process", task->process);
    hv_json_member_bool(writer, "waits", task->waits);
    hv_json_end_object(writer);
}

static void put_session(struct hv_buf *out, const struct presence *presence, const struct presence_task *tasks,
                        size_t count)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_int(&writer, "format", FORMAT);
    hv_json_member_int(&writer, "pid", getpid());
    hv_json_member_int(&writer, "ticks", (int64_t)presence->ticks);
    hv_json_member_string(&writer, "session_id", presence->options.session_id);
    hv_json_member_cstr(&writer, "door", presence->options.door ? presence->options.door : "");
    hv_json_member_string(&writer, "cwd", presence->options.working_directory);
    hv_json_member_int(&writer, "started_ms", presence->started_ms);
    hv_json_name(&writer, "tasks");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++)
        put_task(&writer, &tasks[i]);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

/* presence->lock held. */
static bool replace_file(struct presence *presence, struct hv_str text)
{
    CLEANUP_FD int fd =
        open(presence->fresh_path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || write(fd, text.ptr, text.len) != (ssize_t)text.len ||
        rename(presence->fresh_path, presence->path)) {
        if (fd >= 0)
            unlink(presence->fresh_path);
        return false;
    }
    cleanup_fd(&presence->fd);
    presence->fd = take_fd(&fd);
    return true;
}

static bool make_directory(const char *path)
{
    struct stat info;
    if (mkdir(path, 0700) && errno == ENOENT && fs_host_make_directories(NULL, hv_str_from(path), NULL) == HV_OK &&
        chmod(path, 0700))
        return false;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

static void presence_free(struct presence *presence)
{
    cleanup_fd(&presence->fd);
    pthread_mutex_destroy(&presence->lock);
    hv_arena_release(&presence->arena);
    free(presence);
}

struct presence *presence_open(const struct presence_options *options)
{
    struct presence *presence = hv_calloc(1, sizeof *presence);
    struct hv_arena *arena = &presence->arena;
    CLEANUP_BUF struct hv_buf text = {.max = FILE_SIZE_MAX};
    presence->fd = -1;
    pthread_mutex_init(&presence->lock, NULL);
    presence->options = *options;
    presence->options.session_id = hv_arena_str(arena, options->session_id);
    presence->options.working_directory = hv_arena_str(arena, options->working_directory);
    presence->started_ms = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND;
    const char *directory = hv_arena_cstr(arena, options->directory);
    struct hv_str base = hv_arena_format(arena, "%s/%d-%.*s", directory, (int)getpid(),
                                         HV_STR_ARG(hv_str_slice(options->session_id, 0, 100)));
    presence->path = hv_arena_cstr(arena, hv_arena_format(arena, "%.*s.json", HV_STR_ARG(base)));
    presence->fresh_path = hv_arena_cstr(arena, hv_arena_format(arena, "%.*s.new", HV_STR_ARG(base)));
    if (process_start_ticks(getpid(), &presence->ticks) && make_directory(directory)) {
        put_session(&text, presence, NULL, 0);
        if (replace_file(presence, hv_buf_str(&text)))
            return presence;
    }
    presence_free(presence);
    return NULL;
}

void presence_tell(struct presence *presence, const struct presence_task *tasks, size_t count)
{
    CLEANUP_BUF struct hv_buf text = {.max = FILE_SIZE_MAX};
    put_session(&text, presence, tasks, count);
    if (text.failed)
        return;
    LOCK_SCOPE(&presence->lock);
    (void)replace_file(presence, hv_buf_str(&text)); /* what stands is older, but still true of the session */
}

void presence_close(struct presence *presence)
{
    if (!presence)
        return;
    unlink(presence->path);
    presence_free(presence);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool lives(const struct hv_json *value)
{
    int64_t pid = 0, ticks = 0;
    unsigned long long found;
    return hv_json_int64(hv_json_get(value, "pid"), &pid) && hv_json_int64(hv_json_get(value, "ticks"), &ticks) &&
           process_start_ticks(pid, &found) && found == (unsigned long long)ticks;
}

static void take_tasks(struct hv_arena *arena, const struct hv_json *list, struct presence_session *out)
{
    size_t count = hv_json_type_of(list) == HV_JSON_ARRAY ? list->count : 0;
    struct presence_task *tasks = hv_arena_array(arena, struct presence_task, count + 1);
    hv_json_each(item, list)
    {
        struct presence_task *task = &tasks[out->task_count];
        if (out->task_count++ >= count)
            break;
        *task = (struct presence_task){
            .id = hv_json_get_string(item, "id"),
            .type = hv_json_get_string(item, "type"),
            .title = hv_json_get_string(item, "title"),
            .output_file = hv_json_get_string(item, "output_file"),
            .waits = hv_json_bool(hv_json_get(item, "waits"), false),
        };
        (void)hv_json_int64(hv_json_get(item, "process"), &task->process);
    }
    out->tasks = tasks;
}

static bool take_session(struct hv_arena *arena, struct hv_str text, struct presence_session *out)
{
    const struct hv_json *value;
    *out = (struct presence_session){0};
    if (hv_json_parse(arena, text, HV_JSON_STRICT, &value, NULL) != HV_OK || !lives(value))
        return false;
    out->id = hv_json_get_string(value, "session_id");
    out->door = hv_json_get_string(value, "door");
    out->working_directory = hv_json_get_string(value, "cwd");
    (void)hv_json_int64(hv_json_get(value, "pid"), &out->pid);
    (void)hv_json_int64(hv_json_get(value, "started_ms"), &out->started_ms);
    take_tasks(arena, hv_json_get(value, "tasks"), out);
    return true;
}

/* The text of a file of ours, in arena; absent when it is none. */
static struct hv_str read_file(struct hv_arena *arena, int fd)
{
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid() || info.st_size > FILE_SIZE_MAX)
        return (struct hv_str){0};
    char *text = hv_arena_alloc(arena, (size_t)info.st_size + 1);
    ssize_t len = pread(fd, text, (size_t)info.st_size, 0);
    return len > 0 ? hv_str_of(text, (size_t)len) : (struct hv_str){0};
}

static bool look_at(struct hv_arena *arena, int folder, const char *name, struct presence_session *out)
{
    CLEANUP_FD int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct hv_str text = read_file(arena, fd);
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
    /* A file that was replaced while we looked is unlocked too, but its process lives. */
    bool alive = text.len && take_session(arena, text, out);
    if (!alive && !locked)
        unlinkat(folder, name, 0);
    return alive;
}

static int by_start(const void *a, const void *b)
{
    const struct presence_session *left = a, *right = b;
    return (left->started_ms > right->started_ms) - (left->started_ms < right->started_ms);
}

struct presence_session *presence_list(struct hv_arena *arena, struct hv_str directory, size_t *count)
{
    VEC(struct presence_session) found = {0};
    DIR *folder = opendir(hv_arena_cstr(arena, directory));
    *count = 0;
    if (!folder)
        return NULL;
    for (struct dirent *entry; found.count < SESSIONS_MAX && (entry = readdir(folder));) {
        struct presence_session session;
        if (hv_str_ends(hv_str_from(entry->d_name), HV_STR(".json")) &&
            look_at(arena, dirfd(folder), entry->d_name, &session))
            *vec_push(&found) = session;
    }
    closedir(folder);
    struct presence_session *list = hv_arena_array(arena, struct presence_session, found.count + 1);
    if (found.count)
        memcpy(list, found.items, found.count * sizeof *list);
    qsort(list, found.count, sizeof *list, by_start);
    *count = found.count;
    vec_release(&found);
    return list;
}
