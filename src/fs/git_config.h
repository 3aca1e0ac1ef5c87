/*
 * git_config.h: reading git's configuration files, as far as ignoring and line ends depend on them. The reader is pure;
 * each file is read in one pass, values as git takes them: quotes, escapes, comments, lines that go on.
 */
#ifndef FS_GIT_CONFIG_H
#define FS_GIT_CONFIG_H

#include <helve/str.h>

/* Where a reader stands in the text of a file. */
struct git_config_reader {
    struct hv_str text;
    size_t at;
    struct hv_str section; /* of the variables that follow: "core", or "include" … ; a view of text */
    bool subsection;       /* the section has a quoted second name */
    struct hv_str second;  /* which, as written between the quotes */
};

struct git_config_variable {
    struct hv_str section; /* as written; compare without case */
    bool subsection;
    struct hv_str second; /* as written between the quotes, backslashes included */
    struct hv_str name;   /* as written; compare without case */
    struct hv_str value;  /* decoded, in the arena; absent for a name alone, which means true */
};

/* The next variable; false at the end or where the text is no configuration any more. */
bool git_config_next(struct git_config_reader *reader, struct hv_arena *arena, struct git_config_variable *variable);

/* "true", "yes", "on", a number that is not zero, or a name alone. */
bool git_config_true(struct hv_str value);

enum git_line_ends { GIT_LINE_ENDS_UNSET = 0, GIT_LINE_ENDS_AS_STORED, GIT_LINE_ENDS_LF, GIT_LINE_ENDS_CRLF };

/* What concerns a walk, or a file that is written. Later files overrule earlier ones. */
struct git_settings {
    struct hv_str excludes_file; /* as written, of the last file that has one; absent: none does */
    bool ignore_case;            /* core.ignorecase */
    bool worktree_config;        /* extensions.worktreeConfig */
    enum git_line_ends autocrlf; /* core.autocrlf: of all text that comes from the repository; "input": as stored */
    enum git_line_ends eol;      /* core.eol: of files that attributes call text, where autocrlf says nothing */
};

/*
 * Take up what the text of one file says. includes (may be NULL) is called for each [include] path and each
 * [includeIf "condition"] path, at its place; condition is absent without one.
 */
struct git_config_includes {
    void (*include)(void *user, struct hv_str condition, struct hv_str path, struct git_settings *settings);
    void *user;
};
void git_settings_read(struct hv_arena *arena, struct hv_str text, const struct git_config_includes *includes,
                       struct git_settings *settings);

#endif
