/* encode.c: see encode.h. */
#include "model/encode.h"
#include "model/provider.h"

#include "base/cleanup.h"

#include <string.h>

enum { HASH_DIGITS = 8, TEXT_MAX = 1 << 30 };

/* ---- names and ids ---------------------------------------------------------------------------------------------- */

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-';
}

static bool is_plain_text(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_plain(text.ptr[i]))
            return false;
    }
    return text.len > 0;
}

/* FNV-1a: the same in every process, since names and ids are part of prefixes that providers cache. */
static uint32_t name_hash(struct hv_str text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 16777619u;
    return hash;
}

/* text in plain characters, cut, with its hash. */
static struct hv_str make_plain(struct hv_str text, size_t max, char *buffer)
{
    size_t len = text.len < max - HASH_DIGITS - 1 ? text.len : max - HASH_DIGITS - 1;
    for (size_t i = 0; i < len; i++)
        buffer[i] = is_plain(text.ptr[i]) ? text.ptr[i] : '_';
    int added = snprintf(buffer + len, HASH_DIGITS + 2, "_%08x", (unsigned)name_hash(text));
    return hv_str_of(buffer, len + (size_t)added);
}

struct hv_str wire_name(struct hv_str name, size_t max, char buffer[WIRE_NAME_MAX])
{
    return name.len <= max && is_plain_text(name) ? name : make_plain(name, max, buffer);
}

struct hv_str encode_call_id(const struct model *model, struct hv_str id, size_t max, char buffer[WIRE_NAME_MAX])
{
    bool usual = id.len > 0;
    for (size_t i = 0; usual && i < id.len; i++)
        usual = is_plain(id.ptr[i]) || (id.ptr[i] && strchr(".:+/=|", id.ptr[i]));
    return usual && !model->own_service ? id : wire_name(id, max, buffer);
}

/* ---- objects ---------------------------------------------------------------------------------------------------- */

void encode_next(struct hv_buf *out, struct hv_json_writer *writer)
{
    if (out->len)
        hv_buf_add_byte(out, ',');
    hv_json_writer_init(writer, out);
}

struct hv_str encode_type(const struct hv_json *block)
{
    return hv_json_get_string(block, "type");
}

bool encode_is(const struct hv_json *block, const char *type)
{
    return hv_str_is(encode_type(block), type);
}

bool encode_is_blank(struct hv_str text)
{
    return hv_str_trim(text).len == 0;
}

bool encode_is_own(const struct model *model, const struct hv_json *block)
{
    struct hv_str from = hv_json_get_string(block, "from");
    return !from.len || hv_str_eq(from, model->origin);
}

const struct hv_json *encode_own_item(const struct model *model, const struct hv_json *block)
{
    const struct hv_json *item = hv_json_get(block, "item");
    bool own = encode_is(block, "provider_item") && encode_is_own(model, block) &&
               hv_str_is(hv_json_get_string(block, "provider"), model->provider->name);
    return own && hv_json_type_of(item) == HV_JSON_OBJECT ? item : NULL;
}

static bool is_listed(struct hv_str key, const char *const *list)
{
    for (; list && *list; list++) {
        if (hv_str_is(key, *list))
            return true;
    }
    return false;
}

void encode_members(struct hv_json_writer *writer, const struct hv_json *object, const char *const *without)
{
    hv_json_each(member, object)
    {
        if (is_listed(member->key, without))
            continue;
        hv_json_name_str(writer, member->key);
        hv_json_put_value(writer, member);
    }
}

/* ---- schemas ---------------------------------------------------------------------------------------------------- */

static bool is_key(struct hv_str key, size_t max)
{
    for (size_t i = 0; i < key.len; i++) {
        if (!is_plain(key.ptr[i]) && key.ptr[i] != '.')
            return false;
    }
    return !max || (key.len && key.len <= max);
}

static void put_properties(struct hv_json_writer *writer, const struct hv_json *properties, size_t keys_max)
{
    hv_json_name(writer, "properties");
    hv_json_begin_object(writer);
    hv_json_each(property, properties)
    {
        if (keys_max && !is_key(property->key, keys_max))
            continue;
        hv_json_name_str(writer, property->key);
        hv_json_put_value(writer, property);
    }
    hv_json_end_object(writer);
}

static void put_required(struct hv_json_writer *writer, const struct hv_json *required, size_t keys_max)
{
    hv_json_name(writer, "required");
    hv_json_begin_array(writer);
    hv_json_each(name, required)
    {
        if (!keys_max || is_key(hv_json_string(name), keys_max))
            hv_json_put_value(writer, name);
    }
    hv_json_end_array(writer);
}

void encode_schema(struct hv_json_writer *writer, const char *name, struct hv_str schema, size_t keys_max)
{
    static const char *const refused[] = {"type", "properties", "required", "oneOf", "anyOf", "allOf", "not",
                                          "enum", "const",      "if",       "then",  "else",  NULL};
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *root = NULL;
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8;
    if (hv_json_parse(&arena, schema, flags, &root, NULL) != HV_OK || root->type != HV_JSON_OBJECT)
        root = NULL;
    hv_json_name(writer, name);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "object");
    put_properties(writer, hv_json_get(root, "properties"), keys_max);
    if (hv_json_type_of(hv_json_get(root, "required")) == HV_JSON_ARRAY)
        put_required(writer, hv_json_get(root, "required"), keys_max);
    encode_members(writer, root, refused);
    hv_json_end_object(writer);
}

/* ---- pictures, documents ---------------------------------------------------------------------------------------- */

bool encode_url(struct hv_buf *out, const struct hv_json *source)
{
    struct hv_str data = hv_json_get_string(source, "data"), url = hv_json_get_string(source, "url");
    if (encode_is(source, "base64") && data.len)
        hv_buf_addf(out, "data:%.*s;base64,", HV_STR_ARG(hv_json_get_string(source, "media_type")));
    else if (!encode_is(source, "url") || !url.len)
        return false;
    hv_buf_add_str(out, data.len ? data : url);
    return true;
}

static struct hv_str title_of(const struct hv_json *block)
{
    struct hv_str title = hv_json_get_string(block, "title");
    return title.len ? title : HV_STR("without a title");
}

void encode_stand_in(struct hv_buf *out, const struct hv_json *block)
{
    const struct hv_json *source = hv_json_get(block, "source");
    if (encode_is(block, "tool_reference")) {
        hv_buf_addf(out, "The tool %.*s can be called now.", HV_STR_ARG(hv_json_get_string(block, "tool_name")));
    } else if (encode_is(block, "document") && encode_is(source, "text")) {
        hv_buf_addf(out, "[document: %.*s]\n", HV_STR_ARG(title_of(block)));
        hv_buf_add_str(out, hv_json_get_string(source, "data"));
    } else if (encode_is(block, "document")) {
        hv_buf_addf(out, "[document: %.*s; this model cannot be sent documents]", HV_STR_ARG(title_of(block)));
    } else if (encode_is(block, "search_result")) {
        hv_buf_addf(out, "[%.*s](%.*s)", HV_STR_ARG(title_of(block)), HV_STR_ARG(hv_json_string(source)));
        hv_json_each(part, hv_json_get(block, "content"))
        {
            hv_buf_add_byte(out, '\n');
            hv_buf_add_str(out, hv_json_get_string(part, "text"));
        }
    }
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

const struct hv_json *encode_result_blocks(const struct hv_json *result)
{
    const struct hv_json *content = hv_json_get(result, "content");
    return hv_json_type_of(content) == HV_JSON_ARRAY ? content : NULL;
}

static void add_line(struct hv_buf *out, struct hv_str text)
{
    if (out->len && out->data[out->len - 1] != '\n')
        hv_buf_add_byte(out, '\n');
    hv_buf_add_str(out, text);
}

void encode_result_text(struct hv_buf *out, const struct hv_json *result)
{
    hv_buf_add_str(out, hv_json_get_string(result, "content"));
    hv_json_each(block, encode_result_blocks(result))
    {
        CLEANUP_BUF struct hv_buf stand_in = {0};
        hv_buf_init(&stand_in, TEXT_MAX);
        encode_stand_in(&stand_in, block);
        struct hv_str text = encode_is(block, "text") ? hv_json_get_string(block, "text") : hv_buf_str(&stand_in);
        if (text.len)
            add_line(out, text);
    }
    /* These wires have no mark for a failure: the text must say it. */
    bool failed = hv_json_bool(hv_json_get(result, "is_error"), false);
    if (failed && !hv_str_starts(hv_str_trim(hv_buf_str(out)), HV_STR("Error"))) {
        CLEANUP_BUF struct hv_buf text = *out;
        hv_buf_init(out, text.max);
        hv_buf_add_cstr(out, text.len ? "Error: " : "Error");
        hv_buf_add_str(out, hv_buf_str(&text));
    }
}

const char *encode_effort(int64_t thinking_budget)
{
    if (thinking_budget <= 4096)
        return "low";
    return thinking_budget <= 16384 ? "medium" : "high";
}

void encode_domains(struct hv_json_writer *writer, const char *name, const struct hv_str *domains, size_t count)
{
    if (!count)
        return;
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        hv_json_put_string(writer, domains[i]);
    hv_json_end_array(writer);
}
