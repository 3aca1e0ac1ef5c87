/*
 * tool.h: the contract of a tool.
 *
 * A tool is one `static const struct hv_tool`. Every member left out is zero, and zero is the safe value: not
 * read-only, never beside others, asks for permission, result capped. A tool says only in what way it is less
 * dangerous than that. It never asks for permission, never writes to a screen, never caps its output and never
 * touches session state: what it wants of these it declares here.
 *
 * Order of use for one call: decode by `fields` → backfill → validate → footprint, read_only … →
 * (hooks, permission: foresee before a person is asked, schedule) → call → to_result. All but `call` are cheap and do
 * no I/O beyond what they must; they may be called more than once for one input. `call` blocks on a worker thread.
 */
#ifndef HELVE_TOOL_H
#define HELVE_TOOL_H

#include <helve/ask.h>
#include <helve/content.h>
#include <helve/event.h>
#include <helve/host.h>
#include <helve/json.h>
#include <helve/show.h>

/* ---- input fields: one table for the schema, the validation and the typed struct ----------------------- */

enum hv_field_type {
    HV_FIELD_END = 0,
    HV_FIELD_STRING,  /* struct hv_str; absent view when not given */
    HV_FIELD_INTEGER, /* int64_t */
    HV_FIELD_NUMBER,  /* double */
    HV_FIELD_BOOLEAN, /* bool */
    HV_FIELD_ENUM,    /* int: 0 when not given, else 1 + index in `values` */
    HV_FIELD_OBJECT,  /* the nested struct itself, in place, by `fields` */
    HV_FIELD_ARRAY,   /* struct hv_array of `items` */
    HV_FIELD_JSON,    /* const struct hv_json *; any value; NULL when not given */
};

enum hv_field_flags {
    HV_REQUIRED = 1 << 0,
    HV_PATH = 1 << 1, /* STRING, or ARRAY of STRING: made absolute before anything else looks (~, relative, . and ..) */
    HV_ONE_OR_MANY = 1 << 2, /* ARRAY of STRING: a single string is taken as an array of one */
    HV_NON_EMPTY = 1 << 3,   /* STRING: not "" ; ARRAY: at least one element */
    HV_FILE = 1 << 4,        /* with HV_PATH: a file is meant: "a/", which names a directory, is refused */
};

struct hv_array {
    void *items; /* element type as `items` says; OBJECT elements are structs of `size` bytes */
    size_t count;
};

/* One input field. A table ends with {0}. */
struct hv_field {
    const char *name;
    const char *description; /* for the model */
    enum hv_field_type type;
    unsigned flags;
    size_t offset;                 /* of the member in the input struct */
    size_t present;                /* 1 + offset of a bool that tells whether the field was given, or 0 */
    const char *const *aliases;    /* NULL-terminated, or NULL */
    const char *const *values;     /* ENUM: NULL-terminated */
    const char *pattern;           /* STRING: a regular expression that must be found in it */
    int64_t minimum, maximum;      /* INTEGER, NUMBER: range; STRING: code points; ARRAY: count. Both 0: unlimited */
    const char *fallback;          /* default value as JSON text, or NULL */
    enum hv_field_type items;      /* ARRAY: element type (not ARRAY) */
    const struct hv_field *fields; /* OBJECT and ARRAY of OBJECT */
    size_t size;                   /* OBJECT and ARRAY of OBJECT: sizeof the nested struct */
};

/* ---- footprints ---------------------------------------------------------------------------------------- */

struct hv_path_list {
    struct hv_str *paths; /* absolute; resolved by the runtime before they are compared */
    size_t count;
};

/* What one call will touch. Zeroed means "everything": it runs alone. */
struct hv_footprint {
    bool limited;                      /* only what is listed below; false: everything */
    struct hv_path_list reads, writes; /* a directory stands for all inside it */
};

/* Append a path, kept in arena, and mark the footprint as limited. */
HV_API void hv_footprint_read(struct hv_footprint *footprint, struct hv_arena *arena, struct hv_str path);
HV_API void hv_footprint_write(struct hv_footprint *footprint, struct hv_arena *arena, struct hv_str path);

/* ---- permission ---------------------------------------------------------------------------------------- */

enum hv_verdict {
    HV_VERDICT_NONE = 0, /* no opinion: the decision goes on, and ends in asking */
    HV_ALLOW,
    HV_ASK,
    HV_DENY,
};

/* What the specifier of a rule `Tool(specifier)` is matched against. */
enum hv_subject_kind {
    HV_SUBJECT_NONE = 0, /* rules name the whole tool only */
    HV_SUBJECT_PATH,     /* the paths of the footprint, gitignore patterns */
    HV_SUBJECT_COMMAND,  /* a shell command */
    HV_SUBJECT_DOMAIN,   /* a host name: "domain:example.org" */
    HV_SUBJECT_NAME,     /* a plain name: Agent(explore), Skill(pdf) */
};

/* ---- the context of a call ----------------------------------------------------------------------------- */

/* A tool's own state in a session, under its own key: created zeroed at first use, destroyed with the session. */
struct hv_state_key {
    const char *name;
    size_t size;
    void (*init)(void *state);    /* may be NULL */
    void (*release)(void *state); /* may be NULL */
};

struct hv_tool;
struct hv_sandbox; /* src/sandbox */

/* The tools of the session at one moment: immutable, shared; valid until the call ends. */
struct hv_tool_set {
    const struct hv_tool *const *tools;
    size_t count;
    uint64_t generation; /* changes whenever tools come or go (not when one is activated): key for what is derived */
    const bool *active;  /* active[i]: already offered with its schema */
};

struct hv_context;

/* ---- tasks: what goes on beside the calls --------------------------------------------------------------- */

/* One task of a session. Known until the session ends; all that still run end with it. */
struct hv_task;

enum hv_task_status { HV_TASK_RUNNING = 0, HV_TASK_COMPLETED, HV_TASK_FAILED, HV_TASK_STOPPED };

enum { HV_TASK_END_TEXT = 200, HV_TASK_REMARK = 2000 };

/* How a task ended. */
struct hv_task_end {
    enum hv_task_status status; /* left at HV_TASK_RUNNING: completed */
    bool has_exit_code, silent; /* silent: the model is not told (it knows, or need not) */
    int exit_code;
    char text[HV_TASK_END_TEXT]; /* one phrase ("exit code 3"), or "" */
    char remark[HV_TASK_REMARK]; /* whole sentences besides (what a sandbox refused), or "" */
};

/* What kind of work it is. Only run is needed. */
struct hv_task_type {
    const char *name; /* "bash", "monitor": the beginning of its id */
    /* The work, on a thread of its own. Returns when all of it has ended, soon after its cancellation is raised. */
    void (*run)(void *self, struct hv_task *task, struct hv_task_end *end);
    /* The rest is called by any thread, one at a time, beside run and after it, until release. */
    /* Append output from position `from` on to out, as far as it has come and at most limit bytes; returns the position
     * of the first byte that was appended (what lies before it is lost), and the size of the output in *size. */
    uint64_t (*read)(void *self, uint64_t from, size_t limit, struct hv_buf *out, uint64_t *size);
    enum hv_code (*write)(void *self, struct hv_str bytes, struct hv_error *err); /* type to it */
    void (*interrupt)(void *self);                                                /* as Ctrl-C does */
    void (*close_input)(void *self);                                              /* as Ctrl-D does */
    bool (*waits)(void *self);                                                    /* for input, right now */
    int64_t (*process)(void *self);                                               /* id of its first process, or 0 */
    /* One sentence, in arena, when its output file could not be kept (disk full), and is gone; else absent. */
    struct hv_str (*lost)(void *self, struct hv_arena *arena);
    void (*release)(void *self); /* after run has returned; once, the last */
};

struct hv_task_options {
    const struct hv_task_type *type;
    void *self;                /* the session's as soon as start has succeeded */
    struct hv_str id;          /* from reserve */
    struct hv_str title;       /* command or description, for people */
    struct hv_str output_file; /* where its output is read by others, or absent */
    bool tty;                  /* its input is a terminal */
};

/* A task at one moment; texts in the arena given. */
struct hv_task_view {
    struct hv_str id, title;
    struct hv_str output_file, lost; /* lost: why there is no output_file, a sentence; absent when there is one */
    const char *type;
    struct hv_task_end end; /* status; how it ended */
    bool waits, tty;
    uint64_t age_ns, quiet_ns; /* since it began (as long as it ran), since something last came of it */
    uint64_t unread;           /* bytes of output that task_read has not given yet */
    int64_t process;
};

/* What tools may do with tasks. Any worker thread; those of "its own thread" may also be called by run. */
struct hv_tasks {
    struct hv_str (*reserve)(struct hv_context *context, const char *type); /* a fresh id, in the context's arena */
    /* Begin. HV_EAGAIN: too many run, or no thread is to be had; then nothing was taken over. */
    enum hv_code (*start)(struct hv_context *context, const struct hv_task_options *options, struct hv_task **out,
                          struct hv_error *err);
    /* HV_ENOTFOUND names those there are. */
    enum hv_code (*find)(struct hv_context *context, struct hv_str id, struct hv_task **out, struct hv_error *err);
    struct hv_task_view *(*list)(struct hv_context *context, size_t *count); /* in order of their start */
    void (*look)(struct hv_task *task, struct hv_arena *arena, struct hv_task_view *out);
    /* Append what came since the last read, its last `limit` bytes when that is more; returns how many were skipped. */
    uint64_t (*read)(struct hv_task *task, size_t limit, struct hv_buf *out);
    enum hv_code (*write)(struct hv_task *task, struct hv_str bytes, struct hv_error *err);
    enum hv_code (*interrupt)(struct hv_task *task, struct hv_error *err);
    enum hv_code (*close_input)(struct hv_task *task, struct hv_error *err);
    void (*stop)(struct hv_task *task); /* by the model's wish: it need not be told of the end */
    /* Block until it has ended (true), or something came of it and for_output is set (true), or the time is over or the
     * call is cancelled (false). */
    bool (*wait)(struct hv_context *context, struct hv_task *task, bool for_output, uint64_t timeout_ns);
    /* Block until there is something to tell the model (true), or as above (false). */
    bool (*wait_for_note)(struct hv_context *context, uint64_t timeout_ns);
    /* Its own thread: what tells it to end; something came of it; a word to the model, soon, between other messages. */
    const struct hv_cancel *(*cancel)(const struct hv_task *task);
    void (*changed)(struct hv_task *task);
    void (*located)(struct hv_task *task); /* its process, which was not known when it was started, is known now */
    void (*note)(struct hv_task *task, struct hv_str text);
};

/* ---- the web -------------------------------------------------------------------------------------------- */

/* One HTTP request of a tool. Redirects are not followed; zeroed, only public addresses are reached. */
struct hv_http_request {
    struct hv_str url;            /* http: or https:, as url_parse writes it */
    struct hv_str method;         /* absent: GET, or POST with a body */
    const struct hv_str *headers; /* "Name: value" */
    size_t header_count;
    struct hv_str body;
    struct hv_str host;   /* of url: rules of the calling tool may open it ("domain:…") */
    bool person_wrote_it; /* the person's own configuration names this address: it is used as written */
    uint64_t timeout_ms;  /* for all of it */
    uint64_t max_body;    /* bytes of the answer, decompressed */
};

/* Who answers searches of the web, as the person's own settings say. Absent members: not said. */
struct hv_search_service {
    struct hv_str backend, url;
    struct hv_str key_variable; /* of the environment: holds the key */
};

/* The answer, whatever its status. In the arena of the call. */
struct hv_http_answer {
    int status;
    struct hv_str headers; /* "Name: value" lines */
    struct hv_str body;
};

/* ---- side requests -------------------------------------------------------------------------------------- */

/* One question to a model beside the conversation: it gets no tools, and remembers nothing. */
struct hv_side_request {
    const char *purpose;       /* for the journal, and people: a literal, "page" */
    struct hv_str instruction; /* what the model is and does: its system text */
    struct hv_str question;
    struct hv_str material; /* what the question is about, foreign bytes; absent: nothing */
    bool searches;          /* the model's provider searches the web for it; allowed and blocked limit where */
    const struct hv_str *allowed_domains, *blocked_domains;
    size_t allowed_count, blocked_count;
};

/* In the arena of the call. */
struct hv_side_answer {
    struct hv_str text;   /* all that the model said */
    struct hv_str blocks; /* the same as JSON: an array of content blocks, those of its provider's own tools included */
    size_t left_out;      /* bytes at the end of the material that the model did not get: there is too much of it */
};

/* Which side requests this session can have answered. */
struct hv_side_models {
    bool answers;  /* a small model is configured */
    bool searches; /* a model whose provider searches the web */
};

/* What tools may ask of the session; implemented above the tools (by the runtime and the agent). */
struct hv_services {
    void *(*state)(struct hv_context *context, const struct hv_state_key *key);
    const struct hv_tool_set *(*tool_set)(struct hv_context *context);
    void (*progress)(struct hv_context *context, struct hv_str text);
    /* Effects: recorded now, applied by the runtime after the call or its batch. */
    void (*set_directory)(struct hv_context *context, struct hv_str path);
    void (*activate_tool)(struct hv_context *context, struct hv_str name);
    void (*add_message)(struct hv_context *context, struct hv_str text); /* into the conversation, after the results */
    /* The rules keep the calling tool from reading path (absolute, tidy), so that it must not turn up in what the tool
     * shows of a directory. May look at links; any worker thread. NULL: nothing is hidden. */
    bool (*hides_path)(struct hv_context *context, struct hv_str path);
    /* The same of an entry that was just seen, of that kind, in its directory: cheap for all entries of a directory in
     * a row. NULL: hides_path is asked. */
    bool (*hides_entry)(struct hv_context *context, struct hv_str path, enum hv_file_kind kind);
    /* A rule keeps the calling tool from reading something: hides_entry is then to be asked before anything is opened.
     * Without, only few names and places are hidden, of which it is enough that they are not shown. NULL: none does. */
    bool (*hides_by_rule)(struct hv_context *context);
    const struct hv_tasks *tasks; /* NULL: this session has none, calls do all of their work themselves */
    /* For tools that announce their changes: called right before the first file changes. The session still keeps what
     * the files were until then; this waits for it. Any number of times, any thread of the call, also under a lock of
     * its own. NULL: there is nothing to wait for. */
    void (*before_change)(struct hv_context *context);
    /* Send a request and wait for the whole answer. HV_EDENIED: the address is private, local or reserved, and no rule
     * opens it; else as http_send and its on_end. NULL: this session reaches no network. */
    enum hv_code (*request)(struct hv_context *context, const struct hv_http_request *request,
                            struct hv_http_answer *answer, struct hv_error *err);
    /* Would such a request for url be refused (HV_EDENIED), as far as the spelling and the rules say? Nothing is sent,
     * no name is looked up. NULL: nothing is known. */
    enum hv_code (*may_request)(struct hv_context *context, struct hv_str url, struct hv_error *err);
    /* Ask a model and wait for the whole answer; journalled, counted in the session's cost. HV_EUNSUPPORTED: there is
     * no model for it; HV_ETOOBIG: the budget of side requests, or of the session, is used up; HV_ECANCELLED; else as
     * the model's server says. Any worker thread. */
    enum hv_code (*ask_model)(struct hv_context *context, const struct hv_side_request *request,
                              struct hv_side_answer *answer, struct hv_error *err);
    /* Ask the person something while the call runs, and wait for it (helve/ask.h). The call's id is filled in. The
     * outcome is HV_ASK_NOBODY where nobody can be asked. NULL: as that. */
    void (*ask)(struct hv_context *context, const struct hv_question *question, struct hv_answer *answer);
};

/* What a call sees of the world. One per call; used by one thread at a time. */
struct hv_context {
    struct hv_arena *arena; /* the call's: lives until its result is serialised */
    const struct hv_host *host;
    const struct hv_services *services;
    const struct hv_tool *tool;
    const struct hv_cancel *cancel; /* raised when the call should stop; poll it at least every 100 ms of work */
    /* Raised when a person wants the call to go on as a task, and the conversation without waiting for it; only for
     * tools with goes_to_background, in sessions that have tasks. NULL: nobody can want that. */
    const struct hv_cancel *background;
    struct hv_str call_id;
    struct hv_str called_as;    /* the name in the call: the tool's own or an alias */
    struct hv_str directory;    /* the session's working directory, absolute */
    struct hv_str home;         /* for "~" */
    const struct hv_str *roots; /* workspace: the working directory it was started in and added ones */
    size_t root_count;
    struct hv_str results_directory; /* where large outputs of this session are stored; exists, mode 0700 */
    struct hv_str changes_directory; /* for hv_host.change_files */
    const char *const *environment;  /* of commands: helve's own, settings' env, session env files; NULL-terminated */
    uint64_t deadline_ns;            /* on the host's monotonic clock; 0: none */
    struct hv_sandbox *sandbox;      /* what confines commands in this session; NULL: nothing does */
    const struct hv_search_service *search; /* NULL: the settings name none */
    struct hv_side_models side_models;
    /* "https://example.org/x", written in the command that who let it run has seen: its host is not asked about again.
     */
    const struct hv_str *addresses;
    size_t address_count;
    bool only_reads; /* let run because its command only reads, and for nothing else: it must not do more */
    bool only_call;  /* the session has no other: nothing need be remembered for one */
};

/* The state under key, made at its first use; it stays where it is until the session ends. Calls may share it at the
 * same time: a lock, where one is due, is the state's own. */
HV_API void *hv_state(struct hv_context *context, const struct hv_state_key *key);
/* Tell a person who watches how far the call is: a short text, which the model does not see. */
HV_API void hv_progress(struct hv_context *context, const char *format, ...) HV_PRINTF(2, 3);
/* What services->hides_path says; false where the session has no such service. */
HV_API bool hv_hides_path(struct hv_context *context, struct hv_str path);
/* The same by services->hides_entry. */
HV_API bool hv_hides_entry(struct hv_context *context, struct hv_str path, enum hv_file_kind kind);
/* What services->hides_by_rule says; false where the session has no such service. */
HV_API bool hv_hides_by_rule(struct hv_context *context);
/* path made absolute: "~" expanded, joined to the working directory, "." and ".." and double slashes removed
 * lexically. In the context's arena. */
HV_API struct hv_str hv_path_expand(const struct hv_context *context, struct hv_str path);

/* ---- the descriptor ------------------------------------------------------------------------------------ */

enum { HV_RESULT_CHARS_DEFAULT = 50000 };

struct hv_tool {
    /* Names. Rules, hooks, flags and calls accept the aliases wherever they accept the name. */
    const char *name;
    const char *const *aliases;    /* NULL-terminated, or NULL */
    const char *const *rule_names; /* further names under which rules speak of this tool ("Edit" for Write) */
    const char *title;             /* for people */
    const char *search_hint;       /* 3–10 words for ToolSearch */
    const char *description;       /* one paragraph for the model */
    const char *guide;             /* usage rules for the system prompt, or NULL */
    bool deferred;                 /* offered by name only, until ToolSearch activates it */
    bool always_load;              /* never deferred, whatever the budget */
    bool needs_deferred;           /* offered only in sessions that have, or may get, deferred tools */

    /* Input. `fields` and `input_size` for typed tools; `input_schema` (JSON text) for tools whose schema arrives at
     * run time (MCP, plugins): their input is a const struct hv_json *. */
    const struct hv_field *fields;
    size_t input_size;
    const char *input_schema;
    const char *output_schema; /* of hv_result.structured, which hooks are told: JSON text, or NULL */

    size_t max_result_chars; /* 0 means HV_RESULT_CHARS_DEFAULT */
    uint64_t time_limit_ms;  /* of one call; 0 means 120 s; UINT64_MAX: the tool limits itself */
    enum hv_subject_kind subject_kind;
    bool only_edits_files;  /* `acceptEdits` allows it inside the workspace */
    bool announces_changes; /* calls services->before_change before it changes a file: its run may begin before what the
                               files were has been kept */
    bool network;           /* security profile: reaches the network */
    bool executes;          /* security profile: runs programs */
    bool goes_to_background; /* heeds hv_context.background */

    /* Input of a read-only call that shows whether what the tool needs outside of helve answers, which `helve doctor`
     * makes where the tool is enabled; NULL: nothing is tried. */
    const char *trial_input;

    bool (*is_enabled)(const struct hv_context *context);
    /* Called once on a worker when a session begins that offers the tool: make what calls will need (an index). A call
     * may come before it, or beside it. */
    void (*prepare)(struct hv_context *context);
    void (*backfill)(void *input,
                     const struct hv_context *context); /* derived fields; HV_PATH fields are done already */
    enum hv_code (*validate)(const void *input, const struct hv_context *context, struct hv_error *err);
    void (*footprint)(const void *input, const struct hv_context *context, struct hv_footprint *out);
    bool (*read_only)(const void *input, const struct hv_context *context);
    bool (*concurrency_safe)(const void *input, const struct hv_context *context);
    bool (*destructive)(const void *input, const struct hv_context *context);
    /* It would run confined by the session's sandbox, and the settings say that such calls need no question. May block
     * the first time. */
    bool (*contained)(const void *input, const struct hv_context *context);
    /* Of a tool whose subject is a command: this call starts none, and opens the files of its footprint by the
     * context's host, which then reaches what was judged and nothing else. NULL: every call may start one. */
    bool (*starts_nothing)(const void *input, const struct hv_context *context);
    /* The time limit of this call, when the input can set it; else NULL. */
    uint64_t (*time_limit)(const void *input);
    /* The text that rules match (command, host, name); PATH subjects come from the footprint. */
    struct hv_str (*subject)(const void *input, const struct hv_context *context);
    /* For tools without a subject: the text that hooks' `if: "Tool(text *)"` looks at. NULL: subject is. */
    struct hv_str (*classifier_input)(const void *input, const struct hv_context *context);
    /* The tool's own opinion. HV_ALLOW is taken only after deny and ask rules; *reason in the context's arena. */
    enum hv_verdict (*check_permission)(const void *input, const struct hv_context *context, struct hv_str *reason);
    /* What validate cannot know: whether the call can do anything in the world as it is (was the file read? is the text
     * there?). Asked before a person is: a fault, or a result that is an error, refuses the call unasked, so its words
     * may tell of files only what the model has seen already. May read the files of the footprint and block; changes
     * nothing, records nothing. NULL: yes. */
    enum hv_code (*foresee)(const void *input, struct hv_context *context, struct hv_result *result,
                            struct hv_error *err);
    /* Do it. Returns HV_OK with *data (any struct in the arena) or content already in *result; or a fault. */
    enum hv_code (*call)(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                         struct hv_error *err);
    void (*to_result)(const void *data, const struct hv_context *context, struct hv_result *result);

    /* What a person sees, as plain text; NULL falls back to name, key fields and summary. */
    void (*render_use)(const void *input, const struct hv_context *context, struct hv_buf *out);
    /* What the call would change, as a unified diff or plain lines: for the person who is asked about it, below what
     * render_use says. May read the files it would change and block; changes nothing, records nothing. NULL: no more is
     * to be said. */
    void (*preview)(const void *input, struct hv_context *context, struct hv_buf *out);
    /* What is shown of a result that is no error, as blocks; its diff is shown besides. On the worker, after `call`.
     * NULL: the end of what a tool that executes printed, else the beginning of its text. */
    void (*render_result)(const void *input, const struct hv_context *context, const struct hv_result *result,
                          struct hv_show *out);
    /* The same of a result that is an error of the tool's own making. NULL: as above. */
    void (*render_error)(const void *input, const struct hv_context *context, const struct hv_result *result,
                         struct hv_show *out);
    /* What is shown, in one line, of a text that the tool gave to hv_progress: beside the call, which says how long it
     * takes already. NULL: its last line. */
    void (*render_progress)(const void *input, const struct hv_context *context, struct hv_str text,
                            struct hv_buf *out);

    void *user; /* for bridged tools: their connection */
};

/* The built-in tools in the order of the registry list (src/tools/meson.build); *count of them. */
HV_API const struct hv_tool *const *hv_builtin_tools(size_t *count);
/* name equals the tool's name or one of its aliases. */
HV_API bool hv_tool_is_named(const struct hv_tool *tool, struct hv_str name);

#endif
