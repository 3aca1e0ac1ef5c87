/* rewind_look.c: what stands where a plan wants something else, and whether its copies are whole; see rewind.h. */
#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"
#include "fs/host_files.h"
#include "fs/image_store.h"
#include "journal/rewind.h"

#include <errno.h>

enum { ENTRIES_MAX = 100000 };

static struct hv_str unseen(struct hv_arena *arena, const struct rewind_step *step, int reason)
{
    struct hv_error err;
    hv_fail_errno(&err, reason, "%.*s cannot be looked at", HV_STR_ARG(step->path));
    return hv_arena_str(arena, hv_str_from(err.message));
}

static void look_at_present(struct hv_arena *arena, struct rewind_step *step)
{
    step->present = (struct fs_image){.path = step->path};
    int reason = fs_image_look(&step->present, arena);
    if (!reason && step->present.kind == FS_IMAGE_FILE && !fs_image_sum(&step->present, arena)) {
        step->present.hash = (struct hv_str){0};
        reason = errno;
    }
    if (reason)
        step->barred = unseen(arena, step, reason);
}

/* A copy that is needed is read once now: what is damaged is to be known before anything is done. */
static void look_at_copy(struct hv_arena *arena, struct hv_str store, struct rewind_step *step)
{
    struct hv_error err;
    const struct fs_image *wanted = &step->wanted;
    bool is_needed =
        wanted->kind == FS_IMAGE_FILE && wanted->hash.len && !fs_image_same_content(wanted, &step->present);
    if (is_needed && fs_image_store_check(store, wanted, &err) != HV_OK)
        step->lost = hv_arena_str(arena, hv_str_from(err.message));
}

/* Something is in the directory that does not go with the plan. */
static bool holds_others(const struct map *going, struct hv_str directory)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more = false;
    if (fs_host_list(NULL, &arena, directory, ENTRIES_MAX, &entries, &count, &more, NULL) != HV_OK || more)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!map_get(going, hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(directory), HV_STR_ARG(entries[i].name))))
            return true;
    return false;
}

void rewind_look(struct hv_arena *arena, struct hv_str store, struct rewind_plan *plan)
{
    struct map going = {0};
    for (size_t i = 0; i < plan->count; i++) {
        look_at_present(arena, &plan->steps[i]);
        look_at_copy(arena, store, &plan->steps[i]);
        if (plan->steps[i].wanted.kind == FS_IMAGE_NOTHING)
            map_set(&going, plan->steps[i].path, plan);
    }
    for (size_t i = 0; i < plan->count; i++) {
        struct rewind_step *step = &plan->steps[i];
        if (step->present.kind == FS_IMAGE_DIRECTORY && step->wanted.kind != FS_IMAGE_DIRECTORY)
            step->is_occupied = holds_others(&going, step->path);
    }
    map_release(&going);
}
