/*
 * glob.h: patterns for names. glob_match is git's wildmatch; sets add braces and "!". Pure; any thread. Matching takes
 * at most pattern × text steps, whatever the pattern, no recursion and, for ordinary patterns, no allocation.
 */
#ifndef TEXT_GLOB_H
#define TEXT_GLOB_H

#include <helve/str.h>

enum {
    GLOB_PATHNAME = 1,   /* '*', '?' and classes do not match '/'; "**" between slashes matches any directories */
    GLOB_ICASE = 2,      /* ASCII letters match in either case */
    GLOB_BASENAME = 4,   /* glob_set_match only: a pattern without '/' is matched against the last component */
    GLOB_CHARACTERS = 8, /* '?' and classes match a character of UTF-8 (or what is shown as one U+FFFD), not a byte */
};

/*
 * The whole text matches pattern: '*', '?', "[a-z]", "[!x]", "[^x]", "[[:alpha:]]", '\' before a byte to be taken
 * literally; with GLOB_PATHNAME "**" with a slash or an end on both sides. An unclosed class or a '\' at the end
 * matches nothing.
 */
bool glob_match(struct hv_str pattern, struct hv_str text, unsigned flags);

/* pattern holds one of "*?[\": without, it can only match itself. */
bool glob_is_pattern(struct hv_str pattern);

/* The leading directories of pattern that have no wildcard ("src/lib" of "src/lib/x*.c"), "" when there are none. */
struct hv_str glob_fixed_directory(struct hv_str pattern);

struct glob_alternative {
    struct hv_str pattern;
};

/* A pattern of a tool with its braces expanded; "!" in front turns the whole around. */
struct glob_set {
    struct glob_alternative *alternatives;
    size_t count;
    bool negated;
};

enum { GLOB_ALTERNATIVES_MAX = 1024, GLOB_BRACES_MAX = 32, GLOB_PATTERN_MAX = 4096 };

/*
 * Expand "{a,b}" (nested; "\{" is literal; "{a}" and an unmatched brace stay as they are, as in bash) and a leading "!"
 * into set, in arena. HV_ETOOBIG over GLOB_PATTERN_MAX bytes, GLOB_ALTERNATIVES_MAX alternatives or GLOB_BRACES_MAX
 * nested braces; HV_EINVAL for an empty pattern or a class that is not closed.
 */
HV_MUST_CHECK enum hv_code glob_expand(struct hv_arena *arena, struct hv_str pattern, struct glob_set *set,
                                       struct hv_error *err);

/* Each "[" of pattern begins a class that is closed and known, else HV_EINVAL; the place is counted in characters. */
HV_MUST_CHECK enum hv_code glob_check_classes(struct hv_str pattern, struct hv_error *err);

/* Some alternative matches path (or none, when negated). */
bool glob_set_match(const struct glob_set *set, struct hv_str path, unsigned flags);

#endif
