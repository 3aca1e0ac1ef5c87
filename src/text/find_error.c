/* find_error.c: see find_error.h. A repaired pattern is the old one with backslashes before some bytes, or without one.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_error.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <pcre2.h>
#include <string.h>

enum { EXCERPT = 40, SHOWN_MAX = 200 };

static bool is_valid(struct hv_str pattern, uint32_t flags)
{
    int number;
    size_t at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, flags, &number, &at, NULL);
    pcre2_code_free(code);
    return code != NULL;
}

/* The first byte at or after from that is `byte`, not escaped and not in a class; SIZE_MAX when there is none. */
static size_t find_special(struct hv_str pattern, char byte, size_t from)
{
    bool in_class = false;
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '\\') {
            i++;
            continue;
        }
        if (!in_class && i >= from && pattern.ptr[i] == byte)
            return i;
        in_class = in_class ? pattern.ptr[i] != ']' : pattern.ptr[i] == '[';
    }
    return SIZE_MAX;
}

static void escape_at(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    hv_buf_add_byte(out, '\\');
    hv_buf_add_str(out, hv_str_slice(pattern, at, pattern.len));
}

static void escape_all(struct hv_str pattern, const char *bytes, struct hv_buf *out)
{
    for (size_t i = 0; i < pattern.len; i++) {
        bool escaped = pattern.ptr[i] == '\\' && i + 1 < pattern.len;
        if (!escaped && pattern.ptr[i] && strchr(bytes, pattern.ptr[i]))
            hv_buf_add_byte(out, '\\');
        hv_buf_add_byte(out, pattern.ptr[i]);
        if (escaped)
            hv_buf_add_byte(out, pattern.ptr[++i]);
    }
}

/* Escape the first `byte` that makes the pattern valid; else all of `bytes`. */
static void escape_one_of(struct hv_str pattern, uint32_t flags, char byte, const char *bytes, struct hv_buf *out)
{
    size_t at = find_special(pattern, byte, 0);
    for (int tries = 0; at != SIZE_MAX && tries < 16; at = find_special(pattern, byte, at + 1), tries++) {
        hv_buf_clear(out);
        escape_at(pattern, at, out);
        if (is_valid(hv_buf_str(out), flags))
            return;
    }
    hv_buf_clear(out);
    escape_all(pattern, bytes, out);
}

/* "[:alpha:]" that begins at `at`, inside a class. */
static void put_in_class(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    size_t end = hv_str_find(pattern, HV_STR(":]"), at);
    if (end == SIZE_MAX)
        return;
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    hv_buf_addf(out, "[%.*s]", HV_STR_ARG(hv_str_slice(pattern, at, end + 2)));
    hv_buf_add_str(out, hv_str_slice(pattern, end + 2, pattern.len));
}

/* "{1,100000}", in which the reading ended at `at`, without its upper bound. */
static void drop_upper_bound(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    size_t comma = hv_str_rfind_byte(hv_str_slice(pattern, 0, at), ','), close = hv_str_find_byte(pattern, '}', at);
    size_t open = hv_str_rfind_byte(hv_str_slice(pattern, 0, at), '{');
    if (comma == SIZE_MAX || close == SIZE_MAX || open == SIZE_MAX || comma < open)
        return;
    hv_buf_add_str(out, hv_str_slice(pattern, 0, comma + 1));
    hv_buf_add_str(out, hv_str_slice(pattern, close, pattern.len));
}

/* "\u0041" or "\u{41}" at `at` in the way of PCRE2. */
static void write_by_number(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    enum { DIGITS = 4 };
    struct hv_str rest = hv_str_slice(pattern, at, pattern.len);
    size_t digits = 0;
    if (!hv_str_starts(rest, HV_STR("\\u")))
        return;
    while (digits < DIGITS && 2 + digits < rest.len && isxdigit((unsigned char)rest.ptr[2 + digits]))
        digits++;
    if (digits < DIGITS && !hv_str_starts(rest, HV_STR("\\u{")))
        return;
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    hv_buf_add_cstr(out, "\\x");
    if (digits == DIGITS)
        hv_buf_addf(out, "{%.*s}", HV_STR_ARG(hv_str_slice(rest, 2, 2 + DIGITS)));
    hv_buf_add_str(out, hv_str_slice(rest, digits == DIGITS ? 2 + DIGITS : 2, rest.len));
}

/* "(*p)" with its "(*" at `at`, taken as it is. */
static void escape_star_group(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    size_t close = find_special(pattern, ')', at);
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    hv_buf_add_cstr(out, "\\(\\*");
    hv_buf_add_str(out, hv_str_slice(pattern, at + 2, close));
    if (close != SIZE_MAX)
        hv_buf_add_byte(out, '\\');
    hv_buf_add_str(out, hv_str_slice(pattern, close, pattern.len));
}

/* Where the last `byte` at or before `at` stands, 0 when there is none. */
static size_t go_back_to(struct hv_str pattern, const char *bytes, size_t at)
{
    at -= at == pattern.len;
    while (at && !strchr(bytes, pattern.ptr[at]))
        at--;
    return at;
}

/* A quantifier with nothing before it, or "(*" that begins no verb. */
static const char *repair_quantifier(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    at = go_back_to(pattern, "*+?{", at);
    if (at && pattern.ptr[at] == '*' && pattern.ptr[at - 1] == '(' && (at < 2 || pattern.ptr[at - 2] != '\\')) {
        escape_star_group(pattern, at - 1, out);
        return "(* begins a special group; to be found as such it is written \\(\\*";
    }
    escape_at(pattern, at, out);
    return "a *, +, ? or { that is to be found as such is written with a backslash before it";
}

/* What was probably meant; empty when it is none of the usual mistakes. *what: the name of what is to be escaped. */
static void repair(struct hv_str pattern, uint32_t flags, int number, size_t at, const char **what, struct hv_buf *out)
{
    size_t before = at && at <= pattern.len ? at - 1 : 0;
    switch (number) {
    case PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS:
        *what = "an opening parenthesis that is to be found as such is written \\(";
        escape_one_of(pattern, flags, '(', "()", out);
        return;
    case PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS:
        *what = "a closing parenthesis that is to be found as such is written \\)";
        escape_one_of(pattern, flags, ')', "()", out);
        return;
    case PCRE2_ERROR_CLASS_RANGE_ORDER:
    case PCRE2_ERROR_CLASS_INVALID_RANGE:
        *what = "a hyphen that is to be found as such is written \\- in a class";
        escape_at(pattern, go_back_to(pattern, "-", at), out);
        return;
    case PCRE2_ERROR_POSIX_CLASS_NOT_IN_CLASS:
        *what = "a named class stands in a class";
        put_in_class(pattern, at, out);
        return;
    case PCRE2_ERROR_MISSING_SQUARE_BRACKET:
        *what = "a bracket that is to be found as such is written \\[";
        escape_one_of(pattern, flags, '[', "[]", out);
        return;
    case PCRE2_ERROR_QUANTIFIER_INVALID:
    case PCRE2_ERROR_VERB_UNKNOWN:
    case PCRE2_ERROR_ALPHA_ASSERTION_UNKNOWN: *what = repair_quantifier(pattern, at, out); return;
    case PCRE2_ERROR_QUANTIFIER_OUT_OF_ORDER:
    case PCRE2_ERROR_QUANTIFIER_TOO_BIG:
        if (number == PCRE2_ERROR_QUANTIFIER_TOO_BIG)
            drop_upper_bound(pattern, at, out);
        *what =
            out->len ? "a count is at most 65535, or left out" : "a brace that is to be found as such is written \\{";
        if (!out->len)
            escape_one_of(pattern, flags, '{', "{}", out);
        return;
    case PCRE2_ERROR_END_BACKSLASH:
        *what = "a backslash that is to be found as such is written \\\\";
        hv_buf_add_str(out, pattern);
        hv_buf_add_byte(out, '\\');
        return;
    case PCRE2_ERROR_UNKNOWN_ESCAPE:
    case PCRE2_ERROR_UNSUPPORTED_ESCAPE_SEQUENCE:
        *what = "a backslash that is to be found as such is written \\\\";
        before = go_back_to(pattern, "\\", before);
        write_by_number(pattern, before, out);
        if (out->len)
            *what = "a character by its number is written \\x{…}";
        else
            escape_at(pattern, before, out);
        return;
    case PCRE2_ERROR_INVALID_AFTER_PARENS_QUERY:
        *what = "(? begins a special group; to be found as such it is written \\(\\?";
        escape_all(pattern, "(?)", out);
        return;
    default: return;
    }
}

#define OR_FIXED ", or set fixed_strings to search for the text as it is"

enum hv_code find_fail_pattern(struct hv_str pattern, uint32_t flags, int number, size_t at, bool plain,
                               struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf meant;
    const char *what = "";
    char text[256];
    if (pcre2_get_error_message(number, (PCRE2_UCHAR *)text, sizeof text) < 0)
        text[0] = '\0';
    at = at < pattern.len ? at : pattern.len;
    struct hv_str before = hv_str_slice(pattern, at > EXCERPT ? at - EXCERPT : 0, at);
    struct hv_str after = hv_str_slice(pattern, at, at + EXCERPT);
    hv_fail(err, HV_EINVAL, "The pattern is not valid: %s, at position %zu: %.*s ⟨here⟩ %.*s", text, at + 1,
            HV_STR_ARG(before), HV_STR_ARG(after));
    hv_error_place(err, "pattern");
    hv_buf_init(&meant, 2 * pattern.len + 2);
    if (pattern.len <= SHOWN_MAX)
        repair(pattern, flags, number, at, &what, &meant);
    if (number == PCRE2_ERROR_PATTERN_TOO_LARGE || number == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP)
        hv_error_hint(err, "Search for less at once, with smaller counts and fewer alternatives and parentheses");
    else if (meant.len && is_valid(hv_buf_str(&meant), flags))
        hv_error_hint(err, "Perhaps you mean %s (%s)%s", meant.data, what, plain ? "" : OR_FIXED);
    else
        hv_error_hint(err, "Correct it%s escape special characters with \\%s", plain ? " or" : ",",
                      plain ? "" : OR_FIXED);
    return HV_EINVAL;
}
