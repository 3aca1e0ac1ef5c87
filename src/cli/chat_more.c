/* chat_more.c: commands of an interactive session that read its journal or begin it anew: /diff /export /model /trace
 * /doctor, and trying a rule. */
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

#include <sys/ioctl.h>
#include <unistd.h>

enum { DIFF_FILE_MAX = 4 << 20, DIFF_MAX = 512 << 10, EXPORT_MAX = 1 << 30, LIST_MS = 5000 };

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

static bool read_copy(struct hv_str store, const struct fs_image *image, struct hv_buf *text)
{
    if (image->kind != FS_IMAGE_FILE)
        return image->kind == FS_IMAGE_NOTHING;
    CLEANUP_FD int fd = image->hash.len ? fs_image_store_open_copy(store, image) : -1;
    return fd >= 0 && cli_read_all(fd, DIFF_FILE_MAX, text, NULL) == HV_OK;
}

void chat_put_file_diff(struct chat *chat, struct hv_str store, const struct fs_image *image, bool back,
                        struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf kept = {.max = DIFF_FILE_MAX + 1}, present = {.max = DIFF_FILE_MAX + 1};
    const struct hv_host *host = chat->setup.host;
    struct hv_str name = path_relative(image->path, chat->setup.directory), none = HV_STR("/dev/null");
    struct hv_file_stat stat;
    bool is_there = host->stat(host, image->path, false, &stat, NULL) == HV_OK;
    bool was_there = image->kind != FS_IMAGE_NOTHING;
    bool readable = !is_there || (stat.kind == HV_FILE_REGULAR &&
                                  host->read(host, image->path, 0, DIFF_FILE_MAX, &present, &stat, NULL) == HV_OK);
    if (!readable || !read_copy(store, image, &kept)) {
        hv_buf_addf(out, "# %.*s %s; what it was is not known, or too large to be shown\n", HV_STR_ARG(name),
                    back ? "goes back" : "was changed");
        return;
    }
    struct diff_options options = {
        .context = 3,
        .old_name = (back ? is_there : was_there) ? hv_arena_format(&arena, "a/%.*s", HV_STR_ARG(name)) : none,
        .new_name = (back ? was_there : is_there) ? hv_arena_format(&arena, "b/%.*s", HV_STR_ARG(name)) : none,
        .max_lines = 2000,
        .max_line_bytes = 2000,
    };
    diff_unified(hv_buf_str(back ? &present : &kept), hv_buf_str(back ? &kept : &present), &options, out, NULL);
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
            chat_put_file_diff(chat, places.store, before, false, &diff);
    }
    visible_add_lines(&clean, hv_str_trim(hv_buf_str(&diff)));
    if (!clean.len && arguments.len && timeline.touch_count)
        hv_buf_add_cstr(out, "This session has changed no file of that name; `/diff` shows what it changed.");
    else if (!clean.len)
        hv_buf_add_cstr(out, "This session has changed no files.");
    else
        chat_put_fenced(hv_buf_str(&clean), "diff", out);
    if (diff.failed)
        hv_buf_add_cstr(out, "\nThere is more; `/diff NAME` shows one file.\n");
}

/* ---- export ------------------------------------------------------------------------------------------- */

/* A file that the person names may be one that is dear: it is never written over. */
static bool is_free(struct chat *chat, struct hv_str path, struct hv_buf *out)
{
    struct hv_file_stat stat;
    if (chat->setup.host->stat(chat->setup.host, path, false, &stat, NULL) != HV_OK)
        return true;
    hv_buf_addf(out, "There is `%.*s` already; name a file that is not there yet.", HV_STR_ARG(path));
    return false;
}

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
    if (named && !is_free(chat, path, out))
        return;
    enum hv_code code = export_put(id, session_journal_path(chat->session), json, &text, &err);
    if (code == HV_OK)
        code = export_write(hv_arena_cstr(&arena, path), hv_buf_str(&text), &err);
    if (code != HV_OK)
        fail(out, &err);
    else
        hv_buf_addf(out, "Written to `%.*s`.", HV_STR_ARG(path));
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

/* A model whose server was asked whether it has it. */
struct asked_model {
    struct chat *chat;
    const struct model *model;
    struct hv_arena arena;
};

static void on_models(void *user, enum hv_code code, struct hv_str *names, size_t count, const struct hv_error *err)
{
    struct asked_model *asked = user;
    struct chat *chat = asked->chat;
    CLEANUP_BUF struct hv_buf out = {.max = 64 << 10};
    (void)err; /* a server that has no list, or does not answer: the next request tells */
    if (code == HV_OK && count && atomic_load(&chat->listener) && chat->setup.model == asked->model &&
        !model_list_has(names, count, model_name(asked->model))) {
        hv_buf_addf(&out, "The server does not list `%.*s`; it has: %.*s.", HV_STR_ARG(model_name(asked->model)),
                    HV_STR_ARG(model_list_text(&asked->arena, names, count)));
        chat->functions->print(chat->ui, hv_buf_str(&out));
    }
    struct hv_arena arena = asked->arena;
    free(asked);
    hv_arena_release(&arena);
}

/* A word may be any model's name; one that is mistyped is told of before the next prompt is written. */
static void check_model(struct chat *chat)
{
    struct hv_error err;
    struct asked_model *asked = hv_calloc(1, sizeof *asked);
    *asked = (struct asked_model){.chat = chat, .model = chat->setup.model};
    if (model_list_begin(chat->setup.model, LIST_MS, &asked->arena, on_models, asked, &err) == HV_OK)
        return;
    hv_arena_release(&asked->arena);
    free(asked);
}

void chat_change_model(struct chat *chat, struct hv_str name, struct hv_buf *out)
{
    struct models old = models_of(&chat->setup), fresh;
    struct hv_error err;
    bool offline = chat->setup.offline;
    if (!session_journal_path(chat->session).ptr) {
        hv_buf_add_cstr(out, "This session keeps no journal, from which it could go on with another model: start it "
                             "with `--model NAME`.");
        return;
    }
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
    if (code != HV_OK)
        return;
    hv_buf_addf(out, "The model is now `%.*s`.", HV_STR_ARG(model_name(chat->setup.model)));
    check_model(chat);
}

/* ---- other doors ------------------------------------------------------------------------------------------------- */

static void start_child(struct chat *chat, const struct hv_str *words, size_t count, struct hv_buf *out)
{
    struct hv_error err;
    if (chat_start_child(chat, words, count, &err) != HV_OK)
        fail(out, &err);
}

/* The child's own input and output are pipes: what the session shows is on this process's terminal. */
static struct hv_str describe_terminal(struct hv_arena *arena)
{
    const char *term = getenv("TERM");
    struct winsize size = {0};
    bool is_terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return hv_arena_format(arena, "%s, TERM=%s, colours %s",
                           is_terminal ? hv_arena_format(arena, "%u x %u", size.ws_col, size.ws_row).ptr
                                       : "stdout is none",
                           term ? term : "", cli_has_colour(STDOUT_FILENO) ? "yes" : "no");
}

void chat_doctor(struct chat *chat, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str model = hv_arena_format(&arena, "%.*s:%.*s", HV_STR_ARG(model_provider_name(chat->setup.model)),
                                          HV_STR_ARG(model_name(chat->setup.model)));
    const struct hv_str words[] = {HV_STR("doctor"), HV_STR("--model"), model, HV_STR("--terminal"),
                                   describe_terminal(&arena)};
    start_child(chat, words, 5, out);
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
    if (arguments.len && !is_free(chat, file, out))
        return;
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
