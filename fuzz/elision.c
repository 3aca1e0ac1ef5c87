/* elision.c: lines that stand for text left out: NEW 0x1e OLD. What is found is a line of the new text, is none of the
 * old one's, and is found alone as well; a text says nothing against itself. */
#include "text/elision.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_str parts[2] = {0}, rest = hv_str_of((const char *)data, size);
    struct elision found, alone;
    for (size_t i = 0; i < 2 && hv_str_split(&rest, 0x1e, &parts[i]); i++)
        ;
    for (unsigned flags = 0; flags <= ELISION_PROSE; flags++) {
        FUZZ_CHECK(!elision_find(parts[0], parts[0], flags, &found));
        if (!elision_find(parts[0], parts[1], flags, &found))
            continue;
        FUZZ_CHECK(found.line > 0 && found.text.len > 0);
        FUZZ_CHECK(hv_str_find(parts[0], found.text, 0) != SIZE_MAX);
        FUZZ_CHECK(elision_find(found.text, HV_STR(""), flags, &alone) && alone.line == 1);
    }
    return 0;
}
