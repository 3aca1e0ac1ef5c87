/* image_chafa.h: a picture as what a terminal shows, by libchafa. A part of the helper for images (image_helper.c). */
#ifndef MEDIA_IMAGE_CHAFA_H
#define MEDIA_IMAGE_CHAFA_H

#include <stdbool.h>
#include <stddef.h>

/* What is drawn: columns × rows cells. */
struct image_canvas {
    int columns, rows;
    int cell_width, cell_height; /* pixels of a cell; counts for sixels */
    bool sixels, true_colour;    /* true_colour: of characters; else 256 colours */
};

/* Load libchafa, and do once what it does at its first use: before the helper locks itself in. False: it is not
 * installed. */
bool image_chafa_load(const struct image_canvas *canvas);
/* Draw width × height pixels of four bytes (red, green, blue, alpha). The text is never freed; NULL: it cannot. */
const char *image_chafa_draw(const struct image_canvas *canvas, const unsigned char *pixels, int width, int height,
                             size_t *size);

#endif
