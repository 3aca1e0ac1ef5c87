/* read_image.c: Read of a picture: a line that says what it is, and the picture. See read_media.h. */
#include "base/cleanup.h"
#include "media/image.h"
#include "tools/file_kind.h"
#include "tools/read_media.h"

static void describe(const struct read_media *media, const struct image *image, struct hv_buf *out)
{
    bool sideways = image->head.orientation >= 5;
    uint32_t width = sideways ? image->head.height : image->head.width;
    uint32_t height = sideways ? image->head.width : image->head.height;
    enum image_format named = image_format_named(media->path);
    struct hv_str size = file_size_text(media->context->arena, media->view->stat.size);
    hv_buf_addf(out, "%u×%u %s, %.*s", width, height, image_format_name(image->head.format), HV_STR_ARG(size));
    if (image->changed && image->width == width && image->height == height)
        hv_buf_addf(out, ", shown as %s", image_format_name(image->format));
    else if (image->changed)
        hv_buf_addf(out, ", shown at %u×%u%s%s", image->width, image->height,
                    image->format == image->head.format ? "" : " as ",
                    image->format == image->head.format ? "" : image_format_name(image->format));
    if (image->head.animated)
        hv_buf_add_cstr(out, image->changed ? " (its first picture; it is an animation)" : " (an animation)");
    if (named != image->head.format && named != IMAGE_NONE)
        hv_buf_addf(out, " (not a %s though named so)", image_format_name(named));
}

enum hv_code read_media_image(struct read_media *media, struct hv_error *err)
{
    struct hv_context *context = media->context;
    struct media work = {context->host, context->cancel, context->arena};
    CLEANUP_BUF struct hv_buf bytes = {0}, text = {0};
    struct image image;
    hv_buf_init(&bytes, IMAGE_FILE_MAX + 1);
    hv_buf_init(&text, 1024);
    enum hv_code code = read_media_bytes(media, IMAGE_FILE_MAX, &bytes, err);
    if (code || media->unchanged)
        return code;
    code = image_prepare(&work, hv_buf_str(&bytes), IMAGE_BYTES_MAX, &image, err);
    if (code)
        return read_media_fail(media, code, err);
    describe(media, &image, &text);
    media->result->summary = hv_arena_str(context->arena, hv_buf_str(&text));
    hv_result_add_text(media->result, context->arena, media->result->summary);
    struct hv_content *block = hv_result_add(media->result, context->arena, HV_CONTENT_IMAGE);
    block->media_type = hv_str_from(image_format_media_type(image.format));
    block->data = image.changed ? image.bytes : hv_arena_str(context->arena, image.bytes);
    file_state_note_read(context, media->key, media->view);
    return HV_OK;
}
