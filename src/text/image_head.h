/*
 * image_head.h: what an image file says of itself, read before anything decodes it: its format by its bytes (names
 * lie), its dimensions, which way up it is, whether its end is there. Only the skeleton of the file is walked, never
 * what is compressed in it, in time linear in its length and without memory. Pure; any thread.
 */
#ifndef TEXT_IMAGE_HEAD_H
#define TEXT_IMAGE_HEAD_H

#include <helve/str.h>

enum image_format { IMAGE_NONE = 0, IMAGE_PNG, IMAGE_JPEG, IMAGE_GIF, IMAGE_WEBP, IMAGE_BMP, IMAGE_FORMATS };

struct image_head {
    enum image_format format;
    uint32_t width, height; /* of the pixels as they are stored; at least 1 */
    unsigned orientation; /* 1 to 8 as EXIF counts them (JPEG only; else 1): from 5 on width and height change places */
    bool animated;        /* GIF, WebP: more than one picture */
};

/* The format by the first bytes (16 are enough): IMAGE_NONE when it is none of these. */
enum image_format image_format_of(struct hv_str bytes);
/* The format that a file's name claims by its extension: IMAGE_NONE when it claims none of these. */
enum image_format image_format_named(struct hv_str path);
/* "PNG"; "image/png". Static. */
const char *image_format_name(enum image_format format);
const char *image_format_media_type(enum image_format format);

/*
 * Read the head of a whole file. HV_EUNSUPPORTED: none of these formats; HV_EINVAL: cut off, or not as its format says.
 * The message is a clause without a subject's path ("the PNG image is cut off …").
 */
enum hv_code image_head_read(struct hv_str bytes, struct image_head *out, struct hv_error *err) HV_MUST_CHECK;

/* The size at which an image of width × height fits into side × side; the same when it does already. Never 0. */
void image_fit(uint32_t width, uint32_t height, uint32_t side, uint32_t *fitted_width, uint32_t *fitted_height);

#endif
