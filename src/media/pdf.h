/*
 * pdf.h: what is in a PDF document: how many pages, their text, pictures of them. Poppler's programs do the reading,
 * confined (sandbox/decoder.h), the document on their stdin, so that they need to open nothing.
 */
#ifndef MEDIA_PDF_H
#define MEDIA_PDF_H

#include "media/media.h"
#include "sandbox/decoder.h"
#include "text/pdf_pages.h"

#include <stdatomic.h>

enum { PDF_FILE_MAX = 100 << 20, PDF_TEXT_MAX = 8 << 20, PDF_PICTURE_MAX = 48 << 20 };

/* A document that is being read. The caller fills all members; one thread at a time. */
struct pdf {
    struct media media;
    const struct hv_str *roots; /* the workspace; see struct decoder_place */
    size_t root_count;
    atomic_int *way; /* enum decoder_way to begin with; kept by the caller, so that what works is found out once */
    struct hv_str bytes;
};

/*
 * All of them: errors without a path. HV_EUNSUPPORTED: poppler's programs are not installed (the hint names the
 * package), cannot be confined here, or a password is needed; HV_EINVAL: the document is damaged; HV_ETIMEOUT,
 * HV_ETOOBIG: it takes more than such programs are given; HV_ECANCELLED. They block for some 20 ms and more.
 */
enum hv_code pdf_look(struct pdf *pdf, struct pdf_info *out, struct hv_error *err) HV_MUST_CHECK;
/* The text of pages first to last, in the arena of media, to pages[0..last-first]; the layout is kept by blanks. */
enum hv_code pdf_read_text(struct pdf *pdf, struct pdf_range range, struct hv_str *pages,
                           struct hv_error *err) HV_MUST_CHECK;
/* A page as PNG bytes, its longer side `side` pixels, appended to png. */
enum hv_code pdf_draw_page(struct pdf *pdf, unsigned page, unsigned side, struct hv_buf *png,
                           struct hv_error *err) HV_MUST_CHECK;

#endif
