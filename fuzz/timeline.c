/*
 * timeline.c: fuzzes what rewinding reads of a journal. Any bytes give a timeline; its plans never touch a path that is
 * not absolute and tidy, never restore what belongs to git or has no copy, and have nothing to do where all is as it
 * was.
 */
#include "base/cleanup.h"
#include "journal/rewind.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

enum { PROMPTS_MAX = 20 };

static void check_step(const struct rewind_step *step)
{
    CHECK(step->path.len > 1 && step->path.ptr[0] == '/' && hv_str_find(step->path, HV_STR("/../"), 0) == SIZE_MAX);
    CHECK((step->act == REWIND_IMPOSSIBLE) == (step->why.len > 0));
    if (step->act == REWIND_NOTHING || step->act == REWIND_IMPOSSIBLE)
        return;
    CHECK(hv_str_find(step->path, HV_STR("/.git/"), 0) == SIZE_MAX);
    CHECK(step->wanted.kind != FS_IMAGE_FILE || step->wanted.hash.len == 64 ||
          fs_image_unwritten(&step->wanted, &step->present));
}

static void check_plan(const struct timeline *timeline, uint64_t moment)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct rewind_plan plan;
    rewind_collect(&arena, timeline, moment, &plan);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < plan.count; i++)
            plan.steps[i].present = round == 0   ? plan.steps[i].expected
                                    : round == 1 ? plan.steps[i].wanted
                                                 : (struct fs_image){.path = plan.steps[i].path};
        rewind_judge(&arena, &plan);
        for (size_t i = 0; i < plan.count; i++)
            check_step(&plan.steps[i]);
        for (size_t i = 0; round == 1 && i < plan.count; i++)
            CHECK(plan.steps[i].wanted.kind == FS_IMAGE_OTHER || plan.steps[i].act == REWIND_NOTHING);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct timeline timeline;
    struct journal_reader *reader = journal_reader_from_memory(hv_str_of((const char *)data, size));
    enum hv_code code = timeline_collect(&arena, reader, &timeline, NULL);
    journal_reader_close(reader);
    if (code != HV_OK)
        return 0;
    check_plan(&timeline, 0);
    for (size_t i = 0; i < timeline.prompt_count && i < PROMPTS_MAX; i++)
        check_plan(&timeline, timeline.prompts[i].moment);
    for (size_t i = 0; i < timeline.rewind_count; i++)
        CHECK(timeline.rewinds[i].undoes <= i && timeline.rewinds[i].to <= timeline.prompt_count);
    return 0;
}
