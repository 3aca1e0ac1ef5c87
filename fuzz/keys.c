/*
 * keys.c: the decoder of terminal input on any bytes. The first byte chooses how the rest is cut: the keys do not
 * depend on it. Every key is typed into an editor, whose text stays UTF-8 with the caret in it.
 */
#include "ui/input/keys.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parts.h"
#include "ui/edit/editor.h"

struct seen {
    struct hv_buf log;
    struct editor editor;
};

static void on_key(void *user, const struct key *key)
{
    struct seen *seen = user;
    hv_buf_addf(&seen->log, "%d %u %u %u %u %zu\n", (int)key->type, key->modifiers, key->rune, key->row, key->column,
                key->text.len);
    editor_key(&seen->editor, key);
    struct hv_str text = hv_buf_str(&seen->editor.text);
    FUZZ_CHECK(utf8_valid(text));
    FUZZ_CHECK(seen->editor.caret <= text.len);
    FUZZ_CHECK(seen->editor.caret == text.len || ((unsigned char)text.ptr[seen->editor.caret] & 0xc0) != 0x80);
}

static void run(struct hv_arena *arena, struct hv_str bytes, unsigned how, struct seen *seen)
{
    struct keys keys = {0};
    hv_buf_init(&seen->log, 64 << 20);
    editor_init(&seen->editor);
    for (size_t at = 0; at < bytes.len;) {
        struct hv_str piece = hv_str_slice(bytes, at, at + 1 + (at * 7 + how) % (how + 1));
        keys_feed(&keys, fuzz_copy(arena, piece), on_key, seen);
        at += piece.len;
    }
    keys_flush(&keys, on_key, seen);
    keys_release(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct seen whole = {0}, pieces = {0};
    if (!size || size > 1 << 16)
        return 0;
    struct hv_str bytes = hv_str_of((const char *)data + 1, size - 1);
    run(&arena, bytes, 1 << 20, &whole);
    run(&arena, bytes, data[0], &pieces);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole.log), hv_buf_str(&pieces.log)));
    hv_buf_release(&whole.log);
    hv_buf_release(&pieces.log);
    editor_release(&whole.editor);
    editor_release(&pieces.editor);
    return 0;
}
