/*
 * test_validator.c: what the JSON Schema validator says about inputs that do not fit, how it mends the drift of models,
 * and that hostile schemas and instances end. Which instances fit is the business of cases/.
 */
#include "base/cleanup.h"
#include "schema/validator.h"

#include <pthread.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static struct schema *must_compile(const char *text)
{
    struct schema *schema = NULL;
    struct hv_error err;
    if (schema_compile(hv_str_from(text), NULL, &schema, &err))
        fail_msg("%s: %s (%s)", text, err.message, err.place);
    return schema;
}

static const struct hv_json *must_parse(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *value = NULL;
    if (hv_json_parse(arena, text, HV_JSON_STRICT, &value, NULL))
        fail_msg("%.*s", HV_STR_ARG(text));
    return value;
}

/* ---- what is said ---- */

static const struct {
    const char *schema, *instance, *text;
} cases[] = {
    {"{\"type\":\"string\"}", "5", "Invalid input for Test: 1 problem:\n- expected string, got number 5"},
    {"{\"type\":[\"string\",\"null\"]}", "[1]",
     "Invalid input for Test: 1 problem:\n- expected null or string, got array of 1"},
    {"{\"type\":\"integer\"}", "1.5", "Invalid input for Test: 1 problem:\n- expected integer, got number 1.5"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"minimum\":3}},\"required\":[\"c\"]}", "{\"a\":1,\"b\":2}",
     "Invalid input for Test: 3 problems:\n- missing property \"c\"\n- a: expected string, got number 1\n"
     "- b: expected at least 3, got number 2"},
    {"{\"properties\":{\"edits\":{\"items\":{\"properties\":{\"old\":{\"type\":\"string\"}}}}}}",
     "{\"edits\":[{},{\"old\":7}]}",
     "Invalid input for Test: 1 problem:\n- edits[1].old: expected string, got number 7"},
    {"{\"properties\":{\"file_path\":{},\"x\":{}},\"additionalProperties\":false}", "{\"filepath\":1}",
     "Invalid input for Test: 1 problem:\n- filepath: unknown property; did you mean `file_path`?"},
    {"{\"properties\":{\"file_path\":{},\"x\":{}},\"additionalProperties\":false}", "{\"zebra\":1}",
     "Invalid input for Test: 1 problem:\n- zebra: unknown property"},
    {"{\"properties\":{\"file_path\":{}},\"unevaluatedProperties\":false}", "{\"file_path\":1,\"filepath\":1}",
     "Invalid input for Test: 1 problem:\n- filepath: unknown property"},
    {"{\"enum\":[\"a\",2,null]}", "\"b\"",
     "Invalid input for Test: 1 problem:\n- expected one of \"a\", 2, null, got string \"b\""},
    {"{\"const\":{\"a\":1}}", "1", "Invalid input for Test: 1 problem:\n- expected {\"a\":1}, got number 1"},
    {"{\"maxLength\":2}", "\"abc\"",
     "Invalid input for Test: 1 problem:\n- expected a string of at most 2 characters, not 3, got string \"abc\""},
    {"{\"minItems\":2}", "[1]", "Invalid input for Test: 1 problem:\n- expected at least 2 elements, got 1"},
    {"{\"uniqueItems\":true}", "[1,2,1.0]",
     "Invalid input for Test: 1 problem:\n- [2]: expected different elements, but [2] equals [0]"},
    {"{\"pattern\":\"^x\"}", "\"y\"",
     "Invalid input for Test: 1 problem:\n- expected a string that matches ^x, got string \"y\""},
    {"{\"multipleOf\":0.1}", "0.35",
     "Invalid input for Test: 1 problem:\n- expected a multiple of 0.1, got number 0.35"},
    {"{\"anyOf\":[{\"type\":\"object\",\"required\":[\"a\"]},{\"type\":\"string\"}]}", "{}",
     "Invalid input for Test: 2 problems:\n- expected one of 2 forms (nearest is form 1), got object\n- missing "
     "property "
     "\"a\""},
    {"false", "1", NULL},
};

static void what_does_not_fit_is_told_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct schema *schema = must_compile(cases[i].schema);
        struct schema_errors errors = {0};
        const struct hv_json *instance = must_parse(&arena, hv_str_from(cases[i].instance));
        assert_int_equal(schema_validate(schema, instance, &arena, &errors, NULL), HV_EINVAL);
        assert_int_equal(schema_validate(schema, instance, &arena, NULL, NULL), HV_EINVAL);
        struct hv_str text = schema_errors_text(&errors, "Test", &arena);
        if (cases[i].text && !hv_str_is(text, cases[i].text))
            fail_msg("%s on %s: %.*s", cases[i].schema, cases[i].instance, HV_STR_ARG(text));
        schema_unref(schema);
    }
}

static void an_error_knows_both_places_and_the_value(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct schema *schema = must_compile(
        "{\"properties\":{\"a/b\":{\"items\":{\"$ref\":\"#/$defs/x~y\"}}},\"$defs\":{\"x~y\":{\"maximum\":3}}}");
    struct schema_errors errors = {0};
    const struct hv_json *instance = must_parse(&arena, HV_STR("{\"a/b\":[1,2,9]}"));
    assert_int_equal(schema_validate(schema, instance, &arena, &errors, NULL), HV_EINVAL);
    assert_int_equal(errors.count, 1);
    assert_true(hv_str_is(errors.first->instance_path, "/a~1b/2"));
    assert_true(hv_str_is(errors.first->field, "[\"a/b\"][2]"));
    assert_true(hv_str_is(errors.first->schema_path, "#/$defs/x~0y/maximum"));
    assert_true(hv_str_is(errors.first->value->text, "9"));
    schema_unref(schema);
}

static void the_list_of_errors_is_bounded(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    struct schema *schema = must_compile("{\"items\":{\"type\":\"string\"}}");
    for (int i = 0; i < 1000; i++)
        hv_buf_addf(&text, "%s%d", i ? "," : "[", i);
    hv_buf_add_cstr(&text, "]");
    struct schema_errors errors = {0};
    assert_int_equal(schema_validate(schema, must_parse(&arena, hv_buf_str(&text)), &arena, &errors, NULL), HV_EINVAL);
    assert_int_equal(errors.count, SCHEMA_ERRORS_MAX);
    assert_true(
        hv_str_starts(schema_errors_text(&errors, "T", &arena),
                      HV_STR("Invalid input for T: 32 problems or more:\n- [0]: expected string, got number 0")));
    schema_unref(schema);
}

/* ---- mending ---- */

static const struct {
    const char *schema, *instance, *mended; /* NULL: nothing could be done */
} repairs[] = {
    {"{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\":\"10\"}", "{\"n\":10}"},
    {"{\"properties\":{\"n\":{\"type\":\"number\"}}}", "{\"n\":\"1.5\"}", "{\"n\":1.5}"},
    {"{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\":\"1.5\"}", NULL},
    {"{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\":\"ten\"}", NULL},
    {"{\"properties\":{\"b\":{\"type\":\"boolean\"}}}", "{\"b\":\"true\"}", "{\"b\":true}"},
    {"{\"properties\":{\"b\":{\"type\":\"boolean\"}}}", "{\"b\":\"yes\"}", NULL},
    {"{\"properties\":{\"b\":{\"type\":\"boolean\"}}}", "{\"b\":1}", NULL},
    {"{\"properties\":{\"a\":{\"type\":\"array\"}}}", "{\"a\":\"[1, 2]\"}", "{\"a\":[1, 2]}"},
    {"{\"properties\":{\"o\":{\"type\":\"object\"}}}", "{\"o\":\"{\\\"x\\\":1}\"}", "{\"o\":{\"x\":1}}"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":null,\"b\":1}", "{\"b\":1}"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":5}", NULL},
    {"{\"items\":{\"type\":\"integer\"}}", "[1,\"2\",{\"a\" : 3}]", "[1,2,{\"a\" : 3}]"},
    {"{\"items\":{\"type\":\"integer\"}}", "[null]", NULL},
    {"{\"type\":\"object\"}", "\"{}\"", "{}"},
};

static void drift_is_mended_where_one_reading_is_possible(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct schema *schema = must_compile(repairs[i].schema);
        struct schema_errors errors = {0};
        struct hv_str source = hv_str_from(repairs[i].instance);
        const struct hv_json *instance = must_parse(&arena, source);
        assert_int_equal(schema_validate(schema, instance, &arena, &errors, NULL), HV_EINVAL);
        struct hv_str mended = schema_repair(instance, source, &errors, &arena);
        if (repairs[i].mended ? !hv_str_is(mended, repairs[i].mended) : mended.ptr != NULL)
            fail_msg("%s became %.*s", repairs[i].instance, HV_STR_ARG(mended));
        schema_unref(schema);
    }
}

/* ---- bounds ---- */

/* The answer must come, whatever it is; nothing may be said about a validation that was given up. */
static enum hv_code validate_text(const char *schema_text, struct hv_str instance_text, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct schema *schema = must_compile(schema_text);
    struct schema_errors errors = {0};
    *err = (struct hv_error){0};
    enum hv_code code = schema_validate(schema, must_parse(&arena, instance_text), &arena, &errors, err);
    schema_unref(schema);
    return code;
}

static void a_schema_that_refers_to_itself_without_end_is_undecided(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"$ref\":\"#\"}",
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "{\"$ref\":\"#a\",\"$defs\":{\"a\":{\"$anchor\":\"a\",\"anyOf\":[{\"not\":{\"$ref\":\"#a\"}}]}}}",
        "{\"$dynamicAnchor\":\"x\",\"$dynamicRef\":\"#x\"}",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct hv_error err;
        assert_int_equal(validate_text(schemas[i], HV_STR("1"), &err), HV_ETOOBIG);
        assert_true(err.message[0]);
    }
}

static void work_that_explodes_is_given_up(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf schema = {.max = 1 << 20};
    hv_buf_add_cstr(&schema, "{\"$ref\":\"#/$defs/l0\",\"$defs\":{");
    for (int i = 0; i < 40; i++) /* each level asks the next one twice: 2^40 questions */
        hv_buf_addf(&schema, "\"l%d\":{\"allOf\":[{\"$ref\":\"#/$defs/l%d\"},{\"$ref\":\"#/$defs/l%d\"}]},", i, i + 1,
                    i + 1);
    hv_buf_add_cstr(&schema, "\"l40\":{\"type\":\"integer\"}}}");
    struct hv_error err;
    assert_int_equal(validate_text(schema.data, HV_STR("1"), &err), HV_ETOOBIG);
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    hv_buf_add_cstr(&text, "\"");
    for (int i = 0; i < 5000; i++)
        hv_buf_add_cstr(&text, "a");
    hv_buf_add_cstr(&text, "!\"");
    assert_int_equal(validate_text("{\"pattern\":\"^(a+)+$\"}", hv_buf_str(&text), &err), HV_ETOOBIG);
}

static void many_equal_hashes_or_digits_do_not_take_long(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {.max = 8 << 20};
    for (int i = 0; i < 50000; i++)
        hv_buf_addf(&text, "%s{\"k\":[%d,\"%d\"]}", i ? "," : "[", i, i);
    hv_buf_add_cstr(&text, "]");
    struct hv_error err;
    assert_int_equal(validate_text("{\"uniqueItems\":true}", hv_buf_str(&text), &err), HV_OK);
    hv_buf_clear(&text);
    hv_buf_add_cstr(&text, "1");
    for (int i = 0; i < 100000; i++)
        hv_buf_add_cstr(&text, "7");
    enum hv_code code = validate_text("{\"multipleOf\":3.7}", hv_buf_str(&text), &err);
    assert_true(code == HV_EINVAL || code == HV_ETOOBIG || code == HV_OK);
    assert_int_equal(validate_text("{\"multipleOf\":1e-400,\"maximum\":1e400}", HV_STR("1e399"), &err), HV_OK);
}

static void deep_instances_and_schemas_end(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    for (int i = 0; i < HV_JSON_DEPTH_MAX; i++)
        hv_buf_add_cstr(&text, "[");
    for (int i = 0; i < HV_JSON_DEPTH_MAX; i++)
        hv_buf_add_cstr(&text, "]");
    struct hv_error err;
    assert_int_equal(validate_text("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", hv_buf_str(&text), &err), HV_OK);
    assert_int_equal(validate_text("{\"items\":{\"$ref\":\"#\"},\"maxItems\":0}", hv_buf_str(&text), &err), HV_EINVAL);
    hv_buf_clear(&text);
    for (int i = 0; i < 170; i++)
        hv_buf_add_cstr(&text, "{\"not\":{\"allOf\":[");
    hv_buf_add_cstr(&text, "true");
    for (int i = 0; i < 170; i++)
        hv_buf_add_cstr(&text, "]}}");
    struct schema *schema = NULL;
    enum hv_code code = schema_compile(hv_buf_str(&text), NULL, &schema, &err);
    assert_true(code == HV_OK || code == HV_ETOOBIG);
    schema_unref(schema);
}

/* ---- sharing ---- */

static void *validate_often(void *data)
{
    struct schema *schema = schema_ref(data);
    uintptr_t good = 0;
    for (int i = 0; i < 200; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct schema_errors errors = {0};
        struct hv_str text = hv_arena_format(&arena, "{\"n\":%d,\"s\":\"x%d\"}", i, i);
        good += schema_validate(schema, must_parse(&arena, text), &arena, &errors, NULL) == HV_OK;
    }
    schema_unref(schema);
    return (void *)good;
}

static void threads_share_a_compiled_schema(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct schema *schema = must_compile("{\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":99},"
                                         "\"s\":{\"pattern\":\"^x[0-9]+$\"}},\"unevaluatedProperties\":false}");
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, validate_often, schema), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_int_equal((uintptr_t)good, 100);
    }
    schema_unref(schema);
    schema_unref(NULL);
}

static void drafts_are_known_by_many_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum schema_draft draft;
    } names[] = {
        {"2020-12", SCHEMA_DRAFT_2020_12},
        {"draft2020-12", SCHEMA_DRAFT_2020_12},
        {"https://json-schema.org/draft/2020-12/schema", SCHEMA_DRAFT_2020_12},
        {"7", SCHEMA_DRAFT_07},
        {"07", SCHEMA_DRAFT_07},
        {"draft-07", SCHEMA_DRAFT_07},
        {"draft7", SCHEMA_DRAFT_07},
        {"http://json-schema.org/draft-07/schema#", SCHEMA_DRAFT_07},
        {"draft-04", SCHEMA_DRAFT_AUTO},
        {"", SCHEMA_DRAFT_AUTO},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (schema_draft_from(hv_str_from(names[i].name)) != names[i].draft)
            fail_msg("%s", names[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_told_with_its_place),
        cmocka_unit_test(an_error_knows_both_places_and_the_value),
        cmocka_unit_test(the_list_of_errors_is_bounded),
        cmocka_unit_test(drift_is_mended_where_one_reading_is_possible),
        cmocka_unit_test(a_schema_that_refers_to_itself_without_end_is_undecided),
        cmocka_unit_test(work_that_explodes_is_given_up),
        cmocka_unit_test(many_equal_hashes_or_digits_do_not_take_long),
        cmocka_unit_test(deep_instances_and_schemas_end),
        cmocka_unit_test(threads_share_a_compiled_schema),
        cmocka_unit_test(drafts_are_known_by_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
