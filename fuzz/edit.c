/*
 * edit.c: the edit core on any file: FLAG FILE 0x1e OLD 0x1e NEW. No byte outside the splices changes; a mark stays;
 * the size is as told; a failure is described in UTF-8. Encodings go to UTF-8 and back.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"
#include "text/edit_diff.h"

#include <string.h>

static void check_encoding(struct hv_str file, struct encoding encoding)
{
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 20}, back = {.max = 64 << 20}, again = {.max = 64 << 20};
    enum hv_code code = encoding_to_utf8(file, encoding, &text, NULL);
    FUZZ_CHECK(code == (encoding.kind == ENCODING_BINARY ? HV_EUNSUPPORTED : HV_OK));
    FUZZ_CHECK(utf8_valid(hv_buf_str(&text)));
    bool damaged = hv_str_find(hv_buf_str(&text), HV_STR(UTF8_REPLACEMENT), 0) != SIZE_MAX;
    if (code || damaged)
        return;
    FUZZ_CHECK(encoding_from_utf8(hv_buf_str(&text), encoding.kind, &back, NULL) == HV_OK);
    if (encoding.kind <= ENCODING_BINARY)
        FUZZ_CHECK(hv_str_eq(hv_buf_str(&back), hv_str_slice(file, encoding.mark, file.len)));
    else /* some legacy encodings have two ways to write a character: files that use both are not changed by their text
          */
        FUZZ_CHECK(encoding_to_utf8(hv_buf_str(&back), (struct encoding){.kind = encoding.kind}, &again, NULL) ==
                       HV_OK &&
                   hv_str_eq(hv_buf_str(&again), hv_buf_str(&text)));
}

static void check_edit(struct hv_str file, struct encoding encoding, const struct edit *edit, bool all)
{
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20};
    size_t from = encoding.mark, at = encoding.mark;
    bool changed = false;
    FUZZ_CHECK(edit->count && (all || edit->count == 1));
    FUZZ_CHECK(edit_apply(file, edit, &out) && out.len == edit->size_after);
    FUZZ_CHECK(hv_str_starts(hv_buf_str(&out), hv_str_slice(file, 0, encoding.mark)));
    for (size_t i = 0; i < edit->count; i++) {
        const struct edit_splice *splice = &edit->splices[i];
        FUZZ_CHECK(from <= splice->start && splice->start <= splice->end && splice->end <= file.len);
        FUZZ_CHECK(hv_str_eq(hv_str_slice(file, from, splice->start),
                             hv_str_slice(hv_buf_str(&out), at, at + splice->start - from)));
        at += splice->start - from + splice->replacement.len;
        changed |= !hv_str_eq(hv_str_slice(file, splice->start, splice->end), splice->replacement);
        from = splice->end;
    }
    FUZZ_CHECK(changed && hv_str_eq(hv_str_slice(file, from, file.len), hv_str_slice(hv_buf_str(&out), at, out.len)));
}

/* What is told of an edit without its text being put together is what the texts tell. */
static void check_parts(struct hv_arena *arena, struct hv_str file, const struct edit *edit)
{
    CLEANUP_BUF struct hv_buf whole = {.max = 64 << 20}, joined = {.max = 64 << 20};
    struct diff found, expected;
    struct pieces pieces = edit_pieces(arena, file, edit);
    FUZZ_CHECK(edit_apply(file, edit, &whole) && pieces_join(pieces, &joined));
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&joined)));
    FUZZ_CHECK(pieces_hash(pieces) == hv_str_hash(hv_buf_str(&whole)));
    edit_diff(arena, file, edit, &found);
    diff_lines(arena, file, hv_buf_str(&whole), &expected);
    FUZZ_CHECK(found.count == expected.count);
    for (size_t i = 0; i < found.count; i++)
        FUZZ_CHECK(!memcmp(&found.changes[i], &expected.changes[i], sizeof *found.changes));
}

static void check_failure(const struct edit_failure *failure)
{
    CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
    FUZZ_CHECK(failure->kind);
    edit_describe_failure(failure, &out);
    FUZZ_CHECK(out.len && !out.failed && utf8_valid(hv_buf_str(&out)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (!size)
        return 0;
    struct hv_str rest = {(const char *)data + 1, size - 1};
    struct hv_str file = fuzz_part(&arena, &rest);
    struct encoding encoding = encoding_detect(file);
    struct edit_request request = {.old_text = fuzz_part(&arena, &rest), .replace_all = data[0] & 1};
    request.new_text = fuzz_part(&arena, &rest);
    struct edit_failure failure = {0};
    struct edit edit;
    check_encoding(file, encoding);
    if (!utf8_valid(request.old_text) || !utf8_valid(request.new_text))
        return 0; /* they come out of JSON */
    if (edit_compute(&arena, file, encoding, &request, &edit, &failure) == HV_OK) {
        check_edit(file, encoding, &edit, request.replace_all);
        check_parts(&arena, file, &edit);
    } else {
        check_failure(&failure);
    }
    return 0;
}
