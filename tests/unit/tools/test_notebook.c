/* test_notebook.c: a cell changes, and nothing else does, whatever the layout of the notebook. */
#include "base/cleanup.h"
#include "tools/notebook.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

/* As nbformat writes it. */
#define CODE_CELL(count, outputs, source)                                                                              \
    "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": " count                                                 \
    ",\n   \"id\": \"c1\",\n   \"metadata\": {\"x\":  1},\n"                                                           \
    "   \"outputs\": " outputs ",\n   \"source\": " source "\n  }"
#define TEXT_CELL                                                                                                      \
    "  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"m1\",\n   \"metadata\": {},\n   \"source\": [\n    \"# "       \
    "Title\"\n   ]\n  }"
#define BOOK(cells)                                                                                                    \
    "{\n \"cells\": [\n" cells "\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
#define OUTPUT "[\n    {\n     \"text\": [\n      \"1\\n\"\n     ]\n    }\n   ]"
#define SOURCE(lines) "[\n    " lines "\n   ]"

#define FIRST CODE_CELL("7", OUTPUT, SOURCE("\"print(1)\""))

static const struct row {
    const char *name, *before;
    struct notebook_request request;
    const char *after;
} rows[] = {
    {"replace clears outputs and count",
     BOOK(FIRST ",\n" TEXT_CELL),
     {.cell_id = {"c1", 2}, .source = {"a = 1\nb = \"2\"", 13}},
     BOOK(CODE_CELL("null", "[]", SOURCE("\"a = 1\\n\",\n    \"b = \\\"2\\\"\"")) ",\n" TEXT_CELL)},
    {"markdown has none to clear",
     BOOK(TEXT_CELL),
     {.cell_number = 0, .source = {"", 0}},
     BOOK("  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"m1\",\n   \"metadata\": {},\n   \"source\": []\n  }")},
    {"code becomes markdown",
     BOOK(FIRST),
     {.cell_number = 0, .source = {"print(1)", 8}, .type = NOTEBOOK_MARKDOWN},
     BOOK("  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"c1\",\n   \"metadata\": {\"x\":  1},\n   "
          "\"source\": " SOURCE("\"print(1)\"") "\n  }")},
    {"markdown becomes code",
     BOOK(TEXT_CELL),
     {.cell_id = {"m1", 2}, .source = {"x", 1}, .type = NOTEBOOK_CODE},
     BOOK(
         "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"outputs\": [],\n   \"id\": \"m1\",\n   "
         "\"metadata\": {},\n   \"source\": " SOURCE("\"x\"") "\n  }")},
    {"the only cell goes",
     BOOK(TEXT_CELL),
     {.mode = NOTEBOOK_DELETE, .cell_number = 0},
     "{\n \"cells\": [],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"},
    {"the first cell goes",
     BOOK(FIRST ",\n" TEXT_CELL),
     {.mode = NOTEBOOK_DELETE, .cell_id = {"c1", 2}},
     BOOK(TEXT_CELL)},
    {"the last cell goes", BOOK(TEXT_CELL ",\n" FIRST), {.mode = NOTEBOOK_DELETE, .cell_number = 1}, BOOK(TEXT_CELL)},
    {"compact stays compact",
     "{\"nbformat\":4,\"nbformat_minor\":4,\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\"]}]}",
     {.cell_number = 0, .source = {"b\nc", 3}},
     "{\"nbformat\":4,\"nbformat_minor\":4,\"cells\":[{\"cell_type\":\"code\",\"execution_count\":null,\"outputs\":[],"
     "\"source\":[\"b\\n\",\"c\"]}]}"},
    {"a source that is a string stays one",
     "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"raw\", \"source\": \"a\"}]}",
     {.cell_number = 0, .source = {"b\nc", 3}},
     "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"raw\", \"source\": \"b\\nc\"}]}"},
    {"insert into nothing, as the layout of the whole says",
     "{\n  \"cells\": [],\n  \"nbformat\": 4\n}",
     {.mode = NOTEBOOK_INSERT, .cell_number = -1, .source = {"x", 1}},
     "{\n  \"cells\": [\n    {\n      \"cell_type\": \"code\",\n      \"execution_count\": null,\n      \"metadata\": "
     "{},\n"
     "      \"outputs\": [],\n      \"source\": [\n        \"x\"\n      ]\n    }\n  ],\n  \"nbformat\": 4\n}"},
    {"insert first, with Python's default layout",
     "{\"cells\": [{\"cell_type\": \"raw\", \"source\": []}], \"nbformat\": 4}",
     {.mode = NOTEBOOK_INSERT, .cell_number = -1, .source = {"x", 1}, .type = NOTEBOOK_MARKDOWN},
     "{\"cells\": [{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": [\"x\"]}, {\"cell_type\": \"raw\", "
     "\"source\": []}], \"nbformat\": 4}"},
    {"insert behind a cell shown as cell-0; CRLF stays",
     "{\r\n \"nbformat\": 4,\r\n \"cells\": [\r\n  {\r\n   \"cell_type\": \"raw\"\r\n  }\r\n ]\r\n}",
     {.mode = NOTEBOOK_INSERT, .cell_id = {"cell-0", 6}, .source = {"x", 1}, .type = NOTEBOOK_RAW},
     "{\r\n \"nbformat\": 4,\r\n \"cells\": [\r\n  {\r\n   \"cell_type\": \"raw\"\r\n  },\r\n  {\r\n   \"cell_type\": "
     "\"raw\",\r\n   \"metadata\": {},\r\n   \"source\": [\r\n    \"x\"\r\n   ]\r\n  }\r\n ]\r\n}"},
};

static void only_the_cell_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {0};
        struct notebook_outcome outcome;
        struct hv_error err = {0};
        const struct hv_json *parsed;
        hv_buf_init(&out, 1 << 20);
        struct hv_str before = hv_str_from(rows[i].before);
        enum hv_code code = notebook_compute(&arena, before, &rows[i].request, &outcome, &err);
        if (code)
            print_message("%s: %s\n", rows[i].name, err.message);
        assert_int_equal(code, HV_OK);
        assert_true(edit_apply(before, &outcome.edit, &out));
        if (!hv_str_is(hv_buf_str(&out), rows[i].after))
            print_message("%s:\n%.*s\n", rows[i].name, HV_STR_ARG(hv_buf_str(&out)));
        assert_true(hv_str_is(hv_buf_str(&out), rows[i].after));
        assert_int_equal(out.len, outcome.edit.size_after);
        assert_int_equal(notebook_parse(&arena, hv_arena_str(&arena, hv_buf_str(&out)), &parsed, NULL), HV_OK);
    }
}

static void new_cells_get_ids_of_their_own(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf once = {0}, twice = {0};
    hv_buf_init(&once, 1 << 20);
    hv_buf_init(&twice, 1 << 20);
    struct notebook_outcome first, second;
    const struct notebook_request request = {.mode = NOTEBOOK_INSERT, .cell_id = {"m1", 2}, .source = {"x", 1}};
    struct hv_str before = HV_STR(BOOK(TEXT_CELL));
    assert_int_equal(notebook_compute(&arena, before, &request, &first, NULL), HV_OK);
    assert_int_equal(first.index, 1);
    assert_int_equal(first.id.len, 8);
    assert_true(edit_apply(before, &first.edit, &once));
    assert_int_equal(notebook_compute(&arena, hv_buf_str(&once), &request, &second, NULL), HV_OK);
    assert_false(hv_str_eq(first.id, second.id));
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        struct notebook_request request;
        enum hv_code code;
        const char *says;
    } wrong[] = {
        {"{", {.cell_number = 0}, HV_EINVAL, "no notebook"},
        {"[]", {.cell_number = 0}, HV_EINVAL, "nbformat is not 4"},
        {"{\"nbformat\": 3, \"worksheets\": []}", {.cell_number = 0}, HV_EINVAL, "nbformat is not 4"},
        {"{\"nbformat\": 4}", {.cell_number = 0}, HV_EINVAL, "no array of cells"},
        {"{\"nbformat\": 4, \"cells\": [1]}", {.cell_number = 0}, HV_EINVAL, "a cell is no object"},
        {BOOK(TEXT_CELL), {.cell_number = -1}, HV_EINVAL, "which cell"},
        {BOOK(TEXT_CELL), {.cell_number = 1}, HV_ENOTFOUND, "no cell number 1"},
        {BOOK(TEXT_CELL), {.cell_id = {"m2", 2}}, HV_ENOTFOUND, "\"m2\""},
        {BOOK(TEXT_CELL), {.cell_id = {"cell-9", 6}}, HV_ENOTFOUND, "cell-9"},
        {BOOK(TEXT_CELL), {.cell_number = 0, .source = {"# Title", 7}}, HV_EINVAL, "nothing would change"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct notebook_outcome outcome;
        struct hv_error err;
        assert_int_equal(notebook_compute(&arena, hv_str_from(wrong[i].file), &wrong[i].request, &outcome, &err),
                         wrong[i].code);
        if (!strstr(err.message, wrong[i].says))
            print_message("%s\n", err.message);
        assert_non_null(strstr(err.message, wrong[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_cell_changes),
        cmocka_unit_test(new_cells_get_ids_of_their_own),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
