/* test_setup_model.c: which model is taken, from the flag, the environment and the settings. */
#include "agent/setup.h"

#include "agent_test.h"

struct row {
    const char *settings, *environment; /* JSON; "NAME=value NAME=value" */
    const char *flag;                   /* NULL: none */
    const char *provider, *name;        /* NULL: refused */
};

static const char *const variables[] = {
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "OPENAI_API_KEY",
    "OPENAI_BASE_URL",   "OPENAI_MODEL",         "HELVE_MODEL",        "MY_KEY",          "HELVE_HOME",
    "XDG_CONFIG_HOME",   "XDG_STATE_HOME",
};

static void set_environment(struct place *place, const char *text)
{
    struct hv_str rest = hv_str_from(text), part;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    while (hv_str_split(&rest, ' ', &part)) {
        size_t equals = hv_str_find_byte(part, '=', 0);
        setenv(hv_arena_cstr(&place->arena, hv_str_slice(part, 0, equals)),
               hv_arena_cstr(&place->arena, hv_str_slice(part, equals + 1, SIZE_MAX)), 1);
    }
    setenv("HOME", hv_arena_cstr(&place->arena, place_path(place, "home")), 1);
}

static void check(struct place *place, const struct row *row)
{
    struct setup setup = {.offline = true};
    struct hv_error err = {0};
    struct setup_options options = {.settings = hv_str_from(row->settings)};
    set_environment(place, row->environment);
    assert_int_equal(setup_open(&setup, &options, &err), HV_OK);
    enum hv_code code = setup_model(&setup, hv_str_from(row->flag), &err);
    if (!row->provider) {
        assert_int_not_equal(code, HV_OK);
        assert_true(err.message[0] != 0);
    } else if (code != HV_OK) {
        fail_msg("%s %s %s: %s", row->settings, row->environment, row->flag ? row->flag : "", err.message);
    } else {
        assert_true(hv_str_is(model_provider_name(setup.model), row->provider));
        if (!hv_str_is(model_name(setup.model), row->name))
            fail_msg("wanted %s, got %.*s", row->name, HV_STR_ARG(model_name(setup.model)));
    }
    setup_release(&setup);
}

static void a_model_is_chosen(void **state)
{
    struct place *place = *state;
    place_directory(place, "home");
    static const struct row rows[] = {
        {"{}", "", NULL, NULL, NULL},
        {"{}", "ANTHROPIC_API_KEY=k", NULL, "anthropic", "claude-sonnet-5-5"},
        {"{}", "ANTHROPIC_API_KEY=k ANTHROPIC_MODEL=claude-x", NULL, "anthropic", "claude-x"},
        {"{}", "ANTHROPIC_AUTH_TOKEN=t", NULL, "anthropic", "claude-sonnet-5-5"},
        {"{}", "OPENAI_API_KEY=k", NULL, "openai-responses", "gpt-5.5"},
        {"{}", "OPENAI_BASE_URL=http://localhost:1/v1", NULL, "openai-chat", "default"},
        {"{}", "OPENAI_BASE_URL=http://localhost:1/v1 OPENAI_MODEL=qwen", NULL, "openai-chat", "qwen"},
        {"{}", "ANTHROPIC_API_KEY=a OPENAI_API_KEY=b", NULL, "anthropic", "claude-sonnet-5-5"},
        {"{}", "", "replay:demo", "replay", "demo"},
        {"{}", "OPENAI_API_KEY=k", "replay:demo", "replay", "demo"},
        {"{}", "OPENAI_BASE_URL=http://localhost:1/v1", "openai-chat:qwen3:8b", "openai-chat", "qwen3:8b"},
        {"{}", "OPENAI_BASE_URL=http://localhost:1/v1", "openai:m", "openai-chat", "m"},
        {"{}", "OPENAI_API_KEY=k", "openai:m", "openai-responses", "m"},
        {"{}", "OPENAI_BASE_URL=http://localhost:1/v1", "qwen3:8b", "openai-chat", "qwen3:8b"},
        {"{}", "ANTHROPIC_API_KEY=k", "opus", "anthropic", "claude-opus-5-5"},
        {"{}", "ANTHROPIC_API_KEY=a OPENAI_API_KEY=b", "gpt-5", "openai-responses", "gpt-5"},
        {"{}", "ANTHROPIC_API_KEY=a OPENAI_API_KEY=b", "claude-x", "anthropic", "claude-x"},
        {"{}", "OPENAI_API_KEY=k", "claude-x", NULL, NULL}, /* there is no key for it */
        {"{}", "", "anthropic:claude-x", NULL, NULL},
        {"{}", "ANTHROPIC_API_KEY=k", "anthropic:", NULL, NULL},
        {"{}", "", "replay:", NULL, NULL},
        {"{}", "", "replay:/nowhere/at/all", NULL, NULL},
        {"{}", "HELVE_MODEL=replay:demo ANTHROPIC_API_KEY=k", NULL, "replay", "demo"},
        {"{\"model\":\"replay:demo\"}", "ANTHROPIC_API_KEY=k", NULL, "replay", "demo"},
        {"{\"model\":\"claude-s\"}", "ANTHROPIC_API_KEY=k HELVE_MODEL=replay:demo", NULL, "replay", "demo"},
        {"{\"model\":\"claude-s\"}", "ANTHROPIC_API_KEY=k", "claude-f", "anthropic", "claude-f"},
        {"{\"env\":{\"OPENAI_BASE_URL\":\"http://localhost:1/v1\"}}", "", "m", "openai-chat", "m"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(place, &rows[i]);
}

static void the_key_in_use_is_a_secret(void **state)
{
    struct place *place = *state;
    struct setup setup = {.offline = true};
    struct hv_error err;
    struct setup_options options = {0};
    place_directory(place, "home");
    set_environment(place, "ANTHROPIC_AUTH_TOKEN=token-0123456789 OPENAI_API_KEY=other-0123456789");
    assert_int_equal(setup_open(&setup, &options, &err), HV_OK);
    assert_int_equal(setup_model(&setup, HV_STR("anthropic:x"), &err), HV_OK);
    assert_int_equal(setup.secret_count, 1);
    assert_true(hv_str_is(setup.secrets[0], "token-0123456789"));
    setup_release(&setup);
}

/* A server of one's own gets the key that its entry names, and no other. */
static void the_key_of_a_service_goes_to_no_other_address(void **state)
{
    struct place *place = *state;
    static const struct {
        const char *settings;
        const char *secret; /* NULL: none */
    } rows[] = {
        {"{\"models\":{\"mine\":{\"provider\":\"openai-chat\",\"baseUrl\":\"http://localhost:1/v1\"}}}", NULL},
        {"{\"models\":{\"mine\":{\"provider\":\"openai-chat\",\"baseUrl\":\"http://localhost:1/v1\","
         "\"apiKeyEnv\":\"OPENAI_API_KEY\"}}}",
         "public-0123456789"},
        {"{\"models\":{\"mine\":{\"provider\":\"openai-chat\"}}}", "public-0123456789"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setup setup = {.offline = true};
        struct hv_error err;
        struct setup_options options = {.settings = hv_str_from(rows[i].settings)};
        place_directory(place, "home");
        set_environment(place, "OPENAI_API_KEY=public-0123456789 ANTHROPIC_AUTH_TOKEN=token-0123456789");
        assert_int_equal(setup_open(&setup, &options, &err), HV_OK);
        assert_int_equal(setup_model(&setup, HV_STR("mine:m"), &err), HV_OK);
        assert_int_equal(setup.secret_count, rows[i].secret ? 1 : 0);
        if (rows[i].secret)
            assert_true(hv_str_is(setup.secrets[0], rows[i].secret));
        setup_release(&setup);
    }
}

static void a_first_run_says_what_can_be_done(void **state)
{
    struct place *place = *state;
    struct setup setup = {.offline = true};
    struct hv_error err;
    struct setup_options options = {0};
    place_directory(place, "home");
    set_environment(place, "");
    assert_int_equal(setup_open(&setup, &options, &err), HV_OK);
    assert_int_equal(setup_model(&setup, (struct hv_str){0}, &err), HV_ENOTFOUND);
    static const char *const parts[] = {"replay:demo", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(err.hint, parts[i]));
    setup_release(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_model_is_chosen),
        PLACE_TEST(the_key_in_use_is_a_secret),
        PLACE_TEST(the_key_of_a_service_goes_to_no_other_address),
        PLACE_TEST(a_first_run_says_what_can_be_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
