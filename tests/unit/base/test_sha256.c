/* test_sha256.c: the sums of the standard, in any pieces, with and without the machine's instructions. */
#include "base/sha256.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void sum_of(const char *bytes, size_t len, size_t piece, char hex[SHA256_HEX + 1])
{
    struct sha256 sum;
    sha256_begin(&sum);
    for (size_t at = 0; at < len; at += piece)
        sha256_add(&sum, bytes + at, len - at < piece ? len - at : piece);
    sha256_end(&sum, hex);
}

static void the_examples_of_the_standard_come_out(void **state)
{
    static const struct {
        const char *text, *sum;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
         "nopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    (void)state;
    char hex[SHA256_HEX + 1];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        sum_of(examples[i].text, strlen(examples[i].text), 1000, hex);
        assert_string_equal(hex, examples[i].sum);
    }
    char *million = hv_malloc(1000000);
    memset(million, 'a', 1000000);
    sum_of(million, 1000000, 4097, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void pieces_make_no_difference(void **state)
{
    (void)state;
    char bytes[300], whole[SHA256_HEX + 1], hex[SHA256_HEX + 1];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        sum_of(bytes, len, 1000, whole);
        for (size_t piece = 1; piece < 140; piece += 9) {
            sum_of(bytes, len, piece, hex);
            assert_string_equal(hex, whole);
        }
    }
}

static void plain_c_and_instructions_agree(void **state)
{
    (void)state;
    unsigned char blocks[20 * SHA256_BLOCK];
    struct sha256 plain, fast;
    sha256_begin(&plain);
    sha256_begin(&fast);
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (unsigned char)(i * i + 13 * i);
    for (size_t i = 0; i < 20; i++)
        compress_plain(plain.state, blocks + i * SHA256_BLOCK);
    if (has_instructions())
        compress_x86(fast.state, blocks, 20);
    else
        compress(&fast, blocks, 20);
    assert_memory_equal(plain.state, fast.state, sizeof plain.state);
}

static void names_of_sums_are_told_from_others(void **state)
{
    (void)state;
    assert_true(sha256_is_hex(HV_STR("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")));
    assert_false(sha256_is_hex(HV_STR("CDC76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")));
    assert_false(sha256_is_hex(HV_STR("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd")));
    assert_false(sha256_is_hex(HV_STR("../76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")));
    assert_false(sha256_is_hex((struct hv_str){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_come_out),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(plain_c_and_instructions_agree),
        cmocka_unit_test(names_of_sums_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
