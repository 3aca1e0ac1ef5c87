/* image_head.c: see image_head.h. Every step checks what is left of the file before it looks. */
#include "text/image_head.h"

#include <string.h>

static const struct {
    const char *name, *media_type;
    const char *extensions[4];
} formats[IMAGE_FORMATS] = {
    [IMAGE_NONE] = {"unknown", "application/octet-stream", {NULL}},
    [IMAGE_PNG] = {"PNG", "image/png", {".png"}},
    [IMAGE_JPEG] = {"JPEG", "image/jpeg", {".jpg", ".jpeg", ".jpe", ".jfif"}},
    [IMAGE_GIF] = {"GIF", "image/gif", {".gif"}},
    [IMAGE_WEBP] = {"WebP", "image/webp", {".webp"}},
    [IMAGE_BMP] = {"BMP", "image/bmp", {".bmp", ".dib"}},
};

const char *image_format_name(enum image_format format)
{
    return formats[format].name;
}

const char *image_format_media_type(enum image_format format)
{
    return formats[format].media_type;
}

enum image_format image_format_named(struct hv_str path)
{
    for (int format = IMAGE_NONE + 1; format < IMAGE_FORMATS; format++)
        for (size_t i = 0; i < 4 && formats[format].extensions[i]; i++) {
            struct hv_str extension = hv_str_from(formats[format].extensions[i]);
            if (path.len > extension.len &&
                hv_str_eq_nocase(hv_str_slice(path, path.len - extension.len, path.len), extension))
                return (enum image_format)format;
        }
    return IMAGE_NONE;
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static uint32_t byte_at(struct hv_str bytes, size_t at)
{
    return (unsigned char)bytes.ptr[at];
}

static uint32_t big_16(struct hv_str bytes, size_t at)
{
    return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

static uint32_t big_32(struct hv_str bytes, size_t at)
{
    return big_16(bytes, at) << 16 | big_16(bytes, at + 2);
}

static uint32_t little_16(struct hv_str bytes, size_t at)
{
    return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8;
}

static uint32_t little_24(struct hv_str bytes, size_t at)
{
    return little_16(bytes, at) | byte_at(bytes, at + 2) << 16;
}

static uint32_t little_32(struct hv_str bytes, size_t at)
{
    return little_16(bytes, at) | little_16(bytes, at + 2) << 16;
}

static bool has(struct hv_str bytes, size_t at, size_t len)
{
    return at <= bytes.len && len <= bytes.len - at;
}

static bool holds(struct hv_str bytes, size_t at, const char *wanted, size_t len)
{
    return has(bytes, at, len) && memcmp(bytes.ptr + at, wanted, len) == 0;
}

static bool is_bitmap(struct hv_str bytes)
{
    /* Two letters would be text as well: the reserved bytes and the size of the next header tell. */
    if (!holds(bytes, 0, "BM", 2) || !has(bytes, 0, 18) || little_32(bytes, 6) != 0)
        return false;
    uint32_t header = little_32(bytes, 14);
    return header == 12 || (header >= 40 && header <= 124);
}

enum image_format image_format_of(struct hv_str bytes)
{
    if (holds(bytes, 0, "\x89PNG\r\n\x1a\n", 8))
        return IMAGE_PNG;
    if (holds(bytes, 0, "\xff\xd8\xff", 3))
        return IMAGE_JPEG;
    if (holds(bytes, 0, "GIF87a", 6) || holds(bytes, 0, "GIF89a", 6))
        return IMAGE_GIF;
    if (holds(bytes, 0, "RIFF", 4) && holds(bytes, 8, "WEBP", 4))
        return IMAGE_WEBP;
    return is_bitmap(bytes) ? IMAGE_BMP : IMAGE_NONE;
}

/* ---- the formats ---------------------------------------------------------------------------------------- */

/* What reading the skeleton comes to. */
enum outcome { WHOLE, CUT, BROKEN };

static enum outcome read_png(struct hv_str bytes, struct image_head *head)
{
    if (!has(bytes, 8, 25))
        return CUT;
    if (big_32(bytes, 8) != 13 || !holds(bytes, 12, "IHDR", 4))
        return BROKEN;
    head->width = big_32(bytes, 16);
    head->height = big_32(bytes, 20);
    for (size_t at = 8; has(bytes, at, 12);) {
        size_t length = big_32(bytes, at);
        if (holds(bytes, at + 4, "IEND", 4))
            return WHOLE;
        if (length > INT32_MAX)
            return BROKEN;
        at += 12 + length;
    }
    return CUT;
}

/* The orientation out of the TIFF structure of an APP1 segment. */
static unsigned exif_orientation(struct hv_str exif)
{
    enum { ORIENTATION = 0x0112, SHORT = 3 };
    bool big = holds(exif, 0, "MM\0*", 4);
    if (!has(exif, 0, 8) || (!big && !holds(exif, 0, "II*\0", 4)))
        return 1;
    size_t at = big ? big_32(exif, 4) : little_32(exif, 4);
    if (!has(exif, at, 2))
        return 1;
    size_t entries = big ? big_16(exif, at) : little_16(exif, at);
    for (at += 2; entries-- && has(exif, at, 12); at += 12) {
        uint32_t tag = big ? big_16(exif, at) : little_16(exif, at);
        uint32_t type = big ? big_16(exif, at + 2) : little_16(exif, at + 2);
        uint32_t value = big ? big_16(exif, at + 8) : little_16(exif, at + 8);
        if (tag == ORIENTATION && type == SHORT && value >= 1 && value <= 8)
            return value;
    }
    return 1;
}

static bool is_start_of_frame(uint32_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static void read_jpeg_segment(uint32_t marker, struct hv_str segment, struct image_head *head)
{
    if (is_start_of_frame(marker) && segment.len >= 5 && !head->width) {
        head->height = big_16(segment, 1);
        head->width = big_16(segment, 3);
    } else if (marker == 0xe1 && holds(segment, 0, "Exif\0\0", 6)) {
        head->orientation = exif_orientation(hv_str_slice(segment, 6, segment.len));
    }
}

static enum outcome read_jpeg(struct hv_str bytes, struct image_head *head)
{
    enum { END_OF_IMAGE = 0xd9, START_OF_SCAN = 0xda };
    for (size_t at = 2; has(bytes, at, 2);) {
        uint32_t marker = byte_at(bytes, at + 1);
        /* Filling, and what else stands between segments, is passed over as decoders do. */
        if (byte_at(bytes, at) != 0xff || marker == 0xff || marker == 0) {
            at++;
            continue;
        }
        at += 2;
        if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) /* these stand alone */
            continue;
        if (marker == END_OF_IMAGE || marker < 0xc0)
            return BROKEN;
        if (!has(bytes, at, 2) || !has(bytes, at, big_16(bytes, at)))
            return CUT;
        size_t length = big_16(bytes, at);
        if (length < 2)
            return BROKEN;
        read_jpeg_segment(marker, hv_str_slice(bytes, at + 2, at + length), head);
        at += length;
        if (marker == START_OF_SCAN)
            return !head->width ? BROKEN : hv_str_find(bytes, HV_STR("\xff\xd9"), at) == SIZE_MAX ? CUT : WHOLE;
    }
    return CUT;
}

/* Past a chain of blocks, each with its length before it, that ends in an empty one; SIZE_MAX when the end is missing.
 */
static size_t skip_gif_blocks(struct hv_str bytes, size_t at)
{
    while (has(bytes, at, 1)) {
        size_t length = byte_at(bytes, at);
        at += 1 + length;
        if (!length)
            return at;
    }
    return SIZE_MAX;
}

static size_t gif_colours(uint32_t flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* A file without its trailer is taken as browsers do, when a whole picture is in it. */
static enum outcome read_gif(struct hv_str bytes, struct image_head *head)
{
    size_t pictures = 0;
    if (!has(bytes, 0, 13))
        return CUT;
    head->width = little_16(bytes, 6);
    head->height = little_16(bytes, 8);
    for (size_t at = 13 + gif_colours(byte_at(bytes, 10)); has(bytes, at, 1);) {
        char kind = bytes.ptr[at];
        if (kind == ';')
            break;
        if (kind == '!')
            at = skip_gif_blocks(bytes, at + 2);
        else if (kind != ',')
            return pictures ? WHOLE : BROKEN;
        else if (!has(bytes, at, 10))
            break;
        else if ((at = skip_gif_blocks(bytes, at + 11 + gif_colours(byte_at(bytes, at + 9)))) != SIZE_MAX)
            pictures++;
    }
    head->animated = pictures > 1;
    return pictures ? WHOLE : CUT;
}

static enum outcome read_webp(struct hv_str bytes, struct image_head *head)
{
    enum { ANIMATED = 0x02 };
    if (!has(bytes, 0, 30))
        return CUT;
    if (holds(bytes, 12, "VP8X", 4)) {
        head->animated = byte_at(bytes, 20) & ANIMATED;
        head->width = little_24(bytes, 24) + 1;
        head->height = little_24(bytes, 27) + 1;
    } else if (holds(bytes, 12, "VP8L", 4) && byte_at(bytes, 20) == 0x2f) {
        head->width = (little_16(bytes, 21) & 0x3fff) + 1;
        head->height = (little_32(bytes, 21) >> 14 & 0x3fff) + 1;
    } else if (holds(bytes, 12, "VP8 ", 4) && holds(bytes, 23, "\x9d\x01\x2a", 3)) {
        head->width = little_16(bytes, 26) & 0x3fff;
        head->height = little_16(bytes, 28) & 0x3fff;
    } else {
        return BROKEN;
    }
    return (size_t)little_32(bytes, 4) + 8 > bytes.len ? CUT : WHOLE;
}

static enum outcome read_bmp(struct hv_str bytes, struct image_head *head)
{
    bool old = little_32(bytes, 14) == 12;
    if (!has(bytes, 14, old ? 12 : 40))
        return CUT;
    uint32_t height = old ? little_16(bytes, 20) : little_32(bytes, 22);
    uint32_t bits = little_16(bytes, old ? 24 : 28), compression = old ? 0 : little_32(bytes, 30);
    head->width = old ? little_16(bytes, 18) : little_32(bytes, 18);
    head->height = height > INT32_MAX ? 0u - height : height; /* from the top downwards */
    if (head->width > INT32_MAX || bits > 32)
        return BROKEN;
    uint64_t row = ((uint64_t)head->width * bits + 31) / 32 * 4, pixels = little_32(bytes, 10);
    if (pixels > bytes.len)
        return CUT;
    bool plain = compression == 0 || compression == 3;
    return plain && row && head->height > (bytes.len - pixels) / row ? CUT : WHOLE;
}

enum hv_code image_head_read(struct hv_str bytes, struct image_head *out, struct hv_error *err)
{
    static enum outcome (*const readers[IMAGE_FORMATS])(struct hv_str, struct image_head *) = {
        NULL, read_png, read_jpeg, read_gif, read_webp, read_bmp};
    struct image_head head = {.format = image_format_of(bytes), .orientation = 1};
    if (head.format == IMAGE_NONE)
        return hv_fail(err, HV_EUNSUPPORTED, "it is no PNG, JPEG, GIF, WebP or BMP image");
    enum outcome outcome = readers[head.format](bytes, &head);
    const char *name = image_format_name(head.format);
    if (outcome == CUT) {
        hv_fail(err, HV_EINVAL, "the %s image is cut off: the file ends before the picture does", name);
        hv_error_hint(err, "Get the file anew, or make it again");
        return HV_EINVAL;
    }
    if (outcome == BROKEN || !head.width || !head.height) {
        hv_fail(err, HV_EINVAL, "the %s image is damaged: its header is not as the format says", name);
        hv_error_hint(err, "Get the file anew, or look at its first bytes in a shell with `xxd FILE | head`");
        return HV_EINVAL;
    }
    *out = head;
    return HV_OK;
}

void image_fit(uint32_t width, uint32_t height, uint32_t side, uint32_t *fitted_width, uint32_t *fitted_height)
{
    uint32_t longer = width > height ? width : height;
    uint64_t half = longer / 2;
    *fitted_width = longer <= side ? width : (uint32_t)(((uint64_t)width * side + half) / longer);
    *fitted_height = longer <= side ? height : (uint32_t)(((uint64_t)height * side + half) / longer);
    *fitted_width = *fitted_width ? *fitted_width : 1;
    *fitted_height = *fitted_height ? *fitted_height : 1;
}
