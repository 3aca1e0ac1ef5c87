/*
 * diff.c: the line differ on any two texts: OPTIONS OLD 0x1e NEW. The changes, done to the old text, give the new one;
 * they ascend and never touch.
 */
#include "text/diff.h"
#include "base/cleanup.h"
#include "parts.h"
#include "text/lines.h"

static void take_lines(struct hv_str *rest, size_t count, struct hv_buf *out)
{
    struct hv_str line;
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(lines_next(rest, &line));
        if (out)
            hv_buf_add_str(out, line);
    }
}

static void check_changes(struct hv_str old_text, struct hv_str new_text, const struct diff *diff)
{
    CLEANUP_BUF struct hv_buf rebuilt = {.max = 64 << 20};
    struct hv_str old_rest = old_text, new_rest = new_text;
    size_t old_at = 0, new_at = 0, removed = 0, added = 0;
    for (size_t i = 0; i < diff->count; i++) {
        struct diff_change change = diff->changes[i];
        FUZZ_CHECK(change.old_count + change.new_count && change.old_start >= old_at + (i > 0));
        size_t equal = change.old_start - old_at;
        FUZZ_CHECK(change.new_start == new_at + equal);
        take_lines(&old_rest, equal, &rebuilt);
        take_lines(&new_rest, equal, NULL);
        take_lines(&old_rest, change.old_count, NULL);
        take_lines(&new_rest, change.new_count, &rebuilt);
        old_at = change.old_start + change.old_count;
        new_at = change.new_start + change.new_count;
        removed += change.old_count;
        added += change.new_count;
    }
    hv_buf_add_str(&rebuilt, old_rest);
    FUZZ_CHECK(removed == diff->removed && added == diff->added);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&rebuilt), new_text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20};
    if (!size)
        return 0;
    struct hv_str rest = {(const char *)data + 1, size - 1};
    struct hv_str old_text = fuzz_part(&arena, &rest), new_text = fuzz_part(&arena, &rest);
    struct diff diff;
    diff_lines(&arena, old_text, new_text, &diff);
    check_changes(old_text, new_text, &diff);
    struct diff_options options = {.context = data[0] & 7, .max_lines = data[0] >> 3};
    struct diff_result result;
    diff_unified(old_text, new_text, &options, &out, &result);
    FUZZ_CHECK(result.removed == diff.removed && result.added == diff.added);
    FUZZ_CHECK((out.len == 0) == hv_str_eq(old_text, new_text) && (result.hunks > 0) == (diff.count > 0));
    return 0;
}
