/*
 * glob.c: see glob.h. The matcher keeps two places to go back to: the last '*' that stays inside a path component, and
 * the last "**" (or any '*' when slashes do not count). The first place where the part between two of them fits is
 * always as good as a later one, because the next star can take up the rest; so only the last of each kind is
 * tried again, the work is bounded by pattern × text, and nothing recurses.
 */
#include "text/glob.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { NO_PLACE = -1 };

static unsigned char fold(unsigned char byte, bool icase)
{
    return icase && byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte + ('a' - 'A')) : byte;
}

static const struct named_class {
    const char *name;
    int (*test)(int character);
} named_classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/* Whether byte is in the class of that name: 1, 0, or -1 for an unknown name. Bytes over 127 are in none. */
static int in_named_class(struct hv_str name, unsigned char byte, bool icase)
{
    for (size_t i = 0; i < sizeof named_classes / sizeof *named_classes; i++) {
        if (!hv_str_is(name, named_classes[i].name))
            continue;
        bool is_case = hv_str_is(name, "upper") || hv_str_is(name, "lower");
        if (byte > 127)
            return 0;
        return icase && is_case ? isalpha(byte) != 0 : named_classes[i].test(byte) != 0;
    }
    return -1;
}

static bool in_range(unsigned char low, unsigned char high, unsigned char byte, bool icase)
{
    if (low <= byte && byte <= high)
        return true;
    if (!icase || byte > 127 || !isalpha(byte))
        return false;
    unsigned char other = (unsigned char)(byte ^ 0x20);
    return low <= other && other <= high;
}

/* The ":name:" of a "[:name:]" whose '[' stands at `at`; absent when it is none, *end past its ']'. */
static struct hv_str class_name(struct hv_str pattern, size_t at, size_t *end, bool *unclosed)
{
    *unclosed = false;
    if (at + 1 >= pattern.len || pattern.ptr[at + 1] != ':')
        return hv_str_of(NULL, 0);
    size_t close = hv_str_find_byte(pattern, ']', at + 2);
    *unclosed = close == SIZE_MAX;
    if (*unclosed || close < at + 3 || pattern.ptr[close - 1] != ':')
        return hv_str_of(NULL, 0);
    *end = close + 1;
    return hv_str_slice(pattern, at + 2, close - 1);
}

/* What one step through a bracket expression left behind. */
struct bracket {
    struct hv_str pattern;
    size_t at;
    unsigned char byte;
    bool icase, matched;
    int previous; /* what a range would start with; NO_PLACE after a range or a named class */
};

/* An escaped or plain byte of the expression at bracket->at; false at the end of the pattern. */
static bool bracket_byte(struct bracket *bracket, unsigned char *byte)
{
    if (bracket->at < bracket->pattern.len && bracket->pattern.ptr[bracket->at] == '\\')
        bracket->at++;
    if (bracket->at >= bracket->pattern.len)
        return false;
    *byte = (unsigned char)bracket->pattern.ptr[bracket->at++];
    return true;
}

/* One member of the expression: a range, a named class or a byte. False when the expression is broken. */
static bool bracket_member(struct bracket *bracket)
{
    struct hv_str pattern = bracket->pattern;
    bool last = bracket->at + 1 >= pattern.len || pattern.ptr[bracket->at + 1] == ']';
    unsigned char byte, high;
    if (pattern.ptr[bracket->at] == '-' && bracket->previous != NO_PLACE && !last) {
        bracket->at++;
        if (!bracket_byte(bracket, &high))
            return false;
        bracket->matched |= in_range((unsigned char)bracket->previous, high, bracket->byte, bracket->icase);
        bracket->previous = NO_PLACE;
        return true;
    }
    if (pattern.ptr[bracket->at] == '[') {
        bool unclosed;
        size_t end = 0;
        struct hv_str name = class_name(pattern, bracket->at, &end, &unclosed);
        int in = name.ptr ? in_named_class(name, bracket->byte, bracket->icase) : 0;
        if (unclosed || in < 0)
            return false;
        if (name.ptr) {
            bracket->at = end;
            bracket->matched |= in;
            bracket->previous = NO_PLACE;
            return true;
        }
    }
    if (!bracket_byte(bracket, &byte))
        return false;
    bracket->matched |= fold(byte, bracket->icase) == fold(bracket->byte, bracket->icase);
    bracket->previous = byte;
    return true;
}

/* Match byte against the bracket expression whose '[' stands at `at`. Returns the place after its ']', 0 if broken. */
static size_t match_bracket(struct hv_str pattern, size_t at, unsigned char byte, bool icase, bool *matched)
{
    struct bracket bracket = {.pattern = pattern, .at = at + 1, .byte = byte, .icase = icase, .previous = NO_PLACE};
    bool negated = bracket.at < pattern.len && (pattern.ptr[bracket.at] == '!' || pattern.ptr[bracket.at] == '^');
    bracket.at += negated;
    size_t first = bracket.at; /* a ']' here is a member */
    while (bracket.at < pattern.len && (pattern.ptr[bracket.at] != ']' || bracket.at == first))
        if (!bracket_member(&bracket))
            return 0;
    if (bracket.at >= pattern.len)
        return 0;
    *matched = bracket.matched != negated;
    return bracket.at + 1;
}

struct matcher {
    struct hv_str pattern, text;
    bool pathname, icase;
    size_t p, t;
    /* Where to go on after a mismatch: the pattern place after the star, the text place it would reach next. */
    bool has_star, has_deep;
    size_t star_p, star_t, deep_p, deep_t;
};

/* Go back to a star and let it take one byte more. False when none can. */
static bool retry(struct matcher *m)
{
    if (m->has_star && m->star_t < m->text.len && m->text.ptr[m->star_t] != '/') {
        m->p = m->star_p;
        m->t = ++m->star_t;
        return true;
    }
    m->has_star = false;
    if (!m->has_deep || m->deep_t > m->text.len)
        return false;
    m->p = m->deep_p;
    m->t = m->deep_t++;
    return true;
}

/* Stand at a '*': note the place to come back to. */
static void take_star(struct matcher *m)
{
    struct hv_str pattern = m->pattern;
    size_t before = m->p, after = m->p;
    while (after < pattern.len && pattern.ptr[after] == '*')
        after++;
    m->p = after;
    bool slash_before = before == 0 || pattern.ptr[before - 1] == '/';
    bool slash_after = after == pattern.len || pattern.ptr[after] == '/' ||
                       (pattern.ptr[after] == '\\' && after + 1 < pattern.len && pattern.ptr[after + 1] == '/');
    m->has_star = m->pathname && !(after - before > 1 && slash_before && slash_after);
    if (m->has_star) {
        m->star_p = after;
        m->star_t = m->t;
        return;
    }
    m->has_deep = true;
    m->deep_p = after;
    m->deep_t = m->t + 1;
    /* The slash after "**" goes with it when it stands for no directory at all; tried first, then with its slash. */
    if (m->pathname && after < pattern.len && pattern.ptr[after] == '/') {
        m->p = after + 1;
        m->deep_t = m->t;
    }
}

/* Match one element of the pattern, no star, against the byte at m->t. 1 matched, 0 not, -1 the pattern is broken. */
static int match_one(struct matcher *m)
{
    unsigned char byte = (unsigned char)m->text.ptr[m->t], wanted = (unsigned char)m->pattern.ptr[m->p];
    bool matched;
    if (wanted == '?') {
        matched = !(m->pathname && byte == '/');
        m->p++;
    } else if (wanted == '[') {
        size_t end = match_bracket(m->pattern, m->p, byte, m->icase, &matched);
        if (!end)
            return -1;
        matched = matched && !(m->pathname && byte == '/');
        m->p = end;
    } else {
        if (wanted == '\\') {
            if (++m->p >= m->pattern.len)
                return -1;
            wanted = (unsigned char)m->pattern.ptr[m->p];
        }
        matched = fold(wanted, m->icase) == fold(byte, m->icase);
        m->p++;
    }
    m->t++;
    if (byte == '/' && m->pathname)
        m->has_star = false; /* a component is done: its star, which cannot cross the slash, is of no more use */
    return matched;
}

bool glob_match(struct hv_str pattern, struct hv_str text, unsigned flags)
{
    struct matcher m = {
        .pattern = pattern, .text = text, .pathname = flags & GLOB_PATHNAME, .icase = flags & GLOB_ICASE};
    for (;;) {
        bool matched;
        if (m.p < pattern.len && pattern.ptr[m.p] == '*') {
            take_star(&m);
            continue;
        }
        if (m.p == pattern.len && m.t == text.len)
            return true;
        if (m.p == pattern.len || m.t >= text.len) {
            matched = false;
        } else {
            int one = match_one(&m);
            if (one < 0)
                return false;
            matched = one;
        }
        if (!matched && !retry(&m))
            return false;
    }
}

bool glob_is_pattern(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.ptr[i] && strchr("*?[\\", pattern.ptr[i]))
            return true;
    return false;
}

struct hv_str glob_fixed_directory(struct hv_str pattern)
{
    size_t end = 0;
    for (size_t i = 0; i < pattern.len && !(pattern.ptr[i] && strchr("*?[\\{!", pattern.ptr[i])); i++)
        if (pattern.ptr[i] == '/')
            end = i;
    return hv_str_slice(pattern, 0, end);
}

/* ---- braces ---- */

/* A '{' and its partner, with a comma of their own between them. */
struct braces {
    size_t open, close;
    bool found;
};

/* The place after an escaped byte, a bracket expression or a plain byte at `at`. */
static size_t skip_element(struct hv_str pattern, size_t at)
{
    if (pattern.ptr[at] == '\\')
        return at + 2 < pattern.len ? at + 2 : pattern.len;
    bool ignored;
    size_t end = pattern.ptr[at] == '[' ? match_bracket(pattern, at, 0, false, &ignored) : 0;
    return end ? end : at + 1;
}

/* The partner of the '{' at open, SIZE_MAX when it has none; *comma when one stands at its own depth. */
static size_t closing_brace(struct hv_str pattern, size_t open, bool *comma, size_t *deepest)
{
    size_t depth = 0;
    *comma = false;
    for (size_t at = open; at < pattern.len; at = skip_element(pattern, at)) {
        char byte = pattern.ptr[at];
        if (byte == '{') {
            if (++depth > *deepest)
                *deepest = depth;
        } else if (byte == '}' && --depth == 0) {
            return at;
        } else if (byte == ',' && depth == 1) {
            *comma = true;
        }
    }
    return SIZE_MAX;
}

/* The first pair of braces at or after from with a comma in it. */
static struct braces find_braces(struct hv_str pattern, size_t from, size_t *deepest)
{
    unsigned unmatched = 0;
    for (size_t at = from; at < pattern.len; at = skip_element(pattern, at)) {
        bool comma;
        if (pattern.ptr[at] != '{')
            continue;
        size_t close = closing_brace(pattern, at, &comma, deepest);
        if (close != SIZE_MAX && comma)
            return (struct braces){at, close, true};
        if (close == SIZE_MAX && ++unmatched > GLOB_BRACES_MAX)
            break; /* thousands of open braces would make this quadratic; they stay literal */
    }
    return (struct braces){0};
}

/* prefix + one alternative + rest, for each alternative between the braces, pushed to list in order. */
static bool expand_once(struct hv_arena *arena, struct hv_str pattern, struct braces braces, struct hv_str *list,
                        size_t *count)
{
    size_t begin = braces.open + 1, depth = 0;
    for (size_t at = begin;; at = skip_element(pattern, at)) {
        char byte = pattern.ptr[at];
        bool end = at == braces.close;
        if (end || (byte == ',' && !depth)) {
            if (*count == GLOB_ALTERNATIVES_MAX)
                return false;
            struct hv_str parts[] = {hv_str_slice(pattern, 0, braces.open), hv_str_slice(pattern, begin, at),
                                     hv_str_slice(pattern, braces.close + 1, pattern.len)};
            list[(*count)++] = hv_arena_join(arena, hv_arena_join(arena, parts[0], parts[1]), parts[2]);
            begin = at + 1;
            if (end)
                return true;
        }
        depth += byte == '{';
        depth -= byte == '}' && depth;
    }
}

/* Expand the first braces of each of *count patterns in list. Returns whether any had some; false in *fits when full.
 */
static bool expand_pass(struct hv_arena *arena, struct hv_str *list, size_t *count, size_t *deepest, bool *fits)
{
    struct hv_str *next = hv_arena_array(arena, struct hv_str, GLOB_ALTERNATIVES_MAX);
    size_t next_count = 0;
    bool any = false;
    for (size_t i = 0; i < *count && *fits; i++) {
        struct braces braces = find_braces(list[i], 0, deepest);
        any |= braces.found;
        if (braces.found)
            *fits = expand_once(arena, list[i], braces, next, &next_count);
        else if ((*fits = next_count < GLOB_ALTERNATIVES_MAX))
            next[next_count++] = list[i];
    }
    if (*fits) {
        memcpy(list, next, next_count * sizeof *next);
        *count = next_count;
    }
    return any && *fits;
}

/* Offset of a '[' that no ']' closes, or SIZE_MAX. */
static size_t find_unclosed(struct hv_str pattern)
{
    for (size_t at = 0; at < pattern.len; at = skip_element(pattern, at)) {
        bool ignored;
        if (pattern.ptr[at] == '[' && !match_bracket(pattern, at, 0, false, &ignored))
            return at;
    }
    return SIZE_MAX;
}

static enum hv_code check_pattern(struct hv_str pattern, struct hv_error *err)
{
    if (!pattern.len) {
        hv_fail(err, HV_EINVAL, "the pattern is empty");
        hv_error_hint(err, "Use \"**\" to match everything.");
        return HV_EINVAL;
    }
    if (pattern.len > GLOB_PATTERN_MAX)
        return hv_fail(err, HV_ETOOBIG, "the pattern has %zu bytes, more than %d", pattern.len, GLOB_PATTERN_MAX);
    size_t unclosed = find_unclosed(pattern);
    if (unclosed != SIZE_MAX) {
        hv_fail(err, HV_EINVAL,
                "the class that begins with '[' at byte %zu of the pattern is not closed or has an unknown name",
                unclosed + 1);
        hv_error_hint(err, "Close it with ']', or write \"\\[\" for the character itself.");
        return HV_EINVAL;
    }
    return HV_OK;
}

enum hv_code glob_expand(struct hv_arena *arena, struct hv_str pattern, struct glob_set *set, struct hv_error *err)
{
    bool negated = pattern.len && pattern.ptr[0] == '!';
    pattern = hv_str_slice(pattern, negated, pattern.len);
    enum hv_code code = check_pattern(pattern, err);
    if (code)
        return code;
    struct hv_str *list = hv_arena_array(arena, struct hv_str, GLOB_ALTERNATIVES_MAX);
    list[0] = hv_arena_str(arena, pattern);
    size_t count = 1, deepest = 0;
    bool fits = true;
    while (expand_pass(arena, list, &count, &deepest, &fits) && deepest <= GLOB_BRACES_MAX)
        continue;
    if (!fits)
        return hv_fail(err, HV_ETOOBIG, "the braces of the pattern stand for more than %d patterns",
                       GLOB_ALTERNATIVES_MAX);
    if (deepest > GLOB_BRACES_MAX)
        return hv_fail(err, HV_ETOOBIG, "the pattern nests more than %d braces", GLOB_BRACES_MAX);
    set->alternatives = hv_arena_array(arena, struct glob_alternative, count);
    for (size_t i = 0; i < count; i++)
        set->alternatives[i].pattern = list[i];
    set->count = count;
    set->negated = negated;
    return HV_OK;
}

static bool alternative_matches(struct hv_str pattern, struct hv_str path, unsigned flags)
{
    if ((flags & GLOB_BASENAME) && hv_str_find_byte(pattern, '/', 0) == SIZE_MAX) {
        size_t slash = hv_str_rfind_byte(path, '/');
        path = slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
    }
    return glob_match(pattern, path, flags);
}

bool glob_set_match(const struct glob_set *set, struct hv_str path, unsigned flags)
{
    for (size_t i = 0; i < set->count; i++)
        if (alternative_matches(set->alternatives[i].pattern, path, flags))
            return !set->negated;
    return set->negated;
}
