/*
 * keys.c: the members that a settings file may have: one row each. To add a setting, add a row, a member of struct
 * settings (or read it with settings_get), and a property in docs/settings.schema.json.
 */
#include "config/loader.h"

#include <stddef.h>

enum key_kind {
    KEY_TEXT,    /* struct hv_str */
    KEY_INTEGER, /* int64_t, at least `minimum` */
    KEY_SWITCH,  /* enum settings_switch: true, false, "auto" */
    KEY_PART,    /* `read` does it; adds up over sources */
    KEY_NOTE,    /* no meaning for helve */
};

struct key {
    struct hv_str name;
    enum key_kind kind;
    bool in_claude;    /* taken from `.claude` files too */
    bool in_untrusted; /* read though the project is not trusted: `read` takes care */
    size_t offset;     /* of the member of struct settings */
    int64_t minimum;
    void (*read)(struct loader *loader, struct source *source, const struct hv_json *member);
};

static void read_hooks_off(struct loader *loader, struct source *source, const struct hv_json *member);

#define AT(member) .offset = offsetof(struct settings, member)
static const struct key keys[] = {
    {HV_STR("permissions"), KEY_PART, .read = permissions_read, .in_claude = true, .in_untrusted = true},
    {HV_STR("hooks"), KEY_PART, .read = hooks_read, .in_claude = true},
    {HV_STR("disableAllHooks"), KEY_PART, .read = read_hooks_off, .in_claude = true},
    {HV_STR("env"), KEY_PART, .read = variables_read, .in_claude = true},
    {HV_STR("models"), KEY_PART, .read = providers_read},
    {HV_STR("webSearch"), KEY_PART, .read = search_read},
    {HV_STR("statusLine"), KEY_PART, .read = status_line_read, .in_claude = true},
    {HV_STR("model"), KEY_TEXT, AT(model)},
    {HV_STR("smallModel"), KEY_TEXT, AT(small_model)},
    {HV_STR("smallModelTokens"), KEY_INTEGER, AT(small_model_tokens), .minimum = 1},
    {HV_STR("effort"), KEY_TEXT, AT(effort)},
    {HV_STR("theme"), KEY_TEXT, AT(theme)},
    {HV_STR("maxTurns"), KEY_INTEGER, AT(max_turns), .minimum = 1},
    {HV_STR("maxOutputTokens"), KEY_INTEGER, AT(max_output_tokens), .minimum = 1},
    {HV_STR("streamEndTimeout"), KEY_INTEGER, AT(stream_end_timeout), .minimum = 1},
    {HV_STR("streamContentTimeout"), KEY_INTEGER, AT(stream_content_timeout), .minimum = 1},
    {HV_STR("thinkingBudget"), KEY_INTEGER, AT(thinking_budget), .minimum = 0},
    {HV_STR("cleanupPeriodDays"), KEY_INTEGER, AT(cleanup_period_days), .minimum = 0},
    {HV_STR("checkpointMegabytes"), KEY_INTEGER, AT(checkpoint_megabytes), .minimum = 0},
    {HV_STR("checkpointFileMegabytes"), KEY_INTEGER, AT(checkpoint_file_megabytes), .minimum = 1},
    {HV_STR("maxToolConcurrency"), KEY_INTEGER, AT(max_tool_concurrency), .minimum = 1},
    {HV_STR("toolSearch"), KEY_SWITCH, AT(tool_search)},
    {HV_STR("sandbox"), KEY_PART, .read = confinement_read},
    {HV_STR("$schema"), KEY_NOTE, .in_untrusted = true},
};
#undef AT
enum { KEY_COUNT = sizeof keys / sizeof *keys };
_Static_assert((int)KEY_COUNT <= (int)SETTINGS_KEYS_MAX, "set_by has a place for each key");

static void read_hooks_off(struct loader *loader, struct source *source, const struct hv_json *member)
{
    if (member->type != HV_JSON_TRUE && member->type != HV_JSON_FALSE)
        loader_warn_type(loader, source, member, "true or false");
    else if (member->type == HV_JSON_TRUE && scope_is_claude(source->scope))
        loader->claude_hooks_off = true;
    else if (member->type == HV_JSON_TRUE && source->scope < loader->hooks_off_by)
        loader->hooks_off_by = source->scope;
}

static const char *expected_text(const struct key *key)
{
    switch (key->kind) {
    case KEY_TEXT: return "a text";
    case KEY_INTEGER: return key->minimum ? "a whole number from 1" : "a whole number from 0";
    case KEY_SWITCH: return "true, false or \"auto\"";
    default: return "an object";
    }
}

/* Set the member of the snapshot; false when the value is none of the kind. */
static bool set_value(const struct key *key, void *place, const struct hv_json *value)
{
    int64_t number;
    switch (key->kind) {
    case KEY_TEXT:
        if (!hv_json_string(value).len || hv_str_find_byte(value->text, '\0', 0) != SIZE_MAX)
            return false;
        *(struct hv_str *)place = value->text;
        return true;
    case KEY_INTEGER:
        if (!hv_json_int64(value, &number) || number < key->minimum)
            return false;
        *(int64_t *)place = number;
        return true;
    case KEY_SWITCH:
        if (value->type != HV_JSON_TRUE && value->type != HV_JSON_FALSE && !hv_str_is(hv_json_string(value), "auto"))
            return false;
        *(enum settings_switch *)place = value->type == HV_JSON_TRUE    ? SETTINGS_ON
                                         : value->type == HV_JSON_FALSE ? SETTINGS_OFF
                                                                        : SETTINGS_AUTO;
        return true;
    default: return value->type == HV_JSON_OBJECT;
    }
}

/* A single value: the strongest source that has a good one gives it; within a file the last one counts. */
static void read_value(struct loader *loader, struct source *source, size_t row, const struct hv_json *member)
{
    const struct key *key = &keys[row];
    union {
        struct hv_str text;
        int64_t number;
        enum settings_switch choice;
    } unused;
    bool weaker = loader->set_by[row] < source->scope;
    if (!set_value(key, weaker ? (void *)&unused : (char *)loader->settings + key->offset, member))
        loader_warn_type(loader, source, member, expected_text(key));
    else if (!weaker)
        loader->set_by[row] = source->scope;
}

static size_t row_of(struct hv_str name)
{
    size_t row = 0;
    while (row < KEY_COUNT && !hv_str_eq(keys[row].name, name))
        row++;
    return row;
}

bool keys_takes(enum settings_scope scope, struct hv_str name)
{
    size_t row = row_of(name);
    return row < KEY_COUNT && (keys[row].in_claude || !scope_is_claude(scope));
}

size_t keys_names(struct hv_str names[SETTINGS_KEYS_MAX])
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    return KEY_COUNT;
}

static void warn_unknown(struct loader *loader, struct source *source, const struct hv_json *member)
{
    struct hv_str names[SETTINGS_KEYS_MAX];
    loader_warn_unknown(loader, source, member, names, keys_names(names));
}

void keys_read(struct loader *loader, struct source *source)
{
    bool is_claude = scope_is_claude(source->scope);
    bool seen[KEY_COUNT] = {false};
    hv_json_each(member, source->json)
    {
        size_t row = row_of(member->key);
        if (row == KEY_COUNT || (is_claude && !keys[row].in_claude)) {
            if (!is_claude) /* Claude Code has many settings that helve has not */
                warn_unknown(loader, source, member);
            continue;
        }
        if (source->untrusted && !keys[row].in_untrusted) {
            source_leave_out(source, (struct hv_str){0}, member->key);
            continue;
        }
        if (seen[row] && keys[row].kind != KEY_PART)
            loader_warn(loader, source, member, "%.*s is set twice in this file: the last one counts",
                        HV_STR_ARG(member->key));
        seen[row] = true;
        if (member->type == HV_JSON_NULL) /* said to be not set */
            continue;
        if (keys[row].kind == KEY_PART)
            keys[row].read(loader, source, member);
        else if (keys[row].kind != KEY_NOTE)
            read_value(loader, source, row, member);
    }
}
