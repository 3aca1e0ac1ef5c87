/*
 * permissions.c: the `permissions` member: rules, further directories, the mode.
 *
 * What denies or asks is never lost by a wrong shape: where a list was expected and something else stands, the rules
 * that can be recognised in it deny (recover.c).
 */
#include "base/path.h"
#include "config/loader.h"

static void add_rule(struct loader *loader, struct source *source, enum hv_verdict verdict, const struct hv_json *item)
{
    struct hv_str text = hv_str_trim(item->text);
    if (!text.len) {
        loader_warn(loader, source, item, "an empty text is no rule: it is ignored");
        return;
    }
    *vec_push(&loader->rules) = (struct settings_rule){
        .verdict = verdict,
        .text = text,
        .root = source->root,
        .place = source_place_of(source, item),
    };
}

/* item should have been a rule, or a list of them. */
static void misshaped(struct loader *loader, struct source *source, enum hv_verdict verdict, const struct hv_json *item)
{
    struct settings_place place = source_place_of(source, item);
    size_t found = verdict == HV_ALLOW ? 0 : recover_rules(loader, source, item->start, item->end);
    if (!loader_has_room(loader))
        return;
    struct hv_str message =
        hv_arena_format(loader->arena, "rules should be texts in an array, not %s%s", hv_json_type_name(item),
                        found ? ": what was recognised in it denies" : ": it is ignored");
    loader_problem(loader, SETTINGS_WARNING, place, message, HV_STR("write [\"Tool\", \"Tool(specifier)\"]"));
}

static void read_rules(struct loader *loader, struct source *source, enum hv_verdict verdict,
                       const struct hv_json *list)
{
    if (source->untrusted && verdict == HV_ALLOW) {
        if (list->count)
            source_leave_out(source, HV_STR("permissions."), list->key);
        return;
    }
    if (list->type != HV_JSON_ARRAY) {
        misshaped(loader, source, verdict, list);
        return;
    }
    hv_json_each(item, list)
    {
        if (item->type == HV_JSON_STRING)
            add_rule(loader, source, verdict, item);
        else
            misshaped(loader, source, verdict, item);
    }
}

static void read_directories(struct loader *loader, struct source *source, const struct hv_json *list)
{
    if (list->type != HV_JSON_ARRAY) {
        loader_warn_type(loader, source, list, "an array of paths");
        return;
    }
    /* A project's paths start at the project, a person's where helve was started. */
    struct hv_str base = scope_is_project(source->scope) ? loader->locations.project : loader->options->directory;
    hv_json_each(item, list)
    {
        if (!hv_json_string(item).len || hv_str_find_byte(item->text, '\0', 0) != SIZE_MAX) {
            loader_warn_type(loader, source, item, "the path of a directory");
            continue;
        }
        *vec_push(&loader->directories) = (struct settings_directory){
            .path = path_expand(loader->arena, item->text, base, loader->options->home),
            .place = source_place_of(source, item),
        };
    }
}

static void read_mode(struct loader *loader, struct source *source, const struct hv_json *value)
{
    static const struct hv_str modes[] = {HV_STR("default"), HV_STR("acceptEdits"),       HV_STR("plan"),
                                          HV_STR("dontAsk"), HV_STR("bypassPermissions"), HV_STR("manual")};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (value->type == HV_JSON_STRING && hv_str_eq(value->text, modes[i])) {
            if (loader->mode_set_by >= source->scope) {
                loader->settings->default_mode = modes[i];
                loader->mode_set_by = source->scope;
            }
            return;
        }
    loader_warn(loader, source, value,
                "defaultMode should be default, acceptEdits, plan, dontAsk or bypassPermissions: it is ignored");
}

static void read_bypass(struct loader *loader, struct source *source, const struct hv_json *value)
{
    /* Who writes this member means to forbid; only what clearly says otherwise does not. */
    if (value->type == HV_JSON_FALSE || value->type == HV_JSON_NULL)
        return;
    loader->settings->bypass_disabled = true;
    if (!hv_str_is(hv_json_string(value), "disable"))
        loader_warn(loader, source, value,
                    "disableBypassPermissionsMode should be \"disable\": it is taken as if it were");
}

enum permission { ALLOW_LIST, ASK_LIST, DENY_LIST, DIRECTORIES, MODE, BYPASS, PERMISSION_COUNT };

static const struct hv_str names[PERMISSION_COUNT] = {
    [ALLOW_LIST] = HV_STR("allow"), [ASK_LIST] = HV_STR("ask"),
    [DENY_LIST] = HV_STR("deny"),   [DIRECTORIES] = HV_STR("additionalDirectories"),
    [MODE] = HV_STR("defaultMode"), [BYPASS] = HV_STR("disableBypassPermissionsMode"),
};

static enum permission permission_named(struct hv_str name)
{
    for (size_t i = 0; i < PERMISSION_COUNT; i++)
        if (hv_str_eq(names[i], name))
            return (enum permission)i;
    return PERMISSION_COUNT;
}

static void read_member(struct loader *loader, struct source *source, const struct hv_json *member)
{
    enum permission which = permission_named(member->key);
    if (source->untrusted && (which == DIRECTORIES || which == MODE)) {
        source_leave_out(source, HV_STR("permissions."), member->key);
        return;
    }
    switch (which) {
    case ALLOW_LIST: read_rules(loader, source, HV_ALLOW, member); break;
    case ASK_LIST: read_rules(loader, source, HV_ASK, member); break;
    case DENY_LIST: read_rules(loader, source, HV_DENY, member); break;
    case DIRECTORIES: read_directories(loader, source, member); break;
    case MODE: read_mode(loader, source, member); break;
    case BYPASS: read_bypass(loader, source, member); break;
    case PERMISSION_COUNT:
        if (!scope_is_claude(source->scope))
            loader_warn_unknown(loader, source, member, names, PERMISSION_COUNT);
        break;
    }
}

void permissions_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    if (member->type != HV_JSON_OBJECT) {
        struct settings_place place = source_place_of(source, member);
        size_t found = recover_rules(loader, source, member->start, member->end);
        loader_problem(loader, SETTINGS_WARNING, place,
                       found ? HV_STR("permissions should be an object: the rules recognised in it deny")
                             : HV_STR("permissions should be an object: it is ignored"),
                       HV_STR("write {\"allow\": […], \"ask\": […], \"deny\": […]}"));
        return;
    }
    hv_json_each(child, member) read_member(loader, source, child);
}
