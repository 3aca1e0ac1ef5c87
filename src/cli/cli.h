/*
 * cli.h: what the commands of the command line share: their descriptor, errors and output for people, the flags that
 * several of them have.
 *
 * A command is one file that ends in `const struct cli_command`s; main.c's table is the list of them. Answers go to
 * stdout, everything else to stderr. All of this runs on the main thread unless a function says otherwise.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "agent/command_file.h"
#include "agent/setup.h"
#include "cli/options.h"

/* Exit codes; an interrupted command ends with 128 + the signal's number. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SIGNAL = 128 };

struct cli_call {
    const void *options; /* the command's own struct, filled */
    const struct hv_str *arguments;
    size_t argument_count;
    struct hv_arena *arena; /* the process's */
};

struct cli_command {
    const char *name;      /* "exec", "tool list" */
    const char *arguments; /* "FILE…", or "" */
    const char *summary;   /* one line */
    const char *text;      /* more, with examples: paragraphs as they are printed; may be NULL */
    const struct option *options;
    size_t options_size;
    size_t least, most; /* arguments */
    bool hidden;        /* not in the overall help */
    bool group_default; /* "sessions" alone means this one */
    int (*run)(const struct cli_call *call);
};

/* ---- for people ------------------------------------------------------------------------------------------------ */

/* "helve: place: message" and the hint, on stderr. Returns CLI_FAILED. */
int cli_fail(const struct hv_error *err);
/* The same for wrong use: returns CLI_USAGE. */
int cli_usage(const struct hv_error *err);
/* One line on stderr: "helve: …". */
void cli_note(const char *format, ...) HV_PRINTF(1, 2);
/* The settings' problems on stderr. */
void cli_tell_problems(const struct setup *setup);
/* Escape sequences are welcome on this descriptor: a terminal, no NO_COLOR, TERM not "dumb". */
bool cli_has_colour(int fd);
/* "1.2 kB", "3.4 MB", in text. */
const char *cli_size(uint64_t bytes, char text[32]);

/* ---- output ---------------------------------------------------------------------------------------------------- */

/* Write all bytes, waiting where the descriptor would block. 0, or errno. Any thread. */
int cli_write(int fd, struct hv_str bytes);
/* Append a time on the wall clock, in seconds, as a person here reads it: "2026-11-21 20:15". Any thread. */
void cli_put_time(struct hv_buf *out, int64_t seconds);
/* Print to stdout what a command has gathered; tells on stderr when that fails. Returns status, or CLI_FAILED. */
int cli_print(const struct hv_buf *buf, int status);
/* Everything from a descriptor, up to limit bytes. HV_ETOOBIG, HV_EIO. Blocks. */
enum hv_code cli_read_all(int fd, size_t limit, struct hv_buf *out, struct hv_error *err) HV_MUST_CHECK;
/* A file named on the command line, or, when text begins with '{' or '[', the text itself. In arena. */
enum hv_code cli_read_json_argument(struct hv_arena *arena, struct hv_str text, struct hv_str *out,
                                    struct hv_error *err) HV_MUST_CHECK;

/* ---- flags that several commands have --------------------------------------------------------------------------- */

struct cli_setup_flags {
    struct hv_str directory, settings, setting_sources;
    struct option_list directories, allowed, denied;
    int mode; /* CHOICE */
    bool trust, bypass;
};

extern const struct option cli_setup_options[];

/* Open the set-up as these flags say. */
enum hv_code cli_setup_open(const struct cli_setup_flags *flags, struct setup *setup,
                            struct hv_error *err) HV_MUST_CHECK;
/* Sessions and stored results that nobody touched for as long as the settings say go; looks at the disk once a day at
 * most. except_id: of the session at hand, or absent. */
void cli_clean_sessions(const struct setup *setup, struct hv_str except_id);
/* The mode that the flags ask for; false when they say nothing. HV_EDENIED in *err cannot happen here: settings that
 * forbid bypassing are the policy's business. */
bool cli_mode(const struct cli_setup_flags *flags, enum policy_mode *mode);
/* As if --permission-mode had said it. */
void cli_set_mode(struct cli_setup_flags *flags, enum policy_mode mode);

/* Which of the pool's tools to offer: --tools. NULL: all. "default" means all, "" none. */
const struct hv_str *cli_only_tools(const struct option_list *list, size_t *count);
/* The built-in tool of that name or alias; NULL: none, and *near is the most similar name, or absent. */
const struct hv_tool *cli_find_tool(struct hv_str name, struct hv_str *near);
/* What to do about a name that is none. */
void cli_hint_tools(struct hv_str near, struct hv_error *err);
/* Every name of a list is a tool that exists; else HV_EINVAL with the nearest. */
enum hv_code cli_check_tools(const struct option_list *list, const char *flag, struct hv_error *err) HV_MUST_CHECK;

/* ---- asking a person (ask.c) ------------------------------------------------------------------------------------ */

/* stdin and stderr are a terminal. */
bool cli_can_ask(void);
/* One line from the terminal, without its newline. False: end of input, or cancelled. cancel may be NULL. */
bool cli_read_line(const struct hv_cancel *cancel, struct hv_buf *line);
/* Drop what was typed at the terminal so far: it was no answer to what is asked now. */
void cli_drop_typed(void);
/* Settings have hooks that may be meant as guards and never run: a person is asked whether to go on (may_ask), else
 * HV_EINVAL. cli_ask_trust does this, too. */
enum hv_code cli_check_guards(const struct setup *setup, bool may_ask, struct hv_error *err) HV_MUST_CHECK;
/* Append what this folder brings that would run or allow something once it is trusted, one a line (trust_list.c). */
void cli_list_what_trust_allows(const struct setup *setup, struct hv_buf *out);
/* Where this folder's own settings wait for trust and somebody can be asked: ask, remember, read the settings anew.
 * (trust.c) */
enum hv_code cli_ask_trust(struct setup *setup, struct hv_error *err) HV_MUST_CHECK;
/* As hv_asker.ask, line by line; user is not used. */
void cli_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
             struct hv_answer *answer);

/* ---- export.c ---------------------------------------------------------------------------------------------------- */

/* Append the conversation of a journal, as Markdown or JSON. */
enum hv_code export_put(struct hv_str id, struct hv_str journal, bool json, struct hv_buf *out,
                        struct hv_error *err) HV_MUST_CHECK;
/* Written beside and renamed: a failure leaves what was there. */
enum hv_code export_write(const char *path, struct hv_str bytes, struct hv_error *err) HV_MUST_CHECK;

/* ---- first_start.c ----------------------------------------------------------------------------------------------- */

/* Nothing names a model, and a person sits there: offer servers of this machine with their models, a key, the demo.
 * *name: what was chosen, for setup_model. False: nothing was. */
bool cli_first_start(struct setup *setup, struct hv_arena *arena, struct hv_str *name);

/* ---- command files (chat_own.c) --------------------------------------------------------------------------------- */

/* Those of this folder and this person. Texts in arena. */
void cli_find_commands(const struct setup *setup, struct hv_arena *arena, struct command_files *out);
/* False: *err says why it cannot be used. */
bool cli_command_is_usable(const struct command_file *file, struct hv_error *err);
/* What its front matter allows counts. */
bool cli_command_is_trusted(const struct setup *setup, const struct command_file *file);

/* ---- the commands ------------------------------------------------------------------------------------------------ */

extern const struct cli_command cli_print_command, cli_exec_command, cli_tool_list_command, cli_tool_describe_command,
    cli_tool_call_command, cli_explain_path_command, cli_explain_bash_command, cli_explain_rule_command,
    cli_permissions_test_command, cli_trust_command, cli_doctor_command, cli_sessions_list_command,
    cli_sessions_show_command, cli_sessions_remove_command, cli_rewind_command, cli_replay_command, cli_trace_command,
    cli_export_command, cli_ps_command, cli_debug_json_command, cli_debug_schema_command, cli_debug_input_command,
    cli_debug_glob_command, cli_debug_sse_command, cli_debug_decode_command, cli_debug_bash_command,
    cli_debug_html_command, cli_debug_url_command, cli_debug_man_command, cli_completion_command;

/* All of them, in the order of the help; the first is the one without a name. */
const struct cli_command *const *cli_commands(size_t *count);

#endif
