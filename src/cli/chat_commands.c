/* chat_commands.c: what is typed with a slash in an interactive session: one row a command. Answers are Markdown. */
#include "agent/instructions.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/nearest.h"
#include "base/path.h"
#include "cli/chat.h"

enum { OWN_MAX = 1 << 20, MEMORY_MAX = 1 << 20 };

const struct ui_command chat_command_list[] = {
    {"help", "", "commands and keys"},
    {"clear", "", "begin a new conversation"},
    {"model", "[NAME]", "which model answers; with a name: another one from now on"},
    {"mode", "[NAME]", "what needs no question: default, acceptEdits, plan"},
    {"permissions", "[RULE|COMMAND]", "the rules in force; what a rule means or a command would get"},
    {"tools", "", "the tools of this session"},
    {"hooks", "", "the hooks that are configured"},
    {"memory", "", "the instruction files that were read"},
    {"init", "", "have an AGENTS.md written for this project"},
    {"resume", "[ID]", "go on with an earlier session; without an id: choose one"},
    {"rewind", "[N [code|conversation|try]|undo|redo]", "back to before a message"},
    {"fork", "", "go on in a new session that begins as this one"},
    {"rename", "TITLE", "give this session a title"},
    {"diff", "[NAME]", "what this session changed"},
    {"find", "WORDS", "look for words in the whole session"},
    {"copy", "[code]", "the last answer, or its last code, into the clipboard"},
    {"export", "[FILE|json]", "write the conversation as Markdown or JSON"},
    {"tasks", "[stop ID]", "what runs in the background"},
    {"cost", "", "tokens and dollars of this session"},
    {"context", "", "what fills the model's context, part by part"},
    {"trace", "[FILE]", "write where the time went, as a page"},
    {"doctor", "", "check what helve needs"},
    {"config", "[theme [NAME]]", "settings files, and what is wrong in them; the colours: auto, dark, light, your own"},
    {"compact", "", "is still to come"},
    {"mcp", "", "is still to come"},
    {"agents", "", "is still to come"},
    {"skills", "", "is still to come"},
    {"quit", "", "end the session"},
    {0},
};

typedef void command_function(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt);

static void fail(struct hv_buf *out, const struct hv_error *err)
{
    hv_buf_addf(out, "**%s**\n", err->message);
    if (err->hint[0])
        hv_buf_addf(out, "\n%s\n", err->hint);
}

/* A name or a path as inline code: nothing in it is Markdown. */
static void put_code(struct hv_buf *out, struct hv_str text)
{
    bool ticks = hv_str_find_byte(text, '`', 0) != SIZE_MAX;
    hv_buf_addf(out, "%s%.*s%s", ticks ? "`` " : "`", HV_STR_ARG(text), ticks ? " ``" : "`");
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void help(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)arguments, (void)prompt;
    hv_buf_add_cstr(out, "# Commands\n\n");
    for (const struct ui_command *command = chat_command_list; command->name; command++)
        hv_buf_addf(out, "- `/%s%s%s` %s\n", command->name, command->arguments[0] ? " " : "", command->arguments,
                    command->summary);
    chat_put_own(chat, out);
    hv_buf_add_cstr(
        out,
        "\n`!command` runs a command yourself, `#note` goes to a memory file (`##note`: to your own), `@` completes a "
        "file's name, a picture's path sends the picture.\n\n# Keys\n\n"
        "- `Enter` sends; `Ctrl-J`, `Shift-Enter`, `Alt-Enter` or `\\` and `Enter` make a new line\n"
        "- `Esc` interrupts; `Esc Esc` empties the prompt, on an empty one it opens `/rewind`\n"
        "- `Shift-Tab` changes the mode, `Ctrl-O` unfolds results, the latest first\n"
        "- `Ctrl-B` sends the running command to the background (`/tasks`)\n"
        "- `Up`, `Down` and `Ctrl-R` look in earlier prompts; `Up` takes a queued message back, which else reaches the "
        "model between calls\n"
        "- `Ctrl-A E B F K U W Y T _`, `Alt-B F D Y` as in Emacs; `Ctrl-G` opens `$EDITOR`\n"
        "- `Ctrl-C` empties the prompt, interrupts, and twice ends; `Ctrl-D` ends; `Ctrl-L` empties the screen, "
        "`Ctrl-Z` suspends\n");
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void clear(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    struct hv_error err;
    bool kept = session_journal_path(chat->session).ptr != NULL;
    (void)arguments, (void)prompt;
    if (chat_change_session(chat, NULL, &err) == HV_OK)
        hv_buf_addf(out, "A new conversation.%s", kept ? " `/resume` goes back to the one before." : "");
    else
        fail(out, &err);
}

static void resume(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct session_entry entry;
    struct hv_error err;
    (void)prompt;
    if (!arguments.len) {
        if (!chat_pick_session(chat))
            hv_buf_add_cstr(out, "There is no earlier session.");
        return;
    }
    enum hv_code code = sessions_find(&arena, arguments, chat->setup.directory, &entry, &err);
    if (code == HV_OK)
        code = chat_change_session(chat, &entry, &err);
    if (code != HV_OK)
        fail(out, &err);
}

static void rewind_session(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    if (!session_journal_path(chat->session).ptr)
        hv_buf_add_cstr(out, "This session keeps no journal; there is nothing to go back to.");
    else if (!arguments.len && !chat_pick_message(chat))
        hv_buf_add_cstr(out, "There is no message yet that could be gone back to.");
    else if (arguments.len)
        chat_rewind(chat, arguments, out);
}

static void fork_session(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)arguments, (void)prompt;
    chat_fork(chat, out);
}

static void rename_session(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    chat_rename(chat, arguments, out);
}

static void diff(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    chat_put_diff(chat, arguments, out);
}

static void export(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    chat_export(chat, arguments, out);
}

static void find(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    chat_find(chat, arguments, out);
}

static void trace(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    chat_trace(chat, arguments, out);
}

static void doctor(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)arguments, (void)prompt;
    chat_doctor(chat, out);
}

/* ---- the model and what it costs --------------------------------------------------------------------------------- */

static void model(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)prompt;
    if (arguments.len) {
        chat_change_model(chat, arguments, out);
        return;
    }
    put_code(out, model_name(chat->setup.model));
    hv_buf_addf(out, " of %.*s, with a context of %lld tokens.\n", HV_STR_ARG(model_provider_name(chat->setup.model)),
                (long long)model_context_window(chat->setup.model));
}

static void cost(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    struct model_usage usage, side;
    double dollars, side_dollars;
    (void)arguments, (void)prompt;
    session_whole_totals(chat->session, &usage, &dollars);
    session_side_totals(chat->session, &side, &side_dollars);
    hv_buf_addf(out,
                "| tokens | count |\n|---|---|\n| input | %lld |\n| read from cache | %lld |\n| written to cache | "
                "%lld |\n| output | %lld |\n",
                (long long)usage.input_tokens, (long long)usage.cache_read_tokens, (long long)usage.cache_write_tokens,
                (long long)usage.output_tokens);
    if (side.input_tokens || side.output_tokens)
        hv_buf_addf(out, "| input of the small model | %lld |\n| output of the small model | %lld |\n",
                    (long long)side.input_tokens + (long long)side.cache_read_tokens +
                        (long long)side.cache_write_tokens,
                    (long long)side.output_tokens);
    hv_buf_add_byte(out, '\n');
    bool priced = model_cost(chat->setup.model, &(struct model_usage){0}) >= 0;
    if (dollars > 0 || priced)
        hv_buf_addf(out, "Cost so far: $%.4f\n\n", dollars);
    if (!priced)
        hv_buf_add_cstr(out, "The price of this model is not known.\n");
}

static void put_share(struct hv_buf *out, long long tokens, long long window)
{
    hv_buf_addf(out, "%lld tokens", tokens);
    if (window > 0)
        hv_buf_addf(out, ", %.1f %%", (double)tokens * 100 / (double)window);
    hv_buf_add_byte(out, '\n');
}

/* What the model has counted is a sum; its parts are guessed. */
static void context(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct context_parts parts = {.arena = &arena};
    long long used = atomic_load(&chat->context_used), window = model_context_window(chat->setup.model), guessed = 0;
    (void)arguments, (void)prompt;
    if (!used)
        hv_buf_addf(out, "Nothing was sent yet. Of %lld tokens the next request takes, ", window);
    else
        hv_buf_addf(out, "The latest request and its answer took %lld of %lld tokens (%lld %%). By parts, ", used,
                    window, window > 0 ? used * 100 / window : 0);
    hv_buf_add_cstr(out, "estimated from their bytes:\n\n");
    session_context(chat->session, &parts);
    for (size_t i = 0; i < parts.list.count; i++) {
        const struct context_part *part = &parts.list.items[i];
        hv_buf_addf(out, "- %s ", part->what);
        if (part->name.len)
            put_code(out, part->name);
        hv_buf_add_cstr(out, part->name.len ? " " : "");
        put_share(out, context_tokens(part->bytes), window);
        guessed += context_tokens(part->bytes);
    }
    context_release(&parts);
    hv_buf_add_cstr(out, used ? "- free " : "- free, estimated ");
    used = used ? used : guessed;
    put_share(out, window > used ? window - used : 0, window);
}

/* ---- rules, tools, hooks ----------------------------------------------------------------------------------------- */

static void mode(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    enum policy_mode wanted;
    (void)prompt;
    if (arguments.len && !policy_mode_from(arguments, &wanted)) {
        hv_buf_addf(out, "There is no mode `%.*s`: default, acceptEdits, plan, dontAsk.", HV_STR_ARG(arguments));
        return;
    }
    if (arguments.len && wanted == POLICY_BYPASS) {
        hv_buf_add_cstr(out, "Bypassing all questions can only be chosen at the start, with a flag.");
        return;
    }
    if (arguments.len)
        chat_set_mode(chat, wanted);
    struct policy *policy = runtime_policy(session_runtime(chat->session));
    hv_buf_addf(out, "The mode is `%s`.", policy_mode_name(policy_mode_of(policy)));
    policy_unref(policy);
}

static const char *verdict_word(enum hv_verdict verdict)
{
    return verdict == HV_ALLOW ? "allow" : verdict == HV_DENY ? "deny" : "ask";
}

/* Why a rule or a hook that stands in a file of the folder is not among those that count. */
static void put_untrusted(struct chat *chat, struct hv_buf *out)
{
    if (chat->setup.settings->trust == SETTINGS_UNTRUSTED)
        hv_buf_add_cstr(out,
                        "\nThis folder is not trusted: of its own settings only what denies or asks counts. `helve "
                        "trust` in a shell lists the rest, and trusts it from the next start on.\n");
}

static void permissions(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    const struct settings *settings = chat->setup.settings;
    (void)prompt;
    if (arguments.len) {
        chat_try_rule(chat, arguments, out);
        return;
    }
    mode(chat, HV_STR(""), out, prompt);
    hv_buf_add_cstr(out, "\n\n");
    if (!settings->rule_count)
        hv_buf_add_cstr(out, "No settings file has rules.\n");
    for (size_t i = 0; i < settings->rule_count; i++) {
        const struct settings_rule *rule = &settings->rules[i];
        hv_buf_addf(out, "- %s ", verdict_word(rule->verdict));
        put_code(out, rule->text);
        hv_buf_addf(out, " %.*s:%zu\n", HV_STR_ARG(rule->place.file), (size_t)rule->place.line);
    }
    put_untrusted(chat, out);
    hv_buf_add_cstr(
        out, "\n`/permissions RULE` tells what a rule means, `/permissions COMMAND` what it would get, and why.\n");
}

static void tools(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    size_t count, stable;
    uint64_t generation;
    const struct runtime_tool *list = runtime_tools(session_runtime(chat->session), &count, &stable, &generation);
    (void)arguments, (void)prompt;
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(out, "- `%s` %s%s\n", list[i].tool->name, list[i].tool->title ? list[i].tool->title : "",
                    list[i].deferred ? " (offered by name until it is looked for)" : "");
}

static void hooks(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    const struct settings *settings = chat->setup.settings;
    (void)arguments, (void)prompt;
    if (!settings->hook_count)
        hv_buf_add_cstr(out, "No hooks are configured.\n");
    for (size_t i = 0; i < settings->hook_count; i++) {
        const struct settings_hook *hook = &settings->hooks[i];
        hv_buf_addf(out, "- %.*s ", HV_STR_ARG(hook->event));
        put_code(out, hook->command.len ? hook->command : hook->url);
        hv_buf_addf(out, " %.*s:%zu\n", HV_STR_ARG(hook->place.file), (size_t)hook->place.line);
    }
    put_untrusted(chat, out);
}

static void config(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    static const struct {
        enum settings_scope scope;
        const char *name;
    } scopes[] = {
        {SETTINGS_USER, "yours"}, {SETTINGS_PROJECT, "the project's"}, {SETTINGS_LOCAL, "yours, in this project"}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf problems = {0};
    (void)prompt;
    if (hv_str_is(arguments, "theme") || hv_str_starts(arguments, HV_STR("theme "))) {
        chat_choose_theme(chat, hv_str_trim(hv_str_slice(arguments, 5, arguments.len)), out);
        return;
    }
    if (arguments.len) {
        hv_buf_add_cstr(out,
                        "`/config` shows the settings files, which an editor changes; `/config theme NAME` changes "
                        "the colours.");
        return;
    }
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        hv_buf_addf(out, "- %s: ", scopes[i].name);
        put_code(out, settings_file(&chat->setup.settings_options, &arena, scopes[i].scope));
        hv_buf_add_byte(out, '\n');
    }
    hv_buf_init(&problems, 1 << 20);
    setup_put_problems(&chat->setup, &problems);
    if (problems.len)
        hv_buf_addf(out, "\n```\n%.*s\n```\n", HV_STR_ARG(hv_str_trim(hv_buf_str(&problems))));
    else
        hv_buf_add_cstr(out, "\nNothing is wrong in them.\n");
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* The files as the next session would read them, the project's from its top folder down. */
static void memory(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf text = {.max = MEMORY_MAX};
    const struct setup *setup = &chat->setup;
    struct context_parts parts = {.arena = &arena};
    struct policy *policy = runtime_policy(session_runtime(chat->session));
    struct hv_str own = path_join(&arena, setup->home, HV_STR(".claude"));
    bool any = false;
    (void)arguments, (void)prompt;
    instructions_put(setup->host, setup->settings, policy, setup->directory, setup->home, &text, &parts);
    policy_unref(policy);
    for (size_t i = 0; i < parts.list.count; i++) {
        struct hv_str path = parts.list.items[i].name, folder = path_parent(path);
        struct hv_file_stat stat = {0};
        (void)!setup->host->stat(setup->host, path, true, &stat, NULL);
        hv_buf_add_cstr(out, "- ");
        put_code(out, path);
        hv_buf_addf(out, " %llu bytes\n", (unsigned long long)stat.size);
        any |= !hv_str_eq(folder, own) && !hv_str_eq(folder, setup->settings->user_directory);
    }
    context_release(&parts);
    if (out->len)
        hv_buf_add_byte(out, '\n');
    if (!any)
        hv_buf_add_cstr(out, "This folder has no AGENTS.md or CLAUDE.md. `/init` has one written.");
}

static void init(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)chat, (void)arguments, (void)out;
    hv_buf_add_cstr(
        prompt, "Write an AGENTS.md for this project, for coding agents that will work in it. Look first at its "
                "README, its build files and the layout of its folders. Say in at most 60 lines: what it is, how "
                "it is built, how its tests are run (also a single one), how the code is laid out, and which of its "
                "conventions cannot be seen in any single file. If there is an AGENTS.md already, improve it where "
                "it is wrong or lacks one of these, and leave the rest as it is.");
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static const char *task_word(enum hv_task_status status)
{
    static const char *const words[] = {"running", "completed", "failed", "stopped"};
    return words[status];
}

static void tasks(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t count;
    (void)prompt;
    if (hv_str_starts(arguments, HV_STR("stop "))) {
        struct hv_str id = hv_str_trim(hv_str_slice(arguments, 5, arguments.len));
        bool stopped = runtime_stop_task(session_runtime(chat->session), id);
        hv_buf_addf(out, stopped ? "`%.*s` is being stopped." : "There is no task `%.*s`.", HV_STR_ARG(id));
        return;
    }
    if (arguments.len) {
        hv_buf_add_cstr(out, "`/tasks` lists what runs in the background, `/tasks stop ID` ends one of it.");
        return;
    }
    const struct hv_task_view *list = runtime_list_tasks(session_runtime(chat->session), &arena, &count);
    if (!count)
        hv_buf_add_cstr(out, "Nothing runs in the background.");
    for (size_t i = 0; i < count; i++) {
        hv_buf_addf(out, "- `%.*s` %s, %llus ", HV_STR_ARG(list[i].id), task_word(list[i].end.status),
                    (unsigned long long)(list[i].age_ns / CLOCK_SECOND));
        put_code(out, list[i].title);
        hv_buf_add_byte(out, '\n');
    }
}

static void to_come(struct chat *chat, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    (void)chat, (void)arguments, (void)prompt;
    hv_buf_add_cstr(out, "This is still to come.");
}

/* What other agents call a command of helve's. */
static struct hv_str find_usual_name(struct hv_str name)
{
    static const struct {
        const char *usual, *name;
    } rows[] = {
        {"new", "clear"},
        {"reset", "clear"},
        {"continue", "resume"},
        {"undo", "rewind"},
        {"settings", "config"},
        {"checkpoint", "rewind"},
        {"usage", "cost"},
        {"stats", "cost"},
        {"bashes", "tasks"},
        {"allowed-tools", "permissions"},
        {"approvals", "permissions"},
        {"plan", "mode plan"},
        {"theme", "config theme"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hv_str_is(name, rows[i].usual))
            return hv_str_from(rows[i].name);
    return (struct hv_str){0};
}

static void put_unknown(struct chat *chat, struct hv_str name, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf own = {.max = OWN_MAX};
    VEC(struct hv_str) names = {0};
    struct hv_str near = find_usual_name(name), line;
    for (const struct ui_command *command = chat_command_list; command->name; command++)
        *vec_push(&names) = hv_str_from(command->name);
    chat_complete_own(chat, HV_STR(""), &own);
    for (struct hv_str rest = hv_buf_str(&own); hv_str_split(&rest, '\n', &line);)
        *vec_push(&names) = hv_str_slice(line, 1, hv_str_find_byte(line, ' ', 0));
    if (!near.ptr)
        near = nearest_name(name, names.items, names.count);
    hv_buf_add_cstr(out, "There is no command ");
    put_code(out, hv_arena_format(&arena, "/%.*s", HV_STR_ARG(name)));
    if (near.ptr)
        hv_buf_addf(out, "; did you mean `/%.*s`?", HV_STR_ARG(near));
    hv_buf_add_cstr(out, near.ptr ? " `/help` lists those there are." : "; `/help` lists those there are.");
    vec_release(&names);
}

void chat_command(void *user, struct hv_str name, struct hv_str arguments, struct hv_buf *out, struct hv_buf *prompt)
{
    static const struct {
        const char *name;
        command_function *function;
    } rows[] = {
        {"help", help},
        {"clear", clear},
        {"model", model},
        {"mode", mode},
        {"permissions", permissions},
        {"tools", tools},
        {"hooks", hooks},
        {"memory", memory},
        {"init", init},
        {"resume", resume},
        {"tasks", tasks},
        {"rewind", rewind_session},
        {"diff", diff},
        {"fork", fork_session},
        {"rename", rename_session},
        {"export", export},
        {"find", find},
        {"trace", trace},
        {"doctor", doctor},
        {"cost", cost},
        {"context", context},
        {"config", config},
        {"compact", to_come},
        {"mcp", to_come},
        {"agents", to_come},
        {"skills", to_come},
    };
    struct chat *chat = user;
    if (!chat->session) {
        hv_buf_add_cstr(out, "The session has not begun yet.");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!hv_str_is(name, rows[i].name))
            continue;
        rows[i].function(chat, arguments, out, prompt);
        return;
    }
    if (!chat_own_command(chat, name, arguments, out))
        put_unknown(chat, name, out);
}
