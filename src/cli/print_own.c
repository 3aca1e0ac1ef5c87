/* print_own.c: `helve -p "/name arguments"`: command files (agent/command_file.h) without a person at the screen. */
#include "base/cleanup.h"
#include "cli/print.h"

static void on_filled(void *user, struct hv_str prompt)
{
    struct print *print = user;
    struct hv_error err;
    print->own = NULL;
    if (print->signal) {
        print_close(print);
        return;
    }
    print->turn_running = true;
    if (session_submit_text(print->session, prompt, &err) == HV_OK)
        return;
    print->turn_running = false;
    print->status = cli_fail(&err);
    print_close(print);
}

bool print_own_command(struct print *print, struct hv_str task, enum hv_code *code, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct command_files files;
    if (task.len < 2 || task.ptr[0] != '/')
        return false;
    size_t end = 1;
    while (end < task.len && task.ptr[end] != ' ' && task.ptr[end] != '\n')
        end++;
    cli_find_commands(&print->setup, &arena, &files);
    const struct command_file *file = command_files_get(&files, hv_str_slice(task, 1, end));
    if (!file)
        return false;
    *code = HV_EINVAL;
    if (!cli_command_is_usable(file, err))
        return true;
    struct command_run_options options = {.session = print->session,
                                          .loop = print->setup.loop,
                                          .host = print->setup.host,
                                          .home = print->setup.home,
                                          .file = file,
                                          .arguments = hv_str_slice(task, end, task.len),
                                          .is_trusted = cli_command_is_trusted(&print->setup, file),
                                          .on_done = on_filled,
                                          .user = print};
    print->own = command_run_start(&options);
    *code = HV_OK;
    return true;
}
