/*
 * url.c: addresses and references of any bytes. What was read and written is read again as the same; a reference is
 * resolved to something without blanks or brackets, which a link of Markdown could not hold.
 */
#include "text/url.h"

#include "base/cleanup.h"
#include "net/address_guard.h"
#include "parts.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf resolved = {.max = 4 * URL_LENGTH_MAX};
    struct hv_str text = hv_str_of((const char *)data, size), base = text, reference = text;
    struct url url, again;
    struct url_base parts;
    struct guard_answer answer;
    size_t line = hv_str_find_byte(text, '\n', 0);
    if (line != SIZE_MAX) {
        base = hv_str_slice(text, 0, line);
        reference = hv_str_slice(text, line + 1, SIZE_MAX);
    }
    if (url_parse(&arena, base, &url, NULL) == HV_OK) {
        FUZZ_CHECK(url.host.len && url.port && url.path.ptr[0] == '/');
        FUZZ_CHECK(url_parse(&arena, url.text, &again, NULL) == HV_OK);
        FUZZ_CHECK(hv_str_eq(url.text, again.text) && url_same_origin(&url, &again) && url.kind == again.kind);
    }
    url_base_init(&parts, base);
    url_resolve(&parts, reference, &resolved);
    for (size_t i = 0; i < resolved.len && reference.len; i++)
        FUZZ_CHECK((unsigned char)resolved.data[i] > ' ' || (parts.text.len && i < parts.text.len));
    const struct guard_way way = {.url = base, .redirects = &reference, .redirect_count = 1};
    guard_walk(&way, &arena, &answer);
    FUZZ_CHECK(answer.reason.len > 0);
    return 0;
}
