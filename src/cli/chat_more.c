/* chat_more.c: commands of an interactive session that read its journal or begin it anew: /diff /export /find /model
 * /rewind /trace /doctor, and trying a rule. */
#include "agent/rewind_session.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/chat.h"
#include "fs/image_store.h"
#include "journal/reader.h"
#include "journal/rewind.h"
#include "journal/timeline.h"
#include "policy/visible.h"
#include "text/diff.h"

#include <strings.h>
#include <unistd.h>

enum { DIFF_FILE_MAX = 4 << 20, DIFF_MAX = 512 << 10, EXPORT_MAX = 1 << 30, FOUND_MAX = 50, FOUND_AROUND = 60 };

static void fail(struct hv_buf *out, const struct hv_error *err)
{
    hv_buf_addf(out, "**%s**\n", err->message);
    if (err->hint[0])
        hv_buf_addf(out, "\n%s\n", err->hint);
}

static bool has_journal(struct chat *chat, struct hv_buf *out)
{
    if (session_journal_path(chat->session).ptr)
        return true;
    hv_buf_add_cstr(out, "This session keeps no journal.");
    return false;
}

/* ---- what it changed --------------------------------------------------------------------------------------------- */

static bool read_before(struct hv_str store, const struct fs_image *image, struct hv_buf *text)
{
    if (image->kind != FS_IMAGE_FILE)
        return image->kind == FS_IMAGE_NOTHING;
    CLEANUP_FD int fd = image->hash.len ? fs_image_store_open_copy(store, image) : -1;
    return fd >= 0 && cli_read_all(fd, DIFF_FILE_MAX, text, NULL) == HV_OK;
}

static void put_file_diff(struct chat *chat, struct hv_str store, const struct fs_image *before, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf old_text = {.max = DIFF_FILE_MAX + 1}, new_text = {.max = DIFF_FILE_MAX + 1};
    const struct hv_host *host = chat->setup.host;
    struct hv_str name = path_relative(before->path, chat->setup.directory);
    struct hv_file_stat stat;
    bool is_there = host->stat(host, before->path, false, &stat, NULL) == HV_OK;
    bool readable = !is_there || (stat.kind == HV_FILE_REGULAR &&
                                  host->read(host, before->path, 0, DIFF_FILE_MAX, &new_text, &stat, NULL) == HV_OK);
    if (!readable || !read_before(store, before, &old_text)) {
        hv_buf_addf(out, "# %.*s was changed; what it was is not known, or too large to be shown\n", HV_STR_ARG(name));
        return;
    }
    struct diff_options options = {
        .context = 3,
        .old_name = before->kind == FS_IMAGE_NOTHING ? HV_STR("/dev/null")
                                                     : hv_arena_format(&arena, "a/%.*s", HV_STR_ARG(name)),
        .new_name = is_there ? hv_arena_format(&arena, "b/%.*s", HV_STR_ARG(name)) : HV_STR("/dev/null"),
        .max_lines = 2000,
        .max_line_bytes = 2000,
    };
    diff_unified(hv_buf_str(&old_text), hv_buf_str(&new_text), &options, out, NULL);
}

/* From what each file was before the session touched it first, to what it is now. */
void chat_put_diff(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf diff = {.max = DIFF_MAX}, clean = {.max = 4 * DIFF_MAX};
    struct timeline timeline;
    struct hv_error err;
    if (!has_journal(chat, out))
        return;
    struct hv_str journal = session_journal_path(chat->session);
    if (timeline_read(&arena, journal, &timeline, &err) != HV_OK) {
        fail(out, &err);
        return;
    }
    struct rewind_places places = rewind_places_of(&arena, journal);
    for (size_t i = 0; i < timeline.touch_count; i++) {
        const struct fs_image *before = &timeline.touches[i].before;
        bool first = arguments.len == 0 || hv_str_find(before->path, arguments, 0) != SIZE_MAX;
        for (size_t k = 0; k < i && first; k++)
            first = !hv_str_eq(timeline.touches[k].before.path, before->path);
        if (first && !diff.failed)
            put_file_diff(chat, places.store, before, &diff);
    }
    visible_add_lines(&clean, hv_str_trim(hv_buf_str(&diff)));
    if (!clean.len)
        hv_buf_add_cstr(out, "This session has changed no files.");
    else
        chat_put_fenced(hv_buf_str(&clean), "diff", out);
    if (diff.failed)
        hv_buf_add_cstr(out, "\nThere is more; `/diff NAME` shows one file.\n");
}

/* ---- export and search ------------------------------------------------------------------------------------------- */

void chat_export(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = EXPORT_MAX};
    struct hv_error err;
    if (!has_journal(chat, out))
        return;
    bool json = hv_str_is(arguments, "json") || hv_str_ends(arguments, HV_STR(".json"));
    bool named = arguments.len && !hv_str_is(arguments, "json") && !hv_str_is(arguments, "markdown");
    struct hv_str id = session_id(chat->session);
    struct hv_str name =
        named ? arguments
              : hv_arena_format(&arena, "helve-%.*s.%s", HV_STR_ARG(hv_str_slice(id, 0, 8)), json ? "json" : "md");
    struct hv_str path = path_expand(&arena, name, chat->setup.directory, chat->setup.home);
    enum hv_code code = export_put(id, session_journal_path(chat->session), json, &text, &err);
    if (code == HV_OK)
        code = export_write(hv_arena_cstr(&arena, path), hv_buf_str(&text), &err);
    if (code != HV_OK)
        fail(out, &err);
    else
        hv_buf_addf(out, "Written to `%.*s`.", HV_STR_ARG(path));
}

static size_t find_folded(struct hv_str text, struct hv_str needle, size_t from)
{
    for (size_t at = from; needle.len && at + needle.len <= text.len; at++)
        if (strncasecmp(text.ptr + at, needle.ptr, needle.len) == 0)
            return at;
    return SIZE_MAX;
}

static size_t put_matches(struct hv_str text, struct hv_str needle, const char *who, size_t message, struct hv_buf *out)
{
    size_t count = 0;
    for (size_t at = 0; (at = find_folded(text, needle, at)) != SIZE_MAX && count < FOUND_MAX; count++) {
        size_t start = at > FOUND_AROUND ? at - FOUND_AROUND : 0, end = at + needle.len + FOUND_AROUND;
        size_t before = hv_str_rfind_byte(hv_str_slice(text, start, at), '\n');
        start = before == SIZE_MAX ? start : start + before + 1;
        while (start < at && ((unsigned char)text.ptr[start] & 0xc0) == 0x80)
            start++;
        size_t newline = hv_str_find_byte(text, '\n', at);
        end = newline < end ? newline : end;
        end = end < text.len ? end : text.len;
        while (end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
            end++;
        hv_buf_addf(out, "%zu %s: ", message, who);
        visible_add(out, hv_str_slice(text, start, end));
        hv_buf_add_byte(out, '\n');
        at = newline == SIZE_MAX ? text.len : newline;
    }
    return count;
}

static size_t search_message(const struct hv_event *event, struct hv_str needle, size_t message, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    size_t count = 0;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return 0;
    const char *who = hv_str_is(event->name, "assistant") ? "answer" : "message";
    hv_json_each(block, blocks)
    {
        const struct hv_json *content = hv_json_get(block, "content");
        struct hv_str type = hv_json_get_string(block, "type");
        if (hv_str_is(type, "tool_use"))
            count +=
                put_matches(hv_json_source(hv_json_get(block, "input"), event->json), needle, "call", message, out);
        else
            count += put_matches(hv_json_get_string(block, "text"), needle, who, message, out);
        count += put_matches(hv_json_string(content), needle, "result", message, out);
        if (content && content->type == HV_JSON_ARRAY)
            hv_json_each(part, content) count +=
                put_matches(hv_json_get_string(part, "text"), needle, "result", message, out);
    }
    return count;
}

void chat_find(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf found = {.max = 4 << 20};
    struct journal_reader *reader;
    struct hv_event event;
    struct hv_error err;
    size_t count = 0, message = 0;
    if (!has_journal(chat, out))
        return;
    if (!arguments.len) {
        hv_buf_add_cstr(out, "Say what to look for: `/find WORDS`.");
        return;
    }
    if (journal_reader_open(session_journal_path(chat->session), &reader, &err) != HV_OK) {
        fail(out, &err);
        return;
    }
    while (count < FOUND_MAX && journal_reader_next(reader, &event))
        if (event.type == HV_EVENT_MESSAGE)
            count += search_message(&event, arguments, ++message, &found);
    journal_reader_close(reader);
    if (!count)
        hv_buf_addf(out, "Nothing in this session has `%.*s`.", HV_STR_ARG(arguments));
    else
        chat_put_fenced(hv_str_trim(hv_buf_str(&found)), "", out);
    if (count >= FOUND_MAX)
        hv_buf_add_cstr(out, "\nThere may be more; say more of it.\n");
}

/* ---- another model ----------------------------------------------------------------------------------------------- */

struct models {
    struct model *model, *small;
    struct hv_str small_fault;
};

static struct models models_of(const struct setup *setup)
{
    return (struct models){setup->model, setup->small_model, setup->small_model_fault};
}

static void put_models(struct chat *chat, void *data)
{
    const struct models *models = data;
    chat->setup.model = chat->options.model = models->model;
    chat->setup.small_model = chat->options.small_model = models->small;
    chat->setup.small_model_fault = chat->options.small_model_fault = models->small_fault;
}

static void free_models(const struct models *models)
{
    model_free(models->small);
    model_free(models->model);
}

void chat_change_model(struct chat *chat, struct hv_str name, struct hv_buf *out)
{
    struct models old = models_of(&chat->setup), fresh;
    struct hv_error err;
    bool offline = chat->setup.offline;
    if (!has_journal(chat, out))
        return;
    chat->setup.offline = true; /* the loop runs: nobody is asked for a list */
    chat->setup.model = chat->setup.small_model = NULL;
    enum hv_code code = setup_model(&chat->setup, hv_arena_str(chat->arena, name), &err);
    fresh = models_of(&chat->setup);
    chat->setup.model = old.model;
    chat->setup.small_model = old.small;
    chat->setup.small_model_fault = old.small_fault;
    chat->setup.offline = offline;
    if (code == HV_OK)
        code = chat_reopen_session(chat, put_models, &fresh, &err);
    if (code != HV_OK)
        fail(out, &err);
    if (chat->setup.model == old.model) {
        free_models(&fresh);
        return;
    }
    free_models(&old);
    if (code == HV_OK)
        hv_buf_addf(out, "The model is now `%.*s`.", HV_STR_ARG(model_name(chat->setup.model)));
}

/* ---- rewinding --------------------------------------------------------------------------------------------------- */

struct rewind_run {
    const struct hv_str *words;
    size_t count;
    struct hv_buf said;
};

static void run_rewind(struct chat *chat, void *data)
{
    struct rewind_run *run = data;
    chat_run_child(chat, run->words, run->count, &run->said);
}

/* `N [code|conversation|both] [--force]`, `undo`, `redo`: by the door for it, while the session is closed for a moment.
 * `N … try`: only what would be done. */
void chat_rewind(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str words[8] = {HV_STR("rewind"), hv_arena_str(&arena, session_id(chat->session))}, rest = arguments,
                  word;
    struct rewind_run run = {.words = words, .count = 2, .said = {.max = 1 << 20}};
    struct hv_error err;
    bool only_looks = false;
    if (!has_journal(chat, out))
        return;
    while (run.count < 7 && hv_str_split(&rest, ' ', &word)) {
        int64_t number;
        word = hv_str_trim(word);
        if (!word.len)
            continue;
        if (hv_str_to_int64(word, &number))
            words[run.count++] = hv_arena_format(&arena, "--to=%lld", (long long)number);
        else if (hv_str_is(word, "try"))
            only_looks = true, words[run.count++] = HV_STR("--dry-run");
        else
            words[run.count++] = hv_arena_format(&arena, "%s%.*s", word.ptr[0] == '-' ? "" : "--", HV_STR_ARG(word));
    }
    if (only_looks) {
        run_rewind(chat, &run);
    } else if (chat_reopen_session(chat, run_rewind, &run, &err) != HV_OK) {
        fail(out, &err);
    }
    if (run.said.len)
        chat_put_fenced(hv_buf_str(&run.said), "", out);
    hv_buf_release(&run.said);
}

/* ---- other doors ------------------------------------------------------------------------------------------------- */

static void start_child(struct chat *chat, const struct hv_str *words, size_t count, struct hv_buf *out)
{
    struct hv_error err;
    if (chat_start_child(chat, words, count, &err) != HV_OK)
        fail(out, &err);
}

void chat_doctor(struct chat *chat, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str model = hv_arena_format(&arena, "%.*s:%.*s", HV_STR_ARG(model_provider_name(chat->setup.model)),
                                          HV_STR_ARG(model_name(chat->setup.model)));
    const struct hv_str words[] = {HV_STR("doctor"), HV_STR("--model"), model};
    start_child(chat, words, 3, out);
}

void chat_trace(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (!has_journal(chat, out))
        return;
    struct hv_str id = session_id(chat->session);
    struct hv_str file = arguments.len
                             ? path_expand(&arena, arguments, chat->setup.directory, chat->setup.home)
                             : hv_arena_format(&arena, "%.*s/helve-trace-%.*s.html", HV_STR_ARG(chat->setup.directory),
                                               HV_STR_ARG(hv_str_slice(id, 0, 8)));
    const struct hv_str words[] = {HV_STR("trace"), id, HV_STR("-o"), file};
    start_child(chat, words, 4, out);
}

/* A rule, "Tool(…)": what it means. Anything else: what a command would get, and why. */
void chat_try_rule(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    bool rule = hv_str_ends(arguments, HV_STR(")")) && arguments.ptr[0] >= 'A' && arguments.ptr[0] <= 'Z';
    const struct hv_str words[] = {HV_STR("explain"), rule ? HV_STR("rule") : HV_STR("bash"), HV_STR("--"), arguments};
    start_child(chat, words, 4, out);
}
