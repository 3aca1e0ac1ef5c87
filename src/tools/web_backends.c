/* web_backends.c: see web_backends.h. */
#include "tools/web_backends.h"

#include "base/cleanup.h"
#include "text/url.h"

#include <string.h>

enum { ADDRESS_MAX = 32 << 10 };

static void add_encoded(struct hv_buf *out, struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c && strchr("-._~", c));
        if (plain)
            hv_buf_add_byte(out, (char)c);
        else
            hv_buf_addf(out, "%%%02X", c);
    }
}

static struct hv_str searxng_address(const struct web_query *query, struct hv_arena *arena, struct hv_str *header)
{
    CLEANUP_BUF struct hv_buf out = {.max = ADDRESS_MAX};
    struct hv_str url = query->url;
    (void)header;
    while (url.len && url.ptr[url.len - 1] == '/')
        url.len--;
    if (hv_str_ends(url, HV_STR("/search")))
        url.len -= 7;
    hv_buf_addf(&out, "%.*s/search?format=json&q=", HV_STR_ARG(url));
    add_encoded(&out, query->words);
    return hv_arena_str(arena, hv_buf_str(&out));
}

static struct hv_str brave_address(const struct web_query *query, struct hv_arena *arena, struct hv_str *header)
{
    CLEANUP_BUF struct hv_buf out = {.max = ADDRESS_MAX};
    struct hv_str url = query->url.len ? query->url : HV_STR("https://api.search.brave.com/res/v1/web/search");
    hv_buf_addf(&out, "%.*s?count=%zu&q=", HV_STR_ARG(url), query->count > 20 ? (size_t)20 : query->count);
    add_encoded(&out, query->words);
    *header = hv_arena_format(arena, "X-Subscription-Token: %.*s", HV_STR_ARG(query->key));
    return hv_arena_str(arena, hv_buf_str(&out));
}

static const struct web_backend backends[] = {
    {.name = "searxng",
     .needs_url = true,
     .advice = "Check its address; SearXNG gives JSON only where its settings list the format json.",
     .address = searxng_address,
     .list = {"results"},
     .title = "title",
     .link = "url",
     .text = "content",
     .age = "publishedDate"},
    {.name = "brave",
     .key_variable = "BRAVE_API_KEY",
     .no_list = "query",
     .address = brave_address,
     .list = {"web", "results"},
     .title = "title",
     .link = "url",
     .text = "description",
     .age = "age"},
    {.name = "provider", .by_model = true},
};

const struct web_backend *web_backend_find(struct hv_str name)
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (hv_str_eq_nocase(name, hv_str_from(backends[i].name)))
            return &backends[i];
    return NULL;
}

const char *web_backend_names(void)
{
    return "searxng, brave, provider";
}

/* ---- what a model's provider found: content blocks --------------------------------------------------------------- */

struct hits {
    struct web_hit *items;
    size_t count, most;
};

/* Pages are named several times: where they were found, and where the text rests on them. */
static void add_hit(struct hits *hits, struct web_hit hit)
{
    size_t at = 0;
    while (at < hits->count && !hv_str_eq(hits->items[at].url, hit.url))
        at++;
    if (!hit.url.len || at == hits->most)
        return;
    if (at == hits->count)
        hits->items[hits->count++] = (struct web_hit){.url = hit.url};
    struct web_hit *known = &hits->items[at];
    known->title = known->title.len ? known->title : hit.title;
    known->text = known->text.len ? known->text : hit.text;
    known->age = known->age.len ? known->age : hit.age;
}

static void add_list(struct hits *hits, const struct hv_json *list, const char *text)
{
    hv_json_each(item, hv_json_type_of(list) == HV_JSON_ARRAY ? list : NULL)
    {
        add_hit(hits, (struct web_hit){hv_json_get_string(item, "title"), hv_json_get_string(item, "url"),
                                       text ? hv_json_get_string(item, text) : (struct hv_str){0},
                                       hv_json_get_string(item, "page_age")});
    }
}

static enum hv_code read_blocks(const struct hv_json *blocks, struct hits *hits, struct hv_error *err)
{
    struct hv_str fault = {0};
    hv_json_each(block, blocks)
    {
        struct hv_str type = hv_json_get_string(block, "type");
        const struct hv_json *content = hv_json_get(block, "content"), *item = hv_json_get(block, "item");
        if (hv_str_is(type, "web_search_tool_result")) {
            add_list(hits, content, NULL);
            if (hv_json_get_string(content, "error_code").len)
                fault = hv_json_get_string(content, "error_code");
        } else if (hv_str_is(type, "text")) {
            add_list(hits, hv_json_get(block, "citations"), "cited_text");
            add_list(hits, hv_json_get(block, "annotations"), NULL);
        } else if (hv_str_is(hv_json_get_string(item, "type"), "web_search_call")) {
            add_list(hits, hv_json_get(hv_json_get(item, "action"), "sources"), NULL);
        }
    }
    if (hits->count || !fault.len)
        return HV_OK;
    hv_fail(err, HV_EPROTO, "the model's provider could not search: %.*s", HV_STR_ARG(hv_str_slice(fault, 0, 100)));
    return HV_EPROTO;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

enum hv_code web_backend_read(const struct web_backend *backend, struct hv_str answer, size_t most,
                              struct hv_arena *arena, struct web_hit **hits, size_t *count, struct hv_error *err)
{
    const struct hv_json *json;
    *count = 0;
    if (hv_json_parse(arena, answer, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &json, NULL) != HV_OK ||
        json->type != (backend->by_model ? HV_JSON_ARRAY : HV_JSON_OBJECT)) {
        hv_fail(err, HV_EPROTO, "%s did not answer in JSON", backend->name);
        hv_error_hint(err, "%s", backend->advice ? backend->advice : "Check its address.");
        return HV_EPROTO;
    }
    *hits = hv_arena_array(arena, struct web_hit, most);
    if (backend->by_model) {
        struct hits found = {*hits, 0, most};
        enum hv_code code = read_blocks(json, &found, err);
        *count = found.count;
        return code;
    }
    const struct hv_json *whole = json;
    for (size_t i = 0; i < 3 && backend->list[i]; i++)
        json = hv_json_get(json, backend->list[i]);
    bool found_nothing = !json && backend->no_list && hv_json_get(whole, backend->no_list);
    if (hv_json_type_of(json) != HV_JSON_ARRAY && !found_nothing) {
        hv_fail(err, HV_EPROTO, "%s answered without a list of what it found: %.*s", backend->name,
                HV_STR_ARG(hv_str_slice(answer, 0, 200)));
        hv_error_hint(err, "Check its address and settings.");
        return HV_EPROTO;
    }
    hv_json_each(item, hv_json_type_of(json) == HV_JSON_ARRAY ? json : NULL)
    {
        struct web_hit hit = {hv_json_get_string(item, backend->title), hv_json_get_string(item, backend->link),
                              hv_json_get_string(item, backend->text), hv_json_get_string(item, backend->age)};
        if (*count < most && hit.url.len)
            (*hits)[(*count)++] = hit;
    }
    return HV_OK;
}

enum hv_code web_domain_read(struct hv_arena *arena, struct hv_str text, struct hv_str *domain, struct hv_error *err)
{
    struct url url;
    struct hv_str name = hv_str_trim(text);
    if (hv_str_starts(name, HV_STR("*.")))
        name = hv_str_slice(name, 2, SIZE_MAX);
    if (hv_str_find(name, HV_STR("://"), 0) == SIZE_MAX)
        name = hv_arena_format(arena, "https://%.*s", HV_STR_ARG(name));
    bool fine = url_parse(arena, name, &url, NULL) == HV_OK && hv_str_is(url.path, "/") && !url.fragment.ptr &&
                url.port == (url.https ? 443 : 80);
    if (!fine) {
        hv_fail(err, HV_EINVAL, "\"%.*s\" is no domain", HV_STR_ARG(hv_str_slice(text, 0, 100)));
        hv_error_hint(err, "Name a host alone, as in example.org; what lies below it is included.");
        return HV_EINVAL;
    }
    *domain = url.host;
    return HV_OK;
}

bool web_domain_takes(struct hv_str domain, struct hv_str host)
{
    return hv_str_ends(host, domain) && (host.len == domain.len || host.ptr[host.len - domain.len - 1] == '.');
}
