/*
 * grep.c: the tool Grep: a regular expression over the files of a tree, in process. The walk hands over one file after
 * the other; line_scan finds the lines; here they become an answer with caps. Memory is that of the answer.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/open.h"
#include "tools/file_kind.h"
#include "tools/file_types.h"
#include "tools/line_scan.h"
#include "tools/search.h"

#include <fcntl.h>
#include <helve/tool.h>
#include <sys/stat.h>

enum {

    HEAD_LIMIT_MAX = 100000,
    OFFSET_MAX = 1000000,
    CONTEXT_MAX = 1000,
    LINE_SHOWN = 500,  /* bytes of a long line */
    LINE_BEFORE = 120, /* of these, before the match */
    OUTPUT_MAX = 64 << 20,
    OUTPUT_SPARE = 64 << 10,
};

enum output_mode { FILES_WITH_MATCHES = 1, CONTENT, COUNT };

struct grep_input {
    struct hv_str pattern, path, glob, type;
    int output_mode;
    int64_t after, before, around;
    bool has_after, has_before;
    bool numbers, ignore_case, multiline, fixed_strings, no_ignore, hidden;
    int64_t head_limit, offset;
};

static const char *const pattern_aliases[] = {"query", "regex", "search", NULL};
static const char *const path_aliases[] = {"dir_path", "directory", NULL};
static const char *const glob_aliases[] = {"include", "include_pattern", "file_pattern", NULL};
static const char *const type_aliases[] = {"file_type", NULL};
static const char *const mode_aliases[] = {"mode", NULL};
static const char *const mode_values[] = {"files_with_matches", "content", "count", NULL};
static const char *const after_aliases[] = {"after_context", "after", NULL};
static const char *const before_aliases[] = {"before_context", "before", NULL};
static const char *const around_aliases[] = {"context", "context_lines", NULL};
static const char *const number_aliases[] = {"line_numbers", NULL};
static const char *const case_aliases[] = {"ignore_case", "case_insensitive", NULL};
static const char *const fixed_aliases[] = {"literal_text", "literal", NULL};
static const char *const limit_aliases[] = {"max_results", "limit", NULL};

static const struct hv_field grep_fields[] = {
    {.name = "pattern",
     .description = "A regular expression in the syntax of PCRE2 (look-around and back-references included)",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct grep_input, pattern),
     .aliases = pattern_aliases,
     .maximum = 65536},
    {.name = "path",
     .description = "A file, or the directory to search in; the working directory when not given",
     .type = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = offsetof(struct grep_input, path),
     .aliases = path_aliases},
    {.name = "glob",
     .description = "Only files whose names or paths match, such as `*.{ts,tsx}` or `src/**/*.c`; `!` in front leaves "
                    "matching ones out; several are separated by commas",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct grep_input, glob),
     .aliases = glob_aliases},
    {.name = "type",
     .description = "Only files of this type: c, cpp, py, js, ts, go, rust, java, md, json, …",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct grep_input, type),
     .aliases = type_aliases},
    {.name = "output_mode",
     .description =
         "files_with_matches: paths, newest first; content: the matching lines; count: how many in each file",
     .type = HV_FIELD_ENUM,
     .offset = offsetof(struct grep_input, output_mode),
     .aliases = mode_aliases,
     .values = mode_values,
     .fallback = "\"files_with_matches\""},
    {.name = "-A",
     .description = "Lines to show after each match (content)",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, after),
     .present = 1 + offsetof(struct grep_input, has_after),
     .aliases = after_aliases,
     .minimum = 0,
     .maximum = CONTEXT_MAX},
    {.name = "-B",
     .description = "Lines to show before each match (content)",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, before),
     .present = 1 + offsetof(struct grep_input, has_before),
     .aliases = before_aliases,
     .minimum = 0,
     .maximum = CONTEXT_MAX},
    {.name = "-C",
     .description = "Lines to show before and after each match (content)",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, around),
     .aliases = around_aliases,
     .minimum = 0,
     .maximum = CONTEXT_MAX},
    {.name = "-n",
     .description = "Show line numbers (content)",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, numbers),
     .aliases = number_aliases,
     .fallback = "true"},
    {.name = "-i",
     .description = "Ignore case",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, ignore_case),
     .aliases = case_aliases},
    {.name = "multiline",
     .description = "Let matches span lines; `.` matches line ends, too",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, multiline)},
    {.name = "fixed_strings",
     .description = "Take the pattern as plain text",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, fixed_strings),
     .aliases = fixed_aliases},
    {.name = "head_limit",
     .description = "How many lines (content) or files to show; 0 for all",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, head_limit),
     .aliases = limit_aliases,
     .minimum = 0,
     .maximum = HEAD_LIMIT_MAX,
     .fallback = "250"},
    {.name = "offset",
     .description = "How many lines (content) or files to leave out first, to go on after an earlier answer",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, offset),
     .minimum = 0,
     .maximum = OFFSET_MAX},
    {.name = "no_ignore",
     .description = "Search what ignore files exclude, too",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, no_ignore)},
    {.name = "hidden",
     .description = "Search hidden files and directories, too",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, hidden)},
    {0}};

/* One call under way. */
struct grepping {
    struct search search;
    const struct grep_input *in;
    struct search_filter filter;
    const struct file_type *type;
    struct line_scan scan;
    struct newest newest; /* files_with_matches */
    struct hv_buf out;
    size_t skip, room; /* entries still to be left out, and to be shown */
    bool full;         /* there was one more than could be shown */
    size_t files, files_found, matches, binary, unreadable;
    size_t in_pieces, cut; /* files in which something may have been missed */
    /* The file at hand. */
    struct hv_str path; /* absolute */
    bool checked, hidden;
    bool printed;     /* something of it */
    bool any_printed; /* of all files */
};

/* ---- showing --------------------------------------------------------------------------------------------- */

static bool is_hidden(struct grepping *grepping)
{
    if (!grepping->checked)
        grepping->hidden = hv_hides_path(grepping->search.context, grepping->path);
    grepping->checked = true;
    return grepping->hidden;
}

/* Whether the next entry is to be shown; *full is set when it would be one too many. */
static bool takes_entry(struct grepping *grepping)
{
    if (grepping->skip) {
        grepping->skip--;
        return false;
    }
    if (!grepping->room || grepping->out.len > OUTPUT_MAX - OUTPUT_SPARE) {
        grepping->full = true;
        return false;
    }
    grepping->room--;
    return true;
}

static bool inside_character(struct hv_str text, size_t at)
{
    return at < text.len && (text.ptr[at] & 0xc0) == 0x80;
}

/* The line, or of a long one what lies around the match. */
static void print_text(struct hv_str text, size_t match, struct hv_buf *out)
{
    if (text.len <= LINE_SHOWN) {
        hv_buf_add_str(out, text);
        return;
    }
    size_t from = match > LINE_BEFORE ? match - LINE_BEFORE : 0;
    if (text.len - from < LINE_SHOWN)
        from = text.len - LINE_SHOWN;
    size_t until = from + LINE_SHOWN;
    for (int i = 0; i < 3 && from && inside_character(text, from); i++)
        from++;
    for (int i = 0; i < 3 && inside_character(text, until); i++)
        until--;
    if (from)
        hv_buf_addf(out, "[… %zu bytes] ", from);
    hv_buf_add_str(out, hv_str_slice(text, from, until));
    if (until < text.len)
        hv_buf_addf(out, " [… %zu bytes]", text.len - until);
}

static bool show_line(void *user, const struct scan_line *line)
{
    struct grepping *grepping = user;
    struct hv_buf *out = &grepping->out;
    if (is_hidden(grepping))
        return false;
    if (!takes_entry(grepping))
        return !grepping->full;
    bool with_context = grepping->scan.before || grepping->scan.after;
    if (with_context && grepping->any_printed && (!grepping->printed || line->after_gap))
        hv_buf_add_cstr(out, "--\n");
    grepping->printed = grepping->any_printed = true;
    char mark = line->is_match ? ':' : '-';
    hv_buf_add_str(out, search_listed(&grepping->search, grepping->path));
    hv_buf_add_byte(out, mark);
    if (grepping->in->numbers)
        hv_buf_addf(out, "%zu%c", line->number, mark);
    print_text(line->text, line->from, out);
    hv_buf_add_byte(out, '\n');
    return true;
}

/* A file with matches was searched: take it up as the mode wants it. */
static void note_file(struct grepping *grepping, size_t matches, int64_t mtime_ns)
{
    if (is_hidden(grepping))
        return;
    grepping->files_found++;
    grepping->matches += matches;
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        newest_add(&grepping->newest, grepping->path, mtime_ns);
    else if (grepping->in->output_mode == COUNT && takes_entry(grepping))
        hv_buf_addf(&grepping->out, "%.*s:%zu\n", HV_STR_ARG(search_listed(&grepping->search, grepping->path)),
                    matches);
}

/* ---- searching ------------------------------------------------------------------------------------------- */

static bool stop(void *user)
{
    struct grepping *grepping = user;
    search_progress(&grepping->search, grepping->files, grepping->files_found);
    return search_is_over(&grepping->search);
}

static enum scan_end search_file(struct grepping *grepping, int fd, int64_t mtime_ns)
{
    size_t matches = 0;
    grepping->checked = grepping->printed = false;
    grepping->files++;
    enum scan_end end = line_scan_file(&grepping->scan, fd, &matches);
    if (matches)
        note_file(grepping, matches, mtime_ns);
    else
        grepping->binary += end == SCAN_BINARY;
    grepping->unreadable += end == SCAN_FAILED;
    bool all_seen = end == SCAN_ENOUGH || (!grepping->scan.in_pieces && !grepping->scan.is_cut) || is_hidden(grepping);
    grepping->in_pieces += !all_seen && grepping->scan.in_pieces && grepping->in->multiline;
    grepping->cut += !all_seen && grepping->scan.is_cut;
    return end;
}

static enum fs_walk_action visit(void *user, const struct fs_walk_entry *entry)
{
    struct grepping *grepping = user;
    grepping->path = search_entry_path(&grepping->search, entry);
    struct hv_str shown = search_shown(&grepping->search, grepping->path);
    if (entry->kind == HV_FILE_DIRECTORY)
        return search_filter_unwanted(&grepping->filter, entry->path, shown) ? FS_WALK_SKIP : FS_WALK_ON;
    if (entry->kind != HV_FILE_REGULAR || !search_filter_match(&grepping->filter, entry->path, shown) ||
        (grepping->type && !file_type_matches(grepping->type, entry->name)))
        return FS_WALK_ON;
    CLEANUP_FD int fd =
        openat(entry->directory, entry->name.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode)) {
        grepping->unreadable++;
        return FS_WALK_ON;
    }
    enum scan_end end = search_file(grepping, fd, fs_stat_from(&status).mtime_ns);
    bool enough = grepping->full && grepping->in->output_mode == CONTENT;
    return end == SCAN_STOPPED || enough ? FS_WALK_STOP : FS_WALK_ON;
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static void list_newest(struct grepping *grepping)
{
    struct newest *newest = &grepping->newest;
    newest_sort(newest);
    for (size_t i = 0; i < newest->count; i++)
        if (takes_entry(grepping))
            hv_buf_addf(&grepping->out, "%.*s\n",
                        HV_STR_ARG(search_listed(&grepping->search, hv_str_from(newest->items[i].path))));
    grepping->full |= newest->total > newest->count;
}

static void note_rest(struct grepping *grepping, const char *at_least)
{
    const struct grep_input *in = grepping->in;
    struct hv_buf *out = &grepping->out;
    bool content = in->output_mode == CONTENT;
    long long offset = in->offset, limit = in->head_limit;
    if (!grepping->full)
        return;
    if (content)
        hv_buf_addf(out,
                    "[Lines %lld to %lld of the answer are shown; there are more. Continue with offset %lld, or narrow "
                    "the search.]\n",
                    offset + 1, offset + limit, offset + limit);
    else
        hv_buf_addf(
            out, "[%lld of %s%zu files are shown: %lld more. Continue with offset %lld, or narrow the search.]\n",
            limit, at_least, grepping->files_found, (long long)grepping->files_found - offset - limit, offset + limit);
}

static void note_nothing(struct grepping *grepping, bool cut)
{
    const struct grep_input *in = grepping->in;
    struct hv_buf *out = &grepping->out;
    struct hv_str where = search_shown(&grepping->search, grepping->search.root);
    if (grepping->files_found) {
        hv_buf_addf(out, "Nothing more: the answer ends before offset %lld.\n", (long long)in->offset);
        return;
    }
    hv_buf_addf(out, "No matches for %.*s in %.*s (%zu file%s searched%s).\n",
                HV_STR_ARG(in->pattern.len > LINE_SHOWN ? HV_STR("the pattern") : in->pattern), HV_STR_ARG(where),
                grepping->files, grepping->files == 1 ? "" : "s", cut ? " so far" : "");
    if (!grepping->files && (in->glob.len || in->type.len) && !cut)
        hv_buf_add_cstr(out, "[No file there fits glob and type]\n");
    if (grepping->binary)
        hv_buf_addf(out, "[%zu binary file%s skipped]\n", grepping->binary, grepping->binary == 1 ? " was" : "s were");
}

static void note_troubles(struct grepping *grepping)
{
    struct hv_buf *out = &grepping->out;
    size_t given_up = matcher_given_up(grepping->scan.matcher);
    if (grepping->unreadable)
        hv_buf_addf(out, "[%zu file%s could not be read]\n", grepping->unreadable,
                    grepping->unreadable == 1 ? "" : "s");
    if (grepping->in_pieces)
        hv_buf_addf(out,
                    "[%zu file%s searched in parts of 32 MB: a match that begins in one part and ends in the next is "
                    "not found]\n",
                    grepping->in_pieces, grepping->in_pieces == 1 ? " was" : "s were");
    if (grepping->cut)
        hv_buf_addf(out,
                    "[Of %zu large file%s in UTF-16 or UTF-32 only the first 24 MB were searched; convert %s with "
                    "`iconv` in a shell to search all]\n",
                    grepping->cut, grepping->cut == 1 ? "" : "s", grepping->cut == 1 ? "it" : "them");
    if (given_up)
        hv_buf_addf(out,
                    "[The pattern takes too long on %zu %s, which may match, too; a simpler one, without nested "
                    "repetitions, finds out]\n",
                    given_up, given_up == 1 ? "place" : "places");
}

static void answer(struct grepping *grepping, const struct fs_walk_outcome *outcome, struct hv_result *result)
{
    struct hv_arena *arena = grepping->search.context->arena;
    struct hv_buf *out = &grepping->out;
    const char *at_least =
        outcome->timed_out || (grepping->full && grepping->in->output_mode == CONTENT) ? "at least " : "";
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        list_newest(grepping);
    if (!out->len) {
        note_nothing(grepping, outcome->timed_out);
        search_note_ignored(outcome, out);
    } else if (grepping->in->output_mode == COUNT) {
        hv_buf_addf(out, "[%s%zu match%s in %zu file%s]\n", at_least, grepping->matches,
                    grepping->matches == 1 ? "" : "es", grepping->files_found, grepping->files_found == 1 ? "" : "s");
    }
    note_rest(grepping, at_least);
    note_troubles(grepping);
    search_note_outcome(&grepping->search, outcome, grepping->path, out);
    hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(out)));
    const char *files = grepping->files_found == 1 ? "file" : "files";
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        result->summary = hv_arena_format(arena, "%s%zu %s", at_least, grepping->files_found, files);
    else
        result->summary = hv_arena_format(arena, "%s%zu match%s in %zu %s", at_least, grepping->matches,
                                          grepping->matches == 1 ? "" : "es", grepping->files_found, files);
}

/* ---- the call -------------------------------------------------------------------------------------------- */

static enum hv_code choose_files(struct grepping *grepping, struct hv_error *err)
{
    const struct grep_input *in = grepping->in;
    enum hv_code code = search_filter_add(&grepping->filter, grepping->search.context->arena, in->glob, err);
    if (code) {
        hv_error_place(err, "glob");
        return code;
    }
    grepping->type = in->type.len ? file_type_named(in->type) : NULL;
    if (!in->type.len || grepping->type)
        return HV_OK;
    hv_fail(err, HV_EINVAL, "No file type is named \"%.*s\"", HV_STR_ARG(in->type));
    struct hv_str near = file_type_nearest(in->type);
    if (near.len)
        hv_error_hint(err, "Did you mean \"%.*s\"? Other files can be chosen with glob", HV_STR_ARG(near));
    else
        hv_error_hint(err, "Choose the files with glob instead, such as \"*.xyz\"");
    hv_error_place(err, "type");
    return HV_EINVAL;
}

static enum hv_code prepare(struct grepping *grepping, struct hv_error *err)
{
    const struct grep_input *in = grepping->in;
    struct matcher_options options = {.pattern = in->pattern,
                                      .fixed = in->fixed_strings,
                                      .ignore_case = in->ignore_case,
                                      .multiline = in->multiline,
                                      .stop = stop,
                                      .user = grepping};
    enum hv_code code = matcher_new(&options, &grepping->scan.matcher, err);
    if (!code)
        code = choose_files(grepping, err);
    if (code)
        return code;
    struct line_scan *scan = &grepping->scan;
    scan->multiline = in->multiline;
    scan->stop = stop;
    scan->user = grepping;
    if (in->output_mode == CONTENT) {
        scan->line = show_line;
        scan->before = (size_t)(in->has_before ? in->before : in->around);
        scan->after = (size_t)(in->has_after ? in->after : in->around);
    }
    scan->matches_max = in->output_mode == FILES_WITH_MATCHES ? 1 : 0;
    grepping->skip = (size_t)in->offset;
    grepping->room = in->head_limit ? (size_t)in->head_limit : HEAD_LIMIT_MAX;
    grepping->newest.max = grepping->skip + grepping->room;
    return HV_OK;
}

/* The root is one file: the person named it, so that neither ignore rules nor filters speak about it. */
static enum hv_code search_one(struct grepping *grepping, struct fs_walk_outcome *outcome, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    struct hv_file_stat stat;
    grepping->path = grepping->search.root;
    enum hv_code code = fs_open_regular(grepping->path, &fd, &stat, err);
    if (code)
        return code;
    enum scan_end end = search_file(grepping, fd, stat.mtime_ns);
    if (end == SCAN_STOPPED)
        outcome->stopped = true;
    return HV_OK;
}

static enum hv_code search_tree(struct grepping *grepping, struct fs_walk_outcome *outcome, struct hv_error *err)
{
    struct fs_walk_options options = search_walk_options(&grepping->search);
    options.hidden = grepping->in->hidden;
    options.no_ignore = grepping->in->no_ignore;
    options.directories = grepping->filter.unwanted_count > 0;
    return fs_walk(&options, visit, grepping, outcome, err);
}

static enum hv_code run(struct grepping *grepping, struct hv_result *result, struct hv_error *err)
{
    enum hv_code code = prepare(grepping, err);
    if (code)
        return code;
    struct fs_walk_outcome outcome = {0};
    bool is_file = grepping->search.stat.kind == HV_FILE_REGULAR;
    code = is_file ? search_one(grepping, &outcome, err) : search_tree(grepping, &outcome, err);
    if (code)
        return code;
    if (hv_cancelled(grepping->search.context->cancel))
        return hv_fail(err, HV_ECANCELLED, "The search was cancelled");
    /* The walk was stopped by the file at hand: full, or out of time. */
    outcome.timed_out |= outcome.stopped && !(grepping->full && grepping->in->output_mode == CONTENT);
    answer(grepping, &outcome, result);
    return HV_OK;
}

static enum hv_code grep_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    struct grepping grepping = {.in = input};
    hv_buf_init(&grepping.out, OUTPUT_MAX);
    enum hv_code code = search_begin(&grepping.search, context, grepping.in->path, err);
    if (!code)
        code = run(&grepping, result, err);
    matcher_free(grepping.scan.matcher);
    line_scan_release(&grepping.scan);
    newest_release(&grepping.newest);
    hv_buf_release(&grepping.out);
    search_release(&grepping.search);
    return code;
}

static void grep_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    const struct grep_input *in = input;
    hv_footprint_read(out, context->arena, in->path.len ? in->path : context->directory);
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void grep_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct grep_input *in = input;
    hv_buf_add_str(out, in->pattern);
    if (in->path.len)
        hv_buf_addf(out, " in %.*s", HV_STR_ARG(file_shown_path(context, in->path)));
    if (in->glob.len)
        hv_buf_addf(out, " (%.*s)", HV_STR_ARG(in->glob));
    else if (in->type.len)
        hv_buf_addf(out, " (%.*s files)", HV_STR_ARG(in->type));
}

static const char *const grep_aliases[] = {"grep_search",          "grep",    "search_files", "search_file_content",
                                           "search_file_contents", "ripgrep", "SearchText",   NULL};
static const char *const grep_rule_names[] = {"Read", NULL};

const struct hv_tool tool_grep = {
    .name = "Grep",
    .aliases = grep_aliases,
    .rule_names = grep_rule_names,
    .title = "Search in files",
    .search_hint = "search file contents with a regular expression",
    .description =
        "Searches the contents of files with a regular expression (PCRE2 syntax). output_mode files_with_matches (the "
        "usual) gives paths, newest first; content gives lines as `path:line:text`, with -A, -B or -C also lines "
        "around them; count gives `path:count`. Files are chosen with path, glob and type. What ignore files exclude, "
        "hidden files and binary files are skipped. 250 lines or files are shown unless head_limit says otherwise; "
        "offset goes on from there. After 20 s the search ends with what was found until then.",
    .guide = "Search with Grep rather than with grep or rg in a shell. Start with files_with_matches or a small "
             "head_limit, then look at content.",
    .fields = grep_fields,
    .input_size = sizeof(struct grep_input),
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = grep_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = grep_call,
    .render_use = grep_render_use,
};
