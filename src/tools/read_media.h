/* read_media.h: the half of Read that shows pictures and PDF documents (src/media decodes them, confined). */
#ifndef TOOLS_READ_MEDIA_H
#define TOOLS_READ_MEDIA_H

#include "text/pdf_pages.h"
#include "tools/file_state.h"

/* One file on its way into a result. */
struct read_media {
    struct hv_context *context;
    struct hv_str path, key;
    struct file_view *view; /* stat is set; what tells the bytes is set by reading */
    struct pdf_range pages; /* asked for; first 0: not given */
    struct hv_result *result;
    bool unchanged; /* out: the same bytes were shown for the same request before, and nothing was added to result */
};

enum read_media_kind { READ_MEDIA_NONE = 0, READ_MEDIA_IMAGE, READ_MEDIA_PDF };

/* What the first bytes of a file are; NONE: read_media has no part in it. Pure. */
enum read_media_kind read_media_kind_of(struct hv_str path, struct hv_str head);

/* Show the file, and note that it was read. Errors name the file. Blocks while it is decoded. */
enum hv_code read_media_image(struct read_media *media, struct hv_error *err) HV_MUST_CHECK;
enum hv_code read_media_pdf(struct read_media *media, struct hv_error *err) HV_MUST_CHECK;

/* ---- between the two ------------------------------------------------------------------------------------ */

/* All bytes of the file, and whether they are unchanged; HV_ETOOBIG when there are more than max. */
enum hv_code read_media_bytes(struct read_media *media, size_t max, struct hv_buf *bytes,
                              struct hv_error *err) HV_MUST_CHECK;
/* Put the path before an error of src/media; returns its code. */
enum hv_code read_media_fail(const struct read_media *media, enum hv_code code, struct hv_error *err);

#endif
