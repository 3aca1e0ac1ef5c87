/*
 * markdown.c: any bytes as a streamed answer: whatever the pieces, the same lines come out, each row of them fits, and
 * nothing a terminal obeys is in them but what is ours.
 */
#include "ui/text/markdown.h"
#include "base/cleanup.h"
#include "parts.h"

static void stream(struct hv_arena *arena, struct hv_str bytes, unsigned how, struct hv_buf *out)
{
    static const struct paint_theme theme = {.colour = true, .links = true};
    struct markdown_stream state;
    markdown_stream_init(&state);
    for (size_t at = 0; at < bytes.len;) {
        CLEANUP_BUF struct hv_buf open = {.max = 64 << 20};
        struct hv_str piece = hv_str_slice(bytes, at, at + 1 + (at * 7 + how) % (how + 1));
        markdown_stream_feed(&state, &theme, 40, fuzz_copy(arena, piece), out);
        markdown_stream_open(&state, &theme, 40, &open);
        at += piece.len;
    }
    markdown_stream_finish(&state, &theme, 40, out);
    markdown_stream_release(&state);
}

static void check_line(struct hv_str line)
{
    for (size_t at = 0; at < line.len;) {
        size_t sequence = paint_sequence(line, at);
        FUZZ_CHECK(sequence || (unsigned char)line.ptr[at] >= ' ');
        FUZZ_CHECK(line.ptr[at] != 0x7f);
        at += sequence ? sequence : 1;
    }
    for (size_t from = 0, next; from < line.len; from = next) {
        size_t end = paint_wrap(line, from, 40, &next);
        FUZZ_CHECK(next > from && end <= line.len);
        FUZZ_CHECK(paint_width(hv_str_slice(line, from, end)) <= 40);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf whole = {.max = 64 << 20}, pieces = {.max = 64 << 20};
    if (!size || size > 1 << 14)
        return 0;
    struct hv_str bytes = hv_str_of((const char *)data + 1, size - 1), rest, line;
    stream(&arena, bytes, 1 << 20, &whole);
    stream(&arena, bytes, data[0], &pieces);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&pieces)));
    for (rest = hv_buf_str(&whole); paint_next_line(&rest, &line);)
        check_line(line);
    return 0;
}
