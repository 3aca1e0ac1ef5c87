/*
 * glob.c: see glob.h. The matcher keeps two places to go back to: the last '*' that stays inside a path component, and
 * the last "**" (or any '*' when slashes do not count). The first place where the part between two of them fits is
 * always as good as a later one, because the next star can take up the rest; so only the last of each kind is
 * tried again, the work is bounded by pattern × text, and nothing recurses.
 */
#include "text/glob.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { NO_PLACE = -1, CLASS_SHOWN = 20 };

/* What '?' and classes match one of: a byte or, where characters count, the character at `at`. Returns its length. */
static size_t unit_at(struct hv_str text, size_t at, bool characters, uint32_t *unit)
{
    *unit = (unsigned char)text.ptr[at];
    return characters && *unit > 127 ? utf8_decode(text, at, unit) : 1;
}

static uint32_t fold(uint32_t unit, bool icase)
{
    return icase && unit >= 'A' && unit <= 'Z' ? unit + ('a' - 'A') : unit;
}

static const struct named_class {
    const char *name;
    int (*test)(int character);
} named_classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/* Whether unit is in the class of that name: 1, 0, or -1 for an unknown name. What is over 127 is in none. */
static int in_named_class(struct hv_str name, uint32_t unit, bool icase)
{
    for (size_t i = 0; i < sizeof named_classes / sizeof *named_classes; i++) {
        if (!hv_str_is(name, named_classes[i].name))
            continue;
        bool is_case = hv_str_is(name, "upper") || hv_str_is(name, "lower");
        if (unit > 127)
            return 0;
        return icase && is_case ? isalpha((int)unit) != 0 : named_classes[i].test((int)unit) != 0;
    }
    return -1;
}

static bool in_range(uint32_t low, uint32_t high, uint32_t unit, bool icase)
{
    if (low <= unit && unit <= high)
        return true;
    if (!icase || unit > 127 || !isalpha((int)unit))
        return false;
    uint32_t other = unit ^ 0x20;
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
    uint32_t unit; /* what is looked for */
    bool characters, icase, matched;
    int64_t previous; /* what a range would start with; NO_PLACE after a range or a named class */
};

/* An escaped or plain member of the expression at bracket->at; false at the end of the pattern. */
static bool bracket_unit(struct bracket *bracket, uint32_t *unit)
{
    if (bracket->at < bracket->pattern.len && bracket->pattern.ptr[bracket->at] == '\\')
        bracket->at++;
    if (bracket->at >= bracket->pattern.len)
        return false;
    bracket->at += unit_at(bracket->pattern, bracket->at, bracket->characters, unit);
    return true;
}

/* One member of the expression: a range, a named class or one by itself. False when the expression is broken. */
static bool bracket_member(struct bracket *bracket)
{
    struct hv_str pattern = bracket->pattern;
    bool last = bracket->at + 1 >= pattern.len || pattern.ptr[bracket->at + 1] == ']';
    uint32_t unit, high;
    if (pattern.ptr[bracket->at] == '-' && bracket->previous != NO_PLACE && !last) {
        bracket->at++;
        if (!bracket_unit(bracket, &high))
            return false;
        bracket->matched |= in_range((uint32_t)bracket->previous, high, bracket->unit, bracket->icase);
        bracket->previous = NO_PLACE;
        return true;
    }
    if (pattern.ptr[bracket->at] == '[') {
        bool unclosed;
        size_t end = 0;
        struct hv_str name = class_name(pattern, bracket->at, &end, &unclosed);
        int in = name.ptr ? in_named_class(name, bracket->unit, bracket->icase) : 0;
        if (unclosed || in < 0)
            return false;
        if (name.ptr) {
            bracket->at = end;
            bracket->matched |= in;
            bracket->previous = NO_PLACE;
            return true;
        }
    }
    if (!bracket_unit(bracket, &unit))
        return false;
    bracket->matched |= fold(unit, bracket->icase) == fold(bracket->unit, bracket->icase);
    bracket->previous = unit;
    return true;
}

/* Match bracket->unit against the expression whose '[' stands at `at`. Returns the place after its ']', 0 if broken. */
static size_t match_bracket(struct bracket bracket, size_t at, bool *matched)
{
    struct hv_str pattern = bracket.pattern;
    bracket.at = at + 1;
    bracket.previous = NO_PLACE;
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

/* The place after the bracket expression at `at`, 0 if broken. */
static size_t skip_bracket(struct hv_str pattern, size_t at)
{
    bool ignored;
    return match_bracket((struct bracket){.pattern = pattern}, at, &ignored);
}

struct matcher {
    struct hv_str pattern, text;
    bool pathname, icase, characters;
    size_t p, t;
    /* Where to go on after a mismatch: the pattern place after the star, the text place it would reach next. */
    bool has_star, has_deep;
    size_t star_p, star_t, deep_p, deep_t;
};

/* Go back to a star and let it take one byte or character more. False when none can. */
static bool retry(struct matcher *m)
{
    if (m->has_star && m->star_t < m->text.len && m->text.ptr[m->star_t] != '/') {
        uint32_t unit;
        m->p = m->star_p;
        m->t = m->star_t += unit_at(m->text, m->star_t, m->characters, &unit);
        return true;
    }
    m->has_star = false;
    if (!m->has_deep || m->deep_t > m->text.len)
        return false;
    m->p = m->deep_p;
    m->t = m->deep_t;
    uint32_t unit;
    m->deep_t += m->deep_t < m->text.len ? unit_at(m->text, m->deep_t, m->characters, &unit) : 1;
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
    uint32_t unit;
    m->deep_t = m->t + (m->t < m->text.len ? unit_at(m->text, m->t, m->characters, &unit) : 1);
    /* The slash after "**" goes with it when it stands for no directory at all; tried first, then with its slash. */
    if (m->pathname && after < pattern.len && pattern.ptr[after] == '/') {
        m->p = after + 1;
        m->deep_t = m->t;
    }
}

/* Match one element of the pattern, no star, against what is at m->t. 1 matched, 0 not, -1 the pattern is broken. */
static int match_one(struct matcher *m)
{
    unsigned char byte = (unsigned char)m->text.ptr[m->t], wanted = (unsigned char)m->pattern.ptr[m->p];
    uint32_t unit;
    size_t taken = 1;
    bool matched;
    if (wanted == '?') {
        matched = !(m->pathname && byte == '/');
        taken = unit_at(m->text, m->t, m->characters, &unit);
        m->p++;
    } else if (wanted == '[') {
        taken = unit_at(m->text, m->t, m->characters, &unit);
        struct bracket bracket = {.pattern = m->pattern, .unit = unit, .characters = m->characters, .icase = m->icase};
        size_t end = match_bracket(bracket, m->p, &matched);
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
    m->t += taken;
    if (byte == '/' && m->pathname)
        m->has_star = false; /* a component is done: its star, which cannot cross the slash, is of no more use */
    return matched;
}

bool glob_match(struct hv_str pattern, struct hv_str text, unsigned flags)
{
    struct matcher m = {.pattern = pattern,
                        .text = text,
                        .pathname = flags & GLOB_PATHNAME,
                        .icase = flags & GLOB_ICASE,
                        .characters = flags & GLOB_CHARACTERS};
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
    size_t end = pattern.ptr[at] == '[' ? skip_bracket(pattern, at) : 0;
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
    for (size_t at = 0; at < pattern.len; at = skip_element(pattern, at))
        if (pattern.ptr[at] == '[' && !skip_bracket(pattern, at))
            return at;
    return SIZE_MAX;
}

enum hv_code glob_check_classes(struct hv_str pattern, struct hv_error *err)
{
    size_t at = find_unclosed(pattern), end = at, shown = 0;
    if (at == SIZE_MAX)
        return HV_OK;
    for (uint32_t unit; end < pattern.len && shown < CLASS_SHOWN; shown++)
        end += unit_at(pattern, end, true, &unit);
    hv_fail(err, HV_EINVAL, "The class \"%.*s\"%s at character %zu of the pattern is not closed or has an unknown name",
            HV_STR_ARG(hv_str_slice(pattern, at, end)), end < pattern.len ? "…" : "",
            utf8_count(hv_str_slice(pattern, 0, at)) + 1);
    hv_error_hint(err, "Close it with ], or write \"\\[\" for the character itself");
    return HV_EINVAL;
}

static enum hv_code check_pattern(struct hv_str pattern, struct hv_error *err)
{
    if (!pattern.len) {
        hv_fail(err, HV_EINVAL, "The pattern is empty");
        hv_error_hint(err, "Use \"**\" to match everything");
        return HV_EINVAL;
    }
    if (pattern.len > GLOB_PATTERN_MAX)
        return hv_fail(err, HV_ETOOBIG, "The pattern has %zu bytes, more than %d", pattern.len, GLOB_PATTERN_MAX);
    return glob_check_classes(pattern, err);
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
        return hv_fail(err, HV_ETOOBIG, "The braces of the pattern stand for more than %d patterns",
                       GLOB_ALTERNATIVES_MAX);
    if (deepest > GLOB_BRACES_MAX)
        return hv_fail(err, HV_ETOOBIG, "The pattern nests more than %d braces", GLOB_BRACES_MAX);
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
