/*
 * grep.c: the tool Grep: a regular expression over the files of a tree, in process. The scan of the tree hands over its
 * files on several threads, each of which searches them on the spot (line_scan.h) and keeps what the answer may need
 * (grep_found.h, newest.h). When all have ended, this becomes the answer, in an order that does not depend on them.
 */
#include "tools/grep_parts.h"

#include "tools/file_kind.h"

enum {
    HEAD_LIMIT_MAX = 100000,
    OFFSET_MAX = 1000000,
    CONTEXT_MAX = 1000,
    LEFT_OUT_BYTES = 128, /* what a line that offset leaves out may take while others are searched */
    PATH_BYTES_MAX = 1 << 24,
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
static const char *const column_aliases[] = {"columns", "--column", NULL};
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
     .present = 1 + offsetof(struct grep_input, has_mode),
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
     .description =
         "Lines to show before and after each match (content); without any of the three, a match that is the "
         "only one is shown with 15",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct grep_input, around),
     .present = 1 + offsetof(struct grep_input, has_around),
     .aliases = around_aliases,
     .minimum = 0,
     .maximum = CONTEXT_MAX},
    {.name = "-n",
     .description = "Show line numbers (content)",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, numbers),
     .aliases = number_aliases,
     .fallback = "true"},
    {.name = "column",
     .description = "Show the column of each line's first match, too, in bytes from 1 (content)",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct grep_input, columns),
     .aliases = column_aliases},
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

/* ---- the call -------------------------------------------------------------------------------------------- */

static enum hv_code choose_files(struct grepping *grepping, struct hv_error *err)
{
    const struct grep_input *in = grepping->in;
    grepping->filter.directory = grepping->search.context->directory;
    grepping->filter.hidden = in->hidden;
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

static void prepare_worker(struct grepping *grepping, struct grep_worker *worker)
{
    const struct grep_input *in = grepping->in;
    struct line_scan *scan = &worker->scan;
    worker->grepping = grepping;
    worker->is_caller = worker == grepping->workers;
    worker->newest.max = grepping->skip + grepping->room;
    hv_buf_init(&worker->path, PATH_BYTES_MAX);
    hv_buf_init(&worker->limit, PATH_BYTES_MAX);
    scan->multiline = in->multiline;
    scan->stop = grep_stop;
    scan->whole = grep_keep_text;
    scan->user = worker;
    if (in->output_mode == CONTENT) {
        scan->line = grep_keep_line;
        scan->before = (size_t)(in->has_before ? in->before : in->around);
        scan->after = (size_t)(in->has_after ? in->after : in->around);
    }
    scan->matches_max = in->output_mode == FILES_WITH_MATCHES ? 1 : 0;
}

static void begin(struct grepping *grepping)
{
    const struct grep_input *in = grepping->in;
    unsigned threads = fs_scan_threads();
    grepping->threads = threads < GREP_THREADS_MAX ? threads : GREP_THREADS_MAX;
    grepping->skip = (size_t)in->offset;
    grepping->room = in->head_limit ? (size_t)in->head_limit : HEAD_LIMIT_MAX;
    found_init(&grepping->found, grepping->skip + grepping->room + 1,
               GREP_OUTPUT_MAX + LEFT_OUT_BYTES * grepping->skip);
    hv_buf_init(&grepping->out, GREP_OUTPUT_MAX);
    for (unsigned i = 0; i < grepping->threads; i++)
        prepare_worker(grepping, &grepping->workers[i]);
}

static enum hv_code compile(struct grepping *grepping, struct hv_error *err)
{
    const struct grep_input *in = grepping->in;
    struct find_options options = {
        .fixed = in->fixed_strings, .ignore_case = in->ignore_case, .multiline = in->multiline};
    return find_compile(in->pattern, &options, &grepping->find, err);
}

/* Is there one match, whose surroundings nobody has spoken about, and which save whoever asked from reading the file?
 */
static bool is_alone(const struct grepping *grepping, const struct fs_scan_outcome *outcome)
{
    const struct grep_input *in = grepping->in;
    const struct grep_found *found = &grepping->found;
    bool asked = in->has_after || in->has_before || in->has_around;
    bool whole = !outcome->timed_out && !outcome->stopped && !outcome->cancelled;
    return in->output_mode == CONTENT && !asked && whole && !in->offset && found->files.count == 1 &&
           found->files.items[0].matches == 1 && grepping->room >= found->entries + 2 * (size_t)GREP_ALONE;
}

static enum hv_code run(struct grepping *grepping, struct hv_result *result, struct hv_error *err)
{
    enum hv_code code = compile(grepping, err);
    if (!code)
        code = choose_files(grepping, err);
    if (code)
        return code;
    struct fs_scan_outcome outcome = {0};
    code = grep_search(grepping, &outcome, err);
    if (code)
        return code;
    if (is_alone(grepping, &outcome))
        grep_search_around(grepping);
    if (hv_cancelled(grepping->search.context->cancel))
        return hv_fail(err, HV_ECANCELLED, "The search was cancelled");
    outcome.timed_out |= outcome.stopped; /* by a file that the time ended in */
    grep_answer(grepping, &outcome, result);
    return HV_OK;
}

static void release(struct grepping *grepping)
{
    for (unsigned i = 0; i < grepping->threads; i++) {
        struct grep_worker *worker = &grepping->workers[i];
        find_scratch_free(worker->scan.find);
        grep_troubles_release(worker);
        vec_release(&worker->kept);
        found_names_leave(worker->names);
        found_draft_release(&worker->file);
        line_scan_release(&worker->scan);
        fs_newest_release(&worker->newest);
        hv_buf_release(&worker->path);
        hv_buf_release(&worker->limit);
    }
    find_release(grepping->find);
    found_release(&grepping->found);
    hv_buf_release(&grepping->out);
}

static enum hv_code grep_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    struct grepping grepping = {.in = input};
    begin(&grepping);
    enum hv_code code = search_begin(&grepping.search, context, grepping.in->path, err);
    if (!code)
        code = run(&grepping, result, err);
    release(&grepping);
    return code;
}

/* Who calls it so knows a tool of that name, which answers with the lines. */
static void grep_backfill(void *input, const struct hv_context *context)
{
    struct grep_input *in = input;
    static const char *const names[] = {"grep_search", "search_file_content"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !in->has_mode; i++)
        if (hv_str_is(context->called_as, names[i]))
            in->output_mode = CONTENT;
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

/* Where the path of a line of the answer ends: before ":12:" or, where lines have no numbers, the first ':'; a count
 * stands behind the last one. SIZE_MAX: it is no such line. */
static size_t path_end(struct hv_str line, int mode)
{
    if (!line.len || line.ptr[0] == '[')
        return SIZE_MAX;
    if (mode == COUNT)
        return hv_str_rfind_byte(line, ':');
    size_t first = hv_str_find_byte(line, ':', 0);
    for (size_t at = first; at != SIZE_MAX; at = hv_str_find_byte(line, ':', at + 1)) {
        size_t digits = at + 1;
        while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9')
            digits++;
        if (digits > at + 1 && digits < line.len && line.ptr[digits] == ':')
            return at;
    }
    return first;
}

/* Matches by file. */
static void grep_render_result(const void *input, const struct hv_context *context, const struct hv_result *result,
                               struct hv_show *out)
{
    static const struct hv_str columns[] = {{"File", 4}, {"Matches", 7}};
    const struct grep_input *in = input;
    struct hv_str rest = result->first ? result->first->text : HV_STR(""), line, last = {0};
    struct hv_str *cells = hv_arena_array(context->arena, struct hv_str, 2 * HV_SHOW_ITEMS_MAX + 2);
    size_t rows = 0, count = 0;
    if (in->output_mode == FILES_WITH_MATCHES) {
        hv_show_text(out, rest);
        return;
    }
    while (hv_str_split(&rest, '\n', &line) && rows < HV_SHOW_ITEMS_MAX) {
        size_t end = path_end(line, in->output_mode);
        if (end == SIZE_MAX)
            continue;
        struct hv_str path = hv_str_slice(line, 0, end);
        bool same = rows && hv_str_eq(path, last);
        count = same ? count + 1 : 1;
        rows += !same;
        cells[2 * rows - 2] = last = path;
        cells[2 * rows - 1] = in->output_mode == COUNT ? hv_str_slice(line, end + 1, line.len)
                                                       : hv_arena_format(context->arena, "%zu", count);
    }
    if (rows)
        hv_show_table(out, columns, 2, cells, rows);
    else
        hv_show_text(out, result->first ? result->first->text : HV_STR(""));
}

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
        "binary files and hidden files (unless glob names them, as `.github/**` does) are skipped. 250 lines or files "
        "are shown unless head_limit says otherwise; "
        "offset goes on from there. After 20 s the search ends with what was found until then.",
    .guide = "Search with Grep rather than with grep or rg in a shell. Start with files_with_matches or a small "
             "head_limit, then look at content.",
    .fields = grep_fields,
    .input_size = sizeof(struct grep_input),
    .subject_kind = HV_SUBJECT_PATH,
    .backfill = grep_backfill,
    .footprint = grep_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = grep_call,
    .render_use = grep_render_use,
    .render_result = grep_render_result,
};
