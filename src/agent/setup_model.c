/* setup_model.c: which model, by which protocol, at which address, with which key. See setup.h. */
#include "agent/setup.h"
#include "config/secret_variable.h"
#include "model/catalog.h"

#include <string.h>
#include <unistd.h>

#define UNNAMED "default" /* of a server of one's own: most of these take any name, or have one model only */

enum { LIST_TIMEOUT_MS = 5000 };

static const char first_run[] = "no model is set up yet";
static const char first_run_hint[] =
    "\n  see it work, offline:     helve -p --model replay:demo \"hello\"   (on a copy of an example)"
    "\n  with a key:               export ANTHROPIC_API_KEY=…   or   export OPENAI_API_KEY=…"
    "\n  with a model of your own: export OPENAI_BASE_URL=http://localhost:11434/v1   and   --model openai-chat:NAME"
    "\n  tools without any model:  helve exec --help";

static struct hv_str or_default(struct hv_str value, const char *fallback)
{
    return value.ptr ? value : hv_str_from(fallback);
}

static bool has_anthropic(const struct setup *setup)
{
    return setup_variable(setup, "ANTHROPIC_API_KEY").ptr || setup_variable(setup, "ANTHROPIC_AUTH_TOKEN").ptr ||
           setup_variable(setup, "ANTHROPIC_BASE_URL").ptr;
}

static bool has_openai(const struct setup *setup)
{
    return setup_variable(setup, "OPENAI_API_KEY").ptr || setup_variable(setup, "OPENAI_BASE_URL").ptr;
}

static struct hv_str openai_protocol(const struct setup *setup)
{
    /* Servers of one's own nearly all speak Chat Completions; not all speak Responses. */
    return setup_variable(setup, "OPENAI_BASE_URL").ptr ? HV_STR("openai-chat") : HV_STR("openai-responses");
}

/* A name without a provider: what the name or the keys suggest. */
static struct hv_str guess_provider(const struct setup *setup, struct hv_str name)
{
    enum catalog_maker maker = catalog_maker(name);
    if (maker == CATALOG_ANTHROPIC)
        return HV_STR("anthropic");
    if (maker == CATALOG_OPENAI || (has_openai(setup) && !has_anthropic(setup)))
        return openai_protocol(setup);
    return has_anthropic(setup) ? HV_STR("anthropic") : openai_protocol(setup);
}

/* Nothing was said: take what has a key. */
static bool choose_by_keys(const struct setup *setup, struct model_options *options)
{
    if (has_anthropic(setup)) {
        options->provider = HV_STR("anthropic");
        options->name = or_default(setup_variable(setup, "ANTHROPIC_MODEL"), CATALOG_DEFAULT_ANTHROPIC);
        return true;
    }
    if (has_openai(setup)) {
        bool own = setup_variable(setup, "OPENAI_BASE_URL").ptr != NULL;
        options->provider = openai_protocol(setup);
        options->name = or_default(setup_variable(setup, "OPENAI_MODEL"), own ? UNNAMED : CATALOG_DEFAULT_OPENAI);
        return true;
    }
    return false;
}

/* "provider:name", "name", or "profile:name" where settings describe the profile. */
static const struct settings_provider *choose_by_name(const struct setup *setup, struct hv_str spec,
                                                      struct model_options *options)
{
    size_t colon = hv_str_find_byte(spec, ':', 0);
    struct hv_str prefix = hv_str_slice(spec, 0, colon);
    struct hv_str rest = colon == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(spec, colon + 1, SIZE_MAX);
    const struct settings_provider *profile = settings_provider(setup->settings, prefix);
    if (profile) {
        options->provider = profile->kind.ptr ? profile->kind : profile->name;
        options->name = rest.len > 0 ? rest : HV_STR(UNNAMED);
    } else if (colon != SIZE_MAX && model_has_provider(prefix)) {
        options->provider = prefix;
        options->name = rest;
    } else if (hv_str_is(prefix, "openai") && colon != SIZE_MAX) {
        options->provider = openai_protocol(setup);
        options->name = rest;
    } else {
        spec = catalog_full_name(spec);
        options->provider = guess_provider(setup, spec);
        options->name = spec;
        return settings_provider(setup->settings, options->provider);
    }
    return profile;
}

/* ---- keys and addresses ---------------------------------------------------------------------------------------- */

static void add_secret(struct setup *setup, struct hv_str value)
{
    struct hv_str *secrets = hv_arena_array(&setup->arena, struct hv_str, setup->secret_count + 1);
    for (size_t i = 0; i < setup->secret_count; i++)
        secrets[i] = setup->secrets[i];
    secrets[setup->secret_count++] = value;
    setup->secrets = secrets;
}

static void add_header(struct setup *setup, struct model_options *options, struct hv_str line)
{
    struct hv_str *headers = hv_arena_array(&setup->arena, struct hv_str, options->header_count + 1);
    for (size_t i = 0; i < options->header_count; i++)
        headers[i] = options->headers[i];
    headers[options->header_count++] = line;
    options->headers = headers;
}

static void take_environment(struct setup *setup, struct model_options *options)
{
    const struct model_variables *variables = model_variables(options->provider);
    bool own_address = options->base_url.ptr != NULL;
    if (!options->base_url.ptr && variables)
        options->base_url = setup_variable(setup, variables->url);
    /* The key of the public service goes to no other address than the environment's own. */
    if (own_address || !variables)
        return;
    if (!options->api_key.ptr)
        options->api_key = setup_variable(setup, variables->key);
    bool anthropic = hv_str_is(options->provider, "anthropic");
    struct hv_str token = anthropic ? setup_variable(setup, "ANTHROPIC_AUTH_TOKEN") : (struct hv_str){0};
    if (token.ptr && !options->api_key.ptr) {
        add_header(setup, options, hv_arena_format(&setup->arena, "Authorization: Bearer %.*s", HV_STR_ARG(token)));
        add_secret(setup, token);
    }
}

static void take_profile(struct setup *setup, const struct settings_provider *profile, struct model_options *options)
{
    if (!profile)
        return;
    options->base_url = profile->base_url;
    options->headers = profile->headers;
    options->header_count = profile->header_count;
    if (profile->api_key_env.len > 0)
        options->api_key = setup_variable(setup, hv_arena_cstr(&setup->arena, profile->api_key_env));
}

static void add_value(struct setup *setup, struct hv_str value)
{
    struct hv_str key = hv_str_trim(value);
    bool known = key.len == 0;
    for (size_t i = 0; i < setup->secret_count && !known; i++)
        known = hv_str_eq(hv_str_trim(setup->secrets[i]), key);
    if (!known)
        add_secret(setup, key);
}

static void add_variable(struct setup *setup, const char *name)
{
    const char *value = getenv(name);
    add_value(setup, hv_str_from(value ? value : ""));
}

/* What looks like one, whatever it is for. */
static void add_by_look(struct setup *setup)
{
    for (char **entry = environ; *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (!equals)
            continue;
        struct hv_str name = hv_str_of(*entry, (size_t)(equals - *entry)), value = hv_str_from(equals + 1);
        if (variable_is_secret(name, hv_str_trim(value)) && !variable_is_passed(setup->settings, name))
            add_value(setup, value);
    }
}

void setup_secrets(struct setup *setup)
{
    static const char *const names[] = {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "BRAVE_API_KEY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_variable(setup, names[i]);
    add_by_look(setup);
    for (size_t i = 0; i < setup->settings->provider_count; i++)
        if (setup->settings->providers[i].api_key_env.len)
            add_variable(setup, hv_arena_cstr(&setup->arena, setup->settings->providers[i].api_key_env));
}

static enum hv_code missing_model(struct hv_error *err)
{
    hv_fail(err, HV_ENOTFOUND, "%s", first_run);
    hv_error_hint(err, "%s", first_run_hint);
    return HV_ENOTFOUND;
}

static enum hv_code missing_key(const struct model_options *options, struct hv_error *err)
{
    const struct model_variables *variables = model_variables(options->provider);
    hv_fail(err, HV_ENOTFOUND, "there is no key for the model %.*s (%.*s)", HV_STR_ARG(options->name),
            HV_STR_ARG(options->provider));
    hv_error_hint(err, "export %s=…, or %s=… for a server of your own", variables->key, variables->url);
    return HV_ENOTFOUND;
}

static enum hv_code choose(struct setup *setup, struct hv_str spec, struct model_options *options, struct hv_error *err)
{
    const struct settings_provider *profile = NULL;
    if (spec.ptr)
        profile = choose_by_name(setup, spec, options);
    else if (!choose_by_keys(setup, options))
        return missing_model(err);
    if (options->name.len == 0)
        return hv_fail(err, HV_EINVAL, "--model needs a name after \"%.*s:\"", HV_STR_ARG(options->provider));
    if (!model_variables(options->provider)) /* a replay; or none, which model_new says */
        return HV_OK;
    take_profile(setup, profile, options);
    take_environment(setup, options);
    /* The public services want a key; a server of one's own may not. */
    if (!options->base_url.ptr && !options->api_key.ptr && options->header_count == 0)
        return missing_key(options, err);
    return HV_OK;
}

/* HELVE_IDLE_TIMEOUT: seconds without a byte of an answer until it counts as cut. 0: the default. */
static uint64_t idle_timeout_ms(const struct setup *setup)
{
    int64_t seconds = 0;
    if (!hv_str_to_int64(setup_variable(setup, "HELVE_IDLE_TIMEOUT"), &seconds) || seconds < 0 || seconds > 86400)
        return 0;
    return (uint64_t)seconds * 1000;
}

/* What the server has, when no model of it was named. */
static enum hv_code name_model(struct setup *setup, struct model_options *options, struct hv_error *err)
{
    struct hv_error reason;
    struct hv_str *names;
    size_t count;
    /* A server that has no list, or does not answer, is told of by the request itself. */
    if (model_list(setup->model, LIST_TIMEOUT_MS, &setup->arena, &names, &count, &reason) != HV_OK || count == 0)
        return HV_OK;
    if (count == 1) {
        options->name = names[0];
        model_free(setup->model);
        setup->model = NULL;
        return model_new(options, setup->loop, &setup->model, err);
    }
    hv_fail(err, HV_EINVAL, "no model is named, and the server has %zu: %.*s", count,
            HV_STR_ARG(model_list_text(&setup->arena, names, count)));
    hv_error_hint(err, "name one: --model %.*s:%.*s", HV_STR_ARG(options->provider), HV_STR_ARG(names[0]));
    return HV_EINVAL;
}

/* A server of one's own answers at once, or is not there. */
static uint64_t connect_timeout_ms(struct hv_str url)
{
    static const char *const own[] = {"http://127.", "http://localhost", "http://10.", "http://192.168.",
                                      "http://[::1]"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (hv_str_starts(url, hv_str_from(own[i])))
            return 3000;
    return 0;
}

/* Of a setting in seconds. */
static uint64_t milliseconds(int64_t seconds)
{
    return seconds > 0 && seconds <= 86400 ? (uint64_t)seconds * 1000 : 0;
}

/* It answers briefly, and does not think long. */
static void make_small_model(struct setup *setup)
{
    enum { SMALL_OUTPUT_TOKENS = 8000 };
    struct hv_str spec = setup_variable(setup, "HELVE_SMALL_MODEL");
    struct model_options options = {.max_tokens = SMALL_OUTPUT_TOKENS, .idle_timeout_ms = idle_timeout_ms(setup)};
    struct hv_error err;
    spec = spec.ptr ? spec : setup->settings->small_model;
    if (!spec.ptr)
        return;
    enum hv_code code = choose(setup, spec, &options, &err);
    if (code == HV_OK && options.api_key.ptr)
        add_secret(setup, options.api_key);
    if (code == HV_OK)
        code = model_new(&options, setup->loop, &setup->small_model, &err);
    if (code != HV_OK)
        setup->small_model_fault =
            hv_arena_format(&setup->arena, "%s%s%s", err.message, err.hint[0] ? "; " : "", err.hint);
}

enum hv_code setup_model(struct setup *setup, struct hv_str flag, struct hv_error *err)
{
    const struct settings *settings = setup->settings;
    struct hv_str spec = flag.ptr ? flag : setup_variable(setup, "HELVE_MODEL");
    struct model_options options = {
        .max_tokens = settings->max_output_tokens,
        .thinking_budget = settings->thinking_budget,
        .effort = settings->effort,
        .idle_timeout_ms = idle_timeout_ms(setup),
        .end_timeout_ms = milliseconds(settings->stream_end_timeout),
        .content_timeout_ms = milliseconds(settings->stream_content_timeout),
    };
    enum hv_code code = choose(setup, spec.ptr ? spec : settings->model, &options, err);
    if (code == HV_OK)
        code = setup_loop(setup, err);
    if (code != HV_OK)
        return code;
    if (options.api_key.ptr)
        add_secret(setup, options.api_key);
    /* Proxies in between may not know the member; the service itself does. */
    options.eager_input = hv_str_is(options.provider, "anthropic") && !options.base_url.ptr;
    options.connect_timeout_ms = connect_timeout_ms(options.base_url);
    code = model_new(&options, setup->loop, &setup->model, err);
    if (code == HV_OK && options.base_url.ptr && hv_str_is(options.name, UNNAMED) && !setup->offline)
        code = name_model(setup, &options, err);
    if (code == HV_OK)
        make_small_model(setup);
    return code;
}
