/*
 * fault.c: see fault.h. Two tables decide: HTTP statuses, and words that providers use for kinds of errors; a status
 * that is final goes before a word that is not. The text of the message is looked at for two things only, for which no
 * API has a code of its own: a conversation that is too long, and how long to wait (fault_wait.c).
 */
#include "model/fault.h"
#include "model/fault_wait.h"

#include "base/cleanup.h"

enum { WAIT_MAX_MS = 5 * 60 * 1000, MESSAGE_BYTES_MAX = 600, PAGE_BYTES_MAX = 200 };

/* "type" or "code" of an error, as the APIs name them. */
static const struct {
    const char *word;
    enum hv_code code;
} words[] = {
    {"overloaded_error", HV_EAGAIN},
    {"rate_limit_error", HV_EAGAIN},
    {"rate_limit_exceeded", HV_EAGAIN},
    {"api_error", HV_EAGAIN},
    {"timeout_error", HV_EAGAIN},
    {"server_error", HV_EAGAIN},
    {"server_overloaded", HV_EAGAIN},
    {"internal_server_error", HV_EAGAIN},
    {"service_unavailable", HV_EAGAIN},
    {"conflict_error", HV_EAGAIN},
    {"invalid_request_error", HV_EINVAL},
    {"invalid_prompt", HV_EINVAL},
    {"authentication_error", HV_EACCES},
    {"permission_error", HV_EACCES},
    {"billing_error", HV_EACCES},
    {"insufficient_quota", HV_EACCES},
    {"invalid_api_key", HV_EACCES},
    {"enforced_spend_limit_reached", HV_EACCES},
    {"usage_limit_reached", HV_EACCES},
    {"usage_not_included", HV_EACCES},
    {"quota_exceeded", HV_EACCES},
    {"not_found_error", HV_ENOTFOUND},
    {"model_not_found", HV_ENOTFOUND},
    {"request_too_large", HV_ETOOBIG},
    {"context_length_exceeded", HV_ETOOBIG},
    {"exceed_context_size_error", HV_ETOOBIG},
};

static enum hv_code code_from_word(struct hv_str word)
{
    for (size_t i = 0; word.len && i < sizeof words / sizeof *words; i++) {
        if (hv_str_is(word, words[i].word))
            return words[i].code;
    }
    return HV_OK;
}

static enum hv_code code_from_status(int status)
{
    if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500)
        return HV_EAGAIN;
    if (status == 401 || status == 402 || status == 403 || status == 407)
        return HV_EACCES;
    if (status == 404)
        return HV_ENOTFOUND;
    if (status == 413)
        return HV_ETOOBIG;
    return status >= 400 ? HV_EINVAL : HV_EPROTO;
}

bool fault_contains(struct hv_str text, const char *needle)
{
    struct hv_str word = hv_str_from(needle);
    for (size_t i = 0; i + word.len <= text.len; i++) {
        if (hv_str_eq_nocase(hv_str_slice(text, i, i + word.len), word))
            return true;
    }
    return false;
}

static bool contains_any(struct hv_str text, const char *const *needles)
{
    for (; *needles; needles++) {
        if (fault_contains(text, *needles))
            return true;
    }
    return false;
}

/* The conversation does not fit: in the words of as many servers as were seen. */
static bool is_too_long(struct hv_str message)
{
    static const char *const signs[] = {"prompt is too long",
                                        "context length",
                                        "context window",
                                        "maximum context",
                                        "context size",
                                        "too many tokens",
                                        "exceeds the limit of tokens",
                                        "input is too long",
                                        "input length",
                                        "max length",
                                        "model token limit",
                                        "reduce the length",
                                        "prompt too long",
                                        "too many input tokens",
                                        NULL};
    static const char *const bounds[] = {"exceeds the maximum", "exceeds the limit of", "exceeded the maximum", NULL};
    static const char *const things[] = {"token", "prompt", "length", NULL};
    if (contains_any(message, signs))
        return true;
    return contains_any(message, bounds) && contains_any(message, things) && !fault_contains(message, "max_tokens");
}

/* ---- what was said ---------------------------------------------------------------------------------------- */

/* The provider's words, its name for the kind, what number it gave, and how long it asks to wait. */
struct words {
    struct hv_str message, type, code;
    int status;
    int64_t wait_ms;
};

static struct hv_str text_of(const struct hv_json *value, int depth);

/* The message of an object, under the names that occur. */
static struct hv_str message_of(const struct hv_json *object, int depth)
{
    static const char *const names[] = {"message", "detail", "msg",    "error_description", "error_message", "error",
                                        "errors",  "title",  "reason", "description"};
    struct hv_str found = {0};
    for (size_t i = 0; !found.len && i < sizeof names / sizeof *names; i++)
        found = hv_str_trim(text_of(hv_json_get(object, names[i]), depth));
    return found;
}

/* A string, or the message in the first element of a list, or in an object. */
static struct hv_str text_of(const struct hv_json *value, int depth)
{
    enum { DEPTH_MAX = 4 };
    if (hv_json_type_of(value) == HV_JSON_STRING)
        return value->text;
    if (depth >= DEPTH_MAX)
        return (struct hv_str){0};
    if (hv_json_type_of(value) == HV_JSON_ARRAY)
        return text_of(hv_json_at(value, 0), depth + 1);
    return hv_json_type_of(value) == HV_JSON_OBJECT ? message_of(value, depth + 1) : (struct hv_str){0};
}

static void read_words(struct hv_arena *arena, const struct hv_json *error, struct words *out)
{
    const struct hv_json *inner = hv_json_get(error, "error");
    *out = (struct words){.wait_ms = -1};
    if (hv_json_type_of(inner) == HV_JSON_OBJECT || hv_json_string(inner).len)
        error = inner;
    out->message = text_of(error, 0);
    out->type = hv_json_get_string(error, "type");
    out->code = hv_json_get_string(error, "code");
    if (!out->code.len)
        out->code = hv_json_get_string(hv_json_get(error, "details"), "error_code");
    int64_t number;
    if (hv_json_int64(hv_json_get(error, "code"), &number) && number >= 400 && number < 600)
        out->status = (int)number;
    /* A go-between says "Provider returned error", and keeps the provider's words beside (OpenRouter). */
    struct hv_str raw = hv_str_trim(hv_json_get_string(hv_json_get(error, "metadata"), "raw"));
    if (raw.len)
        out->message = hv_arena_format(arena, "%.*s: %.*s", HV_STR_ARG(out->message),
                                       HV_STR_ARG(hv_str_slice(raw, 0, MESSAGE_BYTES_MAX / 2)));
    out->wait_ms = fault_wait_from_json(error, out->message);
}

/* On one line. */
static struct hv_str flatten(struct hv_arena *arena, struct hv_str text, size_t max)
{
    text = hv_str_trim(text);
    char *copy = hv_arena_cstr(arena, hv_str_slice(text, 0, max)), *end = copy;
    for (const char *at = copy; *at; at++) {
        bool blank = (unsigned char)*at <= 0x20 || *at == 0x7f;
        if (!blank || (end > copy && end[-1] != ' '))
            *end++ = blank ? ' ' : *at;
    }
    return hv_str_trim(hv_str_of(copy, (size_t)(end - copy)));
}

struct hv_str fault_page_text(struct hv_arena *arena, struct hv_str body)
{
    CLEANUP_BUF struct hv_buf text = {0};
    struct hv_str rest = body;
    hv_buf_init(&text, SIZE_MAX / 2);
    if (!fault_contains(hv_str_slice(body, 0, 1024), "<html") && !fault_contains(hv_str_slice(body, 0, 1024), "<head"))
        return flatten(arena, body, PAGE_BYTES_MAX);
    for (size_t at = 0; at + 7 < body.len; at++) {
        if (!hv_str_eq_nocase(hv_str_slice(body, at, at + 7), HV_STR("<title>")))
            continue;
        struct hv_str title = hv_str_slice(body, at + 7, hv_str_find_byte(body, '<', at + 7));
        if (hv_str_trim(title).len)
            return flatten(arena, title, PAGE_BYTES_MAX);
    }
    /* What stands between tags, but for scripts and styles, which come before the text mostly. */
    while (rest.len) {
        size_t open = hv_str_find_byte(rest, '<', 0);
        hv_buf_add_str(&text, hv_str_slice(rest, 0, open));
        hv_buf_add_byte(&text, ' ');
        struct hv_str tag = hv_str_slice(rest, open, rest.len);
        bool hidden = hv_str_eq_nocase(hv_str_slice(tag, 0, 7), HV_STR("<script")) ||
                      hv_str_eq_nocase(hv_str_slice(tag, 0, 6), HV_STR("<style"));
        size_t close = hidden ? hv_str_find(tag, HV_STR("</"), 0) : 0;
        close = close == SIZE_MAX ? SIZE_MAX : hv_str_find_byte(tag, '>', close);
        rest = close == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(tag, close + 1, tag.len);
    }
    return flatten(arena, hv_buf_str(&text), PAGE_BYTES_MAX);
}

/* ---- what it is ------------------------------------------------------------------------------------------- */

/* Nothing that a client sends again unchanged will change the answer. */
static bool is_final(int status)
{
    return status >= 400 && status < 500 && code_from_status(status) != HV_EAGAIN;
}

static enum hv_code judge(const struct words *said, int status)
{
    enum hv_code code = code_from_word(said->code);
    if (code == HV_OK || code == HV_EAGAIN) {
        enum hv_code by_type = code_from_word(said->type);
        code = by_type == HV_OK ? code : by_type;
    }
    if (!status)
        status = said->status;
    if (is_final(status) && (code == HV_OK || code == HV_EAGAIN))
        code = code_from_status(status);
    else if (status && code_from_status(status) == HV_EAGAIN && code != HV_EACCES && code != HV_ETOOBIG)
        code = HV_EAGAIN;
    else if (code == HV_OK)
        code = status ? code_from_status(status) : HV_EAGAIN; /* EAGAIN: in a stream that had begun well */
    /* More than a limit of a minute takes at once is too much in every minute. */
    if (status == 429)
        return fault_contains(said->message, "request too large") ? HV_ETOOBIG : code;
    return code != HV_EACCES && is_too_long(said->message) ? HV_ETOOBIG : code;
}

static void put_message(struct hv_arena *arena, const struct words *said, int status, enum hv_code code,
                        struct hv_error *err)
{
    struct hv_str kind = said->type.len ? said->type : said->code;
    struct hv_str message = flatten(arena, said->message, MESSAGE_BYTES_MAX);
    kind = hv_str_slice(kind, 0, 80);
    if (!message.len)
        message = kind.len ? kind : HV_STR("the model's server gave no reason");
    if (status)
        (void)hv_fail(err, code, "HTTP %d: %.*s%s%.*s%s", status, HV_STR_ARG(message), kind.len ? " (" : "",
                      HV_STR_ARG(kind), kind.len ? ")" : "");
    else
        (void)hv_fail(err, code, "the model's server ended the stream: %.*s%s%.*s%s", HV_STR_ARG(message),
                      kind.len ? " (" : "", HV_STR_ARG(kind), kind.len ? ")" : "");
}

static void put_hint(const struct fault_answer *answer, struct hv_error *err)
{
    if (hv_str_is(answer->provider, "openai-chat") && strstr(err->message, "v1/responses"))
        hv_error_hint(err, "this model is reached by the Responses API: use --model openai-responses:NAME");
    else if (answer->status == 401 && answer->variables.key)
        hv_error_hint(err, "check the key in %s", answer->variables.key);
    else if (err->code == HV_EACCES)
        hv_error_hint(err, "check the account: its permissions, credit and spending limits");
    else if (err->code == HV_ENOTFOUND && answer->variables.url)
        hv_error_hint(err, "check the model's name and %s", answer->variables.url);
    else if (err->code == HV_ETOOBIG)
        hv_error_hint(err,
                      "the conversation no longer fits the model's context window or a limit of the account; start "
                      "a new session, or use a model with a larger window");
    else if (err->code == HV_EAGAIN)
        hv_error_hint(err, "try again later");
    else if (answer->status >= 300 && answer->status < 400)
        hv_error_hint(err, "check the base URL: the server redirects, and says nowhere");
    else if (err->code == HV_EINVAL)
        hv_error_hint(err, "the server does not take this request: check the settings of the model, or use another");
    else
        hv_error_hint(err, "use another model, or ask whoever runs the server");
}

/* A wait of hours is the person's: say how long, and do not try again. */
static void put_wait(int64_t wait_ms, struct hv_error *err)
{
    bool asks = err->code == HV_EAGAIN || err->code == HV_EACCES;
    if (wait_ms <= WAIT_MAX_MS || !asks)
        return;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str wait = fault_wait_text(&arena, wait_ms);
    err->code = err->code == HV_EAGAIN ? HV_EUNSUPPORTED : err->code;
    hv_error_hint(err, "the server asks to wait %.*s: go on then with --continue, or use another model",
                  HV_STR_ARG(wait));
}

enum hv_code fault_from_json(const struct hv_json *error, int64_t *retry_after_ms, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct words said;
    read_words(&arena, error, &said);
    put_message(&arena, &said, 0, judge(&said, 0), err);
    put_hint(&(struct fault_answer){0}, err);
    put_wait(said.wait_ms, err);
    *retry_after_ms = said.wait_ms;
    return err->code;
}

enum hv_code fault_from_answer(const struct fault_answer *answer, int64_t *retry_after_ms, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *root = NULL;
    struct words said = {.wait_ms = -1};
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8;
    if (hv_json_parse(&arena, answer->body, flags, &root, NULL) == HV_OK)
        read_words(&arena, root->type == HV_JSON_ARRAY ? hv_json_at(root, 0) : root, &said);
    if (!said.message.len && !said.type.len && !said.code.len)
        said.message = fault_page_text(&arena, answer->body);
    enum hv_code code = judge(&said, answer->status);
    *retry_after_ms = fault_retry_after(answer->retry_after_ms, answer->retry_after, answer->now);
    if (*retry_after_ms < 0)
        *retry_after_ms = said.wait_ms;
    /* A spending limit is no matter of waiting: its 429 names the limit. The server's own word goes before all. */
    if (hv_str_is(answer->should_retry, "false") && code == HV_EAGAIN)
        code = HV_EUNSUPPORTED;
    else if (hv_str_is(answer->should_retry, "true"))
        code = HV_EAGAIN;
    put_message(&arena, &said, answer->status, code, err);
    put_hint(answer, err);
    put_wait(*retry_after_ms, err);
    if (answer->request_id.len)
        hv_error_place(err, "request %.*s", HV_STR_ARG(answer->request_id));
    return err->code;
}
