/* checkpoint_watch.c: see checkpoint_watch.h. */
#include "runtime/checkpoint_watch.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/host_files.h"
#include "fs/open.h"
#include "fs/scan.h"
#include "fs/scan_warm.h"
#include "runtime/call.h"

#include <fcntl.h>
#include <string.h>

enum {
    ENTRIES_MAX = 30000,      /* a larger workspace is not watched: looking at it would be felt with each command */
    TIME_MAX_MS = 1000,       /* of looking, reading included */
    FILE_MAX = 1 << 20,       /* larger files are not read before a command */
    BYTES_MAX = 64 << 20,     /* of all that are */
    PACK_MAX = 4 * BYTES_MAX, /* with what is out of date: then it is begun anew */
};

/* A file, link or directory of the workspace as it was when it was last looked at. */
struct entry {
    struct fs_image image;
    bool is_packed;  /* its bytes are in the pack */
    uint64_t offset; /* there */
    unsigned seen;   /* number of the last look that saw it */
};

struct watch {
    struct runtime *runtime;
    struct hv_str directory;
    struct hv_str own; /* the folder of all sessions: what helve writes there itself is none of this */
    struct hv_arena arena;
    struct map places; /* path → struct entry * */
    VEC(struct entry *) entries;
    struct fs_warm warm;
    int pack;                 /* -1: not open */
    uint64_t pack_size, live; /* live: bytes of entries that are packed */
    unsigned look;
    uint64_t deadline_ns;
    const char *unwatched;

    /* During a look. */
    struct hv_str root;
    size_t seen;
    bool is_after;
    VEC(struct entry *) changed; /* after: what differs, as it was; images of new ones are of kind NOTHING */
};

struct watch *watch_new(struct runtime *runtime, struct hv_str directory)
{
    struct watch *watch = hv_calloc(1, sizeof *watch);
    watch->runtime = runtime;
    watch->directory = hv_arena_str(&watch->arena, directory);
    watch->own = path_parent(path_parent(watch->directory));
    watch->pack = -1;
    fs_warm_init(&watch->warm);
    return watch;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->pack >= 0)
        close(watch->pack);
    fs_warm_release(&watch->warm);
    map_release(&watch->places);
    vec_release(&watch->entries);
    vec_release(&watch->changed);
    hv_arena_release(&watch->arena);
    free(watch);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

static bool open_pack(struct watch *watch)
{
    if (watch->pack < 0)
        watch->pack = open(hv_arena_cstr(&watch->arena, watch->directory), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return watch->pack >= 0;
}

/* All that is out of date goes with what is not; that is read again. */
static void renew_pack(struct watch *watch)
{
    if (watch->pack >= 0)
        close(watch->pack);
    watch->pack = -1;
    watch->pack_size = watch->live = 0;
    for (size_t i = 0; i < watch->entries.count; i++)
        watch->entries.items[i]->is_packed = false;
}

static bool append(struct watch *watch, int from, uint64_t size)
{
    char piece[64 << 10];
    for (uint64_t done = 0; done < size;) {
        ssize_t got = fs_read_at(from, piece, size - done < sizeof piece ? (size_t)(size - done) : sizeof piece, done);
        if (got <= 0 || pwrite(watch->pack, piece, (size_t)got, (off_t)(watch->pack_size + done)) != got)
            return false;
        done += (uint64_t)got;
    }
    return true;
}

/* Whether the file is still what was looked at is seen when its bytes are needed: their number must fit here. */
static void pack(struct watch *watch, struct entry *entry, const struct fs_scan_entry *found)
{
    uint64_t size = entry->image.size;
    if (size > FILE_MAX || watch->live + size > BYTES_MAX || !open_pack(watch) ||
        clock_monotonic_ns() > watch->deadline_ns)
        return;
    struct stat status;
    struct fs_image now = {0};
    CLEANUP_FD int fd =
        openat(found->directory, found->name.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || !append(watch, fd, size) || fstat(fd, &status))
        return;
    image_fill(&now, &status);
    if (!fs_image_untouched(&entry->image, &now))
        return;
    entry->is_packed = true;
    entry->offset = watch->pack_size;
    watch->pack_size += size;
    watch->live += size;
}

/* ---- looking --------------------------------------------------------------------------------------------------- */

static void read_target(struct watch *watch, struct fs_image *image, const struct fs_scan_entry *found)
{
    char target[FS_PATH_MAX];
    ssize_t len = readlinkat(found->directory, found->name.ptr, target, sizeof target);
    image->target = hv_arena_str(&watch->arena, hv_str_of(target, len > 0 ? (size_t)len : 0));
}

/* The entry of what was found, made when it is new. */
static struct entry *entry_of(struct watch *watch, struct hv_str path, bool *is_new)
{
    struct entry *entry = map_get(&watch->places, path);
    *is_new = !entry;
    if (entry)
        return entry;
    entry = hv_arena_new(&watch->arena, struct entry);
    entry->image.path = hv_arena_str(&watch->arena, path);
    map_set(&watch->places, entry->image.path, entry);
    *vec_push(&watch->entries) = entry;
    return entry;
}

static bool is_unchanged(const struct fs_image *was, const struct fs_image *now)
{
    return was->kind == FS_IMAGE_DIRECTORY ? fs_image_same(was, now) : fs_image_untouched(was, now);
}

static void take(struct watch *watch, struct entry *entry, const struct fs_image *now,
                 const struct fs_scan_entry *found)
{
    if (is_unchanged(&entry->image, now)) {
        if (!watch->is_after && now->kind == FS_IMAGE_FILE && !entry->is_packed)
            pack(watch, entry, found);
        return;
    }
    if (watch->is_after) {
        *vec_push(&watch->changed) = entry;
        return;
    }
    if (entry->is_packed)
        watch->live -= entry->image.size;
    struct hv_str path = entry->image.path;
    entry->image = *now;
    entry->image.path = path;
    entry->is_packed = false;
    if (now->kind == FS_IMAGE_LINK)
        read_target(watch, &entry->image, found);
    else if (now->kind == FS_IMAGE_FILE)
        pack(watch, entry, found);
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *found)
{
    struct watch *watch = user;
    char path[FS_PATH_MAX];
    struct stat status;
    struct fs_image now = {0};
    bool is_new;
    int len = snprintf(path, sizeof path, "%.*s/%s", HV_STR_ARG(watch->root), found->path.ptr);
    if (hv_str_is(found->name, ".git") || (len > 0 && hv_str_eq(watch->own, hv_str_of(path, (size_t)len))))
        return FS_SCAN_SKIP;
    if (++watch->seen > ENTRIES_MAX)
        return FS_SCAN_STOP;
    if (len < 0 || (size_t)len >= sizeof path ||
        fstatat(found->directory, found->name.ptr, &status, AT_SYMLINK_NOFOLLOW))
        return FS_SCAN_ON;
    image_fill(&now, &status);
    struct entry *entry = entry_of(watch, hv_str_of(path, (size_t)len), &is_new);
    entry->seen = watch->look;
    take(watch, entry, &now, found);
    return FS_SCAN_ON;
}

static void look_at(struct watch *watch, struct hv_str root, struct hv_arena *scratch)
{
    struct fs_scan_options options = {
        .home = watch->runtime->options.home,
        .hidden = true,
        .directories = true,
        .warm = &watch->warm,
        .deadline_ns = watch->deadline_ns,
    };
    struct fs_scan_outcome outcome = {0};
    if (fs_host_resolve(NULL, scratch, root, &options.root, NULL) != HV_OK || options.root.len < 2)
        return;
    watch->root = options.root;
    if (fs_scan(&options, visit, watch, scratch, &outcome, NULL) != HV_OK)
        return;
    if (outcome.stopped)
        watch->unwatched = "the workspace holds too many files to be looked at around each command";
    else if (outcome.timed_out)
        watch->unwatched = "looking at the workspace around each command takes too long";
}

static void look(struct watch *watch, bool is_after)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct runtime_options *options = &watch->runtime->options;
    watch->look++;
    watch->seen = 0;
    watch->is_after = is_after;
    watch->changed.count = 0;
    watch->deadline_ns = clock_monotonic_ns() + TIME_MAX_MS * CLOCK_MILLISECOND;
    for (size_t i = 0; i < options->root_count; i++)
        look_at(watch, options->roots[i], &scratch);
    if (!options->root_count)
        look_at(watch, options->directory, &scratch);
}

bool watch_before(struct watch *watch)
{
    if (watch->unwatched)
        return true;
    if (watch->pack_size > PACK_MAX)
        renew_pack(watch);
    look(watch, false);
    /* What is not there any more is nothing now. */
    for (size_t i = 0; i < watch->entries.count; i++) {
        struct entry *entry = watch->entries.items[i];
        if (entry->seen == watch->look)
            continue;
        watch->live -= entry->is_packed ? entry->image.size : 0;
        *entry = (struct entry){.image = {.path = entry->image.path}};
    }
    return true;
}

/* ---- what changed ---------------------------------------------------------------------------------------------- */

static void add_change(struct watch *watch, struct fs_image_store *store, const struct entry *entry,
                       struct hv_arena *arena, struct watch_outcome *out)
{
    if (out->count == CHECKPOINT_FILES_MAX) {
        out->left_out++;
        return;
    }
    struct watch_change *change = &out->changes[out->count];
    change->before = entry->image;
    change->after = (struct fs_image){.path = entry->image.path};
    fs_image_look(&change->after, arena);
    if (is_unchanged(&change->before, &change->after)) /* no longer shown by the scan, but there */
        return;
    if (change->after.kind == FS_IMAGE_FILE && change->after.size <= CHECKPOINT_SUM_MAX &&
        !fs_image_sum(&change->after, arena))
        change->after.hash = (struct hv_str){0};
    if (entry->is_packed)
        fs_image_store_take(store, watch->pack, entry->offset, &change->before, arena);
    else if (change->before.kind == FS_IMAGE_FILE)
        change->before.unsaved = HV_STR("changed by a command, and too large to be copied before each command");
    out->count++;
}

void watch_after(struct watch *watch, struct fs_image_store *store, struct hv_arena *arena, struct watch_outcome *out)
{
    *out = (struct watch_outcome){.unwatched = watch->unwatched};
    if (watch->unwatched)
        return;
    look(watch, true);
    out->unwatched = watch->unwatched;
    out->changes = hv_arena_array(arena, struct watch_change, CHECKPOINT_FILES_MAX);
    for (size_t i = 0; i < watch->changed.count; i++)
        add_change(watch, store, watch->changed.items[i], arena, out);
    for (size_t i = 0; i < watch->entries.count && !watch->unwatched; i++) {
        const struct entry *entry = watch->entries.items[i];
        if (entry->seen != watch->look && entry->image.kind != FS_IMAGE_NOTHING)
            add_change(watch, store, entry, arena, out);
    }
}
