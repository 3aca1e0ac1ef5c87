/*
 * settings.h: what people configured, from all scopes, merged into one immutable snapshot.
 *
 * Sources, strongest first: managed, command line, project-local, project, user; then, for permissions, hooks and env
 * only, the same three of `.claude/`. Rules add up over all sources; of single values the strongest wins; env variables
 * and providers merge by name. A broken file loses nothing and loosens nothing: what can still be recognised of it
 * denies, and the problem is kept in `problems` for the person. No file is ever rewritten except by
 * settings_add_rule() and settings_trust_folder().
 *
 * A project's own files (`.helve/`, `.claude/`) may tighten at once, but loosen, run or redirect nothing before the
 * folder is trusted: until then only their deny and ask rules count.
 *
 * Thread-safety: a snapshot is immutable and may be read by many threads; the reference count is atomic.
 */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <helve/host.h>
#include <helve/json.h>
#include <helve/tool.h>

#include "sandbox/options.h"

/* Strongest first. */
enum settings_scope {
    SETTINGS_MANAGED = 0,
    SETTINGS_COMMAND_LINE,
    SETTINGS_LOCAL,
    SETTINGS_PROJECT,
    SETTINGS_USER,
    SETTINGS_CLAUDE_LOCAL,
    SETTINGS_CLAUDE_PROJECT,
    SETTINGS_CLAUDE_USER,
    SETTINGS_SCOPE_COUNT
};

enum settings_trust {
    SETTINGS_TRUST_NOT_NEEDED = 0, /* the project has no settings of its own: no .helve, .claude, .mcp.json */
    SETTINGS_TRUSTED,
    SETTINGS_UNTRUSTED,
};

/* Where a value stands. line and column count from 1; 0 when unknown. */
struct settings_place {
    enum settings_scope scope;
    struct hv_str file; /* absolute path; absent for flags */
    uint32_t line, column;
};

struct settings_rule {
    enum hv_verdict verdict; /* HV_ALLOW, HV_ASK or HV_DENY */
    struct hv_str text;      /* as written: "Bash(git diff:*)" */
    struct hv_str root;      /* what a path pattern with one leading "/" is relative to */
    struct settings_place place;
    bool recovered; /* found in a broken file: denies, whatever list it stood in */
};

struct settings_directory {
    struct hv_str path; /* absolute, tidy */
    struct settings_place place;
};

enum settings_hook_type {
    SETTINGS_HOOK_COMMAND = 1,
    SETTINGS_HOOK_HTTP,
};

struct settings_pattern; /* a compiled regular expression */

/* One configured hook. */
struct settings_hook {
    struct hv_str event;                    /* "PreToolUse", … */
    struct hv_str matcher;                  /* as written; absent or "" or "*": everything */
    const struct settings_pattern *pattern; /* matchers that are a regular expression, else NULL */
    enum settings_hook_type type;
    struct hv_str command;     /* COMMAND: for the shell, or the program when has_args */
    const struct hv_str *args; /* COMMAND, exec form: arguments after the program */
    size_t arg_count;
    bool has_args;
    struct hv_str url;            /* HTTP */
    const struct hv_str *headers; /* HTTP: "Name: value" */
    size_t header_count;
    uint64_t timeout_ns;     /* never 0 */
    struct hv_str condition; /* `if`: a rule that the call must match, or absent */
    struct hv_str status_message;
    bool required; /* fails closed: when it cannot answer, the call is denied */
    bool once, async;
    struct settings_place place;
};

struct settings_variable {
    struct hv_str name, value;
    struct settings_place place;
};

/* One entry of `models`: how to reach a provider. Absent members: the provider's own defaults. */
struct settings_provider {
    struct hv_str name; /* "anthropic", "openai-chat", … or a name of the user's choice */
    struct hv_str kind; /* `provider`: which protocol it speaks; absent: name says it */
    struct hv_str base_url;
    struct hv_str api_key_env;    /* name of the environment variable that holds the key */
    const struct hv_str *headers; /* "Name: value" */
    size_t header_count;
    struct settings_place place;
};

enum settings_problem_kind {
    SETTINGS_NOTICE = 1, /* worth telling: untrusted parts were left out */
    SETTINGS_WARNING,    /* one value was ignored: unknown key, wrong type, bad matcher */
    SETTINGS_BROKEN,     /* a whole file could not be read */
    SETTINGS_UNGUARDED,  /* a hook that may be meant as a guard never runs: no work without a person's leave */
};

struct settings_problem {
    enum settings_problem_kind kind;
    struct hv_str message; /* one sentence, without the place */
    struct hv_str hint;    /* what to do, or absent */
    struct settings_place place;
};

enum settings_switch { SETTINGS_UNSET = 0, SETTINGS_ON, SETTINGS_OFF, SETTINGS_AUTO };

/* What is kept of files before they are changed, where the settings do not say. */
enum { SETTINGS_CHECKPOINT_MEGABYTES = 1024, SETTINGS_CHECKPOINT_FILE_MEGABYTES = 100 };

/* The snapshot. Read members directly; all views live as long as a reference is held. */
struct settings {
    const struct settings_rule *rules; /* strongest scope first, file order within */
    size_t rule_count;
    const struct settings_directory *directories; /* permissions.additionalDirectories */
    size_t directory_count;
    struct hv_str default_mode; /* permissions.defaultMode, a known name, or absent */
    bool bypass_disabled;       /* permissions.disableBypassPermissionsMode is "disable" in any scope */

    const struct settings_hook *hooks; /* all events */
    size_t hook_count;
    bool hooks_disabled; /* disableAllHooks in any scope that may say so */

    const struct settings_variable *env; /* one per name, the strongest */
    size_t env_count;

    struct hv_str model;       /* "provider:name" or "name", or absent */
    struct hv_str small_model; /* likewise: of side requests */
    struct hv_str effort;
    const struct settings_provider *providers; /* one per name, the strongest */
    size_t provider_count;
    int64_t max_turns;                                  /* 0: not set */
    int64_t max_output_tokens, thinking_budget;         /* 0: not set */
    int64_t small_model_tokens;                         /* of a session's side requests; 0: not set */
    int64_t stream_end_timeout, stream_content_timeout; /* seconds; 0: not set */
    int64_t cleanup_period_days;                        /* -1: not set; 0: keep nothing */
    int64_t checkpoint_megabytes;                       /* of all sessions of a project; 0: no copies are kept */
    int64_t checkpoint_file_megabytes;                  /* of one file */
    int64_t max_tool_concurrency;                       /* 0: not set */
    enum settings_switch tool_search; /* OFF: never; ON: all outside tools; AUTO, UNSET: by the size of the list */
    struct sandbox_options sandbox;   /* how commands are confined */
    struct hv_str theme;              /* of the terminal: auto, dark, light, or one of the person's own; absent: auto */
    struct hv_str status_line;        /* the command that makes the status line, or absent */
    struct hv_search_service search;  /* webSearch: of the strongest scope that is no project's */

    enum settings_trust trust;
    bool trust_changed;            /* untrusted because what helve obeys here changed since it was trusted */
    struct hv_str project;         /* where .helve/ is looked for: the nearest folder, from the working directory up to
                                      the home, that has .helve, .claude or .git; else the working directory */
    struct hv_str user_directory;  /* where the user's settings.json stands */
    struct hv_str state_directory; /* where sessions and trust are kept */

    const struct settings_problem *problems;
    size_t problem_count;
};

/* What came from the command line. */
struct settings_flag_rule {
    enum hv_verdict verdict;
    struct hv_str text;
};

/* Where to look. Absent views take the defaults given. */
struct settings_options {
    const struct hv_host *host;
    struct hv_str directory;                     /* absolute; the session's working directory */
    struct hv_str home;                          /* absolute; the person's home */
    struct hv_str helve_home;                    /* $HELVE_HOME: config and state both stand here */
    struct hv_str config_home;                   /* $XDG_CONFIG_HOME; default home/.config */
    struct hv_str state_home;                    /* $XDG_STATE_HOME; default home/.local/state */
    struct hv_str managed_file;                  /* default /etc/helve/settings.json */
    struct hv_str flag;                          /* --settings: a file name, or JSON when it begins with "{" */
    const struct settings_flag_rule *flag_rules; /* --allowedTools, --disallowedTools */
    size_t flag_rule_count;
    bool trust_this_run;                /* --trust: the project counts as trusted, nothing is stored */
    bool without_project, without_user; /* --setting-sources */
};

/*
 * Read all sources. Missing files are fine, broken ones become problems; only a fault that leaves nothing to stand on
 * (no host, a `--settings` file that cannot be read) is an error. Blocks on files. The caller owns the reference.
 */
enum hv_code settings_load(const struct settings_options *options, struct settings **out,
                           struct hv_error *err) HV_MUST_CHECK;

struct settings *settings_ref(const struct settings *settings);
void settings_unref(struct settings *settings); /* NULL is fine */

/* The value of a dotted key ("sandbox.enabled") in the strongest scope that has it and may set it; NULL when none. */
const struct hv_json *settings_get(const struct settings *settings, const char *key);
/* The variable's value, or absent. */
struct hv_str settings_env(const struct settings *settings, struct hv_str name);
/* The provider of that name, or NULL. */
const struct settings_provider *settings_provider(const struct settings *settings, struct hv_str name);

/* True when the hook is for this event and its matcher takes `name` (a tool's name, or a source, a reason …). */
bool settings_hook_matches(const struct settings_hook *hook, const char *event, struct hv_str name);

/* "managed", "command line", "project-local", … Never NULL. */
const char *settings_scope_name(enum settings_scope scope);
/* Append "file:line:column: message (hint)" of one problem, for people. */
void settings_problem_write(const struct settings_problem *problem, struct hv_buf *out);

/* ---- trust ---------------------------------------------------------------------------------------------------- */

/* What the snapshot would say: is the folder of options->directory trusted? Reads files. */
enum settings_trust settings_trust_state(const struct settings_options *options);
/* Append what changed since the folder was trusted, as unified diffs of foreign text. Reads files. */
void settings_trust_changes(const struct settings_options *options, struct hv_buf *out);
/* Remember that the person trusts the project of options->directory. Writes the trust store atomically. */
enum hv_code settings_trust_folder(const struct settings_options *options, struct hv_error *err) HV_MUST_CHECK;

/* ---- saving --------------------------------------------------------------------------------------------------- */

/* The file that holds the settings of a scope (LOCAL, PROJECT or USER; else absent), in arena. */
struct hv_str settings_file(const struct settings_options *options, struct hv_arena *arena, enum settings_scope scope);

/*
 * Add a rule to the file of a scope: the fewest bytes are inserted, every other byte stays. Makes the file and its
 * folder when missing. A rule that is already there changes nothing. HV_EINVAL when the file is broken or not of the
 * expected shape (it is then left alone); HV_ECONFLICT when it changed again and again meanwhile; HV_EDENIED when a
 * project's file is a link that leads out of the project.
 */
enum hv_code settings_add_rule(const struct settings_options *options, enum settings_scope scope,
                               enum hv_verdict verdict, struct hv_str rule, struct hv_error *err) HV_MUST_CHECK;
/* The same for a host that commands in the sandbox may reach (sandbox.network.allowedDomains). */
enum hv_code settings_add_domain(const struct settings_options *options, enum settings_scope scope,
                                 struct hv_str domain, struct hv_error *err) HV_MUST_CHECK;
/* The same for one text at the top of the file ("theme"): it is added, or replaces what the member was. */
enum hv_code settings_set_text(const struct settings_options *options, enum settings_scope scope, const char *name,
                               struct hv_str text, struct hv_error *err) HV_MUST_CHECK;

#endif
