/* hook_answer.c: what a hook printed. Answers are objects that stand in the output, in its order, and do not overlap.
 */
#include "parts.h"

#include "base/cleanup.h"
#include "runtime/hook_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hook_answers answers;
    struct hv_str output = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    const char *end = output.ptr;
    hook_find_answers(&arena, output, &answers);
    FUZZ_CHECK(answers.count <= HOOK_ANSWERS_MAX);
    FUZZ_CHECK(!answers.alone || (answers.count == 1 && !answers.unreadable));
    for (size_t i = 0; i < answers.count; i++) {
        struct hv_str json = answers.items[i].json;
        FUZZ_CHECK(json.ptr >= end && json.ptr + json.len <= output.ptr + output.len);
        FUZZ_CHECK(answers.items[i].object->type == HV_JSON_OBJECT && json.ptr[0] == '{');
        end = json.ptr + json.len;
    }
    return 0;
}
