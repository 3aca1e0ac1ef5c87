/*
 * write.c: the tool Write: a whole file, new or replaced, atomically. A file that exists must have been read, all of
 * it, and be unchanged since; its encoding is kept, its line ends become those of the given text. A new file follows
 * .editorconfig and .gitattributes (new_file.h).
 */
#include "base/cleanup.h"
#include "text/lines.h"
#include "text/number.h"
#include "text/truncate.h"
#include "tools/change.h"
#include "tools/file_kind.h"
#include "tools/new_file.h"

#include <helve/tool.h>

struct write_input {
    struct hv_str file_path, content;
};

enum { FIRST_LINES = 30, FIRST_BYTES = 32 * 1024 };

static const char *const path_aliases[] = {"path", "filePath", "file", "filename", NULL};
static const char *const content_aliases[] = {"contents", "text", "file_text", NULL};

static const struct hv_field write_fields[] = {
    {.name = "file_path",
     .description = "The file to write: an absolute path, or one relative to the working directory",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_PATH | HV_FILE | HV_NON_EMPTY,
     .offset = offsetof(struct write_input, file_path),
     .aliases = path_aliases},
    {.name = "content",
     .description = "The whole text of the file",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED,
     .offset = offsetof(struct write_input, content),
     .aliases = content_aliases},
    {0}};

/* The text in the encoding of the file that it replaces. */
static enum hv_code encode(const struct change *change, struct hv_str content, struct hv_buf *out, struct hv_error *err)
{
    struct encoding encoding = change->encoding;
    if (encoding.kind == ENCODING_BINARY) {
        hv_fail(err, HV_EUNSUPPORTED, "%.*s is a binary file and is not replaced by text", HV_STR_ARG(change->path));
        hv_error_hint(err, "Remove it with a shell command first if that is meant");
        return HV_EUNSUPPORTED;
    }
    bool has_mark = hv_str_starts(content, HV_STR("\xef\xbb\xbf"));
    if (encoding.kind == ENCODING_UTF8) {
        if (!has_mark)
            hv_buf_add(out, change->bytes.data, encoding.mark);
        hv_buf_add_str(out, content);
        return out->failed ? hv_fail(err, HV_ETOOBIG, "The content is too large") : HV_OK;
    }
    hv_buf_add(out, change->bytes.data, encoding.mark);
    enum hv_code code =
        encoding_from_utf8(hv_str_slice(content, has_mark ? 3 : 0, content.len), encoding.kind, out, err);
    if (code)
        hv_error_prefix(err, "%.*s is in %s and was left as it was: ", HV_STR_ARG(change->path),
                        encoding_name(encoding.kind));
    if (code == HV_EINVAL)
        hv_error_hint(err, ENCODING_LACKS_HINT);
    return code;
}

static void answer_created(struct change *change, struct hv_str content, struct hv_str note, struct hv_result *result)
{
    struct hv_arena *arena = change->context->arena;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, (size_t)FIRST_BYTES * 8);
    size_t end = lines_offset(content, FIRST_LINES + 1);
    struct hv_str first = truncate_head(hv_str_slice(content, 0, end), FIRST_BYTES);
    size_t lines = lines_count(content), shown = lines_count(first);
    hv_buf_addf(&out, "Created %.*s (%zu line%s).\n", HV_STR_ARG(file_shown_path(change->context, change->path)), lines,
                lines == 1 ? "" : "s");
    line_number_text(first, 1, &out);
    if (shown < lines)
        hv_buf_addf(&out, "… %zu more line%s\n", lines - shown, lines - shown == 1 ? "" : "s");
    hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(&out)));
    if (note.len)
        hv_result_add_text(result, arena, note);
    result->summary = hv_arena_format(arena, "%zu line%s", lines, lines == 1 ? "" : "s");
}

/* The name of what ends most lines of bytes; NULL where there is one line only. */
static const char *how_lines_end(struct hv_str bytes, struct encoding encoding)
{
    static const char *const names[] = {NULL, "LF", "CRLF"};
    CLEANUP_BUF struct hv_buf decoded = {0};
    hv_buf_init(&decoded, (size_t)CHANGE_SIZE_MAX);
    if (!encoding_has_plain_lines(encoding.kind) && encoding_to_utf8(bytes, encoding, &decoded, NULL) == HV_OK)
        bytes = hv_buf_str(&decoded);
    return lines_end_in_returns(bytes) ? "CR alone" : names[lines_dominant_end(bytes)];
}

static void answer_updated(struct change *change, struct hv_str new_bytes, struct hv_result *result)
{
    struct hv_arena *arena = change->context->arena;
    hv_result_addf(result, arena, "Replaced %.*s.", HV_STR_ARG(file_shown_path(change->context, change->path)));
    const char *before = how_lines_end(hv_buf_str(&change->bytes), change->encoding),
               *after = how_lines_end(new_bytes, change->encoding);
    if (before && after && before != after)
        hv_result_addf(result, arena, "Note: its lines ended in %s, now they end in %s.", before, after);
    change_show_diff(change, new_bytes, result);
}

static enum hv_code replace(struct change *change, struct hv_str content, struct hv_result *result,
                            struct hv_error *err)
{
    struct hv_context *context = change->context;
    struct hv_str old_bytes = hv_buf_str(&change->bytes);
    enum hv_code code = HV_OK;
    if (change->exists && old_bytes.len)
        code = change_check_read(change, FILE_NEED_WHOLE, err);
    if (!code)
        code = change_check_elision(change, old_bytes, content, "content", err);
    if (code)
        return code;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, (size_t)CHANGE_SIZE_MAX + 1);
    struct hv_str note = {0};
    code = change->exists ? encode(change, content, &out, err)
                          : new_file_bytes(context, change->key, content, &out, &note, err);
    if (code)
        return code;
    struct hv_str new_bytes = hv_buf_str(&out);
    struct hv_file_stat after = change->stat;
    bool same = change->exists && hv_str_eq(new_bytes, old_bytes);
    if (!same)
        code = change_store(change, (struct pieces){&new_bytes, 1}, &after, err);
    if (code)
        return code;
    file_state_note_written(context, file_state_key(context, change->path), &after, hv_str_hash(new_bytes));
    if (same)
        hv_result_addf(result, context->arena, "%.*s already holds exactly this text; nothing was written.",
                       HV_STR_ARG(file_shown_path(context, change->path)));
    else if (change->exists)
        answer_updated(change, new_bytes, result);
    else
        answer_created(change, content, note, result);
    return HV_OK;
}

static enum hv_code write_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                               struct hv_error *err)
{
    (void)data;
    const struct write_input *in = input;
    struct change change;
    enum hv_code code = change_load(&change, context, in->file_path, err);
    if (!code)
        code = replace(&change, in->content, result, err);
    change_release(&change);
    return code;
}

static void write_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    hv_footprint_write(out, context->arena, ((const struct write_input *)input)->file_path);
}

static bool write_concurrency_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true; /* the footprint keeps two changes of one file apart */
}

static void write_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    hv_buf_add_str(out, file_shown_path(context, ((const struct write_input *)input)->file_path));
}

static void write_preview(const void *input, struct hv_context *context, struct hv_buf *out)
{
    const struct write_input *in = input;
    struct change change;
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, (size_t)CHANGE_SIZE_MAX + 1);
    if (change_load(&change, context, in->file_path, NULL) == HV_OK &&
        (!change.exists || encode(&change, in->content, &bytes, NULL) == HV_OK))
        change_add_preview(&change, change.exists ? hv_buf_str(&bytes) : in->content, out);
    change_release(&change);
}

static const char *const write_aliases[] = {"write_file", "write", "create_file", NULL};
static const char *const write_rule_names[] = {"Edit", NULL};

const struct hv_tool tool_write = {
    .name = "Write",
    .aliases = write_aliases,
    .rule_names = write_rule_names,
    .title = "Write a file",
    .search_hint = "create a new file or replace a whole file",
    .description =
        "Writes a whole file: creates it, with its parent directories, or replaces it. A file that exists must have "
        "been read completely in this session and be unchanged since. To change a part of a file use Edit. The result "
        "shows the first lines of a new file, or a diff.",
    .guide = "Use Write for new files and complete rewrites only; prefer Edit for changes. Always give the whole text, "
             "never a placeholder for what stays the same.",
    .fields = write_fields,
    .input_size = sizeof(struct write_input),
    .subject_kind = HV_SUBJECT_PATH,
    .only_edits_files = true,
    .announces_changes = true,
    .footprint = write_footprint,
    .concurrency_safe = write_concurrency_safe,
    .call = write_call,
    .render_use = write_render_use,
    .preview = write_preview,
};
