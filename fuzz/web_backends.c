/* web_backends.c: what backends of searches answer, of any bytes: hits with an address, or an error. */
#include "tools/web_backends.h"

#include "base/cleanup.h"
#include "parts.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"searxng", "brave", "provider"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct web_hit *hits;
        struct hv_error err;
        size_t count;
        const struct web_backend *backend = web_backend_find(hv_str_from(names[i]));
        if (web_backend_read(backend, hv_str_of((const char *)data, size), 10, &arena, &hits, &count, &err) != HV_OK)
            continue;
        FUZZ_CHECK(count <= 10);
        for (size_t hit = 0; hit < count; hit++)
            FUZZ_CHECK(hits[hit].url.len > 0);
    }
    return 0;
}
