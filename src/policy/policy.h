/*
 * policy.h: who may do what. A policy is an immutable, reference-counted snapshot of rules, modes, workspace and path
 * classes; policy_decide() is a pure function of it and of the facts of one call. The pipeline, `helve
 * explain`, the fuzzer and the case tables all call this one function.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <helve/tool.h>

#include "config/settings.h"

enum policy_mode {
    POLICY_DEFAULT = 0,
    POLICY_PLAN,
    POLICY_ACCEPT_EDITS,
    POLICY_DONT_ASK,
    POLICY_BYPASS,
};

/* Strongest first. */
enum policy_scope {
    POLICY_MANAGED = 0,
    POLICY_COMMAND_LINE,
    POLICY_SESSION,
    POLICY_LOCAL,
    POLICY_PROJECT,
    POLICY_USER,
    POLICY_SCOPE_COUNT
};

/* What a path is, whatever the rules say. */
enum policy_path_class {
    POLICY_PATH_OUTSIDE = 0, /* outside the workspace: the careful meaning */
    POLICY_PATH_WORKSPACE,   /* inside a root */
    POLICY_PATH_CREDENTIAL,  /* keys, tokens, password files: always confirm, also for reading */
    POLICY_PATH_PROTECTED, /* shell start-up files, .git/hooks, .git/config, own settings …: always confirm writing */
    POLICY_PATH_FORBIDDEN, /* block devices, roots of trees …: never written */
    POLICY_PATH_SPECIAL,   /* devices, FIFOs, blocking /proc files, UNC paths: refused, not opened */
    POLICY_PATH_OWN,       /* helve's own stored results of this session: may be read */
};

struct policy_command;
struct git_probe;
struct settings_places;
struct system_answers;

struct policy_path {
    struct hv_str written;  /* absolute and tidy, as the model wrote it */
    struct hv_str resolved; /* all links resolved; deny holds when either matches, allow only when both do. Absent when
                             * it could not be resolved: then nothing allows it */
    bool leads_out;         /* it stands for names that are not known, and one may be a link that leads elsewhere: then
                             * no rule for files allows it */
    bool too_many;          /* leads_out, since the command names too many places to look at all of them */
    enum hv_file_kind kind; /* of what it resolves to; UNKNOWN when nobody looked; devices, FIFOs … are refused */
    bool of_session;        /* in the session's own folder for temporary files, which goes with it: as the workspace */
    struct hv_str secret;   /* it stands for names that are not known, and this credential is one; absent: none is */
};

/* Everything a decision depends on besides the policy. Zeroed members are the careful answer. */
struct policy_facts {
    const struct hv_tool *tool; /* NULL: unknown tool; never allowed */
    struct hv_str subject;      /* command, host or name; absent for paths */
    struct hv_str directory;    /* where a command runs: relative names in it start there, too; or absent */
    /* What the command does: policy_judge_command. NULL: only its text is known, which allows nothing but what names it
     * word for word. */
    const struct policy_command *command;
    /* It would run confined, and settings let confined commands run unasked (sandbox.autoAllowBashIfSandboxed); or, in
     * such a session, all that it reads and writes is of_session. */
    bool sandboxed, writes_session;
    bool confined;               /* the command runs in the full sandbox, and was judged by what it sees there */
    const struct hv_json *input; /* for rules on a parameter, `Tool(name:value)`; NULL: such rules count as matched */
    const struct policy_path *reads, *writes;
    size_t read_count, write_count;
    /* Words of a command that lead elsewhere than their text says: policy_judge_command. Kind HV_FILE_SYMLINK, and no
     * resolved path: a link of /proc to what a process has open. */
    const struct policy_path *linked;
    size_t linked_count;
    bool touches_listed_only; /* the footprint is limited to reads and writes */
    bool read_only;           /* for this input */
    bool destructive;
    enum hv_verdict own; /* the tool's own opinion */
    struct hv_str own_reason;
    enum hv_verdict hook; /* the merged verdict of the PreToolUse hooks */
    struct hv_str hook_reason;
    bool interactive; /* somebody can be asked */
};

/* The stages of P6, in order; the journal names the one that settled it. */
enum policy_stage {
    POLICY_STAGE_NONE = 0,
    POLICY_STAGE_FORBIDDEN,
    POLICY_STAGE_HOOK_DENY,
    POLICY_STAGE_DENY_RULE,
    POLICY_STAGE_ALWAYS_CONFIRM,
    POLICY_STAGE_HOOK_ASK,
    POLICY_STAGE_ASK_RULE,
    POLICY_STAGE_MODE,
    POLICY_STAGE_HOOK_ALLOW,
    POLICY_STAGE_ALLOW_RULE,
    POLICY_STAGE_TOOL,
    POLICY_STAGE_CLASSIFIER,
    POLICY_STAGE_SANDBOX,
    POLICY_STAGE_ASK,
};

struct policy_decision {
    enum hv_verdict verdict; /* never HV_VERDICT_NONE */
    enum policy_stage stage;
    bool always_confirm;    /* asked each time: no rule can be saved for it */
    struct hv_str reason;   /* one sentence, for people and models */
    struct hv_str rule;     /* the rule as written, or absent */
    struct hv_str scope;    /* where that rule stands, or absent */
    bool of_project;        /* … in the settings that come with a repository */
    struct hv_str proposal; /* verdict ask: the narrowest rule that would allow it, or absent */
    /* All rules that it takes together, the one above first: a command of several parts may need one for each. */
    const struct hv_str *proposals;
    size_t proposal_count;
};

struct policy;

/* ---- building ------------------------------------------------------------------------------------------------- */

/* What a policy is made of. Everything is copied. */
struct policy_options {
    const struct hv_host *host; /* resolves the links in roots and rules; must outlive the policy; NULL: none are */
    const struct settings *settings; /* rules, mode, added directories; may be NULL */
    struct hv_str directory, home;   /* absolute; directory is where relative patterns start */
    const struct hv_str *roots;      /* absolute; none: directory is the root. Settings' added directories join them */
    size_t root_count;
    struct hv_str results_directory; /* the session's own stored results: may be read; or absent */
    bool has_mode;                   /* mode is set; else settings' defaultMode, else default */
    enum policy_mode mode;
    const struct settings_flag_rule *rules; /* further rules, of the command line's scope */
    size_t rule_count;
    bool ignores_case; /* the workspace's file system does: policy_probe_case */
    /* Tools that rules may name by their aliases; a denial that names none of them, but nearly, is a problem. They must
     * outlive the policy. */
    const struct hv_tool *const *tools;
    size_t tool_count;
};

/* Build a policy. Never fails: what is wrong in the rules is in policy_problems. Blocks on resolving links. */
struct policy *policy_new(const struct policy_options *options);

/* Rules that could not be used, and why. Valid as long as the policy. */
const struct settings_problem *policy_problems(const struct policy *policy, size_t *count);

/* True when the file system at directory (absolute, existing) takes names in either case: shown by its own name or by
 * one of the first names in it. At most 18 calls of stat and one of list. */
bool policy_probe_case(const struct hv_host *host, struct hv_str directory);

/* The mode of that name ("manual" is default, "plan", …). False when there is none. */
bool policy_mode_from(struct hv_str name, enum policy_mode *mode);

/* Fill *out for an absolute, tidy path: resolve its links and look what it is. A loop of links leaves `resolved`
 * absent. Texts in arena. Blocks. */
void policy_path_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str written,
                         struct policy_path *out);

/* A rule that is offered in the full sandbox only: it lets an interpreter run any code ("Bash(python3 -c:*)"). Where
 * the sandbox does not hold it would confine nothing, so that it is kept for the session and not saved. Pure. */
bool policy_rule_takes_any_code(struct hv_str rule);

/* Where a file that facts->writes names is a settings file by another name (fs/settings_alias.h), or one that the
 * home's programs run or obey (sandbox/home_links.h), add that to them. Texts in arena. Blocks. */
void policy_add_settings_aliases(const struct hv_host *host, struct hv_arena *arena,
                                 const struct settings_places *places, struct policy_facts *facts);

/* A path as a model or person wrote it, before anything made it tidy, that must be refused outright: NULL, or why.
 * (Network paths "//host/share", "\\\\host\\share"; a NUL inside.) */
const char *policy_path_refused(struct hv_str raw);

/* One more owner, or one less; the last frees it. Any thread. */
struct policy *policy_ref(struct policy *policy);
void policy_unref(struct policy *policy); /* NULL is fine */

enum policy_mode policy_mode_of(const struct policy *policy);
const char *
policy_mode_name(enum policy_mode mode); /* "default", "plan", "acceptEdits", "dontAsk", "bypassPermissions" */
const char *policy_stage_name(enum policy_stage stage);

/* What the judgement of a command may look at. */
struct policy_surroundings {
    const struct hv_host *host;     /* NULL: no link is followed */
    const char *const *environment; /* of the command: NULL-terminated "NAME=value"; NULL: nothing is known of it */
    struct hv_str home;             /* of the command; absent: the policy's */
    /* Commands of git that only read are started with shell_run_environment(), so that the repository's own settings
     * run nothing. False: git is not known to be harmless. */
    bool git_is_tamed;
    struct git_probe *git; /* remembers what repositories hold (fs/git_probe.h); NULL: nothing is remembered */
    /* Which programs are the system's (proc/system_program.h), of a run over many commands; NULL: looked up for each.
     */
    struct system_answers *programs;
    /* Of a command in the full sandbox, whose host resolves paths as it sees them: mark one that lies in the session's
     * own folder (of_session), and make `resolved` the name that the command has for it. NULL: none does. */
    void (*show)(void *user, struct hv_arena *arena, struct policy_path *path);
    void *show_user;
};

/*
 * Read the command of facts and judge what it does: fill facts->command, ->linked and ->read_only, in arena. Facts
 * without a command stay as they are. Looks up programs and follows links: blocks.
 */
void policy_judge_command(const struct policy *policy, const struct policy_surroundings *surroundings,
                          struct hv_arena *arena, struct policy_facts *facts);

/* A deny rule of these words would take the call: for the conditions of hooks. What cannot be told, and words that are
 * no rule, count as taken. */
bool policy_rule_takes(const struct policy *policy, struct hv_str rule, const struct policy_facts *facts);

/* Pure. Texts of the decision live in arena or in the policy. */
void policy_decide(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                   struct policy_decision *out);
/*
 * The addresses that parts of the command which reach the network name ("https://example.org/x"), and whoever lets it
 * run has seen: a person is asked about it, or a rule allows it that writes the host out (not the project's, which
 * comes with a repository), and no part runs code, which might make use of that. *out in arena, its texts in the facts'
 * command. Pure.
 */
size_t policy_named_addresses(const struct policy_facts *facts, const struct policy_decision *decision,
                              struct hv_arena *arena, const struct hv_str **out);
/* True when a deny rule names the whole tool, so that it does not even enter the pool. */
bool policy_denies_tool(const struct policy *policy, const struct hv_tool *tool);
/* True when the person's own rules (not the project's, which comes with a repository) name the host for this tool, so
 * that it may also be at a private address: "domain:HOST", or "domain:*.PART", not "domain:*". */
bool policy_opens_host(const struct policy *policy, const struct hv_tool *tool, struct hv_str host);
/* True when a rule denies the tool this host. */
bool policy_denies_host(const struct policy *policy, const struct hv_tool *tool, struct hv_str host,
                        struct hv_arena *arena);
enum policy_path_class policy_classify_path(const struct policy *policy, const struct policy_path *path,
                                            bool for_writing);

/* True when a deny rule or the path classes keep this tool from reading path: walkers leave it out of their results, so
 * that reading a directory never shows what reading the file would not. */
bool policy_hides_path(const struct policy *policy, const struct hv_tool *tool, const struct policy_path *path);
/* Some deny rule keeps this tool from reading something. */
bool policy_denies_reading(const struct policy *policy, const struct hv_tool *tool);
/* For what lies directly in directory, policy_hides_path is false unless policy_suspects_name is true or it is no
 * regular file or directory: walks ask about few entries one by one. */
bool policy_hides_by_name(const struct policy *policy, const struct hv_tool *tool, const struct policy_path *directory);
bool policy_suspects_name(const struct policy *policy, struct hv_str name);

/* The deny rules, as written, that keep a file from being read, and from being written, by whatever tool or command;
 * absent: none does. */
struct policy_guards {
    struct hv_str reading, writing;
};
struct policy_guards policy_guards_of(const struct policy *policy, const struct policy_path *path);
/* Where such rules begin (a file or directory that is meant, or what all that is meant lies below), and all their texts
 * as one, by which they are known again. In arena. */
struct policy_guarded {
    struct hv_str *places;
    size_t count;
    struct hv_str rules;
};
void policy_find_guarded(const struct policy *policy, struct hv_arena *arena, struct policy_guarded *out);

/* The same for what no tool reads: files that go into a conversation because another file names them. */
bool policy_keeps_back(const struct policy *policy, const struct policy_path *path);

/* A new policy that is old plus one rule or another mode (session changes). The caller owns the new reference. */
struct policy *policy_with_rule(const struct policy *policy, enum policy_scope scope, enum hv_verdict verdict,
                                struct hv_str rule, struct hv_error *err);
/* Without those of a verdict that were made in the session: the one of this text, or all of them where rule is absent.
 * NULL: there is none of that text. */
struct policy *policy_without_rule(const struct policy *policy, enum hv_verdict verdict, struct hv_str rule);
/* With the rules that older has besides, those of its session only where `session`: for a session that follows another
 * one, whose settings were read before that saved some. */
struct policy *policy_with_rules_of(const struct policy *policy, const struct policy *older, bool session);
struct policy *policy_with_mode(const struct policy *policy, enum policy_mode mode);
/* One for what is confined so that nothing below these places (absolute, resolved or not) shows a credential. */
struct policy *policy_with_masked(const struct policy *policy, const struct hv_str *places, size_t count);

#endif
