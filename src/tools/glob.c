/*
 * glob.c: the tool Glob: files whose paths match a pattern, newest first. The walk begins at the directories that the
 * pattern names without a wildcard, so that "src/lib/x*.c" costs what src/lib costs. Several threads look; each keeps
 * the newest of its own, which are put together in the end. Memory is that of the files shown.
 */
#include "text/glob.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/newest.h"
#include "tools/file_kind.h"
#include "tools/tree.h"

#include <helve/tool.h>
#include <stdatomic.h>

enum { FILES_SHOWN = 100, OUTPUT_MAX = 8 << 20, PATH_ROOM_MAX = 1 << 24, CACHE_LINE = 64, PROGRESS_EVERY = 64 };

struct glob_input {
    struct hv_str pattern, path;
};

static const char *const pattern_aliases[] = {"glob_pattern", "glob", NULL};
static const char *const path_aliases[] = {"dir_path", "directory", "target_directory", NULL};

static const struct hv_field glob_fields[] = {
    {.name = "pattern",
     .description = "The pattern: `*` and `?` stay within a directory, `**` spans directories, `[a-z]`, `{a,b}`; a "
                    "leading `!` turns it around. Without a slash it is matched against file names at any depth",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct glob_input, pattern),
     .aliases = pattern_aliases,
     .maximum = GLOB_PATTERN_MAX},
    {.name = "path",
     .description = "The directory to search in; the working directory when not given",
     .type = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = offsetof(struct glob_input, path),
     .aliases = path_aliases},
    {0}};

/* What the input comes down to. */
struct plan {
    struct hv_str root;    /* where to walk, absolute */
    struct hv_str pattern; /* of paths relative to it */
    unsigned flags;
    bool negated; /* what does not match it */
};

/* A pattern as it is seen from base, where that stands in front of it; one of another place is left as it is. */
static struct hv_str seen_from(struct hv_str base, struct hv_str pattern)
{
    size_t skip = base.len > 1 ? base.len + 1 : 1;
    bool below = hv_str_starts(pattern, base) && pattern.len > skip && pattern.ptr[skip - 1] == '/';
    return below ? hv_str_slice(pattern, skip, pattern.len) : pattern;
}

static struct plan make_plan(const struct glob_input *in, const struct hv_context *context)
{
    struct hv_str pattern = in->pattern, base = in->path.len ? in->path : context->directory;
    bool is_anchored = false, is_negated = pattern.ptr[0] == '!';
    pattern = hv_str_slice(pattern, is_negated, pattern.len);
    bool is_home = hv_str_is(pattern, "~") || hv_str_starts(pattern, HV_STR("~/"));
    if (is_negated && (is_home || hv_str_starts(pattern, HV_STR("/")))) {
        if (is_home)
            pattern = hv_arena_join(context->arena, context->home, hv_str_slice(pattern, 1, pattern.len));
        pattern = seen_from(base, pattern);
        is_anchored = true;
    } else if (is_home) {
        base = context->home;
        pattern = hv_str_slice(pattern, 1, pattern.len);
        is_anchored = true;
    } else if (hv_str_starts(pattern, HV_STR("/"))) {
        base = HV_STR("/");
    }
    while (pattern.len > 1 && ((pattern.ptr[0] == '/' && !is_negated) || hv_str_starts(pattern, HV_STR("./")))) {
        pattern = hv_str_slice(pattern, pattern.ptr[0] == '/' ? 1 : 2, pattern.len);
        is_anchored = true;
    }
    struct hv_str fixed = is_negated ? HV_STR("") : glob_fixed_directory(pattern);
    if (fixed.len) {
        base = path_expand(context->arena, hv_arena_join(context->arena, HV_STR("./"), fixed), base, context->home);
        pattern = hv_str_slice(pattern, fixed.len + 1, pattern.len);
        is_anchored = true;
    }
    bool is_all = !pattern.len && !is_negated;
    if (is_all || hv_str_ends(pattern, HV_STR("/"))) /* a directory: all that it holds */
        pattern = hv_arena_join(context->arena, pattern, HV_STR("**"));
    return (struct plan){base, pattern, GLOB_PATHNAME | GLOB_CHARACTERS | (is_anchored ? 0 : GLOB_BASENAME),
                         is_negated};
}

/* What one thread has seen. The counters are its own to write; the first thread reads them to tell of progress. */
struct seen {
    _Alignas(CACHE_LINE) atomic_size_t files;
    atomic_size_t matches;
    struct fs_newest found;
    struct hv_buf path; /* of the entry at hand */
};

struct globbing {
    struct search search;
    struct glob_set set;
    unsigned flags;
    struct seen seen[FS_SCAN_THREADS_WORTH];
};

static void globbing_init(struct globbing *globbing)
{
    *globbing = (struct globbing){0};
    for (size_t i = 0; i < FS_SCAN_THREADS_WORTH; i++) {
        globbing->seen[i].found.max = FILES_SHOWN;
        hv_buf_init(&globbing->seen[i].path, PATH_ROOM_MAX);
    }
}

static void globbing_release(struct globbing *globbing)
{
    for (size_t i = 0; i < FS_SCAN_THREADS_WORTH; i++) {
        fs_newest_release(&globbing->seen[i].found);
        hv_buf_release(&globbing->seen[i].path);
    }
}

static void count(atomic_size_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* On the thread of the call only: progress is the context's, which belongs to it. */
static void tell_progress(struct globbing *globbing)
{
    size_t files = 0, matches = 0;
    for (size_t i = 0; i < FS_SCAN_THREADS_WORTH; i++) {
        files += atomic_load_explicit(&globbing->seen[i].files, memory_order_relaxed);
        matches += atomic_load_explicit(&globbing->seen[i].matches, memory_order_relaxed);
    }
    search_progress(&globbing->search, files, matches);
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *entry)
{
    struct globbing *globbing = user;
    struct seen *seen = &globbing->seen[entry->worker];
    int64_t mtime_ns;
    count(&seen->files);
    if (entry->worker == 0 && atomic_load_explicit(&seen->files, memory_order_relaxed) % PROGRESS_EVERY == 0)
        tell_progress(globbing);
    if (!glob_set_match(&globbing->set, entry->path, globbing->flags) || !tree_is_file(entry, &mtime_ns))
        return FS_SCAN_ON;
    struct hv_str path = tree_path(&globbing->search, entry, &seen->path);
    if (hv_hides_entry(globbing->search.context, path, entry->kind))
        return FS_SCAN_ON;
    count(&seen->matches);
    fs_newest_add(&seen->found, path, mtime_ns);
    return FS_SCAN_ON;
}

static bool has_class(struct hv_str pattern)
{
    for (size_t at = 0; at < pattern.len; at++)
        if (pattern.ptr[at] == '\\')
            at++;
        else if (pattern.ptr[at] == '[')
            return true;
    return false;
}

static void answer_nothing(const struct globbing *globbing, const struct glob_input *in, const struct plan *plan,
                           bool so_far, struct hv_buf *out)
{
    struct hv_context *context = globbing->search.context;
    hv_buf_addf(out, "No files match %.*s in %.*s%s.\n", HV_STR_ARG(in->pattern),
                HV_STR_ARG(file_listed_name(context->arena, in->path.len ? in->path : context->directory)),
                so_far ? " so far" : "");
    if (so_far)
        return;
    struct hv_file_stat stat;
    struct hv_str named = path_expand(context->arena, plan->pattern, plan->root, context->home);
    if (!glob_is_pattern(plan->pattern) && !context->host->stat(context->host, named, true, &stat, NULL) &&
        stat.kind == HV_FILE_DIRECTORY && !hv_hides_path(context, named))
        hv_buf_addf(out, "[%.*s is a directory: use %.*s/** for the files in it]\n", HV_STR_ARG(in->pattern),
                    HV_STR_ARG(in->pattern));
    if (has_class(in->pattern))
        hv_buf_add_cstr(out, "[In a pattern, […] stands for one of the characters in it: a bracket in a name is "
                             "written \\[]\n");
    const char *doubt = search_doubt(in->pattern, false);
    if (doubt)
        hv_buf_addf(out, "[%s]\n", doubt);
}

static void answer(struct globbing *globbing, const struct glob_input *in, const struct plan *plan,
                   const struct fs_scan_outcome *outcome, struct hv_result *result)
{
    struct search *search = &globbing->search;
    struct fs_newest *found = &globbing->seen[0].found;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, OUTPUT_MAX);
    for (size_t i = 1; i < FS_SCAN_THREADS_WORTH; i++)
        fs_newest_merge(found, &globbing->seen[i].found);
    fs_newest_sort(found);
    for (size_t i = 0; i < found->count; i++)
        hv_buf_addf(&out, "%.*s\n",
                    HV_STR_ARG(search_listed(search, hv_str_of(found->items[i].path, found->items[i].len))));
    const char *at_least = outcome->timed_out ? "at least " : "";
    if (found->total > found->count)
        hv_buf_addf(&out,
                    "[The %zu newest of %s%zu matching files are shown: %zu more. Narrow the pattern or the path.]\n",
                    found->count, at_least, found->total, found->total - found->count);
    if (!found->total) {
        answer_nothing(globbing, in, plan, outcome->timed_out, &out);
        search_note_ignored(outcome, "", &out);
    }
    const char *doubt = search_doubt_negation(in->pattern);
    if (doubt)
        hv_buf_addf(&out, "[%s]\n", doubt);
    search_note_outcome(search, outcome, &out);
    struct hv_arena *arena = search->context->arena;
    hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(&out)));
    result->summary = hv_arena_format(arena, "%s%zu file%s", at_least, found->total, found->total == 1 ? "" : "s");
}

/* The directory that the pattern names is not there: no fault, there are just no such files. */
static enum hv_code answer_missing(const struct glob_input *in, struct hv_context *context, const struct hv_error *err,
                                   struct hv_result *result)
{
    hv_result_addf(result, context->arena, "No files match %.*s: %s.%s%s", HV_STR_ARG(in->pattern), err->message,
                   err->hint[0] ? " " : "", err->hint);
    result->summary = HV_STR("0 files");
    return HV_OK;
}

/* How many levels down a match can lie; 0: there is no telling. */
static size_t deepest(const struct glob_set *set, unsigned flags)
{
    size_t depth = 0;
    if (set->negated || flags & GLOB_BASENAME)
        return 0;
    for (size_t i = 0; i < set->count; i++) {
        struct hv_str rest = set->alternatives[i].pattern, part;
        size_t parts = 0;
        if (hv_str_find(rest, HV_STR("**"), 0) != SIZE_MAX)
            return 0;
        while (hv_str_split(&rest, '/', &part))
            parts++;
        depth = parts > depth ? parts : depth;
    }
    return depth;
}

static enum hv_code glob_run(struct globbing *globbing, const struct glob_input *in, const struct plan *plan,
                             struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = globbing->search.context;
    enum hv_code code = glob_check_classes(in->pattern, err); /* of all of it, so that the place is right */
    if (!code)
        code = search_expand(context->arena, plan->pattern, &globbing->set, err);
    if (code) {
        hv_error_place(err, "pattern");
        return code;
    }
    globbing->set.negated = plan->negated;
    if (globbing->search.stat.kind != HV_FILE_DIRECTORY) {
        hv_fail(err, HV_EINVAL, "%.*s is a file, not a directory to search in", HV_STR_ARG(plan->root));
        hv_error_hint(err, "Give the directory that holds it, or use Read");
        return HV_EINVAL;
    }
    struct fs_scan_options options = tree_options(&globbing->search);
    options.hidden = !plan->negated && search_names_hidden(&globbing->set);
    options.depth_max = deepest(&globbing->set, plan->flags);
    globbing->flags = plan->flags;
    struct fs_scan_outcome outcome;
    code = tree_scan(&globbing->search, &options, visit, globbing, &outcome, err);
    if (!code && outcome.cancelled)
        code = hv_fail(err, HV_ECANCELLED, "The search was cancelled");
    if (!code)
        answer(globbing, in, plan, &outcome, result);
    return code;
}

static enum hv_code glob_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    const struct glob_input *in = input;
    struct plan plan = make_plan(in, context);
    struct hv_str asked = in->path.len ? in->path : context->directory;
    struct globbing globbing;
    globbing_init(&globbing);
    enum hv_code code = search_begin(&globbing.search, context, plan.root, err);
    if (code == HV_ENOTFOUND && !hv_str_eq(plan.root, asked) &&
        !context->host->stat(context->host, asked, true, &globbing.search.stat, NULL))
        code = answer_missing(in, context, err, result);
    else if (!code)
        code = glob_run(&globbing, in, &plan, result, err);
    globbing_release(&globbing);
    return code;
}

static void glob_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_read(out, context->arena, make_plan(input, context).root);
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void glob_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct glob_input *in = input;
    hv_buf_add_str(out, in->pattern);
    if (in->path.len)
        hv_buf_addf(out, " in %.*s", HV_STR_ARG(file_shown_path(context, in->path)));
}

static const char *const glob_aliases[] = {"list_files",  "glob",      "glob_search", "find_files",
                                           "file_search", "FindFiles", NULL};
static const char *const glob_rule_names[] = {"Read", NULL};

const struct hv_tool tool_glob = {
    .name = "Glob",
    .aliases = glob_aliases,
    .rule_names = glob_rule_names,
    .title = "Find files",
    .search_hint = "find files by name or path pattern",
    .description =
        "Finds files by a pattern of their paths, such as `**/*.c` or `src/**/{test,spec}_*.py`, newest first. At most "
        "100 are shown; the result says how many more there are. Files that ignore files (.gitignore, .ignore, "
        ".helveignore) exclude are left out, hidden ones too unless the pattern names them (`.github/**`). Links to "
        "directories are not followed. To search in the contents of files use Grep.",
    .guide =
        "Use Glob to find files by name and Grep to find them by content, rather than `find` or `ls -R` in a shell.",
    .fields = glob_fields,
    .input_size = sizeof(struct glob_input),
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = glob_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = glob_call,
    .render_use = glob_render_use,
};
