/* test_read.c: what the JSON reader accepts, refuses, says about it, and builds. */
#include "base/cleanup.h"

#include <helve/json.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define T(literal)                                                                                                     \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }

static enum hv_code parse(struct hv_arena *arena, struct hv_str text, unsigned flags, const struct hv_json **out,
                          struct hv_error *err)
{
    /* A copy of exact size on the heap, so that the address sanitizer sees every read beyond the end. */
    char *copy = hv_arena_alloc(arena, text.len);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return hv_json_parse(arena, hv_str_of(copy, text.len), flags, out, err);
}

static const struct hv_json *must_parse(struct hv_arena *arena, const char *text, unsigned flags)
{
    const struct hv_json *value = NULL;
    struct hv_error err;
    if (parse(arena, hv_str_from(text), flags, &value, &err) != HV_OK)
        fail_msg("%s: %s (%s)", text, err.message, err.place);
    return value;
}

/* ---- accepted and refused ------------------------------------------------------------------------------ */

static const struct hv_str accepted[] = {
    /* structure */
    T("[]"),
    T("{}"),
    T(" [] "),
    T("[[]   ]"),
    T("\t[\r\n1\n]\r"),
    T("[null, 1, \"1\", {}]"),
    T("[1,null,null,2]"),
    T("[\"a\"]\n"),
    T("{\"a\":[]}"),
    T("{\"a\":\"b\",\"a\":\"c\"}"),
    T("{\"\":0}"),
    T("{\n\"a\"\n:\n\"b\"\n}"),
    T("[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]"),
    T("[{\"a\":[{\"b\":[{}]}]}]"),
    T("{\"a\":{},\"b\":[],\"c\":{\"d\":1}}"),
    T("{\"asd\":\"sdf\", \"dfg\":\"fgh\"}"),
    T("{\"foo\\u0000bar\": 42}"),
    T("{\"a\\\"b\":1}"),
    T("[true,false,null]"),
    /* top-level scalars */
    T("true"),
    T("false"),
    T("null"),
    T("42"),
    T("-0.1"),
    T("\"asd\""),
    T("\"\""),
    T("0"),
    T(" 7 "),
    /* numbers */
    T("[0]"),
    T("[-0]"),
    T("[-0.0]"),
    T("[0e1]"),
    T("[0e+1]"),
    T("[0E-0]"),
    T("[20e1]"),
    T("[-123]"),
    T("[1E22]"),
    T("[1E-2]"),
    T("[1e+2]"),
    T("[123.456e78]"),
    T("[123.456789]"),
    T("[10]"),
    T("[1e00000000000000000001]"),
    T("[9223372036854775808]"),
    T("[-123123123123123123123123123123]"),
    T("[1.5e+9999]"),
    T("[123e-10000000]"),
    T("[-0.00000000000000000000000000000000000000000000000000000000000000000000000000000001]"),
    T("{ \"min\": -1.0e+28, \"max\": 1.0e+28 }"),
    /* strings */
    T("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"),
    T("[\"\\u0060\\u012a\\u12AB\"]"),
    T("[\"\\uD801\\udc37\"]"),
    T("[\"\\ud83d\\ude39\\ud83d\\udc8d\"]"),
    T("[\"\\\\u0000\"]"),
    T("[\"\\\"\"]"),
    T("[\"a/*b*/c/*d//e\"]"),
    T("[\"\\\\a\"]"),
    T("[\"\\u0012\"]"),
    T("[\"\\uFFFF\"]"),
    T("[\"\\uDBFF\\uDFFF\"]"),
    T("[\"\\u0000\"]"),
    T("[\"\xcf\x80\"]"),
    T("[\"\xf4\x8f\xbf\xbf\"]"),
    T("[\"\xef\xbf\xbf\"]"),
    T("[\"\xed\x9f\xbf\"]"),
    T("[\"\xee\x80\x80\"]"),
    T("[\"\xe0\xa0\x80\"]"),
    T("[\"\xf0\x90\x80\x80\"]"),
    T("[\"\xc2\x80\"]"),
    T("[\"\xe2\x80\xa8\xe2\x80\xa9\"]"),
    T("[\"a\x7f"
      "a\"]"),
    T("[\"\\uA66D\\u005C\\u0022\"]"),
    T("[\"\\uDBFF\\uDFFE\\uFDD0\\u200B\"]"),
    T("[\"\xe2\x82\xac\xf0\x9d\x84\x9e\"]"),
    T("[\"0123456789abcdef0123456789abcdef\\n0123456789abcdef\"]"),
    T("\"\\ud834\\udd1E\""),
    T("\" \""),
};

static const struct hv_str refused[] = {
    /* nothing, blanks, foreign bytes */
    T(""),
    T(" "),
    T("\n"),
    T("\xef\xbb\xbf"),
    T("\xef\xbb\xbf{}"),
    T("\xef\xbb{}"),
    T("\xe9"),
    T("\0"),
    T("[\0]"),
    T("123\0"),
    T("[\f]"),
    T("[\v1]"),
    T("[\xe2\x81\xa0]"),
    T("[\xc2\xa0"
      "1]"),
    T("*"),
    T("<.>"),
    T("[<null>]"),
    T("a\xc3\xa5"),
    T("\xff\xfe[\0]\0"),
    T("\0[\0]"),
    T("@"),
    T("\x7f"),
    /* literals */
    T("[tru]"),
    T("[nul]"),
    T("[fals]"),
    T("[truth]"),
    T("[True]"),
    T("[NULL]"),
    T("nulls"),
    T("true1"),
    T("t"),
    T("nan"),
    T("[nullx]"),
    T("undefined"),
    T("[ true, fals"),
    T("[ false, nul"),
    T("abc"),
    T("[trueefalse]"),
    /* numbers */
    T("[+1]"),
    T("[++1]"),
    T("[+Inf]"),
    T("[-]"),
    T("-"),
    T("[--1]"),
    T("[-01]"),
    T("[012]"),
    T("[00]"),
    T("[0123]"),
    T("[1.]"),
    T("[-2.]"),
    T("[.5]"),
    T("[-.5]"),
    T("[.-1]"),
    T("[1.e3]"),
    T("[2.e+3]"),
    T("[0.e1]"),
    T("[1e]"),
    T("[1e+]"),
    T("[1E-]"),
    T("[0.3e]"),
    T("[0e+-1]"),
    T("[1eE2]"),
    T("[1ea]"),
    T("[1.0.]"),
    T("[0.1.2]"),
    T("[1 000.0]"),
    T("[1_000]"),
    T("[1,000"),
    T("[0x1]"),
    T("[0x42]"),
    T("[1f]"),
    T("[1.2a-3]"),
    T("[- 1]"),
    T("[-foo]"),
    T("[-1x]"),
    T("[1+2]"),
    T("[Inf]"),
    T("[NaN]"),
    T("[-NaN]"),
    T("[Infinity]"),
    T("[-Infinity]"),
    T("[\xef\xbc\x91]"),
    T("[0\xe5]"),
    T("[1e1\xe5]"),
    T("[123\xe5]"),
    T("2@"),
    T("1]"),
    T("1 2"),
    T("0b1"),
    T("1e1.5"),
    /* strings */
    T("\""),
    T("[\""),
    T("[\"a"),
    T("[\"asd]"),
    T("[\"\\"),
    T("[\"\\\"]"),
    T("[\"\\\\\\\"]"),
    T("['a']"),
    T("[\"\\x00\"]"),
    T("[\"\\a\"]"),
    T("[\"\\'\"]"),
    T("[\"\\0\"]"),
    T("[\"\\ \"]"),
    T("[\"\\\t\"]"),
    T("[\"\\\0\"]"),
    T("[\"\\\xf0\x9f\x8c\x80\"]"),
    T("[\"\\\xe5\"]"),
    T("\"\\UA66D\""),
    T("[\"\\u\"]"),
    T("[\"\\u00A\"]"),
    T("[\"\\uqqqq\"]"),
    T("[\"\\u00G0\"]"),
    T("[\"\\u-123\"]"),
    T("[\"\\u 123\"]"),
    T("[\"\\u\xe5\"]"),
    T("[\"\\uD834\\uDd\"]"),
    T("[\"\\uD800\\\"]"),
    T("[\"\\uD800\\u\"]"),
    T("[\"\\uD800\\u1\"]"),
    T("[\"\\uD800\\u1x\"]"),
    T("[\"\\ud800\"]"),
    T("[\"\\ud800abc\"]"),
    T("[\"\\uDFAA\"]"),
    T("[\"\\uD888\\u1234\"]"),
    T("[\"\\uDd1e\\uD834\"]"),
    T("[\"\\uD800\\n\"]"),
    T("[\"\\uD800\\uD800\\x\"]"),
    T("{\"\\uDFAA\":0}"),
    T("[\"new\nline\"]"),
    T("[\"\t\"]"),
    T("[\"a\0a\"]"),
    T("[\"\x1f\"]"),
    T("\"\"x"),
    T("[\\u0020\"asd\"]"),
    T("[\\n]"),
    T("[\xc3\xa9]"),
    T("\"a\r\""),
    /* UTF-8 */
    T("[\"\x80\"]"),
    T("[\"\xbf\"]"),
    T("[\"\xff\"]"),
    T("[\"\xfe\"]"),
    T("[\"\xc0\xaf\"]"),
    T("[\"\xc1\xbf\"]"),
    T("[\"\xe0\x9f\xbf\"]"),
    T("[\"\xf0\x8f\xbf\xbf\"]"),
    T("[\"\xed\xa0\x80\"]"),
    T("[\"\xed\xbf\xbf\"]"),
    T("[\"\xf4\x90\x80\x80\"]"),
    T("[\"\xf5\x80\x80\x80\"]"),
    T("[\"\xe2\x82\"]"),
    T("[\"\xf0\x9f\x98\"]"),
    T("[\"\xe2\x28\xa1\"]"),
    T("[\"\xfc\x83\xbf\xbf\xbf\xbf\"]"),
    T("{\"\xff\":1}"),
    T("\"\xe2\x82"),
    T("[\"abcdefghijklmnopqrstuvwxyz\xe9\"]"),
    T("[\"\xe6\x97\xa5\xd1\x88\xfa\"]"),
    /* arrays */
    T("["),
    T("[1"),
    T("[,"),
    T("[,1]"),
    T("[1,]"),
    T("[1,,2]"),
    T("[,]"),
    T("[\"x\",,]"),
    T("[1 true]"),
    T("[3[4]]"),
    T("[1:2]"),
    T("[\"\": 1]"),
    T("[\"x\"]]"),
    T("[\"\"],"),
    T("[1;2]"),
    T("[][]"),
    T("]"),
    T("[}"),
    T("[1}"),
    T("[x"),
    T("[*]"),
    T("[{}"),
    T("[\"a\",\n4\n,1,"),
    T("[1]x"),
    T("[   , \"\"]"),
    T("[1,\n1\n,1"),
    T("[{"),
    T("[\"\\{[\"\\{[\"\\{[\"\\{"),
    /* objects */
    T("{"),
    T("{]"),
    T("{,"),
    T("{["),
    T("{\"a"),
    T("{\"a\""),
    T("{\"a\":"),
    T("{\"a\":1"),
    T("{\"a\":1,"),
    T("{\"a\":1,}"),
    T("{\"a\":1,,}"),
    T("{\"a\" 1}"),
    T("{\"a\"::1}"),
    T("{\"a\",1}"),
    T("{:1}"),
    T("{1:1}"),
    T("{a:1}"),
    T("{'a':1}"),
    T("{null:null}"),
    T("{[]:1}"),
    T("{true:1}"),
    T("{\"a\":1 \"b\":2}"),
    T("{\"a\":1,,\"b\":2}"),
    T("{\"a\":1;\"b\":2}"),
    T("{\"a\":\"b\" 123}"),
    T("{ \"foo\" : \"bar\", \"a\" }"),
    T("{}}"),
    T("{\"a\":1]"),
    T("{\"a\":/*c*/1}"),
    T("{\"a\":1}/**/"),
    T("{\"a\":1}//"),
    T("{\"a\":1}#"),
    T("{\"a\": true} \"x\""),
    T("{\"x\": true,"),
    T("{[: \"x\"}"),
    T("{\xf0\x9f\x87\xa8:1}"),
    T("{\"\x80\":\"0\",}"),
    T("// c\n1"),
    T("{\"a\":}"),
    T("{\"a\"=1}"),
    T("{9999E9999:1}"),
};

static void test_accepts_what_the_standard_allows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *value = NULL;
        struct hv_error err = {0};
        if (parse(&arena, accepted[i], HV_JSON_STRICT, &value, &err) != HV_OK)
            fail_msg("refused %s: %s", accepted[i].ptr, err.message);
        assert_non_null(value);
    }
}

static void test_refuses_what_the_standard_does_not_allow(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json untouched = {0}, *value = &untouched;
        struct hv_error err = {0};
        if (parse(&arena, refused[i], HV_JSON_STRICT, &value, &err) != HV_EINVAL)
            fail_msg("accepted %s", refused[i].ptr);
        assert_ptr_equal(value, &untouched);
        assert_int_equal(err.code, HV_EINVAL);
        assert_non_null(strstr(err.message, "at byte "));
        assert_non_null(strchr(err.place, ':'));
        assert_int_equal(parse(&arena, refused[i], HV_JSON_STRICT, &value, NULL), HV_EINVAL);
    }
}

static void test_every_cut_of_a_document_is_refused_at_its_end(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"a\":[1,-2.5e+3,true,null,\"x\\n\\u00e9\\ud83d\\ude00\xc3\xa9\"],\"b\":{\"c\":false}}";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *value;
        struct hv_error err;
        assert_int_equal(parse(&arena, hv_str_of(whole, length), 0, &value, &err), HV_EINVAL);
        /* Only a cut within the pair of surrogates or the last character leaves something that is wrong by itself. */
        if (!strstr(err.message, "the text ends there") && !strstr(err.message, "UTF-8") &&
            !strstr(err.message, "surrogate"))
            fail_msg("%zu: %s", length, err.message);
    }
}

/* ---- what errors say ----------------------------------------------------------------------------------- */

static void test_errors_name_place_expectation_and_remedy(void **state)
{
    (void)state;
    static const struct {
        struct hv_str text;
        const char *place, *message, *hint;
    } rows[] = {
        {T("[1,\n  2,\n  x]"), "3:3", "expected a value at byte 11, found: x]", ""},
        {T("{\"a\": 1,}"), "1:9", "expected a member name in double quotes at byte 8, found: }", "remove the comma"},
        {T("[1,]"), "1:4", "expected a value at byte 3, found: ]", "remove the comma"},
        {T("{'a': 1}"), "1:2", "expected a member name", "double quotes"},
        {T("['a']"), "1:2", "expected a value", "double quotes"},
        {T("{a: 1}"), "1:2", "expected a member name in double quotes", ""},
        {T("[1 2]"), "1:4", "expected ',' or ']' after an element at byte 3", ""},
        {T("{\"a\":1 \"b\":2}"), "1:8", "expected ',' or '}' after a member", ""},
        {T("{\"a\" 1}"), "1:6", "expected ':' after a member name", ""},
        {T("{} x"), "1:4", "expected nothing after the value at byte 3, found: x", ""},
        {T("[NaN]"), "1:2", "expected a value", "NaN"},
        {T("[1, // one\n2]"), "1:5", "expected a value", "no comments"},
        {T("[\"a\nb\"]"), "1:4", "control character U+000A inside a string", "\\n"},
        {T("[\"\\q\"]"), "1:3", "no such escape sequence", "\\\\"},
        {T("[\"\xc3\xa9\", \"\\ud800\"]"), "1:8", "half of a surrogate pair", "both halves"},
        {T("[\"\xe9\"]"), "1:3", "invalid UTF-8 inside a string at byte 2, found: \\xe9", "UTF-8"},
        {T("[1, 2"), "1:6", "expected ',' or ']' after an element at byte 5, but the text ends there", "cut off"},
        {T("{\"key\": \"val"), "1:13", "expected the closing quote of a string", "cut off"},
        {T("[tr"), "1:4", "but the text ends there", "cut off"},
        {T(""), "1:1", "but the text ends there", "empty"},
        {T("[01]"), "1:2", "superfluous 0", "leading zeros"},
        {T("\xef\xbb\xbf{}"), "1:1", "expected a value", "byte-order mark"},
        {T("{\\\"a\\\": 1}"), "1:2", "expected a member name", "escaped twice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *value;
        struct hv_error err;
        assert_int_equal(parse(&arena, rows[i].text, 0, &value, &err), HV_EINVAL);
        if (strcmp(err.place, rows[i].place) != 0 || !strstr(err.message, rows[i].message) ||
            !strstr(err.hint, rows[i].hint))
            fail_msg("%s gave \"%s\" at %s, hint \"%s\"", rows[i].text.ptr, err.message, err.place, err.hint);
    }
}

static void test_a_quoted_spot_is_short_and_printable(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    struct hv_error err;
    static const char text[] = "[\x01\x02\xff\xe6\x97\xa5 and then a very long text follows that is not wanted";
    assert_int_equal(parse(&arena, hv_str_of(text, sizeof text - 1), 0, &value, &err), HV_EINVAL);
    assert_string_equal(err.message, "expected a value at byte 1, found: \\x01\\x02\\xff\xe6\x97\xa5 and then a ");
}

/* ---- limits -------------------------------------------------------------------------------------------- */

static enum hv_code parse_nested(size_t levels, const char *opening, const char *closing, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf buf = {.max = 1 << 24};
    const struct hv_json *value;
    for (size_t i = 0; i < levels; i++)
        hv_buf_add_cstr(&buf, opening);
    hv_buf_add_cstr(&buf, *opening == '{' ? "1" : "");
    for (size_t i = 0; i < levels && closing; i++)
        hv_buf_add_cstr(&buf, closing);
    return hv_json_parse(&arena, hv_buf_str(&buf), 0, &value, err);
}

static void test_depth_ends_at_512(void **state)
{
    (void)state;
    struct hv_error err = {0};
    assert_int_equal(parse_nested(HV_JSON_DEPTH_MAX, "[", "]", &err), HV_OK);
    assert_int_equal(parse_nested(HV_JSON_DEPTH_MAX, "{\"a\":", "}", &err), HV_OK);
    assert_int_equal(parse_nested(HV_JSON_DEPTH_MAX + 1, "[", "]", &err), HV_ETOOBIG);
    assert_string_equal(err.place, "1:513");
    assert_int_equal(parse_nested(100000, "[", "]", &err), HV_ETOOBIG);
    assert_int_equal(parse_nested(100000, "[", NULL, &err), HV_ETOOBIG);
    assert_int_equal(parse_nested(100000, "{\"a\":", "}", &err), HV_ETOOBIG);
    assert_non_null(strstr(err.message, "512 levels"));
    assert_true(err.hint[0] != '\0');
}

static void test_more_than_4_gib_are_refused_without_being_read(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    struct hv_error err;
    assert_int_equal(hv_json_parse(&arena, hv_str_of("[", (size_t)5 << 30), 0, &value, &err), HV_ETOOBIG);
    assert_non_null(strstr(err.message, "4 GiB"));
    assert_int_equal(arena.used, 0);
}

static void test_many_siblings_and_long_strings(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf buf = {.max = 1 << 24};
    hv_buf_add_cstr(&buf, "[\"");
    for (int i = 0; i < COUNT; i++)
        hv_buf_add_cstr(&buf, "0123456789\\n\xc3\xa9");
    hv_buf_add_cstr(&buf, "\"");
    for (int i = 0; i < COUNT; i++)
        hv_buf_addf(&buf, ",%d", i);
    hv_buf_add_cstr(&buf, "]");
    const struct hv_json *value;
    assert_int_equal(hv_json_parse(&arena, hv_buf_str(&buf), 0, &value, NULL), HV_OK);
    assert_int_equal(value->count, COUNT + 1);
    assert_int_equal(value->first->text.len, COUNT * 13);
    int64_t number;
    assert_true(hv_json_int64(hv_json_at(value, COUNT), &number));
    assert_int_equal(number, COUNT - 1);
    assert_null(hv_json_at(value, COUNT + 1));
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

static void assert_source(const struct hv_json *value, const char *text, const char *expected)
{
    struct hv_str source = hv_json_source(value, hv_str_from(text));
    if (!hv_str_is(source, expected))
        fail_msg("source is %.*s, not %s", HV_STR_ARG(source), expected);
}

static void test_every_value_knows_its_bytes(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *text = " { \"a\" : [1, 2.50 ,\"x\\ny\"] , \"\\u0062\":{\"c\":null} } ";
    const struct hv_json *root = must_parse(&arena, text, 0);
    assert_int_equal(root->type, HV_JSON_OBJECT);
    assert_int_equal(root->count, 2);
    assert_source(root, text, "{ \"a\" : [1, 2.50 ,\"x\\ny\"] , \"\\u0062\":{\"c\":null} }");
    const struct hv_json *a = hv_json_get(root, "a");
    assert_source(a, text, "[1, 2.50 ,\"x\\ny\"]");
    assert_source(hv_json_at(a, 1), text, "2.50");
    assert_true(hv_str_is(hv_json_at(a, 1)->text, "2.50"));
    assert_source(hv_json_at(a, 2), text, "\"x\\ny\"");
    assert_true(hv_str_is(hv_json_string(hv_json_at(a, 2)), "x\ny"));
    const struct hv_json *b = hv_json_get(root, "b");
    assert_true(hv_str_is(hv_str_slice(hv_str_from(text), b->key_start, b->key_end), "\"\\u0062\""));
    assert_source(b, text, "{\"c\":null}");
    assert_source(hv_json_get(b, "c"), text, "null");
    assert_ptr_equal(a->next, b);
    assert_null(b->next);
    assert_null(a->first->key.ptr);
}

static void test_strings_decode(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        struct hv_str decoded;
        unsigned flags;
    } rows[] = {
        {"\"\"", T(""), 0},
        {"\"plain\"", T("plain"), 0},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", T("\"\\/\b\f\n\r\t"), 0},
        {"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", T("A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), 0},
        {"\"a\\u0000b\"", T("a\0b"), 0},
        {"\"0123456789abcdef\\n0123456789abcdef0123456789\\\"\"", T("0123456789abcdef\n0123456789abcdef0123456789\""),
         0},
        {"\"\xe6\x97\xa5\\n\xe6\x9c\xac\"", T("\xe6\x97\xa5\n\xe6\x9c\xac"), 0},
        {"\"\\ud83d\"", T("\xef\xbf\xbd"), HV_JSON_REPAIR_SURROGATES},
        {"\"\\ud83dx\\ude00\"", T("\xef\xbf\xbdx\xef\xbf\xbd"), HV_JSON_REPAIR_SURROGATES},
        {"\"\\ud83d\\ud83d\\ude00\"", T("\xef\xbf\xbd\xf0\x9f\x98\x80"), HV_JSON_REPAIR_SURROGATES},
        {"\"\\ud83d\\n\"", T("\xef\xbf\xbd\n"), HV_JSON_REPAIR_SURROGATES},
        {"\"a\xff"
         "b\"",
         T("a\xef\xbf\xbd"
           "b"),
         HV_JSON_REPAIR_UTF8},
        {"\"\xe2\x82\"", T("\xef\xbf\xbd"), HV_JSON_REPAIR_UTF8},
        {"\"\xed\xa0\x80\"", T("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"), HV_JSON_REPAIR_UTF8},
        {"\"\x80\x80\x80\x80\x80\x80\x80\x80\x80\"",
         T("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
           "\xbd"),
         HV_JSON_REPAIR_UTF8},
        {"\"\\n\xe2\x82\\ud800\"", T("\n\xef\xbf\xbd\xef\xbf\xbd"), HV_JSON_REPAIR_UTF8 | HV_JSON_REPAIR_SURROGATES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str text = hv_json_string(must_parse(&arena, rows[i].source, rows[i].flags));
        if (!hv_str_eq(text, rows[i].decoded))
            fail_msg("%s became %.*s", rows[i].source, HV_STR_ARG(text));
    }
}

static void test_escapes_at_every_offset_of_a_block(void **state)
{
    (void)state;
    static const struct {
        const char *source, *decoded;
    } parts[] = {{"\\n", "\n"},
                 {"\\\"", "\""},
                 {"\xc3\xa9", "\xc3\xa9"},
                 {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                 {"\\u00e9", "\xc3\xa9"}};
    for (size_t before = 0; before < 40; before++) {
        for (size_t after = 0; after < 20; after++) {
            for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
                CLEANUP_ARENA struct hv_arena arena = {0};
                char source[80], expected[80];
                snprintf(source, sizeof source, "\"%.*s%s%.*s\"", (int)before,
                         "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", parts[part].source, (int)after,
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
                snprintf(expected, sizeof expected, "%.*s%s%.*s", (int)before,
                         "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", parts[part].decoded, (int)after,
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
                assert_true(hv_str_is(hv_json_string(must_parse(&arena, source, 0)), expected));
            }
        }
    }
}

/* ---- flags --------------------------------------------------------------------------------------------- */

static void test_repairs_do_not_loosen_anything_else(void **state)
{
    (void)state;
    static const char *const still_wrong[] = {"\"\\ud83\"", "\"\\x\"", "[1,]",     "\xff",
                                              "[\xe9]",     "\"\xff",  "\"\x01\"", "\"\\\xff\""};
    for (size_t i = 0; i < sizeof still_wrong / sizeof *still_wrong; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *value;
        assert_int_equal(
            parse(&arena, hv_str_from(still_wrong[i]), HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &value, NULL),
            HV_EINVAL);
    }
}

static void test_a_byte_order_mark_is_skipped_when_allowed(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *text = "\xef\xbb\xbf [1]";
    const struct hv_json *value = must_parse(&arena, text, HV_JSON_ALLOW_BOM);
    assert_int_equal(value->start, 4);
    assert_source(value, text, "[1]");
    assert_int_equal(must_parse(&arena, "[1]", HV_JSON_ALLOW_BOM)->start, 0);
    assert_int_equal(parse(&arena, HV_STR("\xef\xbb\xbf"), HV_JSON_ALLOW_BOM, &value, NULL), HV_EINVAL);
    assert_int_equal(parse(&arena,
                           HV_STR("\xef\xbb\xbf\xef\xbb\xbf"
                                  "1"),
                           HV_JSON_ALLOW_BOM, &value, NULL),
                     HV_EINVAL);
}

static void test_prefix_stops_after_the_first_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t end;
    } rows[] = {{"{\"a\":1} and more", 7}, {"  12,", 4}, {"true\xff", 4}, {"\"x\"\"y\"", 3}, {"[1]]", 3}, {"null", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        assert_int_equal(must_parse(&arena, rows[i].text, HV_JSON_PREFIX)->end, rows[i].end);
    }
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    assert_int_equal(parse(&arena, HV_STR("{\"a\":1"), HV_JSON_PREFIX, &value, NULL), HV_EINVAL);
}

static void test_unique_keys_are_asked_for(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    struct hv_error err;
    must_parse(&arena, "{\"a\":{\"b\":1},\"b\":[{\"b\":1},{\"b\":2}]}", HV_JSON_UNIQUE_KEYS);
    assert_int_equal(parse(&arena, HV_STR("{\"a\":1,\n \"b\":2,\"\\u0061\":3}"), HV_JSON_UNIQUE_KEYS, &value, &err),
                     HV_EINVAL);
    assert_string_equal(err.place, "2:8");
    assert_int_equal(parse(&arena, HV_STR("[{\"x\":{\"\":1,\"\":2}}]"), HV_JSON_UNIQUE_KEYS, &value, &err), HV_EINVAL);
    for (int repeated = 0; repeated < 2; repeated++) {
        CLEANUP_BUF struct hv_buf buf = {.max = 1 << 20};
        for (int i = 0; i < 1000; i++)
            hv_buf_addf(&buf, "%s\"k%d\":%d", i ? "," : "{", i, i);
        hv_buf_add_cstr(&buf, repeated ? ",\"k500\":0}" : "}");
        assert_int_equal(parse(&arena, hv_buf_str(&buf), HV_JSON_UNIQUE_KEYS, &value, &err),
                         repeated ? HV_EINVAL : HV_OK);
    }
    assert_non_null(strstr(err.message, "k500"));
}

/* ---- look-ups ------------------------------------------------------------------------------------------ */

static void test_look_ups_accept_anything(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *root =
        must_parse(&arena, "{\"a\":1,\"a\":2,\"s\":\"t\",\"y\":true,\"n\":false,\"l\":[1]}", 0);
    int64_t number = 0;
    double real = 0;
    assert_true(hv_json_int64(hv_json_get(root, "a"), &number));
    assert_int_equal(number, 2);
    assert_null(hv_json_get(root, "missing"));
    assert_null(hv_json_get(NULL, "a"));
    assert_null(hv_json_get(hv_json_get(root, "s"), "a"));
    assert_null(hv_json_get_string(root, "a").ptr);
    assert_true(hv_str_is(hv_json_get_string(root, "s"), "t"));
    assert_null(hv_json_at(root, 0));
    assert_null(hv_json_at(NULL, 0));
    assert_false(hv_json_int64(NULL, &number));
    assert_false(hv_json_double(hv_json_get(root, "s"), &real));
    assert_true(hv_json_bool(hv_json_get(root, "y"), false));
    assert_false(hv_json_bool(hv_json_get(root, "n"), true));
    assert_true(hv_json_bool(hv_json_get(root, "s"), true));
    assert_false(hv_json_bool(NULL, false));
    assert_string_equal(hv_json_type_name(NULL), "nothing");
    assert_string_equal(hv_json_type_name(hv_json_get(root, "n")), "boolean");
    assert_string_equal(hv_json_type_name(hv_json_get(root, "l")), "array");
    assert_null(hv_json_source(NULL, HV_STR("x")).ptr);
}

static void test_integers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fits;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-0.0e5", true, 0},
        {"7", true, 7},
        {"-7", true, -7},
        {"1.0", true, 1},
        {"1e3", true, 1000},
        {"1.5e1", true, 15},
        {"150e-1", true, 15},
        {"1.50", false, 0},
        {"15e-1", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"9007199254740993", true, 9007199254740993},
        {"9223372036854775807.0", true, INT64_MAX},
        {"922337203685477580.7e1", true, INT64_MAX},
        {"1e18", true, 1000000000000000000},
        {"1e19", false, 0},
        {"1e400", false, 0},
        {"1e99999999999999999999", false, 0},
        {"0e99999999999999999999", true, 0},
        {"1e-1", false, 0},
        {"0.1e1", true, 1},
        {"1000000000000000000000e-20", true, 10},
        {"0.00000000000000000000012e22", false, 0},
        {"0.00000000000000000000012e23", true, 12},
        {"1e-99999999999999999999", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        int64_t value = 0;
        if (hv_json_int64(must_parse(&arena, rows[i].text, 0), &value) != rows[i].fits || value != rows[i].value)
            fail_msg("%s gave %lld", rows[i].text, (long long)value);
    }
}

static void test_doubles_do_not_follow_the_locale(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool finite;
        double value;
    } rows[] = {
        {"0.1", true, 0.1},
        {"1e400", false, 0},
        {"-1e400", false, 0},
        {"1e-400", true, 0},
        {"5e-324", true, 5e-324},
        {"1.7976931348623157e308", true, 1.7976931348623157e308},
        {"123456789012345678901234567890", true, 123456789012345678901234567890.0},
        {"0.1000000000000000055511151231257827021181583404541015625000000000000000000000000000", true, 0.1},
    };
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed, the point is a comma */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        double value = 0;
        assert_int_equal(hv_json_double(must_parse(&arena, rows[i].text, 0), &value), rows[i].finite);
        assert_true(value == rows[i].value);
    }
    if (locale)
        setlocale(LC_ALL, "C");
}

static void test_equality_is_of_values(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } rows[] = {
        {"1", "1", true},
        {"1", "1.0", true},
        {"1", "10e-1", true},
        {"100", "1e2", true},
        {"0", "-0.0e9", true},
        {"1", "-1", false},
        {"1.10", "1.1", true},
        {"12", "21", false},
        {"0.012", "12e-3", true},
        {"10", "1", false},
        {"101", "11", false},
        {"9007199254740993", "9007199254740992", false},
        {"1e400", "1e401", false},
        {"1e400", "10e399", true},
        {"1.25", "1.35", false},
        {"1e99999999999999999999", "1e99999999999999999998", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\"", "\"b\"", false},
        {"\"1\"", "1", false},
        {"null", "false", false},
        {"true", "true", true},
        {"[]", "{}", false},
        {"[1,2]", "[1,2]", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,1]", false},
        {"{}", "{}", true},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1}", "{\"a\":2}", false},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
        {"{\"a\":1,\"a\":2}", "{\"a\":1}", false},
        {"{\"a\":[{\"x\":[]}],\"b\":null}", "{\"b\":null,\"a\":[{\"x\":[]}]}", true},
        {"[[[1]]]", "[[[2]]]", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *a = must_parse(&arena, rows[i].a, 0), *b = must_parse(&arena, rows[i].b, 0);
        if (hv_json_equal(a, b) != rows[i].equal || hv_json_equal(b, a) != rows[i].equal)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
        assert_false(hv_json_equal(a, NULL));
    }
    assert_true(hv_json_equal(NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts_what_the_standard_allows),
        cmocka_unit_test(test_refuses_what_the_standard_does_not_allow),
        cmocka_unit_test(test_every_cut_of_a_document_is_refused_at_its_end),
        cmocka_unit_test(test_errors_name_place_expectation_and_remedy),
        cmocka_unit_test(test_a_quoted_spot_is_short_and_printable),
        cmocka_unit_test(test_depth_ends_at_512),
        cmocka_unit_test(test_more_than_4_gib_are_refused_without_being_read),
        cmocka_unit_test(test_many_siblings_and_long_strings),
        cmocka_unit_test(test_every_value_knows_its_bytes),
        cmocka_unit_test(test_strings_decode),
        cmocka_unit_test(test_escapes_at_every_offset_of_a_block),
        cmocka_unit_test(test_repairs_do_not_loosen_anything_else),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped_when_allowed),
        cmocka_unit_test(test_prefix_stops_after_the_first_value),
        cmocka_unit_test(test_unique_keys_are_asked_for),
        cmocka_unit_test(test_look_ups_accept_anything),
        cmocka_unit_test(test_integers_are_exact_or_refused),
        cmocka_unit_test(test_doubles_do_not_follow_the_locale),
        cmocka_unit_test(test_equality_is_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
