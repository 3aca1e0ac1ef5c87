/*
 * grep_search.c: the searching half of Grep. The scan of the tree hands over its files on several threads, each of
 * which searches them on the spot (line_scan.h) and keeps what the answer may need (grep_found.h, newest.h).
 */
#include "base/cleanup.h"
#include "fs/directory.h"
#include "fs/open.h"
#include "text/truncate.h"
#include "tools/grep_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum {
    PROGRESS_EVERY = 64, /* files between two looks at the clock */
    KEPT_FILES = 16,     /* by a thread for itself */
    KEPT_ENTRIES = 32,
    KEPT_COUNTS = 512, /* files of which nothing but a number is kept */
};

/* ---- one file, on any thread ------------------------------------------------------------------------------- */

void grep_set_path(struct grep_worker *worker, struct hv_str path)
{
    struct hv_str root = worker->grepping->search.root;
    hv_buf_clear(&worker->path);
    hv_buf_add_str(&worker->path, root);
    if (!hv_str_is(root, "/"))
        hv_buf_add_byte(&worker->path, '/');
    hv_buf_add_str(&worker->path, path);
    worker->relative = (struct hv_str){0};
}

/* The absolute path of the file at hand; most files are searched without anybody asking for it. */
static struct hv_str path_at_hand(struct grep_worker *worker)
{
    if (worker->relative.ptr)
        grep_set_path(worker, worker->relative);
    return hv_buf_str(&worker->path);
}

static bool is_hidden(struct grep_worker *worker)
{
    if (!worker->checked)
        worker->hidden = hv_hides_entry(worker->grepping->search.context, path_at_hand(worker), HV_FILE_REGULAR);
    worker->checked = true;
    return worker->hidden;
}

void grep_add_number(struct hv_buf *out, size_t number, char mark)
{
    char text[24];
    size_t at = sizeof text;
    text[--at] = mark;
    do
        text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    hv_buf_add(out, text + at, sizeof text - at);
}

bool grep_keep_line(void *user, const struct scan_line *line)
{
    struct grep_worker *worker = user;
    struct found_draft *file = &worker->file;
    const struct grep_found *found = &worker->grepping->found;
    if (is_hidden(worker) || file->entries == found->entries_max ||
        file->text.len > GREP_OUTPUT_MAX - GREP_OUTPUT_SPARE)
        return false;
    char mark = line->is_match ? ':' : '-';
    file->text.max = GREP_OUTPUT_MAX;
    hv_buf_add_byte(&file->text, mark);
    if (worker->grepping->in->numbers)
        grep_add_number(&file->text, line->number, mark);
    if (worker->grepping->in->columns && line->is_match)
        grep_add_number(&file->text, line->from + 1, ':');
    truncate_around(line->text, line->from, GREP_LINE_SHOWN, GREP_LINE_BEFORE, &file->text);
    hv_buf_add_byte(&file->text, '\n');
    *vec_push(&file->lines) =
        (struct found_line){.end = file->text.len, .matches = line->matches, .after_gap = line->after_gap};
    file->entries++;
    return true;
}

/* A file that is open, or of which the text is known and when it changed. */
struct source {
    int fd;        /* -1: it is known */
    uint64_t size; /* 0: not known */
    struct fs_content known;
};

static int64_t changed_at(const struct source *source)
{
    struct stat status;
    if (source->fd < 0)
        return source->known.mtime_ns;
    return fstat(source->fd, &status) ? 0 : fs_stat_from(&status).mtime_ns;
}

/* Others only read the counter, so that no two threads wait for one another. */
static void count_one(atomic_size_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

size_t grep_files_searched(const struct grepping *grepping)
{
    size_t sum = 0;
    for (unsigned i = 0; i < grepping->threads; i++)
        sum += atomic_load_explicit(&grepping->workers[i].files_searched, memory_order_relaxed);
    return sum;
}

size_t grep_files_matched(const struct grepping *grepping)
{
    size_t sum = 0;
    for (unsigned i = 0; i < grepping->threads; i++)
        sum += atomic_load_explicit(&grepping->workers[i].files_matched, memory_order_relaxed);
    return sum;
}

/* Give what the worker has found to what all share. */
static void hand_over(struct grep_worker *worker)
{
    found_arrange(worker->kept.items, worker->kept.count);
    found_add(&worker->grepping->found, worker->kept.items, worker->kept.count);
    worker->kept.count = worker->kept_entries = 0;
    found_limit(&worker->grepping->found, &worker->limit);
}

/* Several at a time, so that threads seldom wait for one another. */
static void keep_found(struct grep_worker *worker, struct hv_str path)
{
    if (worker->limit.len && found_compare(path, false, hv_buf_str(&worker->limit)) > 0)
        return;
    bool is_full = atomic_load_explicit(&worker->grepping->found.is_full, memory_order_relaxed);
    worker->kept_entries += worker->file.entries;
    found_take(&worker->file, is_full ? NULL : &worker->names, path, vec_push(&worker->kept));
    size_t many = worker->grepping->in->output_mode == COUNT ? KEPT_COUNTS : KEPT_FILES;
    if (worker->kept.count >= many || (many == KEPT_FILES && worker->kept_entries >= KEPT_ENTRIES))
        hand_over(worker);
}

/* A file with matches was searched: take it up as the mode wants it. */
static void keep_file(struct grep_worker *worker, struct hv_str path, size_t matches, const struct source *source)
{
    struct grepping *grepping = worker->grepping;
    if (is_hidden(worker))
        return;
    count_one(&worker->files_matched);
    worker->matches += matches;
    worker->file.matches = matches;
    if (grepping->in->output_mode == COUNT)
        worker->file.entries = 1;
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        fs_newest_add(&worker->newest, path_at_hand(worker), changed_at(source));
    else if (worker->file.entries)
        keep_found(worker, path);
}

static void tell_progress(struct grepping *grepping)
{
    search_progress(&grepping->search, grep_files_searched(grepping), grep_files_matched(grepping));
}

bool grep_stop(void *user)
{
    struct grep_worker *worker = user;
    if (worker->is_caller)
        tell_progress(worker->grepping);
    return search_is_over(&worker->grepping->search);
}

/* ---- troubles -------------------------------------------------------------------------------------------- */

/* The file at hand may hold more than was found. */
static void note_trouble(struct grep_worker *worker, struct hv_str path, enum grep_trouble_kind kind, size_t count)
{
    if (!count || is_hidden(worker))
        return;
    if (worker->troubles.count == GREP_TROUBLES_MAX) {
        worker->more_troubles = true;
        return;
    }
    char *copy = hv_malloc(path.len + 1);
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    *vec_push(&worker->troubles) =
        (struct grep_trouble){.kind = kind, .count = count, .path = copy, .path_len = path.len};
}

void grep_troubles_release(struct grep_worker *worker)
{
    for (size_t i = 0; i < worker->troubles.count; i++)
        free(worker->troubles.items[i].path);
    vec_release(&worker->troubles);
}

/* What was a file when its name was read is none any more: it is gone, or a link, a socket or a directory. */
static bool is_no_file(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ELOOP || sys_errno == ENXIO || sys_errno == EISDIR;
}

/* sys_errno is of SCAN_FAILED. */
static void note_troubles(struct grep_worker *worker, struct hv_str path, enum scan_end end, int sys_errno,
                          size_t matches, size_t given_up)
{
    const struct line_scan *scan = &worker->scan;
    note_trouble(worker, path, GREP_UNREADABLE, end == SCAN_FAILED && !is_no_file(sys_errno));
    note_trouble(worker, path, GREP_GIVEN_UP, given_up);
    note_trouble(worker, path, GREP_CUT_SHORT, end == SCAN_BINARY && matches);
    if (end == SCAN_ENOUGH)
        return;
    note_trouble(worker, path, GREP_IN_PIECES, scan->in_line_parts || (scan->in_pieces && scan->multiline));
}

/* ---- files and trees --------------------------------------------------------------------------------------- */

/* Another file is at hand. */
static void begin_file(struct grep_worker *worker)
{
    count_one(&worker->files_searched);
    if (worker->is_caller && worker->files_searched % PROGRESS_EVERY == 0)
        tell_progress(worker->grepping);
}

void grep_keep_text(void *user, struct hv_str text)
{
    struct grep_worker *worker = user;
    if (worker->entry)
        fs_marks_keep_text(&worker->grepping->marks, worker->entry, text);
}

/* Search a file, whose absolute path is path_at_hand(); path is the one from where the search began. */
static enum scan_end search_file(struct grep_worker *worker, struct hv_str path, const struct source *source)
{
    struct grepping *grepping = worker->grepping;
    struct line_scan *scan = &worker->scan;
    size_t matches = 0;
    if (!scan->find)
        scan->find = find_scratch_new(grepping->find, grep_stop, worker);
    size_t given_up = find_hard(scan->find);
    begin_file(worker);
    enum scan_end end = source->fd < 0 ? line_scan_text(scan, source->known.text, source->known.is_plain, &matches)
                                       : line_scan_file(scan, source->fd, source->size, &matches);
    int sys_errno = errno;
    if (matches) {
        keep_file(worker, path, matches, source);
        found_draft_clear(&worker->file);
    } else {
        worker->binary += end == SCAN_BINARY;
    }
    note_troubles(worker, path, end, sys_errno, matches, find_hard(scan->find) - given_up);
    return end;
}

/* Whether the file or directory at hand is to be searched. */
static bool is_chosen(struct grepping *grepping, struct grep_worker *worker, const struct fs_scan_entry *entry)
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
    struct hv_str shown = search_shown(&grepping->search, path_at_hand(worker));
    return is_directory ? !search_filter_unwanted(filter, entry->path, shown, true)
                        : search_filter_match(filter, entry->path, shown);
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *entry)
{
    struct grepping *grepping = user;
    struct grep_worker *worker = &grepping->workers[entry->worker];
    worker->relative = entry->path;
    if (!is_chosen(grepping, worker, entry))
        return FS_SCAN_SKIP;
    if (entry->kind == HV_FILE_DIRECTORY)
        return FS_SCAN_ON;
    worker->checked = false;
    if (grepping->asks_first && is_hidden(worker))
        return FS_SCAN_ON;
    struct source source = {.fd = -1};
    enum fs_known known = fs_marks_look(&grepping->marks, entry, &source.known);
    if (known == FS_RULED_OUT) {
        begin_file(worker);
        return FS_SCAN_ON;
    }
    if (known == FS_UNKNOWN)
        source.fd = fs_scan_open(entry);
    if (known == FS_UNKNOWN && source.fd < 0) {
        note_trouble(worker, entry->path, GREP_UNREADABLE, !is_no_file(errno));
        return FS_SCAN_ON;
    }
    worker->entry = entry;
    enum scan_end end = search_file(worker, entry->path, &source);
    worker->entry = NULL;
    if (source.fd >= 0)
        fs_scan_close(entry, source.fd);
    if (worker->scan.ruled_out)
        fs_marks_ruled_out(&grepping->marks, entry);
    return end == SCAN_STOPPED ? FS_SCAN_STOP : FS_SCAN_ON;
}

/* The root is one file: the person named it, so that neither ignore rules nor filters speak about it. */
static enum hv_code search_one(struct grepping *grepping, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    struct hv_file_stat stat;
    struct grep_worker *worker = &grepping->workers[0];
    hv_buf_add_str(&worker->path, grepping->search.root);
    enum hv_code code = search_open(&grepping->search, grepping->search.root, &fd, &stat, err);
    if (!code)
        outcome->stopped =
            grep_stop(worker) ||
            search_file(worker, grepping->search.root, &(struct source){.fd = fd, .size = stat.size}) == SCAN_STOPPED;
    return code;
}

/* What the kernel makes up as it is read (/proc) ends when a read gives nothing, and not before. */
static bool reads_are_whole(const struct search *search)
{
    const struct hv_host *host = search->context->host;
    struct hv_str root;
    if (host->resolve(host, search->context->arena, search->root, &root, NULL) != HV_OK)
        return false;
    CLEANUP_FD int fd = fs_open_no_links(AT_FDCWD, root, O_PATH);
    return fd >= 0 && !fs_is_kernel_system(fd);
}

static enum hv_code search_tree(struct grepping *grepping, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    const struct search *search = &grepping->search;
    bool short_is_end = reads_are_whole(search);
    for (unsigned i = 0; i < grepping->threads; i++)
        grepping->workers[i].scan.short_is_end = short_is_end;
    struct fs_scan_options options = tree_options(search);
    options.threads = grepping->threads;
    options.hidden = grepping->in->hidden || search_filter_names_hidden(&grepping->filter);
    options.no_ignore = grepping->in->no_ignore;
    options.by_name = grepping->in->output_mode == CONTENT; /* so that soon nothing else needs to be searched */
    options.directories = grepping->filter.unwanted_count > 0 || grepping->in->output_mode == CONTENT;
    grepping->asks_first = hv_hides_by_rule(search->context);
    fs_marks_begin(options.warm, grepping->find, &grepping->marks);
    enum hv_code code = tree_scan(search, &options, visit, grepping, outcome, err);
    fs_marks_end(&grepping->marks);
    return code;
}

enum hv_code grep_search(struct grepping *grepping, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    bool is_file = grepping->search.stat.kind == HV_FILE_REGULAR;
    enum hv_code code = is_file ? search_one(grepping, outcome, err) : search_tree(grepping, outcome, err);
    for (unsigned i = 0; i < grepping->threads; i++)
        hand_over(&grepping->workers[i]);
    return code;
}

void grep_search_around(struct grepping *grepping)
{
    struct grep_worker *worker = &grepping->workers[0];
    struct grep_found *found = &grepping->found;
    struct found_file alone = found->files.items[0];
    struct hv_str path = found_path(&alone);
    size_t searched = atomic_load(&worker->files_searched), matched = atomic_load(&worker->files_matched),
           matches = worker->matches, troubles = worker->troubles.count;
    CLEANUP_FD int fd = -1;
    struct hv_file_stat stat;
    if (grepping->search.stat.kind == HV_FILE_DIRECTORY)
        grep_set_path(worker, path);
    worker->checked = false;
    if (search_open(&grepping->search, hv_buf_str(&worker->path), &fd, &stat, NULL))
        return;
    found->files.count = found->entries = found->bytes = 0;
    worker->scan.before = worker->scan.after = GREP_ALONE;
    (void)search_file(worker, path, &(struct source){.fd = fd, .size = stat.size});
    hand_over(worker);
    atomic_store(&worker->files_searched, searched);
    atomic_store(&worker->files_matched, matched);
    worker->matches = matches;
    while (worker->troubles.count > troubles)
        free(worker->troubles.items[--worker->troubles.count].path);
    grepping->around_alone = found->files.count == 1 && found->files.items[0].matches == 1;
    if (grepping->around_alone) {
        grepping->around_alone = found->files.items[0].entries > alone.entries;
        found_file_release(&alone);
        return;
    }
    for (size_t i = 0; i < found->files.count; i++) /* the file has changed: what was found first stays */
        found_file_release(&found->files.items[i]);
    found->files.items[0] = alone;
    found->files.count = 1;
}
