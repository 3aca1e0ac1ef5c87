/* settings_file.c: see settings_file.h. */
#include "tools/settings_file.h"

#include "base/cleanup.h"
#include "base/embed.h"
#include "schema/validator.h"
#include "settings_schema_stamp.h"

#include <string.h>

EMBED(settings_schema, SETTINGS_SCHEMA_FILE)

enum kind { NO_SETTINGS = 0, OWN_SETTINGS, FOREIGN_SETTINGS, SERVER_LIST };

/* Of settings that other programs read, too: what helve takes of them must have the shape it knows; the rest is theirs.
 */
static const char foreign_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"permissions\":{\"type\":\"object\",\"properties\":{\"allow\":{\"$ref\":\"#/$defs/texts\"},"
    "\"deny\":{\"$ref\":\"#/$defs/texts\"},\"ask\":{\"$ref\":\"#/$defs/texts\"},"
    "\"additionalDirectories\":{\"$ref\":\"#/$defs/texts\"},\"defaultMode\":{\"type\":\"string\"}}},"
    "\"hooks\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"hooks\"],\"properties\":{\"matcher\":{\"type\":\"string\"},\"hooks\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"type\"],\"properties\":{\"type\":{\"type\":\"string\"},"
    "\"command\":{\"type\":\"string\"},\"timeout\":{\"type\":\"number\"}}}}}}}},"
    "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":[\"string\",\"number\",\"boolean\"]}}},"
    "\"$defs\":{\"texts\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

static const char server_schema[] =
    "{\"type\":\"object\",\"properties\":{\"mcpServers\":{\"type\":\"object\",\"additionalProperties\":{"
    "\"type\":\"object\",\"anyOf\":[{\"required\":[\"command\"]},{\"required\":[\"url\"]}],\"properties\":{"
    "\"type\":{\"type\":\"string\"},\"command\":{\"type\":\"string\",\"minLength\":1},"
    "\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"env\":{\"$ref\":\"#/$defs/texts\"},"
    "\"url\":{\"type\":\"string\",\"minLength\":1},\"headers\":{\"$ref\":\"#/$defs/texts\"}}}}},"
    "\"$defs\":{\"texts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}}";

static struct hv_str variable(const struct hv_context *context, const char *name)
{
    size_t length = strlen(name);
    for (const char *const *entry = context->environment; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return hv_str_from(*entry + length + 1);
    return (struct hv_str){0};
}

static bool is_below(struct hv_str path, struct hv_str directory, struct hv_str rest)
{
    return directory.len && hv_str_starts(path, directory) &&
           hv_str_eq(hv_str_slice(path, directory.len, path.len), rest);
}

static enum kind kind_of(const struct hv_context *context, struct hv_str path)
{
    static const char *const own[] = {"/.helve/settings.json", "/.helve/settings.local.json",
                                      "/.config/helve/settings.json", "/etc/helve/settings.json"};
    static const char *const foreign[] = {"/.claude/settings.json", "/.claude/settings.local.json"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (hv_str_ends(path, hv_str_from(own[i])))
            return OWN_SETTINGS;
    if (is_below(path, variable(context, "HELVE_HOME"), HV_STR("/settings.json")) ||
        is_below(path, variable(context, "XDG_CONFIG_HOME"), HV_STR("/helve/settings.json")))
        return OWN_SETTINGS;
    if (hv_str_ends(path, HV_STR("/.mcp.json")))
        return SERVER_LIST;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (hv_str_ends(path, hv_str_from(foreign[i])))
            return FOREIGN_SETTINGS;
    return NO_SETTINGS;
}

static struct hv_str schema_of(enum kind kind)
{
    if (kind == OWN_SETTINGS)
        return settings_schema();
    return hv_str_from(kind == SERVER_LIST ? server_schema : foreign_schema);
}

static enum hv_code check_schema(struct hv_arena *arena, enum kind kind, const struct hv_json *value,
                                 struct hv_str path, struct hv_error *err)
{
    struct schema *schema;
    struct schema_errors errors = {0};
    enum hv_code code = schema_compile(schema_of(kind), NULL, &schema, err);
    if (code)
        return code;
    code = schema_validate(schema, value, arena, &errors, err);
    schema_unref(schema);
    if (code != HV_EINVAL)
        return code;
    const struct schema_error *first = errors.first;
    hv_fail(err, HV_EINVAL, "%.*s was left as it was: it would no longer be a good %s (%zu problem%s; %.*s%s%.*s)",
            HV_STR_ARG(path), kind == SERVER_LIST ? "list of servers" : "settings file", errors.count,
            errors.count == 1 ? "" : "s", HV_STR_ARG(first->field), first->field.len ? ": " : "",
            HV_STR_ARG(first->message));
    hv_error_hint(err, kind == OWN_SETTINGS
                           ? "Mend the new text; every key is described in docs/settings.schema.json of helve"
                           : "Mend the new text; the rest of the file may stay as it is");
    return HV_EINVAL;
}

bool settings_file_is(const struct hv_context *context, struct hv_str path)
{
    return kind_of(context, path) != NO_SETTINGS;
}

enum hv_code settings_file_check(const struct hv_context *context, struct hv_str path, struct hv_str bytes,
                                 struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    enum kind kind = kind_of(context, path);
    if (kind == NO_SETTINGS)
        return HV_OK;
    enum hv_code code = hv_json_parse(&arena, bytes, HV_JSON_ALLOW_BOM, &value, err);
    if (code) {
        hv_error_prefix(err, "%.*s was left as it was, the new text is no JSON: ", HV_STR_ARG(path));
        return code;
    }
    return check_schema(&arena, kind, value, path, err);
}
