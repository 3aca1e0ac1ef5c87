/*
 * proxy_head.c: the request reader of the sandbox's proxy on any bytes. What it takes, it must take only whole, and
 * what it sends on must be one head with one Host that says what was judged.
 */
#include "sandbox/proxy_head.h"

#include "parts.h"

#include <string.h>

static size_t count_of(struct hv_str text, struct hv_str needle)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find(text, needle, at)) != SIZE_MAX; at++)
        count++;
    return count;
}

static void check_head(const struct proxy_request *request)
{
    struct hv_str rest = request->head, line;
    size_t hosts = 0, empty = 0;
    FUZZ_CHECK(hv_str_ends(rest, HV_STR("\r\n\r\n")));
    FUZZ_CHECK(count_of(rest, HV_STR("\r")) == count_of(rest, HV_STR("\n")));
    while (rest.len && hv_str_split(&rest, '\n', &line)) {
        line = hv_str_slice(line, 0, line.len - 1);
        empty += line.len == 0;
        hosts += hv_str_eq_nocase(hv_str_slice(line, 0, 5), HV_STR("host:"));
        FUZZ_CHECK(!hv_str_eq_nocase(hv_str_slice(line, 0, 6), HV_STR("proxy-")) ||
                   !hv_str_eq_nocase(hv_str_slice(line, 0, 20), HV_STR("proxy-authorization:")));
    }
    FUZZ_CHECK(hosts == 1 && empty == 1);
    FUZZ_CHECK(hv_str_find(request->head, request->host, 0) != SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_arena arena = {0};
    struct proxy_request request = {0}, again = {0};
    struct hv_error err;
    char *copy = malloc(size ? size : 1); /* of the exact size, so that reading on is seen */
    if (size)
        memcpy(copy, data, size);
    struct hv_str bytes = hv_str_of(copy, size);
    if (proxy_head_read(&arena, bytes, &request, &err) == HV_OK) {
        FUZZ_CHECK(request.consumed <= size && request.consumed <= PROXY_HEAD_MAX);
        FUZZ_CHECK(request.host.len > 0 && request.host.len <= PROXY_HOST_MAX && request.port - 1 < 65535);
        FUZZ_CHECK(request.connect == (request.head.len == 0));
        /* Not before its last byte, and whatever follows. */
        for (size_t cut = request.consumed > 64 ? request.consumed - 64 : 0; cut < request.consumed; cut++)
            FUZZ_CHECK(proxy_head_read(&arena, hv_str_slice(bytes, 0, cut), &again, &err) != HV_OK);
        if (!request.connect)
            check_head(&request);
    }
    hv_arena_release(&arena);
    free(copy);
    return 0;
}
