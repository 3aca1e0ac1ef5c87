/*
 * matcher.h: finding lines that match a pattern, in memory. Perl-compatible regular expressions over bytes that should
 * be UTF-8 but need not be. A line matches when the pattern is found in it alone, without its line end, whatever
 * stands before and after; in multiline mode the text is one subject and "." takes line ends, too. However hard the
 * pattern, no single step runs for long: the caller's stop function is asked in between. One thread at a time.
 */
#ifndef TOOLS_MATCHER_H
#define TOOLS_MATCHER_H

#include <helve/str.h>

struct matcher_options {
    struct hv_str pattern;
    bool fixed; /* the pattern is the very text to find */
    bool ignore_case, multiline;
    bool (*stop)(void *user); /* true ends the search; may be NULL */
    void *user;
};

struct matcher;

/* Compile. HV_EINVAL with the position of the fault; a pattern with a line end without multiline is one, too. */
enum hv_code matcher_new(const struct matcher_options *options, struct matcher **out,
                         struct hv_error *err) HV_MUST_CHECK;
void matcher_free(struct matcher *matcher); /* NULL is fine */

struct match {
    size_t line, end;   /* where the first line of the match begins, and the last one ends, line end included */
    size_t from, until; /* the match itself */
    size_t next;        /* where to search on */
};

enum match_found { MATCH_NONE, MATCH_FOUND, MATCH_STOPPED };

/* The first match in text at or after from: the start of a line (in multiline mode also match.next of the last one). */
enum match_found matcher_find(struct matcher *matcher, struct hv_str text, size_t from, struct match *match);

/* Lines (in multiline mode: texts) given up because the pattern took too long on them. */
size_t matcher_given_up(const struct matcher *matcher);

#endif
