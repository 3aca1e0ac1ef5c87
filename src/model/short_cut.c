/*
 * short_cut.c: events that differ from the one before in a few values only are not parsed; see decoder.h. What was
 * learned is the event's bytes with holes where values were. An event fits when the bytes around the holes are the same
 * and each hole holds a value of its type; then it is the same JSON but for these values.
 */
#include "model/decoder.h"

#include "base/str_inline.h"
#include "json/scan.h"

/* The offset behind the whole number that begins at from, or SIZE_MAX. */
static size_t number_end(struct hv_str data, size_t from)
{
    size_t at = from;
    while (at < data.len && data.ptr[at] >= '0' && data.ptr[at] <= '9')
        at++;
    bool padded = at - from > 1 && data.ptr[from] == '0';
    return at == from || padded ? SIZE_MAX : at;
}

/* The offset behind the JSON string that begins at from, or SIZE_MAX. A plain one, whose bytes are its text, needs no
 * parser; others are read only where their text counts. */
static size_t string_end(struct model_decoder *decoder, struct hv_str data, size_t from, bool counts,
                         struct hv_str *text)
{
    const struct hv_json *value;
    if (from >= data.len || data.ptr[from] != '"')
        return SIZE_MAX;
    const char *start = data.ptr + from + 1, *end = data.ptr + data.len, *at = scan_plain(start, end);
    if (at < end && *at == '"') {
        *text = hv_str_of(start, (size_t)(at - start));
        return (size_t)(at - data.ptr) + 1;
    }
    struct hv_str rest = hv_str_slice(data, from, data.len);
    if (!counts || hv_json_parse(&decoder->arena, rest, DECODE_JSON_FLAGS | HV_JSON_PREFIX, &value, NULL) != HV_OK)
        return SIZE_MAX;
    *text = value->text;
    return from + value->end;
}

/* The offset behind the value in a hole at from, or SIZE_MAX when it is not what the hole takes. */
static size_t fill(struct model_decoder *decoder, const struct decode_hole *hole, struct hv_str data, size_t from,
                   struct hv_str *text)
{
    struct hv_str unused;
    if (hole->type == HV_JSON_NUMBER)
        return number_end(data, from);
    return string_end(decoder, data, from, hole->counts, hole->counts ? text : &unused);
}

static bool matches(struct hv_str data, size_t at, struct hv_str literal)
{
    return data.len - at >= literal.len && memcmp(data.ptr + at, literal.ptr, literal.len) == 0;
}

bool decoder_short_cut(struct model_decoder *decoder, struct hv_str data)
{
    if (decoder->learned.kind == DECODE_NONE)
        return false;
    struct hv_str literals = hv_buf_str(&decoder->learned.literals), text = {0};
    size_t at = 0, done = 0;
    for (size_t i = 0; i < decoder->learned.hole_count; i++) {
        const struct decode_hole *hole = &decoder->learned.holes[i];
        if (!matches(data, at, hv_str_slice(literals, done, hole->before)))
            return false;
        at = fill(decoder, hole, data, at + hole->before - done, &text);
        if (at == SIZE_MAX)
            return false;
        done = hole->before;
    }
    if (data.len - at != literals.len - done || !matches(data, at, hv_str_slice(literals, done, literals.len)))
        return false;
    decoder_give_raw(decoder, data);
    decoder->functions->delta(decoder, decoder->learned.kind, decoder->learned.block, text);
    return true;
}

/* Values in the order of their places; absent ones, and those that are not of a type that can be told, are left out. */
static size_t sort_values(const struct hv_json *values[DECODE_HOLES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < DECODE_HOLES_MAX; i++) {
        const struct hv_json *value = values[i];
        if (!value || (value->type != HV_JSON_NUMBER && value->type != HV_JSON_STRING))
            continue;
        size_t place = count++;
        for (; place > 0 && values[place - 1]->start > value->start; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
    return count;
}

void decoder_learn(struct model_decoder *decoder, enum decode_delta kind, size_t block, const struct hv_json *value,
                   const struct hv_json *const ignored[2], struct hv_str data)
{
    if (decoder->over)
        return;
    const struct hv_json *values[DECODE_HOLES_MAX] = {value, ignored ? ignored[0] : NULL, ignored ? ignored[1] : NULL};
    struct hv_buf *literals = &decoder->learned.literals;
    size_t count = sort_values(values), from = 0;
    hv_buf_clear(literals);
    for (size_t i = 0; i < count; i++) {
        hv_buf_add_str(literals, hv_str_slice(data, from, values[i]->start));
        decoder->learned.holes[i] =
            (struct decode_hole){.before = literals->len, .type = values[i]->type, .counts = values[i] == value};
        from = values[i]->end;
    }
    hv_buf_add_str(literals, hv_str_slice(data, from, data.len));
    decoder->learned.hole_count = count;
    decoder->learned.kind = kind;
    decoder->learned.block = block;
}
