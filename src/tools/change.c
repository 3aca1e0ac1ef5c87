/* change.c: see change.h. */
#include "tools/change.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "fs/settings_alias.h"
#include "text/elision.h"
#include "text/lines.h"
#include "text/truncate.h"
#include "tools/commit.h"
#include "tools/file_kind.h"
#include "tools/read_media.h"
#include "tools/settings_file.h"

#include <string.h>

enum {
    HEAD = 4096, /* tells pictures and PDF documents */
    DIFF_CONTEXT = 3,
    PREVIEW_LINES_MAX = 60,
    PREVIEW_LINE_BYTES = 240,
    DIFF_LINES_MAX = 1000,
    DIFF_BYTES_MAX = 1 << 20,
    DIFF_LINE_BYTES = 2000,
    SPARE_LEAST = 1 << 20,
    SPARE_MOST = 64 << 20,
};
#define DECODED_MAX ((size_t)CHANGE_SIZE_MAX * 3)

/* ---- memory ---------------------------------------------------------------------------------------------- */

/* The memory that the last change of a large file needed, for the next one: the kernel takes about as long to give out
 * fresh memory as a file takes to be read into it. While it lies here the kernel may take it back. */
struct spare {
    pthread_mutex_t mutex;
    struct hv_buf buf;
};

static void spare_init(void *spare)
{
    pthread_mutex_init(&((struct spare *)spare)->mutex, NULL);
}

static void spare_release(void *pointer)
{
    struct spare *spare = pointer;
    hv_buf_release(&spare->buf);
    pthread_mutex_destroy(&spare->mutex);
}

static const struct hv_state_key spare_key = {
    .name = "memory for changes", .size = sizeof(struct spare), .init = spare_init, .release = spare_release};

/* With room for what the next changes may add, or each would need fresh memory. */
static void take_memory(struct change *change)
{
    uint64_t size = change->stat.size;
    if (size < SPARE_LEAST || size > SPARE_MOST)
        return;
    struct spare *spare = hv_state(change->context, &spare_key);
    pthread_mutex_lock(&spare->mutex);
    change->bytes.data = spare->buf.data;
    change->bytes.capacity = spare->buf.capacity;
    spare->buf = (struct hv_buf){0};
    pthread_mutex_unlock(&spare->mutex);
    if (change->bytes.capacity <= size)
        (void)hv_buf_reserve(&change->bytes, (size_t)(size + size / 8));
}

static void give_memory(struct change *change)
{
    if (change->bytes.capacity >= SPARE_LEAST && change->bytes.capacity <= SPARE_MOST) {
        struct spare *spare = hv_state(change->context, &spare_key);
        buf_rest(&change->bytes);
        LOCK_SCOPE(&spare->mutex);
        struct hv_buf former = spare->buf;
        bool is_larger = change->bytes.capacity > former.capacity;
        spare->buf = is_larger ? change->bytes : former;
        change->bytes = is_larger ? former : change->bytes;
    }
    hv_buf_release(&change->bytes);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

enum hv_code change_load(struct change *change, struct hv_context *context, struct hv_str path, struct hv_error *err)
{
    *change = (struct change){.context = context, .path = path};
    hv_buf_init(&change->bytes, (size_t)CHANGE_SIZE_MAX + 1);
    hv_buf_init(&change->text, DECODED_MAX);
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
    take_memory(change);
    code = host->read(host, path, 0, (size_t)CHANGE_SIZE_MAX + 1, &change->bytes, &change->stat, err);
    if (code)
        return code;
    change->exists = true;
    change->encoding = encoding_detect(hv_buf_str(&change->bytes));
    return HV_OK;
}

void change_release(struct change *change)
{
    give_memory(change);
    hv_buf_release(&change->text);
}

enum hv_code change_check(struct hv_context *context, struct hv_str path, struct pieces content, struct hv_error *err)
{
    struct hv_str key = file_state_key(context, path);
    if (!settings_file_is(context, path) && !settings_file_is(context, key)) {
        const struct settings_places places = {context->directory, context->home, context->environment};
        key = fs_settings_alias(context->host, context->arena, &places, path);
        if (!key.len)
            return HV_OK;
    }
    CLEANUP_BUF struct hv_buf joined = {0};
    hv_buf_init(&joined, (size_t)CHANGE_SIZE_MAX + 1);
    if (!pieces_join(content, &joined))
        return hv_fail(err, HV_ETOOBIG, "%.*s would become too large", HV_STR_ARG(path));
    enum hv_code code = settings_file_check(context, path, hv_buf_str(&joined), err);
    if (!code && !hv_str_eq(key, path)) /* behind a link, or by another name */
        code = settings_file_check(context, key, hv_buf_str(&joined), err);
    return code;
}

enum hv_code change_store(struct change *change, struct pieces content, struct hv_file_stat *after,
                          struct hv_error *err)
{
    struct hv_write_options options = {
        .expected = change->exists ? &change->stat : NULL,
        .expected_bytes = change->exists ? hv_buf_str(&change->bytes) : (struct hv_str){0},
        .must_not_exist = !change->exists,
        .make_parents = !change->exists,
    };
    struct hv_file_stat written;
    enum hv_code code = change_check(change->context, change->path, content, err);
    if (!code)
        code = commit_pieces(change->context, change->path, content, &options, &written, err);
    if (code)
        return code;
    *after = written;
    change_set_written(change, after);
    return HV_OK;
}

enum hv_code change_check_kind(const struct change *change, struct hv_error *err)
{
    enum read_media_kind kind = read_media_kind_of(change->path, hv_str_slice(hv_buf_str(&change->bytes), 0, HEAD));
    if (kind == READ_MEDIA_NONE)
        return HV_OK;
    hv_fail(err, HV_EUNSUPPORTED, "%.*s is a %s, which is not changed as text", HV_STR_ARG(change->path),
            kind == READ_MEDIA_PDF ? "PDF document" : "picture");
    hv_error_hint(err, "Make it anew or change it with a program in a shell, or remove it first");
    return HV_EUNSUPPORTED;
}

enum hv_code change_check_read(const struct change *change, enum file_need need, struct hv_error *err)
{
    enum hv_code code = change_check_kind(change, err);
    if (code)
        return code;
    code = file_state_check(change->context, change->key, &change->stat, hv_buf_str(&change->bytes), need, err);
    if (!code || change->encoding.kind != ENCODING_BINARY)
        return code;
    hv_fail(err, HV_EUNSUPPORTED, "%.*s is a binary file, which is neither shown nor changed as text",
            HV_STR_ARG(change->path));
    hv_error_hint(err, "Change or remove it with a shell command if that is meant");
    return HV_EUNSUPPORTED;
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

/* bytes, in this encoding, as UTF-8 for showing, in lines that end in '\n'; from buf where they are not. */
static struct hv_str as_text(struct hv_str bytes, struct encoding encoding, struct hv_buf *buf)
{
    struct hv_str text = bytes;
    if (encoding.kind != ENCODING_UTF8 && encoding_to_utf8(bytes, encoding, buf, NULL) == HV_OK)
        text = hv_buf_str(buf);
    if (!lines_end_in_returns(text))
        return text;
    if (text.ptr == bytes.ptr)
        hv_buf_add_str(buf, bytes);
    lines_exchange(buf->data, buf->len, '\r', '\n');
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

void change_show_lines(struct change *change, const struct diff *diff, enum encoding_kind encoding,
                       struct hv_result *result)
{
    struct hv_arena *arena = change->context->arena;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, (size_t)DIFF_BYTES_MAX * 2); /* the last line may go beyond */
    struct hv_str name = file_shown_path(change->context, change->path);
    note_in_place(change, result);
    struct diff_options options = {.context = DIFF_CONTEXT,
                                   .max_lines = DIFF_LINES_MAX,
                                   .max_bytes = DIFF_BYTES_MAX,
                                   .max_line_bytes = DIFF_LINE_BYTES,
                                   .old_name = name,
                                   .new_name = name,
                                   .encoding = encoding};
    diff_show(diff, &options, &out, NULL);
    if (out.failed) {
        hv_result_addf(result, arena, "Note: the difference is too large to be shown.");
    } else if (out.len) {
        result->diff = hv_arena_str(arena, hv_buf_str(&out));
        hv_result_add_text(result, arena, result->diff);
    }
    result->summary = hv_arena_format(arena, "+%zu -%zu", diff->added, diff->removed);
}

/* The difference between two texts that were decoded for it. */
struct decoded_diff {
    struct hv_arena arena;
    struct hv_buf old_text, new_text;
    struct diff lines;
};

static void decoded_diff_make(struct decoded_diff *diff, const struct change *change, struct hv_str new_bytes)
{
    *diff = (struct decoded_diff){.old_text.max = DECODED_MAX, .new_text.max = DECODED_MAX};
    struct encoding new_encoding = change->exists ? change->encoding : encoding_detect(new_bytes);
    diff_lines(&diff->arena, as_text(hv_buf_str(&change->bytes), change->encoding, &diff->old_text),
               as_text(new_bytes, new_encoding, &diff->new_text), &diff->lines);
}

static void decoded_diff_release(struct decoded_diff *diff)
{
    hv_arena_release(&diff->arena);
    hv_buf_release(&diff->old_text);
    hv_buf_release(&diff->new_text);
}

void change_show_diff(struct change *change, struct hv_str new_bytes, struct hv_result *result)
{
    struct decoded_diff diff;
    decoded_diff_make(&diff, change, new_bytes);
    change_show_lines(change, &diff.lines, ENCODING_UTF8, result);
    decoded_diff_release(&diff);
}

void change_preview_lines(const struct diff *lines, enum encoding_kind encoding, struct hv_buf *out)
{
    struct diff_options options = {.context = DIFF_CONTEXT,
                                   .max_lines = PREVIEW_LINES_MAX,
                                   .max_line_bytes = PREVIEW_LINE_BYTES,
                                   .encoding = encoding};
    diff_show(lines, &options, out, NULL);
}

void change_add_preview(struct change *change, struct hv_str new_bytes, struct hv_buf *out)
{
    struct decoded_diff diff;
    decoded_diff_make(&diff, change, new_bytes);
    change_preview_lines(&diff.lines, ENCODING_UTF8, out);
    decoded_diff_release(&diff);
}

/* ---- UTF-16, UTF-32, legacy encodings ------------------------------------------------------------------- */

enum hv_code change_encode(const struct change *change, struct hv_str text, struct hv_buf *bytes, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf returned = {0};
    hv_buf_init(&returned, DECODED_MAX);
    if (change->returns_alone) {
        hv_buf_add_str(&returned, text);
        lines_exchange(returned.data, returned.len, '\n', '\r');
        text = hv_buf_str(&returned);
    }
    hv_buf_add(bytes, change->bytes.data, change->encoding.mark);
    enum hv_code code = encoding_from_utf8(text, change->encoding.kind, bytes, err);
    if (!code && (bytes->failed || returned.failed))
        code = hv_fail(err, HV_ETOOBIG, "The file would become too large");
    return code;
}

/* Changes of such a file are computed over its text; bytes that would not come back the same from there (a lone
 * surrogate) are none to be changed. */
bool change_take_text(struct change *change, bool whole)
{
    enum encoding_kind kind = change->encoding.kind;
    struct hv_str bytes = hv_buf_str(&change->bytes);
    bool by_bytes = !encoding_is_decoded(kind) && !(whole && kind == ENCODING_8BIT);
    if (by_bytes && (kind == ENCODING_BINARY || !lines_end_in_returns(bytes)))
        return false;
    if (encoding_to_utf8(bytes, change->encoding, &change->text, NULL))
        return false;
    CLEANUP_BUF struct hv_buf again = {0};
    hv_buf_init(&again, (size_t)CHANGE_SIZE_MAX + 1);
    change->returns_alone = lines_end_in_returns(hv_buf_str(&change->text));
    if (change->returns_alone)
        lines_exchange(change->text.data, change->text.len, '\r', '\n');
    bool sound =
        change_encode(change, hv_buf_str(&change->text), &again, NULL) == HV_OK && hv_str_eq(hv_buf_str(&again), bytes);
    change->returns_alone &= sound;
    return sound;
}
