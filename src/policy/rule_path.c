/*
 * rule_path.c: see rule_path.h. A pattern becomes one or more readings, each a directory it starts at and the rest in
 * gitignore's language. Denials get more readings than permissions: the root of the file system beside the settings'
 * root, every depth for names and one-segment directories, and the place that the pattern's fixed part links to.
 */
#include "policy/rule_path.h"

#include "base/path.h"
#include "text/glob.h"

#include <string.h>

enum { READINGS_MAX = 16 };

/* The pattern while it is taken apart. */
struct parsing {
    const struct rule_bases *bases;
    struct hv_arena *arena;
    const struct rule *rule;
    struct rule_path readings[READINGS_MAX];
    size_t count;
};

static bool is_allow(const struct parsing *parsing)
{
    return parsing->rule->verdict == HV_ALLOW;
}

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, struct hv_str rest)
{
    return hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(hv_str_is(directory, "/") ? HV_STR("") : directory),
                           HV_STR_ARG(rest));
}

/* Only a pattern that starts with "/" has paths that must begin as it does. */
static struct hv_str reach_of(struct hv_arena *arena, struct hv_str base, struct hv_str pattern)
{
    if (!hv_str_starts(pattern, HV_STR("/")))
        return hv_arena_str(arena, base);
    pattern = hv_str_slice(pattern, 1, pattern.len);
    struct hv_str fixed = glob_is_pattern(pattern) ? glob_fixed_directory(pattern) : pattern;
    if (hv_str_ends(fixed, HV_STR("/")))
        fixed = hv_str_slice(fixed, 0, fixed.len - 1);
    return fixed.len ? join(arena, base, fixed) : hv_arena_str(arena, base);
}

/* Of a pattern that is but one name, the name. */
static struct hv_str name_of(struct hv_str pattern)
{
    while (hv_str_starts(pattern, HV_STR("**/")))
        pattern = hv_str_slice(pattern, 3, pattern.len);
    if (hv_str_ends(pattern, HV_STR("/")))
        pattern = hv_str_slice(pattern, 0, pattern.len - 1);
    bool one = hv_str_find_byte(pattern, '/', 0) == SIZE_MAX && hv_str_find_byte(pattern, '\\', 0) == SIZE_MAX;
    return one && pattern.len && !hv_str_is(pattern, ".") ? pattern : (struct hv_str){0};
}

static void add_reading(struct parsing *parsing, struct hv_str base, struct hv_str pattern)
{
    if (!base.len || parsing->count == READINGS_MAX)
        return;
    const struct ignore_list *list = NULL;
    if (pattern.len) {
        list = ignore_parse_pattern(parsing->arena, pattern, parsing->rule->ignores_case ? IGNORE_ICASE : 0);
        if (!list)
            return;
    }
    parsing->readings[parsing->count++] = (struct rule_path){
        .base = hv_arena_str(parsing->arena, base),
        .reach = reach_of(parsing->arena, base, pattern),
        .pattern = list,
        .text = list ? hv_arena_str(parsing->arena, pattern) : (struct hv_str){0},
        .name = hv_arena_str(parsing->arena, name_of(pattern)),
    };
}

/* ---- the text of a pattern --------------------------------------------------------------------------------------- */

/* "a//./b/../c/" becomes "a/c/"; a ".." too many climbs *base. */
static struct hv_str tidy_pattern(struct hv_arena *arena, struct hv_str pattern, struct hv_str *base)
{
    char *out = hv_arena_alloc(arena, pattern.len + 2);
    size_t len = 0;
    bool directory_only = hv_str_ends(pattern, HV_STR("/"));
    struct hv_str part;
    while (hv_str_split(&pattern, '/', &part)) {
        if (!part.len || hv_str_is(part, "."))
            continue;
        if (hv_str_is(part, "..")) {
            if (!len)
                *base = path_parent(*base);
            while (len && out[--len] != '/')
                ;
            continue;
        }
        if (len)
            out[len++] = '/';
        memcpy(out + len, part.ptr, part.len);
        len += part.len;
    }
    if (directory_only && len)
        out[len++] = '/';
    return (struct hv_str){out, len};
}

/* A "src" with two stars below it takes what "src" takes with all inside; two stars alone take everything and become
 * "". */
static struct hv_str cut_everything_below(struct hv_str pattern)
{
    while (hv_str_ends(pattern, HV_STR("/**")))
        pattern = hv_str_slice(pattern, 0, pattern.len - 3);
    return hv_str_is(pattern, "**") ? HV_STR("") : pattern;
}

/* ---- readings ---------------------------------------------------------------------------------------------------- */

/* A denial also holds where the fixed part of its pattern leads when links are followed. (A permission does not: the
 * link may have been put there by somebody else.) */
static void add_linked_reading(struct parsing *parsing, struct hv_str base, struct hv_str pattern)
{
    const struct hv_host *host = parsing->bases->host;
    if (!host || is_allow(parsing))
        return;
    bool literal = !glob_is_pattern(pattern);
    struct hv_str fixed = literal ? pattern : glob_fixed_directory(pattern), resolved;
    if (hv_str_ends(fixed, HV_STR("/")))
        fixed = hv_str_slice(fixed, 0, fixed.len - 1);
    struct hv_str written = fixed.len ? join(parsing->arena, base, fixed) : base;
    if (host->resolve(host, parsing->arena, written, &resolved, NULL) != HV_OK || hv_str_eq(resolved, written))
        return;
    struct hv_str rest = literal ? HV_STR("") : hv_str_slice(pattern, fixed.len ? fixed.len + 1 : 0, pattern.len);
    add_reading(parsing, resolved, rest.len ? hv_arena_join(parsing->arena, HV_STR("/"), rest) : rest);
}

/* pattern counts from base on, not at any depth. */
static void add_anchored(struct parsing *parsing, struct hv_str base, struct hv_str pattern)
{
    if (!base.len)
        return;
    pattern = cut_everything_below(tidy_pattern(parsing->arena, pattern, &base));
    add_reading(parsing, base, pattern.len ? hv_arena_join(parsing->arena, HV_STR("/"), pattern) : pattern);
    add_linked_reading(parsing, base, pattern);
}

static void add_anchored_at(struct parsing *parsing, const struct policy_path *base, struct hv_str pattern)
{
    add_anchored(parsing, base->written, pattern);
    if (base->resolved.len && !hv_str_eq(base->resolved, base->written))
        add_anchored(parsing, base->resolved, pattern);
}

static void add_from_root(struct parsing *parsing, struct hv_str root, struct hv_str pattern)
{
    const struct rule_bases *bases = parsing->bases;
    struct policy_path base = {.written = root};
    if (bases->host && bases->host->resolve(bases->host, parsing->arena, root, &base.resolved, NULL) != HV_OK)
        base.resolved = (struct hv_str){0};
    add_anchored_at(parsing, &base, pattern);
    /* Many write "/etc/x" and mean just that: a denial takes them at their word. */
    if (!is_allow(parsing))
        add_anchored(parsing, HV_STR("/"), pattern);
}

/* A name, or one directory with all below it, at every depth. */
static void add_any_depth(struct parsing *parsing, struct hv_str base, struct hv_str pattern)
{
    add_reading(parsing, base, cut_everything_below(pattern));
}

static bool is_one_directory(struct hv_str pattern)
{
    size_t slash = hv_str_find_byte(pattern, '/', 0);
    struct hv_str rest = slash == SIZE_MAX ? HV_STR("") : hv_str_slice(pattern, slash, pattern.len);
    return slash != 0 && (hv_str_is(rest, "/**") || hv_str_is(rest, "/")) && !hv_str_starts(pattern, HV_STR("**")) &&
           !hv_str_starts(pattern, HV_STR("."));
}

static void add_relative(struct parsing *parsing, struct hv_str root, struct hv_str pattern)
{
    const struct policy_path *directory = &parsing->bases->directory;
    bool bare = hv_str_find_byte(pattern, '/', 0) == SIZE_MAX && !hv_str_is(pattern, "..") && !hv_str_is(pattern, ".");
    bool anywhere = bare || hv_str_starts(pattern, HV_STR("**/"));
    if (!is_allow(parsing) && anywhere) {
        add_any_depth(parsing, HV_STR("/"), pattern);
    } else if (bare) {
        add_any_depth(parsing, directory->written, pattern);
        add_any_depth(parsing, directory->resolved, pattern);
    } else if (!is_allow(parsing) && is_one_directory(pattern)) {
        add_any_depth(parsing, directory->written, pattern);
        add_any_depth(parsing, directory->resolved, pattern);
        add_any_depth(parsing, root, pattern);
        add_anchored_at(parsing, directory, pattern);
    } else {
        add_anchored_at(parsing, directory, pattern);
    }
}

void rule_path_parse(const struct rule_bases *bases, struct hv_arena *arena, struct rule *rule, struct hv_str root)
{
    struct parsing parsing = {.bases = bases, .arena = arena, .rule = rule};
    struct hv_str pattern = rule->specifier;
    if (hv_str_starts(pattern, HV_STR("//")))
        add_anchored(&parsing, HV_STR("/"), pattern);
    else if (hv_str_is(pattern, "~") || hv_str_starts(pattern, HV_STR("~/")))
        add_anchored_at(&parsing, &bases->home, hv_str_slice(pattern, 1, pattern.len));
    else if (hv_str_starts(pattern, HV_STR("/")))
        add_from_root(&parsing, root, pattern);
    else
        add_relative(&parsing, root, pattern);
    struct rule_path *paths = hv_arena_array(arena, struct rule_path, parsing.count);
    if (parsing.count)
        memcpy(paths, parsing.readings, parsing.count * sizeof *paths);
    rule->paths = paths;
    rule->path_count = parsing.count;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

bool rule_path_below(struct hv_str path, struct hv_str base, bool ignores_case)
{
    if (!ignores_case)
        return path_inside(path, base);
    if (hv_str_is(base, "/"))
        return path.len && path.ptr[0] == '/';
    return base.len && path.len >= base.len && hv_str_eq_nocase(hv_str_slice(path, 0, base.len), base) &&
           (path.len == base.len || path.ptr[base.len] == '/');
}

static bool reading_takes(const struct rule *rule, const struct rule_path *reading, struct hv_str path, bool directory)
{
    if (!path.len || !rule_path_below(path, reading->reach, rule->ignores_case))
        return false;
    if (!reading->pattern)
        return true;
    size_t skip = reading->base.len + (hv_str_is(reading->base, "/") ? 0 : 1);
    struct hv_str relative = hv_str_slice(path, skip, path.len);
    return relative.len && ignore_match_below(reading->pattern, relative, directory) == IGNORE_IGNORED;
}

static bool any_reading_takes(const struct rule *rule, struct hv_str path, bool directory)
{
    for (size_t i = 0; i < rule->path_count; i++)
        if (reading_takes(rule, &rule->paths[i], path, directory))
            return true;
    return false;
}

bool rule_takes_path(const struct rule *rule, const struct policy_path *path)
{
    bool directory = path->kind == HV_FILE_DIRECTORY || (rule->verdict != HV_ALLOW && path->kind == HV_FILE_UNKNOWN);
    bool written = any_reading_takes(rule, path->written, directory);
    bool resolved =
        hv_str_eq(path->written, path->resolved) ? written : any_reading_takes(rule, path->resolved, directory);
    return rule->verdict == HV_ALLOW ? written && resolved : written || resolved;
}

/* ---- many files of one directory --------------------------------------------------------------------------------- */

/* What lies directly in directory may be taken, whatever its name. */
static bool reading_reaches(const struct rule *rule, const struct rule_path *reading, struct hv_str directory)
{
    struct hv_str above = path_parent(reading->reach);
    return !reading->name.len &&
           (rule_path_below(directory, reading->reach, rule->ignores_case) ||
            (above.len == directory.len && rule_path_below(above, directory, rule->ignores_case)));
}

bool rule_takes_by_name(const struct rule *rule, const struct policy_path *directory)
{
    for (size_t i = 0; i < rule->path_count; i++)
        if (reading_reaches(rule, &rule->paths[i], directory->written) ||
            reading_reaches(rule, &rule->paths[i], directory->resolved))
            return false;
    return true;
}

static void note_byte(bool *bytes, char byte)
{
    bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    bytes[(unsigned char)byte] = bytes[(unsigned char)(letter ? byte ^ 0x20 : byte)] = true;
}

void rule_names_note(struct rule_names *names, const struct rule *rule)
{
    for (size_t i = 0; i < rule->path_count; i++) {
        struct hv_str name = rule->paths[i].name;
        if (!name.len)
            continue;
        if (!strchr("*?[{", name.ptr[0]))
            note_byte(names->first, name.ptr[0]);
        else if (!strchr("*?]}", name.ptr[name.len - 1]))
            note_byte(names->last, name.ptr[name.len - 1]);
        else
            memset(names->first, true, sizeof names->first);
    }
}

bool rule_names_may_take(const struct rule_names *names, struct hv_str name)
{
    return name.len && (names->first[(unsigned char)name.ptr[0]] || names->last[(unsigned char)name.ptr[name.len - 1]]);
}
