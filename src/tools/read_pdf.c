/*
 * read_pdf.c: Read of a PDF document: the text of its pages, and pictures of those that have none (scans, drawings).
 * See read_media.h.
 */
#include "base/cleanup.h"
#include "media/image.h"
#include "media/pdf.h"
#include "text/truncate.h"
#include "tools/file_kind.h"
#include "tools/read_media.h"

enum {
    PDF_TEXT_BUDGET = 100000,     /* bytes: 25,000 tokens of some 4 bytes */
    PAGE_PICTURE_MAX = 700 << 10, /* so that twenty of them fit into one request */
};

/* Which way of confining works is found out once in a session. */
struct pdf_state {
    atomic_int way;
};

static const struct hv_state_key pdf_state_key = {.name = "pdf", .size = sizeof(struct pdf_state)};

/* One document on its way into a result. */
struct showing {
    struct read_media *media;
    struct pdf pdf;
    struct pdf_info info;
    struct hv_buf text; /* since the last picture */
    size_t used;        /* bytes of text in blocks already */
    unsigned pictures;
};

static void flush(struct showing *showing)
{
    struct hv_arena *arena = showing->media->context->arena;
    if (showing->text.len)
        hv_result_add_text(showing->media->result, arena, hv_arena_str(arena, hv_buf_str(&showing->text)));
    showing->used += showing->text.len;
    hv_buf_clear(&showing->text);
}

/* ---- which pages ---------------------------------------------------------------------------------------- */

static enum hv_code choose_pages(const struct showing *showing, struct pdf_range *out, struct hv_error *err)
{
    unsigned pages = showing->info.pages, most = pages < PDF_PAGES_MAX ? pages : PDF_PAGES_MAX;
    struct pdf_range asked = showing->media->pages;
    if (!pages)
        return hv_fail(err, HV_EINVAL, "the PDF document has no pages");
    if (!asked.first && pages > PDF_PAGES_UNASKED) {
        hv_fail(err, HV_EINVAL, "the PDF document has %u pages: too many to be shown unasked", pages);
        hv_error_hint(err, "Say which with pages, at most %d at once: pages \"1-%u\" is the beginning", PDF_PAGES_MAX,
                      most);
        return HV_EINVAL;
    }
    if (asked.first > pages) {
        hv_fail(err, HV_EINVAL, "page %u lies past the end: the PDF document has %u page%s", asked.first, pages,
                pages == 1 ? "" : "s");
        hv_error_hint(err, "Ask for pages between 1 and %u", pages);
        return HV_EINVAL;
    }
    out->first = asked.first ? asked.first : 1;
    out->last = asked.first && asked.last < pages ? asked.last : pages;
    return HV_OK;
}

/* ---- pages ---------------------------------------------------------------------------------------------- */

static void show_text_page(struct showing *showing, struct hv_str page)
{
    struct hv_str head = truncate_head(page, PDF_TEXT_BUDGET);
    hv_buf_add_str(&showing->text, head);
    hv_buf_add_byte(&showing->text, '\n');
    if (head.len < page.len)
        hv_buf_addf(&showing->text,
                    "[%zu more bytes of this page are not shown; `pdftotext -f N -l N FILE out.txt` in a shell gives "
                    "them all]\n",
                    page.len - head.len);
}

static enum hv_code draw(struct showing *showing, unsigned page, struct image *image, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf png = {0};
    hv_buf_init(&png, PDF_PICTURE_MAX);
    enum hv_code code = pdf_draw_page(&showing->pdf, page, IMAGE_SIDE_MAX, &png, err);
    code = code ? code : image_prepare(&showing->pdf.media, hv_buf_str(&png), PAGE_PICTURE_MAX, image, err);
    if (!code && !image->changed)
        image->bytes = hv_arena_str(showing->pdf.media.arena, image->bytes);
    return code;
}

/* A page that cannot be drawn costs that page; only a cancelled call ends here. */
static enum hv_code show_bare_page(struct showing *showing, unsigned page, struct hv_str text, struct hv_error *err)
{
    struct hv_error fault;
    struct image image;
    enum hv_code code = draw(showing, page, &image, &fault);
    if (code == HV_ECANCELLED) {
        if (err)
            *err = fault;
        return code;
    }
    if (code) {
        hv_buf_addf(&showing->text, "%.*s%s[This page has no text, and no picture of it can be made: %s]\n",
                    HV_STR_ARG(text), text.len ? "\n" : "", fault.message);
        return HV_OK;
    }
    if (image.plain) {
        hv_buf_addf(&showing->text, "%.*s%s[This page is blank.]\n", HV_STR_ARG(text), text.len ? "\n" : "");
        return HV_OK;
    }
    hv_buf_addf(&showing->text, "[This page has no text; a picture of it follows, %u×%u.]\n", image.width,
                image.height);
    flush(showing);
    struct hv_content *block = hv_result_add(showing->media->result, showing->media->context->arena, HV_CONTENT_IMAGE);
    block->media_type = hv_str_from(image_format_media_type(image.format));
    block->data = image.bytes;
    showing->pictures++;
    return HV_OK;
}

/* Whole pages, as many as the budget holds; *last becomes the last one shown. */
static enum hv_code show_pages(struct showing *showing, struct pdf_range range, unsigned *last, struct hv_error *err)
{
    struct hv_str *pages = hv_arena_array(showing->media->context->arena, struct hv_str, range.last - range.first + 1);
    enum hv_code code = pdf_read_text(&showing->pdf, range, pages, err);
    for (unsigned page = range.first; !code && page <= range.last; page++) {
        struct hv_str text = pages[page - range.first];
        if (page > range.first && showing->used + showing->text.len + text.len > PDF_TEXT_BUDGET)
            break;
        hv_buf_addf(&showing->text, "%s--- Page %u of %u ---\n", page > range.first ? "\n" : "", page,
                    showing->info.pages);
        if (pdf_page_is_bare(text))
            code = show_bare_page(showing, page, text, err);
        else
            show_text_page(showing, text);
        *last = page;
    }
    return code;
}

static void introduce(struct showing *showing)
{
    const struct pdf_info *info = &showing->info;
    struct hv_str size = file_size_text(showing->media->context->arena, showing->media->view->stat.size);
    hv_buf_addf(&showing->text, "PDF document, %u page%s, %.*s", info->pages, info->pages == 1 ? "" : "s",
                HV_STR_ARG(size));
    if (info->title.len)
        hv_buf_addf(&showing->text, ", titled \"%.*s\"", HV_STR_ARG(truncate_head(info->title, 200)));
    if (info->encrypted)
        hv_buf_add_cstr(&showing->text, ", encrypted without a password");
    hv_buf_add_byte(&showing->text, '\n');
}

static void conclude(struct showing *showing, struct pdf_range range, unsigned last)
{
    struct read_media *media = showing->media;
    unsigned pages = showing->info.pages, next = last + PDF_PAGES_MAX < pages ? last + PDF_PAGES_MAX : pages;
    if (last < range.last)
        hv_buf_addf(&showing->text, "[The text of these pages is too long to be shown at once.]\n");
    if (last < pages && last == range.first)
        hv_buf_addf(&showing->text, "[Page %u of %u is shown. Go on with pages \"%u-%u\".]\n", last, pages, last + 1,
                    next);
    else if (last < pages)
        hv_buf_addf(&showing->text, "[Pages %u to %u of %u are shown. Go on with pages \"%u-%u\".]\n", range.first,
                    last, pages, last + 1, next);
    flush(showing);
    unsigned shown = last - range.first + 1;
    media->result->summary = hv_arena_format(media->context->arena, "%u page%s of %u%s", shown, shown == 1 ? "" : "s",
                                             pages, showing->pictures ? ", some as pictures" : "");
    file_state_note_read(media->context, media->key, media->view);
}

static enum hv_code show_document(struct showing *showing, struct hv_error *err)
{
    struct pdf_range range = {0};
    unsigned last = 0;
    enum hv_code code = pdf_look(&showing->pdf, &showing->info, err);
    code = code ? code : choose_pages(showing, &range, err);
    if (code)
        return code;
    introduce(showing);
    code = show_pages(showing, range, &last, err);
    if (!code)
        conclude(showing, range, last);
    return code;
}

enum hv_code read_media_pdf(struct read_media *media, struct hv_error *err)
{
    struct hv_context *context = media->context;
    struct pdf_state *state = hv_state(context, &pdf_state_key);
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, PDF_FILE_MAX + 1);
    enum hv_code code = read_media_bytes(media, PDF_FILE_MAX, &bytes, err);
    if (code || media->unchanged)
        return code;
    struct showing showing = {
        .media = media,
        .pdf = {.media = {context->host, context->cancel, context->arena},
                .roots = context->roots,
                .root_count = context->root_count,
                .way = &state->way,
                .bytes = hv_buf_str(&bytes)},
    };
    hv_buf_init(&showing.text, (size_t)4 * PDF_TEXT_BUDGET);
    code = show_document(&showing, err);
    hv_buf_release(&showing.text);
    return read_media_fail(media, code, err);
}
