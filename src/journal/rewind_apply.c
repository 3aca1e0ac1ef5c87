/* rewind_apply.c: doing what a plan says; see rewind.h. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map.h"
#include "fs/image_store.h"
#include "fs/restore.h"
#include "journal/rewind.h"

#include <errno.h>
#include <string.h>

/* What an event is given, and the most that it takes with one more image of the largest kind. */
enum { PART_BYTES = 2 << 20, EVENT_MAX = 32 << 20 };

/* One rewind under way. */
struct rewinding {
    const struct rewind_plan *plan;
    const struct rewind_places *places;
    struct journal_writer *journal;
    const struct timeline *timeline;
    struct hv_str call_id;
    struct hv_arena arena;
};

/* The bytes that stand there stay: nothing of them need be kept. */
static bool keeps_bytes(const struct rewind_step *step)
{
    return step->wanted.kind == FS_IMAGE_FILE && step->present.kind == FS_IMAGE_FILE &&
           (fs_image_same_content(&step->wanted, &step->present) ||
            (!step->wanted.hash.len && fs_image_unwritten(&step->wanted, &step->present)));
}

/* ---- the journal --------------------------------------------------------------------------------------------- */

/* As many of the images as go into one event; returns how many. */
static size_t emit_part(struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id,
                        const char *phase, const struct fs_image *images, size_t count)
{
    CLEANUP_BUF struct hv_buf data = {.max = EVENT_MAX};
    struct hv_json_writer writer;
    size_t done = 0;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, phase);
    hv_json_begin_array(&writer);
    while (done < count && data.len < PART_BYTES)
        fs_image_write(&writer, &images[done++]);
    hv_json_end_array(&writer);
    if (done < count)
        hv_json_member_bool(&writer, "more", true);
    hv_json_end_object(&writer);
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                              .time_ns = timeline->time_ns,
                                              .wall_ms = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND,
                                              .name = hv_str_from(phase),
                                              .call_id = call_id,
                                              .data = hv_buf_str(&data)});
    return done;
}

/* The events of one phase: images without end go into several. */
static void emit(struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id,
                 const char *phase, const struct fs_image *images, size_t count)
{
    size_t done = 0;
    do
        done += emit_part(journal, timeline, call_id, phase, images + done, count - done);
    while (done < count);
}

/* What stands at the path of `likely`: that, as far as anybody can tell, where it cannot be looked at. */
static struct fs_image look_now(struct hv_arena *arena, const struct fs_image *likely)
{
    struct fs_image image = {.path = likely->path}, unseen = *likely;
    int reason = fs_image_look(&image, arena);
    if (!reason && image.kind == FS_IMAGE_FILE && !fs_image_sum(&image, arena)) {
        image.hash = (struct hv_str){0};
        reason = errno;
    }
    unseen.inode = 0;
    unseen.ctime_ns = 0;
    return reason ? unseen : image;
}

/* Another name of the file: in its directory, or one that the journal knows of. */
static void find_twin(struct rewinding *rewinding, struct fs_image *image)
{
    const struct timeline *timeline = rewinding->timeline;
    fs_image_find_twin(image, &rewinding->arena);
    for (size_t i = 0; i < timeline->touch_count && image->links > 1 && !image->twin.len; i++) {
        const struct fs_image *before = &timeline->touches[i].before;
        struct fs_image other = {.path = before->twin};
        if (!before->twin.len || !hv_str_eq(before->path, image->path))
            continue;
        fs_image_look(&other, &rewinding->arena);
        if (other.kind == FS_IMAGE_FILE && other.inode == image->inode && other.device == image->device)
            image->twin = before->twin;
    }
}

static enum hv_code keep_step(struct rewinding *rewinding, struct fs_image_store *store, const struct rewind_step *step,
                              struct fs_image *image, struct hv_error *err)
{
    image->path = step->path;
    if (keeps_bytes(step)) {
        fs_image_look(image, &rewinding->arena);
        image->hash = step->present.hash;
    } else {
        fs_image_store_keep(store, image, &rewinding->arena);
    }
    find_twin(rewinding, image);
    bool is_same = fs_image_untouched(image, &step->present) || fs_image_same(image, &step->present);
    if (!is_same)
        return hv_fail(err, HV_ECONFLICT, "%.*s changed a moment ago", HV_STR_ARG(image->path));
    if (image->unsaved.ptr)
        return hv_fail(err, HV_EIO, "%.*s cannot be kept for an undo: %.*s", HV_STR_ARG(image->path),
                       HV_STR_ARG(image->unsaved));
    return HV_OK;
}

/* Keep what is about to be replaced. Where that fails the rewind could not be undone: then it is not begun. */
static enum hv_code keep(struct rewinding *rewinding, struct fs_image *images, size_t *count, struct hv_error *err)
{
    const struct rewind_plan *plan = rewinding->plan;
    struct fs_image_store store;
    enum hv_code code = fs_image_store_open(&store, rewinding->places->store, rewinding->places->file_max,
                                            rewinding->places->size_max, err);
    for (size_t i = 0; i < plan->count && !code; i++)
        if (rewind_is_done(&plan->steps[i]))
            code = keep_step(rewinding, &store, &plan->steps[i], &images[(*count)++], err);
    if (!code)
        code = fs_image_store_sync(&store, err);
    if (!code) {
        emit(rewinding->journal, rewinding->timeline, rewinding->call_id, "before", images, *count);
        code = journal_writer_check(rewinding->journal, err);
    }
    fs_image_store_release(&store);
    return code;
}

/* ---- names of one file ------------------------------------------------------------------------------------------ */

static struct hv_str key_of(struct hv_arena *arena, const struct fs_image *image)
{
    return hv_arena_format(arena, "%llx:%llx", (unsigned long long)image->device, (unsigned long long)image->inode);
}

static bool has_twins(const struct rewind_step *step)
{
    return step->wanted.kind == FS_IMAGE_FILE && step->wanted.links > 1 && step->wanted.inode;
}

/* The name that a step's file is to share its bytes with: the first of those in the plan, or one that still is that
 * file. */
static struct hv_str twin_of(struct rewinding *rewinding, const struct map *firsts, const struct rewind_step *step)
{
    if (!has_twins(step))
        return (struct hv_str){0};
    const struct rewind_step *first = map_get(firsts, key_of(&rewinding->arena, &step->wanted));
    if (first != step)
        return first->path;
    struct fs_image twin = {.path = step->wanted.twin};
    if (!twin.path.len)
        return (struct hv_str){0};
    fs_image_look(&twin, &rewinding->arena);
    bool is_still = twin.inode == step->wanted.inode && twin.device == step->wanted.device;
    return is_still ? twin.path : (struct hv_str){0};
}

static size_t list_steps(struct rewinding *rewinding, const struct fs_image *present, struct fs_restore_step *out)
{
    const struct rewind_plan *plan = rewinding->plan;
    struct map firsts = {0};
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct rewind_step *step = &plan->steps[i];
        struct hv_str key = key_of(&rewinding->arena, &step->wanted);
        if (has_twins(step) && step->act != REWIND_IMPOSSIBLE && !map_get(&firsts, key))
            map_set(&firsts, key, (void *)(uintptr_t)step);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct rewind_step *step = &plan->steps[i];
        if (!rewind_is_done(step))
            continue;
        out[count] = (struct fs_restore_step){&step->wanted, &present[count], twin_of(rewinding, &firsts, step)};
        count++;
    }
    map_release(&firsts);
    return count;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static void record_after(struct rewinding *rewinding, struct fs_image *images, const struct fs_restore_step *steps,
                         size_t count, bool is_done)
{
    for (size_t i = 0; i < count; i++)
        images[i] = look_now(&rewinding->arena, is_done ? steps[i].wanted : &images[i]);
    emit(rewinding->journal, rewinding->timeline, rewinding->call_id, "after", images, count);
}

enum hv_code rewind_apply(const struct rewind_plan *plan, const struct rewind_places *places,
                          struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id,
                          size_t *incomplete, struct hv_error *err)
{
    struct rewinding rewinding = {
        .plan = plan, .places = places, .journal = journal, .timeline = timeline, .call_id = call_id};
    struct fs_image *images = hv_arena_array(&rewinding.arena, struct fs_image, plan->count + 1);
    struct fs_restore_step *steps = hv_arena_array(&rewinding.arena, struct fs_restore_step, plan->count + 1);
    size_t count = 0;
    *incomplete = 0;
    enum hv_code code = keep(&rewinding, images, &count, err);
    if (code) {
        hv_error_prefix(err, "nothing was changed: ");
    } else {
        count = list_steps(&rewinding, images, steps);
        code = fs_restore(steps, count, places->store, places->changes, incomplete, err);
        if (!code)
            rewind_give_times(plan, images);
        record_after(&rewinding, images, steps, count, !code);
    }
    hv_arena_release(&rewinding.arena);
    return code;
}

void rewind_close_attempt(struct journal_writer *journal, const struct timeline *timeline, struct hv_str call_id)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image *images = hv_arena_array(&arena, struct fs_image, timeline->touch_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < timeline->touch_count; i++) {
        const struct timeline_touch *touch = &timeline->touches[i];
        if (!touch->is_finished && hv_str_eq(touch->call_id, call_id))
            images[count++] = look_now(&arena, &touch->before);
    }
    if (count)
        emit(journal, timeline, call_id, "after", images, count);
}
