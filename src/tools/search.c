/* search.c: see search.h. */
#include "tools/search.h"

#include "base/clock.h"
#include "base/path.h"
#include "fs/open.h"
#include "text/glob.h"
#include "tools/file_kind.h"

#include <ctype.h>
#include <fcntl.h>

enum { UNREADABLE_SHOWN = 5, UNREACHED_SHOWN = 5 };

static bool has_any_of(struct hv_str text, const char *bytes)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] && strchr(bytes, text.ptr[i]))
            return true;
    return false;
}

/* Nothing is there: what looks like a pattern or like several paths, may have been meant so. */
static enum hv_code fail_missing(struct search *search, struct hv_error *err)
{
    enum hv_code code = file_fail_missing(search->context, search->root, err);
    if (err && has_any_of(search->root, "*?{,")) {
        char hint[sizeof err->hint];
        memcpy(hint, err->hint, sizeof hint);
        hv_error_hint(
            err, "A path is that of one file or directory: wildcards go into Grep's glob or Glob's pattern. %s", hint);
    }
    return code;
}

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
        return fail_missing(search, err);
    if (!code && search->stat.kind != HV_FILE_DIRECTORY && search->stat.kind != HV_FILE_REGULAR)
        return file_fail_kind(search->root, search->stat.kind, err);
    return code;
}

enum hv_code search_open(const struct search *search, struct hv_str path, int *fd, struct hv_file_stat *stat,
                         struct hv_error *err)
{
    const struct hv_host *host = search->context->host;
    return host->open ? host->open(host, path, HV_FILE_REGULAR, fd, stat, err) : fs_open_regular(path, fd, stat, err);
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

/* Directories that could not be read, those that may be named by name. */
static void note_unreadable(const struct search *search, const struct fs_scan_outcome *outcome, struct hv_buf *out)
{
    size_t named = 0;
    hv_buf_addf(out, "[%zu director%s could not be read", outcome->unreadable, outcome->unreadable == 1 ? "y" : "ies");
    for (size_t i = 0; i < outcome->unreadable_named && named < UNREADABLE_SHOWN; i++) {
        struct hv_str name = outcome->unreadable_names[i].path, path = search->root;
        if (!hv_str_is(name, "."))
            path = path_join(search->context->arena, search->root, name);
        if (!hv_hides_path(search->context, path))
            hv_buf_addf(out, named++ ? ", %.*s" : ": %.*s", HV_STR_ARG(search_listed(search, path)));
    }
    hv_buf_add_cstr(out, named && named < outcome->unreadable ? ", …]\n" : "]\n");
}

/* Where the search ended before its time: the directories that were not, or not wholly, searched. */
static void note_unreached(const struct search *search, const struct fs_scan_outcome *outcome, struct hv_buf *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < outcome->unreached_named && shown < UNREACHED_SHOWN; i++) {
        struct hv_str name = outcome->unreached_names[i].path, path = search->root;
        if (!hv_str_is(name, "."))
            path = path_join(search->context->arena, search->root, name);
        if (!hv_hides_path(search->context, path))
            hv_buf_addf(out, shown++ ? ", %.*s" : "[Not, or not wholly, searched: %.*s",
                        HV_STR_ARG(search_listed(search, path)));
    }
    if (shown && outcome->unreached > shown)
        hv_buf_addf(out, " and %zu more", outcome->unreached - shown);
    if (shown)
        hv_buf_add_cstr(out, "]\n");
}

void search_note_outcome(const struct search *search, const struct fs_scan_outcome *outcome, struct hv_buf *out)
{
    if (outcome->rules_skipped)
        hv_buf_addf(out, "[%zu ignore file%s not honoured: all together they are too large]\n", outcome->rules_skipped,
                    outcome->rules_skipped == 1 ? " was" : "s were");
    if (outcome->rules_unreadable)
        hv_buf_addf(out, "[%s%zu ignore file%s not honoured: they cannot be read, are links, or are over 1 MB]\n",
                    outcome->rules_more ? "At least " : "", outcome->rules_unreadable,
                    outcome->rules_unreadable == 1 ? " was" : "s were");
    if (outcome->unreadable)
        note_unreadable(search, outcome, out);
    if (outcome->timed_out) {
        hv_buf_addf(out,
                    "[The time for a search (%d s) is over: this is not everything. Narrow the search with a deeper "
                    "path or a stricter pattern.]\n",
                    SEARCH_SECONDS);
        note_unreached(search, outcome, out);
    }
}

void search_note_ignored(const struct fs_scan_outcome *outcome, const char *way, struct hv_buf *out)
{
    if (outcome->ignored)
        hv_buf_addf(out, "[%s%zu entr%s left out by ignore files such as .gitignore%s]\n",
                    outcome->stopped || outcome->timed_out ? "At least " : "", outcome->ignored,
                    outcome->ignored == 1 ? "y was" : "ies were", way);
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

/*
 * A pattern with "./" or "/" in front is for the top only, one with the working directory in front for what it says of
 * that.
 */
static struct hv_str without_top(const struct search_filter *filter, struct hv_str pattern, bool *anchored)
{
    struct hv_str directory = filter->directory;
    *anchored = false;
    if (directory.len > 1 && hv_str_starts(pattern, directory) && pattern.len > directory.len + 1 &&
        pattern.ptr[directory.len] == '/')
        pattern = hv_str_slice(pattern, directory.len, pattern.len);
    for (size_t skip; pattern.len > 1 && (skip = pattern.ptr[0] == '/' ? 1 : hv_str_starts(pattern, HV_STR("./")) * 2);
         *anchored = true)
        pattern = hv_str_slice(pattern, skip, pattern.len);
    return pattern;
}

enum hv_code search_expand(struct hv_arena *arena, struct hv_str pattern, struct glob_set *set, struct hv_error *err)
{
    if (hv_str_starts(pattern, HV_STR("!")))
        pattern = hv_arena_join(arena, HV_STR("\\"), pattern);
    return glob_expand(arena, pattern, set, err);
}

static enum hv_code add_pattern(struct search_filter *filter, struct hv_arena *arena, struct hv_str pattern,
                                bool unwanted, struct hv_error *err)
{
    bool anchored;
    pattern = without_top(filter, pattern, &anchored);
    bool is_directory = pattern.len > 1 && pattern.ptr[pattern.len - 1] == '/';
    if (is_directory) /* all that it holds */
        pattern = unwanted ? hv_str_slice(pattern, 0, pattern.len - 1) : hv_arena_join(arena, pattern, HV_STR("**"));
    struct search_pattern **patterns = unwanted ? &filter->unwanted : &filter->wanted;
    size_t *count = unwanted ? &filter->unwanted_count : &filter->wanted_count;
    if (*count == SEARCH_PATTERNS_MAX)
        return hv_fail(err, HV_ETOOBIG, "More than %d patterns for file names", SEARCH_PATTERNS_MAX);
    if (!*patterns)
        *patterns = hv_arena_array(arena, struct search_pattern, SEARCH_PATTERNS_MAX);
    struct search_pattern *added = &(*patterns)[*count];
    *added = (struct search_pattern){0};
    enum hv_code code = search_expand(arena, pattern, &added->set, err);
    if (code)
        return code;
    added->anchored = anchored;
    added->directories = unwanted && is_directory;
    added->names_hidden = search_names_hidden(&added->set);
    ++*count;
    return HV_OK;
}

enum hv_code search_filter_add(struct search_filter *filter, struct hv_arena *arena, struct hv_str text,
                               struct hv_error *err)
{
    enum hv_code broken = glob_check_classes(text, err); /* of all of it, so that the place is right */
    if (broken)
        return broken;
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
    enum hv_code code = glob_check_classes(pattern, err);
    bool kept = hv_str_starts(pattern, HV_STR("!"));
    pattern = hv_str_slice(pattern, kept, pattern.len);
    if (code || !pattern.len)
        return code;
    code = add_pattern(filter, arena, pattern, true, err);
    if (!code)
        filter->unwanted[filter->unwanted_count - 1].kept = kept;
    return code;
}

bool search_names_hidden(const struct glob_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct hv_str rest = set->alternatives[i].pattern, part;
        while (hv_str_split(&rest, '/', &part))
            if (hv_str_starts(part, HV_STR(".")) || hv_str_starts(part, HV_STR("[.]")) ||
                hv_str_starts(part, HV_STR("\\.")))
                return true;
    }
    return false;
}

bool search_filter_names_hidden(const struct search_filter *filter)
{
    for (size_t i = 0; i < filter->wanted_count; i++)
        if (filter->wanted[i].names_hidden)
            return true;
    return false;
}

/* Some name on the path begins with a dot. */
static bool is_hidden(struct hv_str path)
{
    return hv_str_starts(path, HV_STR(".")) || hv_str_find(path, HV_STR("/."), 0) != SIZE_MAX;
}

static bool pattern_matches(const struct search_pattern *pattern, struct hv_str path, struct hv_str shown)
{
    unsigned flags = GLOB_PATHNAME | GLOB_CHARACTERS | (pattern->anchored ? 0 : GLOB_BASENAME);
    if (pattern->anchored && hv_str_starts(shown, HV_STR("/")))
        shown = hv_str_slice(shown, 1, shown.len);
    return glob_set_match(&pattern->set, path, flags) || glob_set_match(&pattern->set, shown, flags);
}

bool search_filter_unwanted(const struct search_filter *filter, struct hv_str path, struct hv_str shown,
                            bool is_directory)
{
    for (size_t i = filter->unwanted_count; i-- > 0;) { /* the last one that matches decides */
        const struct search_pattern *pattern = &filter->unwanted[i];
        if ((is_directory || !pattern->directories) && pattern_matches(pattern, path, shown))
            return !pattern->kept;
    }
    return false;
}

bool search_filter_match(const struct search_filter *filter, struct hv_str path, struct hv_str shown)
{
    if (search_filter_unwanted(filter, path, shown, false))
        return false;
    if (!filter->wanted_count)
        return true;
    bool hidden = !filter->hidden && is_hidden(path);
    for (size_t i = 0; i < filter->wanted_count; i++)
        if (!(hidden && !filter->wanted[i].names_hidden) && pattern_matches(&filter->wanted[i], path, shown))
            return true;
    return false;
}

static bool is_quoted(struct hv_str text)
{
    char quote = text.len > 1 ? text.ptr[0] : '\0';
    return (quote == '"' || quote == '\'' || quote == '`') && text.ptr[text.len - 1] == quote;
}

const char *search_doubt(struct hv_str patterns, bool separated)
{
    size_t open = 0;
    bool blank = false, several = false, comma = false, in_class = false, class = false, foreign = false, path = false;
    if (is_quoted(patterns))
        return "Quotes stand for themselves: a pattern is written without";
    for (size_t i = 0; i < patterns.len; i++) {
        char byte = patterns.ptr[i];
        char next = i + 1 < patterns.len ? patterns.ptr[i + 1] : '\0';
        path = path || (byte == '\\' && isalnum((unsigned char)next));
        several = several || (byte == ' ' && next == '*');
        i += byte == '\\';
        in_class = in_class ? byte != ']' : byte == '[';
        class = class || in_class;
        if (in_class)
            continue;
        foreign = foreign || byte == '|';
        foreign = foreign || (byte == '(' && i && strchr("@+?*!", patterns.ptr[i - 1]));
        open += byte == '{';
        open -= byte == '}' && open;
        blank = blank || byte == ' ';
        comma = comma || (byte == ',' && !open);
    }
    if (open)
        return "A { that no } closes stands for itself: a choice is written {a,b}";
    if (separated && blank && !comma)
        return "Several patterns are separated by commas: a blank stands for itself";
    if (!separated && comma)
        return "A choice is written {a,b}: a comma outside stands for itself";
    if (!separated && several)
        return "A choice is written {a,b}: a blank stands for itself";
    if (path)
        return "\\ takes the meaning from what follows: directories are divided by /";
    if (foreign)
        return "A choice is written {a,b}: ( ) and | stand for themselves";
    return separated && class ? "In a pattern, […] stands for one of the characters in it: a bracket in a name is "
                                "written \\["
                              : NULL;
}

const char *search_doubt_negation(struct hv_str pattern)
{
    bool is_foreign = hv_str_starts(pattern, HV_STR("!(")) && hv_str_ends(pattern, HV_STR(")"));
    return is_foreign ? "( ) stand for themselves: what is to be left out is written !*.c, or !*.{c,h}" : NULL;
}
