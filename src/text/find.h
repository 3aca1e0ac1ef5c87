/*
 * find.h: the search engine's matcher. A pattern (Perl-compatible, or the very text to find) is compiled once; from
 * what every match must contain the fastest engine is chosen; the answer does not depend on that choice. Texts are
 * searched as whole buffers: lines are looked for only around what may match, and are never counted.
 *
 * What matches: bytes that should be UTF-8 but need not be (no part of a match is an ill-formed byte, such a byte is
 * no word character, and none begins at a continuation byte that continues nothing). A line matches when the pattern is
 * found in it alone, without its "\n" or "\r\n", whatever stands before and after: so "$" holds before "\r\n", and no
 * look-behind sees the line before. NUL is a byte like others. With `multiline` the whole text is one subject and "."
 * takes line ends, too. Marks (BOM) are the caller's to take off.
 *
 * Pure. A struct find is immutable and may be used by many threads; each of them has its own struct find_scratch.
 */
#ifndef TEXT_FIND_H
#define TEXT_FIND_H

#include <helve/str.h>

struct find_options {
    bool fixed; /* the pattern is the very text to find */
    bool ignore_case, multiline;
    bool word;         /* a match begins and ends where words do */
    bool plain_advice; /* who gave the pattern can set nothing beside it: advice names no fixed_strings, no multiline */
    /* For tests of one engine against another; the answer is the same. */
    bool no_scan;    /* PCRE2 alone, line by line */
    bool no_machine; /* PCRE2 where a machine of states would do */
    bool no_jit;     /* PCRE2 without its compiler to machine code */
    bool no_streams; /* lines are counted by looking at each that may match */
    bool streams;    /* … and never so where streams of bits would do */
    bool no_avx512;  /* vectors of 32 bytes at most */
    bool no_avx2;    /* of 16 bytes */
    bool portable;   /* no vectors at all */
};

enum { FIND_PATTERN_MAX = 64 * 1024 };

struct find;

/*
 * Compile. The pattern is copied. *out is the caller's, to be given to find_release. HV_EINVAL: the pattern is not
 * valid (message with the position, hint with what to write instead where a common mistake is recognised), is not
 * UTF-8, or holds a line end without `multiline`; HV_ETOOBIG. Takes microseconds.
 */
enum hv_code find_compile(struct hv_str pattern, const struct find_options *options, struct find **out,
                          struct hv_error *err) HV_MUST_CHECK;
void find_release(struct find *find); /* NULL is fine; no scratch of it may be used afterwards */

/* Which engine was chosen and what it looks for, for people who debug: "literal "abc", by bytes 0 and 2". */
void find_describe(const struct find *find, struct hv_buf *out);

/*
 * What searches have here: the version of PCRE2, whether it compiles patterns to machine code (without, those that need
 * it are searched at a fraction of the speed), and the vectors that are used: "PCRE2 10.42 …, vectors: avx2".
 */
void find_describe_machine(struct hv_buf *out, bool *compiles);

struct find_scratch;

/*
 * What one thread needs to search. stop (may be NULL) is asked now and then on that thread; true ends the search,
 * however hard the pattern. Never NULL; free with find_scratch_free before the struct find.
 */
struct find_scratch *find_scratch_new(const struct find *find, bool (*stop)(void *user), void *user);
void find_scratch_free(struct find_scratch *scratch); /* NULL is fine */

enum find_result { FIND_NONE, FIND_FOUND, FIND_STOPPED };

struct find_match {
    size_t from, until; /* the match */
    size_t line, end;   /* where its first line begins, and its last one ends (line end included) */
    size_t next;        /* where to look for the next match: past this one, always further than the last `next` */
};

/*
 * The first match that begins at or after offset, which is 0, a match's `next`, or (to get each line once) its `end`.
 * There is nothing at offset text.len, not even an empty match. While a text is gone through it must not change; offset
 * 0 begins a new one. Lines, or with `multiline` texts, that are too hard for the pattern count as without a match and
 * are counted (find_hard). May run long on a large text; stop() ends it.
 */
enum find_result find_next(struct find_scratch *scratch, struct hv_str text, size_t offset, struct find_match *match);

/*
 * How many lines of the text hold a match (with `multiline`: how many matches there are); counting ends at max, 0:
 * none. Much faster than going from match to match where there are many. False: stop() ended it, *count is of what came
 * before.
 */
bool find_count(struct find_scratch *scratch, struct hv_str text, size_t max, size_t *count);

/*
 * Is it certain, at the speed of memory, that no text has a match whose bytes these are, in UTF-8 or in any encoding
 * that has ASCII in it as it is? If it is not: no match begins in the first *clear bytes, which are whole lines, as
 * long as they are in such an encoding.
 */
bool find_rules_out(const struct find_scratch *scratch, struct hv_str bytes, size_t *clear);

/* How many lines (texts) this scratch gave up because the pattern took too many steps on them. */
size_t find_hard(const struct find_scratch *scratch);

#endif
