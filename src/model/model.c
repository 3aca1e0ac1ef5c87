/*
 * model.c: models and the list of providers: options with their defaults, the address of requests, their headers, and
 * what is known of a model by its name. See model.h and provider.h.
 */
#include "model/leave_out.h"
#include "model/provider.h"

#include "loop/loop.h"
#include "net/http.h"

#include <string.h>

enum {
    URL_MAX = 8192,
    HEADER_MAX = 65536,
    CONNECT_TIMEOUT_MS = 30000,
    IDLE_TIMEOUT_MS = 300000,
    END_TIMEOUT_MS = 2000,
    CONTENT_TIMEOUT_MS = 600000,
    KEY_MIN = 8
};

static const struct model_provider *const providers[] = {
    &model_provider_anthropic,
    &model_provider_openai_chat,
    &model_provider_openai_responses,
    &model_provider_replay,
};

static const struct model_provider *find_provider(struct hv_str name)
{
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++) {
        if (hv_str_is(name, providers[i]->name))
            return providers[i];
    }
    return NULL;
}

const char *model_provider_of(enum model_wire wire)
{
    for (size_t i = 0; wire && i < sizeof providers / sizeof *providers; i++) {
        if (providers[i]->wire == wire && providers[i]->base_url)
            return providers[i]->name;
    }
    return NULL;
}

bool model_has_provider(struct hv_str name)
{
    return find_provider(name) != NULL;
}

const struct model_variables *model_variables(struct hv_str provider)
{
    const struct model_provider *found = find_provider(provider);
    return found && found->variables.key ? &found->variables : NULL;
}

/* ---- the address ------------------------------------------------------------------------------------------------ */

static bool has_control(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return true;
    }
    return false;
}

static enum hv_code check_url(struct hv_str url, struct hv_error *err)
{
    bool known = hv_str_starts(url, HV_STR("http://")) || hv_str_starts(url, HV_STR("https://"));
    if (known && url.len <= URL_MAX && !has_control(url) && hv_str_find_byte(url, ' ', 0) == SIZE_MAX)
        return HV_OK;
    (void)hv_fail(err, HV_EINVAL, "the model's base URL is not usable: %.*s", HV_STR_ARG(hv_str_slice(url, 0, 200)));
    hv_error_hint(err, "it must be like https://host/v1 or http://localhost:11434/v1");
    return HV_EINVAL;
}

/* The base URL with the provider's path. People write it with or without the version, some with the whole path. */
static struct hv_str make_url(struct hv_arena *arena, const struct model_provider *provider, struct hv_str base)
{
    size_t question = hv_str_find_byte(base, '?', 0);
    struct hv_str query = question == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(base, question, base.len);
    struct hv_str path = hv_str_from(provider->path), version = hv_str_from(provider->version);
    base = hv_str_slice(base, 0, question);
    while (hv_str_ends(base, HV_STR("/")))
        base.len--;
    if (hv_str_ends(base, path))
        path.len = 0;
    size_t host = hv_str_find(base, HV_STR("://"), 0) + 3;
    bool bare = hv_str_find_byte(base, '/', host) == SIZE_MAX;
    /* The Messages API is known by its base without the version, whatever the path before it. */
    bool versioned = hv_str_ends(base, version) || path.len == 0;
    if (!bare && provider->wire != MODEL_WIRE_ANTHROPIC)
        versioned = true;
    return hv_arena_format(arena, "%.*s%.*s%.*s%.*s", HV_STR_ARG(base), versioned ? 0 : (int)version.len, version.ptr,
                           HV_STR_ARG(path), HV_STR_ARG(query));
}

/* ---- headers ---------------------------------------------------------------------------------------------------- */

static bool has_header(const struct model *model, struct hv_str name)
{
    for (size_t i = 0; i < model->headers.count; i++) {
        struct hv_str line = model->headers.items[i];
        if (hv_str_eq_nocase(hv_str_trim(hv_str_slice(line, 0, hv_str_find_byte(line, ':', 0))), name))
            return true;
    }
    return false;
}

void model_add_header(struct model *model, const char *name, struct hv_str value)
{
    if (!has_header(model, hv_str_from(name)))
        *vec_push(&model->headers) = hv_arena_format(&model->arena, "%s: %.*s", name, HV_STR_ARG(value));
}

/* The key in a header's line, or absent. */
static struct hv_str key_of_line(struct hv_str line)
{
    static const char *const words[] = {"key", "auth", "token", "secret", NULL};
    size_t colon = hv_str_find_byte(line, ':', 0);
    struct hv_str value = hv_str_trim(hv_str_slice(line, colon + 1, line.len));
    size_t blank = hv_str_rfind_byte(value, ' '); /* "Bearer …" */
    for (size_t i = 0; words[i]; i++)
        for (size_t at = 0; at < colon; at++)
            if (hv_str_eq_nocase(hv_str_slice(line, at, at + strlen(words[i])), hv_str_from(words[i])))
                return blank == SIZE_MAX ? value : hv_str_slice(value, blank + 1, value.len);
    return (struct hv_str){0};
}

void model_hide_keys(const struct model *model, char *text)
{
    for (size_t i = 0; i < model->headers.count; i++) {
        struct hv_str key = key_of_line(model->headers.items[i]), all = hv_str_from(text);
        if (key.len < KEY_MIN)
            continue;
        for (size_t at = 0; (at = hv_str_find(all, key, at)) != SIZE_MAX; at += key.len)
            memset(text + at, '*', key.len);
    }
}

static enum hv_code take_headers(struct model *model, const struct model_options *options, struct hv_error *err)
{
    for (size_t i = 0; i < options->header_count; i++) {
        struct hv_str line = options->headers[i];
        size_t colon = hv_str_find_byte(line, ':', 0);
        if (colon == SIZE_MAX || colon == 0 || line.len > HEADER_MAX || has_control(line)) {
            (void)hv_fail(err, HV_EINVAL, "header number %zu for the model is not usable", i + 1);
            hv_error_hint(err, "write it as \"Name: value\", in one line");
            return HV_EINVAL;
        }
        *vec_push(&model->headers) = hv_arena_str(&model->arena, line);
    }
    return HV_OK;
}

static enum hv_code take_key(struct model *model, struct hv_error *err)
{
    /* Keys often come from files, with the newline at their end. */
    model->options.api_key = hv_str_trim(model->options.api_key);
    if (!has_control(model->options.api_key) && model->options.api_key.len <= HEADER_MAX)
        return HV_OK;
    (void)hv_fail(err, HV_EINVAL, "the API key holds characters that no key has");
    hv_error_hint(err, "check the variable or the file that it comes from");
    return HV_EINVAL;
}

/* FNV-1a: the same in every process, since histories hold it; and it gives nothing of the address away. */
static struct hv_str make_origin(struct model *model)
{
    const struct hv_str parts[] = {model->url, HV_STR("\n"), model->options.name};
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (size_t at = 0; at < parts[i].len; at++)
            hash = (hash ^ (unsigned char)parts[i].ptr[at]) * 1099511628211u;
    }
    return hv_arena_format(&model->arena, "%016llx", (unsigned long long)hash);
}

static enum hv_code prepare_http(struct model *model, const struct model_options *options, struct hv_error *err)
{
    const struct model_provider *provider = model->provider;
    struct hv_str base = model->options.base_url;
    if (!base.len)
        base = hv_str_from(provider->base_url);
    base = hv_str_trim(base);
    enum hv_code code = check_url(base, err);
    if (code == HV_OK)
        code = take_key(model, err);
    if (code == HV_OK)
        code = take_headers(model, options, err);
    if (code != HV_OK)
        return code;
    model->own_service = hv_str_starts(base, hv_str_from(provider->base_url));
    model->url = make_url(&model->arena, provider, base);
    model->origin = make_origin(model);
    unsigned traits = model->facts.traits | catalog_traits_within(model->url);
    if (provider->wire == MODEL_WIRE_OPENAI_CHAT && traits & CATALOG_STRICT_ROLES)
        model->left_out = LEAVE_USER_AFTER_TOOL; /* known before it refuses one */
    model_add_header(model, "Content-Type", HV_STR("application/json"));
    model_add_header(model, "Accept", HV_STR("text/event-stream, application/json"));
    provider->add_headers(model);
    return HV_OK;
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

static void copy_options(struct model *model, const struct model_options *options)
{
    struct hv_arena *arena = &model->arena;
    model->options = *options;
    model->options.provider = hv_arena_str(arena, options->provider);
    model->options.name = hv_arena_str(arena, options->name);
    model->options.base_url = hv_arena_str(arena, options->base_url);
    model->options.api_key = hv_arena_str(arena, options->api_key);
    model->options.effort = hv_arena_str(arena, options->effort);
    model->options.headers = NULL;
    model->options.header_count = 0;
    if (!model->options.connect_timeout_ms)
        model->options.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    if (!model->options.idle_timeout_ms)
        model->options.idle_timeout_ms = IDLE_TIMEOUT_MS;
    if (!model->options.end_timeout_ms)
        model->options.end_timeout_ms = END_TIMEOUT_MS;
    if (!model->options.content_timeout_ms)
        model->options.content_timeout_ms = CONTENT_TIMEOUT_MS;
    model->facts = catalog_find(model->options.name);
}

enum hv_code model_new(const struct model_options *options, struct loop *loop, struct model **out, struct hv_error *err)
{
    const struct model_provider *provider = find_provider(options->provider);
    if (!provider) {
        (void)hv_fail(err, HV_ENOTFOUND, "there is no provider named \"%.*s\"", HV_STR_ARG(options->provider));
        hv_error_hint(err, "use anthropic, openai-chat, openai-responses or replay");
        return HV_ENOTFOUND;
    }
    if (!options->name.len) {
        hv_fail(err, HV_EINVAL, "the model has no name");
        hv_error_hint(err, "name one as %s:NAME", provider->name);
        return HV_EINVAL;
    }
    struct model *model = hv_calloc(1, sizeof *model);
    model->provider = provider;
    model->loop = loop;
    hv_arena_init(&model->arena);
    copy_options(model, options);
    enum hv_code code = provider == &model_provider_replay ? recording_open(model->options.name, &model->recording, err)
                                                           : prepare_http(model, options, err);
    if (code != HV_OK) {
        model_free(model);
        return code;
    }
    *out = model;
    return HV_OK;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    http_client_free(model->client);
    recording_free(model->recording);
    vec_release(&model->headers);
    hv_arena_release(&model->arena);
    free(model);
}

struct hv_str model_name(const struct model *model)
{
    return model->options.name;
}

struct hv_str model_provider_name(const struct model *model)
{
    return model->options.provider;
}

struct hv_str model_url(const struct model *model)
{
    return model->url;
}

int64_t model_context_window(const struct model *model)
{
    return model->facts.window;
}

void model_usage_add(struct model_usage *sum, const struct model_usage *usage)
{
    sum->input_tokens += usage->input_tokens;
    sum->output_tokens += usage->output_tokens;
    sum->cache_read_tokens += usage->cache_read_tokens;
    sum->cache_write_tokens += usage->cache_write_tokens;
    sum->reasoning_tokens += usage->reasoning_tokens;
    sum->searches += usage->searches;
}

double model_cost(const struct model *model, const struct model_usage *usage)
{
    const struct catalog_entry *price = &model->facts;
    if (model->provider == &model_provider_replay)
        return 0; /* what is recorded was paid for when it was recorded */
    if (price->input < 0)
        return -1;
    int64_t prompt = usage->input_tokens + usage->cache_read_tokens + usage->cache_write_tokens;
    double factor = price->long_prompt && prompt > price->long_prompt ? price->long_factor : 1;
    double searches = (double)usage->searches * catalog_search_price(hv_str_from(model->provider->name)) / 1000;
    return searches + factor *
                          ((double)usage->input_tokens * price->input + (double)usage->output_tokens * price->output +
                           (double)usage->cache_read_tokens * price->cache_read +
                           (double)usage->cache_write_tokens * price->cache_write) /
                          1e6;
}

void model_preload(const struct model *model)
{
    if (model->provider != &model_provider_replay)
        (void)http_preload(NULL);
}
