/* test_patch.c: patches are parsed as models write them, and change nothing but what their lines say. */
#include "base/cleanup.h"
#include "text/patch.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define PATCH(body) "*** Begin Patch\n" body "*** End Patch\n"
#define UPDATE(hunks) PATCH("*** Update File: f\n" hunks)

static enum hv_code parse(struct hv_arena *arena, const char *text, struct patch *patch, struct hv_error *err)
{
    *err = (struct hv_error){0};
    return patch_parse(arena, hv_str_from(text), patch, err);
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static void files_are_added_updated_moved_and_deleted(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct patch patch;
    struct hv_error err;
    assert_int_equal(
        parse(&arena,
              "Here it is:\n```\n" PATCH("*** Add File: a b.txt\n+one\n+\n+two\n"
                                         "*** Update File: old.c\n*** Move to: new.c\n@@ int main\n a\n-b\n+c\n\n d\n"
                                         "*** End of File\n\n"
                                         "*** Delete File: gone\n") "```\n",
              &patch, &err),
        HV_OK);
    assert_int_equal(patch.count, 3);
    assert_int_equal(patch.files[0].kind, PATCH_ADD);
    assert_true(hv_str_is(patch.files[0].path, "a b.txt"));
    assert_true(hv_str_is(patch.files[0].content, "one\n\ntwo\n"));
    assert_true(hv_str_is(patch.files[1].move_to, "new.c"));
    assert_int_equal(patch.files[1].hunk_count, 1);
    const struct patch_hunk *hunk = patch.files[1].hunks;
    assert_true(hv_str_is(hunk->anchors[0], "int main"));
    assert_int_equal(hunk->count, 5);
    assert_int_equal(hunk->lines[3].sign, ' '); /* the empty line */
    assert_true(hunk->at_end);
    assert_int_equal(patch.files[2].kind, PATCH_DELETE);
}

static void numbers_of_a_unified_diff_are_no_anchor(void **state)
{
    (void)state;
    static const struct {
        const char *head, *anchor;
    } rows[] = {{"@@ -1,3 +1,4 @@", NULL},
                {"@@ -1,3 +1,4 @@ int f(void)", "int f(void)"},
                {"@@", NULL},
                {"@@ class A @@", "class A"},
                {"@@ -flag is set", "-flag is set"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct patch patch;
        struct hv_error err;
        struct hv_str text =
            hv_arena_format(&arena, "*** Begin Patch\n*** Update File: f\n%s\n-a\n+b\n*** End Patch", rows[i].head);
        assert_int_equal(patch_parse(&arena, text, &patch, &err), HV_OK);
        const struct patch_hunk *hunk = patch.files[0].hunks;
        assert_int_equal(hunk->anchor_count, rows[i].anchor != NULL);
        if (rows[i].anchor)
            assert_true(hv_str_is(hunk->anchors[0], rows[i].anchor));
    }
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *patch, *says;
    } rows[] = {
        {"", "no \"*** Begin Patch\""},
        {"*** Begin Patch\n*** End Patch\n", "names no file"},
        {"*** Begin Patch\n*** Update File: f\n-a\n+b\n", "cut off"},
        {PATCH("hello\n"), "line 2"},
        {PATCH("*** Add File: f\nx\n"), "begins with +"},
        {PATCH("*** Add File:\n+x\n"), "path is missing"},
        {PATCH("*** Update File: f\n"), "no hunks"},
        {PATCH("*** Update File: f\n@@\n a\n"), "changes nothing"},
        {PATCH("*** Update File: f\n@@\n a\nx\n"), "line 5"},
        {PATCH("*** Update File: f\n*** Move to:\n"), "names no path"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct patch patch;
        struct hv_error err;
        assert_int_equal(parse(&arena, rows[i].patch, &patch, &err), HV_EINVAL);
        if (!strstr(err.message, rows[i].says))
            print_message("%s\n", err.message);
        assert_non_null(strstr(err.message, rows[i].says));
        assert_true(err.hint[0] != '\0');
    }
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

static enum hv_code compute(struct hv_arena *arena, const char *file, const char *text, struct hv_buf *out,
                            bool *by_blanks, struct patch_failure *failure)
{
    struct patch patch;
    struct hv_error err;
    struct edit edit;
    assert_int_equal(parse(arena, text, &patch, &err), HV_OK);
    enum hv_code code = patch_compute(arena, hv_str_from(file), &patch.files[0], &edit, by_blanks, failure);
    if (!code) {
        assert_true(edit_apply(hv_str_from(file), &edit, out));
        assert_int_equal(out->len, edit.size_after);
    }
    return code;
}

static void only_the_lines_that_go_and_come_change(void **state)
{
    (void)state;
    static const struct {
        const char *file, *patch, *after;
    } rows[] = {
        {"a\nb\nc\n", UPDATE("@@\n a\n-b\n+x\n+y\n c\n"), "a\nx\ny\nc\n"},
        {"a\r\nb\r\nc\r\n", UPDATE("@@\n a\n-b\n+x\n c\n"), "a\r\nx\r\nc\r\n"},
        {"a\nb\r\nc\n", UPDATE("@@\n a\n b\n+x\n c\n"), "a\nb\r\nx\r\nc\n"},
        {"a\nb", UPDATE("@@\n a\n-b\n+x\n"), "a\nx"},
        {"a\nb", UPDATE("@@\n a\n b\n+x\n+y\n"), "a\nb\nx\ny"},
        {"a\nb", UPDATE("@@\n-a\n b\n"), "b"},
        {"", UPDATE("@@\n+x\n"), "x\n"},
        {"a\n", UPDATE("@@\n+x\n"), "a\nx\n"},
        {"a\nb\nc\n", UPDATE("@@ a\n+x\n"), "a\nx\nb\nc\n"},
        {"\xef\xbb\xbf"
         "a\nb\n",
         UPDATE("@@\n-a\n+x\n"),
         "\xef\xbb\xbf"
         "x\nb\n"},
        {"f() {\n  a\n}\ng() {\n  a\n}\n", UPDATE("@@ g() {\n-  a\n+  b\n"), "f() {\n  a\n}\ng() {\n  b\n}\n"},
        {"x\na\nx\na\n", UPDATE("@@\n-a\n+b\n*** End of File\n"), "x\na\nx\nb\n"},
        {"1\n2\n3\n4\n5\n6\n", UPDATE("@@\n 1\n-2\n+two\n 3\n@@\n 5\n-6\n+six\n"), "1\ntwo\n3\n4\n5\nsix\n"},
        {"keep  \nold\t\nend\n", UPDATE("@@\n keep\n-old\n+new\n end\n"), "keep  \nnew\nend\n"},
        {"a\n\nb\n", UPDATE("@@\n a\n\n-b\n+c\n"), "a\n\nc\n"},
        {"a\nb", UPDATE("@@\n-b\n\\ No newline at end of file\n+c\n"), "a\nc\n"},
        {"a\nb\n", UPDATE("@@\n-b\n+c\n+d\n\\ No newline at end of file\n"), "a\nc\nd"},
        {"a\r\nb", UPDATE("@@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"), "a\r\nc"},
        {"a\nb", UPDATE("@@\n-a\n+x\n b\n\\ No newline at end of file\n"), "x\nb"},
        {"x\na\nb\nb\n", UPDATE("@@ a\n a\n-b\n+c\n"), "x\na\nc\nb\n"},
        {"a\n\ta\n", UPDATE("@@ a\n-\ta\n+\tb\n"), "a\n\tb\n"},
        {"$& \\1\n", UPDATE("@@\n-$& \\1\n+$1 \\0\n"), "$1 \\0\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {0};
        hv_buf_init(&out, 4096);
        hv_buf_add_cstr(&out, "");
        struct patch_failure failure;
        bool by_blanks;
        assert_int_equal(compute(&arena, rows[i].file, rows[i].patch, &out, &by_blanks, &failure), HV_OK);
        if (!hv_str_is(hv_buf_str(&out), rows[i].after))
            print_message("row %zu: %.*s\n", i, HV_STR_ARG(hv_buf_str(&out)));
        assert_true(hv_str_is(hv_buf_str(&out), rows[i].after));
    }
}

static void a_place_that_is_not_certain_is_a_failure(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct patch_failure failure;
    bool by_blanks;
    assert_int_equal(compute(&arena, "a\nb\na\n", UPDATE("@@\n-a\n+x\n"), NULL, &by_blanks, &failure), HV_ECONFLICT);
    assert_int_equal(failure.place.kind, EDIT_AMBIGUOUS);
    assert_int_equal(failure.place.places, 2);
    assert_int_equal(failure.place.lines[1], 3);
    assert_int_equal(compute(&arena, "alpha\nbeta\n", UPDATE("@@\n-alhpa\n+x\n"), NULL, &by_blanks, &failure),
                     HV_ENOTFOUND);
    assert_int_equal(failure.place.kind, EDIT_NOT_FOUND);
    assert_int_equal(compute(&arena, "a\n", UPDATE("@@ nowhere\n-a\n+x\n"), NULL, &by_blanks, &failure), HV_ENOTFOUND);
    assert_true(failure.anchor);
    assert_true(hv_str_is(failure.text, "nowhere"));
    /* Hunks stand in the order of the file. */
    assert_int_equal(compute(&arena, "1\n2\n3\n", UPDATE("@@\n-3\n+x\n@@\n-1\n+y\n"), NULL, &by_blanks, &failure),
                     HV_ENOTFOUND);
    assert_int_equal(failure.hunk, 1);
    assert_int_equal(failure.elsewhere, 1);
    assert_int_equal(failure.from, 4);
    assert_int_equal(compute(&arena, "1\n2\n", UPDATE("@@\n-1\n+x\n*** End of File\n"), NULL, &by_blanks, &failure),
                     HV_ENOTFOUND);
    assert_int_equal(failure.elsewhere, 1);
    assert_int_equal(failure.from, 0);
    assert_int_equal(compute(&arena, "first\nlast\n", UPDATE("@@\n-     1\tfirst\n+x\n"), NULL, &by_blanks, &failure),
                     HV_ENOTFOUND);
    assert_int_equal(failure.place.differs, EDIT_DIFFERS_NUMBERS);
    /* A backslash alone is no mark of a missing line end. */
    struct patch patch;
    struct hv_error err;
    assert_int_equal(parse(&arena, UPDATE("@@\n-a\n\\section\n+x\n"), &patch, &err), HV_EINVAL);
    /* Leading blanks count. */
    assert_int_equal(compute(&arena, "\ta\n", UPDATE("@@\n-  a\n+x\n"), NULL, &by_blanks, &failure), HV_ENOTFOUND);
    assert_true(failure.place.differs & EDIT_DIFFERS_TABS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_added_updated_moved_and_deleted),
        cmocka_unit_test(numbers_of_a_unified_diff_are_no_anchor),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(only_the_lines_that_go_and_come_change),
        cmocka_unit_test(a_place_that_is_not_certain_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
