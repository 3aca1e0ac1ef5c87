/*
 * bash_command.c: the command as it is run. What is special is the working directory, which lasts from call to call:
 * the command is wrapped in a script that writes the shell's last directory to a file (see wrap_command). See bash.h.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "shell/class.h"
#include "tools/bash.h"

#include <ctype.h>
#include <string.h>

enum { DIRECTORY_FILE_MAX = 16 * 1024, ARGUMENT_MAX = 128 * 1024 /* of one argument: the kernel's limit */ };

/* ---- before the run ------------------------------------------------------------------------------------ */

static bool is_directory(const struct hv_context *context, struct hv_str path)
{
    struct hv_file_stat info;
    return path.len && context->host->stat(context->host, path, true, &info, NULL) == HV_OK &&
           info.kind == HV_FILE_DIRECTORY;
}

enum hv_code bash_choose_directory(struct bash_run *run, struct hv_error *err)
{
    struct hv_context *context = run->context;
    run->directory = context->directory;
    if (is_directory(context, run->directory))
        return HV_OK;
    for (size_t i = 0; i < context->root_count; i++) {
        if (!is_directory(context, context->roots[i]))
            continue;
        run->directory = context->roots[i];
        context->services->set_directory(context, run->directory);
        bash_add_note(run, hv_arena_format(context->arena,
                                           "The working directory %.*s no longer exists; the command ran in %.*s.",
                                           HV_STR_ARG(context->directory), HV_STR_ARG(run->directory)));
        return HV_OK;
    }
    hv_fail(err, HV_ENOTFOUND, "the working directory %.*s no longer exists", HV_STR_ARG(context->directory));
    hv_error_hint(err, "Start helve again in a directory that exists.");
    return HV_ENOTFOUND;
}

void bash_add_quoted(struct hv_buf *out, struct hv_str text)
{
    hv_buf_add_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'')
            hv_buf_add_cstr(out, "'\\''");
        else
            hv_buf_add_byte(out, text.ptr[i]);
    }
    hv_buf_add_byte(out, '\'');
}

/*
 * The script that bash runs. The command itself is in the environment (bash_environment), where `pkill -f` and
 * `pgrep -f` of its own do not find it as they would among the arguments; it is taken out of there before it runs. It
 * runs under eval, then the shell's directory is written to run->directory_name. Two nets catch that: an EXIT trap for
 * commands that call `exit` or stop by `set -e`, and what follows the eval for commands that set an EXIT trap of their
 * own. A command that does both keeps the old directory. eval takes the command as one string, so a syntax error in it
 * cannot swallow what follows. The exit code is the command's; `set -x`, `set -v` and `set -u` do not reach our part.
 * The file is named in the script, not in the environment, and bash opens it by itself, so no descriptor leaks.
 */
static const char *wrap_command(struct bash_run *run)
{
    struct hv_arena *arena = run->context->arena;
    static const char begin[] = "helve_command=$" BASH_COMMAND_VARIABLE "; unset -v " BASH_COMMAND_VARIABLE "; ";
    if (!run->directory_file.len)
        return hv_arena_format(arena, "%seval -- \"$helve_command\"", begin).ptr;
    struct hv_buf file, script;
    hv_buf_init(&file, SIZE_MAX / 4);
    hv_buf_init(&script, SIZE_MAX / 4);
    hv_buf_add_cstr(&file, "{ builtin pwd -P >|");
    bash_add_quoted(&file, run->directory_name);
    hv_buf_add_cstr(&file, " || :; } 2>/dev/null");
    hv_buf_add_cstr(&script, begin);
    hv_buf_add_cstr(&script, "trap ");
    bash_add_quoted(&script, hv_buf_str(&file));
    hv_buf_add_cstr(&script, " EXIT; eval -- \"$helve_command\"; { helve_status=$?; set +exu; } 2>/dev/null; ");
    hv_buf_add_str(&script, hv_buf_str(&file));
    hv_buf_add_cstr(&script, "; exit $helve_status\n");
    const char *text = hv_arena_cstr(arena, hv_buf_str(&script));
    hv_buf_release(&file);
    hv_buf_release(&script);
    return text;
}

/* What only reads and looks at no processes is given as it is: bash then becomes the program of a single command, which
 * spares a process. */
static bool looks_at_processes(const struct shell_judgement *judgement)
{
    static const char *const programs[] = {"pgrep", "pkill", "ps"};
    for (size_t i = 0; i < judgement->count; i++)
        for (size_t j = 0; judgement->acts[i].word_count && j < sizeof programs / sizeof *programs; j++)
            if (hv_str_is(judgement->acts[i].words[0].value, programs[j]))
                return true;
    return false;
}

/* A name of its own for each call: the folder is the session's, and addresses and times do not repeat within it. */
static void choose_directory_file(struct bash_run *run)
{
    const struct hv_context *context = run->context;
    struct hv_str folder = run->confined ? run->confined->run.temporary : context->results_directory;
    struct hv_str seen_as = run->confined ? run->confined->run.seen_as : folder;
    if (!folder.len || bash_keeps_directory(bash_judge(run->input, context)))
        return;
    struct hv_str name = hv_arena_format(context->arena, ".directory-%llx-%llx", (unsigned long long)(uintptr_t)run,
                                         (unsigned long long)context->host->monotonic_ns(context->host));
    run->directory_file = path_join(context->arena, folder, name);
    run->directory_name = path_join(context->arena, seen_as, name);
}

/* The system would refuse it, in the sandbox from where no advice comes. */
static enum hv_code check_length(struct hv_str command, struct hv_error *err)
{
    if (command.len + sizeof BASH_COMMAND_VARIABLE + 1 < ARGUMENT_MAX)
        return HV_OK;
    hv_fail(err, HV_ETOOBIG, "the command is too long for the system (more than %d kB)", ARGUMENT_MAX / 1024);
    hv_error_hint(err, "Write the text to a file and run that.");
    return HV_ETOOBIG;
}

/* Who excluded a program from the sandbox wonders why it does not work in a pipe. */
static void note_exclusions(struct bash_run *run, const struct shell_judgement *judgement)
{
    struct hv_arena *arena = run->context->arena;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        CLEANUP_BUF struct hv_buf words = {.max = ARGUMENT_MAX};
        bool known = act->word_count > 0;
        for (size_t j = 0; j < act->word_count && known; j++) {
            known = act->words[j].known;
            hv_buf_add_cstr(&words, j ? " " : "");
            hv_buf_add_str(&words, act->words[j].value);
        }
        if (!known || !sandbox_excludes(run->context->sandbox, hv_buf_str(&words)))
            continue;
        struct hv_str name = act->words[0].value;
        bash_add_note(run, hv_arena_format(arena,
                                           "%.*s ran in the sandbox: sandbox.excludedCommands leaves out single plain "
                                           "commands only, not parts of a longer one. Run it alone.",
                                           HV_STR_ARG(name)));
        return;
    }
}

enum hv_code bash_make_command(struct bash_run *run, struct bash_command *out, struct hv_error *err)
{
    const struct hv_context *context = run->context;
    const struct bash_input *in = run->input;
    enum hv_code code = check_length(in->command, err);
    if (code != HV_OK)
        return code;
    code = shell_confine(context, in->command, in->has_sandbox && !in->sandbox, run->directory, &run->confined, err);
    if (code != HV_OK)
        return code;
    if (!run->confined)
        bash_add_note(run, sandbox_tmp_missed(context->sandbox, in->command, context->arena));
    if (!in->run_in_background)
        choose_directory_file(run);
    struct hv_str bash = bash_interpreter(context);
    if (!bash.len)
        return hv_fail(err, HV_ENOTFOUND, "there is no bash of the system on PATH, and none in the usual directories");
    const struct shell_judgement *judgement = bash_judge(in, context);
    bool handed_over = !bash_keeps_directory(judgement) || looks_at_processes(judgement);
    const char **argv = hv_arena_array(context->arena, const char *, 5);
    argv[0] = hv_arena_cstr(context->arena, bash);
    argv[1] = "-c";
    argv[2] = handed_over ? wrap_command(run) : hv_arena_cstr(context->arena, in->command);
    argv[3] = "bash"; /* $0, and so what its messages begin with */
    if (run->confined)
        note_exclusions(run, judgement);
    *out = (struct bash_command){
        .argv = run->confined ? sandbox_argv(&run->confined->run, context->arena, argv) : argv,
        .environment = shell_run_environment(context->arena, in->command, run->directory,
                                             bash_environment(run->input, context, handed_over)),
        .directory = hv_arena_cstr(context->arena, run->directory),
        .prepared = run->confined ? &run->confined->run.prepared : NULL,
    };
    return HV_OK;
}

/* The end of its output: that is where refusals are told. */
static struct hv_str last_output(const struct bash_run *run)
{
    return run->spool ? spool_stream(run->spool, HV_STDOUT, run->context->arena) : (struct hv_str){0};
}

/* Word by word: a variable that is in the environment of helve and not in that of commands. */
static bool names_variable(struct hv_str text, struct hv_str name)
{
    for (size_t at = 0; (at = hv_str_find(text, name, at)) != SIZE_MAX; at++) {
        unsigned char after = at + name.len < text.len ? (unsigned char)text.ptr[at + name.len] : ' ';
        unsigned char before = at ? (unsigned char)text.ptr[at - 1] : ' ';
        if (!isalnum(after) && after != '_' && !isalnum(before) && before != '_')
            return true;
    }
    return false;
}

static void note_withheld(struct bash_run *run, struct hv_str output)
{
    const char *const *kept = run->context->environment;
    for (char **entry = environ; kept && *entry; entry++) {
        struct hv_str name = hv_str_of(*entry, strcspn(*entry, "="));
        bool passed = !names_variable(run->input->command, name) && !names_variable(output, name);
        for (size_t i = 0; kept[i] && !passed; i++)
            passed = strncmp(kept[i], *entry, name.len + 1) == 0;
        if (passed)
            continue;
        bash_add_note(run, hv_arena_format(run->context->arena,
                                           "%.*s is kept from commands, since it looks like a secret; "
                                           "sandbox.passEnvironment: [\"%.*s\"] in the settings would pass it on.",
                                           HV_STR_ARG(name), HV_STR_ARG(name)));
        return;
    }
}

void bash_end_sandbox(struct bash_run *run)
{
    if (run->ended.code != 0 && run->spool)
        note_withheld(run, last_output(run));
    if (run->confined)
        run->confined->run.cancelled = hv_cancelled(run->context->cancel);
    if (run->confined)
        bash_add_note(run, shell_end_sandbox(take_ptr(run->confined), run->context->arena, last_output(run),
                                             run->ended.code != 0));
}

enum hv_code bash_become_task(struct bash_run *run, const char *type, struct hv_str id, struct hv_str title,
                              struct hv_task **task, struct hv_error *err)
{
    struct shell *shell = run->shell;
    shell->confined = take_ptr(run->confined);
    enum hv_code code = shell_become_task(shell, type, id, title, task, err);
    if (code != HV_OK)
        run->confined = take_ptr(shell->confined);
    return code;
}

/* ---- the directory after it ---------------------------------------------------------------------------- */

/* What the shell wrote: an absolute path and a newline. Absent when it wrote nothing. The file is removed. */
static struct hv_str read_directory_file(struct bash_run *run)
{
    const struct hv_host *host = run->context->host;
    struct hv_str path = {0};
    struct hv_buf text;
    if (!run->directory_file.len)
        return path;
    hv_buf_init(&text, DIRECTORY_FILE_MAX);
    if (host->read(host, run->directory_file, 0, DIRECTORY_FILE_MAX, &text, NULL, NULL) == HV_OK && text.len > 1 &&
        text.data[0] == '/' && text.data[text.len - 1] == '\n')
        path = hv_arena_str(run->context->arena, hv_str_of(text.data, text.len - 1));
    hv_buf_release(&text);
    (void)host->remove(host, run->directory_file, NULL); /* it may never have been made */
    return path;
}

struct hv_str bash_resolved(const struct hv_context *context, struct hv_str path)
{
    struct hv_str real;
    return context->host->resolve(context->host, context->arena, path, &real, NULL) == HV_OK ? real : path;
}

/* path, which is resolved, as it is called below one of the roots; absent when it is outside of all. */
static struct hv_str bash_inside_roots(const struct hv_context *context, struct hv_str path)
{
    for (size_t i = 0; i < context->root_count; i++) {
        struct hv_str root = context->roots[i], real = bash_resolved(context, root);
        if (!path_inside(path, real))
            continue;
        return path_expand(context->arena, path_relative(path, real), root, context->home);
    }
    return (struct hv_str){0};
}

void bash_follow_directory(struct bash_run *run)
{
    struct hv_context *context = run->context;
    struct hv_str path = read_directory_file(run);
    if (run->confined)
        run->confined->run.ended_in = hv_arena_str(&run->confined->arena, path);
    if (!path.len || hv_str_eq(path, bash_resolved(context, run->directory)))
        return;
    struct hv_str inside = bash_inside_roots(context, path);
    if (inside.len)
        context->services->set_directory(context, inside);
    else
        bash_add_note(run, hv_arena_format(context->arena,
                                           "The working directory stays %.*s: %.*s is outside the workspace.",
                                           HV_STR_ARG(run->directory), HV_STR_ARG(path)));
}
