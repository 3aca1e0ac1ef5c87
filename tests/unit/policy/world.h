/*
 * world.h: a small made-up machine for the tests of the policy: a host that knows a few links and kinds of files, the
 * tools, settings made of one line of text, and one function that decides on a call.
 *
 *   rules: "deny Read(./.env) | user: allow Bash(make:*)"   (scope: project when none is given; root of "/": /ws)
 */
#ifndef TEST_POLICY_WORLD_H
#define TEST_POLICY_WORLD_H

#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- the host --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *from, *to;
} world_links[] = {
    {"/sys/class/net/e/device", "/sys/devices/pci"},
    {"/sys/class/net/e", "/sys/devices/pci/net/e"},
    {"/ws/out", "/etc/app"},
    {"/ws/in", "/ws/src"},
    {"/alias", "/ws"},
    {"/ws/innocent.txt", "/ws/.env"},
    {"/ws/keys", "/home/me/.ssh"},
    {"/home/me/ws", "/ws"},
    {"/ws/rc", "/home/me/.bashrc"},
    {"/ws/null", "/dev/null"},
    {"/secret-of-ws", "/ws/secret"},
};

static const struct {
    const char *path;
    enum hv_file_kind kind;
} world_kinds[] = {
    {"/", HV_FILE_DIRECTORY},      {"/ws", HV_FILE_DIRECTORY},      {"/ws/src", HV_FILE_DIRECTORY},
    {"/etc", HV_FILE_DIRECTORY},   {"/etc/app", HV_FILE_DIRECTORY}, {"/ws/secret", HV_FILE_DIRECTORY},
    {"/ws/pipe", HV_FILE_FIFO},    {"/ws/disk", HV_FILE_DEVICE},    {"/ws/sock", HV_FILE_SOCKET},
    {"/other", HV_FILE_DIRECTORY}, {"/dev/null", HV_FILE_DEVICE},   {"/ws/a [x]", HV_FILE_DIRECTORY},
};

/* One link in the path, replaced; false when there is none. */
static inline bool world_follow(struct hv_arena *arena, struct hv_str *path)
{
    for (size_t i = 0; i < sizeof world_links / sizeof *world_links; i++) {
        struct hv_str from = hv_str_from(world_links[i].from);
        if (!hv_str_starts(*path, from) || (path->len > from.len && path->ptr[from.len] != '/'))
            continue;
        *path = hv_arena_join(arena, hv_str_from(world_links[i].to), hv_str_slice(*path, from.len, path->len));
        return true;
    }
    return false;
}

static inline enum hv_code world_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path,
                                         struct hv_str *out, struct hv_error *err)
{
    (void)host;
    if (hv_str_starts(path, HV_STR("/ws/loop")))
        return hv_fail(err, HV_EINVAL, "a loop of links");
    while (world_follow(arena, &path))
        ;
    *out = hv_arena_str(arena, path);
    return HV_OK;
}

static inline enum hv_code world_stat(const struct hv_host *host, struct hv_str path, bool follow,
                                      struct hv_file_stat *out, struct hv_error *err)
{
    (void)host;
    *out = (struct hv_file_stat){.kind = HV_FILE_REGULAR};
    for (size_t i = 0; !follow && i < sizeof world_links / sizeof *world_links; i++)
        if (hv_str_is(path, world_links[i].from))
            out->kind = HV_FILE_SYMLINK;
    if (!follow && (hv_str_is(path, "/ws/loop") || out->kind == HV_FILE_SYMLINK)) {
        out->kind = HV_FILE_SYMLINK;
        return HV_OK;
    }
    if (hv_str_find(path, HV_STR("missing"), 0) != SIZE_MAX)
        return hv_fail(err, HV_ENOTFOUND, "no such file");
    for (size_t i = 0; i < sizeof world_kinds / sizeof *world_kinds; i++)
        if (hv_str_is(path, world_kinds[i].path))
            out->kind = world_kinds[i].kind;
    return HV_OK;
}

static const struct hv_host world_host = {.stat = world_stat, .resolve = world_resolve};

/* ---- tools ------------------------------------------------------------------------------------------------------- */

static const char *const world_edit_names[] = {"Edit", NULL}, *const world_read_names[] = {"Read", NULL};
static const char *const world_read_aliases[] = {"read_file", NULL};
static const struct hv_field world_bash_fields[] = {
    {"command", NULL, HV_FIELD_STRING}, {"run_in_background", NULL, HV_FIELD_BOOLEAN}, {0}};

static const struct hv_tool world_read = {
    .name = "Read", .aliases = world_read_aliases, .subject_kind = HV_SUBJECT_PATH};
static const struct hv_tool world_grep = {
    .name = "Grep", .rule_names = world_read_names, .subject_kind = HV_SUBJECT_PATH};
static const struct hv_tool world_edit = {.name = "Edit", .subject_kind = HV_SUBJECT_PATH, .only_edits_files = true};
static const struct hv_tool world_write = {
    .name = "Write", .rule_names = world_edit_names, .subject_kind = HV_SUBJECT_PATH, .only_edits_files = true};
static const struct hv_tool world_bash = {
    .name = "Bash", .subject_kind = HV_SUBJECT_COMMAND, .fields = world_bash_fields, .executes = true};
static const struct hv_tool world_fetch = {.name = "WebFetch", .subject_kind = HV_SUBJECT_DOMAIN, .network = true};
static const struct hv_tool world_agent = {.name = "Agent", .subject_kind = HV_SUBJECT_NAME};
static const struct hv_tool world_todo = {.name = "TodoWrite"};
static const struct hv_tool world_mcp = {.name = "mcp__github__get_issue"};

static const struct hv_tool *const world_tools[] = {&world_read,  &world_grep,  &world_edit, &world_write, &world_bash,
                                                    &world_fetch, &world_agent, &world_todo, &world_mcp};

/* ---- a policy ---------------------------------------------------------------------------------------------------- */

enum { WORLD_RULES_MAX = 16 };

/* Where each scope's rules stand; the line is the rule's number. */
static const struct world_scope {
    const char *name;
    enum settings_scope scope;
    const char *file, *root;
} world_scopes[] = {
    {"project", SETTINGS_PROJECT, "/ws/.helve/settings.json", "/ws"},
    {"managed", SETTINGS_MANAGED, "/etc/helve/settings.json", "/etc/helve"},
    {"flag", SETTINGS_COMMAND_LINE, NULL, "/ws"},
    {"local", SETTINGS_LOCAL, "/ws/.helve/settings.local.json", "/ws"},
    {"user", SETTINGS_USER, "/home/me/.config/helve/settings.json", "/home/me/.config/helve"},
    {"claude", SETTINGS_CLAUDE_PROJECT, "/ws/.claude/settings.json", "/ws"},
};

static inline const struct world_scope *world_scope_of(struct hv_str *text)
{
    for (size_t i = 0; i < sizeof world_scopes / sizeof *world_scopes; i++) {
        struct hv_str name = hv_str_from(world_scopes[i].name);
        if (hv_str_starts(*text, name) && text->len > name.len && text->ptr[name.len] == ':') {
            *text = hv_str_trim(hv_str_slice(*text, name.len + 1, text->len));
            return &world_scopes[i];
        }
    }
    return &world_scopes[0];
}

static inline enum hv_verdict world_verdict_of(struct hv_str *text)
{
    static const char *const words[] = {"allow ", "ask ", "deny "};
    for (int i = 0; i < 3; i++)
        if (hv_str_starts(*text, hv_str_from(words[i]))) {
            *text = hv_str_slice(*text, strlen(words[i]), text->len);
            return HV_ALLOW + i;
        }
    fail_msg("no verdict in %.*s", HV_STR_ARG(*text));
    return HV_VERDICT_NONE;
}

static inline size_t world_rules(const char *text, struct settings_rule rules[WORLD_RULES_MAX])
{
    struct hv_str rest = hv_str_from(text);
    size_t count = 0;
    while (rest.len) {
        size_t bar = hv_str_find(rest, HV_STR(" | "), 0);
        struct hv_str one = hv_str_trim(hv_str_slice(rest, 0, bar));
        rest = bar == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(rest, bar + 3, rest.len);
        assert_true(count < WORLD_RULES_MAX);
        const struct world_scope *scope = world_scope_of(&one);
        struct settings_place place = {scope->scope, hv_str_from(scope->file), (uint32_t)count + 1, 5};
        enum hv_verdict verdict = world_verdict_of(&one);
        rules[count++] = (struct settings_rule){verdict, one, hv_str_from(scope->root), place, false};
    }
    return count;
}

/* A policy for the workspace /ws of /home/me; directory: another start than /ws, or NULL. */
static inline struct policy *world_policy(const char *rules, enum policy_mode mode, const char *directory,
                                          bool ignores_case)
{
    struct settings_rule parsed[WORLD_RULES_MAX];
    struct settings settings = {.rules = parsed,
                                .rule_count = world_rules(rules, parsed),
                                .user_directory = HV_STR("/home/me/.config/helve"),
                                .state_directory = HV_STR("/home/me/.local/state/helve")};
    struct policy_options options = {
        .host = &world_host,
        .settings = &settings,
        .directory = directory ? hv_str_from(directory) : HV_STR("/ws"),
        .home = HV_STR("/home/me"),
        .results_directory = HV_STR("/home/me/.local/state/helve/sessions/1/tool-results"),
        .has_mode = true,
        .mode = mode,
        .ignores_case = ignores_case,
        .tools = world_tools,
        .tool_count = sizeof world_tools / sizeof *world_tools,
    };
    return policy_new(&options);
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */

/* A call on one path (read or written as the tool does), a command, a host or a name. */
struct world_call {
    const struct hv_tool *tool;
    const char *subject;
    const char *input; /* JSON, or NULL */
    bool read_only, destructive, alone, unlisted;
    enum hv_verdict own, hook;
};

static inline void world_facts(const struct policy *policy, const struct world_call *call, struct hv_arena *arena,
                               struct policy_facts *facts)
{
    const struct hv_tool *tool = call->tool;
    bool is_path = tool && tool->subject_kind == HV_SUBJECT_PATH;
    *facts = (struct policy_facts){.tool = tool,
                                   .own = call->own,
                                   .hook = call->hook,
                                   .read_only = call->read_only,
                                   .destructive = call->destructive,
                                   .interactive = !call->alone};
    if (call->input)
        assert_int_equal(hv_json_parse(arena, hv_str_from(call->input), 0, &facts->input, NULL), HV_OK);
    if (!is_path) {
        static const struct policy_surroundings surroundings = {.host = &world_host, .git_is_tamed = false};
        facts->subject = hv_str_from(call->subject);
        policy_judge_command(policy, &surroundings, arena, facts);
        return;
    }
    facts->touches_listed_only = !call->unlisted;
    if (!call->subject)
        return;
    struct policy_path *path = hv_arena_new(arena, struct policy_path);
    policy_path_resolve(&world_host, arena, hv_str_from(call->subject), path);
    if (tool->only_edits_files) {
        facts->writes = path, facts->write_count = 1;
    } else {
        facts->reads = path, facts->read_count = 1;
        facts->read_only = true;
    }
}

#endif
