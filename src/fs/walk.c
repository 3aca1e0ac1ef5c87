/*
 * walk.c: see walk.h. One directory at a time: read all its names, take up its ignore files, sort, then decide each
 * name once. Directories that wait are a list on the heap, opened by path from the root, so that neither depth nor
 * breadth costs stack or descriptors.
 */
#include "fs/walk.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "fs/directory.h"
#include "fs/host_files.h"
#include "fs/open.h"
#include "fs/rules.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHECK_EVERY = 256, WALK_PATH_MAX = 1 << 24 };

struct pending {
    char *path; /* relative to the top, on the heap */
    size_t len, depth;
    const struct fs_rules *rules; /* of its parent */
    dev_t device;                 /* of its parent */
};

struct walker {
    const struct fs_walk_options *options;
    fs_walk_visit *visit;
    void *user;
    struct fs_walk_outcome *outcome;
    int root;
    struct fs_repository repository;
    struct fs_rules start;
    struct hv_arena rules;   /* lists and chains: lives as long as the walk */
    struct hv_arena scratch; /* the names of one directory */
    struct hv_buf path;      /* of the entry at hand, relative to the top */
    int held;                /* the directory visited last, or -1: the next one is often inside it */
    struct hv_buf held_path; /* relative to the top */
    VEC(struct pending) waiting;
    size_t next; /* breadth first: where the queue begins */
    bool over;
};

static bool time_to_end(struct walker *walker)
{
    const struct fs_walk_options *options = walker->options;
    if (hv_cancelled(options->cancel))
        walker->outcome->cancelled = walker->over = true;
    else if (options->deadline_ns && clock_monotonic_ns() >= options->deadline_ns)
        walker->outcome->timed_out = walker->over = true;
    return walker->over;
}

/* The part of a path relative to the top that lies below the root of the walk. */
static struct hv_str below_root(const struct walker *walker, struct hv_str path)
{
    size_t prefix = walker->repository.prefix.len;
    return hv_str_slice(path, prefix && path.len > prefix ? prefix + 1 : prefix, path.len);
}

static int compare_entries(const void *a, const void *b)
{
    const struct hv_directory_entry *left = a, *right = b;
    return hv_str_compare(left->name, right->name);
}

struct listing {
    struct hv_directory_entry *items;
    size_t count, capacity;
    struct fs_rule_files files;
};

static bool read_names(struct walker *walker, int fd, struct listing *listing)
{
    struct fs_directory directory;
    struct hv_directory_entry entry;
    int found;
    fs_directory_init(&directory, fd);
    while ((found = fs_directory_next(&directory, &entry)) > 0) {
        if (++walker->outcome->visited % CHECK_EVERY == 0 && time_to_end(walker))
            break;
        fs_rule_files_note(&listing->files, entry.name);
        if (entry.name.ptr[0] == '.' && (!walker->options->hidden || hv_str_is(entry.name, ".git")))
            continue;
        if (!walker->options->temporaries && fs_is_temporary(entry.name))
            continue;
        entry.name = hv_arena_str(&walker->scratch, entry.name);
        *vec_push(listing) = entry;
    }
    fs_directory_release(&directory);
    if (listing->count)
        qsort(listing->items, listing->count, sizeof *listing->items, compare_entries);
    return found >= 0;
}

static void push(struct walker *walker, const struct pending *parent, const struct fs_rules *rules, dev_t device)
{
    struct hv_str path = hv_buf_str(&walker->path);
    char *copy = hv_malloc(path.len + 1);
    memcpy(copy, path.ptr, path.len + 1);
    *vec_push(&walker->waiting) =
        (struct pending){.path = copy, .len = path.len, .depth = parent->depth + 1, .rules = rules, .device = device};
}

static void visit_entry(struct walker *walker, const struct pending *parent, const struct hv_directory_entry *entry,
                        int fd, const struct fs_rules *rules, dev_t device)
{
    hv_buf_clear(&walker->path);
    hv_buf_add(&walker->path, parent->path, parent->len);
    if (parent->len)
        hv_buf_add_byte(&walker->path, '/');
    hv_buf_add_str(&walker->path, entry->name);
    if (walker->path.failed)
        return;
    bool is_directory = entry->kind == HV_FILE_DIRECTORY;
    struct hv_str path = hv_buf_str(&walker->path);
    if (!walker->options->no_ignore && fs_rules_ignored(rules, path, is_directory)) {
        walker->outcome->ignored++;
        return;
    }
    enum fs_walk_action action = FS_WALK_ON;
    if (!is_directory || walker->options->directories) {
        struct fs_walk_entry shown = {.path = below_root(walker, path),
                                      .name = entry->name,
                                      .kind = entry->kind,
                                      .directory = fd,
                                      .depth = parent->depth + 1};
        action = walker->visit(walker->user, &shown);
    }
    if (action == FS_WALK_STOP)
        walker->outcome->stopped = walker->over = true;
    else if (is_directory && action == FS_WALK_ON &&
             (!walker->options->depth_max || parent->depth + 1 < walker->options->depth_max))
        push(walker, parent, rules, device);
}

/* The last of those added comes first out of a stack: turn the new ones round. */
static void reverse_waiting(struct walker *walker, size_t from)
{
    if (walker->waiting.count < from + 2)
        return;
    for (size_t low = from, high = walker->waiting.count - 1; low < high; low++, high--) {
        struct pending swap = walker->waiting.items[low];
        walker->waiting.items[low] = walker->waiting.items[high];
        walker->waiting.items[high] = swap;
    }
}

/*
 * A chain of directories would cost the square of its length if each were opened from the root: a child of the one
 * visited last is opened from there.
 */
static int open_waiting(struct walker *walker, const struct pending *at)
{
    struct hv_str path = hv_str_of(at->path, at->len);
    size_t slash = hv_str_rfind_byte(path, '/');
    struct hv_str parent = hv_str_slice(path, 0, slash == SIZE_MAX ? 0 : slash);
    int fd;
    if (at->depth && walker->held >= 0 && hv_str_eq(parent, hv_buf_str(&walker->held_path)))
        fd = fs_open_no_links(walker->held, hv_str_slice(path, slash == SIZE_MAX ? 0 : slash + 1, path.len),
                              O_RDONLY | O_DIRECTORY);
    else if (at->depth)
        fd = fs_open_no_links(walker->root, below_root(walker, path), O_RDONLY | O_DIRECTORY);
    else
        fd = fcntl(walker->root, F_DUPFD_CLOEXEC, 0);
    if (walker->held >= 0)
        close(walker->held);
    walker->held = fd;
    hv_buf_clear(&walker->held_path);
    hv_buf_add_str(&walker->held_path, path);
    return fd;
}

static void visit_directory(struct walker *walker, const struct pending *at)
{
    int fd = open_waiting(walker, at);
    struct stat status;
    if (fd < 0 || fstat(fd, &status)) {
        walker->outcome->unreadable++;
        return;
    }
    if (at->depth && status.st_dev != at->device && fs_is_kernel_system(fd))
        return;
    struct listing listing = {0};
    hv_arena_reset(&walker->scratch);
    if (!read_names(walker, fd, &listing))
        walker->outcome->unreadable++;
    const struct fs_rules *rules = at->rules;
    if (!walker->options->no_ignore)
        rules = fs_rules_enter(&walker->rules, &walker->repository, rules, fd, hv_str_of(at->path, at->len),
                               &listing.files);
    size_t waiting = walker->waiting.count;
    for (size_t i = 0; i < listing.count && !walker->over; i++) {
        if (i % CHECK_EVERY == 0 && time_to_end(walker))
            break;
        visit_entry(walker, at, &listing.items[i], fd, rules, status.st_dev);
    }
    if (!walker->options->breadth_first)
        reverse_waiting(walker, waiting);
    vec_release(&listing);
}

static bool take_next(struct walker *walker, struct pending *next)
{
    if (walker->next == walker->waiting.count)
        return false;
    if (walker->options->breadth_first)
        *next = walker->waiting.items[walker->next++];
    else
        *next = walker->waiting.items[--walker->waiting.count];
    return true;
}

static void walk_all(struct walker *walker)
{
    struct hv_str prefix = walker->repository.prefix;
    char *first = hv_malloc(prefix.len + 1);
    if (prefix.len)
        memcpy(first, prefix.ptr, prefix.len);
    first[prefix.len] = '\0';
    struct pending at = {.path = first, .len = prefix.len, .rules = &walker->start};
    do {
        if (!time_to_end(walker))
            visit_directory(walker, &at);
        free(at.path);
    } while (take_next(walker, &at));
}

enum hv_code fs_walk(const struct fs_walk_options *options, fs_walk_visit *visit, void *user,
                     struct fs_walk_outcome *outcome, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str root;
    enum hv_code code = fs_host_resolve(NULL, &arena, options->root, &root, err);
    if (code)
        return code;
    CLEANUP_FD int fd = open(root.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return hv_fail_errno(err, errno, "Cannot open the directory %s", root.ptr);
    *outcome = (struct fs_walk_outcome){0};
    struct walker walker = {.options = options, .visit = visit, .user = user, .outcome = outcome, .root = fd};
    walker.held = -1;
    hv_buf_init(&walker.path, WALK_PATH_MAX);
    hv_buf_init(&walker.held_path, WALK_PATH_MAX);
    if (!options->no_ignore)
        fs_rules_start(&walker.rules, root, options->home, &walker.repository, &walker.start);
    walk_all(&walker);
    vec_release(&walker.waiting);
    if (walker.held >= 0)
        close(walker.held);
    hv_buf_release(&walker.path);
    hv_buf_release(&walker.held_path);
    hv_arena_release(&walker.scratch);
    hv_arena_release(&walker.rules);
    return HV_OK;
}
