/* test_memory.c: arenas, buffers with their maximum, growing arrays, errors in fixed storage. */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "base/vec.h"

#include <fcntl.h>
#include <helve/content.h>
#include <helve/host.h>
#include <poll.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define IS_POISONED(address) __asan_address_is_poisoned(address)
#else
#define IS_POISONED(address) ((void)(address), 1)
#endif

/* ---- arenas ---- */

static void an_arena_gives_aligned_memory_that_does_not_overlap(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    enum { COUNT = 2000 };
    static struct {
        unsigned char *memory;
        size_t size;
    } pieces[COUNT];
    uint32_t seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        pieces[i].size = i % 100 == 99 ? 300000 + (seed >> 16) : (seed >> 16) % 300;
        pieces[i].memory = hv_arena_alloc(&arena, pieces[i].size);
        assert_int_equal((uintptr_t)pieces[i].memory % 16, 0);
        memset(pieces[i].memory, (int)i, pieces[i].size);
        assert_true(IS_POISONED(pieces[i].memory + pieces[i].size));
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < pieces[i].size; k += 1 + k / 8)
            assert_int_equal(pieces[i].memory[k], (unsigned char)i);
}

static void texts_in_an_arena_end_in_a_nul(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str copy = hv_arena_str(&arena, hv_str_of("abcdef", 3));
    assert_true(hv_str_is(copy, "abc") && copy.ptr[3] == '\0');
    assert_null(hv_arena_str(&arena, hv_str_of(NULL, 0)).ptr);
    assert_non_null(hv_arena_str(&arena, HV_STR("")).ptr);
    assert_string_equal(hv_arena_cstr(&arena, hv_str_of(NULL, 0)), "");
    assert_true(hv_str_is(hv_arena_join(&arena, HV_STR("a"), HV_STR("b")), "ab"));
    assert_true(hv_str_is(hv_arena_join(&arena, hv_str_of(NULL, 0), hv_str_of(NULL, 0)), ""));
    assert_true(hv_str_is(hv_arena_format(&arena, "%s-%d", "x", 7), "x-7"));
    char *zeros = hv_arena_zalloc(&arena, 100, 10);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(zeros[i], 0);
}

struct record {
    char order[8];
    size_t count;
};

static struct record record;

static void note(void *data)
{
    record.order[record.count++] = *(char *)data;
}

static void cleanups_run_newest_first_once(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    char names[] = "abc";
    record = (struct record){0};
    hv_arena_on_release(&arena, note, &names[0]);
    hv_arena_on_release(&arena, note, &names[1]);
    hv_arena_reset(&arena);
    assert_string_equal(record.order, "ba");
    hv_arena_on_release(&arena, note, &names[2]);
    hv_arena_release(&arena);
    hv_arena_release(&arena);
    assert_string_equal(record.order, "bac");
}

static void a_reset_arena_is_empty_and_its_memory_poisoned(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (int round = 0; round < 3; round++) {
        char *memory = hv_arena_alloc(&arena, 100);
        (void)hv_arena_alloc(&arena, 1000000);
        assert_true(arena.used >= 1000100);
        hv_arena_reset(&arena);
        assert_int_equal(arena.used, 0);
        assert_true(IS_POISONED(memory));
    }
}

/* ---- buffers ---- */

static void a_buffer_takes_all_up_to_its_maximum_and_nothing_over_it(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf buf = {0};
    hv_buf_init(&buf, 10);
    assert_null(buf.data);
    assert_string_equal(hv_buf_str(&buf).ptr, "");
    hv_buf_add_cstr(&buf, "12345");
    hv_buf_addf(&buf, "%d", 67890);
    assert_false(buf.failed);
    assert_string_equal(buf.data, "1234567890");
    hv_buf_add_byte(&buf, 'x');
    assert_true(buf.failed && buf.len == 10);
    hv_buf_add(&buf, "", 0);
    assert_string_equal(buf.data, "1234567890");
    hv_buf_consume(&buf, 9);
    hv_buf_add_cstr(&buf, "y"); /* it stays failed: what comes after a gap would be wrong */
    assert_string_equal(buf.data, "0");
    hv_buf_clear(&buf);
    hv_buf_add_cstr(&buf, "z");
    assert_true(!buf.failed && buf.len == 1);
}

static void formatted_text_that_does_not_fit_leaves_what_was_there(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf buf = {.max = 70};
    hv_buf_addf(&buf, "%s", "0123456789"); /* memory is given in larger pieces than this */
    size_t capacity = buf.capacity;
    hv_buf_addf(&buf, "%0*d", (int)(capacity - 10), 7);
    assert_true(!buf.failed && buf.capacity > capacity);
    assert_int_equal(buf.len, capacity);
    assert_memory_equal(buf.data, "01234567890000", 14);
    assert_string_equal(buf.data + capacity - 3, "007");
    buf.len = 10;
    buf.data[10] = '\0';
    hv_buf_addf(&buf, "%0*d", 61, 7); /* there is room, but the maximum is less */
    assert_true(buf.failed && buf.len == 10);
    assert_string_equal(buf.data, "0123456789");
    hv_buf_addf(&buf, "%s", "x");
    assert_string_equal(buf.data, "0123456789");
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf buf = {0};
    hv_buf_init(&buf, SIZE_MAX / 2);
    hv_buf_add_cstr(&buf, "abc");
    assert_null(hv_buf_reserve(&buf, SIZE_MAX));
    assert_true(buf.failed);
    hv_buf_clear(&buf);
    assert_null(hv_buf_reserve(&buf, SIZE_MAX - 1));
    hv_buf_clear(&buf);
    assert_null(hv_buf_reserve(&buf, SIZE_MAX / 2 + 1));
    hv_buf_clear(&buf);
    char *room = hv_buf_reserve(&buf, 4);
    memcpy(room, "1234", 4);
    hv_buf_commit(&buf, 2);
    assert_string_equal(buf.data, "12");
}

static void a_buffer_with_maximum_zero_takes_the_empty_text_only(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf buf = {0};
    hv_buf_add_cstr(&buf, "");
    assert_false(buf.failed);
    hv_buf_add_cstr(&buf, "a");
    assert_true(buf.failed && buf.len == 0);
}

static void contents_can_be_dropped_and_taken(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf buf = {.max = 100};
    size_t len = 7;
    assert_null(hv_buf_take(&buf, &len));
    assert_int_equal(len, 0);
    hv_buf_add_cstr(&buf, "abcdef");
    hv_buf_consume(&buf, 2);
    assert_string_equal(buf.data, "cdef");
    CLEANUP_FREE char *taken = hv_buf_take(&buf, &len);
    assert_string_equal(taken, "cdef");
    assert_true(len == 4 && !buf.data && !buf.len && buf.max == 100);
    hv_buf_add_cstr(&buf, "x");
    hv_buf_consume(&buf, 100);
    assert_int_equal(buf.len, 0);
}

static void a_growing_array_keeps_its_elements(void **state)
{
    (void)state;
    VEC(size_t) numbers = {0};
    for (size_t i = 0; i < 1000; i++)
        *vec_push(&numbers) = i;
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i);
    vec_release(&numbers);
    assert_int_equal(numbers.count, 0);
}

/* ---- errors ---- */

static void an_error_holds_message_hint_and_place(void **state)
{
    (void)state;
    struct hv_error err;
    assert_int_equal(hv_fail(&err, HV_EINVAL, "bad %s", "thing"), HV_EINVAL);
    hv_error_hint(&err, "do %d", 1);
    hv_error_place(&err, "a[%d]", 2);
    hv_error_prefix(&err, "file: ");
    assert_string_equal(err.message, "file: bad thing");
    assert_string_equal(err.hint, "do 1");
    assert_string_equal(err.place, "a[2]");
    assert_int_equal(hv_fail_errno(&err, ENOENT, "cannot open %s", "x"), HV_ENOTFOUND);
    assert_string_equal(err.message, "cannot open x: No such file or directory");
    assert_int_equal(err.sys_errno, ENOENT);
    assert_true(!err.hint[0] && !err.place[0]);
    assert_int_equal(hv_fail_errno(&err, ENOSPC, "cannot write %s", "x"), HV_ENOSPC);
    assert_string_equal(err.hint, "Free some space on that disk, then try again");
    assert_int_equal(hv_fail(NULL, HV_EIO, "x"), HV_EIO);
    assert_int_equal(hv_fail_errno(NULL, ENOSPC, "x"), HV_ENOSPC);
    hv_error_hint(NULL, "x");
    hv_error_place(NULL, "x");
    hv_error_prefix(NULL, "x");
}

static void long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 5; shift++) {
        char text[3000] = "xxxxx";
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 5);
        struct hv_error err;
        hv_fail(&err, HV_EINVAL, "%s", text);
        hv_error_hint(&err, "%s", text);
        hv_error_place(&err, "%s", text);
        assert_true(utf8_valid(hv_str_from(err.message)) && strlen(err.message) > HV_ERROR_MESSAGE_MAX - 5);
        assert_true(utf8_valid(hv_str_from(err.hint)) && utf8_valid(hv_str_from(err.place)));
        hv_error_prefix(&err, "prefix: ");
        assert_true(utf8_valid(hv_str_from(err.message)) && strlen(err.message) > HV_ERROR_MESSAGE_MAX - 5);
        hv_error_prefix(&err, "%s", text);
        assert_true(utf8_valid(hv_str_from(err.message)));
    }
}

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = HV_OK; a <= HV_EINTERNAL; a++)
        for (int b = HV_OK; b < a; b++)
            assert_string_not_equal(hv_code_name((enum hv_code)a), hv_code_name((enum hv_code)b));
    assert_string_equal(hv_code_name((enum hv_code)1000), "unknown");
    assert_int_equal(hv_code_from_errno(0), HV_OK);
    for (int number = 1; number < 140; number++)
        assert_true(hv_code_from_errno(number) != HV_OK);
}

/* ---- results and cancellation ---- */

static void blocks_stay_in_order(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_result result = {0};
    hv_result_add_text(&result, &arena, HV_STR("one"));
    hv_result_addf(&result, &arena, "%s", "two");
    hv_result_add(&result, &arena, HV_CONTENT_IMAGE)->media_type = HV_STR("image/png");
    assert_true(hv_str_is(result.first->text, "one") && hv_str_is(result.first->next->text, "two"));
    assert_true(result.last == result.first->next->next && !result.is_error);
    struct hv_error err;
    hv_fail(&err, HV_EINVAL, "wrong");
    hv_error_hint(&err, "Do better");
    hv_error_place(&err, "field");
    hv_result_error(&result, &arena, &err);
    assert_true(result.is_error && hv_str_is(result.last->text, "field: wrong. Do better"));
}

static void a_cancellation_is_seen_by_flag_and_descriptor(void **state)
{
    (void)state;
    struct hv_cancel *cancel = hv_cancel_new();
    assert_non_null(cancel);
    struct pollfd watched = {.fd = hv_cancel_fd(cancel), .events = POLLIN};
    assert_true(!hv_cancelled(cancel) && poll(&watched, 1, 0) == 0);
    hv_cancel_raise(cancel);
    hv_cancel_raise(cancel);
    assert_true(hv_cancelled(cancel) && poll(&watched, 1, 0) == 1);
    assert_true(fcntl(watched.fd, F_GETFD) & FD_CLOEXEC);
    hv_cancel_free(cancel);
    hv_cancel_free(NULL);
    hv_cancel_raise(NULL);
    assert_true(!hv_cancelled(NULL) && hv_cancel_fd(NULL) == -1);
}

static void a_descriptor_asked_for_after_the_cancellation_is_readable(void **state)
{
    (void)state;
    struct hv_cancel *cancel = hv_cancel_new();
    hv_cancel_raise(cancel);
    struct pollfd watched = {.fd = hv_cancel_fd(cancel), .events = POLLIN};
    assert_true(watched.fd >= 0 && poll(&watched, 1, 0) == 1);
    assert_int_equal(hv_cancel_fd(cancel), watched.fd);
    hv_cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_gives_aligned_memory_that_does_not_overlap),
        cmocka_unit_test(texts_in_an_arena_end_in_a_nul),
        cmocka_unit_test(cleanups_run_newest_first_once),
        cmocka_unit_test(a_reset_arena_is_empty_and_its_memory_poisoned),
        cmocka_unit_test(a_buffer_takes_all_up_to_its_maximum_and_nothing_over_it),
        cmocka_unit_test(formatted_text_that_does_not_fit_leaves_what_was_there),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(a_buffer_with_maximum_zero_takes_the_empty_text_only),
        cmocka_unit_test(contents_can_be_dropped_and_taken),
        cmocka_unit_test(a_growing_array_keeps_its_elements),
        cmocka_unit_test(an_error_holds_message_hint_and_place),
        cmocka_unit_test(long_texts_are_cut_at_a_character),
        cmocka_unit_test(every_code_has_a_name_of_its_own),
        cmocka_unit_test(blocks_stay_in_order),
        cmocka_unit_test(a_cancellation_is_seen_by_flag_and_descriptor),
        cmocka_unit_test(a_descriptor_asked_for_after_the_cancellation_is_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
