/*
 * pattern.c: ECMA-262 regular expressions on PCRE2. See pattern.h.
 *
 * The translation copies the source and rewrites only the constructs that PCRE2 would read in another way. It does
 * not check syntax: what is wrong stays wrong, and PCRE2 reports it.
 */
#include "schema/pattern.h"

#include "base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOURCE_MAX = 64 * 1024,
    HEAP_LIMIT = 16384, /* KiB */
};

struct pattern {
    pcre2_code *code;
    bool anchored; /* can only match at the start */
};

/* ECMA-262's white space and line ends, as the inside of a class, and all but them. */
#define SPACES "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACES                                                                                                      \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"                \
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/* ---- translation ------------------------------------------------------------------------------------- */

struct translation {
    struct hv_str source;
    size_t at; /* next byte to read */
    struct hv_buf out;
    bool in_class;
};

static const struct category {
    const char *name, *code;
} categories[] = {
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

static bool drop_prefix(struct hv_str *name, const char *prefix)
{
    if (!hv_str_starts(*name, hv_str_from(prefix)))
        return false;
    *name = hv_str_slice(*name, strlen(prefix), name->len);
    return true;
}

/* The name between the braces of \p{…} as PCRE2 spells it. */
static void put_property(struct hv_buf *out, struct hv_str name)
{
    if (drop_prefix(&name, "Script=") || drop_prefix(&name, "sc=")) {
        hv_buf_add_cstr(out, "sc:");
    } else if (drop_prefix(&name, "Script_Extensions=") || drop_prefix(&name, "scx=")) {
        hv_buf_add_cstr(out, "scx:");
    } else {
        if (!drop_prefix(&name, "General_Category="))
            drop_prefix(&name, "gc=");
        for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
            if (hv_str_is(name, categories[i].name))
                name = hv_str_from(categories[i].code);
    }
    hv_buf_add_str(out, name);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* count hexadecimal digits at offset from; false when there are fewer. */
static bool read_hex(struct hv_str source, size_t from, size_t count, uint32_t *value)
{
    *value = 0;
    if (from > source.len || source.len - from < count)
        return false;
    for (size_t i = from; i < from + count; i++) {
        if (hex_digit(source.ptr[i]) < 0)
            return false;
        *value = *value * 16 + (uint32_t)hex_digit(source.ptr[i]);
    }
    return true;
}

static void put_code_point(struct translation *t, uint32_t code_point)
{
    bool lone = code_point >= 0xd800 && code_point <= 0xdfff;
    if (!lone)
        hv_buf_addf(&t->out, "\\x{%x}", code_point);
    else if (!t->in_class)
        hv_buf_add_cstr(&t->out, "(?!)"); /* no UTF-8 text holds a lone surrogate */
}

/* "\uXXXX", two of them as one pair, or "\u{X…}"; t->at is behind the "u". */
static void put_unicode_escape(struct translation *t)
{
    uint32_t high, low;
    if (t->at < t->source.len && t->source.ptr[t->at] == '{') {
        size_t end = hv_str_find_byte(t->source, '}', t->at);
        if (end != SIZE_MAX && end - t->at - 1 <= 6 && read_hex(t->source, t->at + 1, end - t->at - 1, &high)) {
            put_code_point(t, high);
            t->at = end + 1;
            return;
        }
    }
    if (!read_hex(t->source, t->at, 4, &high)) {
        hv_buf_add_byte(&t->out, 'u');
        return;
    }
    t->at += 4;
    bool escape_follows = hv_str_starts(hv_str_slice(t->source, t->at, t->source.len), HV_STR("\\u"));
    if (high >= 0xd800 && high <= 0xdbff && escape_follows && read_hex(t->source, t->at + 2, 4, &low) &&
        low >= 0xdc00 && low <= 0xdfff) {
        high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        t->at += 6;
    }
    put_code_point(t, high);
}

static void put_space_escape(struct translation *t, bool negated)
{
    if (!t->in_class) {
        hv_buf_add_cstr(&t->out, negated ? "[^" SPACES "]" : "[" SPACES "]");
        return;
    }
    hv_buf_add_cstr(&t->out, negated ? NO_SPACES : SPACES);
    /* "[\s-x]": behind a set a hyphen is itself, behind our last range it would start another. */
    if (t->at < t->source.len && t->source.ptr[t->at] == '-') {
        hv_buf_add_cstr(&t->out, "\\-");
        t->at++;
    }
}

static void put_property_escape(struct translation *t, char letter)
{
    size_t end = hv_str_find_byte(t->source, '}', t->at);
    hv_buf_addf(&t->out, "\\%c", letter);
    if (t->at < t->source.len && t->source.ptr[t->at] == '{' && end != SIZE_MAX) {
        hv_buf_add_byte(&t->out, '{');
        put_property(&t->out, hv_str_slice(t->source, t->at + 1, end));
        hv_buf_add_byte(&t->out, '}');
        t->at = end + 1;
    }
}

/* t->at is behind the backslash, and there is a byte. */
static void put_escape(struct translation *t)
{
    char letter = t->source.ptr[t->at++];
    uint32_t value;
    switch (letter) {
    case 's': put_space_escape(t, false); break;
    case 'S': put_space_escape(t, true); break;
    case 'v': hv_buf_add_cstr(&t->out, "\\x{b}"); break;
    case 'u': put_unicode_escape(t); break;
    case 'p':
    case 'P': put_property_escape(t, letter); break;
    case 'x':
        if (read_hex(t->source, t->at, 2, &value)) {
            put_code_point(t, value);
            t->at += 2;
        } else {
            hv_buf_add_byte(&t->out, 'x');
        }
        break;
    default: hv_buf_addf(&t->out, "\\%c", letter); break;
    }
}

static void translate(struct translation *t)
{
    while (t->at < t->source.len) {
        char c = t->source.ptr[t->at++];
        if (c == '\\' && t->at < t->source.len) {
            put_escape(t);
        } else if (t->in_class && c == '[') {
            hv_buf_add_cstr(&t->out, "\\["); /* no POSIX names in ECMA-262 */
        } else if (!t->in_class && c == '.') {
            hv_buf_add_cstr(&t->out, "[^\\n\\r\\x{2028}\\x{2029}]");
        } else {
            if (c == '[' || c == ']')
                t->in_class = c == '[';
            hv_buf_add_byte(&t->out, c);
        }
    }
}

/* ---- compiling and matching -------------------------------------------------------------------------- */

static enum hv_code fail_compile(struct hv_error *err, struct hv_str source, int number)
{
    PCRE2_UCHAR reason[128] = "";
    pcre2_get_error_message(number, reason, sizeof reason);
    struct hv_str shown = hv_str_slice(source, 0, 200);
    shown.len -= utf8_incomplete_tail(shown);
    hv_fail(err, HV_EINVAL, "\"%.*s\" is no valid regular expression: %s", HV_STR_ARG(shown), (const char *)reason);
    return HV_EINVAL;
}

static pcre2_code *compile_translated(struct hv_str translated, int *number)
{
    PCRE2_SIZE offset;
    uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
                       PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    return pcre2_compile((PCRE2_SPTR)translated.ptr, translated.len, options, number, &offset, NULL);
}

enum hv_code pattern_compile(struct hv_str source, struct pattern **out, struct hv_error *err)
{
    if (source.len > SOURCE_MAX)
        return hv_fail(err, HV_ETOOBIG, "a regular expression of %zu bytes is over the limit of %d", source.len,
                       (int)SOURCE_MAX);
    if (hv_str_starts(source, HV_STR("(*")))
        return hv_fail(err, HV_EINVAL, "\"(*\" cannot start a regular expression: there is nothing to repeat");
    struct translation t = {.source = source, .out = {.max = 64 * (size_t)SOURCE_MAX}};
    int number = 0;
    translate(&t);
    pcre2_code *code = compile_translated(hv_buf_str(&t.out), &number);
    hv_buf_release(&t.out);
    if (!code)
        return fail_compile(err, source, number);
    uint32_t all_options = 0;
    pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &all_options);
    *out = hv_malloc(sizeof **out);
    **out = (struct pattern){code, (all_options & PCRE2_ANCHORED) != 0};
    return HV_OK;
}

void pattern_free(struct pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    free(pattern);
}

static bool is_ill_formed(int found)
{
    return found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21;
}

/*
 * One try, from the first `starts` places of text, with a bound on the matcher's steps at each of them (PCRE2 counts
 * anew at each place).
 */
static int try_match(const struct pattern *pattern, struct hv_str text, size_t starts, uint32_t limit)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    int found = PCRE2_ERROR_NOMEMORY;
    if (limits && match) {
        pcre2_set_match_limit(limits, limit);
        pcre2_set_heap_limit(limits, HEAP_LIMIT);
        pcre2_set_offset_limit(limits, starts - 1);
        found = pcre2_match(pattern->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, 0, 0, match, limits);
    }
    pcre2_match_data_free(match);
    pcre2_match_context_free(limits);
    return found;
}

enum pattern_answer pattern_find(const struct pattern *pattern, struct hv_str text, uint64_t *steps)
{
    /* Most texts are settled by a short look; only then is more work allowed, and paid for in advance. */
    static const struct {
        size_t starts;
        uint32_t limit;
    } stages[] = {{16, 100}, {SIZE_MAX, 50}, {SIZE_MAX, 2000}, {SIZE_MAX, 100000}};
    size_t places = pattern->anchored ? 1 : text.len + 1;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        size_t starts = stages[i].starts < places ? stages[i].starts : places;
        uint64_t price = 4 + (uint64_t)starts * stages[i].limit / 16 + (uint64_t)starts * text.len / 256;
        if (price > *steps)
            return PATTERN_TOO_COMPLEX;
        *steps -= price;
        int found = try_match(pattern, text, starts, stages[i].limit);
        if (found >= 0)
            return PATTERN_FOUND;
        if (found == PCRE2_ERROR_NOMATCH ? starts == places : is_ill_formed(found))
            return PATTERN_NOT_FOUND;
        if (found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_MATCHLIMIT)
            return PATTERN_TOO_COMPLEX;
    }
    return PATTERN_TOO_COMPLEX;
}
