/* chat_rewind.c: /rewind: which message is gone back to, what would change by it, shown as a diff before it is done. */
#include "agent/rewind_session.h"
#include "base/cleanup.h"
#include "cli/chat.h"
#include "journal/timeline.h"
#include "policy/visible.h"

enum { FILES_SHOWN = 5, TITLE_SHOWN = 60, DIFF_MAX = 512 << 10 };

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

static void fail(struct hv_buf *out, const struct hv_error *err)
{
    hv_buf_addf(out, "**%s**\n\n%s\n", err->message, err->hint);
}

/* ---- what would change ------------------------------------------------------------------------------------------- */

static void put_files_diff(struct chat *chat, struct hv_arena *arena, const struct timeline *timeline, uint64_t moment,
                           struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf diff = {.max = DIFF_MAX}, clean = {.max = 4 * DIFF_MAX};
    struct rewind_places places = rewind_places_of(arena, session_journal_path(chat->session));
    struct policy *policy = runtime_policy(session_runtime(chat->session));
    struct rewind_plan plan;
    rewind_collect(arena, timeline, moment, &plan);
    rewind_look(arena, places.store, &plan);
    rewind_ask_rules(arena, chat->setup.host, policy, &plan);
    rewind_judge(arena, &plan);
    policy_unref(policy);
    for (size_t i = 0; i < plan.count && !diff.failed; i++)
        if (rewind_is_done(&plan.steps[i]))
            chat_put_file_diff(chat, places.store, &plan.steps[i].wanted, true, &diff);
    visible_add_lines(&clean, hv_str_trim(hv_buf_str(&diff)));
    if (clean.len)
        chat_put_fenced(hv_buf_str(&clean), "diff", out);
    else
        hv_buf_add_cstr(out, "No file changes by it.\n");
    if (diff.failed)
        hv_buf_add_cstr(out, "\nThere is more.\n");
}

static void put_messages(const struct timeline *timeline, size_t message, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf title = {.max = 64 << 10};
    size_t count = 0;
    for (size_t i = message; i <= timeline->prompt_count; i++)
        count += timeline->prompts[i - 1].in_conversation;
    visible_add(&title, hv_str_slice(timeline->prompts[message - 1].title, 0, TITLE_SHOWN));
    hv_buf_addf(out, "\n%zu message%s and all after leave the conversation, from %zu on:\n", count,
                count == 1 ? "" : "s", message);
    chat_put_fenced(hv_buf_str(&title), "", out);
}

/* part: "code", "conversation" or "both". False: there is no such message. */
static bool put_preview(struct chat *chat, size_t message, struct hv_str part, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct timeline timeline;
    if (timeline_read(&arena, session_journal_path(chat->session), &timeline, NULL) != HV_OK || !message ||
        message > timeline.prompt_count)
        return false;
    if (!hv_str_is(part, "conversation"))
        put_files_diff(chat, &arena, &timeline, timeline.prompts[message - 1].moment, out);
    if (!hv_str_is(part, "code"))
        put_messages(&timeline, message, out);
    return true;
}

/* The same of taking back the last rewind, or the last taking back. */
static void put_undo_preview(struct chat *chat, bool is_redo, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct timeline timeline;
    if (timeline_read(&arena, session_journal_path(chat->session), &timeline, NULL) != HV_OK)
        return;
    size_t number = timeline_last_rewind(&timeline, is_redo);
    if (number && timeline.rewinds[number - 1].code)
        put_files_diff(chat, &arena, &timeline, timeline.rewinds[number - 1].began, out);
}

/* ---- by words ---------------------------------------------------------------------------------------------------- */

static void run(struct chat *chat, struct rewind_run *run, bool only_looks, struct hv_buf *out)
{
    struct hv_error err;
    if (only_looks)
        run_rewind(chat, run);
    else if (chat_reopen_session(chat, run_rewind, run, &err) != HV_OK)
        fail(out, &err);
    if (run->said.len)
        chat_put_fenced(hv_buf_str(&run->said), "", out);
    hv_buf_release(&run->said);
}

static bool is_word(struct hv_str word)
{
    static const char *const words[] = {"code", "conversation", "both", "undo", "redo", "--force"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hv_str_is(word, words[i]))
            return true;
    return false;
}

/* `N [code|conversation|both] [--force]`, `undo`, `redo`: by the door for it, while the session is closed for a moment.
 * `N … try`: only what would be done. */
void chat_rewind(struct chat *chat, struct hv_str arguments, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str words[8] = {HV_STR("rewind"), hv_arena_str(&arena, session_id(chat->session))}, rest = arguments,
                  word, part = HV_STR("both");
    struct rewind_run rewind = {.words = words, .count = 2, .said = {.max = 1 << 20}};
    bool only_looks = false;
    int64_t message = 0;
    if (!session_journal_path(chat->session).ptr) {
        hv_buf_add_cstr(out, "This session keeps no journal.");
        return;
    }
    while (rewind.count < 7 && hv_str_split(&rest, ' ', &word)) {
        int64_t number;
        word = hv_str_trim(word);
        if (!word.len)
            continue;
        if (hv_str_to_int64(word, &number)) {
            message = number;
            words[rewind.count++] = hv_arena_format(&arena, "--to=%lld", (long long)number);
        } else if (hv_str_is(word, "try")) {
            only_looks = true;
            words[rewind.count++] = HV_STR("--dry-run");
        } else if (!is_word(word)) {
            hv_buf_add_cstr(out, "Say `/rewind N [code|conversation|both|try]`, `/rewind undo` or `/rewind redo`; "
                                 "`/rewind` alone lists the messages.");
            return;
        } else {
            part = word.ptr[0] == '-' ? part : word;
            words[rewind.count++] = hv_arena_format(&arena, "%s%.*s", word.ptr[0] == '-' ? "" : "--", HV_STR_ARG(word));
        }
    }
    if (message > 0)
        (void)!put_preview(chat, (size_t)message, part, out);
    else if (hv_str_is(part, "undo") || hv_str_is(part, "redo"))
        put_undo_preview(chat, hv_str_is(part, "redo"), out);
    run(chat, &rewind, only_looks, out);
}

/* ---- by lists ---------------------------------------------------------------------------------------------------- */

static const char *const parts[] = {"both", "code", "conversation"};

static void on_sure(void *user, size_t index, uint32_t key)
{
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf out = {.max = 4 << 20};
    struct chat_list *list = chat->list;
    struct rewind_run rewind = {.count = 4, .said = {.max = 1 << 20}};
    (void)key;
    if (index == 0) {
        const struct hv_str words[] = {HV_STR("rewind"), hv_arena_str(&list->arena, session_id(chat->session)),
                                       hv_arena_format(&list->arena, "--to=%zu", list->message),
                                       hv_arena_format(&list->arena, "--%s", parts[list->part])};
        rewind.words = words;
        run(chat, &rewind, false, &out);
        hv_buf_add_cstr(&out, "\n`/rewind undo` takes it back.\n");
    } else {
        hv_buf_add_cstr(&out, "Nothing was changed.");
    }
    chat->functions->print(chat->ui, hv_buf_str(&out));
    chat_release_list(chat);
}

static void on_part(void *user, size_t index, uint32_t key)
{
    static const struct ui_choice choices[] = {{.text = HV_STR("yes, go back")}, {.text = HV_STR("no")}};
    const struct ui_picker picker = {
        .title = "Is that what shall change?", .choices = choices, .count = 2, .done = on_sure, .user = user};
    struct chat *chat = user;
    CLEANUP_BUF struct hv_buf out = {.max = 4 << 20};
    (void)key;
    if (index >= sizeof parts / sizeof *parts ||
        !put_preview(chat, chat->list->message, hv_str_from(parts[index]), &out)) {
        chat_release_list(chat);
        return;
    }
    chat->list->part = index;
    chat->functions->print(chat->ui, hv_buf_str(&out));
    chat_open_list(chat, &picker);
}

static void on_message(void *user, size_t index, uint32_t key)
{
    static const struct ui_choice choices[] = {{.text = HV_STR("files and conversation")},
                                               {.text = HV_STR("the files alone")},
                                               {.text = HV_STR("the conversation alone")}};
    const struct ui_picker picker = {
        .title = "What goes back?", .choices = choices, .count = 3, .done = on_part, .user = user};
    struct chat *chat = user;
    (void)key;
    if (index == SIZE_MAX) {
        chat_release_list(chat);
        return;
    }
    chat->list->message = chat->list->timeline.prompt_count - index;
    chat_open_list(chat, &picker);
}

static struct hv_str files_of(struct hv_arena *arena, const struct timeline *timeline, size_t prompt)
{
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
    size_t count = 0;
    for (size_t i = 0; i < timeline->touch_count; i++) {
        const struct timeline_touch *touch = &timeline->touches[i];
        bool known = touch->prompt != prompt || !touch->tool.len;
        for (size_t k = 0; k < i && !known; k++)
            known = timeline->touches[k].prompt == prompt &&
                    hv_str_eq(timeline->touches[k].before.path, touch->before.path);
        if (known)
            continue;
        if (count++ < FILES_SHOWN) {
            hv_buf_add_cstr(&text, "changed ");
            visible_add(&text, touch->before.path);
            hv_buf_add_byte(&text, '\n');
        }
    }
    if (count > FILES_SHOWN)
        hv_buf_addf(&text, "and %zu more files\n", count - FILES_SHOWN);
    return hv_arena_str(arena, count ? hv_buf_str(&text) : HV_STR("changed no files\n"));
}

/* False: there is no message, or no journal. */
bool chat_pick_message(struct chat *chat)
{
    struct hv_str journal = session_journal_path(chat->session);
    struct chat_list *list = chat_new_list(chat);
    struct timeline *timeline = &list->timeline;
    if (!journal.ptr || timeline_read(&list->arena, journal, timeline, NULL) != HV_OK || !timeline->prompt_count)
        return false;
    size_t count = timeline->prompt_count;
    struct ui_choice *choices = hv_arena_array(&list->arena, struct ui_choice, count);
    for (size_t i = 0; i < count; i++) {
        CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
        const struct timeline_prompt *prompt = &timeline->prompts[count - 1 - i];
        hv_buf_addf(&text, "%zu  ", count - i);
        visible_add(&text, prompt->title);
        hv_buf_add_cstr(&text, prompt->in_conversation ? "" : "  (rewound)");
        choices[i].text = hv_arena_str(&list->arena, hv_buf_str(&text));
        choices[i].preview = files_of(&list->arena, timeline, count - i);
    }
    const struct ui_picker picker = {
        .title = "Back to before which message?", .choices = choices, .count = count, .done = on_message, .user = chat};
    chat_open_list(chat, &picker);
    return true;
}
