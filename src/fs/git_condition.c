/* git_condition.c: see git_condition.h. */
#include "fs/git_condition.h"

#include "text/glob.h"

/* What follows word in text; absent when text does not begin with it. */
static struct hv_str after(struct hv_str text, const char *word)
{
    struct hv_str head = hv_str_from(word);
    return hv_str_starts(text, head) ? hv_str_slice(text, head.len, text.len) : hv_str_of(NULL, 0);
}

/* "a/" means all that is below. */
static struct hv_str below(struct hv_arena *arena, struct hv_str pattern)
{
    return hv_str_ends(pattern, HV_STR("/")) ? hv_arena_format(arena, "%.*s**", HV_STR_ARG(pattern)) : pattern;
}

static bool starts(struct hv_str text, struct hv_str head, unsigned flags)
{
    struct hv_str begin = hv_str_slice(text, 0, head.len < text.len ? head.len : text.len);
    return flags & GLOB_ICASE ? hv_str_eq_nocase(begin, head) : hv_str_eq(begin, head);
}

/* What "./" stands for is compared byte by byte, whatever it holds; a home is taken as a pattern: both as in git. */
static bool directory_matches(struct hv_arena *arena, struct hv_str pattern, const struct git_situation *situation,
                              unsigned flags)
{
    struct hv_str fixed = HV_STR("");
    bool placed = hv_str_starts(pattern, HV_STR("./")) || hv_str_starts(pattern, HV_STR("~/"));
    if (!placed && !hv_str_starts(pattern, HV_STR("/")))
        pattern = hv_arena_format(arena, "**/%.*s", HV_STR_ARG(pattern));
    pattern = below(arena, pattern);
    if (hv_str_starts(pattern, HV_STR("./"))) {
        if (!situation->configuration.len)
            return false;
        fixed = hv_arena_format(arena, "%.*s/", HV_STR_ARG(situation->configuration));
        pattern = hv_str_slice(pattern, 2, pattern.len);
    } else if (hv_str_starts(pattern, HV_STR("~/"))) {
        if (!situation->home.len)
            return false;
        struct hv_str rest = hv_str_slice(pattern, 1, pattern.len);
        pattern = hv_arena_format(arena, "%.*s%.*s", HV_STR_ARG(situation->home), HV_STR_ARG(rest));
    }
    for (size_t i = 0; i < sizeof situation->directories / sizeof *situation->directories; i++) {
        struct hv_str directory = situation->directories[i];
        if (directory.len && starts(directory, fixed, flags) &&
            glob_match(pattern, hv_str_slice(directory, fixed.len, directory.len), flags))
            return true;
    }
    return false;
}

static bool some_url_matches(struct hv_str pattern, const struct git_situation *situation)
{
    for (size_t i = 0; i < situation->url_count; i++)
        if (glob_match(pattern, situation->urls[i], GLOB_PATHNAME))
            return true;
    return false;
}

bool git_condition_holds(struct hv_arena *arena, struct hv_str condition, const struct git_situation *situation)
{
    struct hv_str pattern = after(condition, "gitdir:");
    if (pattern.ptr)
        return directory_matches(arena, pattern, situation, GLOB_PATHNAME);
    pattern = after(condition, "gitdir/i:");
    if (pattern.ptr)
        return directory_matches(arena, pattern, situation, GLOB_PATHNAME | GLOB_ICASE);
    pattern = after(condition, "onbranch:");
    if (pattern.ptr)
        return situation->branch.len && glob_match(below(arena, pattern), situation->branch, GLOB_PATHNAME);
    pattern = after(condition, "hasconfig:remote.*.url:");
    return pattern.ptr && some_url_matches(pattern, situation);
}
