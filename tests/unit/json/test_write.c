/* test_write.c: what the JSON writer writes, and that the reader gets back what was put in. */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "json/number.h"

#include <float.h>
#include <helve/json.h>
#include <math.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define S(literal)                                                                                                     \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }

static const struct hv_json *must_parse(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *value = NULL;
    struct hv_error err;
    if (hv_json_parse(arena, text, HV_JSON_STRICT, &value, &err))
        fail_msg("%.*s: %s", HV_STR_ARG(text), err.message);
    return value;
}

static uint32_t seed = 13;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- structure ---- */

static void commas_and_colons_come_by_themselves(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 1000};
    struct hv_json_writer w;
    hv_json_writer_init(&w, &out);
    hv_json_begin_object(&w);
    hv_json_member_cstr(&w, "a", "b");
    hv_json_member_int(&w, "c", -7);
    hv_json_name(&w, "d");
    hv_json_begin_array(&w);
    hv_json_begin_array(&w);
    hv_json_end_array(&w);
    hv_json_put_null(&w);
    hv_json_put_bool(&w, true);
    hv_json_begin_object(&w);
    hv_json_end_object(&w);
    hv_json_put_double(&w, 0.5);
    hv_json_end_array(&w);
    hv_json_member_bool(&w, "e", false);
    hv_json_member_double(&w, "f", 2);
    hv_json_member_raw(&w, "g", HV_STR("[1 , 2]"));
    hv_json_member_string(&w, "h", HV_STR("a\0b"));
    hv_json_name_str(&w, HV_STR("quo\"te"));
    hv_json_put_cstr(&w, NULL);
    hv_json_member_string(&w, "", hv_str_of(NULL, 0));
    hv_json_end_object(&w);
    assert_string_equal(out.data, "{\"a\":\"b\",\"c\":-7,\"d\":[[],null,true,{},0.5],\"e\":false,\"f\":2,\"g\":[1 , 2],"
                                  "\"h\":\"a\\u0000b\",\"quo\\\"te\":null,\"\":null}");
}

static void objects_are_known_as_such_after_any_depth(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 100000};
    struct hv_json_writer w;
    hv_json_writer_init(&w, &out);
    for (int i = 0; i < 200; i++) {
        hv_json_begin_object(&w);
        hv_json_name(&w, "a");
    }
    hv_json_put_int(&w, 1);
    for (int i = 0; i < 200; i++) {
        hv_json_end_object(&w);
        if (i < 199)
            hv_json_member_int(&w, "b", i);
    }
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value = must_parse(&arena, hv_buf_str(&out));
    assert_int_equal(value->count, 2);
}

/* ---- strings ---- */

static const struct {
    struct hv_str text, inside;
} strings[] = {
    {S(""), S("")},
    {S("plain / text"), S("plain / text")},
    {S("\"\\"), S("\\\"\\\\")},
    {S("\b\f\n\r\t"), S("\\b\\f\\n\\r\\t")},
    {S("\0\x01\x1f\x7f"), S("\\u0000\\u0001\\u001f\x7f")},
    {S("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"), S("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80")},
    {S("a\x80"
       "b"),
     S("a\xef\xbf\xbd"
       "b")},
    {S("\xc3"), S("\xef\xbf\xbd")},
    {S("\xe2\x82"), S("\xef\xbf\xbd")},
    {S("\xf0\x9f\x98\""), S("\xef\xbf\xbd\\\"")},
    {S("\xed\xa0\x80"), S("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
    {S("\xc0\xaf"), S("\xef\xbf\xbd\xef\xbf\xbd")},
    {S("\xf4\x90\x80\x80"), S("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
};

/* Each string at every place of the steps and blocks in which text is copied. */
static void strings_are_escaped_wherever_they_stand(void **state)
{
    (void)state;
    char plain[1100];
    memset(plain, 'x', sizeof plain);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        for (size_t before = 0; before < 1060; before += before < 40 || before > 500 ? 1 : 61) {
            if (before > 560 && before < 1000)
                continue;
            CLEANUP_BUF struct hv_buf text = {.max = 5000};
            CLEANUP_BUF struct hv_buf expected = {.max = 5000};
            CLEANUP_BUF struct hv_buf out = {.max = 50000};
            hv_buf_add(&text, plain, before);
            hv_buf_add_str(&text, strings[i].text);
            hv_buf_add_byte(&text, 'y');
            hv_buf_add(&expected, plain, before);
            hv_buf_add_str(&expected, strings[i].inside);
            hv_buf_add_byte(&expected, 'y');
            char *exact = hv_malloc(text.len);
            memcpy(exact, text.data, text.len);
            hv_json_escape(&out, hv_str_of(exact, text.len));
            free(exact);
            if (!hv_str_eq(hv_buf_str(&out), hv_buf_str(&expected)))
                fail_msg("string %zu after %zu bytes", i, before);
        }
}

static void a_full_buffer_gets_what_exactly_fits_and_never_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        for (size_t max = 0; max < 40; max++) {
            CLEANUP_BUF struct hv_buf out = {.max = max};
            hv_json_escape(&out, strings[i].text);
            assert_int_equal(out.failed, max < strings[i].inside.len);
            assert_true(out.len <= max);
        }
}

static void random_bytes_come_back_as_the_repaired_text(void **state)
{
    (void)state;
    for (size_t round = 0; round < 5000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 5000};
        CLEANUP_BUF struct hv_buf repaired = {.max = 5000};
        char bytes[80];
        size_t len = any(sizeof bytes);
        for (size_t i = 0; i < len; i++)
            bytes[i] = any(2) ? (char)any(256) : "aB \"\\\n\xe2\x82\xac\xf0\x9f\xc3"[any(12)];
        struct hv_json_writer w;
        hv_json_writer_init(&w, &out);
        hv_json_put_string(&w, hv_str_of(bytes, len));
        utf8_repair(&repaired, hv_str_of(bytes, len));
        assert_true(utf8_valid(hv_buf_str(&out)));
        const struct hv_json *value = must_parse(&arena, hv_buf_str(&out));
        assert_true(hv_str_eq(value->text, hv_buf_str(&repaired)));
    }
}

/* ---- numbers ---- */

static void a_double_is_written_in_the_shortest_form_that_reads_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e21, "1e+21"},
        {1e-7, "1e-07"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {INFINITY, "null"},
        {NAN, "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 100};
        struct hv_json_writer w;
        hv_json_writer_init(&w, &out);
        hv_json_put_double(&w, rows[i].value);
        assert_string_equal(out.data, rows[i].text);
    }
    for (size_t round = 0; round < 3000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        uint64_t bits = (uint64_t)any(1u << 24) << 40 | (uint64_t)any(1u << 24) << 16 | any(1u << 16);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[NUMBER_TEXT_MAX];
        size_t len = number_format(text, value);
        assert_true(hv_json_double(must_parse(&arena, hv_str_of(text, len)), &back));
        assert_memory_equal(&value, &back, sizeof value);
    }
}

static void integers_are_written_to_both_ends_of_their_range(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {{0, "0"}, {-1, "-1"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 100};
        struct hv_json_writer w;
        hv_json_writer_init(&w, &out);
        hv_json_put_int(&w, rows[i].value);
        assert_string_equal(out.data, rows[i].text);
    }
}

/* ---- parsed values ---- */

static const char *const documents[] = {
    "null",
    "[]",
    "{}",
    "[[],{},[[]],[{}],\"\",0]",
    "{\"a\":{\"b\":{\"c\":[1,2,{\"d\":null}]}},\"e\":true,\"e\":false}",
    "[1.0,1E5,-0,123456789012345678901234567890,0.1e-999]",
    "[\"\\u0000\\\"\\\\\xc3\xbc\\n\"]",
};

static void a_parsed_value_is_written_as_it_was_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 1000};
        struct hv_json_writer w;
        hv_json_writer_init(&w, &out);
        hv_json_put_value(&w, must_parse(&arena, hv_str_from(documents[i])));
        assert_string_equal(out.data, documents[i]);
    }
    CLEANUP_BUF struct hv_buf out = {.max = 1000};
    struct hv_json_writer w;
    hv_json_writer_init(&w, &out);
    hv_json_begin_object(&w);
    hv_json_name(&w, "nothing");
    hv_json_put_value(&w, NULL);
    hv_json_end_object(&w);
    assert_string_equal(out.data, "{\"nothing\":null}");
}

/* Names, strings and numbers longer than what is written with one look at the room. */
static void add_long_document(struct hv_buf *out, int length)
{
    hv_buf_addf(out, "{\"%0*d\":[\"%0*d\\n\",1%0*d,{\"k\":null,\"%0*d\":true}],\"e\":{}}", length, 1, length, 2, length,
                3, length, 4);
}

static void long_values_are_written_whole(void **state)
{
    (void)state;
    for (int length = 1; length < 3000; length += length < 260 ? 97 : length < 560 ? 7 : 611) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf source = {.max = 1 << 20};
        CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
        struct hv_json_writer w;
        add_long_document(&source, length);
        hv_json_writer_init(&w, &out);
        hv_json_put_value(&w, must_parse(&arena, hv_buf_str(&source)));
        assert_string_equal(out.data, source.data);
    }
}

static void a_document_fits_exactly_or_fails(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf source = {.max = 1 << 20};
    add_long_document(&source, 40);
    const struct hv_json *value = must_parse(&arena, hv_buf_str(&source));
    for (size_t max = 0; max <= source.len + 1; max++) {
        CLEANUP_BUF struct hv_buf out = {.max = max};
        struct hv_json_writer w;
        hv_json_writer_init(&w, &out);
        hv_json_put_value(&w, value);
        assert_int_equal(out.failed, max < source.len);
        assert_true(out.len <= max && hv_str_starts(hv_buf_str(&source), hv_buf_str(&out)));
    }
}

/* A random document, with blanks and escapes that the writer would not use. */
static void add_random(struct hv_buf *out, unsigned depth)
{
    static const char *const scalars[] = {"null",         "true",      "false",       "0",       "-12.50e3",
                                          "\"\"",         "\"a\\/b\"", "\"\\u00fc\"", "\"\\n\"", "\"\xe2\x82\xac\"",
                                          "1234567890123"};
    uint32_t kind = depth < 6 ? any(4) : 0;
    if (kind < 2) {
        hv_buf_add_cstr(out, scalars[any(11)]);
        return;
    }
    hv_buf_add_cstr(out, kind == 2 ? "[ " : "{\n");
    for (uint32_t i = 0, count = any(5); i < count; i++) {
        if (i)
            hv_buf_add_cstr(out, " ,\t");
        if (kind == 3)
            hv_buf_addf(out, "\"k\\u003%u%u\" : ", any(10), i);
        add_random(out, depth + 1);
    }
    hv_buf_add_cstr(out, kind == 2 ? " ]" : "\r\n}");
}

static void random_documents_survive_writing_and_reading(void **state)
{
    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf source = {.max = 1 << 20};
        CLEANUP_BUF struct hv_buf once = {.max = 1 << 20};
        CLEANUP_BUF struct hv_buf twice = {.max = 1 << 20};
        struct hv_json_writer w;
        add_random(&source, 0);
        const struct hv_json *first = must_parse(&arena, hv_buf_str(&source));
        hv_json_writer_init(&w, &once);
        hv_json_put_value(&w, first);
        const struct hv_json *second = must_parse(&arena, hv_buf_str(&once));
        assert_true(hv_json_equal(first, second));
        hv_json_writer_init(&w, &twice);
        hv_json_put_value(&w, second);
        assert_string_equal(once.data, twice.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_colons_come_by_themselves),
        cmocka_unit_test(objects_are_known_as_such_after_any_depth),
        cmocka_unit_test(strings_are_escaped_wherever_they_stand),
        cmocka_unit_test(a_full_buffer_gets_what_exactly_fits_and_never_more),
        cmocka_unit_test(random_bytes_come_back_as_the_repaired_text),
        cmocka_unit_test(a_double_is_written_in_the_shortest_form_that_reads_back),
        cmocka_unit_test(integers_are_written_to_both_ends_of_their_range),
        cmocka_unit_test(a_parsed_value_is_written_as_it_was_read),
        cmocka_unit_test(long_values_are_written_whole),
        cmocka_unit_test(a_document_fits_exactly_or_fails),
        cmocka_unit_test(random_documents_survive_writing_and_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
