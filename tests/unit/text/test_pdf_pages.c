/* test_pdf_pages.c: which pages are asked for, and what poppler's programs say. */
#include "text/pdf_pages.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static void one_page_and_one_range_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned first, last;
    } rows[] = {{"3", 3, 3}, {"1-5", 1, 5}, {" 2 - 4 ", 2, 4}, {"7-7", 7, 7}, {"4-", 4, 23}, {"1-20", 1, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pdf_range range = {0};
        assert_int_equal(pdf_range_parse(hv_str_from(rows[i].text), &range, NULL), HV_OK);
        assert_int_equal(range.first, rows[i].first);
        assert_int_equal(range.last, rows[i].last);
    }
}

static void anything_else_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "no page"},      {"x", "no page"},           {"0", "no page"},
        {"-3", "no page"},    {"1,3", "no page"},         {"1-2-3", "no page"},
        {"+1", "no page"},    {"1.5", "no page"},         {"5-2", "before it"},
        {"1-21", "21 pages"}, {"99999999999", "no page"}, {"1-99999999999999999999", "no page"},
        {"-", "no page"},     {"1-1000000", "too many"},  {"0x1", "no page"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pdf_range range = {7, 7};
        struct hv_error err;
        assert_int_equal(pdf_range_parse(hv_str_from(rows[i].text), &range, &err), HV_EINVAL);
        if (!strstr(err.message, rows[i].message) || !err.hint[0])
            fail_msg("%s: %s", rows[i].text, err.message);
        assert_int_equal(range.first, 7); /* written on success only */
    }
}

static void the_count_of_pages_is_the_programs_own_word(void **state)
{
    (void)state;
    struct pdf_info info;
    assert_true(pdf_info_parse(
        HV_STR("Title:  A\nPages: 9\nProducer: x\nPages:          12\nEncrypted:      yes (print:no)\n"), &info));
    assert_int_equal(info.pages, 12);
    assert_true(info.encrypted);
    assert_true(hv_str_is(info.title, "A"));
    assert_true(pdf_info_parse(HV_STR("Pages: 99999999999\n"), &info));
    assert_int_equal(info.pages, PDF_PAGE_NUMBER_MAX);
    assert_false(pdf_info_parse(HV_STR("Pages: -1\n"), &info));
    assert_false(pdf_info_parse(HV_STR("Syntax Error"), &info));
    assert_false(pdf_info_parse((struct hv_str){0}, &info));
}

static void complaints_are_known(void **state)
{
    (void)state;
    assert_int_equal(pdf_complaint_of(HV_STR("Command Line Error: Incorrect password\n")), PDF_COMPLAINT_PASSWORD);
    assert_int_equal(pdf_complaint_of(HV_STR("Syntax Error: Couldn't read xref table\n")), PDF_COMPLAINT_DAMAGED);
    assert_int_equal(pdf_complaint_of(HV_STR("Syntax Error: Couldn't find the 'Adobe.PubSec' security handler\n")),
                     PDF_COMPLAINT_ENCRYPTED);
    assert_int_equal(pdf_complaint_of(HV_STR("")), PDF_COMPLAINT_NONE);
}

static void pages_are_split_where_they_end(void **state)
{
    (void)state;
    struct hv_str pages[3] = {0};
    assert_true(pdf_text_split(HV_STR("\n   one\n\n\f\ftwo\n  \n\f"), pages, 3));
    assert_true(hv_str_is(pages[0], "   one"));
    assert_true(hv_str_is(pages[1], ""));
    assert_true(hv_str_is(pages[2], "two"));
    assert_false(pdf_text_split(HV_STR("a\fb\f"), pages, 1)); /* one page too many: a form feed of the document's own */
    assert_false(pdf_text_split(HV_STR("a\f"), pages, 2));
    assert_false(pdf_text_split(HV_STR("a\fb"), pages, 1));
    assert_false(pdf_text_split(HV_STR(""), pages, 1));
}

static void a_page_without_text_is_bare(void **state)
{
    (void)state;
    assert_true(pdf_page_is_bare((struct hv_str){0}));
    assert_true(pdf_page_is_bare(HV_STR(" \n 12 \n")));
    assert_false(pdf_page_is_bare(HV_STR("Chapter 1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_page_and_one_range_are_taken),
        cmocka_unit_test(anything_else_is_refused_with_the_reason),
        cmocka_unit_test(the_count_of_pages_is_the_programs_own_word),
        cmocka_unit_test(complaints_are_known),
        cmocka_unit_test(pages_are_split_where_they_end),
        cmocka_unit_test(a_page_without_text_is_bare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
