/* notebook.c: see notebook.h. The layout of what is put in is taken from what stands around it. */
#include "tools/notebook.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "text/lines.h"

#include <string.h>

enum { IDS_SHOWN = 20, TEXT_MAX = 1 << 28 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define HINT_OTHER_FILES "Notebooks of nbformat 4 are changed cell by cell; change other files with Edit or Write"

static enum hv_code fail_format(struct hv_error *err, const char *what)
{
    hv_fail(err, HV_EINVAL, "this is no notebook: %s", what);
    hv_error_hint(err, HINT_OTHER_FILES);
    return HV_EINVAL;
}

enum hv_code notebook_parse(struct hv_arena *arena, struct hv_str file, const struct hv_json **notebook,
                            struct hv_error *err)
{
    enum hv_code code =
        hv_json_parse(arena, file, HV_JSON_ALLOW_BOM | HV_JSON_REPAIR_SURROGATES | HV_JSON_ALLOW_NAN, notebook, err);
    if (code) {
        hv_error_prefix(err, "this is no notebook: ");
        hv_error_hint(err, HINT_OTHER_FILES);
        return HV_EINVAL;
    }
    int64_t format = 0;
    const struct hv_json *cells = hv_json_get(*notebook, "cells");
    (void)hv_json_int64(hv_json_get(*notebook, "nbformat"), &format);
    if (format != 4)
        return fail_format(err, "its nbformat is not 4");
    if (hv_json_type_of(cells) != HV_JSON_ARRAY)
        return fail_format(err, "it has no array of cells");
    hv_json_each(cell, cells)
    {
        if (cell->type != HV_JSON_OBJECT || !cell->count)
            return fail_format(err, "a cell is no object");
    }
    return HV_OK;
}

struct hv_str notebook_text(struct hv_arena *arena, const struct hv_json *value)
{
    if (hv_json_type_of(value) == HV_JSON_STRING)
        return hv_json_string(value);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    if (hv_json_type_of(value) == HV_JSON_ARRAY)
        hv_json_each(line, value) hv_buf_add_str(&text, hv_json_string(line));
    return hv_arena_str(arena, hv_buf_str(&text));
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

/* A change under way, and how the file is laid out. */
struct editing {
    struct hv_arena *arena;
    struct hv_str file;
    const struct hv_json *notebook, *cells;
    const struct notebook_request *request;
    struct hv_str before_cell;   /* blanks between '[' or ',' and a cell */
    struct hv_str before_member; /* the same in a cell */
    struct hv_str before_line;   /* in the array of a source */
    struct hv_str closing;       /* between the last cell and ']' */
    struct hv_str colon;         /* between a name and its value, the colon included */
    VEC(struct edit_splice) splices;
};

static struct hv_str between(const struct editing *editing, size_t start, size_t end)
{
    return hv_str_slice(editing->file, start, end);
}

/* The blanks that follow a comma in compact layouts: " " of Python's default, or nothing. */
static struct hv_str after_comma(const struct editing *editing, const struct hv_json *object)
{
    const struct hv_json *first = object->first, *second = first ? first->next : NULL;
    return second ? between(editing, first->end + 1, second->key_start) : HV_STR("");
}

static bool is_line(struct hv_str blanks)
{
    return hv_str_find_byte(blanks, '\n', 0) != SIZE_MAX;
}

/* outer with one step of indentation more. */
static struct hv_str deeper(struct editing *editing, struct hv_str outer, struct hv_str step)
{
    return hv_arena_join(editing->arena, outer, step);
}

/* The layout of the root tells that of cells and members where none is there to look at. */
static void learn_layout(struct editing *editing)
{
    const struct hv_json *root = editing->notebook, *cells = editing->cells, *cell = cells->first;
    struct hv_str root_blanks = between(editing, root->start + 1, root->first->key_start);
    bool lines = is_line(root_blanks);
    size_t newline = lines ? hv_str_find_byte(root_blanks, '\n', 0) + 1 : 0;
    struct hv_str step = lines ? hv_str_slice(root_blanks, newline, root_blanks.len) : HV_STR("");
    struct hv_str comma = after_comma(editing, root);
    editing->colon = between(editing, root->first->key_end, root->first->start);
    editing->before_cell = lines ? deeper(editing, root_blanks, step) : comma;
    editing->closing = lines ? root_blanks : HV_STR("");
    if (cell && is_line(between(editing, cells->start + 1, cell->start)))
        editing->before_cell = between(editing, cells->start + 1, cell->start);
    editing->before_member = lines ? deeper(editing, editing->before_cell, step) : comma;
    if (cell && is_line(between(editing, cell->start + 1, cell->first->key_start)))
        editing->before_member = between(editing, cell->start + 1, cell->first->key_start);
    editing->before_line = lines ? deeper(editing, editing->before_member, step) : comma;
}

/* ---- writing JSON in the file's layout --------------------------------------------------------------------------- */

static void add_string(struct hv_buf *out, struct hv_str text)
{
    hv_buf_add_byte(out, '"');
    hv_json_escape(out, text);
    hv_buf_add_byte(out, '"');
}

/* A source: an array with a string for each line, as nbformat has it. */
static void add_source(const struct editing *editing, struct hv_str source, struct hv_buf *out)
{
    struct hv_str line;
    bool lines = is_line(editing->before_line), first = true;
    hv_buf_add_byte(out, '[');
    while (lines_next(&source, &line)) {
        if (!first)
            hv_buf_add_byte(out, ',');
        if (!first || lines)
            hv_buf_add_str(out, editing->before_line);
        add_string(out, line);
        first = false;
    }
    if (!first && lines)
        hv_buf_add_str(out, editing->before_member);
    hv_buf_add_byte(out, ']');
}

static void add_name(const struct editing *editing, const char *name, bool first, struct hv_buf *out)
{
    if (!first)
        hv_buf_add_byte(out, ',');
    if (!first || is_line(editing->before_member))
        hv_buf_add_str(out, editing->before_member);
    hv_buf_addf(out, "\"%s\"", name);
    hv_buf_add_str(out, editing->colon);
}

static const char *type_name(enum notebook_cell type)
{
    return type == NOTEBOOK_MARKDOWN ? "markdown" : type == NOTEBOOK_RAW ? "raw" : "code";
}

/* A whole cell, its members in the order that nbformat writes them. */
static void add_cell(const struct editing *editing, struct hv_str id, struct hv_buf *out)
{
    bool code = editing->request->type == NOTEBOOK_SAME || editing->request->type == NOTEBOOK_CODE;
    hv_buf_add_byte(out, '{');
    add_name(editing, "cell_type", true, out);
    hv_buf_addf(out, "\"%s\"", type_name(editing->request->type));
    if (code) {
        add_name(editing, "execution_count", false, out);
        hv_buf_add_cstr(out, "null");
    }
    if (id.len) {
        add_name(editing, "id", false, out);
        add_string(out, id);
    }
    add_name(editing, "metadata", false, out);
    hv_buf_add_cstr(out, "{}");
    if (code) {
        add_name(editing, "outputs", false, out);
        hv_buf_add_cstr(out, "[]");
    }
    add_name(editing, "source", false, out);
    add_source(editing, editing->request->source, out);
    if (is_line(editing->before_cell))
        hv_buf_add_str(out, editing->before_cell);
    hv_buf_add_byte(out, '}');
}

/* ---- splices ----------------------------------------------------------------------------------------------------- */

static void splice(struct editing *editing, size_t start, size_t end, struct hv_str text)
{
    *vec_push(&editing->splices) = (struct edit_splice){start, end, hv_arena_str(editing->arena, text)};
}

static void put_value(struct editing *editing, const struct hv_json *value, const char *json)
{
    if (!hv_str_is(between(editing, value->start, value->end), json))
        splice(editing, value->start, value->end, hv_str_from(json));
}

/* Take a member or an element out, with the comma that parts it from its neighbour. */
static void take_out(struct editing *editing, const struct hv_json *container, const struct hv_json *value)
{
    const struct hv_json *before = NULL;
    for (const struct hv_json *each = container->first; each != value; each = each->next)
        before = each;
    size_t start = value->key.ptr ? value->key_start : value->start;
    if (before)
        splice(editing, before->end, value->end, HV_STR(""));
    else if (value->next)
        splice(editing, start, value->next->key.ptr ? value->next->key_start : value->next->start, HV_STR(""));
    else
        splice(editing, container->start + 1, container->end - 1, HV_STR(""));
}

/* Members that code cells have and others have not. */
static void fit_members(struct editing *editing, const struct hv_json *cell, bool code)
{
    static const char *const names[] = {"execution_count", "outputs"};
    static const char *const cleared[] = {"null", "[]"};
    const struct hv_json *type = hv_json_get(cell, "cell_type");
    for (size_t i = 0; i < 2; i++) {
        const struct hv_json *member = hv_json_get(cell, names[i]);
        CLEANUP_BUF struct hv_buf added = {0};
        hv_buf_init(&added, 4096);
        if (code && member) {
            put_value(editing, member, cleared[i]);
        } else if (code) {
            add_name(editing, names[i], false, &added);
            hv_buf_add_cstr(&added, cleared[i]);
            splice(editing, type->end, type->end, hv_buf_str(&added));
        } else if (member) {
            take_out(editing, cell, member);
        }
    }
}

static bool same_text(struct editing *editing, const struct hv_json *source)
{
    return hv_str_eq(notebook_text(editing->arena, source), editing->request->source);
}

static enum hv_code replace(struct editing *editing, const struct hv_json *cell, struct hv_error *err)
{
    const struct hv_json *source = hv_json_get(cell, "source"), *type = hv_json_get(cell, "cell_type");
    if (!source || hv_json_type_of(type) != HV_JSON_STRING)
        return fail_format(err, "the cell has no source or no cell_type");
    const char *wanted = type_name(editing->request->type);
    bool retyped = editing->request->type != NOTEBOOK_SAME && !hv_str_is(type->text, wanted);
    if (!retyped && same_text(editing, source)) {
        hv_fail(err, HV_EINVAL, "the cell has this source already; nothing would change");
        hv_error_place(err, "new_source");
        return HV_EINVAL;
    }
    bool code = retyped ? editing->request->type == NOTEBOOK_CODE : hv_str_is(type->text, "code");
    if (retyped)
        splice(editing, type->start, type->end, hv_arena_format(editing->arena, "\"%s\"", wanted));
    if (code || retyped)
        fit_members(editing, cell, code);
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    if (source->type == HV_JSON_STRING)
        add_string(&text, editing->request->source);
    else
        add_source(editing, editing->request->source, &text);
    if (!same_text(editing, source))
        splice(editing, source->start, source->end, hv_buf_str(&text));
    return text.failed ? hv_fail(err, HV_ETOOBIG, "the source is too long") : HV_OK;
}

/* behind: the cell it follows; NULL: it becomes the first. */
static enum hv_code insert(struct editing *editing, const struct hv_json *behind, struct hv_str id,
                           struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    const struct hv_json *cells = editing->cells, *first = cells->first;
    if (behind) {
        hv_buf_add_byte(&text, ',');
        hv_buf_add_str(&text, editing->before_cell);
        add_cell(editing, id, &text);
        splice(editing, behind->end, behind->end, hv_buf_str(&text));
    } else if (first) {
        add_cell(editing, id, &text);
        hv_buf_add_byte(&text, ',');
        hv_buf_add_str(&text, editing->before_cell);
        splice(editing, first->start, first->start, hv_buf_str(&text));
    } else {
        bool lines = is_line(editing->before_cell);
        if (lines)
            hv_buf_add_str(&text, editing->before_cell);
        add_cell(editing, id, &text);
        hv_buf_add_str(&text, lines ? editing->closing : HV_STR(""));
        splice(editing, cells->start + 1, cells->end - 1, hv_buf_str(&text));
    }
    return text.failed ? hv_fail(err, HV_ETOOBIG, "the source is too long") : HV_OK;
}

/* ---- which cell -------------------------------------------------------------------------------------------------- */

static const struct hv_json *cell_at(const struct editing *editing, int64_t number)
{
    return number >= 0 && number < (int64_t)editing->cells->count ? hv_json_at(editing->cells, (size_t)number) : NULL;
}

/* The first cell of that id; *count is how many there are. */
static const struct hv_json *cell_by_id(const struct editing *editing, struct hv_str id, size_t *count)
{
    int64_t number;
    const struct hv_json *found = NULL;
    *count = 0;
    hv_json_each(cell, editing->cells) if (hv_str_eq(hv_json_get_string(cell, "id"), id) && !(*count)++) found = cell;
    if (found)
        return found;
    /* Cells without an id are shown as cell-N. */
    return hv_str_starts(id, HV_STR("cell-")) && hv_str_to_int64(hv_str_slice(id, 5, id.len), &number)
               ? cell_at(editing, number)
               : NULL;
}

static enum hv_code no_such_cell(const struct editing *editing, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf ids = {0};
    hv_buf_init(&ids, 400);
    size_t shown = 0;
    hv_json_each(cell, editing->cells)
    {
        struct hv_str id = hv_json_get_string(cell, "id");
        if (id.len && shown++ < IDS_SHOWN)
            hv_buf_addf(&ids, "%s%.*s", ids.len ? ", " : "", (int)(id.len < 64 ? id.len : 64), id.ptr);
    }
    if (editing->request->cell_id.len)
        hv_fail(err, HV_ENOTFOUND, "there is no cell with the id \"%.*s\"", HV_STR_ARG(editing->request->cell_id));
    else
        hv_fail(err, HV_ENOTFOUND, "there is no cell number %lld", (long long)editing->request->cell_number);
    hv_error_hint(err, "The notebook has %u cells, numbered from 0%s%s", editing->cells->count,
                  ids.len ? "; their ids: " : "", ids.len ? ids.data : "");
    return HV_ENOTFOUND;
}

static enum hv_code find_cell(const struct editing *editing, const struct hv_json **cell, struct hv_error *err)
{
    const struct notebook_request *request = editing->request;
    size_t count = 0;
    *cell = NULL;
    if (request->cell_id.len)
        *cell = cell_by_id(editing, request->cell_id, &count);
    else if (request->cell_number >= 0)
        *cell = cell_at(editing, request->cell_number);
    else if (request->mode == NOTEBOOK_INSERT)
        return HV_OK;
    else
        return hv_fail(err, HV_EINVAL, "say which cell: cell_id or cell_number is missing");
    if (count > 1) {
        hv_fail(err, HV_ECONFLICT, "%zu cells have the id \"%.*s\"", count, HV_STR_ARG(request->cell_id));
        hv_error_hint(err, "Give cell_number, counted from 0, instead of cell_id");
        return HV_ECONFLICT;
    }
    return *cell ? HV_OK : no_such_cell(editing, err);
}

static size_t index_of(const struct editing *editing, const struct hv_json *cell)
{
    size_t index = 0;
    for (const struct hv_json *each = editing->cells->first; each != cell; each = each->next)
        index++;
    return index;
}

/* An id that no cell has; none where the notebook's format has no ids (before 4.5). The same notebook and source give
 * the same one. */
static struct hv_str new_id(struct editing *editing)
{
    int64_t minor = 0;
    if (!hv_json_int64(hv_json_get(editing->notebook, "nbformat_minor"), &minor) || minor < 5)
        return (struct hv_str){0};
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < editing->request->source.len; i++)
        hash = (hash ^ (unsigned char)editing->request->source.ptr[i]) * 16777619u;
    for (;; hash += 2654435761u) {
        struct hv_str id = hv_arena_format(editing->arena, "%08x", hash);
        bool taken = false;
        hv_json_each(cell, editing->cells) taken |= hv_str_eq(hv_json_get_string(cell, "id"), id);
        if (!taken)
            return id;
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static enum hv_code change(struct editing *editing, struct notebook_outcome *out, struct hv_error *err)
{
    const struct hv_json *cell;
    enum hv_code code = find_cell(editing, &cell, err);
    if (code)
        return code;
    out->index = cell ? index_of(editing, cell) : 0;
    out->id = cell ? hv_json_get_string(cell, "id") : (struct hv_str){0};
    switch (editing->request->mode) {
    case NOTEBOOK_REPLACE: return replace(editing, cell, err);
    case NOTEBOOK_DELETE: take_out(editing, editing->cells, cell); return HV_OK;
    case NOTEBOOK_INSERT:
        out->index += cell != NULL;
        out->id = new_id(editing);
        return insert(editing, cell, out->id, err);
    }
    return HV_EINTERNAL;
}

/* Splices at one place (members put in behind cell_type) keep their order. */
static void sort_splices(struct edit *edit)
{
    for (size_t i = 1; i < edit->count; i++)
        for (size_t k = i; k > 0 && edit->splices[k - 1].start > edit->splices[k].start; k--) {
            struct edit_splice other = edit->splices[k];
            edit->splices[k] = edit->splices[k - 1];
            edit->splices[k - 1] = other;
        }
}

/* Members that go stand side by side at the beginning of a cell: no program writes them so. */
static bool overlap(const struct edit *edit)
{
    for (size_t i = 1; i < edit->count; i++)
        if (edit->splices[i].start < edit->splices[i - 1].end)
            return true;
    return false;
}

enum hv_code notebook_compute(struct hv_arena *arena, struct hv_str file, const struct notebook_request *request,
                              struct notebook_outcome *out, struct hv_error *err)
{
    struct editing editing = {.arena = arena, .file = file, .request = request};
    enum hv_code code = notebook_parse(arena, file, &editing.notebook, err);
    if (code)
        return code;
    editing.cells = hv_json_get(editing.notebook, "cells");
    learn_layout(&editing);
    *out = (struct notebook_outcome){0};
    code = change(&editing, out, err);
    size_t count = editing.splices.count;
    out->edit = (struct edit){.count = count, .size_after = file.len};
    out->edit.splices = hv_arena_array(arena, struct edit_splice, count);
    for (size_t i = 0; i < count; i++) {
        const struct edit_splice *each = &editing.splices.items[i];
        out->edit.splices[i] = *each;
        out->edit.size_after += each->replacement.len - (each->end - each->start);
    }
    vec_release(&editing.splices);
    sort_splices(&out->edit);
    if (!code && overlap(&out->edit))
        return hv_fail(err, HV_EUNSUPPORTED, "the members of the cell stand in an order that cannot be changed safely");
    return code;
}
