/*
 * bash.h: the parts of the tool Bash: bash.c (input, what it says of itself), bash_command.c (the command as it is run:
 * script, arguments, directory), bash_environment.c (its variables), bash_run.c (the run, in the foreground and the
 * background, and its result). Inner to these files.
 */
#ifndef TOOLS_BASH_H
#define TOOLS_BASH_H

#include "sandbox/sandbox.h"
#include "shell/class.h"
#include "tools/shell_task.h"

enum { BASH_TIMEOUT_MAX_MS = 600000, BASH_TIMEOUT_DEFAULT_MS = 120000 };

enum bash_stdin { BASH_STDIN_EMPTY = 1, BASH_STDIN_OPEN };

struct bash_input {
    struct hv_str command;
    int64_t timeout;
    bool has_timeout;
    struct hv_str description;
    bool run_in_background, background_on_timeout;
    bool tty;
    int stdin_kind; /* enum bash_stdin; 0: empty */
    bool sandbox, has_sandbox;
    /* No field: what bash_judge found, and where the command was to run then. */
    struct bash_judged {
        const struct shell_judgement *judgement;
        struct hv_str directory;
    } judged;
};

/* One call under way. */
struct bash_run {
    struct hv_context *context;
    const struct bash_input *input;
    struct shell *shell;
    struct spool *spool;          /* the output that the result shows */
    struct hv_str directory;      /* where it runs */
    struct hv_str directory_file; /* where its shell writes its last directory; absent: it cannot change it */
    struct hv_str directory_name; /* the same as the shell sees it */
    uint64_t timeout_ms;
    uint64_t deadline_ns; /* in the foreground */
    bool kept;            /* a person wanted it in the background, where it could not go */
    struct hv_exit ended;
    struct shell_sandbox *confined; /* how the sandbox runs it; NULL: not at all, or it is a task's by now */
    struct hv_str notes;            /* sentences that follow the output */
};

/* One more sentence, on a line of its own; absent: none. */
void bash_add_note(struct bash_run *run, struct hv_str note);

/* ---- bash_command.c ---- */

/* The command as the system gets it. */
struct bash_command {
    const char *const *argv;
    const char *const *environment;
    const char *directory;
    struct hv_process **prepared; /* what the sandbox has ready for it */
};

/* The session's directory, or the first workspace root that still is one. */
enum hv_code bash_choose_directory(struct bash_run *run, struct hv_error *err);
/* The one place where arguments and environment of a command are made, and its sandbox (errors: those of
 * sandbox_begin). All in the call's arena. Every success is followed by bash_end_sandbox. */
enum hv_code bash_make_command(struct bash_run *run, struct bash_command *out, struct hv_error *err) HV_MUST_CHECK;
/* The command has ended, or never ran: what the sandbox refused to it becomes a note. Once; later calls do nothing. */
void bash_end_sandbox(struct bash_run *run);
/* The shell becomes a task: its sandbox goes with it. False: it did not; then all is the call's still. */
enum hv_code bash_become_task(struct bash_run *run, const char *type, struct hv_str id, struct hv_str title,
                              struct hv_task **task, struct hv_error *err) HV_MUST_CHECK;
/* The variable that hands the command to its shell. */
#define BASH_COMMAND_VARIABLE "HELVE_COMMAND"
/* The variables of a command, in the call's arena or the context's own: what a terminal says of itself where it has
 * one; editors that end at once where nobody could use one; with_command: BASH_COMMAND_VARIABLE, too. */
const char *const *bash_environment(const struct bash_input *in, const struct hv_context *context, bool with_command);
/* Append text in single quotes for bash. */
void bash_add_quoted(struct hv_buf *out, struct hv_str text);
/* After the run: the shell's last directory becomes the session's, inside the workspace. */
void bash_follow_directory(struct bash_run *run);
/* Links of path resolved where that is possible. */
struct hv_str bash_resolved(const struct hv_context *context, struct hv_str path);

/* ---- bash_judge.c ---- */

/* What the command does. In the call's arena; looks up programs and what git's repositories hold, at the first time: a
 * call asks several times, and the answer is kept with its input (which no two threads have at once). */
const struct shell_judgement *bash_judge(const struct bash_input *in, const struct hv_context *context);
/* All parts but one are the shell's own, which says so itself when they fail, or prints nothing. */
bool bash_others_are_told(const struct shell_judgement *judgement);
/* The path of the bash that runs commands: the system's, whatever the workspace puts in front of PATH. In the call's
 * arena; absent: there is none. */
struct hv_str bash_interpreter(const struct hv_context *context);
/* hv_tool.is_enabled of tools that run commands: there is a bash to run them in. */
bool bash_is_installed(const struct hv_context *context);
/* It certainly does not change the shell's directory. */
bool bash_keeps_directory(const struct shell_judgement *judgement);
/* Besides, all files that it touches are in the lists of its parts. */
bool bash_touches_listed(const struct shell_judgement *judgement);

/* ---- bash_run.c ---- */

/* hv_tool.call of Bash. */
enum hv_code bash_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                       struct hv_error *err);

#endif
