/* marked.c: see marked.h. */
#include "fs/marked.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"
#include "base/thread.h"
#include "base/vec.h"
#include "fs/git_probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 4 << 20, STACK_SIZE = 256 * 1024, EVENTS_SIZE = 64 * 1024, PATH_BYTES_MAX = 1 << 16 };
#define WATCHED (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)
#define INHERITED (MARK_INSIDE | MARK_PLAIN)

/* A directory that is looked into, or watched. */
struct folder {
    char *path;
    unsigned inherited;
    bool shallow;
};

struct found {
    char *path;
    unsigned marks;
    struct hv_str by;
};

struct marked {
    struct marked_root *roots;
    size_t root_count;
    bool once;
    pthread_mutex_t lock; /* guards all below */
    struct marked_judge judge;
    bool walked;                /* what is found is all, but for what the kernel has told since */
    bool blind;                 /* it cannot tell of everything */
    bool incomplete;            /* there was too much to look at */
    size_t looked_at, may_look; /* entries of this root */
    int events, stop;           /* inotify and eventfd; -1: none */
    pthread_t thread;           /* reads what the kernel tells, before there is too much of it */
    bool started;
    VEC(struct folder) watched; /* by the number of the watch; path NULL: none */
    VEC(struct folder) ahead;   /* to be looked into */
    VEC(struct found) found;
    uint64_t changes; /* of found, so far */
    bool unsettled;   /* of some it is not known whether git tracks them */
    struct hv_arena arena;
    struct map hidden; /* that were hidden for not being tracked, by path and by identity; in arena */
};

/* ---- life ------------------------------------------------------------------------------------------------ */

struct marked *marked_new(bool once)
{
    struct marked *marked = hv_calloc(1, sizeof *marked);
    marked->once = once;
    marked->events = marked->stop = -1;
    pthread_mutex_init(&marked->lock, NULL);
    return marked;
}

static void forget_all(struct marked *marked)
{
    for (size_t i = 0; i < marked->found.count; i++)
        free(marked->found.items[i].path);
    for (size_t i = 0; i < marked->watched.count; i++)
        free(marked->watched.items[i].path);
    for (size_t i = 0; i < marked->ahead.count; i++)
        free(marked->ahead.items[i].path);
    marked->found.count = marked->watched.count = marked->ahead.count = 0;
    if (marked->events >= 0)
        close(marked->events);
    marked->events = -1;
    marked->walked = marked->blind = marked->incomplete = marked->unsettled = false;
}

void marked_free(struct marked *marked)
{
    if (!marked)
        return;
    if (marked->started) {
        (void)!eventfd_write(marked->stop, 1);
        pthread_join(marked->thread, NULL);
    }
    cleanup_fd(&marked->stop);
    forget_all(marked);
    if (marked->judge.release)
        marked->judge.release(marked->judge.user);
    vec_release(&marked->found);
    vec_release(&marked->watched);
    vec_release(&marked->ahead);
    map_release(&marked->hidden);
    pthread_mutex_destroy(&marked->lock);
    hv_arena_release(&marked->arena);
    free(marked);
}

void marked_set(struct marked *marked, const struct marked_judge *judge, const struct marked_root *roots, size_t count)
{
    LOCK_SCOPE(&marked->lock);
    if (marked->judge.release)
        marked->judge.release(marked->judge.user);
    marked->judge = *judge;
    marked->roots = hv_arena_array(&marked->arena, struct marked_root, count);
    for (size_t i = 0; i < count; i++) {
        marked->roots[i] = roots[i];
        marked->roots[i].path = hv_arena_str(&marked->arena, roots[i].path);
    }
    marked->root_count = count;
    marked->walked = false;
}

/* ---- one entry ------------------------------------------------------------------------------------------- */

static enum hv_file_kind kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? HV_FILE_DIRECTORY : S_ISLNK(mode) ? HV_FILE_SYMLINK : HV_FILE_REGULAR;
}

static char *copy_of(struct hv_str path)
{
    char *copy = hv_malloc(path.len + 1);
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    return copy;
}

static void look_ahead(struct marked *marked, struct hv_str path, unsigned inherited, bool shallow)
{
    *vec_push(&marked->ahead) = (struct folder){copy_of(path), inherited, shallow};
}

static void keep(struct marked *marked, struct hv_str path, unsigned marks, struct hv_str by)
{
    *vec_push(&marked->found) = (struct found){copy_of(path), marks, by};
    marked->unsettled |= (marks & MARK_UNTRACKED) != 0;
    marked->changes++;
}

/* A name in a folder. */
static void look_at(struct marked *marked, const struct folder *folder, struct hv_str path, size_t name,
                    enum hv_file_kind kind)
{
    struct hv_str by = {0};
    if (folder->shallow && kind == HV_FILE_DIRECTORY)
        return;
    unsigned marks = marked->judge.marks_of(marked->judge.user, path, name, kind, &by);
    if (kind == HV_FILE_REGULAR) {
        marks |= folder->inherited & MARK_INSIDE ? MARK_UNTRACKED : 0;
        marks &= folder->inherited & MARK_PLAIN ? ~(unsigned)MARK_UNTRACKED : ~0u;
    } else {
        marks &= ~(unsigned)MARK_UNTRACKED;
    }
    if (marks & (MARK_HIDDEN | MARK_KEPT | MARK_UNTRACKED))
        keep(marked, path, marks, by);
    if (kind == HV_FILE_DIRECTORY && !(marks & (MARK_HIDDEN | MARK_STOP)))
        look_ahead(marked, path, (folder->inherited | marks) & INHERITED, false);
}

/* ---- the walk -------------------------------------------------------------------------------------------- */

/* From now on the kernel tells of it: before it is read, so that nothing comes in between. */
static void watch(struct marked *marked, const struct folder *folder)
{
    if (marked->events < 0)
        return;
    int number = inotify_add_watch(marked->events, folder->path, WATCHED);
    if (number < 0) {
        marked->blind |= errno != ENOENT && errno != ENOTDIR && errno != EACCES;
        return;
    }
    while (marked->watched.count <= (size_t)number)
        *vec_push(&marked->watched) = (struct folder){0};
    struct folder *slot = &marked->watched.items[number];
    free(slot->path); /* it stood elsewhere */
    *slot = *folder;
    slot->path = hv_strdup(folder->path);
}

static enum hv_file_kind entry_kind(DIR *directory, const struct dirent *entry)
{
    struct stat status;
    switch (entry->d_type) {
    case DT_DIR: return HV_FILE_DIRECTORY;
    case DT_LNK: return HV_FILE_SYMLINK;
    case DT_UNKNOWN: break;
    default: return HV_FILE_REGULAR;
    }
    return fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ? HV_FILE_REGULAR
                                                                                  : kind_of(status.st_mode);
}

static void look_into(struct marked *marked, const struct folder *folder)
{
    CLEANUP_BUF struct hv_buf path = {.max = PATH_BYTES_MAX};
    watch(marked, folder);
    CLEANUP_FD int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        return; /* it has gone; or nobody who is no other user looks into it */
    (void)take_fd(&fd);
    hv_buf_add_cstr(&path, strcmp(folder->path, "/") == 0 ? "" : folder->path);
    hv_buf_add_byte(&path, '/');
    size_t name = path.len;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (++marked->looked_at > marked->may_look) {
            marked->incomplete = true;
            break;
        }
        path.len = name;
        hv_buf_add_cstr(&path, entry->d_name);
        if (!path.failed)
            look_at(marked, folder, hv_buf_str(&path), name, entry_kind(directory, entry));
    }
    closedir(directory);
}

static void look_at_all_ahead(struct marked *marked)
{
    while (marked->ahead.count) {
        struct folder folder = marked->ahead.items[--marked->ahead.count];
        look_into(marked, &folder);
        free(folder.path);
    }
}

static void *follow(void *data);

static void walk(struct marked *marked)
{
    forget_all(marked);
    if (!marked->once)
        marked->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    marked->blind = !marked->once && marked->events < 0;
    for (size_t i = 0; i < marked->root_count; i++) {
        const struct marked_root *root = &marked->roots[i];
        marked->looked_at = 0;
        marked->may_look = root->entries_max ? root->entries_max : ENTRIES_MAX;
        look_ahead(marked, root->path, 0, root->shallow);
        look_at_all_ahead(marked);
    }
    marked->walked = true;
    if (!marked->once && !marked->started && (marked->stop = eventfd(0, EFD_CLOEXEC)) >= 0)
        marked->started = thread_start(&marked->thread, STACK_SIZE, follow, marked) == 0;
    if (marked->started)
        (void)!eventfd_write(marked->stop, UINT32_MAX); /* look which descriptor it is now */
}

/* ---- what the kernel tells ------------------------------------------------------------------------------- */

static bool is_at_or_below(const char *path, struct hv_str top)
{
    return strncmp(path, top.ptr, top.len) == 0 && (path[top.len] == '\0' || path[top.len] == '/');
}

static void forget_found(struct marked *marked, struct hv_str path)
{
    for (size_t i = 0; i < marked->found.count;) {
        if (!is_at_or_below(marked->found.items[i].path, path)) {
            i++;
            continue;
        }
        free(marked->found.items[i].path);
        marked->found.items[i] = marked->found.items[--marked->found.count];
        marked->changes++;
    }
}

static void forget_folders(struct marked *marked, struct hv_str path)
{
    for (size_t i = 0; i < marked->watched.count; i++) {
        struct folder *folder = &marked->watched.items[i];
        if (!folder->path || !is_at_or_below(folder->path, path))
            continue;
        (void)inotify_rm_watch(marked->events, (int)i);
        free(take_ptr(folder->path));
    }
}

static void take_event(struct marked *marked, const struct inotify_event *event)
{
    CLEANUP_BUF struct hv_buf path = {.max = PATH_BYTES_MAX};
    struct stat status;
    if (event->mask & IN_Q_OVERFLOW)
        marked->walked = false;
    if (event->wd < 0 || (size_t)event->wd >= marked->watched.count || !marked->watched.items[event->wd].path)
        return;
    struct folder *slot = &marked->watched.items[event->wd];
    if (event->mask & IN_IGNORED)
        free(take_ptr(slot->path));
    if (!event->len || !slot->path)
        return;
    struct folder folder = *slot; /* the table may grow */
    hv_buf_add_cstr(&path, strcmp(folder.path, "/") == 0 ? "" : folder.path);
    hv_buf_add_byte(&path, '/');
    size_t name = path.len;
    hv_buf_add_cstr(&path, event->name);
    hv_buf_add_byte(&path, '\0');
    if (path.failed)
        return;
    struct hv_str whole = hv_buf_str(&path);
    whole.len--;
    forget_found(marked, whole);
    if (event->mask & IN_ISDIR && event->mask & (IN_MOVED_FROM | IN_MOVED_TO))
        forget_folders(marked, whole);
    if (!(event->mask & (IN_CREATE | IN_MOVED_TO)) || lstat(whole.ptr, &status))
        return;
    marked->looked_at = 0;
    look_at(marked, &folder, whole, name, kind_of(status.st_mode));
    look_at_all_ahead(marked);
}

static void take_events(struct marked *marked)
{
    CLEANUP_FREE char *bytes = hv_malloc(EVENTS_SIZE);
    ssize_t got;
    while (marked->walked && marked->events >= 0 && (got = read(marked->events, bytes, EVENTS_SIZE)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *event = (const void *)at;
            take_event(marked, event);
            at += sizeof *event + event->len;
        }
}

static void *follow(void *data)
{
    struct marked *marked = data;
    for (;;) {
        eventfd_t told;
        pthread_mutex_lock(&marked->lock);
        struct pollfd waits[] = {{marked->stop, POLLIN, 0}, {marked->events, POLLIN, 0}};
        pthread_mutex_unlock(&marked->lock);
        (void)!poll(waits, 2, -1);
        if (waits[0].revents && eventfd_read(marked->stop, &told) == 0 && told % UINT32_MAX)
            return NULL;
        LOCK_SCOPE(&marked->lock);
        take_events(marked);
    }
}

/* ---- what git tracks ------------------------------------------------------------------------------------- */

/* The files of one repository that are asked about. */
struct tracking {
    struct map files; /* by their paths: struct found */
    struct hv_str top;
    char path[4096];
};

/* The folder that git's index of path is about; absent: there is no repository. */
static struct hv_str repository_of(struct hv_arena *arena, struct hv_str path)
{
    struct stat status;
    for (struct hv_str folder = path_parent(path);; folder = path_parent(folder)) {
        if (lstat(path_join(arena, folder, HV_STR(".git")).ptr, &status) == 0)
            return folder;
        if (folder.len <= 1)
            return (struct hv_str){0};
    }
}

static bool note_tracked(void *user, struct hv_str path)
{
    struct tracking *tracking = user;
    size_t head = tracking->top.len;
    if (head + path.len >= sizeof tracking->path)
        return false;
    memcpy(tracking->path + head, path.ptr, path.len);
    struct found *found = map_get(&tracking->files, hv_str_of(tracking->path, head + path.len));
    if (found)
        found->marks &= ~(unsigned)MARK_UNTRACKED;
    return false; /* go on */
}

/* Those of the repository at top, the first of which is known to be one; they are settled then. */
static void settle_repository(struct marked *marked, struct hv_arena *arena, struct hv_str top)
{
    struct tracking tracking = {.top = hv_str_is(top, "/") ? top : hv_arena_join(arena, top, HV_STR("/"))};
    if (tracking.top.len >= sizeof tracking.path)
        return;
    memcpy(tracking.path, tracking.top.ptr, tracking.top.len);
    for (size_t i = 0; i < marked->found.count; i++) {
        struct found *found = &marked->found.items[i];
        struct hv_str path = hv_str_from(found->path);
        if (found->marks & MARK_UNTRACKED && path_inside(path, top) && hv_str_eq(repository_of(arena, path), top))
            (void)map_set(&tracking.files, path, found);
    }
    (void)git_probe_find_name(arena, top, note_tracked, &tracking);
    map_release(&tracking.files);
}

/* What a file is known by, whatever it is called: absent, it is not there. */
static struct hv_str identity_of(struct hv_arena *arena, const char *path)
{
    struct stat status;
    if (lstat(path, &status))
        return (struct hv_str){0};
    return hv_arena_format(arena, "%llx:%llx", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
}

static void hide(struct marked *marked, struct found *found, struct hv_str identity)
{
    const struct hv_str keys[] = {hv_str_from(found->path), identity};
    found->marks = (found->marks & ~(unsigned)MARK_UNTRACKED) | MARK_HIDDEN;
    for (size_t i = 0; i < 2; i++)
        if (keys[i].len && !map_get(&marked->hidden, keys[i]))
            (void)map_set(&marked->hidden, hv_arena_str(&marked->arena, keys[i]), marked);
}

/* Only here git is asked: a command that could not read a file does not show it to the next one by adding it. */
static void settle(struct marked *marked)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct map asked = {0};
    marked->unsettled = false;
    for (size_t i = 0; i < marked->found.count; i++) {
        struct found *found = &marked->found.items[i];
        if (!(found->marks & MARK_UNTRACKED))
            continue;
        struct hv_str path = hv_str_from(found->path), identity = identity_of(&arena, found->path), top = {0};
        if (!map_get(&marked->hidden, path) && !(identity.len && map_get(&marked->hidden, identity)))
            top = repository_of(&arena, path);
        if (top.len && !map_get(&asked, top)) {
            (void)map_set(&asked, top, marked);
            settle_repository(marked, &arena, top);
        }
        if (found->marks & MARK_UNTRACKED)
            hide(marked, found, identity);
    }
    map_release(&asked);
}

/* ---- questions ------------------------------------------------------------------------------------------- */

bool marked_each(struct marked *marked, marked_visit *visit, void *user, uint64_t *changes)
{
    LOCK_SCOPE(&marked->lock);
    take_events(marked);
    if (!marked->walked || marked->blind)
        walk(marked);
    if (marked->unsettled)
        settle(marked);
    for (size_t i = 0; i < marked->found.count; i++) {
        const struct found *found = &marked->found.items[i];
        if (found->marks & (MARK_HIDDEN | MARK_KEPT))
            visit(user, hv_str_from(found->path), found->marks, found->by);
    }
    *changes = marked->blind || marked->once ? 0 : marked->changes + 1;
    return !marked->incomplete;
}
