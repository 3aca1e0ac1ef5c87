/* webp_frame.c: see webp_frame.h. A file is a head (12 bytes), the chunk VP8X (18), and chunks: four letters, a length,
 * and that many bytes, made even. A frame's chunk begins with 16 bytes of its own. */
#include "media/webp_frame.h"

#include <string.h>

enum { HEAD = 12, EXTENDED = 30, CHUNK = 8, FRAME = 16 };

static uint32_t little(const unsigned char *bytes, size_t count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

static bool is(const unsigned char *bytes, const char *letters)
{
    return memcmp(bytes, letters, 4) == 0;
}

/* Where the chunk of that name begins; size when there is none. */
static size_t find_chunk(const unsigned char *bytes, size_t size, const char *letters)
{
    size_t at = EXTENDED;
    while (size - at >= CHUNK && !is(bytes + at, letters)) {
        size_t len = little(bytes + at + 4, 4);
        len += len & 1;
        if (len > size - at - CHUNK)
            return size;
        at += CHUNK + len;
    }
    return size - at >= CHUNK ? at : size;
}

static bool is_inside(const struct webp_frame *frame)
{
    return frame->x < frame->canvas_width && frame->width <= frame->canvas_width - frame->x &&
           frame->y < frame->canvas_height && frame->height <= frame->canvas_height - frame->y;
}

bool webp_first_frame(const unsigned char *bytes, size_t size, struct webp_frame *frame)
{
    if (size < EXTENDED || !is(bytes, "RIFF") || !is(bytes + 8, "WEBP") || !is(bytes + HEAD, "VP8X"))
        return false;
    size_t at = find_chunk(bytes, size, "ANMF");
    if (at == size)
        return false;
    size_t len = little(bytes + at + 4, 4);
    const unsigned char *chunk = bytes + at + CHUNK;
    if (len <= FRAME || len > size - at - CHUNK)
        return false;
    *frame = (struct webp_frame){.at = at + CHUNK + FRAME,
                                 .len = len - FRAME,
                                 .x = little(chunk, 3) * 2,
                                 .y = little(chunk + 3, 3) * 2,
                                 .width = little(chunk + 6, 3) + 1,
                                 .height = little(chunk + 9, 3) + 1,
                                 .canvas_width = little(bytes + 24, 3) + 1,
                                 .canvas_height = little(bytes + 27, 3) + 1};
    return is_inside(frame);
}
