/*
 * fault.c: see fault.h. Two tables decide: words that providers use for kinds of errors, and HTTP statuses. The text
 * of the message is looked at for one thing only, a conversation that is too long, for which no API has a code of its
 * own; the agent answers it by compaction.
 */
#include "model/fault.h"

#include <math.h>
#include <time.h>

enum { RETRY_AFTER_MAX_MS = 5 * 60 * 1000, MESSAGE_BYTES_MAX = 600 };

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

static bool contains_nocase(struct hv_str text, const char *needle)
{
    struct hv_str word = hv_str_from(needle);
    for (size_t i = 0; i + word.len <= text.len; i++) {
        if (hv_str_eq_nocase(hv_str_slice(text, i, i + word.len), word))
            return true;
    }
    return false;
}

static bool is_too_long(struct hv_str message)
{
    static const char *const signs[] = {"prompt is too long",
                                        "context length",
                                        "context window",
                                        "maximum context",
                                        "context size",
                                        "too many tokens",
                                        "exceeds the limit of tokens"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (contains_nocase(message, signs[i]))
            return true;
    }
    return false;
}

static struct hv_str cut(struct hv_str text)
{
    text = hv_str_trim(text);
    return hv_str_slice(text, 0, MESSAGE_BYTES_MAX);
}

/* The provider's words, its name for the kind, and what number it gave. */
struct words {
    struct hv_str message, type, code;
    int status;
};

static void read_words(const struct hv_json *error, struct words *out)
{
    const struct hv_json *inner = hv_json_get(error, "error");
    if (inner && inner->type != HV_JSON_NULL)
        error = inner;
    if (hv_json_type_of(error) == HV_JSON_STRING) {
        out->message = error->text;
        return;
    }
    out->message = hv_json_get_string(error, "message");
    if (!out->message.len)
        out->message = hv_json_get_string(error, "detail");
    out->type = hv_json_get_string(error, "type");
    out->code = hv_json_get_string(error, "code");
    if (!out->code.len)
        out->code = hv_json_get_string(hv_json_get(error, "details"), "error_code");
    int64_t number;
    if (hv_json_int64(hv_json_get(error, "code"), &number) && number >= 400 && number < 600)
        out->status = (int)number;
}

static enum hv_code judge(const struct words *said, int status)
{
    enum hv_code code = code_from_word(said->code);
    if (code == HV_OK)
        code = code_from_word(said->type);
    if (status && code_from_status(status) == HV_EAGAIN && code != HV_EACCES)
        code = HV_EAGAIN;
    if (code == HV_OK && (status || said->status))
        code = code_from_status(status ? status : said->status);
    if (code == HV_OK)
        code = HV_EAGAIN; /* in a stream that had begun well */
    if (code != HV_EAGAIN && code != HV_EACCES && is_too_long(said->message))
        code = HV_ETOOBIG;
    return code;
}

static void put_message(const struct words *said, int status, enum hv_code code, struct hv_error *err)
{
    struct hv_str kind = said->type.len ? said->type : said->code;
    struct hv_str message = cut(said->message);
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

static void put_hint(int status, struct hv_str provider, struct hv_error *err)
{
    bool anthropic = hv_str_is(provider, "anthropic");
    if (hv_str_is(provider, "openai-chat") && strstr(err->message, "v1/responses"))
        hv_error_hint(err, "this model is reached by the Responses API: use --model openai-responses:NAME");
    else if (status == 401)
        hv_error_hint(err, "check the key in %s", anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY");
    else if (err->code == HV_EACCES)
        hv_error_hint(err, "check the account: its permissions, credit and spending limits");
    else if (err->code == HV_ENOTFOUND)
        hv_error_hint(err, "check the model's name and %s", anthropic ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL");
    else if (err->code == HV_ETOOBIG)
        hv_error_hint(err, "the conversation is too large for this model: compact it or start a new one");
    else if (err->code == HV_EAGAIN)
        hv_error_hint(err, "try again later");
}

enum hv_code fault_from_json(const struct hv_json *error, int status, struct hv_error *err)
{
    struct words said = {0};
    read_words(error, &said);
    enum hv_code code = judge(&said, status);
    put_message(&said, status, code, err);
    put_hint(status, (struct hv_str){0}, err);
    return code;
}

/* ---- how long to wait ------------------------------------------------------------------------------------- */

static int64_t bounded(double milliseconds)
{
    if (!isfinite(milliseconds) || milliseconds < 0)
        return -1;
    return milliseconds > RETRY_AFTER_MAX_MS ? RETRY_AFTER_MAX_MS : (int64_t)milliseconds;
}

/* A decimal number that fills the whole text. */
static bool read_number(struct hv_str text, double *out)
{
    char copy[64], *end;
    text = hv_str_trim(text);
    if (!text.len || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, &end);
    return end == copy + text.len;
}

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
    int64_t of_era = shifted - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "Sat, 21 Nov 2026 10:52:27 GMT", independent of the locale. */
static bool read_date(struct hv_str text, int64_t *seconds)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char copy[64], month[4];
    int day, year, hour, minute, second;
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (sscanf(copy, "%*3s, %2d %3s %4d %2d:%2d:%2d", &day, month, &year, &hour, &minute, &second) != 6)
        return false;
    const char *found = strstr(months, month);
    if (!found || (found - months) % 3 != 0 || year < 1970)
        return false;
    *seconds = ((days_from_civil(year, (found - months) / 3 + 1, day) * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

int64_t fault_retry_after(struct hv_str retry_after_ms, struct hv_str retry_after, int64_t now)
{
    double number;
    int64_t date;
    if (read_number(retry_after_ms, &number))
        return bounded(number);
    if (read_number(retry_after, &number))
        return bounded(number * 1000);
    if (retry_after.len && read_date(hv_str_trim(retry_after), &date))
        return date > now ? bounded((double)(date - now) * 1000) : 0;
    return -1;
}

/* ---- answers ---------------------------------------------------------------------------------------------- */

enum hv_code fault_from_answer(const struct fault_answer *answer, int64_t *retry_after_ms, struct hv_error *err)
{
    struct hv_arena arena;
    hv_arena_init(&arena);
    const struct hv_json *root = NULL;
    struct words said = {0};
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8;
    if (hv_json_parse(&arena, answer->body, flags, &root, NULL) == HV_OK)
        read_words(root->type == HV_JSON_ARRAY ? hv_json_at(root, 0) : root, &said);
    else
        said.message = hv_str_slice(answer->body, 0, 200); /* a proxy's page, perhaps */
    enum hv_code code = judge(&said, answer->status);
    *retry_after_ms = fault_retry_after(answer->retry_after_ms, answer->retry_after, answer->now);
    /* A spending limit is no matter of waiting: its 429 names the limit. The server's own word goes before all. */
    if (hv_str_is(answer->should_retry, "false") && code == HV_EAGAIN)
        code = HV_EUNSUPPORTED;
    else if (hv_str_is(answer->should_retry, "true"))
        code = HV_EAGAIN;
    put_message(&said, answer->status, code, err);
    put_hint(answer->status, answer->provider, err);
    if (answer->request_id.len)
        hv_error_place(err, "request %.*s", HV_STR_ARG(answer->request_id));
    hv_arena_release(&arena);
    return err->code;
}
