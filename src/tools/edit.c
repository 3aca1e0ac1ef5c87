/*
 * edit.c: the tool Edit: search and replace on exact text in one file. What is changed is computed by the pure core in
 * text/edit.h; the file around it is handled by change.c.
 */
#include "tools/change.h"
#include "tools/file_kind.h"

#include <helve/tool.h>

struct edit_input {
    struct hv_str file_path, old_string, new_string;
    bool replace_all;
};

static const char *const path_aliases[] = {"path", "filePath", "file", "filename", NULL};
static const char *const old_aliases[] = {"oldString", "old_text", "old_str", "before", "search", NULL};
static const char *const new_aliases[] = {"newString", "new_text", "new_str", "after", "replacement", NULL};
static const char *const all_aliases[] = {"replaceAll", "allow_multiple", NULL};

static const struct hv_field edit_fields[] = {
    {.name = "file_path",
     .description = "The file to change: an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_FILE | HV_NON_EMPTY,
     .offset = offsetof(struct edit_input, file_path),
     .aliases = path_aliases},
    {.name = "old_string",
     .description = "The text to replace, exactly as it stands in the file, with enough around it to be unique. Empty: "
                    "create the file, or fill an empty one",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct edit_input, old_string),
     .aliases = old_aliases},
    {.name = "new_string",
     .description = "The text to put there, literally; must differ from old_string",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct edit_input, new_string),
     .aliases = new_aliases},
    {.name = "replace_all",
     .description = "Replace every occurrence of old_string",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct edit_input, replace_all),
     .aliases = all_aliases,
     .fallback = "false"},
    {0}};

static enum hv_code edit_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    (void)context;
    const struct edit_input *in = input;
    if (!hv_str_eq(in->old_string, in->new_string))
        return HV_OK;
    hv_fail(err, HV_EINVAL, "old_string and new_string are the same; there is nothing to change");
    hv_error_place(err, "new_string");
    return HV_EINVAL;
}

static enum hv_code edit_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                              struct hv_error *err)
{
    (void)data;
    const struct edit_input *in = input;
    struct edit_request request = {in->old_string, in->new_string, in->replace_all};
    return change_by_edits(context, in->file_path, &request, 1, true, result, err);
}

static void edit_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_write(out, context->arena, ((const struct edit_input *)input)->file_path);
}

static bool edit_concurrency_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true; /* the footprint keeps two changes of one file apart */
}

static void edit_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    hv_buf_add_str(out, file_shown_path(context, ((const struct edit_input *)input)->file_path));
}

static enum hv_code edit_foresee(const void *input, struct hv_context *context, struct hv_result *result,
                                 struct hv_error *err)
{
    const struct edit_input *in = input;
    struct edit_request request = {in->old_string, in->new_string, in->replace_all};
    return change_foresee_edits(context, in->file_path, &request, 1, true, result, err);
}

static void edit_preview(const void *input, struct hv_context *context, struct hv_buf *out)
{
    const struct edit_input *in = input;
    struct edit_request request = {in->old_string, in->new_string, in->replace_all};
    change_preview_edits(context, in->file_path, &request, 1, true, out);
}

static const char *const edit_aliases[] = {"edit_file", "edit", "replace", "str_replace", NULL};

const struct hv_tool tool_edit = {
    .name = "Edit",
    .aliases = edit_aliases,
    .title = "Change a file",
    .search_hint = "replace a piece of text in a file",
    .description =
        "Replaces old_string by new_string in a file that was read before in this session. old_string must match the "
        "file exactly, blanks and tabs included, but without the line numbers that Read shows, and must occur once "
        "unless replace_all is set. Everything else in the file, its encoding and line ends included, stays as it is. "
        "The result shows a diff; a failure shows the nearest place and what differs there.",
    .guide =
        "Give old_string enough lines around the change to make it unique. Several changes to one file belong into "
        "one MultiEdit call.",
    .fields = edit_fields,
    .input_size = sizeof(struct edit_input),
    .subject_kind = HV_SUBJECT_PATH,
    .only_edits_files = true,
    .announces_changes = true,
    .validate = edit_validate,
    .footprint = edit_footprint,
    .concurrency_safe = edit_concurrency_safe,
    .foresee = edit_foresee,
    .call = edit_call,
    .render_use = edit_render_use,
    .preview = edit_preview,
};
