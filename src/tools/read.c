/*
 * read.c: the tool Read: a text file as numbered lines (pictures and PDF documents: read_media.h). What is small is
 * read whole; of what is large, only the range that is asked for, in pieces, so that a range of a huge file costs what
 * the range costs. Without a range, a file over the budget is answered by an outline of its parts and the first of
 * them.
 */
#include "base/cleanup.h"
#include "text/encoding.h"
#include "text/lines.h"
#include "text/number.h"
#include "tools/file_kind.h"
#include "tools/file_state.h"
#include "tools/notebook.h"
#include "tools/notebook_show.h"
#include "tools/outline.h"
#include "tools/read_media.h"

#include <helve/tool.h>
#include <string.h>

struct read_input {
    struct hv_str file_path;
    int64_t offset, limit;
    struct hv_str pages;
};

enum {
    LINES_DEFAULT = 2000,
    TEXT_BUDGET = 100000, /* bytes: 25,000 tokens of some 4 bytes */
    PART_BYTES = 60000,   /* of one part in an outline */
    PARTS_SHOWN = 40,
    NAMES_SHOWN = 12,
    HEAD = 8192,
    RANGE_WHOLE_MAX = 1 << 20, /* a range of a file up to this size reads all of it */
    WHOLE_MAX = 64 << 20,      /* no file over this size is read whole */
    SCAN_PIECE = 1 << 20,
    LINE_KEPT = 16384, /* bytes of a line that can matter: 2000 characters and their mark */
};

static const char *const path_aliases[] = {"path", "filePath", "file", "filename", NULL};
static const char *const offset_aliases[] = {"start_line", NULL};

static const struct hv_field read_fields[] = {
    {.name = "file_path",
     .description = "The file to read: an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_NON_EMPTY,
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

/* One call under way. */
struct reading {
    struct hv_context *context;
    const struct read_input *input;
    struct hv_str path, key;
    struct pdf_range pages; /* asked for */
    struct encoding encoding;
    struct file_view view; /* what will be remembered */
    size_t first, count;   /* the lines to show */
    bool has_range;
    bool more;         /* lines follow the last one shown */
    struct hv_buf out; /* numbered lines */
};

static enum hv_code read_bytes(struct reading *reading, uint64_t offset, size_t limit, struct hv_buf *bytes,
                               struct hv_error *err)
{
    const struct hv_host *host = reading->context->host;
    return host->read(host, reading->path, offset, limit, bytes, NULL, err);
}

static enum hv_code fail_cancelled(struct hv_error *err)
{
    return hv_fail(err, HV_ECANCELLED, "Reading was cancelled");
}

/* ---- showing -------------------------------------------------------------------------------------------- */

/* Add one line; false when the budget is used up by the lines before it. */
static bool show_line(struct reading *reading, size_t number, struct hv_str line)
{
    if (reading->view.last && reading->out.len + (line.len < LINE_KEPT ? line.len : LINE_KEPT) > TEXT_BUDGET)
        return false;
    if (!reading->view.last)
        reading->view.first = number;
    reading->view.last = number;
    line_number_format(number, line, &reading->out);
    return true;
}

/* Show the range of a text that is all there. */
static void show_text(struct reading *reading, struct hv_str text)
{
    size_t start = lines_offset(text, reading->first);
    struct hv_str rest = start == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(text, start, text.len);
    struct hv_str line;
    for (size_t i = 0; rest.len && i < reading->count; i++) {
        struct hv_str before = rest;
        if (!lines_next(&rest, &line) || !show_line(reading, reading->first + i, line)) {
            rest = before;
            break;
        }
    }
    reading->more = rest.len > 0;
}

/* ---- ranges of large files ------------------------------------------------------------------------------ */

/* Find where the first line to show begins; *offset is SIZE_MAX past the end, with the lines counted in *lines. */
static enum hv_code seek_line(struct reading *reading, uint64_t *offset, size_t *lines, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf piece;
    hv_buf_init(&piece, SCAN_PIECE);
    struct file_place known = file_state_place(reading->context, reading->key, &reading->view.stat, reading->first);
    uint64_t at = known.line ? known.offset : reading->encoding.mark;
    size_t line = known.line ? known.line : 1;
    bool ends_in_newline = true;
    while (line < reading->first) {
        if (hv_cancelled(reading->context->cancel))
            return fail_cancelled(err);
        hv_buf_clear(&piece);
        enum hv_code code = read_bytes(reading, at, SCAN_PIECE, &piece, err);
        if (code)
            return code;
        struct hv_str bytes = hv_buf_str(&piece);
        if (!bytes.len) {
            *offset = UINT64_MAX;
            *lines = line - (ends_in_newline ? 1 : 0);
            return HV_OK;
        }
        size_t newlines = lines_newlines(bytes);
        if (line + newlines >= reading->first) {
            size_t from = 0;
            for (; line < reading->first; line++)
                from = hv_str_find_byte(bytes, '\n', from) + 1;
            at += from;
            break;
        }
        line += newlines;
        at += bytes.len;
        ends_in_newline = bytes.ptr[bytes.len - 1] == '\n';
    }
    *offset = at;
    reading->view.begin = (struct file_place){line, at};
    return HV_OK;
}

/* The line being put together while pieces arrive. */
struct open_line {
    struct hv_buf kept; /* its first LINE_KEPT bytes */
    size_t dropped;
};

static void open_line_add(struct open_line *line, struct hv_str bytes)
{
    size_t room = LINE_KEPT - line->kept.len, take = bytes.len < room ? bytes.len : room;
    hv_buf_add(&line->kept, bytes.ptr, take);
    line->dropped += bytes.len - take;
}

static bool open_line_show(struct reading *reading, struct open_line *line, size_t number)
{
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, (size_t)LINE_KEPT * 4);
    struct encoding plain = {.kind = reading->encoding.kind};
    struct hv_str bytes = hv_buf_str(&line->kept);
    bool decoded = plain.kind != ENCODING_UTF8 && encoding_to_utf8(bytes, plain, &text, NULL) == HV_OK;
    bool shown = show_line(reading, number, decoded ? hv_buf_str(&text) : bytes);
    if (shown && line->dropped)
        hv_buf_addf(&reading->out, "[line %zu goes on for at least %zu bytes more]\n", number, line->dropped);
    hv_buf_clear(&line->kept);
    line->dropped = 0;
    return shown;
}

/* Show lines from a byte offset on, reading no further than the last of them. */
static enum hv_code show_stream(struct reading *reading, uint64_t at, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf piece;
    hv_buf_init(&piece, SCAN_PIECE);
    struct open_line line = {0};
    hv_buf_init(&line.kept, LINE_KEPT + 1);
    size_t number = reading->first, end = reading->first + reading->count;
    enum hv_code code = HV_OK;
    reading->more = true;
    while (number < end && !code) {
        hv_buf_clear(&piece);
        code = read_bytes(reading, at, HEAD * 8, &piece, err);
        if (!code && hv_cancelled(reading->context->cancel))
            code = fail_cancelled(err);
        if (code)
            break;
        struct hv_str bytes = hv_buf_str(&piece);
        at += bytes.len;
        if (!bytes.len) {
            reading->more = line.kept.len && !open_line_show(reading, &line, number);
            break;
        }
        for (size_t newline; number < end && (newline = hv_str_find_byte(bytes, '\n', 0)) != SIZE_MAX;) {
            open_line_add(&line, hv_str_slice(bytes, 0, newline));
            bool shown = open_line_show(reading, &line, number++);
            bytes = hv_str_slice(bytes, newline + 1, bytes.len);
            if (shown)
                reading->view.end = (struct file_place){number, at - bytes.len};
            else
                end = number;
        }
        open_line_add(&line, bytes);
        if (number + 1 == end && line.dropped) { /* nothing needs the end of a last line that is cut anyway */
            (void)open_line_show(reading, &line, number);
            break;
        }
    }
    hv_buf_release(&line.kept);
    return code;
}

/* ---- parts ---------------------------------------------------------------------------------------------- */

struct part {
    size_t first, lines, bytes, names;
    struct hv_buf text; /* the names */
};

static void part_print(struct hv_buf *out, struct part *part)
{
    hv_buf_addf(out, "  offset %zu, limit %zu", part->first, part->lines);
    if (part->names)
        hv_buf_addf(out, ": %s", part->text.data);
    if (part->names > NAMES_SHOWN)
        hv_buf_addf(out, ", … (%zu more)", part->names - NAMES_SHOWN);
    hv_buf_add_byte(out, '\n');
    hv_buf_clear(&part->text);
    *part = (struct part){.first = part->first + part->lines, .text = part->text};
}

/* The parts of a text with what is defined in each; the first part's lines become the range to show. */
static void outline(struct reading *reading, struct hv_str text, struct hv_buf *out)
{
    struct part part = {.first = 1};
    hv_buf_init(&part.text, 8192);
    struct hv_str line;
    size_t parts = 0, number = 0;
    while (lines_next(&text, &line)) {
        number++;
        size_t bytes = (line.len < LINE_KEPT ? line.len : LINE_KEPT) + 8;
        if (part.lines && (part.bytes + bytes > PART_BYTES || part.lines == LINES_DEFAULT)) {
            if (parts++ == 0)
                reading->count = part.lines;
            if (parts <= PARTS_SHOWN)
                part_print(out, &part);
            else
                part = (struct part){.first = number, .text = part.text};
        }
        part.lines++;
        part.bytes += bytes;
        struct hv_str name = parts < PARTS_SHOWN ? outline_definition(lines_chop(line)) : (struct hv_str){0};
        if (name.ptr && part.names++ < NAMES_SHOWN)
            hv_buf_addf(&part.text, "%s%.*s", part.names > 1 ? ", " : "", HV_STR_ARG(name));
    }
    if (parts < PARTS_SHOWN)
        part_print(out, &part);
    else
        hv_buf_addf(out, "  … and %zu more parts, up to line %zu\n", parts + 1 - PARTS_SHOWN, number);
    hv_buf_release(&part.text);
}

static void introduce_parts(struct reading *reading, struct hv_str text, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    CLEANUP_BUF struct hv_buf out;
    hv_buf_init(&out, 1 << 20);
    struct hv_str size = file_size_text(arena, reading->view.stat.size);
    hv_buf_addf(&out, "This file is too large to show at once: %.*s, %zu lines. Its parts, to be read one by one:\n",
                HV_STR_ARG(size), reading->view.total);
    outline(reading, text, &out);
    hv_buf_add_cstr(&out, "To find something in it, use Grep. The first part:\n");
    hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(&out)));
}

/* ---- the answer ----------------------------------------------------------------------------------------- */

static void add_notes(struct reading *reading, struct hv_buf *out)
{
    const struct file_view *view = &reading->view;
    if (reading->more && view->total)
        hv_buf_addf(out, "[Lines %zu to %zu of %zu are shown. Continue with offset %zu.]\n", view->first, view->last,
                    view->total, view->last + 1);
    else if (reading->more)
        hv_buf_addf(out, "[Lines %zu to %zu are shown, more follow. Continue with offset %zu.]\n", view->first,
                    view->last, view->last + 1);
    if (reading->encoding.kind != ENCODING_UTF8)
        hv_buf_addf(out, "[The file is in %s; it is shown as UTF-8.]\n", encoding_name(reading->encoding.kind));
}

static void answer(struct reading *reading, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    const struct file_view *view = &reading->view;
    add_notes(reading, &reading->out);
    size_t lines = view->last ? view->last - view->first + 1 : 0;
    if (lines)
        hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(&reading->out)));
    else if (view->total)
        hv_result_addf(result, arena, "The file has %zu line%s; offset %zu lies past its end.", view->total,
                       view->total == 1 ? "" : "s", reading->first);
    else
        hv_result_addf(result, arena, "The file exists and is empty.");
    result->summary = hv_arena_format(arena, "%zu line%s", lines, lines == 1 ? "" : "s");
    file_state_note_read(reading->context, reading->key, view);
}

static enum hv_code read_range(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    uint64_t offset;
    enum hv_code code = seek_line(reading, &offset, &reading->view.total, err);
    if (!code && offset != UINT64_MAX)
        code = show_stream(reading, offset, err);
    if (!reading->view.last && !reading->view.total)
        reading->view.total = reading->first - 1;
    if (!code)
        answer(reading, result);
    return code;
}

static enum hv_code read_whole(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf bytes, decoded;
    hv_buf_init(&bytes, WHOLE_MAX);
    hv_buf_init(&decoded, (size_t)WHOLE_MAX * 3);
    enum hv_code code = read_bytes(reading, 0, SIZE_MAX / 4, &bytes, err);
    if (code)
        return code;
    reading->view.bytes = hv_buf_str(&bytes);
    reading->encoding = encoding_detect(reading->view.bytes);
    struct hv_str text = hv_str_slice(reading->view.bytes, reading->encoding.mark, bytes.len);
    if (reading->encoding.kind != ENCODING_UTF8) {
        code = encoding_to_utf8(reading->view.bytes, reading->encoding, &decoded, err);
        if (code)
            return code;
        text = hv_buf_str(&decoded);
    }
    reading->view.total = lines_count(text);
    if (!reading->has_range && text.len > TEXT_BUDGET)
        introduce_parts(reading, text, result);
    show_text(reading, text);
    answer(reading, result);
    return HV_OK;
}

/* A notebook by its cells; false when it is none after all, or not of a format that has cells: then it is text. */
static bool read_notebook(struct reading *reading, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    CLEANUP_BUF struct hv_buf bytes;
    const struct hv_json *notebook;
    hv_buf_init(&bytes, WHOLE_MAX);
    if (read_bytes(reading, 0, SIZE_MAX / 4, &bytes, NULL) != HV_OK ||
        notebook_parse(arena, hv_buf_str(&bytes), &notebook, NULL) != HV_OK)
        return false;
    size_t shown = notebook_show(arena, notebook, TEXT_BUDGET, result);
    struct file_view *view = &reading->view;
    view->bytes = hv_buf_str(&bytes);
    view->total = lines_count(view->bytes);
    view->first = 1;
    view->last = shown == hv_json_get(notebook, "cells")->count ? view->total : 1;
    result->summary = hv_arena_format(arena, "%zu cell%s", shown, shown == 1 ? "" : "s");
    file_state_note_read(reading->context, reading->key, view);
    return true;
}

/* Over WHOLE_MAX and without a range: the first lines, and how to go on. */
static enum hv_code read_beginning(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    struct hv_arena *arena = reading->context->arena;
    struct hv_str size = file_size_text(arena, reading->view.stat.size);
    hv_result_addf(result, arena,
                   "This file is very large: %.*s. Its beginning is shown; read other parts with offset and limit, or "
                   "search it with Grep.\n",
                   HV_STR_ARG(size));
    return read_range(reading, result, err);
}

/* Refuse what is no text, by its first bytes. */
static enum hv_code check_text(struct reading *reading, struct hv_str head, struct hv_error *err)
{
    reading->encoding = encoding_detect_head(head);
    const struct file_kind *kind = file_kind_sniff(head);
    struct hv_str size = file_size_text(reading->context->arena, reading->view.stat.size);
    if (kind || reading->encoding.kind == ENCODING_BINARY) {
        hv_fail(err, HV_EUNSUPPORTED, "%.*s is %s (%.*s), which cannot be shown as text", HV_STR_ARG(reading->path),
                kind ? kind->name : "a binary file", HV_STR_ARG(size));
        hv_error_hint(err, "%s", kind ? kind->hint : "Look into it in a shell with `file`, `xxd | head` or `strings`");
        return HV_EUNSUPPORTED;
    }
    if (encoding_has_plain_lines(reading->encoding.kind) || reading->view.stat.size <= WHOLE_MAX)
        return HV_OK;
    hv_fail(err, HV_ETOOBIG, "%.*s is in %s and too large to be converted (%.*s)", HV_STR_ARG(reading->path),
            encoding_name(reading->encoding.kind), HV_STR_ARG(size));
    hv_error_hint(err, "Convert it with `iconv` in a shell first");
    return HV_ETOOBIG;
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

static enum hv_code fail_no_pages(const struct reading *reading, struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "pages is for PDF documents, and %.*s is none", HV_STR_ARG(reading->path));
    hv_error_hint(err, "Leave pages out; offset and limit choose lines of a text");
    return HV_EINVAL;
}

static enum hv_code read_kind_of_file(struct reading *reading, struct hv_result *result, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf head;
    hv_buf_init(&head, HEAD);
    enum hv_code code = read_bytes(reading, 0, HEAD, &head, err);
    if (code)
        return code;
    enum read_media_kind kind = read_media_kind_of(reading->path, hv_buf_str(&head));
    struct read_media media = {reading->context, reading->path, reading->key, &reading->view, reading->pages, result};
    if (reading->pages.first && kind != READ_MEDIA_PDF)
        return fail_no_pages(reading, err);
    if (kind != READ_MEDIA_NONE)
        return kind == READ_MEDIA_PDF ? read_media_pdf(&media, err) : read_media_image(&media, err);
    code = check_text(reading, hv_buf_str(&head), err);
    if (code)
        return code;
    uint64_t size = reading->view.stat.size;
    bool notebook = !reading->has_range && size <= WHOLE_MAX && hv_str_ends(reading->path, HV_STR(".ipynb"));
    if (notebook && read_notebook(reading, result))
        return HV_OK;
    if (!reading->has_range && size > WHOLE_MAX)
        return read_beginning(reading, result, err);
    if (reading->has_range && encoding_has_plain_lines(reading->encoding.kind) && size > RANGE_WHOLE_MAX)
        return read_range(reading, result, err);
    return read_whole(reading, result, err);
}

static enum hv_code read_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    const struct read_input *in = input;
    struct reading reading = {.context = context, .input = in, .path = in->file_path};
    reading.view = (struct file_view){.offset = in->offset, .limit = in->limit};
    reading.has_range = in->offset > 0 || in->limit > 0;
    reading.first = in->offset > 1 ? (size_t)in->offset : 1;
    reading.count = in->limit > 0 ? (size_t)in->limit : LINES_DEFAULT;
    if (reading.count > SIZE_MAX / 2 - reading.first)
        reading.count = SIZE_MAX / 2 - reading.first;
    enum hv_code code = in->pages.len ? pdf_range_parse(in->pages, &reading.pages, err) : HV_OK;
    code = code ? code : check_file(&reading, err);
    if (code)
        return code;
    if (reading.pages.first) { /* another request than any of lines */
        reading.view.offset = -(int64_t)reading.pages.first;
        reading.view.limit = -(int64_t)reading.pages.last;
    }
    reading.key = file_state_key(context, in->file_path);
    if (file_state_already_shown(context, reading.key, &reading.view)) {
        hv_result_addf(
            result, context->arena,
            "The file is unchanged since it was last read with this range; what was shown then still holds.");
        result->summary = HV_STR("unchanged");
        return HV_OK;
    }
    hv_buf_init(&reading.out, 2 * TEXT_BUDGET + 4 * LINE_KEPT);
    code = read_kind_of_file(&reading, result, err);
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
    .max_result_chars = 3 * TEXT_BUDGET,
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = read_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = read_call,
    .render_use = read_render_use,
};
