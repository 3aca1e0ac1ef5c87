/* search.c: see search.h. */
#include "tools/search.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/open.h"
#include "text/glob.h"
#include "tools/file_kind.h"

#include <fcntl.h>

enum hv_code search_begin(struct search *search, struct hv_context *context, struct hv_str path, struct hv_error *err)
{
    *search = (struct search){.context = context, .root = path.len ? path : context->directory};
    uint64_t now = clock_monotonic_ns();
    search->deadline_ns = now + SEARCH_SECONDS * CLOCK_SECOND;
    if (context->deadline_ns && context->deadline_ns < search->deadline_ns)
        search->deadline_ns = context->deadline_ns;
    search->progress_ns = now + CLOCK_SECOND;
    const struct hv_host *host = context->host;
    enum hv_code code = host->stat(host, search->root, true, &search->stat, err);
    if (code == HV_ENOTFOUND)
        return file_fail_missing(context, search->root, err);
    if (!code && search->stat.kind != HV_FILE_DIRECTORY && search->stat.kind != HV_FILE_REGULAR)
        return file_fail_kind(search->root, search->stat.kind, err);
    return code;
}

bool search_is_over(const struct search *search)
{
    return hv_cancelled(search->context->cancel) || clock_monotonic_ns() >= search->deadline_ns;
}

void search_progress(struct search *search, size_t files, size_t found)
{
    uint64_t now = clock_monotonic_ns();
    if (now < search->progress_ns)
        return;
    search->progress_ns = now + CLOCK_SECOND;
    hv_progress(search->context, "%zu files looked at, %zu found", files, found);
}

void search_note_outcome(const struct fs_scan_outcome *outcome, struct hv_buf *out)
{
    if (outcome->rules_skipped)
        hv_buf_addf(out, "[%zu ignore file%s not honoured: all together they are too large]\n", outcome->rules_skipped,
                    outcome->rules_skipped == 1 ? " was" : "s were");
    if (outcome->unreadable)
        hv_buf_addf(out, "[%zu director%s could not be read]\n", outcome->unreadable,
                    outcome->unreadable == 1 ? "y" : "ies");
    if (outcome->timed_out)
        hv_buf_addf(out,
                    "[The time for a search (%d s) is over: this is not everything. Narrow the search with a deeper "
                    "path or a stricter pattern.]\n",
                    SEARCH_SECONDS);
}

void search_note_ignored(const struct fs_scan_outcome *outcome, struct hv_buf *out)
{
    if (outcome->ignored)
        hv_buf_addf(out, "[%zu entr%s left out by ignore files such as .gitignore]\n", outcome->ignored,
                    outcome->ignored == 1 ? "y was" : "ies were");
}

struct hv_str search_shown(const struct search *search, struct hv_str path)
{
    return file_shown_path(search->context, path);
}

struct hv_str search_listed(const struct search *search, struct hv_str path)
{
    return file_listed_name(search->context->arena, search_shown(search, path));
}

/* ---- patterns that choose files -------------------------------------------------------------------------- */

/* Where the pattern at the start of text ends: at a comma outside of braces and brackets. */
static size_t pattern_end(struct hv_str text)
{
    size_t braces = 0;
    bool bracket = false;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '\\')
            i++;
        else if (bracket)
            bracket = byte != ']';
        else if (byte == '[')
            bracket = hv_str_find_byte(text, ']', i) != SIZE_MAX;
        else if (byte == '{')
            braces++;
        else if (byte == '}' && braces)
            braces--;
        else if (byte == ',' && !braces)
            return i;
    }
    return text.len;
}

static enum hv_code add_pattern(struct search_filter *filter, struct hv_arena *arena, struct hv_str pattern,
                                bool unwanted, struct hv_error *err)
{
    while (hv_str_starts(pattern, HV_STR("./")))
        pattern = hv_str_slice(pattern, 2, pattern.len);
    if (pattern.len > 1 && pattern.ptr[pattern.len - 1] == '/') /* a directory: all that it holds */
        pattern = unwanted ? hv_str_slice(pattern, 0, pattern.len - 1) : hv_arena_join(arena, pattern, HV_STR("**"));
    struct glob_set **sets = unwanted ? &filter->unwanted : &filter->wanted;
    size_t *count = unwanted ? &filter->unwanted_count : &filter->wanted_count;
    if (*count == SEARCH_PATTERNS_MAX)
        return hv_fail(err, HV_ETOOBIG, "More than %d patterns for file names", SEARCH_PATTERNS_MAX);
    if (!*sets)
        *sets = hv_arena_array(arena, struct glob_set, SEARCH_PATTERNS_MAX);
    enum hv_code code = glob_expand(arena, pattern, &(*sets)[*count], err);
    if (!code)
        ++*count;
    return code;
}

enum hv_code search_filter_add(struct search_filter *filter, struct hv_arena *arena, struct hv_str text,
                               struct hv_error *err)
{
    while (text.len) {
        size_t end = pattern_end(text);
        struct hv_str pattern = hv_str_trim(hv_str_slice(text, 0, end));
        bool unwanted = hv_str_starts(pattern, HV_STR("!"));
        pattern = hv_str_slice(pattern, unwanted ? 1 : 0, pattern.len);
        enum hv_code code = pattern.len ? add_pattern(filter, arena, pattern, unwanted, err) : HV_OK;
        if (code)
            return code;
        text = hv_str_slice(text, end + 1, text.len);
    }
    return HV_OK;
}

enum hv_code search_filter_exclude(struct search_filter *filter, struct hv_arena *arena, struct hv_str pattern,
                                   struct hv_error *err)
{
    return pattern.len ? add_pattern(filter, arena, pattern, true, err) : HV_OK;
}

static bool matches_some(const struct glob_set *sets, size_t count, struct hv_str path, struct hv_str shown)
{
    unsigned flags = GLOB_PATHNAME | GLOB_BASENAME;
    for (size_t i = 0; i < count; i++)
        if (glob_set_match(&sets[i], path, flags) || glob_set_match(&sets[i], shown, flags))
            return true;
    return false;
}

bool search_filter_unwanted(const struct search_filter *filter, struct hv_str path, struct hv_str shown)
{
    return matches_some(filter->unwanted, filter->unwanted_count, path, shown);
}

bool search_filter_match(const struct search_filter *filter, struct hv_str path, struct hv_str shown)
{
    return !search_filter_unwanted(filter, path, shown) &&
           (!filter->wanted_count || matches_some(filter->wanted, filter->wanted_count, path, shown));
}
