/* chat_input.c: what a person types in an interactive session besides plain words: notes for memory files, pictures by
 * path, words that reach the model while it works. */
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/chat.h"
#include "text/image_head.h"

enum { NOTES_MAX = 1 << 20, PICTURE_MAX = 5 << 20, PICTURES_MAX = 20, CONTENT_MAX = 200 << 20, TEXT_MAX = 32 << 20 };

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* The project's AGENTS.md, or CLAUDE.md where only that is there; the person's own AGENTS.md. */
static struct hv_str note_file(struct chat *chat, struct hv_arena *arena, bool own)
{
    const struct hv_host *host = chat->setup.host;
    struct hv_str folder = own ? chat->setup.settings->user_directory : chat->setup.directory;
    struct hv_str agents = hv_arena_format(arena, "%.*s/AGENTS.md", HV_STR_ARG(folder));
    struct hv_str claude = hv_arena_format(arena, "%.*s/CLAUDE.md", HV_STR_ARG(folder));
    struct hv_file_stat stat;
    bool only_claude = !own && host->stat(host, agents, true, &stat, NULL) != HV_OK &&
                       host->stat(host, claude, true, &stat, NULL) == HV_OK;
    return only_claude ? claude : agents;
}

void chat_note(void *user, struct hv_str text, struct hv_buf *out)
{
    struct chat *chat = user;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf bytes = {.max = NOTES_MAX};
    const struct hv_host *host = chat->setup.host;
    const struct hv_write_options options = {0};
    struct hv_file_stat stat;
    struct hv_error err;
    bool own = text.ptr[0] == '#';
    text = hv_str_trim(hv_str_slice(text, own, text.len));
    struct hv_str path = note_file(chat, &arena, own);
    enum hv_code code = HV_OK;
    if (host->stat(host, path, true, &stat, NULL) == HV_OK)
        code = host->read(host, path, 0, NOTES_MAX, &bytes, &stat, &err);
    else if (own)
        code = host->make_directories(host, chat->setup.settings->user_directory, &err);
    if (bytes.len && bytes.data[bytes.len - 1] != '\n')
        hv_buf_add_byte(&bytes, '\n');
    hv_buf_addf(&bytes, "- %.*s\n", HV_STR_ARG(text));
    if (code == HV_OK && bytes.failed)
        code = hv_fail(&err, HV_ETOOBIG, "%.*s is larger than 1 MiB", HV_STR_ARG(path));
    if (code == HV_OK)
        code = host->write(host, path, hv_buf_str(&bytes), &options, NULL, &err);
    if (code != HV_OK) {
        hv_buf_addf(out, "**%s**\n", err.message);
        return;
    }
    hv_buf_addf(out, "Noted in `%.*s`.", HV_STR_ARG(path));
    hv_buf_addf(&chat->shell_said, "[The user noted in %.*s, for this session, too: %.*s]\n\n", HV_STR_ARG(path),
                HV_STR_ARG(text));
}

/* ---- words while the model works --------------------------------------------------------------------------------- */

/* A hook that looks at prompts sees them when their turn comes. */
static bool has_prompt_hook(const struct settings *settings)
{
    for (size_t i = 0; i < settings->hook_count; i++)
        if (hv_str_is(settings->hooks[i].event, "UserPromptSubmit"))
            return true;
    return false;
}

bool chat_take_words(void *user, struct hv_buf *block)
{
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX}, all = {.max = TEXT_MAX};
    struct hv_json_writer writer;
    if (!chat->ui || has_prompt_hook(chat->setup.settings) || !chat->functions->take_queued(chat->ui, &text))
        return false;
    hv_buf_addf(&all, "[The user sent this while you were working:]\n%.*s", HV_STR_ARG(hv_buf_str(&text)));
    hv_json_writer_init(&writer, block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", hv_buf_str(&all));
    hv_json_end_object(&writer);
    return true;
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* The next word of a prompt as terminals drop paths there: 'quoted', or with backslashes before blanks. */
static bool next_path(struct hv_str text, size_t *at, struct hv_buf *path)
{
    hv_buf_clear(path);
    while (*at < text.len && (text.ptr[*at] == ' ' || text.ptr[*at] == '\n' || text.ptr[*at] == '\t'))
        ++*at;
    if (*at >= text.len)
        return false;
    char quote = text.ptr[*at] == '\'' || text.ptr[*at] == '"' ? text.ptr[(*at)++] : 0;
    for (; *at < text.len; ++*at) {
        char byte = text.ptr[*at];
        if (quote ? byte == quote : byte == ' ' || byte == '\n' || byte == '\t')
            break;
        if (!quote && byte == '\\' && *at + 1 < text.len)
            byte = text.ptr[++*at];
        hv_buf_add_byte(path, byte);
    }
    *at += *at < text.len;
    return true;
}

/* False: the word names no file that may be a picture. bytes are empty where it is too large for one. */
static bool read_picture(struct chat *chat, struct hv_arena *arena, struct hv_str word, struct hv_buf *bytes)
{
    const struct hv_host *host = chat->setup.host;
    struct hv_file_stat stat;
    if (hv_str_starts(word, HV_STR("file://")))
        word = hv_str_slice(word, 7, word.len);
    else if (hv_str_starts(word, HV_STR("@")))
        word = hv_str_slice(word, 1, word.len);
    if (!image_format_named(word))
        return false;
    hv_buf_clear(bytes);
    struct hv_str path = path_expand(arena, word, chat->setup.directory, chat->setup.home);
    if (host->read(host, path, 0, PICTURE_MAX + 1, bytes, &stat, NULL) != HV_OK)
        return false;
    if (stat.size > PICTURE_MAX)
        hv_buf_clear(bytes);
    return true;
}

static void tell_left_out(struct chat *chat, struct hv_str name)
{
    CLEANUP_BUF struct hv_buf out = {.max = TEXT_MAX};
    hv_buf_addf(&out, "`%.*s` is sent as a name alone: it is no PNG, JPEG, GIF or WebP of up to 5 MB.",
                HV_STR_ARG(name));
    chat->functions->print(chat->ui, hv_buf_str(&out));
}

static void put_picture(struct hv_json_writer *writer, enum image_format format, struct hv_str bytes)
{
    CLEANUP_BUF struct hv_buf data = {.max = 2 * PICTURE_MAX};
    base64_encode(&data, bytes, BASE64_STANDARD);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "image");
    hv_json_name(writer, "source");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "base64");
    hv_json_member_cstr(writer, "media_type", image_format_media_type(format));
    hv_json_member_string(writer, "data", hv_buf_str(&data));
    hv_json_end_object(writer);
    hv_json_end_object(writer);
}

/* Pictures that the prompt names by their paths go along. */
enum hv_code chat_submit_text(struct chat *chat, struct hv_str text, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf content = {.max = CONTENT_MAX}, path = {.max = TEXT_MAX},
                              bytes = {.max = PICTURE_MAX + 1};
    struct hv_json_writer writer;
    size_t count = 0;
    hv_json_writer_init(&writer, &content);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    hv_json_end_object(&writer);
    for (size_t at = 0; count < PICTURES_MAX && next_path(text, &at, &path);) {
        struct image_head head;
        if (!read_picture(chat, &arena, hv_buf_str(&path), &bytes))
            continue;
        if (image_head_read(hv_buf_str(&bytes), &head, NULL) != HV_OK ||
            head.format == IMAGE_BMP) { /* models take none */
            tell_left_out(chat, hv_buf_str(&path));
            continue;
        }
        put_picture(&writer, head.format, hv_buf_str(&bytes));
        count++;
    }
    hv_json_end_array(&writer);
    return count ? session_submit(chat->session, hv_buf_str(&content), err)
                 : session_submit_text(chat->session, text, err);
}
