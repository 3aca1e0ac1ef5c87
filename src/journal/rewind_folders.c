/*
 * rewind_folders.c: which directories get back the times that they had; see rewind.h. Whatever changes the entries of a
 * directory changes its time: where each change of the session began at the time that the one before had left, nobody
 * else was there. What a command did that was only watched tells no times, and so keeps the folder as it is.
 */
#include "base/map.h"
#include "base/path.h"
#include "journal/rewind.h"

/* A folder while the changes in it are followed. */
struct chain {
    struct rewind_folder folder;
    struct hv_str call_id; /* of the last call: what it changed is one change of the folder */
    int64_t before_ns, after_ns;
    bool is_broken;
};

static void follow(struct chain *chain, const struct timeline_touch *touch)
{
    int64_t before = touch->before.folder_ns, after = touch->is_finished ? touch->after.folder_ns : 0;
    bool is_first = !chain->folder.wanted_ns, is_same_call = !is_first && hv_str_eq(chain->call_id, touch->call_id);
    if (is_first)
        chain->folder.wanted_ns = before;
    chain->is_broken |= !before || !after || touch->is_unsure ||
                        (is_same_call ? before != chain->before_ns || after != chain->after_ns
                                      : !is_first && before != chain->after_ns);
    chain->call_id = touch->call_id;
    chain->before_ns = before;
    chain->after_ns = chain->folder.expected_ns = after;
}

/* What is a step itself has its time from its image. */
static bool is_step(const struct map *steps, struct hv_str path)
{
    return map_get(steps, path) != NULL;
}

void rewind_collect_folders(struct hv_arena *arena, const struct timeline *timeline, uint64_t moment,
                            struct rewind_plan *plan)
{
    struct map known = {0}, steps = {0};
    size_t count = 0;
    struct chain *chains = hv_arena_array(arena, struct chain, plan->count + 1);
    for (size_t i = 0; i < plan->count; i++)
        map_set(&steps, plan->steps[i].path, &plan->steps[i]);
    for (size_t i = 0; i < timeline->touch_count; i++) {
        const struct timeline_touch *touch = &timeline->touches[i];
        struct hv_str path = path_parent(touch->before.path);
        if (touch->moment < moment || is_step(&steps, path))
            continue;
        struct chain *chain = map_get(&known, path);
        if (!chain) {
            chain = &chains[count++];
            chain->folder.path = path;
            map_set(&known, path, chain);
        }
        follow(chain, touch);
    }
    plan->folders = hv_arena_array(arena, struct rewind_folder, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!chains[i].is_broken)
            plan->folders[plan->folder_count++] = chains[i].folder;
    map_release(&known);
    map_release(&steps);
}

/* What the steps in a folder came to. */
struct outcome {
    const struct rewind_folder *folder;
    bool is_due, is_barred;
};

static void note(struct outcome *outcome, const struct rewind_step *step, const struct fs_image *kept)
{
    outcome->is_due |= kept != NULL;
    outcome->is_barred |= step->act == REWIND_IMPOSSIBLE || step->is_occupied ||
                          (kept && kept->folder_ns != outcome->folder->expected_ns);
}

void rewind_give_times(const struct rewind_plan *plan, const struct fs_image *kept)
{
    struct hv_arena arena = {0};
    struct map known = {0};
    struct outcome *outcomes = hv_arena_array(&arena, struct outcome, plan->folder_count + 1);
    for (size_t i = 0; i < plan->folder_count; i++) {
        outcomes[i].folder = &plan->folders[i];
        map_set(&known, plan->folders[i].path, &outcomes[i]);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct rewind_step *step = &plan->steps[i];
        const struct fs_image *image = rewind_is_done(step) ? kept++ : NULL;
        struct outcome *outcome = map_get(&known, path_parent(step->path));
        if (outcome)
            note(outcome, step, image);
    }
    for (size_t i = 0; i < plan->folder_count; i++) {
        const struct rewind_folder *folder = outcomes[i].folder;
        if (outcomes[i].is_due && !outcomes[i].is_barred)
            fs_image_give_time(&(struct fs_image){.path = folder->path, .mtime_ns = folder->wanted_ns});
    }
    map_release(&known);
    hv_arena_release(&arena);
}
