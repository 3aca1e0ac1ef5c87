/*
 * pdf_pages.h: the words of PDF: which pages are asked for, what `pdfinfo` says of a document, where the pages lie in
 * what `pdftotext` prints, and what the complaints of these programs mean. Pure; any thread.
 */
#ifndef TEXT_PDF_PAGES_H
#define TEXT_PDF_PAGES_H

#include <helve/str.h>

enum { PDF_PAGES_MAX = 20, PDF_PAGES_UNASKED = 10, PDF_PAGE_NUMBER_MAX = 1000000 };

/* Pages from 1, both included. first 0: none given. */
struct pdf_range {
    unsigned first, last;
};

/* "3", "1-5"; "4-" goes on for as many pages as one call shows. HV_EINVAL says what is wrong with anything else, and
 * with more than PDF_PAGES_MAX pages. */
enum hv_code pdf_range_parse(struct hv_str text, struct pdf_range *out, struct hv_error *err) HV_MUST_CHECK;

struct pdf_info {
    unsigned pages;      /* 0: the document says none */
    bool encrypted;      /* though it can be read without a password */
    struct hv_str title; /* a view, or absent */
};

/* False: this is not what pdfinfo prints of a document. */
bool pdf_info_parse(struct hv_str output, struct pdf_info *out);

enum pdf_complaint {
    PDF_COMPLAINT_NONE = 0,
    PDF_COMPLAINT_PASSWORD,
    PDF_COMPLAINT_ENCRYPTED, /* in a way that no password opens: for certificates, or one that is not known */
    PDF_COMPLAINT_DAMAGED,
    PDF_COMPLAINT_FORBIDDEN
};

/* What poppler's programs say on stderr. */
enum pdf_complaint pdf_complaint_of(struct hv_str output);

/* Split the output for `count` pages, each ended by a form feed, into pages[0..count-1], trimmed of blank lines at both
 * ends and of blanks at ends of lines only by the reader. False, and nothing is written: the number of form feeds is
 * another (a document can have some of its own): then ask page by page. */
bool pdf_text_split(struct hv_str output, struct hv_str *pages, size_t count);
/* The page has no text to speak of: a scan, a drawing, or empty. */
bool pdf_page_is_bare(struct hv_str page);

#endif
