/*
 * held.c: see held.h. Each place has a handle from the moment it was judged on. A path that a tool gives belongs to the
 * place that it names, or lies below it; what remains is opened from the handle without following anything. Beside
 * that, a tool may look at what lies above its places: directories are listed for advice, and files of rules
 * (.editorconfig) are read. Metadata are open: they are no secrets.
 */
#include "fs/held.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/handle.h"
#include "fs/host_files.h"
#include "fs/open.h"
#include "fs/transaction.h"
#include "fs/write.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

/* Of one call: further places are opened from the root each time, which costs more and holds as well. */
enum { DESCRIPTORS_MAX = 64, TRIES = 4 };

struct held_place {
    struct hv_str written, resolved; /* resolved is absent where it could not be found out: then nothing is reached */
    enum hv_file_kind kind;
    struct hv_handle handle; /* of resolved */
    bool is_own;             /* the descriptor is not that of another place */
    dev_t device;
    ino_t inode;
    struct hv_str link;           /* where written itself is, when it is a link; absent: it is none */
    struct hv_handle link_handle; /* of link: of its own */
};

struct held {
    struct hv_host host; /* first */
    const struct hv_host *base;
    atomic_uint references;
    struct hv_arena arena;
    struct held_place *places;
    size_t count, descriptors; /* descriptors: that are open */
    atomic_size_t last;        /* the place that was found last: the next is often the same, or follows */
};

/* What a path stands for. */
struct target {
    struct held_place *place;
    struct hv_str path;   /* resolved; in the arena of who asked */
    struct hv_str suffix; /* what it has behind the place: "" for the place itself */
};

static struct held *held_of(const struct hv_host *host)
{
    return (struct held *)host;
}

/* ---- holding ----------------------------------------------------------------------------------------------------- */

static bool share_descriptor(struct held *held, size_t count, struct held_place *place)
{
    for (size_t i = count; i-- > 0;) {
        const struct held_place *other = &held->places[i];
        if (other->handle.directory < 0 || !hv_str_eq(other->handle.above, place->handle.above))
            continue;
        place->handle.directory = other->handle.directory;
        place->device = other->device;
        place->inode = other->inode;
        return true;
    }
    return false;
}

/* Hold the deepest directory above the resolved path that exists. False: a link is in the way now. */
static bool open_above(struct held *held, size_t count, struct held_place *place)
{
    struct stat status;
    place->handle = fs_root_handle;
    for (struct hv_str above = path_parent(place->resolved);; above = path_parent(above)) {
        place->handle.above = above;
        if (share_descriptor(held, count, place))
            return true;
        int fd = held->descriptors < DESCRIPTORS_MAX ? fs_open_no_links(AT_FDCWD, above, O_PATH | O_DIRECTORY) : -1;
        if (fd >= 0 && fstat(fd, &status) == 0) {
            place->handle.directory = fd;
            place->is_own = true;
            place->device = status.st_dev;
            place->inode = status.st_ino;
            held->descriptors++;
            return true;
        }
        cleanup_fd(&fd);
        bool is_missing = held->descriptors < DESCRIPTORS_MAX && (errno == ENOENT || errno == ENOTDIR);
        if (!is_missing || above.len <= 1) {
            bool is_link = held->descriptors < DESCRIPTORS_MAX && errno == ELOOP;
            place->handle = fs_root_handle;
            return !is_link;
        }
    }
}

static void drop_handle(struct held *held, struct held_place *place)
{
    if (place->is_own) {
        close(place->handle.directory);
        held->descriptors--;
    }
    if (place->link_handle.directory >= 0) {
        close(place->link_handle.directory);
        held->descriptors--;
    }
    place->is_own = false;
    place->handle = place->link_handle = fs_root_handle;
}

static enum hv_file_kind look_at_kind(const struct held_place *place)
{
    struct hv_file_stat stat;
    return fs_stat_at(&place->handle, place->resolved, &stat, NULL) == HV_OK ? stat.kind : HV_FILE_UNKNOWN;
}

struct hv_str fs_link_itself(const struct hv_host *host, struct hv_arena *arena, struct hv_str path)
{
    struct hv_str parent;
    struct hv_file_stat stat;
    if (host->resolve(host, arena, path_parent(path), &parent, NULL) != HV_OK)
        return (struct hv_str){0};
    struct hv_str link = path_join(arena, hv_str_is(parent, "/") ? HV_STR("") : parent, path_name(path));
    bool is_link = fs_stat_at(&fs_root_handle, link, &stat, NULL) == HV_OK && stat.kind == HV_FILE_SYMLINK;
    return is_link ? link : (struct hv_str){0};
}

/* It could be moved or removed as such. */
static void find_link(struct held *held, struct held_place *place)
{
    if (!hv_str_eq(place->written, place->resolved))
        place->link = fs_link_itself(held->base, &held->arena, place->written);
    place->link_handle = fs_root_handle;
    if (!place->link.len || held->descriptors >= DESCRIPTORS_MAX)
        return;
    struct hv_str above = path_parent(place->link);
    struct hv_handle handle = {fs_open_no_links(AT_FDCWD, above, O_PATH | O_DIRECTORY), above};
    if (handle.directory < 0)
        return;
    place->link_handle = handle;
    held->descriptors++;
}

/* What a name leads to may be exchanged between finding it out and holding it: then it is found out again. */
static void hold_place(struct held *held, size_t index, struct hv_str written)
{
    struct held_place *place = &held->places[index];
    *place = (struct held_place){
        .written = hv_arena_str(&held->arena, written), .handle = fs_root_handle, .link_handle = fs_root_handle};
    for (int i = 0; i < TRIES; i++) {
        if (held->base->resolve(held->base, &held->arena, place->written, &place->resolved, NULL) != HV_OK)
            break;
        if (open_above(held, index, place)) {
            place->kind = look_at_kind(place);
            if (place->kind != HV_FILE_SYMLINK) {
                find_link(held, place);
                return;
            }
        }
        drop_handle(held, place);
    }
    place->resolved = (struct hv_str){0};
    place->kind = HV_FILE_UNKNOWN;
}

static bool held_moved(const struct hv_host *host)
{
    const struct held *held = held_of(host);
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < held->count; i++) {
        const struct held_place *place = &held->places[i];
        struct hv_str now = {0};
        struct stat status;
        (void)!held->base->resolve(held->base, &arena, place->written, &now, NULL);
        if (!hv_str_eq(now, place->resolved) || look_at_kind(place) != place->kind)
            return true;
        if (!place->is_own)
            continue;
        CLEANUP_FD int fd = fs_open_no_links(AT_FDCWD, place->handle.above, O_PATH | O_DIRECTORY);
        if (fd < 0 || fstat(fd, &status) || status.st_ino != place->inode || status.st_dev != place->device)
            return true;
    }
    return false;
}

static void held_retain(const struct hv_host *host)
{
    atomic_fetch_add_explicit(&held_of(host)->references, 1, memory_order_relaxed);
}

static void held_release(const struct hv_host *host)
{
    struct held *held = held_of(host);
    if (atomic_fetch_sub_explicit(&held->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < held->count; i++)
        drop_handle(held, &held->places[i]);
    hv_arena_release(&held->arena);
    free(held);
}

/* ---- what a path stands for -------------------------------------------------------------------------------------- */

static bool match(struct held_place *place, struct hv_str path, struct target *target)
{
    const struct hv_str starts[] = {place->written, place->resolved};
    for (size_t i = 0; i < 2 && place->resolved.len; i++) {
        if (!path_inside(path, starts[i]))
            continue;
        struct hv_str suffix = hv_str_slice(path, starts[i].len, path.len);
        if (target->place && suffix.len >= target->suffix.len)
            continue;
        target->place = place;
        target->suffix = suffix;
    }
    return target->place == place && !target->suffix.len;
}

/* The place that is path, or the nearest above it. */
static bool find(const struct held *held, struct hv_arena *arena, struct hv_str path, struct target *target)
{
    struct held *shared = (struct held *)held;
    size_t last = atomic_load_explicit(&held->last, memory_order_relaxed);
    *target = (struct target){0};
    for (size_t i = 0; i < held->count; i++) {
        size_t at = (last + i) % held->count;
        if (!match(&held->places[at], path, target))
            continue;
        atomic_store_explicit(&shared->last, at, memory_order_relaxed);
        break;
    }
    if (!target->place)
        return false;
    struct hv_str rest = target->suffix;
    if (rest.len && rest.ptr[0] != '/')
        rest = hv_arena_format(arena, "/%.*s", HV_STR_ARG(rest)); /* below the root */
    struct hv_str resolved = target->place->resolved;
    target->path = !rest.len ? resolved
                             : hv_arena_format(arena, "%.*s%.*s", resolved.len > 1 ? (int)resolved.len : 0,
                                               resolved.ptr, HV_STR_ARG(rest));
    return true;
}

/* A directory above a place, as its resolved path has it. */
static bool find_above(const struct held *held, struct hv_arena *arena, struct hv_str directory, struct hv_str *out)
{
    for (size_t i = 0; i < held->count; i++) {
        struct hv_str written = held->places[i].written, resolved = held->places[i].resolved;
        if (!resolved.len)
            continue;
        if (path_inside(resolved, directory)) /* what stands in for it, where something does */
            return held->base->resolve(held->base, arena, directory, out, NULL) == HV_OK;
        if (!path_inside(written, directory))
            continue;
        while (written.len > 1 && resolved.len > 1 && hv_str_eq(path_name(written), path_name(resolved))) {
            written = path_parent(written);
            resolved = path_parent(resolved);
        }
        struct hv_str rest = hv_str_slice(directory, written.len, directory.len);
        *out = path_inside(directory, written)
                   ? hv_arena_format(arena, "%.*s%.*s", HV_STR_ARG(resolved), HV_STR_ARG(rest))
                   : directory;
        return true;
    }
    return false;
}

static enum hv_code fail_unjudged(struct hv_str path, struct hv_error *err)
{
    return hv_fail(err, HV_EACCES, "%.*s is none of the files that this call was judged by", HV_STR_ARG(path));
}

/* ---- the functions of the host ----------------------------------------------------------------------------------- */

static enum hv_code held_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                              struct hv_error *err)
{
    const struct held *held = held_of(host);
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    bool is_place = find(held, &arena, path, &target) && !target.suffix.len;
    if (!is_place || (!follow && target.place->link.len))
        return held->base->stat(held->base, path, follow, out, err);
    enum hv_code code = fs_stat_at(&target.place->handle, target.path, out, err);
    if (code || out->kind != HV_FILE_SYMLINK || !follow)
        return code;
    /* The call itself may have made the link where nothing was. */
    bool is_new = target.place->kind == HV_FILE_UNKNOWN;
    return is_new ? held->base->stat(held->base, path, follow, out, err) : fs_fail_at(err, ELOOP, "", path);
}

static enum hv_code held_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path,
                                 struct hv_str *out, struct hv_error *err)
{
    const struct held *held = held_of(host);
    struct target target;
    if (!find(held, arena, path, &target) || target.suffix.len)
        return held->base->resolve(held->base, arena, path, out, err);
    *out = hv_arena_str(arena, target.path);
    return HV_OK;
}

/* A file of rules above a place: it may be a link, and is read by no name that a tool was given. */
static enum hv_code open_beside(const struct held *held, struct hv_arena *arena, struct hv_str path, int *fd,
                                struct hv_file_stat *stat, struct hv_error *err)
{
    struct hv_str directory, file;
    if (!find_above(held, arena, path_parent(path), &directory))
        return fail_unjudged(path, err);
    file = path_join(arena, hv_str_is(directory, "/") ? HV_STR("") : directory, path_name(path));
    enum hv_code code = held->base->resolve(held->base, arena, file, &file, err);
    return code ? code : fs_open_regular_at(&fs_root_handle, file, fd, stat, err);
}

static enum hv_code open_file(const struct held *held, struct hv_str path, int *fd, struct hv_file_stat *stat,
                              struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    if (!find(held, &arena, path, &target))
        return open_beside(held, &arena, path, fd, stat, err);
    return fs_open_regular_at(&target.place->handle, target.path, fd, stat, err);
}

static enum hv_code open_directory(const struct held *held, struct hv_str path, int *fd, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    struct hv_str above;
    if (find(held, &arena, path, &target))
        *fd = fs_open_at(&target.place->handle, target.path, O_RDONLY | O_DIRECTORY);
    else if (find_above(held, &arena, path, &above))
        *fd = fs_open_at(&fs_root_handle, above, O_RDONLY | O_DIRECTORY);
    else
        return fail_unjudged(path, err);
    return *fd < 0 ? fs_fail_at(err, errno, "Cannot open the directory", path) : HV_OK;
}

static enum hv_code held_open(const struct hv_host *host, struct hv_str path, enum hv_file_kind kind, int *fd,
                              struct hv_file_stat *stat, struct hv_error *err)
{
    const struct held *held = held_of(host);
    return kind == HV_FILE_DIRECTORY ? open_directory(held, path, fd, err) : open_file(held, path, fd, stat, err);
}

static enum hv_code held_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                              struct hv_buf *buf, struct hv_file_stat *stat, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    struct hv_file_stat status;
    enum hv_code code = open_file(held_of(host), path, &fd, &status, err);
    if (!code)
        code = fs_read_open(fd, path, offset, limit, status.size, buf, err);
    if (!code && stat)
        *stat = status;
    return code;
}

static enum hv_code held_list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                              struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    enum hv_code code = open_directory(held_of(host), path, &fd, err);
    return code ? code : fs_list_open(fd, path, arena, limit, entries, count, more, err);
}

static enum hv_code held_write_pieces(const struct hv_host *host, struct hv_str path, const struct hv_str *pieces,
                                      size_t count, const struct hv_write_options *options, struct hv_file_stat *after,
                                      struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    struct hv_write_options own = options ? *options : (struct hv_write_options){0};
    if (!find(held_of(host), &arena, path, &target))
        return fail_unjudged(path, err);
    own.at = &target.place->handle;
    return fs_write_pieces(target.path, (struct pieces){pieces, count}, &own, after, err);
}

static enum hv_code held_write(const struct hv_host *host, struct hv_str path, struct hv_str bytes,
                               const struct hv_write_options *options, struct hv_file_stat *after, struct hv_error *err)
{
    return held_write_pieces(host, path, &bytes, 1, options, after, err);
}

/* A link that goes, comes or is copied is the name itself, not what it leads to. */
static enum hv_code place_change(const struct held *held, struct hv_arena *arena, struct hv_file_change *change,
                                 struct hv_error *err)
{
    struct target target;
    if (!find(held, arena, change->path, &target))
        return fail_unjudged(change->path, err);
    bool is_link = !change->bytes.ptr && target.place->link.len && !target.suffix.len;
    change->path = is_link ? target.place->link : target.path;
    change->options.at = is_link ? &target.place->link_handle : &target.place->handle;
    if (change->options.like.len && find(held, arena, change->options.like, &target))
        change->options.like = target.path;
    if (!change->link_like.len || !find(held, arena, change->link_like, &target))
        return HV_OK;
    is_link = target.place->link.len && !target.suffix.len;
    change->link_like = is_link ? target.place->link : target.path;
    change->link_like_at = is_link ? &target.place->link_handle : &target.place->handle;
    return HV_OK;
}

static enum hv_code held_change_files(const struct hv_host *host, struct hv_file_change *changes, size_t count,
                                      struct hv_str journal, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_file_change *own = hv_arena_array(&arena, struct hv_file_change, count);
    enum hv_code code = HV_OK;
    for (size_t i = 0; i < count && !code; i++) {
        own[i] = changes[i];
        code = place_change(held_of(host), &arena, &own[i], err);
    }
    if (!code)
        code = fs_change_files(own, count, journal, err);
    for (size_t i = 0; i < count && !code; i++)
        changes[i].after = own[i].after;
    return code;
}

static enum hv_code held_make_directories(const struct hv_host *host, struct hv_str path, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    if (!find(held_of(host), &arena, path, &target))
        return fail_unjudged(path, err);
    return fs_make_directories_at(&target.place->handle, target.path, err);
}

static enum hv_code held_remove(const struct hv_host *host, struct hv_str path, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target;
    if (!find(held_of(host), &arena, path, &target))
        return fail_unjudged(path, err);
    bool is_link = target.place->link.len && !target.suffix.len;
    const struct hv_handle *at = is_link ? &target.place->link_handle : &target.place->handle;
    return fs_remove_at(at, is_link ? target.place->link : target.path, 0)
               ? fs_fail_at(err, errno, "Cannot remove", path)
               : HV_OK;
}

static enum hv_code held_run(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                             struct hv_error *err)
{
    const struct hv_host *base = held_of(host)->base;
    return base->run(base, command, out, err);
}

enum hv_code fs_held_hold(const struct hv_host *base, struct hv_place *places, size_t count, const struct hv_host **out,
                          struct hv_error *err)
{
    (void)err;
    struct held *held = hv_calloc(1, sizeof *held);
    held->base = base;
    atomic_init(&held->references, 1);
    held->host = *base; /* processes and clocks */
    held->host.stat = held_stat;
    held->host.resolve = held_resolve;
    held->host.open = held_open;
    held->host.read = held_read;
    held->host.list = held_list;
    held->host.write = held_write;
    held->host.write_pieces = held_write_pieces;
    held->host.change_files = held_change_files;
    held->host.make_directories = held_make_directories;
    held->host.remove = held_remove;
    held->host.run = held_run;
    held->host.hold = NULL;
    held->host.moved = held_moved;
    held->host.retain = held_retain;
    held->host.release = held_release;
    held->places = hv_arena_array(&held->arena, struct held_place, count);
    for (size_t i = 0; i < count; i++) {
        hold_place(held, i, places[i].written);
        held->count = i + 1;
        places[i].resolved = held->places[i].resolved;
        places[i].kind = held->places[i].kind;
    }
    *out = &held->host;
    return HV_OK;
}

const struct hv_handle *fs_held_handle(const struct hv_host *host, struct hv_str resolved)
{
    const struct held *held = host->moved == held_moved ? held_of(host) : NULL;
    for (size_t i = 0; held && i < held->count; i++)
        if (hv_str_eq(held->places[i].resolved, resolved))
            return &held->places[i].handle;
    return &fs_root_handle;
}
