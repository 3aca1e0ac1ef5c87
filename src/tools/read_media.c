/* read_media.c: see read_media.h: what both kinds share. */
#include "tools/read_media.h"

#include "text/image_head.h"
#include "tools/file_kind.h"

/* How far junk may come before the first bytes of a PDF document, as its readers have it. */
enum { PDF_BEGINS_WITHIN = 1024 };

static bool is_pdf(struct hv_str path, struct hv_str head)
{
    size_t at = hv_str_find(hv_str_slice(head, 0, PDF_BEGINS_WITHIN), HV_STR("%PDF-"), 0);
    bool named = path.len > 4 && hv_str_eq_nocase(hv_str_slice(path, path.len - 4, path.len), HV_STR(".pdf"));
    return at == 0 || (at != SIZE_MAX && named);
}

enum read_media_kind read_media_kind_of(struct hv_str path, struct hv_str head)
{
    if (image_format_of(head) != IMAGE_NONE)
        return READ_MEDIA_IMAGE;
    return is_pdf(path, head) ? READ_MEDIA_PDF : READ_MEDIA_NONE;
}

enum hv_code read_media_bytes(struct read_media *media, size_t max, struct hv_buf *bytes, struct hv_error *err)
{
    const struct hv_host *host = media->context->host;
    enum hv_code code = host->read(host, media->path, 0, max + 1, bytes, &media->view->stat, err);
    if (code && code != HV_ETOOBIG)
        return code;
    if (code || bytes->len > max) {
        struct hv_str size = file_size_text(media->context->arena, media->view->stat.size);
        return hv_fail(err, HV_ETOOBIG, "%.*s is too large to be shown (%.*s; at most %zu MB are decoded)",
                       HV_STR_ARG(media->path), HV_STR_ARG(size), max / 1000000);
    }
    media->view->is_whole = true;
    media->view->size = bytes->len;
    media->view->hash = hv_str_hash(hv_buf_str(bytes));
    media->unchanged = file_state_same_shown(media->context, media->key, media->view);
    return HV_OK;
}

enum hv_code read_media_fail(const struct read_media *media, enum hv_code code, struct hv_error *err)
{
    if (code)
        hv_error_prefix(err, "%.*s: ", HV_STR_ARG(media->path));
    return code;
}
