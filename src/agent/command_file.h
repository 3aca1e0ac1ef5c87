/*
 * command_file.h: commands of a person's or a project's own: Markdown files in `.helve/commands` and `.claude/commands`
 * whose text, filled in, is a prompt.
 *
 * Their front matter says what they are (`description`, `argument-hint`) and which calls they may make without a
 * question (`allowed-tools`). In the text stand $ARGUMENTS, $1 … $9, @file for what a file says, and !`command` for
 * what a command prints. What fills them in is never read for such marks again.
 */
#ifndef AGENT_COMMAND_FILE_H
#define AGENT_COMMAND_FILE_H

#include <helve/host.h>

enum { COMMAND_FILE_MAX = 256 << 10, COMMAND_FILES_MAX = 500, COMMAND_PARTS_MAX = 1000 };

struct command_file {
    struct hv_str name, path; /* name: what is typed behind the slash */
    struct hv_str description, argument_hint, allowed_tools;
    struct hv_str body;
    bool is_own;       /* the person's, not the project's */
    const char *fault; /* NULL, or why it cannot be used, a literal … */
    unsigned line;     /* … and where, or 0 */
};

/* A file or folder that was looked at, as it was then. */
struct command_stamp {
    struct hv_str path;
    struct hv_file_stat stat; /* zeroed: there was none */
    bool is_young;            /* a change right after it might bear the same time */
};

struct command_files {
    struct command_file *items; /* by name; of several with one name the first one found */
    size_t count;
    struct command_stamp *stamps;
    size_t stamp_count;
};

/* Where they are looked for. */
struct command_places {
    const struct hv_host *host;
    struct hv_str directory; /* the project */
    struct hv_str user_directory, home;
};

/* All command files: the project's before the person's, `.helve` before `.claude`. Texts in arena. Reads files. */
void command_files_find(const struct command_places *places, struct hv_arena *arena, struct command_files *out);
/* Whether finding them again may find others, or others in them: looks at times and sizes, reads nothing. */
bool command_files_changed(const struct hv_host *host, const struct command_files *files);
/* NULL: there is none of that name. */
const struct command_file *command_files_get(const struct command_files *files, struct hv_str name);

enum command_part_type { COMMAND_TEXT = 0, COMMAND_FILE, COMMAND_SHELL };

struct command_part {
    enum command_part_type type;
    struct hv_str text; /* the text, the path as it was written, or the command */
};

/* Fill the arguments into a body and find what else is to be filled in. A body that takes no arguments gets them at its
 * end. Pure; texts in arena. Parts over COMMAND_PARTS_MAX stay text. */
struct command_part *command_split(struct hv_arena *arena, struct hv_str body, struct hv_str arguments, size_t *count);
/* The rules of an `allowed-tools` value: "Bash(git add:*, x), Read" are two. In arena. */
struct hv_str *command_rules(struct hv_arena *arena, struct hv_str allowed_tools, size_t *count);

#endif
