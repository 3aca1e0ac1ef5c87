/* chat_find.c: /find: words in the whole session, what was folded and what was rewound too: a list to go through. */
#include "base/cleanup.h"
#include "cli/chat.h"
#include "journal/reader.h"
#include "policy/visible.h"

#include <strings.h>

enum { FOUND_MAX = 1000, FOUND_LISTED = 50, FOUND_AROUND = 60, LINES_AROUND = 2, LINE_SHOWN = 300, AROUND_MAX = 4000 };

/* One search: places in the order of the session. */
struct find {
    struct hv_str needle;
    struct hv_arena *arena;
    struct ui_choice *places;
    size_t count, message;
};

static size_t find_folded(struct hv_str text, struct hv_str needle, size_t from)
{
    for (size_t at = from; needle.len && at + needle.len <= text.len; at++)
        if (strncasecmp(text.ptr + at, needle.ptr, needle.len) == 0)
            return at;
    return SIZE_MAX;
}

static bool is_inside_character(struct hv_str text, size_t at)
{
    return at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80;
}

/* A tab is a blank here: in a list it needs no width of its own, and it hides nothing. */
static void put_visible(struct hv_str text, struct hv_buf *out)
{
    struct hv_str rest = text, part;
    for (bool first = true; hv_str_split(&rest, '\t', &part); first = false) {
        hv_buf_add_cstr(out, first ? "" : " ");
        visible_add(out, part);
    }
}

/* The part of its line that shows where the words stand. */
static void put_line(struct hv_str text, size_t at, size_t len, struct hv_buf *out)
{
    size_t start = at > FOUND_AROUND ? at - FOUND_AROUND : 0, end = at + len + FOUND_AROUND;
    size_t before = hv_str_rfind_byte(hv_str_slice(text, start, at), '\n');
    start = before == SIZE_MAX ? start : start + before + 1;
    while (start < at && is_inside_character(text, start))
        start++;
    size_t newline = hv_str_find_byte(text, '\n', at);
    end = newline < end ? newline : end;
    end = end < text.len ? end : text.len;
    while (is_inside_character(text, end))
        end++;
    put_visible(hv_str_slice(text, start, end), out);
}

/* Its line and some around it. */
static void put_around(struct hv_str text, size_t at, struct hv_buf *out)
{
    size_t start = at, low = at > AROUND_MAX ? at - AROUND_MAX : 0;
    for (int i = 0; i <= LINES_AROUND && start > low; i++) {
        size_t newline = hv_str_rfind_byte(hv_str_slice(text, low, i ? start - 1 : start), '\n');
        start = newline == SIZE_MAX ? low : low + newline + 1;
    }
    while (start < at && is_inside_character(text, start))
        start++;
    struct hv_str rest = hv_str_slice(text, start, text.len), line;
    for (int i = 0; i < 2 * LINES_AROUND + 1 && hv_str_split(&rest, '\n', &line); i++) {
        put_visible(hv_str_slice(line, 0, LINE_SHOWN), out);
        hv_buf_add_byte(out, '\n');
    }
}

static void take_matches(struct find *find, struct hv_str text, const char *who)
{
    for (size_t at = 0; find->count < FOUND_MAX && (at = find_folded(text, find->needle, at)) != SIZE_MAX;) {
        CLEANUP_BUF struct hv_buf line = {.max = 64 << 10}, around = {.max = 64 << 10};
        hv_buf_addf(&line, "%zu %s: ", find->message, who);
        put_line(text, at, find->needle.len, &line);
        put_around(text, at, &around);
        find->places[find->count++] = (struct ui_choice){.text = hv_arena_str(find->arena, hv_buf_str(&line)),
                                                         .preview = hv_arena_str(find->arena, hv_buf_str(&around))};
        size_t newline = hv_str_find_byte(text, '\n', at);
        at = newline == SIZE_MAX ? text.len : newline;
    }
}

static void search_message(struct find *find, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    find->message++;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    const char *who = hv_str_is(event->name, "assistant") ? "answer" : "message";
    hv_json_each(block, blocks)
    {
        const struct hv_json *content = hv_json_get(block, "content");
        if (hv_str_is(hv_json_get_string(block, "type"), "tool_use"))
            take_matches(find, hv_json_source(hv_json_get(block, "input"), event->json), "call");
        else
            take_matches(find, hv_json_get_string(block, "text"), who);
        take_matches(find, hv_json_string(content), "result");
        if (content && content->type == HV_JSON_ARRAY)
            hv_json_each(part, content) take_matches(find, hv_json_get_string(part, "text"), "result");
    }
}

static void put_list(const struct find *find, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf lines = {.max = 4 << 20};
    for (size_t i = 0; i < find->count && i < FOUND_LISTED; i++)
        hv_buf_addf(&lines, "%.*s\n", HV_STR_ARG(find->places[i].text));
    chat_put_fenced(hv_str_trim(hv_buf_str(&lines)), "", out);
    if (find->count > FOUND_LISTED)
        hv_buf_add_cstr(out, "\nThere are more; say more of it.\n");
}

/* The chosen place stays above the prompt. */
static void on_place(void *user, size_t index, uint32_t key)
{
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 10};
    (void)key;
    if (index != SIZE_MAX) {
        chat_put_fenced(hv_str_trim(chat->list->places[index].preview), "", &out);
        chat->functions->print(chat->ui, hv_buf_str(&out));
    }
    chat_release_list(chat);
}

static enum hv_code search(struct chat *chat, struct find *find, struct hv_error *err)
{
    struct journal_reader *reader;
    struct hv_event event;
    enum hv_code code = journal_reader_open(session_journal_path(chat->session), &reader, err);
    if (code != HV_OK)
        return code;
    while (find->count < FOUND_MAX && journal_reader_next(reader, &event))
        if (event.type == HV_EVENT_MESSAGE)
            search_message(find, &event);
    journal_reader_close(reader);
    return HV_OK;
}

void chat_find(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    struct hv_error err;
    if (!session_journal_path(chat->session).ptr || !arguments.len) {
        hv_buf_add_cstr(out, arguments.len ? "This session keeps no journal." : "Say what to look for: `/find WORDS`.");
        return;
    }
    struct chat_list *list = chat_new_list(chat);
    struct find find = {.needle = hv_arena_str(&list->arena, arguments),
                        .arena = &list->arena,
                        .places = hv_arena_array(&list->arena, struct ui_choice, FOUND_MAX)};
    enum hv_code code = search(chat, &find, &err);
    list->places = find.places;
    struct ui_picker picker = {.title = hv_arena_format(&list->arena, "Found: %.*s", HV_STR_ARG(find.needle)).ptr,
                               .steps = true,
                               .choices = find.places,
                               .count = find.count,
                               .done = on_place,
                               .user = chat};
    if (code == HV_OK && find.count && chat->functions->pick) {
        chat->functions->pick(chat->ui, &picker);
        return;
    }
    if (code != HV_OK)
        hv_buf_addf(out, "**%s**\n\n%s\n", err.message, err.hint);
    else if (!find.count)
        hv_buf_addf(out, "Nothing in this session has `%.*s`.", HV_STR_ARG(arguments));
    else
        put_list(&find, out);
    chat_release_list(chat);
}
