/*
 * decoder.h: what the fuzz targets of the three model decoders share. The bytes are decoded four times; whatever they
 * are, the events must be the same however the bytes are split, and whether or not the decoder could take its short
 * cut; there is one error at most, and nothing after it; every call and block is announced in order, and blocks are
 * JSON.
 */
#ifndef FUZZ_DECODER_H
#define FUZZ_DECODER_H

#include "../tests/unit/model/event_log.h"

enum { FUZZ_INPUT_MAX = 1 << 16, FUZZ_BLOCK_MAX = 1 << 14, FUZZ_LOG_MAX = 64 << 20 };

struct fuzz_run {
    struct hv_buf log;
    enum model_event_type last;
    bool piece, over, started;
};

static inline void fuzz_check(struct fuzz_run *run, const struct model_event *event)
{
    struct hv_arena arena = {0};
    const struct hv_json *json;
    if (run->over || event->type <= MODEL_EVENT_NONE || event->type > MODEL_ERROR)
        abort();
    if (event->type == MODEL_START)
        run->started = true;
    else if (event->type != MODEL_ERROR && !run->started)
        abort();
    if (event->type == MODEL_STOP)
        run->started = false;
    run->over = event->type == MODEL_ERROR;
    if (run->over && (!event->error.message[0] || event->error.code == HV_OK))
        abort();
    if (event->type == MODEL_BLOCK &&
        (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &json, NULL) != HV_OK || json->type != HV_JSON_OBJECT))
        abort();
    if (run->last == MODEL_TOOL_CALL && event->type != MODEL_BLOCK && event->type != MODEL_ERROR)
        abort();
    run->last = event->type;
    hv_arena_release(&arena);
}

static inline void fuzz_event(void *user, const struct model_event *event)
{
    struct fuzz_run *run = user;
    fuzz_check(run, event);
    event_log(&run->log, event);
}

/* separated: an event without meaning is put after each, so that nothing that was learned lasts. */
static inline void fuzz_decode(struct fuzz_run *run, enum model_wire wire, struct hv_str bytes, size_t step,
                               bool separated)
{
    *run = (struct fuzz_run){0};
    hv_buf_init(&run->log, FUZZ_LOG_MAX);
    struct model_decoder *decoder = model_decoder_new(wire, FUZZ_BLOCK_MAX, fuzz_event, run);
    for (size_t at = 0; at < bytes.len;) {
        size_t end = at + step;
        size_t blank = separated ? hv_str_find(bytes, HV_STR("\n\n"), at) : SIZE_MAX;
        if (blank != SIZE_MAX)
            end = blank + 2;
        model_decoder_feed(decoder, hv_str_slice(bytes, at, end < bytes.len ? end : bytes.len));
        if (blank != SIZE_MAX)
            model_decoder_feed(decoder, HV_STR("data: {}\n\n"));
        at = end;
    }
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
}

static inline void fuzz_compare(const struct fuzz_run *whole, enum model_wire wire, struct hv_str bytes, size_t step,
                                bool separated)
{
    struct fuzz_run other;
    fuzz_decode(&other, wire, bytes, step, separated);
    if (!hv_str_eq(hv_buf_str(&whole->log), hv_buf_str(&other.log))) {
        fprintf(stderr, "one way:\n%s\nother way (step %zu):\n%s\n", whole->log.data, step, other.log.data);
        abort();
    }
    hv_buf_release(&other.log);
}

static inline int fuzz_decoder(enum model_wire wire, const uint8_t *data, size_t size)
{
    struct hv_str bytes = hv_str_of((const char *)data, size);
    struct fuzz_run whole;
    if (size > FUZZ_INPUT_MAX)
        return 0;
    fuzz_decode(&whole, wire, bytes, SIZE_MAX / 2, false);
    fuzz_compare(&whole, wire, bytes, 1, false);
    fuzz_compare(&whole, wire, bytes, 13, false);
    if (size && (data[0] == 'd' || data[0] == 'e')) /* events, not lines of JSON */
        fuzz_compare(&whole, wire, bytes, SIZE_MAX / 2, true);
    hv_buf_release(&whole.log);
    return 0;
}

#endif
