/*
 * notebook_edit.c: the tool NotebookEdit: one cell of a Jupyter notebook replaced, put in or taken out, every
 * other byte of the file left as it is.
 */
#include "base/cleanup.h"
#include "text/edit_diff.h"
#include "tools/change.h"
#include "tools/file_kind.h"
#include "tools/notebook.h"

#include <helve/tool.h>

struct notebook_input {
    struct hv_str notebook_path, cell_id, new_source;
    int64_t cell_number;
    bool has_number;
    int cell_type, edit_mode;
};

static const char *const path_aliases[] = {"path", "file_path", "notebook", NULL};
static const char *const id_aliases[] = {"cellId", NULL};
static const char *const number_aliases[] = {"cell_index", "cellNumber", NULL};
static const char *const source_aliases[] = {"source", "content", "newSource", NULL};
static const char *const cell_types[] = {"code", "markdown", "raw", NULL};
static const char *const edit_modes[] = {"replace", "insert", "delete", NULL};

static const struct hv_field notebook_fields[] = {
    {.name = "notebook_path",
     .description = "The notebook (.ipynb): an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_FILE | HV_NON_EMPTY,
     .offset = offsetof(struct notebook_input, notebook_path),
     .aliases = path_aliases},
    {.name = "cell_id",
     .description = "The id of the cell, as Read shows it. A new cell is put behind it; first of all without it",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct notebook_input, cell_id),
     .aliases = id_aliases},
    {.name = "cell_number",
     .description = "Instead of cell_id: the number of the cell, from 0",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct notebook_input, cell_number),
     .present = 1 + offsetof(struct notebook_input, has_number),
     .aliases = number_aliases,
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "new_source",
     .description = "The whole new text of the cell; not needed to delete",
     .type = HV_FIELD_STRING,
     .offset = offsetof(struct notebook_input, new_source),
     .aliases = source_aliases},
    {.name = "cell_type",
     .description = "The kind of the cell; a replaced one keeps its own, a new one is code",
     .type = HV_FIELD_ENUM,
     .offset = offsetof(struct notebook_input, cell_type),
     .values = cell_types},
    {.name = "edit_mode",
     .description = "What to do; replace when not given",
     .type = HV_FIELD_ENUM,
     .offset = offsetof(struct notebook_input, edit_mode),
     .values = edit_modes},
    {0}};

static enum notebook_mode mode_of(const struct notebook_input *in)
{
    return in->edit_mode ? (enum notebook_mode)(in->edit_mode - 1) : NOTEBOOK_REPLACE;
}

static enum hv_code notebook_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    const struct notebook_input *in = input;
    (void)context;
    if (mode_of(in) != NOTEBOOK_DELETE && !in->new_source.ptr) {
        hv_fail(err, HV_EINVAL, "new_source is missing: the whole new text of the cell");
        hv_error_place(err, "new_source");
        return HV_EINVAL;
    }
    if (mode_of(in) != NOTEBOOK_INSERT && !in->cell_id.len && !in->has_number) {
        hv_fail(err, HV_EINVAL, "say which cell: cell_id or cell_number is missing");
        hv_error_place(err, "cell_id");
        return HV_EINVAL;
    }
    return HV_OK;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static enum hv_code check_file(struct change *change, struct hv_error *err)
{
    if (!change->exists)
        return file_fail_missing(change->context, change->path, err);
    enum hv_code code =
        file_state_check(change->context, change->key, &change->stat, hv_buf_str(&change->bytes), FILE_NEED_SEEN, err);
    if (!code && change->encoding.kind != ENCODING_UTF8)
        code = hv_fail(err, HV_EINVAL, "%.*s is in %s; notebooks are UTF-8", HV_STR_ARG(change->path),
                       encoding_name(change->encoding.kind));
    return code;
}

/* The new text of a code cell must not elide; what its old text has is its own. */
static enum hv_code check_source(struct change *change, struct hv_str new_source, size_t index, struct hv_error *err)
{
    struct hv_arena *arena = change->context->arena;
    const struct hv_json *notebook;
    enum hv_code code = notebook_parse(arena, hv_buf_str(&change->bytes), &notebook, err);
    if (code)
        return code;
    const struct hv_json *cell = hv_json_at(hv_json_get(notebook, "cells"), index);
    if (!hv_str_is(hv_json_get_string(cell, "cell_type"), "code"))
        return HV_OK;
    struct hv_str old_source = notebook_text(arena, hv_json_get(cell, "source"));
    return change_check_elision(change, old_source, new_source, "new_source", err);
}

static void answer(struct change *change, const struct notebook_input *in, const struct notebook_outcome *outcome,
                   const struct diff *lines, struct hv_result *result)
{
    static const char *const words[] = {"Replaced", "Inserted", "Deleted"};
    struct hv_arena *arena = change->context->arena;
    hv_result_addf(result, arena, "%s cell %zu%s%.*s%s of %.*s.", words[mode_of(in)], outcome->index,
                   outcome->id.len ? " (id " : "", HV_STR_ARG(outcome->id), outcome->id.len ? ")" : "",
                   HV_STR_ARG(file_shown_path(change->context, change->path)));
    change_show_lines(change, lines, ENCODING_UTF8, result);
}

static struct notebook_request request_of(const struct notebook_input *in)
{
    return (struct notebook_request){.mode = mode_of(in),
                                     .cell_id = in->cell_id,
                                     .cell_number = in->has_number ? in->cell_number : -1,
                                     .source = in->new_source,
                                     .type = (enum notebook_cell)in->cell_type};
}

static enum hv_code run(struct change *change, const struct notebook_input *in, struct hv_result *result,
                        struct hv_error *err)
{
    struct hv_context *context = change->context;
    const struct notebook_request request = request_of(in);
    struct notebook_outcome outcome;
    struct hv_file_stat after;
    enum hv_code code = check_file(change, err);
    struct hv_str old_bytes = hv_buf_str(&change->bytes);
    if (!code)
        code = notebook_compute(context->arena, old_bytes, &request, &outcome, err);
    if (!code && request.mode == NOTEBOOK_REPLACE)
        code = check_source(change, in->new_source, outcome.index, err);
    if (!code && outcome.edit.size_after > CHANGE_SIZE_MAX)
        code = hv_fail(err, HV_ETOOBIG, "%.*s would become too large", HV_STR_ARG(change->path));
    if (!code && hv_cancelled(context->cancel))
        code = hv_fail(err, HV_ECANCELLED, "The change was cancelled; the notebook was left as it was");
    if (code)
        return code;
    struct pieces content = edit_pieces(context->arena, old_bytes, &outcome.edit);
    code = change_store(change, content, &after, err);
    if (code)
        return code;
    struct diff lines;
    edit_diff(context->arena, old_bytes, &outcome.edit, &lines);
    file_state_note_edited(context, change->key, &after, pieces_hash(content), &lines);
    answer(change, in, &outcome, &lines, result);
    return HV_OK;
}

static enum hv_code notebook_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                  struct hv_error *err)
{
    (void)data;
    const struct notebook_input *in = input;
    struct change change;
    enum hv_code code = change_load(&change, context, in->notebook_path, err);
    if (!code)
        code = run(&change, in, result, err);
    change_release(&change);
    return code;
}

static void notebook_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_write(out, context->arena, ((const struct notebook_input *)input)->notebook_path);
}

static bool notebook_concurrency_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true; /* the footprint keeps two changes of one file apart */
}

static void notebook_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct notebook_input *in = input;
    hv_buf_addf(out, "%.*s: %s", HV_STR_ARG(file_shown_path(context, in->notebook_path)), edit_modes[mode_of(in)]);
    if (in->cell_id.len)
        hv_buf_addf(out, " %.*s", HV_STR_ARG(in->cell_id));
    else if (in->has_number)
        hv_buf_addf(out, " cell %lld", (long long)in->cell_number);
}

/* Nothing is told of a notebook that the model has not seen: not even whether it is there. */
static enum hv_code notebook_foresee(const void *input, struct hv_context *context, struct hv_result *result,
                                     struct hv_error *err)
{
    (void)result;
    const struct notebook_input *in = input;
    const struct notebook_request request = request_of(in);
    struct notebook_outcome outcome;
    struct change change;
    enum hv_code code = change_load(&change, context, in->notebook_path, NULL);
    if (code || !change.exists)
        code = file_state_fail_unread(change.key, err);
    else
        code = check_file(&change, err);
    if (!code)
        code = notebook_compute(context->arena, hv_buf_str(&change.bytes), &request, &outcome, err);
    if (!code && request.mode == NOTEBOOK_REPLACE)
        code = check_source(&change, in->new_source, outcome.index, err);
    change_release(&change);
    return code;
}

static void notebook_preview(const void *input, struct hv_context *context, struct hv_buf *out)
{
    const struct notebook_input *in = input;
    const struct notebook_request request = request_of(in);
    struct notebook_outcome outcome;
    struct change change;
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, (size_t)CHANGE_SIZE_MAX + 1);
    if (change_load(&change, context, in->notebook_path, NULL) == HV_OK && change.exists &&
        notebook_compute(context->arena, hv_buf_str(&change.bytes), &request, &outcome, NULL) == HV_OK &&
        edit_apply(hv_buf_str(&change.bytes), &outcome.edit, &bytes))
        change_add_preview(&change, hv_buf_str(&bytes), out);
    change_release(&change);
}

static const char *const notebook_aliases[] = {"notebook_edit", "edit_notebook", NULL};
static const char *const notebook_rule_names[] = {"Edit", NULL};

const struct hv_tool tool_notebook_edit = {
    .name = "NotebookEdit",
    .aliases = notebook_aliases,
    .rule_names = notebook_rule_names,
    .title = "Change a notebook",
    .search_hint = "replace, insert or delete a cell of a Jupyter notebook",
    .description = "Changes one cell of a Jupyter notebook (.ipynb) that was read before in this session: replaces its "
                   "text, inserts a new cell behind it, or deletes it. All else in the file stays as it is, byte for "
                   "byte; the outputs of a replaced code cell are cleared. The result shows a diff.",
    .deferred = true,
    .fields = notebook_fields,
    .input_size = sizeof(struct notebook_input),
    .subject_kind = HV_SUBJECT_PATH,
    .only_edits_files = true,
    .announces_changes = true,
    .validate = notebook_validate,
    .footprint = notebook_footprint,
    .concurrency_safe = notebook_concurrency_safe,
    .foresee = notebook_foresee,
    .call = notebook_call,
    .render_use = notebook_render_use,
    .preview = notebook_preview,
};
