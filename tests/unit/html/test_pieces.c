/* test_pieces.c: the pieces in which the parser gets a page: what is left out of them, and that the rest is all there.
 */
#include "html/pieces.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void take_all(struct hv_str html, struct hv_buf *out)
{
    struct pieces pieces = {.html = html, .cut = {.max = 1 << 20}};
    struct hv_str piece;
    while (pieces_next(&pieces, &piece)) {
        assert_true(piece.len > 0 && piece.len <= (4 << 10) + (32 << 10) + 1);
        hv_buf_add_str(out, piece);
    }
    hv_buf_release(&pieces.cut);
}

static void what_nobody_reads_is_left_out(void **state)
{
    static const char *const rows[][2] = {
        {"a<b c=\"d>e\">f</b>", "a<b c=\"d>e\">f</b>"},
        {"a<!-- b -->c", "ac"},
        {"<!-->c", "c"},
        {"a<!--b", "a"},
        {"<!-- a --><!-- b -->", ""},
        {"<script>if (a<b) '</p>'</script>c", "<script></script>c"},
        {"<SCRIPT src=x>a</Script >c", "<SCRIPT src=x></Script >c"},
        {"<style>a<!--</style>c", "<style></style>c"},
        {"<script>a", "<script>"},
        {"<script src=x/>c", "<script src=x/>c"},
        {"<scripts>a</scripts>", "<scripts>a</scripts>"},
        {"a < b <3 <", "a < b <3 <"},
        {"<p title=\"never closed>x", "<p title=\"never closed>x"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
        take_all(hv_str_from(rows[i][0]), &out);
        if (!hv_str_is(hv_buf_str(&out), rows[i][1]))
            fail_msg("%s gave %.*s", rows[i][0], HV_STR_ARG(hv_buf_str(&out)));
    }
}

static void tags_have_a_limit(void **state)
{
    CLEANUP_BUF struct hv_buf html = {.max = 8 << 20}, out = {.max = 8 << 20};
    (void)state;
    hv_buf_add_cstr(&html, "a<img alt=b src=\"data:");
    for (int i = 0; i < 100000; i++)
        hv_buf_add_cstr(&html, "ä");
    hv_buf_add_cstr(&html, "\" id=c>text");
    for (int i = 0; i < 100000; i++)
        hv_buf_add_cstr(&html, " long");
    take_all(hv_buf_str(&html), &out);
    struct hv_str got = hv_buf_str(&out);
    assert_true(hv_str_starts(got, HV_STR("a<img alt=b src=\"\" id=c>text long")));
    assert_int_equal(got.len, strlen("a<img alt=b src=\"\" id=c>text") + 500000);
    hv_buf_clear(&html);
    hv_buf_clear(&out);
    hv_buf_add_cstr(&html, "<p");
    for (int i = 0; i < 100000; i++)
        hv_buf_add_cstr(&html, " a=1");
    hv_buf_add_cstr(&html, ">text");
    take_all(hv_buf_str(&html), &out);
    assert_true(out.len < 4000 && hv_str_ends(hv_buf_str(&out), HV_STR(">text")));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(what_nobody_reads_is_left_out),
                                              cmocka_unit_test(tags_have_a_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
