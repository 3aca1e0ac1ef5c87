/* test_elision.c: which lines stand for text that was left out, and which only look like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/elision.h"

static const char *const elide[] = {
    "// ... rest of the code unchanged ...",
    "// ... rest of the code remains the same ...",
    "// rest of the code",
    "// Rest of file...",
    "// The rest of the function remains unchanged",
    "// rest of your existing code here",
    "# rest of the implementation",
    "# ... rest of the file stays the same",
    "# The rest of the script is unchanged.",
    "# rest unchanged",
    "# the rest stays as is",
    "/* rest of the class */",
    "/* ... rest of component ... */",
    "<!-- rest of the page remains the same -->",
    "<!-- ... existing markup ... -->",
    "{/* ... rest of the JSX ... */}",
    "{/* existing code */}",
    "-- rest of the code unchanged",
    "; rest of the code",
    "% ... rest of the file ...",
    "(* rest of the code unchanged *)",
    "{- rest of the module unchanged -}",
    "// ...",
    "# ...",
    "/* ... */",
    "// \u2026",
    "<!-- ... -->",
    "-- ...",
    "// [...]",
    "// ... existing code ...",
    "// existing code",
    "# existing code here",
    "// Existing code goes here",
    "// ... existing imports",
    "// existing imports unchanged",
    "// keep existing code",
    "# ... keep existing imports ...",
    "// keep the rest of the code as is",
    "# leave the rest unchanged",
    "/* unchanged */",
    "// unchanged",
    "// (unchanged)",
    "# code unchanged",
    "// implementation unchanged",
    "// function body remains the same",
    "// same as before",
    "# same implementation as before",
    "// everything else stays the same",
    "// everything else unchanged",
    "// nothing else changed, no changes below",
    "// ... other methods ...",
    "// other methods remain unchanged",
    "# remaining methods unchanged",
    "// remaining code",
    "// ... remaining tests",
    "// ... imports ...",
    "// ... more tests ...",
    "// previous code here",
    "// ... previous code ...",
    "// original code continues here",
    "// code omitted for brevity",
    "// omitted for brevity",
    "# Error handling of the parser skipped for brevity",
    "// [rest of the code]",
    "// <rest of the code unchanged>",
    "# snip",
    "// --- snip ---",
    "... rest of the code ...",
    "...rest of the file unchanged...",
    "... existing code ...",
    "[rest of the code remains unchanged]",
    "(rest of file unchanged)",
    "<rest of the code>",
    "[... rest of the file ...]",
    "function load() { ... }",
    "const load = () => { ... }",
    "function load() { /* unchanged */ }",
    "load() { /* existing code */ }",
    "render() { // ... }",
    "# \xe5\x85\xb6\xe4\xbd\x99\xe4\xbb\xa3\xe7\xa0\x81\xe4\xbf\x9d\xe6\x8c\x81\xe4\xb8\x8d\xe5\x8f\x98",
    "// Rest des Codes bleibt gleich",
    "// ... reste du code",
};

static const char *const keep[] = {
    "...",
    "    ...",
    "def f(self) -> int: ...",
    "x: tuple[int, ...] = ()",
    "array[..., 0]",
    "const all = [...first, ...second];",
    "return { ...state, items };",
    "...rest,",
    "...rest",
    "...props.rest,",
    "f(...args);",
    "function f(a, ...rest) {",
    "function f(...rest) { return rest; }",
    "case 1 ... 5:",
    "printf(\"...\");",
    "log(\"... existing code ...\");",
    "print('loading...')",
    "// Loading more items...",
    "// wait for the rest of the bytes",
    "// The rest of the arguments are paths.",
    "// Skip the rest of the line.",
    "# Handle the remaining arguments",
    "// existing users keep their password",
    "// Merge with the existing entry, if any.",
    "# Existing file",
    "// Existing tests rely on the order",
    "# Remaining tests",
    "// Other methods",
    "// Other helpers",
    "/* unchanged lines are not counted */",
    "// file unchanged",
    "/* The file is unchanged since it was read. */",
    "// Nothing to do: the value is the same.",
    "// same as above, but with a lock",
    "// same as above",
    "# as before",
    "# not changed",
    "// ...and then the lock is released",
    "// ... which is why the lock comes first",
    "// so that nothing is lost",
    "# TODO: add tests",
    "// your code here",
    "// TODO: implement",
    "# previous value",
    "// previous implementation was quadratic",
    "// original text",
    "// Keep existing entries when merging.",
    "// keep the lock",
    "// leave the terminal as we found it",
    "// here be dragons",
    "// more",
    "// see below",
    "# code",
    "# --------",
    "// ------- imports -------",
    "/* imports */",
    "// imports",
    "# Configuration",
    " * ...",
    " * The rest is up to the caller.",
    "<rest>",
    "<Rest of={code} />",
    "[rest, code]",
    "(rest || code)",
    "--the-rest-of-it",
    "const rest = code.slice(1);",
    "if (rest) { ... it }",
    "struct rest { int code; };",
    "rest of the code unchanged",
    "while (...) { next(); }",
    "#include <code.h>",
    "#define REST code",
    "#!/bin/sh",
    "x = y  # unchanged",
    "{...}",
    "template<typename... Rest>",
    "; push the rest",
    "% the same as in section 2",
    "// 1, 2, 3, ...",
    "// a, b, ...",
    "\"...\": true,",
};

static bool finds(const char *line, unsigned flags)
{
    struct elision found;
    return elision_find(hv_str_from(line), HV_STR(""), flags, &found);
}

static void lines_that_stand_for_what_was_left_out(void **state)
{
    (void)state;
    assert_true(sizeof elide / sizeof *elide >= 60);
    bool good = true;
    for (size_t i = 0; i < sizeof elide / sizeof *elide; i++)
        if (!finds(elide[i], 0)) {
            print_message("not found: %s\n", elide[i]);
            good = false;
        }
    assert_true(good);
}

static void lines_that_only_look_like_it(void **state)
{
    (void)state;
    assert_true(sizeof keep / sizeof *keep >= 60);
    bool good = true;
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
        if (finds(keep[i], 0)) {
            print_message("found: %s\n", keep[i]);
            good = false;
        }
    assert_true(good);
}

static void prose_may_hold_samples_that_are_cut(void **state)
{
    (void)state;
    static const char *const fine[] = {"# ...",
                                       "// ...",
                                       "# Existing code",
                                       "# Unchanged",
                                       "...",
                                       "[...]",
                                       "<!-- ... -->",
                                       "The rest of the code is unchanged.",
                                       "* the rest of the file",
                                       "# Rest of the code",
                                       "And so on ..."};
    static const char *const bad[] = {"[rest of the document unchanged]", "... rest of the file remains the same ...",
                                      "<!-- rest of the document unchanged -->", "(rest of the section stays the same)",
                                      "// ... rest of the code unchanged ..."};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (finds(fine[i], ELISION_PROSE))
            fail_msg("found: %s", fine[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!finds(bad[i], ELISION_PROSE))
            fail_msg("not found: %s", bad[i]);
    assert_true(elision_is_prose(HV_STR("/a/README.md")) && elision_is_prose(HV_STR("X.TXT")));
    assert_false(elision_is_prose(HV_STR("/a/md")) || elision_is_prose(HV_STR("a.c")) ||
                 elision_is_prose(HV_STR(".md")));
}

static void the_line_is_named_and_lines_of_the_file_are_its_own(void **state)
{
    (void)state;
    struct elision found;
    struct hv_str text = HV_STR("int a;\n\n    // ... existing code ...\n");
    assert_true(elision_find(text, HV_STR("int a;\n"), 0, &found));
    assert_int_equal(found.line, 3);
    assert_true(hv_str_is(found.text, "// ... existing code ..."));
    assert_false(elision_find(text, HV_STR("x\r\n\t// ... existing code ...\r\ny"), 0, &found));
    assert_true(elision_find(text, HV_STR("y(); // ... existing code ...\n"), 0, &found));
    assert_false(elision_find(HV_STR(""), HV_STR(""), 0, &found));
}

static void a_line_that_goes_on_with_a_comment_is_no_elision(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "// ustar/conttype\n// ...\n// ustar/regtype\nf();\n",
        "# Use like:\n#   with open(name) as file:\n#       ...\nimport os\n",
        "/// #[derive(Debug)]\n/// ...\n/// struct A;\n",
        "# Names that are not in the mapping are left\n# untouched.\n",
        "// The value of To is taken over here, and that of\n// From is unchanged.\n",
        " * All other members of the structure\n * will remain unchanged.\n",
        "# Skipped\n",
        "// hidden\n",
        "# Original implementation:\n# def f(): pass\n",
        "#..........................................\n",
        "/* ........................ */\n",
        "<!-- .......... -->\n",
    };
    static const char *const bad[] = {
        "// Handle events\n// rest of the code unchanged\n",
        "// Handle events\n// ... existing code ...\n// done\n",
        "// The handlers of the page are registered here.\n// rest of the code unchanged\n",
        "// The handlers of the page are registered here\n// ... rest of the code ...\n",
        "// The handlers of the page are registered here\n// rest of the code unchanged\n",
        "f();\n// ...\ng();\n",
        "// helpers\n// ...\nf();\n",
        "#     ...\nf()\n",
        "# ...\n",
        "// skipped for brevity\n",
        "# ... code truncated ...\n",
    };
    struct elision found;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (elision_find(hv_str_from(fine[i]), HV_STR(""), 0, &found))
            fail_msg("found: %.*s in %s", HV_STR_ARG(found.text), fine[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!elision_find(hv_str_from(bad[i]), HV_STR(""), 0, &found))
            fail_msg("not found: %s", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_stand_for_what_was_left_out),
        cmocka_unit_test(lines_that_only_look_like_it),
        cmocka_unit_test(prose_may_hold_samples_that_are_cut),
        cmocka_unit_test(a_line_that_goes_on_with_a_comment_is_no_elision),
        cmocka_unit_test(the_line_is_named_and_lines_of_the_file_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
