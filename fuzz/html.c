/* html.c: pages and XML of any bytes: always Markdown or an error, in valid UTF-8, and within bounds. */
#include "html/convert.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"
#include "text/label.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = HTML_OUTPUT_MAX}, out = {.max = HTML_OUTPUT_MAX},
                              more = {.max = HTML_OUTPUT_MAX};
    struct html_page page;
    struct hv_error err;
    if (!size)
        return 0;
    struct hv_str bytes = hv_str_of((const char *)data + 1, size - 1);
    const struct html_options options = {.base_url = HV_STR("https://example.org/a/b?c"), .raw = data[0] & 1};
    if (encoding_to_utf8(bytes, label_sniff(bytes, HV_STR("")), &text, &err) != HV_OK)
        return 0;
    if (html_to_markdown(hv_buf_str(&text), &options, &arena, &out, &page, &err) == HV_OK)
        FUZZ_CHECK(utf8_valid(hv_buf_str(&out)) || !utf8_valid(hv_buf_str(&text)));
    if (xml_to_markdown(bytes, &options, &arena, &more, &page, &err) != HV_OK)
        FUZZ_CHECK(more.len == 0);
    return 0;
}
