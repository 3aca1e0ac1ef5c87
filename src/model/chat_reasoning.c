/* chat_reasoning.c: see chat_reasoning.h. */
#include "model/chat_reasoning.h"

#include "base/cleanup.h"

static const char *const members[] = {"reasoning_content", "reasoning"};
static const char *const lists[] = {"reasoning_details", "thinking_blocks"};

static struct hv_buf *list_pieces(struct decode_block *block, size_t which)
{
    return which ? &block->start : &block->citations;
}

/* ---- taking ------------------------------------------------------------------------------------------------ */

struct hv_str chat_reasoning_take(struct model_decoder *decoder, struct decode_block *block,
                                  const struct hv_json *delta, struct hv_str data, struct chat_reasoning *out)
{
    *out = (struct chat_reasoning){0};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct hv_json *value = hv_json_get(delta, members[i]);
        if (hv_json_type_of(value) != HV_JSON_STRING)
            continue;
        if (!block->name.len) {
            (void)decoder_hold(decoder, &block->name, hv_str_from(members[i]));
            (void)snprintf(decoder->reasoning, sizeof decoder->reasoning, "%s", members[i]);
        }
        out->text = out->text ? out->text : value->text.len ? value : NULL;
        out->members++;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        hv_json_each(piece, hv_json_get(delta, lists[i]))
        {
            struct hv_buf *pieces = list_pieces(block, i);
            if (piece->type != HV_JSON_OBJECT || (pieces->len && !decoder_hold(decoder, pieces, HV_STR(","))))
                continue;
            (void)decoder_hold(decoder, pieces, hv_json_source(piece, data));
            out->members++;
        }
    }
    return hv_json_string(out->text);
}

/* ---- the lists --------------------------------------------------------------------------------------------- */

static bool is_joined(struct hv_str key)
{
    static const char *const keys[] = {"text", "summary", "data", "thinking", "signature"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (hv_str_is(key, keys[i]))
            return true;
    }
    return false;
}

/* Whether a piece of a list goes on with the entry that began with first: the same kind and number, and, where there
 * are no numbers, no signature yet, which ends an entry. */
static bool goes_on(const struct hv_json *first, const struct hv_json *last, const struct hv_json *piece)
{
    int64_t a, b;
    bool numbered = hv_json_int64(hv_json_get(first, "index"), &a) && hv_json_int64(hv_json_get(piece, "index"), &b);
    if (!hv_str_eq(hv_json_get_string(first, "type"), hv_json_get_string(piece, "type")))
        return false;
    return numbered ? a == b : !hv_json_get_string(last, "signature").len;
}

/* One member of an entry whose pieces are [from, to): strings that come in pieces joined, else the last that is set. */
static void put_joined(struct hv_json_writer *writer, struct hv_str key, const struct hv_json *from,
                       const struct hv_json *to)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SIZE_MAX / 2);
    const struct hv_json *set = NULL;
    for (const struct hv_json *piece = from; piece != to; piece = piece->next) {
        const struct hv_json *value = hv_json_get_str(piece, key);
        if (!value || value->type == HV_JSON_NULL)
            continue;
        set = value;
        if (value->type == HV_JSON_STRING)
            hv_buf_add_str(&text, value->text);
    }
    hv_json_name_str(writer, key);
    if (!set)
        hv_json_put_null(writer);
    else if (set->type == HV_JSON_STRING && is_joined(key))
        hv_json_put_string(writer, hv_buf_str(&text));
    else
        hv_json_put_value(writer, set);
}

static bool has_key(const struct hv_json *from, const struct hv_json *to, struct hv_str key)
{
    for (; from != to; from = from->next) {
        if (hv_json_get_str(from, key))
            return true;
    }
    return false;
}

static void put_entry(struct hv_json_writer *writer, const struct hv_json *from, const struct hv_json *to)
{
    hv_json_begin_object(writer);
    for (const struct hv_json *piece = from; piece != to; piece = piece->next) {
        hv_json_each(member, piece)
        {
            if (!has_key(from, piece, member->key) && hv_json_get_str(piece, member->key) == member)
                put_joined(writer, member->key, from, to);
        }
    }
    hv_json_end_object(writer);
}

/* A list whose entries came in pieces, as a member. */
static void put_list(struct model_decoder *decoder, struct hv_json_writer *writer, const char *name,
                     const struct hv_buf *pieces)
{
    const struct hv_json *list;
    struct hv_str text = hv_arena_format(&decoder->arena, "[%.*s]", HV_STR_ARG(hv_buf_str(pieces)));
    if (!pieces->len || hv_json_parse(&decoder->arena, text, DECODE_JSON_FLAGS, &list, NULL) != HV_OK)
        return;
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    for (const struct hv_json *from = list->first, *to; from; from = to) {
        const struct hv_json *last = from;
        for (to = from->next; to && goes_on(from, last, to); to = to->next)
            last = to;
        put_entry(writer, from, to);
    }
    hv_json_end_array(writer);
}

/* ---- the item ---------------------------------------------------------------------------------------------- */

/* {"content":[{"type":"thinking","thinking":[{"type":"text","text":…}]}]} */
static void put_parts(struct hv_json_writer *writer, struct hv_str text)
{
    hv_json_name(writer, "content");
    hv_json_begin_array(writer);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "thinking");
    hv_json_name(writer, "thinking");
    hv_json_begin_array(writer);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "text");
    hv_json_member_string(writer, "text", text);
    hv_json_end_object(writer);
    hv_json_end_array(writer);
    hv_json_end_object(writer);
    hv_json_end_array(writer);
}

/* Where a server gives its reasoning in a member, each message with calls must carry it back, empty or not. */
static bool has_reasoning(const struct model_decoder *decoder, const struct decode_block *block)
{
    return block->text.len || block->citations.len || block->start.len ||
           (decoder->message.calls && !block->closed && (block->name.len || decoder->reasoning[0]));
}

void chat_reasoning_put(struct model_decoder *decoder, struct decode_block *block, struct hv_buf *lines)
{
    if (!has_reasoning(decoder, block))
        return;
    CLEANUP_BUF struct hv_buf item = {0};
    hv_buf_init(&item, SIZE_MAX / 2);
    struct hv_json_writer writer;
    struct hv_str name = block->name.len ? hv_buf_str(&block->name) : hv_str_from(decoder->reasoning);
    hv_json_writer_init(&writer, &item);
    hv_json_begin_object(&writer);
    if (block->pieced && block->text.len) {
        put_parts(&writer, hv_buf_str(&block->text));
    } else if (name.len) {
        hv_json_name_str(&writer, name);
        hv_json_put_string(&writer, hv_buf_str(&block->text));
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_list(decoder, &writer, lists[i], list_pieces(block, i));
    hv_json_end_object(&writer);
    const struct hv_json *value;
    if (hv_json_parse(&decoder->arena, hv_buf_str(&item), DECODE_JSON_FLAGS, &value, NULL) == HV_OK && value->first)
        decode_put_item(decoder, lines, "openai-chat", value);
}
