/* image_draw.c: see image_draw.h. */
#include "media/image_draw.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "media/image_run.h"

/* ---- what may pass ----------------------------------------------------------------------------------------------- */

/* The length of "ESC [ digits ; … m" at `at`, or 0. */
static size_t colour_length(struct hv_str bytes, size_t at)
{
    size_t end = at + 2;
    if (bytes.ptr[at] != '\033' || end >= bytes.len || bytes.ptr[at + 1] != '[')
        return 0;
    while (end < bytes.len && ((bytes.ptr[end] >= '0' && bytes.ptr[end] <= '9') || bytes.ptr[end] == ';'))
        end++;
    return end < bytes.len && bytes.ptr[end] == 'm' ? end + 1 - at : 0;
}

/* Spaces, block elements (U+2580 to U+259F), colours: no row wider than said, no more rows. */
static bool is_cells(const struct image_drawing *drawing, struct hv_str bytes)
{
    size_t rows = 1, cells = 0;
    for (size_t at = 0; at < bytes.len;) {
        uint32_t rune;
        size_t colour = colour_length(bytes, at), len = utf8_decode(bytes, at, &rune);
        if (colour) {
            at += colour;
            continue;
        }
        if (rune == '\n') {
            rows++;
            cells = 0;
        } else if ((rune != ' ' && (rune < 0x2580 || rune > 0x259f)) || ++cells > drawing->columns) {
            return false;
        }
        at += len;
    }
    return rows <= drawing->rows;
}

/* "ESC P numbers q data ESC \": printable characters alone. */
static bool is_sixels(struct hv_str bytes)
{
    if (bytes.len < 5 || !hv_str_starts(bytes, HV_STR("\033P")) || !hv_str_ends(bytes, HV_STR("\033\\")))
        return false;
    size_t at = 2, end = bytes.len - 2;
    while (at < end && ((bytes.ptr[at] >= '0' && bytes.ptr[at] <= '9') || bytes.ptr[at] == ';'))
        at++;
    if (at >= end || bytes.ptr[at] != 'q')
        return false;
    for (; at < end; at++)
        if (bytes.ptr[at] != '\n' && (bytes.ptr[at] < ' ' || bytes.ptr[at] >= 0x7f))
            return false;
    return true;
}

static bool is_png(struct hv_str bytes)
{
    struct image_head head;
    return image_head_read(bytes, &head, NULL) == HV_OK && head.format == IMAGE_PNG;
}

bool image_draw_is_harmless(const struct image_drawing *drawing, struct hv_str bytes)
{
    switch (drawing->kind) {
    case IMAGE_DRAW_SIXELS: return is_sixels(bytes);
    case IMAGE_DRAW_PNG: return is_png(bytes);
    default: return is_cells(drawing, bytes);
    }
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* The most cells within what is allowed that keep its proportions, and not more than it has pixels for. */
static void choose_size(const struct image_head *head, struct image_drawing *drawing)
{
    bool sideways = head->orientation >= 5;
    double width = (double)(sideways ? head->height : head->width) / drawing->cell_width;
    double height = (double)(sideways ? head->width : head->height) / drawing->cell_height;
    double scale = 1;
    if (width * scale > drawing->columns)
        scale = drawing->columns / width;
    if (height * scale > drawing->rows)
        scale = drawing->rows / height;
    drawing->columns = width * scale < 1 ? 1 : (unsigned)(width * scale);
    drawing->rows = height * scale < 1 ? 1 : (unsigned)(height * scale);
}

enum hv_code image_draw(const struct media *media, struct hv_str bytes, struct image_drawing *drawing,
                        struct hv_error *err)
{
    struct image_head head;
    CLEANUP_BUF struct hv_buf answer = {.max = IMAGE_DRAW_MAX + 100};
    struct hv_arena *arena = media->arena;
    struct hv_str line, rest;
    enum hv_code code = image_head_read(bytes, &head, err);
    code = code ? code : image_check_size(&head, bytes.len, err);
    if (code)
        return code;
    drawing->cell_width = drawing->cell_width ? drawing->cell_width : 8;
    drawing->cell_height = drawing->cell_height ? drawing->cell_height : 16;
    choose_size(&head, drawing);
    bool sideways = head.orientation >= 5;
    unsigned width = drawing->columns * drawing->cell_width, height = drawing->rows * drawing->cell_height;
    const unsigned numbers[] = {drawing->kind,
                                drawing->columns,
                                drawing->rows,
                                drawing->cell_width,
                                drawing->cell_height,
                                head.format,
                                sideways ? height : width,
                                sideways ? width : height,
                                head.orientation};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    const char *words[COUNT + 2] = {"draw"};
    for (size_t i = 0; i < COUNT; i++)
        words[i + 1] = hv_arena_format(arena, "%u", numbers[i]).ptr;
    code = image_run(media, &head, words, COUNT + 1, bytes, &answer, err);
    if (code)
        return code;
    rest = hv_buf_str(&answer);
    if (!hv_str_split(&rest, '\n', &line) || !image_draw_is_harmless(drawing, rest))
        return hv_fail(err, HV_EINVAL, "the picture was drawn with what no picture holds");
    drawing->bytes = hv_arena_str(arena, rest);
    return HV_OK;
}
