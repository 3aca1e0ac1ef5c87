/*
 * read.c: the tool Read: finds out what kind of file there is, and has it shown: text as numbered lines (reading.h),
 * notebooks by their cells, pictures and PDF documents (read_media.h). What was shown and has not changed is not shown
 * again.
 */
#include "base/cleanup.h"
#include "text/image_head.h"
#include "tools/file_kind.h"
#include "tools/notebook.h"
#include "tools/notebook_show.h"
#include "tools/read_media.h"
#include "tools/reading.h"

#include <helve/tool.h>

struct read_input {
    struct hv_str file_path;
    int64_t offset, limit;
    struct hv_str pages;
};

enum { HEAD = 8192 };

static const char *const path_aliases[] = {"path", "filePath", "file", "filename", NULL};
static const char *const offset_aliases[] = {"start_line", NULL};

static const struct hv_field read_fields[] = {
    {.name = "file_path",
     .description = "The file to read: an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_FILE | HV_NON_EMPTY,
     .offset = offsetof(struct read_input, file_path),
     .aliases = path_aliases},
    {.name = "offset",
     .description = "The first line to show, counted from 1; only for files too large to read at once",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct read_input, offset),
     .aliases = offset_aliases,
     .minimum = 0,
     .maximum = INT64_MAX},
    {.name = "limit",
     .description = "How many lines to show; 2000 when not given",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct read_input, limit),
     .minimum = 1,
     .maximum = INT64_MAX},
    {.name = "pages",
     .description = "Of a PDF document, which pages to show: \"3\" or \"1-5\", at most 20; needed where it has over 10",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct read_input, pages)},
    {0}};

/* A notebook by its cells; false when it is none after all, or not of a format that has cells: then it is text. */
static bool show_notebook(struct reading *reading, const struct file_text *text, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    const struct hv_json *notebook;
    if (notebook_parse(arena, text->bytes, &notebook, NULL) != HV_OK)
        return false;
    struct media media = {reading->context->host, reading->context->cancel, arena};
    size_t shown = notebook_show(&media, notebook, READING_BUDGET, result);
    struct file_view *view = &reading->view;
    *view = (struct file_view){.stat = text->stat,
                               .is_whole = true,
                               .size = text->bytes.len,
                               .hash = hv_str_hash(text->bytes),
                               .total = lines_count(text->bytes),
                               .first = 1};
    view->last = shown == hv_json_get(notebook, "cells")->count ? view->total : 1;
    result->summary = hv_arena_format(arena, "%zu cell%s", shown, shown == 1 ? "" : "s");
    file_state_note_read(reading->context, reading->key, view);
    return true;
}

static bool is_notebook(const struct reading *reading)
{
    return !reading->has_range && hv_str_ends(reading->path, HV_STR(".ipynb"));
}

/* Refuse what is no text, by its first bytes. */
static enum hv_code check_text(struct reading *reading, struct hv_str head, struct hv_error *err)
{
    const struct file_kind *kind = file_kind_sniff(head);
    if (!kind) {
        reading->encoding = encoding_detect_head(head);
        if (reading->encoding.kind != ENCODING_BINARY)
            return HV_OK;
    }
    enum image_format named = image_format_named(reading->path);
    hv_fail(err, HV_EUNSUPPORTED, "%.*s is %s (%.*s), which cannot be shown as text%s%s%s", HV_STR_ARG(reading->path),
            kind ? kind->name : "a binary file",
            HV_STR_ARG(file_size_text(reading->context->arena, reading->view.stat.size)), named ? "; it is not a " : "",
            named ? image_format_name(named) : "", named ? " though named so" : "");
    hv_error_hint(err, "%s", kind ? kind->hint : "Look into it in a shell with `file`, `xxd | head` or `strings`");
    return HV_EUNSUPPORTED;
}

static enum hv_code check_file(struct reading *reading, struct hv_error *err)
{
    struct hv_context *context = reading->context;
    const struct hv_host *host = context->host;
    enum hv_code code = host->stat(host, reading->path, true, &reading->view.stat, err);
    if (code == HV_ENOTFOUND)
        return file_fail_missing(context, reading->path, err);
    if (code)
        return code;
    if (reading->view.stat.kind != HV_FILE_REGULAR)
        return file_fail_kind(reading->path, reading->view.stat.kind, err);
    return HV_OK;
}

static enum hv_code show_whole(struct reading *reading, struct file_text *text, struct hv_result *result,
                               struct hv_error *err)
{
    if (is_notebook(reading) && show_notebook(reading, text, result))
        return HV_OK;
    enum hv_code code = file_text_decode(text, err);
    if (code)
        return code;
    if (reading->settled)
        file_text_keep(reading->context, reading->key, text);
    reading_show_text(reading, text, result);
    return HV_OK;
}

static enum hv_code fail_no_pages(const struct reading *reading, struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "pages is for PDF documents, and %.*s is none", HV_STR_ARG(reading->path));
    hv_error_hint(err, "Leave pages out; offset and limit choose lines of a text");
    return HV_EINVAL;
}

/* A picture or a PDF document, by its first bytes; *is_text when it is none of these. */
static enum hv_code show_unless_text(struct reading *reading, struct hv_str head, struct hv_result *result,
                                     bool *is_text, struct hv_error *err)
{
    enum read_media_kind kind = read_media_kind_of(reading->path, head);
    struct read_media media = {reading->context, reading->path, reading->key, &reading->view,
                               reading->pages,   result,        false};
    *is_text = kind == READ_MEDIA_NONE;
    if (reading->pages.first && kind != READ_MEDIA_PDF)
        return fail_no_pages(reading, err);
    if (*is_text)
        return check_text(reading, head, err);
    enum hv_code code = kind == READ_MEDIA_PDF ? read_media_pdf(&media, err) : read_media_image(&media, err);
    if (!code && media.unchanged)
        reading_answer_unchanged(reading, result);
    return code;
}

/* What is small is read whole at once; of what is larger, first the beginning, which tells what it is. */
static enum hv_code read_kind_of_file(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = reading->context;
    uint64_t size = reading->view.stat.size;
    bool is_small = size <= FILE_TEXT_KEPT_MAX, by_range = reading->has_range || size > READING_WHOLE_MAX;
    CLEANUP_TEXT struct file_text *head = NULL, *whole = NULL;
    size_t limit = is_small ? SIZE_MAX / 4 : HEAD;
    enum hv_code code = file_text_read(context, reading->path, limit, READING_WHOLE_MAX, &head, err);
    bool is_text = true;
    if (!code)
        code = show_unless_text(reading, hv_str_slice(head->bytes, 0, HEAD), result, &is_text, err);
    if (code || !is_text)
        return code;
    if (is_small)
        return show_whole(reading, head, result, err);
    if (by_range)
        return reading_show_range(reading, result, err);
    code = file_text_read(context, reading->path, SIZE_MAX / 4, READING_WHOLE_MAX, &whole, err);
    return code ? code : show_whole(reading, whole, result, err);
}

static enum hv_code answer(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = reading->context;
    if (reading->settled && file_state_already_shown(context, reading->key, &reading->view)) {
        reading_answer_unchanged(reading, result);
        return HV_OK;
    }
    CLEANUP_TEXT struct file_text *kept = is_notebook(reading) || reading->pages.first
                                              ? NULL
                                              : file_text_kept(context, reading->key, &reading->view.stat);
    if (!kept)
        return read_kind_of_file(reading, result, err);
    reading_show_text(reading, kept, result);
    return HV_OK;
}

static enum hv_code read_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    const struct read_input *in = input;
    struct reading reading = {.context = context, .path = in->file_path};
    reading.view = (struct file_view){.offset = in->offset, .limit = in->limit};
    reading.has_range = in->offset > 0 || in->limit > 0;
    reading.first = in->offset > 1 ? (size_t)in->offset : 1;
    reading.count = in->limit > 0 ? (size_t)in->limit : READING_LINES;
    if (reading.count > SIZE_MAX / 2 - reading.first)
        reading.count = SIZE_MAX / 2 - reading.first;
    int64_t now = context->host->wall_ns(context->host);
    enum hv_code code = in->pages.len ? pdf_range_parse(in->pages, &reading.pages, err) : HV_OK;
    code = code ? code : check_file(&reading, err);
    if (code)
        return code;
    if (reading.pages.first) { /* another request than any of lines */
        reading.view.offset = -(int64_t)reading.pages.first;
        reading.view.limit = -(int64_t)reading.pages.last;
    }
    reading.settled = file_is_settled(&reading.view.stat, now);
    reading.key = file_state_key(context, in->file_path);
    hv_buf_init(&reading.out, 2 * READING_BUDGET + 4 * READING_LINE_KEPT);
    code = answer(&reading, result, err);
    hv_buf_release(&reading.out);
    return code;
}

static void read_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_read(out, context->arena, ((const struct read_input *)input)->file_path);
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void read_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct read_input *in = input;
    hv_buf_add_str(out, file_shown_path(context, in->file_path));
    if (in->pages.len) {
        hv_buf_addf(out, ", pages %.*s", HV_STR_ARG(in->pages));
    } else if (in->limit > 0) {
        int64_t first = in->offset > 1 ? in->offset : 1;
        hv_buf_addf(out, ":%lld-%lld", (long long)first,
                    (long long)(first > INT64_MAX - in->limit ? INT64_MAX : first + in->limit - 1));
    } else if (in->offset > 1) {
        hv_buf_addf(out, ":%lld-", (long long)in->offset);
    }
}

/* The first lines without their numbers. Not all of a result is lines of the file: notes, outlines and pages are shown
 * as they are. */
static void read_render_result(const void *input, const struct hv_context *context, const struct hv_result *result,
                               struct hv_show *out)
{
    const struct read_input *in = input;
    CLEANUP_BUF struct hv_buf code = {.max = 2 * HV_SHOW_TEXT_MAX};
    struct hv_str rest = result->first && result->first->type == HV_CONTENT_TEXT ? result->first->text : HV_STR("");
    struct hv_str whole = rest, line;
    uint64_t start = 0;
    while (code.len <= HV_SHOW_TEXT_MAX && hv_str_split(&rest, '\n', &line)) {
        int64_t number;
        size_t tab = hv_str_find_byte(line, '\t', 0);
        if (tab == SIZE_MAX || !hv_str_to_int64(hv_str_trim(hv_str_slice(line, 0, tab)), &number))
            break;
        start = start ? start : (uint64_t)number;
        hv_buf_addf(&code, "%.*s\n", HV_STR_ARG(hv_str_slice(line, tab + 1, line.len)));
    }
    if (code.len)
        hv_show_code(out, file_shown_path(context, in->file_path), start, hv_buf_str(&code));
    else
        hv_show_text(out, whole);
    const struct hv_content *second = result->first ? result->first->next : NULL;
    if (second && second->type == HV_CONTENT_IMAGE && !second->next)
        hv_show_picture(out, in->file_path, second->media_type);
}

static const char *const read_aliases[] = {"read_file", "read", "view", NULL};

const struct hv_tool tool_read = {
    .name = "Read",
    .aliases = read_aliases,
    .title = "Read a file",
    .search_hint = "show the contents of a text, image or PDF file",
    .description =
        "Shows a text file with its lines numbered as by `cat -n`. Without offset and limit the first 2000 lines are "
        "shown; a file too large for that is answered by an outline of its parts, each to be read with offset and "
        "limit. Lines over 2000 characters are cut. Other encodings than UTF-8 are converted for showing. A Jupyter "
        "notebook is shown by its cells, with their "
        "ids and outputs; an image (PNG, JPEG, GIF, WebP, BMP) as a picture; a PDF document by the text of its pages, "
        "or pictures of pages that have none: over 10 pages need `pages`. Directories, archives and other binary files "
        "are refused with advice. A file that was shown before and has not changed is "
        "answered by a note that says so.",
    .guide =
        "Read a file before you change it. Prefer one Read of a whole file over several of small ranges; call Read "
        "for several files at once when you need them all.",
    .fields = read_fields,
    .input_size = sizeof(struct read_input),
    .max_result_chars = 3 * READING_BUDGET,
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = read_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = read_call,
    .render_use = read_render_use,
    .render_result = read_render_result,
};
