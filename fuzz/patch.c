/* patch.c: fuzz target: a patch (up to the first NUL) over a file (the rest). What it says it changes, it changes; the
 * splices are in order and inside the file. */
#include "text/patch.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_file(struct hv_arena *arena, const struct patch_file *update, struct hv_str file)
{
    struct edit edit;
    struct patch_failure failure;
    bool by_blanks;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, EDIT_SIZE_MAX);
    if (patch_compute(arena, file, update, &edit, &by_blanks, &failure) != HV_OK) {
        if (failure.hunk >= update->hunk_count)
            abort();
        return;
    }
    size_t at = 0;
    for (size_t i = 0; i < edit.count; i++) {
        if (edit.splices[i].start < at || edit.splices[i].end < edit.splices[i].start || edit.splices[i].end > file.len)
            abort();
        at = edit.splices[i].end;
    }
    if (!edit_apply(file, &edit, &out) || out.len != edit.size_after)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    struct hv_str text = hv_str_of((const char *)data, len);
    struct hv_str file = nul ? hv_str_of((const char *)nul + 1, size - len - 1) : HV_STR("");
    struct patch patch;
    struct hv_error err;
    if (patch_parse(&arena, text, &patch, &err) != HV_OK) {
        if (!err.message[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < patch.count; i++)
        if (patch.files[i].kind == PATCH_UPDATE)
            check_file(&arena, &patch.files[i], file);
    return 0;
}
