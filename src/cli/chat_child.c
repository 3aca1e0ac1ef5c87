/* chat_child.c: doors of helve that a session opens beside itself, as a child: `helve doctor`, `helve trace`, … What
 * they print is shown above the prompt. */
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/chat.h"
#include "text/ansi.h"

enum { SAID_MAX = 256 << 10, WORDS_MAX = 16, TIMEOUT_S = 120 };

struct chat_child {
    struct hv_arena arena;
    struct chat *chat; /* NULL when the session has ended, and the thread with it */
    const char *words[WORDS_MAX + 2];
    struct hv_buf said;
    struct hv_cancel *cancel;
    pthread_t thread;
};

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hv_buf *said = user;
    (void)stream;
    if (said->len + bytes.len <= said->max)
        hv_buf_add_str(said, bytes);
    return true;
}

static void run_words(const struct hv_host *host, const char *const *words, const struct hv_cancel *cancel,
                      struct hv_buf *said)
{
    struct hv_exit end;
    struct hv_error err;
    struct hv_command command = {.argv = words,
                                 .timeout_ns = TIMEOUT_S * CLOCK_SECOND,
                                 .cancel = cancel,
                                 .on_output = keep_output,
                                 .user = said};
    if (host->run(host, &command, &end, &err) != HV_OK)
        hv_buf_addf(said, "%s\n", err.message);
    else if (end.timed_out)
        hv_buf_add_cstr(said, "It took too long and was ended.\n");
}

/* A fence that nothing in the text closes. */
void chat_put_fenced(struct hv_str text, const char *language, struct hv_buf *out)
{
    size_t longest = 2, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        hv_buf_add_byte(out, '`');
    hv_buf_addf(out, "%s\n%.*s\n", language, HV_STR_ARG(text));
    for (size_t i = 0; i <= longest; i++)
        hv_buf_add_byte(out, '`');
    hv_buf_add_byte(out, '\n');
}

static void release(struct chat_child *child)
{
    hv_cancel_free(child->cancel);
    hv_buf_release(&child->said);
    struct hv_arena arena = child->arena;
    free(child);
    hv_arena_release(&arena);
}

static void on_ended(void *data)
{
    struct chat_child *child = data;
    struct chat *chat = child->chat;
    CLEANUP_BUF struct hv_buf clean = {.max = 2 * SAID_MAX}, out = {.max = 4 * SAID_MAX};
    if (!chat) {
        release(child);
        return;
    }
    chat->child = NULL;
    pthread_join(child->thread, NULL);
    ansi_clean(hv_str_trim(hv_buf_str(&child->said)), &clean);
    chat_put_fenced(clean.len ? hv_buf_str(&clean) : HV_STR("done"), "", &out);
    if (!chat->closing)
        chat->functions->print(chat->ui, hv_buf_str(&out));
    release(child);
}

static void *run_child(void *data)
{
    struct chat_child *child = data;
    run_words(child->chat->setup.host, child->words, child->cancel, &child->said);
    loop_post(child->chat->setup.loop, on_ended, child);
    return NULL;
}

static const char *own_path(struct hv_arena *arena)
{
    char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    return hv_arena_cstr(arena, len > 0 ? hv_str_of(path, (size_t)len) : HV_STR("helve"));
}

static void fill_words(struct hv_arena *arena, const struct hv_str *given, size_t count, const char **words)
{
    size_t at = 0;
    words[at++] = own_path(arena);
    for (size_t i = 0; i < count && i < WORDS_MAX; i++)
        words[at++] = hv_arena_cstr(arena, given[i]);
    words[at] = NULL;
}

enum hv_code chat_start_child(struct chat *chat, const struct hv_str *words, size_t count, struct hv_error *err)
{
    if (chat->child)
        return hv_fail(err, HV_ECONFLICT, "another of these commands is still running");
    struct chat_child *child = hv_calloc(1, sizeof *child);
    child->chat = chat;
    child->cancel = hv_cancel_new();
    hv_buf_init(&child->said, SAID_MAX);
    fill_words(&child->arena, words, count, child->words);
    int fault = thread_start(&child->thread, 0, run_child, child);
    if (fault) {
        hv_cancel_free(child->cancel);
        hv_buf_release(&child->said);
        struct hv_arena arena = child->arena;
        free(child);
        hv_arena_release(&arena);
        return hv_fail_errno(err, fault, "cannot start a thread");
    }
    chat->child = child;
    return HV_OK;
}

void chat_end_child(struct chat *chat)
{
    struct chat_child *child = chat->child;
    chat->child = NULL;
    if (!child)
        return;
    hv_cancel_raise(child->cancel);
    pthread_join(child->thread, NULL);
    child->chat = NULL; /* what the thread has posted is called yet, and releases it */
}

void chat_run_child(struct chat *chat, const struct hv_str *words, size_t count, struct hv_buf *said)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf raw = {.max = SAID_MAX};
    const char *own[WORDS_MAX + 2];
    fill_words(&arena, words, count, own);
    run_words(chat->setup.host, own, NULL, &raw);
    ansi_clean(hv_str_trim(hv_buf_str(&raw)), said);
}
