/* encoding.c: fuzz target: whatever encoding bytes are taken for, they decode to valid UTF-8, and what comes back the
 * same can be edited by way of it. */
#include "text/encoding.h"
#include "base/cleanup.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_str bytes = hv_str_of((const char *)data, size);
    struct encoding encoding = encoding_detect(bytes);
    CLEANUP_BUF struct hv_buf text, again;
    hv_buf_init(&text, size * 4 + 16);
    hv_buf_init(&again, size * 8 + 64);
    if (encoding.mark > size || encoding.confidence > 100 || encoding_detect_head(bytes).mark != encoding.mark)
        abort();
    if (encoding_to_utf8(bytes, encoding, &text, NULL) != HV_OK)
        return encoding.kind == ENCODING_BINARY ? 0 : (abort(), 0);
    if (!utf8_valid(hv_buf_str(&text)))
        abort();
    if (encoding.kind != ENCODING_8BIT && encoding.kind != ENCODING_UTF8)
        (void)!encoding_from_utf8(hv_buf_str(&text), encoding.kind, &again, NULL);
    return 0;
}
