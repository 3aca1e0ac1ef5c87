/* test_schema.c: the published schema (docs/settings.schema.json) and what settings_load takes are the same. */
#include "world.h"

#include "config/loader.h"
#include "schema/validator.h"

#define FILE_OF_USER "home/.config/helve/settings.json"

static struct world *the(void **state)
{
    return *state;
}

static struct hv_str schema_text(struct world *world)
{
    struct hv_buf bytes;
    hv_buf_init(&bytes, 1 << 20);
    if (hv_host_local()->read(hv_host_local(), HV_STR(SETTINGS_SCHEMA), 0, 1 << 20, &bytes, NULL, &world->err) != HV_OK)
        fail_msg("%s", world->err.message);
    struct hv_str text = hv_arena_str(&world->arena, hv_buf_str(&bytes));
    hv_buf_release(&bytes);
    return text;
}

static struct schema *compiled_schema(struct world *world)
{
    struct schema *schema = NULL;
    if (schema_compile(schema_text(world), NULL, &schema, &world->err) != HV_OK)
        fail_msg("%s (%s)", world->err.message, world->err.place);
    return schema;
}

static bool fits(struct world *world, const struct schema *schema, const char *text)
{
    const struct hv_json *json = NULL;
    if (hv_json_parse(&world->arena, hv_str_from(text), 0, &json, &world->err) != HV_OK)
        fail_msg("%s: %s", text, world->err.message);
    return schema_validate(schema, json, &world->arena, NULL, &world->err) == HV_OK;
}

static bool is_told(struct world *world, const char *text)
{
    world_file(world, FILE_OF_USER, text);
    return world_load(world)->problem_count > 0;
}

static void the_schema_lists_the_known_members(void **state)
{
    struct world *world = the(state);
    const struct hv_json *json = NULL;
    struct hv_str names[SETTINGS_KEYS_MAX];
    size_t count = keys_names(names);
    assert_int_equal(hv_json_parse(&world->arena, schema_text(world), HV_JSON_UNIQUE_KEYS, &json, &world->err), HV_OK);
    const struct hv_json *properties = hv_json_get(json, "properties");
    for (size_t i = 0; i < count; i++)
        if (!hv_json_get_str(properties, names[i]))
            fail_msg("the schema lacks %.*s", HV_STR_ARG(names[i]));
    assert_int_equal(properties->count, count);
}

static const char *const good[] = {
    "{}",
    "{\"$schema\": \"x\", \"model\": \"a:b\", \"effort\": \"low\"}",
    "{\"maxTurns\": 1, \"maxOutputTokens\": 9223372036854775807, \"thinkingBudget\": 0, \"cleanupPeriodDays\": 0,"
    "\"maxToolConcurrency\": 2.0}",
    "{\"toolSearch\": true, \"disableAllHooks\": true, \"sandbox\": {\"enabled\": "
    "true, "
    "\"excludedCommands\": [\"docker\"], \"filesystem\": {\"allowWrite\": [\"~/x\"]}, \"network\": "
    "{\"allowedDomains\": [\"*.a.org\"], \"httpProxyPort\": 8080}, \"limits\": {\"processes\": 100}}}",
    "{\"toolSearch\": \"auto\"}",
    "{\"permissions\": {\"allow\": [\"A\"], \"ask\": [], \"deny\": [\"B(c)\", \" D \"], \"additionalDirectories\": "
    "[\"~\"],"
    "\"defaultMode\": \"manual\", \"disableBypassPermissionsMode\": \"disable\"}}",
    "{\"webSearch\": {\"backend\": \"searxng\", \"url\": \"https://s\", \"apiKeyEnv\": \"K\"}}",
    "{\"statusLine\": {\"type\": \"command\", \"command\": \"date\", \"padding\": 0}}",
    "{\"env\": {\"A\": \"\", \"B\": 1, \"C\": true}}",
    "{\"models\": {\"x\": {}, \"y\": {\"provider\": \"p\", \"baseUrl\": \"u\", \"apiKeyEnv\": \"K\", \"headers\": "
    "{\"A-b\": \"c\\td\"}}}}",
    "{\"hooks\": {\"Stop\": [], \"PreCompact\": [{\"hooks\": []}], \"PreToolUse\": [{\"matcher\": \"A|B\", \"hooks\": ["
    "{\"command\": \"x\"}, {\"type\": \"command\", \"command\": \"x\", \"args\": [], \"timeout\": 0.5, \"if\": \"R\","
    "\"statusMessage\": \"m\", \"required\": true, \"once\": false, \"async\": false},"
    "{\"type\": \"http\", \"url\": \"http://x\", \"headers\": {}}, {\"url\": \"https://x\"}]}]}}",
};

static const char *const bad[] = {
    "{\"sandbox\": {\"enabled\": 1}}",
    "{\"sandbox\": {\"any\": [1]}}",
    "{\"sandbox\": {\"filesystem\": {\"allowWrite\": [1]}}}",
    "{\"sandbox\": {\"network\": {\"httpProxyPort\": 65536}}}",
    "{\"webSearch\": \"brave\"}",
    "{\"webSearch\": {\"url\": \"https://s\"}}",
    "{\"webSearch\": {\"backend\": \"brave\", \"key\": \"k\"}}",
    "{\"webSearch\": {\"backend\": \"\"}}",
    "{\"statusLine\": \"date\"}",
    "{\"statusLine\": {\"type\": \"command\"}}",
    "{\"statusLine\": {\"type\": \"text\", \"command\": \"date\"}}",
    "{\"statusLine\": {\"command\": \"date\", \"color\": 1}}",
    "{\"mode\": 1}",
    "{\"model\": \"\"}",
    "{\"model\": 1}",
    "{\"effort\": \"a\\u0000\"}",
    "{\"maxTurns\": 0}",
    "{\"maxTurns\": 1.5}",
    "{\"maxTurns\": 9223372036854775808}",
    "{\"thinkingBudget\": -1}",
    "{\"cleanupPeriodDays\": \"1\"}",
    "{\"toolSearch\": \"on\"}",
    "{\"disableAllHooks\": 1}",
    "{\"sandbox\": []}",
    "{\"permissions\": []}",
    "{\"permissions\": {\"x\": 1}}",
    "{\"permissions\": {\"allow\": \"A\"}}",
    "{\"permissions\": {\"deny\": [1]}}",
    "{\"permissions\": {\"ask\": [\" \"]}}",
    "{\"permissions\": {\"defaultMode\": \"x\"}}",
    "{\"permissions\": {\"additionalDirectories\": [\"\"]}}",
    "{\"permissions\": {\"disableBypassPermissionsMode\": \"enable\"}}",
    "{\"env\": {\"\": \"x\"}}",
    "{\"env\": {\"A=\": \"x\"}}",
    "{\"env\": {\"A\": []}}",
    "{\"env\": {\"A\": \"\\u0000\"}}",
    "{\"models\": {\"\": {}}}",
    "{\"models\": {\"a\": []}}",
    "{\"models\": {\"a\": {\"apiKey\": \"k\"}}}",
    "{\"models\": {\"a\": {\"baseUrl\": \"\"}}}",
    "{\"models\": {\"a\": {\"headers\": {\"A:\": \"x\"}}}}",
    "{\"models\": {\"a\": {\"headers\": {\"A\": \"x\\ny\"}}}}",
    "{\"hooks\": []}",
    "{\"hooks\": {\"Sto\": []}}",
    "{\"hooks\": {\"Stop\": {}}}",
    "{\"hooks\": {\"Stop\": [{}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [], \"x\": 1}]}}",
    "{\"hooks\": {\"Stop\": [{\"matcher\": 1, \"hooks\": []}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"http\", \"command\": \"x\"}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"url\": \"http://x\"}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"agent\", \"command\": \"x\"}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"url\": \"ftp://x\"}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\", \"timeout\": 0}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\", \"args\": [1]}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\", \"if\": 1}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\", \"required\": 1}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\", \"z\": 1}]}]}}",
};

static void what_the_schema_takes_is_loaded_without_a_word(void **state)
{
    struct world *world = the(state);
    struct schema *schema = compiled_schema(world);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!fits(world, schema, good[i]))
            fail_msg("the schema refuses %s", good[i]);
        if (is_told(world, good[i]))
            fail_msg("%s: %.*s", good[i], HV_STR_ARG(world->settings->problems[0].message));
    }
    schema_unref(schema);
}

static void what_the_schema_refuses_is_told(void **state)
{
    struct world *world = the(state);
    struct schema *schema = compiled_schema(world);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fits(world, schema, bad[i]))
            fail_msg("the schema takes %s", bad[i]);
        if (!is_told(world, bad[i]))
            fail_msg("nothing is said about %s", bad[i]);
    }
    schema_unref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_schema_lists_the_known_members),
        WORLD_TEST(what_the_schema_takes_is_loaded_without_a_word),
        WORLD_TEST(what_the_schema_refuses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
