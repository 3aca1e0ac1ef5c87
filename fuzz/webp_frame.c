/* webp_frame.c: the first picture of an animated WebP: what is told of it lies in the file and on the canvas. */
#include "media/webp_frame.h"
#include "base/cleanup.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str bytes = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    struct webp_frame frame = {0};
    if (!webp_first_frame((const unsigned char *)bytes.ptr, bytes.len, &frame))
        return 0;
    FUZZ_CHECK(frame.len && frame.at < size && frame.len <= size - frame.at);
    FUZZ_CHECK(frame.width && (uint64_t)frame.x + frame.width <= frame.canvas_width);
    FUZZ_CHECK(frame.height && (uint64_t)frame.y + frame.height <= frame.canvas_height);
    struct webp_frame again = {0};
    FUZZ_CHECK(webp_first_frame((const unsigned char *)bytes.ptr, frame.at + frame.len, &again));
    FUZZ_CHECK(again.at == frame.at && again.len == frame.len);
    return 0;
}
