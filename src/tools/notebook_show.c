/* notebook_show.c: see notebook_show.h. */
#include "tools/notebook_show.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "media/image.h"
#include "text/truncate.h"
#include "tools/notebook.h"

/* A picture is shown with at most PICTURE_MAX bytes, so that all of them fit into one request. */
enum { OUTPUT_MAX = 10000, IMAGE_MAX = 8 << 20, PICTURE_MAX = 1 << 20, IMAGES_MAX = 16 };

struct showing {
    const struct media *media;
    struct hv_arena *arena;
    struct hv_result *result;
    struct hv_buf text; /* since the last image */
    size_t used, images;
};

/* The text gathered so far becomes a block. */
static void flush(struct showing *showing)
{
    if (showing->text.len)
        hv_result_add_text(showing->result, showing->arena, hv_arena_str(showing->arena, hv_buf_str(&showing->text)));
    showing->used += showing->text.len;
    hv_buf_clear(&showing->text);
}

static void add_lines(struct showing *showing, struct hv_str text)
{
    hv_buf_add_str(&showing->text, text);
    if (text.len && text.ptr[text.len - 1] != '\n')
        hv_buf_add_byte(&showing->text, '\n');
}

static void add_output_text(struct showing *showing, const char *label, struct hv_str text)
{
    hv_buf_addf(&showing->text, "%s:\n", label);
    struct hv_str head = truncate_head(text, OUTPUT_MAX);
    add_lines(showing, head);
    if (head.len < text.len)
        hv_buf_addf(&showing->text, "[%zu more bytes of this output are not shown]\n", text.len - head.len);
}

/* The bytes of an output that is a picture; false: they cannot be had. */
static bool decode_image(struct showing *showing, const struct hv_json *value, struct hv_buf *bytes)
{
    CLEANUP_BUF struct hv_buf clean = {0};
    hv_buf_init(&clean, 2 * IMAGE_MAX);
    struct hv_str text = notebook_text(showing->arena, value);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
            hv_buf_add_byte(&clean, text.ptr[i]);
    return !clean.failed && base64_decode(bytes, hv_buf_str(&clean), BASE64_STANDARD, NULL) == HV_OK;
}

static void show_image(struct showing *showing, const struct image *image, const char *media_type)
{
    hv_buf_addf(&showing->text, "Output (%s):\n", media_type);
    flush(showing);
    struct hv_content *block = hv_result_add(showing->result, showing->arena, HV_CONTENT_IMAGE);
    block->media_type = hv_str_from(image_format_media_type(image->format));
    block->data = image->changed ? image->bytes : hv_arena_str(showing->arena, image->bytes);
    showing->images++;
}

static bool add_image(struct showing *showing, const struct hv_json *data, const char *media_type)
{
    const struct hv_json *value = hv_json_get(data, media_type);
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct image image;
    struct hv_error err;
    if (!value)
        return false;
    hv_buf_init(&bytes, IMAGE_MAX);
    if (showing->images == IMAGES_MAX)
        hv_buf_addf(&showing->text, "[An output of type %s is not shown: %d are shown already]\n", media_type,
                    IMAGES_MAX);
    else if (!decode_image(showing, value, &bytes))
        hv_buf_addf(&showing->text, "[An output of type %s is not shown: too large, or no sound base64]\n", media_type);
    else if (image_prepare(showing->media, hv_buf_str(&bytes), PICTURE_MAX, &image, &err) != HV_OK)
        hv_buf_addf(&showing->text, "[An output of type %s is not shown: %s]\n", media_type, err.message);
    else
        show_image(showing, &image, media_type);
    return true;
}

/* What a cell displayed: the best of its forms. */
static void show_data(struct showing *showing, const struct hv_json *data)
{
    if (add_image(showing, data, "image/png") || add_image(showing, data, "image/jpeg"))
        return;
    static const char *const texts[] = {"text/plain", "text/markdown", "text/html", "application/json"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct hv_json *value = hv_json_get(data, texts[i]);
        if (!value)
            continue;
        add_output_text(showing, i ? texts[i] : "Output", notebook_text(showing->arena, value));
        return;
    }
    hv_json_each(form, data)
        hv_buf_addf(&showing->text, "[An output of type %.*s is not shown]\n", HV_STR_ARG(form->key));
}

static void show_error(struct showing *showing, const struct hv_json *output)
{
    CLEANUP_BUF struct hv_buf trace = {0};
    hv_buf_init(&trace, 1 << 20);
    hv_json_each(line, hv_json_get(output, "traceback"))
    {
        hv_buf_add_str(&trace, hv_json_string(line));
        hv_buf_add_byte(&trace, '\n');
    }
    if (!trace.len)
        hv_buf_addf(&trace, "%.*s: %.*s", HV_STR_ARG(hv_json_get_string(output, "ename")),
                    HV_STR_ARG(hv_json_get_string(output, "evalue")));
    add_output_text(showing, "Error", hv_buf_str(&trace));
}

static void show_output(struct showing *showing, const struct hv_json *output)
{
    struct hv_str type = hv_json_get_string(output, "output_type");
    if (hv_str_is(type, "stream"))
        add_output_text(showing, hv_str_is(hv_json_get_string(output, "name"), "stderr") ? "Output (stderr)" : "Output",
                        notebook_text(showing->arena, hv_json_get(output, "text")));
    else if (hv_str_is(type, "error"))
        show_error(showing, output);
    else
        show_data(showing, hv_json_get(output, "data"));
}

static void show_cell(struct showing *showing, const struct hv_json *cell, size_t number)
{
    struct hv_str id = hv_json_get_string(cell, "id"), type = hv_json_get_string(cell, "cell_type");
    int64_t count;
    hv_buf_addf(&showing->text, "%sCell %zu (%.*s, id ", number ? "\n" : "", number, HV_STR_ARG(type));
    if (id.len)
        hv_buf_add_str(&showing->text, id);
    else
        hv_buf_addf(&showing->text, "cell-%zu", number);
    if (hv_json_int64(hv_json_get(cell, "execution_count"), &count))
        hv_buf_addf(&showing->text, ", run %lld", (long long)count);
    hv_buf_add_cstr(&showing->text, "):\n");
    add_lines(showing, notebook_text(showing->arena, hv_json_get(cell, "source")));
    hv_json_each(output, hv_json_get(cell, "outputs")) show_output(showing, output);
}

size_t notebook_show(const struct media *media, const struct hv_json *notebook, size_t budget, struct hv_result *result)
{
    struct showing showing = {.media = media, .arena = media->arena, .result = result};
    const struct hv_json *cells = hv_json_get(notebook, "cells");
    size_t number = 0;
    hv_buf_init(&showing.text, 1 << 30);
    hv_json_each(cell, cells)
    {
        if (showing.used + showing.text.len > budget)
            break;
        show_cell(&showing, cell, number++);
    }
    if (!cells->count)
        hv_buf_add_cstr(&showing.text, "The notebook has no cells.\n");
    if (number < cells->count)
        hv_buf_addf(
            &showing.text,
            "[Cells %zu to %u are not shown: the notebook is too large. Offset and limit show lines of the file "
            "itself; Grep finds text in it.]\n",
            number, cells->count - 1);
    flush(&showing);
    hv_buf_release(&showing.text);
    return number;
}
