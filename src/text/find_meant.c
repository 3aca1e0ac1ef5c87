/*
 * find_meant.c: see find_meant.h. A pattern without anything that only patterns have was meant as text, and is escaped
 * as a whole. In others one fault after the other is mended, until the pattern is valid or a fault is none of the usual
 * ones.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_meant.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <pcre2.h>
#include <string.h>

enum { TRIES = 16, ROUNDS = 8 };

static const char *const quantifier_bytes = "*+?{";

static bool is_valid(struct hv_str pattern, uint32_t flags)
{
    int number;
    size_t at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, flags, &number, &at, NULL);
    pcre2_code_free(code);
    return code != NULL;
}

/* The byte at `at`, NUL behind the end. */
static char byte_at(struct hv_str pattern, size_t at)
{
    return at < pattern.len ? pattern.ptr[at] : '\0';
}

static bool stands_at(struct hv_str pattern, size_t at, const char *text)
{
    return hv_str_starts(hv_str_slice(pattern, at, pattern.len), hv_str_from(text));
}

static bool is_one_of(char byte, const char *bytes)
{
    return byte && strchr(bytes, byte);
}

/* ---- text that was taken for a pattern ------------------------------------------------------------------- */

/* Does a class with a range, a negation or a named class begin at `at`? */
static bool is_class(struct hv_str pattern, size_t at)
{
    size_t end = hv_str_find_byte(pattern, ']', at + 1);
    if (is_one_of(byte_at(pattern, at + 1), "^:") || stands_at(pattern, at, "[[:"))
        return true;
    for (size_t i = at + 2; end != SIZE_MAX && i + 1 < end; i++)
        if (pattern.ptr[i] == '-' && isalnum((unsigned char)pattern.ptr[i - 1]) &&
            isalnum((unsigned char)pattern.ptr[i + 1]))
            return true;
    return false;
}

static bool only_a_pattern_has(struct hv_str pattern, size_t at)
{
    char next = byte_at(pattern, at + 1);
    switch (pattern.ptr[at]) {
    case '\\': return true;
    case '^': return at == 0;
    case '$': return at + 1 == pattern.len || next == ')' || next == '|';
    case '.': return is_one_of(next, "*+?");
    case '|': return next != '|' && (at == 0 || pattern.ptr[at - 1] != '|');
    case '(': return next == '?';
    case ')':
    case ']': return is_one_of(next, quantifier_bytes);
    case '[': return is_class(pattern, at);
    default: return false;
    }
}

bool find_looks_like_text(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (only_a_pattern_has(pattern, i))
            return false;
    return true;
}

/* "C:\Users\name": each backslash stands before a word, and nothing else is a pattern's. */
static bool is_path_with_backslashes(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        bool is_word =
            isalpha((unsigned char)byte_at(pattern, i + 1)) && isalpha((unsigned char)byte_at(pattern, i + 2));
        if (pattern.ptr[i] == '\\' ? !is_word && i + 1 < pattern.len : only_a_pattern_has(pattern, i))
            return false;
    }
    return true;
}

/* ---- escaping -------------------------------------------------------------------------------------------- */

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

/* Escape count bytes from `at` on. */
static void escape_at(struct hv_str pattern, size_t at, size_t count, struct hv_buf *out)
{
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    for (size_t i = at; i < at + count; i++) {
        hv_buf_add_byte(out, '\\');
        hv_buf_add_byte(out, pattern.ptr[i]);
    }
    hv_buf_add_str(out, hv_str_slice(pattern, at + count, pattern.len));
}

static void escape_all(struct hv_str pattern, const char *bytes, struct hv_buf *out)
{
    for (size_t i = 0; i < pattern.len; i++) {
        bool escaped = pattern.ptr[i] == '\\' && i + 1 < pattern.len;
        if (!escaped && is_one_of(pattern.ptr[i], bytes))
            hv_buf_add_byte(out, '\\');
        hv_buf_add_byte(out, pattern.ptr[i]);
        if (escaped)
            hv_buf_add_byte(out, pattern.ptr[++i]);
    }
}

static void double_backslashes(struct hv_str pattern, struct hv_buf *out)
{
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '\\')
            hv_buf_add_byte(out, '\\');
        hv_buf_add_byte(out, pattern.ptr[i]);
    }
}

/* Escape the first `byte` that makes the pattern valid; else all of `bytes`. */
static void escape_one_of(struct hv_str pattern, uint32_t flags, char byte, const char *bytes, struct hv_buf *out)
{
    size_t at = find_special(pattern, byte, 0);
    for (int tries = 0; at != SIZE_MAX && tries < TRIES; at = find_special(pattern, byte, at + 1), tries++) {
        hv_buf_clear(out);
        escape_at(pattern, at, byte == '(' && byte_at(pattern, at + 1) == '?' ? 2 : 1, out);
        if (is_valid(hv_buf_str(out), flags))
            return;
    }
    hv_buf_clear(out);
    escape_all(pattern, bytes, out);
}

/* Where the last of `bytes` at or before `at` stands, 0 when there is none. */
static size_t go_back_to(struct hv_str pattern, const char *bytes, size_t at)
{
    at -= at == pattern.len;
    while (at && !strchr(bytes, pattern.ptr[at]))
        at--;
    return at;
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

/* The last "(" that nothing closes; SIZE_MAX when there is none. */
static size_t find_unclosed(struct hv_str pattern)
{
    size_t closed = 0;
    for (size_t i = pattern.len; i--;) { /* from the end: what is escaped or in a class, find_special knows */
        if (pattern.ptr[i] != '(' && pattern.ptr[i] != ')')
            continue;
        if (find_special(pattern, pattern.ptr[i], i) != i)
            continue;
        if (pattern.ptr[i] == '(' && !closed)
            return i;
        closed += pattern.ptr[i] == ')';
        closed -= pattern.ptr[i] == '(';
    }
    return SIZE_MAX;
}

/* Behind "(?:", "(?<name>", "(?i" … at `at`. */
static size_t skip_group_start(struct hv_str pattern, size_t at)
{
    at += 2;
    at += byte_at(pattern, at) == 'P';
    char first = byte_at(pattern, at), end = first == '<' ? '>' : first;
    if (first == '\'' || (first == '<' && !is_one_of(byte_at(pattern, at + 1), "=!"))) {
        size_t close = hv_str_find_byte(pattern, end, at + 1);
        return close == SIZE_MAX ? pattern.len : close + 1;
    }
    while (isalpha((unsigned char)byte_at(pattern, at)) || is_one_of(byte_at(pattern, at), "^-<"))
        at++;
    return at + (at < pattern.len);
}

/* "(?:foo" with its end; a "(" that begins nothing special, and one with nothing in it, stands for itself. */
static const char *repair_open_group(struct hv_str pattern, uint32_t flags, struct hv_buf *out)
{
    size_t at = find_unclosed(pattern);
    if (at != SIZE_MAX && byte_at(pattern, at + 1) == '?' && skip_group_start(pattern, at) < pattern.len) {
        hv_buf_add_str(out, pattern);
        hv_buf_add_byte(out, ')');
        return "a group that (? begins ends with )";
    }
    escape_one_of(pattern, flags, '(', "()", out);
    return "an opening parenthesis that is to be found as such is written \\(";
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

/* "(?iu)" at `open` without the flags that only Python knows, which say what holds here anyway. */
static bool drop_foreign_flags(struct hv_str pattern, size_t open, struct hv_buf *out)
{
    size_t close = hv_str_find_byte(pattern, ')', open), kept = 0;
    if (!stands_at(pattern, open, "(?") || close == SIZE_MAX || close == open + 2)
        return false;
    for (size_t i = open + 2; i < close; i++) {
        if (!is_one_of(pattern.ptr[i], "uaLimsx"))
            return false;
        kept += !is_one_of(pattern.ptr[i], "uaL");
    }
    hv_buf_add_str(out, hv_str_slice(pattern, 0, open));
    for (size_t i = open; kept && i <= close; i++)
        if (!is_one_of(pattern.ptr[i], "uaL"))
            hv_buf_add_byte(out, pattern.ptr[i]);
    hv_buf_add_str(out, hv_str_slice(pattern, close + 1, pattern.len));
    return true;
}

static const char *repair_special_group(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    if (drop_foreign_flags(pattern, go_back_to(pattern, "(", at), out))
        return "the flags u, a and L mean nothing here";
    escape_all(pattern, "(?)", out);
    return "(? begins a special group; to be found as such it is written \\(\\?";
}

/* "(?<=a+)b" as "a+\Kb", where nothing stands before it. */
static const char *repair_look_behind(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    size_t open = go_back_to(pattern, "(", at), close = open, depth = 1;
    if (!stands_at(pattern, open, "(?<"))
        return "";
    if (byte_at(pattern, open + 3) == '!')
        return "What (?<!…) looks for must have one length; ^(?!.*foo.*bar).*bar finds bar where no foo stands before "
               "it";
    while (depth && ++close < pattern.len) {
        depth += find_special(pattern, '(', close) == close;
        depth -= find_special(pattern, ')', close) == close;
    }
    if (open || depth)
        return "What (?<=…) looks for must have one length; foo.*\\Kbar finds bar behind foo and anything";
    struct hv_str before = hv_str_slice(pattern, 4, close);
    bool is_choice = hv_str_find_byte(before, '|', 0) != SIZE_MAX;
    hv_buf_addf(out, is_choice ? "(?:%.*s)" : "%.*s", HV_STR_ARG(before));
    hv_buf_add_cstr(out, "\\K");
    hv_buf_add_str(out, hv_str_slice(pattern, close + 1, pattern.len));
    return "what (?<=…) looks for must have one length; \\K leaves out what stands before it";
}

/* ---- quantifiers ----------------------------------------------------------------------------------------- */

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

static const char *repair_count(struct hv_str pattern, uint32_t flags, int number, size_t at, struct hv_buf *out)
{
    if (number == PCRE2_ERROR_QUANTIFIER_TOO_BIG)
        drop_upper_bound(pattern, at, out);
    if (out->len)
        return "a count is at most 65535, or left out";
    escape_one_of(pattern, flags, '{', "{}", out);
    return number == PCRE2_ERROR_QUANTIFIER_TOO_BIG
               ? "a brace that is to be found as such is written \\{; a count is at most 65535"
               : "a brace that is to be found as such is written \\{";
}

/* A quantifier with nothing before it, with those of its kind beside it, or "(*" that begins no verb. */
static const char *repair_quantifier(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    at = go_back_to(pattern, quantifier_bytes, at);
    if (at && pattern.ptr[at] == '*' && pattern.ptr[at - 1] == '(' && (at < 2 || pattern.ptr[at - 2] != '\\')) {
        escape_star_group(pattern, at - 1, out);
        return "(* begins a special group; to be found as such it is written \\(\\*";
    }
    size_t end = at + 1;
    while (pattern.ptr[at] != '{' && at && pattern.ptr[at - 1] == pattern.ptr[at] &&
           (at < 2 || pattern.ptr[at - 2] != '\\'))
        at--;
    while (pattern.ptr[at] != '{' && byte_at(pattern, end) == pattern.ptr[at])
        end++;
    escape_at(pattern, at, end - at, out);
    return "a *, +, ? or { that is to be found as such is written with a backslash before it";
}

/* ---- classes and characters ------------------------------------------------------------------------------ */

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

/* "[[:alpha:]+" with the class closed behind ":]", or its "[" as such. */
static const char *repair_open_class(struct hv_str pattern, uint32_t flags, struct hv_buf *out)
{
    size_t end = hv_str_find(pattern, HV_STR("[[:"), 0) == SIZE_MAX ? SIZE_MAX : hv_str_find(pattern, HV_STR(":]"), 0);
    if (end != SIZE_MAX) {
        hv_buf_addf(out, "%.*s]", HV_STR_ARG(hv_str_slice(pattern, 0, end + 2)));
        hv_buf_add_str(out, hv_str_slice(pattern, end + 2, pattern.len));
        if (is_valid(hv_buf_str(out), flags))
            return "a class ends with ], behind a named class in it, too";
        hv_buf_clear(out);
    }
    escape_one_of(pattern, flags, '[', "[]", out);
    return "a bracket that is to be found as such is written \\[";
}

/* "\u0041", "\u{41}" or "\U00000041" at `at` in the way of PCRE2. */
static void write_by_number(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    struct hv_str rest = hv_str_slice(pattern, at, pattern.len);
    bool is_long = hv_str_starts(rest, HV_STR("\\U"));
    size_t digits = 0, wanted = is_long ? 8 : 4;
    if (!is_long && !hv_str_starts(rest, HV_STR("\\u")))
        return;
    while (digits < wanted && isxdigit((unsigned char)byte_at(rest, 2 + digits)))
        digits++;
    if (digits < wanted && !hv_str_starts(rest, HV_STR("\\u{")))
        return;
    hv_buf_add_str(out, hv_str_slice(pattern, 0, at));
    hv_buf_add_cstr(out, "\\x");
    if (digits == wanted)
        hv_buf_addf(out, "{%.*s}", HV_STR_ARG(hv_str_slice(rest, 2, 2 + wanted)));
    hv_buf_add_str(out, hv_str_slice(rest, digits == wanted ? 2 + wanted : 2, rest.len));
}

static const char *repair_escape(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    at = go_back_to(pattern, "\\", at ? at - 1 : 0);
    write_by_number(pattern, at, out);
    if (out->len)
        return "a character by its number is written \\x{…}";
    if (is_path_with_backslashes(pattern))
        double_backslashes(pattern, out);
    else
        escape_at(pattern, at, 1, out);
    return "a backslash that is to be found as such is written \\\\";
}

static const char *repair_end(struct hv_str pattern, struct hv_buf *out)
{
    if (is_path_with_backslashes(pattern)) {
        double_backslashes(pattern, out);
    } else {
        hv_buf_add_str(out, pattern);
        hv_buf_add_byte(out, '\\');
    }
    return "a backslash that is to be found as such is written \\\\";
}

/* The names of properties that other languages have, and those of PCRE2. */
static const char *const properties[][2] = {
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Mark", "M"},
    {"Other", "C"},
    {"Alpha", "L"},
    {"Alnum", "Xan"},
    {"Digit", "Nd"},
    {"Punct", "P"},
    {"Upper", "Lu"},
    {"Lower", "Ll"},
    {"Space", "Xsp"},
};

/* "\p{IsGreek}" as "\p{Greek}", "\p{Letter}" as "\p{L}". at: behind it. */
static const char *repair_property(struct hv_str pattern, size_t at, struct hv_buf *out)
{
    size_t open = hv_str_rfind_byte(hv_str_slice(pattern, 0, at), '{'), close = hv_str_find_byte(pattern, '}', open);
    if (open == SIZE_MAX || close == SIZE_MAX)
        return "A property is a letter or has braces: \\p{L}, \\p{Lu}, \\p{Greek}";
    open += 1 + (byte_at(pattern, open + 1) == '^');
    struct hv_str name = hv_str_slice(pattern, open, close), known = {0};
    if (hv_str_starts(name, HV_STR("Is")) || hv_str_starts(name, HV_STR("In")))
        known = hv_str_slice(name, 2, name.len);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (hv_str_is(name, properties[i][0]) || hv_str_is(known, properties[i][0]))
            known = hv_str_from(properties[i][1]);
    if (!known.len)
        return "Properties and scripts have PCRE2's names, such as \\p{L}, \\p{Lu}, \\p{Greek}";
    hv_buf_add_str(out, hv_str_slice(pattern, 0, open));
    hv_buf_add_str(out, known);
    hv_buf_add_str(out, hv_str_slice(pattern, close, pattern.len));
    return "properties and scripts have PCRE2's names, such as \\p{L}, \\p{Lu}, \\p{Greek}";
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* Append the pattern without this one fault, or nothing; returns why. */
static const char *repair(struct hv_str pattern, uint32_t flags, int number, size_t at, struct hv_buf *out)
{
    switch (number) {
    case PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS: return repair_open_group(pattern, flags, out);
    case PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS:
        escape_one_of(pattern, flags, ')', "()", out);
        return "a closing parenthesis that is to be found as such is written \\)";
    case PCRE2_ERROR_CLASS_RANGE_ORDER:
    case PCRE2_ERROR_CLASS_INVALID_RANGE:
        escape_at(pattern, go_back_to(pattern, "-", at), 1, out);
        return "a hyphen that is to be found as such is written \\- in a class";
    case PCRE2_ERROR_POSIX_CLASS_NOT_IN_CLASS: put_in_class(pattern, at, out); return "a named class stands in a class";
    case PCRE2_ERROR_UNKNOWN_POSIX_CLASS:
        return "Named classes are alpha, digit, alnum, upper, lower, space, punct, word, xdigit and some more";
    case PCRE2_ERROR_MISSING_SQUARE_BRACKET: return repair_open_class(pattern, flags, out);
    case PCRE2_ERROR_QUANTIFIER_INVALID:
    case PCRE2_ERROR_VERB_UNKNOWN:
    case PCRE2_ERROR_ALPHA_ASSERTION_UNKNOWN: return repair_quantifier(pattern, at, out);
    case PCRE2_ERROR_QUANTIFIER_OUT_OF_ORDER:
    case PCRE2_ERROR_QUANTIFIER_TOO_BIG: return repair_count(pattern, flags, number, at, out);
    case PCRE2_ERROR_END_BACKSLASH: return repair_end(pattern, out);
    case PCRE2_ERROR_UNKNOWN_ESCAPE:
    case PCRE2_ERROR_UNSUPPORTED_ESCAPE_SEQUENCE: return repair_escape(pattern, at, out);
    case PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY: return repair_property(pattern, at, out);
    case PCRE2_ERROR_INVALID_AFTER_PARENS_QUERY: return repair_special_group(pattern, at, out);
    case PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH:
    case PCRE2_ERROR_LOOKBEHIND_TOO_LONG: return repair_look_behind(pattern, at, out);
    case PCRE2_ERROR_BAD_SUBPATTERN_REFERENCE:
        return "\\1, \\k<name> and the like stand for a group in parentheses that the pattern must have";
    case PCRE2_ERROR_DUPLICATE_SUBPATTERN_NAME: return "Each group needs a name of its own";
    case PCRE2_ERROR_BACKSLASH_C_CALLER_DISABLED: return "A character is written .";
    default: return "";
    }
}

/* What would be found, for these errors, if the pattern were text; empty for others. */
static const char *escaped_because(int number)
{
    switch (number) {
    case PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS:
        return "an opening parenthesis that is to be found as such is written \\(";
    case PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS:
        return "a closing parenthesis that is to be found as such is written \\)";
    case PCRE2_ERROR_MISSING_SQUARE_BRACKET: return "a bracket that is to be found as such is written \\[";
    case PCRE2_ERROR_QUANTIFIER_INVALID:
        return "a *, +, ? or { that is to be found as such is written with a backslash before it";
    case PCRE2_ERROR_VERB_UNKNOWN:
    case PCRE2_ERROR_ALPHA_ASSERTION_UNKNOWN:
        return "(* begins a special group; to be found as such it is written \\(\\*";
    default: return "";
    }
}

/* Mend what is wrong at `at`, then what else is wrong. */
static bool repair_all(struct hv_str pattern, uint32_t flags, int number, size_t at, const char **why,
                       struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf last = {0};
    hv_buf_init(&last, out->max);
    hv_buf_add_str(&last, pattern);
    for (int round = 0; round < ROUNDS; round++) {
        struct hv_str left = hv_buf_str(&last);
        hv_buf_clear(out);
        const char *reason = repair(left, flags, number, at < left.len ? at : left.len, out);
        *why = round ? *why : reason;
        if (!out->len) {
            *why = round || islower((unsigned char)**why) ? "" : *why;
            return false;
        }
        pcre2_code *code = pcre2_compile((PCRE2_SPTR)out->data, out->len, flags, &number, &at, NULL);
        pcre2_code_free(code);
        if (code)
            return true;
        hv_buf_clear(&last);
        hv_buf_add_str(&last, hv_buf_str(out));
    }
    *why = "";
    return false;
}

bool find_meant(struct hv_str pattern, uint32_t flags, int number, size_t at, const char **why, struct hv_buf *out)
{
    *why = escaped_because(number);
    if (**why && find_looks_like_text(pattern)) {
        escape_all(pattern, "()[]*+?|^$", out);
        if (is_valid(hv_buf_str(out), flags))
            return true;
    }
    bool known = repair_all(pattern, flags, number, at, why, out);
    if (!known)
        hv_buf_clear(out);
    return known;
}
