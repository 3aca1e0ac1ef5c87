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

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* The next word of a prompt as terminals drop paths there, 'quoted', or with backslashes before blanks; or as @"it" is
 * completed. */
static bool next_path(struct hv_str text, size_t *at, struct hv_buf *path)
{
    hv_buf_clear(path);
    while (*at < text.len && (text.ptr[*at] == ' ' || text.ptr[*at] == '\n' || text.ptr[*at] == '\t'))
        ++*at;
    if (*at >= text.len)
        return false;
    if (hv_str_starts(hv_str_slice(text, *at, text.len), HV_STR("@\"")))
        hv_buf_add_byte(path, text.ptr[(*at)++]);
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

static void tell_left_out(struct chat *chat, struct hv_str name, bool too_many)
{
    CLEANUP_BUF struct hv_buf out = {.max = TEXT_MAX};
    hv_buf_addf(&out, "`%.*s` is sent as a name alone: ", HV_STR_ARG(name));
    if (too_many)
        hv_buf_addf(&out, "a message takes %d pictures.", PICTURES_MAX);
    else
        hv_buf_add_cstr(&out, "it is no PNG, JPEG, GIF or WebP of up to 5 MB.");
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

/* A list of blocks: before and words as one text, then the pictures that words name by their paths. How many. */
static size_t put_content(struct chat *chat, struct hv_str before, struct hv_str words, struct hv_buf *content)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf path = {.max = TEXT_MAX}, bytes = {.max = PICTURE_MAX + 1};
    struct hv_json_writer writer;
    size_t count = 0;
    hv_json_writer_init(&writer, content);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", hv_arena_format(&arena, "%.*s%.*s", HV_STR_ARG(before), HV_STR_ARG(words)));
    hv_json_end_object(&writer);
    for (size_t at = 0; next_path(words, &at, &path);) {
        struct image_head head;
        if (!read_picture(chat, &arena, hv_buf_str(&path), &bytes))
            continue;
        bool is_fit = image_head_read(hv_buf_str(&bytes), &head, NULL) == HV_OK && head.format != IMAGE_BMP;
        if (!is_fit || count == PICTURES_MAX) { /* models take no BMP */
            tell_left_out(chat, hv_buf_str(&path), is_fit);
            continue;
        }
        put_picture(&writer, head.format, hv_buf_str(&bytes));
        count++;
    }
    hv_json_end_array(&writer);
    return count;
}

enum hv_code chat_submit_text(struct chat *chat, struct hv_str prompt, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf content = {.max = CONTENT_MAX}, text = {.max = TEXT_MAX};
    hv_buf_add_str(&text, hv_buf_str(&chat->shell_said));
    hv_buf_add_str(&text, prompt);
    size_t count = put_content(chat, hv_buf_str(&chat->shell_said), prompt, &content);
    hv_buf_clear(&chat->shell_said);
    return count ? session_submit(chat->session, hv_buf_str(&content), err)
                 : session_submit_text(chat->session, hv_buf_str(&text), err);
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

bool chat_take_words(void *user, struct hv_buf *blocks)
{
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX}, content = {.max = CONTENT_MAX};
    if (!chat->ui || has_prompt_hook(chat->setup.settings) || !chat->functions->take_queued(chat->ui, &text))
        return false;
    put_content(chat, HV_STR(UI_SENT_MEANWHILE), hv_buf_str(&text), &content);
    hv_buf_add_str(blocks, hv_str_slice(hv_buf_str(&content), 1, content.len - 1)); /* without the brackets */
    return true;
}
