/*
 * explain.h: what the doors that explain decisions share (explain.c, explain_bash.c, permissions.c): the facts of a
 * call made from nothing but a path or a command, by the tool's own functions, as the pipeline makes them; and the
 * policy that a line of a batch asks about.
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/door.h"
#include "masks/confined.h"
#include "policy/policy.h"
#include "proc/system_program.h"

enum { EXPLAIN_OUT_MAX = 64 << 20, EXPLAIN_RULES_MAX = 100000 };

/* The flags of all of them. */
struct explain_flags {
    struct cli_setup_flags setup;
    struct hv_str tool;
    bool json, batch;
};

/* One question: may this tool touch this path, or run this command? */
struct explain_question {
    const struct hv_tool *tool;
    const struct hv_field *field; /* of the path or command */
    struct hv_str text;           /* the path or command, as written */
    struct hv_str directory, home;
    const char *const *environment; /* of a command; NULL: not known */
    struct git_probe *git;
    struct system_answers *programs; /* of a batch; or NULL */
    const struct masks_door *door;   /* where a command would run; NULL: nobody knows, and no sandbox counts */
    struct hv_arena *arena;
};

/* The tool of that name, or an alias, that takes a path; NULL with *err. */
const struct hv_tool *explain_path_tool(struct hv_str name, struct hv_error *err);
/* The tool that runs commands; NULL when there is none. */
const struct hv_tool *explain_shell_tool(void);
/* The field that holds its path; that holds its command. */
const struct hv_field *explain_path_field(const struct hv_tool *tool);
const struct hv_field *explain_command_field(const struct hv_tool *tool);

/* As a call of the tool with nothing but this would be judged. Blocks on files. */
void explain_facts(const struct explain_question *question, const struct policy *policy, struct policy_facts *facts);

/* Decide on a command whose facts explain_facts made of this question. Returns the policy by which was decided: policy,
 * or one that lives as long as the question's arena. Blocks. */
const struct policy *explain_decide(const struct explain_question *question, const struct policy *policy,
                                    struct policy_facts *facts, struct policy_decision *decision);

/* The sandbox that a session here would have: what holds is found out when a decision hangs on it. */
struct explain_sandbox {
    struct masks_door door;
    struct settings *settings;
    struct policy *policy; /* whose denials it hides */
};
/* Both are kept until explain_sandbox_release. roots: at least one. once: one question will be asked.
 * Does no I/O. */
void explain_sandbox_open(struct explain_sandbox *sandbox, const struct hv_host *host, struct hv_str home,
                          const struct hv_str *roots, size_t root_count, struct settings *settings,
                          const struct policy *policy, bool once);
void explain_sandbox_release(struct explain_sandbox *sandbox); /* zeroed is fine */

/* The policy of this machine, as the flags say. The caller owns the reference. */
struct policy *explain_policy(const struct explain_flags *flags, const struct setup *setup);

/* Rules as JSON: {"allow":[…],"ask":[…],"deny":[…]}, or a list of "deny Read(x)", {"behavior":"deny","rule":"Read(x)"}
 * and bare rules, which allow. In arena. */
struct explain_rules {
    struct settings_flag_rule *rules;
    size_t count;
};
void explain_read_rules(const struct hv_json *rules, struct hv_arena *arena, struct explain_rules *out);

/* What a batch door keeps from line to line. */
struct explain_batch {
    const struct setup *setup;
    const struct explain_flags *flags; /* of the command line: what lines do not say themselves */
    struct git_probe *git;
    struct system_answers programs;
    struct policy *policy;          /* of the last line that named nothing but its place; … */
    struct explain_sandbox sandbox; /* … and its sandbox */
    struct hv_arena arena;          /* where these stand */
    struct hv_str directory, home;
};
void explain_batch_release(struct explain_batch *batch);
/* Fill the place and the environment that a line asks about. */
void explain_place(const struct door_line *line, struct explain_question *question);
/* The policy that a line asks about: this machine's settings, with question->door, or, when it brings rules, nothing
 * but these, and no sandbox. The caller owns the reference. */
struct policy *explain_line_policy(const struct door_line *line, struct explain_question *question);

#endif
