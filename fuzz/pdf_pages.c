/*
 * pdf_pages.c: the words around PDF documents: the pages asked for, what pdfinfo says, what pdftotext prints; each from
 * the same bytes. Pages are views of the text, in order, with all that is visible in it.
 */
#include "text/pdf_pages.h"
#include "base/cleanup.h"
#include "parts.h"

static size_t visible(struct hv_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += (unsigned char)text.ptr[i] > ' ';
    return count;
}

static void check_pages(struct hv_str text, size_t count)
{
    struct hv_str pages[64];
    size_t shown = 0;
    if (!pdf_text_split(text, pages, count))
        return;
    const char *end = text.ptr;
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(!pages[i].len || (pages[i].ptr >= end && pages[i].ptr + pages[i].len <= text.ptr + text.len));
        end = pages[i].len ? pages[i].ptr + pages[i].len : end;
        shown += visible(pages[i]);
        (void)pdf_page_is_bare(pages[i]);
    }
    FUZZ_CHECK(shown == visible(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str bytes = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    struct pdf_range range = {0};
    struct hv_error err = {0};
    if (pdf_range_parse(bytes, &range, &err) == HV_OK)
        FUZZ_CHECK(range.first >= 1 && range.first <= range.last && range.last - range.first < PDF_PAGES_MAX);
    else
        FUZZ_CHECK(!range.first && err.message[0] && err.hint[0]);
    struct pdf_info info = {0};
    if (pdf_info_parse(bytes, &info))
        FUZZ_CHECK(info.pages <= PDF_PAGE_NUMBER_MAX);
    (void)pdf_complaint_of(bytes);
    size_t feeds = 0;
    for (size_t i = 0; i < size; i++)
        feeds += data[i] == '\f';
    if (feeds <= 64)
        check_pages(bytes, feeds);
    return 0;
}
