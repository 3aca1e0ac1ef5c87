/*
 * change_edits.c: Edit and MultiEdit over one file (change.h). A single edit of few places, the usual one, is never put
 * together: the file is written from the bytes that were read and what goes between them, and compared only around the
 * places. A sequence, many places, and files that are edited by way of UTF-8 go through whole texts.
 */
#include "base/aside.h"
#include "base/cleanup.h"
#include "text/edit_diff.h"
#include "text/lines.h"
#include "tools/change.h"
#include "tools/file_kind.h"
#include "tools/new_file.h"
#include "tools/notebook.h"

enum {
    FAILURE_BYTES_MAX = 8192,
    PIECES_PLACES_MAX = 32, /* every piece is a write of its own */
    SUMMED_ASIDE = 2 << 20
};

/* Edits on their way. To be released. */
struct editing {
    struct change *change;
    const struct edit_request *requests;
    size_t count;
    bool single;              /* the one edit of Edit */
    bool by_text;             /* over the file's text as UTF-8 */
    struct hv_str old_text;   /* the file's bytes, or what they stand for */
    struct encoding encoding; /* of old_text */
    struct edit edit;         /* of a single one: what it came to */
    struct hv_buf joined;     /* the new text, where it had to be put together */
    struct hv_buf encoded;    /* the new bytes, where they are not the new text */
    struct hv_str whole;      /* what `content` is when it is one piece */
    struct pieces content;    /* the new bytes */
    struct diff lines;        /* from old_text to the new text */
    size_t places;
    unsigned found_by;
    struct edit_failure failure;
};

/* text as lines that end in '\n', where it gives them the '\r' that ends them in the file. */
static struct hv_str newlines_for_returns(struct hv_arena *arena, struct hv_str text)
{
    if (!lines_end_in_returns(text))
        return text;
    struct hv_str copy = hv_arena_str(arena, text);
    lines_exchange((char *)copy.ptr, copy.len, '\r', '\n');
    return copy;
}

static const struct edit_request *by_newlines(struct hv_arena *arena, const struct edit_request *requests, size_t count)
{
    struct edit_request *copies = hv_arena_array(arena, struct edit_request, count);
    for (size_t i = 0; i < count; i++) {
        copies[i] = requests[i];
        copies[i].old_text = newlines_for_returns(arena, requests[i].old_text);
        copies[i].new_text = newlines_for_returns(arena, requests[i].new_text);
    }
    return copies;
}

static void editing_init(struct editing *editing, struct change *change, const struct edit_request *requests,
                         size_t count, bool single)
{
    *editing = (struct editing){.change = change, .requests = requests, .count = count, .single = single};
    hv_buf_init(&editing->joined, (size_t)CHANGE_SIZE_MAX + 1);
    hv_buf_init(&editing->encoded, (size_t)CHANGE_SIZE_MAX + 1);
    editing->by_text = change_take_text(change, false);
    if (change->returns_alone)
        editing->requests = by_newlines(change->context->arena, requests, count);
    editing->old_text = hv_buf_str(editing->by_text ? &change->text : &change->bytes);
    editing->encoding = editing->by_text ? (struct encoding){0} : change->encoding;
}

static void editing_release(struct editing *editing)
{
    hv_buf_release(&editing->joined);
    hv_buf_release(&editing->encoded);
}

/* ---- computing ------------------------------------------------------------------------------------------ */

static void set_whole(struct editing *editing, struct hv_str bytes)
{
    editing->whole = bytes;
    editing->content = (struct pieces){&editing->whole, 1};
}

static enum hv_code compute_sequence(struct editing *editing)
{
    struct edit_sequence sequence;
    enum hv_code code =
        edit_compute_sequence(editing->change->context->arena, editing->old_text, editing->encoding, editing->requests,
                              editing->count, &editing->joined, &sequence, &editing->failure);
    if (code)
        return code;
    editing->places = sequence.places;
    editing->found_by = sequence.found_by;
    set_whole(editing, hv_buf_str(&editing->joined));
    return HV_OK;
}

static enum hv_code compute_single(struct editing *editing)
{
    struct hv_arena *arena = editing->change->context->arena;
    enum hv_code code =
        edit_compute(arena, editing->old_text, editing->encoding, editing->requests, &editing->edit, &editing->failure);
    if (code)
        return code;
    editing->places = editing->edit.count;
    editing->found_by = editing->edit.found_by;
    if (editing->places <= PIECES_PLACES_MAX && !editing->by_text && editing->change->exists) {
        editing->content = edit_pieces(arena, editing->old_text, &editing->edit);
        return HV_OK;
    }
    if (!edit_apply(editing->old_text, &editing->edit, &editing->joined)) {
        editing->failure.kind = EDIT_TOO_LARGE;
        return HV_ETOOBIG;
    }
    set_whole(editing, hv_buf_str(&editing->joined));
    return HV_OK;
}

/* The new_string whose character the file's encoding lacks: its own lines are counted in the fault, not the file's. */
static void find_unencodable(struct editing *editing, struct hv_error *fault)
{
    for (size_t i = 0; i < editing->count; i++) {
        hv_buf_clear(&editing->encoded);
        if (encoding_from_utf8(editing->requests[i].new_text, editing->change->encoding.kind, &editing->encoded,
                               fault) == HV_EINVAL) {
            editing->failure.edit_index = i;
            editing->failure.edit_count = editing->single ? 0 : editing->count;
            break;
        }
    }
    hv_buf_clear(&editing->encoded);
}

/* The new text in the file's encoding. */
static enum hv_code encode(struct editing *editing)
{
    struct hv_error fault;
    enum hv_code code = change_encode(editing->change, hv_buf_str(&editing->joined), &editing->encoded, &fault);
    if (!code) {
        set_whole(editing, hv_buf_str(&editing->encoded));
        return HV_OK;
    }
    editing->failure = (struct edit_failure){.kind = code == HV_EINVAL ? EDIT_UNENCODABLE : EDIT_TOO_LARGE};
    if (code == HV_EINVAL)
        find_unencodable(editing, &fault);
    snprintf(editing->failure.detail, sizeof editing->failure.detail, "%s", fault.message);
    return code;
}

/* The new content, and the lines that differ; else editing->failure says why there is none. */
static enum hv_code compute(struct editing *editing)
{
    struct hv_arena *arena = editing->change->context->arena;
    enum hv_code code = editing->single ? compute_single(editing) : compute_sequence(editing);
    if (!code && editing->by_text)
        code = encode(editing);
    if (code)
        return code;
    if (editing->content.count > 1)
        edit_diff(arena, editing->old_text, &editing->edit, &editing->lines);
    else
        diff_lines(arena, editing->old_text, hv_buf_str(&editing->joined), &editing->lines);
    return HV_OK;
}

/* ---- checks --------------------------------------------------------------------------------------------- */

static bool has_tool(struct hv_context *context, const char *name)
{
    const struct hv_tool_set *set = context->services->tool_set ? context->services->tool_set(context) : NULL;
    for (size_t i = 0; set && i < set->count; i++)
        if (hv_tool_is_named(set->tools[i], hv_str_from(name)))
            return true;
    return false;
}

/* A notebook that NotebookEdit takes. What only bears the name of one (a merge left its marks, say) is a text here as
 * it is for Read, or no tool could mend it. */
static bool is_notebook(const struct change *change)
{
    const struct hv_json *notebook;
    return hv_str_ends(change->path, HV_STR(".ipynb")) && has_tool(change->context, "NotebookEdit") &&
           notebook_parse(change->context->arena, hv_buf_str(&change->bytes), &notebook, NULL) == HV_OK;
}

/* The checks that need the file but not its match, in order of their cost. */
static enum hv_code check_before_edit(struct change *change, const struct edit_request *requests, struct hv_error *err)
{
    bool creates = requests[0].old_text.len == 0;
    if (!change->exists)
        return creates ? HV_OK : file_fail_missing(change->context, change->path, err);
    if (is_notebook(change)) {
        hv_fail(err, HV_EUNSUPPORTED, "%.*s is a notebook", HV_STR_ARG(change->path));
        hv_error_hint(err, "Use NotebookEdit, which changes cells and keeps the rest as it is");
        return HV_EUNSUPPORTED;
    }
    if (creates && change->bytes.len == 0) /* there is nothing that could have been read */
        return HV_OK;
    return change_check_read(change, FILE_NEED_SEEN, err);
}

static enum hv_code check_new_texts(const struct editing *editing, struct hv_error *err)
{
    enum hv_code code = HV_OK;
    for (size_t i = 0; i < editing->count && !code; i++) {
        struct hv_arena *arena = editing->change->context->arena;
        const char *what = editing->single ? "new_string" : hv_arena_format(arena, "edits[%zu].new_string", i).ptr;
        code = change_check_elision(editing->change, editing->old_text, editing->requests[i].new_text, what, err);
    }
    return code;
}

/* ---- one run -------------------------------------------------------------------------------------------- */

static void answer_failure(struct change *change, const struct edit_failure *failure, struct hv_result *result)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, FAILURE_BYTES_MAX);
    hv_buf_addf(&text, "%.*s was not changed. ", HV_STR_ARG(file_shown_path(change->context, change->path)));
    edit_describe_failure(failure, &text);
    hv_result_add_text(result, change->context->arena, hv_arena_str(change->context->arena, hv_buf_str(&text)));
    result->is_error = true;
}

static void answer_success(const struct editing *editing, struct hv_result *result)
{
    struct change *change = editing->change;
    struct hv_arena *arena = change->context->arena;
    struct hv_str name = file_shown_path(change->context, change->path);
    size_t lines = change->exists ? 0 : lines_count(hv_buf_str(&editing->encoded));
    if (!change->exists)
        hv_result_addf(result, arena, "Created %.*s (%zu line%s).", HV_STR_ARG(name), lines, lines == 1 ? "" : "s");
    else
        hv_result_addf(result, arena, "Changed %.*s at %zu place%s.", HV_STR_ARG(name), editing->places,
                       editing->places == 1 ? "" : "s");
    if (editing->found_by & EDIT_BY_QUOTES)
        hv_result_addf(result, arena,
                       "Note: old_string matched only with curly quotes taken for straight ones; the "
                       "file's own quotes were kept.");
    if (editing->found_by & EDIT_BY_LINE_NUMBERS)
        hv_result_addf(result, arena,
                       "Note: old_string matched only without the line numbers that Read puts in front; "
                       "leave them out.");
    if (change->exists)
        change_show_lines(change, &editing->lines, editing->encoding.kind, result);
    else
        change_show_diff(change, hv_buf_str(&editing->encoded), result);
}

/* The hash of the new bytes, taken while they are written. */
struct summing {
    struct aside aside;
    struct pieces content;
    uint64_t hash;
};

static void sum_up(void *data)
{
    struct summing *summing = data;
    summing->hash = pieces_hash(summing->content);
}

static enum hv_code store(struct editing *editing, struct hv_error *err)
{
    struct change *change = editing->change;
    struct hv_context *context = change->context;
    struct hv_file_stat after;
    bool had_text = change->bytes.len > 0;
    enum hv_code code = had_text ? file_state_check_lines(context, change->key, &editing->lines, err) : HV_OK;
    if (code)
        return code;
    struct summing summing = {.content = editing->content};
    if (pieces_size(editing->content) >= SUMMED_ASIDE)
        aside_begin(&summing.aside, sum_up, &summing);
    else
        sum_up(&summing);
    code = change_store(change, editing->content, &after, err);
    aside_end(&summing.aside);
    if (code)
        return code;
    if (had_text)
        file_state_note_edited(context, change->key, &after, summing.hash, &editing->lines);
    else
        file_state_note_written(context, file_state_key(context, change->path), &after, summing.hash);
    return HV_OK;
}

/* As the files around it ask for. */
static enum hv_code shape_new_file(struct editing *editing, struct hv_str *note, struct hv_error *err)
{
    const struct change *change = editing->change;
    if (change->exists)
        return HV_OK;
    enum hv_code code =
        new_file_bytes(change->context, change->key, hv_buf_str(&editing->joined), &editing->encoded, note, err);
    set_whole(editing, hv_buf_str(&editing->encoded));
    return code;
}

static enum hv_code run_edits(struct editing *editing, struct hv_result *result, struct hv_error *err)
{
    struct change *change = editing->change;
    struct hv_context *context = change->context;
    struct hv_str note = {0};
    enum hv_code code = check_new_texts(editing, err);
    if (code)
        return code;
    if (compute(editing)) {
        answer_failure(change, &editing->failure, result);
        return HV_OK;
    }
    code = shape_new_file(editing, &note, err);
    if (!code && hv_cancelled(context->cancel))
        code =
            hv_fail(err, HV_ECANCELLED, "The change was cancelled; %.*s was left as it was", HV_STR_ARG(change->path));
    if (!code)
        code = store(editing, err);
    if (code)
        return code;
    if (note.len)
        hv_result_add_text(result, context->arena, note);
    answer_success(editing, result);
    return HV_OK;
}

enum hv_code change_by_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                             size_t count, bool single, struct hv_result *result, struct hv_error *err)
{
    struct change change;
    enum hv_code code = change_load(&change, context, path, err);
    if (!code)
        code = check_before_edit(&change, requests, err);
    if (!code) {
        struct editing editing;
        editing_init(&editing, &change, requests, count, single);
        code = run_edits(&editing, result, err);
        editing_release(&editing);
    }
    change_release(&change);
    return code;
}

/* Of a file that was read: what the edits come to. */
static enum hv_code foresee(struct change *change, const struct edit_request *requests, size_t count, bool single,
                            struct hv_result *result, struct hv_error *err)
{
    struct editing editing;
    editing_init(&editing, change, requests, count, single);
    enum hv_code code = check_new_texts(&editing, err);
    if (!code && compute(&editing))
        answer_failure(change, &editing.failure, result);
    editing_release(&editing);
    return code;
}

/* Nothing is told of a file that the model has not seen: not even whether it is there. */
enum hv_code change_foresee_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                                  size_t count, bool single, struct hv_result *result, struct hv_error *err)
{
    struct change change;
    bool creates = requests[0].old_text.len == 0;
    enum hv_code code = change_load(&change, context, path, NULL);
    bool loaded = code == HV_OK;
    if (creates && (!loaded || !change.exists || !change.bytes.len)) {
        code = HV_OK;
    } else if (!loaded || !change.exists) {
        code = file_state_fail_unread(change.key, err);
    } else {
        code = file_state_check(context, change.key, &change.stat, hv_buf_str(&change.bytes), FILE_NEED_SEEN, err);
        if (!code)
            code = check_before_edit(&change, requests, err);
        if (!code)
            code = foresee(&change, requests, count, single, result, err);
    }
    change_release(&change);
    return code;
}

static void preview(struct editing *editing, struct hv_buf *out)
{
    if (compute(editing)) {
        hv_buf_add_cstr(out, "This will change nothing. ");
        edit_describe_failure(&editing->failure, out);
    } else {
        change_preview_lines(&editing->lines, editing->encoding.kind, out);
    }
}

void change_preview_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                          size_t count, bool single, struct hv_buf *out)
{
    struct change change;
    if (change_load(&change, context, path, NULL) == HV_OK && (change.exists || !requests->old_text.len)) {
        struct editing editing;
        editing_init(&editing, &change, requests, count, single);
        preview(&editing, out);
        editing_release(&editing);
    }
    change_release(&change);
}
