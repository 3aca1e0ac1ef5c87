/*
 * ignore.h: gitignore rules, as git reads them, for ignore files and for the path patterns of permission rules. A file
 * is compiled once; plain names, suffixes and paths are found by hashing, only real wildcards reach glob_match.
 * Lists are immutable once built: any thread may match. Pure.
 *
 * Paths are relative, without a leading "./" or a trailing '/', components separated by one '/'.
 */
#ifndef TEXT_IGNORE_H
#define TEXT_IGNORE_H

#include <helve/str.h>

enum ignore_verdict { IGNORE_NONE, IGNORE_IGNORED, IGNORE_INCLUDED };

enum {
    IGNORE_ICASE = 1, /* ASCII letters match in either case (core.ignorecase) */
};

struct ignore_list;

/*
 * The compiled rules of an ignore file's bytes, of which the caller bounds the size. Lives in arena; bytes may go. NULL
 * when it has no rule.
 */
const struct ignore_list *ignore_parse(struct hv_arena *arena, struct hv_str bytes, unsigned flags);

/*
 * One pattern of a permission rule: no comments, no '!', no trimming of blanks; a leading "./" is taken off and anchors
 * the pattern as "/" does; ".", "./" and "/" stand for everything. NULL when it is empty.
 */
const struct ignore_list *ignore_parse_pattern(struct hv_arena *arena, struct hv_str pattern, unsigned flags);

/* The verdict of the last rule that matches path itself (relative to the directory of the list). list may be NULL. */
enum ignore_verdict ignore_match(const struct ignore_list *list, struct hv_str path, bool is_directory);

/*
 * As ignore_match, but the directories that path lies in are tried first, from the top: what lies below an ignored
 * one is ignored, whatever other rules say. Otherwise the verdict on path itself.
 */
enum ignore_verdict ignore_match_below(const struct ignore_list *list, struct hv_str path, bool is_directory);

/* The rule that decided, for explanations: its text and line. Both zero when none did. */
struct ignore_rule_text {
    struct hv_str pattern; /* as written; lives as long as the list */
    size_t line;           /* 1-based */
};
enum ignore_verdict ignore_match_rule(const struct ignore_list *list, struct hv_str path, bool is_directory,
                                      struct ignore_rule_text *rule);

/*
 * A list and where it stands, linked to those of the directories above and of lower rank. Links are made by the
 * caller, in memory that outlives their use; they are never changed.
 */
struct ignore_chain {
    const struct ignore_chain *parent; /* asked when this list says nothing; NULL at the end */
    const struct ignore_list *list;    /* may be NULL */
    struct hv_str base;                /* its directory, relative to the root of the walk; "" for the root itself */
    struct hv_str above;               /* for a directory above the root: the way from it down to the root; else "" */
};

/*
 * The verdict on path (relative to the root of the walk): the first list that says something, nearest first.
 * Directories above are not tried: a walker does not enter what is ignored. Lists whose base path is not in do not
 * count.
 */
enum ignore_verdict ignore_chain_match(const struct ignore_chain *chain, struct hv_str path, bool is_directory);

#endif
