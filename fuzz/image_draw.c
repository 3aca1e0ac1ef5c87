/*
 * image_draw.c: what a helper for images could answer: what passes as cells holds no sequence but colours and keeps its
 * size, what passes as sixels is one sequence. The first byte chooses the kind.
 */
#include "media/image_draw.h"

#include "parts.h"

static void check_cells(struct hv_str bytes, unsigned rows)
{
    unsigned lines = 1;
    for (size_t at = 0; at < bytes.len; at++) {
        unsigned char byte = (unsigned char)bytes.ptr[at];
        lines += byte == '\n';
        FUZZ_CHECK(byte >= ' ' || byte == '\n' || byte == '\033');
        if (byte != '\033')
            continue;
        FUZZ_CHECK(at + 1 < bytes.len && bytes.ptr[at + 1] == '[');
        for (at += 2; at < bytes.len && bytes.ptr[at] != 'm'; at++)
            FUZZ_CHECK((bytes.ptr[at] >= '0' && bytes.ptr[at] <= '9') || bytes.ptr[at] == ';');
        FUZZ_CHECK(at < bytes.len);
    }
    FUZZ_CHECK(lines <= rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct hv_str bytes = hv_str_of((const char *)data + 1, size - 1);
    const struct image_drawing drawing = {.kind = (enum image_draw_kind)(data[0] % 4), .columns = 4, .rows = 3};
    if (!image_draw_is_harmless(&drawing, bytes))
        return 0;
    if (drawing.kind == IMAGE_DRAW_SIXELS)
        FUZZ_CHECK(hv_str_find_byte(bytes, '\033', 1) == bytes.len - 2);
    else if (drawing.kind != IMAGE_DRAW_PNG)
        check_cells(bytes, drawing.rows);
    return 0;
}
