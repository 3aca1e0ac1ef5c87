/* read_text.c: see reading.h: lines of a text that is held whole, the outline of one over the budget, and the notes
 * that all answers have. */
#include "base/cleanup.h"
#include "text/line_units.h"
#include "text/number.h"
#include "tools/file_kind.h"
#include "tools/outline.h"
#include "tools/reading.h"

#include <string.h>

enum {
    PART_BYTES = 60000, /* of one part in an outline */
    PARTS_SHOWN = 40,
    NAMES_SHOWN = 12,
    PREFIX_BYTES = 8, /* a line number and its tab */
    SURE = 70,        /* the confidence from which an encoding is told as a fact */
};

/* ---- lines ---------------------------------------------------------------------------------------------- */

bool reading_show_line(struct reading *reading, size_t number, struct hv_str line)
{
    size_t len = line.len < READING_LINE_KEPT ? line.len : READING_LINE_KEPT;
    if (reading->view.last && reading->out.len + len > READING_BUDGET)
        return false;
    if (!reading->view.last)
        reading->view.first = number;
    reading->view.last = number;
    line_number_format(number, line, &reading->out);
    return true;
}

static void show_lines(struct reading *reading, struct hv_str text)
{
    size_t start = line_units_after(text, reading->first - 1, line_unit_of(ENCODING_UTF8));
    struct hv_str rest = start == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(text, start, text.len);
    struct hv_str line;
    size_t most = rest.len < READING_BUDGET ? rest.len + rest.len / 4 : READING_BUDGET; /* mostly enough room */
    (void)hv_buf_reserve(&reading->out, most + READING_LINE_KEPT);
    for (size_t i = 0; rest.len && i < reading->count; i++) {
        struct hv_str before = rest;
        if (!lines_next(&rest, &line) || !reading_show_line(reading, reading->first + i, line)) {
            rest = before;
            break;
        }
    }
    reading->more = rest.len > 0;
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

/* Whether a part ends before this line: it is full, or nearly so and something new begins here. */
static bool part_ends(const struct part *part, size_t bytes, bool is_definition)
{
    if (!part->lines)
        return false;
    return part->bytes + bytes > PART_BYTES || part->lines == READING_LINES ||
           (is_definition && part->bytes > PART_BYTES / 4 * 3);
}

static void part_add(struct part *part, size_t bytes, struct hv_str name)
{
    part->lines++;
    part->bytes += bytes;
    if (name.ptr && part->names++ < NAMES_SHOWN)
        hv_buf_addf(&part->text, "%s%.*s", part->names > 1 ? ", " : "", HV_STR_ARG(name));
}

/* The parts of a text with what is defined in each, and how many there are; the first part's lines become the range to
 * show. */
static size_t outline(struct reading *reading, struct hv_str text, struct hv_buf *out)
{
    struct part part = {.first = 1};
    hv_buf_init(&part.text, 8192);
    struct hv_str line;
    size_t parts = 0, number = 0;
    while (lines_next(&text, &line)) {
        number++;
        size_t bytes = (line.len < READING_LINE_KEPT ? line.len : READING_LINE_KEPT) + PREFIX_BYTES;
        struct hv_str name = parts < PARTS_SHOWN ? outline_definition(lines_chop(line)) : (struct hv_str){0};
        if (part_ends(&part, bytes, name.ptr && line.ptr[0] != ' ')) {
            if (parts++ == 0)
                reading->count = part.lines;
            if (parts <= PARTS_SHOWN)
                part_print(out, &part);
            else
                part = (struct part){.first = number, .text = part.text};
        }
        part_add(&part, bytes, name);
    }
    if (parts < PARTS_SHOWN)
        part_print(out, &part);
    else
        hv_buf_addf(out, "  … and %zu more parts, up to line %zu\n", parts + 1 - PARTS_SHOWN, number);
    hv_buf_release(&part.text);
    return parts + 1;
}

static void introduce_parts(struct reading *reading, struct hv_str text, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    CLEANUP_BUF struct hv_buf parts = {0};
    hv_buf_init(&parts, 1 << 20);
    struct hv_str size = file_size_text(arena, reading->view.stat.size);
    size_t lines = reading->view.total;
    if (outline(reading, text, &parts) > 1)
        hv_result_addf(result, arena,
                       "This file is too large to show at once: %.*s, %zu lines. Its parts, to be read one by one:\n"
                       "%.*sTo find something in it, use Grep. The first part:\n",
                       HV_STR_ARG(size), lines, HV_STR_ARG(hv_buf_str(&parts)));
    else
        hv_result_addf(result, arena,
                       "This file has %.*s in %zu line%s, too long to be shown in full. To find something in it, use "
                       "Grep, which shows what stands around a match.\n",
                       HV_STR_ARG(size), lines, lines == 1 ? "" : "s");
}

/* ---- the answer ----------------------------------------------------------------------------------------- */

static void note_encoding(const struct reading *reading, struct hv_buf *out)
{
    const struct encoding *encoding = &reading->encoding;
    const char *name = encoding_name(encoding->kind);
    if (reading->damaged)
        hv_buf_add_cstr(out, "[Some bytes of the file are not valid UTF-8; each is shown as U+FFFD.]\n");
    else if (encoding->kind != ENCODING_UTF8 && encoding->kind != ENCODING_8BIT && encoding->confidence < SURE)
        hv_buf_addf(out, "[The file seems to be in %s, which is a guess; it is shown as UTF-8.]\n", name);
    else if (encoding->kind != ENCODING_UTF8)
        hv_buf_addf(out, "[The file is in %s; it is shown as UTF-8.]\n", name);
}

static void note_line_ends(const struct reading *reading, struct hv_buf *out)
{
    const struct line_ends *ends = &reading->ends;
    if (ends->crlf && ends->lf)
        hv_buf_addf(out, "[Its line ends are mixed: %zu CRLF, %zu LF; edits keep each.]\n", ends->crlf, ends->lf);
    else if (ends->crlf)
        hv_buf_add_cstr(out, "[Its lines end in CRLF, which edits keep.]\n");
    else if (ends->cr && !ends->lf)
        hv_buf_add_cstr(out, "[Its lines end in CR alone, as on old Macs.]\n");
}

/* What cleans results takes these away (text/controls.h): that must not hide that they are there. */
static void note_sequences(struct hv_buf *out)
{
    size_t count = 0;
    for (size_t at = 0; (at = hv_str_find(hv_buf_str(out), HV_STR("\x1b["), at)) != SIZE_MAX; at++)
        count++;
    if (count)
        hv_buf_addf(out,
                    "[%zu escape sequence%s in these lines, such as set colours (ESC [ …), %s not shown; edits keep "
                    "what they do not replace.]\n",
                    count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static void add_notes(struct reading *reading, struct hv_buf *out)
{
    const struct file_view *view = &reading->view;
    if (reading->more && view->total)
        hv_buf_addf(out, "[Lines %zu to %zu of %zu are shown. Continue with offset %zu.]\n", view->first, view->last,
                    view->total, view->last + 1);
    else if (reading->more)
        hv_buf_addf(out, "[Lines %zu to %zu are shown, more follow. Continue with offset %zu.]\n", view->first,
                    view->last, view->last + 1);
    note_sequences(out);
    note_encoding(reading, out);
    note_line_ends(reading, out);
}

void reading_answer(struct reading *reading, struct hv_result *result)
{
    struct hv_arena *arena = reading->context->arena;
    const struct file_view *view = &reading->view;
    size_t lines = view->last ? view->last - view->first + 1 : 0;
    if (lines) {
        add_notes(reading, &reading->out);
        size_t len;
        char *text = hv_buf_take(&reading->out, &len);
        hv_arena_on_release(arena, free, text);
        hv_result_add_text(result, arena, hv_str_of(text, len));
    } else if (view->total) {
        hv_result_addf(result, arena, "The file has %zu line%s; offset %zu lies past its end.", view->total,
                       view->total == 1 ? "" : "s", reading->first);
    } else {
        hv_result_addf(result, arena, "The file exists and is empty.");
    }
    result->summary = hv_arena_format(arena, "%zu line%s", lines, lines == 1 ? "" : "s");
    file_state_note_read(reading->context, reading->key, view);
}

void reading_answer_unchanged(struct reading *reading, struct hv_result *result)
{
    hv_result_addf(result, reading->context->arena,
                   "The file is unchanged since it was last read with this range; what was shown then still holds.");
    result->summary = HV_STR("unchanged");
}

void reading_show_text(struct reading *reading, const struct file_text *text, struct hv_result *result)
{
    struct file_view *view = &reading->view;
    reading->encoding = text->encoding;
    reading->damaged = text->damaged;
    reading->ends = text->ends;
    view->stat = text->stat;
    view->is_whole = true;
    view->size = text->bytes.len;
    view->hash = text->hash;
    view->total = text->lines;
    if (file_state_same_shown(reading->context, reading->key, view)) {
        reading_answer_unchanged(reading, result);
        return;
    }
    if (!reading->has_range && text->text.len > READING_BUDGET)
        introduce_parts(reading, text->text, result);
    show_lines(reading, text->text);
    reading_answer(reading, result);
}
