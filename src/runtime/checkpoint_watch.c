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
#include "runtime/call.h"

#include <fcntl.h>
#include <string.h>

enum {
    ENTRIES_MAX = 30000,        /* a larger workspace is not watched: looking at it would be felt with each command */
    TIME_MAX_MS = 1000,         /* of looking, reading included */
    FILE_MAX = 1 << 20,         /* larger files are read before a command when all others were, the smallest first */
    LARGE_MAX = 16 << 20,       /* these are not */
    LARGE_BYTES_MAX = 24 << 20, /* of those: reading them once is not to be felt */
    BYTES_MAX = 64 << 20,       /* of all that are */
    PACK_MAX = 4 * BYTES_MAX,   /* with what is out of date: then it is begun anew */
    HIDDEN_FOLDER_MAX = 2000,   /* entries of one folder that git ignores */
    HIDDEN_MAX = 10000,         /* of all of them */
    HIDDEN_TIME_MS = 300,
    HIDDEN_FOLDERS_MAX = 500,
    PLACES_MAX = 50, /* that are told */
};

/* A folder that git ignores. */
struct hidden {
    struct hv_str path;
    size_t count;
    const char *why; /* it is not looked at, or NULL */
    bool told;
};

/* A file, link or directory of the workspace as it was when it was last looked at. */
struct entry {
    struct fs_image image;
    bool is_packed;        /* its bytes are in the pack */
    uint64_t offset;       /* there */
    unsigned seen;         /* number of the last look that saw it */
    unsigned sighted;      /* number of the look that first saw what is in it again; 0: all did */
    struct hidden *hidden; /* the folder that holds it, or is it, when git ignores that */
};

/* What an entry was before it changed. */
struct former {
    struct entry *entry;
    struct fs_image image;
    bool is_packed;
    uint64_t offset;
};

struct watch {
    struct runtime *runtime;
    struct hv_str directory;
    struct hv_str own; /* the folder of all sessions: what helve writes there itself is none of this */
    struct hv_arena arena;
    struct map places; /* path → struct entry * */
    VEC(struct entry *) entries;
    VEC(struct hidden *) hidden;
    int pack;                 /* -1: not open */
    uint64_t pack_size, live; /* live: bytes of entries that are packed */
    uint64_t live_large;      /* of those over FILE_MAX */
    unsigned look;
    uint64_t deadline_ns;
    const char *unwatched;

    /* During a look. */
    struct hv_str root;
    struct hidden *within; /* the ignored folder that is being looked at */
    size_t seen, seen_hidden;
    bool is_before;
    VEC(struct former) changed;
    VEC(struct entry *) larger; /* files that take the room which others leave */
};

struct watch *watch_new(struct runtime *runtime, struct hv_str directory)
{
    struct watch *watch = hv_calloc(1, sizeof *watch);
    watch->runtime = runtime;
    watch->directory = hv_arena_str(&watch->arena, directory);
    watch->own = path_parent(path_parent(watch->directory));
    watch->pack = -1;
    return watch;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->pack >= 0)
        close(watch->pack);
    map_release(&watch->places);
    vec_release(&watch->entries);
    vec_release(&watch->hidden);
    vec_release(&watch->changed);
    vec_release(&watch->larger);
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
    watch->pack_size = watch->live = watch->live_large = 0;
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
static void pack(struct watch *watch, struct entry *entry, int directory, const char *name)
{
    uint64_t size = entry->image.size;
    /* What git ignores takes no more than half of the room. */
    uint64_t room = entry->hidden ? BYTES_MAX / 2 : BYTES_MAX;
    bool is_large = size > FILE_MAX;
    if (watch->live + size > room || (is_large && watch->live_large + size > LARGE_BYTES_MAX) || !open_pack(watch) ||
        clock_monotonic_ns() > watch->deadline_ns)
        return;
    struct stat status;
    struct fs_image now = {0};
    CLEANUP_FD int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || !append(watch, fd, size) || fstat(fd, &status))
        return;
    image_fill(&now, &status);
    if (!fs_image_untouched(&entry->image, &now))
        return;
    entry->is_packed = true;
    entry->offset = watch->pack_size;
    watch->pack_size += size;
    watch->live += size;
    watch->live_large += is_large ? size : 0;
}

/* ---- looking --------------------------------------------------------------------------------------------------- */

static void read_target(struct watch *watch, struct fs_image *image, const struct fs_scan_entry *found)
{
    char target[FS_PATH_MAX];
    ssize_t len = readlinkat(found->directory, found->name.ptr, target, sizeof target);
    image->target = hv_arena_str(&watch->arena, hv_str_of(target, len > 0 ? (size_t)len : 0));
}

/* The entry of a path, made when it is new. */
static struct entry *entry_of(struct watch *watch, struct hv_str path)
{
    struct entry *entry = map_get(&watch->places, path);
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

static void forget_bytes(struct watch *watch, uint64_t size)
{
    watch->live -= size;
    watch->live_large -= size > FILE_MAX ? size : 0;
}

/* From now on the entry is this; what it was is remembered for the rest of the look. */
static void renew(struct watch *watch, struct entry *entry, const struct fs_image *now)
{
    struct hv_str path = entry->image.path;
    *vec_push(&watch->changed) = (struct former){entry, entry->image, entry->is_packed, entry->offset};
    if (entry->is_packed)
        forget_bytes(watch, entry->image.size);
    entry->image = *now;
    entry->image.path = path;
    entry->is_packed = false;
}

static void take(struct watch *watch, struct entry *entry, struct fs_image *now, const struct fs_scan_entry *found)
{
    /* Directories change with what comes into them: their attributes are looked at then, too. */
    bool is_touched = entry->image.ctime_ns != now->ctime_ns || entry->image.inode != now->inode;
    if (is_touched)
        image_take_attributes(now, found->directory, found->name.ptr, &watch->arena);
    if (!is_unchanged(&entry->image, now)) {
        if (now->kind == FS_IMAGE_LINK)
            read_target(watch, now, found);
        renew(watch, entry, now);
    } else if (is_touched) {
        entry->image.ctime_ns = now->ctime_ns;
        entry->image.mtime_ns = now->mtime_ns;
    }
    if (!watch->is_before || now->kind != FS_IMAGE_FILE || entry->is_packed)
        return;
    if (entry->image.size <= FILE_MAX)
        pack(watch, entry, found->directory, found->name.ptr);
    else if (entry->image.size <= LARGE_MAX)
        *vec_push(&watch->larger) = entry;
}

static void give_up(struct hidden *hidden, const char *why)
{
    hidden->why = hidden->why ? hidden->why : why;
}

/* The folder that git ignores; when there are too many to tell apart, one for all the rest. */
static struct hidden *hidden_of(struct watch *watch, struct entry *entry)
{
    if (entry->hidden)
        return entry->hidden;
    if (watch->hidden.count == HIDDEN_FOLDERS_MAX)
        return watch->hidden.items[HIDDEN_FOLDERS_MAX - 1];
    struct hidden *hidden = hv_arena_new(&watch->arena, struct hidden);
    hidden->path = entry->image.path;
    *vec_push(&watch->hidden) = hidden;
    if (watch->hidden.count == HIDDEN_FOLDERS_MAX)
        give_up(hidden, "ignored by git, like many other folders");
    return hidden;
}

static bool has_room(struct watch *watch)
{
    struct hidden *within = watch->within;
    if (!within)
        return ++watch->seen <= ENTRIES_MAX;
    if (++within->count > HIDDEN_FOLDER_MAX)
        give_up(within, "ignored by git, and of many files");
    else if (++watch->seen_hidden > HIDDEN_MAX)
        give_up(within, "ignored by git, like many other files");
    return !within->why;
}

/* In the open, or in a folder that git ignores, or it is that folder. */
static void place_entry(struct watch *watch, struct entry *entry, bool is_hidden)
{
    bool was_out_of_sight = entry->hidden && entry->hidden->why;
    entry->hidden = watch->within ? watch->within : is_hidden ? hidden_of(watch, entry) : NULL;
    if (was_out_of_sight && !entry->hidden)
        entry->sighted = watch->look;
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *found)
{
    struct watch *watch = user;
    char path[FS_PATH_MAX];
    struct stat status;
    struct fs_image now = {0};
    int len = snprintf(path, sizeof path, "%.*s/%s", HV_STR_ARG(watch->root), found->path.ptr);
    if (hv_str_is(found->name, ".git") || (len > 0 && hv_str_eq(watch->own, hv_str_of(path, (size_t)len))))
        return FS_SCAN_SKIP;
    if (!has_room(watch))
        return FS_SCAN_STOP;
    if (len < 0 || (size_t)len >= sizeof path ||
        fstatat(found->directory, found->name.ptr, &status, AT_SYMLINK_NOFOLLOW))
        return FS_SCAN_ON;
    image_fill(&now, &status);
    struct entry *entry = entry_of(watch, hv_str_of(path, (size_t)len));
    if (entry->seen == watch->look) /* below two roots */
        return FS_SCAN_ON;
    entry->seen = watch->look;
    place_entry(watch, entry, found->ignored && now.kind == FS_IMAGE_DIRECTORY);
    take(watch, entry, &now, found);
    return FS_SCAN_ON;
}

static void look_at(struct watch *watch, struct hv_str root, struct hv_arena *scratch)
{
    struct fs_scan_options options = {
        .home = watch->runtime->options.home,
        .hidden = true,
        .directories = true,
        .show_ignored = true,
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

/* What git ignores has a time of its own, so that it never costs the rest. */
static void look_at_hidden(struct watch *watch, struct hv_arena *scratch)
{
    uint64_t until = clock_monotonic_ns() + HIDDEN_TIME_MS * CLOCK_MILLISECOND;
    for (size_t i = 0; i < watch->hidden.count && !watch->unwatched; i++) {
        struct hidden *hidden = watch->hidden.items[i];
        const struct entry *entry = map_get(&watch->places, hidden->path);
        struct fs_scan_options options = {
            .root = hidden->path, .hidden = true, .directories = true, .no_ignore = true, .deadline_ns = until};
        struct fs_scan_outcome outcome = {0};
        hidden->count = 0;
        if (hidden->why || !entry || entry->hidden != hidden || entry->seen != watch->look)
            continue;
        watch->root = hidden->path;
        watch->within = hidden;
        if (fs_scan(&options, visit, watch, scratch, &outcome, NULL) == HV_OK && outcome.timed_out)
            give_up(hidden, "ignored by git, and slow to look at");
    }
    watch->within = NULL;
}

/* Gone, or only out of sight: what rules of git hide now, or a folder that is no longer looked at. */
static void look_for_missing(struct watch *watch, struct hv_arena *scratch)
{
    for (size_t i = 0; i < watch->entries.count && !watch->unwatched; i++) {
        struct entry *entry = watch->entries.items[i];
        struct fs_image now = {.path = entry->image.path};
        if (entry->seen == watch->look || entry->image.kind == FS_IMAGE_NOTHING ||
            (entry->hidden && entry->hidden->why))
            continue;
        fs_image_look(&now, scratch);
        if (now.kind == FS_IMAGE_NOTHING)
            renew(watch, entry, &now);
    }
}

static int smallest_first(const void *a, const void *b)
{
    uint64_t left = (*(const struct entry *const *)a)->image.size,
             right = (*(const struct entry *const *)b)->image.size;
    return left < right ? -1 : left > right;
}

static void pack_larger(struct watch *watch)
{
    if (watch->larger.count)
        qsort(watch->larger.items, watch->larger.count, sizeof *watch->larger.items, smallest_first);
    for (size_t i = 0; i < watch->larger.count; i++) {
        char name[NAME_MAX + 1];
        struct entry *entry = watch->larger.items[i];
        CLEANUP_FD int parent = image_open_parent(&entry->image, name);
        if (parent >= 0)
            pack(watch, entry, parent, name);
    }
}

static void look(struct watch *watch)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct runtime_options *options = &watch->runtime->options;
    watch->look++;
    watch->seen = watch->seen_hidden = 0;
    watch->changed.count = watch->larger.count = 0;
    watch->deadline_ns = clock_monotonic_ns() + TIME_MAX_MS * CLOCK_MILLISECOND;
    for (size_t i = 0; i < options->root_count; i++)
        look_at(watch, options->roots[i], &scratch);
    if (!options->root_count)
        look_at(watch, options->directory, &scratch);
    look_at_hidden(watch, &scratch);
    look_for_missing(watch, &scratch);
    pack_larger(watch);
}

/* ---- what changed ---------------------------------------------------------------------------------------------- */

/* Whether the look before saw what was there: it looked into all directories on the way. */
static bool was_in_sight(const struct watch *watch, struct hv_str path)
{
    for (struct hv_str parent = path_parent(path); parent.len > 1; parent = path_parent(parent)) {
        const struct entry *entry = map_get(&watch->places, parent);
        if (entry && (entry->sighted == watch->look || (entry->hidden && entry->hidden->why)))
            return false;
    }
    return true;
}

/* Only that there are more or fewer names for it now. */
static bool is_as_before(const struct watch_change *change)
{
    struct fs_image before = change->before;
    before.hash = change->after.hash;
    return fs_image_unwritten(&before, &change->after) && fs_image_same(&before, &change->after) && before.hash.len;
}

/* Another name that is the same file, where it is in the workspace. */
static void find_twin(const struct watch *watch, struct fs_image *image)
{
    for (size_t i = 0; i < watch->entries.count && image->links > 1 && !image->twin.len; i++) {
        const struct fs_image *other = &watch->entries.items[i]->image;
        if (other->inode == image->inode && other->device == image->device && other->kind == FS_IMAGE_FILE &&
            !hv_str_eq(other->path, image->path))
            image->twin = other->path;
    }
}

static void keep_former(struct watch *watch, struct fs_image_store *store, const struct former *former,
                        struct watch_change *change, struct hv_arena *arena)
{
    struct fs_image *before = &change->before;
    find_twin(watch, before);
    if (former->is_packed)
        fs_image_store_take(store, watch->pack, former->offset, before, arena);
    else if (before->kind == FS_IMAGE_FILE && !fs_image_unwritten(before, &change->after))
        before->unsaved = before->size > LARGE_MAX
                              ? HV_STR("changed by a command, and too large to be copied before each command")
                              : HV_STR("changed by a command, and not copied before it: there were too many files, or "
                                       "another program was just writing");
}

static void add_change(struct watch *watch, struct fs_image_store *store, const struct former *former,
                       struct hv_arena *arena, struct watch_outcome *out)
{
    struct hidden *hidden = former->entry->hidden;
    if ((hidden && hidden->why) || !was_in_sight(watch, former->entry->image.path))
        return;
    if (out->count == CHECKPOINT_FILES_MAX) {
        out->left_out++;
        return;
    }
    struct watch_change *change = &out->changes[out->count];
    change->before = former->image;
    change->before.folder_ns = 0; /* it is that of an earlier moment */
    change->after = (struct fs_image){.path = former->entry->image.path};
    fs_image_look(&change->after, arena);
    if (is_unchanged(&change->before, &change->after))
        return;
    if (change->after.kind == FS_IMAGE_FILE && change->after.size <= CHECKPOINT_SUM_MAX &&
        !fs_image_sum(&change->after, arena))
        change->after.hash = (struct hv_str){0};
    if (is_as_before(change))
        return;
    keep_former(watch, store, former, change, arena);
    out->count++;
}

/* All of them, when there is a new one. */
static void add_places(struct watch *watch, struct hv_arena *arena, struct watch_outcome *out)
{
    bool is_new = false;
    for (size_t i = 0; i < watch->hidden.count; i++)
        is_new |= watch->hidden.items[i]->why && !watch->hidden.items[i]->told;
    if (!is_new)
        return;
    out->places = hv_arena_array(arena, struct watch_place, PLACES_MAX);
    for (size_t i = 0; i < watch->hidden.count; i++) {
        struct hidden *hidden = watch->hidden.items[i];
        hidden->told |= hidden->why != NULL;
        if (hidden->why && out->place_count < PLACES_MAX)
            out->places[out->place_count++] = (struct watch_place){hidden->path, hidden->why};
    }
}

void watch_look(struct watch *watch, bool is_before, struct fs_image_store *store, struct hv_arena *arena,
                struct watch_outcome *out)
{
    *out = (struct watch_outcome){0};
    watch->is_before = is_before;
    if (!watch->unwatched)
        look(watch);
    out->unwatched = watch->unwatched;
    if (!watch->unwatched && store)
        add_places(watch, arena, out);
    if (!watch->unwatched && store && watch->changed.count) {
        out->changes = hv_arena_array(arena, struct watch_change, CHECKPOINT_FILES_MAX);
        for (size_t i = 0; i < watch->changed.count; i++)
            add_change(watch, store, &watch->changed.items[i], arena, out);
    }
    vec_release(&watch->changed);
    if (!is_before && watch->pack_size > PACK_MAX)
        renew_pack(watch);
}

void watch_note(struct watch *watch, const struct fs_image *image)
{
    struct entry *entry = map_get(&watch->places, image->path);
    if (!entry && image->kind == FS_IMAGE_NOTHING)
        return;
    entry = entry ? entry : entry_of(watch, image->path);
    struct hv_str path = entry->image.path;
    if (entry->is_packed)
        watch->live -= entry->image.size;
    entry->image = *image;
    entry->image.path = path;
    entry->image.at = NULL; /* which goes with the call */
    entry->image.hash = entry->image.unsaved = entry->image.twin = (struct hv_str){0};
    entry->image.target = hv_arena_str(&watch->arena, image->target);
    entry->image.attributes = hv_arena_str(&watch->arena, image->attributes);
    entry->is_packed = false;
}
