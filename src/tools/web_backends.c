/* web_backends.c: see web_backends.h. */
#include "tools/web_backends.h"

#include "base/cleanup.h"

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
     .address = searxng_address,
     .list = {"results"},
     .title = "title",
     .link = "url",
     .text = "content",
     .age = "publishedDate"},
    {.name = "brave",
     .key_variable = "BRAVE_API_KEY",
     .address = brave_address,
     .list = {"web", "results"},
     .title = "title",
     .link = "url",
     .text = "description",
     .age = "age"},
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
    return "searxng, brave";
}

enum hv_code web_backend_read(const struct web_backend *backend, struct hv_str answer, size_t most,
                              struct hv_arena *arena, struct web_hit **hits, size_t *count, struct hv_error *err)
{
    const struct hv_json *json;
    *count = 0;
    if (hv_json_parse(arena, answer, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &json, NULL) != HV_OK ||
        json->type != HV_JSON_OBJECT) {
        hv_fail(err, HV_EPROTO, "%s did not answer in JSON", backend->name);
        hv_error_hint(err, "Check its address; SearXNG gives JSON only where its settings list the format json.");
        return HV_EPROTO;
    }
    for (size_t i = 0; i < 3 && backend->list[i]; i++)
        json = hv_json_get(json, backend->list[i]);
    *hits = hv_arena_array(arena, struct web_hit, most);
    hv_json_each(item, hv_json_type_of(json) == HV_JSON_ARRAY ? json : NULL)
    {
        struct web_hit hit = {hv_json_get_string(item, backend->title), hv_json_get_string(item, backend->link),
                              hv_json_get_string(item, backend->text), hv_json_get_string(item, backend->age)};
        if (*count < most && hit.url.len)
            (*hits)[(*count)++] = hit;
    }
    return HV_OK;
}

bool web_domain_takes(struct hv_str domain, struct hv_str host)
{
    domain = hv_str_trim(domain);
    if (hv_str_starts(domain, HV_STR("*.")))
        domain = hv_str_slice(domain, 2, SIZE_MAX);
    if (!domain.len || host.len < domain.len)
        return false;
    return hv_str_eq_nocase(hv_str_slice(host, host.len - domain.len, host.len), domain) &&
           (host.len == domain.len || host.ptr[host.len - domain.len - 1] == '.');
}
