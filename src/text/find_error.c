/* find_error.c: see find_error.h. What was meant, find_meant.c guesses. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_error.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/find_meant.h"

#include <pcre2.h>

enum { EXCERPT = 40, SHOWN_MAX = 200, MEANT_MAX = 280 };

/* The place nearest to `at`, not behind it, where a character begins. */
static size_t character_at(struct hv_str pattern, size_t at)
{
    at = at < pattern.len ? at : pattern.len;
    while (at && at < pattern.len && ((unsigned char)pattern.ptr[at] & 0xC0) == 0x80)
        at--;
    return at;
}

/* "*.ts", which was meant for the names of files. */
static bool is_file_pattern(struct hv_str pattern)
{
    return hv_str_starts(pattern, HV_STR("*.")) || hv_str_starts(pattern, HV_STR("**/"));
}

#define OR_FIXED ", or set fixed_strings to search for the text as it is"

enum hv_code find_fail_pattern(struct hv_str pattern, uint32_t flags, int number, size_t at, bool plain,
                               struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf meant = {0};
    const char *what = "";
    char text[256];
    if (pcre2_get_error_message(number, (PCRE2_UCHAR *)text, sizeof text) < 0)
        text[0] = '\0';
    at = at < pattern.len ? at : pattern.len;
    struct hv_str before = hv_str_slice(pattern, at > EXCERPT ? character_at(pattern, at - EXCERPT) : 0, at);
    struct hv_str after = hv_str_slice(pattern, at, character_at(pattern, at + EXCERPT));
    hv_fail(err, HV_EINVAL, "The pattern is not valid: %s, at position %zu: %.*s ⟨here⟩ %.*s", text,
            utf8_count(hv_str_slice(pattern, 0, at)) + 1, HV_STR_ARG(before), HV_STR_ARG(after));
    hv_error_place(err, "pattern");
    hv_buf_init(&meant, 4 * pattern.len + MEANT_MAX);
    bool known = pattern.len <= SHOWN_MAX && find_meant(pattern, flags, number, at, &what, &meant);
    if (number == PCRE2_ERROR_PATTERN_TOO_LARGE || number == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP)
        hv_error_hint(err, "Search for less at once, with smaller counts and fewer alternatives and parentheses");
    else if (known && meant.len <= MEANT_MAX)
        hv_error_hint(err, "Perhaps you mean %s (%s)%s%s", meant.data, what, plain ? "" : OR_FIXED,
                      !plain && is_file_pattern(pattern) ? "; files are chosen by their names with glob" : "");
    else
        hv_error_hint(err, "%s%s", *what ? what : "Correct it, or escape special characters with \\",
                      plain ? "" : OR_FIXED);
    return HV_EINVAL;
}
