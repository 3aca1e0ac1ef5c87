/* test_settings_file.c: which texts may be stored as settings, and which files are settings at all. */
#include "tools/settings_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void only_good_settings_are_stored(void **state)
{
    static const struct {
        const char *path, *text, *told; /* told NULL: stored */
    } rows[] = {
        {"/w/.helve/settings.json", "{\"permissions\":{\"allow\":[\"Edit(src/**)\"]}}", NULL},
        {"/w/.helve/settings.json", "{}", NULL},
        {"/w/.helve/settings.json", "{\"permissions\":{\"allow\":", "no JSON"},
        {"/w/.helve/settings.local.json", "{\"permissions\":{\"allow\":\"Edit\"}}", "permissions.allow"},
        {"/w/.helve/settings.json", "{\"permisions\":{}}", "permisions"},
        {"/h/.config/helve/settings.json", "[]", "object"},
        {"/state/settings.json", "[]", "object"},
        {"/xdg/helve/settings.json", "[]", "object"},
        {"/w/.claude/settings.json", "{\"whatever\":1}", NULL},
        {"/w/.claude/settings.local.json", "{", "no JSON"},
        {"/w/.claude/settings.json", "{\"permissions\":{\"allow\":\"Edit\"}}", "permissions.allow"},
        {"/w/.claude/settings.json", "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\"}]}}", "hooks"},
        {"/w/.claude/settings.json",
         "{\"hooks\":{\"Later\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\",\"more\":1}]}]}}", NULL},
        {"/w/.claude/settings.json", "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"x\"}]}]}}", "type"},
        {"/w/.helve/settings.json", "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"shell\"}]}]}}", "type"},
        {"/w/.mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"y\"],\"env\":{\"K\":\"v\"}}}}", NULL},
        {"/w/.mcp.json", "{\"mcpServers\":{\"a\":{\"type\":\"http\",\"url\":\"http://x\"}},\"other\":1}", NULL},
        {"/w/.mcp.json", "{\"mcpServers\":{\"a\":{\"command\":[\"x\"]}}}", "command"},
        {"/w/.mcp.json", "{\"mcpServers\":{\"a\":{}}}", "list of servers"},
        {"/w/.mcp.json", "{\"mcpServers\":[]}", "mcpServers"},
        {"/w/.mcp.json", "{,}", "no JSON"},
        {"/w/settings.json", "{", NULL},
        {"/w/src/helve/settings.json", "{", NULL},
        {"/state/other/settings.json", "{", NULL},
        {"/w/.helve/settings.json.orig", "{", NULL},
    };
    static const char *const environment[] = {"PATH=/bin", "HELVE_HOME=/state", "XDG_CONFIG_HOME=/xdg", NULL};
    const struct hv_context context = {.environment = environment};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_error err = {0};
        enum hv_code code = settings_file_check(&context, hv_str_from(rows[i].path), hv_str_from(rows[i].text), &err);
        if (code != (rows[i].told ? HV_EINVAL : HV_OK))
            fail_msg("%s: %s → %d %s", rows[i].path, rows[i].text, code, err.message);
        if (rows[i].told && !strstr(err.message, rows[i].told))
            fail_msg("expected \"%s\" in: %s", rows[i].told, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_good_settings_are_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
