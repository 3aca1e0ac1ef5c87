/*
 * grep.c: the tool Grep: a regular expression over the files of a tree, in process. The scan of the tree hands over its
 * files on several threads, each of which searches them on the spot (line_scan.h) and keeps what the answer may need
 * (grep_found.h, newest.h). When all have ended, this becomes the answer, in an order that does not depend on them.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/directory.h"
#include "fs/newest.h"
#include "fs/open.h"
#include "text/truncate.h"
#include "tools/file_kind.h"
#include "tools/file_types.h"
#include "tools/grep_found.h"
#include "tools/line_scan.h"
#include "tools/tree.h"

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
    LEFT_OUT_BYTES = 128, /* what a line that offset leaves out may take while others are searched */
    THREADS_MAX = 4,
    UNREACHED_SHOWN = 5,
    PATH_BYTES_MAX = 1 << 24,
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

/* One thread of a call. */
struct worker {
    struct grepping *grepping;
    bool is_caller; /* the thread of the call itself */
    struct line_scan scan;
    struct fs_newest newest; /* files_with_matches */
    size_t matches, binary, unreadable;
    size_t in_pieces, cut; /* files in which something may have been missed */
    /* The file at hand. */
    struct hv_buf path; /* absolute */
    struct found_file file;
    bool checked, hidden;
};

/* One call under way. What workers share of it they only read, but for what says so. */
struct grepping {
    struct search search;
    const struct grep_input *in;
    struct search_filter filter;
    const struct file_type *type;
    struct find *find;
    struct worker workers[THREADS_MAX];
    unsigned threads;
    struct grep_found found;                     /* shared; content and count */
    atomic_size_t files_searched, files_matched; /* shared */
    /* The answer. */
    struct hv_buf out;
    size_t skip, room; /* entries still to be left out, and to be shown */
    bool full;         /* there was one more than could be shown */
    size_t files, files_found, matches;
    bool any_printed;
};

/* ---- showing --------------------------------------------------------------------------------------------- */

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

/* ---- searching, on any thread ---------------------------------------------------------------------------- */

static bool is_hidden(struct worker *worker)
{
    if (!worker->checked)
        worker->hidden = hv_hides_path(worker->grepping->search.context, hv_buf_str(&worker->path));
    worker->checked = true;
    return worker->hidden;
}

/* Keep a line as it will be shown behind the path. */
static bool keep_line(void *user, const struct scan_line *line)
{
    struct worker *worker = user;
    struct found_file *file = &worker->file;
    const struct grep_found *found = &worker->grepping->found;
    if (is_hidden(worker) || file->entries == found->entries_max || file->text.len > OUTPUT_MAX - OUTPUT_SPARE)
        return false;
    char mark = line->is_match ? ':' : '-';
    hv_buf_add_byte(&file->text, mark);
    if (worker->grepping->in->numbers)
        hv_buf_addf(&file->text, "%zu%c", line->number, mark);
    truncate_around(line->text, line->from, LINE_SHOWN, LINE_BEFORE, &file->text);
    hv_buf_add_byte(&file->text, '\n');
    *vec_push(&file->lines) =
        (struct found_line){.end = file->text.len, .matches = line->matches, .after_gap = line->after_gap};
    file->entries++;
    return true;
}

static int64_t changed_at(int fd)
{
    struct stat status;
    return fstat(fd, &status) ? 0 : fs_stat_from(&status).mtime_ns;
}

/* A file with matches was searched: take it up as the mode wants it. */
static void keep_file(struct worker *worker, struct hv_str path, size_t matches, int fd)
{
    struct grepping *grepping = worker->grepping;
    if (is_hidden(worker))
        return;
    atomic_fetch_add_explicit(&grepping->files_matched, 1, memory_order_relaxed);
    worker->matches += matches;
    worker->file.matches = matches;
    if (grepping->in->output_mode == COUNT)
        worker->file.entries = 1;
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        fs_newest_add(&worker->newest, hv_buf_str(&worker->path), changed_at(fd));
    else if (worker->file.entries)
        found_add(&grepping->found, path, &worker->file);
}

static bool stop(void *user)
{
    struct worker *worker = user;
    struct grepping *grepping = worker->grepping;
    if (worker->is_caller)
        search_progress(&grepping->search, atomic_load(&grepping->files_searched),
                        atomic_load(&grepping->files_matched));
    return search_is_over(&grepping->search);
}

/*
 * Search an open file, whose absolute path is worker->path; path is the one from where the search began. size is 0 when
 * it is not known.
 */
static enum scan_end search_file(struct worker *worker, struct hv_str path, int fd, uint64_t size)
{
    struct grepping *grepping = worker->grepping;
    struct line_scan *scan = &worker->scan;
    size_t matches = 0;
    if (!scan->find)
        scan->find = find_scratch_new(grepping->find, stop, worker);
    worker->checked = false;
    hv_buf_init(&worker->file.text, OUTPUT_MAX);
    atomic_fetch_add_explicit(&grepping->files_searched, 1, memory_order_relaxed);
    enum scan_end end = line_scan_file(scan, fd, size, &matches);
    if (matches)
        keep_file(worker, path, matches, fd);
    else
        worker->binary += end == SCAN_BINARY;
    found_file_release(&worker->file);
    worker->unreadable += end == SCAN_FAILED;
    bool in_pieces = scan->in_pieces && grepping->in->multiline;
    if (end != SCAN_ENOUGH && (in_pieces || scan->is_cut) && !is_hidden(worker)) {
        worker->in_pieces += in_pieces;
        worker->cut += scan->is_cut;
    }
    return end;
}

static void set_path(struct worker *worker, struct hv_str path)
{
    struct hv_str root = worker->grepping->search.root;
    hv_buf_clear(&worker->path);
    hv_buf_add_str(&worker->path, root);
    if (!hv_str_is(root, "/"))
        hv_buf_add_byte(&worker->path, '/');
    hv_buf_add_str(&worker->path, path);
}

/* Whether the file or directory, whose path has been set, is to be searched. */
static bool is_chosen(struct grepping *grepping, const struct worker *worker, const struct fs_scan_entry *entry)
{
    const struct search_filter *filter = &grepping->filter;
    bool is_directory = entry->kind == HV_FILE_DIRECTORY;
    if (!is_directory &&
        (entry->kind != HV_FILE_REGULAR || (grepping->type && !file_type_matches(grepping->type, entry->name))))
        return false;
    if (grepping->in->output_mode == CONTENT && found_is_past(&grepping->found, entry->path, is_directory))
        return false;
    if (!filter->wanted_count && !filter->unwanted_count)
        return true;
    struct hv_str shown = search_shown(&grepping->search, hv_buf_str(&worker->path));
    return is_directory ? !search_filter_unwanted(filter, entry->path, shown)
                        : search_filter_match(filter, entry->path, shown);
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *entry)
{
    struct grepping *grepping = user;
    struct worker *worker = &grepping->workers[entry->worker];
    set_path(worker, entry->path);
    if (!is_chosen(grepping, worker, entry))
        return FS_SCAN_SKIP;
    if (entry->kind == HV_FILE_DIRECTORY)
        return FS_SCAN_ON;
    /* A regular file, as the directory said; should it just have become something else, this opens nothing that acts. */
    CLEANUP_FD int fd =
        openat(entry->directory, entry->name.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        worker->unreadable++;
        return FS_SCAN_ON;
    }
    return search_file(worker, entry->path, fd, 0) == SCAN_STOPPED ? FS_SCAN_STOP : FS_SCAN_ON;
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static void list_newest(struct grepping *grepping)
{
    struct fs_newest *newest = &grepping->workers[0].newest;
    for (unsigned i = 1; i < grepping->threads; i++)
        fs_newest_merge(newest, &grepping->workers[i].newest);
    fs_newest_sort(newest);
    for (size_t i = 0; i < newest->count; i++)
        if (takes_entry(grepping))
            hv_buf_addf(
                &grepping->out, "%.*s\n",
                HV_STR_ARG(search_listed(&grepping->search, hv_str_of(newest->items[i].path, newest->items[i].len))));
    grepping->full |= newest->total > newest->count;
}

/* The path of a file that was found, as it is listed. */
static struct hv_str listed_path(struct grepping *grepping, const struct found_file *file)
{
    struct worker *worker = &grepping->workers[0];
    if (grepping->search.stat.kind == HV_FILE_REGULAR)
        return search_listed(&grepping->search, grepping->search.root);
    set_path(worker, hv_str_of(file->path, file->path_len));
    return search_listed(&grepping->search, hv_buf_str(&worker->path));
}

static void list_lines(struct grepping *grepping, const struct found_file *file)
{
    const struct line_scan *scan = &grepping->workers[0].scan;
    struct hv_buf *out = &grepping->out;
    struct hv_str path = listed_path(grepping, file), text = hv_buf_str(&file->text);
    bool printed = false;
    grepping->files_found++;
    for (size_t i = 0, from = 0; i < file->lines.count; from = file->lines.items[i++].end) {
        const struct found_line *line = &file->lines.items[i];
        bool takes = takes_entry(grepping);
        if (grepping->full) {
            grepping->matches += line->matches;
            return;
        }
        if (!takes)
            continue;
        if ((scan->before || scan->after) && grepping->any_printed && (!printed || line->after_gap))
            hv_buf_add_cstr(out, "--\n");
        printed = grepping->any_printed = true;
        hv_buf_add_str(out, path);
        hv_buf_add_str(out, hv_str_slice(text, from, line->end));
    }
    grepping->matches += file->matches;
}

static void list_found(struct grepping *grepping)
{
    struct grep_found *found = &grepping->found;
    found_sort(found);
    for (size_t i = 0; i < found->files.count && !grepping->full; i++) {
        const struct found_file *file = &found->files.items[i];
        if (grepping->in->output_mode == CONTENT)
            list_lines(grepping, file);
        else if (takes_entry(grepping))
            hv_buf_addf(&grepping->out, "%.*s:%zu\n", HV_STR_ARG(listed_path(grepping, file)), file->matches);
    }
    grepping->full |= found->is_cut;
}

/* What all threads together did. Content counts what it lists, as it may have ended early. */
static void add_up(struct grepping *grepping)
{
    struct worker *sum = &grepping->workers[0];
    for (unsigned i = 1; i < grepping->threads; i++) {
        const struct worker *worker = &grepping->workers[i];
        sum->matches += worker->matches;
        sum->binary += worker->binary;
        sum->unreadable += worker->unreadable;
        sum->in_pieces += worker->in_pieces;
        sum->cut += worker->cut;
    }
    grepping->files = atomic_load(&grepping->files_searched);
    if (grepping->in->output_mode == CONTENT)
        return;
    grepping->files_found = atomic_load(&grepping->files_matched);
    grepping->matches = sum->matches;
}

static size_t count_given_up(const struct grepping *grepping)
{
    size_t count = 0;
    for (unsigned i = 0; i < grepping->threads; i++)
        if (grepping->workers[i].scan.find)
            count += find_hard(grepping->workers[i].scan.find);
    return count;
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
    size_t binary = grepping->workers[0].binary;
    if (binary)
        hv_buf_addf(out, "[%zu binary file%s skipped]\n", binary, binary == 1 ? " was" : "s were");
}

static void note_troubles(struct grepping *grepping)
{
    struct hv_buf *out = &grepping->out;
    const struct worker *sum = &grepping->workers[0];
    size_t given_up = count_given_up(grepping);
    if (sum->unreadable)
        hv_buf_addf(out, "[%zu file%s could not be read]\n", sum->unreadable, sum->unreadable == 1 ? "" : "s");
    if (sum->in_pieces)
        hv_buf_addf(out,
                    "[%zu file%s searched in parts of 32 MB: a match that begins in one part and ends in the next is "
                    "not found]\n",
                    sum->in_pieces, sum->in_pieces == 1 ? " was" : "s were");
    if (sum->cut)
        hv_buf_addf(out,
                    "[Of %zu large file%s in UTF-16 or UTF-32 only the first 24 MB were searched; convert %s with "
                    "`iconv` in a shell to search all]\n",
                    sum->cut, sum->cut == 1 ? "" : "s", sum->cut == 1 ? "it" : "them");
    if (given_up)
        hv_buf_addf(out,
                    "[The pattern takes too long on %zu %s, which may match, too; a simpler one, without nested "
                    "repetitions, finds out]\n",
                    given_up, given_up == 1 ? "place" : "places");
}

/* Where the search ended before its time: the directories that were not, or not wholly, searched. */
static void note_unreached(struct grepping *grepping, const struct fs_scan_outcome *outcome)
{
    struct hv_buf *out = &grepping->out;
    struct worker *worker = &grepping->workers[0];
    size_t shown = 0;
    for (size_t i = 0; i < outcome->unreached_named && shown < UNREACHED_SHOWN; i++) {
        struct hv_str path = outcome->unreached_names[i].path;
        set_path(worker, path);
        struct hv_str whole = hv_str_is(path, ".") ? grepping->search.root : hv_buf_str(&worker->path);
        if (hv_hides_path(grepping->search.context, whole))
            continue;
        hv_buf_addf(out, shown++ ? ", %.*s" : "[Not, or not wholly, searched: %.*s",
                    HV_STR_ARG(search_listed(&grepping->search, whole)));
    }
    if (shown && outcome->unreached > shown)
        hv_buf_addf(out, " and %zu more", outcome->unreached - shown);
    if (shown)
        hv_buf_add_cstr(out, "]\n");
}

static void answer(struct grepping *grepping, const struct fs_scan_outcome *outcome, struct hv_result *result)
{
    struct hv_arena *arena = grepping->search.context->arena;
    struct hv_buf *out = &grepping->out;
    add_up(grepping);
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        list_newest(grepping);
    else
        list_found(grepping);
    const char *at_least =
        outcome->timed_out || (grepping->full && grepping->in->output_mode == CONTENT) ? "at least " : "";
    if (!out->len) {
        note_nothing(grepping, outcome->timed_out);
        search_note_ignored(outcome, out);
    } else if (grepping->in->output_mode == COUNT) {
        hv_buf_addf(out, "[%s%zu match%s in %zu file%s]\n", at_least, grepping->matches,
                    grepping->matches == 1 ? "" : "es", grepping->files_found, grepping->files_found == 1 ? "" : "s");
    }
    note_rest(grepping, at_least);
    note_troubles(grepping);
    search_note_outcome(outcome, out);
    if (outcome->timed_out)
        note_unreached(grepping, outcome);
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

static void prepare_worker(struct grepping *grepping, struct worker *worker)
{
    const struct grep_input *in = grepping->in;
    struct line_scan *scan = &worker->scan;
    worker->grepping = grepping;
    worker->is_caller = worker == grepping->workers;
    worker->newest.max = grepping->skip + grepping->room;
    hv_buf_init(&worker->path, PATH_BYTES_MAX);
    scan->multiline = in->multiline;
    scan->stop = stop;
    scan->user = worker;
    if (in->output_mode == CONTENT) {
        scan->line = keep_line;
        scan->before = (size_t)(in->has_before ? in->before : in->around);
        scan->after = (size_t)(in->has_after ? in->after : in->around);
    }
    scan->matches_max = in->output_mode == FILES_WITH_MATCHES ? 1 : 0;
}

static void begin(struct grepping *grepping)
{
    const struct grep_input *in = grepping->in;
    unsigned threads = tree_threads();
    grepping->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    grepping->skip = (size_t)in->offset;
    grepping->room = in->head_limit ? (size_t)in->head_limit : HEAD_LIMIT_MAX;
    found_init(&grepping->found, grepping->skip + grepping->room + 1, OUTPUT_MAX + LEFT_OUT_BYTES * grepping->skip);
    hv_buf_init(&grepping->out, OUTPUT_MAX);
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

/* The root is one file: the person named it, so that neither ignore rules nor filters speak about it. */
static enum hv_code search_one(struct grepping *grepping, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    struct hv_file_stat stat;
    struct worker *worker = &grepping->workers[0];
    hv_buf_add_str(&worker->path, grepping->search.root);
    enum hv_code code = fs_open_regular(grepping->search.root, &fd, &stat, err);
    if (!code && search_file(worker, grepping->search.root, fd, stat.size) == SCAN_STOPPED)
        outcome->stopped = true;
    return code;
}

/* What the kernel makes up as it is read (/proc) ends when a read gives nothing, and not before. */
static bool reads_are_whole(struct hv_str root)
{
    CLEANUP_FREE char *path = hv_malloc(root.len + 1);
    memcpy(path, root.ptr, root.len);
    path[root.len] = '\0';
    CLEANUP_FD int fd = open(path, O_PATH | O_CLOEXEC);
    return fd >= 0 && !fs_is_kernel_system(fd);
}

static enum hv_code search_tree(struct grepping *grepping, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    const struct search *search = &grepping->search;
    bool short_is_end = reads_are_whole(search->root);
    for (unsigned i = 0; i < grepping->threads; i++)
        grepping->workers[i].scan.short_is_end = short_is_end;
    struct fs_scan_options options = tree_options(search);
    options.threads = grepping->threads;
    options.hidden = grepping->in->hidden;
    options.no_ignore = grepping->in->no_ignore;
    options.directories = grepping->filter.unwanted_count > 0 || grepping->in->output_mode == CONTENT;
    return fs_scan(&options, visit, grepping, search->context->arena, outcome, err);
}

static enum hv_code run(struct grepping *grepping, struct hv_result *result, struct hv_error *err)
{
    enum hv_code code = compile(grepping, err);
    if (!code)
        code = choose_files(grepping, err);
    if (code)
        return code;
    struct fs_scan_outcome outcome = {0};
    bool is_file = grepping->search.stat.kind == HV_FILE_REGULAR;
    code = is_file ? search_one(grepping, &outcome, err) : search_tree(grepping, &outcome, err);
    if (code)
        return code;
    if (hv_cancelled(grepping->search.context->cancel))
        return hv_fail(err, HV_ECANCELLED, "The search was cancelled");
    outcome.timed_out |= outcome.stopped; /* by a file that the time ended in */
    answer(grepping, &outcome, result);
    return HV_OK;
}

static void release(struct grepping *grepping)
{
    for (unsigned i = 0; i < grepping->threads; i++) {
        struct worker *worker = &grepping->workers[i];
        find_scratch_free(worker->scan.find);
        line_scan_release(&worker->scan);
        fs_newest_release(&worker->newest);
        hv_buf_release(&worker->path);
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
