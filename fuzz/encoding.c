/* encoding.c: fuzz target: whatever encoding bytes are taken for, they decode to valid UTF-8, which goes through the
 * encoding and back unchanged; and lines that are found in the bytes are those of the text. */
#include "text/encoding.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/line_units.h"
#include "text/lines.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text that came out of an encoding goes into it again, perhaps as other bytes, which mean the same text. */
static void check_way_back(struct hv_str text, enum encoding_kind kind)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = 64 << 20}, again = {.max = 64 << 20};
    struct encoding plain = {.kind = kind};
    bool damaged = hv_str_find(text, HV_STR(UTF8_REPLACEMENT), 0) != SIZE_MAX;
    if (encoding_from_utf8(text, kind, &bytes, NULL) != HV_OK) {
        if (!damaged) /* the sign for what could not be decoded need not exist there */
            abort();
        return;
    }
    if (encoding_to_utf8(hv_buf_str(&bytes), plain, &again, NULL) != HV_OK || !hv_str_eq(hv_buf_str(&again), text))
        abort();
}

static void check_lines(struct hv_str bytes, struct hv_str text, struct encoding encoding)
{
    struct line_unit unit = line_unit_of(encoding.kind);
    bytes = hv_str_slice(bytes, encoding.mark, bytes.len);
    size_t count = line_units_count(bytes, unit), last = line_units_after_last(bytes, unit);
    if (unit.size > 1 && count != lines_newlines(text))
        abort();
    if (line_units_after(bytes, count, unit) != (count ? last : 0) ||
        line_units_after(bytes, count + 1, unit) != SIZE_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_str bytes = hv_str_of((const char *)data, size);
    struct encoding encoding = encoding_detect(bytes);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, size * 4 + 16);
    if (encoding.mark > size || encoding.confidence > 100 || encoding_detect_head(bytes).mark != encoding.mark)
        abort();
    if (encoding_to_utf8(bytes, encoding, &text, NULL) != HV_OK)
        return encoding.kind == ENCODING_BINARY ? 0 : (abort(), 0);
    if (!utf8_valid(hv_buf_str(&text)))
        abort();
    check_way_back(hv_buf_str(&text), encoding.kind);
    check_lines(bytes, hv_buf_str(&text), encoding);
    return 0;
}
