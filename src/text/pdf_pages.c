/* pdf_pages.c: see pdf_pages.h. */
#include "text/pdf_pages.h"

/* ---- what is asked for ---------------------------------------------------------------------------------- */

static enum hv_code fail_range(struct hv_str text, struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "pages is \"%.*s\", which is no page and no range of pages",
            HV_STR_ARG(hv_str_slice(text, 0, 40)));
    hv_error_hint(err, "Give one page (\"3\") or one range (\"1-5\"), counted from 1");
    return HV_EINVAL;
}

static bool parse_number(struct hv_str text, unsigned *out)
{
    int64_t value;
    text = hv_str_trim(text);
    if (!text.len || text.ptr[0] < '0' || text.ptr[0] > '9' || !hv_str_to_int64(text, &value) || value < 1 ||
        value > PDF_PAGE_NUMBER_MAX)
        return false;
    *out = (unsigned)value;
    return true;
}

enum hv_code pdf_range_parse(struct hv_str text, struct pdf_range *out, struct hv_error *err)
{
    struct pdf_range range;
    size_t dash = hv_str_find_byte(text, '-', 0);
    struct hv_str end = dash == SIZE_MAX ? text : hv_str_trim(hv_str_slice(text, dash + 1, text.len));
    if (!parse_number(hv_str_slice(text, 0, dash == SIZE_MAX ? text.len : dash), &range.first))
        return fail_range(text, err);
    range.last = dash == SIZE_MAX ? range.first : range.first + PDF_PAGES_MAX - 1;
    if (end.len && !parse_number(end, &range.last))
        return fail_range(text, err);
    if (range.last < range.first) {
        hv_fail(err, HV_EINVAL, "pages is \"%.*s\": the range ends before it begins", HV_STR_ARG(text));
        hv_error_hint(err, "Give the lower page first: \"%u-%u\"", range.last, range.first);
        return HV_EINVAL;
    }
    if (range.last - range.first >= PDF_PAGES_MAX) {
        hv_fail(err, HV_EINVAL, "pages is \"%.*s\": %u pages are too many for one call", HV_STR_ARG(text),
                range.last - range.first + 1);
        hv_error_hint(err, "Ask for at most %d pages at once: \"%u-%u\"", PDF_PAGES_MAX, range.first,
                      range.first + PDF_PAGES_MAX - 1);
        return HV_EINVAL;
    }
    *out = range;
    return HV_OK;
}

/* ---- what the programs say ------------------------------------------------------------------------------ */

/* Lines are "Name:      value". The title may hold anything but newlines: the first line of a name counts only where it
 * is not the document's own text, so numbers are taken from the last such line. */
bool pdf_info_parse(struct hv_str output, struct pdf_info *out)
{
    struct pdf_info info = {0};
    struct hv_str line, name;
    bool has_pages = false;
    while (hv_str_split(&output, '\n', &line)) {
        int64_t pages;
        if (!hv_str_split(&line, ':', &name))
            continue;
        struct hv_str value = hv_str_trim(line);
        if (hv_str_is(name, "Title") && !info.title.ptr) {
            info.title = value;
        } else if (hv_str_is(name, "Encrypted")) {
            info.encrypted = hv_str_starts(value, HV_STR("yes"));
        } else if (hv_str_is(name, "Pages") && hv_str_to_int64(value, &pages) && pages >= 0) {
            info.pages = pages > PDF_PAGE_NUMBER_MAX ? PDF_PAGE_NUMBER_MAX : (unsigned)pages;
            has_pages = true;
        }
    }
    if (has_pages)
        *out = info;
    return has_pages;
}

enum pdf_complaint pdf_complaint_of(struct hv_str output)
{
    static const struct {
        const char *words;
        enum pdf_complaint complaint;
    } known[] = {
        {"Incorrect password", PDF_COMPLAINT_PASSWORD},
        {"security handler", PDF_COMPLAINT_ENCRYPTED},
        {"is not allowed", PDF_COMPLAINT_FORBIDDEN},
        {"Couldn't find trailer dictionary", PDF_COMPLAINT_DAMAGED},
        {"Couldn't read xref table", PDF_COMPLAINT_DAMAGED},
        {"Couldn't read page catalog", PDF_COMPLAINT_DAMAGED},
        {"May not be a PDF file", PDF_COMPLAINT_DAMAGED},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (hv_str_find(output, hv_str_from(known[i].words), 0) != SIZE_MAX)
            return known[i].complaint;
    return PDF_COMPLAINT_NONE;
}

/* ---- pages of text -------------------------------------------------------------------------------------- */

/* Without the blank lines around it; the first line keeps its indent. */
static struct hv_str trim_lines(struct hv_str page)
{
    struct hv_str rest = page, line;
    while (rest.len) {
        struct hv_str before = rest;
        if (hv_str_split(&rest, '\n', &line) && hv_str_trim(line).len) {
            page = before;
            break;
        }
        page = rest;
    }
    while (page.len && (page.ptr[page.len - 1] == '\n' || page.ptr[page.len - 1] == ' '))
        page.len--;
    return page;
}

bool pdf_text_split(struct hv_str output, struct hv_str *pages, size_t count)
{
    size_t feeds = 0;
    for (size_t at = 0; (at = hv_str_find_byte(output, '\f', at)) != SIZE_MAX; at++)
        feeds++;
    if (feeds != count || (output.len && output.ptr[output.len - 1] != '\f'))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct hv_str page = {0};
        if (!hv_str_split(&output, '\f', &page))
            page = (struct hv_str){0};
        pages[i] = trim_lines(page);
    }
    return true;
}

bool pdf_page_is_bare(struct hv_str page)
{
    enum { ENOUGH = 8 }; /* a page number, or what a scanner stamps */
    size_t shown = 0;
    for (size_t i = 0; i < page.len && shown < ENOUGH; i++)
        shown += (unsigned char)page.ptr[i] > ' ' && (unsigned char)page.ptr[i] != 0x7f;
    return shown < ENOUGH;
}
