/* test_keys.c: bytes of a terminal as keys, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "ui/input/keys.h"

static void add_key(void *user, const struct key *key)
{
    static const char *const names[] = {"none",  "char",  "enter", "tab",  "esc",    "backspace", "delete", "up",
                                        "down",  "right", "left",  "home", "end",    "pgup",      "pgdown", "paste",
                                        "focus", "blur",  "kitty", "sync", "cursor", "colour",    "sixels", "other"};
    struct hv_buf *out = user;
    hv_buf_add_cstr(out, out->len ? " " : "");
    hv_buf_add_cstr(out, key->modifiers & KEY_CTRL ? "C-" : "");
    hv_buf_add_cstr(out, key->modifiers & KEY_ALT ? "A-" : "");
    hv_buf_add_cstr(out, key->modifiers & KEY_SHIFT ? "S-" : "");
    if (key->type == KEY_CHAR && key->rune < 0x80)
        hv_buf_add_byte(out, (char)key->rune);
    else if (key->type == KEY_CHAR)
        hv_buf_addf(out, "U+%04X", key->rune);
    else
        hv_buf_add_cstr(out, names[key->type]);
    if (key->type == KEY_PASTE)
        hv_buf_addf(out, "(%.*s)", HV_STR_ARG(key->text));
    if (key->type == KEY_REPLY_BACKGROUND)
        hv_buf_addf(out, "(%06x)", key->rune);
}

static void test_sequences_are_keys(void **state)
{
    static const struct {
        const char *bytes, *keys;
    } cases[] = {
        {"a", "a"},
        {"\003", "C-c"},
        {"\r\n\t", "enter C-j tab"},
        {"\xc3\xa4\xff", "U+00E4 U+FFFD"},
        {"\033[A\033OB\033[1;5C", "up down C-right"},
        {"\033[Z\033[3~\033[27;2;13~", "S-tab delete S-enter"},
        {"\033[13;2u\033[97;5u", "S-enter C-a"},
        {"\033[57414;1u", "enter"},
        {"\033\r", "A-enter"},
        {"\033b\033\033[A", "A-b A-up"},
        {"\033[I\033[O", "focus blur"},
        {"\033[5;7R", "cursor"},
        {"\033[?1u\033[?2026;2$y\033[?62;22c\033[?62;4;9c", "kitty sync other sixels"},
        /* Esc in front of what the terminal says of itself, and of a paste: a key of its own. */
        {"\033\033[5;7R", "esc cursor"},
        {"\033\033[I", "esc focus"},
        {"\033\033[?1u", "esc kitty"},
        {"\033\033[200~x\033[201~", "esc paste(x)"},
        {"\033\033x", "esc A-x"},
        {"\033\033", "esc esc"},
        {"\033\033\033", "esc esc esc"},
        {"\033", "esc"},
        {"\033[", "A-["},
        {"\033[200~a\033[A\033[20b\033[201~c", "paste(a\033[A\033[20b) c"},
        {"\033]0;title\007x", "x"},
        {"\033]11;rgb:ffff/8080/0000\033\\x", "colour(ff8000) x"},
        {"\033]11;rgb:f/8/0\007x", "colour(ff8800) x"},
        {"\033]11;rgba:fa/80/01/ff\007x", "colour(fa8001) x"},
        {"\033]11;rgb:12345/0/0\007\033]11;rgb:12/34\007\033]10;rgb:0/0/0\007\033]11;?\007x", "x"},
        {"\033Pq\033\\x", "x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t piece = 1; piece <= 3; piece++) {
            CLEANUP_BUF struct hv_buf found = {.max = 4096};
            struct keys keys = {0};
            struct hv_str bytes = hv_str_from(cases[i].bytes);
            for (size_t at = 0; at < bytes.len; at += piece)
                keys_feed(&keys, hv_str_slice(bytes, at, at + piece), add_key, &found);
            keys_flush(&keys, add_key, &found);
            if (!hv_str_is(hv_buf_str(&found), cases[i].keys))
                fail_msg("case %zu in pieces of %zu: %.*s", i, piece, HV_STR_ARG(hv_buf_str(&found)));
            keys_release(&keys);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequences_are_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
