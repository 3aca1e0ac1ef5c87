/*
 * hooks.c: the `hooks` member, in the form that users of Claude Code have:
 *   {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "…", "timeout": 10}]}]}
 *
 * A matcher of letters, digits, '_', '-', blanks and the separators '|' and ',' is a list of names and compared
 * plainly; anything else is a regular expression that must be found in the name. A hook that is marked `required` and
 * cannot be read stays as one that cannot run, so that it denies: leaving a guard out would open the door.
 */
#include "base/nearest.h"
#include "config/loader.h"
#include "schema/pattern.h"

#include <helve/event.h>

#define SECOND_NS 1000000000ull
enum { TIMEOUT_DEFAULT_S = 60, TIMEOUT_MAX_S = 24 * 60 * 60, ARGUMENTS_MAX = 256 };
/* Names are short; what does not settle in this much work is taken to match, so that the hook runs. */
enum { MATCH_STEPS = 1000000 };

struct settings_pattern {
    struct pattern *compiled;
};

/* ---- matchers ------------------------------------------------------------------------------------------------- */

static bool is_plain(struct hv_str matcher)
{
    for (size_t i = 0; i < matcher.len; i++) {
        char c = matcher.ptr[i];
        bool word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && c != '_' && c != '-' && c != ' ' && c != '|' && c != ',')
            return false;
    }
    return true;
}

static bool takes_all(struct hv_str matcher)
{
    matcher = hv_str_trim(matcher);
    return !matcher.len || hv_str_is(matcher, "*");
}

static bool list_has(struct hv_str list, struct hv_str name)
{
    size_t from = 0;
    for (size_t i = 0; i <= list.len; i++) {
        if (i < list.len && list.ptr[i] != '|' && list.ptr[i] != ',')
            continue;
        struct hv_str item = hv_str_trim(hv_str_slice(list, from, i));
        if (item.len && hv_str_eq(item, name))
            return true;
        from = i + 1;
    }
    return false;
}

bool settings_hook_matches(const struct settings_hook *hook, const char *event, struct hv_str name)
{
    if (!hv_str_is(hook->event, event))
        return false;
    if (takes_all(hook->matcher))
        return true;
    if (!hook->pattern)
        return list_has(hook->matcher, name);
    uint64_t steps = MATCH_STEPS;
    return pattern_find(hook->pattern->compiled, name, &steps) != PATTERN_NOT_FOUND;
}

static void free_pattern(void *pattern)
{
    pattern_free(((struct settings_pattern *)pattern)->compiled);
}

/* The compiled matcher, or NULL when it is plain. False when it is no regular expression. */
static bool compile(struct loader *loader, struct hv_str matcher, const struct settings_pattern **out,
                    struct hv_error *err)
{
    *out = NULL;
    if (takes_all(matcher) || is_plain(matcher))
        return true;
    struct settings_pattern *pattern = hv_arena_new(loader->arena, struct settings_pattern);
    if (pattern_compile(matcher, &pattern->compiled, err) != HV_OK)
        return false;
    hv_arena_on_release(loader->arena, free_pattern, pattern);
    *out = pattern;
    return true;
}

/* ---- one hook ------------------------------------------------------------------------------------------------- */

/* What is read at the moment. */
struct hook_reader {
    struct loader *loader;
    struct source *source;
    struct settings_hook hook;
    bool is_claude;
    bool unusable; /* told already */
};

static void unusable(struct hook_reader *reader, const struct hv_json *value, const char *what)
{
    if (!reader->unusable)
        loader_warn(reader->loader, reader->source, value, "%s: the hook is %s", what,
                    reader->hook.required ? "required and cannot run, so it denies" : "ignored");
    reader->unusable = true;
}

static void read_type(struct hook_reader *reader, const struct hv_json *object)
{
    const struct hv_json *type = hv_json_get(object, "type");
    reader->hook.type =
        hv_json_get(object, "url") && !hv_json_get(object, "command") ? SETTINGS_HOOK_HTTP : SETTINGS_HOOK_COMMAND;
    if (hv_str_is(hv_json_string(type), "command"))
        reader->hook.type = SETTINGS_HOOK_COMMAND;
    else if (hv_str_is(hv_json_string(type), "http"))
        reader->hook.type = SETTINGS_HOOK_HTTP;
    else if (type)
        unusable(reader, type, "the type of a hook is \"command\" or \"http\"");
}

static void read_arguments(struct hook_reader *reader, const struct hv_json *list)
{
    if (!list || list->type == HV_JSON_NULL)
        return;
    reader->hook.has_args = true;
    if (list->type != HV_JSON_ARRAY || list->count > ARGUMENTS_MAX) {
        unusable(reader, list, "args should be an array of at most 256 texts");
        return;
    }
    struct hv_str *args = hv_arena_array(reader->loader->arena, struct hv_str, list->count + 1);
    size_t count = 0;
    hv_json_each(item, list)
    {
        if (item->type != HV_JSON_STRING || hv_str_find_byte(item->text, '\0', 0) != SIZE_MAX) {
            unusable(reader, item, "args should be texts");
            return;
        }
        args[count++] = item->text;
    }
    reader->hook.args = args;
    reader->hook.arg_count = count;
}

static void read_command(struct hook_reader *reader, const struct hv_json *object)
{
    const struct hv_json *command = hv_json_get(object, "command");
    struct hv_str text = hv_json_string(command);
    if (!hv_str_trim(text).len || hv_str_find_byte(text, '\0', 0) != SIZE_MAX) {
        unusable(reader, command ? command : object, "a hook needs a command");
        return;
    }
    reader->hook.command = text;
    read_arguments(reader, hv_json_get(object, "args"));
}

static void read_request(struct hook_reader *reader, const struct hv_json *object)
{
    const struct hv_json *url = hv_json_get(object, "url");
    struct hv_str text = hv_json_string(url);
    if (!hv_str_starts(text, HV_STR("http://")) && !hv_str_starts(text, HV_STR("https://"))) {
        unusable(reader, url ? url : object, "a hook of type \"http\" needs an http or https url");
        return;
    }
    reader->hook.url = text;
    reader->hook.headers =
        headers_read(reader->loader, reader->source, hv_json_get(object, "headers"), &reader->hook.header_count);
}

static void read_timeout(struct hook_reader *reader, const struct hv_json *value)
{
    double seconds = TIMEOUT_DEFAULT_S;
    if (value && (!hv_json_double(value, &seconds) || !(seconds > 0))) {
        loader_warn(reader->loader, reader->source, value,
                    "timeout should be a number of seconds above 0: %d are taken", TIMEOUT_DEFAULT_S);
        seconds = TIMEOUT_DEFAULT_S;
    }
    if (seconds > TIMEOUT_MAX_S)
        seconds = TIMEOUT_MAX_S;
    reader->hook.timeout_ns = (uint64_t)(seconds * (double)SECOND_NS);
    if (!reader->hook.timeout_ns)
        reader->hook.timeout_ns = 1;
}

static bool read_flag(struct hook_reader *reader, const struct hv_json *object, const char *name)
{
    const struct hv_json *value = hv_json_get(object, name);
    if (value && value->type != HV_JSON_TRUE && value->type != HV_JSON_FALSE)
        loader_warn_type(reader->loader, reader->source, value, "true or false");
    return hv_json_bool(value, false);
}

/* A hook without its condition would run too often, which is the safe side. */
static struct hv_str read_text(struct hook_reader *reader, const struct hv_json *object, const char *name)
{
    const struct hv_json *value = hv_json_get(object, name);
    if (value && value->type != HV_JSON_STRING)
        loader_warn_type(reader->loader, reader->source, value, "a text");
    return hv_json_string(value);
}

static void check_members(struct hook_reader *reader, const struct hv_json *object, const struct hv_str *known,
                          size_t count)
{
    hv_json_each(member, object)
    {
        size_t i = 0;
        while (i < count && !hv_str_eq(known[i], member->key))
            i++;
        if (i == count && !reader->is_claude)
            loader_warn_unknown(reader->loader, reader->source, member, known, count);
    }
}

static const struct hv_str hook_members[] = {
    HV_STR("type"),     HV_STR("command"),   HV_STR("args"), HV_STR("url"),
    HV_STR("headers"),  HV_STR("timeout"),   HV_STR("if"),   HV_STR("statusMessage"),
    HV_STR("required"), HV_STR("onFailure"), HV_STR("once"), HV_STR("async"),
};

/* Another way to say it: "onFailure": "block". What is not clearly no guard is one. */
static void read_on_failure(struct hook_reader *reader, const struct hv_json *value)
{
    static const char *const lenient[] = {"allow", "continue", "ignore", "warn"};
    if (!value || value->type == HV_JSON_NULL)
        return;
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++)
        if (hv_str_is(hv_json_string(value), lenient[i]))
            return;
    if (!hv_str_is(hv_json_string(value), "block"))
        loader_warn(reader->loader, reader->source, value,
                    "onFailure should be \"block\" or \"allow\": it is taken for "
                    "\"block\"");
    reader->hook.required = true;
}

static void read_hook(struct hook_reader *reader, const struct hv_json *object)
{
    reader->unusable = false;
    if (object->type != HV_JSON_OBJECT) {
        loader_warn_type(reader->loader, reader->source, object, "a hook, which is an object");
        return;
    }
    /* What is not clearly no guard is one. */
    const struct hv_json *required = hv_json_get(object, "required");
    reader->hook.required = required && required->type != HV_JSON_FALSE && required->type != HV_JSON_NULL;
    if (reader->hook.required && required->type != HV_JSON_TRUE)
        loader_warn(reader->loader, reader->source, required, "required should be true or false: it is taken for true");
    read_on_failure(reader, hv_json_get(object, "onFailure"));
    check_members(reader, object, hook_members, sizeof hook_members / sizeof *hook_members);
    reader->hook.place = source_place_of(reader->source, object);
    read_type(reader, object);
    if (!reader->unusable && reader->hook.type == SETTINGS_HOOK_COMMAND)
        read_command(reader, object);
    else if (!reader->unusable)
        read_request(reader, object);
    read_timeout(reader, hv_json_get(object, "timeout"));
    reader->hook.condition = read_text(reader, object, "if");
    reader->hook.status_message = read_text(reader, object, "statusMessage");
    reader->hook.once = read_flag(reader, object, "once");
    reader->hook.async = read_flag(reader, object, "async");
}

/* A required hook that cannot be read: a program without a name, which cannot start. */
static void make_failing(struct settings_hook *hook)
{
    hook->type = SETTINGS_HOOK_COMMAND;
    hook->command = HV_STR("");
    hook->has_args = true;
    hook->args = NULL;
    hook->arg_count = 0;
    hook->async = false;
}

/* ---- groups and events ---------------------------------------------------------------------------------------- */

static const struct hv_str group_members[] = {HV_STR("matcher"), HV_STR("hooks")};

/* Sets matcher and pattern of the group; false when the matcher is none. */
static bool read_matcher(struct hook_reader *reader, const struct hv_json *group)
{
    const struct hv_json *matcher = hv_json_get(group, "matcher");
    struct hv_error why;
    reader->hook.matcher = (struct hv_str){0};
    reader->hook.pattern = NULL;
    if (!matcher || matcher->type == HV_JSON_NULL)
        return true;
    if (matcher->type != HV_JSON_STRING) {
        loader_warn(reader->loader, reader->source, matcher,
                    "a matcher should be a text: its hooks are ignored, the required ones run always");
        return false;
    }
    if (compile(reader->loader, matcher->text, &reader->hook.pattern, &why)) {
        reader->hook.matcher = matcher->text;
        return true;
    }
    loader_warn(reader->loader, reader->source, matcher,
                "the matcher is no name and no regular expression (%s): its hooks are ignored, the required ones run "
                "always",
                why.message);
    return false;
}

static void read_group(struct hook_reader *reader, const struct hv_json *group)
{
    const struct hv_json *list = hv_json_get(group, "hooks");
    if (group->type != HV_JSON_OBJECT || hv_json_type_of(list) != HV_JSON_ARRAY) {
        loader_warn(reader->loader, reader->source, group,
                    "hooks of an event should be {\"matcher\": …, \"hooks\": […]}: they are ignored");
        return;
    }
    check_members(reader, group, group_members, sizeof group_members / sizeof *group_members);
    bool matcher_is_good = read_matcher(reader, group);
    const struct settings_hook shared = reader->hook;
    hv_json_each(object, list)
    {
        reader->hook = shared;
        read_hook(reader, object);
        if (object->type != HV_JSON_OBJECT || ((reader->unusable || !matcher_is_good) && !reader->hook.required))
            continue;
        if (reader->unusable)
            make_failing(&reader->hook);
        *vec_push(&reader->loader->hooks) = reader->hook;
    }
}

static const struct hv_str events[] = {
    HV_STR("SessionStart"),       HV_STR("SessionEnd"),        HV_STR("UserPromptSubmit"),
    HV_STR("PreToolUse"),         HV_STR("PermissionRequest"), HV_STR("PostToolUse"),
    HV_STR("PostToolUseFailure"), HV_STR("Notification"),      HV_STR("Stop"),
    HV_STR("SubagentStart"),      HV_STR("SubagentStop"),      HV_STR("PreCompact"),
    HV_STR("PermissionDenied"),   HV_STR("TaskCreated"),       HV_STR("TaskCompleted"),
    HV_STR("CwdChanged"),
};
enum { EVENT_COUNT = sizeof events / sizeof *events, NAME_MAX_BYTES = 64 };

/* Letters only, small: "pre_tool_use" and "preToolUse" are PreToolUse. */
static struct hv_str bare_name(struct hv_str name, char *out, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < size; i++)
        if (name.ptr[i] != '_' && name.ptr[i] != '-' && name.ptr[i] != ' ')
            out[len++] = (char)(name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? name.ptr[i] + ('a' - 'A') : name.ptr[i]);
    return hv_str_of(out, len);
}

/* The event of this name, however it is written, or absent. */
static struct hv_str find_event(struct hv_str name)
{
    char wanted[NAME_MAX_BYTES], known[NAME_MAX_BYTES];
    struct hv_str bare = bare_name(name, wanted, sizeof wanted);
    for (size_t i = 0; i < EVENT_COUNT && name.len < sizeof wanted; i++)
        if (hv_str_eq(bare_name(events[i], known, sizeof known), bare))
            return events[i];
    return (struct hv_str){0};
}

/* Hooks of this unknown event may be meant to stop calls: misspelt, or an event of another program that comes before.
 */
static bool could_guard(struct hv_str name)
{
    static const char *const words[] = {"tooluse", "permission", "guard", "approv"};
    char buffer[NAME_MAX_BYTES];
    struct hv_str bare = bare_name(name, buffer, sizeof buffer), near = nearest_name(name, events, EVENT_COUNT);
    if (hv_str_is(near, "PreToolUse") || hv_str_is(near, "PermissionRequest") || hv_str_is(near, "UserPromptSubmit"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hv_str_find(bare, hv_str_from(words[i]), 0) != SIZE_MAX)
            return true;
    return hv_str_starts(bare, HV_STR("pre")) || hv_str_starts(bare, HV_STR("before"));
}

static void warn_unknown_event(struct loader *loader, struct source *source, const struct hv_json *list)
{
    if (!could_guard(list->key)) {
        if (!scope_is_claude(source->scope)) /* it has more events than helve */
            loader_warn_unknown(loader, source, list, events, EVENT_COUNT);
        return;
    }
    struct hv_str near = nearest_name(list->key, events, EVENT_COUNT);
    loader_problem(loader, SETTINGS_UNGUARDED, source_place(source, list->key_start),
                   hv_arena_format(loader->arena,
                                   "there is no event \"%.*s\": its hooks never run, and may be meant to "
                                   "stop calls",
                                   HV_STR_ARG(hv_str_slice(list->key, 0, NAME_MAX_BYTES))),
                   near.len ? hv_arena_format(loader->arena, "did you mean \"%.*s\"?", HV_STR_ARG(near))
                            : HV_STR("use PreToolUse, or take them out"));
}

void hooks_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    bool is_claude = scope_is_claude(source->scope);
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object with a list of hooks for each event");
        return;
    }
    hv_json_each(list, member)
    {
        struct hv_str event = find_event(list->key);
        if (!event.ptr) {
            warn_unknown_event(loader, source, list);
            continue;
        }
        if (list->type != HV_JSON_ARRAY) {
            loader_warn_type(loader, source, list, "an array of {\"matcher\": …, \"hooks\": […]}");
            continue;
        }
        hv_json_each(group, list)
        {
            struct hook_reader reader = {
                .loader = loader, .source = source, .is_claude = is_claude, .hook = {.event = event}};
            read_group(&reader, group);
        }
    }
}
