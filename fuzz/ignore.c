/*
 * ignore.c: ignore files and paths: FLAGS RULES 0x1e PATH. All ways of asking agree, and the rule that is told decides
 * alone as it did among the others.
 */
#include "text/ignore.h"
#include "base/cleanup.h"
#include "parts.h"
#include "text/glob.h"

/* What the functions are promised: relative, tidy. */
static bool is_tidy(struct hv_str path)
{
    return path.len && path.ptr[0] != '/' && path.ptr[path.len - 1] != '/' &&
           hv_str_find(path, HV_STR("//"), 0) == SIZE_MAX && hv_str_find_byte(path, '\0', 0) == SIZE_MAX;
}

static void check_rule(struct hv_arena *arena, const struct ignore_list *list, struct hv_str path, bool is_directory,
                       unsigned flags)
{
    struct ignore_rule_text rule = {0};
    enum ignore_verdict verdict = ignore_match_rule(list, path, is_directory, &rule);
    FUZZ_CHECK(verdict == ignore_match(list, path, is_directory));
    FUZZ_CHECK((verdict == IGNORE_NONE) == (rule.line == 0));
    if (verdict != IGNORE_NONE) {
        /* Not at the beginning of a file, where a byte order mark is taken off, and ended by a NUL, as it may have
         * been: at the end of a file a "\r" before nothing is taken off. */
        struct hv_str line = hv_arena_join(arena, HV_STR("\n"), hv_arena_join(arena, rule.pattern, HV_STR("\0")));
        const struct ignore_list *alone = ignore_parse(arena, line, flags);
        FUZZ_CHECK(ignore_match(alone, path, is_directory) == verdict);
    }
}

/* One rule without anything that only ignore files know: "name" and "/path" are what glob_match says they are. */
static void check_plain(const struct ignore_list *list, struct hv_str rules, struct hv_str path, unsigned flags)
{
    bool path_rule = hv_str_starts(rules, HV_STR("/"));
    struct hv_str pattern = hv_str_slice(rules, path_rule, rules.len);
    for (size_t i = 0; i < rules.len; i++)
        if (strchr(" \r\n\xef", rules.ptr[i]) || (!path_rule && rules.ptr[i] == '/'))
            return; /* strchr finds the NUL, too */
    /* As git does, the part before the first wildcard is compared first, so that "a**" is "a" and a "**" of its own. */
    if (path_rule && hv_str_find(pattern, HV_STR("**"), 0) != SIZE_MAX)
        return;
    if (!pattern.len || hv_str_ends(pattern, HV_STR("/")) || strchr("!#", rules.ptr[0]))
        return;
    size_t slash = hv_str_rfind_byte(path, '/');
    struct hv_str text = path_rule || slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
    unsigned how = (path_rule ? GLOB_PATHNAME : 0) | (flags & IGNORE_ICASE ? GLOB_ICASE : 0);
    bool ignored = ignore_match(list, path, false) == IGNORE_IGNORED;
    FUZZ_CHECK(ignored == glob_match(pattern, text, how));
}

/* Path, or some directory above it, is ignored: what a walk over it would come to. */
static bool is_ignored(const struct ignore_chain *chain, struct hv_str path, bool is_directory)
{
    for (size_t slash = 0; (slash = hv_str_find_byte(path, '/', slash)) != SIZE_MAX; slash++)
        if (ignore_chain_match(chain, hv_str_slice(path, 0, slash), true) == IGNORE_IGNORED)
            return true;
    return ignore_chain_match(chain, path, is_directory) == IGNORE_IGNORED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (!size)
        return 0;
    struct hv_str rest = {(const char *)data + 1, size - 1};
    struct hv_str rules = fuzz_part(&arena, &rest), path = fuzz_part(&arena, &rest);
    unsigned flags = data[0] & 1 ? IGNORE_ICASE : 0;
    bool is_directory = data[0] & 2;
    const struct ignore_list *list = ignore_parse(&arena, rules, flags);
    const struct ignore_list *pattern = ignore_parse_pattern(&arena, rules, flags);
    if (!is_tidy(path))
        return 0;
    check_plain(list, rules, path, flags);
    check_rule(&arena, list, path, is_directory, flags);
    struct ignore_chain chain = {.list = list};
    FUZZ_CHECK(ignore_chain_match(&chain, path, is_directory) == ignore_match(list, path, is_directory));
    bool below = ignore_match_below(list, path, is_directory) == IGNORE_IGNORED;
    FUZZ_CHECK(is_ignored(&chain, path, is_directory) == below);
    FUZZ_CHECK(below || ignore_match(list, path, is_directory) != IGNORE_IGNORED);
    FUZZ_CHECK(ignore_match(pattern, path, is_directory) != IGNORE_INCLUDED);
    return 0;
}
