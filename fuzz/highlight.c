/*
 * highlight.c: the highlighter on any bytes. The first byte chooses the language: colours add nothing and
 * take nothing away, so that the text without its escapes is that of plain paint, and nothing in it steers a terminal.
 */
#include "ui/text/highlight.h"
#include "base/cleanup.h"
#include "parts.h"

static const char *const languages[] = {"c",    "python", "ts",   "go",  "rust", "java", "sh",
                                        "json", "yaml",   "toml", "sql", "html", "none", "css"};

/* What a person reads: the text without the sequences of our own. */
static void strip(struct hv_str painted, struct hv_buf *out)
{
    for (size_t at = 0; at < painted.len;) {
        size_t len = paint_sequence(painted, at);
        if (!len)
            hv_buf_add_byte(out, painted.ptr[at]);
        at += len ? len : 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct paint_theme colours = {.colour = true}, none = {0};
    if (!size)
        return 0;
    struct hv_str rest = hv_str_of((const char *)data + 1, size - 1), line;
    const struct highlight_language *language =
        highlight_find(hv_str_from(languages[data[0] % (sizeof languages / sizeof *languages)]));
    struct highlight painted_state = {.language = language}, plain_state = {.language = language};
    while (paint_next_line(&rest, &line)) {
        CLEANUP_BUF struct hv_buf painted = {.max = 64 << 20}, plain = {.max = 64 << 20}, read = {.max = 64 << 20};
        highlight_line(&painted_state, &colours, line, &painted);
        highlight_line(&plain_state, &none, line, &plain);
        strip(hv_buf_str(&painted), &read);
        FUZZ_CHECK(hv_str_eq(hv_buf_str(&read), hv_buf_str(&plain)));
        FUZZ_CHECK(hv_str_find_byte(hv_buf_str(&plain), '\033', 0) == SIZE_MAX);
    }
    return 0;
}
