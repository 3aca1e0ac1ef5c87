/*
 * apply_patch.c: the tool ApplyPatch: several files added, updated, moved or deleted by one patch, all or
 * nothing. The new bytes of all files are computed first (text/patch.h); then the host makes all changes or none.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "text/lines.h"
#include "text/patch.h"
#include "text/truncate.h"
#include "tools/change.h"
#include "tools/commit.h"
#include "tools/file_kind.h"
#include "tools/new_file.h"
#include "tools/settings_file.h"

#include <helve/tool.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_EACH = 3, FAILURE_MAX = 8192, DIFF_MAX = 4 << 20, PREVIEW_LINES = 80, PREVIEW_LINE_BYTES = 240 };

struct apply_patch_input {
    struct hv_str patch;
};

static const char *const patch_aliases[] = {"input", "patch_text", "patchText", "diff", NULL};

static const struct hv_field apply_patch_fields[] = {
    {.name = "patch",
     .description = "The patch, from \"*** Begin Patch\" to \"*** End Patch\"",
     .type = HV_FIELD_STRING,
     .flags = HV_REQUIRED | HV_NON_EMPTY,
     .offset = offsetof(struct apply_patch_input, patch),
     .aliases = patch_aliases},
    {0}};

/* One file of the patch under change. */
struct patched {
    const struct patch_file *file;
    struct hv_str path, target; /* absolute; target is where it ends up */
    struct change change;
    struct hv_buf bytes; /* new content */
    struct hv_str note;  /* on how it was written, or absent */
    bool by_blanks;
    size_t begin;    /* its first change */
    bool moves_link; /* it is a symbolic link that moves: its name, not the file that it leads to */
};

struct patching {
    struct hv_context *context;
    struct patch patch;
    struct patched *files;
    size_t loaded; /* files whose change and bytes are to be released */
    struct hv_file_change *changes;
    size_t change_count;
    struct hv_str failure; /* which hunk does not fit, and why; absent: none */
};

/* ---- before the call --------------------------------------------------------------------------------------------- */

static enum hv_code check_path(struct hv_str path, struct hv_error *err)
{
    bool network = hv_str_starts(path, HV_STR("//")) || hv_str_starts(path, HV_STR("\\\\"));
    if (!network && hv_str_find_byte(path, '\0', 0) == SIZE_MAX)
        return HV_OK;
    hv_fail(err, HV_EINVAL, "%.*s is no path of a file on this machine", HV_STR_ARG(path));
    hv_error_place(err, "patch");
    return HV_EINVAL;
}

/* A name in the order of by_directory: what lies below a directory follows it at once. */
static int by_directory(const void *a, const void *b)
{
    struct hv_str x = *(const struct hv_str *)a, y = *(const struct hv_str *)b;
    size_t at = 0;
    while (at < x.len && at < y.len && x.ptr[at] == y.ptr[at])
        at++;
    int left = at == x.len ? -1 : x.ptr[at] == '/' ? 0 : (unsigned char)x.ptr[at];
    int right = at == y.len ? -1 : y.ptr[at] == '/' ? 0 : (unsigned char)y.ptr[at];
    return left - right;
}

/* Each name once, also as the target of a move, and none below another: all are there at once, as files. */
static enum hv_code check_twice(const struct hv_context *context, const struct patch *patch, struct hv_error *err)
{
    size_t count = 0;
    struct hv_str *names = hv_arena_array(context->arena, struct hv_str, 2 * patch->count);
    for (size_t i = 0; i < patch->count; i++) {
        names[count++] = hv_path_expand(context, patch->files[i].path);
        if (patch->files[i].move_to.len)
            names[count++] = hv_path_expand(context, patch->files[i].move_to);
    }
    qsort(names, count, sizeof *names, by_directory);
    for (size_t i = 1; i < count; i++) {
        bool twice = hv_str_eq(names[i - 1], names[i]), below = path_inside(names[i], names[i - 1]);
        if (!twice && !below)
            continue;
        hv_fail(err, HV_EINVAL, "the patch names %.*s %s", HV_STR_ARG(file_shown_path(context, names[i - 1])),
                twice ? "twice" : "as a file and as a directory");
        hv_error_hint(err, twice ? "Put all hunks of one file into one \"*** Update File\""
                                 : "Use one patch to remove what is in the way, and another for the rest");
        hv_error_place(err, "patch");
        return HV_EINVAL;
    }
    return HV_OK;
}

static enum hv_code apply_patch_validate(const void *input, const struct hv_context *context, struct hv_error *err)
{
    struct patch patch;
    enum hv_code code = patch_parse(context->arena, ((const struct apply_patch_input *)input)->patch, &patch, err);
    for (size_t i = 0; i < patch.count && !code; i++) {
        code = check_path(patch.files[i].path, err);
        if (!code && patch.files[i].move_to.len)
            code = check_path(patch.files[i].move_to, err);
    }
    return code ? code : check_twice(context, &patch, err);
}

/* A patch that cannot be read has the footprint of everything; it never gets as far as a call. */
static void apply_patch_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    struct patch patch;
    if (patch_parse(context->arena, ((const struct apply_patch_input *)input)->patch, &patch, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < patch.count; i++) {
        hv_footprint_write(out, context->arena, hv_path_expand(context, patch.files[i].path));
        if (patch.files[i].move_to.len)
            hv_footprint_write(out, context->arena, hv_path_expand(context, patch.files[i].move_to));
    }
}

static bool apply_patch_concurrency_safe(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true; /* the footprint keeps two changes of one file apart */
}

static void apply_patch_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    static const char *const words[] = {[PATCH_ADD] = "add", [PATCH_UPDATE] = "update", [PATCH_DELETE] = "delete"};
    struct patch patch;
    if (patch_parse(context->arena, ((const struct apply_patch_input *)input)->patch, &patch, NULL) != HV_OK) {
        hv_buf_add_cstr(out, "a patch that cannot be read");
        return;
    }
    for (size_t i = 0; i < patch.count; i++) {
        const struct patch_file *file = &patch.files[i];
        hv_buf_addf(out, "%s%s %.*s", i ? ", " : "", words[file->kind],
                    HV_STR_ARG(file_shown_path(context, hv_path_expand(context, file->path))));
        if (file->move_to.len)
            hv_buf_addf(out, " → %.*s", HV_STR_ARG(file_shown_path(context, hv_path_expand(context, file->move_to))));
    }
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

/* Told as a result of its own: it has several lines. */
static enum hv_code fail_hunk(struct patching *patching, const struct patched *patched,
                              const struct patch_failure *failure)
{
    struct hv_arena *arena = patching->context->arena;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, FAILURE_MAX);
    hv_buf_addf(&text, "No file was changed. Hunk %zu of %.*s does not fit. ", failure->hunk + 1,
                HV_STR_ARG(file_shown_path(patching->context, patched->path)));
    if (failure->anchor)
        hv_buf_addf(&text,
                    "No line %s reads \"%.*s\", as its @@ says. Read the file and give a whole line of it behind @@, "
                    "or @@ alone.",
                    failure->hunk ? "below the hunk before it" : "of the file", HV_STR_ARG(failure->text));
    else if (failure->elsewhere && !failure->from)
        hv_buf_addf(&text,
                    "Its lines that stay and go stand at line %zu, which is not the end of the file. Leave out "
                    "\"*** End of File\".",
                    failure->elsewhere);
    else if (failure->elsewhere)
        hv_buf_addf(
            &text,
            "Its lines that stay and go stand at line %zu, but are looked for from line %zu on, behind the hunk "
            "before it and its @@ lines. Give hunks in the order of the file, each below its @@ lines.",
            failure->elsewhere, failure->from);
    else
        edit_describe_failure(&failure->place, &text);
    patching->failure = hv_arena_str(arena, hv_buf_str(&text));
    return HV_EINVAL;
}

/* What the hunks put in must not stand for text that is left out. */
static enum hv_code check_new_lines(const struct patching *patching, const struct patched *patched, struct hv_str file,
                                    struct hv_error *err)
{
    enum hv_code code = HV_OK;
    for (size_t i = 0; i < patched->file->hunk_count && !code; i++) {
        const struct patch_hunk *hunk = &patched->file->hunks[i];
        CLEANUP_BUF struct hv_buf added = {0};
        hv_buf_init(&added, EDIT_SIZE_MAX);
        for (size_t k = 0; k < hunk->count; k++)
            if (hunk->lines[k].sign == '+')
                hv_buf_addf(&added, "%.*s\n", HV_STR_ARG(hunk->lines[k].text));
        struct hv_str what = hv_arena_format(patching->context->arena, "what hunk %zu adds", i + 1);
        code = change_check_elision(&patched->change, file, hv_buf_str(&added), what.ptr, err);
    }
    return code;
}

static enum hv_code update_bytes(struct patching *patching, struct patched *patched, struct hv_error *err)
{
    struct change *change = &patched->change;
    struct edit edit;
    struct patch_failure failure;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, EDIT_SIZE_MAX);
    enum hv_code code = change_check_kind(change, err);
    if (code)
        return code;
    bool by_text = change_take_text(change, true);
    if (!by_text && change->encoding.kind != ENCODING_UTF8)
        return hv_fail(err, HV_EUNSUPPORTED, "%.*s is in %s and cannot be patched: its bytes are not sound text",
                       HV_STR_ARG(patched->path), encoding_name(change->encoding.kind));
    struct hv_str file = hv_buf_str(by_text ? &change->text : &change->bytes);
    code = check_new_lines(patching, patched, file, err);
    if (code)
        return code;
    code = patch_compute(patching->context->arena, file, patched->file, &edit, &patched->by_blanks, &failure);
    if (code)
        return fail_hunk(patching, patched, &failure);
    if (!edit_apply(file, &edit, by_text ? &text : &patched->bytes))
        return hv_fail(err, HV_ETOOBIG, "%.*s would become too large", HV_STR_ARG(patched->path));
    code = by_text ? change_encode(change, hv_buf_str(&text), &patched->bytes, err) : HV_OK;
    if (code == HV_EINVAL) {
        hv_error_prefix(err, "No file was changed. The new lines cannot be written in the encoding of %.*s: ",
                        HV_STR_ARG(patched->path));
        hv_error_hint(err, ENCODING_LACKS_HINT);
    }
    return code;
}

static bool is_link(struct hv_context *context, struct hv_str path)
{
    struct hv_file_stat status;
    return context->host->stat(context->host, path, false, &status, NULL) == HV_OK && status.kind == HV_FILE_SYMLINK;
}

/* A link moves as it is; what it leads to from there, nobody has looked at. */
static enum hv_code check_moved_link(struct patching *patching, struct patched *patched, struct hv_error *err)
{
    patched->moves_link = patched->file->move_to.len && is_link(patching->context, patched->path);
    struct hv_str key = file_state_key(patching->context, patched->target);
    if (!patched->moves_link ||
        !(settings_file_is(patching->context, patched->target) || settings_file_is(patching->context, key)))
        return HV_OK;
    hv_fail(err, HV_EUNSUPPORTED, "%.*s is a symbolic link, and %.*s holds settings, which must be a file",
            HV_STR_ARG(patched->path), HV_STR_ARG(patched->target));
    hv_error_hint(err, "Nothing was changed. Write the settings themselves");
    return HV_EUNSUPPORTED;
}

static enum hv_code compute(struct patching *patching, struct patched *patched, struct hv_error *err)
{
    enum patch_kind kind = patched->file->kind;
    if (kind == PATCH_ADD && patched->change.exists) {
        hv_fail(err, HV_EEXIST, "%.*s exists already", HV_STR_ARG(patched->path));
        hv_error_hint(err, "Nothing was changed. Use \"*** Update File\" with hunks, or delete it first");
        return HV_EEXIST;
    }
    if (kind != PATCH_ADD && !patched->change.exists)
        return file_fail_missing(patching->context, patched->path, err);
    enum hv_code code = HV_OK;
    if (kind == PATCH_ADD)
        code = new_file_bytes(patching->context, patched->change.key, patched->file->content, &patched->bytes,
                              &patched->note, err);
    else if (kind == PATCH_UPDATE)
        code = update_bytes(patching, patched, err);
    if (!code)
        code = check_moved_link(patching, patched, err);
    if (!code && kind != PATCH_DELETE) {
        struct hv_str bytes = hv_buf_str(&patched->bytes);
        code = change_check(patching->context, patched->target, (struct pieces){&bytes, 1}, err);
    }
    return code;
}

/* The new bytes at that path; a file that moves is another one, as far as writing goes. */
static void add_write(struct patching *patching, struct patched *patched, struct hv_str path, bool is_new, bool moves)
{
    const struct change *change = &patched->change;
    patching->changes[patching->change_count++] = (struct hv_file_change){
        .path = path,
        .bytes = patched->bytes.len ? hv_buf_str(&patched->bytes) : HV_STR(""),
        .options = {.expected = is_new ? NULL : &change->stat,
                    .expected_bytes = is_new ? (struct hv_str){0} : hv_buf_str(&change->bytes),
                    .must_not_exist = is_new,
                    .make_parents = is_new,
                    .mode = moves ? change->stat.mode : 0,
                    .like = moves ? patched->path : (struct hv_str){0}},
    };
}

/* What the host is to do about one file: a move is two changes; that of a link is three when what it leads to changes.
 */
static void add_changes(struct patching *patching, struct patched *patched)
{
    struct change *change = &patched->change;
    bool moves = patched->file->move_to.len > 0, writes = patched->file->kind != PATCH_DELETE;
    patched->begin = patching->change_count;
    if (writes && !patched->moves_link)
        add_write(patching, patched, patched->target, moves || !change->exists, moves);
    else if (writes && !hv_str_eq(hv_buf_str(&patched->bytes), hv_buf_str(&change->bytes)))
        add_write(patching, patched, patched->path, false, false);
    if (patched->moves_link)
        patching->changes[patching->change_count++] = (struct hv_file_change){
            .path = patched->target, .link_like = patched->path, .options = {.make_parents = true}};
    if (moves || !writes)
        patching->changes[patching->change_count++] =
            (struct hv_file_change){.path = patched->path, .options = {.expected = &change->stat}};
}

static enum hv_code prepare(struct patching *patching, struct hv_error *err)
{
    struct hv_context *context = patching->context;
    size_t count = patching->patch.count;
    patching->files = hv_arena_zalloc(context->arena, count, sizeof *patching->files);
    patching->changes = hv_arena_zalloc(context->arena, count * CHANGES_EACH, sizeof *patching->changes);
    for (size_t i = 0; i < count; i++) {
        struct patched *patched = &patching->files[i];
        patched->file = &patching->patch.files[i];
        patched->path = hv_path_expand(context, patched->file->path);
        patched->target = patched->file->move_to.len ? hv_path_expand(context, patched->file->move_to) : patched->path;
        hv_buf_init(&patched->bytes, (size_t)CHANGE_SIZE_MAX + 1);
        patching->loaded = i + 1;
        enum hv_code code = change_load(&patched->change, context, patched->path, err);
        if (!code)
            code = compute(patching, patched, err);
        if (code)
            return code;
        add_changes(patching, patched);
    }
    return HV_OK;
}

static void release(struct patching *patching)
{
    for (size_t i = 0; i < patching->loaded; i++) {
        change_release(&patching->files[i].change);
        hv_buf_release(&patching->files[i].bytes);
    }
}

/* ---- after the change -------------------------------------------------------------------------------------------- */

/* The model knows what it put there; of the rest it knows what it knew before. */
static void note_state(struct patching *patching)
{
    struct hv_context *context = patching->context;
    for (size_t i = 0; i < patching->patch.count; i++) {
        struct patched *patched = &patching->files[i];
        if (patched->file->kind == PATCH_DELETE)
            continue;
        const struct hv_file_change *change = &patching->changes[patched->begin];
        struct hv_str bytes = hv_buf_str(&patched->bytes), key = file_state_key(context, patched->target);
        if (patched->file->kind == PATCH_ADD) {
            file_state_note_written(context, key, &change->after, hv_str_hash(bytes));
        } else if (!patched->file->move_to.len) {
            struct diff lines;
            change_set_written(&patched->change, &change->after);
            diff_lines(context->arena, hv_buf_str(&patched->change.bytes), bytes, &lines);
            file_state_note_edited(context, key, &change->after, hv_str_hash(bytes), &lines);
        }
    }
}

static void note_moved_link(struct hv_context *context, const struct patched *patched, struct hv_result *result)
{
    struct hv_file_stat now;
    bool leads = context->host->stat(context->host, patched->target, true, &now, NULL) == HV_OK;
    bool is_same = leads && now.inode == patched->change.stat.inode && now.device == patched->change.stat.device;
    hv_result_addf(result, context->arena, "Note: it is a symbolic link, which was moved as it is%s.",
                   is_same ? ""
                   : leads ? "; from its new place it leads to another file"
                           : "; from its new place it leads to nothing");
}

static void answer_file(struct patching *patching, struct patched *patched, struct hv_result *result)
{
    struct hv_context *context = patching->context;
    struct hv_str path = file_shown_path(context, patched->path);
    size_t lines = lines_count(hv_buf_str(&patched->bytes));
    switch (patched->file->kind) {
    case PATCH_ADD:
        hv_result_addf(result, context->arena, "Added %.*s (%zu line%s).", HV_STR_ARG(path), lines,
                       lines == 1 ? "" : "s");
        if (patched->note.len)
            hv_result_add_text(result, context->arena, patched->note);
        break;
    case PATCH_DELETE: hv_result_addf(result, context->arena, "Deleted %.*s.", HV_STR_ARG(path)); break;
    case PATCH_UPDATE:
        if (patched->file->move_to.len)
            hv_result_addf(result, context->arena, "Moved %.*s to %.*s.", HV_STR_ARG(path),
                           HV_STR_ARG(file_shown_path(context, patched->target)));
        else
            hv_result_addf(result, context->arena, "Updated %.*s.", HV_STR_ARG(path));
        if (patched->moves_link)
            note_moved_link(context, patched, result);
        if (patched->by_blanks)
            hv_result_addf(result, context->arena,
                           "Note: a hunk matched only with blanks at line ends left out of account; lines that stay "
                           "kept theirs.");
    }
}

static void answer(struct patching *patching, struct hv_result *result)
{
    struct hv_arena *arena = patching->context->arena;
    CLEANUP_BUF struct hv_buf diffs = {0};
    hv_buf_init(&diffs, DIFF_MAX);
    for (size_t i = 0; i < patching->patch.count; i++) {
        struct patched *patched = &patching->files[i];
        answer_file(patching, patched, result);
        result->diff = (struct hv_str){0};
        if (patched->file->kind == PATCH_UPDATE)
            change_show_diff(&patched->change, hv_buf_str(&patched->bytes), result);
        hv_buf_add_str(&diffs, result->diff);
    }
    result->diff = diffs.failed ? (struct hv_str){0} : hv_arena_str(arena, hv_buf_str(&diffs));
    result->summary =
        hv_arena_format(arena, "%zu file%s", patching->patch.count, patching->patch.count == 1 ? "" : "s");
}

static enum hv_code apply(struct patching *patching, struct hv_result *result, struct hv_error *err)
{
    struct hv_context *context = patching->context;
    enum hv_code code = prepare(patching, err);
    if (patching->failure.len) {
        hv_result_add_text(result, context->arena, patching->failure);
        result->is_error = true;
        return HV_OK;
    }
    if (code)
        return code;
    if (hv_cancelled(context->cancel))
        return hv_fail(err, HV_ECANCELLED, "The patch was cancelled; nothing was changed");
    code = commit_changes(context, patching->changes, patching->change_count, err);
    if (code) {
        hv_error_prefix(err, "No file was changed: ");
        return code;
    }
    note_state(patching);
    answer(patching, result);
    return HV_OK;
}

static enum hv_code apply_patch_call(const void *input, struct hv_context *context, void **data,
                                     struct hv_result *result, struct hv_error *err)
{
    (void)data;
    struct patching patching = {.context = context};
    enum hv_code code =
        patch_parse(context->arena, ((const struct apply_patch_input *)input)->patch, &patching.patch, err);
    if (!code)
        code = apply(&patching, result, err);
    release(&patching);
    return code;
}

/* The patch itself says it best; render_use has the list of files. */
static void apply_patch_preview(const void *input, struct hv_context *context, struct hv_buf *out)
{
    struct hv_str rest = ((const struct apply_patch_input *)input)->patch, line;
    (void)context;
    for (size_t shown = 0; lines_next(&rest, &line); shown++) {
        if (shown == PREVIEW_LINES) {
            hv_buf_addf(out, "… %zu more lines\n", lines_count(rest) + 1);
            return;
        }
        hv_buf_addf(out, "%.*s\n", HV_STR_ARG(truncate_head(lines_chop(line), PREVIEW_LINE_BYTES)));
    }
}

static const char *const apply_patch_aliases[] = {"apply_patch", "applypatch", "patch", NULL};
static const char *const apply_patch_rule_names[] = {"Edit", NULL};

const struct hv_tool tool_apply_patch = {
    .name = "ApplyPatch",
    .aliases = apply_patch_aliases,
    .rule_names = apply_patch_rule_names,
    .title = "Apply a patch",
    .search_hint = "add, update, move and delete several files at once by a patch",
    .description =
        "Applies a patch to several files, all or nothing. It begins with \"*** Begin Patch\" and ends with \"*** End "
        "Patch\"; between them stand, per file, \"*** Add File: PATH\" followed by its lines with + before each, \"*** "
        "Delete File: PATH\", or \"*** Update File: PATH\" (with \"*** Move to: PATH\" after it to move the file) "
        "followed "
        "by hunks. A hunk is \"@@\", with a line above the place behind it where the place is not the only one, and "
        "lines that stay (a blank before each), go (-) and come (+), some three staying lines around each change, "
        "exactly "
        "as in the file.",
    .deferred = true,
    .fields = apply_patch_fields,
    .input_size = sizeof(struct apply_patch_input),
    .subject_kind = HV_SUBJECT_PATH,
    .only_edits_files = true,
    .announces_changes = true,
    .validate = apply_patch_validate,
    .footprint = apply_patch_footprint,
    .concurrency_safe = apply_patch_concurrency_safe,
    .call = apply_patch_call,
    .render_use = apply_patch_render_use,
    .preview = apply_patch_preview,
};
