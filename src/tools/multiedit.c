/*
 * multiedit.c: the tool MultiEdit: several edits of one file, in sequence, each over what the former ones left; all or
 * nothing, in one atomic write with one diff.
 */
#include "tools/change.h"
#include "tools/file_kind.h"

#include <helve/tool.h>

struct one_edit {
    struct hv_str old_string, new_string;
    bool replace_all;
};

struct multiedit_input {
    struct hv_str file_path;
    struct hv_array edits;
};

enum { EDITS_MAX = 1000 };

static const char *const path_aliases[] = {"path", "filePath", "file", "filename", NULL};
static const char *const old_aliases[] = {"oldString", "old_text", "old_str", "before", "search", NULL};
static const char *const new_aliases[] = {"newString", "new_text", "new_str", "after", "replacement", NULL};
static const char *const all_aliases[] = {"replaceAll", "allow_multiple", NULL};

static const struct hv_field one_edit_fields[] = {
    {.name = "old_string",
     .description = "The text to replace, exactly as it stands after the edits before this one",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct one_edit, old_string),
     .aliases = old_aliases},
    {.name = "new_string",
     .description = "The text to put there, literally",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct one_edit, new_string),
     .aliases = new_aliases},
    {.name = "replace_all",
     .description = "Replace every occurrence of old_string",
     .type = HV_FIELD_BOOLEAN,
     .offset = offsetof(struct one_edit, replace_all),
     .aliases = all_aliases,
     .fallback = "false"},
    {0}};

static const struct hv_field multiedit_fields[] = {
    {.name = "file_path",
     .description = "The file to change: an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_FILE | HV_NON_EMPTY,
     .offset = offsetof(struct multiedit_input, file_path),
     .aliases = path_aliases},
    {.name = "edits",
     .description = "The edits, applied in this order; if one fails, none is made",
     .type = HV_FIELD_ARRAY,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct multiedit_input, edits),
     .items = HV_FIELD_OBJECT,
     .fields = one_edit_fields,
     .size = sizeof(struct one_edit),
     .minimum = 1,
     .maximum = EDITS_MAX},
    {0}};

static enum hv_code multiedit_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    (void)context;
    const struct multiedit_input *in = input;
    const struct one_edit *edits = in->edits.items;
    for (size_t i = 0; i < in->edits.count; i++) {
        if (!hv_str_eq(edits[i].old_string, edits[i].new_string))
            continue;
        hv_fail(err, HV_EINVAL, "old_string and new_string are the same; there is nothing to change");
        hv_error_place(err, "edits[%zu].new_string", i);
        return HV_EINVAL;
    }
    return HV_OK;
}

static struct edit_request *requests_of(const struct multiedit_input *in, struct hv_arena *arena)
{
    const struct one_edit *edits = in->edits.items;
    struct edit_request *requests = hv_arena_array(arena, struct edit_request, in->edits.count);
    for (size_t i = 0; i < in->edits.count; i++)
        requests[i] = (struct edit_request){edits[i].old_string, edits[i].new_string, edits[i].replace_all};
    return requests;
}

static enum hv_code multiedit_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                                   struct hv_error *err)
{
    (void)data;
    const struct multiedit_input *in = input;
    return change_by_edits(context, in->file_path, requests_of(in, context->arena), in->edits.count, false, result,
                           err);
}

static enum hv_code multiedit_foresee(const void *input, struct hv_context *context, struct hv_result *result,
                                      struct hv_error *err)
{
    const struct multiedit_input *in = input;
    return change_foresee_edits(context, in->file_path, requests_of(in, context->arena), in->edits.count, false, result,
                                err);
}

static void multiedit_preview(const void *input, struct hv_context *context, struct hv_buf *out)
{
    const struct multiedit_input *in = input;
    change_preview_edits(context, in->file_path, requests_of(in, context->arena), in->edits.count, false, out);
}

static void multiedit_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_write(out, context->arena, ((const struct multiedit_input *)input)->file_path);
}

static bool multiedit_concurrency_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true; /* the footprint keeps two changes of one file apart */
}

static void multiedit_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct multiedit_input *in = input;
    struct hv_str path = file_shown_path(context, in->file_path);
    hv_buf_addf(out, "%.*s (%zu edit%s)", HV_STR_ARG(path), in->edits.count, in->edits.count == 1 ? "" : "s");
}

static const char *const multiedit_aliases[] = {"multiedit", "multi_edit", "multi_edit_file", NULL};
static const char *const multiedit_rule_names[] = {"Edit", NULL};

const struct hv_tool tool_multiedit = {
    .name = "MultiEdit",
    .aliases = multiedit_aliases,
    .rule_names = multiedit_rule_names,
    .title = "Change a file in several places",
    .search_hint = "several replacements in one file, all or nothing",
    .description = "Makes several edits to one file that was read before in this session: in sequence, each over the "
                   "text that the "
                   "former ones left, all or nothing, written once. Each edit follows the rules of Edit. The result "
                   "shows one diff.",
    .fields = multiedit_fields,
    .input_size = sizeof(struct multiedit_input),
    .subject_kind = HV_SUBJECT_PATH,
    .only_edits_files = true,
    .announces_changes = true,
    .validate = multiedit_validate,
    .footprint = multiedit_footprint,
    .concurrency_safe = multiedit_concurrency_safe,
    .foresee = multiedit_foresee,
    .call = multiedit_call,
    .render_use = multiedit_render_use,
    .preview = multiedit_preview,
};
