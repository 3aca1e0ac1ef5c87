/* environment.c: the `env` and `models` members, merged by name (the strongest source that has a name gives it), and
 * `webSearch`. */
#include "config/loader.h"

/* ---- env ------------------------------------------------------------------------------------------------------ */

static bool has_nul(struct hv_str text)
{
    return hv_str_find_byte(text, '\0', 0) != SIZE_MAX;
}

static bool is_variable_name(struct hv_str name)
{
    return name.len && !has_nul(name) && hv_str_find_byte(name, '=', 0) == SIZE_MAX;
}

/* Numbers and booleans stand for their text. */
static bool variable_value(const struct hv_json *member, struct hv_str *value)
{
    switch (member->type) {
    case HV_JSON_STRING:
    case HV_JSON_NUMBER: *value = member->text; return !has_nul(member->text);
    case HV_JSON_TRUE: *value = HV_STR("true"); return true;
    case HV_JSON_FALSE: *value = HV_STR("false"); return true;
    default: return false;
    }
}

void variables_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object of names and values");
        return;
    }
    hv_json_each(child, member)
    {
        struct hv_str value;
        if (!is_variable_name(child->key))
            loader_warn(loader, source, child, "\"%.*s\" is no name of a variable: it is ignored",
                        HV_STR_ARG(text_shown(loader->arena, child->key)));
        else if (!variable_value(child, &value))
            loader_warn_type(loader, source, child, "a text");
        else
            *vec_push(&loader->variables) =
                (struct settings_variable){child->key, value, source_place_of(source, child)};
    }
}

/* ---- models --------------------------------------------------------------------------------------------------- */

static bool is_header_name(struct hv_str name)
{
    const struct hv_str marks = HV_STR("!#$%&'*+-.^_`|~");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && hv_str_find_byte(marks, c, 0) == SIZE_MAX)
            return false;
    }
    return name.len > 0;
}

static bool is_header_value(const struct hv_json *value)
{
    if (value->type != HV_JSON_STRING)
        return false;
    for (size_t i = 0; i < value->text.len; i++)
        if ((unsigned char)value->text.ptr[i] < ' ' && value->text.ptr[i] != '\t')
            return false;
    return true;
}

const struct hv_str *headers_read(struct loader *loader, struct source *source, const struct hv_json *object,
                                  size_t *count)
{
    *count = 0;
    if (!object)
        return NULL;
    if (object->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, object, "an object of names and values");
        return NULL;
    }
    struct hv_str *headers = hv_arena_array(loader->arena, struct hv_str, object->count + 1);
    hv_json_each(member, object)
    {
        if (!is_header_name(member->key) || !is_header_value(member)) {
            loader_warn(loader, source, member, "\"%.*s\" is no header with a text of one line: it is ignored",
                        HV_STR_ARG(text_shown(loader->arena, member->key)));
            continue;
        }
        struct hv_str name = hv_arena_join(loader->arena, member->key, HV_STR(": "));
        headers[(*count)++] = hv_arena_join(loader->arena, name, member->text);
    }
    return headers;
}

static struct hv_str provider_text(struct loader *loader, struct source *source, const struct hv_json *member)
{
    if (hv_json_string(member).len && !has_nul(member->text))
        return member->text;
    loader_warn_type(loader, source, member, "a text");
    return (struct hv_str){0};
}

static void read_provider(struct loader *loader, struct source *source, const struct hv_json *object)
{
    static const struct hv_str known[] = {HV_STR("provider"), HV_STR("baseUrl"), HV_STR("apiKeyEnv"),
                                          HV_STR("headers")};
    struct settings_provider provider = {.name = object->key, .place = source_place_of(source, object)};
    hv_json_each(member, object)
    {
        if (hv_str_is(member->key, "provider"))
            provider.kind = provider_text(loader, source, member);
        else if (hv_str_is(member->key, "baseUrl"))
            provider.base_url = provider_text(loader, source, member);
        else if (hv_str_is(member->key, "apiKeyEnv"))
            provider.api_key_env = provider_text(loader, source, member);
        else if (hv_str_is(member->key, "headers"))
            provider.headers = headers_read(loader, source, member, &provider.header_count);
        else
            loader_warn_unknown(loader, source, member, known, sizeof known / sizeof *known);
    }
    *vec_push(&loader->providers) = provider;
}

void providers_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object with an entry for each name");
        return;
    }
    hv_json_each(object, member)
    {
        if (object->type != HV_JSON_OBJECT || !object->key.len)
            loader_warn_type(loader, source, object, "an object with baseUrl, apiKeyEnv, …");
        else
            read_provider(loader, source, object);
    }
}

/* ---- webSearch ------------------------------------------------------------------------------------------------ */

/* Whole from one source: an address of one file and the key of another would not belong together. A project, trusted or
 * not, does not say where a person's searches go. */
void search_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    static const struct hv_str known[] = {HV_STR("backend"), HV_STR("url"), HV_STR("apiKeyEnv")};
    struct hv_search_service search = {0};
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object with backend, url, apiKeyEnv");
        return;
    }
    if (scope_is_project(source->scope)) {
        loader_warn(loader, source, member, "\"webSearch\" counts in your own settings only: it is ignored");
        return;
    }
    hv_json_each(child, member)
    {
        if (hv_str_is(child->key, "backend"))
            search.backend = provider_text(loader, source, child);
        else if (hv_str_is(child->key, "url"))
            search.url = provider_text(loader, source, child);
        else if (hv_str_is(child->key, "apiKeyEnv"))
            search.key_variable = provider_text(loader, source, child);
        else
            loader_warn_unknown(loader, source, child, known, sizeof known / sizeof *known);
    }
    if (!search.backend.len)
        loader_warn(loader, source, member, "\"webSearch\" names no backend: it is ignored");
    else if (loader->search_set_by >= source->scope) {
        loader->settings->search = search;
        loader->search_set_by = source->scope;
    }
}

void status_line_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    static const struct hv_str known[] = {HV_STR("type"), HV_STR("command"), HV_STR("padding")};
    struct hv_str command = {0};
    bool is_command = true;
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object with type, command");
        return;
    }
    hv_json_each(child, member)
    {
        if (hv_str_is(child->key, "command"))
            command = provider_text(loader, source, child);
        else if (hv_str_is(child->key, "type"))
            is_command = hv_str_is(hv_json_string(child), "command");
        else if (!hv_str_is(child->key, "padding")) /* of Claude Code's; it has no meaning here */
            loader_warn_unknown(loader, source, child, known, sizeof known / sizeof *known);
    }
    if (!command.len || !is_command) {
        loader_warn(loader, source, member, "\"statusLine\" needs type \"command\" and a command: it is ignored");
    } else if (loader->status_set_by >= source->scope) {
        loader->settings->status_line = command;
        loader->status_set_by = source->scope;
    }
}
