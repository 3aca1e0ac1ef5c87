/* change.c: see change.h. */
#include "tools/change.h"

#include "base/cleanup.h"
#include "text/elision.h"
#include "text/lines.h"
#include "text/truncate.h"
#include "tools/commit.h"
#include "tools/file_kind.h"
#include "tools/new_file.h"
#include "tools/settings_file.h"

#include <string.h>

enum {
    DIFF_CONTEXT = 3,
    PREVIEW_LINES_MAX = 60,
    PREVIEW_LINE_BYTES = 240,
    DIFF_LINES_MAX = 1000,
    DIFF_BYTES_MAX = 1 << 20,
    FAILURE_BYTES_MAX = 8192
};

enum hv_code change_load(struct change *change, struct hv_context *context, struct hv_str path, struct hv_error *err)
{
    *change = (struct change){.context = context, .path = path};
    hv_buf_init(&change->bytes, (size_t)CHANGE_SIZE_MAX + 1);
    hv_buf_init(&change->text, (size_t)CHANGE_SIZE_MAX * 3);
    const struct hv_host *host = context->host;
    struct hv_error fault;
    enum hv_code code = host->stat(host, path, true, &change->stat, &fault);
    change->key = file_state_key(context, path);
    if (code == HV_ENOTFOUND && fault.sys_errno != ENOTDIR)
        return HV_OK;
    if (code) {
        if (err)
            *err = fault;
        return code;
    }
    if (change->stat.kind != HV_FILE_REGULAR)
        return file_fail_kind(path, change->stat.kind, err);
    if (change->stat.size > CHANGE_SIZE_MAX) {
        hv_fail(err, HV_ETOOBIG, "%.*s is too large to be changed (%.*s; at most 1 GiB)", HV_STR_ARG(path),
                HV_STR_ARG(file_size_text(context->arena, change->stat.size)));
        hv_error_hint(err, "Change it with a shell command such as sed");
        return HV_ETOOBIG;
    }
    code = host->read(host, path, 0, (size_t)CHANGE_SIZE_MAX + 1, &change->bytes, &change->stat, err);
    if (code)
        return code;
    change->exists = true;
    change->encoding = encoding_detect(hv_buf_str(&change->bytes));
    return HV_OK;
}

void change_release(struct change *change)
{
    hv_buf_release(&change->bytes);
    hv_buf_release(&change->text);
}

enum hv_code change_check(struct hv_context *context, struct hv_str path, struct hv_str new_bytes, struct hv_error *err)
{
    struct hv_str key = file_state_key(context, path);
    enum hv_code code = settings_file_check(context, path, new_bytes, err);
    if (!code && !hv_str_eq(key, path)) /* behind a link */
        code = settings_file_check(context, key, new_bytes, err);
    return code;
}

enum hv_code change_store(struct change *change, struct hv_str new_bytes, struct hv_file_stat *after,
                          struct hv_error *err)
{
    struct hv_file_change file = {
        .path = change->path,
        .bytes = new_bytes.ptr ? new_bytes : HV_STR(""),
        .options = {.expected = change->exists ? &change->stat : NULL,
                    .expected_bytes = change->exists ? hv_buf_str(&change->bytes) : (struct hv_str){0},
                    .must_not_exist = !change->exists,
                    .make_parents = !change->exists},
    };
    enum hv_code code = change_check(change->context, change->path, new_bytes, err);
    if (!code)
        code = commit_changes(change->context, &file, 1, err);
    if (code)
        return code;
    *after = file.after;
    change_set_written(change, after);
    return HV_OK;
}

enum hv_code change_check_elision(const struct change *change, struct hv_str old_text, struct hv_str new_text,
                                  const char *what, struct hv_error *err)
{
    struct elision found;
    unsigned flags = elision_is_prose(change->path) ? ELISION_PROSE : 0;
    if (!old_text.len || !elision_find(new_text, old_text, flags, &found))
        return HV_OK;
    hv_fail(err, HV_EINVAL,
            "%.*s was not changed: line %zu of %s stands for text that is left out (\"%.*s\"), which would "
            "then be lost",
            HV_STR_ARG(file_shown_path(change->context, change->path)), found.line, what,
            HV_STR_ARG(hv_str_slice(found.text, 0, 120)));
    hv_error_hint(err, "Give the new text in full, or change only the places that differ with Edit");
    return HV_EINVAL;
}

/* ---- the difference ------------------------------------------------------------------------------------- */

/* bytes, in this encoding, as UTF-8 for showing; decoded into buf where they are not. */
static struct hv_str as_text(struct hv_str bytes, struct encoding encoding, struct hv_buf *buf)
{
    if (encoding.kind == ENCODING_UTF8 || encoding_to_utf8(bytes, encoding, buf, NULL))
        return bytes;
    return hv_buf_str(buf);
}

void change_set_written(struct change *change, const struct hv_file_stat *after)
{
    change->in_place = change->exists && after->inode == change->stat.inode && after->device == change->stat.device;
}

/* People who rely on a rename (or on another inode) should know. */
static void note_in_place(const struct change *change, struct hv_result *result)
{
    if (change->in_place && change->stat.links > 1)
        hv_result_addf(result, change->context->arena,
                       "Note: the file has %llu names (hard links); it was written in place, so that all of them have "
                       "the new bytes.",
                       (unsigned long long)change->stat.links);
    else if (change->in_place)
        hv_result_addf(result, change->context->arena,
                       "Note: the file was written in place, since a new one could not stand here with its owner and "
                       "attributes.");
}

void change_show_diff(struct change *change, struct hv_str new_bytes, struct hv_result *result)
{
    struct hv_arena *arena = change->context->arena;
    CLEANUP_BUF struct hv_buf old_text, new_text, out;
    hv_buf_init(&old_text, (size_t)CHANGE_SIZE_MAX * 3);
    hv_buf_init(&new_text, (size_t)CHANGE_SIZE_MAX * 3);
    hv_buf_init(&out, DIFF_BYTES_MAX);
    struct hv_str name = file_shown_path(change->context, change->path);
    note_in_place(change, result);
    struct diff_options options = {
        .context = DIFF_CONTEXT, .max_lines = DIFF_LINES_MAX, .old_name = name, .new_name = name};
    struct diff_result counts = {0};
    /* What is put into a file in UTF-8 is UTF-8: no need to look through all of it. */
    bool stays = change->exists && change->encoding.kind == ENCODING_UTF8;
    struct encoding new_encoding = stays ? change->encoding : encoding_detect(new_bytes);
    diff_unified(as_text(hv_buf_str(&change->bytes), change->encoding, &old_text),
                 as_text(new_bytes, new_encoding, &new_text), &options, &out, &counts);
    if (out.failed)
        hv_buf_clear(&out);
    if (out.len) {
        result->diff = hv_arena_str(arena, hv_buf_str(&out));
        hv_result_add_text(result, arena, result->diff);
    }
    result->summary = hv_arena_format(arena, "+%zu -%zu", counts.added, counts.removed);
}

void change_add_preview(struct change *change, struct hv_str new_bytes, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf old_text, new_text, diff;
    hv_buf_init(&old_text, (size_t)CHANGE_SIZE_MAX * 3);
    hv_buf_init(&new_text, (size_t)CHANGE_SIZE_MAX * 3);
    hv_buf_init(&diff, (size_t)CHANGE_SIZE_MAX * 3);
    struct diff_options options = {.context = DIFF_CONTEXT, .max_lines = PREVIEW_LINES_MAX};
    struct encoding encoding = change->exists ? change->encoding : encoding_detect(new_bytes);
    diff_unified(as_text(hv_buf_str(&change->bytes), encoding, &old_text), as_text(new_bytes, encoding, &new_text),
                 &options, &diff, NULL);
    struct hv_str rest = hv_buf_str(&diff), line;
    while (lines_next(&rest, &line)) {
        line = lines_chop(line);
        struct hv_str shown = truncate_head(line, PREVIEW_LINE_BYTES);
        hv_buf_addf(out, "%.*s%s\n", HV_STR_ARG(shown), shown.len < line.len ? " …" : "");
    }
}

/* ---- edits ---------------------------------------------------------------------------------------------- */

static bool has_tool(struct hv_context *context, const char *name)
{
    const struct hv_tool_set *set = context->services->tool_set ? context->services->tool_set(context) : NULL;
    for (size_t i = 0; set && i < set->count; i++)
        if (hv_tool_is_named(set->tools[i], hv_str_from(name)))
            return true;
    return false;
}

/* The checks that need the file but not its match, in order of their cost. */
static enum hv_code check_before_edit(struct change *change, const struct edit_request *requests, struct hv_error *err)
{
    bool creates = requests[0].old_text.len == 0;
    if (!change->exists)
        return creates ? HV_OK : file_fail_missing(change->context, change->path, err);
    if (hv_str_ends(change->path, HV_STR(".ipynb")) && has_tool(change->context, "NotebookEdit")) {
        hv_fail(err, HV_EUNSUPPORTED, "%.*s is a notebook", HV_STR_ARG(change->path));
        hv_error_hint(err, "Use NotebookEdit, which changes cells and keeps the rest as it is");
        return HV_EUNSUPPORTED;
    }
    if (creates && change->bytes.len == 0) /* there is nothing that could have been read */
        return HV_OK;
    return file_state_check(change->context, change->key, &change->stat, hv_buf_str(&change->bytes), FILE_NEED_SEEN,
                            err);
}

/* ---- UTF-16, UTF-32, legacy encodings
 * ---------------------------------------------------------------------------------- */

enum hv_code change_encode(const struct change *change, struct hv_str text, struct hv_buf *bytes, struct hv_error *err)
{
    hv_buf_add(bytes, change->bytes.data, change->encoding.mark);
    enum hv_code code = encoding_from_utf8(text, change->encoding.kind, bytes, err);
    if (!code && bytes->failed)
        code = hv_fail(err, HV_ETOOBIG, "The file would become too large");
    return code;
}

/* Changes of such a file are computed over its text; bytes that would not come back the same from there (a lone
 * surrogate) are none to be changed. */
bool change_take_text(struct change *change, bool whole)
{
    enum encoding_kind kind = change->encoding.kind;
    if (!encoding_is_decoded(kind) && !(whole && kind == ENCODING_8BIT))
        return false;
    CLEANUP_BUF struct hv_buf again;
    hv_buf_init(&again, (size_t)CHANGE_SIZE_MAX + 1);
    struct hv_str bytes = hv_buf_str(&change->bytes);
    return encoding_to_utf8(bytes, change->encoding, &change->text, NULL) == HV_OK &&
           change_encode(change, hv_buf_str(&change->text), &again, NULL) == HV_OK &&
           hv_str_eq(hv_buf_str(&again), bytes);
}

/* ---- one run -------------------------------------------------------------------------------------------- */

/* What an edit came to. */
struct outcome {
    size_t places;
    unsigned found_by;
};

static enum hv_code compute(struct change *change, struct hv_str file, struct encoding encoding,
                            const struct edit_request *requests, size_t count, bool single, struct hv_buf *new_bytes,
                            struct outcome *outcome, struct edit_failure *failure)
{
    struct hv_arena *arena = change->context->arena;
    if (!single) {
        struct edit_sequence sequence;
        enum hv_code code =
            edit_compute_sequence(arena, file, encoding, requests, count, new_bytes, &sequence, failure);
        if (!code)
            *outcome = (struct outcome){sequence.places, sequence.found_by};
        return code;
    }
    struct edit edit;
    enum hv_code code = edit_compute(arena, file, encoding, requests, &edit, failure);
    if (code)
        return code;
    *outcome = (struct outcome){edit.count, edit.found_by};
    if (edit_apply(file, &edit, new_bytes))
        return HV_OK;
    failure->kind = EDIT_TOO_LARGE;
    return HV_ETOOBIG;
}

static void answer_failure(struct change *change, const struct edit_failure *failure, struct hv_result *result)
{
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, FAILURE_BYTES_MAX);
    hv_buf_addf(&text, "%.*s was not changed. ", HV_STR_ARG(file_shown_path(change->context, change->path)));
    edit_describe_failure(failure, &text);
    hv_result_add_text(result, change->context->arena, hv_arena_str(change->context->arena, hv_buf_str(&text)));
    result->is_error = true;
}

static void answer_success(struct change *change, const struct outcome *outcome, struct hv_str new_bytes,
                           struct hv_result *result)
{
    struct hv_arena *arena = change->context->arena;
    struct hv_str name = file_shown_path(change->context, change->path);
    if (!change->exists)
        hv_result_addf(result, arena, "Created %.*s (%zu line%s).", HV_STR_ARG(name), lines_count(new_bytes),
                       lines_count(new_bytes) == 1 ? "" : "s");
    else
        hv_result_addf(result, arena, "Changed %.*s at %zu place%s.", HV_STR_ARG(name), outcome->places,
                       outcome->places == 1 ? "" : "s");
    if (outcome->found_by & EDIT_BY_QUOTES)
        hv_result_addf(result, arena,
                       "Note: old_string matched only with curly quotes taken for straight ones; the "
                       "file's own quotes were kept.");
    if (outcome->found_by & EDIT_BY_LINE_NUMBERS)
        hv_result_addf(result, arena,
                       "Note: old_string matched only without the line numbers that Read puts in front; "
                       "leave them out.");
    change_show_diff(change, new_bytes, result);
}

/* old_text and new_text are the bytes, or what they stand for. */
static enum hv_code store_edit(struct change *change, struct hv_str old_text, struct hv_str new_text,
                               struct hv_str new_bytes, struct hv_error *err)
{
    struct hv_context *context = change->context;
    struct diff lines;
    struct hv_file_stat after;
    diff_lines(context->arena, old_text, new_text, &lines);
    bool had_text = change->bytes.len > 0;
    enum hv_code code = had_text ? file_state_check_lines(context, change->key, &lines, err) : HV_OK;
    if (!code)
        code = change_store(change, new_bytes, &after, err);
    if (code)
        return code;
    if (had_text)
        file_state_note_edited(context, change->key, &after, new_bytes, &lines);
    else
        file_state_note_written(context, file_state_key(context, change->path), &after, new_bytes);
    return HV_OK;
}

static enum hv_code check_new_texts(const struct change *change, struct hv_str old_text,
                                    const struct edit_request *requests, size_t count, bool single,
                                    struct hv_error *err)
{
    enum hv_code code = HV_OK;
    for (size_t i = 0; i < count && !code; i++) {
        const char *what =
            single ? "new_string" : hv_arena_format(change->context->arena, "edits[%zu].new_string", i).ptr;
        code = change_check_elision(change, old_text, requests[i].new_text, what, err);
    }
    return code;
}

static enum hv_code run_edits(struct change *change, const struct edit_request *requests, size_t count, bool single,
                              struct hv_result *result, struct hv_error *err)
{
    enum hv_code code = check_before_edit(change, requests, err);
    if (code)
        return code;
    CLEANUP_BUF struct hv_buf new_text, encoded;
    hv_buf_init(&new_text, (size_t)CHANGE_SIZE_MAX + 1);
    hv_buf_init(&encoded, (size_t)CHANGE_SIZE_MAX + 1);
    struct outcome outcome;
    struct edit_failure failure = {0};
    bool by_text = change_take_text(change, false);
    struct hv_str old_text = hv_buf_str(by_text ? &change->text : &change->bytes);
    struct encoding encoding = by_text ? (struct encoding){0} : change->encoding;
    code = check_new_texts(change, old_text, requests, count, single, err);
    if (code)
        return code;
    code = compute(change, old_text, encoding, requests, count, single, &new_text, &outcome, &failure);
    struct hv_error unencodable;
    if (!code && by_text && (code = change_encode(change, hv_buf_str(&new_text), &encoded, &unencodable))) {
        failure = (struct edit_failure){.kind = code == HV_EINVAL ? EDIT_UNENCODABLE : EDIT_TOO_LARGE};
        snprintf(failure.detail, sizeof failure.detail, "%s", unencodable.message);
    }
    if (code) {
        answer_failure(change, &failure, result);
        return HV_OK;
    }
    struct hv_str note = {0};
    if (!change->exists)
        code = new_file_bytes(change->context, change->key, hv_buf_str(&new_text), &encoded, &note, err);
    if (!code && hv_cancelled(change->context->cancel))
        code =
            hv_fail(err, HV_ECANCELLED, "The change was cancelled; %.*s was left as it was", HV_STR_ARG(change->path));
    struct hv_str new_bytes = hv_buf_str(by_text || !change->exists ? &encoded : &new_text);
    if (!code)
        code = store_edit(change, old_text, hv_buf_str(&new_text), new_bytes, err);
    if (code)
        return code;
    if (note.len)
        hv_result_add_text(result, change->context->arena, note);
    answer_success(change, &outcome, new_bytes, result);
    return HV_OK;
}

enum hv_code change_by_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                             size_t count, bool single, struct hv_result *result, struct hv_error *err)
{
    struct change change;
    enum hv_code code = change_load(&change, context, path, err);
    if (!code)
        code = run_edits(&change, requests, count, single, result, err);
    change_release(&change);
    return code;
}

static void preview_edits(struct change *change, const struct edit_request *requests, size_t count, bool single,
                          struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf new_text, encoded;
    hv_buf_init(&new_text, (size_t)CHANGE_SIZE_MAX + 1);
    hv_buf_init(&encoded, (size_t)CHANGE_SIZE_MAX + 1);
    struct outcome outcome;
    struct edit_failure failure = {0};
    bool by_text = change_take_text(change, false);
    struct hv_str old_text = hv_buf_str(by_text ? &change->text : &change->bytes);
    struct encoding encoding = by_text ? (struct encoding){0} : change->encoding;
    if (compute(change, old_text, encoding, requests, count, single, &new_text, &outcome, &failure)) {
        hv_buf_add_cstr(out, "This will change nothing. ");
        edit_describe_failure(&failure, out);
    } else if (!by_text || change_encode(change, hv_buf_str(&new_text), &encoded, NULL) == HV_OK) {
        change_add_preview(change, hv_buf_str(by_text ? &encoded : &new_text), out);
    }
}

void change_preview_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                          size_t count, bool single, struct hv_buf *out)
{
    struct change change;
    if (change_load(&change, context, path, NULL) == HV_OK && (change.exists || !requests->old_text.len))
        preview_edits(&change, requests, count, single, out);
    change_release(&change);
}
