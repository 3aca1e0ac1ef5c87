/* new_file.c: see new_file.h. The files that speak are read anew each time: they are small, and new files are rare. */
#include "tools/new_file.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "text/editorconfig.h"
#include "text/encoding.h"
#include "text/gitattributes.h"
#include "text/lines.h"
#include "tools/tree.h"

#include <string.h>

enum { RULES_BYTES_MAX = 256 * 1024, DIRECTORIES_MAX = 64 };

/* What is asked for. */
struct style {
    const char *line_end; /* NULL: as given */
    enum encoding_kind encoding;
    struct hv_str mark;               /* put in front */
    bool drop_mark;                   /* UTF-8 without one is asked for */
    bool final_newline;               /* wanted, and only told */
    struct hv_str unknown;            /* an encoding that is asked for and that there is none of here */
    const char *end_by, *encoding_by; /* the file that asks */
};

/* A small file of rules, in the call's arena; absent when there is none. */
static struct hv_str read_rules(struct hv_context *context, struct hv_str directory, const char *name)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, RULES_BYTES_MAX);
    struct hv_str path =
        hv_arena_format(context->arena, "%.*s/%s", directory.len > 1 ? (int)directory.len : 0, directory.ptr, name);
    if (context->host->read(context->host, path, 0, RULES_BYTES_MAX, &bytes, NULL, NULL) != HV_OK)
        return (struct hv_str){0};
    return hv_arena_str(context->arena, hv_buf_str(&bytes));
}

static bool exists(struct hv_context *context, struct hv_str directory, const char *name)
{
    struct hv_file_stat status;
    struct hv_str path = hv_arena_format(context->arena, "%.*s/%s", HV_STR_ARG(directory), name);
    return context->host->stat(context->host, path, true, &status, NULL) == HV_OK;
}

/* ---- .editorconfig ----------------------------------------------------------------------------------------------- */

static void ask_editorconfig(struct hv_context *context, struct hv_str path, struct editorconfig *settings)
{
    struct hv_str texts[DIRECTORIES_MAX], directories[DIRECTORIES_MAX];
    size_t count = 0;
    for (struct hv_str at = path_parent(path); count < DIRECTORIES_MAX; at = path_parent(at)) {
        struct hv_str text = read_rules(context, at, ".editorconfig");
        if (text.ptr) {
            texts[count] = text;
            directories[count++] = at;
        }
        if (at.len <= 1 || (text.ptr && editorconfig_is_root(text)))
            break;
    }
    while (count--)
        editorconfig_apply(texts[count], path_relative(path, directories[count]), settings);
}

static void take_editorconfig(const struct editorconfig *settings, struct style *style)
{
    static const char *const ends[] = {
        [EDITORCONFIG_LF] = "\n", [EDITORCONFIG_CRLF] = "\r\n", [EDITORCONFIG_CR] = "\r"};
    if (settings->end) {
        style->line_end = ends[settings->end];
        style->end_by = ".editorconfig";
    }
    style->final_newline = settings->final_newline;
    style->encoding_by = settings->charset ? ".editorconfig" : NULL;
    switch (settings->charset) {
    case EDITORCONFIG_CHARSET_UNSET: break;
    case EDITORCONFIG_UTF8: style->drop_mark = true; break;
    case EDITORCONFIG_UTF8_BOM: style->mark = HV_STR("\xef\xbb\xbf"); break;
    case EDITORCONFIG_LATIN1: style->encoding = ENCODING_8BIT; break;
    case EDITORCONFIG_UTF16LE:
        style->encoding = ENCODING_UTF16LE;
        style->mark = HV_STR("\xff\xfe");
        break;
    case EDITORCONFIG_UTF16BE:
        style->encoding = ENCODING_UTF16BE;
        style->mark = HV_STR("\xfe\xff");
        break;
    }
}

/* ---- .gitattributes ---------------------------------------------------------------------------------------------- */

/* What the files of the work tree say; returns its top, or nothing where there is no work tree. */
static struct hv_str ask_gitattributes(struct hv_context *context, struct hv_str path, struct gitattributes *attributes)
{
    static const struct hv_str nowhere;
    struct hv_str texts[DIRECTORIES_MAX], directories[DIRECTORIES_MAX], top = {0};
    size_t count = 0;
    for (struct hv_str at = path_parent(path); count < DIRECTORIES_MAX && !top.ptr; at = path_parent(at)) {
        struct hv_str text = read_rules(context, at, ".gitattributes");
        if (text.ptr) {
            texts[count] = text;
            directories[count++] = at;
        }
        if (exists(context, at, ".git"))
            top = at;
        else if (at.len <= 1)
            return nowhere;
    }
    if (!top.ptr)
        return nowhere;
    struct hv_str info = read_rules(context, top, ".git/info/attributes");
    gitattributes_learn(attributes, info);
    if (count && hv_str_eq(directories[count - 1], top))
        gitattributes_learn(attributes, texts[count - 1]);
    gitattributes_apply(attributes, info, path_relative(path, top));
    for (size_t i = 0; i < count; i++)
        gitattributes_apply(attributes, texts[i], path_relative(path, directories[i]));
    return top;
}

/* The encodings that git knows by name and that differ in more than the name from what encoding_label says. */
static bool take_encoding(struct hv_str name, struct style *style)
{
    static const struct {
        const char *name;
        enum encoding_kind kind;
        const char *mark;
        size_t mark_len;
    } known[] = {
        {"UTF-8", ENCODING_UTF8, "", 0},
        {"UTF-16", ENCODING_UTF16LE, "\xff\xfe", 2},
        {"UTF-16LE", ENCODING_UTF16LE, "", 0},
        {"UTF-16BE", ENCODING_UTF16BE, "", 0},
        {"UTF-16LE-BOM", ENCODING_UTF16LE, "\xff\xfe", 2},
        {"UTF-16BE-BOM", ENCODING_UTF16BE, "\xfe\xff", 2},
        {"UTF-32", ENCODING_UTF32LE, "\xff\xfe\0\0", 4},
        {"UTF-32LE", ENCODING_UTF32LE, "", 0},
        {"UTF-32BE", ENCODING_UTF32BE, "", 0},
        {"ISO-8859-1", ENCODING_8BIT, "", 0},
        {"latin1", ENCODING_8BIT, "", 0},
        {"CP1252", ENCODING_8BIT, "", 0},
        {"SHIFT-JIS", ENCODING_SHIFT_JIS, "", 0},
        {"SJIS", ENCODING_SHIFT_JIS, "", 0},
        {"GBK", ENCODING_GB18030, "", 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (hv_str_eq_nocase(name, hv_str_from(known[i].name))) {
            style->encoding = known[i].kind;
            style->mark = hv_str_of(known[i].mark, known[i].mark_len);
            return true;
        }
    for (enum encoding_kind kind = ENCODING_UTF8; (int)kind < ENCODING_COUNT; kind++)
        if (kind != ENCODING_BINARY && hv_str_eq_nocase(name, hv_str_from(encoding_label(kind)))) {
            style->encoding = kind;
            style->mark = HV_STR("");
            return true;
        }
    return false;
}

static void take_gitattributes(const struct gitattributes *attributes, struct style *style)
{
    bool is_text = attributes->text.state == GITATTRIBUTES_SET || attributes->text.state == GITATTRIBUTES_VALUE ||
                   attributes->eol.state == GITATTRIBUTES_VALUE;
    if (attributes->text.state == GITATTRIBUTES_UNSET) {
        style->line_end = NULL; /* git keeps such a file byte for byte */
    } else if (is_text && attributes->eol.state == GITATTRIBUTES_VALUE) {
        bool crlf = hv_str_is(attributes->eol.value, "crlf");
        if (crlf || hv_str_is(attributes->eol.value, "lf")) {
            style->line_end = crlf ? "\r\n" : "\n";
            style->end_by = ".gitattributes";
        }
    }
    if (attributes->encoding.state != GITATTRIBUTES_VALUE)
        return;
    style->encoding_by = ".gitattributes";
    style->drop_mark = false;
    if (!take_encoding(attributes->encoding.value, style))
        style->unknown = attributes->encoding.value;
}

/* ---- git's settings ---------------------------------------------------------------------------------------------- */

/* What git itself does to a text at checkout where neither attributes nor .editorconfig name a line end. */
static void take_settings(const struct git_settings *settings, const struct gitattributes *attributes,
                          struct style *style)
{
    bool is_text = attributes->text.state == GITATTRIBUTES_SET || attributes->text.state == GITATTRIBUTES_VALUE;
    if (settings->autocrlf == GIT_LINE_ENDS_CRLF) {
        style->line_end = "\r\n";
        style->end_by = "git's core.autocrlf";
    } else if (!settings->autocrlf && settings->eol && is_text) {
        style->line_end = settings->eol == GIT_LINE_ENDS_CRLF ? "\r\n" : "\n";
        style->end_by = "git's core.eol";
    }
}

static void ask_settings(const struct hv_context *context, struct hv_str top, struct hv_str content,
                         const struct gitattributes *attributes, struct style *style)
{
    if (!top.ptr || style->line_end || attributes->text.state == GITATTRIBUTES_UNSET ||
        hv_str_starts(content, HV_STR("#!")) || hv_str_find_byte(content, '\0', 0) != SIZE_MAX)
        return;
    const struct git_person person = tree_git_person(context);
    struct hv_str shared, worktree = git_directory(context->arena, top, &shared);
    struct git_settings settings = git_settings_find(context->arena, &person, shared, worktree);
    take_settings(&settings, attributes, style);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* content with every line ending as asked for; counts what was changed. */
static size_t put_line_ends(struct hv_str content, const char *line_end, struct hv_buf *out)
{
    size_t changed = 0;
    for (size_t at = 0; at < content.len;) {
        size_t newline = hv_str_find_byte(content, '\n', at);
        size_t end = newline == SIZE_MAX ? content.len : newline;
        bool crlf = newline != SIZE_MAX && end > at && content.ptr[end - 1] == '\r';
        hv_buf_add(out, content.ptr + at, end - at - crlf);
        if (newline == SIZE_MAX)
            break;
        hv_buf_add_cstr(out, line_end);
        changed += strcmp(line_end, crlf ? "\r\n" : "\n") != 0;
        at = newline + 1;
    }
    return changed;
}

static const char *end_name(const char *line_end)
{
    return line_end[0] == '\n' ? "LF" : line_end[1] ? "CRLF" : "CR";
}

static enum hv_code encode(const struct style *style, struct hv_str path, struct hv_str text, struct hv_buf *out,
                           struct hv_error *err)
{
    bool has_mark = hv_str_starts(text, HV_STR("\xef\xbb\xbf"));
    bool own_mark = has_mark && (style->mark.len || style->drop_mark || style->encoding != ENCODING_UTF8);
    hv_buf_add_str(out, style->mark);
    text = hv_str_slice(text, own_mark ? 3 : 0, text.len);
    if (style->encoding == ENCODING_UTF8) {
        hv_buf_add_str(out, text);
        return out->failed ? hv_fail(err, HV_ETOOBIG, "The content is too large") : HV_OK;
    }
    enum hv_code code = encoding_from_utf8(text, style->encoding, out, err);
    if (code) {
        hv_error_prefix(err, "%.*s is to be in %s by %s, and was not created: ", HV_STR_ARG(path),
                        encoding_label(style->encoding), style->encoding_by);
        hv_error_hint(err, "Use other characters, or change what %s says of such files first", style->encoding_by);
    }
    return code;
}

static void tell(const struct style *style, struct hv_str content, size_t changed, struct hv_buf *note)
{
    if (changed)
        hv_buf_addf(note, "lines end in %s, as %s asks for", end_name(style->line_end), style->end_by);
    if (style->encoding != ENCODING_UTF8 || style->mark.len)
        hv_buf_addf(note, "%sit is in %s%s, as %s asks for", note->len ? "; " : "", encoding_label(style->encoding),
                    style->mark.len ? " with a byte order mark" : "", style->encoding_by);
    if (style->unknown.len)
        hv_buf_addf(note, "%s.gitattributes asks for the encoding %.*s, which helve does not write: it is in UTF-8",
                    note->len ? "; " : "", HV_STR_ARG(style->unknown));
    if (style->final_newline && content.len && content.ptr[content.len - 1] != '\n')
        hv_buf_addf(note, "%s.editorconfig asks for a newline at the end, which the content lacks",
                    note->len ? "; " : "");
}

enum hv_code new_file_bytes(struct hv_context *context, struct hv_str path, struct hv_str content, struct hv_buf *out,
                            struct hv_str *note, struct hv_error *err)
{
    struct style style = {0};
    struct editorconfig settings = {0};
    struct gitattributes attributes = {0};
    CLEANUP_BUF struct hv_buf text = {0}, words = {0};
    hv_buf_init(&text, out->max);
    hv_buf_init(&words, 1024);
    ask_editorconfig(context, path, &settings);
    take_editorconfig(&settings, &style);
    struct hv_str top = ask_gitattributes(context, path, &attributes);
    take_gitattributes(&attributes, &style);
    ask_settings(context, top, content, &attributes, &style);
    size_t changed = style.line_end ? put_line_ends(content, style.line_end, &text) : 0;
    if (text.failed)
        return hv_fail(err, HV_ETOOBIG, "The content is too large");
    enum hv_code code = encode(&style, path, style.line_end ? hv_buf_str(&text) : content, out, err);
    if (code)
        return code;
    tell(&style, content, changed, &words);
    *note = words.len ? hv_arena_format(context->arena, "Note: %.*s.", HV_STR_ARG(hv_buf_str(&words))) : *note;
    return HV_OK;
}
