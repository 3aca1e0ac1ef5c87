/* chat_own.c: commands of the person's or the project's own (agent/command_file.h) in an interactive session. */
#include "base/cleanup.h"
#include "cli/chat.h"
#include "policy/visible.h"

void cli_find_commands(const struct setup *setup, struct hv_arena *arena, struct command_files *out)
{
    struct command_places places = {.host = setup->host,
                                    .directory = setup->directory,
                                    .user_directory = setup->settings->user_directory,
                                    .home = setup->home};
    command_files_find(&places, arena, out);
}

bool cli_command_is_usable(const struct command_file *file, struct hv_error *err)
{
    if (!file->fault)
        return true;
    hv_fail(err, HV_EINVAL, "the command file %.*s cannot be used: %s", HV_STR_ARG(file->path), file->fault);
    if (file->line)
        hv_error_hint(err, "look at its line %u", file->line);
    return false;
}

bool cli_command_is_trusted(const struct setup *setup, const struct command_file *file)
{
    return file->is_own || setup->settings->trust == SETTINGS_TRUSTED;
}

/* What was found last, for as long as nothing of it changes: completion asks at each key. */
struct chat_commands {
    struct hv_arena arena;
    struct command_files files;
};

void chat_release_own(struct chat *chat)
{
    if (!chat->commands)
        return;
    hv_arena_release(&chat->commands->arena);
    free(chat->commands);
    chat->commands = NULL;
}

/* Valid until it is called again. */
static const struct command_files *own_files(struct chat *chat)
{
    if (chat->commands && !command_files_changed(chat->setup.host, &chat->commands->files))
        return &chat->commands->files;
    chat_release_own(chat);
    chat->commands = hv_calloc(1, sizeof *chat->commands);
    cli_find_commands(&chat->setup, &chat->commands->arena, &chat->commands->files);
    return &chat->commands->files;
}

static void on_filled(void *user, struct hv_str prompt)
{
    struct chat *chat = user;
    chat->own = NULL;
    if (chat->closing)
        return;
    if (prompt.len)
        chat->functions->submit(chat->ui, prompt);
    else
        chat->functions->print(chat->ui, HV_STR("The command's text is empty."));
}

bool chat_own_command(struct chat *chat, struct hv_str name, struct hv_str arguments, struct hv_buf *out)
{
    struct hv_error err;
    const struct command_file *file = command_files_get(own_files(chat), name);
    if (!file)
        return false;
    if (!cli_command_is_usable(file, &err)) {
        hv_buf_addf(out, "**%s**\n\n%s\n", err.message, err.hint);
        return true;
    }
    if (chat->own || chat->shell) {
        hv_buf_add_cstr(out, "Another command is still running; wait for it, or interrupt it with Esc.");
        return true;
    }
    struct command_run_options options = {.session = chat->session,
                                          .loop = chat->setup.loop,
                                          .host = chat->setup.host,
                                          .home = chat->setup.home,
                                          .file = file,
                                          .arguments = arguments,
                                          .is_trusted = cli_command_is_trusted(&chat->setup, file),
                                          .on_done = on_filled,
                                          .user = chat};
    chat->own = command_run_start(&options);
    return true;
}

void chat_complete_own(void *user, struct hv_str prefix, struct hv_buf *out)
{
    const struct command_files *files = own_files(user);
    for (size_t i = 0; i < files->count; i++) {
        const struct command_file *file = &files->items[i];
        if (!hv_str_starts(file->name, prefix) || !visible_as_is(file->name))
            continue;
        hv_buf_addf(out, "/%.*s%s", HV_STR_ARG(file->name), file->argument_hint.len ? " " : "");
        visible_add(out, file->argument_hint);
        hv_buf_add_cstr(out, "  ");
        visible_add(out, file->fault ? HV_STR("(cannot be used)") : file->description);
        hv_buf_add_byte(out, '\n');
    }
}

void chat_put_own(struct chat *chat, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct command_files *files = own_files(chat);
    for (size_t i = 0; i < files->count; i++) {
        const struct command_file *file = &files->items[i];
        CLEANUP_BUF struct hv_buf line = {.max = 64 << 10};
        visible_add(&line,
                    file->fault ? hv_arena_format(&arena, "cannot be used: %s", file->fault) : file->description);
        hv_buf_addf(out, "- `/%.*s` %.*s (%s)\n", HV_STR_ARG(file->name), HV_STR_ARG(hv_buf_str(&line)),
                    file->is_own ? "yours" : "the project's");
    }
}
