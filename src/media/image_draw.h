/*
 * image_draw.h: a picture as a terminal shows it: characters with colours, sixels, or a PNG for terminals that decode
 * one themselves. The helper for images draws it (image_helper.h), by libchafa where that is installed; what it answers
 * is looked through: characters, colours and sixel data pass, nothing else that a terminal obeys.
 */
#ifndef MEDIA_IMAGE_DRAW_H
#define MEDIA_IMAGE_DRAW_H

#include "media/media.h"

enum image_draw_kind { IMAGE_DRAW_256 = 0, IMAGE_DRAW_TRUE_COLOUR, IMAGE_DRAW_SIXELS, IMAGE_DRAW_PNG };
enum { IMAGE_DRAW_MAX = 8 << 20, IMAGE_DRAW_CELLS_MAX = 1000 };

struct image_drawing {
    enum image_draw_kind kind;
    unsigned columns, rows;           /* at most; out: as drawn, its proportions kept */
    unsigned cell_width, cell_height; /* pixels of a cell; 0: 8 and 16 */
    struct hv_str bytes;              /* out: lines, sixels or the PNG; in the arena */
};

/* Draw a file's bytes. Errors: those of image_prepare; HV_EUNSUPPORTED: libchafa is not installed. Blocks. Any thread.
 */
enum hv_code image_draw(const struct media *media, struct hv_str bytes, struct image_drawing *drawing,
                        struct hv_error *err) HV_MUST_CHECK;
/* Whether bytes are nothing but what that kind may hold. Pure. */
bool image_draw_is_harmless(const struct image_drawing *drawing, struct hv_str bytes);

#endif
