/* test_base64.c: RFC 4648 in both alphabets: there and back, and what a strict decoder refuses. */
#include "base/base64.h"
#include "base/cleanup.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const struct {
    const char *bytes, *standard, *url;
} pairs[] = {
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"\xfb\xff\xfe", "+//+", "-__-"},
    {"\xff", "/w==", "_w"},
};

static void bytes_and_text_belong_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int alphabet = BASE64_STANDARD; alphabet <= BASE64_URL; alphabet++) {
            CLEANUP_BUF struct hv_buf text = {.max = 100};
            CLEANUP_BUF struct hv_buf bytes = {.max = 100};
            const char *expected = alphabet == BASE64_URL ? pairs[i].url : pairs[i].standard;
            base64_encode(&text, hv_str_from(pairs[i].bytes), (enum base64_alphabet)alphabet);
            assert_true(hv_str_is(hv_buf_str(&text), expected));
            assert_int_equal(base64_encoded_size(strlen(pairs[i].bytes), (enum base64_alphabet)alphabet), text.len);
            assert_int_equal(base64_decode(&bytes, hv_str_from(expected), (enum base64_alphabet)alphabet, NULL), HV_OK);
            assert_true(hv_str_is(hv_buf_str(&bytes), pairs[i].bytes));
        }
}

static void all_lengths_and_bytes_come_back(void **state)
{
    (void)state;
    char source[300];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (char)(i * 151 + 7);
    for (size_t len = 0; len < sizeof source; len++) {
        CLEANUP_BUF struct hv_buf text = {.max = 1000};
        CLEANUP_BUF struct hv_buf bytes = {.max = 1000};
        base64_encode(&text, hv_str_of(source, len), len % 2 ? BASE64_URL : BASE64_STANDARD);
        assert_int_equal(base64_decode(&bytes, hv_buf_str(&text), len % 2 ? BASE64_URL : BASE64_STANDARD, NULL), HV_OK);
        assert_true(hv_str_eq(hv_buf_str(&bytes), hv_str_of(source, len)));
    }
}

static const struct {
    enum base64_alphabet alphabet;
    const char *text, *says;
} refused[] = {
    {BASE64_STANDARD, "Z", "whole number"},
    {BASE64_STANDARD, "Zg", "whole number"},
    {BASE64_STANDARD, "Zg=", "byte 2"},
    {BASE64_STANDARD, "Zg===", "byte 2"},
    {BASE64_STANDARD, "====", "byte 0"},
    {BASE64_STANDARD, "Z===", "byte 1"},
    {BASE64_STANDARD, "Zg==Zg==", "byte 2"},
    {BASE64_STANDARD, "Zm9v\n", "byte 4"},
    {BASE64_STANDARD, " Zm9v", "byte 0"},
    {BASE64_STANDARD, "Zm-v", "byte 2 (0x2d)"},
    {BASE64_STANDARD, "Zh==", "bits that belong to no byte"},
    {BASE64_STANDARD, "Zm9=", "bits that belong to no byte"},
    {BASE64_URL, "Zg==", "byte 2"},
    {BASE64_URL, "Z", "whole number"},
    {BASE64_URL, "Zm9vY", "whole number"},
    {BASE64_URL, "Zm+v", "byte 2"},
    {BASE64_URL, "Zh", "bits"},
};

static void anything_else_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CLEANUP_BUF struct hv_buf bytes = {.max = 100};
        struct hv_error err;
        hv_buf_add_cstr(&bytes, "kept");
        assert_int_equal(base64_decode(&bytes, hv_str_from(refused[i].text), refused[i].alphabet, &err), HV_EINVAL);
        if (!strstr(err.message, refused[i].says))
            fail_msg("\"%s\": %s", refused[i].text, err.message);
        assert_string_equal(bytes.data, "kept");
    }
}

static void what_does_not_fit_is_not_begun(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 7};
    base64_encode(&out, HV_STR("foobar"), BASE64_STANDARD);
    assert_true(out.failed && out.len == 0);
    CLEANUP_BUF struct hv_buf bytes = {.max = 5};
    assert_int_equal(base64_decode(&bytes, HV_STR("Zm9vYmFy"), BASE64_STANDARD, NULL), HV_ETOOBIG);
    assert_int_equal(bytes.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_text_belong_together),
        cmocka_unit_test(all_lengths_and_bytes_come_back),
        cmocka_unit_test(anything_else_is_refused_with_its_place),
        cmocka_unit_test(what_does_not_fit_is_not_begun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
