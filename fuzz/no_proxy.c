/*
 * no_proxy.c: a host, a line break, a list. Nothing is read beyond either; an entry more never takes an exemption back,
 * and the letters' case changes nothing.
 */
#include "net/no_proxy.h"

#include "base/cleanup.h"
#include "parts.h"

#include <helve/helve.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_BUF struct hv_buf more = {.max = size + 16}, upper = {.max = size + 1};
    struct hv_str text = hv_str_of((const char *)data, size);
    size_t line = hv_str_find_byte(text, '\n', 0);
    struct hv_str host = hv_str_slice(text, 0, line), list = {0};
    if (line != SIZE_MAX)
        list = hv_str_slice(text, line + 1, SIZE_MAX);
    bool exempt = no_proxy_exempts(list, host, 8080);
    hv_buf_addf(&more, "a.test,");
    hv_buf_add_str(&more, list);
    FUZZ_CHECK(!exempt || no_proxy_exempts(hv_buf_str(&more), host, 8080));
    for (size_t i = 0; i < list.len; i++) {
        char byte = list.ptr[i] >= 'a' && list.ptr[i] <= 'z' ? (char)(list.ptr[i] - 32) : list.ptr[i];
        hv_buf_add(&upper, &byte, 1);
    }
    FUZZ_CHECK(no_proxy_exempts(hv_buf_str(&upper), host, 8080) == exempt);
    return 0;
}
