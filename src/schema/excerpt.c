/* excerpt.c: see excerpt.h. */
#include "schema/excerpt.h"

#include "base/utf8.h"

enum { PLAIN_NAME_MAX = 64 };

void excerpt_add(struct hv_buf *buf, struct hv_str text, size_t max)
{
    size_t end = text.len < max ? text.len : max;
    end -= end < text.len ? utf8_incomplete_tail(hv_str_slice(text, 0, end)) : 0;
    hv_json_escape(buf, hv_str_slice(text, 0, end));
    if (end < text.len)
        hv_buf_add_cstr(buf, "…");
}

void excerpt_describe(struct hv_buf *buf, const struct hv_json *value)
{
    enum hv_json_type type = hv_json_type_of(value);
    if (type == HV_JSON_TRUE || type == HV_JSON_FALSE)
        hv_buf_addf(buf, "boolean %s", type == HV_JSON_TRUE ? "true" : "false");
    else
        hv_buf_add_cstr(buf, hv_json_type_name(value));
    if (type == HV_JSON_NUMBER) {
        hv_buf_add_byte(buf, ' ');
        excerpt_add(buf, value->text, EXCERPT_MAX);
    } else if (type == HV_JSON_STRING) {
        hv_buf_add_cstr(buf, " \"");
        excerpt_add(buf, value->text, EXCERPT_MAX);
        hv_buf_add_byte(buf, '"');
    } else if (type == HV_JSON_ARRAY) {
        hv_buf_addf(buf, " of %u", value->count);
    }
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '$';
}

static bool is_plain_name(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_plain(name.ptr[i]))
            return false;
    return name.len > 0 && name.len <= PLAIN_NAME_MAX;
}

void excerpt_path_name(struct hv_buf *buf, struct hv_str name)
{
    if (is_plain_name(name)) {
        hv_buf_addf(buf, "%s%.*s", buf->len ? "." : "", HV_STR_ARG(name));
        return;
    }
    hv_buf_add_cstr(buf, "[\"");
    excerpt_add(buf, name, EXCERPT_MAX);
    hv_buf_add_cstr(buf, "\"]");
}
