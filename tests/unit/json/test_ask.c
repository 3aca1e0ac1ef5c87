/* What a person writes into the fields of a question becomes JSON, or is asked for again. */
#include <helve/ask.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/cleanup.h"

static const struct hv_ask_option colours[] = {{{"red", 3}, {"Red", 3}, {0}}, {{"blue", 4}, {0}, {"the sea", 7}}};

static void what_is_written_becomes_a_value(void **state)
{
    (void)state;
    static const struct {
        enum hv_ask_type type;
        bool required;
        const char *initial, *written, *value; /* NULL: it is no answer */
    } rows[] = {
        {HV_ASK_OF_TEXT, true, "", "some words", "{\"f\":\"some words\"}"},
        {HV_ASK_OF_TEXT, true, "", "  ", NULL},
        {HV_ASK_OF_TEXT, false, "", "", "{}"},
        {HV_ASK_OF_TEXT, true, "kept", "", "{\"f\":\"kept\"}"},
        {HV_ASK_OF_INTEGER, true, "", "42", "{\"f\":42}"},
        {HV_ASK_OF_INTEGER, true, "", "4.2", NULL},
        {HV_ASK_OF_INTEGER, true, "", "99999999999999999999", NULL},
        {HV_ASK_OF_NUMBER, true, "", "-1.5", "{\"f\":-1.5}"},
        {HV_ASK_OF_NUMBER, true, "", "nan", NULL},
        {HV_ASK_OF_NUMBER, true, "", "1x", NULL},
        {HV_ASK_OF_BOOLEAN, true, "", "Yes", "{\"f\":true}"},
        {HV_ASK_OF_BOOLEAN, true, "", "n", "{\"f\":false}"},
        {HV_ASK_OF_BOOLEAN, true, "", "maybe", NULL},
        {HV_ASK_OF_OPTIONS, true, "", "2", "{\"f\":\"blue\"}"},
        {HV_ASK_OF_OPTIONS, true, "", "RED", "{\"f\":\"red\"}"},
        {HV_ASK_OF_OPTIONS, true, "", "3", NULL},
        {HV_ASK_OF_OPTIONS, true, "", "0", NULL},
        {HV_ASK_OF_SEVERAL, true, "", "1  blue", "{\"f\":[\"red\",\"blue\"]}"},
        {HV_ASK_OF_SEVERAL, true, "", "1 green", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_BUF struct hv_buf out = {.max = 4096};
        struct hv_json_writer writer;
        struct hv_ask_field field = {.name = HV_STR("f"),
                                     .type = rows[i].type,
                                     .required = rows[i].required,
                                     .initial = hv_str_from(rows[i].initial),
                                     .options = colours,
                                     .option_count = 2};
        hv_json_writer_init(&writer, &out);
        hv_json_begin_object(&writer);
        bool taken = hv_ask_take_value(&field, hv_str_from(rows[i].written), &writer);
        hv_json_end_object(&writer);
        if (taken != (rows[i].value != NULL) || !hv_str_is(hv_buf_str(&out), rows[i].value ? rows[i].value : "{}"))
            fail_msg("row %zu, \"%s\": %d %.*s", i, rows[i].written, taken, HV_STR_ARG(hv_buf_str(&out)));
    }
}

static void fields_have_a_schema(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf out = {.max = 4096};
    struct hv_json_writer writer;
    const struct hv_ask_field fields[] = {
        {.name = HV_STR("name"), .description = HV_STR("who"), .required = true},
        {.name = HV_STR("colour"), .type = HV_ASK_OF_OPTIONS, .options = colours, .option_count = 2},
    };
    const struct hv_question question = {.kind = HV_ASK_FORM, .fields = fields, .field_count = 2};
    hv_json_writer_init(&writer, &out);
    hv_ask_put_schema(&question, &writer);
    if (!hv_str_is(hv_buf_str(&out),
                   "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"who\"},"
                   "\"colour\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"red\",\"title\":\"Red\"},"
                   "{\"const\":\"blue\",\"title\":\"blue\",\"description\":\"the sea\"}]}},\"required\":[\"name\"]}"))
        fail_msg("%.*s", HV_STR_ARG(hv_buf_str(&out)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_becomes_a_value),
        cmocka_unit_test(fields_have_a_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
