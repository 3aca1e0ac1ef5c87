/*
 * json.c: the JSON reader and writer on any bytes. The first byte gives the flags. What is read knows its own source,
 * and is the same value when written and read again; what a strict reader takes, every other one does; any bytes
 * written as a string are valid JSON.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"

#include <helve/json.h>

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str text, unsigned flags)
{
    const struct hv_json *value = NULL;
    struct hv_error err = {0};
    enum hv_code code = hv_json_parse(arena, text, flags, &value, &err);
    FUZZ_CHECK(code == HV_OK ? value != NULL : !value && err.code == code && err.message[0] && err.place[0]);
    FUZZ_CHECK(utf8_valid(hv_str_from(err.message)));
    return value;
}

/* Every value lies inside its parent and behind its sibling; its source is JSON by itself. */
static void check_ranges(const struct hv_json *root, struct hv_str text)
{
    const struct hv_json *open[HV_JSON_DEPTH_MAX], *at = root;
    size_t depth = 0;
    while (at) {
        FUZZ_CHECK(at->start < at->end && at->end <= text.len);
        FUZZ_CHECK(!depth || (at->start > open[depth - 1]->start && at->end < open[depth - 1]->end));
        FUZZ_CHECK(!at->next || at->next->start > at->end);
        FUZZ_CHECK(!at->key.ptr || (at->key_start < at->key_end && at->key_end < at->start));
        if (at->first) {
            open[depth++] = at;
            at = at->first;
            continue;
        }
        while (depth && !at->next)
            at = open[--depth];
        at = depth ? at->next : NULL;
    }
}

static void check_number(const struct hv_json *value)
{
    int64_t whole;
    double number;
    if (hv_json_int64(value, &whole))
        FUZZ_CHECK(hv_json_double(value, &number) && (int64_t)(number / 2) - whole / 2 < 1024);
}

static void write_value(struct hv_buf *out, const struct hv_json *value)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_put_value(&writer, value);
    FUZZ_CHECK(!out->failed);
}

static void check_value(struct hv_arena *arena, const struct hv_json *value)
{
    CLEANUP_BUF struct hv_buf once = {.max = 64 << 20}, twice = {.max = 64 << 20};
    write_value(&once, value);
    const struct hv_json *again = parse(arena, hv_buf_str(&once), HV_JSON_STRICT);
    FUZZ_CHECK(again && hv_json_equal(value, again));
    write_value(&twice, again);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&once), hv_buf_str(&twice)));
}

static void check_string(struct hv_arena *arena, struct hv_str bytes)
{
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 20}, repaired = {.max = 64 << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &out);
    hv_json_put_string(&writer, bytes);
    utf8_repair(&repaired, bytes);
    const struct hv_json *value = parse(arena, hv_buf_str(&out), HV_JSON_STRICT);
    FUZZ_CHECK(value && hv_str_eq(value->text, hv_buf_str(&repaired)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (!size)
        return 0;
    unsigned flags = data[0] & 31;
    struct hv_str text = fuzz_copy(&arena, hv_str_of((const char *)data + 1, size - 1));
    const struct hv_json *value = parse(&arena, text, flags);
    const struct hv_json *strict = parse(&arena, text, HV_JSON_STRICT);
    FUZZ_CHECK(!strict || value || flags & HV_JSON_UNIQUE_KEYS);
    FUZZ_CHECK(!strict || utf8_valid(text));
    if (value) {
        check_ranges(value, text);
        check_number(value);
        check_value(&arena, value);
    }
    check_string(&arena, text);
    return 0;
}
