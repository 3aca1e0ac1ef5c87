/* image_head.c: the head of an image: what is told of it holds, and a file cut short is never larger than it was. */
#include "text/image_head.h"
#include "base/cleanup.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str bytes = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    struct image_head head = {0};
    struct hv_error err = {0};
    enum hv_code code = image_head_read(bytes, &head, &err);
    if (code) {
        FUZZ_CHECK(!head.format && err.message[0]);
        FUZZ_CHECK(code == HV_EINVAL || code == HV_EUNSUPPORTED);
        FUZZ_CHECK((code == HV_EUNSUPPORTED) == (image_format_of(bytes) == IMAGE_NONE));
        return 0;
    }
    uint32_t width, height;
    FUZZ_CHECK(head.format == image_format_of(bytes) && head.width && head.height);
    FUZZ_CHECK(head.orientation >= 1 && head.orientation <= 8);
    image_fit(head.width, head.height, 1568, &width, &height);
    FUZZ_CHECK(width >= 1 && width <= 1568 && height >= 1 && height <= 1568);
    struct image_head again;
    if (image_head_read(hv_str_slice(bytes, 0, size - 1), &again, NULL) == HV_OK)
        FUZZ_CHECK(again.format == head.format && again.width == head.width && again.height == head.height);
    return 0;
}
