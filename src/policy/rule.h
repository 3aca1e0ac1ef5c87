/*
 * rule.h: one permission rule, `Tool` or `Tool(specifier)`: reading it, and asking what it speaks of.
 *
 * Matching leans to the safe side of the rule's verdict: a deny or ask rule holds when any reading of it does, an
 * allow rule only when all do. What a specifier means depends on the tool it meets: a path pattern, a shell command, a
 * domain, a name, or a parameter with its value.
 *
 * Pure, but for rule_parse, which resolves the links in the fixed part of a path pattern through the host when there is
 * one. Parsed rules are immutable; their texts live in the arena given.
 */
#ifndef POLICY_RULE_H
#define POLICY_RULE_H

#include <limits.h>

#include "policy/policy.h"
#include "text/ignore.h"

enum { RULE_LENGTH_MAX = 8192 };

/* Where path patterns start. */
struct rule_bases {
    const struct hv_host *host; /* NULL: links are not resolved */
    struct policy_path directory, home;
    bool ignores_case;
    const struct hv_tool *const *tools; /* whose aliases stand for their names */
    size_t tool_count;
};

/* One reading of a path pattern: the paths below base that pattern takes. */
struct rule_path {
    struct hv_str base;                /* absolute, tidy */
    struct hv_str reach;               /* base and the directories that all its paths have in common: a quick no */
    const struct ignore_list *pattern; /* NULL: base itself and everything below it */
    struct hv_str text;                /* the pattern, for people; absent without one */
    struct hv_str name; /* it takes what has this name, stars and all, at any depth; absent: it does not */
};

/* Of names that rules of that kind take, the bytes that they begin with, or end with where that is not known. */
struct rule_names {
    bool first[UCHAR_MAX + 1], last[UCHAR_MAX + 1];
};

struct rule {
    enum hv_verdict verdict;
    enum policy_scope scope;
    struct hv_str text;          /* as written */
    struct hv_str place;         /* for people: "project settings /ws/.helve/settings.json:3:14" */
    struct settings_place where; /* the same for programs */
    struct hv_str tool;          /* name or glob */
    struct hv_str specifier;
    bool has_specifier; /* false: the whole tool, as also for "*" */
    bool any_tool_like; /* tool holds '*' */
    bool ignores_case;
    const struct rule_path *paths; /* readings of the specifier as a path pattern */
    size_t path_count;
};

/*
 * Parse text into *out. root is what a pattern with one leading "/" starts at. Texts are copied to arena. HV_EINVAL
 * with a hint when the text is no rule, or allows by a glob over servers. A deny or ask rule whose specifier is broken
 * off but whose tool is readable is still given in *out, as a rule for the whole tool, together with the error: a
 * denial is never lost (out->tool is absent when nothing could be read).
 */
enum hv_code rule_parse(const struct rule_bases *bases, struct hv_arena *arena, enum hv_verdict verdict,
                        struct hv_str text, struct hv_str root, struct rule *out, struct hv_error *err) HV_MUST_CHECK;

/* The rule names the tool: by name, alias, rule name, server or glob. Says nothing of the specifier. */
bool rule_names_tool(const struct rule *rule, const struct hv_tool *tool);

/* A deny or ask rule with a specifier that keeps files from being read (and so written), or from being written, by
 * whatever tool or command. */
bool rule_guards_files(const struct rule *rule, bool writing);

/* An allow rule, with or without a specifier, that opens files for reading (Read, Edit) or writing (Edit, Write …) to
 * whatever tool or command. */
bool rule_opens_files(const struct rule *rule, bool writing);

/*
 * The rule speaks of the tool's access to files for reading (or writing): it names the tool, or guards files, or allows
 * to edit what the tool only reads.
 */
bool rule_governs_access(const struct rule *rule, const struct hv_tool *tool, bool writing);

/* The path pattern takes path: for an allow rule both as written and as resolved, else either. */
bool rule_takes_path(const struct rule *rule, const struct policy_path *path);

/* A deny rule that does not take directory takes of what lies directly in it only what rule_names_may_take says, when
 * it was noted in those. */
bool rule_takes_by_name(const struct rule *rule, const struct policy_path *directory);
void rule_names_note(struct rule_names *names, const struct rule *rule);
bool rule_names_may_take(const struct rule_names *names, struct hv_str name);

/* The specifier takes a host name ("domain:example.org"). */
bool rule_takes_domain(const struct rule *rule, struct hv_str host);
/* The specifier takes a plain name. */
bool rule_takes_name(const struct rule *rule, struct hv_str name);
/* The specifier is `parameter:value` for a parameter of this tool, and the input has that value. An input that is not
 * known counts as having it. Deny and ask rules only. */
bool rule_takes_parameter(const struct rule *rule, const struct hv_tool *tool, const struct hv_json *input);

/* pattern with "*" for anything (blanks and slashes too) takes the whole text. A trailing " *" or ":*" asks for a word
 * boundary and also takes what stands before it alone. *work counts the steps and ends in false when it reaches 0. */
bool rule_takes_text(struct hv_str pattern, struct hv_str text, size_t *work);

#endif
