/* command_file.c: fuzz target: the body of a command (up to the first NUL) filled with arguments (the rest). Without
 * marks nothing but text comes out, and all of it. */
#include "agent/command_file.h"
#include "base/cleanup.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (size > 1 << 16)
        return 0;
    struct hv_str text = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    size_t nul = hv_str_find_byte(text, '\0', 0), count, rules;
    struct hv_str body = hv_str_slice(text, 0, nul);
    struct hv_str arguments = nul == SIZE_MAX ? HV_STR("") : hv_str_slice(text, nul + 1, text.len);
    bool plain = hv_str_find_byte(body, '$', 0) == SIZE_MAX && hv_str_find_byte(body, '@', 0) == SIZE_MAX &&
                 hv_str_find_byte(body, '!', 0) == SIZE_MAX && !hv_str_trim(arguments).len;
    const struct command_part *parts = command_split(&arena, body, arguments, &count);
    FUZZ_CHECK(count <= COMMAND_PARTS_MAX);
    if (plain)
        FUZZ_CHECK(count == (body.len > 0) && (!count || hv_str_eq(parts[0].text, body)));
    (void)command_rules(&arena, arguments, &rules);
    FUZZ_CHECK(rules <= arguments.len + 1);
    return 0;
}
