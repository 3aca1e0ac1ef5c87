/* debug_web.c: `helve debug html|url`: what WebFetch makes of a page, and where it would go, behind batch doors. */
#include "base/base64.h"
#include "base/cleanup.h"
#include "cli/door.h"
#include "cli/explain.h"
#include "html/page.h"
#include "net/address_guard.h"

/* ---- html -------------------------------------------------------------------------------------------------------- */

static void put_member(struct hv_json_writer *writer, const char *name, struct hv_str value)
{
    if (value.len)
        hv_json_member_string(writer, name, value);
}

static void answer_html(const struct door_line *line, struct hv_json_writer *writer)
{
    bool bad = false;
    CLEANUP_BUF struct hv_buf out = {.max = HTML_OUTPUT_MAX};
    struct html_page page = {0};
    struct hv_error err = {0};
    struct hv_str text = hv_json_get_string(line->value, "html");
    struct page_source source = {
        .bytes = text.ptr ? text : door_bytes(line, "html", &bad),
        .content_type = hv_json_get_string(line->value, "content_type"),
        .options = {.base_url = hv_json_get_string(line->value, "base_url"),
                    .raw = hv_json_bool(hv_json_get(line->value, "raw"), false)},
    };
    const struct hv_json *encoded = hv_json_get(line->value, "b64");
    CLEANUP_BUF struct hv_buf bytes = {.max = DOOR_LINE_MAX};
    if (!source.bytes.ptr && encoded && base64_decode(&bytes, hv_json_string(encoded), BASE64_STANDARD, NULL) == HV_OK)
        source.bytes = hv_buf_str(&bytes);
    if (text.ptr) /* JSON is UTF-8, whatever the page says of itself */
        source.content_type =
            hv_arena_format(line->arena, "%.*s; charset=utf-8", HV_STR_ARG(page_media_type(source.content_type)));
    if (bad || !source.bytes.ptr)
        hv_fail(&err, HV_EINVAL, "expected the page in `html`, or its bytes in `b64`, as base64");
    else
        err.code = page_to_markdown(&source, line->arena, &out, &page, &err);
    if (err.code) {
        hv_json_member_cstr(writer, "error", err.message);
        return;
    }
    hv_json_member_string(writer, "markdown", hv_buf_str(&out));
    put_member(writer, "title", page.title);
    put_member(writer, "description", page.description);
    put_member(writer, "author", page.author);
    put_member(writer, "published", page.published);
    put_member(writer, "site", page.site);
    put_member(writer, "language", page.language);
}

static int run_html(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_html, NULL);
}

const struct cli_command cli_debug_html_command = {
    .name = "debug html",
    .arguments = "",
    .summary = "lines {id, html or b64, content_type?, base_url?, raw?}: a page as Markdown → {id, markdown, title}",
    .hidden = true,
    .run = run_html,
};

/* ---- url --------------------------------------------------------------------------------------------------------- */

struct url_rules {
    struct policy *policy;
    const struct hv_tool *tool;
    struct hv_arena *arena;
};

static bool is_denied(void *user, struct hv_str host)
{
    const struct url_rules *rules = user;
    return policy_denies_host(rules->policy, rules->tool, host, rules->arena);
}

static bool is_opened(void *user, struct hv_str host)
{
    const struct url_rules *rules = user;
    return policy_opens_host(rules->policy, rules->tool, host);
}

/* One look-up: a text, or a list of texts. */
static struct hv_str lookup_text(const struct hv_json *value, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
    if (hv_json_string(value).ptr)
        return hv_json_string(value);
    hv_json_each(address, value)
    {
        hv_buf_add_cstr(&text, text.len ? " " : "");
        hv_buf_add_str(&text, hv_json_string(address));
    }
    return hv_arena_str(arena, hv_buf_str(&text));
}

static const struct hv_str *read_texts(const struct hv_json *value, struct hv_arena *arena, size_t *count)
{
    struct hv_str *texts = hv_arena_array(arena, struct hv_str, (value ? value->count : 0) + 1);
    *count = 0;
    if (hv_json_string(value).ptr)
        texts[(*count)++] = hv_json_string(value);
    else
        hv_json_each(child, value) texts[(*count)++] = lookup_text(child, arena);
    return texts;
}

static void answer_url(const struct door_line *line, struct hv_json_writer *writer)
{
    struct hv_str near = {0};
    struct explain_rules list = {0};
    explain_read_rules(hv_json_get(line->value, "rules"), line->arena, &list);
    const struct policy_options options = {
        .directory = HV_STR("/"), .home = HV_STR("/"), .rules = list.rules, .rule_count = list.count};
    struct url_rules rules = {policy_new(&options), cli_find_tool(HV_STR("WebFetch"), &near), line->arena};
    struct guard_way way = {
        .url = hv_json_get_string(line->value, "url"), .denied = is_denied, .opened = is_opened, .user = &rules};
    struct guard_answer answer;
    way.lookups = read_texts(hv_json_get(line->value, "resolves_to"), line->arena, &way.lookup_count);
    way.redirects = read_texts(hv_json_get(line->value, "redirects"), line->arena, &way.redirect_count);
    guard_walk(&way, line->arena, &answer);
    hv_json_member_cstr(writer, "decision", guard_verdict_name(answer.verdict));
    put_member(writer, "url", answer.url);
    put_member(writer, "address", answer.address);
    hv_json_member_string(writer, "reason", answer.reason);
    policy_unref(rules.policy);
}

static int run_url(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_url, NULL);
}

const struct cli_command cli_debug_url_command = {
    .name = "debug url",
    .arguments = "",
    .summary = "lines {id, url, resolves_to?, redirects?, rules?}: where WebFetch would go → {id, decision, address, "
               "reason}; nothing is sent",
    .hidden = true,
    .run = run_url,
};
