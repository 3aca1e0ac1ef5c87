/* rewind_apply.c: doing what a plan says; see rewind.h. */
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/host_files.h"
#include "fs/image_store.h"
#include "fs/open.h"
#include "fs/transaction.h"
#include "journal/rewind.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

enum { BYTES_MAX = 1 << 30, EVENT_MAX = 48 << 20, ATTRIBUTES_MAX = 1 << 20 };

/* One rewind under way. */
struct rewinding {
    const struct rewind_plan *plan;
    const struct rewind_places *places;
    struct journal_writer *journal;
    const struct timeline *timeline;
    struct hv_str call_id;
    struct hv_arena arena;
    struct hv_file_change *changes;
    size_t change_count;
    struct hv_file_stat *stats; /* of what the changes replace */
    struct hv_buf *bytes;
    size_t byte_count;
    size_t incomplete;
};

static bool is_done(const struct rewind_step *step)
{
    return step->act != REWIND_NOTHING && step->act != REWIND_IMPOSSIBLE;
}

/* A transaction knows files alone. */
static bool is_plain(const struct rewind_step *step)
{
    enum fs_image_kind wanted = step->wanted.kind, present = step->present.kind;
    return (wanted == FS_IMAGE_FILE || wanted == FS_IMAGE_NOTHING) &&
           (present == FS_IMAGE_FILE || present == FS_IMAGE_NOTHING);
}

/* ---- what is written ----------------------------------------------------------------------------------------- */

static struct hv_file_stat stat_of(const struct fs_image *image)
{
    return (struct hv_file_stat){
        .kind = HV_FILE_REGULAR,
        .mode = image->mode,
        .size = image->size,
        .mtime_ns = image->mtime_ns,
        .inode = image->inode,
        .device = image->device,
    };
}

static enum hv_code load(struct rewinding *rewinding, const struct rewind_step *step, struct hv_str *bytes,
                         struct hv_error *err)
{
    struct hv_buf *buf = &rewinding->bytes[rewinding->byte_count++];
    hv_buf_init(buf, (size_t)BYTES_MAX + 1);
    enum hv_code code = fs_image_store_load(rewinding->places->store, &step->wanted, buf, err);
    if (code == HV_ENOTFOUND) {
        hv_fail(err, code, "the copy of %.*s is gone", HV_STR_ARG(step->path));
        hv_error_hint(err, "it went to keep the copies below checkpointMegabytes, or was removed by hand");
    }
    *bytes = hv_buf_str(buf);
    return code;
}

static enum hv_code add_change(struct rewinding *rewinding, const struct rewind_step *step, struct hv_error *err)
{
    struct hv_file_stat *before = &rewinding->stats[rewinding->change_count];
    struct hv_file_change *change = &rewinding->changes[rewinding->change_count++];
    *before = stat_of(&step->present);
    bool exists = step->present.kind == FS_IMAGE_FILE;
    *change = (struct hv_file_change){
        .path = step->path,
        .options = {.expected = exists ? before : NULL,
                    .must_not_exist = !exists,
                    .make_parents = !exists,
                    .mode = step->wanted.mode,
                    .set_mode = true,
                    .mtime_ns = step->wanted.mtime_ns},
    };
    return step->wanted.kind == FS_IMAGE_FILE ? load(rewinding, step, &change->bytes, err) : HV_OK;
}

static enum hv_code prepare(struct rewinding *rewinding, struct hv_error *err)
{
    const struct rewind_plan *plan = rewinding->plan;
    rewinding->changes = hv_arena_array(&rewinding->arena, struct hv_file_change, plan->count);
    rewinding->stats = hv_arena_array(&rewinding->arena, struct hv_file_stat, plan->count);
    rewinding->bytes = hv_arena_array(&rewinding->arena, struct hv_buf, plan->count);
    enum hv_code code = HV_OK;
    uint64_t total = 0;
    for (size_t i = 0; i < plan->count && !code; i++) {
        const struct rewind_step *step = &plan->steps[i];
        if (!is_done(step) || !is_plain(step))
            continue;
        total += step->wanted.size;
        if (total > BYTES_MAX)
            return hv_fail(err, HV_ETOOBIG, "the files to be brought back take more than 1 GiB together");
        code = add_change(rewinding, step, err);
    }
    return code;
}

/* ---- the journal --------------------------------------------------------------------------------------------- */

static void emit(struct rewinding *rewinding, const char *phase, const char *list, const struct fs_image *images,
                 size_t count)
{
    CLEANUP_BUF struct hv_buf data = {.max = EVENT_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, list);
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++)
        fs_image_write(&writer, &images[i]);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    journal_write(rewinding->journal, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                                         .time_ns = rewinding->timeline->time_ns,
                                                         .wall_ms = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND,
                                                         .name = hv_str_from(phase),
                                                         .call_id = rewinding->call_id,
                                                         .data = hv_buf_str(&data)});
}

/* Keep what is about to be replaced. Where that fails the rewind could not be undone: then it is not begun. */
static enum hv_code keep(struct rewinding *rewinding, struct hv_error *err)
{
    const struct rewind_plan *plan = rewinding->plan;
    struct fs_image_store store;
    struct fs_image *images = hv_arena_array(&rewinding->arena, struct fs_image, plan->count);
    size_t count = 0;
    enum hv_code code = fs_image_store_open(&store, rewinding->places->store, rewinding->places->file_max,
                                            rewinding->places->size_max, err);
    for (size_t i = 0; i < plan->count && !code; i++) {
        if (!is_done(&plan->steps[i]))
            continue;
        struct fs_image *image = &images[count++];
        image->path = plan->steps[i].path;
        fs_image_store_keep(&store, image, &rewinding->arena);
        if (!fs_image_same(image, &plan->steps[i].present))
            code = hv_fail(err, HV_ECONFLICT, "%.*s changed a moment ago", HV_STR_ARG(image->path));
        else if (image->unsaved.ptr)
            code = hv_fail(err, HV_EIO, "%.*s cannot be kept for an undo: %.*s", HV_STR_ARG(image->path),
                           HV_STR_ARG(image->unsaved));
    }
    if (!code)
        code = fs_image_store_sync(&store, err);
    if (!code)
        emit(rewinding, "before", "before", images, count);
    fs_image_store_release(&store);
    return code;
}

static void record_after(struct rewinding *rewinding)
{
    const struct rewind_plan *plan = rewinding->plan;
    struct fs_image *images = hv_arena_array(&rewinding->arena, struct fs_image, plan->count);
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (!is_done(&plan->steps[i]))
            continue;
        struct fs_image *image = &images[count++];
        image->path = plan->steps[i].path;
        fs_image_look(image, &rewinding->arena);
        if (image->kind == FS_IMAGE_FILE && !fs_image_sum(image, &rewinding->arena))
            image->hash = (struct hv_str){0};
    }
    emit(rewinding, "after", "after", images, count);
}

/* ---- what follows the transaction ---------------------------------------------------------------------------- */

/* The name goes only when it is no directory with something in it. */
static bool clear(int parent, const char *name, enum fs_image_kind kind)
{
    return kind == FS_IMAGE_NOTHING || unlinkat(parent, name, kind == FS_IMAGE_DIRECTORY ? AT_REMOVEDIR : 0) == 0;
}

static bool make(int parent, const char *name, const struct rewind_step *step, struct rewinding *rewinding)
{
    struct hv_str bytes;
    switch (step->wanted.kind) {
    case FS_IMAGE_NOTHING: return true;
    case FS_IMAGE_LINK: return symlinkat(hv_arena_cstr(&rewinding->arena, step->wanted.target), parent, name) == 0;
    case FS_IMAGE_DIRECTORY:
        return (mkdirat(parent, name, 0700) == 0 || errno == EEXIST) &&
               fchmodat(parent, name, step->wanted.mode, 0) == 0;
    case FS_IMAGE_FILE: {
        const struct hv_write_options options = {
            .must_not_exist = true, .mode = step->wanted.mode, .set_mode = true, .mtime_ns = step->wanted.mtime_ns};
        return load(rewinding, step, &bytes, NULL) == HV_OK &&
               fs_host_write(NULL, step->path, bytes, &options, NULL, NULL) == HV_OK;
    }
    case FS_IMAGE_OTHER: break;
    }
    return false;
}

/* Links and directories. */
static void finish_step(struct rewinding *rewinding, const struct rewind_step *step)
{
    char name[NAME_MAX + 1];
    CLEANUP_FD int parent = image_open_parent(&step->present, name);
    if (parent < 0 && step->wanted.kind != FS_IMAGE_NOTHING &&
        fs_host_make_directories(NULL, path_parent(step->path), NULL) == HV_OK)
        parent = image_open_parent(&step->present, name);
    bool is_kept_directory = step->wanted.kind == FS_IMAGE_DIRECTORY;
    if (parent < 0 || !(is_kept_directory || clear(parent, name, step->present.kind)) ||
        !make(parent, name, step, rewinding))
        rewinding->incomplete++;
}

static bool set_attribute(const char *path, struct hv_arena *arena, const struct hv_json *member)
{
    CLEANUP_BUF struct hv_buf value = {.max = ATTRIBUTES_MAX};
    return base64_decode(&value, hv_json_string(member), BASE64_STANDARD, NULL) == HV_OK &&
           lsetxattr(path, hv_arena_cstr(arena, member->key), value.data ? value.data : "", value.len, 0) == 0;
}

/* Of a file that had gone: one that only changed has kept them. */
static void restore_attributes(struct rewinding *rewinding, const struct rewind_step *step)
{
    const struct hv_json *attributes;
    if (step->act != REWIND_BRING_BACK || !step->wanted.attributes.ptr ||
        hv_json_parse(&rewinding->arena, step->wanted.attributes, HV_JSON_STRICT, &attributes, NULL) != HV_OK)
        return;
    const char *path = hv_arena_cstr(&rewinding->arena, step->path);
    hv_json_each(member, attributes) if (!set_attribute(path, &rewinding->arena, member)) rewinding->incomplete++;
}

/* Directories that come back before what is in them, those that go after it: paths are sorted. */
static void finish(struct rewinding *rewinding)
{
    const struct rewind_plan *plan = rewinding->plan;
    for (size_t i = 0; i < plan->count; i++) {
        const struct rewind_step *step = &plan->steps[i];
        if (!is_done(step))
            continue;
        if (!is_plain(step) && step->wanted.kind != FS_IMAGE_NOTHING)
            finish_step(rewinding, step);
        restore_attributes(rewinding, step);
    }
    for (size_t i = plan->count; i-- > 0;)
        if (is_done(&plan->steps[i]) && !is_plain(&plan->steps[i]) && plan->steps[i].wanted.kind == FS_IMAGE_NOTHING)
            finish_step(rewinding, &plan->steps[i]);
}

enum hv_code rewind_apply(const struct rewind_plan *plan, const struct rewind_places *places,
                          struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id,
                          size_t *incomplete, struct hv_error *err)
{
    struct rewinding rewinding = {
        .plan = plan, .places = places, .journal = journal, .timeline = timeline, .call_id = call_id};
    enum hv_code code = prepare(&rewinding, err);
    if (!code)
        code = keep(&rewinding, err);
    if (!code && rewinding.change_count)
        code = fs_change_files(rewinding.changes, rewinding.change_count, places->changes, err);
    if (!code)
        finish(&rewinding);
    if (!code)
        record_after(&rewinding);
    *incomplete = rewinding.incomplete;
    for (size_t i = 0; i < rewinding.byte_count; i++)
        hv_buf_release(&rewinding.bytes[i]);
    hv_arena_release(&rewinding.arena);
    return code;
}
