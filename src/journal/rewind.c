/* rewind.c: planning; see rewind.h. Doing is in rewind_apply.c. */
#include "journal/rewind.h"

#include "base/map.h"

#include <string.h>

/* ---- collecting ---------------------------------------------------------------------------------------------- */

/* One more change of the step's file. */
static void follow(struct rewind_step *step, const struct timeline_touch *touch)
{
    bool fits = fs_image_same(&step->expected, &touch->before) || fs_image_untouched(&step->expected, &touch->before);
    /* After a cut anything may have been left; that it is again as it was before shows that nothing was. */
    if (step->was_cut_off ? !fs_image_same(&step->expected, &touch->before) : !fits)
        step->was_changed_between = true;
    step->was_cut_off = !touch->is_finished;
    step->is_unsure |= touch->is_unsure;
    step->expected = touch->is_finished ? touch->after : touch->before;
}

static int by_path(const void *a, const void *b)
{
    return hv_str_compare(((const struct rewind_step *)a)->path, ((const struct rewind_step *)b)->path);
}

void rewind_collect(struct hv_arena *arena, const struct timeline *timeline, uint64_t moment, struct rewind_plan *out)
{
    struct map places = {0};
    *out = (struct rewind_plan){.steps = hv_arena_array(arena, struct rewind_step, timeline->touch_count)};
    for (size_t i = 0; i < timeline->touch_count; i++) {
        const struct timeline_touch *touch = &timeline->touches[i];
        if (touch->moment < moment)
            continue;
        struct rewind_step *step = map_get(&places, touch->before.path);
        if (step) {
            follow(step, touch);
            continue;
        }
        step = &out->steps[out->count++];
        *step = (struct rewind_step){
            .path = touch->before.path,
            .wanted = touch->before,
            .expected = touch->is_finished ? touch->after : touch->before,
            .was_cut_off = !touch->is_finished,
            .is_unsure = touch->is_unsure,
        };
        map_set(&places, step->path, step);
    }
    map_release(&places);
    if (out->count)
        qsort(out->steps, out->count, sizeof *out->steps, by_path);
    rewind_collect_folders(arena, timeline, moment, out);
}

bool rewind_is_done(const struct rewind_step *step)
{
    return step->act != REWIND_NOTHING && step->act != REWIND_IMPOSSIBLE;
}

/* ---- judging ------------------------------------------------------------------------------------------------- */

/* Why the step cannot be done at all, or absent. */
static struct hv_str obstacle(struct hv_arena *arena, const struct rewind_step *step)
{
    const struct fs_image *wanted = &step->wanted, *present = &step->present;
    if (step->barred.len)
        return step->barred;
    if (fs_image_is_of_git(step->path))
        return HV_STR("it belongs to git, which is left alone");
    if (wanted->kind == FS_IMAGE_OTHER)
        return HV_STR("it was neither a file nor a link");
    if (present->kind == FS_IMAGE_OTHER)
        return HV_STR("what stands there now is no file, or its directory is a link now");
    if (step->is_occupied && wanted->kind != FS_IMAGE_NOTHING)
        return HV_STR("a directory stands there now, with other files in it");
    if (step->lost.len)
        return step->lost;
    if (wanted->kind == FS_IMAGE_FILE && !wanted->hash.len && !fs_image_unwritten(wanted, present))
        return wanted->unsaved.len ? hv_arena_format(arena, "no earlier copy: %.*s", HV_STR_ARG(wanted->unsaved))
                                   : HV_STR("no earlier copy was kept");
    return (struct hv_str){0};
}

static enum rewind_doubt doubt_of(const struct rewind_step *step)
{
    if (!fs_image_same(&step->present, &step->expected))
        return step->was_cut_off ? REWIND_CUT_OFF : REWIND_CHANGED_SINCE;
    if (step->was_changed_between)
        return REWIND_CHANGED_BETWEEN;
    return step->is_unsure ? REWIND_UNSURE : REWIND_CERTAIN;
}

static enum rewind_act act_of(const struct rewind_step *step)
{
    if (step->wanted.kind == FS_IMAGE_NOTHING)
        return REWIND_REMOVE;
    return step->present.kind == FS_IMAGE_NOTHING ? REWIND_BRING_BACK : REWIND_RESTORE;
}

static void judge(struct hv_arena *arena, struct rewind_step *step)
{
    step->act = REWIND_NOTHING;
    step->doubt = REWIND_CERTAIN;
    step->why = (struct hv_str){0};
    if (fs_image_same(&step->wanted, &step->present))
        return;
    step->why = obstacle(arena, step);
    step->act = step->why.len ? REWIND_IMPOSSIBLE : act_of(step);
    if (step->act != REWIND_IMPOSSIBLE)
        step->doubt = doubt_of(step);
}

void rewind_judge(struct hv_arena *arena, struct rewind_plan *plan)
{
    plan->changes = plan->doubtful = plan->impossible = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct rewind_step *step = &plan->steps[i];
        judge(arena, step);
        plan->impossible += step->act == REWIND_IMPOSSIBLE;
        plan->changes += rewind_is_done(step);
        plan->doubtful += step->doubt != REWIND_CERTAIN;
    }
}
