/*
 * test_edit.c: what an edit changes, what it leaves alone, and what it says when it cannot be done. Tables for what a
 * person would expect, and random files for the promises: no byte outside the place changes, line ends and quotes
 * follow the file.
 */
#include "base/cleanup.h"
#include "text/edit.h"
#include "text/edit_fold.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define MARK "\xef\xbb\xbf"
#define S(literal)                                                                                                     \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }

/* ---- what is done ---- */

static const struct {
    struct hv_str file, old_text, new_text;
    bool all;
    struct hv_str expected;
    unsigned found_by;
} done[] = {
    /* exact */
    {S("one two three"), S("two"), S("2"), false, S("one 2 three"), 0},
    {S("a\nb\nc\n"), S("b\n"), S(""), false, S("a\nc\n"), 0},
    {S("a\nb\nc\n"), S("b"), S("b\nB"), false, S("a\nb\nB\nc\n"), 0},
    {S("whole"), S("whole"), S("part"), false, S("part"), 0},
    {S("no end"), S("end"), S("end\n"), false, S("no end\n"), 0},
    {S("with end\n"), S("end\n"), S("end"), false, S("with end"), 0},
    {S("\tif (x)\n\t\ty();\n"), S("\t\ty();"), S("\t\tz();"), false, S("\tif (x)\n\t\tz();\n"), 0},
    {S("blank \nend"), S("blank \n"), S("blank\n"), false, S("blank\nend"), 0},
    {S("a$b"), S("$"), S("$& \\1 %s"), false, S("a$& \\1 %sb"), 0},
    {S("nul\0in\0side"), S("in"), S("out"), false, S("nul\0out\0side"), 0},
    {S("gr\xc3\xbc\xc3\x9f"), S("\xc3\xbc"), S("ue"), false, S("grue\xc3\x9f"), 0},
    {S("gr\xc3\xbc\xc3\x9f"), S("\xc3\xbc"), S("\xc3\xa4"), false, S("gr\xc3\xa4\xc3\x9f"), 0},
    {S("\xf0\x9f\x98\x80"), S("\xf0\x9f\x98\x80"), S("\xf0\x9f\x98\x81"), false, S("\xf0\x9f\x98\x81"), 0},
    {S(""), S(""), S("filled\n"), false, S("filled\n"), 0},
    {S("A b"), S("b"), S("B"), false, S("A B"), 0},
    {S("\xc3\xbc"), S("\xc3\xbc"), S("\xc2\xbc"), false, S("\xc2\xbc"), 0}, /* the last byte is shared */
    {S("\xc3\xbc"), S("\xc3\xbc"), S("\xc3\xbd"), false, S("\xc3\xbd"), 0}, /* the first byte is */
    /* every place */
    {S("x.x.x"), S("x"), S("yy"), true, S("yy.yy.yy"), 0},
    {S("aaaa"), S("aa"), S("b"), true, S("bb"), 0},
    {S("once"), S("once"), S("1"), true, S("1"), 0},
    {S("a\r\nb\na\r\n"), S("a\n"), S("c\n"), true, S("c\r\nb\nc\r\n"), 0},
    {S("f('a') f(\"a\")"), S("f"), S("g"), true, S("g('a') g(\"a\")"), 0},
    /* line ends follow the file */
    {S("a\r\nb\r\nc\r\n"), S("b"), S("B"), false, S("a\r\nB\r\nc\r\n"), 0},
    {S("a\r\nb\r\nc\r\n"), S("a\nb\n"), S("A\nB\n"), false, S("A\r\nB\r\nc\r\n"), 0},
    {S("a\r\nb\r\nc\r\n"), S("a\r\nb\r\n"), S("A\nB\n"), false, S("A\r\nB\r\nc\r\n"), 0},
    {S("a\r\nb\r\nc\r\n"), S("b"), S("b1\nb2"), false, S("a\r\nb1\r\nb2\r\nc\r\n"), 0},
    {S("a\r\nb\r\nc\r\n"), S("b"), S("b1\r\nb2"), false, S("a\r\nb1\r\nb2\r\nc\r\n"), 0},
    {S("a\nb\nc\n"), S("a\r\nb"), S("A\r\nB"), false, S("A\nB\nc\n"), 0},
    {S("a\nb\nc\n"), S("b"), S("b1\r\nb2"), false, S("a\nb1\nb2\nc\n"), 0},
    {S("a\nb\r\nc\nd\r\n"), S("b"), S("b1\nb2"), false, S("a\nb1\r\nb2\r\nc\nd\r\n"), 0},
    {S("a\nb\r\nc\nd\r\n"), S("c"), S("c1\nc2"), false, S("a\nb\r\nc1\nc2\nd\r\n"), 0},
    {S("a\nb\r\nc\n"), S("a\nb\nc"), S("A\nB\nC"), false, S("A\nB\r\nC\n"), 0},
    {S("a\r\nb"), S("b"), S("b\nc"), false, S("a\r\nb\r\nc"), 0},
    {S("a\r\nb\r\n"), S("\nb"), S("\nB"), false, S("a\r\nB\r\n"), 0},
    {S("a"), S("a"), S("a\nb"), false, S("a\nb"), 0},
    {S("a\rb\rc"), S("b"), S("B"), false, S("a\rB\rc"), 0},
    /* the mark stays */
    {S(MARK "a\n"), S("a"), S("b"), false, S(MARK "b\n"), 0},
    {S(MARK "a\n"), S("a\n"), S(""), false, S(MARK), 0},
    {S(MARK), S(""), S("filled"), false, S(MARK "filled"), 0},
    /* quotes */
    {S("say \xe2\x80\x9chello\xe2\x80\x9d now"), S("\"hello\""), S("\"bye\""), false,
     S("say \xe2\x80\x9c"
       "bye\xe2\x80\x9d now"),
     EDIT_BY_QUOTES},
    {S("it\xe2\x80\x99s"), S("it's"), S("that's"), false, S("that\xe2\x80\x99s"), EDIT_BY_QUOTES},
    {S("it's"), S("it\xe2\x80\x99s"), S("that\xe2\x80\x99s"), false, S("that's"), EDIT_BY_QUOTES},
    {S("\xe2\x80\x98"
       "a\xe2\x80\x99"),
     S("'a'"), S("'b' 'c'"), false,
     S("\xe2\x80\x98"
       "b\xe2\x80\x99 \xe2\x80\x98"
       "c\xe2\x80\x99"),
     EDIT_BY_QUOTES},
    {S("5\xe2\x80\xb2 7\xe2\x80\xb3"), S("5' 7\""), S("6' 7\""), false, S("6\xe2\x80\xb2 7\xe2\x80\xb3"),
     EDIT_BY_QUOTES},
    {S("\xe2\x80\x9e"
       "a\xe2\x80\x9c"),
     S("\"a\""), S("\"a\" and \"b\""), false,
     S("\xe2\x80\x9e"
       "a\xe2\x80\x9c and \xe2\x80\x9e"
       "b\xe2\x80\x9c"),
     EDIT_BY_QUOTES},
    {S("x = \xe2\x80\x9c"
       "a\xe2\x80\x9d; y = \"a\";"),
     S("\"a\""), S("\"b\""), false,
     S("x = \xe2\x80\x9c"
       "a\xe2\x80\x9d; y = \"b\";"),
     0},
    {S("he said \xe2\x80\x9cit\xe2\x80\x99s\xe2\x80\x9d\r\n"), S("\"it's\"\n"), S("\"it's\"\n\"ok\"\n"), false,
     S("he said \xe2\x80\x9cit\xe2\x80\x99s\xe2\x80\x9d\r\n\xe2\x80\x9cok\xe2\x80\x9d\r\n"), EDIT_BY_QUOTES},
    {S("\xe2\x80\x9b"
       "a"),
     S("'a"), S("'a' 'b'"), false,
     S("\xe2\x80\x9b"
       "a' 'b'"),
     EDIT_BY_QUOTES},
    /* line numbers of Read */
    {S("one\ntwo\nthree\n"), S("     2\ttwo\n"), S("     2\t2\n"), false, S("one\n2\nthree\n"), EDIT_BY_LINE_NUMBERS},
    {S("one\ntwo\nthree\n"), S("     1\tone\n     2\ttwo"), S("1\n2"), false, S("1\n2\nthree\n"), EDIT_BY_LINE_NUMBERS},
    {S("one\r\ntwo\r\n"), S("     1\tone\n     2\ttwo"), S("     1\t1\n     2\t2"), false, S("1\r\n2\r\n"),
     EDIT_BY_LINE_NUMBERS},
    {S("it\xe2\x80\x99s\n"), S("     1\tit's"), S("     1\tisn't"), false, S("isn\xe2\x80\x99t\n"),
     EDIT_BY_LINE_NUMBERS | EDIT_BY_QUOTES},
    {S("     2\ttwo\n"), S("     2\ttwo"), S("x"), false, S("x\n"), 0}, /* such text in the file itself */
};

/* Edit a copy of exact size, so that the address sanitizer sees every look beyond the end. */
static enum hv_code edit(struct hv_arena *arena, struct hv_str file, const struct edit_request *request,
                         struct hv_buf *out, struct edit *result, struct edit_failure *failure)
{
    char *copy = hv_malloc(file.len ? file.len : 1);
    if (file.len)
        memcpy(copy, file.ptr, file.len);
    struct hv_str bytes = hv_str_of(copy, file.len);
    enum hv_code code = edit_compute(arena, bytes, encoding_detect(bytes), request, result, failure);
    if (!code) {
        size_t from = encoding_detect(bytes).mark;
        for (size_t i = 0; i < result->count; i++) {
            assert_true(from <= result->splices[i].start && result->splices[i].start <= result->splices[i].end);
            from = result->splices[i].end;
        }
        assert_true(from <= file.len);
        assert_true(edit_apply(bytes, result, out));
        assert_int_equal(out->len, result->size_after);
    }
    free(copy);
    return code;
}

static void an_edit_changes_its_place_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        struct edit_request request = {done[i].old_text, done[i].new_text, done[i].all};
        struct edit_failure failure;
        struct edit result;
        enum hv_code code = edit(&arena, done[i].file, &request, &out, &result, &failure);
        if (code)
            fail_msg("\"%.*s\" for \"%.*s\": %s, kind %d", HV_STR_ARG(done[i].old_text), HV_STR_ARG(done[i].file),
                     hv_code_name(code), failure.kind);
        if (!hv_str_eq(hv_buf_str(&out), done[i].expected) || result.found_by != done[i].found_by)
            fail_msg("\"%.*s\" in \"%.*s\" gave \"%.*s\" (%u)", HV_STR_ARG(done[i].old_text), HV_STR_ARG(done[i].file),
                     HV_STR_ARG(hv_buf_str(&out)), result.found_by);
    }
}

/* ---- what is refused ---- */

static const struct {
    struct hv_str file, old_text, new_text;
    bool all;
    enum edit_failure_kind kind;
    enum hv_code code;
    const char *says[4]; /* parts of the description */
} refused[] = {
    {S("a a"), S("a"), S("b"), false, EDIT_AMBIGUOUS, HV_ECONFLICT, {"occurs 2 times", "lines 1, 1", "replace_all"}},
    {S("x\ny\nx\n\nx"), S("x"), S("b"), false, EDIT_AMBIGUOUS, HV_ECONFLICT, {"3 times", "lines 1, 3, 5"}},
    {S("aaa"), S("aa"), S("b"), false, EDIT_AMBIGUOUS, HV_ECONFLICT, {"2 times"}},
    {S("a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"),
     S("a"),
     S("b"),
     false,
     EDIT_AMBIGUOUS,
     HV_ECONFLICT,
     {"20 times", "15, 16, \xe2\x80\xa6"}},
    {S("\xe2\x80\x99 \xe2\x80\x98"), S("'"), S("x"), false, EDIT_AMBIGUOUS, HV_ECONFLICT, {"2 times"}},
    {S("a"), S("a"), S("a"), false, EDIT_NO_CHANGE, HV_EINVAL, {"Nothing would change"}},
    {S("a\r\nb"), S("a\r\n"), S("a\n"), false, EDIT_NO_CHANGE, HV_EINVAL, {"line ends"}},
    {S("a\xe2\x80\x99"), S("a'"), S("a\xe2\x80\x98"), false, EDIT_NO_CHANGE, HV_EINVAL, {"quotes"}},
    {S(""), S(""), S(""), false, EDIT_NO_CHANGE, HV_EINVAL, {"Nothing"}},
    {S("a"), S(""), S("b"), false, EDIT_EMPTY_OLD, HV_EINVAL, {"old_string is empty", "Write"}},
    {S(""), S("a"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"not found", "No part"}},
    {S("completely other"), S("qqq zzz"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"not found"}},
    {S("one\n\tif (x) {\n"),
     S("    if (x) {\n"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"line 2", "tabs against spaces", "\"\\tif (x) {\"", "\"    if (x) {\""}},
    {S("one\n  two();\n"), S("    two();"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"line 2", "indentation"}},
    {S("int main(void)   \n{\n"),
     S("int main(void)\n{"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"lines 1-2", "trailing blanks", "(3 blanks at the end)"}},
    {S("if (x) {\n    two();\n}\n"),
     S("if (x) {\n  two();\n}"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"lines 1-3", "indentation", "at line 2:", "\"    two();\""}},
    {S("int a;\r\n\tint c;\r\n"),
     S("int a;\n    int c;"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"tabs against spaces", "\"\\tint c;\"\n"}},
    {S("    def f(self):\n        one\n        two\n        three + 1\n"),
     S("def f(self):\n        one\n        2\n        three"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"3 of 4 lines agree", "at line 3:"}},
    {S("x = 1\n    return x + 1\n"),
     S("     1\tx = 1\n     2\t    return x"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"not found"}},
    {S("call(a,  b);\n"), S("call(a, b);"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"blanks inside a line"}},
    {S("Return Value;\n"), S("return value;"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"upper and lower case"}},
    {S("alpha beta\ngamma delta\nepsilon zeta\n"),
     S("alpha beta\ngamma xxxxx\nepsilon zeta\n"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"lines 1-3", "2 of 3 lines agree", "the text itself", "at line 2"}},
    {S("first line\n\nsecond line\n"),
     S("first line\nsecond line"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"line breaks"}},
    {S("\xff\xfe"
       "a\0"),
     S("a"),
     S("b"),
     false,
     EDIT_UNSUPPORTED,
     HV_EUNSUPPORTED,
     {"UTF-16 LE", "Convert"}},
    {S("\xfe\xff\0a"), S("a"), S("b"), false, EDIT_UNSUPPORTED, HV_EUNSUPPORTED, {"UTF-16 BE"}},
    {S("\xff\xfe\0\0a\0\0\0"), S("a"), S("b"), false, EDIT_UNSUPPORTED, HV_EUNSUPPORTED, {"UTF-32 LE"}},
    {S("first\rsecond\x01\n"),
     S("first\nsecond\x01\n"),
     S("b"),
     false,
     EDIT_NOT_FOUND,
     HV_ENOTFOUND,
     {"a lone CR", "\"first\\rsecond\\x01\""}},
    {S("caf\xe9"), S("\xe4\xbd\xa0"), S("b"), false, EDIT_NOT_FOUND, HV_ENOTFOUND, {"not found"}},
    {S("caf\xe9"), S("caf"), S("\xe4\xbd\xa0"), false, EDIT_UNENCODABLE, HV_EINVAL, {"U+4F60"}},
};

static void what_cannot_be_done_is_told_with_the_way_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        struct edit_request request = {refused[i].old_text, refused[i].new_text, refused[i].all};
        struct edit_failure failure;
        struct edit result = {.count = 77};
        enum hv_code code = edit(&arena, refused[i].file, &request, &out, &result, &failure);
        if (code != refused[i].code || failure.kind != refused[i].kind)
            fail_msg("\"%.*s\" in \"%.*s\": %s, kind %d", HV_STR_ARG(refused[i].old_text), HV_STR_ARG(refused[i].file),
                     hv_code_name(code), failure.kind);
        assert_int_equal(result.count, 77);
        edit_describe_failure(&failure, &out);
        for (size_t k = 0; k < 4 && refused[i].says[k]; k++)
            if (hv_str_find(hv_buf_str(&out), hv_str_from(refused[i].says[k]), 0) == SIZE_MAX)
                fail_msg("\"%s\" is missing in: %s", refused[i].says[k], out.data);
        assert_int_equal(
            edit_compute(&arena, refused[i].file, encoding_detect(refused[i].file), &request, &result, NULL), code);
    }
}

/* ---- 8-bit files ---- */

static void an_8_bit_file_is_edited_in_its_own_encoding(void **state)
{
    (void)state;
    static const struct {
        struct hv_str file, old_text, new_text, expected;
        unsigned found_by;
    } cases[] = {
        {S("caf\xe9 noir"), S("caf\xc3\xa9"), S("th\xc3\xa9"), S("th\xe9 noir"), 0},
        {S("caf\xe9 noir"), S("noir"), S("\xe2\x82\xac 2"), S("caf\xe9 \x80 2"), 0},
        {S("\x93\xe9\x94"), S("\"\xc3\xa9\""), S("\"e\""),
         S("\x93"
           "e\x94"),
         EDIT_BY_QUOTES},
        {S("\xe9's"), S("\xc3\xa9\xe2\x80\xb2s"), S("e\xe2\x80\x99s"), S("e's"), EDIT_BY_QUOTES},
        {S("\xe9\r\na\r\n"), S("a\n"), S("b\nc\n"), S("\xe9\r\nb\r\nc\r\n"), 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        struct edit_request request = {cases[i].old_text, cases[i].new_text, false};
        struct edit_failure failure;
        struct edit result;
        assert_int_equal(encoding_detect(cases[i].file).kind, ENCODING_8BIT);
        assert_int_equal(edit(&arena, cases[i].file, &request, &out, &result, &failure), HV_OK);
        if (!hv_str_eq(hv_buf_str(&out), cases[i].expected) || result.found_by != cases[i].found_by)
            fail_msg("case %zu gave \"%.*s\"", i, HV_STR_ARG(hv_buf_str(&out)));
    }
}

/* ---- sequences ---- */

static void a_sequence_is_done_whole_or_not_at_all(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf out = {.max = 4096};
    struct hv_str file = HV_STR(MARK "a b c b\r\n");
    struct edit_request requests[] = {
        {HV_STR("a"), HV_STR("x\ny"), false}, {HV_STR("b"), HV_STR("z"), true}, {HV_STR("y"), HV_STR("Y"), false}};
    struct edit_sequence sequence = {0};
    struct edit_failure failure;
    assert_int_equal(edit_compute_sequence(&arena, file, encoding_detect(file), requests, 3, &out, &sequence, &failure),
                     HV_OK);
    assert_true(hv_str_is(hv_buf_str(&out), MARK "x\r\nY z c z\r\n"));
    assert_int_equal(sequence.places, 4);
    requests[2].old_text = HV_STR("a"); /* gone by then */
    assert_int_equal(edit_compute_sequence(&arena, file, encoding_detect(file), requests, 3, &out, &sequence, &failure),
                     HV_ENOTFOUND);
    assert_int_equal(out.len, 0);
    assert_int_equal(failure.edit_index, 2);
    hv_buf_clear(&out);
    edit_describe_failure(&failure, &out);
    assert_true(hv_str_find(hv_buf_str(&out), HV_STR("Edit 3 of 3 failed, so none was made"), 0) != SIZE_MAX);
    CLEANUP_BUF struct hv_buf small = {.max = 8};
    requests[2].old_text = HV_STR("y");
    assert_int_equal(
        edit_compute_sequence(&arena, file, encoding_detect(file), requests, 3, &small, &sequence, &failure),
        HV_ETOOBIG);
    assert_int_equal(small.len, 0);
}

/* ---- promises, on random files ---- */

static uint32_t seed = 3;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 12) % below;
}

static struct hv_str random_text(char *room, size_t pieces, const char *const *alphabet, uint32_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < pieces; i++) {
        const char *piece = alphabet[any(count)];
        memcpy(room + used, piece, strlen(piece));
        used += strlen(piece);
    }
    return hv_str_of(room, used);
}

static size_t count_places(struct hv_str text, struct hv_str wanted, bool overlapping)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find(text, wanted, at)) != SIZE_MAX; at += overlapping ? 1 : wanted.len)
        count++;
    return count;
}

/* The plain way: text with the places of old_text (all, or only the one at `only`) replaced. */
static void replace(struct hv_str text, const struct edit_request *request, size_t only, struct hv_buf *out)
{
    size_t from = 0;
    for (size_t at = 0; (at = hv_str_find(text, request->old_text, at)) != SIZE_MAX;) {
        bool here = only == SIZE_MAX || at == only;
        if (here) {
            hv_buf_add_str(out, hv_str_slice(text, from, at));
            hv_buf_add_str(out, request->new_text);
            from = at + request->old_text.len;
        }
        at += here ? request->old_text.len : 1;
    }
    hv_buf_add_str(out, hv_str_slice(text, from, text.len));
}

static void without_returns_and_quotes_an_edit_is_a_plain_replacement(void **state)
{
    (void)state;
    static const char *const alphabet[] = {"a", "b", "\n", " ", "\t", "\xc3\xbc", "\xc3\xa4", "ab"};
    for (size_t round = 0; round < 20000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf expected = {.max = 4096};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        char rooms[3][256];
        struct hv_str file = random_text(rooms[0], any(40), alphabet, 8);
        struct edit_request request = {random_text(rooms[1], 1 + any(3), alphabet, 8),
                                       random_text(rooms[2], any(4), alphabet, 8), any(2)};
        struct edit_failure failure;
        struct edit result;
        size_t places = count_places(file, request.old_text, !request.replace_all);
        enum hv_code code = edit(&arena, file, &request, &out, &result, &failure);
        if (hv_str_eq(request.old_text, request.new_text)) {
            assert_int_equal(code, HV_EINVAL);
        } else if (!places) {
            assert_int_equal(code, HV_ENOTFOUND);
        } else if (places > 1 && !request.replace_all) {
            assert_int_equal(code, HV_ECONFLICT);
        } else {
            assert_int_equal(code, HV_OK);
            replace(file, &request, SIZE_MAX, &expected);
            assert_true(hv_str_eq(hv_buf_str(&out), hv_buf_str(&expected)));
        }
    }
}

static void to_crlf(struct hv_str text, struct hv_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n')
            hv_buf_add_byte(out, '\r');
        hv_buf_add_byte(out, text.ptr[i]);
    }
}

static void line_ends_and_mark_of_the_file_make_no_difference_to_the_edit(void **state)
{
    (void)state;
    static const char *const alphabet[] = {"a", "b", "c", "\n", "\n"};
    for (size_t round = 0; round < 20000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf plain = {.max = 4096};
        CLEANUP_BUF struct hv_buf expected = {.max = 4096};
        CLEANUP_BUF struct hv_buf file = {.max = 4096};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        char rooms[3][256];
        struct hv_str lf = random_text(rooms[0], any(20), alphabet, 5);
        struct edit_request request = {random_text(rooms[1], 1 + any(4), alphabet, 5),
                                       random_text(rooms[2], any(5), alphabet, 5), any(2)};
        if (hv_str_find_byte(lf, '\n', 0) == SIZE_MAX)
            continue; /* such a file has no line ends to follow */
        struct edit_failure failure, crlf_failure;
        struct edit result;
        enum hv_code code = edit(&arena, lf, &request, &plain, &result, &failure);
        hv_buf_add_cstr(&file, MARK);
        hv_buf_add_cstr(&expected, MARK);
        to_crlf(lf, &file);
        to_crlf(hv_buf_str(&plain), &expected);
        assert_int_equal(edit(&arena, hv_buf_str(&file), &request, &out, &result, &crlf_failure), code);
        if (code) {
            assert_int_equal(failure.kind, crlf_failure.kind);
            assert_int_equal(failure.places, crlf_failure.places);
            assert_int_equal(failure.first_line, crlf_failure.first_line);
        } else {
            assert_true(hv_str_eq(hv_buf_str(&out), hv_buf_str(&expected)));
        }
    }
}

static struct hv_str folded(struct hv_arena *arena, struct hv_str text)
{
    CLEANUP_FREE char *owned = NULL;
    return hv_arena_str(arena, fold_text(text, FOLD_LINE_ENDS | FOLD_QUOTES, &owned));
}

/* With mixed line ends and quotes of all kinds: seen without the difference, exactly one place was replaced. */
static void but_for_line_ends_and_quotes_one_place_is_replaced_and_the_rest_is_as_it_was(void **state)
{
    (void)state;
    static const char *const alphabet[] = {
        "a", "b", "\n", "\r\n", "'", "\xe2\x80\x98", "\xe2\x80\x99", "\"", "\xe2\x80\x9c", "\xe2\x80\x9d", " "};
    size_t successes = 0;
    for (size_t round = 0; round < 20000; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        char rooms[3][256];
        struct hv_str file = random_text(rooms[0], any(20), alphabet, 11);
        struct edit_request request = {random_text(rooms[1], 1 + any(4), alphabet, 11),
                                       random_text(rooms[2], any(5), alphabet, 11), false};
        struct edit_failure failure;
        struct edit result;
        if (edit(&arena, file, &request, &out, &result, &failure))
            continue;
        successes++;
        assert_int_equal(result.count, 1);
        struct hv_str before = hv_str_slice(file, 0, result.splices[0].start);
        struct hv_str after = hv_str_slice(file, result.splices[0].end, file.len);
        assert_true(hv_str_starts(hv_buf_str(&out), before) && hv_str_ends(hv_buf_str(&out), after));
        struct edit_request plain = {folded(&arena, request.old_text), folded(&arena, request.new_text), false};
        struct hv_str file_seen = folded(&arena, file), seen = folded(&arena, hv_buf_str(&out));
        bool found = false;
        for (size_t at = 0; !found && (at = hv_str_find(file_seen, plain.old_text, at)) != SIZE_MAX; at++) {
            CLEANUP_BUF struct hv_buf expected = {.max = 4096};
            replace(file_seen, &plain, at, &expected);
            found = hv_str_eq(hv_buf_str(&expected), seen);
        }
        if (!found)
            fail_msg("\"%.*s\" by \"%.*s\" in \"%.*s\" gave \"%.*s\"", HV_STR_ARG(request.old_text),
                     HV_STR_ARG(request.new_text), HV_STR_ARG(file), HV_STR_ARG(hv_buf_str(&out)));
    }
    assert_true(successes > 1000);
}

static void a_large_file_is_edited_and_a_text_it_lacks_is_looked_for_in_bounded_time(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf file = {.max = 64 << 20};
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20};
    for (int i = 0; i < 300000; i++)
        hv_buf_addf(&file, "line number %d of the file\r\n", i);
    struct edit_request request = {HV_STR("number 299999 of"), HV_STR("no. 299999 of"), false};
    struct edit_failure failure;
    struct edit result;
    assert_int_equal(edit(&arena, hv_buf_str(&file), &request, &out, &result, &failure), HV_OK);
    assert_int_equal(result.first_line, 300000);
    request.old_text = HV_STR("line number 7 of the file\nline number 8 of the pile\nline number 9 of the file\n");
    assert_int_equal(edit(&arena, hv_buf_str(&file), &request, &out, &result, &failure), HV_ENOTFOUND);
    assert_int_equal(failure.first_line, 8);
    assert_int_equal(failure.lines_agree, 2);
}

static void a_result_of_over_a_gigabyte_is_refused_before_it_is_made(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t size = 4 << 20;
    CLEANUP_FREE char *bytes = hv_malloc(size);
    memset(bytes, 'a', size);
    struct edit_request request = {HV_STR("a"), hv_str_of(bytes, size), true};
    struct edit_failure failure;
    struct edit result;
    CLEANUP_BUF struct hv_buf text = {.max = 1000};
    assert_int_equal(edit_compute(&arena, hv_str_of(bytes, 300), (struct encoding){0}, &request, &result, &failure),
                     HV_ETOOBIG);
    assert_int_equal(failure.kind, EDIT_TOO_LARGE);
    edit_describe_failure(&failure, &text);
    assert_non_null(strstr(text.data, "too large"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_changes_its_place_and_nothing_else),
        cmocka_unit_test(what_cannot_be_done_is_told_with_the_way_out),
        cmocka_unit_test(an_8_bit_file_is_edited_in_its_own_encoding),
        cmocka_unit_test(a_sequence_is_done_whole_or_not_at_all),
        cmocka_unit_test(without_returns_and_quotes_an_edit_is_a_plain_replacement),
        cmocka_unit_test(line_ends_and_mark_of_the_file_make_no_difference_to_the_edit),
        cmocka_unit_test(but_for_line_ends_and_quotes_one_place_is_replaced_and_the_rest_is_as_it_was),
        cmocka_unit_test(a_result_of_over_a_gigabyte_is_refused_before_it_is_made),
        cmocka_unit_test(a_large_file_is_edited_and_a_text_it_lacks_is_looked_for_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
