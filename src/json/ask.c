/* ask.c: fields of questions (helve/ask.h): what a person wrote as JSON, and their schema. */
#include <helve/ask.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { NUMBER_MAX = 60, VALUE_MAX = 1 << 20 };

static const struct hv_ask_option *option_of(const struct hv_ask_field *field, struct hv_str word)
{
    int64_t number;
    for (size_t i = 0; i < field->option_count; i++)
        if (hv_str_eq(word, field->options[i].name) ||
            (field->options[i].label.len && hv_str_eq_nocase(word, field->options[i].label)))
            return &field->options[i];
    if (hv_str_to_int64(word, &number) && number >= 1 && (uint64_t)number <= field->option_count)
        return &field->options[number - 1];
    return NULL;
}

static bool take_several(const struct hv_ask_field *field, struct hv_str text, struct hv_json_writer *writer)
{
    CLEANUP_BUF struct hv_buf list = {.max = VALUE_MAX};
    struct hv_json_writer inner;
    struct hv_str word;
    hv_json_writer_init(&inner, &list);
    hv_json_begin_array(&inner);
    while (hv_str_split(&text, ' ', &word)) {
        const struct hv_ask_option *option = option_of(field, word);
        if (word.len && !option)
            return false;
        if (option)
            hv_json_put_string(&inner, option->name);
    }
    hv_json_end_array(&inner);
    hv_json_name_str(writer, field->name);
    hv_json_put_raw(writer, hv_buf_str(&list));
    return true;
}

static bool take_number(const struct hv_ask_field *field, struct hv_str text, struct hv_json_writer *writer)
{
    char digits[NUMBER_MAX + 1], *end;
    int64_t whole;
    if (field->type == HV_ASK_OF_INTEGER) {
        if (!hv_str_to_int64(text, &whole))
            return false;
        hv_json_name_str(writer, field->name);
        hv_json_put_int(writer, whole);
        return true;
    }
    if (text.len > NUMBER_MAX)
        return false;
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = 0;
    double number = strtod(digits, &end);
    if (*end || !isfinite(number))
        return false;
    hv_json_name_str(writer, field->name);
    hv_json_put_double(writer, number);
    return true;
}

static bool take_boolean(const struct hv_ask_field *field, struct hv_str text, struct hv_json_writer *writer)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"y", true}, {"yes", true}, {"true", true}, {"n", false}, {"no", false}, {"false", false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!hv_str_eq_nocase(text, hv_str_from(words[i].word)))
            continue;
        hv_json_name_str(writer, field->name);
        hv_json_put_bool(writer, words[i].value);
        return true;
    }
    return false;
}

bool hv_ask_take_value(const struct hv_ask_field *field, struct hv_str text, struct hv_json_writer *writer)
{
    text = hv_str_trim(text.len ? text : field->initial);
    if (!text.len)
        return !field->required;
    const struct hv_ask_option *option;
    switch (field->type) {
    case HV_ASK_OF_NUMBER:
    case HV_ASK_OF_INTEGER: return take_number(field, text, writer);
    case HV_ASK_OF_BOOLEAN: return take_boolean(field, text, writer);
    case HV_ASK_OF_SEVERAL: return take_several(field, text, writer);
    case HV_ASK_OF_OPTIONS:
        option = option_of(field, text);
        text = option ? option->name : text;
        if (!option)
            return false;
        break;
    case HV_ASK_OF_TEXT: break;
    }
    hv_json_name_str(writer, field->name);
    hv_json_put_string(writer, text);
    return true;
}

/* ---- schema ------------------------------------------------------------------------------------------------------ */

static void put_options(const struct hv_ask_field *field, struct hv_json_writer *writer)
{
    hv_json_name(writer, "oneOf");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < field->option_count; i++) {
        const struct hv_ask_option *option = &field->options[i];
        hv_json_begin_object(writer);
        hv_json_member_string(writer, "const", option->name);
        hv_json_member_string(writer, "title", option->label.len ? option->label : option->name);
        if (option->description.len)
            hv_json_member_string(writer, "description", option->description);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_field(const struct hv_ask_field *field, struct hv_json_writer *writer)
{
    static const char *const types[] = {
        [HV_ASK_OF_TEXT] = "string",     [HV_ASK_OF_NUMBER] = "number",  [HV_ASK_OF_INTEGER] = "integer",
        [HV_ASK_OF_BOOLEAN] = "boolean", [HV_ASK_OF_OPTIONS] = "string", [HV_ASK_OF_SEVERAL] = "array",
    };
    hv_json_name_str(writer, field->name);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", types[field->type]);
    if (field->label.len)
        hv_json_member_string(writer, "title", field->label);
    if (field->description.len)
        hv_json_member_string(writer, "description", field->description);
    if (field->type == HV_ASK_OF_OPTIONS)
        put_options(field, writer);
    if (field->type == HV_ASK_OF_SEVERAL) {
        hv_json_name(writer, "items");
        hv_json_begin_object(writer);
        put_options(field, writer);
        hv_json_end_object(writer);
    }
    hv_json_end_object(writer);
}

void hv_ask_put_schema(const struct hv_question *question, struct hv_json_writer *writer)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "object");
    hv_json_name(writer, "properties");
    hv_json_begin_object(writer);
    for (size_t i = 0; i < question->field_count; i++)
        put_field(&question->fields[i], writer);
    hv_json_end_object(writer);
    hv_json_name(writer, "required");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < question->field_count; i++)
        if (question->fields[i].required)
            hv_json_put_string(writer, question->fields[i].name);
    hv_json_end_array(writer);
    hv_json_end_object(writer);
}
