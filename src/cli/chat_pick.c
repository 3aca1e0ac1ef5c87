/* chat_pick.c: lists of an interactive session, and the one of earlier sessions: which of them goes on. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/chat.h"
#include "journal/reader.h"
#include "policy/visible.h"

enum { SESSIONS_MAX = 200, EVENTS_MAX = 300, SEARCH_MAX = 20 << 10, PREVIEW_EACH = 200 };

struct chat_list *chat_new_list(struct chat *chat)
{
    chat_release_list(chat);
    chat->list = hv_calloc(1, sizeof *chat->list);
    return chat->list;
}

void chat_release_list(struct chat *chat)
{
    if (!chat->list)
        return;
    struct hv_arena arena = chat->list->arena;
    free(chat->list);
    chat->list = NULL;
    hv_arena_release(&arena);
}

static void print_error(struct chat *chat, const struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 10};
    hv_buf_addf(&out, "**%s**\n\n%s\n", err->message, err->hint);
    chat->functions->print(chat->ui, hv_buf_str(&out));
}

void chat_open_list(struct chat *chat, const struct ui_picker *picker)
{
    if (chat->functions->pick) {
        chat->functions->pick(chat->ui, picker);
        return;
    }
    CLEANUP_BUF struct hv_buf out = {.max = 4 << 20};
    for (size_t i = 0; i < picker->count; i++)
        hv_buf_addf(&out, "%.*s\n", HV_STR_ARG(picker->choices[i].text));
    chat->functions->print(chat->ui, hv_buf_str(&out));
    picker->done(picker->user, SIZE_MAX, 0);
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void begin(struct chat *chat, const struct session_entry *entry, bool fork)
{
    struct hv_error err;
    chat->fork = fork;
    enum hv_code code = chat->session ? chat_change_session(chat, entry, &err) : chat_open_session(chat, entry, &err);
    chat->fork = false;
    if (code == HV_OK)
        return;
    print_error(chat, &err);
    if (!chat->session && !chat->closing)
        chat_open_session(chat, NULL, &err) == HV_OK ? (void)0 : loop_stop(chat->setup.loop);
}

/* Nothing was chosen: an open session goes on, else a new one begins. */
static void stay(struct chat *chat)
{
    if (!chat->session)
        begin(chat, NULL, false);
}

static void on_place(void *user, size_t index, uint32_t key)
{
    struct chat *chat = user;
    (void)key;
    if (index == 0 || index == 1)
        begin(chat, &chat->list->chosen, index == 1);
    else
        stay(chat);
    chat_release_list(chat);
}

/* A session of another folder, or of one that is gone, goes on only where the person says so. */
static void go_on(struct chat *chat, const struct session_entry *entry, bool fork)
{
    static const struct ui_choice choices[] = {{.text = HV_STR("go on in this folder")},
                                               {.text = HV_STR("fork it in this folder: the old one stays as it is")},
                                               {.text = HV_STR("cancel")}};
    struct hv_file_stat stat;
    chat->list->chosen = *entry;
    bool here = !entry->directory.len || hv_str_eq(entry->directory, chat->setup.directory);
    if (here || !chat->functions->pick) {
        begin(chat, entry, fork);
        chat_release_list(chat);
        return;
    }
    bool gone = chat->setup.host->stat(chat->setup.host, entry->directory, true, &stat, NULL) != HV_OK;
    struct hv_str title = hv_arena_format(&chat->list->arena, "Its folder %.*s %s", HV_STR_ARG(entry->directory),
                                          gone ? "is gone" : "is another one");
    const struct ui_picker picker = {
        .title = title.ptr, .choices = choices, .count = 3, .done = on_place, .user = chat};
    chat_open_list(chat, &picker);
}

void chat_go_on(struct chat *chat, const struct session_entry *entry)
{
    struct chat_list *list = chat_new_list(chat);
    struct session_entry own = *entry;
    own.id = hv_arena_str(&list->arena, entry->id);
    own.path = hv_arena_str(&list->arena, entry->path);
    sessions_describe(&list->arena, &own);
    go_on(chat, &own, chat->flags->fork);
}

static void on_session(void *user, size_t index, uint32_t key)
{
    struct chat *chat = user;
    if (index == SIZE_MAX) {
        stay(chat);
        chat_release_list(chat);
        return;
    }
    go_on(chat, &chat->list->entries[index], key == 'f' || chat->flags->fork);
}

static void put_age(struct hv_buf *out, int64_t seconds)
{
    if (seconds < 3600)
        hv_buf_addf(out, "%lld min", (long long)seconds / 60);
    else if (seconds < 86400)
        hv_buf_addf(out, "%lld h", (long long)seconds / 3600);
    else
        hv_buf_addf(out, "%lld d", (long long)seconds / 86400);
}

/* The beginning of what was said: shown, and looked through. */
static void read_words(struct hv_arena *arena, const struct session_entry *entry, struct ui_choice *choice)
{
    CLEANUP_BUF struct hv_buf preview = {.max = 64 << 10}, search = {.max = 2 * SEARCH_MAX};
    struct journal_reader *reader;
    struct hv_event event;
    if (journal_reader_open(entry->path, &reader, NULL) != HV_OK)
        return;
    for (int i = 0; i < EVENTS_MAX && search.len < SEARCH_MAX && journal_reader_next(reader, &event); i++) {
        CLEANUP_ARENA struct hv_arena scratch = {0};
        const struct hv_json *blocks;
        if (event.type != HV_EVENT_MESSAGE ||
            hv_json_parse(&scratch, event.json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
            continue;
        hv_json_each(block, blocks)
        {
            struct hv_str text = hv_str_trim(hv_json_get_string(block, "text"));
            if (!text.len)
                continue;
            hv_buf_addf(&search, "%.*s\n", HV_STR_ARG(hv_str_slice(text, 0, SEARCH_MAX - 1)));
            struct hv_str line = hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0));
            hv_buf_addf(&preview, "%s ", hv_str_is(event.name, "assistant") ? "●" : ">");
            visible_add(&preview, hv_str_slice(line, 0, PREVIEW_EACH));
            hv_buf_add_byte(&preview, '\n');
        }
    }
    journal_reader_close(reader);
    choice->preview = hv_arena_str(arena, hv_buf_str(&preview));
    choice->search = hv_arena_str(arena, hv_buf_str(&search));
}

static void describe(struct chat *chat, struct hv_arena *arena, struct session_entry *entry, struct ui_choice *choice)
{
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
    int64_t now = chat->setup.host->wall_ns(chat->setup.host);
    sessions_describe(arena, entry);
    put_age(&text, (now - entry->modified_ns) / (int64_t)CLOCK_SECOND);
    hv_buf_add_cstr(&text, "  ");
    visible_add(&text, entry->title.len ? entry->title : HV_STR("(nothing was said)"));
    if (!hv_str_eq(entry->directory, chat->setup.directory)) {
        hv_buf_add_cstr(&text, "  in ");
        visible_add(&text, entry->directory);
    }
    hv_buf_addf(&text, "  (%.*s)", HV_STR_ARG(hv_str_slice(entry->id, 0, 8)));
    choice->text = hv_arena_str(arena, hv_buf_str(&text));
    read_words(arena, entry, choice);
}

/* Those of this folder before those of others, each newest first. False: there are none. */
bool chat_pick_session(struct chat *chat)
{
    struct chat_list *list = chat_new_list(chat);
    struct hv_arena *arena = &list->arena;
    struct session_entry *own = NULL, *all = NULL;
    size_t own_count = 0, all_count = 0;
    if (sessions_list(arena, chat->setup.directory, &own, &own_count, NULL) != HV_OK)
        own_count = 0;
    if (sessions_list(arena, (struct hv_str){0}, &all, &all_count, NULL) != HV_OK)
        all_count = 0;
    list->entries = hv_arena_array(arena, struct session_entry, own_count + all_count + 1);
    for (size_t i = 0; i < own_count + all_count && list->count < SESSIONS_MAX; i++) {
        const struct session_entry *entry = i < own_count ? &own[i] : &all[i - own_count];
        bool known = chat->session && hv_str_eq(entry->id, session_id(chat->session));
        for (size_t k = 0; k < own_count && i >= own_count && !known; k++)
            known = hv_str_eq(own[k].id, entry->id);
        if (!known)
            list->entries[list->count++] = *entry;
    }
    struct ui_choice *choices = hv_arena_array(arena, struct ui_choice, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        describe(chat, arena, &list->entries[i], &choices[i]);
    if (!list->count)
        return false;
    const struct ui_picker picker = {.title = "Which session goes on?",
                                     .help = "Ctrl-F forks",
                                     .control_keys = "f",
                                     .choices = choices,
                                     .count = list->count,
                                     .done = on_session,
                                     .user = chat};
    chat_open_list(chat, &picker);
    return true;
}

void chat_fork(struct chat *chat, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    if (!session_journal_path(chat->session).ptr) {
        hv_buf_add_cstr(out, "This session keeps no journal.");
        return;
    }
    struct session_entry entry = {.id = hv_arena_str(&arena, session_id(chat->session)),
                                  .path = hv_arena_str(&arena, session_journal_path(chat->session))};
    chat->fork = chat->reopening = true;
    enum hv_code code = chat_change_session(chat, &entry, &err);
    chat->fork = chat->reopening = false;
    if (code != HV_OK)
        hv_buf_addf(out, "**%s**\n", err.message);
    else
        hv_buf_addf(out, "This is a fork now: `/resume %.*s` goes back to the session that it began in.",
                    HV_STR_ARG(hv_str_slice(entry.id, 0, 8)));
}

void chat_rename(struct chat *chat, struct hv_str title, struct hv_buf *out)
{
    struct hv_error err;
    struct hv_str journal = session_journal_path(chat->session);
    if (!journal.ptr || !title.len)
        hv_buf_add_cstr(out, title.len ? "This session keeps no journal." : "Say the title: `/rename TITLE`.");
    else if (sessions_set_title(journal, title, &err) != HV_OK)
        hv_buf_addf(out, "**%s**\n", err.message);
    else
        hv_buf_add_cstr(out, "Renamed.");
}
