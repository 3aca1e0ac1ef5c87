/* front_matter.c: fuzz target: front matter on any bytes. A fault has a place; fields and body lie inside their bounds.
 */
#include "text/front_matter.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct front_matter matter;
    struct hv_str text = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    front_matter_read(&arena, text, &matter);
    FUZZ_CHECK(matter.count <= FRONT_MATTER_FIELDS_MAX);
    FUZZ_CHECK(!matter.fault == !matter.fault_line);
    FUZZ_CHECK(matter.body.len <= size);
    for (size_t i = 0; i < matter.count; i++) {
        FUZZ_CHECK(matter.fields[i].name.len > 0);
        FUZZ_CHECK(matter.fields[i].value.len <= 2 * size + 2);
    }
    return 0;
}
