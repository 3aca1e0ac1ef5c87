/*
 * ansi.c: the cleaner of terminal output on any bytes. The first byte chooses how the rest is cut; the result does not
 * depend on it, is clean, and stays the same when it is cleaned again.
 */
#include "text/ansi.h"
#include "base/cleanup.h"
#include "parts.h"

static void feed_in_pieces(struct hv_arena *arena, struct hv_str bytes, unsigned how, struct hv_buf *out)
{
    struct ansi_cleaner cleaner = {0};
    for (size_t at = 0; at < bytes.len;) {
        size_t step = 1 + (at * 7 + how) % (how + 1);
        struct hv_str piece = hv_str_slice(bytes, at, at + step);
        ansi_feed(&cleaner, fuzz_copy(arena, piece), out);
        at += piece.len;
    }
    ansi_finish(&cleaner, out);
    ansi_release(&cleaner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf whole = {.max = 64 << 20}, pieces = {.max = 64 << 20}, again = {.max = 64 << 20};
    if (!size)
        return 0;
    struct hv_str bytes = fuzz_copy(&arena, hv_str_of((const char *)data + 1, size - 1));
    ansi_clean(bytes, &whole);
    feed_in_pieces(&arena, bytes, data[0], &pieces);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&pieces)));
    FUZZ_CHECK(ansi_is_clean(hv_buf_str(&whole)));
    FUZZ_CHECK(!ansi_is_clean(bytes) || hv_str_eq(bytes, hv_buf_str(&whole)));
    ansi_clean(hv_buf_str(&whole), &again);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&again)));
    CLEANUP_BUF struct hv_buf small = {.max = data[0]};
    ansi_clean(bytes, &small);
    FUZZ_CHECK(hv_str_starts(hv_buf_str(&whole), hv_buf_str(&small)) && small.failed == (whole.len > small.max));
    return 0;
}
