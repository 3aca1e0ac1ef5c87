/*
 * loader.h: what the files of this folder share while settings are read.
 *
 * One struct loader per settings_load. The sources are visited strongest first; each adds its rules, hooks, … to the
 * growing lists, and sets the single values that no stronger source has set. At the end settings.c moves the lists into
 * the snapshot's arena. Everything here runs on one thread.
 */
#ifndef CONFIG_LOADER_H
#define CONFIG_LOADER_H

#include "base/vec.h"
#include "config/settings.h"

enum {
    SETTINGS_FILE_MAX = 1 << 20, /* bytes of one settings file or trust store */
    SETTINGS_PROBLEMS_MAX = 100,
};

/* The places that options and the file system give. All absolute and tidy. */
struct locations {
    struct hv_str user_directory, state_directory;
    struct hv_str project; /* the nearest folder, from the working directory up, with `.git`, `.helve` or `.claude` */
    bool project_has_settings; /* `.helve`, `.claude` or `.mcp.json` stand there */
    bool has_helve, has_claude;
    bool is_home; /* the project is the person's home: `.claude` there is the person's own */
};

/* One source of settings, with what was read of it. */
struct source {
    enum settings_scope scope;
    struct hv_str file; /* absolute path; absent for JSON on the command line */
    struct hv_str root; /* where "/" in path rules starts */
    struct hv_str text; /* without a byte order mark; lives as long as the snapshot */
    const struct hv_json *json;
    bool untrusted;         /* only deny and ask rules count */
    struct hv_buf left_out; /* names of what was passed over because of that */
    size_t at;              /* a cursor in text that only goes forward, for places */
    uint32_t line, column;
};

enum { SETTINGS_KEYS_MAX = 32 };

struct snapshot {
    struct settings open; /* first: what others see */
    struct hv_arena arena;
    _Atomic size_t references;
    const struct source *sources; /* those that settings_get looks through, strongest first */
    size_t source_count;
};

struct loader {
    const struct settings_options *options;
    struct settings *settings;
    struct hv_arena *arena; /* the snapshot's */
    struct locations locations;
    VEC(struct source) sources;
    VEC(struct settings_rule) rules;
    VEC(struct settings_directory) directories;
    VEC(struct settings_hook) hooks;
    VEC(struct settings_variable) variables;
    VEC(struct settings_provider) providers;
    VEC(struct settings_problem) problems;
    size_t problems_left_out;
    bool claude_hooks_off;                         /* a `.claude` file turns hooks off: those of these files */
    enum settings_scope set_by[SETTINGS_KEYS_MAX]; /* by row of the key table; SETTINGS_SCOPE_COUNT: nobody */
    enum settings_scope mode_set_by, hooks_off_by, search_set_by, status_set_by; /* likewise */
};

static inline bool scope_is_claude(enum settings_scope scope)
{
    return scope >= SETTINGS_CLAUDE_LOCAL;
}

static inline bool scope_is_project(enum settings_scope scope)
{
    return scope == SETTINGS_LOCAL || scope == SETTINGS_PROJECT || scope == SETTINGS_CLAUDE_LOCAL ||
           scope == SETTINGS_CLAUDE_PROJECT;
}

/* ---- locations.c ---------------------------------------------------------------------------------------------- */

/* Where the user's files and the project's stand; looks at the file system for the project. */
void locations_find(const struct settings_options *options, struct hv_arena *arena, struct locations *out);
/* The file of a scope, or absent. */
struct hv_str locations_file(const struct settings_options *options, const struct locations *locations,
                             struct hv_arena *arena, enum settings_scope scope);

/* ---- source.c ------------------------------------------------------------------------------------------------- */

/*
 * Read the file of *source and parse it: sets text and json, or leaves json NULL. A missing file is HV_ENOTFOUND; a
 * broken one leaves in text what could be read of it. err has the place in the file.
 */
enum hv_code source_read(const struct hv_host *host, struct hv_arena *arena, struct source *source,
                         struct hv_error *err) HV_MUST_CHECK;
/* The same with text already set. */
enum hv_code source_parse(struct hv_arena *arena, struct source *source, struct hv_error *err) HV_MUST_CHECK;
/* Line and column of an offset in the source's text. Fast when offsets grow. */
struct settings_place source_place(struct source *source, size_t offset);
/* The place of a value; of the whole file for NULL. */
struct settings_place source_place_of(struct source *source, const struct hv_json *value);
/* Note that `name` was passed over, because the project is not trusted. */
void source_leave_out(struct source *source, struct hv_str prefix, struct hv_str name);

/* False when no more problems are kept; the one at hand is then counted. */
bool loader_has_room(struct loader *loader);
/* Keep a problem. Its message is copied, its hint too. */
void loader_problem(struct loader *loader, enum settings_problem_kind kind, struct settings_place place,
                    struct hv_str message, struct hv_str hint);
/* A warning about a value, without a hint. */
void loader_warn(struct loader *loader, struct source *source, const struct hv_json *value, const char *format, ...)
    HV_PRINTF(4, 5);
/* A warning that the member's value should be a(n) `expected`. */
void loader_warn_type(struct loader *loader, struct source *source, const struct hv_json *member, const char *expected);
/* A warning that a member has no meaning here, with the nearest of the known names. */
void loader_warn_unknown(struct loader *loader, struct source *source, const struct hv_json *member,
                         const struct hv_str *known, size_t count);

/* A foreign text for a message: cut when long, ill-formed bytes and control characters replaced. In arena. */
struct hv_str text_shown(struct hv_arena *arena, struct hv_str text);

/* ---- the parts of a file -------------------------------------------------------------------------------------- */

/* All of a parsed file (keys.c). */
void keys_read(struct loader *loader, struct source *source);
/* The members that a file may have; returns how many. */
size_t keys_names(struct hv_str names[SETTINGS_KEYS_MAX]);
/* A source of this scope may set the member. */
bool keys_takes(enum settings_scope scope, struct hv_str name);
/* The value of `permissions` (permissions.c). */
void permissions_read(struct loader *loader, struct source *source, const struct hv_json *member);
/* The value of `hooks` (hooks.c). */
void hooks_read(struct loader *loader, struct source *source, const struct hv_json *member);
/* The values of `env`, `models` and `webSearch` (environment.c). */
void variables_read(struct loader *loader, struct source *source, const struct hv_json *member);
void providers_read(struct loader *loader, struct source *source, const struct hv_json *member);
void search_read(struct loader *loader, struct source *source, const struct hv_json *member);
void status_line_read(struct loader *loader, struct source *source, const struct hv_json *member);
/* The value of `sandbox` (confinement.c). */
void confinement_read(struct loader *loader, struct source *source, const struct hv_json *member);
/*
 * An object of strings as "Name: value" lines; members that are none are warned of and left out. NULL for an absent
 * object.
 */
const struct hv_str *headers_read(struct loader *loader, struct source *source, const struct hv_json *object,
                                  size_t *count);

/*
 * Rules recognised in the bytes [from, to) of a source that does not parse, or has another shape than expected: they
 * deny (recover.c). Returns how many there were.
 */
size_t recover_rules(struct loader *loader, struct source *source, size_t from, size_t to);

/* ---- trust.c -------------------------------------------------------------------------------------------------- */

/* What the snapshot says of the project of *locations. Reads the trust store only when it has to. */
enum settings_trust trust_of(const struct settings_options *options, const struct locations *locations, bool *changed);

/* ---- fingerprint.c -------------------------------------------------------------------------------------------- */

/* The SHA-256 of what the project has that helve obeys, in arena. */
struct hv_str fingerprint_of(const struct settings_options *options, const struct locations *locations,
                             struct hv_arena *arena);
/* The same of what is trusted from now on: a copy is kept, to show later changes. folder: the project's real path. */
struct hv_str fingerprint_keep(const struct settings_options *options, const struct locations *locations,
                               struct hv_arena *arena, struct hv_str folder);
/* Append how the files differ from that copy, as unified diffs. */
void fingerprint_changes(const struct settings_options *options, const struct locations *locations,
                         struct hv_arena *arena, struct hv_str folder, struct hv_buf *out);

#endif
