/*
 * image_helper.c: the program helve-image: decodes one image, shrinks it, turns it upright, and writes it again. Image
 * decoders are where foreign bytes do the most harm, so it locks itself in before it looks at the first of them
 * (image_confine.c): it needs no help of the system for that, no root, no bubblewrap. It is a program of its own also
 * because libgd brings fifty libraries that helve need not load.
 */
#include "media/image_helper.h"
#include "media/image_chafa.h"
#include "media/image_draw.h"
#include "media/webp_frame.h"
#include "text/image_head.h"

#include <errno.h>
#include <gd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Colours that a picture may have (in a sample of it) to be written as PNG: drawings and screens, not photos. */
enum { SAMPLES = 1 << 16, FEW_COLOURS = 2048, COLOUR_SLOTS = 8192, OPAQUE = gdAlphaOpaque };

struct order {
    enum image_format format;
    int width, height;
    unsigned orientation;
    size_t bytes_max;
};

__attribute__((noreturn)) static void end(enum image_helper_exit code)
{
    _exit((int)code);
}

/* ---- in and out ----------------------------------------------------------------------------------------- */

static char *read_input(size_t *size)
{
    size_t room = 1 << 20;
    char *bytes = malloc(room);
    for (*size = 0; bytes && *size < IMAGE_HELPER_INPUT_MAX;) {
        if (*size == room)
            bytes = realloc(bytes, room *= 2);
        ssize_t got = bytes ? read(0, bytes + *size, room - *size) : -1;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    if (!bytes)
        end(IMAGE_HELPER_MEMORY);
    return bytes;
}

static void write_all(const char *bytes, size_t size)
{
    while (size) {
        ssize_t wrote = write(1, bytes, size);
        if (wrote < 0 && errno != EINTR)
            end(IMAGE_HELPER_BROKEN); /* nobody listens */
        bytes += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
}

static void answer(const char *kind, const gdImage *image, const void *bytes, size_t size)
{
    char line[64];
    int len = snprintf(line, sizeof line, "%s %d %d\n", kind, image->sx, image->sy);
    write_all(line, (size_t)len);
    write_all(bytes, size);
    end(IMAGE_HELPER_DONE);
}

static gdImagePtr or_end(gdImagePtr image)
{
    if (!image)
        end(errno == ENOMEM ? IMAGE_HELPER_MEMORY : IMAGE_HELPER_BROKEN);
    return image;
}

/* ---- decoding, shrinking, turning ----------------------------------------------------------------------- */

/* A frame that does not fill the canvas stands on nothing: what shows through. */
static gdImagePtr put_on_canvas(gdImagePtr picture, const struct webp_frame *frame)
{
    if (picture->sx != (int)frame->width || picture->sy != (int)frame->height)
        end(IMAGE_HELPER_BROKEN);
    if (frame->width == frame->canvas_width && frame->height == frame->canvas_height)
        return picture;
    gdImagePtr canvas = or_end(gdImageCreateTrueColor((int)frame->canvas_width, (int)frame->canvas_height));
    gdImageAlphaBlending(canvas, 0);
    gdImageFilledRectangle(canvas, 0, 0, canvas->sx - 1, canvas->sy - 1, gdTrueColorAlpha(0, 0, 0, gdAlphaTransparent));
    gdImageCopy(canvas, picture, (int)frame->x, (int)frame->y, 0, 0, picture->sx, picture->sy);
    gdImageDestroy(picture);
    return canvas;
}

/* libgd knows single pictures: of an animation it is given the first one. */
static gdImagePtr decode_webp(int size, void *bytes)
{
    struct webp_frame frame;
    if (!webp_first_frame(bytes, (size_t)size, &frame))
        return gdImageCreateFromWebpPtr(size, bytes);
    gdImagePtr picture = gdImageCreateFromWebpPtr((int)frame.len, (char *)bytes + frame.at);
    return picture ? put_on_canvas(picture, &frame) : NULL;
}

static gdImagePtr decode(enum image_format format, int size, void *bytes)
{
    switch (format) {
    case IMAGE_PNG: return gdImageCreateFromPngPtr(size, bytes);
    case IMAGE_JPEG: return gdImageCreateFromJpegPtr(size, bytes);
    case IMAGE_GIF: return gdImageCreateFromGifPtr(size, bytes);
    case IMAGE_WEBP: return decode_webp(size, bytes);
    case IMAGE_BMP: return gdImageCreateFromBmpPtr(size, bytes);
    default: return NULL;
    }
}

/* Where the pixel (x, y) of a turned picture comes from. */
static int source_pixel(gdImagePtr image, unsigned orientation, int x, int y)
{
    int right = image->sx - 1, bottom = image->sy - 1;
    switch (orientation) {
    case 2: return gdImageTrueColorPixel(image, right - x, y);
    case 3: return gdImageTrueColorPixel(image, right - x, bottom - y);
    case 4: return gdImageTrueColorPixel(image, x, bottom - y);
    case 5: return gdImageTrueColorPixel(image, y, x);
    case 6: return gdImageTrueColorPixel(image, y, bottom - x);
    case 7: return gdImageTrueColorPixel(image, right - y, bottom - x);
    case 8: return gdImageTrueColorPixel(image, right - y, x);
    default: return gdImageTrueColorPixel(image, x, y);
    }
}

static gdImagePtr turn(gdImagePtr image, unsigned orientation)
{
    bool sideways = orientation >= 5;
    if (orientation == 1)
        return image;
    gdImagePtr turned =
        or_end(gdImageCreateTrueColor(sideways ? image->sy : image->sx, sideways ? image->sx : image->sy));
    for (int y = 0; y < turned->sy; y++)
        for (int x = 0; x < turned->sx; x++)
            gdImageTrueColorPixel(turned, x, y) = source_pixel(image, orientation, x, y);
    gdImageDestroy(image);
    return turned;
}

static gdImagePtr shrink(gdImagePtr image, int width, int height)
{
    if (image->sx == width && image->sy == height)
        return image;
    gdImageSetInterpolationMethod(image, GD_TRIANGLE); /* counts every pixel, where GD's default would skip some */
    gdImagePtr small = or_end(gdImageScale(image, (unsigned)width, (unsigned)height));
    gdImageDestroy(image);
    return small;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Counted in a sample, spread evenly. */
static bool has_few_colours(gdImagePtr image)
{
    int slots[COLOUR_SLOTS] = {0};
    size_t pixels = (size_t)image->sx * (size_t)image->sy, step = pixels / SAMPLES + 1, count = 0;
    for (size_t i = 0; i < pixels; i += step) {
        int colour =
            (gdImageTrueColorPixel(image, (int)(i % (size_t)image->sx), (int)(i / (size_t)image->sx)) & 0xffffff) + 1;
        size_t slot = (unsigned)colour * 2654435761u % COLOUR_SLOTS;
        while (slots[slot] && slots[slot] != colour)
            slot = (slot + 1) % COLOUR_SLOTS;
        count += !slots[slot];
        slots[slot] = colour;
        if (count > FEW_COLOURS)
            return false;
    }
    return true;
}

static bool has_alpha(gdImagePtr image)
{
    for (int y = 0; y < image->sy; y++)
        for (int x = 0; x < image->sx; x++)
            if (gdTrueColorGetAlpha(gdImageTrueColorPixel(image, x, y)) != OPAQUE)
                return true;
    return false;
}

static bool is_plain(gdImagePtr image)
{
    int first = gdImageGetTrueColorPixel(image, 0, 0);
    for (int y = 0; y < image->sy; y++)
        for (int x = 0; x < image->sx; x++)
            if (gdImageGetTrueColorPixel(image, x, y) != first)
                return false;
    return true;
}

static void write_png(gdImagePtr image, size_t bytes_max)
{
    int size = 0;
    gdImageAlphaBlending(image, 0);
    gdImageSaveAlpha(image, 1);
    void *bytes = gdImagePngPtrEx(image, &size, 6);
    if (bytes && (size_t)size <= bytes_max)
        answer("png", image, bytes, (size_t)size);
    gdFree(bytes);
}

/* JPEG knows no transparency: what shows through is white. */
static gdImagePtr flatten(gdImagePtr image)
{
    gdImagePtr flat = or_end(gdImageCreateTrueColor(image->sx, image->sy));
    gdImageFilledRectangle(flat, 0, 0, image->sx - 1, image->sy - 1, gdTrueColor(255, 255, 255));
    gdImageAlphaBlending(flat, 1);
    gdImageCopy(flat, image, 0, 0, 0, 0, image->sx, image->sy);
    return flat;
}

static void write_jpeg(gdImagePtr image, size_t bytes_max)
{
    static const int qualities[] = {85, 70, 50, 30, 15};
    for (size_t i = 0; i < sizeof qualities / sizeof *qualities; i++) {
        int size = 0;
        void *bytes = gdImageJpegPtr(image, &size, qualities[i]);
        if (bytes && (size_t)size <= bytes_max)
            answer("jpeg", image, bytes, (size_t)size);
        gdFree(bytes);
    }
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

/* GD counts 127 steps from opaque to none; what shows through is what it says it is. */
static unsigned char *pixels_of(gdImagePtr image)
{
    unsigned char *pixels = malloc((size_t)image->sx * (size_t)image->sy * 4), *at = pixels;
    if (!pixels)
        end(IMAGE_HELPER_MEMORY);
    for (int y = 0; y < image->sy; y++)
        for (int x = 0; x < image->sx; x++, at += 4) {
            int colour = gdImageTrueColorPixel(image, x, y);
            at[0] = (unsigned char)gdTrueColorGetRed(colour);
            at[1] = (unsigned char)gdTrueColorGetGreen(colour);
            at[2] = (unsigned char)gdTrueColorGetBlue(colour);
            at[3] = (unsigned char)(255 - gdTrueColorGetAlpha(colour) * 255 / gdAlphaTransparent);
        }
    return pixels;
}

static void draw(gdImagePtr image, const struct image_canvas *canvas)
{
    char line[64];
    size_t size = 0;
    const char *drawn = image_chafa_draw(canvas, pixels_of(image), image->sx, image->sy, &size);
    if (!drawn)
        end(IMAGE_HELPER_UNDRAWN);
    int len = snprintf(line, sizeof line, "drawn %d %d\n", canvas->columns, canvas->rows);
    write_all(line, (size_t)len);
    write_all(drawn, size);
    end(IMAGE_HELPER_DONE);
}

/* ---- orders --------------------------------------------------------------------------------------------- */

static bool read_numbers(char **words, size_t count, unsigned long *numbers)
{
    for (size_t i = 0; i < count; i++) {
        char *rest;
        numbers[i] = strtoul(words[i], &rest, 10);
        if (!*words[i] || *rest || numbers[i] > INT32_MAX)
            return false;
    }
    return true;
}

static int draw_order(char **words)
{
    unsigned long numbers[9];
    size_t size;
    if (!read_numbers(words, 9, numbers) || !numbers[1] || !numbers[2] || !numbers[6] || !numbers[7])
        return IMAGE_HELPER_USAGE;
    enum image_draw_kind kind = (enum image_draw_kind)numbers[0];
    const struct image_canvas canvas = {.columns = (int)numbers[1],
                                        .rows = (int)numbers[2],
                                        .cell_width = (int)numbers[3],
                                        .cell_height = (int)numbers[4],
                                        .sixels = kind == IMAGE_DRAW_SIXELS,
                                        .true_colour = kind == IMAGE_DRAW_TRUE_COLOUR};
    if (kind != IMAGE_DRAW_PNG && !image_chafa_load(&canvas))
        return IMAGE_HELPER_UNDRAWN;
    if (!image_helper_confine())
        return IMAGE_HELPER_UNCONFINED;
    char *bytes = read_input(&size);
    errno = 0;
    gdImagePtr image = or_end(decode((enum image_format)numbers[5], (int)size, bytes));
    if (!gdImagePaletteToTrueColor(image))
        end(IMAGE_HELPER_MEMORY);
    image = turn(shrink(image, (int)numbers[6], (int)numbers[7]), (unsigned)numbers[8]);
    if (kind != IMAGE_DRAW_PNG)
        draw(image, &canvas);
    write_png(image, IMAGE_DRAW_MAX);
    end(IMAGE_HELPER_TOO_LARGE);
}

static bool read_order(char **words, struct order *order)
{
    unsigned long numbers[5];
    if (!read_numbers(words, 5, numbers))
        return false;
    *order = (struct order){(enum image_format)numbers[0], (int)numbers[1], (int)numbers[2], (unsigned)numbers[3],
                            numbers[4]};
    return order->width && order->height;
}

int main(int argc, char **argv)
{
    struct order order;
    size_t size;
    gdSetErrorMethod(NULL);
    if (argc == 11 && strcmp(argv[1], "draw") == 0)
        return draw_order(argv + 2);
    if (argc != 6 || !read_order(argv + 1, &order))
        return IMAGE_HELPER_USAGE;
    if (!image_helper_confine())
        return IMAGE_HELPER_UNCONFINED;
    char *bytes = read_input(&size);
    errno = 0;
    gdImagePtr image = or_end(decode(order.format, (int)size, bytes));
    if (!order.bytes_max)
        answer(is_plain(image) ? "plain" : "sound", image, "", 0);
    free(bytes);
    if (!gdImagePaletteToTrueColor(image))
        end(IMAGE_HELPER_MEMORY);
    bool few_colours = has_few_colours(image);
    image = turn(shrink(image, order.width, order.height), order.orientation);
    bool alpha = has_alpha(image);
    if (few_colours || alpha)
        write_png(image, order.bytes_max);
    write_jpeg(alpha ? flatten(image) : image, order.bytes_max);
    end(IMAGE_HELPER_TOO_LARGE);
}
