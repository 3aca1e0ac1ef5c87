/*
 * webp_frame.h: where the first picture of an animated WebP file stands in it. Only the skeleton is walked, by the
 * helper for images (image_helper.c), which has foreign bytes before it. Pure; any thread.
 */
#ifndef MEDIA_WEBP_FRAME_H
#define MEDIA_WEBP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct webp_frame {
    size_t at, len;               /* its data in the file: a picture as WebP decoders take it, without a head */
    uint32_t x, y, width, height; /* its place on the canvas; inside of it, never empty */
    uint32_t canvas_width, canvas_height;
};

/* False: it is no animation, or not as its format says. */
bool webp_first_frame(const unsigned char *bytes, size_t size, struct webp_frame *frame);

#endif
