/* source.c: one file of settings: its bytes, its tree, the places in it, and what is wrong with it. See loader.h. */
#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "config/loader.h"

enum { SHOWN_MAX = 120, LEFT_OUT_MAX = 300 };

/* ---- reading -------------------------------------------------------------------------------------------------- */

static void free_bytes(void *bytes)
{
    free(bytes);
}

static enum hv_code fail_large(struct hv_str file, struct hv_error *err)
{
    hv_fail(err, HV_ETOOBIG, "%.*s is larger than %d KiB", HV_STR_ARG(file), (int)SETTINGS_FILE_MAX / 1024);
    hv_error_hint(err, "take out what is no setting");
    return HV_ETOOBIG;
}

static bool has_comment(struct hv_str text)
{
    struct hv_str rest = text, line;
    while (hv_str_split(&rest, '\n', &line)) {
        line = hv_str_trim(line);
        if (hv_str_starts(line, HV_STR("//")) || hv_str_starts(line, HV_STR("/*")))
            return true;
    }
    return false;
}

enum hv_code source_parse(struct hv_arena *arena, struct source *source, struct hv_error *err)
{
    const struct hv_json *json = NULL;
    struct hv_error why = {0};
    if (!hv_str_trim(source->text).len) {
        hv_fail(err, HV_EINVAL, "the file is empty");
        hv_error_hint(err, "write {} into it, or remove it");
        return HV_EINVAL;
    }
    enum hv_code code = hv_json_parse(arena, source->text, HV_JSON_STRICT, &json, &why);
    if (code != HV_OK) {
        if (has_comment(source->text))
            hv_error_hint(&why, "settings are plain JSON: comments are not allowed");
        if (err)
            *err = why;
        return code;
    }
    if (json->type != HV_JSON_OBJECT) {
        hv_fail(err, HV_EINVAL, "expected an object of settings, found %s", hv_json_type_name(json));
        hv_error_place(err, "1:1");
        return HV_EINVAL;
    }
    source->json = json;
    return HV_OK;
}

enum hv_code source_read(const struct hv_host *host, struct hv_arena *arena, struct source *source,
                         struct hv_error *err)
{
    struct hv_buf bytes;
    hv_buf_init(&bytes, SETTINGS_FILE_MAX + 1);
    enum hv_code code = host->read(host, source->file, 0, SETTINGS_FILE_MAX + 1, &bytes, NULL, err);
    if (bytes.data)
        hv_arena_on_release(arena, free_bytes, bytes.data);
    if (code != HV_OK)
        return code;
    source->text = hv_buf_str(&bytes);
    if (hv_str_starts(source->text, HV_STR("\xef\xbb\xbf")))
        source->text = hv_str_slice(source->text, 3, SIZE_MAX);
    if (bytes.len > SETTINGS_FILE_MAX)
        return fail_large(source->file, err);
    return source_parse(arena, source, err);
}

/* ---- places --------------------------------------------------------------------------------------------------- */

struct settings_place source_place(struct source *source, size_t offset)
{
    if (offset > source->text.len)
        offset = source->text.len;
    if (offset < source->at || !source->line) {
        source->at = 0;
        source->line = source->column = 1;
    }
    for (; source->at < offset; source->at++) {
        unsigned char byte = (unsigned char)source->text.ptr[source->at];
        source->column += (byte & 0xc0) != 0x80;
        if (byte == '\n') {
            source->line++;
            source->column = 1;
        }
    }
    return (struct settings_place){source->scope, source->file, source->line, source->column};
}

struct settings_place source_place_of(struct source *source, const struct hv_json *value)
{
    if (!value)
        return (struct settings_place){.scope = source->scope, .file = source->file};
    return source_place(source, value->start);
}

void source_leave_out(struct source *source, struct hv_str prefix, struct hv_str name)
{
    if (!source->left_out.max)
        hv_buf_init(&source->left_out, LEFT_OUT_MAX);
    if (source->left_out.len)
        hv_buf_add_cstr(&source->left_out, ", ");
    hv_buf_add_str(&source->left_out, prefix);
    hv_buf_add_str(&source->left_out, name);
}

/* ---- problems ------------------------------------------------------------------------------------------------- */

struct hv_str text_shown(struct hv_arena *arena, struct hv_str text)
{
    struct hv_str head = hv_str_slice(text, 0, SHOWN_MAX);
    if (head.len < text.len)
        head.len -= utf8_incomplete_tail(head);
    CLEANUP_BUF struct hv_buf shown = {0};
    hv_buf_init(&shown, (size_t)SHOWN_MAX * 4);
    utf8_repair(&shown, head);
    for (size_t i = 0; i < shown.len; i++)
        if ((unsigned char)shown.data[i] < ' ' || shown.data[i] == 0x7f)
            shown.data[i] = ' ';
    if (head.len < text.len)
        hv_buf_add_cstr(&shown, "…");
    return hv_arena_str(arena, hv_buf_str(&shown));
}

bool loader_has_room(struct loader *loader)
{
    if (loader->problems.count < SETTINGS_PROBLEMS_MAX)
        return true;
    loader->problems_left_out++;
    return false;
}

void loader_problem(struct loader *loader, enum settings_problem_kind kind, struct settings_place place,
                    struct hv_str message, struct hv_str hint)
{
    /* A file that could not be read is told in any case. */
    if (kind != SETTINGS_BROKEN && !loader_has_room(loader))
        return;
    *vec_push(&loader->problems) = (struct settings_problem){
        .kind = kind,
        .message = hv_arena_str(loader->arena, message),
        .hint = hint.len ? hv_arena_str(loader->arena, hint) : (struct hv_str){0},
        .place = place,
    };
}

void loader_warn(struct loader *loader, struct source *source, const struct hv_json *value, const char *format, ...)
{
    if (!loader_has_room(loader))
        return;
    va_list arguments;
    va_start(arguments, format);
    struct hv_str message = hv_arena_vformat(loader->arena, format, arguments);
    va_end(arguments);
    loader_problem(loader, SETTINGS_WARNING, source_place_of(source, value), message, (struct hv_str){0});
}

void loader_warn_type(struct loader *loader, struct source *source, const struct hv_json *member, const char *expected)
{
    if (!loader_has_room(loader))
        return;
    struct hv_str name = member->key.ptr ? text_shown(loader->arena, member->key) : HV_STR("an element");
    loader_warn(loader, source, member, "%.*s should be %s, not %s: it is ignored", HV_STR_ARG(name), expected,
                hv_json_type_name(member));
}

void loader_warn_unknown(struct loader *loader, struct source *source, const struct hv_json *member,
                         const struct hv_str *known, size_t count)
{
    if (!loader_has_room(loader))
        return;
    struct hv_str name = text_shown(loader->arena, member->key);
    struct hv_str near = nearest_name(member->key, known, count);
    struct hv_str hint = {0};
    if (near.len)
        hint = hv_arena_format(loader->arena, "did you mean \"%.*s\"?", HV_STR_ARG(near));
    loader_problem(loader, SETTINGS_WARNING, source_place(source, member->key_start),
                   hv_arena_format(loader->arena, "\"%.*s\" is not a known setting: it is ignored", HV_STR_ARG(name)),
                   hint);
}
