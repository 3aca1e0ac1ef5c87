/* test_fields.c: schema, decoding, faults and encoding of field tables. */
#include "schema/fields.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

struct edit {
    struct hv_str old_string, new_string;
    bool replace_all;
};

static const struct hv_field edit_fields[] = {
    {.name = "old_string",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct edit, old_string),
     .aliases = (const char *const[]){"old_str", "search", NULL}},
    {.name = "new_string", .type = HV_FIELD_STRING, .flags = HV_REQUIRED, .offset = offsetof(struct edit, new_string)},
    {.name = "replace_all",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct edit, replace_all),
     .fallback = "false"},
    {0},
};

struct range {
    int64_t from, to, step;
    bool has_from;
};

static const struct hv_field range_fields[] = {
    {.name = "from",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct range, from),
     .present = 1 + offsetof(struct range, has_from)},
    {.name = "to", .type = HV_FIELD_INTEGER, .offset = offsetof(struct range, to)},
    {.name = "step", .type = HV_FIELD_INTEGER, .offset = offsetof(struct range, step), .fallback = "2"},
    {0},
};

struct input {
    struct hv_str file_path, code;
    int64_t limit;
    double ratio;
    bool verbose, has_verbose;
    int mode;
    struct range range;
    struct hv_array edits, globs, counts, flags, modes;
    const struct hv_json *extra;
};

static const char *const mode_values[] = {"content", "files_with_matches", "count", NULL};

static const struct hv_field fields[] = {
    {.name = "file_path",
     .description = "Where",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_NON_EMPTY,
     .offset = offsetof(struct input, file_path),
     .aliases = (const char *const[]){"path", "filename", NULL}},
    {.name = "code",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct input, code),
     .minimum = 2,
     .maximum = 4,
     .pattern = "^[a-zé]+$"},
    {.name = "limit",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct input, limit),
     .minimum = 1,
     .maximum = 100,
     .fallback = "50"},
    {.name = "ratio", .type = HV_FIELD_NUMBER, .offset = offsetof(struct input, ratio), .minimum = 0, .maximum = 1},
    {.name = "verbose",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct input, verbose),
     .present = 1 + offsetof(struct input, has_verbose)},
    {.name = "mode", .type = HV_FIELD_ENUM, .offset = offsetof(struct input, mode), .values = mode_values},
    {.name = "range",
     .type = HV_FIELD_OBJECT,
     .offset = offsetof(struct input, range),
     .fields = range_fields,
     .size = sizeof(struct range)},
    {.name = "edits",
     .type = HV_FIELD_ARRAY,
     .offset = offsetof(struct input, edits),
     .items = HV_FIELD_OBJECT,
     .fields = edit_fields,
     .size = sizeof(struct edit),
     .flags = HV_NON_EMPTY},
    {.name = "globs",
     .type = HV_FIELD_ARRAY,
     .offset = offsetof(struct input, globs),
     .items = HV_FIELD_STRING,
     .flags = HV_ONE_OR_MANY | HV_PATH,
     .maximum = 3},
    {.name = "counts", .type = HV_FIELD_ARRAY, .offset = offsetof(struct input, counts), .items = HV_FIELD_INTEGER},
    {.name = "flags", .type = HV_FIELD_ARRAY, .offset = offsetof(struct input, flags), .items = HV_FIELD_BOOLEAN},
    {.name = "modes",
     .type = HV_FIELD_ARRAY,
     .offset = offsetof(struct input, modes),
     .items = HV_FIELD_ENUM,
     .values = mode_values},
    {.name = "extra", .type = HV_FIELD_JSON, .offset = offsetof(struct input, extra)},
    {0},
};

struct fixture {
    struct hv_arena arena;
    struct input input;
    struct fields_faults faults;
    const struct hv_json *value;
    struct hv_buf buf;
};

static int setup(void **state)
{
    struct fixture *fixture = hv_calloc(1, sizeof *fixture);
    hv_buf_init(&fixture->buf, 1 << 20);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    hv_arena_release(&fixture->arena);
    hv_buf_release(&fixture->buf);
    free(fixture);
    return 0;
}

static enum hv_code decode(struct fixture *fixture, const char *text)
{
    fixture->input = (struct input){0};
    fixture->faults = (struct fields_faults){0};
    fixture->value = NULL;
    return fields_decode_text(fields, hv_str_from(text), &fixture->arena, &fixture->input, &fixture->value,
                              &fixture->faults);
}

/* Decoded, written back with what was given. */
static const char *canonical(struct fixture *fixture, const char *text)
{
    struct hv_json_writer writer;
    hv_buf_clear(&fixture->buf);
    hv_json_writer_init(&writer, &fixture->buf);
    if (decode(fixture, text) != HV_OK)
        return fields_faults_text(&fixture->faults, "Test", &fixture->arena).ptr;
    fields_encode_given(fields, &fixture->input, fixture->value, &writer);
    return fixture->buf.data;
}

static void a_schema_is_printed_from_the_table(void **state)
{
    struct fixture *fixture = *state;
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &fixture->buf);
    fields_write_schema(fields, &writer);
    assert_string_equal(
        fixture->buf.data,
        "{\"type\":\"object\",\"properties\":{"
        "\"file_path\":{\"type\":\"string\",\"description\":\"Where\",\"minLength\":1},"
        "\"code\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":4,\"pattern\":\"^[a-zé]+$\"},"
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":50},"
        "\"ratio\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1},"
        "\"verbose\":{\"type\":\"boolean\"},"
        "\"mode\":{\"type\":\"string\",\"enum\":[\"content\",\"files_with_matches\",\"count\"]},"
        "\"range\":{\"type\":\"object\",\"properties\":{\"from\":{\"type\":\"integer\"},\"to\":{\"type\":\"integer\"},"
        "\"step\":{\"type\":\"integer\",\"default\":2}},"
        "\"additionalProperties\":false},"
        "\"edits\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"old_string\":{\"type\":"
        "\"string\"},"
        "\"new_string\":{\"type\":\"string\"},\"replace_all\":{\"type\":\"boolean\",\"default\":false}},"
        "\"required\":[\"old_string\",\"new_string\"],\"additionalProperties\":false},\"minItems\":1},"
        "\"globs\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":3},"
        "\"counts\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
        "\"flags\":{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}},"
        "\"modes\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"content\",\"files_with_matches\","
        "\"count\"]}},"
        "\"extra\":{}},\"required\":[\"file_path\"],\"additionalProperties\":false}");
}

static void every_type_is_decoded(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(decode(fixture, "{\"file_path\":\"a\\u0000b\",\"limit\":7}"), HV_EINVAL);
    assert_int_equal(
        decode(fixture, "{\"file_path\":\"/a\",\"limit\":7,\"ratio\":0.5,\"verbose\":true,\"mode\":\"count\","
                        "\"range\":{\"from\":3},\"edits\":[{\"old_string\":\"x\",\"new_string\":\"\"}],"
                        "\"globs\":[\"*.c\",\"*.h\"],\"counts\":[1,2,3],\"flags\":[true,false],\"modes\":[\"content\"],"
                        "\"extra\":{\"a\":null}}"),
        HV_OK);
    const struct input *input = &fixture->input;
    assert_true(hv_str_is(input->file_path, "/a"));
    assert_null(input->code.ptr);
    assert_int_equal(input->limit, 7);
    assert_true(input->ratio == 0.5);
    assert_true(input->verbose && input->has_verbose);
    assert_int_equal(input->mode, 3);
    assert_int_equal(input->range.from, 3);
    assert_true(input->range.has_from);
    assert_int_equal(input->edits.count, 1);
    const struct edit *edit = input->edits.items;
    assert_true(hv_str_is(edit->old_string, "x"));
    assert_non_null(edit->new_string.ptr);
    assert_false(edit->replace_all);
    assert_int_equal(input->globs.count, 2);
    assert_true(hv_str_is(((const struct hv_str *)input->globs.items)[1], "*.h"));
    assert_int_equal(((const int64_t *)input->counts.items)[2], 3);
    assert_true(((const bool *)input->flags.items)[0]);
    assert_int_equal(((const int *)input->modes.items)[0], 1);
    assert_int_equal(input->extra->type, HV_JSON_OBJECT);
}

static void absent_fields_get_their_fallback_or_stay_zero(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(decode(fixture, "{\"file_path\":\"a\",\"mode\":null}"), HV_OK);
    assert_int_equal(fixture->input.limit, 50);
    assert_int_equal(fixture->input.mode, 0);
    assert_false(fixture->input.has_verbose);
    assert_null(fixture->input.edits.items);
    assert_null(fixture->input.extra);
}

/* Input → canonical JSON, or the text of the faults. */
static const struct {
    const char *input, *output;
} cases[] = {
    /* drift that is repaired */
    {"{\"path\":\"a\"}", "{\"file_path\":\"a\"}"},
    {"{\"file_path\":\"a\",\"limit\":\"10\"}", "{\"file_path\":\"a\",\"limit\":10}"},
    {"{\"file_path\":\"a\",\"limit\":10.0}", "{\"file_path\":\"a\",\"limit\":10}"},
    {"{\"file_path\":\"a\",\"limit\":50}", "{\"file_path\":\"a\",\"limit\":50}"},
    {"{\"file_path\":\"a\",\"ratio\":\"0.5\"}", "{\"file_path\":\"a\",\"ratio\":0.5}"},
    {"{\"file_path\":\"a\",\"verbose\":\"true\"}", "{\"file_path\":\"a\",\"verbose\":true}"},
    {"{\"file_path\":\"a\",\"verbose\":\"false\"}", "{\"file_path\":\"a\",\"verbose\":false}"},
    {"{\"file_path\":\"a\",\"limit\":null,\"edits\":null,\"mode\":null}", "{\"file_path\":\"a\"}"},
    {"{\"file_path\":null,\"path\":\"a\"}", "{\"file_path\":\"a\"}"},
    {"{\"file_path\":\"a\",\"counts\":\"[1, 2]\"}", "{\"file_path\":\"a\",\"counts\":[1,2]}"},
    {"{\"file_path\":\"a\",\"counts\":[\"1\",2.0]}", "{\"file_path\":\"a\",\"counts\":[1,2]}"},
    {"{\"file_path\":\"a\",\"range\":\"{\\\"from\\\":0}\"}", "{\"file_path\":\"a\",\"range\":{\"from\":0}}"},
    {"{\"file_path\":\"a\",\"edits\":\"[{\\\"old_str\\\":\\\"x\\\",\\\"new_string\\\":\\\"y\\\"}]\"}",
     "{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\",\"new_string\":\"y\"}]}"},
    {"{\"file_path\":\"a\",\"edits\":[\"{\\\"old_str\\\":\\\"x\\\",\\\"new_string\\\":\\\"y\\\"}\"]}",
     "{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\",\"new_string\":\"y\"}]}"},
    {"{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":false}]}",
     "{\"file_path\":\"a\",\"edits\":[{\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":false}]}"},
    {"{\"file_path\":\"a\",\"globs\":\"*.c\"}", "{\"file_path\":\"a\",\"globs\":[\"*.c\"]}"},
    {"{\"file_path\":\"a\",\"globs\":\"[1]\"}", "{\"file_path\":\"a\",\"globs\":[\"[1]\"]}"},
    {"{\"file_path\":\"a\",\"globs\":\"[abc]*\"}", "{\"file_path\":\"a\",\"globs\":[\"[abc]*\"]}"},
    {"{\"file_path\":\"a\",\"globs\":\"[\\\"a\\\",\\\"b\\\"]\"}", "{\"file_path\":\"a\",\"globs\":[\"a\",\"b\"]}"},
    {"\"{\\\"file_path\\\":\\\"a\\\"}\"", "{\"file_path\":\"a\"}"},
    {"{\"file_path\":\"a\\ud83d\"}", "{\"file_path\":\"a\xef\xbf\xbd\"}"},
    /* kept as given */
    {"{\"file_path\":\"a\",\"globs\":[]}", "{\"file_path\":\"a\",\"globs\":[]}"},
    {"{\"file_path\":\"a\",\"extra\":[1.50,null]}", "{\"file_path\":\"a\",\"extra\":[1.50,null]}"},
    {"{\"file_path\":\"a\",\"code\":\"éé\"}", "{\"file_path\":\"a\",\"code\":\"éé\"}"},
    /* refused */
    {"", "Invalid input for Test: 1 problem:\n- file_path: missing: expected string"},
    {"[1,2]", "Invalid input for Test: 1 problem:\n- expected object, got array of 2"},
    {"\"text\"", "Invalid input for Test: 1 problem:\n- expected object, got string \"text\""},
    {"{\"file_path\":\"a\",\"fil_path\":\"b\"}",
     "Invalid input for Test: 1 problem:\n- fil_path: unknown field; did you mean `file_path`?"},
    {"{\"file_path\":\"a\",\"FileName\":\"b\"}",
     "Invalid input for Test: 1 problem:\n- FileName: unknown field; did you mean `file_path`?"},
    {"{\"file_path\":\"a\",\"range\":{\"zzz\":1}}",
     "Invalid input for Test: 1 problem:\n- range.zzz: unknown field; known fields: `from`, `to`, `step`"},
    {"{\"file_path\":\"a\",\"path\":\"b\"}",
     "Invalid input for Test: 1 problem:\n- path: given twice: `path` is another "
     "name for `file_path`; give `file_path` once"},
    {"{\"file_path\":\"a\",\"file_path\":\"a\"}",
     "Invalid input for Test: 1 problem:\n- file_path: given twice; give `file_path` once"},
    {"{\"file_path\":\"\"}",
     "Invalid input for Test: 1 problem:\n- file_path: expected non-empty string, got string \"\""},
    {"{\"file_path\":\"a\",\"limit\":0}",
     "Invalid input for Test: 1 problem:\n- limit: expected integer from 1 to 100, got number 0"},
    {"{\"file_path\":\"a\",\"limit\":10.5}",
     "Invalid input for Test: 1 problem:\n- limit: expected integer from 1 to 100, got number 10.5"},
    {"{\"file_path\":\"a\",\"limit\":\" 10\"}",
     "Invalid input for Test: 1 problem:\n- limit: expected integer from 1 to 100, got string \" 10\""},
    {"{\"file_path\":\"a\",\"limit\":true}",
     "Invalid input for Test: 1 problem:\n- limit: expected integer from 1 to 100, got boolean true"},
    {"{\"file_path\":\"a\",\"verbose\":1}",
     "Invalid input for Test: 1 problem:\n- verbose: expected boolean, got number 1"},
    {"{\"file_path\":\"a\",\"verbose\":\"yes\"}",
     "Invalid input for Test: 1 problem:\n- verbose: expected boolean, got string \"yes\""},
    {"{\"file_path\":null}", "Invalid input for Test: 1 problem:\n- file_path: missing: expected string"},
    {"{\"file_path\":\"a\",\"range\":\"from 3\"}",
     "Invalid input for Test: 1 problem:\n- range: expected object, got string \"from 3\""},
    {"{\"file_path\":\"a\",\"flags\":\"true\"}",
     "Invalid input for Test: 1 problem:\n- flags: expected array of boolean, got string \"true\""},
    {"{\"file_path\":5}", "Invalid input for Test: 1 problem:\n- file_path: expected string, got number 5"},
    {"{\"file_path\":\"a\",\"mode\":\"Content\"}",
     "Invalid input for Test: 1 problem:\n- mode: expected one of \"content\", \"files_with_matches\", \"count\", got "
     "string \"Content\"; did you mean \"content\"?"},
    {"{\"file_path\":\"a\",\"counts\":1}",
     "Invalid input for Test: 1 problem:\n- counts: expected array of integer, got number 1"},
    {"{\"file_path\":\"a\",\"counts\":[1,null]}",
     "Invalid input for Test: 1 problem:\n- counts[1]: expected integer, got null"},
    {"{\"file_path\":\"a\",\"edits\":[]}",
     "Invalid input for Test: 1 problem:\n- edits: expected array of at least 1, got array of 0"},
    {"{\"file_path\":\"a\",\"edits\":{\"old_string\":\"x\",\"new_string\":\"y\"}}",
     "Invalid input for Test: 1 problem:\n- edits: expected array of object, got object"},
    {"{\"file_path\":\"a\",\"globs\":[\"a\",\"b\",\"c\",\"d\"]}",
     "Invalid input for Test: 1 problem:\n- globs: expected array of at most 3, got array of 4"},
    {"{\"file_path\":\"a\",\"code\":\"é\"}",
     "Invalid input for Test: 1 problem:\n- code: expected string of at least 2 characters, got string \"é\""},
    {"{\"file_path\":\"a\",\"code\":\"abcde\"}", "Invalid input for Test: 1 problem:\n- code: expected string of at "
                                                 "most 4 characters, not 5, got string \"abcde\""},
    {"{\"file_path\":\"a\",\"code\":\"a1\"}",
     "Invalid input for Test: 1 problem:\n- code: expected string that matches ^[a-zé]+$, got string \"a1\""},
    {"{\"file_path\":\"a\",\"ratio\":1.5}",
     "Invalid input for Test: 1 problem:\n- ratio: expected number from 0 to 1, got number 1.5"},
    /* all at once */
    {"{\"edits\":[{\"old_string\":\"x\",\"new_string\":\"y\"},{\"old_string\":5,\"neu_string\":\"y\"}],\"limit\":"
     "\"x\"}",
     "Invalid input for Test: 5 problems:\n"
     "- file_path: missing: expected string\n"
     "- limit: expected integer from 1 to 100, got string \"x\"\n"
     "- edits[1].neu_string: unknown field; did you mean `new_string`?\n"
     "- edits[1].old_string: expected string, got number 5\n"
     "- edits[1].new_string: missing: expected string"},
    {"{\"file_path\":\"a\",\"we\\u001bird\\\"\":1}",
     "Invalid input for Test: 1 problem:\n- [\"we\\u001bird\\\"\"]: unknown field; known fields: `file_path`, `code`, "
     "`limit`, `ratio`, `verbose`, `mode`, `range`, `edits`, `globs`, `counts`, `flags`, `modes`, `extra`"},
};

static void drift_is_repaired_and_nothing_else_is_guessed(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(canonical(*state, cases[i].input), cases[i].output);
}

static void broken_json_is_quoted_at_the_place(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(decode(fixture, "{\"file_path\":\"/tmp/x\",\n \"limit\": 1"), HV_EINVAL);
    assert_int_equal(fixture->faults.total, 1);
    const struct fields_fault *fault = &fixture->faults.items[0];
    assert_non_null(strstr(fault->message.ptr, "not valid JSON"));
    assert_non_null(strstr(fault->message.ptr, "\"limit\\\": 1⟨here⟩"));
    assert_non_null(strstr(fault->hint.ptr, "too early"));
    assert_int_equal(decode(fixture, "{\"file_path\": nothing, \"limit\": 1}"), HV_EINVAL);
    assert_non_null(strstr(fixture->faults.items[0].message.ptr, "⟨here⟩"));
    assert_non_null(strstr(fixture->faults.items[0].message.ptr, "nothing"));
}

static void many_faults_are_counted_but_only_some_are_kept(void **state)
{
    struct fixture *fixture = *state;
    hv_buf_add_cstr(&fixture->buf, "{\"file_path\":\"a\",\"counts\":[");
    for (size_t i = 0; i < 1000; i++)
        hv_buf_add_cstr(&fixture->buf, i ? ",{}" : "{}");
    hv_buf_add_cstr(&fixture->buf, "]}");
    assert_int_equal(decode(fixture, fixture->buf.data), HV_EINVAL);
    assert_int_equal(fixture->faults.count, FIELDS_FAULTS_MAX);
    assert_int_equal(fixture->faults.total, 1000);
    struct hv_str text = fields_faults_text(&fixture->faults, "Test", &fixture->arena);
    assert_true(hv_str_ends(text, HV_STR("\n- and 968 more")));
}

static void faults_become_one_error_with_the_first_place(void **state)
{
    struct fixture *fixture = *state;
    struct hv_error err;
    assert_int_equal(decode(fixture, "{\"file_path\":\"a\",\"edits\":[{\"new_string\":\"\"}]}"), HV_EINVAL);
    assert_int_equal(fields_faults_to_error(&fixture->faults, "Edit", &err), HV_EINVAL);
    assert_int_equal(err.code, HV_EINVAL);
    assert_string_equal(err.place, "edits[0].old_string");
    assert_string_equal(err.message,
                        "Invalid input for Edit: 1 problem:\n- edits[0].old_string: missing: expected string");
}

static void encoding_without_the_original_tells_given_by_value(void **state)
{
    struct fixture *fixture = *state;
    struct hv_json_writer writer;
    assert_int_equal(decode(fixture, "{\"path\":\"a\",\"limit\":3,\"verbose\":false,\"ratio\":0,\"mode\":\"count\"}"),
                     HV_OK);
    hv_json_writer_init(&writer, &fixture->buf);
    fields_encode_given(fields, &fixture->input, NULL, &writer);
    assert_string_equal(fixture->buf.data, "{\"file_path\":\"a\",\"limit\":3,\"verbose\":false,\"mode\":\"count\"}");
}

struct nested {
    struct range range;
    struct hv_str colour;
    int mode;
};

static const struct hv_field nested_fields[] = {
    {.name = "range",
     .type = HV_FIELD_OBJECT,
     .offset = offsetof(struct nested, range),
     .fields = range_fields,
     .size = sizeof(struct range)},
    {.name = "colour", .type = HV_FIELD_STRING, .offset = offsetof(struct nested, colour), .fallback = "\"red\""},
    {.name = "mode",
     .type = HV_FIELD_ENUM,
     .offset = offsetof(struct nested, mode),
     .values = mode_values,
     .fallback = "\"count\""},
    {0},
};

static void a_value_that_is_the_fallback_is_left_out_and_any_other_kept(void **state)
{
    struct fixture *fixture = *state;
    static const char *const rows[][2] = {
        {"{}", "{}"},
        {"{\"colour\":\"red\",\"mode\":\"count\"}", "{}"},
        {"{\"colour\":\"blue\",\"mode\":\"content\"}", "{\"colour\":\"blue\",\"mode\":\"content\"}"},
        {"{\"range\":{\"step\":2}}", "{}"},
        {"{\"range\":{\"step\":3}}", "{\"range\":{\"step\":3}}"},
        {"{\"range\":{\"from\":0}}", "{\"range\":{\"from\":0}}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nested nested = {0};
        struct hv_json_writer writer;
        fixture->faults = (struct fields_faults){0};
        assert_int_equal(fields_decode_text(nested_fields, hv_str_from(rows[i][0]), &fixture->arena, &nested, NULL,
                                            &fixture->faults),
                         HV_OK);
        hv_buf_clear(&fixture->buf);
        hv_json_writer_init(&writer, &fixture->buf);
        fields_encode_given(nested_fields, &nested, NULL, &writer);
        assert_string_equal(fixture->buf.data, rows[i][1]);
    }
}

static void paths_are_made_absolute_wherever_they_stand(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(decode(fixture, "{\"path\":\"~/x/../y\",\"globs\":[\"b\",\"/c\"]}"), HV_OK);
    fields_expand_paths(fields, &fixture->input, &fixture->arena, HV_STR("/ws"), HV_STR("/home/me"));
    const struct hv_str *globs = fixture->input.globs.items;
    assert_true(hv_str_is(fixture->input.file_path, "/home/me/y"));
    assert_true(hv_str_is(globs[0], "/ws/b"));
    assert_true(hv_str_is(globs[1], "/c"));
}

static void a_table_without_fields_takes_only_an_empty_object(void **state)
{
    struct fixture *fixture = *state;
    static const struct hv_field none[] = {{0}};
    struct hv_json_writer writer;
    char out = 0;
    hv_json_writer_init(&writer, &fixture->buf);
    fields_write_schema(none, &writer);
    assert_string_equal(fixture->buf.data, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
    assert_int_equal(fields_decode_text(none, HV_STR(" "), &fixture->arena, &out, NULL, &fixture->faults), HV_OK);
    assert_int_equal(fields_decode_text(none, HV_STR("{\"a\":1}"), &fixture->arena, &out, NULL, &fixture->faults),
                     HV_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_schema_is_printed_from_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(every_type_is_decoded, setup, teardown),
        cmocka_unit_test_setup_teardown(absent_fields_get_their_fallback_or_stay_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(drift_is_repaired_and_nothing_else_is_guessed, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_json_is_quoted_at_the_place, setup, teardown),
        cmocka_unit_test_setup_teardown(many_faults_are_counted_but_only_some_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_become_one_error_with_the_first_place, setup, teardown),
        cmocka_unit_test_setup_teardown(encoding_without_the_original_tells_given_by_value, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_that_is_the_fallback_is_left_out_and_any_other_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(paths_are_made_absolute_wherever_they_stand, setup, teardown),
        cmocka_unit_test_setup_teardown(a_table_without_fields_takes_only_an_empty_object, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
